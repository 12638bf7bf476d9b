"""Agreement on timed events, spans and segmentations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.units.gamma_alignment._alignment_ratings import aligned_items as aligned_items
    from consilience.units.gamma_alignment._alignment_ratings import (
        alignment_ratings as alignment_ratings,
    )
    from consilience.units.gamma_alignment._alignment_ratings import (
        best_alignment as best_alignment,
    )
    from consilience.units.gamma_alignment._gamma import gamma as gamma
    from consilience.units.gamma_alignment._gamma_results import Alignment as Alignment
    from consilience.units.gamma_alignment._gamma_results import Gamma as Gamma
    from consilience.units.gamma_alignment._gamma_results import GammaValue as GammaValue
    from consilience.units.gamma_alignment._gamma_results import SessionGamma as SessionGamma
    from consilience.units.linking._diag_table import easydiag_table as easydiag_table
    from consilience.units.linking._disparity import DisparityRow as DisparityRow
    from consilience.units.linking._disparity import RaterDisparity as RaterDisparity
    from consilience.units.linking._easydiag import easydiag as easydiag
    from consilience.units.linking._easydiag_results import EasyDiag as EasyDiag
    from consilience.units.linking._easydiag_results import EasyDiagPairs as EasyDiagPairs
    from consilience.units.linking._event_sequences import SequenceAlignment as SequenceAlignment
    from consilience.units.linking._event_sequences import align_sequences as align_sequences
    from consilience.units.linking._event_sequences import event_alignment as event_alignment
    from consilience.units.linking._gseq_table import AlignmentTable as AlignmentTable
    from consilience.units.linking._gseq_table import CategoryKappa as CategoryKappa
    from consilience.units.linking._gseq_table import gseq_table as gseq_table
    from consilience.units.linking._quasi import QuasiKappa as QuasiKappa
    from consilience.units.linking._quasi import quasi_kappa as quasi_kappa
    from consilience.units.linking._spark_sessions import easydiag_on_spark as easydiag_on_spark
    from consilience.units.linking._threshold_curve import ThresholdCurve as ThresholdCurve
    from consilience.units.linking._threshold_curve import threshold_curve as threshold_curve
    from consilience.units.linking._timed_alignment import timed_alignment as timed_alignment
    from consilience.units.linking._timed_results import AlignedEvents as AlignedEvents
    from consilience.units.linking._timed_results import TimedAlignment as TimedAlignment
    from consilience.units.linking.diag_results import DiagTable as DiagTable
    from consilience.units.linking.diag_results import LabelAgreement as LabelAgreement
    from consilience.units.model._lengths import LengthRow as LengthRow
    from consilience.units.model._lengths import UnitLengths as UnitLengths
    from consilience.units.model._lengths import unit_lengths as unit_lengths
    from consilience.units.model._sessions import session_interval as session_interval
    from consilience.units.model.units import Units as Units
    from consilience.units.programs._boris import boris_identity as boris_identity
    from consilience.units.programs._boris import boris_kappa as boris_kappa
    from consilience.units.programs._boris_tally import BorisIdentity as BorisIdentity
    from consilience.units.programs._boris_tally import BorisKappa as BorisKappa
    from consilience.units.programs._elan import ModifiedFleiss as ModifiedFleiss
    from consilience.units.programs._elan import OverlapExtent as OverlapExtent
    from consilience.units.programs._elan import modified_fleiss as modified_fleiss
    from consilience.units.programs._elan import overlap_extent as overlap_extent
    from consilience.units.programs._interact import InteractLike as InteractLike
    from consilience.units.programs._interact import interact_like as interact_like
    from consilience.units.programs._multiple_linking import MultipleLinks as MultipleLinks
    from consilience.units.programs._multiple_linking import multiple_links as multiple_links
    from consilience.units.programs._observer import SessionTotals as SessionTotals
    from consilience.units.programs._observer import session_totals as session_totals
    from consilience.units.programs._staccato import Staccato as Staccato
    from consilience.units.programs._staccato import staccato as staccato
    from consilience.units.segments._boundary_edit import BoundarySimilarity as BoundarySimilarity
    from consilience.units.segments._boundary_edit import boundary_similarity as boundary_similarity
    from consilience.units.segments._boundary_hits import BoundaryHits as BoundaryHits
    from consilience.units.segments._boundary_hits import boundary_hits as boundary_hits
    from consilience.units.segments._segmentation import segmentation as segmentation
    from consilience.units.segments._segmentation_results import Segmentation as Segmentation
    from consilience.units.segments._segmentation_results import (
        SegmentationPair as SegmentationPair,
    )
    from consilience.units.segments._segmentation_results import (
        SegmentationValue as SegmentationValue,
    )
    from consilience.units.segments._window_pairs import WindowAgreement as WindowAgreement
    from consilience.units.segments._window_pairs import window_agreement as window_agreement
    from consilience.units.segments._windows import WindowPR as WindowPR
    from consilience.units.segments._windows import WindowScore as WindowScore
    from consilience.units.segments._windows import pk as pk
    from consilience.units.segments._windows import window_diff as window_diff
    from consilience.units.segments._windows import window_pr as window_pr
    from consilience.units.spans._chain_tables import chains_of as chains_of
    from consilience.units.spans._chains import chain_ratings as chain_ratings
    from consilience.units.spans._chains import extended_senses as extended_senses
    from consilience.units.spans._chains import word_set_ratings as word_set_ratings
    from consilience.units.spans._semeval import SemEval as SemEval
    from consilience.units.spans._semeval import SemEvalScheme as SemEvalScheme
    from consilience.units.spans._semeval import semeval as semeval
    from consilience.units.spans._span_results import SpanAgreement as SpanAgreement
    from consilience.units.spans._span_results import SpanPair as SpanPair
    from consilience.units.spans._span_results import SpanSummary as SpanSummary
    from consilience.units.spans._spans import span_f1 as span_f1
    from consilience.units.spans._spans import span_kappa as span_kappa
    from consilience.units.spans._tokens import TokenAgreement as TokenAgreement
    from consilience.units.spans._tokens import token_agreement as token_agreement
    from consilience.units.spans._tokens import token_ratings as token_ratings
    from consilience.units.time._time_agreement import TimeAgreement as TimeAgreement
    from consilience.units.time._time_agreement import time_agreement as time_agreement
    from consilience.units.time._time_kappa import time_kappa as time_kappa
    from consilience.units.time._time_results import LabelTime as LabelTime
    from consilience.units.time._time_results import TimeKappa as TimeKappa
    from consilience.units.time._time_results import TimeTable as TimeTable
    from consilience.units.unitizing._alpha_u import AlphaU as AlphaU
    from consilience.units.unitizing._alpha_u import AlphaUValue as AlphaUValue
    from consilience.units.unitizing._alpha_u import alpha_u as alpha_u
    from consilience.units.unitizing._unitizing_alpha import unitizing_alpha as unitizing_alpha
    from consilience.units.unitizing._unitizing_results import UnitizingAlpha as UnitizingAlpha
    from consilience.units.unitizing._unitizing_results import UnitizingValue as UnitizingValue

public_names(__name__)
