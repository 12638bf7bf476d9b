"""A GSEQ-like alignment on a timeline: events, filled gaps, and links of one pass or of both."""

from __future__ import annotations

from typing import Any

import numpy as np

from consilience.core.arrays import Ints
from consilience.exceptions import InputError
from consilience.plot import style
from consilience.plot._figure_data import units_in
from consilience.plot._time_axis import time_axis
from consilience.units import TimedAlignment, Units, timed_alignment

_HEIGHT = 0.5  # of a bar
_APART = 2.0  # from lane to lane
_MOST_EVENTS = 400
_INCH_PER_EVENT = 0.32
_ROOM = 0.012  # of the width that a letter takes
_BOTH, _ONE = "both passes", "one pass, from who leads"


@style.drawing
def alignment(
    units: Any,
    result: TimedAlignment | None = None,
    *,
    session: str | None = None,
    start: float | None = None,
    end: float | None = None,
    ax: Any = None,
) -> Any:
    """Draw how timed events were aligned: two lanes, filled gaps dashed, arrows between links.

    A double arrow is a link of both passes, which counts 2; a single one starts at the rater who
    led the pass that made it. Red and dashed: the codes differ.

    Parameters
    ----------
    units : Units, a dataframe or records
        Those that were aligned.
    result : TimedAlignment, optional
        Default what `consilience.units.timed_alignment` makes of the units.
    session : str, optional
        Default the first that was compared.
    start, end : float, optional
        The stretch of time to show, in the time unit of the data; default the whole session.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        An unknown session, or too many events for one picture.

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847, Figure 6c.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 14, 20), ("R2", "A", 1, 11), ("R2", "C", 14, 19)])
    >>> ax = alignment(units)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['R1', 'R2']
    """
    units = units_in(units)
    result = timed_alignment(units) if result is None else result
    name = result.sessions[0] if session is None else session
    if name not in result.sessions:
        raise InputError.unknown_word("a session", session, result.sessions)
    place = result.sessions.index(name)
    bounds = units.bounds[units.sessions.index(name)]
    low = float(bounds[0] if start is None else start)
    high = float(bounds[1] if end is None else end)
    seen = [
        np.flatnonzero((one.session == place) & (one.start < high) & (one.end > low))
        for one in result.events
    ]
    busiest = max(map(len, seen), default=0)
    if not low < high or busiest > _MOST_EVENTS:
        raise InputError.expected(
            "the stretch to show", f"one with at most {_MOST_EVENTS} events of a rater",
            f"{busiest:,}", "narrow it with start= and end=",
        )  # fmt: skip
    tiers = list(dict.fromkeys(result.events[0].block[seen[0]].tolist()))
    width = style.width_of(min(16.0, max(style.WIDE, 1.0 + _INCH_PER_EVENT * busiest)))
    with style.styled():
        ax = style.new_axes(ax, width=width, height=1.0 + 1.5 * max(1, len(tiers)))
        for lane, (one, rows) in enumerate(zip(result.events, seen, strict=True)):
            for k in rows.tolist():
                y = _lane(tiers, int(one.block[k]), lane)
                _event(ax, result, (lane, k), y, high - low)
        shown = [set(rows.tolist()) for rows in seen]
        for (a, b), made in zip(result.event_links.tolist(), result.links[:, 2:], strict=True):
            if a in shown[0] and b in shown[1]:
                _arrow(ax, result, (a, b), made, tiers)
        _finish(ax, result, tiers, (low, high), units)
    return style.describe(ax, _in_words(name, result, shown))


def _in_words(session: str, result: TimedAlignment, shown: list[set[int]]) -> str:
    """Count the links that are drawn: of the same code or not, of one pass or of both."""
    first, second = result.events
    same = differ = both = 0
    for (a, b), made in zip(result.event_links.tolist(), result.links[:, 2:], strict=True):
        if a in shown[0] and b in shown[1]:
            same += bool(first.code[a] == second.code[b])
            differ += bool(first.code[a] != second.code[b])
            both += bool(made[0] and made[1])
    raters = " and ".join(result.raters)
    return (
        f"{session}, {raters}: {same} links of the same code, {differ} of different codes; "
        f"{both} of them were made in both passes."
    )


def _lane(tiers: list[int], block: int, lane: int) -> float:
    return _APART * (2 * tiers.index(block) + lane) if block in tiers else _APART * lane


def _event(ax: Any, result: TimedAlignment, which: tuple[int, int], y: float, span: float) -> None:
    from matplotlib.patches import Rectangle

    lane, k = which
    one = result.events[lane]
    left, length = float(one.start[k]), float(one.end[k] - one.start[k])
    gap = one.row[k] < 0
    ax.add_patch(
        Rectangle(
            (left, y - _HEIGHT / 2), max(length, 1e-9 * span), _HEIGHT, linewidth=1.2,
            facecolor="none" if gap else f"{style.BLUE}30",
            edgecolor=style.FAINT if gap else style.BLUE,
            linestyle=(0, (3, 2)) if gap else "-", zorder=2,
        )
    )  # fmt: skip
    text = style.shortened(str(result.labels[one.code[k]]), 12)
    if length / span < _ROOM * (len(text) + 1):
        ax.text(
            left + length / 2, y + (-1 if lane == 0 else 1) * (_HEIGHT / 2 + 0.08), text,
            rotation=90, ha="center", va="bottom" if lane == 0 else "top", fontsize="x-small",
        )  # fmt: skip
        return
    ax.text(left + length / 2, y, text, ha="center", va="center", fontsize="small", zorder=3)


def _arrow(
    ax: Any, result: TimedAlignment, link: tuple[int, int], made: Ints, tiers: list[int]
) -> None:
    (a, b), (first, second) = link, result.events
    same = first.code[a] == second.code[b]
    tops = [_lane(tiers, int(first.block[a]), 0), _lane(tiers, int(second.block[b]), 1)]
    ends = [
        ((first.start[a] + first.end[a]) / 2, tops[0] + _HEIGHT / 2),
        ((second.start[b] + second.end[b]) / 2, tops[1] - _HEIGHT / 2),
    ]
    both = bool(made[0] and made[1])
    if not both and made[1]:
        ends.reverse()  # the second rater led
    ax.annotate(
        "", xy=ends[1], xytext=ends[0],
        arrowprops={
            "arrowstyle": "<->" if both else "->",
            "color": style.BLUE if same else style.RED,
            "linestyle": "-" if same else (0, (4, 2)),
            "linewidth": 1.4,
            "shrinkA": 0, "shrinkB": 0,
        },
        zorder=1.5,
    )  # fmt: skip


def _finish(
    ax: Any, result: TimedAlignment, tiers: list[int], window: tuple[float, float], units: Units
) -> None:
    from matplotlib.lines import Line2D

    low, high = window
    ax.set_xlim(low - 0.01 * (high - low), high + 0.01 * (high - low))
    ax.set_ylim(_APART * (2 * max(1, len(tiers)) - 1) + 0.95, -0.95)
    places = [_APART * k for k in range(2 * max(1, len(tiers)))]
    ax.set_yticks(places, [style.shortened(result.raters[k % 2]) for k in range(len(places))])
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    time_axis(ax, window, units.time_unit)
    handles = [
        Line2D([], [], color=style.BLUE, marker="d", label=_BOTH),
        Line2D([], [], color=style.BLUE, marker=">", label=_ONE),
        Line2D([], [], color=style.FAINT, linestyle="--", label="filled gap"),
    ]
    ax.legend(
        handles=handles,
        fontsize="small",
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=1 if style.is_narrow() else 3,
    )
