"""Spearman's rank correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from consilience.magnitudes._magnitude import register
from consilience.magnitudes.correlations._correlation import (
    Correlation,
    spearman_influence,
    spearman_of,
)
from consilience.magnitudes.paired import paired


@register(
    title="Spearman's rho",
    caution=(
        "It compares the order of the items only: two raters with the same ranking and entirely "
        "different marks get 1."
    ),
    raters="two",
    labels="order",
    aliases=("spearman_rho", "rank_correlation"),
)
def spearman(*ratings: Any, pair: Sequence[object] | None = None) -> Correlation:
    """Spearman's rank correlation of two raters, ties given mid-ranks.

    Use it for marks in order whose steps mean nothing. Prefer `kendall_tau` when a number is
    wanted that can be read as a share of pairs, and a weighted kappa when agreement is.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    pair : names of two raters, when there are more

    Returns
    -------
    Correlation

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels without an order.

    Notes
    -----
    Pearson's r of mid-ranks; the formula 1 - 6 sum d^2 / (n (n^2 - 1)) holds without ties only.
    ASE1 includes the effect of an item on the ranks of all others, as SPSS and SAS have it. The
    interval is Fisher's with Bonett & Wright's error sqrt((1 + r^2 / 2) / (n - 3)) [1]_.

    References
    ----------
    .. [1] Bonett, D. G. & Wright, T. A. (2000). Sample size requirements for estimating Pearson,
       Kendall and Spearman correlations. Psychometrika 65, 23-28. doi:10.1007/BF02294183

    Examples
    --------
    >>> from consilience import datasets
    >>> printed = spearman(datasets.load("haley_2008_table_1_3"))  # Haley et al. 2008, Table 1-3
    >>> round(printed.value, 3), round(printed.ase1, 3), round(printed.p_value, 3)
    (-0.02, 0.014, 0.888)
    """
    marks = paired("spearman", ratings, pair)
    return RankCorrelation.of(marks, "spearman", spearman_of, spearman_influence)


class RankCorrelation(Correlation):
    """Spearman's rho: the error of Fisher's z is a little larger than for marks."""

    @property
    def _fisher_error_of_items(self) -> float:
        """Standard error of Fisher's z after Bonett & Wright (2000)."""
        return math.sqrt((1.0 + self.value**2 / 2.0) / (self.n_items_used - 3))
