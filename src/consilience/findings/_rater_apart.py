"""One rater apart from the rest."""

from __future__ import annotations

from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.distances import get_distance
from consilience.document import Finding
from consilience.findings._base import register
from consilience.findings._study import FloatArray, Study
from consilience.rows import label_space

_GAP = 0.05


@register
def rater_apart(study: Study) -> Finding | None:
    """Say when one rater agrees with the others clearly less than they do among themselves.

    For each item, agreement of the rater with the others minus agreement among the others; the
    mean over items is tested, with Bonferroni's correction for the number of raters.

    Examples
    --------
    >>> from consilience import Ratings
    >>> rows = [["a", "a", "b"], ["b", "b", "b"], ["c", "c", "a"], ["a", "a", "c"]] * 10
    >>> found = rater_apart(Study(Ratings.from_wide(rows, raters=["Ann", "Bob", "Cid"])))
    >>> print(found.message)
    Cid stands apart: agreement with the others is 25% of pairs, among the others it is 100%.
    """
    patterns = study.patterns
    if patterns is None or not study.has_categories or not len(study.ratings.raters) >= 3:
        return None
    if not study.is_panel:
        return None
    agreement = _agreement(study, patterns.codes)
    times = patterns.multiplicity.astype(np.float64)
    n_raters = patterns.codes.shape[1]
    best: tuple[float, int, float, float] | None = None
    critical = NormalDist().inv_cdf(1.0 - study.level / (2 * n_raters))
    for g in range(n_raters):
        own, rest, z = _compared(agreement, g, times)
        if z < -critical and rest - own >= _GAP and (best is None or z < best[0]):
            best = (z, g, own, rest)
    if best is None:
        return None
    _, g, own, rest = best
    rater = study.ratings.raters[g]
    return Finding(
        "rater_apart",
        "caution",
        f"{rater} stands apart: agreement with the others is {own:.0%} of pairs, among the others "
        f"it is {rest:.0%}.",
        "Talk the items through on which this rater differs; retrain before more is rated.",
        {"rater": rater, "with_others": own, "among_others": rest, "z": best[0]},
    )


def _agreement(study: Study, codes: NDArray[Any]) -> dict[tuple[int, int], FloatArray]:
    """Return for each pair of raters the agreement on each pattern, NaN where one is missing."""
    distance = get_distance(None, scale=study.ratings.scale)
    used = study.coincidences.sum(axis=1)
    d_kl = distance.matrix(label_space(study.ratings), used)
    a_kl = 1.0 - d_kl / max(float(d_kl.max()), 1e-300)
    out = {}
    for g, h in combinations(range(codes.shape[1]), 2):
        both = (codes[:, g] >= 0) & (codes[:, h] >= 0)
        out[g, h] = np.where(both, a_kl[codes[:, g], codes[:, h]], np.nan)
    return out


def _compared(
    agreement: dict[tuple[int, int], FloatArray], g: int, times: FloatArray
) -> tuple[float, float, float]:
    """Return a rater's agreement with the others, theirs, and z of the mean difference."""
    own = _mean([a for pair, a in agreement.items() if g in pair])
    rest = _mean([a for pair, a in agreement.items() if g not in pair])
    both = ~(np.isnan(own) | np.isnan(rest))
    n = times[both].sum()
    if n < 2:
        return 0.0, 0.0, 0.0
    weight = times[both] / n
    difference = own[both] - rest[both]
    mean = float(weight @ difference)
    variance = float(weight @ (difference - mean) ** 2) * n / (n - 1.0)
    error = (variance / n) ** 0.5
    # Items that all show the same difference leave no error: then n alone decides.
    z = mean / max(error, abs(mean) / n**0.5, 1e-300)
    return float(weight @ own[both]), float(weight @ rest[both]), z


def _mean(parts: list[FloatArray]) -> FloatArray:
    """Return the mean over pairs, leaving missing ones out."""
    stacked = np.array(parts)
    given = ~np.isnan(stacked)
    total = np.where(given, stacked, 0.0).sum(axis=0)
    n = given.sum(axis=0)
    return np.where(n > 0, total / np.maximum(n, 1), np.nan)
