"""Praat TextGrids, long and short: a stream of numbers, flags and quoted strings."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NoReturn

from consilience.core.input_files import Said
from consilience.io.events.registry import Found, Strand, Wishes, register
from consilience.io.events.unit_files import File
from consilience.io.files.limits import refused

# Free-standing numbers only: those in "intervals [1]:" are decoration. Other words are eaten
# whole, so that no place is looked at twice.
_TOKEN = re.compile(
    r'\s*+(?:"(?P<text>(?:[^"]|"")*+)"|(?P<flag><exists>|<absent>)'
    r"|(?<!\S)(?P<number>[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?)(?!\S)"
    r'|(?<!\S)![^\n]*|(?P<open>")|[^\s"]++)'
)
_RULES = (
    "tier-suffix", "tier-prefix", "tier", "file-suffix", "file-prefix", "folder", "file",
)  # fmt: skip


class _Stream:
    """The tokens of a file, one after the other, each with its line when somebody asks."""

    def __init__(self, file: File) -> None:
        self.file = file
        self.text = file.text
        self.at = 0
        self._tokens = self._scan()

    def _scan(self) -> Iterator[tuple[str, str]]:
        for match in _TOKEN.finditer(self.text):
            kind = match.lastgroup
            if kind is None:
                continue
            self.at = match.start(kind)
            if kind == "open":
                self.wrong("a quotation mark", "closed", Said("one that never is"))
            yield kind, match[kind]
        self.at = len(self.text)

    def take(self, kind: str, what: str) -> str:
        """Return the next token, which must be of a kind."""
        found = next(self._tokens, None)
        if found is None:
            self.wrong(what, f"a {kind}", Said("the end of the file"))
        if found[0] != kind:
            self.wrong(what, f"a {kind}", found[1][:60])
        return found[1].replace('""', '"') if kind == "text" else found[1]

    def number(self, what: str) -> float:
        """Return the next token as a number."""
        return float(self.take("number", what))

    def count(self, what: str) -> int:
        """Return the next token as a number of things."""
        number = self.number(what)
        if not number.is_integer() or number < 0 or number > len(self.text):
            self.wrong(what, "a number of things", Said(f"{number:g}"))
        return int(number)

    @property
    def line(self) -> int:
        """The line of the last token."""
        return self.text.count("\n", 0, self.at) + 1

    def wrong(self, what: str, expectation: str, got: object) -> NoReturn:
        """Raise the sentence with file and line."""
        hint = "open the file in Praat and save it as text"
        raise self.file.wrong(self.line, what, expectation, got, hint)


def _recognise(file: File) -> bool:
    if file.suffix == ".textgrid" or file.start.startswith(b"ooBinaryFile"):
        return True
    return "ooTextFile" in file.head[:200] and "TextGrid" in file.head[:400]


@register(
    "textgrid",
    title="a Praat TextGrid",
    suffixes=(".textgrid",),
    rules=_RULES,
    recognise=_recognise,
)
def read_textgrid(file: File, wishes: Wishes) -> Found:
    """Read interval and point tiers; an interval without text is a gap."""
    if file.data.startswith(b"ooBinaryFile"):
        hint = "open it in Praat and use Save as text file"
        raise refused(str(file.path), "a TextGrid", "a text file", "a binary one", hint)
    stream = _Stream(file)
    kind = stream.take("text", "the file type")
    thing = stream.take("text", "the object class")
    if not kind.startswith("ooTextFile") or not thing.startswith("TextGrid"):
        stream.wrong("the file", "a TextGrid", f"{kind} {thing}"[:60])
    bounds = (stream.number("xmin"), stream.number("xmax"))
    found = Found(file.path, "s", in_seconds=True)
    lines = _Lines(stream.text)
    found.place = lines
    if stream.take("flag", "the flag for tiers") == "<exists>":
        for _ in range(stream.count("the number of tiers")):
            _read_tier(stream, found, lines)
    if len(found.strands):
        found.bounds = dict.fromkeys(range(len(found.strands)), bounds)
    return found


class _Lines:
    """Place of each unit, kept as an offset until somebody asks for its line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.offsets: list[int] = []

    def append(self, offset: int) -> None:
        """Remember where a unit stands."""
        self.offsets.append(offset)

    def __call__(self, row: int) -> int:
        return self.text.count("\n", 0, self.offsets[row]) + 1


def _read_tier(stream: _Stream, found: Found, lines: _Lines) -> None:
    kind = stream.take("text", "the class of a tier")
    if kind not in ("IntervalTier", "TextTier", "PointTier"):
        stream.wrong("the class of a tier", "IntervalTier or TextTier", kind[:60])
    name = stream.take("text", "the name of a tier")
    if any(strand.tier == name.strip() for strand in found.strands):
        stream.wrong("each tier", "named differently", name[:60])
    number = found.number(Strand(name.strip()))
    stream.number("xmin of a tier")
    stream.number("xmax of a tier")
    points = kind != "IntervalTier"
    blank = gaps = 0
    for _ in range(stream.count("the number of entries")):
        start = stream.number("a time")
        at = stream.at
        end = start if points else stream.number("the end of an interval")
        label = stream.take("text", "the text of an entry")
        if label.strip():
            found.add(number, start, end, label, at)
        else:
            blank += bool(label)
            gaps += 1
    found.ledger.set_aside(
        "units", name, gaps, reason="without a text they are gaps", matters=False
    )
    if blank:
        found.note("blank_texts", f"{blank} intervals of tier {name!r} hold blanks only: gaps.")
