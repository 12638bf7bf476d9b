"""The way in: dataframes of any library and files become ratings that know distinct items only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Any

from consilience.engine._table_reduction import reduced
from consilience.exceptions import InputError
from consilience.ratings import Ratings

_ENGINES = ("duckdb", "spark")


def reduce(
    frame: Any,
    *,
    item: str = "item",
    rater: str = "rater",
    label: str = "label",
    scale: str = "nominal",
    categories: Iterable[object] | None = None,
    missing_values: Collection[object] = (),
) -> Ratings:
    """Reduce a long table to distinct items where it lies; nothing is converted whole.

    Use it where the ratings are many: a polars lazy frame, a DuckDB relation, a PySpark dataframe,
    a pyarrow dataset or table, pandas. Only distinct items and their numbers travel. What comes
    back measures like any `Ratings`, except that items have no names.

    Parameters
    ----------
    frame : dataframe of any library that narwhals knows, or a DuckDB relation
    item, rater, label : names of the columns
    scale, categories, missing_values
        As in `Ratings.from_long`.

    Returns
    -------
    Ratings
        By rater where raters are up to about eighty; for crowds, counts per label.

    Raises
    ------
    InputError
        A column is missing, or a rater rated an item twice.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"item": [1, 1, 2, 2], "rater": list("abab"), "label": list("xxxy")})
    >>> reduce(frame)
    Ratings(2 items × 2 raters, 4 ratings, 2 categories, nominal)
    """
    backend = _backend(frame, item=item, rater=rater, label=label, missing_values=missing_values)
    return reduced(backend, scale=scale, categories=categories)


def _backend(frame: Any, *, missing_values: Collection[object], **columns: str) -> Any:
    from consilience.engine._dataframes import FrameTable

    kind = type(frame).__module__.partition(".")[0]
    if kind == "pyarrow" and hasattr(frame, "scanner"):  # a dataset: DuckDB streams it
        import duckdb

        with_duckdb = duckdb.connect(":memory:")
        with_duckdb.register("dataset_", frame)
        frame = with_duckdb.table("dataset_")
    try:
        return FrameTable(frame, missing_values=missing_values, **columns)
    except TypeError:
        raise InputError.expected(
            "frame",
            "a dataframe",
            type(frame).__name__,
            "pass a pandas, polars, pyarrow, PySpark or DuckDB table",
        ) from None


def reduce_files(
    paths: Sequence[Any] | Any,
    *,
    engine: str = "duckdb",
    master: str | None = None,
    memory_limit: str | None = None,
    spill_folder: Any = None,
    item: str = "item",
    rater: str = "rater",
    label: str = "label",
    **options: Any,
) -> Ratings:
    """Reduce long files (Parquet, CSV, TSV, JSONL; several, globs, hive folders) to distinct items.

    Parameters
    ----------
    paths : path, glob or list of them
    engine : {"duckdb", "spark"}
    master : Spark's master, for example "local[2]" or "spark://host:7077"
    memory_limit : such as "1GB"; DuckDB then spills to `spill_folder`
    spill_folder : folder for what does not fit, default one that is removed afterwards
    item, rater, label : names of the columns
    **options
        ``scale``, ``categories``, ``missing_values`` as in `reduce`.

    Returns
    -------
    Ratings
    """
    several = isinstance(paths, Sequence) and not isinstance(paths, str)
    names = [str(path) for path in (paths if several else [paths])]
    columns = {"item": item, "rater": rater, "label": label}
    if engine == "spark":
        from consilience.engine._spark import reduce_with_spark

        return reduce_with_spark(names, master=master, **columns, **options)
    if engine != "duckdb":
        raise InputError.unknown_word("engine", engine, _ENGINES)
    from consilience.engine._reduced_files import reduce_with_duckdb

    return reduce_with_duckdb(
        names, memory_limit=memory_limit, spill_folder=spill_folder, **columns, **options
    )
