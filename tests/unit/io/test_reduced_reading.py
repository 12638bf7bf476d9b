"""Long files with very many rows: the same ratings, row by row, item by item, without names."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import consilience as cs
import needed
from consilience.io.building import _build_ratings as _reduced
from consilience.ratings import stores

pd = needed.package("pandas")


@pytest.fixture(autouse=True)
def _few_rows_are_many(monkeypatch):
    monkeypatch.setattr(_reduced, "MANY_ROWS", 10)


def row_by_row(path, **options):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_reduced, "MANY_ROWS", 10**9)
        return cs.load(path, **options)


def table(n_items=200, seed=1, labels=("x", "y", "NA")):
    rng = np.random.default_rng(seed)
    truth = np.repeat(rng.integers(0, len(labels), n_items), 3)
    code = np.where(rng.random(3 * n_items) < 0.7, truth, rng.integers(0, len(labels), 3 * n_items))
    frame = pd.DataFrame(
        {
            "item": np.repeat([f"i{k}" for k in range(n_items)], 3),
            "rater": np.tile(["ann", "bob", "cid"], n_items),
            "label": np.array(labels, dtype=object)[code],
        }
    )
    return frame[rng.random(len(frame)) > 0.2].sample(frac=1.0, random_state=seed)


def written(frame, path):
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    else:
        frame.to_parquet(path)
    return path


def facts(ratings):
    return {
        "items": ratings.items,
        "raters": ratings.raters,
        "labels": ratings.categories,
        "design": ratings.design,
        "scale": ratings.scale,
        "notes": ratings.notes,
        "missing": ratings.n_missing,
        "ratings": ratings.to_frame().to_dict("list"),
    }


def assert_same(path, **options):
    slow, kept = row_by_row(path, **options), cs.load(path, **options)
    for fact, value in facts(slow.ratings).items():
        assert facts(kept.ratings)[fact] == value, fact
    assert sorted(kept.reading.evidence) == sorted(slow.reading.evidence)
    forgot = cs.read(path, items="forget", **options)
    assert forgot.store.multiplicity is not None
    assert (forgot.categories, forgot.raters) == (slow.ratings.categories, slow.ratings.raters)
    assert forgot.n_ratings == slow.ratings.n_ratings
    for one, other in zip(cs.measure(forgot), cs.measure(slow.ratings), strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-12)
        assert one.standard_error == pytest.approx(other.standard_error, abs=1e-12)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
@pytest.mark.parametrize(
    ("labels", "options"),
    [
        (("x", "y", "NA"), {}),
        (("x", "y", "NA"), {"missing_values": ["NA"]}),
        ((1, 2, 3), {"scale": "ordinal"}),
        (("1.5", "2", "10"), {"scale": "interval"}),
        (("no", "yes"), {"categories": ["no", "maybe", "yes"]}),
    ],
)
def test_the_same_estimates_with_and_without_names(tmp_path, suffix, labels, options):
    assert_same(written(table(labels=labels), tmp_path / f"long{suffix}"), **options)


@pytest.mark.parametrize("suffix", [".csv", ".parquet"])
def test_items_and_raters_without_any_label_are_kept(tmp_path, suffix):
    frame = table(40)
    frame.loc[frame["item"] == "i3", "label"] = None
    frame.loc[frame["rater"] == "bob", "label"] = None
    assert_same(written(frame, tmp_path / f"long{suffix}"))


def test_whole_numbers_name_items_in_parquet(tmp_path):
    frame = table(60)
    frame["item"] = [int(name[1:]) * 1_000_003 - 7 for name in frame["item"]]
    assert_same(written(frame, tmp_path / "long.parquet"))


def test_blanks_around_labels_and_raters_mean_nothing(tmp_path):
    frame = table()
    frame.loc[frame.index[::7], "label"] = frame["label"] + " "
    frame.loc[frame.index[::5], "rater"] = " " + frame["rater"]
    assert_same(written(frame, tmp_path / "long.csv"))


@pytest.mark.parametrize(
    "what", ["blank item", "twice", "empty item", "empty rater", "many labels"]
)
def test_what_is_not_plain_is_read_row_by_row(tmp_path, what):
    frame = table()
    first = frame.index[0]
    if what == "blank item":
        frame.loc[first, "item"] = " i0"
    elif what == "twice":
        frame = pd.concat([frame, frame.iloc[:1]])
    elif what == "empty item":
        frame.loc[first, "item"] = ""
    elif what == "empty rater":
        frame.loc[first, "rater"] = ""
    else:
        frame["label"] = [f"l{k}" for k in range(len(frame))]
    path = written(frame, tmp_path / "long.csv")
    results = []
    for read in (row_by_row, cs.load, partial(cs.load, items="forget")):
        try:
            results.append(read(path).ratings.to_frame().to_dict("list"))
        except cs.ConsilienceError as error:
            results.append(str(error))
    assert results[0] == results[1] == results[2]


def test_a_label_that_the_scale_forbids_is_named(tmp_path):
    frame = table(labels=(1, 2, 3)).astype({"label": object})
    frame.iloc[4, 2] = "good"
    with pytest.raises(cs.ConsilienceError, match=r"long\.csv.*'good'.*missing_values=\['good'\]"):
        cs.read(written(frame, tmp_path / "long.csv"), scale="interval")


def test_dozens_of_raters_with_few_items_each_stay_a_table_of_ratings(tmp_path, monkeypatch):
    monkeypatch.setattr(stores, "_SMALL_MATRIX", 100)
    frame = table(300)
    frame["rater"] = [f"r{k % 60}" for k in range(len(frame))]
    path = written(frame.drop_duplicates(["item", "rater"]), tmp_path / "long.csv")
    assert isinstance(cs.read(path).store, stores.LongTable)
    assert cs.read(path).to_frame().to_dict("list") == row_by_row(path).ratings.to_frame().to_dict(
        "list"
    )


def test_an_unknown_word_is_refused(tmp_path):
    with pytest.raises(cs.ConsilienceError, match="forget"):
        cs.read(written(table(), tmp_path / "a.csv"), items="lose")
