"""A system (marker, classifier, language model) against a panel of people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.judges import corrected_rate as corrected_rate
    from consilience.panel._alternative import AlternativeTest as AlternativeTest
    from consilience.panel._alternative import PersonTest as PersonTest
    from consilience.panel._alternative import (
        alternative_annotator_test as alternative_annotator_test,
    )
    from consilience.panel._consistency import PositionSwap as PositionSwap
    from consilience.panel._consistency import position_swap as position_swap
    from consilience.panel._differences import Differences as Differences
    from consilience.panel._differences import differences as differences
    from consilience.panel._disagreements import Disagreement as Disagreement
    from consilience.panel._gold import Accuracy as Accuracy
    from consilience.panel._label_precision import LabelScore as LabelScore
    from consilience.panel._label_use import LabelUse as LabelUse
    from consilience.panel._markers import Marker as Marker
    from consilience.panel._measures import Measure as Measure
    from consilience.panel._panel_comparison import compare as compare
    from consilience.panel._panel_results import PanelResult as PanelResult
    from consilience.panel._panel_results import SystemResult as SystemResult
    from consilience.panel._resampled_means import Value as Value
    from consilience.panel._supplements import Added as Added
    from consilience.panel._sweep import sweep as sweep
    from consilience.panel._sweep_metrics import Metric as Metric
    from consilience.panel._sweep_metrics import MetricValue as MetricValue
    from consilience.panel._sweep_rankings import MetricAgreement as MetricAgreement
    from consilience.panel._sweep_rankings import Rankings as Rankings
    from consilience.panel._sweep_result import SweepResult as SweepResult
    from consilience.panel._sweep_result import SweepRow as SweepRow

public_names(__name__)
