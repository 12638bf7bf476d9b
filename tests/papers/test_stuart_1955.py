"""Stuart (1955): unaided distance vision of 7477 women, right eye against left eye.

The table has served as the standard example of symmetry ever since: Bhapkar (1966) on it, and
every textbook on square tables.
"""

from __future__ import annotations

import pytest

import consilience as cs
from consilience.inference.marginal_tests import (
    bhapkar,
    bowker,
    marginal_homogeneity,
    stuart_maxwell,
)

TWO_DECIMALS = 0.005
VISION = cs.Ratings.from_table(
    [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]],
    categories=["highest", "second", "third", "lowest"],
    raters=["right eye", "left eye"],
    scale="ordinal",
)


def test_stuart_the_eyes_differ() -> None:
    test = stuart_maxwell(VISION)
    assert test.statistic == pytest.approx(11.96, abs=TWO_DECIMALS)
    assert test.degrees_of_freedom == 3
    assert marginal_homogeneity(VISION).statistic == pytest.approx(test.statistic)


def test_bhapkar_1966() -> None:
    assert bhapkar(VISION).statistic == pytest.approx(11.98, abs=TWO_DECIMALS)


def test_bowker_as_in_the_textbooks() -> None:
    test = bowker(VISION)
    assert test.statistic == pytest.approx(19.11, abs=TWO_DECIMALS)
    assert test.degrees_of_freedom == 6


def test_the_right_eye_sees_better() -> None:
    right, left = stuart_maxwell(VISION).shares["highest"]
    assert (right, left) == pytest.approx((1976 / 7477, 1907 / 7477))
