"""Items that may belong together though nobody said so: columns beside the ratings, and names."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consilience.coefficients import Estimate
from consilience.ratings import Ratings
from consilience.ratings.clusters import Clusters

# By how many errors of its own a variance must be larger: in 300 studies each of six designs of
# independent items, 1 to 4% are.
_DEVIATIONS = 1.8
_MOST_NAMES = 200_000
_FEWEST_CLUSTERS = 5
_LAST_PART = re.compile(r"(.*[^\W_])[\W_]+[^\W_]+\W*", re.DOTALL)  # text01_3
_LAST_NUMBER = re.compile(r"(.*[^\W\d_])\d+", re.DOTALL)  # 12a3


@dataclass(frozen=True)
class Together:
    """Clusters that raise the error of an estimate by more than chance."""

    clusters: Clusters
    estimate: Estimate  # that allows for them
    begins: str = ""  # what the names of one cluster begin with, where names tell


def items_together(ratings: Ratings, one: Estimate) -> Together | None:
    """Return the clusters that raise the variance of an estimate most; None if all may be chance.

    Tried are columns that were not used and in which items repeat, and what the items' names have
    in common before the last separator or number.
    """
    if ratings.clusters is not None or ratings.has_sums_only:
        return None
    able = list(getattr(ratings.reading, "beside", ()))
    stems = _stems(ratings)
    found = [(_ratio(one, each), each) for each in (*able, *([] if stems is None else [stems[0]]))]
    likely = [(ratio, each) for ratio, each in found if ratio is not None]
    if not likely:
        return None
    _, clusters = max(likely, key=lambda pair: pair[0])
    begins = stems[1] if stems is not None and clusters is stems[0] else ""
    return Together(clusters, one.with_clusters(clusters), begins)


def stem_of(name: str) -> str:
    """Return what stands before the last separator or number of a name.

    >>> [stem_of(one) for one in ("text01_3", "talk 7, 12", "p12b3", "story", "14")]
    ['text01', 'talk 7', 'p12b', '', '']
    """
    match = _LAST_PART.fullmatch(name) or _LAST_NUMBER.fullmatch(name)
    return match[1] if match else ""


def _stems(ratings: Ratings) -> tuple[Clusters, str] | None:
    """Return items by what their names begin with, and one such beginning."""
    if ratings.told_items is None or ratings.n_items > _MOST_NAMES:
        return None
    stems = [stem_of(str(item)) for item in ratings.items]
    distinct = set(stems)
    if "" in distinct or not _FEWEST_CLUSTERS <= len(distinct) <= len(stems) / 2:
        return None
    return Clusters.of(stems, ratings.items, "beginning of the name"), _largest(stems)


def _largest(stems: Sequence[str]) -> str:
    names, times = np.unique(stems, return_counts=True)
    return str(names[int(times.argmax())])


def _ratio(one: Estimate, clusters: Clusters) -> float | None:
    """Return by how much clusters raise the variance; None if that may be chance."""
    if clusters.codes.size != one.basis.ratings.n_items:
        return None
    error, plain = one.with_clusters(clusters).standard_error, one.standard_error
    if not (math.isfinite(error) and math.isfinite(plain) and plain > 0.0):
        return None
    ratio = (error / plain) ** 2
    chance = math.sqrt(2.0 / (clusters.n_clusters - 1.0))
    return ratio if ratio > 1.0 + _DEVIATIONS * chance else None
