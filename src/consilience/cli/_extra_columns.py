"""What a record says about the data that a command has read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from consilience.io import Loaded


def facts(loaded: Loaded) -> dict[str, object]:
    """Return what the record says about the data."""
    from consilience.report import DataFacts

    reading = loaded.reading
    return DataFacts.of(loaded.ratings, shape=reading.shape, sources=reading.sources).to_dict()
