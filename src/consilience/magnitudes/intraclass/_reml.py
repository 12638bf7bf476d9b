"""Variance components of incomplete ratings by restricted maximum likelihood.

The model is mark = mean + item + rater + error (or without rater), items and raters random. Items
are absorbed: of all items with m ratings only a few totals are needed, so one pass over the data
serves every evaluation of the likelihood, whose cost grows with the raters alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from consilience.core.arrays import Floats
from consilience.magnitudes._panel_marks import Panel

_ROUNDING = 1e-13  # of a sum of squares
_LARGEST_RATIO = 1e8  # of two variance components that is still told from infinity


@dataclass
class Group:
    """Totals of all items with m ratings each."""

    m: int
    n: float = 0.0
    sums: float = 0.0  # of the items' sums
    squares: float = 0.0  # of the items' sums
    together: Floats = field(default_factory=lambda: np.zeros((0, 0)))  # pairs of raters
    by_rater: Floats = field(default_factory=lambda: np.zeros(0))  # items' sums, by rater


@dataclass
class ItemGroups:
    """All items by their number of ratings, with the totals that the likelihood needs."""

    groups: list[Group]
    within: float  # sum of squares within items
    total_square: float
    rater_sums: Floats
    rater_counts: Floats

    @classmethod
    def of(cls, data: Panel, *, by_rater: bool) -> ItemGroups:
        """Collect the totals in one pass."""
        k = data.n_raters
        found: dict[int, Group] = {}
        size = k if by_rater else 0
        self = cls([], 0.0, 0.0, np.zeros(size), np.zeros(size))
        shift = None
        for values, weight in data.blocks():
            if shift is None:
                shift = float(np.nanmean(values)) if not np.isnan(values).all() else None
            if shift is None:
                continue
            self._add(found, values - shift, weight, size)
        self.groups = [found[m] for m in sorted(found)]
        return self

    def _add(self, found: dict[int, Group], x: Floats, weight: Floats | None, k: int) -> None:
        present = ~np.isnan(x)
        x = np.where(present, x, 0.0)
        w = np.ones(len(x)) if weight is None else weight
        n_i, sum_i = present.sum(axis=1), x.sum(axis=1)
        mean = sum_i / np.maximum(n_i, 1)
        apart = np.where(present, x - mean[:, None], 0.0)
        self.within += float(w @ (apart**2).sum(axis=1))
        self.total_square += float(w @ (x**2).sum(axis=1))
        if k:
            self.rater_sums += w @ x
            self.rater_counts += w @ present
        for m in np.unique(n_i[n_i > 0]).tolist():
            mine = n_i == m
            group = found.setdefault(m, Group(m, together=np.zeros((k, k)), by_rater=np.zeros(k)))
            share, totals = w[mine], sum_i[mine]
            group.n += float(share.sum())
            group.sums += float(share @ totals)
            group.squares += float(share @ totals**2)
            if k:
                who = present[mine].astype(np.float64)
                group.together += (who * share[:, None]).T @ who
                group.by_rater += (share * totals) @ who

    @property
    def n_items(self) -> int:
        """Items with at least one rating."""
        return int(sum(group.n for group in self.groups))

    @property
    def n_ratings(self) -> int:
        """Ratings in all."""
        return int(sum(group.n * group.m for group in self.groups))

    @property
    def harmonic_mean(self) -> float:
        """Harmonic mean of the number of ratings per item."""
        return self.n_items / sum(group.n / group.m for group in self.groups)

    @property
    def constant(self) -> bool:
        """Whether all marks are the same."""
        spread = self.total_square - self.sums**2 / self.n_ratings
        return spread <= 1e-13 * max(self.total_square, 1e-300)

    @property
    def sums(self) -> float:
        """Sum of all marks, as far as they were centred."""
        return float(sum(group.sums for group in self.groups))


def one_way(data: ItemGroups) -> tuple[float, float]:
    """Return the variance between items and within them."""
    from scipy.optimize import minimize_scalar

    if data.within <= _ROUNDING * data.total_square:
        return _spread_of_items(data, np.zeros(data.rater_counts.size)), 0.0
    m = np.array([group.m for group in data.groups], dtype=np.float64)
    n = np.array([group.n for group in data.groups])
    means = np.array([group.sums for group in data.groups]) / m
    squares = np.array([group.squares for group in data.groups]) / m**2
    free = data.n_ratings - 1.0

    def parts(ratio: float) -> tuple[float, float]:
        weight = m / (1.0 + ratio * m)  # precision of an item's mean
        centre = float(weight @ means) / float(weight @ n)
        between = float(weight @ (squares - 2.0 * centre * means + n * centre**2))
        error = (data.within + max(between, 0.0)) / free
        return error, float(n @ np.log1p(ratio * m)) + math.log(float(weight @ n))

    def slope(ratio: float) -> float:
        """The derivative of the deviance; the centre is best already, so it does not move."""
        weight = m / (1.0 + ratio * m)
        centre = float(weight @ means) / float(weight @ n)
        from_centre = squares - 2.0 * centre * means + n * centre**2
        error = data.within + max(float(weight @ from_centre), 0.0)
        logs = float(weight @ n) - float(weight**2 @ n) / float(weight @ n)
        return logs - free * float(weight**2 @ from_centre) / error

    def deviance(root: float) -> float:
        error, logs = parts(root**2)
        return free * math.log(max(error, 1e-300)) + logs

    found = minimize_scalar(
        deviance, bounds=(0.0, _upper(deviance)), method="bounded", options={"xatol": 1e-10}
    )
    root = float(found.x) if found.fun < deviance(0.0) else 0.0
    ratio = _sharpened(slope, root**2)
    error = parts(ratio)[0]
    return ratio * error, error


def _sharpened(slope: Callable[[float], float], ratio: float) -> float:
    """Return the place where a deviance is flat; a search for its least value ends before."""
    from scipy.optimize import brentq

    low, high = 0.999 * ratio, 1.001 * ratio
    if not slope(low) < 0.0 < slope(high):
        return ratio
    return float(brentq(slope, low, high, xtol=1e-300, rtol=1e-15))


def _upper(deviance: Callable[[float], float]) -> float:
    """Return a root of the ratio beyond which the deviance rises."""
    root = 1.0
    while root**2 < _LARGEST_RATIO and deviance(2.0 * root) < deviance(root):
        root *= 2.0
    return 2.0 * root


def two_way(data: ItemGroups) -> tuple[float, float, float]:
    """Return the variances of items, raters and errors.

    With ratios t = var(item) / var(error), u = var(rater) / var(error), W = [1, sqrt(u) Z] and
    items absorbed by the weights t / (1 + t m), the restricted deviance is
    (N - 1) log s^2 + sum log(1 + t m) + log |W'MW + diag(0, I)| (Henderson's equations).
    """
    from scipy.optimize import minimize

    item, rater, error = _least_squares(data)
    if error == 0.0:
        return item, rater, error
    free = data.n_ratings - 1.0

    def solve(roots: Floats) -> tuple[float, float]:
        ratio, scale = float(roots[0]) ** 2, float(roots[1])
        left, right, square, logs = _absorbed(data, ratio, scale)
        try:
            factor = np.linalg.cholesky(left)
        except np.linalg.LinAlgError:  # ratios so large that mean and raters cannot be told apart
            return math.nan, math.inf
        half = np.linalg.solve(factor, right)
        error = max(square - float(half @ half), 1e-300) / free
        logs += 2.0 * float(np.log(np.diag(factor)).sum())
        return error, free * math.log(error) + logs

    start = np.sqrt(np.maximum([item / error, rater / error], 0.01))
    bounds = [(0.0, math.sqrt(_LARGEST_RATIO))] * 2
    best = minimize(
        lambda roots: solve(roots)[1],
        np.minimum(start, bounds[0][1] / 2.0),
        method="Nelder-Mead",
        bounds=bounds,
        options={"xatol": 1e-9, "fatol": 1e-10, "maxiter": 2000},
    )
    roots = np.where(best.x < 1e-4, 0.0, best.x)
    error = solve(roots)[0]
    return float(roots[0] ** 2 * error), float(roots[1] ** 2 * error), error


def _least_squares(data: ItemGroups) -> tuple[float, float, float]:
    """Return the spread of fitted item and rater effects and the residual mean square.

    A start for the search; the answer itself where marks are exactly item plus rater.
    """
    zz, zy = _within_items(data)
    effect = np.linalg.lstsq(zz, zy, rcond=None)[0].astype(np.float64)
    rest = data.within - float(effect @ zy)
    free = data.n_ratings - data.n_items - effect.size + 1
    error = rest / free if rest > _ROUNDING * data.total_square else 0.0
    return _spread_of_items(data, effect), float(effect.var(ddof=1)), error


def _within_items(data: ItemGroups) -> tuple[Floats, Floats]:
    """Return Z'MZ and Z'My of the raters, M taking every item's mean away."""
    zz, zy = np.diag(data.rater_counts), data.rater_sums.copy()
    for group in data.groups:
        zz = zz - group.together / group.m
        zy -= group.by_rater / group.m
    return zz, zy


def _spread_of_items(data: ItemGroups, effect: Floats) -> float:
    """Return the variance of item means, each freed of the effects of its raters."""
    total = square = 0.0
    for group in data.groups:
        m, together = group.m, group.together
        total += (group.sums - float(effect @ np.diag(together))) / m
        cross = float(effect @ group.by_rater)
        square += (group.squares - 2.0 * cross + float(effect @ together @ effect)) / m**2
    n = data.n_items
    spread = max(square - total**2 / n, 0.0)
    return spread / (n - 1.0) if spread > _ROUNDING * data.total_square else 0.0


def _absorbed(data: ItemGroups, ratio: float, scale: float) -> tuple[Floats, Floats, float, float]:
    """Return the equations of mean and raters, the square of the marks and the log terms."""
    k = data.rater_counts.size
    zz, zy = _within_items(data)
    oz, oo, oy = np.zeros(k), 0.0, 0.0
    square, logs = data.within, 0.0
    for group in data.groups:  # what absorbing leaves of the differences between items
        m = group.m
        kept = 1.0 / (1.0 + ratio * m)
        zz = zz + kept / m * group.together
        zy = zy + kept / m * group.by_rater
        oz += kept * np.diag(group.together)
        oo += kept * m * group.n
        oy += kept * group.sums
        square += kept / m * group.squares
        logs += group.n * math.log1p(ratio * m)
    left = np.empty((k + 1, k + 1))
    left[0, 0], left[0, 1:], left[1:, 0] = oo, scale * oz, scale * oz
    left[1:, 1:] = scale**2 * zz + np.eye(k)
    return left, np.concatenate([[oy], scale * zy]), square, logs
