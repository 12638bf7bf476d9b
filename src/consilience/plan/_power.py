"""Items for a wanted power by formula: goodness-of-fit test, Cohen's kappa, one-way ICC."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from consilience.core import arguments as check
from consilience.core.arrays import Floats
from consilience.core.tails import normal_below, quantile, root_between
from consilience.exceptions import Argument, ForPrograms, InputError, Words, given
from consilience.inference import Interval
from consilience.inference.binary_kappa import CommonCorrelation, chi_square_interval
from consilience.inference.influence import fleiss_cohen_everitt
from consilience.plan._question import (
    MOST_ITEMS,
    PowerPlan,
    PrecisionPlan,
    Question,
    check_direction,
    few_expected,
    optimistic,
    positive_shares,
    rounded_up,
)

# ---- Planning with the goodness-of-fit test: any number of raters and of categories.

_NAMED = {"method": "goodness-of-fit", "coefficient": "scott_pi", "name": "kappa"}


def goodness_of_fit_power(q: Question) -> PowerPlan:
    """Tell one common kappa (Scott, Fleiss) from another by the two-sided goodness-of-fit test.

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
    size have power .77 and .70 instead of .80. Check with
    ``method="simulation"``; a note says so.
    Agrees with R's kappaSize to 1e-5 (2, 3 and 5 raters, 2 and 3 categories): its non-centrality
    for 5 % and 80 % is 7.848918 instead of 7.848861.

    References
    ----------
    .. [1] Donner, A. & Eliasziw, M. (1992). A goodness-of-fit approach to inference procedures for
       the kappa statistic. Statistics in Medicine 11, 1511-1519. doi:10.1002/sim.4780111109
    .. [2] Rotondi, M. A. & Donner, A. (2012). A confidence interval approach to sample size
       estimation for interobserver agreement studies with multiple raters and outcomes. Journal of
       Clinical Epidemiology 65, 778-784. doi:10.1016/j.jclinepi.2011.10.019
    """
    null, value = check.probability("kappa0", q.kappa0), check.probability("kappa1", q.kappa1)
    if null == value:
        raise InputError.expected(
            "kappa1",
            Words("different from ", Argument("kappa0")),
            q.kappa1,
            "give the kappa that you hope for",
        )
    shares, raters, level = q.shares, q.raters, q.level
    effect = CommonCorrelation(value, shares, {raters: 1}).chi_square(null)
    exact = float(q.size or noncentrality(q.wanted_power, level) / effect)
    size = q.size or rounded_up(exact)
    return q.power_plan(
        **_NAMED,
        null=null,
        value=value,
        n_items=size,
        n_items_exact=exact,
        n_raters=raters,
        prevalence=tuple(shares.tolist()),
        power=power_of(size * effect, level),
        alternative="two-sided",
        notes=few_expected(size * rarest_chance(shares, raters, null)) + optimistic(raters),
    )


def goodness_of_fit_width(q: Question) -> PrecisionPlan:
    """Return the interval that data exactly as expected would give, or the items it needs.

    A lower limit alone asks for a one-sided interval.

    Notes
    -----
    A limit is where the chi-square of the expected data reaches its critical value, so that N is
    the critical value over sum_l (P_l(kappa) - P_l(limit))^2 / P_l(limit).

    References
    ----------
    .. [1] Rotondi, M. A. & Donner, A. (2012). A confidence interval approach to sample size
       estimation for interobserver agreement studies with multiple raters and outcomes. Journal of
       Clinical Epidemiology 65, 778-784. doi:10.1016/j.jclinepi.2011.10.019
    """
    value, shares, raters, level = (
        check.probability("kappa", q.kappa),
        q.shares,
        q.raters,
        q.confidence,
    )
    _check_one_aim(q)
    one_sided = q.low is not None and q.high is None
    if one_sided and level <= 0.5:
        raise InputError.expected(
            "confidence_level", "above 0.5 for a one-sided interval", level, "for example 0.95"
        )
    study = _Expected(value, shares, raters, 2.0 * level - 1.0 if one_sided else level)
    if q.size is not None:
        exact = float(q.size)
    elif q.half_width is not None:
        exact = float(study.items_for_width(2.0 * q.half_width))
    else:
        limits = [(name, x) for name, x in (("low", q.low), ("high", q.high)) if x is not None]
        exact = max(study.items_for_limit(_limit(name, x, study)) for name, x in limits)
    size = rounded_up(exact)
    interval = study.interval(size)
    bottom, top = interval.low, math.nan if one_sided else interval.high
    return q.precision_plan(
        **_NAMED,
        value=value,
        n_items=size,
        n_items_exact=exact,
        n_raters=raters,
        prevalence=tuple(shares.tolist()),
        low=bottom,
        high=top,
        half_width=value - bottom if one_sided else (top - bottom) / 2.0,
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


def _check_one_aim(q: Question) -> None:
    limits = q.low is not None or q.high is not None
    if limits + (q.half_width is not None) + (q.n_items is not None) != 1:
        width = None if q.half_width is None else 2.0 * q.half_width
        aims = {"low": q.low, "high": q.high, "width": width, "n_items": q.n_items}
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


# ---- Planning for Cohen's kappa of two raters.


def kappa_power(q: Question) -> PowerPlan:
    """Tell one Cohen's kappa of two raters, who may use the labels unequally often, from another.

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
    """
    first = q.shares
    second = first if q.other_prevalence is None else positive_shares(q.other_prevalence)
    if first.size != second.size:
        raise InputError.expected(
            "other_prevalence",
            f"for {first.size} categories, as prevalence",
            q.other_prevalence,
            "list a share for every category",
        )
    null, value = check.real_number("kappa0", q.kappa0), check.real_number("kappa1", q.kappa1)
    side, level = q.alternative or "two-sided", q.level
    check_direction(null, value, side)
    spread0 = math.sqrt(largest_variance("kappa0", null, first, second))
    spread1 = math.sqrt(largest_variance("kappa1", value, first, second))
    z = quantile(1.0 - (level / 2.0 if side == "two-sided" else level), None)
    exact = (
        q.size or ((z * spread0 + quantile(q.wanted_power, None) * spread1) / (value - null)) ** 2
    )
    size = q.size or rounded_up(exact)
    return q.power_plan(
        method="cantor" if first.size == 2 else "flack",
        coefficient="cohen_kappa",
        name="Cohen's kappa",
        null=null,
        value=value,
        n_items=size,
        n_items_exact=float(exact),
        n_raters=2,
        prevalence=tuple(first.tolist()),
        power=_kappa_power(abs(value - null) * math.sqrt(size) - z * spread0, spread1),
        alternative=side,
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


# ---- Planning for the one-way intraclass correlation.


def icc_power(q: Question) -> PowerPlan:
    """Show that the correlation of values on an interval scale, ICC(1), exceeds a bound.

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
    """
    null, value = _correlation("kappa0", q.kappa0), _correlation("kappa1", q.kappa1)
    if not value > null:
        raise InputError.expected(
            "kappa1", Words("above ", Argument("kappa0"), f" ({null:g})"), q.kappa1, "swap the two"
        )
    raters, level, exact = q.raters, q.level, None
    ratio = (1.0 + raters * null / (1.0 - null)) / (1.0 + raters * value / (1.0 - value))
    size = q.size
    if size is None:
        wanted = q.wanted_power
        reach = quantile(1.0 - level, None) + quantile(wanted, None)
        exact = 1.0 + 2.0 * reach**2 * raters / (math.log(ratio) ** 2 * (raters - 1))
        size = _smallest(wanted, rounded_up(exact), raters, ratio, level)
    return q.power_plan(
        method="donner-eliasziw-1987",
        coefficient="icc",
        name="ICC(1)",
        null=null,
        value=value,
        n_items=size,
        n_items_exact=exact,
        n_raters=raters,
        power=_icc_power(size, raters, ratio, level),
        alternative="greater",
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


def _correlation(what: str, value: float | None) -> float:
    number = check.share(what, value)
    if number == 1.0:
        raise InputError.expected(what, "below 1", value, "for example 0.9")
    return number
