"""Cells are numbers of ratings: items by categories, or the cross-table of two raters."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.exceptions import InputError
from consilience.io.bytes.paths import Said
from consilience.io.tables.layouts._table_sample import (
    ADDS_UP,
    CERTAIN,
    NAMED,
    STRUCTURE,
    TOLD,
    Candidate,
    Layout,
    View,
    as_count,
)
from consilience.io.tables.role_names import is_total

_ROWS_THAT_CONVINCE = 10  # constant row sums in fewer rows may be chance


def look_counts(view: View) -> Candidate | None:
    """Rows are items, columns are categories, cells say how many raters chose them."""
    if view.role("rater") or view.role("label") or view.numbered.get("rater"):
        return None
    identity = view.id_column()
    columns = [j for j in view.free if j != identity]
    totals = [j for j in columns if is_total(view.names[j])]
    if totals:
        return _counts_by_total(view, identity, totals[0], [j for j in columns if j not in totals])
    if len(columns) < 2 or len(view.rows) < 2 or not all(view.is_count(j) for j in columns):
        return None
    sums = {sum(as_count(row[j]) or 0 for j in columns) for row in view.rows}
    if len(sums) > 1 or min(sums) < 2:
        return None
    strength = NAMED if len(view.rows) >= _ROWS_THAT_CONVINCE else STRUCTURE
    said = f"every row sums to {min(sums)}, the number of raters"
    return Candidate(_counts_layout(view, identity, columns), strength, (said,))


def _counts_by_total(
    view: View, identity: int | None, total: int, columns: list[int]
) -> Candidate | None:
    """Find the run of columns that adds up to the column of totals."""
    columns = [j for j in columns if view.is_count(j)]
    if not view.is_count(total):
        return None
    for length in range(len(columns), 1, -1):
        for start in range(len(columns) - length + 1):
            run = columns[start : start + length]
            if all(
                sum(as_count(row[j]) or 0 for j in run) == as_count(row[total]) for row in view.rows
            ):
                said = f"the columns {view.listed(run)} add up to {view.label_word(total)}"
                return Candidate(_counts_layout(view, identity, run), ADDS_UP, (said,))
    return None


def _counts_layout(view: View, identity: int | None, columns: Sequence[int]) -> Layout:
    item = () if identity is None else (identity,)
    return Layout(shape="counts", item=item, category=tuple(columns), by=view.by)


def force_counts(view: View) -> Candidate:
    """Take the table as counts; declared categories choose the columns."""
    identity = view.id_column()
    known = [name for name in view.wishes.categories if name in view.names]
    if known and len(known) == len(view.wishes.categories):
        columns = [view.names.index(name) for name in known]
        return Candidate(_counts_layout(view, identity, columns), TOLD)
    found = look_counts(view)
    if found is not None:
        return Candidate(found.layout, TOLD, found.evidence)
    columns = [j for j in view.free if j != identity and not is_total(view.names[j])]
    return Candidate(_counts_layout(view, identity, columns), TOLD)


# ---------------------------------------------------------------------------- cross-table


def look_table(view: View) -> Candidate | None:
    """Two raters: the row names are the column names, the cells are counts."""
    if view.wishes.item or view.wishes.rater or view.wishes.label or len(view.names) < 3:
        return None
    layout = _table_layout(view)
    labels = [str(row[0]) for row in view.rows if str(row[0]) not in layout.skip_rows]
    columns = [view.names[j] for j in layout.category]
    if labels != columns or not all(view.is_count(j) for j in layout.category):
        return None
    return Candidate(layout, CERTAIN, ("the rows and the columns have the same names",))


def _table_layout(view: View) -> Layout:
    columns = [j for j in range(1, len(view.names)) if not is_total(view.names[j])]
    names = {view.names[j] for j in columns}
    skip = tuple(str(row[0]) for row in view.rows if is_total(str(row[0])) and row[0] not in names)
    return Layout(shape="table", item=(0,), category=tuple(columns), skip_rows=skip)


def force_table(view: View) -> Candidate:
    """Take the table as a cross-table, with or without names in the first column."""
    labelled = look_table(view)
    if labelled is not None:
        return labelled
    if len(view.names) == len(view.rows) and all(view.is_count(j) for j in view.free):
        return Candidate(Layout(shape="table", category=tuple(view.free)), TOLD)
    raise InputError.expected(
        "a cross-table",
        "square, with the same names on rows and columns",
        Said(f"{len(view.rows)} rows and the columns {', '.join(map(repr, view.names[:8]))}"),
        "put the first rater's labels into the first column and the second's into the first line",
        where=view.table.where,
    )
