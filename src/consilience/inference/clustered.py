"""Items that go together: what a sum of influences over whole clusters says about errors."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.inference.homogeneity_test import quadratic_form

SmallSample = Literal["clusters", "always", "never"]


def clustered_variance(
    influence: Floats, cluster: Ints | None, *, small_sample: SmallSample = "clusters"
) -> float:
    """Return the variance of a sum of influences, those of a cluster taken together.

    `small_sample` says when the factor n / (n - 1) is taken: for n clusters, for n items as well,
    or never.
    """
    sums = influence if cluster is None else np.bincount(cluster, weights=influence)
    variance = float(sums @ sums)
    if small_sample == "never" or (cluster is None and small_sample == "clusters"):
        return variance
    n = influence.size if cluster is None else int(np.unique(cluster).size)
    return variance * n / max(n - 1, 1)


def linearised_error(influence: Floats, clusters: Ints | None) -> tuple[float, float]:
    """Return the error of a mean of influences, and its degrees of freedom.

    n / (n - 1) sum (S_g - mean)^2 with S_g the influence of an item, or the summed influence of the
    items of a cluster, as in Liang & Zeger (1986); degrees of freedom are the units less one.
    """
    n = influence.size
    centred = (influence - influence.mean()) / max(n, 1)
    if clusters is not None:
        centred = np.bincount(clusters, weights=centred)
    units = centred.size
    if units < 2:
        return math.nan, 0.0
    return math.sqrt(units / (units - 1.0) * float(centred @ centred)), units - 1.0


def jackknife_error(without: Floats, times: Floats | None = None) -> float:
    """Return the error of a statistic from its values without each unit, each so many times."""
    times = np.ones(without.size) if times is None else times
    n = float(times.sum())
    if n < 2.0:
        return math.nan
    mean = float(times @ without) / n
    return math.sqrt((n - 1.0) / n * float(times @ (without - mean) ** 2))


@dataclass(frozen=True)
class ClusteredContrast:
    """Whether vectors that clusters add up to are zero on average.

    Attributes
    ----------
    score : float
        d' (sum u_g u_g')^- d with u_g the vector of a cluster and d their sum.
    rank : float
        Degrees of freedom of the hypothesis.
    n_clusters : int
    """

    score: float
    rank: float
    n_clusters: int

    @classmethod
    def of(cls, sums: Floats) -> ClusteredContrast:
        """Take the vectors of the clusters (clusters x numbers)."""
        score, rank = quadratic_form(sums.sum(axis=0), sums.T @ sums)
        return cls(score, rank, len(sums))

    @property
    def wald(self) -> float:
        """The statistic with the variance about the mean instead of about 0: Hotelling's T^2."""
        left = self.n_clusters - self.score
        return (self.n_clusters - 1.0) * self.score / left if left > 0.0 else math.inf

    @property
    def p_value(self) -> float:
        """That of T^2 (n - r) / (r (n - 1)) with r and n - r degrees of freedom; NaN if n <= r."""
        n, r = self.n_clusters, self.rank
        if not 0.0 < r < n:
            return math.nan
        from scipy.special import fdtrc

        return float(fdtrc(r, n - r, self.wald * (n - r) / (r * (n - 1.0))))


def sums_by_cluster(place: Ints, weight: Floats, shape: tuple[int, int]) -> Floats:
    """Add up weights at places cluster * numbers + number, as clusters x numbers."""
    found = np.bincount(place, weights=weight, minlength=shape[0] * shape[1])
    return np.asarray(found.reshape(shape), dtype=np.float64)
