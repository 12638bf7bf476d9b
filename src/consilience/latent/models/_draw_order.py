"""The order in which draws go to rows, raters and labels: what they are decides, not how they came.

Raters and labels follow their names; rows follow what these raters said of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats, Indices
from consilience.core.draws import RandomStream
from consilience.latent.models._sparse_ratings import Votes
from consilience.ratings import Ratings
from consilience.ratings.clusters import Clusters

_MOST_KEYS = 64  # raters whose ratings are compared one after the other
_LARGEST_MARK = 1 << 31  # sums of a million of them are exact


@dataclass(frozen=True)
class DrawOrder:
    """Places of rows, raters and labels, in the order in which they are drawn for."""

    row: Indices
    rater: Indices
    label: Indices
    mark_i: Floats  # a whole number that stands for what a row holds

    @classmethod
    def of(cls, votes: Votes, ratings: Ratings) -> DrawOrder:
        """Put rows, raters and labels in order."""
        rater, label = by_name(ratings.raters), by_name(ratings.categories)
        mark = np.empty((votes.n_raters, votes.n_labels))
        drawn = 1 + RandomStream.of(0).integers(_LARGEST_MARK, mark.shape)
        mark[np.ix_(rater, label)] = drawn
        mark_i = np.asarray(votes.counts @ mark.ravel())
        keys = [votes.multiplicity, mark_i]
        if rater.size <= _MOST_KEYS:  # the first rater's ratings count most
            place = np.empty(label.size)
            place[label] = np.arange(1.0, label.size + 1.0)
            said = np.kron(np.eye(rater.size)[:, rater], place[:, None])
            keys += list(np.asarray(votes.counts @ said).T[::-1])
        return cls(np.lexsort(keys), rater, label, mark_i)

    def clusters(self, votes: Votes, clusters: Clusters) -> Indices:
        """Return the clusters in the order of what they hold."""
        marks = self.mark_i if votes.row is None else self.mark_i[votes.row]
        held = np.bincount(clusters.codes, weights=marks, minlength=clusters.n_clusters)
        return np.argsort(held, kind="stable")


def by_name(names: Sequence[object]) -> Indices:
    """Return the places of names in the order of the alphabet."""
    return np.array(sorted(range(len(names)), key=lambda k: str(names[k])), dtype=np.intp)
