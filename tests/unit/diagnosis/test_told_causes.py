"""What a person reads first: the cause and the step that takes it away; nothing that misleads."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.ratings import Ratings


def said(n: int, m: int, q: int = 4, knows: float = 0.9, seed: int = 3) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, q, n)
    return (
        rng,
        truth,
        np.where(rng.random((n, m)) < knows, truth[:, None], rng.integers(0, q, (n, m))),
    )


def labelled(codes: Any, raters: list[str]) -> Ratings:
    words = np.array(["hate", "irony", "fact", "joke", "relevant"])
    return Ratings.from_wide(words[codes].tolist(), raters=raters)


def first_lines(ratings: Any) -> str:
    """The verdict: what stands above the table."""
    return str(cs.measure(ratings).verdict.sentence)


def all_of(ratings: Any) -> str:
    return " ".join(str(cs.measure(ratings)).split())


@pytest.mark.parametrize("n", [40, 400, 4_000])
def test_a_strict_marker_is_named_however_many_scripts_there_are(n: int) -> None:
    rng = np.random.default_rng(n)
    marks = 60 + 10 * rng.normal(size=(n, 1)) + 4 * rng.normal(size=(n, 3))
    marks[:, 1] -= 9
    ratings = Ratings.from_wide(marks.round(), raters=["Ann", "Bob", "Cy"], scale="interval")
    text = first_lines(ratings)
    assert "Bob gives numbers" in text
    assert "lower than the others do to the same items" in text
    assert "Rate more items" not in all_of(ratings)
    assert "is about who rates, not about the items" in all_of(ratings)


def test_five_workers_of_forty_are_named_with_the_number_without_them() -> None:
    rng, _, codes = said(100, 40)
    bad = [2, 9, 17, 30, 33]
    codes[:, bad] = rng.integers(0, 4, (100, 5))
    text = first_lines(labelled(codes, [f"w{g}" for g in range(40)]))
    assert "5 of 40 raters (" in text
    assert all(f"w{g}" in text for g in bad)
    assert "Leave them out" in text
    assert "guidelines" not in text
    assert "Rate more items" not in text


def test_two_confused_labels_stand_in_the_first_lines() -> None:
    rng, _, codes = said(200, 3, knows=0.95)
    mixed = (codes < 2) & (rng.random(codes.shape) < 0.6)
    codes[mixed] = rng.integers(0, 2, int(mixed.sum()))
    text = first_lines(labelled(codes, ["Ann", "Bob", "Cy"]))
    assert "'irony' and 'hate' are confused" in text or "'hate' and 'irony' are confused" in text
    assert "With both merged" in text
    assert "Rate more items" not in text
    assert "cannot settle it" not in text


def test_an_exchange_is_told_as_an_exchange_not_as_a_rater_apart() -> None:
    _, _, codes = said(150, 4)
    codes[:, 3] = np.array([0, 1, 3, 2])[codes[:, 3]]
    ratings = labelled(codes, ["Ann", "Bob", "Cy", "Ines"])
    assert "Ines seems to have exchanged 'fact' and 'joke'. Put right, " in first_lines(ratings)
    assert "stands apart" not in all_of(ratings)


def test_two_camps_blame_nobody() -> None:
    rng, truth, codes = said(300, 6, knows=0.95)
    strict = rng.random(300) < 0.45
    codes[np.ix_(strict, [0, 2, 4])] = ((truth[strict] + 1) % 4)[:, None]
    ratings = labelled(codes, ["Ann", "Bob", "Cy", "Dee", "Eve", "Flo"])
    text = first_lines(ratings)
    assert "two groups that follow different rules" in text
    assert "Ann, Cy, Eve" in text
    assert "Bob, Dee, Flo" in text
    assert "stands apart" not in all_of(ratings)
    assert "within" in text
    assert "across" in text


def test_where_nothing_is_wrong_nothing_is_said_about_raters() -> None:
    rng, _, codes = said(2_000, 3, q=2, knows=0.97)
    slip = (codes[:, 0] == 0) & (rng.random(2_000) < 0.02)  # significant, and of no size
    codes[slip, 0] = 1
    text = all_of(labelled(codes, ["Ann", "Bob", "Cy"]))
    assert "use the labels differently" not in text
    assert "Ann" not in text


def test_of_many_variables_each_is_told_by_name() -> None:
    rng, _, good = said(80, 3, knows=1.0)
    bad = rng.integers(0, 4, (80, 3))
    people = ["Ann", "Bob", "Cy"]
    groups = {f"v{k}": labelled(good, people) for k in range(13)} | {"tone": labelled(bad, people)}
    verdict = cs.measure(groups, by="variable").verdict
    assert "1 of 14 variables is no better than chance: tone." in verdict.message
    assert not verdict.next.startswith("Do not use these labels")


def test_more_items_are_asked_for_only_where_items_are_the_limit() -> None:
    _, _, few = said(24, 3, knows=0.85)
    assert "Rate more items" in first_lines(labelled(few, ["Ann", "Bob", "Cy"]))
    _, _, many = said(1_500, 3, knows=0.82)
    text = first_lines(labelled(many, ["Ann", "Bob", "Cy"]))
    assert "Rate more items" not in text


def test_verdict_findings_and_record_name_one_coefficient_and_one_value() -> None:
    _, _, codes = said(150, 4)
    codes[:, 3] = np.array([0, 1, 3, 2])[codes[:, 3]]
    summary = cs.measure(labelled(codes, ["Ann", "Bob", "Cy", "Ines"]))
    record = summary.to_dict()
    (cause, *_) = record["diagnosis"]["causes"]
    assert record["diagnosis"]["coefficient"] == summary.headline
    assert cause["before"] == summary[summary.headline].value
    assert cause["message"] in record["verdict"]["next"]
    told = next(one for one in record["findings"] if one["code"] == cause["code"])
    assert told["message"].startswith(cause["message"])
    assert str(summary).count("seems to have exchanged") == 1  # not again below
