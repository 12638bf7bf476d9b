"""Pearson's correlation averaged over all pairs of raters."""

from __future__ import annotations

from typing import Any

from consilience.magnitudes._magnitude import register
from consilience.magnitudes.correlations._correlation import pearson_influence, pearson_of
from consilience.magnitudes.correlations._mean_correlation import MeanCorrelation, mean_correlation


@register(
    title="Mean Pearson correlation",
    caution=(
        "Correlation is not agreement: raters who differ by a constant, or by a factor, correlate "
        "perfectly."
    ),
    raters="any",
    labels="numbers",
    aliases=("mean_correlation",),
)
def mean_pearson(*ratings: Any, average: str = "fisher") -> MeanCorrelation:
    """Mean of Pearson's correlation over all pairs of raters.

    Use it to summarise how closely marks of many raters follow each other. Prefer `icc`, which
    also counts differences in level.

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
        Fewer than two raters, or labels that are not numbers.

    Notes
    -----
    Each pair is compared on the items that both rated. Perfect correlations have no Fisher z; they
    and pairs with a constant rater are left out, counted and flagged.

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
    ...          [6, 2, 4, 7]]  # Shrout & Fleiss 1979, Table 2
    >>> round(mean_pearson(Ratings.from_wide(marks, scale="interval")).value, 3)
    0.77
    """
    return mean_correlation("mean_pearson", ratings, average, pearson_of, pearson_influence)
