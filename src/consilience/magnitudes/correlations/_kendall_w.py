"""Kendall's coefficient of concordance."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from consilience.core.checks import check_word
from consilience.core.tails import chi_square_tail
from consilience.inference import Interval, Test
from consilience.inference.intervals import Alternative
from consilience.magnitudes._magnitude import Magnitude, check_number, register
from consilience.magnitudes._panel_marks import panel
from consilience.magnitudes.distances_of_marks._paired_differences import _mid_ranks


@dataclass(frozen=True, kw_only=True, repr=False)
class RankConcordance(Magnitude):
    """Kendall's W with its chi-square test."""

    chi_square: float = math.nan
    mean_spearman: float = math.nan
    lowest: ClassVar[float] = 0.0
    highest: ClassVar[float] = 1.0

    @property
    def degrees_of_freedom(self) -> float:
        """n - 1: of chi-square, for items that are independent of each other."""
        return float(self.n_items_used - 1)

    @property
    def details(self) -> dict[str, Any]:
        """The test, and the mean rank correlation that W stands for."""
        return {
            "chi_square": self.chi_square,
            "degrees_of_freedom": int(self.degrees_of_freedom),
            "mean_spearman": self.mean_spearman,
        }

    def _interval(self, level: float) -> Interval:
        return Interval(math.nan, math.nan, level, "none")

    def test(self, null: float = 0.0, *, alternative: Alternative = "greater") -> Test:
        """Test that the raters rank at random; only a null value of 0 has a test."""
        if check_number("null", null) != 0.0:
            return Test(math.nan, math.nan, null, "greater", "chi-square", None)
        check_word("alternative", alternative, ("greater",))
        df = self.degrees_of_freedom
        known = self.status == "ok" and self.clusters is None
        p_value = chi_square_tail(self.chi_square, df) if known else math.nan
        return Test(self.chi_square, p_value, 0.0, "greater", "chi-square", df)


@register(
    title="Kendall's W",
    caution=(
        "It compares rankings: raters with the same order and quite different marks get 1, and "
        "there is no value below 0 for raters who contradict each other."
    ),
    raters="any",
    labels="order",
    aliases=("w", "concordance"),
)
def kendall_w(*ratings: Any) -> RankConcordance:
    """Kendall's coefficient of concordance: how far raters rank the items alike.

    Use it for rankings by three raters or more. Prefer Krippendorff's alpha with the ordinal
    distance when ratings are missing or the marks themselves matter.

    Parameters
    ----------
    ratings : Ratings, or one sequence of marks per rater

    Returns
    -------
    RankConcordance
        `value` in [0, 1].

    Raises
    ------
    UnsupportedDesignError
        Fewer than two raters, labels without an order, or no item that everybody rated.

    Notes
    -----
    W = 12 S / (r^2 (n^3 - n) - r sum T), S the sum of squared deviations of the items' rank sums,
    T = sum (t^3 - t) over the ties of a rater [1]_; chi-square = r (n - 1) W with n - 1 degrees of
    freedom. Items that not everybody rated are left out and counted. Without ties
    W = (1 + (r - 1) mean Spearman) / r. That chi-square supposes independent items: for items that
    go together there is no p-value, and `mean_spearman` has an error that allows for them.

    References
    ----------
    .. [1] Kendall, M. G. & Babington Smith, B. (1939). The problem of m rankings. Annals of
       Mathematical Statistics 10, 275-287.

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9],
    ...          [6, 2, 4, 7]]  # Shrout & Fleiss 1979, Table 2
    >>> round(kendall_w(Ratings.from_wide(marks, scale="interval")).value, 3)
    0.887
    """
    data = panel("kendall_w", ratings)
    values, weight, n = data.complete()
    facts = data.facts("kendall_w", n)
    if n < data.ratings.n_items:
        facts["flags"] += ("items_left_out",)
    if facts["clusters"] is not None:
        facts["flags"] += ("no_clustered_test",)
    if n < 2:
        reason = f"too_few_items: two items that everybody rated are needed, there are {n}"
        return RankConcordance.undefined(reason, facts)
    r = values.shape[1]
    totals, ties = np.zeros(len(values)), 0.0
    for column in values.T:
        ranks, tied = _mid_ranks(column, weight)
        totals += ranks - (n + 1.0) / 2.0
        ties += tied
    largest = r**2 * (float(n) ** 3 - n) - r * ties
    if largest <= 0.0:
        reason = "constant_rater: every rater gave all items the same mark"
        return RankConcordance.undefined(reason, facts)
    value = min(12.0 * float(weight @ totals**2) / largest, 1.0)
    return RankConcordance(
        value=value,
        chi_square=r * (n - 1.0) * value,
        mean_spearman=(r * value - 1.0) / (r - 1.0) if ties == 0.0 else math.nan,
        **facts,
    )
