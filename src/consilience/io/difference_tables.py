"""Published tables of differences: one row per setting, one column per difference of the marks."""

from __future__ import annotations

import re
from typing import Any

from consilience.core.cell_values import as_number, whole
from consilience.core.input_files import PathLike, Said
from consilience.core.labels import is_missing
from consilience.exceptions import InputError
from consilience.io._read import opened
from consilience.io.request import request_of

_GAP = re.compile(r"^(?:±|\+/-)?\s*([-+−]?\s*\d+(?:[.,]\d+)?)$")
_SAME = re.compile(r"^%?\s*(?:same|equal|identical|exact)\b.*$", re.IGNORECASE)


def read_differences(
    path: PathLike, *, setting: str, **options: Any
) -> dict[object, dict[float, float]]:
    """Read how often marks differ by how much, for each setting.

    Columns named 0, 1, 2 or ±1, −2 or "same" hold counts or percentages; all others are left
    alone. Options are those of `load` that concern the text of a file.

    Parameters
    ----------
    path : file
    setting : str
        Column that names the setting.

    Returns
    -------
    dict
        Setting to difference to how often.
    """
    with opened([path], request_of(**options)) as file:
        table = file.table
        place = table.position(setting, option="sweep")
        names, rows, where = table.names, table.all_rows(), table.where
    gaps = {k: gap for k, name in enumerate(names) if k != place
            and (gap := _gap_of(str(name))) is not None}  # fmt: skip
    if not gaps:
        raise InputError.expected(
            "the columns of differences",
            "named by points, such as 0, 1, 2 or ±1",
            Said(", ".join(map(str, names))),
            "rename them, or leave out --differences where the file holds marks",
            where=where,
        )
    found: dict[object, dict[float, float]] = {}
    for row in rows:
        counts = {gap: _number(row[k], where) for k, gap in gaps.items()}
        found[_setting(row[place])] = counts
    return found


def _gap_of(name: str) -> float | None:
    if _SAME.match(name.strip()):
        return 0.0
    match = _GAP.match(name.strip())
    return None if match is None else as_number(match[1].replace(" ", ""))


def _number(cell: Any, where: str) -> float:
    if is_missing(cell) or str(cell).strip() == "":
        return 0.0
    number = as_number(str(cell).strip().removesuffix("%"))
    if number is None:
        raise InputError.expected(
            "a share of marks", "a number", cell, "check the cell", where=where
        )
    return number


def _setting(cell: Any) -> object:
    """Return a setting as a number where it is one, so that it can be plotted as one."""
    number = as_number(cell)
    return str(cell).strip() if number is None else whole(number)
