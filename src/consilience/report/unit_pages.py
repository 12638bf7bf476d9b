"""The report on units: how far raters agree about events, with the picture of their marks."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from consilience.core.words import counted, enumerated, percent, shortened
from consilience.document import Table
from consilience.document.blocks import Block, Cell
from consilience.exceptions import ConsilienceError
from consilience.plot.time import differing
from consilience.report.page import (
    Advice,
    Answer,
    Figure,
    Page,
    PageBlock,
    Piece,
    Section,
    Spanned,
    Tabular,
    Text,
    shown,
)
from consilience.report.report import drawn, page_title
from consilience.report.result_pages import agreement_sentence
from consilience.report.units import UnitSummary
from consilience.units import Units, threshold_curve
from consilience.units.alignment import TimedAlignment
from consilience.units.easydiag import EasyDiag, EasyDiagPairs, ThresholdCurve
from consilience.units.gamma import Gamma
from consilience.units.link_tables import shown_label
from consilience.units.programs.elan_interact import MultipleLinks

# ---- Spans on their text: a line below it for each rater, and where raters differ

_MOST_TEXTS = 3
_LONGEST = 1_200  # letters of a text that are shown
_MOST_RATERS = 8  # with a line of their own
Marks = list[tuple[int, int, str]]  # from, to, label


def spans_on_text(units: Units) -> list[PageBlock]:
    """Return the texts on which raters differ most, with what each of them marked.

    Nothing where the texts are not known, as in a table of spans.
    """
    texts = {} if units.reading is None else units.reading.texts
    known = [name for name in units.sessions if texts.get(name)]
    if not known or units.n_raters < 2:
        return []
    made = [_told(units, name, texts[name]) for name in known]
    order = sorted(range(len(made)), key=lambda k: -made[k][0])[:_MOST_TEXTS]
    blocks: list[PageBlock] = [made[k][1] for k in order]
    if len(known) > _MOST_TEXTS:
        told = f"{_MOST_TEXTS} of {len(known):,} texts, those first on which raters differ most."
        blocks.append(Text(told, "note"))
    return blocks


def _told(units: Units, session: str, text: str | tuple[str, ...]) -> tuple[float, Spanned]:
    """Return the share of what was marked on which raters differ, and the text with its spans."""
    at = units.sessions.index(session)
    raters = [g for g in range(units.n_raters) if units.asked[g, at]]
    whole, starts, ends = _letters(text)
    marks = [_marks_of(units, at, g, starts, ends) for g in raters[:_MOST_RATERS]]
    names = [shortened(units.raters[g]) for g in raters[:_MOST_RATERS]]
    pieces = _pieces(whole, names, marks)
    marked = sum(len(one.text) for one in pieces if one.raters)
    differing = sum(len(one.text) for one in pieces if one.differs)
    shown, is_part = _worst(pieces)
    said = f"{shortened(session, 60)}: raters differ on {differing / max(marked, 1):.0%} of what "
    said += "anybody marked."
    if is_part:
        said += " The stretch with the most differences is shown."
    return differing / max(marked, 1), Spanned(title=said, raters=names, pieces=shown)


def _letters(text: str | tuple[str, ...]) -> tuple[str, np.ndarray, np.ndarray]:
    """Return a text, and where its letters, or the words that were counted, begin and end."""
    if isinstance(text, str):
        places = np.arange(len(text) + 1)
        return text, places, places
    lengths = np.array([len(word) for word in text], dtype=np.int64)
    ends = np.cumsum(lengths + 1) - 1
    return " ".join(text), ends - lengths, np.concatenate([[0], ends])


def _marks_of(
    units: Units, session: int, rater: int, starts: np.ndarray, ends: np.ndarray
) -> Marks:
    """Return what one rater marked, in letters; marks outside the text are cut."""
    rows = np.flatnonzero((units.session == session) & (units.rater == rater))
    several = len(units.tiers) > 1
    found = []
    for row in rows:
        first, last = int(units.start[row]), int(units.end[row])
        if not 0 <= first < last <= len(ends) - 1:
            continue
        label = shown_label(units.labels[units.label[row]])
        tier = f"{units.tiers[units.tier[row]]}: " if several else ""
        found.append((int(starts[first]), int(ends[last]), f"{tier}{label}"))
    return found


def _pieces(text: str, names: Sequence[str], marks: Sequence[Marks]) -> list[Piece]:
    """Cut a text wherever a span begins or ends, and say who marked each piece as what."""
    cuts = sorted({0, len(text), *(x for one in marks for a, b, _ in one for x in (a, b))})
    found: list[Piece] = []
    for low, high in pairwise(cuts):
        given = [tuple(sorted({label for a, b, label in one if a < high and low < b}))
                 for one in marks]  # fmt: skip
        places = tuple(k for k, labels in enumerate(given) if labels)
        differs = len(set(given)) > 1
        piece = Piece(text[low:high], places, differs, _tag(names, given) if places else "")
        if found and found[-1].tag == piece.tag and found[-1].raters == places:
            before = found.pop()
            piece = Piece(before.text + piece.text, places, differs, piece.tag)
        found.append(piece)
    return found


def _tag(names: Sequence[str], given: Sequence[tuple[str, ...]]) -> str:
    """Say which label a piece has, and from whom where there are several.

    >>> _tag(["Ann", "Bob", "Cid"], [("PER",), ("PER",), ("ORG",)])
    'ORG: Cid; PER: Ann and Bob'
    >>> _tag(["Ann", "Bob"], [("PER",), ()])
    'PER'
    """
    kinds = sorted({kind for kind in given if kind})
    if len(kinds) == 1:  # the lines show who marked it
        return " + ".join(kinds[0]) or "marked"
    return "; ".join(
        f"{' + '.join(kind)}: "
        + enumerated([name for name, one in zip(names, given, strict=True) if one == kind])
        for kind in kinds
    )


def _worst(pieces: Sequence[Piece]) -> tuple[list[Piece], bool]:
    """Return the stretch of a long text on which raters differ most, and whether it is cut."""
    lengths = np.array([len(one.text) for one in pieces])
    if lengths.sum() <= _LONGEST:
        return list(pieces), False
    begins = np.cumsum(lengths) - lengths
    apart = np.cumsum(
        [0, *(n if one.differs else 0 for n, one in zip(lengths, pieces, strict=True))]
    )
    last = np.searchsorted(begins + lengths, begins + _LONGEST - _LONGEST // 8, side="right")
    worth = apart[np.maximum(last, np.arange(len(pieces)) + 1)] - apart[:-1]
    first = int(worth.argmax())
    chosen = list(pieces[first : max(int(last[first]), first + 1)])
    if first:  # what was marked needs some words before it
        before = pieces[first - 1]
        lead = before.text[-_LONGEST // 8 :].partition(" ")[2] or before.text[-_LONGEST // 8 :]
        chosen.insert(0, Piece("… " + lead, before.raters, before.differs, before.tag))
    chosen = [_shortened(one) for one in chosen]
    end = chosen[-1]
    chosen[-1] = Piece(end.text + " …", end.raters, end.differs, end.tag)
    return chosen, True


def _shortened(piece: Piece) -> Piece:
    """Cut out the middle of a long piece."""
    if len(piece.text) <= _LONGEST // 2:
        return piece
    part = _LONGEST // 5
    text = f"{piece.text[:part]} … {piece.text[-part:]}"
    return Piece(text, piece.raters, piece.differs, piece.tag)


# ---- Sessions, the worst first, and the stretch of each in which raters differ most

_MOST_SESSIONS = 60  # in the table by session
_UNITS_SHOWN = 20  # of the busiest rater in a picture, so that labels can be read


def sessions(summary: UnitSummary) -> list[PageBlock]:
    """List the sessions, the worst first, by what the method knows of each."""
    main, units = summary.main, summary.units
    if units.n_sessions < 2:
        return []
    if isinstance(main, EasyDiag):
        return [_by_kappa(main)] if len(main.sessions) > 1 else []
    told = [block for block in summary.document().blocks if is_by_session(block)]
    if told:
        return [shown(one) for one in told]
    counts = units.counts().sum(axis=0)
    rows: list[list[Cell]] = [
        [name, int(counts[units.sessions.index(name)]), share_apart(units, name)]
        for name in worst_first(summary)[:_MOST_SESSIONS]
    ]
    said = "Raters differ: share of what anybody marked on which a pair of raters differs."
    note = f"{said} {_left_out(units.n_sessions - len(rows))}".rstrip()
    heads = ("session", "units", "raters differ")
    return [Tabular(Table(heads=heads, rows=rows, note=note))]


def _by_kappa(main: EasyDiag) -> Tabular:
    parts = sorted(main.by_session, key=lambda x: (math.isfinite(x.kappa), x.kappa))
    note = f"Lowest kappa first. {_left_out(max(0, len(parts) - _MOST_SESSIONS))}".rstrip()
    columns = ("units: n_tallies", "share linked: linked_share", "raw agreement: raw", "kappa")
    return Tabular(Table.of(parts[:_MOST_SESSIONS], "session", *columns, note=note))


def _left_out(more: int) -> str:
    return f"{more:,} more sessions are left out." if more else ""


def is_by_session(block: Block) -> bool:
    """Tell whether a block is a table of sessions."""
    return isinstance(block, Table) and tuple(block.heads[:1]) == ("session",)


def worst_first(summary: UnitSummary) -> list[str]:
    """Return the sessions by their value, or by the time on which raters differ, worst first."""
    units, parts = summary.units, getattr(summary.main, "by_session", ())
    known: dict[str, float] = {}
    if isinstance(parts, tuple):
        known = {one.session: one.kappa for one in parts if hasattr(one, "kappa")}
    elif isinstance(parts, Mapping) and all(isinstance(one, float) for one in parts.values()):
        known = dict(parts)
    if not known:
        known = {name: -share_apart(units, name) for name in units.sessions}

    def rank(name: str) -> tuple[bool, float]:
        value = known.get(name, math.nan)
        return not math.isfinite(value), value

    return sorted(units.sessions, key=rank)


def share_apart(units: Units, session: str) -> float:
    """Return the share of the time that anybody marked on which pairs of raters differ.

    Examples
    --------
    >>> share_apart(Units.from_records([("A", "x", 0, 8), ("B", "x", 0, 6)]), "session")
    0.25
    """
    at = units.sessions.index(session)
    asked = [name for name, there in zip(units.raters, units.asked[:, at], strict=True) if there]
    if len(asked) < 2:
        return math.nan
    cuts, share = differing(units, session, asked)
    rows = units.session == at
    first, last = (np.searchsorted(cuts, column[rows]) for column in (units.start, units.end))
    covered = np.cumsum(np.bincount(first, minlength=len(cuts) + 1)
                        - np.bincount(last, minlength=len(cuts) + 1))[: len(share)]  # fmt: skip
    length = np.diff(cuts)
    marked = float(length[covered > 0].sum())
    return float((share * length).sum()) / marked if marked else math.nan


def shown_stretch(units: Units, session: str) -> tuple[float | None, float | None]:
    """Return the stretch of a long session in which raters differ most; None if all can be shown.

    Examples
    --------
    >>> rows = [("A", "x", k, k + 0.5) for k in range(60)]
    >>> rows += [("B", "y" if 30 <= k < 40 else "x", k, k + 0.5) for k in range(60)]
    >>> shown_stretch(Units.from_records(rows), "session")
    (20.0, 40.0)
    """
    mine = np.flatnonzero(units.session == units.sessions.index(session))
    lanes = [
        np.sort(units.start[mine][(units.tier[mine] == tier) & (units.rater[mine] == rater)])
        for tier in np.unique(units.tier[mine])
        for rater in np.unique(units.rater[mine])
    ]
    if max(map(len, lanes), default=0) <= _UNITS_SHOWN:
        return None, None
    starts = np.unique(units.start[mine]).astype(np.float64)
    most = float(units.end[mine].max())
    ends = np.full(len(starts), most)
    for lane in lanes:  # until the next unit would be one too many
        place = np.searchsorted(lane, starts) + _UNITS_SHOWN
        full = place < len(lane)
        ends[full] = np.minimum(ends[full], lane[place[full]])
    cuts, share = differing(units, session, units.raters)
    apart = np.concatenate([[0.0], np.cumsum(share * np.diff(cuts))])  # until each cut
    within = np.interp(ends, cuts, apart) - np.interp(starts, cuts, apart)
    whole = ends < most  # of those that reach the end, the first is the longest
    whole[int(np.argmax(~whole))] = True
    worst = int(np.argmax(np.where(whole, within, -1.0)))
    return float(starts[worst]), float(ends[worst])


# ---- The report on units

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


# ---- words


def _answer(summary: UnitSummary) -> Answer:
    why = f"Method: {summary.method}, {summary.title}."
    if summary.why:
        why += f" It was chosen for {summary.why}."
    return Answer(
        verdict=summary.verdict,
        facts=_facts(summary),
        findings=summary.findings,
        sentence=sentence_of(summary),
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


def sentence_of(summary: UnitSummary) -> str:
    """Return the sentence for the paper, with the overlap that makes two units the same.

    Holle & Rein: indices must always be accompanied by the chosen overlap threshold.
    """
    units, first = summary.units, summary.values[0]
    if first.status == "undefined":
        return ""
    threshold = getattr(getattr(summary.main, "settings", None), "threshold", None)
    linked = "" if threshold is None else f", linked at {threshold:g}% overlap"
    who = (
        f"{counted(units.n_raters, 'rater')} on {counted(units.n_units, 'unit')} in "
        f"{counted(units.n_sessions, 'session')} ({summary.title}{linked})"
    )
    return agreement_sentence(who, first.name, first.value, first.limits)


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


# ---- tables


def _numbers(summary: UnitSummary) -> list[PageBlock]:
    from consilience import plot

    main = summary.main
    if not isinstance(main, EasyDiag):
        blocks = summary.document().blocks
        return [shown(block) for block in blocks if not is_by_session(block)]
    overall = [one for one in summary.values if one.label is None]
    level = f"{percent(summary.confidence_level)} interval"
    columns = ("value", (level, "limits"), "observed", "by chance: expected")
    return [
        Tabular(Table.of(overall, ("", "name"), *columns)),
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


def _labels(summary: UnitSummary, main: EasyDiag, level: str) -> Table:
    known = {one.label: one for one in summary.values if one.label is not None}
    first, second = main.raters
    return Table.of(
        main.categories,
        ("label", lambda one: shown_label(one.label)),
        "both: a",
        (f"only {first}", "b"),
        (f"only {second}", "c"),
        "raw",
        "kappa",
        (level, lambda one: known[one.label].limits),
        "positive agreement",
        "p: mcnemar_p_value",
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


# ---- figures


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
