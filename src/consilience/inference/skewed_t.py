"""Limits from leave-one-out values: Student's t where the spread is unsure, shares between ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.tails import student_below
from consilience.inference.intervals import quantile

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
        if alternative == "two-sided":
            return min(1.0, 2.0 * min(greater, less))
        return greater if alternative == "greater" else less

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
            ends, q * trials + 0.5, (1.0 - q) * trials + 0.5,
            (nothing * failed, (1.0 - nothing) * failed),
        )  # fmt: skip

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
