"""Tables that live in Python: what counts as a dataframe, and who turns one into ratings.

A coefficient may be given a dataframe, but what the columns of a dataframe are is recognised by
the readers of files, far above. So the way up is by name only, and taken when a frame comes.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

_READER = ("consilience.io._frame_table", "ratings_of_frame")
_LIBRARIES = ("pandas", "polars", "pyarrow", "duckdb", "_duckdb", "pyspark", "narwhals", "modin",
              "cudf", "dask", "ibis")  # fmt: skip
_KINDS = ("DataFrame", "LazyFrame", "Table", "DuckDBPyRelation", "RecordBatch", "Relation")


def is_frame(data: Any) -> bool:
    """Tell whether something is a dataframe of some library, or a relation of DuckDB."""
    kind = type(data)
    return kind.__name__ in _KINDS and kind.__module__.partition(".")[0] in _LIBRARIES


def ratings_of(frame: Any, *, scale: str | None = None) -> Any:
    """Return the ratings in a dataframe, recognised as a file would be."""
    module, function = _READER
    return getattr(import_module(module), function)(frame, scale=scale)
