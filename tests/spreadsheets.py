"""Spreadsheets written by hand: OpenDocument as a zip of XML, and Excel as it was before 2007."""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import escape

URN = "urn:oasis:names:tc:opendocument:xmlns"
PARTS = ("office", "table", "text", "style")
SPACES = " ".join(f'xmlns:{name}="{URN}:{name}:1.0"' for name in PARTS)
MIME = "application/vnd.oasis.opendocument.spreadsheet"
HIDDEN = (
    '<style:style style:name="hidden" style:family="table">'
    '<style:table-properties table:display="false"/></style:style>'
)
_END, _FREE, _FAT = 0xFFFFFFFE, 0xFFFFFFFF, 0xFFFFFFFD
_SECTOR = 512


# -------------------------------------------------------------------- OpenDocument


def cell(value: object, more: str = "") -> str:
    """Write one cell; a text that begins with < is taken as XML."""
    if value is None:
        return "<table:table-cell/>"
    if isinstance(value, str) and value.startswith("<"):
        return value
    if isinstance(value, bool):
        word = str(value).lower()
        kind = f'office:value-type="boolean" office:boolean-value="{word}"'
    elif isinstance(value, (int, float)):
        kind = f'office:value-type="float" office:value="{value}"'
    else:
        kind = 'office:value-type="string"'
    shown = f"<text:p>{escape(str(value))}</text:p>"
    return f"<table:table-cell {kind} {more}>{shown}</table:table-cell>"


def row(values: Sequence[object], more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(map(cell, values))}</table:table-row>"


def write_ods(
    path: Path, *sheets: tuple[str, Sequence[object]], hidden: Sequence[str] = (), xml: str = ""
) -> Path:
    """Write sheets given as (name, rows); a row is a list of values or a piece of XML."""
    tables = []
    for name, rows in sheets:
        style = ' table:style-name="hidden"' if name in hidden else ""
        inside = "".join(one if isinstance(one, str) else row(one) for one in rows)
        # as programs do: the rest of the sheet, empty
        rest = (
            '<table:table-row table:number-rows-repeated="1048000">'
            '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
        )
        tables.append(f'<table:table table:name="{name}"{style}>{inside}{rest}</table:table>')
    content = xml or (
        f'<?xml version="1.0"?><office:document-content {SPACES} xmlns:calcext="urn:calcext">'
        f"<office:automatic-styles>{HIDDEN}</office:automatic-styles><office:body>"
        f"<office:spreadsheet>{''.join(tables)}</office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mimetype", MIME)
        archive.writestr("content.xml", content)
    return path


# -------------------------------------------------------------------- Excel before 2007


def write_xls(
    path: Path,
    *sheets: tuple[str, Sequence[Sequence[object]]],
    merged: Sequence[tuple[int, int, int, int]] = (),
) -> Path:
    """Write sheets given as (name, rows) as records of BIFF8 in a compound file.

    Areas of the first sheet that are `merged`: first row, last row, first column, last column.
    """
    path.write_bytes(_compound(_workbook(sheets, merged)))
    return path


def _record(number: int, data: bytes) -> bytes:
    return struct.pack("<HH", number, len(data)) + data


def _begin(kind: int) -> bytes:
    return _record(0x0809, struct.pack("<HHHHII", 0x0600, kind, 0x0DBB, 1996, 0, 6))


def _workbook(
    sheets: Sequence[tuple[str, Sequence[Sequence[object]]]],
    merged: Sequence[tuple[int, int, int, int]],
) -> bytes:
    areas = [merged, *[()] * (len(sheets) - 1)]
    bodies = [_sheet(rows, some) for (_, rows), some in zip(sheets, areas, strict=True)]
    head = len(_begin(5)) + sum(12 + len(name) for name, _ in sheets) + 4
    places, place = [], head
    for body in bodies:
        places.append(place)
        place += len(body)
    bounds = b"".join(
        _record(0x0085, struct.pack("<IBBBB", at, 0, 0, len(name), 0) + name.encode("latin-1"))
        for at, (name, _) in zip(places, sheets, strict=True)
    )
    return _begin(5) + bounds + _record(0x000A, b"") + b"".join(bodies)


def _sheet(rows: Sequence[Sequence[object]], merged: Sequence[tuple[int, int, int, int]]) -> bytes:
    width = max(map(len, rows))
    cells = [_record(0x0200, struct.pack("<IIHHH", 0, len(rows), 0, width, 0))]
    for i, values in enumerate(rows):
        for j, value in enumerate(values):
            if isinstance(value, (int, float)):
                cells.append(_record(0x0203, struct.pack("<HHHd", i, j, 0, value)))
            elif value is not None:
                text = str(value).encode("utf-16-le")
                place = struct.pack("<HHHHB", i, j, 0, len(text) // 2, 1)
                cells.append(_record(0x0204, place + text))
    if merged:
        areas = b"".join(struct.pack("<HHHH", *area) for area in merged)
        cells.append(_record(0x00E5, struct.pack("<H", len(merged)) + areas))
    return _begin(0x10) + b"".join(cells) + _record(0x000A, b"")


def _compound(stream: bytes) -> bytes:
    stream = stream.ljust(4096, b"\0")  # smaller ones are stored in another way
    stream += b"\0" * (-len(stream) % _SECTOR)
    n = len(stream) // _SECTOR
    chain = [_FAT, _END, *range(3, 2 + n), _END]
    fat = struct.pack("<128I", *chain, *[_FREE] * (128 - len(chain)))
    head = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 16
    places = (0, 1, 1, 0, 4096, _END, 0, _END, 0)
    head += struct.pack("<HHHHH6x9I", 0x3E, 3, 0xFFFE, 9, 6, *places)
    head += struct.pack("<109I", 0, *[_FREE] * 108)
    entries = _entry("Root Entry", 5, 1, _END, 0) + _entry("Workbook", 2, _FREE, 2, len(stream))
    return head + fat + entries.ljust(_SECTOR, b"\0") + stream


def _entry(name: str, kind: int, child: int, start: int, size: int) -> bytes:
    text = name.encode("utf-16-le")
    about = struct.pack("<HBBIII", len(text) + 2, kind, 1, _FREE, _FREE, child)
    return text.ljust(64, b"\0") + about + b"\0" * 36 + struct.pack("<IQ", start, size)
