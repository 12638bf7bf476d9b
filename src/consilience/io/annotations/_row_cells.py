"""Rows of delimited text with their lines, for the exports of annotation programs."""

from __future__ import annotations

from consilience.exceptions import InputError
from consilience.io.bytes._guarded import csv_rows
from consilience.io.bytes._unit_files import File

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
    rows = csv_rows(file.text, str(file.path), delimiter)
    stripped = [(line, [cell.strip() for cell in cells]) for line, cells in rows]
    return [(line, cells) for line, cells in stripped if any(cells)]


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
