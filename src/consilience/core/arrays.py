"""Arrays by what is in them: the short names that signatures use, and integers of any width."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.intp]
Codes: TypeAlias = NDArray[np.integer[Any]]
Mask: TypeAlias = NDArray[np.bool_]

_ONE_THREAD = 200_000  # multiplications up to which one thread is quicker than several
_FEWEST_COLUMNS = 64
_NO_VARIANCE = 1e-12  # of the largest


def smallest_int(largest: int) -> np.dtype[Any]:
    """Return the smallest signed integer type that holds -1 .. largest."""
    for candidate in (np.int8, np.int16, np.int32):
        if largest <= np.iinfo(candidate).max:
            return np.dtype(candidate)
    return np.dtype(np.int64)


def above(values: NDArray[Any], low: int) -> NDArray[np.intp]:
    """Return ``values - low`` as indices; ``low`` is at most their minimum."""
    if values.dtype.itemsize < 8 or not low:
        out = values.astype(np.intp, copy=False)
        return out - low if low else out
    # Wide integers may lie where another type does not reach: subtract in their own.
    lifted: Codes = values - values.dtype.type(low)
    return lifted.astype(np.intp, copy=False)


def dense(vectors: Any) -> Floats:
    """Return an array that is dense, whether it was sparse or not."""
    return np.asarray(vectors.toarray() if hasattr(vectors, "toarray") else vectors)


def product(left: Any, right: Floats) -> Floats:
    """Return left @ right, a few columns at a time where left is small.

    For such small products threads of the linear algebra library wait for each other longer than
    they compute.
    """
    step = _ONE_THREAD // max(left.size, 1)
    if hasattr(left, "tocsr") or not _FEWEST_COLUMNS <= step < right.shape[1]:
        return np.asarray(left @ right)
    out = np.empty((left.shape[0], right.shape[1]))
    for start in range(0, right.shape[1], step):
        block = slice(start, start + step)
        np.matmul(left, right[:, block], out=out[:, block])
    return out


def rounded(numbers: Floats) -> Floats:
    """Round to ten digits of the largest: sums in another order are equal, too."""
    largest = float(np.abs(numbers).max(initial=0.0))
    if not 0.0 < largest < np.inf:
        return numbers
    return np.round(numbers, 9 - math.floor(math.log10(largest)))


def symmetric_root(covariance: Floats) -> Floats:
    """Return the root R of a covariance, R R = covariance, that is symmetric itself.

    Unlike the axes of an eigen decomposition it is the only one, so draws made with it are the same
    on every processor, and follow the variables when these change places.

    >>> symmetric_root(np.array([[2.0, 1.0], [1.0, 2.0]])).round(6).tolist()
    [[1.366025, 0.366025], [0.366025, 1.366025]]
    """
    values, axes = np.linalg.eigh((covariance + covariance.T) / 2.0)
    kept = values > _NO_VARIANCE * values.max(initial=0.0)  # the rest is rounding
    return np.asarray((axes[:, kept] * np.sqrt(values[kept])) @ axes[:, kept].T)


BLOCK = 16_384  # rows; five raters' float32 keys then fit the second-level cache


def first_largest(values: Any) -> int:
    """Return the place of the largest number, the first one of those that only rounding parts."""
    numbers = np.where(np.isnan(values), -np.inf, values).ravel()
    most = float(numbers.max())
    near = numbers >= most - 1e-9 * max(1.0, abs(most)) if np.isfinite(most) else numbers == most
    return int(np.flatnonzero(near)[0])


def blocks(n_rows: int, size: int = BLOCK) -> Iterator[slice]:
    """Yield consecutive slices that cover ``n_rows`` rows."""
    for start in range(0, n_rows, size):
        yield slice(start, min(start + size, n_rows))
