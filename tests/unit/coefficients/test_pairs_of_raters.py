"""All pairs of raters at once give what each pair gives by itself."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.coefficients import pairs_of_raters, registry
from consilience.ratings.stores import LongTable

SAME = 1e-11  # both sum the same terms, in another order


def drawn(seed=0, *, n=60, raters=5, labels=4, missing=0.3):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, labels, n)
    wide = np.where(
        rng.random((n, raters)) < 0.6, truth[:, None], rng.integers(0, labels, (n, raters))
    )
    cells = wide.astype(float) + 1
    cells[rng.random((n, raters)) < missing] = np.nan
    return cells


def one_by_one(ratings, **settings):
    pairs = cs.pairwise(ratings, **settings)
    every = [pairs.estimates[pair] for pair in pairs]
    return pairs, [one.value for one in every], [one.standard_error for one in every]


@pytest.mark.parametrize("missing", [0.0, 0.3])
@pytest.mark.parametrize(
    ("coefficient", "scale"),
    [
        (name, scale)
        for name in registry
        for scale in ("nominal", "ordinal", "interval")
        if scale == "nominal" or not registry[name].nominal_only
    ],
)
def test_every_coefficient_of_every_pair(coefficient, scale, missing):
    ratings = cs.Ratings.from_wide(drawn(missing=missing), scale=scale)
    pairs, values, errors = one_by_one(ratings, coefficient=coefficient)
    np.testing.assert_allclose(pairs.values, values, rtol=0, atol=SAME)
    np.testing.assert_allclose(pairs.standard_errors, errors, rtol=1e-9, atol=SAME)


@pytest.mark.parametrize(
    "settings",
    [
        {"missing": "listwise"},
        {"missing": "ap"},
        {"standard_error": "table"},
        {"standard_error": "gwet"},
        {"distance": "linear"},
        {"distance": "ordinal", "coefficient": "gwet_ac"},
        {"population": 500.0},
    ],
)
def test_settings_hold_for_every_pair(settings):
    ratings = cs.Ratings.from_wide(drawn(1), scale="ordinal")
    pairs, values, errors = one_by_one(ratings, **settings)
    np.testing.assert_allclose(pairs.values, values, rtol=0, atol=SAME)
    np.testing.assert_allclose(pairs.standard_errors, errors, rtol=1e-9, atol=SAME)


@pytest.mark.parametrize(("labels", "cells_at_once"), [(2, 3_000), (9, 3_000), (90, 3_000), (9, 1)])
def test_a_crowd_in_long_form_and_many_labels(labels, cells_at_once, monkeypatch):
    monkeypatch.setattr(pairs_of_raters, "_CELLS_AT_ONCE", cells_at_once)  # several blocks of pairs
    cells = drawn(2, n=300, raters=12, labels=labels, missing=0.8)
    item, rater = np.nonzero(~np.isnan(cells))
    table = LongTable(item, rater, cells[item, rater].astype(int) - 1, 300, 12)
    ratings = cs.Ratings.from_long(
        {"item": item, "rater": rater, "label": cells[item, rater].astype(int)}, scale="nominal"
    )
    pairs, values, errors = one_by_one(ratings)
    np.testing.assert_allclose(pairs.values, values, rtol=0, atol=SAME)
    np.testing.assert_allclose(pairs.standard_errors, errors, rtol=1e-9, atol=SAME)
    from consilience.coefficients.pairs_of_raters import rater_tables

    sparse = rater_tables(table, labels)
    together = (~np.isnan(cells)).astype(float).T @ ~np.isnan(cells)
    assert (sparse.n_common == together[sparse.first, sparse.second]).all()


def test_pairs_without_items_in_common_have_no_value():
    wide = [["a", "a", None], ["b", "a", None], [None, None, "a"], [None, "b", "b"]]
    pairs = cs.pairwise(cs.Ratings.from_wide(wide, raters=["Ann", "Bob", "Cid"]))
    assert pairs.without_overlap == (("Ann", "Cid"),)
    assert pairs.n_items == {("Ann", "Bob"): 2, ("Ann", "Cid"): 0, ("Bob", "Cid"): 1}
    assert np.isnan(pairs.matrix[0, 2])
    assert pairs["Bob", "Ann"].value == pairs["Ann", "Bob"].value
    with pytest.raises(KeyError):
        pairs["Ann", "Cid"]


def test_an_undefined_pair_is_told_when_asked_for():
    ratings = cs.Ratings.from_wide([["a", "a", "b"], ["a", "a", "a"], ["a", "a", "b"]])
    assert np.isnan(cs.pairwise(ratings).values[0])
    with pytest.raises(cs.exceptions.UndefinedCoefficientError):
        cs.pairwise(ratings, on_undefined="raise")


def test_clusters_widen_the_errors_of_pairs():
    ratings = cs.Ratings.from_wide(drawn(3, n=40)).with_clusters(np.arange(40) // 4)
    pairs, values, errors = one_by_one(ratings)
    np.testing.assert_allclose(pairs.values, values)
    np.testing.assert_allclose(pairs.standard_errors, errors)


def test_a_hundred_raters_are_a_product_of_matrices(monkeypatch):
    """Nothing is done pair by pair: no estimate is made before it is asked for."""
    ratings = cs.Ratings.from_wide(drawn(4, n=200, raters=100))

    def never(*_, **__):
        raise AssertionError("a pair was measured by itself")

    monkeypatch.setattr(pairs_of_raters, "estimate", never)
    assert len(cs.pairwise(ratings)) == 4950
