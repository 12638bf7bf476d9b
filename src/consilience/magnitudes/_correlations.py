"""Do marks go together? Correlations of marks or ranks, covariance, chi-square of a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats
from consilience.core.tails import chi_square_tail
from consilience.inference import Interval, Test
from consilience.inference.intervals import ALTERNATIVES, Alternative, wald_test
from consilience.magnitudes._magnitude import Magnitude, check_number, register
from consilience.magnitudes.marks import Paired, error_of_mean, paired, panel
from consilience.ratings.clusters import need_independent_items

# ---- two raters

Ranks = NDArray[np.intp]


@dataclass(frozen=True, kw_only=True, repr=False)
class Correlation(Magnitude):
    """Pearson's or Spearman's correlation.

    `ase1` is the asymptotic error that does not assume a null hypothesis; the test of 0 is
    Student's t with n - 2 degrees of freedom, as SPSS prints it; the interval is Fisher's. Where
    items go together `ase1` is that of whole clusters, and both the interval and every test are
    those of Fisher's z with the error ase1 / (1 - r^2).
    """

    ase1: float = math.nan
    interval_method: ClassVar[str] = "fisher"
    lowest: ClassVar[float] = -1.0
    highest: ClassVar[float] = 1.0
    beside: ClassVar[str] = "ase1, t: statistic, r_squared"

    @classmethod
    def of(
        cls,
        marks: Paired,
        measure: str,
        value_of: Callable[[Paired], float],
        influence_of: Callable[[Paired], Floats],
    ) -> Self:
        """Return the correlation of two raters' marks, its error from the items' influence."""
        facts = marks.facts(measure)
        reason = marks.why_not()
        if reason:
            return cls.undefined(reason, facts)
        value = value_of(marks)
        if abs(value) == 1.0:
            facts["flags"] += ("boundary",)
        error = marks.error(influence_of(marks)) if abs(value) < 1.0 else 0.0
        return cls(
            value=value,
            standard_error=error,
            standard_error_method="ase1",
            ase1=error,
            **facts,
        )

    @property
    def statistic(self) -> float:
        """Student's t of the null hypothesis of no correlation; of Fisher's z with clusters."""
        return self.test().statistic

    @property
    def r_squared(self) -> float:
        """The share of variance in common."""
        return self.value**2

    def _interval(self, level: float) -> Interval:
        if self.n_items_used < 4 or abs(self.value) >= 1.0:
            return self._no_interval(level)
        return self._fisher_interval(level, self.fisher_error)

    @property
    def fisher_error(self) -> float:
        """Standard error of Fisher's z."""
        if self.clusters is not None:
            return self.ase1 / (1.0 - self.value**2)
        return self._fisher_error_of_items

    @property
    def _fisher_error_of_items(self) -> float:
        return 1.0 / math.sqrt(self.n_items_used - 3)

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value: 0 by Student's t, any other on Fisher's scale."""
        null = check_number("null", null)
        check_word("alternative", alternative, ALTERNATIVES)
        n, r = self.n_items_used, self.value
        df = float(n - 2)
        if self.permuted is not None and null == 0.0:
            return self._test_of_perfect_order(alternative)
        if self.status != "ok" or n < 3 or abs(r) >= 1.0 or (null != 0.0 and n < 4):
            return Test(math.nan, math.nan, null, alternative, "student", df)
        if null == 0.0 and self.clusters is None:
            error = math.sqrt((1.0 - r**2) / df)
            return wald_test(
                r, error, null=0.0, alternative=alternative, degrees_of_freedom=df, method="student"
            )
        if abs(null) >= 1.0:
            return Test(math.nan, math.nan, null, alternative, "fisher", None)
        gap = math.atanh(r) - math.atanh(null)
        return self._wald_test(gap, self.fisher_error, 0.0, alternative, "fisher")


def pearson_of(marks: Paired) -> float:
    """Return r, kept within its range."""
    r = marks.ss_xy / math.sqrt(marks.ss_x) / math.sqrt(marks.ss_y)
    return perfect(min(max(r, -1.0), 1.0))


def perfect(r: float) -> float:
    """Return 1 or -1 where only rounding keeps a correlation from it."""
    return math.copysign(1.0, r) if 1.0 - abs(r) < 1e-14 else r


def pearson_influence(marks: Paired) -> Floats:
    """Return what each pair of marks does to r: zx zy - r (zx^2 + zy^2) / 2."""
    zx = marks.dx / math.sqrt(marks.ss_x / marks.n)
    zy = marks.dy / math.sqrt(marks.ss_y / marks.n)
    return zx * zy - pearson_of(marks) / 2.0 * (zx**2 + zy**2)


def ranked(marks: Paired) -> Paired:
    """Return the same items with mid-ranks, as shares of n, in place of marks."""
    x, y = (mid_shares(rank, marks.weight) for rank in (marks.rank_x, marks.rank_y))
    return replace(marks, x=x, y=y, range=None)


def spearman_of(marks: Paired) -> float:
    """Return rho: r of the mid-ranks."""
    return pearson_of(ranked(marks))


def mid_shares(rank: Ranks, weight: Floats) -> Floats:
    """Return for each item the share of items below it plus half of those level with it."""
    total = np.bincount(rank, weights=weight)
    return np.asarray(((np.cumsum(total) - total / 2.0) / total.sum())[rank])


def mean_above(rank: Ranks, weight: Floats, of: Floats) -> Floats:
    """Return E[k(v, V) U] for each item v, with k = 1 where V is above v and 1/2 where level."""
    total = np.bincount(rank, weights=weight * of)
    above = total.sum() - np.cumsum(total)
    return np.asarray(((above + total / 2.0) / weight.sum())[rank])


def spearman_influence(marks: Paired) -> Floats:
    """Return what each pair of marks does to Spearman's rho, its effect on all ranks included.

    With G and H the mid-rank shares, s_xy = E[GH] - 1/4. A new item at (x, y) adds GH there and
    raises the shares of all items above it, which adds E[k(x, X) H] + E[k(y, Y) G].
    """
    ranks = ranked(marks)
    g, h, w, n = ranks.x, ranks.y, marks.weight, marks.n

    def centred(effect: Floats) -> Floats:
        return effect - float(w @ effect) / n

    above_x, above_y = mean_above(marks.rank_x, w, h), mean_above(marks.rank_y, w, g)
    s_xy = centred(g * h + above_x + above_y)
    s_xx = centred(g**2 + 2.0 * mean_above(marks.rank_x, w, g))
    s_yy = centred(h**2 + 2.0 * mean_above(marks.rank_y, w, h))
    v_x, v_y = ranks.ss_x / n, ranks.ss_y / n
    rho = pearson_of(ranks)
    return s_xy / math.sqrt(v_x * v_y) - rho / 2.0 * (s_xx / v_x + s_yy / v_y)


# ---- Pearson


@register(
    title="Pearson's r",
    caution=(
        "Correlation is not agreement: it stays 1 when one rater gives exactly twice the marks of "
        "the other, or always ten more."
    ),
    raters="two",
    labels="numbers",
    aliases=("r", "pearson_r", "product_moment", "correlation"),
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


# ---- Spearman


@register(
    title="Spearman's rho",
    caution=(
        "It compares the order of the items only: two raters with the same ranking and entirely "
        "different marks get 1."
    ),
    raters="two",
    labels="order",
    aliases=("rho", "r_s", "spearman_rho", "rank_correlation"),
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
    A rho of 1 or -1 has no t: its p-value is the share of all orders of the marks that reach it.

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
    rho = RankCorrelation.of(marks, "spearman", spearman_of, spearman_influence)
    is_perfect = abs(rho.value) == 1.0 and marks.clusters is None
    return replace(rho, permuted=marks.permuted) if is_perfect else rho


class RankCorrelation(Correlation):
    """Spearman's rho: the error of Fisher's z is a little larger than for marks."""

    @property
    def _fisher_error_of_items(self) -> float:
        """Standard error of Fisher's z after Bonett & Wright (2000)."""
        return math.sqrt((1.0 + self.value**2 / 2.0) / (self.n_items_used - 3))


# ---- covariance


@dataclass(frozen=True, kw_only=True, repr=False)
class Covariance(Magnitude):
    """The covariance, with the variances beside it."""

    variance_first: float = math.nan
    variance_second: float = math.nan
    beside: ClassVar[str] = "variance_first, variance_second"


@register(
    title="Covariance",
    caution=(
        "Its size depends on the units of the marks and tells nothing about the strength of the "
        "relation."
    ),
    raters="two",
    labels="numbers",
)
def covariance(*ratings: Any, pair: Sequence[object] | None = None) -> Covariance:
    """Covariance of two raters' marks.

    Use it for its sign, or as a part of other measures. Prefer `pearson` for the strength of a
    relation.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    pair : names of two raters, when there are more

    Returns
    -------
    Covariance

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels that are not numbers.

    Notes
    -----
    sum (x - mean x)(y - mean y) / (n - 1); the error is that of the mean product of deviations.

    Examples
    --------
    >>> covariance([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]).value
    5.0
    """
    marks = paired("covariance", ratings, pair)
    facts = marks.facts("covariance")
    reason = marks.why_not(vary="none")
    if reason:
        return Covariance.undefined(reason, facts)
    products = marks.dx * marks.dy
    error = marks.error(products - marks.ss_xy / marks.n)
    free = marks.n - 1.0
    if error == 0.0:
        facts["flags"] += ("no_spread",)
    return Covariance(
        value=marks.ss_xy / free,
        standard_error=error,
        standard_error_method="linearised",
        variance_first=marks.ss_x / free,
        variance_second=marks.ss_y / free,
        **facts,
    )


# ---- chi-square


@dataclass(frozen=True, kw_only=True, repr=False)
class ChiSquare(Magnitude):
    """Chi-square of independence, with Cramér's V."""

    n_degrees: int = 0
    cramer_v: float = math.nan
    beside: ClassVar[str] = "degrees_of_freedom: n_degrees, cramer_v"

    @property
    def degrees_of_freedom(self) -> float:
        """(rows - 1)(columns - 1), labels that were used only."""
        return float(self.n_degrees)

    def _interval(self, level: float) -> Interval:
        return Interval(math.nan, math.nan, level, "none")

    def test(self, null: float = 0.0, *, alternative: Alternative = "greater") -> Test:
        """Test independence; a large chi-square speaks against it."""
        check_number("null", null)
        check_word("alternative", alternative, ("greater",))
        ok = self.status == "ok"
        p_value = chi_square_tail(self.value, self.n_degrees) if ok else math.nan
        return Test(self.value, p_value, 0.0, "greater", "chi-square", float(self.n_degrees))


@register(
    title="Pearson's chi-square",
    caution=(
        "It measures association of any kind, also when raters never choose the same label; a "
        "small p-value is no sign of agreement."
    ),
    raters="two",
    labels="labels",
    aliases=("chi2", "chi_square"),
)
def pearson_chi2(*ratings: Any, pair: Sequence[object] | None = None) -> ChiSquare:
    """Pearson's chi-square: whether the labels of two raters are independent.

    Use it to compare with older papers. Prefer any coefficient of agreement: chi-square is as
    large when raters always disagree in the same manner.

    Parameters
    ----------
    ratings : Ratings, or one sequence of labels per rater
    pair : names of two raters, when there are more

    Returns
    -------
    ChiSquare

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or items that go together: the test supposes that they are
        independent.

    Notes
    -----
    sum (n_kl - e_kl)^2 / e_kl over the labels that each of the two has used, without a
    correction for continuity.

    Examples
    --------
    >>> from consilience import Ratings
    >>> table = [[50, 26, 24], [24, 4, 32], [6, 30, 4]]  # Cohen 1960; Artstein & Poesio 2005
    >>> round(pearson_chi2(Ratings.from_table(table)).value, 2)
    64.59
    """
    marks = paired("pearson_chi2", ratings, pair)
    need_independent_items(
        "pearson_chi2", marks.clusters, instead="cohen_kappa has an error that allows for them"
    )
    facts = marks.facts("pearson_chi2")
    reason = marks.why_not()
    if reason:
        return ChiSquare.undefined(reason, facts)
    rows, k = np.unique(marks.x, return_inverse=True)
    columns, m = np.unique(marks.y, return_inverse=True)
    n_k, n_l = np.bincount(k, weights=marks.weight), np.bincount(m, weights=marks.weight)
    key, place = np.unique(k * columns.size + m, return_inverse=True)
    n_kl = np.bincount(place, weights=marks.weight)
    # sum n_kl^2 / e_kl - n, so that empty cells cost nothing.
    n = marks.n
    share = n_kl / n_k[key // columns.size] / n_l[key % columns.size]
    value = max(n * float(n_kl @ share) - n, 0.0)
    if _share_below_five(n_k, n_l, n) > 0.2:
        facts["flags"] += ("few_expected",)
    return ChiSquare(
        value=value,
        n_degrees=(rows.size - 1) * (columns.size - 1),
        cramer_v=math.sqrt(value / n / (min(rows.size, columns.size) - 1)),
        **facts,
    )


def _share_below_five(n_k: Any, n_l: Any, n: float) -> float:
    """Return the share of cells that expect fewer than five items, without building them."""
    ordered = np.sort(n_l)
    below = np.searchsorted(ordered, 5.0 * n / n_k, side="left")
    return float(below.sum() / (n_k.size * n_l.size))


# ---- many raters

AVERAGES = ("fisher", "plain")


@dataclass(frozen=True, kw_only=True, repr=False)
class MeanCorrelation(Magnitude):
    """The mean of the correlations of all pairs of raters.

    `standard_error` is that of the mean, on Fisher's scale when that is where the mean was taken;
    pairs share raters and items, which it accounts for through each item's effect on the mean.
    """

    n_pairs: int = 0
    n_pairs_left_out: int = 0
    average: str = "fisher"
    interval_method: ClassVar[str] = "fisher"
    lowest: ClassVar[float] = -1.0
    highest: ClassVar[float] = 1.0
    beside: ClassVar[str] = "pairs: n_pairs, pairs_left_out: n_pairs_left_out, average"

    @property
    def _degrees_of_items(self) -> float:
        return float(self.n_items_used - 1)

    def _interval(self, level: float) -> Interval:
        if not 0.0 < self.standard_error < math.inf or not self.degrees_of_freedom:
            return self._no_interval(level)
        if self.average == "fisher":
            return self._fisher_interval(level, self.standard_error)
        return replace(super()._interval(level), method="student")

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value on the scale on which the mean was taken."""
        null = check_number("null", null)
        fisher = self.average == "fisher" and abs(null) < 1.0 and abs(self.value) < 1.0
        value = math.atanh(self.value) - math.atanh(null) if fisher else self.value - null
        error = self.standard_error if self.degrees_of_freedom else math.nan
        return self._wald_test(value, error, 0.0, alternative, self.average)


Correlate = Callable[[Paired], float]
Influence = Callable[[Paired], Floats]


def mean_correlation(
    measure: str, data: tuple[Any, ...], average: str, correlate: Correlate, influence: Influence
) -> MeanCorrelation:
    """Average a correlation over all pairs of raters, each on the items that both rated."""
    check_word("average", average, AVERAGES)
    marks = panel(measure, data)
    clusters = marks.ratings.clusters
    if clusters is None:
        values, weight = (np.concatenate(part) for part in zip(*marks.blocks(), strict=True))
    else:
        values = marks.laid_out()
        weight = np.ones(len(values))
    rated = (~np.isnan(values)).sum(axis=1) >= 2
    n = int(weight[rated].sum())
    facts = marks.facts(measure, n)
    if clusters is not None:
        values, weight = values[rated], weight[rated]
        facts["clusters"] = clusters.of_items(rated)
    effect, total, counts = np.zeros(len(values)), 0.0, {"used": 0, "perfect": 0, "undefined": 0}
    signs = set()
    for first, second in combinations(range(values.shape[1]), 2):
        both = ~np.isnan(values[:, [first, second]]).any(axis=1)
        pair = Paired(
            values[both, first], values[both, second], weight[both], (first, second), n, (), None
        )
        if not both.any() or pair.why_not() is not None:
            counts["undefined"] += 1
            continue
        r = correlate(pair)
        if abs(r) == 1.0 and average == "fisher":
            counts["perfect"] += 1
            signs.add(r)
            continue
        slope = 1.0 / (1.0 - r**2) if average == "fisher" else 1.0
        total += math.atanh(r) if average == "fisher" else r
        effect[both] += slope * influence(pair) * n / pair.n
        counts["used"] += 1
    if counts["used"] == 0 and len(signs) == 1:  # all are 1, or all are -1: so is their mean
        facts.update(n_pairs=sum(counts.values()), n_pairs_left_out=counts["undefined"])
        facts["flags"] += ("boundary",)
        return MeanCorrelation(value=signs.pop(), average=average, **facts)
    return _mean(total, effect, weight, n=n, counts=counts, average=average, facts=facts)


def _mean(
    total: float,
    effect: Floats,
    weight: Floats,
    *,
    n: int,
    counts: dict[str, int],
    average: str,
    facts: dict[str, Any],
) -> MeanCorrelation:
    used = counts["used"]
    for word in ("perfect", "undefined"):
        if counts[word]:
            facts["flags"] += (f"{word}_pairs_left_out",)
    facts.update(
        n_pairs=sum(counts.values()), n_pairs_left_out=sum(counts.values()) - used, average=average
    )
    if used == 0:
        why = "every correlation is exactly 1 or -1" if counts["perfect"] else "no pair has one"
        reason = f"no_correlation: there is nothing to average, as {why}"
        return MeanCorrelation.undefined(reason, facts)
    mean = total / used
    return MeanCorrelation(
        value=math.tanh(mean) if average == "fisher" else mean,
        standard_error=error_of_mean(effect / used, weight, n, facts["clusters"]),
        standard_error_method="linearised, Fisher's scale" if average == "fisher" else "linearised",
        **facts,
    )


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
