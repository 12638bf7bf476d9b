"""How ratings lie in memory: four layouts, each frugal for its own kind of design."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from consilience.ratings._encode import Codes, encode_array, smallest_int
from consilience.ratings._patterns import blocks, distinct_rows, is_countable, seen_integers

_WIDEST_RANGE = 4096  # integers that spread more widely are encoded like text


@dataclass(frozen=True, slots=True)
class Patterns:
    """Distinct items: the label code of each rater (-1: none), and how often each occurs."""

    codes: Codes
    multiplicity: NDArray[np.int64]


@dataclass(frozen=True)
class CodedMatrix:
    """Items x raters of small integers, looked at where they lie and never copied.

    ``code_of[x - low]`` is the category code of the stored integer x, or -1 where x is missing.
    """

    matrix: Codes
    low: int
    high: int
    code_of: NDArray[np.int64]
    multiplicity: NDArray[np.int64] | None = None

    @classmethod
    def from_codes(
        cls, codes: Codes, n_categories: int, multiplicity: NDArray[np.int64] | None = None
    ) -> CodedMatrix:
        """Wrap category codes; -1 is missing."""
        code_of = np.arange(-1, n_categories)
        return cls(codes, -1, n_categories - 1, code_of, multiplicity)

    @classmethod
    def from_integers(
        cls, matrix: Codes, missing: Collection[object]
    ) -> tuple[CodedMatrix, list[object]] | None:
        """Look at an integer matrix where it lies; None if its integers spread too widely."""
        low, high = int(matrix.min()), int(matrix.max())
        if high - low >= _WIDEST_RANGE:
            return None
        raw = None
        if is_countable(matrix.shape, high - low + 1):
            raw, counts = distinct_rows(matrix, low, high)
            seen = np.bincount(raw.ravel().astype(np.intp) - low, minlength=high - low + 1) > 0
        else:
            seen = seen_integers(matrix, low, high)
        labels: list[object] = [int(x) for x in np.flatnonzero(seen) + low if int(x) not in missing]
        code_of = np.full(high - low + 1, -1)
        code_of[np.array(labels, dtype=np.intp) - low] = np.arange(len(labels))
        self = cls(matrix, low, high, code_of)
        if raw is not None:  # the pass over the data is already done: keep what it found
            self.__dict__["patterns"] = Patterns(self.decode(raw), counts)
        return self, labels

    def recoded(self, new_code: NDArray[np.int64]) -> CodedMatrix:
        """Renumber the categories: old code k becomes ``new_code[k]``."""
        table = np.append(new_code, -1)
        changed = CodedMatrix(
            self.matrix, self.low, self.high, table[self.code_of], self.multiplicity
        )
        if self.is_reduced:
            old = self.patterns
            renumbered = table.astype(smallest_int(int(table.max(initial=0))))[old.codes]
            changed.__dict__["patterns"] = Patterns(renumbered, old.multiplicity)
        return changed

    @property
    def n_items(self) -> int:
        """Number of items, counted with their multiplicity."""
        if self.multiplicity is None:
            return int(self.matrix.shape[0])
        return int(self.multiplicity.sum())

    @property
    def is_reduced(self) -> bool:
        """Whether the distinct rows are already known."""
        return "patterns" in self.__dict__

    @cached_property
    def patterns(self) -> Patterns:
        """The distinct rows, decoded to category codes."""
        raw, counts = distinct_rows(self.matrix, self.low, self.high, self.multiplicity)
        return Patterns(self.decode(raw), counts)

    def decode(self, raw: Codes) -> Codes:
        """Turn stored integers into category codes."""
        table = self.code_of.astype(smallest_int(int(self.code_of.max(initial=0))))
        return table[raw.astype(np.intp) - self.low]


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
    def n_ratings(self) -> int:
        """Number of ratings that were given."""
        if not self.has_gaps:
            return int(self.values.size)
        return int(self.values.size - np.count_nonzero(np.isnan(self.values)))

    @cached_property
    def coded(self) -> tuple[CodedMatrix, list[object]]:
        """The same ratings as codes, and the distinct numbers."""
        encoded = encode_array(self.values)
        codes = encoded.codes.astype(smallest_int(len(encoded.labels))).reshape(self.values.shape)
        return CodedMatrix.from_codes(codes, len(encoded.labels)), encoded.labels

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


@dataclass(frozen=True)
class CountTable:
    """Items x categories: how many raters chose each category; who they were is unknown."""

    counts: NDArray[np.int64]

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.counts.shape[0])


Store = CodedMatrix | NumberMatrix | LongTable | CountTable

__all__ = ["CodedMatrix", "CountTable", "LongTable", "NumberMatrix", "Patterns", "Store"]
