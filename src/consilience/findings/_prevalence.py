"""The prevalence paradox: high agreement, low kappa."""

from __future__ import annotations

import numpy as np

from consilience.core.arrays import Floats
from consilience.document import Finding
from consilience.findings._checks_registry import register
from consilience.findings._study import Study

_HIGH_AGREEMENT = 0.8
_COMMON_LABEL = 0.75  # share of the most common label from which chance agreement eats kappa up
_GAP = 0.2  # by how much S must exceed pi


@register
def prevalence_paradox(study: Study) -> Finding | None:
    """Say when raters agree often and kappa is low because one label is so common.

    Examples
    --------
    >>> from consilience import datasets
    >>> found = prevalence_paradox(Study(datasets.load("di_eugenio_glass_2004_skewed")))
    >>> print(found.message)
    The raters agree on 90.0% of pairs, yet Scott's pi is only -0.053. '1' makes up 95.0% of the
    ratings, and two raters who guess with these frequencies would already agree on 90.5%.
    """
    if not (study.has_categories and study.nominal):
        return None
    pi, s = study.measured("scott_pi"), study.measured("bennett_s")
    if pi.status != "ok" or s.status != "ok" or pi.observed is None or pi.expected is None:
        return None
    common = int(study.shares.argmax())
    if pi.observed < _HIGH_AGREEMENT or study.shares[common] < _COMMON_LABEL:
        return None
    if s.value - pi.value < _GAP:
        return None
    ac = study.measured("gwet_ac")
    evidence: dict[str, object] = {
        "observed": pi.observed,
        "expected": pi.expected,
        "scott_pi": pi.value,
        "bennett_s": s.value,
        "gwet_ac": ac.value,
        "most_common_label": study.ratings.categories[common],
        "share": float(study.shares[common]),
    }
    evidence |= _binary_parts(study)
    balanced = _balanced_kappa(study.coincidences)
    if balanced is not None:
        evidence["kappa_with_balanced_margins"] = balanced
    return Finding(
        "prevalence_paradox",
        "caution",
        f"The raters agree on {pi.observed:.1%} of pairs, yet {pi.name} is only {pi.value:.3f}. "
        f"{study.label(common)} makes up {study.shares[common]:.1%} of the ratings, and two raters "
        f"who guess with these frequencies would already agree on {pi.expected:.1%}.",
        f"Report agreement on the rare labels, and {ac.name} ({ac.value:.3f}) and S "
        f"({s.value:.3f}) beside it; to learn more about the rare labels, rate more items that "
        "carry them.",
        evidence,
    )


def _binary_parts(study: Study) -> dict[str, object]:
    """Take kappa of two raters and two labels apart (Byrt, Bishop & Carlin 1993).

    kappa = (PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2).
    """
    ratings = study.ratings
    if len(ratings.raters) != 2 or len(ratings.categories) != 2:
        return {}
    table = ratings.table(*ratings.raters).astype(np.float64)
    n = table.sum()
    agreement = np.trace(table) / n
    return {
        "pabak": float(2.0 * agreement - 1.0),
        "prevalence_index": float((table[0, 0] - table[1, 1]) / n),
        "bias_index": float((table[0, 1] - table[1, 0]) / n),
    }


def _balanced_kappa(coincidences: Floats) -> float | None:
    """Return pi of the coincidences scaled to equal margins, odds ratios kept; None without them.

    Iterative proportional fitting; for two labels this is Yule's Y.
    """
    table = coincidences[np.ix_(*2 * (coincidences.sum(axis=1) > 0,))]
    q = len(table)
    if q < 2 or (table <= 0.0).any():
        return None
    for _ in range(1_000):
        scale = 1.0 / np.sqrt(q * table.sum(axis=1))
        table = table * scale[:, None] * scale[None, :]
        if np.abs(table.sum(axis=1) - 1.0 / q).max() < 1e-12:
            break
    return float((np.trace(table) - 1.0 / q) / (1.0 - 1.0 / q))
