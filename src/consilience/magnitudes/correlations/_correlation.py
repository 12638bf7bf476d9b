"""Correlations of marks or of their ranks, with errors as SPSS and SAS print them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.checks import check_word
from consilience.inference import Interval, Test, wald_test
from consilience.inference.intervals import ALTERNATIVES, Alternative
from consilience.magnitudes._magnitude import Magnitude, check_number
from consilience.magnitudes.paired import Paired

Ranks = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True, repr=False)
class Correlation(Magnitude):
    """Pearson's or Spearman's correlation.

    `ase1` is the asymptotic error that does not assume a null hypothesis; the test of 0 is
    Student's t with n - 2 degrees of freedom, as SPSS prints it; the interval is Fisher's. Where
    items go together `ase1` is that of whole clusters, and both the interval and every test are
    those of Fisher's z with the error ase1 / (1 - r^2).
    """

    ase1: float = math.nan
    interval_method: ClassVar[str] = "fisher"
    lowest: ClassVar[float] = -1.0
    highest: ClassVar[float] = 1.0

    @classmethod
    def of(
        cls,
        marks: Paired,
        measure: str,
        value_of: Callable[[Paired], float],
        influence_of: Callable[[Paired], Floats],
    ) -> Self:
        """Return the correlation of two raters' marks, its error from the items' influence."""
        facts = marks.facts(measure)
        reason = marks.why_not()
        if reason:
            return cls.undefined(reason, facts)
        value = value_of(marks)
        if abs(value) == 1.0:
            facts["flags"] += ("boundary",)
        error = marks.error(influence_of(marks)) if abs(value) < 1.0 else 0.0
        return cls(
            value=value,
            standard_error=error,
            standard_error_method="ase1",
            ase1=error,
            **facts,
        )

    @property
    def statistic(self) -> float:
        """Student's t of the null hypothesis of no correlation; of Fisher's z with clusters."""
        return self.test().statistic

    @property
    def details(self) -> dict[str, Any]:
        """The error ASE1, t and the share of variance in common."""
        return {"ase1": self.ase1, "t": self.statistic, "r_squared": self.value**2}

    def _interval(self, level: float) -> Interval:
        if self.n_items_used < 4 or abs(self.value) >= 1.0:
            return self._no_interval(level)
        return self._fisher_interval(level, self.fisher_error)

    @property
    def fisher_error(self) -> float:
        """Standard error of Fisher's z."""
        if self.clusters is not None:
            return self.ase1 / (1.0 - self.value**2)
        return self._fisher_error_of_items

    @property
    def _fisher_error_of_items(self) -> float:
        return 1.0 / math.sqrt(self.n_items_used - 3)

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value: 0 by Student's t, any other on Fisher's scale."""
        null = check_number("null", null)
        check_word("alternative", alternative, ALTERNATIVES)
        n, r = self.n_items_used, self.value
        df = float(n - 2)
        if self.status != "ok" or n < 3 or abs(r) >= 1.0 or (null != 0.0 and n < 4):
            return Test(math.nan, math.nan, null, alternative, "student", df)
        if null == 0.0 and self.clusters is None:
            error = math.sqrt((1.0 - r**2) / df)
            return wald_test(
                r, error, null=0.0, alternative=alternative, degrees_of_freedom=df, method="student"
            )
        if abs(null) >= 1.0:
            return Test(math.nan, math.nan, null, alternative, "fisher", None)
        return wald_test(
            math.atanh(r) - math.atanh(null),
            self.fisher_error,
            null=0.0,
            alternative=alternative,
            degrees_of_freedom=self.degrees_of_freedom,
            method="fisher",
        )


def pearson_of(marks: Paired) -> float:
    """Return r, kept within its range."""
    r = marks.ss_xy / math.sqrt(marks.ss_x) / math.sqrt(marks.ss_y)
    return perfect(min(max(r, -1.0), 1.0))


def perfect(r: float) -> float:
    """Return 1 or -1 where only rounding keeps a correlation from it."""
    return math.copysign(1.0, r) if 1.0 - abs(r) < 1e-14 else r


def pearson_influence(marks: Paired) -> Floats:
    """Return what each pair of marks does to r: zx zy - r (zx^2 + zy^2) / 2."""
    zx = marks.dx / math.sqrt(marks.ss_x / marks.n)
    zy = marks.dy / math.sqrt(marks.ss_y / marks.n)
    return zx * zy - pearson_of(marks) / 2.0 * (zx**2 + zy**2)


def ranked(marks: Paired) -> Paired:
    """Return the same items with mid-ranks, as shares of n, in place of marks."""
    x, y = (mid_shares(rank, marks.weight) for rank in (marks.rank_x, marks.rank_y))
    return replace(marks, x=x, y=y, range=None)


def spearman_of(marks: Paired) -> float:
    """Return rho: r of the mid-ranks."""
    return pearson_of(ranked(marks))


def mid_shares(rank: Ranks, weight: Floats) -> Floats:
    """Return for each item the share of items below it plus half of those level with it."""
    total = np.bincount(rank, weights=weight)
    return np.asarray(((np.cumsum(total) - total / 2.0) / total.sum())[rank])


def mean_above(rank: Ranks, weight: Floats, of: Floats) -> Floats:
    """Return E[k(v, V) U] for each item v, with k = 1 where V is above v and 1/2 where level."""
    total = np.bincount(rank, weights=weight * of)
    above = total.sum() - np.cumsum(total)
    return np.asarray(((above + total / 2.0) / weight.sum())[rank])


def spearman_influence(marks: Paired) -> Floats:
    """Return what each pair of marks does to Spearman's rho, its effect on all ranks included.

    With G and H the mid-rank shares, s_xy = E[GH] - 1/4. A new item at (x, y) adds GH there and
    raises the shares of all items above it, which adds E[k(x, X) H] + E[k(y, Y) G].
    """
    ranks = ranked(marks)
    g, h, w, n = ranks.x, ranks.y, marks.weight, marks.n

    def centred(effect: Floats) -> Floats:
        return effect - float(w @ effect) / n

    above_x, above_y = mean_above(marks.rank_x, w, h), mean_above(marks.rank_y, w, g)
    s_xy = centred(g * h + above_x + above_y)
    s_xx = centred(g**2 + 2.0 * mean_above(marks.rank_x, w, g))
    s_yy = centred(h**2 + 2.0 * mean_above(marks.rank_y, w, h))
    v_x, v_y = ranks.ss_x / n, ranks.ss_y / n
    rho = pearson_of(ranks)
    return s_xy / math.sqrt(v_x * v_y) - rho / 2.0 * (s_xx / v_x + s_yy / v_y)
