"""Very many sparse rows pass by in parts, and the numbers are those of all at once."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.rows import _terms, distinct_rows
from consilience.rows.reduce import count_codes


def crowd(n_items=2_500, n_raters=60, n_labels=2_000, per_item=4):
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
        n_parts = len(list(one._basis.evaluation.source.chunks()))
        return n_parts, [one.value, one.standard_error, interval.low, interval.high]

    n_parts, whole = measured()
    assert n_parts == 1
    monkeypatch.setattr(distinct_rows, "_ENTRIES_AT_ONCE", 1_500)
    n_parts, in_parts = measured()
    assert n_parts > 3
    np.testing.assert_allclose(in_parts, whole, rtol=1e-11)


def test_kappa_left_out_by_pairs_of_ratings_or_by_all_cells(monkeypatch):
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 3, (2_000, 1))
    codes = np.where(rng.random((2_000, 30)) < 0.7, truth, rng.integers(0, 3, (2_000, 30)))
    found = []
    for share in (0.0, 1e9):
        monkeypatch.setattr(_terms, "_PAIRS_PER_CELL", share)
        monkeypatch.setitem(count_codes.__kwdefaults__, "dense_cells", 0)  # sparse rows
        kappa = cs.cohen_kappa(cs.Ratings.from_wide(codes))
        assert hasattr(kappa._basis.evaluation.source.rows.by_rater, "tocsc")
        found.append(kappa.confidence_interval(method="jackknife"))
    assert found[0].low == pytest.approx(found[1].low, rel=1e-9)
    assert found[0].high == pytest.approx(found[1].high, rel=1e-9)
