"""What the latent models refuse, and in which words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.latent import (
    compare_classes,
    dawid_skene,
    glad,
    latent_classes,
    latent_trait,
    mace,
)

MODELS: list[Callable[..., Any]] = [dawid_skene, glad, latent_classes, latent_trait, mace]
GOOD = cs.Ratings.from_wide([["a", "a", "b"], ["b", "b", "b"], ["a", "b", "a"], ["b", "b", "a"]])


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize(
    ("ratings", "words"),
    [
        (cs.Ratings.from_counts([[3, 0], [1, 2]]), "who gave which rating"),
        (cs.Ratings.from_wide([["a"], ["b"]]), "at least two raters"),
        (cs.Ratings.from_wide([["a", "a", "a"], ["a", "a", "a"]]), "two different labels"),
        (
            cs.Ratings.from_wide([["a", None, None], [None, "b", None], [None, None, "a"]]),
            "more than one rater",
        ),
        (cs.Ratings.from_wide([["a", None], ["b", None]]), "at least two raters"),
    ],
    ids=["counts", "one rater", "one label", "no overlap", "an idle rater"],
)
def test_designs_that_tell_nothing(
    model: Callable[..., Any], ratings: cs.Ratings, words: str
) -> None:
    with pytest.raises(UnsupportedDesignError, match=words) as caught:
        model(ratings)
    assert "Hint:" in str(caught.value)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@pytest.mark.parametrize("thing", [None, 3, "ratings", [["a", "b"]], {"a": 1}])
def test_what_is_no_ratings(model: Callable[..., Any], thing: object) -> None:
    with pytest.raises(InputError, match="ratings must be Ratings"):
        model(thing)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_measurements_that_never_repeat(model: Callable[..., Any]) -> None:
    values = np.random.default_rng(0).normal(size=(600, 2))
    with pytest.raises(ConsilienceError, match=r"labels that repeat|patterns"):
        model(cs.Ratings.from_wide(values, scale="interval"))


@pytest.mark.parametrize(
    ("call", "options", "words"),
    [
        (dawid_skene, {"model": "confusions"}, "did you mean 'confusion'"),
        (dawid_skene, {"n_starts": 0}, "n_starts"),
        (dawid_skene, {"n_starts": True}, "n_starts"),
        (dawid_skene, {"smoothing": -1}, "smoothing"),
        (dawid_skene, {"smoothing": "much"}, "smoothing"),
        (dawid_skene, {"tolerance": float("nan")}, "tolerance"),
        (dawid_skene, {"max_iterations": 1.5}, "max_iterations"),
        (dawid_skene, {"n_resamples": -1}, "n_resamples"),
        (dawid_skene, {"confidence_level": 95}, "confidence_level"),
        (dawid_skene, {"rng": "x"}, "rng"),
        (latent_classes, {"n_classes": 0}, "n_classes"),
        (latent_classes, {"n_classes": "two"}, "n_classes"),
        (latent_classes, {"positive": "z"}, "positive"),
        (latent_trait, {"link": "log"}, "link"),
        (latent_trait, {"n_nodes": 5}, "at least 21"),
        (mace, {"method": "vb"}, "method"),
        (mace, {"n_starts": 2.5}, "n_starts"),
        (glad, {"tolerance": -1}, "tolerance"),
        (compare_classes, {"n_classes": 3}, "several whole numbers"),
        (compare_classes, {"n_classes": "23"}, "several whole numbers"),
        (compare_classes, {"n_classes": []}, "at least one"),
    ],
)
def test_options_that_make_no_sense(
    call: Callable[..., Any], options: dict[str, Any], words: str
) -> None:
    with pytest.raises(InputError, match=words):
        call(GOOD, **options)


def test_a_rater_who_is_not_there() -> None:
    with pytest.raises(InputError, match="rater must be one of"):
        dawid_skene(GOOD).rater("Zoe")
