"""Paired comparisons with missing ratings: the error is that of leaving items out one by one."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs


@pytest.mark.parametrize(
    "coefficient", [cs.krippendorff_alpha, cs.scott_pi, cs.gwet_ac, cs.cohen_kappa]
)
def test_the_error_of_a_difference_allows_for_items_that_one_side_lacks(coefficient):
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, 120)
    guess = rng.integers(0, 3, (120, 4))
    marks = np.where(rng.random((120, 4)) < 0.7, truth[:, None], guess).astype(float)
    marks[rng.random((120, 4)) < 0.4] = np.nan
    ratings = cs.Ratings.from_wide(marks, raters=list("abcd"))

    def difference(rows):
        some = cs.Ratings.from_wide(rows, raters=list("abcd"))
        return coefficient(some).value - coefficient(some.select(raters="abc")).value

    left_out = np.array([difference(np.delete(marks, k, axis=0)) for k in range(120)])
    jackknife = np.sqrt(119 / 120 * ((left_out - left_out.mean()) ** 2).sum())
    found = coefficient(ratings.select(raters="abc")).compare(coefficient(ratings))
    assert found.standard_error == pytest.approx(jackknife, rel=0.04)
