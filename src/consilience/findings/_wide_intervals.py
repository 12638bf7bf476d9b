"""Intervals that are too wide to conclude from: across a threshold, or of too few items."""

from __future__ import annotations

import math

from consilience.coefficients import Estimate
from consilience.coefficients.interval_methods import FEWEST_CARRIERS, items_with_a_second_label
from consilience.core.words import counted
from consilience.document import Finding
from consilience.findings._checks_registry import register, scale_free
from consilience.findings._study import Study
from consilience.ratings.stores import NumberMatrix

# Krippendorff's cut points, which the literature quotes for kappa and pi alike.
THRESHOLDS = (0.667, 0.8)


@register
def straddles_threshold(study: Study) -> Finding | None:
    """Say when the data cannot tell on which side of a quoted threshold a coefficient lies.

    Examples
    --------
    >>> from consilience import cohen_kappa, datasets
    >>> r = datasets.load("di_eugenio_glass_2004_bias")  # SIGIL unit 9: .672 against .67
    >>> print(straddles_threshold(Study(r, (cohen_kappa(r),))).sentence)
    Cohen's kappa of 0.672 cannot be told from the threshold 0.667: its 95% interval runs from
    0.555 to 0.773, and it is exceeded with a probability of 52%. Quote the interval, not the side
    of the threshold.
    """
    for one in study.estimates:
        if not one._basis.coefficient.chance_from_margins or one.status != "ok":
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
                f"{one.name} of {one.value:.3f} cannot be told from the threshold {nearest:g}: "
                f"its {study.confidence_level:.0%} interval runs from {interval.low:.3f} to "
                f"{interval.high:.3f}{_above(probability)}.",
                "Quote the interval, not the side of the threshold.",
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
    return f", and it is exceeded with a probability of {probability:.0%}"


_FEWEST_ITEMS = 5


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
    if study.ratings.has_sums_only:
        return None
    for one in study.estimates:
        if one.status == "ok" and one._basis.coefficient.corrects_for_chance:
            return _too_few(study, one)  # what holds for one coefficient holds for all
    return None


def _too_few(study: Study, one: Estimate) -> Finding | None:
    n = one.n_items_used
    numbers = isinstance(study.ratings._store, NumberMatrix)
    carriers = float(n) if numbers else items_with_a_second_label(one)
    evidence: dict[str, object] = {"items": n}
    if n < _FEWEST_ITEMS:
        verb = "is" if n == 1 else "are"
        what, advice = f"{counted(n, 'item')} {verb} too few", "Rate more items"
    elif carriers < FEWEST_CARRIERS:
        evidence["items_with_a_second_label"] = carriers
        so_few = f"Only {carriers:,.0f}" if carriers else "None"
        what = f"{so_few} of {n:,} items got any label but the most common one: too few"
        advice = "Rate more items, the rare labels above all"
    else:
        return None
    return Finding(
        "too_few_items",
        "caution",
        f"{what} for an interval that can be relied on to cover "
        f"{study.confidence_level:.0%} of the time.",
        f"{advice}; 'consilience plan' says how many.",
        evidence,
    )
