"""A fragment of HTML for notebooks and the report; everything escaped."""

from __future__ import annotations

import html
from collections.abc import Sequence

from consilience.core.words import printable
from consilience.document._blocks import Block, Document, Paragraph


def render(document: Document) -> str:
    """Render title, blocks and findings."""
    parts = [f"<p><strong>{escaped(document.title)}</strong></p>"] if document.title else []
    parts += [_block(block) for block in document.blocks]
    notes = "".join(f"<li>{f.severity}: {escaped(f.sentence)}</li>" for f in document.findings)
    return "".join(parts) + (f"<ul>{notes}</ul>" if notes else "")


def _block(block: Block) -> str:
    if isinstance(block, Paragraph):
        return "".join(f"<p>{escaped(line)}</p>" for line in block.text.splitlines() if line)
    note = f"<p><small>{escaped(block.note)}</small></p>" if block.note else ""
    return table(block.heads, block.cells(), block.is_text(), escaped(block.caption)) + note


def table(
    heads: Sequence[str], cells: Sequence[Sequence[str]], left: Sequence[bool], caption: str = ""
) -> str:
    """Render a table; the caption is HTML already."""
    body = "".join(f"<tr>{_cells('td', row, left)}</tr>" for row in cells)
    above = f'<caption style="text-align:left">{caption}</caption>' if caption else ""
    return (
        f"<table>{above}<thead><tr>{_cells('th', heads, left)}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _cells(tag: str, row: Sequence[str], left: Sequence[bool]) -> str:
    return "".join(
        f'<{tag} style="text-align:{"left" if to_left else "right"}">{escaped(cell)}</{tag}>'
        for cell, to_left in zip(row, left, strict=True)
    )


def escaped(text: str) -> str:
    """Escape a text for HTML, control characters made visible."""
    return html.escape(printable(text))
