"""Zwick (1988): three tables with observed agreement .60, as printed by Artstein & Poesio."""

from __future__ import annotations

import pytest

import consilience as cs

THREE_DECIMALS = 0.0005

# Case 3 of pi is printed .460 by Artstein & Poesio (2005, Table 4); it is 17/37 = .459459.
CASES = {
    "zwick_1988_case1": (0.467, 0.467, 0.467),
    "zwick_1988_case2": (0.467, 0.444, 0.444),
    "zwick_1988_case3": (0.467, 17 / 37, 0.474),
}


@pytest.mark.parametrize(("name", "printed"), CASES.items(), ids=list(CASES))
def test_the_three_coefficients_are_as_printed(name: str, printed: tuple[float, ...]) -> None:
    ratings = cs.datasets.load(name)
    s, pi, kappa = cs.bennett_s(ratings), cs.scott_pi(ratings), cs.cohen_kappa(ratings)
    assert s.observed == pi.observed == kappa.observed == pytest.approx(0.60)
    assert (s.value, pi.value, kappa.value) == pytest.approx(printed, abs=THREE_DECIMALS)


def test_uniform_margins_make_the_three_coefficients_equal() -> None:
    ratings = cs.datasets.load("zwick_1988_case1")
    s = cs.bennett_s(ratings).value
    assert cs.scott_pi(ratings).value == pytest.approx(s)
    assert cs.cohen_kappa(ratings).value == pytest.approx(s)
    assert s == pytest.approx(7 / 15)


def test_equal_margins_make_pi_and_kappa_equal() -> None:
    ratings = cs.datasets.load("zwick_1988_case2")
    assert cs.scott_pi(ratings).value == pytest.approx(cs.cohen_kappa(ratings).value)
    assert cs.artstein_poesio_bias(ratings) == pytest.approx(0, abs=1e-15)


def test_unequal_margins_raise_kappa_above_pi() -> None:
    ratings = cs.datasets.load("zwick_1988_case3")
    assert cs.cohen_kappa(ratings).value > cs.scott_pi(ratings).value
    assert cs.scott_pi(ratings).value == pytest.approx(17 / 37)
