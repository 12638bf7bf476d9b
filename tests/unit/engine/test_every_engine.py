"""The same estimates and standard errors from every engine, to 1e-12."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest

import consilience as cs
import needed
from consilience import engine

pd = needed.package("pandas")
pl = needed.package("polars")
pa = needed.package("pyarrow")
duckdb = needed.package("duckdb")


def parquet(table, folder):
    path = folder / "long.parquet"
    pd.DataFrame(table).to_parquet(path)
    return path


def csv(table, folder):
    path = folder / "long.csv"
    pd.DataFrame(table).to_csv(path, index=False)
    return path


def jsonl(table, folder):
    path = folder / "long.jsonl"
    pd.DataFrame(table).to_json(path, orient="records", lines=True)
    return path


def parts(table, folder):
    frame = pd.DataFrame(table)
    for k in range(3):
        frame.iloc[k::3].to_parquet(folder / f"part{k}.parquet")
    return folder / "part*.parquet"


def hive(table, folder):
    import pyarrow.dataset as ds

    frame = pd.DataFrame({**table, "day": np.arange(len(table["item"])) % 3})
    ds.write_dataset(pa.Table.from_pandas(frame), folder / "hive", format="parquet",
                     partitioning=["day"], partitioning_flavor="hive")  # fmt: skip
    return folder / "hive"


def dataset(table, folder):
    import pyarrow.dataset as ds

    return ds.dataset(parquet(table, folder))


FRAMES = {
    "pandas": lambda table, folder: pd.DataFrame(table),
    "polars": lambda table, folder: pl.DataFrame(table),
    "polars lazy": lambda table, folder: pl.DataFrame(table).lazy(),
    "pyarrow": lambda table, folder: pa.table(table),
    "pyarrow dataset": dataset,
    "duckdb": lambda table, folder: duckdb.from_df(pd.DataFrame(table)),
}
FILES = {"parquet": parquet, "csv": csv, "jsonl": jsonl, "parts": parts, "hive": hive}


def assert_same(got: cs.Ratings, wanted: cs.Ratings) -> None:
    first, second = cs.measure(got), cs.measure(wanted)
    assert [e.coefficient for e in first] == [e.coefficient for e in second]
    for one, other in zip(first, second, strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-12)
        assert one.standard_error == pytest.approx(other.standard_error, abs=1e-12)
    assert got.n_items == len(set(wanted.items))
    assert got.n_ratings == wanted.n_ratings


@pytest.mark.parametrize("name", FRAMES)
def test_frames_are_reduced_where_they_lie(name, table, ratings, tmp_path):
    assert_same(engine.reduce(FRAMES[name](table, tmp_path)), ratings)


@pytest.mark.parametrize("name", FILES)
def test_files_are_reduced_by_duckdb(name, table, ratings, tmp_path):
    assert_same(engine.reduce_files(str(FILES[name](table, tmp_path))), ratings)


def test_spark_gives_the_same_rows_to_the_bit(spark, table, ratings, tmp_path):
    path = parquet(table, tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PySpark's own dependencies
        here = engine.reduce_files(str(path), engine="spark")
        there = engine.reduce(spark.read.parquet(str(path)))
    embedded = engine.reduce_files(str(path))
    wanted = engine.save_rows(embedded, tmp_path / "wanted.rows").read_bytes()
    for got in (here, there):
        assert_same(got, ratings)
        saved = engine.save_rows(got, tmp_path / "got.rows", existing="replace")
        assert saved.read_bytes() == wanted


def test_spark_says_what_went_wrong(spark, tmp_path):
    path = tmp_path / "broken.parquet"
    path.write_bytes(b"PAR1 not really")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(cs.ConsilienceError, match="broken"):
            engine.reduce_files(str(path), engine="spark")


@pytest.mark.parametrize("name", FRAMES)
def test_crowds_are_reduced_to_counts(name, tmp_path):
    rng = np.random.default_rng(1)
    item = np.repeat(np.arange(300), 3)
    rater = np.concatenate([rng.choice(200, 3, replace=False) for _ in range(300)])
    crowd = {"item": item, "rater": rater, "label": rng.integers(1, 5, 900)}
    got = engine.reduce(FRAMES[name](crowd, tmp_path))
    wanted = cs.Ratings.from_long(crowd)
    for coefficient in (cs.krippendorff_alpha, cs.scott_pi, cs.gwet_ac, cs.bennett_s):
        one, other = coefficient(got), coefficient(wanted)
        assert one.value == pytest.approx(other.value, abs=1e-12)
        assert one.standard_error == pytest.approx(other.standard_error, abs=1e-12)
    with pytest.raises(cs.ConsilienceError, match="who gave which"):
        cs.cohen_kappa(got)


@pytest.mark.parametrize("name", ["pandas", "polars lazy", "duckdb", "pyarrow"])
def test_numbers_are_reduced_to_sums(name, tmp_path):
    rng = np.random.default_rng(2)
    item = np.repeat(np.arange(500), 3)
    keep = rng.random(1500) > 0.2
    numbers = {
        "item": item[keep],
        "rater": np.tile([1, 2, 3], 500)[keep],
        "label": (rng.normal(size=500)[item] + rng.normal(size=1500) + 50.0)[keep],
    }
    wanted = cs.krippendorff_alpha(cs.Ratings.from_long(numbers, scale="interval"))
    got = engine.reduce(FRAMES[name](numbers, tmp_path), scale="interval")
    one = cs.krippendorff_alpha(got)
    assert one.value == pytest.approx(wanted.value, abs=1e-11)
    assert one.standard_error == pytest.approx(wanted.standard_error, abs=1e-11)
    summary = cs.measure(got)
    assert "krippendorff_alpha" in {e.coefficient for e in summary}
    by_file = engine.reduce_files(str(parquet(numbers, tmp_path)), scale="interval")
    assert cs.krippendorff_alpha(by_file).value == pytest.approx(wanted.value, abs=1e-11)
    with pytest.raises(cs.ConsilienceError, match="the ratings themselves"):
        one.confidence_interval(method="bca")


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("same", [True, False])
def test_a_rater_who_rated_twice_is_named(name, same, tmp_path):
    twice = {
        "item": ["i", "i", "i", "j", "j"],
        "rater": ["a", "a", "b", "a", "b"],
        "label": ["z", "z" if same else "y", "x", "x", "x"],
    }
    with pytest.raises(cs.ConsilienceError, match="'a' 2 times on item 'i'"):
        engine.reduce(FRAMES[name](twice, tmp_path))


def test_sums_that_run_over_into_another_rater_are_noticed(tmp_path):
    """Five labels: the fifth twice looks like two raters' labels if only sums are compared."""
    rows = {
        "item": list("iijjkkllmm"),
        "rater": list("ababababaa"),
        "label": [1, 2, 3, 4, 5, 1, 2, 3, 5, 5],
    }
    for made in FRAMES.values():
        with pytest.raises(cs.ConsilienceError, match="2 times on item 'm'"):
            engine.reduce(made(rows, tmp_path))


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"item": ["i", None, "j", "j"]}, "every item"),
        ({"rater": ["a", None, "a", "b"]}, "every rater"),
        ({"label": [None, None, None, None]}, "nothing stands in 'label'"),
    ],
)
def test_what_is_not_there_is_said(change, match):
    rows = {"item": ["i", "i", "j", "j"], "rater": ["a", "b", "a", "b"], "label": list("xyxx")}
    with pytest.raises(cs.ConsilienceError, match=match):
        engine.reduce(pl.DataFrame({**rows, **change}, schema=dict.fromkeys(rows, pl.String)))


def test_other_columns_missing_values_and_declared_labels(table):
    frame = pl.DataFrame(table).rename({"item": "unit", "rater": "coder", "label": "code"})
    got = engine.reduce(frame, item="unit", rater="coder", label="code", missing_values=["z"],
                        categories=["x", "y", "w"])  # fmt: skip
    wanted = cs.Ratings.from_long(table, missing_values=["z"], categories=["x", "y", "w"])
    assert got.categories == ("x", "y", "w")
    assert cs.bennett_s(got).value == pytest.approx(cs.bennett_s(wanted).value, abs=1e-12)
    assert engine.reduce(frame).n_ratings == len(table["item"])  # recognised by their names
    with pytest.raises(cs.ConsilienceError, match="item"):
        engine.reduce(frame, item="unitt")
    with pytest.raises(cs.ConsilienceError, match="categories"):
        engine.reduce(pl.DataFrame(table), categories=["x", "y"])
    with pytest.raises(cs.ConsilienceError, match="a dataframe"):
        engine.reduce([1, 2, 3])


def test_many_raters_still_know_who_rated(tmp_path):
    rng = np.random.default_rng(3)
    names = [f"r{k}" for k in range(40)]
    big = {
        "item": np.repeat(np.arange(60), 40),
        "rater": np.tile(names, 60),
        "label": rng.integers(0, 5, 2400),
    }
    got = engine.reduce(pd.DataFrame(big))
    assert cs.cohen_kappa(got).value == pytest.approx(
        cs.cohen_kappa(cs.Ratings.from_long(big)).value, abs=1e-12
    )


def test_a_memory_limit_makes_it_spill_and_finish(tmp_path):
    n = 400_000
    big = {
        "item": np.repeat(np.arange(n), 2),
        "rater": np.tile(["a", "b"], n),
        "label": np.random.default_rng(4).integers(0, 3, 2 * n),
    }
    path = parquet(big, tmp_path)
    got = engine.reduce_files(str(path), memory_limit="60MB", spill_folder=tmp_path)
    assert got.n_items == n
    assert not [p for p in tmp_path.iterdir() if p.name.startswith("consilience-")]


@pytest.mark.parametrize(
    ("change", "match"),
    [({"item": ["i", None, "j", "j"]}, "'item'"), ({"rater": ["a", None, "a", "b"]}, "rater")],
)
def test_files_whose_rows_name_nobody_are_refused(change, match, tmp_path):
    rows = {"item": ["i", "i", "j", "j"], "rater": ["a", "b", "a", "b"], "label": list("xyxx")}
    path = parquet({**rows, **change}, tmp_path)
    with pytest.raises(cs.ConsilienceError, match=match):
        engine.reduce_files(str(path))


@pytest.mark.parametrize("name", [*FRAMES, *FILES])
def test_nan_is_no_rating_and_minus_zero_is_zero(name, tmp_path):
    numbers = [0.0, math.nan, -0.0, 1.0, 1.0, 1.0, math.nan, 0.0]
    rows = {"item": [1, 1, 2, 2, 3, 3, 4, 4], "rater": list("ab") * 4, "label": numbers}
    expected = cs.Ratings.from_long(rows)
    made = {**FRAMES, **FILES}[name](rows, tmp_path)
    found = engine.reduce_files(str(made)) if name in FILES else engine.reduce(made)
    assert found.n_ratings == expected.n_ratings == 6
    assert cs.krippendorff_alpha(found).value == cs.krippendorff_alpha(expected).value


@pytest.mark.parametrize(
    ("option", "match"),
    [({"memory_limit": "banana"}, "512MB"), ({"spill_folder": "nowhere/at/all"}, "create it")],
)
def test_limits_that_make_no_sense_are_said(option, match, table, tmp_path):
    with pytest.raises(cs.exceptions.InputError, match=match):
        engine.reduce_files(parquet(table, tmp_path), **option)


def test_what_duckdb_says_is_told_without_its_query(tmp_path):
    path = tmp_path / "half.parquet"
    path.write_bytes(b"PAR1 and no more")
    with pytest.raises(cs.exceptions.InputError) as said:
        engine.reduce_files(path)
    assert "SELECT" not in str(said.value)


def test_a_label_that_only_the_most_rated_item_has_is_found_behind_the_guess(tmp_path, monkeypatch):
    from consilience.engine import table_reduction as _table_reduction

    monkeypatch.setattr(_table_reduction, "FIRST_ROWS", 1_200)
    many = 1_200
    rows = {
        "item": [0] * (many + 1) + [1, 1],
        "rater": [*range(many + 1), 0, 1],
        "label": ["a", "b"] * (many // 2) + ["late"] + ["a", "b"],
    }
    found = engine.reduce_files(parquet(rows, tmp_path))
    assert found.categories == ("a", "b", "late")


def test_spark_takes_names_as_they_stand(spark, tmp_path):
    """A name with signs is that of one file; what is no file of the machine is refused."""
    text = "item,rater,label\n" + "".join(f"{k},{r},{{}}{k % 2}\n" for k in range(4) for r in "ab")
    for name, word in (("a[1].csv", "asked"), ("a1.csv", "other"), ("b{x}.csv", "asked")):
        (tmp_path / name).write_text(text.replace("{}", word))
    for name in ("a[1].csv", "b{x}.csv"):
        found = engine.reduce_files(str(tmp_path / name), engine="spark")
        assert found.categories == ("asked0", "asked1")
    for name in ("http://127.0.0.1:9/a.csv", "s3://bucket/a.csv", "/dev/zero"):
        with pytest.raises(cs.ConsilienceError, match=r"on this machine|a plain file"):
            engine.reduce_files(name, engine="spark")
