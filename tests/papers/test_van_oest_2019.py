"""van Oest (2019). A new coefficient of interrater agreement, his tables of unequal categories."""

from __future__ import annotations

import pytest

import consilience as cs

THREE_DECIMALS = 0.0005


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("van_oest_2019_case1", 0.034),
        ("van_oest_2019_case2a", 0.089),
        ("van_oest_2019_case2b", 0.004),
    ],
)
def test_coefficient_with_a_uniform_prior_is_as_printed(name: str, printed: float) -> None:
    assert cs.van_oest(cs.datasets.load(name)).value == pytest.approx(printed, abs=THREE_DECIMALS)


def test_the_prior_fades_as_the_same_proportions_come_from_more_items() -> None:
    few, many = (cs.datasets.load(f"van_oest_2019_case2{letter}") for letter in "ab")
    assert cs.scott_pi(few).value == pytest.approx(cs.scott_pi(many).value)
    assert cs.scott_pi(few).value < cs.van_oest(many).value < cs.van_oest(few).value
