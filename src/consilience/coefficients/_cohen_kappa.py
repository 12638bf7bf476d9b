"""Cohen's, Conger's and weighted kappa, and Light's: each rater has margins of his own."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, Unpack

import numpy as np

from consilience.coefficients.coefficient import Coefficient, Design, Numbers, pairable, register
from consilience.coefficients.estimates import Estimate, estimate, named_distance
from consilience.core.arrays import Floats
from consilience.core.options import COEFFICIENT, CoefficientOptions, written_out
from consilience.ratings import Ratings
from consilience.rows import BetweenRaters, BetweenTwo, PairDisagreement, Rows, Term, Total
from consilience.rows.forms import Form
from consilience.rows.terms import two_raters

# ---- Cohen's kappa, Conger's kappa, beta: chance is each rater's own distribution.


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


@written_out(CoefficientOptions, COEFFICIENT)
def cohen_kappa(
    *ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]
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
    return estimate(CohenKappa(), ratings, distance=distance, **options)


@written_out(CoefficientOptions, COEFFICIENT)
def conger_kappa(*ratings: Any, **options: Unpack[CoefficientOptions]) -> Estimate:
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
    return cohen_kappa(*ratings, distance="nominal", **options)


@written_out(CoefficientOptions, COEFFICIENT)
def weighted_kappa(
    *ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]
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
    return cohen_kappa(*ratings, distance=named_distance(distance), **options)


# ---- Light's kappa: the mean of Cohen's kappa over all pairs of raters.

_MOST_RATERS = 100


@register
@dataclass(frozen=True)
class LightKappa(Coefficient):
    """Cohen's kappa of each pair on its common items, then the mean."""

    pairs: tuple[tuple[int, int], ...] = ()

    name = "light_kappa"
    aliases = ("light", "mean_kappa", "average_pairwise_kappa")
    summary = "Mean of Cohen's kappa over rater pairs."
    needs_raters = True
    guesses = "own"
    in_summary = False
    ratio_of_disagreements = False
    missing_rules = ("pairwise", "listwise")
    standard_errors = ("linearised", "table")

    def title(self, design: Design) -> str:
        """Return Light's kappa."""
        return "Light's kappa" if design.nominal else "Weighted Light's kappa"

    def supports(self, ratings: Ratings) -> str | None:
        """Refuse crowds: with thousands of raters hardly any pair shares items."""
        if ratings.n_raters > _MOST_RATERS:
            return f"needs at most {_MOST_RATERS} raters, got {ratings.n_raters:,}"
        return super().supports(ratings)

    def fitted(self, ratings: Ratings, missing: str) -> LightKappa:
        """List the pairs of raters."""
        return LightKappa(tuple(combinations(range(ratings.n_raters), 2)))

    def terms(self, form: Form) -> dict[str, Term]:
        """For each pair: common items, disagreement on them, disagreement by chance."""
        terms: dict[str, Term] = {"items": Total(pairable)}
        for g, h in self.pairs:
            terms[f"common {g} {h}"] = Total(CommonItems(g, h))
            terms[f"disagreement {g} {h}"] = PairDisagreement(form, g, h)
            terms[f"chance {g} {h}"] = BetweenTwo(form, g, h)
        return terms

    def _per_pair(self, t: Numbers) -> tuple[Any, Any, Any]:
        """Return observed and expected disagreement of each pair, and 1 where kappa exists."""
        observed, expected, exists = [], [], []
        for g, h in self.pairs:
            common, chance = t[f"common {g} {h}"], t[f"chance {g} {h}"]
            there = np.real(chance) > 1e-14 * np.real(common) ** 2
            some = np.where(there, common, 1.0)
            observed.append(t[f"disagreement {g} {h}"] / some)
            expected.append(np.where(there, chance, 1.0) / some**2)
            exists.append(there)
        return np.array(observed), np.array(expected), np.array(exists)

    def _mean(self, values: Any, exists: Any) -> Any:
        n_pairs = exists.sum(axis=0)
        mean = np.where(exists, values, 0.0).sum(axis=0) / np.maximum(n_pairs, 1)
        return np.where(n_pairs == 0, np.nan, mean)

    def observed(self, t: Numbers, form: Form) -> Any:
        """Return the mean over pairs of observed disagreement."""
        observed, _, exists = self._per_pair(t)
        return self._mean(observed, exists)

    def expected(self, t: Numbers, form: Form) -> Any:
        """Return the mean over pairs of expected disagreement."""
        _, expected, exists = self._per_pair(t)
        mean = self._mean(expected, exists)
        return np.where(np.isnan(mean), 0.0, mean)

    def value(self, t: Numbers, form: Form) -> Any:
        """Return the mean of the pairs' kappas: not a ratio of means."""
        observed, expected, exists = self._per_pair(t)
        return self._mean(1.0 - observed / expected, exists)


@dataclass(frozen=True)
class CommonItems:
    """1 for items that two raters both rated."""

    first: int
    second: int

    def __call__(self, rows: Rows) -> Floats:
        return two_raters(rows, self.first, self.second)[2]


@written_out(CoefficientOptions, COEFFICIENT)
def light_kappa(
    *ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]
) -> Estimate:
    """Light's kappa: Cohen's kappa averaged over all pairs of raters.

    Use it to compare with studies that report it. Prefer `cohen_kappa`, which for more than two
    raters weighs observed and expected agreement of all pairs together and is more stable.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance, missing, standard_error, population, on_undefined
        As in `krippendorff_alpha`; ``missing`` is "pairwise" or "listwise".

    Returns
    -------
    Estimate
        `value` in [-1, 1]; 0 is chance, 1 is full agreement.

    Raises
    ------
    UnsupportedDesignError
        Fewer than two raters, no item with two ratings, or more than a hundred raters.

    Warns
    -----
    UndefinedCoefficientWarning
        When no pair of raters has a kappa (`no_variation`).

    Notes
    -----
    Missing ratings: each pair uses the items that both rated. Pairs whose kappa is undefined are
    left out. R's irr prints a z and a p for this coefficient that cannot be relied on; here the
    standard error is the linearised one.

    References
    ----------
    .. [1] Light, R. J. (1971). Measures of response agreement for qualitative data: some
       generalizations and alternatives. Psychological Bulletin 76, 365-377. doi:10.1037/h0031643

    Examples
    --------
    >>> light_kappa(["a", "b", "b", "a"], ["a", "b", "a", "a"]).value
    0.5
    """
    return estimate(LightKappa(), ratings, distance=distance, **options)
