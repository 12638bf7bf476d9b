"""The answer in a sentence: a value and its interval against the thresholds that people quote.

It is the interval that is judged, never the value alone: what lies inside it cannot be ruled out.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from consilience.core.words import counted, listed, number, percent

TENTATIVE, FIRM = 0.667, 0.8  # Krippendorff (2004, p. 241), quoted for kappa and pi alike
THRESHOLDS = (TENTATIVE, FIRM)
MARKS = ((0.0, "chance"), (TENTATIVE, "tentative"), (FIRM, "firm"))
Gravity = Literal["problem", "caution", "good"]
_GRAVITIES: tuple[Gravity, ...] = ("problem", "caution", "good")
_MOST_NAMED = 40  # of several results that share a verdict; the record has all of them
_MORE = "'consilience plan' says how many."


class Limits(Protocol):
    """An interval, of whatever kind."""

    @property
    def low(self) -> float:
        """The lower limit."""

    @property
    def high(self) -> float:
        """The upper limit."""

    @property
    def confidence_level(self) -> float:
        """How often such an interval covers the true value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gauge:
    """One number and its interval, to be drawn against labelled marks."""

    name: str
    value: float
    low: float = math.nan
    high: float = math.nan
    confidence_level: float = 0.95
    marks: tuple[tuple[float, str], ...] = MARKS
    axis: tuple[float, float] = (0.0, 1.0)

    @classmethod
    def of(cls, name: str, value: float, interval: Limits | None, **how: Any) -> Gauge:
        """Return the gauge of a value and its interval, if it has one."""
        if interval is None:
            return cls(name=name, value=value, **how)
        level = interval.confidence_level
        return cls(
            name=name,
            value=value,
            low=interval.low,
            high=interval.high,
            confidence_level=level,
            **how,
        )

    @property
    def has_limits(self) -> bool:
        """Whether there is an interval to draw."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def ends(self) -> tuple[float, float]:
        """The ends of the axis: as asked for, and further, in tenths, where the numbers are."""
        known = [x for x in (self.value, self.low, self.high) if math.isfinite(x)]
        low, high = self.axis
        if known and min(known) < low:
            low = math.floor(10.0 * min(known)) / 10.0
        if known and max(known) > high:
            high = math.ceil(10.0 * max(known)) / 10.0
        return low, high

    @property
    def text(self) -> str:
        """The number with its interval, as it stands in a sentence."""
        digits = self._digits()
        shown = f"{self.name} {number(self.value, digits)}"
        if not self.has_limits:
            return shown
        low, high = number(self.low, digits), number(self.high, digits)
        return f"{shown} ({percent(self.confidence_level)} CI {low} to {high})"

    def _digits(self) -> int:
        """Return two digits, or three where rounding would move a number across a mark."""
        for x in (self.value, self.low, self.high):
            for mark, _ in self.marks:
                if math.isfinite(x) and (round(x, 2) >= mark) != (x >= mark):
                    return 3
        return 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What a result comes to, in a sentence, and what to do next.

    Attributes
    ----------
    code : str
        "no_better_than_chance", "clearly_low", "straddles_threshold", "tentative",
        "clearly_high", "perfect", "too_few_items", "no_interval", "no_threshold", "undefined",
        and those of comparisons.
    message, next : str
        The verdict, and what to do now.
    gravity : {"problem", "caution", "good"}
    gauge : Gauge or None
        The number behind it.
    about : dict
        Further entries of the record.
    says : tuple of str
        Codes of findings that say the same; default its own.
    cannot : str
        The end of the message, where it says that the sample cannot settle it.
    claim : str
        The part of `next` that holds whatever the cause is.
    """

    code: str
    message: str
    next: str = ""
    gravity: Gravity = "caution"
    gauge: Gauge | None = None
    about: Mapping[str, Any] = field(default_factory=dict)
    says: tuple[str, ...] = ()
    cannot: str = ""
    claim: str = ""

    def repeats(self, code: str) -> bool:
        """Tell whether a finding with such a code says what the verdict says."""
        return code in (self.says or (self.code,))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        return {"code": self.code, "message": self.message, "next": self.next, **self.about}

    @property
    def sentence(self) -> str:
        """The verdict and what to do next."""
        return f"{self.message} {self.next}".rstrip()


def verdict_on(
    name: str,
    value: float,
    interval: Limits | None,
    *,
    sample: str = "",
    reason: str | None = None,
    too_few: str = "",
    no_interval: str = "without an interval: how sure that is cannot be told",
    more: str = f"Rate more items; {_MORE}",
) -> Verdict:
    """Judge a coefficient that corrects for chance by its interval.

    Parameters
    ----------
    name : str
    value : float
    interval : Interval or None
    sample : str
        What the value rests on, such as "12 items".
    reason : str, optional
        Why the value is undefined, if it is.
    too_few : str
        What is too little for an interval to be relied on, if it is.
    no_interval : str
        Why there is no interval, where there is none.
    more : str
        How to learn more.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> from consilience.core.interval import Interval
    >>> print(verdict_on("alpha", 0.24, Interval(0.11, 0.38, 0.95, "auto")).message)
    Clearly too low: alpha 0.24 (95% CI 0.11 to 0.38).
    """
    if not math.isfinite(value):
        return _undefined(name, reason)
    limits = interval if interval is not None and math.isfinite(interval.low) else None
    gauge = Gauge.of(name, value, limits)
    if value >= 1.0:
        return _perfect(gauge, sample, too_few)
    if limits is None:
        message = f"{gauge.text}, {no_interval}."
        return Verdict(code="no_interval", message=message, next=more, gauge=gauge)
    if too_few:
        return Verdict(
            code="too_few_items",
            message=f"Too little to say: {gauge.text}. {too_few}",
            next=more,
            gauge=gauge,
        )
    return replace(_judged(gauge, sample, more), gauge=gauge)


def unjudged(gauge: Gauge, why: str, then: str = "") -> Verdict:
    """Return a number that no threshold is quoted for, with why.

    Parameters
    ----------
    gauge : Gauge
    why, then : str
        A sentence each: why there is no verdict, what to do.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> unjudged(Gauge(name="F1", value=0.5), "It is no kappa.").message
    'F1 0.50. It is no kappa.'
    """
    bare = replace(gauge, marks=())
    return Verdict(code="no_threshold", message=f"{bare.text}. {why}", next=then, gauge=bare)


def _undefined(name: str, reason: str | None) -> Verdict:
    why = f", because {reason}" if reason else ""
    return Verdict(
        code="undefined",
        message=f"There is no answer: {name} is undefined{why}.",
        next="Check that two raters or more rated the same items, with more than one label.",
        gravity="problem",
    )


def _perfect(gauge: Gauge, sample: str, too_few: str) -> Verdict:
    on = f" on {sample}" if sample else ""
    message = f"Perfect agreement{on}: {gauge.name} 1.00"
    if gauge.has_limits:
        low = number(gauge.low, 2)
        message += f", and with {percent(gauge.confidence_level)} confidence at least {low}"
    return Verdict(
        code="perfect",
        message=f"{message}. {too_few}".rstrip(),
        next="Report the lower limit beside it, and make sure that raters worked independently.",
        gravity="caution" if too_few or not gauge.low >= TENTATIVE else "good",
        gauge=gauge,
    )


def _judged(gauge: Gauge, sample: str, more: str) -> Verdict:
    """Judge an interval that has limits."""
    if gauge.low <= 0.0 and gauge.high < TENTATIVE:
        return _by_chance(gauge, sample)
    if gauge.high < TENTATIVE:
        return Verdict(
            code="clearly_low",
            message=f"Clearly too low: {gauge.text}.",
            next="Do not draw conclusions from these labels yet: sharpen the guidelines where "
            "raters differ, train, and rate again.",
            gravity="problem",
            claim="Do not draw conclusions from these labels yet.",
        )
    if gauge.low < TENTATIVE:
        cannot = f" {sample[:1].upper()}{sample[1:]} cannot settle it." if sample else ""
        claim = f"The interval includes {TENTATIVE:g}, so do not claim to be above or below it."
        return Verdict(
            code="straddles_threshold",
            message=f"Beyond chance, agreement may be anything from {_word(gauge.low)} to "
            f"{_word(gauge.high)}: {gauge.text}.{cannot}",
            next=f"{claim} {more}",
            cannot=cannot,
            claim=claim,
        )
    if gauge.low < FIRM:
        return Verdict(
            code="tentative",
            message=f"Good enough for tentative conclusions: {gauge.text}.",
            next=f"Report it with its interval. For firm conclusions all of the interval should "
            f"lie above {FIRM:g}.",
            gravity="good",
            claim="Report it with its interval.",
        )
    return Verdict(
        code="clearly_high",
        message=f"Clearly above {FIRM:g}: {gauge.text}.",
        next="Report it with its interval.",
        gravity="good",
    )


def _by_chance(gauge: Gauge, sample: str) -> Verdict:
    as_far = f", as far as {sample} can show" if sample else ""
    message = f"No better than chance{as_far}: {gauge.text}."
    if gauge.high < 0.0:
        message = f"Worse than chance: {gauge.text}. Raters contradict each other."
    return Verdict(
        code="no_better_than_chance",
        message=message,
        next="Do not use these labels. Check that raters saw the same items and understood the "
        "labels alike, then train and rate again.",
        gravity="problem",
        claim="Do not use these labels.",
    )


def _word(limit: float) -> str:
    """Return the word for one end of an interval."""
    if limit <= 0.0:
        return "none"
    return "poor" if limit < TENTATIVE else "fair" if limit < FIRM else "good"


SHORT = {
    "no_better_than_chance": "no better than chance",
    "clearly_low": f"clearly too low (below {TENTATIVE:g})",
    "undefined": "undefined",
    "not_measured": "not measured",
    "too_few_items": "too few items to say",
    "straddles_threshold": f"too uncertain (the interval includes {TENTATIVE:g})",
    "no_interval": "without an interval",
    "scale_undecided": "undecided, as labels may be names or numbers",
    "no_threshold": "without a usual threshold",
    "tentative": "good enough for tentative conclusions",
    "clearly_high": f"clearly above {FIRM:g}",
    "perfect": "perfect",
}
_BELOW = ("no_better_than_chance", "clearly_low")


def verdict_on_several(verdicts: Mapping[str, Verdict | None], what: str = "group") -> Verdict:
    """Put verdicts on several results together: the gravest first, each by name.

    Parameters
    ----------
    verdicts : mapping from a name to its Verdict; None where nothing could be measured
    what : str
        What the names are, in the singular.

    Returns
    -------
    Verdict

    Examples
    --------
    >>> from consilience.core.interval import Interval
    >>> low = verdict_on("alpha", 0.24, Interval(0.11, 0.38, 0.95, "auto"))
    >>> high = verdict_on("alpha", 0.9, Interval(0.85, 0.95, 0.95, "auto"))
    >>> print(verdict_on_several({"tone": low, "topic": high}, "variable").message)
    1 of 2 variables is clearly too low (below 0.667): tone. Clearly above 0.8: topic.
    """
    by_code: dict[str, list[str]] = {}
    for name, one in verdicts.items():
        by_code.setdefault("not_measured" if one is None else one.code, []).append(name)
    codes = [
        *(code for code in SHORT if code in by_code),
        *(code for code in by_code if code not in SHORT),
    ]
    told = [_told(code, by_code[code]) for code in codes]
    first = by_code[codes[0]]
    verb = "is" if len(first) == 1 else "are"
    every = f"{len(first)} of {counted(len(verdicts), what)} {verb} {told[0]}"
    if len(first) == len(verdicts) > 1:
        every = f"All {counted(len(verdicts), what)} are {told[0]}"
    known = [one for one in verdicts.values() if one is not None]
    gravest = next((one for one in known if one.code == codes[0]), None)
    return Verdict(
        code=codes[0],
        message=" ".join([f"{every}.", *(f"{one[:1].upper()}{one[1:]}." for one in told[1:])]),
        next="" if gravest is None else _of_some(gravest, first, len(verdicts)),
        gravity=_gravest(known) if known else "problem",
        about={"below": [name for code in _BELOW for name in by_code.get(code, ())]},
        says=tuple(codes),
    )


def _of_some(verdict: Verdict, names: Sequence[str], n: int) -> str:
    """Return what to do next; what holds for some of several says for which."""
    if len(names) == n and (n == 1 or len(verdict.says) < 2):
        return verdict.next
    # A cause is that of the first.
    whose = names[0] if len(verdict.says) > 1 else listed(names)
    return f"{whose}: {verdict.next}" if verdict.next else ""


def _told(code: str, names: Sequence[str]) -> str:
    return f"{SHORT.get(code, code)}: {listed(names, _MOST_NAMED)}"


def _gravest(verdicts: Iterable[Verdict]) -> Gravity:
    return min((one.gravity for one in verdicts), key=_GRAVITIES.index)
