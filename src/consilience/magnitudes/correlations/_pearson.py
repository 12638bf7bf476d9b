"""Pearson's product-moment correlation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from consilience.magnitudes._magnitude import register
from consilience.magnitudes.correlations._correlation import (
    Correlation,
    pearson_influence,
    pearson_of,
)
from consilience.magnitudes.paired import paired


@register(
    title="Pearson's r",
    caution=(
        "Correlation is not agreement: it stays 1 when one rater gives exactly twice the marks of "
        "the other, or always ten more."
    ),
    raters="two",
    labels="numbers",
    aliases=("pearson_r", "product_moment", "correlation"),
)
def pearson(*ratings: Any, pair: Sequence[object] | None = None) -> Correlation:
    """Pearson's product-moment correlation of two raters.

    Use it to see whether two raters' marks rise and fall together along a straight line. Prefer
    `lin_ccc` or `icc` when the marks themselves should be the same.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    pair : names of two raters, when there are more

    Returns
    -------
    Correlation
        `value` in [-1, 1]; `ase1` is the error that SPSS prints.

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels that are not numbers.

    Notes
    -----
    r = S_xy / sqrt(S_xx S_yy)
    t = r sqrt((n - 2) / (1 - r^2)), n - 2 degrees of freedom
    interval: tanh(atanh r ± z / sqrt(n - 3))
    ASE1 is the infinitesimal jackknife [1]_, as in SPSS CROSSTABS. Items that one of the two did
    not rate are left out and counted. Undefined, with a reason, when a rater is constant.

    References
    ----------
    .. [1] Brown, M. B. & Benedetti, J. K. (1977). Sampling behavior of tests for correlation in
       two-way contingency tables. Journal of the American Statistical Association 72, 309-315.

    Examples
    --------
    >>> pearson([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]).value  # Artstein & Poesio 2005, Table 3
    1.0
    """
    marks = paired("pearson", ratings, pair)
    return Correlation.of(marks, "pearson", pearson_of, pearson_influence)
