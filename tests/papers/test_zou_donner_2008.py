"""Zou & Donner (2008): a difference is as sure as each of its parts, and keeps their skew."""

from __future__ import annotations

import math

import numpy as np
import pytest

import consilience as cs
from consilience.report import compare_rounds

BEFORE = cs.Ratings.from_table([[30, 8], [6, 16]])
AFTER = cs.Ratings.from_table([[60, 4], [5, 41]])


def test_the_limits_are_those_of_equation_2() -> None:
    row = compare_rounds(BEFORE, AFTER, coefficients="kappa").rows[0]
    (low_1, high_1), (low_2, high_2) = (
        one.confidence_interval() for one in (row.before, row.after)
    )
    gap = row.after.value - row.before.value
    below = math.sqrt((row.after.value - low_2) ** 2 + (high_1 - row.before.value) ** 2)
    above = math.sqrt((high_2 - row.after.value) ** 2 + (row.before.value - low_1) ** 2)
    assert tuple(row.comparison.interval) == pytest.approx((gap - below, gap + above))
    assert above != pytest.approx(below)


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_test_and_interval_are_one(level: float) -> None:
    found = compare_rounds(BEFORE, AFTER, coefficients="alpha").rows[0].comparison
    interval = found.confidence_interval(level)
    for end in interval:
        assert found.test(end).p_value == pytest.approx(1.0 - level, abs=2e-3)
    assert found.test(interval.low - 0.05).p_value < 1.0 - level < found.test(found.value).p_value
    assert found.test(0.0, alternative="greater").p_value == pytest.approx(found.p_value / 2.0)
    assert found.test(0.0, alternative="less").p_value == pytest.approx(1.0 - found.p_value / 2.0)


def test_rare_labels_do_not_make_rounds_different() -> None:
    """By Wald, 22% of such pairs of studies are called different at 5%."""
    rng = np.random.default_rng(2008)
    called = 0
    for _ in range(100):
        rounds = []
        for _ in range(2):
            truth = rng.random(50) < 0.05
            kept = rng.random((50, 2)) < math.sqrt(0.5)
            given = np.where(kept, truth[:, None], rng.random((50, 2)) < 0.05)
            rounds.append(cs.Ratings.from_wide(given.astype(int), categories=[0, 1]))
        row = compare_rounds(*rounds, coefficients="alpha", paired=False).rows
        called += bool(row) and row[0].p_value is not None and row[0].p_value < 0.05
    assert called <= 9
