"""Rows of numbers that hardly repeat, item by item or as moments, and rows farther out than
seen.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, dense
from consilience.distances import Distance, LabelSpace
from consilience.exceptions import InputError
from consilience.ratings.construction import only_sums
from consilience.ratings.stores import MomentTable, NumberMatrix
from consilience.rows.distinct_rows import CHUNK, Rows
from consilience.rows.forms import MomentForm, Vectors, widest_distance

# ---- Rows of numbers as moments, and rows like those that were seen but farther out.


def as_moments(rows: Rows, points: Floats) -> Rows:
    """Return rows of labels that are points (dimensions × labels) as rows of moments.

    Parameters
    ----------
    rows : Rows
    points : array
        Squared distances between the labels are those of the points.

    Returns
    -------
    Rows
    """
    counts = np.asarray(dense(rows.vectors))
    placed = points - np.asarray(points @ counts.sum(axis=1) / counts.sum())[:, None]
    psi = np.concatenate([np.ones((1, placed.shape[1])), placed, (placed**2).sum(axis=0)[None]])
    by_rater = None
    if rows.by_rater is not None:
        blocks = np.asarray(dense(rows.by_rater)).reshape(-1, psi.shape[1], counts.shape[1])
        by_rater = np.einsum("sk,rkp->rsp", psi, blocks).reshape(-1, counts.shape[1])
    form = MomentForm(len(placed), float(rows.form.maximum))
    return Rows(form, psi @ counts, rows.ratings, rows.multiplicity, by_rater)


def one_row(rows: Rows, place: int, *, stretch: float = 1.0, shift: float = 0.0) -> Rows:
    """Return one row once, each of its numbers x as ``stretch * x + shift`` (moments on a line).

    Parameters
    ----------
    rows : Rows
    place : int
    stretch, shift : float
        1 and 0 leave rows of any form as they are.

    Returns
    -------
    Rows
    """
    here = slice(place, place + 1)
    vectors, by_rater = dense(rows.vectors[:, here]), None
    if rows.by_rater is not None:
        by_rater = dense(rows.by_rater[:, here])
    if (stretch, shift) != (1.0, 0.0):
        vectors = _moved(vectors, stretch, shift)
        by_rater = None if by_rater is None else _moved(by_rater, stretch, shift)
    return Rows(rows.form, vectors, rows.ratings[here], np.ones(1), by_rater)


def _moved(vectors: Vectors, stretch: float, shift: float) -> Floats:
    blocks = vectors.reshape(-1, 3, vectors.shape[1])
    many, total, square = blocks[:, 0], blocks[:, 1], blocks[:, 2]
    out = np.stack(
        [
            many,
            stretch * total + shift * many,
            stretch**2 * square + 2.0 * stretch * shift * total + shift**2 * many,
        ],
        axis=1,
    )
    return np.asarray(out.reshape(vectors.shape))


# ---- Rows of numbers that hardly repeat: a row is an item, and a pass over the data is all there
# is.
#
# For a squared length, an item with r ratings is known by the summed distance of its pairs, the sum
# of its points and the sum of their squares. Every feature of a rater-free coefficient is linear in
# these once r is given, so one pass that adds them up, and their products, serves all coefficients
# with their standard errors, and nothing is stored.

_EPS = float(np.finfo(np.float64).eps)


@dataclass
class NumberGroup:
    """Items with equally many ratings: totals and products of (1, within, sums ..., squares)."""

    n_ratings: int
    totals: Floats
    products: Floats

    @classmethod
    def empty(cls, n_ratings: int, size: int) -> NumberGroup:
        """Start with no items."""
        return cls(n_ratings, np.zeros(size), np.zeros((size, size)))

    def add(self, facts: list[Floats]) -> None:
        """Add items: their within-item distance, sums and squares."""
        self.totals[0] += facts[0].size
        for j, fact in enumerate(facts, start=1):
            self.totals[j] += fact.sum()
            for k in range(j, len(facts) + 1):
                self.products[j, k] += fact @ facts[k - 1]

    def finish(self) -> None:
        """Complete the products: by symmetry, and with the constant 1."""
        self.products[0] = self.totals
        self.products += np.triu(self.products, 1).T

    def corners(self, form: MomentForm) -> Rows:
        """Return the origin of the facts and one step along each of them, as rows."""
        size = form.size + 1
        facts = np.concatenate([np.zeros((size - 1, 1)), np.eye(size - 1)], axis=1)
        vectors = np.concatenate([np.full((1, size), float(self.n_ratings)), facts[1:]])
        rows = Rows(form, vectors, vectors[0], np.ones(size))
        rows.__dict__["within"] = facts[0]
        return rows


class _Elsewhere:
    """Rows of numbers that are not held: each use is a pass over the data, or over their sums."""

    @property
    def in_memory(self) -> bool:
        """False: the rows are not held."""
        return False

    @property
    def metric(self) -> None:
        """None: these distances do not depend on the data."""
        return None


@dataclass(frozen=True)
class NumberRows(_Elsewhere):
    """Rows straight from numbers, an item each, chunk by chunk; nothing is stored."""

    store: NumberMatrix
    distance: Distance
    form: MomentForm
    centre: tuple[float, ...]
    n_raters: int
    by_rater: bool

    @property
    def ratings_per_item(self) -> int | None:
        """Number of ratings that every item has, or None if there are gaps."""
        return None if self.store.has_gaps else self.n_raters

    def chunks(self) -> Iterator[Rows]:
        """Yield rows for some items at a time."""
        for values in self.store.chunks(CHUNK):
            present = self._present(values)
            vectors, who = self._vectors(values, present)
            rows = Rows(self.form, vectors, vectors[0], np.ones(len(values)), who)
            rows.__dict__["within"] = self._within(vectors)
            yield rows

    @cached_property
    def groups(self) -> list[NumberGroup] | None:
        """Totals for each number of ratings, from one pass; None if who rated matters."""
        if self.by_rater:
            return None
        size = self.form.size + 1
        groups = [NumberGroup.empty(r, size) for r in range(self.n_raters + 1)]
        room = np.empty((2, max(self.n_raters, size), min(CHUNK, self.store.n_items)))
        for values in self.store.chunks(CHUNK):
            present = self._present(values)
            if present is None:
                groups[self.n_raters].add(self._facts(values, room[:, :, : len(values)]))
                continue
            vectors, _ = self._vectors(values, present)
            facts = [self._within(vectors), *vectors[1:]]
            for r in np.unique(vectors[0]).astype(int):
                mine = vectors[0] == r
                groups[r].add([fact[mine] for fact in facts])
        for group in groups:
            group.finish()
        return [group for group in groups if group.n_ratings and group.totals[0]]

    def _facts(self, values: Floats, room: Floats) -> list[Floats]:
        """Return distance within, sums and squares of items without gaps, in the room given.

        Laid out rater by rater, items are added up many at a time.
        """
        placed = self.distance.embed(values)
        assert placed is not None
        points, facts = room[0, : self.n_raters], room[1, : self.form.size]
        within, *sums, squares = facts
        squares[:] = 0.0
        for axis, centre, total in zip(placed, self.centre, sums, strict=True):
            np.subtract(axis.T, centre, out=points)
            np.add.reduce(points, axis=0, out=total)
            points *= points
            squares += np.add.reduce(points, axis=0, out=within)
        np.multiply(squares, self.n_raters, out=within)
        rounding = np.multiply(within, 4.0 * _EPS * self.n_raters, out=points[0])
        for one in sums:
            within -= np.multiply(one, one, out=points[-1])
        within *= 2.0
        within *= within > rounding
        return list(facts)

    def _within(self, vectors: Floats) -> Floats:
        """Return the distance within items; what is below the rounding of the squares is zero."""
        within = self.form.within(vectors, vectors[0])
        rounding = vectors[0] * vectors[-1]
        rounding *= 4.0 * _EPS * self.n_raters
        within *= within > rounding
        return within

    def _present(self, values: Floats) -> NDArray[np.bool_] | None:
        return ~np.isnan(values) if self.store.has_gaps else None

    def _vectors(
        self, values: Floats, present: NDArray[np.bool_] | None
    ) -> tuple[Floats, Floats | None]:
        """Return (1, a, |a|^2) summed over the raters of each item, and rater by rater."""
        n_items, n_raters = values.shape
        everyone = np.ones(n_raters)
        vectors = np.empty((self.form.size, n_items))
        vectors[0] = n_raters if present is None else present @ everyone
        who = np.zeros((n_raters, self.form.size, n_items)) if self.by_rater else None
        if who is not None:
            who[:, 0] = 1.0 if present is None else present.T
        placed = self.distance.embed(values)
        assert placed is not None
        for axis, centre in enumerate(self.centre, start=1):
            points = placed[axis - 1] - centre  # centred, so that squares keep their digits
            if present is not None:
                points[~present] = 0.0
            np.matmul(points, everyone, out=vectors[axis])
            if who is not None:
                who[:, axis] = points.T
            points *= points
            if who is not None:
                who[:, -1] += points.T
            squares = points @ everyone
            vectors[-1] = squares if axis == 1 else vectors[-1] + squares
        return vectors, None if who is None else who.reshape(-1, n_items)


def number_rows(store: NumberMatrix, distance: Distance, *, by_rater: bool) -> NumberRows | None:
    """Return rows of numbers for distances that are squared lengths; None for the others."""
    if distance.embed(np.zeros(1)) is None:
        return None
    values = store.values
    if store.has_gaps:
        low, high = (float(f.reduce(values, axis=None)) for f in (np.fmin, np.fmax))
    else:
        low, high = float(values.min()), float(values.max())
    if np.isnan(low):
        raise InputError.expected("ratings", "given", "missing values only", "check the data")
    ends = np.array([low, high])
    if high > low:  # the widest pair shows whether the distance can be computed at all
        distance.matrix(LabelSpace((low, high), ordered=True, numbers=ends), np.ones(2))
    head = values[:4096][np.isfinite(values[:4096])]
    placed = distance.embed(head if head.size else ends)
    assert placed is not None
    centre = tuple(placed.mean(axis=1).tolist())
    form = MomentForm(len(centre), _widest(store, distance, ends))
    return NumberRows(store, distance, form, centre, values.shape[1], by_rater)


def _widest(store: NumberMatrix, distance: Distance, ends: Floats) -> float:
    """Return the largest distance between two numbers; on a line, the ends are farthest apart."""
    placed = distance.embed(ends)
    assert placed is not None
    if len(placed) > 1:
        placed = distance.embed(np.unique(store.values[np.isfinite(store.values)]))
        assert placed is not None
    return widest_distance(placed.T)


@dataclass(frozen=True)
class MomentRows(_Elsewhere):
    """Rows of which only sums over items are known, as an engine hands them over."""

    form: MomentForm
    groups: list[NumberGroup]
    n_raters: int

    @property
    def ratings_per_item(self) -> int | None:
        """Number of ratings that every item has, or None if items differ."""
        return self.groups[0].n_ratings if len(self.groups) == 1 else None

    def chunks(self) -> Iterator[Rows]:
        """Refuse: what needs items one by one needs the ratings themselves."""
        raise only_sums("this")


def moment_rows(
    store: MomentTable, distance: Distance, n_raters: int, needs_more: bool
) -> MomentRows:
    """Return rows from sums, for the squared difference of numbers and nothing else."""
    fitting = ("ordinal",) if store.are_ranks else ("interval", "quadratic")
    if needs_more or distance.name not in fitting:
        raise only_sums(f"the {distance.name!r} distance, or a coefficient by rater or label,")
    groups = [
        NumberGroup(int(n), totals.copy(), products.copy())
        for n, totals, products in zip(
            store.n_ratings_of, store.totals, store.products, strict=True
        )
    ]
    widest = (store.high - store.low) ** 2
    return MomentRows(MomentForm(1, widest), groups, n_raters)
