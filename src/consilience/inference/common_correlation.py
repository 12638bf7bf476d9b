"""The common-correlation model: raters of an item share one draw, or each draws for himself.

With probability kappa all raters of an item share one draw from the labels. Donner & Eliasziw used
it for two raters and two labels; the variance that it implies carries over, in closed form, to any
number of both.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.distances import get_distance
from consilience.exceptions import UnsupportedDesignError
from consilience.inference._two_raters import as_ratings_or_table
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.duplicates import need_one_occasion
from consilience.rows import reduce_to_rows


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
