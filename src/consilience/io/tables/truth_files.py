"""Models of the truth for files of any size: ratings stay on disk, or on Spark."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from consilience.core.database import Session, identifier, quoted
from consilience.core.keywords import READING, ReadingOptions, written_out
from consilience.core.output_files import check_target, written_beside
from consilience.engine.dataframes import FrameTable
from consilience.engine.duckdb_engine import DuckTable
from consilience.engine.rating_files import RatingFiles
from consilience.engine.reduction_parts import Vocabulary
from consilience.engine.table_reduction import looked_through
from consilience.exceptions import InputError
from consilience.io._read import opened
from consilience.io.request import Request, request_of
from consilience.io.tables.reduced_tables import (
    ENGINES,
    check_limits,
    expanded,
    first_rows,
    understood,
)
from consilience.io.tables.table import Table
from consilience.latent.models.truth_elsewhere import (
    TruthElsewhere,
    VotesInParts,
    fit_elsewhere,
    log_rates,
    truth_elsewhere,
)

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
    several = isinstance(paths, Sequence) and not isinstance(paths, str)
    names = [str(path) for path in (paths if several else [paths])]
    options["shape"] = "long"
    request = request_of(**options)
    if engine == "spark":
        return _on_spark(names, master, request, settings, save_labels)
    if engine != "duckdb":
        raise InputError.unknown_word("engine", engine, ENGINES)
    check_limits(memory_limit, spill_folder)
    request = replace(
        request,
        folders_are_columns=any(os.path.isdir(one) for one in names),
        memory_limit=memory_limit,
        spill_folder=spill_folder,
    )
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
        session._connection,
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
        votes, fit, steps, model=settings["model"], raters=vocabulary.raters,
        categories=tuple(vocabulary.reading.labels), sizes=(files.n_items, files.n_ratings),
        labels_file=None if save_labels is None else str(save_labels),
    )  # fmt: skip


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
    from consilience.engine.spark import on_spark
    from consilience.engine.spark_votes import SparkVotes

    with on_spark(names, master) as frame, Session(names[0]) as session:
        table, columns = first_rows(session, frame, names)
        candidate, _, wanted = understood(table, request, _FITTED)
        layout = candidate.layout
        item, rater, label = (
            columns[role[0]] for role in (layout.item, layout.rater, layout.label)
        )
        backend = FrameTable(frame, item=item, rater=rater, label=label)
        vocabulary, _ = looked_through(backend, wanted)
        votes = SparkVotes(backend.native, vocabulary)
        try:
            fit, steps = fit_elsewhere(votes, **settings)
            if save_labels is not None:
                votes.write(str(save_labels), *log_rates(fit), vocabulary.reading.labels)
            return truth_elsewhere(
                votes, fit, steps, model=settings["model"], raters=vocabulary.raters,
                categories=tuple(vocabulary.reading.labels), sizes=votes.sizes,
                labels_file=None if save_labels is None else str(save_labels),
            )  # fmt: skip
        finally:
            votes.close()
