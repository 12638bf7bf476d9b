"""Ratings on several occasions: what is kept, and raters against themselves."""

from __future__ import annotations

import math
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import consilience as cs
from consilience import Ratings, latent
from consilience.exceptions import ConsilienceError
from consilience.latent.votes import codes_by_occasion, is_unstable, modal_share

TWICE = {
    "item": [1, 1, 2, 2, 1, 2, 1, 3],
    "rater": ["A", "B", "A", "B", "A", "A", "B", "B"],
    "label": ["x", "y", "x", "x", "y", "x", "z", "z"],
    "day": [1, 1, 1, 1, 2, 2, 2, 2],
}


def twice(**columns: Any) -> Ratings:
    return Ratings.from_long({**TWICE, **columns}, occasion="day")


def labels(ratings: Ratings) -> list[list[list[object]]]:
    """Items × raters of lists of labels, in the order of the occasions."""
    codes = codes_by_occasion("labels", ratings)
    return [
        [[ratings.categories[k] for k in codes[g, :, i] if k >= 0] for g in range(len(codes))]
        for i in range(codes.shape[2])
    ]


def random_study(n_items: int, n_raters: int, n_times: int, *, seed: int = 0) -> Ratings:
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=(n_items, n_raters, n_times))
    item, rater, occasion = (part.ravel() for part in np.indices(codes.shape))
    columns = {"item": item, "rater": rater, "day": occasion, "label": codes.ravel()}
    return Ratings.from_long(columns, occasion="day")


# --- occasions are kept ---------------------------------------------------------------------------

ALL = [[["x", "y"], ["y", "z"]], [["x", "x"], ["x"]], [[], ["z"]]]


def test_occasions_keep_their_order_whatever_the_order_of_the_rows() -> None:
    order = [7, 4, 2, 0, 6, 5, 3, 1]
    shuffled = {name: [column[k] for k in order] for name, column in TWICE.items()}
    for columns in (TWICE, shuffled, pd.DataFrame(shuffled)):
        ratings = Ratings.from_long(columns, occasion="day")
        found = dict(zip(ratings.items, labels(ratings), strict=True))
        a = ratings.raters.index("A")
        assert found[1][a] == ["x", "y"]
        assert found[1][1 - a] == ["y", "z"]


@pytest.mark.parametrize("days", [["10", "2"], ["b", "a"], ["day 10", "day 9"], ["B 1", "A 2"]])
def test_named_occasions_are_taken_in_natural_order(days: list[str]) -> None:
    columns = {"item": [1, 1], "rater": ["A", "A"], "label": ["late", "early"], "day": days}
    assert labels(Ratings.from_long(columns, occasion="day")) == [[["early", "late"]]]


def test_select_keeps_all_occasions() -> None:
    chosen = twice().select(raters=["B", "A"])
    assert len(chosen.occasions) == 2
    assert labels(chosen) == [[b, a] for a, b in ALL]
    assert labels(twice().select(raters=["A"])) == [[a] for a, _ in ALL]


def test_merge_keeps_all_occasions_of_both_sides() -> None:
    other = Ratings.from_long(
        {
            "item": [7, 7, 7, 7],
            "rater": ["B", "A", "A", "A"],
            "label": ["w", "x", "y", "w"],
            "day": [1, 1, 2, 3],
        },
        occasion="day",
    )
    together = [*ALL, [["x", "y", "w"], ["w"]]]
    assert labels(twice().merge(other)) == together
    assert len(twice().merge(other).occasions) == 3
    other_way = other.merge(twice())
    assert labels(other_way) == [[b, a] for a, b in [together[3], *together[:3]]]
    once = Ratings.from_wide([["x", "y"]], raters=["A", "B"])
    assert labels(twice().merge(once)) == [*ALL, [["x"], ["y"]]]
    assert labels(once.merge(twice())) == [[["x"], ["y"]], *ALL]


def test_complete_keeps_the_items_that_all_rated_first_with_all_their_occasions() -> None:
    whole = twice().complete()
    assert list(whole.items) == [1, 2]
    assert labels(whole) == ALL[:2]


def test_collapse_merges_the_labels_of_all_occasions() -> None:
    merged = twice().collapse({"x": "xy", "y": "xy"})
    assert labels(merged) == [
        [["xy" if x in ("x", "y") else x for x in one] for one in row] for row in ALL
    ]


def test_active_and_pickle_keep_all_occasions() -> None:
    assert labels(pickle.loads(pickle.dumps(twice()))) == ALL
    idle = Ratings.from_long(
        {"item": [1, 1, 1], "rater": list("AAB"), "label": ["x", "y", None], "day": [1, 2, 1]},
        occasion="day",
    )
    assert labels(idle.active()) == [[["x", "y"]]]


def test_agreement_between_raters_is_that_of_the_first_occasion() -> None:
    study = random_study(40, 3, 3)
    first = study.occasions[0]
    assert cs.krippendorff_alpha(study).value == cs.krippendorff_alpha(first).value
    pair = study.select(raters=[0, 2])
    expected = cs.cohen_kappa(first.select(raters=[0, 2])).value
    assert cs.cohen_kappa(pair).value == expected


def test_sparse_crowds_keep_their_occasions() -> None:
    n = 40_000
    columns = {
        "item": [*range(n), *range(n)],
        "rater": [*(k // 10 for k in range(n))] * 2,
        "label": [0] * n + [1] * n,
    }
    crowd = Ratings.from_long(columns, duplicates="occasions")
    few = crowd.select(raters=[3, 5])
    assert [part.n_ratings for part in few.occasions] == [20, 20]
    assert labels(few.complete()) == []


# --- stability of one rater -----------------------------------------------------------------------


def test_unstable_and_modal_share_ignore_missing_ratings() -> None:
    codes = np.array([[0, 0, -1, 2, -1], [0, 1, 1, -1, -1], [0, 1, 1, 2, -1]])
    assert is_unstable(codes).tolist() == [False, True, False, False, False]
    assert modal_share(codes) == pytest.approx([1, 2 / 3, 1, 1, 0])


def test_a_rater_s_occasions_stand_in_the_place_of_raters() -> None:
    study = random_study(30, 2, 3)
    own = latent.intra_rater(study)
    codes = codes_by_occasion("test", study)
    for g in (0, 1):
        by_hand = cs.gwet_ac(Ratings.from_wide(codes[g].T, categories=[0, 1, 2]))
        assert own[g].estimate.value == pytest.approx(by_hand.value, abs=1e-14)
        assert own[g].estimate.standard_error == pytest.approx(by_hand.standard_error)
        assert own[g].n_occasions == 3
        assert own[g].n_items == 30
    assert own.between is not None
    assert own.between.value == cs.gwet_ac(study).value
    assert "between raters" in str(own)
    assert own.to_dict()["coefficient"] == "gwet_ac"


def test_any_coefficient_and_distance_will_do() -> None:
    study = random_study(30, 2, 2)
    assert latent.intra_rater(study, coefficient="kappa").coefficient == "cohen_kappa"
    weighted = latent.intra_rater(study, coefficient="gwet_ac", distance="linear")
    assert weighted.raters[0].estimate.name == "Gwet's AC2"


def test_ordered_labels_stay_in_order() -> None:
    columns = {"item": [1, 1, 2, 2], "rater": list("AAAA"), "day": [1, 2, 1, 2],
               "label": ["lo", "mid", "hi", "hi"]}  # fmt: skip
    ratings = Ratings.from_long(
        columns, occasion="day", scale="ordinal", categories=["lo", "mid", "hi"]
    )
    own = latent.intra_rater(ratings, coefficient="krippendorff_alpha")
    assert own["A"].estimate.distance == "ordinal"
    assert own.between is None


def test_raters_without_a_retest_are_named() -> None:
    columns = {"item": [1, 1, 2, 2, 1, 2], "rater": list("AAAABB"), "day": [1, 2, 1, 2, 1, 1],
               "label": list("xyxxxx")}  # fmt: skip
    own = latent.intra_rater(Ratings.from_long(columns, occasion="day"))
    assert own.without_retest == ("B",)
    assert {finding.code for finding in own.findings} >= {"raters_without_retest"}
    with pytest.raises(ConsilienceError, match="rater must be one of 'A'"):
        own["B"]


def test_a_rater_less_stable_than_the_panel_agrees_is_pointed_out() -> None:
    rng = np.random.default_rng(5)
    truth = rng.integers(2, size=200)
    flipped = np.where(rng.random(200) < 0.4, 1 - truth, truth)
    rows = [("A", 1, truth), ("A", 2, flipped), ("B", 1, truth), ("B", 2, truth)]
    columns: dict[str, list[Any]] = {"item": [], "rater": [], "day": [], "label": []}
    for name, day, given in rows:
        columns["item"] += range(200)
        columns["rater"] += [name] * 200
        columns["day"] += [day] * 200
        columns["label"] += given.tolist()
    own = latent.intra_rater(Ratings.from_long(columns, occasion="day"))
    (finding,) = own.findings
    assert finding.code == "less_stable_than_the_panel_agrees"
    assert "A." in finding.message


@pytest.mark.parametrize(
    ("ratings", "options", "message"),
    [
        ([[1, 2]], {}, "ratings must be Ratings"),
        (Ratings.from_wide([["a", "b"]]), {}, "needs a rater who rated items more than once"),
        (Ratings.from_counts([[2, 0]]), {}, "needs to know who gave which rating"),
        (random_study(4, 2, 2), {"coefficient": "gwett"}, "coefficient must be one of"),
        (random_study(4, 2, 2), {"distance": "quadradic"}, "did you mean 'quadratic'"),
        (random_study(4, 2, 2), {"confidence_level": 95}, "confidence_level must be"),
        (random_study(4, 2, 3), {"coefficient": "aickin_alpha"}, "needs exactly two raters"),
    ],
)
def test_what_cannot_be_measured_is_refused(ratings: Any, options: Any, message: str) -> None:
    with pytest.raises(ConsilienceError, match=message):
        latent.intra_rater(ratings, **options)


# --- three designs --------------------------------------------------------------------------------


def test_a_standard_may_be_a_list_a_mapping_or_a_rater() -> None:
    rows = [["a", "a"], ["b", "b"], ["b", "a"], ["a", None]]
    ratings = Ratings.from_wide(rows, raters=["A", "B"], items=list("pqrs"))
    by_list = latent.reliability_designs(ratings, gold=["a", "b", "b", None])
    by_name = latent.reliability_designs(ratings, gold={"p": "a", "q": "b", "r": "b"})
    assert by_list.to_dict() == by_name.to_dict()
    assert by_list.not_tested == {"stability": "no rater rated an item more than once"}
    judged = latent.reliability_designs(ratings, gold="A")
    (accuracy,) = [row for row in judged.rows if row.reliability == "accuracy"]
    assert accuracy.who == "B"
    assert accuracy.estimate.value == pytest.approx(cs.gwet_ac(ratings.complete()).value)
    assert "no standard was given" in str(latent.reliability_designs(ratings))


def test_a_standard_may_hold_a_label_that_nobody_gave() -> None:
    ratings = Ratings.from_wide([["a", "a"], ["b", "b"]], raters=["A", "B"])
    accuracy = latent.reliability_designs(ratings, gold=["a", "c"]).rows[-1].estimate
    assert accuracy.observed == 0.5
    assert accuracy.categories == ("a", "b", "c")


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        (["a"], "gold must be one label per item"),
        ({"z": "a"}, "every item of gold must be an item of the ratings"),
        ("C", "rater must be one of"),
        ([None, None], "gold must be a standard for items that raters rated"),
        ([["x"], {}], "must be"),
    ],
)
def test_a_standard_that_is_none_is_refused(gold: Any, message: str) -> None:
    ratings = Ratings.from_wide([["a", "a"], ["b", "b"]], raters=["A", "B"], items=["p", "q"])
    with pytest.raises(ConsilienceError, match=message):
        latent.reliability_designs(ratings, gold=gold)


def test_a_standard_outside_the_declared_categories_is_refused() -> None:
    ratings = Ratings.from_wide([["a", "a"], ["b", "b"]], categories=["a", "b"])
    with pytest.raises(ConsilienceError, match="every label of gold must be"):
        latent.reliability_designs(ratings, gold=["a", "c"])


def test_undefined_values_are_shown_as_such() -> None:
    ratings = Ratings.from_long(
        {"item": [1, 1, 2, 2], "rater": list("AAAA"), "day": [1, 2, 1, 2], "label": list("xxxx")},
        occasion="day",
    )
    own = latent.intra_rater(ratings, coefficient="scott_pi")
    assert math.isnan(own["A"].estimate.value)
    assert "undefined" in str(own)
