"""Edges of tables: counts, rows without raters, lists in cells, other sheets, limits of size."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import pytest

from consilience.coefficients import krippendorff_alpha
from consilience.core.cell_values import LONGEST_LITERAL
from consilience.exceptions import InputError
from consilience.io import load, read, read_groups
from consilience.io.building._requested_layout import parts_of
from consilience.io.files.source import Source
from consilience.io.grids import _spss_stata as spss_stata
from consilience.io.grids import json_tables as nested_json
from consilience.io.grids.json_tables import hoisted, outer_role
from consilience.io.large_tables import load_reduced
from consilience.io.layout.decision import AmbiguousTableError
from consilience.io.layout.labels import far_numbers
from consilience.io.layout.profile import Profile, profile_of
from consilience.io.layout.wide_tables import _compared, _worth_as_item, item_column
from spreadsheets import cell, row, write_ods


@pytest.fixture
def kept(tmp_path):
    """Write a text, or anything as JSON."""

    def write(content, name="codes.csv") -> Path:
        path = tmp_path / name
        path.write_text(content if isinstance(content, str) else json.dumps(content))
        return path

    return write


# -------------------------------------------------------------------- counts


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("item,a,b\n1,3,0\n2,x,3\n", "line 3: every count in the column 'a' .* Got 'x'"),
        ("item,a,b\n1,3,0\n2,,3\n", "line 3: every count in the column 'a' .* an empty cell"),
        ("item,a,b\n1,3,0\n2,3,1e17\n", "line 3: every count in the column 'b'"),
    ],
)
def test_what_is_no_count_is_refused_with_its_place(kept, text, words):
    with pytest.raises(InputError, match=words):
        load(kept(text), shape="counts")


def test_empty_cells_are_zero_where_nobody_wrote_one(kept):
    loaded = load(kept("item,a,b\n1,3,\n,,\n2,,3\n3,1,2\n"), shape="counts", item="item")
    assert loaded.ratings.n_ratings == 9
    assert "empty cells count as 0, as no 0 is written: 2" in loaded.reading.evidence


@pytest.mark.parametrize("order", ["a,b,total", "total,a,b", "a,total,b"])
def test_the_sum_of_counts_is_no_label(kept, order):
    rows = [(3, 50), (7, 11), (0, 90)]
    lines = [
        ",".join(str({"a": a, "b": b, "total": a + b}[name]) for name in order.split(","))
        for a, b in rows
    ]
    text = "\n".join([f"item,{order}", *(f"{k},{line}" for k, line in enumerate(lines))])
    ratings = read(kept(text + "\n"), shape="counts", item="item")
    assert (ratings.categories, ratings.n_ratings) == (("a", "b"), 161)
    other = read(kept(text.replace("90", "91", 1) + "\n"), shape="counts", item="item")
    assert set(other.categories) == {"a", "b", "total"}  # it does not add up: a label like others


def test_what_is_called_no_label_is_left_out_of_the_counts_unless_it_counts(kept):
    text = "item,a,b,comment\n1,3,50,late\n2,7,11,ill\n3,0,90,away\n"
    assert read(kept(text), shape="counts", item="item").categories == ("a", "b")
    text = text.replace("late", "4").replace("ill", "9").replace("away", "2")
    assert set(read(kept(text), shape="counts", item="item").categories) == {"a", "b", "comment"}


FLEISS = "item,a,b,c,year\n" + "".join(
    f"{k},{a},{b},{4 - a - b},{2001 + k % 3}\n"
    for k, (a, b) in enumerate([(4, 0), (0, 4), (3, 1), (2, 2), (0, 0), (1, 3), (4, 0), (0, 1)])
)


def test_columns_that_add_up_to_the_raters_are_the_counts(kept):
    ratings = read(kept(FLEISS), shape="counts", item="item")
    assert (ratings.categories, ratings.n_items, ratings.n_ratings) == (("a", "b", "c"), 8, 32)


def test_counts_of_items_and_groups(kept):
    text = "item,group,a,b\n1,p,3,0\n2,p,1,2\n3,q,0,3\n4,q,0,0\n,,,\n"
    options = {"shape": "counts", "item": "item", "categories": ["a", "b"]}
    groups = read_groups(kept(text), by="group", **options)
    assert {name: (list(one.items), one.n_ratings) for name, one in groups.items()} == {
        "p": (["1", "2"], 6), "q": (["3", "4"], 3)
    }  # fmt: skip
    for odd, words in (("5,,1,2\n", "line 7: the column 'group'"),
                       (",q,1,0\n", "line 7: the column 'item'")):  # fmt: skip
        with pytest.raises(InputError, match=words):
            read_groups(kept(text + odd), by="group", **options)
    nameless = read(kept("a,b\n3,0\n,\n1,2\n0,3\n"), shape="counts", categories=["b", "a"])
    assert (nameless.n_items, nameless.categories) == (3, ("b", "a"))
    with pytest.raises(InputError, match=r"codes\.csv: .*number.* Got 'a'"):
        read(kept(text), scale="interval", **{**options, "categories": ["a", "b"]})


def test_cross_tables_without_names_or_with_other_names(kept):
    bare = read(kept("a,b\n3,1\n2,5\n"), shape="table")
    assert (bare.categories, bare.scale, bare.n_items) == ((1, 2), "nominal", 11)
    assert read(kept("a,b\n3,1\n2,5\n"), shape="table", scale="ordinal").scale == "ordinal"
    other = read(kept(",yes,no\nja,3,1\nnein,2,5\nTotal,5,6\n"), shape="table")
    assert (set(other.categories), other.n_items) == ({"yes", "no", "ja", "nein"}, 11)
    assert read(kept(",yes,no\nja,3,1\nnein,2,5\nda,5,6\n"), shape="table").n_items == 22
    square = read(kept(",yes,no\nja,3,1\ntotal,2,5\n"), shape="table")  # a label called so
    assert (len(square.categories), square.n_items) == (4, 11)
    for text in (",yes,no\nja,3,1\nja,2,5\n", ",yes,no\nja,3,1\nnein,2,x\n"):
        with pytest.raises(InputError):
            read(kept(text), shape="table")


def test_labels_that_are_mapped_are_added_up(kept):
    counts = read(kept("item,yes,no,maybe,NA\n1,3,0,1,2\n2,2,1,1,2\n3,0,0,4,2\n"),
                  shape="counts", item="item", map={"maybe": "no"})  # fmt: skip
    assert (counts.categories, counts.n_ratings) == (("no", "yes"), 12)
    table = read(kept(",yes,no,NA\nyes,30,4,1\nno,2,10,3\nNA,5,6,7\n"), shape="table",
                 map={"no": "nein"})  # fmt: skip
    assert (set(table.categories), table.n_items) == ({"yes", "nein"}, 46)


def test_one_column_is_no_sum_of_another(kept):
    text = "item,a,total\n1,3,3\n2,7,7\n3,50,50\n"
    assert set(read(kept(text), shape="counts", item="item").categories) == {"a", "total"}


COUNTS = "item,yes,no,{}\n1,3,0,1\n2,2,1,1\n3,0,0,4\n4,1,2,1\n"
CROSSED = ",yes,no,{0}\nyes,30,4,1\nno,2,10,3\n{0},5,6,7\n"


@pytest.mark.parametrize("form", [COUNTS, CROSSED])
def test_a_label_that_means_no_rating_is_none_in_counts_either(kept, form):
    """As in a table of single ratings: NA by itself, another word where that is told."""
    options = {"shape": "counts" if form is COUNTS else "table"}
    plain = read(kept("".join(line.rpartition(",")[0] + "\n" for line in form.splitlines()
                              if not line.startswith("{0}"))), **options)  # fmt: skip
    loaded = load(kept(form.format("NA")), **options)
    told = load(kept(form.format("unclear")), missing_values=["unclear"], **options)
    for ratings in (loaded.ratings, told.ratings):
        assert (ratings.categories, ratings.n_ratings) == (("yes", "no"), plain.n_ratings)
        assert krippendorff_alpha(ratings).value == krippendorff_alpha(plain).value
    words = "taken for no rating, beside words: 'NA' (--categories says which labels there are)"
    assert words in loaded.reading.evidence
    every = ["no", "yes", "NA"]
    assert list(read(kept(form.format("NA")), categories=every, **options).categories) == every
    assert len(read(kept(form.format("unclear")), **options).categories) == 3


@pytest.mark.parametrize(
    "text", [",yes,no,NA\nyes,3,0,9\nno,2,1,9\n", ",yes,no\nyes,3,0\nno,2,1\nNA,9,9\n"]
)
def test_one_of_two_raters_may_have_left_something_out(kept, text):
    ratings = read(kept(text), shape="table")
    assert (ratings.categories, ratings.n_items) == (("yes", "no"), 6)


def test_codes_beside_na_are_asked_about_and_both_answers_work(kept):
    path = kept("item,AB,CD,NA\n1,3,0,1\n2,2,1,1\n3,0,0,4\n4,1,2,1\n")
    with pytest.raises(InputError, match="the label 'NA' must be clear"):
        read(path, shape="counts")
    assert read(path, shape="counts", missing_values=["NA"]).categories == ("AB", "CD")
    assert len(read(path, shape="counts", categories=["AB", "CD", "NA"]).categories) == 3


# -------------------------------------------------------------------- long tables


def test_rows_without_a_rater_are_left_out_where_that_is_told(kept):
    path = kept("item,rater,label\n1,A,x\n1,,y\n1,B,x\n2,A,y\n2,B,y\n3,,z\n,,\n")
    loaded = load(path, no_rater="skip")
    assert loaded.ratings.raters == ("A", "B")
    assert (loaded.ratings.n_ratings, loaded.ratings.categories) == (4, ("x", "y"))
    assert "left out, as nobody is named as the rater: 2 rows" in loaded.reading.evidence
    with pytest.raises(InputError, match=r"line 3: .*2 empty cells.* no_rater="):
        load(path)


def test_the_item_is_found_behind_many_other_columns(kept):
    rng = random.Random(1)
    names = [*(f"site{k}" for k in "abcdefgh"), "item", "rater", "label"]
    lines = [
        ",".join(
            [*(f"{'pqrs'[(i + k) % 4]}{k}" for k in range(8)), f"t{i}", who, rng.choice("xyz")]
        )
        for i in range(12)
        for who in ("Ann", "Bob", "Cem")
    ]
    loaded = load(kept("\n".join([",".join(names), *lines]) + "\n"))
    assert loaded.reading.columns == {"item": ("item",), "rater": ("rater",), "label": ("label",)}


def test_rows_of_a_long_table_are_accounted_for(kept):
    path = kept("item,rater,label\n1,A,x\n1,B,\n2,A,y\n2,B,NA\n3,A,x\n3,B,x\n,,\n")
    loaded = load(path, missing_values=["NA"])
    assert loaded.ratings.n_ratings == 4
    account = loaded.reading.account
    aside = {one.reason: one.count for one in account.set_aside if one.kind == "rows"}
    assert account.found["rows"] == account.used["rows"] + sum(aside.values())
    assert sorted(aside.values()) == [1, 1, 1]


def test_numbers_that_look_like_a_mark_for_nothing():
    assert far_numbers([1, 2, 3, -99]) == [-99]
    assert far_numbers([1, 2, 3, 99]) == [99]
    assert far_numbers([-99, 1, 2, 99]) == [-99, 99]
    assert far_numbers([-1, 1, 2, 3]) == [-1]
    assert far_numbers([-1, 0, 1]) == [-1]
    for labels in (
        [-2, -1, 0, 1, 2],
        [9, 12, 15],
        [1, 2],
        [1, 2, "x", -99],
        [-99, -98, 1],
        [50, 60, 99],
    ):
        assert far_numbers(labels) == []


# -------------------------------------------------------------------- names in JSON and lists


def test_a_rated_thing_may_be_called_like_a_label(kept):
    document = {"Ann": {"tone": "x", "score": "y"}, "Bob": {"tone": "x", "score": "x"}}
    ratings = read(kept(document, "codes.json"), shape="transposed")
    assert (ratings.raters, list(ratings.items)) == (("Ann", "Bob"), ["tone", "score"])
    named = {"rater1": document["Ann"], "rater2": document["Bob"]}
    ratings = read(kept(named, "named.json"))
    assert (ratings.raters, list(ratings.items)) == (("rater1", "rater2"), ["tone", "score"])
    nested = {f"t{k}": {"text": "hm", "labels": {"Ann": "x", "Bob": "xy"[k % 2]}} for k in range(4)}
    ratings = read(kept(nested, "nested.json"))
    assert (ratings.raters, ratings.n_items) == (("Ann", "Bob"), 4)


def test_sentences_are_items():
    def role(*names: str) -> str:
        return outer_role({name: {"p": "x", "q": "y"} for name in names})[0]

    long = "This is what somebody wrote, number {}"
    assert role(*map(long.format, range(3)), "short") == "item"
    with pytest.raises(InputError, match="clearly those of items or of raters"):
        role(long.format(1), "s")  # one of two is not most


def test_codes_of_things_are_no_names_of_persons():
    """As many outer names as inner ones: only what they sound like tells."""
    assert outer_role({"k7a": {"Ann": "x", "Bob": "y"}, "b2z": {"Ann": "x", "Bob": "x"}})[0] == (
        "item"
    )
    with pytest.raises(InputError, match="clearly those of items or of raters"):
        outer_role({"Cem": {"Ann": "x", "Bob": "y"}, "Dan": {"Ann": "x", "Bob": "x"}})


def test_a_document_is_parsed_up_to_its_limit(kept, monkeypatch):
    document = {f"t{k}": {"Ann": "x", "Bob": "xy"[k % 2]} for k in range(4)}
    path = kept(document, "codes.json")
    size = len(path.read_text(encoding="utf-8"))
    monkeypatch.setattr(nested_json, "_LARGEST", size)
    assert read(path).n_ratings == 8
    monkeypatch.setattr(nested_json, "_LARGEST", size - 1)
    with pytest.raises(InputError, match=f"smaller. Got more than {size - 1:,} characters"):
        read(path)


def test_gold_answers_are_compared_where_that_is_told_and_else_left_out(kept):
    text = "item,Ann,Bob,gold\n" + "".join(
        f"{k},{'xy'[k % 2]},{'xyy'[k % 3]},x\n" for k in range(9)
    )
    path = kept(text)
    assert read(path, rater=["Ann", "Bob"]).raters == ("Ann", "Bob")
    beside = load(path, rater=["Ann", "Bob"], gold="rater")
    assert beside.ratings.raters == ("Ann", "Bob", "gold")
    assert "compared like a rater's, as told: 'gold'" in beside.reading.evidence
    named = load(path, rater=["Ann", "Bob", "gold"], gold="rater")
    assert named.ratings.raters == ("Ann", "Bob", "gold")
    assert not any("compared like a rater's" in words for words in named.reading.evidence)


def test_labels_of_a_cross_table_are_the_same_in_rows_and_columns(kept):
    ratings = read(kept(",spam,ham\nspam,20,3\nham,4,30\n"))
    assert (ratings.design, ratings.n_items) == ("table", 57)
    assert ratings.table(*ratings.raters).tolist() == [[20, 3], [4, 30]]


def test_rows_that_differ_in_case_from_columns_are_asked_about(kept):
    path = kept(",spam,ham\nSpam,20,3\nHam,4,30\n")
    with pytest.raises(AmbiguousTableError) as caught:
        read(path)
    assert caught.value.offers[0].options == {"shape": "table"}
    ratings = read(path, shape="table")
    assert ratings.table(*ratings.raters).tolist() == [[20, 3], [4, 30]]


def test_lists_of_raters_and_labels_are_lifted():
    two = {"annotators": ["a", "b"], "labels": ["x", "y"]}
    assert hoisted({"id": 1, "answers": two}) == {"id": 1, **two}
    three = {**two, "times": [3, 4]}
    assert hoisted({"answers": three}) == three
    for other in (
        {"labels": ["x", "y"]},
        {"annotators": ["a"], "labels": ["x", "y"]},
        {"annotators": [], "labels": []},
        {"annotators": "ab", "labels": "xy"},
        {"notes": ["a", "b"], "labels": ["x", "y"]},
    ):
        assert hoisted({"answers": other}) == {"answers": other}
    clash = {"labels": "z", "answers": two}
    assert hoisted(clash) == clash


def test_cells_that_hold_lists():
    assert parts_of('["a", "b"]') == parts_of("['a', 'b']") == parts_of("('a', 'b')") == ["a", "b"]
    assert parts_of("a, b") == ["a", "b"]
    assert parts_of(None) == parts_of(" ") == []
    assert parts_of(("a",)) == ["a"]
    assert parts_of("{1, 2}") is None
    assert parts_of("[a, b]") is None
    longest = '["' + "x" * (LONGEST_LITERAL - 4) + '"]'
    assert parts_of(longest) == ["x" * (LONGEST_LITERAL - 4)]
    assert parts_of(longest.replace("x", "xx", 1)) is None


# -------------------------------------------------------------------- wide tables


def test_people_and_models_are_raters_whatever_their_numbers(kept):
    rng = random.Random(2)
    for names in (
        ["human_1", "human_2", "model_1", "model_2"], ["1_human", "2_human", "1_model", "2_model"]
    ):  # fmt: skip
        rows = [",".join([str(k), *(rng.choice("xy") for _ in names)]) for k in range(20)]
        ratings = read(kept("\n".join([",".join(["item", *names]), *rows]) + "\n"))
        assert ratings.raters == tuple(names)


def columns_of(*names: str, rows: list[list[str | None]]) -> Profile:
    return profile_of(names, rows)


def test_numbers_of_which_no_two_stand_in_a_row_are_not_compared():
    apart = columns_of("A", "B", rows=[["1", None], [None, "2"], ["3", None]])
    assert _compared(list(apart.columns)) < 0
    both = columns_of("A", "B", rows=[["1", None], ["2", "2"], ["3", None]])
    assert _compared(list(both.columns)) == 0
    words = columns_of("A", "B", rows=[["x", None], [None, "y"]])
    assert _compared(list(words.columns)) == 0


def test_the_column_that_names_the_items_best():
    cells: dict[str, list[str | None]] = {
        "first": ["k", "l", "m"], "later": ["n", "o", "p"], "item": ["d1", "d2", "d3"],
        "when": ["2026-05-01", "2026-05-02", "2026-05-03"], "weight": ["1.5", "2.5", "3.5"],
        "same": ["z", "z", "z"], "some": ["q", None, "r"],
    }  # fmt: skip

    def chosen(*names: str) -> str | None:
        rows = [list(values) for values in zip(*(cells[name] for name in names), strict=True)]
        profile = columns_of(*names, rows=rows)
        found = item_column(profile, list(profile.columns), None)  # type: ignore[arg-type]
        return None if found is None else found.name

    assert chosen("first", "later") == "first"
    assert chosen("first", "later", "item") == "item"
    assert chosen("weight", "later") == "later"
    assert chosen("when", "later") == "later"
    assert chosen("same", "some") is None
    profile = columns_of("x", "later", rows=[["a", "n"], ["b", "o"], ["c", "p"]])
    first, other = map(_worth_as_item, profile.columns)
    assert first > other > 0


@pytest.mark.parametrize(("n_patients", "is_told"), [(4, False), (5, True), (6, False)])
def test_items_that_share_a_patient_are_told_where_there_are_enough_of_both(
    kept, n_patients, is_told
):
    """At least five, and two items each: of ten items just five."""
    rng = random.Random(3)
    lines = [f"t{k},patient {k % n_patients},{who},{rng.choice('xy')}"
             for k in range(10) for who in ("Ann", "Bob")]  # fmt: skip
    loaded = load(kept("\n".join(["item,patient,rater,label", *lines]) + "\n"),
                  item="item", rater="rater", label="label")  # fmt: skip
    assert [one.name for one in loaded.reading.beside] == ["patient"] * is_told


def test_a_column_of_clusters_is_no_rater_whatever_it_looks_like(kept):
    rng = random.Random(4)
    truth = [rng.choice("xyz") for _ in range(24)]
    lines = [",".join([f"t{k}", *(true if rng.random() < 0.8 else rng.choice("xyz")
                                  for _ in range(3)), "pq"[k % 2]])
             for k, true in enumerate(truth)]  # fmt: skip
    path = kept("\n".join(["item,Ann,Bob,Cem,part", *lines]) + "\n")
    assert read(path).raters == ("Ann", "Bob", "Cem")
    assert read(path, cluster="Cem").raters == ("Ann", "Bob")
    groups = read_groups(path, cluster="Cem", by="part")
    assert {one.n_items for one in groups.values()} == {12}


# -------------------------------------------------------------------- limits


@pytest.mark.parametrize(
    ("width", "height", "words"),
    [
        (2, 1, ""), (2, None, ""), (10_000, 5_000, ""),
        (1, 5, "1 columns and 5 cases"), (2, 0, "2 columns and 0 cases"),
        (10_001, 1, "at most 10,000 columns"), (2, 25_000_001, "50,000,000 cells"),
    ],
)  # fmt: skip
def test_statistics_files_are_read_up_to_their_limits(width, height, words):
    if not words:
        spss_stata._check_size(Path("codes.sav"), width, height)
        return
    with pytest.raises(InputError, match=words):
        spss_stata._check_size(Path("codes.sav"), width, height)


def test_a_small_packed_file_may_be_much_larger_unpacked(tmp_path):
    path = tmp_path / "codes.json.gz"
    path.write_bytes(gzip.compress(b" " * (2 << 20)))
    assert len(Source((path,)).files[0].bytes()) == 2 << 20


def test_an_unknown_engine_is_refused(kept):
    with pytest.raises(InputError, match=r"engine must be .*duckdb"):
        load_reduced(kept("item,rater,label\n1,A,x\n1,B,x\n"), engine="dukdb")


# -------------------------------------------------------------------- OpenDocument


def test_hidden_rows_of_opendocument_are_read_and_told(tmp_path):
    rows = [["item", "Ann", "Bob"], *[[k, "ab"[k % 2], "abb"[k % 3]] for k in range(1, 7)]]
    hidden = row([7, "a", "b"], 'table:visibility="collapse"')
    path = write_ods(tmp_path / "codes.ods", ("Codes", [*rows, hidden]))
    loaded = load(path)
    assert loaded.ratings.n_items == 7
    assert any("1 hidden row" in words for words in loaded.reading.evidence)
    loaded = load(write_ods(tmp_path / "plain.ods", ("Codes", rows)))
    assert not any("hidden" in words for words in loaded.reading.evidence)


def test_an_item_merged_over_rows_of_opendocument_counts_for_each(tmp_path):
    rows: list[object] = [["item", "rater", "label"]]
    for k in range(1, 4):
        merged = cell(f"t{k}", 'table:number-rows-spanned="2"')
        below = cell("old").replace("table:table-cell", "table:covered-table-cell")
        rows += [[merged, "Ann", "ab"[k % 2]], [below, "Bob", "a"]]
    ratings = read(write_ods(tmp_path / "codes.ods", ("Codes", rows)))
    assert (list(ratings.items), ratings.n_ratings) == (["t1", "t2", "t3"], 6)


@pytest.mark.parametrize("number", ["NaN", "inf", "-inf"])
def test_a_number_that_is_none_is_refused(tmp_path, number):
    odd = f'<table:table-cell office:value-type="float" office:value="{number}"/>'
    path = write_ods(
        tmp_path / "codes.ods", ("Codes", [["item", "A", "B"], [1, odd, 2], [2, 1, 1]])
    )
    with pytest.raises(InputError, match="a number that is none"):
        read(path)


@pytest.mark.parametrize(("name", "raters"), [("Anm.", ("Ann", "Bob", "Cid")), ("Zed", None)])
def test_a_remark_here_and_there_is_never_taken_for_a_rater_in_silence(
    name: str, raters: tuple[str, ...] | None, tmp_path: Path
) -> None:
    rows = [["case", "Ann", "Bob", "Cid", name]]
    for k in range(40):
        label = ("good", "fair", "poor")[k % 3]
        other = "poor" if k % 7 == 0 else label
        rows.append([f"c{k}", label, other, label, "see file" if k % 13 == 0 else ""])
    path = tmp_path / "remarks.csv"
    path.write_text("\n".join(map(",".join, rows)) + "\n", encoding="utf-8")
    if raters is None:
        with pytest.raises(InputError, match=r"(?m)--rater Ann --rater Bob --rater Cid$"):
            read(path)
    else:
        assert read(path).raters == raters
