"""Measures of any number of raters: intraclass and mean correlations, W, pairs, the summary."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import consilience as cs
from consilience import magnitudes as mg
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.magnitudes._variance_components import ItemGroups, one_way, two_way
from consilience.magnitudes.marks import panel

FORMS = ("1", "k", "C,1", "C,k", "A,1", "A,k")
ROWS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]


def interval(rows: Any, **options: Any) -> cs.Ratings:
    return cs.Ratings.from_wide(rows, scale="interval", **options)


SIX = interval(ROWS, raters=tuple("ABCD"))


def drawn(n: int, k: int, *, rater: float = 0.5, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    items, raters = rng.normal(size=(n, 1)), rater * rng.normal(size=k)
    return items + raters + rng.normal(size=(n, k))


# --- intraclass correlation -----------------------------------------------------------------------


@settings(deadline=None)  # a busy machine is no failure
@given(
    st.integers(2, 7).flatmap(
        lambda k: st.lists(
            st.lists(st.integers(0, 6), min_size=k, max_size=k), min_size=2, max_size=12
        )
    )
)
def test_identities_hold_for_any_marks(rows: list[list[int]]) -> None:
    found = {form: mg.icc(interval(rows), model=form) for form in FORMS}
    x = np.array(rows, dtype=float)
    n, k = x.shape
    ms = found["1"].mean_squares
    assert ms is not None
    items = x.mean(axis=1)
    assert ms.msr == pytest.approx(k * items.var(ddof=1), abs=1e-9)
    assert ms.msw == pytest.approx(((x - items[:, None]) ** 2).sum() / (n * (k - 1)), abs=1e-9)
    for one in found.values():
        low, high = one.confidence_interval()
        assert math.isnan(low) or low <= one.value <= high <= 1
        assert math.isnan(one.value) == (one.status == "undefined")
        assert math.isnan(one.value) or one.value <= 1 + 1e-12
    if found["C,1"].status == "ok" and found["A,1"].status == "ok":
        assert (found["C,1"].value > 0) == (found["A,1"].value > 0)


@pytest.mark.parametrize("form", FORMS)
def test_layouts_of_the_same_marks_agree(form: str) -> None:
    long = {
        "item": [i for i in range(6) for _ in range(4)],
        "rater": list("ABCD") * 6,
        "label": [mark for row in ROWS for mark in row],
    }
    floats = interval(np.array(ROWS) / 10.0)  # not coded
    expected = mg.icc(SIX, model=form)
    for other in (cs.Ratings.from_long(long, scale="interval"), floats):
        one = mg.icc(other, model=form)
        assert one.value == pytest.approx(expected.value, abs=1e-12)
        assert tuple(one.confidence_interval()) == pytest.approx(
            tuple(expected.confidence_interval())
        )


def test_counts_have_a_one_way_correlation_only() -> None:
    counts = [[1, 2, 0], [0, 2, 1], [0, 0, 3], [3, 0, 0]]
    ratings = cs.Ratings.from_counts(counts, categories=[1, 2, 5], scale="interval")
    rows = [[m for m, c in zip((1, 2, 5), row, strict=True) for _ in range(c)] for row in counts]
    for form in ("1", "k"):
        one, same = mg.icc(ratings, model=form), mg.icc(interval(rows), model=form)
        assert one.value == pytest.approx(same.value)
        assert one.flags == ()
    with pytest.raises(UnsupportedDesignError, match="to know who gave which mark"):
        mg.icc(ratings, model="A,1")


def test_large_marks_keep_their_digits() -> None:
    marks = drawn(200, 4)
    near, far = mg.icc(interval(marks)), mg.icc(interval(marks + 1e9))
    assert far.value == pytest.approx(near.value, abs=1e-6)


def test_more_items_than_a_block_are_added_up() -> None:
    marks = drawn(20_000, 3)
    one = mg.icc(interval(marks), model="C,1")
    items, raters = marks.mean(axis=1, keepdims=True), marks.mean(axis=0)
    rest = marks - items - raters + marks.mean()
    msr, mse = 3 * items.var(ddof=1), (rest**2).sum() / (19_999 * 2)
    assert one.value == pytest.approx((msr - mse) / (msr + 2 * mse))


def test_the_standard_error_is_the_spread_of_the_value() -> None:
    values: dict[str, list[float]] = {form: [] for form in FORMS}
    errors: dict[str, list[float]] = {form: [] for form in FORMS}
    for seed in range(300):
        ratings = interval(drawn(80, 8, seed=seed, rater=0.3))
        for form in FORMS:
            one = mg.icc(ratings, model=form)
            values[form].append(one.value)
            errors[form].append(one.standard_error)
    for form in ("1", "C,1", "C,k", "A,1"):
        assert np.mean(errors[form]) == pytest.approx(np.std(values[form]), rel=0.2), form


@pytest.mark.parametrize(
    "model", ["", "B,1", "A", "ICC(4,1)", "A,0", "k,1", "A,1,2", 3.5, None, "icc", "ICC(C)"]
)
def test_unknown_models_are_refused(model: Any) -> None:
    with pytest.raises(InputError, match="model must be one of"):
        mg.icc(SIX, model=model)


def test_options_are_checked() -> None:
    with pytest.raises(InputError, match="raters must be one of"):
        mg.icc(SIX, raters="nested")
    with pytest.raises(InputError, match="missing must be one of"):
        mg.icc(SIX, missing="mean")
    for wrong in (0, "four", math.inf):
        with pytest.raises(InputError, match="n_averaged must be"):
            mg.icc(SIX, model="A,k", n_averaged=wrong)
    with pytest.raises(InputError, match="left out for single ratings"):
        mg.icc(SIX, model="A,1", n_averaged=3)
    with pytest.raises(InputError, match="null must be below 1"):
        mg.icc(SIX).test(1.0)
    with pytest.raises(UnsupportedDesignError, match="at least two raters"):
        mg.icc(interval([[1], [2]]))
    with pytest.raises(UnsupportedDesignError, match="needs ratings"):
        mg.icc([None, None], [None, None])


def test_perfect_marks_and_constant_shifts() -> None:
    same = interval([[1.5, 1.5], [2.5, 2.5], [4.0, 4.0]])
    shifted = interval([[1.5, 2.5], [2.5, 3.5], [4.0, 5.0]])
    for form in FORMS:
        one = mg.icc(same, model=form)
        assert one.value == 1
        assert one.flags == ("boundary",)
        assert math.isnan(one.confidence_interval().low)
    assert mg.icc(shifted, model="C,1").value == 1
    agreement = mg.icc(shifted, model="A,1")
    assert 0 < agreement.value < 1
    assert agreement.flags == ("no_residual",)
    assert agreement.confidence_interval().low < agreement.value


def test_a_variance_of_means_below_zero_is_undefined_and_says_so() -> None:
    """Marks that cancel out in every item: the mean has no variance at all."""
    one = mg.icc(interval([[1, 5], [5, 1], [2, 4], [4, 2]]), model="k")
    assert one.status == "undefined"
    assert one.reason is not None
    assert one.reason.startswith("negative_variance")
    single = mg.icc(interval([[1, 5], [5, 1], [2, 4], [4, 2]]), model="1")
    assert single.value == pytest.approx(-1)
    assert "boundary" in single.flags


# --- missing ratings ------------------------------------------------------------------------------


def components(marks: np.ndarray) -> tuple[tuple[float, float], tuple[float, float, float]]:
    data = panel("icc", (interval(marks),))
    groups = ItemGroups.of(data, by_rater=True)
    return one_way(groups), two_way(data, groups)


def test_reml_of_complete_marks_is_the_analysis_of_variance() -> None:
    marks = drawn(60, 4, seed=3)
    ms = mg.icc(interval(marks)).mean_squares
    assert ms is not None
    (between, within), (item, rater, error) = components(marks)
    assert (between, within) == pytest.approx(((ms.msr - ms.msw) / 4, ms.msw), rel=1e-12)
    wanted = ((ms.msr - ms.mse) / 4, (ms.msc - ms.mse) / 60, ms.mse)
    assert (item, rater, error) == pytest.approx(wanted, rel=1e-12)


def scores(marks: np.ndarray, found: Sequence[float]) -> np.ndarray:
    """The derivative of the dense restricted likelihood by each component, as a share of a part.

    tr(P G) - y'P G P y, with G the marks' covariance from one unit of the component.
    """
    who, where = np.nonzero(~np.isnan(marks))
    y = marks[who, where] - marks[who, where].mean()
    z_i, z_r = np.eye(len(marks))[who], np.eye(marks.shape[1])[where]
    parts = (z_i @ z_i.T, z_r @ z_r.T, np.eye(y.size))[: len(found)]
    if len(found) == 2:
        parts = (z_i @ z_i.T, np.eye(y.size))
    inverse = np.linalg.inv(sum(one * part for one, part in zip(found, parts, strict=True)))
    weights = inverse.sum(axis=0)
    p = inverse - np.outer(weights, weights) / weights.sum()
    traces = np.array([np.trace(p @ part) for part in parts])
    return 1.0 - np.array([y @ p @ part @ p @ y for part in parts]) / traces


@pytest.mark.parametrize("seed", range(40))
def test_reml_ends_where_the_likelihood_is_flat(seed: int) -> None:
    """Zero derivatives of the dense likelihood, or a component of zero that should not grow."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(8, 30)), int(rng.integers(2, 6))
    sizes = rng.choice([0.0, 0.3, 1.0, 10.0], 2)
    marks = sizes[0] * rng.normal(size=(n, 1)) + sizes[1] * rng.normal(size=k)
    marks = marks + rng.choice([0.1, 1.0]) * rng.normal(size=(n, k))
    marks[1:][rng.random((n - 1, k)) < rng.choice([0.1, 0.3])] = np.nan
    for found in components(marks):
        one = scores(marks, found)
        inside = np.array(found) > 0.0
        assert np.abs(one[inside]).max() < 1e-9
        assert (one[~inside] > 0.0).all()


def test_reml_of_a_study_with_gaps_is_that_of_lme4() -> None:
    """Twelve people and six items with gaps, from Brennan (2001); lme4's components."""
    rows = ("111101", "101111", ".11100", "0..101", "1.010.", "111101", "0.1.00", "0.1111",
            "1101.0", ".000.0", "111111", ".0.001")  # fmt: skip
    marks = np.array([[np.nan if mark == "." else float(mark) for mark in row] for row in rows])
    found = components(marks)[1]
    assert found == pytest.approx((0.051850, 0.016056, 0.178646), abs=6e-7)


def test_reml_maximises_the_restricted_likelihood_written_out() -> None:
    """The dense likelihood of the same model: no other components do better."""
    rng = np.random.default_rng(7)
    marks = drawn(15, 4, seed=7)
    marks[rng.random(marks.shape) < 0.3] = np.nan
    who, where = np.nonzero(~np.isnan(marks))
    y = marks[who, where]
    z_i, z_r = (np.eye(size)[place] for size, place in ((15, who), (4, where)))

    def deviance(item: float, rater: float, error: float) -> float:
        v = item * z_i @ z_i.T + rater * z_r @ z_r.T + error * np.eye(y.size)
        inverse = np.linalg.inv(v)
        ones = np.ones(y.size)
        precision = ones @ inverse @ ones
        rest = y - (ones @ inverse @ y) / precision
        return float(np.linalg.slogdet(v)[1] + math.log(precision) + rest @ inverse @ rest)

    (between, within), found = components(marks)
    best = deviance(*found)
    assert deviance(between, 0.0, within) == pytest.approx(
        min(deviance(b, 0.0, within) for b in np.linspace(0.5, 1.5, 101) * between), abs=1e-6
    )
    for k in range(3):
        for factor in (0.9, 0.99, 1.01, 1.1):
            other = list(found)
            other[k] *= factor
            assert deviance(*other) > best - 1e-9


def test_incomplete_designs_are_flagged_and_use_every_rating() -> None:
    rng = np.random.default_rng(1)
    marks = drawn(400, 5, seed=1)
    gaps = marks.copy()
    gaps[rng.random(marks.shape) < 0.3] = np.nan
    for form in FORMS:
        full, part = mg.icc(interval(marks), model=form), mg.icc(interval(gaps), model=form)
        assert part.flags == ("approximate",)
        assert full.flags == ()
        low, high = part.confidence_interval()
        assert low < part.value < high
        single = form.replace("k", "1")
        if form == single:
            assert part.value == pytest.approx(full.value, abs=0.06)
    listwise = mg.icc(interval(gaps), missing="listwise")
    complete = ~np.isnan(gaps).any(axis=1)
    assert listwise.value == pytest.approx(mg.icc(interval(gaps[complete])).value)
    assert (listwise.n_items, listwise.n_items_used) == (400, complete.sum())
    assert listwise.flags == ("items_left_out",)


def test_gaps_in_marks_without_errors_leave_no_error() -> None:
    same = interval([[1.5, 1.5, None], [2.5, 2.5, 2.5], [4.0, None, 4.0]])
    for form in FORMS:
        one = mg.icc(same, model=form)
        assert one.value == 1
        assert one.flags == ("approximate", "boundary")
    shifted = interval([[1, 2, None], [2, 3, 4], [3, None, 5], [6, 7, 8]])
    assert mg.icc(shifted, model="C,1").value == 1
    agreement = mg.icc(shifted, model="A,1")
    items, raters = np.var([1, 2, 3, 6], ddof=1), 1.0
    assert agreement.value == pytest.approx(items / (items + raters))
    assert agreement.flags == ("approximate", "no_residual")


def test_no_variance_between_items_is_zero_and_says_so() -> None:
    one = mg.icc(interval([[1, 5, None], [5, 1, 3], [None, 2, 4], [3, 3, 3]]))
    assert one.value == 0
    assert one.flags == ("approximate", "zero_variance")


def test_equally_many_ratings_by_different_raters_are_a_balanced_one_way_design() -> None:
    rng = np.random.default_rng(2)
    marks = drawn(30, 3, seed=2)
    spread = np.full((30, 7), np.nan)
    for row, values in zip(spread, marks, strict=True):
        row[rng.permutation(7)[:3]] = values
    one, dense = mg.icc(interval(spread), model="k"), mg.icc(interval(marks), model="k")
    assert one.value == pytest.approx(dense.value)
    assert one.name == "ICC(3)"
    assert one.flags == ()


def test_a_crowd_needs_no_matrix() -> None:
    rng = np.random.default_rng(4)
    n_items, n_raters = 3_000, 1_000
    item = np.repeat(np.arange(n_items), 4)
    first = rng.integers(n_raters, size=n_items)
    rater = (first[:, None] + np.arange(4) * 17) % n_raters
    truth = rng.integers(0, 8, n_items)
    label = np.repeat(truth, 4) + rng.integers(-1, 2, item.size)
    crowd = cs.Ratings.from_long(
        {"item": item, "rater": rater.ravel(), "label": label}, scale="interval"
    )
    one = mg.icc(crowd, model="1")
    assert one.value == pytest.approx(mg.icc(interval(label.reshape(-1, 4)), model="1").value)
    with pytest.raises(UnsupportedDesignError, match=r'at most 200 raters.*model="1"'):
        mg.icc(crowd, model="A,1")
    assert math.isfinite(mg.pearson(crowd, pair=(0, 17)).n_items_used)


def test_nobody_rated_twice() -> None:
    one = mg.icc(interval([[1.0, None], [None, 2.5], [3.0, None]]))
    assert one.status == "undefined"
    assert one.reason is not None
    assert one.reason.startswith("too_few_ratings")
    with pytest.raises(UnsupportedDesignError, match="an item that every rater rated"):
        mg.icc(interval([[1.0, None], [None, 2.5]]), missing="listwise")


# --- the others -----------------------------------------------------------------------------------


def test_kendall_w_stands_for_the_mean_rank_correlation() -> None:
    marks = drawn(30, 4)
    w = mg.kendall_w(interval(marks))
    plain = mg.mean_spearman(interval(marks), average="plain")
    assert w.mean_spearman == pytest.approx(plain.value)
    friedman = stats.friedmanchisquare(*marks)  # items as treatments, raters as blocks
    assert w.chi_square == pytest.approx(friedman.statistic)
    assert w.p_value == pytest.approx(friedman.pvalue)
    with_ties = interval(np.round(marks))
    again = stats.friedmanchisquare(*np.round(marks))
    assert mg.kendall_w(with_ties).chi_square == pytest.approx(again.statistic)


def test_kendall_w_leaves_out_what_not_everybody_rated() -> None:
    w = mg.kendall_w([1, 2, 3, 4, None], [1, 3, 2, 4, 5])
    assert (w.n_items, w.n_items_used) == (5, 4)
    assert "items_left_out" in w.flags


@pytest.mark.parametrize("name", ["mean_pearson", "mean_spearman"])
def test_the_error_of_a_mean_correlation_is_its_spread(name: str) -> None:
    measure = mg.measures()[name]
    scores, errors = [], []
    for seed in range(150):
        one = measure(interval(drawn(80, 4, seed=seed)))
        scores.append(math.atanh(one.value))
        errors.append(one.standard_error)
    assert np.mean(errors) == pytest.approx(np.std(scores), rel=0.15)


def test_pairs_without_fisher_z_are_left_out_and_counted() -> None:
    marks = {"A": [1, 2, 3, 4, 5], "B": [2, 4, 6, 8, 10], "C": [1, 3, 2, 5, 4], "D": [3] * 5}
    one = mg.mean_pearson(interval(marks))
    assert (one.n_pairs, one.n_pairs_left_out) == (6, 4)
    assert {"perfect_pairs_left_out", "undefined_pairs_left_out"} <= set(one.flags)
    assert one.value == pytest.approx(0.8)
    perfect = mg.mean_pearson([1, 2, 3], [2, 4, 6])
    assert perfect.value == 1
    assert perfect.flags == ("boundary",)
    opposed = mg.mean_pearson(interval({"A": [1, 2, 3], "B": [1, 2, 3], "C": [3, 2, 1]}))
    assert opposed.status == "undefined"
    with pytest.raises(InputError, match="average must be one of"):
        mg.mean_pearson(SIX, average="median")


def test_pairwise_gives_any_measure_for_every_pair() -> None:
    pairs = mg.pairwise(SIX, measure="pearson")
    assert len(pairs) == 6
    assert pairs["C", "A"] is pairs["A", "C"]
    assert pairs.mean == pytest.approx(np.mean(list(pairs.values.values())))
    assert pairs.matrix[0, 2] == pairs.matrix[2, 0] == pairs["A", "C"].value
    adjusted = pairs.adjusted_p_values
    assert all(adjusted[pair] >= pairs[pair].p_value for pair in pairs)
    assert json.dumps(pairs.to_dict(), allow_nan=False)
    assert "A, B" in str(pairs)
    with pytest.raises(InputError, match="pair must be one of"):
        pairs["A", "Z"]
    with pytest.raises(UnsupportedDesignError, match="a measure of two raters"):
        mg.pairwise(SIX, measure="icc")
    with pytest.raises(InputError, match="measure must be one of"):
        mg.pairwise(SIX, measure="pearsons")
    assert mg.pairwise(SIX, measure="kendall_tau", variant="c")["A", "B"].name.endswith("tau-c")


def test_pairs_without_a_common_item_are_listed() -> None:
    marks = interval({"A": [1, 2, 3, None], "B": [1, 3, 2, None], "C": [None, None, None, 4]})
    pairs = mg.pairwise(marks, measure="pearson")
    assert list(pairs) == [("A", "B")]
    assert pairs.without_overlap == (("A", "C"), ("B", "C"))
    assert "2 pairs have no item in common" in str(pairs)


def test_the_summary_holds_what_people_expect() -> None:
    summary = mg.describe_marks(SIX)
    assert summary["A,1"].value == mg.icc(SIX).value
    assert summary["icc"] is summary["A,1"]
    assert summary["ccc"]["A", "B"].value == mg.lin_ccc(SIX, pair=("A", "B")).value
    assert summary["kendall_w"].value == mg.kendall_w(SIX).value
    assert [one.mean for one in summary.raters] == pytest.approx(np.mean(ROWS, axis=0))
    assert [one.sd for one in summary.raters] == pytest.approx(np.std(ROWS, axis=0, ddof=1))
    assert "raters_differ_in_level" in {finding.code for finding in summary.findings}
    text = str(summary)
    for word in ("ICC(A,1)", "limits of agreement", "CCC", "Raters differ in level"):
        assert word in text
    assert json.dumps(summary.to_dict(), allow_nan=False)
    with pytest.raises(UnsupportedDesignError, match="one of its measures"):
        summary["regression"]
    with pytest.raises(InputError, match="measure must be one of"):
        summary["kappa"]


def test_the_summary_of_two_of_many_and_of_counts() -> None:
    two = mg.describe_marks([1, 2, 3, 5, 4], [2, 2, 3, 5, 5])
    assert two.together == {}
    many = mg.describe_marks(interval(drawn(20, 12)))
    assert many.pairs == {}
    assert len(many.raters) == 12
    counts = cs.Ratings.from_counts([[2, 1], [0, 3], [3, 0]], categories=[1, 2], scale="interval")
    few = mg.describe_marks(counts)
    assert set(few.icc) == {"1", "k"}
    assert "ICC(1)" in str(few)
    gaps = interval({"A": [1, 2, 3.5, None], "B": [1, 3, 2, 4], "C": [None, 2, 1, 2]})
    assert "approximate" in {finding.code for finding in mg.describe_marks(gaps).findings}


def _spread(
    seed: int, shape: tuple[int, int], *, rater: float = 0.5, skewed: bool = False
) -> np.ndarray:
    rng = np.random.default_rng(seed)
    items = rng.lognormal(size=(shape[0], 1)) if skewed else rng.normal(size=(shape[0], 1))
    return items + rater * rng.normal(size=shape[1]) + 0.7 * rng.normal(size=shape)


def test_the_pivotal_interval_covers_where_raters_differ() -> None:
    """Three raters with levels of their own: McGraw & Wong cover less than they say."""
    covered = {"auto": 0, "mcgraw-wong": 0}
    truth = 1 / (1 + 0.25 + 0.49)
    for seed in range(150):
        one = mg.icc(interval(_spread(seed, (30, 3))))
        for method in covered:
            low, high = one.confidence_interval(method=method)
            covered[method] += low <= truth <= high
    assert 139 <= covered["auto"] <= 150  # at least .93 of 150
    assert covered["mcgraw-wong"] < covered["auto"]


def test_skewed_items_are_told_and_widen_the_interval() -> None:
    one = mg.icc(interval(_spread(1, (80, 3), skewed=True)), model="C,1")
    assert "skewed_items" in one.to_dict()["flags"]
    assert "may be too narrow" in str(one)
    named, auto = one.confidence_interval(method="mcgraw-wong"), one.confidence_interval()
    assert auto.high - auto.low > 1.2 * (named.high - named.low)
    assert "skewed_items" not in mg.icc(interval(_spread(1, (80, 3)))).all_flags


@pytest.mark.parametrize("model", ["1", "C,1", "A,1", "A,k"])
def test_limits_of_drawn_items_are_those_that_the_test_does_not_reject(model: str) -> None:
    rng = np.random.default_rng(12)
    marks = rng.normal(size=(60, 1)) + 0.4 * rng.lognormal(size=(60, 3))
    one = mg.icc(interval(marks), model=model)
    assert "drawn with random weights" in one.confidence_interval().note
    for limit in one.confidence_interval():
        inside = limit + 1e-3 * (one.value - limit)
        beyond = limit - 1e-3 * (one.value - limit)
        assert one.test(inside, alternative="two-sided").p_value > 0.05 - 1e-3
        assert one.test(beyond, alternative="two-sided").p_value <= 0.05 + 1e-9


def test_two_raters_cannot_show_how_raters_differ() -> None:
    marks = interval(_spread(2, (40, 2)))
    assert "two_raters" in mg.icc(marks, model="A,1").all_flags
    assert "two_raters" not in mg.icc(marks, model="C,1").all_flags


def test_means_of_incomplete_ratings_offer_those_of_all_raters() -> None:
    marks = _spread(3, (50, 4))
    marks[np.random.default_rng(4).random(marks.shape) < 0.3] = np.nan
    one, all_of_them = (mg.icc(interval(marks), model="A,k", n_averaged=many) for many in (None, 4))
    (told,) = (x.message for x in one.findings if x.code == "averages_harmonic_mean")
    assert f"{all_of_them.value:.3f} (n_averaged=4)" in told
    assert "averages_harmonic_mean" not in all_of_them.all_flags


@pytest.mark.parametrize("gaps", [False, True])
@pytest.mark.parametrize("model", ["1", "C,1", "A,1", "A,k"])
def test_items_of_one_cluster_widen_the_interval(model: str, gaps: bool) -> None:
    rng = np.random.default_rng(5)
    clusters = np.repeat(np.arange(12), 6)
    # Raters mark alike: with three whose means differ, these decide how wide the interval is.
    marks = _spread(6, (72, 3), rater=0.0) * 0.6 + 1.5 * rng.normal(size=(12, 1))[clusters]
    if gaps:
        marks[rng.random(marks.shape) < 0.15] = np.nan
    plain = interval(marks)
    one, by_patient = (
        mg.icc(ratings, model=model)
        for ratings in (plain, plain.with_clusters(clusters, "patient"))
    )
    assert by_patient.value == one.value
    narrow, wide = one.confidence_interval(), by_patient.confidence_interval()
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)
    assert "12 clusters (patient)" in wide.note
    test = by_patient.test(wide.low, alternative="two-sided")
    assert test.p_value == pytest.approx(0.05, abs=2e-4)


def test_clusters_of_one_item_change_next_to_nothing() -> None:
    plain = interval(_spread(7, (60, 3)))
    one, each = mg.icc(plain), mg.icc(plain.with_clusters(range(60)))
    near = tuple(one.confidence_interval())
    assert tuple(each.confidence_interval()) == pytest.approx(near, abs=0.03)


def test_items_can_be_resampled_by_name() -> None:
    marks = interval(_spread(8, (60, 3)))
    found = mg.icc(marks, model="C,1").confidence_interval(method="bca")
    assert tuple(found) == pytest.approx(
        tuple(mg.icc(marks, model="C,1").confidence_interval()), abs=0.1
    )
    gaps = _spread(8, (60, 3))
    gaps[0, 0] = np.nan
    with pytest.raises(UnsupportedDesignError, match="listwise"):
        mg.icc(interval(gaps)).confidence_interval(method="bca")
    listwise = mg.icc(interval(gaps), missing="listwise")
    assert listwise.confidence_interval(method="bca").has_limits
    with pytest.raises(InputError, match="mcgraw-wong"):
        mg.icc(marks).confidence_interval(method="mcgraw")


def test_rows_of_counts_stand_for_as_many_items_as_they_say() -> None:
    few = cs.Ratings.from_counts(
        [[2, 0], [1, 1], [0, 2]], categories=[1, 2], multiplicity=[5, 3, 4], scale="interval"
    )
    rows = [[1, 1]] * 5 + [[1, 2]] * 3 + [[2, 2]] * 4
    one, same = mg.icc(few, model="1"), mg.icc(interval(rows), model="1")
    assert (one.n_items, one.value) == (12, pytest.approx(same.value))
    assert tuple(one.confidence_interval()) == pytest.approx(tuple(same.confidence_interval()))
