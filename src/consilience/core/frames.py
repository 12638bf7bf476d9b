"""Tables that live in Python: what counts as a dataframe, its columns, and who makes it ratings.

A coefficient may be given a dataframe, but what the columns of a dataframe are is recognised by
the readers of files, far above. So the way up is by name only, and taken when a frame comes.
"""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from importlib import import_module
from typing import Any

from consilience.exceptions import InputError, MissingDependencyError

_READER = ("consilience.io.frames", "ratings_of_frame")
_MEASURE = ("consilience.report", "measure")
_LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb", "_duckdb", "pyspark", "narwhals", "modin",
              "cudf", "dask", "ibis")  # fmt: skip
_KINDS = ("DataFrame", "LazyFrame", "Table", "DuckDBPyRelation", "RecordBatch", "Relation")
_FAR_AWAY = ("pyspark",)  # tables on a cluster stay there, and are reduced
BACKENDS = ("pandas", "polars", "pyarrow")


def is_frame(data: Any) -> bool:
    """Tell whether something is a dataframe of some library, or a relation of DuckDB."""
    kind = type(data)
    return kind.__name__ in _KINDS and kind.__module__.partition(".")[0] in _LIBRARIES


def is_far_away(data: Any) -> bool:
    """Tell whether a table lies on a cluster, where it is reduced."""
    return type(data).__module__.partition(".")[0] in _FAR_AWAY


def is_table(data: Any) -> bool:
    """Tell whether something is a table in Python: a dataframe, columns by name, or records."""
    if isinstance(data, Mapping):
        return bool(data)
    records = isinstance(data, list) and bool(data) and all(isinstance(r, Mapping) for r in data)
    return records or is_frame(data)


def ratings_of(frame: Any, *, scale: str | None = None) -> Any:
    """Return the ratings in a dataframe, recognised as a file would be."""
    module, function = _READER
    return getattr(import_module(module), function)(frame, scale=scale)


def summary_of(data: Any) -> Any:
    """Return what `measure` says about ratings, or about each variable of a table."""
    module, function = _MEASURE
    return getattr(import_module(module), function)(data)


def columns_of(table: Any) -> dict[Any, Any] | None:
    """Return the columns of a table by name, or None when it is not a table with names.

    The columns are equally long and can be read more than once.
    """
    if isinstance(table, Mapping):
        return check_columns(dict(table))
    if type(table).__module__.partition(".")[0] in ("builtins", "numpy", "collections"):
        return None
    if type(table).__name__ == "DuckDBPyRelation":
        return _duckdb_columns(table)
    import narwhals as nw

    try:
        frame = nw.from_native(table, pass_through=True)
    except nw.exceptions.DuplicateError:
        _refuse_repeated(list(table.columns))
        raise
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        return None
    _refuse_repeated(frame.columns)
    return {name: frame.get_column(name).to_native() for name in frame.columns}


def check_columns(columns: dict[Any, Any]) -> dict[Any, Any]:
    """Return columns that are equally long and can be read more than once."""
    checked = {name: _check_column(name, column) for name, column in columns.items()}
    sizes = {name: len(column) for name, column in checked.items()}
    if len(set(sizes.values())) > 1:
        raise InputError.expected(
            "the columns", "equally long", sizes, "use None where a rating is missing"
        )
    return checked


def _check_column(name: object, column: Any) -> Any:
    no_sequence = isinstance(column, (str, bytes, Mapping, Set)) or not isinstance(column, Iterable)
    if no_sequence or getattr(column, "ndim", 1) != 1:
        raise InputError.expected(
            f"column {name!r}",
            "one label after the other",
            column,
            "pass a list, a one-dimensional array or a series",
        )
    return column if hasattr(column, "__len__") else list(column)


def _refuse_repeated(names: Sequence[Any]) -> None:
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise InputError.expected(
            "column names", "different from each other", twice[0], "rename the columns"
        )


def _duckdb_columns(relation: Any) -> dict[Any, Any]:
    """Fetch a DuckDB relation, through Arrow where it is installed (text then stays encoded)."""
    _refuse_repeated(relation.columns)
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return dict(relation.fetchnumpy())
    table = relation.to_arrow_table()
    return {name: table.column(name) for name in table.column_names}


def index_names(rows: Any) -> list[Any] | None:
    """Return the index of a frame of pandas, where it is not a plain count and names rows once."""
    if type(rows).__module__.partition(".")[0] != "pandas" or not hasattr(rows, "columns"):
        return None
    index = rows.index
    if type(index).__name__ == "RangeIndex" or not index.is_unique:
        return None
    return [" ".join(map(str, key)) if isinstance(key, tuple) else key for key in index]


def aligned(columns: Sequence[Any]) -> Sequence[Any]:
    """Bring series of pandas into one order by their index; refuse those that name other items."""
    series = [c for c in columns if type(c).__module__.partition(".")[0] == "pandas"]
    if not series or len(series) < len(columns) or not all(hasattr(c, "index") for c in series):
        return columns
    first = series[0].index
    if all(other.index.equals(first) for other in series[1:]):
        return columns
    for other in series[1:]:
        same = first.is_unique and other.index.is_unique and len(other) == len(first)
        if not same or not other.index.isin(first).all():
            raise InputError.expected(
                "series",
                "of the same items, by their index",
                f"one with {len(first):,} and one with {len(other):,} items, of which "
                f"{int(first.isin(other.index).sum()):,} are in both",
                "bring them to one index, as in a.align(b), or pass a.tolist(), b.tolist() if "
                "their order is the same",
            )
    return [series[0], *(other.reindex(first) for other in series[1:])]


def native_frame(columns: Mapping[str, Sequence[Any]], backend: str | None) -> Any:
    """Return columns as a dataframe: of the library named, else of one that is in use."""
    import narwhals as nw

    return nw.from_dict(dict(columns), backend=_library(backend)).to_native()  # type: ignore[arg-type]


def _library(backend: str | None) -> str:
    if backend is not None and backend not in BACKENDS:
        raise InputError.unknown_word("backend", backend, BACKENDS)
    wanted = [backend] if backend else sorted(BACKENDS, key=lambda name: name not in sys.modules)
    for name in wanted:
        if importlib.util.find_spec(name) is not None:
            return name
    raise MissingDependencyError.for_extra("to_frame", " or ".join(wanted))
