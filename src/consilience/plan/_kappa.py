"""Planning for Cohen's kappa of two raters."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from consilience.core import checks as check
from consilience.core.arrays import Floats
from consilience.core.tails import normal_below, quantile
from consilience.exceptions import Argument, InputError, Words
from consilience.inference import fleiss_cohen_everitt
from consilience.inference.intervals import ALTERNATIVES
from consilience.plan._goodness_of_fit_size import check_power, positive_shares, rounded_up
from consilience.plan._plan_results import PowerPlan


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
        power=_power(abs(value - null) * math.sqrt(size) - z * spread0, spread1),
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


def _power(reach: float, spread: float) -> float:
    if spread == 0.0:  # at kappa = 1 the estimate does not scatter at all
        return float(reach > 0.0)
    return normal_below(reach / spread)
