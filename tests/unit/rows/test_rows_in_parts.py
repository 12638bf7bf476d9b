"""Very many sparse rows pass by in parts, and the numbers are those of all at once."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.rows import _terms, distinct_rows


def crowd(n_items=400, n_raters=60, n_labels=300, per_item=4):
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(n_items), per_item)
    rater = (rng.integers(0, n_raters, n_items)[:, None] + np.arange(per_item)) % n_raters
    truth = np.repeat(rng.integers(0, n_labels, n_items), per_item)
    label = np.where(rng.random(item.size) < 0.6, truth, rng.integers(0, n_labels, item.size))
    return {"item": item, "rater": rater.ravel(), "label": label}


@pytest.mark.parametrize(
    "coefficient",
    [cs.krippendorff_alpha, cs.scott_pi, cs.gwet_ac, cs.cohen_kappa, cs.percent_agreement],
)
def test_parts_give_the_numbers_of_all_rows(coefficient, monkeypatch):
    def measured():
        one = coefficient(cs.Ratings.from_long(crowd(), scale="nominal"))
        interval = one.confidence_interval()
        return [one.value, one.standard_error, interval.low, interval.high]

    monkeypatch.setattr(distinct_rows, "DENSE_CELLS", 0)
    whole = measured()
    monkeypatch.setattr(distinct_rows, "_ENTRIES_AT_ONCE", 100)
    np.testing.assert_allclose(measured(), whole, rtol=1e-11)


def test_kappa_left_out_by_pairs_of_ratings_or_by_all_cells(monkeypatch):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, (2_000, 1))
    codes = np.where(rng.random((2_000, 30)) < 0.7, truth, rng.integers(0, 3, (2_000, 30)))
    found = []
    for share in (0.0, 1e9):
        monkeypatch.setattr(_terms, "_PAIRS_PER_CELL", share)
        monkeypatch.setattr("consilience.rows.reduce.DENSE_CELLS", 0)
        kappa = cs.cohen_kappa(cs.Ratings.from_wide(codes))
        found.append(kappa.confidence_interval(method="jackknife"))
    assert found[0].low == pytest.approx(found[1].low, rel=1e-9)
    assert found[0].high == pytest.approx(found[1].high, rel=1e-9)
