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
from consilience.coefficients.resampled import _reweighted
from consilience.coefficients.uncertainty import standard_error, too_few
from consilience.core.interval import INTERVALS, RESAMPLED
from consilience.exceptions import DegenerateDataWarning, InputError
from consilience.inference import unanimity_interval
from consilience.inference.intervals import _most_disagreement, perfect_agreement_interval
from consilience.rows.distinct_rows import all_rows

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
    assert unanimity_interval({2: 40, 3: 0}, 0.5, n_labels=2) == unanimity_interval({2: 40}, 0.5)
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


def test_numbers_on_which_many_agree_have_the_limit_of_unanimous_items() -> None:
    """Thirty marks on thirteen values cannot all differ, so that the limit lies nearer to 1."""
    e = cs.krippendorff_alpha(cs.Ratings.from_wide([[k] * 30 for k in range(13)], scale="interval"))
    auto = e.confidence_interval()
    expected = unanimity_interval({30: 13}, e.expected, n_labels=13)
    assert (auto.low, auto.high) == (pytest.approx(expected.low), 1.0)
    assert auto.low > e.confidence_interval(method="analytic").low
    assert "share of unanimous items" in auto.note


@pytest.mark.parametrize("method", RESAMPLED)
def test_resamples_of_full_agreement_still_leave_room_below(method: str) -> None:
    e = cs.krippendorff_alpha(cs.Ratings.from_wide([["a", "a", "a"], ["b", "b", "b"]] * 6))
    interval = e.confidence_interval(method=method, n_resamples=99)
    assert interval.low == e.confidence_interval(method="analytic").low < 1.0
    assert "All pairs agree" in interval.note
    with pytest.raises(InputError, match="n_resamples"):
        e.confidence_interval(method=method, n_resamples=0)


@pytest.mark.parametrize("by", ["rater", "cluster"])
def test_full_agreement_shows_no_spread_whatever_is_drawn(by: str) -> None:
    full = cs.Ratings.from_wide([["a"] * 5, ["b"] * 5] * 8).with_clusters(np.arange(16) // 2)
    interval = cs.percent_agreement(full).confidence_interval(
        method="percentile", by=by, n_resamples=99, rng=1
    )
    assert (interval.low, interval.high) == (1.0, 1.0)
    assert interval.note == "All pairs agree, whatever is drawn: no spread is seen."


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


# --- resamples ------------------------------------------------------------------------------------

SHARE, N = 0.85, 200
_ONE_ITEM = 1.0 / N + 1e-9  # shares of resamples go in steps of one item


def agreed_on_most() -> Any:
    """Two raters who differ on the first 30 of 200 items."""
    return cs.percent_agreement(["a", "b"] * 100, ["c"] * 30 + ["a", "b"] * 85)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_resampled_intervals_of_a_share_are_those_of_a_binomial(method: str) -> None:
    """Efron & Tibshirani (1993), 13.3, 13.4, 14.3; the acceleration is the skewness / 6 n^(1/2)."""
    drawn = stats.binom(N, SHARE)
    tails = np.array([0.025, 0.975])
    if method == "bca":
        shift = stats.norm.ppf(drawn.cdf(N * SHARE - 1) + drawn.pmf(N * SHARE) / 2)
        acceleration = stats.bernoulli(SHARE).stats("s") / (6 * math.sqrt(N))
        z = shift + stats.norm.ppf(tails)
        tails = stats.norm.cdf(shift + z / (1 - acceleration * z))
    wanted = drawn.ppf(tails) / N
    if method == "basic":
        wanted = 2 * SHARE - wanted[::-1]
    found = agreed_on_most().confidence_interval(method=method, n_resamples=9_999)
    assert tuple(found) == pytest.approx(tuple(wanted), abs=_ONE_ITEM)


def test_the_studentised_interval_of_a_share_divides_each_resample_by_its_own_error() -> None:
    """Efron & Tibshirani (1993), 12.5, with the error (p (1 - p) / (n - 1))^(1/2) of a share."""
    drawn = np.random.default_rng(5).binomial(N, SHARE, 20_000) / N
    pivots = (drawn - SHARE) / np.sqrt(drawn * (1.0 - drawn) / (N - 1))
    error = math.sqrt(SHARE * (1.0 - SHARE) / (N - 1))
    wanted = SHARE - np.quantile(pivots, [0.975, 0.025]) * error
    found = agreed_on_most().confidence_interval(method="studentised", n_resamples=1_999)
    assert tuple(found) == pytest.approx(tuple(wanted), abs=1.5 * _ONE_ITEM)


@pytest.mark.parametrize("distance", ["nominal", "interval", "ordinal"])
def test_a_resample_has_the_error_that_its_items_have(distance: str) -> None:
    """The distance between ranks follows the labels that were drawn."""
    wide = np.array([[1, 1], [2, 3], [4, 4], [3, 1], [2, 2], [4, 3]])
    times = np.array([1.0, 3.0, 0.0, 2.0, 4.0, 1.0])
    ratings = cs.Ratings.from_wide(wide, categories=[1, 2, 3, 4], scale="ordinal")
    basis = cs.krippendorff_alpha(ratings, distance=distance)._basis
    rows = all_rows(basis.evaluation.source)
    place = [int(np.flatnonzero((row == rows.vectors.T).all(axis=1))[0]) for row in _counts(wide)]
    weights = np.bincount(place, weights=times, minlength=rows.ratings.size)
    drawn = np.repeat(wide, times.astype(int), axis=0)
    again = cs.krippendorff_alpha(
        cs.Ratings.from_wide(drawn, categories=[1, 2, 3, 4], scale="ordinal"), distance=distance
    )
    found = standard_error("linearised", _reweighted(basis, rows, weights))
    assert found == pytest.approx(again.standard_error)


def _counts(wide: Any) -> Any:
    return (wide[:, :, None] == np.arange(1, 5)).sum(axis=1)


@pytest.mark.parametrize("gaps", [False, True])
def test_pairs_drawn_after_hayes_and_krippendorff_disagree_by_a_binomial(gaps: bool) -> None:
    """The number of pairs that differ is binomial; chance disagreement stays as it is."""
    wide = [list("aaa")] * 30 + [list("bbb")] * 20 + [list("aab")] * 12 + [list("abb")] * 8
    third = [None if gaps and k % 4 == 0 else row[2] for k, row in enumerate(wide)]
    rows = [[row[0], row[1], last] for row, last in zip(wide, third, strict=True)]
    given = [[label for label in row if label is not None] for row in rows]
    rows += [["a", None, None]] * (3 if gaps else 0)  # nothing to pair
    pairs = [list(combinations(row, 2)) for row in given]
    apart = sum(
        len(row) * np.mean([a != b for a, b in met]) for row, met in zip(given, pairs, strict=True)
    )
    n_a, n = sum(row.count("a") for row in given), sum(map(len, given))
    observed, expected = apart / n, 2 * n_a * (n - n_a) / (n * (n - 1))
    n_pairs = sum(map(len, pairs))
    wanted = 1 - stats.binom.ppf([0.975, 0.025], n_pairs, observed) / n_pairs / expected
    found = cs.krippendorff_alpha(cs.Ratings.from_wide(rows)).confidence_interval(
        method="hayes-krippendorff", n_resamples=9_999
    )
    assert tuple(found) == pytest.approx(tuple(wanted), abs=1.001 / n_pairs / expected)


# --- too little -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([["a", "b"]], "1 item is too few"),
        ([["a", "b"]] * 4, "4 items are too few"),
        ([["a", "a"]] * 9, "None of 9 items got any label but the most common one: too few"),
        (LOPSIDED, "Only 1 of 10 items got any label but the most common one: too few"),
        ([*LOPSIDED, ["b", "b"]], None),
        (
            [*LOPSIDED, ["b", None]],
            "Only 1 of 10 items got any label but the most common one: too few",
        ),
        ([["a", "b"]] * 5, None),
    ],
)
def test_it_is_told_what_is_too_little_for_an_interval(rows: Any, said: str | None) -> None:
    found = too_few(cs.percent_agreement(cs.Ratings.from_wide(rows)))
    assert (None if found is None else found[0]) == said


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
