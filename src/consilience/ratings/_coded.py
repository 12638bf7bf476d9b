"""A matrix of small integers, items x raters, and its distinct rows."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Codes, above, smallest_int
from consilience.ratings.patterns import blocks, distinct_rows, is_countable, seen_integers

WIDEST_RANGE = 4096  # integers that spread more widely are encoded like text


@dataclass(frozen=True, slots=True)
class Patterns:
    """Distinct items: the label code of each rater (-1: none), and how often each occurs."""

    codes: Codes
    multiplicity: NDArray[np.int64]

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
            self = self._knowing(Patterns(self._table[digits], counts))
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
        return Patterns(self._table[digits], counts)

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
        return changed._knowing(Patterns(renumbered, self.patterns.multiplicity))

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
