"""Large tables: reduced to rows where they lie, in DuckDB, in Spark, in any dataframe.

`reduce`, `reduce_files` and `truth_of_files` recognise tables as `read` does and live beside it,
above this folder; they are looked up when they are asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from consilience.core.answers import answered

if TYPE_CHECKING:
    from consilience.engine.growing_rows import add_to_rows, rows_inside
    from consilience.engine.rows_file import load_rows, merge_rows, save_rows

__all__ = [
    "add_to_rows",
    "load_rows",
    "merge_rows",
    "reduce",
    "reduce_files",
    "rows_inside",
    "save_rows",
    "truth_of_files",
]


def __getattr__(name: str) -> Any:
    if name in ("reduce", "reduce_files", "truth_of_files"):
        return getattr(import_module("consilience.io"), name)
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    home = "growing_rows" if name in ("add_to_rows", "rows_inside") else "rows_file"
    value = answered(getattr(import_module(f"consilience.engine.{home}"), name), __name__)
    globals()[name] = value
    return value
