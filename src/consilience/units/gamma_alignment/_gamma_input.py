"""Turn units into the continua that gamma compares, and refuse what it cannot compare."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.checks import number_where, whole_number
from consilience.document import Finding, found
from consilience.exceptions import InputError
from consilience.units.gamma_alignment._chance_continua import Continuum
from consilience.units.gamma_alignment._dissimilarity import (
    Continua,
    Dissimilarity,
    scaled_distances,
)
from consilience.units.model._columns import Times, origin_of
from consilience.units.model._unit_findings import absent_findings, dropped_findings
from consilience.units.model.unit_checks import (
    check_data,
    check_label_count,
    check_pieces,
    check_positive,
    check_words,
    compared_blocks,
)
from consilience.units.model.units import Units

ALIGNMENTS = ("exact", "approximate")
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


@dataclass(frozen=True)
class Settings:
    """How continua are compared, and how those of chance are made."""

    dissimilarity: Dissimilarity
    variant: str
    approximate: bool
    most: int
    chance: str
    spacing: str


def prepared(units: Units, *, absent: str, point_length: float | None) -> Prepared:
    """Return the continua; sessions that hold nothing to compare are dropped with the reason."""
    sorted_units, compared, dropped = compared_blocks(units, "gamma", absent)
    check_pieces(units, "gamma")
    origin = _origins(units)
    start, end = _with_length(units, origin, point_length)
    blocks: list[Block] = []
    for b, present in compared:
        offset = sorted_units.offsets[b]
        rows = sorted_units.order[offset[0] : offset[-1]]
        at = int(sorted_units.session[b])
        low, high = (float(x) for x in units.bounds[at] - origin[at])
        continuum = Continuum(
            start=start[rows],
            end=end[rows],
            label=units.label[rows].astype(np.int64),
            offset=np.concatenate([[0], np.cumsum(np.diff(offset)[present])]),
            low=min(low, float(start[rows].min())),
            high=max(high, float(end[rows].max())),
            n_labels=len(units.labels),
        )
        raters = tuple(int(r) for r in present)
        blocks.append(Block(at, int(sorted_units.tier[b]), raters, continuum, rows))
    return Prepared(
        tuple(blocks),
        dropped,
        (*absent_findings(units, absent), *_findings(units), *dropped_findings(dropped)),
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
    message = (
        "The continuum of a session runs from its first onset to its last offset because its real "
        "length is not known; random continua are drawn within it."
    )
    return found(("fallback" in units.bounds_from, "bounds_from_units", "info", message))


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


def precision_of(precision: Any) -> float | None:
    """Return the wished precision of the expected disorder as a share, or None."""
    if precision is None or isinstance(precision, str):
        if precision is not None and precision not in PRECISION:
            raise InputError.unknown_word("precision", precision, PRECISION)
        return None if precision is None else PRECISION[precision]
    return number_where(
        "precision",
        precision,
        "a share above 0, below 1",
        "0.02 means 2%",
        fits=lambda x: 0 < x < 1,
    )


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


def checked_settings(
    units: Units,
    *,
    alpha: float,
    beta: float,
    distance: Any,
    categories: Sequence[Any] | None,
    words: Mapping[str, tuple[Any, tuple[str, ...]]],
    most: int,
) -> tuple[Settings, dict[str, Any]]:
    """Check the options that are words and numbers."""
    check_words(**words)
    position = check_positive(alpha, "alpha", zero="allowed")
    category = check_positive(beta, "beta", zero="allowed")
    if position == category == 0:
        raise InputError.expected("alpha and beta", "not both 0", (0, 0), "alpha=3, beta=1")
    most = whole_number("max_candidates", most, least=1, hint="for example 2_000_000")
    check_data(units)
    check_label_count(units.labels, "gamma")
    name, d_kl = scaled_distances(units.labels, distance, categories)
    chosen = {what: word for what, (word, _) in words.items()}
    return (
        Settings(
            Dissimilarity(position, category, d_kl),
            chosen.get("variant", "paper"),
            chosen["alignment"] == "approximate",
            most,
            chosen.get("chance", "shuffle"),
            chosen.get("spacing", "mean"),
        ),
        {**chosen, "distance": name},
    )
