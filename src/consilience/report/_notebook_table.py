"""A summary as a small HTML table for notebooks; everything escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.document import html_fragment
from consilience.report._summary_text import facts, findings, reasons, table, text_columns

if TYPE_CHECKING:
    from consilience.report._summary import Summary


def render_html_fragment(summary: Summary) -> str:
    """Render the facts, the table of estimates and the notes."""
    heads, rows = table(summary)
    caption = "<br>".join(html_fragment.escaped(line) for line in facts(summary))
    notes = [html_fragment.escaped(line) for line in [*reasons(summary), *findings(summary)]]
    listed = "".join(f"<li>{line}</li>" for line in notes)
    return html_fragment.table(heads, rows, text_columns(summary), caption) + (
        f"<ul>{listed}</ul>" if listed else ""
    )
