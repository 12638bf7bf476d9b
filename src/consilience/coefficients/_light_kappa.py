"""Light's kappa: the mean of Cohen's kappa over all pairs of raters."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from consilience.coefficients._estimate import Estimate
from consilience.coefficients.coefficient import Coefficient, Design, Numbers, pairable, register
from consilience.coefficients.compute import estimate
from consilience.core.arrays import Floats
from consilience.ratings import Ratings
from consilience.rows import BetweenTwo, Form, PairDisagreement, Rows, Term, Total, two_raters

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


def light_kappa(
    *ratings: Any,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
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
    return estimate(
        LightKappa(),
        ratings,
        distance=distance,
        missing=missing,
        standard_error=standard_error,
        population=population,
        on_undefined=on_undefined,
    )
