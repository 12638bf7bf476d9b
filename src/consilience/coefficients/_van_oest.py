"""Van Oest's index: the pooled distribution of labels with a uniform prior."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.coefficients._estimate import Estimate
from consilience.coefficients.coefficient import Coefficient, Design, Numbers, register
from consilience.coefficients.compute import estimate
from consilience.core.arrays import Floats
from consilience.rows import Form, Margin, MarginToUniform, Rows, Term, Total, Uniform


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


def van_oest(
    *ratings: Any,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
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
    return estimate(
        VanOest(),
        ratings,
        distance=distance,
        missing=missing,
        standard_error=standard_error,
        population=population,
        on_undefined=on_undefined,
    )
