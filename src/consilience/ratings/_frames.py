"""Columns out of any table: dataframes of every library, DuckDB relations, mappings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from consilience.exceptions import InputError


def columns_of(table: Any) -> dict[Any, Any] | None:
    """Return the columns of a table by name, or None when it is not a table with names."""
    if isinstance(table, Mapping):
        return dict(table)
    if type(table).__module__.partition(".")[0] in ("builtins", "numpy"):
        return None
    if type(table).__name__ == "DuckDBPyRelation":
        return _duckdb_columns(table)
    import narwhals as nw

    frame = nw.from_native(table, pass_through=True)
    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect()
    if not isinstance(frame, nw.DataFrame):
        return None
    if len(set(frame.columns)) != len(frame.columns):
        raise InputError.expected(
            "column names", "different from each other", frame.columns, "rename the columns"
        )
    return {name: frame[name].to_native() for name in frame.columns}


def _duckdb_columns(relation: Any) -> dict[Any, Any]:
    """Fetch a DuckDB relation, through Arrow where it is installed (text then stays encoded)."""
    try:
        import pyarrow  # noqa: F401
    except ImportError:
        return dict(relation.fetchnumpy())
    table = relation.to_arrow_table()
    return {name: table.column(name) for name in table.column_names}
