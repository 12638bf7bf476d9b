"""Find many hashes among distinct ones: tables addressed by the hashes' own bits, in numpy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

Hashes = NDArray[np.uint64]
_ROOM = 3  # bits beyond those that number the keys: one slot in eight is taken
_FEWEST_BITS, _MOST_BITS = 12, 27
_BLOCK = 1 << 20
_ODD = 0x9E3779B97F4A7C15  # multiplying by an odd number mixes the bits anew


def places(keys: Hashes, wanted: Hashes) -> NDArray[np.int32]:
    """Return the place of every wanted hash among the keys, which differ; -1 where it is none.

    Two keys may claim one slot; the later stays, and the others go on to a table of their own.

    >>> places(np.array([7, 9, 1 << 60], dtype=np.uint64), np.array([9, 7, 8], dtype=np.uint64))
    array([ 1,  0, -1], dtype=int32)
    """
    tables = _tables(keys)
    blocks = [wanted[start : start + _BLOCK] for start in range(0, wanted.size, _BLOCK)]
    if len(blocks) < 2:
        return _look_up(keys, tables, wanted)
    with ThreadPoolExecutor() as pool:  # numpy looks up without holding Python's lock
        return np.concatenate(list(pool.map(partial(_look_up, keys, tables), blocks)))


def _tables(keys: Hashes) -> list[NDArray[np.int32]]:
    """Lay out the keys in as many tables as it takes until each has a slot."""
    tables: list[NDArray[np.int32]] = []
    left = np.arange(keys.size, dtype=np.int32)
    while left.size:
        bits = min(max(left.size.bit_length() + _ROOM, _FEWEST_BITS), _MOST_BITS)
        table = np.full(1 << bits, -1, dtype=np.int32)
        slots = _slots(keys[left], len(tables), bits)
        table[slots] = left
        tables.append(table)
        left = left[table[slots] != left]
    return tables


def _look_up(keys: Hashes, tables: list[NDArray[np.int32]], wanted: Hashes) -> NDArray[np.int32]:
    found = np.full(wanted.size, -1, dtype=np.int32)
    left: NDArray[np.intp] | slice = slice(None)
    for number, table in enumerate(tables):
        sought = wanted[left]
        claimed = table[_slots(sought, number, table.size.bit_length() - 1)]
        found[left] = claimed
        # An empty slot's -1 leads to the last key, which is not the one sought: it has a slot.
        missed = np.flatnonzero(keys[claimed] != sought)
        left = missed if isinstance(left, slice) else left[missed]
        if not left.size:
            break
    found[left] = -1
    return found


def _slots(hashes: Hashes, number: int, bits: int) -> NDArray[np.int64]:
    mixed = hashes * np.uint64((_ODD + 2 * number) & (2**64 - 1)) if number else hashes
    return (mixed >> np.uint64(64 - bits)).astype(np.int64)
