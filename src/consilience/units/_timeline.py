"""What each rater says at every moment: sessions laid end to end, cut where anybody changes."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Ints
from consilience.core.words import counted
from consilience.document import Finding
from consilience.document.blocks import found
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units._columns import LARGEST, Times
from consilience.units._linking import exact_times
from consilience.units._unit_results import Draws
from consilience.units.checks import (
    WhoCounts,
    check_raters,
    check_time,
    check_units,
    check_words,
    dropped_findings,
    note_findings,
    who_counts,
)
from consilience.units.model import ABSENT, Units, overlap_refusal

INSTANTS = ("start", "middle", "longest")
TOGETHER = ("refuse", "sets", "labels")
_ON_A_LINE = 1e-9  # share of a unit within which a time counts as a line of the grid
_MOST_STATES = 100_000
_DIGITS = 10
_MOST_DIGITS = 300  # beyond this a power of ten is no number


@dataclass(frozen=True, slots=True)
class Axis:
    """The tiers of sessions that count (blocks), one after the other on one axis of time."""

    block: Ints  # of each entry of the units, -1 if its session does not count
    start: Ints  # of each entry, on the axis
    end: Ints
    offset: Ints  # (blocks + 1): where each block begins, and where the last ends
    session: Ints  # of each block, a place in the sessions used
    factor: float  # axis time = the units' time x factor
    unit: float | None  # grid of the axis, whole if it can be

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        return len(self.session)


@dataclass(frozen=True, slots=True)
class Timeline:
    """States of one rater: from each cut on, until the next."""

    cut: Ints
    state: Ints


class States:
    """Numbers for what a rater can say at one moment: each label, nothing, several labels."""

    def __init__(self, n_labels: int) -> None:
        self.nil = n_labels
        self.members: list[frozenset[int]] = [frozenset([k]) for k in range(n_labels)]
        self.members.append(frozenset())
        self._known = {members: k for k, members in enumerate(self.members)}

    def __len__(self) -> int:
        return len(self.members)

    def number(self, members: frozenset[int]) -> int:
        """Return the number of a set of labels, a new one if it was not seen before."""
        if members not in self._known:
            self._known[members] = len(self.members)
            self.members.append(members)
        return self._known[members]


@dataclass(frozen=True, slots=True)
class Moments:
    """Stretches in which no rater changes: their length, session and each rater's state."""

    start: Ints
    end: Ints
    session: Ints
    state: Ints  # (stretches, raters); -1 where the rater did not see the session


def axis_of(units: Units, used: Any, *, unit: float | None, extra: float = 0.0) -> Axis:
    """Lay the tiers of the used sessions end to end; times become whole numbers if they can.

    A session in which nobody marked anything is one tier without units.
    """
    place = np.full(units.n_sessions, -1, dtype=np.int64)
    place[list(used)] = np.arange(len(used))
    n_tiers = max(len(units.tiers), 1)
    key = place[units.session] * n_tiers + units.tier
    inside = place[units.session] >= 0
    empty = sorted(set(range(len(used))) - set(place[units.session[inside]].tolist()))
    found = np.union1d(np.unique(key[inside]), np.array(empty, dtype=np.int64) * n_tiers)
    session = (found // n_tiers).astype(np.int64)
    first, last, bounds, factor = _whole(units, [unit or 0.0, extra])
    limits = bounds[np.asarray(used, dtype=np.int64)][session]
    lengths = limits[:, 1] - limits[:, 0]
    _check_total(float(lengths.astype(np.float64).sum()))
    offset = np.zeros(len(found) + 1, dtype=np.int64)
    offset[1:] = np.cumsum(lengths)
    block = np.where(inside, np.searchsorted(found, key), -1).astype(np.int64)
    shift = np.append(offset[:-1] - limits[:, 0], 0)[block]
    grid: float | None = None if unit is None else unit * factor
    if grid is not None:  # a unit beyond the end is one unit, however long
        grid = min(grid, 4.0 * float(offset[-1]) + 4.0)
    if grid is not None and abs(grid - round(grid)) <= _ON_A_LINE * min(grid, 1.0):
        grid = round(grid)
    return Axis(block, first + shift, last + shift, offset, session, factor, grid)


def _check_total(total: float) -> None:
    """Refuse more time than whole numbers can count."""
    if total >= LARGEST:
        raise UnsupportedDesignError.needs(
            "agreement by time",
            f"less than {LARGEST:,} units of time in all",
            f"{total:.3g}",
            "give times in a larger unit, such as milliseconds in place of nanoseconds",
        )


def _whole(units: Units, extras: Sequence[float]) -> tuple[Ints, Ints, Ints, float]:
    """Return starts, ends and bounds as whole numbers, so that equal times stay equal.

    Decimal times become numbers of their last digit; others keep ten digits.
    """
    more = np.asarray(extras, dtype=np.float64)
    if units.start.dtype.kind == "i" and (more == np.rint(more)).all():
        return units.start.astype(np.int64), units.end.astype(np.int64), _ints(units.bounds), 1.0
    times = np.concatenate([units.start, units.end]).astype(np.float64)
    rest = np.concatenate([units.bounds.ravel().astype(np.float64), more])
    whole, further, factor = exact_times(times, rest)
    if whole.dtype.kind != "i" or further.dtype.kind != "i":
        reach = max(float(np.abs(x).max(initial=0.0)) for x in (times, rest))
        digits = _DIGITS - 1 - math.floor(math.log10(reach or 1.0))
        factor = 10.0 ** min(digits, _MOST_DIGITS)
        whole, further = _ints(np.rint(times * factor)), _ints(np.rint(rest * factor))
    n, size = len(units.start), units.bounds.size
    limits = _ints(further[:size]).reshape(units.bounds.shape)
    return _ints(whole[:n]), _ints(whole[n:]), limits, factor


def _ints(array: Times) -> Ints:
    return array.astype(np.int64)


def timelines(
    units: Units, names: Sequence[str], axis: Axis, states: States, *, together: str
) -> list[Timeline]:
    """Return what each rater says from each cut on; point events take no time."""
    out = []
    for name in names:
        mine = (units.rater == units.raters.index(name)) & (axis.block >= 0)
        rows = np.flatnonzero(mine & (axis.end > axis.start))
        rows = rows[np.lexsort((axis.end[rows], axis.start[rows]))]
        start, end = axis.start[rows], axis.end[rows]
        label = units.label[rows].astype(np.int64)
        clash = start[1:] < np.maximum.accumulate(end)[:-1] if len(rows) else np.empty(0, bool)
        if clash.any():
            line = _sweep(start, end, label, axis, states)
            if together == "refuse" and len(states) > states.nil + 1:
                _refuse(units, rows, axis)
        else:
            line = _laid_out(start, end, label, axis, states.nil)
        out.append(line)
    if len(states) > _MOST_STATES and together != "labels":
        raise UnsupportedDesignError.needs(
            "agreement by time",
            f"at most {_MOST_STATES:,} labels or sets of labels",
            f"{len(states):,}",
            'relabel the units, or pass together="labels"',
        )
    return out


def _laid_out(start: Ints, end: Ints, label: Ints, axis: Axis, nil: int) -> Timeline:
    """Cut at ends (nothing follows), at the beginning of blocks, and at starts."""
    beginnings = axis.offset[:-1]
    cut = np.concatenate([end, beginnings, start])
    nothing = np.full(len(end) + len(beginnings), nil, dtype=np.int64)
    state = np.concatenate([nothing, label])
    order = np.argsort(cut, kind="stable")  # at one time the start of a unit comes last and holds
    return Timeline(cut[order], state[order])


def _sweep(start: Ints, end: Ints, label: Ints, axis: Axis, states: States) -> Timeline:
    """Follow the set of labels that are on, where units of one rater overlap."""
    beginnings = axis.offset[:-1]
    cut = np.concatenate([end, beginnings, start])
    code = np.concatenate([-label - 1, np.full(len(beginnings), states.nil), label])
    order = np.argsort(cut, kind="stable")
    on = [0] * states.nil
    active: frozenset[int] = frozenset()
    out = np.empty(len(order), dtype=np.int64)
    for k, change in enumerate(code[order].tolist()):
        if change < 0:
            which = -change - 1
            on[which] -= 1
            if not on[which]:
                active = active - {which}
        elif change < states.nil:
            on[change] += 1
            active = active | {change}
        out[k] = states.number(active) if len(active) < 2 else -1
        if len(active) >= 2 and (k + 1 == len(order) or cut[order[k + 1]] > cut[order[k]]):
            out[k] = states.number(active)
    return Timeline(cut[order], out)


def _refuse(units: Units, rows: Ints, axis: Axis) -> None:
    """Name two units of one rater that overlap with different labels."""
    start, end, label = axis.start[rows], axis.end[rows], units.label[rows]
    latest = 0
    for k in range(1, len(rows)):
        if start[k] < end[latest] and label[k] != label[latest]:
            hint = (
                'pass together="sets" to compare the labels that are on together, or '
                'together="labels" for each label by itself'
            )
            need = "one label at a time from each rater"
            raise overlap_refusal(units, "agreement by time", hint, rows[[latest, k]], need)
        if end[k] > end[latest]:
            latest = k


# ---- the grid


def gridded(
    lines: Sequence[Timeline], axis: Axis, nil: int, *, instant: str
) -> tuple[list[Timeline], Axis]:
    """Sample the states once in each unit of the grid; time is then counted in units."""
    assert axis.unit is not None
    lengths = np.diff(axis.offset)
    n_cells = _index(lengths, axis.unit, "start" if instant == "longest" else instant)
    offset = np.concatenate([[0], np.cumsum(n_cells)]).astype(np.int64)
    grid = replace(axis, offset=offset)
    if instant == "longest":
        return [_longest(line, axis, offset, nil) for line in lines], grid
    out = []
    for line in lines:
        block = _block_of(line.cut, axis)
        index = _index(line.cut - axis.offset[block], axis.unit, instant)
        out.append(Timeline(np.minimum(offset[block] + index, offset[block + 1]), line.state))
    return out, grid


def _block_of(cut: Ints, axis: Axis) -> Ints:
    return np.clip(np.searchsorted(axis.offset, cut, side="right") - 1, 0, axis.n_blocks - 1)


def _index(time: Ints, unit: float, instant: str) -> Ints:
    """Return the first cell whose instant does not lie before a time."""
    if isinstance(unit, int):
        above, below = (time, unit) if instant == "start" else (2 * time - unit, 2 * unit)
        cell = -(-above // below)
    else:
        shift = 0.0 if instant == "start" else 0.5
        cell = _ints(np.ceil(time / unit - shift - _ON_A_LINE))
    return np.asarray(np.maximum(cell, 0), dtype=np.int64)


def _longest(line: Timeline, axis: Axis, offset: Ints, nil: int) -> Timeline:
    """Give each unit of the grid the state that fills most of it; the first label on ties."""
    assert axis.unit is not None
    end = np.append(line.cut[1:], axis.offset[-1])
    keep = end > line.cut
    start, end, state = line.cut[keep], end[keep], line.state[keep]
    block = _block_of(start, axis)
    a, b, unit = start - axis.offset[block], end - axis.offset[block], axis.unit
    first = _ints(np.floor(a / unit + _ON_A_LINE))
    last = np.maximum(_ints(np.ceil(b / unit - _ON_A_LINE)), first + 1)
    head = np.minimum(b, (first + 1) * unit) - a  # cells first … last - 1 are touched
    tail = b - (last - 1) * unit
    split = last - first > 1
    cell = np.concatenate([offset[block] + first, (offset[block] + last - 1)[split]])
    length = np.concatenate([head, tail[split]]).astype(np.float64)
    who = np.concatenate([state, state[split]])
    won_cell, won = _winners(np.minimum(cell, offset[-1] - 1), length, who, nil)
    inner = last - first > 2
    cut = np.concatenate([won_cell, (offset[block] + first + 1)[inner]])
    said = np.concatenate([won, state[inner]])
    order = np.argsort(cut, kind="stable")
    return Timeline(cut[order], said[order])


def _winners(cell: Ints, length: NDArray[np.float64], state: Ints, nil: int) -> tuple[Ints, Ints]:
    rank = np.where(state == nil, np.iinfo(np.int64).max, state)
    order = np.lexsort((rank, cell))
    cell, length, state, rank = cell[order], length[order], state[order], rank[order]
    new = np.append(True, (cell[1:] != cell[:-1]) | (rank[1:] != rank[:-1]))
    at = np.flatnonzero(new)
    total = np.add.reduceat(length, at) if len(at) else length
    cell, state, rank = cell[at], state[at], rank[at]
    total = np.round(total, 12)
    order = np.lexsort((rank, -total, cell))
    first = np.append(True, cell[order][1:] != cell[order][:-1])[: len(order)]
    return cell[order][first], state[order][first]


# ---- together


def moments(lines: Sequence[Timeline], axis: Axis, present: NDArray[np.bool_]) -> Moments:
    """Cut the axis wherever a rater changes; ``present`` is raters x used sessions."""
    cuts = np.sort(np.concatenate([*(line.cut for line in lines), axis.offset]), kind="stable")
    cuts = cuts[np.append(True, cuts[1:] > cuts[:-1])]
    start, end = cuts[:-1], cuts[1:]
    session = axis.session[_block_of(start, axis)] if len(start) else np.empty(0, np.int64)
    columns = []
    for line, seen in zip(lines, present, strict=True):
        at = np.searchsorted(line.cut, start, side="right") - 1
        state = line.state[at] if len(line.state) else np.empty(0, np.int64)
        columns.append(np.where(seen[session], state, -1))
    return Moments(start, end, session, np.stack(columns, axis=1).astype(np.int64))


def covered(line: Timeline, axis: Axis, reach: int) -> Coverage:
    """Return how much of the time each state occurs within reach, as a function of time."""
    end = np.append(line.cut[1:], axis.offset[-1])
    keep = end > line.cut
    start, end, state = line.cut[keep], end[keep], line.state[keep]
    block = _block_of(start, axis)
    _check_total((float(axis.offset[-1]) + 1.0) * (float(state.max(initial=0)) + 2.0))
    reach = min(reach, int(axis.offset[-1]))
    start = np.maximum(start - reach, axis.offset[block])
    end = np.minimum(end + reach, axis.offset[block + 1])
    lift = state * (axis.offset[-1] + 1)
    order = np.argsort(start + lift, kind="stable")
    start, end = (start + lift)[order], np.maximum.accumulate((end + lift)[order])
    new = np.append(True, start[1:] > end[:-1])[: len(start)]
    at = np.flatnonzero(new)
    begins, ends = start[at], end[np.append(at[1:] - 1, len(end) - 1)] if len(at) else end
    total = np.concatenate([[0], np.cumsum(ends - begins)])
    return Coverage(begins, ends, total, int(axis.offset[-1]) + 1)


@dataclass(frozen=True, slots=True)
class Coverage:
    """The union of stretches of each state, all states on one lifted axis."""

    begin: Ints
    end: Ints
    total: Ints
    lift: int

    def within(self, state: Ints, start: Ints, end: Ints) -> Ints:
        """Return how much of each stretch is covered by the state."""
        return self._until(state, end) - self._until(state, start)

    def _until(self, state: Ints, time: Ints) -> Ints:
        at = time + state * self.lift
        k = np.searchsorted(self.begin, at, side="right") - 1
        inside = np.minimum(at, self.end[k]) - self.begin[k]
        return np.asarray(np.where(k >= 0, self.total[k] + inside, 0))


# ---- checked input

_Holds = tuple[NDArray[np.int64], NDArray[np.int64]]
NIL = "nil"
NILS = ("category", "exclude")


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSettings(Draws):
    """How time was compared and intervals are made."""

    unit: float | None
    instant: str | None
    tolerance: float
    nil: str
    together: str
    absent: str

    def __post_init__(self) -> None:
        Draws.__post_init__(self)
        check_words(
            instant=(self.instant, INSTANTS),
            nil=(self.nil, NILS),
            together=(self.together, TOGETHER),
            absent=(self.absent, ABSENT),
        )
        reach = check_time(self.tolerance, "tolerance", zero="allowed")
        object.__setattr__(self, "tolerance", reach)
        if self.unit is None:
            object.__setattr__(self, "instant", None)
        else:
            object.__setattr__(self, "unit", check_time(self.unit, "unit", zero="refused"))

    def sentence(self) -> str:
        """Say in words what was compared."""
        if self.unit is None:
            how = "Exact durations"
        else:
            at = {"start": "its start", "middle": "its middle", "longest": "its longest state"}
            how = f"Units of {self.unit:g}, each judged by {at[str(self.instant)]}"
        nil = "moments without a label are left out"
        if self.nil == "category":
            nil = 'moments without a label are the category "nil"'
        said = f"{how}; {nil}"
        if self.tolerance:
            said += f"; the other rater may be up to {self.tolerance:g} early or late"
        if self.together != "refuse":
            sets = "labels that are on together count as a set"
            said += f"; {sets if self.together == 'sets' else 'each label is judged by itself'}"
        return f"{said}."


@dataclass(frozen=True, slots=True)
class Prepared:
    """Everything a measure by time needs."""

    who: WhoCounts
    axis: Axis
    lines: list[Timeline]
    moments: Moments
    categories: tuple[Any, ...]  # what a state is called, nil last
    place: NDArray[np.int64]  # of each state in the categories
    atoms: tuple[Any, ...]  # single labels
    holds: _Holds  # categories, and an atom that each holds
    settings: TimeSettings
    findings: tuple[Finding, ...]

    @property
    def scale(self) -> float:
        """Units of reported time in one step of the axis."""
        return 1.0 if self.settings.unit is not None else 1.0 / self.axis.factor

    @property
    def nil(self) -> int:
        """Place of nil in the categories."""
        return len(self.categories) - 1


def prepare(
    units: Any, what: str, settings: TimeSettings, *, raters: Any, labels: Iterable[Any] | None
) -> Prepared:
    """Check everything and cut the time."""
    known = check_units(units, what, labels, many="allow")
    names = check_raters(known, raters)
    who = who_counts(known, names, what, absent=settings.absent, least=2, long=True)
    used = np.flatnonzero(who.used).tolist()
    axis = axis_of(known, used, unit=settings.unit, extra=settings.tolerance)
    states = States(len(known.labels))
    lines = timelines(known, names, axis, states, together=settings.together)
    if settings.instant is not None:
        lines, axis = gridded(lines, axis, states.nil, instant=settings.instant)
    categories, place, atoms, holds = _categories(known.labels, states, settings.together)
    return Prepared(
        who=who,
        axis=axis,
        lines=lines,
        moments=moments(lines, axis, who.seen[:, used]),
        categories=categories,
        place=place,
        atoms=atoms,
        holds=holds,
        settings=settings,
        findings=session_findings(who, points="leave out"),
    )


def _categories(
    labels: Sequence[Any], states: States, together: str
) -> tuple[tuple[Any, ...], NDArray[np.int64], tuple[Any, ...], _Holds]:
    """Name the states; where labels may be on together a state is the set of them."""
    if together == "refuse":
        if NIL in labels:
            raise InputError.expected(
                "labels", "other than 'nil', the name of moments without one", NIL, "rename it"
            )
        size = len(labels)
        each = np.arange(size)
        return (*labels, NIL), np.arange(size + 1), tuple(labels), (each, each)
    sets = [x if isinstance(x, frozenset) else frozenset([x]) for x in labels]
    named = [frozenset[Any]().union(*(sets[k] for k in state)) for state in states.members]
    atoms = tuple(dict.fromkeys(x for s in sets for x in sorted(s, key=str)))
    order = {atom: k for k, atom in enumerate(atoms)}
    distinct = sorted(set(named) - {frozenset()}, key=lambda s: (len(s), sorted(map(order.get, s))))  # type: ignore[type-var]
    listed = [*distinct, frozenset[Any]()]
    at = {value: k for k, value in enumerate(listed)}
    held = [(k, order[atom]) for k, value in enumerate(listed) for atom in value]
    category, atom_of = np.array(held, dtype=np.int64).reshape(-1, 2).T
    return tuple(listed), np.array([at[value] for value in named]), atoms, (category, atom_of)


def session_findings(who: WhoCounts, *, points: str) -> tuple[Finding, ...]:
    """Report notes, point events that do not count, lengths that are guessed, sessions left out."""
    units = who.units
    chosen = np.isin(units.rater, [units.raters.index(name) for name in who.raters])
    n_points = int(np.count_nonzero(chosen & (units.start == units.end)))
    guessed = [k for k in np.flatnonzero(who.used) if units.bounds_from[k] == "fallback"]
    return (
        *note_findings(units),
        *found(
            (
                n_points and points == "leave out",
                "point_events_left_out",
                "caution",
                f"{n_points} point events take no time and do not count here.",
                "Compare them by linking (easydiag with point_tolerance).",
            ),
            (
                guessed,
                "bounds_guessed",
                "caution",
                f"The length of {counted(len(guessed), 'session')} is not known and taken to be "
                "from the first onset to the last offset of any rater, so time before and after "
                "does not count.",
                "Give the bounds, if they are known.",
            ),
        ),
        *dropped_findings(who.dropped),
    )
