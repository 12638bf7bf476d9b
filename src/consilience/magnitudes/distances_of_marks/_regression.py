"""The straight line between two raters' marks: either way, or with errors on both sides."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from consilience.core.checks import check_word
from consilience.exceptions import InputError
from consilience.inference import Interval, Test, check_confidence_level, wald_interval, wald_test
from consilience.inference.intervals import Alternative
from consilience.magnitudes._magnitude import Magnitude, check_number, register
from consilience.magnitudes.correlations._correlation import pearson_of
from consilience.magnitudes.paired import Paired, paired

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
        return {
            "method": self.method,
            "intercept": self.intercept,
            "intercept_standard_error": self.intercept_standard_error,
            "intercept_interval": self.intercept_interval(),
            "r_squared": self.r_squared,
            "residual_sd": self.residual_sd,
            "p_value_of_slope_1": self.test(1.0).p_value,
            "p_value_of_intercept_0": self.test_intercept().p_value,
        }

    def intercept_interval(self, *, confidence_level: float = 0.95) -> Interval:
        """Return the confidence interval of the intercept."""
        level = check_confidence_level(confidence_level)
        if self.status != "ok" or not (self.degrees_of_freedom or 0.0) >= 1:
            return self._no_interval(level)
        return wald_interval(
            self.intercept,
            self.intercept_standard_error,
            confidence_level=level,
            degrees_of_freedom=self.degrees_of_freedom,
            lowest=-math.inf,
            highest=math.inf,
            method=self.interval_method,
        )

    def test_intercept(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value of the intercept."""
        return wald_test(
            self.intercept,
            self.intercept_standard_error,
            null=check_number("null", null),
            alternative=alternative,
            degrees_of_freedom=self.degrees_of_freedom,
            method=self.interval_method,
        )


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
