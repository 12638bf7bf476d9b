"""The best choice of groups that share no unit.

Each problem is first solved as a linear programme. Its prices of the units bound what any choice
can reach, so that every group which costs more than the gap can be left out; what remains falls
into small pieces that a sweep over time solves exactly, ties included.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.units.gamma_alignment._candidates import Groups

# Ties: more aligned pairs first, then less distance between labels. Small enough to leave the
# disorder unchanged in all digits that are shown, large enough to stand above rounding.
TIE_PAIR = 1e-9
TIE_LABEL = 1e-11
# The solver's own tolerance is 1e-7.
_TOLERANCE = 1e-6
_GROUPS_PER_PROGRAMME = 4_000
_MOST_STATES = 50_000
# A matrix of this many cells is assigned densely.
_DENSE_CELLS = 4_000_000


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
    flat = np.repeat(groups.offset[some] - np.cumsum(size) + size, size) + np.arange(size.sum())
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
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    useful = np.flatnonzero(value > 0)
    if not len(useful):
        return useful
    row, column, value = row[useful], column[useful], value[useful]
    n_rows = int(row.max()) + 1
    size = n_rows + int(column.max()) + 1
    graph = coo_array((np.ones(len(row)), (row, column + n_rows)), shape=(size, size))
    component = connected_components(graph.tocsr(), directed=False)[1][row]
    count = np.bincount(component)
    chosen = [np.flatnonzero(count[component] == 1)]
    order = np.argsort(component, kind="stable")
    order = order[count[component[order]] > 1]
    for piece in np.split(order, np.flatnonzero(np.diff(component[order])) + 1):
        if len(piece):
            chosen.append(piece[_assigned(row[piece], column[piece], value[piece])])
    return np.sort(useful[np.concatenate(chosen)])


def _assigned(row: Ints, column: Ints, value: Floats) -> Ints:
    """Solve one connected assignment problem."""
    from scipy.optimize import linear_sum_assignment

    rows, row = np.unique(row, return_inverse=True)
    columns, column = np.unique(column, return_inverse=True)
    if len(rows) == 1 or len(columns) == 1:
        return np.array([int(np.argmax(value))])
    if len(rows) * len(columns) > _DENSE_CELLS:
        matched = _sparse_assignment(row, column, value, len(rows), len(columns))
    else:
        table = np.zeros((len(rows), len(columns)))
        table[row, column] = value
        matched = (
            linear_sum_assignment(table, maximize=True)[1]
            if len(rows) <= len(columns)
            else (_turned(linear_sum_assignment(table.T, maximize=True)[1], len(rows)))
        )
    return np.flatnonzero(matched[row] == column)


def _turned(row_of_column: Ints, n_rows: int) -> Ints:
    column_of_row = np.full(n_rows, -1)
    column_of_row[row_of_column] = np.arange(len(row_of_column))
    return column_of_row


def _sparse_assignment(row: Ints, column: Ints, value: Floats, n_rows: int, n_columns: int) -> Ints:
    """Do the same without a full matrix: each row may also take a place of its own."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    own = np.arange(n_rows)
    worth = np.concatenate([value, np.zeros(n_rows)])
    cost = worth.max() + 1.0 - worth  # every row is matched once: a constant changes nothing
    where = (  # SciPy 1.12 matches by 32-bit numbers only
        np.concatenate([row, own]).astype(np.int32),
        np.concatenate([column, n_columns + own]).astype(np.int32),
    )
    graph = csr_array((cost, where), shape=(n_rows, n_columns + n_rows))
    matched: Ints = min_weight_full_bipartite_matching(graph)[1]
    return matched
