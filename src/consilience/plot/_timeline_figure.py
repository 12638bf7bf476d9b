"""What raters marked, one lane each, and which of their units were taken for the same event."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np

from consilience.core.arrays import Ints
from consilience.exceptions import InputError
from consilience.plot import _lane_labels as labels
from consilience.plot import style
from consilience.plot._alignment_figure import alignment
from consilience.plot._figure_data import units_in
from consilience.plot._lanes import ALONE, BAR, INCH_PER_HEIGHT, OTHER, PLAIN, SAME, Bars, arranged
from consilience.plot._time_axis import time_axis
from consilience.plot.links import differing, links_of
from consilience.units import TimedAlignment, Units

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
    bars = arranged(units, lanes, _shown(units, name, lanes, (low, high)), pairs)
    width = style.width_of(min(_WIDEST, max(style.WIDE, _ASIDE + _INCH_PER_UNIT * bars.busiest)))
    if ax is not None:
        width = ax.get_position().width * ax.figure.get_figwidth() + _ASIDE
    text = labels.placed(bars, (low, high), units, width - _ASIDE)
    strip = differing(units, name, lanes) if len(lanes) > 2 else None
    height = _AROUND + INCH_PER_HEIGHT * bars.height + text.above + text.below
    ax = style.new_axes(ax, width=width, height=height + (_STRIP if strip else 0.0))
    with style.styled():
        _draw(ax, bars, (low, high), units.time_unit, text)
        if strip is not None:
            _draw_strip(ax, *strip)
    return style.describe(ax, _in_words(name, lanes, bars))


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


def _in_words(session: str, lanes: tuple[str, ...], bars: Bars) -> str:
    fates = [(word, len(np.unique(bars.unit[bars.fate == word]))) for word in _LOOKS]
    told = ", ".join(f"{n:,} with {word}" for word, n in fates if n and word != PLAIN)
    n_units = len(np.unique(bars.unit))
    return f"{session}: {n_units:,} units of {', '.join(lanes)}" + (f"; {told}." if told else ".")


# -------------------------------------------------------------------- what to draw


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


def _shown(units: Units, session: str, lanes: tuple[str, ...], window: tuple[float, float]) -> Ints:
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


# -------------------------------------------------------------------- drawing


def _draw(
    ax: Any, bars: Bars, window: tuple[float, float], time_unit: str, text: labels.Labels
) -> None:
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
    labels.write(ax, text)
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
    if look["hatch"]:  # by itself, so that a label on it can be read
        ax.add_collection(
            PolyCollection(
                list(corners),
                facecolors="none",
                edgecolors=[to_rgba(look["edge"], _HATCH)],
                linewidths=0.0,
                hatch=look["hatch"],
                zorder=2,
            )
        )
    ax.add_collection(
        PolyCollection(
            list(corners),
            facecolors=[to_rgba(look["edge"], look["fill"])],
            edgecolors=look["edge"],
            linestyles=[look["line"]],
            linewidths=look["width"],
            zorder=2,
        )
    )


def _legend(ax: Any, bars: Bars) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    for word, segments in bars.links:
        look = _LINKS[word]
        handles.append(
            Line2D(
                [],
                [],
                color=look["colors"],
                linestyle=look["linestyles"],
                marker="x" if word == OTHER else "",
                label=f"{word}: {len(segments):,}",
            )
        )
    alone = len(np.unique(bars.unit[bars.fate == ALONE]))
    if alone:
        look = _LOOKS[ALONE]
        handles.append(
            Patch(
                facecolor="none",
                edgecolor=look["edge"],
                linestyle="--",
                hatch=look["hatch"],
                label=f"{ALONE}: {alone:,}",
            )
        )
    if handles:
        ax.legend(
            handles=handles,
            fontsize="small",
            loc="lower left",
            bbox_to_anchor=(0.0, 1.0),
            ncols=2 if style.is_narrow() else len(handles),
            columnspacing=1.2,
            borderpad=0.2,
        )
