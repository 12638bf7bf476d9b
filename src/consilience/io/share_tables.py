"""Cross-tables of shares, as papers print them, with the number of items they are shares of."""

from __future__ import annotations

from typing import Any

from consilience.core.cell_values import as_number
from consilience.core.input_files import PathLike
from consilience.exceptions import InputError
from consilience.io.tables.small_tables import cells_of, label_in
from consilience.ratings import Ratings

_TOTALS = ("total", "totals", "sum", "all")
_EMPTY = (None, "–", "-", "—", "−")


def read_shares(path: PathLike, *, n_items: int) -> Ratings:
    """Read two raters' cross-table of shares, such as .25 and .13, of so many items.

    Use it for tables from papers. Coefficients follow from the shares alone; tests and intervals
    need the number of items.

    Parameters
    ----------
    path : path
        A delimited text, a workbook, or any other format of tables: labels in the first row and the
        first column. Rows belong to the first rater; those called total are left out.
    n_items : int

    Returns
    -------
    Ratings

    Raises
    ------
    InputError
        Rows and columns differ, a cell is no number, or the shares do not make whole items.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from consilience import cohen_kappa
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("B,STAT,IREQ,total\\nSTAT,.2,.2,.4\\nIREQ,.1,.5,.6\\n")
    >>> round(cohen_kappa(read_shares(path, n_items=100)).value, 3)
    0.348
    """
    labels, cells = share_table(path)
    return Ratings.from_table(cells, categories=labels, n_items=n_items)


def share_table(path: PathLike) -> tuple[list[Any], list[list[float]]]:
    """Return the labels and the shares of a file."""
    cells = cells_of(path)
    heads = [str(cell or "").strip() for cell in (cells.rows or [()])[0]]
    columns = [j for j, head in enumerate(heads) if j and head.casefold() not in _TOTALS]
    rows = [
        k
        for k, row in enumerate(cells.rows)
        if k and str(row[0] or "").strip().casefold() not in _TOTALS
    ]
    across = [heads[j] for j in columns]
    down = [str(cells.rows[k][0] or "").strip() for k in rows]
    if not across or sorted(across) != sorted(down):
        raise InputError.expected(
            "the table of shares", "one with the same labels in its first row and column",
            sorted(set(across) ^ set(down)) or "no labels", "name each row and column once",
            where=cells.where,
        )  # fmt: skip
    found = []
    for name in across:
        k = rows[down.index(name)]
        line = []
        for j in columns:
            cell = cells.rows[k][j]
            number = 0.0 if cell in _EMPTY else as_number(cell)
            if number is None:
                raise InputError.expected(
                    "a cell of the table", "a share such as .25", cell, "0 or empty for none",
                    where=cells.locate(k),
                )  # fmt: skip
            line.append(number)
        found.append(line)
    return [label_in(name) for name in across], found
