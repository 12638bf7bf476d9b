"""Count distinct rows of a matrix of small integers: the only step whose cost grows with the data.

A row of R integers becomes one packed key (mixed radix). Keys are counted in blocks that stay in
the processor's cache, with ``bincount`` while the key space is small and by sorting otherwise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import BLOCK, Codes, above, blocks, smallest_int

_COUNTABLE_KEYS = 1 << 20  # bins of 8 bytes that are still quick to clear and add
_EXACT_FLOAT32 = 1 << 24
_LARGEST_KEY = 1 << 62


def distinct_rows(
    matrix: Codes, low: int, high: int, multiplicity: NDArray[np.int64] | None = None
) -> tuple[Codes, NDArray[np.int64]]:
    """Return the distinct rows of ``matrix - low`` and how often each occurs.

    They come in the order of their content, the first column first: sums over them are the same to
    the last bit however the integers are stored. Every entry lies between ``low`` and ``high``.
    ``multiplicity`` says how often each given row itself counts (once, if None).
    """
    n_columns = matrix.shape[1]
    base = high - low + 1
    key_space = base**n_columns
    if is_countable(matrix.shape, base):
        counts = _count_keys(matrix, low, high, multiplicity)
        keys = np.flatnonzero(counts)
        return _unpack(keys, base, n_columns), counts[keys]
    if key_space < _LARGEST_KEY:
        keys = _all_keys(matrix, low, base)
        distinct, counts = _tally(keys, multiplicity)
        return _unpack(distinct, base, n_columns), counts
    return _distinct_wide_rows(above(matrix, low).astype(smallest_int(base)), multiplicity)


def is_countable(shape: tuple[int, ...], base: int) -> bool:
    """Tell whether every possible row can have a counter of its own."""
    n_rows, n_columns = shape
    key_space = int(base) ** n_columns
    return bool(key_space <= min(_COUNTABLE_KEYS, max(4 * n_rows, 4096)))


def distinct_sums(
    row: Codes, column: Codes, n_rows: int, n_columns: int, base: int
) -> tuple[Codes, NDArray[np.int64]]:
    """Return the distinct rows of a table of counts, and how often each occurs.

    The table counts (row, column) pairs and is never built: each pair adds one digit of the row's
    packed key. Every row has fewer than ``base`` pairs; keys must be countable.
    """
    place = float(base) ** np.arange(n_columns)[::-1]  # exact: keys stay below 2**53
    keys = np.bincount(row, weights=place[column], minlength=n_rows).astype(np.intp)
    counts = np.bincount(keys)
    found = np.flatnonzero(counts)
    return _unpack(found, base, n_columns), counts[found]


def seen_integers(matrix: Codes, low: int, high: int) -> NDArray[np.bool_]:
    """Tell for each integer between ``low`` and ``high`` whether it occurs."""
    counts = np.zeros(high - low + 1, dtype=np.int64)
    for block in blocks(matrix.shape[0]):
        counts += np.bincount(above(matrix[block].ravel(), low), minlength=counts.size)
    return counts > 0


def row_keys(matrix: Codes, low: int, high: int) -> Callable[[slice], NDArray[np.intp]]:
    """Return a function that packs a block of rows into keys.

    The key of a row is ``sum_c (x_c - low) * base**(R - 1 - c)``.
    """
    base = high - low + 1
    n_columns = matrix.shape[1]
    place = base ** np.arange(n_columns - 1, -1, -1, dtype=np.int64)
    offset = low * int(place.sum())
    largest_partial_sum = max(abs(low), abs(high)) * int(place.sum())
    if matrix.flags.c_contiguous and n_columns > 1 and largest_partial_sum < _EXACT_FLOAT32:
        # One matrix-vector product reads row-major blocks at full speed; exact below 2**24.
        place32 = place.astype(np.float32)

        def by_product(block: slice) -> NDArray[np.intp]:
            key = matrix[block].astype(np.float32) @ place32
            key -= np.float32(offset)
            return key.astype(np.intp)

        return by_product
    largest = largest_partial_sum + abs(offset)
    if largest >= _LARGEST_KEY or matrix.dtype == np.uint64:
        return lambda block: _all_keys(matrix[block], low, base)
    key_type = _key_type(largest)

    def by_column(block: slice) -> NDArray[np.intp]:
        key = matrix[block, 0].astype(key_type)
        for column in range(1, n_columns):
            key *= key_type(base)
            key += matrix[block, column]
        key -= key_type(offset)
        return key.astype(np.intp, copy=False)

    return by_column


def _key_type(largest: int) -> type[np.signedinteger[Any]]:
    """Return the narrowest type for keys: short keys are added several at a time."""
    if largest < 1 << 15:
        return np.int16
    return np.int32 if largest < 1 << 31 else np.int64


def _count_keys(
    matrix: Codes, low: int, high: int, multiplicity: NDArray[np.int64] | None
) -> NDArray[np.int64]:
    key_space = (high - low + 1) ** matrix.shape[1]
    key_of = row_keys(matrix, low, high)
    counts = np.zeros(key_space, dtype=np.int64)
    for block in blocks(matrix.shape[0], BLOCK if matrix.flags.c_contiguous else 2 * BLOCK):
        if multiplicity is None:
            counts += np.bincount(key_of(block), minlength=key_space)
        else:
            np.add.at(counts, key_of(block), multiplicity[block])
    return counts


def _all_keys(matrix: Codes, low: int, base: int) -> NDArray[np.intp]:
    """Pack rows whose integers may lie anywhere: take each down to 0 .. base - 1 first."""
    key = above(matrix[:, 0], low).copy()
    for column in range(1, matrix.shape[1]):
        key *= base
        key += above(matrix[:, column], low)
    return key


def _tally(
    keys: NDArray[np.int64], multiplicity: NDArray[np.int64] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    if multiplicity is None:
        return np.unique(keys, return_counts=True)
    distinct, inverse = np.unique(keys, return_inverse=True)
    counts = np.zeros(distinct.size, dtype=np.int64)
    np.add.at(counts, inverse, multiplicity)
    return distinct, counts


def _unpack(keys: NDArray[np.int64], base: int, n_columns: int) -> Codes:
    rows = np.empty((keys.size, n_columns), dtype=smallest_int(base))
    remaining = keys
    for column in range(n_columns - 1, -1, -1):
        remaining, rows[:, column] = np.divmod(remaining, base)
    return rows


def _distinct_wide_rows(
    matrix: Codes, multiplicity: NDArray[np.int64] | None
) -> tuple[Codes, NDArray[np.int64]]:
    """Distinct rows when even a 64-bit key overflows: sort the rows as byte strings.

    Bytes that begin with the largest sort as the numbers do, whatever their width.
    """
    packed = np.ascontiguousarray(matrix, dtype=matrix.dtype.newbyteorder(">"))
    as_bytes = packed.view(np.dtype((np.void, packed.dtype.itemsize * packed.shape[1]))).ravel()
    _, first, inverse = np.unique(as_bytes, return_index=True, return_inverse=True)
    counts = np.zeros(first.size, dtype=np.int64)
    np.add.at(counts, inverse, 1 if multiplicity is None else multiplicity)
    return packed[first].astype(matrix.dtype), counts
