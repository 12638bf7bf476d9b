"""Are items put in the same order? Kendall's tau and W, Goodman and Kruskal's gamma, Somers' d."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Ints
from consilience.core.tails import chi_square_tail
from consilience.exceptions import UnsupportedDesignError
from consilience.inference import Interval, Test
from consilience.inference.intervals import ALTERNATIVES, Alternative
from consilience.magnitudes._correlations import perfect
from consilience.magnitudes._differences import _mid_ranks
from consilience.magnitudes._magnitude import Magnitude, check_number, register
from consilience.magnitudes.marks import Paired, error_of_mean, paired, panel
from consilience.ratings.clusters import Clusters

# ---- concordant pairs
# An item counts as concordant with another when both raters put the two in the same order. For
# every point the weight below and to its left is found with a wavelet pass: the points, in order of
# x, are split by one bit of the rank of y at a time, and in each node a point with the upper bit
# has all earlier points with the lower bit below it. No table of distinct values is ever built.


@dataclass(frozen=True)
class Concordance:
    """Distinct pairs of marks with what is concordant (A) and discordant (D) with each."""

    weight: Floats  # n_ij
    concordant: Floats  # A_ij
    discordant: Floats  # D_ij
    same_x: Floats  # n_i+
    same_y: Floats  # n_+j
    n_x: int  # number of different marks of the first rater
    n_y: int
    place: NDArray[np.intp]  # of each item's pair among the distinct ones
    clusters: Clusters | None = None  # of the items

    def error(self, effect: Floats) -> float:
        """Return the error of a mean over items of effects that belong to distinct pairs."""
        of_items = effect if self.clusters is None else effect[self.place]
        return error_of_mean(of_items, self.weight, self.n, self.clusters)

    @cached_property
    def n(self) -> float:
        """Number of items."""
        return float(self.weight.sum())

    @cached_property
    def p(self) -> float:
        """P: ordered pairs that are concordant."""
        return float(self.weight @ self.concordant)

    @cached_property
    def q(self) -> float:
        """Q: ordered pairs that are discordant."""
        return float(self.weight @ self.discordant)

    @property
    def d(self) -> Floats:
        """d_ij = A_ij - D_ij."""
        return self.concordant - self.discordant

    @cached_property
    def w_r(self) -> float:
        """n^2 - sum of n_i+^2: ordered pairs that the first rater tells apart."""
        return self.n**2 - float(self.weight @ self.same_x)

    @cached_property
    def w_c(self) -> float:
        """n^2 - sum of n_+j^2: ordered pairs that the second rater tells apart."""
        return self.n**2 - float(self.weight @ self.same_y)

    @cached_property
    def spread(self) -> float:
        """Root of the sum of n_ij d_ij^2, less (P - Q)^2 / n; with clusters that of their sums."""
        if self.clusters is not None:
            return self.n * self.error(self.d)
        square = float(self.weight @ self.d**2)
        rest = square - (self.p - self.q) ** 2 / self.n
        return math.sqrt(rest) if rest > 1e-13 * square else 0.0  # less is rounding

    @cached_property
    def null_z(self) -> float:
        """Kendall's z: S against its permutation variance with ties; none with clusters."""
        if self.clusters is not None:
            return math.nan
        n = self.n
        tie_x, tie_y = _ties(self.same_x, self.weight), _ties(self.same_y, self.weight)
        variance = (n * (n - 1) * (2 * n + 5) - tie_x.s - tie_y.s) / 18.0
        variance += tie_x.pairs * tie_y.pairs / (2 * n * (n - 1))
        if n > 2:
            variance += tie_x.triples * tie_y.triples / (9 * n * (n - 1) * (n - 2))
        return (self.p - self.q) / 2.0 / math.sqrt(variance) if variance > 0 else math.nan


@dataclass(frozen=True)
class _Ties:
    """Sums over groups of t tied items."""

    s: float  # t (t - 1) (2 t + 5)
    pairs: float  # t (t - 1)
    triples: float  # t (t - 1) (t - 2)


def _ties(size: Floats, weight: Floats) -> _Ties:
    # Each item of a group of t adds 1/t of the group's term.
    t = size
    return _Ties(
        float(weight @ ((t - 1) * (2 * t + 5))),
        float(weight @ (t - 1)),
        float(weight @ ((t - 1) * (t - 2))),
    )


def concordance(marks: Paired) -> Concordance:
    """Count for each distinct pair of marks what is concordant and discordant with it."""
    x, y, weight, place = _distinct(marks)
    n = weight.sum()
    total_x, below_x = _margin(x, weight)
    total_y, below_y = _margin(y, weight)
    left_below = _dominated(x, y, weight)
    # Points to the left at the same height: earlier in the row of equal y.
    left_level = _earlier_in_group(y, x, weight)
    below_level = _earlier_in_group(x, y, weight)
    left_above = below_x[x] - left_below - left_level
    right_below = below_y[y] - left_below - below_level
    same = total_x[x] + total_y[y] - weight  # tied with the point in x, in y, or both
    right_above = n - same - left_below - left_above - right_below
    return Concordance(
        weight,
        left_below + right_above,
        left_above + right_below,
        total_x[x],
        total_y[y],
        total_x.size,
        total_y.size,
        place,
        marks.clusters,
    )


def _distinct(marks: Paired) -> tuple[Ints, Ints, Floats, NDArray[np.intp]]:
    """Return ranks from 0 and weight of distinct pairs, in order of x, then falling y, and places.

    The places tell which of them each item's pair is.
    """
    x, y = marks.rank_x.astype(np.int64), marks.rank_y.astype(np.int64)
    n_levels = int(y.max()) + 1
    key = x * n_levels + (n_levels - 1 - y)
    keys, place = np.unique(key, return_inverse=True)
    weight = np.bincount(place, weights=marks.weight).astype(np.float64)
    return keys // n_levels, n_levels - 1 - keys % n_levels, weight, place


def _margin(rank: Ints, weight: Floats) -> tuple[Floats, Floats]:
    """Return the weight of each rank, and of all lower ones."""
    total = np.bincount(rank, weights=weight).astype(np.float64)
    return total, np.cumsum(total) - total


def _earlier_in_group(group: Ints, rank: Ints, weight: Floats) -> Floats:
    """Return for each point the weight of points in its group with a lower rank."""
    if int(group.max()) + 1 == group.size:  # no two points share a group
        return np.zeros(group.size)
    order = np.lexsort((rank, group))
    before = np.cumsum(weight[order]) - weight[order]
    grouped = group[order]
    start = np.searchsorted(grouped, grouped)
    out = np.empty_like(weight)
    out[order] = before - before[start]
    return out


def _dominated(x: Ints, y: Ints, weight: Floats) -> Floats:
    """Return for each point the weight strictly to the left and strictly below.

    The points come in order of x and, for equal x, of falling y; so of the earlier ones those
    with a lower y are exactly the ones wanted.
    """
    y = y.astype(np.int32 if x.size < 2**31 else np.int64)  # half the memory to go through
    point = place = np.arange(x.size, dtype=y.dtype)
    out = np.zeros(x.size)
    for bit in range(int(y.max(initial=0)).bit_length() - 1, -1, -1):
        height = y[point]
        node, upper = height >> (bit + 1), (height >> bit) & 1 == 1
        start = np.zeros(x.size, dtype=y.dtype)  # where the node of each place begins
        start[1:] = np.where(node[1:] != node[:-1], place[1:], 0)
        np.maximum.accumulate(start, out=start)
        lower = np.where(upper, 0.0, weight[point])
        before = np.cumsum(lower) - lower
        out[point] += np.where(upper, before - before[start], 0.0)
        point = point[_split(upper, start)]
    return out


def _split(upper: NDArray[np.bool_], start: NDArray[Any]) -> NDArray[Any]:
    """Return the order that puts the lower points of each node before the upper, else unchanged."""
    place = np.arange(upper.size, dtype=start.dtype)
    lower = (~upper).astype(start.dtype)
    lowers = np.cumsum(lower, dtype=start.dtype) - lower  # lower points before each place
    here = lowers - lowers[start]  # of these, in the same node
    is_last = np.append(start[1:] != start[:-1], True)
    in_node = np.zeros(upper.size, dtype=start.dtype)  # lower points of the whole node
    in_node[start[is_last]] = (here + lower)[is_last]
    target = np.where(upper, in_node[start] + place - here, start + here)
    order = np.empty_like(place)
    order[target] = place
    return order


# ---- one result for all

TESTS = ("ase0", "kendall")
Value = tuple[float, float, float, bool]  # the value, ASE1, ASE0, and whether it is an end


@dataclass(frozen=True, kw_only=True, repr=False)
class OrdinalAssociation(Magnitude):
    """Kendall's tau, Goodman & Kruskal's gamma or Somers' d, with both asymptotic errors.

    Attributes
    ----------
    ase1, ase0 : float
        The error without a null hypothesis, for intervals, and under the hypothesis of no
        association, for the test of 0.
    n_concordant, n_discordant : float
        Pairs of items in the same order, and in opposite order.
    kendall_z : float
        The value against its variance over all permutations, ties corrected; what R's cor.test
        and scipy's kendalltau print a p-value for. NaN for items that go together.
    """

    ase1: float = math.nan
    ase0: float = math.nan
    n_concordant: float = math.nan
    n_discordant: float = math.nan
    kendall_z: float = math.nan
    variant: str = ""
    lowest: ClassVar[float] = -1.0
    highest: ClassVar[float] = 1.0
    beside: ClassVar[str] = (
        "ase1, ase0, T: statistic, concordant_pairs: n_concordant, discordant_pairs: n_discordant"
    )

    @classmethod
    def of(
        cls,
        marks: Paired,
        facts: dict[str, Any],
        formula: Callable[[Concordance], Value | None],
        *,
        vary: str = "both",
    ) -> Self:
        """Return what a formula makes of the pairs; None stands for pairs that are all tied."""
        reason = marks.why_not(vary=vary)
        if reason:
            return cls.undefined(reason, facts)
        pairs = concordance(marks)
        found = formula(pairs)
        if found is None:
            reason = "all_tied: every pair of items is tied for one of the raters"
            return cls.undefined(reason, facts)
        value, ase1, ase0, at_end = found
        if at_end:
            facts["flags"] += ("boundary",)
        if pairs.spread == 0.0:
            facts["flags"] += ("no_null_error",)
        return cls(
            value=value,
            standard_error=ase1,
            standard_error_method="ase1",
            ase1=ase1,
            ase0=ase0,
            n_concordant=pairs.p / 2.0,
            n_discordant=pairs.q / 2.0,
            kendall_z=pairs.null_z,
            **facts,
        )

    @property
    def statistic(self) -> float:
        """SPSS's approximate T: the value divided by ASE0."""
        return self.test().statistic

    @property
    def details(self) -> dict[str, Any]:
        """Both errors, T, and the pairs behind the value."""
        return ({"variant": self.variant} if self.variant else {}) | super().details

    def test(
        self,
        null: float = 0.0,
        *,
        alternative: Alternative = "two-sided",
        method: str = "ase0",
    ) -> Test:
        """Test a null value by a normal distribution, with clusters by Student's t.

        Parameters
        ----------
        null : the value under the hypothesis; any but 0 uses ASE1
        method : {"ase0", "kendall"}
            For 0: the error that SPSS uses, or Kendall's variance over all permutations. A tau of
            1 or -1 for which the first is zero is tested by counting the orders that reach it.
        """
        null = check_number("null", null)
        check_word("method", method, TESTS)
        if self.permuted is not None and null == 0.0 and method == "ase0":
            check_word("alternative", alternative, ALTERNATIVES)
            return self._test_of_perfect_order(alternative)
        if method == "kendall" and null == 0.0:
            if self.clusters is not None:
                raise UnsupportedDesignError.needs(
                    'method="kendall"',
                    "items that are independent of each other",
                    f"items that share a {self.clusters.name}",
                    'use method="ase0"',
                )
            value, error = self.kendall_z, 1.0
        else:
            value, error = self.value, self.ase0 if null == 0.0 else self.ase1
        error = error if math.isfinite(value) else math.nan
        return self._wald_test(value, error, null, alternative, method if null == 0.0 else "ase1")


# ---- Kendall's tau

VARIANTS = ("a", "b", "c")


@register(
    title="Kendall's tau",
    caution=(
        "It tells whether two raters order pairs of items alike, not whether they give the same "
        "marks; with few different marks it can be about 0 although nearly all marks are equal."
    ),
    raters="two",
    labels="order",
    aliases=("tau", "kendall", "tau_a", "tau_b", "tau_c", "stuart_tau_c"),
    meant_by={
        "tau_a": {"variant": "a"},
        "tau_b": {"variant": "b"},
        "tau_c": {"variant": "c"},
        "stuart_tau_c": {"variant": "c"},
    },
)
def kendall_tau(
    *ratings: Any, variant: str = "b", pair: Sequence[object] | None = None
) -> OrdinalAssociation:
    """Kendall's tau of two raters, with the errors, T and p that SPSS prints.

    Use it for marks in order: it is the share of concordant pairs of items less that of discordant
    ones. Prefer a weighted kappa when the marks themselves should be the same.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    variant : {"a", "b", "c"}
        What the difference is divided by: all pairs, the pairs that are not tied, or (Stuart's)
        what a table of this size allows.
    pair : names of two raters, when there are more

    Returns
    -------
    OrdinalAssociation

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels without an order.

    Notes
    -----
    A_ij and D_ij count the items concordant and discordant with a cell; P = sum n_ij A_ij,
    Q = sum n_ij D_ij, d = A - D, w_r = n^2 - sum n_i+^2, w_c = n^2 - sum n_+j^2, w^2 = w_r w_c.

    tau_a = (P - Q) / (n (n - 1))
    tau_b = (P - Q) / w
    tau_c = m (P - Q) / (n^2 (m - 1)), m the smaller number of different marks
    ASE1(tau_b)^2 = [sum n (2 w d + tau_b v)^2 - n^3 tau_b^2 (w_r + w_c)^2] / w^4,
    v = n_i+ w_c + n_+j w_r;  ASE0(tau_b)^2 = 4 [sum n d^2 - (P - Q)^2 / n] / (w_r w_c)

    T = tau / ASE0 with a normal p [1]_. R and scipy divide by another null variance, Kendall's
    over all permutations: ``test(method="kendall")``. Time grows as n log n, memory as n.

    References
    ----------
    .. [1] Brown, M. B. & Benedetti, J. K. (1977). Sampling behavior of tests for correlation in
       two-way contingency tables. Journal of the American Statistical Association 72, 309-315.

    Examples
    --------
    >>> from consilience import datasets
    >>> tau = kendall_tau(datasets.load("haley_2008_table_1_3"))  # Haley et al. 2008, Table 1-3
    >>> round(tau.value, 3), round(tau.ase1, 3), round(tau.statistic, 3), round(tau.p_value, 3)
    (-0.02, 0.014, -0.722, 0.47)
    """
    check_word("variant", variant, VARIANTS)
    marks = paired("kendall_tau", ratings, pair)
    facts = marks.facts("kendall_tau")
    facts["name"] = f"Kendall's tau-{variant}"
    facts["variant"] = variant
    formula = {"a": _tau_a, "b": _tau_b, "c": _tau_c}[variant]
    vary = "none" if variant == "a" else "both"
    tau = OrdinalAssociation.of(marks, facts, formula, vary=vary)
    if abs(tau.value) != 1.0 or "no_null_error" not in tau.flags or marks.clusters is not None:
        return tau
    flags = tuple(flag for flag in tau.flags if flag != "no_null_error")
    return replace(tau, flags=flags, permuted=marks.permuted)


def _tau_a(c: Concordance) -> Value:
    pairs = c.n * (c.n - 1.0)
    tau, error = (c.p - c.q) / pairs, 2.0 / pairs * c.spread
    return tau, error, error, abs(tau) >= 1.0


def _tau_b(c: Concordance) -> Value:
    # Counts as shares of n: their fourth powers would lose digits otherwise.
    n, share = c.n, c.weight / c.n
    w_r, w_c, d = c.w_r / n**2, c.w_c / n**2, c.d / n
    w = math.sqrt(w_r) * math.sqrt(w_c)
    tau = (c.p - c.q) / n**2 / w
    v = c.same_x / n * w_c + c.same_y / n * w_r
    effect = 2.0 * w * d + tau * v
    mean = float(share @ effect)
    # sum n (...)^2 - n^3 tau^2 (w_r + w_c)^2 is the variance of the effect: its mean is known.
    ase1 = c.error(effect - mean) / w**2
    ase0 = 2.0 * c.spread / n**2 / w
    tau = perfect(min(max(tau, -1.0), 1.0))
    return tau, ase1 if ase1 > 1e-13 else 0.0, ase0, abs(tau) >= 1.0


def _tau_c(c: Concordance) -> Value:
    m = min(c.n_x, c.n_y)
    factor = m / ((m - 1.0) * c.n**2)
    tau, error = factor * (c.p - c.q), 2.0 * factor * c.spread
    return tau, error, error, abs(tau) >= 1.0


# ---- Goodman and Kruskal's gamma


@register(
    title="Goodman and Kruskal's gamma",
    caution=(
        "It ignores every tied pair of items, so that it grows when marks are lumped together, and "
        "it tells about order, not about equal marks."
    ),
    raters="two",
    labels="order",
    aliases=("gamma", "gk_gamma"),
)
def goodman_kruskal_gamma(
    *ratings: Any, pair: Sequence[object] | None = None
) -> OrdinalAssociation:
    """Goodman and Kruskal's gamma of two raters.

    Use it to compare with programs that print it. Prefer `kendall_tau`, which counts ties.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    pair : names of two raters, when there are more

    Returns
    -------
    OrdinalAssociation

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels without an order.

    Notes
    -----
    gamma = (P - Q) / (P + Q), ASE1 = 4 / (P + Q)^2 sqrt(sum n_ij (Q A_ij - P D_ij)^2),
    ASE0 = 2 / (P + Q) sqrt(sum n_ij d_ij^2 - (P - Q)^2 / n) [1]_; P and Q as in `kendall_tau`.

    References
    ----------
    .. [1] Goodman, L. A. & Kruskal, W. H. (1972). Measures of association for cross
       classifications, IV. Journal of the American Statistical Association 67, 415-421.

    Examples
    --------
    >>> from consilience import Ratings
    >>> vision = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205],
    ...           [36, 82, 179, 492]]  # Stuart 1955
    >>> round(goodman_kruskal_gamma(Ratings.from_table(vision, scale="ordinal")).value, 3)
    0.798
    """
    marks = paired("goodman_kruskal_gamma", ratings, pair)
    return OrdinalAssociation.of(marks, marks.facts("goodman_kruskal_gamma"), _gamma)


def _gamma(c: Concordance) -> Value | None:
    pairs = c.p + c.q
    if pairs == 0.0:
        return None
    p, q = c.p / pairs, c.q / pairs
    ase1 = 4.0 * c.n / pairs * c.error(q * c.concordant - p * c.discordant)
    return p - q, ase1, 2.0 / pairs * c.spread, ase1 == 0.0


# ---- Somers' d

PREDICTED = ("second", "first")


@register(
    title="Somers' d",
    caution=(
        "It tells how well one rater's order predicts the other's, and changes when the raters "
        "swap roles; it is no agreement."
    ),
    raters="two",
    labels="order",
    aliases=("somers",),
)
def somers_d(
    *ratings: Any, predicted: str = "second", pair: Sequence[object] | None = None
) -> OrdinalAssociation:
    """Somers' d: how well the order of one rater predicts the order of the other.

    Use it when one of the two is a standard. Prefer `kendall_tau` when neither is.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    predicted : {"second", "first"}
        Whose ties count against the prediction.
    pair : names of two raters, when there are more

    Returns
    -------
    OrdinalAssociation

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels without an order.

    Notes
    -----
    d = (P - Q) / w_r, the pairs that the predicting rater tells apart. The same as
    scipy.stats.somersd, whose table of distinct values would not fit memory for many of them.

    References
    ----------
    .. [1] Somers, R. H. (1962). A new asymmetric measure of association for ordinal variables.
       American Sociological Review 27, 799-811.

    Examples
    --------
    >>> round(somers_d([1, 2, 2, 3, 3, 4], [1, 2, 3, 3, 2, 3]).value, 3)
    0.538
    """
    check_word("predicted", predicted, PREDICTED)
    marks = paired("somers_d", ratings, pair)
    facts = marks.facts("somers_d")
    facts["variant"] = f"predicted: {predicted}"

    def formula(c: Concordance) -> Value:
        w, margin = (c.w_r, c.same_x) if predicted == "second" else (c.w_c, c.same_y)
        effect = c.d / w * c.n - (c.p - c.q) / w * (c.n - margin) / w * c.n
        ase1 = 2.0 * c.error(effect)
        return (c.p - c.q) / w, ase1, 2.0 / w * c.spread, ase1 == 0.0

    return OrdinalAssociation.of(marks, facts, formula)


# ---- Kendall's W


@dataclass(frozen=True, kw_only=True, repr=False)
class RankConcordance(Magnitude):
    """Kendall's W with its chi-square test."""

    chi_square: float = math.nan
    mean_spearman: float = math.nan
    lowest: ClassVar[float] = 0.0
    highest: ClassVar[float] = 1.0
    beside: ClassVar[str] = "chi_square, degrees_of_freedom: n_degrees, mean_spearman"

    @property
    def n_degrees(self) -> int:
        """n - 1."""
        return self.n_items_used - 1

    @property
    def degrees_of_freedom(self) -> float:
        """n - 1: of chi-square, for items that are independent of each other."""
        return float(self.n_degrees)

    def _interval(self, level: float) -> Interval:
        return Interval(math.nan, math.nan, level, "none")

    def test(self, null: float = 0.0, *, alternative: Alternative = "greater") -> Test:
        """Test that the raters rank at random; only a null value of 0 has a test."""
        if check_number("null", null) != 0.0:
            return Test(math.nan, math.nan, null, "greater", "chi-square", None)
        check_word("alternative", alternative, ("greater",))
        df = self.degrees_of_freedom
        known = self.status == "ok" and self.clusters is None
        p_value = chi_square_tail(self.chi_square, df) if known else math.nan
        return Test(self.chi_square, p_value, 0.0, "greater", "chi-square", df)


@register(
    title="Kendall's W",
    caution=(
        "It compares rankings: raters with the same order and quite different marks get 1, and "
        "there is no value below 0 for raters who contradict each other."
    ),
    raters="any",
    labels="order",
    aliases=("w", "concordance"),
)
def kendall_w(*ratings: Any) -> RankConcordance:
    """Kendall's coefficient of concordance: how far raters rank the items alike.

    Use it for rankings by three raters or more. Prefer Krippendorff's alpha with the ordinal
    distance when ratings are missing or the marks themselves matter.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater

    Returns
    -------
    RankConcordance
        `value` in [0, 1].

    Raises
    ------
    UnsupportedDesignError
        Fewer than two raters, labels without an order, or no item that everybody rated.

    Notes
    -----
    W = 12 S / (r^2 (n^3 - n) - r sum T), S the sum of squared deviations of the items' rank sums,
    T = sum (t^3 - t) over the ties of a rater [1]_; chi-square = r (n - 1) W with n - 1 degrees of
    freedom. Items that not everybody rated are left out and counted. Without ties
    W = (1 + (r - 1) mean Spearman) / r. That chi-square supposes independent items: for items that
    go together there is no p-value, and `mean_spearman` has an error that allows for them.

    References
    ----------
    .. [1] Kendall, M. G. & Babington Smith, B. (1939). The problem of m rankings. Annals of
       Mathematical Statistics 10, 275-287.

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
    ...          [6, 2, 4, 7]]  # Shrout & Fleiss 1979, Table 2
    >>> round(kendall_w(Ratings.from_wide(marks, scale="interval")).value, 3)
    0.887
    """
    data = panel("kendall_w", ratings)
    values, weight, n = data.complete()
    facts = data.facts("kendall_w", n)
    if n < data.ratings.n_items:
        facts["flags"] += ("items_left_out",)
    if facts["clusters"] is not None:
        facts["flags"] += ("no_clustered_test",)
    if n < 2:
        reason = f"too_few_items: two items that everybody rated are needed, there are {n}"
        return RankConcordance.undefined(reason, facts)
    r = values.shape[1]
    totals, ties = np.zeros(len(values)), 0.0
    for column in values.T:
        ranks, tied = _mid_ranks(column, weight)
        totals += ranks - (n + 1.0) / 2.0
        ties += tied
    largest = r**2 * (float(n) ** 3 - n) - r * ties
    if largest <= 0.0:
        reason = "constant_rater: every rater gave all items the same mark"
        return RankConcordance.undefined(reason, facts)
    value = min(12.0 * float(weight @ totals**2) / largest, 1.0)
    return RankConcordance(
        value=value,
        chi_square=r * (n - 1.0) * value,
        mean_spearman=(r * value - 1.0) / (r - 1.0) if ties == 0.0 else math.nan,
        **facts,
    )
