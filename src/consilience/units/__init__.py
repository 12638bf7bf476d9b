"""Agreement on timed events, spans and segmentations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.units import programs as programs
    from consilience.units._boundaries import boundary_hits as boundary_hits
    from consilience.units._chains import chain_ratings as chain_ratings
    from consilience.units._chains import chains_of as chains_of
    from consilience.units._chains import extended_senses as extended_senses
    from consilience.units._chains import muc_scores as muc_scores
    from consilience.units._chains import word_set_ratings as word_set_ratings
    from consilience.units._easydiag_spark import easydiag_on_spark as easydiag_on_spark
    from consilience.units._over_time import time_agreement as time_agreement
    from consilience.units._over_time import time_kappa as time_kappa
    from consilience.units._quasi_independence import quasi_kappa as quasi_kappa
    from consilience.units._segmentation import boundary_similarity as boundary_similarity
    from consilience.units._segmentation import segmentation as segmentation
    from consilience.units._spans import semeval as semeval
    from consilience.units._spans import span_f1 as span_f1
    from consilience.units._spans import span_kappa as span_kappa
    from consilience.units._tokens import token_agreement as token_agreement
    from consilience.units._tokens import token_ratings as token_ratings
    from consilience.units._unit_results import session_interval as session_interval
    from consilience.units._unitizing import alpha_u as alpha_u
    from consilience.units._unitizing import unitizing_alpha as unitizing_alpha
    from consilience.units._windows import pk as pk
    from consilience.units._windows import window_agreement as window_agreement
    from consilience.units._windows import window_diff as window_diff
    from consilience.units._windows import window_pr as window_pr
    from consilience.units.alignment import align_sequences as align_sequences
    from consilience.units.alignment import event_alignment as event_alignment
    from consilience.units.alignment import gseq_table as gseq_table
    from consilience.units.alignment import timed_alignment as timed_alignment
    from consilience.units.easydiag import easydiag as easydiag
    from consilience.units.easydiag import threshold_curve as threshold_curve
    from consilience.units.gamma import alignment_ratings as alignment_ratings
    from consilience.units.gamma import best_alignment as best_alignment
    from consilience.units.gamma import gamma as gamma
    from consilience.units.lengths import unit_lengths as unit_lengths
    from consilience.units.link_tables import easydiag_table as easydiag_table
    from consilience.units.model import Units as Units

_IN_PROGRAMS = (
    "boris_identity",
    "boris_kappa",
    "interact_like",
    "modified_fleiss",
    "multiple_links",
    "overlap_extent",
    "session_totals",
    "staccato",
)
_RETURNED_THERE = (
    "BorisIdentity",
    "BorisKappa",
    "InteractLike",
    "ModifiedFleiss",
    "MultipleLinks",
    "OverlapExtent",
    "SessionTotals",
    "Staccato",
)
MOVED = {
    "aligned_items": "it is alignment_ratings(units, alignment=...)",
    **{name: f"it is consilience.units.programs.{name}" for name in _IN_PROGRAMS},
    **dict.fromkeys(_RETURNED_THERE, "results are returned, not imported: call what makes it"),
}

public_names(__name__)
