"""Workbooks without a clock: the same content gives the same bytes."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from datetime import datetime
from pathlib import Path
from typing import Any

_START = datetime(1980, 1, 1)
_PROPERTIES = "docProps/core.xml"
_AT_ONCE = 1 << 20


def save_workbook(book: Any, path: Path) -> None:
    """Save a workbook of openpyxl, its parts and its properties dated by a fixed moment.

    The moment of writing is kept by the file system; within the file it would make two runs on the
    same data differ.
    """
    from openpyxl.xml.functions import tostring

    with tempfile.TemporaryFile() as stream:
        book.save(stream)
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
