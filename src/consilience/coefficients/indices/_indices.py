"""Indices that take a kappa of two raters apart: prevalence, bias, and the largest kappa."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients._cohen_kappa import cohen_kappa
from consilience.coefficients._scott_pi import scott_pi
from consilience.distances import get_distance
from consilience.exceptions import UnsupportedDesignError
from consilience.ratings import Ratings, as_ratings
from consilience.rows import label_space, reduce_to_rows


def prevalence_index(*ratings: Any) -> float:
    """Return Byrt's prevalence index (a - d) / n: how unequal the two labels are.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        From -1 to 1; 0 where both labels are equally common.

    Examples
    --------
    >>> prevalence_index(Ratings.from_table([[90, 5], [5, 0]]))  # Di Eugenio & Glass 2004
    0.9
    """
    table = _binary_table("the prevalence index", *ratings)
    return float((table[0, 0] - table[1, 1]) / table.sum())


def bias_index(*ratings: Any) -> float:
    """Return Byrt's bias index (b - c) / n: how differently the two raters use the labels.

    The sign is positive when the first rater uses the first label more often.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        From -1 to 1; 0 where both raters use the labels equally often.

    References
    ----------
    .. [1] Byrt, T., Bishop, J. & Carlin, J. B. (1993). Bias, prevalence and kappa. Journal of
       Clinical Epidemiology 46, 423-429. doi:10.1016/0895-4356(93)90018-V

    Examples
    --------
    >>> round(bias_index(Ratings.from_table([[70, 25], [0, 55]])), 3)
    0.167
    """
    table = _binary_table("the bias index", *ratings)
    return float((table[0, 1] - table[1, 0]) / table.sum())


def pabak(*ratings: Any) -> float:
    """Return prevalence-adjusted bias-adjusted kappa, 2 P_o - 1, for two labels.

    For more labels the same idea is `bennett_s`.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        From -1 to 1.

    Examples
    --------
    >>> round(pabak(Ratings.from_table([[24, 8], [14, 24]])), 3)  # SIGIL unit 9
    0.371
    """
    return _twice_agreement("PABAK", *ratings)


def maxwell_re(*ratings: Any) -> float:
    """Return Maxwell's random error coefficient, 2 P_o - 1, for two labels.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        From -1 to 1.

    Examples
    --------
    >>> round(maxwell_re(Ratings.from_table([[24, 8], [14, 24]])), 3)
    0.371
    """
    return _twice_agreement("Maxwell's RE", *ratings)


def _twice_agreement(name: str, *ratings: Any) -> float:
    """Return 2 P_o - 1, which two papers named; `name` is for messages."""
    table = _binary_table(name, *ratings)
    return float(2.0 * np.trace(table) / table.sum() - 1.0)


def positive_agreement(*ratings: Any) -> float:
    """Return 2 a / (2 a + b + c): agreement on the first label, for two raters and two labels.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        NaN where nobody gave the first label.

    Examples
    --------
    >>> round(positive_agreement(Ratings.from_table([[90, 5], [5, 0]])), 3)
    0.947
    """
    return _agreement_on("positive agreement", 0, *ratings)


def negative_agreement(*ratings: Any) -> float:
    """Return 2 d / (2 d + b + c): agreement on the second label.

    Parameters
    ----------
    ratings : Ratings of two raters and two labels, or one sequence of labels per rater

    Returns
    -------
    float
        NaN where nobody gave the second label.

    Examples
    --------
    >>> negative_agreement(Ratings.from_table([[90, 5], [5, 0]]))
    0.0
    """
    return _agreement_on("negative agreement", 1, *ratings)


def kappa_max(*ratings: Any, distance: Any = None) -> float:
    """Return the largest kappa that two raters could reach with the labels they handed out.

    With a distance it is the largest weighted kappa: the best way to pair the two raters' labels
    is found by linear programming, not taken from the unweighted case.

    Parameters
    ----------
    ratings : Ratings of two raters, or one sequence of labels per rater
    distance : str, Distance or callable, default the one that fits the scale

    Returns
    -------
    float
        NaN where both raters give one and the same label throughout.

    Examples
    --------
    >>> round(kappa_max(Ratings.from_table([[70, 25], [0, 55]])), 3)  # equals kappa here
    0.672
    """
    data = as_ratings(*ratings)
    table = _table("kappa_max", data)
    row, column = table.sum(axis=1) / table.sum(), table.sum(axis=0) / table.sum()
    measure = get_distance(distance, scale=data.scale)
    counts = table.sum(axis=0) + table.sum(axis=1)
    d_kl = measure.matrix(label_space(data), counts)
    expected = float(row @ d_kl @ column)
    if expected == 0.0:
        return float("nan")
    if measure.name == "nominal":
        least = 1.0 - float(np.minimum(row, column).sum())
    else:
        least = _cheapest_transport(row, column, d_kl)
    return 1.0 - least / expected


def artstein_poesio_bias(*ratings: Any, distance: Any = None, missing: str = "gwet") -> float:
    """Return Artstein & Poesio's bias: how much the raters' own habits lower chance agreement.

    B = D_e(beta) - D_e(alpha'). For nominal labels it is the variance of the raters' shares,
    never negative, and the reason why kappa exceeds pi. The sign is turned with respect to the
    paper's appendix B, so that the weighted form equals B for the nominal distance; for distances
    that are not of negative type it can be negative.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater
    distance : str, Distance or callable, default the one that fits the scale
    missing : {"gwet", "ap", "listwise"}, as in `cohen_kappa`

    Returns
    -------
    float

    References
    ----------
    .. [1] Artstein, R. & Poesio, M. (2005). Kappa3 = alpha (or beta). CSM-437, University of Essex.

    Examples
    --------
    >>> round(artstein_poesio_bias(Ratings.from_table([[46, 6, 0], [0, 32, 0], [0, 6, 10]])), 4)
    0.0054
    """
    data = as_ratings(*ratings)
    own = cohen_kappa(data, distance=distance, missing=missing, on_undefined="ignore")
    shared = scott_pi(data, distance=distance, missing=missing, on_undefined="ignore")
    assert own.expected_disagreement is not None
    assert shared.expected_disagreement is not None
    return own.expected_disagreement - shared.expected_disagreement


def specific_agreement(*ratings: Any) -> dict[object, float]:
    """Return for each category how often a second rating agrees, given that one rating is in it.

    p_k = sum_i r_ik (r_ik - 1) / sum_i r_ik (r_i - 1), for any number of raters; NaN for a
    category that was never used. For two labels these are positive and negative agreement.

    Parameters
    ----------
    ratings : Ratings, a table of items × raters, or one sequence of labels per rater

    Returns
    -------
    dict
        Category to share.

    Examples
    --------
    >>> specific_agreement(Ratings.from_table([[45, 5], [5, 45]]))
    {1: 0.9, 2: 0.9}
    """
    data = as_ratings(*ratings)
    source = reduce_to_rows(data, get_distance("nominal", scale="nominal"))
    agree = np.zeros(len(data.categories))
    possible = np.zeros(len(data.categories))
    for rows in source.chunks():
        counts = rows.vectors
        squares = counts.multiply(counts) if hasattr(counts, "multiply") else counts**2
        agree += np.asarray((squares - counts) @ rows.multiplicity)
        possible += np.asarray(counts @ (rows.multiplicity * (rows.ratings - 1.0)))
    share = agree / np.where(possible > 0, possible, np.nan)
    return dict(zip(data.categories, share.tolist(), strict=True))


def _table(what: str, data: Ratings) -> NDArray[np.float64]:
    if len(data.raters) != 2:
        got = f"{data.n_raters} ({', '.join(map(str, data.raters[:6]))})"
        raise UnsupportedDesignError.needs(
            what,
            "exactly two raters",
            got,
            f"choose two with ratings.select(raters={list(data.raters[:2])!r})",
        )
    table = data.table(*data.raters).astype(np.float64)
    if table.sum() == 0:
        raise UnsupportedDesignError.needs(
            what, "items that both raters rated", "none", "check for missing ratings"
        )
    return table


def _binary_table(what: str, *ratings: Any) -> NDArray[np.float64]:
    data = as_ratings(*ratings)
    if len(data.categories) != 2:
        raise UnsupportedDesignError.needs(
            what,
            "exactly two categories",
            f"{len(data.categories)}",
            "use bennett_s or specific_agreement, which take any number",
        )
    return _table(what, data)


def _agreement_on(what: str, label: int, *ratings: Any) -> float:
    table = _binary_table(what, *ratings)
    both, split = table[label, label], table[0, 1] + table[1, 0]
    return float(2 * both / (2 * both + split)) if both or split else float("nan")


def _cheapest_transport(
    row: NDArray[np.float64], column: NDArray[np.float64], d_kl: NDArray[np.float64]
) -> float:
    """Return the least mean distance between two distributions with the given margins."""
    from scipy.optimize import linprog

    q = len(row)
    constraints = np.concatenate(
        [np.kron(np.eye(q), np.ones((1, q))), np.kron(np.ones((1, q)), np.eye(q))]
    )
    solution = linprog(d_kl.ravel(), A_eq=constraints, b_eq=np.concatenate([row, column]))
    return float(solution.fun)
