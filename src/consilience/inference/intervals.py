"""Intervals and tests that follow from a value and its standard error."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from consilience.core.interval import Interval, check_confidence_level
from consilience.core.tails import quantile, root_between, student_below
from consilience.exceptions import InputError

Alternative = Literal["two-sided", "greater", "less"]
ALTERNATIVES = ("two-sided", "greater", "less")
METHODS = ("auto", "analytic", "monte-carlo")  # of testing a null value

__all__ = ["ALTERNATIVES", "Alternative", "Interval", "Test", "check_confidence_level", "quantile"]


@dataclass(frozen=True, slots=True)
class Test:
    """A test of one null value."""

    statistic: float
    p_value: float
    null: float
    alternative: str
    method: str
    degrees_of_freedom: float | None = None

    __test__ = False  # not a test case, whatever its name suggests to pytest


def wald_interval(
    value: float,
    standard_error: float,
    *,
    confidence_level: float,
    degrees_of_freedom: float | None,
    lowest: float,
    highest: float,
    method: str,
) -> Interval:
    """Return value ± quantile × error, kept inside the coefficient's range.

    Parameters
    ----------
    value, standard_error : float
    confidence_level : float
    degrees_of_freedom : float or None
        Of Student's t; None for the normal distribution.
    lowest, highest : float
        The range of the coefficient.
    method : str
        What the interval says about how it was made.

    Returns
    -------
    Interval
        NaN at both ends without a finite error.

    Examples
    --------
    >>> wald_interval(0.6, 0.1, confidence_level=0.95, degrees_of_freedom=None, lowest=-1.0,
    ...               highest=1.0, method="analytic")
    Interval(0.4040, 0.7960, confidence_level=0.95, method='analytic')
    """
    if not math.isfinite(standard_error):
        return Interval(math.nan, math.nan, confidence_level, method)
    reach = quantile(0.5 + confidence_level / 2.0, degrees_of_freedom) * standard_error
    # A distance without bound can take a coefficient below its usual range; it has no end then.
    floor = lowest if value >= lowest else -math.inf
    low, high = max(value - reach, floor), min(value + reach, highest)
    return Interval(min(low, value), max(high, value), confidence_level, method)


def transformed_interval(
    value: float,
    standard_error: float,
    *,
    confidence_level: float,
    degrees_of_freedom: float | None,
    lowest: float,
    method: str,
) -> Interval:
    """Return the interval of atanh(value), turned back: it never leaves (-1, 1).

    The sampling distribution of a coefficient near 1 is skewed; on Fisher's scale it is less so.

    Parameters
    ----------
    value, standard_error : float
    confidence_level : float
    degrees_of_freedom : float or None
        Of Student's t; None for the normal distribution.
    lowest : float
        The lowest value of the coefficient.
    method : str
        What the interval says about how it was made.

    Returns
    -------
    Interval
        NaN at both ends without a finite error, and at 1.

    Examples
    --------
    >>> transformed_interval(0.9, 0.1, confidence_level=0.95, degrees_of_freedom=19.0, lowest=-1.0,
    ...                      method="transformed")
    Interval(0.3545, 0.9884, confidence_level=0.95, method='transformed')
    """
    if not math.isfinite(standard_error) or abs(value) >= 1.0:
        return Interval(math.nan, math.nan, confidence_level, method)
    centre = math.atanh(value)
    reach = quantile(0.5 + confidence_level / 2.0, degrees_of_freedom) * standard_error
    reach /= 1.0 - value**2
    low = max(math.tanh(centre - reach), min(lowest, value))
    return Interval(low, math.tanh(centre + reach), confidence_level, method)


def wilson_limits(share: Any, n: Any, level: float) -> tuple[Any, Any]:
    """Return Wilson's limits of shares of n answers each; n need not be whole.

    Parameters
    ----------
    share, n : float or numpy.ndarray
    level : float

    Returns
    -------
    tuple of two float or numpy.ndarray

    Examples
    --------
    >>> [round(float(limit), 4) for limit in wilson_limits(0.9, 50, 0.95)]
    [0.7864, 0.9565]
    """
    z = quantile(0.5 + level / 2.0, None)
    centre = (share + z * z / (2.0 * n)) / (1.0 + z * z / n)
    inside = np.maximum(share * (1.0 - share), 0.0) / n + z * z / (4.0 * n * n)
    reach = z / (1.0 + z * z / n) * np.sqrt(inside)
    return np.maximum(centre - reach, 0.0), np.minimum(centre + reach, 1.0)


def wald_test(
    value: float,
    standard_error: float,
    *,
    null: float,
    alternative: Alternative,
    degrees_of_freedom: float | None,
    method: str,
) -> Test:
    """Test a null value; an error of zero gives no statistic and no p-value.

    Parameters
    ----------
    value, standard_error : float
    null : float
    alternative : {"two-sided", "greater", "less"}
    degrees_of_freedom : float or None
        Of Student's t; None for the normal distribution.
    method : str
        What the test says about how it was made.

    Returns
    -------
    Test

    Examples
    --------
    >>> found = wald_test(0.6, 0.1, null=0.4, alternative="greater", degrees_of_freedom=None,
    ...                   method="wald")
    >>> round(found.statistic, 6), round(found.p_value, 4)
    (2.0, 0.0228)
    """
    if alternative not in ALTERNATIVES:
        raise InputError.unknown_word("alternative", alternative, ALTERNATIVES)
    if not math.isfinite(standard_error) or standard_error <= 0.0:
        return Test(math.nan, math.nan, null, alternative, method, degrees_of_freedom)
    statistic = (value - null) / standard_error
    tails = {
        "two-sided": 2.0 * student_below(-abs(statistic), degrees_of_freedom),
        "greater": student_below(-statistic, degrees_of_freedom),
        "less": student_below(statistic, degrees_of_freedom),
    }
    p_value = min(max(tails[alternative], 0.0), 1.0)
    return Test(statistic, p_value, null, alternative, method, degrees_of_freedom)


def perfect_agreement_interval(
    n_items: int, expected: float, *, confidence_level: float
) -> Interval:
    """Clopper-Pearson lower limit on full observed agreement, chance agreement held fixed.

    With n successes in n trials the two-sided lower limit is (tail)^(1/n).

    Parameters
    ----------
    n_items : int
    expected : float
        Chance agreement; 0 for raw agreement.
    confidence_level : float

    Returns
    -------
    Interval

    Examples
    --------
    >>> perfect_agreement_interval(50, 0.5, confidence_level=0.95)
    Interval(0.8578, 1.0000, confidence_level=0.95, method='clopper-pearson')
    """
    tail = (1.0 - confidence_level) / 2.0
    observed_low = tail ** (1.0 / n_items)
    low = (observed_low - expected) / (1.0 - expected)
    return Interval(low, 1.0, confidence_level, "clopper-pearson")


def unanimity_interval(
    n_by_ratings: Mapping[int, int],
    expected: float,
    *,
    n_labels: int | None = None,
    confidence_level: float = 0.95,
) -> Interval:
    """Lower limit of a coefficient when every item is unanimous, chance agreement held fixed.

    Prefer it to `perfect_agreement_interval` with more than two raters, where that one is wider
    than it need be; for two raters they are the same.

    Parameters
    ----------
    n_by_ratings : mapping
        Number of items by how many ratings they have; items with one rating do not count.
    expected : float
        Chance agreement; 0 for raw agreement.
    n_labels : int, optional
        How many labels there are; without it, any number.
    confidence_level : float, default 0.95

    Returns
    -------
    Interval

    Notes
    -----
    An item with r ratings on q labels shows at most the disagreement D_r of ratings spread evenly
    over the labels, so a mean disagreement d makes at least d / D_r of such items not unanimous.
    The limit is the d at which all being unanimous has probability (1 - level) / 2, that is
    prod (1 - d / D_r)^n_r; with D_r = 1 it is that of Clopper and Pearson.

    Examples
    --------
    >>> unanimity_interval({5: 40}, 0.5, n_labels=2)
    Interval(0.8943, 1.0000, confidence_level=0.95, method='clopper-pearson')
    """
    level = check_confidence_level(confidence_level)
    pairable = {many: n for many, n in n_by_ratings.items() if many > 1 and n > 0}
    if not pairable or not expected < 1.0:
        return Interval(math.nan, math.nan, level, "clopper-pearson")
    most = {many: _most_disagreement(many, n_labels) for many in pairable}
    tail = math.log((1.0 - level) / 2.0)
    # The items with the tightest bound alone would give a limit that is too far away.
    tightest = min(pairable, key=most.__getitem__)
    disagreement = most[tightest] * -math.expm1(tail / pairable[tightest])

    def excess(d: float) -> float:
        return sum(n * math.log1p(-d / most[many]) for many, n in pairable.items()) - tail

    if len(pairable) > 1:
        disagreement = root_between(excess, 0.0, disagreement, within=1e-15)
    low = 1.0 - disagreement / (1.0 - expected)
    return Interval(low, 1.0, level, "clopper-pearson")


def _most_disagreement(n_ratings: int, n_labels: int | None) -> float:
    """Return the share of pairs that differ when ratings spread evenly over the labels."""
    each, more = divmod(n_ratings, n_labels or n_ratings)
    labels = n_labels or n_ratings
    alike = more * (each + 1) * each + (labels - more) * each * (each - 1)
    return 1.0 - alike / (n_ratings * (n_ratings - 1))
