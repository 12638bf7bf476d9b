"""Ratings that are missing for a reason."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Codes, Floats
from consilience.core.tails import chi_square_tail
from consilience.core.words import p_text
from consilience.document import Finding
from consilience.findings._checks_registry import register
from consilience.findings._study import CHUNK, Study
from consilience.ratings.stores import Patterns

_SMALLEST_ASSOCIATION = 0.1  # (chi-square / items)^1/2 below which a difference does not matter
_FEWEST_INCOMPLETE = 10


@register
def missing_not_at_random(study: Study) -> Finding | None:
    """Say when items that some raters skipped carry other labels than items that all rated.

    An item's ratings, each less how often its rater gives that label anyway, are averaged, so that
    an item counts once and raters' own habits do not pass for a difference between items. The means
    of the two kinds of items are compared by chi-square.

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["easy", "easy"]] * 40 + [["hard", "hard"]] * 10 + [["hard", None]] * 15
    >>> print(missing_not_at_random(Study(Ratings.from_wide(rows))).message)
    Ratings are missing for a reason: 'hard' makes up 100% of the ratings of items that not
    everybody rated, and 20% of those that all rated (chi-square 29.14, p < 0.001).
    """
    patterns = study.patterns
    n_gk = study.by_rater
    if patterns is None or n_gk is None or not (study.is_panel and study.ratings.n_missing):
        return None
    groups = _Groups.of(patterns, n_gk)
    if groups.n.min() < _FEWEST_INCOMPLETE or np.count_nonzero(groups.used.sum(axis=0)) < 2:
        return None
    statistic, p_value, association = groups.test()
    if not p_value < study.level or association < _SMALLEST_ASSOCIATION:
        return None
    shares = groups.used / groups.used.sum(axis=1, keepdims=True)
    label = int((shares[0] - shares[1]).argmax())
    return Finding(
        "missing_not_at_random",
        "caution",
        f"Ratings are missing for a reason: {study.label(label)} makes up {shares[0, label]:.0%} "
        f"of the ratings of items that not everybody rated, and {shares[1, label]:.0%} of those "
        f"that all rated (chi-square {statistic:.2f}, p {p_text(p_value)}).",
        "Find out why these items were skipped; agreement on what is left does not speak for them.",
        {
            "label": study.ratings.categories[label],
            "share_incomplete": float(shares[0, label]),
            "share_complete": float(shares[1, label]),
            "statistic": statistic,
            "p_value": p_value,
            "effect": association,
        },
    )


@dataclass(frozen=True)
class _Groups:
    """Items with ratings missing (0) and complete ones (1), and how ratings vary in both."""

    n: Floats  # (2,): items
    used: Floats  # (2, labels): ratings
    means: Floats  # (2, labels): of an item's average excess over the raters' habits
    error: Floats  # (labels, labels): covariance of the difference of these means

    @classmethod
    def of(cls, patterns: Patterns, n_gk: Floats) -> _Groups:
        codes, times = patterns.codes, patterns.multiplicity.astype(np.float64)
        n_labels = n_gk.shape[1]
        n_g = np.maximum(n_gk.sum(axis=1, keepdims=True), 1.0)
        n, thinned, pairs = np.zeros(2), np.zeros(2), 0.0
        used, sums = np.zeros((2, n_labels)), np.zeros((2, n_labels))
        together = np.zeros((n_labels, n_labels))
        for start in range(0, len(codes), CHUNK):
            part, w = codes[start : start + CHUNK], times[start : start + CHUNK]
            n_ik, excess, given = _excess(part, n_gk / n_g)
            together += (excess * w[:, None]).T @ excess
            pairs += float(w @ (given * (given - 1.0)))
            complete = given == part.shape[1]
            for kind, members in enumerate(((given > 0) & ~complete, complete)):
                share = w[members] / given[members]
                n[kind] += w[members].sum()
                thinned[kind] += share.sum()
                used[kind] += w[members] @ n_ik[members]
                sums[kind] += share @ excess[members]
        # Ratings of rater g have covariance diag(h_g) - h_g h_g'; two ratings of an item share
        # `between`, so the average of m ratings has between + (single - between) / m.
        alone = np.diag(n_gk.sum(axis=0)) - (n_gk / n_g).T @ n_gk
        single = alone / max(float(n_gk.sum()), 1.0)
        between = (together - alone) / max(pairs, 1.0)
        size = np.maximum(n, 1.0)
        error = (1.0 / size).sum() * between + (thinned / size**2).sum() * (single - between)
        return cls(n, used, sums / size[:, None], error)

    def test(self) -> tuple[float, float, float]:
        """Return chi-square of the difference of means, its p-value and its size."""
        values, axes = np.linalg.eigh(self.error)
        keep = values > 1e-6 * max(float(values[-1]), 1e-300)
        along = axes[:, keep].T @ (self.means[0] - self.means[1])
        statistic = float((along**2 / values[keep]).sum())
        p_value = chi_square_tail(statistic, max(int(keep.sum()), 1))
        return statistic, p_value, (statistic / float(self.n.sum())) ** 0.5


def _excess(codes: Codes, habits: Floats) -> tuple[Floats, Floats, Floats]:
    """Return counts of labels, their excess over the raters' habits, and numbers of ratings."""
    n_labels = habits.shape[1]
    item, rater = np.nonzero(codes >= 0)
    place = item * n_labels + codes[item, rater]
    n_ik = np.bincount(place, minlength=len(codes) * n_labels).reshape(len(codes), n_labels)
    usual = (codes >= 0).astype(np.float64) @ habits
    return n_ik.astype(np.float64), n_ik - usual, n_ik.sum(axis=1).astype(np.float64)
