"""Any result as a page: its document, with the figures that explain it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from consilience.document import Document, Paragraph
from consilience.exceptions import ConsilienceError
from consilience.report._page import Advice, Code, Figure, Page, PageBlock, Section, Tabular, Text

Drawing = tuple[str, str, Callable[[], Any]]  # name of its file, caption, how to draw it


def result_page(
    document: Document,
    drawings: Sequence[Drawing] = (),
    *,
    title: str = "",
    lead: str = "",
    command: str = "",
) -> Page:
    """Make a page of a result: figures first, then what its document says, then the findings."""
    figures: list[PageBlock] = []
    for name, caption, draw in drawings:
        try:
            figures.append(Figure(draw(), name, caption))
        except ConsilienceError:  # the design has no such figure
            continue
    said: list[PageBlock] = [
        Text(block.text) if isinstance(block, Paragraph) else Tabular(block)
        for block in document.blocks
    ]
    parts = [
        Section("figures", "At a glance", figures),
        Section("findings", "Findings", [Advice(document.findings)] if document.findings else []),
        Section("results", "Results", said),
        Section("method", "Method", [Code(command, "The command")] if command else []),
    ]
    return Page(
        title=title or document.title,
        lead=lead,
        sections=[section for section in parts if section.blocks],
    )


def panel_page(
    result: Any, document: Document, *, title: str = "", lead: str = "", command: str = ""
) -> Page:
    """Make the page of systems against people, or of a sweep."""
    from consilience import plot

    if hasattr(result, "systems"):
        drawings: list[Drawing] = [
            (
                "ceiling",
                "How far each system agrees with people, beside how far people agree with each "
                "other (the human ceiling); dotted: an answer that never changes.",
                lambda: plot.panel(result),
            ),
            (
                "differences",
                "How large a share of a system's marks lies how far above or below a person's.",
                lambda: plot.differences(result),
            ),
        ]
    else:
        drawings = [
            (
                "sweep",
                "Every setting with its interval, the best on top; grey: how far people agree "
                "with each other.",
                lambda: plot.sweep(result),
            ),
            (
                "settings",
                "Which share of the marks is the same and which is off by 1 to 4 points, against "
                "the setting.",
                lambda: plot.settings(result),
            ),
        ]
    is_panel = hasattr(result, "systems")
    usual = "Systems against a panel of people" if is_panel else "Settings compared"
    first = next((one for one in document.blocks if isinstance(one, Paragraph)), None)
    lead = lead or (first.text if first and result.people else "")
    return result_page(document, drawings, title=title or usual, lead=lead, command=command)


def latent_page(
    result: Any, document: Document, *, title: str = "", lead: str = "", command: str = ""
) -> Page:
    """Make the page of a latent model."""
    from consilience import plot

    drawings: list[Drawing] = []
    if hasattr(result, "error_rates") and hasattr(result, "error_matrix"):
        caption = "Which label raters give for each true label, over all raters."
        drawings.append(("errors", caption, lambda: plot.error_matrix(result)))
    if hasattr(result, "probability"):
        caption = "How sure the model is of each item's label."
        drawings.append(("certainty", caption, lambda: plot.certainty(result)))
        caption = "How often each rater is right, the least accurate at the top."
        drawings.append(("accuracy", caption, lambda: plot.accuracy(result)))
    return result_page(document, drawings, title=title, lead=lead, command=command)
