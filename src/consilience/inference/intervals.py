"""Intervals and tests: from a standard error, from leave-one-out values, from posterior draws."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Indices, Mask, dense, rounded
from consilience.core.draws import RandomStream
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.tails import p_of_tails, quantile, root_between, student_below
from consilience.rows import Rows
from consilience.rows.distinct_rows import join_rows, order_of_labels
from consilience.rows.forms import MomentForm

# ---- Intervals and tests that follow from a value and its standard error.

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")
METHODS = ("auto", "analytic", "monte-carlo")  # of testing a null value

__all__ = ["ALTERNATIVES", "Alternative", "Interval", "Test", "check_confidence_level", "quantile"]


@dataclass(frozen=True, slots=True)
class Test:
    """A test of one null value."""

    statistic: float
    p_value: float
    null: float
    alternative: str
    method: str
    degrees_of_freedom: float | None = None

    __test__ = False  # not a test case, whatever its name suggests to pytest


def wald_interval(
    value: float,
    standard_error: float,
    *,
    confidence_level: float,
    degrees_of_freedom: float | None,
    lowest: float,
    highest: float,
    method: str,
) -> Interval:
    """Return value ± quantile × error, kept inside the coefficient's range.

    Parameters
    ----------
    value, standard_error : float
    confidence_level : float
    degrees_of_freedom : float or None
        Of Student's t; None for the normal distribution.
    lowest, highest : float
        The range of the coefficient.
    method : str
        What the interval says about how it was made.

    Returns
    -------
    Interval
        NaN at both ends without a finite error.

    Examples
    --------
    >>> wald_interval(0.6, 0.1, confidence_level=0.95, degrees_of_freedom=None, lowest=-1.0,
    ...               highest=1.0, method="analytic")
    Interval(0.4040, 0.7960, confidence_level=0.95, method='analytic')
    """
    if not math.isfinite(standard_error):
        return Interval(math.nan, math.nan, confidence_level, method)
    reach = quantile(0.5 + confidence_level / 2.0, degrees_of_freedom) * standard_error
    # A distance without bound can take a coefficient below its usual range; it has no end then.
    floor = lowest if value >= lowest else -math.inf
    low, high = max(value - reach, floor), min(value + reach, highest)
    return Interval(min(low, value), max(high, value), confidence_level, method)


def transformed_interval(
    value: float,
    standard_error: float,
    *,
    confidence_level: float,
    degrees_of_freedom: float | None,
    lowest: float,
    method: str,
) -> Interval:
    """Return the interval of atanh(value), turned back: it never leaves (-1, 1).

    The sampling distribution of a coefficient near 1 is skewed; on Fisher's scale it is less so.

    Parameters
    ----------
    value, standard_error : float
    confidence_level : float
    degrees_of_freedom : float or None
        Of Student's t; None for the normal distribution.
    lowest : float
        The lowest value of the coefficient.
    method : str
        What the interval says about how it was made.

    Returns
    -------
    Interval
        NaN at both ends without a finite error, and at 1.

    Examples
    --------
    >>> transformed_interval(0.9, 0.1, confidence_level=0.95, degrees_of_freedom=19.0, lowest=-1.0,
    ...                      method="transformed")
    Interval(0.3545, 0.9884, confidence_level=0.95, method='transformed')
    """
    if not math.isfinite(standard_error) or abs(value) >= 1.0:
        return Interval(math.nan, math.nan, confidence_level, method)
    centre = math.atanh(value)
    reach = quantile(0.5 + confidence_level / 2.0, degrees_of_freedom) * standard_error
    reach /= 1.0 - value**2
    low = max(math.tanh(centre - reach), min(lowest, value))
    return Interval(low, math.tanh(centre + reach), confidence_level, method)


def wilson_limits(share: Any, n: Any, level: float) -> tuple[Any, Any]:
    """Return Wilson's limits of shares of n answers each; n need not be whole.

    Parameters
    ----------
    share, n : float or numpy.ndarray
    level : float

    Returns
    -------
    tuple of two float or numpy.ndarray

    Examples
    --------
    >>> [round(float(limit), 4) for limit in wilson_limits(0.9, 50, 0.95)]
    [0.7864, 0.9565]
    """
    z = quantile(0.5 + level / 2.0, None)
    centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n)
    inside = np.maximum(share * (1.0 - share), 0.0) / n + z * z / (4.0 * n * n)
    reach = z / (1.0 + z * z / n) * np.sqrt(inside)
    return np.maximum(centre - reach, 0.0), np.minimum(centre + reach, 1.0)


def wald_test(
    value: float,
    standard_error: float,
    *,
    null: float,
    alternative: Alternative,
    degrees_of_freedom: float | None,
    method: str,
) -> Test:
    """Test a null value; an error of zero gives no statistic and no p-value.

    Parameters
    ----------
    value, standard_error : float
    null : float
    alternative : {"two-sided", "greater", "less"}
    degrees_of_freedom : float or None
        Of Student's t; None for the normal distribution.
    method : str
        What the test says about how it was made.

    Returns
    -------
    Test

    Examples
    --------
    >>> found = wald_test(0.6, 0.1, null=0.4, alternative="greater", degrees_of_freedom=None,
    ...                   method="wald")
    >>> round(found.statistic, 6), round(found.p_value, 4)
    (2.0, 0.0228)
    """
    check_word("alternative", alternative, ALTERNATIVES)
    if not math.isfinite(standard_error) or standard_error <= 0.0:
        return Test(math.nan, math.nan, null, alternative, method, degrees_of_freedom)
    statistic = (value - null) / standard_error
    below, above = (student_below(t, degrees_of_freedom) for t in (statistic, -statistic))
    p_value = p_of_tails(below, above, alternative)
    return Test(statistic, p_value, null, alternative, method, degrees_of_freedom)


def perfect_agreement_interval(
    n_items: int, expected: float, *, confidence_level: float
) -> Interval:
    """Clopper-Pearson lower limit on full observed agreement, chance agreement held fixed.

    With n successes in n trials the two-sided lower limit is (tail)^(1/n).

    Parameters
    ----------
    n_items : int
    expected : float
        Chance agreement; 0 for raw agreement.
    confidence_level : float

    Returns
    -------
    Interval

    Examples
    --------
    >>> perfect_agreement_interval(50, 0.5, confidence_level=0.95)
    Interval(0.8578, 1.0000, confidence_level=0.95, method='clopper-pearson')
    """
    tail = (1.0 - confidence_level) / 2.0
    observed_low = tail ** (1.0 / n_items)
    low = (observed_low - expected) / (1.0 - expected)
    return Interval(low, 1.0, confidence_level, "clopper-pearson")


def unanimity_interval(
    n_by_ratings: Mapping[int, int],
    expected: float,
    *,
    n_labels: int | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """Lower limit of a coefficient when every item is unanimous, chance agreement held fixed.

    Prefer it to `perfect_agreement_interval` with more than two raters, where that one is wider
    than it need be; for two raters they are the same.

    Parameters
    ----------
    n_by_ratings : mapping
        Number of items by how many ratings they have; items with one rating do not count.
    expected : float
        Chance agreement; 0 for raw agreement.
    n_labels : int, optional
        How many labels there are; without it, any number.
    confidence_level : float, default 0.95

    Returns
    -------
    Interval

    Notes
    -----
    An item with r ratings on q labels shows at most the disagreement D_r of ratings spread evenly
    over the labels, so a mean disagreement d makes at least d / D_r of such items not unanimous.
    The limit is the d at which all being unanimous has probability (1 - level) / 2, that is
    prod (1 - d / D_r)^n_r; with D_r = 1 it is that of Clopper and Pearson.

    Examples
    --------
    >>> unanimity_interval({5: 40}, 0.5, n_labels=2)
    Interval(0.8943, 1.0000, confidence_level=0.95, method='clopper-pearson')
    """
    level = check_confidence_level(confidence_level)
    pairable = {many: n for many, n in n_by_ratings.items() if many > 1 and n > 0}
    if not pairable or not expected < 1.0:
        return Interval(math.nan, math.nan, level, "clopper-pearson")
    most = {many: _most_disagreement(many, n_labels) for many in pairable}
    tail = math.log((1.0 - level) / 2.0)
    # The items with the tightest bound alone would give a limit that is too far away.
    tightest = min(pairable, key=most.__getitem__)
    disagreement = most[tightest] * -math.expm1(tail / pairable[tightest])

    def excess(d: float) -> float:
        return sum(n * math.log1p(-d / most[many]) for many, n in pairable.items()) - tail

    if len(pairable) > 1:
        disagreement = root_between(excess, 0.0, disagreement, within=1e-15)
    low = 1.0 - disagreement / (1.0 - expected)
    return Interval(low, 1.0, level, "clopper-pearson")


def _most_disagreement(n_ratings: int, n_labels: int | None) -> float:
    """Return the share of pairs that differ when ratings spread evenly over the labels."""
    each, more = divmod(n_ratings, n_labels or n_ratings)
    labels = n_labels or n_ratings
    alike = more * (each + 1) * each + (labels - more) * each * (each - 1)
    return 1.0 - alike / (n_ratings * (n_ratings - 1))


# ---- Limits from leave-one-out values: Student's t where the spread is unsure, shares between
# ends.

_FEWEST_DEGREES = 2.0
_MOST_SKEW = 0.3  # beyond, one unit alone would move a limit out of all proportion
_NO_SKEW = 1e-8
_FEWEST_BOUNDED = 4.0  # degrees of freedom of a value between two ends
_FAILING = 1.0 / 3.0  # of a unit that is yet to come
_MOST_TRIALS = 1e9
_LEVEL = 0.95  # at which few units are given Student's tails


@dataclass(frozen=True)
class SkewedT:
    """A value on a scale where it is about symmetric, its error, and how sure that error is.

    Attributes
    ----------
    centre, error : float
    degrees_of_freedom : float
        Fewer where the tails of what the units contribute are heavy.
    skew : float
        Skewness of what units contribute, by the root of their number: a sample without the few
        units far out has too small a value and too small an error at once. Hall's transformation
        of t allows for that; each limit is the farther one of his and of the plain one, as his
        alone is too near on the short side if both items and raters' errors are skewed.

    References
    ----------
    .. [1] Hall, P. (1992). On the removal of skewness by transformation. Journal of the Royal
       Statistical Society B 54, 221-228. doi:10.1111/j.2517-6161.1992.tb01876.x
    """

    centre: float
    error: float
    degrees_of_freedom: float
    skew: float = 0.0

    @classmethod
    def of(cls, centre: float, left_out: Floats, multiplicity: Floats) -> SkewedT:
        """Take the values without each of n units.

        s^2 = (n - 1) / n sum u^2 of the centred values u. The heavier their tails, the less s is
        known: 2 (n - 1) / (2 + x) degrees of freedom, x the larger of the excess kurtosis and 1.5
        times the squared skewness, both unbiased, and both read with a margin for small n.
        """
        n = float(multiplicity.sum())
        mean = float(multiplicity @ left_out) / n
        u = left_out - mean
        moments = [float(multiplicity @ u**power) / n for power in (2, 3, 4)]
        error = math.sqrt((n - 1.0) * moments[0])
        skewness, heaviness = _shape(n, *moments)
        degrees = 2.0 * (n - 1.0) / (2.0 + heaviness * (1.0 + 8.0 / math.sqrt(n)))
        degrees = min(max(degrees, _FEWEST_DEGREES), n - 1.0)
        skew = min(max(-skewness / math.sqrt(n), -_MOST_SKEW), _MOST_SKEW)
        return cls(centre, error, degrees, skew)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits on the same scale."""
        reach = quantile(0.5 + level / 2.0, self.degrees_of_freedom)
        down, up = max(reach, self._plain(reach)), max(reach, -self._plain(-reach))
        return self.centre - down * self.error, self.centre + up * self.error

    def p_value(self, place: float, alternative: str) -> float:
        """Return the p-value of a place on the scale; the limits hold what it does not reject."""
        t = (self.centre - place) / self.error
        if math.isinf(t):
            return float(alternative == ("less" if t > 0.0 else "greater"))
        both = (t, self._straight(t))
        greater = student_below(-min(both), self.degrees_of_freedom)
        less = student_below(max(both), self.degrees_of_freedom)
        return p_of_tails(less, greater, alternative)

    def _straight(self, t: float) -> float:
        """Return Hall's t, which is about symmetric where units are skewed."""
        r = self.skew
        return t if abs(r) < _NO_SKEW else ((1.0 + r * t / 3.0) ** 3 - 1.0) / r + r / 6.0

    def _plain(self, x: float) -> float:
        """Turn Hall's t back into the plain one."""
        r = self.skew
        return x if abs(r) < _NO_SKEW else 3.0 / r * (math.cbrt(1.0 + r * (x - r / 6.0)) - 1.0)


@dataclass(frozen=True)
class BoundedValue:
    """A value between two ends, as a share of so many independent trials as its error is worth.

    The value's place q between the ends and its leave-one-out variance v are those of a share of
    n = q (1 - q) / v trials, fewer by (z / t)^2 as v itself comes from few units (Korn & Graubard
    1998). Jeffreys' prior of half a hit and half a miss keeps limits off the ends. Units that fail
    may be yet to come: a third of one more whose value is 0 stands in the lower limit.

    Attributes
    ----------
    ends : pair of float
    hits, misses : float
        Of the beta distribution of the upper limit.
    failing : pair of float
        Hits and misses of the part of a unit that fails, in that of the lower limit.

    References
    ----------
    .. [1] Korn, E. L. & Graubard, B. I. (1998). Confidence intervals for proportions with small
       expected number of positive counts estimated from survey data. Survey Methodology 24,
       193-201.
    """

    ends: tuple[float, float]
    hits: float
    misses: float
    failing: tuple[float, float]

    @classmethod
    def of(
        cls, value: float, left_out: Floats, ends: tuple[float, float], times: Floats
    ) -> BoundedValue | None:
        """Take the values without each unit; None if the value is at an end or beyond."""
        wide = ends[1] - ends[0]
        q = (value - ends[0]) / wide
        if not 1e-12 < q < 1.0 - 1e-12:
            return None
        n = float(times.sum())
        u = (left_out - float(times @ left_out) / n) / wide
        moments = [float(times @ u**power) / n for power in (2, 3, 4)]
        heaviness = _shape(n, *moments)[1] * (1.0 + 4.0 / math.sqrt(n))
        degrees = min(max(2.0 * (n - 1.0) / (2.0 + heaviness), _FEWEST_BOUNDED), n - 1.0)
        upper = 0.5 + _LEVEL / 2.0
        fewer = (quantile(upper, None) / quantile(upper, degrees)) ** 2
        variance = (n - 1.0) * moments[0]
        trials = min(fewer * q * (1.0 - q) / variance, _MOST_TRIALS) if variance else _MOST_TRIALS
        nothing = min(max(-ends[0] / wide, 0.0), 1.0)  # where 0 lies between the ends
        failed = _FAILING * trials / n
        return cls(
            ends,
            q * trials + 0.5,
            (1.0 - q) * trials + 0.5,
            (nothing * failed, (1.0 - nothing) * failed),
        )

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits between the ends."""
        from scipy.special import betaincinv

        tail = (1.0 - level) / 2.0
        hits, misses = self._with_failing
        places = (
            float(betaincinv(hits, misses, tail)),
            float(betaincinv(self.hits, self.misses, 1.0 - tail)),
        )
        low, high = (self.ends[0] + (self.ends[1] - self.ends[0]) * place for place in places)
        return low, high

    def p_value(self, null: float) -> float:
        """Return the p-value of the value not exceeding a null value; dual to the lower limit."""
        from scipy.special import betainc

        place = (null - self.ends[0]) / (self.ends[1] - self.ends[0])
        return float(betainc(*self._with_failing, min(max(place, 0.0), 1.0)))

    @property
    def _with_failing(self) -> tuple[float, float]:
        return self.hits + self.failing[0], self.misses + self.failing[1]


def bounded_limits(
    value: float,
    left_out: Floats,
    level: float,
    ends: tuple[float, float] = (-1.0, 1.0),
    multiplicity: Floats | None = None,
) -> tuple[float, float]:
    """Return limits of a value that lies between two ends, from its values without each unit.

    Where all of n units agree fully, the value is at an end: the limit inwards is that of Clopper
    and Pearson (1934) for a share of n of n, the other units taken to be no better than 0. Beyond
    the ends the limits are symmetric.
    """
    times = np.ones(left_out.size) if multiplicity is None else multiplicity
    found = BoundedValue.of(value, left_out, ends, times)
    if found is None:
        return _at_an_end(value, left_out, level, ends, times)
    return found.limits(level)


def bounded_p_value(
    value: float,
    left_out: Floats,
    null: float,
    ends: tuple[float, float] = (-1.0, 1.0),
    multiplicity: Floats | None = None,
) -> float:
    """Return the p-value of the value not exceeding a null value; dual to `bounded_limits`."""
    times = np.ones(left_out.size) if multiplicity is None else multiplicity
    found = BoundedValue.of(value, left_out, ends, times)
    if found is not None:
        return found.p_value(null)
    if math.isclose(value, ends[1], abs_tol=1e-9):
        share = (null - max(ends[0], 0.0)) / (ends[1] - max(ends[0], 0.0))
        return float(min(1.0, max(share, 0.0) ** float(times.sum())))
    return 0.0 if null < value else 1.0


def _at_an_end(
    value: float, left_out: Floats, level: float, ends: tuple[float, float], times: Floats
) -> tuple[float, float]:
    low, high = ends
    inwards = ((1.0 - level) / 2.0) ** (1.0 / float(times.sum()))
    if math.isclose(value, high, abs_tol=1e-9):
        return max(low, 0.0) + (high - max(low, 0.0)) * inwards, high
    if low == 0.0 and math.isclose(value, low, abs_tol=1e-9):
        return low, low + (high - low) * (1.0 - inwards)
    return SkewedT.of(value, left_out, times).limits(level)


def _shape(n: float, second: float, third: float, fourth: float) -> tuple[float, float]:
    """Return G1 and max(G2, 1.5 G1^2) of the unbiased skewness G1 and excess kurtosis G2."""
    if n < 4.0 or second <= 0.0:
        return 0.0, 0.0
    skewness, kurtosis = unbiased_shape(n, second, third, fourth)
    return skewness, max(kurtosis, 1.5 * skewness**2)


def unbiased_shape(n: float, second: float, third: float, fourth: float) -> tuple[float, float]:
    """Return skewness and excess kurtosis of n numbers from their central moments.

    G1 and G2 of Joanes & Gill (1998), doi:10.1111/1467-9884.00122: unbiased for normal numbers.
    """
    skewness = third / second**1.5 * math.sqrt(n * (n - 1.0)) / (n - 2.0)
    plain = fourth / second**2 - 3.0
    kurtosis = (n - 1.0) / ((n - 2.0) * (n - 3.0)) * ((n + 1.0) * plain + 6.0)
    return float(skewness), float(kurtosis)


def reliability_scale(value: Floats | float, m: float) -> Floats:
    """Return log((1 + (m - 1) A) / (1 - A)) of an agreement A of m ratings an item.

    It is the logarithm of the ratio of mean squares between and within items.
    """
    a = np.asarray(value, dtype=np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.log((1.0 + (m - 1.0) * a) / (1.0 - a))


def from_reliability_scale(y: float, m: float) -> float:
    """Turn the logarithm of the ratio back into agreement."""
    if y > 700.0:
        return 1.0
    ratio = math.exp(y)
    return (ratio - 1.0) / (ratio + m - 1.0)


# ---- Posterior draws of a statistic of rows: the items' rows, and a weak prior on rows of few
# kinds.
#
# Each distinct row is one cell of a multinomial distribution. Its probabilities get a Dirichlet
# posterior: gamma weights whose shape is the number of items of that row, and, for rows that nobody
# may have shown yet, small shapes that do not grow with the number of labels: all raters give one
# label, or all but one do, the farther apart the labels the likelier. The totals of weighted rows
# give the statistic, as in a bootstrap, so that one posterior serves all coefficients of a
# distance.
#
# Tried on the tuning designs of the coverage study, and left: the same prior for all distances
# (weighted coefficients cover .935-.945 with two raters, as far disagreements are seen last); twice
# the mass on rows in which one differs (no better); no Student's tails for two raters and three or
# more labels (.943 instead of .949); raters of the prior's rows who count for the part of items
# they rate (kappa with gaps .78 instead of .87).

_UNANIMOUS = 0.5  # prior mass on rows of one label, beside 1 / m
_ONE_DISSENTS = 0.5  # prior mass on rows in which one of the raters differs
_MORE_DISSENT = 0.25  # so much more for the lower limit, with two and three raters
_SPLIT = 0.5  # for the lower limit, with four raters and more: rows on which these split evenly
_DIFFER = 4.0  # items on which raters differ, at which that is half as much
_MANY_DISSENT = 4  # raters from which on one who differs is not the most that an item can show
_SHARED_AGAIN = 0.5  # what a row of one label counts for the lower limit, if an item shows it
_MOST_RARE = 2  # power of the common label's share in such rows
_FEW_RATERS = 5  # from here on, the prior weighs less where raters hardly agree
_FARTHEST_GUESS = 6.0  # errors from chance at which agreement is no longer taken for guesses
_MANY_UNITS = 5_000  # above, Student's t differs from the normal by less than a thousandth
_MANY = 1e9  # weights this large leave no trace of small-sample factors such as N - 1
_UNSEEN = (0.5, 0.25)  # prior mass on an item farther out than any seen, and on one rated wider
_FARTHEST, _WIDEST = 5.0, 1.0  # how much farther and wider at most, as multiples of what was seen
_SKEWED = 1.0  # from which on items count as skewed
_SAME = 1e-12  # how far apart a null value and the value may be through rounding
_MOST_PAIRS = 600  # rows of the prior for pairs of labels, one per dissenting rater


@dataclass(frozen=True)
class PosteriorDraw:
    """Gamma weights of the items' rows and, behind them, of the prior's rows."""

    shapes: Floats
    scales: Floats
    cluster: NDArray[np.int64] | None = None  # of each row, the prior's rows behind the clusters

    @property
    def n_rows(self) -> int:
        """Number of rows that get a weight."""
        return int(self.shapes.size)

    def __call__(self, rng: RandomStream, size: int) -> Floats:
        """Return weights (rows x draws)."""
        drawn = rng.gamma(self.shapes, size)
        drawn *= self.scales[:, None]
        return drawn


@dataclass(frozen=True)
class PriorDraw:
    """Weights of the rows that nobody may have shown yet, for the lower and for the upper limit.

    A label on which raters agreed on no item says nothing of how far they do: rows on which all
    give it lift the upper limit only. Nor is near-perfect agreement known from the few
    disagreements it shows, so that there may be more of them in the lower limit, the fewer the
    more.

    Attributes
    ----------
    alike, apart : array of float
        Shapes of the rows of one label, and of those in which raters differ.
    more : array of float
        What is added to the latter for the lower limit.
    is_shared : array of bool
        Which rows of one label are of one that some item has as often as items have ratings.
    """

    alike: Floats
    apart: Floats
    more: Floats
    is_shared: Mask

    @property
    def n_rows(self) -> int:
        """Number of rows that get a weight."""
        return int(self.alike.size + self.apart.size)

    def __call__(self, rng: RandomStream, size: int) -> tuple[Floats, Floats]:
        """Return weights (rows x draws) for the lower and for the upper limit."""
        k, upper = self.alike.size, np.zeros((self.n_rows, size))
        rng.add_gamma(self.alike, _MANY, upper[:k])
        rng.add_gamma(self.apart, _MANY, upper[k:])
        lower = upper.copy()
        lower[:k] *= np.where(self.is_shared, _SHARED_AGAIN, 0.0)[:, None]
        rng.add_gamma(self.more, _MANY, lower[k:])
        return lower, upper


@dataclass(frozen=True)
class RowsDraw:
    """How to draw the weights of distinct rows, or clusters, and of the prior's rows behind them.

    Attributes
    ----------
    units : PosteriorDraw
    prior : PriorDraw
    cluster : array of int or None
        Of each row, the prior's rows behind the clusters.
    """

    units: PosteriorDraw
    prior: PriorDraw
    cluster: NDArray[np.int64] | None

    @property
    def n_rows(self) -> int:
        """Number of rows that get a weight."""
        return self.units.n_rows + self.prior.n_rows


def posterior_of(
    rows: Rows,
    n_raters: int,
    level: float,
    *,
    cluster: NDArray[np.int64] | None = None,
) -> tuple[Rows, RowsDraw]:
    """Return the rows with the prior's rows behind them, and how to draw their weights.

    Parameters
    ----------
    rows : Rows
        Distinct rows, or one per item where items go together.
    n_raters : int
    level : float
        At which the spread of few units is widened to Student's t.
    cluster : array of int, optional
        The cluster of each row.
    """
    seen, prior = _prior(rows, n_raters)
    units = rows.multiplicity if cluster is None else np.ones(int(cluster.max()) + 1)
    widening = 1.0
    if n_raters > 2 or rows.form.size > 2 or cluster is not None:
        used = rows.multiplicity * rows.pairable if cluster is None else units
        widening = gamma_shape(float(used.sum()), level)
    codes = None
    if cluster is not None:
        codes = np.concatenate([cluster, units.size + np.arange(prior.n_rows)])
    weights = PosteriorDraw(widening * units, np.full(units.size, _MANY / widening))
    return join_rows([_dense_rows(rows), seen]), RowsDraw(weights, prior, codes)


@lru_cache(maxsize=1024)
def gamma_shape(n_units: float, level: float) -> float:
    """Return the shape of gamma weights that give n units the spread of Student's t at a level."""
    if n_units < 3 or n_units > _MANY_UNITS:
        return 1.0  # whole shapes are drawn fastest
    return gamma_shape_of(n_units - 1, n_units, level)


def gamma_shape_of(degrees: float, n_units: float, level: float) -> float:
    """Return the same for Student's t with fewer degrees of freedom than units less one."""
    upper = (1.0 + level) / 2.0
    ratio = quantile(upper, None) / quantile(upper, degrees)
    return ratio**2 * (n_units - 1.0) / (n_units + 1.0)


def posterior_of_values(
    rows: Rows, degrees: float, level: float, *, cluster: NDArray[np.int64] | None = None
) -> tuple[Rows, PosteriorDraw]:
    """Return rows of values with two of the prior behind them, and how to draw their weights.

    A sample of skewed values mostly lacks the few items far out that decide about the coefficient.
    The prior knows of two such items: the farthest one, moved out the more the more items are
    skewed, and the one that raters are most at odds about, likewise.

    Parameters
    ----------
    rows : Rows
        One per item or distinct row.
    degrees : float
        Of freedom of the error: the heavier the tails of what units contribute, the fewer.
    level : float
        At which the spread of the units is widened to Student's t.
    cluster : array of int, optional
        The cluster of each row.

    Notes
    -----
    Tried on the tuning designs: no rows of the prior (.57 to .94 with lognormal items); only the
    farthest item (.83 with lognormal errors); both with their distances as seen (.80); a mass of
    .75 (.69 to .85, too high). Student's t on the scale of mean squares covered as well, with
    limits from -.4 to 1 for one item far out among thirty.
    """
    from consilience.rows.number_rows import one_row

    many = rows.multiplicity * rows.pairable
    mean, far = _mean_and_far_out(rows, many)
    odds = np.sqrt(np.maximum(rows.disagreement, 0.0))
    farthest = first_of_largest(np.abs(far) * (many > 0.0))
    oddest = first_of_largest(odds * (many > 0.0))
    shift, stretch, back = 0.0, 1.0, 0.0
    if isinstance(rows.form, MomentForm) and rows.form.dimensions == 1:
        shift = farther(far, many) * float(far[farthest])
        stretch = wider(odds, many)
        back = (1.0 - stretch) * float(mean[1] + far[oddest])
    units = rows.multiplicity if cluster is None else np.ones(int(cluster.max()) + 1)
    draw = draw_with_unseen(units, degrees, level)
    if cluster is not None:
        codes = np.concatenate([cluster, units.size + np.arange(len(_UNSEEN))])
        draw = PosteriorDraw(draw.shapes, draw.scales, codes)
    prior = [
        one_row(rows, farthest, shift=shift),
        one_row(rows, oddest, stretch=stretch, shift=back),
    ]
    return join_rows([_dense_rows(rows), *prior]), draw


def draw_with_unseen(units: Floats, degrees: float, level: float) -> PosteriorDraw:
    """Return how to draw weights of units, and of the farthest and the oddest item behind them."""
    shape = gamma_shape_of(degrees, float(units.sum()), level)
    return PosteriorDraw(
        np.concatenate([shape * units, _UNSEEN]),
        _MANY * np.concatenate([np.full(units.size, 1.0 / shape), np.ones(len(_UNSEEN))]),
    )


def farther(means: Floats, times: Floats) -> float:
    """Return how much farther out than the farthest item another one may lie, by their skew."""
    margin = 1.0 + 10.0 / math.sqrt(float(times.sum()))
    return min(abs(_skewness(means, times)) * margin, _FARTHEST)


def wider(spreads: Floats, times: Floats) -> float:
    """Return how much wider than the widest item another one may be rated, by their skew."""
    return 1.0 + min(0.5 * max(_skewness(spreads, times) - 0.5, 0.0), _WIDEST)


def first_of_largest(numbers: Floats) -> int:
    """Return the first place of the largest number, whatever rounding makes of equal ones."""
    return int(np.argmax(numbers >= (1.0 - 1e-9) * numbers.max()))


def clearly_skewed(skewness: float, n: float) -> bool:
    """Tell whether n items are skewed by more than chance and by more than an interval can bear."""
    return abs(skewness) > max(_SKEWED, 2.0 * math.sqrt(6.0 / max(n, 1.0)))


def is_skewed(rows: Rows) -> bool:
    """Tell whether the means of items are clearly skewed."""
    many = rows.multiplicity * rows.pairable
    _, far = _mean_and_far_out(rows, many)
    return clearly_skewed(_skewness(far, many), float(many.sum()))


def _mean_and_far_out(rows: Rows, many: Floats) -> tuple[Floats, Floats]:
    """Return the mean of all rows, and how far that of each lies from it; on a line, with sign."""
    mean = np.asarray(rows.vectors @ many) / max(float(many @ rows.ratings), 1.0)
    return mean, _far_out(rows, mean)


def _far_out(rows: Rows, mean: Floats) -> Floats:
    share = dense(rows.vectors) / np.maximum(rows.ratings, 1.0)
    if isinstance(rows.form, MomentForm) and rows.form.dimensions == 1:
        return np.where(rows.ratings > 0.0, share[1] - mean[1], 0.0)
    across = rows.form.apply(mean[:, None])[:, 0]
    own = rows.within / np.maximum(rows.ratings, 1.0) ** 2
    square = share.T @ across - 0.5 * own - 0.5 * float(mean @ across)
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


def _skewness(numbers: Floats, times: Floats) -> float:
    n = float(times.sum())
    u = numbers - float(times @ numbers) / n
    square = float(times @ u**2) / n
    return float(times @ u**3) / n / square**1.5 if square > 0.0 else 0.0


def _prior(rows: Rows, n_raters: int) -> tuple[Rows, PriorDraw]:
    """Return the prior's rows and how to draw their weights."""
    many = rows.multiplicity * rows.pairable
    m = max(2, round(float(many @ rows.ratings) / max(float(many.sum()), 1.0)))
    given = np.asarray(rows.vectors @ many)
    shares = (given + 0.5) / (given + 0.5).sum()
    k = rows.form.size
    dissenters = 1 if rows.by_rater is None else n_raters
    n_shown = max(2, int(0.5 + math.sqrt(0.25 + _MOST_PAIRS / dissenters)))
    labels = order_of_labels(rows.form)
    shown = labels[np.argsort(-rounded(shares[labels]), kind="stable")[:n_shown]]
    places = [(i, j) for i in range(shown.size) for j in range(shown.size) if i != j]
    first, second = np.array(places, dtype=np.intp).T
    pairs = shown[np.stack([first, second], axis=1)]
    distance = _apart(rows, pairs)
    weights = shares[pairs[:, 0]] ** min(m - 1, _MOST_RARE) * shares[pairs[:, 1]] * distance
    trust = _trust(rows, m)
    alike = np.full(k, trust * (_UNANIMOUS + 1.0 / m) / k)
    apart = np.repeat(weights / (dissenters * weights.sum()), dissenters)
    made = [_unanimous(rows, labels, m, n_raters), _with_one_odd(rows, pairs, m, n_raters)]
    differ = float(many @ (rows.disagreement > 0.0))
    seldom = 1.0 / (1.0 + differ / _DIFFER)
    more = _MORE_DISSENT * seldom * apart
    apart = _ONE_DISSENTS * apart
    if m >= _MANY_DISSENT:
        each = first < second
        split = shares[pairs[each, 0]] * shares[pairs[each, 1]] * distance[each]
        made.append(_split_evenly(rows, pairs[each], m, n_raters))
        more = np.concatenate([np.zeros(apart.size), _SPLIT * seldom * split / split.sum()])
        apart = np.concatenate([apart, np.zeros(split.size)])
    is_shared = dense(rows.vectors).max(axis=1, initial=0.0) > m - 0.5
    return join_rows(made), PriorDraw(alike, trust * apart, trust * more, is_shared[labels])


def _trust(rows: Rows, m: int) -> float:
    """Return how much the prior's rows weigh.

    Where many raters only guess, a coefficient has an error of about (2 / (n m (m - 1)))^(1/2),
    and a row on which all agree is worth more than that: it would lift the limits above the truth.
    So it weighs as with five raters, unless agreement lies farther from chance than guesses do.
    """
    many = rows.multiplicity * rows.pairable
    n = float(many.sum())
    if m <= _FEW_RATERS or n == 0.0:
        return 1.0
    given = np.asarray(rows.vectors @ many)
    expected = float(rows.form.quadratic(given[:, None])[0]) / float(given.sum()) ** 2
    beyond = 1.0 - float(many @ rows.disagreement) / n / expected if expected > 0.0 else 1.0
    errors = beyond * math.sqrt(n * m * (m - 1.0) / 2.0)
    guessed = max(0.0, 1.0 - (errors / _FARTHEST_GUESS) ** 2)
    return 1.0 - (1.0 - _FEW_RATERS / m) * guessed


def _apart(rows: Rows, pairs: NDArray[np.intp]) -> Floats:
    """Return the distances of pairs of labels.

    What was not seen yet weighs by how far apart it is: a rare disagreement across the whole scale
    is what moves a weighted coefficient most, and what a small sample shows last.
    """
    apart = np.asarray(rows.form.apply(np.eye(rows.form.size))[pairs[:, 0], pairs[:, 1]])
    return apart if apart.sum() > 0.0 else np.ones(len(pairs))


def _unanimous(rows: Rows, labels: Indices, m: int, n_raters: int) -> Rows:
    """Return a row for each label, which all raters give."""
    given = np.zeros((n_raters, rows.form.size, labels.size))
    given[:, labels, np.arange(labels.size)] = 1.0
    vectors = np.zeros(given.shape[1:])
    vectors[labels, np.arange(labels.size)] = m
    return _made(rows, vectors, m, given)


def _with_one_odd(rows: Rows, pairs: Indices, m: int, n_raters: int) -> Rows:
    """Return rows in which all but one give the first label of a pair and one the second.

    Where rows tell who rated, there is one for each of the raters.
    """
    who = np.zeros(len(pairs), dtype=np.intp)
    if rows.by_rater is not None:
        who = np.tile(np.arange(n_raters), len(pairs))
        pairs = np.repeat(pairs, n_raters, axis=0)
    common, odd, place = pairs[:, 0], pairs[:, 1], np.arange(len(pairs))
    vectors = np.zeros((rows.form.size, len(pairs)))
    vectors[common, place] = m - 1.0
    vectors[odd, place] = 1.0
    given = np.zeros((n_raters if rows.by_rater is not None else 1, *vectors.shape))
    given[:, common, place] = 1.0
    given[who, common, place] = 0.0
    given[who, odd, place] = 1.0
    return _made(rows, vectors, m, given)


def _split_evenly(rows: Rows, pairs: Indices, m: int, n_raters: int) -> Rows:
    """Return rows in which one half gives the one label of a pair, and the other the other."""
    vectors = np.zeros((rows.form.size, len(pairs)))
    for labels in pairs.T:
        vectors[labels, np.arange(len(pairs))] = 0.5 * m
    given = np.broadcast_to(vectors / m, (n_raters, *vectors.shape))
    return _made(rows, vectors, m, given)


def _made(rows: Rows, vectors: Floats, m: int, given: Floats) -> Rows:
    """Return rows of m ratings, with who gave which label where the others tell that, too."""
    n = vectors.shape[1]
    by_rater = None
    if rows.by_rater is not None:
        total = float(rows.multiplicity.sum())
        present = float(rows.ratings @ rows.multiplicity) / (len(given) * total)
        by_rater = (given * present).reshape(-1, n)
    return Rows(rows.form, vectors, np.full(n, float(m)), np.ones(n), by_rater)


def _dense_rows(rows: Rows) -> Rows:
    return Rows(
        rows.form,
        dense(rows.vectors),
        rows.ratings,
        rows.multiplicity,
        None if rows.by_rater is None else dense(rows.by_rater),
        rows.pairs_of_raters,
    )


def limits_of(draws: Floats, level: float) -> tuple[float, float]:
    """Return the equal-tailed limits: order statistics as far from either end."""
    known = np.sort(draws[np.isfinite(draws)])
    if known.size == 0:
        return float("nan"), float("nan")
    rank = max(1, math.floor((known.size + 1) * (1.0 - level) / 2.0 + 1e-9))
    return float(known[rank - 1]), float(known[-rank])


def p_value_of(draws: Floats, null: float, alternative: str = "two-sided") -> float:
    """Return the p-value that is dual to the limits: twice the smaller tail beyond the null."""
    known = draws[np.isfinite(draws)]
    if known.size == 0:
        return float("nan")
    below, above = 1 + int((known <= null).sum()), 1 + int((known >= null).sum())
    return p_of_tails(above / (known.size + 1), below / (known.size + 1), alternative)


@dataclass(frozen=True)
class DrawnValue:
    """A value between draws of it: some for the lower limit and some for the upper one.

    Limits hold the value, and p of a null value is what they leave: below the value the draws for
    the lower limit decide, above it those for the upper one.

    Attributes
    ----------
    value : float
    low, high : array of float
        Draws in which the statistic is defined; the same ones where both limits come from one set.
    """

    value: float
    low: Floats
    high: Floats

    @classmethod
    def of(cls, value: float, low: Floats, high: Floats | None = None) -> DrawnValue:
        """Leave out draws in which the statistic is undefined."""
        lower = low[np.isfinite(low)]
        return cls(value, lower, lower if high is None else high[np.isfinite(high)])

    def limits(self, level: float) -> tuple[float, float]:
        """Return order statistics as far from either end, or the value where it lies beyond."""
        if not (self.low.size and self.high.size):
            return math.nan, math.nan
        place, other = _rank(self.low, level), self.high.size - 1 - _rank(self.high, level)
        low, high = np.partition(self.low, place)[place], np.partition(self.high, other)[other]
        return min(float(low), self.value), max(float(high), self.value)

    def p_value(self, null: float, alternative: str = "two-sided") -> float:
        """Return the p-value that is dual to the limits, one-sided or twice the smaller tail."""
        if not (self.low.size and self.high.size):
            return math.nan
        at_value = math.isclose(null, self.value, abs_tol=_SAME)
        above, below = self._share_up_to(null), self._share_from(null)
        if at_value or null > self.value:
            above = max(above, 0.5)
        if at_value or null < self.value:
            below = max(below, 0.5)
        return p_of_tails(below, above, alternative)

    def probability_above(self, threshold: float) -> float:
        """Return the share of draws above a threshold, of those that its side asks for."""
        draws = self.low if threshold < self.value else self.high
        return float((draws > threshold).mean()) if draws.size else math.nan

    def _share_up_to(self, place: float) -> float:
        return (1 + int(np.count_nonzero(self.low <= place))) / (self.low.size + 1)

    def _share_from(self, place: float) -> float:
        return (1 + int(np.count_nonzero(self.high >= place))) / (self.high.size + 1)


def _rank(draws: Floats, level: float) -> int:
    return max(1, math.floor((draws.size + 1) * (1.0 - level) / 2.0 + 1e-9)) - 1
