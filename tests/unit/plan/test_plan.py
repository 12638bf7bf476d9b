"""Plans keep what they promise: the power, the width and the smallest number of items."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import datasets, plan
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.binary_kappa import goodness_of_fit_interval, goodness_of_fit_test
from consilience.inference.intervals import quantile
from consilience.plan._power import largest_variance
from consilience.plan._question import PowerPlan, PrecisionPlan
from consilience.simulate import Simulator, agreement_for, large_sample_value, simulate

ONE_CATEGORY_RARELY = [0.1, 0.3, 0.6]


# --- goodness of fit ------------------------------------------------------------------------------


def effect_over_all_patterns(shares: list[float], n_raters: int, k0: float, k1: float) -> float:
    """Chi-square per item with every pattern of ratings as a cell of its own."""
    total = 0.0
    for pattern in itertools.product(range(len(shares)), repeat=n_raters):
        alone = math.prod(shares[k] for k in pattern)
        shared = shares[pattern[0]] if len(set(pattern)) == 1 else 0.0
        p0, p1 = ((1 - k) * alone + k * shared for k in (k0, k1))
        total += (p1 - p0) ** 2 / p0
    return total


@pytest.mark.parametrize("n_raters", [2, 3, 4])
@pytest.mark.parametrize("shares", [[0.5, 0.5], [0.2, 0.8], ONE_CATEGORY_RARELY])
def test_pooling_patterns_loses_nothing(n_raters: int, shares: list[float]) -> None:
    found = plan.plan(
        method="goodness-of-fit",
        kappa0=0.3,
        kappa1=0.55,
        prevalence=shares,
        n_raters=n_raters,
        power=0.9,
    )
    effect = effect_over_all_patterns(shares, n_raters, 0.3, 0.55)
    from scipy import stats

    assert found.power == pytest.approx(
        stats.ncx2.sf(stats.chi2.isf(0.05, 1), 1, effect * found.n_items), rel=1e-9
    )
    assert found.power >= 0.9
    fewer = dataclasses.asdict(
        plan.plan(
            method="goodness-of-fit",
            kappa0=0.3,
            kappa1=0.55,
            prevalence=shares,
            n_raters=n_raters,
            n_items=found.n_items - 1,
        )
    )
    assert fewer["power"] < 0.9
    assert fewer["solved_for"] == "power"


def test_the_goodness_of_fit_test_has_the_planned_power() -> None:
    found = plan.plan(method="goodness-of-fit", kappa0=0.3, kappa1=0.6, prevalence=0.4, n_raters=3)
    design = Simulator(n_items=found.n_items, n_raters=3, agreement=0.6, prevalence=0.4)
    rng = np.random.default_rng(1)
    rejected = [
        goodness_of_fit_test(design.draw(rng=rng).ratings, null=0.3).p_value < 0.05
        for _ in range(400)
    ]
    assert np.mean(rejected) == pytest.approx(found.power, abs=0.07)


def test_more_raters_need_fewer_items_but_not_fewer_ratings() -> None:
    plans = [
        plan.plan(method="goodness-of-fit", kappa0=0.4, kappa1=0.6, prevalence=0.3, n_raters=r)
        for r in (2, 3, 5, 8)
    ]
    items = [found.n_items for found in plans]
    assert items == sorted(items, reverse=True)
    assert plans[-1].n_ratings > plans[0].n_ratings


def test_a_rare_category_is_noted() -> None:
    rare = plan.plan(method="goodness-of-fit", kappa0=0.2, kappa1=0.9, prevalence=0.05)
    assert [note.code for note in rare.notes] == ["small_expected_counts"]
    assert plan.plan(method="goodness-of-fit", kappa0=0.4, kappa1=0.6).notes == ()


@pytest.mark.parametrize("n_raters", [2, 4])
def test_the_planned_width_is_the_one_of_data_as_expected(n_raters: int) -> None:
    found = plan.plan(
        method="goodness-of-fit",
        kappa=0.6,
        width=0.25,
        prevalence=[0.3, 0.3, 0.4],
        n_raters=n_raters,
    )
    assert found.high - found.low <= 0.25
    assert found.half_width == pytest.approx((found.high - found.low) / 2)
    less = plan.plan(
        method="goodness-of-fit",
        kappa=0.6,
        n_items=found.n_items - 1,
        prevalence=[0.3, 0.3, 0.4],
        n_raters=n_raters,
    )
    assert less.high - less.low > 0.25
    assert less.solved_for == "half_width"


def test_the_expected_interval_is_the_interval_of_the_expected_table() -> None:
    # 100 items, even prevalence, kappa 0.6: 40 both yes, 40 both no, 20 split.
    interval = goodness_of_fit_interval(cs.Ratings.from_table([[40, 10], [10, 40]]))
    found = plan.plan(method="goodness-of-fit", kappa=0.6, n_items=100)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high), abs=1e-9)


def test_a_lower_limit_alone_is_one_sided() -> None:
    both = plan.plan(method="goodness-of-fit", kappa=0.6, low=0.45, high=0.9)
    one = plan.plan(method="goodness-of-fit", kappa=0.6, low=0.45)
    assert one.n_items < both.n_items
    assert math.isnan(one.high)
    assert one.half_width == pytest.approx(0.15, abs=0.005)
    assert "lower limit of about 0.45" in str(one)
    assert one.to_dict()["high"] is None


def test_limits_below_zero_are_possible() -> None:
    assert plan.plan(method="goodness-of-fit", kappa=0.1, low=-0.1, high=0.3).low == pytest.approx(
        -0.1, abs=0.01
    )


# --- Cohen's kappa --------------------------------------------------------------------------------


def test_no_table_has_a_larger_variance_than_the_least_favourable() -> None:
    first, second = np.array([0.2, 0.3, 0.5]), np.array([0.25, 0.35, 0.4])
    kappa = 0.5
    largest = largest_variance("kappa0", kappa, first, second)
    expected = float(first @ second)
    observed = kappa * (1 - expected) + expected
    rng = np.random.default_rng(0)
    tried = 0
    for _ in range(3000):
        # Fill the diagonal at random, then see whether the rest can be filled.
        diagonal = rng.dirichlet(np.ones(3)) * observed
        rest_rows, rest_columns = first - diagonal, second - diagonal
        if min(rest_rows.min(), rest_columns.min()) < 0:
            continue
        table = off_diagonal(rest_rows, rest_columns, rng)
        if table is None:
            continue
        tried += 1
        table += np.diag(diagonal)
        variance = cs.inference.fleiss_cohen_everitt(table, np.eye(3)) ** 2
        assert variance <= largest * (1 + 1e-9)
    assert tried > 100


def off_diagonal(
    rows: np.ndarray[Any, Any], columns: np.ndarray[Any, Any], rng: np.random.Generator
) -> np.ndarray[Any, Any] | None:
    """A 3 x 3 table with an empty diagonal and these margins; its one free cell is drawn."""
    low = max(0.0, rows[0] - columns[2], columns[1] - rows[2])
    high = min(rows[0], columns[1])
    if low > high:
        return None
    t = rng.uniform(low, high)
    table = np.zeros((3, 3))
    table[0, 1], table[0, 2] = t, rows[0] - t
    table[2, 1] = columns[1] - t
    table[2, 0] = rows[2] - table[2, 1]
    table[1, 2] = columns[2] - table[0, 2]
    table[1, 0] = rows[1] - table[1, 2]
    if (table < -1e-12).any() or not np.allclose(table.sum(axis=0), columns):
        return None
    return np.maximum(table, 0.0)


def test_two_categories_need_no_search() -> None:
    from consilience.plan._power import _least_favourable, _two_by_two

    first, second = np.array([0.3, 0.7]), np.array([0.4, 0.6])
    expected = float(first @ second)
    observed = 0.5 * (1 - expected) + expected
    closed = _two_by_two(observed, first, second)
    searched = _least_favourable(0.5, observed, first, second)
    assert closed is not None
    assert searched is not None
    np.testing.assert_allclose(closed, searched, atol=1e-9)


def test_the_power_of_the_planned_size_is_the_wanted_one() -> None:
    for alternative in ("two-sided", "greater"):
        found = plan.plan(
            method="cohen",
            kappa0=0.4,
            kappa1=0.6,
            prevalence=ONE_CATEGORY_RARELY,
            alternative=alternative,
        )
        fewer = plan.plan(
            method="cohen",
            kappa0=0.4,
            kappa1=0.6,
            prevalence=ONE_CATEGORY_RARELY,
            alternative=alternative,
            n_items=found.n_items - 1,
        )
        assert found.power >= 0.8 > fewer.power
        assert found.method == "flack"


def test_kappa_may_also_fall_short() -> None:
    less = plan.plan(method="cohen", kappa0=0.8, kappa1=0.6, alternative="less")
    assert less.power >= 0.8
    assert plan.plan(method="cohen", kappa0=0.5, kappa1=1.0, n_items=40).power == 1.0


def test_margins_limit_kappa() -> None:
    with pytest.raises(InputError, match=r"kappa1 must be a kappa .* \(at most 0\.4\d+\)"):
        plan.plan(method="cohen", kappa0=0.2, kappa1=0.8, prevalence=0.2, other_prevalence=0.5)
    with pytest.raises(InputError, match="kappa1 must be a kappa"):
        plan.plan(
            method="cohen",
            kappa0=0.2,
            kappa1=0.95,
            prevalence=[0.2, 0.3, 0.5],
            other_prevalence=[0.5, 0.3, 0.2],
        )


# --- intraclass correlation -----------------------------------------------------------------------


@pytest.mark.parametrize(("rho0", "rho1", "n_raters"), [(0.4, 0.6, 2), (0.7, 0.9, 3), (0, 0.2, 4)])
def test_the_smallest_number_of_items_is_found(rho0: float, rho1: float, n_raters: int) -> None:
    found = plan.plan(coefficient="icc", kappa0=rho0, kappa1=rho1, n_raters=n_raters)
    fewer = plan.plan(
        coefficient="icc", kappa0=rho0, kappa1=rho1, n_raters=n_raters, n_items=found.n_items - 1
    )
    assert found.power >= 0.8 > fewer.power
    # Walter's approximation is close.
    assert found.n_items_exact == pytest.approx(found.n_items, abs=3)


def test_a_huge_difference_needs_very_few_items() -> None:
    assert plan.plan(coefficient="icc", kappa0=0.0, kappa1=0.999, n_raters=10).n_items == 2


# --- precision ------------------------------------------------------------------------------------


def test_the_planned_half_width_is_reached_and_not_overshot() -> None:
    pilot = datasets.load("fleiss_1971")
    for name in ("krippendorff_alpha", "gwet_ac", "scott_pi"):
        found = plan.plan(pilot=pilot, half_width=0.06, coefficient=name, assurance=None)
        fewer = plan.plan(pilot=pilot, n_items=found.n_items - 1, coefficient=name, assurance=None)
        assert found.half_width <= 0.06 < fewer.half_width
        assert found.name == cs.coefficients.estimate(cs.coefficients.registry[name], (pilot,)).name


def test_a_pilot_four_times_as_large_has_half_the_width() -> None:
    pilot = datasets.load("fleiss_1971")
    small, large = (
        plan.plan(pilot=pilot, n_items=n, assurance=0.5).half_width for n in (1000, 4000)
    )
    assert small / large == pytest.approx(2.0, rel=0.001)


def test_the_half_width_at_the_pilots_size_is_its_own() -> None:
    estimate = cs.krippendorff_alpha(datasets.load("fleiss_1971"))
    interval = estimate.confidence_interval(method="analytic")
    found = plan.plan(pilot=estimate, n_items=30, assurance=None)
    assert found.half_width == pytest.approx((interval.high - interval.low) / 2, rel=1e-9)
    assert (found.low, found.high) == pytest.approx((interval.low, interval.high))


def test_normal_quantiles_give_the_textbook_formula() -> None:
    estimate = cs.cohen_kappa(cs.Ratings.from_table([[40, 9], [6, 45]]))
    variance = 100 * estimate.standard_error**2
    alone = (quantile(0.975, None) / 0.05) ** 2 * variance
    assert plan.plan(pilot=estimate, half_width=0.05, assurance=None).n_items == math.ceil(alone)
    finite = plan.plan(pilot=estimate, half_width=0.05, population=1000, assurance=None)
    assert finite.n_items == math.ceil(alone / (1 + alone / 1000))
    assert "out of 1,000" in str(finite)


def test_a_correction_of_the_pilot_is_not_carried_over() -> None:
    ratings = datasets.load("fleiss_1971")
    plain = plan.plan(pilot=cs.scott_pi(ratings), half_width=0.05, assurance=None)
    corrected = plan.plan(
        pilot=cs.scott_pi(ratings, population=60), half_width=0.05, assurance=None
    )
    assert plain.n_items == corrected.n_items


def test_a_small_pilot_is_noted() -> None:
    pilot = simulate(n_items=12, agreement=0.5, rng=0).ratings
    assert [note.code for note in plan.plan(pilot=pilot, half_width=0.1).notes] == ["small_pilot"]


def test_plain_rows_are_a_pilot_too() -> None:
    rows = [[1, 1], [2, 2], [1, 2], [3, 3], [2, 3]] * 8
    assert plan.plan(pilot=rows, half_width=0.1, distance="quadratic").n_items > 40


@pytest.mark.parametrize(
    "pilot",
    [
        cs.Ratings.from_wide([[1, 1], [2, 2], [1, 1]]),
        cs.Ratings.from_wide([[1, 1], [1, 1]]),
    ],
)
def test_a_pilot_without_variance_is_refused(pilot: cs.Ratings) -> None:
    with pytest.raises(UnsupportedDesignError, match="planning from a pilot needs"):
        plan.plan(pilot=pilot, half_width=0.1)


def test_a_null_error_is_no_basis() -> None:
    estimate = cs.cohen_kappa(
        cs.Ratings.from_table([[40, 9], [6, 45]]), standard_error="fleiss-cohen-everitt-null"
    )
    with pytest.raises(UnsupportedDesignError, match="holds at 0 only"):
        plan.plan(pilot=estimate, half_width=0.1)


def test_two_shares_give_a_first_sketch() -> None:
    found = plan.plan(observed=0.8, expected=0.5, half_width=0.1, assurance=None)
    assert found.n_items == math.ceil((quantile(0.975, None) / 0.1) ** 2 * 0.16 / 0.25)
    assert found.value == pytest.approx(0.6)
    raw = plan.plan(observed=0.8, n_items=100, assurance=None)
    assert raw.half_width == pytest.approx(quantile(0.975, None) * 0.04)
    assert raw.coefficient == "percent_agreement"


# --- simulation -----------------------------------------------------------------------------------


def test_simulated_and_computed_sizes_agree() -> None:
    computed = plan.plan(method="goodness-of-fit", kappa0=0.3, kappa1=0.6, n_raters=3)
    design = Simulator(n_raters=3, agreement=0.6)
    found = plan.plan(design=design, coefficient="fleiss", kappa0=0.3, n_resamples=500, rng=1)
    # The formula promises too much with three raters: its studies reach .77 (docs/inference.md).
    assert found.n_items == pytest.approx(computed.n_items, rel=0.25)
    assert found.power == pytest.approx(0.8, abs=0.05)
    assert found.value == 0.6
    assert found.name == "Fleiss' kappa"
    assert found.method == "simulation"


def test_the_same_seed_gives_the_same_plan() -> None:
    design = Simulator(n_raters=2, agreement=0.8, categories=3)
    first, again = (
        plan.plan(design=design, coefficient="alpha", kappa0=0.3, n_resamples=60, rng=5)
        for _ in range(2)
    )
    assert first == again


def test_power_is_the_level_where_nothing_is_to_be_found() -> None:
    design = Simulator(n_raters=3, agreement=0.501, categories=3)
    found = plan.plan(
        design=design, coefficient="alpha", kappa0=0.5, n_items=120, n_resamples=300, rng=2
    )
    assert found.power == pytest.approx(0.05, abs=0.05)
    assert found.power_error == pytest.approx(0.0126, abs=0.006)


def test_one_sided_tests_have_more_power() -> None:
    design = Simulator(n_raters=2, agreement=0.6)
    powers = [
        plan.plan(
            design=design,
            coefficient="alpha",
            kappa0=0.4,
            n_items=80,
            alternative=side,
            n_resamples=300,
            rng=3,
        ).power
        for side in ("greater", "two-sided")
    ]
    assert powers[0] > powers[1]


def test_full_agreement_counts_as_evidence() -> None:
    design = Simulator(n_raters=2, agreement=1.0)
    assert (
        plan.plan(
            design=design, coefficient="alpha", kappa0=0.2, n_items=60, n_resamples=50, rng=4
        ).power
        == 1.0
    )


def test_undefined_studies_count_against_the_power_and_are_noted() -> None:
    design = Simulator(n_raters=2, agreement=0.9, prevalence=0.03)
    found = plan.plan(
        design=design, coefficient="scott_pi", kappa0=0.0, n_items=20, n_resamples=100, rng=5
    )
    assert found.share_undefined is not None
    assert found.share_undefined > 0.3
    assert found.power < 1 - found.share_undefined + 1e-9
    assert [note.code for note in found.notes] == ["often_undefined"]


def test_the_simulated_half_width_is_reached() -> None:
    design = Simulator(n_raters=3, agreement=0.5, categories=3)
    found = plan.plan(design=design, coefficient="alpha", half_width=0.1, n_resamples=60, rng=6)
    assert 0.095 <= found.half_width <= 0.1
    assert found.low < 0.5 < found.high
    sure = plan.plan(
        design=design, coefficient="alpha", half_width=0.1, assurance=0.9, n_resamples=60, rng=6
    )
    assert sure.n_items > found.n_items
    assert "or less in 90% of studies" in str(sure)
    average = plan.plan(design=design, coefficient="alpha", half_width=0.1, assurance=0.5, rng=6)
    assert average.assurance is None
    assert average.n_items < found.n_items
    assert "± 0.100 on average" in str(average)


def _shares(design: Simulator, coefficient: str, n_items: int, outcome: Any, n: int) -> float:
    """The share of fresh studies, estimated as a user would, for which something holds."""
    rng = np.random.default_rng(99)
    drawn = (design.draw(n_items=n_items, rng=rng).ratings for _ in range(n))
    chosen = cs.coefficients.registry[coefficient]
    return float(np.mean([outcome(cs.coefficients.estimate(chosen, (one,))) for one in drawn]))


def test_the_promised_share_of_studies_has_no_wider_interval() -> None:
    design = Simulator(n_raters=2, agreement=0.6, prevalence=0.2)
    found = plan.plan(design=design, coefficient="scott_pi", half_width=0.12, rng=1)

    def narrow(one: cs.Estimate) -> bool:
        low, high = one.confidence_interval()
        return high - low <= 0.24

    share = _shares(design, "scott_pi", found.n_items, narrow, 150)
    assert 0.7 <= share <= 0.9  # 0.8 within three errors of 150 studies


def test_the_promised_power_is_met_by_the_default_test() -> None:
    design = Simulator(n_raters=4, agreement=0.6, prevalence=0.3)
    found = plan.plan(design=design, coefficient="scott_pi", kappa0=0.4, n_resamples=600, rng=1)
    formula = plan.plan(
        method="goodness-of-fit", kappa0=0.4, kappa1=0.6, prevalence=0.3, n_raters=4
    )
    assert found.n_items > formula.n_items  # which promises too much for four raters
    share = _shares(
        design, "scott_pi", found.n_items, lambda one: one.test(0.4).p_value <= 0.05, 150
    )
    assert 0.7 <= share <= 0.9


def test_a_pilot_of_values_is_drawn_from_too() -> None:
    rng = np.random.default_rng(3)
    pilot = rng.normal(size=(60, 1)) + 0.5 * rng.normal(size=(60, 3))
    ratings = cs.Ratings.from_wide(pilot, scale="interval")
    sure, average = (
        plan.plan(pilot=ratings, half_width=0.05, assurance=share, n_resamples=100, rng=1)
        for share in (0.8, None)
    )
    assert (sure.method, average.method) == ("drawn-pilot", "linearised")
    assert average.n_items < sure.n_items < 2.5 * average.n_items


def test_of_a_population_the_kurtosis_of_influences_decides() -> None:
    pilot = datasets.load("fleiss_1971")
    sure, average = (
        plan.plan(pilot=pilot, half_width=0.05, population=900, assurance=share)
        for share in (0.8, None)
    )
    assert sure.method == average.method == "linearised"
    assert average.n_items < sure.n_items < 1.5 * average.n_items


def test_a_small_pilot_asks_for_more_items_than_a_large_one_that_shows_the_same() -> None:
    table = np.array([[12, 3], [3, 12]])
    small, large = (
        plan.plan(
            pilot=cs.cohen_kappa(cs.Ratings.from_table(times * table)),
            half_width=0.1,
            n_resamples=200,
            rng=1,
        ).n_items
        for times in (1, 40)
    )
    assert small > large


def test_a_crowd_is_planned_by_ratings_per_item() -> None:
    design = Simulator(n_raters=40, ratings_per_item=3, agreement=0.6)
    found = plan.plan(design=design, coefficient="alpha", n_items=80, n_resamples=30, rng=7)
    assert found.n_raters == 3
    assert found.n_ratings == 240


def test_more_raters_are_hired_until_the_interval_is_narrow_enough() -> None:
    design = Simulator(n_items=150, agreement=0.6, categories=3)
    found = plan.plan(
        design=design, coefficient="alpha", half_width=0.085, n_items=150, n_resamples=60, rng=8
    )
    assert found.solved_for == "n_raters"
    assert found.half_width <= 0.085
    before = plan.plan(
        design=dataclasses.replace(design, n_raters=found.n_raters - 1),
        coefficient="alpha",
        n_items=150,
        n_resamples=60,
        rng=8,
    )
    assert before.half_width > 0.085
    crowd = Simulator(n_items=150, n_raters=12, ratings_per_item=2, agreement=0.6, categories=3)
    assert (
        plan.plan(
            design=crowd, coefficient="alpha", half_width=0.085, n_items=150, n_resamples=60, rng=8
        ).n_raters
        > 2
    )


def test_raters_cannot_replace_items() -> None:
    design = Simulator(agreement=0.6, categories=3)
    with pytest.raises(InputError, match=r"with 30 raters it is about 0\.\d+; rate more items"):
        plan.plan(
            design=design, coefficient="alpha", half_width=0.02, n_items=50, n_resamples=20, rng=9
        )


@pytest.mark.parametrize("name", ["krippendorff_alpha", "cohen_kappa", "scott_pi"])
def test_chance_corrected_coefficients_equal_the_agreement(name: str) -> None:
    assert agreement_for(name, 0.6, prevalence=0.2) == 0.6
    assert agreement_for(
        name, 0.6, prevalence=[0.2, 0.3, 0.5], scale="ordinal", distance="quadratic"
    ) == pytest.approx(0.6, abs=1e-9)


@pytest.mark.parametrize("name", ["gwet_ac", "bennett_s", "percent_agreement", "perreault_leigh"])
def test_other_coefficients_reach_the_value_at_another_agreement(name: str) -> None:
    agreement = agreement_for(name, 0.85, prevalence=[0.6, 0.3, 0.1])
    design = Simulator(n_raters=2, categories=3, prevalence=[0.6, 0.3, 0.1], agreement=agreement)
    assert large_sample_value(design, name) == pytest.approx(0.85, abs=1e-6)
    assert agreement_for(name, 1.0, prevalence=[0.6, 0.3, 0.1]) == 1.0


def test_raters_who_label_at_random_already_reach_some_ac() -> None:
    with pytest.raises(InputError, match=r"between 0\.\d+, which raters who label at random reach"):
        agreement_for("gwet_ac", 0.2, prevalence=0.05)


# --- the front door -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "method", "kind"),
    [
        ({"kappa0": 0.4, "kappa1": 0.6}, "simulation", PowerPlan),
        ({"kappa0": 0.4, "kappa1": 0.6, "method": "goodness-of-fit"}, "goodness-of-fit", None),
        ({"kappa0": 0.4, "kappa1": 0.6, "coefficient": "cohen_kappa"}, "simulation", None),
        ({"kappa0": 0.4, "kappa1": 0.6, "method": "cohen"}, "cantor", None),
        (
            {"kappa0": 0.4, "kappa1": 0.6, "method": "cohen", "prevalence": [0.3, 0.3, 0.4]},
            "flack",
            None,
        ),
        ({"kappa0": 0.4, "kappa1": 0.6, "coefficient": "icc"}, "donner-eliasziw-1987", None),
        ({"kappa0": 0.4, "kappa1": 0.6, "method": "icc"}, "donner-eliasziw-1987", None),
        ({"kappa0": 0.2, "kappa1": 0.8, "coefficient": "alpha"}, "simulation", None),
        ({"kappa0": 0.2, "kappa1": 0.8, "method": "simulation"}, "simulation", None),
        ({"kappa0": 0.2, "kappa1": 0.8, "distance": "nominal"}, "simulation", None),
        (
            {"kappa0": 0.2, "kappa1": 0.8, "coefficient": "kappa", "n_raters": 3},
            "simulation",
            None,
        ),
        ({"kappa": 0.6, "width": 0.2}, "simulation", PrecisionPlan),
        ({"kappa": 0.6, "half_width": 0.1, "assurance": None}, "goodness-of-fit", None),
        ({"kappa": 0.6, "n_items": 50, "assurance": 0.5}, "goodness-of-fit", None),
        ({"kappa": 0.6, "half_width": 0.2, "coefficient": "ac1"}, "simulation", None),
        ({"kappa": 0.6, "half_width": 0.12, "n_items": 100}, "simulation", PrecisionPlan),
        ({"design": Simulator(agreement=0.7), "half_width": 0.2}, "simulation", None),
        ({"design": Simulator(agreement=0.7), "kappa0": 0.1}, "simulation", None),
        (
            {"pilot": datasets.load("fleiss_1971"), "half_width": 0.05},
            "drawn-pilot",
            PrecisionPlan,
        ),
        (
            {"pilot": datasets.load("fleiss_1971"), "half_width": 0.05, "assurance": None},
            "linearised",
            PrecisionPlan,
        ),
    ],
)
def test_the_question_decides_the_method(
    question: dict[str, Any], method: str, kind: type[plan.Plan] | None
) -> None:
    found = plan(**question, n_resamples=20, rng=1)  # type: ignore[operator]
    assert found.method == method
    assert isinstance(found, kind or plan.Plan)


def test_a_width_and_a_number_of_items_ask_for_raters() -> None:
    found = plan.plan(kappa=0.6, half_width=0.12, n_items=100, n_resamples=60, rng=1)
    assert found.solved_for == "n_raters"
    assert found.n_raters > 2
    assert found.n_items == 100


def test_width_and_half_width_are_one_wish() -> None:
    whole, half = (
        plan.plan(kappa=0.6, n_resamples=40, rng=1, **aim)
        for aim in ({"width": 0.2}, {"half_width": 0.1})
    )
    assert whole == half


def test_a_plan_is_one_sentence_and_plain_data() -> None:
    found = plan.plan(kappa0=0.4, kappa1=0.6, prevalence=0.3, n_raters=3, method="goodness-of-fit")
    assert str(found) == (
        "106 items, each rated by 3 raters (318 ratings), give power 0.802 to tell kappa 0.6 from "
        "0.4 (two-sided test at 0.05, goodness of fit; prevalence 0.3, 0.7)."
    )
    record = json.loads(json.dumps(found.to_dict()))
    assert record["n_items"] == 106
    assert record["n_ratings"] == 318
    assert record["sentence"] == str(found)
    with pytest.raises(dataclasses.FrozenInstanceError):
        found.n_items = 1  # type: ignore[misc]


ERRORS: list[tuple[Callable[..., Any], dict[str, Any], str]] = [
    (plan.plan, {}, "the question must be kappa0 and kappa1"),
    (plan.plan, {"kappa0": 0.4}, "the question must be"),
    (plan.plan, {"kappa1": 0.4}, "the question must be"),
    (plan.plan, {"kappa": 0.6}, "the aim must be either"),
    (plan.plan, {"kappa": 0.6, "width": 0.1, "half_width": 0.1}, "half_width must be left out"),
    (plan.plan, {"kappa": 0.6, "kappa1": 0.5, "width": 0.1}, "kappa1 must be left out"),
    (plan.plan, {"kappa0": 0.4, "kappa1": 0.6, "width": 0.1}, "half_width must be left out"),
    (plan.plan, {"kappa0": 0.4, "kappa1": 0.6, "kappa": 0.1}, "kappa must be left out"),
    (
        plan.plan,
        {"kappa": 0.6, "width": 0.1, "n_items": 50, "n_raters": 3},
        "n_raters must be left out with both",
    ),
    (plan.plan, {"kappa0": 0.4, "kappa1": 0.6, "raters": 3}, "did you mean 'n_raters'?"),
    (plan.plan, {"kappa0": 0.4, "kappa1": 0.6, "method": "magic"}, "method must be one of"),
    (plan.plan, {"kappa0": 0.4, "kappa1": 0.6, "coefficient": "kapa"}, "coefficient must be one"),
    (plan.plan, {"kappa0": 0.4, "kappa1": 0.6, "population": 9}, "population must be left out"),
    (plan.plan, {"kappa0": 0.4, "kappa1": 0.6, "alternative": "less"}, "kappa1 must be below"),
    (
        plan.plan,
        {"kappa0": 0.4, "kappa1": 0.6, "method": "cohen", "n_raters": 3},
        "method must be 'goodness-of-fit' or 'auto'",
    ),
    (
        plan.plan,
        {"kappa0": 0.4, "kappa1": 0.6, "method": "goodness-of-fit", "coefficient": "ac1"},
        "method must be 'simulation' or 'auto'",
    ),
    (plan.plan, {"kappa": 0.6, "width": 0.1, "coefficient": "icc"}, "method must be 'goodness"),
    (
        plan.plan,
        {"kappa0": 0.4, "kappa1": 0.6, "coefficient": "icc", "distance": "x"},
        "options must be left out with icc",
    ),
    (
        plan.plan,
        {"design": Simulator(), "kappa0": 0.4, "prevalence": 0.3},
        "prevalence must be left out with a design",
    ),
    (plan.plan, {"pilot": [[1, 2]], "observed": 0.8, "n_items": 9}, "left out with observed"),
    (
        plan.plan,
        {"kappa0": 0.4, "kappa1": 0.6, "other_prevalence": 0.2},
        "left out with this method",
    ),
    (plan.plan, {"kappa0": 0.4, "kappa1": 0.6, "low": 0.2}, "left out with this method"),
    (plan.plan, {"pilot": [[1, 2]], "half_width": 0.1, "kappa": 0.5}, "left out with a pilot"),
    (plan.plan, {"kappa0": 0.4, "kappa1": 0.6, "prevalence": [0.5, 0.6]}, "add up to 1"),
    (
        plan.plan,
        {"method": "goodness-of-fit", "kappa0": 0.4, "kappa1": 0.4},
        "different from kappa0",
    ),
    (
        plan.plan,
        {"method": "goodness-of-fit", "kappa0": 0.0, "kappa1": 0.4},
        "strictly between 0 and 1",
    ),
    (plan.plan, {"method": "goodness-of-fit", "kappa0": 0.4, "kappa1": 40}, "write 0.4 for 40%"),
    (
        plan.plan,
        {"method": "goodness-of-fit", "kappa0": 0.4, "kappa1": 0.6, "power": 0.01},
        "above the sig",
    ),
    (
        plan.plan,
        {"method": "goodness-of-fit", "kappa0": 0.4, "kappa1": 0.6, "n_raters": 1},
        "at least 2",
    ),
    (
        plan.plan,
        {"method": "goodness-of-fit", "kappa0": 0.4, "kappa1": 0.6, "prevalence": [0.5, 0.5, 0.0]},
        "above 0 for every category",
    ),
    (
        plan.plan,
        {"method": "goodness-of-fit", "kappa0": 0.4, "kappa1": 0.4000001},
        "reachable with 1,000,000,000 items",
    ),
    (plan.plan, {"method": "goodness-of-fit", "kappa": 0.6, "low": 0.7}, "low must be between"),
    (
        plan.plan,
        {"method": "goodness-of-fit", "kappa": 0.6, "low": 0.4, "high": 0.5},
        "high must be between",
    ),
    (
        plan.plan,
        {"method": "goodness-of-fit", "kappa": 0.6, "low": 0.4, "confidence_level": 0.4},
        "above 0.5 for a one-sided",
    ),
    (
        plan.plan,
        {"method": "goodness-of-fit", "kappa": 0.6, "low": 0.4, "n_items": 9},
        "give exactly one",
    ),
    (
        plan.plan,
        {"method": "cohen", "kappa0": 0.4, "kappa1": 0.6, "alternative": "less"},
        "below kappa0",
    ),
    (
        plan.plan,
        {"method": "cohen", "kappa0": 0.4, "kappa1": 0.6, "alternative": "up"},
        "alternative must be",
    ),
    (
        plan.plan,
        {"method": "cohen", "kappa0": 0.4, "kappa1": 0.6, "other_prevalence": [0.2, 0.3, 0.5]},
        "for 2 categories",
    ),
    (plan.plan, {"coefficient": "icc", "kappa0": 0.6, "kappa1": 0.4}, "above kappa0"),
    (plan.plan, {"coefficient": "icc", "kappa0": 0.6, "kappa1": 1.0}, "kappa1 must be below 1"),
    (plan.plan, {"observed": 0.8, "expected": 1.0}, "expected must be below 1"),
    (plan.plan, {"observed": 0.8}, "either half_width or n_items"),
    (
        plan.plan,
        {"observed": 0.8, "n_items": 100, "population": 50},
        "population must be at least",
    ),
]


@pytest.mark.parametrize(("function", "options", "message"), ERRORS)
def test_a_bad_question_is_refused_with_the_reason(
    function: Callable[..., Any], options: dict[str, Any], message: str
) -> None:
    with pytest.raises(InputError) as caught:
        function(**options)
    assert message in str(caught.value)


def test_simulation_refuses_what_cannot_be_simulated() -> None:
    design = Simulator(n_raters=2, agreement=0.5)
    with pytest.raises(InputError, match="design must be a Simulator"):
        plan.plan(design="design", coefficient="alpha", kappa0=0.1)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="different from kappa0"):
        plan.plan(design=design, coefficient="alpha", kappa0=0.5)
    with pytest.raises(InputError, match="either half_width or n_items"):
        plan.plan(design=design, coefficient="alpha")
    with pytest.raises(InputError, match="of at most 1,000,000 items"):
        plan.plan(design=design, coefficient="alpha", half_width=0.0005, n_resamples=2, rng=0)
    with pytest.raises(InputError, match="options must be left out with an estimate"):
        plan.plan(pilot=cs.scott_pi(datasets.load("fleiss_1971")), half_width=0.1, distance="x")
