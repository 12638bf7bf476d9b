"""How ratings lie in memory: four layouts, each frugal for its own kind of design."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Codes, above, smallest_int
from consilience.ratings._coded import CodedMatrix, Patterns
from consilience.ratings.patterns import blocks

_SPARSE_FROM = 8  # cells per rating above which an items x raters matrix would waste memory
_SMALL_MATRIX = 1_000_000
_FACTS = 4  # of an item's numbers: 1, distance within, sum, squares


@dataclass(frozen=True)
class NumberMatrix:
    """Items x raters of numbers that hardly repeat; NaN is missing. Coded only on demand."""

    values: NDArray[np.float64]
    has_gaps: bool

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.values.shape[0])

    @property
    def n_rater_codes(self) -> int:
        """Number of columns."""
        return int(self.values.shape[1])

    @property
    def n_ratings(self) -> int:
        """Number of ratings that were given."""
        if not self.has_gaps:
            return int(self.values.size)
        return int(self.values.size - np.count_nonzero(np.isnan(self.values)))

    @cached_property
    def coded(self) -> tuple[CodedMatrix, list[object]]:
        """The same ratings as codes, and the distinct numbers."""
        from consilience.ratings.encode import encode_array

        encoded = encode_array(self.values)
        codes = encoded.codes.astype(smallest_int(len(encoded.labels))).reshape(self.values.shape)
        return CodedMatrix.from_codes(codes, len(encoded.labels)), encoded.labels

    def busy(self) -> NDArray[np.bool_]:
        """Tell for each rater whether she rated anything."""
        if not self.has_gaps:
            return np.ones(self.n_rater_codes, dtype=np.bool_)
        return np.array([not np.isnan(column).all() for column in self.values.T])

    def chunks(self, size: int) -> Iterator[NDArray[np.float64]]:
        """Yield blocks of items."""
        for block in blocks(self.values.shape[0], size):
            yield self.values[block].astype(np.float64, copy=False)


@dataclass(frozen=True)
class LongTable:
    """One entry a rating, for crowds: never an items x raters matrix. Missing labels are gone."""

    item: Codes
    rater: Codes
    label: Codes
    n_items: int
    n_rater_codes: int
    run_length: int | None = None  # where the ratings of each item lie together, so many of each

    @property
    def n_ratings(self) -> int:
        """Number of ratings that were given."""
        return int(self.label.size)

    @cached_property
    def is_grouped(self) -> bool:
        """Whether the ratings of each item lie together, in the order of the items."""
        return self.run_length is not None or bool(np.all(self.item[1:] >= self.item[:-1]))

    @cached_property
    def per_item(self) -> NDArray[np.intp]:
        """Number of ratings of each item."""
        if self.run_length is not None:
            return np.full(self.n_items, self.run_length)
        return np.bincount(self.item, minlength=self.n_items)

    def recoded(self, new_code: NDArray[np.int64]) -> LongTable:
        """Renumber the categories: old code k becomes ``new_code[k]``."""
        narrow = new_code.astype(smallest_int(int(new_code.max(initial=0))))
        return replace(self, label=narrow[self.label])

    def selected(self, raters: Sequence[int]) -> CodedMatrix | LongTable:
        """Keep the ratings of some raters, numbered in the order given."""
        new_code = np.full(self.n_rater_codes, -1)
        new_code[list(raters)] = np.arange(len(raters))
        rater = new_code[self.rater]
        mine = rater >= 0
        return LongTable(
            self.item[mine], rater[mine], self.label[mine], self.n_items, len(raters)
        ).laid_out()

    def complete(self) -> tuple[CodedMatrix | LongTable, NDArray[np.bool_]]:
        """Keep the items that every rater rated, and tell which they are."""
        full = self.per_item == self.n_rater_codes
        place = np.cumsum(full) - 1
        mine = full[self.item]
        kept = LongTable(
            place[self.item[mine]],
            self.rater[mine],
            self.label[mine],
            int(full.sum()),
            self.n_rater_codes,
        )
        return kept.laid_out(), full

    def laid_out(self) -> CodedMatrix | LongTable:
        """Lay the ratings out as a matrix, unless it would be nearly empty."""
        if is_sparse(self.n_items, self.n_rater_codes, self.item.size):
            return self
        n_labels = int(self.label.max(initial=-1)) + 1
        codes = np.full((self.n_rater_codes, self.n_items), -1, dtype=smallest_int(n_labels))
        codes[self.rater, self.item] = self.label
        return CodedMatrix.from_codes(codes.T, n_labels)

    def joined(self, other: LongTable) -> LongTable:
        """Put the ratings of other items, with the same raters and categories, below these."""
        return LongTable(
            np.concatenate([self.item, above(other.item, -self.n_items)]),
            np.concatenate([self.rater, other.rater]),
            np.concatenate([self.label, other.label]),
            self.n_items + other.n_items,
            self.n_rater_codes,
        )


@dataclass(frozen=True)
class CountTable:
    """Items x categories: how many raters chose each category; who they were is unknown.

    ``multiplicity`` is how many items each row stands for (None: one), ``n_raters`` how many
    raters there are, where that is known.
    """

    counts: NDArray[np.int64]
    multiplicity: NDArray[np.int64] | None = None
    n_raters: int | None = None

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.counts.shape[0] if self.multiplicity is None else self.multiplicity.sum())

    @property
    def n_ratings(self) -> int:
        """Number of ratings that were given."""
        return int(self.counts.sum(axis=1) @ self.times)

    @property
    def times(self) -> NDArray[np.int64]:
        """How many items each row stands for."""
        once = np.ones(len(self.counts), dtype=np.int64)
        return once if self.multiplicity is None else self.multiplicity

    def recoded(self, new_code: NDArray[np.int64], n_codes: int | None = None) -> CountTable:
        """Renumber the categories: the counts of old code k are added to ``new_code[k]``.

        There are so many new codes; if not said, the highest one is the last.
        """
        size = int(new_code.max()) + 1 if n_codes is None else n_codes
        counts = np.zeros((len(self.counts), size), dtype=np.int64)
        np.add.at(counts.T, new_code, self.counts.T)
        return replace(self, counts=counts)

    def joined(self, other: CountTable) -> CountTable:
        """Put the items of another table, with the same categories, below these."""
        times = None
        if self.multiplicity is not None or other.multiplicity is not None:
            times = np.concatenate([self.times, other.times])
        return CountTable(np.concatenate([self.counts, other.counts]), times)


@dataclass(frozen=True)
class MomentTable:
    """Numbers of which only sums are known, for items with equally many ratings.

    For each number of ratings n: the sum over items of the facts (1, within, sum, squares), where
    within is the squared difference summed over the ordered pairs of the item's ratings, and of
    the facts' products. Sums are taken about a common centre. Of ranks there are two facts more:
    how each item moves the ranks of all, and with them what alpha observes and expects.
    """

    n_ratings_of: NDArray[np.int64]  # (groups,)
    totals: NDArray[np.float64]  # (groups, 4), of ranks (groups, 6)
    products: NDArray[np.float64]  # (groups, 4, 4), of ranks (groups, 6, 6)
    low: float
    high: float

    @property
    def are_ranks(self) -> bool:
        """Whether the numbers are ranks among all of them."""
        return bool(self.totals.shape[1] > _FACTS)

    @classmethod
    def from_sums(cls, rows: Sequence[Sequence[float]], *, low: float, high: float) -> MomentTable:
        """Make it from rows of n, items, sums of three or five facts, and of their products."""
        table = np.array(rows, dtype=np.float64)
        size = 4 if table.shape[1] == 11 else 6
        totals = table[:, 1 : size + 1]
        products = np.zeros((len(table), size, size))
        products[:, 0, :] = products[:, :, 0] = totals
        pairs = [(j, k) for j in range(1, size) for k in range(j, size)]
        for column, (j, k) in enumerate(pairs, start=size + 1):
            products[:, j, k] = products[:, k, j] = table[:, column]
        return cls(table[:, 0].astype(np.int64), totals, products, low, high)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return round(float(self.totals[:, 0].sum()))

    @property
    def n_ratings(self) -> int:
        """Number of ratings that were given."""
        return round(float(self.totals[:, 0] @ self.n_ratings_of))


def is_sparse(n_items: int, n_raters: int, n_ratings: int) -> bool:
    """Say whether an items x raters matrix would be large and nearly empty."""
    cells = n_items * n_raters
    return cells > _SMALL_MATRIX and cells > _SPARSE_FROM * n_ratings


def as_long(store: CodedMatrix | LongTable) -> LongTable:
    """List the ratings one by one."""
    if isinstance(store, LongTable):
        return store
    codes = store.decode(store.matrix)
    if store.multiplicity is not None:
        codes = np.repeat(codes, store.multiplicity, axis=0)
    item, rater = np.nonzero(codes >= 0)
    return LongTable(item, rater, codes[item, rater], len(codes), codes.shape[1])


Store = CodedMatrix | NumberMatrix | LongTable | CountTable | MomentTable

__all__ = [
    "CodedMatrix",
    "CountTable",
    "LongTable",
    "MomentTable",
    "NumberMatrix",
    "Patterns",
    "Store",
    "as_long",
    "is_sparse",
]
