"""Lin (1989). A concordance correlation coefficient to evaluate reproducibility."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.magnitudes import lin_ccc, pearson

marks = st.lists(st.integers(0, 6), min_size=4, max_size=30)


def test_precision_times_accuracy() -> None:
    x, y = [1.0, 2.5, 3.0, 4.2, 5.1], [1.4, 2.2, 3.9, 4.0, 6.0]
    ccc = lin_ccc(x, y)
    assert ccc.value == pytest.approx(ccc.pearson_r * ccc.bias_correction)
    u, v = ccc.location_shift, ccc.scale_shift
    assert ccc.bias_correction == pytest.approx(2 / (v + 1 / v + u**2))


def test_figure_1_shift_and_scale_lower_it_where_correlation_stays_perfect() -> None:
    x = np.arange(1.0, 11.0)
    for y in (x + 3, 2 * x, 0.5 * x + 4):
        assert pearson(x, y).value == 1
        assert lin_ccc(x, y).value < 0.9
    assert lin_ccc(x, x).value == 1
    assert lin_ccc(x, 11 - x).value == -1


@given(st.data())
def test_it_is_quadratic_weighted_kappa(data: st.DataObject) -> None:
    x = data.draw(marks)
    y = data.draw(st.lists(st.integers(0, 6), min_size=len(x), max_size=len(x)))
    both = cs.Ratings.from_wide({"x": x, "y": y}, scale="interval")
    ccc = lin_ccc(both)
    if ccc.status == "undefined":
        assert len(set(x)) == len(set(y)) == 1
        return
    assert ccc.value == pytest.approx(cs.cohen_kappa(both, distance="quadratic").value, abs=1e-12)


def test_error_is_the_one_of_normal_marks() -> None:
    """1500 samples of 40 normal pairs: the mean error is the spread of the values."""
    rng = np.random.default_rng(1989)
    values, errors = [], []
    for _ in range(1500):
        x = rng.normal(size=40)
        y = 0.8 * x + 0.6 * rng.normal(size=40) + 0.3
        one = lin_ccc(x, y)
        values.append(one.value)
        errors.append(one.standard_error)
    assert np.mean(errors) == pytest.approx(np.std(values), rel=0.08)


def test_no_correlation_divides_nothing() -> None:
    ccc = lin_ccc([1, 2, 3, 4], [1, -1, -1, 1])
    assert ccc.value == pytest.approx(0)
    assert math.isfinite(ccc.standard_error)
