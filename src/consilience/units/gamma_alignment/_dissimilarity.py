"""How unlike two units are: their place in time and their label (Mathet et al. 2015, section 4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats, Ints


@dataclass(frozen=True)
class Continua:
    """Units of several blocks as plain columns; units of different blocks are never aligned.

    A block is a session, or one random continuum: many of them are aligned in one go.
    """

    start: Floats
    end: Floats
    label: Ints
    rater: Ints  # 0 … n_raters − 1
    block: Ints  # 0 … n_blocks − 1
    n_raters: int
    n_blocks: int

    @property
    def n_units(self) -> int:
        """The number of units in all blocks."""
        return len(self.start)

    @property
    def n_pairs(self) -> int:
        """The number of pairs of raters."""
        return math.comb(self.n_raters, 2)

    def of_blocks(self, first: int, last: int) -> Continua:
        """Return the blocks first … last − 1; the columns must be sorted by block."""
        low, high = np.searchsorted(self.block, [first, last])
        part = slice(low, high)
        return Continua(
            self.start[part],
            self.end[part],
            self.label[part],
            self.rater[part],
            self.block[part] - first,
            self.n_raters,
            last - first,
        )


@dataclass(frozen=True)
class Dissimilarity:
    """d = α d_pos + β d_cat, in units of the cost of an empty place."""

    position_weight: float  # α
    category_weight: float  # β
    d_kl: Floats

    def positional(self, units: Continua, i: Ints, j: Ints) -> Floats:
        """Return d_pos: the squared distance of the boundaries, relative to the lengths."""
        start, end = units.start, units.end
        apart = np.abs(start[i] - start[j]) + np.abs(end[i] - end[j])
        return np.square(apart / ((end[i] - start[i]) + (end[j] - start[j])))

    def categorical(self, units: Continua, i: Ints, j: Ints) -> Floats:
        """Return d_cat: the distance of the labels."""
        found: Floats = self.d_kl[units.label[i], units.label[j]]
        return found

    def reach(self, limit: float) -> float:
        """Return how far apart two midpoints may be, as a share of half the summed lengths.

        |Δstart| + |Δend| is at least twice the distance of the midpoints.
        """
        return math.sqrt(limit / self.position_weight) if self.position_weight > 0 else math.inf
