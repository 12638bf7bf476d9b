"""Do raters use and confuse labels alike? McNemar, Bowker, Stuart and Maxwell, Bhapkar, Cochran."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Codes, Floats, Ints, dense
from consilience.core.tails import chi_square_tail, even_split_p
from consilience.distances import get_distance
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.influence import ClusteredContrast, quadratic_form, sums_by_cluster
from consilience.inference.intervals import Test
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.clusters import Clusters, need_independent_items
from consilience.ratings.duplicates import need_one_occasion
from consilience.ratings.stores import CodedMatrix, Patterns, as_long
from consilience.rows import reduce_to_rows

# ---- The cross-table of two raters, from whatever a test was called with.


@dataclass(frozen=True, slots=True)
class TwoRaters:
    """Two raters' labels for the same items, as counts; rows belong to the first."""

    table: Floats
    categories: tuple[object, ...]
    labels: Ints | None = None  # items x 2, with clusters only
    clusters: Clusters | None = None  # of these items

    def contrast(self, weight: Floats) -> ClusteredContrast:
        """Ask whether a contrast of the cells is zero, where items go together.

        `weight` is rows x columns x numbers: what an item in a cell adds to each number.
        """
        assert self.labels is not None
        assert self.clusters is not None
        each = weight[self.labels[:, 0], self.labels[:, 1]]
        sums = np.zeros((self.clusters.n_clusters, each.shape[1]))
        np.add.at(sums, self.clusters.codes, each)
        return ClusteredContrast.of(sums)

    @property
    def n_items(self) -> int:
        """Number of items that both rated."""
        return int(self.table.sum())

    @property
    def shares(self) -> dict[object, tuple[float, ...]]:
        """Each category's share in the labels of the first and of the second rater."""
        n = self.table.sum()
        rows, columns = self.table.sum(axis=1) / n, self.table.sum(axis=0) / n
        pairs = zip(rows.tolist(), columns.tolist(), strict=True)
        return dict(zip(self.categories, pairs, strict=True))

    def known(self, hypothesis: str) -> dict[str, Any]:
        """Return what a test of these raters says, whatever it finds."""
        return {"hypothesis": hypothesis, "n_items": self.n_items, "shares": self.shares}


def as_ratings_or_table(*data: Any) -> Ratings:
    """Take Ratings, a square table of counts, or one sequence of labels per rater."""
    if len(data) != 1 or isinstance(data[0], Ratings):
        return as_ratings(*data)
    try:
        shape = np.shape(data[0])
    except ValueError:  # rows of unequal length
        shape = ()
    if len(shape) != 2 or shape[0] != shape[1]:
        raise InputError.expected(
            "a table that is not Ratings",
            "square, with the counts of two raters",
            f"shape {shape}" if shape else type(data[0]).__name__,
            "turn labels item by item into Ratings with Ratings.from_wide",
        )
    return Ratings.from_table(data[0])


def two_raters(what: str, *data: Any) -> TwoRaters:
    """Return the table of two raters over the items that both rated."""
    ratings = as_ratings_or_table(*data)
    need_one_occasion(what, ratings)
    if len(ratings.raters) != 2:
        got = f"{ratings.n_raters} ({', '.join(map(str, ratings.raters[:6]))})"
        raise UnsupportedDesignError.needs(
            what,
            "exactly two raters",
            got if ratings.raters else "counts per item, which do not say who rated",
            f"choose two with ratings.select(raters={list(ratings.raters[:2])!r})"
            if ratings.raters
            else "bring the ratings in long or wide form",
        )
    table = ratings.table(*ratings.raters).astype(np.float64)
    if table.sum() == 0.0:
        raise UnsupportedDesignError.needs(
            what, "items that both raters rated", "none", "check for missing ratings"
        )
    if ratings.clusters is None:
        return TwoRaters(table, ratings.categories)
    listed = as_long(ratings.coded_store())
    codes = np.full((ratings.n_items, 2), -1, dtype=np.int64)
    codes[listed.item, listed.rater] = listed.label
    both = np.asarray((codes >= 0).all(axis=1))
    return TwoRaters(table, ratings.categories, codes[both], ratings.clusters.of_items(both))


def binary(what: str, *data: Any) -> TwoRaters:
    """Return the table of two raters and two categories."""
    pair = two_raters(what, *data)
    if len(pair.categories) != 2:
        raise UnsupportedDesignError.needs(
            what,
            "exactly two categories",
            f"{len(pair.categories)}",
            "merge categories with ratings.collapse, or use a method for any number of them",
        )
    return pair


# ---- What tests of how raters use the labels return, and how it is made.

_FEW_CLUSTERS = (
    "too_few_clusters: there are as many labels to compare as there are clusters, or more. Merge "
    "labels, or test one of them with cochran_q"
)
NO_DISAGREEMENT = (
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
    n_clusters : int or None
        Number of clusters, where items go together. The p-value is then that of Hotelling's F with
        the variance of sums over clusters.
    """

    hypothesis: str
    n_items: int
    shares: Mapping[object, tuple[float, ...]] = field(repr=False)
    parts: Mapping[object, float] = field(default_factory=dict, repr=False)
    reason: str | None = None
    n_clusters: int | None = None

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys."""
        clusters = {} if self.n_clusters is None else {"clusters": self.n_clusters}
        return {
            "method": self.method,
            "hypothesis": self.hypothesis,
            "statistic": self.statistic if math.isfinite(self.statistic) else None,
            "degrees_of_freedom": self.degrees_of_freedom,
            "p_value": self.p_value if math.isfinite(self.p_value) else None,
            "items": self.n_items,
            "reason": self.reason,
            **clusters,
        }


def _undefined(method: str, reason: str = NO_DISAGREEMENT, **known: Any) -> HomogeneityTest:
    """Return a test that cannot be made, with the reason."""
    nothing = (math.nan, math.nan, 0.0, "two-sided", method, None)
    return HomogeneityTest(*nothing, reason=reason, **known)


def _by_chi_square(method: str, statistic: float, freedom: float, **known: Any) -> HomogeneityTest:
    """Return a test by chi-square; no degrees of freedom leave nothing to test."""
    if freedom == 0:
        return _undefined(method, **known)
    p_value = chi_square_tail(statistic, freedom)
    return HomogeneityTest(statistic, p_value, 0.0, "two-sided", method, freedom, **known)


def _by_hotelling(
    method: str, contrast: ClusteredContrast, statistic: float | None = None, **known: Any
) -> HomogeneityTest:
    """Return a test of items that go together, by Hotelling's F over clusters."""
    if contrast.rank == 0:
        return _undefined(method, **known)
    known["n_clusters"] = contrast.n_clusters
    if contrast.rank >= contrast.n_clusters:
        return _undefined(method, _FEW_CLUSTERS, **known)
    score = contrast.score if statistic is None else statistic
    p_value, rank = contrast.p_value, contrast.rank
    return HomogeneityTest(score, p_value, 0.0, "two-sided", method, rank, **known)


# ---- Do two raters confuse labels equally often in both directions? McNemar, Bowker.

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
    check_word("method", method, _MCNEMAR)
    if continuity and method != "chi-square":
        raise InputError.expected(
            "continuity", 'False unless method="chi-square"', continuity, "leave it out"
        )
    pair = binary("McNemar's test", *ratings)
    known = pair.known("both raters use the two labels equally often")
    if pair.clusters is not None:
        return _mcnemar_of_clusters(pair, method, continuity=continuity, **known)
    b, c = int(pair.table[0, 1]), int(pair.table[1, 0])
    if method == "chi-square":
        if b + c == 0:
            return _undefined("mcnemar", **known)
        statistic = max(abs(b - c) - (1 if continuity else 0), 0) ** 2 / (b + c)
        return _by_chi_square("mcnemar-yates" if continuity else "mcnemar", statistic, 1.0, **known)
    p_value = even_split_p(b, c, half=method == "mid-p")
    smaller, name = float(min(b, c)), f"mcnemar-{method}"
    return HomogeneityTest(smaller, p_value, 0.0, "two-sided", name, None, **known)


def _mcnemar_of_clusters(
    pair: TwoRaters, method: str, *, continuity: bool, **known: Any
) -> HomogeneityTest:
    if method != "chi-square":
        need_independent_items(
            f"method={method!r}", pair.clusters, instead='use method="chi-square"'
        )
    if continuity:
        need_independent_items("continuity=True", pair.clusters, instead="use continuity=False")
    apart = np.array([[0.0, 1.0], [-1.0, 0.0]])[..., None]
    return _by_hotelling("mcnemar", pair.contrast(apart), **known)


def _bowker_of_clusters(pair: TwoRaters, **known: Any) -> HomogeneityTest:
    """Let each pair of labels be a number that the clusters add up to."""
    size = len(pair.categories)
    above = np.stack(np.triu_indices(size, 1), axis=1)
    apart = np.zeros((size, size, len(above)))
    for place, (k, m) in enumerate(above):
        apart[k, m, place], apart[m, k, place] = 1.0, -1.0
    labels = pair.categories
    alone = {
        (labels[k], labels[m]): pair.contrast(apart[..., [place]])
        for place, (k, m) in enumerate(above)
    }
    parts = {two: one.score for two, one in alone.items() if one.rank}
    return _by_hotelling("bowker", pair.contrast(apart), parts=parts, **known)


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
    check_word("df", df, _BOWKER_DF)
    pair = two_raters("Bowker's test", *ratings)
    n_kl, labels = pair.table, pair.categories
    parts: dict[object, float] = {
        (labels[k], labels[m]): float((n_kl[k, m] - n_kl[m, k]) ** 2 / (n_kl[k, m] + n_kl[m, k]))
        for k in range(len(labels))
        for m in range(k + 1, len(labels))
        if n_kl[k, m] + n_kl[m, k] > 0
    }
    known = pair.known("any two labels are confused equally often in both directions")
    if pair.clusters is not None:
        if df == "all":
            need_independent_items('df="all"', pair.clusters, instead='use df="pairs"')
        return _bowker_of_clusters(pair, **known)
    freedom = len(parts) if df == "pairs" or not parts else math.comb(len(labels), 2)
    statistic = math.fsum(parts.values())
    return _by_chi_square("bowker", statistic, float(freedom), parts=parts, **known)


# ---- Do two raters use every label equally often? Stuart and Maxwell, Bhapkar.

_ALIKE = "both raters use every label equally often"


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
    if pair.clusters is not None:
        return _of_clusters("stuart-maxwell", pair)
    return _by_chi_square("stuart-maxwell", *_stuart_maxwell(pair.table), **pair.known(_ALIKE))


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
    if pair.clusters is not None:
        return _of_clusters("bhapkar", pair)
    below, freedom = _stuart_maxwell(pair.table)
    left = 1.0 - below / pair.n_items
    if left <= 1e-12:
        reason = (
            "no_variation: the raters differ in the same way on every item, so the variance is 0. "
            "Use stuart_maxwell"
        )
        return _undefined("bhapkar", reason, **pair.known(_ALIKE))
    return _by_chi_square("bhapkar", below / left, freedom, **pair.known(_ALIKE))


def _of_clusters(method: str, pair: TwoRaters) -> HomogeneityTest:
    one = np.eye(len(pair.categories))
    found = pair.contrast(one[:, None, :] - one[None, :, :])
    statistic = found.wald if method == "bhapkar" else None
    return _by_hotelling(method, found, statistic, **pair.known(_ALIKE))


def _stuart_maxwell(n_kl: Floats) -> tuple[float, float]:
    row, column = n_kl.sum(axis=1), n_kl.sum(axis=0)
    s_kl = np.diag(row + column) - n_kl - n_kl.T
    return quadratic_form(row - column, s_kl)


# ---- Do all raters use the labels equally often? Cochran's Q, Mantel and Haenszel generalised.

_LARGEST = 2_000  # raters times categories, the side of the covariance matrix
_CHUNK = 4_096  # rows at a time
_MOST_GROUPS = 4_096  # of items that the same raters rated


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

    Where items go together (`Ratings.with_clusters`) the covariance is the sum of u u' over
    clusters, u what the items of a cluster add to the differences, and p is that of Hotelling's F
    with as many clusters.

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
    need_one_occasion(f"the {method} test", data)
    sums = margins(data)
    if sums.n_items == 0:
        raise UnsupportedDesignError.needs(
            f"the {method} test", "items with at least two ratings", "none", "check the data"
        )
    given = sums.used.sum(axis=1, keepdims=True)
    share_gk = sums.used / np.where(given > 0, given, np.nan)
    shares = {label: tuple(share_gk[:, k].tolist()) for k, label in enumerate(data.categories)}
    known: dict[str, Any] = {"hypothesis": hypothesis, "n_items": sums.n_items, "shares": shares}
    if data.clusters is not None:
        contrast = ClusteredContrast.of(_sums_of_clusters(data))
        return _by_hotelling(method, contrast, **known)
    return _by_chi_square(method, *quadratic_form(sums.difference, sums.covariance), **known)


def _sums_of_clusters(data: Ratings) -> Floats:
    """Add x_igk - a_ig c_ik / r_i up by cluster (clusters x raters times labels)."""
    clusters, n_labels = data.clusters, len(data.categories)
    assert clusters is not None
    listed = as_long(data.coded_store())
    item, rater, label = (
        np.asarray(codes, dtype=np.int64) for codes in (listed.item, listed.rater, listed.label)
    )
    shape = (clusters.n_clusters, len(data.raters) * n_labels)
    r_i = np.bincount(item, minlength=data.n_items)
    used = r_i[item] >= 2
    item, rater, label = item[used], rater[used], label[used]
    place = clusters.codes[item] * shape[1] + rater * n_labels
    sums = sums_by_cluster(place + label, np.ones(item.size), shape)
    for k in range(n_labels):
        c_i = np.bincount(item, weights=label == k, minlength=data.n_items)
        sums -= sums_by_cluster(place + k, c_i[item] / r_i[item], shape)
    return sums


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


@dataclass(frozen=True, slots=True)
class Margins:
    """What the raters' use of labels adds up to over items."""

    difference: Floats  # (raters * labels,): observed less expected
    covariance: Floats
    used: Floats  # (raters, labels): ratings of items that can be compared
    n_items: int


def margins(data: Ratings) -> Margins:
    """Add up over items, by who rated them where these groups are few."""
    n_raters, n_labels = len(data.raters), len(data.categories)
    store = data.store
    if isinstance(store, CodedMatrix) and store.patterns.codes.shape[1] == n_raters:
        groups = _rated_alike(store.patterns)
        if groups is not None:
            return _grouped_margins(store.patterns, groups, n_labels)
    size = n_raters * n_labels
    difference, covariance = np.zeros(size), np.zeros((size, size))
    used, n_items = np.zeros((n_raters, n_labels)), 0.0
    for x_gki, weight in _blocks(data, n_raters, n_labels):
        a_gi, c_ki = x_gki.sum(axis=1), x_gki.sum(axis=0)
        r_i = a_gi.sum(axis=0)
        used += np.tensordot(x_gki, weight, axes=1)
        n_items += float(weight.sum())
        crossed = (a_gi[:, None, :] * c_ki[None, :, :]).reshape(size, -1)
        difference += _less_expected(x_gki.reshape(size, -1), crossed, r_i, weight)
        covariance += _covariance(a_gi, c_ki, crossed, r_i, weight)
    return Margins(difference, covariance, used, round(n_items))


def _less_expected(observed: Floats, crossed: Floats, r_i: Floats, weight: Floats) -> Floats:
    """Sum x_igk - a_ig c_ik / r_i over items."""
    return np.asarray(observed @ weight - crossed @ (weight / r_i))


def _covariance(a_gi: Floats, c_ki: Floats, crossed: Floats, r_i: Floats, weight: Floats) -> Floats:
    """Sum a_g (r 1[g=h] - a_h) c_k (r 1[k=l] - c_l) / (r^2 (r - 1)) over items."""
    n_raters, n_labels = len(a_gi), len(c_ki)
    scale = weight / (r_i**2 * (r_i - 1.0))
    out = np.asarray((crossed * scale) @ crossed.T).reshape(n_raters, n_labels, n_raters, n_labels)
    both = (a_gi * scale * r_i**2) @ c_ki.T
    for g in range(n_raters):
        out[g, :, g, :] += np.diag(both[g]) - (c_ki * (a_gi[g] * scale * r_i)) @ c_ki.T
    for k in range(n_labels):
        out[:, k, :, k] -= (a_gi * (c_ki[k] * scale * r_i)) @ a_gi.T
    return out.reshape(n_raters * n_labels, n_raters * n_labels)


def _blocks(data: Ratings, n_raters: int, n_labels: int) -> Iterator[tuple[Floats, Floats]]:
    """Yield 1[rater g gave label k] for some rows with at least two ratings, and how many each."""
    source = reduce_to_rows(data, get_distance("nominal", scale="nominal"), by_rater=True)
    for rows in source.chunks():
        assert rows.by_rater is not None
        keep = np.flatnonzero(rows.ratings >= 2)
        for start in range(0, keep.size, _CHUNK):
            part = keep[start : start + _CHUNK]
            block = rows.by_rater[:, part]
            whole = dense(block)
            yield whole.reshape(n_raters, n_labels, part.size), rows.multiplicity[part]


def _rated_alike(patterns: Patterns) -> list[Codes] | None:
    """Return the rows that the same raters rated, group by group; None where groups abound."""
    given = patterns.codes >= 0
    if given.all():
        return [np.arange(len(given))]
    _, group = np.unique(np.packbits(given, axis=1), axis=0, return_inverse=True)
    group = group.ravel()
    if group.max() >= min(_MOST_GROUPS, max(64, group.size // 16)):
        return None
    ends = np.bincount(group).cumsum()[:-1]
    return np.split(group.argsort(kind="stable"), ends)


def _grouped_margins(patterns: Patterns, groups: list[Codes], n_labels: int) -> Margins:
    """Add up by groups of items with the same raters, in which the covariance is a product.

    With r raters it is (r 1[g=h] - 1) times sum_i c_ik (r 1[k=l] - c_il) / (r^2 (r - 1)).
    """
    n_raters = patterns.codes.shape[1]
    used = np.zeros((n_raters, n_labels))
    difference, n_items = np.zeros((n_raters, n_labels)), 0.0
    covariance, labels_k = np.zeros((n_raters, n_labels) * 2), np.arange(n_labels)
    for rows in groups:
        who = np.flatnonzero(patterns.codes[rows[0]] >= 0)
        r = len(who)
        if r < 2:
            continue
        n_gk, together, weight = _group_totals(patterns, rows, who, n_labels)
        n_items += weight
        used[who] += n_gk
        difference[who] += n_gk - n_gk.mean(axis=0)
        labels = (r * np.diag(n_gk.sum(axis=0)) - together) / (r**2 * (r - 1.0))
        raters = r * np.eye(r) - 1.0
        covariance[np.ix_(who, labels_k, who, labels_k)] += (
            raters[:, None, :, None] * labels[None, :, None, :]
        )
    size = n_raters * n_labels
    return Margins(difference.ravel(), covariance.reshape(size, size), used, round(n_items))


def _group_totals(
    patterns: Patterns, rows: Codes, who: Codes, n_labels: int
) -> tuple[Floats, Floats, float]:
    """Return rater x label totals, sums of c_ik c_il over items, and how many items there are."""
    n_gk, together = np.zeros((len(who), n_labels)), np.zeros((n_labels, n_labels))
    total = 0.0
    for start in range(0, rows.size, _CHUNK):
        part = rows[start : start + _CHUNK]
        codes = patterns.codes[np.ix_(part, who)].astype(np.intp)
        weight = patterns.multiplicity[part].astype(np.float64)
        place = (np.arange(len(part))[:, None] * n_labels + codes).ravel()
        c_ik = np.bincount(place, minlength=len(part) * n_labels).reshape(-1, n_labels)
        together += (c_ik * weight[:, None]).T @ c_ik
        for g, column in enumerate(codes.T):
            n_gk[g] += np.bincount(column, weight, minlength=n_labels)
        total += float(weight.sum())
    return n_gk, together, total
