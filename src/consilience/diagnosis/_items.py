"""A few items on which hardly anybody agrees, wherever they stand."""

from __future__ import annotations

import numpy as np

from consilience.core.arrays import Indices
from consilience.core.draws import RandomStream
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._section import disagreement
from consilience.diagnosis._table import FEWEST_ITEMS, RatingTable

_SHARE = 0.1
_LEAST_GAIN = 0.1  # some items are harder than others in every study


@register
class FewItems:
    """The worst tenth of the items is left out."""

    name = "items"
    place = 11
    share = 1.0

    def find(self, table: RatingTable) -> Candidate | None:
        """Compare what leaving out the worst tenth gains with what it gains by chance."""
        n = round(_SHARE * table.n_items)
        if n < FEWEST_ITEMS or (not table.has_names and table.n_raters < 3):
            return None
        worst = _worst(table, n)
        keep = ~np.isin(np.arange(table.n_items), worst)
        gain = _gain(table, n)
        if gain < LEAST_GAIN:
            return None
        null = np.array([_gain(one, n) for one in self._without(table)])
        gain -= float(null.mean())
        if gain < _LEAST_GAIN or gain <= table.limit(null - null.mean()):
            return None
        return Candidate(
            code=self.name,
            gain=gain,
            items=tuple(int(i) for i in worst),
            remedied=lambda: table.only_items(keep),
            facts={"rows": tuple(int(i) for i in table.rows[worst])},
        )

    def _without(self, table: RatingTable) -> list[RatingTable]:
        if table.kind != "numbers":
            return table.exchangeable_labels
        # Differences from the item's mean, dealt anew among all items.
        given, m_i = table.given, table.per_item[:, None]
        mean = (table.values * given).sum(axis=1, keepdims=True) / m_i
        left = (table.values - mean)[given]
        rng, made = RandomStream.of(4), []
        for _ in range(table.n_draws):
            dealt = np.zeros(given.shape)
            dealt[given] = left[rng.permutation(left.size)]
            made.append(table.of_values(mean + dealt))
        return made


def _worst(table: RatingTable, n: int) -> Indices:
    return np.sort(np.argsort(-disagreement(table), kind="stable")[:n])


def _gain(table: RatingTable, n: int) -> float:
    keep = np.ones(table.n_items, dtype=np.bool_)
    keep[_worst(table, n)] = False
    return table.only_items(keep).alpha - table.alpha
