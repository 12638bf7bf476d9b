"""Whether a quotation mark in a tab-separated text holds a cell together or is a character."""

from __future__ import annotations

from pathlib import Path

from consilience.io.bytes._text_kind import open_bytes, open_text

MARK = '"'
_AT_ONCE = 1 << 20


def is_quoted(path: Path, encoding: str, delimiter: str) -> bool:
    """Tell whether cells are quoted: always, but for tabs with marks that close nothing.

    Programs that write tab-separated text often quote nothing, as a tab is in no text. There a
    mark that opens a cell and does not close it is part of the text, provided that every line has
    as many cells as the others.
    """
    if delimiter != "\t" or not _has_marks(path):
        return True
    widths: set[int] = set()
    is_odd = False
    with open_text(path, encoding) as stream:
        for number, line in enumerate(stream):
            cells = line.rstrip("\r\n").split(delimiter)
            if number == 0:
                cells[0] = cells[0].removeprefix("\ufeff")
            elif cells != [""]:
                widths.add(len(cells))
            if MARK in line:
                is_odd = is_odd or not all(map(_closes, cells))
            if is_odd and len(widths) > 1:
                return True
    return not is_odd


def _has_marks(path: Path) -> bool:
    with open_bytes(path) as stream:
        while block := stream.read(_AT_ONCE):
            if MARK.encode() in block:
                return True
    return False


def _closes(cell: str) -> bool:
    """Tell whether a mark at the beginning is closed at the end, those inside doubled."""
    if not cell.startswith(MARK):
        return True
    inside = cell[1:-1].replace(MARK * 2, "")
    return len(cell) > 1 and cell.endswith(MARK) and MARK not in inside
