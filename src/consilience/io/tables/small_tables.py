"""Small tables that are no ratings: weights, trees, tables from papers; any format of tables."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from consilience.core.cell_values import as_number, whole
from consilience.core.database import Session
from consilience.core.input_files import PathLike, check_paths
from consilience.exceptions import InputError
from consilience.io.format_registry import format_of
from consilience.io.request import Request

_MOST_ROWS = 100_000


@dataclass(frozen=True)
class Cells:
    """Every cell of a small table, the names of its columns among them."""

    rows: list[tuple[Any, ...]]
    where: str
    locate: Callable[[int], str]  # the row, to "weights.csv, line 3"


def cells_of(path: PathLike, *, delimiter: str | None = None, encoding: str | None = None) -> Cells:
    """Return all cells of a table as text, row by row; empty ones are None."""
    (file,) = check_paths(path)
    with Session(str(file)) as session:
        text = Request(delimiter=delimiter, encoding=encoding, header=False, is_plain=True)
        table = format_of([file]).load(session, [file], text)
        if table.n_rows > _MOST_ROWS:
            raise InputError.expected(
                "a small table", f"at most {_MOST_ROWS:,} rows", table.n_rows, "check the file",
                where=str(file),
            )  # fmt: skip
        rows = [row for row in table.all_rows() if any(cell is not None for cell in row)]
        return Cells(rows, str(file), table.locate)


def label_in(cell: Any) -> Any:
    """Return the label that a cell holds: a whole number as a number, all else as it stands."""
    number = as_number(cell)
    return str(cell) if number is None else whole(number)
