"""The profile-likelihood interval of Cohen's kappa for two raters and two labels."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.tails import quantile
from consilience.inference._two_raters import binary
from consilience.inference.goodness_of_fit import turning_point
from consilience.inference.intervals import Interval, check_confidence_level
from consilience.ratings.clusters import need_independent_items

_GRID, _ZOOMS = 33, 20  # each zoom keeps 12 of 32 steps, which ends at 1e-10 of the range


def profile_interval(*ratings: Any, confidence_level: float = 0.95) -> Interval:
    """Profile-likelihood interval of Cohen's kappa for two raters and two labels.

    Use it where the raters' margins differ, which `goodness_of_fit_interval` supposes they do not,
    or where kappa is near its largest possible value. It needs no standard error.

    Parameters
    ----------
    ratings : Ratings, 2 × 2 table of counts, or two sequences of labels
    confidence_level : float, default 0.95

    Returns
    -------
    Interval
        NaN at both ends where both raters used only one and the same label.

    Raises
    ------
    UnsupportedDesignError
        Not two raters, or not two categories.

    Notes
    -----
    All kappa for which twice the drop of the largest multinomial log-likelihood stays below the
    critical value of chi-square with one degree of freedom. The four cells follow from kappa, the
    mean share m of the first label and the direction t of the disagreements: with D the share of
    disagreements, D = (1 - kappa)(2 m (1 - m) + t^2 D^2 / 2) and the cells are m - D/2,
    (1 + t) D/2, (1 - t) D/2, 1 - m - D/2.

    Examples
    --------
    >>> profile_interval([[70, 25], [0, 55]])  # Di Eugenio & Glass 2004
    Interval(0.5561, 0.7748, confidence_level=0.95, method='profile-likelihood')
    """
    level = check_confidence_level(confidence_level)
    pair = binary("the profile-likelihood interval", *ratings)
    need_independent_items(
        "the profile-likelihood interval",
        pair.clusters,
        instead="cohen_kappa has an interval that allows for them",
    )
    table = pair.table
    p_kl = table / table.sum()
    chance = float(p_kl.sum(axis=1) @ p_kl.sum(axis=0))
    if chance == 1.0:
        return Interval(math.nan, math.nan, level, "profile-likelihood")
    estimate = float((np.trace(p_kl) - chance) / (1.0 - chance))
    best = float((table[table > 0] * np.log(p_kl[table > 0])).sum())
    critical = quantile(0.5 + level / 2.0, None) ** 2

    def excess(kappa: float) -> float:
        return 2.0 * (best - _profile(table, kappa)) - critical

    low, high = turning_point(excess, estimate, -1.0), turning_point(excess, estimate, 1.0)
    return Interval(low, high, level, "profile-likelihood")


def _profile(table: Floats, kappa: float) -> float:
    """Return the largest log-likelihood among tables with this kappa, by zooming into a grid.

    The grid runs over the place v of m between the ends that t leaves for it, and over t = widest
    × sin(angle): a box, so that the largest value is found on its edges too, where cells are empty.
    """
    widest = 1.0 if kappa >= 0.0 else math.sqrt((1.0 + kappa) / (1.0 - kappa))
    if table[0, 1] + table[1, 0] == 0.0:
        widest = 0.0  # without disagreements there is no direction to fit
    quarter = math.pi / 2.0
    v_range, angles = (0.0, 1.0), (-quarter, quarter)
    best = -math.inf
    for _ in range(_ZOOMS):
        v = np.linspace(*v_range, _GRID)
        angle = np.linspace(*angles, _GRID if widest > 0.0 else 1)
        t = widest * np.sin(angle)
        likelihood = _log_likelihood(table, kappa, v[:, None], t[None, :])
        place = np.unravel_index(int(likelihood.argmax()), likelihood.shape)
        best = max(best, float(likelihood[place]))
        v_range = _around(v, int(place[0]), 0.0, 1.0)
        angles = _around(angle, int(place[1]), -quarter, quarter)
    return best


def _around(grid: Floats, place: int, lowest: float, highest: float) -> tuple[float, float]:
    if grid.size == 1:
        return lowest, highest
    reach = 6.0 * float(grid[1] - grid[0])
    return max(float(grid[place]) - reach, lowest), min(float(grid[place]) + reach, highest)


def _log_likelihood(table: Floats, kappa: float, v: Floats, t: Floats) -> Floats:
    """Log-likelihood over a grid of v and t."""
    rest = 1.0 - kappa
    least = max(-kappa / rest, 0.0) if rest > 0.0 else 0.0
    lowest = np.minimum(least / np.maximum(1.0 - t**2, 1e-300), 0.5)  # here D = 2 m
    m = lowest + v * (1.0 - 2.0 * lowest)
    # D is the smaller root of rest t^2 / 2 D^2 - D + 2 rest m (1 - m) = 0, written stably.
    inner = np.maximum(1.0 - 4.0 * rest**2 * t**2 * m * (1.0 - m), 0.0)
    d = 4.0 * rest * m * (1.0 - m) / (1.0 + np.sqrt(inner))
    cells = (m - d / 2.0, (1.0 + t) * d / 2.0, (1.0 - t) * d / 2.0, 1.0 - m - d / 2.0)
    out = np.zeros(np.broadcast_shapes(v.shape, t.shape))
    for count, cell in zip(table.ravel(), cells, strict=True):
        if count > 0.0:
            known = np.log(np.where(cell > 0.0, cell, 1.0))
            out += np.where(cell > 0.0, count * known, -np.inf)
    return out
