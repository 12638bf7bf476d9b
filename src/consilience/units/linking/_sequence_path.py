"""Global alignment of two sequences of codes at the least cost."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints
from consilience.exceptions import UnsupportedDesignError

_SAME = 1e-9  # costs that differ by less are a tie
_MOST_CELLS = 100_000_000
_LINK, _FIRST, _SECOND = 0, 1, 2


@dataclass(frozen=True, slots=True)
class Path:
    """The columns of an alignment: place in either sequence, -1 for a gap."""

    first: Ints
    second: Ints
    cost: float


def global_path(first: Ints, second: Ints, costs: Floats, gap: float) -> Path:
    """Return a best alignment of two coded sequences.

    ``costs[k, l]`` is what linking codes k and l costs, ``gap`` what a code alone costs. The path
    is followed from the start; on ties a link comes first, then a gap in the second sequence.
    """
    n, m = len(first), len(second)
    if (n + 1) * (m + 1) > _MOST_CELLS:
        raise UnsupportedDesignError.needs(
            "the alignment",
            f"sequences whose lengths multiply to at most {_MOST_CELLS:,}",
            f"{n:,} and {m:,} codes",
            "compare shorter sessions, or a coarser unit of time",
        )
    # Sums of costs are equal up to rounding, which grows with the sums.
    same = max(_SAME, 1e-12 * max(gap, float(costs.max(initial=0.0))) * (n + m))
    steps = gap * np.arange(m + 1)
    below = steps[::-1].copy()  # cost from here on, of the row below
    move = np.empty((n + 1, m + 1), dtype=np.int8)
    move[n] = _SECOND
    for i in range(n - 1, -1, -1):
        linked = costs[first[i], second] + below[1:]
        direct = below + gap
        direct[:-1] = np.minimum(direct[:-1], linked)
        # cost_j = min over k >= j of direct_k + gap (k - j): a running minimum from the right.
        best = np.minimum.accumulate((direct + steps)[::-1])[::-1] - steps
        move[i] = np.where(below + gap <= best + same, _FIRST, _SECOND)
        move[i, m] = _FIRST  # nothing is left in the second sequence
        move[i, :-1][linked <= best[:-1] + same] = _LINK
        below = best
    return _followed(move, float(below[0]))


def _followed(move: NDArray[np.int8], cost: float) -> Path:
    n, m = move.shape[0] - 1, move.shape[1] - 1
    columns: list[tuple[int, int]] = []
    i = j = 0
    while i < n or j < m:
        step = move[i, j]
        columns.append((-1 if step == _SECOND else i, -1 if step == _FIRST else j))
        i, j = i + (step != _SECOND), j + (step != _FIRST)
    pairs = np.array(columns, dtype=np.int64).reshape(-1, 2)
    return Path(pairs[:, 0], pairs[:, 1], cost)
