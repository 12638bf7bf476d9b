"""Numbers that are measured as names though they have an order."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from numbers import Real

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._table import RatingTable

_MOST_LABELS = 12
_ALL_ORDERS_UP_TO = 5
_N_DRAWN = 60


@register
class OrderIgnored:
    """Labels that are whole numbers are compared by their order."""

    name = "order"
    place = -1
    share = 0.0

    def find(self, table: RatingTable) -> Candidate | None:
        """Compare the order of the numbers with all other orders of the labels."""
        if not table.has_names or not 3 <= table.n_labels <= _MOST_LABELS:
            return None
        if not all(_is_whole(label) for label in table.labels):
            return None
        together = table.coincidences
        own = np.arange(table.n_labels)
        ordered = _alpha(together, own)
        gain = ordered - table.alpha
        if gain < LEAST_GAIN:
            return None
        others = [_alpha(together, order) for order in _orders(table.n_labels)]
        if ordered <= max(others):
            return None
        as_ordered = replace(table, kind="order", has_steps=True)
        return Candidate(
            code=self.name,
            gain=gain,
            labels=tuple(int(k) for k in own),
            remedied=lambda: as_ordered.of_codes(table.codes),
        )


def _is_whole(label: object) -> bool:
    return isinstance(label, Real) and float(label).is_integer()


def _alpha(together: Floats, order: Ints) -> float:
    """Return ordinal alpha of coincidences when the labels stand in some order."""
    together = together[np.ix_(order, order)]
    uses = together.sum(axis=1)
    rank = np.cumsum(uses) - uses / 2.0
    apart = (rank[:, None] - rank[None, :]) ** 2
    chance = (np.outer(uses, uses) - np.diag(uses)) / max(uses.sum() - 1.0, 1.0)
    expected = float((apart * chance).sum())
    return 1.0 - float((apart * together).sum()) / expected if expected > 0 else 0.0


def _orders(q: int) -> Ints:
    """Return other orders of the labels, those read backwards left out."""
    if q <= _ALL_ORDERS_UP_TO:
        every = np.array(list(permutations(range(q))))
        once = every[every[:, 0] < every[:, -1]]
    else:
        once = RandomStream.of(5).permutations(q, _N_DRAWN)
    own = np.arange(q)
    found: Ints = once[(once != own).any(axis=1) & (once != own[::-1]).any(axis=1)]
    return found
