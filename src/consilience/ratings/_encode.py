"""Turn labels of any kind into small integer codes, where the data lives.

Encoding costs far more than any coefficient, so each kind of column takes the fastest way its
library offers, and Python objects are only touched when the caller brought Python objects.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.exceptions import InputError
from consilience.ratings._labels import in_natural_order, is_missing, label_key, plain

Codes = NDArray[np.integer[Any]]
_FEW_LABELS = 64  # text arrays with at most so many labels are compared label by label


@dataclass(frozen=True, slots=True)
class Encoded:
    """One column of labels: codes (-1 is missing), the labels they stand for, stated order."""

    codes: Codes
    labels: list[object]
    ordered: bool = False


def encode(column: Any, *, missing_values: Collection[object] = ()) -> Encoded:
    """Encode one column: a numpy array, a series of any dataframe library, or a sequence."""
    encoded = _encode_series(column)
    if encoded is None:
        array = column if isinstance(column, np.ndarray) else _as_array(column)
        encoded = encode_array(array)
    return drop_missing_values(encoded, missing_values)


def encode_array(array: NDArray[Any]) -> Encoded:
    """Encode a numpy array; masked entries, None and NaN are missing."""
    mask = None
    if isinstance(array, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(array).ravel()
        array = array.data
    flat = array.ravel()
    kind = flat.dtype.kind
    if kind == "O":
        encoded = _encode_objects(flat)
    elif kind in "US":
        encoded = _encode_text(flat.astype(str) if kind == "S" else flat)
    elif kind in "iufb":
        encoded = _encode_numbers(flat)
    else:
        raise InputError.expected(
            "labels", "text, numbers or sets", f"an array of {flat.dtype}", "convert them first"
        )
    if mask is not None and mask.any():
        encoded.codes[mask] = -1
        encoded = _keep(encoded, np.unique(encoded.codes[encoded.codes >= 0]))
    return encoded


def drop_missing_values(encoded: Encoded, missing_values: Collection[object]) -> Encoded:
    """Turn the labels that the caller calls missing into missing ratings."""
    marks = {label_key(plain(mark)) for mark in missing_values if not is_missing(mark)}
    if not marks:
        return encoded
    return _keep(encoded, [k for k, x in enumerate(encoded.labels) if label_key(x) not in marks])


def unify(columns: Sequence[Encoded]) -> tuple[list[Codes], list[object], bool]:
    """Give several columns one common list of labels."""
    position: dict[object, int] = {}
    for column in columns:
        for label in column.labels:
            position.setdefault(label_key(label), len(position))
    labels_by_key = {label_key(label): label for column in columns for label in column.labels}
    ordered = bool(columns) and all(
        column.ordered and column.labels == columns[0].labels for column in columns
    )
    found = list(labels_by_key.values())
    labels = found if ordered else in_natural_order(found)
    place = {label_key(label): k for k, label in enumerate(labels)}
    dtype = smallest_int(len(labels))
    if len(columns) == 1 and labels == columns[0].labels:
        return [columns[0].codes], labels, ordered
    codes: list[Codes] = []
    for column in columns:
        table = np.array([place[label_key(label)] for label in column.labels] + [-1], dtype=dtype)
        codes.append(table[column.codes])
    return codes, labels, ordered


def smallest_int(largest: int) -> np.dtype[Any]:
    """Return the smallest signed integer type that holds -1 .. largest."""
    for candidate in (np.int8, np.int16, np.int32):
        if largest <= np.iinfo(candidate).max:
            return np.dtype(candidate)
    return np.dtype(np.int64)


def _keep(encoded: Encoded, kept: Sequence[int] | NDArray[np.int64]) -> Encoded:
    """Keep some of the labels; ratings with any other become missing."""
    table = np.full(len(encoded.labels) + 1, -1, dtype=np.int64)
    table[kept] = np.arange(len(kept))
    return Encoded(table[encoded.codes], [encoded.labels[k] for k in kept], encoded.ordered)


def _as_array(column: Any) -> NDArray[Any]:
    """Make a one-dimensional object array without looking into sets, tuples or lists."""
    if isinstance(column, (str, bytes)) or not isinstance(column, Iterable):
        raise InputError.expected(
            "a column of labels", "a sequence", column, "pass a list, an array or a series"
        )
    values = list(column)
    array = np.empty(len(values), dtype=object)
    for place, label in enumerate(values):
        array[place] = label
    return array


def _encode_objects(values: NDArray[Any]) -> Encoded:
    place: dict[object, int] = {}
    labels: list[object] = []
    codes = np.empty(values.size, dtype=np.int64)
    for index, value in enumerate(values.tolist()):
        if is_missing(value):
            codes[index] = -1
            continue
        label = value if type(value) is str else plain(value)
        key = label if type(label) is str else label_key(label)
        code = place.get(key)
        if code is None:
            code = place[key] = len(labels)
            labels.append(label)
        codes[index] = code
    return Encoded(codes, labels)


def _encode_text(values: NDArray[np.str_]) -> Encoded:
    """Encode fixed-width text: compare label by label while there are few, else sort."""
    codes = np.full(values.size, -1, dtype=np.int64)
    labels: list[object] = []
    start = 0
    while start < values.size and len(labels) < _FEW_LABELS:
        codes[values == values[start]] = len(labels)
        labels.append(str(values[start]))
        pending = codes[start:] < 0
        start += int(np.argmax(pending)) if pending.any() else values.size - start
    if start < values.size:
        distinct, inverse = np.unique(values, return_inverse=True)
        return Encoded(inverse.astype(np.int64), [str(label) for label in distinct])
    return Encoded(codes, labels)


def _encode_numbers(values: NDArray[Any]) -> Encoded:
    if values.dtype.kind == "f":
        present = ~np.isnan(values)
        codes = np.full(values.size, -1, dtype=np.int64)
        distinct, codes[present] = _distinct_numbers(values[present])
    else:
        distinct, codes = _distinct_numbers(values)
    labels = (
        [plain(label) for label in distinct] if distinct.dtype.kind == "f" else distinct.tolist()
    )
    return Encoded(codes, labels)


def _distinct_numbers(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Return the sorted distinct numbers and each value's place among them."""
    if values.dtype.kind in "iub" and values.size:
        low, high = int(values.min()), int(values.max())
        if high - low <= max(
            4 * values.size, 1 << 16
        ):  # a look-up table is far cheaper than sorting
            shifted = values.astype(np.int64, copy=False)
            if low:
                shifted = shifted - low
            seen = np.bincount(shifted, minlength=high - low + 1) > 0
            distinct = np.flatnonzero(seen) + low
            codes = shifted if seen.all() else (np.cumsum(seen) - 1)[shifted]
            return distinct.astype(values.dtype), codes
    distinct, inverse = np.unique(values, return_inverse=True)
    return distinct, inverse.astype(np.int64)


def _encode_series(column: Any) -> Encoded | None:
    """Encode a series in its own library; None when it is not a series."""
    import sys

    module = type(column).__module__.partition(".")[0]
    if module == "pandas" and "pandas" in sys.modules:
        return _encode_pandas(column)
    if module == "polars" and "polars" in sys.modules:
        return _encode_polars(column)
    if module == "pyarrow" and "pyarrow" in sys.modules:
        return _encode_arrow(column)
    return None


def _encode_pandas(series: Any) -> Encoded:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        categories = [plain(label) for label in series.cat.categories]
        return Encoded(
            series.cat.codes.to_numpy().astype(np.int64), categories, bool(series.cat.ordered)
        )
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "iufb":
        return encode_array(series.to_numpy())
    if series.dtype == object:
        return encode_array(series.to_numpy())  # may mix types, which factorize would hide
    codes, distinct = pd.factorize(series)
    return Encoded(codes.astype(np.int64), [plain(label) for label in distinct])


def _encode_polars(series: Any) -> Encoded:
    import polars as pl

    if series.dtype == pl.Enum:
        categories = series.cat.get_categories().to_list()
        codes = series.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        return Encoded(codes, list(categories), ordered=True)
    if series.dtype in (pl.Object, pl.List):
        return encode_array(_as_array(series.to_list()))
    distinct = series.unique(maintain_order=False).drop_nulls()
    if series.dtype.is_float():
        distinct = distinct.filter(distinct.is_not_nan())
    codes = series.replace_strict(
        distinct, pl.int_range(distinct.len(), eager=True), default=-1, return_dtype=pl.Int64
    )
    return Encoded(codes.to_numpy(), [plain(label) for label in distinct.to_list()])


def _encode_arrow(column: Any) -> Encoded:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
        if isinstance(column, pa.ChunkedArray):  # no chunk at all
            column = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([])
    ordered = pa.types.is_dictionary(column.type) and bool(column.type.ordered)
    if pa.types.is_list(column.type) or pa.types.is_large_list(column.type):
        return encode_array(_as_array(column.to_pylist()))
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    codes = column.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    labels = [plain(label) for label in column.dictionary.to_pylist()]
    # Arrow keeps NaN as a value of its own.
    present = [k for k, label in enumerate(labels) if not is_missing(label)]
    return _keep(Encoded(codes, labels, ordered), present)
