"""The panel against its definitions, written out naively on random ratings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import consilience as cs
from consilience import panel

EXACT = 1e-9
Marks = NDArray[np.float64]


def _marks(seed: int, n: int = 120, people: int = 4) -> Marks:
    """Marks of people and, last, a system; NaN where there is none."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 5, n)
    noise = rng.choice([-1, 0, 0, 0, 1], (n, people + 1))
    marks = np.clip(truth[:, None] + noise, 0, 4).astype(float)
    marks[rng.random(marks.shape) < 0.25] = np.nan
    return np.asarray(marks)


def _score(scoring: str, label: float, others: Marks) -> float:
    if scoring == "accuracy":
        return float(np.mean(others == label))
    return -math.sqrt(float(np.mean((others - label) ** 2)))


def _naive_alternative(
    x: Marks, scoring: str, epsilon: float
) -> tuple[list[float], list[float], float, float]:
    """p-values, advantages, winning rate and advantage probability with a loop over items."""
    p_values, advantages = [], []
    people = x.shape[1] - 1
    for j in range(people):
        wins, losses = [], []
        for row in x:
            others = np.array([row[k] for k in range(people) if k != j and not np.isnan(row[k])])
            if np.isnan(row[j]) or np.isnan(row[-1]) or not others.size:
                continue
            system, person = _score(scoring, row[-1], others), _score(scoring, row[j], others)
            wins.append(system >= person - 1e-12)
            losses.append(person >= system - 1e-12)
        d = np.array(losses, dtype=float) - np.array(wins, dtype=float)
        p_values.append(float(stats.ttest_1samp(d, epsilon, alternative="less").pvalue))
        advantages.append(float(np.mean(wins)))
    m = people
    adjusted = stats.false_discovery_control(p_values, method="by")
    rate = float(np.mean(adjusted <= 0.05))
    assert m == len(advantages)
    return p_values, advantages, rate, float(np.mean(advantages))


@pytest.mark.parametrize("scoring", ["accuracy", "neg_rmse"])
@pytest.mark.parametrize("epsilon", [0.1, 0.2])
@pytest.mark.parametrize("seed", range(3))
def test_the_alternative_annotator_test_is_its_definition(
    seed: int, epsilon: float, scoring: str
) -> None:
    x = _marks(seed)
    ratings = cs.Ratings.from_wide(x, raters=["a", "b", "c", "d", "gpt"], scale="ordinal")
    found = panel.alternative_annotator_test(
        ratings, system="gpt", scoring=scoring, epsilon=epsilon
    )
    p_values, advantages, rate, probability = _naive_alternative(x, scoring, epsilon)
    np.testing.assert_allclose(found.p_values, p_values, atol=EXACT)
    np.testing.assert_allclose([one.advantage for one in found.people], advantages, atol=EXACT)
    assert found.winning_rate == pytest.approx(rate, abs=EXACT)
    assert found.advantage_probability == pytest.approx(probability, abs=EXACT)
    assert found.passed == (rate >= 0.5)


def _kappa(x: Marks, y: Marks, weights: str) -> float:
    """Weighted kappa; a rater's distribution is that of all her marks (Gwet's rule)."""
    both = ~(np.isnan(x) | np.isnan(y))
    a, b = x[both].astype(int), y[both].astype(int)
    d = np.abs(np.subtract.outer(np.arange(5.0), np.arange(5.0)))
    d = (d > 0).astype(float) if weights == "nominal" else d if weights == "linear" else d**2
    observed = float(np.mean([d[i, j] for i, j in zip(a, b, strict=True)]))
    p, q = (np.array([float(np.mean(v[~np.isnan(v)] == k)) for k in range(5)]) for v in (x, y))
    return 1.0 - observed / float(p @ d @ q)


def _gap(x: Marks, weights: str) -> float:
    """mean_c [K(system, c) - mean_{c' != c} K(c, c')]."""
    people = x.shape[1] - 1
    parts = []
    for c in range(people):
        others = [_kappa(x[:, c], x[:, d], weights) for d in range(people) if d != c]
        parts.append(_kappa(x[:, -1], x[:, c], weights) - float(np.mean(others)))
    return float(np.mean(parts))


@pytest.mark.parametrize("weights", ["nominal", "linear", "quadratic"])
def test_the_gap_and_its_interval_are_those_of_resampled_items(weights: str) -> None:
    x = _marks(7)
    ratings = cs.Ratings.from_wide(
        x, raters=["a", "b", "c", "d", "gpt"], scale="ordinal", categories=[0, 1, 2, 3, 4]
    )
    name = f"cohen_kappa:{weights}"
    options: dict[str, Any] = {"coefficients": [name], "n_resamples": 4000, "rng": 1}
    found = panel.compare(ratings, systems="gpt", method="bootstrap", **options)
    gap = found["gpt"].gap[next(iter(found["gpt"].gap))]
    assert gap.value == pytest.approx(_gap(x, weights), abs=EXACT)
    rng = np.random.default_rng(3)
    drawn = [_gap(x[rng.integers(0, len(x), len(x))], weights) for _ in range(400)]
    # Four hundred draws know their own spread to 3.5 per cent, quantiles to about a tenth of it.
    assert gap.standard_error == pytest.approx(float(np.std(drawn, ddof=1)), rel=0.13)
    low, high = np.quantile(drawn, [0.025, 0.975])
    assert gap.interval.low == pytest.approx(low, abs=0.5 * gap.standard_error)
    assert gap.interval.high == pytest.approx(high, abs=0.5 * gap.standard_error)
