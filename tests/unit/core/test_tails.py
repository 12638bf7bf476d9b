"""Tails, quantiles and roots against scipy, and against closed forms where scipy loses digits."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, special, stats

from consilience.core.tails import (
    chi_square_tail,
    normal_below,
    quantile,
    root_between,
    student_below,
)

EXACT = 1e-12
TAIL = 1e-10  # beyond 1e5 degrees of freedom the continued fraction loses some digits
DEGREES = (1, 1.5, 2, 2.7, 3, 4, 5, 7.3, 10, 30, 77.7, 100, 999, 1999.5, 2000.5, 1e4, 1e5, 1e6)
FAR = [1.0 - p for p in (0.4, 0.25, 0.1, 0.05, 0.025, 0.005, 1e-3, 1e-4, 1e-5, 1e-6)]
NEAR = [0.5 + p for p in (1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1)]


@pytest.mark.parametrize("v", DEGREES)
def test_student_quantiles_are_those_of_scipy(v: float) -> None:
    for p in FAR:
        # Its own quantiles are exact from 1.17 on, its probabilities always were.
        assert stats.t.cdf(quantile(p, v), v) == pytest.approx(p, rel=EXACT)
        assert stats.t.cdf(quantile(1.0 - p, v), v) == pytest.approx(1.0 - p, rel=EXACT)


@pytest.mark.parametrize("v", DEGREES)
def test_student_quantiles_keep_their_digits_near_the_centre(v: float) -> None:
    # scipy is off by up to 4e-5 there (4 degrees of freedom), so a series in p is the judge.
    scale = math.sqrt(v / 2.0) * special.beta(v / 2.0, 0.5) * math.sqrt(2.0)
    for p in NEAR[:3]:
        u = scale * (p - 0.5)
        series = u + (v + 1.0) / (6.0 * v) * u**3
        assert quantile(p, v) == pytest.approx(series, rel=1e-11)


@pytest.mark.parametrize("p", [*NEAR, *FAR])
def test_student_quantiles_are_the_closed_forms_of_one_and_two_degrees(p: float) -> None:
    off, above = p - 0.5, 1.0 - p
    cauchy = math.tan(math.pi * off) if off < 0.25 else 1.0 / math.tan(math.pi * above)
    assert quantile(p, 1) == pytest.approx(cauchy, rel=EXACT)
    assert quantile(p, 2) == pytest.approx(off * math.sqrt(2.0 / (p * above)), rel=EXACT)


def test_normal_quantiles_are_those_of_scipy() -> None:
    for p in [*NEAR, *FAR]:
        assert quantile(p, None) == pytest.approx(special.ndtri(p), rel=EXACT)
        assert normal_below(quantile(1.0 - p, None)) == pytest.approx(1.0 - p, rel=EXACT)


def test_quantiles_outside_have_no_number() -> None:
    assert quantile(0.5, 3) == 0.0
    assert (quantile(0.0, 3), quantile(1.0, None)) == (-math.inf, math.inf)
    assert quantile(0.9, math.inf) == quantile(0.9, None)
    for p, v in ((1.5, 3.0), (math.nan, None), (0.9, 0.0), (0.9, -1.0), (0.9, math.nan)):
        assert math.isnan(quantile(p, v))


@pytest.mark.parametrize("v", DEGREES)
def test_student_tails_are_those_of_scipy(v: float) -> None:
    for t in (-40.0, -8.0, -2.0, -1.7, -0.3, -1e-6, 0.0, 0.3, 1.0, 2.5, 9.0):
        assert student_below(t, v) == pytest.approx(special.stdtr(v, t), rel=TAIL)
    assert math.isnan(student_below(math.nan, v))


def test_student_tails_without_degrees_are_normal() -> None:
    assert student_below(-1.5, None) == student_below(-1.5, math.inf) == normal_below(-1.5)
    assert math.isnan(student_below(1.0, 0.0))
    assert normal_below(-1.5) == pytest.approx(special.ndtr(-1.5), rel=EXACT)


@pytest.mark.parametrize("degrees", [1, 2, 3, 7, 30, 150, 500, 2.5])
def test_chi_square_tails_are_those_of_scipy(degrees: float) -> None:
    for statistic in (0.0, 0.1, 1.0, 10.0, 100.0, 2_000.0):
        expected = special.chdtrc(degrees, statistic)
        assert chi_square_tail(statistic, degrees) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(
    ("function", "low", "high"),
    [
        (lambda x: x**3 - 2.0, 0.0, 2.0),
        (lambda x: math.exp(x) - 5.0, 9.0, -9.0),
        (lambda x: min(1e300, 1.0 / (1.0 - x) - 3.0) if x < 1.0 else 1e300, -50.0, 1.0),
        (lambda x: (x - 0.25) ** 9, 0.0, 1.0),
        (lambda x: x, 0.0, 1.0),
    ],
)
def test_roots_are_those_of_scipy(function: object, low: float, high: float) -> None:
    assert callable(function)
    wide = 1e-3 if function(0.26) == 0.01**9 else 1e-13  # flat roots are hard to tell
    expected = optimize.brentq(function, low, high, xtol=1e-14, maxiter=10_000)
    assert root_between(function, low, high) == pytest.approx(expected, abs=wide)


def test_a_root_needs_a_change_of_sign() -> None:
    with pytest.raises(ValueError, match="different signs"):
        root_between(np.cos, 0.0, 1.0)
