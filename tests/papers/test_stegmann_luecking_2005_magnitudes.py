"""Stegmann & Lücking (2005), sections 2.2.2 and 2.3: scales, tests, correlations, regression."""

from __future__ import annotations

import math
import statistics
from itertools import permutations
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import inference, latent, magnitudes
from consilience.exceptions import InputError

# Two raters mark where words end, in seconds; the second is late by a little.
X = [0.31, 0.74, 1.02, 1.55, 2.10, 2.48, 3.05]
Y = [0.35, 0.79, 1.01, 1.63, 2.19, 2.55, 3.20]


# --- 2.2.2 what a value means ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "word"),
    [(0.66, "discard"), (0.67, "tentative"), (0.75, "tentative"), (0.80, "reliable")],
)
def test_2_2_2_krippendorffs_scale(value: float, word: str) -> None:
    assert cs.interpret(value, scale="krippendorff").label.startswith(word)


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (0.10, "slight"),
        (0.30, "fair"),
        (0.50, "moderate"),
        (0.70, "substantial"),
        (0.90, "almost perfect"),
    ],
)
def test_2_2_2_the_scale_of_rietveld_and_van_hout(value: float, word: str) -> None:
    assert cs.interpret(value, scale="rietveld-van-hout").label == word


def test_2_2_2_stricter_scales_are_called_for_with_ac1() -> None:
    ac1 = cs.gwet_ac(cs.datasets.load("di_eugenio_glass_2004_skewed"))
    assert cs.interpret(ac1, scale="rietveld-van-hout").cautions


def test_2_2_2_a_test_against_zero_shows_little() -> None:
    """Section 2.2.2 tests watermarks: AC1 = .1, .2, ..., .9."""
    ac1 = cs.gwet_ac(cs.datasets.load("di_eugenio_glass_2004_skewed"))
    p = [ac1.test(null / 10, alternative="greater").p_value for null in range(10)]
    assert p == sorted(p)
    assert p[0] < 0.001
    assert p[9] > 0.5


def test_2_2_2_critical_values_come_from_raters_who_guess() -> None:
    guessing = cs.ac1_critical_values(n_items=20, n_raters=2, n_categories=2)
    assert guessing[0.95] == pytest.approx(0.412, abs=0.0005)
    assert guessing.p_value(guessing[0.95]) <= 0.05
    drawn = cs.ac1_critical_values(n_items=20, n_raters=3, n_categories=4, n_resamples=2_000)
    assert drawn.method == "monte-carlo"


# --- 2.3.1 correlations ---------------------------------------------------------------------------


def deviations(x: list[float]) -> list[float]:
    return [one - statistics.mean(x) for one in x]


def test_formula_2_11_covariance() -> None:
    products = sum(a * b for a, b in zip(deviations(X), deviations(Y), strict=True))
    assert magnitudes.covariance(X, Y).value == pytest.approx(products / (len(X) - 1))
    assert magnitudes.covariance(X, [-y for y in Y]).value < 0


def test_formula_2_12_pearson() -> None:
    a, b = deviations(X), deviations(Y)
    below = math.sqrt(sum(p * p for p in a) * sum(q * q for q in b))
    r = sum(p * q for p, q in zip(a, b, strict=True)) / below
    assert magnitudes.pearson(X, Y).value == pytest.approx(r)


def test_formula_2_13_spearman_is_pearson_of_ranks() -> None:
    y = [Y[k] for k in (2, 0, 1, 4, 3, 6, 5)]
    ranks = [sorted(y).index(one) for one in y]
    assert magnitudes.spearman(X, y).value == pytest.approx(
        magnitudes.pearson(range(len(X)), ranks).value
    )


def test_formula_2_14_kendall() -> None:
    y = [Y[k] for k in (2, 0, 1, 4, 3, 6, 5)]
    pairs = [(i, j) for i in range(len(y)) for j in range(i)]
    concordant = sum(y[i] > y[j] for i, j in pairs)
    tau = magnitudes.kendall_tau(X, y, variant="a")
    assert tau.value == pytest.approx((2 * concordant - len(pairs)) / (len(y) * (len(y) - 1) / 2))


# --- 2.3.2 what a correlation means ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("n_items", "one_sided", "two_sided"),
    # Smallest rho at 5 %, as tables of the exact distribution print it.
    [
        (5, 0.900, 1.000),
        (6, 0.829, 0.886),
        (7, 0.714, 0.786),
        (8, 0.643, 0.738),
        (10, 0.564, 0.648),
    ],
)
def test_2_3_2_critical_values_of_rho(n_items: int, one_sided: float, two_sided: float) -> None:
    null = inference.rank_critical_values(n_items=n_items, levels=(0.95, 0.975))
    assert null.method == "exact"
    assert (null[0.95], null[0.975]) == pytest.approx((one_sided, two_sided), abs=0.0005)


@pytest.mark.parametrize(
    ("n_items", "one_sided", "two_sided"),
    # Smallest n_c - n_d at 5 %, as tables of Kendall's distribution print it.
    [(5, 8, 10), (6, 11, 13), (8, 16, 18), (10, 21, 23), (20, 52, 62)],
)
def test_2_3_2_critical_values_of_tau(n_items: int, one_sided: int, two_sided: int) -> None:
    null = inference.rank_critical_values(
        n_items=n_items, statistic="kendall", levels=(0.95, 0.975)
    )
    pairs = n_items * (n_items - 1) / 2
    assert (null[0.95] * pairs, null[0.975] * pairs) == pytest.approx((one_sided, two_sided))


def test_2_3_2_too_few_items_are_never_significant() -> None:
    null = inference.rank_critical_values(n_items=3)
    assert math.isnan(null[0.95])
    assert null.p_value(1.0) == pytest.approx(1 / 6)


def test_2_3_2_many_items_are_drawn_and_near_the_normal_distribution() -> None:
    null = inference.rank_critical_values(n_items=60, levels=(0.95,), n_resamples=20_000, rng=1)
    assert null.method == "monte-carlo"
    assert null[0.95] == pytest.approx(1.645 / math.sqrt(59), abs=0.01)
    assert null.p_value(1.0) == pytest.approx(1 / 20_001)


@pytest.mark.parametrize(
    "wrong",
    [
        {"n_items": 2},
        {"n_items": 2.5},
        {"n_items": 10, "statistic": "pearson"},
        {"n_items": 501, "statistic": "kendall"},
        {"n_items": 10, "levels": (95,)},
        {"n_items": 10, "n_resamples": 0},
    ],
)
def test_2_3_2_impossible_tables_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        inference.rank_critical_values(**wrong)  # type: ignore[arg-type]


def test_2_3_2_r_squared_is_the_share_of_variance() -> None:
    line = magnitudes.regression(X, Y)
    assert line.r_squared == pytest.approx(magnitudes.pearson(X, Y).value ** 2)


def test_formulas_2_15_to_2_17_use_standard_deviations() -> None:
    """Printed with variances, which are called standard deviations; the slope is r s_y / s_x."""
    line = magnitudes.regression(X, Y)
    slope = magnitudes.pearson(X, Y).value * statistics.stdev(Y) / statistics.stdev(X)
    assert line.slope == pytest.approx(slope)
    assert line.intercept == pytest.approx(statistics.mean(Y) - slope * statistics.mean(X))
    assert line.slope == pytest.approx(np.polyfit(X, Y, 1)[0])


def test_2_3_2_the_line_can_be_drawn_the_other_way_round() -> None:
    back = magnitudes.regression(Y, X)
    assert back.slope * magnitudes.regression(X, Y).slope == pytest.approx(back.r_squared)


def test_2_3_2_a_rater_who_sets_boundaries_later_is_found() -> None:
    gap = magnitudes.paired_differences(X, Y)
    assert gap.value < 0
    assert gap.confidence_interval().high < 0


# --- 3.2 how sure the raters say they are ---------------------------------------------------------


def test_3_2_stated_certainties_weigh_the_chance_term() -> None:
    """A rater-based measure: w = 1 - mean of the products of both raters' certainties."""
    ratings = cs.Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])
    sure = [[1.0, 1.0], [1.0, 0.5], [0.2, 0.5], [1.0, 1.0]]
    result = latent.omega(ratings, weight=sure)
    weight = 1 - (1 + 0.5 + 0.1 + 1) / 4
    assert result.weight == pytest.approx(weight)
    assert result.expected == pytest.approx(weight * 0.5)


@pytest.mark.parametrize(
    "marks", [[1, 2, 3, 4, 5, 6], [1, 1, 2, 3, 3], [1, 2, 2, 2, 3, 4], [1, 1, 2, 2], [1, 2, 3]]
)
@pytest.mark.parametrize("turned", [1, -1])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_perfect_rank_correlations_are_tested_by_counting_orders(
    marks: list[int], turned: int, alternative: Any
) -> None:
    other = [turned * mark for mark in marks]
    rho = magnitudes.spearman(marks, other)
    assert rho.value == turned
    found = [magnitudes.spearman(marks, list(order)).value for order in permutations(other)]
    reached = {
        "two-sided": sum(abs(value) == 1.0 for value in found),
        "greater": sum(value >= turned for value in found),
        "less": sum(value <= turned for value in found),
    }[alternative]
    p_value = reached / len(found)
    assert rho.test(alternative=alternative).p_value == pytest.approx(p_value, rel=1e-12)
    tau = magnitudes.kendall_tau(marks, other)
    if tau.test().method == "permutation":
        assert tau.test(alternative=alternative).p_value == pytest.approx(p_value, rel=1e-12)
    else:  # SPSS prints its approximation, as before
        assert math.isfinite(tau.p_value)


def test_perfect_rank_correlations_of_long_rankings_have_tiny_p_values() -> None:
    marks = list(range(200))
    assert magnitudes.spearman(marks, marks).p_value < 1e-300
    assert magnitudes.kendall_tau(marks, marks).p_value < 1e-300
