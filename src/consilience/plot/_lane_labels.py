"""Labels of a timeline: inside their bars, or beside the outer lanes where there is room."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.plot import style
from consilience.plot._lanes import BAR, INCH_PER_HEIGHT, Bars
from consilience.units import Units

_FONT = 8
_LETTER = 0.58 * _FONT / 72  # inches
_LONGEST_ASIDE = 10  # letters of a label that is written upwards, beside its bar

_LONGEST_INSIDE = 5  # the same between two lanes


@dataclass(frozen=True)
class Written:
    """A label and its place: inside a bar, or `above` or below one."""

    x: float
    y: float
    text: str
    above: bool | None


@dataclass(frozen=True)
class Labels:
    """All labels, how many have no room, and the inches taken above and below the lanes."""

    written: tuple[Written, ...]
    left_out: int
    above: float
    below: float


def placed(bars: Bars, window: tuple[float, float], units: Units, width: float) -> Labels:
    """Find room for labels on axes of a width in inches."""
    inch = width / (window[1] - window[0])
    last = dict.fromkeys(range(bars.n_lanes), -math.inf)
    written, left_out = [], 0
    room = {True: 0.0, False: 0.0}
    for k in np.argsort(bars.left, kind="stable").tolist():
        low, high = max(bars.left[k], window[0]), min(bars.right[k], window[1])
        text = _shown(units.labels[units.label[bars.row[k]]])
        x, y = float((low + high) / 2), float(bars.middle[k])
        if _LETTER * len(text) + 0.04 <= (high - low) * inch:
            written.append(Written(x, y, text, None))
            continue
        lane, above = int(bars.lane[k]), _outside(bars, k, 0.65 * _FONT / 72 / inch)
        if above is None or (x - last[lane]) * inch < 1.3 * _FONT / 72:
            left_out += 1
            continue
        last[lane] = x
        is_inner = above and lane > 0
        short = style.shortened(text, _LONGEST_INSIDE if is_inner else _LONGEST_ASIDE)
        edge = y - BAR / 2 if above else y + BAR / 2
        written.append(Written(x, edge, short, above))
        free = (edge if above else bars.height - edge) * INCH_PER_HEIGHT  # steps without a unit
        if not is_inner:
            room[above] = max(room[above], _LETTER * len(short) + 0.08 - free)
    return Labels(tuple(written), left_out, room[True], room[False])


def _outside(bars: Bars, k: int, half: float) -> bool | None:
    """Say whether a label can stand above a unit of the first lane or below one of the last.

    Other units of the lane may be in the way; `half` is half the width of a line of text.
    """
    ways = [way for way, lane in ((True, 0), (False, bars.n_lanes - 1)) if bars.lane[k] == lane]
    if not bars.links:  # then there is room between lanes
        ways.append(True)
    x, y = (bars.left[k] + bars.right[k]) / 2, bars.middle[k]
    near = (bars.lane == bars.lane[k]) & (bars.left < x + half) & (bars.right > x - half)
    for above in ways:
        beyond = bars.middle < y if above else bars.middle > y
        if not (near & beyond).any():
            return above
    return None


def _shown(label: Any) -> str:
    if isinstance(label, frozenset):
        return style.shortened(", ".join(sorted(map(str, label))))
    return style.shortened(label)


def write(ax: Any, labels: Labels) -> None:
    """Write labels at their places."""
    for one in labels.written:
        if one.above is None:
            ax.text(
                one.x, one.y, one.text, ha="center", va="center", fontsize=_FONT, clip_on=True,
                zorder=5,
            )  # fmt: skip
            continue
        ax.annotate(
            one.text,
            (one.x, one.y),
            xytext=(0, 2 if one.above else -2),
            textcoords="offset points",
            rotation=90,
            ha="center",
            va="bottom" if one.above else "top",
            fontsize=_FONT,
            annotation_clip=True,
            zorder=5,
        )
