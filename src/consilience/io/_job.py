"""What the builders of all layouts share: the table, what was said about it, and the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError
from consilience.io._encode import Codes, Encoded, encode_columns
from consilience.io._paths import Said
from consilience.io._table import Table
from consilience.io._view import Layout
from consilience.ratings import Ratings

Mask = NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class Content:
    """What the caller said about the labels."""

    scale: str = "nominal"
    categories: tuple[object, ...] | None = None
    missing_values: tuple[object, ...] = ()
    duplicates: str = "refuse"
    ungrouped: str = "refuse"  # or "keep": rows without a group are a group of their own, None
    items: str = "names"  # or "forget", where nobody will ask which item was which


@dataclass(frozen=True)
class Job:
    """One table on its way to ratings by group (None: the only group)."""

    table: Table
    layout: Layout
    content: Content
    groups: dict[str | None, Ratings] = field(default_factory=dict)
    evidence: list[str] = field(default_factory=list)

    def encode(self, columns: dict[str, str]) -> dict[str, Encoded]:
        """Encode columns by name, and keep what was cleaned on the way."""
        if not columns:
            return {}
        encoded, cleaned = encode_columns(self.table, columns)
        self.evidence.extend(cleaned)
        return encoded

    def names(self) -> dict[str, str]:
        """Select the columns that name the item and the group, where the layout has them."""
        columns: dict[str, str] = {}
        if self.layout.item and self.layout.shape != "transposed":
            columns["item"] = self.item()
        if self.layout.by is not None:
            columns["by"] = self.name(self.layout.by)
        return columns

    def item(self) -> str:
        """Select what names an item; several columns are put together."""
        columns = self.layout.item
        if len(columns) == 1:
            return self.name(columns[0])
        parts = ", ".join(f"coalesce(c{j}::VARCHAR, '')" for j in columns)
        return f"concat_ws(' ', {parts})"

    def name(self, j: int) -> str:
        """Select a column of names; whole numbers stay numbers, all else is text."""
        return f"c{j}" if self.table.kinds[j] in ("text", "number") else f"c{j}::VARCHAR"

    def require(self, encoded: dict[str, Encoded], role: str, rows: Any) -> None:
        """Refuse a row that has a rating but does not say which item, rater or group."""
        if role not in encoded:
            return
        empty = np.flatnonzero((encoded[role].codes < 0) & rows)
        if role == "by" and self.content.ungrouped == "keep" and empty.size:
            by = encoded[role]
            codes = np.where(by.codes < 0, len(by.dictionary), by.codes)
            encoded[role] = Encoded(codes, [*by.dictionary, None])
            return
        if empty.size:
            columns: tuple[int, ...] = {
                "item": self.layout.item, "rater": self.layout.rater, "by": (self.layout.by or 0,)
            }[role]  # fmt: skip
            raise InputError.expected(
                f"the column {self.table.names[columns[0]]!r}",
                "filled in every row that has a rating",
                Said("an empty cell" if empty.size == 1 else f"{empty.size:,} empty cells"),
                "fill them in, or remove these rows",
                where=self.table.locate(int(empty[0])),
            )


def split(by: Encoded | None, kept: Mask | None) -> Iterator[tuple[str | None, Mask | None]]:
    """Yield each group's name and rows; None for rows means all of them."""
    if by is None:
        yield None, kept
        return
    for code, name in enumerate(by.dictionary):
        chosen = by.codes == code
        group = None if name is None else str(name)
        yield group, chosen if kept is None else chosen & kept


__all__ = ["Codes", "Content", "Encoded", "Job", "Mask", "split"]
