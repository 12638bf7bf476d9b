"""Krippendorff (2004, p. 254): two coders unitize a continuum from 150 to 450 in two categories."""

from __future__ import annotations

import pytest

from consilience.units import Units, alpha_u

SIX_DIGITS = 5e-7
EXAMPLE = [
    ("1", "c", 225, 295),
    ("1", "c", 370, 400),
    ("1", "k", 180, 240),
    ("1", "k", 300, 350),
    ("2", "c", 220, 300),
    ("2", "c", 355, 375),
    ("2", "c", 400, 420),
    ("2", "k", 180, 240),
    ("2", "k", 300, 350),
]


def test_krippendorff_disagreements_and_alphas() -> None:
    found = alpha_u(Units.from_records(EXAMPLE, bounds=(150, 450)))
    c, k = found.by_category["c"], found.by_category["k"]
    assert c.observed == pytest.approx(0.014444, abs=SIX_DIGITS)
    assert c.expected == pytest.approx(0.053222, abs=SIX_DIGITS)
    assert c.value == pytest.approx(0.728599, abs=SIX_DIGITS)
    assert k.value == 1.0
    assert found.value == pytest.approx(0.858665, abs=SIX_DIGITS)
