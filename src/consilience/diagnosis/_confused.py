"""Two labels that all raters take for each other."""

from __future__ import annotations

import numpy as np

from consilience.core.arrays import first_largest
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._table import FEWEST_ITEMS, RatingTable, largest


@register
class ConfusedLabels:
    """Two labels are merged."""

    name = "confused"
    place = 7
    share = 0.75

    def find(self, table: RatingTable) -> Candidate | None:
        """Look for the pair of labels whose merging gains most."""
        if not table.has_names or table.n_labels < 3:
            return None
        gain, k, m = _best(table)
        if gain < LEAST_GAIN or gain <= table.limit(
            largest(table.exchangeable_labels, lambda one: _best(one)[0])
        ):
            return None
        mixed = (table.counts[:, k] > 0) & (table.counts[:, m] > 0)
        if mixed.sum() < FEWEST_ITEMS:
            return None
        together = table.coincidences
        apart = together.sum() - np.trace(together)
        merged = np.where(table.codes == m, k, table.codes)
        return Candidate(
            code=self.name,
            gain=gain,
            labels=(k, m),
            remedied=lambda: table.of_codes(merged),
            facts={
                "share": float(2.0 * together[k, m] / apart),
                "items": int(mixed.sum()),
            },
        )


def _best(table: RatingTable) -> tuple[float, int, int]:
    """Return the largest gain of merging two labels, and which they are."""
    together = table.coincidences
    uses = together.sum(axis=1)
    n = uses.sum()
    seen, chance = n - np.trace(together), (n**2 - (uses**2).sum()) / max(n - 1.0, 1.0)
    expected = chance - 2.0 * np.outer(uses, uses) / max(n - 1.0, 1.0)
    fine = (expected > 1e-9) & (np.outer(uses, uses) > 0)
    after = np.where(fine, 1.0 - (seen - 2.0 * together) / np.where(fine, expected, 1.0), -np.inf)
    np.fill_diagonal(after, -np.inf)
    k, m = (int(x) for x in np.unravel_index(first_largest(after), after.shape))
    return float(after[k, m]) - table.alpha, min(k, m), max(k, m)
