"""What the readers of annotation platforms share: raters in facts, spans of characters."""

from __future__ import annotations

from collections import Counter
from typing import Any

from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.annotations._ledgers import NOT_MEASURED
from consilience.io.annotations._unit_numbers import json_number
from consilience.io.annotations.strands import Found, Strand
from consilience.io.bytes._unit_files import File
from consilience.io.rater_names import rater_name
from consilience.ratings import Note


def wrong(place: str, what: str, expectation: str, got: object) -> InputError:
    """Build the sentence that refuses something in a file."""
    return InputError.expected(what, expectation, got, "check the export", where=place)


class Marked:
    """The spans of one file: a strand for each text, question and rater, and what was left out."""

    def __init__(self, file: File) -> None:
        self.found = Found(file.path, "character")
        self.left: Counter[str] = Counter()

    def strand(self, tier: str, session: object, rater: object, text: object = None) -> int:
        """Return the number of a strand, which is there whether or not anything was marked."""
        name = rater_name(rater)
        facts = () if name is None else (("annotator", name),)
        number = self.found.number(Strand(str(tier), str(session)[:200], facts))
        if isinstance(text, str) and text:
            self.found.bounds[number] = (0, len(text))
            self.found.texts[number] = text
        return number

    def add(self, strand: int, start: object, end: object, label: object, place: str) -> None:
        """Add one span."""
        first, last = json_number(start), json_number(end)
        if first is None or last is None:
            raise wrong(place, "the place of a span", "two numbers, start and end",
                        Said(f"{str(start)[:30]} and {str(end)[:30]}"))  # fmt: skip
        self.found.add(strand, first, last, "" if label is None else str(label), place)

    def finish(self) -> Found:
        """Say what was left out."""
        for what, often in self.left.items():
            self.found.notes.append(Note("left_out", f"Left out: {often:,} {what}."))
        return self.found

    def use(self) -> None:
        """Count an entry (a record, an answer) that was used."""
        self.found.ledger.use("entries")

    def leave(self, what: str, count: int = 1, *, matters: bool = False, **inside: int) -> None:
        """Count entries that were left out, and the units and whatever else is `inside` them."""
        self.left[what] += count
        ledger = self.found.ledger
        ledger.set_aside("entries", what, count, reason="they do not count", matters=matters)
        for kind, often in inside.items():
            ledger.set_aside(kind, what, often, reason="they are in entries that do not count",
                             matters=matters)  # fmt: skip

    def besides(self, record: dict[str, Any], names: tuple[str, ...] = ("relations",)) -> None:
        """Count what a record holds besides spans."""
        for name in names:
            given = record.get(name)
            if isinstance(given, list):
                self.found.ledger.set_aside(name, "", len(given), reason=NOT_MEASURED)
