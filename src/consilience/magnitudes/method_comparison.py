"""Comparison of two methods: straight lines, limits of agreement, Lin's concordance correlation."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Interval, Test
from consilience.inference.influence import jackknife_error
from consilience.inference.intervals import Alternative, check_confidence_level, quantile
from consilience.magnitudes._correlations import pearson_of
from consilience.magnitudes._magnitude import Magnitude, check_number, register
from consilience.magnitudes.marks import Paired, paired
from consilience.ratings.clusters import need_independent_items

# ---- straight lines

METHODS = ("second-on-first", "first-on-second", "deming")


@dataclass(frozen=True, kw_only=True, repr=False)
class Regression(Magnitude):
    """A straight line; `value` is its slope.

    Attributes
    ----------
    slope, intercept : float
        Slope 1 and intercept 0 are the line of equal marks.
    method : str
        Who is predicted from whom, or "deming" when both have errors.
    """

    intercept: float = math.nan
    intercept_standard_error: float = math.nan
    r_squared: float = math.nan
    residual_sd: float = math.nan
    method: str = "second-on-first"
    interval_method: ClassVar[str] = "student"
    beside: ClassVar[str] = (
        "method, intercept, intercept_standard_error, intercept_interval, r_squared, residual_sd"
    )

    @property
    def slope(self) -> float:
        """Slope of the line."""
        return self.value

    @property
    def slope_standard_error(self) -> float:
        """Standard error of the slope."""
        return self.standard_error

    @property
    def _degrees_of_items(self) -> float:
        return float(self.n_items_used - 2)

    @property
    def details(self) -> dict[str, Any]:
        """The rest of the line."""
        return super().details | {
            "p_value_of_slope_1": self.test(1.0).p_value,
            "p_value_of_intercept_0": self.test_intercept().p_value,
        }

    def intercept_interval(self, *, confidence_level: float = 0.95) -> Interval:
        """Return the confidence interval of the intercept."""
        level = check_confidence_level(confidence_level)
        if self.status != "ok" or not (self.degrees_of_freedom or 0.0) >= 1:
            return self._no_interval(level)
        return self._wald_interval(self.intercept, self.intercept_standard_error, level)

    def test_intercept(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value of the intercept."""
        null = check_number("null", null)
        return self._wald_test(self.intercept, self.intercept_standard_error, null, alternative)


@register(
    title="Slope of the regression line",
    caution=(
        "An ordinary line treats one rater as free of error, which pulls its slope below that of "
        "the true relation; between two raters of equal standing use the Deming line."
    ),
    raters="two",
    labels="numbers",
    aliases=("regression_line", "deming"),
)
def regression(
    *ratings: Any,
    method: str = "second-on-first",
    error_ratio: float = 1.0,
    pair: Sequence[object] | None = None,
) -> Regression:
    """Regression line of two raters: how marks of one translate into marks of the other.

    Use it to see a constant shift (intercept) and a different spread (slope) between two raters.
    Prefer ``method="deming"`` when neither rater is the standard.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    method : {"second-on-first", "first-on-second", "deming"}
        Who is predicted. "deming" with an `error_ratio` of 1 is orthogonal regression, of the
        second on the first.
    error_ratio : float
        For "deming": error variance of the second rater divided by that of the first.
    pair : names of two raters, when there are more

    Returns
    -------
    Regression

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels that are not numbers.

    Notes
    -----
    slope = r s_y / s_x (standard deviations), intercept = mean y - slope mean x; their errors are
    the usual ones. Deming [1]_: slope = [D + sqrt(D^2 + 4 L s_xy^2)] / (2 s_xy) with
    D = s_yy - L s_xx and L the error ratio; errors by the infinitesimal jackknife. Where items go
    together, errors of both lines are those of sums over clusters, times (n - 1) / (n - 2).

    References
    ----------
    .. [1] Deming, W. E. (1943). Statistical Adjustment of Data. Wiley.

    Examples
    --------
    >>> line = regression([1, 2, 3, 4], [3, 5, 7, 9])
    >>> round(line.slope, 3), round(line.intercept, 3)
    (2.0, 1.0)
    """
    check_word("method", method, METHODS)
    ratio = check_number("error_ratio", error_ratio)
    if ratio <= 0.0:
        raise InputError.expected("error_ratio", "above 0", error_ratio, "1 for equal errors")
    marks = paired("regression", ratings, pair)
    facts = marks.facts("regression")
    facts["method"] = method
    reason = marks.why_not(vary="both" if method == "deming" else "none")
    if method == "first-on-second":
        marks = replace(marks, x=marks.y, y=marks.x)
    if reason is None and marks.ss_x == 0.0:
        reason = "constant_rater: the rater who predicts gave every item the same mark"
    if reason is None and method == "deming" and marks.ss_xy == 0.0:
        reason = "no_covariance: the marks do not vary together, so no line fits best"
    if reason:
        return Regression.undefined(reason, facts)
    fit = _deming(marks, ratio) if method == "deming" else _ordinary(marks)
    if marks.n <= 2:
        facts["flags"] += ("too_few_for_error",)
    if fit["residual_sd"] == 0.0:
        facts["flags"] += ("no_spread",)
    r = pearson_of(marks) if marks.ss_y > 0.0 else math.nan
    return Regression(r_squared=r**2, **fit, **facts)


def _ordinary(marks: Paired) -> dict[str, Any]:
    n, slope = marks.n, marks.ss_xy / marks.ss_x
    residual = marks.ss_y - slope * marks.ss_xy
    residual = residual if residual > 1e-14 * marks.ss_y else 0.0  # less is rounding
    sd = math.sqrt(residual / (n - 2.0)) if n > 2 else math.nan
    line = {
        "value": slope,
        "intercept": marks.mean_y - slope * marks.mean_x,
        "standard_error": sd / math.sqrt(marks.ss_x),
        "intercept_standard_error": sd * math.sqrt(1.0 / n + marks.mean_x**2 / marks.ss_x),
        "standard_error_method": "least-squares",
        "residual_sd": sd,
    }
    if marks.clusters is None or n <= 2 or sd == 0.0:
        return line
    apart = marks.dy - slope * marks.dx
    bend = apart * marks.dx / (marks.ss_x / n)
    fewer = math.sqrt((n - 1.0) / (n - 2.0))
    return line | {
        "standard_error": fewer * marks.error(bend),
        "intercept_standard_error": fewer * marks.error(apart - marks.mean_x * bend),
        "standard_error_method": "linearised",
    }


def _deming(marks: Paired, ratio: float) -> dict[str, Any]:
    n = marks.n
    moments = np.array([marks.ss_x, marks.ss_y, marks.ss_xy]) / n

    def slope_of(s: Any) -> Any:
        gap = s[1] - ratio * s[0]
        return (gap + np.sqrt(gap**2 + 4.0 * ratio * s[2] ** 2)) / (2.0 * s[2])

    slope = float(slope_of(moments))
    # The derivative by each moment, exact by a complex step.
    step = 1e-20 * np.abs(moments)
    gradient = [float(slope_of(moments + 1j * step * e).imag / (step @ e)) for e in np.eye(3)]
    effects = (
        marks.dx**2 - moments[0],
        marks.dy**2 - moments[1],
        marks.dx * marks.dy - moments[2],
    )
    bend = sum(g * effect for g, effect in zip(gradient, effects, strict=True))
    shift = marks.dy - slope * marks.dx - marks.mean_x * bend
    free = n if marks.clusters is None else n - 1.0
    left = n - 2.0 if n > 2 else math.nan
    correction = math.sqrt(free / left)
    residual = marks.dy - slope * marks.dx
    return {
        "value": slope,
        "intercept": marks.mean_y - slope * marks.mean_x,
        "standard_error": correction * marks.error(np.asarray(bend)),
        "intercept_standard_error": correction * marks.error(shift),
        "standard_error_method": "linearised",
        "residual_sd": math.sqrt(n / left) * math.sqrt(float(marks.weight @ residual**2) / n),
    }


# ---- limits of agreement

LIMITS = ("normal", "tolerance")
INTERVALS = ("approximate", "exact")


@dataclass(frozen=True, kw_only=True, repr=False)
class LimitsOfAgreement(Magnitude):
    """Mean difference (first minus second) and the limits that hold most differences.

    Attributes
    ----------
    value, bias : float
        Mean difference.
    sd : float
        Standard deviation of the differences; where items go together, the root of the variances
        within and between clusters.
    low, high : float
        Limits of agreement.
    multiplier : float
        What the standard deviation was multiplied with.
    proportional_bias : Regression
        The differences against the means of both raters: a slope other than 0 says that the
        difference grows with the mark, and one pair of limits does not fit all marks.
    limit_errors : (float, float) or None
        Standard errors of both limits where items go together: the jackknife over clusters.
    """

    sd: float = math.nan
    low: float = math.nan
    high: float = math.nan
    multiplier: float = 1.96
    limits: str = "normal"
    proportional_bias: Regression | None = field(default=None, repr=False)
    limit_errors: tuple[float, float] | None = field(default=None, repr=False)
    interval_method: ClassVar[str] = "student"

    @property
    def bias(self) -> float:
        """Mean difference."""
        return self.value

    @property
    def _degrees_of_items(self) -> float:
        return float(self.n_items_used - 1)

    def limit_intervals(
        self, *, confidence_level: float = 0.95, method: str = "approximate"
    ) -> tuple[Interval, Interval]:
        """Return the confidence intervals of the lower and of the upper limit.

        Parameters
        ----------
        confidence_level : float
        method : {"approximate", "exact"}
            Bland & Altman's error s sqrt(1/n + z^2 / (2 (n - 1))) with Student's t, or the
            non-central t distribution of a quantile. Where items go together only the first, with
            the errors of the jackknife over clusters.
        """
        level = check_confidence_level(confidence_level)
        check_word("method", method, INTERVALS)
        n, s, z = self.n_items_used, self.sd, self.multiplier
        if self.status != "ok" or n < 2:
            nothing = Interval(math.nan, math.nan, level, method)
            return nothing, nothing
        if self.clusters is not None:
            return self._limit_intervals_of_clusters(level, method)
        if method == "exact":
            inner, outer = _exact_reach(z, n, level)
        else:
            reach = quantile(0.5 + level / 2.0, n - 1.0)
            reach *= math.sqrt(1.0 / n + z**2 / (2.0 * (n - 1.0)))
            inner, outer = z - reach, z + reach
        return (
            Interval(self.bias - outer * s, self.bias - inner * s, level, method),
            Interval(self.bias + inner * s, self.bias + outer * s, level, method),
        )

    def _limit_intervals_of_clusters(self, level: float, method: str) -> tuple[Interval, Interval]:
        assert self.clusters is not None
        assert self.limit_errors is not None
        if method == "exact":
            raise UnsupportedDesignError.needs(
                'method="exact"',
                "items that are independent of each other",
                f"items that share a {self.clusters.name}",
                'use method="approximate"',
            )
        t = quantile(0.5 + level / 2.0, self.degrees_of_freedom)
        lower, upper = (
            Interval(limit - t * error, limit + t * error, level, method)
            for limit, error in zip((self.low, self.high), self.limit_errors, strict=True)
        )
        return lower, upper

    @property
    def details(self) -> dict[str, Any]:
        """The limits with their intervals, and how the difference changes with the mark."""
        lower, upper = self.limit_intervals()
        line = self.proportional_bias
        return {
            "sd_of_differences": self.sd,
            "lower_limit": self.low,
            "lower_limit_interval": lower,
            "upper_limit": self.high,
            "upper_limit_interval": upper,
            "multiplier": self.multiplier,
            "limits": self.limits,
            "proportional_bias_slope": line.slope if line else math.nan,
            "proportional_bias_p_value": line.p_value if line else math.nan,
        }


@register(
    title="Bland-Altman bias",
    caution=(
        "The limits say how far apart two marks of one item may lie, not whether that is too far: "
        "decide beforehand which difference would matter."
    ),
    raters="two",
    labels="numbers",
    aliases=("limits_of_agreement",),
)
def bland_altman(
    *ratings: Any,
    multiplier: float = 1.96,
    limits: str = "normal",
    coverage: float = 0.95,
    confidence_level: float = 0.95,
    pair: Sequence[object] | None = None,
) -> LimitsOfAgreement:
    """Limits of agreement: between which values most differences of two raters lie.

    Use it to judge in marks how far two raters differ. Prefer `lin_ccc` or `icc` for one number
    that can be compared between studies.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    multiplier : float
        Standard deviations on either side; Bland & Altman (1986) use 2.
    limits : {"normal", "tolerance"}
        "tolerance" replaces the multiplier by the exact two-sided tolerance factor: with
        `confidence_level` the limits hold at least a share of `coverage` of all differences.
    coverage, confidence_level : float
        For ``limits="tolerance"``.
    pair : names of two raters, when there are more

    Returns
    -------
    LimitsOfAgreement
        Differences are first minus second.

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, labels that are not numbers, or tolerance limits for items
        that go together.

    Notes
    -----
    bias = mean d, limits = bias ± 1.96 s, error of the bias s / sqrt(n), of a limit
    s sqrt(1/n + 1.96^2 / (2 (n - 1))) [1]_. Exact intervals: a limit is a quantile of a normal
    distribution, whose pivot is a non-central t with n - 1 degrees of freedom [2]_.

    Where items go together (`Ratings.with_clusters`) the error of the bias is that of sums over
    clusters, with one degree of freedom less than there are clusters; s^2 adds the variance of
    differences within clusters and that between them [3]_, and the errors of the limits are the
    jackknife's over clusters.

    References
    ----------
    .. [1] Bland, J. M. & Altman, D. G. (1986). Statistical methods for assessing agreement between
       two methods of clinical measurement. Lancet 327, 307-310.
    .. [2] Carkeet, A. (2015). Exact parametric confidence intervals for Bland-Altman limits of
       agreement. Optometry and Vision Science 92, e71-e80.
    .. [3] Bland, J. M. & Altman, D. G. (2007). Agreement between methods of measurement with
       multiple observations per individual. Journal of Biopharmaceutical Statistics 17, 571-582.

    Examples
    --------
    >>> agreement = bland_altman([10, 12, 15, 11, 14], [11, 12, 13, 12, 15])
    >>> round(agreement.bias, 2), round(agreement.low, 2), round(agreement.high, 2)
    (-0.2, -2.76, 2.36)
    """
    check_word("limits", limits, LIMITS)
    factor = check_number("multiplier", multiplier)
    if factor <= 0.0:
        raise InputError.expected("multiplier", "above 0", multiplier, "usually 1.96")
    marks = paired("bland_altman", ratings, pair)
    facts = marks.facts("bland_altman")
    reason = marks.why_not(vary="none")
    if reason:
        return LimitsOfAgreement.undefined(reason, facts)
    bias, sd = marks.mean_difference, marks.difference_sd
    if sd == 0.0:
        facts["flags"] += ("no_spread",)
    if limits == "tolerance":
        need_independent_items('limits="tolerance"', marks.clusters, instead='use limits="normal"')
        factor = tolerance_factor(
            int(marks.n), coverage=_share(coverage), confidence_level=confidence_level
        )
    return LimitsOfAgreement(
        value=bias,
        standard_error=marks.mean_difference_error,
        standard_error_method="mean",
        limit_errors=None if marks.clusters is None else _errors_of_the_limits(marks, factor),
        sd=sd,
        low=bias - factor * sd,
        high=bias + factor * sd,
        multiplier=factor,
        limits=limits,
        proportional_bias=_against_the_mean(marks),
        **facts,
    )


def _errors_of_the_limits(marks: Paired, factor: float) -> tuple[float, float]:
    mean, sd = marks.differences_without_each_cluster()
    return jackknife_error(mean - factor * sd), jackknife_error(mean + factor * sd)


def _against_the_mean(marks: Paired) -> Regression:
    """Return the regression of the differences on the means of both raters."""
    mean = (marks.x + marks.y) / 2.0
    line = replace(
        marks, x=mean, y=marks.differences, raters=("mean", "difference"), flags=(), range=None
    )
    facts = line.facts("regression")
    if mean.min() == mean.max():
        reason = "constant_mean: the mean of both raters is the same for every item"
        return Regression.undefined(reason, facts)
    return Regression(**_ordinary(line), **facts)


def _share(coverage: float) -> float:
    share = check_number("coverage", coverage)
    if not 0.0 < share < 1.0:
        raise InputError.expected("coverage", "between 0 and 1", coverage, "for example 0.95")
    return share


def _exact_reach(z: float, n: int, level: float) -> tuple[float, float]:
    """Return how many standard deviations the limits of a limit lie from the mean."""
    from scipy.special import nctdtrit

    tail, root = (1.0 - level) / 2.0, math.sqrt(n)
    inner, outer = (float(nctdtrit(n - 1.0, z * root, p)) / root for p in (tail, 1.0 - tail))
    return inner, outer


def tolerance_factor(n_items: int, *, coverage: float, confidence_level: float) -> float:
    """Return k so that mean ± k s holds a share of a normal population with given confidence.

    Given the mean, off by z standard errors, the half width r that holds the share satisfies
    r^2 = the quantile of a non-central chi-square with one degree of freedom; the standard
    deviation is independent of it, so the confidence is one integral over z.

    Parameters
    ----------
    n_items : int
    coverage : float
        The share of the population.
    confidence_level : float

    Returns
    -------
    float

    Examples
    --------
    >>> round(tolerance_factor(17, coverage=0.95, confidence_level=0.95), 3)
    2.868
    """
    from scipy.optimize import brentq
    from scipy.special import chdtrc, chndtrix

    level = check_confidence_level(confidence_level)
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    weights = weights / weights.sum()
    off = nodes / math.sqrt(n_items)
    half_square = chndtrix(coverage, 1.0, off**2)
    df = n_items - 1.0

    def excess(k: float) -> float:
        return float(weights @ chdtrc(df, df * half_square / k**2)) - level

    return float(brentq(excess, 1e-3, 1e6, xtol=1e-300, rtol=1e-15))


# ---- Lin's concordance correlation


@dataclass(frozen=True, kw_only=True, repr=False)
class ConcordanceCorrelation(Magnitude):
    """Lin's coefficient and its parts: precision r times accuracy `bias_correction`.

    Attributes
    ----------
    pearson_r : float
        How closely the marks follow a straight line.
    bias_correction : float
        How close that line is to equality, 1 when it is.
    location_shift, scale_shift : float
        (mean of second - mean of first) / sqrt(s1 s2), and s2 / s1.
    """

    pearson_r: float = math.nan
    bias_correction: float = math.nan
    location_shift: float = math.nan
    scale_shift: float = math.nan
    interval_method: ClassVar[str] = "fisher"
    lowest: ClassVar[float] = -1.0
    highest: ClassVar[float] = 1.0
    beside: ClassVar[str] = "pearson_r, bias_correction, location_shift, scale_shift"

    def _interval(self, level: float) -> Interval:
        if not 0.0 < self.standard_error < math.inf or abs(self.value) >= 1.0:
            return self._no_interval(level)
        return self._fisher_interval(level, self.standard_error / (1.0 - self.value**2))

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value on Fisher's scale, as the interval is made."""
        null = check_number("null", null)
        if not abs(null) < 1.0 or not self._interval(0.95).has_limits:
            return self._wald_test(self.value, math.nan, null, alternative)
        gap = math.atanh(self.value) - math.atanh(null)
        return self._wald_test(gap, self.standard_error / (1.0 - self.value**2), 0.0, alternative)


@register(
    title="Lin's concordance correlation",
    caution=(
        "It depends on how much the items differ: the same errors give a lower value when the "
        "items are alike; look at the limits of agreement for the size of the errors."
    ),
    raters="two",
    labels="numbers",
    aliases=("ccc", "concordance_correlation"),
)
def lin_ccc(*ratings: Any, pair: Sequence[object] | None = None) -> ConcordanceCorrelation:
    """Lin's concordance correlation: how close two raters' marks are to being equal.

    Use it for two raters whose marks should be the same. Prefer `icc` for more raters, and
    `bland_altman` for the size of the differences in marks.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    pair : names of two raters, when there are more

    Returns
    -------
    ConcordanceCorrelation
        `value` in [-1, 1]; 1 only when all marks are equal.

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels that are not numbers.

    Notes
    -----
    rho_c = 2 s_xy / (s_x^2 + s_y^2 + (mean x - mean y)^2), moments with 1/n [1]_: the same as
    quadratic-weighted kappa. With u the location shift and r Pearson's,

    Var = [(1 - r^2) rho_c^2 (1 - rho_c^2) / r^2 + 2 rho_c^3 (1 - rho_c) u^2 / r
    - rho_c^4 u^4 / (2 r^2)] / (n - 2)                              (corrected in 2000 [2]_)

    and the interval is taken on Fisher's scale. Where items go together the error is that of the
    influence of whole clusters, with one degree of freedom less than there are clusters. One rater
    constant gives 0; both constant is undefined. Agrees with epiR and DescTools.

    References
    ----------
    .. [1] Lin, L. I. (1989). A concordance correlation coefficient to evaluate reproducibility.
       Biometrics 45, 255-268.
    .. [2] Lin, L. I. (2000). A note on the concordance correlation coefficient. Biometrics 56,
       324-325.

    Examples
    --------
    >>> round(lin_ccc([1, 2, 3, 4, 5], [2, 4, 6, 8, 10]).value, 3)  # where Pearson's r is 1
    0.421
    """
    marks = paired("lin_ccc", ratings, pair)
    facts = marks.facts("lin_ccc")
    reason = marks.why_not(vary="one")
    if reason:
        return ConcordanceCorrelation.undefined(reason, facts)
    n = marks.n
    gap = marks.mean_y - marks.mean_x
    value = 2.0 * marks.ss_xy / (marks.ss_x + marks.ss_y + n * gap**2)
    if marks.ss_x == 0.0 or marks.ss_y == 0.0:
        facts["flags"] += ("one_constant_rater",)
        return ConcordanceCorrelation(value=0.0, **facts)
    if abs(value) >= 1.0 - 1e-15:
        facts["flags"] += ("boundary",)
    if n <= 2:
        facts["flags"] += ("too_few_for_error",)
    r = pearson_of(marks)
    s_xs_y = math.sqrt(marks.ss_x / n) * math.sqrt(marks.ss_y / n)
    spread = marks.ss_x / n + marks.ss_y / n
    return ConcordanceCorrelation(
        value=min(max(value, -1.0), 1.0),
        standard_error=_error(marks, value, gap**2 / s_xs_y),
        standard_error_method="lin-2000" if marks.clusters is None else "linearised",
        pearson_r=r,
        bias_correction=2.0 * s_xs_y / (spread + gap**2),
        location_shift=gap / math.sqrt(s_xs_y),
        scale_shift=math.sqrt(marks.ss_y / marks.ss_x),
        **facts,
    )


def _error(marks: Paired, value: float, u2: float) -> float:
    """Return Lin's error; written with C_b = rho_c / r, so that r = 0 divides nothing."""
    if marks.n <= 2:
        return math.nan
    if marks.clusters is not None:
        return marks.error(_influence(marks, value))
    r = pearson_of(marks)
    s_xs_y = math.sqrt(marks.ss_x) * math.sqrt(marks.ss_y)
    c_b = 2.0 * s_xs_y / (marks.ss_x + marks.ss_y + marks.n * (marks.mean_x - marks.mean_y) ** 2)
    variance = (1.0 - r**2) * c_b**2 * (1.0 - value**2)
    variance += 2.0 * value**2 * c_b * (1.0 - value) * u2
    variance -= value**2 * c_b**2 * u2**2 / 2.0
    return math.sqrt(max(variance, 0.0) / (marks.n - 2.0))


def _influence(marks: Paired, value: float) -> Floats:
    """Return what each pair of marks does to 2 s_xy / (s_xx + s_yy + gap^2)."""
    n, gap = marks.n, marks.mean_y - marks.mean_x
    whole = (marks.ss_x + marks.ss_y) / n + gap**2
    apart = marks.dx**2 + marks.dy**2 + 2.0 * gap * (marks.dy - marks.dx)
    together = 2.0 * (marks.dx * marks.dy - marks.ss_xy / n)
    return np.asarray((together - value * (apart - (marks.ss_x + marks.ss_y) / n)) / whole)
