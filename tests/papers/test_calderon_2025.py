"""Calderon, Reichart & Dror (2025), The alternative annotator test for LLM-as-a-judge."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import panel
from consilience.exceptions import InputError, UnsupportedDesignError

PEOPLE = ("Ann", "Bob", "Cid")


def ratings(n: int = 60, *, scale: str = "nominal") -> cs.Ratings:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, n)
    wide = {
        name: np.where(rng.random(n) < 0.75, truth, rng.integers(0, 3, n)).tolist()
        for name in (*PEOPLE, "gpt")
    }
    return cs.Ratings.from_wide(wide, scale=scale)


def columns(of: cs.Ratings) -> dict[str, list[Any]]:
    return {str(name): of.select(raters=[name]).store.matrix[:, 0].tolist() for name in of.raters}


def by_hand(data: dict[str, list[Any]], person: str, *, squared: bool) -> tuple[float, list[int]]:
    others = [name for name in PEOPLE if name != person]
    wins, differences = [], []
    for i in range(len(data["gpt"])):

        def score(label: int, i: int = i) -> float:
            if squared:
                return -math.sqrt(np.mean([(label - data[name][i]) ** 2 for name in others]))
            return float(np.mean([label == data[name][i] for name in others]))

        system, own = score(data["gpt"][i]), score(data[person][i])
        wins.append(system >= own)
        differences.append(int(own >= system) - int(system >= own))
    return float(np.mean(wins)), differences


@pytest.mark.parametrize(("scoring", "squared"), [("accuracy", False), ("neg_rmse", True)])
def test_each_person_is_compared_with_the_system_on_the_other_people(
    scoring: str, squared: bool
) -> None:
    from scipy.stats import ttest_1samp

    data = ratings()
    found = panel.alternative_annotator_test(data, system="gpt", scoring=scoring, epsilon=0.1)
    for one in found.people:
        advantage, d = by_hand(columns(data), str(one.person), squared=squared)
        assert one.advantage == pytest.approx(advantage)
        expected = ttest_1samp(d, 0.1, alternative="less")
        assert one.statistic == pytest.approx(expected.statistic)
        assert one.p_value == pytest.approx(expected.pvalue)
    assert found.advantage_probability == pytest.approx(
        np.mean([one.advantage for one in found.people])
    )


def test_a_similarity_of_ones_own_is_a_score() -> None:
    data = ratings()
    same = panel.alternative_annotator_test(
        data, system="gpt", scoring=lambda a, b: 1.0 if a == b else 0.0
    )
    accuracy = panel.alternative_annotator_test(data, system="gpt", scoring="accuracy")
    assert same.p_values == pytest.approx(accuracy.p_values)


@pytest.mark.parametrize(("word", "value"), [("experts", 0.2), ("skilled", 0.15), ("crowd", 0.1)])
def test_words_stand_for_the_advice_on_epsilon(word: str, value: float) -> None:
    data = ratings()
    assert panel.alternative_annotator_test(data, system="gpt", epsilon=word).epsilon == value


def test_rejections_follow_benjamini_and_yekutieli() -> None:
    from consilience.panel._alternative_annotator import PersonTest, _benjamini_yekutieli

    p_values = [0.001, 0.02, 0.008, 0.3]
    tests = [
        PersonTest(
            person=k, n_items=50, advantage=0.5, person_advantage=0.5, statistic=0.0,
            p_value=p, rejected=False,
        )
        for k, p in enumerate(p_values)
    ]  # fmt: skip
    # limits k 0.05 / (4 (1 + 1/2 + 1/3 + 1/4)) = 0.006, 0.012, 0.018, 0.024
    done = _benjamini_yekutieli(tests, 0.05)
    assert [one.rejected for one in done] == [True, False, True, False]


def test_items_that_are_all_alike_give_zero_or_one() -> None:
    """The reference divides 0 by 0 here and returns nan."""
    same = {name: [1, 2] * 20 for name in (*PEOPLE, "gpt")}
    found = panel.alternative_annotator_test(cs.Ratings.from_wide(same), system="gpt")
    assert found.p_values == [0.0, 0.0, 0.0]
    assert found.passed
    wrong = {**same, "gpt": [2, 1] * 20}
    found = panel.alternative_annotator_test(cs.Ratings.from_wide(wrong), system="gpt")
    assert found.p_values == [1.0, 1.0, 1.0]
    assert (found.winning_rate, found.advantage_probability) == (0.0, 0.0)


def test_people_with_few_items_are_skipped_and_told() -> None:
    data = columns(ratings())
    data["Cid"] = [label if k < 29 else None for k, label in enumerate(data["Cid"])]
    found = panel.alternative_annotator_test(cs.Ratings.from_wide(data), system="gpt")
    assert found.people[2].reason == "fewer than 30 items"
    assert math.isnan(found.people[2].p_value)
    assert [one.code for one in found.findings] == ["people_skipped"]
    none = panel.alternative_annotator_test(ratings(20), system="gpt")
    assert math.isnan(none.winning_rate)
    assert not none.passed
    assert none.findings[0].severity == "problem"
    assert "could not be tested" in str(none)


def test_two_people_are_a_caution_and_one_is_an_error() -> None:
    data = ratings()
    two = panel.alternative_annotator_test(data, system="gpt", people=["Ann", "Bob"])
    assert two.findings[0].code == "few_people"
    with pytest.raises(UnsupportedDesignError, match="at least two people"):
        panel.alternative_annotator_test(data, system="gpt", people=["Ann"])


def test_one_expert_is_the_measure_of_the_others() -> None:
    data = columns(ratings())
    found = panel.alternative_annotator_test(cs.Ratings.from_wide(data), system="gpt", expert="Ann")
    assert [one.person for one in found.people] == ["Bob", "Cid"]
    hits = [
        (data["gpt"][i] == data["Ann"][i]) >= (data["Bob"][i] == data["Ann"][i])
        for i in range(len(data["Ann"]))
    ]
    assert found.people[0].advantage == pytest.approx(np.mean(hits))


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"epsilon": -0.1}, "epsilon must be"),
        ({"epsilon": True}, "epsilon must be"),
        ({"false_discovery_rate": 1.0}, "false_discovery_rate must be"),
        ({"expert": "gpt"}, "expert must be a person"),
        ({"expert": "An"}, "did you mean 'Ann'"),
    ],
)
def test_a_mistake_is_one_sentence(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        panel.alternative_annotator_test(ratings(), system="gpt", **options)
