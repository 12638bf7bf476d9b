"""Ratings of a file as every job reads them, called what people call it.

A large file goes through the engine: it is reduced to distinct items where it lies. Who needs the
items by name asks for them, or takes a sample.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from consilience.core.shell_words import flag
from consilience.exceptions import ConsilienceError
from consilience.io import Loaded, anonymised, load, load_reduced


def load_named(
    file: Mapping[str, Any],
    reading: Mapping[str, Any],
    *,
    anonymise: bool = False,
    items: bool = False,
) -> Loaded:
    """Read a file; what is said about it uses the name that people know.

    `file` says where its bytes are ("path"), what it is called ("shown"), and whether it is large;
    `items` says whether items are needed by name, however many they are.
    """
    path, shown = file["path"], file["shown"]
    options = dict(reading)
    try:
        if file.get("large") and not items and not options.get("cluster"):
            loaded = load_reduced([path], memory_limit=file["memory"], **options)
        else:
            loaded = load([path], **options)
    except ConsilienceError as error:
        raise renamed(error, path, shown) from error
    sources = tuple(one.replace(path, shown) for one in loaded.reading.sources)
    loaded = replace(loaded, reading=replace(loaded.reading, sources=sources))
    return anonymised(loaded) if anonymise else loaded


def reading_lines(*loaded: Loaded) -> list[str]:
    """Return how files were read, line by line, as the pages of the commands end with it."""
    told = [one.reading.told(flag) for one in loaded]
    return list(dict.fromkeys(line.strip() for text in told for line in text.splitlines()))


def renamed(error: ConsilienceError, path: str, shown: str) -> ConsilienceError:
    """Return the same error about the name that people know."""

    def other(text: str) -> str:
        return text.replace(path, shown).replace(Path(path).name, shown)

    again = error.retold(error.words.changed(other))
    if hasattr(again, "sentence"):
        again.sentence = other(again.sentence)
    return again
