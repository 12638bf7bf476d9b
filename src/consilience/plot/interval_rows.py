"""Rows of dots on their intervals, with names beside them or, on a phone, above them."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from consilience.plot.style import (
    BLUE,
    FAINT,
    INK,
    is_narrow,
    minus,
    new_axes,
    shortened,
    styled,
    told_apart,
)

THRESHOLDS = (0.667, 0.8)
_WORDS = {0.667: "tentative", 0.8: "firm"}  # Krippendorff (2004): what they are good enough for
_BESIDE, _ABOVE = 0.32, 0.5  # inches a row takes
_LONGEST, _LONGEST_ABOVE, _LONGEST_BELOW = 34, 38, 14
_MOST_BESIDE = 8  # columns, beyond which their names are turned
_LETTER = 0.078  # inches, of the font at 9 points
_TOLD = 10  # values in words


@dataclass(frozen=True, kw_only=True)
class Row:
    """One row: a value on its interval, and what is written at its end."""

    name: object
    value: float
    low: float = math.nan
    high: float = math.nan
    colour: str = BLUE
    marker: str = "o"
    told: str | None = None
    single: tuple[float, ...] = ()  # small dots below: the values that the row is the mean of
    link: str | None = None  # where its name leads, in a page

    @property
    def text(self) -> str:
        """The value as it is written at the end of the row."""
        return minus(f"{self.value:.2f}") if self.told is None else self.told

    @property
    def is_known(self) -> bool:
        """Whether there is a value."""
        return math.isfinite(self.value)

    @property
    def words(self) -> str:
        """The row in words, for those who do not see it."""
        sure = "" if math.isnan(self.low) else f" ({self.low:.2f} to {self.high:.2f})"
        return f"{shortened(self.name, _LONGEST)} {self.text}{sure}"


def row_axes(ax: Any, n_rows: int, *, around: float = 0.75, row: float = _BESIDE) -> Any:
    """Return axes for so many rows: higher ones where names stand above the rows."""
    each = max(_ABOVE, row) if is_narrow() else row
    return new_axes(ax, height=around + each * max(1, n_rows))


def interval_rows(ax: Any, rows: Sequence[Row], *, names: Sequence[str] | None = None) -> Any:
    """Draw rows from top to bottom, each named and told; say all of it in words, too."""
    with styled():
        for place, one in enumerate(rows):
            if one.single:
                at = [place + 0.2] * len(one.single)
                ax.plot(one.single, at, "o", color=one.colour, markersize=3, alpha=0.6)
            if math.isfinite(one.low) and math.isfinite(one.high):
                ends = [one.low, one.high]
                ax.plot(ends, [place, place], color=one.colour, linewidth=2)
            ax.plot(one.value, place, one.marker, color=one.colour, markersize=6.5)
        links = [one.link for one in rows]
        name_rows(
            ax, [one.name for one in rows], [one.text for one in rows], shown=names, links=links
        )
        ax.grid(axis="x")
    return ax


def interval_columns(ax: Any, rows: Sequence[Row], ylabel: str) -> Any:
    """Draw values on their intervals from left to right, joined by a line: what time does."""
    with styled():
        ax = new_axes(ax)
        for place, one in enumerate(rows):
            ax.plot([place, place], [one.low, one.high], color=BLUE, linewidth=2)
            ax.plot(place, one.value, "o", color=BLUE)
        values = [one.value for one in rows]
        ax.plot(range(len(rows)), values, color=BLUE, linewidth=0.8, alpha=0.6)
        ax.set_xticks(range(len(rows)), told_apart([one.name for one in rows], _LONGEST_BELOW))
        if len(rows) > _MOST_BESIDE or is_narrow():
            ax.tick_params(axis="x", rotation=45)
        ax.set_ylabel(ylabel)
        ax.set_xlim(-0.5, len(rows) - 0.5)
        ax.grid(axis="y")
    return ax


def bar_place(ax: Any) -> tuple[float, float]:
    """Return how far below its row a bar stands, and how high it is, below a name or beside it."""
    return (0.16, 0.38) if is_narrow(ax) else (0.0, 0.66)


def name_rows(
    ax: Any,
    names: Sequence[object],
    told: Sequence[str] = (),
    *,
    shown: Sequence[str] | None = None,
    bars: bool = False,
    above: bool | None = None,
    links: Sequence[str | None] = (),
) -> None:
    """Write the names of rows beside them, or above them where the axes are narrow.

    `bars` are rows of bars as `bar_place` has them; `above` decides where names stand, `links`
    where they lead.
    """
    narrow = is_narrow(ax) if above is None else above
    rise = 0.06 if bars else 0.22
    texts = shown or told_apart(names, _LONGEST_ABOVE if narrow else _LONGEST)
    across = ax.get_yaxis_transform()
    ax.set_ylim(len(texts) - 0.5, -0.72 if narrow else -0.5)
    ax.spines["left"].set_visible(False)
    ax.tick_params(axis="y", length=0)
    if narrow:
        ax.set_yticks([])
        written = [
            ax.text(0.0, place - rise, text, transform=across, va="bottom", fontsize=9)
            for place, text in enumerate(texts)
        ]
    else:
        written = ax.set_yticks(range(len(texts)), texts) and ax.get_yticklabels()
    for text, link in zip(written, links, strict=False):
        text.set_url(link)
    for place, text in enumerate(told):
        ax.text(
            1.0 if narrow else 1.015,
            place - rise if narrow else place,
            text,
            transform=across,
            ha="right" if narrow else "left",
            va="bottom" if narrow else "center",
            fontsize=9,
        )


def name_thresholds(ax: Any, thresholds: Iterable[float]) -> None:
    """Draw thresholds as dashed lines, each with its number and what it is quoted for above it."""
    every = sorted(thresholds)
    low, high = ax.get_xlim()
    seen = [one for one in every if low < one < high]
    for place, one in enumerate(seen):
        ax.axvline(one, color=FAINT, linewidth=0.9, linestyle="--", zorder=0.5)
        # Two of them stand back to back, so that they do not run into each other.
        side = "center" if len(seen) != 2 else ("right", "left")[place]
        words = [f"{one:g}", *([_WORDS[one]] if one in _WORDS else [])]
        text = " ".join(reversed(words) if side == "right" else words)
        _above(ax, one, text, side)


def name_marks(ax: Any, marks: Sequence[tuple[float, str]], *, row: float = 0.0) -> None:
    """Write what marks of a row are above the axes, moved apart where they would overlap."""
    low, high = ax.get_xlim()
    inches = max(ax.figure.get_figwidth() * ax.get_position().width, 1e-9)
    unit = (high - low) / inches
    ordered = sorted(marks)
    widths = [_LETTER * len(text) * unit for _, text in ordered]
    places = spread([x for x, _ in ordered], widths, 0.12 * unit, low, high)
    for (x, text), place in zip(ordered, places, strict=True):
        ax.annotate(
            text,
            (x, row),
            xytext=(place, 1.0),
            textcoords=ax.get_xaxis_transform(),
            ha="center",
            va="bottom",
            fontsize=9,
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": FAINT, "linewidth": 0.7, "shrinkB": 4},
        )


def spread(
    places: Sequence[float], widths: Sequence[float], gap: float, low: float, high: float
) -> list[float]:
    """Move texts that are centred at places apart, as little as it takes, between two ends.

    Examples
    --------
    >>> spread([1.0, 1.1], [1.0, 1.0], 0.0, 0.0, 4.0)
    [0.55, 1.55]
    """
    found = list(places)
    for _ in range(50):
        for k in range(len(found) - 1):
            lacking = (widths[k] + widths[k + 1]) / 2 + gap - (found[k + 1] - found[k])
            if lacking > 1e-9:
                found[k] -= lacking / 2
                found[k + 1] += lacking / 2
        found = [
            min(max(x, low + w / 2), max(high - w / 2, low + w / 2))
            for x, w in zip(found, widths, strict=True)
        ]
    return [round(x, 12) for x in found]


def in_words(what: str, rows: Sequence[Row]) -> str:
    """Return what rows show, in words: the first of them, and how many more there are."""
    told = "; ".join(one.words for one in rows[:_TOLD])
    more = f"; and {len(rows) - _TOLD} more" if len(rows) > _TOLD else ""
    return f"{what}: {told}{more}."


def _above(ax: Any, x: float, text: str, side: str) -> None:
    ax.annotate(
        text,
        (x, 1.0),
        xycoords=ax.get_xaxis_transform(),
        xytext=({"right": -3, "left": 3}.get(side, 0), 2),
        textcoords="offset points",
        ha=side,
        va="bottom",
        fontsize=8.5,
        color=INK,
        annotation_clip=False,
    )
