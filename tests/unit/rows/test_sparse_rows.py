"""Rows of few among many labels are held sparse, and give what dense ones give."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array

import consilience as cs
from consilience.coefficients import estimate, registry
from consilience.inference.resampling import Replicator
from consilience.rows import Rows, distinct_rows, reduce_to_rows
from consilience.rows import terms as _terms
from consilience.rows.reduce import count_codes


def cells(seed=0, n=40, raters=4, labels=7, missing=0.35):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, (n, 1))
    wide = np.where(rng.random((n, raters)) < 0.6, truth, rng.integers(0, labels, (n, raters)))
    out = wide + 1.0
    out[rng.random((n, raters)) < missing] = np.nan
    out[0, -1], out[1:, -1] = 3.0, np.nan  # one rater has one rating only
    return out


def sparse(rows: Rows) -> Rows:
    by_rater = None if rows.by_rater is None else csc_array(rows.by_rater)
    return Rows(rows.form, csc_array(rows.vectors), rows.ratings, rows.multiplicity, by_rater)


@pytest.mark.parametrize(
    ("name", "missing", "distance"),
    [
        (name, missing, distance)
        for name, missing in [*((name, None) for name in registry), ("kappa", "ap")]
        for distance in ("nominal", "linear", "interval")
        if (distance == "nominal" or not registry[name].nominal_only)
        and not registry[name].is_iterated
    ],
)
def test_leaving_out_each_row_is_the_same(name, missing, distance):
    coefficient = registry[name]
    wide = cells()[:, :2] if coefficient.two_raters_only else cells()
    ratings = cs.Ratings.from_wide(wide, scale="interval")
    one = estimate(coefficient, (ratings,), distance=distance, missing=missing)
    rows = next(iter(one._basis.evaluation.source.chunks()))
    fitted = one._basis.coefficient
    dense_values = Replicator(fitted, rows).without_each_row()
    np.testing.assert_allclose(
        Replicator(fitted, sparse(rows)).without_each_row(), dense_values, rtol=1e-11, atol=1e-13
    )


@pytest.mark.parametrize("distance", ["nominal", "linear", "interval"])
def test_distances_within_sparse_rows(distance):
    ratings = cs.Ratings.from_wide(cells(1), scale="interval")
    chosen = cs.distances.get_distance(distance, scale="interval")
    rows = next(iter(reduce_to_rows(ratings, chosen).chunks()))
    np.testing.assert_allclose(sparse(rows).within, rows.within, atol=1e-12)


def test_clusters_of_items_with_many_labels():
    """Clusters of sparse rows: the same interval as when the labels are fewer than the limit."""
    rng = np.random.default_rng(2)
    truth = rng.integers(0, 900, (9_000, 1))
    wide = np.where(rng.random((9_000, 2)) < 0.8, truth, rng.integers(0, 900, (9_000, 2)))
    ratings = cs.Ratings.from_wide(wide, scale="nominal").with_clusters(np.arange(9_000) // 3)
    one = cs.krippendorff_alpha(ratings)
    low, high = one.confidence_interval()
    assert low < one.value < high
    error = (high - low) / 2 / 1.96
    assert error == pytest.approx(one.standard_error, rel=0.02)


def test_twenty_thousand_labels_need_no_gigabyte():
    """Labels x items are never laid out: here that would be 3 GB at a time."""
    import tracemalloc

    rng = np.random.default_rng(3)
    truth = rng.integers(0, 20_000, (20_000, 1))
    wide = np.where(rng.random((20_000, 2)) < 0.8, truth, rng.integers(0, 20_000, (20_000, 2)))
    ratings = cs.Ratings.from_wide(wide.astype(str), scale="nominal")
    tracemalloc.start()
    summary = cs.measure(ratings)
    intervals = [one.confidence_interval() for one in summary]
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert all(interval.low < interval.high for interval in intervals)
    assert peak < 100e6


# ------------------------------------------- very many sparse rows pass by in parts


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
