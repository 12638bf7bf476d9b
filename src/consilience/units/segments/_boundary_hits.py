"""Boundaries in time: how many have a partner within a tolerance, one to one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.core.resample import Seed
from consilience.document import Document, Finding, Paragraph, Table
from consilience.inference import Interval
from consilience.units.linking._overlap_linking import exact_times
from consilience.units.model._sessions import SHARE, Draws
from consilience.units.model._unit_findings import dropped_findings
from consilience.units.model._unit_results import (
    PAIR,
    Accounted,
    SessionsDrawn,
    said_interval,
    said_units,
    unit_counts,
)
from consilience.units.model.unit_checks import check_data, check_time, check_word, compared_blocks
from consilience.units.model.units import Units

EDGES = ("leave_out", "include")
_NO_BOUNDARY = "no pair of raters has a boundary to compare"
_SLACK = 1e-9  # of the tolerance, for times that are no decimals


@dataclass(frozen=True, kw_only=True)
class BoundaryHits(SessionsDrawn, Accounted):
    """Boundaries that two raters share within a tolerance; see `boundary_hits`.

    `pairs` holds hits, boundaries of both raters, precision (hits / second rater's), recall
    (hits / first rater's) and their F; `value` is the mean F over pairs.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("draws", "_parts")
    recorded: ClassVar[tuple[str, ...]] = ("interval",)

    value: float
    pairs: tuple[Mapping[str, Any], ...]
    status: str
    reason: str | None
    n_sessions: int
    parameters: Mapping[str, Any]
    dropped: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()
    draws: Draws = field(repr=False)
    _parts: NDArray[np.float64] = field(repr=False)

    @cached_property
    def interval(self) -> Interval:
        """Interval of the mean F from resampling sessions."""
        return self.draws.interval(self._parts, _mean_f, SHARE)

    def document(self) -> Document:
        """Return the result as something to read."""
        table = Table.of(
            self.pairs,
            PAIR,
            "hits",
            "first: n_first",
            "second: n_second",
            "precision",
            "recall",
            "F: f1",
        )
        low, high = self.interval.low, self.interval.high
        said = said_units(self.units_by_session)
        said += f" Boundaries at most {self.parameters['tolerance']:g} apart count as one. Mean F "
        said += f"{self.value:.3f}" if math.isfinite(self.value) else f"undefined: {self.reason}"
        said += f" ({low:.3f} to {high:.3f})." if math.isfinite(low) else "."
        if not math.isfinite(low):
            said += f" {said_interval(self.interval)}"
        blocks = (Paragraph(said), table)
        return Document(title="Boundaries hit", blocks=blocks, findings=self.findings)


def boundary_hits(
    units: Units,
    *,
    tolerance: float,
    edges: Literal["leave_out", "include"] = "leave_out",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> BoundaryHits:
    """How many boundaries two raters share within a tolerance, matched one to one.

    Use it for boundaries in time, such as sections of music or phases of a film. Prefer
    `segmentation` for texts, where places can be counted and chance can be allowed for.

    Parameters
    ----------
    units : Units
        Every start and end of a unit is a boundary; those at one place are one.
    tolerance : number
        In the time unit of the data; a boundary so far away still is a hit.
    edges : {"leave_out", "include"}
        Whether the beginning and the end of a session count as boundaries. They are no decision
        of the rater, and including them raises every value.
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions.

    Returns
    -------
    BoundaryHits
        F = 2 hits / (boundaries of both); symmetric; not corrected for chance.

    Raises
    ------
    InputError
        A negative tolerance or an unknown word.
    UnsupportedDesignError
        Fewer than two raters.

    Examples
    --------
    >>> units = Units.from_boundaries({"a": [10.0, 20.4, 31.0], "b": [10.4, 20.9]}, length=40)
    >>> found = boundary_hits(units, tolerance=0.5)
    >>> found.pairs[0]["hits"], found.value
    (2, 0.8)
    """
    check_data(units)
    reach = check_time(tolerance, "tolerance", zero="allowed")
    check_word("edges", edges, EDGES)
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    combos = list(combinations(range(units.n_raters), 2))
    parts, dropped = _counted(units, combos, reach, edges)
    value = float(_mean_f(parts.sum(axis=0)))
    defined = math.isfinite(value)
    return BoundaryHits(
        value=value,
        pairs=_pairs(units.raters, combos, parts.sum(axis=0)),
        status="ok" if defined else "undefined",
        reason=None if defined else _NO_BOUNDARY,
        n_sessions=len(parts),
        parameters={"tolerance": reach, "edges": edges},
        dropped=dropped,
        findings=dropped_findings(dropped, advice=""),
        units_by_session=unit_counts(units, dropped=dropped),
        draws=draws,
        _parts=parts,
    )


def _counted(
    units: Units, combos: list[tuple[int, int]], tolerance: float, edges: str
) -> tuple[NDArray[np.float64], tuple[tuple[str, str], ...]]:
    """Return hits and boundaries of both raters (sessions, pairs, 3), and sessions left out."""
    blocks, compared, dropped = compared_blocks(units, "the comparison of boundaries", "drop")
    sessions = np.unique([blocks.session[b] for b, _ in compared]).tolist()
    used = {session: k for k, session in enumerate(sessions)}
    start, end, factor = exact_times(blocks.start, blocks.end)
    limits = units.bounds if factor == 1 else np.rint(units.bounds * factor)
    reach = tolerance * factor * (1 + _SLACK)
    parts = np.zeros((len(used), len(combos), 3))
    for b, present in compared:
        session = int(blocks.session[b])
        low, high = limits[session]
        found = []
        for r in range(units.n_raters):
            rows = blocks.of(b, r)
            at = np.unique(np.concatenate([start[rows], end[rows]]))
            found.append(at if edges == "include" else at[(at > low) & (at < high)])
        for c, (i, j) in enumerate(combos):
            if i in present and j in present:
                counts = (n_hits(found[i], found[j], reach), len(found[i]), len(found[j]))
                parts[used[session], c] += counts
    return parts, dropped


def n_hits(a: NDArray[Any], b: NDArray[Any], tolerance: float) -> int:
    """Return the largest number of one-to-one pairs no further apart than the tolerance.

    On a line, pairing the earliest boundaries that can be paired loses nothing.

    Examples
    --------
    >>> n_hits(np.array([1.0, 2.0]), np.array([1.5, 9.0]), 0.5)
    1
    """
    hits = i = j = 0
    one, other = a.tolist(), b.tolist()
    while i < len(one) and j < len(other):
        apart = one[i] - other[j]
        if abs(apart) <= tolerance:
            hits, i, j = hits + 1, i + 1, j + 1
        elif apart < 0:
            i += 1
        else:
            j += 1
    return hits


def _mean_f(sums: Any) -> Any:
    """Return the mean over pairs of 2 hits / boundaries; pairs without any are left out."""
    total = sums[..., 1] + sums[..., 2]
    known = total > 0
    f = np.where(known, 2 * sums[..., 0] / np.where(known, total, 1.0), 0.0)
    n = known.sum(axis=-1)
    return np.where(n > 0, f.sum(axis=-1) / np.maximum(n, 1), np.nan)


def _pairs(
    raters: tuple[str, ...], combos: list[tuple[int, int]], totals: NDArray[np.float64]
) -> tuple[Mapping[str, Any], ...]:
    return tuple(
        {
            "first": raters[i],
            "second": raters[j],
            "hits": int(hits),
            "n_first": int(first),
            "n_second": int(second),
            "precision": hits / second if second else math.nan,
            "recall": hits / first if first else math.nan,
            "f1": 2 * hits / (first + second) if first + second else math.nan,
        }
        for (i, j), (hits, first, second) in zip(combos, totals.tolist(), strict=True)
    )
