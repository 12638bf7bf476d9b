"""Agreement as BORIS computes it, and The Observer's totals: how often and how long, by session."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar, Literal

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import Seed
from consilience.core.result import Defined
from consilience.core.words import counted
from consilience.document import Document, Finding, Table
from consilience.document.records import Reasoned
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.ratings import Ratings
from consilience.units._columns import Times, as_floats
from consilience.units._linking import exact_times
from consilience.units._unit_results import (
    SHARE,
    Accounted,
    Draws,
    SessionsDrawn,
    TwoRaterKappa,
    page_of_raters,
    said_units,
)
from consilience.units.alignment import global_path
from consilience.units.checks import ABSENT_ADVICE, WhoCounts, check_data, check_time, compared
from consilience.units.link_tables import quotient, sampled_kappa, shown_label
from consilience.units.model import Units

# ---- what is on, as BORIS sees it

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


# ---- instants


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


# ---- stretches


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
        return page_of_raters(self, "Kappa as in BORIS", said, table)


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
        return page_of_raters(self, title, said, table)


# ---- BORIS

MODES = ("time_unit", "unweighted", "weighted")


def boris_kappa(
    units: Units,
    *,
    unit: float = 1,
    mode: Literal["time_unit", "unweighted", "weighted"] = "time_unit",
    point_weight: float = 1,
    subjects: Iterable[str] | None = None,
    raters: Sequence[str] | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> BorisKappa:
    """Cohen's kappa of two observations as BORIS counts, to compare with its numbers.

    For new work use `time_kappa`: here the result depends on the time unit and on where the first
    event happens to lie.

    Parameters
    ----------
    units : Units
        Raters are observations, tiers are subjects, labels are behaviours; units without a length
        are point events.
    unit : float
        Distance of the instants of mode "time_unit".
    mode : {"time_unit", "unweighted", "weighted"}
        Instants from the first event to the last, states closed at both ends, point events on for
        half a unit to either side, one tally for each subject; or, as in the plug-ins of 2026, one
        tally for each stretch between changes (or its length), and one for each instant with a
        point event.
    point_weight : float
        Weight of such an instant in mode "weighted".
    subjects : names, optional
        All subjects that were observed; also those without events.
    raters : two names, optional
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions; BORIS has none.

    Returns
    -------
    BorisKappa

    Raises
    ------
    InputError
        An unknown word, rater or subject, or an impossible unit.
    UnsupportedDesignError
        Not two raters, or no session with events of either.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("o1", "sit", 0, 4), ("o1", "run", 5, 9), ("o2", "sit", 0, 3), ("o2", "run", 4, 9)])
    >>> round(boris_kappa(units).kappa, 3)
    0.8
    """
    check_word("mode", mode, MODES)
    step = check_time(unit, "unit", zero="refused")
    weight = check_time(point_weight, "point_weight", zero="allowed")
    who, seen = _checked(units, raters, subjects)
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    tallies: list[Tally] = []
    for marked in marked_sessions(who, seen, step):
        if mode == "time_unit":
            tallies.append(instant_tally(marked, len(seen)))
        else:
            tallies.append(stretch_tally(marked, weight if mode == "weighted" else None))
    states, table, parts = _summed(tallies)
    return who.result(
        BorisKappa,
        *((_AS_BORIS,) if mode == "time_unit" else ()),
        mode=mode,
        unit=step if mode == "time_unit" else None,
        point_weight=None if mode == "time_unit" else weight if mode == "weighted" else 1.0,
        total=float(table.sum()),
        states=tuple(states),
        table=table,
        subjects=seen,
        **sampled_kappa(parts, draws, _ONE_STATE),
    )


_ONE_STATE = "chance agreement is 1: both show one and the same state (BORIS prints 1 here)"
_AS_BORIS = Finding(
    "as_boris",
    "info",
    "States are closed at both ends and time before the first and after the last event is left "
    "out, as in BORIS; kappa then depends on the time unit and on the first event.",
    "Use time_kappa to judge agreement.",
)


def boris_identity(
    units: Units,
    *,
    unit: float = 1,
    subjects: Iterable[str] | None = None,
    raters: Sequence[str] | None = None,
) -> BorisIdentity:
    """Needleman-Wunsch identity of two observations as BORIS computes it.

    What all subjects do at instants from the first event to the last onset is one sequence for
    each observation; the sequences are aligned with match 1, mismatch -1 and gap -1.

    Parameters
    ----------
    units, unit, subjects, raters
        As in `boris_kappa`.

    Returns
    -------
    BorisIdentity

    Raises
    ------
    InputError
        An unknown rater or subject, or an impossible unit.
    UnsupportedDesignError
        Not two raters, no events, or sequences too long to align.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("o1", "sit", 0, 4), ("o1", "run", 5, 9), ("o2", "sit", 0, 3), ("o2", "run", 4, 9)])
    >>> round(boris_identity(units).identity, 2)
    83.33
    """
    step = check_time(unit, "unit", zero="refused")
    who, seen = _checked(units, raters, subjects)
    found: dict[str, float] = {}
    matches = columns = score = 0
    for name, marked in zip(who.sessions, marked_sessions(who, seen, step), strict=True):
        coded, n_codes = state_sequences(marked)
        # 1, -1, -1 as costs: a code is worth 1/2, so match 0, mismatch 2, gap 1.5. Tracing from
        # the end is tracing the reversed sequences from the start.
        costs = 2.0 * (1.0 - np.eye(n_codes))
        path = global_path(coded[0][::-1], coded[1][::-1], costs, 1.5)
        linked = (path.first >= 0) & (path.second >= 0)
        same = coded[0][::-1][path.first[linked]] == coded[1][::-1][path.second[linked]]
        matches += int(same.sum())
        columns += len(path.first)
        score += 2 * int(same.sum()) - len(path.first)
        found[name] = 100.0 * int(same.sum()) / len(path.first)
    return who.result(
        BorisIdentity,
        unit=step,
        identity=100.0 * matches / columns,
        n_matches=matches,
        n_columns=columns,
        score=score,
        subjects=seen,
        by_session=found,
    )


def _summed(tallies: Sequence[Tally]) -> tuple[list[State], Floats, Floats]:
    """Return the states, the table, and each session's agreement and margins."""
    states = sorted({state for tally in tallies for pair in tally for state in pair}, key=named)
    place = {state: k for k, state in enumerate(states)}
    table = np.zeros((len(states), len(states)))
    parts = np.zeros((len(tallies), 3, len(states)))
    for part, tally in zip(parts, tallies, strict=True):
        for (first, second), n in tally.items():
            a, b = place[first], place[second]
            table[a, b] += n
            part[0, a] += n if a == b else 0.0
            part[1, a] += n
            part[2, b] += n
    return states, table, parts


def _checked(units: Any, raters: Any, subjects: Any) -> tuple[WhoCounts, tuple[str, ...]]:
    known = check_data(units)
    seen = known.tiers
    if subjects is not None:
        if isinstance(subjects, str) or not isinstance(subjects, Iterable):
            raise InputError.expected("subjects", "a list of names", subjects, "such as ['cat']")
        seen = tuple(dict.fromkeys(map(str, subjects)))
        inside = [tier for tier in known.tiers if tier in seen]
        if not inside:
            raise InputError.unknown_word("a subject", seen[0] if seen else "", known.tiers)
        known = known.select(tiers=inside)
    return compared(known, "kappa as in BORIS", raters, absent="drop"), seen


# ---- The Observer

KINDS = ("frequency", "duration")


@dataclass(frozen=True, kw_only=True)
class SessionTotals(Reasoned, SessionsDrawn, Accounted):
    """Totals of each label compared session by session, as The Observer does.

    Attributes
    ----------
    kind : {"frequency", "duration"}
    value : float
        Agreements over agreements and disagreements.
    agreements, disagreements : array (labels,)
        The smaller of two totals, and their difference, summed over sessions.
    totals : array (raters, sessions, labels)
    """

    recorded: ClassVar[tuple[str, ...]] = ("status",)

    kind: str
    raters: tuple[str, str]
    labels: tuple[Any, ...]
    sessions: tuple[str, ...] = field(repr=False)
    value: float
    reason: str | None
    agreements: Floats = field(repr=False)
    disagreements: Floats = field(repr=False)
    totals: Floats = field(repr=False)
    dropped: tuple[tuple[str, str], ...] = field(repr=False)
    interval: Interval = field(repr=False)
    findings: tuple[Finding, ...] = field(repr=False)

    def by_label(self) -> Mapping[Any, float]:
        """Return the agreement about each label; NaN for one that nobody used."""
        return dict(zip(self.labels, self._shares(), strict=True))

    def _shares(self) -> list[float]:
        shares: list[float] = quotient(
            self.agreements, self.agreements + self.disagreements
        ).tolist()
        return shares

    def ratings(self, label: Any) -> Ratings:
        """Return the totals of one label as ratings of sessions, for an intraclass correlation."""
        if label not in self.labels:
            raise InputError.unknown_word("a label", label, map(str, self.labels))
        column = self.totals[:, :, self.labels.index(label)]
        return Ratings.from_wide(
            column.T.tolist(), raters=list(self.raters), items=list(self.sessions), scale="ratio"
        )

    def _beside(self) -> Mapping[str, Any]:
        more = {"coefficient": f"{self.kind}_totals", "by_label": list(self.by_label().values())}
        return {**super()._beside(), **more}

    def document(self) -> Document:
        """Return the result as something to read."""
        sums = self.totals.sum(axis=1)
        rows: list[list[Any]] = [
            [label, *(f"{x:,.10g}" for x in total), value]
            for label, total, value in zip(
                [*map(shown_label, self.labels), "all labels"],
                [*sums.T, sums.sum(axis=1)],
                [*self._shares(), self.value],
                strict=True,
            )
        ]
        what = "How often" if self.kind == "frequency" else "How long"
        said = (
            f"{what} each label occurs in {counted(len(self.sessions), 'session')}: the smaller "
            "total agrees, the rest does not. Order and place do not count."
        )
        table = Table(heads=("label", *self.raters, "agreement"), rows=rows)
        title = f"{self.kind.capitalize()} of labels"
        return page_of_raters(self, title, said, table)


def session_totals(
    units: Units,
    *,
    kind: Literal["frequency", "duration"] = "frequency",
    raters: Sequence[str] | None = None,
    labels: Iterable[Any] | None = None,
    absent: Literal["asked", "drop", "count"] = "asked",
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> SessionTotals:
    """Compare how often, or how long, two raters use each label in each session.

    These are the comparisons "frequency" and "duration" of The Observer. They ignore where an
    event lies, so they are a first look and no measure of agreement about events; `ratings` hands
    the totals to an intraclass correlation.

    Parameters
    ----------
    units : Units
    kind : {"frequency", "duration"}
    raters : two names, optional
    labels : list, optional
        The code list, in order.
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.
    confidence_level, n_resamples, rng
        Of the interval, from resampling sessions.

    Returns
    -------
    SessionTotals

    Raises
    ------
    InputError
        An unknown word, rater or label.
    UnsupportedDesignError
        Not two raters, discontinuous units, no session to compare.

    References
    ----------
    .. [1] Jansen, R. G., Wiertz, L. F., Meyer, E. S. & Noldus, L. P. J. J. (2003). Reliability
       analysis of observational data: Problems, solutions, and software implementation. Behavior
       Research Methods 35, 391-399. doi:10.3758/BF03195516

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("a", "x", 0, 5), ("a", "y", 6, 9), ("b", "x", 1, 5), ("b", "x", 7, 8)])
    >>> session_totals(units).value  # x: 1 of 2, y: 0 of 1
    0.3333333333333333
    >>> session_totals(units, kind="duration").value  # x: 5 and 5, y: 3 and 0
    0.625
    """
    check_word("kind", kind, KINDS)
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
    who = compared(units, "the comparison of totals", raters, labels, absent=absent)
    totals = _totals(who.units, who.raters, kind)[:, who.used]
    least, most = totals.min(axis=0), totals.max(axis=0)
    parts = np.stack([least.sum(axis=1), most.sum(axis=1)], axis=1)
    interval = draws.interval(parts, lambda sums: quotient(sums[:, 0], sums[:, 1]), SHARE)
    value = float(quotient(*parts.sum(axis=0)))
    return who.result(
        SessionTotals,
        _NOT_EVENTS,
        advice=ABSENT_ADVICE,
        kind=kind,
        labels=who.units.labels,
        value=value,
        reason=None if math.isfinite(value) else "nothing was counted",
        agreements=least.sum(axis=0),
        disagreements=(most - least).sum(axis=0),
        totals=totals,
        interval=interval,
    )


_NOT_EVENTS = Finding(
    "totals_only",
    "info",
    "Totals can agree although the raters marked different events, and are not corrected for "
    "chance.",
    "Use easydiag or time_kappa to judge agreement about events.",
)


def _totals(units: Units, names: Sequence[str], kind: str) -> Floats:
    """Return how often or how long (raters, sessions, labels), as Jansen et al. 2003 compare."""
    place = np.full(units.n_raters, -1, dtype=np.int64)
    place[[units.raters.index(name) for name in names]] = (0, 1)
    who = place[units.rater]
    rows = np.flatnonzero(who >= 0)
    shape = (2, units.n_sessions, len(units.labels))
    cell = (who[rows] * shape[1] + units.session[rows]) * shape[2] + units.label[rows]
    start, end, factor = exact_times(units.start, units.end)
    weight = (end - start)[rows].astype(np.float64) if kind == "duration" else np.ones(len(rows))
    total = np.bincount(cell, weights=weight, minlength=math.prod(shape))
    return (total / (factor if kind == "duration" else 1.0)).reshape(shape)
