"""Kappa of two labels in small samples: common correlation, goodness of fit, profile likelihood."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats
from consilience.core.tails import normal_below, p_of_tails, quantile, root_between
from consilience.distances import get_distance
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.intervals import (
    ALTERNATIVES,
    Alternative,
    Interval,
    Test,
    check_confidence_level,
)
from consilience.inference.marginal_tests import as_ratings_or_table, binary
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.duplicates import need_one_occasion
from consilience.rows import reduce_to_rows

# ---- The common-correlation model: raters of an item share one draw, or each draws for himself.
#
# With probability kappa all raters of an item share one draw from the labels. Donner & Eliasziw
# used it for two raters and two labels; the variance that it implies carries over, in closed
# form, to any number of both.


@dataclass(frozen=True)
class CommonCorrelation:
    """The common-correlation model at the labels' observed shares.

    Attributes
    ----------
    value : float
        Scott's pi or Fleiss' kappa; NaN where one label only was used.
    shares : array
        The labels' shares p_k, labels that were not used left out.
    n_by_ratings : mapping
        Number of items by how many ratings they have.
    """

    value: float
    shares: Floats = field(repr=False)
    n_by_ratings: Mapping[int, int]

    @classmethod
    def of(cls, *ratings: Any) -> CommonCorrelation:
        """Fit the model to ratings; items with a single rating tell about the shares only."""
        data = as_ratings_or_table(*ratings)
        need_independent_items(
            "the common-correlation model",
            data.clusters,
            instead="scott_pi and fleiss_kappa have intervals that allow for them",
        )
        need_one_occasion("the common-correlation model", data)
        return _fitted(data)

    @classmethod
    def of_counts(cls, both: int, differ: int, neither: int) -> CommonCorrelation:
        """Fit the model to two raters and two labels."""
        n = both + differ + neither
        prevalence = (2 * both + differ) / (2 * n)
        spread = prevalence * (1.0 - prevalence)
        value = 1.0 - differ / (2.0 * n * spread) if spread > 0.0 else math.nan
        return cls(value, np.array([prevalence, 1.0 - prevalence]), {2: n})

    @cached_property
    def floor(self) -> float:
        """The smallest kappa that leaves every pattern a probability."""
        if self.shares.size < 2:
            return math.nan
        most = max(self._pairable)
        power = self.shares ** (most - 1)
        return float((-power / (1.0 - power)).max())

    @property
    def is_binary(self) -> bool:
        """Whether there are two labels and no item has more than two ratings."""
        return self.shares.size == 2 and set(self._pairable) == {2}

    @property
    def method(self) -> str:
        """What the test and its interval are called."""
        return "donner-eliasziw" if self.is_binary else "common-correlation"

    def chi_square(self, kappa: float) -> float:
        """Return n (value - kappa)^2 sum (dP_c / dkappa)^2 / P_c over all patterns c of ratings.

        For two raters and two labels it is Pearson's statistic (Donner & Eliasziw 1992). Sample
        sizes are planned with it in every design; beyond that one it supposes an estimate that
        uses unanimous items in full, which Fleiss' kappa does not. Patterns that are not unanimous
        add up to (1 - sum p_k^r) / (1 - kappa), so that nothing is enumerated.
        """
        apart = self.value - kappa
        if apart == 0.0:
            return 0.0
        information = 0.0
        for ratings, n in self._pairable.items():
            alone = self.shares**ratings
            unanimous = (1.0 - kappa) * alone + kappa * self.shares
            if unanimous.min() <= 0.0 or kappa >= 1.0:
                return math.inf
            slopes = (self.shares - alone) ** 2 / unanimous
            information += n * float(slopes.sum() + (1.0 - alone.sum()) / (1.0 - kappa))
        return apart**2 * information

    def statistic(self, kappa: float) -> float:
        """Return the statistic of one kappa, chi-square with one degree of freedom if it is true.

        Two raters and two labels: `chi_square`. All other designs: `squared_distance`.
        """
        return self.chi_square(kappa) if self.is_binary else self.squared_distance(kappa)

    def squared_distance(self, kappa: float) -> float:
        """Return (value - kappa)^2 / variance(kappa)."""
        apart, variance = self.value - kappa, self.variance(kappa)
        return apart**2 / variance if variance > 0.0 else (math.inf if apart else 0.0)

    def variance(self, kappa: float) -> float:
        """Return the large-sample variance of the estimate if kappa were true.

        For two raters and two labels: Bloch & Kraemer (1989).
        """
        n_items = sum(self.n_by_ratings.values())
        n_pairable = sum(self._pairable.values())
        s_2, s_3 = float((self.shares**2).sum()), float((self.shares**3).sum())
        total = 0.0
        for ratings, n in self.n_by_ratings.items():
            # An item moves the estimate by u a_i + v y_i: a_i is its share of agreeing pairs of
            # ratings, y_i the mean of p over the labels it received.
            u = 1.0 / n_pairable if ratings > 1 else 0.0
            v = -2.0 * (1.0 - kappa) / n_items
            mean, square = _moments(ratings, u, v, s_2, s_3)
            shared_mean, shared_square = u + v * s_2, u**2 + 2.0 * u * v * s_2 + v**2 * s_3
            first = (1.0 - kappa) * mean + kappa * shared_mean
            second = (1.0 - kappa) * square + kappa * shared_square
            total += n * (second - first**2)
        return max(total, 0.0) / (1.0 - s_2) ** 2

    @property
    def _pairable(self) -> dict[int, int]:
        return {ratings: n for ratings, n in self.n_by_ratings.items() if ratings > 1}


def _moments(r: int, u: float, v: float, s_2: float, s_3: float) -> tuple[float, float]:
    """Mean and mean square of u a + v y for r independent draws from p; s_m = sum p_k^m."""
    y_square = (s_3 + (r - 1) * s_2**2) / r
    if r == 1:
        return v * s_2, v**2 * y_square
    pairs = r * (r - 1)
    a_square = (2.0 * s_2 + 4.0 * (r - 2) * s_3 + (r - 2) * (r - 3) * s_2**2) / pairs
    a_y = (2.0 * s_3 + (r - 2) * s_2**2) / r
    return (u + v) * s_2, u**2 * a_square + 2.0 * u * v * a_y + v**2 * y_square


def _fitted(ratings: Ratings) -> CommonCorrelation:
    source = reduce_to_rows(ratings, get_distance("nominal", scale="nominal"))
    shares = np.zeros(len(ratings.categories))
    disagreement = 0.0
    by_ratings: dict[int, int] = {}
    for rows in source.chunks():
        shares += np.asarray(rows.vectors @ (rows.multiplicity / rows.ratings))
        disagreement += float(rows.multiplicity @ rows.disagreement)
        items = np.bincount(rows.ratings.astype(np.intp), weights=rows.multiplicity)
        for many in np.flatnonzero(items).tolist():
            by_ratings[many] = by_ratings.get(many, 0) + round(float(items[many]))
    n_pairable = sum(n for many, n in by_ratings.items() if many > 1)
    if n_pairable == 0:
        raise UnsupportedDesignError.needs(
            "the goodness-of-fit method",
            "at least one item with two ratings",
            f"{ratings.n_items:,} items, {ratings.n_ratings:,} ratings",
            "let at least two raters rate the same items",
        )
    shares = shares[shares > 0.0] / sum(by_ratings.values())
    expected = 1.0 - float((shares**2).sum())
    value = 1.0 - disagreement / n_pairable / expected if shares.size > 1 else math.nan
    return CommonCorrelation(value, shares, by_ratings)


# ---- Tests and intervals of kappa that stay honest in small samples and at full agreement.
#
# They rest on the common-correlation model.

_EDGE = 1e-12  # how near a root search goes to the ends of the range of kappa


def goodness_of_fit_test(
    *ratings: Any, null: float, alternative: Alternative = "two-sided"
) -> Test:
    """Test any value of Scott's pi, or with more raters of Fleiss' kappa.

    Use it to ask whether agreement beats a bar, such as kappa = 0.6, rather than chance; it holds
    its level with few items and rare labels, where value / standard error does not.

    Parameters
    ----------
    ratings : Ratings, square table of counts, or one sequence of labels per rater
    null : float
        The kappa to test.
    alternative : {"two-sided", "greater", "less"}

    Returns
    -------
    Test
        Chi-square with one degree of freedom; NaN where only one label was used.

    Raises
    ------
    InputError
        `null` above 1, or so low that the model leaves some pattern no probability.

    Notes
    -----
    In the model a pattern of ratings has the probability (1 - kappa) prod p + kappa p_k 1[all are
    k], with p the observed shares of the labels. For two raters and two labels the statistic is
    Pearson's, over the cells both first, both second and different [1]_. For all other designs it
    is (K - kappa)^2 / V(kappa), K being the estimate and V its variance in the model; V follows
    from the moments of agreement within an item, so nothing is enumerated, and items may differ in
    their number of ratings.

    Pearson's statistic over all patterns is no test of kappa there: it rejects where only the model
    is wrong. With five raters, 100 items and beta-binomial ratings, 95% intervals made from it
    covered in 3 % of simulated samples, those made from V in 97 %. Sample sizes in the literature
    on this model count the information in unanimous items [2]_, which Fleiss' kappa does not use in
    full: with many raters and a kappa_0 near 0 they are too small for this test.

    References
    ----------
    .. [1] Donner, A. & Eliasziw, M. (1992). A goodness-of-fit approach to inference procedures for
       the kappa statistic. Statistics in Medicine 11, 1511-1519. doi:10.1002/sim.4780111109
    .. [2] Rotondi, M. A. & Donner, A. (2012). A confidence interval approach to sample size
       estimation for interobserver agreement studies with multiple raters and outcomes. Journal of
       Clinical Epidemiology 65, 778-784. doi:10.1016/j.jclinepi.2011.10.019

    Examples
    --------
    >>> test = goodness_of_fit_test([[45, 5], [5, 45]], null=0.6)  # Di Eugenio & Glass 2004
    >>> round(test.statistic, 2), round(test.p_value, 4)
    (6.25, 0.0124)
    """
    check_word("alternative", alternative, ALTERNATIVES)
    model = CommonCorrelation.of(*ratings)
    if math.isnan(model.value):
        return Test(math.nan, math.nan, null, alternative, model.method, 1.0)
    if not model.floor <= null <= 1.0:
        raise InputError.expected(
            "null",
            f"between {model.floor:.4g}, the lowest kappa these label shares allow, and 1",
            null,
            "choose a kappa that could be true",
        )
    statistic = model.statistic(null)
    root = math.copysign(math.sqrt(statistic), model.value - null)
    p_value = p_of_tails(normal_below(root), normal_below(-root), alternative)
    return Test(statistic, p_value, null, alternative, model.method, 1.0)


def goodness_of_fit_interval(*ratings: Any, confidence_level: float = 0.95) -> Interval:
    """Interval of Scott's pi or Fleiss' kappa: every value that `goodness_of_fit_test` accepts.

    Use it with few items, rare labels or full agreement. In simulations with two to five raters,
    two to five labels, kappa from 0 to .7 and 30 to 100 items, 95% intervals covered in 92 to
    100 % of samples, whether the model was right or ratings were beta-binomial instead.

    Parameters
    ----------
    ratings : Ratings, square table of counts, or one sequence of labels per rater
    confidence_level : float, default 0.95

    Returns
    -------
    Interval
        NaN at both ends where only one label was used.

    References
    ----------
    .. [1] Donner, A. & Eliasziw, M. (1992). A goodness-of-fit approach to inference procedures for
       the kappa statistic. Statistics in Medicine 11, 1511-1519. doi:10.1002/sim.4780111109

    Examples
    --------
    >>> goodness_of_fit_interval([[20, 0], [0, 30]])  # full agreement
    Interval(0.8518, 1.0000, confidence_level=0.95, method='donner-eliasziw')
    """
    model = CommonCorrelation.of(*ratings)
    level = check_confidence_level(confidence_level)
    return _inverted(model, level, CommonCorrelation.statistic, model.method)


def donner_eliasziw_interval(
    both: int, differ: int, neither: int, *, confidence_level: float
) -> Interval:
    """Goodness-of-fit interval for two raters and two labels (Donner & Eliasziw 1992).

    All kappa_0 whose chi-square, at the observed prevalence, stays below the critical value.

    Parameters
    ----------
    both, differ, neither : int
        Items that both raters, one of them, or none gave the first label.
    confidence_level : float

    Returns
    -------
    Interval

    Examples
    --------
    >>> donner_eliasziw_interval(45, 10, 45, confidence_level=0.95)
    Interval(0.6513, 0.8895, confidence_level=0.95, method='donner-eliasziw')
    """
    return chi_square_interval(CommonCorrelation.of_counts(both, differ, neither), confidence_level)


def chi_square_interval(model: CommonCorrelation, level: float) -> Interval:
    """Return every kappa whose `chi_square` stays below the critical value."""
    return _inverted(model, level, CommonCorrelation.chi_square, "donner-eliasziw")


def bloch_kraemer_error(*ratings: Any) -> float:
    """Standard error of Scott's pi or Fleiss' kappa under the common-correlation model.

    For two raters and two labels it is the error of the intraclass kappa. It supposes that raters
    use the labels alike; the linearised error of `scott_pi` supposes nothing.

    Parameters
    ----------
    ratings : Ratings, square table of counts, or one sequence of labels per rater

    Returns
    -------
    float
        NaN where only one label was used.

    Notes
    -----
    Two raters, two labels: V = (1 - k) / n {(1 - k)(1 - 2k) + k (2 - k) / (2 p (1 - p))}. The form
    for more raters or labels is the delta method under the same model.

    References
    ----------
    .. [1] Bloch, D. A. & Kraemer, H. C. (1989). 2 x 2 kappa coefficients: measures of agreement or
       association. Biometrics 45, 269-287. doi:10.2307/2532052

    Examples
    --------
    >>> round(bloch_kraemer_error([[24, 8], [14, 24]]), 4)
    0.111
    """
    model = CommonCorrelation.of(*ratings)
    if math.isnan(model.value):
        return math.nan
    return math.sqrt(model.variance(model.value))


def bloch_kraemer_interval(*ratings: Any, confidence_level: float = 0.95) -> Interval:
    """Interval of Scott's pi or Fleiss' kappa with the variance taken at its own ends.

    All kappa with (K - kappa)^2 <= z^2 V(kappa), V as in `bloch_kraemer_error`. This is our
    reading of the inverted Wald intervals in the literature on intraclass kappa. Beyond two raters
    and two labels it is the same as `goodness_of_fit_interval`.

    Parameters
    ----------
    ratings : Ratings, square table of counts, or one sequence of labels per rater
    confidence_level : float, default 0.95

    Returns
    -------
    Interval
        NaN at both ends where only one label was used.

    Examples
    --------
    >>> bloch_kraemer_interval([[70, 25], [0, 55]])
    Interval(0.5266, 0.7666, confidence_level=0.95, method='bloch-kraemer')
    """
    model = CommonCorrelation.of(*ratings)
    level = check_confidence_level(confidence_level)
    return _inverted(model, level, CommonCorrelation.squared_distance, "bloch-kraemer")


def _inverted(
    model: CommonCorrelation,
    level: float,
    statistic: Callable[[CommonCorrelation, float], float],
    method: str,
) -> Interval:
    """Return the values around the estimate whose statistic stays below the critical value."""
    if math.isnan(model.value):
        return Interval(math.nan, math.nan, level, method)
    critical = quantile(0.5 + level / 2.0, None) ** 2
    # With many labels the estimate can lie below every kappa of the model: start at its edge.
    inside = replace(model, value=max(model.value, model.floor))

    def excess(kappa: float) -> float:
        return statistic(inside, kappa) - critical

    low, high = (
        turning_point(excess, inside.value, model.floor),
        turning_point(excess, inside.value, 1.0),
    )
    return Interval(min(low, model.value), high, level, method)


def turning_point(excess: Callable[[float], float], inside: float, outer: float) -> float:
    """Return where the excess turns positive between a point inside and an end of the range."""
    near = outer + math.copysign(_EDGE, inside - outer)
    if abs(outer - inside) < 10.0 * _EDGE or excess(near) <= 0.0:
        return outer
    start = inside + math.copysign(min(_EDGE, abs(near - inside) / 2.0), outer - inside)
    if excess(start) > 0.0:
        return inside
    return root_between(lambda x: min(excess(x), 1e300), start, near)


# ---- The profile-likelihood interval of Cohen's kappa for two raters and two labels.

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
