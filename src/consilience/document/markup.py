"""Documents as Markdown, LaTeX and HTML, everything escaped; one number drawn with its interval."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from consilience.core.verdict import Gauge
from consilience.core.words import MINUS, number, percent, printable, prose
from consilience.document.blocks import Block, Cell, Document, Limits, Paragraph, Range, Table

# ---- Markdown, with everything escaped that Markdown would take as its own.


def markdown_text(document: Document) -> str:
    """Render title, blocks and findings."""
    parts = [f"**{_escaped_markdown(document.title)}**"] if document.title else []
    if document.verdict is not None:
        said = document.verdict
        parts.append(f"**{_markdown_prose(said.message)}** {_markdown_prose(said.next)}".rstrip())
    parts += [_markdown_block(block) for block in document.blocks]
    notes = [f"- {f.severity}: {_markdown_prose(f.sentence)}" for f in document.further_findings]
    if notes:
        parts.append("\n".join(notes))
    return "\n\n".join(parts)


def _markdown_block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return "  \n".join(_markdown_prose(line) for line in block.text.splitlines())
    parts = [_escaped_markdown(block.caption), ""] if block.caption else []
    parts.append(_markdown_table(block.heads, block.typeset(), block.is_text()))
    if block.note:
        parts += ["", _escaped_markdown(block.note)]
    return "\n".join(parts)


def _markdown_prose(text: str) -> str:
    return prose(_escaped_markdown(text))


def _markdown_table(
    heads: Sequence[str], cells: Sequence[Sequence[str]], left: Sequence[bool]
) -> str:
    """Render the rows of a table: text to the left, numbers to the right."""
    rule = "|" + "|".join(" --- " if to_left else " ---: " for to_left in left) + "|"
    return "\n".join([_markdown_row(heads), rule, *(_markdown_row(row) for row in cells)])


def _markdown_row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_escaped_markdown(cell) for cell in cells) + " |"


def _escaped_markdown(text: str) -> str:
    """Escape what Markdown would take as its own."""
    text = " ".join(printable(text).split())
    for sign in "\\`*_[]<>|#":
        text = text.replace(sign, "\\" + sign)
    return text


# ---- LaTeX in the manner of booktabs; everything escaped.

_ESCAPES = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "_": r"\_", "%": r"\%", "&": r"\&",
    "#": r"\#", "$": r"\$", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}",
    "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
    MINUS: "$-$",
}  # fmt: skip


def latex_text(document: Document) -> str:
    """Render the blocks: paragraphs as text, tables as floats."""
    return "\n\n".join(_latex_block(block) for block in document.blocks)


def _latex_block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return "\n\n".join(_escaped_latex(line) for line in block.text.splitlines())
    return _latex_table(block)


def _latex_table(table: Table) -> str:
    columns = "".join("l" if to_left else "r" for to_left in table.is_text())
    lines = [r"\begin{table}", r"\centering"]
    if table.caption:
        lines.append(rf"\caption{{{_escaped_latex(table.caption)}}}")
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", _latex_row(table.heads), r"\midrule"]
    lines += [_latex_row(row) for row in table.typeset()]
    lines += [r"\bottomrule", r"\end{tabular}"]
    if table.note:
        lines.append(rf"\par\smallskip {_escaped_latex(table.note)}")
    return "\n".join([*lines, r"\end{table}"])


def _latex_row(cells: Sequence[str]) -> str:
    text = " & ".join(_escaped_latex(cell) for cell in cells)
    # After the end of a row or a rule, TeX takes a bracket or a star for an option of it.
    return ("{}" if text.lstrip().startswith(("[", "*")) else "") + text + r" \\"


def _escaped_latex(text: str) -> str:
    r"""Escape what TeX would take as its own.

    >>> _escaped_latex("50% of a_b")
    '50\\% of a\\_b'
    """
    return "".join(_ESCAPES.get(sign, sign) for sign in printable(text))


# ---- One number with its interval, drawn against labelled thresholds; for pages and notebooks.

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


# ---- A fragment of HTML for notebooks and the report; everything escaped.

_BAR_WIDTH, _BAR_HEIGHT = 120, 10  # of a bar, in pixels
Drawn = Callable[[int, int], str]  # what stands behind the text of a cell, by row and column


def html_text(document: Document) -> str:
    """Render title, blocks and findings."""
    return _rendered(document, _html_block)


def html_with_bars(document: Document, value: float, interval: Limits | None) -> str:
    """Render with a bar for each interval; that of the value at the end if no table has one."""
    text = _rendered(document, _block_with_bars, gauges=True)
    if interval is None or "<svg" in text or not math.isfinite(value):
        return text
    axis = _axis([value, interval.low, interval.high])
    return f"{text}<p>{_bar(value, interval, axis)}</p>"


def _rendered(document: Document, block: Callable[[Block], str], *, gauges: bool = False) -> str:
    parts = [f"<p><strong>{_escaped_html(document.title)}</strong></p>"] if document.title else []
    said = document.verdict
    if said is not None:
        parts.append(
            f"<p><strong>{_html_prose(said.message)}</strong> {_html_prose(said.next)}</p>"
        )
        if gauges and said.gauge is not None:
            parts.append(f"<p>{gauge_drawing(said.gauge)}</p>")
    parts += [block(one) for one in document.blocks]
    notes = "".join(
        f"<li>{f.severity}: {_html_prose(f.sentence)}</li>" for f in document.further_findings
    )
    return "".join(parts) + (f"<ul>{notes}</ul>" if notes else "")


def _html_prose(text: str) -> str:
    return prose(_escaped_html(text))


def _html_block(block: Block, drawn: Drawn | None = None) -> str:
    if isinstance(block, Paragraph):
        return "".join(f"<p>{_html_prose(line)}</p>" for line in block.text.splitlines() if line)
    note = f"<p><small>{_html_prose(block.note)}</small></p>" if block.note else ""
    return (
        _html_table(
            block.heads, block.typeset(), block.is_text(), _escaped_html(block.caption), drawn
        )
        + note
    )


def _block_with_bars(block: Block) -> str:
    if isinstance(block, Paragraph):
        return _html_block(block)
    found = _intervals(block)
    axis = _axis([end for value, limits in found.values() for end in (value, *_ends(limits))])

    def drawn(row: int, column: int) -> str:
        known = found.get((row, column))
        return "" if known is None else " " + _bar(*known, axis)

    return _html_block(block, drawn if found else None)


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
        return f"{3 + (x - low) / (high - low) * (_BAR_WIDTH - 6):.1f}"

    middle = _BAR_HEIGHT // 2
    dot = f'<circle cx="{place(value)}" cy="{middle}" r="3" fill="currentColor"/>'
    return (
        f'<svg role="img" aria-label="{number(limits.low)} to {number(limits.high)}" '
        f'width="{_BAR_WIDTH}" height="{_BAR_HEIGHT}" style="vertical-align:middle">'
        f'<g stroke="currentColor"><line x1="3" x2="{_BAR_WIDTH - 3}" y1="{middle}" y2="{middle}" '
        f'stroke-opacity="0.25"/><line x1="{place(limits.low)}" x2="{place(limits.high)}" '
        f'y1="{middle}" y2="{middle}" stroke-width="2"/></g>'
        f"{dot if math.isfinite(value) else ''}</svg>"
    )


def _html_table(
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
        f'<{tag} style="text-align:{"left" if to_left else "right"}">{_escaped_html(cell)}'
        f"{drawn(i, j) if drawn else ''}</{tag}>"
        for j, (cell, to_left) in enumerate(zip(row, left, strict=True))
    )


def _escaped_html(text: str) -> str:
    """Escape a text for HTML, control characters made visible."""
    return html.escape(printable(text))
