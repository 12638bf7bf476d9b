"""The rules behind default intervals: Student's t for skewed values, and the prior of rows."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import consilience as cs
from consilience.inference.posterior import posterior_of
from consilience.inference.replicates import all_rows
from consilience.inference.skewed_t import SkewedT


@pytest.mark.parametrize("skew", [0.0, 0.3, -0.3, 1.2, -1.2])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_p_is_what_the_limits_leave(skew: float, level: float) -> None:
    one = SkewedT(1.0, 0.5, 7.3, skew)
    for limit in one.limits(level):
        assert one.p_value(limit, "two-sided") == pytest.approx(1.0 - level)
    assert one.p_value(1.0, "two-sided") == 1.0
    assert one.p_value(math.inf, "two-sided") == 0.0
    assert (one.p_value(math.inf, "greater"), one.p_value(math.inf, "less")) == (1.0, 0.0)


def test_without_skew_it_is_student_s_t_and_skew_only_moves_limits_outwards() -> None:
    plain = SkewedT(0.0, 1.0, 9.0).limits(0.95)
    assert plain == pytest.approx((-stats.t.ppf(0.975, 9), stats.t.ppf(0.975, 9)))
    right, left = (SkewedT(0.0, 1.0, 9.0, skew).limits(0.95) for skew in (0.4, -0.4))
    assert right[0] == pytest.approx(plain[0])
    assert right[1] > plain[1]
    assert left == pytest.approx((-right[1], -right[0]))


def test_far_disagreements_weigh_more_in_the_prior_of_a_weighted_coefficient() -> None:
    wide = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 1], [1, 0]] * 3
    ratings = cs.Ratings.from_wide(wide, categories=range(3), scale="ordinal")
    far = {}
    for distance in ("nominal", "quadratic"):
        one = cs.scott_pi(ratings, distance=distance)
        rows = all_rows(one._basis.evaluation.source)
        full, draw = posterior_of(rows, 2, 0.95)
        prior = slice(rows.multiplicity.size, None)
        ends = (full.vectors[0, prior] == 1.0) & (full.vectors[2, prior] == 1.0)
        shapes = draw.shapes[prior]
        assert shapes.sum() == pytest.approx(1.5)  # the mass does not depend on the distance
        far[distance] = shapes[ends].sum()
    assert far["quadratic"] > 1.5 * far["nominal"]


def test_limits_do_not_depend_on_what_was_asked_before() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (40, 1)) * np.ones((1, 3), int)
    codes[rng.random(codes.shape) < 0.3] = 0
    names = ("cohen_kappa", "gwet_ac", "percent_agreement")
    found = []
    for order in (names, names[::-1]):
        ratings = cs.Ratings.from_wide(codes).with_clusters(np.arange(40) // 4, "page")
        found.append({name: getattr(cs, name)(ratings).confidence_interval() for name in order})
    assert found[0] == found[1]
