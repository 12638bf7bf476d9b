"""Agreement about labelled spans: pairwise F1 and kappa, and the four ways of SemEval-2013."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any, ClassVar, Literal

import numpy as np

from consilience.core.arguments import check_word, number_where
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import Seed
from consilience.core.result import Several, Unremarked
from consilience.core.words import interval_head
from consilience.document import Document, Paragraph, Table
from consilience.document.records import Recorded
from consilience.exceptions import InputError
from consilience.inference import Interval
from consilience.units._linking import best_matching, exact_times, overlapping_pairs
from consilience.units._unit_results import (
    PAIR,
    SHARE,
    Accounted,
    Draws,
    Enveloped,
    Led,
    SessionsDrawn,
    f1_numbers,
    f1_of,
    mean_f1,
    most_used,
    part_of_pair,
    said_units,
    unit_counts,
)
from consilience.units.checks import (
    absent_findings,
    check_several_raters,
    check_words,
    heard,
    who_counts,
)
from consilience.units.model import ABSENT, Units

# ---- spans as sets of intervals


@dataclass(frozen=True, slots=True)
class Spans:
    """One entry for each span; the fragments of a span that touch are one."""

    units: Units
    start: Any  # of each entry of the units, as exact times
    end: Any
    of_entry: Ints  # the span to which each entry belongs
    rater: Ints
    session: Ints
    block: Ints  # tier of a session
    label: Ints
    first: Any  # where the span begins
    last: Any  # where it ends
    size: Any  # how much it covers
    shape: Ints  # equal for spans that cover the same


def spans_of(units: Units) -> Spans:
    """Return the spans of units."""
    start, end, _ = exact_times(units.start, units.end)
    rows = np.arange(len(start))
    of_entry = rows
    if units.span is not None:
        of_entry = np.unique(units.span, return_inverse=True)[1].ravel().astype(np.int64)
        rows = np.lexsort((start, of_entry))
    span, begin, stop = of_entry[rows], start[rows], end[rows]
    apart = np.ones(len(span), dtype=bool)
    apart[1:] = (span[1:] != span[:-1]) | (begin[1:] > stop[:-1])
    at = np.flatnonzero(apart)
    # Fragments of one unit never overlap, so the last of a run that touches ends last.
    span, begin, stop = span[at], begin[at], stop[np.append(at[1:], len(span))[: len(at)] - 1]
    heads = np.flatnonzero(np.append(True, span[1:] != span[:-1])[: len(span)])
    tails = np.append(heads[1:], len(span))[: len(heads)] - 1
    of = rows[at][heads]
    session = units.session[of].astype(np.int64)
    return Spans(
        units=units,
        start=start,
        end=end,
        of_entry=of_entry,
        rater=units.rater[of].astype(np.int64),
        session=session,
        block=session * max(len(units.tiers), 1) + units.tier[of],
        label=units.label[of].astype(np.int64),
        first=begin[heads],
        last=stop[tails],
        size=np.add.reduceat(stop - begin, heads) if len(heads) else stop - begin,
        shape=_shapes(begin, stop, heads, tails),
    )


def _shapes(start: Any, end: Any, heads: Ints, tails: Ints) -> Ints:
    """Number the spans so that equal sets of intervals have equal numbers."""
    if not len(heads):
        return np.empty(0, dtype=np.int64)
    order = np.lexsort((end[tails], start[heads]))
    first, last = start[heads][order], end[tails][order]
    new = np.append(True, (first[1:] != first[:-1]) | (last[1:] != last[:-1]))
    shape = np.empty(len(heads), dtype=np.int64)
    shape[order] = np.cumsum(new) - 1
    known: dict[Any, int] = {}
    for k in np.flatnonzero(tails > heads).tolist():
        part = slice(int(heads[k]), int(tails[k]) + 1)
        key = (start[part].tobytes(), end[part].tobytes())
        shape[k] = known.setdefault(key, len(heads) + len(known))
    return shape


def overlaps(spans: Spans, one: int, other: int) -> tuple[Ints, Ints, Floats, Floats]:
    """Return pairs of spans of two raters that overlap: both, length shared, share of the union.

    Spans without length that lie at one place share all they have: the length shared is then 0
    and the share of the union 1.
    """
    blocks = spans.units.sorted_blocks(spans.units.raters[one], spans.units.raters[other])
    start, end = spans.start[blocks.order], spans.end[blocks.order]
    a, b = overlapping_pairs(blocks, start, end)
    shared = np.minimum(end[a], end[b]) - np.maximum(start[a], start[b])
    of = spans.of_entry[blocks.order]
    first, second, total = _summed(of[a], of[b], shared.astype(np.float64), len(spans.first))
    union = (spans.size[first] + spans.size[second]) - total
    points = _same_points(spans, one, other)
    return (
        np.append(first, points[0]),
        np.append(second, points[1]),
        np.append(total, np.zeros(len(points[0]))),
        np.append(total / union, np.ones(len(points[0]))),
    )


def _summed(a: Ints, b: Ints, shared: Floats, n: int) -> tuple[Ints, Ints, Floats]:
    key, place = np.unique(a * n + b, return_inverse=True)
    total = np.bincount(place.ravel(), weights=shared, minlength=len(key))
    return key // max(n, 1), key % max(n, 1), total.astype(np.float64)


def _same_points(spans: Spans, one: int, other: int) -> tuple[Ints, Ints]:
    found: dict[tuple[int, Any], list[int]] = {}
    empty = spans.size == 0
    for k in np.flatnonzero(empty & (spans.rater == other)).tolist():
        found.setdefault((int(spans.block[k]), spans.shape[k].item()), []).append(k)
    pairs = [
        (k, partner)
        for k in np.flatnonzero(empty & (spans.rater == one)).tolist()
        for partner in found.get((int(spans.block[k]), spans.shape[k].item()), ())
    ]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return table[:, 0], table[:, 1]


# ---- results


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanPair(Recorded):
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


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanSummary(Recorded):
    """F1 over pairs of raters: mean, standard deviation (divided by the number), least."""

    mean: float
    sd: float
    minimum: float
    n_pairs: int
    n_spans: int
    status: str
    reason: str | None


@dataclass(frozen=True, kw_only=True)
class SpanAgreement(Led, SessionsDrawn, Enveloped):
    """Pairwise F1 of marked spans; see `span_f1`."""

    recorded: ClassVar[tuple[str, ...]] = ("by_label", "pairs")
    renamed: ClassVar[Mapping[str, str]] = {"by_label": "labels"}

    summary: SpanSummary
    by_label: Mapping[Any, SpanSummary]
    pairs: tuple[SpanPair, ...] = field(repr=False)
    matching: str
    n_spans: Mapping[str, int]
    n_sessions: int
    draws: Draws = field(repr=False)
    _parts: Floats = field(repr=False)

    @property
    def value(self) -> float:
        """Mean F1 over pairs of raters."""
        return self.summary.mean

    @property
    def _leading(self) -> SpanSummary:
        return self.summary

    @cached_property
    def interval(self) -> Interval:
        """Interval of the mean F1 from resampling sessions."""
        return self.draws.interval(self._parts, mean_f1, SHARE)

    def pair(self, first: str, second: str) -> SpanPair:
        """Return the result of two raters, in either order."""
        return part_of_pair(self.pairs, first, second)

    def _estimates(self) -> list[dict[str, Any]]:
        one = {"coefficient": "span_f1", "value": self.value, **self.summary.to_dict()}
        return [one | {"interval": self.interval}]

    def _sizes(self) -> dict[str, Any]:
        return {"sessions": self.n_sessions, "spans": self.n_spans}

    def document(self) -> Document:
        """Return the result as something to read."""
        shown, note = most_used(list(self.by_label.items()), lambda part: part[1].n_spans)
        level = interval_head(self.draws.confidence_level)
        summaries = Table.of(
            [("all spans", self.summary), *((f"label {label}", x) for label, x in shown)],
            ("", "0"),
            "mean F1: 1.mean",
            (level, lambda x: self.interval if x[1] is self.summary else None),
            "sd: 1.sd",
            "least: 1.minimum",
            "spans: 1.n_spans",
            note=note,
        )
        pairs = Table.of(
            self.pairs,
            PAIR,
            "first: n_first",
            "second: n_second",
            ("matched", "matched", float if self.matching == "partial" else int),
            "F1: f1",
            "kappa" if self.parameters["true_negatives"] is not None else None,
            caption="Each pair of raters",
        )
        said = said_units(self.units_by_session) + (
            f" A match: {_SAID[self.matching]}. Spans nobody marked cannot be counted, so kappa is "
            "not defined; F1 is its limit."
        )
        if self.reason:
            said += f" Not defined: {self.reason}."
        blocks = (Paragraph(said), summaries, pairs)
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


# ---- pairwise F1

MATCHINGS = ("exact", "boundaries", "overlap", "jaccard", "left", "right", "partial")
LABELS = ("same", "any")
_BOTH_EMPTY = "neither rater marked a span"
_NO_PAIR = "no pair of raters marked a span"
_CLOSE = 1e-12  # how far below the threshold a quotient may come out


def span_f1(
    units: Units,
    *,
    matching: Literal[
        "exact", "boundaries", "overlap", "jaccard", "left", "right", "partial"
    ] = "exact",
    threshold: float = 0.5,
    labels: Literal["same", "any"] = "same",
    absent: Literal["asked", "drop", "count"] = "asked",
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
    absent : {"asked", "drop", "count"}
        A rater without a unit in a session counts as having marked nothing if she was asked
        there (`Units.asked`) and is left out if that is not known; is left out; or counts.
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
    check_several_raters(units, "F1 of spans")
    check_words(matching=(matching, MATCHINGS), labels=(labels, LABELS), absent=(absent, ABSENT))
    share = "a share above 0, at most 1"
    theta = number_where("threshold", threshold, share, "use 0.5", fits=lambda x: 0 < x <= 1)
    nobody = None if true_negatives is None else _count_of("true_negatives", true_negatives)
    draws = Draws(confidence_level=confidence_level, n_resamples=n_resamples, rng=rng)
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
        findings=absent_findings(units, absent),
        units_by_session=unit_counts(units),
        draws=draws,
        _parts=parts,
    )


def span_kappa(both: float, first_only: float, second_only: float, neither: float) -> float:
    """Cohen's kappa of a two by two table; it tends to F1 as the last cell grows.

    Hripcsak & Rothschild 2005 show the limit.

    Parameters
    ----------
    both, first_only, second_only, neither : float
        Cells of the table.

    Returns
    -------
    float

    Examples
    --------
    >>> round(span_kappa(20, 5, 10, 10), 6), round(span_kappa(20, 5, 10, 1e9), 6)
    (0.307692, 0.727273)
    """
    a, b = _count_of("both", both), _count_of("first_only", first_only)
    c, d = _count_of("second_only", second_only), _count_of("neither", neither)
    chance = (a + b) * (b + d) + (a + c) * (c + d)
    return 2 * (a * d - b * c) / chance if chance else math.nan


def _count_of(what: str, value: Any) -> float:
    return number_where(what, value, "a count of 0 or more", "give a number", fits=lambda x: x >= 0)


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
    counted = heard(units, absent)
    pooled = labels == "any" or matching == "boundaries"
    for p, (i, j) in enumerate(combos):
        seen = counted[i] & counted[j]
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


def _summary(totals: Floats, n_spans: int) -> SpanSummary:
    f1 = f1_of(totals)
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
        matched=both,
        **f1_numbers(both, first, second),
        kappa=None if nobody is None else span_kappa(both, first - both, second - both, nobody),
        reason=None if first + second else _BOTH_EMPTY,
    )


# ---- SemEval-2013

SCHEMES = ("strict", "exact", "partial", "type")
_EMPTY = "neither side marked a span"


@dataclass(frozen=True, slots=True, kw_only=True)
class SemEvalScheme(Recorded):
    """Counts and scores of one scheme."""

    recorded: ClassVar[tuple[str, ...]] = ("possible", "actual")

    correct: int
    incorrect: int
    partial: int
    missed: int
    spurious: int
    precision: float
    recall: float
    f1: float
    reason: str | None

    @property
    def possible(self) -> int:
        """Spans of the reference."""
        return self.correct + self.incorrect + self.partial + self.missed

    @property
    def actual(self) -> int:
        """Spans of the other rater."""
        return self.correct + self.incorrect + self.partial + self.spurious


@dataclass(frozen=True, kw_only=True)
class SemEval(Unremarked, Several, Accounted):
    """Spans against a reference; see `semeval`."""

    reference: str
    hypothesis: str
    schemes: Mapping[str, SemEvalScheme]

    def __getitem__(self, scheme: str) -> SemEvalScheme:
        if scheme not in self.schemes:
            raise InputError.unknown_word("scheme", scheme, self.schemes)
        return self.schemes[scheme]

    def document(self) -> Document:
        """Return the result as something to read."""
        keys = ("correct", "incorrect", "partial", "missed", "spurious", "precision", "recall")
        columns = ("scheme: 0", *(f"{key}: 1.{key}" for key in keys), "F1: 1.f1")
        table = Table.of(self.schemes.items(), *columns)
        said = Paragraph(
            f"{said_units(self.units_by_session)} {self.hypothesis} against {self.reference} as "
            "the reference."
        )
        return Document(title="SemEval-2013 schemes", blocks=(said, table))


def semeval(units: Units, *, reference: str, hypothesis: str) -> SemEval:
    """Compare one rater's spans with a reference by the four schemes of SemEval-2013.

    Use it to compare with published evaluations of systems. Prefer `span_f1` among people, where
    nobody is the reference.

    Parameters
    ----------
    units : Units
    reference, hypothesis : str
        Names of the two raters.

    Returns
    -------
    SemEval
        For "strict" (place and label), "exact" (place), "partial" (place, half a point for an
        overlap) and "type" (overlap and label): correct, incorrect, partial, missed, spurious,
        precision, recall and F1.

    Notes
    -----
    Each span has one partner at most. In each scheme the matching has as many correct pairs as
    possible, then as many other overlapping pairs as possible, so the counts do not depend on the
    order of spans; programs that walk through the spans in order can differ where spans compete.
    Precision = (correct + partial / 2) / actual, recall = (correct + partial / 2) / possible.

    References
    ----------
    .. [1] Segura-Bedmar, I., Martínez, P., & Herrero-Zazo, M. (2013). SemEval-2013 task 9:
       Extraction of drug-drug interactions from biomedical texts. SemEval 2013, 341-350.

    Examples
    --------
    >>> units = Units.from_records([
    ...     ("gold", "DRUG", 0, 10), ("gold", "BRAND", 20, 26), ("gold", "DRUG", 30, 33),
    ...     ("Ann", "DRUG", 0, 10), ("Ann", "DRUG", 20, 24), ("Ann", "GROUP", 50, 55)])
    >>> found = semeval(units, reference="gold", hypothesis="Ann")
    >>> found["strict"].correct, found["strict"].incorrect, found["partial"].partial
    (1, 1, 1)
    """
    check_several_raters(units, "the schemes of SemEval")
    for name in (reference, hypothesis):
        check_word("a rater", name, units.raters)
    if reference == hypothesis:
        raise InputError.expected("the two raters", "different", reference, "name another rater")
    who = who_counts(units, (reference, hypothesis))
    if who.dropped:
        units = units.select(sessions=who.sessions)
    spans = spans_of(units)
    i, j = units.raters.index(reference), units.raters.index(hypothesis)
    sizes = (int(np.count_nonzero(spans.rater == i)), int(np.count_nonzero(spans.rater == j)))
    a, b, _, _ = overlaps(spans, i, j)
    return SemEval(
        reference=reference,
        hypothesis=hypothesis,
        schemes={name: _scheme(name, spans, (a, b), sizes) for name in SCHEMES},
        units_by_session=unit_counts(units, (reference, hypothesis)),
    )


def _scheme(name: str, spans: Spans, pairs: tuple[Any, Any], sizes: tuple[int, int]) -> Any:
    a, b = pairs
    place, label = spans.shape[a] == spans.shape[b], spans.label[a] == spans.label[b]
    right = {"strict": place & label, "exact": place, "partial": place, "type": label}[name]
    # One more correct pair outweighs any number of others.
    chosen = best_matching(a, b, np.where(right, min(sizes) + 1.0, 1.0))
    correct = int(np.count_nonzero(right[chosen]))
    other = len(chosen) - correct
    partial = other if name == "partial" else 0
    credit = correct + partial / 2
    precision, recall = (credit / n if n else math.nan for n in (sizes[1], sizes[0]))
    return SemEvalScheme(
        correct=correct,
        incorrect=other - partial,
        partial=partial,
        missed=sizes[0] - len(chosen),
        spurious=sizes[1] - len(chosen),
        precision=precision,
        recall=recall,
        f1=2 * credit / sum(sizes) if sum(sizes) else math.nan,
        reason=None if sum(sizes) else _EMPTY,
    )
