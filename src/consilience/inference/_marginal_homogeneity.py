"""Do all raters use the labels equally often? Cochran's Q, Mantel and Haenszel generalised."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.core.tails import chi_square_tail
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference._margins import margins
from consilience.inference._two_raters import as_ratings_or_table
from consilience.inference.homogeneity_test import (
    NO_DISAGREEMENT,
    HomogeneityTest,
    quadratic_form,
    undefined_test,
)
from consilience.ratings import Ratings

_LARGEST = 2_000  # raters times categories, the side of the covariance matrix


def cochran_q(*ratings: Any, category: object = None) -> HomogeneityTest:
    """Cochran's Q: do all raters use one label equally often?

    Use it to find the label behind a small p of `marginal_homogeneity`; adjust the p-values for
    the number of labels, for example with `holm`.

    Parameters
    ----------
    ratings : Ratings, or one sequence of labels per rater
    category : label
        Tested against all others; may be left out where there are just two.

    Returns
    -------
    HomogeneityTest

    Raises
    ------
    UnsupportedDesignError
        Counts that do not say who rated, or fewer than two raters.

    Notes
    -----
    The test of `marginal_homogeneity` for the label and the rest; see there for missing ratings.
    With two raters it is McNemar's chi-square.

    References
    ----------
    .. [1] Cochran, W. G. (1950). The comparison of percentages in matched samples. Biometrika 37,
       256-266. doi:10.1093/biomet/37.3-4.256

    Examples
    --------
    >>> wide = [["y", "y", "n"], ["y", "n", "n"], ["y", "y", "y"], ["y", "n", "n"]]
    >>> round(cochran_q(Ratings.from_wide(wide), category="y").statistic, 3)
    4.667
    """
    data = as_ratings_or_table(*ratings)
    known = data.categories
    if category is None and len(known) == 2:
        category = known[0]
    if category not in known:
        if category is None:
            raise InputError.expected(
                "category", "one of the labels", category, f"choose among {list(known[:8])!r}"
            )
        raise InputError.unknown_word("category", category, [str(label) for label in known])
    # Scales with an order take numbers, and no truth values.
    yes, no = (True, False) if data.scale == "nominal" else (1, 0)
    one = data.collapse({category: yes}, rest=no)
    hypothesis = f"all raters use the label {category!r} equally often"
    return _many_raters(one, "cochran-q", hypothesis)


def marginal_homogeneity(*ratings: Any) -> HomogeneityTest:
    """Test whether all raters use every label equally often, for any number of raters.

    Use it before blaming low agreement on the items: raters with different habits cannot agree
    fully. Which label it is tells `cochran_q`; which rater, the `shares`.

    Parameters
    ----------
    ratings : Ratings, square table of counts, or one sequence of labels per rater

    Returns
    -------
    HomogeneityTest

    Raises
    ------
    UnsupportedDesignError
        Counts that do not say who rated, fewer than two raters, or more than 2,000 raters times
        categories.

    Notes
    -----
    The generalised Mantel-Haenszel statistic with items as strata: given the labels that an item
    received, each of its raters is equally likely to have given any of them. For item i with r_i
    ratings, c_ik of label k, and a_ig = 1 for those who rated it,

    expected  E x_igk = a_ig c_ik / r_i
    covariance  a_ig (r_i 1[g=h] - a_ih) c_ik (r_i 1[k=l] - c_il) / (r_i^2 (r_i - 1))

    summed over items; the degrees of freedom are the rank of the covariance, (raters - 1) ×
    (labels - 1) at most. Missing ratings need no imputation: an item counts for those who rated
    it. With two raters it is the Stuart-Maxwell test, with two labels Cochran's Q; complete data
    give the number of mh_test in R's coin.

    References
    ----------
    .. [1] Landis, J. R., Heyman, E. R. & Koch, G. G. (1978). Average partial association in
       three-way contingency tables. International Statistical Review 46, 237-254.
       doi:10.2307/1402373

    Examples
    --------
    >>> wide = [["a", "a", "b"], ["a", "b", "c"], ["a", "a", "a"], ["a", "b", "b"]]
    >>> test = marginal_homogeneity(Ratings.from_wide(wide, raters=["Ann", "Bob", "Cid"]))
    >>> round(test.statistic, 3), test.degrees_of_freedom, test.shares["a"]
    (5.818, 4.0, (1.0, 0.5, 0.25))
    """
    data = as_ratings_or_table(*ratings)
    return _many_raters(data, "mantel-haenszel", "all raters use every label equally often")


def _many_raters(data: Ratings, method: str, hypothesis: str) -> HomogeneityTest:
    _check_raters(data, method)
    sums = margins(data)
    if sums.n_items == 0:
        raise UnsupportedDesignError.needs(
            f"the {method} test", "items with at least two ratings", "none", "check the data"
        )
    given = sums.used.sum(axis=1, keepdims=True)
    share_gk = sums.used / np.where(given > 0, given, np.nan)
    shares = {label: tuple(share_gk[:, k].tolist()) for k, label in enumerate(data.categories)}
    statistic, freedom = quadratic_form(sums.difference, sums.covariance)
    known: dict[str, Any] = {"hypothesis": hypothesis, "n_items": sums.n_items, "shares": shares}
    if freedom == 0:
        return undefined_test(method, reason=NO_DISAGREEMENT, **known)
    p_value = chi_square_tail(statistic, freedom)
    return HomogeneityTest(statistic, p_value, 0.0, "two-sided", method, freedom, **known)


def _check_raters(data: Ratings, method: str) -> None:
    if len(data.raters) < 2:
        raise UnsupportedDesignError.needs(
            f"the {method} test",
            "at least two raters with names or places",
            f"{len(data.raters)} raters" if data.raters else "counts per item",
            "bring the ratings in long or wide form",
        )
    size = len(data.raters) * len(data.categories)
    if size > _LARGEST:
        raise UnsupportedDesignError.needs(
            f"the {method} test",
            f"at most {_LARGEST:,} raters times categories",
            f"{len(data.raters):,} raters × {len(data.categories):,} categories",
            "select raters with ratings.select, or merge labels with ratings.collapse",
        )
