"""Agreement on the labels of aligned units: gamma-cat and gamma-k (Mathet 2017)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.units.gamma_alignment._best_alignment import Aligned
from consilience.units.gamma_alignment._dissimilarity import Continua, Dissimilarity

VARIANTS = ("paper", "pygamma")


@dataclass(frozen=True)
class LabelDisorder:
    """Weighted distances of labels and their weights, in each block: all pairs, and by category."""

    distance: Floats  # (blocks, 1 + categories): all pairs, then pairs with category k
    weight: Floats

    @property
    def mean(self) -> Floats:
        """The weighted mean distance; NaN where no pair has weight."""
        with np.errstate(divide="ignore", invalid="ignore"):
            out: Floats = np.where(self.weight > 0, self.distance / self.weight, np.nan)
        return out


def label_disorder(
    units: Continua, aligned: Aligned, dissimilarity: Dissimilarity, variant: str
) -> LabelDisorder:
    """Sum over aligned pairs: weight max(0, 1 − d_pos)/(ν − 1), ν units in the unitary alignment.

    The variant "pygamma" takes α d_pos in the weight and counts a unit facing an empty place as a
    pair of distance 1 and weight 1.
    """
    n_labels = len(dissimilarity.d_kl)
    distance: Any = np.zeros((units.n_blocks, 1 + n_labels))
    weight: Any = np.zeros_like(distance)
    add: Any = np.add.at
    size = (aligned.member >= 0).sum(axis=1)
    factor = dissimilarity.position_weight if variant == "pygamma" else 1.0
    for a in range(units.n_raters):
        for b in range(a + 1, units.n_raters):
            first, second = aligned.member[:, a], aligned.member[:, b]
            both = np.flatnonzero((first >= 0) & (second >= 0))
            i, j = first[both], second[both]
            near = np.maximum(0.0, 1.0 - factor * dissimilarity.positional(units, i, j))
            w = near / (size[both] - 1)
            d = w * dissimilarity.categorical(units, i, j)
            block, k, other = aligned.block[both], units.label[i], units.label[j]
            unlike = k != other
            for table, part in ((distance, d), (weight, w)):
                add(table, (block, 0), part)
                add(table, (block, 1 + k), part)
                add(table, (block[unlike], 1 + other[unlike]), part[unlike])
            if variant == "pygamma":
                for here, there in ((first, second), (second, first)):
                    lone = np.flatnonzero((here >= 0) & (there < 0))
                    where = (aligned.block[lone], 1 + units.label[here[lone]])
                    for table in (distance, weight):
                        add(table, (aligned.block[lone], 0), 1.0)
                        add(table, where, 1.0)
    return LabelDisorder(distance, weight)
