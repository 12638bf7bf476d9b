"""Spearman's correlation averaged over all pairs of raters."""

from __future__ import annotations

from typing import Any

from consilience.magnitudes._magnitude import register
from consilience.magnitudes.correlations._correlation import spearman_influence, spearman_of
from consilience.magnitudes.correlations._mean_correlation import MeanCorrelation, mean_correlation


@register(
    title="Mean Spearman correlation",
    caution=(
        "It compares orders only: raters with the same rankings and different marks correlate "
        "perfectly."
    ),
    raters="any",
    labels="order",
    aliases=("mean_rho",),
)
def mean_spearman(*ratings: Any, average: str = "fisher") -> MeanCorrelation:
    """Mean of Spearman's rank correlation over all pairs of raters.

    Use it to summarise how alike many raters rank. Prefer `kendall_w` for complete rankings.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    average : {"fisher", "plain"}
        Average Fisher's z and turn it back, or average the correlations.

    Returns
    -------
    MeanCorrelation

    Raises
    ------
    UnsupportedDesignError
        Fewer than two raters, or labels without an order.

    Notes
    -----
    Each pair is ranked and compared on the items that both rated; see `mean_pearson` for pairs
    that are left out.

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
    ...          [6, 2, 4, 7]]  # Shrout & Fleiss 1979, Table 2
    >>> round(mean_spearman(Ratings.from_wide(marks, scale="interval")).value, 3)
    0.88
    """
    return mean_correlation("mean_spearman", ratings, average, spearman_of, spearman_influence)
