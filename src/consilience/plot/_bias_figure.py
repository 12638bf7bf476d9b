"""Coefficients as bars, in groups: what labels and distances do to agreement."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from consilience.coefficients import Estimate
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.plot._forest import row_of
from consilience.plot.interval_rows import in_words
from consilience.plot.style import (
    COLOURS,
    FAINT,
    INK,
    describe,
    drawing,
    is_narrow,
    minus,
    new_axes,
    shortened,
    styled,
)

_HATCHES = ("", "///", "...", "\\\\\\", "xxx", "---", "+++")  # colour is never the only carrier
_WIDTH = 0.8  # of a group
_LETTER, _BESIDE = 0.075, 6  # inches of a letter of the key; letters that a patch takes


@drawing
def coefficient_bars(
    conditions: Mapping[str, Iterable[Estimate]],
    *,
    confidence_level: float = 0.95,
    ax: Any = None,
) -> Any:
    """Draw coefficients as bars, a group for each condition, with their intervals.

    Use it to show what the choice of labels and distances does: kappa and beta for antecedents
    and for chains, or alpha, alpha prime and beta for each distance.

    Parameters
    ----------
    conditions : mapping of name to estimates
        The groups from left to right; within each, one bar for each estimate. Coefficients of one
        name have one colour.
    confidence_level : float
    ax : matplotlib Axes, optional

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    InputError
        No condition was given.
    UnsupportedDesignError
        No coefficient is defined.

    References
    ----------
    .. [1] Artstein, R., & Poesio, M. (2005). Kappa³ = Alpha (or Beta). Technical report CSM-437,
       University of Essex, Figure 2.

    Examples
    --------
    >>> from consilience import cohen_kappa, units
    >>> chains = units.chain_ratings({
    ...     "Ann": {1: None, 2: 1, 3: 2, 10: None, 11: 10},
    ...     "Bob": {1: None, 2: 1, 3: None, 10: None, 11: 10}})
    >>> ax = coefficient_bars({
    ...     "kappa": [cohen_kappa(chains)], "Dice": [cohen_kappa(chains, distance="dice")]})
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['kappa', 'Dice']
    """
    if not conditions:
        raise InputError.expected(
            "conditions", "at least one", conditions, "for example {'Dice': [estimate]}"
        )
    groups = {str(name): list(found) for name, found in conditions.items()}
    names = list(dict.fromkeys(one.name for found in groups.values() for one in found))
    if not any(one.status == "ok" for found in groups.values() for one in found):
        raise UnsupportedDesignError.needs(
            "bars", "at least one coefficient that is defined", "none", "check the data"
        )
    room = _WIDTH / max(len(found) for found in groups.values())
    with styled():
        ax = new_axes(ax, width=max(4.8, 1.4 + 0.9 * sum(map(len, groups.values())) * 0.8))
        lowest = 0.0
        for place, found in enumerate(groups.values()):
            left = place - room * (len(found) - 1) / 2
            for k, one in enumerate(found):
                place_of = (left + k * room, 0.9 * room)
                look = names.index(one.name) % len(COLOURS)
                lowest = min(lowest, _bar(ax, place_of, one, look, confidence_level))
        _key(ax, names)
        ax.axhline(0.0, color=FAINT, linewidth=0.8)
        ax.set_xticks(range(len(groups)), [shortened(name) for name in groups])
        ax.set_ylim(min(0.0, lowest) - (0.05 if lowest < 0 else 0.0), 1.08)
        ax.set_ylabel(f"value with {100 * confidence_level:g}% interval")
        ax.grid(axis="y")
        ax.set_axisbelow(True)
        ax.tick_params(axis="x", length=0, rotation=30 if is_narrow() else 0)
    rows = [
        row_of(f"{group}, {one.name}", one, confidence_level)
        for group, found in groups.items()
        for one in found
        if one.status == "ok"
    ]
    return describe(ax, in_words("Coefficients in groups", rows))


def _bar(ax: Any, place: tuple[float, float], one: Estimate, k: int, level: float) -> float:
    """Draw one bar with its interval and its value; return how far down it reaches."""
    x, width = place
    if one.status != "ok":
        ax.text(x, 0.02, "undefined", rotation=90, ha="center", va="bottom", fontsize="small")
        return 0.0
    ax.bar(
        x, one.value, width=width, facecolor=_tint(COLOURS[k]), edgecolor=COLOURS[k],
        hatch=_HATCHES[k], linewidth=1.0,
    )  # fmt: skip
    interval = one.confidence_interval(level)
    low, high = interval.low, interval.high
    if math.isfinite(low):
        ax.plot([x, x], [low, high], color=INK, linewidth=1.2)
    else:
        low = high = one.value
    top = max(high, one.value, 0.0)
    ax.text(x, top + 0.015, minus(f"{one.value:.2f}"), ha="center", va="bottom", fontsize="small")
    return min(low, one.value)


def _tint(colour: str) -> str:
    """Return a lighter colour: one that shines through would hide its hatches in an SVG."""
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(255 - 0.4 * (255 - part)):02x}" for part in parts)


def _key(ax: Any, names: list[str]) -> None:
    from matplotlib.patches import Patch

    handles = [
        Patch(
            facecolor=_tint(COLOURS[k % len(COLOURS)]), edgecolor=COLOURS[k % len(COLOURS)],
            hatch=_HATCHES[k % len(_HATCHES)], label=shortened(name, 34),
        )
        for k, name in enumerate(names)
    ]  # fmt: skip
    longest = max(len(str(handle.get_label())) for handle in handles) + _BESIDE
    beside = int(ax.figure.get_figwidth() / (longest * _LETTER))
    ax.legend(
        handles=handles, loc="lower left", bbox_to_anchor=(0.0, 1.0),
        ncols=max(1, min(3, beside, len(handles))), fontsize="small",
    )  # fmt: skip
