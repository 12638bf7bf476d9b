"""Two raters, easy and hard items: all parameters of the two mixture models."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, aickin_alpha, linear_distribution_model
from consilience.coefficients.two_rater_models import Fit, TwoRaterModel
from consilience.core.result import Several, Unremarked
from consilience.document import Document, Table
from consilience.document.records import Recorded
from consilience.exceptions import InputError
from consilience.latent.model_registry import LATENT_MODELS, LatentModel

MODELS = ("aickin", "linear")


@dataclass(frozen=True, slots=True, kw_only=True)
class EasyAndHard(Recorded, Unremarked, Several):
    """A fitted mixture of easy items, on which both raters agree, and hard ones.

    Attributes
    ----------
    estimate : Estimate
        The share of easy items, with its error and interval.
    hard : tuple of two dict
        Each rater's distribution of labels on hard items.
    hard_agreement : float
        Chance agreement on hard items.
    easy : dict of label to float
        Distribution of labels on easy items.
    easy_given_agreement : dict of label to float
        Probability that an item is easy when both raters gave this label; NaN for labels that
        neither used.
    """

    model: str
    estimate: Estimate
    hard: tuple[dict[object, float], dict[object, float]]
    hard_agreement: float
    easy: dict[object, float]
    easy_given_agreement: dict[object, float]

    def document(self) -> Document:
        """Return the share of easy items and a table of labels."""
        e = self.estimate
        text = f"{e.name}: {e.value:.3f} of the items are easy"
        if "boundary" in e.flags:
            text += ", at the edge of the model, where it has no standard error"
        first, second = self.hard
        table = Table.of(
            self.easy,
            ("label", str),
            ("easy", self.easy.__getitem__),
            ("hard, rater 1", first.__getitem__),
            ("hard, rater 2", second.__getitem__),
            ("easy if both agree", self.easy_given_agreement.__getitem__),
            note=f"Agreement on hard items by chance: {self.hard_agreement:.3f}.",
        )
        return Document.of(f"{text}.", table, title="Easy and hard items")


def easy_and_hard(
    ratings: Any, *, model: str = "aickin", continuity: float | str = 0.0, missing: str = "pairwise"
) -> EasyAndHard:
    """Fit a mixture of easy and hard items to two raters, and return all its parameters.

    Parameters
    ----------
    ratings : Ratings of two raters
    model : {"aickin", "linear"}
        As in `aickin_alpha` and `linear_distribution_model`.
    continuity : float or {"none", "joseph-belisle"}
        For Aickin's model: count added to every cell.
    missing : {"pairwise", "listwise"}

    Returns
    -------
    EasyAndHard

    Examples
    --------
    >>> from consilience import Ratings
    >>> table = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]  # Cohen (1960)
    >>> fitted = easy_and_hard(Ratings.from_table(table, categories=list("abc")))
    >>> round(fitted.estimate.value, 3), round(fitted.hard[0]["a"], 3)
    (0.543, 0.582)
    """
    if model not in MODELS:
        raise InputError.unknown_word("model", model, MODELS)
    if model == "aickin":
        e = aickin_alpha(ratings, continuity=continuity, missing=missing)
    else:
        e = linear_distribution_model(ratings, missing=missing)
    basis = e.basis
    coefficient = basis.coefficient
    assert isinstance(coefficient, TwoRaterModel)
    fit = coefficient.fitted_to(basis.evaluation.numbers, basis.evaluation.source.form)
    return _described(model, e, fit)


def _described(model: str, e: Estimate, fit: Fit) -> EasyAndHard:
    """Return the parts of P_kl = (1 − a) u_k v_l + a [k = l] u_k v_k / s (Aickin 1990).

    The linear model has u_k in the place of u_k v_k / s.
    """
    u, v, a, s = fit.hard[0][0], fit.hard[1][0], float(e.value), float(fit.chance[0])
    met = u * v / s if s > 0.0 else np.full(u.size, np.nan)
    easy = u if model == "linear" else met
    by_cause, by_chance = a * easy, (1.0 - a) * u * v
    together = by_cause + by_chance
    given = by_cause / np.where(together > 0.0, together, np.nan)

    def named(shares: Any) -> dict[object, float]:
        return dict(zip(e.categories, np.asarray(shares, dtype=np.float64).tolist(), strict=True))

    return EasyAndHard(
        model=model,
        estimate=e,
        hard=(named(u), named(v)),
        hard_agreement=s,
        easy=named(easy),
        easy_given_agreement=named(given),
    )


LATENT_MODELS.add(
    LatentModel(
        "aickin",
        "the share of easy items (Aickin 1990)",
        (),
        partial(aickin_alpha, on_undefined="ignore"),
    )
)
