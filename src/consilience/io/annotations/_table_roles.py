"""Which column of a table of units is what: by name, or by content where there are no names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from consilience.core.cell_values import as_time, holds_time
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._table_names import (
    BESIDE,
    LABEL,
    RATER,
    SESSION,
    SPAN,
    TIER,
    named_like,
    time_role,
    words,
)
from consilience.io.annotations.strands import Wishes
from consilience.io.tables.table import Table

_ORDER = ("ms", "s", "min", None, "frame", "character", "token")
_PLAIN = "start"


@dataclass
class Roles:
    """The place of each role, the unit of the times, and what each column could be."""

    at: dict[str, int]
    unit: str | None = None
    sessions: tuple[int, ...] = ()  # named like a session, best first
    labels: tuple[int, ...] = ()  # named like a label
    free: tuple[int, ...] = ()  # of no known name
    joined: tuple[int, ...] = ()  # the session in several columns
    told: list[str] = field(default_factory=list)


def is_unnamed(table: Table) -> bool:
    """Tell whether a table has no header."""
    return table.names == tuple(str(k + 1) for k in range(len(table.names)))


def roles_of(table: Table, wishes: Wishes) -> Roles:
    """Find the column of each role; what was wished for goes first."""
    wished = dict(wishes.columns)
    joined = _joined(table, wished)
    at = {role: table.position(name, option=role) for role, name in wished.items()}
    if wishes.label is not None and "label" not in at:
        at["label"] = table.position(wishes.label, option="label")
    roles = _by_content(table, at) if is_unnamed(table) else _by_name(table, at)
    roles.joined = joined
    _check_times(table, roles, wishes)
    return roles


def _joined(table: Table, wished: dict[str, str]) -> tuple[int, ...]:
    """Take a session in several columns, written A+B, out of the wishes."""
    name = wished.get("session", "")
    if not name or name in table.names or "+" not in name:
        return ()
    parts = [part.strip() for part in wished.pop("session").split("+")]
    return tuple(table.position(part, option="session") for part in parts)


def _by_name(table: Table, at: dict[str, int]) -> Roles:
    times = {j: found for j, name in enumerate(table.names) if (found := time_role(name))}
    unit = _take_times(table.names, times, at)
    taken = set(at.values())

    def like(known: tuple[str, ...], *, ids: bool = True) -> tuple[int, ...]:
        fits = {
            j: rank
            for j, name in enumerate(table.names)
            if j not in taken and (rank := named_like(name, known, ids=ids)) is not None
        }
        return tuple(sorted(fits, key=lambda j: (fits[j], j)))

    for role, vocabulary in (("rater", RATER), ("tier", TIER), ("span", SPAN)):
        fitting = like(vocabulary)
        if role not in at and fitting:
            at[role] = fitting[0]
            taken.add(fitting[0])
    labels = like(LABEL, ids=False)
    if "label" not in at and labels:
        at["label"] = labels[0]
        taken.add(labels[0])
    sessions = () if "session" in at else like(SESSION)
    known = {*taken, *sessions, *times, *labels}
    free = tuple(
        j for j, name in enumerate(table.names) if j not in known and not set(words(name)) <= BESIDE
    )
    return Roles(at, unit, sessions, labels, free)


def _take_times(
    names: Sequence[str], times: dict[int, tuple[str, str | None]], at: dict[str, int]
) -> str | None:
    """Take start and end (or duration) of one unit; return the unit."""
    given = {role for role in ("start", "end", "duration") if role in at}
    by_unit: dict[str | None, dict[str, int]] = {}
    for j, (role, unit) in times.items():
        if j not in at.values():
            by_unit.setdefault(unit, {}).setdefault(role, j)
    offset = next(
        (j for j, name in enumerate(names) if words(name) in (["offset"], ["offsets"])), -1
    )
    plain = by_unit.get(None, {})
    if "start" not in plain and plain.get("end") == offset and "duration" in plain:
        plain["start"] = plain.pop("end")  # offset and length
    if given:
        units = {times[at[role]][1] for role in given if at[role] in times}
        unit = units.pop() if len(units) == 1 else None
        for role in ("start", "end", "duration"):
            if role not in at and role in by_unit.get(unit, plain):
                at[role] = by_unit.get(unit, plain)[role]
        if "end" in at:
            at.pop("duration", None) if "duration" not in given else None
        return unit
    whole = [u for u in _ORDER if {"start"} < set(by_unit.get(u, ()))]
    only = [u for u in _ORDER if "start" in by_unit.get(u, ())]
    for unit in (*whole, *only):
        for role, j in by_unit[unit].items():
            at[role] = j
        if "end" in at:
            at.pop("duration", None)
        elif unit is None and len(by_unit) > 1:  # start, end_ms: the unit is told once
            _add_other_unit(by_unit, at)
        return unit
    return None


def _add_other_unit(by_unit: dict[str | None, dict[str, int]], at: dict[str, int]) -> None:
    for found in by_unit.values():
        for role in ("end", "duration"):
            if role in found and not {"end", "duration"} & set(at):
                at[role] = found[role]


def _by_content(table: Table, at: dict[str, int]) -> Roles:
    """Understand columns without names: two columns of times that go up, then the texts."""
    rows = [[str(cell or "") for cell in row] for row in table.sample()]
    width = len(table.names)
    if width == 4 and not at and all(holds_time(row[2]) and holds_time(row[3]) for row in rows):
        return Roles({"rater": 0, "label": 1, "start": 2, "end": 3})  # the order of pygamma
    free = [j for j in range(width) if j not in at.values()]
    times = [j for j in free if all(holds_time(row[j]) for row in rows)]
    if "start" not in at:
        pairs = [
            (a, b)
            for a, b in pairwise(times)
            if b == a + 1
            and all((as_time(row[a]) or 0.0) <= (as_time(row[b]) or 0.0) for row in rows)
        ]
        if pairs and "end" not in at and "duration" not in at:
            at["start"], at["end"] = pairs[0]
        elif len(times) == 1:
            at["start"] = times[0]
    rest = [j for j in range(width) if j not in at.values()]
    texts = [j for j in rest if j not in times]
    if "label" not in at and len(texts or rest) == 1:
        at["label"] = (texts or rest)[0]
    elif "label" not in at and texts:
        raise InputError.expected(
            "the columns of a table without a header", "told apart by what is in them",
            Said(f"texts in the columns {', '.join(str(j + 1) for j in texts)}"),
            f"name them: columns={{'label': '{texts[-1] + 1}', 'rater': '{texts[0] + 1}'}}",
            where=table.where,
        )  # fmt: skip
    used = set(at.values())
    return Roles(at, None, free=tuple(j for j in range(width) if j not in used))


def _check_times(table: Table, roles: Roles, wishes: Wishes) -> None:
    at = roles.at
    if "start" not in at:
        raise InputError.expected(
            "a table of units",
            "one with a column for the start",
            Said(", ".join(table.names[:8])),
            "name it: columns={'start': …}",
            where=table.where,
        )
    if wishes.ends is not None and ("end" in at or "duration" in at):
        raise InputError.expected(
            "ends",
            "left out where a column says when an event ends",
            wishes.ends,
            "leave it out",
            where=table.where,
        )
    if "end" not in at and "duration" not in at and wishes.ends is None:
        raise InputError.expected(
            "a table of units",
            "one with a column for the end",
            Said(", ".join(table.names[:8])),
            "pass ends='next' if an event lasts until the rater's next one or if segments follow "
            "each other, ends='point' if it is a moment, or columns={'end': …}",
            where=table.where,
        )
