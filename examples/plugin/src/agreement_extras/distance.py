"""Marks up to one step apart count as the same."""

from dataclasses import dataclass

import numpy as np

from consilience.distances import Distance, register
from consilience.distances._distance import score_k


@register
@dataclass(frozen=True)
class WithinOne(Distance):
    """Labels up to one step apart count as the same."""

    name = "within-one"

    def matrix(self, space, counts):
        """Return the distance of every two labels."""
        c_k = score_k(space, distance=self.name)
        return (np.abs(c_k[:, None] - c_k[None, :]) > 1).astype(float)
