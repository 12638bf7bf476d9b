"""Raters who differ: one apart from the rest, or all of them in how they use the labels."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats
from consilience.core.verdict import THRESHOLDS
from consilience.core.words import p_text
from consilience.distances import get_distance
from consilience.document import Finding
from consilience.exceptions import ConsilienceError
from consilience.findings._study import CHUNK, Study, named, register, upper_first
from consilience.inference import marginal_homogeneity
from consilience.ratings.stores import Patterns
from consilience.rows.reduce import label_space

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
    n_raters = patterns.codes.shape[1]
    best: tuple[float, int, float, float] | None = None
    critical = NormalDist().inv_cdf(1.0 - study.level / (2 * n_raters))
    for g, sums in enumerate(_compared(study, patterns)):
        own, rest, z = sums.result()
        if z < -critical and rest - own >= _GAP and (best is None or z < best[0]):
            best = (z, g, own, rest)
    if best is None:
        return None
    z, g, own, rest = best
    rater = study.ratings.raters[g]
    by_name = get_distance(study.distance, scale=study.ratings.scale).name == "nominal"
    what = "agreement" if by_name else "agreement weighted by distance"
    of_pairs = " of pairs" if by_name else ""
    return Finding(
        "rater_apart",
        "caution",
        upper_first(
            f"{named(rater)} stands apart: {what} with the others is {own:.0%}{of_pairs}, among "
            f"the others it is {rest:.0%}."
        ),
        "Talk the items through on which this rater differs; retrain before more is rated.",
        {"rater": rater, "with_others": own, "among_others": rest, "z": z},
    )


@dataclass
class _Sums:
    """What one rater's items add up to: agreement with the others, theirs, and the difference."""

    n: float = 0.0
    own: float = 0.0
    rest: float = 0.0
    square: float = 0.0

    def add(self, own: Floats, rest: Floats, times: Floats) -> None:
        self.n += float(times.sum())
        self.own += float(times @ own)
        self.rest += float(times @ rest)
        self.square += float(times @ (own - rest) ** 2)

    def result(self) -> tuple[float, float, float]:
        """Return agreement with the others, among the others, and z of the mean difference."""
        if self.n < 2:
            return 0.0, 0.0, 0.0
        own, rest = self.own / self.n, self.rest / self.n
        mean = own - rest
        variance = max(self.square / self.n - mean**2, 0.0) * self.n / (self.n - 1.0)
        error = (variance / self.n) ** 0.5
        # Items that all show the same difference leave no error: then n alone decides.
        return own, rest, mean / max(error, abs(mean) / self.n**0.5, 1e-300)


def _compared(study: Study, patterns: Patterns) -> list[_Sums]:
    """Compare each rater with the rest, item by item, some distinct items at a time."""
    distance = get_distance(study.distance, scale=study.ratings.scale)
    d_kl = distance.matrix(label_space(study.ratings), study.coincidences.sum(axis=1))
    a_kl = 1.0 - d_kl / max(float(d_kl.max()), 1e-300)
    sums = [_Sums() for _ in study.ratings.raters]
    for start in range(0, len(patterns.codes), CHUNK):
        part = slice(start, start + CHUNK)
        codes, times = patterns.codes[part].T, patterns.multiplicity[part].astype(np.float64)
        agreed, pairs = _agreement(a_kl, codes)
        # Each pair stands in the sums of both its raters.
        all_agreed, all_pairs = agreed.sum(axis=0) / 2.0, pairs.sum(axis=0) / 2.0
        for g, total in enumerate(sums):
            others = all_pairs - pairs[g]
            both = (pairs[g] > 0) & (others > 0)
            own = agreed[g][both] / pairs[g][both]
            total.add(own, (all_agreed - agreed[g])[both] / others[both], times[both])
    return sums


def _agreement(a_kl: Floats, codes: NDArray[Any]) -> tuple[Floats, Floats]:
    """Sum for each rater and item the agreement with the others, and count these pairs."""
    agreed, pairs = np.zeros(codes.shape), np.zeros(codes.shape)
    for g, h in combinations(range(len(codes)), 2):
        both = (codes[g] >= 0) & (codes[h] >= 0)
        agreement = np.where(both, a_kl[codes[g], codes[h]], 0.0)
        for one in (g, h):
            agreed[one] += agreement
            pairs[one] += both
    return agreed, pairs


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


# ---- bias and the chance part of kappa

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


def _is_real(study: Study) -> bool:
    """Tell whether raters' shares of the labels differ by more than chance."""
    try:
        return marginal_homogeneity(study.ratings).p_value < study.level
    except ConsilienceError:  # nothing to compare
        return False
