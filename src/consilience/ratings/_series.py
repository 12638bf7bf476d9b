"""Encode a column in the dataframe library that it comes from."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.labels import is_missing, plain
from consilience.ratings.encode import Encoded, encode_array, encode_objects


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
