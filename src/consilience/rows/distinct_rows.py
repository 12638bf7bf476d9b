"""Rows with multiplicity: one row per distinct item pattern, and how often it occurs.

Everything after this step (coefficients, standard errors, resampling) sees rows only, so it costs
the same for a thousand items as for a billion. Where patterns hardly repeat, a row is an item and
rows come in chunks that stay in the cache.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, dense, rounded
from consilience.core.draws import RandomStream
from consilience.distances import Distance, LabelSpace
from consilience.rows.forms import Form, MomentForm, Vectors

DENSE_CELLS = 1 << 22  # up to which a plain array beats a sparse one
_MOST_KEYS = 64  # by which rows are put into order one after the other
CHUNK = 8_192  # items; a few float64 arrays of this length stay in the cache
_ENTRIES_AT_ONCE = 1 << 22  # of sparse rows, so that what is made of them stays small


@dataclass(frozen=True)
class Rows:
    """Some rows of the data, as vectors of the distance's form (one column per row)."""

    form: Form
    vectors: Vectors  # (k, P): sum of psi over the ratings in the row
    ratings: Floats  # (P,): number of ratings in the row
    multiplicity: Floats  # (P,): how many items have this pattern
    by_rater: Vectors | None = None  # (R * k, P): psi of each rater's rating, or zeros
    pairs_of_raters: Floats | None = None  # (P,): where copies of a rater are no pair

    @cached_property
    def pairs(self) -> Floats:
        """Number of ordered pairs of ratings by different raters."""
        if self.pairs_of_raters is not None:
            return self.pairs_of_raters
        return self.ratings * (self.ratings - 1.0)

    @cached_property
    def pairable(self) -> Floats:
        """1 for rows with at least two ratings, else 0."""
        return (self.pairs > 0).astype(np.float64)

    @cached_property
    def within(self) -> Floats:
        """Distance summed over the ordered pairs of ratings of the row."""
        return self.form.within(self.vectors, self.ratings)

    @cached_property
    def disagreement(self) -> Floats:
        """Mean distance between two ratings of the row; 0 where there is no pair."""
        return self.within / np.where(self.pairs > 0, self.pairs, np.inf)

    def part(self, block: slice) -> Rows:
        """Return some rows that follow each other; nothing is copied."""
        pairs = self.pairs_of_raters
        return Rows(
            self.form,
            _columns_of(self.vectors, block),
            self.ratings[block],
            self.multiplicity[block],
            None if self.by_rater is None else _columns_of(self.by_rater, block),
            None if pairs is None else pairs[block],
        )


class RowSource(Protocol):
    """Where rows come from: memory, or a pass over the data."""

    @property
    def form(self) -> Form:
        """The form of the distance."""
        ...

    @property
    def n_raters(self) -> int:
        """Number of raters."""
        ...

    def chunks(self) -> Iterator[Rows]:
        """Yield the rows, some at a time."""
        ...

    @property
    def in_memory(self) -> bool:
        """Whether the rows are at hand without another pass over the data."""
        ...

    @property
    def metric(self) -> MovingMetric | None:
        """The metric, where it depends on the data itself."""
        ...

    @property
    def ratings_per_item(self) -> int | None:
        """Number of ratings that every item has, or None if items differ."""
        ...


@dataclass(frozen=True)
class MovingMetric:
    """A metric on a line whose points depend on how often each label was used."""

    points: Floats  # (labels,)
    distance: Distance
    space: LabelSpace

    def pull_back(self, slopes: Floats) -> Floats:
        """Turn slopes by point into slopes by the labels' counts."""
        pulled = self.distance.pull_back(slopes)
        if pulled is None:
            raise NotImplementedError(
                f"the {self.distance.name!r} distance depends on the data and needs pull_back"
            )
        return pulled

    def points_of(self, counts: Floats) -> Floats:
        """Return the points that other counts would give: (labels, replicates) both."""
        points = self.distance.coordinates(self.space, counts.T)
        assert points is not None
        return np.ascontiguousarray(points[..., 0].T)


@dataclass(frozen=True)
class RowTable:
    """Rows that are all in memory."""

    rows: Rows
    n_raters: int
    metric: MovingMetric | None = None

    @property
    def form(self) -> Form:
        """The form of the distance."""
        return self.rows.form

    @property
    def in_memory(self) -> bool:
        """True."""
        return True

    @property
    def ratings_per_item(self) -> int | None:
        """Number of ratings that every item has, or None if items differ."""
        ratings = self.rows.ratings
        return int(ratings[0]) if ratings.size and ratings.min() == ratings.max() else None

    def chunks(self) -> Iterator[Rows]:
        """Yield all rows, very many sparse ones some at a time."""
        yield from parts_of(self.rows)


def parts_of(rows: Rows) -> Iterator[Rows]:
    """Yield all rows at once, or parts where they are sparse and very many.

    What is made of a part is forgotten with it.
    """
    entries, n_rows = getattr(rows.vectors, "nnz", 0), rows.ratings.size
    if entries <= 2 * _ENTRIES_AT_ONCE:
        yield rows
        return
    size = max(1, n_rows * _ENTRIES_AT_ONCE // entries)
    for start in range(0, n_rows, size):
        yield rows.part(slice(start, min(start + size, n_rows)))


def _columns_of(vectors: Vectors, block: slice) -> Vectors:
    """Return columns that follow each other, as a view."""
    if not hasattr(vectors, "tocsc"):
        return vectors[:, block]
    columns = vectors.tocsc()
    start = columns.indptr[block.start : block.stop + 1]
    inside = slice(int(start[0]), int(start[-1]))
    return type(columns)(
        (columns.data[inside], columns.indices[inside], start - start[0]),
        shape=(columns.shape[0], start.size - 1),
    )


def scaled(vectors: Vectors, weight: Floats) -> Vectors:
    """Multiply each column by its weight, keeping sparse vectors sparse."""
    if hasattr(vectors, "multiply"):
        from scipy.sparse import csc_array

        columns = vectors.tocsc()  # only the numbers are new: where they stand is shared
        data = columns.data * np.repeat(weight, np.diff(columns.indptr))
        return csc_array((data, columns.indices, columns.indptr), shape=columns.shape)
    return vectors * weight


def incidence(
    row: Any,
    column: Any,
    shape: tuple[int, int],
    *,
    value: Any = None,
    dense_cells: int = DENSE_CELLS,
) -> Vectors:
    """Count (row, column) pairs into a matrix: dense while small, else sparse."""
    if shape[0] * shape[1] <= dense_cells:
        key = np.asarray(row, dtype=np.intp) * shape[1] + column
        return np.bincount(key, weights=value, minlength=shape[0] * shape[1]).reshape(shape) * 1.0
    from scipy.sparse import coo_array

    data = np.ones(len(row)) if value is None else np.asarray(value, dtype=np.float64)
    if (np.diff(column) < 0).any():
        return coo_array((data, (row, column)), shape=shape).tocsc()
    return in_runs(row, np.bincount(column, minlength=shape[1]), shape[0], data)


def in_runs(row: Any, lengths: Any, n_rows: int, data: Any = None) -> Vectors:
    """Lay out a sparse matrix whose columns come one after the other, of the given lengths.

    Equal entries are added up in place.
    """
    from scipy.sparse import csc_array

    start = np.concatenate([[0], np.cumsum(lengths)])
    narrow = np.int32 if max(n_rows, int(start[-1])) < 2**31 else np.int64
    data = np.ones(len(row)) if data is None else data
    shape = (n_rows, len(lengths))
    out = csc_array((data, row.astype(narrow, copy=False), start.astype(narrow)), shape=shape)
    out.sum_duplicates()
    return out


def beside(parts: Sequence[Vectors]) -> Vectors:
    """Put vectors side by side; sparse ones stay sparse."""
    if not any(hasattr(part, "tocsc") for part in parts):
        return np.concatenate(parts, axis=1)
    from scipy.sparse import hstack

    return hstack(parts, format="csc")


def all_rows(source: RowSource) -> Rows:
    """Bring all rows of a source into one table."""
    if isinstance(source, RowTable):
        return source.rows
    return join_rows(source.chunks())


def join_rows(parts: Iterable[Rows]) -> Rows:
    """Put rows of one form together."""
    chunks = list(parts)
    if len(chunks) == 1:
        return chunks[0]
    first = chunks[0]
    by_rater = None
    if first.by_rater is not None:
        by_rater = beside([rows.by_rater for rows in chunks])
    return Rows(
        first.form,
        beside([rows.vectors for rows in chunks]),
        np.concatenate([rows.ratings for rows in chunks]),
        np.concatenate([rows.multiplicity for rows in chunks]),
        by_rater,
    )


def incidence_of(group: Any, times: Floats) -> Any:
    """Return rows x groups: how often each row counts in its group."""
    from scipy.sparse import coo_array

    shape = (len(group), int(group.max()) + 1)
    return coo_array((times, (np.arange(len(group)), group)), shape=shape).tocsc()


def order_by_content(rows: Rows, raters: Sequence[int] | None = None) -> NDArray[np.intp] | None:
    """Return the order of rows by what they hold, None where they are in that order already.

    Draws that follow it do not depend on the order in which items came, nor, with the raters in
    an order of their own, on theirs.
    """
    order = np.lexsort(_held(rows, raters))
    return None if np.array_equal(order, np.arange(order.size)) else order


def _held(rows: Rows, raters: Sequence[int] | None) -> list[Floats]:
    """Return what rows hold as keys to sort by.

    Where rows hold much, one number stands for it: a sum with weights that are drawn once.
    """
    size = rows.form.size
    given = rows.vectors if rows.by_rater is None else rows.by_rater
    who = np.asarray(range(given.shape[0] // size) if raters is None else raters, dtype=np.intp)
    labels = order_of_labels(rows.form)
    if rows.by_rater is None and size <= _MOST_KEYS:
        keys = list(dense(given)[labels])
    elif rows.by_rater is not None and who.size <= _MOST_KEYS:
        keys = [key for g in who for key in _told(rows.form, given[g * size : (g + 1) * size])]
    else:
        weights = RandomStream.of(0).random((given.shape[0] // size, size))
        weights[:, labels] = weights.copy()
        if rows.by_rater is not None:
            weights[who] = weights.copy()
        keys = [np.asarray(weights.ravel() @ given)]
    return [rows.multiplicity, *map(rounded, reversed(keys))]


def _told(form: Form, given: Vectors) -> list[Floats]:
    """Return numbers that tell one rater's ratings apart."""
    if isinstance(form, MomentForm):  # whether there is one, and where it lies
        return [dense(given[:1])[0], np.arange(1.0, form.dimensions + 1.0) @ given[1:-1]]
    place = np.empty(form.size)  # of the label; 0 where there is no rating
    place[order_of_labels(form)] = np.arange(1.0, form.size + 1.0)
    return [np.asarray(place @ given)]


def order_of_labels(form: Form) -> NDArray[np.intp]:
    """Return the places of the labels in the order that draws follow."""
    order = getattr(form, "order", None)
    return np.arange(form.size) if order is None else np.asarray(order, dtype=np.intp)


def clusters_by_content(
    rows: Sequence[Rows], cluster: NDArray[np.int64], raters: Sequence[int] | None = None
) -> NDArray[np.int64]:
    """Number clusters anew by what their rows hold: draws do not depend on how clusters came.

    Parameters
    ----------
    rows : sequence of Rows
        Of the same items, once or in several rounds.
    cluster : array of int
        Of each row.
    raters : sequence of int, optional
        An order of the raters that their names have decided.
    """
    return clusters_by_keys([key for part in rows for key in _held(part, raters)], cluster)


def clusters_by_keys(keys: Sequence[NDArray[Any]], cluster: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number clusters anew by the keys of their rows, which are as in `numpy.lexsort`."""
    table = np.stack(keys)
    order = np.lexsort(table)
    new = np.any(np.diff(table[:, order], axis=1) != 0, axis=0)
    rank = np.empty(order.size, dtype=">i8")  # bytes of which sort as the numbers do
    rank[order] = np.concatenate([[0], np.cumsum(new)])
    sizes = np.bincount(cluster)
    parts = np.split(rank[np.lexsort([rank, cluster])], np.cumsum(sizes)[:-1])
    held = [part.tobytes() for part in parts]
    place = np.empty(sizes.size, dtype=np.int64)
    place[sorted(range(sizes.size), key=held.__getitem__)] = np.arange(sizes.size)
    return np.asarray(place[cluster])


def in_order(
    rows: Rows, raters: Sequence[object], cluster: NDArray[np.int64] | None = None
) -> tuple[Rows, NDArray[np.int64] | None]:
    """Sort rows by what is in them, raters by name, and number clusters by what is in them.

    The same ratings have the same draws then, in whatever order they came.
    """
    names = sorted(range(len(raters)), key=lambda k: (str(raters[k]), k))
    vectors = dense(rows.vectors)
    labels = order_of_labels(rows.form)
    by_rater, keys = None, list(vectors[labels][::-1])
    if rows.by_rater is not None:
        blocks = dense(rows.by_rater).reshape(len(raters), rows.form.size, -1)
        by_rater = blocks[names].reshape(len(raters) * rows.form.size, -1)
        keys = [*blocks[names][:, labels].reshape(by_rater.shape)[::-1], *keys]
    if cluster is not None:  # a row for each item: sorting by all that they hold would take long
        keys = _held(rows, names)
        cluster = clusters_by_keys(keys, cluster)
    order = np.lexsort([rows.multiplicity, *map(rounded, keys)])
    by_content = Rows(
        rows.form,
        vectors[:, order],
        rows.ratings[order],
        rows.multiplicity[order],
        None if by_rater is None else by_rater[:, order],
    )
    return by_content, None if cluster is None else cluster[order]
