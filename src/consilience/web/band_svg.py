"""A number over time as a band: the interval at every look, and the value in it."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import Any

from consilience.core.words import MINUS, number, shortened

_WIDTH, _HEIGHT, _LEFT, _TOP, _BOTTOM = 640, 260, 60, 16, 40
_MARKS = (0.0, 0.667, 0.8, 1.0)


def band_svg(looks: Sequence[Mapping[str, Any]]) -> str:
    """Draw the looks from left to right; one that has no value is left out."""
    known = [one for one in looks if one.get("value") is not None]
    ends = [one[end] for one in known for end in ("low", "high") if one.get(end) is not None]
    low = float(min([0.0, *ends]))

    def across(k: int) -> float:
        return _LEFT + (k + 0.5) / max(len(known), 1) * (_WIDTH - _LEFT - 10)

    def down(y: float) -> float:
        return _TOP + (1.0 - y) / (1.0 - low) * (_HEIGHT - _TOP - _BOTTOM)

    parts = [
        f'<line class="mark" x1="{_LEFT}" x2="{_WIDTH}" y1="{down(y):.1f}" y2="{down(y):.1f}"/>'
        f'<text x="{_LEFT - 8}" y="{down(y) + 5:.1f}" text-anchor="end">{y:g}</text>'
        for y in _MARKS
    ]
    whole = [(k, one) for k, one in enumerate(known) if one.get("low") is not None]
    upper = [f"{across(k):.1f},{down(one['high']):.1f}" for k, one in whole]
    lower = [f"{across(k):.1f},{down(one['low']):.1f}" for k, one in reversed(whole)]
    parts.append(f'<polygon points="{" ".join([*upper, *lower])}"/>')
    line = " ".join(f"{across(k):.1f},{down(one['value']):.1f}" for k, one in enumerate(known))
    parts.append(f'<polyline points="{line}"/>')
    for k, one in enumerate(known):
        x, said = across(k), number(one["value"], 2).replace("-", MINUS)
        when = html.escape(shortened(one["at"], 16))
        if one.get("low") is not None:
            parts.append(
                f'<line class="range" x1="{x:.1f}" x2="{x:.1f}" y1="{down(one["low"]):.1f}" '
                f'y2="{down(one["high"]):.1f}"/>'
            )
        parts.append(
            f'<circle cx="{x:.1f}" cy="{down(one["value"]):.1f}" r="5"/>'
            f'<text x="{x:.1f}" y="{_HEIGHT - 20}" text-anchor="middle">{when}</text>'
            f'<text x="{x:.1f}" y="{_HEIGHT - 4}" text-anchor="middle">{said}</text>'
        )
    told = "; ".join(f"{one['at']}: {number(one['value'], 2)}" for one in known)
    return (
        f'<svg class="band" viewBox="0 0 {_WIDTH} {_HEIGHT}" font-size="13" role="img" '
        f'aria-label="Agreement at every look: {html.escape(told)}">{"".join(parts)}</svg>'
    )
