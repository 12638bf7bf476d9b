"""Long files with very many rows, reduced to distinct items inside DuckDB without their names.

Only what is plain takes this way: one label column, few raters, categories, nobody who rated an
item twice. Everything else is read row by row, which also says in which line something is wrong.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.engine._duckdb import DuckTable
from consilience.engine._packing import by_rater
from consilience.io._encode import _BLANKS
from consilience.io._job import Job
from consilience.io._labels import read_labels
from consilience.io._session import quoted
from consilience.ratings import Ratings

MANY_ROWS = 200_000  # below that, keeping the names costs nothing
_MOST_LABELS = 200


def build_reduced(job: Job) -> bool:
    """Build the ratings from distinct items; False where the table has to be read row by row."""
    ratings = _reduced(job) if _is_plain(job) else None
    if ratings is None:
        return False
    job.groups[None] = ratings
    return True


def _is_plain(job: Job) -> bool:
    layout, content = job.layout, job.content
    return (
        content.items == "forget"
        and job.table.n_rows >= MANY_ROWS
        and not layout.rater_is_file
        and len(layout.label) == 1
        and layout.by is None
        and content.duplicates == "refuse"
        and not _needs_cleaning(job, job.item())
    )


def _reduced(job: Job) -> Ratings | None:
    table, layout, content = job.table, job.layout, job.content
    duck = DuckTable(
        table.session._connection,
        table.relation,
        item=job.item(),
        rater=job.name(layout.rater[0]),
        label=f"c{layout.label[0]}",
    )
    # An empty cell of a text file is no label and names nobody.
    counted = [row for row in duck.counted() if _clean(row[1]) is not None]
    names = {raw: _clean(raw) for raw, _, _ in counted}
    labels = list(dict.fromkeys(raw for _, raw, _ in counted))
    if not labels or None in names.values() or len(labels) > _MOST_LABELS:
        return None
    reading = read_labels(
        [_clean(raw) for raw in labels],
        scale=content.scale,
        categories=content.categories,
        missing_values=content.missing_values,
        decimal_comma=table.decimal_comma,
        locate=lambda _: table.where,
    )
    raters = list(dict.fromkeys(names.values()))
    packing = by_rater(len(raters), len(reading.labels))
    if packing is None or not reading.labels:
        return None
    code_of = dict(zip(labels, reading.code_of, strict=True))
    packed = duck.packed(
        {raw: raters.index(name) for raw, name in names.items()},
        {raw: code for raw, code in code_of.items() if code >= 0},
        packing,
    )
    fields = packing.unpack(packed.words)
    given = int((fields > 0).sum(axis=1) @ packed.multiplicity)
    if given != sum(n for _, raw, n in counted if code_of[raw] >= 0):
        return None  # somebody rated an item twice: reading row by row names the line
    rated = fields.any(axis=1)
    n_kept = int(rated.sum())
    job.evidence.extend(reading.evidence)
    job.evidence.append(f"{n_kept:,} distinct items; their names are not kept")
    made = Ratings.from_patterns(
        fields[rated] - 1,
        packed.multiplicity[rated],
        categories=reading.labels,
        raters=raters,
        scale=content.scale,
        declared=reading.declared,
    )
    return made._noting(reading.notes)


def _needs_cleaning(job: Job, item: str) -> bool:
    """Say whether items are not named, or may have blanks around their names; quick to tell."""
    empty = f"{item} IS NULL"
    if job.table.is_text:
        tests = [f"{item} = ''", f"starts_with({item}, ' ')", f"ends_with({item}, ' ')"]
        tests += [f"contains({item}, {quoted(sign)})" for sign in _BLANKS.strip(" ")]
        empty = " OR ".join([empty, *tests])
    sql = f"SELECT count(*) FROM {job.table.relation} WHERE {empty}"
    return bool(job.table.session.one(sql))


def _clean(raw: Any) -> Any:
    """Take the blanks off one of the few values that are looked at in Python."""
    if isinstance(raw, str):
        return raw.strip(_BLANKS) or None
    return raw.item() if isinstance(raw, np.generic) else raw
