"""The rate behind a judge's verdicts: what people would say, from their labels of some items."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal, get_args

import numpy as np

from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, Ints
from consilience.core.interval import Interval, check_confidence_level
from consilience.core.labels import is_missing
from consilience.core.result import Defined, Result, Several
from consilience.core.verdict import Gauge, Verdict
from consilience.core.words import counted, number, percent
from consilience.document import Document, Finding, Range, Table
from consilience.document.blocks import Cell, found
from consilience.document.records import Recorded
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.influence import clustered_variance
from consilience.judges.people_and_systems import who_line
from consilience.judges.rate_estimators import (
    RATE,
    SCORE,
    Fitted,
    Limits,
    TwoPhase,
    added,
    check_labels,
    confusion_shares,
    degrees_of_freedom,
    double_sampling,
    effective_answers,
    people_alone,
    prediction_powered,
    rogan_gladen_fit,
    rogan_gladen_of,
    share_limits,
    t_limits,
)
from consilience.judges.verdicts import REFUSED, Verdicts, first_occasion, verdicts_of
from consilience.ratings.duplicates import need_one_occasion
from consilience.ratings.rating_tables import per_item

# ---- What comes out of correcting a judge's rate, as plain data and as something to read.

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
        gauge = Gauge.of(
            self.name,
            self.value,
            interval,
            marks=((self.apparent, "judge says"),),
            axis=(0.0, 1.0) if self.is_rate else (self.value, self.value),
        )
        told = _told(self.value, interval, self.is_rate)
        says = _one(self.apparent, self.is_rate)
        inside = interval.low <= self.apparent <= interval.high
        how = "too high" if self.apparent > self.value else "too low"
        wrong = f"The judge's own number is {'compatible with that' if inside else how}."
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
            else "More labels by people would settle it; 'consilience rate --buy' says how many.",
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


# ---- One rate or mean score, as a whole or by strata.

Method = Literal["auto", "double-sampling", "ppi", "ppi++", "rogan-gladen", "people"]
METHODS: tuple[str, ...] = get_args(Method)
_HARDLY = 0.02  # a judge that saves a smaller share of the labels does not help
_FEW = 30


def corrected_rate(
    ratings: Any,
    label: object,
    *,
    judge: Any = None,
    people: Any = None,
    gold: Any = None,
    method: Method = "auto",
    strata: Any = None,
    weights: Any = None,
    clusters: Any = None,
    refusals: Any = (),
    confidence_level: float = 0.95,
) -> CorrectedRate:
    """Say how often people would give a label, from a judge's verdicts and some people's labels.

    Use it where a model has judged everything and people a random part of it. Where the labelled
    items were chosen by their right label, or come from another study, take
    ``method="rogan-gladen"``.

    Parameters
    ----------
    ratings : Ratings
        Of the judge on all items and of people on some.
    label : object
        The label whose rate is wanted, such as "pass".
    judge, people : names of raters, or patterns such as "gpt*"
        Of several people on an item the share counts that gave the label.
    gold : name of a rater, or one label per item
        The right labels, instead of people's.
    method : {"auto", "double-sampling", "ppi", "ppi++", "rogan-gladen", "people"}
        "auto" is double sampling, or people alone where the judge does not help.
    strata : one entry per item, optional
        Rates in each stratum, and their mean by the numbers of verdicts.
    weights : one number per item, optional
        One over the probability with which an item was picked for a label.
    clusters : one entry per item, optional
        Items that belong together, such as several answers to a prompt.
    refusals : labels that mean refused or unparsable
        A refusal is not the label; it is a kind of verdict of its own where enough were labelled.
    confidence_level : float, default 0.95

    Returns
    -------
    CorrectedRate

    Examples
    --------
    >>> from consilience import Ratings
    >>> verdicts = ["pass"] * 300 + ["fail"] * 100
    >>> labels = (["pass"] * 40 + ["fail"] * 20 + [None] * 240 + ["fail"] * 18 + ["pass"] * 2
    ...           + [None] * 80)
    >>> both = Ratings.from_wide({"gpt-4o": verdicts, "Ann": labels})
    >>> found = corrected_rate(both, "pass", judge="gpt-4o")
    >>> round(found.apparent, 3), round(found.value, 3)
    (0.75, 0.525)
    """
    check_confidence_level(confidence_level)
    check_word("method", method, METHODS)
    table = verdicts_of(
        ratings, judges=judge, people=people, gold=gold, refusals=refusals, clusters=clusters
    )
    sample = table.of_label(label, weight=weights)
    return corrected_of(
        table,
        sample,
        table.labels[table.label(label)],
        method=method,
        strata=strata,
        level=confidence_level,
    )


def corrected_mean(
    ratings: Any,
    *,
    judge: Any = None,
    people: Any = None,
    gold: Any = None,
    method: Literal["auto", "ppi", "ppi++", "people"] = "auto",
    strata: Any = None,
    weights: Any = None,
    clusters: Any = None,
    refusals: Any = (),
    confidence_level: float = 0.95,
) -> CorrectedRate:
    """Say which mean score people would give, from a judge's scores and some people's.

    Use it for scores; for labels take `corrected_rate`.

    Parameters
    ----------
    ratings : Ratings
        Of the judge on all items and of people on some; labels are numbers.
    judge, people, gold, strata, weights, clusters, refusals
        As for `corrected_rate`.
    method : {"auto", "ppi", "ppi++", "people"}
        "auto" is PPI++.
    confidence_level : float, default 0.95

    Returns
    -------
    CorrectedRate

    Examples
    --------
    >>> from consilience import Ratings
    >>> scores = [1, 2, 3, 4, 5] * 20
    >>> own = [max(score - 1, 1) if k % 5 < 4 else 5 for k, score in enumerate(scores)]
    >>> own = [x if k < 40 else None for k, x in enumerate(own)]
    >>> both = Ratings.from_wide({"gpt-4o": scores, "Ann": own}, scale="interval")
    >>> found = corrected_mean(both, judge="gpt-4o")
    >>> round(found.apparent, 2), round(found.value, 2)
    (3.0, 2.4)
    """
    check_confidence_level(confidence_level)
    check_word("method", method, ("auto", "ppi", "ppi++", "people"))
    table = verdicts_of(
        ratings, judges=judge, people=people, gold=gold, refusals=refusals, clusters=clusters
    )
    sample = table.of_scores(weight=weights)
    return corrected_of(table, sample, None, method=method, strata=strata, level=confidence_level)


def fitted(sample: TwoPhase, method: str) -> Fitted:
    """Apply one method to a sample; "auto" takes the judge's help only where it is one."""
    if method == "people":
        return people_alone(sample)
    if method in ("ppi", "ppi++"):
        return prediction_powered(sample, tuned=method == "ppi++")
    if method == "rogan-gladen":
        return rogan_gladen_of(sample)
    if method == "double-sampling":
        return double_sampling(sample)
    alone = people_alone(sample)
    helped = double_sampling(sample) if sample.is_rate else prediction_powered(sample, tuned=True)
    return helped if _saved(helped, alone, sample) >= _HARDLY else alone


def _saved(one: Fitted, alone: Fitted, sample: TwoPhase) -> float:
    """Return the share of labels that the judge saves at the same certainty."""
    if "effective" in one.about and "effective" in alone.about:
        return 1.0 - alone.about["effective"] / one.about["effective"]
    if not alone.standard_error > 0.0:
        return 0.0
    return 1.0 - (one.standard_error / alone.standard_error) ** 2


def corrected_of(
    table: Verdicts,
    sample: TwoPhase,
    label: object,
    *,
    method: str,
    level: float,
    strata: Any = None,
) -> CorrectedRate:
    """Correct the rate or mean of one sample, with all that belongs to the answer."""
    check_labels(sample)
    alone = people_alone(sample)
    rows: tuple[tuple[object, int, int, float, Rate], ...] = ()
    if strata is None:
        one = fitted(sample, method)
    else:
        one, rows = _stratified(table, sample, method, strata, level)
    refused = int(table.refused[:, 0].sum())
    result = CorrectedRate(
        value=one.value,
        standard_error=one.standard_error,
        label=label,
        judge=table.judges[0],
        people=table.people,
        apparent=sample.apparent,
        people_alone=rate_of(alone, level),
        method=one.method,
        n_verdicts=sample.n_items,
        n_labels=sample.n_labels,
        n_refused=refused,
        n_clusters=None if sample.cluster is None else int(np.unique(sample.cluster).size),
        saved=_saved(one, alone, sample),
        strata=rows,
        confidence_level=level,
        about=one.about,
        _limits=one.limits,
        sensitivity=_judged(sample, yes=True) if sample.is_rate else None,
        specificity=_judged(sample, yes=False) if sample.is_rate else None,
    )
    return replace(result, findings=_findings(result, table))


def _judged(sample: TwoPhase, *, yes: bool) -> float | None:
    """Return how often the judge is right where people say yes, or no; None without such items."""
    lab = sample.labelled
    right, said = (sample.truth[lab] >= 0.5) == yes, (sample.predicted[lab] >= 0.5) == yes
    w = sample.label_weight
    total = float(w[right].sum())
    return float(w[right & said].sum()) / total if total else None


def rate_of(one: Fitted, level: float) -> Rate:
    """Return a fitted value with its interval."""
    low, high = one.limits(level)
    return Rate(
        value=one.value,
        standard_error=one.standard_error,
        interval=Interval(low, high, level, one.method),
        method=one.method,
    )


def _stratified(
    table: Verdicts, sample: TwoPhase, method: str, strata: Any, level: float
) -> tuple[Fitted, tuple[tuple[object, int, int, float, Rate], ...]]:
    """Return the mean of the strata's rates by their numbers of verdicts, and each of them."""
    listed = np.array([str(x) for x in per_item(table.ratings, strata, "strata")], dtype=object)
    own = listed[table.asked(0)] if sample.is_rate else listed[table.codes[:, 0] >= 0]
    influence = np.zeros(sample.n_items)
    value, variance, parts, rows = 0.0, 0.0, [], []
    for name in dict.fromkeys(own.tolist()):
        kept = own == name
        part = sample.of_items(kept)
        if part.n_labels < 2:
            raise UnsupportedDesignError.needs(
                "rates by stratum",
                "two labels or more by people in each",
                f"{part.n_labels} in {name}",
                "label more of it, or take strata together",
            )
        one = fitted(part, method)
        share = part.n_items / sample.n_items
        value += share * one.value
        variance += share**2 * one.standard_error**2
        if one.influence.size:
            influence[kept] = share * one.influence
        parts.append((share, one))
        rows.append((name, part.n_items, part.n_labels, part.apparent, rate_of(one, level)))
    methods = [one.method for _, one in parts]
    helped = [name for name in methods if name != "people"]
    if sample.cluster is not None:
        variance = max(variance, clustered_variance(influence, sample.cluster))
    df = degrees_of_freedom(sample) if sample.cluster is not None else None
    own_n = 1.0 / float(sample.label_weight @ sample.label_weight)
    effective = effective_answers(value, variance, own_n)
    if sample.is_rate:
        limits = share_limits(value, effective, df)
    else:
        limits = t_limits(value, math.sqrt(variance), degrees_of_freedom(sample), **SCORE)
    whole = added([(share, one.shares) for share, one in parts])
    if sample.is_rate and whole is not None and set(methods) <= {"double-sampling", "people"}:
        limits = whole.limits
    about = {"effective": effective} if sample.is_rate else {}
    name = helped[0] if helped else "people"
    return Fitted(value, math.sqrt(variance), limits, name, influence, about), tuple(rows)


def _findings(result: CorrectedRate, table: Verdicts) -> tuple[Finding, ...]:
    low, high = result.shown_interval
    unseen = int(((table.votes.sum(axis=1) > 0) & ~table.asked(0)).sum())
    return found(
        (
            not low <= result.apparent <= high,
            "judge_rate_biased",
            "caution",
            f"The own {result.name} of {result.judge!s} ({result.apparent:.3f}) lies outside the "
            f"interval of the corrected one ({low:.3f} to {high:.3f}).",
            "Do not report the judge's number by itself.",
            {"apparent": result.apparent, "corrected": result.value},
        ),
        (
            result.method == "people",
            "judge_does_not_help",
            "info",
            "The judge's verdicts make the number no surer than people's labels alone, so these "
            "were used.",
            "Improve the judge, or save its costs.",
        ),
        (
            result.n_labels < _FEW,
            "few_labels",
            "caution",
            f"{result.n_labels} labels by people are few: the interval rests on them.",
            "Buy more; 'consilience rate --buy' says how many.",
        ),
        first_occasion(table),
        (
            unseen,
            "labels_without_verdict",
            "info",
            f"{unseen:,} items that people labelled have no verdict of {result.judge!s}, and were "
            "left out.",
        ),
    )


# ---- from numbers alone


def rogan_gladen(
    apparent: float,
    *,
    sensitivity: float,
    specificity: float,
    n_verdicts: int,
    n_positive: int,
    n_negative: int,
    confidence_level: float = 0.95,
) -> CorrectedRate:
    """Correct a rate by a judge's known sensitivity and specificity.

    Use it where only these numbers are known; with the verdicts themselves take `corrected_rate`.

    Parameters
    ----------
    apparent : float
        The share of items to which the judge gives the label.
    sensitivity, specificity : float
        The share of right verdicts among items that have the label, and among the others.
    n_verdicts, n_positive, n_negative : int
        How many items each of the three shares rests on.
    confidence_level : float, default 0.95

    Returns
    -------
    CorrectedRate

    Raises
    ------
    UnsupportedDesignError
        Sensitivity and specificity add up to 1 or less: the judge says nothing.

    Notes
    -----
    rate = (apparent + specificity - 1) / (sensitivity + specificity - 1), Rogan and Gladen (1978);
    the interval is that of Lee et al. (2025).

    Examples
    --------
    >>> found = rogan_gladen(0.4, sensitivity=0.9, specificity=0.7, n_verdicts=1000,
    ...                      n_positive=200, n_negative=200)
    >>> print(f"{found.value:.4f}", found.confidence_interval())
    0.1667 Interval(0.0564, 0.2627, confidence_level=0.95, method='rogan-gladen')
    """
    one = rogan_gladen_fit(
        apparent,
        sensitivity,
        specificity,
        n_verdicts=n_verdicts,
        n_positive=n_positive,
        n_negative=n_negative,
    )
    return CorrectedRate(
        value=one.value,
        standard_error=one.standard_error,
        label="yes",
        judge="judge",
        people=("people",),
        apparent=apparent,
        people_alone=None,
        method=one.method,
        n_verdicts=n_verdicts,
        n_labels=n_positive + n_negative,
        sensitivity=sensitivity,
        specificity=specificity,
        confidence_level=check_confidence_level(confidence_level),
        _limits=one.limits,
    )


# ---- Two systems whose answers one judge has judged: which is ahead by people's standard.

_NORMAL = {"ppi", "ppi++"}  # methods with normal limits


def rate_difference(
    ratings: Any,
    label: object,
    *,
    system: Any,
    judge: Any = None,
    people: Any = None,
    gold: Any = None,
    method: Literal["auto", "double-sampling", "ppi", "ppi++", "people"] = "auto",
    weights: Any = None,
    clusters: Any = None,
    refusals: Any = (),
    confidence_level: float = 0.95,
) -> RateDifference:
    """Compare two systems whose answers one judge has judged, and people some of them.

    Use it to ask which system is ahead by people's standard. A judge that flatters one of them
    moves its own difference, not this one.

    Parameters
    ----------
    ratings : Ratings
        Items are answers.
    label : object
        The label whose rate is compared, such as "pass".
    system : one entry per item
        Who gave the answer; two different ones.
    judge, people, gold, method, weights, refusals
        As for `corrected_rate`.
    clusters : one entry per item, optional
        The prompt of each answer, where both systems answered the same ones.
    confidence_level : float, default 0.95

    Returns
    -------
    RateDifference
        The first system, in the order of the items, minus the second.

    Examples
    --------
    >>> from consilience import Ratings
    >>> verdicts = ["pass"] * 90 + ["fail"] * 30 + ["pass"] * 60 + ["fail"] * 60
    >>> labels = [v if k % 3 == 0 else None for k, v in enumerate(verdicts)]
    >>> both = Ratings.from_wide({"gpt-4o": verdicts, "Ann": labels})
    >>> found = rate_difference(both, "pass", system=["new"] * 120 + ["old"] * 120, judge="gpt-4o")
    >>> found.systems, round(found.value, 2)
    (('new', 'old'), 0.25)
    """
    check_confidence_level(confidence_level)
    check_word("method", method, ("auto", "double-sampling", "ppi", "ppi++", "people"))
    table = verdicts_of(
        ratings, judges=judge, people=people, gold=gold, refusals=refusals, clusters=clusters
    )
    whole = table.of_label(label, weight=weights)
    given = per_item(table.ratings, system, "system")
    if any(one is None or is_missing(one) for one in given):
        raise InputError.expected("system", "known for every item", "a gap", "fill it in")
    who = np.array([str(one) for one in given], dtype=object)[table.asked(0)]
    names = list(dict.fromkeys(who.tolist()))
    if len(names) != 2:
        raise InputError.expected(
            "system",
            "two different ones",
            f"{len(names)}: {', '.join(names[:4])}",
            "compare two at a time",
        )
    parts = [whole.of_items(who == name) for name in names]
    found = difference_of(parts, method)
    name = table.labels[table.label(label)]
    rates = [
        corrected_of(table, part, name, method=one.method, level=confidence_level)
        for part, one in zip(parts, found.fits, strict=True)
    ]
    return RateDifference(
        value=found.value,
        standard_error=found.standard_error,
        systems=(names[0], names[1]),
        rates=(rates[0], rates[1]),
        apparent=parts[0].apparent - parts[1].apparent,
        correlation=found.correlation,
        method=found.fits[0].method,
        confidence_level=confidence_level,
        _limits=found.limits,
    )


@dataclass(frozen=True)
class Difference:
    """The first rate minus the second, with its error and limits; `fits` are both rates."""

    fits: tuple[Fitted, Fitted]
    value: float
    standard_error: float
    correlation: float
    limits: Limits


def difference_of(parts: Sequence[TwoPhase], method: str) -> Difference:
    """Correct both rates and take their difference; rates that share clusters are correlated."""
    first, second = (fitted(part, method) for part in parts)
    rho = _correlation(parts, (first, second))
    variance = first.standard_error**2 + second.standard_error**2
    variance -= 2.0 * rho * first.standard_error * second.standard_error
    error = math.sqrt(max(variance, 0.0))
    value = first.value - second.value
    limits = difference_limits(first, second, rho)
    if {first.method, second.method} <= _NORMAL:
        # Both are normal, so the difference is; limits of the rates are cut at 0 and 1, these not.
        df = None
        if parts[0].cluster is not None:
            df = min(degrees_of_freedom(part) for part in parts)
        limits = t_limits(value, error, df, lowest=-1.0, highest=1.0)
    return Difference((first, second), value, error, rho, limits)


def _correlation(parts: Sequence[TwoPhase], fits: Sequence[Fitted]) -> float:
    """Return the correlation of two rates that share clusters."""
    a, b = parts
    if a.cluster is None or b.cluster is None:
        return 0.0
    n = int(max(a.cluster.max(), b.cluster.max())) + 1
    sums = [
        np.bincount(cluster, weights=one.influence, minlength=n)
        for cluster, one in zip((a.cluster, b.cluster), fits, strict=True)
    ]
    own = math.sqrt(float(sums[0] @ sums[0]) * float(sums[1] @ sums[1]))
    return float(sums[0] @ sums[1]) / own if own > 0.0 else 0.0


def difference_limits(first: Fitted, second: Fitted, rho: float) -> Limits:
    """Recover variances from the limits of both: Zou and Donner (2008), with their correlation."""

    def reach(down: float, up: float) -> float:
        return math.sqrt(max(down**2 - 2.0 * rho * down * up + up**2, 0.0))

    def limits(level: float) -> tuple[float, float]:
        (l1, u1), (l2, u2) = first.limits(level), second.limits(level)
        d = first.value - second.value
        return d - reach(first.value - l1, u2 - second.value), d + reach(
            second.value - l2, u1 - first.value
        )

    return limits


# ---- The share of every label behind a judge's verdicts.


def corrected_shares(
    ratings: Any,
    *,
    judge: Any = None,
    people: Any = None,
    gold: Any = None,
    method: Literal["auto", "double-sampling", "confusion", "people"] = "auto",
    clusters: Any = None,
    refusals: Any = (),
    confidence_level: float = 0.95,
) -> CorrectedShares:
    """Say how often people would give each label, from a judge's verdicts and some people's labels.

    Use it for more than two labels. "confusion" turns the judge's confusion of labels round, as
    Rogan and Gladen do for two, and holds also where labelled items were chosen by their label.

    Parameters
    ----------
    ratings : Ratings
        Of the judge on all items and of people on some.
    judge, people, gold, clusters, refusals
        As for `corrected_rate`; of several people on an item the most frequent label counts.
    method : {"auto", "double-sampling", "confusion", "people"}
        "auto" is double sampling.
    confidence_level : float, default 0.95

    Returns
    -------
    CorrectedShares

    Examples
    --------
    >>> from consilience import Ratings
    >>> verdicts = ["good"] * 60 + ["fair"] * 60 + ["poor"] * 60
    >>> labels = [("poor" if k % 4 == 0 else v) if k % 2 == 0 else None
    ...           for k, v in enumerate(verdicts)]
    >>> both = Ratings.from_wide({"gpt-4o": verdicts, "Ann": labels})
    >>> found = corrected_shares(both, judge="gpt-4o")
    >>> found.labels
    ('poor', 'fair', 'good')
    >>> [round(one.value, 2) for one in found.shares]
    [0.67, 0.17, 0.17]
    """
    level = check_confidence_level(confidence_level)
    check_word("method", method, ("auto", "double-sampling", "confusion", "people"))
    table = verdicts_of(
        ratings, judges=judge, people=people, gold=gold, refusals=refusals, clusters=clusters
    )
    need_one_occasion("shares of labels", table.ratings)
    asked = table.codes[:, 0] >= 0 if method == "confusion" else table.asked(0)
    truth, state = table.truth[asked], table.codes[asked, 0]
    given = np.unique(np.concatenate([truth[truth >= 0], state[state >= 0]]))
    used = [int(k) for k in given]
    if len(used) < 2:
        raise UnsupportedDesignError.needs(
            "shares of labels", "two labels or more", f"{len(used)}", "look at the file"
        )
    place = np.full(len(table.labels) + 1, -1)
    place[used] = np.arange(len(used))
    truth, state = place[truth], np.where(state >= 0, place[state], len(used))
    cluster = None if table.cluster is None else table.cluster[asked]
    shares = _shares(truth, state, len(used), cluster, method=method, level=level)
    confusion = np.zeros((len(used), len(used)), dtype=np.int64)
    both = (truth >= 0) & (state < len(used))
    np.add.at(confusion, (truth[both], state[both]), 1)
    return CorrectedShares(
        labels=tuple(table.labels[k] for k in used),
        shares=tuple(shares),
        apparent=tuple(float((state == k).mean()) for k in range(len(used))),
        confusion=tuple(tuple(int(x) for x in row) for row in confusion),
        judge=table.judges[0],
        people=table.people,
        method=shares[0].method,
        n_verdicts=int(asked.sum()),
        n_labels=int((truth >= 0).sum()),
    )


def _shares(
    truth: Ints, state: Ints, n: int, cluster: Ints | None, *, method: str, level: float
) -> list[Rate]:
    if method == "confusion":
        p, errors, pulls = confusion_shares(state, truth, n, cluster)
        found = zip(p.tolist(), errors.tolist(), pulls.T, strict=True)
        return [
            rate_of(Fitted(value, error, t_limits(value, error, None, **RATE), method, pull), level)
            for value, error, pull in found
        ]
    how = "double-sampling" if method == "auto" else method
    out = []
    for k in range(n):
        right: Floats = np.where(truth >= 0, truth == k, np.nan)
        kinds = np.where(state == n, REFUSED, state == k).astype(np.int64)
        said = state if how == "double-sampling" else kinds
        sample = TwoPhase(
            (state == k).astype(np.float64), right, np.unique(said, return_inverse=True)[1], cluster
        )
        out.append(rate_of(fitted(sample, how), level))
    return out
