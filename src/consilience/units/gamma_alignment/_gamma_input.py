"""Turn units into the continua that gamma compares, and refuse what it cannot compare."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.document import Finding
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units.gamma_alignment._chance_continua import Continuum
from consilience.units.gamma_alignment._dissimilarity import Continua
from consilience.units.model._columns import Times, origin_of
from consilience.units.model._units_counted import dropped_findings
from consilience.units.model.asked import absent_findings, heard
from consilience.units.model.units import Units, check_data

PRECISION = {"high": 0.01, "medium": 0.02, "low": 0.05}


@dataclass(frozen=True)
class Block:
    """One tier of one session, as gamma sees it."""

    session: int
    tier: int
    raters: tuple[int, ...]  # codes into the units' raters
    continuum: Continuum
    rows: Ints  # of the Units, sorted as the continuum is


@dataclass(frozen=True)
class Prepared:
    """All continua of some units."""

    blocks: tuple[Block, ...]
    dropped: tuple[tuple[str, str], ...]
    findings: tuple[Finding, ...]


def prepared(units: Units, *, absent: str, point_length: float | None) -> Prepared:
    """Return the continua; sessions that hold nothing to compare are dropped with the reason."""
    _check_design(units)
    origin = _origins(units)
    start, end = _with_length(units, origin, point_length)
    sorted_units = units.sorted_blocks()
    blocks: list[Block] = []
    used = set(sorted_units.session.tolist())
    dropped = [
        (name, "no unit by any rater")
        for code, name in enumerate(units.sessions)
        if code not in used
    ]
    counted_in = heard(units, absent)
    for b in range(sorted_units.n_blocks):
        offset = sorted_units.offsets[b]
        rows = sorted_units.order[offset[0] : offset[-1]]
        name = units.sessions[sorted_units.session[b]]
        count = np.diff(offset)
        at = sorted_units.session[b]
        present = np.flatnonzero(count if absent == "drop" else counted_in[:, at])
        if len(present) < 2:
            dropped.append((name, f"units of {len(present)} rater only"))
            continue
        low, high = (float(x) for x in units.bounds[at] - origin[at])
        continuum = Continuum(
            start=start[rows],
            end=end[rows],
            label=units.label[rows].astype(np.int64),
            offset=np.concatenate([[0], np.cumsum(count[present])]),
            low=min(low, float(start[rows].min())),
            high=max(high, float(end[rows].max())),
            n_labels=len(units.labels),
        )
        raters = tuple(int(r) for r in present)
        blocks.append(
            Block(int(sorted_units.session[b]), int(sorted_units.tier[b]), raters, continuum, rows)
        )
    if not blocks:
        raise UnsupportedDesignError.needs(
            "gamma",
            "at least one session with units of two raters",
            "none",
            'check the names of sessions, or use absent="count"',
        )
    return Prepared(
        tuple(blocks),
        tuple(dropped),
        (*absent_findings(units, absent), *_findings(units), *dropped_findings(dropped)),
    )


def _check_design(units: Units) -> None:
    check_data(units)
    if units.n_raters < 2:
        raise UnsupportedDesignError.needs(
            "gamma", "at least two raters", units.n_raters, "add the units of another rater"
        )
    if not len(units):
        raise UnsupportedDesignError.needs(
            "gamma", "at least one unit", "an empty continuum", "check the reader's options"
        )
    if units.n_units < len(units):
        raise UnsupportedDesignError.needs(
            "gamma",
            "units in one piece",
            f"{len(units)} fragments of {units.n_units} units",
            "join the fragments, or measure them with the span methods",
        )


def _origins(units: Units) -> Times:
    """Return what times are counted from: 0, or the session's start if floats cannot hold them."""
    begin = units.bounds[:, 0]
    return begin if origin_of(units.bounds) else np.zeros_like(begin)


def _with_length(units: Units, origin: Times, point_length: float | None) -> tuple[Floats, Floats]:
    """Return times as floats; points are given a length around their place, if one is declared."""
    start, end = ((x - origin[units.session]).astype(np.float64) for x in (units.start, units.end))
    points = np.flatnonzero(units.start == units.end)
    if not len(points):
        return start, end
    if point_length is None:
        row = int(points[0])
        raise InputError.expected(
            f"the units for gamma (here one of rater {units.raters[units.rater[row]]!r} in session "
            f"{units.sessions[units.session[row]]!r}, and {len(points) - 1} more)",
            "longer than a point: how far two points are apart has no scale",
            (start[row].item(), end[row].item()),
            "declare what a point stands for with point_length=…",
        )
    start[points] -= point_length / 2
    end[points] += point_length / 2
    return start, end


def _findings(units: Units) -> tuple[Finding, ...]:
    found = []
    if "fallback" in units.bounds_from:
        message = (
            "The continuum of a session runs from its first onset to its last offset because its "
            "real length is not known; random continua are drawn within it."
        )
        found.append(Finding("bounds_from_units", "info", message))
    return tuple(found)


def joined(parts: list[Continua]) -> Continua:
    """Put continua of equally many raters behind each other."""
    before = np.cumsum([0, *(part.n_blocks for part in parts)])
    return Continua(
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
        label=np.concatenate([part.label for part in parts]),
        rater=np.concatenate([part.rater for part in parts]),
        block=np.concatenate([p.block + b for p, b in zip(parts, before, strict=False)]),
        n_raters=parts[0].n_raters,
        n_blocks=int(before[-1]),
    )


def as_continua(continuum: Continuum) -> Continua:
    """Return one observed continuum as a block of its own."""
    return Continua(
        continuum.start,
        continuum.end,
        continuum.label,
        continuum.rater,
        np.zeros(len(continuum.start), dtype=np.int64),
        continuum.n_raters,
        1,
    )


def positive(value: Any, what: str, *, zero: bool = False) -> float:
    """Return a finite positive number."""
    number = isinstance(value, Real) and not isinstance(value, bool)
    if not number or not math.isfinite(value) or value < 0 or (value == 0 and not zero):
        least = "0 or more" if zero else "above 0"
        raise InputError.expected(what, f"a number {least}", value, f"for example {what}=1")
    return float(value)


def precision_of(precision: Any) -> float | None:
    """Return the wished precision of the expected disorder as a share, or None."""
    if precision is None or isinstance(precision, str):
        if precision is not None and precision not in PRECISION:
            raise InputError.unknown_word("precision", precision, PRECISION)
        return None if precision is None else PRECISION[precision]
    found = positive(precision, "precision")
    if found >= 1:
        raise InputError.expected("precision", "a share below 1", precision, "0.02 means 2 %")
    return found


def source_raters(units: Units, reference_raters: Any) -> set[int]:
    """Return the codes of the raters whose units random continua are made of."""
    if reference_raters is None:
        return set(range(units.n_raters))
    if isinstance(reference_raters, bytes) or not isinstance(reference_raters, Iterable):
        raise InputError.expected(
            "reference_raters", "a list of names", reference_raters, "for example ['Ann']"
        )
    names = [reference_raters] if isinstance(reference_raters, str) else list(reference_raters)
    for name in names:
        if name not in units.raters:
            raise InputError.unknown_word("a rater in reference_raters", name, units.raters)
    if not names:
        raise InputError.expected(
            "reference_raters", "at least one rater", names, "or None for all raters"
        )
    return {units.raters.index(name) for name in names}
