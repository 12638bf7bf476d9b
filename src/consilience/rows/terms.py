"""Terms: the few numbers, each a total over rows or a form of totals, that a coefficient needs.

A term says which features of a row it adds up, what number follows from the totals, and the
gradient of that number. From these alone the linearised standard error, the jackknife, the
bootstrap and comparisons follow for every coefficient.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, dense
from consilience.rows.distinct_rows import Rows, RowSource, scaled
from consilience.rows.forms import Form, ReplicateForm, Vectors, pairs_within

_CELLS_AT_ONCE = 1 << 21  # of totals x rows left out
_MOST_PAIRED = 2_000  # raters whose shares are multiplied two by two
_PAIRS_PER_CELL = 0.5  # of two ratings, up to which they take less time than all cells of totals
RowWeight = Callable[[Rows], Floats]


class Term(ABC):
    """One number that a coefficient is made of."""

    @abstractmethod
    def features(self, rows: Rows) -> Vectors:
        """Return what each row adds to the totals: one column per row."""

    @abstractmethod
    def value(self, totals: Floats) -> Any:
        """Return the number that the totals give, or one per column of totals."""

    @abstractmethod
    def gradient(self, totals: Floats) -> Floats:
        """Return the derivative of the number with respect to the totals, or of each column."""

    def without(self, totals: Floats, features: Vectors) -> Floats:
        """Return the number with each row left out in turn, given what each row adds."""
        n_rows = features.shape[1]
        size = max(1, _CELLS_AT_ONCE // max(len(totals), 1))
        out = np.empty(n_rows)
        for start in range(0, n_rows, size):
            block = slice(start, start + size)
            out[block] = self.value(totals[:, None] - dense(features[:, block]))
        return out

    def coupling(self, totals: Floats, source: RowSource, x: Floats) -> Floats | None:
        """Return O x, where the number is sum_kl O_kl d_kl; None if it knows no distance.

        Through this a standard error allows for distances that depend on the data themselves. Where
        totals have columns, x has the same ones, and each goes with its own.
        """
        return None


class Sum(Term):
    """A sum over rows: of a plain feature, or of distances between ratings."""

    def value(self, totals: Floats) -> Any:
        """Return the sum; where the metric differs from replicate to replicate, add it up now."""
        form = getattr(self, "form", None)
        return form.coupled(totals) if isinstance(form, ReplicateForm) else totals[0]

    def gradient(self, totals: Floats) -> Floats:
        """Return 1; of how often two labels meet, their distance in each replicate."""
        form = getattr(self, "form", None)
        if isinstance(form, ReplicateForm):
            return form.distances()
        return np.ones((1,) * totals.ndim)


@dataclass(frozen=True)
class Total(Sum):
    """A plain sum over rows."""

    weight: RowWeight

    def features(self, rows: Rows) -> Vectors:
        """Return the weight itself."""
        return self.weight(rows)[None, :]


@dataclass(frozen=True)
class Disagreement(Sum):
    """The summed distance between an item's ratings, weighted and added up over items."""

    weight: RowWeight
    form: Form

    def features(self, rows: Rows) -> Vectors:
        """Return the weighted distance summed over the row's ordered pairs."""
        if isinstance(self.form, ReplicateForm):  # how often each two labels meet, instead
            vectors = dense(rows.vectors)
            return _outer(vectors * self.weight(rows), vectors)
        return (rows.within * self.weight(rows))[None, :]

    def coupling(self, totals: Floats, source: RowSource, x: Floats) -> Floats:
        """Return sum_i w_i v_i (v_i' x)."""
        if isinstance(self.form, ReplicateForm):
            return _met(totals, x)
        out = np.zeros(x.shape)
        for rows in source.chunks():
            weight = self.weight(rows) * rows.multiplicity
            out += rows.vectors @ (weight[:, None] * (rows.vectors.T @ x))
        return out


class Constant(Term):
    """A number that follows from the labels alone."""

    def features(self, rows: Rows) -> Vectors:
        """Return nothing: no row changes it."""
        return np.empty((0, rows.ratings.size))

    def gradient(self, totals: Floats) -> Floats:
        """Return nothing."""
        return np.empty((0, *totals.shape[1:]))


@dataclass(frozen=True)
class Maximum(Constant):
    """The largest distance between two labels."""

    form: Form

    def value(self, totals: Floats) -> Any:
        """Return the largest distance."""
        return self.form.maximum

    def coupling(self, totals: Floats, source: RowSource, x: Floats) -> Floats:
        """Return O x for labels on a line: the ends are farthest apart."""
        out = np.zeros(x.shape)
        out[0], out[-1] = x[-1] / 2.0, x[0] / 2.0
        return out


@dataclass(frozen=True)
class Uniform(Constant):
    """The mean distance of two labels drawn evenly."""

    form: Form

    def value(self, totals: Floats) -> Any:
        """Return the mean distance."""
        return self.form.uniform

    def coupling(self, totals: Floats, source: RowSource, x: Floats) -> Floats:
        """Return 1 (1' x) / q^2."""
        return np.asarray(np.ones(x.shape) * x.sum(axis=0) / len(x) ** 2)


@dataclass(frozen=True)
class Margin(Term):
    """m' G m, where m is the weighted sum of all rows' vectors: chance from one distribution."""

    weight: RowWeight
    form: Form

    def features(self, rows: Rows) -> Vectors:
        """Return the weighted vectors."""
        return scaled(rows.vectors, self.weight(rows))

    def value(self, totals: Floats) -> Any:
        """Return the form of the margin."""
        return self.form.quadratic(totals)

    def gradient(self, totals: Floats) -> Floats:
        """Return 2 G m."""
        return 2.0 * self.form.apply(totals)

    def without(self, totals: Floats, features: Vectors) -> Floats:
        """Return (m - v)' G (m - v) = m' G m - 2 v' G m + v' G v for sparse rows v."""
        if not hasattr(features, "tocsc"):
            return super().without(totals, features)
        own = self.form.within(features, features.T @ self.form.mass())
        return np.asarray(self.value(totals) - features.T @ self.gradient(totals) + own)

    def coupling(self, totals: Floats, source: RowSource, x: Floats) -> Floats | None:
        """Return m (m' x), unless the margin is compared by another distance than the data's."""
        if self.form is not source.form:
            return None
        m = _columns(totals)
        return np.asarray(m * (m * x).sum(axis=0))


@dataclass(frozen=True)
class MarginToUniform(Term):
    """1' G m: the margin compared with every label once."""

    weight: RowWeight
    form: Form

    def features(self, rows: Rows) -> Vectors:
        """Return the weighted vectors."""
        return scaled(rows.vectors, self.weight(rows))

    def value(self, totals: Floats) -> Any:
        """Return the sum of distances."""
        return (self.form.apply(np.ones_like(totals)) * totals).sum(axis=0)

    def gradient(self, totals: Floats) -> Floats:
        """Return G 1."""
        return self.form.apply(np.ones_like(totals))

    def without(self, totals: Floats, features: Vectors) -> Floats:
        """Return the number less what each row adds: it is linear."""
        return np.asarray(self.value(totals) - features.T @ self.gradient(totals))

    def coupling(self, totals: Floats, source: RowSource, x: Floats) -> Floats:
        """Return (m (1' x) + 1 (m' x)) / 2."""
        m = _columns(totals)
        return np.asarray(m * x.sum(axis=0) + (m * x).sum(axis=0)) / 2.0


@dataclass(frozen=True)
class BetweenRaters(Term):
    """Mean of p_g' G p_h over ordered pairs of different raters: chance from their own margins.

    With ``by_size`` the pair (g, h) weighs n_g n_h (Artstein & Poesio 2005, section 5.1), else
    all pairs weigh the same (Conger 1980; Gwet 2014). Raters without ratings are left out, and
    copies of one rater are never paired with each other.
    """

    form: Form
    by_size: bool = False
    copies: Floats | None = None  # of each rater, when raters are resampled

    def features(self, rows: Rows) -> Vectors:
        """Return each rater's vectors."""
        assert rows.by_rater is not None
        return rows.by_rater

    def _parts(self, totals: Floats) -> tuple[Floats, Floats, Floats, Floats]:
        """Return shares (k, R), sizes (R,), distance to the others' shares, and total weight.

        All may have a last axis of replicates.
        """
        size = self.form.size
        margins = np.moveaxis(totals.reshape(-1, size, *totals.shape[1:]), 0, 1)
        sizes = np.tensordot(self.form.mass(), margins, axes=1)
        copies = np.ones(len(sizes)) if self.copies is None else self.copies
        copies = copies.reshape(-1, *(1,) * (sizes.ndim - 1)) * (sizes > 0)
        if self.by_size:
            shares, sizes = copies * margins, copies * sizes
            weight = sizes.sum(axis=0) ** 2 - (sizes**2).sum(axis=0)
        else:
            shares = copies * margins / np.where(sizes > 0, sizes, np.inf)
            weight = copies.sum(axis=0) ** 2 - (copies**2).sum(axis=0)
        others = self.form.apply(shares.sum(axis=1))[:, None] - self.form.apply(shares)
        return shares, sizes, others, weight

    def value(self, totals: Floats) -> Any:
        """Return the mean distance between two raters' distributions."""
        shares, _, others, weight = self._parts(totals)
        return (shares * others).sum(axis=(0, 1)) / np.where(weight > 0, weight, np.nan)

    def gradient(self, totals: Floats) -> Floats:
        """Return the derivative, margins and sizes both varying."""
        shares, sizes, others, weight = self._parts(totals)
        mass = self.form.mass().reshape(-1, *(1,) * sizes.ndim)
        if self.by_size:
            mean = (shares * others).sum(axis=(0, 1)) / weight
            slope = 2.0 * (others - mean * (sizes.sum(axis=0) - sizes) * mass)
        else:
            own = (shares * others).sum(axis=0)
            slope = 2.0 * (others - own * mass) / np.where(sizes > 0, sizes, np.inf)
        return np.asarray(np.moveaxis(slope / weight, 0, 1).reshape(totals.shape))

    def without(self, totals: Floats, features: Vectors) -> Floats:
        """Return the number with each row left out in turn; only what sparse rows hold is moved.

        Without a rating of label x, rater g's share s_g becomes s_g + a_g s_g - b_g e_x with
        a_g = b_g = 1 / (N_g - 1), or vanishes where it was her only one.
        """
        n_raters = len(totals) // self.form.size
        if not hasattr(features, "tocsc") or self.copies is not None or n_raters > _MOST_PAIRED:
            return super().without(totals, features)
        columns = features.tocsc()
        pairs = float((np.diff(columns.indptr).astype(np.float64) ** 2).sum())
        if pairs > _PAIRS_PER_CELL * len(totals) * columns.shape[1]:  # many raters of every item
            return super().without(totals, features)
        shares, sizes, _, weight = self._parts(totals)
        rater, label = np.divmod(columns.indices, self.form.size)
        row = np.repeat(np.arange(columns.shape[1]), np.diff(columns.indptr))
        alone = sizes[rater] == 1.0
        b = np.ones(rater.size) if self.by_size else 1.0 / np.where(alone, 1.0, sizes[rater] - 1.0)
        a = np.where(alone | self.by_size, 0.0, b)
        applied = self.form.apply(shares)  # G s_g
        inner = shares.T @ applied  # s_g' G s_h
        at = applied[label, rater]
        together = applied.sum(axis=1)

        def added(terms: Floats, place: Any = row) -> Floats:
            summed = np.bincount(place, weights=terms, minlength=columns.shape[1])
            return summed.astype(np.float64)

        own = inner[rater, rater]
        moved = added(2.0 * (a * inner.sum(axis=1)[rater] - b * together[label]))
        moved -= added(2.0 * (a * own - b * at) + a * a * own - 2.0 * a * b * at)
        for column, g, h in pairs_within(columns):
            crossed = a[g] * a[h] * inner[rater[g], rater[h]]
            crossed -= 2.0 * a[g] * b[h] * applied[label[h], rater[g]]
            crossed += b[g] * b[h] * self.form.between(label[g], label[h])
            moved += added(crossed, column)
        left = self._weight_without(sizes, weight, added(sizes[rater]), added(alone * 1.0), row)
        total = float((shares * (together[:, None] - applied)).sum())
        return np.asarray((total + moved) / np.where(left > 0, left, np.nan))

    def _weight_without(
        self, sizes: Floats, weight: Floats, rated: Floats, gone: Floats, row: Any
    ) -> Floats:
        """Return the weight of all pairs of raters without each row."""
        if not self.by_size:
            n_raters = float((sizes > 0).sum()) - gone
            return n_raters * (n_raters - 1.0)
        many = np.bincount(row, minlength=rated.size)
        total = float(sizes.sum())
        return (total - many) ** 2 - (total**2 - float(weight)) + 2.0 * rated - many

    def coupling(self, totals: Floats, source: RowSource, x: Floats) -> Floats:
        """Return the raters' shares coupled to each other's, not to their own."""
        shares, _, _, weight = self._parts(totals)
        if totals.ndim == 1:
            shares = shares[..., None]
        together = shares.sum(axis=1)
        own = (shares * (shares * x[:, None]).sum(axis=0)).sum(axis=1)
        return np.asarray((together * (together * x).sum(axis=0) - own) / weight)


@dataclass(frozen=True)
class BetweenTwo(Term):
    """a' G b for the margins of two raters over the items that both rated."""

    form: Form
    first: int
    second: int

    def features(self, rows: Rows) -> Vectors:
        """Return the two raters' vectors where both rated."""
        first, second, common = two_raters(rows, self.first, self.second)
        return np.concatenate([first * common, second * common])

    def value(self, totals: Floats) -> Any:
        """Return the form of the two margins."""
        a, b = np.split(totals, 2)
        return (a * self.form.apply(b)).sum(axis=0)

    def gradient(self, totals: Floats) -> Floats:
        """Return the derivative with respect to both margins."""
        a, b = np.split(totals, 2)
        return np.concatenate([self.form.apply(b), self.form.apply(a)])

    def coupling(self, totals: Floats, source: RowSource, x: Floats) -> Floats:
        """Return (a (b' x) + b (a' x)) / 2."""
        a, b = np.split(_columns(totals), 2)
        return np.asarray(a * (b * x).sum(axis=0) + b * (a * x).sum(axis=0)) / 2.0


@dataclass(frozen=True)
class PairDisagreement(Sum):
    """The distance between two raters' ratings, added up over the items that both rated."""

    form: Form
    first: int
    second: int

    def features(self, rows: Rows) -> Vectors:
        """Return the distance on each row."""
        first, second, common = two_raters(rows, self.first, self.second)
        if isinstance(self.form, ReplicateForm):
            return (_outer(first * common, second) + _outer(second * common, first)) / 2.0
        return ((first * self.form.apply(second)).sum(axis=0) * common)[None, :]

    def coupling(self, totals: Floats, source: RowSource, x: Floats) -> Floats:
        """Return sum_i (a_i (b_i' x) + b_i (a_i' x)) / 2."""
        if isinstance(self.form, ReplicateForm):
            return _met(totals, x)
        out = np.zeros(x.shape)
        for rows in source.chunks():
            a, b, common = two_raters(rows, self.first, self.second)
            weight = (common * rows.multiplicity)[:, None] / 2.0
            out += a @ (weight * (b.T @ x)) + b @ (weight * (a.T @ x))
        return out


def two_raters(rows: Rows, first: int, second: int) -> tuple[Floats, Floats, Floats]:
    """Return the vectors of two raters and 1 where both rated the row.

    Parameters
    ----------
    rows : Rows
        That keep who gave which rating.
    first, second : int
        Places of the raters.

    Returns
    -------
    tuple of numpy.ndarray
    """
    assert rows.by_rater is not None
    size, mass = rows.form.size, rows.form.mass()
    a = dense(rows.by_rater[first * size : (first + 1) * size])
    b = dense(rows.by_rater[second * size : (second + 1) * size])
    return a, b, np.asarray((mass @ a > 0) & (mass @ b > 0), dtype=np.float64)


def _columns(totals: Floats) -> Floats:
    """Return totals with an axis of columns."""
    return totals[:, None] if totals.ndim == 1 else totals


def _met(totals: Floats, x: Floats) -> Floats:
    """Return O x for how often two labels meet, flattened, one column per replicate."""
    return np.asarray(np.einsum("klb,lb->kb", totals.reshape(len(x), len(x), -1), x))


def _outer(left: Floats, right: Floats) -> Floats:
    """Return the outer product of each column, flattened: (k * k, P)."""
    return (left[:, None] * right[None, :]).reshape(-1, left.shape[1])
