"""Which units may stand together: near pairs by a sweep, larger groups by bounds that lose nothing.

With n raters and P = n(n − 1)/2 pairs, a group of k units with the summed dissimilarity D saves
(k − 1) P + k(k − 1)/2 − D against leaving its units alone (all in units of P times the cost of a
lone unit). Taking one unit out of the group is better as soon as that unit's own sum exceeds
P + k − 1, so groups with such a unit are never needed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.units.gamma_alignment._dissimilarity import Continua, Dissimilarity

# Bounds are compared with a little slack: a group that is exactly as good must stay.
SLACK = 1e-9
# Pairs looked at per pair kept, before the sweep gives up.
_LOOKED_AT = 10


class TooManyCandidates(Exception):
    """The exact problem is larger than allowed."""


@dataclass(frozen=True)
class Pairs:
    """Near units of different raters; the first is the one of the rater with the lower number."""

    i: Ints
    j: Ints
    d: Floats
    cat: Floats


@dataclass(frozen=True)
class Groups:
    """Groups of two or more units, at most one of each rater, as a compressed list."""

    offset: Ints  # group g holds member[offset[g] : offset[g + 1]]
    member: Ints
    saving: Floats
    pairs: Ints  # aligned pairs
    cat: Floats  # summed distance of labels

    @property
    def size(self) -> Ints:
        """The number of units of each group."""
        return np.diff(self.offset)


def near_pairs(units: Continua, dissimilarity: Dissimilarity, *, limit: float, most: int) -> Pairs:
    """Return the pairs of different raters with d ≤ limit."""
    i, j = _within_reach(units, dissimilarity.reach(limit), most)
    keep = units.rater[i] != units.rater[j]
    i, j = i[keep], j[keep]
    swap = units.rater[i] > units.rater[j]
    i, j = np.where(swap, j, i), np.where(swap, i, j)
    cat = dissimilarity.categorical(units, i, j)
    d = dissimilarity.position_weight * dissimilarity.positional(units, i, j)
    d += dissimilarity.category_weight * cat
    keep = d <= limit + SLACK
    if np.count_nonzero(keep) > most:
        raise TooManyCandidates
    order = np.lexsort((j[keep], i[keep]))
    return Pairs(i[keep][order], j[keep][order], d[keep][order], cat[keep][order])


def _within_reach(units: Continua, reach: float, most: int) -> tuple[Ints, Ints]:
    """Return pairs of one block whose midpoints are near, each pair once.

    Units are put into classes by length; each looks for units of its own class and of shorter
    ones, so that one long unit does not widen the window of all.
    """
    length = units.end - units.start
    middle = units.start + length / 2
    if not units.n_units:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    middle = middle - middle.min()
    span = float(middle.max())
    key = middle + units.block * (4.0 * span + 4.0)
    order = np.argsort(key, kind="stable")
    size_class = np.frexp(length)[1]
    found_i, found_j, looked_at = [], [], 0
    for c in np.unique(size_class):
        shorter = order[size_class[order] == c]
        longer = order[size_class[order] >= c]
        # half of reach × (own length + longest of the class), and a little for rounding
        near = reach / 2 * (length[longer] + length[shorter].max()) * (1 + 1e-9)
        half = np.minimum(near, span) + 1e-9 * (span + 1.0)
        low = np.searchsorted(key[shorter], key[longer] - half, "left")
        high = np.searchsorted(key[shorter], key[longer] + half, "right")
        looked_at += int((high - low).sum())
        if looked_at > _LOOKED_AT * most:
            raise TooManyCandidates
        i, j = expand(low, high - low)
        i, j = longer[i], shorter[j]
        keep = (units.block[i] == units.block[j]) & ((size_class[i] > c) | (i < j))
        found_i.append(i[keep])
        found_j.append(j[keep])
    return np.concatenate(found_i), np.concatenate(found_j)


def expand(first: Ints, count: Ints) -> tuple[Ints, Ints]:
    """Turn runs (first, count) into pairs (number of the run, element)."""
    run = np.repeat(np.arange(len(count)), count)
    before = np.cumsum(count) - count
    return run, np.arange(len(run)) - before[run] + first[run]


def groups_of(units: Continua, pairs: Pairs, *, most: int) -> Groups:
    """Return every group that can be part of a best alignment."""
    n, all_pairs = units.n_raters, units.n_pairs
    key = pairs.i * units.n_units + pairs.j  # sorted, for looking pairs up
    first = np.searchsorted(pairs.i, np.arange(units.n_units + 1))
    member = np.stack([pairs.i, pairs.j], axis=1)
    own = np.stack([pairs.d, pairs.d], axis=1)  # each member's sum over the others
    cat = pairs.cat
    levels: list[tuple[Ints, Floats, Floats]] = []
    total = 0
    for k in range(2, n + 1):
        keep = _worth_keeping(own, k, all_pairs)
        total += int(np.count_nonzero(keep))
        if total > most:
            raise TooManyCandidates
        levels.append((member[keep], own[keep].sum(axis=1) / 2, cat[keep]))
        if k == n or not len(member):
            break
        # Who could still join are the raters after the last member.
        largest = k + n - 1 - units.rater[member[:, -1]]
        grow = (largest > k) & (own <= (all_pairs + largest - 1)[:, None] + SLACK).all(axis=1)
        member, own, cat = _grown(
            member[grow], own[grow], cat[grow], pairs=pairs, key=key, first=first, most=most
        )
    return _joined(levels, all_pairs)


def _worth_keeping(own: Floats, k: int, all_pairs: int) -> np.ndarray:
    saving = (k - 1) * all_pairs + math.comb(k, 2) - own.sum(axis=1) / 2
    kept: np.ndarray = (own <= all_pairs + k - 1 + SLACK).all(axis=1) & (saving >= -SLACK)
    return kept


def _grown(
    member: Ints, own: Floats, cat: Floats, *, pairs: Pairs, key: Ints, first: Ints, most: int
) -> tuple[Ints, Floats, Floats]:
    """Add one unit of a later rater, near to all members, in every way."""
    n_units = len(first) - 1
    last = member[:, -1]
    count = first[last + 1] - first[last]
    if int(count.sum()) > _LOOKED_AT * most:
        raise TooManyCandidates
    group, edge = expand(first[last], count)
    joining, d = pairs.j[edge], np.zeros((len(edge), member.shape[1]))
    d[:, -1] = pairs.d[edge]
    cat = cat[group] + pairs.cat[edge]
    near = np.ones(len(edge), dtype=bool)
    for position in range(member.shape[1] - 1):
        wanted = member[group, position] * n_units + joining
        place = np.minimum(np.searchsorted(key, wanted), len(key) - 1)
        near &= key[place] == wanted
        d[:, position] = pairs.d[place]
        cat = cat + pairs.cat[place]
    group, joining, d, cat = group[near], joining[near], d[near], cat[near]
    if len(group) > 2 * most:
        raise TooManyCandidates
    members = np.concatenate([member[group], joining[:, None]], axis=1)
    sums = np.concatenate([own[group] + d, d.sum(axis=1)[:, None]], axis=1)
    return members, sums, cat


def _joined(levels: list[tuple[Ints, Floats, Floats]], all_pairs: int) -> Groups:
    size = np.concatenate([np.full(len(m), m.shape[1]) for m, _, _ in levels]).astype(np.int64)
    d = np.concatenate([d for _, d, _ in levels])
    pairs = size * (size - 1) // 2
    return Groups(
        offset=np.concatenate([[0], np.cumsum(size)]),
        member=np.concatenate([m.ravel() for m, _, _ in levels]),
        saving=(size - 1) * all_pairs + pairs - d,
        pairs=pairs,
        cat=np.concatenate([c for _, _, c in levels]),
    )
