"""Labels that raters do not share: one never agreed on, or two that are confused."""

from __future__ import annotations

import numpy as np

from consilience.document import Finding
from consilience.findings._base import register
from consilience.findings._study import Study, shown

_FEWEST_USES = 3
_SHARE_OF_DISAGREEMENT = 1 / 3
_RISE = 0.05
_FEWEST_CONFUSIONS = 5


@register
def label_never_agreed(study: Study) -> Finding | None:
    """Say when a label was used several times and no two raters ever met on it.

    Examples
    --------
    >>> from consilience import Ratings
    >>> r = Ratings.from_table([[40, 2, 1], [3, 30, 0], [2, 1, 0]], categories=["a", "b", "other"])
    >>> print(label_never_agreed(Study(r)).message)
    'other' was used 4 times on items with a second rating, and no other rater ever chose it there.
    """
    if not (study.has_categories and study.nominal):
        return None
    used, agreed = study.coincidences.sum(axis=1), np.diag(study.coincidences)
    uses = _uses(study)
    lonely = np.flatnonzero((uses >= _FEWEST_USES) & (agreed <= 1e-9 * np.maximum(used, 1.0)))
    if not lonely.size or not agreed.any():
        return None
    worst = int(lonely[uses[lonely].argmax()])
    others = [study.label(int(k)) for k in lonely if k != worst]
    also = f" The same holds for {', '.join(others)}." if others else ""
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


def _uses(study: Study) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return how often each label was given on items with at least two ratings."""
    counts, times = study.counts
    pairable = counts.sum(axis=1) >= 2
    uses: np.ndarray[tuple[int], np.dtype[np.float64]] = times[pairable] @ counts[pairable]
    return uses


@register
def labels_confused(study: Study) -> Finding | None:
    """Say when two labels account for much of the disagreement, and what merging them would do.

    Examples
    --------
    >>> from consilience import Ratings
    >>> table = [[30, 12, 1], [14, 30, 1], [0, 1, 40]]
    >>> r = Ratings.from_table(table, categories=["joke", "irony", "fact"])
    >>> print(labels_confused(Study(r)).message)
    'joke' and 'irony' are confused: 90% of all disagreements are between these two. With both
    merged, Krippendorff's alpha would be 0.947 instead of 0.664.
    """
    if not (study.has_categories and study.nominal) or len(study.ratings.categories) < 3:
        return None
    apart = np.triu(study.coincidences, 1)
    total = apart.sum()
    if total <= 0.0:
        return None
    k, m = (int(x) for x in np.unravel_index(apart.argmax(), apart.shape))
    share = apart[k, m] / total
    if share < _SHARE_OF_DISAGREEMENT or apart[k, m] < _FEWEST_CONFUSIONS:
        return None
    if _confused_by_chance(study, k, m):
        return None
    first, second = study.ratings.categories[k], study.ratings.categories[m]
    before = study.measured("krippendorff_alpha")
    merged = study.ratings.collapse({second: first})
    after = study.measured("krippendorff_alpha", merged)
    if not after.value - before.value >= _RISE:
        return None
    return Finding(
        "labels_confused",
        "caution",
        f"{shown(first)} and {shown(second)} are confused: {share:.0%} of all disagreements are "
        f"between these two. With both merged, {before.name} would be {after.value:.3f} instead "
        f"of {before.value:.3f}.",
        "Sharpen the line between them in the guidelines, or merge them if the question allows.",
        {
            "labels": [first, second],
            "share_of_disagreements": float(share),
            "confusions": float(apart[k, m]),
            "alpha": before.value,
            "alpha_merged": after.value,
        },
    )


def _confused_by_chance(study: Study, k: int, m: int) -> bool:
    """Say whether two labels meet, among disagreements, no more than their use makes likely."""
    by_chance = np.triu(study.coincidences_by_chance, 1)
    observed = np.triu(study.coincidences, 1)
    n = observed.sum()
    likely = by_chance[k, m] / by_chance.sum()
    error = np.sqrt(likely * (1.0 - likely) / n)
    return bool(observed[k, m] / n <= likely + 2.0 * error + 1e-12)
