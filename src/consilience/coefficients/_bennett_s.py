"""Bennett's S: chance is every label equally likely."""

from __future__ import annotations

from typing import Any, ClassVar

from consilience.coefficients._estimate import Estimate
from consilience.coefficients.coefficient import Coefficient, Design, Numbers, register
from consilience.coefficients.compute import estimate
from consilience.rows import Form, Term, Uniform


@register
class BennettS(Coefficient):
    """Uniform chance over the declared categories."""

    name = "bennett_s"
    aliases: ClassVar[tuple[str, ...]] = (
        "s",
        "brennan_prediger",
        "bp",
        "randolph",
        "randolph_kappa",
        "free_marginal_kappa",
        "kappa_n",
        "guilford_g",
        "janson_vegelius_c",
    )
    summary = "Chance: every declared label equally likely."
    guesses = "uniform"
    needs_labels = True

    def title(self, design: Design) -> str:
        """Return Bennett's S, Randolph's kappa or Brennan-Prediger."""
        if not design.nominal:
            return "Weighted Brennan-Prediger coefficient"
        return "Bennett's S" if design.n_raters == 2 else "Randolph's kappa"

    def terms(self, form: Form) -> dict[str, Term]:
        """Add the mean distance of two labels drawn evenly."""
        return {**super().terms(form), "uniform": Uniform(form)}

    def expected(self, t: Numbers, form: Form) -> Any:
        """Return the mean distance of two labels drawn evenly."""
        return t["uniform"]

    def lowest(self, design: Design) -> float:
        """Return -1 / (q - 1) for nominal labels."""
        return -1.0 / max(design.n_labels - 1, 1) if design.nominal else -1.0


def bennett_s(
    *ratings: Any,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
) -> Estimate:
    """Bennett's S; for more raters Randolph's kappa; with a distance, weighted Brennan-Prediger.

    Use it when every category would be equally likely by chance, for example in a balanced test
    set. Prefer `gwet_ac` or `krippendorff_alpha` when the list of categories is a matter of taste:
    each category that nobody uses raises S.

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
    expected P_e = sum_kl w_kl / q^2, which is 1/q for nominal labels; q counts declared categories.
    Missing ratings: items with fewer than two ratings are left out.

    References
    ----------
    .. [1] Bennett, E. M., Alpert, R. & Goldstein, A. C. (1954). Communications through limited
       response questioning. Public Opinion Quarterly 18, 303-308. doi:10.1086/266520
    .. [2] Brennan, R. L. & Prediger, D. J. (1981). Coefficient kappa: some uses, misuses, and
       alternatives. Educational and Psychological Measurement 41, 687-699.

    Examples
    --------
    >>> from consilience import Ratings
    >>> bennett_s(Ratings.from_table([[20, 20], [10, 50]])).value  # Artstein & Poesio 2005, Table 1
    0.4
    """
    return estimate(
        BennettS(),
        ratings,
        distance=distance,
        missing=missing,
        standard_error=standard_error,
        population=population,
        on_undefined=on_undefined,
    )
