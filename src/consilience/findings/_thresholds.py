"""Intervals: below and across the thresholds that are quoted, of too few items, approximate."""

from __future__ import annotations

import math

import numpy as np

from consilience.coefficients import Estimate
from consilience.coefficients.uncertainty import MOST_ROWS, takes_values, too_few
from consilience.core.verdict import TENTATIVE, THRESHOLDS
from consilience.core.words import number, percent
from consilience.document import Finding, blocks
from consilience.findings._study import Study, register, scale_free
from consilience.inference.intervals import is_skewed
from consilience.rows import Rows
from consilience.rows.distinct_rows import all_rows

_ORDERED = ("linear", "quadratic", "ordinal", "interval")  # distances of the simulated studies
_RARE, _FEW_LABELS = 0.02, 7  # the share of a rare label, and labels at most, in these studies


@register
def straddles_threshold(study: Study) -> Finding | None:
    """Say when the data cannot tell on which side of a quoted threshold a coefficient lies.

    Examples
    --------
    >>> from consilience import cohen_kappa, datasets
    >>> r = datasets.load("di_eugenio_glass_2004_bias")  # SIGIL unit 9: .672 against .67
    >>> print(straddles_threshold(Study(r, (cohen_kappa(r),))).sentence)
    Cohen's kappa is 0.672, and its 95% interval (0.551 to 0.773) includes 0.667: the probability to
    lie above is 52%. Do not claim to be above or below it.
    """
    for one in study.estimates:
        if not one.basis.coefficient.chance_from_margins or one.status != "ok":
            continue
        interval = one.confidence_interval(study.confidence_level)
        if not math.isfinite(interval.low):
            continue
        crossed = [t for t in THRESHOLDS if interval.low < t < interval.high]
        if crossed:
            nearest = min(crossed, key=lambda t: abs(t - one.value))
            probability = one.probability_above(nearest)
            return Finding(
                "straddles_threshold",
                "caution",
                f"{one.name} is {number(one.value)}, and its {percent(study.confidence_level)} "
                f"interval ({number(interval.low)} to {number(interval.high)}) includes "
                f"{nearest:g}{_above(probability)}.",
                "Do not claim to be above or below it.",
                {
                    "coefficient": one.coefficient,
                    "value": one.value,
                    "threshold": nearest,
                    "low": interval.low,
                    "high": interval.high,
                    "probability_above": probability if math.isfinite(probability) else None,
                },
            )
    return None


def _above(probability: float) -> str:
    """Say how probable it is that the threshold is exceeded."""
    if not math.isfinite(probability):
        return ""
    return f": the probability to lie above is {probability:.0%}"


@register
@scale_free
def too_few_items(study: Study) -> Finding | None:
    """Say when there is next to nothing that an interval could rest on.

    Examples
    --------
    >>> from consilience import Ratings, krippendorff_alpha
    >>> r = Ratings.from_wide([["a", "a"]] * 19 + [["a", "b"]])
    >>> print(too_few_items(Study(r, (krippendorff_alpha(r),))).message)
    Only 1 of 20 items got any label but the most common one: too few for an interval that can be
    relied on to cover 95% of the time.
    """
    corrected = (one for one in study.estimates if one.basis.coefficient.corrects_for_chance)
    one = next((one for one in corrected if one.status == "ok"), None)
    scarce = None if one is None else too_few(one)  # what holds for one holds for all
    if scarce is None:
        return None
    what, evidence = scarce
    rare = "items_with_a_second_label" in evidence
    advice = "Rate more items, the rare labels above all" if rare else "Rate more items"
    return Finding(
        "too_few_items",
        "caution",
        f"{what} for an interval that can be relied on to cover "
        f"{percent(study.confidence_level)} of the time.",
        f"{advice}; 'consilience plan' says how many.",
        evidence,
    )


@register
def no_better_than_chance(study: Study) -> Finding | None:
    """Say when the raters' labels tell no more about the items than drawn ones would.

    Examples
    --------
    >>> from consilience import Ratings, cohen_kappa
    >>> r = Ratings.from_table([[25, 24], [26, 25]])
    >>> print(no_better_than_chance(Study(r, (cohen_kappa(r),))).message)
    Chance alone could explain the agreement: the 95% interval of Cohen's kappa (-0.190 to 0.197)
    includes 0, and ends below 0.667.
    """
    return _judged(study, "no_better_than_chance")


@register
def clearly_low(study: Study) -> Finding | None:
    """Say when even the upper end of the interval lies below the threshold that is quoted.

    Examples
    --------
    >>> from consilience import Ratings, cohen_kappa
    >>> r = Ratings.from_table([[35, 15], [20, 30]])
    >>> print(clearly_low(Study(r, (cohen_kappa(r),))).message)
    Agreement is clearly too low: the 95% interval of Cohen's kappa (0.106 to 0.477) ends below
    0.667.
    """
    return _judged(study, "clearly_low")


def _judged(study: Study, code: str) -> Finding | None:
    """Turn the verdict on the headline into a finding, if it is the one that is looked for."""
    one, verdict = study.headline, study.verdict
    if one is None or verdict is None or verdict.code != code or verdict.gauge is None:
        return None
    low, high = verdict.gauge.low, verdict.gauge.high
    limits = (
        f"the {percent(study.confidence_level)} interval of {one.name} ({number(low)} to "
        f"{number(high)})"
    )
    if code == "clearly_low":
        message = f"Agreement is clearly too low: {limits} ends below {TENTATIVE:g}."
    elif high < 0.0:
        message = f"Raters agree less than by chance: {limits} ends below 0."
    else:
        message = (
            f"Chance alone could explain the agreement: {limits} includes 0, and ends below "
            f"{TENTATIVE:g}."
        )
    evidence = {"coefficient": one.coefficient, "value": one.value, "low": low, "high": high}
    return Finding(code, "problem", message, verdict.next, evidence)


@register
def interval_approximate(study: Study) -> Finding | None:
    """Say where simulated studies found intervals of this kind not quite as sure as they say.

    Examples
    --------
    >>> from consilience import Ratings, cohen_kappa
    >>> r = Ratings.from_table([[20, 4], [6, 30]]).with_clusters([k // 3 for k in range(60)])
    >>> print(interval_approximate(Study(r, (cohen_kappa(r),))).message)
    Intervals for items in clusters are approximate: in simulated studies, 95% intervals held the
    true value in 92.7% to 100% of samples.
    """
    family = None if study.headline is None else _family(study.headline)
    if family is None:
        return None
    return blocks.interval_approximate(family)


def _family(estimate: Estimate) -> str | None:
    """Return which of the study's families that miss its goal an estimate is of, if any."""
    basis = estimate.basis
    if estimate.status != "ok" or basis.ratings.has_sums_only:
        return None
    if basis.ratings.clusters is not None:
        return "clusters"
    if takes_values(basis):
        few = basis.ratings.n_items <= MOST_ROWS  # looking at more takes longer than it tells
        skewed = few and is_skewed(all_rows(basis.evaluation.source))
        return "values, lognormal" if skewed else None
    source = basis.evaluation.source
    if source.form.size > 2 and basis.distance.name in _ORDERED:
        return "ordered labels"
    few = source.in_memory and source.form.size <= _FEW_LABELS
    return "rare labels" if few and _rarest(all_rows(source)) < _RARE else None


def _rarest(rows: Rows) -> float:
    """Return the share of the rarest label that was used."""
    given = np.asarray(rows.vectors @ rows.multiplicity)
    return float(given[given > 0.0].min(initial=np.inf) / max(given.sum(), 1.0))
