"""Rows of a filled sheet, whatever the spreadsheet saved it as."""

from __future__ import annotations

import csv
import io
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from consilience.exceptions import InputError, MissingDependencyError
from consilience.io.adjudication import _sheet_cells as cells
from consilience.io.bytes.paths import PathLike, Said, check_paths

_LARGEST_TEXT = 200_000_000
_LARGEST_UNPACKED, _LARGEST_RATIO, _MOST_MEMBERS = 500_000_000, 200, 5_000
_EMPTY_ROWS = 1_000  # after so many empty rows nothing more is expected
_MOST_COLUMNS = 2_000

Rows = list[tuple[int, list[Any]]]


def sheet_rows(path: PathLike) -> tuple[Path, dict[str, int], Rows]:
    """Return the path, the place of each known column, and the rows with their numbers."""
    source = check_paths(path)[0]
    with source.open("rb") as stream:
        head = stream.read(4)
    table = _from_xlsx(source) if head.startswith(b"PK") else _from_text(source)
    number, names = next(((n, row) for n, row in table if any(_filled(x) for x in row)), (0, []))
    places: dict[str, int] = {}
    for place, name in enumerate(names):
        word = cells.unguarded(str(name or "")).strip().casefold()
        if word in cells.RESERVED:
            places.setdefault(word, place)
    for word in (cells.ITEM, cells.GOLD):
        if word not in places:
            shown = ", ".join(str(name) for name in names[:8] if _filled(name)) or "no names at all"
            raise InputError.expected(
                "the sheet",
                f"one with the columns {cells.ITEM}, {cells.GOLD} and {cells.CHECK}",
                Said(shown),
                "read back the sheet that was written, with its first row",
                where=f"{source}, row {number or 1}",
            )
    rows = [(n, row) for n, row in table if n > number and any(_filled(x) for x in row)]
    if not rows:
        raise InputError.expected(
            "the sheet", "filled with items", Said("no row below the names"),
            "write it anew", where=str(source),
        )  # fmt: skip
    return source, places, rows


def _filled(cell: object) -> bool:
    return cell is not None and str(cell).strip() != ""


def _from_text(path: Path) -> Rows:
    if path.stat().st_size > _LARGEST_TEXT:
        raise InputError.expected(
            "the sheet", f"at most {_LARGEST_TEXT // 10**6} MB", str(path), "is it the right file?"
        )
    text = _decoded(path)
    first = text.lstrip("\r\n").partition("\n")[0]
    delimiter = max(",;\t|", key=first.count)
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    out: Rows = []
    try:
        out.extend((number, row[:_MOST_COLUMNS]) for number, row in enumerate(reader, 1))
    except csv.Error as error:
        raise InputError.expected(
            "the sheet", "delimited text", Said(str(error)), "save it as CSV again",
            where=f"{path}, row {len(out) + 1}",
        ) from None  # fmt: skip
    return out


def _decoded(path: Path) -> str:
    data = path.read_bytes()
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:  # a spreadsheet saved it in the encoding of its country
        return data.decode("cp1252", "replace")


def _from_xlsx(path: Path) -> Rows:
    try:
        import openpyxl
    except ImportError as error:
        raise MissingDependencyError.for_extra("reading .xlsx files", "openpyxl") from error
    _check_archive(path)
    try:
        book = openpyxl.load_workbook(path, read_only=True, data_only=True, keep_links=False)
        with_name = [name for name in book.sheetnames if name == "adjudication"]
        sheet = book[with_name[0] if with_name else book.sheetnames[0]]
        rows = _bounded(sheet.iter_rows(max_col=_MOST_COLUMNS, values_only=True))
        book.close()
    except (KeyError, ValueError, TypeError, zipfile.BadZipFile, OSError, SyntaxError) as error:
        raise InputError.expected(
            "the sheet", "an Excel file (.xlsx)", Said(f"a damaged one: {error}"),
            "save it again from the spreadsheet program", where=str(path),
        ) from None  # fmt: skip
    return rows


def _bounded(rows: Iterator[Sequence[Any]]) -> Rows:
    """Read until the data end, not until the last row that the file claims to have."""
    out: Rows = []
    empty = 0
    for number, row in enumerate(rows, 1):
        if any(_filled(cell) for cell in row):
            out.append((number, list(row)))
            empty = 0
        else:
            empty += 1
        if empty > _EMPTY_ROWS:
            break
    return out


def _check_archive(path: Path) -> None:
    """Refuse an archive that would unpack to more than any sheet holds."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = archive.infolist()
    except zipfile.BadZipFile:
        members = []
    unpacked = sum(one.file_size for one in members)
    packed = max(1, path.stat().st_size)
    if (
        not members
        or len(members) > _MOST_MEMBERS
        or unpacked > _LARGEST_UNPACKED
        or (unpacked > 10**7 and unpacked / packed > _LARGEST_RATIO)
    ):
        raise InputError.expected(
            "the sheet", "an Excel file of ordinary size",
            Said(f"{len(members)} parts, {unpacked:,} bytes unpacked"),
            "save it again from the spreadsheet program", where=str(path),
        )  # fmt: skip
