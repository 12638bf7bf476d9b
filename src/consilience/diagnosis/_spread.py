"""A rater who uses more, or less, of the scale than the others."""

from __future__ import annotations

import numpy as np

from consilience.core.arrays import Floats, first_largest
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._level import own_levels
from consilience.diagnosis._table import FEWEST_ITEMS, RatingTable, largest

_FACTOR = 0.25  # of the logarithm of the ratio of two standard deviations


@register
class Spread:
    """Mean and spread of one rater are moved to those of the others."""

    name = "spread"
    place = 3
    share = 0.75

    def find(self, table: RatingTable) -> Candidate | None:
        """Look at the rater whose spread is farthest from that of the others."""
        if table.has_names or table.n_labels == 2:
            return None
        found = _farthest(table)
        if found is None:
            return None
        g, ratio, x = found
        gain = table.with_column(g, x) - table.alpha
        if gain < LEAST_GAIN or gain <= table.limit(largest(table.exchangeable_raters, _gain)):
            return None
        values = table.values.copy()
        values[:, g] = x
        return Candidate(
            code=self.name,
            gain=gain,
            raters=(g,),
            remedied=lambda: table.of_values(values),
            facts={"ratio": ratio},
        )


def _gain(table: RatingTable) -> float:
    found = _farthest(table)
    return 0.0 if found is None else table.with_column(found[0], found[2]) - table.alpha


def _farthest(table: RatingTable) -> tuple[int, float, Floats] | None:
    """Return the rater of the most extreme spread, by how much, and the numbers put right."""
    sums = table.pairs
    n = np.maximum(sums.n, 1.0)
    mean = sums.v[:, 0] / n
    variance = np.maximum(sums.q / n - mean**2, 0.0)
    able = (sums.n >= FEWEST_ITEMS) & (variance > 1e-12)
    if able.sum() < 2:
        return None
    log = np.where(able, 0.5 * np.log(np.maximum(variance, 1e-12)), np.nan)
    rest = np.array(
        [np.nanmedian(np.delete(log, g)) if able[g] else np.nan for g in range(log.size)]
    )
    apart = log - rest
    g = first_largest(np.abs(apart))
    if abs(apart[g]) <= _FACTOR:
        return None
    ratio = float(np.exp(apart[g]))
    x = (table.values[:, g] - mean[g]) / ratio + mean[g] - own_levels(sums)[g]
    return g, ratio, np.where(table.given[:, g], x, 0.0)
