"""Read old Excel workbooks in a process of its own: a damaged one can end it.

Run as a script by `_xls`. Every line of input is a request, every line of output says whether the
answer stands in the file that the request named.
"""

from __future__ import annotations

import datetime
import json
import sys
from typing import Any

_MOST_MEMORY = 4 << 30


def _cell(value: Any) -> tuple[str, str]:
    """Return a cell's kind and text."""
    if isinstance(value, bool):
        return "text", "TRUE" if value else "FALSE"
    if isinstance(value, (int, float)):
        whole = float(value).is_integer() and abs(value) < 1e15
        return "number", str(int(value)) if whole else f"{value:.15g}"
    if isinstance(value, datetime.datetime):
        is_day = value.time() == datetime.time()
        return "date", value.date().isoformat() if is_day else value.isoformat(" ")
    if isinstance(value, (datetime.date, datetime.time)):
        return "date", value.isoformat()
    return "text", str(value)


def _answer(request: dict[str, Any]) -> dict[str, Any]:
    import python_calamine

    book = python_calamine.CalamineWorkbook.from_path(request["path"])
    left = request["most_cells"] + 1  # one more than allowed, for the other side to see
    sheets = []
    for k, meta in enumerate(book.sheets_metadata):
        if meta.typ != python_calamine.SheetTypeEnum.WorkSheet:
            continue
        sheet = book.get_sheet_by_index(k)
        top, side = sheet.start or (0, 0)
        rows = []
        for i, row in enumerate(sheet.to_python(skip_empty_area=True), top + 1):
            cells = [(j, *_cell(value)) for j, value in enumerate(row, side + 1) if value != ""]
            if cells and left > 0:
                rows.append((i, cells))
                left -= len(cells)
        merged = [(a + 1, b + 1, c + 1, d + 1)
                  for (a, b), (c, d) in sheet.merged_cell_ranges or ()]  # fmt: skip
        hidden = meta.visible != python_calamine.SheetVisibleEnum.Visible
        sheets.append({"name": meta.name, "hidden": hidden, "rows": rows, "merged": merged})
    return {"sheets": sheets}


def _limit_memory() -> None:
    """Let a file that claims to be huge fail by itself, where the system can see to it."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    except (ImportError, OSError, ValueError):
        pass  # Windows has no such limit


def main() -> None:
    """Answer requests until there are no more."""
    _limit_memory()
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = _answer(request)
        except BaseException as error:  # what the library calls a panic is no Exception
            answer = {"error": str(error)[:80] or type(error).__name__}
        with open(request["target"], "w", encoding="utf-8") as stream:
            json.dump(answer, stream)
        print("done", flush=True)


if __name__ == "__main__":
    main()
