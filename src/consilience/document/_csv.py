"""Tables as CSV: unrounded, and safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence

from consilience.document._blocks import Cell, Document, Range, Table

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(document: Document) -> str:
    """Render the tables, a blank line between them; an interval takes two columns."""
    tables = [block for block in document.blocks if isinstance(block, Table)]
    return "\n\n".join(_table(table) for table in tables)


def _table(table: Table) -> str:
    ranges = [any(isinstance(row[j], Range) for row in table.rows) for j in range(len(table.heads))]
    heads: list[object] = []
    for head, is_range in zip(table.heads, ranges, strict=True):
        heads += [f"{head} low", f"{head} high"] if is_range else [head]
    return written([heads, *(_flat(row, ranges) for row in table.rows)])


def _flat(row: Sequence[Cell], ranges: Sequence[bool]) -> list[object]:
    flat: list[object] = []
    for cell, is_range in zip(row, ranges, strict=True):
        if isinstance(cell, Range):
            flat += [_number(cell.low), _number(cell.high)]
        else:
            flat += [_number(cell), None] if is_range else [_number(cell)]
    return flat


def _number(cell: object) -> object:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell


def written(rows: Sequence[Sequence[object]], *, raw: bool = False) -> str:
    """Write rows as CSV; texts that a spreadsheet would compute are guarded unless `raw`."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for row in rows:
        writer.writerow(row if raw else [spreadsheet_safe(cell) for cell in row])
    return out.getvalue().rstrip("\n")


def spreadsheet_safe(cell: object) -> object:
    """Keep a spreadsheet from taking a text for a formula; numbers stay numbers.

    Examples
    --------
    >>> spreadsheet_safe("=1+1"), spreadsheet_safe(-0.5)
    ("'=1+1", -0.5)
    """
    if isinstance(cell, str) and cell.lstrip(" ").startswith(_FORMULA):
        return "'" + cell
    return cell
