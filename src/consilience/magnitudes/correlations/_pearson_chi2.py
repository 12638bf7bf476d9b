"""Pearson's chi-square of a cross-table."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.checks import check_word
from consilience.core.tails import chi_square_tail
from consilience.inference import Interval, Test
from consilience.inference.intervals import Alternative
from consilience.magnitudes._magnitude import Magnitude, check_number, register
from consilience.magnitudes.paired import paired
from consilience.ratings.clusters import need_independent_items


@dataclass(frozen=True, kw_only=True, repr=False)
class ChiSquare(Magnitude):
    """Chi-square of independence, with Cramér's V."""

    n_degrees: int = 0
    cramer_v: float = math.nan

    @property
    def degrees_of_freedom(self) -> float:
        """(rows - 1)(columns - 1), labels that were used only."""
        return float(self.n_degrees)

    @property
    def details(self) -> dict[str, Any]:
        """Degrees of freedom and Cramér's V."""
        return {"degrees_of_freedom": self.n_degrees, "cramer_v": self.cramer_v}

    def _interval(self, level: float) -> Interval:
        return Interval(math.nan, math.nan, level, "none")

    def test(self, null: float = 0.0, *, alternative: Alternative = "greater") -> Test:
        """Test independence; a large chi-square speaks against it."""
        check_number("null", null)
        check_word("alternative", alternative, ("greater",))
        ok = self.status == "ok"
        p_value = chi_square_tail(self.value, self.n_degrees) if ok else math.nan
        return Test(self.value, p_value, 0.0, "greater", "chi-square", float(self.n_degrees))


@register(
    title="Pearson's chi-square",
    caution=(
        "It measures association of any kind, also when raters never choose the same label; a "
        "small p-value is no sign of agreement."
    ),
    raters="two",
    labels="labels",
    aliases=("chi2", "chi_square"),
)
def pearson_chi2(*ratings: Any, pair: Sequence[object] | None = None) -> ChiSquare:
    """Pearson's chi-square: whether the labels of two raters are independent.

    Use it to compare with older papers. Prefer any coefficient of agreement: chi-square is as
    large when raters always disagree in the same manner.

    Parameters
    ----------
    ratings : Ratings, or one sequence of labels per rater
    pair : names of two raters, when there are more

    Returns
    -------
    ChiSquare

    Raises
    ------
    UnsupportedDesignError
        Not two raters, no common item, or items that go together: the test supposes that they are
        independent.

    Notes
    -----
    sum (n_kl - e_kl)^2 / e_kl over the labels that each of the two has used, without a
    correction for continuity.

    Examples
    --------
    >>> from consilience import Ratings
    >>> table = [[50, 26, 24], [24, 4, 32], [6, 30, 4]]  # Cohen 1960; Artstein & Poesio 2005
    >>> round(pearson_chi2(Ratings.from_table(table)).value, 2)
    64.59
    """
    marks = paired("pearson_chi2", ratings, pair)
    need_independent_items(
        "pearson_chi2", marks.clusters, instead="cohen_kappa has an error that allows for them"
    )
    facts = marks.facts("pearson_chi2")
    reason = marks.why_not()
    if reason:
        return ChiSquare.undefined(reason, facts)
    rows, k = np.unique(marks.x, return_inverse=True)
    columns, m = np.unique(marks.y, return_inverse=True)
    n_k, n_l = np.bincount(k, weights=marks.weight), np.bincount(m, weights=marks.weight)
    key, place = np.unique(k * columns.size + m, return_inverse=True)
    n_kl = np.bincount(place, weights=marks.weight)
    # sum n_kl^2 / e_kl - n, so that empty cells cost nothing.
    n = marks.n
    share = n_kl / n_k[key // columns.size] / n_l[key % columns.size]
    value = max(n * float(n_kl @ share) - n, 0.0)
    if _share_below_five(n_k, n_l, n) > 0.2:
        facts["flags"] += ("few_expected",)
    return ChiSquare(
        value=value,
        n_degrees=(rows.size - 1) * (columns.size - 1),
        cramer_v=math.sqrt(value / n / (min(rows.size, columns.size) - 1)),
        **facts,
    )


def _share_below_five(n_k: Any, n_l: Any, n: float) -> float:
    """Return the share of cells that expect fewer than five items, without building them."""
    ordered = np.sort(n_l)
    below = np.searchsorted(ordered, 5.0 * n / n_k, side="left")
    return float(below.sum() / (n_k.size * n_l.size))
