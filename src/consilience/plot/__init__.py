"""Figures: each function draws one thing and returns the matplotlib Axes, which notebooks show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.plot._alignment_figure import alignment as alignment
    from consilience.plot._bias_figure import coefficient_bars as coefficient_bars
    from consilience.plot._chance import chance_surface as chance_surface
    from consilience.plot._chance import prevalence_effect as prevalence_effect
    from consilience.plot._curves import batches as batches
    from consilience.plot._curves import curve as curve
    from consilience.plot._curves import tolerance as tolerance
    from consilience.plot._distribution_figures import differences as differences
    from consilience.plot._distribution_figures import histogram as histogram
    from consilience.plot._forest import forest as forest
    from consilience.plot._forest import variables as variables
    from consilience.plot._heat import confusion as confusion
    from consilience.plot._heat import heat_map as heat_map
    from consilience.plot._heat import raters as raters
    from consilience.plot._items_figure import design as design
    from consilience.plot._items_figure import item_agreement as item_agreement
    from consilience.plot._marks_figure import bland_altman as bland_altman
    from consilience.plot._marks_figure import marks as marks
    from consilience.plot._panel_figure import panel as panel
    from consilience.plot._panel_figure import sweep as sweep
    from consilience.plot._raters_figure import funnel as funnel
    from consilience.plot._raters_figure import label_use as label_use
    from consilience.plot._raters_figure import leave_one_out as leave_one_out
    from consilience.plot._settings_figure import settings as settings
    from consilience.plot._threshold_figure import threshold as threshold
    from consilience.plot._timeline_figure import timeline as timeline
    from consilience.plot._truth import accuracy as accuracy
    from consilience.plot._truth import certainty as certainty
    from consilience.plot._truth import error_matrix as error_matrix
    from consilience.plot._units_figure import category_kappas as category_kappas
    from consilience.plot._units_figure import unit_lengths as unit_lengths
    from consilience.plot.judged.drift_figure import control_chart as control_chart
    from consilience.plot.judged.error_figure import shared_errors as shared_errors
    from consilience.plot.judged.rank_figure import ranks as ranks
    from consilience.plot.judged.rate_figure import corrected_rates as corrected_rates
    from consilience.plot.judged.soft_figure import soft_labels as soft_labels
    from consilience.plot.style import save as save

public_names(__name__)
