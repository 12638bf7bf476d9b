from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.binary_kappa import (
    CommonCorrelation,
    _profile,
    bloch_kraemer_error,
    bloch_kraemer_interval,
    donner_eliasziw_interval,
    goodness_of_fit_interval,
    goodness_of_fit_test,
    profile_interval,
    turning_point,
)

counts = st.integers(0, 40)
binary_tables = st.tuples(counts, counts, counts, counts).map(
    lambda c: [[c[0], c[1]], [c[2], c[3]]]
)


def varied(table: list[list[int]]) -> bool:
    first = 2 * table[0][0] + table[0][1] + table[1][0]
    return 0 < first < 2 * int(np.sum(table))


def small_study(seed: int, *, n_items: int, n_raters: int, missing: float = 0.0) -> cs.Ratings:
    rng = np.random.default_rng(seed)
    shared = rng.choice(3, size=(n_items, 1), p=[0.5, 0.3, 0.2])
    own = rng.choice(3, size=(n_items, n_raters), p=[0.5, 0.3, 0.2])
    labels = np.where(rng.random((n_items, 1)) < 0.5, shared, own).astype(float)
    labels[rng.random(labels.shape) < missing] = np.nan
    return cs.Ratings.from_wide(labels, categories=[0.0, 1.0, 2.0])


# --- the model ------------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize("n_raters", [2, 3, 5])
def test_the_estimate_is_that_of_the_cube(n_raters: int, missing: float) -> None:
    ratings = small_study(1, n_items=40, n_raters=n_raters, missing=missing)
    assert CommonCorrelation.of(ratings).value == pytest.approx(cs.scott_pi(ratings).value)


@pytest.mark.parametrize("kappa", [-0.1, 0.0, 0.3, 0.8])
def test_two_raters_and_two_labels_have_pearsons_statistic(kappa: float) -> None:
    """Donner & Eliasziw (1992): three cells at the observed prevalence."""
    table = np.array([[70, 25], [0, 55]])
    n, p = table.sum(), (2 * 70 + 25) / 300
    cells = np.array(
        [
            p**2 + p * (1 - p) * kappa,
            2 * p * (1 - p) * (1 - kappa),
            (1 - p) ** 2 + p * (1 - p) * kappa,
        ]
    )
    observed = np.array([70, 25, 55])
    pearson = ((observed - n * cells) ** 2 / (n * cells)).sum()
    assert CommonCorrelation.of(table).chi_square(kappa) == pytest.approx(pearson)


@pytest.mark.parametrize(("n_raters", "n_labels"), [(2, 2), (3, 2), (5, 2), (2, 3), (4, 3)])
def test_the_information_adds_up_over_all_patterns(n_raters: int, n_labels: int) -> None:
    p = np.array([0.2, 0.8]) if n_labels == 2 else np.array([0.2, 0.3, 0.5])
    model, kappa = CommonCorrelation(0.6, p, {n_raters: 50}), 0.35
    information = 0.0
    for pattern in itertools.product(range(n_labels), repeat=n_raters):
        alone = float(np.prod(p[list(pattern)]))
        shared = float(p[pattern[0]]) if len(set(pattern)) == 1 else 0.0
        information += (shared - alone) ** 2 / ((1 - kappa) * alone + kappa * shared)
    assert model.chi_square(kappa) == pytest.approx(50 * 0.25**2 * information)


def test_more_raters_or_labels_divide_by_the_variance_of_the_model() -> None:
    for n_raters, p in ((3, [0.2, 0.8]), (2, [0.2, 0.3, 0.5])):
        model = CommonCorrelation(0.6, np.array(p), {n_raters: 50})
        assert model.statistic(0.35) == pytest.approx(0.25**2 / model.variance(0.35))
        assert model.statistic(0.35) < model.chi_square(0.35)
        assert model.method == "common-correlation"
    binary = CommonCorrelation.of_counts(20, 10, 70)
    assert binary.method == "donner-eliasziw"
    assert binary.statistic(0.2) == binary.chi_square(0.2)


@pytest.mark.parametrize("p", [(0.2, 0.8), (0.2, 0.3, 0.5)])
@pytest.mark.parametrize("n_by_ratings", [{2: 50}, {3: 50}, {5: 50}, {1: 20, 2: 30, 4: 15}])
def test_the_variance_is_the_delta_method_over_all_patterns(
    p: tuple[float, ...], n_by_ratings: dict[int, int]
) -> None:
    shares, kappa = np.array(p), 0.35
    n_items = sum(n_by_ratings.values())
    n_pairable = n_items - n_by_ratings.get(1, 0)
    variance = 0.0
    for n_ratings, n in n_by_ratings.items():
        chances, moves = [], []
        for pattern in itertools.product(range(len(p)), repeat=n_ratings):
            alone = float(np.prod(shares[list(pattern)]))
            shared = p[pattern[0]] if len(set(pattern)) == 1 else 0.0
            chances.append((1 - kappa) * alone + kappa * shared)
            pairs = [a == b for a, b in itertools.combinations(pattern, 2)]
            agree = np.mean(pairs) / n_pairable if pairs else 0.0
            moves.append(agree - 2 * (1 - kappa) * np.mean(shares[list(pattern)]) / n_items)
        mean = np.dot(chances, moves)
        variance += n * np.dot(chances, (np.array(moves) - mean) ** 2)
    model = CommonCorrelation(0.6, shares, n_by_ratings)
    assert model.variance(kappa) == pytest.approx(variance / (1 - shares @ shares) ** 2)


def test_the_variance_for_two_raters_and_labels_is_bloch_and_kraemers() -> None:
    model = CommonCorrelation.of_counts(20, 10, 70)
    p, k = float(model.shares[0]), 0.4
    printed = (1 - k) / 100 * ((1 - k) * (1 - 2 * k) + k * (2 - k) / (2 * p * (1 - p)))
    assert model.variance(k) == pytest.approx(printed)


def test_items_with_one_rating_count_for_the_shares_only() -> None:
    rows = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"], ["a", None], ["a", None]]
    model = CommonCorrelation.of(cs.Ratings.from_wide(rows))
    assert model.n_by_ratings == {2: 4, 1: 2}
    assert model.shares.tolist() == pytest.approx([3.5 / 6, 2.5 / 6])
    pairs_only = CommonCorrelation(model.value, model.shares, {2: 4})
    assert model.chi_square(0.2) == pytest.approx(pairs_only.chi_square(0.2))


# --- test -----------------------------------------------------------------------------------------


@given(binary_tables.filter(varied))
def test_the_estimate_itself_is_never_rejected(table: list[list[int]]) -> None:
    value = CommonCorrelation.of(table).value
    if value >= CommonCorrelation.of(table).floor:
        test = goodness_of_fit_test(table, null=value)
        assert test.statistic == 0.0
        assert test.p_value == 1.0


def test_one_sided_p_values_split_the_two_sided_one() -> None:
    table = [[45, 5], [5, 45]]
    two = goodness_of_fit_test(table, null=0.6)
    above = goodness_of_fit_test(table, null=0.6, alternative="greater")
    below = goodness_of_fit_test(table, null=0.6, alternative="less")
    assert above.p_value == pytest.approx(two.p_value / 2)
    assert above.p_value + below.p_value == pytest.approx(1)
    assert two.degrees_of_freedom == 1


def test_full_agreement_is_rejected_by_any_disagreement() -> None:
    assert goodness_of_fit_test([[45, 5], [5, 45]], null=1.0).p_value == 0.0
    assert goodness_of_fit_test([[45, 0], [0, 45]], null=1.0).p_value == 1.0


def test_one_label_only_gives_nan() -> None:
    table = [[7, 0], [0, 0]]
    assert math.isnan(goodness_of_fit_test(table, null=0.5).p_value)
    assert math.isnan(goodness_of_fit_interval(table).low)
    assert math.isnan(bloch_kraemer_interval(table).high)
    assert math.isnan(bloch_kraemer_error(table))
    assert math.isnan(profile_interval(table).low)
    assert math.isnan(donner_eliasziw_interval(7, 0, 0, confidence_level=0.95).low)


def test_bad_input_is_refused_with_a_sentence() -> None:
    table = [[45, 5], [5, 45]]
    with pytest.raises(InputError, match="null must be between -1, the lowest kappa"):
        goodness_of_fit_test(table, null=1.2)
    with pytest.raises(InputError, match="lowest kappa these label shares allow"):
        goodness_of_fit_test([[90, 5], [5, 0]], null=-0.5)
    with pytest.raises(InputError, match="alternative must be one of"):
        goodness_of_fit_test(table, null=0.5, alternative="bigger")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="confidence_level must be between 0 and 1"):
        goodness_of_fit_interval(table, confidence_level=95)
    with pytest.raises(UnsupportedDesignError, match="at least one item with two ratings"):
        goodness_of_fit_interval(cs.Ratings.from_wide([["a", None], [None, "b"]]))
    with pytest.raises(UnsupportedDesignError, match="exactly two categories"):
        profile_interval([[1, 2, 3], [3, 2, 1], [0, 1, 2]])


# --- intervals ------------------------------------------------------------------------------------

INTERVALS = [goodness_of_fit_interval, bloch_kraemer_interval, profile_interval]


@settings(max_examples=60, deadline=None)
@given(binary_tables.filter(varied), st.sampled_from(INTERVALS))
def test_an_interval_holds_the_estimate_and_stays_in_range(
    table: list[list[int]], function: Any
) -> None:
    interval = function(table)
    coefficient = cs.cohen_kappa if function is profile_interval else cs.scott_pi
    value = coefficient(cs.Ratings.from_table(table), on_undefined="ignore").value
    if math.isnan(value):
        return
    assert -1.0 <= interval.low <= value + 1e-9
    assert value - 1e-9 <= interval.high <= 1.0
    wider = function(table, confidence_level=0.99)
    assert wider.low <= interval.low + 1e-9
    assert wider.high >= interval.high - 1e-9


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_ends_of_the_interval_are_just_rejected(seed: int, missing: float) -> None:
    ratings = small_study(seed, n_items=25, n_raters=4, missing=missing)
    interval, floor = goodness_of_fit_interval(ratings), CommonCorrelation.of(ratings).floor
    for end in interval:
        p_value = goodness_of_fit_test(ratings, null=end).p_value
        assert p_value == pytest.approx(0.05) or (end == floor and p_value > 0.05)


def test_intervals_of_many_raters_are_no_wider_than_of_two() -> None:
    ratings = small_study(3, n_items=200, n_raters=5)
    two = ratings.select(raters=ratings.raters[:2])
    for function in (goodness_of_fit_interval, bloch_kraemer_interval):
        many, few = function(ratings), function(two)
        assert many.high - many.low < few.high - few.low


def test_full_agreement_still_has_a_lower_limit() -> None:
    for function in INTERVALS:
        interval = function([[20, 0], [0, 30]])
        assert interval.high == 1.0
        assert 0.8 < interval.low < 0.95


def test_an_estimate_below_every_kappa_of_the_model_stays_inside_its_interval() -> None:
    rows = [["a", "b"]] * 4 + [["a", "c"]] * 4 + [["a", "a"]] * 2
    ratings = cs.Ratings.from_wide(rows)
    model = CommonCorrelation.of(ratings)
    assert model.value < model.floor
    for function in (goodness_of_fit_interval, bloch_kraemer_interval):
        interval = function(ratings)
        assert interval.low == pytest.approx(model.value)
        assert model.floor < interval.high < 0.5


@pytest.mark.parametrize("n_raters", [2, 3, 5])
@pytest.mark.parametrize(("true", "model"), [(0.0, "mixture"), (0.5, "mixture"), (0.5, "beta")])
def test_the_interval_covers(n_raters: int, true: float, model: str) -> None:
    """Also where ratings are beta-binomial, and the model of all or nothing is wrong."""
    rng, n_items, runs = np.random.default_rng(11), 60, 120
    hits = 0
    for _ in range(runs):
        if model == "mixture":
            shared = rng.random((n_items, 1)) < true
            same, own = rng.random((n_items, 1)) < 0.3, rng.random((n_items, n_raters)) < 0.3
            labels = np.where(shared, same, own)
        else:  # kappa = 1 / (1 + a + b)
            labels = rng.random((n_items, n_raters)) < rng.beta(0.3, 0.7, (n_items, 1))
        interval = goodness_of_fit_interval(cs.Ratings.from_wide(labels.astype(int)))
        hits += interval.low <= true <= interval.high
    assert hits / runs > 0.89  # 95 % less three binomial errors


def test_the_counts_alone_are_enough_for_two_raters_and_labels() -> None:
    assert donner_eliasziw_interval(70, 25, 55, confidence_level=0.9) == goodness_of_fit_interval(
        [[70, 25], [0, 55]], confidence_level=0.9
    )


# --- profile likelihood ---------------------------------------------------------------------------


def cells_of(kappa: float, a: Any, b: Any) -> list[Any]:
    shift = kappa * (a + b - 2 * a * b) / 2
    return [a * b + shift, a * (1 - b) - shift, (1 - a) * b - shift, (1 - a) * (1 - b) + shift]


@pytest.mark.parametrize(
    "table", [[[70, 25], [0, 55]], [[3, 7], [11, 179]], [[0, 4], [1, 15]], [[3, 96], [1, 0]]]
)
@pytest.mark.parametrize("kappa", [-0.3, 0.0, 0.2, 0.6])
def test_no_margins_give_a_higher_likelihood(table: list[list[int]], kappa: float) -> None:
    counts = np.array(table, dtype=float)
    a, b = np.meshgrid(np.linspace(0.002, 0.998, 250), np.linspace(0.002, 0.998, 250))
    likelihood = np.zeros(a.shape)
    for count, cell in zip(counts.ravel(), cells_of(kappa, a, b), strict=True):
        likelihood += np.where(cell > 0, count * np.log(np.where(cell > 0, cell, 1)), -np.inf)
    best, found = float(likelihood.max()), _profile(counts, kappa)
    assert found >= best - 1e-9
    assert found <= best + 0.3


def test_the_ends_of_the_profile_interval_drop_by_the_critical_value() -> None:
    table = np.array([[24.0, 8.0], [14.0, 24.0]])
    best = float((table * np.log(table / 70)).sum())
    for end in profile_interval(table):
        assert 2 * (best - _profile(table, end)) == pytest.approx(1.959964**2, abs=1e-5)


def test_the_profile_interval_is_near_wald_in_large_samples() -> None:
    table = np.rint(100_000 * np.array(cells_of(0.6, 0.4, 0.3))).astype(int).reshape(2, 2)
    estimate = cs.cohen_kappa(cs.Ratings.from_table(table))
    kappa = estimate.confidence_interval(method="analytic")
    interval = profile_interval(table)
    assert (interval.low, interval.high) == pytest.approx((kappa.low, kappa.high), abs=5e-5)


def test_only_disagreement_reaches_down_to_minus_one() -> None:
    interval = profile_interval([[0, 6], [6, 0]])
    assert interval.low == -1.0
    assert interval.high < 0.0


@pytest.mark.parametrize(
    ("excess", "inside", "outer", "end"),
    [
        (lambda x: x - 0.5, 0.0, 1.0, 0.5),
        (lambda x: -x - 0.25, 0.0, -1.0, -0.25),
        (lambda x: x - 1.5, 0.0, 1.0, 1.0),  # not even the end is rejected
        (lambda x: -1.0, 0.0, -1.0, -1.0),
        (lambda x: x + 0.5, 0.0, 1.0, 0.0),  # all but the estimate are
        (lambda x: 1.0, 1.0, 1.0, 1.0),
    ],
)
def test_an_interval_ends_where_values_begin_to_be_rejected(
    excess: Any, inside: float, outer: float, end: float
) -> None:
    assert turning_point(excess, inside, outer) == pytest.approx(end, abs=1e-9)
