"""Files in: one format per file, registered; any layout becomes `Ratings`."""

from consilience.io._read import Loaded, load, read, read_groups
from consilience.io._reading import SHAPES, Reading
from consilience.io._registry import formats

__all__ = ["SHAPES", "Loaded", "Reading", "formats", "load", "read", "read_groups"]
