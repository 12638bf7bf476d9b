"""A system (marker, classifier, language model) against a panel of people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.judges import corrected_rate as corrected_rate
    from consilience.panel._alternative_annotator import (
        alternative_annotator_test as alternative_annotator_test,
    )
    from consilience.panel._sweep_metrics import Metric as Metric
    from consilience.panel.comparison import PanelResult as PanelResult
    from consilience.panel.comparison import compare as compare
    from consilience.panel.labels import position_swap as position_swap
    from consilience.panel.markers import differences as differences
    from consilience.panel.sweeps import SweepResult as SweepResult
    from consilience.panel.sweeps import sweep as sweep

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
    **dict.fromkeys(("AlternativeTest", "PersonTest"), "alternative_annotator_test returns it"),
    **dict.fromkeys(("MetricAgreement", "MetricValue", "Rankings"), "sweep returns it"),
}

public_names(__name__)
