"""BORIS: projects (.boris, .boris.gz), aggregated events and tabular events."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consilience.core.cell_values import as_number
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.events.registry import Bounds, Found, Strand, Wishes, register
from consilience.io.events.unit_files import (
    File,
    Row,
    delimiter_of,
    json_number,
    number_at,
    rows_of,
)
from consilience.io.files.limits import refused

# ---- events of one observation

MODIFIERS = "they are no part of the label (label='behavior+modifiers' adds them)"
NOBODY = "No focal subject"
Key = tuple[str, str, str]  # subject, behaviour, modifiers


class Events:
    """Pairs the events of one observation; the subject is the tier."""

    def __init__(
        self, found: Found, *, where: str, facts: tuple[tuple[str, str], ...], with_modifiers: bool
    ) -> None:
        self.found = found
        self.where = where
        self.facts = facts
        self.with_modifiers = with_modifiers
        # time; subject, behaviour, modifiers; place; START, STOP, POINT, or STATE for one of two
        self.events: list[tuple[float, Key, str, str]] = []
        self.strands: set[int] = set()

    def finish(self, bounds: Bounds | None) -> None:
        """Pair states in the order of time; an odd one is a fault of its observation."""
        open_states: dict[Key, tuple[float, str]] = {}
        for time, key, place, kind in sorted(self.events, key=lambda event: event[0]):
            is_open = key in open_states
            if kind == "POINT":
                self._unit(key, time, time, place)
            elif is_open and kind in ("STOP", "STATE"):
                self._unit(key, open_states[key][0], time, open_states[key][1])
                del open_states[key]
            elif not is_open and kind in ("START", "STATE"):
                open_states[key] = (time, place)
            else:
                self._odd(key, time, place)
        for key, (start, place) in open_states.items():
            self._odd(key, start, place)
        if not self.strands:
            self._strand(NOBODY)
        if bounds is not None:
            self.found.bounds |= dict.fromkeys(self.strands, bounds)

    def _strand(self, subject: str) -> int:
        number = self.found.number(Strand(subject, None, self.facts))
        self.strands.add(number)
        return number

    def _unit(self, key: Key, start: float, end: float, place: str) -> None:
        subject, code, modifiers = key
        modified = modifiers not in ("", "None")
        named = self.with_modifiers and modified
        if modified and not named:
            self.found.ledger.set_aside("attributes", "modifiers", reason=MODIFIERS)
        label = f"{code}: {modifiers}" if named else code
        self.found.add(self._strand(subject), start, end, label, place)

    def _odd(self, key: Key, time: float, place: str) -> None:
        """Keep the fault with the unit; it counts only if its observation is wanted."""
        fault = refused(
            f"{self.where}, {place.rpartition(', ')[2]}",
            f"state {key[1]!r} of {key[0]!r}",
            "started and stopped in turns",
            f"an event at {time:g} s without its partner",
            "correct the observation in BORIS, or leave it out with a mapping for rater",
        )
        self._unit(key, time, time, place)
        self.found.faults[len(self.found.start) - 1] = fault


# ---- projects


def _recognise(file: File) -> bool:
    if file.suffix == ".boris":
        return True
    head = file.head.lstrip()
    return head.startswith("{") and ('"behaviors_conf"' in head or '"time_format"' in head)


@register(
    "boris",
    title="a BORIS project",
    suffixes=(".boris", ".json"),
    rules=("observation",),
    recognise=_recognise,
)
def read_boris(file: File, wishes: Wishes) -> Found:
    """Read every observation; what rates is told by a mapping, a variable or the observation."""
    project = file.json()
    if not isinstance(project, dict) or not isinstance(project.get("observations"), dict):
        raise _wrong(file, "the project", "one with observations", type(project).__name__)
    kinds = _kinds(file, project)
    found = Found(file.path, "s", in_seconds=True)
    for name, observation in project["observations"].items():
        if not isinstance(observation, dict):
            raise _wrong(file, f"observation {name[:60]!r}", "an object", Said("another value"))
        events = Events(
            found,
            where=f"{file.path}, observation {name[:80]!r}",
            facts=_facts(name, observation),
            with_modifiers=wishes.label == "behavior+modifiers",
        )
        _observation(file, name, observation, kinds, events)
        offset = json_number(observation.get("time offset", 0))
        if offset:
            found.note(
                "time_offset",
                f"Observation {name[:80]!r} has a time offset of {offset:g} s; the times of "
                "its events were taken as they stand in the project.",
            )
    return found


def _kinds(file: File, project: dict[str, Any]) -> dict[str, bool]:
    """Say of each behaviour whether it is a state."""
    listed = project.get("behaviors_conf", {})
    if not isinstance(listed, dict):
        raise _wrong(file, "behaviors_conf", "an object", type(listed).__name__)
    kinds: dict[str, bool] = {}
    for one in listed.values():
        if isinstance(one, dict):
            kinds[str(one.get("code"))] = "state" in str(one.get("type", "")).casefold()
    return kinds


def _facts(name: str, observation: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    facts = [("observation", name)]
    medium = _medium(observation)
    if medium:
        facts.append(("media", medium))
    variables = observation.get("independent_variables")
    for key, value in variables.items() if isinstance(variables, dict) else ():
        if str(value):
            facts.append((f"variable:{key}", str(value)))
    return tuple(facts)


def _observation(
    file: File, name: str, observation: dict[str, Any], kinds: dict[str, bool], events: Events
) -> None:
    listed = observation.get("events", [])
    if not isinstance(listed, list):
        raise _wrong(file, f"the events of {name[:60]!r}", "a list", type(listed).__name__)
    for k, event in enumerate(listed, start=1):
        if not isinstance(event, list) or len(event) < 3:
            raise _wrong(
                file, f"event {k} of {name[:60]!r}", "[time, subject, code, …]", str(event)[:60]
            )
        time = json_number(event[0])
        code = str(event[2])
        if time is None:
            raise _wrong(
                file, f"the time of event {k} of {name[:60]!r}", "a number", str(event[0])[:40]
            )
        if code not in kinds:
            raise _wrong(
                file, f"the behaviour of event {k} of {name[:60]!r}", "listed in the ethogram", code
            )
        modifiers = str(event[3]) if len(event) > 3 else ""
        key = (str(event[1] or "") or NOBODY, code, modifiers)
        place = f"observation {name[:80]!r}, event {k}"
        events.events.append((time, key, place, "STATE" if kinds[code] else "POINT"))
    events.finish(_bounds(observation))


def _medium(observation: dict[str, Any]) -> str | None:
    files = observation.get("file")
    if not isinstance(files, dict):
        return None
    first = files.get("1")
    return str(first[0]) if isinstance(first, list) and first else None


def _bounds(observation: dict[str, Any]) -> Bounds | None:
    """Return the interval of an observation: the one set in BORIS, or the length of its media."""
    interval = observation.get("observation time interval")
    if isinstance(interval, list) and len(interval) == 2:
        low, high = (json_number(value) for value in interval)
        if low is not None and high is not None and high > low:
            return low, high
    files, media = observation.get("file"), observation.get("media_info")
    if not isinstance(files, dict) or not isinstance(media, dict):
        return None
    lengths = media.get("length")
    played = files.get("1")
    if not isinstance(lengths, dict) or not isinstance(played, list) or not played:
        return None
    known = [json_number(lengths.get(str(name))) for name in played]
    if any(length is None for length in known):
        return None
    return 0.0, round(sum(length for length in known if length is not None), 6)


def _wrong(file: File, what: str, expectation: str, got: object) -> InputError:
    return InputError.expected(
        what, expectation, got, "open the project in BORIS and check it", where=str(file.path)
    )


# ---- exports of events

_LENGTHS = ("total length", "observation duration", "media duration (s)", "media duration")
_MEDIA = ("media file", "media file name", "media file path", "source")
_STATUS = ("START", "STOP", "POINT")


def _header_line(file: File) -> int | None:
    """Return the line of the header, counted from 0: below a block of facts in old exports."""
    for k, line in enumerate(file.head.splitlines()[:400]):
        words = {word.strip().strip('"').casefold() for word in line.split(delimiter_of(line))}
        if "behavior" in words and ("start (s)" in words or "time" in words):
            return k
    return None


@register(
    "boris-table",
    title="an export of events by BORIS",
    suffixes=(".tsv", ".csv", ".txt"),
    rules=("observation", "file"),
    recognise=lambda file: _header_line(file) is not None,
)
def read_boris_table(file: File, wishes: Wishes) -> Found:
    """Read aggregated or tabular events; the subject is the tier, the behaviour the label."""
    at = _header_line(file)
    lines = file.head.splitlines()
    if at is None:
        needed = "one with the columns Behavior and Start (s), or Behavior and Time"
        got = lines[0][:60] if lines else ""
        hint = "export aggregated events"
        raise InputError.expected("an export of BORIS", needed, got, hint, where=str(file.path))
    rows = rows_of(file, delimiter_of(lines[at]))
    top = next((k for k, (_, cells) in enumerate(rows) if "behavior" in _folded(cells)), None)
    if top is None:
        again = "export the events again"
        raise file.wrong(at + 1, "the header", "in one line", lines[at][:60], again)
    names = _folded(rows[top][1])
    head = {name: k for k, name in reversed(list(enumerate(names)))}
    table = _Table(file, head, rows[top + 1 :], wishes)
    table.observation = _observation_above(rows[:top])
    return table.aggregated() if "start (s)" in head else table.tabular()


def _folded(cells: list[str]) -> list[str]:
    return [cell.strip().casefold() for cell in cells]


def _observation_above(rows: list[Row]) -> str:
    for _, cells in rows:
        if cells[0].casefold() == "observation id" and len(cells) > 1:
            return cells[1]
    return ""


class _Table:
    """The rows of an export and where each column stands."""

    def __init__(
        self, file: File, head: Mapping[str, int], rows: list[Row], wishes: Wishes
    ) -> None:
        self.file = file
        self.head = head
        self.rows = rows
        self.observation = ""
        self.with_modifiers = wishes.label == "behavior+modifiers"
        self.found = Found(file.path, "s", in_seconds=True)

    def cell(self, cells: list[str], name: str) -> str:
        """Return a cell, or '' where the table has no such column."""
        at = self.head.get(name)
        return cells[at] if at is not None and at < len(cells) else ""

    def facts(self, cells: list[str]) -> tuple[tuple[str, str], ...]:
        """Return what may tell the rater or the session."""
        name = self.cell(cells, "observation id") or self.observation or self.file.stem
        facts = [("observation", name)]
        media = [self.cell(cells, word) for word in _MEDIA if self.cell(cells, word)]
        if media:
            facts.append(("media", media[0]))
        known = {"observation id", "subject", "behavior", "modifiers", "behavior type", "status"}
        for column, at in self.head.items():
            words = (*_LENGTHS, *_MEDIA, *known)
            if column in ("rater", "coder", "observer", "annotator") and column not in words:
                facts.append((f"variable:{column}", cells[at] if at < len(cells) else ""))
        return tuple(facts)

    def modifiers(self, cells: list[str]) -> str:
        """Return the modifiers of a row in one text."""
        names = [name for name in self.head if name.startswith("modifier")]
        return "|".join(filter(None, (self.cell(cells, name) for name in names)))

    def length(self, cells: list[str]) -> float | None:
        """Return the length of the recording, if a column tells it."""
        for word in _LENGTHS:
            value = as_number(self.cell(cells, word)) if self.cell(cells, word) else None
            if value:
                return value
        return None

    def aggregated(self) -> Found:
        """Read rows with a start and a stop."""
        for line, cells in self.rows:
            code = self._behaviour(line, cells)
            start = number_at(self.cell(cells, "start (s)"), self.file, line, "Start (s)")
            text = self.cell(cells, "stop (s)")
            point = self.cell(cells, "behavior type").upper().startswith("POINT")
            missing = text in ("", "NA") and point
            end = start if missing else number_at(text, self.file, line, "Stop (s)")
            subject = self.cell(cells, "subject") or NOBODY
            strand = self.found.number(Strand(subject, None, self.facts(cells)))
            extra = self.modifiers(cells)
            label = f"{code}: {extra}" if self.with_modifiers and extra else code
            if extra and label == code:
                self.found.ledger.set_aside("attributes", "modifiers", reason=MODIFIERS)
            self.found.add(strand, start, end, label, line)
            length = self.length(cells)
            if length is not None:
                self.found.bounds[strand] = (0.0, length)
        return self.found

    def tabular(self) -> Found:
        """Read rows that say START, STOP or POINT."""
        by_observation: dict[Any, Events] = {}
        lengths: dict[Any, float | None] = {}
        for line, cells in self.rows:
            code = self._behaviour(line, cells)
            time = number_at(self.cell(cells, "time"), self.file, line, "Time")
            status = (self.cell(cells, "status") or self.cell(cells, "behavior type")).upper()
            if status not in _STATUS:
                again = "export the events again"
                raise self.file.wrong(line, "Status", "START, STOP or POINT", status[:40], again)
            facts = self.facts(cells)
            key = facts[0]
            if key not in by_observation:
                where, modified = str(self.file.path), self.with_modifiers
                events = Events(self.found, where=where, facts=facts, with_modifiers=modified)
                by_observation[key] = events
                lengths[key] = self.length(cells)
            who = (self.cell(cells, "subject") or NOBODY, code, self.modifiers(cells))
            by_observation[key].events.append((time, who, f"line {line}", status))
        for key, events in by_observation.items():
            length = lengths[key]
            events.finish(None if length is None else (0.0, length))
        return self.found

    def _behaviour(self, line: int, cells: list[str]) -> str:
        code = self.cell(cells, "behavior")
        if not code:
            empty = Said("an empty cell")
            raise self.file.wrong(line, "Behavior", "filled in", empty, "complete the line")
        return code
