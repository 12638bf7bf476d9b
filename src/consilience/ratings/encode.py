"""Turn labels of any kind into small integer codes, where the data lives."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass
from itertools import chain
from operator import is_
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Codes, above, smallest_int
from consilience.core.labels import PLAIN, in_natural_order, is_missing, label_key, plain
from consilience.exceptions import InputError

_HEAD = 65_536
_FEW_LABELS = 64  # text arrays with at most so many labels are compared label by label


@dataclass(frozen=True, slots=True)
class Encoded:
    """One column of labels: codes (-1 is missing), the labels they stand for, stated order."""

    codes: Codes
    labels: list[object]
    ordered: bool = False

    def keeping(self, kept: Sequence[int] | NDArray[np.intp]) -> Encoded:
        """Keep some of the labels; ratings with any other become missing."""
        if len(kept) == len(self.labels):
            return self
        table = np.full(len(self.labels) + 1, -1, dtype=np.int64)
        table[kept] = np.arange(len(kept))
        return Encoded(table[self.codes], [self.labels[k] for k in kept], self.ordered)

    def without(self, marks: Set[Hashable]) -> Encoded:
        """Turn the labels that the caller calls missing into missing ratings."""
        if not marks:
            return self
        return self.keeping([k for k, x in enumerate(self.labels) if label_key(x) not in marks])

    def used(self) -> Encoded:
        """Forget labels that no rating has."""
        return self.keeping(np.flatnonzero(_tally(self.codes, len(self.labels))))


def encode(column: Any, *, marks: Set[Hashable] = frozenset()) -> Encoded:
    """Encode one column: a numpy array, a series of any dataframe library, or a sequence."""
    encoded = encode_series(column)
    if encoded is None:
        encoded = encode_array(column) if isinstance(column, np.ndarray) else encode_objects(column)
    return encoded.without(marks)


def encode_array(array: NDArray[Any]) -> Encoded:
    """Encode a numpy array, row by row; masked entries, None, NaN and NaT are missing."""
    if isinstance(array, np.ma.MaskedArray):
        mask = np.ma.getmaskarray(array).reshape(-1)
        encoded = encode_array(array.data)
        codes = np.where(mask, -1, encoded.codes) if mask.any() else encoded.codes
        return Encoded(codes, encoded.labels).used()
    flat = np.asarray(array).reshape(-1)
    kind = flat.dtype.kind
    if kind in "OT":
        return encode_objects(flat.tolist())
    if kind in "US":
        return _encode_text(_decoded(flat))
    if kind in "iub":
        return _encode_integers(flat)
    if kind in "fmM":
        return _encode_sorted(flat, np.isnan(flat) if kind == "f" else np.isnat(flat))
    raise InputError.expected(
        "labels", "text, numbers or sets", f"an array of {flat.dtype}", "convert them first"
    )


def encode_objects(values: Any) -> Encoded:
    """Encode a sequence of Python objects, in order of first appearance."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable):
        raise InputError.expected(
            "a column of labels", "a sequence", values, "pass a list, an array or a series"
        )
    values = values if isinstance(values, list) else list(values)
    if _are_plain(values):
        return _encode_plain(values)
    place: dict[Hashable, int] = {}
    labels: list[object] = []
    codes: list[int] = []
    for value in values:
        if is_missing(value):
            codes.append(-1)
            continue
        label = plain(value)
        code = place.setdefault(label_key(label), len(labels))
        if code == len(labels):
            labels.append(label)
        codes.append(code)
    return Encoded(np.array(codes, dtype=np.int64), labels)


def _encode_plain(values: list[Any]) -> Encoded:
    """Encode labels that are their own keys: a value that is new gets the next number."""
    code_of: defaultdict[Any, int] = defaultdict()
    code_of.default_factory = code_of.__len__
    code_of[None]  # is the first, whether it occurs or not
    codes = np.fromiter(map(code_of.__getitem__, values), dtype=np.int64, count=len(values))
    codes -= 1
    return Encoded(codes, [plain(label) for label in code_of if label is not None])


def _are_plain(values: list[Any]) -> bool:
    """Tell whether labels are text, integers, or sets of them: those are looked up as they are."""
    kinds = set(map(type, values))
    if not kinds <= PLAIN | {frozenset, type(None)}:
        return False
    if frozenset not in kinds:
        return True
    sets = values
    if len(kinds) > 1:
        sets = [value for value in values if type(value) is frozenset]
    return set(map(type, chain.from_iterable(sets))) <= PLAIN


def unify(columns: Sequence[Encoded]) -> tuple[list[Codes], list[object], bool]:
    """Give several columns one common list of labels."""
    keys = [[label_key(label) for label in column.labels] for column in columns]
    found: dict[Hashable, object] = {}
    for column, own in zip(columns, keys, strict=True):
        for key, label in zip(own, column.labels, strict=True):
            found.setdefault(key, label)
    ordered = bool(columns) and all(
        column.ordered and column.labels == columns[0].labels for column in columns
    )
    labels = list(found.values()) if ordered else in_natural_order(found.values())
    kept = len(columns) == 1 and all(map(is_, labels, columns[0].labels))
    if kept and len(labels) == len(columns[0].labels):
        return [columns[0].codes], labels, ordered
    place = {label_key(label): k for k, label in enumerate(labels)}
    dtype = smallest_int(len(labels))
    codes: list[Codes] = []
    for column, own in zip(columns, keys, strict=True):
        new_code = [place[key] for key in own]
        codes.append(np.array([*new_code, -1], dtype=dtype)[column.codes])
    return codes, labels, ordered


def _tally(codes: Codes, n_labels: int) -> NDArray[np.intp]:
    return np.bincount(above(codes, -1), minlength=n_labels + 1)[1:]


def _decoded(values: NDArray[Any]) -> NDArray[np.str_]:
    try:
        return values.astype(str)
    except UnicodeDecodeError as error:
        raise InputError.expected(
            "labels given as bytes", "ASCII text", error.object, "decode them first"
        ) from None


def _encode_text(values: NDArray[np.str_]) -> Encoded:
    """Encode fixed-width text in order of appearance: label by label if few, else by sorting."""
    codes = np.full(values.size, -1, dtype=np.int64)
    labels: list[object] = []
    start = 0
    while start < values.size and len(labels) < _FEW_LABELS:
        codes[values == values[start]] = len(labels)
        labels.append(str(values[start]))
        pending = codes[start:] < 0
        start += int(np.argmax(pending)) if pending.any() else values.size - start
    if start < values.size:
        distinct, first, inverse = np.unique(values, return_index=True, return_inverse=True)
        order = np.argsort(first)
        return Encoded(np.argsort(order)[inverse], [str(label) for label in distinct[order]])
    return Encoded(codes, labels)


def _encode_integers(values: NDArray[Any]) -> Encoded:
    """Encode integers in their order; a look-up table is far cheaper than sorting."""
    low, high = (int(values.min()), int(values.max())) if values.size else (0, 0)
    if high - low > max(4 * values.size, 1 << 16):
        return _encode_sorted(values, None)
    shifted = above(values, low)
    seen = np.bincount(shifted[:_HEAD], minlength=high - low + 1) > 0
    if not seen.all():  # the first ones hardly ever leave a number out that comes later
        seen |= np.bincount(shifted[_HEAD:], minlength=seen.size) > 0
    labels: list[object] = [low + k for k in np.flatnonzero(seen).tolist()]
    if values.dtype.kind == "b":
        labels = [bool(label) for label in labels]
    return Encoded(shifted if seen.all() else (np.cumsum(seen) - 1)[shifted], labels)


def _encode_sorted(values: NDArray[Any], missing: NDArray[np.bool_] | None) -> Encoded:
    codes = np.full(values.size, -1, dtype=np.int64)
    present = slice(None) if missing is None else ~missing
    distinct, codes[present] = np.unique(values[present], return_inverse=True)
    return Encoded(codes, [plain(label) for label in distinct])


# ---- Encode a column in the dataframe library that it comes from.


def encode_series(column: Any) -> Encoded | None:
    """Encode a series; None when it is not one of a library that is known here."""
    library = _library(column)
    if library is None:
        return None
    integers = integers_of(column)
    if integers is not None:
        return encode_array(integers)
    return {"pandas": _encode_pandas, "polars": _encode_polars, "pyarrow": _encode_arrow}[library](
        column
    )


def integers_of(column: Any) -> NDArray[Any] | None:
    """Return a column of integers without gaps as an array, as cheaply as its library can."""
    library = _library(column)
    whole = False
    if library == "pyarrow":
        import pyarrow as pa

        whole = pa.types.is_integer(column.type) and not column.null_count
    elif library == "polars":
        whole = column.dtype.is_integer() and not column.null_count()
    elif library == "pandas" or isinstance(column, np.ndarray):
        whole = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu"
    if not whole or np.ma.is_masked(column):
        return None
    return np.asarray(column if library is None else column.to_numpy())


def _library(column: Any) -> str | None:
    library = type(column).__module__.partition(".")[0]
    return (
        library if library in ("pandas", "polars", "pyarrow") and library in sys.modules else None
    )


def _encode_pandas(series: Any) -> Encoded:
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        dtype = series.dtype
        codes = np.asarray(series.cat.codes if hasattr(series, "cat") else series.codes)
        encoded = Encoded(codes, [plain(x) for x in dtype.categories], bool(dtype.ordered))
        return encoded if encoded.ordered else encoded.used()
    if isinstance(series.dtype, np.dtype) and series.dtype.kind in "fbO":
        return encode_array(series.to_numpy())  # objects may mix types, which factorize would hide
    codes, distinct = pd.factorize(series)
    return Encoded(codes.astype(np.int64), [plain(label) for label in distinct])


def _encode_polars(series: Any) -> Encoded:
    import polars as pl

    if series.dtype == pl.Enum:
        codes = series.to_physical().cast(pl.Int64).fill_null(-1).to_numpy()
        return Encoded(codes, series.dtype.categories.to_list(), ordered=True)
    if series.dtype == pl.Object or series.dtype.is_nested():
        return encode_objects(series.to_list())
    distinct = series.unique(maintain_order=True).drop_nulls()
    if series.dtype.is_float():
        distinct = distinct.filter(distinct.is_not_nan())
    codes = series.replace_strict(
        distinct, pl.int_range(distinct.len(), eager=True), default=-1, return_dtype=pl.Int64
    )
    return Encoded(codes.to_numpy(), [plain(label) for label in distinct.to_list()])


def _encode_arrow(column: Any) -> Encoded:
    import pyarrow as pa

    if isinstance(column, pa.ChunkedArray):
        column = column.unify_dictionaries().combine_chunks()
    if isinstance(column, pa.ChunkedArray):  # no chunk at all
        column = pa.array([], column.type)
    if not pa.types.is_dictionary(column.type):
        try:
            column = column.dictionary_encode()
        except pa.ArrowNotImplementedError:  # lists and structs
            return encode_objects(column.to_pylist())
    indices = column.indices.cast(pa.int64()).fill_null(-1)
    labels = [plain(label) for label in column.dictionary.to_pylist()]
    encoded = Encoded(indices.to_numpy(zero_copy_only=False), labels, bool(column.type.ordered))
    # Arrow keeps NaN as a value of its own.
    encoded = encoded.keeping([k for k, label in enumerate(labels) if not is_missing(label)])
    return encoded if encoded.ordered else encoded.used()
