"""One number with its interval, drawn against labelled thresholds; for pages and notebooks."""

from __future__ import annotations

import html
import math
from itertools import pairwise

from consilience.core.verdict import Gauge
from consilience.core.words import MINUS, number, percent, printable

WIDE, NARROW = 600, 340  # a page, and a phone or a card
_HEIGHT, _EDGE = 92, 34
_LINE = 40  # height at which the axis runs
_LETTER, _BETWEEN = 9.0, 7.0  # widest letter of a text, and the least room between two texts
_PALE = 'fill-opacity="0.75"'
_NEAR = 72  # labels nearer than that lean away from each other
_SHARE = {"start": 0.0, "middle": 0.5, "end": 1.0}  # of a text that stands left of its place
Box = tuple[float, float]  # left and right end of a text


def gauge_drawing(gauge: Gauge, width: int = WIDE) -> str:
    """Draw the axis, the marks with their names, the interval as a line and the value as a dot.

    Parameters
    ----------
    gauge : Gauge
    width : int
        In pixels; a narrow drawing has the same letters and writes what fits.

    Returns
    -------
    str
        An SVG image in the colours of the text around it.

    Examples
    --------
    >>> "tentative" in gauge_drawing(Gauge(name="alpha", value=0.5, low=0.4, high=0.6))
    True
    """
    low, high = gauge.ends

    def place(x: float) -> float:
        return _EDGE + (x - low) / (high - low) * (width - 2 * _EDGE)

    parts = [_stroke(place(low), place(high), 'stroke-opacity="0.3" stroke-width="2"')]
    marks = [(place(x), x, word) for x, word in gauge.marks if low <= x <= high]
    below: list[Box] = []
    for (x, value, word), anchor in zip(marks, _anchors([x for x, _, _ in marks]), strict=True):
        parts.append(_mark(x, value, word, anchor))
        below.append(_box(x, _plain(value), anchor))
    parts += _written([(place(x), _plain(x)) for x in (low, high)], _LINE + 31, below)
    if gauge.has_limits:
        parts.append(_stroke(place(gauge.low), place(gauge.high), 'stroke-width="7"'))
    above: list[Box] = []
    if math.isfinite(gauge.value):
        x, said = place(gauge.value), _shown(gauge.value)
        parts.append(f'<circle cx="{x:.1f}" cy="{_LINE}" r="8" fill="currentColor"/>')
        parts.append(_text(x, 20, said, "middle", 'font-weight="700"'))
        above.append(_box(x, said, "middle"))
    if gauge.has_limits:
        limits = (gauge.low, gauge.high)
        parts += _written([(place(x), _shown(x)) for x in limits], 20, above)
    return (
        f'<svg class="gauge{" narrow" * (width < WIDE)}" role="img" '
        f'aria-label="{_described(gauge)}" viewBox="0 0 {width} {_HEIGHT}" '
        f'style="width:100%;max-width:{width}px;height:auto" '
        f'font-size="15">{"".join(parts)}</svg>'
    )


def _stroke(start: float, end: float, how: str) -> str:
    return (
        f'<line x1="{start:.1f}" x2="{end:.1f}" y1="{_LINE}" y2="{_LINE}" stroke="currentColor" '
        f'stroke-linecap="round" {how}/>'
    )


def _written(texts: list[tuple[float, str]], y: int, taken: list[Box]) -> list[str]:
    """Write the texts that touch none of those before them."""
    parts = []
    for x, text in texts:
        left, right = _box(x, text, "middle")
        if all(right + _BETWEEN <= a or b + _BETWEEN <= left for a, b in taken):
            taken.append((left, right))
            parts.append(_text(x, y, text, "middle", _PALE))
    return parts


def _box(x: float, text: str, anchor: str) -> Box:
    left = x - _SHARE[anchor] * _LETTER * len(text)
    return left, left + _LETTER * len(text)


def _mark(x: float, value: float, word: str, anchor: str) -> str:
    shift = {"start": -3.0, "middle": 0.0, "end": 3.0}[anchor]
    line = (
        f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{_LINE - 14}" y2="{_LINE + 14}" '
        f'stroke="currentColor" stroke-dasharray="3 3"/>'
    )
    return (
        line
        + _text(x + shift, _LINE + 31, _plain(value), anchor)
        + _text(x + shift, _LINE + 48, word, anchor, _PALE)
    )


def _shown(value: float) -> str:
    return number(value, 2).replace("-", MINUS)


def _plain(value: float) -> str:
    return f"{value:.3g}".replace("-", MINUS)


def _anchors(places: list[float]) -> list[str]:
    """Say to which side the text of each mark goes: away from a near neighbour, off the edges."""
    anchors = ["middle"] * len(places)
    for k, (one, other) in enumerate(pairwise(places)):
        if other - one < _NEAR:
            anchors[k], anchors[k + 1] = "end", "start"
    if places and places[0] < 2 * _EDGE and anchors[0] == "middle":
        anchors[0] = "start"
    return anchors


def _text(x: float, y: float, text: str, anchor: str, how: str = "") -> str:
    said = html.escape(printable(text))
    return (
        f'<text x="{x:.1f}" y="{y}" text-anchor="{anchor}" fill="currentColor" {how}>{said}</text>'
    )


def _described(gauge: Gauge) -> str:
    marks = ", ".join(f"{word} {x:g}" for x, word in gauge.marks)
    said = f"{gauge.name} {number(gauge.value, 3)}"
    if gauge.has_limits:
        level = percent(gauge.confidence_level)
        said += f", {level} interval {number(gauge.low, 3)} to {number(gauge.high, 3)}"
    said += f"; marked: {marks}" if marks else ""
    return html.escape(printable(said))
