"""What to know before a comparison is believed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from consilience.core.words import counted, enumerated, first_of
from consilience.document import Finding

if TYPE_CHECKING:
    from consilience.panel._panel_results import PanelResult
    from consilience.panel._resampled_means import Plan
    from consilience.panel.panel_data import Panel

_LOW_CEILING = 0.6
_FEW_CLUSTERS = 20
_MOST_LABELS = 50
_LEVEL = 0.05


def of(result: PanelResult, panel: Panel, plan: Plan, asked: str) -> tuple[Finding, ...]:
    """Return the findings, the gravest first."""
    found = [
        *_people(result, panel),
        *_refusals(panel),
        *_baseline(result, panel),
        *_markers(result),
        *_label_use(result),
        *_undefined(result),
        *_documents(plan),
        *_labels(panel),
        *_stability(result),
    ]
    for one in result.systems:
        if one.alternative is not None:
            found += [f for f in one.alternative.findings if f not in found]
    if asked != plan.method:
        found.append(
            Finding(
                "linearised",
                "info",
                "With so many different values the intervals are linearised, not resampled.",
            )
        )
    grave = {"problem": 0, "caution": 1, "info": 2}
    return tuple(sorted(found, key=lambda one: grave[one.severity]))


def _people(result: PanelResult, panel: Panel) -> list[Finding]:
    if len(panel.people) == 1:
        return [
            Finding(
                "one_person",
                "problem",
                f"Only {panel.people[0]} rated beside the systems: how far people agree is not "
                "known, so nothing says what a system could reach. Have a second person rate some "
                "of the items.",
            )
        ]
    ceiling = result.ceiling[result.headline.key]
    if result.headline.coefficient and ceiling.value < _LOW_CEILING:
        return [
            Finding(
                "low_ceiling",
                "caution",
                f"People agree with each other at {ceiling.value:.2f} ({result.headline.title}): "
                "being as good as a person is not much here. Clarify the guidelines first.",
            )
        ]
    return []


def _refusals(panel: Panel) -> list[Finding]:
    if not panel.refusals:
        return []
    listed = enumerated([f"{rater} {n:,}" for rater, n in panel.refusals.items()])
    treated = {
        "category": "They count as a label of their own.",
        "missing": "They are left out as if nothing had been asked.",
        "wrong": "They count as misses in the shares and are left out of the coefficients.",
    }[panel.policy]
    return [
        Finding(
            "refusals",
            "caution",
            f"Refused or unparsable answers: {listed}. {treated} Report the number beside the "
            "result.",
        )
    ]


def _baseline(result: PanelResult, panel: Panel) -> list[Finding]:
    constant = result.constant["identical"]
    if len(panel.ratings.categories) > _MOST_LABELS:  # measurements are hardly ever the same
        return []
    poor = [
        str(one.system)
        for one in result.systems
        if one.agreement["identical"].value <= constant + 1e-12
    ]
    if not poor:
        return []
    return [
        Finding(
            "constant_answer",
            "problem",
            f"Always answering {result.base_label!s} would agree with people on {constant:.0%} of "
            f"the items, no less often than {enumerated(poor)}. Do not quote raw agreement; look "
            "at a chance-corrected coefficient.",
        )
    ]


def _markers(result: PanelResult) -> list[Finding]:
    found = []
    for one in result.markers:
        low, high = one.severity.interval
        if one.kind == "system" and (low > 0.0 or high < 0.0):
            more = "higher" if low > 0.0 else "lower"
            found.append(
                Finding(
                    "severity",
                    "caution",
                    f"{one.rater} gives {more} marks than people, by {abs(one.severity.value):.2f} "
                    "points on average. Agreement alone does not show this; adjust or retrain.",
                )
            )
        if one.drift_p_adjusted < _LEVEL:
            found.append(
                Finding(
                    "drift",
                    "caution",
                    f"{one.rater} drifts by {one.drift.value:+.2f} points against the people from "
                    "the start to the end. Look at the batches and recalibrate.",
                )
            )
    return found


def _label_use(result: PanelResult) -> list[Finding]:
    return [
        Finding(
            "label_bias",
            "caution",
            f"{one.system} gives {one.label!s} {'more' if one.difference.value > 0 else 'less'} "
            f"often than people: on {one.share:.0%} of the items, they on {one.people_share:.0%}. "
            "Agreement alone does not show this; adjust or retrain.",
        )
        for one in result.label_use
        if one.p_adjusted < _LEVEL
    ]


def _undefined(result: PanelResult) -> list[Finding]:
    none = [
        f"{one.system} with {person} ({measure.title})"
        for one in result.systems
        for measure in result.measures
        for person, value in one.with_person[measure.key].items()
        if math.isnan(value)
    ]
    if not none:
        return []
    return [
        Finding(
            "undefined_pairs",
            "caution",
            f"No value for {first_of(none, 3, '; ')}: no items in common, or every mark the "
            "same. These pairs are left out of the means.",
        )
    ]


def _documents(plan: Plan) -> list[Finding]:
    if plan.clusters is None:
        return []
    n = int(plan.clusters.max()) + 1
    if n >= _FEW_CLUSTERS:
        return []
    return [
        Finding(
            "few_documents",
            "caution",
            f"The items come from {counted(n, 'document')} only: intervals over so few are too "
            "narrow. Sample more documents.",
        )
    ]


def _labels(panel: Panel) -> list[Finding]:
    if panel.ratings.scale != "nominal" or panel.ratings.numbers is None:
        return []
    if len(panel.ratings.categories) < 3:
        return []
    return [
        Finding(
            "numbers_as_names",
            "info",
            "The labels are numbers but are taken as mere names, so a near miss counts as a miss. "
            'If they are marks, say scale="ordinal".',
        )
    ]


def _stability(result: PanelResult) -> list[Finding]:
    shaky = [one for one in result.stability if one.unstable > 0.1]
    if not shaky:
        return []
    listed = enumerated([f"{one.rater} ({one.unstable:.0%} of the items)" for one in shaky])
    return [
        Finding(
            "unstable",
            "caution",
            f"Repeated answers differ: {listed}. One run says little; average "
            "several runs, or report how they vary.",
        )
    ]
