"""The page about several variables: which are too low, all of them in one figure, then each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from consilience.coefficients import Estimate
from consilience.core.verdict import SHORT, Verdict
from consilience.core.words import counted, number, shortened
from consilience.document import Finding, Table, value_and_interval
from consilience.report import summary_text as texts
from consilience.report._group_table import group_table
from consilience.report._page import (
    Advice,
    Answer,
    Code,
    Heading,
    Links,
    PageBlock,
    Section,
    Tabular,
    Text,
)
from consilience.report._report_parts import drawn, silence
from consilience.report._sentence import apa_sentence
from consilience.report._summary import Group, Summary

_MOST_DRAWN = 3  # on the first screen
_MOST_IN_FULL = 60  # variables with a part of their own


def groups_answer(summary: Summary) -> Answer:
    """Return the first screen of a page about groups."""
    assert summary.verdict is not None
    return Answer(
        verdict=summary.verdict,
        cards=_lowest(summary),
        facts=_range_of_values(summary),
        findings=texts.findings(summary),
        silence=silence(),
        sentence=apa_sentence(summary),
    )


def groups_sections(summary: Summary) -> list[Section]:
    """Return the sections of a page about groups."""
    found = texts.findings(summary)
    every = [
        Section("coefficients", "All of them", _together(summary)),
        Section("findings", "Findings", _told(summary, found)),
        Section("each", "One by one", _each(summary)),
        Section("method", "Method", _method(summary)),
        Section("paper", "For the paper", [Code(texts.render_latex(summary), "LaTeX")]),
    ]
    return [section for section in every if section.blocks]


def _headline(group: Group) -> Estimate | None:
    wanted = group.headline
    return next((one for one in group.estimates if one.coefficient == wanted), None)


def _lowest(summary: Summary) -> list[Verdict]:
    """Return the verdicts on the lowest variables, each with its name."""
    judged = sorted((group for group in summary.groups if group.verdict), key=_rank)
    drawn_ones = [(group.name, group.verdict) for group in judged if group.verdict]
    return [
        replace(verdict, message=f"{shortened(name)}: {SHORT.get(verdict.code, verdict.code)}")
        for name, verdict in drawn_ones
        if verdict.gauge is not None
    ][:_MOST_DRAWN]


def _range_of_values(summary: Summary) -> list[tuple[str, str]]:
    """Return the lowest and the highest value as facts."""
    every = [(group.name, _headline(group)) for group in summary.groups]
    known = [(one.value, name) for name, one in every if one is not None and one.status == "ok"]
    facts = [(f"{summary.by or 'group'}s", f"{len(summary.groups):,}")]
    if known:
        (low, first), (high, last) = min(known), max(known)
        facts.append(("lowest", f"{number(low, 2)} ({shortened(first)})"))
        facts.append(("highest", f"{number(high, 2)} ({shortened(last)})"))
    return facts


def _together(summary: Summary) -> list[PageBlock]:
    """Draw every variable with its interval, the lowest first, and list them."""
    from consilience import plot

    caption = (
        "Each with its interval, the lowest first, against 0.667 and 0.8, which Krippendorff "
        "suggests for tentative and for firm conclusions."
    )
    order = sorted(range(len(summary.groups)), key=lambda k: _rank(summary.groups[k]))
    level = summary.confidence_level
    in_full = summary.groups[:_MOST_IN_FULL]
    places = {group.name: f"#part-{k}" for k, group in enumerate(in_full, start=1)}
    figure = drawn(
        lambda: plot.variables(summary, confidence_level=level, links=places), "variables", caption
    )
    links = [(_line(summary.groups[k]), f"part-{k + 1}") for k in order[:_MOST_IN_FULL]]
    return [*figure, Tabular(group_table(summary)), Heading("Go to"), Links(links)]


def _rank(group: Group) -> float:
    one = _headline(group)
    return one.value if one is not None and math.isfinite(one.value) else -math.inf


def _line(group: Group) -> str:
    one = _headline(group)
    if one is None:
        return f"{group.name}: not measured"
    value = number(one.value, 2) if one.status == "ok" else "undefined"
    return f"{group.name}: {value}"


def _told(summary: Summary, found: Sequence[Finding]) -> list[PageBlock]:
    blocks: list[PageBlock] = [Text(line) for line in texts.reasons(summary)]
    return [*blocks, Advice(found) if found else Text(silence())]


def _each(summary: Summary) -> list[PageBlock]:
    """Return the verdict, the numbers and the findings of each variable."""
    blocks: list[PageBlock] = []
    for k, group in enumerate(summary.groups[:_MOST_IN_FULL], start=1):
        blocks += [Heading(group.name, f"part-{k}"), *_part(group, summary)]
    left = len(summary.groups) - _MOST_IN_FULL
    if left > 0:
        blocks.append(Text(f"{left:,} more stand in the table above only.", "note"))
    return blocks


def _part(group: Group, summary: Summary) -> list[PageBlock]:
    data = group.data
    sizes = [counted(data.items, "item"), counted(data.raters, "rater"), data.kind]
    blocks: list[PageBlock] = [Text(" · ".join(sizes), "note")]
    if group.verdict is not None:
        blocks.append(Text(group.verdict.sentence))
    level = summary.confidence_level
    rows = [
        [one.name, *value_and_interval(one, level), one.observed, one.expected]
        for one in group.estimates
    ]
    if rows:
        heads = texts.summary_heads(level)
        blocks.append(Tabular(Table(heads=heads, rows=rows)))
    further = [
        f for f in group.findings if group.verdict is None or not group.verdict.repeats(f.code)
    ]
    return [*blocks, *([Advice(further)] if further else [])]


def _method(summary: Summary) -> list[PageBlock]:
    kinds = dict.fromkeys(
        (one.name, one.distance, one.missing, _interval(one, summary.confidence_level))
        for group in summary.groups
        for one in group.estimates
    )
    heads = ("coefficient", "distance", "missing ratings", "interval")
    return [
        Tabular(Table(heads=heads, rows=[list(kind) for kind in kinds])),
        Text(f"Consilience {summary.version}, random seed {summary.seed}.", "note"),
    ]


def _interval(one: Estimate, confidence_level: float) -> str:
    defined = one.status != "undefined"
    return one.confidence_interval(confidence_level).method if defined else ""
