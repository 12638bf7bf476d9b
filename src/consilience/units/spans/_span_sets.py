"""Marked spans as sets of intervals: in one piece or in several, nested or repeated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.units.linking._overlap_linking import exact_times, overlapping_pairs
from consilience.units.model.units import Units


@dataclass(frozen=True, slots=True)
class Spans:
    """One entry for each span; the fragments of a span that touch are one."""

    units: Units
    start: Any  # of each entry of the units, as exact times
    end: Any
    of_entry: Ints  # the span to which each entry belongs
    rater: Ints
    session: Ints
    block: Ints  # tier of a session
    label: Ints
    first: Any  # where the span begins
    last: Any  # where it ends
    size: Any  # how much it covers
    shape: Ints  # equal for spans that cover the same


def spans_of(units: Units) -> Spans:
    """Return the spans of units."""
    start, end, _ = exact_times(units.start, units.end)
    rows = np.arange(len(start))
    of_entry = rows
    if units.span is not None:
        of_entry = np.unique(units.span, return_inverse=True)[1].ravel().astype(np.int64)
        rows = np.lexsort((start, of_entry))
    span, begin, stop = of_entry[rows], start[rows], end[rows]
    apart = np.ones(len(span), dtype=bool)
    apart[1:] = (span[1:] != span[:-1]) | (begin[1:] > stop[:-1])
    at = np.flatnonzero(apart)
    # Fragments of one unit never overlap, so the last of a run that touches ends last.
    span, begin, stop = span[at], begin[at], stop[np.append(at[1:], len(span))[: len(at)] - 1]
    heads = np.flatnonzero(np.append(True, span[1:] != span[:-1])[: len(span)])
    tails = np.append(heads[1:], len(span))[: len(heads)] - 1
    of = rows[at][heads]
    session = units.session[of].astype(np.int64)
    return Spans(
        units=units,
        start=start,
        end=end,
        of_entry=of_entry,
        rater=units.rater[of].astype(np.int64),
        session=session,
        block=session * max(len(units.tiers), 1) + units.tier[of],
        label=units.label[of].astype(np.int64),
        first=begin[heads],
        last=stop[tails],
        size=np.add.reduceat(stop - begin, heads) if len(heads) else stop - begin,
        shape=_shapes(begin, stop, heads, tails),
    )


def _shapes(start: Any, end: Any, heads: Ints, tails: Ints) -> Ints:
    """Number the spans so that equal sets of intervals have equal numbers."""
    if not len(heads):
        return np.empty(0, dtype=np.int64)
    order = np.lexsort((end[tails], start[heads]))
    first, last = start[heads][order], end[tails][order]
    new = np.append(True, (first[1:] != first[:-1]) | (last[1:] != last[:-1]))
    shape = np.empty(len(heads), dtype=np.int64)
    shape[order] = np.cumsum(new) - 1
    known: dict[Any, int] = {}
    for k in np.flatnonzero(tails > heads).tolist():
        part = slice(int(heads[k]), int(tails[k]) + 1)
        key = (start[part].tobytes(), end[part].tobytes())
        shape[k] = known.setdefault(key, len(heads) + len(known))
    return shape


def overlaps(spans: Spans, one: int, other: int) -> tuple[Ints, Ints, Floats, Floats]:
    """Return pairs of spans of two raters that overlap: both, length shared, share of the union.

    Spans without length that lie at one place share all they have: the length shared is then 0
    and the share of the union 1.
    """
    blocks = spans.units.sorted_blocks(spans.units.raters[one], spans.units.raters[other])
    start, end = spans.start[blocks.order], spans.end[blocks.order]
    a, b = overlapping_pairs(blocks, start, end)
    shared = np.minimum(end[a], end[b]) - np.maximum(start[a], start[b])
    of = spans.of_entry[blocks.order]
    first, second, total = _summed(of[a], of[b], shared.astype(np.float64), len(spans.first))
    union = (spans.size[first] + spans.size[second]) - total
    points = _same_points(spans, one, other)
    return (
        np.append(first, points[0]),
        np.append(second, points[1]),
        np.append(total, np.zeros(len(points[0]))),
        np.append(total / union, np.ones(len(points[0]))),
    )


def _summed(a: Ints, b: Ints, shared: Floats, n: int) -> tuple[Ints, Ints, Floats]:
    key, place = np.unique(a * n + b, return_inverse=True)
    total = np.bincount(place.ravel(), weights=shared, minlength=len(key))
    return key // max(n, 1), key % max(n, 1), total.astype(np.float64)


def _same_points(spans: Spans, one: int, other: int) -> tuple[Ints, Ints]:
    found: dict[tuple[int, Any], list[int]] = {}
    empty = spans.size == 0
    for k in np.flatnonzero(empty & (spans.rater == other)).tolist():
        found.setdefault((int(spans.block[k]), spans.shape[k].item()), []).append(k)
    pairs = [
        (k, partner)
        for k in np.flatnonzero(empty & (spans.rater == one)).tolist()
        for partner in found.get((int(spans.block[k]), spans.shape[k].item()), ())
    ]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]
