"""Intervals and tests of intraclass correlations from a generalised pivotal quantity.

Each mean square stands for its expectation times a chi-square over its degrees of freedom; drawn
anew, MS df / chi-square says where the expectation may lie, and with it the correlation. The
degrees of freedom of MSR follow the shape of the items, or what whole clusters leave them. Where
thirty items or more are skewed, their mean squares come from drawing items with random weights
instead, among them some farther out than any seen.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.core.resample import seed_sequence
from consilience.inference.posterior import draw_with_unseen, limits_of, p_value_of
from consilience.inference.skewed_t import SkewedT
from consilience.magnitudes._panel_marks import Panel
from consilience.magnitudes.intraclass._icc_forms import Kind, from_average, single
from consilience.magnitudes.intraclass._mcgraw_wong import average_limit, denominator
from consilience.magnitudes.intraclass._mean_squares import MeanSquares
from consilience.magnitudes.intraclass._units_of_marks import (
    UnitSums,
    degrees_by_cluster,
    item_shape,
)

DRAWS = 9_999
_SEED = 0
_FEWEST_ITEMS, _MOST_ITEMS = 30, 1_500  # that are drawn with weights
_MOST_WEIGHTS = 2_000_000  # held at once
_LEVEL = 0.95  # at which few items are given Student's tails


@dataclass(frozen=True)
class Pivot:
    """How sure a correlation is: one object for its interval and its tests."""

    ms: MeanSquares
    kind: Kind
    df_r: float
    df_error: float
    draws: Floats | None  # of the correlation of single ratings: by items, or for agreement
    by_items: bool = False

    @property
    def _error(self) -> float:
        return self.ms.msw if self.kind == "one-way" else self.ms.mse

    def limits(self, level: float, m: float) -> tuple[float, float]:
        """Return the limits for means of m ratings; 1 for single ratings."""
        if self.draws is not None:
            low, high = limits_of(self.draws, level)
        else:  # without raters the quantity is a ratio of two chi-squares, and F has its quantiles
            from scipy.special import fdtri

            p, f, k = 0.5 + level / 2.0, self.ms.msr / self._error, self.ms.k
            ends = (
                f / float(fdtri(self.df_r, self.df_error, p)),
                f * float(fdtri(self.df_error, self.df_r, p)),
            )
            low, high = ((x - 1.0) / (x + k - 1.0) for x in ends)
        return (average_limit(low, m), average_limit(high, m)) if m > 1.0 else (low, high)

    def p_value(self, null: float, m: float, alternative: str) -> float:
        """Return the p-value that is dual to the limits."""
        rho = from_average(null, m)
        if self.draws is not None:
            return p_value_of(self.draws, rho, alternative)
        scale = denominator(self.ms, self.kind, rho)
        if not scale > 0.0:
            return math.nan
        return f_p_value(self.ms.msr / scale, self.df_r, self.df_error, alternative)


def f_p_value(f: float, df1: float, df2: float, alternative: str) -> float:
    """Return the p-value of F."""
    from scipy.special import fdtr, fdtrc

    upper, lower = float(fdtrc(df1, df2, f)), float(fdtr(df1, df2, f))
    tails = {"greater": upper, "less": lower}
    return tails.get(alternative, min(2.0 * min(upper, lower), 1.0))


def pivot_of(data: Panel, ms: MeanSquares, kind: Kind) -> Pivot:
    """Return how sure a correlation is; it is remembered with the ratings."""
    found: Pivot = data.ratings._remember(("pivot", kind), lambda: _pivot(data, ms, kind))
    return found


def _pivot(data: Panel, ms: MeanSquares, kind: Kind) -> Pivot:
    shape = item_shape(data)
    plain = (shape.degrees_of_freedom, ms.df_w if kind == "one-way" else ms.df_e)
    clustered = data.ratings.clusters is not None
    complete = not clustered and not data.has_gaps
    if complete and shape.is_uneven and _FEWEST_ITEMS <= ms.n <= _MOST_ITEMS:
        values = _item_draws(data, ms, kind)
        if values is not None:
            return Pivot(ms, kind, *plain, values, by_items=True)
    df_r, df_error = degrees_by_cluster(data, ms, kind, plain) if clustered else plain
    draws = _draws(ms, df_r, df_error) if kind == "agreement" else None
    return Pivot(ms, kind, df_r, df_error, draws)


def _item_draws(data: Panel, ms: MeanSquares, kind: Kind) -> Floats | None:
    """Draw the correlation from items with random weights, and raters by their chi-square.

    From small to large: below the middle half way between draws with items that were not seen and
    draws without, above it the larger ones. Items far out that are missing lift the correlation, so
    the test of skewed items would reject too often from below if they all counted there (.09
    instead of .05), and hardly ever if none did.
    """
    key = ("mean squares of drawn items", data.by_rater)
    found = data.ratings._remember(key, lambda: _drawn_squares(data, ms))
    if found is None:
        return None
    seen, unseen = (np.sort(single(kind)(squares, ms)) for squares in found)
    lower = np.arange(seen.size) < seen.size / 2.0
    return np.asarray(np.where(lower, 0.5 * (seen + unseen), np.maximum(seen, unseen)), np.float64)


def _drawn_squares(data: Panel, ms: MeanSquares) -> tuple[list[Floats], list[Floats]] | None:
    """Return MSR, the error's mean square and MSC of draws, with the items seen and with others.

    None where all error, or none, lies in one item.
    """
    units = UnitSums.of(data, None, to_draw=True)
    n = len(units.sums)
    msr, error, _ = units.without_each()
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(msr / error)
    if not np.isfinite(ratio).all():
        return None
    degrees = SkewedT.of(0.0, ratio, np.ones(n)).degrees_of_freedom
    random = RandomStream.of(seed_sequence(_SEED))
    size = min(DRAWS, _MOST_WEIGHTS // n)
    weights = draw_with_unseen(np.ones(n), degrees, _LEVEL)(random, size).T
    msc = ms.msc * ms.df_c / (2.0 * random.gamma(ms.df_c / 2.0, size))
    found = []
    for some, sums in ((weights[:, :n], units), (weights, units.with_unseen())):
        msr, error, _ = sums.squares(some * (n / some.sum(axis=1, keepdims=True)))
        found.append([msr, error, msc])
    return found[0], found[1]


def _draws(ms: MeanSquares, df_r: float, df_e: float) -> Floats:
    """Draw the correlation of single ratings, from small to large.

    (r - e) / (r + (k - 1) e + k (c - e) / n) with r = MSR f / chi2_f, c = MSC (k - 1) / chi2_(k-1)
    and e = MSE (n - 1)(k - 1) / chi2_((n-1)(k-1)): Weerahandi (1993),
    doi:10.1080/01621459.1993.10476355, for the two-way model of McGraw & Wong (1996), case 2A.
    """
    random = RandomStream.of(seed_sequence(_SEED))

    def drawn(square: float, df: float) -> Any:
        return square * df / (2.0 * random.gamma(df / 2.0, DRAWS))

    squares = [drawn(ms.msr, df_r), drawn(ms.mse, df_e), drawn(ms.msc, ms.df_c)]
    values: Floats = np.sort(single("agreement")(squares, ms))
    return values
