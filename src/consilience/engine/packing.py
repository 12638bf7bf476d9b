"""All ratings of an item in a few whole numbers, so that any engine can group items by them.

By rater: each rater has a field of bits that holds the code of her label plus one, 0 where she gave
none. By label: each label has a field that counts its ratings. Fields are put together in words of
at most 62 bits, which every engine can add and compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Ints

WORD_BITS = 62
MOST_WORDS = 4  # by rater: about 80 raters and 5 labels; beyond, raters are a crowd
COUNT_BITS = 10  # by label: up to 1,023 ratings of an item; where one has more, as many as needed


@dataclass(frozen=True)
class Field:
    """Where something is kept: which word, and by how many bits it is shifted."""

    word: int
    shift: int


@dataclass(frozen=True)
class Packing:
    """Fields of equal width in as few words as possible."""

    n_fields: int
    bits: int

    @property
    def per_word(self) -> int:
        """Fields in one word."""
        return WORD_BITS // self.bits

    @property
    def n_words(self) -> int:
        """Words that all fields together take."""
        return -(-self.n_fields // self.per_word)

    def field(self, k: int) -> Field:
        """Return the place of the k-th field."""
        return Field(k // self.per_word, self.bits * (k % self.per_word))

    @property
    def word_bits(self) -> int:
        """Bits of the fullest word."""
        return min(self.n_fields, self.per_word) * self.bits

    def unpack(self, words: Sequence[Ints]) -> Ints:
        """Return the content of every field: rows x fields."""
        mask = (1 << self.bits) - 1
        fields = [self.field(k) for k in range(self.n_fields)]
        return np.stack([(words[f.word] >> f.shift) & mask for f in fields], axis=1)


def by_rater(n_raters: int, n_labels: int) -> Packing | None:
    """Return the packing of labels by rater; None where the raters are a crowd."""
    packing = Packing(n_raters, max(1, int(n_labels).bit_length()))
    return packing if packing.n_words <= MOST_WORDS else None


def by_label(n_labels: int, most: int = 0) -> Packing:
    """Return the packing of counts by label, none of which is above `most`."""
    return Packing(n_labels, max(COUNT_BITS, int(most).bit_length()))


@dataclass(frozen=True)
class Packed:
    """What an engine hands back: distinct words, and how many items have them.

    ``n_ratings`` is how many ratings each such item has and ``checksum`` the sum of what was put
    into its fields; they tell whether fields ran over, as they do when a rater rated twice.
    """

    words: tuple[Ints, ...]
    n_ratings: Ints
    checksum: Ints
    multiplicity: Ints

    @classmethod
    def of(cls, columns: Sequence[Any], n_words: int) -> Packed:
        """Make it from the columns of an engine's answer: words, n, checksum, items."""
        whole = [np.asarray(column).astype(np.int64) for column in columns]
        return cls(tuple(whole[:n_words]), *whole[n_words:])
