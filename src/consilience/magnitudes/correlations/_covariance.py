"""The covariance of two raters' marks."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from consilience.magnitudes._magnitude import Magnitude, register
from consilience.magnitudes.paired import paired


@dataclass(frozen=True, kw_only=True, repr=False)
class Covariance(Magnitude):
    """The covariance, with the variances beside it."""

    variance_first: float = math.nan
    variance_second: float = math.nan

    @property
    def details(self) -> dict[str, Any]:
        """The variance of each rater."""
        return {"variance_first": self.variance_first, "variance_second": self.variance_second}


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
