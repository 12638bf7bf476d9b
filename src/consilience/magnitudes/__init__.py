"""Raters who give numbers or ranks: correlations, intraclass correlations, differences.

One function and one registration a measure; `measures` lists them with what each does not tell.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.magnitudes._correlations import covariance as covariance
    from consilience.magnitudes._correlations import mean_pearson as mean_pearson
    from consilience.magnitudes._correlations import mean_spearman as mean_spearman
    from consilience.magnitudes._correlations import pearson as pearson
    from consilience.magnitudes._correlations import pearson_chi2 as pearson_chi2
    from consilience.magnitudes._correlations import spearman as spearman
    from consilience.magnitudes._differences import paired_differences as paired_differences
    from consilience.magnitudes._differences import vector_distance as vector_distance
    from consilience.magnitudes._icc import icc as icc
    from consilience.magnitudes._magnitude import Magnitude as Magnitude
    from consilience.magnitudes._magnitude import Measure as Measure
    from consilience.magnitudes._magnitude import measures as measures
    from consilience.magnitudes._magnitude import register as register
    from consilience.magnitudes._ranks import goodman_kruskal_gamma as goodman_kruskal_gamma
    from consilience.magnitudes._ranks import kendall_tau as kendall_tau
    from consilience.magnitudes._ranks import kendall_w as kendall_w
    from consilience.magnitudes._ranks import somers_d as somers_d
    from consilience.magnitudes.marks_summary import describe_marks as describe_marks
    from consilience.magnitudes.marks_summary import mark_counts as mark_counts
    from consilience.magnitudes.marks_summary import pairwise as pairwise
    from consilience.magnitudes.method_comparison import bland_altman as bland_altman
    from consilience.magnitudes.method_comparison import lin_ccc as lin_ccc
    from consilience.magnitudes.method_comparison import regression as regression
    from consilience.magnitudes.method_comparison import tolerance_factor as tolerance_factor

public_names(__name__)
