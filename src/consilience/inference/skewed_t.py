"""Student's t for leave-one-out values whose spread is itself unsure, as with skewed numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.tails import student_below
from consilience.inference.intervals import quantile

_FEWEST_DEGREES = 2.0


@dataclass(frozen=True)
class SkewedT:
    """A value on a scale where it is about symmetric, its error, and how sure that error is."""

    centre: float
    error: float
    degrees_of_freedom: float

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
        excess = _heaviness(n, *moments) * (1.0 + 4.0 / math.sqrt(n))
        degrees = 2.0 * (n - 1.0) / (2.0 + excess)
        return cls(centre, error, min(max(degrees, _FEWEST_DEGREES), n - 1.0))

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits on the same scale."""
        reach = quantile(0.5 + level / 2.0, self.degrees_of_freedom) * self.error
        return self.centre - reach, self.centre + reach


def bounded_limits(
    value: float,
    left_out: Floats,
    level: float,
    ends: tuple[float, float] = (-1.0, 1.0),
    multiplicity: Floats | None = None,
) -> tuple[float, float]:
    """Return limits of a value that lies between two ends, from its values without each unit.

    Fisher's scale between the ends (for 0 and 1 that is the logit) keeps the skew near them small.
    The error is that of the left-out values over the slope there, so that one at an end counts.
    Where all of n units agree fully, the value is at an end: the limit inwards is that of Clopper
    and Pearson (1934) for a share of n of n, the other units taken to be no better than 0. Beyond
    the ends there is no scale, and the limits are symmetric.
    """
    times = np.ones(left_out.size) if multiplicity is None else multiplicity
    spread = _on_fishers_scale(value, left_out, ends, times)
    if spread is None:
        return _at_an_end(value, left_out, level, ends, times)
    low, half = ends[0], (ends[1] - ends[0]) / 2.0
    reached = [low + half * (1.0 + math.tanh(y)) for y in spread.limits(level)]
    return reached[0], reached[1]


def bounded_p_value(
    value: float,
    left_out: Floats,
    null: float,
    ends: tuple[float, float] = (-1.0, 1.0),
    multiplicity: Floats | None = None,
) -> float:
    """Return the p-value of the value not exceeding a null value; dual to `bounded_limits`."""
    times = np.ones(left_out.size) if multiplicity is None else multiplicity
    spread = _on_fishers_scale(value, left_out, ends, times)
    half = (ends[1] - ends[0]) / 2.0
    place = (null - ends[0]) / half - 1.0
    if spread is not None and abs(place) < 1.0:
        if spread.error == 0.0:
            return 0.0 if null < value else 1.0
        t = (spread.centre - math.atanh(place)) / spread.error
        return student_below(-t, spread.degrees_of_freedom)
    if spread is None and math.isclose(value, ends[1], abs_tol=1e-9):
        share = (null - max(ends[0], 0.0)) / (ends[1] - max(ends[0], 0.0))
        return float(min(1.0, max(share, 0.0) ** float(times.sum())))
    return 0.0 if null < value else 1.0


def _on_fishers_scale(
    value: float, left_out: Floats, ends: tuple[float, float], times: Floats
) -> SkewedT | None:
    half = (ends[1] - ends[0]) / 2.0
    place = (value - ends[0]) / half - 1.0
    if abs(place) >= 1.0 - 1e-12:
        return None
    slope = half * (1.0 - place**2)
    return SkewedT.of(math.atanh(place), left_out / slope, times)


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


def gamma_shape(n_units: float, level: float) -> float:
    """Return the shape of gamma weights that give n units the spread of Student's t at a level."""
    if n_units < 3:
        return 1.0
    upper = (1.0 + level) / 2.0
    ratio = quantile(upper, None) / quantile(upper, n_units - 1.0)
    return ratio**2 * (n_units - 1.0) / (n_units + 1.0)


def _heaviness(n: float, second: float, third: float, fourth: float) -> float:
    """Return max(G2, 1.5 G1^2) of the unbiased skewness G1 and excess kurtosis G2."""
    if n < 4.0 or second <= 0.0:
        return 0.0
    skewness = third / second**1.5 * math.sqrt(n * (n - 1.0)) / (n - 2.0)
    plain = fourth / second**2 - 3.0
    kurtosis = (n - 1.0) / ((n - 2.0) * (n - 3.0)) * ((n + 1.0) * plain + 6.0)
    return max(float(kurtosis), 1.5 * float(skewness) ** 2)


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
