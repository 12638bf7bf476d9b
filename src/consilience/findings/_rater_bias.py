"""Raters who use the labels differently: Zwick's procedure."""

from __future__ import annotations

import numpy as np

from consilience.core.words import p_text
from consilience.document import Finding
from consilience.exceptions import ConsilienceError
from consilience.findings._checks_registry import register
from consilience.findings._study import Study, named
from consilience.inference import marginal_homogeneity


@register
def rater_bias(study: Study) -> Finding | None:
    """Say when raters' distributions of labels differ by more than chance, and where most.

    Zwick (1988) tests marginal homogeneity first: if it is rejected, the bias is the result to
    report; only otherwise does one coefficient sum the agreement up.

    Examples
    --------
    >>> from consilience import datasets
    >>> rater_bias(Study(datasets.load("zwick_1988_case2"))) is None
    True
    >>> rater_bias(Study(datasets.load("zwick_1988_case3"))).code
    'rater_bias'
    """
    if not (study.is_panel and study.has_categories):
        return None
    try:
        test = marginal_homogeneity(study.ratings)
    except ConsilienceError:  # nothing to compare
        return None
    if not test.p_value < study.level:
        return None
    evidence: dict[str, object] = {"statistic": test.statistic, "p_value": test.p_value}
    where = _farthest(study, evidence)
    return Finding(
        "rater_bias",
        "caution",
        f"The raters use the labels differently (marginal homogeneity: chi-square "
        f"{test.statistic:.2f}, p {p_text(test.p_value)}).{where}",
        "Report which rater prefers which label beside the coefficient, and settle it in the "
        "guidelines.",
        evidence,
    )


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
