"""The sheets of an Excel workbook from before 2007 (.xls), read in a process of its own."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from typing import Any

from consilience.core.database import Session
from consilience.exceptions import MissingDependencyError
from consilience.io.bytes._child import Child
from consilience.io.bytes._guarded import refused
from consilience.io.bytes.limits import LARGEST_TEXT
from consilience.io.tables.sheets._workbook_cells import MOST_CELLS, Budget, Sheet, kind_of_text

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
            str(path), "the file", "a complete workbook", answer["error"],
            "save it again as .xlsx from the spreadsheet program",
        )  # fmt: skip
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
