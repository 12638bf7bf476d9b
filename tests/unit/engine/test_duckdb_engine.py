"""Reduction inside DuckDB by itself: where it fails, nothing reads the table row by row instead."""

from __future__ import annotations

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest

import consilience as cs
from consilience import engine
from consilience.core.cell_values import clean_value
from consilience.engine import backend as reduction_parts
from consilience.engine import dataframes, duckdb_engine, table_reduction
from consilience.engine.backend import Wanted, by_label, by_rater, numbers_among
from consilience.engine.dataframes import FrameTable
from consilience.engine.duckdb_engine import DuckTable, RatingFiles
from consilience.engine.table_reduction import looked_through, named_items, reduced
from consilience.exceptions import InputError
from consilience.io.layout.labels import reader_of

from .test_many_labels import crowd


def duck(table, **options):
    connection = duckdb.connect()
    connection.register("table_", pd.DataFrame(table))
    return DuckTable(connection, "table_", item="item", rater="rater", label="label", **options)


def framed(table):
    return FrameTable(pl.DataFrame(table), item="item", rater="rater", label="label")


def wanted(scale=None, categories=None, marks=(), **options):
    read = reader_of(scale=scale, categories=categories, missing_values=marks)
    return Wanted(
        read=read, scale=scale, has_categories=categories is not None, marks=marks, **options
    )


def triples(backend, vocabulary):
    """List item, rater and label of every rating, by name."""
    item, rater, label = backend.entries(vocabulary)
    codes = ", ".join(map(str, sorted(set(item.tolist()))))
    names = dict(
        backend.connection.execute(
            f"SELECT k, {backend.name_of('k')} FROM (SELECT unnest([{codes}]) AS k)"
        ).fetchall()
    )
    labels = vocabulary.reading.labels
    return sorted(
        (str(names[i]), str(vocabulary.raters[g]), str(labels[k]))
        for i, g, k in zip(item.tolist(), rater.tolist(), label.tolist(), strict=True)
    )


def cleaned_triples(table, marks=()):
    cells = zip(*(map(clean_value, table[name].tolist()) for name in table), strict=True)
    return sorted(tuple(map(str, row)) for row in cells if row[2] not in (None, *marks))


def untidy(table):
    """Blanks around some labels and raters: several cells stand for one."""
    table = {name: column.astype(object) for name, column in table.items()}
    table["label"][::5] = [f" {cell}" for cell in table["label"][::5]]
    table["label"][1::7] = [f"{cell}  " for cell in table["label"][1::7]]
    table["rater"][2::11] = [f"\t{cell}" for cell in table["rater"][2::11]]
    return table


def gappy(table):
    """Some cells are empty, blank, or say that somebody skipped the item."""
    table = {name: column.astype(object) for name, column in table.items()}
    for shift, cell in enumerate(["", "  ", "skip", None]):
        table["label"][shift::41] = cell
    return table


MANY = crowd(300, 90, 80)
WHOLE = {name: np.char.replace(MANY[name], f"{name} ", "").astype(int) for name in MANY}
TABLES = {
    "few": (crowd(60, 5, 4), ()),
    "many": (MANY, ()),
    "many whole numbers": (WHOLE, ()),
    "many untidy": (untidy(MANY), ()),
    "many with gaps": (gappy(MANY), ("skip",)),
    "many untidy with gaps": (gappy(untidy(MANY)), ("skip",)),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_rating_is_found_with_its_item_rater_and_label(name):
    table, marks = TABLES[name]
    backend = duck(table)
    vocabulary, checked = looked_through(backend, wanted(marks=marks))
    expected = cleaned_triples(table, marks)
    assert triples(backend, vocabulary) == expected
    assert checked.n_rated == len(expected)
    assert checked.n_rows == len(table["item"])
    assert checked.n_marked == sum(cell == "skip" for cell in table["label"].tolist())
    assert (checked.n_unknown, checked.n_blank_rows) == (0, 0)


@pytest.mark.parametrize(
    "numbers",
    [
        [*range(1, 101)],
        [*range(1, 96), None, None, None, None, None],  # marks
        [*range(1, 96), -1, -1, 0, 0, 0],
        [*range(1, 51), *range(1, 51)],  # each number twice
        [1, *range(1, 100)],
        [5, *range(7, 102), -1, None, 0, -1],
        [3] * 100,
        [None] * 100,
    ],
    ids=lambda numbers: f"{numbers[:2]} ... {numbers[-2:]}",
)
@pytest.mark.parametrize("kind", ["text", "whole", "decimal"])
def test_each_value_of_many_gets_its_number_and_a_stranger_none(kind, numbers):
    """The three ways in which a look-up is written, and values of every kind."""
    values = {
        "text": [f"it's {k}" for k in range(100)],
        "whole": list(range(100)),
        "decimal": [k / 8 for k in range(100)],
    }[kind]
    column = [*values, "stranger" if kind == "text" else 555]
    backend = duck({"item": column, "rater": column, "label": column})
    cell = backend._label
    sql, parameters = backend._case(cell, dict(zip(values, numbers, strict=True)))
    found = dict(backend._run(f"SELECT {cell}, {sql} FROM table_", parameters).fetchall())
    assert [found[value] for value in values] == numbers
    assert found[column[-1]] is None


@pytest.mark.parametrize(
    ("numbers", "ends"),
    [
        ([*range(1, 101)], [100]),
        ([7, 8, 9, 20, 21], [3, 5]),
        ([1, 2, 2, 3, 5], [2, 4, 5]),
        ([4, 5, None, None, None], [2, 5]),
        ([4, 5, -1, -1, 0, 0, 0], [2, 4, 7]),  # what is no label does not count on
        ([3, 2, 1], [1, 2, 3]),
        ([], []),
    ],
    ids=str,
)
def test_numbers_that_follow_each_other_are_written_as_one_case(numbers, ends):
    """However many values there are: SQL of one case each would be long, and slow to run."""
    runs = duckdb_engine._runs(numbers)
    assert [end for end, _ in runs] == ends
    found = [
        eval(how.format(place), {"NULL": None})
        for (end, how), start in zip(runs, [0, *ends], strict=False)
        for place in range(start, end)
    ]
    assert found == numbers


@pytest.mark.parametrize(("n_values", "n_lists"), [(1, 0), (64, 0), (65, 1)])
def test_few_values_are_looked_up_in_a_map_and_many_in_a_list_of_their_own(n_values, n_lists):
    """A map is looked through from its beginning; a list is made in the database beforehand."""
    values = [f"label {k}" for k in range(n_values)]
    backend = duck({"item": values, "rater": values, "label": values})
    backend._case("label", {value: k + 1 for k, value in enumerate(values)})
    made = backend.connection.execute(
        "SELECT count(*) FROM duckdb_types() WHERE type_name LIKE 'values!_%' ESCAPE '!'"
    ).fetchone()
    assert made == (n_lists,)


def vocabulary_of(table, marks=()):
    """List what the first rows hold; the rest may hold more."""
    return table_reduction._vocabulary(
        duck(table).pairs(10), False, wanted(marks=marks), is_complete=False
    )


def test_rows_that_the_first_ones_did_not_prepare_for_are_counted():
    table = {
        "item": ["a", "a", "b", "b", "c", "c", "d"],
        "rater": ["r", "s", "r", "s", "t", "t ", "r"],
        "label": ["x", "y", "x", "x", "x", "z", "z"],
    }
    known = vocabulary_of({name: column[:4] for name, column in table.items()})
    for thorough in (False, True):
        full = duck(table).checked(known, thorough=thorough)
        # Quick: no cell is empty, and what is unknown comes to light when ratings do not add up.
        assert full.n_unknown == (4 if thorough else 0)  # z twice; t and "t "
        assert full.n_rows == 7
        assert full.n_rated == (5 if thorough else 7)
    gap = {**table, "label": ["x", "y", None, "x", "x", "z", "z"]}
    quick = duck(gap).checked(known, thorough=False)
    assert (quick.n_rows, quick.n_rated, quick.n_unknown) == (7, 4, 4)


@pytest.mark.parametrize(
    ("change", "what", "how_many"),
    [
        ({"item": [None, "a", " ", "b"]}, "item", 2),
        ({"rater": ["r", None, "r", ""]}, "rater", 2),
    ],
)
@pytest.mark.parametrize("make", [duck, framed], ids=["duckdb", "polars"])
def test_ratings_without_a_name_are_counted_and_refused(make, change, what, how_many):
    table = {"item": list("aabb"), "rater": list("rsrs"), "label": list("xyxx"), **change}
    with pytest.raises(cs.ConsilienceError, match=f"every {what} .*{how_many} ratings without"):
        reduced(make(table), wanted())


@pytest.mark.parametrize("cells", [["skip"] * 4, ["", "skip", " ", None]], ids=["marks", "both"])
@pytest.mark.parametrize("make", [duck, framed], ids=["duckdb", "polars"])
@pytest.mark.parametrize("way", [reduced, named_items, looked_through])
def test_a_table_in_which_nobody_rated_anything_is_refused(way, make, cells):
    backend = make({"item": list("aabb"), "rater": list("rsrs"), "label": cells})
    with pytest.raises(InputError, match="the table must be filled with ratings"):
        way(backend, wanted(marks=("skip",)))


@pytest.mark.parametrize("make", [duck, framed], ids=["duckdb", "polars"])
def test_rows_without_anything_are_no_ratings(make):
    table = {
        "item": ["a", "a", None, " ", "b", "b"],
        "rater": ["r", "s", None, "", "r", "s"],
        "label": ["x", "y", "", None, "x", None],
    }
    found = reduced(make(table), wanted())
    assert found is not None
    assert (found.checked.n_blank_rows, found.checked.n_rated) == (2, 3)
    assert (found.ratings.n_items, found.ratings.n_ratings) == (2, 3)


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("make", [duck, framed], ids=["duckdb", "polars"])
def test_the_reduction_by_itself_gives_the_estimates_of_memory(name, make):
    table, marks = TABLES[name]
    cells = zip(*cleaned_triples(table, marks), strict=True)
    memory = cs.Ratings.from_long(dict(zip(("item", "rater", "label"), cells, strict=True)))
    columns = {k: column.tolist() for k, column in table.items()} if make is framed else table
    found = reduced(make(columns), wanted(scale="nominal", marks=marks))
    assert found is not None
    ratings = found.ratings
    assert (ratings.n_items, ratings.n_raters, ratings.n_ratings, ratings.n_missing) == (
        memory.n_items, memory.n_raters, memory.n_ratings, memory.n_missing,
    )  # fmt: skip
    for coefficient in (cs.krippendorff_alpha, cs.gwet_ac):
        one, other = coefficient(ratings), coefficient(memory)
        assert one.value == pytest.approx(other.value, abs=1e-12)
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)


def test_pairs_of_raters_and_labels_are_listed_apart_where_they_are_many(monkeypatch):
    table = crowd(200, 30, 20)
    memory = cs.krippendorff_alpha(cs.Ratings.from_long(table)).value
    n_pairs = len(set(zip(table["rater"].tolist(), table["label"].tolist(), strict=True)))
    for most in (10, n_pairs - 1, n_pairs, n_pairs + 1):
        monkeypatch.setattr(dataframes, "_MOST_PAIRS", most)
        found = reduced(framed(table), wanted())
        assert found is not None
        assert found.ratings.n_ratings == 800
        assert cs.krippendorff_alpha(found.ratings).value == pytest.approx(memory, abs=1e-12)


@pytest.mark.parametrize("first", [1, 5, 50_000])
def test_names_of_items_are_kept_in_the_order_of_their_rows(first, monkeypatch):
    monkeypatch.setattr(table_reduction, "FIRST_ROWS", first)
    table = {
        "item": ["c", "a", " c", "b", "a", "b "],
        "rater": ["r", "r", "s", "s", "s", "r"],
        "label": ["x", "y", "x", "z", "y ", "y"],
        "row": range(6),
    }
    found = named_items(duck(table, row="row", keeps_names=True), wanted())
    assert found is not None
    vocabulary, checked, names, codes = found
    assert names.tolist() == ["c", "a", "b"]
    assert vocabulary.raters == ("r", "s")
    labels = np.array([*vocabulary.reading.labels, None], dtype=object)
    assert labels[codes].tolist() == [["x", "x"], ["y", "y"], ["y", "z"]]
    assert checked.n_rated == 6


def test_named_items_that_somebody_rated_twice_are_left_to_others():
    table = {"item": list("aab"), "rater": list("rrs"), "label": list("xyx"), "row": range(3)}
    assert named_items(duck(table, row="row", keeps_names=True), wanted()) is None


# --- memory ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["few", "many"])
def test_with_a_limit_the_same_items_come_back(name):
    table, _ = TABLES[name]
    free, limited = (
        reduced(duck(table, memory=memory), wanted()) for memory in (None, 4_000_000_000)
    )
    assert free is not None
    assert limited is not None
    for coefficient in (cs.krippendorff_alpha, cs.gwet_ac):
        one, other = coefficient(free.ratings), coefficient(limited.ratings)
        # The order in which the database gives items is its own: sums may differ in the last bit.
        expected = pytest.approx((other.value, other.standard_error), rel=1e-13)
        assert (one.value, one.standard_error) == expected


def test_distinct_items_that_would_not_fit_are_refused_with_their_number(monkeypatch):
    """Four raters, three labels: 60 items with a pattern of their own, 5 numbers for each."""
    codes = np.stack(np.unravel_index(np.arange(60), (3, 3, 3, 3)), axis=1)
    table = {
        "item": np.repeat(np.arange(60), 4),
        "rater": np.tile(list("abcd"), 60),
        "label": np.array(list("xyz"))[codes].ravel(),
    }
    monkeypatch.setattr(duckdb_engine, "_PER_NUMBER", 10_000_000)
    needed = 60 * 4 * 10_000_000 + reduction_parts._OURSELVES
    with pytest.raises(cs.exceptions.UnsupportedDesignError, match="60 distinct items") as caught:
        reduced(duck(table, memory=needed - 1), wanted())
    assert "at least 2.5 GB" in str(caught.value)
    assert reduced(duck(table, memory=needed), wanted()) is not None
    monkeypatch.setattr(duckdb_engine, "_PER_NUMBER", 24)  # a trifle is never refused
    assert reduced(duck(table, memory=1), wanted()) is not None


# --- numbers --------------------------------------------------------------------------------------


def measurements(n_items=150, seed=2):
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n_items), 2)
    label = (rng.normal(size=n_items)[item] + rng.normal(size=2 * n_items)).round(3)
    return {"item": item, "rater": np.tile(["a", "b"], n_items), "label": label}


@pytest.mark.parametrize("make", [duck, framed], ids=["duckdb", "polars"])
def test_numbers_that_are_not_whole_are_summed_up_unless_they_are_names(make):
    table = measurements()
    assert len(np.unique(table["label"])) > table_reduction.MOST_LABELS
    memory = cs.krippendorff_alpha(cs.Ratings.from_long(table, scale="interval"))
    for scale in (None, "interval"):
        found = reduced(make(table), wanted(scale=scale))
        assert found is not None
        assert found.ratings.has_sums_only
        assert found.ratings.scale == "interval"
        assert found.ratings.raters == ("a", "b")
        assert (found.checked.n_rows, found.checked.n_rated) == (300, 300)
        alpha = cs.krippendorff_alpha(found.ratings)
        assert alpha.value == pytest.approx(memory.value, abs=1e-11)
        assert alpha.standard_error == pytest.approx(memory.standard_error, rel=1e-9)
    names = reduced(make(table), wanted(scale="nominal"))
    assert names is not None
    assert not names.ratings.has_sums_only
    declared = np.unique(table["label"]).tolist()
    listed = reduced(make(table), wanted(scale="interval", categories=declared))
    assert listed is not None
    assert listed.ratings.categories == tuple(declared)
    few = {**table, "label": table["label"].round(0)}
    rounded = reduced(make(few), wanted(scale="interval"))
    assert rounded is not None
    assert not rounded.ratings.has_sums_only


@pytest.mark.parametrize("marks", [(-99,), ("-99",), (-99.0,), ("-99", "nan", "none", True)])
@pytest.mark.parametrize("make", [duck, framed], ids=["duckdb", "polars"])
def test_numbers_that_mean_no_rating_are_not_summed_up(make, marks):
    table = measurements()
    given = {**table, "label": np.where(np.arange(300) % 10 == 3, -99.0, table["label"])}
    gaps = {**table, "label": np.where(np.arange(300) % 10 == 3, np.nan, table["label"])}
    found = reduced(make(given), wanted(scale="interval", marks=marks))
    assert found is not None
    assert (found.checked.n_marked, found.checked.n_rated) == (30, 270)
    memory = cs.krippendorff_alpha(cs.Ratings.from_long(gaps, scale="interval"))
    assert cs.krippendorff_alpha(found.ratings).value == pytest.approx(memory.value, abs=1e-11)


def test_rows_without_anything_are_counted_among_measurements():
    table = {name: [*column.tolist(), None, None] for name, column in measurements().items()}
    found = reduced(duck(table), wanted(scale="interval"))
    assert found is not None
    checked = found.checked
    assert (checked.n_rows, checked.n_blank_rows, checked.n_rated) == (302, 2, 300)
    assert found.ratings.n_items == 150


def test_marks_are_numbers_however_they_are_written():
    assert numbers_among([9, "9.5", -1.0, "x", "inf", "nan", float("nan"), True, None]) == [
        9.0, 9.5, -1.0,
    ]  # fmt: skip


@pytest.mark.parametrize("cell", ["good", "inf", "-inf", "nan", "1e999"])
def test_a_text_that_is_no_finite_number_is_refused_among_measurements(cell):
    """It was summed up: not a number for DuckDB's own reasons, or alpha of nothing."""
    table = measurements()
    texts = [str(x) for x in table["label"].tolist()]
    texts[7] = cell
    with pytest.raises(cs.ConsilienceError, match=f"a number. Got '{cell}'"):
        reduced(duck({**table, "label": texts}), wanted(scale="interval"))
    left_out = reduced(duck({**table, "label": texts}), wanted(scale="interval", marks=(cell,)))
    assert left_out is not None
    assert (left_out.checked.n_marked, left_out.checked.n_rated) == (1, 299)


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinity_is_refused_by_every_engine_as_in_memory(value):
    table = measurements()
    table["label"][7] = value
    for frame in (pd.DataFrame(table), pl.DataFrame(table)):
        with pytest.raises(cs.ConsilienceError, match=f"a finite number. Got {value}"):
            engine.reduce(frame, scale="interval")
    with pytest.raises(cs.ConsilienceError, match=f"a number. Got '{value}'"):
        reduced(duck(table), wanted(scale="interval"))


def test_text_is_not_summed_up_in_a_dataframe():
    table = measurements()
    texts = [str(x) for x in table["label"].tolist()]
    with pytest.raises(cs.ConsilienceError, match=r"must be numbers\. Got 'text'.*cast the column"):
        reduced(framed({**table, "label": texts}), wanted(scale="interval"))


# --- ratings on disk ------------------------------------------------------------------------------


@pytest.mark.parametrize("at_once", [1, 3, 7, 10_000])
def test_ratings_on_disk_are_those_of_the_table_a_part_at_a_time(at_once, tmp_path):
    table = crowd(40, 12, 5)
    backend = duck(table)
    vocabulary, _ = looked_through(backend, wanted())
    files = RatingFiles.written(backend, vocabulary, tmp_path, at_once)
    assert (files.n_ratings, files.n_items, files.n_raters, files.n_labels) == (160, 40, 12, 5)
    left = backend.connection.execute(
        "SELECT count(*) FROM duckdb_tables() WHERE table_name = 'ratings_'"
    )
    assert left.fetchone() == (0,)  # nobody else needs it, and it is as large as the ratings
    found = []
    seen = []
    for items, begin, cells in files.parts(at_once):
        assert begin[0] == 0
        assert begin[-1] == cells.size
        seen += items.tolist()
        for k, item in enumerate(items.tolist()):
            (name,) = backend.connection.execute(f"SELECT {backend.name_of(item)}").fetchone()
            for cell in cells[begin[k] : begin[k + 1]].tolist():
                rater, label = divmod(cell, 5)
                found.append((name, vocabulary.raters[rater], vocabulary.reading.labels[label]))
    assert len(seen) == len(set(seen)) == 40  # no item in two parts
    assert sorted(found) == cleaned_triples(table)


# --- packing --------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_raters", "n_labels"), [(1, 1), (20, 5), (62, 1), (80, 5), (80, 7)])
def test_labels_by_rater_are_unpacked_as_they_were_packed(n_raters, n_labels):
    packing = by_rater(n_raters, n_labels)
    assert packing is not None
    rng = np.random.default_rng(n_raters)
    content = rng.integers(0, n_labels + 1, (30, n_raters))
    words = np.zeros((packing.n_words, 30), dtype=np.int64)
    for k in range(n_raters):
        field = packing.field(k)
        words[field.word] += content[:, k] << field.shift
    assert (words >= 0).all()  # the sign of a word is nobody's
    assert words.max() < 1 << packing.word_bits
    np.testing.assert_array_equal(packing.unpack(words), content)
    np.testing.assert_array_equal(table_reduction.unpacked(packing, words, n_labels), content - 1)


def test_crowds_are_too_many_to_be_packed_by_rater():
    """Four words of 62 bits: 20 raters each with 5 labels (3 bits), 62 with one."""
    assert by_rater(80, 5) is not None
    assert by_rater(81, 5) is None
    assert by_rater(248, 1) is not None
    assert by_rater(249, 1) is None
    assert by_rater(80, 7) is not None  # seven labels and none: still 3 bits
    assert by_rater(80, 8) is None


def test_counts_by_label_get_the_bits_that_the_largest_needs():
    assert by_label(3).bits == by_label(3, 1_023).bits == 10
    assert by_label(3, 1_024).bits == 11
    assert (by_label(6).n_words, by_label(7).n_words) == (1, 2)
