"""Where ratings are reduced: in this process by DuckDB, or on a Spark cluster; rows as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from consilience.cli import _output as out
from consilience.cli._heeded import Options, Rule
from consilience.cli._options import option, together

if TYPE_CHECKING:
    from consilience.io import Loaded
    from consilience.ratings import Ratings

Function = TypeVar("Function", bound=Callable[..., Any])


# Where large tables are worked on.
place_options = together(
    option(
        "--engine",
        "Work on files of any size where they lie: in this process, or on Spark.",
        choices=("duckdb", "spark"),
    ),
    option("--master URL", "Spark's master. Default: local[*]."),
    option("--memory-limit SIZE", "Memory for --engine duckdb, such as 1GB."),
    option(
        "--spill DIR",
        "Folder for what does not fit into memory.",
        type=click.Path(path_type=Path, exists=True, file_okay=False),
    ),
)
# The options of large tables.
engine_options = together(
    place_options,
    option(
        "--save-rows FILE",
        "Also save the distinct items and their numbers, to be merged or measured again.",
        type=out.FILE,
    ),
    option(
        "--add-to ROWS",
        "Add to this file of rows, each file once, and measure all that is in it.",
        type=click.Path(path_type=Path),
    ),
)

_READ_HERE = ("map", "ignore_case", "sets", "no_rater")


def _has_engine(options: Options) -> bool:
    return options.get("engine") is not None


def _has_rows(options: Options) -> bool:
    return any(path.lower().endswith(".rows") for path in options["paths"])


# What an engine cannot do to labels while it reads, and what only an engine heeds.
PLACE_RULES = (
    Rule(("master", "memory_limit", "spill", "save_labels"),
         lambda options: not (_has_engine(options) or _has_rows(options)),
         "needs --engine", "add --engine duckdb or --engine spark"),
    Rule(("master",), lambda options: options.get("engine") == "duckdb", "is for --engine spark"),
    Rule(("memory_limit", "spill"), lambda options: options.get("engine") == "spark",
         "is for --engine duckdb"),
    Rule(_READ_HERE, lambda options: _has_engine(options) and not _has_rows(options),
         "is for files that are read here, not for --engine"),
)  # fmt: skip


def loaded_rows(options: dict[str, Any]) -> Loaded | None:
    """Return ratings from files of rows; None where the files are others."""
    paths = options["paths"]
    rows = [path for path in paths if path.lower().endswith(".rows")]
    if rows and len(rows) < len(paths):
        raise click.UsageError("files of rows and other files cannot be measured together.")
    if rows:
        return _loaded(_from_rows(rows), rows, options)
    return None


def _from_rows(paths: list[str]) -> Ratings:
    from consilience.engine import load_rows
    from consilience.engine.rows_file import add_rows

    first, *rest = [(load_rows(path), Path(path)) for path in paths]
    merged, name = first
    for ratings, path in rest:
        merged = add_rows(merged, ratings, name, path)
    return merged


def _loaded(ratings: Ratings, paths: list[str], options: dict[str, Any]) -> Loaded:
    from consilience.core.account import Account
    from consilience.io import Loaded, Reading

    why = "distinct items and how often each occurs, as they were saved"
    counts = {"raters": ratings.n_raters, "ratings": ratings.n_ratings}
    reading = Reading(
        sources=tuple(paths),
        format="rows",
        shape="long",
        columns={},
        n_rows=ratings.n_ratings,
        evidence=(why,),
        account=Account(counts, dict(counts)),
    )
    if not options["quiet"]:
        out.tell(f"{', '.join(paths)}: {why}")
    return Loaded({None: ratings._read_as(reading)}, reading)


def engine_of(options: dict[str, Any]) -> dict[str, Any]:
    """Return what the options say about the engine, as arguments of the library."""
    if options.get("engine") is None:
        return {}
    return {
        "engine": options["engine"],
        "master": options["master"],
        "memory_limit": options["memory_limit"],
        "spill_folder": options["spill"],
    }


def added_to_rows(loaded: Loaded, options: dict[str, Any]) -> Loaded:
    """Add what was read to a file of rows, and return all that is in it."""
    path = options["add_to"]
    if path is None:
        return loaded
    from consilience.engine import add_to_rows

    if loaded.by is not None:
        raise click.UsageError("--add-to adds one variable. Name one --label.")
    for name in options["paths"]:
        if not Path(name).is_file():
            raise click.UsageError(f"--add-to needs plain files, which {name} is not.")
    inside, is_new = add_to_rows(loaded.ratings, path, sources=list(options["paths"]))
    names = ", ".join(options["paths"])
    if is_new:
        out.tell(f"Added to {path}: {inside.ratings!r}")
    else:
        out.tell(f"{names} was added to {path} before: nothing was added.")
    return _loaded(inside.ratings, [str(path)], {**options, "quiet": True})


def save_rows(loaded: Loaded, options: dict[str, Any]) -> None:
    """Save the rows where that was asked for."""
    path = options["save_rows"]
    if path is None:
        return
    from consilience.engine import save_rows as save

    if loaded.by is not None:
        raise click.UsageError("--save-rows saves one variable. Name one --label.")
    save(loaded.ratings, path, existing=out.existing(options))
    out.tell(f"Wrote {path}")
