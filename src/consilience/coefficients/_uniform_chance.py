"""Percent agreement, Bennett's S, Perreault & Leigh: chance left in, or all labels equally
likely.
"""

from __future__ import annotations

from typing import Any, ClassVar, Unpack

import numpy as np

from consilience.coefficients.coefficient import Coefficient, Design, Numbers, register
from consilience.coefficients.estimates import Estimate, estimate
from consilience.core.options import COEFFICIENT, CoefficientOptions, written_out
from consilience.rows import Term
from consilience.rows.forms import Form
from consilience.rows.terms import Uniform

# ---- Percent agreement: how often two ratings of an item agree, chance left in.


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


@written_out(CoefficientOptions, COEFFICIENT)
def percent_agreement(
    *ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]
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
    return estimate(PercentAgreement(), ratings, distance=distance, **options)


# ---- Bennett's S: chance is every label equally likely.


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


@written_out(CoefficientOptions, COEFFICIENT)
def bennett_s(
    *ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]
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
    return estimate(BennettS(), ratings, distance=distance, **options)


# ---- Perreault & Leigh's index: the share of reliable judgements behind Bennett's S.


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


@written_out(CoefficientOptions, COEFFICIENT)
def perreault_leigh(
    *ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]
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
    return estimate(PerreaultLeigh(), ratings, distance=distance, **options)
