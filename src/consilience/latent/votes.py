"""Ratings one by one, and as counts of items × (rater · label): what latent models see of them.

Cost grows with the ratings only. Repeated ratings and clusters of items have their views here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Indices, Ints, dense
from consilience.core.draws import RandomStream
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.ratings.clusters import Clusters
from consilience.ratings.stores import (
    CodedMatrix,
    CountTable,
    LongTable,
    MomentTable,
    NumberMatrix,
    as_long,
)

# ---- one by one


@dataclass(frozen=True)
class Entries:
    """One entry a rating; for counts without raters, only `counts` is known.

    Attributes
    ----------
    item, rater, label : arrays of codes, one entry a rating; empty for counts without raters
    counts : sparse array, items × labels
        How many raters gave each label to each item.
    """

    item: Indices
    rater: Indices
    label: Indices
    n_items: int
    n_raters: int
    n_labels: int
    counts: Any

    @cached_property
    def per_item(self) -> Floats:
        """How many ratings each item has."""
        return np.asarray(self.counts.sum(axis=1), dtype=np.float64).reshape(-1)

    @cached_property
    def per_label(self) -> Floats:
        """How often each label was given."""
        return np.asarray(self.counts.sum(axis=0), dtype=np.float64).reshape(-1)

    @cached_property
    def cell_item(self) -> Indices:
        """The item of each cell of `counts` that is not empty."""
        return np.repeat(np.arange(self.n_items), np.diff(self.counts.indptr))

    @cached_property
    def entropy(self) -> Floats:
        """Entropy of the labels that each item got, in bits; 0 for an item without any."""
        share = self.counts.data / self.per_item[self.cell_item]
        bits = np.zeros(self.n_items)
        np.subtract.at(bits, self.cell_item, share * np.log2(share))
        return bits

    def by_rater_label(self, weights: Floats | None = None) -> Floats:
        """Sum over the ratings of each rater by label (raters × labels)."""
        key = self.rater * self.n_labels + self.label
        size = self.n_raters * self.n_labels
        found = np.bincount(key, weights=weights, minlength=size).astype(np.float64)
        return found.reshape(self.n_raters, self.n_labels)


def check_ratings(ratings: object, hint: str = "make them with Ratings.from_long") -> Ratings:
    """Refuse what is no Ratings."""
    if not isinstance(ratings, Ratings):
        raise InputError.expected("ratings", "Ratings", type(ratings).__name__, hint)
    return ratings


def entries_of(
    what: str,
    ratings: object,
    *,
    need_raters: bool = True,
    hint: str = "bring the ratings in long or wide form, one entry per rating",
) -> Entries:
    """List the ratings of the first occasion; refuse what is no set of ratings."""
    from scipy.sparse import csr_array

    ratings = check_ratings(ratings)
    store = ratings.store
    n_labels = len(ratings.categories)
    if isinstance(store, CountTable):
        if need_raters:
            raise UnsupportedDesignError.needs(
                what, "to know who gave which rating", "counts of ratings per item", hint
            )
        nobody = np.zeros(0, dtype=np.intp)
        counts = csr_array(store.counts.astype(np.float64))
        return Entries(nobody, nobody, nobody, store.n_items, 0, n_labels, counts)
    table = as_long(ratings.coded_store())
    item, rater, label = (
        np.asarray(codes, dtype=np.intp) for codes in (table.item, table.rater, table.label)
    )
    counts = csr_array((np.ones(item.size), (item, label)), shape=(table.n_items, n_labels))
    counts.sum_duplicates()
    return Entries(item, rater, label, table.n_items, len(ratings.raters), n_labels, counts)


# ---- counts of rows

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
    for store in (ratings.store, *ratings.later_occasions):
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


# ---- layouts


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


# ---- order of draws
# They go by what rows, raters and labels are, not by how they came: raters and labels follow
# their names; rows follow what these raters said of them.

_MOST_KEYS = 64  # raters whose ratings are compared one after the other
_LARGEST_MARK = 1 << 31  # sums of a million of them are exact


@dataclass(frozen=True)
class DrawOrder:
    """Places of rows, raters and labels, in the order in which they are drawn for."""

    row: Indices
    rater: Indices
    label: Indices
    mark_i: Floats  # a whole number that stands for what a row holds

    @classmethod
    def of(cls, votes: Votes, ratings: Ratings) -> DrawOrder:
        """Put rows, raters and labels in order."""
        rater, label = by_name(ratings.raters), by_name(ratings.categories)
        mark = np.empty((votes.n_raters, votes.n_labels))
        drawn = 1 + RandomStream.of(0).integers(_LARGEST_MARK, mark.shape)
        mark[np.ix_(rater, label)] = drawn
        mark_i = np.asarray(votes.counts @ mark.ravel())
        keys = [votes.multiplicity, mark_i]
        if rater.size <= _MOST_KEYS:  # the first rater's ratings count most
            place = np.empty(label.size)
            place[label] = np.arange(1.0, label.size + 1.0)
            said = np.kron(np.eye(rater.size)[:, rater], place[:, None])
            keys += list(np.asarray(votes.counts @ said).T[::-1])
        return cls(np.lexsort(keys), rater, label, mark_i)

    def clusters(self, votes: Votes, clusters: Clusters) -> Indices:
        """Return the clusters in the order of what they hold."""
        marks = self.mark_i if votes.row is None else self.mark_i[votes.row]
        held = np.bincount(clusters.codes, weights=marks, minlength=clusters.n_clusters)
        return np.argsort(held, kind="stable")


def by_name(names: Sequence[object]) -> Indices:
    """Return the places of names in the order of the alphabet."""
    return np.array(sorted(range(len(names)), key=lambda k: str(names[k])), dtype=np.intp)


# ---- clusters of items


@dataclass(frozen=True)
class ClusteredVotes:
    """Votes whose items may go together; without clusters each item stands for itself."""

    votes: Votes
    clusters: Clusters | None = None

    @property
    def n_units(self) -> float:
        """Number of clusters; infinite without, so that it never is the smaller number."""
        return float("inf") if self.clusters is None else float(self.clusters.n_clusters)

    def drawn(self, random: RandomStream, order: DrawOrder) -> Votes:
        """Return as many items, or clusters, drawn with replacement."""
        votes, clusters = self.votes, self.clusters
        if clusters is None:
            chance = votes.multiplicity[order.row] / votes.multiplicity.sum()
            drawn = np.empty(votes.n_rows)
            drawn[order.row] = random.multinomial(votes.n_rated, chance)
            return votes.drawn(drawn)
        n = clusters.n_clusters
        drawn = np.empty(n)
        drawn[order.clusters(votes, clusters)] = random.multinomial(n, np.full(n, 1.0 / n))
        times: Floats = drawn[clusters.codes]
        if votes.row is not None:
            times = np.bincount(votes.row, times, votes.n_rows).astype(np.float64)
        return votes.drawn(np.where(votes.multiplicity > 0, times, 0.0))

    def spread(self, posterior: Floats) -> Floats:
        """Return for each class how much more clusters vary than items, at least 1.

        By the deviations of the items' posteriors from the share, summed by cluster (Kent 1982);
        at most the mean size of a cluster.
        """
        if self.clusters is None:
            return np.ones(posterior.shape[1])
        of_items = self.votes.of_items(posterior)
        known = np.isfinite(of_items).all(axis=1)
        apart = np.where(known[:, None], of_items - of_items[known].mean(axis=0), 0.0)
        codes, n = self.clusters.codes, self.clusters.n_clusters
        by_cluster = np.stack([np.bincount(codes, weights=u, minlength=n) for u in apart.T], axis=1)
        square = np.maximum((apart**2).sum(axis=0), 1e-300)
        ratio = n / max(n - 1.0, 1.0) * (by_cluster**2).sum(axis=0) / square
        return np.asarray(np.clip(ratio, 1.0, codes.size / n))


# ---- repeated ratings

_MOST_CELLS = 500_000_000


def check_raters(what: str, ratings: object) -> Ratings:
    """Refuse what is no set of ratings with raters."""
    ratings = check_ratings(ratings, 'make them with Ratings.from_long(frame, occasion="occasion")')
    if not ratings.raters:
        raise UnsupportedDesignError.needs(
            what,
            "to know who gave which rating",
            "counts of ratings per item",
            "bring the ratings in long form, with a column of occasions",
        )
    return ratings


def codes_by_occasion(what: str, ratings: Ratings) -> Ints:
    """Return label codes (raters × occasions × items); -1 where there is no rating."""
    stores = [ratings.coded_store(), *ratings.later_occasions]
    shape = (len(ratings.raters), len(stores), ratings.n_items)
    if np.prod(shape, dtype=np.float64) > _MOST_CELLS:
        raise UnsupportedDesignError.needs(
            what,
            f"at most {_MOST_CELLS:,} raters times occasions times items",
            " × ".join(f"{size:,}" for size in shape),
            "select the raters who rated more than once",
        )
    codes = np.full(shape, -1, dtype=np.int64)
    for t, store in enumerate(stores):
        if isinstance(store, LongTable):
            codes[store.rater, t, store.item] = store.label
        elif isinstance(store, CodedMatrix):
            given = store.decode(store.matrix)
            if store.multiplicity is not None:
                given = np.repeat(given, store.multiplicity, axis=0)
            codes[:, t] = given.T
    return codes


def occasions_as_raters(ratings: Ratings, codes: Ints) -> Ratings:
    """Turn one rater's occasions (occasions × items) into the raters of a study of their own."""
    occasion, item = np.nonzero(codes >= 0)
    return Ratings.from_codes(
        item=item,
        rater=occasion,
        label=codes[occasion, item],
        items=ratings.items,
        raters=[f"occasion {t}" for t in range(1, len(codes) + 1)],
        categories=ratings.categories,
        scale=ratings.scale,
        declared=ratings.categories_declared or ratings.ordered,
    )


def is_unstable(codes: Ints) -> NDArray[np.bool_]:
    """Tell where the ratings of the first axis (occasions) are not all equal."""
    highest = codes.max(axis=0)
    lowest = np.where(codes >= 0, codes, highest).min(axis=0)
    return np.asarray(lowest != highest)


def modal_share(codes: Ints) -> NDArray[np.float64]:
    """Return the share of the most frequent label over the first axis; 0 without a rating."""
    given = codes >= 0
    most = np.zeros(codes.shape[1:])
    for t in range(len(codes)):
        alike = ((codes == codes[t]) & given[t]).sum(axis=0)
        most = np.maximum(most, alike)
    return np.asarray(most / np.maximum(given.sum(axis=0), 1))
