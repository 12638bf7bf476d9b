"""Systems beside people: every pair as a dot, means with their intervals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from consilience.exceptions import InputError
from consilience.plot import style

if TYPE_CHECKING:
    from consilience.panel import PanelResult


def panel(result: PanelResult, *, measure: str | None = None, ax: Any = None) -> Any:
    """Draw how far each system agrees with people, beside how far people agree with each other.

    Small dots are single pairs (system with a person, person with a person), large ones their
    mean with its interval; the dotted line is what an answer that never changes would reach.

    Parameters
    ----------
    result : PanelResult
    measure : str, optional
        Key of a measure; default the one that the verdict is about.
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib Axes
    """
    key = result.headline.key if measure is None else measure
    keys = [one.key for one in result.measures]
    if key not in keys:
        raise InputError.unknown_word("measure", key, keys)
    rows = [
        ("people", result.ceiling[key], list(result.between_people[key].values()), style.FAINT),
        *(
            (one.system, one.agreement[key], list(one.with_person[key].values()), style.BLUE)
            for one in result.systems
        ),
    ]
    ax = style.new_axes(ax, height=1.4 + 0.4 * len(rows))
    with style.styled():
        limit = result.ceiling[key].value
        if math.isfinite(limit):
            ax.axvline(limit, color="0.75", linewidth=1.0, zorder=0)
        constant = result.constant[key]
        if math.isfinite(constant):
            ax.axvline(constant, color="0.4", linestyle=":", linewidth=1.0, label="constant answer")
        for place, (_, value, pairs, colour) in enumerate(rows):
            known = [one for one in pairs if math.isfinite(one)]
            ax.plot(known, [place + 0.18] * len(known), "o", color=colour, markersize=3, alpha=0.6)
            if math.isfinite(value.interval.low):
                ax.plot(list(value.interval), [place, place], color=colour, linewidth=2.0)
            ax.plot([value.value], [place], "o", color=colour, markersize=7)
        ax.set_yticks(list(range(len(rows))), [style.shortened(row[0]) for row in rows])
        ax.set_ylim(len(rows) - 0.5, -0.5)
        ax.tick_params(axis="y", length=0)
        ax.set_xlabel(next(one.title for one in result.measures if one.key == key))
        if ax.get_legend_handles_labels()[0]:
            ax.legend(fontsize="small", loc="lower left", bbox_to_anchor=(0.0, 1.0))
    return ax
