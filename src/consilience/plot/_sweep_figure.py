"""Settings of a system: best first at a glance, or as the numbers they are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from consilience.exceptions import InputError
from consilience.panel import Metric, SweepResult, SweepRow
from consilience.panel import sweep as swept
from consilience.plot._interval_rows import (
    Row,
    bar_place,
    in_words,
    interval_rows,
    name_marks,
    name_rows,
    row_axes,
)
from consilience.plot.style import (
    BLUE,
    COLOURS,
    FAINT,
    GREY,
    INK,
    MARKERS,
    describe,
    drawing,
    ink_on,
    is_narrow,
    minus,
    new_axes,
    shades,
    shortened,
    styled,
)

_MOST_BANDS = 5


@drawing
def sweep(data: Any, *, people: Any = None, ax: Any = None) -> Any:
    """Draw a sweep: the value of each setting with its interval, the best on top.

    The grey band is how far people agree with each other, the dotted line what an answer that
    never changes would reach. Where only differences of marks were published, the bars show which
    share of the marks is identical, off by one point, two points and so on.

    Parameters
    ----------
    data : SweepResult, or settings as for `consilience.panel.sweep`
    people : names of raters, for settings
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import panel
    >>> published = {"A": panel.differences({0: 80, 4: 20}), "B": panel.differences({0: 75, 1: 25})}
    >>> ax = sweep(published)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['B', 'A']
    """
    result = data if isinstance(data, SweepResult) else swept(data, people=people)
    ax = row_axes(ax, len(result.rows), around=1.2, row=0.28)
    with styled():
        return _dots(result, ax) if result.people else _bars(result, ax)


def _dots(result: SweepResult, ax: Any) -> Any:
    key = result.sort_by
    rows = []
    for place, row in enumerate(result.rows):
        value = row.metrics[key]
        low, high, colour = value.low, value.high, BLUE if place == 0 else INK
        rows.append(Row(name=row.setting, value=value.value, low=low, high=high, colour=colour))
    interval_rows(ax, rows)
    marks = []
    limit = result.ceiling.get(key)
    if limit is not None and math.isfinite(limit.value):
        ax.axvspan(*limit.interval, color=GREY, alpha=0.15, linewidth=0, zorder=0)
        ax.axvline(limit.value, color=FAINT, linewidth=1.0, zorder=0.5)
        marks.append((limit.value, "people"))
    constant = result.constant.get(key, math.nan)
    if math.isfinite(constant):
        ax.axvline(constant, color=GREY, linestyle=":", linewidth=1.1, zorder=0.5)
        marks.append((constant, "constant answer"))
    ax.set_xlabel(result.metric.title)
    if marks:
        name_marks(ax, marks, row=-0.5)
    return describe(ax, in_words(f"{result.metric.title}, the best first", rows))


def _bars(result: SweepResult, ax: Any) -> Any:
    """Draw which share of the marks is how far off, identical marks darkest."""
    gaps = sorted({abs(gap) for row in result.rows for gap in _counts(row)})
    bands = gaps if len(gaps) <= _MOST_BANDS else gaps[: _MOST_BANDS - 1]
    n_bands = min(len(gaps), _MOST_BANDS)
    colours = shades(n_bands)[::-1]
    below, high = bar_place(ax)
    left = [0.0] * len(result.rows)
    told: list[list[str]] = [[] for _ in result.rows]
    for k in range(n_bands):
        is_rest = k == len(bands)
        shares = [_share(_counts(row), bands, k) for row in result.rows]
        name = f"more than {bands[-1]:g}" if is_rest else f"±{bands[k]:g}" if bands[k] else "same"
        ax.barh([y + below for y in range(len(left))], shares, left=left, color=colours[k],
                height=high, edgecolor="white", linewidth=0.6)  # fmt: skip
        for place, share in enumerate(shares):
            told[place].append(f"{name} {share:.0%}")
            if share > (0.2 if is_narrow(ax) else 0.1):
                ax.text(left[place] + share / 2, place + below, told[place][-1], ha="center",
                        va="center", fontsize=8, color=ink_on(colours[k]))  # fmt: skip
        left = [a + b for a, b in zip(left, shares, strict=True)]
    names = [row.setting for row in result.rows]
    name_rows(ax, names, bars=True)
    ax.set_xlim(0.0, 1.0)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    ax.set_xlabel(f"share of marks by their difference; sorted by {result.metric.title}")
    said = "; ".join(f"{n}: {', '.join(one)}" for n, one in list(zip(names, told, strict=True))[:8])
    return describe(ax, f"Share of marks by their difference, the best first. {said}.")


def _share(counts: dict[float, float], bands: list[float], k: int) -> float:
    """Return the share of differences of one size, or of all larger ones."""
    total = sum(counts.values())
    hits = sum(
        n
        for gap, n in counts.items()
        if (abs(gap) > bands[-1] if k == len(bands) else math.isclose(abs(gap), bands[k]))
    )
    return hits / total if total else 0.0


def _counts(row: Any) -> dict[float, float]:
    return {} if row.differences is None else row.differences.counts


# -------------------------------------------------------------------- settings as numbers

_SHARES = ("identical", "share_1", "share_2", "share_3", "share_4")
_SCALES = ("linear", "log")


@drawing
def settings(
    data: Any,
    *,
    metrics: str | Sequence[str] | None = None,
    people: Any = None,
    scale: str = "linear",
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
    return describe(ax, f"{_label_of(chosen)} by setting. {'; '.join(told)}.")


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


def _label_of(chosen: Sequence[Metric]) -> str:
    if all(one.key in _SHARES for one in chosen):
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
