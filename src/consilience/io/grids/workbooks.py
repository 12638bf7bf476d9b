"""Workbooks (.xlsx, .xlsm, .ods, .xls): the values in their cells, within a budget; and written.

Only cells that exist are kept, so a lone one in the last corner costs nothing. Formulas count by
the value that was last calculated; macros and links to other files are not looked at. What is
written knows no clock: the same content gives the same bytes.
"""

from __future__ import annotations

import errno
import importlib.util
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path, PurePosixPath
from typing import Any

from consilience.core.cell_values import holds_number
from consilience.core.database import Session
from consilience.exceptions import InputError, MissingDependencyError
from consilience.io.files import strict_xml as _strict_xml
from consilience.io.files.child import Child
from consilience.io.files.limits import (
    LARGEST_RATIO,
    LARGEST_TEXT,
    LARGEST_UNPACKED,
    RATIO_COUNTS_FROM,
    refused,
)
from consilience.io.files.source import Member, Source

# ---- the cells of one sheet, taken as the parser passes by, within a budget

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
                self.where,
                "a workbook",
                f"filled with at most {MOST_CELLS:,} cells and {MOST_CHARACTERS:,} characters",
                "more than that",
                "save the sheet as CSV",
            )


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
        return _number_text(text, value), "number"

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


_DIGITS = re.compile(r"[+-]?[0-9]{1,310}")


def _number_text(text: str, value: float) -> str:
    """Write a number with the digits that Excel keeps, or with those that another program wrote.

    Excel itself writes no whole number of more than fifteen digits without an exponent.
    """
    if value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return str(int(text)) if _DIGITS.fullmatch(text.strip()) else f"{value:.15g}"


def kind_of_text(text: str) -> str:
    """Tell text from a number that is stored as text."""
    return "number as text" if holds_number(text) else "text"


# ---- the XML inside workbooks: parsed within limits, from archives that are no bombs


def parse_xml(
    part: Member,
    start: Callable[[str, dict[str, str]], object],
    end: Callable[[str], object] = lambda _: None,
    text: Callable[[str], object] | None = None,
) -> None:
    """Walk through one part of a workbook."""
    try:
        _strict_xml.walk(part.bytes(), part.where, start, end, text)
    except InputError:
        raise
    except (ValueError, LookupError, OverflowError) as error:
        raise refused(
            part.where,
            "the file",
            "a complete workbook",
            f"{str(error)[:80]!r}",
            "save it again from the spreadsheet program",
        ) from None


def check_sizes(path: Path) -> None:
    """Refuse a bomb by what its directory admits; what it hides is counted while it unpacks."""
    try:
        with zipfile.ZipFile(path) as archive:
            unpacked = sum(info.file_size for info in archive.infolist())
    except Exception:
        return  # the guarded reading says what is wrong
    packed = path.stat().st_size
    if unpacked > LARGEST_UNPACKED or unpacked > max(LARGEST_RATIO * packed, RATIO_COUNTS_FROM):
        raise refused(
            str(path),
            "a workbook",
            f"at most {LARGEST_UNPACKED >> 20} MB and {LARGEST_RATIO} times larger when unpacked",
            f"{unpacked >> 20:,} MB from {packed:,} bytes",
            "save the sheet as CSV",
        )


# ---- the sheets of an Excel workbook (.xlsx, .xlsm)

_DATES = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_NOT_DATE = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?!h|m|s)[^\]]*\]', re.IGNORECASE)
_IN_DATE = re.compile(r"[dmyhs]", re.IGNORECASE)


def is_workbook(path: Path) -> bool:
    """Tell whether a zip archive is an Excel workbook."""
    try:
        with zipfile.ZipFile(path) as archive:
            return any(_is_main(name) for name in archive.namelist())
    except Exception:  # damaged archives make zipfile raise anything
        return False


def _is_main(name: str) -> bool:
    return PurePosixPath(name).name == "workbook.xml"


def read_workbook(path: Path) -> list[Sheet]:
    """Return all sheets, the hidden and the empty ones too."""
    check_sizes(path)
    return sheets_of(Source((path,)).files[0])


def sheets_of(file: Member) -> list[Sheet]:
    """Return the sheets of a workbook that is a file on disk or inside an archive."""
    parts = {member.name: member for member in file.members()}
    main = next((name for name in parts if _is_main(name)), None)
    if main is None:
        raise refused(
            file.where,
            "the file",
            "an Excel workbook (.xlsx)",
            "a zip archive without sheets",
            "save it again as .xlsx, or as CSV",
        )
    folder = PurePosixPath(main).parent
    book = _book(parts[main])
    targets = _targets(parts.get(str(folder / "_rels" / "workbook.xml.rels")), folder)
    book.shared = _shared(parts.get(str(folder / "sharedStrings.xml")))
    book.dates = _date_styles(parts.get(str(folder / "styles.xml")))
    budget = Budget(file.where)
    sheets = []
    for name, state, key in book.sheets:
        part = parts.get(targets.get(key, ""))
        if part is not None:  # a sheet of nothing but a chart has none
            sheet = Sheet(name, hidden=state != "visible")
            cells = Cells(sheet, book, budget)
            parse_xml(part, cells.start, cells.end, cells.text)
            sheets.append(sheet)
    return sheets


# ---- parts besides the sheets


def _book(part: Member) -> Book:
    book = Book()

    def start(name: str, given: dict[str, str]) -> None:
        if name == "sheet":
            key = next((v for k, v in given.items() if k.rpartition(":")[2] == "id"), "")
            book.sheets.append((given.get("name", ""), given.get("state", "visible"), key))
        elif name == "workbookPr":
            book.is_1904 = given.get("date1904") in ("1", "true")

    parse_xml(part, start)
    return book


def _targets(part: Member | None, folder: PurePosixPath) -> dict[str, str]:
    """Return where each sheet lies in the archive."""
    targets: dict[str, str] = {}

    def start(name: str, given: dict[str, str]) -> None:
        if name == "Relationship" and given.get("Type", "").endswith("/worksheet"):
            target = given.get("Target", "")
            place = target[1:] if target.startswith("/") else str(folder / target)
            targets[given.get("Id", "")] = place

    if part is not None:
        parse_xml(part, start)
    return targets


def _shared(part: Member | None) -> list[str]:
    """Return the texts that cells refer to by number; hints for pronunciation are no part."""
    texts: list[str] = []
    pieces: list[str] = []
    state = {"t": False, "rPh": False}

    def start(name: str, _: dict[str, str]) -> None:
        if name in state:
            state[name] = True
        elif name == "si":
            pieces.clear()

    def end(name: str) -> None:
        if name in state:
            state[name] = False
        elif name == "si":
            texts.append("".join(pieces))

    def text(data: str) -> None:
        if state["t"] and not state["rPh"]:
            pieces.append(data)

    if part is not None:
        parse_xml(part, start, end, text)
    return texts


def _date_styles(part: Member | None) -> frozenset[int]:
    """Return the numbers of the cell styles that show a number as a date or a time."""
    own: set[int] = set()
    found: list[int] = []
    inside = False

    def start(name: str, given: dict[str, str]) -> None:
        nonlocal inside
        if name == "numFmt":
            if _IN_DATE.search(_NOT_DATE.sub("", given.get("formatCode", ""))):
                own.add(int(given.get("numFmtId", "-1")))
        elif name == "cellXfs":
            inside = True
        elif name == "xf" and inside:
            found.append(int(given.get("numFmtId", "0")))

    def end(name: str) -> None:
        nonlocal inside
        if name == "cellXfs":
            inside = False

    if part is not None:
        parse_xml(part, start, end)
    return frozenset(k for k, number in enumerate(found) if number in own or number in _DATES)


# ---- the sheets of an OpenDocument spreadsheet (.ods)

_MIME = "application/vnd.oasis.opendocument.spreadsheet"
_CONTENT, _MANIFEST = "content.xml", "META-INF/manifest.xml"
_VALUES = {"date": "office:date-value", "boolean": "office:boolean-value"}
_NUMBERS = ("float", "percentage", "currency")


def is_ods(path: Path) -> bool:
    """Tell whether a zip archive is an OpenDocument spreadsheet."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open("mimetype") as stream:
            return stream.read(len(_MIME)) == _MIME.encode()
    except Exception:  # damaged archives make zipfile raise anything
        return False


def read_ods(path: Path) -> list[Sheet]:
    """Return all sheets, the hidden and the empty ones too."""
    check_sizes(path)
    file = Source((path,)).files[0]
    parts = {member.name: member for member in file.members()}
    if _MANIFEST in parts and b"encryption-data" in parts[_MANIFEST].bytes():
        raise refused(
            file.where,
            "the spreadsheet",
            "open to everybody",
            "one locked by a password",
            "save it without the password",
        )
    if _CONTENT not in parts:
        raise refused(
            file.where,
            "the file",
            "an OpenDocument spreadsheet",
            "an archive without content",
            "save it again from the spreadsheet program",
        )
    content = _Content(Budget(file.where))
    parse_xml(parts[_CONTENT], content.start, content.end, content.text)
    for sheet, style in content.sheets:
        sheet.hidden = style in content.hidden_styles
    return [sheet for sheet, _ in content.sheets]


class _Content:
    """Take sheets, rows and cells as they pass by; empty cells and rows cost nothing."""

    def __init__(self, budget: Budget) -> None:
        self.budget = budget
        self.sheets: list[tuple[Sheet, str]] = []
        self.hidden_styles: set[str] = set()
        self.style = ""
        self.row = self.column = 0
        self.repeated = 1  # rows
        self.is_hidden = False
        self.cells: dict[int, tuple[str, str]] = {}  # column to text and kind
        self.cell: dict[str, str] = {}
        self.pieces: list[str] = []
        self.takes, self.notes = False, 0

    def start(self, name: str, given: dict[str, str]) -> None:
        """An element begins."""
        if name == "style":
            self.style = given.get("style:name", "")
        elif name == "table-properties" and given.get("table:display") == "false":
            self.hidden_styles.add(self.style)
        elif name == "table":
            sheet = Sheet(given.get("table:name", ""))
            self.sheets.append((sheet, given.get("table:style-name", "")))
            self.row = 1
        elif name == "table-row":
            self.repeated = _times(given, "table:number-rows-repeated")
            self.is_hidden = given.get("table:visibility", "visible") != "visible"
            self.column, self.cells = 1, {}
        elif name in ("table-cell", "covered-table-cell"):
            self.cell, self.pieces = given, []
        elif name == "annotation":
            self.notes += 1
        elif not self.notes:
            self.inside(name, given)

    def inside(self, name: str, given: dict[str, str]) -> None:
        """Take what stands inside a cell: paragraphs, and signs that are elements."""
        if name == "p":
            self.pieces += ["\n"] if self.pieces else []
            self.takes = True
        elif name == "s":
            self.pieces.append(" " * min(_times(given, "text:c"), 1_000))
        elif name in ("tab", "line-break"):
            self.pieces.append("\t" if name == "tab" else "\n")

    def text(self, data: str) -> None:
        """A piece of text comes by."""
        if self.takes and not self.notes:
            self.pieces.append(data)

    def end(self, name: str) -> None:
        """An element ends."""
        if name == "p":
            self.takes = False
        elif name == "annotation":
            self.notes -= 1
        elif name in ("table-cell", "covered-table-cell"):
            self.keep(is_covered=name == "covered-table-cell")
        elif name == "table-row":
            self.close_row()

    def keep(self, *, is_covered: bool) -> None:
        """Keep the cell that has ended as often as it is repeated, unless it is empty."""
        given, sheet = self.cell, self.sheets[-1][0]
        times = _times(given, "table:number-columns-repeated")
        across = _times(given, "table:number-columns-spanned")
        down = _times(given, "table:number-rows-spanned")
        if across > 1 or down > 1:
            if len(sheet.merged) >= MOST_MERGED:
                raise ValueError(f"more than {MOST_MERGED:,} merged areas")
            last = min(self.row + down - 1, LAST_ROW), min(self.column + across - 1, LAST_COLUMN)
            sheet.merged.append((self.row, self.column, *last))
        text, kind = self.value(given, sheet)
        if text and not is_covered:
            for column in range(self.column, min(self.column + times, LAST_COLUMN + 1)):
                self.budget.spend(text)
                self.cells[column] = text, kind
        self.column += times

    def value(self, given: dict[str, str], sheet: Sheet) -> tuple[str, str]:
        """Return a cell as text, and its kind."""
        kind = given.get("office:value-type", "")
        shown = "".join(self.pieces).strip()
        if given.get("calcext:value-type") == "error" or shown.startswith(("#N/A", "#DIV/0!")):
            self.budget.spend(shown)
            sheet.errors.append((self.row, self.column))
            return "", ""
        if "table:formula" in given and not kind and not shown:
            sheet.miss(self.column)
        if kind in _NUMBERS:
            value = float(given.get("office:value", ""))
            if value != value or value in (float("inf"), float("-inf")):  # noqa: PLR0124 - NaN
                raise ValueError("a number that is none")
            return _number_text(given["office:value"], value), "number"
        if kind == "date":
            sheet.dates += 1
        text = given.get(_VALUES.get(kind, "office:string-value")) or shown
        if kind == "boolean":
            text = text.upper()
        return text.strip(), kind_of_text(text.strip())

    def close_row(self) -> None:
        """Keep the row that has ended as often as it is repeated, unless it is empty."""
        sheet = self.sheets[-1][0]
        last = min(self.row + self.repeated, LAST_ROW + 1)
        if self.cells:
            for number in range(self.row, last):
                if number > self.row:
                    for text, _ in self.cells.values():
                        self.budget.spend(text)
                sheet.rows[number] = {column: text for column, (text, _) in self.cells.items()}
                if self.is_hidden:
                    sheet.hidden_rows.add(number)
            for column, (_, kind) in self.cells.items():
                sheet.kinds.setdefault(column, set()).add(kind)
        self.row += self.repeated


def _times(given: dict[str, str], name: str) -> int:
    """Return how often something is repeated, or how many it spans."""
    return max(1, int(given.get(name, "1")[:9]))


# ---- the sheets of an Excel workbook from before 2007 (.xls), read in a process of its own

_WORKBOOK, _LOCKED = "Workbook".encode("utf-16-le"), "EncryptedPackage".encode("utf-16-le")
_BOOK = b"B\0o\0o\0k\0\0\0"  # the name of the same in Excel 5
READER = Child("_xls_child.py")


def is_xls(path: Path) -> bool:
    """Tell whether an Office file of the old kind is a workbook."""
    if path.stat().st_size > LARGEST_TEXT:
        return False
    content = path.read_bytes()
    return (_WORKBOOK in content or _BOOK in content) and _LOCKED not in content


def read_xls(session: Session, path: Path) -> list[Sheet]:
    """Return all sheets, the hidden and the empty ones too."""
    if importlib.util.find_spec("python_calamine") is None:
        raise MissingDependencyError(
            f"{path}: reading .xls files must have python-calamine installed. Got no such package. "
            "Hint: pip install 'consilience[xls]', or save the workbook as .xlsx."
        )
    target = session.scratch / (session.new_name("xls") + ".json")
    request = {"path": str(path.resolve()), "most_cells": MOST_CELLS}
    answer = READER.ask(request, target)
    if "error" in answer:
        raise refused(
            str(path),
            "the file",
            "a complete workbook",
            answer["error"],
            "save it again as .xlsx from the spreadsheet program",
        )
    target.unlink()
    budget = Budget(str(path))
    return [_sheet(one, budget) for one in answer["sheets"]]


def _sheet(given: dict[str, Any], budget: Budget) -> Sheet:
    """Take one sheet as the other process has written it: rows of cells as text with a kind."""
    sheet = Sheet(given["name"], hidden=given["hidden"])
    for number, cells in given["rows"]:
        row: dict[int, str] = {}
        for column, kind, cell in cells:
            text = cell.strip()
            if not text:
                continue
            budget.spend(text)
            row[column] = text
            sheet.dates += kind == "date"
            found = kind if kind == "number" else kind_of_text(text)
            sheet.kinds.setdefault(column, set()).add(found)
        if row:
            sheet.rows[number] = row
    sheet.merged = [(a, b, c, d) for a, b, c, d in given["merged"]]
    return sheet


# ---- workbooks without a clock: the same content gives the same bytes

_START = datetime(1980, 1, 1)
_PROPERTIES = "docProps/core.xml"
_AT_ONCE = 1 << 20


@contextmanager
def new_workbook() -> Iterator[Any]:
    """Open a workbook of openpyxl that is written sheet by sheet; whatever happens, none is left.

    Where lxml is there, openpyxl writes with it, and what that says of a full disk is no error of
    the system: it names the kind only, such as IO_ENOSPC.
    """
    from openpyxl import Workbook

    book = Workbook(write_only=True)
    try:
        yield book
    except BaseException as error:
        for sheet in book.worksheets:
            _throw_away(sheet)
        if not type(error).__module__.startswith("lxml"):
            raise
        code = getattr(errno, str(error).removeprefix("IO_"), errno.EIO)
        raise OSError(code, os.strerror(code)) from error


def _throw_away(sheet: Any) -> None:
    """End a sheet, and remove the file of openpyxl's own in which its cells wait."""
    with suppress(Exception):  # the disk may still be full
        sheet.close()
    with suppress(Exception):
        sheet._writer.close()
    with suppress(OSError, AttributeError):
        os.remove(sheet._writer.out)


def never_a_formula(sheet: Any, value: object) -> Any:
    """Return a cell whose text stays text, whatever it begins with."""
    from openpyxl.cell import WriteOnlyCell

    cell = WriteOnlyCell(sheet, value=value)
    if isinstance(value, str):
        cell.data_type = "s"
    return cell


def save_workbook(book: Any, path: Path) -> None:
    """Save a workbook of openpyxl, its parts and its properties dated by a fixed moment.

    The moment of writing is kept by the file system; within the file it would make two runs on the
    same data differ.
    """
    from openpyxl.writer.excel import ExcelWriter
    from openpyxl.xml.functions import tostring

    with tempfile.TemporaryFile() as stream:
        archive = zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED)
        try:
            ExcelWriter(book, archive).save()
        except BaseException:
            archive.fp = None  # not to be finished when it is thrown away
            raise
        properties = book.properties
        properties.created = properties.modified = _START  # saving has set them
        fixed = {_PROPERTIES: tostring(properties.to_tree())}
        with zipfile.ZipFile(stream) as dated, zipfile.ZipFile(path, "w") as dateless:
            for name in dated.namelist():
                _copy(dated, dateless, name, fixed.get(name))


def _copy(
    dated: zipfile.ZipFile, dateless: zipfile.ZipFile, name: str, content: bytes | None
) -> None:
    part = zipfile.ZipInfo(name, _START.timetuple()[:6])
    part.compress_type = zipfile.ZIP_DEFLATED
    part.create_system = 0  # the same on every system
    part.external_attr = 0
    part.file_size = dated.getinfo(name).file_size  # a large part needs a large header
    if content is not None:
        dateless.writestr(part, content)
        return
    with dated.open(name) as source, dateless.open(part, "w") as target:
        shutil.copyfileobj(source, target, _AT_ONCE)
