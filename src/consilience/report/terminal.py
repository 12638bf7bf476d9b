"""A summary where it goes: on a terminal with colour and bars, elsewhere as plain text."""

from __future__ import annotations

import sys
from typing import IO, TYPE_CHECKING

from consilience.report._summary_text import render_text, summary_document

if TYPE_CHECKING:
    from consilience.report._summary import Summary


def render_terminal(summary: Summary, *, width: int = 80, color: bool = False) -> str:
    """Render a summary for a terminal of some width; escape codes only with `color`."""
    return summary_document(summary, beside=False).terminal(width, color=color)


def print_summary(summary: Summary, stream: IO[str] | None = None) -> None:
    """Print a summary: for a terminal with colour and bars, otherwise as plain text."""
    stream = stream or sys.stdout
    stream.write(for_stream(summary, stream) + "\n")


def for_stream(summary: Summary, stream: IO[str]) -> str:
    """Render a summary in the way that fits where it goes."""
    import os
    import shutil

    encodes = (getattr(stream, "encoding", None) or "").lower().replace("-", "").startswith("utf")
    if not stream.isatty() or not encodes or os.environ.get("TERM") == "dumb":
        return render_text(summary)
    color = not os.environ.get("NO_COLOR")
    width = shutil.get_terminal_size((80, 24)).columns
    return render_terminal(summary, width=width, color=color)
