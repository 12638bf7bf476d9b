"""Gwet's AC1 and AC2: chance is random rating of the items that are hard to rate."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from consilience.coefficients.coefficient import (
    Coefficient,
    Design,
    Numbers,
    rated,
    register,
    share_of_item,
)
from consilience.coefficients.estimates import Estimate, estimate, named_distance
from consilience.core.options import COEFFICIENT, CoefficientOptions, written_out
from consilience.rows import Margin, Term, Total
from consilience.rows.forms import Form, NominalForm
from consilience.rows.terms import Uniform


@register
class GwetAC(Coefficient):
    """Gwet's random-rating model."""

    name = "gwet_ac"
    aliases = ("ac", "ac1", "ac2", "gwet", "gwet_ac1", "gwet_ac2", "gwet_gamma")
    summary = "Chance: Gwet's random-rating model."
    guesses = "uniform"
    needs_labels = True

    def title(self, design: Design) -> str:
        """Return AC1 for nominal labels, else AC2."""
        return "Gwet's AC1" if design.nominal else "Gwet's AC2"

    def terms(self, form: Form) -> dict[str, Term]:
        """Add 1 - sum pi_k^2, whatever the distance."""
        return {
            **super().terms(form),
            "items": Total(rated),
            "uniform": Uniform(form),
            "variety": Margin(share_of_item, NominalForm(form.size)),
        }

    def expected(self, t: Numbers, form: Form) -> Any:
        """Return 1 - T_w / (q (q - 1)) sum pi_k (1 - pi_k), in units of the distance."""
        q = form.size
        if q < 2:
            return 0.0 * t["maximum"]
        widest = np.where(t["maximum"] == 0.0, 1.0, t["maximum"])
        total_weight = q**2 * (1.0 - t["uniform"] / widest)
        variety = t["variety"] / t["items"] ** 2
        return t["maximum"] * (1.0 - total_weight / (q * (q - 1)) * variety)

    def lowest(self, design: Design) -> float:
        """Return -1 / (q - 1) for nominal labels."""
        return -1.0 / max(design.n_labels - 1, 1) if design.nominal else -1.0


@written_out(CoefficientOptions, COEFFICIENT)
def gwet_ac(*ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]) -> Estimate:
    """Gwet's AC1; with a distance, AC2.

    Use it beside kappa or alpha when nearly all items have the same label: it does not collapse
    there. Prefer the others for deciding whether rare labels can be told apart, and do not read AC1
    on scales made for kappa: it is higher by construction.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance, missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`.

    Returns
    -------
    Estimate
        `value` in [-1/(q-1), 1]; 0 is chance, 1 is full agreement.

    Raises
    ------
    UnsupportedDesignError
        Fewer than two raters, or no item with two ratings.

    Warns
    -----
    UndefinedCoefficientWarning
        When only one category is declared (`one_category`).

    Notes
    -----
    expected P_e = T_w / (q (q - 1)) sum_k pi_k (1 - pi_k), T_w = sum_kl w_kl,
    pi_k = mean_i r_ik / r_i.
    Missing ratings: an item with one rating counts in pi_k only. Agrees with irrCAC to 1e-9.

    References
    ----------
    .. [1] Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the presence of
       high agreement. British Journal of Mathematical and Statistical Psychology 61, 29-48.
       doi:10.1348/000711006X126600

    Examples
    --------
    >>> from consilience import Ratings
    >>> skewed = Ratings.from_table([[90, 5], [5, 0]])  # Di Eugenio & Glass 2004: kappa = -0.05
    >>> round(gwet_ac(skewed).value, 3)
    0.89
    """
    return estimate(GwetAC(), ratings, distance=distance, **options)


@written_out(CoefficientOptions, COEFFICIENT)
def ac1(*ratings: Any, **options: Unpack[CoefficientOptions]) -> Estimate:
    """Gwet's AC1: `gwet_ac` of nominal labels.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from consilience import Ratings
    >>> print(f"{ac1(Ratings.from_table([[90, 5], [5, 0]])):.2f}")
    0.89
    """
    return gwet_ac(*ratings, distance="nominal", **options)


@written_out(CoefficientOptions, COEFFICIENT)
def ac2(*ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]) -> Estimate:
    """Gwet's AC2: `gwet_ac` with a distance, which must be named.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance : {"linear", "quadratic", "ordinal", ...}, Distance or callable
        How far labels are apart; see `consilience.distances`.
    missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`.

    Returns
    -------
    Estimate

    Raises
    ------
    InputError
        No distance was named.

    Examples
    --------
    >>> a, b = [1, 2, 3, 3, 2, 1], [1, 2, 3, 2, 2, 2]
    >>> ac2(a, b, distance="linear").name
    "Gwet's AC2"
    """
    return gwet_ac(*ratings, distance=named_distance(distance), **options)
