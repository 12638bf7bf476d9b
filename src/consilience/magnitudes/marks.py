"""Marks of two raters or of many, from whatever a measure was called with."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, blocks
from consilience.core.labels import label_key, plain
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.influence import linearised_error
from consilience.magnitudes._magnitude import MEASURES, Labels, facts_of
from consilience.ratings import Ratings, as_ratings
from consilience.ratings.clusters import Clusters
from consilience.ratings.stores import (
    CodedMatrix,
    CountTable,
    LongTable,
    MomentTable,
    NumberMatrix,
    as_long,
)

# ---- two raters

_LARGEST = 1e100


@dataclass(frozen=True)
class Paired:
    """Marks x and y of the items that both raters rated; each pair counts `weight` times.

    Where items go together each of them stands by itself, with its cluster.
    """

    x: Floats
    y: Floats
    weight: Floats
    raters: tuple[object, object]
    n_items: int
    flags: tuple[str, ...]
    range: tuple[float, float] | None  # of a declared list of categories
    clusters: Clusters | None = None

    @cached_property
    def n(self) -> float:
        """Number of items that both rated."""
        return float(self.weight.sum())

    @cached_property
    def mean_x(self) -> float:
        """Mean of the first rater."""
        return float(self.weight @ self.x) / self.n

    @cached_property
    def mean_y(self) -> float:
        """Mean of the second rater."""
        return float(self.weight @ self.y) / self.n

    @cached_property
    def rank_x(self) -> NDArray[np.intp]:
        """Ranks of the first rater's marks from 0, equal marks alike."""
        return np.unique(self.x, return_inverse=True)[1]

    @cached_property
    def rank_y(self) -> NDArray[np.intp]:
        """Ranks of the second rater's marks from 0, equal marks alike."""
        return np.unique(self.y, return_inverse=True)[1]

    @property
    def permuted(self) -> tuple[float, float]:
        """Return how likely shuffled marks are in the order they have, and in its reverse.

        Meant for raters who order all items alike, or in reverse, ties included: of n! orders those
        are the same that exchange tied marks, prod t! of them. A reverse order can only be reached
        where ties lie alike from either end.
        """
        ties = np.bincount(self.rank_x, weights=self.weight)
        chance = math.exp(sum(math.lgamma(t + 1.0) for t in ties) - math.lgamma(self.n + 1.0))
        return chance, chance if np.array_equal(ties, ties[::-1]) else 0.0

    @cached_property
    def dx(self) -> Floats:
        """Deviations of the first rater from her mean."""
        return self.x - self.mean_x

    @cached_property
    def dy(self) -> Floats:
        """Deviations of the second rater from her mean."""
        return self.y - self.mean_y

    @cached_property
    def ss_x(self) -> float:
        """Sum of squares of the first rater."""
        return float(self.weight @ self.dx**2)

    @cached_property
    def ss_y(self) -> float:
        """Sum of squares of the second rater."""
        return float(self.weight @ self.dy**2)

    @cached_property
    def ss_xy(self) -> float:
        """Sum of products."""
        return float(self.weight @ (self.dx * self.dy))

    @property
    def differences(self) -> Floats:
        """First minus second."""
        return self.x - self.y

    def error(self, influence: Floats) -> float:
        """Return the error of a mean of influences: sqrt(sum w IF^2) / n, or that of clusters."""
        return error_of_mean(influence, self.weight, self.n, self.clusters)

    @cached_property
    def difference_sd(self) -> float:
        """Standard deviation of the differences; see `moments_of_clusters`."""
        if self.clusters is not None and self.clusters.n_clusters > 1:
            return float(moments_of_clusters(self._sums_of_clusters.sum(axis=1))[1])
        apart = self.differences - self.mean_difference
        return math.sqrt(float(self.weight @ apart**2) / (self.n - 1.0))

    @property
    def mean_difference(self) -> float:
        """Mean of the differences."""
        return float(self.weight @ self.differences) / self.n

    @property
    def mean_difference_error(self) -> float:
        """Its standard error."""
        if self.clusters is not None:
            return self.error(self.differences)
        return self.difference_sd / math.sqrt(self.n)

    @cached_property
    def _sums_of_clusters(self) -> Floats:
        """What each cluster adds to the sums of `moments_of_clusters`, about the overall mean."""
        assert self.clusters is not None
        codes, d = self.clusters.codes, self.differences - self.differences.mean()
        m, s, q = (np.bincount(codes, weights=each) for each in (np.ones(d.size), d, d**2))
        return np.stack([np.ones(m.size), m, m**2, s, s**2 / m, q])

    def differences_without_each_cluster(self) -> tuple[Floats, Floats]:
        """Return the mean and the standard deviation of the differences without each cluster."""
        each = self._sums_of_clusters
        mean, sd = moments_of_clusters(each.sum(axis=1, keepdims=True) - each)
        return mean + self.differences.mean(), sd

    def why_not(self, *, least: int = 2, vary: str = "both") -> str | None:
        """Return None, or why a measure is undefined: too few items, or a constant rater."""
        if self.n < least:
            return f"too_few_items: {least} items rated by both are needed, there are {self.n:g}"
        constant = [
            str(name)
            for name, marks in zip(self.raters, (self.x, self.y), strict=True)
            if marks.min() == marks.max()
        ]
        if (vary == "both" and constant) or (vary == "one" and len(constant) == 2):
            return (
                f"constant_rater: {' and '.join(constant)} gave every item the same mark, so there "
                "is nothing to correlate"
            )
        return None

    def facts(self, measure: str) -> dict[str, Any]:
        """Return the fields that every result about two raters has."""
        return facts_of(
            measure,
            raters=self.raters,
            n_items=self.n_items,
            n_items_used=int(self.n),
            flags=self.flags,
            clusters=self.clusters,
        )


def error_of_mean(influence: Floats, weight: Floats, n: float, clusters: Clusters | None) -> float:
    """Return the error of a mean over n items of what each does to it, or that of clusters."""
    if clusters is not None:
        return linearised_error(influence, clusters.codes)[0]
    return math.sqrt(float(weight @ influence**2)) / n


def moments_of_clusters(sums: Floats) -> tuple[Floats, Floats]:
    """Return the mean of clustered numbers, and the standard deviation of one of them.

    The variance is that within clusters plus that between them, from one-way mean squares with the
    mean size (N - sum m^2 / N) / (G - 1), as in Bland & Altman (2007), Journal of
    Biopharmaceutical Statistics 17, 571-582; numbers that were put together without regard to
    clusters would vary too little.
    """
    n_clusters, n, squares, s, s2_m, q = sums
    with np.errstate(divide="ignore", invalid="ignore"):
        within = np.where(n > n_clusters, (q - s2_m) / np.maximum(n - n_clusters, 1.0), 0.0)
        between = (s2_m - s**2 / n) / (n_clusters - 1.0)
        size = (n - squares / n) / (n_clusters - 1.0)
        total = np.maximum(within, 0.0) + np.maximum(between - within, 0.0) / size
        return s / n, np.sqrt(total)


def paired(measure: str, data: tuple[Any, ...], pair: Sequence[object] | None) -> Paired:
    """Return the marks of two raters over the items that both rated."""
    labels = MEASURES[measure].labels
    ratings = taken(measure, data)
    names = chosen(measure, ratings, pair)
    x, y, weight, clusters = _columns(ratings, names, labels)
    if not weight.size:
        raise UnsupportedDesignError.needs(
            measure, "items that both raters rated", "none", "check for missing ratings"
        )
    return Paired(
        x,
        y,
        weight,
        names,
        ratings.n_items,
        flags_of(ratings, labels),
        declared_range(ratings),
        clusters,
    )


def taken(measure: str, data: tuple[Any, ...]) -> Ratings:
    """Turn what a measure was called with into ratings that it can use."""
    labels = MEASURES[measure].labels
    if not data:
        raise InputError.expected(
            "ratings", "one Ratings, or one sequence of marks per rater", "nothing", "pass the data"
        )
    scale = "nominal" if labels == "labels" else "interval"
    ratings = as_ratings(*data, scale=scale)
    if labels == "numbers":
        ratings.remember("marks have a size", lambda: _check_size(ratings))
    if labels == "labels" or isinstance(ratings.store, NumberMatrix):
        return ratings  # a matrix of numbers need not be coded to know that they are numbers
    needed = {"numbers": "labels that are numbers", "order": "labels in order"}
    in_order = ratings.numbers is not None or (ratings.ordered and ratings.scale != "nominal")
    if (labels == "numbers" and ratings.numbers is None) or (labels == "order" and not in_order):
        raise UnsupportedDesignError.needs(
            measure,
            needed[labels],
            ", ".join(map(repr, ratings.categories[:3])),
            'for marks without numbers use scale="ordinal" with categories=[...] from lowest to '
            "highest and a measure of ranks, or Krippendorff's alpha",
        )
    return ratings


def _check_size(ratings: Ratings) -> None:
    """Refuse marks whose squares no float can hold, or tell apart."""
    store = ratings.store
    if isinstance(store, NumberMatrix):
        low, high = (float(f.reduce(store.values, axis=None)) for f in (np.fmin, np.fmax))
    elif ratings.numbers is not None and ratings.numbers.size:
        low, high = float(ratings.numbers.min()), float(ratings.numbers.max())
    else:
        return
    if max(abs(low), abs(high)) > _LARGEST or 0.0 < high - low < 1.0 / _LARGEST:
        raise InputError.expected(
            "marks",
            f"of a size below {_LARGEST:g} and apart by more than {1.0 / _LARGEST:g}",
            f"{low:g} to {high:g}",
            "change their unit, for example divide all marks by the same number",
        )


def flags_of(ratings: Ratings, labels: Labels) -> tuple[str, ...]:
    """Say when numbers on a nominal scale were read as numbers, and what repeated ratings do."""
    flags = ("nominal_scale",) if labels != "labels" and ratings.scale == "nominal" else ()
    return (*flags, "first_occasion") if len(ratings.occasions) > 1 else flags


def declared_range(ratings: Ratings) -> tuple[float, float] | None:
    """Return the lowest and highest mark that could be given, where they were declared."""
    if isinstance(ratings.store, NumberMatrix) or not ratings.categories_declared:
        return None
    if ratings.numbers is None:
        return None
    return float(ratings.numbers.min()), float(ratings.numbers.max())


def chosen(measure: str, ratings: Ratings, pair: Any) -> tuple[object, object]:
    """Return the names of the two raters that are meant."""
    if pair is None:
        if len(ratings.raters) == 2:
            return ratings.raters[0], ratings.raters[1]
        listed = ", ".join(map(str, ratings.raters[:6]))
        raise UnsupportedDesignError.needs(
            measure,
            "exactly two raters",
            f"{ratings.n_raters} ({listed})" if listed else "counts, which do not say who rated",
            f"choose two with pair={tuple(ratings.raters[:2])!r}, or pairwise(ratings, "
            f"measure={measure!r}) for all of them"
            if len(ratings.raters) > 2
            else "bring the ratings of two raters in long or wide form",
        )
    names = list(pair) if isinstance(pair, Sequence) and not isinstance(pair, str) else [pair]
    if len(names) != 2:
        raise InputError.expected("pair", "the names of two raters", pair, 'for example ("A", "B")')
    codes = [_place(ratings, name) for name in names]
    if codes[0] == codes[1]:
        raise InputError.expected("pair", "two different raters", pair, "name each once")
    return ratings.raters[codes[0]], ratings.raters[codes[1]]


def _place(ratings: Ratings, name: object) -> int:
    """Return the column of a rater, without coding a matrix of numbers."""
    key = label_key(plain(name), "a rater")
    for place, rater in enumerate(ratings.raters):
        if label_key(rater) == key:
            return place
    raise InputError.unknown_word("rater", name, [str(rater) for rater in ratings.raters])


def _columns(
    ratings: Ratings, names: tuple[object, object], labels: Labels
) -> tuple[Floats, Floats, Floats, Clusters | None]:
    """Return x, y, how often each pair occurs and clusters, for items that both rated."""
    store, clusters = ratings.store, ratings.clusters
    if isinstance(store, NumberMatrix):
        x, y = (
            np.asarray(store.values[:, _place(ratings, name)], dtype=np.float64) for name in names
        )
        if store.has_gaps:
            present = ~(np.isnan(x) | np.isnan(y))
            x, y = x[present], y[present]
            clusters = None if clusters is None else clusters.of_items(np.asarray(present))
        return x, y, np.ones(x.size), clusters
    two = ratings.select(raters=names)
    codes, weight = _codes(two.store) if clusters is None else _codes_of_items(two)
    both = np.asarray((codes >= 0).all(axis=1))
    codes, weight = codes[both].astype(np.intp), weight[both].astype(np.float64)
    clusters = None if clusters is None else clusters.of_items(both)
    # Labels that are not numbers count by their place.
    worth = ratings.numbers if labels != "labels" else None
    if worth is None:
        worth = np.arange(len(ratings.categories), dtype=np.float64)
    return worth[codes[:, 0]], worth[codes[:, 1]], weight, clusters


def _codes_of_items(ratings: Ratings) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the codes of two raters item by item, in the order of the items."""
    table = as_long(ratings.coded_store())
    codes = np.full((ratings.n_items, 2), -1, dtype=np.int64)
    codes[table.item, table.rater] = table.label
    return codes, np.ones(len(codes))


def _codes(store: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    if isinstance(store, CodedMatrix):
        return store.patterns.codes, store.patterns.multiplicity
    assert isinstance(store, LongTable)
    first, second = store.rater == 0, store.rater == 1
    _, a, b = np.intersect1d(
        store.item[first], store.item[second], assume_unique=True, return_indices=True
    )
    codes = np.stack([store.label[first][a], store.label[second][b]], axis=1)
    return codes, np.ones(len(codes), dtype=np.int64)


# ---- any number of raters

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
        store = self.ratings.store
        if isinstance(store, NumberMatrix):
            return store.has_gaps
        if isinstance(store, CountTable):
            given = store.counts.sum(axis=1)
            return bool(given.min() != given.max())
        return self.ratings.n_ratings < self.ratings.n_items * self.n_raters

    def blocks(self) -> Iterator[tuple[Floats, Floats]]:
        """Yield the marks of some items at a time, and how often each of them occurs."""
        for values, times in self.parts():
            yield values, np.ones(len(values)) if times is None else times

    def parts(self) -> Iterator[Block]:
        """Yield the same, with None where every item occurs once."""
        store = self.ratings.store
        if isinstance(store, NumberMatrix):
            for values in store.chunks(CHUNK):
                yield values, None
            return
        if isinstance(store, MomentTable):
            store = self.ratings.coded_store()  # refuses: there are sums only
        worth = self._worth
        if isinstance(store, CodedMatrix):
            patterns = store.patterns
            for block in blocks(len(patterns.codes), CHUNK):
                weight = patterns.multiplicity[block].astype(np.float64)
                yield worth[patterns.codes[block]], weight
        elif isinstance(store, LongTable):
            yield from self._laid_out(store)
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
        """Lay a crowd's ratings out, some items at a time: by rater, or in any order."""
        order = np.argsort(store.item, kind="stable")
        item, marks = store.item[order], self._worth[store.label[order]]
        if self.by_rater:
            place, width = store.rater[order], self.n_raters
        else:
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
        store = self.ratings.store
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
            weights.append(weight[full])
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
