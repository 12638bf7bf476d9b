"""Items, or clusters of items: what they add to the mean squares, and how they are shaped."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.inference.intervals import quantile
from consilience.inference.posterior import clearly_skewed, farther, first_of_largest, wider
from consilience.inference.skewed_t import unbiased_shape
from consilience.magnitudes._panel_marks import Panel
from consilience.magnitudes.intraclass._icc_forms import Kind
from consilience.magnitudes.intraclass._mean_squares import MeanSquares, mean_squares
from consilience.ratings import Ratings
from consilience.rows.distinct_rows import clusters_by_keys

_MARGIN = 12.0  # over the root of n: how far the shape of few items may mislead
_FEWEST_DEGREES = 1.5
_MOST_LEFT_OUT = 200  # groups of clusters of incomplete ratings, each of which is fitted anew
_LEVEL = 0.95  # at which few clusters are given Student's tails
_UNEVEN = 0.5
_ROUNDING = 1e-14  # of a sum of squares
_FEWEST_FLAT = 20.0  # items: fewer look flat by chance


@dataclass(frozen=True)
class ItemShape:
    """Skewness and excess kurtosis of the items' means, both unbiased for normal items."""

    n: float
    skewness: float
    kurtosis: float

    @property
    def is_skewed(self) -> bool:
        """Whether items are skewed by more than chance and by more than an interval can bear."""
        return clearly_skewed(self.skewness, self.n)

    @property
    def is_uneven(self) -> bool:
        """Whether items are so skewed that mean squares are better drawn from the items."""
        return abs(self.skewness) > _UNEVEN

    @property
    def degrees_of_freedom(self) -> float:
        """Those of a chi-square that spreads as MSR does.

        Var(log MSR) is about (2 + x) / (n - 1), x the excess kurtosis of item means: the larger of
        the one seen and 1.5 times the squared skewness, with a margin for few items; flat items
        vary less than normal ones.
        """
        n = self.n
        if n < 4.0:
            return n - 1.0
        heavy = max(self.kurtosis, 1.5 * self.skewness**2, 0.0) * (1.0 + _MARGIN / math.sqrt(n))
        flat = self.kurtosis < -0.6 and n >= _FEWEST_FLAT
        x = 0.8 * max(self.kurtosis, -1.2) if flat else heavy
        found = 2.0 * (n - 1.0) / (2.0 + x * (n - 1.0) / n)
        return min(max(found, _FEWEST_DEGREES), 2.0 * (n - 1.0))


def item_shape(data: Panel) -> ItemShape:
    """Return the shape of the items' means; it is remembered with the ratings."""
    if not data.has_gaps:
        ms = mean_squares(data, by_rater=data.by_rater)
        return _from_moments(float(ms.n), ms.item_moments)
    key = ("shape of items", data.by_rater)
    found: ItemShape = data.ratings._remember(key, lambda: _shape(data))
    return found


def _shape(data: Panel) -> ItemShape:
    means, weights = [], []
    level = _rater_means(data) if data.by_rater else None
    for values, weight in data.blocks():
        # Raters who are strict should not shape the means of the items that they rated.
        given = ~np.isnan(values)
        free = np.where(given, values - (0.0 if level is None else level), 0.0)
        many = given.sum(axis=1)
        row = np.where(many > 0, free.sum(axis=1) / np.maximum(many, 1), np.nan)
        means.append(row)
        weights.append(np.ones(row.size) if weight is None else weight)
    mean, times = np.concatenate(means), np.concatenate(weights)
    known = np.isfinite(mean)
    return _moments(mean[known], times[known])


def _rater_means(data: Panel) -> Floats:
    total, count = np.zeros(data.n_raters), np.zeros(data.n_raters)
    for values, weight in data.blocks():
        w = np.ones(len(values)) if weight is None else weight
        total += w @ np.nan_to_num(values)
        count += w @ ~np.isnan(values)
    return np.asarray(total / np.maximum(count, 1.0))


def _moments(mean: Floats, times: Floats) -> ItemShape:
    n = float(times.sum())
    u = mean - float(times @ mean) / max(n, 1.0)
    square = u * u
    powers = (square, square * u, square * square)
    return _from_moments(n, tuple(float(times @ power) / max(n, 1.0) for power in powers))


def _from_moments(n: float, moments: tuple[float, ...]) -> ItemShape:
    second, third, fourth = moments
    if n < 4.0 or second <= 0.0:
        return ItemShape(n, 0.0, 0.0)
    skewness, kurtosis = unbiased_shape(n, second, third, fourth)
    return ItemShape(n, skewness, kurtosis)


# ------------------------------------------------------------------------------ whole units


@dataclass(frozen=True)
class UnitSums:
    """Per item or cluster of complete ratings: items, their means, squares, spread and columns."""

    sums: Floats  # units × (4 + raters)
    by_rater: bool

    @classmethod
    def of(cls, data: Panel, codes: NDArray[np.int64] | None, *, to_draw: bool = False) -> UnitSums:
        """Add the marks of each unit up; units to draw from stand in the order of their marks."""
        marks = data.laid_out()
        if to_draw:
            keys = _keys(data, marks)
            if codes is None:
                marks = marks[np.lexsort(keys)]
            else:
                codes = clusters_by_keys(keys, codes)
        x = marks - marks.mean()
        row = x.mean(axis=1)
        within = np.square(x - row[:, None]).sum(axis=1)
        each = np.column_stack([np.ones(row.size), row, row**2, within, x])
        if codes is not None:
            each = np.stack([np.bincount(codes, column) for column in each.T], axis=1)
        return cls(each, data.by_rater)

    def squares(self, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Return MSR, the error's mean square and MSC with these weights (draws × units)."""
        return self._of_totals(weights @ self.sums)

    def without_each(self) -> tuple[Floats, Floats, Floats]:
        """Return the same without each unit."""
        return self._of_totals(self.sums.sum(axis=0) - self.sums)

    def with_unseen(self) -> UnitSums:
        """Return the items with two of the prior behind them: one farther out, one at more odds.

        As in `consilience.inference.posterior.posterior_of_values`.
        """
        means, marks, once = self.sums[:, 1], self.sums[:, 4:], np.ones(len(self.sums))
        far = means - means.mean()
        strict = marks.mean(axis=0) - marks.mean() if self.by_rater else np.zeros(marks.shape[1])
        rest = marks - means[:, None] - strict
        odds = np.sqrt((rest**2).sum(axis=1))
        farthest, oddest = first_of_largest(np.abs(far)), first_of_largest(odds)
        unseen = (
            marks[farthest] + farther(far, once) * far[farthest],
            means[oddest] + strict + wider(odds, once) * rest[oddest],
        )
        return UnitSums(np.vstack([self.sums, *map(_sums_of_item, unseen)]), self.by_rater)

    def _of_totals(self, total: Floats) -> tuple[Floats, Floats, Floats]:
        n, k = total[:, 0], total.shape[1] - 4.0
        between = k * (total[:, 2] - total[:, 1] ** 2 / n)
        columns = total[:, 4:]
        raters = ((columns - columns.mean(axis=1, keepdims=True)) ** 2).sum(axis=1) / n
        within = total[:, 3]
        least = _ROUNDING * (k * total[:, 2] + within)  # less is what rounding left of nothing
        between = np.where(between > least, between, 0.0)
        if self.by_rater:
            rest = within - raters
            error = np.where(rest > least, rest, 0.0) / ((n - 1.0) * (k - 1.0))
        else:
            error = within / (n * (k - 1.0))
        return between / (n - 1.0), error, raters / (k - 1.0)


def _keys(data: Panel, marks: Floats) -> list[Floats]:
    """Return what decides about the order of items: raters' marks, by the raters' names."""
    if not data.by_rater or not data.raters:
        return list(np.sort(marks, axis=1).T)
    names = sorted(range(len(data.raters)), key=lambda place: (str(data.raters[place]), place))
    return [marks[:, place] for place in names]


def _sums_of_item(marks: Floats) -> Floats:
    mean = float(marks.mean())
    return np.concatenate([[1.0, mean, mean**2, float(((marks - mean) ** 2).sum())], marks])


def degrees_by_cluster(
    data: Panel, ms: MeanSquares, kind: Kind, plain: tuple[float, float]
) -> tuple[float, float]:
    """Return the degrees of freedom of MSR and of the error that whole clusters leave them.

    The jackknife over clusters gives v = Var(log MS), and a chi-square with 2 / v degrees spreads
    as much; fewer by (z / t)^2 as v itself comes from few clusters, and never more than `plain`,
    those of independent items.
    """
    clusters = data.ratings.clusters
    assert clusters is not None
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = [np.log(left) for left in _without_each_cluster(data, clusters.codes, kind)]
    n_clusters = logs[0].size
    tail = 0.5 + _LEVEL / 2.0
    fewer = (quantile(tail, None) / quantile(tail, n_clusters - 1.0)) ** 2
    found = []
    for left, most in zip(logs, plain, strict=True):
        variance = (n_clusters - 1.0) / n_clusters * float(((left - left.mean()) ** 2).sum())
        degrees = 2.0 * fewer / variance if variance > 0.0 else math.nan
        least = min(_FEWEST_DEGREES, most)
        found.append(max(min(degrees, most), least) if degrees > 0.0 else least)
    return found[0], found[1]


def _without_each_cluster(
    data: Panel, codes: NDArray[np.int64], kind: Kind
) -> tuple[Floats, Floats]:
    """Return MSR and the error's mean square without each cluster, or group of clusters."""
    if not data.has_gaps:
        msr, error, _ = UnitSums.of(data, codes).without_each()
        return msr, error
    marks = data.laid_out()
    groups = clusters_by_keys(_keys(data, marks), codes) % _MOST_LEFT_OUT
    found = []
    for group in range(int(groups.max()) + 1):
        part = Ratings.from_wide(marks[groups != group], scale="interval")
        ms = mean_squares(Panel(part, (), data.by_rater), by_rater=data.by_rater)
        found.append((ms.msr, ms.msw if kind == "one-way" else ms.mse))
    msr, error = np.array(found).T
    return msr, error
