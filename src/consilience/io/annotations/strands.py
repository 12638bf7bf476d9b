"""What every format turns a file into: strands of units, before anybody is called a rater."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from consilience.core.account import Ledger
from consilience.core.words import first_of
from consilience.exceptions import InputError
from consilience.io.rater_names import rater_name
from consilience.ratings import Note

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

    def column_of(self, wish: Any) -> str | None:
        """Return NAME of "column:NAME"."""
        return wish[len("column:") :] if isinstance(wish, str) and _is_column(wish) else None


def _is_column(wish: str) -> bool:
    return wish.startswith("column:")


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

    def where(self, row: int) -> str:
        """Say where a unit stands: the file, and the line or the name in it."""
        place = self.place(row) if callable(self.place) else self.place[row]
        if place is None:
            return str(self.path)
        if isinstance(place, int):
            return f"{self.path}, line {place}"
        return str(place) if str(place).startswith(str(self.path)) else f"{self.path}, {place}"


def listed(names: Sequence[str], most: int = 8) -> str:
    """Return names for a sentence, not too many of them."""
    return first_of([repr(name) for name in names], most)
