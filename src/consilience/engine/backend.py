"""What an engine must do, what a reduction wants of it, and an item's ratings as a few numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from consilience.core.arrays import Ints
from consilience.core.cell_values import as_number
from consilience.core.labels import Note
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.ratings.stores import MomentTable

# ---- All ratings of an item in a few whole numbers, so that any engine can group items by them.
#
# By rater: each rater has a field of bits that holds the code of her label plus one, 0 where she
# gave none. By label: each label has a field that counts its ratings. Fields are put together in
# words of at most 62 bits, which every engine can add and compare.

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

    def weights(self, place_of: Mapping[Any, int]) -> list[dict[Any, int]]:
        """Return for each word what a cell adds to it that goes into the field at its place."""
        found: list[dict[Any, int]] = [{} for _ in range(self.n_words)]
        for raw, k in place_of.items():
            place = self.field(k)
            found[place.word][raw] = 1 << place.shift
        return found

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


# ---- What a reduction is made of: what is wanted, what was found, and what an engine must do.

_OURSELVES = 150_000_000  # bytes of the program itself
_TRIFLE = 16 << 20  # bytes that no limit is worth a refusal for


class Labels(Protocol):
    """What a reader of labels says about the different cells of a column."""

    @property
    def labels(self) -> list[object]:
        """The labels in order."""

    @property
    def code_of(self) -> list[int]:
        """The place of each cell's label; -1 for a cell that was declared to be missing."""

    @property
    def declared(self) -> bool:
        """Whether the labels were stated rather than found."""

    @property
    def evidence(self) -> tuple[str, ...]:
        """How the cells were taken."""

    @property
    def notes(self) -> tuple[Note, ...]:
        """What the owner of the data should know."""

    @property
    def scale(self) -> str | None:
        """The scale that was told or that the labels show; None leaves it to the default."""


@dataclass(frozen=True, kw_only=True)
class Wanted:
    """What the caller wants to have: how labels are read, and what may be given up for speed."""

    read: Callable[[Sequence[object]], Labels]
    scale: str | None = None  # None: nobody told it
    has_categories: bool = False
    marks: tuple[object, ...] = ()  # labels that mean "no rating"
    may_forget_raters: bool = True  # counts per label for crowds, sums for numbers


@dataclass(frozen=True)
class Vocabulary:
    """Who rated, which labels were given, and which cells stand for each of them."""

    raters: tuple[Any, ...]
    rater_of: dict[Any, int]  # several cells may name one rater
    label_of: dict[Any, int]
    blank_raters: tuple[Any, ...]  # cells of blanks only
    blank_labels: tuple[Any, ...]
    marked: tuple[Any, ...]  # label cells that were declared to be missing
    reading: Labels
    is_complete: bool = True  # whether every row was looked at


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What a look at every row told, with the vocabulary known."""

    n_rows: int
    n_rated: int
    n_marked: int
    n_blank_rows: int  # without item, rater and label
    n_unknown: int  # cells that the vocabulary does not know
    n_without_rater: int
    n_without_item: int


@dataclass(frozen=True)
class Reduced:
    """Ratings, and what became of the rows."""

    ratings: Ratings
    checked: Checked
    evidence: tuple[str, ...] = ()
    n_raters: int = field(default=0)


class Backend(Protocol):
    """What an engine must be able to do with a long table of item, rater and label."""

    @property
    def is_ordered(self) -> bool:
        """Whether rows have an order, so that what appears first can be listed first."""

    def pairs(self, first: int | None) -> list[tuple[Any, Any]]:
        """Return every rater cell and every label cell of the first rows, or of all.

        By first appearance where there is an order; cells are as they are, None where empty.
        """

    def checked(self, vocabulary: Vocabulary, *, thorough: bool) -> Checked:
        """Look at every row with the vocabulary known; from now on items are clean.

        Without `thorough`, a table without any empty cell may be taken to know no other raters and
        labels: then fewer ratings come back than there are rows, if it does.
        """

    def has_more_labels_than(self, most: int) -> bool:
        """Say whether there are so many different labels that they should not be listed."""

    def packed_by_rater(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by who gave which label."""

    def packed_by_label(self, vocabulary: Vocabulary, packing: Packing) -> Packed:
        """Group items by how often each label was given."""

    def repeated(self, vocabulary: Vocabulary | None) -> tuple[Any, Any, int] | None:
        """Return an item and a rater who rated it more than once, and how often; None if none."""

    def moments(self, marks: Sequence[object]) -> tuple[MomentTable, tuple[Any, ...], Checked]:
        """Return sums of numbers for items with equally many ratings, the raters, and the rows."""


def numbers_among(marks: Sequence[object]) -> list[float]:
    """Return the finite numbers among labels that mean "no rating", as 9 or as "9"."""
    return [number for mark in marks if (number := as_number(mark)) is not None]


def refuse_unnamed(without_rater: int, without_item: int) -> None:
    """Refuse ratings of which it is not said whose they are, or of what."""
    for what, empty in (("rater", without_rater), ("item", without_item)):
        if empty:
            raise InputError.expected(
                f"every {what}", "named", f"{empty:,} ratings without one", "fill them in"
            )


def needs_memory(limit: int | None, needed: int, what: str) -> None:
    """Say no before it is begun where the whole process would outgrow its limit."""
    if limit is not None and needed > _TRIFLE and needed + _OURSELVES > limit:
        gigabytes = (needed + _OURSELVES) / 1e9
        raise UnsupportedDesignError.needs(
            "the memory limit",
            f"at least {gigabytes:.1f} GB for {what}",
            f"{limit / 1e9:.1f} GB",
            "raise it, put labels together, or reduce the table in parts and merge their rows",
        )
