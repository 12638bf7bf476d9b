"""Latent models against their definitions, written out naively on random ratings."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

import consilience as cs
from consilience import latent

EXACT = 1e-9
Array = NDArray[np.float64]


def _crowd(seed: int, n: int = 60, raters: int = 5, labels: int = 3) -> NDArray[np.int64]:
    """Ratings of a simulated crowd; -1 where there is none."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, n)
    right = rng.random((n, raters)) < rng.uniform(0.5, 0.95, raters)
    given = np.where(right, truth[:, None], rng.integers(0, labels, (n, raters)))
    given[rng.random((n, raters)) < 0.2] = -1
    given[(given >= 0).sum(axis=1) == 0, 0] = 0
    return np.asarray(given)


def _ratings(given: NDArray[np.int64], labels: int = 3) -> cs.Ratings:
    names = "abcdefg"[:labels]
    rows = [[None if k < 0 else names[k] for k in row] for row in given.tolist()]
    return cs.Ratings.from_wide(rows, categories=list(names))


def _naive_dawid_skene(
    given: NDArray[np.int64], labels: int, rounds: int
) -> tuple[Array, Array, Array, float]:
    """Expectation-maximisation with loops over items, raters and labels; a given number of times.

    Returns posterior, shares, error rates and the log-likelihood at those rates.
    """
    n, raters = given.shape
    t = np.zeros((n, labels))
    for i, row in enumerate(given):
        for k in row[row >= 0]:
            t[i, k] += 1.0
        t[i] /= t[i].sum()
    p, pi, likelihood = np.zeros(labels), np.zeros((raters, labels, labels)), 0.0
    for _ in range(rounds):
        p = t.mean(axis=0)
        pi = np.zeros((raters, labels, labels))
        for g in range(raters):
            for j in range(labels):
                for i in range(n):
                    if given[i, g] >= 0:
                        pi[g, j, given[i, g]] += t[i, j]
                pi[g, j] /= pi[g, j].sum()
        likelihood = 0.0
        for i in range(n):
            weight = p.copy()
            for g in range(raters):
                if given[i, g] >= 0:
                    weight *= pi[g, :, given[i, g]]
            likelihood += math.log(weight.sum())
            t[i] = weight / weight.sum()
    return t, p, pi, likelihood


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rounds", [1, 7])
def test_dawid_skene_is_the_algorithm_as_written(seed: int, rounds: int) -> None:
    given = _crowd(seed)
    t, p, pi, likelihood = _naive_dawid_skene(given, 3, rounds)
    found = latent.dawid_skene(_ratings(given), max_iterations=rounds, tolerance=0.0)
    assert found.n_iterations == rounds
    assert found.log_likelihood == pytest.approx(likelihood, abs=EXACT)
    np.testing.assert_allclose(found.posterior, t, atol=EXACT)
    np.testing.assert_allclose(found.prevalence, p, atol=EXACT)
    np.testing.assert_allclose(found.error_rates, pi, atol=EXACT)


def test_accuracy_of_a_rater_weighs_her_rates_by_the_shares_of_the_labels() -> None:
    found = latent.dawid_skene(_ratings(_crowd(4)))
    for g, one in enumerate(found.raters):
        right = sum(found.prevalence[j] * found.error_rates[g, j, j] for j in range(3))
        assert one.accuracy == pytest.approx(right, abs=EXACT)


def _class_likelihood(given: NDArray[np.int64], p: Array, pi: Array) -> float:
    total = 0.0
    for row in given:
        weight = p.copy()
        for g, k in enumerate(row):
            if k >= 0:
                weight = weight * pi[g, :, k]
        total += math.log(weight.sum())
    return total


@pytest.mark.parametrize("classes", [1, 2, 3])
def test_latent_classes_fit_statistics_as_written(classes: int) -> None:
    rng = np.random.default_rng(8)
    n, raters, labels = 150, 4, 2
    truth = rng.random(n) < 0.4
    given = np.where(rng.random((n, raters)) < 0.85, truth[:, None], ~truth[:, None]).astype(int)
    found = latent.latent_classes(_ratings(given, labels), n_classes=classes)
    p, pi = np.asarray(found.prevalence), np.asarray(found.rates)
    likelihood = _class_likelihood(given, p, pi)
    assert found.log_likelihood == pytest.approx(likelihood, abs=1e-7)
    observed: dict[tuple[int, ...], int] = {}
    for row in given.tolist():
        observed[tuple(row)] = observed.get(tuple(row), 0) + 1
    g2 = x2 = 0.0
    for pattern in product(range(labels), repeat=raters):
        expected = n * math.exp(_class_likelihood(np.array([pattern]), p, pi))
        o = observed.get(pattern, 0)
        g2 += 2 * o * math.log(o / expected) if o else 0.0
        x2 += (o - expected) ** 2 / expected
    parameters = classes - 1 + classes * raters * (labels - 1)
    assert found.g_squared == pytest.approx(g2, abs=1e-7)
    assert found.x_squared == pytest.approx(x2, abs=1e-7)
    assert found.degrees_of_freedom == labels**raters - 1 - parameters
    assert found.aic == pytest.approx(-2 * likelihood + 2 * parameters, abs=1e-7)
    assert found.bic == pytest.approx(-2 * likelihood + parameters * math.log(n), abs=1e-7)


def test_latent_classes_with_gaps_maximise_the_likelihood_of_what_is_there() -> None:
    given = _crowd(2, n=120, raters=4, labels=2)
    found = latent.latent_classes(_ratings(given, 2), n_classes=2)
    p, pi = np.asarray(found.prevalence), np.asarray(found.rates)
    best = _class_likelihood(given, p, pi)
    assert found.log_likelihood == pytest.approx(best, abs=1e-7)
    rng = np.random.default_rng(0)
    for _ in range(30):  # nothing near it is more likely
        other_p = p * np.exp(rng.normal(0, 0.02, p.shape))
        other = pi * np.exp(rng.normal(0, 0.02, pi.shape))
        other /= other.sum(axis=2, keepdims=True)
        assert _class_likelihood(given, other_p / other_p.sum(), other) <= best + 1e-7


def _naive_omega(x: NDArray[np.int64], labels: int, chance: str) -> tuple[float, float, float]:
    """Raters × items × occasions to omega, P_A and w, with loops; corrected union."""
    raters, n, times = x.shape
    shares = np.array([[float((x[g] == k).mean()) for k in range(labels)] for g in range(raters)])
    if chance == "uniform":
        shares = np.full((raters, labels), 1 / labels)
    elif chance == "pooled":
        shares = np.tile(shares.mean(axis=0), (raters, 1))
    observed, expected, weights = [], [], []
    for g in range(raters):
        for h in range(g + 1, raters):
            agree = sum(
                sum(x[g, i, s] == x[h, i, t] for s in range(times) for t in range(times)) / times**2
                for i in range(n)
            )
            luck = [float((shares[one] ** times).sum()) for one in (g, h)]
            u = [[len(set(x[one, i])) > 1 for i in range(n)] for one in (g, h)]
            c_g, c_h = (min(1.0, np.mean(u[j]) / (1 - luck[j])) for j in (0, 1))
            both = np.mean([a and b for a, b in zip(*u, strict=True)])
            c_gh = min(1.0, both / (1 - luck[0]) / (1 - luck[1]))
            w = min(1.0, max(c_g + c_h - c_gh, c_g, c_h))
            observed.append(agree / n)
            weights.append(w)
            expected.append(w * float(shares[g] @ shares[h]))
    p_a, p_c = float(np.mean(observed)), float(np.mean(expected))
    return (p_a - p_c) / (1 - p_c), p_a, float(np.mean(weights))


@pytest.mark.parametrize("chance", ["uniform", "marginal", "pooled"])
@pytest.mark.parametrize("seed", range(3))
def test_omega_of_three_raters_is_its_definition(chance: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    raters, n, times, labels = 3, 50, 3, 3
    truth = rng.integers(0, labels, n)
    guess = rng.random((raters, n, 1)) < 0.3
    drawn = rng.choice(labels, p=[0.5, 0.3, 0.2], size=(raters, n, times))
    x = np.where(guess, drawn, truth[None, :, None])
    g, i, t = np.indices(x.shape)
    long = {"item": i.ravel(), "rater": g.ravel(), "occasion": t.ravel(), "label": x.ravel()}
    ratings = cs.Ratings.from_long(long, occasion="occasion")
    found = latent.omega(ratings, chance=chance)
    value, p_a, w = _naive_omega(x, labels, chance)
    assert found.observed == pytest.approx(p_a, abs=EXACT)
    assert found.weight == pytest.approx(w, abs=EXACT)
    assert found.value == pytest.approx(value, abs=EXACT)


@pytest.mark.parametrize("seed", range(3))
def test_aickin_alpha_is_where_a_general_optimiser_ends(seed: int) -> None:
    from scipy.optimize import minimize

    rng = np.random.default_rng(seed)
    table = rng.integers(2, 9, (3, 3)) + np.diag(rng.integers(15, 40, 3))

    def loss(free: Array) -> float:
        a = 1 / (1 + math.exp(-free[0]))
        u, v = (np.exp(np.append(0.0, part)) for part in (free[1:3], free[3:5]))
        u, v = u / u.sum(), v / v.sum()
        shared = u * v / float(u @ v)
        cells = (1 - a) * np.outer(u, v) + a * np.diag(shared)
        return -float((table * np.log(cells)).sum())

    best = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-9})
    found = cs.aickin_alpha(cs.Ratings.from_table(table.tolist()))
    assert found.value == pytest.approx(1 / (1 + math.exp(-best.x[0])), abs=1e-6)
