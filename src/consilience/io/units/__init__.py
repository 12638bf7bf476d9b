"""Units from annotation files: one format per file, registered; raters named by a rule."""

from __future__ import annotations

from consilience.io.units._read import LoadedUnits, load_units, read_units
from consilience.io.units._registry import UnitFormat, unit_formats

__all__ = ["LoadedUnits", "UnitFormat", "load_units", "read_units", "unit_formats"]
