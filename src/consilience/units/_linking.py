"""Link the units of two raters that are the same event: by how much they overlap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word, number_where
from consilience.core.arrays import Floats, Ints
from consilience.core.words import first_of
from consilience.exceptions import UnsupportedDesignError
from consilience.units._columns import Times, expand
from consilience.units.checks import check_time
from consilience.units.model import Blocks

# ---- one partner at most

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
    """Do the same without a full matrix: each row may also take a column of its own."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    n_rows, n_columns = int(row.max()) + 1, int(column.max()) + 1
    own = np.arange(n_rows)
    gain = np.concatenate([worth, np.zeros(n_rows)])
    cost = gain.max() + 1.0 - gain  # every row is matched once: a constant changes nothing
    where = (  # SciPy 1.12 matches by 32-bit numbers only
        np.concatenate([row, own]).astype(np.int32),
        np.concatenate([column, n_columns + own]).astype(np.int32),
    )
    graph = csr_array((cost, where), shape=(n_rows, n_columns + n_rows))
    taken = min_weight_full_bipartite_matching(graph)[1]
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


_QUOTIENT_TOLERANCE = 1e-12
_PAIRS_AT_ONCE = 4_000_000
_MOST_PAIRS = 50_000_000  # so many overlapping pairs come from repeated units only
_MOST_DECIMALS = 6


@dataclass(frozen=True, slots=True)
class Links:
    """Linked pairs of sorted units, with how much they overlap."""

    first: Ints  # place of the first rater's unit in the blocks
    second: Ints
    overlap: Times  # length shared (time apart for point events)
    longest: Times  # length of the longer unit (0 for point events)
    share: Floats  # percent overlap / 100
    ambiguous: int  # units that had more than one candidate

    def __len__(self) -> int:
        return len(self.first)

    def at_least(self, threshold: Fraction) -> NDArray[np.bool_]:
        """Say which links stand at a higher threshold; links of point events always do."""
        return np.asarray(reaches(self.overlap, self.longest, threshold) | (self.longest == 0))


def check_threshold(threshold: Any) -> Fraction:
    """Return a threshold in percent as an exact number."""
    expectation, hint = "a percentage above 0, at most 100", "the usual one is 60"
    found = number_where("threshold", threshold, expectation, hint, fits=lambda x: 0 < x <= 100)
    return Fraction(repr(found)).limit_denominator(10**6)


def exact_times(start: Times, end: Times) -> tuple[Times, Times, float]:
    """Return decimal times as whole numbers of their last digit, so that overlaps are exact.

    The third value is the factor. Times with more than six decimals stay as they are.
    """
    if start.dtype.kind == "i" or not start.size:
        return start, end, 1.0
    for digits in range(1, _MOST_DECIMALS + 1):
        factor = 10.0**digits
        scaled = [np.rint(x * factor) for x in (start, end)]
        if max(float(np.abs(x).max()) for x in scaled) >= 2**53:
            break
        if all(np.array_equal(x / factor, y) for x, y in zip(scaled, (start, end), strict=True)):
            return scaled[0].astype(np.int64), scaled[1].astype(np.int64), factor
    return start, end, 1.0


def reaches(overlap: Times, longest: Times, threshold: Fraction) -> NDArray[np.bool_]:
    """Tell which overlaps are at least the threshold of the longer unit: 100 o >= T max(l)."""
    top, bottom = threshold.numerator, threshold.denominator
    largest = int(longest.max()) if longest.size and longest.dtype.kind == "i" else 0
    if longest.dtype.kind == "i" and largest * max(top, 100 * bottom) < 2**63:
        return np.asarray((100 * bottom) * overlap >= top * longest)
    shared = np.divide(
        overlap, longest, out=np.zeros(len(overlap), dtype=np.float64), where=longest > 0
    )
    return np.asarray(shared >= float(threshold) / 100 - _QUOTIENT_TOLERANCE)


def link(
    blocks: Blocks,
    *,
    threshold: Fraction,
    rule: str = "symmetric",
    point_tolerance: float | None = None,
) -> Links:
    """Link units of the two raters of the blocks."""
    check_word("linking", rule, RULES)
    tolerance = (
        None
        if point_tolerance is None
        else check_time(point_tolerance, "point_tolerance", zero="allowed")
    )
    start, end, factor = exact_times(blocks.start, blocks.end)
    is_point = start == end
    if is_point.any() and tolerance is None:
        _refuse_points(blocks, is_point)
    first, second = _near_pairs(blocks, start, end, float(threshold) / 100)
    length = end - start
    overlap = np.minimum(end[first], end[second]) - np.maximum(start[first], start[second])
    longest = np.maximum(length[first], length[second])
    keep = (overlap > 0) & reaches(overlap, longest, threshold)
    first, second, overlap, longest = first[keep], second[keep], overlap[keep], longest[keep]
    share = overlap / longest
    if tolerance is not None and is_point.any():
        found = _point_pairs(blocks, start, is_point, tolerance * factor)
        first, second = np.append(first, found[0]), np.append(second, found[1])
        overlap = np.append(overlap, found[2])
        longest = np.append(longest, np.zeros_like(found[2]))
        share = np.append(share, found[3])
    chosen, ambiguous = match(blocks, start, end, (first, second, overlap, share), rule)
    order = np.sort(chosen)
    return Links(
        first[order], second[order], overlap[order], longest[order], share[order], ambiguous
    )


def _refuse_points(blocks: Blocks, is_point: NDArray[np.bool_]) -> None:
    rows = np.flatnonzero(is_point)
    points = [f"{blocks.raters[blocks.rater[k]]!r} at {blocks.start[k].item():g}" for k in rows]
    raise UnsupportedDesignError.needs(
        "linking by overlap",
        "units with a length",
        f"{len(rows)} point events ({first_of(points, 3)})",
        "pass point_tolerance= to link points that lie so near to each other",
    )


def _near_pairs(blocks: Blocks, start: Times, end: Times, share: float) -> tuple[Ints, Ints]:
    """Return pairs that may reach the share, from one pass over sorted starts.

    A partner that overlaps by the share t of the longer one starts no earlier than
    (1 - t) l / t before, and no later than (1 - t) l after the start of a unit of length l.
    """
    a = np.flatnonzero((blocks.rater == 0) & (end > start))
    b = np.flatnonzero((blocks.rater == 1) & (end > start))
    if not a.size or not b.size:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    origin = start.min()
    reach = float(end.max() - origin)
    step = 4.0 * reach + 4.0  # blocks lie apart on one axis
    at = (start - origin).astype(np.float64) + blocks.block * step
    length = (end - start)[a].astype(np.float64)
    slack = 1e-9 * reach + 8.0 * np.spacing(float(at[-1]) + step)
    share = max(share, 1e-12)  # below, every unit is within reach
    early = np.minimum(length * ((1.0 - share) / share), reach) + slack
    late = np.minimum(length * (1.0 - share), reach) + slack
    low = np.searchsorted(at[b], at[a] - early, side="left")
    high = np.searchsorted(at[b], at[a] + late, side="right")
    # A window ends before it could reach another block.
    return _expanded((a, b), (low, high), (start, end))


def overlapping_pairs(blocks: Blocks, start: Times, end: Times) -> tuple[Ints, Ints]:
    """Return all pairs of the two raters' units that share some time, by the first unit."""
    a = np.flatnonzero((blocks.rater == 0) & (end > start))
    b = np.flatnonzero((blocks.rater == 1) & (end > start))
    if not a.size or not b.size:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    origin = start.min()
    reach = float(end.max() - origin)
    lift = blocks.block * (4.0 * reach + 4.0)
    begin, stop = ((x - origin).astype(np.float64) + lift for x in (start, end))
    slack = 8.0 * np.spacing(float(stop.max()))
    # Units of one rater may overlap, so the latest end so far tells where partners can begin.
    low = np.searchsorted(np.maximum.accumulate(stop[b]), begin[a] - slack, side="left")
    high = np.searchsorted(begin[b], stop[a] + slack, side="right")
    return _expanded((a, b), (low, high), (start, end))


def _expanded(
    sides: tuple[Ints, Ints], windows: tuple[Ints, Ints], times: tuple[Times, Times]
) -> tuple[Ints, Ints]:
    """Write out the windows, a bounded number of pairs at a time, without those apart."""
    (a, b), (low, high), (start, end) = sides, windows, times
    n_pairs = np.maximum(high - low, 0)
    total = np.cumsum(n_pairs)
    firsts, seconds = [], []
    begin = found = 0
    while begin < len(a):
        done = int(total[begin - 1]) if begin else 0
        stop = int(np.searchsorted(total, done + _PAIRS_AT_ONCE, side="right"))
        stop = max(stop, begin + 1)
        n = n_pairs[begin:stop]
        run, place = expand(low[begin:stop], n)
        first, second = a[begin + run], b[place]
        touch = (start[first] < end[second]) & (start[second] < end[first])
        firsts.append(first[touch])
        seconds.append(second[touch])
        found += len(firsts[-1])
        if found > _MOST_PAIRS:
            raise UnsupportedDesignError.needs(
                "linking",
                f"at most {_MOST_PAIRS:,} overlapping pairs",
                "more, because a rater's own units overlap each other",
                "remove repeated units, or put those that may overlap on different tiers",
            )
        begin = stop
    return np.concatenate(firsts), np.concatenate(seconds)


def _point_pairs(
    blocks: Blocks, at: Times, is_point: NDArray[np.bool_], tolerance: float
) -> tuple[Ints, Ints, Times, Floats]:
    """Return pairs of point events no further apart than the tolerance, and how near they are."""
    a = np.flatnonzero((blocks.rater == 0) & is_point)
    b = np.flatnonzero((blocks.rater == 1) & is_point)
    if not a.size or not b.size:
        none = np.empty(0, dtype=np.int64)
        return none, none, at[:0], np.empty(0)
    shifted = (at - at.min()).astype(np.float64)
    reach = min(tolerance, float(shifted.max()) + 1.0)
    key = shifted + blocks.block * (2.0 * (float(shifted.max()) + reach) + 4.0)
    slack = 1e-9 * max(reach, 1e-9) + 8.0 * np.spacing(float(key.max()))
    low = np.searchsorted(key[b], key[a] - reach - slack, side="left")
    high = np.searchsorted(key[b], key[a] + reach + slack, side="right")
    run, place = expand(low, np.maximum(high - low, 0))
    first, second = a[run], b[place]
    apart = np.abs(at[first] - at[second])
    near = apart <= tolerance * (1.0 + _QUOTIENT_TOLERANCE)
    share = 1.0 - apart[near] / (tolerance or 1.0)
    return first[near], second[near], apart[near], share


# ---- sessions linked in processes of their own

_PARTS_EACH = 4  # for every process, so that none waits long for the last one


def link_in_processes(
    blocks: Blocks,
    *,
    threshold: Fraction,
    rule: str,
    point_tolerance: float | None,
    processes: int = 1,
) -> Links:
    """Link units of the two raters of the blocks, some sessions in each process."""
    has_points = bool((blocks.start == blocks.end).any())
    refused = has_points and point_tolerance is None
    if processes == 1 or blocks.n_blocks < 2 or refused:
        return link(blocks, threshold=threshold, rule=rule, point_tolerance=point_tolerance)
    # Times are made exact once for all: a part alone could have fewer decimals.
    start, end, factor = exact_times(blocks.start, blocks.end)
    tolerance = None
    if point_tolerance is not None:
        tolerance = check_time(point_tolerance, "point_tolerance", zero="allowed") * factor
    exact = replace(blocks, start=start, end=end)
    parts = list(_parts(exact, processes * _PARTS_EACH))
    from concurrent.futures import ProcessPoolExecutor
    from multiprocessing import get_context

    with ProcessPoolExecutor(min(processes, len(parts)), get_context("spawn")) as pool:
        waiting = [
            pool.submit(link, part, threshold=threshold, rule=rule, point_tolerance=tolerance)
            for part in parts
        ]
        found = [one.result() for one in waiting]
    return _merged(found, [len(part.start) for part in parts])


def _parts(blocks: Blocks, n_parts: int) -> Iterator[Blocks]:
    """Yield blocks of some sessions, about as many units in each part."""
    sizes = np.diff(blocks.offsets[:, [0, -1]], axis=1).ravel()
    before = np.cumsum(sizes) - sizes
    n_sessions = int(blocks.session.max()) + 1
    first = np.zeros(n_sessions, dtype=np.int64)
    first[blocks.session[::-1]] = before[::-1]  # the first block of each session decides
    part_of: Ints = first * n_parts // max(int(sizes.sum()), 1)
    for number in np.unique(part_of[blocks.session]):
        yield blocks.only(part_of == number)


def _merged(found: list[Links], sizes: list[int]) -> Links:
    """Put the links of parts together, in the order of all units: point events come last."""
    offsets = np.cumsum([0, *sizes[:-1]])
    first, second = (
        np.concatenate([getattr(one, name) + k for one, k in zip(found, offsets, strict=True)])
        for name in ("first", "second")
    )
    overlap, longest, share = (
        np.concatenate([getattr(one, name) for one in found])
        for name in ("overlap", "longest", "share")
    )
    order = np.argsort(longest == 0, kind="stable")
    ambiguous = sum(one.ambiguous for one in found)
    return Links(
        first[order], second[order], overlap[order], longest[order], share[order], ambiguous
    )
