"""The cause of low agreement is named, and nobody and nothing that is not the cause."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.diagnosis import Diagnosis, diagnose
from consilience.diagnosis._cause import CAUSES
from consilience.diagnosis.sentences import tell
from consilience.ratings import Ratings

PEOPLE = ("Ann", "Bob", "Cy", "Dee", "Eve", "Flo")


def labels(
    n: int = 200, m: int = 4, q: int = 4, knows: float = 0.85, seed: int = 1
) -> tuple[np.random.Generator, Any, Any]:
    """Items' true labels, and what raters who see most of them say."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, q, n)
    said = np.where(rng.random((n, m)) < knows, truth[:, None], rng.integers(0, q, (n, m)))
    return rng, truth, said


def names(said: Any, raters: Any = None) -> Ratings:
    words = np.array(["joke", "irony", "fact", "insult", "other"])
    raters = PEOPLE[: said.shape[1]] if raters is None else raters
    return Ratings.from_wide(words[said].tolist(), raters=raters)


def marks(n: int = 150, m: int = 4, noise: float = 4.0, seed: int = 1) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    return rng, 60 + 10 * rng.normal(size=(n, 1)) + noise * rng.normal(size=(n, m))


def numbers(said: Any) -> Ratings:
    return Ratings.from_wide(said.round(), raters=PEOPLE[: said.shape[1]], scale="interval")


def first(ratings: Ratings) -> Any:
    found = diagnose(ratings)
    assert found.causes, found
    return found.causes[0]


def test_nothing_is_named_where_nothing_is_wrong() -> None:
    _, _, said = labels(knows=0.95)
    found = diagnose(names(said))
    assert found.causes == ()
    assert found.sentence == "No single cause explains the disagreement."


def test_a_rater_who_exchanged_two_labels_is_told_which() -> None:
    _, _, said = labels()
    said[:, 2] = np.array([1, 0, 2, 3])[said[:, 2]]
    one = first(names(said))
    assert (one.code, one.raters, set(one.labels)) == (
        "labels_exchanged",
        ("Cy",),
        {"joke", "irony"},
    )
    assert one.message.startswith("Cy seems to have exchanged 'irony' and 'joke'. Put right, ")


def test_what_the_coefficient_would_be_is_what_it_is_of_ratings_without_the_cause() -> None:
    _, _, said = labels()
    right = said.copy()
    said[:, 2] = np.array([1, 0, 2, 3])[said[:, 2]]
    one = first(names(said))
    assert one.before == pytest.approx(cs.krippendorff_alpha(names(said)).value)
    assert one.value == pytest.approx(cs.krippendorff_alpha(names(right)).value)
    interval = cs.krippendorff_alpha(names(right)).confidence_interval()
    assert (one.low, one.high) == pytest.approx((interval.low, interval.high))
    assert one.gain == pytest.approx(one.value - one.before)


def test_two_confused_labels_come_with_the_option_that_merges_them() -> None:
    rng, _, said = labels(knows=0.95)
    mixed = said < 2
    said[mixed] = rng.integers(0, 2, int(mixed.sum()))
    one = first(names(said))
    assert one.code == "labels_confused"
    assert one.option == "--map joke=irony"
    merged = names(said).collapse({"joke": "irony"})
    assert one.value == pytest.approx(cs.krippendorff_alpha(merged).value)


def test_raters_who_guess_are_named_as_a_set() -> None:
    rng, _, said = labels(n=120, m=40, knows=0.92)
    said[:, [3, 11, 20, 29, 38]] = rng.integers(0, 4, (120, 5))
    found = first(names(said, [f"W{g}" for g in range(40)]))
    assert found.code == "raters_guess"
    assert found.raters == ("W3", "W11", "W20", "W29", "W38")
    assert found.message.startswith("5 of 40 raters (W11, W20, ") or "5 of 40" in found.message
    assert "Leave them out" in found.next


def test_a_crowd_without_shared_panels_names_its_guessers_too() -> None:
    rng = np.random.default_rng(4)
    n, m = 400, 60
    truth = rng.integers(0, 3, n)
    who = np.array([rng.choice(m, 5, replace=False) for _ in range(n)])
    said = np.where(rng.random((n, 5)) < 0.9, truth[:, None], rng.integers(0, 3, (n, 5)))
    bad = np.isin(who, [0, 1, 2, 3, 4, 5])
    said[bad] = rng.integers(0, 3, int(bad.sum()))
    ratings = Ratings.from_codes(
        item=np.repeat(np.arange(n), 5), rater=who.ravel(), label=said.ravel(),
        raters=[f"W{g}" for g in range(m)], categories=["a", "b", "c"],
    )  # fmt: skip
    found = first(ratings)
    assert found.code == "raters_guess"
    assert set(found.raters) == {f"W{g}" for g in range(6)}


def test_a_stricter_marker_is_named_with_the_amount() -> None:
    _, said = marks(m=3)
    said[:, 1] -= 9
    one = first(numbers(said))
    assert (one.code, one.raters) == ("rater_level", ("Bob",))
    assert "lower than the others do to the same items" in one.message


def test_of_two_markers_the_data_cannot_say_who_is_off() -> None:
    _, said = marks(m=2)
    said[:, 0] += 8
    one = first(numbers(said))
    assert one.code == "rater_level"
    assert "higher than Bob; the data cannot say who is off." in one.message or (
        "lower than Ann; the data cannot say who is off." in one.message
    )
    _, said = marks(m=2)
    said[:, 1] = 60 + 3 * (said[:, 1] - 60)
    assert "the data cannot say who is off" in first(numbers(said)).message
    _, _, words = labels(m=2)
    words[:, 1] = np.array([1, 0, 2, 3])[words[:, 1]]
    assert "the data cannot say who is off" in first(names(words)).message


def test_of_three_who_stands_apart_is_never_said_to_be_wrong() -> None:
    rng, _, said = labels(n=300, m=3, knows=0.9)
    odd = rng.random(300) < 0.4  # two share a false rule
    said[odd, :2] = (said[odd, :2] + 1) % 4
    one = first(names(said))
    assert (one.code, one.raters) == ("rater_apart", ("Cy",))
    assert "Either Cy follows a rule of their own, or the other two share one." in one.message
    assert "wrong" not in one.sentence


def test_of_three_two_of_whom_are_identical_both_ways_are_told() -> None:
    _, _, said = labels(n=200, m=3, knows=0.75)
    said[:, 1] = said[:, 0]
    one = first(names(said))
    assert one.message.startswith(
        "Ann and Bob never differ, Cy does: they are copies, or Cy is off."
    )
    assert one.gain < 0


def test_where_no_two_agree_nobody_is_named() -> None:
    rng, _, said = labels(n=200, m=3)
    said[:, 0], said[:, 1] = rng.integers(0, 4, (2, 200))
    found = diagnose(names(said))
    assert found.causes == ()
    assert found.sentence == "No two raters agree, so nobody can be named."


def test_a_copy_lowers_the_number_when_it_is_left_out() -> None:
    _, _, said = labels(n=200, m=5, knows=0.7)
    said[:, 4] = said[:, 1]
    one = first(names(said))
    assert (one.code, set(one.raters)) == ("copied_rater", {"Bob", "Eve"})
    assert one.finding().severity == "problem"
    assert one.value < one.before


def test_groups_are_told_with_who_is_in_which_and_nobody_is_blamed() -> None:
    rng, truth, said = labels(n=300, m=6, knows=0.95)
    other = rng.random(300) < 0.5
    said[np.ix_(other, [3, 4, 5])] = ((truth[other] + 1) % 4)[:, None]
    one = first(names(said))
    assert one.code == "rater_groups"
    assert set(one.raters) in ({"Ann", "Bob", "Cy"}, {"Dee", "Eve", "Flo"})
    assert "Ann, Bob, Cy" in one.message
    assert "Dee, Eve, Flo" in one.message


def test_a_rater_who_changes_half_way_is_told_from_where() -> None:
    rng, _, said = labels(n=400, m=4, knows=0.92)
    said[200:, 3] = rng.integers(0, 4, 200)
    one = first(names(said))
    assert (one.code, one.raters) == ("rater_drift", ("Dee",))
    assert "from item 201 on" in one.message


def test_a_stretch_of_the_file_is_told_by_its_items() -> None:
    rng, _, said = labels(n=300, m=4, knows=0.93)
    said[100:160] = rng.integers(0, 4, (60, 4))
    one = first(names(said))
    assert one.code == "section_apart"
    assert len(set(one.items) & set(range(100, 160))) >= 50


def test_a_cross_table_has_no_order_of_work() -> None:
    table = [[40, 9, 1], [8, 30, 2], [3, 2, 25]]
    assert all(
        one.code not in ("section_apart", "rater_drift")
        for one in diagnose(Ratings.from_table(table)).causes
    )


def test_a_label_that_nobody_shares_is_dropped() -> None:
    rng, _, said = labels(n=250, m=4, knows=0.95)
    said[rng.random(said.shape) < 0.2] = 4
    one = first(names(said))
    assert (one.code, one.labels) == ("label_not_shared", ("other",))
    assert one.option == "--map other="


def test_numbers_measured_as_names_are_told_with_their_order() -> None:
    _, said = marks(n=200, noise=5.0)
    grades = np.clip(((said - 30) // 12).astype(int), 0, 4) + 1
    one = first(Ratings.from_wide(grades, raters=PEOPLE[:4]))
    assert one.code == "order_ignored"
    as_ordered = cs.krippendorff_alpha(grades, distance="ordinal").value
    assert one.value == pytest.approx(as_ordered)


@pytest.mark.parametrize("seed", range(12))
def test_twelve_items_invent_nothing(seed: int) -> None:
    _, _, said = labels(n=12, m=3, knows=0.75, seed=seed)
    assert diagnose(names(said)).causes == ()


def test_items_limit_a_small_study_and_raters_one_with_unlike_markers() -> None:
    _, _, said = labels(n=30, m=3, knows=0.7)
    assert diagnose(names(said)).limited_by == "items"
    _, said = marks(n=400, m=3)
    said += np.array([-5.0, 0.0, 5.0])
    found = diagnose(numbers(said))
    assert found.limited_by == "raters"
    assert found.share_of_raters > 0.95


def test_causes_are_looked_for_one_after_the_other() -> None:
    rng, _, said = labels(n=300, m=6, knows=0.93)
    said[:, 0] = rng.integers(0, 4, 300)
    mixed = (said < 2) & (rng.random(said.shape) < 0.8)
    said[mixed] = rng.integers(0, 2, int(mixed.sum()))
    found = diagnose(names(said))
    assert {one.code for one in found.causes[:2]} == {"raters_guess", "labels_confused"}
    assert found.causes[1].before == pytest.approx(found.causes[0].value)


def test_ratings_of_unknown_raters_are_not_looked_at() -> None:
    found = diagnose(Ratings.from_counts([[3, 0], [1, 2], [0, 3]] * 10, categories=["a", "b"]))
    assert not found.looked
    assert found.causes == ()


def test_the_same_ratings_get_the_same_diagnosis() -> None:
    rng, _, said = labels(n=200, m=5)
    said[:, 1] = rng.integers(0, 4, 200)
    assert diagnose(names(said)).to_dict() == diagnose(names(said)).to_dict()


def test_another_package_can_add_a_cause() -> None:
    with CAUSES.as_before():

        @cs.diagnosis.register
        class Never:
            name = "never"
            place = 12
            share = 1.0

            def find(self, table: Any) -> None:
                return None

        assert "never" in CAUSES
    assert "never" not in CAUSES


def test_every_cause_has_its_words() -> None:
    assert callable(tell)
    assert isinstance(diagnose(names(labels()[2])), Diagnosis)


def test_the_interval_of_a_cause_is_that_of_clusters() -> None:
    rng, _truth, said = labels(m=3)
    said = np.repeat(said[::5], 5, axis=0)  # five items of a patient are alike
    told = names(np.where(np.isin(said, (0, 1)), rng.integers(0, 2, said.shape), said))
    alone, together = (
        diagnose(ratings).causes[0]
        for ratings in (told, told.with_clusters([i // 5 for i in range(len(said))], "patient"))
    )
    assert alone.code == together.code == "labels_confused"
    assert together.high - together.low > 1.3 * (alone.high - alone.low)


def test_of_two_raters_the_first_is_compared_with_the_second() -> None:
    _, said = marks(m=2)
    said = np.round(said)
    said[:, 1] -= 9
    for raters in (said, said[:, ::-1]):
        message = diagnose(numbers(raters)).causes[0].message
        assert "off" in message


@pytest.mark.parametrize("seed", range(6))
def test_guessers_who_share_few_items_are_no_group(seed: int) -> None:
    rng = np.random.default_rng(seed)
    entries = []
    for item, truth in enumerate(rng.integers(0, 3, 250)):
        for worker in rng.choice(30, 4, replace=False):
            knows = worker >= 3 and rng.random() < 0.9
            entries.append((item, int(worker), int(truth if knows else rng.integers(0, 3))))
    columns = dict(
        zip(("item", "rater", "label"), map(list, zip(*entries, strict=True)), strict=True)
    )
    cause = diagnose(Ratings.from_long(columns)).causes[0]
    assert cause.code == "raters_guess"
    assert set(cause.raters) == {0, 1, 2}
