"""Mathet, Widlöcher & Métivier (2015) and Mathet (2017): gamma, gamma-cat, gamma-k.

The worked example and the generated continua are those of the program pygamma-agreement; they are
read from the shared folder beside the repository, where it is present.
"""

from __future__ import annotations

import csv
import json
from typing import Any

import numpy as np
import pytest

import needed
from consilience.units import Units, best_alignment, gamma
from consilience.units._best_alignment import Continua, Dissimilarity

UNITS = needed.SHARED / "data" / "units"
needs_files = needed.needs_data(UNITS)
SIX_DIGITS = 1e-6
# What is left after thousands of random continua.
MONTE_CARLO = 0.01


@pytest.mark.parametrize(
    ("first", "second", "printed"),
    [
        ((4, 14), (40, 44), 22.2),
        ((4, 14), (20, 25), 3.2),
        ((4, 14), (14, 24), 1.0),
        ((20, 30), (20, 25), 0.11),
        ((20, 25), (14, 24), 0.22),
    ],
)
def test_positional_dissimilarity(first: Any, second: Any, printed: float) -> None:
    start, end = np.array([first, second], dtype=float).T
    zero = np.zeros(2, dtype=np.int64)
    units = Continua(start, end, zero, np.array([0, 1]), zero, 2, 1)
    found = Dissimilarity(1.0, 0.0, np.zeros((1, 1))).positional(
        units, np.array([0]), np.array([1])
    )
    assert found[0] == pytest.approx(printed, abs=0.05 if printed > 2 else 0.005)


def _continuum(name: str) -> Units:
    with (UNITS / "pygamma" / f"{name}.csv").open() as file:
        rows = [(r, label, float(a), float(b)) for r, label, a, b in csv.reader(file)]
    return Units.from_records(rows)


def _disorder(units: Units) -> tuple[float, int]:
    found = best_alignment(units)
    return float(found.disorder.sum() / (units.n_units / units.n_raters)), len(found)


@needs_files
@pytest.mark.parametrize(
    ("name", "size"), [("AlexPaulSuzan", 6), ("2by1000", 1085), ("3by100", 127), ("5by100", 104)]
)
def test_disorder_of_the_best_alignment(name: str, size: int) -> None:
    expected = json.loads((UNITS / "expected.json").read_text())
    record = expected["pygamma_files_disorder_alpha3_beta1_delta1"][f"{name}.csv"]
    disorder, alignments = _disorder(_continuum(name))
    assert disorder == pytest.approx(record, abs=SIX_DIGITS)
    assert alignments == size


@needs_files
@pytest.mark.parametrize("number", ["2", "20", "960"])
def test_disorder_of_songs(number: str) -> None:
    rows = []
    for rater in ("1", "2"):
        path = UNITS / "salami" / number / f"textfile{rater}_functions.txt"
        lines = [line.split("\t") for line in path.read_text().splitlines()]
        rows += [
            (rater, lines[k][1], float(lines[k][0]), float(lines[k + 1][0]))
            for k in range(len(lines) - 1)
        ]
    expected = json.loads((UNITS / "expected.json").read_text())
    record = expected["salami_functions_gamma_disorder_alpha3_beta1"][number]
    disorder, size = _disorder(Units.from_records(rows))
    assert (disorder, size) == (pytest.approx(record[0], abs=SIX_DIGITS), record[1])


@needs_files
def test_gamma_of_the_worked_example() -> None:
    found = gamma(_continuum("AlexPaulSuzan"), precision=None, n_samples=1500, rng=1)
    assert found.value == pytest.approx(0.456, abs=MONTE_CARLO)
    assert found.by_category["1"].value == 1.0
    # Category 7 was used once and stands with no close unit: there is nothing to compare.
    assert found.by_category["7"].status == "undefined"


@needs_files
def test_gamma_cat_in_the_variant_of_pygamma() -> None:
    """The ranges are those which that program's own tests accept."""
    found = gamma(_continuum("2by1000"), chance="statistical", variant="pygamma", rng=1)
    assert 0.39 <= found.value <= 0.42
    assert 0.38 <= found.cat.value <= 0.42
    ranges = {"Adj": (0.21, 0.25), "Noun": (0.36, 0.39), "Prep": (0.31, 0.35), "Verb": (0.11, 0.16)}
    for label, (low, high) in ranges.items():
        own = found.by_category[label]  # 30 random continua: theirs scatter as ours do
        assert low - 2 * own.monte_carlo_error <= own.value <= high + 2 * own.monte_carlo_error
