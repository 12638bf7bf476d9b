"""Planning for the one-way intraclass correlation."""

from __future__ import annotations

import math

from consilience.core import checks as check
from consilience.core.tails import quantile
from consilience.exceptions import Argument, InputError, Words
from consilience.plan._goodness_of_fit_size import MOST_ITEMS, check_power, rounded_up
from consilience.plan._plan_results import PowerPlan


def icc_power(
    *,
    rho0: float,
    rho1: float,
    n_raters: int = 2,
    power: float = 0.8,
    n_items: int | None = None,
    significance_level: float = 0.05,
) -> PowerPlan:
    """Items needed to show that an intraclass correlation exceeds a bound, or the power.

    Use it for values on an interval scale, each item measured by the same number of raters
    (ICC(1), one-way). Prefer `simulated_power` with ``scale="interval"`` when raters differ in
    level or ratings are missing.

    Parameters
    ----------
    rho0, rho1 : correlation under the null hypothesis, and the larger one to be told from it
    n_raters : raters of each item
    power : the wanted power
    n_items : int, optional
        When given, the power of a study of this size is returned instead.
    significance_level : float
        Of the one-sided test.

    Returns
    -------
    PowerPlan

    Raises
    ------
    InputError
        A number is out of range, or `rho1` does not exceed `rho0`.

    Notes
    -----
    power = P(F > F_crit (1 + k theta0) / (1 + k theta1)) with n - 1 and n (k - 1) degrees of
    freedom, theta = rho / (1 - rho) [1]_; exact for normal values. The search starts at the
    approximation of [2]_.

    References
    ----------
    .. [1] Donner, A. & Eliasziw, M. (1987). Sample size requirements for reliability studies.
       Statistics in Medicine 6, 441-448. doi:10.1002/sim.4780060404
    .. [2] Walter, S. D., Eliasziw, M. & Donner, A. (1998). Sample size and optimal designs for
       reliability studies. Statistics in Medicine 17, 101-110.

    Examples
    --------
    >>> round(icc_power(rho0=0.4, rho1=0.6, n_raters=2, n_items=50).power, 4)
    0.593
    """
    null, value = _correlation("rho0", rho0), _correlation("rho1", rho1)
    if not value > null:
        raise InputError.expected(
            "rho1", Words("above ", Argument("rho0"), f" ({null:g})"), rho1, "swap the two"
        )
    raters = check.whole_number("n_raters", n_raters, least=2)
    level = check.probability("significance_level", significance_level)
    ratio = (1.0 + raters * null / (1.0 - null)) / (1.0 + raters * value / (1.0 - value))
    exact = None
    if n_items is None:
        wanted = check_power(power, level)
        reach = quantile(1.0 - level, None) + quantile(wanted, None)
        exact = 1.0 + 2.0 * reach**2 * raters / (math.log(ratio) ** 2 * (raters - 1))
        size = _smallest(wanted, rounded_up(exact), raters, ratio, level)
    else:
        size = check.whole_number("n_items", n_items, least=2)
    return PowerPlan(
        method="donner-eliasziw-1987",
        coefficient="icc",
        name="ICC(1)",
        null=null,
        value=value,
        n_items=size,
        n_items_exact=exact,
        n_raters=raters,
        power=_power(size, raters, ratio, level),
        significance_level=level,
        alternative="greater",
        solved_for="n_items" if n_items is None else "power",
    )


def _power(n_items: int, n_raters: int, ratio: float, level: float) -> float:
    from scipy.special import fdtrc, fdtri

    between, within = n_items - 1, n_items * (n_raters - 1)
    return float(fdtrc(between, within, ratio * fdtri(between, within, 1.0 - level)))


def _smallest(wanted: float, start: int, n_raters: int, ratio: float, level: float) -> int:
    """Return the smallest number of items with the wanted power."""

    def enough(n_items: int) -> bool:
        return _power(n_items, n_raters, ratio, level) >= wanted

    low, high = 2, max(start, 3)
    while not enough(high):
        low, high = high, min(2 * high, MOST_ITEMS)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return low if enough(low) else high


def _correlation(what: str, value: float) -> float:
    number = check.share(what, value)
    if number == 1.0:
        raise InputError.expected(what, "below 1", value, "for example 0.9")
    return number
