"""The page about several variables: one line for each, and what to look at in which."""

from __future__ import annotations

from consilience.coefficients import Estimate
from consilience.document import Table
from consilience.report import summary_text as texts
from consilience.report._group_table import group_table
from consilience.report._page import Code, PageBlock, Section, Tabular, Text
from consilience.report._sentence import apa_sentence
from consilience.report._summary import Summary


def group_sections(summary: Summary, command: str) -> list[Section]:
    """Return the sections of a page about groups."""
    every = [
        Section("coefficients", "Coefficients", [Tabular(group_table(summary))]),
        Section("findings", "Findings", _told(summary)),
        Section("method", "Method", _method(summary, command)),
        Section(
            "paper",
            "For the paper",
            [Code(apa_sentence(summary), "Sentences"), Code(texts.render_latex(summary), "LaTeX")],
        ),
    ]
    return [section for section in every if section.blocks]


def _told(summary: Summary) -> list[PageBlock]:
    found = [f"{one.severity}: {one.sentence}" for one in texts.findings(summary)]
    return [Text(line) for line in (*texts.reasons(summary), *found)]


def _method(summary: Summary, command: str) -> list[PageBlock]:
    kinds = dict.fromkeys(
        (one.name, one.distance, one.missing, _interval(one, summary.confidence_level))
        for group in summary.groups
        for one in group.estimates
    )
    heads = ("coefficient", "distance", "missing ratings", "interval")
    blocks: list[PageBlock] = [
        Tabular(Table(heads=heads, rows=[list(kind) for kind in kinds])),
        Text(f"Consilience {summary.version}, random seed {summary.seed}.", "note"),
    ]
    if command:
        blocks.append(Code(command, "The command that makes this page again"))
    return blocks


def _interval(one: Estimate, confidence_level: float) -> str:
    defined = one.status != "undefined"
    return one.confidence_interval(confidence_level).method if defined else ""
