"""Arrays by what is in them: the short names that signatures use, and integers of any width."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int64]
Indices: TypeAlias = NDArray[np.intp]
Codes: TypeAlias = NDArray[np.integer[Any]]
Mask: TypeAlias = NDArray[np.bool_]


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
