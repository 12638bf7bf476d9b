"""Figures: each function draws one thing and returns the matplotlib Axes."""

from __future__ import annotations

from consilience.plot._chance import chance_surface, prevalence_effect
from consilience.plot._curves import batches, curve, tolerance
from consilience.plot._differences import differences
from consilience.plot._forest import forest
from consilience.plot._heat import confusion, heat_map, raters
from consilience.plot._items import design, item_agreement
from consilience.plot._panel import panel
from consilience.plot._raters import label_use, leave_one_out
from consilience.plot._style import save
from consilience.plot._sweep import sweep
from consilience.plot._threshold import threshold
from consilience.plot._timeline import timeline
from consilience.plot._truth import accuracy, certainty, error_matrix

__all__ = [
    "accuracy",
    "batches",
    "certainty",
    "chance_surface",
    "confusion",
    "curve",
    "design",
    "differences",
    "error_matrix",
    "forest",
    "heat_map",
    "item_agreement",
    "label_use",
    "leave_one_out",
    "panel",
    "prevalence_effect",
    "raters",
    "save",
    "sweep",
    "threshold",
    "timeline",
    "tolerance",
]
