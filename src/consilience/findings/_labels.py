"""Labels that raters do not share, and the paradox of labels that are common."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.words import enumerated
from consilience.diagnosis.sentences import shown
from consilience.document import Finding
from consilience.findings._study import Study, register

# ---- Labels that raters do not share: one never agreed on, or two that are confused.

_FEWEST_USES = 3
_MANY_USES = 10  # with no agreement in ten, at most one in four is shared (at 95%)
_MOST_NAMED = 5
_SHARE_OF_DISAGREEMENT = 1 / 3
_FEWEST_CONFUSIONS = 5


@register
def label_never_agreed(study: Study) -> Finding | None:
    """Say when a label was used several times and no two raters ever met on it.

    A rare label may be missed by chance: it is named if raters who agree on it as well as on the
    rest would hardly ever miss it each time, or if it was used ten times.

    Examples
    --------
    >>> from consilience import Ratings
    >>> r = Ratings.from_table([[40, 2, 1], [3, 30, 0], [2, 1, 0]], categories=["a", "b", "other"])
    >>> print(label_never_agreed(Study(r)).message)
    'other' was used 4 times on items with a second rating, and no other rater ever chose it there.
    """
    if not study.has_names:  # sets that overlap agree in part
        return None
    agreed, uses = np.diag(study.coincidences), study.uses
    never = agreed <= 1e-9 * np.maximum(uses, 1.0)
    lonely = np.flatnonzero(never & ((uses >= _MANY_USES) | _unlikely_to_miss(study)))
    if not lonely.size or not agreed.any():
        return None
    worst = int(lonely[uses[lonely].argmax()])
    others = [study.label(int(k)) for k in lonely if k != worst]
    also = f" The same holds for {_some(others)}." if others else ""
    return Finding(
        "label_never_agreed",
        "caution",
        f"{study.label(worst)} was used {uses[worst]:,.0f} times on items with a second rating, "
        f"and no other rater ever chose it there.{also}",
        "Give the label a definition with examples, or drop it.",
        {
            "labels": [study.ratings.categories[int(k)] for k in lonely],
            "uses": [float(uses[k]) for k in lonely],
        },
    )


def _unlikely_to_miss(study: Study) -> NDArray[np.bool_]:
    """Say for which labels it is unlikely that no use of them ever met another.

    Where agreement on label k is as good as elsewhere, one of two raters who give k is joined by
    the other with probability s = alpha + (1 - alpha) p_k, so an item with k carries it twice
    with probability s / (2 - s).
    """
    alpha = study.measured("krippendorff_alpha", distance="nominal").value
    joined = np.clip(alpha + (1.0 - alpha) * study.shares, 0.0, 1.0)
    missed = (1.0 - joined / (2.0 - joined)) ** study.uses
    return np.asarray((study.uses >= _FEWEST_USES) & (missed < study.level))


def _some(words: list[str]) -> str:
    """Name a few of many."""
    if len(words) > _MOST_NAMED:
        words = [*words[: _MOST_NAMED - 1], f"{len(words) - _MOST_NAMED + 1} more labels"]
    return enumerated(words)


@register
def labels_confused(study: Study) -> Finding | None:
    """Say when two neighbours on a scale are told apart worse than the others.

    Labels without an order are a cause that a diagnosis looks for; on a scale merging two
    neighbours hardly moves the coefficient.

    Examples
    --------
    >>> from consilience import Ratings
    >>> table = [[30, 1, 0, 0], [1, 20, 14, 0], [0, 14, 20, 1], [0, 0, 1, 30]]
    >>> r = Ratings.from_table(table, categories=["never", "seldom", "often", "always"])
    >>> print(labels_confused(Study(r.taken_as("ordinal"))).message)
    'seldom' and 'often' are confused: 88% of all disagreements are between these two, far more than
    at other steps of the scale. With both merged, Krippendorff's alpha would be 0.968 instead of
    0.893.
    """
    pair = _confused_step(study)
    if pair is None:
        return None
    k, m, share = pair
    first, second = study.ratings.categories[k], study.ratings.categories[m]
    before = study.measured("krippendorff_alpha")
    merged = study.ratings.collapse({second: first})
    after = study.measured("krippendorff_alpha", merged)
    if not after.value >= before.value:  # near misses cost little: nothing may be lost
        return None
    return Finding(
        "labels_confused",
        "caution",
        f"{shown(first)} and {shown(second)} are confused: {share:.0%} of all disagreements are "
        f"between these two, far more than at other steps of the scale. With both merged, "
        f"{before.name} would be {after.value:.3f} instead of {before.value:.3f}.",
        "Sharpen the line between them in the guidelines, or merge them if the question allows.",
        {
            "labels": [first, second],
            "share_of_disagreements": share,
            "confusions": float(study.coincidences[k, m]),
            "alpha": before.value,
            "alpha_merged": after.value,
        },
    )


def _confused_step(study: Study) -> tuple[int, int, float] | None:
    """Return the neighbours that are confused most, and their share of the disagreements."""
    if len(study.ratings.categories) < 3 or not study.has_order:
        return None
    apart = np.triu(study.coincidences, 1)
    total = apart.sum()
    if total <= 0.0:
        return None
    k, m = (int(x) for x in np.unravel_index(apart.argmax(), apart.shape))
    share = float(apart[k, m] / total)
    if share < _SHARE_OF_DISAGREEMENT or apart[k, m] < _FEWEST_CONFUSIONS:
        return None
    return (k, m, share) if m == k + 1 and _harder_than_other_steps(study, k) else None


def _harder_than_other_steps(study: Study, k: int) -> bool:
    """Say whether labels k and k + 1 are told apart worse than other neighbours on the scale.

    Neighbours are always confused more than labels far apart, so that chance is no yardstick. How
    well two labels are told apart is the odds ratio p_kk p_ll / p_kl², of which Darroch & McCloud's
    (1986) distinguishability is 1 minus the inverse; its logarithm is compared with that of the
    other steps together, weighed by their precision.
    """
    together = study.coincidences
    # Coincidences count each pair of ratings from both sides, the confused ones in two cells.
    same, mixed = np.diag(together) / 2.0 + 0.5, np.diag(together, 1) + 0.5
    odds = np.log(same[:-1] * same[1:] / (mixed / 2.0) ** 2)
    variance = 1.0 / same[:-1] + 1.0 / same[1:] + 4.0 / mixed
    others = np.arange(odds.size) != k
    weight = 1.0 / variance[others]
    usual = float(weight @ odds[others] / weight.sum())
    error = math.sqrt(float(variance[k]) + 1.0 / float(weight.sum()))
    critical = NormalDist().inv_cdf(1.0 - study.level / odds.size)  # the worst step was picked
    return bool(usual - odds[k] > critical * error)


# ---- The prevalence paradox: high agreement, low kappa.

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
