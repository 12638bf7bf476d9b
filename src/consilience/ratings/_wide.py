"""Ratings from a table with one row per item and one column per rater."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from pathlib import PurePath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Codes, blocks, smallest_int
from consilience.core.frames import aligned, check_columns, columns_of, index_names
from consilience.core.labels import (
    MEASURED,
    check_scale,
    is_missing,
    is_number,
    label_key,
    marks_of,
)
from consilience.exceptions import InputError
from consilience.ratings.construction import Parts, check_names, finish
from consilience.ratings.encode import encode, unify
from consilience.ratings.stores import WIDEST_RANGE, CodedMatrix, NumberMatrix

# ---- Numbers in a table: whole ones become small integers, measurements stay as they are.

_EXACT = 2**53  # integers up to which every one is a float


def code_floats(
    array: NDArray[Any], scale: str, marks: Set[Hashable]
) -> tuple[CodedMatrix | NumberMatrix, list[object], bool]:
    """Whole numbers with gaps become small integers in one pass; others stay as they are."""
    if marks and scale in MEASURED:
        told = [mark for mark in marks if is_number(mark)]
        array = np.where(np.isin(array, np.array(told, dtype=float)), np.nan, array)
        marks = frozenset()
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = bool(np.isfinite(array.sum()))
    small = _as_small_integers(array)
    if small is not None:
        matrix, hole = small
        found = CodedMatrix.from_integers(matrix, {hole, *marks})
        if found is not None:
            return found[0], found[1], False
    if scale in MEASURED:
        if not is_finite and np.isinf(array).any():
            raise InputError.expected(
                "every label", "a finite number", "infinity", "use NaN where a rating is missing"
            )
        return NumberMatrix(array, not is_finite and bool(np.isnan(array).any())), [], True
    encoded = encode(array, marks=marks)
    codes = encoded.codes.astype(smallest_int(len(encoded.labels))).reshape(array.shape)
    return CodedMatrix.from_codes(codes, len(encoded.labels)), encoded.labels, False


def _as_small_integers(array: NDArray[Any]) -> tuple[Codes, int] | None:
    """Turn whole floats of a small range into integers, NaN into a value below all others."""
    if not array.size:
        return None
    head = array[:4096]
    with np.errstate(invalid="ignore"):
        if not np.all((head == np.rint(head)) | np.isnan(head)):
            return None
        low, high = (float(f.reduce(array, axis=None)) for f in (np.fmin, np.fmax))
        if not (-30_000 <= low <= high <= 30_000 and high - low < WIDEST_RANGE):
            return None
        hole = int(np.floor(low)) - 1
        out = np.empty(array.shape, dtype=smallest_int(int(max(-hole, high))))
        wide = np.result_type(array.dtype, np.float32)  # a half float does not hold every hole
        for block in blocks(len(array)):
            # The hole lies below all numbers, so it only ever replaces NaN.
            part = np.fmax(array[block].astype(wide, copy=False), wide.type(hole))
            out[block] = part
            if not np.array_equal(out[block], part):
                return None
    return out, hole


def float_columns(columns: Sequence[Any]) -> NDArray[np.float64] | None:
    """Stack numeric columns as floats with NaN for missing; None if any is not numeric."""
    arrays = [_numbers(column) for column in columns]
    known = [array for array in arrays if array is not None]
    return np.stack(known).T if known and len(known) == len(arrays) else None


def as_floats(array: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return an array of numbers as floats, NaN where masked; None if floats do not hold them."""
    if array.dtype.kind not in "iuf":
        return None
    given = array.compressed() if isinstance(array, np.ma.MaskedArray) else array
    is_whole = given.dtype.kind in "iu" and given.size > 0
    if is_whole and (int(given.max()) > _EXACT or int(given.min()) < -_EXACT):
        return None
    floats = array.astype(np.float64, copy=False)
    return np.asarray(np.ma.filled(floats, np.nan))


def _numbers(column: Any) -> NDArray[np.float64] | None:
    if isinstance(column, np.ndarray):
        return as_floats(column)
    if isinstance(column, (list, tuple)):
        return _listed_numbers(column)
    to_numpy = getattr(column, "to_numpy", None)
    array = to_numpy() if to_numpy is not None else None
    return as_floats(array) if isinstance(array, np.ndarray) else None


def _listed_numbers(column: Sequence[Any]) -> NDArray[np.float64] | None:
    out = np.full(len(column), np.nan)
    for place, label in enumerate(column):
        if is_missing(label):
            continue
        if not is_number(label) or not (isinstance(label, float) or -_EXACT <= label <= _EXACT):
            return None
        out[place] = label
    return out


Coding = tuple[CodedMatrix | NumberMatrix, list[object], bool]  # ratings, labels, stated order


def from_wide(
    rows: Any,
    *,
    raters: Iterable[object] | None,
    items: Iterable[object] | None,
    item: str | None = None,
    scale: str,
    categories: Iterable[object] | None,
    missing_values: object,
) -> Parts:
    """Build from a table with one row per item and one column per rater."""
    check_scale(scale)
    if item is not None and items is not None:
        raise InputError.expected(
            "the items", "named by item or by items", "both", "leave one of them out"
        )
    items = items if items is not None else index_names(rows)
    if item is not None:
        rows, items = _without_item(rows, item)
    marks = marks_of(missing_values)
    names: list[object] | None = None
    if isinstance(rows, np.ndarray):
        store, labels, ordered = _code_array(rows, scale, marks)
    else:
        names, columns = _wide_columns(rows)
        one_order = scale == "ordinal" and categories is None
        store, labels, ordered = _code_columns(columns, scale, marks, one_order=one_order)
    n_items, n_raters = store.n_items, store.n_rater_codes
    if n_items == 0 or n_raters == 0:
        raise InputError.expected(
            "ratings",
            "at least one item and one rater",
            f"{n_items} items × {n_raters} raters",
            "check that the table is not empty",
        )
    return finish(
        store,
        labels,
        scale=scale,
        categories=categories,
        ordered=ordered,
        design="wide",
        raters=check_names("raters", raters if raters is not None else names, n_raters),
        items=check_names("items", items, n_items) if items is not None else None,
    )


def _without_item(rows: Any, item: str) -> tuple[dict[Any, Any], list[Any]]:
    """Take the column out that names the items."""
    columns = columns_of(rows)
    if columns is None or item not in columns:
        known = [str(name) for name in columns or ()]
        raise InputError.unknown_word("item", item, known)
    names = columns.pop(item)
    return columns, list(names.to_list() if hasattr(names, "to_list") else names)


def from_columns(columns: Sequence[Any], *, scale: str) -> Parts:
    """Build from one sequence of labels per rater; series of pandas go together by their index."""
    columns = aligned(columns)
    checked = check_columns(dict(enumerate(columns)))
    arrays = list(checked.values())
    stacks = (
        all(type(column) is np.ndarray and column.dtype.kind in "iuf" for column in arrays)
        and len({column.dtype for column in arrays}) == 1
    )
    return from_wide(
        np.stack(arrays).T if stacks else checked,  # one contiguous run per rater
        raters=None,
        items=None,
        scale=scale,
        categories=None,
        missing_values=(),
    )


def _code_array(array: NDArray[Any], scale: str, marks: Set[Hashable]) -> Coding:
    if array.ndim != 2:
        raise InputError.expected(
            "ratings",
            "a table of items × raters",
            f"an array with {array.ndim} dimension(s)",
            "reshape it to one row per item and one column per rater",
        )
    if not np.ma.is_masked(array):
        array = np.asarray(array)
    if array.size == 0:
        return CodedMatrix.from_codes(np.empty(array.shape, np.int8), 0), [], False
    if array.dtype.kind in "iu" and not isinstance(array, np.ma.MaskedArray):
        found = CodedMatrix.from_integers(array, marks)
        if found is not None:
            return found[0], found[1], False
    if array.dtype.kind == "f":
        return code_floats(np.asarray(np.ma.filled(array, np.nan)), scale, marks)
    floats = as_floats(array) if scale in MEASURED else None
    if floats is not None:
        return code_floats(floats, scale, marks)
    encoded = encode(array, marks=marks)
    codes = encoded.codes.astype(smallest_int(len(encoded.labels))).reshape(array.shape)
    (codes,), labels, ordered = unify([replace(encoded, codes=codes)])
    return CodedMatrix.from_codes(codes, len(labels)), labels, ordered


def _code_columns(
    columns: Sequence[Any], scale: str, marks: Set[Hashable], *, one_order: bool
) -> Coding:
    numeric = float_columns(columns) if scale in MEASURED else None
    if numeric is not None:
        return code_floats(numeric, scale, marks)
    if len(columns) > 1 and all(type(column) is list for column in columns):
        return _code_lists(columns, marks)
    encoded = [encode(column, marks=marks) for column in columns]
    if one_order:
        _check_orders([column.labels for column in encoded if column.ordered])
    codes, labels, ordered = unify(encoded)
    if not codes:
        return CodedMatrix.from_codes(np.empty((0, 0), np.int8), 0), [], False
    return CodedMatrix.from_codes(np.stack(codes).T, len(labels)), labels, ordered


def _check_orders(orders: Sequence[Sequence[object]]) -> None:
    """Refuse two raters whose ordered categoricals put the same labels in different orders."""
    first = {label_key(label): k for k, label in enumerate(orders[0])} if orders else {}
    for order in orders[1:]:
        places = [first[key] for key in map(label_key, order) if key in first]
        if places != sorted(places):
            raise InputError.expected(
                "ordered categoricals",
                "in one order for all raters",
                [list(orders[0]), list(order)],
                "pass categories=[...] from lowest to highest",
            )


def _code_lists(columns: Sequence[list[Any]], marks: Set[Hashable]) -> Coding:
    """Code Python objects of all raters at once: each different label is looked at once."""
    encoded = encode(list(chain.from_iterable(columns)), marks=marks)
    codes = encoded.codes.astype(smallest_int(len(encoded.labels))).reshape(len(columns), -1)
    (codes,), labels, ordered = unify([replace(encoded, codes=codes)])
    return CodedMatrix.from_codes(codes.T, len(labels)), labels, ordered


def _wide_columns(rows: Any) -> tuple[list[object] | None, list[Any]]:
    """Return rater names (if the data has them) and one column of labels per rater."""
    framed = columns_of(rows)
    if framed is not None:
        return list(framed), list(aligned(list(framed.values())))
    if isinstance(rows, (str, bytes)) or not isinstance(rows, Iterable):
        hint = "pass a list of rows, an array, a dataframe or a dict of columns"
        if isinstance(rows, (str, PurePath)):
            hint = f"read a file first, as in consilience.read({str(rows)!r})"
        raise InputError.expected("ratings", "a table of items × raters", rows, hint)
    table = list(rows)
    for place, row in enumerate(table):
        if type(row) in (list, tuple):
            continue
        if isinstance(row, (str, bytes, set, frozenset, Mapping)) or not isinstance(row, Iterable):
            raise InputError.expected(
                f"row {place} of the ratings",
                "a list of labels, one per rater",
                row,
                "put the labels of each item into a list of its own",
            )
    table = [row if type(row) in (list, tuple) else list(row) for row in table]
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
