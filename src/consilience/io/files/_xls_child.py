"""What the process that reads old Excel workbooks answers; run by `_child_main`."""

from __future__ import annotations

import datetime
from typing import Any

MOST_MEMORY = 4 << 30


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


def answer(request: dict[str, Any]) -> dict[str, Any]:
    """Read one file."""
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
