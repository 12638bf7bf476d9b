"""Hearst (1997): seven readers divide the Stargazers text of 21 paragraphs."""

from __future__ import annotations

import json
from itertools import combinations
from typing import Any

import pytest

import needed
from consilience.units import Units, boundary_similarity, segmentation, window_agreement

EXPECTED = needed.SHARED / "data" / "units" / "expected.json"
STARGAZERS = {  # segment lengths, read from figure 5
    "1": [2, 3, 3, 1, 3, 6, 3],
    "2": [2, 8, 2, 4, 2, 3],
    "3": [2, 1, 2, 3, 1, 3, 1, 3, 2, 2, 1],
    "4": [2, 1, 4, 1, 1, 3, 1, 4, 3, 1],
    "5": [3, 2, 4, 3, 5, 4],
    "6": [2, 3, 4, 2, 2, 5, 3],
    "7": [2, 3, 2, 2, 3, 1, 3, 2, 3],
}


def values() -> dict[str, float]:
    units = Units.from_masses({r: {"stargazer": m} for r, m in STARGAZERS.items()})
    found, windows = segmentation(units), window_agreement(units)
    return {
        "A_a_B": found.observed,
        "pi_B": found.pi,
        "kappa_B": found.kappa,
        "pi_S": found.s.pi,
        "mean_pairwise_B": found.mean_b,
        "mean_windowdiff": windows.window_diff,
        "mean_pk": windows.pk,
    }


def test_agreement_about_boundaries() -> None:
    found = values()
    assert found["A_a_B"] == pytest.approx(0.530055, abs=5e-7)
    assert found["pi_B"] == pytest.approx(0.464450, abs=5e-7)
    assert found["kappa_B"] == pytest.approx(0.465320, abs=5e-7)


@needed.needs_data(EXPECTED)
def test_every_recorded_value() -> None:
    record: dict[str, Any] = json.loads(EXPECTED.read_text(encoding="utf-8"))
    expected = record["segeval_2.0.11"]["hearst1997"]
    assert values() == pytest.approx({key: expected[key] for key in values()}, abs=1e-12)


def test_bias_is_what_separates_the_two_chance_models() -> None:
    found = segmentation(Units.from_masses(STARGAZERS))
    assert found.bias == pytest.approx(found.b.expected_pi - found.b.expected_kappa)
    assert found.bias > 0


def test_pairs_are_those_of_the_function_for_two() -> None:
    found = segmentation(Units.from_masses(STARGAZERS))
    for pair, (a, b) in zip(found.pairs, combinations(STARGAZERS, 2), strict=True):
        alone = boundary_similarity(STARGAZERS[a], STARGAZERS[b])
        assert (pair.first, pair.second) == (a, b)
        assert (pair.b, pair.s) == pytest.approx((alone.b, alone.s))
