"""Intervals at the edges: full agreement, one item, resamples that do not exist, odd clusters."""

from __future__ import annotations

import math
import warnings
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from scipy import stats

import consilience as cs
from consilience.core.interval import INTERVALS, RESAMPLED
from consilience.exceptions import DegenerateDataWarning, InputError
from consilience.inference import perfect_agreement_interval, unanimity_interval
from consilience.inference.intervals import _most_disagreement

LOPSIDED = [["a", "a"]] * 9 + [["a", "b"]]  # without the last item there is one label only


# --- full agreement -------------------------------------------------------------------------------


@pytest.mark.parametrize("n_labels", [2, 3, 4])
@pytest.mark.parametrize("n_ratings", [2, 3, 5, 6])
def test_no_item_shows_more_disagreement_than_ratings_spread_evenly(
    n_ratings: int, n_labels: int
) -> None:
    most = max(
        np.mean([a != b for a, b in combinations(item, 2)])
        for item in product(range(n_labels), repeat=n_ratings)
    )
    assert _most_disagreement(n_ratings, n_labels) == pytest.approx(most)
    assert _most_disagreement(n_ratings, None) == 1.0


def test_two_raters_who_always_agree_get_the_limit_of_clopper_and_pearson() -> None:
    for n in (1, 2, 20, 500):
        exact = stats.binomtest(n, n).proportion_ci(0.9, method="exact").low
        one = unanimity_interval({2: n}, 0.3, n_labels=3, confidence_level=0.9)
        assert one.low == pytest.approx((exact - 0.3) / 0.7, rel=1e-12)
        plain = perfect_agreement_interval(n, 0.3, confidence_level=0.9)
        assert one.low == pytest.approx(plain.low, rel=1e-12)


def test_at_the_limit_so_many_unanimous_items_have_half_the_tail() -> None:
    items = {1: 50, 2: 10, 3: 20, 7: 15}
    low = unanimity_interval(items, 0.4, n_labels=2).low
    disagreement = (1.0 - low) * 0.6
    chance = math.prod(
        (1.0 - disagreement / _most_disagreement(many, 2)) ** n for many, n in items.items()
        if many > 1
    )  # fmt: skip
    assert chance == pytest.approx(0.025, rel=1e-9)


def test_more_raters_and_fewer_labels_bring_the_limit_nearer_to_one() -> None:
    lows = [unanimity_interval({r: 40}, 0.5, n_labels=2).low for r in (2, 3, 5, 9)]
    assert lows == sorted(lows)
    assert unanimity_interval({5: 40}, 0.5, n_labels=2).low > unanimity_interval({5: 40}, 0.5).low
    assert math.isnan(unanimity_interval({1: 40}, 0.5).low)
    assert math.isnan(unanimity_interval({2: 40}, 1.0).low)


def test_full_agreement_of_many_is_worth_more_to_auto_than_to_the_plain_interval() -> None:
    e = cs.krippendorff_alpha(cs.Ratings.from_wide([["a"] * 5, ["b"] * 5] * 10))
    auto, plain = e.confidence_interval(method="auto"), e.confidence_interval(method="analytic")
    assert plain.low < auto.low < auto.high == 1.0
    assert auto.method == "dirichlet"
    numbers = cs.Ratings.from_wide([[1, 1, 1], [5, 5, 5], [9, 9, 9]] * 5, scale="interval")
    by_distance = cs.krippendorff_alpha(numbers).confidence_interval(method="auto")
    assert -1.0 <= by_distance.low < by_distance.high == 1.0


@pytest.mark.parametrize("method", RESAMPLED)
def test_resamples_of_full_agreement_still_leave_room_below(method: str) -> None:
    e = cs.krippendorff_alpha(cs.Ratings.from_wide([["a", "a", "a"], ["b", "b", "b"]] * 6))
    interval = e.confidence_interval(method=method, n_resamples=99)
    assert interval.low == e.confidence_interval(method="analytic").low < 1.0
    assert "All pairs agree" in interval.note
    with pytest.raises(InputError, match="n_resamples"):
        e.confidence_interval(method=method, n_resamples=0)


def test_the_limit_at_full_agreement_stays_in_the_range() -> None:
    rows = [["a", "a"]] * 29 + [["b", "b"]]
    for name in ("krippendorff_alpha", "cohen_kappa", "bennett_s"):
        e = getattr(cs, name)(cs.Ratings.from_wide(rows[-3:], categories=["a", "b", "c"]))
        for method in ("auto", "analytic"):
            assert -1.0 <= e.confidence_interval(0.999, method=method).low < 1.0


# --- nothing to make an interval of ---------------------------------------------------------------


@pytest.mark.parametrize("method", INTERVALS)
def test_one_item_gives_no_interval_and_says_so(method: str) -> None:
    e = cs.krippendorff_alpha(cs.Ratings.from_wide([["a", "b"]]))
    interval = e.confidence_interval(method=method)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert interval.note == "One item gives no interval."


def test_an_undefined_coefficient_hands_its_reason_on() -> None:
    e = cs.scott_pi(cs.Ratings.from_wide([["a", "a"]] * 3), on_undefined="ignore")
    for method in INTERVALS:
        assert "no_variation" in e.confidence_interval(method=method).note


@pytest.mark.parametrize("method", ["percentile", "basic", "bca", "studentised"])
def test_resamples_that_do_not_exist_are_told(method: str) -> None:
    e = cs.scott_pi(cs.Ratings.from_wide(LOPSIDED))
    with pytest.warns(DegenerateDataWarning, match="undefined on .*% of the resamples"):
        interval = e.confidence_interval(method=method, n_resamples=200)
    assert math.isnan(interval.low)
    assert "Rate more items" in interval.note


@pytest.mark.parametrize("method", ["jackknife", "transformed"])
def test_an_item_that_cannot_be_left_out_is_told(method: str) -> None:
    e = cs.scott_pi(cs.Ratings.from_wide(LOPSIDED))
    interval = e.confidence_interval(method=method)
    assert math.isnan(interval.low)
    assert interval.note.startswith("Without one of the items")
    three = cs.scott_pi(cs.Ratings.from_wide([["a"] * 3] * 9 + [["a", "a", "b"]]))
    auto = three.confidence_interval(method="auto")
    assert auto.low < three.value < auto.high
    assert auto.high > 0.1  # one rare rating leaves room for agreement on the label


@pytest.mark.parametrize("level", [0, 1, -0.5, 1.5, 95, math.nan, math.inf, True, None, "0.95"])
def test_a_level_outside_zero_and_one_is_refused(level: Any) -> None:
    e = cs.scott_pi(cs.Ratings.from_wide(LOPSIDED))
    for method in INTERVALS:
        with pytest.raises(InputError, match="confidence_level must be between 0 and 1"):
            e.confidence_interval(level, method=method)


# --- clusters -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("clusters", "message"),
    [
        ([1] * 10, "at least two different ones. Got 'only 1'"),
        ([1, 2], "one entry per item"),
        ([[1]], "one entry per item"),
        ([1, [2, 3]], "one entry per item"),
        (None, "given with by="),
        ([None] + [1] * 9, "known for every item"),
        ([math.nan] + [1.0] * 9, "known for every item"),
    ],
)
def test_clusters_that_cannot_be_drawn_are_refused(clusters: Any, message: str) -> None:
    e = cs.scott_pi(cs.Ratings.from_wide(LOPSIDED))
    with pytest.raises(InputError, match=message):
        e.confidence_interval(method="bca", by="cluster", clusters=clusters, n_resamples=9)


def test_clusters_of_several_types_are_kept_apart() -> None:
    wide = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"], ["a", "a"], ["b", "a"]] * 2
    e = cs.scott_pi(cs.Ratings.from_wide(wide))
    mixed = np.array([1, "1", 2, "2", (3,), 3] * 2, dtype=object)
    options: dict[str, Any] = {"by": "cluster", "n_resamples": 50, "rng": 1}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateDataWarning)
        found = e.confidence_interval(method="percentile", clusters=list(range(6)) * 2, **options)
        same = e.confidence_interval(method="percentile", clusters=mixed, **options)
    assert (found.low, found.high) == pytest.approx((same.low, same.high), abs=0.5)


# --- memory ---------------------------------------------------------------------------------------


def test_an_interval_is_drawn_once_for_each_question() -> None:
    e = cs.scott_pi(cs.Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "b"], ["b", "a"]] * 4))
    calls: list[tuple[int, int]] = []

    def draw(**options: Any) -> Any:
        return e.confidence_interval(
            method="percentile", progress=lambda *so_far: calls.append(so_far), **options
        )

    first = draw(n_resamples=600)
    assert calls[-1] == (600, 600)
    said = len(calls)
    assert draw(n_resamples=600) is first
    assert len(calls) == said
    assert draw(n_resamples=600, rng=5) != first
    assert draw(n_resamples=700) != first
    generator = np.random.default_rng(1)
    assert draw(n_resamples=600, rng=generator) != draw(n_resamples=600, rng=generator)
