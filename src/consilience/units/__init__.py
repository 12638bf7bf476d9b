"""Agreement on timed events, spans and segmentations."""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.units.gamma_alignment._alignment_ratings import (
    aligned_items,
    alignment_ratings,
    best_alignment,
)
from consilience.units.gamma_alignment._gamma import gamma
from consilience.units.gamma_alignment._gamma_results import (
    Alignment,
    Gamma,
    GammaValue,
    SessionGamma,
)
from consilience.units.linking._diag_table import easydiag_table
from consilience.units.linking._disparity import DisparityRow, RaterDisparity
from consilience.units.linking._easydiag import easydiag
from consilience.units.linking._easydiag_results import EasyDiag, EasyDiagPairs
from consilience.units.linking._event_sequences import (
    SequenceAlignment,
    align_sequences,
    event_alignment,
)
from consilience.units.linking._gseq_table import AlignmentTable, CategoryKappa, gseq_table
from consilience.units.linking._quasi import QuasiKappa, quasi_kappa
from consilience.units.linking._spark_sessions import easydiag_on_spark
from consilience.units.linking._threshold_curve import ThresholdCurve, threshold_curve
from consilience.units.linking._timed_alignment import timed_alignment
from consilience.units.linking._timed_results import AlignedEvents, TimedAlignment
from consilience.units.linking.diag_results import DiagTable, LabelAgreement
from consilience.units.model._lengths import LengthRow, UnitLengths, unit_lengths
from consilience.units.model._sessions import session_interval
from consilience.units.model.units import Units
from consilience.units.programs._boris import boris_identity, boris_kappa
from consilience.units.programs._boris_tally import BorisIdentity, BorisKappa
from consilience.units.programs._elan import (
    ModifiedFleiss,
    OverlapExtent,
    modified_fleiss,
    overlap_extent,
)
from consilience.units.programs._interact import InteractLike, interact_like
from consilience.units.programs._multiple_linking import MultipleLinks, multiple_links
from consilience.units.programs._observer import SessionTotals, session_totals
from consilience.units.programs._staccato import Staccato, staccato
from consilience.units.segments._boundary_edit import BoundarySimilarity, boundary_similarity
from consilience.units.segments._boundary_hits import BoundaryHits, boundary_hits
from consilience.units.segments._segmentation import segmentation
from consilience.units.segments._segmentation_results import (
    Segmentation,
    SegmentationPair,
    SegmentationValue,
)
from consilience.units.segments._window_pairs import WindowAgreement, window_agreement
from consilience.units.segments._windows import WindowPR, WindowScore, pk, window_diff, window_pr
from consilience.units.spans._chain_tables import chains_of
from consilience.units.spans._chains import chain_ratings, extended_senses, word_set_ratings
from consilience.units.spans._semeval import SemEval, SemEvalScheme, semeval
from consilience.units.spans._span_results import SpanAgreement, SpanPair, SpanSummary
from consilience.units.spans._spans import span_f1, span_kappa
from consilience.units.spans._tokens import TokenAgreement, token_agreement, token_ratings
from consilience.units.time._time_agreement import TimeAgreement, time_agreement
from consilience.units.time._time_kappa import time_kappa
from consilience.units.time._time_results import LabelTime, TimeKappa, TimeTable
from consilience.units.unitizing._alpha_u import AlphaU, AlphaUValue, alpha_u
from consilience.units.unitizing._unitizing_alpha import unitizing_alpha
from consilience.units.unitizing._unitizing_results import UnitizingAlpha, UnitizingValue

__all__ = [
    "AlignedEvents",
    "Alignment",
    "AlignmentTable",
    "AlphaU",
    "AlphaUValue",
    "BorisIdentity",
    "BorisKappa",
    "BoundaryHits",
    "BoundarySimilarity",
    "CategoryKappa",
    "DiagTable",
    "DisparityRow",
    "EasyDiag",
    "EasyDiagPairs",
    "Gamma",
    "GammaValue",
    "InteractLike",
    "LabelAgreement",
    "LabelTime",
    "LengthRow",
    "ModifiedFleiss",
    "MultipleLinks",
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
    "ThresholdCurve",
    "TimeAgreement",
    "TimeKappa",
    "TimeTable",
    "TimedAlignment",
    "TokenAgreement",
    "UnitLengths",
    "UnitizingAlpha",
    "UnitizingValue",
    "Units",
    "WindowAgreement",
    "WindowPR",
    "WindowScore",
    "align_sequences",
    "aligned_items",
    "alignment_ratings",
    "alpha_u",
    "best_alignment",
    "boris_identity",
    "boris_kappa",
    "boundary_hits",
    "boundary_similarity",
    "chain_ratings",
    "chains_of",
    "easydiag",
    "easydiag_on_spark",
    "easydiag_table",
    "event_alignment",
    "extended_senses",
    "gamma",
    "gseq_table",
    "interact_like",
    "modified_fleiss",
    "multiple_links",
    "overlap_extent",
    "pk",
    "quasi_kappa",
    "segmentation",
    "semeval",
    "session_interval",
    "session_totals",
    "span_f1",
    "span_kappa",
    "staccato",
    "threshold_curve",
    "time_agreement",
    "time_kappa",
    "timed_alignment",
    "token_agreement",
    "token_ratings",
    "unit_lengths",
    "unitizing_alpha",
    "window_agreement",
    "window_diff",
    "window_pr",
    "word_set_ratings",
]

answering(globals(), __all__)
