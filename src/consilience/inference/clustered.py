"""Items that go together: what a sum of influences over whole clusters says about errors."""

from __future__ import annotations

import math

import numpy as np

from consilience.core.arrays import Floats, Ints


def clustered_variance(influence: Floats, cluster: Ints | None) -> float:
    """Return the variance of a sum of influences, those of a cluster taken together."""
    if cluster is None:
        return float(influence @ influence)
    sums = np.bincount(cluster, weights=influence)
    n = int(np.unique(cluster).size)
    return float(sums @ sums) * n / max(n - 1, 1)


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


def jackknife_error(without: Floats) -> float:
    """Return the error of a statistic from its values without each unit."""
    n = without.size
    if n < 2:
        return math.nan
    return math.sqrt((n - 1.0) / n * float(((without - without.mean()) ** 2).sum()))
