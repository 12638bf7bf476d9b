"""How large Gwet's AC1 gets when raters guess, all items or a given share of them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Literal

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.core.resample import Seed, is_whole, seed_sequence
from consilience.exceptions import InputError
from consilience.inference.intervals import check_confidence_level

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
        values = _simulated(n_items, n_raters, n_categories, n_resamples, generator, known=known)
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


def _simulated(
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
