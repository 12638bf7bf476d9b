"""Times in the cells of a table: numbers, or hours, minutes and seconds."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.cell_values import as_clock, as_number
from consilience.core.input_files import Said
from consilience.exceptions import InputError
from consilience.io.tables.table import Table

_SMPTE = re.compile(r"\d{1,2}:\d{2}:\d{2}[:;]\d{2,3}")


def times_in(table: Table, column: Any, role: str) -> tuple[Floats, bool]:
    """Return a column as numbers, and whether it was written as hours, minutes and seconds."""
    masked = np.ma.filled(column.astype(object), None) if np.ma.isMaskedArray(column) else column
    if masked.dtype.kind in "iuf":
        return masked.astype(np.float64), False
    try:  # as a whole; one by one only to name the cell that is no number
        numbers = masked.astype(np.float64)
        if np.isfinite(numbers).all() and not any("_" in str(cell) for cell in masked):
            return numbers, False
    except (TypeError, ValueError):
        numbers = np.empty(len(masked), dtype=np.float64)
    first = next((str(cell) for cell in masked.tolist() if cell is not None), "")
    read = as_clock if as_clock(first) is not None else as_number
    for row, value in enumerate(masked.tolist()):
        number = read(value) if value is not None else None
        if number is None:
            raise _no_time(table, value, role, row)
        numbers[row] = number
    return numbers, read is as_clock


def _no_time(table: Table, value: Any, role: str, row: int) -> InputError:
    got: Any = Said("an empty cell") if value is None else str(value)[:60]
    hint = "correct the cell, or leave the unit out"
    if value is not None and _SMPTE.fullmatch(str(value).strip()):
        got = Said(f"{value}, which counts frames")
        hint = "write times in seconds or frames: how many frames a second has is not known"
    return InputError.expected(
        f"the {role} of a unit", "a finite number", got, hint, where=table.locate(row)
    )


def until_next(
    start: Floats, groups: NDArray[np.int64], closing: Floats, is_end: NDArray[np.bool_]
) -> tuple[Floats, NDArray[np.bool_]]:
    """End each event where the next of its group begins; say which events have an end.

    The last event of a group ends at `closing`, NaN where that is not known: for nobody then, so
    that no rater has one more than the others. `is_end` marks rows that only say where the end is.
    """
    order = np.lexsort((start, groups))
    end = closing.copy()
    same = groups[order][1:] == groups[order][:-1]
    end[order[:-1][same]] = start[order[1:][same]]
    return end, (end > start) & ~is_end
