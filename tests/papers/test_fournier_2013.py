"""Fournier (2013): boundary edit distance, B, and Fournier & Inkpen (2012): S."""

from __future__ import annotations

import pytest

from consilience.units import boundary_similarity

PAIRS = [
    ([2, 3, 6], [5, 6], 0.5, 0.9),
    ([2, 3, 6], [2, 3, 3, 3], 2 / 3, 0.9),
    ([2, 3, 6], [2, 2, 7], 0.75, 0.95),
    ([2, 3, 6], [1, 1, 3, 1, 5], 0.5, 0.8),
    ([11], [5, 6], 0.0, 0.9),
    ([2, 3, 6], [2, 3, 6], 1.0, 1.0),
]


@pytest.mark.parametrize(("first", "second", "b", "s"), PAIRS)
def test_values(first: list[int], second: list[int], b: float, s: float) -> None:
    for found in (boundary_similarity(first, second), boundary_similarity(second, first)):
        assert (found.b, found.s) == (pytest.approx(b), pytest.approx(s))


def test_no_boundary_at_all_is_full_similarity_and_says_so() -> None:
    found = boundary_similarity([11], [11])
    assert found.b == found.s == 1
    assert found.reason


def test_a_near_miss_costs_its_span_over_n_t() -> None:
    for n_t, b in ((1, 0.0), (2, 0.0), (3, 1 / 3), (4, 0.5)):
        assert boundary_similarity([4, 6], [6, 4], n_t=n_t).b == pytest.approx(b)


def test_shorter_moves_come_first_and_then_from_left_to_right() -> None:
    # 3 meets 4 (one apart) although 2 comes earlier and 4 is two apart from it.
    found = boundary_similarity([2, 3], [4], form="positions", length=8, n_t=3)
    assert found.positions["transpositions"] == [3]
    assert found.positions["additions"] == [2]
    # 2-3 is taken, so 3-4 cannot be; 4 and 5 remain for each other.
    found = boundary_similarity([2, 4], [3, 5], form="positions", length=8)
    assert found.positions["transpositions"] == [2, 4]


def test_types_are_substituted_at_the_price_of_their_distance() -> None:
    a, b = [{1}, set(), {3}], [{2}, set(), {3}]
    found = boundary_similarity(a, b, form="sets")
    assert (found.substitutions, found.matches, found.cost) == (1, 1, pytest.approx(1 / 3))
    assert found.b == pytest.approx(1 - (1 / 3) / 2)
    assert found.s == pytest.approx(1 - (1 / 3) / 9)


def test_leftover_types_are_paired_at_the_least_total_distance() -> None:
    found = boundary_similarity([{1, 5}], [{2, 4, 9}], form="sets")
    assert (found.substitutions, found.additions) == (2, 1)
    assert found.cost == pytest.approx(1 + (1 + 1) / 9)


def test_two_substitutions_are_not_undone_by_a_move() -> None:
    # Type 1 could move, but both places also differ in type 2: they stay substitutions.
    found = boundary_similarity([{1}, {2}], [{2}, {1}], form="sets")
    assert (found.transpositions, found.substitutions) == (0, 2)


def test_words_as_types_need_their_order() -> None:
    marks = [{3: "minor", 7: "major"}, {3: "major"}]
    found = boundary_similarity(
        *marks, form="positions", length=9, types=["minor", "medium", "major"]
    )
    assert found.cost == pytest.approx(1 + 2 / 3)
    with pytest.raises(ValueError, match="listed in order"):
        boundary_similarity(*marks, form="positions", length=9)
