"""Raters in two groups, each of which agrees within itself."""

from __future__ import annotations

import numpy as np

from consilience.core.arrays import Floats, Mask, first_largest
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._table import FEWEST_ITEMS, PairSums, RatingTable, alpha_of, largest

_ALL_SPLITS_UP_TO = 10
_MOST_RATERS = 60
_BOTH_RISE = 0.02
_WITHIN_OVER_ACROSS = 0.08


@register
class Groups:
    """Agreement within two groups stands for agreement among all."""

    name = "groups"
    place = 5
    share = 0.75

    def find(self, table: RatingTable) -> Candidate | None:
        """Look for the split of the raters whose halves agree best within."""
        if not 4 <= table.n_raters <= _MOST_RATERS or (table.columns < 0).any():
            return None
        gain, second = _best(table.pairs)
        if gain < LEAST_GAIN or gain <= table.limit(
            largest(table.exchangeable_raters, lambda one: _best(one.pairs)[0])
        ):
            return None
        if table.given[:, second].any(axis=1).sum() < FEWEST_ITEMS:
            return None
        sums = table.pairs
        within, across = (sums.among(~second), sums.among(second)), _across(sums, second)
        if min(within) < across + _WITHIN_OVER_ACROSS:  # the best raters are no group
            return None
        return Candidate(
            code=self.name,
            gain=gain,
            raters=tuple(int(g) for g in np.flatnonzero(second)),
            remedied=lambda: table.within(second),
            facts={
                "within": within,
                "across": across,
            },
        )


def _across(sums: PairSums, second: Mask) -> float:
    kappa = sums.kappa[np.ix_(second, ~second)]
    weight = sums.w[np.ix_(second, ~second)]
    fine = np.isfinite(kappa) & (weight > 0)
    return float(np.average(kappa[fine], weights=weight[fine])) if fine.any() else 0.0


def _best(sums: PairSums) -> tuple[float, Mask]:
    """Return the largest gain and the raters of the smaller group."""
    m = sums.q.size
    splits = _all_splits(m) if m <= _ALL_SPLITS_UP_TO else _axis_splits(sums)
    if not len(splits):
        return 0.0, np.zeros(m, dtype=np.bool_)
    gains = _gains(sums, splits)
    best = first_largest(gains)
    second = splits[best] > 0
    return float(gains[best]), second if 2 * second.sum() <= m else ~second


def _all_splits(m: int) -> Floats:
    bits = (np.arange(1, 2 ** (m - 1))[:, None] >> np.arange(m)) & 1
    size = bits.sum(axis=1)
    out: Floats = bits[(size >= 2) & (size <= m - 2)].astype(np.float64)
    return out


def _gains(sums: PairSums, splits: Floats) -> Floats:
    """Return mean alpha within, weighed by pairs, minus alpha; 0 where one side does not rise."""
    found = []
    for side in (splits, 1.0 - splits):
        a, w = ((side @ x * side).sum(axis=1) for x in (sums.a, sums.w))
        found.append((alpha_of(a, w, side @ sums.v, side @ sums.q, side @ sums.n), w))
    (one, w_one), (two, w_two) = found
    mean = (one * w_one + two * w_two) / np.maximum(w_one + w_two, 1e-12)
    rises = (np.minimum(one, two) >= sums.alpha + _BOTH_RISE) & (np.minimum(w_one, w_two) > 0)
    return np.where(rises, mean - sums.alpha, 0.0)


def _axis_splits(sums: PairSums) -> Floats:
    """Split many raters along the leading axis of their agreement, then move one at a time."""
    m = sums.q.size
    kappa = np.nan_to_num(sums.kappa, nan=0.0) * (sums.w > 0)
    usual = float(kappa[sums.w > 0].mean()) if (sums.w > 0).any() else 0.0
    left = np.where(sums.w > 0, kappa - usual, 0.0) * np.sqrt(sums.w)
    np.fill_diagonal(left, 0.0)
    left -= left.mean(axis=0, keepdims=True)
    left -= left.mean(axis=1, keepdims=True)
    _, vectors = np.linalg.eigh((left + left.T) / 2.0)
    side = (vectors[:, -1] > 0).astype(np.float64)
    best = 0.0
    for _ in range(m):
        flips = np.abs(side - np.eye(m))
        size = flips.sum(axis=1)
        gains = np.where((size >= 2) & (size <= m - 2), _gains(sums, flips), 0.0)
        if gains.max() <= best + 1e-12:
            break
        best, side = float(gains.max()), flips[first_largest(gains)]
    return side[None] if 2 <= side.sum() <= m - 2 else np.zeros((0, m))
