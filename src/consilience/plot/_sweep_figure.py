"""Settings of a system, best first, at a glance."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from consilience.plot import style

if TYPE_CHECKING:
    from consilience.panel import SweepResult

_BANDS = (style.BLUE, style.SKY, style.YELLOW, style.ORANGE, style.RED)  # same to far off
_MOST_BANDS = 5


def sweep(result: SweepResult, *, ax: Any = None) -> Any:
    """Draw a sweep: the value of each setting with its interval, the best on top.

    The grey band is how far people agree with each other, the dotted line what an answer that
    never changes would reach. Where only differences of marks were published, the bars show which
    share of the marks is identical, off by one point, two points and so on.

    Parameters
    ----------
    result : SweepResult
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    ax = style.new_axes(ax, height=1.2 + 0.26 * (len(result.rows) + 1))
    with style.styled():
        if result.people:
            _dots(result, ax)
        else:
            _bars(result, ax)
        places = range(len(result.rows))
        ax.set_yticks(list(places), [style.shortened(row.setting) for row in result.rows])
        ax.set_ylim(len(result.rows) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
    return ax


def _dots(result: SweepResult, ax: Any) -> None:
    key = result.sort_by
    limit = result.ceiling.get(key)
    if limit is not None and math.isfinite(limit.value):
        ax.axvspan(*limit.interval, color="0.88", linewidth=0, label="people", zorder=0)
        ax.axvline(limit.value, color="0.55", linewidth=1.0, zorder=1)
    constant = result.constant.get(key, math.nan)
    if math.isfinite(constant):
        ax.axvline(constant, color="0.4", linestyle=":", linewidth=1.0, label="constant answer")
    for place, row in enumerate(result.rows):
        value = row.metrics[key]
        colour = style.BLUE if place == 0 else style.INK
        if math.isfinite(value.low):
            ax.plot([value.low, value.high], [place, place], color=colour, linewidth=1.6)
        ax.plot([value.value], [place], marker="o", color=colour, markersize=5, linestyle="none")
    ax.set_xlabel(result.metric.title)
    if ax.get_legend_handles_labels()[0]:
        ax.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)


def _bars(result: SweepResult, ax: Any) -> None:
    gaps = sorted({abs(gap) for row in result.rows for gap in _counts(row)})
    bands = gaps if len(gaps) <= _MOST_BANDS else gaps[: _MOST_BANDS - 1]
    left = [0.0] * len(result.rows)
    for k in range(min(len(gaps), _MOST_BANDS)):
        is_rest = k == len(bands)
        shares = []
        for row in result.rows:
            counts = _counts(row)
            total = sum(counts.values())
            hits = sum(
                n
                for gap, n in counts.items()
                if (abs(gap) > bands[-1] if is_rest else math.isclose(abs(gap), bands[k]))
            )
            shares.append(hits / total)
        name = f"more than {bands[-1]:g}" if is_rest else f"±{bands[k]:g}" if bands[k] else "same"
        ax.barh(range(len(left)), shares, left=left, color=_BANDS[k], height=0.75, label=name)
        left = [a + b for a, b in zip(left, shares, strict=True)]
    ax.set_xlim(0.0, 1.0)
    ax.set_xlabel(f"share of marks; sorted by {result.metric.title}")
    ax.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=_MOST_BANDS)


def _counts(row: Any) -> dict[float, float]:
    return {} if row.differences is None else row.differences.counts
