"""Raters who use the labels differently, and what that does to kappa."""

from __future__ import annotations

import numpy as np

from consilience.core.verdict import THRESHOLDS
from consilience.diagnosis.sentences import named
from consilience.document import Finding
from consilience.exceptions import ConsilienceError
from consilience.findings._study import Study, register
from consilience.inference import marginal_homogeneity

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
    apart: the raters use the labels differently (B = 0.014). Farthest apart: A gave 'no' in 37% of
    cases, B in 53%.
    """
    told = study.has_names or (study.weighs and study.ratings.scale == "nominal")
    if not (study.is_panel and study.has_categories and told):
        return None
    try:
        kappa = study.measured("cohen_kappa", distance=study.distance)
        pi = study.measured("scott_pi", distance=study.distance)
    except ConsilienceError:  # nobody shares an item
        return None
    if not kappa.status == pi.status == "ok":
        return None
    assert kappa.expected_disagreement is not None
    assert pi.expected_disagreement is not None
    bias = kappa.expected_disagreement - pi.expected_disagreement
    between = [t for t in THRESHOLDS if min(kappa.value, pi.value) < t < max(kappa.value, pi.value)]
    apart = kappa.value - pi.value
    if not between and not (apart >= _MATTERS and _is_real(study)):
        return None
    evidence: dict[str, object] = {
        "bias": bias,
        "cohen_kappa": kappa.value,
        "scott_pi": pi.value,
        "threshold": between[0] if between else None,
    }
    farthest = _farthest(study, evidence)
    where = f"lie on both sides of {between[0]:g}" if between else f"differ by {apart:.3f}"
    return Finding(
        "bias_moves_kappa",
        "caution" if between else "info",
        f"{kappa.name} ({kappa.value:.3f}) and {pi.name} ({pi.value:.3f}) {where}. Only bias "
        f"takes them apart: the raters use the labels differently (B = {bias:.3f}).{farthest}",
        "Report the one that was planned, and B beside it; do not choose by the result.",
        evidence,
    )


def _is_real(study: Study) -> bool:
    """Tell whether raters' shares of the labels differ by more than chance."""
    try:
        return marginal_homogeneity(study.ratings).p_value < study.level
    except ConsilienceError:  # nothing to compare
        return False


def _farthest(study: Study, evidence: dict[str, object]) -> str:
    """Name the rater and the label that are farthest from the other raters."""
    n_gk = study.by_rater
    if n_gk is None:
        return ""
    n_g = n_gk.sum(axis=1, keepdims=True)
    own = n_gk / np.maximum(n_g, 1)
    others = (n_gk.sum(axis=0) - n_gk) / np.maximum(n_g.sum() - n_g, 1)
    g, k = np.unravel_index(np.abs(own - others).argmax(), own.shape)
    rater = study.ratings.raters[g]
    evidence |= {
        "rater": rater,
        "label": study.ratings.categories[k],
        "share": float(own[g, k]),
        "share_of_others": float(others[g, k]),
    }
    rest = "the others" if len(own) > 2 else named(study.ratings.raters[1 - int(g)])
    sentence = (
        f"{named(rater)} gave {study.label(int(k))} in {own[g, k]:.0%} of cases, {rest} in "
        f"{others[g, k]:.0%}."
    )
    return f" Farthest apart: {sentence}"
