"""Krippendorff (2011). Computing Krippendorff's Alpha-Reliability, examples A to C."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import consilience as cs

THREE_DECIMALS = 0.0005


def test_example_a_binary_data_of_two_observers() -> None:
    alpha = cs.krippendorff_alpha(cs.datasets.load("krippendorff_2011_binary"))
    assert alpha.value == pytest.approx(0.095, abs=THREE_DECIMALS)
    # 14 zeros and 6 ones among 20 values, 8 of them in mismatching coincidences.
    assert alpha.value == pytest.approx(1 - 19 * 8 / (2 * 14 * 6))


def test_example_b_nominal_data_of_two_observers() -> None:
    alpha = cs.krippendorff_alpha(cs.datasets.load("krippendorff_2011_nominal"))
    assert alpha.value == pytest.approx(0.692, abs=THREE_DECIMALS)


@pytest.mark.parametrize(
    ("metric", "printed"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_example_c_any_metric_with_missing_data(metric: str, printed: float) -> None:
    ratings = cs.datasets.load("krippendorff_2011")
    alpha = cs.krippendorff_alpha(ratings, distance=metric)
    assert alpha.value == pytest.approx(printed, abs=THREE_DECIMALS)
    assert alpha.n_items == 12
    assert alpha.n_items_used == 11  # unit 12 has one value


@pytest.mark.parametrize(
    ("scale", "printed"),
    [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849), ("ratio", 0.797)],
)
def test_example_c_takes_the_metric_from_the_scale(scale: str, printed: float) -> None:
    cells = cs.datasets.describe("krippendorff_2011").cells
    ratings = cs.Ratings.from_wide(cells, scale=scale)
    assert cs.krippendorff_alpha(ratings).value == pytest.approx(printed, abs=THREE_DECIMALS)


def test_example_c_by_enumerating_all_pairs() -> None:
    cells = cs.datasets.describe("krippendorff_2011").cells
    units = [[x for x in row if x is not None] for row in cells]
    units = [unit for unit in units if len(unit) > 1]
    values = [x for unit in units for x in unit]
    assert len(values) == 40
    observed = sum(
        (a - b) ** 2 / (len(unit) - 1) for unit in units for a, b in itertools.permutations(unit, 2)
    ) / len(values)
    expected = np.mean([(a - b) ** 2 for a, b in itertools.permutations(values, 2)])
    alpha = cs.krippendorff_alpha(cs.datasets.load("krippendorff_2011"), distance="interval")
    assert alpha.observed_disagreement == pytest.approx(observed)
    assert alpha.expected_disagreement == pytest.approx(expected)
    assert alpha.value == pytest.approx(1 - observed / expected)
