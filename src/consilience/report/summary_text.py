"""A summary as something to read: facts, a table of estimates, what was found."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING

from consilience.core.words import counted, enumerated, interval_head, listed, shortened
from consilience.document import (
    Block,
    Cell,
    Document,
    Finding,
    Paragraph,
    Range,
    Severity,
    Table,
    value_and_interval,
)

if TYPE_CHECKING:
    from consilience.coefficients import Estimate
    from consilience.ratings import Ratings
    from consilience.report._summary import Summary

WIDTH = 80
_MOST_NUMBERS = 20  # values on a scale that are listed one by one
_STRADDLES = "straddles_threshold"
_GRAVEST_FIRST: tuple[Severity, ...] = ("problem", "caution", "info")
_MANY = 3  # from so many groups on, this finding is told once for all


def _fits_beside(summary: Summary) -> bool:
    if not summary.groups:
        return False
    from consilience.report._group_table import fits_beside

    return fits_beside(summary)


def _group_lines(summary: Summary) -> Table:
    from consilience.report._group_table import group_lines

    return group_lines(summary)


def facts(summary: Summary) -> list[str]:
    """Return the facts about the data as two short lines."""
    data = summary.data
    missing = "none missing"
    if data.missing_by_design:
        missing = f"{data.ratings_per_item}, others missing by design"
    elif data.missing:
        missing = f"{data.missing:,} missing ({100 * data.share_missing:.1f}%)"
    clusters = data.clusters
    shared = f" in {clusters.n_clusters:,} clusters ({clusters.name})" if clusters else ""
    sizes = [
        counted(data.items, "item") + shared,
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
    return [", ".join(sizes), second]


def _labels(categories: Sequence[object], scale: str) -> str:
    """List the labels; numbers too many to list are told by their range."""
    if scale in ("interval", "ratio") and len(categories) > _MOST_NUMBERS:
        low, high = (
            f"{end:.6g}" if isinstance(end, float) else str(end)
            for end in (categories[0], categories[-1])
        )
        return f"{len(categories):,} different values from {low} to {high}"
    return f"{counted(len(categories), 'category', 'categories')}: {listed(categories)}"


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
        told.append(f"{prefix}{enumerated(undefined)} {verb} undefined: {reason}.")
    return told


def _reason(estimate: Estimate) -> str:
    """Return the reason without its code."""
    return (estimate.reason or "no reason given").partition(": ")[2] or str(estimate.reason)


def findings(summary: Summary) -> tuple[Finding, ...]:
    """Return what was found, the gravest first; those of groups say which, each once."""
    unclear = _unclear(summary)
    by_code: dict[str, list[tuple[str, Finding]]] = {}
    for group in summary.groups:
        for finding in group.findings:
            if not (unclear and finding.code == _STRADDLES):
                by_code.setdefault(finding.code, []).append((shortened(group.name), finding))
    common_first = sorted(by_code.values(), key=len, reverse=True)
    told = [one for found in common_first for one in _of_groups(found, len(summary.groups))]
    every = (*summary.findings, *told, *unclear)
    return tuple(sorted(every, key=lambda one: _GRAVEST_FIRST.index(one.severity)))


def _of_groups(found: Sequence[tuple[str, Finding]], n_groups: int) -> Iterator[Finding]:
    """Tell a finding of several groups: once where it is the same, or where they are many."""
    same: dict[tuple[Severity, str], list[str]] = {}
    for name, finding in found:
        same.setdefault((finding.severity, finding.sentence), []).append(name)
    if len(same) >= _MANY:
        name, first = min(found, key=lambda one: _GRAVEST_FIRST.index(one[1].severity))
        text = f"{listed([name for name, _ in found])}. For example {name}: {first.message}"
        yield Finding(first.code, first.severity, text, first.advice, first.evidence)
        return
    for (severity, text), names in same.items():
        everywhere = len(names) == n_groups > 1
        code = found[0][1].code
        yield Finding(code, severity, text if everywhere else f"{listed(names)}: {text}")


def _unclear(summary: Summary) -> list[Finding]:
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
    message = (
        f"{len(found):,} of {counted(len(summary.groups), summary.by or 'group')} have an interval "
        f"that includes {' or '.join(quoted)}: {listed(found)}."
    )
    return [Finding(_STRADDLES, "caution", message, next(iter(found.values())).advice)]


def summary_table(summary: Summary, caption: str = "") -> Table:
    """Return the estimates as one table: of several groups, a line for each where that fits."""
    level = summary.confidence_level
    heads = summary_heads(level)
    if summary.groups:
        heads = [summary.by or "group", *heads[:3], "items"]
    rows: list[list[Cell]] = []
    for name, _, estimates in summary.listed():
        for one in estimates:
            middle = [shown_name(one, summary), *value_and_interval(one, level)]
            if summary.groups:
                rows.append([shortened(name or ""), *middle, one.n_items_used])
            else:
                rows.append([*middle, one.observed, one.expected])
    for other in summary.magnitudes:
        rows.append([other.name, *value_and_interval(other, level), None, None])
    return Table(heads=heads, rows=rows, caption=caption)


def summary_heads(confidence_level: float) -> list[str]:
    """Name the columns of estimates."""
    return ["coefficient", "value", interval_head(confidence_level), "observed", "expected"]


def shown_name(estimate: Estimate, summary: Summary) -> str:
    """Name an estimate; alpha of numbers beside alpha of names says so."""
    found = [group.undecided for group in summary.groups] or [summary.undecided]
    second = any(one is not None and one.as_numbers is estimate for one in found)
    return f"{estimate.name}, as numbers" if second else estimate.name


def summary_document(summary: Summary, *, beside: bool = True) -> Document:
    """Return the facts, the table of estimates, what is undefined and what was found.

    With `beside`, few coefficients of several groups stand beside each other.
    """
    table = _group_lines(summary) if beside and _fits_beside(summary) else summary_table(summary)
    blocks: list[Block] = [Paragraph("\n".join(facts(summary))), table]
    undefined = reasons(summary)
    if undefined:
        blocks.append(Paragraph("\n".join(undefined)))
    return Document(blocks=blocks, findings=findings(summary), verdict=summary.verdict)


def label_table(ratings: Ratings, confidence_level: float, caption: str = "") -> Table:
    """Return how far raters agree on each label, with intervals."""
    from consilience.coefficients import category_agreement

    head = interval_head(confidence_level)
    rows: list[list[Cell]] = []
    for one in category_agreement(ratings):
        specific = Range.of(one.specific_interval(confidence_level))
        kappa = value_and_interval(one.kappa, confidence_level)
        rows.append([shortened(str(one.category), 60), one.share, one.specific, specific, *kappa])
    return Table(
        heads=("label", "share", "specific agreement", head, "kappa", head),
        rows=rows,
        caption=caption,
        note="Specific agreement: given one rating with this label, the chance that another rating "
        "of the item has it too. Kappa: this label against all others.",
    )


def with_labels(summary: Summary, document: Document) -> Document:
    """Add how far raters agree on each label, where there are labels to list."""
    from consilience.findings import Study

    known = next(iter(summary.estimates), None)
    if known is None or not Study(known._basis.ratings).has_categories:
        return document
    table = label_table(known._basis.ratings, summary.confidence_level, "Agreement on each label")
    return replace(document, blocks=(*document.blocks, table))


def render_text(summary: Summary, width: int = WIDTH) -> str:
    """Render a summary as plain text that fits the width.

    Parameters
    ----------
    summary : Summary
    width : int

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> max(map(len, render_text(summary, width=60).splitlines())) <= 60
    True
    """
    return summary.document().text(width)


def render_markdown(summary: Summary) -> str:
    """Render a summary as a Markdown table with the facts above and the notes below.

    Parameters
    ----------
    summary : Summary

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> "| Krippendorff" in render_markdown(summary)
    True
    """
    return summary.document().markdown()


def render_html_fragment(summary: Summary) -> str:
    """Render a summary as HTML for a notebook: the facts, the table with bars, the notes.

    Parameters
    ----------
    summary : Summary

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> "<table" in render_html_fragment(summary)
    True
    """
    return summary.document().notebook()


def render_latex(summary: Summary) -> str:
    r"""Render the table for the paper in the manner of booktabs; everything escaped.

    Parameters
    ----------
    summary : Summary

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> "\\toprule" in render_latex(summary)
    True
    """
    return Document(blocks=(paper_table(summary),)).latex()


def paper_table(summary: Summary) -> Table:
    """Return the estimates as one table, with what was rated as its caption."""
    data = summary.data
    caption = (
        f"Agreement of {counted(data.raters, 'rater')} on {counted(data.items, 'item')} "
        f"({data.kind})."
    )
    if _fits_beside(summary):
        from consilience.report._group_table import group_table

        return group_table(summary, caption)
    table = summary_table(summary, caption)
    heads = [head if k == 0 and summary.groups else head.capitalize()
             for k, head in enumerate(table.heads)]  # fmt: skip
    return replace(table, heads=heads)


def render_csv(summary: Summary, *, raw: bool = False) -> str:
    r"""Render one line per estimate, unrounded; safe to open in a spreadsheet unless `raw`.

    Parameters
    ----------
    summary : Summary
    raw : bool
        Leave texts that look like formulas as they are.

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> render_csv(summary).partition(",")[0]
    'coefficient'
    """
    rows = summary.records()
    from consilience.document import csv_tables

    return csv_tables.written([list(rows[0]), *(list(row.values()) for row in rows)], raw=raw)


def render_terminal(summary: Summary, *, width: int = 80, color: bool = False) -> str:
    r"""Render a summary for a terminal of some width; escape codes only with `color`.

    Parameters
    ----------
    summary : Summary
    width : int
    color : bool

    Returns
    -------
    str

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> "\x1b" in render_terminal(summary, color=True)
    True
    """
    return summary_document(summary, beside=False).terminal(width, color=color)


def print_summary(summary: Summary, stream: IO[str] | None = None) -> None:
    """Print a summary: for a terminal with colour and bars, otherwise as plain text.

    Parameters
    ----------
    summary : Summary
    stream : text file, default standard output

    Examples
    --------
    >>> from consilience import datasets, measure
    >>> summary = measure(datasets.load("fleiss_1971"), coefficients="alpha")
    >>> print_summary(summary)  # doctest: +ELLIPSIS
    Clearly too low: Krippendorff's alpha 0.43 ...
    """
    stream = stream or sys.stdout
    stream.write(for_stream(summary, stream) + "\n")


def for_stream(summary: Summary, stream: IO[str]) -> str:
    """Render a summary in the way that fits where it goes."""
    from consilience.document.plain_text import for_stream, is_screen

    return for_stream(summary_document(summary, beside=not is_screen(stream)), stream)
