"""Ratings: items, raters and labels, checked once and laid out frugally."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.core.labels import SCALES as SCALES
    from consilience.ratings._ratings import Ratings as Ratings
    from consilience.ratings._ratings import as_ratings as as_ratings

MOVED = {"Note": "notes stand in what ratings and readings say of themselves"}

public_names(__name__)
