"""Tables as CSV: unrounded, and safe to open in a spreadsheet."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from consilience.document._blocks import Cell, Document, Range, Table

_NEEDS_QUOTES = re.compile(r'["\r\n]|^\s|\s$')
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(document: Document) -> str:
    """Render the tables, a blank line between them; an interval takes two columns."""
    tables = [block for block in document.blocks if isinstance(block, Table)]
    return "\n\n".join(_table(table) for table in tables)


def _table(table: Table) -> str:
    return written(flat_rows(table))


def flat_rows(table: Table) -> list[list[object]]:
    """Return the names and the unrounded cells of a table; an interval takes two columns."""
    ranges = [any(isinstance(row[j], Range) for row in table.rows) for j in range(len(table.heads))]
    heads: list[object] = []
    for head, is_range in zip(table.heads, ranges, strict=True):
        heads += [f"{head} low", f"{head} high"] if is_range else [head]
    return [heads, *(_flat(row, ranges) for row in table.rows)]


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
    lines = (csv_line(row if raw else map(spreadsheet_safe, row)) for row in rows)
    return "".join(lines).rstrip("\n")


def csv_line(cells: Iterable[object], *, delimiter: str = ",") -> str:
    r"""Return one line of CSV; a lone carriage return is quoted too, as csv.writer does not.

    Examples
    --------
    >>> csv_line(["a\rb", 0.5, None, "c, d"])
    '"a\rb",0.5,,"c, d"\n'
    """
    line = delimiter.join(_quoted("" if c is None else str(c), delimiter) for c in cells)
    return (line or '""') + "\n"  # a blank line would be no row


def _quoted(cell: str, delimiter: str) -> str:
    if delimiter in cell or _NEEDS_QUOTES.search(cell):
        return '"' + cell.replace('"', '""') + '"'
    return cell


def spreadsheet_safe(cell: object) -> object:
    """Keep a spreadsheet from taking a text for a formula; numbers stay numbers.

    Parameters
    ----------
    cell : text, number or None

    Returns
    -------
    object
        The same, a text that looks like a formula with an apostrophe before it.

    Examples
    --------
    >>> spreadsheet_safe("=1+1"), spreadsheet_safe(-0.5)
    ("'=1+1", -0.5)
    """
    if isinstance(cell, str) and cell.lstrip(" ").startswith(_FORMULA):
        return "'" + cell
    return cell
