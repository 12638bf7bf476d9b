"""An interval that straddles the threshold being quoted."""

from __future__ import annotations

import math

from consilience.document import Finding
from consilience.findings._checks_registry import register
from consilience.findings._study import Study

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
    0.544 to 0.770. Quote the interval, not the side of the threshold.
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
            return Finding(
                "straddles_threshold",
                "caution",
                f"{one.name} of {one.value:.3f} cannot be told from the threshold {nearest:g}: "
                f"its {study.confidence_level:.0%} interval runs from {interval.low:.3f} to "
                f"{interval.high:.3f}.",
                "Quote the interval, not the side of the threshold.",
                {
                    "coefficient": one.coefficient,
                    "value": one.value,
                    "threshold": nearest,
                    "low": interval.low,
                    "high": interval.high,
                },
            )
    return None
