"""Marks of items that go together: errors of whole clusters, checked by other means."""

from __future__ import annotations

import csv
import math
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import magnitudes
from consilience.exceptions import UnsupportedDesignError
from needed import SHARED, needs_data

FRONTIER = SHARED / "golden" / "frontier"
needs_frontier = needs_data(FRONTIER)


def two_methods(name: str, first: str, second: str) -> cs.Ratings:
    """Two methods' readings, side by side as they were taken, with the patient of each pair."""
    with (FRONTIER / name).open(encoding="utf-8") as file:
        rows = [row for row in csv.DictReader(file) if row["meth"] in (first, second)]
    table = {
        "pair": [f"{row['item']}/{row['repl']}" for row in rows],
        "method": [row["meth"] for row in rows],
        "value": [float(row["y"]) for row in rows],
    }
    ratings = cs.Ratings.from_long(
        table, item="pair", rater="method", label="value", scale="interval"
    ).select(raters=[first, second])
    return ratings.with_clusters([str(x).partition("/")[0] for x in ratings.items], "patient")


@needs_frontier
def test_blood_pressure_of_bland_and_altman_1999() -> None:
    limits = cs.bland_altman(two_methods("bland_altman_1999_sbp.csv", "J", "S"))
    # The standard deviation of 85 patients' mean differences, by the root of 85 (three each).
    assert limits.bias == pytest.approx(-15.619608, abs=1e-6)
    assert limits.standard_error == pytest.approx(2.05367, abs=1e-5)
    assert limits.degrees_of_freedom == 84
    assert tuple(limits.confidence_interval()) == pytest.approx((-19.70355, -11.53566), abs=1e-5)


@needs_frontier
def test_cardiac_output_of_bland_and_altman_2007() -> None:
    """The true value varies: limits -1.34 and 2.54 are printed, from one-way mean squares."""
    limits = cs.bland_altman(two_methods("bland_altman_1999_cardiac.csv", "RV", "IC"))
    assert limits.bias == pytest.approx(0.6022, abs=1e-4)
    assert limits.sd == pytest.approx(0.9906, abs=1e-4)
    assert (limits.low, limits.high) == pytest.approx((-1.3395, 2.5438), abs=1e-4)


# ------------------------------------------------------------------ against the jackknife


def draw(rng: np.random.Generator, n_clusters: int, n_raters: int = 2) -> tuple[Any, Any]:
    """Marks of clusters of 1 to 7 items that are alike, and so are the raters' errors on them."""
    code = np.repeat(np.arange(n_clusters), rng.integers(1, 8, n_clusters))
    item = 0.8 * rng.normal(size=n_clusters)[code] + 0.6 * rng.normal(size=code.size)
    off = rng.normal(0.3, 0.7, (n_clusters, n_raters))[code]
    marks = item[:, None] + off * (np.arange(n_raters) > 0) + rng.normal(0, 0.5, off.shape)
    return marks, code


TWO = {
    "bland_altman": {}, "covariance": {}, "goodman_kruskal_gamma": {}, "kendall_tau": {},
    "lin_ccc": {}, "paired_differences": {}, "pearson": {}, "regression": {}, "somers_d": {},
    "spearman": {}, "vector_distance": {},
    "kendall_tau a": {"variant": "a"}, "regression deming": {"method": "deming"},
    "regression back": {"method": "first-on-second"}, "somers_d first": {"predicted": "first"},
    "mean_pearson": {"average": "plain"}, "mean_spearman": {"average": "plain"},
}  # fmt: skip


@pytest.mark.parametrize("case", TWO)
def test_errors_are_those_of_the_jackknife_over_clusters(case: str) -> None:
    """Leave out each of 80 clusters by hand: the spread of the values is the error."""
    measure = magnitudes.measures()[case.partition(" ")[0]]
    many = 3 if measure.raters == "any" else 2
    marks, code = draw(np.random.default_rng(6), 80, many)

    def value(kept: Any) -> float:
        return float(
            measure(cs.Ratings.from_wide(marks[kept], scale="interval"), **TWO[case]).value
        )

    without = np.array([value(code != g) for g in range(80)])
    by_hand = math.sqrt(79 / 80 * float(((without - without.mean()) ** 2).sum()))
    ratings = cs.Ratings.from_wide(marks, scale="interval").with_clusters(code)
    found = measure(ratings, **TWO[case])
    assert found.standard_error == pytest.approx(by_hand, rel=0.06)
    assert found.value == pytest.approx(value(slice(None)))
    assert found.degrees_of_freedom == 79
    assert found.to_dict()["clusters"] == {"column": "cluster", "number": 80}


def test_regression_is_robust_least_squares() -> None:
    """(X'X)^-1 (sum of X_g'e_g e_g'X_g) (X'X)^-1 with G / (G - 1) (n - 1) / (n - 2)."""
    marks, code = draw(np.random.default_rng(2), 20)
    x = np.column_stack([np.ones(len(marks)), marks[:, 0]])
    inverse = np.linalg.inv(x.T @ x)
    apart = marks[:, 1] - x @ inverse @ x.T @ marks[:, 1]
    scores = np.array([(x * apart[:, None])[code == g].sum(axis=0) for g in range(20)])
    n = len(marks)
    spread = inverse @ scores.T @ scores @ inverse * 20 / 19 * (n - 1) / (n - 2)
    line = magnitudes.regression(cs.Ratings.from_wide(marks, scale="interval").with_clusters(code))
    errors = (line.intercept_standard_error, line.slope_standard_error)
    assert errors == pytest.approx(tuple(np.sqrt(np.diag(spread))), rel=1e-9)


def test_limits_and_effect_size_are_jackknifed() -> None:
    marks, code = draw(np.random.default_rng(3), 30)
    ratings = cs.Ratings.from_wide(marks, scale="interval")

    def one(kept: Any) -> tuple[float, float, float]:
        part = cs.Ratings.from_wide(marks[kept], scale="interval").with_clusters(code[kept])
        limits, gap = cs.bland_altman(part), magnitudes.paired_differences(part)
        return limits.low, limits.high, gap.d_z

    without = np.array([one(code != g) for g in range(30)])
    low, high, d_z = np.sqrt(29 / 30 * ((without - without.mean(axis=0)) ** 2).sum(axis=0))
    known = ratings.with_clusters(code)
    limits, gap = cs.bland_altman(known), magnitudes.paired_differences(known)
    assert limits.limit_errors == pytest.approx((low, high), rel=1e-9)
    assert gap.d_z_error == pytest.approx(d_z, rel=1e-9)
    # The variance of a difference is that within clusters and that between them.
    lower, upper = limits.limit_intervals()
    t = 2.045230  # 29 degrees of freedom
    assert lower.high - lower.low == pytest.approx(2 * t * low, rel=1e-5)
    assert upper.high - upper.low == pytest.approx(2 * t * high, rel=1e-5)


def test_signed_ranks_are_summed_by_cluster() -> None:
    marks, code = draw(np.random.default_rng(4), 15)
    apart = marks[:, 0] - marks[:, 1]
    signed = np.sign(apart) * (np.argsort(np.argsort(np.abs(apart))) + 1.0)
    sums = np.array([signed[code == g].sum() for g in range(15)])
    z = sums.sum() / math.sqrt(float((sums**2).sum()))  # Rosner, Glynn & Lee 2006
    ratings = cs.Ratings.from_wide(marks, scale="interval").with_clusters(code)
    found = magnitudes.paired_differences(ratings).wilcoxon_p
    assert found == pytest.approx(math.erfc(abs(z) / math.sqrt(2.0)), rel=1e-9)


@pytest.mark.parametrize(
    "case", [one for one in TWO if one not in ("regression", "regression back")]
)
def test_clusters_of_one_item_each_change_next_to_nothing(case: str) -> None:
    measure = magnitudes.measures()[case.partition(" ")[0]]
    marks, _ = draw(np.random.default_rng(5), 60, 3 if measure.raters == "any" else 2)
    alone = cs.Ratings.from_wide(marks, scale="interval")
    found = measure(alone.with_clusters(range(len(marks))), **TWO[case])
    plain = measure(alone, **TWO[case])
    # Lin's error supposes normal marks, and some others are divided by n in place of n - 1.
    near = 0.15 if case == "lin_ccc" else 0.01
    assert found.standard_error == pytest.approx(plain.standard_error, rel=near)


def test_intervals_hold_what_they_promise() -> None:
    """95% intervals of 25 clusters, 400 studies: five errors of a share of .95 are .055."""
    rng = np.random.default_rng(11)
    names = ("bland_altman", "lin_ccc", "pearson", "spearman", "kendall_tau")
    big = rng.normal(size=(3, 400_000))
    item = 0.8 * big[0] + 0.6 * rng.normal(size=big.shape[1])
    x = item + rng.normal(0, 0.5, item.size)
    y = item + 0.3 + 0.7 * big[1] + rng.normal(0, 0.5, item.size)
    everybody = cs.Ratings.from_wide(np.column_stack([x, y]), scale="interval")
    true = {name: magnitudes.measures()[name](everybody).value for name in names}
    held = dict.fromkeys(names, 0)
    for _ in range(400):
        marks, code = draw(rng, 25)
        ratings = cs.Ratings.from_wide(marks, scale="interval").with_clusters(code)
        for name in names:
            low, high = magnitudes.measures()[name](ratings).confidence_interval()
            held[name] += low <= true[name] <= high
    assert {name: share / 400 for name, share in held.items()} == pytest.approx(
        dict.fromkeys(names, 0.95), abs=0.055
    )


# ------------------------------------------------------------------ refusals, and what is left


def clustered() -> cs.Ratings:
    marks, code = draw(np.random.default_rng(7), 12)
    return cs.Ratings.from_wide(marks, scale="interval").with_clusters(code, "patient")


@pytest.mark.parametrize(
    "ask",
    [
        magnitudes.pearson_chi2,
        lambda r: cs.bland_altman(r, limits="tolerance"),
        lambda r: cs.bland_altman(r).limit_intervals(method="exact"),
        lambda r: magnitudes.paired_differences(r, wilcoxon="exact"),
        lambda r: magnitudes.kendall_tau(r).test(method="kendall"),
        lambda r: cs.icc(r).confidence_interval(method="mcgraw-wong"),
        lambda r: cs.icc(r).test(0.5, method="mcgraw-wong"),
    ],
)
def test_what_supposes_independent_items_is_refused(ask: Any) -> None:
    with pytest.raises(UnsupportedDesignError, match=r"independent of each other\. Got items that"):
        ask(clustered())
    ask(clustered().with_clusters(None))


def test_kendall_w_has_no_p_value_and_says_why() -> None:
    found = magnitudes.kendall_w(clustered())
    assert found.value == magnitudes.kendall_w(clustered().with_clusters(None)).value
    assert math.isnan(found.p_value)
    assert [one.code for one in found.findings] == ["no_clustered_test"]


def test_items_that_nobody_compared_leave_their_cluster() -> None:
    table = [[1.0, 2.0], [2.0, 2.5], [3.0, None], [4.0, 3.0], [5.0, 5.5]]
    ratings = cs.Ratings.from_wide(table, scale="interval").with_clusters(["a", "a", "b", "c", "c"])
    found = cs.bland_altman(ratings)
    assert found.clusters is not None
    assert found.clusters.n_clusters == 2
    assert found.degrees_of_freedom == 1


def test_one_cluster_left_gives_no_interval_and_says_so() -> None:
    table = [[1.0, 2.0], [2.0, 2.5], [3.0, None], [4.0, 3.0]]
    ratings = cs.Ratings.from_wide(table, scale="interval").with_clusters(["a", "a", "b", "a"])
    for measure in (cs.bland_altman, magnitudes.pearson, magnitudes.lin_ccc, magnitudes.covariance):
        found = measure(ratings)
        assert math.isfinite(found.value)
        assert math.isnan(found.confidence_interval().low)
        assert math.isnan(found.p_value)
        assert "one_cluster" in [one.code for one in found.findings]


def test_layouts_give_the_same_errors() -> None:
    """Numbers side by side, codes with names, patterns that repeat: the clusters stay in place."""
    rng = np.random.default_rng(8)
    marks = rng.integers(1, 5, (40, 2))
    marks[:, 1] = np.where(rng.random(40) < 0.7, marks[:, 0], marks[:, 1])
    code = np.arange(40) // 4
    long = {"item": np.repeat(np.arange(40), 2), "rater": ["A", "B"] * 40, "label": marks.ravel()}
    made = (
        cs.Ratings.from_wide(marks, raters=["A", "B"], scale="interval"),
        cs.Ratings.from_wide(marks.astype(float) + 0.5, raters=["A", "B"], scale="interval"),
        cs.Ratings.from_long(long, scale="interval"),
    )
    for name in ("bland_altman", "kendall_tau", "lin_ccc", "mean_spearman", "spearman"):
        measure = magnitudes.measures()[name]
        errors = [measure(one.with_clusters(code)).standard_error for one in made]
        assert errors == pytest.approx([errors[0]] * 3, rel=1e-9)
