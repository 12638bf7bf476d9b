"""Judges: what verdicts of models are worth, and what the true rate behind them is."""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.judges.item_picks import Picks, pick_items
from consilience.judges.label_plan import LabelPlan
from consilience.judges.label_shares import corrected_shares
from consilience.judges.labels_to_buy import labels_to_buy
from consilience.judges.rate_differences import rate_difference
from consilience.judges.rate_results import CorrectedRate, CorrectedShares, Rate, RateDifference
from consilience.judges.rates import corrected_mean, corrected_rate, rogan_gladen
from consilience.judges.shared_error_results import SharedErrors, effective_number
from consilience.judges.shared_errors import effective_judges

__all__ = [
    "CorrectedRate",
    "CorrectedShares",
    "LabelPlan",
    "Picks",
    "Rate",
    "RateDifference",
    "SharedErrors",
    "corrected_mean",
    "corrected_rate",
    "corrected_shares",
    "effective_judges",
    "effective_number",
    "labels_to_buy",
    "pick_items",
    "rate_difference",
    "rogan_gladen",
]

answering(globals(), __all__)
