"""Units from annotation files: one format per file, registered; raters named by a rule."""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.io.annotations._read_units import LoadedUnits, load_units, read_units
from consilience.io.annotations.unit_registry import UnitFormat, unit_formats

__all__ = ["LoadedUnits", "UnitFormat", "load_units", "read_units", "unit_formats"]

answering(globals(), __all__)
