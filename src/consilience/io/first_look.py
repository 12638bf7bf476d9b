"""The first rows of a file as a table, whatever they mean, to be shown beside a guess."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Unpack

from consilience.core.cells import clean_value
from consilience.core.keywords import READING, ReadingOptions, written_out
from consilience.io._read import opened
from consilience.io.request import request_of
from consilience.io.tables.table import Table

_FIRST_ROWS = 8


@dataclass(frozen=True, kw_only=True)
class FirstLook:
    """What stands at the beginning of a table.

    Attributes
    ----------
    names : tuple of str
        What the file calls its columns.
    rows : tuple of tuples
        The first rows; None is an empty cell.
    n_rows : int
        How many rows there are.
    there : tuple or None
        The row at the line that was asked for, if there is one.
    """

    names: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    n_rows: int
    there: tuple[Any, ...] | None = None

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return len(self.names)


@written_out(ReadingOptions, READING)
def first_look(
    path: Any, *, line: int | None = None, **options: Unpack[ReadingOptions]
) -> FirstLook | None:
    """Return the first rows of a file, with the same options as `load`; None for an export.

    Parameters
    ----------
    path : path or list of paths
    line : int, optional
        A line of the file, as messages name it, to be shown as well.
    options : as in `load`; those about columns are not needed

    Returns
    -------
    FirstLook or None

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "codes.csv"
    >>> _ = file.write_text("unit,Ann,Bob\\n1,yes,yes\\n2,no,yes\\n")
    >>> look = first_look(file)
    >>> look.names, look.rows[1], look.n_rows
    (('unit', 'Ann', 'Bob'), ('2', 'no', 'yes'), 2)
    """
    with opened(path, request_of(**options)) as file:
        if file.export is not None:
            return None
        table = file.table
        rows = tuple(table.sample()[:_FIRST_ROWS])
        there = None if line is None else _row_at(table, line)
        return FirstLook(names=table.names, rows=rows, n_rows=table.n_rows, there=there)


def _row_at(table: Table, line: int) -> tuple[Any, ...] | None:
    """Return the row that messages call so; nothing where lines and rows do not go together."""
    for row in range(max(0, line - 3), line):
        if re.search(rf" {line:,}$", table.locate(row)):
            columns = ", ".join(f"c{j}" for j in range(len(table.names)))
            found = table.session.rows(
                f"SELECT {columns} FROM {table.relation} WHERE {table.row} = {row}"
            )
            return tuple(map(clean_value, found[0])) if found else None
    return None
