"""Order-preserving alignment of two raters' events within a band of time, or of plain codes."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, Ints
from consilience.exceptions import UnsupportedDesignError
from consilience.units.linking._overlap_linking import reaches
from consilience.units.model._columns import Times

BASES = ("longer", "shorter", "union")
_SAME = 1e-9  # costs that differ by less are a tie
_AGREE = 2.0  # what linking two events of one code saves: both need not stand alone
_MOST_CELLS = 50_000_000
_MOST_STEPS = 100_000_000


@dataclass(frozen=True, slots=True)
class Events:
    """One rater's events of one block, in order of time and apart from each other."""

    start: Times
    end: Times
    code: Ints


@dataclass(frozen=True, slots=True)
class Rule:
    """Which events may be linked, and what linking unlike ones costs."""

    tolerance: Any
    share: Fraction  # percent of the base that two events must have in common
    base: str
    substitution: float


@dataclass(frozen=True, slots=True)
class Band:
    """What linking saves for pairs near in time, and the most that can be saved from there on.

    For event i of the first rater, partners lie in ``low[i]`` to ``high[i]``; both never fall.
    ``best[i][j - low[i]]`` is the largest saving of events i … and j …, for j up to ``high[i]``.
    """

    low: list[int]
    high: list[int]
    saving: list[Floats]
    best: list[Floats]

    def most(self, i: int, j: int) -> float:
        """Return the largest saving from events i and j on."""
        if j > self.high[i]:  # no event of the first rater reaches j before this one
            i = bisect_left(self.high, j, lo=i)
        return float(self.best[i][max(j - self.low[i], 0)])

    def link(self, i: int, j: int) -> float:
        """Return what linking i and j saves; 0 if they may not be linked."""
        inside = self.low[i] <= j < self.high[i]
        return float(self.saving[i][j - self.low[i]]) if inside else 0.0


def band_of(a: Events, b: Events, rule: Rule) -> Band:
    """Fill the band from the last event to the first: O(events x events near in time)."""
    n, m = len(a.start), len(b.start)
    low = np.minimum(
        np.searchsorted(b.end, a.start, side="left"),
        np.searchsorted(b.start, a.start - rule.tolerance, side="left"),
    )
    high = np.maximum(
        np.searchsorted(b.start, a.end, side="right"),
        np.searchsorted(b.start, a.start + rule.tolerance, side="right"),
    )
    width = high - low
    if int(width.sum()) > _MOST_CELLS:
        raise UnsupportedDesignError.needs(
            "the alignment",
            f"at most {_MOST_CELLS:,} pairs of events near in time",
            f"{int(width.sum()):,}",
            "use a smaller tolerance",
        )
    first = np.repeat(np.arange(n), width)
    offset = np.arange(len(first)) - np.repeat(np.cumsum(width) - width, width)
    saved = _savings(a, b, rule, first, np.repeat(low, width) + offset)
    saving = np.split(saved, np.cumsum(width)[:-1]) if n else []
    lows, highs = [*low.tolist(), m], [*high.tolist(), m]
    best: list[Floats] = [np.zeros(0)] * n + [np.zeros(1)]
    for i in range(n - 1, -1, -1):
        here = np.maximum(np.arange(lows[i], highs[i] + 1) - lows[i + 1], 0)
        after = best[i + 1][here]
        linked = np.where(saving[i] > 0, saving[i] + after[1:], 0.0)
        after[:-1] = np.maximum(after[:-1], linked)
        best[i] = np.maximum.accumulate(after[::-1])[::-1]
    return Band(lows, highs, saving, best)


def _savings(a: Events, b: Events, rule: Rule, first: Ints, second: Ints) -> Floats:
    """Return 2 for eligible pairs of one code, 2 - s for other eligible pairs, else 0."""
    begin = np.maximum(a.start[first], b.start[second])
    shared = np.maximum(np.minimum(a.end[first], b.end[second]) - begin, 0)
    lengths = (a.end - a.start)[first], (b.end - b.start)[second]
    if rule.base == "longer":
        base = np.maximum(*lengths)
    elif rule.base == "shorter":
        base = np.minimum(*lengths)
    else:
        base = lengths[0] + lengths[1] - shared
    eligible = (shared > 0) & reaches(shared, base, rule.share)
    apart = np.abs(a.start[first] - b.start[second])
    points = (lengths[0] == 0) & (lengths[1] == 0)  # they share an instant or nothing
    eligible |= (apart <= rule.tolerance) if rule.tolerance > 0 else points & (apart == 0)
    same = a.code[first] == b.code[second]
    return np.where(eligible, np.where(same, _AGREE, max(_AGREE - rule.substitution, 0.0)), 0.0)


def trace(a: Events, b: Events, band: Band, *, leader: int) -> list[tuple[int, int]]:
    """Follow one best alignment from the start; on ties link, else skip the leader's event.

    Agreements come before links of unlike events (which cost no less). ``leader`` is 0 for the
    first rater's sequence aligned to the second's, 1 for the reverse.
    """
    n, m = len(a.start), len(b.start)
    links = []
    i = j = 0
    while i < n and j < m:
        rest = band.most(i, j)
        saved = band.link(i, j)
        if saved > 0 and saved + band.most(i + 1, j + 1) > rest - _SAME:
            links.append((i, j))
            i, j = i + 1, j + 1
        elif leader == 0:
            step = band.most(i + 1, j) > rest - _SAME
            i, j = i + step, j + (not step)
        else:
            step = band.most(i, j + 1) > rest - _SAME
            i, j = i + (not step), j + step
    return links


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
    if (n + 1) * (m + 1) > _MOST_STEPS:
        raise UnsupportedDesignError.needs(
            "the alignment",
            f"sequences whose lengths multiply to at most {_MOST_STEPS:,}",
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
