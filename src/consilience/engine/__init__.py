"""Large tables: reduced to rows where they lie, in DuckDB, in Spark, in any dataframe.

`reduce`, `reduce_files` and `truth_of_files` recognise tables as `read` does and live beside it,
above this folder; they are looked up when they are asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.engine.rows_file import add_to_rows as add_to_rows
    from consilience.engine.rows_file import load_rows as load_rows
    from consilience.engine.rows_file import merge_rows as merge_rows
    from consilience.engine.rows_file import rows_inside as rows_inside
    from consilience.engine.rows_file import save_rows as save_rows

__getattr__ = public_names(
    __name__,
    elsewhere=dict.fromkeys(("reduce", "reduce_files", "truth_of_files"), "consilience.io"),
)
