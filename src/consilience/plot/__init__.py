"""Figures: each function draws one thing and returns the matplotlib Axes, which notebooks show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import imported_later

if TYPE_CHECKING:
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

# One figure needs units, another a model of the truth: each loads its own when it is drawn.
_LATER = {
    "_alignment_figure": ("alignment",),
    "_bias_figure": ("coefficient_bars",),
    "_chance": ("chance_surface", "prevalence_effect"),
    "_curves": ("batches", "curve", "tolerance"),
    "_distribution_figures": ("differences", "histogram"),
    "_forest": ("forest", "variables"),
    "_heat": ("confusion", "heat_map", "raters"),
    "_items_figure": ("design", "item_agreement"),
    "_marks_figure": ("bland_altman", "marks"),
    "_panel_figure": ("panel", "sweep"),
    "_raters_figure": ("funnel", "label_use", "leave_one_out"),
    "_settings_figure": ("settings",),
    "_threshold_figure": ("threshold",),
    "_timeline_figure": ("timeline",),
    "_truth": ("accuracy", "certainty", "error_matrix"),
    "_units_figure": ("category_kappas", "unit_lengths"),
    "judged.drift_figure": ("control_chart",),
    "judged.error_figure": ("shared_errors",),
    "judged.rank_figure": ("ranks",),
    "judged.rate_figure": ("corrected_rates",),
    "judged.soft_figure": ("soft_labels",),
    "style": ("save",),
}
__getattr__, __dir__ = imported_later(__name__, _LATER)
