"""The rate behind a judge's verdicts: what people would say, from their labels of some items."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np

from consilience.core.checks import check_word
from consilience.core.interval import Interval, check_confidence_level
from consilience.document import Finding, found
from consilience.exceptions import UnsupportedDesignError
from consilience.inference.clustered import clustered_variance
from consilience.judges.misclassification import rogan_gladen_fit, rogan_gladen_of
from consilience.judges.rate_results import CorrectedRate, Rate
from consilience.judges.summed_shares import added
from consilience.judges.two_phase import (
    Fitted,
    TwoPhase,
    check_labels,
    degrees_of_freedom,
    double_sampling,
    effective_answers,
    people_alone,
    prediction_powered,
    share_limits,
    t_limits,
)
from consilience.judges.verdicts import Verdicts, first_occasion, verdicts_of
from consilience.ratings.item_codes import per_item

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
                "rates by stratum", "two labels or more by people in each",
                f"{part.n_labels} in {name}", "label more of it, or take strata together",
            )  # fmt: skip
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
    limits = share_limits(value, effective, df) if sample.is_rate else t_limits(
        value, math.sqrt(variance), degrees_of_freedom(sample), is_rate=False
    )  # fmt: skip
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
            "Buy more; 'consilience panel --buy' says how many.",
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


# -------------------------------------------------------------------- from numbers alone


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
