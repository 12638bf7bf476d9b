"""What every format turns into: a relation in DuckDB with columns c0, c1, ... and their names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from consilience.core.cell_values import clean_value
from consilience.core.database import Session
from consilience.core.words import first_of
from consilience.exceptions import InputError

if TYPE_CHECKING:
    from consilience.io.layout.printed_tables import PrintedTable

Kind = Literal["text", "number", "boolean", "list"]
_FIRST_ROWS = 600  # that stand together, of the rows that are looked at
SAMPLE_ROWS = 1_000  # enough to recognise a layout, cheap to look at in Python


@dataclass(frozen=True)
class Table:
    """A file, or several alike, as one relation.

    Attributes
    ----------
    relation : str
        Table or view with the columns ``c0``, ``c1``, ... in file order.
    names : tuple of str
        What the file calls the columns.
    kinds : tuple of str
        Kind of value in each column.
    row : str
        SQL expression for the position of a row, counted from 0 over all files.
    file : str or None
        SQL expression for the number of the file, when there are several.
    is_text : bool
        Everything was text in the file, so numbers are still to be found in it.
    locate : callable
        Turns the position of a row into "ratings.csv, line 14".
    """

    session: Session
    relation: str
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    row: str
    n_rows: int
    paths: tuple[Path, ...]
    format: str
    is_text: bool
    locate: Callable[[int], str]
    file: str | None = None
    decimal_comma: bool = False
    evidence: tuple[str, ...] = field(default=())
    dialect: tuple[tuple[str, str, str], ...] = ()  # what of the text, taken as, because
    scales: Mapping[str, str] = field(default_factory=dict)  # what the file itself suggests
    orders: Mapping[str, tuple[str, ...]] = field(default_factory=dict)  # column to its labels
    by: str | None = None  # the column to group by, unless the caller names one
    n_below: int = 0  # rows below the data that were taken off
    columns_name: str = ""  # what a frame calls its columns, as a pivot does
    n_index: int = 0  # leading columns that are the index of a frame
    is_long: bool = False  # the loader has followed the shape that was told, and made it long
    printed: PrintedTable | None = None  # the cross-table that it was made of

    @property
    def where(self) -> str:
        """The files, for messages."""
        return first_of(self.paths, 1) if self.paths else "the frame"

    def sample(self) -> list[tuple[Any, ...]]:
        """Return the first rows, blanks around text removed."""
        return self._sample

    @cached_property
    def _sample(self) -> list[tuple[Any, ...]]:
        return [row[:-1] for row in self._looked_at]

    @cached_property
    def _looked_at(self) -> list[tuple[Any, ...]]:
        """The first rows, and of a long table some from all over it; the file comes last."""
        if self.n_rows <= SAMPLE_ROWS:
            return self._cells(f"LIMIT {SAMPLE_ROWS}")
        step = self.n_rows // (SAMPLE_ROWS - _FIRST_ROWS)
        # Rows that are named one by one are found without a look at all the others.
        spread = [str(k) for k in range(0, self.n_rows, step) if k >= _FIRST_ROWS]
        listed = ", ".join(spread[: SAMPLE_ROWS - _FIRST_ROWS])
        first = self._cells(f"WHERE {self.row} < {_FIRST_ROWS}")
        return [*first, *self._cells(f"WHERE {self.row} IN ({listed})")]

    def all_rows(self) -> list[tuple[Any, ...]]:
        """Return every row, in order; for small tables."""
        if self.n_rows <= SAMPLE_ROWS:
            return self._sample
        return [row[:-1] for row in self._cells(f"ORDER BY {self.row}")]

    def _cells(self, end: str) -> list[tuple[Any, ...]]:
        columns = [*(f"c{j}" for j in range(len(self.names))), self.file or "0"]
        rows = self.session.rows(f"SELECT {', '.join(columns)} FROM {self.relation} {end}")
        return [tuple(map(clean_value, row)) for row in rows]

    def files_of_sample(self) -> list[int]:
        """Return the number of the file of each row of the sample."""
        return [int(row[-1]) for row in self._looked_at]

    def position(self, name: str, *, option: str) -> int:
        """Return the place of the column with this name; refuse an unknown one."""
        if name in self.names:
            return self.names.index(name)
        folded = [other.casefold() for other in self.names]
        if folded.count(name.casefold()) == 1:
            return folded.index(name.casefold())
        raise InputError.unknown_word(f"{self.where}: {option}", name, self.names)

    def positions(self, names: Sequence[str], *, option: str) -> tuple[int, ...]:
        """Return the places of several columns; a pattern such as ``v*`` names all that fit it.

        ``ann,bob`` names two columns, unless one is called so.
        """
        found: dict[int, None] = {}
        for name in chain.from_iterable(map(self._split, names)):
            fits = [j for j, other in enumerate(self.names) if fnmatchcase(other, name)]
            is_pattern = name not in self.names and any(sign in name for sign in "*?[")
            places = fits if is_pattern and fits else [self.position(name, option=option)]
            found.update(dict.fromkeys(places))
        return tuple(found)

    def _split(self, name: str) -> list[str]:
        parts = [part.strip() for part in name.split(",")]
        return parts if len(parts) > 1 and set(parts) <= set(self.names) else [name]
