"""BORIS projects (.boris, .boris.gz): observations with state and point events."""

from __future__ import annotations

from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._unit_numbers import json_number
from consilience.io.annotations.strands import Bounds, Found, Wishes
from consilience.io.annotations.timed._boris_events import Events
from consilience.io.annotations.unit_registry import register
from consilience.io.bytes._unit_files import File
from consilience.ratings import Note


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
            found.notes.append(
                Note(
                    "time_offset",
                    f"Observation {name[:80]!r} has a time offset of {offset:g} s; the times of "
                    "its events were taken as they stand in the project.",
                )
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
        place = f"observation {name[:80]!r}, event {k}"
        events.add(time, str(event[1] or ""), code, modifiers, place, is_state=kinds[code])
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
