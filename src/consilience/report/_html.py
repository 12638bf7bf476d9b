"""A summary as a small HTML table for notebooks; everything escaped."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING

from consilience.report._text import facts, findings, reasons, table
from consilience.report._words import printable

if TYPE_CHECKING:
    from consilience.report._summary import Summary


def render_html_fragment(summary: Summary) -> str:
    """Render the facts, the table of estimates and the notes."""
    heads, rows = table(summary)
    n_left = 2 if summary.groups else 1
    body = "".join(f"<tr>{_cells('td', row, n_left)}</tr>" for row in rows)
    notes = "".join(f"<li>{_safe(line)}</li>" for line in [*reasons(summary), *findings(summary)])
    caption = "<br>".join(_safe(line) for line in facts(summary))
    return (
        f'<table><caption style="text-align:left">{caption}</caption>'
        f"<thead><tr>{_cells('th', heads, n_left)}</tr></thead><tbody>{body}</tbody></table>"
        + (f"<ul>{notes}</ul>" if notes else "")
    )


def _cells(tag: str, row: list[str], n_left: int) -> str:
    return "".join(
        f'<{tag} style="text-align:{"left" if j < n_left else "right"}">{_safe(cell)}</{tag}>'
        for j, cell in enumerate(row)
    )


def _safe(text: str) -> str:
    return html.escape(printable(text))
