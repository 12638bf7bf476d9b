"""Events of one BORIS observation: states alternate between start and stop."""

from __future__ import annotations

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations.strands import Bounds, Found, Strand

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
        self.events: list[tuple[float, str, str, str, str, str]] = []
        self.strands: set[int] = set()

    def add(
        self,
        time: float,
        subject: str,
        code: str,
        modifiers: str,
        place: str,
        *,
        is_state: bool,
        status: str = "",
    ) -> None:
        """Add an event; `status` is START or STOP where the file says so."""
        kind = status or ("STATE" if is_state else "POINT")
        self.events.append((time, subject or NOBODY, code, modifiers, place, kind))

    def finish(self, bounds: Bounds | None) -> None:
        """Pair states in the order of time; an odd one is a fault of its observation."""
        open_states: dict[Key, tuple[float, str]] = {}
        for time, subject, code, modifiers, place, kind in sorted(self.events, key=lambda e: e[0]):
            key = (subject, code, modifiers)
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
        fault = InputError.expected(
            f"state {key[1]!r} of {key[0]!r}",
            "started and stopped in turns",
            Said(f"an event at {time:g} s without its partner"),
            "correct the observation in BORIS, or leave it out with a mapping for rater",
            where=f"{self.where}, {place.rpartition(', ')[2]}",
        )
        self._unit(key, time, time, place)
        self.found.faults[len(self.found.start) - 1] = fault
