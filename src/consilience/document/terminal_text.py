"""A document on a terminal: colour where there is a screen, and each interval drawn as a bar."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from consilience.core.verdict import Verdict
from consilience.core.words import printable, prose
from consilience.document._blocks import Cell, Differing, Document, InPlace, Range, Table
from consilience.document.plain_text import GAP, column_pages, least_widths, wrapped
from consilience.document.plain_text import render as plain

_LONGEST_TEXT = 24  # of a column, before it is folded for the sake of the bar
_SHORTEST_BAR, _LONGEST_BAR = 11, 41
_NARROWEST = 72  # below that, plain text
Bar = tuple[float, float, float]  # low, value, high
_VERDICT_STYLES = {"problem": "red", "caution": "yellow", "good": "green"}
_FINDING_STYLES = {"problem": "red", "caution": "yellow", "info": "dim"}


def render(document: Document, *, width: int = 80, color: bool = False) -> str:
    """Render for a terminal of some width; escape codes only with `color`."""
    if width < _NARROWEST:
        return plain(document, width)
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
        replace(table, heads=[table.heads[j] for j in page],
                rows=[[row[j] for j in page] for row in table.rows])
        for page in pages
    ]  # fmt: skip


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
