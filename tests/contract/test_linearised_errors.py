"""Linearised standard errors, written again item by item from their formulas.

Gwet's linearisation for percent agreement, S, AC, pi and kappa of any number of raters; for alpha
the same on the pairable items, with the factor 1 - 1/N of its small-sample term. Every design
that can be: complete, items with different numbers of ratings, items with a single one, items with
none, labels that nobody used.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import consilience as cs

Weights = np.ndarray
DESIGNS = ("complete", "unequal", "single", "empty item")
CIRCUMFERENCE = 9


def weights(name: str, q: int) -> Weights:
    """Agreement weights of scores 1..q, each divided by its largest distance."""
    c = np.arange(1.0, q + 1)
    k, l = np.meshgrid(c, c, indexing="ij")  # noqa: E741
    gap, span = abs(k - l), q - 1.0
    ends = (k + l - 2) * (2 * q - k - l)
    d = {
        "nominal": (gap > 0) * 1.0,
        "linear": gap / span,
        "quadratic": (gap / span) ** 2,
        "radical": np.sqrt(gap / span),
        "ratio": ((k - l) / (k + l)) ** 2,
        "ordinal-gwet": gap * (gap + 1) / 2,
        "bipolar": np.where(ends > 0, gap**2 / np.where(ends > 0, ends, 1), 0.0),
        "circular": np.sin(np.pi * gap / CIRCUMFERENCE) ** 2,
    }[name]
    return 1 - d / d.max()


def distance(name: str, q: int) -> Any:
    if name == "bipolar":
        return cs.distances.bipolar(minimum=1, maximum=q)
    return cs.distances.circular(CIRCUMFERENCE) if name == "circular" else name


class Items:
    """Counts of labels per item, with the symbols of the formulas."""

    def __init__(self, codes: np.ndarray, q: int, w: Weights) -> None:
        self.codes = codes[(codes >= 0).any(axis=1)]
        self.w, self.q = w, q
        self.r_ik = np.array([[np.sum(row == k) for k in range(q)] for row in self.codes], float)
        self.r_i = self.r_ik.sum(axis=1)
        self.n, self.paired = len(self.r_i), self.r_i >= 2
        share = self.r_ik * (self.r_ik @ w.T - 1)
        pairs = np.where(self.paired, self.r_i * (self.r_i - 1), 1)
        self.agr_i = np.where(self.paired, share.sum(axis=1) / pairs, 0.0)
        self.observed = self.agr_i[self.paired].mean()
        self.pi_k = (self.r_ik / self.r_i[:, None]).mean(axis=0)


def spread(x_i: np.ndarray) -> float:
    n = len(x_i)
    return math.sqrt(((x_i - x_i.mean()) ** 2).sum() / (n * (n - 1)))


def linearised(items: Items, expected: float, e_i: np.ndarray | float) -> tuple[float, float]:
    value = (items.observed - expected) / (1 - expected)
    more = items.n / items.paired.sum()
    k_i = more * (items.agr_i - expected * items.paired) / (1 - expected)
    return value, spread(k_i - 2 * (1 - value) * (e_i - expected) / (1 - expected))


def percent(items: Items) -> tuple[float, float]:
    return items.observed, spread(items.n / items.paired.sum() * items.agr_i)


def bennett(items: Items) -> tuple[float, float]:
    chance = items.w.sum() / items.q**2
    return linearised(items, chance, chance)


def gwet(items: Items) -> tuple[float, float]:
    factor = items.w.sum() / (items.q * (items.q - 1))
    e_i = factor * ((1 - items.pi_k) * items.r_ik / items.r_i[:, None]).sum(axis=1)
    return linearised(items, factor * (items.pi_k * (1 - items.pi_k)).sum(), e_i)


def scott(items: Items) -> tuple[float, float]:
    mean_k = (items.w + items.w.T) / 2 @ items.pi_k
    e_i = items.r_ik / items.r_i[:, None] @ mean_k
    return linearised(items, items.pi_k @ items.w @ items.pi_k, e_i)


def conger(items: Items) -> tuple[float, float]:
    raters = [column for column in items.codes.T if (column >= 0).any()]
    r, n, labels = len(raters), items.n, np.arange(items.q)
    given = [column >= 0 for column in raters]
    p_gk = np.array(
        [(c[:, None] == labels).sum(axis=0) / g.sum() for c, g in zip(raters, given, strict=True)]
    )
    chance = np.mean([p_gk[a] @ items.w @ p_gk[b] for a in range(r) for b in range(r) if a != b])
    e_i = np.zeros(n)
    for column, there, p_k in zip(raters, given, p_gk, strict=True):
        n_g = there.sum()
        gave = (column[:, None] == labels) - (there - n_g / n)[:, None] * p_k
        e_i += n / n_g * (gave @ items.w.T) @ (p_gk.sum(axis=0) - p_k)
    return linearised(items, float(chance), e_i / (r * (r - 1)))


def alpha(items: Items) -> tuple[float, float]:
    r_ik, r_i = items.r_ik[items.paired], items.r_i[items.paired]
    mean, small = r_i.mean(), 1 / r_i.sum()
    p_i = (r_ik * (r_ik @ items.w.T - 1)).sum(axis=1) / (mean * (r_i - 1))
    p_k = (r_ik / mean).mean(axis=0)
    chance = p_k @ items.w @ p_k
    e_i = r_ik @ ((items.w + items.w.T) / 2 @ p_k) / mean - chance * (r_i - mean) / mean
    prime = (p_i.mean() - chance) / (1 - chance)
    a_i = p_i - p_i.mean() * (r_i - mean) / mean
    k_i = (a_i - chance) / (1 - chance) - 2 * (1 - prime) * (e_i - chance) / (1 - chance)
    return (1 - small) * prime + small, (1 - small) * spread(k_i)


FORMULAS: dict[str, Callable[[Items], tuple[float, float]]] = {
    "percent_agreement": percent,
    "bennett_s": bennett,
    "gwet_ac": gwet,
    "scott_pi": scott,
    "cohen_kappa": conger,
    "krippendorff_alpha": alpha,
}


def codes_of(design: str, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    n, r, used = 14, 4, 3
    truth = rng.integers(used, size=(n, 1))
    codes = np.where(rng.random((n, r)) < 0.6, truth, rng.integers(used, size=(n, r)))
    if design == "unequal":
        codes[:6, 0], codes[4:9, 3] = -1, -1
    if design == "single":
        codes[rng.random((n, r)) < 0.5] = -1
        codes[0, 1:], codes[1] = -1, (0, 1, 1, -1)
    if design == "empty item":
        codes[2], codes[3, :2] = -1, -1
    return codes


@pytest.mark.parametrize(
    "metric",
    ["nominal", "linear", "quadratic", "radical", "ratio", "ordinal-gwet", "bipolar", "circular"],
)
@pytest.mark.parametrize("name", FORMULAS)
def test_value_and_error_are_those_of_the_formulas(name: str, metric: str) -> None:
    for design in DESIGNS:
        q = 4  # the fourth label is never used
        for seed in range(3):
            codes = codes_of(design, seed)
            value, error = FORMULAS[name](Items(codes, q, weights(metric, q)))
            rows = [[None if x < 0 else int(x) + 1 for x in row] for row in codes]
            ratings = cs.Ratings.from_wide(rows, categories=range(1, q + 1), scale="ordinal")
            # Single ratings: Gwet takes their share for known, and has an option of his own.
            method = "linearised" if name == "krippendorff_alpha" else "gwet"
            found = getattr(cs, name)(
                ratings, distance=distance(metric, q), standard_error=method, on_undefined="ignore"
            )
            assert found.value == pytest.approx(value, rel=1e-10, abs=1e-12)
            assert found.standard_error == pytest.approx(error, rel=1e-9)
            if design != "single":
                usual = getattr(cs, name)(
                    ratings, distance=distance(metric, q), standard_error="linearised"
                )
                assert usual.standard_error == pytest.approx(error, rel=1e-9)
