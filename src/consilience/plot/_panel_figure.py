"""Systems beside people, and settings of a system, best first."""

from __future__ import annotations

import math
from typing import Any

from consilience.exceptions import InputError
from consilience.panel import PanelResult, SweepResult, compare
from consilience.panel import sweep as swept
from consilience.plot._figure_data import ratings_in
from consilience.plot.interval_rows import (
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
    FAINT,
    GREY,
    INK,
    describe,
    drawing,
    ink_on,
    is_narrow,
    shades,
    styled,
)

_MOST_BANDS = 5


@drawing
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
        _row("people", ceiling, pairs, GREY),
        *(_row(one.system, one.agreement[key], one.with_person[key], BLUE)
          for one in result.systems),
    ]  # fmt: skip
    ax = row_axes(ax, len(rows), around=1.05, row=0.42)
    interval_rows(ax, rows)
    title = next(one.title for one in result.measures if one.key == key)
    with styled():
        marks = _lines(ax, ceiling.value, result.constant[key])
        ax.set_xlabel(title)
        if marks:
            name_marks(ax, marks, row=-0.5)
    return describe(ax, in_words(f"{title} with people", rows))


def _row(name: object, value: Any, pairs: Any, colour: str) -> Row:
    single = tuple(one for one in pairs.values() if math.isfinite(one))
    low, high = value.interval
    return Row(name=name, value=value.value, low=low, high=high, colour=colour, single=single)


def _lines(ax: Any, ceiling: float, constant: float) -> list[tuple[float, str]]:
    """Draw the human ceiling and the constant answer; return where they are, and their names."""
    lines = ((ceiling, "people", FAINT, "-"), (constant, "constant answer", GREY, ":"))
    found = []
    for value, name, colour, dash in lines:
        if math.isfinite(value):
            ax.axvline(value, color=colour, linestyle=dash, linewidth=1.1, zorder=0.5)
            found.append((value, name))
    return found


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
