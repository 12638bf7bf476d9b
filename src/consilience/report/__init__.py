"""What was found out, computed once as plain data and rendered in many ways."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import public_names

if TYPE_CHECKING:
    from consilience.report.measure import measure as measure
    from consilience.report.page import Page as Page
    from consilience.report.report import Report as Report
    from consilience.report.report import report as report
    from consilience.report.result_pages import batches_page as batches_page
    from consilience.report.result_pages import latent_page as latent_page
    from consilience.report.result_pages import marks_page as marks_page
    from consilience.report.result_pages import panel_page as panel_page
    from consilience.report.result_pages import result_page as result_page
    from consilience.report.result_pages import rounds_page as rounds_page
    from consilience.report.rounds import compare_batches as compare_batches
    from consilience.report.rounds import compare_rounds as compare_rounds
    from consilience.report.summary import Summary as Summary
    from consilience.report.summary import apa_sentence as apa_sentence
    from consilience.report.summary import print_summary as print_summary
    from consilience.report.summary import render_csv as render_csv
    from consilience.report.summary import render_html_fragment as render_html_fragment
    from consilience.report.summary import render_latex as render_latex
    from consilience.report.summary import render_markdown as render_markdown
    from consilience.report.summary import render_terminal as render_terminal
    from consilience.report.summary import render_text as render_text
    from consilience.report.unit_methods import UNIT_METHODS as UNIT_METHODS
    from consilience.report.unit_methods import UnitMethod as UnitMethod
    from consilience.report.unit_pages import units_report as units_report
    from consilience.report.units import measure_units as measure_units

MOVED = {"Finding": "it is findings.Finding"}

public_names(__name__)
