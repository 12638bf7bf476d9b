"""Dataframes and relations as tables: the same recogniser, cleaning and account as for files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from consilience.core.cell_values import clean_value
from consilience.core.database import Session
from consilience.core.frames import aligned, check_columns
from consilience.exceptions import InputError
from consilience.io.table import Kind, Table
from consilience.ratings import Ratings

WHERE = "the frame"
_EXACT = 2**53  # from here on floats leave out whole numbers


@dataclass
class _Columns:
    """A frame taken apart: names, columns, and what the frame says about itself."""

    names: list[str] = field(default_factory=list)
    columns: list[Any] = field(default_factory=list)
    n_index: int = 0
    columns_name: str = ""
    orders: dict[str, tuple[str, ...]] = field(default_factory=dict)


def load_frame(session: Session, frame: Any) -> Table:
    """Show a frame to DuckDB as a table with columns c0, c1, ..."""
    parts = _taken_apart(frame)
    _check(parts)
    arrays = {f"c{j}": _array(column) for j, column in enumerate(parts.columns)}
    n_rows = len(next(iter(arrays.values())))
    relation, view = session.new_name("cells"), session.new_name("frame")
    session.show(view, arrays)
    session.run(f"CREATE TEMP TABLE {relation} AS SELECT * FROM {view}")
    return Table(
        session=session,
        relation=relation,
        names=tuple(parts.names),
        kinds=tuple(_kind(array) for array in arrays.values()),
        row="rowid",
        n_rows=n_rows,
        paths=(),
        format="frame",
        is_text=False,
        locate=lambda row: f"{WHERE}, row {row}",
        n_index=parts.n_index,
        columns_name=parts.columns_name,
        orders=parts.orders,
        scales=dict.fromkeys(parts.orders, "ordinal"),
    )


def ratings_of_frame(frame: Any, *, scale: str | None = None) -> Ratings:
    """Return the ratings in a frame that was given to a coefficient."""
    from consilience.io._read import read

    ratings: Ratings = read(frame, scale=scale)
    return ratings


def _taken_apart(frame: Any) -> _Columns:
    if isinstance(frame, list):
        names = dict.fromkeys(name for record in frame for name in record)
        frame = {name: [record.get(name) for record in frame] for name in names}
    if isinstance(frame, Mapping):
        return _from_mapping(frame)
    if type(frame).__module__.partition(".")[0] == "pandas":
        return _from_pandas(frame)
    return _from_any(frame)


def _from_mapping(columns: Mapping[Any, Any]) -> _Columns:
    """Take columns by name; series of pandas go together by their index, which names the rows."""
    names, given = list(columns), list(aligned(list(check_columns(dict(columns)).values())))
    if all(_is_series(column) for column in given):
        import pandas as pd

        return _from_pandas(pd.DataFrame(dict(zip(names, given, strict=True))))
    return _Columns([str(name) for name in names], given)


def _is_series(column: Any) -> bool:
    return type(column).__module__.partition(".")[0] == "pandas" and hasattr(column, "index")


def _from_pandas(frame: Any) -> _Columns:
    """Take a frame of pandas apart; an index that is not a plain count names the rows."""
    parts = _Columns(columns_name=_joined(frame.columns.names))
    index = frame.index
    is_count = index.nlevels == 1 and type(index).__name__ == "RangeIndex" and index.name is None
    is_count = is_count and index.start == 0 and index.step == 1
    if not is_count:
        parts.n_index = index.nlevels
        parts.names += ["" if name is None else str(name) for name in index.names]
        parts.columns += [index.get_level_values(k) for k in range(index.nlevels)]
    for k, name in enumerate(frame.columns):
        series = frame.iloc[:, k]
        text = " / ".join(map(str, name)) if isinstance(name, tuple) else str(name)
        parts.names.append(text)
        parts.columns.append(series)
        categories = getattr(series.dtype, "categories", None)
        if categories is not None and series.dtype.ordered:
            parts.orders[text] = tuple(str(one) for one in categories)
    return parts


def _joined(names: Sequence[Any]) -> str:
    return " / ".join(str(name) for name in names if name is not None)


def _from_any(frame: Any) -> _Columns:
    """Take a frame of any library that narwhals knows apart, or a relation of DuckDB."""
    if "duckdb" in type(frame).__module__:
        fetched = frame.fetchnumpy()
        return _Columns([str(n) for n in frame.columns], [fetched[n] for n in fetched])
    import narwhals as nw

    eager = nw.from_native(frame)
    if isinstance(eager, nw.LazyFrame):
        eager = eager.collect()
    parts = _Columns([str(name) for name in eager.columns])
    for name in eager.columns:
        series = eager.get_column(name)
        parts.columns.append(series)
        if series.dtype == nw.Enum:
            parts.orders[str(name)] = tuple(series.cat.get_categories().to_list())
    return parts


def _check(parts: _Columns) -> None:
    if not parts.columns or not len(parts.columns[0]):
        raise InputError.expected("the frame", "filled with ratings", "no rows", "check it")
    twice = [name for name in parts.names if parts.names.count(name) > 1]
    if twice:
        raise InputError.expected(
            "column names", "different from each other", twice[0], "rename one of them"
        )
    sizes = {len(column) for column in parts.columns}
    if len(sizes) > 1:
        raise InputError.expected(
            "the columns", "equally long", sorted(sizes), "use None where a rating is missing"
        )


def _array(column: Any) -> Any:
    """Return a column that DuckDB can look at: numbers as they are, all else as text."""
    dtype = getattr(column, "dtype", None)
    if isinstance(dtype, np.dtype) and dtype.kind in "iufb" and not np.ma.is_masked(column):
        return np.asarray(column)
    listed = [clean_value(cell) for cell in _listed(column)]
    given = [cell for cell in listed if cell is not None]
    if given and all(isinstance(cell, bool) for cell in given):
        return np.array([None if c is None else str(c).lower() for c in listed], dtype=object)
    if given and all(isinstance(cell, (int, float)) for cell in given):
        exact = [cell for cell in given if isinstance(cell, int) and abs(cell) >= _EXACT]
        if exact:  # long identifiers: a float would make one of several
            return np.array([None if c is None else str(c) for c in listed], dtype=object)
        whole = all(float(cell).is_integer() and abs(cell) < _EXACT for cell in given)
        if whole and len(given) == len(listed):
            return np.array(listed, dtype=np.int64)
        return np.array([np.nan if c is None else c for c in listed], dtype=np.float64)
    return np.array([None if cell is None else _text(cell) for cell in listed], dtype=object)


def _listed(column: Any) -> list[Any]:
    if isinstance(column, np.ma.MaskedArray):
        return [
            None if masked else cell
            for cell, masked in zip(column.data.tolist(), np.ma.getmaskarray(column), strict=True)
        ]
    for way in ("to_list", "to_pylist", "tolist"):
        if hasattr(column, way):
            return list(getattr(column, way)())
    return list(column)


def _text(cell: Any) -> str:
    if isinstance(cell, (set, frozenset)):
        return str(sorted(map(str, cell)))
    return str(list(cell)) if isinstance(cell, tuple) else str(cell)


def _kind(array: Any) -> Kind:
    return "text" if array.dtype.kind == "O" else "boolean" if array.dtype.kind == "b" else "number"
