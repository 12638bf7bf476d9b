"""Crowds with many labels, items with very many ratings, and a limit for the whole process."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience import engine
from consilience.core.database import n_bytes

from .test_every_engine import parquet


def crowd(n_items, n_raters, n_labels, *, per_item=4, seed=0, text_items=True):
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n_items), per_item)
    first = rng.integers(0, n_raters, n_items)[:, None]
    rater = ((first + np.arange(per_item)) % n_raters).ravel()
    truth = np.repeat(rng.integers(0, n_labels, n_items), per_item)
    label = np.where(rng.random(item.size) < 0.6, truth, rng.integers(0, n_labels, item.size))
    order = rng.permutation(item.size)
    return {
        "item": np.array([f"item {k}" for k in item])[order] if text_items else item[order] * 3,
        "rater": np.array([f"rater {k}" for k in rater])[order],
        "label": np.array([f"label {k}" for k in label])[order],
    }


@pytest.mark.parametrize("text_items", [True, False])
def test_many_labels_of_a_crowd_are_listed_rating_by_rating(text_items, tmp_path):
    table = crowd(600, 150, 90, text_items=text_items)
    memory = cs.Ratings.from_long(table)
    found = engine.reduce_files(parquet(table, tmp_path))
    assert (found.n_items, found.n_raters, found.n_ratings) == (600, 150, 2_400)
    for coefficient in (cs.krippendorff_alpha, cs.scott_pi, cs.gwet_ac, cs.cohen_kappa):
        ours, theirs = coefficient(found), coefficient(memory)
        assert ours.value == pytest.approx(theirs.value, abs=1e-12)
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-9)


@pytest.mark.parametrize("n_raters", [6, 150])
def test_blank_untidy_and_missing_cells_among_many_labels(n_raters, tmp_path, monkeypatch):
    from consilience.engine import table_reduction

    monkeypatch.setattr(table_reduction, "FIRST_ROWS", 40)
    table = crowd(500, n_raters, 90)
    clean = {name: column.astype(object) for name, column in table.items()}
    untidy = {name: column.copy() for name, column in clean.items()}
    for shift, cell in enumerate(["", "  ", "skip", None]):
        clean["label"][shift::37] = None
        untidy["label"][shift::37] = cell
    untidy["label"][5::37] = [f" {label} " for label in clean["label"][5::37]]
    memory = cs.Ratings.from_long(clean)
    found = engine.reduce_files(parquet(untidy, tmp_path), missing_values=["skip"])
    assert found.n_ratings == memory.n_ratings
    for coefficient in (cs.krippendorff_alpha, cs.cohen_kappa):
        ours, theirs = coefficient(found), coefficient(memory)
        assert ours.value == pytest.approx(theirs.value, abs=1e-12)
        assert ours.standard_error == pytest.approx(theirs.standard_error, rel=1e-9)


@pytest.mark.parametrize(("n_raters", "n_labels"), [(5, 3_000), (3_000, 5), (200, 300)])
def test_every_value_is_known_before_it_is_looked_up(n_raters, n_labels, tmp_path, monkeypatch):
    """One that is not among those of an enumeration costs the database a walk through all."""
    from consilience.engine import duckdb_engine, table_reduction

    monkeypatch.setattr(table_reduction, "FIRST_ROWS", 300)
    listed = []
    known = duckdb_engine.DuckTable._list
    monkeypatch.setattr(
        duckdb_engine.DuckTable, "_list", lambda self, x: (listed.append(len(x)), known(self, x))[1]
    )
    table = crowd(4_000, n_raters, n_labels)
    found = engine.reduce_files(parquet(table, tmp_path))
    assert set(listed) <= {len(np.unique(table[name])) for name in ("rater", "label")}
    assert (found.n_ratings, found.n_raters) == (16_000, len(np.unique(table["rater"])))


def test_a_rater_who_rated_twice_is_named_among_many_labels(tmp_path):
    table = crowd(300, 120, 60)
    again = {name: np.append(column, column[:1]) for name, column in table.items()}
    again["label"][-1] = "label 7"
    with pytest.raises(cs.exceptions.InputError, match="on item"):
        engine.reduce_files(parquet(again, tmp_path))


def test_an_item_may_have_any_number_of_ratings(tmp_path):
    many = 5_000
    rows = {
        "item": [0] * many + [1, 1, 2, 2],
        "rater": [*range(many), 0, 1, 0, 1],
        "label": ["ab"[k % 2] for k in range(many)] + ["a", "a", "b", "a"],
    }
    found = engine.reduce_files(parquet(rows, tmp_path))
    expected = cs.Ratings.from_counts([[many // 2, many // 2], [2, 0], [1, 1]])
    assert found.n_ratings == many + 4
    alpha = cs.krippendorff_alpha(found).value
    assert alpha == pytest.approx(cs.krippendorff_alpha(expected).value, abs=1e-12)


def test_what_does_not_fit_is_said_before_it_is_begun(tmp_path, monkeypatch):
    from consilience.engine import table_reduction

    path = parquet(crowd(600, 150, 90), tmp_path)
    monkeypatch.setattr(table_reduction, "_PER_RATING", 1_000_000)
    with pytest.raises(cs.exceptions.UnsupportedDesignError, match=r"at least 2\.5 GB for 2,400"):
        engine.reduce_files(path, memory_limit="1GB")
    assert engine.reduce_files(path, memory_limit="3GB").n_ratings == 2_400


@pytest.mark.parametrize(
    ("text", "number"), [("512MB", 512_000_000), ("2 GiB", 2 << 30), ("1.5gb", 1_500_000_000)]
)
def test_sizes_are_numbers_of_bytes(text, number):
    assert n_bytes(text) == number


def test_ordinal_alpha_of_numbers_that_hardly_repeat_by_ranks(tmp_path, monkeypatch):
    """Krippendorff's ordinal metric is the squared difference of mid-ranks: sums give it all."""
    from consilience.engine import table_reduction

    monkeypatch.setattr(table_reduction, "_MOST_LISTED", 50)
    monkeypatch.setattr(table_reduction, "_MANY_LABELS", 20)
    rng = np.random.default_rng(4)
    item = np.repeat(np.arange(400), 4)
    number = np.round(np.repeat(rng.normal(size=400), 4) + rng.normal(size=1_600), 2)
    kept = rng.random(1_600) < 0.6
    table = {
        "item": item[kept],
        "rater": np.tile(["a", "b", "c", "d"], 400)[kept],
        "label": number[kept],
    }
    memory = cs.krippendorff_alpha(cs.Ratings.from_long(table, scale="ordinal"))
    ratings = engine.reduce_files(parquet(table, tmp_path), scale="ordinal")
    found = cs.krippendorff_alpha(ratings)
    assert ratings.has_sums_only
    assert found.value == pytest.approx(memory.value, abs=1e-11)
    assert found.standard_error == pytest.approx(memory.standard_error, rel=1e-9)
    assert found.n_items_used == memory.n_items_used
