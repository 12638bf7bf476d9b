"""One label is so common that hardly anything beyond chance can be shown."""

from __future__ import annotations

import numpy as np

from consilience.diagnosis._cause import LEAST_GAIN, Candidate, register
from consilience.diagnosis._section import disagreement
from consilience.diagnosis._table import RatingTable

_COMMON = 0.88
_AGREED = 0.85


@register
class RareLabels:
    """Chance is that of labels which are equally common."""

    name = "rare"
    place = 10
    share = 1.0

    def find(self, table: RatingTable) -> Candidate | None:
        """Compare alpha with Bennett's S."""
        if not table.has_names:
            return None
        uses = table.counts.sum(axis=0)
        agreed = 1.0 - float(disagreement(table).mean())
        k = int(uses.argmax())
        share = float(uses[k] / uses.sum())
        if share < _COMMON or agreed < _AGREED:
            return None
        used = max(int(np.count_nonzero(uses)), 2)
        gain = (agreed - 1.0 / used) / (1.0 - 1.0 / used) - table.alpha
        if gain < LEAST_GAIN:
            return None
        return Candidate(
            code=self.name,
            gain=gain,
            labels=(k,),
            remedied=lambda: table,
            facts={"share": share, "agreed": agreed, "n_labels": used},
        )
