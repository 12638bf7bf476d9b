"""Measures of magnitudes against their definitions, written out naively on random marks."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import consilience as cs
from consilience import magnitudes as mg

EXACT = 1e-10  # the same formula in another order


def _marks(seed: int, n: int, k: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    marks = rng.normal(10.0, 2.0, (n, 1)) + rng.normal(0.0, 1.0, (1, k)) + rng.normal(0, 1, (n, k))
    return np.asarray(np.round(marks, 1))


def _anova(x: NDArray[np.float64]) -> tuple[float, float, float, float]:
    """Mean squares of items, raters, residual and within items, by the model's residuals."""
    n, k = x.shape
    grand = x.mean()
    item, rater = x.mean(axis=1, keepdims=True), x.mean(axis=0, keepdims=True)
    msr = k * ((item - grand) ** 2).sum() / (n - 1)
    msc = n * ((rater - grand) ** 2).sum() / (k - 1)
    mse = ((x - item - rater + grand) ** 2).sum() / ((n - 1) * (k - 1))
    msw = ((x - item) ** 2).sum() / (n * (k - 1))
    return float(msr), float(msc), float(mse), float(msw)


@pytest.mark.parametrize(("seed", "n", "k"), [(1, 6, 2), (2, 12, 4), (3, 40, 3)])
def test_icc_values_follow_from_the_analysis_of_variance(seed: int, n: int, k: int) -> None:
    x = _marks(seed, n, k)
    r, c, e, w = _anova(x)
    expected = {
        "1": (r - w) / (r + (k - 1) * w),
        "k": (r - w) / r,
        "C,1": (r - e) / (r + (k - 1) * e),
        "C,k": (r - e) / r,
        "A,1": (r - e) / (r + (k - 1) * e + k / n * (c - e)),
        "A,k": (r - e) / (r + (c - e) / n),
    }
    ratings = cs.Ratings.from_wide(x, scale="interval")
    for model, value in expected.items():
        assert mg.icc(ratings, model=model).value == pytest.approx(value, abs=EXACT), model


@pytest.mark.parametrize(("seed", "n", "k"), [(1, 6, 2), (2, 12, 4), (3, 40, 3)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_icc_limits_follow_from_f(seed: int, n: int, k: int, level: float) -> None:
    x = _marks(seed, n, k)
    ratings = cs.Ratings.from_wide(x, scale="interval")
    r, c, e, w = _anova(x)
    p = 0.5 + level / 2
    for single, mean, error, df in (
        ("1", "k", w, n * (k - 1)),
        ("C,1", "C,k", e, (n - 1) * (k - 1)),
    ):
        low = r / error / stats.f.ppf(p, n - 1, df)
        high = r / error * stats.f.ppf(p, df, n - 1)
        one = mg.icc(ratings, model=single).confidence_interval(level, method="mcgraw-wong")
        assert one.low == pytest.approx((low - 1) / (low + k - 1), abs=EXACT)
        assert one.high == pytest.approx((high - 1) / (high + k - 1), abs=EXACT)
        many = mg.icc(ratings, model=mean).confidence_interval(level, method="mcgraw-wong")
        assert (many.low, many.high) == pytest.approx((1 - 1 / low, 1 - 1 / high), abs=EXACT)
    rho = mg.icc(ratings, model="A,1").value
    a, b = k * rho / (n * (1 - rho)), 1 + k * rho * (n - 1) / (n * (1 - rho))
    v = (a * c + b * e) ** 2 / ((a * c) ** 2 / (k - 1) + (b * e) ** 2 / ((n - 1) * (k - 1)))
    up, down = stats.f.ppf(p, n - 1, v), stats.f.ppf(p, v, n - 1)
    rest = k * c + (k * n - k - n) * e
    low, high = n * (r - up * e) / (up * rest + n * r), n * (down * r - e) / (rest + n * down * r)
    one = mg.icc(ratings, model="A,1").confidence_interval(level, method="mcgraw-wong")
    assert (one.low, one.high) == pytest.approx((low, high), abs=EXACT)
    many = mg.icc(ratings, model="A,k").confidence_interval(level, method="mcgraw-wong")
    stepped = [k * limit / (1 + (k - 1) * limit) for limit in (low, high)]
    assert (many.low, many.high) == pytest.approx(tuple(stepped), abs=EXACT)


@pytest.mark.parametrize("null", [0.0, 0.3, 0.75])
def test_icc_tests_of_any_null_value(null: float) -> None:
    x = _marks(5, 15, 3)
    ratings = cs.Ratings.from_wide(x, scale="interval")
    r, _, e, w = _anova(x)
    k = 3
    for single, mean, error, df in (("1", "k", w, 30), ("C,1", "C,k", e, 28)):
        f = r / error / (1 + k * null / (1 - null))
        assert mg.icc(ratings, model=single).test(null).statistic == pytest.approx(f, rel=EXACT)
        p = mg.icc(ratings, model=single).test(null, method="mcgraw-wong").p_value
        assert p == pytest.approx(stats.f.sf(f, 14, df), rel=1e-8)
        f = r / error * (1 - null)
        assert mg.icc(ratings, model=mean).test(null).statistic == pytest.approx(f, rel=EXACT)


@pytest.mark.parametrize("seed", range(4))
def test_lin_ccc_and_its_error_as_written(seed: int) -> None:
    x, y = _marks(seed, 25, 2).T
    found = mg.lin_ccc(x.tolist(), y.tolist())
    n, r = len(x), float(np.corrcoef(x, y)[0, 1])
    s_xy = float(np.cov(x, y, ddof=0)[0, 1])
    gap = float(x.mean() - y.mean())
    rho = 2 * s_xy / (x.var() + y.var() + gap**2)
    u2 = gap**2 / float(x.std() * y.std())
    variance = (
        (1 - r**2) * rho**2 * (1 - rho**2) / r**2
        + 2 * rho**3 * (1 - rho) * u2 / r
        - rho**4 * u2**2 / (2 * r**2)
    ) / (n - 2)
    assert found.value == pytest.approx(rho, abs=EXACT)
    assert found.standard_error == pytest.approx(math.sqrt(variance), abs=EXACT)
    z, reach = math.atanh(rho), stats.norm.ppf(0.975) * math.sqrt(variance) / (1 - rho**2)
    interval = found.confidence_interval()
    limits = (math.tanh(z - reach), math.tanh(z + reach))
    assert (interval.low, interval.high) == pytest.approx(limits, abs=EXACT)
    labels = sorted({*x, *y})
    kappa = cs.cohen_kappa(
        cs.Ratings.from_wide({"x": x, "y": y}, scale="interval", categories=labels),
        distance="interval",
    )
    assert found.value == pytest.approx(kappa.value, abs=1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_marks", [3, 30])
def test_kendall_w_with_ties_as_written(seed: int, n_marks: int) -> None:
    rng = np.random.default_rng(seed)
    n, r = 14, 4
    x = rng.integers(0, n_marks, (n, r)).astype(float)
    ranks = np.apply_along_axis(stats.rankdata, 0, x)
    totals = ranks.sum(axis=1)
    s = ((totals - totals.mean()) ** 2).sum()
    ties = 0.0
    for column in x.T:
        _, t = np.unique(column, return_counts=True)
        ties += float((t.astype(float) ** 3 - t).sum())
    w = 12 * s / (r**2 * (n**3 - n) - r * ties)
    found = mg.kendall_w(cs.Ratings.from_wide(x, scale="interval"))
    assert found.value == pytest.approx(w, abs=EXACT)
    assert found.chi_square == pytest.approx(r * (n - 1) * w, abs=1e-8)
    assert found.p_value == pytest.approx(stats.chi2.sf(r * (n - 1) * w, n - 1), rel=1e-8)
    # Friedman's statistic is the same test, items as treatments.
    assert found.chi_square == pytest.approx(stats.friedmanchisquare(*x)[0], rel=1e-8)


def _weighted(
    measure: str, x: NDArray[np.float64], y: NDArray[np.float64], w: NDArray[np.float64]
) -> float:
    """A measure of order or of straight lines as a function of the weights of the items."""
    n = float(w.sum())
    if measure == "pearson":
        dx, dy = x - w @ x / n, y - w @ y / n
        return float(w @ (dx * dy) / math.sqrt((w @ dx**2) * (w @ dy**2)))
    if measure == "spearman":
        ranks = [np.array([w[v < one].sum() + w[v == one].sum() / 2 for one in v]) for v in (x, y)]
        return _weighted("pearson", ranks[0], ranks[1], w)
    sign = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    both = np.outer(w, w)
    p, q = float(both[sign > 0].sum()), float(both[sign < 0].sum())
    if measure == "goodman_kruskal_gamma":
        return (p - q) / (p + q)
    tied_x, tied_y = (float(both[v[:, None] == v].sum()) for v in (x, y))
    if measure == "kendall_tau":
        return (p - q) / math.sqrt((n**2 - tied_x) * (n**2 - tied_y))
    raise AssertionError(measure)


@pytest.mark.parametrize("measure", ["pearson", "spearman", "goodman_kruskal_gamma", "kendall_tau"])
@pytest.mark.parametrize("seed", range(3))
def test_ase1_is_the_numerical_infinitesimal_jackknife(measure: str, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x = rng.integers(0, 5, 30).astype(float)
    y = np.clip(x + rng.integers(-2, 3, 30), 0, 4).astype(float)
    step, n = 1e-5, 30
    influence = []
    for item in range(n):
        up, down = (np.full(n, 1.0) for _ in range(2))
        up[item] += step
        down[item] -= step
        change = _weighted(measure, x, y, up) - _weighted(measure, x, y, down)
        influence.append(change / (2 * step))
    error = math.sqrt(float(np.square(influence).sum()))
    found = mg.measures()[measure](x.tolist(), y.tolist())
    assert found.value == pytest.approx(_weighted(measure, x, y, np.ones(n)), abs=EXACT)
    assert found.ase1 == pytest.approx(error, rel=1e-6)  # type: ignore[attr-defined]


@pytest.mark.parametrize("seed", range(3))
def test_mean_correlations_are_means_over_pairs(seed: int) -> None:
    x = _marks(seed, 20, 4)
    ratings = cs.Ratings.from_wide(x, scale="interval")
    pairs = list(combinations(range(4), 2))
    for name, function in (("mean_pearson", stats.pearsonr), ("mean_spearman", stats.spearmanr)):
        values = [float(function(x[:, a], x[:, b])[0]) for a, b in pairs]
        plain, fisher = (mg.measures()[name](ratings, average=how) for how in ("plain", "fisher"))
        assert plain.value == pytest.approx(float(np.mean(values)), abs=EXACT)
        by_z = math.tanh(float(np.mean(np.arctanh(values))))
        assert fisher.value == pytest.approx(by_z, abs=EXACT)


@pytest.mark.parametrize("seed", range(3))
def test_differences_of_two_raters_as_written(seed: int) -> None:
    x, y = _marks(seed, 18, 2).T
    d = x - y
    mean, sd = float(d.mean()), float(d.std(ddof=1))
    agreement = mg.bland_altman(x.tolist(), y.tolist())
    limits = (mean - 1.96 * sd, mean + 1.96 * sd)
    assert (agreement.low, agreement.high) == pytest.approx(limits, abs=EXACT)
    slope = stats.linregress((x + y) / 2, d)
    assert agreement.proportional_bias.value == pytest.approx(slope.slope, abs=EXACT)
    assert agreement.proportional_bias.p_value == pytest.approx(slope.pvalue, abs=1e-9)
    paired = mg.paired_differences(x.tolist(), y.tolist())
    record = paired.to_dict()
    average = (x.std(ddof=1) + y.std(ddof=1)) / 2
    pooled = math.sqrt((x.var(ddof=1) + y.var(ddof=1)) / 2)
    assert record["d_z"] == pytest.approx(mean / sd, abs=EXACT)
    assert record["d_av"] == pytest.approx(mean / average, abs=EXACT)
    assert record["d_pooled"] == pytest.approx(mean / pooled, abs=EXACT)
    far = mg.vector_distance(x.tolist(), y.tolist()).to_dict()
    assert far["l1"] == pytest.approx(np.abs(d).sum(), abs=EXACT)
    assert far["l2"] == pytest.approx(math.sqrt((d**2).sum()), abs=EXACT)
    assert far["mean_absolute_error"] == pytest.approx(np.abs(d).mean(), abs=EXACT)
    assert far["root_mean_square_error"] == pytest.approx(math.sqrt((d**2).mean()), abs=EXACT)
