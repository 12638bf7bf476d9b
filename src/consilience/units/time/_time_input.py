"""Checked input of the measures by time, and the stretches in which nobody changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.words import counted
from consilience.document import Finding, found
from consilience.exceptions import InputError
from consilience.units.model._sessions import Draws
from consilience.units.model._unit_findings import dropped_findings, note_findings
from consilience.units.model.asked import ABSENT, who_counts
from consilience.units.model.unit_checks import check_raters, check_time, check_units, check_words
from consilience.units.model.units import Units
from consilience.units.time._timeline import (
    INSTANTS,
    TOGETHER,
    Axis,
    Moments,
    States,
    Timeline,
    axis_of,
    gridded,
    moments,
    timelines,
)

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

    units: Units
    names: tuple[str, ...]
    sessions: tuple[str, ...]
    dropped: tuple[tuple[str, str], ...]
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
        units=known,
        names=names,
        sessions=who.sessions,
        dropped=who.dropped,
        axis=axis,
        lines=lines,
        moments=moments(lines, axis, who.seen[:, used]),
        categories=categories,
        place=place,
        atoms=atoms,
        holds=holds,
        settings=settings,
        findings=tuple(session_findings(known, names, used, who.dropped, points="leave out")),
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


def session_findings(
    units: Units,
    names: Sequence[str],
    used: Sequence[int],
    dropped: Sequence[tuple[str, str]],
    *,
    points: str,
) -> list[Finding]:
    """Report notes, point events that do not count, lengths that are guessed, sessions left out."""
    chosen = np.isin(units.rater, [units.raters.index(name) for name in names])
    n_points = int(np.count_nonzero(chosen & (units.start == units.end)))
    guessed = [units.sessions[k] for k in used if units.bounds_from[k] == "fallback"]
    return [
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
        *dropped_findings(dropped),
    ]
