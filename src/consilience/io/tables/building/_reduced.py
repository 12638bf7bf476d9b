"""Which way a long table takes: rating by rating, or item by item inside DuckDB.

The one place where the way is chosen. Both ways give the same ratings and the same account; the
second is faster for very many rows. Only what is plain takes it: one label column, few raters,
categories, nobody who rated an item twice. Everything else is read row by row, which also says in
which line something is wrong.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.database import interruptible
from consilience.exceptions import InputError
from consilience.io._reading import REDUCED
from consilience.io.request import Request
from consilience.io.tables.building._build_job import Job
from consilience.io.tables.building._label_cells import reader_of
from consilience.io.tables.table import Table
from consilience.ratings.stores import is_sparse

if TYPE_CHECKING:
    from consilience.engine.duckdb_engine import DuckTable
    from consilience.engine.reduction_parts import Checked, Wanted

MANY_ROWS = 200_000  # below that, reading row by row costs nothing


def build_reduced(job: Job) -> bool:
    """Build the ratings item by item; False where the table has to be read row by row."""
    if not _is_plain(job):
        return False
    from consilience.engine.duckdb_engine import DuckTable

    request = _labels_wanted(job)
    table, layout = job.table, job.layout
    backend = DuckTable(
        table.session._connection,
        table.relation,
        item=job.item(),
        rater=job.name(layout.rater[0]),
        label=f"c{layout.label[0]}",
        row=table.row,
        keeps_names=request.items == "names",
        memory=table.session.memory,
    )
    wanted = wanted_of(request, table, may_forget_raters=request.engine)
    put_together = _named if request.items == "names" else _nameless
    try:
        with interruptible():
            return put_together(job, backend, wanted)
    except InputError:
        if request.engine and table.n_rows >= MANY_ROWS:
            raise
        return False  # reading row by row names the line


def wanted_of(request: Request, table: Table, *, may_forget_raters: bool = True) -> Wanted:
    """Say for the reducer what one label column of a table is wanted as."""
    from consilience.engine.reduction_parts import Wanted

    return Wanted(
        read=reader_of(
            scale=request.scale,
            categories=request.categories,
            missing_values=request.missing_values,
            decimal_comma=table.decimal_comma,
            where=table.where,
        ),
        scale=request.scale,
        has_categories=request.categories is not None,
        marks=request.missing_values,
        may_forget_raters=may_forget_raters,
    )


def _is_plain(job: Job) -> bool:
    layout, request = job.layout, job.request
    return (
        (request.engine or job.table.n_rows >= MANY_ROWS)
        and not layout.rater_is_file
        and len(layout.label) == 1
        and job.table.kinds[layout.label[0]] != "list"
        and layout.by is None
        and request.duplicates == "refuse"
        and (request.items == "forget" or len(layout.item) == 1)
    )


def _labels_wanted(job: Job) -> Request:
    name = job.table.names[job.layout.label[0]]
    job.names_found.append(name)
    return job.request.of(name)


def _nameless(job: Job, backend: DuckTable, wanted: Wanted) -> bool:
    """Count equal items, which are very few, and forget their names."""
    from consilience.engine.table_reduction import reduced

    found = reduced(backend, wanted)
    if found is None:
        return False
    job.evidence[:0] = found.evidence
    if wanted.may_forget_raters:
        job.evidence.append(f"{REDUCED}; their names are not kept")
    job.groups[None] = found.ratings
    _count(job, found.checked)
    return True


def _named(job: Job, backend: DuckTable, wanted: Wanted) -> bool:
    """Put the ratings of each item together, and keep its name."""
    from consilience.engine.table_reduction import cleaned, named_items, patterned

    found = named_items(backend, wanted)
    if found is None:
        return False  # where somebody rated an item twice, reading row by row names the line
    vocabulary, checked, names, codes = found
    n_items, n_raters = codes.shape
    if is_sparse(n_items, n_raters, checked.n_rated):
        return False  # raters by the dozen, each with a few items: a table of ratings is smaller
    job.evidence[:0] = cleaned(vocabulary)
    job.groups[None] = patterned(vocabulary, codes, None, names.tolist())
    _count(job, checked)
    return True


def _count(job: Job, checked: Checked) -> None:
    """Say what became of the rows."""
    rows = job.rows
    rows.empty, rows.marked = checked.n_blank_rows, checked.n_marked
    rows.unrated = checked.n_rows - checked.n_rated - checked.n_marked - checked.n_blank_rows
