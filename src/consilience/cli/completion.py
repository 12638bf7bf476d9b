"""Completion in the shell: columns of the file at hand, names of coefficients and distances."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import click
from click.shell_completion import split_arg_string

_HEAD = 65_536  # bytes of a file that are looked at


def columns(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the columns of the files named so far."""
    found: dict[str, None] = {}
    for name in _paths(ctx):
        found |= dict.fromkeys(_columns_of(Path(name)))
    return [name for name in found if name.lower().startswith(incomplete.lower())]


def _paths(ctx: click.Context) -> list[str]:
    """Return the files named so far; a line that is not finished yet may not have been parsed."""
    given: Any = ctx.params.get("paths") or ()
    words = split_arg_string(os.environ.get("COMP_WORDS", ""))
    return [word for word in dict.fromkeys([*given, *words]) if Path(word).is_file()]


def _columns_of(path: Path) -> list[str]:
    """Return the names in the first line; nothing where they cannot be had at once."""
    try:
        if path.suffix.lower() in (".parquet", ".pq"):
            from consilience.core.database import Session

            with Session() as session:
                file = session.safe_path(path)
                return [row[0] for row in session.rows(f"DESCRIBE FROM read_parquet({file})")]
        with path.open("rb") as stream:
            head = stream.read(_HEAD).decode("utf-8-sig", "replace")
    except Exception:  # a completion must never disturb the shell
        return []
    line = head.partition("\n")[0].rstrip("\r")
    delimiter = max(",;\t|", key=line.count)
    return [name.strip() for name in next(csv.reader([line], delimiter=delimiter), []) if name]


def coefficients(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the coefficients and their other names."""
    from consilience.coefficients import registry

    names = [word for one in registry.values() for word in (one.name, *one.aliases)]
    return sorted(name for name in names if name.startswith(incomplete.lower()))


def distances(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the distances that need no parameter."""
    names = ("bipolar", "dice", "interval", "jaccard", "linear", "masi", "masi_dkpro", "nominal",
             "ordinal", "ordinal-gwet", "overlap", "passonneau", "quadratic", "radical",
             "ratio")  # fmt: skip
    return [name for name in names if name.startswith(incomplete.lower())]


def formats(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Offer the file formats."""
    from consilience.io import formats as known

    return sorted(name for name in known() if name.startswith(incomplete.lower()))
