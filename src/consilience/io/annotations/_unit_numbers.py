"""Numbers as people and programs write them."""

from __future__ import annotations

import math
import re
from pathlib import Path

from consilience.exceptions import InputError

_LONGEST = 40
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")


def as_number(text: str) -> float | None:
    """Return a finite number written with a point or a comma, or None."""
    text = text.strip()
    if len(text) > _LONGEST:
        return None
    if "." not in text:
        text = text.replace(",", ".", 1)
    if not _NUMBER.fullmatch(text) or not text.isascii():
        return None
    value = float(text)
    return value if math.isfinite(value) else None


def number_in(text: str, path: Path, line: int, what: str) -> float:
    """Return a number; refuse anything else with its line."""
    value = as_number(text)
    if value is None:
        raise InputError.expected(
            what, "a number", text[:60], "correct the line", where=f"{path}, line {line}"
        )
    return value


def plain(value: object, *, whole: bool = False) -> float | None:
    """Return a JSON value as a finite number, or None."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    if isinstance(value, str):
        return as_number(value)
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) and (not whole or number.is_integer()) else None
