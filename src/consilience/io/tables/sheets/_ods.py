"""The sheets of an OpenDocument spreadsheet (.ods): the values in their cells, within a budget."""

from __future__ import annotations

import zipfile
from pathlib import Path

from consilience.io.bytes._guarded import refused
from consilience.io.bytes._source import Source
from consilience.io.tables.sheets._workbook_cells import (
    LAST_COLUMN,
    LAST_ROW,
    MOST_MERGED,
    Budget,
    Sheet,
    kind_of_text,
)
from consilience.io.tables.sheets._workbook_xml import check_sizes, parse_xml

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
            file.where, "the spreadsheet", "open to everybody", "one locked by a password",
            "save it without the password",
        )  # fmt: skip
    if _CONTENT not in parts:
        raise refused(
            file.where, "the file", "an OpenDocument spreadsheet", "an archive without content",
            "save it again from the spreadsheet program",
        )  # fmt: skip
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
            whole = value.is_integer() and abs(value) < 1e15
            return (str(int(value)) if whole else f"{value:.15g}"), "number"
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
