"""A result is a number where one is expected: formatted, rounded, compared, sorted."""

from __future__ import annotations

import math

import pytest

import consilience as cs

A, B = ["x", "y", "x", "y", "x", "x"], ["x", "y", "y", "y", "x", "x"]


def test_a_result_is_formatted_rounded_and_compared() -> None:
    kappa = cs.cohen_kappa(A, B)
    assert f"{kappa:.2f}" == "0.67"
    assert round(kappa, 1) == 0.7
    assert kappa > 0.6
    assert kappa < 0.7
    assert kappa <= kappa.value <= kappa
    assert kappa >= cs.scott_pi(A, B)
    assert min(kappa, cs.scott_pi(A, B)).coefficient == "scott_pi"


def test_what_is_undefined_is_on_no_side() -> None:
    one = cs.cohen_kappa(["x", "x"], ["x", "x"], on_undefined="ignore")
    assert math.isnan(one.value)
    assert not one > 0.0
    assert not one <= 0.0


def test_a_result_is_not_compared_with_words_nor_one_of_several_values() -> None:
    with pytest.raises(TypeError):
        assert cs.cohen_kappa(A, B) > "0.6"
    with pytest.raises(TypeError):
        assert cs.measure([[a, b] for a, b in zip(A, B, strict=True)]) > 0.6


@pytest.mark.parametrize(
    ("other", "ours"),
    [
        (cs.fleiss_kappa, cs.scott_pi),
        (cs.conger_kappa, cs.cohen_kappa),
        (cs.ac1, cs.gwet_ac),
    ],
)
def test_a_name_from_the_literature_is_the_same_number(other, ours) -> None:
    data = cs.datasets.load("krippendorff_2011")
    assert other(data).value == ours(data, distance="nominal").value
    assert other(data).standard_error == ours(data, distance="nominal").standard_error


@pytest.mark.parametrize(
    ("other", "ours"), [(cs.weighted_kappa, cs.cohen_kappa), (cs.ac2, cs.gwet_ac)]
)
def test_a_weighted_coefficient_wants_its_distance(other, ours) -> None:
    a, b = [1, 2, 3, 3, 2, 1], [1, 2, 3, 2, 2, 2]
    assert other(a, b, distance="linear").value == ours(a, b, distance="linear").value
    with pytest.raises(cs.exceptions.InputError, match='distance="linear"'):
        other(a, b)
    with pytest.raises(TypeError, match='distance="quadratic"'):
        other(a, b, weights="quadratic")
