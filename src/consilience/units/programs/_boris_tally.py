"""What is on at each instant, or between changes, as BORIS sees it, and what is made of it."""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.result import Defined
from consilience.document import Document, Finding, Paragraph, Table
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.units.linking._overlap_linking import exact_times
from consilience.units.linking.diag_results import shown_label
from consilience.units.model._columns import Times, as_floats
from consilience.units.model._unit_results import (
    Accounted,
    SessionsDrawn,
    TwoRaterKappa,
    page_of_raters,
    said_units,
)
from consilience.units.model.asked import WhoCounts

_MOST_INSTANTS = 10_000_000
_SLACK = 1e-9
_NOTHING: tuple[Any, ...] = ()
State = tuple[Any, ...]  # what is on at one moment: sorted (subject, behaviour), with repeats
Tally = dict[tuple[State, State], float]


@dataclass(frozen=True, slots=True)
class Marked:
    """Two raters' units of one session, in whole numbers of half a step where possible."""

    start: Times
    end: Times
    rater: Ints
    subject: Ints
    names: list[tuple[str, Any]]  # subject and behaviour
    unit: Any  # the time unit on the same scale
    scale: float  # units of time in one number


def marked_sessions(who: WhoCounts, subjects: tuple[str, ...], unit: float) -> Iterable[Marked]:
    """Yield the sessions with events of both, on a scale on which half a unit is whole."""
    units = who.units
    times = as_floats(np.concatenate([units.start, units.end]))
    whole, step, factor = exact_times(times, np.array([unit]))
    n = len(units)
    place = np.array([subjects.index(tier) for tier in units.tiers], dtype=np.int64)
    rater = np.full(units.n_raters, -1, dtype=np.int64)
    rater[[units.raters.index(name) for name in who.raters]] = (0, 1)
    for session in np.flatnonzero(who.used):
        rows = np.flatnonzero((units.session == session) & (rater[units.rater] >= 0))
        yield Marked(
            start=2 * whole[:n][rows],
            end=2 * whole[n:][rows],
            rater=rater[units.rater[rows]],
            subject=place[units.tier[rows]],
            names=[
                (units.tiers[t], units.labels[k])
                for t, k in zip(units.tier[rows], units.label[rows], strict=True)
            ],
            unit=2 * step[0],
            scale=1.0 / (2.0 * factor),
        )


# -------------------------------------------------------------------- instants


def _runs(marked: Marked, rows: Ints, n: int) -> list[tuple[int, State]]:
    """Return from which instant on which state holds, of some units."""
    origin, unit = marked.start.min(), marked.unit
    point = marked.start[rows] == marked.end[rows]
    half = np.where(point, unit / 2.0 if unit.dtype.kind == "f" else unit // 2, 0)
    low = (marked.start[rows] - half - origin) / unit
    high = (marked.end[rows] + half - origin) / unit
    first = np.maximum(np.ceil(low - _SLACK), 0).astype(np.int64)
    last = np.minimum(np.floor(high + _SLACK) + 1, n).astype(np.int64)
    names = [marked.names[k] for k in rows]
    return _swept(zip(first.tolist(), last.tolist(), names, strict=True))


def _swept(stretches: Iterable[tuple[Any, Any, Any]]) -> list[tuple[Any, State]]:
    """Follow what is on; a thing that is on twice counts twice."""
    changes: dict[Any, list[tuple[Any, int]]] = {}
    for first, last, name in stretches:
        if last > first:
            changes.setdefault(first, []).append((name, 1))
            changes.setdefault(last, []).append((name, -1))
    on: Counter[Any] = Counter()
    out = []
    for at in sorted(changes):
        for name, step in changes[at]:
            on[name] += step
        on = +on
        out.append((at, tuple(sorted(on.elements(), key=str))))
    return out


def _n_instants(marked: Marked, last: Any) -> int:
    n = int(np.floor((last - marked.start.min()) / marked.unit + _SLACK)) + 1
    if n > _MOST_INSTANTS:
        raise InputError.expected(
            "unit",
            f"one that makes at most {_MOST_INSTANTS:,} instants",
            float(marked.unit * marked.scale),
            "use a larger unit, or time_kappa, which needs none",
        )
    return n


def instant_tally(marked: Marked, n_subjects: int) -> Tally:
    """Tally both observations' states of each subject at each instant."""
    n = _n_instants(marked, marked.end.max())
    tally: Tally = {}
    for subject in range(n_subjects):
        lines = [
            _runs(marked, np.flatnonzero((marked.subject == subject) & (marked.rater == r)), n)
            for r in (0, 1)
        ]
        for begin, end, pair in _together(lines, 0, n):
            tally[pair] = tally.get(pair, 0.0) + end - begin
    return tally


def _together(
    lines: Sequence[list[tuple[Any, State]]], begin: Any, end: Any
) -> Iterable[tuple[Any, Any, tuple[State, State]]]:
    """Yield the stretches in which neither observation changes."""
    cuts = sorted({begin, end, *(at for line in lines for at, _ in line if begin < at < end)})
    states = [dict(line) for line in lines]
    now = [_NOTHING, _NOTHING]
    for k, line in enumerate(lines):
        for at, state in line:
            if at <= begin:
                now[k] = state
    for a, b in pairwise(cuts):
        now = [found.get(a, held) for found, held in zip(states, now, strict=True)]
        yield a, b, (now[0], now[1])


def state_sequences(marked: Marked) -> tuple[list[Ints], int]:
    """Return both observations' states of all subjects at each instant, as codes."""
    n = _n_instants(marked, marked.start.max())
    lines = [_runs(marked, np.flatnonzero(marked.rater == r), n) for r in (0, 1)]
    codes: dict[State, int] = {}
    out = [np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64)]
    for begin, end, pair in _together(lines, 0, n):
        for row, state in zip(out, pair, strict=True):
            row[begin:end] = codes.setdefault(state, len(codes))
    return out, len(codes)


# -------------------------------------------------------------------- stretches


def stretch_tally(marked: Marked, weight: float | None) -> Tally:
    """Tally stretches between changes and instants with point events; None counts each once."""
    long = marked.end > marked.start
    names = marked.names
    lines, points = [], []
    for r in (0, 1):
        rows = np.flatnonzero((marked.rater == r) & long)
        lines.append(_swept((marked.start[k].item(), marked.end[k].item(), names[k]) for k in rows))
        found: dict[Any, list[Any]] = {}
        for k in np.flatnonzero((marked.rater == r) & ~long):
            found.setdefault(marked.start[k].item(), []).append(names[k])
        points.append(found)
    tally: Tally = {}
    begin, end = (side[long].tolist() for side in (marked.start, marked.end))
    for a, b, pair in _together(lines, min(begin), max(end)) if begin else ():
        added = 1.0 if weight is None else (b - a) * marked.scale
        tally[pair] = tally.get(pair, 0.0) + added
    for at in {*points[0], *points[1]}:
        said = [_at(line, at, more.get(at, [])) for line, more in zip(lines, points, strict=True)]
        pair = (said[0], said[1])
        tally[pair] = tally.get(pair, 0.0) + (1.0 if weight is None else weight)
    return tally


def _at(line: list[tuple[Any, State]], at: Any, more: list[Any]) -> State:
    place = bisect_right(line, at, key=lambda change: change[0]) - 1
    held = line[place][1] if place >= 0 else _NOTHING
    return tuple(sorted([*held, *more], key=str))


def named(state: State) -> str:
    """Write a state for people: subject|behaviour, joined."""
    return "+".join(f"{subject}|{shown_label(behaviour)}" for subject, behaviour in state)


@dataclass(frozen=True, kw_only=True)
class BorisKappa(SessionsDrawn, TwoRaterKappa):
    """Cohen's kappa of two observations, counted as BORIS counts.

    Attributes
    ----------
    table : array (K, K)
        Instants, intervals or time in each combination of states.
    states : tuple
        What was on: pairs of subject and behaviour; () is nothing.
    """

    coefficient: ClassVar[str] = "boris_kappa"

    mode: str
    unit: float | None
    point_weight: float | None
    total: float
    states: tuple[State, ...] = field(repr=False)
    table: Floats = field(repr=False)
    subjects: tuple[str, ...] = field(repr=False)
    sessions: tuple[str, ...] = field(repr=False)
    n_units: Mapping[str, int] = field(repr=False)
    interval: Interval = field(repr=False)

    def _beside(self) -> Mapping[str, Any]:
        return {**super()._beside(), "states": [named(x) for x in self.states]}

    def document(self) -> Document:
        """Return the result as something to read."""
        what = {
            "time_unit": f"Instants {self.unit:g} apart, in the time unit of the data"
            if self.unit
            else "",
            "unweighted": "Stretches between changes, each counted once",
            "weighted": "Stretches between changes, weighed by their length",
        }[self.mode]
        if self.mode != "time_unit":
            what += f"; a point event weighs {self.point_weight:g}"
        said = f"{said_units(self.units_by_session)} {what}; subjects: {', '.join(self.subjects)}."
        columns = ("tallies: total!,.10g", "observed", "by chance: expected", "kappa")
        table = Table.of([self], *columns)
        return page_of_raters(self, "Kappa as in BORIS", Paragraph(said), table)


@dataclass(frozen=True, kw_only=True)
class BorisIdentity(Defined, Accounted):
    """Needleman-Wunsch identity of two observations.

    Attributes
    ----------
    identity : float
        Percent of the columns of the alignment in which both show the same.
    n_matches, n_columns, score : int
        The score counts 1 for a match and -1 for a mismatch or gap.
    """

    interval_needs: ClassVar[str] = "an error that is known, and that of an alignment is not"
    coefficient: ClassVar[str] = "boris_identity"
    renamed: ClassVar[Mapping[str, str]] = {"identity": "value", "by_session": "sessions"}
    recorded: ClassVar[tuple[str, ...]] = ("coefficient",)

    raters: tuple[str, str]
    unit: float
    identity: float
    n_matches: int
    n_columns: int
    score: int
    subjects: tuple[str, ...]
    by_session: Mapping[str, float] = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)

    @property
    def value(self) -> float:
        """Identity in percent."""
        return self.identity

    def document(self) -> Document:
        """Return the result as something to read."""
        counts = ("matches: n_matches", "columns: n_columns", "score")
        table = Table.of([self], "identity (percent): identity", *counts)
        said = said_units(self.units_by_session) + (
            f" Instants {self.unit:g} apart, in the time unit of the data, up to the last onset; "
            "match 1, mismatch -1, gap -1, traced from the end with matches "
            "first. Not corrected for chance."
        )
        title = "Needleman-Wunsch identity as in BORIS"
        return page_of_raters(self, title, Paragraph(said), table)
