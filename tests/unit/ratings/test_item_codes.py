"""What is known of each item, given by name or in their order, and ratings as a table of codes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from consilience import Ratings
from consilience.exceptions import InputError
from consilience.ratings.rating_tables import code_matrix, labels_used, per_item, refusal_words

THREE = Ratings.from_wide([["a", "b"], ["b", None], ["b", "b"]], items=["x", 2, "z"])


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ([7, 8, 9], [7, 8, 9]),
        ((one for one in "pqr"), ["p", "q", "r"]),
        (np.array([1.5, 2.5, 3.5]), [1.5, 2.5, 3.5]),
        ({"z": 3, "x": 1, 2: 2}, [1, 2, 3]),
        ({"2": "by its text", "other": 0}, [None, "by its text", None]),
    ],
)
def test_a_value_for_each_item(given: Any, found: list[object]) -> None:
    assert per_item(THREE, given, "weights") == found


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ("xyz", "one entry per item, or a mapping"),  # three letters are no three entries
        (b"xyz", "one entry per item, or a mapping"),
        (3, "one entry per item, or a mapping"),
        ([1, 2], r"one entry per item \(3\)\. Got '?2 entries"),
        ([1, 2, 3, 4], r"one entry per item \(3\)\. Got '?4 entries"),
        ({"y": 1, "X": 2}, "given by the names of the items"),
    ],
)
def test_what_is_no_value_for_each_item_is_refused(given: Any, why: str) -> None:
    with pytest.raises(InputError, match=rf"^weights must be {why}.* Hint: "):
        per_item(THREE, given, "weights")


def test_codes_are_laid_out_whatever_holds_them() -> None:
    assert code_matrix(THREE).tolist() == [[0, 1], [1, -1], [1, 1]]
    cross = Ratings.from_table([[1, 2], [0, 1]], categories=["a", "b"])
    assert code_matrix(cross).tolist() == [[0, 0], [0, 1], [0, 1], [1, 1]]
    decimals = Ratings.from_wide([[0.5, 1.5], [1.5, np.nan]], scale="interval")
    assert code_matrix(decimals).tolist() == [[0, 1], [1, -1]]
    assert labels_used(THREE) == {0: {0, 1}, 1: {1}}


@pytest.mark.parametrize(
    ("given", "words"),
    [("no", {"no"}), (["no", 9], {"no", "9"}), (9, {"9"}), ((), set()), (b"x", {"b'x'"})],
)
def test_one_refusal_or_several(given: Any, words: set[str]) -> None:
    assert refusal_words(given) == words
