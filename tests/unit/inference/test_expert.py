from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import consilience as cs
from consilience.document import Table
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference._expert import (
    agreement_with_expert,
    homogeneity_interval,
    pair_spread,
)


def study(n_items: int = 120) -> cs.Ratings:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 3, n_items)
    columns = [
        np.where(rng.random(n_items) < slips, rng.integers(0, 3, n_items), truth)
        for slips in (0.0, 0.4, 0.1, 0.7)
    ]
    return cs.Ratings.from_wide(np.stack(columns, axis=1), raters=["BK", "Ann", "Bob", "Cid"])


# --- the interval ---------------------------------------------------------------------------------


def test_limits_are_whole_counts_of_items_that_chance_does_not_rule_out() -> None:
    n, d, chance = 70, 22, 0.504
    interval = homogeneity_interval(n_items=n, n_disagreements=d, expected_disagreement=chance)
    most = round(n * (1 - interval.low))
    least = round(n * (1 - interval.high))
    accepted = [
        m
        for m in range(n + 1)
        if stats.binom(m, chance).cdf(d) >= 0.025 and stats.binom(m, chance).sf(d - 1) >= 0.025
    ]
    assert (least, most) == (accepted[0], accepted[-1])
    assert interval.low < 1 - d / (n * chance) < interval.high


def test_full_agreement_reaches_up_to_one() -> None:
    interval = homogeneity_interval(n_items=50, n_disagreements=0, expected_disagreement=0.5)
    assert interval.high == 1.0
    assert interval.low == pytest.approx(1 - 5 / 50)  # 1/2^5 is the last tail above .025


@pytest.mark.parametrize(
    ("n_disagreements", "chance", "limits"),
    [
        (0, 0.5, (0.0, 1.0)),  # guessed or not: both may be
        (0, 1.0, (1.0, 1.0)),  # a guess would have differed
        (1, 0.5, (0.0, 0.0)),  # only a guess differs
        (1, 1.0, (0.0, 0.0)),
    ],
)
def test_a_single_item_tells_what_it_can(
    n_disagreements: int, chance: float, limits: tuple[float, float]
) -> None:
    one = homogeneity_interval(
        n_items=1, n_disagreements=n_disagreements, expected_disagreement=chance
    )
    assert tuple(one) == limits


def test_more_disagreement_than_guessing_has_no_interval() -> None:
    interval = homogeneity_interval(n_items=40, n_disagreements=40, expected_disagreement=0.3)
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)


def test_the_interval_is_named_a_reconstruction() -> None:
    interval = homogeneity_interval(n_items=40, n_disagreements=9, expected_disagreement=0.5)
    assert "reconstruction" in interval.method
    assert "reconstruction" in (homogeneity_interval.__doc__ or "")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_disagreements": 50}, "n_disagreements must be between 0 and n_items"),
        ({"n_disagreements": -1}, "n_disagreements must be between 0 and n_items"),
        ({"n_items": 0, "n_disagreements": 0}, "n_disagreements must be between 0 and n_items"),
        ({"expected_disagreement": 1.01}, "expected_disagreement must be above 0"),
        ({"expected_disagreement": 0.0}, "expected_disagreement must be above 0"),
        ({"confidence_level": 95}, "confidence_level must be between 0 and 1"),
    ],
)
def test_impossible_numbers_are_refused(change: dict[str, Any], message: str) -> None:
    numbers = {"n_items": 40, "n_disagreements": 5, "expected_disagreement": 0.5, **change}
    with pytest.raises(InputError, match=message):
        homogeneity_interval(**numbers)


# --- the table ------------------------------------------------------------------------------------


def test_raters_come_by_falling_kappa() -> None:
    table = agreement_with_expert(study(), expert="BK")
    assert [row.rater for row in table] == ["Bob", "Ann", "Cid"]
    assert len(table) == 3
    for row in table:
        ratings = study().select(raters=["BK", row.rater])
        assert row.kappa == pytest.approx(cs.cohen_kappa(ratings).value)
        assert row.agreement == pytest.approx(cs.percent_agreement(ratings).value)
        assert row.interval.low < row.kappa < row.interval.high
        assert table[row.rater] is row
    with pytest.raises(KeyError):
        table["BK"]


def test_the_spread_is_over_all_pairs() -> None:
    spread = agreement_with_expert(study(), expert="Ann").pairs
    pairs = cs.pairwise(study())
    values = [pairs[pair].value for pair in pairs]
    assert spread.n_pairs == 6
    assert spread.mean == pytest.approx(np.mean(values))
    assert spread.mean == pytest.approx(cs.light_kappa(study()).value)
    assert spread.standard_deviation == pytest.approx(np.std(values, ddof=1))
    assert (spread.low, spread.high) == pytest.approx((min(values), max(values)))
    assert pair_spread(study()) == spread


def test_the_table_prints_like_the_published_one() -> None:
    """BK vs. NN, kappa value, homogeneity min and max in per cent, interval size."""
    table = agreement_with_expert(study(), expert="BK")
    shown = table.document().blocks[0]
    assert isinstance(shown, Table)
    assert list(shown.heads) == [
        "BK vs.", "kappa value", "homogeneity min, %", "max, %", "interval size", "items"
    ]  # fmt: skip
    first = table.rows[0]
    low, high = 100 * first.interval.low, 100 * first.interval.high
    assert shown.rows[0] == ["Bob", first.kappa, low, high, high - low, first.n_items]
    assert "All 6 pairs of raters: mean kappa" in str(table)


def test_items_and_raters_without_overlap_are_left_out() -> None:
    rows = [
        ["a", "a", None],
        ["b", "a", None],
        ["a", "a", None],
        ["b", "b", None],
        [None, "a", "a"],
        [None, "b", "a"],
    ]
    table = agreement_with_expert(cs.Ratings.from_wide(rows, raters=["E", "F", "G"]), expert="E")
    assert [row.rater for row in table] == ["F"]
    assert table["F"].n_items == 4
    assert table.pairs.n_pairs == 2
    with pytest.raises(UnsupportedDesignError, match="items that 'E' and another rater"):
        agreement_with_expert(
            cs.Ratings.from_wide([["a", None, None], [None, "a", "b"]], raters=["E", "F", "G"]),
            expert="E",
        )


def test_two_raters_who_use_one_label_have_no_kappa() -> None:
    ratings = cs.Ratings.from_wide([["a", "a", "b"], ["a", "a", "a"]], raters=["E", "F", "G"])
    table = agreement_with_expert(ratings, expert="E")
    assert table[("F")].agreement == 1.0
    assert math.isnan(table["F"].kappa)
    assert [row.rater for row in table] == ["G", "F"]
    nothing = pair_spread(cs.Ratings.from_wide([["a", "a"], ["a", "a"]]))
    assert nothing.n_pairs == 0
    assert math.isnan(nothing.mean)


def test_the_expert_must_be_one_of_the_raters() -> None:
    with pytest.raises(InputError, match="expert must be one of 'BK', 'Ann', 'Bob', 'Cid'"):
        agreement_with_expert(study(), expert="Dan")
    with pytest.raises(UnsupportedDesignError, match="counts per item"):
        agreement_with_expert(cs.Ratings.from_counts([[2, 1]]), expert="A")
    with pytest.raises(UnsupportedDesignError, match="at most 300 raters"):
        pair_spread(cs.Ratings.from_wide(np.zeros((2, 301), dtype=int)))
