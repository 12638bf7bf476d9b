"""Agreement about labelled spans: pairwise F1 under several rules for a match."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from consilience.document import (
    Document,
    Finding,
    Paragraph,
    Presented,
    Range,
    Table,
    envelope,
    plain,
)
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.inference._intervals import check_confidence_level
from consilience.inference._resample import Seed, check_resamples
from consilience.units._checks import ABSENT, check_word
from consilience.units._sessions import session_interval
from consilience.units._span_sets import Ints, Spans, best_matching, check_spans, overlaps, spans_of
from consilience.units._units import Units

Floats = NDArray[np.float64]
MATCHINGS = ("exact", "boundaries", "overlap", "jaccard", "left", "right", "partial")
LABELS = ("same", "any")
_BOTH_EMPTY = "neither rater marked a span"
_NO_PAIR = "no pair of raters marked a span"
_CLOSE = 1e-12  # how far below the threshold a quotient may come out


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanPair:
    """Two raters: how many spans each has and how many are matched."""

    first: str
    second: str
    n_first: int
    n_second: int
    matched: float
    f1: float
    precision: float
    recall: float
    kappa: float | None
    reason: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        record: dict[str, Any] = plain({k: getattr(self, k) for k in self.__dataclass_fields__})
        return record


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanSummary:
    """F1 over pairs of raters: mean, standard deviation (divided by the number), least."""

    mean: float
    sd: float
    minimum: float
    n_pairs: int
    n_spans: int
    status: str
    reason: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data with stable keys."""
        record: dict[str, Any] = plain({k: getattr(self, k) for k in self.__dataclass_fields__})
        return record


@dataclass(frozen=True, kw_only=True)
class SpanAgreement(Presented):
    """Pairwise F1 of marked spans; see `span_f1`."""

    summary: SpanSummary
    by_label: Mapping[Any, SpanSummary]
    pairs: tuple[SpanPair, ...] = field(repr=False)
    matching: str
    parameters: Mapping[str, Any]
    n_spans: Mapping[str, int]
    n_sessions: int
    findings: tuple[Finding, ...] = field(repr=False)
    confidence_level: float = 0.95
    n_resamples: int = field(default=9_999, repr=False)
    rng: Seed = field(default=0, repr=False)
    _parts: Floats = field(repr=False)

    @property
    def value(self) -> float:
        """Mean F1 over pairs of raters."""
        return self.summary.mean

    @property
    def status(self) -> str:
        """Whether the mean is defined."""
        return self.summary.status

    @property
    def reason(self) -> str | None:
        """Why it is not."""
        return self.summary.reason

    def __float__(self) -> float:
        return self.value

    @cached_property
    def interval(self) -> Interval:
        """Interval of the mean F1 from resampling sessions."""
        return session_interval(
            self._parts,
            _mean_f1,
            n_resamples=self.n_resamples,
            rng=self.rng,
            confidence_level=self.confidence_level,
        )

    def pair(self, first: str, second: str) -> SpanPair:
        """Return the result of two raters, in either order."""
        for found in self.pairs:
            if {found.first, found.second} == {first, second}:
                return found
        known = [f"{x.first} and {x.second}" for x in self.pairs]
        raise InputError.unknown_word("a pair of raters", f"{first} and {second}", known)

    def to_dict(self) -> dict[str, Any]:
        """Return the record with the estimate, labels, pairs and parameters."""
        estimate = {"coefficient": "span_f1", "value": self.value, **self.summary.to_dict()}
        estimate["interval"] = self.interval
        return envelope(
            data={"sessions": self.n_sessions, "spans": self.n_spans},
            estimates=[estimate],
            findings=self.findings,
            seed=self.rng if isinstance(self.rng, int) else None,
            labels=self.by_label,
            pairs=self.pairs,
            parameters=self.parameters,
        )

    def document(self) -> Document:
        """Return the result as something to read."""
        level = f"{100 * self.confidence_level:g}% interval"
        rows: list[list[Any]] = [
            [f"label {label}", x.mean, None, x.sd, x.minimum, x.n_spans]
            for label, x in self.by_label.items()
        ]
        s, found = self.summary, self.interval
        rows.insert(
            0, ["all spans", s.mean, Range(found.low, found.high), s.sd, s.minimum, s.n_spans]
        )
        heads = ("", "mean F1", level, "sd", "least", "spans")
        count = float if self.matching == "partial" else int
        with_kappa = self.parameters["true_negatives"] is not None
        pair_rows: list[list[Any]] = [
            [f"{x.first} and {x.second}", x.n_first, x.n_second, count(x.matched), x.f1]
            + ([x.kappa] if with_kappa else [])
            for x in self.pairs
        ]
        pair_heads = ("raters", "first", "second", "matched", "F1") + (("kappa",) * with_kappa)
        said = (
            f"A match: {_SAID[self.matching]}. F1 is what Cohen's kappa tends to when the spans "
            "that nobody marked are beyond number."
        )
        if self.reason:
            said += f" Not defined: {self.reason}."
        blocks = (
            Paragraph(said),
            Table(heads=heads, rows=rows),
            Table(heads=pair_heads, rows=pair_rows, caption="Each pair of raters"),
        )
        return Document(title="Agreement about spans", blocks=blocks, findings=self.findings)


_SAID = {
    "exact": "the same place and the same label",
    "boundaries": "the same place, whatever the label",
    "overlap": "some overlap",
    "jaccard": "an overlap of at least the threshold, as a share of the union",
    "left": "the same beginning",
    "right": "the same end",
    "partial": "credit for the share of overlap, twice the overlap over both lengths",
}


def span_f1(
    units: Units,
    *,
    matching: Literal[
        "exact", "boundaries", "overlap", "jaccard", "left", "right", "partial"
    ] = "exact",
    threshold: float = 0.5,
    labels: Literal["same", "any"] = "same",
    absent: Literal["drop", "count"] = "count",
    true_negatives: float | None = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9_999,
    rng: Seed = 0,
) -> SpanAgreement:
    """Pairwise F1 of raters who marked and labelled spans, such as names in a text.

    Use it where the spans that nobody marked cannot be counted, so that kappa has no fourth cell.
    Prefer `token_agreement` when the text has tokens and chance should be allowed for.

    Parameters
    ----------
    units : Units
        Nested and repeated spans are allowed; discontinuous spans share an id in ``span``.
    matching : {"exact", "boundaries", "overlap", "jaccard", "left", "right", "partial"}
        When two spans are the same: equal place; equal place whatever the label; any overlap; an
        overlap of at least `threshold` of the union; equal beginning; equal end; or credit
        2 overlap / (sum of lengths). Each span has one partner at most, and the matching with the
        largest total is taken.
    threshold : float, default 0.5
        For "jaccard".
    labels : {"same", "any"}
        Whether matched spans must have the same label.
    absent : {"drop", "count"}, default "count"
        A rater without spans in a session did not see it, or looked and marked nothing.
    true_negatives : number, optional
        Count of spans that neither marked; adds Cohen's kappa to each pair.
    confidence_level, n_resamples, rng
        Of the interval of the mean, from resampling sessions.

    Returns
    -------
    SpanAgreement
        F1 = 2 matched / (spans of both), undefined if neither marked a span.

    Raises
    ------
    InputError
        An unknown word, or a threshold or count out of range.
    UnsupportedDesignError
        Fewer than two raters.

    Notes
    -----
    From the counts a (both), b, c (one only) and d (neither),
    kappa = 2 (ad - bc) / ((a + b)(b + d) + (a + c)(c + d)), which tends to 2a / (2a + b + c) = F1
    as d grows [1]_. By label, spans of the label alone are matched.

    References
    ----------
    .. [1] Hripcsak, G., & Rothschild, A. S. (2005). Agreement, the F-measure, and reliability in
       information retrieval. JAMIA 12, 296-298. doi:10.1197/jamia.M1733

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("Ann", "PER", 0, 10), ("Ann", "LOC", 20, 26), ("Bob", "PER", 0, 10),
    ...     ("Bob", "LOC", 20, 30), ("Bob", "ORG", 40, 45)])
    >>> span_f1(units).value, span_f1(units, matching="overlap").value
    (0.4, 0.8)
    """
    check_spans(units, "F1 of spans")
    words = {"matching": (matching, MATCHINGS), "labels": (labels, LABELS)}
    for what, (word, known) in (words | {"absent": (absent, ABSENT)}).items():
        check_word(what, word, known)
    theta = _number(threshold, "threshold", "a share above 0, at most 1")
    if not 0 < theta <= 1:
        raise InputError.expected("threshold", "a share above 0, at most 1", threshold, "use 0.5")
    nobody = (
        None if true_negatives is None else _number(true_negatives, "true_negatives", "a count")
    )
    if nobody is not None and nobody < 0:
        raise InputError.expected("true_negatives", "0 or more", true_negatives, "leave it out")
    level = check_confidence_level(confidence_level)
    check_resamples(n_resamples)
    spans = spans_of(units)
    combos = list(combinations(range(units.n_raters), 2))
    parts, labelled = _count(units, spans, combos, (matching, theta, labels, absent))
    totals = parts.sum(axis=0)
    pairs = tuple(
        _pair(units, who, found.tolist(), nobody) for who, found in zip(combos, totals, strict=True)
    )
    per_rater = np.bincount(spans.rater, minlength=units.n_raters).tolist()
    per_label = np.bincount(spans.label, minlength=len(units.labels)).tolist()
    return SpanAgreement(
        summary=_summary(totals, len(spans.rater)),
        by_label={
            label: _summary(labelled[:, k], per_label[k]) for k, label in enumerate(units.labels)
        },
        pairs=pairs,
        matching=matching,
        parameters={
            "matching": matching,
            "threshold": theta if matching == "jaccard" else None,
            "labels": "any" if matching == "boundaries" else labels,
            "absent": absent,
            "true_negatives": nobody,
        },
        n_spans=dict(zip(units.raters, per_rater, strict=True)),
        n_sessions=units.n_sessions,
        findings=_findings(units, spans, absent),
        confidence_level=level,
        n_resamples=n_resamples,
        rng=rng,
        _parts=parts,
    )


def span_kappa(both: float, first_only: float, second_only: float, neither: float) -> float:
    """Cohen's kappa of a two by two table; it tends to F1 as the last cell grows.

    Examples
    --------
    >>> round(span_kappa(20, 5, 10, 10), 6), round(span_kappa(20, 5, 10, 1e9), 6)
    (0.307692, 0.727273)
    """
    a, b, c, d = (
        _number(x, what, "a count of 0 or more")
        for x, what in (
            (both, "both"),
            (first_only, "first_only"),
            (second_only, "second_only"),
            (neither, "neither"),
        )
    )
    if min(a, b, c, d) < 0:
        raise InputError.expected("counts", "0 or more", min(a, b, c, d), "check the four counts")
    chance = (a + b) * (b + d) + (a + c) * (c + d)
    return 2 * (a * d - b * c) / chance if chance else math.nan


def _number(value: Any, what: str, expectation: str) -> float:
    number = isinstance(value, (Real, np.number)) and not isinstance(value, (bool, np.bool_))
    if not number or not math.isfinite(float(value)):
        raise InputError.expected(what, expectation, value, "give a number")
    return float(value)


def _count(
    units: Units, spans: Spans, combos: list[tuple[int, int]], rule: tuple[str, float, str, str]
) -> tuple[Floats, Floats]:
    """Return matched, first and second (sessions, pairs, 3), and the same by label (pairs, …)."""
    n_labels, n_sessions = len(units.labels), units.n_sessions
    here = np.zeros((units.n_raters, n_sessions), dtype=np.int64)
    np.add.at(here, (spans.rater, spans.session), 1)
    rows = [np.flatnonzero(spans.rater == r) for r in range(units.n_raters)]
    parts = np.zeros((n_sessions, len(combos), 3))
    labelled = np.zeros((len(combos), n_labels, 3))
    matching, theta, labels, absent = rule
    pooled = labels == "any" or matching == "boundaries"
    for p, (i, j) in enumerate(combos):
        seen = (here[i] > 0) & (here[j] > 0) if absent == "drop" else np.ones(n_sessions, bool)
        session, label, worth = matched(spans, i, j, matching, theta, same_label=True)
        keep = seen[session]
        labelled[p, :, 0] = np.bincount(label[keep], weights=worth[keep], minlength=n_labels)
        for side, r in ((1, i), (2, j)):
            own = spans.label[rows[r][seen[spans.session[rows[r]]]]]
            labelled[p, :, side] = np.bincount(own, minlength=n_labels)
        if pooled:
            session, _, worth = matched(spans, i, j, matching, theta, same_label=False)
            keep = seen[session]
        parts[:, p, 0] = np.bincount(session[keep], weights=worth[keep], minlength=n_sessions)
        parts[:, p, 1], parts[:, p, 2] = here[i] * seen, here[j] * seen
    return parts, labelled


def matched(
    spans: Spans, one: int, other: int, matching: str, theta: float, *, same_label: bool
) -> tuple[Ints, Ints, Floats]:
    """Return session, label (of the first rater's span) and worth of each match."""
    if matching in ("overlap", "jaccard", "partial"):
        a, b, shared, jaccard = overlaps(spans, one, other)
        keep = jaccard >= theta - _CLOSE if matching == "jaccard" else jaccard > 0
        if same_label:
            keep &= spans.label[a] == spans.label[b]
        a, b, shared, jaccard = a[keep], b[keep], shared[keep], jaccard[keep]
        worth = np.ones(len(a))
        if matching == "partial":
            length = (spans.size[a] + spans.size[b]).astype(np.float64)
            worth = np.divide(2 * shared, length, out=np.ones(len(a)), where=length > 0)
        chosen = best_matching(a, b, worth)
        a = a[chosen]
        return spans.session[a], spans.label[a], worth[chosen]
    place = {"left": spans.first, "right": spans.last}.get(matching, spans.shape)
    columns = [place, spans.block] + ([spans.label] if same_label else [])
    rows = np.flatnonzero((spans.rater == one) | (spans.rater == other))
    order = rows[np.lexsort([column[rows] for column in columns])]
    new = np.ones(len(order), dtype=bool)
    if len(order):
        new[1:] = np.any([column[order][1:] != column[order][:-1] for column in columns], axis=0)
    group = np.cumsum(new) - 1
    size = int(group[-1]) + 1 if len(group) else 0
    mine = np.bincount(group, weights=spans.rater[order] == one, minlength=size)
    # Equal spans count as often as both raters have them.
    worth = np.minimum(mine, np.bincount(group, minlength=size) - mine)
    head = order[new]
    return spans.session[head], spans.label[head], worth


def _f1(totals: Floats) -> Floats:
    size = totals[..., 1] + totals[..., 2]
    known = size > 0
    return np.where(known, 2 * totals[..., 0] / np.where(known, size, 1.0), np.nan)


def _mean_f1(sums: Any) -> Any:
    f1 = _f1(sums)
    known = np.isfinite(f1)
    n = known.sum(axis=-1)
    return np.where(n > 0, np.where(known, f1, 0.0).sum(axis=-1) / np.maximum(n, 1), np.nan)


def _summary(totals: Floats, n_spans: int) -> SpanSummary:
    f1 = _f1(totals)
    f1 = f1[np.isfinite(f1)]
    some = bool(f1.size)
    return SpanSummary(
        mean=float(f1.mean()) if some else math.nan,
        sd=float(f1.std()) if some else math.nan,
        minimum=float(f1.min()) if some else math.nan,
        n_pairs=int(f1.size),
        n_spans=int(n_spans),
        status="ok" if some else "undefined",
        reason=None if some else _NO_PAIR,
    )


def _pair(units: Units, who: tuple[int, int], found: list[float], nobody: float | None) -> SpanPair:
    both, first, second = found
    return SpanPair(
        first=units.raters[who[0]],
        second=units.raters[who[1]],
        n_first=int(first),
        n_second=int(second),
        matched=both,
        f1=2 * both / (first + second) if first + second else math.nan,
        precision=both / second if second else math.nan,
        recall=both / first if first else math.nan,
        kappa=None if nobody is None else span_kappa(both, first - both, second - both, nobody),
        reason=None if first + second else _BOTH_EMPTY,
    )


def _findings(units: Units, spans: Spans, absent: str) -> tuple[Finding, ...]:
    here = np.zeros((units.n_raters, units.n_sessions), dtype=bool)
    here[spans.rater, spans.session] = True
    silent = int(np.count_nonzero(here.any(axis=0) & ~here.all(axis=0)))
    if not silent:
        return ()
    policy = "marked nothing there" if absent == "count" else "did not see it"
    message = (
        f"In {silent} of {units.n_sessions} sessions a rater has no span; it was assumed that such "
        f'raters {policy} (absent="{absent}").'
    )
    return (Finding("rater_without_units", "caution", message),)
