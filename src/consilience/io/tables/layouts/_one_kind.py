"""Columns that are compared with each other must hold the same kind of thing."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from consilience.exceptions import InputError, Option, Words
from consilience.io.bytes._text_kind import is_number_text
from consilience.io.bytes.paths import Said
from consilience.io.tables.layouts._list_cells import parts_of
from consilience.io.tables.layouts._table_sample import Layout
from consilience.io.tables.table import Table

_PLAIN = "plain values"


def refuse_mixed(table: Table, layout: Layout) -> None:
    """Refuse raters some of whom gave lists and others not, or lists of different kinds."""
    groups = [one.columns for one in layout.variables] or [layout.rater]
    if layout.shape != "wide":
        return
    rows = table.sample()
    for columns in groups:
        kinds = {j: kind for j in columns if (kind := _kind(row[j] for row in rows))}
        several = list(dict.fromkeys(kinds.values()))
        if len(several) > 1 and any(kind != _PLAIN for kind in several):
            first, second = (next(j for j in kinds if kinds[j] == kind) for kind in several[:2])
            raise InputError.expected(
                "columns that are compared",
                "of one kind",
                Said(f"{several[0]} in {table.names[first]!r} and {several[1]} in "
                     f"{table.names[second]!r}"),
                Words("name the columns of the raters with ", Option("rater"), ", or the column "
                      "that holds the labels of all raters with ", Option("label")),
                where=table.where,
            )  # fmt: skip


def _kind(cells: Iterable[Any]) -> str:
    """Say what a column holds; nothing where it mixes kinds, as one label beside several may."""
    kinds = {_kind_of(cell) for cell in cells if cell not in (None, "", [])} - {"lists"}
    return kinds.pop() if len(kinds) == 1 else ""


def _kind_of(cell: Any) -> str:
    text = cell.strip() if isinstance(cell, str) else ""
    if isinstance(cell, dict) or (text.startswith("{") and text.endswith("}")):
        return "objects"
    if not isinstance(cell, (list, tuple)) and not (text.startswith("[") and text.endswith("]")):
        return _PLAIN
    parts = parts_of(cell)
    if parts is None:
        return "lists"
    if any(isinstance(part, (dict, list, tuple)) for part in parts):
        return "lists of objects"
    numbers = [isinstance(p, (int, float)) or is_number_text(str(p)) for p in parts]
    return "lists" if not parts else "lists of numbers" if all(numbers) else "lists of texts"
