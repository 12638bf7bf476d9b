"""What was found out, computed once as plain data and rendered in many ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import imported_later

if TYPE_CHECKING:
    from consilience.findings import Finding
    from consilience.report._batches import Batches, compare_batches
    from consilience.report._page import Page
    from consilience.report._report import Report, report
    from consilience.report._rounds import RoundRow, Rounds, compare_rounds
    from consilience.report._sentence import apa_sentence
    from consilience.report._summary import DataFacts, Group, Summary
    from consilience.report._unit_summary import UnitSummary, measure_nil_table, measure_units
    from consilience.report._unit_values import UnitValue
    from consilience.report.compared_pages import batches_page, rounds_page
    from consilience.report.marks_pages import marks_page
    from consilience.report.measurement import GROUP_COEFFICIENTS, measure
    from consilience.report.result_pages import latent_page, panel_page, result_page
    from consilience.report.summary_text import (
        render_csv,
        render_html_fragment,
        render_latex,
        render_markdown,
        render_terminal,
        render_text,
    )
    from consilience.report.unit_methods import UNIT_METHODS, UnitMethod
    from consilience.report.unit_pages import UnitsReport, units_report

__all__ = [
    "GROUP_COEFFICIENTS",
    "UNIT_METHODS",
    "Batches",
    "DataFacts",
    "Finding",
    "Group",
    "Page",
    "Report",
    "RoundRow",
    "Rounds",
    "Summary",
    "UnitMethod",
    "UnitSummary",
    "UnitValue",
    "UnitsReport",
    "apa_sentence",
    "batches_page",
    "compare_batches",
    "compare_rounds",
    "latent_page",
    "marks_page",
    "measure",
    "measure_nil_table",
    "measure_units",
    "panel_page",
    "print_summary",
    "render_csv",
    "render_html_fragment",
    "render_latex",
    "render_markdown",
    "render_terminal",
    "render_text",
    "report",
    "result_page",
    "rounds_page",
    "units_report",
]

# Measuring ratings needs no page and no units; whoever asks for those loads them.
_LATER = {
    "_summary": ("DataFacts", "Finding", "Group", "Summary"),
    "measurement": ("GROUP_COEFFICIENTS", "measure"),
    "_batches": ("Batches", "compare_batches"),
    "_page": ("Page",),
    "_report": ("Report", "report"),
    "result_pages": ("latent_page", "panel_page", "result_page"),
    "compared_pages": ("batches_page", "rounds_page"),
    "marks_pages": ("marks_page",),
    "_rounds": ("RoundRow", "Rounds", "compare_rounds"),
    "_sentence": ("apa_sentence",),
    "summary_text": (
        "print_summary",
        "render_csv",
        "render_html_fragment",
        "render_latex",
        "render_markdown",
        "render_terminal",
        "render_text",
    ),
    "unit_methods": ("UNIT_METHODS", "UnitMethod"),
    "_unit_summary": ("UnitSummary", "measure_nil_table", "measure_units"),
    "_unit_values": ("UnitValue",),
    "unit_pages": ("UnitsReport", "units_report"),
}
__getattr__, __dir__ = imported_later(__name__, _LATER)
