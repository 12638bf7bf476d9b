"""Published tables, typed in as facts, each with its source."""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.datasets._catalogue import Dataset, describe, load, names

__all__ = ["Dataset", "describe", "load", "names"]

answering(globals(), __all__)
