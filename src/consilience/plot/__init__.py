"""Figures: each function draws one thing and returns the matplotlib Axes, which notebooks show."""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.plot._alignment_figure import alignment
from consilience.plot._bias_figure import coefficient_bars
from consilience.plot._chance import chance_surface, prevalence_effect
from consilience.plot._curves import batches, curve, tolerance
from consilience.plot._distribution_figures import differences, histogram
from consilience.plot._forest import forest, variables
from consilience.plot._heat import confusion, heat_map, raters
from consilience.plot._items_figure import design, item_agreement
from consilience.plot._marks_figure import bland_altman, marks
from consilience.plot._panel_figure import panel, sweep
from consilience.plot._raters_figure import funnel, label_use, leave_one_out
from consilience.plot._settings_figure import settings
from consilience.plot._threshold_figure import threshold
from consilience.plot._timeline_figure import timeline
from consilience.plot._truth import accuracy, certainty, error_matrix
from consilience.plot._units_figure import category_kappas, unit_lengths
from consilience.plot.judged.drift_figure import control_chart
from consilience.plot.judged.error_figure import shared_errors
from consilience.plot.judged.rank_figure import ranks
from consilience.plot.judged.rate_figure import corrected_rates
from consilience.plot.judged.soft_figure import soft_labels
from consilience.plot.style import save

__all__ = [
    "accuracy",
    "alignment",
    "batches",
    "bland_altman",
    "category_kappas",
    "certainty",
    "chance_surface",
    "coefficient_bars",
    "confusion",
    "control_chart",
    "corrected_rates",
    "curve",
    "design",
    "differences",
    "error_matrix",
    "forest",
    "funnel",
    "heat_map",
    "histogram",
    "item_agreement",
    "label_use",
    "leave_one_out",
    "marks",
    "panel",
    "prevalence_effect",
    "ranks",
    "raters",
    "save",
    "settings",
    "shared_errors",
    "soft_labels",
    "sweep",
    "threshold",
    "timeline",
    "tolerance",
    "unit_lengths",
    "variables",
]

answering(globals(), __all__)
