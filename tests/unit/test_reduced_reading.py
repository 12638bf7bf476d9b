"""Long files with very many rows: the same ratings, whether items keep their names or not."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.io import _reduced

pd = pytest.importorskip("pandas")


@pytest.fixture(autouse=True)
def _few_rows_are_many(monkeypatch):
    monkeypatch.setattr(_reduced, "MANY_ROWS", 10)


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


def assert_same(path, **options):
    kept, forgot = cs.read(path, **options), cs.read(path, items="forget", **options)
    assert forgot._store.multiplicity is not None
    assert forgot.categories == kept.categories
    assert (forgot.n_ratings, set(forgot.raters)) == (kept.n_ratings, set(kept.raters))
    for one, other in zip(cs.measure(forgot), cs.measure(kept), strict=True):
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
    for items in ("names", "forget"):
        try:
            results.append(cs.read(path, items=items).n_ratings)
        except cs.ConsilienceError as error:
            results.append(str(error))
    assert results[0] == results[1]


def test_an_unknown_word_is_refused(tmp_path):
    with pytest.raises(cs.ConsilienceError, match="forget"):
        cs.read(written(table(), tmp_path / "a.csv"), items="lose")
