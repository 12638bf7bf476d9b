"""Tests of null values, one by one or a ladder of them, and the words of published scales."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.core.resample import Progress, Seed, check_resamples, seed_sequence
from consilience.core.result import Several, Unremarked
from consilience.document import (
    Cell,
    Document,
    InPlace,
    Paragraph,
    PValue,
    Recorded,
    Table,
    plain,
    plain_fields,
)
from consilience.exceptions import InputError
from consilience.inference._benchmarks import Interpretation, interpret
from consilience.inference._null import (
    ChanceDistribution,
    CriticalValue,
    critical_value,
    upper_tails,
)
from consilience.inference.intervals import ALTERNATIVES, METHODS, Test
from consilience.inference.null_model import NullModel

LEVELS = (0.90, 0.95, 0.99)
WATERMARKS = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_WORD_SCALES = ("krippendorff", "rietveld-van-hout", "landis-koch", "green")
_LISTED, _ITEM_BY_ITEM = 9_999, 999  # studies drawn, unless said otherwise
_LEVEL = 0.05
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
    tails = {"greater": above, "less": below, "two-sided": 2.0 * min(above, below)}
    return MonteCarloTest(
        statistic,
        float(min(1.0, tails[alternative])),
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


# -------------------------------------------------------------------- several null values


@dataclass(frozen=True, slots=True, kw_only=True)
class NullTests(Recorded, Unremarked, Several):
    """A coefficient against several null values, and what published scales call it.

    Attributes
    ----------
    tests : tuple of Test
        One for each null value, in rising order.
    words : tuple of Interpretation
        What published scales call the value.
    """

    coefficient: str
    name: str
    value: float
    interval: Any
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
        low, high = self.interval
        reach = f" (95% CI {low:.3f} to {high:.3f})" if math.isfinite(low) else ""
        told = f"{self.name} is {self.value:.3f}{reach}; {self.n_items:,} items, "
        told += f"{self.n_raters:,} raters."
        top = self.highest_rejected
        if self.alternative == "less":
            return told
        if top is None:
            return f"{told} At the 5% level it is above none of these null values."
        return f"{told} At the 5% level it is above null values up to {top:g}."

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
    if alternative not in ALTERNATIVES:
        raise InputError.unknown_word("alternative", alternative, ALTERNATIVES)
    if method not in METHODS:
        raise InputError.unknown_word("method", method, METHODS)
    wanted = sorted({float(null) for null in nulls})
    if not wanted:
        raise InputError.expected("nulls", "at least one value", nulls, "for example [0, 0.6]")
    tests = []
    for place, null in enumerate(wanted):
        options: dict[str, Any] = {}
        if method == "monte-carlo":
            options = {"n_resamples": n_resamples, "rng": rng}
        tests.append(estimate.test(null, alternative=alternative, method=method, **options))
        if progress is not None:
            progress(place + 1, len(wanted))
    return NullTests(
        coefficient=estimate.coefficient,
        name=estimate.name,
        value=estimate.value,
        interval=estimate.confidence_interval(),
        n_items=estimate.n_items_used,
        n_raters=estimate.n_raters,
        alternative=alternative,
        method=method,
        tests=tuple(tests),
        words=tuple(interpret(estimate, scale=scale) for scale in scales),
    )
