"""Ratings as counts of rows × (rater · label): what every latent model needs to see of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Indices, dense
from consilience.exceptions import UnsupportedDesignError
from consilience.latent.entries import check_ratings
from consilience.ratings import Ratings
from consilience.ratings.stores import (
    CodedMatrix,
    CountTable,
    LongTable,
    MomentTable,
    NumberMatrix,
    as_long,
)

_DENSE_CELLS = 400_000  # cells up to which a plain array beats a sparse one
_COUNTABLE_KEYS = 1 << 22
_LARGEST_KEY = 1 << 62
_MOST_LABELS = 1_000
_MOST_RATES = 100_000_000  # raters × labels × labels


@dataclass(frozen=True)
class Votes:
    """Who gave which label to what.

    Attributes
    ----------
    counts : sparse or plain array, rows × (rater · label)
        How often each rater gave each label; repeated ratings count. In a crowd a row is an item;
        where few raters rated everything it is a pattern that many items share.
    multiplicity : array
        How many items each row stands for; 0 for a row without ratings.
    row : array or None
        The row of each item; None where each item has its own.
    """

    counts: Any
    multiplicity: Floats
    row: Indices | None
    n_items: int
    n_raters: int
    n_labels: int
    n_repeats: int = 0

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.multiplicity.size)

    @property
    def n_rated(self) -> int:
        """Number of items that somebody rated."""
        return round(float(self.multiplicity.sum()))

    @cached_property
    def is_plain(self) -> bool:
        """Whether each row stands for one item."""
        return bool((self.multiplicity == 1.0).all())

    def shares(self) -> Floats:
        """Return the share of the votes of each row that each label got (rows × labels)."""
        every_rater = np.tile(np.eye(self.n_labels), (self.n_raters, 1))
        votes = np.asarray(self.counts @ every_rater)
        total = votes.sum(axis=1, keepdims=True)
        return np.asarray(np.divide(votes, total, out=np.zeros_like(votes), where=total > 0))

    def totals(self) -> Floats:
        """Return how often each rater gave each label (raters × labels)."""
        total = np.asarray(self.counts.T @ self.multiplicity)
        return total.reshape(self.n_raters, self.n_labels)

    def tables(self, cells: Floats) -> Floats:
        """Turn (rater · label) × classes into raters × classes × labels."""
        return cells.reshape(self.n_raters, self.n_labels, -1).transpose(0, 2, 1)

    def ratings_of_rows(self) -> Floats:
        """Return how many ratings each row has."""
        return np.asarray(self.counts @ np.ones(self.n_raters * self.n_labels))

    def dense(self, block: slice = slice(None)) -> Floats:
        """Return some rows as a plain array."""
        part = self.counts[block]
        return dense(part)

    def of_items(self, by_row: NDArray[Any], *, unrated: Any = np.nan) -> NDArray[Any]:
        """Hand what was found for each row to its items; items without ratings get `unrated`."""
        out = by_row.copy() if self.row is None else by_row[self.row]
        nobody = self.multiplicity == 0
        if nobody.any():
            out[nobody if self.row is None else nobody[self.row]] = unrated
        return out

    def drawn(self, multiplicity: Floats) -> Votes:
        """Return the same rows standing for other numbers of items."""
        return replace(self, multiplicity=multiplicity)


def votes_of(what: str, ratings: Ratings, *, occasions: str = "all") -> Votes:
    """Count the ratings; refuse what no latent model can be fitted to.

    `occasions` is "all", where a rater's second look at an item counts like the first, or "first".
    """
    stores = _stores(what, check_ratings(ratings))
    if occasions == "first":
        stores = stores[:1]
    n_labels = len(ratings.categories)
    votes = _from_codes(stores, n_labels) or _from_long(stores, n_labels)
    _check_design(what, ratings, votes)
    return votes


def _stores(what: str, ratings: Ratings) -> list[CodedMatrix | LongTable]:
    out: list[CodedMatrix | LongTable] = []
    for store in (ratings._store, *ratings._later):
        if isinstance(store, (CountTable, MomentTable)):
            kept = "counts of ratings" if isinstance(store, CountTable) else "sums of numbers"
            raise UnsupportedDesignError.needs(
                what,
                "to know who gave which rating",
                f"{kept} per item",
                "bring the ratings in long or wide form, one entry per rating",
            )
        n_labels = len(ratings.categories)
        if n_labels > _MOST_LABELS or n_labels**2 * ratings.n_raters > _MOST_RATES:
            raise UnsupportedDesignError.needs(
                what,
                "labels that repeat",
                f"{n_labels:,} different ones",
                "use an intraclass correlation for measurements, or round them to a few categories",
            )
        out.append(store.coded[0] if isinstance(store, NumberMatrix) else store)
    return out


def _check_design(what: str, ratings: Ratings, votes: Votes) -> None:
    totals = votes.totals()
    active = int((totals.sum(axis=1) > 0).sum())
    if active < 2:
        raise UnsupportedDesignError.needs(
            what,
            "at least two raters with ratings",
            f"{active}",
            "let somebody else rate the same items",
        )
    used = np.flatnonzero(totals.sum(axis=0) > 0)
    if used.size < 2:
        only = ratings.categories[int(used[0])]
        raise UnsupportedDesignError.needs(
            what,
            "at least two different labels among the ratings",
            f"one: {only!r}",
            "with a single label there is nothing to find out; check that all ratings were read",
        )
    if not (votes.ratings_of_rows()[votes.multiplicity > 0] >= 2).any():
        raise UnsupportedDesignError.needs(
            what,
            "items that more than one rater rated",
            f"{votes.n_rated:,} items with one rating each",
            "give some items to several raters",
        )


# -------------------------------------------------------------------- layouts


def _from_codes(stores: list[CodedMatrix | LongTable], n_labels: int) -> Votes | None:
    """Count distinct rows of a matrix; None where the ratings lie one by one, or rows differ."""
    matrices = [store for store in stores if isinstance(store, CodedMatrix)]
    if len(matrices) < len(stores):
        return None
    times = matrices[0].multiplicity
    codes = np.concatenate([store.decode(store.matrix) for store in matrices], axis=1)
    n_raters = matrices[0].n_rater_codes
    owner = np.tile(np.arange(n_raters), len(matrices))
    found = _distinct(codes, n_labels + 1)
    if found is None:
        row = np.arange(len(codes))
    else:
        first, row = found
        codes = codes[first]
    weight = np.bincount(row, weights=times, minlength=len(codes)).astype(np.float64)
    of_item: Indices | None = row if times is None else np.repeat(row, times)
    if found is None and times is None:
        of_item = None
    weight[~(codes >= 0).any(axis=1)] = 0.0
    place, column = np.nonzero(codes >= 0)
    cell = owner[column] * n_labels + codes[place, column]
    counts = _incidence(place, cell, (len(codes), n_raters * n_labels))
    n_items = len(row) if times is None else int(times.sum())
    repeats = 0
    if len(matrices) > 1:
        repeats = int(weight @ (codes[:, n_raters:] >= 0).sum(axis=1))
    return Votes(counts, weight, of_item, n_items, n_raters, n_labels, repeats)


def _distinct(codes: NDArray[Any], base: int) -> tuple[Indices, Indices] | None:
    """Return the first place of each distinct row, and the distinct row that each row is."""
    n_rows, n_columns = codes.shape
    space = base**n_columns
    if space >= _LARGEST_KEY:
        return None
    keys = np.zeros(n_rows, dtype=np.int64)
    for column in codes.T:
        keys *= base
        keys += column
        keys += 1
    if space > min(_COUNTABLE_KEYS, 8 * n_rows + 4096):
        _, first, row = np.unique(keys, return_index=True, return_inverse=True)
        return first, row.reshape(-1)
    where = np.full(space, -1, dtype=np.intp)
    where[keys[::-1]] = np.arange(n_rows - 1, -1, -1)  # the last assignment is the first place
    found = np.flatnonzero(where >= 0)
    place = np.empty(space, dtype=np.intp)
    place[found] = np.arange(found.size)
    return where[found], place[keys]


def _from_long(stores: list[CodedMatrix | LongTable], n_labels: int) -> Votes:
    tables = [as_long(store) for store in stores]
    first = tables[0]
    item = np.concatenate([table.item for table in tables]) if len(tables) > 1 else first.item
    cells = [np.multiply(t.rater, n_labels, dtype=np.int64) + t.label for t in tables]
    cell = np.concatenate(cells) if len(cells) > 1 else cells[0]
    counts = _incidence(item, cell, (first.n_items, first.n_rater_codes * n_labels))
    weight = (np.bincount(item, minlength=first.n_items) > 0).astype(np.float64)
    repeats = sum(table.n_ratings for table in tables[1:])
    return Votes(counts, weight, None, first.n_items, first.n_rater_codes, n_labels, repeats)


def _incidence(row: NDArray[Any], column: NDArray[Any], shape: tuple[int, int]) -> Any:
    """Count (row, column) pairs; a sparse array may list a pair twice instead of counting it."""
    if shape[0] * shape[1] <= _DENSE_CELLS:
        flat = np.multiply(row, shape[1], dtype=np.int64) + column
        counts = np.bincount(flat, minlength=shape[0] * shape[1])
        return counts.reshape(shape).astype(np.float64)
    from scipy.sparse import csr_array

    column = column.astype(np.int32)
    if row.size and (np.diff(row) < 0).any():
        # Turning one long row by columns sorts the pairs in linear time.
        ends = np.array([0, row.size])
        one = csr_array((column, row.astype(np.int32), ends), shape=(1, shape[0]))
        column = one.tocsc().data
    ends = np.zeros(shape[0] + 1, dtype=np.int64)
    np.cumsum(np.bincount(row, minlength=shape[0]), out=ends[1:])
    if ends[-1] < 2**31:
        ends = ends.astype(np.int32)
    return csr_array((np.ones(column.size), column, ends), shape=shape)
