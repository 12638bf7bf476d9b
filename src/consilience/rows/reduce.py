"""Reduce ratings to rows, by the cheapest way that the layout and the distance allow."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, blocks
from consilience.core.labels import places_in_order
from consilience.distances import Distance, LabelSpace
from consilience.exceptions import UnsupportedDesignError
from consilience.ratings import Ratings
from consilience.ratings.patterns import distinct_rows, distinct_sums, is_countable
from consilience.ratings.stores import CodedMatrix, CountTable, LongTable, MomentTable, NumberMatrix
from consilience.rows.distinct_rows import (
    CHUNK,
    DENSE_CELLS,
    MovingMetric,
    Rows,
    RowSource,
    RowTable,
    in_runs,
    incidence,
)
from consilience.rows.forms import Form, MatrixForm, NominalForm, PointForm, Vectors

_MATRIX_LABELS = 256  # labels up to which a small matrix beats the closed form for points
_MOST_LABELS = 20_000  # labels above which a matrix of distances would not fit


@dataclass(frozen=True)
class Counted:
    """Label counts of distinct rows, before any distance is known."""

    vectors: Vectors  # (q, P)
    ratings: Floats
    multiplicity: Floats
    by_rater: Vectors | None = None

    def rows(self, form: Form) -> Rows:
        """Return the rows, with a distance."""
        return Rows(form, self.vectors, self.ratings, self.multiplicity, self.by_rater)


def reduce_to_rows(
    ratings: Ratings, distance: Distance, *, by_rater: bool = False, labels_needed: bool = True
) -> RowSource:
    """Return the rows of the ratings for one distance.

    ``by_rater`` keeps who gave which rating; ``labels_needed`` asks for vectors over labels, which
    numbers that hardly repeat otherwise do without.

    Parameters
    ----------
    ratings : Ratings
    distance : Distance
    by_rater, labels_needed : bool

    Returns
    -------
    RowSource
    """
    store = ratings.store
    if isinstance(store, NumberMatrix) and not labels_needed:
        from consilience.rows.number_rows import number_rows

        source = ratings.remember(
            ("numbers", distance, by_rater), lambda: number_rows(store, distance, by_rater=by_rater)
        )
        if source is not None:
            return source  # type: ignore[no-any-return]
    if isinstance(store, MomentTable):
        from consilience.rows.number_rows import moment_rows

        return moment_rows(store, distance, ratings.n_raters, by_rater or labels_needed)
    if by_rater and isinstance(store, CountTable):
        raise UnsupportedDesignError.needs(
            "this coefficient",
            "to know who gave which rating",
            "counts of ratings per item",
            "use scott_pi, krippendorff_alpha or gwet_ac, or bring the ratings by rater",
        )
    counted = _counted(ratings, by_rater=by_rater)
    form, metric = form_of(ratings, distance, counted)
    return RowTable(counted.rows(form), ratings.n_raters, metric)


def item_rows(ratings: Ratings, form: Form, *, by_rater: bool = False) -> Iterator[Rows]:
    """Yield one row per item, in the order of ``ratings.items``, for per-item results.

    Parameters
    ----------
    ratings : Ratings
    form : Form
        A distance over the labels; see `form_of`.
    by_rater : bool, default False
        Whether rows keep who gave which rating.

    Returns
    -------
    iterator of Rows
    """
    store = ratings.store
    n_labels = len(ratings.categories)
    if isinstance(store, (NumberMatrix, MomentTable)):
        store = ratings.coded_store()
    if isinstance(store, CodedMatrix):
        for codes in _item_codes(store):
            once = np.ones(len(codes))
            yield count_codes(codes, once, n_labels, by_rater=by_rater).rows(form)
        return
    if isinstance(store, CountTable):
        each = CountTable(np.repeat(store.counts, store.times, axis=0))
        yield _count_table(each).rows(form)
    else:
        yield _count_long(store, n_labels, by_rater=by_rater, merge=False).rows(form)


def _item_codes(store: CodedMatrix) -> Iterator[NDArray[Any]]:
    """Yield the codes of some items at a time; a row that stands for many is repeated."""
    if store.multiplicity is None:
        for block in blocks(len(store.matrix), CHUNK):
            yield store.decode(store.matrix[block])
        return
    codes, last = store.decode(store.matrix), np.cumsum(store.multiplicity)
    for block in blocks(store.n_items, CHUNK):
        yield codes[np.searchsorted(last, np.arange(block.start, block.stop), side="right")]


# ---- forms


def label_space(ratings: Ratings) -> LabelSpace:
    """Describe the labels to the distances.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    LabelSpace
    """
    return LabelSpace(labels=ratings.categories, ordered=ratings.ordered, numbers=ratings.numbers)


def label_order(ratings: Ratings) -> tuple[int, ...] | None:
    """Return mere names of labels in the order of the names; None: they have it, or their own.

    Parameters
    ----------
    ratings : Ratings

    Returns
    -------
    tuple of int or None
        Places of the labels; None where they have an order of their own, or that of names.

    Examples
    --------
    >>> from consilience import Ratings
    >>> label_order(Ratings.from_wide([["b", "a"]], categories=["b", "a"]))
    (1, 0)
    """
    if ratings.scale != "nominal":
        return None
    order = tuple(places_in_order(ratings.categories).tolist())
    return None if order == tuple(range(len(order))) else order


def form_of(
    ratings: Ratings, distance: Distance, counted: Counted
) -> tuple[Form, MovingMetric | None]:
    """Turn a distance into a form over the labels of these ratings."""
    n_labels = len(ratings.categories)
    if distance.name == "nominal":
        return NominalForm(n_labels, label_order(ratings)), None
    space = label_space(ratings)
    # Only values that can be compared count for a distance that depends on the data.
    pairable = counted.multiplicity * (counted.ratings >= 2)
    counts = np.asarray(counted.vectors @ pairable)
    points = distance.coordinates(space, counts)
    metric = None
    if points is not None and distance.data_dependent:
        metric = MovingMetric(points[:, 0], distance, space)
    if points is not None and n_labels > _MATRIX_LABELS:
        return PointForm(points), metric
    if n_labels > _MOST_LABELS:
        raise UnsupportedDesignError.needs(
            f"the {distance.name!r} distance",
            f"at most {_MOST_LABELS:,} different labels",
            f"{n_labels:,}",
            'use distance="interval" or "ordinal", which have no such limit, or round the values',
        )
    return MatrixForm(distance.matrix(space, counts)), metric


# ---- counting labels


def _counted(ratings: Ratings, *, by_rater: bool) -> Counted:
    n_labels = len(ratings.categories)
    store = ratings.store
    if isinstance(store, (NumberMatrix, MomentTable)):
        store = ratings.coded_store()

    def compute() -> Counted:
        if isinstance(store, CountTable):
            return _rated(_count_table(store))
        if isinstance(store, LongTable):
            return _rated(_count_long(store, n_labels, by_rater=by_rater, merge=not by_rater))
        return _rated(_count_matrix(store, n_labels, by_rater=by_rater))

    return ratings.remember(("counted", by_rater), compute)  # type: ignore[no-any-return]


def _rated(counted: Counted) -> Counted:
    """Drop rows that nobody rated."""
    keep = counted.ratings > 0
    if keep.all():
        return counted
    by_rater = None if counted.by_rater is None else counted.by_rater[:, keep]
    return Counted(
        counted.vectors[:, keep], counted.ratings[keep], counted.multiplicity[keep], by_rater
    )


def _count_table(store: CountTable) -> Counted:
    vectors = np.ascontiguousarray(store.counts.T, dtype=np.float64)
    return Counted(vectors, vectors.sum(axis=0), store.times.astype(np.float64))


def _count_matrix(store: CodedMatrix, n_labels: int, *, by_rater: bool) -> Counted:
    n_raters = store.n_rater_codes
    if by_rater or store.is_reduced or store.multiplicity is not None:
        patterns = store.patterns
        times = patterns.multiplicity.astype(np.float64)
        counted = count_codes(patterns.codes, times, n_labels, by_rater=by_rater)
        return counted if by_rater else _merge_equal(counted, n_raters)
    if not _mergeable(n_labels, n_raters):  # many labels: an item is a row
        codes = store.decode(store.matrix)
        return count_codes(codes, np.ones(len(codes)), n_labels, by_rater=False)
    # Too many patterns by rater to list, but few by label: merge them block by block.
    parts = []
    for block in blocks(len(store.matrix), 8 * CHUNK):
        codes = store.decode(store.matrix[block])
        part = count_codes(codes, np.ones(len(codes)), n_labels, by_rater=False)
        parts.append(_merge_equal(part, n_raters))
    joined = Counted(
        np.concatenate([part.vectors for part in parts], axis=1),
        np.concatenate([part.ratings for part in parts]),
        np.concatenate([part.multiplicity for part in parts]),
    )
    return _merge_equal(joined, n_raters)


def count_codes(
    codes: NDArray[Any],
    multiplicity: Floats,
    n_labels: int,
    *,
    by_rater: bool,
    dense_cells: int = DENSE_CELLS,
) -> Counted:
    """Count labels in rows of codes (rows x raters, -1 for no rating); sparse beyond some cells."""
    n_raters = codes.shape[1]
    rated = codes >= 0
    many = rated.sum(axis=1)
    label = codes[rated]  # in the order of the rows
    who = None
    if by_rater:
        wide = codes + n_labels * np.arange(n_raters, dtype=np.intp)
        who = _of_rows(wide[rated], many, n_raters * n_labels, dense_cells)
    vectors = _of_rows(label, many, n_labels, dense_cells)
    return Counted(vectors, many.astype(np.float64), multiplicity, who)


def _of_rows(
    entry: NDArray[Any], many: NDArray[np.intp], n_entries: int, dense_cells: int
) -> Vectors:
    """Count what each row holds, where the rows' entries come one after the other."""
    if n_entries * many.size > dense_cells:
        return in_runs(entry, many, n_entries)
    row = np.repeat(np.arange(many.size), many)
    return incidence(entry, row, (n_entries, many.size), dense_cells=dense_cells)


def _count_long(store: LongTable, n_labels: int, *, by_rater: bool, merge: bool) -> Counted:
    n_items = store.n_items
    if merge and store.run_length is not None:
        codes = store.label.reshape(n_items, store.run_length)
        if is_countable(codes.shape, n_labels):  # who rated first, second, ... does not matter
            distinct, times = distinct_rows(codes, 0, n_labels - 1)
            counted = count_codes(distinct, times.astype(np.float64), n_labels, by_rater=False)
            return _merge_equal(counted, store.run_length)
    per_item = store.per_item
    base = int(per_item.max(initial=0)) + 1
    if merge and is_countable((n_items, n_labels), base):
        distinct, times = distinct_sums(store.item, store.label, n_items, n_labels, base)
        vectors: Vectors = np.ascontiguousarray(distinct.T, dtype=np.float64)
        return Counted(vectors, vectors.sum(axis=0), times.astype(np.float64))
    cells = n_items * n_labels
    if cells <= max(4 * store.label.size, 1 << 22):
        counts = np.bincount(_pairs(store.item, n_labels, store.label), minlength=cells)
        vectors = np.ascontiguousarray(counts.reshape(n_items, n_labels).T, dtype=np.float64)
    elif store.is_grouped:
        vectors = in_runs(store.label, per_item, n_labels)
    else:
        vectors = incidence(store.label, store.item, (n_labels, n_items), dense_cells=0)
    ratings = per_item.astype(np.float64)
    who = None
    if by_rater:
        shape = (store.n_rater_codes * n_labels, n_items)
        who = incidence(_pairs(store.rater, n_labels, store.label), store.item, shape)
    return Counted(vectors, ratings, np.ones(n_items), who)


def _pairs(first: NDArray[Any], n_labels: int, label: NDArray[Any]) -> NDArray[np.intp]:
    """Number the pairs of a code and a label; codes may be of any width."""
    out: NDArray[np.intp] = np.multiply(first, n_labels, dtype=np.intp)
    out += label
    return out


def _mergeable(n_labels: int, most: int) -> bool:
    """Tell whether rows of so many counts, none above ``most``, can be merged by counting."""
    return is_countable((1 << 18, n_labels), most + 1)


def _merge_equal(counted: Counted, most: int) -> Counted:
    """Merge rows with the same counts, where counting them is cheap."""
    if hasattr(counted.vectors, "tocsc") or not _mergeable(len(counted.vectors), most):
        return counted
    table = counted.vectors.T.astype(np.int64)
    distinct, times = distinct_rows(table, 0, most, counted.multiplicity.astype(np.int64))
    vectors = np.ascontiguousarray(distinct.T, dtype=np.float64)
    return Counted(vectors, vectors.sum(axis=0), times.astype(np.float64))
