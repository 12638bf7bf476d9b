"""Dawid & Skene (1979). Maximum likelihood estimation of observer error-rates using EM.

Table 1: five anaesthetists judge on a scale from 1 to 4 how fit 45 patients are for anaesthesia;
the first observer judged each patient three times.
"""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.latent import dawid_skene

TWO_DECIMALS = 0.005
# Per patient: three ratings of observer 1, then one each of observers 2 to 5.
TABLE_1 = [
    "1111111", "3334334", "1122122", "2223121", "2223222",
    "2223322", "1122111", "3333433", "2222223", "2322223",
    "4444444", "2223343", "1111111", "2223212", "1211111",
    "1112111", "1111111", "1111111", "2222221", "2221322",
    "2222222", "2222221", "2223222", "2212222", "1111111",
    "1111111", "2322222", "1111111", "1111111", "1121121",
    "1111111", "3333233", "1111111", "2222222", "2223232",
    "4334343", "2212232", "2323233", "3333432", "1111111",
    "1111111", "1212111", "2322222", "1211111", "2222222",
]  # fmt: skip
OBSERVER = (1, 1, 1, 2, 3, 4, 5)


@pytest.fixture(scope="module")
def patients() -> cs.Ratings:
    columns = {
        "item": [i for i, _ in enumerate(TABLE_1, start=1) for _ in OBSERVER],
        "rater": [g for _ in TABLE_1 for g in OBSERVER],
        "label": [int(digit) for row in TABLE_1 for digit in row],
    }
    return cs.Ratings.from_long(columns, duplicates="occasions", categories=[1, 2, 3, 4])


def test_the_table_is_complete() -> None:
    assert len(TABLE_1) == 45
    assert {len(row) for row in TABLE_1} == {7}


def test_class_shares_are_as_printed(patients: cs.Ratings) -> None:
    found = dawid_skene(patients)
    assert found.prevalence == pytest.approx([0.40, 0.42, 0.11, 0.07], abs=TWO_DECIMALS)
    assert found.converged
    assert found.n_ratings == 315


def test_the_repeated_ratings_of_the_first_observer_count(patients: cs.Ratings) -> None:
    found = dawid_skene(patients)
    assert [one.n_ratings for one in found.raters] == [135, 45, 45, 45, 45]
    assert "repeated_ratings" in {one.code for one in found.findings}
    assert found.error_matrix(1)[0] == pytest.approx([0.907, 0.093, 0, 0], abs=0.001)


def test_the_likelihood_never_falls(patients: cs.Ratings) -> None:
    for options in ({}, {"model": "one-coin"}, {"smoothing": 0.01}, {"n_starts": 3}):
        found = dawid_skene(patients, tolerance=0, max_iterations=100, **options)
        assert (np.diff(found.history) > -1e-9).all()


def test_random_starts_find_a_higher_mode_with_other_classes(patients: cs.Ratings) -> None:
    votes = dawid_skene(patients)
    best = dawid_skene(patients, n_starts=60, rng=1)
    assert votes.log_likelihood == pytest.approx(-190.731, abs=0.001)
    assert best.log_likelihood == pytest.approx(-189.405, abs=0.001)
    assert len(best.starts) == 60
    assert best.starts[0] == pytest.approx(votes.log_likelihood, abs=1e-6)
    assert "several_modes" in {one.code for one in best.findings}
    assert best.labels != votes.labels
