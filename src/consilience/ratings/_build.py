"""Build the parts of a `Ratings` from what people bring, checking everything on the way."""

from __future__ import annotations

import html
import numbers
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from consilience.exceptions import InputError
from consilience.ratings import _duplicates as dup
from consilience.ratings._encode import Codes, Encoded, encode, encode_array, smallest_int, unify
from consilience.ratings._frames import columns_of
from consilience.ratings._labels import (
    Note,
    check_categories,
    check_order,
    check_scale,
    in_natural_order,
    is_missing,
    label_key,
    look_alikes,
    plain,
)
from consilience.ratings._patterns import blocks, distinct_rows
from consilience.ratings._stores import (
    CodedMatrix,
    CountTable,
    LongTable,
    NumberMatrix,
    Patterns,
    Store,
)

if TYPE_CHECKING:
    from consilience.ratings._ratings import Ratings

_SPARSE_FROM = 8  # cells per rating above which an items x raters matrix would waste memory
_SMALL_MATRIX = 1_000_000
_CHUNK = 65_536


@dataclass(frozen=True, slots=True)
class Labels:
    """The categories and what is known about them."""

    labels: tuple[object, ...]
    ordered: bool
    numbers: NDArray[np.float64] | None
    declared: bool


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a `Ratings` is made of."""

    store: Store
    labels: Labels
    raters: tuple[object, ...] | None
    items: Sequence[object] | None
    scale: str
    design: str
    notes: tuple[Note, ...] = ()


# -------------------------------------------------------------------- wide


def from_wide(
    rows: Any,
    *,
    raters: Iterable[object] | None,
    items: Iterable[object] | None,
    scale: str,
    categories: Iterable[object] | None,
    missing_values: Collection[object] | object,
) -> Parts:
    """Build from a table with one row per item and one column per rater."""
    check_scale(scale)
    marks = _as_collection(missing_values)
    if isinstance(rows, np.ndarray):
        names: list[object] | None = None
        store, labels, ordered = _code_array(rows, scale, marks)
    else:
        names, columns = _wide_columns(rows)
        store, labels, ordered = _code_columns(columns, scale, marks)
    n_items, n_raters = _shape(store)
    if n_items == 0 or n_raters == 0:
        raise InputError.expected(
            "ratings",
            "at least one item and one rater",
            f"{n_items} items × {n_raters} raters",
            "check that the table is not empty",
        )
    return _finish(
        store,
        labels,
        scale=scale,
        categories=categories,
        ordered=ordered,
        design="wide",
        raters=_names("raters", raters if raters is not None else names, n_raters),
        items=_names("items", items, n_items) if items is not None else None,
    )


def from_columns(columns: Sequence[Any], *, scale: str) -> Parts:
    """Build from one sequence of labels per rater."""
    check_scale(scale)
    sizes = [len(column) for column in columns]
    if len(set(sizes)) > 1:
        raise InputError.expected(
            "the raters' lists",
            "equally long",
            " and ".join(map(str, sizes)),
            "use None where a rater gave no label",
        )
    arrays = [c for c in columns if isinstance(c, np.ndarray) and c.dtype.kind in "iuf"]
    if len(arrays) == len(columns) and not any(isinstance(c, np.ma.MaskedArray) for c in columns):
        matrix = np.stack(arrays).T  # one contiguous run per rater
        return from_wide(
            matrix, raters=None, items=None, scale=scale, categories=None, missing_values=()
        )
    named = dict(enumerate(columns))
    return from_wide(
        named, raters=None, items=None, scale=scale, categories=None, missing_values=()
    )


def _code_array(
    array: NDArray[Any], scale: str, marks: Collection[object]
) -> tuple[Store, list[object], bool]:
    if array.ndim != 2:
        raise InputError.expected(
            "ratings",
            "a table of items × raters",
            f"an array with {array.ndim} dimension(s)",
            "reshape it to one row per item and one column per rater",
        )
    if array.size == 0:
        return CodedMatrix.from_codes(np.empty(array.shape, np.int8), 0), [], False
    if isinstance(array, np.ma.MaskedArray):
        if array.dtype.kind in "iu" and not np.ma.getmaskarray(array).any():
            array = array.data
        elif array.dtype.kind == "f":
            array = array.filled(np.nan)
    elif array.dtype.kind == "b":
        pass
    elif array.dtype.kind in "iu":
        found = CodedMatrix.from_integers(array, {_plain_mark(mark) for mark in marks})
        if found is not None:
            return found[0], found[1], False
    elif array.dtype.kind == "f":
        return _code_floats(array, scale, marks)
    encoded = encode(array, missing_values=marks)
    codes = encoded.codes.astype(smallest_int(len(encoded.labels))).reshape(array.shape)
    (codes,), labels, ordered = unify([replace(encoded, codes=codes)])
    return CodedMatrix.from_codes(codes, len(labels)), labels, ordered


def _code_floats(
    array: NDArray[Any], scale: str, marks: Collection[object]
) -> tuple[Store, list[object], bool]:
    """Whole numbers with gaps become small integers in one pass; others stay as they are."""
    if not np.isfinite(array.sum()) and np.isinf(array).any():
        raise InputError.expected(
            "every label", "a finite number", "infinity", "use NaN where a rating is missing"
        )
    small = _as_small_integers(array)
    if small is not None:
        matrix, hole = small
        found = CodedMatrix.from_integers(matrix, {hole, *(_plain_mark(mark) for mark in marks)})
        if found is not None:
            return found[0], found[1], False
    if scale in ("interval", "ratio") and not marks:
        return NumberMatrix(array), [], True
    encoded = encode(array, missing_values=marks)
    codes = encoded.codes.astype(smallest_int(len(encoded.labels))).reshape(array.shape)
    return CodedMatrix.from_codes(codes, len(encoded.labels)), encoded.labels, False


def _as_small_integers(array: NDArray[Any]) -> tuple[Codes, int] | None:
    """Turn whole floats of a small range into int16, NaN into a value below all others."""
    with np.errstate(invalid="ignore"):
        head = array[: min(len(array), 4096)]
        if not np.all((head == np.rint(head)) | np.isnan(head)):
            return None
        low, high = np.fmin.reduce(array, axis=None), np.fmax.reduce(array, axis=None)
        if np.isnan(low) or high - low > 30_000 or abs(low) > 30_000 or abs(high) > 30_000:
            return None
        hole = int(np.floor(low)) - 1
        out = np.empty(array.shape, dtype=np.int16)
        for block in blocks(len(array)):
            part = np.where(np.isnan(array[block]), hole, array[block])
            out[block] = part
            if not np.array_equal(out[block], part):
                return None
    return out, hole


def _wide_columns(rows: Any) -> tuple[list[object] | None, list[Any]]:
    """Return rater names (if the data has them) and one column of labels per rater."""
    framed = columns_of(rows)
    if framed is not None:
        names = list(framed)
        lengths = {name: len(column) for name, column in framed.items()}
        if len(set(lengths.values())) > 1:
            raise InputError.expected(
                "the raters' columns", "equally long", lengths, "use None for a missing rating"
            )
        return names, list(framed.values())
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
        raise InputError.expected(
            "ratings",
            "a table of items × raters",
            rows,
            "pass a list of rows, an array, a dataframe or a dict of columns",
        )
    table = list(rows)
    for place, row in enumerate(table):
        if isinstance(row, (str, bytes, set, frozenset, Mapping)) or not isinstance(row, Iterable):
            raise InputError.expected(
                f"row {place} of the ratings",
                "a list of labels, one per rater",
                row,
                "put the labels of each item into a list of its own",
            )
    table = [list(row) for row in table]
    widths = {len(row) for row in table}
    if len(widths) > 1:
        usual = len(table[0])
        odd = next(place for place, row in enumerate(table) if len(row) != usual)
        raise InputError.expected(
            "every row",
            f"as long as the first ({usual} raters)",
            f"{len(table[odd])} labels in row {odd}",
            "use None for a missing rating",
        )
    return None, [list(column) for column in zip(*table, strict=True)]


def _code_columns(
    columns: Sequence[Any], scale: str, marks: Collection[object]
) -> tuple[Store, list[object], bool]:
    numeric = _float_columns(columns) if scale in ("interval", "ratio") and not marks else None
    if numeric is not None:
        return _code_floats(numeric, scale, marks)
    encoded = [encode(column, missing_values=marks) for column in columns]
    codes, labels, ordered = unify(encoded)
    if not codes:
        return CodedMatrix.from_codes(np.empty((0, 0), np.int8), 0), [], False
    return CodedMatrix.from_codes(np.stack(codes).T, len(labels)), labels, ordered


def _float_columns(columns: Sequence[Any]) -> NDArray[np.float64] | None:
    """Stack numeric columns as floats with NaN for missing; None if any is not numeric."""
    arrays = []
    for column in columns:
        array = column if isinstance(column, np.ndarray) else _number_array(column)
        if array is None or array.dtype.kind not in "iuf":
            return None
        arrays.append(array.astype(np.float64))
    return np.stack(arrays).T if arrays else None


def _number_array(column: Any) -> NDArray[Any] | None:
    if isinstance(column, list):
        real = [x if isinstance(x, numbers.Real) else None for x in column]
        if any(r is None and not is_missing(x) for r, x in zip(real, column, strict=True)):
            return None
        if any(isinstance(x, bool) for x in real):
            return None
        return np.array([np.nan if is_missing(x) else float(x) for x in column])
    to_numpy = getattr(column, "to_numpy", None)
    array = to_numpy() if to_numpy is not None else None
    return array if isinstance(array, np.ndarray) else None


# -------------------------------------------------------------------- long


def from_long(
    frame: Any,
    *,
    item: str,
    rater: str,
    label: str,
    occasion: str | None,
    scale: str,
    categories: Iterable[object] | None,
    duplicates: str,
    missing_values: Collection[object] | object,
) -> Parts:
    """Build from a table with one row per rating."""
    check_scale(scale)
    dup.check_policy(duplicates)
    columns = columns_of(frame)
    if columns is None:
        raise InputError.expected(
            "frame",
            "a dataframe or a mapping of columns",
            type(frame).__name__,
            "for example {'item': [...], 'rater': [...], 'label': [...]}",
        )
    needed = [item, rater, label] + ([occasion] if occasion else [])
    for name in needed:
        if name not in columns:
            raise InputError.unknown_word("column", name, [str(column) for column in columns])
    sizes = {name: len(columns[name]) for name in needed}
    if len(set(sizes.values())) > 1:
        raise InputError.expected("the columns", "equally long", sizes, "check the data")
    item_codes, items = _encode_items(columns[item], item)
    rater_codes, raters = _encode_names(columns[rater], rater)
    encoded = encode(columns[label], missing_values=_as_collection(missing_values))
    (label_codes,), labels, ordered = unify([encoded])
    if occasion is not None:
        order = np.argsort(_occasion_order(columns[occasion]), kind="stable")
        item_codes, rater_codes, label_codes = (
            codes[order] for codes in (item_codes, rater_codes, label_codes)
        )
        duplicates = "occasions"
    return from_codes(
        item=item_codes,
        rater=rater_codes,
        label=label_codes,
        items=items,
        raters=raters,
        labels=labels,
        scale=scale,
        declared=ordered,
        duplicates=duplicates,
        design="long",
        categories=categories,
    )


def from_codes(
    *,
    item: NDArray[Any],
    rater: NDArray[Any],
    label: NDArray[Any],
    items: Sequence[object] | None,
    raters: Sequence[object] | None,
    labels: list[object],
    scale: str,
    declared: bool,
    duplicates: str,
    design: str,
    categories: Iterable[object] | None = None,
) -> Parts:
    """Build from integer codes of items, raters and labels; a label of -1 is missing."""
    check_scale(scale)
    dup.check_policy(duplicates)
    if not item.size:
        raise InputError.expected("ratings", "at least one rating", "none", "check the data")
    if raters is None:
        raters = range(int(rater.max()) + 1)
    notes: list[Note] = []
    if dup.has_duplicates(item, rater):
        if duplicates == "refuse":
            first, second = dup.first_duplicate(item, rater)
            names = [None if label[k] < 0 else labels[label[k]] for k in (first, second)]
            name = items[int(item[first])] if items is not None else int(item[first])
            raise InputError.duplicate_rating(name, raters[int(rater[first])], *names)
        keep = dup.chosen(item, rater, keep="last" if duplicates == "last" else "first")
        dropped = int(keep.size - keep.sum())
        kept = "last" if duplicates == "last" else "first"
        notes.append(
            Note(
                "repeated_ratings",
                f"{dropped:,} ratings repeat an item and rater already seen; agreement between "
                f"raters uses the {kept} of each.",
            )
        )
        item, rater, label = item[keep], rater[keep], label[keep]
    store = _dense_or_long(item, rater, label, len(labels), len(raters))
    if isinstance(store, CodedMatrix):
        present = np.flatnonzero(np.bincount(item))
        items = [items[k] for k in present] if items is not None else present.tolist()
    return _finish(
        store,
        labels,
        scale=scale,
        categories=categories,
        ordered=declared,
        design=design,
        raters=tuple(raters),
        items=items,
        notes=notes,
    )


def _dense_or_long(
    item: NDArray[Any], rater: NDArray[Any], label: NDArray[Any], n_labels: int, n_raters: int
) -> CodedMatrix | LongTable:
    item_codes = int(item.max()) + 1
    cells = item_codes * n_raters
    if cells > _SMALL_MATRIX and cells > _SPARSE_FROM * item.size:
        rated = label >= 0
        if not rated.all():
            item, rater, label = item[rated], rater[rated], label[rated]
        return LongTable(item, rater, label, item_codes, n_raters)
    seen = np.bincount(item, minlength=item_codes) > 0
    place = np.cumsum(seen) - 1
    codes = np.full((n_raters, int(seen.sum())), -1, dtype=smallest_int(n_labels))
    codes[rater, place[item]] = label
    return CodedMatrix.from_codes(codes.T, n_labels)


def _encode_items(column: Any, what: str) -> tuple[NDArray[np.int64], Sequence[object]]:
    """Encode item names; whole numbers that lie close together are their own codes."""
    array = column.to_numpy() if hasattr(column, "to_numpy") else column
    if isinstance(array, np.ndarray) and array.dtype.kind in "iu" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low <= 2 * array.size + 1024:
            codes = array.astype(np.int64, copy=False)
            return (codes - low if low else codes), range(low, high + 1)
    return _encode_names(column, what)


def _encode_names(column: Any, what: str) -> tuple[NDArray[np.int64], Sequence[object]]:
    encoded = encode(column)
    if (encoded.codes < 0).any():
        where = int(np.argmax(encoded.codes < 0))
        raise InputError.expected(
            f"every value in column {what!r}",
            "a name",
            f"a missing value in row {where}",
            "give each rating an item and a rater, or drop the row",
        )
    return encoded.codes, encoded.labels


def _occasion_order(column: Any) -> NDArray[np.int64]:
    encoded = encode(column)
    rank = {label_key(x): k for k, x in enumerate(in_natural_order(encoded.labels))}
    table = np.array([rank[label_key(x)] for x in encoded.labels] + [-1])
    return table[encoded.codes]


# -------------------------------------------------------------------- counts and tables


def from_counts(
    counts: Any,
    *,
    categories: Iterable[object] | None,
    items: Iterable[object] | None,
    scale: str,
) -> Parts:
    """Build from an items x categories table of counts."""
    check_scale(scale)
    framed = columns_of(counts)
    names: Iterable[object] | None = None
    if framed is not None:
        names = list(framed)
        counts = np.column_stack([np.asarray(column) for column in framed.values()])
    table = _check_counts(counts, "counts")
    labels = _table_labels(categories if categories is not None else names, table.shape[1])
    return _finish(
        CountTable(table),
        labels,
        scale=scale,
        categories=labels,
        ordered=True,
        design="counts",
        raters=None,
        items=_names("items", items, len(table)) if items is not None else None,
    )


def from_table(
    table: ArrayLike,
    *,
    categories: Iterable[object] | None,
    raters: Iterable[object] | None,
    scale: str,
) -> Parts:
    """Build from the cross-table of two raters."""
    check_scale(scale)
    counts = _check_counts(table, "table")
    if counts.shape[0] != counts.shape[1]:
        raise InputError.expected(
            "table",
            "square: both raters choose from the same categories",
            f"{counts.shape[0]} rows × {counts.shape[1]} columns",
            "add a row or column of zeros for a category that one rater never used",
        )
    labels = _table_labels(categories, len(counts))
    codes = np.argwhere(counts > 0).astype(smallest_int(len(labels)))
    store = CodedMatrix.from_codes(codes, len(labels), counts[counts > 0])
    if not codes.size:
        raise InputError.expected(
            "table", "at least one item", "all zeros", "enter the number of items in each cell"
        )
    return _finish(
        store,
        labels,
        scale=scale,
        categories=labels,
        ordered=True,
        design="table",
        raters=_names("raters", raters, 2),
        items=None,
    )


def _check_counts(counts: Any, what: str) -> NDArray[np.int64]:
    try:
        array = np.asarray(counts, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError.expected(
            what, "a table of whole numbers", counts, "check for text or rows of unequal length"
        ) from None
    if array.ndim != 2 or array.size == 0:
        raise InputError.expected(
            what, "a table with rows and columns", f"shape {array.shape}", "pass a list of rows"
        )
    whole = np.rint(array)
    if not np.isfinite(array).all() or (array < 0).any() or (array != whole).any():
        odd = array[~(np.isfinite(array) & (array >= 0) & (array == whole))][0]
        raise InputError.expected(
            f"every cell of {what}",
            "a count (0, 1, 2, ...)",
            float(odd),
            "multiply proportions by the number of items",
        )
    return whole.astype(np.int64)


def _table_labels(categories: Iterable[object] | None, size: int) -> list[object]:
    if categories is None:
        return list(range(1, size + 1))
    labels = check_categories(categories)
    if len(labels) != size:
        raise InputError.expected(
            "categories", f"as many as the table has ({size})", labels, "name each category once"
        )
    return labels


# -------------------------------------------------------------------- common steps


def _finish(
    store: Store,
    labels: list[object],
    *,
    scale: str,
    categories: Iterable[object] | None,
    ordered: bool,
    design: str,
    raters: tuple[object, ...] | None,
    items: Sequence[object] | None,
    notes: Sequence[Note] = (),
) -> Parts:
    """Fit the found labels to the declared ones and note what the owner should know."""
    declared = categories is not None or ordered
    if categories is not None and not isinstance(store, NumberMatrix | CountTable):
        wanted = check_categories(categories)
        store = _fit_to_categories(store, labels, wanted)
        labels = wanted
    if isinstance(store, NumberMatrix):
        facts = Labels((), True, None, False)
        if categories is not None:
            coded, found = store.coded
            wanted = check_categories(categories)
            return _finish(
                coded,
                found,
                scale=scale,
                categories=wanted,
                ordered=ordered,
                design=design,
                raters=raters,
                items=items,
                notes=notes,
            )
    else:
        in_order, values = check_order(labels, scale=scale, declared=declared)
        facts = Labels(tuple(labels), in_order, values, declared)
    return Parts(store, facts, raters, items, scale, design, (*notes, *look_alikes(labels)))


def _fit_to_categories(store: Store, labels: list[object], wanted: list[object]) -> Store:
    place = {label_key(label): k for k, label in enumerate(wanted)}
    unknown = [label for label in labels if label_key(label) not in place]
    if unknown:
        raise InputError.expected(
            "every label",
            f"one of the categories {wanted[:8]}",
            unknown[0],
            "add it to categories, or name it in missing_values if it means no rating",
        )
    new_code = np.array([place[label_key(label)] for label in labels], dtype=np.int64)
    if isinstance(store, LongTable):
        return replace(store, label=new_code[store.label])
    assert isinstance(store, CodedMatrix)
    return store.recoded(new_code)


def _names(what: str, names: Iterable[object] | None, size: int) -> tuple[object, ...]:
    if names is None:
        return tuple(range(size))
    listed = tuple(plain(name) for name in names)
    if len(listed) != size:
        raise InputError.expected(
            what, f"{size} names, one each", f"{len(listed)} names", "check the table's shape"
        )
    if len(set(listed)) != size:
        twice = next(name for name in listed if listed.count(name) > 1)
        raise InputError.expected(what, "different from each other", twice, "rename one of them")
    return listed


def _as_collection(values: Collection[object] | object) -> Collection[object]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Collection):
        return (values,)
    return values


def _plain_mark(mark: object) -> object:
    return plain(mark)


def _shape(store: Store) -> tuple[int, int]:
    if isinstance(store, NumberMatrix):
        return int(store.values.shape[0]), int(store.values.shape[1])
    assert isinstance(store, CodedMatrix)
    return int(store.matrix.shape[0]), int(store.matrix.shape[1])


def number_labels(store: Any, scale: str) -> Labels:
    """List the distinct numbers of a matrix that was kept as numbers."""
    labels = store.coded[1]
    ordered, values = check_order(labels, scale=scale, declared=False)
    return Labels(tuple(labels), ordered, values, False)


def count_ratings(store: Store) -> int:
    """Count the ratings that were given."""
    if isinstance(store, LongTable):
        return int(store.label.size)
    if isinstance(store, CountTable):
        return int(store.counts.sum())
    if isinstance(store, NumberMatrix):
        return int(store.values.size - np.count_nonzero(np.isnan(store.values)))
    if "patterns" in store.__dict__ or store.multiplicity is not None:
        patterns = store.patterns
        return int(((patterns.codes >= 0).sum(axis=1) * patterns.multiplicity).sum())
    rated = store.code_of >= 0
    return sum(
        int(np.count_nonzero(rated[store.matrix[block].astype(np.intp) - store.low]))
        for block in blocks(len(store.matrix), _CHUNK)
    )


# -------------------------------------------------------------------- derived ratings


def cross_table(
    store: CodedMatrix | LongTable, first: int, second: int, size: int
) -> NDArray[np.int64]:
    """Cross-tabulate two raters over the items that both rated."""
    pair = select_raters(store, [first, second]).patterns
    both = (pair.codes >= 0).all(axis=1)
    key = pair.codes[both, 0].astype(np.int64) * size + pair.codes[both, 1]
    table = np.zeros(size * size, dtype=np.int64)
    np.add.at(table, key, pair.multiplicity[both])
    return table.reshape(size, size)


def select_raters(store: CodedMatrix | LongTable, raters: list[int]) -> CodedMatrix:
    """Keep the columns of some raters, in the order given."""
    if isinstance(store, CodedMatrix):
        if store.multiplicity is None and "patterns" not in store.__dict__:
            return replace(store, matrix=store.matrix[:, raters])
        patterns = store.patterns
        n_categories = int(store.code_of.max(initial=-1)) + 1
        return CodedMatrix.from_codes(
            patterns.codes[:, raters], n_categories, patterns.multiplicity
        )
    n_labels = int(store.label.max(initial=0)) + 1
    items, place = np.unique(store.item[np.isin(store.rater, raters)], return_inverse=True)
    codes = np.full((len(raters), items.size), -1, dtype=smallest_int(n_labels))
    mine = np.isin(store.rater, raters)
    column = np.full(store.n_rater_codes, -1)
    column[raters] = np.arange(len(raters))
    codes[column[store.rater[mine]], place] = store.label[mine]
    return CodedMatrix.from_codes(codes.T, n_labels)


def complete_items(store: CodedMatrix | LongTable) -> CodedMatrix:
    """Keep the items that every rater rated."""
    if isinstance(store, LongTable):
        everyone = select_raters(store, list(range(store.n_rater_codes)))
        return complete_items(everyone)
    patterns = store.patterns
    full = (patterns.codes >= 0).all(axis=1)
    n_categories = int(store.code_of.max(initial=-1)) + 1
    return CodedMatrix.from_codes(patterns.codes[full], n_categories, patterns.multiplicity[full])


def merge(left: Parts, right: Parts) -> Parts:
    """Put the items of two sets of ratings together."""
    if left.scale != right.scale or type(left.store) is not type(right.store):
        raise InputError.expected(
            "merged ratings",
            f"of one kind ({left.scale}, {left.design})",
            f"{right.scale}, {right.design}",
            "bring both in the same form and scale",
        )
    if left.raters is not None and set(left.raters) != set(right.raters or ()):
        only = sorted(map(str, set(left.raters) ^ set(right.raters or ())))
        raise InputError.expected(
            "merged ratings",
            "by the same raters",
            f"raters in one of them only: {only[:6]}",
            "select the common raters first",
        )
    labels = _common_labels(left, right)
    stores = [_fit_to_categories_or_counts(side, labels) for side in (left, right)]
    if right.raters is not None and left.raters is not None and right.raters != left.raters:
        order = [right.raters.index(name) for name in left.raters]
        assert isinstance(stores[1], CodedMatrix)
        stores[1] = select_raters(stores[1], order)
    notes = tuple(dict.fromkeys((*left.notes, *right.notes)))
    joined = Parts(
        _join(stores[0], stores[1]), left.labels, left.raters, None, left.scale, left.design, notes
    )
    if labels != list(left.labels.labels):
        ordered, values = check_order(
            labels, scale=left.scale, declared=left.labels.declared and right.labels.declared
        )
        joined = replace(joined, labels=Labels(tuple(labels), ordered, values, False))
    return joined


def _common_labels(left: Parts, right: Parts) -> list[object]:
    mine, theirs = list(left.labels.labels), list(right.labels.labels)
    if mine == theirs:
        return mine
    if left.labels.declared and right.labels.declared:
        raise InputError.expected(
            "merged ratings",
            f"on the same categories {mine[:8]}",
            theirs[:8],
            "declare the same categories for both",
        )
    if left.labels.declared or right.labels.declared:
        return mine if left.labels.declared else theirs
    seen = {label_key(label): label for label in mine + theirs}
    return in_natural_order(seen.values())


def _fit_to_categories_or_counts(side: Parts, labels: list[object]) -> Store:
    found = list(side.labels.labels)
    if found == labels:
        return side.store
    if isinstance(side.store, CountTable):
        raise InputError.expected("counts", f"over {labels[:8]}", found[:8], "reorder the columns")
    return _fit_to_categories(side.store, found, labels)


def _join(first: Store, second: Store) -> Store:
    if isinstance(first, CountTable) and isinstance(second, CountTable):
        return CountTable(np.concatenate([first.counts, second.counts]))
    if isinstance(first, LongTable) and isinstance(second, LongTable):
        return LongTable(
            np.concatenate([first.item, second.item + first.n_item_codes]),
            np.concatenate([first.rater, second.rater]),
            np.concatenate([first.label, second.label]),
            first.n_item_codes + second.n_item_codes,
            max(first.n_rater_codes, second.n_rater_codes),
        )
    assert isinstance(first, CodedMatrix)
    assert isinstance(second, CodedMatrix)
    a, b = first.patterns, second.patterns
    codes = np.concatenate([a.codes, b.codes])
    counts = np.concatenate([a.multiplicity, b.multiplicity])
    largest = int(max(first.code_of.max(initial=-1), second.code_of.max(initial=-1)))
    distinct, counts = distinct_rows(codes, -1, largest, counts)
    joined = CodedMatrix.from_codes(distinct, largest + 1, counts)
    joined.__dict__["patterns"] = Patterns(distinct, counts)
    return joined


def as_html(ratings: Ratings) -> str:
    """Render the facts about the ratings as a small table for notebooks."""
    shown = [html.escape(str(label)) for label in ratings.categories[:12]]
    more = len(ratings.categories) - len(shown)
    facts = {
        "items": f"{ratings.n_items:,}",
        "raters": f"{ratings.n_raters:,}",
        "ratings": f"{ratings.n_ratings:,}",
        "missing": f"{ratings.n_missing:,}",
        "scale": html.escape(ratings.scale),
        "categories": ", ".join(shown) + (f" and {more:,} more" if more else ""),
    }
    rows = "".join(
        f'<tr><th style="text-align:left">{name}</th><td style="text-align:left">{value}</td></tr>'
        for name, value in facts.items()
    )
    notes = "".join(f"<p>{html.escape(note.message)}</p>" for note in ratings.notes)
    return f"<table><caption>Ratings</caption>{rows}</table>{notes}"
