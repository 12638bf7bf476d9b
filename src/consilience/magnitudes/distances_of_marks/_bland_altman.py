"""Bland and Altman's limits of agreement."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from consilience.core.checks import check_word
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Interval, check_confidence_level
from consilience.inference.clustered import jackknife_error
from consilience.inference.intervals import quantile
from consilience.magnitudes._magnitude import Magnitude, check_number, register
from consilience.magnitudes.distances_of_marks._regression import Regression, _ordinary
from consilience.magnitudes.paired import Paired, paired
from consilience.ratings.clusters import need_independent_items

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
    d = marks.differences
    bias = float(marks.weight @ d) / marks.n
    sd = marks.difference_sd
    if sd == 0.0:
        facts["flags"] += ("no_spread",)
    if limits == "tolerance":
        need_independent_items('limits="tolerance"', marks.clusters, instead='use limits="normal"')
        factor = tolerance_factor(
            int(marks.n), coverage=_share(coverage), confidence_level=confidence_level
        )
    return LimitsOfAgreement(
        value=bias,
        standard_error=_error_of_the_mean(marks, sd),
        standard_error_method="mean",
        limit_errors=None if marks.clusters is None else _errors_of_the_limits(marks, factor),
        sd=sd,
        low=bias - factor * sd,
        high=bias + factor * sd,
        multiplier=factor,
        limits=limits,
        proportional_bias=_against_the_mean(marks, d),
        **facts,
    )


def _error_of_the_mean(marks: Paired, sd: float) -> float:
    return sd / math.sqrt(marks.n) if marks.clusters is None else marks.error(marks.differences)


def _errors_of_the_limits(marks: Paired, factor: float) -> tuple[float, float]:
    mean, sd = marks.differences_without_each_cluster()
    return jackknife_error(mean - factor * sd), jackknife_error(mean + factor * sd)


def _against_the_mean(marks: Paired, d: Any) -> Regression:
    """Return the regression of the differences on the means of both raters."""
    mean = (marks.x + marks.y) / 2.0
    line = Paired(
        mean, d, marks.weight, ("mean", "difference"), marks.n_items, (), None, marks.clusters
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
