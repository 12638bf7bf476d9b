"""Cohen (1960), kappa, and Cohen (1968), weighted kappa, on the same 200 subjects."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs

THREE_DECIMALS = 0.0005
WEIGHTS_1968 = [[0, 1, 3], [1, 0, 6], [3, 6, 0]]


@pytest.fixture(scope="module")
def subjects() -> cs.Ratings:
    return cs.datasets.load("cohen_1960")


def test_kappa_is_as_printed(subjects: cs.Ratings) -> None:
    kappa = cs.cohen_kappa(subjects)
    assert kappa.observed == pytest.approx(0.70)
    assert kappa.expected == pytest.approx(0.41)
    assert kappa.value == pytest.approx(0.492, abs=THREE_DECIMALS)


def test_weighted_kappa_is_as_printed(subjects: cs.Ratings) -> None:
    distance = cs.distances.matrix(WEIGHTS_1968, subjects.categories)
    assert cs.cohen_kappa(subjects, distance=distance).value == pytest.approx(
        0.348, abs=THREE_DECIMALS
    )


def test_weighted_kappa_does_not_depend_on_the_unit_of_the_weights(subjects: cs.Ratings) -> None:
    values = [
        cs.cohen_kappa(
            subjects,
            distance=cs.distances.matrix(unit * np.array(WEIGHTS_1968), subjects.categories),
        ).value
        for unit in (1, 1 / 6, 1000)
    ]
    assert values == pytest.approx([values[0]] * 3)
