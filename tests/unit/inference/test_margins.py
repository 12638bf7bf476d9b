"""Margins added up by groups of raters equal those added up item by item."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.inference import marginal_tests as homogeneity


@pytest.mark.parametrize(
    ("n", "raters", "labels", "missing"),
    [(50, 3, 4, 0.0), (200, 5, 3, 0.2), (300, 2, 2, 0.1), (80, 4, 3, 0.6)],
)
def test_groups_of_raters_give_the_same_sums(n, raters, labels, missing, monkeypatch):
    rng = np.random.default_rng(n)
    wide = rng.integers(0, labels, (n, raters)).astype(object)
    wide[rng.random(wide.shape) < missing] = None
    ratings = cs.Ratings.from_wide(wide)
    grouped = homogeneity.margins(ratings)
    monkeypatch.setattr(homogeneity, "_rated_alike", lambda patterns: None)
    one_by_one = homogeneity.margins(ratings)
    assert grouped.n_items == one_by_one.n_items
    for name in ("difference", "covariance", "used"):
        np.testing.assert_allclose(
            getattr(grouped, name), getattr(one_by_one, name), rtol=0, atol=1e-9
        )
