"""Percent agreement: how often two ratings of an item agree, chance left in."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.coefficients._estimate import Estimate
from consilience.coefficients.coefficient import Coefficient, Design, Numbers, register
from consilience.coefficients.compute import estimate
from consilience.rows import Form


@register
class PercentAgreement(Coefficient):
    """No chance model."""

    name = "percent_agreement"
    aliases = (
        "percent",
        "observed_agreement",
        "raw_agreement",
        "pa",
        "simple_agreement",
        "joint_probability",
    )
    summary = "Raw agreement; with a distance, weighted agreement."
    corrects_for_chance = False

    def title(self, design: Design) -> str:
        """Return the usual name."""
        return "Percent agreement" if design.nominal else "Weighted percent agreement"

    def value(self, t: Numbers, form: Form) -> Any:
        """Return 1 minus observed disagreement in units of the largest distance."""
        widest = t["maximum"]
        return 1.0 - self.observed(t, form) / np.where(widest == 0.0, 1.0, widest)

    def lowest(self, design: Design) -> float:
        """Return 0."""
        return 0.0


def percent_agreement(
    *ratings: Any,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
) -> Estimate:
    """Percent agreement: the share of agreeing pairs of ratings, averaged over items.

    Use it to see what the chance-corrected coefficients correct. Prefer any of them for judging
    reliability: raw agreement is high whenever one label is common.

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
        Fewer than two raters, or no item with two ratings.

    Warns
    -----
    UndefinedCoefficientWarning
        Never: agreement on a single label is agreement.

    Notes
    -----
    P_o = mean over items of sum_kl w_kl r_ik (r_il - 1[k=l]) / (r_i (r_i - 1)), w = 1 - d / max d.
    Missing ratings: items with fewer than two ratings are left out.

    References
    ----------
    .. [1] Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters.
       Psychological Bulletin 76, 378-382. doi:10.1037/h0031619

    Examples
    --------
    >>> from consilience import Ratings
    >>> percent_agreement(Ratings.from_table([[20, 20], [10, 50]])).value  # Artstein & Poesio 2005
    0.7
    """
    return estimate(
        PercentAgreement(),
        ratings,
        distance=distance,
        missing=missing,
        standard_error=standard_error,
        population=population,
        on_undefined=on_undefined,
    )
