"""Defects found in other programs, one regression test each.

The numbers are those of the validation table: each test says which program, what it returns, and
compares our value with an independent computation, most often by enumerating every pair of
ratings.
"""

from __future__ import annotations

import itertools
import math
import tracemalloc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import magnitudes
from consilience.exceptions import InputError, UndefinedCoefficientWarning
from consilience.units import Units, best_alignment, gamma, pk, window_diff

Rows = Sequence[Sequence[Any]]
Distance = Callable[[Any, Any], float]

# Two programs that enumerate the same pairs differ by rounding only.
ROUNDING = 1e-10
# 500 items and 3 raters of noise: chance-corrected coefficients stay this close to 0.
NOISE = 0.1


# --- the definitions, pair by pair ----------------------------------------------------------------


def nominal(a: Any, b: Any) -> float:
    return float(a != b)


def squared(a: Any, b: Any) -> float:
    return float((a - b) ** 2)


def absolute(a: Any, b: Any) -> float:
    return float(abs(a - b))


def ratio(a: Any, b: Any) -> float:
    return 0.0 if a == b else float(((a - b) / (a + b)) ** 2)


def present(rows: Rows) -> list[list[Any]]:
    return [[x for x in row if x is not None] for row in rows]


def krippendorff_ordinal(rows: Rows) -> Distance:
    """Squared difference of mid-ranks among the pairable values."""
    values = [x for row in present(rows) if len(row) > 1 for x in row]

    def mid_rank(x: Any) -> float:
        return sum(v < x for v in values) + sum(v == x for v in values) / 2

    return lambda a, b: (mid_rank(a) - mid_rank(b)) ** 2


def observed_disagreement(rows: Rows, d: Distance) -> float:
    """Mean over items of the mean distance of their pairs."""
    items = [row for row in present(rows) if len(row) > 1]
    return float(np.mean([np.mean([d(*p) for p in itertools.permutations(i, 2)]) for i in items]))


def alpha_by_pairs(rows: Rows, d: Distance) -> float:
    items = [row for row in present(rows) if len(row) > 1]
    values = [x for row in items for x in row]
    observed = sum(
        d(a, b) / (len(item) - 1) for item in items for a, b in itertools.permutations(item, 2)
    ) / len(values)
    expected = np.mean([d(a, b) for a, b in itertools.permutations(values, 2)])
    return float(1 - observed / expected)


def pi_by_pairs(rows: Rows, d: Distance) -> float:
    labels = sorted({x for row in present(rows) for x in row})
    rated = [row for row in present(rows) if row]
    p_k = np.mean([[row.count(k) / len(row) for k in labels] for row in rated], axis=0)
    d_kl = np.array([[d(k, other) for other in labels] for k in labels])
    return float(1 - observed_disagreement(rows, d) / (p_k @ d_kl @ p_k))


def kappa_by_pairs(rows: Rows, d: Distance) -> float:
    """Every pair of raters weighs the same; a rater's distribution uses all he rated."""
    raters = [[x for x in column if x is not None] for column in zip(*rows, strict=True)]
    expected = [
        np.mean([d(a, b) for a in first for b in second])
        for first, second in itertools.combinations(raters, 2)
    ]
    return float(1 - observed_disagreement(rows, d) / np.mean(expected))


def s_by_pairs(rows: Rows, d: Distance, categories: Sequence[Any]) -> float:
    expected = np.mean([d(a, b) for a in categories for b in categories])
    return float(1 - observed_disagreement(rows, d) / expected)


def noise(raters: int, *, items: int = 500, labels: int = 5, seed: int = 7) -> list[list[int]]:
    rng = np.random.default_rng(seed)
    return (rng.integers(labels, size=(items, raters)) + 1).tolist()


WEIGHTED = {
    "bennett_s": lambda rows, d: s_by_pairs(rows, d, range(1, 6)),
    "scott_pi": pi_by_pairs,
    "cohen_kappa": kappa_by_pairs,
    "krippendorff_alpha": alpha_by_pairs,
}


# --- 1 to 3: NLTK ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", WEIGHTED)
def test_01_nltk_mixes_weighted_observed_with_unweighted_expected_agreement(name: str) -> None:
    """NLTK's kappa, pi, S and multi_kappa return .694 for pure noise with a squared distance."""
    rows = noise(3, items=120)
    ratings = cs.Ratings.from_wide(rows, categories=range(1, 6))
    value = getattr(cs, name)(ratings, distance="quadratic").value
    assert value == pytest.approx(WEIGHTED[name](rows, squared), abs=ROUNDING)
    large = cs.Ratings.from_wide(noise(3), categories=range(1, 6))
    assert abs(getattr(cs, name)(large, distance="quadratic").value) < NOISE


@pytest.mark.parametrize("name", [*WEIGHTED, "gwet_ac"])
def test_02_nltk_scales_expected_but_not_observed_disagreement(name: str) -> None:
    """weighted_kappa(max_distance=9) turns .839 into -.452 on the same data."""
    rows = [[1, 1], [2, 3], [3, 3], [4, 5], [5, 5], [2, 2], [1, 2]]
    ratings = cs.Ratings.from_wide(rows, categories=range(1, 6))
    d_kl = np.abs(np.subtract.outer(np.arange(5), np.arange(5)))
    values = [
        getattr(cs, name)(ratings, distance=cs.distances.matrix(unit * d_kl, range(1, 6))).value
        for unit in (1, 9, 1 / 9)
    ]
    assert values == pytest.approx([values[0]] * 3, abs=ROUNDING)


def test_03_nltk_breaks_on_missing_ratings() -> None:
    """Any missing (coder, item) pair: RuntimeError or a bare StopIteration, alpha excepted."""
    rows = [[1, 1, None], [2, None, 2], [3, 3, 3], [None, 1, 2], [2, 2, 2]]
    ratings = cs.Ratings.from_wide(rows, categories=(1, 2, 3))
    assert cs.cohen_kappa(ratings).value == pytest.approx(kappa_by_pairs(rows, nominal))
    assert cs.scott_pi(ratings).value == pytest.approx(pi_by_pairs(rows, nominal))
    assert cs.bennett_s(ratings).value == pytest.approx(s_by_pairs(rows, nominal, (1, 2, 3)))
    assert cs.krippendorff_alpha(ratings).value == pytest.approx(alpha_by_pairs(rows, nominal))
    assert cs.gwet_ac(ratings).status == "ok"


def test_03_nltk_divides_by_zero_on_unanimous_data() -> None:
    """weighted_kappa on unanimous data: ZeroDivisionError."""
    ratings = cs.Ratings.from_wide([[2, 2], [2, 2]], categories=(1, 2, 3))
    with pytest.warns(UndefinedCoefficientWarning):
        estimate = cs.cohen_kappa(ratings, distance="quadratic")
    assert estimate.status == "undefined"
    assert math.isnan(estimate.value)


# --- 4 and 5: DKPro -------------------------------------------------------------------------------


@pytest.mark.parametrize("raters", [3, 5])
def test_04_dkpro_sums_expected_disagreement_over_rater_pairs(raters: int) -> None:
    """WeightedKappaAgreement gives random ratings .666 with three raters and .900 with five."""
    rows = noise(raters, items=80)
    ratings = cs.Ratings.from_wide(rows, categories=range(1, 6))
    beta = cs.cohen_kappa(ratings, distance="quadratic")
    assert beta.value == pytest.approx(kappa_by_pairs(rows, squared), abs=ROUNDING)
    large = cs.Ratings.from_wide(noise(raters), categories=range(1, 6))
    assert abs(cs.cohen_kappa(large, distance="quadratic").value) < NOISE


def test_05_dkpro_normalises_observed_and_expected_by_different_maxima() -> None:
    """Two raters never more than one step apart on five points get -.548 (right: .903)."""
    rows = [[k, k] for k in range(1, 6)] * 4 + [[k, k + 1] for k in range(1, 5)] * 2
    ratings = cs.Ratings.from_wide(rows, categories=range(1, 6))
    value = cs.cohen_kappa(ratings, distance="quadratic").value
    assert value == pytest.approx(kappa_by_pairs(rows, squared), abs=ROUNDING)
    assert value > 0.9


# --- 6 to 9: irr, DescTools, JASP -----------------------------------------------------------------

# Three raters, ten items; the matrix of the report in which two R packages differed.
COMPLETE = [[2, 1, 1], [2, 2, 1], [2, 2, 1], [2, 2, 1]] + [[2, 2, 2]] * 6


def test_06_irr_does_not_divide_pairs_by_m_minus_one_when_nothing_is_missing() -> None:
    """irr::kripp.alpha and its port pyirr: .056 instead of .072; Fleiss' data .4309, not .4334."""
    alpha = cs.krippendorff_alpha(cs.Ratings.from_wide(COMPLETE)).value
    assert alpha == pytest.approx(alpha_by_pairs(COMPLETE, nominal), abs=ROUNDING)
    assert alpha == pytest.approx(0.072, abs=0.0005)
    fleiss = cs.krippendorff_alpha(cs.datasets.load("fleiss_1971")).value
    assert fleiss == pytest.approx(0.4334, abs=0.00005)
    targets = cs.krippendorff_alpha(cs.datasets.load("shrout_fleiss_1979")).value
    assert targets == pytest.approx(0.1473, abs=0.00005)


def test_06_one_missing_cell_changes_alpha_only_a_little() -> None:
    rows = [list(row) for row in cs.datasets.describe("shrout_fleiss_1979").cells]
    complete = cs.krippendorff_alpha(cs.Ratings.from_wide(rows), distance="interval").value
    rows[0][2] = None
    gapped = cs.krippendorff_alpha(cs.Ratings.from_wide(rows), distance="interval").value
    assert gapped == pytest.approx(alpha_by_pairs(rows, squared), abs=ROUNDING)
    assert abs(gapped - complete) < 0.05


def test_07_desctools_takes_the_modal_share_for_pairwise_agreement() -> None:
    """RandolphKappa in the development version: .740 instead of .531."""
    rows = [[1, 1, 1, 2], [2, 2, 3, 3], [1, 2, 3, 4], [4, 4, 4, 4], [2, 2, 2, 1]]
    ratings = cs.Ratings.from_wide(rows, categories=(1, 2, 3, 4))
    s = cs.bennett_s(ratings)
    assert s.value == pytest.approx(s_by_pairs(rows, nominal, (1, 2, 3, 4)), abs=ROUNDING)
    modal_share = np.mean([max(map(row.count, row)) / 4 for row in rows])
    assert s.observed < modal_share


UNEVEN = [[1, 2, 1], [10, 10, 2], [50, 10, 50], [2, 2, 2], [1, 1, 2], [50, 50, 50]]


@pytest.mark.parametrize(("name", "d"), [("interval", squared), ("ratio", ratio)])
def test_08_desctools_replaces_values_by_ranks(name: str, d: Distance) -> None:
    """KrippAlpha(interval, ratio) without levels: .844 instead of .546."""
    value = cs.krippendorff_alpha(cs.Ratings.from_wide(UNEVEN), distance=name).value
    assert value == pytest.approx(alpha_by_pairs(UNEVEN, d), abs=ROUNDING)
    order = sorted({x for row in UNEVEN for x in row})
    ranked = [[order.index(x) + 1 for x in row] for row in UNEVEN]
    assert value != pytest.approx(alpha_by_pairs(ranked, d), abs=0.001)


def test_09_desctools_and_jasp_build_the_interval_on_the_null_error() -> None:
    """KappaM(Fleiss) and JASP: the error under no agreement gives too narrow an interval."""
    ratings = cs.datasets.load("fleiss_1971")
    interval = cs.scott_pi(ratings).confidence_interval()
    null = cs.scott_pi(ratings, standard_error="fleiss-nee-landis-null")
    assert interval.high - interval.low > 2 * 1.96 * null.standard_error
    with pytest.raises(cs.ConsilienceError):
        null.confidence_interval()


# --- 10 to 12: krippendorffsalpha, disagree, agreement --------------------------------------------


def test_10_krippendorffsalpha_takes_ordinal_for_interval() -> None:
    """The level "ordinal" there is the interval distance; the default is another estimator."""
    rows = UNEVEN
    ordinal = cs.krippendorff_alpha(cs.Ratings.from_wide(rows, scale="ordinal")).value
    interval = cs.krippendorff_alpha(cs.Ratings.from_wide(rows, scale="interval")).value
    assert ordinal == pytest.approx(alpha_by_pairs(rows, krippendorff_ordinal(rows)), abs=ROUNDING)
    assert interval == pytest.approx(alpha_by_pairs(rows, squared), abs=ROUNDING)
    assert ordinal != pytest.approx(interval, abs=0.01)


@pytest.mark.parametrize("metric", ["ordinal", "interval", "ratio"])
def test_11_disagree_computes_every_metric_on_category_codes(metric: str) -> None:
    """Ordinal .676 for .866, ratio .728 for .830, interval .821 for .999."""
    rows = [[1, 1, 2], [3, 3, None], [900, 1000, 900], [3, 1, 3], [None, 1000, 1000], [2, 2, 2]]
    d = {"ordinal": krippendorff_ordinal(rows), "interval": squared, "ratio": ratio}[metric]
    value = cs.krippendorff_alpha(cs.Ratings.from_wide(rows), distance=metric).value
    assert value == pytest.approx(alpha_by_pairs(rows, d), abs=ROUNDING)


@pytest.mark.parametrize("name", ["linear", "ordinal-gwet"])
def test_12_agreement_ignores_the_weights_in_the_chance_term_of_alpha(name: str) -> None:
    """Noise gives .494 with linear and .643 with ordinal weights."""
    ratings = cs.Ratings.from_wide(noise(3), categories=range(1, 6))
    assert abs(cs.krippendorff_alpha(ratings, distance=name).value) < NOISE
    if name == "linear":
        rows = noise(3, items=60)
        value = cs.krippendorff_alpha(cs.Ratings.from_wide(rows), distance=name).value
        assert value == pytest.approx(alpha_by_pairs(rows, absolute), abs=ROUNDING)


# --- 13 and 14: irrCAC ----------------------------------------------------------------------------


def test_13_irrcac_py_reports_no_chance_agreement_for_scott_pi() -> None:
    """pe = 0 whatever the data."""
    pi = cs.scott_pi(cs.datasets.load("artstein_poesio_2005_table1"))
    assert pi.expected == pytest.approx(0.545)


CORRECTED = ["bennett_s", "scott_pi", "cohen_kappa", "gwet_ac", "krippendorff_alpha"]


@pytest.mark.parametrize("name", CORRECTED)
@pytest.mark.parametrize("table", [[[30, 10], [10, 30]], [[10, 30], [30, 10]]], ids=["+", "-"])
def test_13_and_14_irrcac_has_one_sided_and_impossible_p_values(
    name: str, table: list[list[int]]
) -> None:
    """One-sided in some functions, max(value, 0) in others, 1.992 for a negative kappa in R."""
    from scipy import stats

    ratings = cs.Ratings.from_table(table)
    estimate = getattr(cs, name)(ratings, standard_error="gwet")
    t = abs(estimate.value) / estimate.standard_error
    assert 0 <= estimate.p_value <= 1
    assert estimate.p_value == pytest.approx(2 * stats.t.sf(t, ratings.n_items - 1), abs=1e-12)


@pytest.mark.parametrize("name", ["scott_pi", "cohen_kappa", "krippendorff_alpha"])
def test_13_irrcac_py_treats_unanimous_data_three_ways(name: str) -> None:
    """Gwet 1 with NaN error, Conger NaN, Fleiss 1 with p = 0."""
    ratings = cs.Ratings.from_wide([["x", "x", "x"]] * 4, categories=("x", "y"))
    with pytest.warns(UndefinedCoefficientWarning):
        estimate = getattr(cs, name)(ratings)
    assert estimate.status == "undefined"
    assert estimate.p_value is None or math.isnan(estimate.p_value)
    assert cs.gwet_ac(ratings).value == 1


@pytest.mark.parametrize("level", [0.5, 0.8, 0.999])
def test_13_irrcac_py_accepts_only_levels_between_90_and_99_percent(level: float) -> None:
    estimate = cs.gwet_ac(cs.datasets.load("sigil_homework"))
    interval = estimate.confidence_interval(confidence_level=level)
    assert interval.low < estimate.value < interval.high
    assert interval.confidence_level == level


def test_13_irrcac_py_rounds_inside() -> None:
    """Results are rounded to five digits before they are returned."""
    assert cs.gwet_ac(cs.datasets.load("sigil_homework")).value != round(
        cs.gwet_ac(cs.datasets.load("sigil_homework")).value, 5
    )


SIZES = [["low", "low"], ["mid", "high"], ["high", "high"], ["low", "mid"], ["mid", "mid"]]


@pytest.mark.parametrize("distance", ["linear", "quadratic", "ordinal", "ordinal-gwet"])
def test_13_and_16_text_categories_are_never_weighted_in_alphabetical_order(distance: str) -> None:
    """irrCAC: .172 for .448 on low/mid/high; scikit-learn: .000 for .692; no warning in either."""
    with pytest.raises(InputError, match="categories"):
        cs.cohen_kappa(cs.Ratings.from_wide(SIZES), distance=distance)
    ordered = cs.Ratings.from_wide(SIZES, categories=("low", "mid", "high"), scale="ordinal")
    rank = {"low": 1, "mid": 2, "high": 3}
    numbers = cs.Ratings.from_wide([[rank[x] for x in row] for row in SIZES])
    assert cs.cohen_kappa(ordered, distance=distance).value == pytest.approx(
        cs.cohen_kappa(numbers, distance=distance).value
    )


def test_14_irrcac_folds_the_case_of_labels() -> None:
    """Character ratings are upper-cased there, so that "a" and "A" merge."""
    ratings = cs.Ratings.from_wide([["a", "a"], ["A", "a"], ["b", "b"]])
    assert len(ratings.categories) == 3
    assert cs.percent_agreement(ratings).value == pytest.approx(2 / 3)


# --- 15 and 16: statsmodels, scikit-learn ---------------------------------------------------------


def test_15_statsmodels_makes_missing_ratings_a_category() -> None:
    """aggregate_raters turns NaN into one more category."""
    rows = np.array([[1, 1, np.nan], [2, 2, 2], [1, 2, np.nan], [2, 2, np.nan]])
    ratings = cs.Ratings.from_wide(rows)
    assert len(ratings.categories) == 2
    assert ratings.n_missing == 3
    plain = [[None if math.isnan(x) else x for x in row] for row in rows]
    assert cs.scott_pi(ratings).value == pytest.approx(pi_by_pairs(plain, nominal))


def test_15_statsmodels_stops_at_unequal_numbers_of_ratings() -> None:
    """fleiss_kappa: a bare AssertionError."""
    ratings = cs.Ratings.from_counts([[3, 0], [1, 1], [0, 4], [2, 1]], categories=("a", "b"))
    rows = [["a"] * a + ["b"] * b for a, b in [(3, 0), (1, 1), (0, 4), (2, 1)]]
    assert cs.scott_pi(ratings).value == pytest.approx(pi_by_pairs(rows, nominal))


def test_16_scikit_learn_weights_positions_instead_of_values() -> None:
    """cohen_kappa_score: the labels 1, 2, 10 weigh as 1, 2, 3."""
    rows = [[1, 1], [2, 10], [10, 10], [2, 2], [1, 2], [10, 2]]
    value = cs.cohen_kappa(cs.Ratings.from_wide(rows), distance="quadratic").value
    assert value == pytest.approx(kappa_by_pairs(rows, squared), abs=ROUNDING)
    positions = [[{1: 1, 2: 2, 10: 3}[x] for x in row] for row in rows]
    assert value != pytest.approx(kappa_by_pairs(positions, squared), abs=0.01)


# --- 17 to 20: krippendorff, simpledorff, Potato, INCEpTION ---------------------------------------


def test_17_krippendorff_needs_memory_for_every_pair_of_values() -> None:
    """Two raters and 1000 continuous values want 30 GB there."""
    rng = np.random.default_rng(3)
    truth = rng.normal(size=(1000, 1))
    values = truth + 0.5 * rng.normal(size=(1000, 2))
    ratings = cs.Ratings.from_wide(values, scale="interval")
    tracemalloc.start()
    alpha = cs.krippendorff_alpha(ratings).value
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6
    # Interval alpha is 1 - MSW/MST of the one-way table.
    within = ((values[:, 0] - values[:, 1]) ** 2 / 2).sum() / 1000
    assert alpha == pytest.approx(1 - within / values.var(ddof=1), abs=ROUNDING)


def test_17_krippendorff_refuses_none_and_reads_the_word_nan_as_missing() -> None:
    rows = [["nan", "nan"], ["x", "x"], ["nan", "x"], [None, "x"]]
    ratings = cs.Ratings.from_wide(rows)
    assert set(ratings.categories) == {"nan", "x"}
    assert ratings.n_missing == 1
    assert cs.krippendorff_alpha(ratings).value == pytest.approx(
        alpha_by_pairs(rows, nominal), abs=ROUNDING
    )


def test_17_krippendorff_raises_on_unanimous_data() -> None:
    with pytest.warns(UndefinedCoefficientWarning):
        alpha = cs.krippendorff_alpha(cs.Ratings.from_wide([[1, 1], [1, 1]]))
    assert alpha.status == "undefined"


def test_18_simpledorff_keeps_the_first_of_two_ratings_in_silence() -> None:
    """Duplicate (item, rater) rows; unanimous data there raise a ZeroDivisionError."""
    frame = {
        "item": [1, 1, 1, 2, 2],
        "rater": ["a", "a", "b", "a", "b"],
        "label": ["x", "y", "x", "y", "y"],
    }
    with pytest.raises(InputError, match="twice"):
        cs.Ratings.from_long(frame)
    first = cs.Ratings.from_long(frame, duplicates="first")
    last = cs.Ratings.from_long(frame, duplicates="last")
    assert cs.percent_agreement(first).value == 1
    assert cs.percent_agreement(last).value == 0.5


def test_19_potato_pairs_raters_by_list_position() -> None:
    """Partly overlapping raters are compared on different items after truncation."""
    frame = {
        "item": [1, 2, 3, 3, 4, 5],
        "rater": ["a", "a", "a", "b", "b", "b"],
        "label": [1, 2, 3, 3, 4, 5],
    }
    ratings = cs.Ratings.from_long(frame, scale="interval")
    agreement = cs.percent_agreement(ratings, distance="nominal")
    assert agreement.value == 1  # item 3 is the only one that both rated
    assert agreement.n_items_used == 1


def test_19_potato_uses_absolute_differences_for_ordinal_alpha() -> None:
    rows = [[1, 2], [2, 2], [3, 5], [5, 5], [1, 1], [4, 5]]
    value = cs.krippendorff_alpha(cs.Ratings.from_wide(rows, scale="ordinal")).value
    assert value == pytest.approx(alpha_by_pairs(rows, krippendorff_ordinal(rows)), abs=ROUNDING)
    assert value != pytest.approx(alpha_by_pairs(rows, absolute), abs=0.01)


def test_19_and_24_counts_are_not_rescaled_to_the_largest_number_of_raters() -> None:
    """Potato and torchmetrics compute Fleiss' kappa as if every item had the most ratings."""
    counts = [[5, 0], [1, 1], [0, 3], [4, 1]]
    rows = [["a"] * a + ["b"] * b for a, b in counts]
    value = cs.scott_pi(cs.Ratings.from_counts(counts, categories=("a", "b"))).value
    assert value == pytest.approx(pi_by_pairs(rows, nominal), abs=ROUNDING)


def test_20_inception_has_ac2_equal_to_ac1() -> None:
    rows = [[1, 2], [2, 2], [3, 3], [1, 2], [3, 2], [1, 1], [3, 3]]
    ratings = cs.Ratings.from_wide(rows, categories=(1, 2, 3))
    ac1, ac2 = cs.gwet_ac(ratings), cs.gwet_ac(ratings, distance="quadratic")
    assert ac2.value != pytest.approx(ac1.value, abs=0.01)
    # Gwet (2014): p_e = T_w/(q(q-1)) sum pi_k(1 - pi_k), T_w the sum of all agreement weights.
    w_kl = 1 - np.subtract.outer(np.arange(3), np.arange(3)) ** 2 / 4
    p_k = np.array([[row.count(k) / 2 for k in (1, 2, 3)] for row in rows]).mean(axis=0)
    p_e = w_kl.sum() / 6 * (p_k * (1 - p_k)).sum()
    p_a = 1 - observed_disagreement(rows, squared) / 4
    assert ac2.value == pytest.approx((p_a - p_e) / (1 - p_e), abs=ROUNDING)


# --- 21, 22, 24, 26 -------------------------------------------------------------------------------


def test_21_pygamma_ignores_the_numerical_distance_of_labels() -> None:
    """Its option is never applied: labels 1 and 2 count as far apart as 1 and 10."""
    rows = [("a", 1, 0, 10), ("b", 2, 0, 10), ("a", 1, 20, 30), ("b", 10, 20, 30)]
    found = best_alignment(Units.from_records(rows), distance="linear")
    assert found.disorder.tolist() == pytest.approx([1 / 9, 1.0])


def test_21_pygamma_reports_monte_carlo_precision_as_the_range_of_gamma() -> None:
    """More random continua shrink its range to nothing, whatever the number of recordings."""
    rng = np.random.default_rng(21)
    rows = [
        (rater, str(rng.integers(3)), 20 * k, 20 * k + int(rng.integers(5, 15)), f"film {film}")
        for film in range(10)
        for rater in "ab"
        for k in range(6)
    ]
    few, many = (
        gamma(Units.from_records(rows), n_samples=n, precision=None, rng=0) for n in (20, 320)
    )
    assert many.monte_carlo_error < 0.4 * few.monte_carlo_error
    width = [found.interval.high - found.interval.low for found in (few, many)]
    assert width[1] > 0.7 * width[0] > 4 * many.monte_carlo_error


def test_21_pygamma_enumerates_every_tuple_of_units() -> None:
    """Five raters with 60 units each would be 61^5 tuples."""
    rows = [
        (rater, "x", 10 * k + shift, 10 * k + shift + 6)
        for shift, rater in enumerate("abcde")
        for k in range(60)
    ]
    found = best_alignment(Units.from_records(rows))
    assert found.n_linked == 300


def test_22_tidycomm_computes_interval_and_ratio_alpha_on_ranks() -> None:
    rows = [[0.5, 0.5], [1.5, 0.5], [20.0, 18.5], [3.0, 3.0], [0.5, 1.5]]
    for name, d in (("interval", squared), ("ratio", ratio)):
        value = cs.krippendorff_alpha(cs.Ratings.from_wide(rows), distance=name).value
        assert value == pytest.approx(alpha_by_pairs(rows, d), abs=ROUNDING)


def test_23_pingouin_puts_the_interval_of_a_negative_icc_beyond_one() -> None:
    """Reported: [44, .48] for ICC(A,k). The single limit lies beyond the pole of Spearman-Brown."""
    rows = [[3, 3, 3], [2, 4, 1], [3, 2, 4], [4, 4, 5], [5, 1, 1], [1, 4, 5]]
    marks = cs.Ratings.from_wide(rows, scale="interval")
    single, mean = (magnitudes.icc(marks, model=form) for form in ("A,1", "A,k"))
    low = single.confidence_interval().low
    assert 3 * low / (1 + 2 * low) > 1  # what the formula gives without a look at its pole
    interval = mean.confidence_interval()
    assert mean.value < 0
    assert interval.low == -math.inf
    assert mean.value < interval.high < 1
    assert mean.to_dict()["interval"]["low"] is None


def test_23_pingouin_documents_the_f_test_of_items_as_one_of_rater_bias() -> None:
    """F compares items with the residual; a rater who is always higher does not change it."""
    rng = np.random.default_rng(23)
    marks = rng.normal(size=(30, 1)) + rng.normal(size=(30, 3))
    shifted = marks + np.array([0.0, 0.0, 100.0])
    before, after = (
        magnitudes.icc(cs.Ratings.from_wide(x, scale="interval"), model="C,1").test()
        for x in (marks, shifted)
    )
    assert after.statistic == pytest.approx(before.statistic)
    items = marks.mean(axis=1)
    rest = marks - items[:, None] - marks.mean(axis=0) + marks.mean()
    assert before.statistic == pytest.approx(3 * items.var(ddof=1) / ((rest**2).sum() / 58))


def test_24_torchmetrics_adds_a_constant_to_the_denominator() -> None:
    """+1e-5 keeps even full agreement below 1."""
    assert cs.scott_pi(cs.Ratings.from_wide([[1, 1], [2, 2], [1, 1]])).value == 1


@pytest.mark.parametrize("k", [255, 256, 257, 400])
def test_25_segeval_fails_for_windows_of_256_and_more(k: int) -> None:
    """It compares numbers by identity, which holds for small ones only."""
    reference, hypothesis = [3] * 300, [2, 3, *[4] * 223, 3]
    cuts = [np.cumsum(x)[:-1] for x in (reference, hypothesis)]
    inside = [[int(np.sum((c >= i) & (c < i + k))) for i in range(1, 901 - k)] for c in cuts]
    differ = sum(a != b for a, b in zip(*inside, strict=True))
    assert window_diff(reference, hypothesis, k=k).errors == differ
    assert pk(reference, hypothesis, k=k).value == 0


@pytest.mark.parametrize("labels", [2, 3, 4, 5, 6, 9])
def test_26_pyirr_alpha_is_right_for_four_or_five_categories_only(labels: int) -> None:
    """-.252 for .324 with three categories, .161 for .231 with two, IndexError from six on."""
    rng = np.random.default_rng(labels)
    truth = rng.integers(labels, size=(25, 1))
    blurred = np.where(rng.random((25, 3)) < 0.6, truth, rng.integers(labels, size=(25, 3)))
    rows = blurred.tolist()
    value = cs.krippendorff_alpha(cs.Ratings.from_wide(rows)).value
    assert value == pytest.approx(alpha_by_pairs(rows, nominal), abs=ROUNDING)


# --- completeness ---------------------------------------------------------------------------------

NOT_YET_IN_SCOPE: dict[int, str] = {}


def test_every_defect_has_a_test_or_waits_for_its_subject() -> None:
    tested = {
        int(part)
        for name in globals()
        if name.startswith("test_")
        for part in name.removeprefix("test_").split("_")[:3]
        if part.isdigit()
    }
    assert tested | set(NOT_YET_IN_SCOPE) == set(range(1, 27))
    assert not tested & set(NOT_YET_IN_SCOPE)
