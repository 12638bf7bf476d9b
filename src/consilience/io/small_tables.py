"""Tables that are no ratings: weights, trees of labels, and tables as papers print them."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
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
from consilience.exceptions import InputError, Option, Words
from consilience.io._read import opened
from consilience.io.layout.printed_tables import NIL, difference_of
from consilience.io.options import Request, request_of, tuple_of
from consilience.io.registry import format_of

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
    with opened([path], request_of(shape="table", delimiter=delimiter, encoding=encoding)) as file:
        where, printed = file.table.where, file.table.printed
    form = "one with the same labels in its first row and column, nil among them, and whole numbers"
    hint = "a row such as iob,160,0,22 for each label, and one for nil"
    if printed is None or printed.is_share:
        raise InputError.expected("the table", form, Said("another"), hint, where=where)
    nil = [k for k, name in enumerate(printed.labels) if name.casefold() in NIL]
    if len(nil) != 1:
        raise InputError.expected("the table", form, list(printed.labels), hint, where=where)
    order = [k for k in range(len(printed.labels)) if k != nil[0]] + nil
    table = np.array(printed.cells, dtype=np.int64)[np.ix_(order, order)]
    findings = tuple(
        Finding(
            "total_differs",
            "caution",
            f"T{str(one)[1:]}.",
            "Check the cells against the source; the cells were used.",
            {"sum": one.sum, "told": one.told},
        )
        for one in printed.wrong
    )
    labels = tuple(label_in(printed.labels[k]) for k in order[:-1])
    return NilTable(table, labels, findings)


# ---- published tables of differences

_MEASURES = re.compile(r"(?i)l1|l2|(?:.*\b)?(?:manhattan|euclidean)\b.*")
_SUMS = ("total", "sum", "n", "all")


@dataclass(frozen=True)
class DifferenceTable:
    """How often marks differ by how much, as it was published.

    Attributes
    ----------
    counts : dict
        Setting to difference to how often.
    told : tuple of str
        What was left out, and how the table stands.
    """

    counts: dict[object, dict[float, float]]
    told: tuple[str, ...] = ()


def read_differences(path: PathLike, *, setting: str, **options: Any) -> DifferenceTable:
    """Read how often marks differ by how much, for each setting.

    Columns called 0, 1, 2, ±1, "same", "off by 2" or "differ by ±3 marks" hold counts or
    percentages; or rows are called so, and each other column is a setting. Sums, and distances that
    follow from the rest, are left out and told. Any other column is refused. Options are those of
    `load` that concern the text of a file, and `label`, which names the columns that count.

    Parameters
    ----------
    path : file
    setting : str
        Column that names the setting. Where settings are columns, what they are called together.

    Returns
    -------
    DifferenceTable
    """
    chosen = tuple_of(options.pop("label", None))
    with opened([path], request_of(**options)) as file:
        table = file.table
        names, rows, where = list(map(str, table.names)), table.all_rows(), table.where
        told = [words for words in table.evidence if "left out" in words]
        wanted = table.positions(chosen, option="label") if chosen else None
        gaps = {
            k: gap
            for k, name in enumerate(names)
            if (wanted is None or k in wanted) and (gap := difference_of(name)) is not None
        }
        turned = None if len(gaps) > 1 else _turned(names, rows)
        if turned is not None:
            return DifferenceTable(turned, (*told, "rows are differences, columns are settings"))
        place = table.position(setting, option="setting")
    gaps.pop(place, None)
    if not gaps:
        raise InputError.expected(
            "the columns of differences",
            "named by points, such as 0, 1, 2, ±1 or 'off by 1'",
            Said(", ".join(names)),
            "rename them, or leave out --differences where the file holds marks",
            where=where,
        )
    rest = [k for k in range(len(names)) if k not in gaps and k != place]
    if wanted is None:
        odd = [k for k in rest if not _follows(k, names, rows, gaps)]
        if odd:
            raise InputError.expected(
                "every column of the table",
                f"the setting {names[place]!r}, or named by points, such as ±1",
                Said(", ".join(repr(names[k]) for k in odd)),
                Words("name the columns that count, ", Option("label", [names[k] for k in gaps])),
                where=where,
            )
    if rest:
        told.append(f"left out: {', '.join(names[k] for k in rest)}")
    counts = {
        _setting(row[place]): {gap: _share_in(row[k], where) for k, gap in gaps.items()}
        for row in rows
        if any(row[k] is not None for k in gaps)
    }
    return DifferenceTable(counts, tuple(told))


def _turned(
    names: list[str], rows: list[tuple[Any, ...]]
) -> dict[object, dict[float, float]] | None:
    """Return the settings of a table whose rows are differences; None where it is no such table."""
    body = [row for row in rows if any(as_number(str(cell)) is not None for cell in row[1:])]
    gaps = [None if row[0] is None else difference_of(str(row[0])) for row in body]
    known = [gap for gap in gaps if gap is not None]
    columns = [k for k in range(1, len(names)) if any(row[k] is not None for row in body)]
    if len(known) < 2 or len(set(known)) < len(body) or 0.0 not in known or not columns:
        return None
    return {
        _setting(names[k]): {
            gap: _share_in(row[k], names[k]) for gap, row in zip(known, body, strict=True)
        }
        for k in columns
    }


def _follows(
    k: int, names: list[str], rows: list[tuple[Any, ...]], gaps: Mapping[int, float]
) -> bool:
    """Tell whether a column is empty, a distance that follows from the rest, or their sum."""
    if all(row[k] is None for row in rows) or _MEASURES.fullmatch(names[k].strip()):
        return True
    numbers = [(as_number(str(row[k])), [as_number(str(row[g])) for g in gaps]) for row in rows]
    is_sum = all(
        total is not None and abs(total - sum(x or 0.0 for x in parts)) < 1e-6
        for total, parts in numbers
    )
    return is_sum and names[k].strip().casefold() in _SUMS


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
