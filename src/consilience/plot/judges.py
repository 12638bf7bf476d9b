"""Systems and judges: beside people, in order, over batches, corrected rates, shared errors."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.interval import Interval
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.judges.control_chart import Watch
from consilience.judges.corrected_rates import CorrectedRate, CorrectedShares, Rate, RateDifference
from consilience.judges.preferences import Preferences
from consilience.judges.shared_errors import SharedErrors
from consilience.judges.soft_labels import SoftAgreement
from consilience.panel import Metric, compare
from consilience.panel import sweep as swept
from consilience.panel.comparison import PanelResult
from consilience.panel.sweeps import SweepResult, SweepRow
from consilience.plot import style
from consilience.plot.grids import heat_map
from consilience.plot.rows import (
    Row,
    bar_place,
    in_words,
    interval_rows,
    name_marks,
    name_rows,
    ratings_in,
    row_axes,
)


def _check_kind(data: Any, kind: type, what: str, maker: str) -> None:
    """Refuse what is no result of the function of `judges` that makes such results."""
    if not isinstance(data, kind):
        raise InputError.expected("data", what, type(data).__name__, f"see judges.{maker}")


# ---- Systems beside people, and settings of a system, best first

_MOST_BANDS = 5


@style.drawing
def panel(data: Any, *, systems: Any = None, measure: str | None = None, ax: Any = None) -> Any:
    """Draw how far each system agrees with people, beside how far people agree with each other.

    Small dots are single pairs (system with a person, person with a person), large ones their
    mean with its interval; the dotted line is what an answer that never changes would reach.

    Parameters
    ----------
    data : PanelResult, or Ratings or a dataframe to compare
    systems : names of raters, for ratings
    measure : str, optional
        Key of a measure; default the one that the verdict is about.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import Ratings
    >>> marks = [[1, 1, 2], [2, 3, 2], [3, 3, 3], [4, 4, 5], [5, 4, 5], [2, 2, 1]] * 6
    >>> ratings = Ratings.from_wide(marks, raters=["Ann", "Bob", "gpt"], scale="ordinal")
    >>> ax = panel(ratings, systems=["gpt"])
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['people', 'gpt']
    """
    result = data if isinstance(data, PanelResult) else compare(ratings_in(data), systems=systems)
    key = result.headline.key if measure is None else measure
    keys = [one.key for one in result.measures]
    if key not in keys:
        raise InputError.unknown_word("measure", key, keys)
    ceiling, pairs = result.ceiling[key], result.between_people[key]
    rows = [
        _row("people", ceiling, pairs, style.GREY),
        *(_row(one.system, one.agreement[key], one.with_person[key], style.BLUE)
          for one in result.systems),
    ]  # fmt: skip
    ax = row_axes(ax, len(rows), around=1.05, row=0.42)
    interval_rows(ax, rows)
    title = next(one.title for one in result.measures if one.key == key)
    marks = _lines(ax, ceiling.value, result.constant[key])
    ax.set_xlabel(title)
    if marks:
        name_marks(ax, marks, row=-0.5)
    return style.describe(ax, in_words(f"{title} with people", rows))


def _row(name: object, value: Any, pairs: Any, colour: str) -> Row:
    single = tuple(one for one in pairs.values() if math.isfinite(one))
    low, high = value.interval
    return Row(name=name, value=value.value, low=low, high=high, colour=colour, single=single)


def _lines(ax: Any, ceiling: float, constant: float) -> list[tuple[float, str]]:
    """Draw the human ceiling and the constant answer; return where they are, and their names."""
    lines = ((ceiling, "people", style.FAINT, "-"), (constant, "constant answer", style.GREY, ":"))
    found = []
    for value, name, colour, dash in lines:
        if math.isfinite(value):
            ax.axvline(value, color=colour, linestyle=dash, linewidth=1.1, zorder=0.5)
            found.append((value, name))
    return found


@style.drawing
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
    return _dots(result, ax) if result.people else _bars(result, ax)


def _dots(result: SweepResult, ax: Any) -> Any:
    key = result.sort_by
    rows = []
    for place, row in enumerate(result.rows):
        value = row.metrics[key]
        low, high, colour = value.low, value.high, style.BLUE if place == 0 else style.INK
        rows.append(Row(name=row.setting, value=value.value, low=low, high=high, colour=colour))
    interval_rows(ax, rows)
    marks = []
    limit = result.ceiling.get(key)
    if limit is not None and math.isfinite(limit.value):
        ax.axvspan(*limit.interval, color=style.GREY, alpha=0.15, linewidth=0, zorder=0)
        ax.axvline(limit.value, color=style.FAINT, linewidth=1.0, zorder=0.5)
        marks.append((limit.value, "people"))
    constant = result.constant.get(key, math.nan)
    if math.isfinite(constant):
        ax.axvline(constant, color=style.GREY, linestyle=":", linewidth=1.1, zorder=0.5)
        marks.append((constant, "constant answer"))
    ax.set_xlabel(result.metric.title)
    if marks:
        name_marks(ax, marks, row=-0.5)
    return style.describe(ax, in_words(f"{result.metric.title}, the best first", rows))


def _bars(result: SweepResult, ax: Any) -> Any:
    """Draw which share of the marks is how far off, identical marks darkest."""
    gaps = sorted({abs(gap) for row in result.rows for gap in _counts(row)})
    bands = gaps if len(gaps) <= _MOST_BANDS else gaps[: _MOST_BANDS - 1]
    n_bands = min(len(gaps), _MOST_BANDS)
    colours = style.shades(n_bands)[::-1]
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
            if share > (0.2 if style.is_narrow(ax) else 0.1):
                ax.text(left[place] + share / 2, place + below, told[place][-1], ha="center",
                        va="center", fontsize=8, color=style.ink_on(colours[k]))  # fmt: skip
        left = [a + b for a, b in zip(left, shares, strict=True)]
    names = [row.setting for row in result.rows]
    name_rows(ax, names, bars=True)
    ax.set_xlim(0.0, 1.0)
    ax.xaxis.set_major_formatter(lambda x, _: f"{x:.0%}")
    ax.set_xlabel(f"share of marks by their difference; sorted by {result.metric.title}")
    said = "; ".join(f"{n}: {', '.join(one)}" for n, one in list(zip(names, told, strict=True))[:8])
    return style.describe(ax, f"Share of marks by their difference, the best first. {said}.")


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


# ---- Settings that are numbers, as numbers: shares of marks, or any metric, against the setting

_SHARES = ("identical", "share_1", "share_2", "share_3", "share_4")
_SCALES = ("linear", "log")


@style.drawing
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
    ax = style.new_axes(ax, height=3.4)
    told = []
    for k, metric in enumerate(chosen):
        y = [row.metrics[metric.key].value for row in rows]
        marker, colour = (kinds[k % len(kinds)] for kinds in (style.MARKERS, style.COLOURS))
        look = {"marker": marker, "color": colour, "markersize": 4.5, "linewidth": 1.2}
        ax.plot(x, y, label=metric.head, **look)
        told.append(f"{metric.title} " + ", ".join(_pair(row, metric) for row in rows))
    _name_lines(ax, chosen, rows)
    _name_settings(ax, rows, x, scale)
    ax.set(xlabel=str(result.data.get("setting", "setting")), ylabel=_label_of(chosen))
    ax.grid(axis="y")
    if _are_shares(chosen):
        ax.yaxis.set_major_formatter(lambda y, _: f"{y:.0%}")
    if at is not None:
        _upright(ax, result, chosen, at)
    return style.describe(ax, f"{_label_of(chosen)} by setting. {'; '.join(told)}.")


def _upright(ax: Any, result: SweepResult, chosen: Sequence[Metric], at: object) -> None:
    """Mark one setting, and say what it reaches: a slice through the lines."""
    known = {str(row.setting): row for row in result.rows}
    if str(at) not in known:
        raise InputError.unknown_word("at", str(at), list(known))
    row = known[str(at)]
    ax.axvline(
        _places(result.rows)[row.setting], color=style.INK, linewidth=0.9, linestyle=":", zorder=0
    )
    form = ".0%" if _are_shares(chosen) else ".2f"
    told = ", ".join(f"{one.head} {row.metrics[one.key].value:{form}}" for one in chosen)
    ax.set_xlabel(style.minus(f"{ax.get_xlabel()}; at {at}: {told}"))


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
    return style.minus(f"{row.setting}: {row.metrics[metric.key].value:.2f}")


def _are_shares(chosen: Sequence[Metric]) -> bool:
    return all(one.key in _SHARES for one in chosen)


def _label_of(chosen: Sequence[Metric]) -> str:
    if _are_shares(chosen):
        return "share of marks by their difference"
    return chosen[0].title if len(chosen) == 1 else "value"


def _name_lines(ax: Any, chosen: Sequence[Metric], rows: Sequence[SweepRow]) -> None:
    """Write the name of each line above the figure, with its mark: ends may lie too close."""
    if len(chosen) > 1:
        columns = 3 if style.is_narrow(ax) else 6
        look = {"fontsize": 9, "handlelength": 1.6, "columnspacing": 1.2}
        style.legend_above(ax, ncols=columns, **look)


def _name_settings(ax: Any, rows: Sequence[SweepRow], x: Sequence[float], scale: str) -> None:
    if all(math.isfinite(_number(row.setting)) for row in rows):
        if scale == "log" and min(x) > 0.0:
            ax.set_xscale("log")
            shown = x if len(x) <= 8 else x[:: max(1, len(x) // 8)]
            ax.set_xticks(shown, [f"{one:g}" for one in shown])
            ax.minorticks_off()
        return
    ax.set_xticks(x, [style.shortened(row.setting) for row in rows], rotation=30, ha="right")


# ---- What a judge says, what people say, and the corrected rate between them

_BELOW = 0.2  # how far below the corrected rate that of people alone is drawn, in rows


@dataclass(frozen=True)
class _Line:
    """One row: what the judge says, what is corrected, and people's labels by themselves."""

    name: str
    apparent: float
    value: float
    interval: Interval
    alone: Rate | None = None


@style.drawing
def corrected_rates(data: Any, *, ax: Any = None) -> Any:
    """Draw corrected rates, each beside what the judge says and what people's labels say alone.

    Blue is the corrected rate with its interval, grey below it the rate by people's labels alone,
    and the diamond what the judge says.

    Parameters
    ----------
    data : CorrectedRate, several of them, RateDifference or CorrectedShares
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import judges
    >>> found = judges.rogan_gladen(0.4, sensitivity=0.9, specificity=0.7, n_verdicts=1000,
    ...                             n_positive=200, n_negative=200)
    >>> ax = corrected_rates(found)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['judge']
    """
    lines, title = _lines_in(data)
    rows = [
        Row(name=one.name, value=one.value, low=one.interval.low, high=one.interval.high)
        for one in lines
    ]
    ax = row_axes(ax, len(rows), around=1.05, row=0.46)
    interval_rows(ax, rows)
    for place, one in enumerate(lines):
        if one.alone is not None:
            ends = [one.alone.interval.low, one.alone.interval.high]
            at = place + _BELOW
            ax.plot(ends, [at, at], color=style.GREY, linewidth=1.6)
            ax.plot(one.alone.value, at, "s", color=style.GREY, markersize=4.5)
        ax.plot(one.apparent, place, "D", color=style.RED, markersize=6)
    ax.set_xlabel(title)
    name_marks(ax, _marks(lines[0]))
    said = [f"{one.name}: judge says {one.apparent:.2f}{_alone(one)}" for one in lines]
    return style.describe(ax, f"{in_words(f'Corrected {title}', rows)} {'; '.join(said)}.")


def _marks(line: _Line) -> list[tuple[float, str]]:
    marks = [(line.apparent, "judge says"), (line.value, "corrected")]
    return [*marks, *([(line.alone.value, "people alone")] if line.alone else [])]


def _alone(line: _Line) -> str:
    return "" if line.alone is None else style.minus(f", people alone {line.alone.value:.2f}")


def _lines_in(data: Any) -> tuple[list[_Line], str]:
    """Return the rows of a result, and what the axis shows."""
    if isinstance(data, CorrectedShares):
        return [
            _Line(str(label), said, one.value, one.interval)
            for label, said, one in zip(data.labels, data.apparent, data.shares, strict=True)
        ], "share of each label"
    if isinstance(data, RateDifference):
        both = zip(data.systems, data.rates, strict=True)
        return [_of_rate(one, str(name)) for name, one in both], data.rates[0].name
    found = [data] if isinstance(data, CorrectedRate) else list(_several(data))
    if not found or not all(isinstance(one, CorrectedRate) for one in found):
        raise InputError.expected(
            "data", "corrected rates", type(data).__name__, "see judges.corrected_rate"
        )
    lines = [_of_rate(one, str(one.judge)) for one in found]
    if len(found) == 1:
        lines += [
            _Line(str(name), said, rate.value, rate.interval)
            for name, _, _, said, rate in found[0].strata
        ]
    return lines, found[0].name


def _several(data: Any) -> Iterable[Any]:
    return data if isinstance(data, list | tuple) else ()


def _of_rate(one: CorrectedRate, name: str) -> _Line:
    interval = one.confidence_interval(one.confidence_level)
    alone = one.people_alone if one.method != "people" else None
    return _Line(name, one.apparent, one.value, interval, alone)


# ---- Which judges err on the same items

_TOLD = 10


@style.drawing
def shared_errors(data: Any, *, ax: Any = None) -> Any:
    """Draw how far the errors of every two judges go together.

    Each cell is the correlation of two judges' errors: 0 where they err independently, 1 where one
    repeats the other's mistakes.

    Parameters
    ----------
    data : SharedErrors
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import Ratings, judges
    >>> rows = [["a", "a", "a", "a"], ["b", "a", "a", "b"], ["b", "b", "b", "b"],
    ...         ["a", "a", "b", "a"], ["b", "a", "a", "a"], ["a", "a", "a", "a"]] * 10
    >>> both = Ratings.from_wide(rows, raters=["Ann", "gpt-1", "gpt-2", "gpt-3"])
    >>> ax = shared_errors(judges.effective_judges(both, people="Ann"))
    >>> len(ax.texts)
    3
    """
    _check_kind(data, SharedErrors, "errors that judges share", "effective_judges")
    if data.reason is not None:
        raise UnsupportedDesignError.needs(
            "A figure of shared errors", "judges who err", data.reason, "bring harder items"
        )
    names = [str(name) for name in data.judges]
    values = np.full((len(names), len(names)), math.nan)
    for (a, b), rho in data.matrix.items():
        values[data.judges.index(b), data.judges.index(a)] = rho
    texts = [
        ["" if math.isnan(x) else style.minus(f"{x:.2f}") for x in row] for row in values.tolist()
    ]
    # Half a matrix needs no row for the first judge and no column for the last.
    ax = heat_map(values[1:, :-1], [row[:-1] for row in texts[1:]], names[1:], names[:-1], ax=ax,
                  low=-1.0, high=1.0)  # fmt: skip
    ax.set_xlabel("correlation of errors")
    pairs = [(x, f"{style.shortened(a)} and {style.shortened(b)} {x:.2f}")
             for (a, b), x in data.matrix.items() if not math.isnan(x)]  # fmt: skip
    told = [text for _, text in sorted(pairs, key=lambda one: -one[0])[:_TOLD]]
    return style.describe(
        ax, f"Correlation of two judges' errors, the largest first: {'; '.join(told)}."
    )


# ---- Predicted distributions beside people's: how much farther off they are than people


@style.drawing
def soft_labels(data: Any, *, ax: Any = None) -> Any:
    """Draw how much farther predictions are from people than people are from each other.

    Each row is one distance to half of the people, less that of the other half; 0 is the noise
    ceiling. Left of it predictions are nearer than people; right of it there is room.

    Parameters
    ----------
    data : SoftAgreement
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import Ratings, judges
    >>> rows = [["a", "a", "a", "b"], ["b", "b", "b", "b"], ["a", "b", "a", "b"]] * 5
    >>> guess = [[0.75, 0.25], [0.1, 0.9], [0.5, 0.5]] * 5
    >>> ax = soft_labels(judges.soft_agreement(Ratings.from_wide(rows), guess))
    >>> len(ax.get_yticklabels())
    5
    """
    _check_kind(data, SoftAgreement, "predictions beside people", "soft_agreement")
    rows = []
    for one in (*data.measures, data.hard):
        low, high = one.gap_interval
        farther = low > 0.0
        rows.append(
            Row(
                name=one.title,
                value=one.gap,
                low=low,
                high=high,
                colour=style.RED if farther else style.BLUE,
                marker="s" if farther else "o",
                told=style.minus(f"{one.gap:+.3f}"),
            )
        )
    ax = row_axes(ax, len(rows), around=1.05)
    interval_rows(ax, rows)
    ax.axvline(0.0, color=style.FAINT, linewidth=1.1, zorder=0.5)
    ax.set_xlabel("distance to people, minus people's own")
    ax.margins(x=0.1)
    name_marks(ax, [(0.0, "people")], row=-0.5)
    return style.describe(ax, in_words("Distance to people beyond that between people", rows))


# ---- Systems put in order: the ranks that all comparisons together leave open


@style.drawing
def ranks(data: Any, *, ax: Any = None) -> Any:
    """Draw the ranks that systems may have, for all of them at once, the best first.

    The dot is the rank by the abilities; the line goes from the best to the worst rank that the
    simultaneous intervals of all differences leave open.

    Parameters
    ----------
    data : Preferences
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from consilience import judges
    >>> rows = [("new", "old", "first")] * 30 + [("new", "old", "second")] * 10
    >>> votes = [dict(zip(("first", "second", "winner"), row)) for row in rows]
    >>> ax = ranks(judges.preferences(votes))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['new', 'old']
    """
    _check_kind(data, Preferences, "preferences", "preferences")
    rows = [
        Row(
            name=one.system,
            value=one.rank,
            low=one.ranks[0],
            high=one.ranks[1],
            colour=style.BLUE if one.ranks[0] == 1 else style.INK,
            told=_told(one.ranks),
        )
        for one in data.systems
    ]
    ax = row_axes(ax, len(rows), around=0.85)
    interval_rows(ax, rows)
    n = len(rows)
    ax.set_xlim(0.7, n + 0.3)
    step = max(1, round(n / 10))
    ax.set_xticks(range(1, n + 1, step))
    ax.set_xlabel("rank, 1 is best; lines: what all comparisons leave open")
    said = [Row(name=one.name, value=one.value, told=f"rank {one.text}") for one in rows]
    return style.describe(ax, in_words("Ranks that are left open, the best first", said))


def _told(ends: tuple[int, int]) -> str:
    return f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"


# ---- A judge over batches: what was expected, what was seen, and what can be said at every look

_MOST_NAMED = 8  # beyond which names of batches are turned
_MOST_TICKS = 16


@style.drawing
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
    _check_kind(data, Watch, "a judge that was watched", "watch_judge")
    ax = style.new_axes(ax, height=3.9)
    _limits(ax, data)
    _sequence(ax, data)
    _batches(ax, data)
    ax.set(ylabel=f"agreement of {style.shortened(data.judge)} with people", xlabel="batch")
    ax.grid(axis="y")
    columns = 1 if style.is_narrow(ax) else 2
    style.legend_above(ax, ncols=columns, fontsize=9, borderaxespad=0.3, handlelength=1.6)
    return style.describe(ax, _in_words(data))


def _limits(ax: Any, data: Watch) -> None:
    """Draw the baseline and what batches of their size should keep to."""
    places = range(len(data.batches))
    for side in ("low", "high"):
        ends = [getattr(one.control, side) for one in data.batches]
        ax.step(places, ends, where="mid", color=style.FAINT, linestyle="--", linewidth=1.0,
                label="control limits" if side == "low" else None)  # fmt: skip
    ax.axhline(data.baseline, color=style.GREY, linewidth=1.0, zorder=0.5)
    look = {"ha": "right", "va": "bottom", "fontsize": 8.5, "color": style.INK}
    style.beside(ax, "baseline", (1.0, data.baseline), (-2, 1), along="y", **look)


def _sequence(ax: Any, data: Watch) -> None:
    """Draw the share so far in its confidence sequence, from the end of the baseline on."""
    seen = [(k, one) for k, one in enumerate(data.batches) if math.isfinite(one.sequence.low)]
    if not seen:
        return
    places = [k for k, _ in seen]
    low, high = zip(*((one.sequence.low, one.sequence.high) for _, one in seen), strict=True)
    look = {"color": style.BLUE, "alpha": 0.15, "linewidth": 0}
    ax.fill_between(places, low, high, label="so far, at every look", **look)
    ax.plot(places, [one.so_far for _, one in seen], color=style.BLUE, linewidth=1.4)


def _batches(ax: Any, data: Watch) -> None:
    for out, colour, marker, name in ((False, style.BLUE, "o", "batch"),
                                      (True, style.RED, "s", "batch out of control")):  # fmt: skip
        some = [(k, one.agreement) for k, one in enumerate(data.batches) if one.is_out == out]
        if some:
            ax.plot(*zip(*some, strict=True), marker, color=colour, markersize=5.5, label=name)
    names = [str(one.batch) for one in data.batches]
    step = math.ceil(len(names) / _MOST_TICKS)
    ticks = range(0, len(names), step)
    ax.set_xticks(ticks, [style.shortened(names[k], 12) for k in ticks])
    if max(map(len, names)) > 3 and (len(ticks) > _MOST_NAMED or style.is_narrow(ax)):
        ax.tick_params(axis="x", rotation=45)
    ax.set_xlim(-0.4, len(names) - 0.6)
    if data.alarm_at is not None:
        place = names.index(str(data.alarm_at))
        ax.axvline(place, color=style.RED, linewidth=1.0, linestyle=":", zorder=0.6)
        near_end = place > 0.7 * len(names)
        look = {"va": "bottom", "fontsize": 8.5, "color": style.INK}
        side, offset = ("right", -4) if near_end else ("left", 4)
        said = "shown to have fallen"
        style.beside(ax, said, (place, 0.0), (offset, 4), along="x", ha=side, **look)


def _in_words(data: Watch) -> str:
    told = [
        f"{style.shortened(one.batch)} {one.agreement:.2f}"
        + (" (out of control)" if one.is_out else "")
        for one in data.batches[:_TOLD]
    ]
    more = f"; and {len(data.batches) - _TOLD} more" if len(data.batches) > _TOLD else ""
    fallen = (
        "No fall is shown"
        if data.alarm_at is None
        else f"Agreement is shown to have fallen at batch {data.alarm_at!s}"
    )
    return (
        f"Agreement of {style.shortened(data.judge)} with people by batch, baseline "
        f"{data.baseline:.2f}: {'; '.join(told)}{more}. {fallen}."
    )
