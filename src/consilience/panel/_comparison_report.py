"""What a comparison says: the verdict, what it rests on, what to know before it is believed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from consilience.core.verdict import Gauge, Gravity, Verdict
from consilience.core.words import MINUS, counted, enumerated, first_of, listed, number, percent
from consilience.document import Document, Finding, Range, Table
from consilience.document.blocks import Cell, Found, details, found, interval_approximate
from consilience.judges.people_and_systems import who_line
from consilience.panel._alternative_annotator import AlternativeTest, scoring_name
from consilience.panel.labels import WHY_F_IS_NOT_AGREEMENT

if TYPE_CHECKING:
    from consilience.panel._measures import Resampling
    from consilience.panel._panel import Panel
    from consilience.panel.comparison import PanelResult, SystemResult
    from consilience.panel.labels import LabelUse
    from consilience.panel.markers import Marker
    from consilience.panel.sweeps import SweepResult

# ---- A panel as something to read: the verdict first, then what it rests on.

_MOST_DIFFERENCES = 21
_MOST_USES = 24  # more rows: only labels that are used unequally
_LEVEL = 0.05


def comparison_document(result: PanelResult) -> Document:
    """Put the blocks in order."""
    return Document.of(
        who_line(result.people, [one.system for one in result.systems], result.left_out),
        _introduction(result),
        _verdicts(result),
        _accuracy(result),
        *details(
            _measures(result),
            _differences(result),
            *_label_tables(result),
            _label_use_table(result),
            _marker_table(result),
            _added(result),
            _alternative(result),
            _stability_table(result),
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
        ("system minus person", lambda gap: f"{gap:+g}".replace("-", MINUS) if gap else "0"),
        (
            [str(one.system) for one in result.systems],
            lambda gap: [own.get(gap, 0.0) / max(sum(own.values()), 1) for own in shares],
        ),
        caption="Distribution of differences (shares)",
    )


def _label_tables(result: PanelResult) -> list[Table]:
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


def _marker_table(result: PanelResult) -> Table:
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


def _label_use_table(result: PanelResult) -> Table:
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


def _stability_table(result: PanelResult) -> Table:
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


# ---- What to know before a comparison is believed, and what it comes to.

_LOW_CEILING = 0.6
_FEW_CLUSTERS = 20
_MOST_LABELS = 50
_TREATED = {
    "category": "They count as a label of their own.",
    "missing": "They are left out as if nothing had been asked.",
    "wrong": "They count as misses in the shares and are left out of the coefficients.",
}


def findings_of(
    result: PanelResult, panel: Panel, plan: Resampling, asked: str
) -> tuple[Finding, ...]:
    """Return the findings, the gravest first."""
    ceiling, alone = result.ceiling[result.headline.key], len(panel.people) == 1
    constant = result.constant["identical"]
    poor = [
        str(one.system)
        for one in result.systems
        if one.agreement["identical"].value <= constant + 1e-12
    ]
    ratings = panel.ratings
    repeated = len(ratings.categories) <= _MOST_LABELS  # measurements are hardly ever alike
    refusals = [f"{rater} {n:,}" for rater, n in panel.refusals.items()]
    none = [
        f"{one.system} with {person} ({measure.title})"
        for one in result.systems
        for measure in result.measures
        for person, value in one.with_person[measure.key].items()
        if math.isnan(value)
    ]
    n_documents = 0 if plan.clusters is None else int(plan.clusters.max()) + 1
    as_names = ratings.scale == "nominal" and ratings.numbers is not None
    shaky = [
        f"{one.rater} ({one.unstable:.0%} of the items)"
        for one in result.stability
        if one.unstable > 0.1
    ]
    told = [
        *found(
            (
                alone,
                "one_person",
                "problem",
                f"Only {panel.people[0]} rated beside the systems: how far people agree is not "
                "known, so nothing says what a system could reach. Have a second person rate some "
                "of the items.",
            ),
            (
                not alone and result.headline.coefficient and ceiling.value < _LOW_CEILING,
                "low_ceiling",
                "caution",
                f"People agree with each other at {ceiling.value:.2f} ({result.headline.title}): "
                "being as good as a person is not much here. Clarify the guidelines first.",
            ),
            (
                refusals,
                "refusals",
                "caution",
                lambda: (
                    f"Refused or unparsable answers: {enumerated(refusals)}. "
                    f"{_TREATED[panel.policy]} Report the number beside the result."
                ),
            ),
            (
                poor and repeated,
                "constant_answer",
                "problem",
                lambda: (
                    f"Always answering {result.base_label!s} would agree with people on "
                    f"{constant:.0%} of the items, no less often than {enumerated(poor)}. Do not "
                    "quote raw agreement; look at a chance-corrected coefficient."
                ),
            ),
            *(case for one in result.markers for case in _marker_cases(one)),
            *(_label_use_case(one) for one in result.label_use),
            (
                none,
                "undefined_pairs",
                "caution",
                f"No value for {first_of(none, 3, '; ')}: no items in common, or every mark the "
                "same. These pairs are left out of the means.",
            ),
            (
                0 < n_documents < _FEW_CLUSTERS,
                "few_documents",
                "caution",
                f"The items come from {counted(n_documents, 'document')} only: intervals over so "
                "few are too narrow. Sample more documents.",
            ),
            (
                as_names and len(ratings.categories) >= 3,
                "numbers_as_names",
                "info",
                "The labels are numbers but are taken as mere names, so a near miss counts as a "
                'miss. If they are marks, say scale="ordinal".',
            ),
            (
                shaky,
                "unstable",
                "caution",
                lambda: (
                    f"Repeated answers differ: {enumerated(shaky)}. One run says little; average "
                    "several runs, or report how they vary."
                ),
            ),
        ),
        *([interval_approximate("a system's gap")] if result.systems else []),
    ]
    for one in result.systems:
        if one.alternative is not None:
            told += [f for f in one.alternative.findings if f not in told]
    message = "With so many different values the intervals are linearised, not resampled."
    told += found((asked != plan.method, "linearised", "info", message))
    grave = {"problem": 0, "caution": 1, "info": 2}
    return tuple(sorted(told, key=lambda one: grave[one.severity]))


def _marker_cases(one: Marker) -> tuple[Found, Found]:
    low, high = one.severity.interval
    return (
        (
            one.kind == "system" and (low > 0.0 or high < 0.0),
            "severity",
            "caution",
            f"{one.rater} gives {'higher' if low > 0.0 else 'lower'} marks than people, by "
            f"{abs(one.severity.value):.2f} points on average. Agreement alone does not show "
            "this; adjust or retrain.",
        ),
        (
            one.drift_p_adjusted < _LEVEL,
            "drift",
            "caution",
            f"{one.rater} drifts by {one.drift.value:+.2f} points against the people from "
            "the start to the end. Look at the batches and recalibrate.",
        ),
    )


def _label_use_case(one: LabelUse) -> Found:
    return (
        one.p_adjusted < _LEVEL,
        "label_bias",
        "caution",
        f"{one.system} gives {one.label!s} {'more' if one.difference.value > 0 else 'less'} "
        f"often than people: on {one.share:.0%} of the items, they on {one.people_share:.0%}. "
        "Agreement alone does not show this; adjust or retrain.",
    )


# ---- the verdict


class _Said(NamedTuple):
    """How grave a verdict is, what it says of a system, in short, and what to do next."""

    gravity: Gravity
    is_so: str
    short: str
    next: str


_VERDICTS = {
    "not_as_good_as_a_person": _Said(
        "problem",
        "is not as good as a person",
        "not as good as a person",
        "Do not let it stand in for a person: read first where it is farthest from the people.",
    ),
    "undefined": _Said(
        "problem",
        "",
        "undefined",
        "Check that system and people rated the same items, with more than one label.",
    ),
    "cannot_tell": _Said(
        "caution",
        "may or may not be as good as a person",
        "cannot tell whether as good as a person",
        "More items would settle it: the interval of the gap reaches past the margin.",
    ),
    "one_person_only": _Said(
        "caution",
        "",
        "compared with one person only",
        "Let a second person rate the items: with one, nobody knows what a person would reach.",
    ),
    "as_good_as_a_person": _Said(
        "good",
        "is as good as a person",
        "as good as a person",
        "It may stand in for a person on items like these; read first where it is farthest from "
        "the people.",
    ),
}  # the gravest first


def system_verdict(result: PanelResult, one: SystemResult) -> Verdict:
    """Say whether a system is as good as a person, by the gap and the margin."""
    key = result.headline.key
    agreement, gap = one.agreement[key], one.gap[key]
    if math.isnan(agreement.value):
        code, gauge = "undefined", None
        message = f"{one.system}: {result.headline.title} is undefined."
    elif one.verdict is None:
        code = "one_person_only"
        gauge = Gauge.of(result.headline.title, agreement.value, agreement.interval)
        message = f"{one.system} is compared with one person only: {gauge.text}."
    else:
        code = one.verdict.replace(" ", "_")
        margin = result.margin
        gauge = Gauge.of(
            "gap",
            gap.value,
            gap.interval,
            marks=((-margin, "margin"), (0.0, "as people")),
            axis=(min(-0.2, -2 * margin), max(0.1, margin)),
        )
        message = f"{one.system} {_VERDICTS[code].is_so}: {gauge.text}."
    return _verdict(code, message, gauge)


def _verdict(code: str, message: str, gauge: Gauge | None = None) -> Verdict:
    said = _VERDICTS[code]
    return Verdict(code=code, message=message, next=said.next, gravity=said.gravity, gauge=gauge)


def panel_verdict(result: PanelResult) -> Verdict:
    """Say it of all systems, the gravest first."""
    every = {str(one.system): system_verdict(result, one) for one in result.systems}
    ceiling = result.ceiling[result.headline.key]
    people = ""
    if math.isfinite(ceiling.value):
        title = result.headline.title
        people = f" People reach {title} {number(ceiling.value, 2)} with each other."
    if len(every) == 1:
        (only,) = every.values()
        return _verdict(only.code, f"{only.message}{people}", only.gauge)
    by_code = {
        code: [name for name, one in every.items() if one.code == code] for code in _VERDICTS
    }
    told = [
        f"{_VERDICTS[code].short}: {listed(names)}." for code, names in by_code.items() if names
    ]
    first = next(code for code, names in by_code.items() if names)
    message = " ".join(one[:1].upper() + one[1:] for one in told)
    return _verdict(first, message + people)


def sweep_verdict(result: SweepResult) -> Verdict:
    """Say which setting is best, and whether its lead may be luck."""
    best, title = result.best, result.metric.title
    found = best.metrics[result.sort_by]
    if math.isnan(found.value):
        return Verdict(
            code="undefined", message=f"{title} is undefined for every setting.", gravity="problem"
        )
    gauge = Gauge(
        name=title,
        value=found.value,
        low=found.low,
        high=found.high,
        confidence_level=result.confidence_level,
        marks=(),
    )
    message = f"Best is {best.setting}: {gauge.text}."
    if result.lead is None or not math.isfinite(result.lead.interval.low):
        return Verdict(code="best_setting", message=message, gauge=gauge)
    low, high = result.lead.interval
    second = result.rows[1].setting
    lead = (
        f"{number(result.lead.value, 2)} ({percent(result.confidence_level)} CI {number(low, 2)} "
        f"to {number(high, 2)})"
    )
    if low > 0.0:
        return Verdict(
            code="best_setting",
            message=f"{message} It is ahead of {second} by {lead}.",
            next="Check it on items that were not used to choose it.",
            gravity="good",
            gauge=gauge,
        )
    return Verdict(
        code="best_setting_unsure",
        message=f"{message} Its lead over {second} may be luck: {lead}.",
        next="Take the cheaper of the two, or rate more items.",
        gauge=gauge,
    )
