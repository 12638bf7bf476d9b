"""Bias: raters' own habits lower chance agreement, and kappa and pi part."""

from __future__ import annotations

from consilience.core.verdict import THRESHOLDS
from consilience.document import Finding
from consilience.exceptions import ConsilienceError
from consilience.findings._checks_registry import register
from consilience.findings._study import Study

_MATTERS = 0.02  # difference of two coefficients that a reader would notice in two decimals


@register
def bias_moves_kappa(study: Study) -> Finding | None:
    """Say when bias takes kappa and pi apart: noticeably, or to both sides of a threshold.

    B is the variance of the raters' shares of the labels, and expected agreement of pi less that
    of kappa (Artstein & Poesio 2005).

    Examples
    --------
    >>> from consilience import datasets
    >>> study = Study(datasets.load("di_eugenio_glass_2004_bias"))  # SIGIL unit 9, slide 25
    >>> print(bias_moves_kappa(study).message)
    Cohen's kappa (0.672) and Scott's pi (0.663) lie on both sides of 0.667. Only bias takes them
    apart: the raters use the labels differently (B = 0.014).
    """
    if not (study.is_panel and study.has_names):
        return None
    try:
        kappa, pi = study.measured("cohen_kappa"), study.measured("scott_pi")
    except ConsilienceError:  # nobody shares an item
        return None
    if not kappa.status == pi.status == "ok":
        return None
    assert kappa.expected is not None
    assert pi.expected is not None
    bias = pi.expected - kappa.expected
    between = [t for t in THRESHOLDS if min(kappa.value, pi.value) < t < max(kappa.value, pi.value)]
    apart = kappa.value - pi.value
    if not between and apart < _MATTERS:
        return None
    where = f"lie on both sides of {between[0]:g}" if between else f"differ by {apart:.3f}"
    return Finding(
        "bias_moves_kappa",
        "caution" if between else "info",
        f"{kappa.name} ({kappa.value:.3f}) and {pi.name} ({pi.value:.3f}) {where}. Only bias "
        f"takes them apart: the raters use the labels differently (B = {bias:.3f}).",
        "Report the one that was planned, and B beside it; do not choose by the result.",
        {
            "bias": bias,
            "cohen_kappa": kappa.value,
            "scott_pi": pi.value,
            "threshold": between[0] if between else None,
        },
    )
