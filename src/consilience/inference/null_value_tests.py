"""Tests of null values, one by one or a ladder of them, by models that studies can be drawn
from.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Ints, dense
from consilience.core.draws import Progress, RandomStream, Seed, check_resamples, seed_sequence
from consilience.core.interval import Interval
from consilience.core.result import Several, Unremarked
from consilience.core.tails import p_of_tails
from consilience.document import Document, Paragraph, PValue, Table
from consilience.document.blocks import Cell, InPlace
from consilience.document.records import Recorded, plain, plain_fields
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference._benchmarks import Interpretation, interpret
from consilience.inference.chance import (
    ChanceDistribution,
    CriticalValue,
    critical_value,
    upper_tails,
)
from consilience.inference.intervals import ALTERNATIVES, METHODS, Test
from consilience.inference.resampling import Replicator, Statistic
from consilience.rows import Rows
from consilience.rows.distinct_rows import MovingMetric
from consilience.rows.forms import Form

# ---- A null value of any coefficient as a model that studies can be drawn from.
#
# Raters know some of the items, on which they all give the true label, and guess the others, each
# on her own. How many they know is chosen such that the coefficient has the null value in a very
# large study; everything else stays as it was observed: who rated what, and as far as possible
# how often each label was used. Null values of Gwet's AC1 are drawn with guesses that favour no
# label, as in his own tables of critical values; those of kappa, pi and alpha with guesses that
# follow the labels.

GUESSES = ("uniform", "pooled", "own")
_MOST_ROWS = 3_000  # different items that are listed; where there are more, items are drawn
_MANY = 1e9  # items of a study that is as good as infinite
_CELLS = 4_000_000  # numbers held at a time
_HALVINGS = 60


@dataclass(frozen=True)
class Presence:
    """Who rated together: `n_items` items have ratings of these raters."""

    raters: tuple[int, ...]
    n_items: int


def presences(rows: Rows, n_raters: int, *, named: bool) -> list[Presence]:
    """Return who rated together and how often; where nobody is named, how many did."""
    times = rows.multiplicity
    if named and rows.by_rater is not None:
        cells = dense(rows.by_rater).reshape(n_raters, rows.form.size, -1)
        keys = [tuple(np.flatnonzero(column).tolist()) for column in cells.sum(axis=1).T]
    else:
        keys = [tuple(range(round(m))) for m in rows.ratings]
    found: dict[tuple[int, ...], float] = {}
    for key, n in zip(keys, times, strict=True):
        found[key] = found.get(key, 0.0) + float(n)
    return [Presence(key, round(n)) for key, n in found.items() if key]


@dataclass(frozen=True)
class NullModel:
    """Studies in which a coefficient has a given value.

    Attributes
    ----------
    shares_rk : how often each rater used each label, one line per rater
    guesses : {"uniform", "pooled", "own"}
        What a rater says who does not know: any label alike, a label as often as all raters used
        it, or as often as she did.
    """

    statistic: Statistic
    form: Form
    metric: MovingMetric | None
    who: list[Presence]
    n_raters: int
    shares_rk: Floats
    guesses: str
    by_rater: bool

    def distributions(self, known: float) -> tuple[Floats, Floats]:
        """Return the labels of known items, and of each rater's guesses.

        Both are chosen such that together they give the labels that were observed, as far as a
        share of known items allows that.
        """
        p_k = self.shares_rk.mean(axis=0)
        if self.guesses == "uniform":
            g_k = np.full(p_k.size, 1.0 / p_k.size)
            plain = p_k if known == 0.0 else _positive((p_k - (1.0 - known) * g_k) / known)
            return plain, np.tile(g_k, (self.n_raters, 1))
        if self.guesses == "pooled" or known == 1.0:
            return p_k, np.tile(p_k, (self.n_raters, 1))
        own = (self.shares_rk - known * p_k) / (1.0 - known)
        return p_k, np.array([_positive(one) for one in own])

    @property
    def _alike(self) -> bool:
        """Whether it does not matter who gave which rating."""
        return not self.by_rater and self.guesses != "own"

    @cached_property
    def _listed(self) -> list[tuple[Presence, Ints]] | None:
        """Every item that can occur: label codes by rater, or None where there are too many."""
        q, total = self.form.size, 0
        for one in self.who:
            m = len(one.raters)
            total += math.comb(m + q - 1, q - 1) if self._alike else q**m
            if total > _MOST_ROWS:
                return None
        return [(one, self._items_of(len(one.raters))) for one in self.who]

    def _items_of(self, m: int) -> Ints:
        q = self.form.size
        ways = (
            itertools.combinations_with_replacement(range(q), m)
            if self._alike
            else itertools.product(range(q), repeat=m)
        )
        return np.array(list(ways), dtype=np.int64).reshape(-1, m)

    def _chances(self, raters: tuple[int, ...], items: Ints, known: float) -> Floats:
        """Return how likely each listed item is."""
        plain, guesses = self.distributions(known)
        by_luck = np.ones(len(items))
        for place, rater in enumerate(raters):
            by_luck *= guesses[rater][items[:, place]]
        if self._alike:
            by_luck *= _orders(items, self.form.size)
        same = (items == items[:, :1]).all(axis=1)
        chances = (1.0 - known) * by_luck + known * np.where(same, plain[items[:, 0]], 0.0)
        return np.asarray(chances / chances.sum())

    def _rows(self, parts: list[tuple[Presence, Ints]]) -> Rows:
        q, width = self.form.size, sum(len(items) for _, items in parts)
        who = np.zeros((self.n_raters, q, width))
        ratings, start = np.empty(width), 0
        for one, items in parts:
            place = start + np.arange(len(items))
            for column, rater in enumerate(one.raters):
                who[rater, items[:, column], place] = 1.0
            ratings[place] = len(one.raters)
            start += len(items)
        named = who.reshape(self.n_raters * q, width) if self.by_rater else None
        return Rows(self.form, who.sum(axis=0), ratings, np.ones(width), named)

    def large_sample_value(self, known: float) -> float:
        """Return the coefficient in a very large study with a share of known items."""
        parts, replicator = self._large
        weights = np.concatenate(
            [one.n_items * self._chances(one.raters, items, known) for one, items in parts]
        )
        scale = _MANY / weights.sum()
        return float(replicator.values(scale * weights[:, None])[0])

    @cached_property
    def _large(self) -> tuple[list[tuple[Presence, Ints]], Replicator]:
        """What a very large study consists of; pairs of raters where items cannot be listed."""
        parts = self._listed
        if parts is None:
            items = np.indices((self.form.size,) * 2).reshape(2, -1).T
            chosen = itertools.combinations(range(self.n_raters), 2) if self.by_rater else [(0, 1)]
            if self._alike:
                items = self._items_of(2)
            parts = [(Presence(pair, 1), items) for pair in chosen]
        return parts, Replicator(self.statistic, self._rows(parts), self.metric)

    def share_known(self, null: float) -> float:
        """Return the share of known items that gives the coefficient the null value."""
        lowest = self.large_sample_value(0.0)
        if math.isclose(lowest, null, abs_tol=1e-7):
            return 0.0
        if not lowest < null < 1.0:
            raise UnsupportedDesignError.needs(
                f"a null value of {null:g}",
                f"a value that such raters can have: {lowest:.3f} if they only guess, below 1 if "
                "they know",
                f"{null:g}",
                "choose another null value",
            )
        low, high = 0.0, 1.0
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if self.large_sample_value(middle) < null else (low, middle)
        return (low + high) / 2.0

    @property
    def is_listed(self) -> bool:
        """Whether all items that can occur are listed, so that studies cost next to nothing."""
        return self._listed is not None

    def draw(
        self,
        known: float,
        n_resamples: int,
        rng: RandomStream,
        progress: Progress | None = None,
    ) -> Floats:
        """Return the coefficient in many studies with a share of known items."""
        parts = self._listed
        blocks = self._by_item(known, n_resamples, rng)
        if parts is not None:
            blocks = self._by_pattern(parts, known, n_resamples, rng)
        values = np.empty(n_resamples)
        done = 0
        for block in blocks:
            values[done : done + block.size] = block
            done += block.size
            if progress is not None:
                progress(done, n_resamples)
        return values

    def _by_pattern(
        self,
        parts: list[tuple[Presence, Ints]],
        known: float,
        n_resamples: int,
        rng: RandomStream,
    ) -> Iterator[Floats]:
        """Draw how many items show each pattern of labels."""
        replicator = Replicator(self.statistic, self._rows(parts), self.metric)
        chances = [self._chances(one.raters, items, known) for one, items in parts]
        at_once = max(1, _CELLS // sum(map(len, chances)))
        for start in range(0, n_resamples, at_once):
            size = min(at_once, n_resamples - start)
            drawn = [
                rng.multinomial(one.n_items, share, size=size)
                for (one, _), share in zip(parts, chances, strict=True)
            ]
            yield replicator.values(np.concatenate(drawn, axis=1).T.astype(np.float64))

    def _by_item(self, known: float, n_resamples: int, rng: RandomStream) -> Iterator[Floats]:
        """Draw the labels of each item, where there are too many patterns to list."""
        plain, guesses = (np.cumsum(p, axis=-1) for p in self.distributions(known))
        raters = np.concatenate([np.tile(one.raters, one.n_items) for one in self.who])
        sizes = np.concatenate([np.full(one.n_items, len(one.raters)) for one in self.who])
        item = np.repeat(np.arange(sizes.size), sizes)
        everyone = np.ones((sizes.size, 1))
        for _ in range(n_resamples):
            truth = np.searchsorted(plain[:-1], rng.random(sizes.size))
            is_known = rng.random(sizes.size) < known
            luck = (rng.random(raters.size)[:, None] > guesses[raters, :-1]).sum(axis=1)
            label = np.where(is_known[item], truth[item], luck)
            rows = self._study(item, raters, label, sizes)
            yield Replicator(self.statistic, rows, self.metric).values(everyone)

    def _study(self, item: Ints, rater: Ints, label: Ints, sizes: Ints) -> Rows:
        n, q = sizes.size, self.form.size
        vectors = np.bincount(label * n + item, minlength=q * n).reshape(q, n)
        who = None
        if self.by_rater:
            key = (rater * q + label) * n + item
            times = np.bincount(key, minlength=self.n_raters * q * n)
            who = times.reshape(self.n_raters * q, n).astype(np.float64)
        return Rows(
            self.form, vectors.astype(np.float64), sizes.astype(np.float64), np.ones(n), who
        )


def _positive(shares: Floats) -> Floats:
    """Return shares that are not below 0 and add up to 1, as near as that goes."""
    clipped = np.clip(shares, 0.0, None)
    total = clipped.sum()
    return np.asarray(clipped / total) if total > 0.0 else np.full(shares.size, 1.0 / shares.size)


def _orders(items: Ints, n_labels: int) -> Floats:
    """Return in how many orders raters can give the labels of each item."""
    from scipy.special import gammaln

    counts = np.stack([(items == k).sum(axis=1) for k in range(n_labels)])
    return np.asarray(np.exp(gammaln(items.shape[1] + 1) - gammaln(counts + 1).sum(axis=0)))


# ---- Tests of null values, one by one or a ladder of them, and the words of published scales.

LEVELS = (0.90, 0.95, 0.99)
WATERMARKS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_WORD_SCALES = ("krippendorff", "rietveld-van-hout", "landis-koch", "green")
_LISTED, _ITEM_BY_ITEM = 9_999, 999  # studies drawn, unless said otherwise
_LEVEL = 0.05
_STEPS = 7  # a limit between 0.2 and 0.3 is known to less than 0.001
_NEAR = 1e-12  # equal values can differ in their last digits


@dataclass(frozen=True, slots=True)
class MonteCarloTest(Test):
    """A test against studies that were drawn with the null value.

    Attributes
    ----------
    statistic : float
        The coefficient itself.
    critical_values : tuple of CriticalValue
        The smallest values that such studies exceed in at most 10, 5 and 1% of cases.
    null_mean, null_sd : float
        Of the coefficient in these studies.
    share_known : float
        Share of the items that raters know in these studies; they guess the others.
    share_undefined : float
        Share of studies without a value. They count as if they had reached the statistic.
    guesses : {"uniform", "pooled", "own"}
    n_resamples : int
    """

    critical_values: tuple[CriticalValue, ...] = ()
    null_mean: float = math.nan
    null_sd: float = math.nan
    share_known: float = math.nan
    share_undefined: float = 0.0
    guesses: str = ""
    n_resamples: int = 0

    def critical_value(self, level: float = 0.95) -> float:
        """Return the critical value of a level; NaN where even full agreement is too common."""
        for one in self.critical_values:
            if math.isclose(one.level, level):
                return one.value
        known = [one.level for one in self.critical_values]
        raise InputError.expected("level", f"one of {known}", level, "choose one of these")


def monte_carlo_test(
    model: NullModel,
    statistic: float,
    *,
    null: float,
    alternative: str,
    n_resamples: int | None,
    rng: Seed,
    progress: Progress | None = None,
) -> MonteCarloTest:
    """Draw studies in which the coefficient has the null value, and see how many reach it.

    Parameters
    ----------
    model : NullModel
    statistic : float
        The coefficient of the study.
    null : float
    alternative : {"two-sided", "greater", "less"}
    n_resamples : int or None
        Studies to draw; None draws 9,999, or 999 where every item must be drawn on its own.
    rng : int or Generator
    progress : callable of (done, total), optional

    Returns
    -------
    MonteCarloTest
    """
    if n_resamples is None:
        n_resamples = _LISTED if model.is_listed else _ITEM_BY_ITEM
    check_resamples(n_resamples)
    known = model.share_known(null)
    values = model.draw(known, n_resamples, RandomStream.of(seed_sequence(rng)), progress)
    defined = values[np.isfinite(values)]
    lost = values.size - defined.size
    above = (1.0 + lost + np.count_nonzero(defined >= statistic - _NEAR)) / (values.size + 1.0)
    below = (1.0 + lost + np.count_nonzero(defined <= statistic + _NEAR)) / (values.size + 1.0)
    return MonteCarloTest(
        statistic,
        p_of_tails(below, above, alternative),
        null,
        alternative,
        "monte-carlo",
        critical_values=_critical_values(values),
        null_mean=float(defined.mean()) if defined.size else math.nan,
        null_sd=float(defined.std()) if defined.size else math.nan,
        share_known=known,
        share_undefined=lost / values.size,
        guesses=model.guesses,
        n_resamples=n_resamples,
    )


def _critical_values(values: Floats) -> tuple[CriticalValue, ...]:
    """Return critical values; a study without a value counts as if it exceeded all of them."""
    return _critical_among(*_reached(values), LEVELS)


def _reached(values: Floats) -> tuple[Floats, Floats]:
    reached = np.where(np.isfinite(values), values, np.inf)
    return upper_tails(reached, np.full(values.size, 1.0 / values.size))


def _critical_among(
    distinct: Floats, tails: Floats, levels: Sequence[float]
) -> tuple[CriticalValue, ...]:
    found = [critical_value(level, distinct, tails) for level in levels]
    return tuple(
        one if math.isfinite(one.value) else CriticalValue(one.level, math.nan, math.nan)
        for one in found
    )


@dataclass(frozen=True, slots=True)
class StudyNull(ChanceDistribution):
    """A coefficient in studies whose raters guess, all items or as many as a null value says.

    Attributes
    ----------
    coefficient : str
    null : float or None
        The value in a very large study; None where raters guess every item.
    critical_values : tuple of CriticalValue
        One for each level; the value is NaN where even full agreement is reached too often.
    mean, standard_deviation : float
        Of the coefficient in these studies, where it is defined.
    share_undefined : float
        Share of studies without a value; they count as if they had reached every value.
    """

    coefficient: str
    n_items: int
    n_raters: int
    n_categories: int
    null: float | None
    method: Literal["monte-carlo"]
    n_resamples: int | None
    critical_values: tuple[CriticalValue, ...]
    mean: float
    standard_deviation: float
    share_undefined: float
    _values: Floats = field(repr=False, compare=False)
    _tails: Floats = field(repr=False, compare=False)


def drawn_studies(
    model: NullModel,
    *,
    coefficient: str,
    null: float | None,
    levels: Sequence[float],
    n_resamples: int,
    rng: Seed,
) -> StudyNull:
    """Draw studies from a model, and return what its coefficient is in them."""
    check_resamples(n_resamples)
    known = 0.0 if null is None else model.share_known(null)
    values = model.draw(known, n_resamples, RandomStream.of(seed_sequence(rng)))
    defined = values[np.isfinite(values)]
    distinct, tails = _reached(values)
    return StudyNull(
        coefficient,
        sum(one.n_items for one in model.who),
        model.n_raters,
        model.form.size,
        null,
        "monte-carlo",
        n_resamples,
        _critical_among(distinct, tails, levels),
        float(defined.mean()) if defined.size else math.nan,
        float(defined.std()) if defined.size else math.nan,
        1.0 - defined.size / values.size,
        distinct,
        tails,
    )


# ---- several null values


@dataclass(frozen=True, slots=True, kw_only=True)
class NullTests(Recorded, Unremarked, Several):
    """A coefficient against several null values, and what published scales call it.

    Attributes
    ----------
    tests : tuple of Test
        One for each null value, in rising order.
    interval : Interval
        The null values that tests like these do not reject at 5%: with a one-sided alternative it
        has one end, and none where no null value is rejected.
    words : tuple of Interpretation
        What published scales call the value.
    """

    coefficient: str
    name: str
    value: float
    interval: Interval
    n_items: int
    n_raters: int
    alternative: str
    method: str
    tests: tuple[Test, ...]
    words: tuple[Interpretation, ...] = ()

    @property
    def highest_rejected(self) -> float | None:
        """The highest null value below the estimate that is rejected at 5%, if any."""
        rejected = [one.null for one in self.tests if one.p_value <= _LEVEL]
        return max((null for null in rejected if null < self.value), default=None)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        tests = [plain(asdict(one)) for one in self.tests]
        return plain_fields(self, leave_out=("tests",), tests=tests)

    def document(self) -> Document:
        """Return the tests as a table, and the words below it."""
        drawn = any(isinstance(one, MonteCarloTest) for one in self.tests)
        heads = ["null value", *([f"{1 - level:.0%}" for level in LEVELS] if drawn else []), "p"]
        rows: list[list[Cell]] = []
        for one in self.tests:
            limits: list[Cell] = []
            if isinstance(one, MonteCarloTest):
                limits = [_or_none(limit.value) for limit in one.critical_values]
            rows.append([f"{one.null:g}", *limits, PValue(one.p_value)])
        caption = f"{self.name} against null values"
        note = "Critical values: reached by chance in at most 10%, 5% and 1% of studies."
        table = Table(heads=heads, rows=rows, caption=caption, note=note if drawn else "")
        blocks: list[Any] = [Paragraph(self._said()), table]
        if drawn:
            blocks.append(Paragraph(_how(self.tests[0])))
        if self.words:
            blocks.append(_words_table(self.words))
            cautions = dict.fromkeys(caution for one in self.words for caution in one.cautions)
            blocks += [Paragraph(caution) for caution in cautions]
        return Document(title="Tests of null values", blocks=tuple(blocks))

    def _said(self) -> str:
        told = f"{self.name} is {self.value:.3f}{self._reach()}; {self.n_items:,} items, "
        told += f"{self.n_raters:,} raters."
        top = self.highest_rejected
        if self.alternative == "less":
            return told
        if top is None:
            return f"{told} At the 5% level it is above none of these null values."
        return f"{told} At the 5% level it is above null values up to {top:g}."

    def _reach(self) -> str:
        """Say which null values are not rejected, at the level and on the side of the tests."""
        low, high = self.interval
        if math.isfinite(low) and math.isfinite(high):
            return f" (95% CI {low:.3f} to {high:.3f})"
        if math.isfinite(low):
            return f", at least {low:.3f} with 95% certainty"
        return f", at most {high:.3f} with 95% certainty" if math.isfinite(high) else ""

    def __repr__(self) -> str:
        return f"NullTests({self.coefficient}={self.value:.3f}, {len(self.tests)} null values)"


def _or_none(value: float) -> Cell:
    return value if math.isfinite(value) else InPlace("none")


def _how(test: Test) -> str:
    """Say how studies were drawn."""
    assert isinstance(test, MonteCarloTest)
    guess = {
        "uniform": "any label alike",
        "pooled": "each label as often as it was used",
        "own": "each label as often as the rater used it",
    }[test.guesses]
    return (
        f"Each line rests on {test.n_resamples:,} simulated studies of the same size. Raters know "
        f"as many items as gives the null value and guess the others: {guess}."
    )


def _words_table(words: Sequence[Interpretation]) -> Table:
    rows: list[list[Cell]] = [[one.scale.title, one.label, one.verdict] for one in words]
    return Table(
        heads=("scale", "the value is", "with 95% certainty at least"),
        rows=rows,
        caption="In the words of published scales",
    )


def null_tests(
    estimate: Any,
    *,
    nulls: Sequence[float] = WATERMARKS,
    method: str = "monte-carlo",
    alternative: str = "greater",
    scales: Sequence[str] = _WORD_SCALES,
    n_resamples: int | None = None,
    rng: Seed = 0,
    progress: Progress | None = None,
) -> NullTests:
    """Test a coefficient against a ladder of null values.

    A test against 0 shows only that raters do better than chance. Use this to see how much better:
    which of the null values 0, 0.1, ... 0.9 the study rejects. Prefer the interval where one range
    of plausible values is enough.

    Parameters
    ----------
    estimate : Estimate
    nulls : sequence of float, default 0, 0.1, ... 0.9
    method : {"monte-carlo", "auto", "analytic"}
        How each null value is tested; see `Estimate.test`.
    alternative : {"greater", "two-sided", "less"}
    scales : names of published scales, whose words are shown beside the value
    n_resamples : int, optional
        Studies drawn for each null value.
    rng : int or Generator
    progress : callable of (done, total), optional

    Returns
    -------
    NullTests

    References
    ----------
    .. [1] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360 report 2, Bielefeld University. Section 2.2.2.

    Examples
    --------
    >>> from consilience import datasets, gwet_ac
    >>> ladder = null_tests(gwet_ac(datasets.load("di_eugenio_glass_2004_skewed")))
    >>> round(ladder.value, 3), ladder.highest_rejected
    (0.89, 0.8)
    """
    check_word("alternative", alternative, ALTERNATIVES)
    check_word("method", method, METHODS)
    wanted = sorted({float(null) for null in nulls})
    if not wanted:
        raise InputError.expected("nulls", "at least one value", nulls, "for example [0, 0.6]")
    options: dict[str, Any] = {"alternative": alternative, "method": method}
    if method == "monte-carlo":
        options |= {"n_resamples": n_resamples, "rng": rng}
    tests = []
    for place, null in enumerate(wanted):
        tests.append(estimate.test(null, **options))
        if progress is not None:
            progress(place + 1, len(wanted))
    return NullTests(
        coefficient=estimate.coefficient,
        name=estimate.name,
        value=estimate.value,
        interval=_not_rejected(estimate, tests, options),
        n_items=estimate.n_items_used,
        n_raters=estimate.n_raters,
        alternative=alternative,
        method=method,
        tests=tuple(tests),
        words=tuple(interpret(estimate, scale=scale) for scale in scales),
    )


def _not_rejected(estimate: Any, tests: Sequence[Test], options: dict[str, Any]) -> Interval:
    """Return the null values that tests like these keep at 5%, on the side that they look at."""
    below, above = (options["alternative"] != word for word in ("less", "greater"))
    if options["method"] == "monte-carlo":
        low = _end(estimate, tests, options, -1.0) if below else -math.inf
        high = _end(estimate, tests, options, 1.0) if above else math.inf
        return Interval(low, high, 1.0 - _LEVEL, "monte-carlo")
    level = 1.0 - _LEVEL * (1.0 if below and above else 2.0)
    found = estimate.confidence_interval(level, method=options["method"])
    low, high = found.low if below else -math.inf, found.high if above else math.inf
    return Interval(low, high, 1.0 - _LEVEL, found.method)


def _end(estimate: Any, tests: Sequence[Test], options: dict[str, Any], side: float) -> float:
    """Return the limit between null values that are rejected and those that are not, by halving.

    Infinite where none of the null values on that side is rejected.
    """
    value = estimate.value
    beyond = [one for one in tests if side * (one.null - value) > 0.0]
    rejected = [side * one.null for one in beyond if one.p_value <= _LEVEL]
    if not rejected:
        return float(side * math.inf)
    outer = min(rejected)
    inner = max([side * one.null for one in beyond if side * one.null < outer] + [side * value])
    for _ in range(_STEPS):
        middle = (outer + inner) / 2.0
        if estimate.test(side * middle, **options).p_value <= _LEVEL:
            outer = middle
        else:
            inner = middle
    return float(side * inner)
