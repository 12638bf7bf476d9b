"""Numbers in a table: whole ones become small integers, measurements stay as they are."""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Codes, smallest_int
from consilience.core.labels import MEASURED, is_missing, is_number
from consilience.exceptions import InputError
from consilience.ratings._coded import WIDEST_RANGE, CodedMatrix
from consilience.ratings.encode import encode
from consilience.ratings.patterns import blocks
from consilience.ratings.stores import NumberMatrix

_EXACT = 2**53  # integers up to which every one is a float


def code_floats(
    array: NDArray[Any], scale: str, marks: Set[Hashable]
) -> tuple[CodedMatrix | NumberMatrix, list[object], bool]:
    """Whole numbers with gaps become small integers in one pass; others stay as they are."""
    if marks and scale in MEASURED:
        told = [mark for mark in marks if is_number(mark)]
        array = np.where(np.isin(array, np.array(told, dtype=float)), np.nan, array)
        marks = frozenset()
    with np.errstate(over="ignore", invalid="ignore"):
        is_finite = bool(np.isfinite(array.sum()))
    small = _as_small_integers(array)
    if small is not None:
        matrix, hole = small
        found = CodedMatrix.from_integers(matrix, {hole, *marks})
        if found is not None:
            return found[0], found[1], False
    if scale in MEASURED:
        if not is_finite and np.isinf(array).any():
            raise InputError.expected(
                "every label", "a finite number", "infinity", "use NaN where a rating is missing"
            )
        return NumberMatrix(array, not is_finite and bool(np.isnan(array).any())), [], True
    encoded = encode(array, marks=marks)
    codes = encoded.codes.astype(smallest_int(len(encoded.labels))).reshape(array.shape)
    return CodedMatrix.from_codes(codes, len(encoded.labels)), encoded.labels, False


def _as_small_integers(array: NDArray[Any]) -> tuple[Codes, int] | None:
    """Turn whole floats of a small range into integers, NaN into a value below all others."""
    if not array.size:
        return None
    head = array[:4096]
    with np.errstate(invalid="ignore"):
        if not np.all((head == np.rint(head)) | np.isnan(head)):
            return None
        low, high = (float(f.reduce(array, axis=None)) for f in (np.fmin, np.fmax))
        if not (-30_000 <= low <= high <= 30_000 and high - low < WIDEST_RANGE):
            return None
        hole = int(np.floor(low)) - 1
        out = np.empty(array.shape, dtype=smallest_int(int(max(-hole, high))))
        wide = np.result_type(array.dtype, np.float32)  # a half float does not hold every hole
        for block in blocks(len(array)):
            # The hole lies below all numbers, so it only ever replaces NaN.
            part = np.fmax(array[block].astype(wide, copy=False), wide.type(hole))
            out[block] = part
            if not np.array_equal(out[block], part):
                return None
    return out, hole


def float_columns(columns: Sequence[Any]) -> NDArray[np.float64] | None:
    """Stack numeric columns as floats with NaN for missing; None if any is not numeric."""
    arrays = [_numbers(column) for column in columns]
    known = [array for array in arrays if array is not None]
    return np.stack(known).T if known and len(known) == len(arrays) else None


def as_floats(array: NDArray[Any]) -> NDArray[np.float64] | None:
    """Return an array of numbers as floats, NaN where masked; None if floats do not hold them."""
    if array.dtype.kind not in "iuf":
        return None
    given = array.compressed() if isinstance(array, np.ma.MaskedArray) else array
    is_whole = given.dtype.kind in "iu" and given.size > 0
    if is_whole and (int(given.max()) > _EXACT or int(given.min()) < -_EXACT):
        return None
    floats = array.astype(np.float64, copy=False)
    return np.asarray(np.ma.filled(floats, np.nan))


def _numbers(column: Any) -> NDArray[np.float64] | None:
    if isinstance(column, np.ndarray):
        return as_floats(column)
    if isinstance(column, (list, tuple)):
        return _listed_numbers(column)
    to_numpy = getattr(column, "to_numpy", None)
    array = to_numpy() if to_numpy is not None else None
    return as_floats(array) if isinstance(array, np.ndarray) else None


def _listed_numbers(column: Sequence[Any]) -> NDArray[np.float64] | None:
    out = np.full(len(column), np.nan)
    for place, label in enumerate(column):
        if is_missing(label):
            continue
        if not is_number(label) or not (isinstance(label, float) or -_EXACT <= label <= _EXACT):
            return None
        out[place] = label
    return out
