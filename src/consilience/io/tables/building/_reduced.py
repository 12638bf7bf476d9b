"""Long files with very many rows, grouped by item inside DuckDB instead of rating by rating.

Only what is plain takes this way: one label column, few raters, categories, nobody who rated an
item twice, every cell tidy. Everything else is read row by row, which also says in which line
something is wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.integers import smallest_int
from consilience.engine.duckdb_engine import DuckTable
from consilience.engine.packing import Packing, by_rater
from consilience.exceptions import InputError
from consilience.io.tables._session import interruptible, quoted
from consilience.io.tables.building._build_job import Content, Job
from consilience.io.tables.building._column_codes import _BLANKS
from consilience.io.tables.building._label_cells import LabelReading, read_labels
from consilience.ratings import Ratings
from consilience.ratings import count_tables as tables
from consilience.ratings.stores import is_sparse

MANY_ROWS = 200_000  # below that, reading row by row costs nothing
_LOOK_AHEAD = 10_000  # rows that tell whether there are few raters and labels
_MOST_LABELS = 200


def build_reduced(job: Job) -> bool:
    """Build the ratings item by item; False where the table has to be read row by row."""
    if not _is_plain(job):
        return False
    put_together = _nameless if job.content.items == "forget" else _named
    try:
        vocabulary = _vocabulary(job)
        with interruptible():
            made = None if vocabulary is None else put_together(job, vocabulary)
    except InputError:
        return False  # reading row by row names the line
    if vocabulary is None or made is None:
        return False
    job.evidence[:0] = vocabulary.evidence
    job.groups[None] = made._noting(vocabulary.reading.notes)
    return True


def _is_plain(job: Job) -> bool:
    layout = job.layout
    return (
        job.table.n_rows >= MANY_ROWS
        and not layout.rater_is_file
        and len(layout.label) == 1
        and layout.by is None
        and job.content.duplicates == "refuse"
        and (job.content.items == "forget" or len(layout.item) == 1)
    )


@dataclass(frozen=True)
class _Vocabulary:
    """The few raters and labels of a file, and where the ratings of an item are packed."""

    raters: Sequence[Any]
    rater_of: dict[Any, int]  # several cells may name one rater
    label_of: dict[Any, int]
    reading: LabelReading
    packing: Packing
    n_ratings: int

    @property
    def evidence(self) -> list[str]:
        """What was cleaned and how the labels were taken, in the words of the other way."""
        cells = {"rater": self.rater_of, "label": self.label_of}
        blank = {role: sum(raw != _clean(raw) for raw in raws) for role, raws in cells.items()}
        told = [
            f"blanks around {n:,} different {role} cells were removed"
            for role, n in blank.items()
            if n
        ]
        return [*told, *self.reading.evidence]


def _vocabulary(job: Job) -> _Vocabulary | None:
    """List raters and labels in order of first appearance; None where they are too many."""
    if _packing(*_listed(_counted(job, f"LIMIT {_LOOK_AHEAD}"))) is None:
        return None
    counted = _counted(job)
    raters, labels = _listed(counted)
    if None in raters or _packing(raters, labels) is None:
        return None
    content = _content(job)
    reading = read_labels(
        [_clean(raw) for raw in labels],
        scale=content.scale,
        categories=content.categories,
        missing_values=content.missing_values,
        decimal_comma=job.table.decimal_comma,
        locate=lambda _: job.table.where,
    )
    code_of = dict(zip(labels, reading.code_of, strict=True))
    names = list(dict.fromkeys(raters.values()))
    packing = by_rater(len(names), len(reading.labels))
    if packing is None or not reading.labels:
        return None
    return _Vocabulary(
        names,
        {raw: names.index(name) for raw, name in raters.items()},
        {raw: code for raw, code in code_of.items() if code >= 0},
        reading,
        packing,
        sum(n for _, raw, n in counted if code_of.get(raw, -1) >= 0),
    )


def _content(job: Job) -> Content:
    name = job.table.names[job.layout.label[0]]
    job.names_found.append(name)
    return job.content.of(name)


def _counted(job: Job, limit: str = "") -> list[tuple[Any, Any, int]]:
    """Return every rater, label and how often they occur together, by first appearance."""
    cells = f"{job.name(job.layout.rater[0])} AS rater, c{job.layout.label[0]} AS label"
    rows = job.table.session.rows(
        "SELECT rater, label, count(*), min(position) AS first FROM "
        f"(SELECT {cells}, {job.table.row} AS position FROM {job.table.relation} {limit}) "
        f"GROUP BY 1, 2 ORDER BY first LIMIT {_MOST_LABELS * _MOST_LABELS}"
    )
    return [(rater, label, n) for rater, label, n, _ in rows]


def _listed(counted: Sequence[tuple[Any, Any, int]]) -> tuple[dict[Any, Any], list[Any]]:
    """Return the cells that name raters, each with the name, and the cells that are labels."""
    raters = {raw: _clean(raw) for raw, _, _ in counted}
    if None in raters.values():
        raters = {None: None}  # a row that does not say who rated: reading row by row names it
    return raters, list(dict.fromkeys(raw for _, raw, _ in counted if _clean(raw) is not None))


def _packing(raters: dict[Any, Any], labels: Sequence[Any]) -> Packing | None:
    few = 0 < len(labels) <= _MOST_LABELS
    return by_rater(len(raters), len(labels)) if few else None


# ------------------------------------------------------------------- with and without names


def _nameless(job: Job, vocabulary: _Vocabulary) -> Ratings | None:
    """Count equal items, which are very few, and forget their names."""
    if job.table.session.one(
        f"SELECT count(*) FROM {job.table.relation} WHERE {_untidy(job, job.item())}"
    ):
        return None
    packed = _duck(job).packed(vocabulary.rater_of, vocabulary.label_of, vocabulary.packing)
    codes = _codes(vocabulary, packed.words)
    rated = (codes >= 0).any(axis=1)
    if int((codes >= 0).sum(axis=1) @ packed.multiplicity) != vocabulary.n_ratings:
        return None  # somebody rated an item twice: reading row by row names the line
    job.evidence.append(f"{int(rated.sum()):,} distinct items; their names are not kept")
    return _made(job, vocabulary, codes[rated], packed.multiplicity[rated], None)


def _named(job: Job, vocabulary: _Vocabulary) -> Ratings | None:
    """Put the ratings of each item together, and keep its name."""
    names, words, faults = _duck(job).packed_items(
        vocabulary.rater_of,
        vocabulary.label_of,
        vocabulary.packing,
        row=job.table.row,
        fault=_untidy(job, "name"),
    )
    codes = _codes(vocabulary, words)
    if faults or np.count_nonzero(codes >= 0) != vocabulary.n_ratings:
        return None
    n_items, n_raters = codes.shape
    if is_sparse(n_items, n_raters, vocabulary.n_ratings):
        return None  # raters by the dozen, each with a few items: a table of ratings is smaller
    return _made(job, vocabulary, codes, None, names.tolist())


def _duck(job: Job) -> DuckTable:
    layout, table = job.layout, job.table
    return DuckTable(
        table.session._connection,
        table.relation,
        item=job.item(),
        rater=job.name(layout.rater[0]),
        label=f"c{layout.label[0]}",
    )


def _codes(vocabulary: _Vocabulary, words: Sequence[Any]) -> NDArray[Any]:
    """Unpack the code of every rater's label; -1 where there is none."""
    packing = vocabulary.packing
    kind = smallest_int(len(vocabulary.reading.labels))
    codes = np.empty((packing.n_fields, len(words[0])), dtype=kind)  # rater by rater: quick to read
    mask = (1 << packing.bits) - 1
    for k in range(packing.n_fields):
        field = packing.field(k)
        np.subtract((words[field.word] >> field.shift) & mask, 1, out=codes[k], casting="unsafe")
    return codes.T


def _made(
    job: Job,
    vocabulary: _Vocabulary,
    codes: NDArray[Any],
    multiplicity: NDArray[np.int64] | None,
    items: Sequence[object] | None,
) -> Ratings:
    reading = vocabulary.reading
    return Ratings._make(
        tables.from_patterns(
            codes,
            multiplicity,
            categories=reading.labels,
            raters=vocabulary.raters,
            scale=_content(job).scale,
            declared=reading.declared,
            items=items,
            design="wide" if items is None else "long",
        )
    )


def _untidy(job: Job, name: str) -> str:
    """Say in SQL that an item has no name, or may have blanks around it; quick to tell."""
    if not job.table.is_text:
        return f"{name} IS NULL"
    tests = [f"{name} = ''", f"starts_with({name}, ' ')", f"ends_with({name}, ' ')"]
    tests += [f"contains({name}, {quoted(sign)})" for sign in _BLANKS.strip(" ")]
    return " OR ".join([f"{name} IS NULL", *tests])


def _clean(raw: Any) -> Any:
    """Take the blanks off one of the few values that are looked at in Python."""
    if isinstance(raw, str):
        return raw.strip(_BLANKS) or None
    return raw.item() if isinstance(raw, np.generic) else raw
