"""Judges: what verdicts of models are worth, and what the true rate behind them is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.judges.biases import judge_biases as judge_biases
    from consilience.judges.control_chart import confidence_sequence as confidence_sequence
    from consilience.judges.control_chart import watch_judge as watch_judge
    from consilience.judges.corrected_rates import corrected_mean as corrected_mean
    from consilience.judges.corrected_rates import corrected_rate as corrected_rate
    from consilience.judges.corrected_rates import corrected_shares as corrected_shares
    from consilience.judges.corrected_rates import rate_difference as rate_difference
    from consilience.judges.corrected_rates import rogan_gladen as rogan_gladen
    from consilience.judges.label_plan import labels_to_buy as labels_to_buy
    from consilience.judges.label_plan import pick_items as pick_items
    from consilience.judges.preferences import preferences as preferences
    from consilience.judges.shared_errors import effective_judges as effective_judges
    from consilience.judges.shared_errors import effective_number as effective_number
    from consilience.judges.soft_labels import soft_agreement as soft_agreement
    from consilience.judges.verdicts import join_people as join_people

# What these functions return is not imported.
MOVED = {
    **dict.fromkeys(("Bias", "JudgeBiases"), "judge_biases returns it"),
    "Picks": "pick_items returns it",
    "Joined": "join_people returns it",
    "LabelPlan": "labels_to_buy returns it",
    **dict.fromkeys(("Ability", "JudgeReliability", "Lead"), "preferences returns it"),
    "SoftMeasure": "soft_agreement returns it",
    "Batch": "watch_judge returns it",
}

public_names(__name__)
