"""Standard errors by name, as the papers print them, for checking and for null hypotheses."""

from __future__ import annotations

import math

import numpy as np

from consilience.core.arrays import Floats


def fleiss_cohen_everitt(table: Floats, weights: Floats, *, null: bool = False) -> float:
    """Standard error of (weighted) kappa from the cross-table of two raters.

    Parameters
    ----------
    table : counts, rows belonging to the first rater
    weights : agreement weights, 1 on the diagonal
    null : whether kappa is 0 (for testing that only) or as estimated

    Returns
    -------
    float

    References
    ----------
    .. [1] Fleiss, J. L., Cohen, J. & Everitt, B. S. (1969). Large sample standard errors of kappa
       and weighted kappa. Psychological Bulletin 72, 323-327. doi:10.1037/h0028106

    Examples
    --------
    >>> round(fleiss_cohen_everitt(np.array([[70.0, 25], [0, 55]]), np.eye(2)), 4)
    0.0565
    """
    n = table.sum()
    p_kl = table / n
    row, column = p_kl.sum(axis=1), p_kl.sum(axis=0)
    observed = float((weights * p_kl).sum())
    expected = float(row @ weights @ column)
    mean_kl = (weights @ column)[:, None] + (row @ weights)[None, :]
    if null:  # eq. 9 of [1]
        spread = (np.outer(row, column) * (weights - mean_kl) ** 2).sum() - expected**2
    else:  # eq. 8 of [1]
        kappa = (observed - expected) / (1.0 - expected)
        spread = (p_kl * (weights - mean_kl * (1.0 - kappa)) ** 2).sum()
        spread -= (kappa - expected * (1.0 - kappa)) ** 2
    return math.sqrt(max(float(spread), 0.0) / n) / (1.0 - expected)


def fleiss_nee_landis(shares: Floats, n_items: int, n_ratings: int) -> float:
    """Standard error of Fleiss' kappa when there is no agreement beyond chance.

    Parameters
    ----------
    shares : share of each category among all ratings
    n_items : number of items
    n_ratings : ratings per item, the same for every item

    Returns
    -------
    float

    References
    ----------
    .. [1] Fleiss, J. L., Nee, J. C. M. & Landis, J. R. (1979). Large sample variance of kappa in
       the case of different sets of raters. Psychological Bulletin 86, 974-977.
       doi:10.1037/0033-2909.86.5.974

    Examples
    --------
    >>> round(fleiss_nee_landis(np.array([0.5, 0.5]), 50, 4), 4)
    0.0577
    """
    rest = 1.0 - shares
    spread = float((shares * rest).sum())
    bracket = spread**2 - float((shares * rest * (rest - shares)).sum())
    factor = 2.0 / (n_items * n_ratings * (n_ratings - 1))
    return math.sqrt(max(factor * bracket, 0.0)) / spread


def fleiss_nee_landis_category(n_items: int, n_ratings: int) -> float:
    """Standard error of a category's kappa when there is no agreement beyond chance.

    Parameters
    ----------
    n_items : int
    n_ratings : int
        Ratings per item, the same for every item.

    Returns
    -------
    float

    Examples
    --------
    >>> round(fleiss_nee_landis_category(50, 4), 4)
    0.0577
    """
    return math.sqrt(2.0 / (n_items * n_ratings * (n_ratings - 1)))
