"""Continua for the unitizing alphas: no overlap within a rater, everything inside the bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Ints
from consilience.document import Finding
from consilience.exceptions import InputError
from consilience.units.model._unit_findings import absent_findings, dropped_findings
from consilience.units.model.unit_checks import check_label_count, compared_blocks
from consilience.units.model.units import Units

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
    blocks = []
    for b, present in compared:
        session = int(sorted_units.session[b])
        name = units.sessions[session]
        parts = [sorted_units.of(b, int(r)) for r in present]
        kept = [_without_points(sorted_units, part) for part in parts]
        for rater, rows in zip(present, kept, strict=True):
            _refuse_overlap(
                units,
                sorted_units,
                rows,
                place=(name, units.raters[rater]),
                within_label=within_label,
            )
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


def _refuse_overlap(
    units: Units, sorted_units: Any, rows: Ints, *, place: tuple[str, str], within_label: bool
) -> None:
    start, end = sorted_units.start[rows], sorted_units.end[rows]
    label = sorted_units.label[rows]
    order = np.lexsort((start, label)) if within_label else np.arange(len(rows))
    clash = start[order][1:] < end[order][:-1]
    if within_label:
        clash &= label[order][1:] == label[order][:-1]
    found = np.flatnonzero(clash)
    if not found.size:
        return
    pair = [order[found[0]], order[found[0] + 1]]
    shown = [(units.labels[label[k]], start[k].item(), end[k].item()) for k in pair]
    raise InputError.expected(
        f"the units of rater {place[1]!r} in session {place[0]!r}",
        "apart from each other" + (" within a category" if within_label else ""),
        shown,
        "put kinds of units that may co-occur on tiers of their own, or use gamma",
    )


def _findings(units: Units) -> tuple[Finding, ...]:
    found = []
    points = int(np.count_nonzero(units.start == units.end))
    if points:
        message = (
            f"{points} of {len(units)} units have no length and were left out: these coefficients "
            "weigh units by their length. Give them a length, or link them as events."
        )
        found.append(Finding("points_left_out", "caution", message))
    if "fallback" in units.bounds_from:
        message = (
            "The continuum of a session runs from its first onset to its last offset because its "
            "real length is not known; gaps before and after it do not count."
        )
        found.append(Finding("bounds_from_units", "caution", message))
    return tuple(found)
