"""Time along an axis, in the words that people use for it."""

from __future__ import annotations

import math
from typing import Any

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
