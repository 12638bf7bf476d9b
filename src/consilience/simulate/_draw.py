"""Random draws for many items at once; blocks of items stay in the processor's cache."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream

_BLOCK = 65_536
_COMPARED_LABELS = 32  # with more labels a binary search beats comparing one by one


def blocks(n_items: int) -> Iterator[slice]:
    """Yield consecutive slices of items."""
    for start in range(0, n_items, _BLOCK):
        yield slice(start, min(start + _BLOCK, n_items))


def cumulate(chances: Floats) -> Floats:
    """Return cumulative chances along the last axis; rounding never leaves a gap below 1."""
    cumulative = np.cumsum(chances, axis=-1)
    cumulative[cumulative >= 1.0 - 1e-12] = 1.0
    return cumulative


def draw_labels(cumulative: Floats, row: Ints | None, size: int, rng: RandomStream) -> Ints:
    """Draw a label code per place, from one row of cumulative chances each.

    ``row`` says which row of the table holds for each place; None means that the table is one row.
    """
    u = rng.random(size)
    n_labels = cumulative.shape[-1]
    if n_labels > _COMPARED_LABELS:
        return _search(cumulative, row, u)
    codes = np.zeros(size, dtype=np.int64)
    for label in range(n_labels - 1):
        column = np.ascontiguousarray(cumulative[..., label])
        codes += u >= (column if row is None else column[row])
    return codes


def _search(cumulative: Floats, row: Ints | None, u: Floats) -> Ints:
    n_labels = cumulative.shape[-1]
    if row is None:
        codes = np.searchsorted(cumulative, u, side="right")
    else:
        # Rows laid end to end, the k-th raised by k, are one ascending list.
        ends = (cumulative + np.arange(len(cumulative))[:, None]).ravel()
        codes = np.searchsorted(ends, row + u, side="right") - row * n_labels
    return np.clip(codes, 0, n_labels - 1)


def draw_raters(n_items: int, per_item: int, n_raters: int, rng: RandomStream) -> NDArray[np.int64]:
    """Draw different raters for each item (slots x items), every set equally likely.

    Floyd's algorithm: the j-th candidate is drawn from the first j + 1 raters, and replaced by
    rater j where it is already in the set.
    """
    chosen = np.empty((per_item, n_items), dtype=np.int64)
    for slot, last in enumerate(range(n_raters - per_item, n_raters)):
        candidate = rng.integers(last + 1, n_items)
        taken = (chosen[:slot] == candidate).any(axis=0)
        chosen[slot] = np.where(taken, last, candidate)
    return chosen
