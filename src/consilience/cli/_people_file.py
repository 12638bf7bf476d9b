"""People's labels in a file of their own, beside the verdicts."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from consilience.cli import _output as out
from consilience.cli._ratings_reading import told, wishes_of

if TYPE_CHECKING:
    from consilience.io import Loaded

_SHARED = ("delimiter", "encoding", "missing_values", "map", "ignore_case", "scale", "variable",
           "variables")  # fmt: skip


def people_files(options: dict[str, Any]) -> list[str]:
    """Return those of the people that are named by a file that exists."""
    return [word for word in options["people"] if Path(word).is_file()]


def without_files(options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with the names of people only."""
    files = people_files(options)
    return {**options, "people": tuple(word for word in options["people"] if word not in files)}


def with_people(
    options: dict[str, Any], loaded: Loaded, *, quiet: bool
) -> tuple[Loaded, list[str]]:
    """Join the labels of people's files to the verdicts, say what does not join, and who came."""
    files = people_files(options)
    if not files:
        return loaded, []
    from consilience.io.people_tables import load_people
    from consilience.judges.joined_labels import join_people

    verdicts = loaded.ratings
    wishes = wishes_of(dict.fromkeys(options) | {n: options.get(n) for n in _SHARED})
    items, labels = {str(x) for x in verdicts.items}, {str(x) for x in verdicts.categories}
    second = [load_people(path, items=items, labels=labels, **wishes) for path in files]
    joined = None
    for one in second:
        told(one, {**options, "quiet": quiet or options["quiet"], "explain": False})
        name = next(iter(loaded.groups))
        own = one.groups.get(name) or one.ratings
        joined = join_people(verdicts if joined is None else joined.ratings, own)
        if not quiet:
            out.tell(f"{one.reading.sources[0]}: {joined.told}")
    assert joined is not None
    seats = [str(who) for one in second for part in one.groups.values() for who in part.raters]
    return replace(loaded, groups={next(iter(loaded.groups)): joined.ratings}), seats
