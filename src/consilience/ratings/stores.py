"""How ratings lie in memory: four layouts, each frugal for its own kind of design."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Codes, above, blocks, smallest_int
from consilience.ratings.patterns import distinct_rows, is_countable, seen_integers

# ---- A matrix of small integers, items x raters, and its distinct rows.

WIDEST_RANGE = 4096  # integers that spread more widely are encoded like text


@dataclass(frozen=True, slots=True)
class Patterns:
    """Distinct items: the label code of each rater (-1: none), and how often each occurs."""

    codes: Codes
    multiplicity: NDArray[np.int64]

    @classmethod
    def of(cls, digits: Codes, counts: NDArray[np.int64], code_of: Codes) -> Patterns:
        """Decode distinct rows of integers; rows stay distinct and in the order of their codes."""
        decoded = cls(code_of[digits], counts)
        seen = np.zeros(code_of.size, dtype=np.bool_)
        seen[digits] = True
        steps = np.diff(code_of[seen].astype(np.int64))
        # A mark among or above the labels, and a second mark, come in another place than -1.
        return decoded if (steps > 0).all() else decoded.merged()

    def merged(self) -> Patterns:
        """Count equal rows together."""
        high = int(self.codes.max(initial=-1))
        digits, multiplicity = distinct_rows(self.codes, -1, high, self.multiplicity)
        return Patterns(digits - digits.dtype.type(1), multiplicity)


@dataclass(frozen=True)
class CodedMatrix:
    """Items x raters of small integers, looked at where they lie and never copied.

    ``code_of[x - low]`` is the category code of the stored integer x, or -1 where x is missing.
    ``raters`` are the columns that count (None: all); ``multiplicity`` is how many items each row
    stands for (None: one), one after the other in the order of the items.
    """

    source: Codes
    low: int
    high: int
    code_of: NDArray[np.int64]
    multiplicity: NDArray[np.int64] | None = None
    raters: tuple[int, ...] | None = None

    @classmethod
    def from_codes(
        cls, codes: Codes, n_categories: int, multiplicity: NDArray[np.int64] | None = None
    ) -> CodedMatrix:
        """Wrap category codes; -1 is missing."""
        return cls(codes, -1, n_categories - 1, np.arange(-1, n_categories), multiplicity)

    @classmethod
    def from_integers(
        cls, matrix: Codes, marks: Set[Hashable]
    ) -> tuple[CodedMatrix, list[object]] | None:
        """Look at an integer matrix where it lies; None if its integers spread too widely."""
        low, high = int(matrix.min()), int(matrix.max())
        if high - low >= WIDEST_RANGE:
            return None
        digits = None
        if is_countable(matrix.shape, high - low + 1):
            digits, counts = distinct_rows(matrix, low, high)
            seen = np.bincount(digits.ravel(), minlength=high - low + 1) > 0
        else:
            seen = seen_integers(matrix, low, high)
        found = [k for k in np.flatnonzero(seen).tolist() if low + k not in marks]
        code_of = np.full(high - low + 1, -1)
        code_of[found] = np.arange(len(found))
        self = cls(matrix, low, high, code_of)
        if digits is not None:  # the pass over the data is already done: keep what it found
            self = self._knowing(Patterns.of(digits, counts, self._table))
        return self, [low + k for k in found]

    @cached_property
    def matrix(self) -> Codes:
        """The stored integers of the raters that count."""
        return self.source if self.raters is None else self.source[:, list(self.raters)]

    @property
    def n_rater_codes(self) -> int:
        """Number of columns."""
        return int(self.source.shape[1]) if self.raters is None else len(self.raters)

    @property
    def n_items(self) -> int:
        """Number of items, counted with their multiplicity."""
        if self.multiplicity is None:
            return int(self.source.shape[0])
        return int(self.multiplicity.sum())

    @property
    def n_categories(self) -> int:
        """Number of category codes."""
        return int(self.code_of.max(initial=-1)) + 1

    @property
    def is_reduced(self) -> bool:
        """Whether the distinct rows are already known."""
        return "patterns" in self.__dict__

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct rows, decoded to category codes."""
        digits, counts = distinct_rows(self.matrix, self.low, self.high, self.multiplicity)
        return Patterns.of(digits, counts, self._table)

    @cached_property
    def _table(self) -> Codes:
        return self.code_of.astype(smallest_int(self.n_categories))

    def decode(self, integers: Codes) -> Codes:
        """Turn stored integers into category codes."""
        return self._table[above(integers, self.low)]

    def decoded(self) -> Iterator[Codes]:
        """Yield the category codes of some rows at a time."""
        for block in blocks(len(self.source)):
            yield self.decode(self.matrix[block])

    def recoded(self, new_code: NDArray[np.int64]) -> CodedMatrix:
        """Renumber the categories: old code k becomes ``new_code[k]``."""
        table = np.append(new_code, -1)
        changed = replace(self, code_of=table[self.code_of])
        if not self.is_reduced:
            return changed
        renumbered = table.astype(smallest_int(int(table.max(initial=0))))[self.patterns.codes]
        return changed._knowing(Patterns(renumbered, self.patterns.multiplicity).merged())

    def selected(self, raters: Sequence[int]) -> CodedMatrix:
        """Keep the columns of some raters, in the order given."""
        columns = range(self.source.shape[1]) if self.raters is None else self.raters
        chosen = replace(self, raters=tuple(columns[r] for r in raters))
        if not self.is_reduced or 2 * len(self.patterns.codes) > len(self.source):
            return chosen
        few = Patterns(self.patterns.codes[:, list(raters)], self.patterns.multiplicity)
        return chosen._knowing(few.merged())

    def complete(self) -> tuple[CodedMatrix, NDArray[np.bool_]]:
        """Keep the rows that every rater rated, and tell which items they are."""
        full = np.concatenate([(codes >= 0).all(axis=1) for codes in self.decoded()])
        times = self.multiplicity
        kept = replace(
            self,
            source=self.source[full],
            multiplicity=None if times is None else times[full],
        )
        if self.is_reduced:
            rows = (self.patterns.codes >= 0).all(axis=1)
            few = Patterns(self.patterns.codes[rows], self.patterns.multiplicity[rows])
            kept = kept._knowing(few)
        return kept, full if times is None else np.repeat(full, times)

    def busy(self) -> NDArray[np.bool_]:
        """Tell for each rater whether she rated anything."""
        if self.is_reduced:
            return np.asarray((self.patterns.codes >= 0).any(axis=0))
        busy = np.zeros(self.n_rater_codes, dtype=np.bool_)
        for codes in self.decoded():
            busy |= (codes >= 0).any(axis=0)
            if busy.all():
                break
        return busy

    @property
    def n_ratings(self) -> int:
        """Number of ratings that were given."""
        if self.is_reduced or self.multiplicity is not None:
            given = (self.patterns.codes >= 0).sum(axis=1)
            return int((given * self.patterns.multiplicity).sum())
        return sum(int(np.count_nonzero(codes >= 0)) for codes in self.decoded())

    def joined(self, other: CodedMatrix) -> CodedMatrix:
        """Put the rows of another matrix with the same categories below these."""
        codes = np.concatenate([self.decode(self.matrix), other.decode(other.matrix)])
        times = None
        if self.multiplicity is not None or other.multiplicity is not None:
            times = np.concatenate([self._times, other._times])
        both = CodedMatrix.from_codes(codes, max(self.n_categories, other.n_categories), times)
        if not (self.is_reduced and other.is_reduced):
            return both
        a, b = self.patterns, other.patterns
        rows = np.concatenate([a.codes, b.codes])
        times = np.concatenate([a.multiplicity, b.multiplicity])
        return both._knowing(Patterns(rows, times).merged())

    @property
    def _times(self) -> NDArray[np.int64]:
        once = np.ones(len(self.source), dtype=np.int64)
        return once if self.multiplicity is None else self.multiplicity

    def _knowing(self, patterns: Patterns) -> CodedMatrix:
        """Remember the distinct rows, where they follow from what was known before."""
        self.__dict__["patterns"] = patterns
        return self


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
