"""Shrout & Fleiss (1979). Intraclass correlations: uses in assessing rater reliability."""

from __future__ import annotations

import pytest

import consilience as cs
from consilience.magnitudes import icc

TWO_DECIMALS = 0.005
# Table 2: six targets, four judges.
RATINGS = cs.Ratings.from_wide(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]],
    raters=("J1", "J2", "J3", "J4"),
    scale="interval",
)


def test_table_3_mean_squares() -> None:
    squares = icc(RATINGS).mean_squares
    assert squares is not None
    assert squares.msr == pytest.approx(11.24, abs=TWO_DECIMALS)  # between targets, 5 df
    assert squares.msw == pytest.approx(6.26, abs=TWO_DECIMALS)  # within targets, 18 df
    assert squares.msc == pytest.approx(32.49, abs=TWO_DECIMALS)  # between judges, 3 df
    assert squares.mse == pytest.approx(1.02, abs=TWO_DECIMALS)  # residual, 15 df
    assert (squares.df_r, squares.df_w, squares.df_c, squares.df_e) == (5, 18, 3, 15)


@pytest.mark.parametrize(
    ("name", "modern", "value"),
    [
        ("ICC(1,1)", "1", 0.17),
        ("ICC(2,1)", "A,1", 0.29),
        ("ICC(3,1)", "C,1", 0.71),
        ("ICC(1,4)", "k", 0.44),
        ("ICC(2,4)", "A,k", 0.62),
        ("ICC(3,4)", "C,k", 0.91),
    ],
)
def test_table_4(name: str, modern: str, value: float) -> None:
    printed = icc(RATINGS, model=name)
    assert printed.value == pytest.approx(value, abs=TWO_DECIMALS)
    assert printed.value == icc(RATINGS, model=modern).value
    assert printed.confidence_interval() == icc(RATINGS, model=modern).confidence_interval()


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("ICC(1,1)", -0.13, 0.72),
        ("ICC(2,1)", 0.02, 0.76),
        ("ICC(3,1)", 0.34, 0.95),
        ("ICC(1,k)", -0.88, 0.91),
        ("ICC(2,k)", 0.07, 0.93),
        ("ICC(3,k)", 0.68, 0.99),
    ],
)
def test_intervals_of_the_six_forms(name: str, low: float, high: float) -> None:
    interval = icc(RATINGS, model=name).confidence_interval(method="mcgraw-wong")
    assert interval.low == pytest.approx(low, abs=TWO_DECIMALS)
    assert interval.high == pytest.approx(high, abs=TWO_DECIMALS)


def test_names_of_programs_mean_the_same() -> None:
    for program, form in (("ICC1", "1"), ("ICC2", "A,1"), ("ICC3k", "C,k"), ("icc(a, 1)", "A,1")):
        assert icc(RATINGS, model=program).value == icc(RATINGS, model=form).value
    assert icc(RATINGS, model="ICC3").rater_effect == "fixed"
    assert icc(RATINGS, model="ICC2").rater_effect == "random"
