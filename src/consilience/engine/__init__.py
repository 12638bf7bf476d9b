"""Large tables: reduced to rows where they lie, in DuckDB, in Spark, in any dataframe."""

from __future__ import annotations

from consilience.engine._api import reduce, reduce_files
from consilience.engine.rows_file import load_rows, merge_rows, save_rows

__all__ = ["load_rows", "merge_rows", "reduce", "reduce_files", "save_rows"]
