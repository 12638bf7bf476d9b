"""Renderers without any library: plain text, Markdown, CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from consilience.core.words import (
    counted,
    enumerated,
    interval_head,
    listed,
    number,
    percent,
    printable,
    shortened,
)
from consilience.document.plain_text import aligned, filled

if TYPE_CHECKING:
    from consilience.coefficients import Estimate, UndecidedScale
    from consilience.magnitudes import Magnitude
    from consilience.report._summary import Summary

WIDTH = 80
_MOST_NUMBERS = 20  # values on a scale that are listed one by one
_STRADDLES = "straddles_threshold"
_MANY = 3  # from so many groups on, this finding is told once for all


def facts(summary: Summary) -> list[str]:
    """Return the facts about the data as two short lines."""
    data = summary.data
    missing = "none missing"
    if data.missing:
        missing = f"{data.missing:,} missing ({100 * data.share_missing:.1f}%)"
    sizes = [
        counted(data.items, "item"),
        counted(data.raters, "rater"),
        counted(data.ratings, "rating"),
        missing,
    ]
    second = data.kind
    distances = {e.distance for _, _, estimates in summary.parts() for e in estimates}
    if distances != set(data.scales or (data.scale,)):
        second += f", {' and '.join(sorted(distances))} distance"
    if summary.groups:
        second += f", {counted(len(summary.groups), 'group')} by {shortened(summary.by or '')}"
        if _fits_beside(summary):
            second += f", {interval_head(summary.confidence_level)}s in brackets"
    elif data.categories:
        second += f", {_labels(data.categories, data.scale)}"
    if data.sources:
        second += f"; read as {data.shape}"
    told = [] if summary.undecided is None else [undecided_line(summary.undecided)]
    return [", ".join(sizes), second, *told]


def undecided_line(undecided: UndecidedScale) -> str:
    """Write both agreements in one line."""
    return (
        f"names or numbers? {undecided.both} Say which with --scale; until then the table takes "
        "them as names"
    )


def _labels(categories: Sequence[object], scale: str) -> str:
    """List the labels; numbers too many to list are told by their range."""
    if scale in ("interval", "ratio") and len(categories) > _MOST_NUMBERS:
        low, high = (
            f"{end:.6g}" if isinstance(end, float) else str(end)
            for end in (categories[0], categories[-1])
        )
        return f"{len(categories):,} different values from {low} to {high}"
    return f"{counted(len(categories), 'category', 'categories')}: {listed(categories)}"


def interval_text(estimate: Estimate | Magnitude, confidence_level: float) -> str:
    """Write the interval of an estimate, or nothing where there is none."""
    if estimate.status == "undefined":
        return ""
    interval = estimate.confidence_interval(confidence_level)
    low, high = number(interval.low), number(interval.high)
    return f"{low} to {high}" if low and high else ""


def value_text(estimate: Estimate | Magnitude) -> str:
    """Write the value, or say that it is undefined."""
    return "undefined" if estimate.status == "undefined" else number(estimate.value)


def reasons(summary: Summary) -> list[str]:
    """Say why estimates are undefined; those with one reason share a sentence."""
    names: dict[tuple[str | None, str], list[str]] = {}
    for group, _, estimates in summary.parts():
        for estimate in estimates:
            if estimate.status == "undefined":
                names.setdefault((group, _reason(estimate)), []).append(estimate.name)
    told = []
    for (group, reason), undefined in names.items():
        prefix = f"{shortened(group)}: " if group else ""
        verb = "is" if len(undefined) == 1 else "are"
        told.append(printable(f"{prefix}{enumerated(undefined)} {verb} undefined: {reason}."))
    return told


def _reason(estimate: Estimate) -> str:
    """Return the reason without its code."""
    return (estimate.reason or "no reason given").partition(": ")[2] or str(estimate.reason)


def findings(summary: Summary) -> list[str]:
    """Return the findings as sentences; those of groups say which."""
    told = [f"{finding.severity}: {finding.sentence}" for finding in summary.findings]
    groups: dict[tuple[str, str], list[str]] = {}  # what is true of several is said once
    unclear = _unclear(summary)
    for group in summary.groups:
        for finding in group.findings:
            if unclear and finding.code == _STRADDLES:
                continue
            names = groups.setdefault((finding.severity, finding.sentence), [])
            names.append(shortened(group.name))
    for (severity, text), names in groups.items():
        everywhere = len(names) == len(summary.groups) > 1
        told.append(f"{severity}: {text}" if everywhere else f"{severity}: {listed(names)}: {text}")
    return [printable(text) for text in [*told, *unclear]]


def _unclear(summary: Summary) -> list[str]:
    """Say once for many groups that their side of a threshold is open; the table has the rest."""
    found = {
        group.name: finding
        for group in summary.groups
        for finding in group.findings
        if finding.code == _STRADDLES
    }
    if len(found) < _MANY:
        return []
    quoted = sorted({f"{one.evidence['threshold']:g}" for one in found.values()})
    advice = next(iter(found.values())).advice
    return [
        f"caution: {len(found):,} of {len(summary.groups):,} groups cannot be told from the "
        f"threshold {' or '.join(quoted)}, which lies within their intervals: "
        f"{listed(found)}. {advice}"
    ]


def _fits_beside(summary: Summary) -> bool:
    if not summary.groups:
        return False
    from consilience.report._group_table import fits_beside

    return fits_beside(summary)


def table(summary: Summary) -> tuple[list[str], list[list[str]]]:
    """Return headings and cells of the table of estimates."""
    if _fits_beside(summary):
        from consilience.report._group_table import group_lines

        return group_lines(summary)
    level = percent(summary.confidence_level)
    heads = ["coefficient", "value", f"{level} interval", "observed", "expected"]
    if summary.groups:
        heads = [summary.by or "group", "coefficient", "value", f"{level} interval", "items"]
    cells = []
    for name, _, estimates in summary.listed():
        for estimate in estimates:
            middle = [
                shown_name(estimate, summary),
                value_text(estimate),
                interval_text(estimate, summary.confidence_level),
            ]
            if summary.groups:
                cells.append([shortened(name or ""), *middle, f"{estimate.n_items_used:,}"])
            else:
                cells.append([*middle, number(estimate.observed), number(estimate.expected)])
    for one in summary.magnitudes:
        interval = interval_text(one, summary.confidence_level)
        cells.append([one.name, value_text(one), interval, "", ""])
    return heads, cells


def shown_name(estimate: Estimate, summary: Summary) -> str:
    """Name an estimate; alpha of numbers beside alpha of names says so."""
    found = [group.undecided for group in summary.groups] or [summary.undecided]
    second = any(one is not None and one.as_numbers is estimate for one in found)
    return f"{estimate.name}, as numbers" if second else estimate.name


def render_text(summary: Summary, width: int = WIDTH) -> str:
    """Render a summary as plain text that fits the width."""
    heads, cells = table(summary)
    blocks = ["\n".join(filled(line, width) for line in facts(summary))]
    blocks.append(aligned(heads, cells, text_columns(summary), max(width, WIDTH)))
    notes = [filled(line, width) for line in [*reasons(summary), *findings(summary)]]
    if notes:
        blocks.append("\n".join(notes))
    return "\n\n".join(blocks)


def text_columns(summary: Summary) -> list[bool]:
    """Say of each column of the table whether it holds text."""
    if _fits_beside(summary):
        from consilience.report._group_table import group_lines, n_text_columns

        n_text = n_text_columns(summary)
        return [True] * n_text + [False] * (len(group_lines(summary)[0]) - n_text)
    return [True, bool(summary.groups), False, False, False]


def render_markdown(summary: Summary) -> str:
    """Render a summary as a Markdown table with the facts above and the notes below."""
    heads, cells = table(summary)
    from consilience.document import markdown_text

    lines = [markdown_text.escaped(line) + "." for line in facts(summary)]
    lines += ["", markdown_text.table(heads, cells, text_columns(summary))]
    notes = [f"- {markdown_text.escaped(line)}" for line in [*reasons(summary), *findings(summary)]]
    return "\n".join(lines + (["", *notes] if notes else []))


def render_csv(summary: Summary, *, raw: bool = False) -> str:
    """Render one line per estimate, unrounded; safe to open in a spreadsheet unless `raw`."""
    rows = summary.rows()
    from consilience.document import csv_tables

    return csv_tables.written([list(rows[0]), *(list(row.values()) for row in rows)], raw=raw)
