"""Systems beside people: every pair as a dot, means with their intervals."""

from __future__ import annotations

import math
from typing import Any

from consilience.exceptions import InputError
from consilience.panel import PanelResult, compare
from consilience.plot._figure_data import ratings_in
from consilience.plot._interval_rows import Row, in_words, interval_rows, name_marks, row_axes
from consilience.plot.style import BLUE, FAINT, GREY, describe, drawing, styled


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
