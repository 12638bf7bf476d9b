"""Ratings from a table with one row per item and one column per rater."""

from __future__ import annotations

import numbers
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError
from consilience.ratings._encode import Codes, encode, smallest_int, unify
from consilience.ratings._frames import columns_of
from consilience.ratings._labels import check_scale, is_missing, plain
from consilience.ratings._parts import Parts, as_collection, check_names, finish
from consilience.ratings._patterns import blocks
from consilience.ratings._stores import CodedMatrix, NumberMatrix, Store


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
    marks = as_collection(missing_values)
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
        found = CodedMatrix.from_integers(array, {plain(mark) for mark in marks})
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
    has_gaps = not np.isfinite(array.sum())
    if has_gaps and np.isinf(array).any():
        raise InputError.expected(
            "every label", "a finite number", "infinity", "use NaN where a rating is missing"
        )
    small = _as_small_integers(array)
    if small is not None:
        matrix, hole = small
        found = CodedMatrix.from_integers(matrix, {hole, *(plain(mark) for mark in marks)})
        if found is not None:
            return found[0], found[1], False
    if scale in ("interval", "ratio") and not marks:
        return NumberMatrix(array, has_gaps), [], True
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


def _shape(store: Store) -> tuple[int, int]:
    if isinstance(store, NumberMatrix):
        return int(store.values.shape[0]), int(store.values.shape[1])
    assert isinstance(store, CodedMatrix)
    return int(store.matrix.shape[0]), int(store.matrix.shape[1])
