"""Markdown, with everything escaped that Markdown would take as its own."""

from __future__ import annotations

from collections.abc import Sequence

from consilience.core.words import printable, prose
from consilience.document._blocks import Block, Document, Paragraph


def render(document: Document) -> str:
    """Render title, blocks and findings."""
    parts = [f"**{escaped(document.title)}**"] if document.title else []
    if document.verdict is not None:
        said = document.verdict
        parts.append(f"**{_prose(said.message)}** {_prose(said.next)}".rstrip())
    parts += [_block(block) for block in document.blocks]
    notes = [f"- {f.severity}: {_prose(f.sentence)}" for f in document.further_findings]
    if notes:
        parts.append("\n".join(notes))
    return "\n\n".join(parts)


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return "  \n".join(_prose(line) for line in block.text.splitlines())
    parts = [escaped(block.caption), ""] if block.caption else []
    parts.append(table(block.heads, block.typeset(), block.is_text()))
    if block.note:
        parts += ["", escaped(block.note)]
    return "\n".join(parts)


def _prose(text: str) -> str:
    return prose(escaped(text))


def table(heads: Sequence[str], cells: Sequence[Sequence[str]], left: Sequence[bool]) -> str:
    """Render the rows of a table: text to the left, numbers to the right."""
    rule = "|" + "|".join(" --- " if to_left else " ---: " for to_left in left) + "|"
    return "\n".join([_row(heads), rule, *(_row(row) for row in cells)])


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(escaped(cell) for cell in cells) + " |"


def escaped(text: str) -> str:
    """Escape what Markdown would take as its own."""
    text = " ".join(printable(text).split())
    for sign in "\\`*_[]<>|#":
        text = text.replace(sign, "\\" + sign)
    return text
