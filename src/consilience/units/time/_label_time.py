"""How long two raters have each state and each label, by session; only what occurs is kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.units.time._time_input import Prepared

_AT_ONCE = 1_000_000  # pairs of states whose labels are compared together
_FEW_CELLS = 4_000_000


@dataclass(frozen=True, slots=True)
class SessionParts:
    """How long both, the first and the second rater have each state or label.

    Each is a sparse array (sessions, states): a session shows few of very many labels.
    """

    both: Any
    first: Any
    second: Any

    def totals(self) -> Floats:
        """Return the sums over sessions (3, states)."""
        return np.stack([np.asarray(x.sum(axis=0)) for x in (self.both, self.first, self.second)])

    def flat(self) -> Any:
        """Return the three side by side, for resampling."""
        from scipy.sparse import hstack

        return hstack([self.both, self.first, self.second], format="csr")

    def of(self, place: int) -> Floats:
        """Return the three columns of one state (sessions, 3)."""
        columns = [x[:, [place]].toarray() for x in (self.both, self.first, self.second)]
        return np.hstack(columns)


def state_parts(session: Ints, row: Ints, column: Ints, time: Floats, shape: Any) -> SessionParts:
    """Return the parts of states from stretches of time; ``shape`` is sessions x states."""
    return SessionParts(
        both=_sparse(time * (row == column), session, row, shape),
        first=_sparse(time, session, row, shape),
        second=_sparse(time, session, column, shape),
    )


def label_parts(data: Prepared) -> tuple[SessionParts, Floats]:
    """Return the parts of single labels, and each session's time.

    No table of moments by labels or of labels by labels is made: time is summed by pair of states
    first, and states know the few labels that they hold.
    """
    cut = data.moments
    length = np.asarray((cut.end - cut.start) * data.scale, dtype=np.float64)
    first, second = data.place[cut.state].T if len(length) else np.empty((2, 0), dtype=np.int64)
    if data.settings.nil == "exclude":
        length = np.where((first != data.nil) & (second != data.nil), length, 0.0)
    n, size = len(data.sessions), len(data.categories)
    session, pair, time = summed(cut.session, first * size + second, length)
    one, two = np.divmod(pair, size)
    category, atom = data.holds
    holds = _sparse(np.ones(len(category)), category, atom, (size, len(data.atoms)))
    none = np.empty(0, dtype=np.int64)
    found = [_sparse(np.empty(0), none, none, (n, len(data.atoms)))] * 3
    for begin in range(0, len(time), _AT_ONCE):
        piece = slice(begin, begin + _AT_ONCE)
        a, b = holds[one[piece]], holds[two[piece]]
        places = np.arange(len(time[piece]))
        gather = _sparse(time[piece], session[piece], places, (n, len(places)))
        found = [x + gather @ y for x, y in zip(found, (a.multiply(b), a, b), strict=True)]
    whole = np.bincount(cut.session, weights=length, minlength=n).astype(np.float64)
    return SessionParts(*found), whole


def summed(group: Ints, code: Ints, weight: Floats) -> tuple[Ints, Ints, Floats]:
    """Return the pairs of group and code that have weight, and the sum of each."""
    size = int(code.max(initial=0)) + 1
    n_cells = (int(group.max(initial=0)) + 1) * size
    key = group * size + code
    if n_cells <= _FEW_CELLS:
        total = np.bincount(key, weights=weight, minlength=n_cells).astype(np.float64)
        found = np.flatnonzero(total)
        total = total[found]
    else:
        found, place = np.unique(key, return_inverse=True)
        total = np.bincount(place, weights=weight, minlength=len(found)).astype(np.float64)
    first, second = np.divmod(found, size)
    return first, second, total


def _sparse(weight: Floats, row: Ints, column: Ints, shape: tuple[int, int]) -> Any:
    from scipy.sparse import csr_array

    return csr_array((weight, (row, column)), shape=shape)
