"""Workbooks without a clock: the same content gives the same bytes."""

from __future__ import annotations

import errno
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path
from typing import Any

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
