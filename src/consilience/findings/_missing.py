"""Ratings that are missing for a reason."""

from __future__ import annotations

import numpy as np

from consilience.document import Finding
from consilience.document._words import p_text
from consilience.findings._base import register
from consilience.findings._study import FloatArray, Study

_SMALLEST_ASSOCIATION = 0.1  # Cramér's V below which a difference does not matter
_FEWEST_INCOMPLETE = 10


@register
def missing_not_at_random(study: Study) -> Finding | None:
    """Say when items that some raters skipped carry other labels than items that all rated.

    The first rating that each item has is compared between the two kinds of items by chi-square,
    so that an item counts once.

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["easy", "easy"]] * 40 + [["hard", "hard"]] * 10 + [["hard", None]] * 15
    >>> print(missing_not_at_random(Study(Ratings.from_wide(rows))).message)
    Ratings are missing for a reason: 'hard' makes up 100% of the items that not everybody rated,
    and 20% of those that all raters rated (chi-square 31.20, p < 0.001).
    """
    patterns = study.patterns
    if patterns is None or not (study.is_panel and study.has_categories):
        return None
    given = patterns.codes >= 0
    rated, complete = np.asarray(given.any(axis=1)), np.asarray(given.all(axis=1))
    first = patterns.codes[np.arange(len(given)), given.argmax(axis=1)]
    table = np.zeros((2, len(study.ratings.categories)))
    np.add.at(table, (complete[rated].astype(int), first[rated]), patterns.multiplicity[rated])
    table = table[:, table.sum(axis=0) > 0]
    used = np.flatnonzero(np.bincount(first[rated], minlength=1) > 0)
    n = table.sum(axis=1)
    if n[0] < _FEWEST_INCOMPLETE or n[1] < _FEWEST_INCOMPLETE or table.shape[1] < 2:
        return None
    statistic, p_value, association = _chi_square(table)
    if not p_value < study.level or association < _SMALLEST_ASSOCIATION:
        return None
    shares = table / n[:, None]
    worst = int((shares[0] - shares[1]).argmax())
    label = int(used[worst])
    return Finding(
        "missing_not_at_random",
        "caution",
        f"Ratings are missing for a reason: {study.label(label)} makes up {shares[0, worst]:.0%} "
        f"of the items that not everybody rated, and {shares[1, worst]:.0%} of those that all "
        f"raters rated (chi-square {statistic:.2f}, p {p_text(p_value)}).",
        "Find out why these items were skipped; agreement on what is left does not speak for them.",
        {
            "label": study.ratings.categories[label],
            "share_incomplete": float(shares[0, worst]),
            "share_complete": float(shares[1, worst]),
            "statistic": statistic,
            "p_value": p_value,
            "cramers_v": association,
        },
    )


def _chi_square(table: FloatArray) -> tuple[float, float, float]:
    """Return Pearson's chi-square, its p-value and Cramér's V of a table with two rows."""
    from scipy.special import chdtrc

    n = table.sum()
    expected = np.outer(table.sum(axis=1), table.sum(axis=0)) / n
    statistic = float(((table - expected) ** 2 / expected).sum())
    return statistic, float(chdtrc(table.shape[1] - 1, statistic)), (statistic / n) ** 0.5
