"""A panel as something to read: the verdict first, then what it rests on."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

from consilience.core.words import counted, percent
from consilience.document import Block, Cell, Document, Paragraph, PValue, Range, Table
from consilience.judges.people_and_systems import who_line
from consilience.panel._alternative import scoring_name
from consilience.panel._label_precision import WHY_F_IS_NOT_AGREEMENT

if TYPE_CHECKING:
    from consilience.inference import Interval
    from consilience.panel._panel_results import PanelResult
    from consilience.panel._resampled_means import Value

_MOST_DIFFERENCES = 21
_MOST_USES = 24  # more rows: only labels that are used unequally
_LEVEL = 0.05


def document(result: PanelResult) -> Document:
    """Put the blocks in order."""
    blocks: list[Block | None] = [
        Paragraph(who_line(result.people, [one.system for one in result.systems], result.left_out)),
        Paragraph(_introduction(result)),
        _verdicts(result),
        _accuracy(result),
        *_as_details(
            _measures(result),
            _differences(result),
            *_labels(result),
            _label_use(result),
            _markers(result),
            _added(result),
            _alternative(result),
            _stability(result),
        ),
        _disagreements(result),
    ]
    return Document(
        blocks=tuple(block for block in blocks if block is not None),
        findings=result.findings,
        verdict=result.verdict,
    )


def _as_details(*blocks: Block | None) -> list[Block]:
    """Mark blocks as what a short answer leaves out."""
    return [replace(block, detail=True) for block in blocks if block is not None]


def _range(value: Value) -> Range:
    return _limits(value.interval)


def _yes(answer: bool) -> str:
    return "yes" if answer else "no"


def _limits(interval: Interval) -> Range:
    return Range.of(interval)


def _introduction(result: PanelResult) -> str:
    data = result.data
    people = counted(len(result.people), "person", "people")
    unit = "documents" if data["clusters"] else "items"
    how = {
        "bootstrap": f"{result.n_resamples:,} resamples of {unit}",
        "dirichlet": f"{result.n_resamples:,} posterior draws of {unit}",
    }.get(result.method, f"linearised over {unit}")
    text = (
        f"{counted(len(result.systems), 'system')} and {people} on {data['items']:,} items. "
        f"Intervals: {percent(result.confidence_level)}, {how}."
    )
    if _has_constant(result):
        text += f" People give {result.base_label!s} most often ({result.base_rate:.0%})."
    return text


def _has_constant(result: PanelResult) -> bool:
    """Measurements that hardly repeat have no usual answer."""
    return not math.isnan(result.constant["identical"])


def _verdicts(result: PanelResult) -> Table:
    key = result.headline.key
    rows: list[list[Cell]] = []
    for one in result.systems:
        agreement, gap = one.agreement[key], one.gap[key]
        rows.append(
            [
                str(one.system),
                one.n_items,
                agreement.value,
                _range(agreement),
                gap.value,
                _range(gap),
                one.verdict or _no_verdict(result),
            ]
        )
    ceiling = result.ceiling[key]
    rows.append(["people", result.data["items"], ceiling.value, _range(ceiling), None, None, ""])
    return Table(
        heads=("rater", "items", "with people", "interval", "gap", "interval of gap", "verdict"),
        rows=rows,
        caption=f"{result.headline.title}; margin {result.margin:g}",
        note="gap: what a rater reaches with each person, minus what the other people reach.",
    )


def _no_verdict(result: PanelResult) -> str:
    return "one person only" if len(result.people) == 1 else "undefined"


def _measures(result: PanelResult) -> Table:
    constant = _has_constant(result)
    rows: list[list[Cell]] = [
        [
            one.title,
            *(system.agreement[one.key].value for system in result.systems),
            result.ceiling[one.key].value,
            *([result.constant[one.key]] if constant else []),
        ]
        for one in result.measures
    ]
    names = [str(system.system) for system in result.systems]
    return Table(
        heads=("mean over people", *names, "people", *(["constant answer"] if constant else [])),
        rows=rows,
        note=f"constant answer: always {result.base_label!s}." if constant else "",
    )


def _differences(result: PanelResult) -> Table | None:
    shares = []
    for one in result.systems:
        total: dict[float, float] = {}
        for found in one.differences.values():
            for gap, n in found.counts.items():
                total[gap] = total.get(gap, 0.0) + n
        shares.append(total)
    gaps = sorted(set().union(*shares))
    if not gaps or len(gaps) > _MOST_DIFFERENCES:
        return None
    rows: list[list[Cell]] = [
        [f"{gap:+g}" if gap else "0", *(s.get(gap, 0.0) / max(sum(s.values()), 1) for s in shares)]
        for gap in gaps
    ]
    return Table(
        heads=("system minus person", *(str(one.system) for one in result.systems)),
        rows=rows,
        caption="Distribution of differences (shares)",
    )


def _labels(result: PanelResult) -> list[Block]:
    out: list[Block] = []
    for one in result.systems:
        if not one.labels:
            continue
        rows: list[list[Cell]] = [
            [
                str(score.label),
                score.reference_share,
                score.precision.value,
                _range(score.precision),
                score.recall.value,
                _range(score.recall),
                score.f.value,
                _range(score.f),
            ]
            for score in one.labels
        ]
        heads = ("label", "share", "P", "interval", "R", "interval", "F", "interval")
        is_last = one is result.systems[-1]
        note = WHY_F_IS_NOT_AGREEMENT if is_last else ""
        caption = f"{one.system}: precision P, recall R and F by label, people taken as the truth"
        out.append(Table(heads=heads, rows=rows, caption=caption, note=note, digits=2))
    return out


def _markers(result: PanelResult) -> Table | None:
    if not result.markers:
        return None
    rows: list[list[Cell]] = [
        [
            str(one.rater),
            one.kind,
            one.n_items,
            one.severity.value,
            _range(one.severity),
            one.drift.value,
            PValue(one.drift_p_adjusted),
        ]
        for one in result.markers
        if one.n_items
    ]
    if not rows:
        return None
    return Table(
        heads=("marker", "kind", "items", "severity", "interval", "drift", "p (Holm)"),
        rows=rows,
        caption="Severity and drift, in points above the other people",
    )


def _label_use(result: PanelResult) -> Table | None:
    uses = result.label_use
    if len(uses) > _MOST_USES:
        uses = tuple(one for one in uses if one.p_adjusted < _LEVEL)
    rows: list[list[Cell]] = [
        [
            str(one.system),
            str(one.label),
            one.share,
            one.people_share,
            one.difference.value,
            _range(one.difference),
            PValue(one.p_adjusted),
        ]
        for one in uses
    ]
    if not rows:
        return None
    return Table(
        heads=("system", "label", "share", "people", "difference", "interval", "p (Holm)"),
        rows=rows,
        caption="How often each label is given, on the items that system and people rated",
    )


def _disagreements(result: PanelResult) -> Table | None:
    if not result.disagreements:
        return None
    rows: list[list[Cell]] = [
        [
            str(one.system),
            str(one.item),
            str(one.label),
            ", ".join(f"{person} {label}" for person, label in one.people.items()),
            one.distance,
        ]
        for one in result.disagreements
    ]
    return Table(
        heads=("system", "item", "gave", "people gave", "distance"),
        rows=rows,
        caption="Farthest from the people: read these first",
        note="distance: from the mean of the people's marks, or the share of people who gave "
        "another label.",
        digits=2,
    )


def _added(result: PanelResult) -> Table | None:
    rows: list[list[Cell]] = []
    for one in result.systems:
        for measure in result.measures:
            found = one.added.get(measure.key)
            if found is not None:
                rows.append(
                    [str(one.system), measure.title, found.without, found.with_system,
                     found.difference.value, _range(found.difference), PValue(found.p_value)]
                )  # fmt: skip
    if not rows:
        return None
    return Table(
        heads=("system", "all raters", "people", "with system", "change", "interval", "p"),
        rows=rows,
        caption="Does the system lower the agreement of the panel?",
    )


def _alternative(result: PanelResult) -> Table | None:
    rows: list[list[Cell]] = []
    for one in result.systems:
        test = one.alternative
        if test is not None:
            rows.append(
                [str(one.system), scoring_name(test.scoring), test.winning_rate,
                 test.advantage_probability,
                 "not tested" if math.isnan(test.winning_rate) else _yes(test.passed)]
            )  # fmt: skip
    if not rows:
        return None
    return Table(
        heads=("system", "scoring", "winning rate", "advantage", "passes"),
        rows=rows,
        caption=f"Alternative annotator test, epsilon {result.epsilon:g}",
        note="This test takes items as independent, also where they share a document."
        if result.data["clusters"]
        else "",
    )


def _accuracy(result: PanelResult) -> Table | None:
    if not result.accuracy:
        return None
    keys = [one for one in result.measures if one.coefficient is not None]
    rows: list[list[Cell]] = [
        [
            str(one.rater),
            one.kind,
            one.n_items,
            one.correct.value,
            _range(one.correct),
            *(one.agreement.get(measure.key) for measure in keys),
        ]
        for one in result.accuracy
    ]
    heads = ("rater", "kind", "items", "correct", "interval", *(one.title for one in keys))
    return Table(heads=heads, rows=rows, caption="Accuracy: against the gold standard")


def _stability(result: PanelResult) -> Table | None:
    if not result.stability:
        return None
    rows: list[list[Cell]] = [
        [
            str(one.rater),
            one.n_occasions,
            one.n_items,
            one.unstable,
            one.estimate.value,
            _limits(one.estimate.confidence_interval(result.confidence_level)),
        ]
        for one in result.stability
    ]
    return Table(
        heads=("rater", "runs", "items", "unstable", "alpha", "interval"),
        rows=rows,
        caption="Stability: raters against themselves",
    )
