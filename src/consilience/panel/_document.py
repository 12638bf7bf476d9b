"""A panel as something to read: the verdict first, then what it rests on."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from consilience.core.words import counted, percent
from consilience.document import Cell, Document, Range, Table, details
from consilience.judges.people_and_systems import who_line
from consilience.panel._alternative import AlternativeTest, scoring_name
from consilience.panel._label_precision import WHY_F_IS_NOT_AGREEMENT

if TYPE_CHECKING:
    from consilience.panel._panel_results import PanelResult

_MOST_DIFFERENCES = 21
_MOST_USES = 24  # more rows: only labels that are used unequally
_LEVEL = 0.05


def document(result: PanelResult) -> Document:
    """Put the blocks in order."""
    return Document.of(
        who_line(result.people, [one.system for one in result.systems], result.left_out),
        _introduction(result),
        _verdicts(result),
        _accuracy(result),
        *details(
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
        findings=result.findings,
        verdict=result.verdict,
    )


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
    ceiling = result.ceiling[key]
    none = "one person only" if len(result.people) == 1 else "undefined"
    reached: list[Cell] = [ceiling.value, Range.of(ceiling.interval)]
    return Table.of(
        result.systems,
        "rater: system!s",
        "items: n_items",
        ("with people", lambda one: one.agreement[key].value),
        ("interval", lambda one: one.agreement[key].interval),
        ("gap", lambda one: one.gap[key].value),
        ("interval of gap", lambda one: one.gap[key].interval),
        ("verdict", lambda one: one.verdict or none),
        below=[["people", result.data["items"], *reached, None, None, ""]],
        caption=f"{result.headline.title}; margin {result.margin:g}",
        note="gap: what a rater reaches with each person, minus what the other people reach.",
    )


def _measures(result: PanelResult) -> Table:
    systems, constant = result.systems, _has_constant(result)
    return Table.of(
        result.measures,
        "mean over people: title",
        (
            [str(one.system) for one in systems],
            lambda m: [one.agreement[m.key].value for one in systems],
        ),
        ("people", lambda m: result.ceiling[m.key].value),
        ("constant answer", lambda m: result.constant[m.key]) if constant else None,
        note=f"constant answer: always {result.base_label!s}." if constant else "",
    )


def _differences(result: PanelResult) -> Table | None:
    shares = []
    for one in result.systems:
        total: dict[float, float] = {}
        for pair in one.differences.values():
            for gap, n in pair.counts.items():
                total[gap] = total.get(gap, 0.0) + n
        shares.append(total)
    gaps = sorted(set().union(*shares))
    if len(gaps) > _MOST_DIFFERENCES:
        return None
    return Table.of(
        gaps,
        ("system minus person", lambda gap: f"{gap:+g}" if gap else "0"),
        (
            [str(one.system) for one in result.systems],
            lambda gap: [own.get(gap, 0.0) / max(sum(own.values()), 1) for own in shares],
        ),
        caption="Distribution of differences (shares)",
    )


def _labels(result: PanelResult) -> list[Table]:
    return [
        Table.of(
            one.labels,
            "label!s",
            "share: reference_share",
            "P: precision.value",
            "interval: precision.interval",
            "R: recall.value",
            "interval: recall.interval",
            "F: f.value",
            "interval: f.interval",
            caption=f"{one.system}: precision P, recall R and F by label, people taken as the "
            "truth",
            note=WHY_F_IS_NOT_AGREEMENT if one is result.systems[-1] else "",
            digits=2,
        )
        for one in result.systems
    ]


def _markers(result: PanelResult) -> Table:
    return Table.of(
        [one for one in result.markers if one.n_items],
        "marker: rater!s",
        "kind",
        "items: n_items",
        "severity: severity.value",
        "interval: severity.interval",
        "drift: drift.value",
        "p (Holm): drift_p_adjusted!p",
        caption="Severity and drift, in points above the other people",
    )


def _label_use(result: PanelResult) -> Table:
    uses = result.label_use
    if len(uses) > _MOST_USES:
        uses = tuple(one for one in uses if one.p_adjusted < _LEVEL)
    return Table.of(
        uses,
        "system!s",
        "label!s",
        "share",
        "people: people_share",
        "difference: difference.value",
        "interval: difference.interval",
        "p (Holm): p_adjusted!p",
        caption="How often each label is given, on the items that system and people rated",
    )


def _disagreements(result: PanelResult) -> Table:
    return Table.of(
        result.disagreements,
        "system!s",
        "item!s",
        "gave: label!s",
        (
            "people gave",
            lambda one: ", ".join(f"{person} {label}" for person, label in one.people.items()),
        ),
        "distance",
        caption="Farthest from the people: read these first",
        note="distance: from the mean of the people's marks, or the share of people who gave "
        "another label.",
        digits=2,
    )


def _added(result: PanelResult) -> Table:
    found = [
        (one.system, measure.title, one.added[measure.key])
        for one in result.systems
        for measure in result.measures
        if measure.key in one.added
    ]
    return Table.of(
        found,
        "system: 0!s",
        "all raters: 1",
        "people: 2.without",
        "with system: 2.with_system",
        "change: 2.difference.value",
        "interval: 2.difference.interval",
        "p: 2.p_value!p",
        caption="Does the system lower the agreement of the panel?",
    )


def _alternative(result: PanelResult) -> Table:
    def passes(test: AlternativeTest) -> str:
        return "not tested" if math.isnan(test.winning_rate) else "yes" if test.passed else "no"

    return Table.of(
        [one.alternative for one in result.systems if one.alternative is not None],
        "system!s",
        ("scoring", "scoring", scoring_name),
        "winning rate",
        "advantage: advantage_probability",
        ("passes", passes),
        caption=f"Alternative annotator test, epsilon {result.epsilon:g}",
        note="This test takes items as independent, also where they share a document."
        if result.data["clusters"]
        else "",
    )


def _accuracy(result: PanelResult) -> Table:
    known = [one for one in result.measures if one.coefficient is not None]
    return Table.of(
        result.accuracy,
        "rater!s",
        "kind",
        "items: n_items",
        "correct: correct.value",
        "interval: correct.interval",
        (
            [one.title for one in known],
            lambda rater: [rater.agreement.get(one.key) for one in known],
        ),
        caption="Accuracy: against the gold standard",
    )


def _stability(result: PanelResult) -> Table:
    return Table.of(
        result.stability,
        "rater!s",
        "runs: n_occasions",
        "items: n_items",
        "unstable",
        "alpha: estimate.value",
        ("interval", lambda one: one.estimate.confidence_interval(result.confidence_level)),
        caption="Stability: raters against themselves",
    )
