"""Assertions about agreement that say in their failure what was measured."""

from __future__ import annotations

from typing import Any

from consilience.coefficients import Estimate, estimate, registry
from consilience.core.interval import check_confidence_level
from consilience.exceptions import InputError
from consilience.ratings import as_ratings


def assert_agreement(
    *ratings: Any,
    coefficient: str = "krippendorff_alpha",
    at_least: float | None = None,
    low: float | None = None,
    distance: Any = None,
    scale: str | None = None,
    clusters: Any = None,
    confidence_level: float = 0.95,
    method: str = "auto",
) -> Estimate:
    """Fail unless raters agree well enough.

    Use it in a test of a labelling pipeline or a judge. A bound on the lower limit (`low`) asks
    whether the data show it; one on the value alone (`at_least`) passes half of the time at the
    bound.

    Parameters
    ----------
    ratings : Ratings, a dataframe, a table of items x raters, or one sequence per rater
    coefficient : str, default "krippendorff_alpha"
        Any registered coefficient or alias, such as "kappa" or "ac1".
    at_least : float, optional
        Bound on the value.
    low : float, optional
        Bound on the lower limit of the interval.
    distance : str, Distance or callable, optional
    scale : str, optional
    clusters : one entry per item, optional
        Items that belong together.
    confidence_level : float, default 0.95
    method : str, default "auto"
        How the interval is made.

    Returns
    -------
    Estimate
        What was measured, for further looks.

    Raises
    ------
    AssertionError
        The bound is not met, or the coefficient is undefined.

    Examples
    --------
    >>> ann = ["yes", "no"] * 30
    >>> bob = ["no"] + ann[1:]
    >>> found = assert_agreement(ann, bob, coefficient="kappa", low=0.8)
    >>> assert_agreement(ann, bob, coefficient="kappa", at_least=0.99)
    Traceback (most recent call last):
    AssertionError: Cohen's kappa is 0.967 (95% CI 0.833 to 0.996), below 0.99
    """
    if (at_least is None) == (low is None):
        raise InputError.expected(
            "at_least or low", "given, one of them", f"{at_least!r} and {low!r}", "say low=0.6"
        )
    level = check_confidence_level(confidence_level)
    data = as_ratings(*ratings, scale=scale)
    if clusters is not None:
        data = data.with_clusters(clusters)
    found = estimate(registry[coefficient], (data,), distance=distance, on_undefined="ignore")
    if found.status == "undefined":
        raise AssertionError(f"{found.name} is undefined: {found.reason}")
    interval = found.confidence_interval(level, method)
    ends = f"{100 * level:g}% CI {interval.low:.3f} to {interval.high:.3f}"
    told = f"{found.name} is {found.value:.3f} ({ends})"
    if at_least is not None and not found.value >= at_least:
        raise AssertionError(f"{told}, below {at_least:g}")
    if low is not None and not interval.low >= low:
        raise AssertionError(f"{told}: the lower limit is below {low:g}")
    return found
