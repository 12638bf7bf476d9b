"""Items that go together, for latent models: how much more they vary, and how to draw them anew."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.latent.models._draw_order import DrawOrder
from consilience.latent.models._sparse_ratings import Votes
from consilience.ratings.clusters import Clusters


@dataclass(frozen=True)
class ClusteredVotes:
    """Votes whose items may go together; without clusters each item stands for itself."""

    votes: Votes
    clusters: Clusters | None = None

    @property
    def n_units(self) -> float:
        """Number of clusters; infinite without, so that it never is the smaller number."""
        return float("inf") if self.clusters is None else float(self.clusters.n_clusters)

    def drawn(self, random: RandomStream, order: DrawOrder) -> Votes:
        """Return as many items, or clusters, drawn with replacement."""
        votes, clusters = self.votes, self.clusters
        if clusters is None:
            chance = votes.multiplicity[order.row] / votes.multiplicity.sum()
            drawn = np.empty(votes.n_rows)
            drawn[order.row] = random.multinomial(votes.n_rated, chance)
            return votes.drawn(drawn)
        n = clusters.n_clusters
        drawn = np.empty(n)
        drawn[order.clusters(votes, clusters)] = random.multinomial(n, np.full(n, 1.0 / n))
        times: Floats = drawn[clusters.codes]
        if votes.row is not None:
            times = np.bincount(votes.row, times, votes.n_rows).astype(np.float64)
        return votes.drawn(np.where(votes.multiplicity > 0, times, 0.0))

    def spread(self, posterior: Floats) -> Floats:
        """Return for each class how much more clusters vary than items, at least 1.

        By the deviations of the items' posteriors from the share, summed by cluster (Kent 1982);
        at most the mean size of a cluster.
        """
        if self.clusters is None:
            return np.ones(posterior.shape[1])
        of_items = self.votes.of_items(posterior)
        known = np.isfinite(of_items).all(axis=1)
        apart = np.where(known[:, None], of_items - of_items[known].mean(axis=0), 0.0)
        codes, n = self.clusters.codes, self.clusters.n_clusters
        by_cluster = np.stack([np.bincount(codes, weights=u, minlength=n) for u in apart.T], axis=1)
        square = np.maximum((apart**2).sum(axis=0), 1e-300)
        ratio = n / max(n - 1.0, 1.0) * (by_cluster**2).sum(axis=0) / square
        return np.asarray(np.clip(ratio, 1.0, codes.size / n))
