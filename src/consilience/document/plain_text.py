"""Plain text that fits a width: long words fold, and a table too wide goes on below itself."""

from __future__ import annotations

import os
import shutil
import textwrap
from collections.abc import Sequence
from typing import IO

from consilience.core.words import printable, prose
from consilience.document._blocks import Block, Document, Paragraph, Table

GAP = 2
MOST_LINES = 40  # of a short answer
_LEAST_WIDTH = 40  # of a screen; nothing is folded further
_NARROWEST = 8  # a column of text is not folded further than this
_LONGEST_WORD = 28  # that is not broken


def render(document: Document, width: int) -> str:
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
        return render(document, width)
    from consilience.document.terminal_text import render as drawn

    return drawn(document, width=width, color=not os.environ.get("NO_COLOR"))


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
    return len(render(document, width).splitlines()) + rules


def filled(text: str, width: int) -> str:
    """Fold a line, the following lines indented."""
    return "\n".join(wrapped(prose(printable(text)), width, indent="  "))


def wrapped(text: str, width: int, indent: str = "") -> list[str]:
    """Break a text into lines between words only: options and names keep their hyphens."""
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
        min(most, max(_NARROWEST, len(head))) if text else most
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
        texts = [j for j, to_left in enumerate(left) if to_left and widths[j] > _NARROWEST]
        if not texts:
            break
        widths[max(texts, key=widths.__getitem__)] -= 1
    return widths
