"""The formats of units, registered one by one, and the strands that each turns a file into."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from consilience.core.input_files import Said
from consilience.core.labels import Note
from consilience.core.reading_account import Ledger
from consilience.core.registry import Registry
from consilience.core.words import first_of
from consilience.exceptions import InputError
from consilience.io.events.unit_files import File
from consilience.io.files.limits import refused
from consilience.io.names import rater_name

# ---- strands

Bounds = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Wishes:
    """What the caller asked for and a format may need while it reads."""

    columns: Mapping[str, str] = field(default_factory=dict)
    label: str | None = None
    rater: Any = None
    session: Any = None
    tiers: tuple[str, ...] = ()  # asked for by name
    ends: str | None = None
    bounds: Any = None
    encoding: str | None = None
    delimiter: str | None = None
    header: bool | None = None


@dataclass(frozen=True, slots=True)
class Strand:
    """One line of work inside a file: a tier, an observation, a document of one annotator.

    ``session`` is None where the file itself is the session; ``facts`` holds what may tell the
    rater: participant, annotator, observation, media, column, variable:NAME.
    """

    tier: str
    session: str | None = None
    facts: tuple[tuple[str, str], ...] = ()

    def fact(self, name: str) -> str | None:
        """Return what the file says about a strand, or None; names are those of `rater_name`."""
        said = (rater_name(value) for key, value in self.facts if key == name)
        return next(filter(None, said), None)


@dataclass(eq=False)
class Found:
    """The units of one file in columns, the strand of each, and what the file says of itself."""

    path: Path
    time_unit: str
    start: Any = field(default_factory=list)
    end: Any = field(default_factory=list)
    label: Any = field(default_factory=list)
    strand: Any = field(default_factory=list)
    place: Any = field(default_factory=list)
    span: list[Any] | None = None
    strands: list[Strand] = field(default_factory=list)
    bounds: dict[int, Bounds] = field(default_factory=dict)
    texts: dict[int, str | tuple[str, ...]] = field(default_factory=dict)  # letters, or words
    faults: dict[int, InputError] = field(default_factory=dict)
    notes: list[Note] = field(default_factory=list)
    in_seconds: bool = False
    ledger: Ledger = field(default_factory=Ledger)  # what it holds besides units
    session_from: str = ""  # what the session is, where a reader chose it
    _numbers: dict[Strand, int] = field(default_factory=dict)

    def number(self, strand: Strand) -> int:
        """Return the number of a strand, taking it in if it is new."""
        if strand not in self._numbers:
            self._numbers[strand] = len(self.strands)
            self.strands.append(strand)
        return self._numbers[strand]

    def add(self, strand: int, start: Any, end: Any, label: Any, place: Any) -> None:
        """Add one unit."""
        self.start.append(start)
        self.end.append(end)
        self.label.append(label)
        self.strand.append(strand)
        self.place.append(place)

    def note(self, code: str, message: str) -> None:
        """Keep something that the owner of the file should know."""
        self.notes.append(Note(code, message))

    def where(self, row: int) -> str:
        """Say where a unit stands: the file, and the line or the name in it."""
        place = self.place(row) if callable(self.place) else self.place[row]
        if place is None:
            return str(self.path)
        if isinstance(place, int):
            return f"{self.path}, line {place}"
        return str(place) if str(place).startswith(str(self.path)) else f"{self.path}, {place}"


def noted(*cases: tuple[object, str, str]) -> list[Note]:
    """Return a note for each case, (condition, code, message), whose condition holds."""
    return [Note(code, message) for told, code, message in cases if told]


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return names for a sentence, not too many of them."""
    return first_of([repr(name) for name in names], most)


# ---- formats

Reader = Callable[[File, Wishes], Found]
Recogniser = Callable[[File], bool]


@dataclass(frozen=True, kw_only=True)
class UnitFormat:
    """One format of units: how to know it, how to read it, what tells its raters.

    Attributes
    ----------
    name, title : str
    suffixes : tuple of str
        Endings of file names that are looked at; those that it shares with other formats are
        settled by the content.
    rules : tuple of str
        The rules for raters that make sense for it; the first is taken without being asked if
        `is_settled`.
    """

    name: str
    title: str
    suffixes: tuple[str, ...]
    rules: tuple[str, ...]
    is_settled: bool
    may_be_empty: bool
    recognise: Recogniser
    read: Reader


# Those that are told by their first line come before those that take any table.
_FILES = {
    "eaf": "events._elan",
    "textgrid": "events._textgrid",
    "boris": "events._boris",
    "brat": "events._brat",
    "xmi": "events.uima",
    "rttm": "events._timed_lines",
    "webanno": "exports._inception",
    "boris-table": "events._boris",
    "easydiag": "events._timed_lines",
    "elan-tab": "events._elan",
    "cas-json": "events.uima",
    "prodigy": "exports._prodigy",
    "argilla": "exports._argilla",
    "potato": "exports._potato",
    "doccano": "exports._doccano",
    "label-studio": "exports._label_studio",
    "parquet": "events._unit_table",
    "conll": "exports.conll",
    "table": "events._unit_table",
}
UNIT_FORMATS: Registry[UnitFormat] = Registry(
    "format",
    group="unit_readers",
    homes={name: f"consilience.io.{file}" for name, file in _FILES.items()},
)


def register(
    name: str,
    *,
    title: str,
    suffixes: tuple[str, ...],
    rules: tuple[str, ...],
    recognise: Recogniser,
    settled: bool = False,
    may_be_empty: bool = False,
) -> Callable[[Reader], Reader]:
    """Register a reader for one format."""

    def keep(read: Reader) -> Reader:
        UNIT_FORMATS.add(
            UnitFormat(
                name=name,
                title=title,
                suffixes=suffixes,
                rules=rules,
                is_settled=settled,
                may_be_empty=may_be_empty,
                recognise=recognise,
                read=read,
            )
        )
        return read

    return keep


def unit_formats() -> dict[str, UnitFormat]:
    """Return the formats that `read_units` knows, by name.

    Examples
    --------
    >>> unit_formats()["textgrid"].title
    'a Praat TextGrid'
    """
    return dict(UNIT_FORMATS)


def format_of(files: Sequence[File]) -> UnitFormat:
    """Find the one format of all files; refuse a mixture and what is not supported."""
    found = [_format_of(file) for file in files]
    if len({one.name for one in found}) > 1:
        seen = {one.name: file.path.name for file, one in zip(files, found, strict=True)}
        got = Said(", ".join(f"{path} ({name})" for name, path in seen.items()))
        hint = f"choose one with format={next(iter(seen))!r}, or read them one by one and merge"
        raise InputError.expected("files read together", "of one format", got, hint)
    return found[0]


def _format_of(file: File) -> UnitFormat:
    for one in UNIT_FORMATS.values():
        if file.suffix in one.suffixes and one.recognise(file):
            return one
    for one in UNIT_FORMATS.values():
        if one.name != "table" and one.recognise(file):
            return one
    got = f"a {file.suffix or 'nameless'} file that begins {file.head[:40]!r}"
    hint = f"pass format=, one of {', '.join(UNIT_FORMATS)}"
    raise refused(str(file.path), "the file", "one with units in a format that is known", got, hint)
