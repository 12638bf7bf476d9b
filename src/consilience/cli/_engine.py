"""Where ratings are reduced: in this process by DuckDB, or on a Spark cluster; rows as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from consilience.cli import _output as out

if TYPE_CHECKING:
    from consilience.io import Loaded
    from consilience.ratings import Ratings

Command = TypeVar("Command", bound=Callable[..., Any])

_ROLES = ("item", "rater", "label")
_MANY_ROWS = 2_000_000


def engine_options(command: Command) -> Command:
    """Add the options of large tables."""
    every = (
        click.option(
            "--engine",
            type=click.Choice(("duckdb", "spark")),
            help="Reduce long files of any size to distinct items: in this process, or on Spark.",
        ),
        click.option("--master", metavar="URL", help="Spark's master. Default: local[*]."),
        click.option(
            "--memory-limit", metavar="SIZE", help="Memory for --engine duckdb, such as 1GB."
        ),
        click.option(
            "--spill",
            type=click.Path(path_type=Path, exists=True, file_okay=False),
            metavar="DIR",
            help="Folder for what does not fit into memory.",
        ),
        click.option(
            "--save-rows",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Also save the distinct items and their numbers, to be merged or measured again.",
        ),
    )
    for option in reversed(every):
        command = option(command)
    return command


def loaded_by_engine(options: dict[str, Any]) -> Loaded | None:
    """Return ratings from files of rows or through an engine; None where neither was asked for."""
    paths = options["paths"]
    rows = [path for path in paths if path.lower().endswith(".rows")]
    if rows:
        if len(rows) < len(paths):
            raise click.UsageError("files of rows and other files cannot be measured together.")
        return _loaded(_from_rows(rows), "rows", rows, options)
    if options.get("engine") is None:
        for name in ("master", "memory_limit", "spill"):
            if options.get(name):
                raise click.UsageError(f"--{name.replace('_', '-')} needs --engine.")
        columns = _columns_of_many_rows(options)
        if columns is None:
            return None
        options = {**options, **columns, "engine": "duckdb"}
    return _loaded(_reduced(options), "long", list(paths), options)


def _columns_of_many_rows(options: dict[str, Any]) -> dict[str, tuple[str, ...]] | None:
    """Return item, rater and label of long Parquet files with many rows; None for all else.

    Such files are reduced without reading item names; every other file is looked at as a whole.
    """
    asked = [options.get(name) for name in ("by", "shape")]
    is_parquet = all(path.lower().endswith((".parquet", ".pq")) for path in options["paths"])
    if not is_parquet or any(asked) or options["duplicates"] != "refuse":
        return None
    try:
        n_rows, names = _rows_and_names(options["paths"])
    except Exception:  # what is wrong with the file is said where it is read
        return None
    columns = {role: tuple(options[role]) or _called(role, names) for role in _ROLES}
    sure = all(len(found) == 1 for found in columns.values())
    return columns if n_rows >= _MANY_ROWS and sure else None


def _rows_and_names(paths: tuple[str, ...]) -> tuple[int, list[str]]:
    import duckdb

    with duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"}) as con:
        counted = con.execute(
            "SELECT sum(num_rows) FROM parquet_file_metadata($paths)", {"paths": list(paths)}
        ).fetchone()
        found = con.execute(
            "DESCRIBE SELECT * FROM read_parquet($paths)", {"paths": list(paths)}
        ).fetchall()
    return int(counted[0] or 0) if counted else 0, [row[0] for row in found]


def _called(role: str, names: list[str]) -> tuple[str, ...]:
    from consilience.io.tables.role_names import role_of

    return tuple(name for name in names if role_of(name) == role)


def _from_rows(paths: list[str]) -> Ratings:
    from consilience.engine import load_rows
    from consilience.engine.rows_file import add_rows

    first, *rest = [(load_rows(path), Path(path)) for path in paths]
    merged, name = first
    for ratings, path in rest:
        merged = add_rows(merged, ratings, name, path)
    return merged


def _reduced(options: dict[str, Any]) -> Ratings:
    from consilience.engine import reduce_files

    columns = {}
    if isinstance(options["scale"], dict):
        raise click.UsageError("--engine takes one --scale. Leave the names of variables out.")
    for role in _ROLES:
        named = options[role]
        if len(named) > 1:
            raise click.UsageError(f"--engine takes one --{role}. Join the columns first.")
        columns[role] = named[0] if named else role
    with out.progress("Reducing"):
        return reduce_files(
            list(options["paths"]),
            engine=options["engine"],
            master=options["master"],
            memory_limit=options["memory_limit"],
            spill_folder=options["spill"],
            scale=options["scale"] or "nominal",
            categories=options["categories"],
            missing_values=options["missing_values"],
            **columns,
        )


def _loaded(ratings: Ratings, how: str, paths: list[str], options: dict[str, Any]) -> Loaded:
    from consilience.io import Loaded, Reading

    why = "distinct items and how often each occurs, as they were saved"
    columns = {}
    if how == "long":
        why = f"reduced to distinct items by {options['engine']}"
        columns = {role: tuple(options[role]) or (role,) for role in _ROLES}
    reading = Reading(
        sources=tuple(paths),
        format="rows" if how == "rows" else "files",
        shape="long",
        columns=columns,
        n_rows=ratings.n_ratings,
        evidence=(why,),
    )
    if not options["quiet"]:
        out.tell(f"{', '.join(paths)}: {why}")
    return Loaded({None: ratings}, reading)


def save_rows(loaded: Loaded, options: dict[str, Any]) -> None:
    """Save the rows where that was asked for."""
    path = options["save_rows"]
    if path is None:
        return
    from consilience.engine import save_rows as save

    if loaded.by is not None:
        raise click.UsageError("--save-rows saves one variable. Name one --label.")
    save(loaded.ratings, path)
    out.tell(f"Wrote {path}")
