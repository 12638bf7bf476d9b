"""Intervals from replicates of a statistic."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.core.tails import normal_below
from consilience.exceptions import DegenerateDataWarning, InputError, warn
from consilience.inference.intervals import Interval, check_confidence_level, quantile

_WARN_UNDEFINED = 0.01
_REFUSE_UNDEFINED = 0.20
_TIE = 1e-10  # of the largest replicate


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Replicates of one statistic, and what can be read off them.

    Attributes
    ----------
    value : float
        The statistic on the data themselves.
    values : numpy.ndarray
        The replicates that are defined.
    n_resamples, n_undefined : int
        How many were drawn, and on how many of them the statistic does not exist.
    by : str
        What was drawn: "item", "cluster", "rater" or "both".
    """

    value: float
    values: Floats = field(repr=False)
    n_resamples: int
    n_undefined: int
    by: str

    @classmethod
    def of(cls, value: float, replicates: Floats, by: str) -> Bootstrap:
        """Keep the replicates that are defined, and say when many are not."""
        defined = replicates[np.isfinite(replicates)]
        undefined = int(replicates.size - defined.size)
        share = undefined / replicates.size
        if _WARN_UNDEFINED < share <= _REFUSE_UNDEFINED:
            warn(
                f"The coefficient is undefined on {share:.0%} of the resamples; they are left "
                "out of the interval.",
                DegenerateDataWarning,
            )
        return cls(value, defined, int(replicates.size), undefined, by)

    @property
    def undefined_share(self) -> float:
        """Share of resamples on which the statistic does not exist."""
        return self.n_undefined / self.n_resamples

    @property
    def standard_error(self) -> float:
        """Standard deviation of the replicates."""
        return float(self.values.std(ddof=1)) if self.values.size > 1 else math.nan

    @property
    def bias(self) -> float:
        """Mean of the replicates minus the value."""
        return float(self.values.mean() - self.value) if self.values.size else math.nan

    def percentile(self, confidence_level: float = 0.95) -> Interval:
        """Return the middle part of the replicates."""
        level = check_confidence_level(confidence_level)
        return self._interval(level, "percentile", *self._tails(level))

    def basic(self, confidence_level: float = 0.95) -> Interval:
        """Return the replicates' middle part reflected about the value."""
        level = check_confidence_level(confidence_level)
        low, high = self._tails(level)
        return self._interval(level, "basic", 2 * self.value - high, 2 * self.value - low)

    def bca(
        self,
        left_out: Floats,
        multiplicity: Floats | None = None,
        *,
        confidence_level: float = 0.95,
    ) -> Interval:
        """Return the bias-corrected and accelerated interval of Efron (1987).

        `left_out` holds the values without each item (or cluster), which occurs `multiplicity`
        times.
        """
        level = check_confidence_level(confidence_level)
        if self._hopeless or np.ptp(self.values) == 0.0:
            return self._interval(level, "bca", *self._tails(level))
        # A replicate that only rounding tells from the value is a tie on every processor.
        apart = self.values - self.value
        slack = _TIE * float(np.abs(self.values).max())
        below = float(np.mean(apart < -slack)) + 0.5 * float(np.mean(np.abs(apart) <= slack))
        below = min(max(below, 0.5 / self.values.size), 1.0 - 0.5 / self.values.size)
        shift = quantile(below, None)
        acceleration = bca_acceleration(left_out, multiplicity)
        ends = []
        for tail in ((1.0 - level) / 2.0, (1.0 + level) / 2.0):
            z = shift + quantile(tail, None)
            ends.append(normal_below(shift + z / (1.0 - acceleration * z)))
        low, high = np.quantile(self.values, sorted(ends))
        return self._interval(level, "bca", float(low), float(high))

    def studentised(
        self, pivots: Floats, standard_error: float, *, confidence_level: float = 0.95
    ) -> Interval:
        """Return the interval from the replicates' own t statistics."""
        level = check_confidence_level(confidence_level)
        usable = pivots[np.isfinite(pivots)]
        if self._hopeless or usable.size < 2:
            return self._interval(level, "studentised", math.nan, math.nan)
        low, high = np.quantile(usable, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        return self._interval(
            level,
            "studentised",
            self.value - float(high) * standard_error,
            self.value - float(low) * standard_error,
        )

    @property
    def _hopeless(self) -> bool:
        return self.undefined_share > _REFUSE_UNDEFINED or self.values.size < 2

    def _tails(self, level: float) -> tuple[float, float]:
        if self._hopeless:
            return math.nan, math.nan
        low, high = np.quantile(self.values, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        return float(low), float(high)

    def _interval(self, level: float, method: str, low: float, high: float) -> Interval:
        if self._hopeless:
            why = (
                f"The coefficient is undefined on {self.undefined_share:.0%} of the resamples: "
                "there is no interval. Rate more items, or items that differ more."
            )
            warn(why, DegenerateDataWarning)
            return Interval(math.nan, math.nan, level, method, why)
        if not math.isfinite(low):
            why = "No resample has a standard error above 0, so there is no interval."
            return Interval(math.nan, math.nan, level, method, why)
        return Interval(low, high, level, method)


def bca_acceleration(left_out: Floats, multiplicity: Floats | None = None) -> float:
    """Return a = sum d^3 / (6 (sum d^2)^1.5), d_i the mean of the left-out values minus each."""
    times = np.ones(left_out.size) if multiplicity is None else multiplicity
    usable = np.isfinite(left_out)
    values, times = left_out[usable], times[usable]
    deviation = (times @ values) / times.sum() - values
    square = float(times @ deviation**2)
    return float(times @ deviation**3) / (6.0 * square**1.5) if square > 0.0 else 0.0


@dataclass(frozen=True, slots=True)
class Jackknife:
    """The statistic without each item, and the error and bias that follow."""

    value: float
    left_out: Floats = field(repr=False)
    multiplicity: Floats = field(repr=False)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return round(float(self.multiplicity.sum()))

    @property
    def _mean(self) -> float:
        return float(self.multiplicity @ self.left_out) / self.n_items

    @property
    def standard_error(self) -> float:
        """sqrt((n - 1) / n sum (K_(-i) - mean)^2)."""
        n = self.n_items
        if n < 2:
            return math.nan
        square = float(self.multiplicity @ (self.left_out - self._mean) ** 2)
        return math.sqrt((n - 1) / n * square)

    @property
    def bias(self) -> float:
        """(n - 1) (mean of the left-out values - value)."""
        return (self.n_items - 1) * (self._mean - self.value)

    @property
    def acceleration(self) -> float:
        """The acceleration of a BCa interval."""
        return bca_acceleration(self.left_out, self.multiplicity)


def pair_bootstrap_values(
    distances: Floats,
    weights: Floats,
    *,
    n_pairs: int,
    expected: float,
    n_resamples: int,
    rng: RandomStream,
) -> Floats:
    """Resample pairs of ratings as if independent, chance disagreement held fixed.

    This is the bootstrap of Hayes & Krippendorff (2007); it understates the uncertainty where
    items carry several pairs, and is here for comparison with programs that use it.
    """
    if n_pairs < 1:
        raise InputError.expected("n_pairs", "at least 1", n_pairs, "check the data")
    draws = rng.multinomial(n_pairs, weights / weights.sum(), size=n_resamples)
    return np.asarray(1.0 - (draws @ distances) / n_pairs / expected)
