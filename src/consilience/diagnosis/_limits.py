"""What limits the interval: too few items, or too few raters."""

from __future__ import annotations

import numpy as np

from consilience.diagnosis._table import RatingTable

_DEVIATIONS = 3.0
_FEWEST_RATERS = 3


def share_of_raters(table: RatingTable, error: float) -> float:
    """Return which share of the variance of alpha comes from the raters, not from the items.

    `error` is the standard error over items. Of complete numbers the degrees of freedom of
    ICC(A,1) tell (McGraw & Wong 1996, table 7): they know two raters, too. Else the jackknife over
    raters, less what it is among exchangeable raters; 0 where that is not clear.
    """
    if table.kind == "numbers" and table.given.all():
        return _of_icc(table)
    m = table.n_raters
    if m < _FEWEST_RATERS or not error > 0.0:
        return 0.0

    def jackknife(one: RatingTable) -> float:
        return float((m - 1.0) * one.without_each().var())

    null = np.array([jackknife(one) for one in table.exchangeable_raters])
    beyond = jackknife(table) - float(null.mean())
    if beyond <= _DEVIATIONS * float(null.std()):
        return 0.0
    return beyond / (beyond + error**2)


def _of_icc(table: RatingTable) -> float:
    """Take the variance of ICC(A,1) apart by the degrees of freedom of its mean squares."""
    x = table.values
    n, k = x.shape
    middle = x.mean()
    rows = k * ((x.mean(axis=1) - middle) ** 2).sum() / (n - 1)
    columns = n * ((x.mean(axis=0) - middle) ** 2).sum() / (k - 1)
    total = ((x - middle) ** 2).sum()
    error = max(total - rows * (n - 1) - columns * (k - 1), 0.0) / ((n - 1) * (k - 1))
    if rows <= 0.0 or error <= 0.0:
        return 0.0
    icc = (rows - error) / (rows + (k - 1) * error + k * (columns - error) / n)
    if not 0.0 < icc < 1.0:
        return 0.0
    a = k * icc / (n * (1.0 - icc))
    b = 1.0 + k * icc * (n - 1) / (n * (1.0 - icc))
    c, e = (a * columns) ** 2 / (k - 1), (b * error) ** 2 / ((n - 1) * (k - 1))
    d = (a * columns + b * error) ** 2
    items, raters = 2.0 / (n - 1) + 2.0 * e / d, 2.0 * c / d
    return float(raters / (items + raters))
