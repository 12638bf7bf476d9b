"""Kendall's tau, in its three variants."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from consilience.core.checks import check_word
from consilience.magnitudes._magnitude import register
from consilience.magnitudes.correlations._concordance import Concordance, concordance
from consilience.magnitudes.correlations._correlation import perfect
from consilience.magnitudes.correlations._ordinal_measures import OrdinalAssociation
from consilience.magnitudes.paired import paired

VARIANTS = ("a", "b", "c")


@register(
    title="Kendall's tau",
    caution=(
        "It tells whether two raters order pairs of items alike, not whether they give the same "
        "marks; with few different marks it can be about 0 although nearly all marks are equal."
    ),
    raters="two",
    labels="order",
    aliases=("tau", "kendall", "tau_a", "tau_b", "tau_c", "stuart_tau_c"),
    meant_by={
        "tau_a": {"variant": "a"},
        "tau_b": {"variant": "b"},
        "tau_c": {"variant": "c"},
        "stuart_tau_c": {"variant": "c"},
    },
)
def kendall_tau(
    *ratings: Any, variant: str = "b", pair: Sequence[object] | None = None
) -> OrdinalAssociation:
    """Kendall's tau of two raters, with the errors, T and p that SPSS prints.

    Use it for marks in order: it is the share of concordant pairs of items less that of discordant
    ones. Prefer a weighted kappa when the marks themselves should be the same.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    variant : {"a", "b", "c"}
        What the difference is divided by: all pairs, the pairs that are not tied, or (Stuart's)
        what a table of this size allows.
    pair : names of two raters, when there are more

    Returns
    -------
    OrdinalAssociation

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or labels without an order.

    Notes
    -----
    A_ij and D_ij count the items concordant and discordant with a cell; P = sum n_ij A_ij,
    Q = sum n_ij D_ij, d = A - D, w_r = n^2 - sum n_i+^2, w_c = n^2 - sum n_+j^2, w^2 = w_r w_c.

    tau_a = (P - Q) / (n (n - 1))
    tau_b = (P - Q) / w
    tau_c = m (P - Q) / (n^2 (m - 1)), m the smaller number of different marks
    ASE1(tau_b)^2 = [sum n (2 w d + tau_b v)^2 - n^3 tau_b^2 (w_r + w_c)^2] / w^4,
    v = n_i+ w_c + n_+j w_r;  ASE0(tau_b)^2 = 4 [sum n d^2 - (P - Q)^2 / n] / (w_r w_c)

    T = tau / ASE0 with a normal p [1]_. R and scipy divide by another null variance, Kendall's
    over all permutations: ``test(method="kendall")``. Time grows as n log n, memory as n.

    References
    ----------
    .. [1] Brown, M. B. & Benedetti, J. K. (1977). Sampling behavior of tests for correlation in
       two-way contingency tables. Journal of the American Statistical Association 72, 309-315.

    Examples
    --------
    >>> from consilience import datasets
    >>> tau = kendall_tau(datasets.load("haley_2008_table_1_3"))  # Haley et al. 2008, Table 1-3
    >>> round(tau.value, 3), round(tau.ase1, 3), round(tau.statistic, 3), round(tau.p_value, 3)
    (-0.02, 0.014, -0.722, 0.47)
    """
    check_word("variant", variant, VARIANTS)
    marks = paired("kendall_tau", ratings, pair)
    facts = marks.facts("kendall_tau")
    facts["name"] = f"Kendall's tau-{variant}"
    facts["variant"] = variant
    reason = marks.why_not(vary="none" if variant == "a" else "both")
    if reason:
        return OrdinalAssociation.undefined(reason, facts)
    counted = concordance(marks)
    value, ase1, ase0 = {"a": _tau_a, "b": _tau_b, "c": _tau_c}[variant](counted)
    if abs(value) >= 1.0:
        facts["flags"] += ("boundary",)
    return OrdinalAssociation.of(counted, facts, value, ase1, ase0)


Value = tuple[float, float, float]


def _tau_a(c: Concordance) -> Value:
    pairs = c.n * (c.n - 1.0)
    error = 2.0 / pairs * c.spread
    return (c.p - c.q) / pairs, error, error


def _tau_b(c: Concordance) -> Value:
    # Counts as shares of n: their fourth powers would lose digits otherwise.
    n, share = c.n, c.weight / c.n
    w_r, w_c, d = c.w_r / n**2, c.w_c / n**2, c.d / n
    w = math.sqrt(w_r) * math.sqrt(w_c)
    tau = (c.p - c.q) / n**2 / w
    v = c.same_x / n * w_c + c.same_y / n * w_r
    effect = 2.0 * w * d + tau * v
    mean = float(share @ effect)
    # sum n (...)^2 - n^3 tau^2 (w_r + w_c)^2 is the variance of the effect: its mean is known.
    ase1 = c.error(effect - mean) / w**2
    ase0 = 2.0 * c.spread / n**2 / w
    return perfect(min(max(tau, -1.0), 1.0)), ase1 if ase1 > 1e-13 else 0.0, ase0


def _tau_c(c: Concordance) -> Value:
    m = min(c.n_x, c.n_y)
    factor = m / ((m - 1.0) * c.n**2)
    error = 2.0 * factor * c.spread
    return factor * (c.p - c.q), error, error
