"""Do two raters confuse labels equally often in both directions? McNemar, Bowker."""

from __future__ import annotations

import math
from typing import Any, Literal

import numpy as np

from consilience.core.tails import even_split_p
from consilience.exceptions import InputError
from consilience.inference._two_raters import TwoRaters, binary, two_raters
from consilience.inference.homogeneity_test import (
    NO_DISAGREEMENT,
    HomogeneityTest,
    chi_square_result,
    clustered_result,
    homogeneity_result,
    nothing_to_test,
    undefined_test,
)
from consilience.ratings.clusters import need_independent_items

_MCNEMAR = ("exact", "mid-p", "chi-square")
_BOWKER_DF = ("pairs", "all")


def mcnemar(
    *ratings: Any,
    method: Literal["exact", "mid-p", "chi-square"] = "exact",
    continuity: bool = False,
) -> HomogeneityTest:
    """McNemar's test: do two raters use two labels equally often?

    Use it to see whether one rater says "yes" more readily than the other; with more labels use
    `stuart_maxwell`. Prefer "mid-p" over "exact" when few items are in dispute: it is less
    cautious and still holds its level (Fagerland et al. 2013).

    Parameters
    ----------
    ratings : Ratings, square table of counts, or two sequences of labels
    method : {"exact", "mid-p", "chi-square"}
        The two-sided binomial test of the disagreements, the same less half the probability of
        what was observed, or the large-sample test.
    continuity : bool, default False
        Yates's correction, for "chi-square" only.

    Returns
    -------
    HomogeneityTest
        `statistic` is chi-square, or for the binomial tests the smaller of the two counts.

    Raises
    ------
    UnsupportedDesignError
        Not two raters, or not two categories.

    Notes
    -----
    With b and c items in the two cells of disagreement: chi-square = (b - c)^2 / (b + c);
    exact p = 2 P(X <= min(b, c)), at most 1, X binomial(b + c, 1/2); mid-p = exact - P(X = b), and
    1 - P(X = b) / 2 where b = c. Without any disagreement both p-values are 1 and chi-square is
    undefined. Agrees with R's mcnemar.test and binom.test. Where items go together only
    chi-square = (b - c)^2 / sum of (b_g - c_g)^2 over clusters allows for it [3]_, with p from
    Hotelling's F.

    References
    ----------
    .. [1] McNemar, Q. (1947). Note on the sampling error of the difference between correlated
       proportions or percentages. Psychometrika 12, 153-157. doi:10.1007/BF02295996
    .. [2] Fagerland, M. W., Lydersen, S. & Laake, P. (2013). The McNemar test for binary
       matched-pairs data. BMC Medical Research Methodology 13, 91. doi:10.1186/1471-2288-13-91
    .. [3] Yang, Z., Sun, X. & Hardin, J. W. (2010). A note on the tests for clustered matched-pair
       binary data. Biometrical Journal 52, 638-652. doi:10.1002/bimj.201000035

    Examples
    --------
    >>> round(mcnemar([[24, 8], [14, 24]]).p_value, 3)  # SIGIL unit 9, 70 sentences
    0.286
    """
    if method not in _MCNEMAR:
        raise InputError.unknown_word("method", method, _MCNEMAR)
    if continuity and method != "chi-square":
        raise InputError.expected(
            "continuity", 'False unless method="chi-square"', continuity, "leave it out"
        )
    pair = binary("McNemar's test", *ratings)
    if pair.clusters is not None:
        return _mcnemar_of_clusters(pair, method, continuity=continuity)
    b, c = int(pair.table[0, 1]), int(pair.table[1, 0])
    hypothesis = "both raters use the two labels equally often"
    if method == "chi-square":
        if b + c == 0:
            return nothing_to_test("mcnemar", hypothesis, pair)
        statistic = max(abs(b - c) - (1 if continuity else 0), 0) ** 2 / (b + c)
        name = "mcnemar-yates" if continuity else "mcnemar"
        return chi_square_result(pair, hypothesis, name, statistic=statistic, freedom=1.0)
    p_value = even_split_p(b, c, half=method == "mid-p")
    return homogeneity_result(
        pair, hypothesis, f"mcnemar-{method}", statistic=min(b, c), p_value=p_value
    )


def _mcnemar_of_clusters(pair: TwoRaters, method: str, *, continuity: bool) -> HomogeneityTest:
    if method != "chi-square":
        need_independent_items(
            f"method={method!r}", pair.clusters, instead='use method="chi-square"'
        )
    if continuity:
        need_independent_items("continuity=True", pair.clusters, instead="use continuity=False")
    apart = np.array([[0.0, 1.0], [-1.0, 0.0]])[..., None]
    known: dict[str, Any] = {
        "hypothesis": "both raters use the two labels equally often",
        "n_items": pair.n_items,
        "shares": pair.shares,
    }
    found = pair.contrast(apart)
    if found.rank == 0:
        return undefined_test("mcnemar", reason=NO_DISAGREEMENT, **known)
    return clustered_result("mcnemar", found, **known)


def _bowker_of_clusters(pair: TwoRaters, hypothesis: str) -> HomogeneityTest:
    """Let each pair of labels be a number that the clusters add up to."""
    size = len(pair.categories)
    above = np.stack(np.triu_indices(size, 1), axis=1)
    apart = np.zeros((size, size, len(above)))
    for place, (k, m) in enumerate(above):
        apart[k, m, place], apart[m, k, place] = 1.0, -1.0
    found = pair.contrast(apart)
    known: dict[str, Any] = {
        "hypothesis": hypothesis, "n_items": pair.n_items, "shares": pair.shares
    }  # fmt: skip
    if found.rank == 0:
        return undefined_test("bowker", reason=NO_DISAGREEMENT, **known)
    labels = pair.categories
    alone = {
        (labels[k], labels[m]): pair.contrast(apart[..., [place]])
        for place, (k, m) in enumerate(above)
    }
    parts = {two: one.score for two, one in alone.items() if one.rank}
    return clustered_result("bowker", found, parts=parts, **known)


def bowker(*ratings: Any, df: Literal["pairs", "all"] = "pairs") -> HomogeneityTest:
    """Bowker's test: are labels confused equally often in both directions?

    Use it for a whole table of confusions; it is McNemar's test when there are two labels. Prefer
    `stuart_maxwell` when the question is only how often each label is used.

    Parameters
    ----------
    ratings : Ratings, square table of counts, or two sequences of labels
    df : {"pairs", "all"}
        Count as degrees of freedom the pairs of labels that were confused at all, or all pairs
        of categories.

    Returns
    -------
    HomogeneityTest
        With what each pair of labels adds to the statistic in `parts`.

    Raises
    ------
    UnsupportedDesignError
        Not two raters.

    Notes
    -----
    sum over k < l of (n_kl - n_lk)^2 / (n_kl + n_lk), over pairs with n_kl + n_lk > 0. R's
    mcnemar.test returns NaN when any other pair exists; `statsmodels` adds 1/2 to every cell.
    Where items go together (`Ratings.with_clusters`) the variances are those of sums over clusters,
    and p is that of Hotelling's F; `parts` then need not add up to the statistic.

    References
    ----------
    .. [1] Bowker, A. H. (1948). A test for symmetry in contingency tables. Journal of the American
       Statistical Association 43, 572-574. doi:10.1080/01621459.1948.10483284

    Examples
    --------
    Unaided vision of 7477 women, right and left eye (Stuart 1955):

    >>> vision = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205],
    ...           [36, 82, 179, 492]]
    >>> round(bowker(vision).statistic, 2)
    19.11
    """
    if df not in _BOWKER_DF:
        raise InputError.unknown_word("df", df, _BOWKER_DF)
    pair = two_raters("Bowker's test", *ratings)
    n_kl, labels = pair.table, pair.categories
    parts: dict[object, float] = {
        (labels[k], labels[m]): float((n_kl[k, m] - n_kl[m, k]) ** 2 / (n_kl[k, m] + n_kl[m, k]))
        for k in range(len(labels))
        for m in range(k + 1, len(labels))
        if n_kl[k, m] + n_kl[m, k] > 0
    }
    hypothesis = "any two labels are confused equally often in both directions"
    if pair.clusters is not None:
        if df == "all":
            need_independent_items('df="all"', pair.clusters, instead='use df="pairs"')
        return _bowker_of_clusters(pair, hypothesis)
    if not parts:
        return nothing_to_test("bowker", hypothesis, pair)
    statistic = math.fsum(parts.values())
    freedom = float(len(parts) if df == "pairs" else math.comb(len(labels), 2))
    return chi_square_result(
        pair, hypothesis, "bowker", statistic=statistic, freedom=freedom, parts=parts
    )
