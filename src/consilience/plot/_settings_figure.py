"""Settings that are numbers, as numbers: shares of marks, or any metric, against the setting."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from consilience.exceptions import InputError
from consilience.panel import Metric, SweepResult, SweepRow
from consilience.panel import sweep as swept
from consilience.plot.style import (
    COLOURS,
    INK,
    MARKERS,
    describe,
    drawing,
    is_narrow,
    minus,
    new_axes,
    shortened,
    styled,
)

_SHARES = ("identical", "share_1", "share_2", "share_3", "share_4")
_SCALES = ("linear", "log")


@drawing
def settings(
    data: Any,
    *,
    metrics: str | Sequence[str] | None = None,
    people: Any = None,
    scale: str = "linear",
    at: object = None,
    ax: Any = None,
) -> Any:
    """Draw a sweep over settings that are numbers: how each metric moves with the setting.

    Without `metrics`, the figure shows which share of the marks is the same and which is off by 1,
    2, 3 and 4 points. Settings that are words stand side by side, in the order of the sweep.

    Parameters
    ----------
    data : SweepResult, or settings as for `consilience.panel.sweep`
    metrics : names of metrics, optional
        Any that settings can be sorted by, such as "ac1" or ["tau_b", "kappa"].
    people : names of raters, for settings
    scale : {"linear", "log"}
        Of the numbers.
    at : optional
        A setting to be marked by an upright line, with its values.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    References
    ----------
    .. [1] Haley, D. T., Thomas, P., Petre, M. & De Roeck, A. (2008). Using a new inter-rater
       reliability statistic. Technical report 2008/15, The Open University; Figure 1-1.

    Examples
    --------
    >>> from consilience import panel
    >>> shares = {10: {0: 65, 1: 35}, 60: {0: 61, 1: 39}}
    >>> ax = settings({amount: panel.differences(one) for amount, one in shares.items()})
    >>> [round(float(x)) for x in ax.lines[0].get_xdata()]
    [10, 60]
    """
    if scale not in _SCALES:
        raise InputError.unknown_word("scale", scale, _SCALES)
    result = data if isinstance(data, SweepResult) else swept(data, people=people)
    chosen = _chosen(result, metrics)
    places = _places(result.rows)
    rows = sorted(result.rows, key=lambda row: places[row.setting])
    x = [places[row.setting] for row in rows]
    with styled():
        ax = new_axes(ax, height=3.4)
        told = []
        for k, metric in enumerate(chosen):
            y = [row.metrics[metric.key].value for row in rows]
            ax.plot(x, y, marker=MARKERS[k % len(MARKERS)], color=COLOURS[k % len(COLOURS)],
                    markersize=4.5, linewidth=1.2, label=metric.head)  # fmt: skip
            told.append(f"{metric.title} " + ", ".join(_pair(row, metric) for row in rows))
        _name_lines(ax, chosen, rows)
        _name_settings(ax, rows, x, scale)
        ax.set_xlabel(str(result.data.get("setting", "setting")))
        ax.set_ylabel(_label_of(chosen))
        ax.grid(axis="y")
        if _are_shares(chosen):
            ax.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
        if at is not None:
            _upright(ax, result, chosen, at)
    return describe(ax, f"{_label_of(chosen)} by setting. {'; '.join(told)}.")


def _upright(ax: Any, result: SweepResult, chosen: Sequence[Metric], at: object) -> None:
    """Mark one setting, and say what it reaches: a slice through the lines."""
    known = {str(row.setting): row for row in result.rows}
    if str(at) not in known:
        raise InputError.unknown_word("at", str(at), list(known))
    row = known[str(at)]
    ax.axvline(_places(result.rows)[row.setting], color=INK, linewidth=0.9, linestyle=":", zorder=0)
    form = ".0%" if _are_shares(chosen) else ".2f"
    told = ", ".join(f"{one.head} {row.metrics[one.key].value:{form}}" for one in chosen)
    ax.set_xlabel(minus(f"{ax.get_xlabel()}; at {at}: {told}"))


def _chosen(result: SweepResult, words: str | Sequence[str] | None) -> list[Metric]:
    if words is None:
        known = {one.key: one for one in result.metrics}
        shares = [known[key] for key in _SHARES if key in known]
        return [one for one in shares if any(_is_there(row, one) for row in result.rows)]
    names = [words] if isinstance(words, str) else list(words)
    return [result.sorted_by(name).metric for name in names]


def _is_there(row: SweepRow, metric: Metric) -> bool:
    found = row.metrics.get(metric.key)
    return found is not None and math.isfinite(found.value) and found.value > 0.0


def _places(rows: Sequence[SweepRow]) -> dict[object, float]:
    """Return where each setting stands: at its number, or in its turn."""
    numbers = [_number(row.setting) for row in rows]
    if all(math.isfinite(number) for number in numbers):
        return {row.setting: number for row, number in zip(rows, numbers, strict=True)}
    return {row.setting: float(place) for place, row in enumerate(rows)}


def _number(setting: object) -> float:
    try:
        return float(str(setting))
    except ValueError:
        return math.nan


def _pair(row: SweepRow, metric: Metric) -> str:
    return minus(f"{row.setting}: {row.metrics[metric.key].value:.2f}")


def _are_shares(chosen: Sequence[Metric]) -> bool:
    return all(one.key in _SHARES for one in chosen)


def _label_of(chosen: Sequence[Metric]) -> str:
    if _are_shares(chosen):
        return "share of marks by their difference"
    return chosen[0].title if len(chosen) == 1 else "value"


def _name_lines(ax: Any, chosen: Sequence[Metric], rows: Sequence[SweepRow]) -> None:
    """Write the name of each line above the figure, with its mark: ends may lie too close."""
    if len(chosen) > 1:
        columns = 3 if is_narrow(ax) else 6
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=columns, fontsize=9,
                  handlelength=1.6, columnspacing=1.2)  # fmt: skip


def _name_settings(ax: Any, rows: Sequence[SweepRow], x: Sequence[float], scale: str) -> None:
    if all(math.isfinite(_number(row.setting)) for row in rows):
        if scale == "log" and min(x) > 0.0:
            ax.set_xscale("log")
            shown = x if len(x) <= 8 else x[:: max(1, len(x) // 8)]
            ax.set_xticks(shown, [f"{one:g}" for one in shown])
            ax.minorticks_off()
        return
    ax.set_xticks(x, [shortened(row.setting) for row in rows], rotation=30, ha="right")
