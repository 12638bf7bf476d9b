"""A label that one rater gives and hardly another on the same item."""

from __future__ import annotations

import numpy as np

from consilience.core.arrays import Floats, first_largest
from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._table import FEWEST_ITEMS, RatingTable

_DEVIATIONS = 2.8
_OF_ALPHA = 0.4
_ONE_PARTNER, _ONE_PARTNER_OF_TWO = 0.6, 0.8
_MORE_THAN_USE = 0.1  # of one partner's share in the disagreements


@register
class LabelNobodyShares:
    """The label is dropped: ratings with it are left out."""

    name = "nobody_shares"
    place = 9
    share = 0.75

    def find(self, table: RatingTable) -> Candidate | None:
        """Look for the label whose dropping gains most beyond what dropping it does by chance."""
        if not table.has_names or table.n_labels < 3:
            return None
        gains = _gains(table)
        able = (gains >= LEAST_GAIN) & _is_lonely(table)
        able &= (table.counts > 0).sum(axis=0) >= FEWEST_ITEMS
        if not able.any():
            return None
        # Dropping a frequent label raises alpha by chance: each label has its own null.
        null = np.array([_gains(one) for one in table.exchangeable_labels])
        beyond = gains - null.mean(axis=0)
        able &= (beyond >= LEAST_GAIN) & (
            beyond > (_DEVIATIONS + 20.0 / table.n_items) * null.std(axis=0)
        )
        if not able.any():
            return None
        k = first_largest(np.where(able, beyond, -np.inf))
        return Candidate(
            code=self.name,
            gain=float(beyond[k]),
            labels=(k,),
            remedied=lambda: table.emptied(table.codes == k),
            facts={
                "by_chance": bool(_partner_by_use(table, k)),
                "uses": int((table.codes == k).sum()),
                "shared": int((table.counts[:, k] > 1).sum()),
                "items": int((table.counts[:, k] > 0).sum()),
            },
        )


def _is_lonely(table: RatingTable) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Tell of which labels agreement is far below alpha, and disagreement with no one label."""
    together = table.coincidences
    uses = together.sum(axis=1)
    n = uses.sum()
    chance = (uses - 1.0) / max(n - 1.0, 1.0)
    own = np.diag(together) / np.maximum(uses, 1e-12)
    specific = (own - chance) / np.maximum(1.0 - chance, 1e-12)
    apart = together - np.diag(np.diag(together))
    one = apart.max(axis=1) / np.maximum(apart.sum(axis=1), 1e-12)
    # A label that is common meets every other label often.
    by_use = uses[apart.argmax(axis=1)] / np.maximum(n - uses, 1e-12)
    most = np.maximum(
        _ONE_PARTNER if table.n_labels > 3 else _ONE_PARTNER_OF_TWO, by_use + _MORE_THAN_USE
    )
    found = (specific < _OF_ALPHA * table.alpha) & (one <= most) & (uses > 0)
    return np.asarray(found)


def _partner_by_use(table: RatingTable, k: int) -> bool:
    """Tell whether a label meets others about as often as these are used."""
    together = table.coincidences
    uses = together.sum(axis=1)
    met = np.delete(together[k], k) / max(uses[k] - together[k, k], 1e-12)
    likely = np.delete(uses, k) / max(uses.sum() - uses[k], 1e-12)
    return bool(0.5 * np.abs(met - likely).sum() <= _MORE_THAN_USE)


def _gains(table: RatingTable) -> Floats:
    """Return what alpha gains when each label is dropped."""
    n_ik = table.counts
    m_i = n_ik.sum(axis=1)
    same = (n_ik * (n_ik - 1.0)).sum(axis=1)
    left = m_i[:, None] - n_ik
    fine = left >= 2
    weight = np.where(fine, 1.0 / np.maximum(left - 1.0, 1.0), 0.0)
    agreed = (weight * (same[:, None] - n_ik * (n_ik - 1.0))).sum(axis=0)
    n = (left * fine).sum(axis=0)
    margins = fine.T.astype(np.float64) @ n_ik
    np.fill_diagonal(margins, 0.0)
    chance = 1.0 - ((margins * (margins - 1.0)).sum(axis=1) / np.maximum(n * (n - 1.0), 1.0))
    observed = 1.0 - agreed / np.maximum(n, 1.0)
    usable = (chance > 1e-9) & (n > 1)
    after = np.where(usable, 1.0 - observed / np.where(usable, chance, 1.0), -np.inf)
    return np.asarray(np.maximum(after - table.alpha, -1.0))
