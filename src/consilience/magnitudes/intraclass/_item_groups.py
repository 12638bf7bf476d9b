"""Items by their number of ratings, and the totals that variance components need of them.

Of all items with m ratings only a few totals are needed, so one pass over the data serves every
evaluation of a likelihood, whose cost grows with the raters alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from consilience.core.arrays import Floats
from consilience.magnitudes._panel_marks import Panel


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
    rater_sums: Floats  # of what her marks differ from their items' means
    rater_counts: Floats

    @classmethod
    def of(cls, data: Panel, *, by_rater: bool, without: Floats | None = None) -> ItemGroups:
        """Collect the totals in one pass, of the marks without the raters' effects if told."""
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
            x = values - shift if without is None else values - shift - without
            self._add(found, x, weight, size)
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
            self.rater_sums += w @ apart
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
