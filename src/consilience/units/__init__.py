"""Agreement on timed events, spans and segmentations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.units import programs as programs
    from consilience.units.gamma_alignment._alignment_ratings import (
        alignment_ratings as alignment_ratings,
    )
    from consilience.units.gamma_alignment._alignment_ratings import (
        best_alignment as best_alignment,
    )
    from consilience.units.gamma_alignment._gamma import gamma as gamma
    from consilience.units.gamma_alignment._gamma_results import Alignment as Alignment
    from consilience.units.gamma_alignment._gamma_results import Gamma as Gamma
    from consilience.units.linking._diag_table import easydiag_table as easydiag_table
    from consilience.units.linking._easydiag import easydiag as easydiag
    from consilience.units.linking._easydiag_results import EasyDiag as EasyDiag
    from consilience.units.linking._easydiag_results import EasyDiagPairs as EasyDiagPairs
    from consilience.units.linking._event_sequences import align_sequences as align_sequences
    from consilience.units.linking._event_sequences import event_alignment as event_alignment
    from consilience.units.linking._gseq_table import AlignmentTable as AlignmentTable
    from consilience.units.linking._gseq_table import gseq_table as gseq_table
    from consilience.units.linking._quasi import quasi_kappa as quasi_kappa
    from consilience.units.linking._spark_sessions import easydiag_on_spark as easydiag_on_spark
    from consilience.units.linking._threshold_curve import ThresholdCurve as ThresholdCurve
    from consilience.units.linking._threshold_curve import threshold_curve as threshold_curve
    from consilience.units.linking._timed_alignment import timed_alignment as timed_alignment
    from consilience.units.linking._timed_results import TimedAlignment as TimedAlignment
    from consilience.units.linking.diag_results import DiagTable as DiagTable
    from consilience.units.model._lengths import UnitLengths as UnitLengths
    from consilience.units.model._lengths import unit_lengths as unit_lengths
    from consilience.units.model._sessions import session_interval as session_interval
    from consilience.units.model.units import Units as Units
    from consilience.units.segments._boundary_edit import boundary_similarity as boundary_similarity
    from consilience.units.segments._boundary_hits import boundary_hits as boundary_hits
    from consilience.units.segments._segmentation import segmentation as segmentation
    from consilience.units.segments._window_pairs import window_agreement as window_agreement
    from consilience.units.segments._windows import pk as pk
    from consilience.units.segments._windows import window_diff as window_diff
    from consilience.units.segments._windows import window_pr as window_pr
    from consilience.units.spans._chain_tables import chains_of as chains_of
    from consilience.units.spans._chains import chain_ratings as chain_ratings
    from consilience.units.spans._chains import extended_senses as extended_senses
    from consilience.units.spans._chains import word_set_ratings as word_set_ratings
    from consilience.units.spans._semeval import semeval as semeval
    from consilience.units.spans._spans import span_f1 as span_f1
    from consilience.units.spans._spans import span_kappa as span_kappa
    from consilience.units.spans._tokens import token_agreement as token_agreement
    from consilience.units.spans._tokens import token_ratings as token_ratings
    from consilience.units.time._time_agreement import time_agreement as time_agreement
    from consilience.units.time._time_kappa import time_kappa as time_kappa
    from consilience.units.unitizing._alpha_u import alpha_u as alpha_u
    from consilience.units.unitizing._unitizing_alpha import unitizing_alpha as unitizing_alpha

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
_RETURNED = (
    "AlignedEvents",
    "AlphaU",
    "AlphaUValue",
    "BorisIdentity",
    "BorisKappa",
    "BoundaryHits",
    "BoundarySimilarity",
    "CategoryKappa",
    "DisparityRow",
    "GammaValue",
    "InteractLike",
    "LabelAgreement",
    "LabelTime",
    "LengthRow",
    "ModifiedFleiss",
    "OverlapExtent",
    "QuasiKappa",
    "RaterDisparity",
    "Segmentation",
    "SegmentationPair",
    "SegmentationValue",
    "SemEval",
    "SemEvalScheme",
    "SequenceAlignment",
    "SessionGamma",
    "SessionTotals",
    "SpanAgreement",
    "SpanPair",
    "SpanSummary",
    "Staccato",
    "TimeAgreement",
    "TimeKappa",
    "TimeTable",
    "TokenAgreement",
    "UnitizingAlpha",
    "UnitizingValue",
    "WindowAgreement",
    "WindowPR",
    "WindowScore",
)
MOVED = {
    "aligned_items": "it is alignment_ratings(units, alignment=...)",
    **{name: f"it is consilience.units.programs.{name}" for name in _IN_PROGRAMS},
    **dict.fromkeys(_RETURNED, "results are returned, not imported: call what makes it"),
}

public_names(__name__)
