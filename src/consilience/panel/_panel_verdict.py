"""The answer about systems: is each as good as a person?"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from consilience.core.verdict import Gauge, Gravity, Verdict
from consilience.core.words import listed, number, percent

if TYPE_CHECKING:
    from consilience.panel._panel_results import PanelResult, SystemResult
    from consilience.panel._sweep_result import SweepResult

_GRAVITY: dict[str, Gravity] = {
    "not_as_good_as_a_person": "problem",
    "undefined": "problem",
    "cannot_tell": "caution",
    "one_person_only": "caution",
    "as_good_as_a_person": "good",
}  # the gravest first
_NEXT = {
    "not_as_good_as_a_person": "Do not let it stand in for a person: read first where it is "
    "farthest from the people.",
    "undefined": "Check that system and people rated the same items, with more than one label.",
    "cannot_tell": "More items would settle it: the interval of the gap reaches past the margin.",
    "one_person_only": "Let a second person rate the items: with one, nobody knows what a person "
    "would reach.",
    "as_good_as_a_person": "It may stand in for a person on items like these; read first where it "
    "is farthest from the people.",
}
_SHORT = {
    "not_as_good_as_a_person": "not as good as a person",
    "undefined": "undefined",
    "cannot_tell": "cannot tell whether as good as a person",
    "one_person_only": "compared with one person only",
    "as_good_as_a_person": "as good as a person",
}


def system_verdict(result: PanelResult, one: SystemResult) -> Verdict:
    """Say whether a system is as good as a person, by the gap and the margin."""
    key = result.headline.key
    agreement, gap = one.agreement[key], one.gap[key]
    if math.isnan(agreement.value):
        code, gauge = "undefined", None
        message = f"{one.system}: {result.headline.title} is undefined."
    elif one.verdict is None:
        code, gauge = "one_person_only", Gauge.of(
            result.headline.title, agreement.value, agreement.interval
        )  # fmt: skip
        message = f"{one.system} is compared with one person only: {gauge.text}."
    else:
        code = one.verdict.replace(" ", "_")
        low, high = result.margin, 0.0
        gauge = Gauge.of(
            "gap",
            gap.value,
            gap.interval,
            marks=((-low, "margin"), (high, "as people")),
            axis=(min(-0.2, -2 * low), max(0.1, low)),
        )
        message = f"{one.system} {_said(code)}: {gauge.text}."
    return Verdict(
        code=code, message=message, next=_NEXT[code], gravity=_GRAVITY[code], gauge=gauge
    )


def _said(code: str) -> str:
    if code == "cannot_tell":
        return "may or may not be as good as a person"
    return f"is {_SHORT[code]}"


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
        message = f"{only.message}{people}"
        return Verdict(code=only.code, message=message, next=only.next, gravity=only.gravity,
                       gauge=only.gauge)  # fmt: skip
    by_code = {code: [name for name, one in every.items() if one.code == code] for code in _GRAVITY}
    told = [f"{_SHORT[code]}: {listed(names)}." for code, names in by_code.items() if names]
    first = next(code for code, names in by_code.items() if names)
    message = " ".join(one[:1].upper() + one[1:] for one in told)
    return Verdict(code=first, message=message + people, next=_NEXT[first], gravity=_GRAVITY[first])


def sweep_verdict(result: SweepResult) -> Verdict:
    """Say which setting is best, and whether its lead may be luck."""
    best = result.best
    value = best.values[result.sort_by]
    if math.isnan(value.value):
        return Verdict(code="undefined", message=f"{result.measure.title} is undefined for every "
                       "setting.", gravity="problem")  # fmt: skip
    title = result.measure.title
    gauge = Gauge.of(title, value.value, value.interval)
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
        return Verdict(code="best_setting", message=f"{message} It is ahead of {second} by {lead}.",
                       next="Check it on items that were not used to choose it.", gravity="good",
                       gauge=gauge)  # fmt: skip
    return Verdict(
        code="best_setting_unsure",
        message=f"{message} Its lead over {second} may be luck: {lead}.",
        next="Take the cheaper of the two, or rate more items.",
        gauge=gauge,
    )
