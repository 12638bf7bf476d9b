"""A fragment of HTML for notebooks and the report; everything escaped."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence

from consilience.core.words import number, printable, prose
from consilience.document._blocks import Block, Cell, Document, Limits, Paragraph, Range, Table
from consilience.document.gauge_svg import gauge_drawing

_WIDTH, _HEIGHT = 120, 10  # of a bar, in pixels
Drawn = Callable[[int, int], str]  # what stands behind the text of a cell, by row and column


def render(document: Document) -> str:
    """Render title, blocks and findings."""
    return _rendered(document, _block)


def render_with_bars(document: Document, value: float, interval: Limits | None) -> str:
    """Render with a bar for each interval; that of the value at the end if no table has one."""
    text = _rendered(document, _block_with_bars, gauges=True)
    if interval is None or "<svg" in text or not math.isfinite(value):
        return text
    axis = _axis([value, interval.low, interval.high])
    return f"{text}<p>{_bar(value, interval, axis)}</p>"


def _rendered(document: Document, block: Callable[[Block], str], *, gauges: bool = False) -> str:
    parts = [f"<p><strong>{escaped(document.title)}</strong></p>"] if document.title else []
    said = document.verdict
    if said is not None:
        parts.append(f"<p><strong>{_prose(said.message)}</strong> {_prose(said.next)}</p>")
        if gauges and said.gauge is not None:
            parts.append(f"<p>{gauge_drawing(said.gauge)}</p>")
    parts += [block(one) for one in document.blocks]
    notes = "".join(
        f"<li>{f.severity}: {_prose(f.sentence)}</li>" for f in document.further_findings
    )
    return "".join(parts) + (f"<ul>{notes}</ul>" if notes else "")


def _prose(text: str) -> str:
    return prose(escaped(text))


def _block(block: Block, drawn: Drawn | None = None) -> str:
    if isinstance(block, Paragraph):
        return "".join(f"<p>{_prose(line)}</p>" for line in block.text.splitlines() if line)
    note = f"<p><small>{_prose(block.note)}</small></p>" if block.note else ""
    return (
        table(block.heads, block.typeset(), block.is_text(), escaped(block.caption), drawn) + note
    )


def _block_with_bars(block: Block) -> str:
    if isinstance(block, Paragraph):
        return _block(block)
    found = _intervals(block)
    axis = _axis([end for value, limits in found.values() for end in (value, *_ends(limits))])

    def drawn(row: int, column: int) -> str:
        known = found.get((row, column))
        return "" if known is None else " " + _bar(*known, axis)

    return _block(block, drawn if found else None)


def _intervals(block: Table) -> dict[tuple[int, int], tuple[float, Range]]:
    """Return the intervals of a table by place, each with the value that stands before it."""
    found = {}
    for i, row in enumerate(block.rows):
        for j, cell in enumerate(row):
            if isinstance(cell, Range) and math.isfinite(cell.low) and math.isfinite(cell.high):
                found[i, j] = _before(row, j), cell
    return found


def _before(row: Sequence[Cell], j: int) -> float:
    value = row[j - 1] if j else None
    number_there = isinstance(value, (int, float)) and not isinstance(value, bool)
    return float(value) if number_there else math.nan  # type: ignore[arg-type]


def _ends(limits: Limits) -> tuple[float, float]:
    return limits.low, limits.high


def _axis(numbers: Sequence[float]) -> tuple[float, float]:
    """Return the ends of the axis: 0 to 1, and further where the numbers are."""
    known = [x for x in numbers if math.isfinite(x)]
    return min([0.0, *known]), max([1.0, *known])


def _bar(value: float, limits: Limits, axis: tuple[float, float]) -> str:
    """Draw an interval as a line and its value as a dot."""
    low, high = axis

    def place(x: float) -> str:
        return f"{3 + (x - low) / (high - low) * (_WIDTH - 6):.1f}"

    middle = _HEIGHT // 2
    dot = f'<circle cx="{place(value)}" cy="{middle}" r="3" fill="currentColor"/>'
    return (
        f'<svg role="img" aria-label="{number(limits.low)} to {number(limits.high)}" '
        f'width="{_WIDTH}" height="{_HEIGHT}" style="vertical-align:middle">'
        f'<g stroke="currentColor"><line x1="3" x2="{_WIDTH - 3}" y1="{middle}" y2="{middle}" '
        f'stroke-opacity="0.25"/><line x1="{place(limits.low)}" x2="{place(limits.high)}" '
        f'y1="{middle}" y2="{middle}" stroke-width="2"/></g>'
        f"{dot if math.isfinite(value) else ''}</svg>"
    )


def table(
    heads: Sequence[str],
    cells: Sequence[Sequence[str]],
    left: Sequence[bool],
    caption: str = "",
    drawn: Drawn | None = None,
) -> str:
    """Render a table; the caption is HTML already, and so is what is drawn behind a cell."""
    body = "".join(f"<tr>{_cells('td', row, left, i, drawn)}</tr>" for i, row in enumerate(cells))
    above = f'<caption style="text-align:left">{caption}</caption>' if caption else ""
    return (
        f"<table>{above}<thead><tr>{_cells('th', heads, left)}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _cells(
    tag: str, row: Sequence[str], left: Sequence[bool], i: int = 0, drawn: Drawn | None = None
) -> str:
    return "".join(
        f'<{tag} style="text-align:{"left" if to_left else "right"}">{escaped(cell)}'
        f"{drawn(i, j) if drawn else ''}</{tag}>"
        for j, (cell, to_left) in enumerate(zip(row, left, strict=True))
    )


def escaped(text: str) -> str:
    """Escape a text for HTML, control characters made visible."""
    return html.escape(printable(text))
