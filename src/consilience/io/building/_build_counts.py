"""From a recognised layout to `Ratings`: tables of counts, and cross-tables of two raters."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Mask
from consilience.core.cell_values import as_label_number, number_sql
from consilience.core.input_files import Said
from consilience.exceptions import InputError, Option, Words
from consilience.io.building._bookkeeping import Job, split
from consilience.io.layout.labels import mark_of, missing_marks, read_labels
from consilience.io.table import Table
from consilience.ratings import Ratings


def build_counts(job: Job) -> None:
    """Build from rows of items and columns of categories."""
    columns, labels, scale = _column_labels(job)
    if job.request.categories is not None and not job.request.relabel:
        order = _places(job, [job.table.names[j] for j in columns])
        columns, labels = [columns[k] for k in order], [labels[k] for k in order]
    counts = _counts(job, columns)
    encoded = job.encode(job.names())
    for role in ("item", "by"):
        job.require(encoded, role, counts.any(axis=1))
    if job.request.relabel:
        counts, labels = _relabelled(job, counts, labels, axes=(1,))
    kept: Mask = np.asarray(encoded["item"].codes >= 0 if "item" in encoded else counts.any(axis=1))
    for group, chosen in split(encoded.get("by"), kept):
        rows = np.flatnonzero(kept if chosen is None else chosen)
        items = None
        if "item" in encoded:
            names = encoded["item"].dictionary
            items = [names[int(code)] for code in encoded["item"].codes[rows]]
        try:
            job.groups[group] = Ratings.from_counts(
                counts[rows], categories=labels, items=items, scale=scale
            )
        except InputError as error:
            raise InputError(f"{job.table.where}: {error}") from error


def build_table(job: Job) -> None:
    """Build from the cross-table of two raters."""
    layout = job.layout
    labels: list[object]
    scale: str | None
    if layout.item:
        columns, labels, scale = _column_labels(job)
        counts, labels = _squared(job, columns, labels)
    else:
        counts = _counts(job, layout.category)
        labels = list(range(1, len(layout.category) + 1))
        scale = job.request.scale or "nominal"  # our own numbers are names
    if job.request.relabel:
        counts, labels = _relabelled(job, counts, labels, axes=(0, 1))
    elif job.request.categories is not None:
        order = _places(job, [str(label) for label in labels])
        counts, labels = counts[np.ix_(order, order)], [labels[k] for k in order]
    job.groups[None] = Ratings.from_table(counts, categories=labels, scale=scale)


def _squared(
    job: Job, places: Sequence[int], columns: Sequence[object]
) -> tuple[NDArray[np.int64], list[object]]:
    """Put rows and columns in one order; a label that only one of the two gave has an empty line.

    The order is that of the columns, or of the rows where these have more.
    """
    table, layout = job.table, job.layout
    counts = _counts(job, places)
    found = table.session.rows(
        f"SELECT trim(c{layout.item[0]}::VARCHAR) FROM {table.relation} ORDER BY {table.row}"
    )
    names = [name for (name,) in found]
    aside = (None, "", *layout.skip_rows)
    marks = _no_ratings(job, [name for name in names if name not in aside])
    kept = [k for k, name in enumerate(names) if name not in aside and mark_of(name) not in marks]
    unnamed = [k for k, name in enumerate(names) if name in (None, "") and counts[k].any()]
    if unnamed:
        raise InputError.expected(
            "every row of the cross-table",
            "called by a label",
            Said(f"row {unnamed[0] + 1}, which has counts and no name"),
            "name it, or leave it out",
            where=table.where,
        )
    by_name = {
        table.names[j].strip().casefold(): label for j, label in zip(places, columns, strict=True)
    }
    texts = {str(label): label for label in columns}
    rows = [_row_label(names[k], texts, by_name) for k in kept]
    if len(rows) > len(columns):
        labels = [*dict.fromkeys((*rows, *columns))]
    else:
        labels = [*dict.fromkeys((*columns, *rows))]
    place = {label: k for k, label in enumerate(labels)}
    square = np.zeros((len(labels), len(labels)), dtype=np.int64)
    into = [place[label] for label in columns]
    for k, row in zip(kept, rows, strict=True):
        square[place[row], into] = counts[k]
    return square, labels


def _row_label(name: str, texts: dict[str, object], by_name: dict[str, object]) -> object:
    """Return the label that a row is called by: a column's, or one of its own."""
    if name in texts:
        return texts[name]
    folded = name.strip().casefold()
    if folded in by_name:
        return by_name[folded]
    number = as_label_number(name, decimal_comma=False)
    are_numbers = all(isinstance(label, (int, float)) for label in texts.values())
    if are_numbers and number is not None:
        return next((label for label in texts.values() if label == number), number)
    return name


def _places(job: Job, found: list[str]) -> list[int]:
    """Return where each declared category stands; refuse one that the table lacks."""
    wanted = [str(category) for category in job.request.categories or ()]
    if sorted(wanted) != sorted(found):
        raise InputError.expected(
            "categories",
            f"the names in the table, {', '.join(found[:8])},",
            wanted,
            "write these names in the order you mean",
            where=job.table.where,
        )
    return [found.index(name) for name in wanted]


def _relabelled(
    job: Job, counts: NDArray[np.int64], labels: Sequence[object], *, axes: tuple[int, ...]
) -> tuple[NDArray[np.int64], list[object]]:
    """Add up the columns, and in a cross-table the rows, that are one label after mapping."""
    times = counts.sum(axis=0) + (counts.sum(axis=1) if len(axes) > 1 else 0)
    reading = job.request.read(list(labels), times.tolist())
    job.evidence.extend(reading.evidence)
    into = np.zeros((len(labels), len(reading.labels)), dtype=np.int64)
    for k, code in enumerate(reading.code_of):
        if code >= 0:
            into[k, code] = 1
    summed = counts @ into
    return (into.T @ summed if len(axes) > 1 else summed), reading.labels


def _column_labels(job: Job) -> tuple[list[int], list[object], str | None]:
    """Return the columns that are called by a label, their labels, and the scale of these.

    A column called NA, or by what was told to be missing, counts those who did not rate.
    """
    request = job.request
    reading = read_labels(
        [job.table.names[j] for j in job.layout.category],
        scale=request.scale,
        missing_values=() if request.relabel else request.missing_values,
        weigh_marks=request.categories is None and not request.relabel,  # or it is done there
    )
    job.evidence.extend(reading.evidence)
    kept = [(j, k) for j, k in zip(job.layout.category, reading.code_of, strict=True) if k >= 0]
    return [j for j, _ in kept], [reading.labels[k] for _, k in kept], reading.scale


def _no_ratings(job: Job, names: Sequence[str]) -> set[object]:
    """Return the names of rows of a cross-table that say that there is no rating."""
    request = job.request
    if request.relabel:
        return set()
    found: list[str] = []
    if request.categories is None:
        columns = [job.table.names[j] for j in job.layout.category]
        found, told = missing_marks([*dict.fromkeys((*columns, *names))], None)
        job.evidence.extend(words for words in told if words not in job.evidence)
    return {mark_of(value) for value in (*request.missing_values, *found)}


def _counts(job: Job, columns: Sequence[int]) -> NDArray[np.int64]:
    """Fetch whole numbers, 0 or more; name the first cell that is none.

    Where nobody wrote a 0, an empty cell is one.
    """
    table = job.table
    cells = ", ".join(f"{_number(table, j)} AS c{j}" for j in columns)
    empty = ", ".join(f"c{j} IS NULL AS empty{j}" for j in columns)
    blank = " AND ".join(f"c{j} IS NULL" for j in range(len(table.names)))
    arrays = table.session.arrays(
        f"SELECT {cells}, {empty}, {blank} AS blank FROM {table.relation} ORDER BY {table.row}"
    )
    blank_rows = np.asarray(arrays["blank"], dtype=bool)
    numbers = np.column_stack(
        [np.ma.filled(np.ma.asarray(arrays[f"c{j}"], dtype=np.float64), -1.0) for j in columns]
    )
    numbers[blank_rows] = 0.0
    is_empty = np.column_stack([np.asarray(arrays[f"empty{j}"], dtype=bool) for j in columns])
    is_empty[blank_rows] = False
    if is_empty.any() and not (numbers[~blank_rows] == 0).any():
        numbers[is_empty] = 0.0
        job.evidence.append(f"empty cells count as 0, as no 0 is written: {is_empty.sum():,}")
    wrong = np.argwhere((numbers < 0) | (numbers != np.floor(numbers)) | (numbers > 2**53))
    if wrong.size:
        row, k = map(int, wrong[0])
        raise _no_count(table, row, columns[k])
    return numbers.astype(np.int64)


def _number(table: Table, j: int) -> str:
    return number_sql(f"c{j}") if table.kinds[j] == "text" else f"try_cast(c{j} AS DOUBLE)"


def _no_count(table: Table, row: int, j: int) -> InputError:
    cell = table.session.one(f"SELECT c{j} FROM {table.relation} WHERE {table.row} = {row}")
    return InputError.expected(
        f"every count in the column {table.names[j]!r}",
        "a whole number, 0 or more",
        cell if cell is not None else Said("an empty cell"),
        Words("correct the cell, or say what the table is with ", Option("shape")),
        where=table.locate(row),
    )
