"""From a recognised layout to `Ratings`: long, wide and transposed tables.

The one place where the way of a long table is chosen: rating by rating, or item by item inside
DuckDB. Both ways give the same ratings and the same account; the second is faster for very many
rows. Only what is plain takes it: one label column, few raters, categories, nobody who rated an
item twice. Everything else is read row by row, which also says in which line something is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.core.arrays import Codes, Mask, smallest_int
from consilience.core.database import interruptible
from consilience.core.input_files import Said
from consilience.exceptions import InputError, Words
from consilience.io.building._bookkeeping import Job, split
from consilience.io.building._codings import refuse_codings
from consilience.io.building._column_codes import Encoded, encode_matrix
from consilience.io.layout.decision import AmbiguousTableError, Offer
from consilience.io.layout.labels import LabelReading, reader_of
from consilience.io.layout.lexicon import is_derived
from consilience.io.layout.table_sample import Layout, Variable, told_apart
from consilience.io.names import file_name
from consilience.io.options import Request, names_of
from consilience.io.reading_account import REDUCED
from consilience.io.table import Table
from consilience.ratings import Ratings
from consilience.ratings.duplicates import first_duplicate, has_duplicates
from consilience.ratings.stores import is_sparse

if TYPE_CHECKING:
    from consilience.engine.backend import Checked, Wanted
    from consilience.engine.duckdb_engine import DuckTable


def build(table: Table, layout: Layout, request: Request) -> Job:
    """Build the ratings of every group."""
    is_counted = layout.shape in ("counts", "table")
    job = Job(table, layout, request.of() if is_counted else request)
    _BUILDERS[layout.shape](job)
    request.check_names(job.names_found, table.where)
    found = [label for ratings in job.groups.values() for label in ratings.categories]
    request.relabel.check(found, table.where)
    if not is_counted:
        for ratings in job.groups.values():
            refuse_codings(ratings, request, table.where)
    return job


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Codes of all the ratings in a file: the common form of long, wide and transposed tables."""

    item: Codes
    rater: Codes
    label: Codes  # codes into the raw cells, -1 where empty
    items: Sequence[object]
    raters: Sequence[object]
    raw: Sequence[Any]
    row: Callable[[int], int]  # place of a rating -> row of the table
    design: str
    by: Encoded | None = None
    kept: Mask | None = None  # None: every cell
    variable: str | None = None  # the label column, where there are several
    about: str = ""  # the variable, though it be the only one
    is_part: bool = False

    def part(self, mask: Mask) -> Cells:
        """Keep some ratings, and the items and raters that occur in them."""
        places = np.flatnonzero(mask)
        item_codes, item = np.unique(self.item[mask], return_inverse=True)
        rater_codes, rater = np.unique(self.rater[mask], return_inverse=True)
        return Cells(
            item=item,
            rater=rater,
            label=self.label[mask],
            items=[self.items[k] for k in item_codes],
            raters=[self.raters[k] for k in rater_codes],
            raw=self.raw,
            row=lambda place: self.row(int(places[place])),
            design=self.design,
            is_part=True,
        )

    def groups(self, job: Job) -> Iterator[tuple[str | None, Cells, Request]]:
        """Split the ratings by variable and group; say what was told about each."""
        for group, chosen in split(self.by, self.kept):
            words = [word for word in (self.variable, group) if word is not None]
            part = self if chosen is None else self.part(chosen)
            job.names_found.extend(names_of(self.about, group))
            yield " · ".join(words) or None, part, job.request.of(self.about, group)


def _build_long(job: Job) -> None:

    if not job.request.relabel and build_reduced(job):
        return
    table, layout = job.table, job.layout
    columns = job.names()
    columns["rater"] = str(table.file) if layout.rater_is_file else job.name(layout.rater[0])
    columns |= {f"label_{j}": f"c{j}" for j in layout.label}
    encoded = job.encode(columns)
    full = None
    if min(int(part.codes.min()) for name, part in encoded.items() if "label" not in name) < 0:
        telling = set(columns) - {"by"} - ({"rater"} if layout.rater_is_file else set())
        full = np.logical_or.reduce([encoded[name].codes >= 0 for name in telling])
        job.rows.empty = int((~full).sum())
        for role in ("item", "rater", "by"):
            job.require(encoded, role, full)
        full = full & (encoded["rater"].codes >= 0)  # where rows without a rater are left out
    raters = list(encoded["rater"].dictionary)
    if layout.rater_is_file:
        raters = [file_name(table.paths[int(number)]) for number in raters]
    for j in layout.label:
        cells = Cells(
            item=encoded["item"].codes,
            rater=encoded["rater"].codes,
            label=encoded[f"label_{j}"].codes,
            items=encoded["item"].dictionary,
            raters=raters,
            raw=encoded[f"label_{j}"].dictionary,
            row=int,
            design="long",
            by=encoded.get("by"),
            kept=full,
            variable=table.names[j] if len(layout.label) > 1 else None,
            about=table.names[j],
        )
        _add_groups(job, cells)


def _build_wide(job: Job) -> None:
    layout, n_rows = job.layout, job.table.n_rows
    alone = Variable("", layout.rater, tuple(job.table.names[j] for j in layout.rater))
    labels = []
    rated = np.zeros(n_rows, dtype=bool)
    for variable in layout.variables or (alone,):
        label, cleaned = encode_matrix(job.table, variable.columns)
        job.evidence.extend(cleaned)
        rated |= (label.codes.reshape(n_rows, len(variable.columns)) >= 0).any(axis=1)
        labels.append((variable, label))
    encoded = job.encode(job.names())
    for role in ("item", "by"):
        job.require(encoded, role, rated)
    named = encoded["item"].codes >= 0 if "item" in encoded else rated
    if not named.all():
        n_empty = int((~named).sum())
        job.rows.empty = n_empty
        job.evidence.append(f"left out, as empty: {n_empty:,} row{'s' if n_empty > 1 else ''}")
    if "item" in encoded and named.all():
        named = named & ~_computed_row(job, encoded["item"], [label for _, label in labels])
    for variable, label in labels:
        _add_groups(job, _wide_cells(job, variable, label, encoded, named))


def _computed_row(job: Job, items: Encoded, labels: Sequence[Encoded]) -> Mask:
    """Find a last row that is called total or mean and holds what no other row does."""
    n_rows = job.table.n_rows
    found = np.zeros(n_rows, dtype=bool)
    name = str(items.dictionary[items.codes[-1]])
    if n_rows > 2 and is_derived(name):
        cells = [label.codes.reshape(n_rows, -1) for label in labels]
        empty = all((one[-1] < 0).all() for one in cells)  # computed for other variables only
        found[-1] = empty or any(not np.isin(one[-1], one[:-1]).all() for one in cells)
    if found[-1]:
        job.rows.computed = 1
        job.evidence.append(f"left out, as computed from the others: the last row, {name!r}")
    return found


def _wide_cells(
    job: Job, variable: Variable, label: Encoded, encoded: dict[str, Encoded], named: Mask
) -> Cells:
    """Return the ratings of one variable: a column for each rater."""
    n_rows, width = job.table.n_rows, len(variable.columns)
    items = encoded["item"] if "item" in encoded else _numbered(n_rows)
    by = encoded.get("by")
    return Cells(
        item=np.repeat(items.codes, width),
        rater=np.tile(np.arange(width), n_rows),
        label=label.codes,
        items=items.dictionary,
        raters=variable.raters,
        raw=label.dictionary,
        row=lambda place: place // width,
        design="wide",
        by=None if by is None else Encoded(np.repeat(by.codes, width), by.dictionary),
        kept=None if bool(named.all()) else np.repeat(named, width),
        variable=variable.name if job.layout.has_groups else None,
        about=variable.name,
    )


def _build_transposed(job: Job) -> None:
    layout, n_rows, width = job.layout, job.table.n_rows, len(job.layout.item)
    label, cleaned = encode_matrix(job.table, layout.item)
    job.evidence.extend(cleaned)
    encoded = job.encode({"rater": job.name(layout.rater[0])} if layout.rater else {})
    job.require(encoded, "rater", (label.codes.reshape(n_rows, width) >= 0).any(axis=1))
    raters = encoded["rater"] if "rater" in encoded else _numbered(n_rows)
    named = raters.codes >= 0
    cells = Cells(
        item=np.tile(np.arange(width), n_rows),
        rater=np.repeat(raters.codes, width),
        label=label.codes,
        items=[job.table.names[j] for j in layout.item],
        raters=raters.dictionary,
        raw=label.dictionary,
        row=lambda place: place // width,
        design="wide",
        kept=None if bool(named.all()) else np.repeat(named, width),
    )
    _add_groups(job, cells)


def _numbered(n_rows: int) -> Encoded:
    """Name the rows 1, 2, 3, ... where the table does not name them."""
    return Encoded(np.arange(n_rows), range(1, n_rows + 1))


# ---- groups


def _add_groups(job: Job, cells: Cells) -> None:
    """Split the ratings by group and build each."""
    for group, part, request in cells.groups(job):
        if not part.label.size:
            raise InputError.expected(
                "the file",
                "filled with ratings",
                Said("empty cells only"),
                "check the export",
                where=job.table.where,
            )
        reading = _labels(job, part, request)
        if len(job.layout.label) == 1:
            _count_rows(job, part, reading)
        prefix = "" if group is None else f"{group}: "
        job.evidence.extend(prefix + words for words in reading.evidence)
        job.groups[group] = _ratings(job, part, reading, request)


def _count_rows(job: Job, cells: Cells, reading: LabelReading) -> None:
    """Say what became of the rows of a long table: rated, empty, declared to be missing."""
    often = np.bincount(cells.label + 1, minlength=len(cells.raw) + 1)
    job.rows.unrated += int(often[0])
    job.rows.marked += sum(
        int(n) for n, code in zip(often[1:], reading.code_of, strict=True) if code < 0
    )


def _labels(job: Job, cells: Cells, request: Request) -> LabelReading:
    """Read the labels that occur; the others in the dictionary belong to other groups."""
    present = np.arange(len(cells.raw))
    if cells.is_part:
        present = np.flatnonzero(np.bincount(cells.label + 1, minlength=len(cells.raw) + 1)[1:])

    def locate(k: int) -> str:
        return job.table.locate(cells.row(int(np.argmax(cells.label == present[k]))))

    how_often: list[int] = []
    if request.relabel:
        times = np.bincount(cells.label + 1, minlength=len(cells.raw) + 1)[1:]
        how_often = times[present].tolist()
    reading = request.read(
        [cells.raw[int(k)] for k in present],
        how_often,
        decimal_comma=job.table.decimal_comma,
        locate=locate,
    )
    code_of = np.full(len(cells.raw), -1)
    code_of[present] = reading.code_of
    return LabelReading(
        reading.labels,
        code_of.tolist(),
        reading.declared,
        reading.evidence,
        reading.notes,
        reading.scale,
    )


def _ratings(job: Job, cells: Cells, reading: LabelReading, request: Request) -> Ratings:
    codes = np.array([*reading.code_of, -1], dtype=smallest_int(len(reading.labels)))[cells.label]
    try:
        return Ratings.from_codes(
            item=cells.item,
            rater=cells.rater,
            label=codes,
            items=cells.items,
            raters=cells.raters,
            categories=reading.labels,
            scale=reading.scale,
            declared=reading.declared,
            duplicates=request.duplicates,
            design=cells.design,
            notes=reading.notes,
        )
    except InputError as error:
        given = np.flatnonzero(codes >= 0)
        if not has_duplicates(cells.item[given], cells.rater[given]):
            raise InputError(Words(f"{job.table.where}: ", error.words)) from error
        twice = [int(given[k]) for k in first_duplicate(cells.item[given], cells.rater[given])]
        raise _repeated(job, cells, twice[1], [reading.labels[codes[k]] for k in twice]) from error


def _repeated(job: Job, cells: Cells, second: int, labels: Sequence[object]) -> InputError:
    """Complain about a repeated rating, with file and line, and guess at the cause."""
    told = InputError.duplicate_rating(
        cells.items[int(cells.item[second])],
        cells.raters[int(cells.rater[second])],
        *labels,
        where=job.table.locate(cells.row(second)),
    )
    words, offers = told_apart(job.table, job.layout)
    for policy, meaning in _POLICIES.items():
        offers.append(Offer(meaning, {"duplicates": policy}))
    return AmbiguousTableError.of(Words(told.words, words), offers)


_POLICIES = {
    "first": "the first rating of a rater counts",
    "last": "the last rating of a rater counts",
    "occasions": "a rater at another time is another rater",
}


def _build_counted(job: Job) -> None:
    from consilience.io.building._build_counts import build_counts, build_table

    (build_counts if job.layout.shape == "counts" else build_table)(job)


_BUILDERS: dict[str, Callable[[Job], None]] = {
    "long": _build_long,
    "wide": _build_wide,
    "transposed": _build_transposed,
    "counts": _build_counted,
    "table": _build_counted,
}

# ---- which way a long table takes: rating by rating, or item by item inside DuckDB

# The one place where the way is chosen. Both ways give the same ratings and the same account; the
# second is faster for very many rows. Only what is plain takes it: one label column, few raters,
# categories, nobody who rated an item twice. Everything else is read row by row, which also says in
# which line something is wrong.

MANY_ROWS = 200_000  # below that, reading row by row costs nothing


def build_reduced(job: Job) -> bool:
    """Build the ratings item by item; False where the table has to be read row by row."""
    if not _is_plain(job):
        return False
    from consilience.engine.duckdb_engine import DuckTable

    request = _labels_wanted(job)
    table, layout = job.table, job.layout
    backend = DuckTable(
        table.session.connection,
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
    from consilience.engine.backend import Wanted

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
