"""Tables that are no ratings: weights, trees of labels, and tables as papers print them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.cell_values import as_exact, as_number
from consilience.core.database import Session
from consilience.core.input_files import PathLike, Said, check_paths
from consilience.core.labels import is_missing
from consilience.distances import Distance, matrix, taxonomy
from consilience.document import Finding
from consilience.exceptions import InputError
from consilience.io._read import opened
from consilience.io.options import Request, request_of
from consilience.io.registry import format_of
from consilience.ratings import Ratings

# ---- small tables that are no ratings

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
                "a small table",
                f"at most {_MOST_ROWS:,} rows",
                table.n_rows,
                "check the file",
                where=str(file),
            )
        rows = [row for row in table.all_rows() if any(cell is not None for cell in row)]
        return Cells(rows, str(file), table.locate)


def label_in(cell: Any) -> Any:
    """Return the label that a cell holds: a whole number as a number, all else as it stands."""
    number = as_exact(cell)
    return str(cell) if number is None else number


# ---- distances from files: a table of weights, or a tree of labels

_HEADS_OF_TREES = ("label", "child", "sense", "node", "category", "code", "name")


def read_weights(path: PathLike) -> Distance:
    """Read how far apart labels are from a table of any format.

    Use it where the seriousness of every confusion was agreed on. The table is square, labels in
    the first row and the first column, or has three columns: two labels and their distance.

    Parameters
    ----------
    path : path
        A delimited text, a workbook, or any other format of tables.

    Returns
    -------
    Distance
        As `consilience.distances.matrix` makes it.

    Raises
    ------
    InputError
        A cell is no number, two labels have no distance, or the numbers are no distances.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 2.8.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from consilience import cohen_kappa, datasets
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "weights.csv"
    >>> _ = path.write_text("a,b,distance\\nStatement,Info-Request,1\\nStatement,Check,.5\\n"
    ...                     "Info-Request,Check,.5\\n")
    >>> table6 = datasets.load("artstein_poesio_2005_table6")
    >>> round(cohen_kappa(table6, distance=read_weights(path)).value, 4)
    0.8163
    """
    cells = cells_of(path)
    heads = [label_in(cell) for cell in cells.rows[0][1:]] if cells.rows else []
    names = [label_in(row[0]) for row in cells.rows[1:]]
    if heads and sorted(map(str, heads)) == sorted(map(str, names)):
        order = [heads.index(name) for name in names]
        rows = [[_distance_in(cells, k, row[1 + j]) for j in order] for k, row in _numbered(cells)]
        return matrix(rows, names)
    if cells.rows and len(cells.rows[0]) == 3:
        return _from_pairs(cells)
    raise InputError.expected(
        "the table of weights",
        "square with labels in its first row and column, or of three "
        "columns (label, label, distance)",
        heads or "nothing",
        "write one row for each label",
        where=cells.where,
    )


def _numbered(cells: Cells) -> list[tuple[int, tuple[Any, ...]]]:
    return list(enumerate(cells.rows))[1:]


def _distance_in(cells: Cells, row: int, cell: Any) -> float:
    number = None if cell is None else as_number(cell)
    if number is None:
        raise InputError.expected(
            "a distance",
            "a number",
            cell,
            "0 for a label and itself, 1 for the farthest",
            where=cells.locate(row),
        )
    return number


def _from_pairs(cells: Cells) -> Distance:
    first = 0 if as_number(cells.rows[0][2]) is not None else 1  # else it names the columns
    known: dict[tuple[Hashable, Hashable], float] = {}
    labels: dict[Hashable, None] = {}
    for k, (a, b, cell) in list(enumerate(cells.rows))[first:]:
        one, two = label_in(a), label_in(b)
        labels.update({one: None, two: None})
        known[one, two] = _distance_in(cells, k, cell)
    rows = []
    for one in labels:
        row = []
        for two in labels:
            number = known.get((one, two), known.get((two, one), 0.0 if one == two else None))
            if number is None:
                raise InputError.expected(
                    "the table of weights",
                    "complete",
                    f"no distance of {one!r} and {two!r}",
                    "add a row for these two labels",
                    where=cells.where,
                )
            row.append(number)
        rows.append(row)
    return matrix(rows, list(labels))


def read_taxonomy(path: PathLike, *, distance: str = "jaccard") -> Distance:
    """Read a tree of labels, and return how far apart labels are in it.

    Use it when raters may choose a specific label or a broader one above it. Each row has a label
    and the one above it; a label with several parents has several rows, a root none or an empty
    second cell.

    Parameters
    ----------
    path : path
        A delimited text, a workbook, or any other format of tables.
    distance : {"jaccard", "dice", "masi", "overlap", "passonneau"}, default "jaccard"
        How far apart two sets of a label and its ancestors are.

    Returns
    -------
    Distance
        As `consilience.distances.taxonomy` makes it.

    Raises
    ------
    InputError
        The table has fewer than two columns, or the tree runs in a circle.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, section 4.4.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from consilience import Ratings, cohen_kappa
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "senses.csv"
    >>> _ = path.write_text("sense,group\\nWN1,LABEL\\nWN3,LABEL\\nWN19,SEE\\nWN22,ADDRESS\\n")
    >>> senses = Ratings.from_wide([["WN1", "WN3"], ["WN1", "LABEL"], ["WN19", "WN19"]])
    >>> one = cohen_kappa(senses, distance=read_taxonomy(path, distance="passonneau"))
    >>> round(one.observed_disagreement, 4)  # (2/3 + 1/3 + 0) / 3
    0.3333
    """
    cells = cells_of(path)
    rows = cells.rows
    if not rows or len(rows[0]) < 2:
        raise InputError.expected(
            "the taxonomy",
            "a table with a label and its parent in each row",
            "nothing" if not rows else "one column",
            "write rows such as poodle,dog",
            where=cells.where,
        )
    if str(rows[0][0]).strip().casefold() in _HEADS_OF_TREES:
        rows = rows[1:]
    parents: dict[Hashable, list[Hashable]] = {}
    for label, above, *_ in rows:
        if label is None:
            continue
        found = parents.setdefault(label_in(label), [])
        found += [] if above is None else [label_in(above)]
    for node in [one for several in parents.values() for one in several]:
        parents.setdefault(node, [])  # a group may be chosen as a label, too
    return taxonomy(parents, distance=distance)


# ---- tables from papers on timed events

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
            "a cell of the table",
            "a whole number, or empty",
            cell,
            "give the tallies themselves",
            where=cells.locate(row),
        )
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


# ---- cross-tables of shares


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
            "the table of shares",
            "one with the same labels in its first row and column",
            sorted(set(across) ^ set(down)) or "no labels",
            "name each row and column once",
            where=cells.where,
        )
    found = []
    for name in across:
        k = rows[down.index(name)]
        line = []
        for j in columns:
            cell = cells.rows[k][j]
            number = 0.0 if cell in _EMPTY else as_number(cell)
            if number is None:
                raise InputError.expected(
                    "a cell of the table",
                    "a share such as .25",
                    cell,
                    "0 or empty for none",
                    where=cells.locate(k),
                )
            line.append(number)
        found.append(line)
    return [label_in(name) for name in across], found


# ---- published tables of differences

_GAP = re.compile(r"^(?:±|\+/-)?\s*([-+−]?\s*\d+(?:[.,]\d+)?)$")
_SAME = re.compile(r"^%?\s*(?:same|equal|identical|exact)\b.*$", re.IGNORECASE)


def read_differences(
    path: PathLike, *, setting: str, **options: Any
) -> dict[object, dict[float, float]]:
    """Read how often marks differ by how much, for each setting.

    Columns named 0, 1, 2 or ±1, −2 or "same" hold counts or percentages; all others are left
    alone. Options are those of `load` that concern the text of a file.

    Parameters
    ----------
    path : file
    setting : str
        Column that names the setting.

    Returns
    -------
    dict
        Setting to difference to how often.
    """
    with opened([path], request_of(**options)) as file:
        table = file.table
        place = table.position(setting, option="sweep")
        names, rows, where = table.names, table.all_rows(), table.where
    gaps = {
        k: gap
        for k, name in enumerate(names)
        if k != place and (gap := _gap_of(str(name))) is not None
    }
    if not gaps:
        raise InputError.expected(
            "the columns of differences",
            "named by points, such as 0, 1, 2 or ±1",
            Said(", ".join(map(str, names))),
            "rename them, or leave out --differences where the file holds marks",
            where=where,
        )
    found: dict[object, dict[float, float]] = {}
    for row in rows:
        counts = {gap: _share_in(row[k], where) for k, gap in gaps.items()}
        found[_setting(row[place])] = counts
    return found


def _gap_of(name: str) -> float | None:
    if _SAME.match(name.strip()):
        return 0.0
    match = _GAP.match(name.strip())
    return None if match is None else as_number(match[1].replace(" ", ""))


def _share_in(cell: Any, where: str) -> float:
    if is_missing(cell) or str(cell).strip() == "":
        return 0.0
    number = as_number(str(cell).strip().removesuffix("%"))
    if number is None:
        raise InputError.expected(
            "a share of marks", "a number", cell, "check the cell", where=where
        )
    return number


def _setting(cell: Any) -> object:
    """Return a setting as a number where it is one, so that it can be plotted as one."""
    number = as_exact(cell)
    return str(cell).strip() if number is None else number
