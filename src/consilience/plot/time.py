"""Timelines: lanes of units with their labels and links, and alignments in two passes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Ints
from consilience.core.draws import RandomStream
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.plot import style
from consilience.plot.rows import units_in
from consilience.units import Units, easydiag, timed_alignment
from consilience.units.alignment import TimedAlignment
from consilience.units.easydiag import EasyDiag, EasyDiagPairs
from consilience.units.gamma import Alignment, Gamma
from consilience.units.programs.elan_interact import MultipleLinks

# ---- Which units a result took for the same event, as pairs of rows, and where raters differ


def links_of(
    units: Units, result: Any, session: str | None, lanes: tuple[str, ...], threshold: Any
) -> Ints | None:
    """Return pairs of rows (n x 2) of one session, each between two lanes; None: not compared.

    Without a session, those of all sessions that the result has.
    """
    if result is None:
        if threshold is None or len(lanes) < 2 or session is None:
            return None
        found = [_by_overlap(units, session, pair, threshold) for pair in pairwise(lanes)]
    elif isinstance(result, EasyDiag):
        found = [_checked(units, result.linked_rows, result.raters)]
    elif isinstance(result, MultipleLinks):
        found = [_checked(units, result.links, result.raters)]
    elif isinstance(result, EasyDiagPairs):
        known = {frozenset(one.raters): one for one in result.pairs}
        near = [known[frozenset(pair)] for pair in pairwise(lanes) if frozenset(pair) in known]
        found = [_checked(units, one.linked_rows, one.raters) for one in near]
    elif isinstance(result, Gamma | Alignment):
        found = _aligned(units, result, lanes)
    else:
        raise InputError.expected(
            "result",
            "an EasyDiag, EasyDiagPairs, TimedAlignment, MultipleLinks, Gamma or Alignment",
            type(result).__name__,
            "leave it out to link units by their overlap",
        )
    rows: Ints = np.concatenate([np.empty((0, 2), dtype=np.int64), *found])
    if session is None:
        return rows
    here: Ints = rows[units.session[rows[:, 0]] == units.sessions.index(session)]
    return here


def _checked(units: Units, rows: Ints, raters: tuple[str, ...]) -> Ints:
    """Refuse links of other units, as far as that can be told."""
    fits = set(raters) <= set(units.raters)
    if fits and len(rows):
        fits = int(rows.max()) < len(units)
    if fits:
        codes = np.array([units.raters.index(name) for name in raters[:2]])
        fits = bool((units.rater[rows] == codes).all())
        fits &= bool((units.session[rows[:, 0]] == units.session[rows[:, 1]]).all())
    if not fits:
        raise InputError.expected(
            "result", "one of these units", "one of other units", "pass the units that it is of"
        )
    return rows


def _by_overlap(units: Units, session: str, pair: tuple[str, str], threshold: Any) -> Ints:
    if units.n_units < len(units):
        raise UnsupportedDesignError.needs(
            "linking by overlap",
            "units in one piece",
            f"{len(units) - units.n_units} further fragments",
            "pass threshold=None to draw no links",
        )
    place = units.sessions.index(session)
    mine = (units.session == place) & np.isin(
        units.rater, [units.raters.index(name) for name in pair]
    )
    rows = np.flatnonzero(mine)
    if len(np.unique(units.rater[rows])) < 2:
        return np.empty((0, 2), dtype=np.int64)
    some = units.select(sessions=[session], raters=list(pair))
    found = easydiag(some, threshold=threshold, point_tolerance=0, n_resamples=1)
    assert isinstance(found, EasyDiag)
    return np.asarray(rows[found.linked_rows])


def _aligned(units: Units, result: Gamma | Alignment, lanes: tuple[str, ...]) -> list[Ints]:
    """Chain the members of each unitary alignment from lane to lane."""
    alignment = result.alignment if isinstance(result, Gamma) else result
    columns = [alignment.raters.index(name) for name in lanes if name in alignment.raters]
    members = alignment.units[:, columns]
    if members.size and int(members.max()) >= len(units):
        return [_checked(units, members, ())]
    found = []
    last = np.full(len(members), -1, dtype=np.int64)
    for column in members.T:
        both = (last >= 0) & (column >= 0)
        found.append(np.stack([last[both], column[both]], axis=1))
        last = np.where(column >= 0, column, last)
    return found


def differing(
    units: Units, session: str, raters: Sequence[str]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return where raters differ: cuts of the session, and the share of pairs that differ between.

    Two raters differ at a moment if they have other labels there, on any tier, or if one of them
    has none. Between two cuts nothing changes; point events take no time.

    Examples
    --------
    >>> units = Units.from_records([("A", "x", 0, 9), ("B", "x", 0, 6), ("C", "y", 0, 6)])
    >>> cuts, share = differing(units, "session", ["A", "B", "C"])
    >>> cuts.tolist(), share.round(2).tolist()
    ([0.0, 6.0, 9.0], [0.67, 0.67])
    """
    here = units.session == units.sessions.index(session)
    codes = [units.raters.index(name) for name in raters]
    rows = np.flatnonzero(here & np.isin(units.rater, codes))
    cuts = np.unique(np.concatenate([units.start[rows], units.end[rows]]).astype(np.float64))
    first, last = (np.searchsorted(cuts, column[rows]) for column in (units.start, units.end))
    # What a rater has at a moment is a set of labels; the sum of random numbers tells sets apart.
    signs = 1 + RandomStream.of(0).integers(1 << 40, (len(units.tiers), len(units.labels)))
    state = np.zeros((len(codes), max(len(cuts) - 1, 0)), dtype=np.int64)
    for row, a, b in zip(rows, first, last, strict=True):
        state[codes.index(int(units.rater[row])), a:b] += signs[units.tier[row], units.label[row]]
    m = len(codes)
    alike = sum((state == one).sum(axis=0) for one in state) - m
    return cuts, 1.0 - np.asarray(alike, dtype=np.float64) / (m * (m - 1))


# ---- Time along an axis, in the words that people use for it

_NAMES = {
    "frame": "frame",
    "character": "character",
    "token": "token",
    "unknown": "time",
}
_PER_SECOND = {"ms": 1_000.0, "s": 1.0}
_MINUTES_FROM = 180.0  # seconds: longer stretches are told in minutes
_STEPS = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400)  # seconds
_TICKS = 9
_ROUND = (1, 2, 5, 10)


def time_axis(ax: Any, window: tuple[float, float], time_unit: str) -> None:
    """Label the x axis: seconds, minutes or hours if the unit is known, else plain numbers."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator, MultipleLocator

    per_second = _PER_SECOND.get(time_unit)
    if per_second is None:
        ax.set_xlabel(_NAMES.get(time_unit, time_unit))
        ax.xaxis.set_major_locator(
            MaxNLocator(_TICKS, steps=_ROUND, integer=time_unit != "unknown")
        )
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.10g}"))
        return
    seconds = (window[1] - window[0]) / per_second
    if seconds < _MINUTES_FROM:
        ax.set_xlabel("time (s)")
        ax.xaxis.set_major_locator(MaxNLocator(_TICKS, steps=_ROUND))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x / per_second:.10g}"))
        return
    step = next((one for one in _STEPS if seconds / one <= _TICKS), _rounded(seconds / _TICKS))
    ax.xaxis.set_major_locator(MultipleLocator(step * per_second))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda x, _: clock(x / per_second)))
    longest = max(abs(one) for one in window) / per_second
    ax.set_xlabel("time (h:min:s)" if longest >= 3_600 else "time (min:s)")


def _rounded(step: float) -> float:
    """Return the next whole number of hours."""
    return 3_600.0 * math.ceil(step / 3_600.0)


def clock(seconds: float) -> str:
    """Write seconds as minutes and seconds, with hours if there are any.

    >>> clock(75), clock(3_671), clock(-5)
    ('1:15', '1:01:11', '-0:05')
    """
    sign, whole = ("-" if round(seconds) < 0 else ""), abs(round(seconds))
    hours, rest = divmod(whole, 3_600)
    minutes, left = divmod(rest, 60)
    return f"{sign}{hours}:{minutes:02}:{left:02}" if hours else f"{sign}{minutes}:{left:02}"


# ---- Where each unit of a timeline stands: its lane, its step in it, and how it fared

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


# ---- Labels of a timeline: inside their bars, or beside the outer lanes where there is room

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
        text = _label_shown(units.labels[units.label[bars.row[k]]])
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


def _label_shown(label: Any) -> str:
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
        offset, side = (2, "bottom") if one.above else (-2, "top")
        look: dict[str, Any] = {"rotation": 90, "annotation_clip": True, "zorder": 5}
        style.beside(
            ax, one.text, (one.x, one.y), (0, offset), fontsize=_FONT, ha="center", va=side, **look
        )


# ---- A GSEQ-like alignment on a timeline: events, filled gaps, and links of one pass or of both

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
    return style.describe(ax, _alignment_in_words(name, result, shown))


def _alignment_in_words(session: str, result: TimedAlignment, shown: list[set[int]]) -> str:
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
    columns = 1 if style.is_narrow() else 3
    style.legend_above(ax, handles=handles, fontsize="small", ncols=columns)


# ---- What raters marked, one lane each, and which of their units were taken for the same event

_MOST_UNITS = 5_000
_WIDEST = 16.0
_INCH_PER_UNIT = 0.4  # of the busiest lane, so that bars stay bars
_ASIDE = 1.0  # inches beside the lanes: names of raters
_STRIP = 0.34  # below the lanes: where raters differ
_AROUND = 0.95  # above and below: key and axis

# How a unit fared is never told by colour alone.
_LOOKS: dict[str, dict[str, Any]] = {
    SAME: {"edge": style.BLUE, "line": "-", "hatch": None, "fill": 0.28, "width": 1.4},
    OTHER: {"edge": style.RED, "line": "-", "hatch": "xxx", "fill": 0.10, "width": 1.4},
    ALONE: {"edge": style.FAINT, "line": (0, (3, 2)), "hatch": "///", "fill": 0.0, "width": 1.2},
    PLAIN: {"edge": style.BLUE, "line": "-", "hatch": None, "fill": 0.18, "width": 1.2},
}
_HATCH = 0.4  # opacity
_LINKS: dict[str, dict[str, Any]] = {
    SAME: {"colors": style.BLUE, "linestyles": "-"},
    OTHER: {"colors": style.RED, "linestyles": (0, (4, 2))},
}


@style.drawing
def timeline(
    units: Any,
    *,
    result: Any = None,
    session: str | None = None,
    raters: Sequence[str] | None = None,
    threshold: float | None = 60,
    start: float | None = None,
    end: float | None = None,
    ax: Any = None,
) -> Any:
    """Draw a session: a lane for each rater, units as bars, a line between those linked.

    Solid blue lines join units with the same label, dashed red ones with a cross units whose
    labels differ; a unit without a partner is hatched in a dashed outline. With several tiers
    there are lanes for each of them; units of one rater that overlap lie one below the other.
    Below three and more raters a strip says where they differ: the redder, the more pairs of them.

    Parameters
    ----------
    units : Units, a dataframe or records
    result : EasyDiag, EasyDiagPairs, TimedAlignment, MultipleLinks, Gamma or Alignment, optional
        What these units gave, whose links are drawn; a `TimedAlignment` as in `alignment`. By
        default units are linked as in
        `consilience.units.easydiag`; with more than two raters, neighbouring lanes are.
    session : str, optional
        Default the first.
    raters : names, optional
        The lanes from top to bottom; default all raters of the session.
    threshold : float or None, default 60
        Percent of overlap that links two units, if there is no result; None draws no links.
    start, end : float, optional
        The stretch of time to show, in the time unit of the data; default the whole session.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        An unknown session or rater, an impossible stretch, or too many units for one picture.

    References
    ----------
    .. [1] Holle, H. & Rein, R. (2015). EasyDIAg: A tool for easy determination of interrater
       agreement. Behavior Research Methods 47, 837-847, Figure 6.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R2", "A", 1, 11), ("R2", "C", 11, 19)])
    >>> ax = timeline(units)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['same label: 1', 'different label: 1']
    """
    units = units_in(units)
    if isinstance(result, TimedAlignment):
        return alignment(units, result, session=session, start=start, end=end, ax=ax)
    name = _session(units, session)
    lanes = _raters(units, name, raters)
    low, high = _window(units, name, start, end)
    pairs = links_of(units, result, name, lanes, threshold)
    bars = arranged(units, lanes, _units_shown(units, name, lanes, (low, high)), pairs)
    width = style.width_of(min(_WIDEST, max(style.WIDE, _ASIDE + _INCH_PER_UNIT * bars.busiest)))
    if ax is not None:
        width = ax.get_position().width * ax.figure.get_figwidth() + _ASIDE
    text = placed(bars, (low, high), units, width - _ASIDE)
    strip = differing(units, name, lanes) if len(lanes) > 2 else None
    height = _AROUND + INCH_PER_HEIGHT * bars.height + text.above + text.below
    ax = style.new_axes(ax, width=width, height=height + (_STRIP if strip else 0.0))
    _draw(ax, bars, (low, high), units.time_unit, text)
    if strip is not None:
        _draw_strip(ax, *strip)
    return style.describe(ax, _timeline_in_words(name, lanes, bars))


def _draw_strip(ax: Any, cuts: Any, share: Any) -> None:
    """Draw where raters differ, below their lanes."""
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    bottom, top = ax.get_ylim()
    low, high = bottom + 0.3 * _STRIP / INCH_PER_HEIGHT, bottom + 0.9 * _STRIP / INCH_PER_HEIGHT
    seen = np.flatnonzero(share > 0.0)
    corners = [[(cuts[k], low), (cuts[k], high), (cuts[k + 1], high), (cuts[k + 1], low)]
               for k in seen]  # fmt: skip
    colours = [to_rgba(style.RED, 0.15 + 0.85 * float(share[k])) for k in seen]
    ax.add_collection(PolyCollection(corners, facecolors=colours, edgecolors="none", zorder=2))
    ax.set_ylim(bottom + _STRIP / INCH_PER_HEIGHT, top)
    ticks = [*ax.get_yticks(), (low + high) / 2]
    ax.set_yticks(ticks, [*(one.get_text() for one in ax.get_yticklabels()), "raters differ"])


def _timeline_in_words(session: str, lanes: tuple[str, ...], bars: Bars) -> str:
    fates = [(word, len(np.unique(bars.unit[bars.fate == word]))) for word in _LOOKS]
    told = ", ".join(f"{n:,} with {word}" for word, n in fates if n and word != PLAIN)
    n_units = len(np.unique(bars.unit))
    return f"{session}: {n_units:,} units of {', '.join(lanes)}" + (f"; {told}." if told else ".")


# ---- what to draw


def _session(units: Units, session: str | None) -> str:
    if not units.n_sessions:
        raise InputError.expected("units", "those of a session", "none", "check the data")
    if session is None:
        return units.sessions[0]
    if session not in units.sessions:
        raise InputError.unknown_word("a session", session, units.sessions)
    return session


def _raters(units: Units, session: str, raters: Any) -> tuple[str, ...]:
    if raters is None:
        present = units.counts()[:, units.sessions.index(session)] > 0
        names = tuple(name for name, there in zip(units.raters, present, strict=True) if there)
        return units.raters if units.n_raters == 2 else names
    if isinstance(raters, str) or not isinstance(raters, Sequence):
        raise InputError.expected("raters", "a list of names", raters, "such as ['A', 'B']")
    for name in raters:
        if name not in units.raters:
            raise InputError.unknown_word("a rater", name, units.raters)
    if not raters or len(set(raters)) != len(raters):
        raise InputError.expected("raters", "different names", list(raters), "name each once")
    return tuple(raters)


def _window(units: Units, session: str, start: Any, end: Any) -> tuple[float, float]:
    for word, value in (("start", start), ("end", end)):
        if value is not None and not _is_time(value):
            raise InputError.expected(word, "a time", value, "in the time unit of the data")
    bounds = units.bounds[units.sessions.index(session)]
    low = float(bounds[0] if start is None else start)
    high = float(bounds[1] if end is None else end)
    if low == high and start is None and end is None:  # one point event and nothing else
        return low - 0.5, high + 0.5
    if not low < high:
        raise InputError.expected(
            "the stretch to show",
            "one that ends after it starts",
            f"{low:g} to {high:g}",
            f"session {session!r} goes from {bounds[0]:g} to {bounds[1]:g}",
        )
    return low, high


def _is_time(value: Any) -> bool:
    ok = isinstance(value, Real) and not isinstance(value, bool)
    return ok and math.isfinite(value)


def _units_shown(
    units: Units, session: str, lanes: tuple[str, ...], window: tuple[float, float]
) -> Ints:
    """Return the rows of the units that can be seen."""
    codes = [units.raters.index(name) for name in lanes]
    here = (units.session == units.sessions.index(session)) & np.isin(units.rater, codes)
    here &= (units.start <= window[1]) & (units.end >= window[0])
    rows = np.flatnonzero(here)
    if len(rows) > _MOST_UNITS:
        raise InputError.expected(
            "the stretch to show",
            f"one with at most {_MOST_UNITS:,} units",
            f"{len(rows):,}",
            "narrow it with start= and end=",
        )
    return rows


# ---- drawing


def _draw(ax: Any, bars: Bars, window: tuple[float, float], time_unit: str, text: Labels) -> None:
    from matplotlib.collections import LineCollection

    for word in (ALONE, SAME, OTHER, PLAIN):
        _draw_bars(ax, bars, word)
    for word, segments in bars.links:
        ax.add_collection(
            LineCollection(list(segments), linewidths=1.5, zorder=1.5, **_LINKS[word])
        )
        if word == OTHER:
            at = segments.mean(axis=1)
            ax.plot(*at.T, "x", color=style.RED, markersize=6, markeredgewidth=1.6, zorder=4)
    if len(bars.fragments):
        ax.add_collection(
            LineCollection(list(bars.fragments), colors=style.FAINT, linewidths=1.0, zorder=1)
        )
    margin = 0.01 * (window[1] - window[0])
    ax.set_xlim(window[0] - margin, window[1] + margin)
    ax.set_yticks([y for y, _ in bars.ticks], [text for _, text in bars.ticks])
    ax.tick_params(axis="y", length=0)
    ax.spines["left"].set_visible(False)
    write(ax, text)
    above, below = (0.12 + inches / INCH_PER_HEIGHT for inches in (text.above, text.below))
    ax.set_ylim(bars.height + below, -above)
    time_axis(ax, window, time_unit)
    if text.left_out:
        some = "1 label does" if text.left_out == 1 else f"{text.left_out} labels do"
        ax.set_xlabel(f"{ax.get_xlabel()} · {some} not fit: show a shorter stretch")
    _legend(ax, bars)


def _draw_bars(ax: Any, bars: Bars, word: str) -> None:
    from matplotlib.collections import PolyCollection
    from matplotlib.colors import to_rgba

    chosen = bars.fate == word
    if not chosen.any():
        return
    look = _LOOKS[word]
    left, right, y = bars.left[chosen], bars.right[chosen], bars.middle[chosen]
    low, high = y - BAR / 2, y + BAR / 2
    corners = np.stack(
        [np.stack([left, left, right, right], 1), np.stack([low, high, high, low], 1)], axis=2
    )
    drawn: list[dict[str, Any]] = [
        {
            "facecolors": [to_rgba(look["edge"], look["fill"])],
            "edgecolors": look["edge"],
            "linestyles": [look["line"]],
            "linewidths": look["width"],
        }
    ]
    if look["hatch"]:  # by itself, so that a label on it can be read
        hatched = {"facecolors": "none", "edgecolors": [to_rgba(look["edge"], _HATCH)]}
        drawn.insert(0, {**hatched, "linewidths": 0.0, "hatch": look["hatch"]})
    for one in drawn:
        ax.add_collection(PolyCollection(list(corners), zorder=2, **one))


def _legend(ax: Any, bars: Bars) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    for word, segments in bars.links:
        look = _LINKS[word]
        colour, line, marker = look["colors"], look["linestyles"], "x" if word == OTHER else ""
        label = f"{word}: {len(segments):,}"
        handles.append(Line2D([], [], color=colour, linestyle=line, marker=marker, label=label))
    alone = len(np.unique(bars.unit[bars.fate == ALONE]))
    if alone:
        edge, hatch = _LOOKS[ALONE]["edge"], _LOOKS[ALONE]["hatch"]
        look = {"facecolor": "none", "edgecolor": edge, "linestyle": "--", "hatch": hatch}
        handles.append(Patch(**look, label=f"{ALONE}: {alone:,}"))
    if handles:
        look = {"fontsize": "small", "columnspacing": 1.2, "borderpad": 0.2}
        columns = 2 if style.is_narrow() else len(handles)
        style.legend_above(ax, handles=handles, ncols=columns, **look)
