"""How ratings come about: four models of items and of the raters who label them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints, smallest_int
from consilience.core.draws import RandomStream
from consilience.simulate._draw import blocks, cumulate, draw_labels

Slot = int | NDArray[np.int64]  # the rater of a slot: the same for all items, or one per item


@dataclass(frozen=True)
class Items:
    """Simulated items: the truth about each, and what the raters' view of it depends on."""

    truth: NDArray[Any]  # label codes, or values
    hard: NDArray[np.bool_]
    hidden: NDArray[Any]  # whether it is plain to all raters, or where it lies on the scale


class Model(Protocol):
    """Items first, then as many ratings of them as wanted."""

    def items(self, n_items: int, rng: RandomStream) -> Items:
        """Draw items."""
        ...

    def rate(self, items: Items, rater: Slot, rng: RandomStream) -> NDArray[Any]:
        """Let a rater (or one per item) rate every item."""
        ...


@dataclass(frozen=True)
class LabelModel:
    """Raters with confusion matrices: one for easy items, one for hard items."""

    prevalence: Floats  # (q,)
    confusion: Floats  # (raters, q, q): rows are the true labels
    hard_confusion: Floats
    hard_share: float

    @cached_property
    def _table(self) -> Floats:
        both = np.concatenate([self.confusion, self.hard_confusion])
        return cumulate(both.reshape(-1, self.prevalence.size))

    def items(self, n_items: int, rng: RandomStream) -> Items:
        """Draw the true label and whether the item is hard."""
        truth = _truth(self.prevalence, n_items, rng)
        hard = _hard(self.hard_share, n_items, rng)
        return Items(truth, hard, truth)

    def rate(self, items: Items, rater: Slot, rng: RandomStream) -> NDArray[Any]:
        """Draw from the row of the confusion matrix that the true label selects."""
        n_raters, n_labels, _ = self.confusion.shape
        codes = np.empty(items.truth.size, dtype=smallest_int(n_labels))
        for block in blocks(codes.size):
            who = rater if isinstance(rater, int) else rater[block]
            matrix = who + n_raters * items.hard[block] if self.hard_share else who
            row = matrix * n_labels + items.truth[block]
            codes[block] = draw_labels(self._table, row, row.size, rng)
        return codes


@dataclass(frozen=True)
class MixtureModel:
    """All raters see the label of an item, or none does and each draws one at random."""

    prevalence: Floats
    agreement: float

    def items(self, n_items: int, rng: RandomStream) -> Items:
        """Draw the true label and whether the raters see it."""
        truth = _truth(self.prevalence, n_items, rng)
        seen = rng.random(n_items) < self.agreement
        return Items(truth, ~seen, seen)

    def rate(self, items: Items, rater: Slot, rng: RandomStream) -> NDArray[Any]:
        """Give the true label where it is seen, else any label."""
        n_labels = self.prevalence.size
        table = cumulate(self.prevalence)
        codes = np.empty(items.truth.size, dtype=smallest_int(n_labels))
        for block in blocks(codes.size):
            guess = draw_labels(table, None, block.stop - block.start, rng)
            codes[block] = np.where(items.hidden[block], items.truth[block], guess)
        return codes


@dataclass(frozen=True)
class LatentModel:
    """An item lies somewhere on a line; raters see the place with noise and cut the line."""

    prevalence: Floats
    noise: Floats  # (raters,)
    shift: Floats
    hard_noise: Floats
    hard_share: float

    @property
    def cuts(self) -> Floats:
        """Where the line is cut, so that the true categories have their prevalence."""
        normal = NormalDist()
        below = np.cumsum(self.prevalence)[:-1]
        return np.array(
            [
                -math.inf if p <= 1e-12 else math.inf if p >= 1.0 - 1e-12 else normal.inv_cdf(p)
                for p in below.tolist()
            ]
        )

    def items(self, n_items: int, rng: RandomStream) -> Items:
        """Draw the place of each item on the line."""
        place = rng.normal(n_items)
        hard = _hard(self.hard_share, n_items, rng)
        return Items(_cut(place, self.cuts).astype(np.int64), hard, place)

    def rate(self, items: Items, rater: Slot, rng: RandomStream) -> NDArray[Any]:
        """Add noise and shift to the place and cut the line there."""
        return _cut(_perceived(self, items, rater, rng), self.cuts)


@dataclass(frozen=True)
class ValueModel:
    """A true value, and raters who measure it with noise."""

    mean: float
    spread: float
    noise: Floats
    shift: Floats
    hard_noise: Floats
    hard_share: float

    def items(self, n_items: int, rng: RandomStream) -> Items:
        """Draw the true value of each item."""
        value = self.mean + self.spread * rng.normal(n_items)
        return Items(value, _hard(self.hard_share, n_items, rng), value)

    def rate(self, items: Items, rater: Slot, rng: RandomStream) -> NDArray[Any]:
        """Add noise and shift to the true value."""
        return _perceived(self, items, rater, rng)


def _truth(prevalence: Floats, n_items: int, rng: RandomStream) -> Ints:
    table = cumulate(prevalence)
    truth = np.empty(n_items, dtype=np.int64)
    for block in blocks(n_items):
        truth[block] = draw_labels(table, None, block.stop - block.start, rng)
    return truth


def _hard(share: float, n_items: int, rng: RandomStream) -> NDArray[np.bool_]:
    if share == 0.0:
        return np.zeros(n_items, dtype=np.bool_)
    return np.asarray(rng.random(n_items) < share)


def _perceived(
    model: LatentModel | ValueModel, items: Items, rater: Slot, rng: RandomStream
) -> Floats:
    noise: Any = model.noise[rater]
    if model.hard_share:
        noise = np.where(items.hard, model.hard_noise[rater], noise)
    values = rng.normal(items.truth.size)
    values *= noise
    values += items.hidden
    values += model.shift[rater]
    return values


def _cut(places: Floats, cuts: Floats) -> NDArray[Any]:
    """Count the cuts below each place."""
    codes = np.zeros(places.size, dtype=smallest_int(cuts.size + 1))
    if cuts.size > 32:
        codes[:] = np.searchsorted(cuts, places, side="left")
        return codes
    for cut in cuts.tolist():
        codes += places > cut
    return codes
