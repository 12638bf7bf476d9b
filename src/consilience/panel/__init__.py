"""A system (marker, classifier, language model) against a panel of people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.judges import corrected_rate as corrected_rate
    from consilience.panel._alternative import PersonTest as PersonTest
    from consilience.panel._alternative import (
        alternative_annotator_test as alternative_annotator_test,
    )
    from consilience.panel._consistency import PositionSwap as PositionSwap
    from consilience.panel._consistency import position_swap as position_swap
    from consilience.panel._differences import Differences as Differences
    from consilience.panel._differences import differences as differences
    from consilience.panel._panel_comparison import compare as compare
    from consilience.panel._panel_results import PanelResult as PanelResult
    from consilience.panel._sweep import sweep as sweep
    from consilience.panel._sweep_metrics import Metric as Metric
    from consilience.panel._sweep_rankings import Rankings as Rankings
    from consilience.panel._sweep_result import SweepResult as SweepResult
    from consilience.panel._sweep_result import SweepRow as SweepRow

# What these functions return is not imported.
_FROM_COMPARE = (
    "Accuracy",
    "Added",
    "Disagreement",
    "LabelScore",
    "LabelUse",
    "Marker",
    "Measure",
    "SystemResult",
    "Value",
)
MOVED = {
    **dict.fromkeys(_FROM_COMPARE, "compare returns it"),
    "AlternativeTest": "alternative_annotator_test returns it",
    **dict.fromkeys(("MetricAgreement", "MetricValue"), "sweep returns it"),
}

public_names(__name__)
