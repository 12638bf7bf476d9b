"""A judge over batches: what was expected, what was seen, and what can be said at every look."""

from __future__ import annotations

import math
from typing import Any

from consilience.exceptions import InputError
from consilience.judges import Watch
from consilience.plot.style import (
    BLUE,
    FAINT,
    GREY,
    INK,
    RED,
    describe,
    drawing,
    is_narrow,
    new_axes,
    shortened,
    styled,
)

_MOST_NAMED = 8  # beyond which names of batches are turned
_MOST_TICKS = 16
_TOLD = 10


@drawing
def control_chart(data: Any, *, ax: Any = None) -> Any:
    """Draw a judge's agreement with people batch by batch, with control limits and a sequence.

    Dots are batches, squares those outside the control limits (dashed); the line is the share since
    the baseline, and the band its confidence sequence, which holds at every look. A vertical line
    marks the batch at which agreement is shown to have fallen.

    Parameters
    ----------
    data : Watch
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import Ratings, judges
    >>> own = ["a", "b"] * 100
    >>> both = Ratings.from_wide({"Ann": own, "gpt": own[:100] + ["a"] * 100})
    >>> ax = control_chart(judges.watch_judge(both, [k // 25 for k in range(200)], judge="gpt"))
    >>> ax.get_ylabel()
    'agreement of gpt with people'
    """
    if not isinstance(data, Watch):
        raise InputError.expected("data", "a judge that was watched", type(data).__name__,
                                  "see judges.watch_judge")  # fmt: skip
    with styled():
        ax = new_axes(ax, height=3.9)
        _limits(ax, data)
        _sequence(ax, data)
        _batches(ax, data)
        ax.set_ylabel(f"agreement of {shortened(data.judge)} with people")
        ax.set_xlabel("batch")
        ax.grid(axis="y")
        columns = 1 if is_narrow(ax) else 2
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, fontsize=9,
                  borderaxespad=0.3, handlelength=1.6)  # fmt: skip
    return describe(ax, _in_words(data))


def _limits(ax: Any, data: Watch) -> None:
    """Draw the baseline and what batches of their size should keep to."""
    places = range(len(data.batches))
    for side in ("low", "high"):
        ends = [getattr(one.control, side) for one in data.batches]
        ax.step(places, ends, where="mid", color=FAINT, linestyle="--", linewidth=1.0,
                label="control limits" if side == "low" else None)  # fmt: skip
    ax.axhline(data.baseline, color=GREY, linewidth=1.0, zorder=0.5)
    ax.annotate("baseline", (1.0, data.baseline), xycoords=ax.get_yaxis_transform(), ha="right",
                va="bottom", fontsize=8.5, color=INK, xytext=(-2, 1),
                textcoords="offset points")  # fmt: skip


def _sequence(ax: Any, data: Watch) -> None:
    """Draw the share so far in its confidence sequence, from the end of the baseline on."""
    seen = [(k, one) for k, one in enumerate(data.batches) if math.isfinite(one.sequence.low)]
    if not seen:
        return
    places = [k for k, _ in seen]
    ax.fill_between(places, [one.sequence.low for _, one in seen],
                    [one.sequence.high for _, one in seen], color=BLUE, alpha=0.15, linewidth=0,
                    label="so far, at every look")  # fmt: skip
    ax.plot(places, [one.so_far for _, one in seen], color=BLUE, linewidth=1.4)


def _batches(ax: Any, data: Watch) -> None:
    for out, colour, marker, name in ((False, BLUE, "o", "batch"),
                                      (True, RED, "s", "batch out of control")):  # fmt: skip
        some = [(k, one.agreement) for k, one in enumerate(data.batches) if one.is_out == out]
        if some:
            ax.plot(*zip(*some, strict=True), marker, color=colour, markersize=5.5, label=name)
    names = [str(one.batch) for one in data.batches]
    step = math.ceil(len(names) / _MOST_TICKS)
    ticks = range(0, len(names), step)
    ax.set_xticks(ticks, [shortened(names[k], 12) for k in ticks])
    if max(map(len, names)) > 3 and (len(ticks) > _MOST_NAMED or is_narrow(ax)):
        ax.tick_params(axis="x", rotation=45)
    ax.set_xlim(-0.4, len(names) - 0.6)
    if data.alarm_at is not None:
        place = names.index(str(data.alarm_at))
        ax.axvline(place, color=RED, linewidth=1.0, linestyle=":", zorder=0.6)
        near_end = place > 0.7 * len(names)
        ax.annotate("shown to have fallen", (place, 0.0), xycoords=ax.get_xaxis_transform(),
                    xytext=(-4 if near_end else 4, 4), textcoords="offset points", fontsize=8.5,
                    ha="right" if near_end else "left", va="bottom", color=INK)  # fmt: skip


def _in_words(data: Watch) -> str:
    told = [
        f"{shortened(one.batch)} {one.agreement:.2f}" + (" (out of control)" if one.is_out else "")
        for one in data.batches[:_TOLD]
    ]
    more = f"; and {len(data.batches) - _TOLD} more" if len(data.batches) > _TOLD else ""
    fallen = (
        "No fall is shown"
        if data.alarm_at is None
        else f"Agreement is shown to have fallen at batch {data.alarm_at!s}"
    )
    return (
        f"Agreement of {shortened(data.judge)} with people by batch, baseline {data.baseline:.2f}: "
        f"{'; '.join(told)}{more}. {fallen}."
    )
