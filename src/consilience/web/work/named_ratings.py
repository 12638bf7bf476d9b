"""Ratings of a file as every job reads them, called what people call it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from consilience.exceptions import ConsilienceError
from consilience.io import Loaded, anonymised, load


def load_named(
    file: Mapping[str, str], reading: Mapping[str, Any], *, anonymise: bool = False
) -> Loaded:
    """Read a file; what is said about it uses the name that people know.

    `file` says where its bytes are ("path"), and what it is called ("shown").
    """
    path, shown = file["path"], file["shown"]
    try:
        loaded = load([path], **dict(reading))
    except ConsilienceError as error:
        raise renamed(error, path, shown) from error
    loaded = replace(loaded, reading=replace(loaded.reading, sources=(shown,)))
    return anonymised(loaded) if anonymise else loaded


def renamed(error: ConsilienceError, path: str, shown: str) -> ConsilienceError:
    """Return the same error about the name that people know."""

    def other(text: str) -> str:
        return text.replace(path, shown).replace(Path(path).name, shown)

    again = error.retold(error.words.changed(other))
    if hasattr(again, "sentence"):
        again.sentence = other(again.sentence)
    return again
