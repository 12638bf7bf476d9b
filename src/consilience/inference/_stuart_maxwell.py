"""Do two raters use every label equally often? Stuart and Maxwell, Bhapkar."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.inference._two_raters import TwoRaters, two_raters
from consilience.inference.clustered import quadratic_form
from consilience.inference.homogeneity_test import (
    NO_DISAGREEMENT,
    HomogeneityTest,
    chi_square_result,
    clustered_result,
    nothing_to_test,
    undefined_test,
)


def stuart_maxwell(*ratings: Any) -> HomogeneityTest:
    """Stuart-Maxwell test: do two raters use every label equally often?

    Use it for two raters and any number of labels; `marginal_homogeneity` takes more raters.
    Prefer `bhapkar`, which is more powerful, when there are many items.

    Parameters
    ----------
    ratings : Ratings, square table of counts, or two sequences of labels

    Returns
    -------
    HomogeneityTest

    Raises
    ------
    UnsupportedDesignError
        Not two raters.

    Notes
    -----
    d' S^- d with d_k = n_k+ - n_+k, S_kk = n_k+ + n_+k - 2 n_kk and S_kl = -(n_kl + n_lk); the
    degrees of freedom are the rank of S. That is one less than the number of labels, and labels
    on which the raters never differ do not count. With two labels it is McNemar's chi-square.

    Where items go together (`Ratings.with_clusters`) S is the sum of u u' over clusters, u what
    the items of a cluster add to d, and p is that of Hotelling's F; with two labels see [3]_.

    References
    ----------
    .. [1] Stuart, A. (1955). A test for homogeneity of the marginal distributions in a two-way
       classification. Biometrika 42, 412-416. doi:10.1093/biomet/42.3-4.412
    .. [2] Maxwell, A. E. (1970). Comparing the classification of subjects by two independent
       judges. British Journal of Psychiatry 116, 651-655. doi:10.1192/bjp.116.535.651
    .. [3] Yang, Z., Sun, X. & Hardin, J. W. (2010). A note on the tests for clustered matched-pair
       binary data. Biometrical Journal 52, 638-652. doi:10.1002/bimj.201000035

    Examples
    --------
    >>> vision = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205],
    ...           [36, 82, 179, 492]]
    >>> round(stuart_maxwell(vision).statistic, 2)  # printed in [1]
    11.96
    """
    pair = two_raters("the Stuart-Maxwell test", *ratings)
    hypothesis = "both raters use every label equally often"
    if pair.clusters is not None:
        return _of_clusters("stuart-maxwell", hypothesis, pair)
    statistic, freedom = _stuart_maxwell(pair.table)
    if freedom == 0:
        return nothing_to_test("stuart-maxwell", hypothesis, pair)
    return chi_square_result(
        pair, hypothesis, "stuart-maxwell", statistic=statistic, freedom=freedom
    )


def bhapkar(*ratings: Any) -> HomogeneityTest:
    """Bhapkar's test: do two raters use every label equally often?

    Use it instead of `stuart_maxwell` in large samples; with few items it rejects too often.

    Parameters
    ----------
    ratings : Ratings, square table of counts, or two sequences of labels

    Returns
    -------
    HomogeneityTest

    Raises
    ------
    UnsupportedDesignError
        Not two raters.

    Notes
    -----
    W / (1 - W / n) with W the statistic of Stuart and Maxwell: the variance is estimated without
    assuming the hypothesis. Where W = n that variance is 0 and the test does not exist. Where items
    go together it is Hotelling's T^2 of what the clusters add to the differences.

    References
    ----------
    .. [1] Bhapkar, V. P. (1966). A note on the equivalence of two test criteria for hypotheses in
       categorical data. Journal of the American Statistical Association 61, 228-235.
       doi:10.1080/01621459.1966.10502021

    Examples
    --------
    >>> vision = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205],
    ...           [36, 82, 179, 492]]
    >>> round(bhapkar(vision).statistic, 2)  # printed in [1]
    11.98
    """
    pair = two_raters("Bhapkar's test", *ratings)
    hypothesis = "both raters use every label equally often"
    if pair.clusters is not None:
        return _of_clusters("bhapkar", hypothesis, pair)
    below, freedom = _stuart_maxwell(pair.table)
    if freedom == 0:
        return nothing_to_test("bhapkar", hypothesis, pair)
    left = 1.0 - below / pair.n_items
    if left <= 1e-12:
        reason = (
            "no_variation: the raters differ in the same way on every item, so the variance is 0. "
            "Use stuart_maxwell"
        )
        return nothing_to_test("bhapkar", hypothesis, pair, reason=reason)
    statistic = below / left
    return chi_square_result(pair, hypothesis, "bhapkar", statistic=statistic, freedom=freedom)


def _of_clusters(method: str, hypothesis: str, pair: TwoRaters) -> HomogeneityTest:
    one = np.eye(len(pair.categories))
    found = pair.contrast(one[:, None, :] - one[None, :, :])
    known: dict[str, Any] = {
        "hypothesis": hypothesis, "n_items": pair.n_items, "shares": pair.shares
    }  # fmt: skip
    if found.rank == 0:
        return undefined_test(method, reason=NO_DISAGREEMENT, **known)
    statistic = found.wald if method == "bhapkar" else None
    return clustered_result(method, found, statistic=statistic, **known)


def _stuart_maxwell(n_kl: Floats) -> tuple[float, float]:
    row, column = n_kl.sum(axis=1), n_kl.sum(axis=0)
    s_kl = np.diag(row + column) - n_kl - n_kl.T
    return quadratic_form(row - column, s_kl)
