"""Large tables: files, dataframes and Spark, reduced to distinct items by the one reducer.

Files in DuckDB are read as `load` reads them, only that the reduction is asked for, whatever the
size. Dataframes and Spark's tables stay where they lie; which column is what is recognised from
their first rows, by the recogniser of files. Models of the truth are fitted to either.
"""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from consilience.core.cell_values import clean_value
from consilience.core.database import Session, identifier, open_database, quoted
from consilience.core.input_files import Said
from consilience.core.options import READING, ReadingOptions, written_out
from consilience.core.output_files import check_target, written_beside
from consilience.engine.backend import Reduced, Vocabulary, Wanted
from consilience.engine.dataframes import FrameTable
from consilience.engine.duckdb_engine import DuckTable, RatingFiles
from consilience.engine.table_reduction import looked_through, reduced
from consilience.exceptions import InputError
from consilience.io._read import Loaded, opened
from consilience.io.building._bookkeeping import Job, RowCount, account_of, columns_by_role
from consilience.io.building._build_ratings import wanted_of
from consilience.io.grids.delimited import load_scratch, write_scratch
from consilience.io.layout.recognise import recognise
from consilience.io.layout.table_sample import Candidate, Layout
from consilience.io.options import Request, refuse_cluster, request_of
from consilience.io.reading_account import REDUCED, Reading
from consilience.io.table import SAMPLE_ROWS, Table
from consilience.latent.out_of_core import (
    TruthElsewhere,
    VotesInParts,
    fit_elsewhere,
    truth_elsewhere,
)
from consilience.ratings import Ratings

ENGINES = ("duckdb", "spark")
_SIZE = re.compile(r"\s*\d+(\.\d+)?\s*([kmgt]i?b?|b|bytes)\s*", re.IGNORECASE)


def reduce(
    frame: Any,
    *,
    item: str | None = None,
    rater: str | None = None,
    label: str | None = None,
    scale: str | None = None,
    categories: Iterable[object] | None = None,
    missing_values: Collection[object] = (),
) -> Ratings:
    """Reduce a long table to distinct items where it lies; nothing is converted whole.

    Use it where the ratings are many: a polars lazy frame, a DuckDB relation, a PySpark dataframe,
    a pyarrow dataset or table, pandas. Only distinct items and their numbers travel. Cells are
    cleaned as in files: blanks around them are cut, and an empty one is missing. What comes back
    measures like any `Ratings`, except that items have no names.

    Parameters
    ----------
    frame : dataframe of any library that narwhals knows, DuckDB relation, dict of columns or list
        of dicts
    item, rater, label : names of the columns, recognised where they are left out
    scale, categories, missing_values
        As in `read`.

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
    request = request_of(
        shape="long",
        item=item,
        rater=rater,
        label=label,
        scale=scale,
        categories=categories,
        missing_values=missing_values,
    )
    return _reduced_frame(_as_frame(frame), request, ("a dataframe",), "frame").ratings


@written_out(ReadingOptions, READING)
def reduce_files(
    paths: Sequence[Any] | Any,
    *,
    engine: str = "duckdb",
    master: str | None = None,
    memory_limit: str | None = None,
    spill_folder: Any = None,
    **options: Unpack[ReadingOptions],
) -> Ratings:
    """Reduce files of any size to distinct items; several files, globs and hive folders as well.

    Parameters
    ----------
    paths : path, glob or list of them
    engine : {"duckdb", "spark"}
    master : Spark's master, for example "local[2]" or "spark://host:7077"
    memory_limit : such as "1GB"; DuckDB then spills to `spill_folder`
    spill_folder : folder for what does not fit, default one that is removed afterwards
    item, rater, label : where they are not to be recognised
    scale, categories, missing_values, ...
        As for `read`.

    Returns
    -------
    Ratings

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "codes.csv"
    >>> _ = path.write_text("unit,coder,code\\n1,Ann,yes\\n1,Bob,yes\\n2,Ann,no\\n2,Bob,yes\\n")
    >>> reduce_files(path)
    Ratings(2 items × 2 raters, 4 ratings, 2 categories, nominal)
    """
    return load_reduced(
        paths,
        engine=engine,
        master=master,
        memory_limit=memory_limit,
        spill_folder=spill_folder,
        **options,
    ).ratings


@written_out(ReadingOptions, READING)
def load_reduced(
    paths: Sequence[Any] | Any,
    *,
    engine: str = "duckdb",
    master: str | None = None,
    memory_limit: str | None = None,
    spill_folder: Any = None,
    **options: Unpack[ReadingOptions],
) -> Loaded:
    """Reduce files and keep the account of how they were understood.

    Parameters
    ----------
    paths, engine, master, memory_limit, spill_folder, item, rater, label, ...
        As for `reduce_files`.

    Returns
    -------
    Loaded

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "codes.csv"
    >>> _ = path.write_text("unit,coder,code\\n1,Ann,yes\\n1,Bob,yes\\n2,Ann,no\\n2,Bob,yes\\n")
    >>> load_reduced(path).reading.shape
    'long'
    """
    names = _names(paths)
    if engine == "spark":
        from consilience.engine.spark import on_spark

        options["shape"] = "long"
        request = request_of(**options)
        refuse_cluster(request, ", ".join(names), "an engine")
        with on_spark(names, master) as frame:
            return _reduced_frame(frame, request, tuple(names), "spark")
    check_engine(engine, memory_limit, spill_folder)
    request = request_of(**options)
    refuse_cluster(request, ", ".join(names), "an engine")
    request = _in_database(request, names, memory_limit, spill_folder)
    request = replace(request, items="forget", engine=True)
    files = {name: expanded(name) for name in names}
    with opened([path for found in files.values() for path in found], request) as file:
        loaded = file.loaded
    return _with_patterns_told(loaded, files)


def _with_patterns_told(loaded: Loaded, files: Mapping[str, Sequence[str]]) -> Loaded:
    """Say which names were taken for patterns: no file is called so."""
    told = [
        f"no file is called {name}: a pattern, for {len(found):,} files"
        for name, found in files.items()
        if list(found) != [name] and not os.path.isdir(name)
    ]
    if not told:
        return loaded
    reading = replace(loaded.reading, evidence=(*loaded.reading.evidence, *told))
    groups = {name: ratings.read_as(reading) for name, ratings in loaded.groups.items()}
    return replace(loaded, groups=groups, reading=reading)


def _names(paths: Sequence[Any] | Any) -> list[str]:
    several = isinstance(paths, Sequence) and not isinstance(paths, str)
    return [str(path) for path in (paths if several else [paths])]


def _in_database(
    request: Request, names: Sequence[str], memory_limit: str | None, spill_folder: Any
) -> Request:
    """Return the same for a database with limits, which reads folders such as day=1 as columns."""
    return replace(
        request,
        folders_are_columns=any(os.path.isdir(one) for one in names),
        memory_limit=memory_limit,
        spill_folder=spill_folder,
    )


def check_engine(engine: str, memory_limit: str | None, spill_folder: Any) -> None:
    """Refuse an unknown engine, and limits that make no sense."""
    if engine != "duckdb":
        raise InputError.unknown_word("engine", engine, ENGINES)
    if memory_limit is not None and not _SIZE.fullmatch(str(memory_limit)):
        raise InputError.expected(
            "memory_limit", "a number with its unit", memory_limit, "write it like 512MB or 2GB"
        )
    if spill_folder is not None and not os.access(spill_folder, os.W_OK | os.X_OK):
        raise InputError.expected(
            "spill_folder", "a folder that can be written to", str(spill_folder), "create it first"
        )


def expanded(name: str) -> list[str]:
    """Return the files that a pattern stands for, or that lie in folders such as day=1."""
    path = Path(name)
    if path.is_dir():
        inside = sorted(str(p) for p in path.rglob("*") if p.is_file() and p.name[0] not in "._")
        parts = [p for p in inside if "=" in str(Path(p).parent.relative_to(path))]
        return parts or [name]
    if path.exists() or not any(sign in name for sign in "*?["):
        return [name]
    found = sorted(glob.glob(name, recursive=True))
    if not found:
        raise InputError.expected("the file", "there", name, "check the path")
    return found


# ---- dataframes


def _as_frame(frame: Any) -> Any:
    """Return what narwhals can take; plain columns and datasets are shown to DuckDB."""
    is_rows = isinstance(frame, Sequence) and len(frame) and isinstance(frame[0], Mapping)
    if is_rows:
        names = dict.fromkeys(name for row in frame for name in row)
        frame = {name: [row.get(name) for row in frame] for name in names}
    kind = type(frame).__module__.partition(".")[0]
    if not isinstance(frame, Mapping) and not (kind == "pyarrow" and hasattr(frame, "scanner")):
        return frame
    connection = open_database()
    if isinstance(frame, Mapping):
        if not frame or any(
            isinstance(c, str) or not hasattr(c, "__iter__") for c in frame.values()
        ):
            raise InputError.expected(
                "frame", "a dataframe or a dict of columns", frame, "give each column as a list"
            )
        frame = {str(name): _column(cells) for name, cells in frame.items()}
    connection.register("table_", frame)
    return connection.table("table_")


def _column(cells: Any) -> Any:
    """Return a column that DuckDB can look at: numbers as they are, all else as text."""
    listed = [clean_value(cell) for cell in cells]
    given = [cell for cell in listed if cell is not None]
    if given and all(isinstance(cell, (int, float)) for cell in given):
        whole = all(isinstance(cell, int) for cell in given) and len(given) == len(listed)
        return np.array([np.nan if c is None else c for c in listed], dtype=int if whole else float)
    return np.array([None if cell is None else str(cell) for cell in listed], dtype=object)


def _reduced_frame(frame: Any, request: Request, sources: tuple[str, ...], how: str) -> Loaded:
    with Session(sources[0]) as session:
        table, columns = first_rows(session, frame, sources)
        candidate, others, wanted = understood(table, request, "a table that is reduced")
        backend = _backend(frame, columns, candidate.layout)
        found = reduced(backend, wanted)
        assert found is not None
        reading = _reading(table, candidate, others, found, how)
    return Loaded({None: found.ratings.read_as(reading)}, reading)


def _backend(frame: Any, columns: Sequence[Any], layout: Layout) -> FrameTable:
    item, rater, label = (columns[role[0]] for role in (layout.item, layout.rater, layout.label))
    return FrameTable(frame, item=item, rater=rater, label=label)


def understood(
    table: Table, request: Request, what: str
) -> tuple[Candidate, tuple[str, ...], Wanted]:
    """Recognise a long table whose ratings stay where they lie, and say how labels are read."""
    candidate, others = recognise(table, request)
    layout = candidate.layout
    roles = (layout.item, layout.rater, layout.label)
    if layout.shape != "long" or any(len(role) != 1 for role in roles) or layout.by:
        raise InputError.expected(
            what,
            "long, with one column each for item, rater and label",
            Said(f"a {layout.shape} table"),
            "name them with item=, rater= and label=",
        )
    content = request.with_proposals(table, layout).of(table.names[layout.label[0]])
    return candidate, others, wanted_of(content, table)


def load_reduced_frame(frame: Any, request: Request) -> Loaded:
    """Reduce a table on a cluster as a checked request says."""
    refuse_cluster(request, "the frame", "a frame that is elsewhere")
    request = replace(request, shape="long")
    return _reduced_frame(frame, request, ("a dataframe",), "spark")


def first_rows(session: Session, frame: Any, sources: Sequence[str]) -> tuple[Table, list[Any]]:
    """Show the first rows of a dataframe to the recogniser of files."""
    import narwhals as nw

    try:
        head = nw.from_native(frame).lazy().head(SAMPLE_ROWS).collect()
    except TypeError:
        raise InputError.expected(
            "frame",
            "a dataframe",
            type(frame).__name__,
            "pass a pandas, polars, pyarrow, PySpark or DuckDB table",
        ) from None
    columns = list(head.columns)
    rows = [[_text(cell) for cell in row] for row in head.iter_rows()]
    if not any(any(row) for row in rows):
        raise InputError.expected("the table", "filled with ratings", "none", "check the columns")
    paths = [Path(sources[0])]
    table = load_scratch(
        session,
        [write_scratch(session, [str(name) for name in columns], rows)],
        paths,
        format="frame",
        header=True,
        locate=lambda row: f"{sources[0]}, row {row + 1}",
        evidence=(),
    )
    return table, columns


def _text(cell: Any) -> str:
    cell = clean_value(cell)
    return "" if cell is None else str(cell)


def _reading(
    table: Table, candidate: Candidate, others: Sequence[str], found: Reduced, how: str
) -> Reading:
    checked = found.checked
    rows = RowCount(
        empty=checked.n_blank_rows,
        marked=checked.n_marked,
        unrated=checked.n_rows - checked.n_rated - checked.n_marked - checked.n_blank_rows,
    )
    whole = replace(table, n_rows=checked.n_rows)
    job = Job(whole, candidate.layout, Request(), {None: found.ratings}, rows=rows)
    return Reading(
        sources=tuple(map(str, table.paths)),
        format=how,
        shape="long",
        columns=columns_by_role(table, candidate.layout),
        n_rows=checked.n_rows,
        evidence=(*candidate.evidence, *found.evidence, f"{REDUCED} ({how})"),
        alternatives=tuple(others),
        notes=found.ratings.notes,
        account=account_of(whole, candidate.layout, job, aside=candidate.aside),
        seen=candidate.seen,
    )


# ---- models of the truth for files of any size: ratings stay on disk, or on Spark

_FITTED = "a table that is fitted where it lies"


@written_out(ReadingOptions, READING)
def truth_of_files(
    paths: Sequence[Any] | Any,
    *,
    model: str = "dawid-skene",
    smoothing: float = 0.0,
    tolerance: float = 1e-8,
    max_iterations: int = 1000,
    save_labels: Any = None,
    existing: str = "refuse",
    engine: str = "duckdb",
    master: str | None = None,
    memory_limit: str | None = None,
    spill_folder: Any = None,
    **options: Unpack[ReadingOptions],
) -> TruthElsewhere:
    """Fit Dawid-Skene, one-coin or MACE to files of any size; ratings are never held at once.

    Each iteration is a pass over the ratings, sorted by item on disk (DuckDB) or kept by the
    cluster (Spark); only tables of raters × labels × labels are held here.

    Parameters
    ----------
    paths : path, glob or list of them, of long tables
    model : {"dawid-skene", "one-coin", "mace"}
    smoothing : float
        Ratings added to every cell, as in `dawid_skene`.
    tolerance, max_iterations
        Stop when the objective gains less than this, or after so many iterations.
    save_labels : path, optional
        Write each item with its most probable label and the probabilities, as Parquet.
    existing : {"refuse", "replace"}
        What to do with such a file that is there already.
    engine, master, memory_limit, spill_folder
        As for `reduce_files`.
    item, rater, label, ... : as for `read`

    Returns
    -------
    TruthElsewhere

    Examples
    --------
    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "codes.csv"
    >>> said = lambda i, r: "yn"[(i + (r == "c") * (i % 3 == 0)) % 2]
    >>> rows = [f"{i},{r},{said(i, r)}" for i in range(9) for r in "abc"]
    >>> _ = path.write_text("item,rater,label\\n" + "\\n".join(rows))
    >>> [round(one.accuracy, 2) for one in truth_of_files(path).raters]
    [1.0, 1.0, 0.67]
    """
    settings = {
        "model": model,
        "smoothing": smoothing,
        "tolerance": tolerance,
        "max_iterations": max_iterations,
    }
    if save_labels is not None:
        check_target(save_labels, existing)
    names = _names(paths)
    options["shape"] = "long"
    request = request_of(**options)
    if engine == "spark":
        return _on_spark(names, master, request, settings, save_labels)
    check_engine(engine, memory_limit, spill_folder)
    request = _in_database(request, names, memory_limit, spill_folder)
    with opened([path for name in names for path in expanded(name)], request) as file:
        return _in_duckdb(file.table, request, settings, (save_labels, existing))


def _in_duckdb(
    table: Table,
    request: Request,
    settings: dict[str, Any],
    saved: tuple[Any, str],
) -> TruthElsewhere:
    save_labels, existing = saved
    session = table.session
    candidate, _, wanted = understood(table, request, _FITTED)
    layout = candidate.layout
    backend = DuckTable(
        session.connection,
        table.relation,
        item=f"c{layout.item[0]}",
        rater=f"c{layout.rater[0]}",
        label=f"c{layout.label[0]}",
        row=table.row,
    )
    vocabulary, _ = looked_through(backend, wanted)
    files = RatingFiles.written(backend, vocabulary, session.scratch)
    votes = VotesInParts(files.parts, files.n_raters, files.n_labels)
    fit, steps = fit_elsewhere(votes, **settings)
    if save_labels is not None:
        with written_beside(Path(save_labels), existing=existing) as beside:
            _write_labels(session, backend, vocabulary, votes.beliefs(fit), beside)
    return truth_elsewhere(
        votes,
        fit,
        steps,
        model=settings["model"],
        raters=vocabulary.raters,
        categories=tuple(vocabulary.reading.labels),
        sizes=(files.n_items, files.n_ratings),
        labels_file=None if save_labels is None else str(save_labels),
    )


def _write_labels(
    session: Session, backend: DuckTable, vocabulary: Vocabulary, beliefs: Any, target: Path
) -> None:
    """Write items, labels and probabilities as Parquet, a part at a time."""
    labels = vocabulary.reading.labels
    chances = [f"p{j}" for j in range(len(labels))]
    columns = ", ".join(f"{name} DOUBLE" for name in chances)
    session.run(f"CREATE TEMP TABLE found_ (i INTEGER, k INTEGER, {columns})").fetchall()
    for item, posterior in beliefs:
        part = {"i": item, "k": posterior.argmax(axis=1).astype(np.int32)}
        part |= {name: np.ascontiguousarray(posterior[:, j]) for j, name in enumerate(chances)}
        session.show("part_", part)
        session.run("INSERT INTO found_ SELECT * FROM part_").fetchall()
    names = ", ".join(f"({k}, {quoted(str(label))})" for k, label in enumerate(labels))
    named = ", ".join(f"p{j} AS {identifier('p ' + str(label))}" for j, label in enumerate(labels))
    session.save_parquet(
        f"SELECT {backend.name_of('i')} AS item, name AS label, greatest("
        f"{', '.join(chances)}) AS probability, {named} FROM found_ JOIN (VALUES {names}) "
        "AS labels(code, name) ON k = code",
        target,
    )


def _on_spark(
    names: list[str],
    master: str | None,
    request: Request,
    settings: dict[str, Any],
    save_labels: Any,
) -> TruthElsewhere:
    from consilience.engine.spark import SparkVotes, on_spark

    with on_spark(names, master) as frame, Session(names[0]) as session:
        table, columns = first_rows(session, frame, names)
        candidate, _, wanted = understood(table, request, _FITTED)
        backend = _backend(frame, columns, candidate.layout)
        vocabulary, _ = looked_through(backend, wanted)
        votes = SparkVotes(backend.native, vocabulary)
        try:
            fit, steps = fit_elsewhere(votes, **settings)
            if save_labels is not None:
                votes.write(str(save_labels), *fit.step.logs, vocabulary.reading.labels)
            return truth_elsewhere(
                votes,
                fit,
                steps,
                model=settings["model"],
                raters=vocabulary.raters,
                categories=tuple(vocabulary.reading.labels),
                sizes=votes.sizes,
                labels_file=None if save_labels is None else str(save_labels),
            )
        finally:
            votes.close()
