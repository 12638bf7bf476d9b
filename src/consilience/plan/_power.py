"""Items for a wanted power by formula: goodness-of-fit test, Cohen's kappa, one-way ICC."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core import arguments as check
from consilience.core.arrays import Floats
from consilience.core.tails import normal_below, quantile, root_between
from consilience.exceptions import Argument, ForPrograms, InputError, Words, given
from consilience.inference import Interval, check_confidence_level, fleiss_cohen_everitt
from consilience.inference.binary_kappa import CommonCorrelation, chi_square_interval
from consilience.inference.intervals import ALTERNATIVES
from consilience.plan._plan_results import PowerPlan, PrecisionPlan, few_expected, optimistic

# ----------------------------------------------------------------------------------------
# Planning with the goodness-of-fit test: any number of raters and of categories.
# ----------------------------------------------------------------------------------------

MOST_ITEMS = 10**9
_NAMED: dict[str, Any] = {"method": "goodness-of-fit", "coefficient": "scott_pi", "name": "kappa"}


def goodness_of_fit_power(
    *,
    kappa0: float,
    kappa1: float,
    prevalence: float | Sequence[float] = 0.5,
    n_raters: int = 2,
    power: float = 0.8,
    n_items: int | None = None,
    significance_level: float = 0.05,
) -> PowerPlan:
    """Items needed to tell one kappa from another by the goodness-of-fit test, or its power.

    Use it to plan a test of a common kappa (Scott, Fleiss) of any number of raters and categories.
    Prefer `kappa_power` for Cohen's kappa of two raters who use the labels unequally often, and
    `simulated_power` for weighted coefficients, alpha, AC or missing ratings.

    Parameters
    ----------
    kappa0, kappa1 : kappa under the null hypothesis, and the kappa to be told from it
    prevalence : share of one of two categories, or of each category
    n_raters : raters of each item
    power : the wanted power
    n_items : int, optional
        When given, the power of a study of this size is returned instead.
    significance_level : float
        Of the two-sided test.

    Returns
    -------
    PowerPlan

    Raises
    ------
    InputError
        A number is out of range, or the two kappas are equal.

    Notes
    -----
    N = lambda / sum_l (P_l(kappa1) - P_l(kappa0))^2 / P_l(kappa0), where lambda is the
    non-centrality that gives a chi-square test with one degree of freedom the wanted power and
    P_l are the chances of the patterns of ratings: (1 - kappa) p_k^r + kappa p_k that all r raters
    choose k, 1 - kappa times the product of the p_k otherwise. All patterns that are not unanimous
    scale with 1 - kappa, so that they may be pooled without loss.
    For three or more raters the plan is optimistic, as kappa varies more than the chi-square
    supposes. For 0.4 against 0.6 and prevalence 0.3, N is .94 (3 raters) and .83 (5 raters) of what
    the large-sample variance of kappa at `kappa0` asks for, and 4,000 simulated studies of that
    size have power .77 and .70 instead of .80. Check with `simulated_power`; a note says so.
    Agrees with R's kappaSize to 1e-5 (2, 3 and 5 raters, 2 and 3 categories): its non-centrality
    for 5 % and 80 % is 7.848918 instead of 7.848861.

    References
    ----------
    .. [1] Donner, A. & Eliasziw, M. (1992). A goodness-of-fit approach to inference procedures for
       the kappa statistic. Statistics in Medicine 11, 1511-1519. doi:10.1002/sim.4780111109
    .. [2] Rotondi, M. A. & Donner, A. (2012). A confidence interval approach to sample size
       estimation for interobserver agreement studies with multiple raters and outcomes. Journal of
       Clinical Epidemiology 65, 778-784. doi:10.1016/j.jclinepi.2011.10.019

    Examples
    --------
    >>> goodness_of_fit_power(kappa0=0.4, kappa1=0.6, prevalence=0.3, n_raters=3).n_items
    106
    """
    null = check.probability("kappa0", kappa0)
    value = check.probability("kappa1", kappa1)
    if null == value:
        raise InputError.expected(
            "kappa1",
            Words("different from ", Argument("kappa0")),
            kappa1,
            "give the kappa that you hope for",
        )
    shares = positive_shares(prevalence)
    raters = check.whole_number("n_raters", n_raters, least=2)
    level = check.probability("significance_level", significance_level)
    effect = CommonCorrelation(value, shares, {raters: 1}).chi_square(null)
    if n_items is None:
        wanted = check_power(power, level)
        exact = noncentrality(wanted, level) / effect
        size = rounded_up(exact)
    else:
        size = check.whole_number("n_items", n_items, least=2)
        exact = float(size)
    return PowerPlan(
        **_NAMED,
        null=null,
        value=value,
        n_items=size,
        n_items_exact=exact,
        n_raters=raters,
        prevalence=tuple(shares.tolist()),
        power=power_of(size * effect, level),
        significance_level=level,
        alternative="two-sided",
        solved_for="n_items" if n_items is None else "power",
        notes=few_expected(size * rarest_chance(shares, raters, null)) + optimistic(raters),
    )


def goodness_of_fit_width(
    *,
    kappa: float,
    low: float | None = None,
    high: float | None = None,
    width: float | None = None,
    n_items: int | None = None,
    prevalence: float | Sequence[float] = 0.5,
    n_raters: int = 2,
    confidence_level: float = 0.95,
) -> PrecisionPlan:
    """Items needed for a goodness-of-fit interval that is narrow enough, or its width.

    Use it to plan how precisely a common kappa will be known. Prefer `precision` when there are
    pilot ratings, which bring their own variance, and `simulated_precision` for coefficients other
    than kappa.

    Parameters
    ----------
    kappa : the value that kappa is expected to have
    low, high : limits that the interval should not exceed
        `low` alone asks for a one-sided interval.
    width : total width that the interval should not exceed, instead of `low` and `high`
    n_items : int
        Instead of these: the size of the study whose interval is wanted.
    prevalence : share of one of two categories, or of each category
    n_raters : raters of each item
    confidence_level : float

    Returns
    -------
    PrecisionPlan
        With the interval that data exactly as expected would give.

    Raises
    ------
    InputError
        A number is out of range, or nothing or too much was asked for.

    Notes
    -----
    A limit is where the chi-square of the expected data reaches its critical value, so that N is
    the critical value over sum_l (P_l(kappa) - P_l(limit))^2 / P_l(limit).

    References
    ----------
    .. [1] Rotondi, M. A. & Donner, A. (2012). A confidence interval approach to sample size
       estimation for interobserver agreement studies with multiple raters and outcomes. Journal of
       Clinical Epidemiology 65, 778-784. doi:10.1016/j.jclinepi.2011.10.019

    Examples
    --------
    >>> goodness_of_fit_width(kappa=0.6, low=0.45, high=0.75, prevalence=0.3, n_raters=3).n_items
    91
    """
    value = check.probability("kappa", kappa)
    shares = positive_shares(prevalence)
    raters = check.whole_number("n_raters", n_raters, least=2)
    level = check_confidence_level(confidence_level)
    _check_one_aim(low=low, high=high, width=width, n_items=n_items)
    one_sided = low is not None and high is None
    if one_sided and level <= 0.5:
        raise InputError.expected(
            "confidence_level", "above 0.5 for a one-sided interval", level, "for example 0.95"
        )
    two_sided_level = 2.0 * level - 1.0 if one_sided else level
    study = _Expected(value, shares, raters, two_sided_level)
    if n_items is not None:
        exact = float(check.whole_number("n_items", n_items, least=2))
    elif width is not None:
        exact = float(study.items_for_width(check.real_number("width", width, least=1e-6)))
    else:
        limits = [
            _limit(name, x, study) for name, x in (("low", low), ("high", high)) if x is not None
        ]
        exact = max(study.items_for_limit(limit) for limit in limits)
    size = rounded_up(exact)
    interval = study.interval(size)
    bottom, top = interval.low, math.nan if one_sided else interval.high
    return PrecisionPlan(
        **_NAMED,
        value=value,
        n_items=size,
        n_items_exact=exact,
        n_raters=raters,
        prevalence=tuple(shares.tolist()),
        low=bottom,
        high=top,
        half_width=value - bottom if one_sided else (top - bottom) / 2.0,
        confidence_level=level,
        solved_for="n_items" if n_items is None else "half_width",
        notes=few_expected(size * rarest_chance(shares, raters, value)),
    )


@dataclass(frozen=True)
class _Expected:
    """Studies whose data are exactly as expected."""

    kappa: float
    shares: Floats
    n_raters: int
    level: float

    def of_size(self, n_items: int) -> CommonCorrelation:
        """Return the study of this size."""
        return CommonCorrelation(self.kappa, self.shares, {self.n_raters: n_items})

    def interval(self, n_items: int) -> Interval:
        """Return the interval of a study of this size."""
        return chi_square_interval(self.of_size(n_items), self.level)

    def items_for_limit(self, limit: float) -> float:
        """Return the number of items whose interval ends at the limit."""
        return critical_value(1.0 - self.level) / self.of_size(1).chi_square(limit)

    def items_for_width(self, width: float) -> int:
        """Return the smallest number of items whose interval is narrow enough."""

        def wide(n_items: int) -> bool:
            found = self.interval(n_items)
            return found.high - found.low > width

        low, high = 2, 4
        while wide(high):
            low, high = high, 2 * rounded_up(high)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if wide(middle) else (low, middle)
        return high if wide(low) else low


def rarest_chance(shares: Floats, n_raters: int, kappa: float) -> float:
    """Return the chance of the rarest of: unanimity on a category, and no unanimity."""
    alone = shares**n_raters
    unanimous = (1.0 - kappa) * alone + kappa * shares
    return float(min(unanimous.min(), (1.0 - kappa) * (1.0 - alone.sum())))


def critical_value(level: float) -> float:
    """Return the critical value of a chi-square with one degree of freedom."""
    return quantile(1.0 - level / 2.0, None) ** 2


def power_of(noncentral: float, level: float) -> float:
    """Return the chance that a chi-square with one degree of freedom is significant."""
    z, shift = math.sqrt(critical_value(level)), math.sqrt(noncentral)
    return normal_below(shift - z) + normal_below(-shift - z)


_LARGEST_SHIFT = 100.0


def noncentrality(power: float, level: float) -> float:
    """Return the non-centrality at which a chi-square with one degree has this power."""

    def excess(shift: float) -> float:
        return power_of(shift**2, level) - power

    if excess(_LARGEST_SHIFT) < 0.0:  # the critical value itself lies beyond
        raise InputError.expected(
            "significance_level", "large enough to be met", level, "for example 0.05"
        )
    return root_between(excess, 0.0, _LARGEST_SHIFT) ** 2


def check_power(power: float, level: float) -> float:
    """Return the power if it is one that planning makes sense for."""
    wanted = check.probability("power", power)
    if wanted <= level:
        raise InputError.expected(
            "power", f"above the significance level ({level:g})", power, "for example 0.8"
        )
    return wanted


def positive_shares(prevalence: float | Sequence[float]) -> Floats:
    """Return the shares of the categories, all of them positive."""
    shares = np.array(check.distribution("prevalence", prevalence))
    if not (shares > 0.0).all():
        raise InputError.expected(
            "prevalence", "above 0 for every category", prevalence, "leave unused categories out"
        )
    return shares


def rounded_up(exact: float) -> int:
    """Return the smallest whole number of items that is enough."""
    if not exact <= MOST_ITEMS:
        raise InputError.expected(
            "what was asked for",
            f"reachable with {MOST_ITEMS:,} items",
            f"{exact:.3g} items",
            "ask for less precision, or for a larger difference",
        )
    return max(2, math.ceil(exact - 1e-9))


def _limit(name: str, limit: float, study: _Expected) -> float:
    number = check.real_number(name, limit)
    lowest = study.of_size(1).floor
    bounds = (lowest, study.kappa) if name == "low" else (study.kappa, 1.0)
    if not bounds[0] < number < bounds[1]:
        raise InputError.expected(
            name,
            f"between {bounds[0]:.3g} and {bounds[1]:.3g}",
            limit,
            "the limits lie on either side of kappa",
        )
    return number


def _check_one_aim(**aims: float | None) -> None:
    limits = aims["low"] is not None or aims["high"] is not None
    chosen = [limits, aims["width"] is not None, aims["n_items"] is not None]
    if sum(chosen) != 1:
        raise InputError.expected(
            "the aim",
            Words(
                "either ",
                ForPrograms("limits (low, high), "),
                Argument("width"),
                " or ",
                Argument("n_items"),
            ),
            given(aims),
            "give exactly one",
        )


# ----------------------------------------------------------------------------------------
# Planning for Cohen's kappa of two raters.
# ----------------------------------------------------------------------------------------


def kappa_power(
    *,
    kappa0: float,
    kappa1: float,
    prevalence: float | Sequence[float] = 0.5,
    other_prevalence: float | Sequence[float] | None = None,
    power: float = 0.8,
    n_items: int | None = None,
    significance_level: float = 0.05,
    alternative: str = "two-sided",
) -> PowerPlan:
    """Items needed to tell one Cohen's kappa from another, or the power of a given study.

    Use it for two raters, in particular when they use the labels unequally often. Prefer
    `goodness_of_fit_power` for more raters, and when both use the labels equally often: its test
    keeps its level in small samples.

    Parameters
    ----------
    kappa0, kappa1 : kappa under the null hypothesis, and the kappa to be told from it
    prevalence : share of one of two categories, or of each category, with the first rater
    other_prevalence : the same with the second rater, default as with the first
    power : the wanted power
    n_items : int, optional
        When given, the power of a study of this size is returned instead.
    significance_level : float
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    PowerPlan

    Raises
    ------
    InputError
        A number is out of range, or no table of two raters with these shares has this kappa.

    Notes
    -----
    N = ((z_a sqrt(Q0) + z_b sqrt(Q1)) / (kappa1 - kappa0))^2, Q being the variance of kappa for
    one item [3]_. Two categories: shares and kappa fix the table [1]_. More: of all tables with
    these shares and this kappa the one with the largest variance, found by linear programming, as
    the variance is linear in the cells [2]_. Agrees with R's irr.

    References
    ----------
    .. [1] Cantor, A. B. (1996). Sample-size calculations for Cohen's kappa. Psychological Methods
       1, 150-153. doi:10.1037/1082-989X.1.2.150
    .. [2] Flack, V. F., Afifi, A. A., Lachenbruch, P. A. & Schouten, H. J. A. (1988). Sample size
       determinations for the two rater kappa statistic. Psychometrika 53, 321-325.
       doi:10.1007/BF02294215
    .. [3] Fleiss, J. L., Cohen, J. & Everitt, B. S. (1969). Large sample standard errors of kappa
       and weighted kappa. Psychological Bulletin 72, 323-327. doi:10.1037/h0028106

    Examples
    --------
    >>> kappa_power(kappa0=0.4, kappa1=0.6, prevalence=0.3, alternative="greater").n_items
    141
    >>> kappa_power(
    ...     kappa0=0.4, kappa1=0.6, prevalence=[0.2, 0.25, 0.55], alternative="greater"
    ... ).n_items
    101
    """
    first = positive_shares(prevalence)
    second = first if other_prevalence is None else positive_shares(other_prevalence)
    if first.size != second.size:
        raise InputError.expected(
            "other_prevalence",
            f"for {first.size} categories, as prevalence",
            other_prevalence,
            "list a share for every category",
        )
    null, value = check.real_number("kappa0", kappa0), check.real_number("kappa1", kappa1)
    check_direction(null, value, alternative)
    level = check.probability("significance_level", significance_level)
    spread0 = math.sqrt(largest_variance("kappa0", null, first, second))
    spread1 = math.sqrt(largest_variance("kappa1", value, first, second))
    z = quantile(1.0 - (level / 2.0 if alternative == "two-sided" else level), None)
    if n_items is None:
        z_power = quantile(check_power(power, level), None)
        exact = ((z * spread0 + z_power * spread1) / (value - null)) ** 2
        size = rounded_up(exact)
    else:
        size = check.whole_number("n_items", n_items, least=2)
        exact = float(size)
    return PowerPlan(
        method="cantor" if first.size == 2 else "flack",
        coefficient="cohen_kappa",
        name="Cohen's kappa",
        null=null,
        value=value,
        n_items=size,
        n_items_exact=exact,
        n_raters=2,
        prevalence=tuple(first.tolist()),
        power=_kappa_power(abs(value - null) * math.sqrt(size) - z * spread0, spread1),
        significance_level=level,
        alternative=alternative,
        solved_for="n_items" if n_items is None else "power",
    )


def largest_variance(what: str, kappa: float, first: Floats, second: Floats) -> float:
    """Return the variance of kappa for one item, in the table where it is largest."""
    expected = float(first @ second)
    observed = kappa * (1.0 - expected) + expected
    table = _two_by_two(observed, first, second) if first.size == 2 else None
    if table is None and first.size > 2:
        table = _least_favourable(kappa, observed, first, second)
    if table is None:
        highest = (np.minimum(first, second).sum() - expected) / (1.0 - expected)
        raise InputError.expected(
            what,
            f"a kappa that two raters with these shares can have (at most {highest:.3f})",
            kappa,
            "choose shares that are more alike, or another kappa",
        )
    return fleiss_cohen_everitt(table, np.eye(first.size)) ** 2


def check_direction(null: float, value: float, alternative: str) -> None:
    """Refuse a value that the alternative leaves out."""
    if alternative not in ALTERNATIVES:
        raise InputError.unknown_word("alternative", alternative, ALTERNATIVES)
    if value == null or (
        alternative != "two-sided" and (value > null) != (alternative == "greater")
    ):
        where = {"two-sided": "different from", "greater": "above", "less": "below"}[alternative]
        raise InputError.expected(
            "kappa1",
            Words(f"{where} ", Argument("kappa0"), f" ({null:g})"),
            value,
            "give the value that you hope for",
        )


def _two_by_two(observed: float, first: Floats, second: Floats) -> Floats | None:
    both = (observed - 1.0 + first[0] + second[0]) / 2.0
    table = np.array(
        [
            [both, first[0] - both],
            [second[0] - both, 1.0 - first[0] - second[0] + both],
        ]
    )
    return np.maximum(table, 0.0) if (table >= -1e-12).all() else None


def _least_favourable(
    kappa: float, observed: float, first: Floats, second: Floats
) -> Floats | None:
    """Return the table with these margins and this kappa whose variance is largest."""
    from scipy.optimize import linprog

    q = first.size
    # Only this part of Fleiss, Cohen & Everitt's variance depends on the cells.
    gain = (np.eye(q) - (1.0 - kappa) * (second[:, None] + first[None, :])) ** 2
    rows = np.kron(np.eye(q), np.ones(q))
    columns = np.kron(np.ones(q), np.eye(q))
    found = linprog(
        -gain.ravel(),
        A_eq=np.vstack([rows, columns, np.eye(q).ravel()]),
        b_eq=np.concatenate([first, second, [observed]]),
        bounds=(0.0, 1.0),
        method="highs",
    )
    return np.asarray(found.x).reshape(q, q) if found.success else None


def _kappa_power(reach: float, spread: float) -> float:
    if spread == 0.0:  # at kappa = 1 the estimate does not scatter at all
        return float(reach > 0.0)
    return normal_below(reach / spread)


# ----------------------------------------------------------------------------------------
# Planning for the one-way intraclass correlation.
# ----------------------------------------------------------------------------------------


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
        power=_icc_power(size, raters, ratio, level),
        significance_level=level,
        alternative="greater",
        solved_for="n_items" if n_items is None else "power",
    )


def _icc_power(n_items: int, n_raters: int, ratio: float, level: float) -> float:
    from scipy.special import fdtrc, fdtri

    between, within = n_items - 1, n_items * (n_raters - 1)
    return float(fdtrc(between, within, ratio * fdtri(between, within, 1.0 - level)))


def _smallest(wanted: float, start: int, n_raters: int, ratio: float, level: float) -> int:
    """Return the smallest number of items with the wanted power."""

    def enough(n_items: int) -> bool:
        return _icc_power(n_items, n_raters, ratio, level) >= wanted

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
