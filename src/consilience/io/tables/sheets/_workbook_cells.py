"""The cells of one sheet, taken as the parser passes by, within a budget."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from consilience.core.cell_values import holds_number
from consilience.io.bytes._guarded import refused

MOST_CELLS = 5_000_000
MOST_CHARACTERS = 500_000_000  # of all cells: one text may stand in many of them
LAST_ROW, LAST_COLUMN = 1_048_576, 16_384
MOST_MERGED = 100_000

Area = tuple[int, int, int, int]  # first row, first column, last row, last column


@dataclass
class Sheet:
    """One sheet: cells by row and column, counted from 1, as text.

    Attributes
    ----------
    rows : dict
        Number of the row to its filled cells by number of the column.
    merged : list
        Areas in which only the first cell holds a value.
    hidden_rows : set
        Rows that Excel does not show, by hand or by a filter.
    kinds : dict
        Number of the column to the kinds of value in it: "number", "number as text", "text".
    dates : int
        Cells that are dates.
    errors : list
        Row and column of the cells that say #N/A or the like.
    uncalculated : dict
        Number of the column to its formulas without a calculated value.
    """

    name: str
    hidden: bool = False
    rows: dict[int, dict[int, str]] = field(default_factory=dict)
    merged: list[Area] = field(default_factory=list)
    hidden_rows: set[int] = field(default_factory=set)
    kinds: dict[int, set[str]] = field(default_factory=dict)
    dates: int = 0
    errors: list[tuple[int, int]] = field(default_factory=list)
    uncalculated: dict[int, int] = field(default_factory=dict)

    def miss(self, column: int) -> None:
        """Note a formula without a calculated value."""
        self.uncalculated[column] = self.uncalculated.get(column, 0) + 1


@dataclass
class Book:
    """What the parts of a workbook besides the sheets say."""

    sheets: list[tuple[str, str, str]] = field(default_factory=list)  # name, state, relation
    is_1904: bool = False
    shared: list[str] = field(default_factory=list)
    dates: frozenset[int] = frozenset()


@dataclass
class Budget:
    """Cells and characters read so far; the size that a sheet declares means nothing."""

    where: str
    cells: int = 0
    characters: int = 0

    def spend(self, text: str) -> None:
        """Count one cell."""
        self.cells += 1
        self.characters += len(text)
        if self.cells > MOST_CELLS or self.characters > MOST_CHARACTERS:
            raise refused(
                self.where, "a workbook",
                f"filled with at most {MOST_CELLS:,} cells and {MOST_CHARACTERS:,} characters",
                "more than that", "save the sheet as CSV",
            )  # fmt: skip


class Cells:
    """Take the cells of one sheet as they pass by."""

    def __init__(self, sheet: Sheet, book: Book, budget: Budget) -> None:
        self.sheet, self.budget = sheet, budget
        self.shared, self.dates = book.shared, book.dates
        self.epoch = datetime(1904, 1, 1) if book.is_1904 else datetime(1899, 12, 30)
        self.row = self.column = 0
        self.type, self.style = "n", 0
        self.value: list[str] = []
        self.takes = self.skips = self.has_formula = False
        self.columns: dict[str, int] = {}

    def start(self, name: str, given: dict[str, str]) -> None:
        """An element begins."""
        if name == "c":
            self.place(given.get("r", ""))
            self.type, self.style = given.get("t", "n"), int(given.get("s", "0"))
            self.value.clear()
            self.has_formula = False
        elif name in ("v", "t"):
            self.takes = True
        elif name == "f":
            self.has_formula = True
        elif name == "rPh":
            self.skips = True
        elif name == "row":
            self.row = int(given.get("r", self.row + 1))
            self.column = 0
            if given.get("hidden") in ("1", "true"):
                self.sheet.hidden_rows.add(self.row)
        elif name == "mergeCell":
            self.merge(given.get("ref", ""))

    def text(self, data: str) -> None:
        """A piece of text comes by."""
        if self.takes and not self.skips:
            self.value.append(data)

    def end(self, name: str) -> None:
        """An element ends."""
        if name in ("v", "t"):
            self.takes = False
        elif name == "rPh":
            self.skips = False
        elif name == "c":
            self.keep()

    def place(self, reference: str) -> None:
        """Note where the cell stands; without a word about it, beside the last one."""
        if not reference:
            self.column += 1
            return
        self.row, self.column = self.cell(reference)

    def cell(self, reference: str) -> tuple[int, int]:
        """Return row and column of a reference such as AB12."""
        letters = reference.rstrip("0123456789")
        column = self.columns.get(letters)
        if column is None:
            plain, column = letters.replace("$", ""), 0
            if not plain.isascii() or not plain.isalpha() or len(plain) > 3:
                raise ValueError(f"the cell {reference[:20]}")
            for letter in plain.upper():
                column = 26 * column + ord(letter) - 64
            self.columns[letters] = column
        row = int(reference[len(letters) :])
        if not (0 < row <= LAST_ROW and column <= LAST_COLUMN):
            raise ValueError(f"the cell {reference[:20]}")
        return row, column

    def merge(self, reference: str) -> None:
        """Note a merged area."""
        first, _, last = reference.partition(":")
        if len(self.sheet.merged) >= MOST_MERGED:
            raise ValueError(f"more than {MOST_MERGED:,} merged areas")
        self.sheet.merged.append((*self.cell(first), *self.cell(last or first)))

    def keep(self) -> None:
        """Keep the cell that has ended, unless it is empty."""
        text = "".join(self.value)
        if not text:
            if self.has_formula:
                self.sheet.miss(self.column)
            return
        kind = "text"
        if self.type == "s":
            text = self.shared[int(text)]
        elif self.type == "b":
            text = "TRUE" if text == "1" else "FALSE"
        elif self.type == "e":
            self.budget.spend(text)
            self.sheet.errors.append((self.row, self.column))
            return
        elif self.type == "n":
            text, kind = self.number(text)
        text = text.strip()
        if not text:
            return
        if kind == "text":
            kind = kind_of_text(text)
        self.budget.spend(text)
        self.sheet.kinds.setdefault(self.column, set()).add(kind)
        self.sheet.rows.setdefault(self.row, {})[self.column] = text

    def number(self, text: str) -> tuple[str, str]:
        """Write a number as text; return its kind, too."""
        value = float(text)
        if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN
            raise ValueError(f"the number {text[:20]}")
        if self.style in self.dates:
            self.sheet.dates += 1
            return self.date(value), "text"
        if value.is_integer() and abs(value) < 1e15:
            return str(int(value)), "number"
        return f"{value:.15g}", "number"  # the digits that Excel itself keeps

    def date(self, value: float) -> str:
        """Write a serial number as a date; Excel counts a 29 February 1900 that never was."""
        if self.epoch.year == 1899 and value < 60:
            value += 1
        try:
            when = self.epoch + timedelta(seconds=round(value * 86400))
        except OverflowError:
            return f"{value:.15g}"
        if 0 <= value < 2 and value != int(value):
            return when.time().isoformat()
        return when.date().isoformat() if value == int(value) else when.isoformat(" ")


def kind_of_text(text: str) -> str:
    """Tell text from a number that is stored as text."""
    return "number as text" if holds_number(text) else "text"
