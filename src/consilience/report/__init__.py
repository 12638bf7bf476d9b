"""What was found out, computed once as plain data and rendered in many ways."""

from consilience.findings import Finding
from consilience.report._html import render_html_fragment
from consilience.report._measure import GROUP_COEFFICIENTS, measure
from consilience.report._summary import DataFacts, Group, Summary
from consilience.report._terminal import print_summary, render_terminal
from consilience.report._text import render_csv, render_markdown, render_text

__all__ = [
    "GROUP_COEFFICIENTS",
    "DataFacts",
    "Finding",
    "Group",
    "Summary",
    "measure",
    "print_summary",
    "render_csv",
    "render_html_fragment",
    "render_markdown",
    "render_terminal",
    "render_text",
]
