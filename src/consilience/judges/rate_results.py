"""What comes out of correcting a judge's rate, as plain data and as something to read."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from consilience.core.interval import Interval
from consilience.core.result import Defined, Result, Several
from consilience.core.verdict import Gauge, Verdict
from consilience.core.words import counted, number, percent
from consilience.document import Cell, Document, Finding, Range, Recorded, Table
from consilience.judges.people_and_systems import who_line
from consilience.judges.two_phase import Limits

TITLES = {
    "double-sampling": "double sampling (Tenenbein 1970)",
    "ppi": "prediction-powered inference (Angelopoulos et al. 2023)",
    "ppi++": "prediction-powered inference, tuned (PPI++)",
    "rogan-gladen": "Rogan and Gladen (1978), interval of Lee et al. (2025)",
    "confusion": "the judge's confusion of labels, turned round",
    "people": "people's labels alone",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Rate(Recorded):
    """A rate or mean with its error and limits.

    Attributes
    ----------
    value, standard_error : float
    interval : Interval
    method : str
    """

    value: float
    standard_error: float
    interval: Interval
    method: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _Corrected(Recorded, Defined):
    """A value with limits at any level."""

    value: float
    standard_error: float
    method: str
    confidence_level: float = 0.95
    findings: tuple[Finding, ...] = ()
    _limits: Limits | None = field(default=None, repr=False, compare=False)

    def _interval(self, level: float) -> Interval:
        low, high = self._limits(level) if self._limits else (math.nan, math.nan)
        return Interval(low, high, level, self.method)

    @property
    def shown_interval(self) -> Interval:
        """The interval at the level that was asked for."""
        return self.confidence_interval(self.confidence_level)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedRate(_Corrected):
    """The rate that people would give, from a judge's verdicts and some people's labels.

    Attributes
    ----------
    value, standard_error : float
    label : object
        The label whose rate it is; None for a mean score.
    judge : object
    people : tuple
        Who gave the labels; empty where a gold standard did.
    apparent : float
        What the judge says.
    people_alone : Rate or None
        The same from people's labels alone.
    method : str
        How it was made: "double-sampling", "ppi", "ppi++", "rogan-gladen" or "people".
    n_verdicts, n_labels, n_refused : int
        Items with a verdict, those of them with a label, and those on which the judge refused.
    n_clusters : int or None
    saved : float
        Share of the labels that the judge saves: people alone would need 1 / (1 - saved) times as
        many for the same certainty.
    sensitivity, specificity : float or None
        How often the judge says yes where people do, and no where they do not.
    strata : tuple of (name, items, labels, judge says, Rate)
        The same in each stratum.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("confidence_level", "about", "findings", "_limits")
    renamed: ClassVar[Mapping[str, str]] = {
        "n_verdicts": "verdicts",
        "n_labels": "labels",
        "n_refused": "refused",
        "n_clusters": "clusters",
    }

    label: object
    judge: object
    people: tuple[object, ...]
    apparent: float
    people_alone: Rate | None
    n_verdicts: int
    n_labels: int
    n_refused: int = 0
    n_clusters: int | None = None
    saved: float = math.nan
    sensitivity: float | None = None
    specificity: float | None = None
    strata: tuple[tuple[object, int, int, float, Rate], ...] = ()
    about: Mapping[str, float] = field(default_factory=dict)

    @property
    def is_rate(self) -> bool:
        """Whether it is a share and no mean score."""
        return self.label is not None

    @property
    def name(self) -> str:
        """What the number is."""
        return f"rate of {self.label!s}" if self.is_rate else "mean score"

    @property
    def verdict(self) -> Verdict:
        """What the judge says, what people would say, and what to do."""
        interval = self.shown_interval
        gauge = Gauge.of(self.name, self.value, interval, marks=((self.apparent, "judge says"),),
                         axis=(0.0, 1.0) if self.is_rate else (self.value, self.value))  # fmt: skip
        told = _told(self.value, interval, self.is_rate)
        says = _one(self.apparent, self.is_rate)
        inside = interval.low <= self.apparent <= interval.high
        wrong = "The judge's own number is compatible with that." if inside else (
            f"The judge's own number is {'too high' if self.apparent > self.value else 'too low'}."
        )  # fmt: skip
        if self.is_rate:
            message = (
                f"{self.judge!s} says {self.label!s} in {says} of cases; people would in {told}. "
                f"{wrong}"
            )
        else:
            message = f"{self.judge!s} gives {says} on average; people would give {told}. {wrong}"
        if self.method == "people":
            message = f"People say {told} ({self.name}). The judge does not make it any surer."
        return Verdict(
            code="rate_as_judged" if inside else "rate_corrected",
            message=message,
            next="Report the corrected number with its interval, and the number of people's "
            "labels.",
            gravity="good" if inside else "caution",
            gauge=gauge,
            says=("judge_rate_biased",),
        )

    def _beside(self) -> dict[str, Any]:
        names = ("stratum", "verdicts", "labels", "apparent")
        return headed(
            self,
            "corrected_rate" if self.is_rate else "corrected_mean",
            self.name,
            strata=[
                dict(zip(names, known, strict=True)) | rate.to_dict()
                for *known, rate in self.strata
            ],
        )

    def document(self) -> Document:
        """Return the verdict and the numbers behind it."""
        return Document.of(
            who_line(self.people or ("gold",), (self.judge,), ()),
            self._sizes(),
            self._table(),
            Table.of(
                self.strata,
                "stratum: 0!s",
                "verdicts: 1",
                "labels: 2",
                "judge says: 3",
                "corrected: 4.value",
                "interval: 4.interval",
                caption="By stratum",
            ),
            findings=self.findings,
            verdict=self.verdict,
        )

    def _sizes(self) -> str:
        text = f"{counted(self.n_verdicts, 'verdict')}, {counted(self.n_labels, 'label')} by people"
        if self.n_clusters is not None:
            text += f", {counted(self.n_clusters, 'cluster')}"
        if self.n_refused:
            text += f"; {self.n_refused:,} refused or unparsable, counted as not {self.label!s}"
        return f"{text}. Method: {TITLES[self.method]}."

    def _table(self) -> Table:
        rows: list[list[Cell]] = [["judge says", self.apparent, None, self.n_verdicts]]
        if self.people_alone is not None and self.method != "people":
            alone = self.people_alone
            rows.append(["people alone", alone.value, Range.of(alone.interval), self.n_labels])
        rows.append(["corrected", self.value, Range.of(self.shown_interval), self.n_verdicts])
        notes = []
        if self.sensitivity is not None and self.specificity is not None:
            notes.append(
                f"Where people say {self.label!s}, the judge does in {self.sensitivity:.1%}; where "
                f"they do not, it says so in {self.specificity:.1%}."
            )
        if math.isfinite(self.saved) and self.method != "people":
            notes.append(f"The judge saves {self.saved:.0%} of the labels.")
        head = f"{percent(self.confidence_level)} interval"
        return Table(heads=("", self.name, head, "items"), rows=rows, note=" ".join(notes))


@dataclass(frozen=True, slots=True, kw_only=True)
class RateDifference(_Corrected):
    """The difference of two systems' corrected rates, judged by one judge.

    Attributes
    ----------
    value, standard_error, p_value : float
    systems : tuple
        The first minus the second.
    rates : tuple of CorrectedRate
    apparent : float
        The difference by the judge alone.
    correlation : float
        Of the two rates, which share prompts where `clusters` say so.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("confidence_level", "findings", "_limits")

    systems: tuple[object, object]
    rates: tuple[CorrectedRate, CorrectedRate]
    apparent: float
    correlation: float

    @property
    def name(self) -> str:
        """What the number is."""
        return f"{self.systems[0]!s} minus {self.systems[1]!s}"

    @property
    def verdict(self) -> Verdict:
        """Which of the two is ahead, if that can be told."""
        first, second = self.systems
        interval = self.shown_interval
        gauge = Gauge.of(
            self.name,
            self.value,
            interval,
            marks=((0.0, "equal"), (self.apparent, "judge says")),
            axis=(-0.1, 0.1),
        )
        told = _told(self.value, interval, True, sign=True)
        ahead = interval.low > 0.0 or interval.high < 0.0
        if ahead:
            best, other = (first, second) if self.value > 0 else (second, first)
            message = f"{best!s} is ahead of {other!s}: {told} by people's standard."
        else:
            message = f"Which one is ahead cannot be told: {self.name} is {told}."
        message += f" The judge alone says {_one(self.apparent, True, sign=True)}."
        return Verdict(
            code="ahead" if ahead else "not_told_apart",
            message=message,
            next="Report the corrected difference."
            if ahead
            else "More labels by people would settle it; 'consilience panel --buy' says how many.",
            gravity="good" if ahead else "caution",
            gauge=gauge,
        )

    def _beside(self) -> dict[str, Any]:
        return headed(self, "rate_difference", self.name)

    def document(self) -> Document:
        """Return the difference above the two rates."""
        both = Range.of(self.shown_interval)
        table = Table.of(
            zip(self.systems, self.rates, strict=True),
            "system: 0!s",
            "verdicts: 1.n_verdicts",
            "labels: 1.n_labels",
            "judge says: 1.apparent",
            "corrected: 1.value",
            ("interval", lambda pair: pair[1].confidence_interval(self.confidence_level)),
            below=[["difference", None, None, self.apparent, self.value, both]],
            caption=self.rates[0].name,
        )
        return Document.of(table, findings=self.findings, verdict=self.verdict)


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedShares(Recorded, Several):
    """The share of every label that people would give.

    Attributes
    ----------
    labels : tuple
    shares : tuple of Rate
    apparent : tuple of float
        What the judge says.
    confusion : array
        Right label x verdict: how often the judge gives each verdict.
    """

    unrecorded: ClassVar[tuple[str, ...]] = ("labels", "shares", "apparent", "findings")
    renamed: ClassVar[Mapping[str, str]] = {"n_verdicts": "verdicts", "n_labels": "labels"}

    labels: tuple[object, ...]
    shares: tuple[Rate, ...]
    apparent: tuple[float, ...]
    confusion: tuple[tuple[int, ...], ...]
    judge: object
    people: tuple[object, ...]
    method: str
    n_verdicts: int
    n_labels: int
    findings: tuple[Finding, ...] = ()

    @property
    def verdict(self) -> Verdict:
        """The label on which the judge is farthest off."""
        off = [one.value - a for one, a in zip(self.shares, self.apparent, strict=True)]
        k = max(range(len(off)), key=lambda j: abs(off[j]))
        share = self.shares[k]
        told = _told(share.value, share.interval, True)
        return Verdict(
            code="shares_corrected",
            message=f"The judge is farthest off on {self.labels[k]!s}: it says "
            f"{_one(self.apparent[k], True)}, people would say {told}.",
            next="Report the corrected shares with their intervals.",
            gravity="caution",
        )

    def _rows(self) -> list[tuple[object, Rate, float]]:
        return list(zip(self.labels, self.shares, self.apparent, strict=True))

    def _beside(self) -> dict[str, Any]:
        return {
            "estimates": [
                {
                    "coefficient": "corrected_share",
                    "name": f"share of {label!s}",
                    "label": label,
                    "status": "ok",
                    "reason": None,
                    "apparent": apparent,
                    **one.to_dict(),
                }
                for label, one, apparent in self._rows()
            ]
        }

    def document(self) -> Document:
        """Return the shares, and the judge's verdicts by right label."""
        names = [str(label) for label in self.labels]
        text = f"{counted(self.n_verdicts, 'verdict')}, {counted(self.n_labels, 'label')} by people"
        return Document.of(
            who_line(self.people or ("gold",), (self.judge,), ()),
            f"{text}. Method: {TITLES[self.method]}.",
            Table.of(
                self._rows(),
                "label: 0!s",
                "judge says: 2",
                "corrected: 1.value",
                "interval: 1.interval",
            ),
            Table.of(
                zip(names, self.confusion, strict=True),
                "people: 0",
                (names, "1"),
                caption="The judge's verdicts by people's label",
                detail=True,
                whole=True,
            ),
            findings=self.findings,
            verdict=self.verdict,
        )


def headed(result: Result, coefficient: str, name: str, **more: Any) -> dict[str, Any]:
    """Return the keys that the record of every judged value begins with."""
    level = result.confidence_level  # type: ignore[attr-defined]
    return {
        "coefficient": coefficient,
        "name": name,
        **{key: getattr(result, key) for key in ("value", "status", "reason", "standard_error")},
        "interval": result.confidence_interval(level),
        **more,
    }


def _one(value: float, is_rate: bool, *, sign: bool = False) -> str:
    if not is_rate:
        return number(value, 2)
    return f"{100 * value:+.1f} points" if sign else f"{100 * value:.1f}%"


def _told(value: float, interval: Interval, is_rate: bool, *, sign: bool = False) -> str:
    """Write a value with its interval, shares as percentages."""
    level = percent(interval.confidence_level)
    if sign:
        ends = f"{100 * interval.low:+.1f} to {100 * interval.high:+.1f}"
    elif is_rate:
        ends = f"{100 * interval.low:.1f}% to {100 * interval.high:.1f}%"
    else:
        ends = f"{number(interval.low, 2)} to {number(interval.high, 2)}"
    return f"{_one(value, is_rate, sign=sign)} ({level} CI {ends})"
