"""Hripcsak & Rothschild (2005): kappa tends to F1 as what nobody marked grows."""

from __future__ import annotations

import math

import pytest

import consilience as cs
from consilience.units import Units, span_f1, span_kappa


@pytest.mark.parametrize("counts", [(20, 5, 10), (3, 0, 4), (0, 2, 2), (7, 1, 0)])
def test_kappa_tends_to_f1(counts: tuple[int, int, int]) -> None:
    a, b, c = counts
    f1 = 2 * a / (2 * a + b + c)
    errors = [abs(span_kappa(a, b, c, d) - f1) for d in (1e2, 1e4, 1e6, 1e8)]
    assert errors == sorted(errors, reverse=True)
    assert errors[-1] < 1e-6


def test_it_is_cohens_kappa() -> None:
    ratings = cs.Ratings.from_table([[20, 5], [10, 40]])
    assert span_kappa(20, 5, 10, 40) == pytest.approx(cs.cohen_kappa(ratings).value)


def test_without_chance_to_disagree_it_is_undefined() -> None:
    assert math.isnan(span_kappa(0, 0, 0, 10))


def test_span_kappa_is_given_beside_f1() -> None:
    units = Units.from_records([("a", "x", 0, 2), ("a", "x", 4, 6), ("b", "x", 0, 2)])
    pair = span_f1(units, true_negatives=10**12).pairs[0]
    assert pair.kappa == pytest.approx(pair.f1, abs=1e-9)
    assert pair.f1 == pytest.approx(2 / 3)
    assert span_f1(units).pairs[0].kappa is None
