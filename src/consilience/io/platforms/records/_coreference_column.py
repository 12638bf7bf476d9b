"""The coreference column of CoNLL 2011 and 2012: where mentions of entities begin and end."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from consilience.core.input_files import Said
from consilience.exceptions import InputError

BEGIN, END = "#begin document", "#end document"
NOTHING = ("-", "_", "*")
_NAME = re.compile(r"#begin document\s*\(?(.*?)\)?\s*;?\s*(?:part\s*(\d{1,9}))?\s*", re.IGNORECASE)
_PART = re.compile(r"(\()?([^()|\s]{1,60})(\))?")
_LONGEST = 40  # signs of a mention's words that its name shows
_MOST_OPEN = 1_000  # mentions inside each other


@dataclass(frozen=True)
class Mention:
    """One mention: its words, the first and the last from 1, and the entity it belongs to."""

    first: int
    last: int
    entity: str
    words: str
    line: int

    @property
    def span(self) -> tuple[int, int]:
        """What makes it the same mention in another rater's file."""
        return self.first, self.last


@dataclass
class Text:
    """One document, or one part of it, as one rater left it."""

    name: str
    line: int
    words: list[str] = field(default_factory=list)
    mentions: list[Mention] = field(default_factory=list)


def begins_as_coreference(text: str) -> bool:
    """Tell whether a file begins like one of the CoNLL tasks on coreference."""
    lines = (line.strip() for line in text.lstrip("\ufeff").splitlines())
    first = next((line for line in lines if line and not line.startswith("# ")), "")
    return first.casefold().startswith(BEGIN)


def texts_in(content: str, where: str) -> list[Text]:
    """Return the documents of a file with their mentions.

    A closing bracket ends the mention of its entity that was opened last, as in the scorer of the
    CoNLL tasks. Columns are separated by blanks or tabs; the last one tells the mentions.
    """
    found: list[Text] = []
    reading: _Reading | None = None
    number = 0
    for number, line in enumerate(content.splitlines(), start=1):
        head = line.strip()
        mark = head[: len(BEGIN)].casefold() if head.startswith("#") else ""
        if mark == BEGIN:
            if reading is not None:
                raise _refused(f"{where}, line {number}", "a document", f"ended by {END}",
                               f"{head[:60]!r} inside one")  # fmt: skip
            reading = _Reading(Text(_name(head), number), where)
        elif mark.startswith(END):
            if reading is None:
                raise _refused(f"{where}, line {number}", END, f"preceded by {BEGIN}",
                               "no beginning")  # fmt: skip
            found.append(reading.closed())
            reading = None
        elif head and not head.startswith("# "):
            if reading is None:
                raise _refused(f"{where}, line {number}", "a word",
                               f"part of a document that begins with {BEGIN}",
                               f"{head[:60]!r}")  # fmt: skip
            reading.take(head.split(), number)
    if reading is not None:
        raise _refused(f"{where}, line {number}", "the last document", f"ended by {END}",
                       "the end of the file", "check that it was copied completely")  # fmt: skip
    _check_names(found, where)
    return found


class _Reading:
    """One document while it is read."""

    def __init__(self, text: Text, where: str) -> None:
        self.text, self.where = text, where
        self.width = 0
        self.open: dict[str, list[tuple[int, int]]] = {}
        self.n_open = 0

    def take(self, cells: list[str], line: int) -> None:
        """Read one word and what begins or ends at it."""
        if len(cells) < 2:
            raise _refused(f"{self.where}, line {line}", "a line", "a word and its coreference",
                           f"{cells[0][:60]!r}")  # fmt: skip
        if self.width and len(cells) != self.width:
            raise _refused(f"{self.where}, line {line}", "every line of a document",
                           f"cut into {self.width} cells", f"{len(cells)}")  # fmt: skip
        self.width = len(cells)
        self.text.words.append(cells[_word_column(cells)])
        if cells[-1] not in NOTHING:
            for begins, entity, ends in _marks(cells[-1], f"{self.where}, line {line}"):
                self._mark(begins, entity, ends, line)

    def _mark(self, begins: bool, entity: str, ends: bool, line: int) -> None:
        at = len(self.text.words)
        if begins:
            self.open.setdefault(entity, []).append((at, line))
            self.n_open += 1
            if self.n_open > _MOST_OPEN:
                raise _refused(f"{self.where}, line {line}", "mentions inside each other",
                               f"at most {_MOST_OPEN:,}", "more")  # fmt: skip
        if ends:
            if not self.open.get(entity):
                raise _refused(f"{self.where}, line {line}", f"{entity})",
                               f"preceded by ({entity}", "an end without a beginning")  # fmt: skip
            first, begun = self.open[entity].pop()
            self.n_open -= 1
            words = _shown(self.text.words[first - 1 : at])
            self.text.mentions.append(Mention(first, at, entity, words, begun))

    def closed(self) -> Text:
        """Return the document; refuse a mention without an end, or marked twice."""
        for entity, begun in self.open.items():
            if begun:
                raise _refused(f"{self.where}, line {begun[-1][1]}", f"({entity}",
                               f"followed by {entity})", "a beginning without an end")  # fmt: skip
        seen: dict[tuple[int, int], Mention] = {}
        self.text.mentions.sort(key=lambda one: (one.first, -one.last))
        for one in self.text.mentions:
            other = seen.setdefault(one.span, one)
            if other is not one:
                raise _refused(
                    f"{self.where}, line {one.line}", f"the mention {one.words!r}",
                    "marked once", f"the entities {other.entity} and {one.entity}",
                    "join the chains that share a mention",
                )  # fmt: skip
        return self.text


def _marks(cell: str, place: str) -> Iterator[tuple[bool, str, bool]]:
    """Take a cell such as (3|(4)|5) apart."""
    for part in cell.split("|"):
        found = _PART.fullmatch(part)
        if found is None or not (found[1] or found[3]):
            raise _refused(place, "the coreference of a word", "-, or as in (12), (3|(4 and 5)",
                           f"{cell[:60]!r}")  # fmt: skip
        yield found[1] is not None, found[2], found[3] is not None


def _word_column(cells: list[str]) -> int:
    """Return which cell is the word: the fourth of CoNLL, the second behind a number."""
    if cells[0].isdecimal():
        return min(1, len(cells) - 2)
    return {2: 0, 3: 1, 4: 2}.get(len(cells), 3)


def _shown(words: list[str]) -> str:
    text = " ".join(words)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1].rstrip()}…"


def _name(head: str) -> str:
    found = _NAME.fullmatch(head)
    name, part = (head[len(BEGIN) :].strip(), None) if found is None else found.groups()
    return name if part is None else f"{name} part {int(part)}"


def _check_names(texts: list[Text], where: str) -> None:
    seen: dict[str, Text] = {}
    for one in texts:
        if seen.setdefault(one.name, one) is not one:
            raise _refused(
                f"{where}, line {one.line}", "a document", "in a file once",
                f"{one.name!r} again, after line {seen[one.name].line}",
            )  # fmt: skip


def _refused(
    place: str, what: str, expectation: str, got: str, hint: str = "correct the line"
) -> InputError:
    return InputError.expected(what, expectation, Said(got), hint, where=place)
