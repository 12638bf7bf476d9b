"""A table as it stands: columns by name, for rows that are no ratings of items."""

from __future__ import annotations

from typing import Any

from consilience.core.input_files import PathLike, check_paths
from consilience.io._read import opened
from consilience.io.request import request_of


def read_columns(
    path: PathLike, *, delimiter: str | None = None, encoding: str | None = None
) -> dict[str, list[Any]]:
    """Return the columns of a delimited, JSON or Parquet file by name; blank cells are None.

    Parameters
    ----------
    path : path of the file
    delimiter, encoding : str, optional

    Returns
    -------
    dict
    """
    request = request_of(delimiter=delimiter, encoding=encoding)
    with opened(check_paths(path), request) as file:
        table = file.table
        listed = ", ".join(f"c{k}" for k in range(len(table.names)))
        rows = table.session.rows(f"SELECT {listed} FROM {table.relation} ORDER BY {table.row}")
    columns: dict[str, list[Any]] = {name: [] for name in table.names}
    for row in rows:
        for name, cell in zip(table.names, row, strict=True):
            blank = cell is None or (isinstance(cell, str) and not cell.strip())
            columns[name].append(None if blank else cell)
    return columns
