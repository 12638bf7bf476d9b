"""A stretch of items in the order of the file on which raters agree less."""

from __future__ import annotations

import numpy as np

from consilience.core.arrays import Floats
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._table import FEWEST_ITEMS, RatingTable

_SMALLEST, _LARGEST = 0.08, 0.5  # shares of the items
_N_SIZES = 12
_FEWEST = 3 * FEWEST_ITEMS


@register
class Section:
    """The stretch is left out."""

    name = "section"
    place = 8
    share = 0.75

    def find(self, table: RatingTable) -> Candidate | None:
        """Look for the stretch whose disagreement stands out most from that of the rest."""
        if not table.in_order_of_work or table.n_items < _FEWEST:
            return None
        root = np.sqrt(disagreement(table))
        if root.std() <= 1e-12:
            return None
        z, start, size = _worst(root[None])
        keep = np.ones(table.n_items, dtype=np.bool_)
        keep[int(start[0]) : int(start[0] + size[0])] = False
        rest = table.only_items(keep)
        gain = rest.alpha - table.alpha
        if gain < LEAST_GAIN or z[0] <= table.limit(_worst(root[table.orders])[0]):
            return None
        inside = np.flatnonzero(~keep)
        return Candidate(
            code=self.name,
            gain=gain,
            items=tuple(int(i) for i in inside),
            remedied=lambda: rest,
            score=float(z[0]),
            facts={
                "first": int(table.rows[inside[0]]),
                "last": int(table.rows[inside[-1]]),
                "inside": table.only_items(~keep).alpha,
            },
        )


def disagreement(table: RatingTable) -> Floats:
    """Return the mean disagreement of the pairs of ratings of each item."""
    m_i = table.per_item
    if table.has_names:
        n_ik = table.counts
        return np.asarray(1.0 - (n_ik * (n_ik - 1.0)).sum(axis=1) / (m_i * (m_i - 1.0)))
    x = table.values * table.given
    return np.asarray(
        2.0 * (m_i * (x**2).sum(axis=1) - x.sum(axis=1) ** 2).clip(0.0) / (m_i * (m_i - 1.0))
    )


def _worst(root: Floats) -> tuple[Floats, Floats, Floats]:
    """Return, for each order of the items, the largest z of any stretch, its start and size."""
    n = root.shape[1]
    upto = np.concatenate([np.zeros((len(root), 1)), np.cumsum(root, axis=1)], axis=1)
    mean, deviation = root[0].mean(), root[0].std()
    least = max(FEWEST_ITEMS, round(_SMALLEST * n))
    sizes = np.unique(np.geomspace(least, max(_LARGEST * n, least), _N_SIZES).round().astype(int))
    best = np.full(len(root), -np.inf)
    start, size = np.zeros(len(root)), np.zeros(len(root))
    for length in sizes:
        error = deviation * np.sqrt(1.0 / length - 1.0 / n)
        z = ((upto[:, length:] - upto[:, :-length]) / length - mean) / error
        place = z.argmax(axis=1)
        top = z[np.arange(len(root)), place]
        better = top > best
        best = np.where(better, top, best)
        start, size = np.where(better, place, start), np.where(better, length, size)
    return best, start, size
