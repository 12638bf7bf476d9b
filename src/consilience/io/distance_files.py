"""Distances from files: a table of weights, or a tree of labels."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

from consilience.core.cell_values import as_number
from consilience.core.input_files import PathLike
from consilience.distances import Distance, matrix, taxonomy
from consilience.exceptions import InputError
from consilience.io.tables.small_tables import Cells, cells_of, label_in

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
        rows = [[_number(cells, k, row[1 + j]) for j in order] for k, row in _numbered(cells)]
        return matrix(rows, names)
    if cells.rows and len(cells.rows[0]) == 3:
        return _from_pairs(cells)
    raise InputError.expected(
        "the table of weights", "square with labels in its first row and column, or of three "
        "columns (label, label, distance)", heads or "nothing", "write one row for each label",
        where=cells.where,
    )  # fmt: skip


def _numbered(cells: Cells) -> list[tuple[int, tuple[Any, ...]]]:
    return list(enumerate(cells.rows))[1:]


def _number(cells: Cells, row: int, cell: Any) -> float:
    number = None if cell is None else as_number(cell)
    if number is None:
        raise InputError.expected(
            "a distance", "a number", cell, "0 for a label and itself, 1 for the farthest",
            where=cells.locate(row),
        )  # fmt: skip
    return number


def _from_pairs(cells: Cells) -> Distance:
    first = 0 if as_number(cells.rows[0][2]) is not None else 1  # else it names the columns
    known: dict[tuple[Hashable, Hashable], float] = {}
    labels: dict[Hashable, None] = {}
    for k, (a, b, cell) in list(enumerate(cells.rows))[first:]:
        one, two = label_in(a), label_in(b)
        labels.update({one: None, two: None})
        known[one, two] = _number(cells, k, cell)
    rows = []
    for one in labels:
        row = []
        for two in labels:
            number = known.get((one, two), known.get((two, one), 0.0 if one == two else None))
            if number is None:
                raise InputError.expected(
                    "the table of weights", "complete", f"no distance of {one!r} and {two!r}",
                    "add a row for these two labels", where=cells.where,
                )  # fmt: skip
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
            "the taxonomy", "a table with a label and its parent in each row",
            "nothing" if not rows else "one column", "write rows such as poodle,dog",
            where=cells.where,
        )  # fmt: skip
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
