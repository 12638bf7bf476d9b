"""Di Eugenio & Glass (2004). The kappa statistic: a second look.

They advise to report kappa, pi and 2 A_o - 1 side by side, because kappa reacts to prevalence and
to bias.
"""

from __future__ import annotations

import pytest

import consilience as cs

THREE_DECIMALS = 0.0005


def triple(name: str) -> tuple[float, float, float]:
    ratings = cs.datasets.load(name)
    return (
        cs.cohen_kappa(ratings).value,
        cs.scott_pi(ratings).value,
        float(cs.pabak(ratings)),
    )


def test_even_categories_make_the_triple_equal() -> None:
    assert triple("di_eugenio_glass_2004_balanced") == pytest.approx((0.8, 0.8, 0.8))


def test_skewed_categories_pull_kappa_and_pi_below_zero() -> None:
    kappa, pi, adjusted = triple("di_eugenio_glass_2004_skewed")
    assert kappa == pytest.approx(-1 / 19)
    assert pi == pytest.approx(-1 / 19)
    assert adjusted == pytest.approx(0.8)


def test_bias_puts_kappa_and_pi_on_two_sides_of_the_threshold() -> None:
    kappa, pi, adjusted = triple("di_eugenio_glass_2004_bias")
    assert kappa == pytest.approx(0.672, abs=THREE_DECIMALS)
    assert pi == pytest.approx(0.663, abs=THREE_DECIMALS)
    assert adjusted == pytest.approx(2 / 3)
    assert pi < 0.67 < kappa


@pytest.mark.parametrize(
    ("name", "prevalence", "bias"),
    [
        ("di_eugenio_glass_2004_balanced", 0.0, 0.0),
        ("di_eugenio_glass_2004_skewed", 0.9, 0.0),
        ("di_eugenio_glass_2004_bias", 0.1, 1 / 6),
    ],
)
def test_kappa_is_pabak_moved_by_prevalence_and_bias(
    name: str, prevalence: float, bias: float
) -> None:
    """Byrt, Bishop & Carlin (1993): kappa = (PABAK - PI^2 + BI^2) / (1 - PI^2 + BI^2)."""
    ratings = cs.datasets.load(name)
    pi, bi = float(cs.prevalence_index(ratings)), float(cs.bias_index(ratings))
    assert (pi, bi) == pytest.approx((prevalence, bias))
    adjusted = float(cs.pabak(ratings))
    assert cs.cohen_kappa(ratings).value == pytest.approx(
        (adjusted - pi**2 + bi**2) / (1 - pi**2 + bi**2)
    )
