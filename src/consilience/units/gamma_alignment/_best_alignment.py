"""The best alignment of raters' units: exact, with bounds, and an approximation for what is left.

References
----------
.. [1] Mathet, Y., Widlöcher, A., & Métivier, J.-P. (2015). The unified and holistic method gamma
   (γ) for inter-annotator agreement measure and alignment. Computational Linguistics 41(3),
   437–479. doi:10.1162/COLI_a_00227
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.units.gamma_alignment._candidates import (
    Groups,
    Pairs,
    TooManyCandidates,
    groups_of,
    near_pairs,
)
from consilience.units.gamma_alignment._disjoint_groups import (
    TIE_LABEL,
    TIE_PAIR,
    best_assignment,
    best_packing,
)
from consilience.units.gamma_alignment._dissimilarity import Continua, Dissimilarity

MOST_CANDIDATES = 2_000_000
# Units aligned at a time; more at once only costs memory.
_UNITS_AT_ONCE = 20_000
_MOST_ROUNDS = 50


@dataclass(frozen=True)
class Aligned:
    """Unitary alignments of several blocks, in the order of blocks and time."""

    member: Ints  # unitary alignments × raters: number of the unit, −1 for none
    cost: Floats  # disorder of each unitary alignment
    block: Ints
    exact: np.ndarray  # per block

    def disorder(self, units: Continua) -> Floats:
        """Return the disorder of each block: summed costs per mean number of units of a rater.

        Mathet et al. 2015: the disorder of an alignment.
        """
        total = np.bincount(self.block, self.cost, units.n_blocks)
        mean_units = np.bincount(units.block, minlength=units.n_blocks) / units.n_raters
        with np.errstate(divide="ignore", invalid="ignore"):
            out: Floats = np.where(mean_units > 0, total / mean_units, np.nan)
        return out


def align(
    units: Continua,
    dissimilarity: Dissimilarity,
    *,
    approximate: bool = False,
    most: int = MOST_CANDIDATES,
) -> Aligned:
    """Return the alignment of least disorder for every block; columns sorted by block."""
    sizes = np.bincount(units.block, minlength=units.n_blocks)
    parts, first = [], 0
    ends = np.flatnonzero(np.diff(np.cumsum(sizes) // _UNITS_AT_ONCE, append=-1)) + 1
    for last in ends:
        parts += _aligned_blocks(
            units, dissimilarity, first, int(last), approximate=approximate, most=most
        )
        first = int(last)
    return Aligned(
        member=np.concatenate([part.member for part in parts]),
        cost=np.concatenate([part.cost for part in parts]),
        block=np.concatenate([part.block for part in parts]),
        exact=np.concatenate([part.exact for part in parts]),
    )


def _aligned_blocks(
    units: Continua,
    dissimilarity: Dissimilarity,
    first: int,
    last: int,
    *,
    approximate: bool,
    most: int,
) -> list[Aligned]:
    """Align some blocks together; if they are too much, by halves, at the end approximately."""
    part = units.of_blocks(first, last)
    shift = int(np.searchsorted(units.block, first))
    if not approximate:
        try:
            groups = _best_groups(part, dissimilarity, most)
        except TooManyCandidates:
            if last - first > 1:
                halves = ((first, (first + last) // 2), ((first + last) // 2, last))
                return [
                    aligned
                    for low, high in halves
                    for aligned in _aligned_blocks(
                        units, dissimilarity, low, high, approximate=False, most=most
                    )
                ]
        else:
            return [_numbered(part, groups, dissimilarity, exact=True, first=first, shift=shift)]
    groups_by_rater = _rater_by_rater(part, dissimilarity, most)
    return [_numbered(part, groups_by_rater, dissimilarity, exact=False, first=first, shift=shift)]


def _best_groups(units: Continua, dissimilarity: Dissimilarity, most: int) -> Ints:
    """Return for each unit the number of its group; groups of one included."""
    n, all_pairs = units.n_raters, units.n_pairs
    pairs = near_pairs(units, dissimilarity, limit=all_pairs + n - 1, most=most)
    if n == 2:
        gain = 2.0 - pairs.d + TIE_PAIR - TIE_LABEL * pairs.cat
        chosen = best_assignment(pairs.i, pairs.j, gain)
        group = np.arange(units.n_units)
        group[pairs.j[chosen]] = pairs.i[chosen]
        return group
    groups = groups_of(units, pairs, most=most)
    chosen = best_packing(groups, (units.start + units.end) / 2)
    return _group_of(units.n_units, groups, chosen)


def _group_of(n_units: int, groups: Groups, chosen: Ints) -> Ints:
    group = np.arange(n_units)
    size = groups.size[chosen]
    flat = np.repeat(groups.offset[chosen] - np.cumsum(size) + size, size) + np.arange(size.sum())
    group[groups.member[flat]] = np.repeat(groups.member[groups.offset[chosen]], size)
    return group


def _numbered(
    units: Continua,
    group: Ints,
    dissimilarity: Dissimilarity,
    *,
    exact: bool,
    first: int,
    shift: int,
) -> Aligned:
    """Turn a group number per unit into a table of unitary alignments with their costs."""
    begin = np.full(units.n_units, np.inf)
    np.minimum.at(begin, group, units.start)
    heads = np.unique(group)
    heads = heads[np.lexsort((heads, begin[heads], units.block[heads]))]
    row_of = np.empty(units.n_units, dtype=np.int64)
    row_of[heads] = np.arange(len(heads))
    member = np.full((len(heads), units.n_raters), -1, dtype=np.int64)
    member[row_of[group], units.rater] = np.arange(units.n_units)
    cost = _costs(units, member, dissimilarity)
    return Aligned(
        member=np.where(member >= 0, member + shift, -1),
        cost=cost,
        block=units.block[heads] + first,
        exact=np.full(units.n_blocks, exact),
    )


def _costs(units: Continua, member: Ints, dissimilarity: Dissimilarity) -> Floats:
    """Return the disorder of unitary alignments: the mean over pairs; 1 where a place is empty.

    Mathet et al. 2015: the disorder of a unitary alignment.
    """
    total = np.zeros(len(member))
    for a in range(units.n_raters):
        for b in range(a + 1, units.n_raters):
            both = (member[:, a] >= 0) & (member[:, b] >= 0)
            i, j = member[both, a], member[both, b]
            d = dissimilarity.position_weight * dissimilarity.positional(units, i, j)
            d += dissimilarity.category_weight * dissimilarity.categorical(units, i, j)
            total[both] += d
            total[~both] += 1.0
    return total / units.n_pairs


# --- the approximation: raters join one after the other, each by an exact assignment --------------


def _rater_by_rater(units: Continua, dissimilarity: Dissimilarity, most: int) -> Ints:
    """Let each rater's units join the groups of the others in the best way, until nothing moves."""
    pairs = _as_many_pairs_as_fit(units, dissimilarity, most)
    group = np.arange(units.n_units)
    in_play = units.rater == 0
    for rater in range(1, units.n_raters):
        group = _rejoined(units, pairs, group, rater, in_play)
        in_play |= units.rater == rater
    saved = _saved(units, pairs, group)
    for _ in range(_MOST_ROUNDS):
        before = saved
        for rater in range(units.n_raters):
            moved = _rejoined(units, pairs, group, rater, in_play & (units.rater != rater))
            if _saved(units, pairs, moved) > saved + 1e-9:
                group, saved = moved, _saved(units, pairs, moved)
        if saved <= before:
            break
    return group


def _as_many_pairs_as_fit(units: Continua, dissimilarity: Dissimilarity, most: int) -> Pairs:
    limit = float(units.n_pairs + units.n_raters - 1)
    while True:
        try:
            return near_pairs(units, dissimilarity, limit=limit, most=most)
        except TooManyCandidates:
            limit /= 2
            if limit < 1e-6:
                return Pairs(*(np.empty(0, t) for t in (np.int64, np.int64, float, float)))


def _rejoined(units: Continua, pairs: Pairs, group: Ints, rater: int, others: np.ndarray) -> Ints:
    """Assign one rater's units to the groups that the other units form."""
    group = group.copy()
    mine = units.rater == rater
    heads = np.full(units.n_units, units.n_units)  # groups keep a member's number as their name
    np.minimum.at(heads, group[others], np.flatnonzero(others))
    group[others] = heads[group[others]]
    group[mine] = np.flatnonzero(mine)
    size = np.bincount(group[others], minlength=units.n_units)
    forth, back = mine[pairs.i] & others[pairs.j], mine[pairs.j] & others[pairs.i]
    unit = np.concatenate([pairs.i[forth], pairs.j[back]])
    other = np.concatenate([group[pairs.j[forth]], group[pairs.i[back]]])
    d = np.concatenate([pairs.d[forth], pairs.d[back]])
    cat = np.concatenate([pairs.cat[forth], pairs.cat[back]])
    key, place = np.unique(unit * units.n_units + other, return_inverse=True)
    unit, other = key // units.n_units, key % units.n_units
    count = np.bincount(place, minlength=len(key))
    # A member that is too far for a pair makes joining useless.
    gain = 1.0 * units.n_pairs + size[other] - np.bincount(place, d, len(key))
    gain += TIE_PAIR * count - TIE_LABEL * np.bincount(place, cat, len(key))
    gain[count < size[other]] = -1.0
    chosen = best_assignment(unit, other, gain)
    group[unit[chosen]] = other[chosen]
    return group


def _saved(units: Continua, pairs: Pairs, group: Ints) -> float:
    """Return what the groups save against leaving every unit alone."""
    size = np.bincount(group)
    size = size[size > 1]
    together = group[pairs.i] == group[pairs.j]
    whole = (size - 1) * units.n_pairs + size * (size - 1) // 2
    return float(whole.sum() - pairs.d[together].sum())
