"""Choose among overlapping pairs so that each unit has one partner at most."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints
from consilience.units.model._columns import Times
from consilience.units.model._ordered_units import Blocks

Pairs: TypeAlias = tuple[Ints, Ints, Times, Floats]  # first, second, overlap, share
_MOST_CELLS = 1_000_000  # of a component's full matrix
RULES = ("symmetric", "easydiag", "elan", "optimal")


def match(blocks: Blocks, start: Times, end: Times, pairs: Pairs, rule: str) -> tuple[Ints, int]:
    """Return the places of the chosen pairs, and how many units had a choice.

    Only pairs whose units have several candidates need a rule; all others are simply taken.
    """
    first, second, overlap, share = pairs
    n = len(blocks.start)
    degree = np.bincount(first, minlength=n) + np.bincount(second, minlength=n)
    ambiguous = int(np.count_nonzero(degree > 1))
    if not ambiguous:
        return np.arange(len(first)), 0
    # A pair is contested if either unit has another candidate; a unit's choice can depend on
    # its partner's other candidates, and those are contested as well.
    contested = np.flatnonzero((degree[first] > 1) | (degree[second] > 1))
    free = np.flatnonzero((degree[first] == 1) & (degree[second] == 1))
    some = first[contested], second[contested], overlap[contested], share[contested]
    keys = _keys(blocks, start, end, some, rule)
    order = np.lexsort(keys[::-1])
    if rule == "optimal":
        chosen = _optimal(some, keys, order)
    else:
        chosen = _greedy(some, order, overwrite=rule == "elan")
    return np.concatenate([free, contested[chosen]]), ambiguous


def _keys(blocks: Blocks, start: Times, end: Times, pairs: Pairs, rule: str) -> list[NDArray[Any]]:
    """Return what pairs are sorted by, the most important first."""
    first, second, overlap, share = pairs
    row_a, row_b = blocks.order[first], blocks.order[second]
    if rule == "easydiag":  # first maximum in column-major order
        return [-share, row_b, row_a]
    if rule == "elan":  # the last pair in the order of the annotations
        return [-share, -overlap, -first, -second]
    label_a, label_b = blocks.label[first], blocks.label[second]
    return [
        -share,
        -overlap,
        np.minimum(start[first], start[second]),
        np.maximum(start[first], start[second]),
        np.minimum(end[first], end[second]),
        np.maximum(end[first], end[second]),
        np.minimum(label_a, label_b),
        np.maximum(label_a, label_b),
        row_a,
        row_b,
    ]


def _greedy(pairs: Pairs, order: Ints, *, overwrite: bool) -> Ints:
    """Take pairs in order; each unit once. ELAN lets full overlaps replace an earlier match.

    That the unit which lost its partner is free again is our reconstruction: ELAN's own result
    for repeated intervals depends on how it stores matches.
    """
    first, second, _, share = pairs
    taken: dict[int, int] = {}
    chosen: set[int] = set()
    firsts, seconds, full = first.tolist(), second.tolist(), (share >= 1.0).tolist()
    for pair in order.tolist():
        a, b = firsts[pair], seconds[pair]
        if a in taken or b in taken:
            if not (overwrite and full[pair]):
                continue
            for unit in (a, b):
                old = taken.pop(unit, None)
                if old is not None:
                    chosen.discard(old)
                    for other in (firsts[old], seconds[old]):
                        taken.pop(other, None)
        taken[a] = taken[b] = pair
        chosen.add(pair)
    return np.array(sorted(chosen), dtype=np.int64)


def _optimal(pairs: Pairs, keys: list[NDArray[Any]], order: Ints) -> Ints:
    """Choose the pairs with the largest total share; among equal totals by the symmetric order."""
    first, second, _, share = pairs
    return best_matching(first, second, share, _dense_rank(keys[:-2], order))


def best_matching(first: Ints, second: Ints, worth: Floats, ranks: Floats | None = None) -> Ints:
    """Return the places of the one-to-one pairs with the largest total worth.

    Pairs that compete with no other are taken; the rest is solved one connected group at a time.
    Among equal totals the `ranks` of pairs decide, whatever is in other groups.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(first):
        return np.empty(0, dtype=np.int64)
    a, b = (np.unique(x, return_inverse=True)[1].ravel() for x in (first, second))
    alone = (np.bincount(a)[a] == 1) & (np.bincount(b)[b] == 1)
    rest = np.flatnonzero(~alone)
    size = int(a.max()) + int(b.max()) + 2
    graph = coo_array((np.ones(len(rest)), (a[rest], int(a.max()) + 1 + b[rest])), (size, size))
    group = connected_components(graph, directed=False)[1][a[rest]]
    order = np.argsort(group, kind="stable")
    rest, group = rest[order], group[order]
    start = np.flatnonzero(np.append(True, group[1:] != group[:-1])[: len(group)])
    n = np.diff(np.append(start, len(group)))
    if ranks is not None:
        near = _ranks(group, ranks[rest]) / np.repeat(n, n)
        worth = worth.copy()
        worth[rest] += 1e-9 * (1.0 - near)
    two = start[n == 2]  # two pairs that compete for one span: the better one
    chosen = [np.flatnonzero(alone), rest[two + (worth[rest[two + 1]] > worth[rest[two]])]]
    row, column = _ranks(group, a[rest]), _ranks(group, b[rest])
    for at, many in zip(start[n > 2].tolist(), n[n > 2].tolist(), strict=True):
        part = slice(at, at + many)
        chosen.append(rest[at + _assigned(row[part], column[part], worth[rest[part]])])
    return np.sort(np.concatenate(chosen))


def _ranks(group: Ints, node: Any) -> Ints:
    """Number the nodes of each group from 0."""
    order = np.lexsort((node, group))
    new = np.append(True, node[order][1:] != node[order][:-1])[: len(node)]
    begins = np.append(True, group[order][1:] != group[order][:-1])[: len(node)]
    count = np.cumsum(new)
    first = np.maximum.accumulate(np.where(begins, count, 0)) if len(node) else count
    rank = np.empty(len(node), dtype=np.int64)
    rank[order] = count - first
    return rank


def _assigned(row: Ints, column: Ints, worth: Floats) -> Ints:
    """Return the places of the pairs with the largest total worth within one group."""
    from scipy.optimize import linear_sum_assignment

    shape = int(row.max()) + 1, int(column.max()) + 1
    if shape[0] * shape[1] > _MOST_CELLS:
        return _assigned_sparsely(row, column, worth)
    gain = np.zeros(shape)
    which = np.full(shape, -1, dtype=np.int64)
    gain[row, column], which[row, column] = worth, np.arange(len(row))
    picked: Ints = which[linear_sum_assignment(gain, maximize=True)]
    return picked[picked >= 0]


def _assigned_sparsely(row: Ints, column: Ints, worth: Floats) -> Ints:
    """Return the places of the pairs with the largest total, without a full matrix.

    Every row may instead take a column of its own that is worth next to nothing.
    """
    from scipy.sparse import coo_array, csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n_rows, n_columns = int(row.max()) + 1, int(column.max()) + 1
    alone = np.arange(n_rows)
    rows = np.concatenate([row, alone]).astype(np.int32)  # SciPy 1.12 matches by such only
    columns = np.concatenate([column, n_columns + alone]).astype(np.int32)
    gain = np.concatenate([worth, np.full(n_rows, 1e-15)])
    shape = (n_rows, n_columns + n_rows)
    graph = csr_array(coo_array((gain, (rows, columns)), shape=shape))
    taken = min_weight_full_bipartite_matching(graph, maximize=True)[1]
    return np.flatnonzero(taken[row] == column)


def _dense_rank(keys: list[NDArray[Any]], order: Ints) -> Floats:
    """Rank pairs in the given order; pairs with equal keys share a rank."""
    changed = np.zeros(len(order), dtype=bool)
    for key in keys:
        sorted_key = key[order]
        changed[1:] |= sorted_key[1:] != sorted_key[:-1]
    rank = np.empty(len(order), dtype=np.float64)
    rank[order] = np.cumsum(changed)
    return rank
