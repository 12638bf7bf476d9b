"""How unlike two units are: their place in time and their label (Mathet et al. 2015, section 4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.labels import check_categories, label_key
from consilience.distances import LabelSpace, get_distance
from consilience.exceptions import InputError, shown

# Distances of numbers and ranks have units of their own; the largest becomes 1.
_SCALED = ("linear", "quadratic", "radical", "interval", "ratio", "bipolar", "circular", "taxonomy")


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
    """d = α d_pos + β d_cat, per cost of an empty place (Mathet et al. 2015, section 4)."""

    position_weight: float  # α
    category_weight: float  # β
    d_kl: Floats

    def positional(self, units: Continua, i: Ints, j: Ints) -> Floats:
        """Return d_pos, relative to the lengths (Mathet et al. 2015, section 4)."""
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


def label_space(labels: tuple[Any, ...], categories: Sequence[Any] | None) -> LabelSpace:
    """Return the labels, in the order that the user declared."""
    if categories is None:
        return LabelSpace.of(labels)
    order = check_categories(categories)
    known = {label_key(label) for label in order}
    missing = [label for label in labels if label_key(label) not in known]
    if missing:
        raise InputError.expected(
            "categories",
            "a list in which every label of the units occurs once",
            order,
            f"it lacks {shown(missing)}",
        )
    return LabelSpace.of(order, ordered=True)


def scaled_distances(
    labels: tuple[Any, ...], distance: Any, categories: Sequence[Any] | None
) -> tuple[str, Floats]:
    """Return the name of the distance and the distance of every two labels, between 0 and 1."""
    space = label_space(labels, categories)
    found = get_distance("nominal" if distance is None else distance, scale="nominal")
    size = len(space.labels)
    # Gamma's own ordinal distance counts ranks and looks at no frequencies.
    by_rank = found.name in ("ordinal", "ordinal-gwet")
    measured = get_distance("linear", scale="ordinal") if by_rank else found
    if by_rank and space.numbers is not None:
        space = LabelSpace(space.labels, True, _ranks(space.numbers))
    d_kl = np.asarray(measured.matrix(space, np.ones(size)), dtype=np.float64)
    largest = float(d_kl.max(initial=0.0))
    if by_rank or found.name in _SCALED:
        d_kl = d_kl / largest if largest > 0 else d_kl
    elif largest > 1.0 + 1e-12:
        raise InputError.expected(
            "the distances of labels",
            "between 0 and 1",
            largest,
            "divide all distances by the largest one",
        )
    at = {label_key(label): k for k, label in enumerate(space.labels)}
    place = [at[label_key(label)] for label in labels]
    return "ordinal" if by_rank else found.name, d_kl[np.ix_(place, place)]


def _ranks(numbers: Floats) -> Floats:
    return np.unique(numbers, return_inverse=True)[1].astype(np.float64)
