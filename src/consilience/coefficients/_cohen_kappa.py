"""Cohen's kappa, Conger's kappa, beta: chance is each rater's own distribution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from consilience.coefficients._estimate import Estimate
from consilience.coefficients.coefficient import Coefficient, Design, Numbers, register
from consilience.coefficients.compute import estimate, named_distance
from consilience.ratings import Ratings
from consilience.rows import BetweenRaters, Form, Term


@register
@dataclass(frozen=True)
class CohenKappa(Coefficient):
    """Chance from each rater's own distribution of labels."""

    by_size: bool = False

    name = "cohen_kappa"
    aliases = (
        "kappa",
        "cohen",
        "conger",
        "conger_kappa",
        "davies_fleiss",
        "multi_kappa",
        "weighted_kappa",
        "beta",
    )
    summary = "Chance: each rater's own distribution."
    chance_from_margins = True
    needs_raters = True
    guesses = "own"
    standard_errors = (
        "linearised",
        "gwet",
        "table",
        "fleiss-cohen-everitt",
        "fleiss-cohen-everitt-null",
    )

    def title(self, design: Design) -> str:
        """Return Cohen's, Conger's or weighted kappa, or beta."""
        if design.n_raters == 2:
            return "Cohen's kappa" if design.nominal else "Weighted kappa"
        return "Conger's kappa" if design.nominal else "Artstein & Poesio's beta"

    def fitted(self, ratings: Ratings, missing: str) -> CohenKappa:
        """Weigh pairs of raters by how much they rated, where that rule was asked for."""
        return CohenKappa(by_size=missing == "ap")

    def terms(self, form: Form) -> dict[str, Term]:
        """Add the mean distance between two raters' distributions."""
        return {**super().terms(form), "chance": BetweenRaters(form, by_size=self.by_size)}

    def expected(self, t: Numbers, form: Form) -> Any:
        """Return the mean over rater pairs of sum_kl d_kl p_gk p_hl."""
        return t["chance"]


def cohen_kappa(
    *ratings: Any,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
) -> Estimate:
    """Cohen's kappa; weighted kappa; for more raters Conger's kappa; with a distance, beta.

    Use it when the question is about these raters: chance is what would happen if each kept to
    her own habits. Prefer `scott_pi` or `krippendorff_alpha` when raters are interchangeable:
    kappa rewards raters for preferring different labels.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance, missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`. With missing ratings, pairs of raters weigh the same
        (``missing="gwet"``, the default), or by the product of how many items each rated
        (``"ap"``, Artstein & Poesio 2005), or incomplete items are dropped (``"listwise"``).
        For two raters and complete data the default standard error is that of Fleiss, Cohen &
        Everitt (1969).

    Returns
    -------
    Estimate
        `value` in [-1, 1]; 0 is chance, 1 is full agreement.

    Raises
    ------
    UnsupportedDesignError
        Fewer than two raters, no item with two ratings, or counts that do not say who rated.

    Warns
    -----
    UndefinedCoefficientWarning
        When all raters use one and the same category (`no_variation`).

    Notes
    -----
    expected P_e = mean over rater pairs (g, h) of sum_kl w_kl p_gk p_hl, p_gk = n_gk / n_g.
    Missing ratings: an item with one rating counts in p_gk only. Agrees with irrCAC and, for two
    raters, with scikit-learn and statsmodels; unlike DKPro, expected disagreement is averaged over
    rater pairs, and unlike NLTK the distance applies to both parts.

    References
    ----------
    .. [1] Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and
       Psychological Measurement 20, 37-46. doi:10.1177/001316446002000104
    .. [2] Conger, A. J. (1980). Integration and generalization of kappas for multiple raters.
       Psychological Bulletin 88, 322-328. doi:10.1037/0033-2909.88.2.322
    .. [3] Artstein, R. & Poesio, M. (2005). Kappa3 = alpha (or beta). CSM-437, University of Essex.

    Examples
    --------
    >>> from consilience import Ratings
    >>> e = cohen_kappa(Ratings.from_table([[70, 25], [0, 55]]))  # Di Eugenio & Glass 2004
    >>> round(e.value, 3), round(e.standard_error, 4)
    (0.672, 0.0565)
    """
    return estimate(
        CohenKappa(),
        ratings,
        distance=distance,
        missing=missing,
        standard_error=standard_error,
        population=population,
        on_undefined=on_undefined,
    )


def conger_kappa(
    *ratings: Any,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
) -> Estimate:
    """Conger's kappa for two and more raters: `cohen_kappa` by its other name, nominal labels.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`.

    Returns
    -------
    Estimate
        Of two raters it is called Cohen's kappa, which is the same.

    Examples
    --------
    >>> from consilience import datasets
    >>> conger_kappa(datasets.load("krippendorff_2011")).name
    "Conger's kappa"
    """
    return cohen_kappa(
        *ratings,
        distance="nominal",
        missing=missing,
        standard_error=standard_error,
        population=population,
        on_undefined=on_undefined,
    )


def weighted_kappa(
    *ratings: Any,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
) -> Estimate:
    """Weighted kappa: `cohen_kappa` with a distance, which must be named.

    Programs differ in the weights that they take by default, so there is no default here.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance : {"linear", "quadratic", ...}, Distance or callable
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
    >>> print(f"{weighted_kappa(a, b, distance='quadratic'):.3f}")
    0.667
    """
    return cohen_kappa(
        *ratings,
        distance=named_distance(distance),
        missing=missing,
        standard_error=standard_error,
        population=population,
        on_undefined=on_undefined,
    )
