"""Do raters use the labels equally often, and do they confuse them equally in both directions?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference._intervals import Test
from consilience.inference._margins import margins
from consilience.inference._two_raters import (
    FloatArray,
    TwoRaters,
    as_ratings_or_table,
    binary,
    two_raters,
)
from consilience.ratings import Ratings

_MCNEMAR = ("exact", "mid-p", "chi-square")
_BOWKER_DF = ("pairs", "all")
_LARGEST = 2_000  # raters times categories, the side of the covariance matrix
_NO_DISAGREEMENT = (
    "no_disagreement: the raters agree on every item that can be compared, so there is nothing "
    "to test"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class HomogeneityTest(Test):
    """A test of how raters use the labels.

    Attributes
    ----------
    hypothesis : str
        What would hold if the test had nothing to find.
    n_items : int
        Items that could be compared.
    shares : mapping
        For each category its share in every rater's labels: where to look if p is small.
    parts : mapping
        For Bowker's test, what each pair of labels adds to the statistic.
    reason : str or None
        Why statistic and p-value are NaN, if they are.
    """

    hypothesis: str
    n_items: int
    shares: Mapping[object, tuple[float, ...]] = field(repr=False)
    parts: Mapping[object, float] = field(default_factory=dict, repr=False)
    reason: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys."""
        return {
            "method": self.method,
            "hypothesis": self.hypothesis,
            "statistic": self.statistic if math.isfinite(self.statistic) else None,
            "degrees_of_freedom": self.degrees_of_freedom,
            "p_value": self.p_value if math.isfinite(self.p_value) else None,
            "items": self.n_items,
            "reason": self.reason,
        }


def chi_square_tail(statistic: float, degrees_of_freedom: float) -> float:
    """Return P(chi-square >= statistic)."""
    from scipy.special import chdtrc

    return float(chdtrc(degrees_of_freedom, statistic))


# -------------------------------------------------------------------- two raters


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
    undefined. Agrees with R's mcnemar.test and binom.test.

    References
    ----------
    .. [1] McNemar, Q. (1947). Note on the sampling error of the difference between correlated
       proportions or percentages. Psychometrika 12, 153-157. doi:10.1007/BF02295996
    .. [2] Fagerland, M. W., Lydersen, S. & Laake, P. (2013). The McNemar test for binary
       matched-pairs data. BMC Medical Research Methodology 13, 91. doi:10.1186/1471-2288-13-91

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
    b, c = int(pair.table[0, 1]), int(pair.table[1, 0])
    hypothesis = "both raters use the two labels equally often"
    if method == "chi-square":
        if b + c == 0:
            return _nothing_to_test("mcnemar", hypothesis, pair)
        statistic = max(abs(b - c) - (1 if continuity else 0), 0) ** 2 / (b + c)
        name = "mcnemar-yates" if continuity else "mcnemar"
        return _chi_square(pair, hypothesis, name, statistic=statistic, freedom=1.0)
    p_value = _binomial_p(b, c, half=method == "mid-p")
    return _result(pair, hypothesis, f"mcnemar-{method}", statistic=min(b, c), p_value=p_value)


def _binomial_p(b: int, c: int, *, half: bool) -> float:
    from scipy.special import bdtr, gammaln

    n = b + c
    if n == 0:
        return 1.0
    exact = min(2.0 * float(bdtr(min(b, c), n, 0.5)), 1.0)
    if not half:
        return exact
    point = math.exp(gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - n * math.log(2.0))
    return 1.0 - point / 2.0 if b == c else max(exact - point, 0.0)  # Fagerland et al. (2013)


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
    if not parts:
        return _nothing_to_test("bowker", hypothesis, pair)
    statistic = math.fsum(parts.values())
    freedom = float(len(parts) if df == "pairs" else math.comb(len(labels), 2))
    return _chi_square(
        pair, hypothesis, "bowker", statistic=statistic, freedom=freedom, parts=parts
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

    References
    ----------
    .. [1] Stuart, A. (1955). A test for homogeneity of the marginal distributions in a two-way
       classification. Biometrika 42, 412-416. doi:10.1093/biomet/42.3-4.412
    .. [2] Maxwell, A. E. (1970). Comparing the classification of subjects by two independent
       judges. British Journal of Psychiatry 116, 651-655. doi:10.1192/bjp.116.535.651

    Examples
    --------
    >>> vision = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205],
    ...           [36, 82, 179, 492]]
    >>> round(stuart_maxwell(vision).statistic, 2)  # printed in [1]
    11.96
    """
    pair = two_raters("the Stuart-Maxwell test", *ratings)
    hypothesis = "both raters use every label equally often"
    statistic, freedom = _stuart_maxwell(pair.table)
    if freedom == 0:
        return _nothing_to_test("stuart-maxwell", hypothesis, pair)
    return _chi_square(pair, hypothesis, "stuart-maxwell", statistic=statistic, freedom=freedom)


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
    assuming the hypothesis. Where W = n that variance is 0 and the test does not exist.

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
    below, freedom = _stuart_maxwell(pair.table)
    if freedom == 0:
        return _nothing_to_test("bhapkar", hypothesis, pair)
    left = 1.0 - below / pair.n_items
    if left <= 1e-12:
        reason = (
            "no_variation: the raters differ in the same way on every item, so the variance is 0. "
            "Use stuart_maxwell"
        )
        return _nothing_to_test("bhapkar", hypothesis, pair, reason=reason)
    statistic = below / left
    return _chi_square(pair, hypothesis, "bhapkar", statistic=statistic, freedom=freedom)


def _stuart_maxwell(n_kl: FloatArray) -> tuple[float, float]:
    row, column = n_kl.sum(axis=1), n_kl.sum(axis=0)
    s_kl = np.diag(row + column) - n_kl - n_kl.T
    return _quadratic_form(row - column, s_kl)


def _quadratic_form(vector: FloatArray, covariance: FloatArray) -> tuple[float, float]:
    """Return v' C^- v and the rank of C, for a vector in the range of C."""
    values, axes = np.linalg.eigh(covariance)
    keep = values > 1e-9 * max(values[-1], 0.0)
    along = axes[:, keep].T @ vector
    return float((along**2 / values[keep]).sum()), float(keep.sum())


# -------------------------------------------------------------------- any number of raters


def cochran_q(*ratings: Any, category: object = None) -> HomogeneityTest:
    """Cochran's Q: do all raters use one label equally often?

    Use it to find the label behind a small p of `marginal_homogeneity`; adjust the p-values for
    the number of labels, for example with `holm`.

    Parameters
    ----------
    ratings : Ratings, or one sequence of labels per rater
    category : label
        Tested against all others; may be left out where there are just two.

    Returns
    -------
    HomogeneityTest

    Raises
    ------
    UnsupportedDesignError
        Counts that do not say who rated, or fewer than two raters.

    Notes
    -----
    The test of `marginal_homogeneity` for the label and the rest; see there for missing ratings.
    With two raters it is McNemar's chi-square.

    References
    ----------
    .. [1] Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika 37,
       256-266. doi:10.1093/biomet/37.3-4.256

    Examples
    --------
    >>> wide = [["y", "y", "n"], ["y", "n", "n"], ["y", "y", "y"], ["y", "n", "n"]]
    >>> round(cochran_q(Ratings.from_wide(wide), category="y").statistic, 3)
    4.667
    """
    data = as_ratings_or_table(*ratings)
    known = data.categories
    if category is None and len(known) == 2:
        category = known[0]
    if category not in known:
        if category is None:
            raise InputError.expected(
                "category", "one of the labels", category, f"choose among {list(known[:8])!r}"
            )
        raise InputError.unknown_word("category", category, [str(label) for label in known])
    # Scales with an order take numbers, and no truth values.
    yes, no = (True, False) if data.scale == "nominal" else (1, 0)
    one = data.collapse({category: yes}, rest=no)
    hypothesis = f"all raters use the label {category!r} equally often"
    return _many_raters(one, "cochran-q", hypothesis)


def marginal_homogeneity(*ratings: Any) -> HomogeneityTest:
    """Test whether all raters use every label equally often, for any number of raters.

    Use it before blaming low agreement on the items: raters with different habits cannot agree
    fully. Which label it is tells `cochran_q`; which rater, the `shares`.

    Parameters
    ----------
    ratings : Ratings, square table of counts, or one sequence of labels per rater

    Returns
    -------
    HomogeneityTest

    Raises
    ------
    UnsupportedDesignError
        Counts that do not say who rated, fewer than two raters, or more than 2,000 raters times
        categories.

    Notes
    -----
    The generalised Mantel-Haenszel statistic with items as strata: given the labels that an item
    received, each of its raters is equally likely to have given any of them. For item i with r_i
    ratings, c_ik of label k, and a_ig = 1 for those who rated it,

    expected  E x_igk = a_ig c_ik / r_i
    covariance  a_ig (r_i 1[g=h] - a_ih) c_ik (r_i 1[k=l] - c_il) / (r_i^2 (r_i - 1))

    summed over items; the degrees of freedom are the rank of the covariance, (raters - 1) ×
    (labels - 1) at most. Missing ratings need no imputation: an item counts for those who rated
    it. With two raters it is the Stuart-Maxwell test, with two labels Cochran's Q; complete data
    give the number of mh_test in R's coin.

    References
    ----------
    .. [1] Landis, J. R., Heyman, E. R. & Koch, G. G. (1978). Average partial association in
       three-way contingency tables. International Statistical Review 46, 237-254.
       doi:10.2307/1402373

    Examples
    --------
    >>> wide = [["a", "a", "b"], ["a", "b", "c"], ["a", "a", "a"], ["a", "b", "b"]]
    >>> test = marginal_homogeneity(Ratings.from_wide(wide, raters=["Ann", "Bob", "Cid"]))
    >>> round(test.statistic, 3), test.degrees_of_freedom, test.shares["a"]
    (5.818, 4.0, (1.0, 0.5, 0.25))
    """
    data = as_ratings_or_table(*ratings)
    return _many_raters(data, "mantel-haenszel", "all raters use every label equally often")


def _many_raters(data: Ratings, method: str, hypothesis: str) -> HomogeneityTest:
    _check_raters(data, method)
    sums = margins(data)
    if sums.n_items == 0:
        raise UnsupportedDesignError.needs(
            f"the {method} test", "items with at least two ratings", "none", "check the data"
        )
    given = sums.used.sum(axis=1, keepdims=True)
    share_gk = sums.used / np.where(given > 0, given, np.nan)
    shares = {label: tuple(share_gk[:, k].tolist()) for k, label in enumerate(data.categories)}
    statistic, freedom = _quadratic_form(sums.difference, sums.covariance)
    known: dict[str, Any] = {"hypothesis": hypothesis, "n_items": sums.n_items, "shares": shares}
    if freedom == 0:
        return _undefined(method, reason=_NO_DISAGREEMENT, **known)
    p_value = chi_square_tail(statistic, freedom)
    return HomogeneityTest(statistic, p_value, 0.0, "two-sided", method, freedom, **known)


def _check_raters(data: Ratings, method: str) -> None:
    if len(data.raters) < 2:
        raise UnsupportedDesignError.needs(
            f"the {method} test",
            "at least two raters with names or places",
            f"{len(data.raters)} raters" if data.raters else "counts per item",
            "bring the ratings in long or wide form",
        )
    size = len(data.raters) * len(data.categories)
    if size > _LARGEST:
        raise UnsupportedDesignError.needs(
            f"the {method} test",
            f"at most {_LARGEST:,} raters times categories",
            f"{len(data.raters):,} raters × {len(data.categories):,} categories",
            "select raters with ratings.select, or merge labels with ratings.collapse",
        )


# -------------------------------------------------------------------- results


def _result(
    pair: TwoRaters,
    hypothesis: str,
    method: str,
    *,
    statistic: float,
    p_value: float,
    freedom: float | None = None,
    parts: Mapping[object, float] | None = None,
) -> HomogeneityTest:
    return HomogeneityTest(
        float(statistic),
        p_value,
        0.0,
        "two-sided",
        method,
        freedom,
        hypothesis=hypothesis,
        n_items=pair.n_items,
        shares=pair.shares,
        parts=parts or {},
    )


def _chi_square(
    pair: TwoRaters,
    hypothesis: str,
    method: str,
    *,
    statistic: float,
    freedom: float,
    parts: Mapping[object, float] | None = None,
) -> HomogeneityTest:
    return _result(
        pair,
        hypothesis,
        method,
        statistic=statistic,
        p_value=chi_square_tail(statistic, freedom),
        freedom=freedom,
        parts=parts,
    )


def _nothing_to_test(
    method: str, hypothesis: str, pair: TwoRaters, *, reason: str = _NO_DISAGREEMENT
) -> HomogeneityTest:
    known: dict[str, Any] = {"n_items": pair.n_items, "shares": pair.shares}
    return _undefined(method, hypothesis=hypothesis, reason=reason, **known)


def _undefined(method: str, **known: Any) -> HomogeneityTest:
    return HomogeneityTest(math.nan, math.nan, 0.0, "two-sided", method, None, **known)
