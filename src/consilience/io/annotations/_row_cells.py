"""Rows of delimited text with their lines, for the exports of annotation programs."""

from __future__ import annotations

import csv

from consilience.exceptions import InputError
from consilience.io.bytes._unit_files import File
from consilience.io.bytes.paths import Said

_LONGEST_CELL = 1 << 20
_MOST_LINES = 2_000_000  # of text that is cut line by line; people annotate far less

Row = tuple[int, list[str]]


def rows_of(file: File, delimiter: str, *, quoted: bool = True) -> list[Row]:
    """Return (line, cells) of each line that is not blank."""
    if not quoted:
        _check_length(file)
        return [
            (number, line.split(delimiter))
            for number, line in enumerate(file.lines, start=1)
            if line.strip()
        ]
    limit = csv.field_size_limit(_LONGEST_CELL)
    rows: list[Row] = []
    start = 1
    try:
        reader = csv.reader(file.text.splitlines(keepends=True), delimiter=delimiter, strict=True)
        for cells in reader:
            if any(cell.strip() for cell in cells):
                rows.append((start, [cell.strip() for cell in cells]))
            start = reader.line_num + 1
    except csv.Error as fault:
        raise InputError.expected(
            "a quotation mark",
            "closed before the next cell",
            Said(str(fault)),
            "close it, or double it where it is part of the text",
            where=f"{file.path}, line {start}",
        ) from None
    finally:
        csv.field_size_limit(limit)
    return rows


def _check_length(file: File) -> None:
    n_lines = file.text.count("\n") or file.text.count("\r")
    if n_lines > _MOST_LINES:
        raise InputError.expected(
            "a file of annotations", f"at most {_MOST_LINES:,} lines long", n_lines,
            "check the export, or export one file for each session", where=str(file.path),
        )  # fmt: skip


def delimiter_of(line: str) -> str:
    """Return the sign that cuts a header into most cells."""
    return max("\t,;", key=line.count)
