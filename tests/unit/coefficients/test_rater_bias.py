"""Bias of Artstein & Poesio, and coefficients by several distances."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.exceptions import InputError, UnsupportedDesignError


def random_ratings(seed: int, *, labels: int = 3, raters: int = 4) -> cs.Ratings:
    rng = np.random.default_rng(seed)
    truth = rng.integers(labels, size=(50, 1))
    noise = rng.integers(labels, size=(50, raters)) ** 2 % labels
    return cs.Ratings.from_wide(
        np.where(rng.random((50, raters)) < 0.6, truth, noise), categories=range(labels)
    )


@pytest.mark.parametrize("seed", range(4))
def test_bias_is_the_variance_of_shares_over_raters(seed: int) -> None:
    """Appendix A: B = (1/(c - 1)) sum over k of Var P(k|c)."""
    found = cs.rater_bias(random_ratings(seed))
    assert found.bias == pytest.approx(found.variances.sum() / 3)
    assert found.shares.sum(axis=1) == pytest.approx(np.ones(4))
    by = found.distances[0]
    assert by.own.value - by.shared.value == pytest.approx(
        by.bias * by.own.observed_disagreement
        / (by.shared.expected_disagreement * by.own.expected_disagreement)
    )  # fmt: skip


def test_several_distances_stand_side_by_side() -> None:
    ratings = random_ratings(9)
    found = cs.rater_bias(ratings, distance=["nominal", "quadratic"])
    assert [by.distance for by in found.distances] == ["nominal", "quadratic"]
    for by in found.distances:
        assert by.bias == pytest.approx(cs.artstein_poesio_bias(ratings, distance=by.distance))
        assert by.alpha.value == cs.krippendorff_alpha(ratings, distance=by.distance).value
    record = found.to_dict()
    assert [one["distance"] for one in record["distances"]] == ["nominal", "quadratic"]
    assert len(record["estimates"]) == 6
    assert record["value"] == found.bias


def test_missing_judgments_are_treated_alike_on_both_sides() -> None:
    gaps = cs.Ratings.from_wide([[1, 1, None], [2, 2, 1], [1, None, None], [2, 2, 2], [None, 1, 1]])
    expected = (
        cs.scott_pi(gaps, missing="ap").expected - cs.cohen_kappa(gaps, missing="ap").expected
    )
    assert cs.rater_bias(gaps, missing="ap").bias == pytest.approx(expected)
    assert cs.artstein_poesio_bias(gaps, missing="ap") == pytest.approx(expected)


def test_shares_of_a_crowd_are_counted_rating_by_rating() -> None:
    long = {"item": [0, 0, 1, 1, 2, 2], "rater": list("abacbc"), "label": list("xyxxyx")}
    found = cs.rater_bias(cs.Ratings.from_long(long))
    place = dict(zip(found.raters, found.shares.tolist(), strict=True))
    assert place["a"] == [1, 0]
    assert place["b"] == [0, 1]


def test_what_has_no_raters_has_no_bias() -> None:
    with pytest.raises(UnsupportedDesignError, match="raters"):
        cs.rater_bias(cs.Ratings.from_counts([[2, 1], [0, 3]]))
    with pytest.raises(InputError, match="distance"):
        cs.rater_bias(random_ratings(1), distance=[])
