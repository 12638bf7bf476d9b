"""Numbers in files of units, refused with their line where they are none."""

from __future__ import annotations

import math
from pathlib import Path

from consilience.core.cell_values import as_number
from consilience.exceptions import InputError


def number_at(text: str, path: Path, line: int, what: str) -> float:
    """Return a number; refuse anything else with its line."""
    value = as_number(text)
    if value is None:
        raise InputError.expected(
            what, "a number", text[:60], "correct the line", where=f"{path}, line {line}"
        )
    return value


def json_number(value: object) -> float | None:
    """Return a JSON value as a finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str):
        return as_number(value)
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
