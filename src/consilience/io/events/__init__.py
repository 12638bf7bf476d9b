"""Units from annotation files: each format is registered; raters are named by a rule."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.io.events._read_units import LoadedUnits as LoadedUnits
    from consilience.io.events._read_units import load_units as load_units
    from consilience.io.events._read_units import read_units as read_units
    from consilience.io.events.registry import unit_formats as unit_formats

public_names(__name__)
