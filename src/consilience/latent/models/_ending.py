"""The end of a search: from near a fixed point to the fixed point itself, down to rounding.

Expectation-maximisation stops where the likelihood hardly rises any more. That is near a
stationary point, not at it, and where it stops depends on the last digits of the processor. Here a
step that leaves only the stationary point where it is, is repeated with Anderson's (1965)
acceleration until nothing is left of it but rounding: no matrix is made, so it serves crowds too.

Walker, H. F. & Ni, P. (2011). Anderson acceleration for fixed-point iterations. SIAM Journal on
Numerical Analysis 49, 1715-1735.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats

_MEMORY, _LESS_MEMORY = 30, 12  # differences of steps that are combined; of many coordinates
_MANY = 500
_MOST_STEPS = 400
_LONGEST = 1.0  # change of any coordinate in one step
_EXACT = 1e-15
# A step below the first is rounding once so many further steps have failed to halve it.
_ROUNDING = ((1e-13, 4), (1e-11, 20))
_HOPELESS = 100  # steps without any progress
_SMALL = -11.5  # logarithm of a share below which it may be on its way to 0
_SLIGHT = -3.0  # the same, where the steps do not settle
_DRIFT = 1e-7  # relative change in a step from which on it is on its way
_NEXT_TO_0 = -230.0  # logarithm of what stands for 0 while its derivative is asked for
_DEEPEST = 50.0  # fall of a logarithm in one step, where the parameter becomes 0 at once
_MOST_ROUNDS = 50

Flags = NDArray[np.bool_]


@dataclass(frozen=True)
class End:
    """Where the steps ended: the place, its step, and whether the step is mere rounding."""

    x: Floats
    step: Floats
    settled: bool

    @property
    def size(self) -> float:
        """The largest part of the step."""
        return _size(self.step)


def rest(advance: Callable[[Floats], Floats], logs: Floats, first: int = 0) -> Floats | None:
    """Return the fixed point of advance(logs) near the logarithms of some parameters, if any.

    What is 0 stays 0. A parameter that shrinks towards 0 is put there; it is taken back if the
    step, seen from next to 0, leads away from it (the condition of Karush, Kuhn and Tucker).
    Parameters before the first are no logarithms of shares, and never put to 0.
    """
    logs = logs.copy()
    alive = np.isfinite(logs)
    gone = np.zeros_like(alive)
    kept = np.arange(logs.size) < first
    for _ in range(_MOST_ROUNDS):
        free = alive & ~gone

        def moved(x: Floats, free: Flags = free) -> Floats:
            logs[free] = x
            return np.maximum(advance(logs)[free], x - _DEEPEST)

        def shrinks(x: Floats, step: Floats, may: Flags = ~kept[free]) -> Flags:
            return may & (x < _SMALL) & (step < -_DRIFT)

        end = settle(moved, logs[free], shrinks)
        logs[free] = end.x
        leaving = np.zeros_like(gone)
        leaving[free] = shrinks(end.x, end.step)
        if not (end.settled or leaving.any()):  # some shrink too slowly to come near 0
            leaving[free] = ~kept[free] & (end.x < _SLIGHT) & (end.step < -_DRIFT)
        if leaving.any():
            gone |= leaving
            logs[leaving] = _NEXT_TO_0
            continue
        back = np.zeros_like(gone)
        if gone.any():
            back[gone] = advance(logs)[gone] - _NEXT_TO_0 > _DRIFT
        if not back.any():
            break
        kept |= back
        gone &= ~back
        logs[back] = _SMALL
    logs[gone] = -np.inf
    return logs if end.settled else None


def settle(
    advance: Callable[[Floats], Floats],
    x: Floats,
    halts: Callable[[Floats, Floats], Flags] | None = None,
) -> End:
    """Repeat x → advance(x), accelerated, until it stands still or something halts it."""
    place, step = x, advance(x) - x
    best = End(place, step, False)
    past = _Past(_MEMORY if x.size <= _MANY else _LESS_MEMORY, x.size)
    waited = 0
    for _ in range(_MOST_STEPS):
        if halts is not None and halts(place, step).any():
            return End(place, step, False)
        size, least = _size(step), _size(best.step)
        if size < least:
            waited = 0 if size < 0.5 * least else waited + 1
            best = End(place, step, False)
        else:
            waited += 1
        least = _size(best.step)
        if least <= _EXACT or any(least < most and waited >= n for most, n in _ROUNDING):
            return End(best.x, best.step, True)
        if waited > _HOPELESS:
            break
        if size > 2.0 * least and past.known and waited > 2:  # led astray: begin anew there
            place, step = best.x, best.step
            past.known = 0
        new = place + _clipped(past.combined(step))
        there = advance(new) - new
        past.add(new - place, there - step)
        place, step = new, there
    return best


def _size(step: Floats) -> float:
    return float(np.abs(step).max(initial=0.0))


def _clipped(move: Floats) -> Floats:
    return move * min(1.0, _LONGEST / max(_size(move), 1e-300))


class _Past:
    """How steps changed along the last few moves, the oldest of which give way."""

    def __init__(self, most: int, size: int) -> None:
        self.most, self.known = most, 0
        self.moves = np.empty((most, size))
        self.turns = np.empty((most + 1, size))  # of length 1; and room for the step
        self.scale = np.empty(most)

    def add(self, move: Floats, turn: Floats) -> None:
        """Remember how the step turned along a move."""
        k = self.known % self.most
        self.known += 1
        self.scale[k] = max(float(np.sqrt((turn * turn).sum())), 1e-300)
        np.divide(turn, self.scale[k], out=self.turns[k])
        self.moves[k] = move / self.scale[k]

    def combined(self, step: Floats) -> Floats:
        """Return the step that would be none if steps changed along the line as they did so far."""
        n = min(self.known, self.most)
        if not n:
            return step
        self.turns[n] = step
        # The triangle of the turns and, beside it, the step seen along their axes.
        parts: Floats = np.asarray(np.linalg.qr(self.turns[: n + 1].T, mode="r"))
        rank = min(n, step.size)
        share = np.linalg.lstsq(parts[:rank, :n], parts[:rank, -1], rcond=1e-12)[0]
        return np.asarray(step - share @ self.moves[:n] - share @ self.turns[:n])
