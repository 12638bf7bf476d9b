"""How often two raters' labels meet, for all pairs of raters at once.

With X the indicator matrix of items x (rater · label), the cross-tables of all pairs are the blocks
of X'X: one dense product for a panel, a sparse one for a crowd, and never a loop over pairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Indices, dense
from consilience.ratings.stores import CodedMatrix, LongTable, as_long

_DENSE_SIDE = 4_096  # raters times labels up to which X'X may be a plain array
_DENSE_RATE = 50.0  # multiplications of a plain product in the time of one of a sparse product
_ROWS_AT_ONCE = 4_096
_MEETINGS_AT_ONCE = 20_000_000
_EXACT_FLOAT32 = 1 << 24


@dataclass(frozen=True)
class Meetings:
    """Counts other than zero of all pairs' cross-tables, in the order of the pairs."""

    pair: Indices
    label: Indices  # of the first rater
    other: Indices  # of the second
    count: Floats


@dataclass(frozen=True)
class RaterTables:
    """The cross-tables of all pairs of raters who have items in common.

    Pairs are numbered by first and second rater. For a panel the tables are laid out, for a crowd
    their counts are listed.
    """

    first: Indices  # of each pair
    second: Indices
    given: Any  # raters x labels, plain or sparse: all ratings, also where the other gave none
    n_labels: int
    full: Floats | None = None  # pairs x (label · other label)
    listed: Meetings | None = None

    @property
    def n_pairs(self) -> int:
        """Number of pairs with items in common."""
        return int(self.first.size)

    @cached_property
    def meetings(self) -> Meetings:
        """The counts as a list, whichever way they are held."""
        if self.full is None:
            assert self.listed is not None
            return self.listed
        pair, cell = np.nonzero(self.full)
        label, other = np.divmod(cell, self.n_labels)
        return Meetings(pair, label, other, self.full[pair, cell])

    @property
    def n_common(self) -> Floats:
        """Number of items that both raters of each pair rated."""
        if self.full is not None:
            return np.asarray(self.full.sum(axis=1))
        met = self.meetings
        counted = np.bincount(met.pair, weights=met.count, minlength=self.n_pairs)
        return counted.astype(np.float64)

    def given_by(self, raters: Indices) -> Floats:
        """Return how often some raters gave each label."""
        return dense(self.given[raters])

    def of_pairs(self, block: slice) -> Meetings:
        """Return the counts of some pairs, numbered from 0."""
        met = self.meetings
        low, high = np.searchsorted(met.pair, [block.start, block.stop])
        mine = slice(int(low), int(high))
        pair = met.pair[mine] - block.start
        return Meetings(pair, met.label[mine], met.other[mine], met.count[mine])


def rater_tables(store: CodedMatrix | LongTable, n_labels: int) -> RaterTables:
    """Count how often the labels of every two raters meet.

    Parameters
    ----------
    store : CodedMatrix or LongTable
    n_labels : int

    Returns
    -------
    RaterTables

    Examples
    --------
    >>> codes = np.array([[0, 0, 1], [1, 0, -1]])
    >>> tables = rater_tables(CodedMatrix.from_codes(codes, 2), 2)
    >>> tables.first.tolist(), tables.second.tolist(), tables.n_common.tolist()
    ([0, 0, 1], [1, 2, 2], [2.0, 1.0, 1.0])
    """
    if isinstance(store, CodedMatrix) and _is_dense_cheaper(store, n_labels):
        return _from_blocks(_dense_product(store, n_labels), n_labels)
    entries = as_long(store)
    return _from_entries(_sparse_product(entries, n_labels).tocoo(), _given(entries, n_labels))


def _from_blocks(product: NDArray[Any], n_labels: int) -> RaterTables:
    """Take the tables of all pairs from X'X as a plain array."""
    n_raters = len(product) // n_labels
    one, two = np.triu_indices(n_raters, 1)
    blocks = product.reshape(n_raters, n_labels, n_raters, n_labels)
    # Tables of one rater with all after her lie side by side: a slice is copied, not cell by cell.
    tables = np.empty((one.size, n_labels, n_labels))
    start = 0
    for g in range(n_raters - 1):
        stop = start + n_raters - 1 - g
        tables[start:stop] = blocks[g, :, g + 1 :].transpose(1, 0, 2)
        start = stop
    full = tables.reshape(one.size, n_labels * n_labels)
    some = np.flatnonzero(full.any(axis=1))
    if some.size < one.size:
        one, two, full = one[some], two[some], full[some]
    given = np.diag(product).reshape(-1, n_labels).astype(np.float64)
    return RaterTables(one, two, given, n_labels, full=full)


def _from_entries(product: Any, given: Any) -> RaterTables:
    """Take the tables of all pairs from the entries of X'X, sparse."""
    n_raters, n_labels = given.shape
    row, column = product.row, product.col
    one, two = row // n_labels, column // n_labels
    kept = np.flatnonzero(one < two)
    one, two = one[kept].astype(np.intp), two[kept].astype(np.intp)
    key = one * n_raters + two
    order = np.argsort(key, kind="stable")
    key, kept = key[order], kept[order]
    new = np.concatenate([[True], key[1:] != key[:-1]]) if key.size else np.zeros(0, bool)
    met = Meetings(
        np.cumsum(new) - 1,
        (row[kept] % n_labels).astype(np.intp),
        (column[kept] % n_labels).astype(np.intp),
        product.data[kept].astype(np.float64),
    )
    return RaterTables(one[order][new], two[order][new], given, n_labels, listed=met)


def _is_dense_cheaper(store: CodedMatrix, n_labels: int) -> bool:
    """Tell whether a plain product takes less time: it also multiplies zeros, but much faster."""
    side = store.n_rater_codes * n_labels
    return side <= _DENSE_SIDE and n_labels**2 <= _DENSE_RATE * _filled(store) ** 2


def _filled(store: CodedMatrix) -> float:
    """Return the share of cells that hold a rating, from the first rows."""
    head = store.decode(store.matrix[:_ROWS_AT_ONCE])
    return float((head >= 0).mean()) if head.size else 1.0


def _dense_product(store: CodedMatrix, n_labels: int) -> NDArray[Any]:
    """Return X'X as a plain array; single precision counts exactly up to 2^24 items."""
    n_raters = store.n_rater_codes
    side = n_raters * n_labels
    kind = np.float32 if store.n_items < _EXACT_FLOAT32 else np.float64
    out = np.zeros((side, side), dtype=kind)
    offset = n_labels * np.arange(n_raters)
    for codes, times in _blocks(store):
        place = np.where(codes >= 0, codes + offset, side)  # one column more takes what is missing
        x = np.zeros((len(codes), side + 1), dtype=kind)
        x[np.arange(len(codes))[:, None], place] = 1
        x = x[:, :side]
        out += x.T @ (x if times is None else x * times[:, None].astype(kind))
    return out


def _blocks(store: CodedMatrix) -> Iterator[tuple[NDArray[Any], NDArray[Any] | None]]:
    """Yield the codes of some rows, and how many items each stands for."""
    if store.is_reduced and 2 * len(store.patterns.codes) < len(store.source):
        distinct = store.patterns
        for start in range(0, len(distinct.codes), _ROWS_AT_ONCE):
            part = slice(start, start + _ROWS_AT_ONCE)
            yield distinct.codes[part], distinct.multiplicity[part]
        return
    for start in range(0, len(store.source), _ROWS_AT_ONCE):
        part = slice(start, start + _ROWS_AT_ONCE)
        times = None if store.multiplicity is None else store.multiplicity[part]
        yield store.decode(store.matrix[part]), times


def _sparse_product(entries: LongTable, n_labels: int) -> Any:
    """Return X'X as a sparse array, some items at a time."""
    from scipy.sparse import coo_array, csr_array

    side = entries.n_rater_codes * n_labels
    column = entries.rater.astype(np.int64) * n_labels + entries.label
    one = np.ones(column.size, dtype=np.int32)
    x = coo_array((one, (entries.item, column)), shape=(entries.n_items, side)).tocsr()
    meetings = np.cumsum(np.diff(x.indptr).astype(np.float64) ** 2)
    out = csr_array((side, side), dtype=np.int32)
    start = 0
    while start < entries.n_items:
        before = meetings[start - 1] if start else 0.0
        stop = int(np.searchsorted(meetings, before + _MEETINGS_AT_ONCE, side="right"))
        part = x[start : max(stop, start + 1)]
        met = part.T.tocsr() @ part
        out = met if start == 0 else out + met
        start = max(stop, start + 1)
    return out


def _given(entries: LongTable, n_labels: int) -> Any:
    """Return how often each rater gave each label."""
    from scipy.sparse import coo_array

    shape = (entries.n_rater_codes, n_labels)
    one = np.ones(entries.label.size)
    return coo_array((one, (entries.rater, entries.label)), shape=shape).tocsr()
