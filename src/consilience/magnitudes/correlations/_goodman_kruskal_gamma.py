"""Goodman and Kruskal's gamma."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from consilience.magnitudes._magnitude import register
from consilience.magnitudes.correlations._concordance import concordance
from consilience.magnitudes.correlations._ordinal_measures import OrdinalAssociation
from consilience.magnitudes.paired import paired


@register(
    title="Goodman and Kruskal's gamma",
    caution=(
        "It ignores every tied pair of items, so that it grows when marks are lumped together, and "
        "it tells about order, not about equal marks."
    ),
    raters="two",
    labels="order",
    aliases=("gamma", "gk_gamma"),
)
def goodman_kruskal_gamma(
    *ratings: Any, pair: Sequence[object] | None = None
) -> OrdinalAssociation:
    """Goodman and Kruskal's gamma of two raters.

    Use it to compare with programs that print it. Prefer `kendall_tau`, which counts ties.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
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
    gamma = (P - Q) / (P + Q), ASE1 = 4 / (P + Q)^2 sqrt(sum n_ij (Q A_ij - P D_ij)^2),
    ASE0 = 2 / (P + Q) sqrt(sum n_ij d_ij^2 - (P - Q)^2 / n) [1]_; P and Q as in `kendall_tau`.

    References
    ----------
    .. [1] Goodman, L. A. & Kruskal, W. H. (1972). Measures of association for cross
       classifications, IV. Journal of the American Statistical Association 67, 415-421.

    Examples
    --------
    >>> from consilience import Ratings
    >>> vision = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205],
    ...           [36, 82, 179, 492]]  # Stuart 1955
    >>> round(goodman_kruskal_gamma(Ratings.from_table(vision, scale="ordinal")).value, 3)
    0.798
    """
    marks = paired("goodman_kruskal_gamma", ratings, pair)
    facts = marks.facts("goodman_kruskal_gamma")
    reason = marks.why_not()
    counted = concordance(marks)
    pairs = counted.p + counted.q
    if reason is None and pairs == 0.0:
        reason = "all_tied: every pair of items is tied for one of the raters"
    if reason:
        return OrdinalAssociation.undefined(reason, facts)
    p, q = counted.p / pairs, counted.q / pairs
    effect = q * counted.concordant - p * counted.discordant
    ase1 = 4.0 * counted.n / pairs * counted.error(effect)
    if ase1 == 0.0:
        facts["flags"] += ("boundary",)
    return OrdinalAssociation.of(counted, facts, p - q, ase1, 2.0 / pairs * counted.spread)
