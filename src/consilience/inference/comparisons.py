"""Differences between statistics: of the same items by influence, of others by their limits."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.result import Defined, Unremarked
from consilience.core.tails import chi_square_tail
from consilience.core.words import interval_head
from consilience.document import Cell, Document, PValue, Range, Table, plain_record
from consilience.exceptions import InputError
from consilience.inference.intervals import (
    Alternative,
    Interval,
    Test,
    quantile,
    wald_test,
)
from consilience.inference.posterior import limits_of, p_value_of

_HIGHEST_LEVEL = 1.0 - 1e-9
_HALVINGS = 54  # to the last digit of a level


@dataclass(frozen=True, slots=True)
class Comparison(Unremarked, Defined):
    """The difference of two coefficients, how sure it is, and what it allows to conclude.

    `difference` is the second coefficient minus the first.
    """

    difference: float
    standard_error: float
    degrees_of_freedom: float | None
    method: str

    @property
    def value(self) -> float:
        """The difference."""
        return self.difference

    @property
    def statistic(self) -> float:
        """Difference divided by its standard error."""
        return self.test().statistic

    @property
    def p_value(self) -> float:
        """Two-sided p-value of no difference."""
        return self.test().p_value

    @property
    def interval(self) -> Interval:
        """The 95% confidence interval of the difference."""
        return self.confidence_interval()

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value of the difference."""
        return wald_test(
            self.difference,
            self.standard_error,
            null=null,
            alternative=alternative,
            degrees_of_freedom=self.degrees_of_freedom,
            method=self.method,
        )

    def _interval(self, level: float) -> Interval:
        reach = quantile(0.5 + level / 2.0, self.degrees_of_freedom) * self.standard_error
        return Interval(self.difference - reach, self.difference + reach, level, self.method)

    def non_inferiority(self, margin: float) -> Test:
        """Test whether the second is worse by less than the margin (H0: difference <= -margin)."""
        return self.test(-_check_margin(margin), alternative="greater")

    def equivalence(self, margin: float) -> Test:
        """Test whether the two differ by less than the margin: two one-sided tests."""
        margin = _check_margin(margin)
        above = self.test(-margin, alternative="greater")
        below = self.test(margin, alternative="less")
        return above if above.p_value >= below.p_value else below

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        names = ("difference", "standard_error", "degrees_of_freedom", "method", "p_value")
        record = {name: getattr(self, name) for name in names}
        return plain_record({"value": self.difference, **record, "interval": self.interval})

    def document(self) -> Document:
        """Return the comparison as something to read."""
        interval = self.interval
        row: list[Cell] = [
            self.difference,
            Range.of(interval),
            self.standard_error,
            PValue(self.p_value),
        ]
        level = interval_head(interval.confidence_level)
        heads = ("difference", level, "standard error", "p-value")
        return Document(title="Difference", blocks=(Table(heads=heads, rows=[row]),))

    def __str__(self) -> str:
        return repr(self)

    def __repr__(self) -> str:
        low, high = self.interval
        return (
            f"Comparison(difference={self.difference:.3f}, 95% CI {low:.3f}..{high:.3f}, "
            f"p={self.p_value:.3g})"
        )


Limits = Callable[[float], tuple[float, float]]  # of a value, at a confidence level


@dataclass(frozen=True, slots=True, repr=False)
class IndependentComparison(Comparison):
    """The difference of two values from different items, as sure as each of them is by itself.

    The limits are those of Zou & Donner (2008), doi:10.1002/sim.3095, eq. 2: the distances from
    each value to its own limits, squared and added, so that a skewed interval stays skewed. A test
    inverts them.
    """

    values: tuple[float, float]
    limits: tuple[Limits, Limits]

    def _interval(self, level: float) -> Interval:
        (low_1, high_1), (low_2, high_2) = (limits(level) for limits in self.limits)
        first, second = self.values
        below = math.hypot(max(second - low_2, 0.0), max(high_1 - first, 0.0))
        above = math.hypot(max(high_2 - second, 0.0), max(first - low_1, 0.0))
        gap = self.difference
        return Interval(gap - below, gap + above, level, self.method)

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value of the difference: it is rejected where the interval leaves it out."""
        level = self._level_that_reaches(null)
        p_value = 1.0 - level
        if alternative != "two-sided":
            favoured = (self.difference > null) == (alternative == "greater")
            p_value = p_value / 2.0 if favoured else 1.0 - p_value / 2.0
        statistic = math.copysign(quantile(0.5 + level / 2.0, None), self.difference - null)
        return Test(statistic, p_value, null, alternative, self.method, None)

    def _level_that_reaches(self, null: float) -> float:
        """Return the confidence level whose interval ends at the null value."""
        if not math.isfinite(self.difference) or not self.interval.has_limits:
            return math.nan
        low, high = 0.0, _HIGHEST_LEVEL
        if null == self.difference:
            return low
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            interval = self._interval(middle)
            low, high = (low, middle) if interval.low <= null <= interval.high else (middle, high)
        return 0.5 * (low + high)


@dataclass(frozen=True, slots=True, repr=False)
class DrawnComparison(Comparison):
    """The difference of two values of the same items, from draws that both have in common.

    An item that weighs much in a draw does so for both values, while what nobody has seen yet may
    differ between them. Rare labels make the difference skewed, and errors unsure; draws know that.
    """

    draws: Floats

    def _interval(self, level: float) -> Interval:
        return Interval(*limits_of(self.draws, level), level, self.method)

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value of the difference: it is rejected where the interval leaves it out."""
        p_value = p_value_of(self.draws, null, alternative)
        both = p_value_of(self.draws, null)
        statistic = math.copysign(quantile(1.0 - both / 2.0, None), self.difference - null)
        return Test(statistic, p_value, null, alternative, self.method, None)


def _check_margin(margin: float) -> float:
    if not margin > 0.0:
        raise InputError.expected(
            "margin", "above 0", margin, "state the largest difference that does not matter"
        )
    return float(margin)


def paired_comparison(
    first: float, second: float, influence: Floats, multiplicity: Floats
) -> Comparison:
    """Compare two statistics by the per-item difference of their influence (Gwet 2016).

    `influence` is n times the second's influence minus n times the first's, for rows that occur
    `multiplicity` times.
    """
    n = float(multiplicity.sum())
    mean = float(multiplicity @ influence) / n
    square = float(multiplicity @ (influence - mean) ** 2)
    error = math.sqrt(square / (n * (n - 1.0))) if n > 1 else math.nan
    return Comparison(second - first, error, n - 1.0, "linearised")


def dependent_comparison(
    values: Sequence[float], covariance: Floats, n_units: int | None = None
) -> Test:
    """Test the equality of k dependent statistics by Hotelling's contrast.

    T^2 = (C K)' (C V C')^-1 (C K) (Vanbelle & Albert 2008). For n units, items or clusters,
    T^2 (n - r) / (r (n - 1)) is F with r and n - r degrees of freedom, r the rank of the contrast
    (Vanbelle 2017); without their number, T^2 is chi-square with r degrees.
    """
    k = len(values)
    if k < 2:
        raise InputError.expected("estimates", "at least two", k, "pass two or more")
    contrast = np.eye(k - 1, k) - np.eye(k - 1, k, 1)
    gap = contrast @ np.asarray(values)
    spread = contrast @ covariance @ contrast.T
    statistic = float(gap @ np.linalg.pinv(spread, hermitian=True) @ gap)
    rank = int(np.linalg.matrix_rank(spread, hermitian=True))
    p_value = math.nan
    if rank and n_units is None:
        p_value = chi_square_tail(statistic, float(rank))
    elif rank and n_units is not None and n_units > rank:
        from scipy.special import fdtrc

        ratio = statistic * (n_units - rank) / (rank * (n_units - 1.0))
        p_value = float(fdtrc(rank, n_units - rank, ratio))
    return Test(statistic, p_value, 0.0, "two-sided", "hotelling", float(rank))
