"""Raters who give numbers or ranks: correlations, intraclass correlations, differences.

One file and one registration a measure; `measures` lists them with what each does not tell.
"""

from __future__ import annotations

from consilience.core.answers import answering
from consilience.magnitudes._describe_marks import (
    MarkCounts,
    MarksSummary,
    RaterMarks,
    describe_marks,
    mark_counts,
)
from consilience.magnitudes._magnitude import Magnitude, Measure, Measures, measures, register
from consilience.magnitudes._pairwise import PairwiseMagnitudes, pairwise
from consilience.magnitudes.correlations._correlation import Correlation
from consilience.magnitudes.correlations._covariance import Covariance, covariance
from consilience.magnitudes.correlations._goodman_kruskal_gamma import goodman_kruskal_gamma
from consilience.magnitudes.correlations._kendall_tau import kendall_tau
from consilience.magnitudes.correlations._kendall_w import RankConcordance, kendall_w
from consilience.magnitudes.correlations._mean_correlation import MeanCorrelation
from consilience.magnitudes.correlations._mean_pearson import mean_pearson
from consilience.magnitudes.correlations._mean_spearman import mean_spearman
from consilience.magnitudes.correlations._ordinal_measures import OrdinalAssociation
from consilience.magnitudes.correlations._pearson import pearson
from consilience.magnitudes.correlations._pearson_chi2 import ChiSquare, pearson_chi2
from consilience.magnitudes.correlations._somers_d import somers_d
from consilience.magnitudes.correlations._spearman import spearman
from consilience.magnitudes.distances_of_marks._bland_altman import (
    LimitsOfAgreement,
    bland_altman,
    tolerance_factor,
)
from consilience.magnitudes.distances_of_marks._lin_ccc import ConcordanceCorrelation, lin_ccc
from consilience.magnitudes.distances_of_marks._paired_differences import (
    PairedDifferences,
    paired_differences,
)
from consilience.magnitudes.distances_of_marks._regression import Regression, regression
from consilience.magnitudes.distances_of_marks._vector_distance import (
    VectorDistance,
    vector_distance,
)
from consilience.magnitudes.intraclass._icc import IntraclassCorrelation, icc
from consilience.magnitudes.intraclass._mean_squares import MeanSquares

__all__ = [
    "ChiSquare",
    "ConcordanceCorrelation",
    "Correlation",
    "Covariance",
    "IntraclassCorrelation",
    "LimitsOfAgreement",
    "Magnitude",
    "MarkCounts",
    "MarksSummary",
    "MeanCorrelation",
    "MeanSquares",
    "Measure",
    "Measures",
    "OrdinalAssociation",
    "PairedDifferences",
    "PairwiseMagnitudes",
    "RankConcordance",
    "RaterMarks",
    "Regression",
    "VectorDistance",
    "bland_altman",
    "covariance",
    "describe_marks",
    "goodman_kruskal_gamma",
    "icc",
    "kendall_tau",
    "kendall_w",
    "lin_ccc",
    "mark_counts",
    "mean_pearson",
    "mean_spearman",
    "measures",
    "paired_differences",
    "pairwise",
    "pearson",
    "pearson_chi2",
    "register",
    "regression",
    "somers_d",
    "spearman",
    "tolerance_factor",
    "vector_distance",
]

answering(globals(), __all__)
