"""Documents as text: plain text that fits a width, colour and bars on a terminal, the short
form.
"""

from __future__ import annotations

import math
import os
import shutil
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import IO, Any

from consilience.core.verdict import Verdict
from consilience.core.words import counted, enumerated, printable, prose
from consilience.document.blocks import (
    Block,
    Cell,
    Differing,
    Document,
    Finding,
    InPlace,
    Paragraph,
    Range,
    Table,
)

# ---- Plain text that fits a width: long words fold, and a table too wide goes on below itself.

GAP = 2
MOST_LINES = 40  # of a short answer
_LEAST_WIDTH = 40  # of a screen; nothing is folded further
_NARROWEST_COLUMN = 8  # a column of text is not folded further than this
_LONGEST_WORD = 28  # that is not broken


def plain_text(document: Document, width: int) -> str:
    """Render title, blocks and findings, a blank line between them."""
    parts = [printable(document.title)] if document.title else []
    if document.verdict is not None:
        parts.append(_lines([document.verdict.message, document.verdict.next], width))
    parts += [_block(block, width) for block in document.blocks]
    notes = [filled(f"{f.severity}: {f.sentence}", width) for f in document.further_findings]
    if notes:
        parts.append("\n".join(notes))
    return "\n\n".join(part for part in parts if part)


def for_stream(document: Document, stream: IO[str]) -> str:
    """Render in the way that fits where it goes: a screen that shows colour, or a pipe.

    ``NO_COLOR`` and ``FORCE_COLOR`` decide about colour, ``COLUMNS`` about the width.
    """
    width = columns_of(stream)
    if not is_screen(stream):
        return plain_text(document, width)

    return terminal_text(document, width=width, color=not os.environ.get("NO_COLOR"))


def is_screen(stream: IO[str]) -> bool:
    """Tell whether a stream draws bars and colour, or is to be taken for one."""
    if os.environ.get("FORCE_COLOR") and not os.environ.get("NO_COLOR"):
        return True
    encoding = (getattr(stream, "encoding", None) or "").lower().replace("-", "")
    return stream.isatty() and encoding.startswith("utf") and os.environ.get("TERM") != "dumb"


def columns_of(stream: IO[str]) -> int:
    """Return the width to write for: that of the screen, what COLUMNS says, or 80."""
    if not (stream.isatty() or os.environ.get("COLUMNS", "").isdigit()):
        return 80
    return max(_LEAST_WIDTH, shutil.get_terminal_size((80, 24)).columns)


def fits(document: Document, width: int, most_lines: int = MOST_LINES) -> bool:
    """Tell whether a screen holds all of it, and nothing in it is a mere detail."""
    return not any(block.detail for block in document.blocks) and (
        lines_of(document, width) <= most_lines
    )


def lines_of(document: Document, width: int) -> int:
    """Return how many lines it takes on a screen, where heads of tables have a rule below."""
    rules = sum(isinstance(block, Table) for block in document.blocks)
    return len(plain_text(document, width).splitlines()) + rules


def filled(text: str, width: int) -> str:
    """Fold a line, the following lines indented."""
    return "\n".join(wrapped(prose(printable(text)), width, indent="  "))


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Break a text into lines between words only: options and names keep their hyphens."""
    if len(text) <= width and text.isprintable() and not text.endswith(" "):
        return [text]  # as nearly every cell of a table is
    return textwrap.wrap(text, width, subsequent_indent=indent, break_on_hyphens=False) or [""]


def _lines(lines: Sequence[str], width: int) -> str:
    return "\n".join(part for line in lines for part in wrapped(prose(printable(line)), width))


def _block(block: Block, width: int) -> str:
    if isinstance(block, Paragraph):
        return _lines(block.text.splitlines(), width)
    parts = [filled(block.caption, width)] if block.caption else []
    parts += _table(block, width)
    if block.note:
        parts.append(filled(block.note, width))
    return "\n".join(parts)


def _table(table: Table, width: int) -> list[str]:
    heads = [printable(head) for head in table.heads]
    cells = [[printable(cell) for cell in row] for row in table.cells()]
    left = table.is_text()
    lines: list[str] = []
    for columns in column_pages(heads, cells, left, width):
        part = [[row[j] for j in columns] for row in cells]
        if lines:
            lines.append("")
        lines.append(aligned([heads[j] for j in columns], part, [left[j] for j in columns], width))
    return lines


def column_pages(
    heads: Sequence[str],
    cells: Sequence[Sequence[str]],
    left: Sequence[bool],
    width: int,
    *,
    at_words: bool = False,
) -> list[list[int]]:
    """Say which columns stand beside each other; the first one stands on every page."""
    needed = least_widths(heads, cells, left, at_words=at_words)
    pages: list[list[int]] = [[]]
    room = width
    for j, need in enumerate(needed):
        if len(pages[-1]) > 1 and need > room:
            pages.append([0])
            room = width - needed[0] - GAP
        pages[-1].append(j)
        room -= need + GAP
    return pages


def least_widths(
    heads: Sequence[str],
    cells: Sequence[Sequence[str]],
    left: Sequence[bool],
    *,
    at_words: bool = False,
) -> list[int]:
    """Return how narrow each column may be: text folds, numbers do not.

    With `at_words` text folds between words only, unless a word is very long.
    """
    rows = [heads, *cells]
    widest = _widths(rows)
    if at_words:
        longest = _longest_words(rows)
        return [
            min(word, _LONGEST_WORD) if text else most
            for word, most, text in zip(longest, widest, left, strict=True)
        ]
    return [
        min(most, max(_NARROWEST_COLUMN, len(head))) if text else most
        for most, head, text in zip(widest, heads, left, strict=True)
    ]


def _longest_words(rows: Sequence[Sequence[str]]) -> list[int]:
    words = [[max(cell.split(), key=len, default="") for cell in row] for row in rows]
    return _widths(words)


def _widths(rows: Sequence[Sequence[str]]) -> list[int]:
    return [max(len(row[j]) for row in rows) for j in range(len(rows[0]))]


def aligned(
    heads: Sequence[str], cells: Sequence[Sequence[str]], left: Sequence[bool], width: int
) -> str:
    """Align columns: text to the left, folded where the line is too long; numbers to the right."""
    widths = _fitting(_widths([heads, *cells]), left, width)
    lines = []
    for row in [heads, *cells]:
        folded = [
            wrapped(cell, room, "  " if room > 4 else "")
            for cell, room in zip(row, widths, strict=True)
        ]
        for k in range(max(map(len, folded))):
            parts = [part[k] if k < len(part) else "" for part in folded]
            lines.append(_line(parts, widths, left))
    return "\n".join(lines)


def _line(parts: Sequence[str], widths: Sequence[int], left: Sequence[bool]) -> str:
    padded = [
        part.ljust(room) if to_left else part.rjust(room)
        for part, room, to_left in zip(parts, widths, left, strict=True)
    ]
    return (" " * GAP).join(padded).rstrip()


def _fitting(widths: list[int], left: Sequence[bool], width: int) -> list[int]:
    """Take room from the widest columns of text until the line fits."""
    widths = [max(1, one) for one in widths]
    while sum(widths) + GAP * (len(widths) - 1) > width:
        texts = [j for j, to_left in enumerate(left) if to_left and widths[j] > _NARROWEST_COLUMN]
        if not texts:
            break
        widths[max(texts, key=widths.__getitem__)] -= 1
    return widths


# ---- A document on a terminal: colour where there is a screen, and each interval drawn as a bar.

_LONGEST_TEXT = 24  # of a column, before it is folded for the sake of the bar
_SHORTEST_BAR, _LONGEST_BAR = 11, 41
_NARROWEST_SCREEN = 72  # below that, plain text
Bar = tuple[float, float, float]  # low, value, high
_VERDICT_STYLES = {"problem": "red", "caution": "yellow", "good": "green"}
_FINDING_STYLES = {"problem": "red", "caution": "yellow", "info": "dim"}


def terminal_text(document: Document, *, width: int = 80, color: bool = False) -> str:
    """Render for a terminal of some width; escape codes only with `color`."""
    if width < _NARROWEST_SCREEN:
        return plain_text(document, width)
    from rich.console import Console

    console = Console(
        width=width,
        force_terminal=color,
        color_system="standard" if color else None,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )
    with console.capture() as captured:
        _print(console, document)
    lines = captured.get().splitlines()
    return "\n".join(line if color else line.rstrip() for line in lines)


def _print(console: Any, document: Document) -> None:
    from rich.text import Text

    if document.title:
        console.print(Text(printable(document.title), style="bold"))
    if document.verdict is not None:
        _print_verdict(console, document.verdict, below=bool(document.title))
    begun = bool(document.title or document.verdict)
    for k, block in enumerate(document.blocks):
        if k or begun:
            console.print()
        if isinstance(block, Table):
            _print_table(console, block)
            continue
        for n, line in enumerate(block.text.splitlines()):
            first = not (k or n or begun)
            console.print(Text(prose(printable(line)), style="bold" if first else ""))
    found = document.further_findings
    if found:
        console.print()
    for one in found:
        style = _FINDING_STYLES[one.severity]
        line = prose(printable(f"{one.severity}: {one.sentence}"))
        first_line, *rest = wrapped(line, console.width - 2)
        console.print(Text("• ", style=style) + Text(first_line))
        for more in rest:
            console.print(Text("  " + more))


def _print_verdict(console: Any, verdict: Verdict, *, below: bool) -> None:
    from rich.text import Text

    if below:
        console.print()
    style = f"bold {_VERDICT_STYLES[verdict.gravity]}"
    console.print(Text(prose(printable(verdict.message)), style=style))
    if verdict.next:
        console.print(Text(prose(printable(verdict.next))))


def _print_table(console: Any, table: Table) -> None:
    if table.caption:
        console.print(printable(table.caption))
    for k, part in enumerate(_parts(table, console.width)):
        if k:
            console.print()
        console.print(_drawn(part, console.width))
    if table.note:
        console.print(printable(table.note))


def _parts(table: Table, width: int) -> list[Table]:
    """Let a table that is too wide go on below itself, the first column in every part."""
    pages = column_pages(table.heads, table.cells(), table.is_text(), width, at_words=True)
    return [
        replace(
            table,
            heads=[table.heads[j] for j in page],
            rows=[[row[j] for j in page] for row in table.rows],
        )
        for page in pages
    ]


def _drawn(table: Table, width: int) -> Any:
    from rich import box
    from rich.table import Table as RichTable
    from rich.text import Text

    shown, left = table.cells(), table.is_text()
    least = least_widths(table.heads, shown, left, at_words=True)
    bars = [_bar_of(row) for row in table.rows]
    spare = width - sum(least) - GAP * len(least)  # if no more words of a text stand in a line
    if spare < _SHORTEST_BAR:
        bars = [None] * len(bars)
    axis = _axis(bars)
    room = max(_SHORTEST_BAR, min(_LONGEST_BAR, width - _needed(table.heads, shown, left), spare))
    drawn = RichTable(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=(0, 1, 0, 0))
    for head, text, needed in zip(table.heads, left, least, strict=True):
        drawn.add_column(
            printable(head),
            justify="left" if text else "right",
            overflow="fold",
            no_wrap=not text,
            min_width=needed,
        )
    if any(bars):
        drawn.add_column(_axis_text(*axis, room), no_wrap=True, min_width=room)
    for k, (row, cells, bar) in enumerate(zip(table.rows, shown, bars, strict=True)):
        said = [Text(printable(cell), style=_style(x)) for cell, x in zip(cells, row, strict=True)]
        if k and left[:2] == [True, True] and cells[0] == shown[k - 1][0]:
            said[0] = Text("")
        drawn.add_row(*said, *([_bar(bar, *axis, room)] if any(bars) else []))
    return drawn


def _needed(heads: Sequence[str], rows: Sequence[Sequence[str]], left: Sequence[bool]) -> int:
    """Return the width that the columns beside the bar take."""
    widest = [max(len(row[j]) for row in (heads, *rows)) for j in range(len(heads))]
    return sum(
        (min(most, _LONGEST_TEXT) if text else most) + GAP
        for most, text in zip(widest, left, strict=True)
    )


def _style(cell: Cell) -> str:
    if isinstance(cell, InPlace | Differing):
        return "yellow"
    return "bold" if isinstance(cell, float) else ""


def _bar_of(row: Sequence[Cell]) -> Bar | None:
    """Return the first interval of a row that has a value before it."""
    for value, cell in pairwise(row):
        if isinstance(cell, Range) and isinstance(value, float) and math.isfinite(value):
            low, high = (end if math.isfinite(end) else value for end in (cell.low, cell.high))
            return low, float(value), high
    return None


def _axis(bars: Sequence[Bar | None]) -> tuple[float, float]:
    """Return the ends of the bars: from 0, -0.5 or -1, whichever shows everything, to 1."""
    ends = [end for bar in bars if bar is not None for end in bar]
    lowest = min([0.0, *ends])
    low = 0.0 if lowest >= 0 else -0.5 if lowest >= -0.5 else min(-1.0, math.floor(lowest))
    return low, max([1.0, *map(math.ceil, ends)])


def _axis_text(low: float, high: float, cells: int) -> str:
    left, right = f"{low:g}", f"{high:g}"
    if low < 0:
        zero = round(-low / (high - low) * (cells - 1))
        left = left.ljust(zero) + "0" if zero > len(left) else left
    return left + right.rjust(cells - len(left))


def _bar(bar: Bar | None, low: float, high: float, cells: int) -> Any:
    """Draw the interval as a line, the value as a dot on it; empty where it is undefined."""
    from rich.text import Text

    if bar is None:
        return Text("")
    start, dot, end = (
        max(0, min(cells - 1, round((x - low) / (high - low) * (cells - 1)))) for x in bar
    )
    drawn = Text()
    for sign, times, style in _strokes(start, dot, end, cells):
        drawn.append(sign * times, style=style)
    return drawn


def _strokes(start: int, dot: int, end: int, cells: int) -> Iterator[tuple[str, int, str]]:
    yield "·", start, "dim"
    yield "━", dot - start, "cyan"
    yield "●", 1, "bold cyan"
    yield "━", end - dot, "cyan"
    yield "·", cells - 1 - end, "dim"


# ---- A document cut to what a screen holds: what stays behind is counted, and asked for by name.

_ROWS = (15, 10, 7, 5, 3)  # of a table, tried in this order until everything fits
_FINDINGS = (8, 5, 3)
_LEAST_BLOCKS = 2


def short(document: Document, width: int = 80, *, most_lines: int = MOST_LINES) -> Document:
    """Return what matters first: no details, long tables cut, the gravest findings.

    Parameters
    ----------
    document : Document
    width : int, default 80
        Of the screen that it is meant for.
    most_lines : int, default 40

    Returns
    -------
    Document
        The same one where everything fits; else its last line says what was left out and that
        ``--all`` shows it.

    Examples
    --------
    >>> long = Table(heads=("item",), rows=[[f"i{k}"] for k in range(100)])
    >>> print(short(Document(blocks=(long,)), most_lines=9).text())
    item
    i0
    i1
    i2
    i3
    i4
    <BLANKLINE>
    Not shown: 95 rows. Add --all to see everything.
    """
    if fits(document, width, most_lines):
        return document
    for rows in _ROWS:
        for findings in _FINDINGS:
            cut = _cut(document, rows, findings)
            if lines_of(cut, width) <= most_lines:
                return cut
    kept = len(_essential(document.blocks))
    while kept > _LEAST_BLOCKS and lines_of(cut, width) > most_lines:
        kept -= 1
        cut = _cut(document, _ROWS[-1], _FINDINGS[-1], blocks=kept)
    return cut


def _essential(blocks: Sequence[Block]) -> list[Block]:
    return [block for block in blocks if not block.detail]


def _cut(document: Document, rows: int, findings: int, *, blocks: int | None = None) -> Document:
    kept = _essential(document.blocks)[:blocks]
    left = [block for block in document.blocks if all(block is not one for one in kept)]
    shown = [_beginning(block, rows) for block in kept]
    n_rows = sum(_rows(block) for block in kept) - sum(_rows(block) for block in shown)
    told = _gravest(document.findings, findings)
    counts = {
        "table": sum(isinstance(block, Table) for block in left),
        "row": n_rows,
        "note": sum(isinstance(block, Paragraph) for block in left),
        "finding": len(document.findings) - len(told),
    }
    missing = [counted(n, what) for what, n in counts.items() if n]
    if missing:
        shown.append(Paragraph(f"Not shown: {enumerated(missing)}. Add --all to see everything."))
    return replace(document, blocks=tuple(shown), findings=told)


def _beginning(block: Block, rows: int) -> Block:
    if not isinstance(block, Table) or block.whole:
        return block
    return replace(block, rows=block.rows[:rows])


def _rows(block: Block) -> int:
    return len(block.rows) if isinstance(block, Table) else 0


def _gravest(findings: Sequence[Finding], most: int) -> tuple[Finding, ...]:
    """Return the gravest findings in their order."""
    order = ("problem", "caution", "info")
    ranked = sorted(range(len(findings)), key=lambda k: order.index(findings[k].severity))
    return tuple(findings[k] for k in sorted(ranked[:most]))
