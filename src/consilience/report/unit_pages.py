"""The report on units: how far raters agree about events, with the picture of their marks."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.core.words import counted, percent, shortened
from consilience.document import Block, Cell, Paragraph, Range, Table
from consilience.exceptions import ConsilienceError
from consilience.report._page import Advice, Answer, Figure, Page, PageBlock, Section, Tabular, Text
from consilience.report._report import page_title
from consilience.report._report_parts import drawn
from consilience.report._sentence import apa_interval, apa_number
from consilience.report._span_text import spans_on_text
from consilience.report._unit_sessions import is_by_session, sessions, shown_stretch, worst_first
from consilience.report._unit_summary import UnitSummary
from consilience.report._unit_values import UnitValue
from consilience.report.result_pages import MADE_BY
from consilience.units import (
    EasyDiag,
    EasyDiagPairs,
    Gamma,
    ThresholdCurve,
    TimedAlignment,
    threshold_curve,
)
from consilience.units.linking.diag_results import shown_label
from consilience.units.programs import MultipleLinks

_MOST_LABELS = 16  # of the table with nil
_TIMELINES = 3
_MOST_COUNTED = 4  # raters on the first screen


@dataclass(frozen=True, kw_only=True)
class UnitsReport:
    """A page about some units; `html` renders it."""

    summary: UnitSummary
    page: Page

    def html(self) -> str:
        """Render the report as one HTML file that loads nothing else."""
        return self.page.html()

    def _repr_html_(self) -> str:
        return self.summary._repr_html_()


def units_report(
    summary: UnitSummary,
    *,
    title: str = "",
    sources: Collection[str] = (),
    command: str = "",
    reading: Sequence[str] = (),
    date: str = "",
) -> UnitsReport:
    """Make the report on units that were measured by `measure_units`.

    Parameters
    ----------
    summary : UnitSummary
    title : heading of the page, default from the sources
    sources : names of the files
    command : how to make the report again, shown at the end of the page
    reading : how the files were read, line by line
    date : shown at the foot; left out by default, so that the same input gives the same bytes

    Returns
    -------
    UnitsReport

    Examples
    --------
    >>> from consilience.report import measure_units
    >>> from consilience.units import Units
    >>> units = Units.from_records([
    ...     ("R1", "A", 0, 10), ("R1", "B", 10, 20), ("R2", "A", 1, 11), ("R2", "C", 11, 19)])
    >>> "<h1>Gestures</h1>" in units_report(measure_units(units), title="Gestures").html()
    True
    """
    every = [
        Section("numbers", "Numbers", _numbers(summary)),
        Section("findings", "Findings", _findings(summary)),
        Section("sessions", "Sessions, the worst first", sessions(summary)),
        Section("timeline", "What was marked", _timelines(summary)),
        Section("disparity", "Where raters differ", _disparity(summary)),
        Section("table", "Labels most often confused", _table(summary)),
        Section("threshold", "Does it depend on the overlap asked for?", _threshold(summary)),
        Section("method", "Method", _method(summary)),
    ]
    page = Page(
        title=title or page_title(sources),
        lead=_lead(summary),
        sections=[section for section in every if section.blocks],
        date=date,
        answer=_answer(summary),
        command=command,
        reading=reading,
    )
    return UnitsReport(summary=summary, page=page)


def _lead(summary: UnitSummary) -> str:
    units = summary.units
    lead = [counted(units.n_units, "unit"), counted(units.n_raters, "rater")]
    lead += [counted(units.n_sessions, "session"), counted(len(units.labels), "label")]
    lead.append(f"{percent(summary.confidence_level)} intervals over sessions")
    return " · ".join(lead)


# -------------------------------------------------------------------- words


def _answer(summary: UnitSummary) -> Answer:
    why = f"Method: {summary.method}, {summary.title}."
    if summary.why:
        why += f" It was chosen for {summary.why}."
    return Answer(
        verdict=summary.verdict,
        facts=_facts(summary),
        findings=summary.findings,
        sentence=_sentence(summary),
        note=why,
    )


def _facts(summary: UnitSummary) -> list[tuple[str, str]]:
    """Return the raw agreement and the share of units that have a partner."""
    main, first = summary.main, summary.values[0]
    if isinstance(main, EasyDiag) and main.n_tallies:
        facts = [("units with a partner", percent_of(main.linked_share))]
        if math.isfinite(main.raw_linked):
            facts.append(("of these, same label", percent_of(main.raw_linked)))
        return facts
    if first.observed is not None and math.isfinite(first.observed):
        return [("raw agreement", percent_of(first.observed))]
    marked = np.bincount(summary.units.rater, minlength=summary.units.n_raters).tolist()
    return [
        (f"units by {shortened(name)}", f"{n:,}")
        for name, n in list(zip(summary.units.raters, marked, strict=True))[:_MOST_COUNTED]
    ]


def _sentence(summary: UnitSummary) -> str:
    """Return the sentence for the paper."""
    units, first = summary.units, summary.values[0]
    if first.status == "undefined":
        return ""
    limits = (
        ""
        if first.limits is None
        else apa_interval(first.limits, percent(first.limits.confidence_level))
    )
    return (
        f"Agreement of {counted(units.n_raters, 'rater')} on {counted(units.n_units, 'unit')} in "
        f"{counted(units.n_sessions, 'session')} ({summary.title}) was {first.name} = "
        f"{apa_number(first.value)}{limits}, {MADE_BY}."
    )


def percent_of(share: float) -> str:
    """Write a share as a percentage with one decimal."""
    return f"{100 * share:.1f}%"


def _findings(summary: UnitSummary) -> list[PageBlock]:
    if not summary.findings:
        return [Text("No check fired. That does not mean that agreement is high.")]
    return [Advice(summary.findings)]


def _method(summary: UnitSummary) -> list[PageBlock]:
    units = summary.units
    said = [note.message for note in units.notes]
    said.append(
        f"Random numbers were drawn with seed {summary.seed}. Intervals come from leaving out "
        "whole sessions, because events of one recording depend on each other; with fewer than "
        "eight sessions there are none."
    )
    return [Text(one) for one in said]


# -------------------------------------------------------------------- tables


def _numbers(summary: UnitSummary) -> list[PageBlock]:
    from consilience import plot

    main = summary.main
    if not isinstance(main, EasyDiag):
        blocks = summary.document().blocks
        return [_shown(block) for block in blocks if not is_by_session(block)]
    overall = [one for one in summary.values if one.label is None]
    rows: list[list[Cell]] = [
        [one.name, one.value, _range(one), one.observed, one.expected] for one in overall
    ]
    level = f"{percent(summary.confidence_level)} interval"
    heads = ("", "value", level, "observed", "by chance")
    return [
        Tabular(Table(heads=heads, rows=rows)),
        *drawn(
            lambda: plot.category_kappas(main),
            "category-kappas",
            "Each label against all others: chance agreement, observed agreement, and kappa.",
        ),
        Tabular(_labels(summary, main, level)),
        *drawn(
            lambda: plot.unit_lengths(summary.units),
            "unit-lengths",
            "How many units each rater marked with each label, and how long they are.",
        ),
    ]


def _shown(block: Block) -> PageBlock:
    return Text(block.text) if isinstance(block, Paragraph) else Tabular(block)


def _range(one: UnitValue) -> Range | None:
    return None if one.interval is None else Range(one.interval["low"], one.interval["high"])


def _labels(summary: UnitSummary, main: EasyDiag, level: str) -> Table:
    known = {one.label: one for one in summary.values if one.label is not None}
    rows: list[list[Cell]] = [
        [
            shown_label(x.label),
            x.a,
            x.b,
            x.c,
            x.raw,
            x.kappa,
            _range(known[x.label]),
            x.positive_agreement,
            x.mcnemar_p_value,
        ]
        for x in main.categories
    ]
    first, second = main.raters
    heads = ("label", "both", f"only {first}", f"only {second}", "raw", "kappa", level,
             "positive agreement", "p")  # fmt: skip
    return Table(
        heads=heads,
        rows=rows,
        caption="Each label against all others",
        note="A linked pair counts 2. p: do both raters use the label equally often? McNemar's "
        "exact test on events.",
    )


def _table(summary: UnitSummary) -> list[PageBlock]:
    main = summary.main
    table = getattr(main, "table", None)
    labels = getattr(main, "labels", None)
    if table is None or labels is None or len(table) != len(labels) + 1:
        return []
    if len(labels) > _MOST_LABELS:
        return [Text(f"{len(labels)} labels: the table is in the JSON output.", "note")]
    names = [*map(shown_label, labels), "no unit"]
    rows: list[list[Cell]] = [
        [name, *(int(cell) for cell in row)] for name, row in zip(names, table, strict=True)
    ]
    first, second = main.raters[0], main.raters[1]
    note = f"Rows: {first}. Columns: {second}. “no unit”: the other rater marked nothing there."
    if isinstance(main, EasyDiag):
        note += " A linked pair counts 2, a unit without a partner 1."
    return [Tabular(Table(heads=("", *names), rows=rows, note=note))]


def _disparity(summary: UnitSummary) -> list[PageBlock]:
    """Rank recordings and labels by disagreement, as EasyDIAg's rater disparity does."""
    main = summary.main
    if not isinstance(main, EasyDiag) or main.n_tallies == int(np.trace(main.table)):
        return []
    said = (
        "Events that both raters saw and labelled alike (agreed), and all others: seen by one of "
        "them only, or labelled differently. The columns of raters count units, timing ignored."
    )
    return [Text(said, "note"), *(Tabular(one) for one in main.ranked_disparity.tables())]


# -------------------------------------------------------------------- figures


def threshold_of(summary: UnitSummary) -> ThresholdCurve | None:
    """Return EasyDIAG's values at thresholds from 51 to 90, if that was the method."""
    main = summary.main
    if summary.method != "easydiag" or not isinstance(main, EasyDiag) or not main.n_tallies:
        return None
    used = main.settings
    curve = threshold_curve(
        summary.units,
        raters=main.raters,
        linking=used.linking,
        point_tolerance=used.point_tolerance,
        absent=used.absent,
        confidence_level=used.confidence_level,
        rng=summary.seed,
    )
    return curve if np.isfinite(curve.kappa).any() else None


def _threshold(summary: UnitSummary) -> list[PageBlock]:
    from consilience import plot

    curve = threshold_of(summary)
    if curve is None:
        return []
    used = summary.main.settings
    caption = (
        "Kappa at each threshold from 51 to 90 percent, for all labels and for each against the "
        f"others. Dotted: the {used.threshold:g} percent in use."
    )
    if curve.low is not None:
        caption += f" Band: {percent(curve.confidence_level)} interval, sessions drawn anew."
    axes = plot.threshold(curve, at=used.threshold)
    return [Figure(axes, "threshold", caption, curve.numbers())]


def _timelines(summary: UnitSummary) -> list[PageBlock]:
    blocks: list[PageBlock] = spans_on_text(summary.units)
    if blocks:
        return blocks
    names = worst_first(summary)
    for place, name in enumerate(names[:_TIMELINES]):
        blocks += _timeline(summary, name, f"timeline-{place + 1}")
    if blocks and len(names) > _TIMELINES:
        blocks.append(Text(f"{_TIMELINES} of {len(names)} sessions, the worst first.", "note"))
    return blocks


def _timeline(summary: UnitSummary, session: str, name: str) -> list[PageBlock]:
    from consilience import plot

    units = summary.units
    start, end = shown_stretch(units, session)
    try:
        axes = plot.timeline(
            units,
            session=session,
            raters=units.raters,
            start=start,
            end=end,
            **drawn_links(summary),
        )
    except ConsilienceError as error:  # more units at once than a picture can hold
        return [Text(f"Session {session} is not drawn: {error}", "note")]
    caption = f"Session {session}: one lane for each rater."
    if units.n_raters > 2:
        caption += " Below them, the redder, the more pairs of raters differ."
    if start is not None:
        caption += " Only the stretch in which they differ most is shown."
    return [Figure(axes, name, caption)]


def drawn_links(summary: UnitSummary) -> dict[str, Any]:
    """Return what a timeline shows as linked: the links of the result, or none."""
    if isinstance(summary.main, EasyDiag | EasyDiagPairs | Gamma | MultipleLinks | TimedAlignment):
        return {"result": summary.main}
    return {"threshold": None}
