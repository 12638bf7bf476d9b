"""Tables from papers on timed events: labels of two raters with nil for what one did not see."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.cell_values import as_number
from consilience.core.input_files import PathLike
from consilience.document import Finding
from consilience.exceptions import InputError
from consilience.io.tables.small_tables import Cells, cells_of, label_in

_NIL = ("nil", "none", "no unit", "no pair", "unlinked", "missing", "-", "–", "")
_TOTALS = ("total", "totals", "sum", "all")
_BESIDE = (*_TOTALS, "p", "kappa", "share", "%")
_EMPTY = (None, "–", "-", "—", "−")


@dataclass(frozen=True)
class NilTable:
    """A table of tallies with nil, from a file.

    Attributes
    ----------
    table : array (K + 1, K + 1)
        Rows are the first rater; nil is last.
    labels : tuple
        The K labels.
    findings : tuple of Finding
        Totals in the file that are not the sums of their rows or columns.
    """

    table: NDArray[np.int64]
    labels: tuple[Any, ...]
    findings: tuple[Finding, ...]


def read_nil_table(
    path: PathLike, *, delimiter: str | None = None, encoding: str | None = None
) -> NilTable:
    """Read a table of linked and unlinked units, as papers print it.

    Use it with `consilience.units.easydiag_table` or `gseq_table`. The first row and the first
    column hold the labels and nil, in any order; rows and columns called total, p or kappa are left
    out, and a total that does not fit is told.

    Parameters
    ----------
    path : path
        A delimited text, a workbook, or any other format of tables.
    delimiter, encoding : str, optional
        Of a delimited text. Default: found out.

    Returns
    -------
    NilTable

    Raises
    ------
    InputError
        Rows and columns differ, nil is missing, or a cell is no whole number.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from consilience.units import easydiag_table
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "table.csv"
    >>> _ = path.write_text("R1,a,b,nil,total\\na,8,2,1,11\\nb,0,6,2,8\\nnil,1,0,,1\\n")
    >>> found = read_nil_table(path)
    >>> round(easydiag_table(found.table, found.labels).kappa, 3)
    0.497
    """
    cells = cells_of(path, delimiter=delimiter, encoding=encoding)
    if len(cells.rows) < 2:
        raise _refused(cells, "one with labels in its first row and column", "too few rows")
    heads = [_word(cell) for cell in cells.rows[0][1:]]
    columns = [j for j, head in enumerate(heads, start=1) if head.casefold() not in _BESIDE]
    rows = [k for k, row in enumerate(cells.rows) if k and _word(row[0]).casefold() not in _BESIDE]
    across = [heads[j - 1] for j in columns]
    down = [_word(cells.rows[k][0]) for k in rows]
    if sorted(across) != sorted(down):
        odd = sorted(set(across) ^ set(down)) or "a label twice"
        raise _refused(cells, "one with the same labels in its first row and column", odd)
    nil = [name for name in across if name.casefold() in _NIL]
    if len(nil) != 1:
        raise _refused(cells, "one with a row and a column called nil", across)
    names = [*(name for name in across if name != nil[0]), nil[0]]
    table = np.array(
        [
            [_count(cells, rows[down.index(a)], columns[across.index(b)]) for b in names]
            for a in names
        ],
        dtype=np.int64,
    )
    findings = tuple(_wrong_totals(cells, table, names))
    return NilTable(table, tuple(label_in(name) for name in names[:-1]), findings)


def _word(cell: Any) -> str:
    return "" if cell is None else str(cell).strip()


def _count(cells: Cells, row: int, column: int) -> int:
    cell = cells.rows[row][column]
    number = 0.0 if cell in _EMPTY else as_number(cell)
    if number is None or number < 0 or not number.is_integer():
        raise InputError.expected(
            "a cell of the table", "a whole number, or empty", cell, "give the tallies themselves",
            where=cells.locate(row),
        )  # fmt: skip
    return int(number)


def _refused(cells: Cells, expectation: str, got: Any) -> InputError:
    hint = "a row such as iob,160,0,22 for each label, and one for nil"
    return InputError.expected("the table", expectation, got, hint, where=cells.where)


def _wrong_totals(cells: Cells, table: NDArray[np.int64], names: list[str]) -> list[Finding]:
    """Compare the totals that the file has with the sums of its cells."""
    heads = [_word(cell) for cell in cells.rows[0]]
    first = [_word(row[0]) for row in cells.rows]
    found = []
    for kind, words, sums in (("row", heads, table.sum(axis=1)), ("column", first, table.sum(0))):
        places = [k for k, word in enumerate(words) if k and word.casefold() in _TOTALS]
        for name, total in zip(names, sums.tolist(), strict=True) if places else ():
            k = (first if kind == "row" else heads).index(name)
            cell = cells.rows[k][places[0]] if kind == "row" else cells.rows[places[0]][k]
            told = None if cell in _EMPTY else as_number(cell)
            if told is not None and told != total:
                message = f"The {kind} {name} sums to {total:,}, and the table says {told:g}."
                evidence = {"sum": total, "told": told}
                advice = "Check the cells against the source; the cells were used."
                found.append(Finding("total_differs", "caution", message, advice, evidence))
    return found
