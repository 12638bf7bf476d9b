"""Where each unit of a timeline stands: its lane, its step in it, and how it fared."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Ints
from consilience.plot import style
from consilience.units import Units

BAR, BETWEEN, APART = 0.62, 0.75, 0.55  # heights: a bar, the space for links, between tiers
INCH_PER_HEIGHT = 0.55
SAME, OTHER, ALONE, PLAIN = "same label", "different label", "no partner", "unit"


@dataclass(frozen=True)
class Bars:
    """Units (or fragments) to draw, and the lines between them."""

    row: Ints  # in the units
    unit: Ints  # the same for the fragments of one unit
    left: NDArray[Any]
    right: NDArray[Any]
    middle: NDArray[Any]  # y
    fate: NDArray[Any]  # words
    lane: Ints
    ticks: tuple[tuple[float, str], ...]
    links: tuple[tuple[str, NDArray[Any]], ...]  # word, segments (n, 2, 2)
    fragments: NDArray[Any]  # lines between the pieces of one unit
    height: float
    busiest: int
    n_lanes: int


def arranged(units: Units, lanes: tuple[str, ...], rows: Ints, pairs: Ints | None) -> Bars:
    """Give each unit its place."""
    fate = _fates(units, rows, pairs)
    middle, lane = np.zeros(len(rows)), np.zeros(len(rows), dtype=np.int64)
    several = len(np.unique(units.tier[rows])) > 1
    ticks: list[tuple[float, str]] = []
    top, n_lanes, busiest = 0.0, 0, 0
    for tier in np.unique(units.tier[rows]) if len(rows) else [0]:
        for name in lanes:
            mine = np.flatnonzero(
                (units.tier[rows] == tier) & (units.rater[rows] == units.raters.index(name))
            )
            step, n_steps = _stacked(units.start[rows[mine]], units.end[rows[mine]])
            middle[mine] = top + BAR * (step + 0.5)
            lane[mine] = n_lanes
            said = f"{units.tiers[tier]}: {name}" if several else name
            ticks.append((top + BAR * n_steps / 2, style.shortened(said)))
            top += BAR * n_steps + BETWEEN
            n_lanes += 1
            busiest = max(busiest, len(mine))
        top += APART
    return Bars(
        row=rows,
        unit=_identity(units)[rows],
        left=units.start[rows].astype(np.float64),
        right=units.end[rows].astype(np.float64),
        middle=middle,
        fate=fate,
        lane=lane,
        ticks=tuple(ticks),
        links=_segments(units, rows, middle, pairs),
        fragments=_pieces(units, rows, middle),
        height=top - BETWEEN - APART,
        busiest=busiest,
        n_lanes=n_lanes,
    )


def _stacked(start: NDArray[Any], end: NDArray[Any]) -> tuple[Ints, int]:
    """Put units that overlap on different steps, the first that is free."""
    step = np.zeros(len(start), dtype=np.int64)
    free: list[float] = []
    for k in np.lexsort((end, start)):
        place = next((at for at, until in enumerate(free) if start[k] >= until), len(free))
        if place == len(free):
            free.append(-math.inf)
        step[k], free[place] = place, float(end[k])
    return step, max(len(free), 1)


def _identity(units: Units) -> Ints:
    """Return what makes entries one unit: the id that fragments share, or the row."""
    return np.arange(len(units)) if units.span is None else np.asarray(units.span)


def _fates(units: Units, rows: Ints, pairs: Ints | None) -> NDArray[Any]:
    words = np.full(len(rows), PLAIN if pairs is None else ALONE, dtype=object)
    if pairs is None or not len(pairs):
        return words
    unit = _identity(units)
    differ = units.label[pairs[:, 0]] != units.label[pairs[:, 1]]
    words[np.isin(unit[rows], unit[pairs[~differ].ravel()])] = SAME
    words[np.isin(unit[rows], unit[pairs[differ].ravel()])] = OTHER
    return words


def _segments(
    units: Units, rows: Ints, middle: NDArray[Any], pairs: Ints | None
) -> tuple[tuple[str, NDArray[Any]], ...]:
    """Return the lines between linked units, from the edge of one bar to that of the other."""
    if pairs is None or not len(pairs):
        return ()
    place = {int(row): k for k, row in enumerate(rows)}
    found: dict[str, list[Any]] = {SAME: [], OTHER: []}
    for pair in pairs.tolist():
        if not all(row in place for row in pair):
            continue
        upper, lower = sorted(pair, key=lambda row: float(middle[place[row]]))
        ends = [
            ((units.start[row] + units.end[row]) / 2, middle[place[row]] + half)
            for row, half in ((upper, BAR / 2), (lower, -BAR / 2))
        ]
        found[SAME if units.label[upper] == units.label[lower] else OTHER].append(ends)
    return tuple((word, np.array(lines)) for word, lines in found.items() if lines)


def _pieces(units: Units, rows: Ints, middle: NDArray[Any]) -> NDArray[Any]:
    """Return the lines that join the fragments of one unit."""
    lines = []
    if units.span is not None:
        order = np.lexsort((units.start[rows], units.span[rows]))
        for a, b in pairwise(order):
            if units.span[rows[a]] == units.span[rows[b]]:
                ends = (units.end[rows[a]], middle[a]), (units.start[rows[b]], middle[b])
                lines.append(ends)
    return np.array(lines, dtype=np.float64).reshape(-1, 2, 2)
