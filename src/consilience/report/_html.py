"""A summary as a small HTML table for notebooks; everything escaped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.document import _html
from consilience.report._text import facts, findings, reasons, table, text_columns

if TYPE_CHECKING:
    from consilience.report._summary import Summary


def render_html_fragment(summary: Summary) -> str:
    """Render the facts, the table of estimates and the notes."""
    heads, rows = table(summary)
    caption = "<br>".join(_html.escaped(line) for line in facts(summary))
    notes = [_html.escaped(line) for line in [*reasons(summary), *findings(summary)]]
    listed = "".join(f"<li>{line}</li>" for line in notes)
    return _html.table(heads, rows, text_columns(summary), caption) + (
        f"<ul>{listed}</ul>" if listed else ""
    )
