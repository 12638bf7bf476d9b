"""Time slots of an ELAN document: known times, and even spacing where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path

from consilience.core.input_files import Said
from consilience.exceptions import InputError


class Slots:
    """The time of each slot; slots without one lie evenly between their known neighbours."""

    def __init__(self, path: Path, known: Mapping[str, int | None]) -> None:
        self.path = path
        self.known = known
        self.order = list(known)
        self.place = {name: k for k, name in enumerate(self.order)}
        self.filled: dict[str, int] = {}

    def chain(self, pairs: Sequence[tuple[str, str]]) -> None:
        """Spread the slots of annotations that follow each other on one tier."""
        after = {first: last for first, last in pairs if first != last}
        before = {last: first for first, last in pairs if first != last}
        for name in list(after):
            if self._value(name) is None or self._value(after[name]) is not None:
                continue
            if before[after[name]] != name:  # walked once only, from its last claimant
                continue
            run, at = [name], after[name]
            while self._value(at) is None and at in after and len(run) <= len(after):
                run.append(at)
                at = after[at]
            if self._value(at) is not None:
                self._spread([*run, at])

    def interval(self, pair: tuple[str, str], line: int) -> tuple[int, int]:
        """Return the times of two slots."""
        begin, end = (self._time(name, line) for name in pair)
        return begin, end

    def _value(self, name: str) -> int | None:
        value = self.known.get(name)
        return self.filled.get(name) if value is None else value

    def _time(self, name: str, line: int) -> int:
        if name not in self.place:
            raise self._wrong(f"time slot {name!r}", "listed in TIME_ORDER", Said("none"), line)
        value = self._value(name)
        if value is not None:
            return value
        # Not between two known slots of its own tier: then between those in the list of all.
        low = high = self.place[name]
        while low >= 0 and self._value(self.order[low]) is None:
            low -= 1
        while high < len(self.order) and self._value(self.order[high]) is None:
            high += 1
        if low < 0 or high == len(self.order):
            raise self._wrong(
                f"time slot {name!r}", "given a time, or between slots that have one",
                Said("neither"), line,
            )  # fmt: skip
        self._spread(self.order[low : high + 1])
        return self.filled[name]

    def _spread(self, names: Sequence[str]) -> None:
        first, last = self._value(names[0]), self._value(names[-1])
        if first is None or last is None:
            return
        steps = len(names) - 1
        for k, name in enumerate(names[1:-1], start=1):
            self.filled[name] = round(first + Fraction(k * (last - first), steps))

    def _wrong(self, what: str, expectation: str, got: object, line: int) -> InputError:
        return InputError.expected(
            what, expectation, got, "open and save the file in ELAN",
            where=f"{self.path}, line {line}",
        )  # fmt: skip
