"""How far do marks lie apart? Mean differences with their tests, distances over all items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats
from consilience.core.tails import normal_below
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.inference.influence import jackknife_error
from consilience.inference.intervals import check_confidence_level
from consilience.magnitudes._magnitude import Magnitude, check_number, register
from consilience.magnitudes.marks import Paired, paired
from consilience.ratings.clusters import need_independent_items

# ---- mean differences

WILCOXON = ("normal", "exact")


@dataclass(frozen=True, kw_only=True, repr=False)
class PairedDifferences(Magnitude):
    """Mean difference (first minus second), paired t, Wilcoxon and effect sizes.

    Attributes
    ----------
    sd : float
        Standard deviation of the differences; where items go together, the root of the variances
        within and between clusters.
    sd_first, sd_second : float
        Standard deviations of the raters.
    wilcoxon_v, wilcoxon_p : float
        Sum of the ranks of positive differences, and its p-value.
    share_of_zeros : float
        Share of items with equal marks, which Wilcoxon's test throws away.
    d_z_error : float
        Standard error of d_z where items go together, the jackknife over clusters.
    """

    sd: float = math.nan
    sd_first: float = math.nan
    sd_second: float = math.nan
    wilcoxon_v: float = math.nan
    wilcoxon_p: float = math.nan
    share_of_zeros: float = math.nan
    d_z_error: float = math.nan
    interval_method: ClassVar[str] = "student"
    beside: ClassVar[str] = (
        "t: statistic, degrees_of_freedom: _whole_degrees, sd_of_differences: sd, sd_first, "
        "sd_second, wilcoxon_v, wilcoxon_p, share_of_zeros, d_z, d_z_interval, d_av, "
        "d_av_interval, d_pooled, hedges_j, hedges_g_z, hedges_g_av"
    )

    @property
    def _degrees_of_items(self) -> float:
        return float(self.n_items_used - 1)

    @property
    def statistic(self) -> float:
        """Student's t."""
        return self.test().statistic

    @property
    def d_z(self) -> float:
        """Mean difference in standard deviations of the differences."""
        return _ratio(self.value, self.sd)

    @property
    def d_av(self) -> float:
        """Mean difference in means of the raters' standard deviations."""
        return _ratio(self.value, (self.sd_first + self.sd_second) / 2.0)

    @property
    def d_pooled(self) -> float:
        """Mean difference in roots of the raters' mean variance."""
        return _ratio(self.value, math.sqrt((self.sd_first**2 + self.sd_second**2) / 2.0))

    @property
    def hedges_j(self) -> float:
        """Hedges' correction for few items: multiply an effect size with it.

        NaN where items go together, for which it is not known.
        """
        df = self._degrees_of_items
        if df < 2 or self.clusters is not None:
            return math.nan
        return math.exp(math.lgamma(df / 2) - math.lgamma((df - 1) / 2)) / math.sqrt(df / 2)

    @property
    def hedges_g_z(self) -> float:
        """d_z, corrected for few items."""
        return self.hedges_j * self.d_z

    @property
    def hedges_g_av(self) -> float:
        """d_av, corrected for few items."""
        return self.hedges_j * self.d_av

    def d_z_interval(self, *, confidence_level: float = 0.95) -> Interval:
        """Return the interval of d_z: the non-centralities under which t is not extreme.

        Where items go together it is d_z ± t times its error over clusters.
        """
        level = check_confidence_level(confidence_level)
        if self.clusters is not None:
            return self._wald_interval(self.d_z, self.d_z_error, level, method="jackknife")
        t, tail = self.statistic, (1.0 - level) / 2.0
        if self.status != "ok" or not math.isfinite(t):
            return Interval(math.nan, math.nan, level, "non-central t")
        root = math.sqrt(self.n_items_used)
        low = _noncentrality(t, self._degrees_of_items, 1.0 - tail)
        high = _noncentrality(t, self._degrees_of_items, tail)
        return Interval(low / root, high / root, level, "non-central t")

    def d_av_interval(self, *, confidence_level: float = 0.95) -> Interval:
        """Return the interval of d_av: that of d_z in the units of d_av, the spreads held fixed."""
        own = self.d_z_interval(confidence_level=confidence_level)
        scale = _ratio(self.sd, (self.sd_first + self.sd_second) / 2.0)
        return Interval(own.low * scale, own.high * scale, own.confidence_level, own.method)

    @property
    def _whole_degrees(self) -> int:
        return int(self.degrees_of_freedom or 0.0)


@register(
    title="Mean difference",
    caution=(
        "A mean difference of 0 is not agreement: raters who differ on every item, as often up as "
        "down, have it too, and Wilcoxon's test throws away the items on which they agree."
    ),
    raters="two",
    labels="numbers",
    aliases=(
        "paired_t",
        "t_test",
        "wilcoxon",
        "wilcoxon_signed_rank",
        "effect_size",
        "effect_size_paired",
        "mean_difference",
    ),
)
def paired_differences(
    *ratings: Any, wilcoxon: str = "normal", pair: Sequence[object] | None = None
) -> PairedDifferences:
    """Mean difference of two raters: paired t, Wilcoxon's test, effect sizes.

    Use it to see whether one rater is more lenient than the other. Prefer `bland_altman` for how
    far single marks differ.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    wilcoxon : {"normal", "exact"}
        How the p-value of Wilcoxon's test is found: by a normal distribution with the correction
        for ties, or by the exact distribution, which supposes no ties.
    pair : names of two raters, when there are more

    Returns
    -------
    PairedDifferences
        Differences are first minus second.

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, labels that are not numbers, or the exact test for items
        that go together.

    Notes
    -----
    t = mean d / (s / sqrt(n)); d_z = mean d / s with the interval of a non-central t;
    d_av = mean d / mean of the two standard deviations [1]_; d_pooled with the root of the mean
    variance; Hedges' J = Gamma(df / 2) / (sqrt(df / 2) Gamma((df - 1) / 2)).

    Where items go together (`Ratings.with_clusters`) t has the error of sums over clusters and one
    degree of freedom less than there are clusters, and Wilcoxon's z is the sum of signed ranks
    divided by the root of the sum of the clusters' squared sums [2]_.

    References
    ----------
    .. [1] Haley, D., Thomas, P., Petre, M. & De Roeck, A. (2008). Using a New Inter-rater
       Reliability Statistic. Open University, Technical Report 2008/15.
    .. [2] Rosner, B., Glynn, R. J. & Lee, M.-L. T. (2006). The Wilcoxon signed rank test for
       paired comparisons of clustered data. Biometrics 62, 185-192.

    Examples
    --------
    >>> gap = paired_differences([5, 7, 6, 9, 8], [4, 7, 5, 7, 8])
    >>> round(gap.value, 2), round(gap.statistic, 3), gap.share_of_zeros
    (0.8, 2.138, 0.4)
    """
    check_word("wilcoxon", wilcoxon, WILCOXON)
    marks = paired("paired_differences", ratings, pair)
    facts = marks.facts("paired_differences")
    reason = marks.why_not(vary="none")
    if reason:
        return PairedDifferences.undefined(reason, facts)
    d, n, sd = marks.differences, marks.n, marks.difference_sd
    if sd == 0.0:
        facts["flags"] += ("no_spread",)
    v, p_value = _wilcoxon(marks, wilcoxon)
    return PairedDifferences(
        value=marks.mean_difference,
        standard_error=marks.mean_difference_error,
        standard_error_method="mean",
        d_z_error=_error_of_d_z(marks),
        sd=sd,
        sd_first=math.sqrt(marks.ss_x / (n - 1.0)),
        sd_second=math.sqrt(marks.ss_y / (n - 1.0)),
        wilcoxon_v=v,
        wilcoxon_p=p_value,
        share_of_zeros=float(marks.weight @ (d == 0.0)) / n,
        **facts,
    )


def _error_of_d_z(marks: Paired) -> float:
    if marks.clusters is None:
        return math.nan
    mean, sd = marks.differences_without_each_cluster()
    with np.errstate(divide="ignore", invalid="ignore"):
        return jackknife_error(mean / sd)


def _wilcoxon(marks: Paired, method: str) -> tuple[float, float]:
    """Return the rank sum of positive differences and its p-value; zeros are left out."""
    if method == "exact":
        need_independent_items('wilcoxon="exact"', marks.clusters, instead='use wilcoxon="normal"')
    apart = marks.differences != 0.0
    d, w = marks.differences[apart], marks.weight[apart]
    if not d.size:
        return math.nan, math.nan
    ranks, ties = _mid_ranks(np.abs(d), w)
    v, n = float(w @ np.where(d > 0.0, ranks, 0.0)), float(w.sum())
    if method == "exact":
        from scipy.stats import wilcoxon

        drawn = wilcoxon(np.repeat(d, w.astype(np.intp)), method="exact")
        return v, float(drawn.pvalue)
    if marks.clusters is not None:
        signed = np.bincount(marks.clusters.codes[apart], weights=np.sign(d) * ranks)
        return v, 2.0 * normal_below(-abs(float(signed.sum())) / math.sqrt(float(signed @ signed)))
    variance = n * (n + 1.0) * (2.0 * n + 1.0) / 24.0 - ties / 48.0
    z = (v - n * (n + 1.0) / 4.0) / math.sqrt(variance)
    return v, 2.0 * normal_below(-abs(z))


def _mid_ranks(values: Floats, weight: Floats) -> tuple[Floats, float]:
    """Return mid-ranks and the sum of t^3 - t over groups of ties."""
    _, place = np.unique(values, return_inverse=True)
    total = np.bincount(place, weights=weight)
    ranks = np.cumsum(total) - (total - 1.0) / 2.0
    return np.asarray(ranks[place]), float((total**3 - total).sum())


def _noncentrality(t: float, df: float, probability: float) -> float:
    """Return the non-centrality under which t has this probability below it."""
    from scipy.special import nctdtrinc

    return float(nctdtrinc(df, probability, t))


def _ratio(value: float, spread: float) -> float:
    return value / spread if spread > 0.0 else math.nan


# ---- distances


@dataclass(frozen=True, kw_only=True, repr=False)
class VectorDistance(Magnitude):
    """Distances between two lists of marks; `value` is the mean absolute difference.

    Attributes
    ----------
    l1, l2 : float
        Sum of absolute differences, and root of the sum of squares; they grow with the number of
        items.
    mean_absolute_error, root_mean_square_error : float
        The same per item, in marks.
    relative_absolute_error, relative_square_error : float
        Divided by the range of marks, so that questions of different worth can be compared.
    simple_metric : float
        Share of items with equal marks.
    """

    l1: float = math.nan
    l2: float = math.nan
    root_mean_square_error: float = math.nan
    relative_absolute_error: float = math.nan
    relative_square_error: float = math.nan
    simple_metric: float = math.nan
    range: tuple[float, float] = (math.nan, math.nan)
    lowest: ClassVar[float] = 0.0
    beside: ClassVar[str] = (
        "l1, l2, mean_absolute_error, root_mean_square_error, relative_absolute_error, "
        "relative_square_error, simple_metric"
    )

    @property
    def mean_absolute_error(self) -> float:
        """Mean absolute difference."""
        return self.value

    @property
    def p_value(self) -> float:
        """NaN: raters who never differ need no test, and all others differ on average."""
        return math.nan


@register(
    title="Mean absolute difference",
    caution=(
        "A distance says nothing about chance: raters who give nearly all items the same mark are "
        "close whatever they look at."
    ),
    raters="two",
    labels="numbers",
    aliases=("mae", "rmse", "l1", "l2", "manhattan", "euclidean", "simple_metric"),
)
def vector_distance(
    *ratings: Any,
    mark_range: Sequence[float] | None = None,
    pair: Sequence[object] | None = None,
) -> VectorDistance:
    """Distances between two raters' marks: L1, L2, and both per item and per range of marks.

    Use it to rank several systems against one marker. Prefer `bland_altman` to see which way the
    marks differ.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    mark_range : lowest and highest mark that could be given
        Default the declared categories, or else the lowest and highest mark in the data.
    pair : names of two raters, when there are more

    Returns
    -------
    VectorDistance

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels that are not numbers.

    Notes
    -----
    L1 = sum |x - y|, L2 = sqrt(sum (x - y)^2). The column headed L1 in Table 1-4 of [1]_ holds the
    sum of squares.

    References
    ----------
    .. [1] Haley, D., Thomas, P., Petre, M. & De Roeck, A. (2008). Using a New Inter-rater
       Reliability Statistic. Open University, Technical Report 2008/15.

    Examples
    --------
    >>> distance = vector_distance([4, 4, 4, 4], [4, 3, 4, 1], mark_range=(0, 4))
    >>> distance.l1, distance.mean_absolute_error, distance.relative_absolute_error
    (4.0, 1.0, 0.25)
    """
    marks = paired("vector_distance", ratings, pair)
    low, high = _range(marks, mark_range)
    gap = np.abs(marks.differences)
    n, w = marks.n, marks.weight
    l1, square = float(w @ gap), float(w @ gap**2)
    mean, rms = l1 / n, math.sqrt(square / n)
    width = high - low if high > low else math.nan
    return VectorDistance(
        value=mean,
        standard_error=_error(marks, gap - mean),
        standard_error_method="mean",
        l1=l1,
        l2=math.sqrt(square),
        root_mean_square_error=rms,
        relative_absolute_error=mean / width,
        relative_square_error=rms / width,
        simple_metric=float(w @ (gap == 0.0)) / n,
        range=(low, high),
        **marks.facts("vector_distance"),
    )


def _error(marks: Paired, apart: Floats) -> float:
    if marks.clusters is not None or marks.n <= 1:
        return marks.error(apart) if marks.n > 1 else math.nan
    return math.sqrt(float(marks.weight @ apart**2) / (marks.n * (marks.n - 1.0)))


def _range(marks: Paired, given: Any) -> tuple[float, float]:
    low = float(min(marks.x.min(), marks.y.min()))
    high = float(max(marks.x.max(), marks.y.max()))
    if given is None:
        return marks.range if marks.range is not None else (low, high)
    if isinstance(given, str) or not isinstance(given, Sequence) or len(given) != 2:
        raise InputError.expected(
            "mark_range", "the lowest and the highest mark", given, "for example (0, 10)"
        )
    ends = check_number("mark_range", given[0]), check_number("mark_range", given[1])
    if not ends[0] <= low <= high <= ends[1] or ends[0] == ends[1]:
        raise InputError.expected(
            "mark_range", f"around all marks ({low:g} to {high:g})", given, "check the lowest mark"
        )
    return ends
