"""Raters who give numbers or ranks: correlations, intraclass correlations, differences.

One file and one registration a measure; `measures` lists them with what each does not tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.magnitudes._describe_marks import MarkCounts as MarkCounts
    from consilience.magnitudes._describe_marks import MarksSummary as MarksSummary
    from consilience.magnitudes._describe_marks import RaterMarks as RaterMarks
    from consilience.magnitudes._describe_marks import describe_marks as describe_marks
    from consilience.magnitudes._describe_marks import mark_counts as mark_counts
    from consilience.magnitudes._magnitude import Magnitude as Magnitude
    from consilience.magnitudes._magnitude import Measure as Measure
    from consilience.magnitudes._magnitude import Measures as Measures
    from consilience.magnitudes._magnitude import measures as measures
    from consilience.magnitudes._magnitude import register as register
    from consilience.magnitudes._pairwise import PairwiseMagnitudes as PairwiseMagnitudes
    from consilience.magnitudes._pairwise import pairwise as pairwise
    from consilience.magnitudes.correlations._correlation import Correlation as Correlation
    from consilience.magnitudes.correlations._covariance import Covariance as Covariance
    from consilience.magnitudes.correlations._covariance import covariance as covariance
    from consilience.magnitudes.correlations._goodman_kruskal_gamma import (
        goodman_kruskal_gamma as goodman_kruskal_gamma,
    )
    from consilience.magnitudes.correlations._kendall_tau import kendall_tau as kendall_tau
    from consilience.magnitudes.correlations._kendall_w import RankConcordance as RankConcordance
    from consilience.magnitudes.correlations._kendall_w import kendall_w as kendall_w
    from consilience.magnitudes.correlations._mean_correlation import (
        MeanCorrelation as MeanCorrelation,
    )
    from consilience.magnitudes.correlations._mean_pearson import mean_pearson as mean_pearson
    from consilience.magnitudes.correlations._mean_spearman import mean_spearman as mean_spearman
    from consilience.magnitudes.correlations._ordinal_measures import (
        OrdinalAssociation as OrdinalAssociation,
    )
    from consilience.magnitudes.correlations._pearson import pearson as pearson
    from consilience.magnitudes.correlations._pearson_chi2 import ChiSquare as ChiSquare
    from consilience.magnitudes.correlations._pearson_chi2 import pearson_chi2 as pearson_chi2
    from consilience.magnitudes.correlations._somers_d import somers_d as somers_d
    from consilience.magnitudes.correlations._spearman import spearman as spearman
    from consilience.magnitudes.distances_of_marks._bland_altman import (
        LimitsOfAgreement as LimitsOfAgreement,
    )
    from consilience.magnitudes.distances_of_marks._bland_altman import bland_altman as bland_altman
    from consilience.magnitudes.distances_of_marks._bland_altman import (
        tolerance_factor as tolerance_factor,
    )
    from consilience.magnitudes.distances_of_marks._lin_ccc import (
        ConcordanceCorrelation as ConcordanceCorrelation,
    )
    from consilience.magnitudes.distances_of_marks._lin_ccc import lin_ccc as lin_ccc
    from consilience.magnitudes.distances_of_marks._paired_differences import (
        PairedDifferences as PairedDifferences,
    )
    from consilience.magnitudes.distances_of_marks._paired_differences import (
        paired_differences as paired_differences,
    )
    from consilience.magnitudes.distances_of_marks._regression import Regression as Regression
    from consilience.magnitudes.distances_of_marks._regression import regression as regression
    from consilience.magnitudes.distances_of_marks._vector_distance import (
        VectorDistance as VectorDistance,
    )
    from consilience.magnitudes.distances_of_marks._vector_distance import (
        vector_distance as vector_distance,
    )
    from consilience.magnitudes.intraclass._icc import (
        IntraclassCorrelation as IntraclassCorrelation,
    )
    from consilience.magnitudes.intraclass._icc import icc as icc
    from consilience.magnitudes.intraclass._mean_squares import MeanSquares as MeanSquares

public_names(__name__)
