"""Read ratings together with other columns of the file, for the commands that need them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from consilience.cli import _output as out
from consilience.cli._ratings_reading import _files, load, told, wishes_of

if TYPE_CHECKING:
    from consilience.io import Loaded


def load_with(
    options: dict[str, Any], columns: dict[str, str | None]
) -> tuple[Loaded, dict[str, dict[object, object]]]:
    """Read the ratings and the columns that options name; without any, read as usual."""
    wanted = {word: name for word, name in columns.items() if name}
    if not wanted:
        return load(options), {}
    from consilience.io.side_columns import load_beside

    wishes = {name: wish for name, wish in wishes_of(options).items() if name != "by"}
    with _files(options["paths"]) as (paths, stand_in):
        with out.progress(f"Reading {', '.join(paths)}"):
            loaded, found = load_beside(paths, wanted, **wishes)
        if stand_in is not None:
            names = tuple("-" if name == stand_in else name for name in loaded.reading.sources)
            loaded = replace(loaded, reading=replace(loaded.reading, sources=names))
    return told(loaded, options), found


def facts(loaded: Loaded) -> dict[str, object]:
    """Return what the record says about the data."""
    from consilience.report import DataFacts

    reading = loaded.reading
    return DataFacts.of(loaded.ratings, shape=reading.shape, sources=reading.sources).to_dict()
