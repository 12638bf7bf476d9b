"""Columns out of any table: dataframes of every library, DuckDB relations, mappings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from typing import Any

from consilience.exceptions import InputError


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
