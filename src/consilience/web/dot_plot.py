"""Every question as a dot on its interval, the lowest first; each dot is a link to its answer."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from consilience.core.words import MINUS, number, printable, shortened

_WIDTH, _ROW, _TOP = 640, 46, 26
_LEFT, _RIGHT = 16, 624
_MARKS = ((0.667, "tentative 0.667"), (0.8, "firm 0.8"))
_MOST = 100


def dot_plot(dots: Sequence[Mapping[str, Any]], address: str) -> str:
    """Draw the dots; `address` is where a question opens, with {} for its number.

    Names stand above the lines, so that every dot fits a narrow screen.
    """
    order = sorted(range(len(dots)), key=lambda k: dots[k].get("value", float("-inf")))[:_MOST]
    values = [dots[k][end] for k in order for end in ("low", "value", "high")
              if dots[k].get(end) is not None]  # fmt: skip
    low = float(min([0.0, *values]))

    def place(x: float) -> float:
        return _LEFT + (x - low) / (1.0 - low) * (_RIGHT - _LEFT)

    height = _TOP + _ROW * len(order) + 6
    parts = [
        f'<line x1="{place(x):.1f}" x2="{place(x):.1f}" y1="18" y2="{height}" class="mark"/>'
        f'<text x="{place(x):.1f}" y="12" text-anchor="{side}">{words}</text>'
        for (x, words), side in zip(_MARKS, ("end", "start"), strict=True)
    ]
    parts += [_row(dots[k], _TOP + _ROW * n, place, address.format(k)) for n, k in enumerate(order)]
    return (
        f'<svg class="dots" viewBox="0 0 {_WIDTH} {height}" font-size="14" role="group" '
        f'aria-label="Every question with its interval">{"".join(parts)}</svg>'
    )


def _row(dot: Mapping[str, Any], top: float, place: Any, address: str) -> str:
    name = html.escape(printable(shortened(str(dot["name"]), 48)))
    line = top + 31
    if dot.get("value") is None:
        said = html.escape(str(dot["reason"]))
        inside = f'<text x="{_LEFT}" y="{line}" class="pale">undefined: {said}</text>'
        told = f"{name}: undefined"
    else:
        x = place(dot["value"])
        shown = number(dot["value"], 2).replace("-", MINUS)
        inside = f'<circle cx="{x:.1f}" cy="{line}" r="7"/>'
        told = f"{name}: {shown}"
        if dot.get("low") is not None:
            a, b = place(dot["low"]), place(dot["high"])
            inside = (
                f'<line x1="{a:.1f}" x2="{b:.1f}" y1="{line}" y2="{line}" class="range"/>{inside}'
            )
        name = f"{name}  {shown}"
    return (
        f'<a href="{html.escape(address)}" aria-label="{told}">'
        f'<rect x="0" y="{top}" width="{_WIDTH}" height="{_ROW - 2}" class="hit"/>'
        f'<text x="{_LEFT}" y="{top + 16}">{name}</text>{inside}</a>'
    )
