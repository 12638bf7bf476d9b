"""How ratings come in: the options that every command shares, and the reading itself."""

from __future__ import annotations

import contextlib
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from consilience.cli import _output as out
from consilience.cli._options import split_categories

if TYPE_CHECKING:
    from consilience.io import Loaded

Command = TypeVar("Command", bound=Callable[..., Any])

_SHAPES = ("long", "wide", "transposed", "counts", "table")
_SCALES = ("nominal", "ordinal", "interval", "ratio")
_WISHES = ("shape", "item", "rater", "label", "by", "scale", "categories", "missing_values",
           "duplicates", "delimiter", "encoding", "header")  # fmt: skip

SCALE = click.option(
    "--scale", type=click.Choice(_SCALES), help="How labels relate. Default: nominal."
)
CATEGORIES = click.option(
    "--categories",
    metavar="A,B,C",
    callback=split_categories,
    help="Labels that could be used, in order, separated by commas.",
)
MISSING_VALUE = click.option(
    "--missing-value",
    "missing_values",
    multiple=True,
    metavar="LABEL",
    help="Label that means 'no rating'; repeat for more. Empty cells always do.",
)
SHAPE = click.option(
    "--shape", type=click.Choice(_SHAPES), help="Layout of the file. Default: recognised."
)
ITEM = click.option(
    "--item",
    multiple=True,
    metavar="COLUMN",
    help="Column that names the item; several together name it.",
)
RATER = click.option(
    "--rater",
    multiple=True,
    metavar="COLUMN",
    help="Column that names the rater; several are the raters of a wide table.",
)
LABEL = click.option(
    "--label",
    multiple=True,
    metavar="COLUMN",
    help="Column with the label; several give one result each.",
)
DUPLICATES = click.option(
    "--duplicates",
    type=click.Choice(("refuse", "first", "last", "occasions")),
    default="refuse",
    show_default=True,
    help="What to do when a rater rated an item twice.",
)
DELIMITER = click.option(
    "--delimiter", metavar="SIGN", help="Delimiter of a text file, such as ';' or tab."
)
ENCODING = click.option(
    "--encoding", metavar="NAME", help="Encoding of a text file, such as cp1252."
)
HEADER = click.option(
    "--header/--no-header", default=None, help="Whether the first line holds names."
)
QUIET = click.option("--quiet", "-q", is_flag=True, help="Do not say how the file was read.")


def reading_options(command: Command) -> Command:
    """Add every option that says how a file of ratings is to be read."""
    every = (SCALE, CATEGORIES, MISSING_VALUE, SHAPE, ITEM, RATER, LABEL, DUPLICATES, DELIMITER,
             ENCODING, HEADER, QUIET)  # fmt: skip
    for option in reversed(every):
        command = option(command)
    return command


def load(options: dict[str, Any]) -> Loaded:
    """Read the ratings that the options name, and tell on stderr what they were taken for."""
    loaded = _load(options)
    if not options["quiet"]:
        out.tell(str(loaded.reading))
    return loaded


def _load(options: dict[str, Any]) -> Loaded:
    from consilience.exceptions import ConsilienceError
    from consilience.io import load as load_files

    wishes: dict[str, Any] = {
        name: options.get(name) or None for name in _WISHES if name != "header"
    }
    wishes["missing_values"] = options["missing_values"]
    wishes["duplicates"] = wishes["duplicates"] or "refuse"
    with _files(options["paths"]) as (paths, stand_in):
        try:
            with out.progress(f"Reading {', '.join(paths)}"):
                loaded = load_files(paths, header=options.get("header"), **wishes)
        except ConsilienceError as error:
            if stand_in is None:
                raise
            raise type(error)(str(error).replace(stand_in, "standard input")) from error
    if stand_in is None:
        return loaded
    sources = tuple("-" if name == stand_in else name for name in loaded.reading.sources)
    return replace(loaded, reading=replace(loaded.reading, sources=sources))


@contextlib.contextmanager
def _files(paths: tuple[str, ...]) -> Iterator[tuple[list[str], str | None]]:
    """Yield the paths, with standard input saved to a file whose name is given beside them."""
    if "-" not in paths:
        yield list(paths), None
        return
    with tempfile.TemporaryDirectory(prefix="consilience-") as folder:
        saved = Path(folder) / "stdin"
        with saved.open("wb") as stream:
            shutil.copyfileobj(sys.stdin.buffer, stream)
        yield [str(saved) if path == "-" else path for path in paths], str(saved)
