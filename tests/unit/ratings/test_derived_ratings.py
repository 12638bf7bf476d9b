"""Ratings made of other ratings keep the names and the order of the items."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import consilience as cs
from consilience import Ratings
from consilience.core.labels import Note
from consilience.exceptions import ConsilienceError

RNG = np.random.default_rng(5)
DRAWN = RNG.integers(0, 3, (400, 4)).astype(np.int8)
DRAWN[(RNG.random(DRAWN.shape) < 0.25) & (np.arange(400)[:, None] % 4 != np.arange(4))] = -1
NAMES = [f"i{k}" for k in range(len(DRAWN))]


@pytest.fixture(params=["few patterns", "many patterns", "crowd"])
def drawn(request: pytest.FixtureRequest) -> Ratings:
    """The same ratings, reduced on the way in, not reduced, or one by one."""
    if request.param == "crowd":
        item, rater = np.nonzero(DRAWN >= 0)
        idle = [f"idle {k}" for k in range(5_000)]
        return Ratings.from_codes(
            item=item,
            rater=rater,
            label=DRAWN[item, rater],
            items=NAMES,
            raters=[0, 1, 2, 3, *idle],
            categories=[0, 1, 2],
        )
    wide = Ratings.from_wide(DRAWN, missing_values=[-1], items=NAMES)
    if request.param == "few patterns":
        assert cs.krippendorff_alpha(wide).status == "ok"
        return wide
    rows = [[None if x < 0 else x for x in row] for row in DRAWN.tolist()]
    return Ratings.from_wide(rows, items=NAMES)


def agreement(codes: NDArray[Any]) -> NDArray[Any]:
    """Agreement of two raters on each item; NaN where one of them is missing."""
    same = (codes[:, 0] == codes[:, 1]).astype(float)
    return np.where((codes >= 0).all(axis=1), same, np.nan)


def test_a_selection_lines_up_with_its_items(drawn: Ratings) -> None:
    chosen = drawn.select(raters=[3, 1])
    assert list(chosen.items) == list(drawn.items)
    np.testing.assert_array_equal(cs.item_agreement(chosen), agreement(DRAWN[:, [3, 1]]))
    again = pickle.loads(pickle.dumps(chosen)).select(raters=[1])
    assert again.n_ratings == (DRAWN[:, 1] >= 0).sum()


def test_complete_items_line_up_with_their_names(drawn: Ratings) -> None:
    pair = drawn.select(raters=[0, 2]).complete()
    both = np.flatnonzero((DRAWN[:, [0, 2]] >= 0).all(axis=1))
    assert list(pair.items) == [NAMES[k] for k in both]
    assert pair.items[-1] == NAMES[both[-1]]
    np.testing.assert_array_equal(cs.item_agreement(pair), agreement(DRAWN[both][:, [0, 2]]))


def test_complete_items_without_names_keep_their_numbers() -> None:
    r = Ratings.from_wide([["a", None], ["b", "b"], [None, "a"], ["a", "b"]])
    assert list(r.complete().items) == [1, 3]
    assert list(r.complete().items[1:]) == [3]


def test_complete_ratings_are_their_own_selection_of_complete_items() -> None:
    r = Ratings.from_wide([["a", "b"], ["b", "b"]])
    assert r.complete() is r


def test_merged_items_keep_their_names_where_these_differ(drawn: Ratings) -> None:
    other = Ratings.from_wide(
        DRAWN[:7, ::-1], missing_values=[-1], raters=[3, 2, 1, 0], items="abcdefg"
    )
    four = drawn.select(raters=[0, 1, 2, 3])
    merged = four.merge(other)
    assert list(merged.items) == [*NAMES, *"abcdefg"]
    expected = np.concatenate([DRAWN, DRAWN[:7]])[:, :2]
    np.testing.assert_array_equal(
        cs.item_agreement(merged.select(raters=[0, 1])), agreement(expected)
    )
    assert list(four.merge(four).items) == list(range(800))


def test_merged_labels_keep_the_items(drawn: Ratings) -> None:
    merged = drawn.collapse({0: "low", 1: "low"})
    assert list(merged.items) == list(drawn.items)
    assert merged.n_ratings == drawn.n_ratings


def test_a_cross_table_has_one_item_per_count() -> None:
    r = Ratings.from_table([[2, 1], [0, 3]], categories=["a", "b"], raters=["A", "B"])
    assert cs.item_agreement(r).tolist() == [1, 1, 0, 1, 1, 1]
    assert cs.item_influence(r).shape == (6,)
    more = r.merge(Ratings.from_wide([["a", "b"]], raters=["A", "B"], items=["x"]))
    assert list(more.items) == [*range(6), "x"]
    assert cs.item_agreement(more).tolist() == [1, 1, 0, 1, 1, 1, 0]


def test_readers_pass_their_notes_on() -> None:
    note = Note("decimal_comma", "Numbers were written with a comma.")
    r = Ratings.from_codes(
        item=[0, 0], rater=[0, 1], label=[0, 1], categories=["a", "A"], notes=[note]
    )
    assert [known.code for known in r.notes] == ["decimal_comma", "labels_look_alike"]


@pytest.mark.parametrize("groups", [None, ["a"], {"a": None}, {"a": {}}, {"z": "b"}])
def test_groups_that_are_none_are_refused(groups: object) -> None:
    with pytest.raises(ConsilienceError, match=r"Got .*Hint: "):
        Ratings.from_wide([["a", "b"]]).collapse(groups)  # type: ignore[arg-type]


def test_counts_are_merged_by_label_not_by_column() -> None:
    left = Ratings.from_counts([[2, 1], [0, 3]], categories=["a", "b"], declared=False)
    right = Ratings.from_counts([[3, 0], [0, 3]], categories=["b", "c"], declared=False)
    expected = Ratings.from_counts(
        [[2, 1, 0], [0, 3, 0], [0, 3, 0], [0, 0, 3]], categories=[*"abc"]
    )
    for merged in (left.merge(right), right.merge(left)):
        assert merged.categories == ("a", "b", "c")
        assert cs.scott_pi(merged).value == pytest.approx(cs.scott_pi(expected).value, abs=1e-15)
    declared = Ratings.from_counts([[2, 1]], categories=["b", "a"])
    assert declared.merge(left).n_ratings == 9
    both = cs.scott_pi(Ratings.from_counts([[1, 2], [2, 1], [0, 3]])).value
    assert cs.scott_pi(declared.merge(left)).value == pytest.approx(both, abs=1e-15)
    with pytest.raises(ConsilienceError, match=r"one of the categories .*Got 'c'"):
        declared.merge(right)


def test_counts_written_as_text_are_refused() -> None:
    with pytest.raises(ConsilienceError, match=r"Got .*Hint: "):
        Ratings.from_counts([["1", "2"]])


def test_later_occasions_are_kept_beside_the_first() -> None:
    long = {
        "item": [1, 1, 2, 2, 1, 2],
        "rater": ["A", "B", "A", "B", "A", "A"],
        "label": ["x", "y", "x", "x", "y", "x"],
        "day": [1, 1, 1, 1, 2, 2],
    }
    r = Ratings.from_long(long, occasion="day")
    first, second = r.occasions
    assert (first.n_ratings, second.n_ratings) == (4, 2)
    assert first.items == second.items
    assert second.categories == r.categories
    assert r.select(raters=["A", "B"]).occasions[0].n_ratings == 4
    assert len(r.select(raters=["A", "B"]).occasions) == 2


def two_days(items: range, labels: list[str], days: list[int]) -> Ratings:
    """Raters A and B on some items; days other than 1 are later ratings by A."""
    n = len(items)
    return Ratings.from_long(
        {
            "item": [*items, *items, *items[: len(labels) - 2 * n]],
            "rater": ["A"] * n + ["B"] * n + ["A"] * (len(labels) - 2 * n),
            "label": labels,
            "day": days,
        },
        occasion="day",
    )


def labels_on(ratings: Ratings) -> list[tuple[Any, ...]]:
    frame = ratings.to_frame("pandas")
    return sorted(frame.itertuples(index=False, name=None))


def test_occasions_are_merged_one_by_one() -> None:
    """Where one part has fewer of them, its items have no rating on the later ones."""
    twice = two_days(range(1, 3), ["x", "y", "x", "x", "y", "z"], [1, 1, 1, 1, 2, 2])
    once = Ratings.from_long({"item": [7, 7], "rater": ["A", "B"], "label": ["z", "x"]})
    other = two_days(range(8, 10), ["x", "x", "y", "y", "w", "y"], [1, 1, 1, 1, 2, 2])
    later = [(1, "A", "y"), (2, "A", "z")]
    for merged in (twice.merge(once), once.merge(twice)):
        assert [one.n_ratings for one in merged.occasions] == [6, 2]
        assert labels_on(merged.occasions[1]) == later
    both = twice.merge(other)
    assert [one.n_ratings for one in both.occasions] == [8, 4]
    assert labels_on(both.occasions[1]) == [*later, (8, "A", "w"), (9, "A", "y")]
    assert both.occasions[1].categories == ("w", "x", "y", "z")


def test_later_occasions_follow_selections_collapses_and_complete_items() -> None:
    twice = two_days(range(1, 4), list("xyzxyxzyy"), [1] * 6 + [2] * 3)
    assert labels_on(twice.select(raters=["A"]).occasions[1]) == [
        (1, "A", "z"), (2, "A", "y"), (3, "A", "y"),
    ]  # fmt: skip
    lumped = twice.collapse({"y": "x"})
    assert labels_on(lumped.occasions[1]) == [(1, "A", "z"), (2, "A", "x"), (3, "A", "x")]
    gap = Ratings.from_long(
        {
            "item": [1, 2, 2, 3, 3, 1, 3],
            "rater": ["A", "A", "B", "A", "B", "A", "B"],
            "label": ["x", "x", "y", "y", "y", "y", "x"],
            "day": [1, 1, 1, 1, 1, 2, 2],
        },
        occasion="day",
    ).complete()
    assert list(gap.items) == [2, 3]
    assert labels_on(gap.occasions[1]) == [(3, "B", "x")]


def test_clusters_are_merged_without_mixing_them_up() -> None:
    day = Ratings.from_wide([["a", "b"], ["a", "a"], ["b", "b"]])
    one, other = day.with_clusters([0, 0, 1]), day.with_clusters(["p", "q", "q"])
    merged = one.merge(other)
    assert merged.clusters is not None
    assert merged.clusters.codes.tolist() == [0, 0, 1, 2, 3, 3]
    assert merged.clusters.sizes.tolist() == [2, 1, 1, 2]
    assert one.merge(day).clusters is None
    assert day.merge(one).clusters is None
    gap = Ratings.from_wide([["a", "b"], ["a", None], ["b", "b"], ["b", "a"]])
    kept = gap.with_clusters(["x", "y", "z", "z"]).complete().clusters
    assert kept is not None
    assert kept.codes.tolist() == [0, 1, 1]


@pytest.mark.parametrize("scale", [None, "nominal", "ordinal", "interval"])
def test_a_scale_that_was_told_is_told_to_what_is_made_of_the_ratings(scale: str | None) -> None:
    marks = [[1, 2], [2, 2], [3, 1]]
    for ratings in (
        Ratings.from_wide(marks, scale=scale),
        Ratings.from_counts(marks, categories=[4, 5], scale=scale),
        Ratings.from_table([[1, 2], [2, 2]], categories=[4, 5], scale=scale),
    ):
        assert ratings.told_scale == scale
        assert ratings.merge(ratings).told_scale == scale
        assert ratings.taken_as("nominal").told_scale == "nominal"


def test_the_account_of_a_reading_stays_with_what_is_merged() -> None:
    """Of ratings that came from no file there is none."""

    class Account:
        def joined(self, other: object) -> tuple[object, object]:
            return self, other

    one, other = Account(), Account()
    typed = Ratings.from_wide([["a", "b"]])
    first, second = typed.read_as(one), typed.read_as(other)
    assert typed.merge(typed).reading is None
    assert first.merge(typed).reading is one
    assert typed.merge(first).reading is one
    assert first.merge(first).reading is one
    assert first.merge(second).reading == (one, other)
