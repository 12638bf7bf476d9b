"""Rows as a file: exact, mergeable in any order, refused where they do not fit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import consilience as cs
import needed
from consilience import engine
from consilience.cli.program import run

from .conftest import long_table

DATA = {
    "by rater": cs.Ratings.from_long(long_table(1)),
    "table": cs.Ratings.from_table([[20, 5], [4, 21]], categories=["no", "yes"]),
    "counts": cs.datasets.load("fleiss_1971"),
    "numbers as labels": cs.datasets.load("shrout_fleiss_1979"),
    "sets": cs.Ratings.from_wide([[frozenset("ab"), frozenset("a")], [frozenset("c")] * 2] * 3),
    "bool": cs.Ratings.from_wide([[True, False], [True, True], [False, None]]),
    "missing": cs.datasets.load("krippendorff_2011"),
}


@pytest.mark.parametrize("name", DATA)
def test_what_is_saved_comes_back(name, tmp_path):
    ratings = DATA[name]
    back = engine.load_rows(engine.save_rows(ratings, tmp_path / "a.rows"))
    assert (back.n_items, back.n_ratings, back.scale) == (
        ratings.n_items, ratings.n_ratings, ratings.scale,
    )  # fmt: skip
    assert set(back.categories) == set(ratings.categories)
    assert set(back.raters) == set(ratings.raters)
    for one, other in zip(cs.measure(back), cs.measure(ratings), strict=True):
        assert one.value == pytest.approx(other.value, abs=1e-14, nan_ok=True)
        assert one.standard_error == pytest.approx(other.standard_error, abs=1e-14, nan_ok=True)


def test_declared_labels_keep_their_order_and_found_ones_get_one(tmp_path):
    grades = cs.Ratings.from_wide(
        [["low", "high"], ["mid", "mid"]], categories=["low", "mid", "high"], scale="ordinal"
    )
    back = engine.load_rows(engine.save_rows(grades, tmp_path / "grades.rows"))
    assert back.categories == ("low", "mid", "high")
    sets = [[frozenset("b"), frozenset("ac")], [frozenset("a")] * 2]  # by appearance in memory
    files = [
        engine.save_rows(cs.Ratings.from_wide(rows), tmp_path / f"{k}.rows").read_bytes()
        for k, rows in enumerate((sets, sets[::-1]))
    ]
    assert files[0] == files[1]


@pytest.mark.parametrize("raters", ["abc", "cba"])
def test_numbers_with_decimals_keep_who_gave_them(raters, tmp_path):
    halves = np.random.default_rng(0).integers(0, 9, (200, 3)) / 2
    ratings = cs.Ratings.from_wide(halves, scale="interval", raters=raters)
    back = engine.load_rows(engine.save_rows(ratings, tmp_path / "a.rows"))
    assert back.raters == ("a", "b", "c")
    assert cs.cohen_kappa(back).value == pytest.approx(cs.cohen_kappa(ratings).value, abs=1e-12)


def test_more_labels_than_a_short_integer_counts_come_back(tmp_path):
    """The place of a label was an int16: beyond 32,767 the file was written and not readable."""
    n = 33_000
    codes = np.stack([np.arange(n), (np.arange(n) + 1) % n], axis=1)
    ratings = cs.Ratings.from_patterns(codes, np.ones(n), categories=range(n), raters="ab")
    back = engine.load_rows(engine.save_rows(ratings, tmp_path / "a.rows"))
    np.testing.assert_array_equal(np.sort(back.store.patterns.codes, axis=0)[:, 0], np.arange(n))
    assert cs.krippendorff_alpha(back).value == cs.krippendorff_alpha(ratings).value


def crowd_of(labels, seed, n_items=3_000, n_raters=1_500):
    """Three ratings of each item by a crowd of which most rate few items."""
    rng = np.random.default_rng(seed)
    first = rng.integers(0, n_raters, n_items)[:, None]
    return {
        "item": np.repeat(np.arange(n_items) + seed * n_items, 3),
        "rater": ((first + np.array([0, 1, 5])) % n_raters).ravel(),
        "label": rng.choice(list(labels), 3 * n_items),
    }


def test_a_crowd_is_the_same_file_from_memory_and_from_an_engine(tmp_path):
    table = crowd_of("xyz", 1)
    memory = cs.Ratings.from_long(table)
    one = engine.save_rows(memory, tmp_path / "a.rows")
    other = engine.save_rows(engine.reduce(_frame(table)), tmp_path / "b.rows")
    assert one.read_bytes() == other.read_bytes()
    back = engine.load_rows(one)
    assert (back.n_raters, back.n_missing) == (memory.n_raters, memory.n_missing)
    assert memory.n_raters == len(set(table["rater"].tolist()))


def test_crowds_that_found_other_labels_are_added_label_by_label(tmp_path):
    """Counts stood in the columns of another label, or in a file that could not be read."""
    tables = [crowd_of("ab", 1), crowd_of("cb", 2), crowd_of("abc", 3)]
    together = {name: np.concatenate([one[name] for one in tables]) for name in tables[0]}
    whole = cs.krippendorff_alpha(cs.Ratings.from_long(together))
    files = [
        engine.save_rows(engine.reduce(_frame(one)), tmp_path / f"{k}.rows")
        for k, one in enumerate(tables)
    ]
    made = [
        engine.merge_rows(order, tmp_path / "all.rows", existing="replace").read_bytes()
        for order in (files, files[::-1])
    ]
    assert made[0] == made[1]
    back = engine.load_rows(tmp_path / "all.rows")
    assert len(back.store.counts) == 10  # ways to give three ratings with three labels
    assert back.categories == ("a", "b", "c")
    assert cs.krippendorff_alpha(back).value == pytest.approx(whole.value, abs=1e-12)


def test_a_thousand_labels_of_a_crowd_or_of_measurements_and_no_more(tmp_path):
    """Counts of labels by item would be mostly zeros, and numbers that hardly repeat no rows."""

    def measured(n):
        return cs.Ratings.from_wide(np.arange(2.0 * n).reshape(n, 2) % n + 0.5, scale="interval")

    def crowded(n):
        table = crowd_of("x", 1)
        return cs.Ratings.from_long({**table, "label": np.arange(9_000) % n})

    for make in (measured, crowded):
        assert len(make(1_000).categories) == 1_000
        path = engine.save_rows(make(1_000), tmp_path / "a.rows", existing="replace")
        assert len(engine.load_rows(path).categories) == 1_000
        with pytest.raises(
            cs.ConsilienceError, match=r"at most a thousand\. Got '?1,001 different"
        ):
            engine.save_rows(make(1_001), tmp_path / "b.rows")
    wide = cs.Ratings.from_counts(np.eye(1_001, dtype=int) * 2)  # these are counts already
    assert engine.load_rows(engine.save_rows(wide, tmp_path / "c.rows")).n_items == 1_001


def test_crowds_whose_items_hardly_repeat_are_refused_with_their_numbers(tmp_path, monkeypatch):
    from consilience.engine import rows_file

    ratings = cs.Ratings.from_long(crowd_of("abc", 1))
    monkeypatch.setattr(rows_file, "_MOST_CELLS", 30)  # ten patterns of three labels
    engine.save_rows(ratings, tmp_path / "a.rows")
    monkeypatch.setattr(rows_file, "_MOST_CELLS", 29)
    with pytest.raises(cs.ConsilienceError, match=r"Got '?3 labels and 10 distinct items"):
        engine.save_rows(ratings, tmp_path / "b.rows")


def test_items_that_nobody_rated_are_counted_in_the_file(tmp_path):
    counts = cs.Ratings.from_counts([[2, 1], [0, 0], [0, 3], [0, 0]])
    table = crowd_of("xy", 1)
    crowd = cs.Ratings.from_codes(
        item=table["item"] - 3_000,
        rater=table["rater"],
        label=(table["label"] == "y").astype(int),
        items=range(3_007),
        raters=range(1_500),
        categories=["x", "y"],
    )
    for ratings in (counts, crowd):
        back = engine.load_rows(engine.save_rows(ratings, tmp_path / "a.rows", existing="replace"))
        assert (back.n_items, back.n_ratings) == (ratings.n_items, ratings.n_ratings)
        assert cs.scott_pi(back).value == pytest.approx(cs.scott_pi(ratings).value, abs=1e-14)


def test_the_file_holds_no_item_names_and_no_text(tmp_path):
    secret = cs.Ratings.from_wide(
        [["a", "b"], ["a", "a"]], items=["patient Smith", "patient Jones"]
    )
    content = engine.save_rows(secret, tmp_path / "a.rows").read_bytes()
    assert b"Smith" not in content


def test_the_same_rows_give_the_same_bytes(tmp_path):
    table = long_table(2)
    turned = {key: value[::-1] for key, value in table.items()}
    first = engine.save_rows(engine.reduce(_frame(table)), tmp_path / "a.rows")
    second = engine.save_rows(engine.reduce(_frame(turned)), tmp_path / "b.rows")
    assert first.read_bytes() == second.read_bytes()


def _frame(table):
    return needed.package("pandas").DataFrame(table)


codes = st.lists(st.lists(st.integers(-1, 2), min_size=3, max_size=3), min_size=1, max_size=12).map(
    np.array
)


@settings(
    max_examples=5, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(st.lists(codes, min_size=2, max_size=4))
def test_merging_is_exact_associative_and_commutative(tmp_path, tables):
    whole = np.concatenate(tables)
    labels, raters = ["x", "y", "z"], ["a", "b", "c"]

    def save(table, name):
        made = cs.Ratings.from_patterns(
            table, np.ones(len(table)), categories=labels, raters=raters
        )
        return engine.save_rows(made, tmp_path / name, existing="replace")

    def merge(files, name):
        return engine.merge_rows(files, tmp_path / name, existing="replace")

    wanted = save(whole, "whole.rows").read_bytes()
    parts = [save(table, f"{k}.rows") for k, table in enumerate(tables)]
    for order in (parts, parts[::-1]):
        assert merge(order, "m.rows").read_bytes() == wanted
    left = merge(parts[:2], "left.rows")
    assert merge([left, *parts[2:]], "m.rows").read_bytes() == wanted


@pytest.mark.parametrize(
    ("other", "match"),
    [
        (
            cs.Ratings.from_table([[1, 2], [3, 4]], scale="ordinal"),
            "scale",
        ),
        (cs.Ratings.from_table([[1, 2], [3, 4]], categories=["no", "maybe"]), "labels"),
        (cs.Ratings.from_table([[1, 2], [3, 4]], categories=["no", "yes"], raters="ab"), "raters"),
        (cs.Ratings.from_counts([[1, 2]], categories=["no", "yes"]), "kind"),
    ],
)
def test_rows_that_do_not_fit_are_refused_and_nothing_is_written(other, match, tmp_path):
    first = engine.save_rows(DATA["table"], tmp_path / "a.rows")
    second = engine.save_rows(other, tmp_path / "b.rows")
    with pytest.raises(cs.ConsilienceError, match=match):
        engine.merge_rows([first, second], tmp_path / "c.rows")
    assert not (tmp_path / "c.rows").exists()


@pytest.mark.parametrize(
    "content", [b"", b"PAR1", b"not rows at all", b"PAR1" + b"x" * 500 + b"PAR1"]
)
def test_what_is_no_file_of_rows_is_refused(content, tmp_path):
    path = tmp_path / "a.rows"
    path.write_bytes(content)
    with pytest.raises(cs.ConsilienceError, match=r"a\.rows"):
        engine.load_rows(path)


def test_a_truncated_file_is_refused(tmp_path):
    path = engine.save_rows(DATA["by rater"], tmp_path / "a.rows")
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(cs.ConsilienceError, match=r"a\.rows"):
        engine.load_rows(path)


def test_a_failed_write_leaves_the_old_rows(tmp_path, monkeypatch):
    path = engine.save_rows(DATA["table"], tmp_path / "a.rows")
    before = path.read_bytes()

    def fails(self, target):
        raise OSError("No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", fails)
    with pytest.raises(cs.ConsilienceError, match=r"No space .* nothing was written"):
        engine.save_rows(DATA["missing"], path, existing="replace")
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["a.rows"]


def test_days_add_up_on_the_command_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    frame = _frame(long_table(3))
    frame.iloc[:700].to_csv("one.csv", index=False)
    halves = frame["item"].isin(set(frame["item"][:600]))
    frame[halves].to_csv("monday.csv", index=False)
    frame[~halves].to_parquet("tuesday.parquet")
    frame.to_csv("all.csv", index=False)
    assert run(["measure", "monday.csv", "--save-rows", "mon.rows", "-q"]) == 0
    assert run(["measure", "tuesday.parquet", "--engine", "duckdb", "--save-rows", "tue.rows"]) == 0
    assert run(["merge", "mon.rows", "tue.rows", "-o", "week.rows"]) == 0
    capsys.readouterr()
    assert run(["measure", "week.rows", "-q", "--csv"]) == 0
    week = capsys.readouterr().out
    assert run(["measure", "all.csv", "-q", "--csv"]) == 0
    whole = capsys.readouterr().out
    for one, other in zip(week.splitlines()[1:], whole.splitlines()[1:], strict=True):
        assert float(one.split(",")[5]) == pytest.approx(float(other.split(",")[5]), abs=1e-12)


def test_wrong_usage_is_said(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    engine.save_rows(DATA["table"], "a.rows")
    assert run(["merge", "a.rows", "-o", "a.rows", "--force"]) == 2
    assert run(["measure", "a.rows", "--memory-limit", "1GB"]) in (0, 2)
    assert run(["measure", "a.rows", "b.csv"]) == 2
    assert run(["measure", "b.parquet", "--engine", "duckdb"]) == 3
    assert "b.parquet" in capsys.readouterr().err


@pytest.mark.parametrize("broken", ['75000,a,"unclosed', "75000,a", "75000,a,x,y,z"])
def test_a_broken_line_far_down_is_named(tmp_path, broken):
    path = tmp_path / "long.csv"
    lines = [f"{k // 2},{'ab'[k % 2]},x" for k in range(200_000)]
    lines[150_000] = broken
    path.write_text("item,rater,label\n" + "\n".join(lines))
    with pytest.raises(cs.ConsilienceError, match=r"long\.csv"):
        engine.reduce_files(str(path))
