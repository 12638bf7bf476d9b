"""Mean squares of items × raters in one pass, and what stands for them when ratings are missing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from consilience.core.arrays import Floats
from consilience.exceptions import UnsupportedDesignError
from consilience.magnitudes._panel_marks import Panel
from consilience.magnitudes.intraclass._item_groups import ItemGroups
from consilience.magnitudes.intraclass._reml import one_way, two_way

_MOST_RATERS = 200  # of an incomplete two-way design: its equations are raters × raters


@dataclass(frozen=True, slots=True)
class MeanSquares:
    """Mean squares with their degrees of freedom; without raters, only `msr` and `msw`.

    For incomplete designs they are those of a balanced design with the estimated components:
    `k` is then the harmonic mean of the number of ratings per item.
    """

    n: int
    k: float
    msr: float  # between items
    msw: float  # within items
    msc: float  # between raters
    mse: float  # residual
    df_r: float
    df_w: float
    df_c: float
    df_e: float
    n_ratings: int
    approximate: bool = False
    constant: bool = False  # every mark is the same
    item_moments: tuple[float, ...] = ()  # second to fourth central moment of the items' means


def mean_squares(data: Panel, *, by_rater: bool) -> MeanSquares:
    """Return the mean squares of complete data, or of the balanced design that stands for them.

    They are remembered with the ratings: six forms of a correlation cost one pass.
    """
    if data.has_gaps:
        key, compute = ("components", by_rater), partial(_from_components, data, by_rater=by_rater)
    else:
        key, compute = ("mean squares", True), partial(_balanced, data)
    return data.ratings._remember(key, compute)  # type: ignore[no-any-return]


def _balanced(data: Panel) -> MeanSquares:
    by_rater = bool(data.raters)
    data = Panel(data.ratings, data.flags, by_rater)
    n, k = 0.0, float(data.n_raters)
    shift = None
    within = 0.0
    powers = np.zeros(4)  # of the items' means
    columns = np.zeros(data.n_raters)
    for values, weight in data.blocks():
        if shift is None:
            shift = float(values.mean())  # squares keep their digits when centred
        x = np.ascontiguousarray(values.T)  # a rater's marks side by side: several times faster
        x -= shift
        row = x.sum(axis=0) / k
        square = row * row
        if weight is None:
            n += row.size
            powers += (row.sum(), row @ row, square @ row, square @ square)
            within += float(np.square(x - row).sum())
            columns += x.sum(axis=1)
        else:
            n += float(weight.sum())
            times = weight * row
            powers += (times.sum(), times @ row, times @ square, (weight * square) @ square)
            within += float(np.square(x - row).sum(axis=0) @ weight)
            columns += x @ weight
    sums, squares = float(powers[0]), float(powers[1])
    between = max(k * (squares - sums**2 / n), 0.0)
    raters = float(((columns - columns.mean()) ** 2).sum()) / n
    found = _complete(int(n), k, between, within, raters, by_rater=by_rater)
    return replace(found, item_moments=_central(powers / n))


def _central(raw: Floats) -> tuple[float, float, float]:
    """Turn the first four moments about a point near the mean into those about the mean."""
    m, second, third, fourth = map(float, raw)
    return (
        second - m**2,
        third - 3.0 * m * second + 2.0 * m**3,
        fourth - 4.0 * m * third + 6.0 * m**2 * second - 3.0 * m**4,
    )


def _complete(
    n: int, k: float, between: float, within: float, raters: float, *, by_rater: bool
) -> MeanSquares:
    total = between + within
    between, raters = _digits(between, total), _digits(raters, total)
    rest = _digits(within - raters, total) if by_rater else float("nan")
    df_r, df_w, df_c, df_e = n - 1.0, n * (k - 1.0), k - 1.0, (n - 1.0) * (k - 1.0)
    return MeanSquares(
        n,
        k,
        msr=between / df_r if df_r else float("nan"),
        msw=within / df_w,
        msc=raters / df_c if by_rater else float("nan"),
        mse=rest / df_e if df_e else float("nan"),
        df_r=df_r,
        df_w=df_w,
        df_c=df_c,
        df_e=df_e,
        n_ratings=int(n * k),
        constant=total == 0.0,
    )


def _digits(part: float, whole: float) -> float:
    """Return a sum of squares, or zero where it is only the rounding of a larger one."""
    return part if part > 64.0 * np.finfo(np.float64).eps * whole else 0.0


def _from_components(data: Panel, *, by_rater: bool) -> MeanSquares:
    k = data.n_raters
    if by_rater and k > _MOST_RATERS:
        raise UnsupportedDesignError.needs(
            "a two-way intraclass correlation of incomplete ratings",
            f"at most {_MOST_RATERS} raters",
            f"{k}",
            'use model="1", which supposes different raters for each item, or select raters',
        )
    groups = ItemGroups.of(data, by_rater=by_rater)
    n, total = groups.n_items, groups.n_ratings
    if n and not by_rater and len(groups.groups) == 1 and groups.groups[0].m > 1:
        # Not everybody rated everything, but every item has equally many ratings: balanced.
        (group,) = groups.groups
        between = max(group.squares - group.sums**2 / group.n, 0.0) / group.m
        return _complete(n, float(group.m), between, groups.within, 0.0, by_rater=False)
    per_item = groups.harmonic_mean
    df_w = float(total - n)
    df_e = float(total - n - k + 1)
    df_r = float(n - 1)
    if min(df_r, df_w) <= 0 or (by_rater and df_e <= 0) or groups.constant:
        nothing = float("nan")
        return MeanSquares(
            n,
            per_item,
            nothing,
            nothing,
            nothing,
            nothing,
            df_r,
            df_w,
            k - 1.0,
            df_e,
            total,
            approximate=True,
            constant=groups.constant,
        )
    item, error = one_way(groups)
    rater = residual = float("nan")
    if by_rater:
        item, rater, residual = two_way(data, groups)
    base = residual if by_rater else error
    return MeanSquares(
        n,
        per_item,
        msr=per_item * item + base,
        msw=error,
        msc=n * rater + residual,
        mse=residual,
        df_r=df_r,
        df_w=df_w,
        df_c=k - 1.0,
        df_e=df_e,
        n_ratings=total,
        approximate=True,
    )
