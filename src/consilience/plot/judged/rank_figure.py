"""Systems put in order: the ranks that all comparisons together leave open."""

from __future__ import annotations

from typing import Any

from consilience.exceptions import InputError
from consilience.judges import Preferences
from consilience.plot.interval_rows import Row, in_words, interval_rows, row_axes
from consilience.plot.style import BLUE, INK, describe, drawing, styled


@drawing
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
    if not isinstance(data, Preferences):
        raise InputError.expected("data", "preferences", type(data).__name__,
                                  "see judges.preferences")  # fmt: skip
    rows = [
        Row(
            name=one.system,
            value=one.rank,
            low=one.ranks[0],
            high=one.ranks[1],
            colour=BLUE if one.ranks[0] == 1 else INK,
            told=_told(one.ranks),
        )
        for one in data.systems
    ]
    ax = row_axes(ax, len(rows), around=0.85)
    interval_rows(ax, rows)
    with styled():
        n = len(rows)
        ax.set_xlim(0.7, n + 0.3)
        step = max(1, round(n / 10))
        ax.set_xticks(range(1, n + 1, step))
        ax.set_xlabel("rank, 1 is best; lines: what all comparisons leave open")
    said = [Row(name=one.name, value=one.value, told=f"rank {one.text}") for one in rows]
    return describe(ax, in_words("Ranks that are left open, the best first", said))


def _told(ends: tuple[int, int]) -> str:
    return f"{ends[0]}" if ends[0] == ends[1] else f"{ends[0]} to {ends[1]}"
