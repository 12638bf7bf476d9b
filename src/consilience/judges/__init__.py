"""Judges: what verdicts of models are worth, and what the true rate behind them is."""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.judges.biases import Bias, JudgeBiases, judge_biases
from consilience.judges.item_picks import Picks, pick_items
from consilience.judges.joined_labels import Joined, join_people
from consilience.judges.label_plan import LabelPlan
from consilience.judges.label_shares import corrected_shares
from consilience.judges.labels_to_buy import labels_to_buy
from consilience.judges.preference_results import Ability, JudgeReliability, Lead, Preferences
from consilience.judges.preferences import preferences
from consilience.judges.rate_differences import rate_difference
from consilience.judges.rate_results import CorrectedRate, CorrectedShares, Rate, RateDifference
from consilience.judges.rates import corrected_mean, corrected_rate, rogan_gladen
from consilience.judges.shared_error_results import SharedErrors, effective_number
from consilience.judges.shared_errors import effective_judges
from consilience.judges.soft_labels import SoftAgreement, SoftMeasure, soft_agreement
from consilience.judges.watch import Batch, Watch, confidence_sequence, watch_judge

__all__ = [
    "Ability",
    "Batch",
    "Bias",
    "CorrectedRate",
    "CorrectedShares",
    "Joined",
    "JudgeBiases",
    "JudgeReliability",
    "LabelPlan",
    "Lead",
    "Picks",
    "Preferences",
    "Rate",
    "RateDifference",
    "SharedErrors",
    "SoftAgreement",
    "SoftMeasure",
    "Watch",
    "confidence_sequence",
    "corrected_mean",
    "corrected_rate",
    "corrected_shares",
    "effective_judges",
    "effective_number",
    "join_people",
    "judge_biases",
    "labels_to_buy",
    "pick_items",
    "preferences",
    "rate_difference",
    "rogan_gladen",
    "soft_agreement",
    "watch_judge",
]

answering(globals(), __all__)
