"""Any number of raters' marks, a block of items at a time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.exceptions import UnsupportedDesignError
from consilience.magnitudes._magnitude import MEASURES, facts_of
from consilience.magnitudes.paired import flags_of, taken
from consilience.ratings import Ratings
from consilience.ratings.patterns import blocks
from consilience.ratings.stores import CodedMatrix, CountTable, LongTable, MomentTable, NumberMatrix

CHUNK = 8_192  # items; a few arrays of this length stay in the cache
MOST_CELLS = 4_000_000  # of a block that is laid out from a long table

Block = tuple[Floats, Floats | None]  # items × raters with NaN, and how often each occurs


@dataclass(frozen=True)
class Panel:
    """Marks of any number of raters; each block of items comes with NaN where there is none."""

    ratings: Ratings
    flags: tuple[str, ...]
    by_rater: bool = True  # else the marks of an item come in any order

    @property
    def raters(self) -> tuple[object, ...]:
        """Names of the raters; none where counts do not say who rated."""
        return self.ratings.raters

    @property
    def n_raters(self) -> int:
        """Number of raters, or the largest number of ratings of an item."""
        return self.ratings.n_raters

    @cached_property
    def has_gaps(self) -> bool:
        """Whether not every rater has rated every item."""
        store = self.ratings._store
        if isinstance(store, NumberMatrix):
            return store.has_gaps
        if isinstance(store, CountTable):
            given = store.counts.sum(axis=1)
            return bool(given.min() != given.max())
        return self.ratings.n_ratings < self.ratings.n_items * self.n_raters

    def blocks(self) -> Iterator[Block]:
        """Yield the marks of some items at a time."""
        store = self.ratings._store
        if isinstance(store, NumberMatrix):
            for values in store.chunks(CHUNK):
                yield values, None
            return
        if isinstance(store, MomentTable):
            store = self.ratings._coded_store()  # refuses: there are sums only
        worth = self._worth
        if isinstance(store, CodedMatrix):
            patterns = store.patterns
            for block in blocks(len(patterns.codes), CHUNK):
                weight = patterns.multiplicity[block].astype(np.float64)
                yield worth[patterns.codes[block]], weight
        elif isinstance(store, LongTable):
            yield from self._laid_out(store) if self.by_rater else self._listed(store)
        else:
            times = store.multiplicity
            for block in blocks(len(store.counts), CHUNK):
                each = None if times is None else times[block].astype(np.float64)
                yield self._unfolded(store.counts[block]), each

    @cached_property
    def _worth(self) -> Floats:
        """The number of each label code; a code of -1 is NaN."""
        numbers = self.ratings.numbers
        if numbers is None:
            numbers = np.arange(len(self.ratings.categories), dtype=np.float64)
        return np.append(numbers, np.nan)

    def _laid_out(self, store: LongTable) -> Iterator[Block]:
        """Lay a crowd's ratings out, some items at a time."""
        order = np.argsort(store.item, kind="stable")
        item, rater = store.item[order], store.rater[order]
        marks = self._worth[store.label[order]]
        size = max(MOST_CELLS // self.n_raters, 1)
        for block in blocks(store.n_items, size):
            first, last = np.searchsorted(item, [block.start, block.stop])
            values = np.full((block.stop - block.start, self.n_raters), np.nan)
            values[item[first:last] - block.start, rater[first:last]] = marks[first:last]
            yield values, None

    def _listed(self, store: LongTable) -> Iterator[Block]:
        """List each item's ratings, whoever gave them."""
        order = np.argsort(store.item, kind="stable")
        item, marks = store.item[order], self._worth[store.label[order]]
        place = np.arange(item.size) - np.searchsorted(item, item)
        width = int(place.max(initial=0)) + 1
        for block in blocks(store.n_items, max(MOST_CELLS // width, 1)):
            first, last = np.searchsorted(item, [block.start, block.stop])
            values = np.full((block.stop - block.start, width), np.nan)
            values[item[first:last] - block.start, place[first:last]] = marks[first:last]
            yield values, None

    def _unfolded(self, counts: Any) -> Floats:
        """Turn counts per category into a row of marks; their order means nothing."""
        width = max(int(counts.sum(axis=1).max(initial=0)), 1)
        rows, labels = np.nonzero(counts)
        times = counts[rows, labels]
        row = np.repeat(rows, times)
        place = np.arange(row.size) - np.searchsorted(row, row)
        values = np.full((len(counts), width), np.nan)
        values[row, place] = np.repeat(self._worth[labels], times)
        return values

    def laid_out(self) -> Floats:
        """Return items × raters in the order of the items, each item once, with NaN for gaps."""
        store = self.ratings._store
        if isinstance(store, CodedMatrix):
            parts = [self._worth[codes] for codes in store.decoded()]
        else:
            parts = [values for values, _ in self.blocks()]
        width = max(part.shape[1] for part in parts)
        gaps = [np.full((len(part), width - part.shape[1]), np.nan) for part in parts]
        marks = np.concatenate([np.hstack(pair) for pair in zip(parts, gaps, strict=True)])
        times = store.multiplicity if isinstance(store, (CodedMatrix, CountTable)) else None
        return marks if times is None else np.repeat(marks, times, axis=0)

    def complete(self) -> tuple[Floats, Floats, int]:
        """Return the items that everybody rated, how often each occurs, and how many there are."""
        kept, weights = [], []
        for values, weight in self.blocks():
            full = ~np.isnan(values).any(axis=1)
            kept.append(values[full])
            weights.append(np.ones(int(full.sum())) if weight is None else weight[full])
        weight = np.concatenate(weights)
        return np.concatenate(kept), weight, int(weight.sum())

    def facts(self, measure: str, n_items_used: int) -> dict[str, Any]:
        """Return the fields that every result has."""
        return facts_of(
            measure,
            raters=self.raters,
            n_items=self.ratings.n_items,
            n_items_used=n_items_used,
            flags=self.flags,
            clusters=self.ratings.clusters,
        )


def panel(measure: str, data: tuple[Any, ...], *, raters_known: bool = True) -> Panel:
    """Return the marks of at least two raters."""
    labels = MEASURES[measure].labels
    ratings = taken(measure, data).active()
    if raters_known and not ratings.raters:
        raise UnsupportedDesignError.needs(
            measure,
            "to know who gave which mark",
            "counts of ratings per item",
            "bring the ratings in long or wide form",
        )
    if ratings.n_ratings == 0:
        raise UnsupportedDesignError.needs(measure, "ratings", "none", "check the data")
    if ratings.n_raters < 2:
        raise UnsupportedDesignError.needs(
            measure, "at least two raters", f"{ratings.n_raters}", "bring a second rater's marks"
        )
    return Panel(ratings, flags_of(ratings, labels))
