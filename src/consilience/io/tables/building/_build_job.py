"""What the builders of all layouts share: the table, what was said about it, and the result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from consilience.core.arrays import Mask
from consilience.core.cells import clean_sql
from consilience.core.input_files import Said
from consilience.core.words import counted
from consilience.exceptions import InputError, Option, Words
from consilience.io.request import Request
from consilience.io.tables.building._column_codes import Encoded, encode_columns
from consilience.io.tables.layouts._table_sample import Layout
from consilience.io.tables.table import Table
from consilience.ratings import Ratings

_OR_SKIP = {"rater": Words(", or pass ", Option("no_rater", "skip"), " to leave them out")}


@dataclass
class RowCount:
    """What became of the rows of a table, beside those that were used."""

    empty: int = 0  # rows without any cell that tells something
    computed: int = 0  # totals and means below the table
    unrated: int = 0  # rows of a long table whose label cell is empty
    marked: int = 0  # rows of a long table whose label was declared to be missing
    repeated: int = 0  # rows of a long table that repeat a rating, left out as asked


@dataclass(frozen=True)
class Job:
    """One table on its way to ratings by group (None: the only group)."""

    table: Table
    layout: Layout
    request: Request
    groups: dict[str | None, Ratings] = field(default_factory=dict)
    evidence: list[str] = field(default_factory=list)
    rows: RowCount = field(default_factory=RowCount)
    names_found: list[str] = field(default_factory=list)  # variables and groups that were found

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
        parts = ", ".join(f"coalesce({self._part(j)}, '')" for j in columns)
        return f"concat_ws(' ', {parts})"

    def _part(self, j: int) -> str:
        is_text = self.table.kinds[j] == "text"
        return clean_sql(f"c{j}", "text") if is_text else f"c{j}::VARCHAR"

    def name(self, j: int) -> str:
        """Select a column of names; whole numbers stay numbers, all else is text."""
        return f"c{j}" if self.table.kinds[j] in ("text", "number") else f"c{j}::VARCHAR"

    def require(self, encoded: dict[str, Encoded], role: str, rows: Any) -> None:
        """Refuse a row that has a rating but does not say which item, rater or group."""
        if role not in encoded:
            return
        empty = np.flatnonzero((encoded[role].codes < 0) & rows)
        if role == "by" and self.request.ungrouped == "keep" and empty.size:
            by = encoded[role]
            codes = np.where(by.codes < 0, len(by.dictionary), by.codes)
            encoded[role] = Encoded(codes, [*by.dictionary, None])
            return
        if role == "rater" and self.request.no_rater == "skip" and empty.size:
            n = int(empty.size)
            self.evidence.append(f"left out, as nobody is named as the rater: {counted(n, 'row')}")
            return
        if empty.size:
            columns: tuple[int, ...] = {
                "item": self.layout.item, "rater": self.layout.rater, "by": (self.layout.by or 0,)
            }[role]  # fmt: skip
            raise InputError.expected(
                f"the column {self.table.names[columns[0]]!r}",
                "filled in every row that has a rating",
                Said("an empty cell" if empty.size == 1 else f"{empty.size:,} empty cells"),
                Words("fill them in, or remove these rows", _OR_SKIP.get(role, "")),
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
