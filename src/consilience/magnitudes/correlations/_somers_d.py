"""Somers' d."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from consilience.core.checks import check_word
from consilience.magnitudes._magnitude import register
from consilience.magnitudes.correlations._concordance import concordance
from consilience.magnitudes.correlations._ordinal_measures import OrdinalAssociation
from consilience.magnitudes.paired import paired

PREDICTED = ("second", "first")


@register(
    title="Somers' d",
    caution=(
        "It tells how well one rater's order predicts the other's, and changes when the raters "
        "swap roles; it is no agreement."
    ),
    raters="two",
    labels="order",
    aliases=("somers",),
)
def somers_d(
    *ratings: Any, predicted: str = "second", pair: Sequence[object] | None = None
) -> OrdinalAssociation:
    """Somers' d: how well the order of one rater predicts the order of the other.

    Use it when one of the two is a standard. Prefer `kendall_tau` when neither is.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater
    predicted : {"second", "first"}
        Whose ties count against the prediction.
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
    d = (P - Q) / w_r, the pairs that the predicting rater tells apart. The same as
    scipy.stats.somersd, whose table of distinct values would not fit memory for many of them.

    References
    ----------
    .. [1] Somers, R. H. (1962). A new asymmetric measure of association for ordinal variables.
       American Sociological Review 27, 799-811.

    Examples
    --------
    >>> round(somers_d([1, 2, 2, 3, 3, 4], [1, 2, 3, 3, 2, 3]).value, 3)
    0.538
    """
    check_word("predicted", predicted, PREDICTED)
    marks = paired("somers_d", ratings, pair)
    facts = marks.facts("somers_d")
    facts["variant"] = f"predicted: {predicted}"
    reason = marks.why_not()
    if reason:
        return OrdinalAssociation.undefined(reason, facts)
    c = concordance(marks)
    w, margin = (c.w_r, c.same_x) if predicted == "second" else (c.w_c, c.same_y)
    effect = c.d / w * c.n - (c.p - c.q) / w * (c.n - margin) / w * c.n
    ase1 = 2.0 * c.error(effect)
    if ase1 == 0.0:
        facts["flags"] += ("boundary",)
    return OrdinalAssociation.of(c, facts, (c.p - c.q) / w, ase1, 2.0 / w * c.spread)
