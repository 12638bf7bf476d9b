"""The shell command that does what a screen shows, to be copied and run again."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from consilience.io.tables.recogniser.refusal import Offer
from consilience.web.store import State

# As the commands list their options, so that a page says the same command as theirs does.
_ORDER = (
    "by",
    "coefficient", "distance", "missing", "confidence_level", "interval", "resamples", "seed",
    "engine", "scale", "categories", "missing_values", "map", "ignore_case", "sets", "no_rater",
    "format", "sheet", "shape", "columns", "item", "rater", "label", "cluster", "variable",
    "duplicates", "empty", "excluded", "predictions", "gold", "delimiter", "encoding", "header",
)  # fmt: skip
_WITH_ENGINE = ("measure", "report")


def shell_words(options: Mapping[str, Any]) -> list[str]:
    """Return options of the library as words of a shell, in the order of the command line.

    >>> shell_words({"item": ("unit",), "distance": "linear", "header": False})
    ['--distance', 'linear', '--item', 'unit', '--no-header']
    """
    known = {name: options[name] for name in _ORDER if options.get(name) not in (None, (), {}, "")}
    return [
        word for name, value in known.items() for word in Offer("", {name: value}).words_of_flags()
    ]


def command_of(
    state: State,
    verb: str = "report",
    more: Sequence[str] = (),
    *,
    measuring: bool = True,
    reduced: bool = False,
    also: Sequence[str] = (),
    first: Sequence[str] = (),
) -> str:
    """Return the command for a reading; none where it would tell names that are hidden.

    The command `measure` has the same options as `report`; others take those of reading alone.
    `also` are further files, `first` words that stand before the options of reading, where the
    command itself lists them first.
    """
    if state.anonymise and (state.reading.get("rater") or "--system" in first):
        return ""
    options = {**state.reading, **(state.measuring if measuring else {})}
    if reduced and verb in _WITH_ENGINE and not state.reading.get("cluster"):
        options["engine"] = "duckdb"
    words = ["consilience", verb, state.file.shown, *also, *first, *shell_words(options)]
    if state.anonymise:
        words.append("--anonymise")
    return shlex.join([*words, *more])
