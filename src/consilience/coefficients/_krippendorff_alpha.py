"""Krippendorff's alpha: chance is two values drawn from all values without replacement."""

from __future__ import annotations

from typing import Any, Unpack

import numpy as np

from consilience.coefficients.coefficient import Coefficient, Design, Numbers, pairable, register
from consilience.coefficients.estimates import Estimate, estimate
from consilience.core.arrays import Floats
from consilience.core.options import COEFFICIENT, CoefficientOptions, written_out
from consilience.rows import Disagreement, Margin, Rows, Term, Total
from consilience.rows.forms import Form


def pairable_ratings(rows: Rows) -> Floats:
    """Number of ratings of items with at least two."""
    return rows.ratings * rows.pairable


def per_partner(rows: Rows) -> Floats:
    """Weight of an ordered pair of an item's m ratings: 1 / (m - 1)."""
    return rows.ratings / np.where(rows.pairs > 0, rows.pairs, np.inf)


@register
class KrippendorffAlpha(Coefficient):
    """Chance from the pairable values, drawn without replacement."""

    name = "krippendorff_alpha"
    aliases = ("alpha", "krippendorff")
    summary = "Chance: all pairable values, drawn without replacement."
    chance_from_margins = True
    has_goodness_of_fit = True
    pairable_items_only = True
    missing_rules = ("krippendorff", "listwise")

    def title(self, design: Design) -> str:
        """Return Krippendorff's alpha."""
        return "Krippendorff's alpha"

    def terms(self, form: Form) -> dict[str, Term]:
        """Count coincidences: items weigh by their number of ratings."""
        return {
            "values": Total(pairable_ratings),
            "disagreement": Disagreement(per_partner, form),
            "margin": Margin(pairable, form),
        }

    def observed(self, t: Numbers, form: Form) -> Any:
        """Return D_o = sum o_cl d_cl / N."""
        return t["disagreement"] / t["values"]

    def expected(self, t: Numbers, form: Form) -> Any:
        """Return D_e = sum n_c n_l d_cl / (N (N - 1))."""
        return t["margin"] / (t["values"] * (t["values"] - 1.0))

    def lowest(self, design: Design) -> float:
        """Return -1 / (r - 1) for nominal labels and equally many ratings of every item."""
        return design.lowest_pooled

    def linear_slopes(self, t: Numbers, slopes: dict[str, float], form: Form) -> dict[str, float]:
        """Hold the factor 1 - 1/N fixed: alpha = (1 - 1/N) alpha' + 1/N, and so its error."""
        return {**slopes, "values": slopes["values"] * (1.0 - 1.0 / t["values"])}

    def gwet_slopes(self, t: Numbers, slopes: dict[str, float], form: Form) -> dict[str, float]:
        """Return the slopes of irrCAC: those of alpha', with the small-sample term in P_o only."""
        n, dis, margin = t["values"], t["disagreement"], t["margin"]
        # alpha' = 1 - N dis / margin; irrCAC uses (1 - 1/N) P_o + 1/N inside the item's value.
        shift = (dis / n) / (margin / n**2) / n**2
        return {
            "values": -dis / margin - shift,
            "disagreement": -n / margin,
            "margin": n * dis / margin**2,
        }


@written_out(CoefficientOptions, COEFFICIENT)
def krippendorff_alpha(
    *ratings: Any, distance: Any = None, **options: Unpack[CoefficientOptions]
) -> Estimate:
    """Krippendorff's alpha, with any distance and any pattern of missing ratings.

    Use it as the default for content analysis and annotation: any number of raters, any scale, any
    missing ratings. Prefer `gwet_ac` beside it when nearly all items have the same label.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance : str, Distance or callable, default the one that fits the scale
        How different two labels are: "nominal", "ordinal", "interval", "ratio", "linear", ...
    missing : {"krippendorff", "listwise"}
        "krippendorff" uses every item with at least two ratings.
    standard_error : {"auto", "linearised", "gwet", "table"}
        "linearised" is the delta method over items, with the factor 1 - 1/N of N pairable values;
        "gwet" is the formula of irrCAC, which leaves that factor out; "table" divides by n instead
        of n - 1.
    population : int, optional
        Number of items that these were drawn from, for the finite population correction.
    on_undefined : {"warn", "raise", "ignore"}

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
        When only one category is used (`no_variation`).

    Notes
    -----
    alpha = 1 - (N - 1) sum o_cl d_cl / sum n_c n_l d_cl over the N pairable values.
    Interval, ordinal and circular distances are squared lengths, so sums replace the matrix of
    values and the cost grows with the number of ratings only.
    Agrees with krippendorff 0.9 and irrCAC; R's irr and DescTools are wrong for complete data with
    more than two raters.

    References
    ----------
    .. [1] Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of
       Pennsylvania. https://repository.upenn.edu/asc_papers/43

    Examples
    --------
    >>> from consilience import datasets
    >>> r = datasets.load("krippendorff_2011")
    >>> round(krippendorff_alpha(r).value, 3)  # published: 0.743
    0.743
    >>> round(krippendorff_alpha(r, distance="interval").value, 3)  # published: 0.849
    0.849
    """
    return estimate(KrippendorffAlpha(), ratings, distance=distance, **options)
