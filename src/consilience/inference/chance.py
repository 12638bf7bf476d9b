"""What chance alone does: permutation tests, and how large values get when raters guess."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Literal

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import (
    Progress,
    RandomStream,
    Seed,
    check_resamples,
    is_whole,
    seed_sequence,
)
from consilience.core.tails import p_of_tails
from consilience.exceptions import InputError
from consilience.inference.intervals import ALTERNATIVES, check_confidence_level
from consilience.inference.resampling import Replicator, Statistic
from consilience.rows import Rows
from consilience.rows.distinct_rows import MovingMetric
from consilience.rows.forms import Form

# ---- Permutation tests: what a statistic would be if raters' labels had nothing to do with items.
#
# Each rater keeps her own labels and the items she rated; only which item got which label is drawn
# anew. Two raters who both rated every item are a cross-table with fixed margins, which can be
# enumerated when it is small.

_MOST_TABLES = 20_000
_ITEMS_FOR_A_CELL = 10  # labels are put in order as quickly as one cell is drawn
_LABELS_AT_ONCE = 1_000_000


@dataclass(frozen=True, slots=True)
class PermutationTest:
    """A test against labels that are independent of the items."""

    statistic: float
    p_value: float
    alternative: str
    method: str  # "exact" or "monte-carlo"
    null_mean: float
    null_sd: float
    null_values: Floats = field(repr=False)

    @property
    def n_resamples(self) -> int:
        """Number of permutations, or of distinct tables when exact."""
        return int(self.null_values.size)


def table_permutation_test(
    statistic: Statistic,
    table: Ints,
    form: Form,
    metric: MovingMetric | None,
    *,
    alternative: str,
    n_resamples: int,
    rng: Seed,
    exact: bool | None,
) -> PermutationTest:
    """Test two complete raters: all cross-tables with their margins, or a sample of them."""
    check_word("alternative", alternative, ALTERNATIVES)
    replicator = Replicator(statistic, _pair_rows(form), metric)
    observed = float(replicator.values(table.reshape(-1, 1).astype(np.float64))[0])
    tables = None
    if exact is not False:
        tables = _all_tables(table.sum(axis=1), table.sum(axis=0))
        if tables is None and exact:
            raise InputError.expected(
                "exact",
                f"asked for where at most {_MOST_TABLES:,} tables exist",
                "more",
                "leave it out: exact=None samples tables instead",
            )
    if tables is not None:
        chances = _table_chances(tables, table)
        values = replicator.values(tables.reshape(len(tables), -1).T.astype(np.float64))
        return _exact_result(observed, values, chances, alternative)
    check_resamples(n_resamples)
    drawn = _drawn_tables(table, n_resamples, RandomStream.of(seed_sequence(rng)))
    values = replicator.values(drawn)
    return monte_carlo_result(observed, values, alternative)


def _drawn_tables(table: Ints, size: int, random: RandomStream) -> Floats:
    """Return cross-tables with the margins of one (cells x tables)."""
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    n, n_cells = int(rows.sum()), (rows.size - 1) * (columns.size - 1)
    out = np.empty((rows.size, columns.size, size))
    if n > _ITEMS_FOR_A_CELL * n_cells:
        left = np.repeat(columns[:, None], size, axis=1)
        for i, row in enumerate(rows[:-1]):  # what it takes of each column is hypergeometric
            wanted, rest = np.full(size, row), left.sum(axis=0)
            for j in range(columns.size - 1):
                rest -= left[j]
                taken = random.hypergeometric(left[j], rest, wanted)
                wanted -= taken
                left[j] -= taken
                out[i, j] = taken
            left[-1] -= wanted
            out[i, -1] = wanted
        out[-1] = left
        return out.reshape(-1, size)
    row, column = (np.repeat(np.arange(margin.size), margin) for margin in (rows, columns))
    step = max(1, _LABELS_AT_ONCE // n)
    for start in range(0, size, step):
        here = min(step, size - start)
        cell = row * columns.size + column[random.permutations(n, here)]
        cell += table.size * np.arange(here)[:, None]
        counts = np.bincount(cell.ravel(), minlength=table.size * here)
        out[:, :, start : start + here] = counts.reshape(here, *table.shape).transpose(1, 2, 0)
    return out.reshape(-1, size)


def rating_permutation_test(
    statistic: Statistic,
    observed: float,
    entries: tuple[Ints, Ints, Ints],
    *,
    form: Form,
    metric: MovingMetric | None,
    by_rater: bool,
    alternative: str,
    n_resamples: int,
    rng: Seed,
    progress: Progress | None = None,
) -> PermutationTest:
    """Test any number of raters, with any ratings missing, by shuffling each rater's labels.

    `entries` are the codes of item, rater and label of each rating.
    """
    check_word("alternative", alternative, ALTERNATIVES)
    check_resamples(n_resamples)
    order = np.argsort(entries[1], kind="stable")
    item, rater, label = (codes[order] for codes in entries)
    ends = np.flatnonzero(np.diff(rater)) + 1
    slices = np.split(np.arange(rater.size), ends)
    n_items, size = int(item.max()) + 1, form.size
    n_raters = int(rater.max()) + 1
    ratings = np.bincount(item, minlength=n_items).astype(np.float64)
    generator = RandomStream.of(seed_sequence(rng))
    values = np.empty(n_resamples)
    everyone = np.ones((n_items, 1))
    shuffled = label.copy()
    for b in range(n_resamples):
        for own in slices:
            shuffled[own] = label[own[generator.permutation(own.size)]]
        vectors = np.bincount(shuffled * n_items + item, minlength=size * n_items)
        who = None
        if by_rater:
            key = (rater * size + shuffled) * n_items + item
            times = np.bincount(key, minlength=n_raters * size * n_items)
            who = times.reshape(n_raters * size, n_items).astype(np.float64)
        rows = Rows(
            form, vectors.reshape(size, n_items).astype(np.float64), ratings, everyone[:, 0], who
        )
        values[b] = Replicator(statistic, rows, metric).values(everyone)[0]
        if progress is not None and b % 100 == 99:
            progress(b + 1, n_resamples)
    return monte_carlo_result(observed, values, alternative)


def monte_carlo_result(observed: float, values: Floats, alternative: str) -> PermutationTest:
    """Return the test from sampled permutations: p = (1 + extreme ones) / (B + 1)."""
    defined = values[np.isfinite(values)]
    near = 1e-12 * max(1.0, abs(observed))
    above = (1.0 + np.count_nonzero(defined >= observed - near)) / (defined.size + 1.0)
    below = (1.0 + np.count_nonzero(defined <= observed + near)) / (defined.size + 1.0)
    return PermutationTest(
        observed,
        p_of_tails(below, above, alternative),
        alternative,
        "monte-carlo",
        float(defined.mean()),
        float(defined.std()),
        values,
    )


def _exact_result(
    observed: float, values: Floats, chances: Floats, alternative: str
) -> PermutationTest:
    defined = np.isfinite(values)
    values, chances = values[defined], chances[defined] / chances[defined].sum()
    near = 1e-12 * max(1.0, abs(observed))
    above = float(chances[values >= observed - near].sum())
    below = float(chances[values <= observed + near].sum())
    mean = float(chances @ values)
    sd = math.sqrt(float(chances @ (values - mean) ** 2))
    p_value = p_of_tails(below, above, alternative)
    return PermutationTest(observed, p_value, alternative, "exact", mean, sd, values)


def _pair_rows(form: Form) -> Rows:
    """Return one row for each pair of labels that two raters can give."""
    q = form.size
    first, second = np.divmod(np.arange(q * q), q)
    identity = np.eye(q)
    who = np.concatenate([identity[:, first], identity[:, second]])
    return Rows(form, who[:q] + who[q:], np.full(q * q, 2.0), np.ones(q * q), who)


def _all_tables(rows: Ints, columns: Ints) -> Ints | None:
    """List all tables with the given margins; None if there are too many."""
    tables = []
    for table in _fill(rows.tolist(), columns.tolist()):
        tables.append(table)
        if len(tables) > _MOST_TABLES:
            return None
    return np.array(tables, dtype=np.int64)


def _fill(rows: list[int], columns: list[int]) -> Iterator[list[list[int]]]:
    if len(rows) == 1:
        yield [columns]
        return
    for row in _split(rows[0], columns):
        rest = [c - x for c, x in zip(columns, row, strict=True)]
        for below in _fill(rows[1:], rest):
            yield [row, *below]


def _split(total: int, limits: list[int]) -> Iterator[list[int]]:
    """Yield all ways to share a total over cells with upper limits."""
    if len(limits) == 1:
        if total <= limits[0]:
            yield [total]
        return
    room = sum(limits[1:])
    for x in range(max(0, total - room), min(total, limits[0]) + 1):
        for rest in _split(total - x, limits[1:]):
            yield [x, *rest]


def _table_chances(tables: Ints, observed: Ints) -> Floats:
    """Return the probability of each table given its margins (multiple hypergeometric)."""
    from scipy.special import gammaln

    constant = (
        gammaln(observed.sum(axis=0) + 1).sum()
        + gammaln(observed.sum(axis=1) + 1).sum()
        - gammaln(observed.sum() + 1)
    )
    return np.asarray(np.exp(constant - gammaln(tables + 1).sum(axis=(1, 2))))


# ---- How large Gwet's AC1 gets when raters guess, all items or a given share of them.

_EXACT_ITEMS = 2_000  # items up to which two raters and two labels are enumerated
_MOST_PATTERNS = 5_000  # ways to split an item's ratings over labels that are listed
_CELLS = 4_000_000  # numbers held at a time
_DECIMALS = 12  # equal values of AC1 can differ in their last digits


@dataclass(frozen=True, slots=True)
class CriticalValue:
    """The smallest value that counts as more than guessing, and how often guessing reaches it."""

    level: float
    value: float
    tail: float


class ChanceDistribution:
    """What a statistic is by chance alone: its critical values, and how likely a value is."""

    __slots__ = ()
    critical_values: tuple[CriticalValue, ...]
    n_resamples: int | None
    _values: Floats
    _tails: Floats

    def __getitem__(self, level: float) -> float:
        for one in self.critical_values:
            if math.isclose(one.level, level):
                return one.value
        raise KeyError(level)

    def p_value(self, value: float) -> float:
        """Return how likely chance reaches this value; simulated values never give 0."""
        return tail_probability(self._values, self._tails, value, self.n_resamples)


@dataclass(frozen=True, slots=True)
class GuessingDistribution(ChanceDistribution):
    """AC1 when every rating is an independent, uniform guess, or is known with chance `null`.

    Attributes
    ----------
    null : float
        The value of AC1 in a very large study: the share of items that raters do not guess.
    critical_values : tuple of CriticalValue
        One for each level; the value is NaN where guessing reaches even AC1 = 1 too often.
    mean, standard_deviation : float
        Of AC1 under guessing; the mean is positive.
    method : str
        "exact" or "monte-carlo".
    """

    n_items: int
    n_raters: int
    n_categories: int
    method: Literal["exact", "monte-carlo"]
    n_resamples: int | None
    critical_values: tuple[CriticalValue, ...]
    mean: float
    standard_deviation: float
    _values: Floats = field(repr=False, compare=False)
    _tails: Floats = field(repr=False, compare=False)
    null: float = 0.0


def ac1_critical_values(
    *,
    n_items: int,
    n_raters: int,
    n_categories: int,
    null: float = 0.0,
    levels: Sequence[float] = (0.90, 0.95, 0.99),
    n_resamples: int = 100_000,
    rng: Seed = 0,
) -> GuessingDistribution:
    """Critical values of Gwet's AC1 against raters who guess.

    Use it to read an AC1 from few items, where dividing it by a standard error misleads. Prefer the
    permutation test of the estimate when the labels are not equally likely: this null hypothesis is
    narrow, as every label must be as likely as any other.

    Parameters
    ----------
    n_items, n_raters, n_categories : int
    null : float, default 0
        The null value, from 0 to below 1: the share of items that raters know, all labels being
        equally common; they guess the others. `Estimate.test` takes the labels of a study.
    levels : sequence of float
        For each, the critical value is the smallest AC1 that guessing reaches with a probability of
        at most 1 - level.
    n_resamples : int
        Simulated studies. Two raters and two labels are enumerated exactly up to 2,000 items.
    rng : int or Generator

    Returns
    -------
    GuessingDistribution

    Raises
    ------
    InputError
        Fewer than one item, two raters or two categories; a level outside 0 to 1.

    Notes
    -----
    AC1 depends on how many items show each split of their ratings over the labels; whole studies
    are drawn as multinomial counts of these splits, so time does not grow with the items.

    References
    ----------
    .. [1] Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of
       high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.
       doi:10.1348/000711006X126600
    .. [2] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360 report 2, Bielefeld University.

    Examples
    --------
    >>> guessing = ac1_critical_values(n_items=10, n_raters=2, n_categories=2)
    >>> round(guessing[0.95], 3), round(guessing.p_value(0.7), 3)
    (0.615, 0.014)
    >>> half = ac1_critical_values(n_items=50, n_raters=2, n_categories=2, null=0.5)
    >>> round(half[0.95], 3)
    0.694
    """
    for what, number, least in (
        ("n_items", n_items, 1),
        ("n_raters", n_raters, 2),
        ("n_categories", n_categories, 2),
        ("n_resamples", n_resamples, 100),
    ):
        if not is_whole(number) or number < least:
            raise InputError.expected(
                what, f"a whole number of {least} or more", number, "check what was passed"
            )
    if not isinstance(null, Real) or not 0.0 <= null < 1.0:
        raise InputError.expected("null", "a number from 0 to below 1", null, "for example 0.6")
    wanted = [check_confidence_level(level) for level in levels]
    exact = n_raters == n_categories == 2 and n_items <= _EXACT_ITEMS
    known = float(null)
    if exact:
        values, chances = _enumerated(n_items, known)
    else:
        generator = RandomStream.of(seed_sequence(rng))
        values = _simulated_ac1(
            n_items, n_raters, n_categories, n_resamples, generator, known=known
        )
        chances = np.full(values.size, 1.0 / values.size)
    mean = float(chances @ values)
    deviation = math.sqrt(float(chances @ (values - mean) ** 2))
    distinct, tails = upper_tails(values, chances)
    return GuessingDistribution(
        n_items,
        n_raters,
        n_categories,
        "exact" if exact else "monte-carlo",
        None if exact else n_resamples,
        tuple(critical_value(level, distinct, tails) for level in wanted),
        mean,
        deviation,
        distinct,
        tails,
        known,
    )


def upper_tails(values: Floats, chances: Floats) -> tuple[Floats, Floats]:
    """Return the attainable values, rising, and how likely each is reached or exceeded."""
    distinct, place = np.unique(np.round(values, _DECIMALS), return_inverse=True)
    mass = np.bincount(place.ravel(), weights=chances)
    return distinct, np.cumsum(mass[::-1], dtype=np.float64)[::-1]


def critical_value(level: float, distinct: Floats, tails: Floats) -> CriticalValue:
    """Return the smallest value that is reached with a chance of at most 1 - level."""
    place = int(np.argmax(tails <= 1.0 - level + 1e-12))
    if tails[place] > 1.0 - level + 1e-12:
        return CriticalValue(level, math.nan, math.nan)
    return CriticalValue(level, float(distinct[place]), float(tails[place]))


def tail_probability(values: Floats, tails: Floats, value: float, n_resamples: int | None) -> float:
    """Return how likely a value is reached; of simulated values it is never 0."""
    place = int(np.searchsorted(values, value - 10.0**-_DECIMALS))
    tail = float(tails[place]) if place < tails.size else 0.0
    if n_resamples is None:
        return tail
    return (1.0 + round(tail * n_resamples)) / (n_resamples + 1.0)


def _ac1(agreement: Floats, squares: Floats, n_categories: int) -> Floats:
    """Return AC1 from observed agreement and the summed squares of the labels' shares."""
    expected = (1.0 - squares) / (n_categories - 1)
    return np.asarray((agreement - expected) / (1.0 - expected))


def _enumerated(n_items: int, known: float) -> tuple[Floats, Floats]:
    """List every outcome of two raters and two labels: both first, both second, different."""
    from scipy.special import gammaln

    both, other = np.meshgrid(np.arange(n_items + 1.0), np.arange(n_items + 1.0))
    possible = both + other <= n_items
    both, other = both[possible], other[possible]
    differ = n_items - both - other
    log_chance = gammaln(n_items + 1) - gammaln(both + 1) - gammaln(other + 1)
    log_chance -= gammaln(differ + 1)
    log_chance += (both + other) * math.log((1.0 + known) / 4.0)
    log_chance += differ * math.log((1.0 - known) / 2.0)
    share = (both + differ / 2.0) / n_items
    return _ac1(1.0 - differ / n_items, share**2 + (1.0 - share) ** 2, 2), np.exp(log_chance)


def _simulated_ac1(
    n_items: int,
    n_raters: int,
    n_categories: int,
    n_resamples: int,
    rng: RandomStream,
    *,
    known: float,
) -> Floats:
    few = math.comb(n_raters + n_categories - 1, n_categories - 1) <= _MOST_PATTERNS
    draw = _studies_by_split if few else _studies_by_item
    studies = draw(n_items, n_raters, n_categories, n_resamples, rng, known=known)
    parts = [_ac1(agreement, squares, n_categories) for agreement, squares in studies]
    return np.concatenate(parts)


def _studies_by_split(
    n_items: int,
    n_raters: int,
    n_categories: int,
    n_resamples: int,
    rng: RandomStream,
    *,
    known: float,
) -> Iterator[tuple[Floats, Floats]]:
    """Draw how many items show each split; agreement and shares follow from these counts."""
    splits = np.array(list(_splits(n_raters, n_categories)), dtype=np.float64)
    log_factorials = np.array([math.lgamma(k + 1) for k in range(n_raters + 1)])
    log_ways = log_factorials[n_raters] - log_factorials[splits.astype(np.intp)].sum(axis=1)
    guessed = np.exp(log_ways - n_raters * math.log(n_categories))
    alike = (splits == n_raters).any(axis=1) / n_categories
    chances = (1.0 - known) * guessed + known * alike
    agree = (splits * (splits - 1.0)).sum(axis=1) / (n_raters * (n_raters - 1.0))
    for size in _batches(n_resamples, len(splits)):
        counts = rng.multinomial(n_items, chances / chances.sum(), size=size)
        shares = counts @ splits / (n_items * n_raters)
        yield counts @ agree / n_items, (shares**2).sum(axis=1)


def _studies_by_item(
    n_items: int,
    n_raters: int,
    n_categories: int,
    n_resamples: int,
    rng: RandomStream,
    *,
    known: float,
) -> Iterator[tuple[Floats, Floats]]:
    """Draw the split of every single item, where there are too many splits to list."""
    uniform = np.full(n_categories, 1.0 / n_categories)
    for size in _batches(n_resamples, n_items * n_categories):
        n_bik = rng.multinomial(n_raters, uniform, size=(size, n_items)).astype(np.float64)
        if known:
            alike = n_raters * rng.multinomial(1, uniform, size=(size, n_items))
            n_bik = np.where(rng.random((size, n_items, 1)) < known, alike, n_bik)
        agree = (n_bik * (n_bik - 1.0)).sum(axis=(1, 2)) / (n_raters * (n_raters - 1.0) * n_items)
        shares = n_bik.sum(axis=1) / (n_items * n_raters)
        yield agree, (shares**2).sum(axis=1)


def _splits(n_raters: int, n_categories: int) -> Iterator[tuple[int, ...]]:
    if n_categories == 1:
        yield (n_raters,)
        return
    for first in range(n_raters + 1):
        for rest in _splits(n_raters - first, n_categories - 1):
            yield (first, *rest)


def _batches(n_resamples: int, cells: int) -> Iterator[int]:
    at_once = max(1, _CELLS // max(cells, 1))
    for start in range(0, n_resamples, at_once):
        yield min(at_once, n_resamples - start)


# ---- How large Spearman's and Kendall's correlations get when two rankings have nothing in common.

STATISTICS = ("spearman", "kendall")
_EXACT_SPEARMAN = 12  # items up to which all rankings are counted
_MOST_KENDALL = 500  # items; the number of different values grows with their square


@dataclass(frozen=True, slots=True)
class RankNull(ChanceDistribution):
    """A rank correlation when every ranking is as likely as any other.

    Attributes
    ----------
    statistic : {"spearman", "kendall"}
    critical_values : tuple of CriticalValue
        One for each level; the value is NaN where even full agreement is reached too often.
    method : {"exact", "monte-carlo"}
    """

    statistic: str
    n_items: int
    method: Literal["exact", "monte-carlo"]
    n_resamples: int | None
    critical_values: tuple[CriticalValue, ...]
    _values: Floats = field(repr=False, compare=False)
    _tails: Floats = field(repr=False, compare=False)


def rank_critical_values(
    *,
    n_items: int,
    statistic: str = "spearman",
    levels: Sequence[float] = (0.90, 0.95, 0.99),
    n_resamples: int = 100_000,
    rng: Seed = 0,
) -> RankNull:
    """Critical values of Spearman's rho or Kendall's tau for rankings without ties.

    Use it to read a rank correlation of few items, as from the tables of textbooks. Prefer the test
    of `magnitudes.spearman` or `magnitudes.kendall_tau` with many items or with ties.

    Parameters
    ----------
    n_items : int
        At least 3; for Kendall's tau at most 500.
    statistic : {"spearman", "kendall"}
    levels : sequence of float
        For each, the critical value is the smallest correlation that chance reaches with a
        probability of at most 1 - level: 0.95 is the one-sided level of 5 %, 0.975 the two-sided.
    n_resamples : int
        Simulated rankings; rho is counted exactly up to 12 items, tau always.
    rng : int or Generator

    Returns
    -------
    RankNull

    Raises
    ------
    InputError
        Too few or too many items, an unknown statistic, or a level outside 0 to 1.

    Notes
    -----
    rho = 1 - 6 sum d^2 / (n (n^2 - 1)); tau = (n_c - n_d) / (n (n - 1) / 2), so that a critical
    difference n_c - n_d, as some tables print it, is tau times n (n - 1) / 2.

    References
    ----------
    .. [1] Kendall, M. G. (1938). A new measure of rank correlation. Biometrika 30, 81-93.
       doi:10.1093/biomet/30.1-2.81
    .. [2] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360 report 2, Bielefeld University.

    Examples
    --------
    >>> round(rank_critical_values(n_items=10)[0.95], 3)  # as tabled: 0.564
    0.564
    >>> tau = rank_critical_values(n_items=10, statistic="kendall")
    >>> round(tau[0.95] * 45)  # concordant less discordant pairs
    21
    """
    _check_items(n_items, statistic)
    if not is_whole(n_resamples) or n_resamples < 100:
        raise InputError.expected(
            "n_resamples", "a whole number of 100 or more", n_resamples, "check what was passed"
        )
    wanted = [check_confidence_level(level) for level in levels]
    exact = statistic == "kendall" or n_items <= _EXACT_SPEARMAN
    if statistic == "kendall":
        values, chances = _kendall(n_items)
    elif exact:
        values, chances = _spearman(n_items)
    else:
        values = _simulated_correlations(n_items, n_resamples, RandomStream.of(seed_sequence(rng)))
        chances = np.full(values.size, 1.0 / values.size)
    distinct, tails = upper_tails(values, chances)
    return RankNull(
        statistic,
        n_items,
        "exact" if exact else "monte-carlo",
        None if exact else n_resamples,
        tuple(critical_value(level, distinct, tails) for level in wanted),
        distinct,
        tails,
    )


def _check_items(n_items: int, statistic: str) -> None:
    check_word("statistic", statistic, STATISTICS)
    if not is_whole(n_items) or n_items < 3:
        raise InputError.expected(
            "n_items", "a whole number of 3 or more", n_items, "check what was passed"
        )
    if statistic == "kendall" and n_items > _MOST_KENDALL:
        hint = "with so many items use the test of magnitudes.kendall_tau"
        raise InputError.expected("n_items", f"at most {_MOST_KENDALL:,}", n_items, hint)


def _kendall(n: int) -> tuple[Floats, Floats]:
    """Return tau and its chances: the k-th item lies above 0 to k - 1 of those before it."""
    chances: Floats = np.ones(1)
    for k in range(2, n + 1):
        longer = np.concatenate([chances, np.zeros(k - 1)])
        summed = np.cumsum(longer)
        summed[k:] -= summed[:-k].copy()
        chances = np.maximum(summed, 0.0) / k
    pairs = n * (n - 1) / 2
    discordant = np.arange(chances.size, dtype=np.float64)
    return 1.0 - 2.0 * discordant / pairs, chances


def _spearman(n: int) -> tuple[Floats, Floats]:
    """Return rho and its chances, by the sums of squared differences of partial rankings.

    After k items a partial ranking is the set of ranks given away; sets of equal size follow from
    those with one rank less.
    """
    most = n * (n * n - 1) // 3  # sum of d^2 of the reversed ranking
    layer = {0: np.concatenate([[1.0], np.zeros(most)])}
    for k in range(n):
        following: dict[int, Floats] = {}
        for taken, ways in layer.items():
            for rank in range(n):
                if taken >> rank & 1:
                    continue
                more = (k - rank) ** 2
                target = following.setdefault(taken | 1 << rank, np.zeros(most + 1))
                target[more:] += ways[: most + 1 - more]
        layer = following
    ways = layer[(1 << n) - 1]
    possible = ways > 0
    squares = np.arange(most + 1, dtype=np.float64)[possible]
    return 1.0 - 6.0 * squares / (n * (n * n - 1)), ways[possible] / ways.sum()


def _simulated_correlations(n: int, n_resamples: int, rng: RandomStream) -> Floats:
    ranks = np.arange(n, dtype=np.float64)
    parts = []
    for start in range(0, n_resamples, max(1, _CELLS // n)):
        size = min(max(1, _CELLS // n), n_resamples - start)
        drawn = rng.permutations(n, size)
        parts.append(1.0 - 6.0 * ((drawn - ranks) ** 2).sum(axis=1) / (n * (n * n - 1.0)))
    return np.concatenate(parts)
