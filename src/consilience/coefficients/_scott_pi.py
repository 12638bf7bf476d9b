"""Scott's pi, Fleiss' kappa, Van Oest's index: chance is one distribution shared by all raters."""

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
from consilience.coefficients.estimates import Estimate, estimate
from consilience.core.arrays import Floats
from consilience.core.options import COEFFICIENT, CoefficientOptions, written_out
from consilience.rows import Margin, Rows, Term, Total
from consilience.rows.forms import Form
from consilience.rows.terms import MarginToUniform, Uniform

# ---- Scott's pi, Fleiss' kappa, alpha prime: chance is one distribution shared by all raters.


@register
class ScottPi(Coefficient):
    """Chance from the pooled distribution of labels, drawn with replacement."""

    name = "scott_pi"
    aliases = (
        "pi",
        "scott",
        "fleiss",
        "fleiss_kappa",
        "multi_pi",
        "siegel_castellan",
        "alpha_prime",
        "weighted_pi",
        "k",
        "k_pi",
    )
    summary = "Chance: one distribution shared by all raters."
    chance_from_margins = True
    has_goodness_of_fit = True
    standard_errors = ("linearised", "gwet", "table", "fleiss-nee-landis-null")

    def title(self, design: Design) -> str:
        """Return Scott's pi, Fleiss' kappa or alpha prime."""
        if not design.nominal:
            return "Alpha prime (weighted pi)"
        return "Scott's pi" if design.n_raters == 2 else "Fleiss' kappa"

    def terms(self, form: Form) -> dict[str, Term]:
        """Add the mean share of each label, every item weighing the same."""
        return {
            **super().terms(form),
            "items": Total(rated),
            "margin": Margin(share_of_item, form),
        }

    def expected(self, t: Numbers, form: Form) -> Any:
        """Return sum_kl d_kl pi_k pi_l."""
        return t["margin"] / t["items"] ** 2

    def lowest(self, design: Design) -> float:
        """Return -1 / (r - 1) for nominal labels and equally many ratings of every item."""
        return design.lowest_pooled


@written_out(CoefficientOptions, COEFFICIENT)
def scott_pi(
    *ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]
) -> Estimate:
    """Scott's pi; for more than two raters Fleiss' kappa; with a distance, alpha prime.

    Use it when raters are interchangeable and the question is how far the labels can be trusted
    whoever gave them. Prefer `cohen_kappa` when the particular raters matter, and
    `krippendorff_alpha` for few items or many missing ratings.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance, missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`. ``standard_error="fleiss-nee-landis-null"`` gives the error
        under no agreement beyond chance.

    Returns
    -------
    Estimate
        `value` in [-1/(r-1), 1]; 0 is chance, 1 is full agreement.

    Raises
    ------
    UnsupportedDesignError
        Fewer than two raters, or no item with two ratings.

    Warns
    -----
    UndefinedCoefficientWarning
        When only one category is used (`no_variation`): expected agreement is 1.

    Notes
    -----
    observed  P_o = mean_i sum_k r_ik (r*_ik - 1) / (r_i (r_i - 1))                  (1)
    expected  P_e = sum_kl w_kl pi_k pi_l, pi_k = mean_i r_ik / r_i                  (2)
    Missing ratings: items with one rating are left out of (1) and kept in (2), which is both
    Gwet's rule and Artstein & Poesio's. Agrees with irrCAC to 1e-9.

    References
    ----------
    .. [1] Scott, W. A. (1955). Reliability of content analysis. Public Opinion Quarterly 19,
       321-325. doi:10.1086/266577
    .. [2] Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters.
       Psychological Bulletin 76, 378-382. doi:10.1037/h0031619
    .. [3] Artstein, R. & Poesio, M. (2005). Kappa3 = alpha (or beta). CSM-437, University of Essex.

    Examples
    --------
    >>> from consilience import datasets
    >>> round(scott_pi(datasets.load("fleiss_1971")).value, 3)  # published: 0.430
    0.43
    """
    return estimate(ScottPi(), ratings, distance=distance, **options)


@written_out(CoefficientOptions, COEFFICIENT)
def fleiss_kappa(*ratings: Any, **options: Unpack[CoefficientOptions]) -> Estimate:
    """Fleiss' kappa for any number of raters: `scott_pi` by its other name, for nominal labels.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`.

    Returns
    -------
    Estimate
        Of two raters it is called Scott's pi, which is the same.

    Examples
    --------
    >>> from consilience import datasets
    >>> print(f"{fleiss_kappa(datasets.load('fleiss_1971')):.3f}")  # published: 0.430
    0.430
    """
    return scott_pi(*ratings, distance="nominal", **options)


# ---- Van Oest's index: the pooled distribution of labels with a uniform prior.


def n_ratings(rows: Rows) -> Floats:
    """Number of ratings of the item."""
    return rows.ratings


def one(rows: Rows) -> Floats:
    """Weight 1 for every item."""
    return np.ones(rows.ratings.size)


@register
class VanOest(Coefficient):
    """Chance from the pooled counts plus one pseudo-count for every declared category."""

    name = "van_oest"
    aliases = ("van_oest_ir2", "ir2")
    summary = "Chance: pooled counts with a uniform prior."
    needs_labels = True
    in_summary = False
    prior = 1.0

    def title(self, design: Design) -> str:
        """Return van Oest's index."""
        return "Van Oest's index"

    def terms(self, form: Form) -> dict[str, Term]:
        """Add the counts of all labels, and their distance to the uniform distribution."""
        return {
            **super().terms(form),
            "ratings": Total(n_ratings),
            "margin": Margin(one, form),
            "to_uniform": MarginToUniform(one, form),
            "uniform": Uniform(form),
        }

    def expected(self, t: Numbers, form: Form) -> Any:
        """Return sum d_kl p_k p_l with p_k = (a + N_k) / (q a + N)."""
        a, q = self.prior, form.size
        total = t["margin"] + 2.0 * a * t["to_uniform"] + a**2 * q**2 * t["uniform"]
        return total / (q * a + t["ratings"]) ** 2


@written_out(CoefficientOptions, COEFFICIENT)
def van_oest(
    *ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]
) -> Estimate:
    """Van Oest's index of reliability: between Bennett's S and Scott's pi.

    Use it for small samples with rare labels, where the pooled distribution of `scott_pi` is
    itself uncertain. Prefer `scott_pi` when there are many items: the two then agree.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance, missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`.

    Returns
    -------
    Estimate
        `value` at most 1; 0 is chance, 1 is full agreement.

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
    expected P_e = sum_kl w_kl p_k p_l, p_k = (1 + N_k) / (q + N), N_k counting all ratings in k.
    Missing ratings: all ratings count in N_k.

    References
    ----------
    .. [1] Van Oest, R. (2019). A new coefficient of interrater agreement: the challenge of highly
       unequal category proportions. Psychological Methods 24, 439-451. doi:10.1037/met0000183

    Examples
    --------
    >>> from consilience import Ratings
    >>> round(van_oest(Ratings.from_table([[81, 9], [9, 1]])).value, 3)  # published: .034
    0.034
    """
    return estimate(VanOest(), ratings, distance=distance, **options)
