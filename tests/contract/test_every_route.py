"""One untidy table by every route, on both sides of every size switch: one result, one account."""

from __future__ import annotations

import contextlib
import csv
import json
import math
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import consilience as cs
import needed
from consilience.cli.program import run
from consilience.engine import table_reduction as _table_reduction
from consilience.io.building import _build_ratings as _reduced
from consilience.io.grids import json_tables as nested_json

pd = needed.package("pandas")
pl = needed.package("polars")
pa = needed.package("pyarrow")
duckdb = needed.package("duckdb")

COLUMNS = ("item", "rater", "label", "remark")


def untidy(seed: int = 0, n_items: int = 60) -> list[dict[str, str | None]]:
    """Blanks around cells, empty cells, case variants, a constant rater, gaps, a side column."""
    rng = np.random.default_rng(seed)
    rows: list[dict[str, str | None]] = []
    for k in range(n_items):
        truth = ["yes", "no", "Ja", "maybe"][int(rng.integers(0, 4))]
        for rater in ("Ann", "Bob", "Cem", "Dee"):
            if rng.random() < 0.1:
                continue
            label: str | None = truth if rng.random() < 0.7 else str(rng.choice(["yes", "no"]))
            label = "no" if rater == "Dee" else label
            label = str(rng.choice([f"{label}", f" {label}", f"{label}\u00a0", f"\t{label} "]))
            label = str(rng.choice(["", "  ", "n/a"])) if rng.random() < 0.08 else label
            name = str(rng.choice([rater, f" {rater}", f"{rater}  "]))
            item = str(rng.choice([f"item {k}", f"item {k} "]))
            rows.append(
                {"item": item, "rater": name, "label": label, "remark": f"seen {len(rows)}"}
            )
    rows.append({"item": "item x", "rater": "Ann", "label": "", "remark": "nobody rated it"})
    return rows


def as_columns(rows):
    return {name: [row[name] for row in rows] for name in COLUMNS}


def write_csv(rows, folder):
    path = folder / "t.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, COLUMNS)
        writer.writeheader()
        writer.writerows(rows)
    return path


def write_jsonl(rows, folder):
    path = folder / "t.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def write_parquet(rows, folder):
    path = folder / "t.parquet"
    pl.DataFrame(as_columns(rows)).write_parquet(path)
    return path


def write_parts(rows, folder):
    half = len(rows) // 2
    for name, part in (("a", rows[:half]), ("b", rows[half:])):
        pl.DataFrame(as_columns(part)).write_parquet(folder / f"part_{name}.parquet")
    return [folder / "part_a.parquet", folder / "part_b.parquet"]


def write_xlsx(rows, folder):
    openpyxl = needed.package("openpyxl")
    book = openpyxl.Workbook()
    book.active.append(list(COLUMNS))
    for row in rows:
        book.active.append([row[name] for name in COLUMNS])
    book.save(folder / "t.xlsx")
    return folder / "t.xlsx"


# Routes: a frame, or the path of a file.
FRAMES = {
    "list of dicts": lambda rows: rows,
    "dict of columns": as_columns,
    "pandas": pd.DataFrame,
    "pandas, categories": lambda rows: pd.DataFrame(rows).astype({"rater": "category"}),
    "pandas, nullable": lambda rows: pd.DataFrame(rows).convert_dtypes(),
    "dict of series": lambda rows: {name: pd.Series(c) for name, c in as_columns(rows).items()},
    "polars": lambda rows: pl.DataFrame(as_columns(rows)),
    "polars lazy": lambda rows: pl.DataFrame(as_columns(rows)).lazy(),
    "pyarrow": lambda rows: pa.table(as_columns(rows)),
    "duckdb": lambda rows: duckdb.from_arrow(pa.table(as_columns(rows))),
}
READ_FRAME = {
    "read": cs.read,
    "loaded": lambda frame, **options: cs.load(frame, **options).ratings,
    "columns named": partial(cs.read, item="item", rater="rater", label="label"),
    "reduced": cs.engine.reduce,
    "reduced, columns named": partial(cs.engine.reduce, item="item", rater="rater", label="label"),
}
FILES = {
    "csv": write_csv,
    "parquet": write_parquet,
    "parquet in parts": write_parts,
    "jsonl": write_jsonl,
    "xlsx": write_xlsx,
}
READ_FILE = {
    "names kept": cs.read,
    "names forgotten": partial(cs.read, items="forget"),
    "engine": cs.engine.reduce_files,
}
SWITCHES = {"few rows": 10**9, "many rows": 0}
MARKS = {"missing_values": ["n/a"]}


def facts(ratings: cs.Ratings) -> dict:
    """What must be equal on every route."""
    summary = cs.measure(ratings)
    account = ratings.reading.account
    assert account.is_balanced
    return {
        "items": ratings.n_items,
        "raters": ratings.n_raters,
        "ratings": ratings.n_ratings,
        "missing": ratings.n_missing,
        "categories": ratings.categories,
        "names": set(ratings.raters),
        "findings": {(one.code, one.severity) for one in summary.findings},
        "account": account.to_dict(),
        "estimates": {
            one.coefficient: (
                one.value,
                one.standard_error,
                one.confidence_interval().low,
                one.confidence_interval().high,
            )
            for one in summary
        },
    }


def assert_equal(got: dict, wanted: dict) -> None:
    estimates = wanted["estimates"]
    assert {**got, "estimates": 0} == {**wanted, "estimates": 0}
    assert got["estimates"].keys() == estimates.keys()
    for name, values in estimates.items():
        assert got["estimates"][name] == pytest.approx(values, abs=1e-11, nan_ok=True), name


@pytest.fixture(scope="module")
def rows():
    return untidy()


@pytest.fixture(scope="module")
def wanted(rows, tmp_path_factory):
    """By the plainest route: a small CSV file, read row by row, its cells cleaned by hand here."""
    found = facts(cs.read(write_csv(rows, tmp_path_factory.mktemp("plain")), **MARKS))
    clean = [{name: (row[name] or "").strip("\u00a0\t ") for name in COLUMNS} for row in rows]
    rated = [row for row in clean if row["label"] not in ("", "n/a")]
    assert found["ratings"] == len(rated)
    assert found["items"] == len({row["item"] for row in clean})
    assert found["raters"] == 4
    assert found["categories"] == tuple(sorted({row["label"] for row in rated}))
    by_hand = cs.Ratings.from_long({name: [row[name] for row in rated] for name in COLUMNS})
    alpha = cs.krippendorff_alpha(by_hand).value
    assert found["estimates"]["krippendorff_alpha"][0] == pytest.approx(alpha, abs=1e-12)
    return found


@pytest.fixture(params=SWITCHES)
def _switched(request, monkeypatch):
    """Both sides of every size switch."""
    monkeypatch.setattr(_reduced, "MANY_ROWS", SWITCHES[request.param])
    monkeypatch.setattr(_table_reduction, "FIRST_ROWS", 7)


@pytest.mark.usefixtures("_switched")
@pytest.mark.parametrize("how", READ_FILE)
@pytest.mark.parametrize("kind", FILES)
def test_files(kind, how, rows, wanted, tmp_path):
    assert_equal(facts(READ_FILE[how](FILES[kind](rows, tmp_path), **MARKS)), wanted)


@pytest.mark.parametrize("how", READ_FRAME)
@pytest.mark.parametrize("kind", FRAMES)
def test_frames(kind, how, rows, wanted):
    assert_equal(facts(READ_FRAME[how](FRAMES[kind](rows), **MARKS)), wanted)


# An index is a column like others to the reader, so the account counts it, too.
def test_a_frame_with_an_index(rows, wanted):
    frame = pd.DataFrame(rows).set_index("item")
    assert_equal(facts(cs.read(frame, **MARKS)), wanted)
    twice = pd.DataFrame(rows).set_index(["item", "rater"])
    assert_equal(facts(cs.read(twice, **MARKS)), wanted)


@pytest.mark.parametrize("kind", FRAMES)
def test_frames_given_to_measure_and_to_coefficients(kind, rows, tmp_path):
    """Neither takes options of reading: the marks are empty cells here."""
    plain = [{**row, "label": "" if row["label"] == "n/a" else row["label"]} for row in rows]
    by_file = cs.read(write_csv(plain, tmp_path))
    frame = FRAMES[kind](plain)
    summary = cs.measure(frame)
    for one in cs.measure(by_file):
        assert summary[one.coefficient].value == pytest.approx(one.value, abs=1e-11)
    assert summary.to_dict()["reading"] == by_file.reading.account.to_dict()
    assert summary.data.shape == "long"
    assert summary.data.items == by_file.n_items
    expected, alpha = cs.krippendorff_alpha(by_file), cs.krippendorff_alpha(FRAMES[kind](plain))
    assert alpha.value == pytest.approx(expected.value, abs=1e-12)
    wanted, found = expected.confidence_interval(), alpha.confidence_interval()
    assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), abs=1e-12)


def as_grid(n_items=40):
    """Two variables by two raters, as the columns of one table."""
    rng = np.random.default_rng(5)
    columns: dict = {"text_id": [f"t{k:03}" for k in range(n_items)]}
    for name, labels in (("tone", ["pos", "neg", "neu"]), ("stance", ["pro", "con"])):
        truth = rng.choice(labels, n_items)
        for rater in ("Ann", "Bob"):
            drawn = rng.choice(labels, n_items)
            columns[f"{name}_{rater}"] = np.where(rng.random(n_items) < 0.7, truth, drawn).tolist()
    return columns


GRIDS = {
    "dict of columns": dict,
    "list of dicts": lambda c: [
        dict(zip(c, row, strict=True)) for row in zip(*c.values(), strict=True)
    ],
    "pandas": pd.DataFrame,
    "pandas, indexed": lambda c: pd.DataFrame(c).set_index("text_id"),
    "polars": pl.DataFrame,
    "pyarrow": pa.table,
    "duckdb": lambda c: duckdb.from_arrow(pa.table(c)),
}


@pytest.mark.parametrize("kind", GRIDS)
def test_a_grid_gives_one_group_per_variable_on_every_route(kind, tmp_path, capsys):
    columns = as_grid()
    path = tmp_path / "grid.csv"
    pd.DataFrame(columns).to_csv(path, index=False)
    assert run(["measure", str(path), "--json", "-q"]) == 0
    wanted = json.loads(capsys.readouterr().out)
    found = cs.measure(GRIDS[kind](columns)).to_dict()
    assert found["by"] == wanted["by"] == "variable"
    assert found["reading"] == wanted["reading"]
    for mine, other in zip(found["groups"], wanted["groups"], strict=True):
        assert mine["name"] == other["name"]
        assert mine["data"]["items"] == other["data"]["items"] == 40
        assert [e["value"] for e in mine["estimates"]] == pytest.approx(
            [e["value"] for e in other["estimates"]], abs=1e-12
        )
    with pytest.raises(cs.ConsilienceError, match="one set of ratings"):
        cs.krippendorff_alpha(GRIDS[kind](columns))  # no one number for two variables


@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_spark(kind, spark, rows, wanted, tmp_path):
    path = str(FILES[kind](rows, tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PySpark's own dependencies
        found = cs.engine.reduce_files(path, engine="spark", **MARKS)
    assert_equal(facts(found), wanted)


def test_a_table_of_spark(spark, rows, wanted, tmp_path):
    path = str(write_parquet(rows, tmp_path))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of PySpark's own dependencies
        frame = spark.read.parquet(path)
        assert_equal(facts(cs.read(frame, **MARKS)), wanted)
        named = cs.read(frame, item="item", rater="rater", label="label", **MARKS)
        assert_equal(facts(named), wanted)
        clean = frame.where("trim(label) != 'n/a'")
        alpha = wanted["estimates"]["krippendorff_alpha"][0]
        assert cs.measure(clean)["krippendorff_alpha"].value == pytest.approx(alpha, abs=1e-11)
        assert cs.krippendorff_alpha(clean).value == pytest.approx(alpha, abs=1e-11)


@pytest.fixture(params=FILES)
def paths(request, rows, tmp_path):
    path = FILES[request.param](rows, tmp_path)
    return [str(one) for one in path] if isinstance(path, list) else [str(path)]


@pytest.mark.usefixtures("_switched")
@pytest.mark.parametrize("flags", [[], ["--engine", "duckdb"]])
def test_the_command_line(paths, flags, wanted, capsys):
    assert run(["measure", *paths, "--missing-value", "n/a", "--json", "-q", *flags]) == 0
    found = json.loads(capsys.readouterr().out)
    for name in ("items", "raters", "ratings", "missing"):
        assert found["data"][name] == wanted[name]
    assert found["reading"] == wanted["account"]
    values = {one["coefficient"]: one["value"] for one in found["estimates"]}
    for name, (value, *_) in wanted["estimates"].items():
        assert values[name] == pytest.approx(value, abs=1e-11)


def test_json_lines_too_long_to_be_parsed_as_a_whole(rows, wanted, tmp_path, monkeypatch):
    monkeypatch.setattr(nested_json, "_LARGEST", 100)
    assert_equal(facts(cs.read(write_jsonl(rows, tmp_path), **MARKS)), wanted)


# ------------------------------------------------------------------------ crowds and numbers


@pytest.mark.parametrize("kind", ["pandas", "polars lazy", "duckdb"])
def test_a_crowd_has_as_many_raters_as_it_has(kind, tmp_path):
    rng = np.random.default_rng(1)
    rows = [
        {"item": f"i{k}", "rater": f"w{w} ", "label": str(rng.integers(1, 4)), "remark": "r"}
        for k in range(300)
        for w in rng.choice(197, 4, replace=False)
    ]
    plain = cs.read(write_csv(rows, tmp_path))
    found = cs.engine.reduce(FRAMES[kind](rows))
    by_file = cs.engine.reduce_files(write_parquet(rows, tmp_path))
    for one in (found, by_file):
        assert (one.n_raters, one.n_items, one.n_ratings, one.n_missing) == (
            plain.n_raters, plain.n_items, plain.n_ratings, plain.n_missing,
        )  # fmt: skip
        assert one.categories == plain.categories == (1, 2, 3)
        assert one.reading.account.to_dict() == plain.reading.account.to_dict()
        alpha = cs.krippendorff_alpha(plain).value
        assert cs.krippendorff_alpha(one).value == pytest.approx(alpha, abs=1e-12)


@pytest.mark.parametrize("labels", [["1", "2.0", " 1.0", "2"], [1, 2.0, -0.0, 0.0, math.nan]])
def test_whole_floats_are_integers_on_every_route(labels, tmp_path):
    rows = [
        {"item": k, "rater": "ab"[j], "label": labels[(k * 3 + j) % len(labels)], "remark": ""}
        for k in range(12)
        for j in range(2)
    ]
    columns = as_columns(rows)
    pd.DataFrame(columns).to_parquet(tmp_path / "n.parquet")
    pd.DataFrame(columns).to_csv(tmp_path / "n.csv", index=False)
    found = [
        cs.read(tmp_path / "n.csv"),
        cs.read(tmp_path / "n.parquet"),
        cs.engine.reduce_files(tmp_path / "n.parquet"),
        cs.engine.reduce(pl.DataFrame(columns, strict=False)),
        cs.engine.reduce(pd.DataFrame(columns)),
    ]
    assert {one.categories for one in found} == {found[0].categories}
    assert len({one.n_ratings for one in found}) == 1
    values = [cs.krippendorff_alpha(one).value for one in found]
    assert values == pytest.approx([values[0]] * len(values), abs=1e-12)


# ------------------------------------------------------------------------ any untidy table

BLANKS = st.sampled_from(["", " ", "\t", "\u00a0", "  "])
WORDS = st.sampled_from(["yes", "no", "Ja", "1", "1.0", "007", "NA", "ja, nein", "ü"])


def padded(words):
    return st.tuples(BLANKS, words, BLANKS).map("".join)


TABLES = st.lists(
    st.tuples(
        st.integers(0, 8), st.integers(0, 3), st.one_of(padded(WORDS), BLANKS), BLANKS, BLANKS
    ),
    min_size=4,
    max_size=40,
    unique_by=lambda row: row[:2],
)


@settings(
    max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(TABLES)
def test_any_untidy_table_by_both_roads(tmp_path, monkeypatch, table):
    rows = [
        {"item": f"i{i}{a}", "rater": f"{b}r{r}", "label": label, "remark": f"k{k}"}
        for k, (i, r, label, a, b) in enumerate(table)
    ]
    options = {"item": "item", "rater": "rater", "label": "label"}
    found = []
    for path in (write_csv(rows, tmp_path), write_parquet(rows, tmp_path)):
        for many in SWITCHES.values():
            monkeypatch.setattr(_reduced, "MANY_ROWS", many)
            for how in READ_FILE.values():
                found.append(attempt(how, path, **options))
    found.append(attempt(cs.engine.reduce, pl.DataFrame(as_columns(rows)), **options))
    for one in found[1:]:
        assert one == found[0]


def attempt(how, data, **options):
    """Return what was read, or that it was refused."""
    with contextlib.suppress(cs.ConsilienceError):
        ratings = how(data, **options)
        alpha = cs.krippendorff_alpha(ratings, on_undefined="ignore").value
        counts = (ratings.n_items, ratings.n_raters, ratings.n_ratings, ratings.n_missing)
        return (
            *counts,
            set(ratings.categories),
            None if math.isnan(alpha) else round(alpha, 10),
            ratings.reading.account.to_dict(),
        )
    return "refused"
