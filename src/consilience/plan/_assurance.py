"""Half-widths that a stated share of studies does not exceed, and the size that gives them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from consilience.core import checks as check
from consilience.core.arrays import Floats
from consilience.exceptions import Argument, InputError, Words

ASSURANCE = 0.8
_AVERAGE = 0.5
_ROUNDS = 8
_CLOSE = 0.1  # a step that is taken as the last one but one


def check_assurance(assurance: float | None) -> float | None:
    """Return the share of studies that should reach a width; None: they do on average."""
    share = None if assurance is None else check.probability("assurance", assurance)
    return None if share == _AVERAGE else share


def check_one_aim(half_width: float | None, n_items: int | None) -> None:
    """Refuse a question that asks for a width and a size at once, or for neither."""
    if (half_width is None) == (n_items is None):
        aims = Words("either ", Argument("half_width"), " or ", Argument("n_items"))
        given = "both" if half_width else "neither"
        raise InputError.expected("the aim", aims, given, "give exactly one")


@dataclass(frozen=True)
class Widths:
    """The intervals of simulated studies of one size."""

    half_width: float
    low: float
    high: float
    undefined: float

    @classmethod
    def of(
        cls, widths: Floats, limits: Sequence[tuple[float, float]], assurance: float | None
    ) -> Widths:
        """Summarise half-widths, NaN where a study has none, and the limits of all others."""
        known = widths[np.isfinite(widths)]
        if not known.size:
            return cls(math.inf, math.nan, math.nan, 1.0)
        low, high = np.nanmean(np.array(limits), axis=0)
        width = known.mean() if assurance is None else np.quantile(known, assurance)
        return cls(float(width), float(low), float(high), 1.0 - known.size / widths.size)


def search_width(
    widths_at: Callable[[int, int | None], Widths], start: int, wanted: float, few: int, fewest: int
) -> tuple[int, Widths]:
    """Find the size with the wanted half-width: few studies far from it, all of them close to it.

    Half-widths fall with the root of the size, which gives the next size from the last, and the
    half-width of a last small step.
    """

    def stepped(size: int, found: Widths) -> int:
        ratio = min(max(found.half_width / wanted, 0.5), 2.0)
        return max(fewest, math.ceil(size * ratio**2))

    size, found = start, widths_at(start, few)
    for _ in range(_ROUNDS):
        new = stepped(size, found)
        close = abs(new - size) <= _CLOSE * size
        size, found = new, widths_at(new, None if close else few)
        if close:
            break
    last = stepped(size, found)
    return last, replace(found, half_width=found.half_width * math.sqrt(size / last))
