"""Judges: what verdicts of models are worth, and what the true rate behind them is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.judges.biases import Bias as Bias
    from consilience.judges.biases import JudgeBiases as JudgeBiases
    from consilience.judges.biases import judge_biases as judge_biases
    from consilience.judges.item_picks import Picks as Picks
    from consilience.judges.item_picks import pick_items as pick_items
    from consilience.judges.joined_labels import Joined as Joined
    from consilience.judges.joined_labels import join_people as join_people
    from consilience.judges.label_plan import LabelPlan as LabelPlan
    from consilience.judges.label_shares import corrected_shares as corrected_shares
    from consilience.judges.labels_to_buy import labels_to_buy as labels_to_buy
    from consilience.judges.preference_results import Ability as Ability
    from consilience.judges.preference_results import JudgeReliability as JudgeReliability
    from consilience.judges.preference_results import Lead as Lead
    from consilience.judges.preference_results import Preferences as Preferences
    from consilience.judges.preferences import preferences as preferences
    from consilience.judges.rate_differences import rate_difference as rate_difference
    from consilience.judges.rate_results import CorrectedRate as CorrectedRate
    from consilience.judges.rate_results import CorrectedShares as CorrectedShares
    from consilience.judges.rate_results import Rate as Rate
    from consilience.judges.rate_results import RateDifference as RateDifference
    from consilience.judges.rates import corrected_mean as corrected_mean
    from consilience.judges.rates import corrected_rate as corrected_rate
    from consilience.judges.rates import rogan_gladen as rogan_gladen
    from consilience.judges.shared_error_results import SharedErrors as SharedErrors
    from consilience.judges.shared_error_results import effective_number as effective_number
    from consilience.judges.shared_errors import effective_judges as effective_judges
    from consilience.judges.soft_labels import SoftAgreement as SoftAgreement
    from consilience.judges.soft_labels import SoftMeasure as SoftMeasure
    from consilience.judges.soft_labels import soft_agreement as soft_agreement
    from consilience.judges.watch import Batch as Batch
    from consilience.judges.watch import Watch as Watch
    from consilience.judges.watch import confidence_sequence as confidence_sequence
    from consilience.judges.watch import watch_judge as watch_judge

public_names(__name__)
