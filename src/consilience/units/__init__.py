"""Agreement on timed events, spans and segmentations."""

from __future__ import annotations

from consilience.units._alignment_ratings import alignment_ratings, best_alignment
from consilience.units._alpha_u import AlphaU, AlphaUValue, alpha_u
from consilience.units._boris import boris_identity, boris_kappa
from consilience.units._boris_results import BorisIdentity, BorisKappa
from consilience.units._boundary_edit import BoundarySimilarity, boundary_similarity
from consilience.units._chains import chain_ratings, extended_senses, word_set_ratings
from consilience.units._curve import ThresholdCurve, threshold_curve
from consilience.units._diag_results import DiagTable, LabelAgreement
from consilience.units._diag_table import easydiag_table
from consilience.units._easydiag import easydiag
from consilience.units._elan import ModifiedFleiss, OverlapExtent, modified_fleiss, overlap_extent
from consilience.units._event_sequences import SequenceAlignment, align_sequences, event_alignment
from consilience.units._gamma import gamma
from consilience.units._gamma_results import Alignment, Gamma, GammaValue, SessionGamma
from consilience.units._gseq_table import AlignmentTable, CategoryKappa, gseq_table
from consilience.units._hits import BoundaryHits, boundary_hits
from consilience.units._interact import InteractLike, interact_like
from consilience.units._items import aligned_items
from consilience.units._lengths import LengthRow, UnitLengths, unit_lengths
from consilience.units._observer import SessionTotals, session_totals
from consilience.units._quasi import QuasiKappa, quasi_kappa
from consilience.units._results import EasyDiag, EasyDiagPairs
from consilience.units._segmentation import segmentation
from consilience.units._segmentation_results import (
    Segmentation,
    SegmentationPair,
    SegmentationValue,
)
from consilience.units._semeval import SemEval, SemEvalScheme, semeval
from consilience.units._sessions import session_interval
from consilience.units._span_results import SpanAgreement, SpanPair, SpanSummary
from consilience.units._spans import span_f1, span_kappa
from consilience.units._staccato import Staccato, staccato
from consilience.units._time_agreement import TimeAgreement, time_agreement
from consilience.units._time_kappa import time_kappa
from consilience.units._time_results import LabelTime, TimeKappa, TimeTable
from consilience.units._timed_alignment import timed_alignment
from consilience.units._timed_results import TimedAlignment
from consilience.units._tokens import TokenAgreement, token_agreement, token_ratings
from consilience.units._unitizing_alpha import unitizing_alpha
from consilience.units._unitizing_results import UnitizingAlpha, UnitizingValue
from consilience.units._units import Units
from consilience.units._window_pairs import WindowAgreement, window_agreement
from consilience.units._windows import WindowPR, WindowScore, pk, window_diff, window_pr

__all__ = [
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
    "EasyDiag",
    "EasyDiagPairs",
    "Gamma",
    "GammaValue",
    "InteractLike",
    "LabelAgreement",
    "LabelTime",
    "LengthRow",
    "ModifiedFleiss",
    "OverlapExtent",
    "QuasiKappa",
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
    "easydiag",
    "easydiag_table",
    "event_alignment",
    "extended_senses",
    "gamma",
    "gseq_table",
    "interact_like",
    "modified_fleiss",
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
