"""Agreement taken apart: without each rater, by pairs of raters, by items that all agree on."""

from __future__ import annotations

import math
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.exceptions import InputError, UnsupportedDesignError

WIDE = [
    ["a", "a", "b", "a"],
    ["b", "b", "a", None],
    ["a", "a", "a", "b"],
    ["b", "b", "b", "b"],
    ["c", "a", "c", "c"],
    ["c", "c", None, "c"],
]
RATINGS = cs.Ratings.from_wide(WIDE, raters=["Ann", "Bob", "Cid", "Dan"])
COUNTS = cs.Ratings.from_counts([[2, 1], [0, 3], [3, 0]])
MARKS = [[3, 3.5, 4], [1, 1, 1], [2, 4, None], [5, None, None]]


# --- without each rater ---


@pytest.mark.parametrize("coefficient", ["krippendorff_alpha", "cohen_kappa"])
@pytest.mark.parametrize("population", [None, 4, 10])
def test_the_error_over_raters_is_their_jackknife(coefficient: str, population: int | None) -> None:
    """v = (1 - r/R) (r - 1)/r sum (K_(-g) - mean)^2."""
    call = getattr(cs, coefficient)
    found = cs.rater_influence(RATINGS, coefficient=coefficient, population=population)
    names = ["Ann", "Bob", "Cid", "Dan"]
    left = {g: call(RATINGS.select(raters=[h for h in names if h != g])).value for g in names}
    assert found.without == pytest.approx(left)
    whole = call(RATINGS).value
    assert found.value == pytest.approx(whole)
    assert found.change == pytest.approx({g: value - whole for g, value in left.items()})
    unseen = 1.0 - 4 / population if population else 1.0
    square = unseen * 3 * np.var(list(left.values()))  # (r - 1) / r times r times the variance
    assert found.standard_error == pytest.approx(math.sqrt(square))


def test_a_rater_without_whom_nothing_can_be_compared_has_no_value() -> None:
    rows = [["a", "a", None], ["b", "a", None], ["a", None, "a"], ["b", None, "b"]]
    found = cs.rater_influence(cs.Ratings.from_wide(rows, raters=["E", "F", "G"]))
    assert math.isnan(found.without["E"])
    assert list(found.estimates) == ["F", "G"]
    assert math.isnan(found.standard_error)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cs.rater_influence(COUNTS), "rater_influence needs to know who gave which rating"),
        (lambda: cs.pairwise(COUNTS), "pairwise needs to know who gave which rating"),
        (lambda: cs.rater_influence(RATINGS.select(raters=["Ann", "Bob"])), "three raters"),
        (lambda: cs.rater_influence(RATINGS, population=3), r"number of raters \(4\). Got 3"),
        (
            lambda: cs.rater_influence(RATINGS, population=0),
            "give the number that these were drawn from",
        ),
        (lambda: cs.rater_influence(RATINGS, population="all"), "population must be at least"),
        (lambda: cs.scott_pi(RATINGS, population=5), r"number of items rated \(6\). Got 5"),
        (lambda: cs.unanimous_agreement(RATINGS, tolerance=1), "labels that are numbers"),
        (lambda: cs.unanimous_agreement(MARKS, tolerance=-1), "tolerance must be a number of 0"),
        (lambda: cs.unanimous_agreement(MARKS, tolerance=math.nan), "tolerance must be a number"),
        (lambda: cs.unanimous_agreement([[1, None], [None, 2]]), "one item with two ratings"),
    ],
)
def test_what_cannot_be_taken_apart_is_refused(call: Any, message: str) -> None:
    with pytest.raises((InputError, UnsupportedDesignError), match=message):
        call()


# --- pairs of raters ---


def test_matrices_of_pairs_hold_each_pair_twice_and_themselves_on_the_diagonal() -> None:
    pairs = cs.pairwise(RATINGS)
    common = pairs.common_matrix
    for (g, one), (h, other) in product(enumerate(RATINGS.raters), repeat=2):
        if g == h:
            assert (pairs.matrix[g, g], pairs.standard_error_matrix[g, g], common[g, g]) == (
                1,
                0,
                0,
            )
            continue
        kappa = cs.cohen_kappa(RATINGS.select(raters=[one, other]))
        assert pairs.matrix[g, h] == pytest.approx(kappa.value)
        assert pairs.standard_error_matrix[g, h] == pytest.approx(kappa.standard_error)
        assert common[g, h] == sum(row[g] is not None and row[h] is not None for row in WIDE)
    values = [pairs.matrix[g, h] for g, h in combinations(range(4), 2)]
    assert pairs.mean == pytest.approx(np.mean(values))


def test_the_mean_of_pairs_leaves_out_those_without_a_value() -> None:
    rows = [["a", "a", "a"], ["a", "a", "b"], ["a", "a", "a"], ["a", "a", "b"]]
    pairs = cs.pairwise(cs.Ratings.from_wide(rows))
    assert np.isnan(pairs.values[0])
    assert pairs.mean == 0.0
    assert math.isnan(cs.pairwise(["a", "a"], ["a", "a"]).mean)


# --- items that all agree on ---


@pytest.mark.parametrize(
    ("tolerance", "share"), [(0, 1 / 3), (0.5, 1 / 3), (1, 2 / 3), (1.9, 2 / 3), (2, 1.0)]
)
def test_marks_within_the_tolerance_agree(tolerance: float, share: float) -> None:
    """Spreads 1, 0 and 2; an item with one mark is left out."""
    marks = cs.Ratings.from_wide(MARKS, scale="interval")
    assert cs.unanimous_agreement(marks, tolerance=tolerance) == pytest.approx(share)


def test_unanimous_labels_need_no_numbers() -> None:
    assert cs.unanimous_agreement(RATINGS) == pytest.approx(2 / 6)
    assert cs.unanimous_agreement(COUNTS) == pytest.approx(2 / 3)


def test_agreement_on_an_item_is_one_minus_its_mean_distance() -> None:
    marks = cs.Ratings.from_wide(MARKS, scale="interval")
    found = cs.item_agreement(marks, distance="linear")
    apart = [np.mean([0.5, 1.0, 0.5]), 0.0, 2.0]
    assert found[:3] == pytest.approx([1 - d / 4 for d in apart])  # marks run from 1 to 5
    assert math.isnan(found[3])


def test_influence_by_name_is_that_of_the_estimate() -> None:
    for coefficient in ("scott_pi", "cohen_kappa"):
        call = getattr(cs, coefficient)
        found = cs.item_influence(RATINGS, coefficient=coefficient)
        assert found == pytest.approx(call(RATINGS).item_influence())
        assert found.sum() == pytest.approx(0.0, abs=1e-9)


# --- the largest kappa ---


@pytest.mark.parametrize("distance", ["nominal", "linear", "quadratic"])
def test_the_largest_kappa_is_that_of_the_best_table_with_the_same_margins(distance: str) -> None:
    """All tables of 12 items with these margins, one by one."""
    table = np.array([[3, 2, 0], [1, 2, 1], [0, 1, 2]])
    rows, columns = table.sum(axis=1), table.sum(axis=0)
    best = -math.inf
    for a, b, c, d in product(range(6), repeat=4):
        first = [a, b, rows[0] - a - b]
        second = [c, d, rows[1] - c - d]
        cells = np.array([first, second, columns - first - np.array(second)])
        if (cells >= 0).all():
            made = cs.Ratings.from_table(cells, categories=[1, 2, 3])
            best = max(best, cs.cohen_kappa(made, distance=distance).value)
    given = cs.Ratings.from_table(table, categories=[1, 2, 3])
    assert cs.kappa_max(given, distance=distance) == pytest.approx(best)


def test_one_and_the_same_label_leaves_no_largest_kappa() -> None:
    assert math.isnan(cs.kappa_max(["a", "a"], ["a", "a"]))


# --- by label ---


def test_specific_agreement_by_hand() -> None:
    """Pairs that agree on a label over the pairs that one of its ratings is in."""
    rows = [["a", "a", "a"], ["a", "a", "b"], ["a", "c", None], ["d", None, None]]
    ratings = cs.Ratings.from_wide(rows, categories=["a", "b", "c", "d", "e"])
    found = cs.specific_agreement(ratings)
    # a: 3 x 2 and 2 x 1 of 3 x 2, 2 x 2 and 1 x 1; c was given once beside another label.
    assert (found["a"], found["b"], found["c"]) == (pytest.approx(8 / 11), 0.0, 0.0)
    assert math.isnan(found["d"])  # nobody else rated that item
    assert math.isnan(found["e"])
