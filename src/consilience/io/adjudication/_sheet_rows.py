"""Rows of a filled sheet, whatever the spreadsheet saved it as."""

from __future__ import annotations

from pathlib import Path

from consilience.core.input_files import PathLike, Said, check_paths
from consilience.exceptions import InputError
from consilience.io.adjudication import _sheet_cells as cells
from consilience.io.bytes._guarded import csv_rows
from consilience.io.bytes._source import Member, Source
from consilience.io.tables.sheets._ods import is_ods, read_ods
from consilience.io.tables.sheets._workbook import read_workbook

_EMPTY_ROWS = 1_000  # after so many empty rows nothing more is expected

Rows = list[tuple[int, dict[int, str]]]  # number of the row; filled cells by their place


def sheet_rows(path: PathLike) -> tuple[Path, dict[str, int], Rows]:
    """Return the path, the place of each known column, and the filled rows with their numbers."""
    source = check_paths(path)[0]
    file = Source((source,)).files[0]
    table = _from_workbook(source) if file.head(2) == b"PK" else _from_text(file)
    number, names = table[0] if table else (0, {})
    places: dict[str, int] = {}
    for place, name in names.items():
        word = cells.unguarded(name).strip().casefold()
        if word in cells.RESERVED:
            places.setdefault(word, place)
    for word in (cells.ITEM, cells.GOLD):
        if word not in places:
            raise InputError.expected(
                "the sheet",
                f"one with the columns {cells.ITEM}, {cells.GOLD} and {cells.CHECK}",
                Said(", ".join(list(names.values())[:8]) or "no names at all"),
                "read back the sheet that was written, with its first row",
                where=f"{source}, row {number or 1}",
            )
    if not table[1:]:
        raise InputError.expected(
            "the sheet", "filled with items", Said("no row below the names"),
            "write it anew", where=str(source),
        )  # fmt: skip
    return source, places, table[1:]


def _from_text(file: Member) -> Rows:
    text = file.text()
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(",;\t|", key=first.count)
    rows = csv_rows(text, file.where, delimiter)
    stripped = [{k: cell.strip() for k, cell in enumerate(row) if cell.strip()} for _, row in rows]
    return [(number, cells) for number, cells in enumerate(stripped, 1) if cells]


def _from_workbook(path: Path) -> Rows:
    """Read until the data end, not until a lost cell in the last row."""
    sheets = read_ods(path) if is_ods(path) else read_workbook(path)
    named = [sheet for sheet in sheets if sheet.name == "adjudication"]
    out: Rows = []
    for sheet in (named or sheets)[:1]:
        for row, column in sheet.errors:  # no decision, and no empty cell either
            sheet.rows.setdefault(row, {})[column] = "#N/A"
        for number in sorted(sheet.rows):
            if number - (out[-1][0] if out else 0) > _EMPTY_ROWS:
                break
            out.append((number, sheet.rows[number]))
    return out
