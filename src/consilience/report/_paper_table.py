"""The table for the paper."""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.words import counted, percent
from consilience.document import Cell, Document, Range, Table
from consilience.report._group_table import fits_beside, group_table

if TYPE_CHECKING:
    from consilience.report._summary import Summary


def summary_table(summary: Summary) -> Table:
    """Return the estimates as one table, with what was rated as its caption."""
    data = summary.data
    caption = (
        f"Agreement of {counted(data.raters, 'rater')} on {counted(data.items, 'item')} "
        f"({data.kind})."
    )
    if fits_beside(summary):
        return group_table(summary, caption)
    level = percent(summary.confidence_level)
    heads = ["Coefficient", "Value", f"{level} interval", "Observed", "Expected"]
    if summary.groups:
        heads = [summary.by or "Group", *heads[:3], "Items"]
    rows: list[list[Cell]] = []
    for name, _, estimates in summary.parts():
        for one in estimates:
            interval = one.confidence_interval(summary.confidence_level)
            middle: list[Cell] = [one.name, one.value, Range.of(interval)]
            if summary.groups:
                rows.append([name or "", *middle, one.n_items_used])
            else:
                rows.append([*middle, one.observed, one.expected])
    for other in summary.magnitudes:
        interval = other.confidence_interval(summary.confidence_level)
        rows.append([other.name, other.value, Range.of(interval), None, None])
    return Table(heads=heads, rows=rows, caption=caption)


def render_latex(summary: Summary) -> str:
    """Render a summary as a LaTeX table in the manner of booktabs; everything escaped."""
    return Document(blocks=(summary_table(summary),)).latex()
