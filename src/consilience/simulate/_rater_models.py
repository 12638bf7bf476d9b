"""How ratings come about: four models of items and raters, drawn for many items at once."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints, blocks, smallest_int
from consilience.core.draws import RandomStream

# ---- Random draws for many items at once; blocks of items stay in the processor's cache.

_BLOCK = 65_536  # items
_COMPARED_LABELS = 32  # with more labels a binary search beats comparing one by one


def cumulate(chances: Floats) -> Floats:
    """Return cumulative chances along the last axis; rounding never leaves a gap below 1."""
    cumulative = np.cumsum(chances, axis=-1)
    cumulative[cumulative >= 1.0 - 1e-12] = 1.0
    return cumulative


def draw_labels(cumulative: Floats, row: Ints | None, size: int, rng: RandomStream) -> Ints:
    """Draw a label code per place, from one row of cumulative chances each.

    ``row`` says which row of the table holds for each place; None means that the table is one row.
    """
    u = rng.random(size)
    n_labels = cumulative.shape[-1]
    if n_labels > _COMPARED_LABELS:
        return _search(cumulative, row, u)
    codes = np.zeros(size, dtype=np.int64)
    for label in range(n_labels - 1):
        column = np.ascontiguousarray(cumulative[..., label])
        codes += u >= (column if row is None else column[row])
    return codes


def _search(cumulative: Floats, row: Ints | None, u: Floats) -> Ints:
    n_labels = cumulative.shape[-1]
    if row is None:
        codes = np.searchsorted(cumulative, u, side="right")
    else:
        # Rows laid end to end, the k-th raised by k, are one ascending list.
        ends = (cumulative + np.arange(len(cumulative))[:, None]).ravel()
        codes = np.searchsorted(ends, row + u, side="right") - row * n_labels
    return np.clip(codes, 0, n_labels - 1)


def draw_raters(n_items: int, per_item: int, n_raters: int, rng: RandomStream) -> NDArray[np.int64]:
    """Draw different raters for each item (slots x items), every set equally likely.

    Floyd's algorithm: the j-th candidate is drawn from the first j + 1 raters, and replaced by
    rater j where it is already in the set.
    """
    chosen = np.empty((per_item, n_items), dtype=np.int64)
    for slot, last in enumerate(range(n_raters - per_item, n_raters)):
        candidate = rng.integers(last + 1, n_items)
        taken = (chosen[:slot] == candidate).any(axis=0)
        chosen[slot] = np.where(taken, last, candidate)
    return chosen


# ---- How ratings come about: four models of items and of the raters who label them.

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
        for block in blocks(codes.size, _BLOCK):
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
        for block in blocks(codes.size, _BLOCK):
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
    for block in blocks(n_items, _BLOCK):
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
