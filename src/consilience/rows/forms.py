"""A distance as a bilinear form, so that every coefficient is written once.

Each rating x is a vector psi(x) and the distance is ``d(x, y) = psi(x)' G psi(y)``. Because
``d(x, x) = 0``, the sum of distances over the ordered pairs of ratings of an item is ``v' G v``
with ``v`` the sum of its vectors, and the distance expected between two distributions is
``p' G q``. A form knows how to apply ``G``; vectors lie along the first axis.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Indices

_PAIRS_AT_ONCE = 1 << 18
Vectors = Any  # Floats or a scipy sparse array, one column per row of data


class Form(ABC):
    """The bilinear form of one distance over one set of labels."""

    @property
    @abstractmethod
    def size(self) -> int:
        """Length of psi(x)."""

    @abstractmethod
    def apply(self, vectors: Floats) -> Floats:
        """Return G times the given vectors."""

    @abstractmethod
    def within(self, vectors: Vectors, ratings: Floats) -> Floats:
        """Return v' G v for each column: the summed distance of an item's ordered pairs."""

    @abstractmethod
    def mass(self) -> Floats:
        """Return the vector whose product with psi(x) is 1 for every label."""

    @property
    @abstractmethod
    def maximum(self) -> float:
        """Largest distance between two labels."""

    @property
    @abstractmethod
    def uniform(self) -> float:
        """Mean distance of two labels drawn independently and evenly."""

    def between(self, labels: Indices, others: Indices) -> Floats:
        """Return the distances of pairs of labels."""
        raise NotImplementedError("the labels are not listed")

    def quadratic(self, vectors: Floats) -> Floats:
        """Return v' G v for dense vectors along the first axis."""
        return np.asarray((vectors * self.apply(vectors)).sum(axis=0))


@dataclass(frozen=True)
class NominalForm(Form):
    """G = 1 - I: labels are the same or not.

    Nothing may depend on the order of labels that are mere names: where that is not the order of
    the names, `order` is, and draws follow it.
    """

    n_labels: int
    order: tuple[int, ...] | None = None

    @property
    def size(self) -> int:
        return self.n_labels

    def apply(self, vectors: Floats) -> Floats:
        return np.asarray(vectors.sum(axis=0) - vectors)

    def within(self, vectors: Vectors, ratings: Floats) -> Floats:
        if not hasattr(vectors, "tocsc"):
            return np.asarray(ratings**2 - (vectors**2).sum(axis=0))
        columns = vectors.tocsc()
        squares = type(columns)((columns.data**2, columns.indices, columns.indptr), columns.shape)
        own: Floats = squares.T @ np.ones(columns.shape[0])
        return np.asarray(ratings**2 - own)

    def between(self, labels: Indices, others: Indices) -> Floats:
        return np.asarray(labels != others, dtype=np.float64)

    def mass(self) -> Floats:
        return np.ones(self.n_labels)

    @property
    def maximum(self) -> float:
        return 1.0

    @property
    def uniform(self) -> float:
        return 1.0 - 1.0 / self.n_labels


@dataclass(frozen=True)
class MatrixForm(Form):
    """G = the matrix of distances between labels."""

    distances: Floats

    @property
    def size(self) -> int:
        return len(self.distances)

    def apply(self, vectors: Floats) -> Floats:
        return np.tensordot(self.distances, vectors, axes=1)

    def within(self, vectors: Vectors, ratings: Floats) -> Floats:
        if not hasattr(vectors, "tocoo"):
            return self.quadratic(vectors)
        # Few of many labels in a row: look up the distances that are met, d_kl v_k v_l.
        columns = vectors.tocsc()
        out = np.zeros(columns.shape[1])
        for row, first, second in pairs_within(columns):
            met = self.distances[columns.indices[first], columns.indices[second]]
            met *= columns.data[first] * columns.data[second]
            out += np.bincount(row, weights=met, minlength=out.size)
        return out

    def between(self, labels: Indices, others: Indices) -> Floats:
        return np.asarray(self.distances[labels, others])

    def mass(self) -> Floats:
        return np.ones(len(self.distances))

    @property
    def maximum(self) -> float:
        return float(self.distances.max(initial=0.0))

    @property
    def uniform(self) -> float:
        return float(self.distances.mean())


@dataclass(frozen=True)
class PointForm(Form):
    """Labels are points and the distance is the squared Euclidean one; G is never built.

    ``sum_l |a_k - a_l|^2 m_l = |a_k|^2 M + S - 2 a_k . A`` where M, A, S are
    the sums of m, m a and m |a|^2.
    """

    points: Floats  # (labels, dimensions)

    @cached_property
    def _centred(self) -> Floats:
        return np.asarray(self.points - self.points.mean(axis=0))

    @cached_property
    def _norms(self) -> Floats:
        return np.asarray((self._centred**2).sum(axis=1))

    @property
    def size(self) -> int:
        return len(self.points)

    def apply(self, vectors: Floats) -> Floats:
        out = np.multiply.outer(self._norms, vectors.sum(axis=0))
        out += np.tensordot(self._norms, vectors, axes=1)
        out -= 2.0 * np.tensordot(
            self._centred, np.tensordot(self._centred.T, vectors, axes=1), axes=1
        )
        return np.asarray(out)

    def within(self, vectors: Vectors, ratings: Floats) -> Floats:
        centre = (vectors.T @ self._centred).T
        squares = vectors.T @ self._norms
        return np.asarray(np.maximum(2.0 * (ratings * squares - (centre**2).sum(axis=0)), 0.0))

    def between(self, labels: Indices, others: Indices) -> Floats:
        return np.asarray(((self.points[labels] - self.points[others]) ** 2).sum(axis=1))

    def mass(self) -> Floats:
        return np.ones(len(self.points))

    @cached_property
    def maximum(self) -> float:
        return widest_distance(self.points)

    @property
    def uniform(self) -> float:
        return float(2.0 * self._norms.mean())


@dataclass(frozen=True)
class MomentForm(Form):
    """Ratings are points that hardly repeat: psi(x) = (1, a, |a|^2), so G is tiny and constant."""

    dimensions: int
    widest: float

    @property
    def size(self) -> int:
        return self.dimensions + 2

    def apply(self, vectors: Floats) -> Floats:
        return np.concatenate([vectors[-1:], -2.0 * vectors[1:-1], vectors[:1]])

    def within(self, vectors: Vectors, ratings: Floats) -> Floats:
        out = vectors[0] * vectors[-1]
        for axis in vectors[1:-1]:
            out -= axis * axis
        out *= 2.0
        return np.asarray(np.maximum(out, 0.0, out=out))

    def mass(self) -> Floats:
        return np.asarray(np.eye(self.size)[0])

    @property
    def maximum(self) -> float:
        return self.widest

    @property
    def uniform(self) -> float:
        raise NotImplementedError("the labels are not listed")


@dataclass(frozen=True)
class ReplicateForm(Form):
    """Points on a line that differ from replicate to replicate: (labels, replicates).

    For distances that depend on the data and so are computed anew in every resample.
    """

    points: Floats

    def _placed(self, vectors: Floats) -> Floats:
        """Give the points as many axes as the vectors have; replicates are the last one."""
        between = (1,) * (vectors.ndim - 2)
        return self.points.reshape(self.points.shape[0], *between, self.points.shape[1])

    @property
    def size(self) -> int:
        return len(self.points)

    def apply(self, vectors: Floats) -> Floats:
        points = self._placed(vectors)
        weighted = points * vectors
        out = points**2 * vectors.sum(axis=0) + (points * weighted).sum(axis=0)
        return np.asarray(out - 2.0 * points * weighted.sum(axis=0))

    def within(self, vectors: Vectors, ratings: Floats) -> Floats:
        raise NotImplementedError("rows do not belong to one replicate")

    def mass(self) -> Floats:
        return np.ones(len(self.points))

    @property
    def maximum(self) -> Any:
        return np.asarray((self.points[-1] - self.points[0]) ** 2)

    @property
    def uniform(self) -> Any:
        return np.asarray(2.0 * self.points.var(axis=0))

    def distances(self) -> Floats:
        """Return the distance of every two labels, flattened, one column per replicate."""
        apart = self.points[:, None] - self.points[None, :]
        return (apart * apart).reshape(-1, self.points.shape[1])

    def coupled(self, products: Floats) -> Floats:
        """Return sum_kl O_kl d_kl for flattened matrices O, one column per replicate."""
        q = len(self.points)
        o_klb = products.reshape(q, q, -1)
        squares = (o_klb.sum(axis=1) * self.points**2).sum(axis=0)
        cross = np.einsum("kb,klb,lb->b", self.points, o_klb, self.points)
        return np.asarray(2.0 * (squares - cross))


def pairs_within(columns: Any) -> Iterator[tuple[Indices, Indices, Indices]]:
    """Yield the ordered pairs of entries of each column of a sparse array, some at a time.

    A pair is its column and the places of its two entries, which may be the same one.
    """
    length = np.diff(columns.indptr).astype(np.int64)
    pairs = length**2
    before = np.concatenate([[0], np.cumsum(pairs)])
    for start in range(0, int(before[-1]), _PAIRS_AT_ONCE):
        number = np.arange(start, min(start + _PAIRS_AT_ONCE, int(before[-1])))
        column = np.searchsorted(before, number, side="right") - 1
        place, many = number - before[column], length[column]
        first = columns.indptr[column] + place // many
        yield column, first, columns.indptr[column] + place % many


def widest_distance(points: Floats) -> float:
    """Return the largest squared distance between points on a line or on a circle."""
    if len(points) == 0:
        return 0.0
    if points.shape[1] == 1:
        return float((points.max() - points.min()) ** 2)
    if len(points) <= 2048:
        inner = points @ points.T
        norms = np.diag(inner)
        return float((norms[:, None] + norms - 2.0 * inner).max())
    angle = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    opposite = angle + np.pi  # the farthest point lies next to the opposite one
    ring = np.concatenate([angle, angle + 2 * np.pi, angle + 4 * np.pi])
    place = np.searchsorted(ring, opposite)
    gap = np.minimum(ring[place] - opposite, opposite - ring[place - 1])
    radius = float((points[0] ** 2).sum())
    return float(2.0 * radius * (1.0 + np.cos(gap.min())))
