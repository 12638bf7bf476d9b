"""The best alignment of raters' units: exact, with bounds, and an approximation for what is left.

References
----------
.. [1] Mathet, Y., Widlöcher, A., & Métivier, J.-P. (2015). The unified and holistic method gamma
   (γ) for inter-annotator agreement measure and alignment. Computational Linguistics 41(3),
   437–479. doi:10.1162/COLI_a_00227
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.labels import check_categories, label_key
from consilience.distances import LabelSpace, get_distance
from consilience.exceptions import InputError, shown
from consilience.units._columns import expand
from consilience.units._linking import best_matching

# ---- how unlike two units are (Mathet et al. 2015, section 4)

# Distances of numbers and ranks have units of their own; the largest becomes 1.
_SCALED = ("linear", "quadratic", "radical", "interval", "ratio", "bipolar", "circular", "taxonomy")


@dataclass(frozen=True)
class Continua:
    """Units of several blocks as plain columns; units of different blocks are never aligned.

    A block is a session, or one random continuum: many of them are aligned in one go.
    """

    start: Floats
    end: Floats
    label: Ints
    rater: Ints  # 0 … n_raters − 1
    block: Ints  # 0 … n_blocks − 1
    n_raters: int
    n_blocks: int

    @property
    def n_units(self) -> int:
        """The number of units in all blocks."""
        return len(self.start)

    @property
    def n_pairs(self) -> int:
        """The number of pairs of raters."""
        return math.comb(self.n_raters, 2)

    def of_blocks(self, first: int, last: int) -> Continua:
        """Return the blocks first … last − 1; the columns must be sorted by block."""
        low, high = np.searchsorted(self.block, [first, last])
        part = slice(low, high)
        return Continua(
            self.start[part],
            self.end[part],
            self.label[part],
            self.rater[part],
            self.block[part] - first,
            self.n_raters,
            last - first,
        )


@dataclass(frozen=True)
class Dissimilarity:
    """d = α d_pos + β d_cat, per cost of an empty place (Mathet et al. 2015, section 4)."""

    position_weight: float  # α
    category_weight: float  # β
    d_kl: Floats

    def positional(self, units: Continua, i: Ints, j: Ints) -> Floats:
        """Return d_pos, relative to the lengths (Mathet et al. 2015, section 4)."""
        start, end = units.start, units.end
        apart = np.abs(start[i] - start[j]) + np.abs(end[i] - end[j])
        return np.square(apart / ((end[i] - start[i]) + (end[j] - start[j])))

    def categorical(self, units: Continua, i: Ints, j: Ints) -> Floats:
        """Return d_cat: the distance of the labels."""
        found: Floats = self.d_kl[units.label[i], units.label[j]]
        return found

    def reach(self, limit: float) -> float:
        """Return how far apart two midpoints may be, as a share of half the summed lengths.

        |Δstart| + |Δend| is at least twice the distance of the midpoints.
        """
        return math.sqrt(limit / self.position_weight) if self.position_weight > 0 else math.inf


def label_space(labels: tuple[Any, ...], categories: Sequence[Any] | None) -> LabelSpace:
    """Return the labels, in the order that the user declared."""
    if categories is None:
        return LabelSpace.of(labels)
    order = check_categories(categories)
    known = {label_key(label) for label in order}
    missing = [label for label in labels if label_key(label) not in known]
    if missing:
        raise InputError.expected(
            "categories",
            "a list in which every label of the units occurs once",
            order,
            f"it lacks {shown(missing)}",
        )
    return LabelSpace.of(order, ordered=True)


def scaled_distances(
    labels: tuple[Any, ...], distance: Any, categories: Sequence[Any] | None
) -> tuple[str, Floats]:
    """Return the name of the distance and the distance of every two labels, between 0 and 1."""
    space = label_space(labels, categories)
    found = get_distance("nominal" if distance is None else distance, scale="nominal")
    size = len(space.labels)
    # Gamma's own ordinal distance counts ranks and looks at no frequencies.
    by_rank = found.name in ("ordinal", "ordinal-gwet")
    measured = get_distance("linear", scale="ordinal") if by_rank else found
    if by_rank and space.numbers is not None:
        space = LabelSpace(space.labels, True, _ranks(space.numbers))
    d_kl = np.asarray(measured.matrix(space, np.ones(size)), dtype=np.float64)
    largest = float(d_kl.max(initial=0.0))
    if by_rank or found.name in _SCALED:
        d_kl = d_kl / largest if largest > 0 else d_kl
    elif largest > 1.0 + 1e-12:
        raise InputError.expected(
            "the distances of labels",
            "between 0 and 1",
            largest,
            "divide all distances by the largest one",
        )
    at = {label_key(label): k for k, label in enumerate(space.labels)}
    place = [at[label_key(label)] for label in labels]
    return "ordinal" if by_rank else found.name, d_kl[np.ix_(place, place)]


def _ranks(numbers: Floats) -> Floats:
    return np.unique(numbers, return_inverse=True)[1].astype(np.float64)


# ---- which units may stand together
# With n raters and P = n(n − 1)/2 pairs, a group of k units with the summed dissimilarity D saves
# (k − 1) P + k(k − 1)/2 − D against leaving its units alone (all in units of P times the cost of a
# lone unit). Taking one unit out of the group is better as soon as that unit's own sum exceeds
# P + k − 1, so groups with such a unit are never needed.

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


# ---- the best choice of groups that share no unit
# Each problem is first solved as a linear programme. Its prices of the units bound what any choice
# can reach, so that every group which costs more than the gap can be left out; what remains falls
# into small pieces that a sweep over time solves exactly, ties included.

# Ties: more aligned pairs first, then less distance between labels. Small enough to leave the
# disorder unchanged in all digits that are shown, large enough to stand above rounding.
TIE_PAIR = 1e-9
TIE_LABEL = 1e-11
# The solver's own tolerance is 1e-7.
_TOLERANCE = 1e-6
_GROUPS_PER_PROGRAMME = 4_000
_MOST_STATES = 50_000


def value_of(groups: Groups) -> Floats:
    """Return what a group is worth, ties decided."""
    return groups.saving + TIE_PAIR * groups.pairs - TIE_LABEL * groups.cat


def best_packing(groups: Groups, time: Floats) -> Ints:
    """Return the numbers of the chosen groups; `time` orders the units for the sweep."""
    n_units, n_groups = len(time), len(groups.saving)
    if not n_groups:
        return np.empty(0, np.int64)
    incidence = _incidence(groups, n_units)
    component_g = _components(incidence)
    alone = np.bincount(component_g)[component_g] == 1
    chosen = np.flatnonzero(alone & (value_of(groups) > 0))
    rest = np.flatnonzero(~alone)
    if not len(rest):
        return chosen
    price_u = _prices(incidence, groups.saving, component_g, rest)
    found = _by_prices(
        groups, time, incidence=incidence, component_g=component_g, rest=rest, price_u=price_u
    )
    return np.sort(np.concatenate([chosen, found]))


def _incidence(groups: Groups, n_units: int) -> Any:
    """Return groups × units with a one where a unit is a member."""
    from scipy.sparse import csr_array

    ones = np.ones(len(groups.member))
    shape = (len(groups.saving), n_units)
    return csr_array((ones, groups.member, groups.offset), shape=shape)


def _components(incidence: Any) -> Ints:
    """Number the groups so that those which compete, however indirectly, share a number."""
    from scipy.sparse import block_array
    from scipy.sparse.csgraph import connected_components

    graph = block_array([[None, incidence], [incidence.T, None]], format="csr")
    label = connected_components(graph, directed=False)[1][: incidence.shape[0]]
    return np.unique(label, return_inverse=True)[1].astype(np.int64)


def _prices(incidence: Any, saving: Floats, component_g: Ints, rest: Ints) -> Floats:
    """Return the dual prices of the units, a few thousand groups per linear programme."""
    from scipy.optimize import linprog

    price_u = np.zeros(incidence.shape[1])
    order = rest[np.argsort(component_g[rest], kind="stable")]
    begin = np.flatnonzero(np.diff(component_g[order], prepend=-1))
    batch = np.append(begin, len(order)) // _GROUPS_PER_PROGRAMME
    cuts = [0, *begin[1:][np.diff(batch[:-1]) > 0], len(order)]
    for low, high in pairwise(cuts):
        part = incidence[order[low:high]].tocsc()
        used = np.flatnonzero(np.diff(part.indptr))
        matrix = part[:, used].T.tocsr()
        solved = linprog(
            -saving[order[low:high]], A_ub=matrix, b_ub=np.ones(len(used)), method="highs-ds"
        )
        if solved.status != 0:  # pragma: no cover - zero is feasible and the optimum bounded
            raise ArithmeticError(f"the linear programme was not solved: {solved.message}")
        price_u[used] = np.maximum(-solved.ineqlin.marginals, 0.0)
    return price_u


def _by_prices(
    groups: Groups, time: Floats, *, incidence: Any, component_g: Ints, rest: Ints, price_u: Floats
) -> Ints:
    reduced_g = incidence @ price_u - groups.saving  # what choosing a group loses
    n_components = int(component_g.max()) + 1
    tight = rest[reduced_g[rest] <= _TOLERANCE]
    chosen = _swept(groups, tight, time)
    bound = _bound(incidence, component_g, rest, price_u, reduced_g)
    reached = np.bincount(component_g[chosen], groups.saving[chosen], n_components)
    gap = bound - reached
    size = np.bincount(component_g, minlength=n_components)
    short = gap > _TOLERANCE * (1 + size)
    if not short.any():
        return chosen
    # The programme's optimum is fractional there: keep all groups that the gap does not exclude.
    again = rest[short[component_g[rest]]]
    again = again[reduced_g[again] <= gap[component_g[again]] + _TOLERANCE]
    return np.concatenate([chosen[~short[component_g[chosen]]], _swept(groups, again, time)])


def _bound(
    incidence: Any, component_g: Ints, rest: Ints, price_u: Floats, reduced_g: Floats
) -> Floats:
    """Return the sum of prices of each component: no choice there saves more."""
    n_components = int(component_g.max()) + 1
    component_u = np.full(incidence.shape[1], -1)
    rows = np.repeat(np.arange(incidence.shape[0]), np.diff(incidence.indptr))
    component_u[incidence.indices] = component_g[rows]
    used = component_u >= 0
    total = np.bincount(component_u[used], price_u[used], n_components)
    # Prices may be too low by the solver's tolerance; allow for it.
    low = np.zeros(n_components)
    np.maximum.at(low, component_g[rest], -reduced_g[rest])
    return total + np.maximum(low, 0.0) * np.bincount(component_u[used], minlength=n_components)


def _swept(groups: Groups, some: Ints, time: Floats) -> Ints:
    """Solve each piece that these groups fall into."""
    if not len(some):
        return some
    size = groups.size[some]
    flat = expand(groups.offset[some], size)[1]
    part = Groups(
        offset=np.concatenate([[0], np.cumsum(size)]),
        member=groups.member[flat],
        saving=groups.saving[some],
        pairs=groups.pairs[some],
        cat=groups.cat[some],
    )
    component = _components(_incidence(part, len(time)))
    value = value_of(part)
    count = np.bincount(component)
    chosen = np.flatnonzero((count[component] == 1) & (value > 0)).tolist()
    order = np.argsort(component, kind="stable")
    order = order[count[component[order]] > 1]
    for piece in np.split(order, np.flatnonzero(np.diff(component[order])) + 1):
        if len(piece):
            chosen += _piece(part, piece, value, time)
    return some[np.sort(np.asarray(chosen, dtype=np.int64))]


def _piece(groups: Groups, piece: Ints, value: Floats, time: Floats) -> list[int]:
    members = [groups.member[groups.offset[g] : groups.offset[g + 1]] for g in piece]
    units = np.unique(np.concatenate(members))
    units = units[np.argsort(time[units], kind="stable")]
    place = {int(unit): position for position, unit in enumerate(units)}
    masks = [sum(1 << place[int(unit)] for unit in group) for group in members]
    found = sweep(masks, [float(value[g]) for g in piece], len(units))
    if found is None:
        found = _by_branching(masks, value[piece], len(units))
    return [int(piece[g]) for g in found]


def sweep(masks: list[int], values: list[float], n_units: int) -> list[int] | None:
    """Choose disjoint bit masks of the largest value, from the first unit to the last.

    The state is which of the units ahead are taken; it stays small because groups are short in
    time. Returns None when it does not.
    """
    starting: list[list[tuple[int, float, int]]] = [[] for _ in range(n_units)]
    for g, (mask, value) in enumerate(zip(masks, values, strict=True)):
        first = (mask & -mask).bit_length() - 1
        starting[first].append((mask >> first, value, g))
    states: dict[int, tuple[float, Any]] = {0: (0.0, None)}
    for here in starting:
        following: dict[int, tuple[float, Any]] = {}
        for taken, (value, chain) in states.items():
            ahead = taken >> 1
            if ahead not in following or following[ahead][0] < value:
                following[ahead] = (value, chain)
            if taken & 1:
                continue
            for mask, gain, g in here:
                if taken & mask:
                    continue
                ahead = (taken | mask) >> 1
                if ahead not in following or following[ahead][0] < value + gain:
                    following[ahead] = (value + gain, (g, chain))
        if len(following) > _MOST_STATES:
            return None
        states = following
    chain, found = states[0][1], []
    while chain is not None:
        found.append(chain[0])
        chain = chain[1]
    return found


def _by_branching(masks: list[int], value: Floats, n_units: int) -> list[int]:
    """Solve one piece as an integer programme."""
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    cells = [(u, g) for g, mask in enumerate(masks) for u in range(n_units) if mask >> u & 1]
    row, column = np.array(cells).T
    matrix = csr_array((np.ones(len(row)), (row, column)), shape=(n_units, len(masks)))
    solved = milp(
        -value,
        integrality=np.ones(len(masks)),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, ub=1),
        options={"mip_rel_gap": 0.0},
    )
    if solved.x is None:  # pragma: no cover - zero is feasible
        raise ArithmeticError(f"the integer programme was not solved: {solved.message}")
    return [int(g) for g in np.flatnonzero(solved.x > 0.5)]


def best_assignment(row: Ints, column: Ints, value: Floats) -> Ints:
    """Return which of the pairs to choose: at most one per row and column, of the largest value."""
    some = np.flatnonzero(value > 0)
    return some[best_matching(row[some], column[some], value[some])]


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
    flat = expand(groups.offset[chosen], size)[1]
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


# ---- the approximation: raters join one after the other, each by an exact assignment


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
