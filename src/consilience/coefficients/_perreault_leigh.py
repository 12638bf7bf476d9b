"""Perreault & Leigh's index: the share of reliable judgements behind Bennett's S."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from consilience.coefficients._bennett_s import BennettS
from consilience.coefficients._estimate import Estimate
from consilience.coefficients.coefficient import Design, Numbers, register
from consilience.coefficients.compute import estimate
from consilience.rows import Form


@register
class PerreaultLeigh(BennettS):
    """The square root of S."""

    name = "perreault_leigh"
    aliases: ClassVar[tuple[str, ...]] = ("perreault", "i_r")
    summary = "Square root of Bennett's S, for two raters."
    two_raters_only = True
    in_summary = False
    ratio_of_disagreements = False
    standard_errors = ("perreault-leigh", "linearised", "table")

    def title(self, design: Design) -> str:
        """Return the authors' name."""
        return "Perreault & Leigh's reliability index"

    def value(self, t: Numbers, form: Form) -> Any:
        """Return sqrt(S), or 0 where S is negative."""
        s = super().value(t, form)
        return np.where(s.real > 0.0, np.sqrt(np.where(s.real > 0.0, s, 1.0)), 0.0)

    def lowest(self, design: Design) -> float:
        """Return 0."""
        return 0.0


def perreault_leigh(
    *ratings: Any,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
) -> Estimate:
    """Perreault & Leigh's index of reliability for two judges.

    Use it to compare with marketing studies, which report it. Prefer `krippendorff_alpha` for
    anything else: the index is as dependent on the number of categories as Bennett's S.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance, missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`.

    Returns
    -------
    Estimate
        `value` in [0, 1].

    Raises
    ------
    UnsupportedDesignError
        Other than two raters, or no item with two ratings.

    Warns
    -----
    UndefinedCoefficientWarning
        When only one category is declared (`one_category`).

    Notes
    -----
    I_r = sqrt(max(0, S)), standard error sqrt(I_r (1 - I_r) / n).

    References
    ----------
    .. [1] Perreault, W. D. & Leigh, L. E. (1989). Reliability of nominal data based on qualitative
       judgments. Journal of Marketing Research 26, 135-148. doi:10.1177/002224378902600201

    Examples
    --------
    >>> from consilience import Ratings
    >>> balanced = Ratings.from_table([[45, 5], [5, 45]])  # Di Eugenio & Glass 2004: S = 0.8
    >>> round(perreault_leigh(balanced).value ** 2, 3)
    0.8
    """
    return estimate(
        PerreaultLeigh(),
        ratings,
        distance=distance,
        missing=missing,
        standard_error=standard_error,
        population=population,
        on_undefined=on_undefined,
    )
