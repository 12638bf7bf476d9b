"""Predicted distributions beside people's: how much farther off they are than people."""

from __future__ import annotations

from typing import Any

from consilience.exceptions import InputError
from consilience.judges import SoftAgreement
from consilience.plot.interval_rows import Row, in_words, interval_rows, name_marks, row_axes
from consilience.plot.style import BLUE, FAINT, RED, describe, drawing, minus, styled


@drawing
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
    if not isinstance(data, SoftAgreement):
        raise InputError.expected("data", "predictions beside people", type(data).__name__,
                                  "see judges.soft_agreement")  # fmt: skip
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
                colour=RED if farther else BLUE,
                marker="s" if farther else "o",
                told=minus(f"{one.gap:+.3f}"),
            )
        )
    ax = row_axes(ax, len(rows), around=1.05)
    interval_rows(ax, rows)
    with styled():
        ax.axvline(0.0, color=FAINT, linewidth=1.1, zorder=0.5)
        ax.set_xlabel("distance to people, minus people's own")
        ax.margins(x=0.1)
        name_marks(ax, [(0.0, "people")], row=-0.5)
    return describe(ax, in_words("Distance to people beyond that between people", rows))
