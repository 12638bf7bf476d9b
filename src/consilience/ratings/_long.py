"""Ratings from a table with one row per rating."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError
from consilience.ratings import _duplicates as dup
from consilience.ratings._encode import Codes, encode, smallest_int, unify
from consilience.ratings._frames import columns_of
from consilience.ratings._labels import Note, check_scale, in_natural_order, label_key
from consilience.ratings._parts import Parts, as_collection, finish
from consilience.ratings._stores import CodedMatrix, LongTable

_SPARSE_FROM = 8  # cells per rating above which an items x raters matrix would waste memory
_SMALL_MATRIX = 1_000_000


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
    encoded = encode(columns[label], missing_values=as_collection(missing_values))
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
    per_item = np.bincount(item)
    if dup.has_duplicates(item, rater, per_item):
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
    present = np.flatnonzero(per_item)
    if present.size < per_item.size:  # close the gaps between the codes of the items
        place = np.empty(per_item.size, dtype=np.int64)
        place[present] = np.arange(present.size)
        item = place[item]
        items = present.tolist() if items is None else [items[k] for k in present.tolist()]
    store = _dense_or_long(
        (item, rater, label), n_items=present.size, n_labels=len(labels), n_raters=len(raters)
    )
    return finish(
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
    entries: tuple[Codes, Codes, Codes], *, n_items: int, n_labels: int, n_raters: int
) -> CodedMatrix | LongTable:
    """Lay the ratings out as a matrix, unless it would be nearly empty."""
    item, rater, label = entries
    cells = n_items * n_raters
    if cells > _SMALL_MATRIX and cells > _SPARSE_FROM * item.size:
        rated = label >= 0
        if not rated.all():
            item, rater, label = item[rated], rater[rated], label[rated]
        return LongTable(item, rater, label, n_items, n_raters)
    codes = np.full((n_raters, n_items), -1, dtype=smallest_int(n_labels))
    codes[rater, item] = label
    return CodedMatrix.from_codes(codes.T, n_labels)


def _encode_items(column: Any, what: str) -> tuple[Codes, Sequence[object]]:
    """Encode item names; whole numbers that lie close together are their own codes."""
    array = column.to_numpy() if hasattr(column, "to_numpy") else column
    if isinstance(array, np.ndarray) and array.dtype.kind in "iu" and array.size:
        low, high = int(array.min()), int(array.max())
        if high - low <= 2 * array.size + 1024:
            codes = array.astype(np.int64, copy=False)
            return (codes - low if low else codes), range(low, high + 1)
    return _encode_names(column, what)


def _encode_names(column: Any, what: str) -> tuple[Codes, Sequence[object]]:
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
