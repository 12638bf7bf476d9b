"""Measures of two raters' marks, and what every measure promises."""

from __future__ import annotations

import inspect
import json
import math
import re
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import consilience as cs
from consilience import magnitudes as mg
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.magnitudes._magnitude import FLAGS
from consilience.magnitudes._ranks import concordance
from consilience.magnitudes.marks import paired

MEASURES = sorted(mg.measures())
TWO = [name for name in MEASURES if mg.measures()[name].raters == "two"]
NUMERIC = [name for name in MEASURES if mg.measures()[name].labels == "numbers"]
RANKED = [name for name in MEASURES if mg.measures()[name].labels == "order"]
X, Y = [1.5, 2.0, 3.5, 4.0, 4.5, 6.0], [1.0, 2.5, 3.0, 4.5, 4.0, 6.5]
THREE = cs.Ratings.from_wide(
    {"A": [1, 2, 3, 5, 4], "B": [2, 2, 3, 5, 5], "C": [4, 3, 1, 2, 5]}, scale="interval"
)


def interval(rows: Any, **options: Any) -> cs.Ratings:
    return cs.Ratings.from_wide(rows, scale="interval", **options)


# --- every measure --------------------------------------------------------------------------------


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_says_what_it_does_not_tell(name: str) -> None:
    result = mg.measures()[name](X, Y)
    assert result.measure == name
    assert result.caution.endswith(".")
    words = result.caution.split()
    shown = " ".join(str(result).split())
    assert " ".join(words) in shown
    assert result.caution in result.document().markdown().replace("\n", " ")


@pytest.mark.parametrize("name", MEASURES)
def test_a_record_is_plain_and_has_the_common_keys(name: str) -> None:
    record = mg.measures()[name](X, Y).to_dict()
    json.dumps(record, allow_nan=False)
    common = {
        "coefficient", "name", "status", "reason", "value", "standard_error",
        "standard_error_method", "interval", "p_value", "items_used",
    }  # fmt: skip
    assert common <= set(record)
    assert set(record["interval"]) >= {"low", "high", "confidence_level", "method"}


@pytest.mark.parametrize("name", MEASURES)
def test_a_measure_is_documented_and_named_as_its_function(name: str) -> None:
    measure = mg.measures()[name]
    assert inspect.unwrap(getattr(mg, name)) is inspect.unwrap(measure.function)
    text = inspect.getdoc(measure.function) or ""
    assert "Use it " in text
    assert re.search(r"Prefer\s", text)
    assert f"{name}(" in text.split("Examples")[1]
    options = list(inspect.signature(measure.function).parameters.values())
    assert options[0].kind is inspect.Parameter.VAR_POSITIONAL
    assert ("pair" in {option.name for option in options}) == (measure.raters == "two")


@pytest.mark.parametrize("name", MEASURES)
def test_a_result_is_one_line_in_a_session(name: str) -> None:
    one = mg.measures()[name](X, Y)
    assert repr(one).startswith(f"{type(one).__name__}({one.name}={one.value:.3f}")
    assert "\n" not in repr(one)
    assert float(one) == one.value
    nothing = mg.measures()["pearson"]([1, 1], [1, 2])
    assert "undefined: constant_rater" in repr(nothing)


def test_the_registry_takes_aliases_and_refuses_the_unknown() -> None:
    registry = mg.measures()
    assert registry["Intraclass correlation"].name == "icc"
    assert len(registry) == len(list(registry)) == len(MEASURES)
    assert "ccc" in registry
    assert "icc:" in repr(registry)
    with pytest.raises(InputError, match="did you mean 'pearson'"):
        registry["pearsn"]
    with pytest.raises(ValueError, match="already registered"):
        mg.register(title="", caution="", raters="two", labels="numbers")(mg.pearson)


@pytest.mark.parametrize(
    "marks",
    [
        ([1, 1, 1, 1], [1, 2, 3, 4]),
        ([1, 1, 1], [2, 2, 2]),
        ([3, 3, 3], [3, 3, 3]),
        ([1, 2], [1, 3]),
        ([1], [2]),
        ([1.1, 2.2, 3.3, 4.7], [1.1, 2.2, 3.3, 4.7]),
        ([1, 2, 3, 4], [4, 3, 2, 1]),
        ([1.1, 2.2, 3.3, 4.7], [2.1, 3.2, 4.3, 5.7]),
        ([1, 2, None, 4, 5, 3], [1, 3, 3, None, 5, 2]),
        ([1, None], [None, 2]),
        ([None, None], [None, None]),
        ([], []),
        ([1, 2, 3], [1, 2]),
        ([1, 2, float("inf")], [1, 2, 3]),
        (["low", "high"], ["low", "low"]),
        ([1e300, 2e300, 3e300], [1e300, 1e300, 2e300]),
        ([1e-300, 2e-300, 3e-300], [1e-300, 1e-300, 2e-300]),
        ([True, False], [True, True]),
        (None, [1, 2]),
        (5, 6),
        (),
    ],
    ids=str,
)
def test_odd_data_give_a_result_with_a_reason_or_one_clear_sentence(marks: tuple[Any, ...]) -> None:
    for name in MEASURES:
        try:
            result = mg.measures()[name](*marks)
        except ConsilienceError as error:
            sentence = str(error)
        else:
            check_result(result)
            continue
        assert "Hint: " in sentence


def check_result(result: mg.Magnitude) -> None:
    assert (result.status == "undefined") == math.isnan(result.value)
    assert (result.reason is None) == (result.status == "ok")
    assert math.isnan(result.p_value) or 0 <= result.p_value <= 1
    assert all(FLAGS[flag] for flag in result.flags)
    low, high = result.confidence_interval()
    assert math.isnan(low) or low <= result.value <= high
    if result.reason:
        assert re.match(r"[a-z_]+: .+[^.]$", result.reason)
        assert result.findings[0].severity == "problem"
    for shown in (str(result), result._repr_html_(), result._repr_latex_()):
        assert shown
    assert "nan" not in str(result.document().csv())


@pytest.mark.parametrize("name", MEASURES)
def test_confidence_levels_are_checked(name: str) -> None:
    for level in [0, 1, 95, -0.5, "high", None, True]:
        with pytest.raises(InputError, match="confidence_level must be between 0 and 1"):
            mg.measures()[name](X, Y).confidence_interval(confidence_level=level)


@pytest.mark.parametrize("name", MEASURES)
def test_null_values_are_checked(name: str) -> None:
    for null in [math.nan, math.inf, "zero", None, True]:
        with pytest.raises(InputError, match="null must be a finite number"):
            mg.measures()[name](X, Y).test(null)
        with pytest.raises(InputError, match="alternative must be one of"):
            mg.measures()[name](X, Y).test(alternative="bigger")


@pytest.mark.parametrize("name", MEASURES)
def test_order_of_items_does_not_matter(name: str) -> None:
    measure = mg.measures()[name]
    there, back = measure(X, Y), measure(X[::-1], Y[::-1])
    assert back.value == pytest.approx(there.value)
    assert back.standard_error == pytest.approx(there.standard_error, nan_ok=True)
    assert back.p_value == pytest.approx(there.p_value, nan_ok=True)


@pytest.mark.parametrize("name", MEASURES)
def test_a_table_of_counts_means_the_same_as_its_items(name: str) -> None:
    """Multiplicities are weights: coded ratings, floats and a cross-table agree."""
    table = [[5, 2, 0, 0], [1, 6, 2, 1], [0, 3, 7, 2], [0, 0, 1, 4]]
    rows = [[k, m] for k, row in enumerate(table) for m, n in enumerate(row) for _ in range(n)]
    counted = cs.Ratings.from_table(table, categories=range(4), scale="interval")
    floats = np.array(rows) + 0.5  # a matrix of numbers that is not coded
    measure = mg.measures()[name]
    results = [measure(counted), measure(interval(rows)), measure(interval(floats))]
    for one in results[1:]:
        assert one.n_items_used == results[0].n_items_used == 34
        assert one.value == pytest.approx(results[0].value, abs=1e-12)
        assert one.standard_error == pytest.approx(results[0].standard_error, nan_ok=True)
        assert one.p_value == pytest.approx(results[0].p_value, nan_ok=True)


@pytest.mark.parametrize("name", TWO)
def test_two_of_many_raters_are_chosen_by_name(name: str) -> None:
    measure = mg.measures()[name]
    chosen = measure(THREE, pair=("A", "C"))
    assert chosen.raters == ("A", "C")
    assert chosen.value == measure(THREE.select(raters=["A", "C"])).value
    with pytest.raises(UnsupportedDesignError, match=r"exactly two raters. Got 3 \(A, B, C\)"):
        measure(THREE)
    with pytest.raises(InputError, match="rater must be one of"):
        measure(THREE, pair=("A", "D"))
    for wrong in (("A", "A"), ("A",), "AB", 3, ("A", "B", "C")):
        with pytest.raises(InputError, match="pair must be"):
            measure(THREE, pair=wrong)


@pytest.mark.parametrize("name", TWO)
def test_items_that_one_did_not_rate_are_left_out_and_counted(name: str) -> None:
    measure = mg.measures()[name]
    some = measure([*X, None, 3.0], [*Y, 2.0, None])
    assert (some.n_items, some.n_items_used, some.n_items_left_out) == (8, 6, 2)
    assert some.value == measure(X, Y).value
    assert "items left out" in str(some)


@pytest.mark.parametrize("name", TWO)
def test_counts_do_not_say_who_rated(name: str) -> None:
    counts = cs.Ratings.from_counts([[1, 1], [2, 0]], categories=[1, 2], scale="interval")
    with pytest.raises(UnsupportedDesignError, match="exactly two raters"):
        mg.measures()[name](counts)


@pytest.mark.parametrize("name", NUMERIC)
def test_ordered_words_are_no_numbers(name: str) -> None:
    words = cs.Ratings.from_wide(
        [["low", "mid"], ["mid", "high"], ["high", "high"]],
        scale="ordinal",
        categories=("low", "mid", "high"),
    )
    with pytest.raises(UnsupportedDesignError, match="labels that are numbers") as caught:
        mg.measures()[name](words)
    assert "Hint: " in str(caught.value)


@pytest.mark.parametrize("name", RANKED)
def test_ordered_words_have_ranks(name: str) -> None:
    names = ("low", "mid", "high")
    codes = [[0, 1], [1, 2], [2, 2], [0, 0], [1, 0]]
    words = [[names[code] for code in row] for row in codes]
    measure = mg.measures()[name]
    ordinal = cs.Ratings.from_wide(words, scale="ordinal", categories=names)
    assert measure(ordinal).value == pytest.approx(measure(interval(codes)).value)
    with pytest.raises(UnsupportedDesignError, match="labels in order"):
        measure(cs.Ratings.from_wide(words))


@pytest.mark.parametrize("name", NUMERIC)
def test_numbers_on_a_nominal_scale_are_read_as_numbers_with_a_flag(name: str) -> None:
    rows = [[1, 2], [2, 2], [3, 4], [5, 4]]
    silent, flagged = interval(rows), cs.Ratings.from_wide(rows)
    measure = mg.measures()[name]
    assert measure(flagged).value == measure(silent).value
    assert "nominal_scale" in measure(flagged).flags
    assert "nominal_scale" not in measure(silent).flags


# --- concordance ----------------------------------------------------------------------------------

small = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=2, max_size=40)


@settings(deadline=None)  # a busy machine is no failure
@given(small)
def test_concordant_pairs_are_those_counted_one_by_one(points: list[tuple[int, int]]) -> None:
    x, y = (np.array(side) for side in zip(*points, strict=True))
    counted = concordance(paired("kendall_tau", (x, y), None))
    signs = np.sign(x[:, None] - x) * np.sign(y[:, None] - y)
    assert counted.p == (signs > 0).sum()
    assert counted.q == (signs < 0).sum()
    assert counted.w_r == (x[:, None] != x).sum()
    assert counted.w_c == (y[:, None] != y).sum()
    by_point = dict.fromkeys(points)
    for k, point in enumerate(points):
        by_point[point] = ((signs[k] > 0).sum(), (signs[k] < 0).sum())
    # Points come in order of x and, for equal x, of falling y.
    ordered = [by_point[point] for point in sorted(by_point, key=lambda p: (p[0], -p[1]))]
    assert list(zip(counted.concordant, counted.discordant, strict=True)) == ordered


def test_many_distinct_marks_are_counted_without_a_table() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=20_000)
    y = x + rng.normal(size=20_000)
    tau = mg.kendall_tau(x, y)
    assert tau.value == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    # For a normal pair with r = sqrt(1/2): sampling variance of tau, Esscher (1924).
    r = math.sqrt(0.5)
    variance = 2 / (20_000 * 19_999) * (
        1 - (2 / math.pi * math.asin(r)) ** 2
        + 2 * (20_000 - 2) * (1 / 9 - (2 / math.pi * math.asin(r / 2)) ** 2)
    )  # fmt: skip
    assert tau.ase1 == pytest.approx(math.sqrt(variance), rel=0.03)


@pytest.mark.parametrize("variant", ["a", "b", "c"])
def test_ase1_is_the_infinitesimal_jackknife(variant: str) -> None:
    """The error follows from what a little more weight on each item does to the value."""
    table = np.array([[7, 7, 2, 3], [2, 8, 3, 7], [1, 5, 4, 9], [2, 8, 9, 14]])
    step, base = 1, 10_000  # weights are whole numbers: many copies stand for small steps

    def value(counts: Any) -> float:
        ratings = cs.Ratings.from_table(counts, categories=range(4), scale="ordinal")
        return mg.kendall_tau(ratings, variant=variant).value

    large, n = table * base, table.sum()
    effect = np.zeros((4, 4))
    for k, m in np.ndindex(4, 4):
        more = large.copy()
        more[k, m] += step
        effect[k, m] = (value(more) - value(large)) * n * base / step
    error = math.sqrt((table * effect**2).sum()) / n
    ratings = cs.Ratings.from_table(table, categories=range(4), scale="ordinal")
    tolerance = 0.02 if variant == "a" else 1e-3  # tau-a divides by n (n - 1)
    assert mg.kendall_tau(ratings, variant=variant).ase1 == pytest.approx(error, rel=tolerance)


@settings(deadline=None)  # a busy machine is no failure
@given(small)
def test_gamma_somers_and_tau_share_their_sign_and_agree_with_scipy(
    points: list[tuple[int, int]],
) -> None:
    x, y = ([float(v) for v in side] for side in zip(*points, strict=True))
    tau, gamma = mg.kendall_tau(x, y), mg.goodman_kruskal_gamma(x, y)
    if tau.status == "undefined":
        assert gamma.status == "undefined"
        return
    d = mg.somers_d(x, y)
    other = mg.somers_d(x, y, predicted="first")
    assert d.value == pytest.approx(stats.somersd(x, y).statistic, abs=1e-12)
    assert other.value == pytest.approx(stats.somersd(y, x).statistic, abs=1e-12)
    assert tau.value**2 == pytest.approx(d.value * other.value, abs=1e-12)
    if gamma.status == "ok":
        assert abs(gamma.value) >= abs(tau.value) - 1e-12


def test_a_null_error_of_zero_gives_the_p_value_of_counted_orders_or_a_reason() -> None:
    tau = mg.kendall_tau([1, 2, 3], [1, 2, 3])
    assert tau.p_value == pytest.approx(2 / 6)
    gamma = mg.goodman_kruskal_gamma([1, 2, 3], [1, 2, 3])
    assert math.isnan(gamma.p_value)
    assert {"boundary", "no_null_error"} <= set(gamma.flags)
    assert 0 < tau.test(method="kendall").p_value < 1


@pytest.mark.parametrize("variant", ["d", "B", 1, None])
def test_variants_of_tau_are_checked(variant: Any) -> None:
    with pytest.raises(InputError, match="variant must be one of"):
        mg.kendall_tau(X, Y, variant=variant)


# --- correlations ---------------------------------------------------------------------------------


def test_correlation_is_not_agreement() -> None:
    """Artstein & Poesio 2005, Table 3: C and D disagree on every item and correlate perfectly."""
    first = interval({"A": [1, 2, 3, 4, 5], "B": [1, 2, 3, 4, 5]})
    second = interval({"C": [1, 2, 3, 4, 5], "D": [2, 4, 6, 8, 10]})
    assert mg.pearson(first).value == mg.pearson(second).value == 1.0
    assert mg.spearman(second).value == mg.kendall_tau(second).value == 1.0
    for agreement in (mg.lin_ccc, mg.icc):
        assert agreement(first).value == 1.0
        assert agreement(second).value < 0.65
    assert cs.percent_agreement(second, distance="nominal").value == 0
    assert mg.vector_distance(second).l1 == 15


def test_pearson_agrees_with_scipy() -> None:
    one, other = mg.pearson(X, Y), stats.pearsonr(X, Y)
    assert one.value == pytest.approx(other.statistic)
    assert one.p_value == pytest.approx(other.pvalue)
    assert tuple(one.confidence_interval()) == pytest.approx(tuple(other.confidence_interval()))
    assert one.test(0.5).method == "fisher"
    limit = one.confidence_interval().low
    assert one.test(limit).p_value == pytest.approx(0.05)


@pytest.mark.parametrize("name", ["pearson", "spearman"])
def test_ase1_is_the_spread_of_the_value(name: str) -> None:
    rng = np.random.default_rng(5)
    values, errors = [], []
    for _ in range(600):
        x = rng.integers(0, 6, 150)
        y = x + rng.integers(-2, 3, 150)
        one = mg.measures()[name](x, y)
        values.append(one.value)
        errors.append(one.standard_error)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.1)


def test_spearman_is_pearson_of_mid_ranks() -> None:
    x, y = [3, 3, 1, 7, 7, 7], [1, 2, 2, 9, 8, 8]
    one = mg.spearman(x, y)
    assert one.value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert one.value == pytest.approx(mg.pearson(stats.rankdata(x), stats.rankdata(y)).value)


def test_chi_square_agrees_with_scipy_and_counts_used_labels_only() -> None:
    table = [[20, 5, 0, 0], [4, 30, 0, 2], [0, 0, 0, 0], [1, 6, 0, 15]]
    chi = mg.pearson_chi2(cs.Ratings.from_table(table))
    used = np.array(table)[[0, 1, 3]][:, [0, 1, 3]]
    other = stats.chi2_contingency(used, correction=False)
    assert (chi.value, chi.p_value) == pytest.approx((other.statistic, other.pvalue))
    assert chi.degrees_of_freedom == 4
    assert chi.cramer_v == pytest.approx(stats.contingency.association(used, method="cramer"))


# --- differences ----------------------------------------------------------------------------------


def test_paired_differences_agree_with_scipy() -> None:
    gap, other = mg.paired_differences(X, Y), stats.ttest_rel(X, Y)
    assert (gap.statistic, gap.p_value) == pytest.approx((other.statistic, other.pvalue))
    assert tuple(gap.confidence_interval()) == pytest.approx(tuple(other.confidence_interval()))
    x, y = np.array([1.0, 2.2, 3.5, 4.1, 5.9]), np.array([1.1, 2.0, 3.0, 4.9, 4.9])
    exact = mg.paired_differences(x, y, wilcoxon="exact")
    assert exact.wilcoxon_p == pytest.approx(stats.wilcoxon(x, y, method="exact").pvalue)
    with pytest.raises(InputError, match="wilcoxon must be one of"):
        mg.paired_differences(X, Y, wilcoxon="sharp")


def test_interval_of_d_z_holds_the_t_value_at_its_quantiles() -> None:
    gap = mg.paired_differences([5, 7, 6, 9, 8, 4], [4, 7, 5, 7, 8, 5])
    low, high = gap.d_z_interval(confidence_level=0.9)
    root = math.sqrt(6)
    assert stats.nct.sf(gap.statistic, 5, low * root) == pytest.approx(0.05)
    assert stats.nct.cdf(gap.statistic, 5, high * root) == pytest.approx(0.05)


def test_all_marks_equal_leave_no_test() -> None:
    gap = mg.paired_differences([1, 2, 3], [1, 2, 3])
    assert gap.share_of_zeros == 1
    assert math.isnan(gap.wilcoxon_p)
    assert math.isnan(gap.p_value)
    assert gap.flags == ("no_spread",)


@pytest.mark.parametrize(
    ("n", "coverage", "level", "factor"),
    # Odeh & Owen (1980), exact two-sided tolerance factors.
    [(2, 0.95, 0.95, 36.519), (10, 0.95, 0.95, 3.393), (10, 0.90, 0.95, 2.856)],
)
def test_tolerance_factors_are_those_of_the_tables(
    n: int, coverage: float, level: float, factor: float
) -> None:
    got = mg.tolerance_factor(n, coverage=coverage, confidence_level=level)
    assert got == pytest.approx(factor, abs=0.0006)


def test_exact_intervals_of_limits_cover_and_tolerance_limits_hold() -> None:
    rng = np.random.default_rng(8)
    hits = held = 0
    for _ in range(400):
        d = rng.normal(size=12)
        limits = mg.bland_altman(d, np.zeros(12))
        low, high = limits.limit_intervals(method="exact")[1]
        hits += low <= 1.96 <= high
        wide = mg.bland_altman(d, np.zeros(12), limits="tolerance")
        held += stats.norm.cdf(wide.high) - stats.norm.cdf(wide.low) >= 0.95
    assert 0.92 <= hits / 400 <= 0.98
    assert 0.92 <= held / 400 <= 0.98


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"multiplier": 0}, "multiplier must be above 0"),
        ({"multiplier": "two"}, "multiplier must be a finite number"),
        ({"limits": "wide"}, "limits must be one of"),
        ({"limits": "tolerance", "coverage": 95}, "coverage must be between 0 and 1"),
        ({"limits": "tolerance", "confidence_level": 2}, "confidence_level must be"),
    ],
)
def test_options_of_bland_altman_are_checked(options: dict[str, Any], what: str) -> None:
    with pytest.raises(InputError, match=what):
        mg.bland_altman(X, Y, **options)
    with pytest.raises(InputError, match="method must be one of"):
        mg.bland_altman(X, Y).limit_intervals(method="rough")


def test_proportional_bias_is_found() -> None:
    x = np.arange(1.0, 21.0)
    noise = np.where(np.arange(20) % 2, 0.3, -0.3)
    line = mg.bland_altman(x, 1.5 * x + noise).proportional_bias
    assert line is not None
    assert line.slope == pytest.approx(-0.4, abs=0.02)
    assert line.p_value < 1e-6


# --- lines and distances --------------------------------------------------------------------------


def test_the_three_lines() -> None:
    x, y = np.array(X), np.array(Y)
    ordinary, other = mg.regression(x, y), stats.linregress(x, y)
    assert ordinary.slope == pytest.approx(other.slope)
    assert ordinary.intercept_standard_error == pytest.approx(other.intercept_stderr)
    reverse = mg.regression(x, y, method="first-on-second")
    assert reverse.slope == pytest.approx(stats.linregress(y, x).slope)
    assert ordinary.slope * reverse.slope == pytest.approx(ordinary.r_squared)
    deming = mg.regression(x, y, method="deming")
    # Orthogonal regression is the first principal axis.
    axis = np.linalg.eigh(np.cov(x, y))[1][:, -1]
    assert deming.slope == pytest.approx(axis[1] / axis[0])
    assert mg.regression(y, x, method="deming").slope == pytest.approx(1 / deming.slope)
    assert ordinary.slope < deming.slope < 1 / reverse.slope
    # All the error in y is ordinary regression.
    steep = mg.regression(x, y, method="deming", error_ratio=1e9)
    assert steep.slope == pytest.approx(ordinary.slope, rel=1e-6)


def test_the_error_of_the_deming_line_is_its_spread() -> None:
    rng = np.random.default_rng(3)
    slopes, errors = [], []
    for _ in range(400):
        truth = rng.normal(size=60) * 3
        x, y = truth + rng.normal(size=60), 1.2 * truth + 2 + rng.normal(size=60)
        line = mg.regression(x, y, method="deming")
        slopes.append(line.slope)
        errors.append(line.slope_standard_error)
    assert np.mean(errors) == pytest.approx(np.std(slopes), rel=0.12)


def test_options_of_regression_are_checked() -> None:
    with pytest.raises(InputError, match="method must be one of"):
        mg.regression(X, Y, method="lasso")
    for ratio in (0, -1, "one", math.nan):
        with pytest.raises(InputError, match="error_ratio must be"):
            mg.regression(X, Y, method="deming", error_ratio=ratio)
    few = mg.regression([1, 2], [1, 3], method="deming")
    assert few.slope == pytest.approx(2.0)
    assert math.isnan(few.residual_sd)
    flat = mg.regression([1, 2, 3, 2], [1, 2, 1, 0], method="deming")
    assert flat.reason is not None
    assert flat.reason.startswith("no_covariance")


def test_a_declared_range_makes_questions_comparable() -> None:
    marks = [[4, 3], [2, 2], [0, 1]]
    declared = cs.Ratings.from_wide(marks, categories=range(11), scale="interval")
    assert mg.vector_distance(declared).relative_absolute_error == pytest.approx(2 / 3 / 10)
    assert mg.vector_distance(interval(marks)).range == (0, 4)
    given_range = mg.vector_distance(interval(marks), mark_range=(0, 5))
    assert given_range.relative_square_error == pytest.approx(math.sqrt(2 / 3) / 5)
    for wrong in ((1, 4), (0, 3), (0,), "04", 4, (0, math.inf), ("a", "b")):
        with pytest.raises(InputError, match="mark_range must be"):
            mg.vector_distance(interval(marks), mark_range=wrong)


def test_covariance_agrees_with_numpy() -> None:
    one = mg.covariance(X, Y)
    assert one.value == pytest.approx(np.cov(X, Y)[0, 1])
    assert one.variance_first == pytest.approx(np.var(X, ddof=1))
