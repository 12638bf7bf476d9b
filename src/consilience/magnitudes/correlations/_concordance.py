"""Concordant and discordant pairs of items, counted for each item in O(n log n).

An item counts as concordant with another when both raters put the two in the same order. For
every point the weight below and to its left is found with a wavelet pass: the points, in order of
x, are split by one bit of the rank of y at a time, and in each node a point with the upper bit has
all earlier points with the lower bit below it. No table of distinct values is ever built.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints
from consilience.magnitudes.paired import Paired, error_of_mean
from consilience.ratings.clusters import Clusters


@dataclass(frozen=True)
class Concordance:
    """Distinct pairs of marks with what is concordant (A) and discordant (D) with each."""

    weight: Floats  # n_ij
    concordant: Floats  # A_ij
    discordant: Floats  # D_ij
    same_x: Floats  # n_i+
    same_y: Floats  # n_+j
    n_x: int  # number of different marks of the first rater
    n_y: int
    place: NDArray[np.intp]  # of each item's pair among the distinct ones
    clusters: Clusters | None = None  # of the items

    def error(self, effect: Floats) -> float:
        """Return the error of a mean over items of effects that belong to distinct pairs."""
        of_items = effect if self.clusters is None else effect[self.place]
        return error_of_mean(of_items, self.weight, self.n, self.clusters)

    @cached_property
    def n(self) -> float:
        """Number of items."""
        return float(self.weight.sum())

    @cached_property
    def p(self) -> float:
        """P: ordered pairs that are concordant."""
        return float(self.weight @ self.concordant)

    @cached_property
    def q(self) -> float:
        """Q: ordered pairs that are discordant."""
        return float(self.weight @ self.discordant)

    @property
    def d(self) -> Floats:
        """d_ij = A_ij - D_ij."""
        return self.concordant - self.discordant

    @cached_property
    def w_r(self) -> float:
        """n^2 - sum of n_i+^2: ordered pairs that the first rater tells apart."""
        return self.n**2 - float(self.weight @ self.same_x)

    @cached_property
    def w_c(self) -> float:
        """n^2 - sum of n_+j^2: ordered pairs that the second rater tells apart."""
        return self.n**2 - float(self.weight @ self.same_y)

    @cached_property
    def spread(self) -> float:
        """Root of the sum of n_ij d_ij^2, less (P - Q)^2 / n; with clusters that of their sums."""
        if self.clusters is not None:
            return self.n * self.error(self.d)
        square = float(self.weight @ self.d**2)
        rest = square - (self.p - self.q) ** 2 / self.n
        return math.sqrt(rest) if rest > 1e-13 * square else 0.0  # less is rounding

    @cached_property
    def null_z(self) -> float:
        """Kendall's z: S against its permutation variance with ties; none with clusters."""
        if self.clusters is not None:
            return math.nan
        n = self.n
        tie_x, tie_y = _ties(self.same_x, self.weight), _ties(self.same_y, self.weight)
        variance = (n * (n - 1) * (2 * n + 5) - tie_x.s - tie_y.s) / 18.0
        variance += tie_x.pairs * tie_y.pairs / (2 * n * (n - 1))
        if n > 2:
            variance += tie_x.triples * tie_y.triples / (9 * n * (n - 1) * (n - 2))
        return (self.p - self.q) / 2.0 / math.sqrt(variance) if variance > 0 else math.nan


@dataclass(frozen=True)
class _Ties:
    """Sums over groups of t tied items."""

    s: float  # t (t - 1) (2 t + 5)
    pairs: float  # t (t - 1)
    triples: float  # t (t - 1) (t - 2)


def _ties(size: Floats, weight: Floats) -> _Ties:
    # Each item of a group of t adds 1/t of the group's term.
    t = size
    return _Ties(
        float(weight @ ((t - 1) * (2 * t + 5))),
        float(weight @ (t - 1)),
        float(weight @ ((t - 1) * (t - 2))),
    )


def concordance(marks: Paired) -> Concordance:
    """Count for each distinct pair of marks what is concordant and discordant with it."""
    x, y, weight, place = _distinct(marks)
    n = weight.sum()
    total_x, below_x = _margin(x, weight)
    total_y, below_y = _margin(y, weight)
    left_below = _dominated(x, y, weight)
    # Points to the left at the same height: earlier in the row of equal y.
    left_level = _earlier_in_group(y, x, weight)
    below_level = _earlier_in_group(x, y, weight)
    left_above = below_x[x] - left_below - left_level
    right_below = below_y[y] - left_below - below_level
    same = total_x[x] + total_y[y] - weight  # tied with the point in x, in y, or both
    right_above = n - same - left_below - left_above - right_below
    return Concordance(
        weight,
        left_below + right_above,
        left_above + right_below,
        total_x[x],
        total_y[y],
        total_x.size,
        total_y.size,
        place,
        marks.clusters,
    )


def _distinct(marks: Paired) -> tuple[Ints, Ints, Floats, NDArray[np.intp]]:
    """Return ranks from 0 and weight of distinct pairs, in order of x, then falling y, and places.

    The places tell which of them each item's pair is.
    """
    x, y = marks.rank_x.astype(np.int64), marks.rank_y.astype(np.int64)
    n_levels = int(y.max()) + 1
    key = x * n_levels + (n_levels - 1 - y)
    keys, place = np.unique(key, return_inverse=True)
    weight = np.bincount(place, weights=marks.weight).astype(np.float64)
    return keys // n_levels, n_levels - 1 - keys % n_levels, weight, place


def _margin(rank: Ints, weight: Floats) -> tuple[Floats, Floats]:
    """Return the weight of each rank, and of all lower ones."""
    total = np.bincount(rank, weights=weight).astype(np.float64)
    return total, np.cumsum(total) - total


def _earlier_in_group(group: Ints, rank: Ints, weight: Floats) -> Floats:
    """Return for each point the weight of points in its group with a lower rank."""
    if int(group.max()) + 1 == group.size:  # no two points share a group
        return np.zeros(group.size)
    order = np.lexsort((rank, group))
    before = np.cumsum(weight[order]) - weight[order]
    grouped = group[order]
    start = np.searchsorted(grouped, grouped)
    out = np.empty_like(weight)
    out[order] = before - before[start]
    return out


def _dominated(x: Ints, y: Ints, weight: Floats) -> Floats:
    """Return for each point the weight strictly to the left and strictly below.

    The points come in order of x and, for equal x, of falling y; so of the earlier ones those
    with a lower y are exactly the ones wanted.
    """
    y = y.astype(np.int32 if x.size < 2**31 else np.int64)  # half the memory to go through
    point = place = np.arange(x.size, dtype=y.dtype)
    out = np.zeros(x.size)
    for bit in range(int(y.max(initial=0)).bit_length() - 1, -1, -1):
        height = y[point]
        node, upper = height >> (bit + 1), (height >> bit) & 1 == 1
        start = np.zeros(x.size, dtype=y.dtype)  # where the node of each place begins
        start[1:] = np.where(node[1:] != node[:-1], place[1:], 0)
        np.maximum.accumulate(start, out=start)
        lower = np.where(upper, 0.0, weight[point])
        before = np.cumsum(lower) - lower
        out[point] += np.where(upper, before - before[start], 0.0)
        point = point[_split(upper, start)]
    return out


def _split(upper: NDArray[np.bool_], start: NDArray[Any]) -> NDArray[Any]:
    """Return the order that puts the lower points of each node before the upper, else unchanged."""
    place = np.arange(upper.size, dtype=start.dtype)
    lower = (~upper).astype(start.dtype)
    lowers = np.cumsum(lower, dtype=start.dtype) - lower  # lower points before each place
    here = lowers - lowers[start]  # of these, in the same node
    is_last = np.append(start[1:] != start[:-1], True)
    in_node = np.zeros(upper.size, dtype=start.dtype)  # lower points of the whole node
    in_node[start[is_last]] = (here + lower)[is_last]
    target = np.where(upper, in_node[start] + place - here, start + here)
    order = np.empty_like(place)
    order[target] = place
    return order
