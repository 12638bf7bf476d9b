"""Agreement about labelled spans: pairwise F1 under several rules for a match."""

from __future__ import annotations

import math
from itertools import combinations
from typing import Any, Literal

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.checks import number_where
from consilience.core.resample import Seed
from consilience.units.linking._matching import best_matching
from consilience.units.model._sessions import Draws
from consilience.units.model._unit_findings import absent_findings
from consilience.units.model._unit_results import unit_counts
from consilience.units.model.asked import ABSENT, heard
from consilience.units.model.unit_checks import check_several_raters, check_words
from consilience.units.model.units import Units
from consilience.units.spans._span_results import SpanAgreement, SpanPair, SpanSummary, f1_of
from consilience.units.spans._span_sets import Spans, overlaps, spans_of

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
        n_first=int(first),
        n_second=int(second),
        matched=both,
        f1=2 * both / (first + second) if first + second else math.nan,
        precision=both / second if second else math.nan,
        recall=both / first if first else math.nan,
        kappa=None if nobody is None else span_kappa(both, first - both, second - both, nobody),
        reason=None if first + second else _BOTH_EMPTY,
    )
