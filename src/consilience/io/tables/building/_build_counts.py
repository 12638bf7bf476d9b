"""From a recognised layout to `Ratings`: tables of counts, and cross-tables of two raters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Mask
from consilience.exceptions import InputError
from consilience.io.bytes.paths import Said
from consilience.io.tables.building._build_job import Job, split
from consilience.io.tables.building._label_cells import read_labels
from consilience.io.tables.table import Table
from consilience.ratings import Ratings


def build_counts(job: Job) -> None:
    """Build from rows of items and columns of categories."""
    columns = _in_declared_order(job)
    counts = _counts(job.table, columns)
    encoded = job.encode(job.names())
    for role in ("item", "by"):
        job.require(encoded, role, counts.any(axis=1))
    labels = _column_labels(job, columns)
    kept: Mask = np.asarray(encoded["item"].codes >= 0 if "item" in encoded else counts.any(axis=1))
    for group, chosen in split(encoded.get("by"), kept):
        rows = np.flatnonzero(kept if chosen is None else chosen)
        items = None
        if "item" in encoded:
            names = encoded["item"].dictionary
            items = [names[int(code)] for code in encoded["item"].codes[rows]]
        try:
            job.groups[group] = Ratings.from_counts(
                counts[rows], categories=labels, items=items, scale=job.content.scale
            )
        except InputError as error:
            raise InputError(f"{job.table.where}: {error}") from error


def build_table(job: Job) -> None:
    """Build from the cross-table of two raters."""
    table, layout = job.table, job.layout
    counts = _counts(table, layout.category)
    labels = _column_labels(job, layout.category)
    if layout.item:
        names = table.session.rows(
            f"SELECT trim(c0::VARCHAR) FROM {table.relation} ORDER BY {table.row}"
        )
        counts = counts[[name not in layout.skip_rows for (name,) in names]]
    else:
        labels = list(range(1, len(labels) + 1))
    if job.content.categories is not None:
        order = _places(job, [str(label) for label in labels])
        counts, labels = counts[np.ix_(order, order)], [labels[k] for k in order]
    job.groups[None] = Ratings.from_table(counts, categories=labels, scale=job.content.scale)


def _in_declared_order(job: Job) -> tuple[int, ...]:
    columns = job.layout.category
    if job.content.categories is None:
        return columns
    return tuple(columns[k] for k in _places(job, [job.table.names[j] for j in columns]))


def _places(job: Job, found: list[str]) -> list[int]:
    """Return where each declared category stands; refuse one that the table lacks."""
    wanted = [str(category) for category in job.content.categories or ()]
    if sorted(wanted) != sorted(found):
        raise InputError.expected(
            "categories",
            f"the names in the table, {', '.join(found[:8])},",
            wanted,
            "write these names in the order you mean",
            where=job.table.where,
        )
    return [found.index(name) for name in wanted]


def _column_labels(job: Job, columns: Sequence[int]) -> list[object]:
    """Return the categories that the column names stand for, in column order."""
    reading = read_labels([job.table.names[j] for j in columns], scale=job.content.scale)
    return [reading.labels[k] for k in reading.code_of]


def _counts(table: Table, columns: Sequence[int]) -> NDArray[np.int64]:
    """Fetch whole numbers, 0 or more; name the first cell that is none."""
    cells = ", ".join(f"try_cast({_number(table, j)} AS DOUBLE) AS c{j}" for j in columns)
    blank = " AND ".join(f"c{j} IS NULL" for j in range(len(table.names)))
    arrays = table.session.arrays(
        f"SELECT {cells}, {blank} AS blank FROM {table.relation} ORDER BY {table.row}"
    )
    blank_rows = np.asarray(arrays["blank"], dtype=bool)
    numbers = np.column_stack(
        [np.ma.filled(np.ma.asarray(arrays[f"c{j}"], dtype=np.float64), -1.0) for j in columns]
    )
    numbers[blank_rows] = 0.0
    wrong = np.argwhere((numbers < 0) | (numbers != np.floor(numbers)) | (numbers > 2**53))
    if wrong.size:
        row, k = map(int, wrong[0])
        raise _no_count(table, row, columns[k])
    return numbers.astype(np.int64)


def _number(table: Table, j: int) -> str:
    return f"trim(c{j})" if table.kinds[j] == "text" else f"c{j}"


def _no_count(table: Table, row: int, j: int) -> InputError:
    cell = table.session.one(f"SELECT c{j} FROM {table.relation} WHERE {table.row} = {row}")
    return InputError.expected(
        f"every count in the column {table.names[j]!r}",
        "a whole number, 0 or more",
        cell if cell is not None else Said("an empty cell"),
        "correct the cell, or say what the table is with shape= (--shape)",
        where=table.locate(row),
    )
