"""Continua for the unitizing alphas, and their coincidences by sweeping over boundaries.

Units of a rater do not overlap, and everything lies inside the bounds. All sums are over elementary
stretches (between two neighbouring boundaries of any rater), so the cost grows with the number of
units and not with the length of the continuum. Whole times give whole sums, exactly.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from consilience.core.arrays import Ints
from consilience.document import Finding, found
from consilience.units.model._ordered_units import own_overlaps, refuse_own_overlaps
from consilience.units.model._unit_findings import absent_findings, dropped_findings
from consilience.units.model.unit_checks import check_label_count, compared_blocks
from consilience.units.model.units import Units

_SAFE = 2**62
Times = Any  # int64 where every time is whole, else float64


@dataclass(frozen=True)
class Record:
    """One tier of one session: sorted units of each rater, without points."""

    session: int
    tier: int
    raters: tuple[int, ...]
    start: tuple[Times, ...]  # per rater
    end: tuple[Times, ...]
    label: tuple[Ints, ...]
    low: Any
    high: Any

    @property
    def length(self) -> Any:
        """The length of the continuum."""
        return self.high - self.low

    @property
    def n_units(self) -> int:
        """The number of units of all raters."""
        return sum(map(len, self.start))


@dataclass(frozen=True)
class Records:
    """All continua, with what was left out."""

    blocks: tuple[Record, ...]
    dropped: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]


def records(units: Units, what: str, *, absent: str, within_label: bool) -> Records:
    """Return the continua; overlapping units of one rater are refused.

    Parameters
    ----------
    within_label : whether only units of the same label must not overlap
    """
    sorted_units, compared, dropped = compared_blocks(units, what, absent)
    check_label_count(units.labels, what)
    clash = own_overlaps(sorted_units, within_label=within_label)
    inside = np.isin(sorted_units.block[clash[:, 0]], [b for b, _ in compared])
    refuse_own_overlaps(
        units,
        what,
        "put kinds of units that may co-occur on tiers of their own, or use gamma",
        sorted_units.order[clash[inside]],
        need="units of one rater" + (" and label" if within_label else "") + " that do not overlap",
    )
    blocks = []
    for b, present in compared:
        session = int(sorted_units.session[b])
        kept = [_without_points(sorted_units, sorted_units.of(b, int(r))) for r in present]
        low, high = units.bounds[session]
        blocks.append(
            Record(
                session=session,
                tier=int(sorted_units.tier[b]),
                raters=tuple(int(r) for r in present),
                start=tuple(sorted_units.start[rows] for rows in kept),
                end=tuple(sorted_units.end[rows] for rows in kept),
                label=tuple(sorted_units.label[rows].astype(np.int64) for rows in kept),
                low=low,
                high=high,
            )
        )
    return Records(
        tuple(blocks),
        dropped,
        (*absent_findings(units, absent), *_findings(units), *dropped_findings(dropped)),
    )


def _without_points(sorted_units: Any, part: slice) -> Ints:
    rows = np.arange(part.start, part.stop)
    kept: Ints = rows[sorted_units.end[rows] > sorted_units.start[rows]]
    return kept


def _findings(units: Units) -> tuple[Finding, ...]:
    points = int(np.count_nonzero(units.start == units.end))
    return found(
        (
            points,
            "points_left_out",
            "caution",
            f"{points} of {len(units)} units have no length and were left out: these coefficients "
            "weigh units by their length. Give them a length, or link them as events.",
        ),
        (
            "fallback" in units.bounds_from,
            "bounds_from_units",
            "caution",
            "The continuum of a session runs from its first onset to its last offset because its "
            "real length is not known; gaps before and after it do not count.",
        ),
    )


@dataclass(frozen=True)
class Sums:
    """What one continuum adds; value 0 is the gap, value k + 1 the category k.

    Every entry is already divided by (raters − 1) where the formulas say so, as an exact fraction
    of whole numbers: `scale` = raters − 1 is kept apart.
    """

    scale: int
    same: Any  # ℓ_cc (raters − 1)
    total: Any  # ℓ_c
    squares: Any  # S_c
    valued_same: Any  # l_cc (raters − 1), without the gap
    valued_total: Any  # l_c (raters − 1)
    valued_squares: Any  # Q_c (raters − 1)
    pairs: Any  # None, or l_ck (raters − 1), if a metric needs them


def sums_of(record: Record, n_labels: int, *, all_pairs: bool) -> Sums:
    """Sum up one continuum: the coincidences ℓ_ck and l_ck of Krippendorff et al. 2016."""
    m = len(record.raters)
    t, value = _elementary(record)
    same = _zeros(n_labels + 1, t)
    total = _zeros(n_labels + 1, t)
    valued_total = _zeros(n_labels, t)
    n_valued = (value > 0).sum(axis=1)
    pairs = np.zeros((n_labels, n_labels)) if all_pairs else None
    for i in range(m):
        _add(total, value[:, i], t)
        here = value[:, i] > 0
        _add(valued_total, value[here, i] - 1, t[here] * (n_valued[here] - 1))
        for j in range(i + 1, m):
            alike = value[:, i] == value[:, j]
            _add(same, value[alike, i], 2 * t[alike])
            if pairs is not None:
                both = here & (value[:, j] > 0)
                k, other = value[both, i] - 1, value[both, j] - 1
                np.add.at(pairs, (k, other), t[both])
                np.add.at(pairs, (other, k), t[both])
    squares, valued_squares = _squares(record, n_labels, total)
    return Sums(m - 1, same, total, squares, same[1:], valued_total, valued_squares, pairs)


def _elementary(record: Record) -> tuple[Any, Ints]:
    """Return the lengths of elementary stretches and each rater's value there."""
    edges = np.unique(np.concatenate([[record.low, record.high], *record.start, *record.end]))
    left = edges[:-1]
    value = np.zeros((len(left), len(record.raters)), dtype=np.int64)
    for r, (start, end, label) in enumerate(
        zip(record.start, record.end, record.label, strict=True)
    ):
        if not len(start):
            continue
        unit = np.searchsorted(start, left, "right") - 1
        inside = (unit >= 0) & (left < end[np.maximum(unit, 0)])
        value[inside, r] = label[unit[inside]] + 1
    return np.diff(edges), value


def _squares(record: Record, n_labels: int, total: Any) -> tuple[Any, Any]:
    """Return S_c (squared lengths of units; plain lengths of gaps) and Q_c."""
    m = len(record.raters)
    length = np.concatenate([e - s for s, e in zip(record.start, record.end, strict=True)])
    label = np.concatenate(record.label)
    squares = _zeros(n_labels + 1, length)
    _add(squares, label + 1, _squared(length))
    squares[0] = total[0]
    valued = _zeros(n_labels, length)
    for i in range(m):
        for j in range(m):
            if i != j:
                covered = _covered(record, i, j)
                _add(valued, record.label[i], _squared(covered))
    return squares, valued


def _covered(record: Record, i: int, j: int) -> Any:
    """Return how much of each unit of rater i lies within units of rater j."""
    start, end = record.start[j], record.end[j]
    if not len(start):
        return np.zeros_like(record.start[i])
    before = np.concatenate([np.zeros(1, start.dtype), np.cumsum(end - start)])

    def up_to(place: Any) -> Any:
        unit = np.searchsorted(start, place, "right")
        last = np.maximum(unit - 1, 0)
        reached = np.minimum(place, end[last]) - start[last]
        return np.where(unit > 0, before[last] + reached, 0)

    return up_to(record.end[i]) - up_to(record.start[i])


def _squared(length: Any) -> Any:
    if length.dtype.kind in "iu" and len(length) and int(length.max()) ** 2 * len(length) > _SAFE:
        return length.astype(object) ** 2
    return length**2


def _zeros(size: int, like: Any) -> Any:
    if like.dtype.kind == "f":
        return np.zeros(size)
    # Python's own whole numbers never overflow; there are few of them.
    return np.zeros(size, dtype=object)


def _add(table: Any, where: Ints, what: Any) -> None:
    """Add to a table by place; whole numbers exactly."""
    if not len(where):
        return
    if table.dtype != object:
        np.add.at(table, where, what)
        return
    exact = what.dtype == object
    if not exact and int(np.abs(what).max()) * len(what) > _SAFE:
        what, exact = what.astype(object), True
    part = np.zeros(len(table), dtype=object if exact else np.int64)
    np.add.at(part, where, what)
    table += part.astype(object)


def added(parts: list[Sums]) -> Sums:
    """Lay continua end to end: everything adds up."""

    def total(name: str) -> Any:
        rows = [getattr(part, name) for part in parts]
        if rows[0] is None:
            return None
        if name in ("same", "valued_same", "valued_total", "valued_squares", "pairs"):
            rows = [_divided(row, part.scale) for row, part in zip(rows, parts, strict=True)]
        return sum(rows[1:], rows[0])

    names = ("same", "total", "squares", "valued_same", "valued_total", "valued_squares", "pairs")
    return Sums(1, *(total(name) for name in names))


def _divided(row: Any, scale: int) -> Any:
    if row.dtype != object:
        return row / scale
    return np.array([Fraction(int(x), scale) for x in row], dtype=object)
