"""Degenerate data: undefined is a value with a reason, never a crash or a made-up number."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

import consilience as cs
from consilience import Ratings
from consilience.coefficients import Estimate
from consilience.exceptions import (
    ConsilienceError,
    UndefinedCoefficientError,
    UndefinedCoefficientWarning,
)

REGISTRY = cs.coefficients()
EVERY = sorted(REGISTRY)
# Chance comes from the data: with one label in use it is certain.
FROM_DATA = [
    "aickin_alpha",
    "cohen_kappa",
    "krippendorff_alpha",
    "light_kappa",
    "linear_distribution_model",
    "scott_pi",
]
# Chance comes from the list of categories, or from both.
FROM_CATEGORIES = ["bennett_s", "gwet_ac", "perreault_leigh", "van_oest"]


def measure(name: str, r: Ratings, **options: Any) -> Estimate:
    return getattr(cs, name)(r, on_undefined="ignore", **options)  # type: ignore[no-any-return]


def assert_undefined(e: Estimate, code: str) -> None:
    assert e.status == "undefined"
    assert math.isnan(e.value)
    assert math.isnan(float(e))
    assert e.reason is not None
    assert e.reason.startswith(f"{code}: ")
    assert math.isnan(e.standard_error)
    assert e.p_value is None
    interval = e.confidence_interval()
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    record = e.to_dict()
    assert record["value"] is None
    assert record["interval"] is None
    assert record["reason"] == e.reason
    assert "undefined" in repr(e)
    assert "\n" not in repr(e)


def test_every_coefficient_is_in_one_of_the_groups() -> None:
    assert {*FROM_DATA, *FROM_CATEGORIES, "percent_agreement"} >= set(EVERY)


# --- one category used by all ---------------------------------------------------------------------

ONE_LABEL = {
    "two raters": lambda: Ratings.from_wide([["a", "a"]] * 5, categories=["a", "b"]),
    "not declared": lambda: Ratings.from_wide([["a", "a"]] * 5),
    "three raters, gaps": lambda: Ratings.from_wide(
        [["a", "a", None], [None, "a", "a"], ["a", None, None]], categories=["a", "b"]
    ),
    "one item": lambda: Ratings.from_wide([["a", "a"]], categories=["a", "b"]),
    "table": lambda: Ratings.from_table([[7, 0], [0, 0]]),
    "numbers": lambda: Ratings.from_wide(np.full((6, 2), 0.1), scale="interval"),
    "whole numbers": lambda: Ratings.from_wide(np.full((6, 2), 3), scale="ratio"),
    "ordinal": lambda: Ratings.from_wide(
        [["lo", "lo"]] * 4, scale="ordinal", categories=["lo", "hi"]
    ),
}


@pytest.mark.parametrize("data", ONE_LABEL)
@pytest.mark.parametrize("name", [name for name in FROM_DATA if name in EVERY])
def test_one_label_in_use_leaves_chance_correction_without_variation(name: str, data: str) -> None:
    if REGISTRY[name].two_raters_only and ONE_LABEL[data]().n_raters != 2:
        return
    assert_undefined(measure(name, ONE_LABEL[data]()), "no_variation")


@pytest.mark.parametrize("distance", ["linear", "quadratic", "ordinal", "interval", "ratio"])
@pytest.mark.parametrize("name", [name for name in FROM_DATA if name in EVERY])
def test_weights_do_not_help(name: str, distance: str) -> None:
    r = Ratings.from_wide([[2, 2]] * 5, categories=[1, 2, 3])
    if REGISTRY[name].nominal_only:
        with pytest.raises(ConsilienceError, match="needs labels that are equal or not"):
            measure(name, r, distance=distance)
        return
    assert_undefined(measure(name, r, distance=distance), "no_variation")


def test_one_label_among_the_items_that_count_is_enough() -> None:
    """An item with one rating varies, but alpha cannot compare it with anything."""
    r = Ratings.from_wide([["a", "a"], ["a", "a"], ["b", None]])
    assert_undefined(measure("krippendorff_alpha", r), "no_variation")
    assert measure("scott_pi", r).value == 1.0


@pytest.mark.parametrize("name", [name for name in FROM_CATEGORIES if name in EVERY])
@pytest.mark.parametrize("categories", [["a", "b"], ["a", "b", "c"], ["c", "b", "a"]], ids=str)
def test_one_label_in_use_of_several_declared_is_full_agreement(
    name: str, categories: list[str]
) -> None:
    e = measure(name, Ratings.from_wide([["a", "a"]] * 8, categories=categories))
    assert (e.status, e.value, e.standard_error) == ("ok", 1.0, 0.0)
    assert e.flags == ("boundary",)
    interval = e.confidence_interval()
    assert interval.low < 1.0 == interval.high
    assert repr(e)


@pytest.mark.parametrize("name", [name for name in FROM_CATEGORIES if name in EVERY])
@pytest.mark.parametrize("categories", [None, ["a"]])
def test_one_category_in_all_leaves_chance_without_a_choice(
    name: str, categories: list[str] | None
) -> None:
    r = Ratings.from_wide([["a", "a"]] * 5, categories=categories)
    assert_undefined(measure(name, r), "one_category")
    assert "only one category ('a') is known" in str(measure(name, r).reason)


@pytest.mark.parametrize("data", ONE_LABEL)
def test_raw_agreement_on_one_label_is_agreement(data: str) -> None:
    e = measure("percent_agreement", ONE_LABEL[data]())
    assert (e.status, e.value, e.observed) == ("ok", 1.0, 1.0)
    assert e.confidence_interval().high == 1.0 or math.isnan(e.standard_error)
    assert repr(e)


@pytest.mark.parametrize("name", EVERY)
def test_a_distance_that_tells_no_labels_apart_leaves_nothing_to_measure(name: str) -> None:
    def blind(a: object, b: object) -> float:
        return 0.0

    r = Ratings.from_wide([[1, 1], [2, 1], [2, 2], [1, 1]])
    if REGISTRY[name].nominal_only:
        with pytest.raises(ConsilienceError, match="needs labels that are equal or not"):
            measure(name, r, distance=blind)
        return
    e = measure(name, r, distance=blind)
    if name == "percent_agreement":
        assert e.value == 1.0
        assert e.confidence_interval().high == 1.0
    else:
        assert e.status == "undefined"
        assert e.reason


# --- how undefined is told ------------------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in EVERY if name != "percent_agreement"])
def test_an_undefined_value_warns_once_and_at_the_caller(name: str) -> None:
    r = Ratings.from_wide([["a", "a"]] * 3)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        e = getattr(cs, name)(r)
        assert (e.status, e.p_value) == ("undefined", None)
        e.confidence_interval()
        e.to_dict()
        repr(e)
    assert [w.category for w in caught] == [UndefinedCoefficientWarning]
    assert caught[0].filename == __file__
    assert str(e.reason) in str(caught[0].message)


def test_an_undefined_value_can_be_an_error_or_silent() -> None:
    r = Ratings.from_wide([["a", "a"]] * 3)
    with pytest.raises(UndefinedCoefficientError, match="no_variation"):
        cs.scott_pi(r, on_undefined="raise")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert cs.scott_pi(r, on_undefined="ignore").status == "undefined"


def test_a_defined_value_does_not_warn() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for name in EVERY:
            getattr(cs, name)(Ratings.from_wide([["a", "a"], ["b", "a"], ["b", "b"]]))


# --- full agreement -------------------------------------------------------------------------------


@pytest.mark.parametrize("diagonal", [(1, 4, 2), (1, 1, 4, 1)])
def test_rounding_leaves_no_error_at_full_agreement(diagonal: tuple[int, ...]) -> None:
    for distance in ("nominal", "linear"):
        e = cs.cohen_kappa(Ratings.from_table(np.diag(diagonal)), distance=distance)
        assert (e.value, e.standard_error, e.flags) == (1.0, 0.0, ("boundary",))


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("n_labels", [2, 3, 7])
def test_full_agreement_is_one_with_an_interval(name: str, n_labels: int) -> None:
    r = Ratings.from_wide([[k, k] for k in range(n_labels)] * 4)
    e = measure(name, r)
    assert (e.value, e.standard_error, e.flags) == (1.0, 0.0, ("boundary",))
    interval = e.confidence_interval()
    assert 0.0 < interval.low < interval.high == 1.0
    plain = e.confidence_interval(method="analytic")
    assert plain.method in ("donner-eliasziw", "clopper-pearson")


@pytest.mark.parametrize("name", ["scott_pi", "cohen_kappa", "krippendorff_alpha"])
def test_full_agreement_on_two_labels_takes_the_goodness_of_fit_interval(name: str) -> None:
    e = measure(name, Ratings.from_table([[10, 0], [0, 10]]))
    assert e.confidence_interval(method="analytic").method == "donner-eliasziw"


@pytest.mark.parametrize("name", EVERY)
def test_full_agreement_of_more_raters_takes_the_limit_of_observed_agreement(name: str) -> None:
    if REGISTRY[name].two_raters_only:
        return
    e = measure(name, Ratings.from_wide([["a"] * 4, ["b"] * 4, ["c"] * 4] * 3))
    assert e.confidence_interval(method="analytic").method == "clopper-pearson"


# --- nothing to compare ---------------------------------------------------------------------------

NOTHING: dict[str, Callable[[], Ratings]] = {
    "no item with two ratings": lambda: Ratings.from_wide([["a", None], [None, "b"]]),
    "all missing": lambda: Ratings.from_wide([[None, None], [None, None]]),
    "all NaN": lambda: Ratings.from_wide(np.full((3, 2), np.nan)),
    "all NaN on an interval scale": lambda: Ratings.from_wide(
        np.full((3, 2), np.nan), scale="interval"
    ),
    "all pandas' NA": lambda: Ratings.from_wide(pd.DataFrame({"A": [pd.NA] * 3, "B": [pd.NA] * 3})),
    "one rater": lambda: Ratings.from_wide([["a"], ["b"]]),
    "one rater at work": lambda: Ratings.from_wide([["a", None], ["b", None]]),
    "long, one rater": lambda: Ratings.from_long({"item": [1, 2], "rater": "AA", "label": "xy"}),
    "long, no overlap": lambda: Ratings.from_long(
        {"item": [1, 2], "rater": ["A", "B"], "label": ["x", "y"]}
    ),
    "long, all missing": lambda: Ratings.from_long(
        {"item": [1, 1], "rater": ["A", "B"], "label": [None, None]}
    ),
    "counts of single ratings": lambda: Ratings.from_counts([[1, 0], [0, 1]]),
    "counts of nothing": lambda: Ratings.from_counts([[0, 0], [0, 0]]),
    "numbers, no overlap": lambda: Ratings.from_wide(
        np.array([[0.5, np.nan], [np.nan, 1.5]]), scale="interval"
    ),
}


@pytest.mark.parametrize("data", NOTHING)
def test_nothing_to_compare_is_an_error_that_counts_what_was_found(data: str) -> None:
    for name in EVERY:
        with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
            getattr(cs, name)(NOTHING[data]())


def test_the_error_says_how_many_items_raters_and_ratings_there_were() -> None:
    with pytest.raises(ConsilienceError, match="3 items, 2 raters, 3 ratings"):
        cs.scott_pi(Ratings.from_wide([["a", None], [None, "b"], ["a", None]]))


@pytest.mark.parametrize("rows", [[], [[]], [[], []], {}, np.empty((0, 2)), np.empty((2, 0))])
def test_empty_input_is_refused_before_anything_is_computed(rows: Any) -> None:
    with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
        cs.krippendorff_alpha(rows)


def test_listwise_deletion_may_leave_nothing() -> None:
    r = Ratings.from_wide([["a", "a", None], ["b", None, "b"]])
    with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
        cs.scott_pi(r, missing="listwise")


# --- one item -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("cohen_kappa", 0.0),
        ("scott_pi", -1.0),
        ("krippendorff_alpha", 0.0),
        ("bennett_s", -1.0),
        ("gwet_ac", -1.0),
        ("percent_agreement", 0.0),
    ],
)
def test_one_item_on_which_two_raters_differ_has_a_value_but_no_error(
    name: str, value: float
) -> None:
    e = measure(name, Ratings.from_wide([["a", "b"]]))
    assert e.status == "ok"
    assert e.value == pytest.approx(value, abs=1e-12)
    assert math.isnan(e.standard_error)
    assert math.isnan(e.confidence_interval().low)
    assert e.p_value is None
    assert e.to_dict()["standard_error"] is None
    assert "CI" not in repr(e)


@pytest.mark.parametrize("name", EVERY)
def test_one_item_among_unrated_ones_is_one_item(name: str) -> None:
    e = measure(name, Ratings.from_wide([["a", "b"], [None, None], [None, None]]))
    assert math.isnan(e.standard_error)
    assert (e.n_items, e.n_items_used) == (3, 1)


# --- idle items and raters, pairs without overlap -------------------------------------------------


@pytest.mark.parametrize("name", [name for name in EVERY if not REGISTRY[name].two_raters_only])
def test_idle_items_and_raters_are_ignored_and_counted(name: str) -> None:
    rows = [["a", "a"], ["b", "a"], ["b", "b"], ["a", "a"]]
    e = measure(name, Ratings.from_wide(rows))
    idle = measure(name, Ratings.from_wide([[*row, None] for row in rows] + [[None] * 3] * 2))
    assert idle.value == pytest.approx(e.value, abs=1e-12)
    assert (idle.n_items, idle.n_items_used, idle.n_ratings) == (6, 4, 8)
    assert idle.name == e.name


def test_an_idle_second_rater_leaves_kappa_s_error_alone() -> None:
    rows = [["a", "a"], ["b", "a"], ["b", "b"], ["a", "a"], ["b", "a"]]
    e, idle = (
        cs.cohen_kappa(Ratings.from_wide(table), standard_error="linearised")
        for table in (rows, [[*row, None] for row in rows])
    )
    assert idle.standard_error == pytest.approx(e.standard_error)


def test_a_pair_without_common_items_is_left_out_of_lists_and_named() -> None:
    rows = [
        ["a", "a", None],
        ["b", "a", None],
        [None, "b", "b"],
        [None, "a", "b"],
        ["b", "b", None],
    ]
    r = Ratings.from_wide(rows, raters=["A", "B", "C"])
    pairs = cs.pairwise(r)
    assert set(pairs) == {("A", "B"), ("B", "C")}
    assert pairs.without_overlap == (("A", "C"),)
    assert math.isnan(pairs.matrix[0, 2])
    for name in EVERY:
        if REGISTRY[name].supports(r) is None:
            assert measure(name, r).status == "ok"


# --- one rater constant ---------------------------------------------------------------------------


def test_a_constant_rater_makes_kappa_zero() -> None:
    e = cs.cohen_kappa(["a"] * 6, ["a", "b", "a", "b", "a", "b"])
    assert e.status == "ok"
    assert e.value == pytest.approx(0.0, abs=1e-12)
    assert e.p_value is None or 0.0 <= e.p_value <= 1.0
    assert repr(e)


def test_two_raters_who_are_constant_and_differ_have_kappa_zero_and_pi_minus_one() -> None:
    r = Ratings.from_wide([["a", "b"]] * 6)
    assert measure("cohen_kappa", r).value == pytest.approx(0.0, abs=1e-12)
    assert measure("scott_pi", r).value == pytest.approx(-1.0)
    for name in EVERY:
        p_value = measure(name, r).p_value
        assert p_value is None or 0.0 <= p_value <= 1.0


# --- labels and metrics ---------------------------------------------------------------------------


def test_labels_are_never_made_equal_in_silence() -> None:
    for one, other in ((1, "1"), ("a", "A"), ("a", "a "), (True, 1)):
        assert cs.percent_agreement([[one, other]]).value == 0.0
    assert cs.percent_agreement([[1, 1.0]]).value == 1.0


def test_an_empty_text_is_a_label_unless_said_otherwise() -> None:
    rows = [["", ""], ["a", "a"], ["a", ""]]
    assert cs.percent_agreement(Ratings.from_wide(rows)).value == pytest.approx(2 / 3)
    assert cs.percent_agreement(Ratings.from_wide(rows, missing_values=[""])).n_items_used == 1


@pytest.mark.parametrize("rows", [[[0, 0], [1, 2]], np.array([[0.0, 0.0], [1.5, 2.5]])])
def test_two_zeros_do_not_differ_in_ratio(rows: Any) -> None:
    e = cs.percent_agreement(Ratings.from_wide(rows, scale="ratio"))
    assert e.observed_disagreement == pytest.approx(
        (((rows[1][0] - rows[1][1]) / sum(rows[1])) ** 2) / 2
    )


@pytest.mark.parametrize("rows", [[[-1, 2], [1, 2]], np.array([[-0.5, 2.0], [1.5, 2.5]])])
def test_negative_numbers_have_no_ratio(rows: Any) -> None:
    with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
        cs.krippendorff_alpha(Ratings.from_wide(rows, scale="ratio"))


def test_a_circle_has_a_circumference() -> None:
    with pytest.raises(ConsilienceError, match=r"Got 'circular'\. Hint: .*circular\(24\)"):
        cs.krippendorff_alpha([[1, 2], [3, 4]], distance="circular")


@pytest.mark.parametrize("name", EVERY)
def test_more_categories_than_items_work(name: str) -> None:
    r = Ratings.from_wide([[1, 2], [3, 4], [5, 5]], categories=range(50))
    e = measure(name, r)
    assert e.status == "ok"
    assert -1.0 <= e.value <= 1.0


@pytest.mark.parametrize("name", EVERY)
def test_every_rating_a_category_of_its_own_works(name: str) -> None:
    e = measure(name, Ratings.from_wide([[2 * k, 2 * k + 1] for k in range(6)]))
    assert e.status == "ok"
    assert e.value <= 0.0
    p_value = e.p_value
    assert p_value is None or 0.0 <= p_value <= 1.0


@pytest.mark.parametrize("name", EVERY)
def test_no_agreement_at_all_has_a_value_and_no_crash(name: str) -> None:
    e = measure(name, Ratings.from_wide([["a", "b"], ["b", "a"]] * 5))
    assert e.status == "ok"
    assert e.value <= 0.0
    assert e.observed == 0.0
    assert repr(e)
    e.confidence_interval()
