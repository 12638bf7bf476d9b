"""A system (marker, classifier, language model) against a panel of people."""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.judges import corrected_rate
from consilience.panel._alternative import (
    AlternativeTest,
    PersonTest,
    alternative_annotator_test,
)
from consilience.panel._consistency import PositionSwap, position_swap
from consilience.panel._differences import Differences, differences
from consilience.panel._disagreements import Disagreement
from consilience.panel._gold import Accuracy
from consilience.panel._label_precision import LabelScore
from consilience.panel._label_use import LabelUse
from consilience.panel._markers import Marker
from consilience.panel._measures import Measure
from consilience.panel._panel_comparison import compare
from consilience.panel._panel_results import PanelResult, SystemResult
from consilience.panel._resampled_means import Value
from consilience.panel._supplements import Added
from consilience.panel._sweep import sweep
from consilience.panel._sweep_metrics import Metric, MetricValue
from consilience.panel._sweep_rankings import MetricAgreement, Rankings
from consilience.panel._sweep_result import SweepResult, SweepRow

__all__ = [
    "Accuracy",
    "Added",
    "AlternativeTest",
    "Differences",
    "Disagreement",
    "LabelScore",
    "LabelUse",
    "Marker",
    "Measure",
    "Metric",
    "MetricAgreement",
    "MetricValue",
    "PanelResult",
    "PersonTest",
    "PositionSwap",
    "Rankings",
    "SweepResult",
    "SweepRow",
    "SystemResult",
    "Value",
    "alternative_annotator_test",
    "compare",
    "corrected_rate",
    "differences",
    "position_swap",
    "sweep",
]

answering(globals(), __all__)
