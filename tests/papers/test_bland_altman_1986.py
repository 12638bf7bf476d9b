"""Bland & Altman (1986). Statistical methods for assessing agreement between two methods."""

from __future__ import annotations

import pytest

import consilience as cs
from consilience.magnitudes import bland_altman, pearson

ONE_DECIMAL = 0.05
# Table 1, first readings in l/min: Wright peak flow meter and mini meter.
WRIGHT = (494, 395, 516, 434, 476, 557, 413, 442, 650, 433, 417, 656, 267, 478, 178, 423, 427)
MINI = (512, 430, 520, 428, 500, 600, 364, 380, 658, 445, 432, 626, 260, 477, 259, 350, 451)
METERS = cs.Ratings.from_wide({"Wright": WRIGHT, "mini": MINI}, scale="ratio")


def test_correlation_is_high_and_says_little() -> None:
    assert pearson(METERS).value == pytest.approx(0.94, abs=0.005)
    assert pearson(METERS).p_value < 0.001


def test_bias_and_limits_with_two_standard_deviations() -> None:
    """The paper multiplies the rounded standard deviation: -2.1 -/+ 2 * 38.8."""
    limits = bland_altman(METERS, multiplier=2)
    assert limits.bias == pytest.approx(-2.1, abs=ONE_DECIMAL)
    assert limits.sd == pytest.approx(38.8, abs=ONE_DECIMAL)
    assert limits.low == pytest.approx(-79.7, abs=3 * ONE_DECIMAL)
    assert limits.high == pytest.approx(75.5, abs=3 * ONE_DECIMAL)


def test_interval_of_the_bias() -> None:
    """Standard error 9.4, t of 2.12 with 16 degrees of freedom: -22.0 to 17.8."""
    limits = bland_altman(METERS)
    interval = limits.confidence_interval()
    assert limits.standard_error == pytest.approx(9.4, abs=ONE_DECIMAL)
    assert (interval.low, interval.high) == pytest.approx((-22.0, 17.8), abs=ONE_DECIMAL + 0.01)


def test_intervals_of_the_limits() -> None:
    """The paper takes sqrt(3 s^2 / n) = 16.3 for the error; the full one is a little larger."""
    lower, upper = bland_altman(METERS, multiplier=2).limit_intervals()
    assert (lower.low, lower.high) == pytest.approx((-114.3, -45.1), abs=1.0)
    assert (upper.low, upper.high) == pytest.approx((40.9, 110.1), abs=1.0)


def test_exact_intervals_of_the_limits_lean_outwards() -> None:
    limits = bland_altman(METERS)
    (_, near), (_, exact) = limits.limit_intervals(), limits.limit_intervals(method="exact")
    assert exact.high - limits.high > near.high - limits.high
    assert limits.high - exact.low < limits.high - near.low


def test_the_difference_does_not_grow_with_the_flow() -> None:
    line = bland_altman(METERS).proportional_bias
    assert line is not None
    assert line.p_value > 0.5


def test_figure_2_shows_the_differences_against_the_means() -> None:
    ax = cs.plot.bland_altman(METERS, multiplier=2)
    points = sorted(map(tuple, ax.collections[0].get_offsets().tolist()))
    expected = sorted(((w + m) / 2, w - m) for w, m in zip(WRIGHT, MINI, strict=True))
    assert points == expected
    lines = sorted(float(line.get_ydata()[0]) for line in ax.lines)
    assert lines == pytest.approx([-79.7, -2.1, 0.0, 75.5], abs=3 * ONE_DECIMAL)
