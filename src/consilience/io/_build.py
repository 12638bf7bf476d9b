"""From a recognised layout to `Ratings`: one function per layout."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError
from consilience.io._encode import Codes, Encoded, encode_columns, encode_matrix
from consilience.io._labels import LabelReading, read_labels
from consilience.io._paths import Said
from consilience.io._shapes import Layout
from consilience.io._table import Table
from consilience.ratings import Note, Ratings
from consilience.ratings._duplicates import first_duplicate, has_duplicates
from consilience.ratings._encode import smallest_int


@dataclass(frozen=True, kw_only=True)
class Content:
    """What the caller said about the labels."""

    scale: str = "nominal"
    categories: tuple[object, ...] | None = None
    missing_values: tuple[object, ...] = ()
    duplicates: str = "refuse"


@dataclass
class Built:
    """Ratings by group (None: the only group), and what was noticed on the way."""

    groups: dict[str | None, Ratings] = field(default_factory=dict)
    evidence: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)


@dataclass(frozen=True)
class _Cells:
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
    kept: NDArray[np.bool_] | None = None  # None: every cell
    variable: str | None = None  # the label column, where there are several

    def part(self, mask: NDArray[np.bool_]) -> _Cells:
        """Keep some ratings, and the items and raters that occur in them."""
        places = np.flatnonzero(mask)
        item_codes, item = np.unique(self.item[mask], return_inverse=True)
        rater_codes, rater = np.unique(self.rater[mask], return_inverse=True)
        return _Cells(
            item,
            rater,
            self.label[mask],
            [self.items[k] for k in item_codes],
            [self.raters[k] for k in rater_codes],
            self.raw,
            lambda place: self.row(int(places[place])),
            self.design,
        )

    def groups(self) -> Iterator[tuple[str | None, _Cells]]:
        """Split the ratings by variable and group."""
        for group, chosen in _groups(self.by, self.kept):
            words = [word for word in (self.variable, group) if word is not None]
            yield " · ".join(words) or None, self if chosen is None else self.part(chosen)


def build(table: Table, layout: Layout, content: Content) -> Built:
    """Build the ratings of every group."""
    return _BUILDERS[layout.shape](table, layout, content)


# ---------------------------------------------------------------------------- long


def _build_long(table: Table, layout: Layout, content: Content) -> Built:
    columns = {"item": _item_expression(table, layout.item)}
    columns["rater"] = str(table.file) if layout.rater_is_file else _name(table, layout.rater[0])
    for j in layout.label:
        columns[f"label_{j}"] = f"c{j}"
    if layout.by is not None:
        columns["by"] = _name(table, layout.by)
    encoded, evidence = encode_columns(table, columns)
    built = Built(evidence=evidence)
    told = [
        name for name in encoded if name != "by" and not (name == "rater" and layout.rater_is_file)
    ]
    blank = np.logical_and.reduce([encoded[name].codes < 0 for name in told])
    full = ~blank
    for role in ("item", "rater", "by"):
        if role in encoded:
            _require(table, encoded[role].codes, full, role, layout)
    raters = list(encoded["rater"].dictionary)
    if layout.rater_is_file:
        raters = [table.paths[int(number)].stem for number in raters]
    for j in layout.label:
        label = encoded[f"label_{j}"]
        cells = _Cells(
            encoded["item"].codes,
            encoded["rater"].codes,
            label.codes,
            encoded["item"].dictionary,
            raters,
            label.dictionary,
            int,
            "long",
            by=encoded.get("by"),
            kept=None if bool(full.all()) else full,
            variable=table.names[j] if len(layout.label) > 1 else None,
        )
        _add_groups(built, table, cells, content)
    return built


def _item_expression(table: Table, columns: Sequence[int]) -> str:
    if len(columns) == 1:
        return _name(table, columns[0])
    parts = ", ".join(f"coalesce(c{j}::VARCHAR, '')" for j in columns)
    return f"concat_ws(' ', {parts})"


def _name(table: Table, j: int) -> str:
    """Select a column of names; whole numbers stay numbers, all else is text."""
    return f"c{j}" if table.kinds[j] in ("text", "number") else f"c{j}::VARCHAR"


def _require(table: Table, codes: Codes, wanted: Any, role: str, layout: Layout) -> None:
    """Refuse a row that does not say which item or rater it is about."""
    empty = np.flatnonzero((codes < 0) & wanted)
    if empty.size:
        columns = {"item": layout.item, "rater": layout.rater, "by": (layout.by or 0,)}[role]
        raise InputError.expected(
            f"the column {table.names[columns[0]]!r}",
            "filled in every row that has a rating",
            Said("an empty cell" if empty.size == 1 else f"{empty.size:,} empty cells"),
            "fill them in, or remove these rows",
            where=table.locate(int(empty[0])),
        )


# ---------------------------------------------------------------------------- wide, transposed


def _build_wide(table: Table, layout: Layout, content: Content) -> Built:
    width, n_rows = len(layout.rater), table.n_rows
    label, evidence = encode_matrix(table, layout.rater)
    built = Built(evidence=evidence)
    names = {"item": _item_expression(table, layout.item)} if layout.item else {}
    if layout.by is not None:
        names["by"] = _name(table, layout.by)
    encoded: dict[str, Encoded] = {}
    if names:
        encoded, more = encode_columns(table, names)
        built.evidence += more
    rated = (label.codes.reshape(n_rows, width) >= 0).any(axis=1)
    named = encoded["item"].codes >= 0 if layout.item else rated
    for role in encoded:
        _require(table, encoded[role].codes, rated, role, layout)
    item_codes = encoded["item"].codes if layout.item else np.arange(n_rows)
    if not named.all():
        built.evidence.append(f"{int((~named).sum()):,} empty rows were left out")
    by = encoded.get("by")
    cells = _Cells(
        np.repeat(item_codes, width),
        np.tile(np.arange(width), n_rows),
        label.codes,
        encoded["item"].dictionary if layout.item else range(1, n_rows + 1),
        [table.names[j] for j in layout.rater],
        label.dictionary,
        lambda place: place // width,
        "wide",
        by=None if by is None else Encoded(np.repeat(by.codes, width), by.dictionary),
        kept=None if bool(named.all()) else np.repeat(named, width),
    )
    _add_groups(built, table, cells, content)
    return built


def _build_transposed(table: Table, layout: Layout, content: Content) -> Built:
    width, n_rows = len(layout.item), table.n_rows
    label, evidence = encode_matrix(table, layout.item)
    built = Built(evidence=evidence)
    raters: Sequence[object] = range(1, n_rows + 1)
    rater_codes: Codes = np.arange(n_rows)
    if layout.rater:
        encoded, more = encode_columns(table, {"rater": _name(table, layout.rater[0])})
        rated = (label.codes.reshape(n_rows, width) >= 0).any(axis=1)
        _require(table, encoded["rater"].codes, rated, "rater", layout)
        rater_codes, raters = encoded["rater"].codes, encoded["rater"].dictionary
        built.evidence += more
    named = rater_codes >= 0
    cells = _Cells(
        np.tile(np.arange(width), n_rows),
        np.repeat(rater_codes, width),
        label.codes,
        [table.names[j] for j in layout.item],
        raters,
        label.dictionary,
        lambda place: place // width,
        "wide",
        kept=None if bool(named.all()) else np.repeat(named, width),
    )
    _add_groups(built, table, cells, content)
    return built


def _add_groups(built: Built, table: Table, cells: _Cells, content: Content) -> None:
    """Split the ratings by group and build each."""
    for group, part in cells.groups():
        built.groups[group] = _ratings(built, table, part, content, group)


def _groups(
    by: Encoded | None, mask: NDArray[np.bool_] | None
) -> Iterator[tuple[str | None, NDArray[np.bool_] | None]]:
    if by is None:
        yield None, mask
        return
    for code, name in enumerate(by.dictionary):
        chosen = by.codes == code
        yield str(name), chosen if mask is None else chosen & mask


def _ratings(
    built: Built, table: Table, cells: _Cells, content: Content, group: str | None
) -> Ratings:
    if not cells.label.size:
        raise InputError.expected(
            "the file", "filled with ratings", Said("empty cells only"), "check the export",
            where=table.where,
        )  # fmt: skip
    reading = _labels(table, cells, content)
    prefix = f"{group}: " if group is not None else ""
    built.evidence += [prefix + words for words in reading.evidence]
    codes = np.array([*reading.code_of, -1], dtype=smallest_int(len(reading.labels)))[cells.label]
    try:
        ratings = Ratings.from_codes(
            item=cells.item,
            rater=cells.rater,
            label=codes,
            items=cells.items,
            raters=cells.raters,
            categories=reading.labels,
            scale=content.scale,
            declared=reading.declared,
            duplicates=content.duplicates,
            design=cells.design,
        )
    except InputError as error:
        raise _located(error, table, cells, codes, reading) from error
    return _with_notes(ratings, reading.notes)


def _labels(table: Table, cells: _Cells, content: Content) -> LabelReading:
    """Read the labels that occur; the others in the dictionary belong to other groups."""
    present = np.flatnonzero(np.bincount(cells.label + 1, minlength=len(cells.raw) + 1)[1:])

    def locate(k: int) -> str:
        return table.locate(cells.row(int(np.argmax(cells.label == present[k]))))

    reading = read_labels(
        [cells.raw[int(k)] for k in present],
        scale=content.scale,
        categories=content.categories,
        missing_values=content.missing_values,
        decimal_comma=table.decimal_comma,
        locate=locate,
    )
    code_of = np.full(len(cells.raw), -1)
    code_of[present] = reading.code_of
    return LabelReading(
        reading.labels, code_of.tolist(), reading.declared, reading.evidence, reading.notes
    )


def _located(error: InputError, job: _Job, cells: _Cells, reading: LabelReading) -> InputError:
    """Add file and line to the complaint about a repeated rating."""
    if not cells.item.size or not has_duplicates(cells.item, cells.rater):
        return InputError(f"{table.where}: {error}")
    first, second = first_duplicate(cells.item, cells.rater)
    labels = [None if codes[k] < 0 else reading.labels[codes[k]] for k in (first, second)]
    told = InputError.duplicate_rating(
        cells.items[int(cells.item[second])],
        cells.raters[int(cells.rater[second])],
        *labels,
        where=table.locate(cells.row(second)),
    )
    column = _column_that_splits(table, layout)
    if column is None:
        return told
    return InputError(f"{told} Or is it one result per {column!r}? Then pass by={column!r} (--by).")


def _column_that_splits(table: Table, layout: Layout) -> str | None:
    """Find a column that tells repeated ratings apart, such as the variable that was coded."""
    if layout.shape != "long" or layout.by is not None or layout.rater_is_file:
        return None
    used = (*layout.item, *layout.rater, *layout.label)
    key = ", ".join(f"c{j}" for j in (*layout.item, *layout.rater))
    for j, name in enumerate(table.names):
        if j in used:
            continue
        pairs, groups = table.session.rows(
            f"SELECT count(DISTINCT ({key}, c{j})), count(DISTINCT c{j}) FROM {table.relation}"
        )[0]
        if pairs == table.n_rows and 1 < groups < table.n_rows:
            return name
    return None


def _with_notes(ratings: Ratings, notes: Sequence[Note]) -> Ratings:
    if not notes:
        return ratings
    return Ratings._make(ratings._parts(ratings._store, notes=(*ratings.notes, *notes)))


# ---------------------------------------------------------------------------- counts, cross-table


def _build_counts(table: Table, layout: Layout, content: Content) -> Built:
    columns = _category_columns(table, layout, content)
    counts = _counts(table, columns)
    names: dict[str, str] = {}
    if layout.item:
        names["item"] = _item_expression(table, layout.item)
    if layout.by is not None:
        names["by"] = _name(table, layout.by)
    encoded, evidence = encode_columns(table, names) if names else ({}, [])
    built = Built(evidence=evidence)
    items = None
    if "item" in encoded:
        _require(table, encoded["item"].codes, counts.any(axis=1), "item", layout)
        items = [encoded["item"].dictionary[k] for k in encoded["item"].codes]
    labels = _column_labels(table, columns, content)
    for group, chosen in _groups(encoded.get("by"), None):
        keep = np.ones(len(counts), dtype=bool) if chosen is None else chosen
        built.groups[group] = Ratings.from_counts(
            counts[keep],
            categories=labels,
            items=None
            if items is None
            else [x for x, kept in zip(items, keep, strict=True) if kept],
            scale=content.scale,
        )
    return built


def _category_columns(table: Table, layout: Layout, content: Content) -> tuple[int, ...]:
    if content.categories is None:
        return layout.category
    names = [table.names[j] for j in layout.category]
    wanted = [str(category) for category in content.categories]
    if sorted(wanted) != sorted(names):
        raise InputError.expected(
            "categories",
            "the names of the columns of counts",
            wanted,
            f"the columns are {', '.join(names[:8])}; put them into the order you mean",
            where=table.where,
        )
    return tuple(layout.category[names.index(name)] for name in wanted)


def _column_labels(table: Table, columns: Sequence[int], content: Content) -> list[object]:
    """Return the categories that the column names stand for, in column order."""
    names = [table.names[j] for j in columns]
    reading = read_labels(names, scale=content.scale)
    return [reading.labels[k] for k in reading.code_of]


def _counts(table: Table, columns: Sequence[int]) -> NDArray[np.int64]:
    """Fetch whole numbers, 0 or more; name the first cell that is none."""
    cells = ", ".join(
        f"coalesce(try_cast({_trimmed(table, j)} AS DOUBLE), -1) AS c{j}" for j in columns
    )
    arrays = table.session.arrays(f"SELECT {cells} FROM {table.relation} ORDER BY {table.row}")
    numbers = np.column_stack([np.asarray(arrays[f"c{j}"]) for j in columns])
    wrong = np.argwhere((numbers < 0) | (numbers != np.floor(numbers)) | (numbers > 2**53))
    if wrong.size:
        row, k = map(int, wrong[0])
        j = columns[k]
        cell = table.session.one(f"SELECT c{j} FROM {table.relation} WHERE {table.row} = {row}")
        raise InputError.expected(
            f"every count in the column {table.names[j]!r}",
            "a whole number, 0 or more",
            cell if cell is not None else Said("an empty cell"),
            "correct the cell, or say what the table is with shape= (--shape)",
            where=table.locate(row),
        )
    return numbers.astype(np.int64)


def _trimmed(table: Table, j: int) -> str:
    return f"trim(c{j})" if table.kinds[j] == "text" else f"c{j}"


def _build_table(table: Table, layout: Layout, content: Content) -> Built:
    counts = _counts(table, layout.category)
    labels = _column_labels(table, layout.category, content)
    if layout.item:
        names = table.session.rows(
            f"SELECT trim(c0::VARCHAR) FROM {table.relation} ORDER BY {table.row}"
        )
        keep = [name not in layout.skip_rows for (name,) in names]
        counts = counts[keep]
    else:
        labels = list(range(1, len(labels) + 1))
    if content.categories is not None:
        wanted = [str(category) for category in content.categories]
        found = [str(label) for label in labels]
        if sorted(wanted) != sorted(found):
            raise InputError.expected(
                "categories", f"the names in the table, {found}", wanted, "reorder these names",
                where=table.where,
            )  # fmt: skip
        order = [found.index(name) for name in wanted]
        counts, labels = counts[np.ix_(order, order)], [labels[k] for k in order]
    ratings = Ratings.from_table(counts, categories=labels, scale=content.scale)
    return Built(groups={None: ratings})


Builder = Callable[[Table, Layout, Content], Built]
_BUILDERS: dict[str, Builder] = {
    "long": _build_long,
    "wide": _build_wide,
    "transposed": _build_transposed,
    "counts": _build_counts,
    "table": _build_table,
}
