"""Link the units of two raters that are the same event: by how much they overlap."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints
from consilience.core.checks import number_where
from consilience.core.words import first_of
from consilience.exceptions import UnsupportedDesignError
from consilience.units.linking._matching import RULES, match
from consilience.units.model._columns import Times
from consilience.units.model._ordered_units import Blocks
from consilience.units.model.unit_checks import check_time, check_word

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
        first = np.repeat(a[begin:stop], n)
        offset = np.arange(len(first)) - np.repeat(np.cumsum(n) - n, n)
        second = b[np.repeat(low[begin:stop], n) + offset]
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
    n = np.maximum(high - low, 0)
    first = np.repeat(a, n)
    second = b[np.repeat(low, n) + np.arange(len(first)) - np.repeat(np.cumsum(n) - n, n)]
    apart = np.abs(at[first] - at[second])
    near = apart <= tolerance * (1.0 + _QUOTIENT_TOLERANCE)
    share = 1.0 - apart[near] / (tolerance or 1.0)
    return first[near], second[near], apart[near], share
