"""Raters who use the labels differently: Zwick's procedure."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.coefficients import Estimate
from consilience.document import Finding
from consilience.exceptions import ConsilienceError
from consilience.findings._base import register
from consilience.inference import marginal_homogeneity
from consilience.ratings import Ratings

_MOST_RATERS, _MOST_LABELS = 20, 50


@register
def rater_bias(
    ratings: Ratings, estimates: Sequence[Estimate], confidence_level: float
) -> Finding | None:
    """Say when raters' distributions of labels differ by more than chance.

    Zwick (1988) tests marginal homogeneity first: if it is rejected, the bias is the result to
    report; only otherwise does one coefficient sum the agreement up.

    Examples
    --------
    >>> from consilience import datasets
    >>> rater_bias(datasets.load("zwick_1988_case2"), [], 0.95) is None
    True
    >>> rater_bias(datasets.load("zwick_1988_case3"), [], 0.95).code
    'rater_bias'
    """
    if not 2 <= len(ratings.raters) <= _MOST_RATERS:
        return None
    if not 2 <= len(ratings.categories) <= _MOST_LABELS:
        return None
    try:
        test = marginal_homogeneity(ratings)
    except ConsilienceError:  # nothing to compare
        return None
    if not test.p_value < 1.0 - confidence_level:
        return None
    return Finding(
        "rater_bias",
        "caution",
        f"The raters use the labels differently (marginal homogeneity: chi-square "
        f"{test.statistic:.2f}, p {_p(test.p_value)}). Report which rater prefers which label "
        "beside the coefficient, and settle it in the guidelines.",
    )


def _p(p_value: float) -> str:
    return "< 0.001" if p_value < 0.001 else f"= {p_value:.3f}"
