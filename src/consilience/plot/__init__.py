"""Figures: each function draws one thing and returns the matplotlib Axes, which notebooks show."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.plot.curves import batches as batches
    from consilience.plot.curves import chance_surface as chance_surface
    from consilience.plot.curves import curve as curve
    from consilience.plot.curves import prevalence_effect as prevalence_effect
    from consilience.plot.curves import tolerance as tolerance
    from consilience.plot.grids import accuracy as accuracy
    from consilience.plot.grids import certainty as certainty
    from consilience.plot.grids import confusion as confusion
    from consilience.plot.grids import error_matrix as error_matrix
    from consilience.plot.grids import heat_map as heat_map
    from consilience.plot.grids import raters as raters
    from consilience.plot.judges import control_chart as control_chart
    from consilience.plot.judges import corrected_rates as corrected_rates
    from consilience.plot.judges import panel as panel
    from consilience.plot.judges import ranks as ranks
    from consilience.plot.judges import settings as settings
    from consilience.plot.judges import shared_errors as shared_errors
    from consilience.plot.judges import soft_labels as soft_labels
    from consilience.plot.judges import sweep as sweep
    from consilience.plot.marks import bland_altman as bland_altman
    from consilience.plot.marks import differences as differences
    from consilience.plot.marks import histogram as histogram
    from consilience.plot.marks import marks as marks
    from consilience.plot.raters import design as design
    from consilience.plot.raters import funnel as funnel
    from consilience.plot.raters import item_agreement as item_agreement
    from consilience.plot.raters import label_use as label_use
    from consilience.plot.raters import leave_one_out as leave_one_out
    from consilience.plot.rows import coefficient_bars as coefficient_bars
    from consilience.plot.rows import forest as forest
    from consilience.plot.rows import variables as variables
    from consilience.plot.style import save as save
    from consilience.plot.time import alignment as alignment
    from consilience.plot.time import timeline as timeline
    from consilience.plot.units import category_kappas as category_kappas
    from consilience.plot.units import threshold as threshold
    from consilience.plot.units import unit_lengths as unit_lengths

public_names(__name__)
