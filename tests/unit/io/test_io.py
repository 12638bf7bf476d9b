"""Reading files: every layout, every dialect, and every way a file can be wrong."""

from __future__ import annotations

import csv
import gzip
import itertools
import os
import random
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
import needed
from consilience.exceptions import InputError
from consilience.io import Reading, formats, load, read, read_groups
from consilience.io.layout.lexicon import MISSING_MARKS, numbered_roles, role_of
from consilience.io.registry import table_formats

LONG = "item,rater,label\n1,Ann,yes\n1,Bob,yes\n2,Ann,no\n2,Bob,yes\n3,Ann,no\n3,Bob,no\n"
WIDE = "item,Ann,Bob\n1,yes,yes\n2,no,yes\n3,no,no\n"
TRANSPOSED = "rater,1,2,3\nAnn,yes,no,no\nBob,yes,yes,no\n"
COUNTS = "item,no,yes\n1,0,2\n2,1,1\n3,2,0\n"
TABLE = ",no,yes\nno,1,1\nyes,0,1\n"


@pytest.fixture
def write(tmp_path):
    """Write a file and return its path."""

    def make(content, name="ratings.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


def labels_by_cell(ratings):
    """Return {(item, rater): label} of a small set of ratings."""
    found = {}
    for first, second in itertools.pairwise([*ratings.raters, ratings.raters[0]]):
        pair = ratings.select(raters=[first, second])
        assert pair.n_items == ratings.n_items
    codes = ratings.coded_store().matrix
    for i, item in enumerate(ratings.items):
        for r, rater in enumerate(ratings.raters):
            code = int(ratings.coded_store().code_of[codes[i, r] - ratings.coded_store().low])
            if code >= 0:
                found[item, rater] = ratings.categories[code]
    return found


# -------------------------------------------------------------------- layouts


LAYOUTS = [
    (LONG, "long"),
    ("unit,coder,code\n1,Ann,yes\n1,Bob,yes\n2,Ann,no\n2,Bob,yes\n", "long"),
    ("task_id,worker_id,answer\n1,9,a\n1,8,a\n2,9,b\n2,8,b\n", "long"),
    ("HITId,WorkerId,SubmitTime,Answer.x\n1,9,t1,a\n1,8,t2,a\n2,9,t3,b\n2,8,t4,b\n", "long"),
    ("INPUT:doc;ASSIGNMENT:worker_id;OUTPUT:ok\n1;9;a\n1;8;a\n2;9;b\n2;8;b\n", "long"),
    ("unit,coder,tone\n1,1,1\n1,2,1\n2,1,2\n2,2,1\n", "long"),
    ("x,y,z\nd1,ann,yes\nd1,bob,no\nd2,ann,no\nd2,bob,no\nd3,ann,no\nd3,bob,yes\n", "long"),
    ("d1,ann,yes\nd1,bob,no\nd2,ann,no\nd2,bob,no\nd3,ann,no\nd3,bob,yes\n", "long"),
    (WIDE, "wide"),
    ("Ann,Bob\nyes,yes\nno,yes\nno,no\n", "wide"),
    ("item,expert,novice\n1,a,b\n2,b,b\n3,a,a\n", "wide"),
    ("id,text,coder A,coder B\n1,some words,1,2\n2,other words,2,2\n", "wide"),
    ("id,text,Ann,Bob\n1,some words,x,y\n2,other words,y,y\n3,more,x,x\n", "wide"),
    (",r1,r2\n1,4,5\n2,5,5\n3,4,4\n", "wide"),
    ("a,b\n1.25,1.5\n2.5,2.25\n3.5,3.0\n", "wide"),
    (TRANSPOSED, "transposed"),
    ("coder,q1,q2,q3\nAnn,1,2,3\nBob,1,2,2\n", "transposed"),
    (",item1,item2,item3,item4\nrater A,1,2,1,2\nrater B,1,2,2,2\n", "transposed"),
    ("item,a,b,c\n" + "".join(f"{i},{i % 4},{3 - i % 4},0\n" for i in range(12)), "counts"),
    ("item,count,a,b\n" + "".join(f"{i},{3 + i % 2},{i % 4},{3 + i % 2 - i % 4}\n"
                                  for i in range(12)), "counts"),
    (TABLE, "table"),
    (",no,yes,Total\nno,20,20,40\nyes,10,50,60\nTotal,30,70,100\n", "table"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "shape"), LAYOUTS, ids=[f"{shape}-{k}" for k, (_, shape) in enumerate(LAYOUTS)]
)
def test_layout_is_recognised(write, text, shape):
    loaded = load(write(text))
    assert loaded.reading.shape == shape
    assert loaded.reading.evidence


def test_settled_answers_beside_raters_are_asked_about(write):
    path = write("id,ann,bob,Gold label\n1,a,a,a\n2,b,a,b\n3,a,a,a\n4,b,b,b\n5,a,b,a\n6,a,a,a\n")
    with pytest.raises(InputError, match="--rater ann --rater bob --rater 'Gold label'"):
        read(path)
    assert load(path, rater="ann,Gold label").ratings.raters == ("ann", "Gold label")
    assert load(path, rater=["ann", "bob"]).ratings.raters == ("ann", "bob")


def test_every_layout_gives_the_same_ratings(write):
    expected = cs.krippendorff_alpha(read(write(LONG))).value
    files = {"wide": WIDE, "transposed": TRANSPOSED, "counts": COUNTS, "table": TABLE}
    for shape, text in files.items():
        ratings = read(write(text), shape=shape)
        assert ratings.n_items == 3, shape
        assert ratings.categories == ("no", "yes"), shape
        assert cs.krippendorff_alpha(ratings).value == pytest.approx(expected, abs=1e-15), shape


def test_long_wide_and_transposed_agree_cell_by_cell(write):
    long, wide = read(write(LONG)), read(write(WIDE))
    transposed = read(write(TRANSPOSED))
    assert labels_by_cell(long) == labels_by_cell(wide) == labels_by_cell(transposed)
    assert labels_by_cell(long)["2", "Bob"] == "yes"


def test_one_file_per_rater(write):
    ann = write("item,label\n1,yes\n2,no\n3,no\n", "ann.csv")
    bob = write("label,item\nyes,1\nyes,2\nno,3\n", "bob.csv")
    loaded = load([ann, bob])
    assert loaded.ratings.raters == ("ann", "bob")
    assert labels_by_cell(loaded.ratings)["2", "bob"] == "yes"
    assert "several files, one per rater" in str(loaded.reading)


def test_files_with_the_same_columns_are_read_as_one(write):
    first = write("item,rater,label\n1,Ann,yes\n1,Bob,no\n", "a.csv")
    second = write("rater,item,label\nAnn,2,yes\nBob,2,yes\n", "b.csv")
    ratings = read([first, second])
    assert list(ratings.items) == ["1", "2"]
    assert ratings.n_ratings == 4


def test_every_guess_can_be_overridden(write):
    path = write("a,b,c,d\n1,x,p,u\n1,y,p,u\n2,x,q,u\n2,y,p,u\n")
    loaded = load(path, item="a", rater="b", label="c")
    assert loaded.reading.columns == {"item": ("a",), "rater": ("b",), "label": ("c",)}
    wide = load(write("a,b,c,d\n1,x,p,u\n2,y,p,u\n"), rater=["b", "c", "d"])
    assert wide.ratings.raters == ("b", "c", "d")


def test_column_names_are_found_in_any_case(write):
    path = write("A,B,C\n1,x,p\n1,y,p\n2,x,q\n2,y,p\n")
    assert read(path, item="a", rater="b", label="c").n_items == 2


def test_several_item_columns_together_name_the_item(write):
    path = write("doc,begin,user,label\nd1,0,A,x\nd1,5,A,y\nd1,0,B,x\nd1,5,B,x\n")
    ratings = read(path, item=["doc", "begin"])
    assert list(ratings.items) == ["d1 0", "d1 5"]


def test_total_rows_and_columns_are_not_counted(write):
    ratings = read(write(",no,yes,total\nno,20,20,40\nyes,10,50,60\ntotal,30,70,100\n"))
    assert ratings.n_items == 100
    assert ratings.categories == ("no", "yes")


def test_counts_take_the_columns_that_categories_name(write):
    path = write("item,x,a,b\n1,7,3,0\n2,8,0,3\n3,9,1,2\n")
    ratings = read(path, shape="counts", categories=["b", "a"])
    assert ratings.categories == ("b", "a")
    assert ratings.n_ratings == 9


def test_headerless_file_names_its_columns_by_number(write):
    ratings = read(write("yes,yes\nno,yes\nno,no\nyes,yes\n"))
    assert ratings.raters == ("1", "2")
    assert ratings.n_items == 4


def test_reading_says_what_was_done(write):
    reading = load(write(WIDE)).reading
    assert isinstance(reading, Reading)
    text = str(reading)
    assert "wide (rows are items, columns are raters), 3 rows" in text
    assert "item: item; rater: Ann, Bob" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (",u1,u2,u3,u4\nAnn,1,2,1,2\nBob,1,2,2,2\n", ("--shape wide", "--shape transposed")),
        ("a,b\n1,2\n2,1\n1,2\n", ("wide", "counts", "--shape counts")),
    ],
)
def test_two_equally_good_layouts_are_refused(write, text, words):
    with pytest.raises(InputError) as caught:
        read(write(text))
    for word in words:
        assert word in str(caught.value)


def test_first_line_that_may_be_names_or_ratings_is_refused(write):
    path = write("1,2,3\n1,2,2\n3,3,3\n2,2,2\n")
    with pytest.raises(InputError, match="must be clear"):
        read(path)
    raters = ["1", "2", "3"]
    assert read(path, header=False, rater=raters).n_items == 4
    assert read(path, header=True, rater=raters).n_items == 3


# -------------------------------------------------------------------- groups


GROUPED = (
    "variable,item,rater,value\n"
    "tone,1,A,pos\ntone,1,B,pos\ntone,2,A,neg\ntone,2,B,pos\n"
    "mark,1,A,1\nmark,1,B,2\nmark,3,A,2\nmark,3,B,2\n"
)


def test_by_gives_one_set_of_ratings_per_value(write):
    groups = read_groups(write(GROUPED), by="variable")
    assert list(groups) == ["tone", "mark"]
    assert groups["tone"].categories == ("neg", "pos")
    assert groups["mark"].categories == (1, 2)
    assert list(groups["mark"].items) == ["1", "3"]


def test_several_label_columns_give_one_set_each(write):
    rows = [(1, "A", "x", 1), (1, "B", "x", 2), (2, "A", "y", 1), (2, "B", "x", 1),
            (3, "A", "y", 2), (3, "B", "y", 2), (4, "A", "x", 1), (4, "B", "y", 1)]  # fmt: skip
    lines = [f"{i},{r},{t},{f},seen at {k}" for k, (i, r, t, f) in enumerate(rows)]
    path = write("item,rater,v1,v2,remark\n" + "\n".join(lines) + "\n")
    groups = read_groups(path, label=["v1", "v2"])
    assert groups["v1"].categories == ("x", "y")
    assert groups["v2"].categories == (1, 2)
    assert list(read_groups(path)) == ["v1", "v2"]  # a note is no code
    with pytest.raises(InputError, match='variable="v1"'):
        read(path)
    assert read(path, variable="v1").categories == ("x", "y")  # as the hint says


@pytest.mark.parametrize(
    "text",
    [
        "site,item,Ann,Bob\nN,1,x,x\nN,2,y,y\nS,1,x,y\nS,2,y,y\n",
        "site,item,x,y\nN,1,2,0\nN,2,0,2\nS,1,1,1\nS,2,0,2\n",
    ],
)
def test_wide_tables_and_counts_can_be_grouped(write, text):
    shape = "wide" if "Ann" in text else "counts"
    groups = read_groups(write(text), by="site", item="item", shape=shape)
    assert list(groups) == ["N", "S"]
    assert all(ratings.n_items == 2 for ratings in groups.values())
    assert cs.percent_agreement(groups["N"]).value == 1.0
    assert cs.percent_agreement(groups["S"]).value == 0.5


def test_read_groups_needs_something_to_group_by(write):
    with pytest.raises(InputError, match="use read"):
        read_groups(write(LONG))


# -------------------------------------------------------------------- labels


def test_text_stays_text(write):
    path = write("item,rater,label\n001,07,007\n001,08,010\n002,07,007\n002,08,007\n")
    ratings = read(path)
    assert ratings.categories == ("007", "010")
    assert list(ratings.items) == ["001", "002"]
    assert ratings.raters == ("07", "08")


def test_a_column_of_numbers_is_numbers(write):
    path = write("item,A,B\n1,10,9\n2,9,10.0\n3,2,2\n")
    loaded = load(path)
    assert loaded.ratings.categories == (2, 9, 10)
    assert any("one number: 10, 10.0" in words for words in loaded.reading.evidence)


def test_one_word_makes_the_column_text_and_that_is_said(write):
    more = "".join(f"{k},{k % 4 + 1},{k % 4 + 1}\n" for k in range(5, 13))
    loaded = load(write("item,A,B\n1,1,2\n2,2,3\n3,4,x\n4,3,3\n" + more))
    assert loaded.ratings.categories == ("1", "2", "3", "4", "x")
    assert any("'x' is no number" in words for words in loaded.reading.evidence)


@pytest.mark.parametrize("huge", ["1e400", "inf", "1_000", "0x10"])
def test_what_only_looks_like_a_number_stays_text(write, huge):
    ratings = read(write(f"item,A,B\n1,1,{huge}\n2,2,1\n3,2,2\n"), shape="wide", item="item")
    assert huge in ratings.categories


def test_decimal_commas(write):
    loaded = load(write("item;A;B\n1;1,5;2\n2;2;1,5\n3;2,25;2\n"), scale="interval")
    assert loaded.ratings.categories == (1.5, 2, 2.25)
    assert any("decimal comma" in words for words in loaded.reading.evidence)


def test_na_means_no_rating_unless_it_is_declared_a_category(write):
    said = ("no", "yes")
    more = "".join(f"{k},{said[k % 3 > 0]},{said[k % 2]}\n" for k in range(4, 12))
    path = write("item,A,B\n1,yes,NA\n2,NA,NA\n3,no,no\n" + more)
    loaded = load(path)
    assert loaded.ratings.categories == ("no", "yes")
    assert loaded.ratings.n_ratings == 3 + 16
    assert any("'NA'" in words for words in loaded.reading.evidence)
    assert read(path, missing_values=["NA"]).n_ratings == 3 + 16
    assert "NA" in read(path, categories=["no", "yes", "NA"]).categories


def test_na_among_codes_of_capitals_is_asked_about(write):
    codes = ("EU", "NA", "SA")
    path = write("item,A,B\n" + "".join(
        f"{k},{codes[k % 3]},{codes[k % 2]}\n" for k in range(12)))  # fmt: skip
    with pytest.raises(InputError, match="--missing-value NA"):
        read(path)
    assert read(path, categories=["EU", "NA", "SA"]).n_ratings == 24
    assert read(path, missing_values=["NA"]).n_ratings < 24


@pytest.mark.parametrize("odd", [-99, 99, 999, -9])
def test_numbers_that_look_missing_are_asked_about(write, odd):
    path = write(f"item,A,B\n1,1,{odd}\n2,2,2\n3,3,3\n")
    with pytest.raises(InputError, match=f"--missing-value {odd}\n"):
        read(path)
    assert read(path, categories=[1, 2, 3, odd]).n_ratings == 6
    assert read(path, missing_values=[odd]).n_ratings == 5
    assert read(path, missing_values=[str(odd)]).n_ratings == 5


def test_ninety_nine_on_a_scale_to_a_hundred_is_a_mark(write):
    ratings = read(write("item,A,B\n1,97,99\n2,98,96\n3,95,95\n"), scale="interval")
    assert not ratings.notes


def test_many_numbers_on_a_nominal_scale_are_questioned(write):
    path = write("item,A,B\n" + "".join(f"{i},{i * 3},{i * 3 + i % 2}\n" for i in range(30)))
    assert read(path).scale_undecided
    assert "--scale says which" in " ".join(load(path).reading.evidence)
    assert not read(path, scale="interval").scale_undecided
    assert not read(path, scale="nominal").scale_undecided


def test_empty_cells_are_missing(write):
    ratings = read(write('item,A,B\n1,yes,\n2,"",no\n3, ,no\n4,yes,no\n'))
    assert ratings.n_ratings == 5
    assert ratings.n_missing == 3
    assert ratings.categories == ("no", "yes")


def test_blanks_around_cells_are_removed_and_that_is_said(write):
    loaded = load(write("item, rater, label\n1, Ann, yes\n1, Bob, yes \n2,Ann,no\n2 ,Bob,no\n"))
    ratings = loaded.ratings
    assert (ratings.n_items, ratings.raters, ratings.categories) == (
        2,
        ("Ann", "Bob"),
        ("no", "yes"),
    )
    assert sum("blanks around" in words for words in loaded.reading.evidence) == 3


def test_labels_that_differ_in_case_are_asked_about(write):
    path = write("item,A,B\n1,Yes,yes\n2,no,no\n")
    with pytest.raises(InputError, match="--ignore-case\n"):
        read(path)
    assert len(read(path, ignore_case=True).categories) == 2
    assert len(read(path, categories=["Yes", "yes", "no"]).categories) == 3


def test_declared_categories_keep_their_order(write):
    path = write("item,A,B\n1,low,high\n2,mid,mid\n")
    ratings = read(path, scale="ordinal", categories=["low", "mid", "high", "top"])
    assert ratings.categories == ("low", "mid", "high", "top")
    assert ratings.categories_declared


@pytest.mark.parametrize("categories", [["1", "2", "3"], [1, 2, 3]])
def test_declared_numbers_meet_numbers_in_the_file(write, categories):
    ratings = read(write("item,A,B\n1,1,2\n2,2,2\n"), categories=categories)
    assert ratings.categories == (1, 2, 3)


def test_text_categories_keep_numbers_in_the_file_text(write):
    ratings = read(write("item,A,B\n1,1,2\n2,2,2\n"), categories=["1", "2", "none"])
    assert ratings.categories == ("1", "2", "none")


def test_ordinal_text_needs_its_order(write):
    with pytest.raises(InputError, match=r"ratings\.csv: .*categories"):
        read(write("item,A,B\n1,red,green\n2,blue,blue\n"), scale="ordinal")
    words = read(write("item,A,B\n1,low,high\n2,mid,mid\n", "words.csv"), scale="ordinal")
    assert words.categories == ("low", "mid", "high")


# -------------------------------------------------------------------- dialects


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
def test_delimiters_and_line_ends(write, delimiter, newline):
    text = LONG.replace(",", delimiter).replace("\n", newline)
    assert labels_by_cell(read(write(text))) == labels_by_cell(read(write(LONG, "plain.csv")))


def test_mixed_line_ends(write):
    assert read(write("item,A,B\n1,x,x\r\n2,x,y\r3,y,y\n")).n_items == 3


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "cp1252"],
)
def test_encodings_are_detected(write, encoding):
    ratings = read(write("item,A,B\n1,é,ü\n2,é,é\n".encode(encoding)))
    assert ratings.categories == ("é", "ü")
    assert ratings.raters == ("A", "B")


def test_encoding_can_be_told(write):
    path = write("item,A,B\n1,Ж,Я\n2,Ж,Ж\n".encode("koi8-r"))
    assert read(path, encoding="koi8-r").categories == ("Ж", "Я")


def test_packed_file(write):
    assert read(write(gzip.compress(LONG.encode()), "ratings.csv.gz")).n_items == 3


def test_quoted_cells_hold_delimiters_quotes_and_line_ends(write):
    path = write('item,A,B\n1,"a,b","say ""x"""\n2,"two\nlines","a,b"\n')
    assert set(read(path).categories) == {"a,b", 'say "x"', "two\nlines"}


def test_blank_lines_are_skipped(write):
    path = write("item,A,B\n\n1,x,x\n\n2,x,y\n,,\n\n")
    assert read(path).n_items == 2


@pytest.mark.parametrize("name", ["a[1].csv", "what?.csv", "star*.csv", "it's.csv", "sp ace.csv"])
def test_odd_file_names(write, name):
    write("decoy,a,b\n1,2,3\n", "a1.csv")
    assert read(write(LONG, name)).n_items == 3


def test_folder_that_looks_like_a_partition_adds_no_column(tmp_path):
    folder = tmp_path / "year=2024"
    folder.mkdir()
    (folder / "ratings.csv").write_text(LONG)
    assert load(folder / "ratings.csv").reading.columns["item"] == ("item",)


# -------------------------------------------------------------------- Parquet


def parquet(path, **columns):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table(columns), path)
    return path


def test_parquet_keeps_types(tmp_path):
    path = parquet(
        tmp_path / "r.parquet",
        item=[1, 1, 2, 2],
        rater=["A", "B", "A", "B"],
        label=[True, False, True, True],
    )
    ratings = read(path)
    assert list(ratings.items) == [1, 2]
    assert ratings.categories == (False, True)


def test_parquet_null_nan_and_empty_text_are_missing_as_in_every_file(tmp_path):
    text = parquet(tmp_path / "t.parquet", item=[1, 2], A=["", "x"], B=[" ", "x "])
    assert read(text).categories == ("x",)
    assert read(text).n_missing == 2
    numbers = parquet(tmp_path / "n.parquet", item=[1, 2], A=[1.5, float("nan")], B=[2.0, 1.5])
    assert read(numbers, scale="interval").n_ratings == 3


def test_parquet_lists_are_sets(tmp_path):
    path = parquet(
        tmp_path / "s.parquet",
        item=[1, 1, 2, 2],
        rater=["A", "B", "A", "B"],
        label=[["x", "y"], ["y", "x"], ["x"], []],
    )
    ratings = read(path)
    assert set(ratings.categories) == {frozenset("xy"), frozenset("x"), frozenset()}


def test_parquet_and_csv_give_the_same_ratings(write, tmp_path):
    import pyarrow.csv as pv
    import pyarrow.parquet as pq

    text = write(LONG)
    pq.write_table(pv.read_csv(text), tmp_path / "r.parquet")
    assert cs.cohen_kappa(read(tmp_path / "r.parquet")).value == cs.cohen_kappa(read(text)).value


def test_several_parquet_files(tmp_path):
    ann = parquet(tmp_path / "ann.parquet", item=[1, 2, 3], label=["x", "y", "x"])
    bob = parquet(tmp_path / "bob.parquet", item=[1, 2, 3], label=["x", "x", "x"])
    assert read([ann, bob]).raters == ("ann", "bob")


def test_parquet_counts_name_the_row(tmp_path):
    path = parquet(tmp_path / "c.parquet", item=[1, 2], a=[1, -1], b=[2, 3])
    with pytest.raises(InputError, match=r"c\.parquet, row 2"):
        read(path, shape="counts")


# -------------------------------------------------------------------- order and size


@pytest.mark.parametrize("order", ["shuffled", "sorted", "sorted, but one comes back"])
@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_items_come_in_file_order_whatever_the_threads_do(tmp_path, order, form):
    """Joins and scans spread 150,000 rows over threads; the codes must come in file order."""
    rng = random.Random(3)
    names = [f"doc{k}" for k in range(30_000)]
    rng.shuffle(names)
    rows = [(name, f"r{r}", rng.choice("abc")) for name in names for r in range(5)]
    if order == "shuffled":
        rng.shuffle(rows)
    elif order != "sorted":
        rows.append((names[0], "r9", "c"))
    columns = {key: [row[k] for row in rows] for k, key in enumerate(("item", "rater", "label"))}
    path = tmp_path / f"r.{form}"
    if form == "parquet":
        parquet(path, **columns)
    else:
        path.write_text("item,rater,label\n" + "".join(f"{i},{r},{x}\n" for i, r, x in rows))
    ratings = read(path)
    assert list(ratings.items) == list(dict.fromkeys(columns["item"]))
    direct = cs.Ratings.from_long(columns)
    assert cs.krippendorff_alpha(ratings).value == pytest.approx(
        cs.krippendorff_alpha(direct).value, abs=1e-14
    )


def test_whole_numbers_keep_their_names_and_their_order(tmp_path):
    path = parquet(
        tmp_path / "n.parquet",
        item=[7, 7, -3, -3, 10**15, 10**15, None],
        rater=[20, 10, 20, 10, 20, 10, None],
        label=[5, 5, 4, 5, 4, 4, None],
    )
    ratings = read(path)
    assert list(ratings.items) == [7, -3, 10**15]
    assert ratings.raters == (20, 10)
    assert labels_by_cell(ratings)[-3, 10] == 5


def test_two_thousand_columns(write):
    header = "item," + ",".join(f"rater{k}" for k in range(2_000))
    rows = [f"{i}," + ",".join("xy"[(i + k) % 2] for k in range(2_000)) for i in range(3)]
    ratings = read(write("\n".join([header, *rows]) + "\n"))
    assert ratings.n_raters == 2_000
    assert ratings.n_ratings == 6_000


def test_neither_pandas_nor_pyarrow_is_needed(write, tmp_path):
    program = (
        "import sys\n"
        "for name in ('pandas', 'pyarrow', 'polars'): sys.modules[name] = None\n"
        "import consilience as cs\n"
        "print(cs.read(sys.argv[1]).n_items, cs.read(sys.argv[2]).n_items)\n"
    )
    path = parquet(tmp_path / "p.parquet", item=[1, 1], rater=["A", "B"], label=["x", "y"])
    done = subprocess.run(
        [sys.executable, "-c", program, str(write(LONG)), str(path)],
        capture_output=True, text=True, check=True, cwd=tmp_path,
    )  # fmt: skip
    assert done.stdout.split() == ["3", "1"]
    assert not (tmp_path / ".tmp").exists()


def test_the_input_is_left_alone(write, tmp_path):
    path = write(LONG.encode("utf-16"))
    before = (path.read_bytes(), path.stat().st_mtime_ns, sorted(os.listdir(tmp_path)))
    read(path)
    assert (path.read_bytes(), path.stat().st_mtime_ns, sorted(os.listdir(tmp_path))) == before


cell = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc"), exclude_characters="\ufeff"),
    min_size=1,
    max_size=6,
).filter(lambda text: text.strip(" \u00a0") == text and text.strip() == text)


def wanted_marks(wanted):
    """Labels that would be taken for no rating, unless they are declared."""
    return any(text.strip().casefold() in MISSING_MARKS for text in wanted)


@settings(max_examples=40, deadline=None)
@given(data=st.data())
def test_any_text_comes_back_as_it_was_written(tmp_path_factory, data):
    n = data.draw(st.integers(2, 6))
    rows = [[f"i{k}", data.draw(cell), data.draw(cell)] for k in range(n)]
    path = tmp_path_factory.mktemp("any") / "any.csv"
    with path.open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream, quoting=csv.QUOTE_ALL)
        writer.writerows([["item", "rater 1", "rater 2"], *rows])
    wanted = {text for row in rows for text in row[1:]}
    twins = len({text.casefold() for text in wanted}) < len(wanted)
    declared = {"categories": sorted(wanted)} if twins or wanted_marks(wanted) else {}
    ratings = read(
        path, delimiter=",", shape="wide", item="item", rater=["rater 1", "rater 2"], **declared
    )
    found = {str(label) for label in ratings.categories}
    if all(isinstance(label, str) for label in ratings.categories):
        assert found == wanted
    else:
        assert {float(text) for text in wanted} == {float(text) for text in found}


# -------------------------------------------------------------------- what can be wrong


BAD = {
    "blank": (b"\n\n\n", {}, ("bad.csv", "blank lines")),
    "header only": (b"item,rater,label\n", {}, ("bad.csv", "header only")),
    "short line": (b"item,rater,label\n1,A,x\n1,B\n", {}, ("bad.csv, line 3", "3 cells", "Got 2")),
    "long line": (b"item,rater,label\n1,A,x\n1,B,y,z\n", {}, ("bad.csv, line 3", "Got 4")),
    "line after a cell of two lines": (
        b'item,rater,label\n1,A,"x\ny"\n1,B\n', {}, ("bad.csv, line 4",)
    ),
    "open quote": (b'item,rater,label\n1,A,x\n1,"B,y\n2,A,x\n', {}, ("line 3", "quotation")),
    "text after quote": (b'item,rater,label\n1,A,x\n1,"B"C,y\n', {}, ("bad.csv, line 3",)),
    "NUL": (b"item,rater,label\n1,A,x\n1,B,\x00\n", {}, ("bad.csv, line 3", "NUL")),
    "no known encoding": (b"item,rater,label\n1,A,\x81\xff\n", {}, ("bad.csv", "encoding=")),
    "wrong encoding": (
        "item,rater,label\n1,A,é\n".encode("cp1252"), {"encoding": "utf-8"}, ("bad.csv", "utf-8")
    ),
    "unknown encoding": (b"a,b\n1,2\n", {"encoding": "utf-9"}, ("utf-9",)),
    "names twice": (b"item,A,A\n1,x,y\n2,y,y\n", {}, ("bad.csv, line 1", "columns 2 and 3")),
    "one column": (b"label\nx\ny\n", {}, ("bad.csv, line 1", "delimiter=")),
    "unknown layout": (b"id,age\n1,x\n2,y\n3,z\n", {}, ("bad.csv", "--shape")),
    "no such column": (b"item,A,B\n1,x,y\n", {"item": "itme"}, ("did you mean 'item'",)),
    "no such group": (b"item,A,B\n1,x,y\n", {"by": "sit"}, ("bad.csv", "by")),
    "no such shape": (b"item,A,B\n1,x,y\n", {"shape": "broad"}, ("shape", "wide")),
    "no such scale": (b"item,A,B\n1,x,y\n", {"scale": "nominel"}, ("nominal",)),
    "no such policy": (LONG.encode(), {"duplicates": "some"}, ("duplicates", "first")),
    "long delimiter": (LONG.encode(), {"delimiter": "::"}, ("delimiter", "one character")),
    "item missing": (b"item,rater,label\n1,A,x\n,B,y\n", {}, ("bad.csv, line 3", "'item'")),
    "rater missing": (b"item,rater,label\n1,A,x\n1,,y\n", {}, ("bad.csv, line 3", "'rater'")),
    "rated twice": (b"item,rater,label\n1,A,x\n1,A,y\n", {}, ("bad.csv, line 3", "'x' and 'y'")),
    "wide item twice": (
        b"item,A,B\n1,x,y\n2,x,x\n1,y,y\n", {"shape": "wide"}, ("bad.csv, line 4", "twice")
    ),
    "unknown label": (
        b"item,A,B\n1,x,y\n2,x,z\n", {"categories": "xy"}, ("categories",)
    ),
    "label off the list": (
        b"item,A,B\n1,x,y\n2,x,z\n", {"categories": ["x", "y"]}, ("bad.csv, line 3", "'z'")
    ),
    "negative count": (
        b"item,a,b\n1,2,1\n2,-1,4\n", {"shape": "counts"}, ("bad.csv, line 3", "'a'", "'-1'")
    ),
    "half a count": (b"item,a,b\n1,2,1\n2,0.5,2.5\n", {"shape": "counts"}, ("line 3", "0.5")),
    "count missing": (b"item,a,b\n1,3,0\n2,,3\n", {"shape": "counts"}, ("line 3", "empty cell")),
    "no square": (b",a,b,c\nx,1,2,3\ny,1,2.5,3\n", {"shape": "table"}, ("bad.csv", "whole number")),
    "other categories": (TABLE.encode(), {"categories": ["no", "maybe"]}, ("no, yes",)),
    "text on an interval scale": (WIDE.encode(), {"scale": "interval"}, ("bad.csv", "number")),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_bad_file_is_refused_with_its_place(write, name):
    content, options, words = BAD[name]
    with pytest.raises(InputError) as caught:
        load(write(content, "bad.csv"), **options)
    message = str(caught.value)
    for word in words:
        assert word in message, message
    assert "Hint:" in message


def test_hundred_thousand_columns_are_refused_quickly(write):
    with pytest.raises(InputError, match=r"line 1.*100000.*three columns"):
        read(write(",".join(f"c{k}" for k in range(100_000)) + "\n" + "1," * 99_999 + "1\n"))


def test_rating_given_twice_guesses_the_grouping_column(write):
    with pytest.raises(InputError, match=r'(?s)line 6.*by="stratum"|--by stratum'):
        read(write(GROUPED.replace("variable", "stratum")), item="item", rater="rater")


@pytest.mark.parametrize(("policy", "label"), [("first", "x"), ("last", "y")])
def test_rating_given_twice_follows_the_policy(write, policy, label):
    path = write("item,rater,label\n1,A,x\n1,B,x\n1,A,y\n")
    assert labels_by_cell(read(path, duplicates=policy))["1", "A"] == label


def test_missing_file_names_its_neighbour(write, tmp_path):
    write(LONG, "ratings.csv")
    with pytest.raises(InputError, match=r"perhaps .*ratings\.csv was meant"):
        read(tmp_path / "raitings.csv")
    with pytest.raises(InputError, match="no folder"):
        read(tmp_path / "nowhere" / "x.csv")


def test_folder_of_other_things_is_refused(tmp_path):
    with pytest.raises(InputError, match="the folder must be an export, or a folder of tables"):
        read(tmp_path)
    (tmp_path / "readme.md").write_text("# nothing")
    with pytest.raises(InputError, match=r"Got readme\.md"):
        read(tmp_path)


def test_folder_of_tables_is_one_file_per_rater(tmp_path):
    (tmp_path / "Ann.csv").write_text("item,label\n1,x\n2,y\n")
    (tmp_path / "Bob.csv").write_text("item,label\n1,x\n2,x\n")
    assert read(tmp_path).raters == ("Ann", "Bob")


def test_empty_file_is_refused(write):
    with pytest.raises(InputError, match="an empty file"):
        read(write(b""))


@needed.ON_POSIX
def test_pipes_and_devices_are_refused_without_reading(tmp_path):
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="a plain file"):
        read(pipe)
    with pytest.raises(InputError, match="a plain file"):
        read("/dev/zero")


def test_one_file_given_twice_is_refused(write, tmp_path):
    path = write(LONG)
    (tmp_path / "link.csv").symlink_to(path)
    with pytest.raises(InputError, match="named once"):
        read([path, tmp_path / "link.csv"])


def test_no_file_at_all_is_refused():
    with pytest.raises(InputError, match="at least one file"):
        read([])


def test_name_with_a_nul_is_refused():
    with pytest.raises(InputError, match="path"):
        read("a\0b.csv")


REFUSED = [
    (b"PK\x03\x04....", "r.xlsx", "copied completely"),
    (b"PK\x03\x04....", "r.csv", "zip archive"),
    (b"%PDF-1.7 ....", "r.csv", "PDF"),
    (b"{}", "r.json", "item, rater, label"),
    (b"item,A,B\n1,x,x\n", "r.parquet", "copied completely"),
    (b"PAR1xxxxPAR1", "r.parquet", "Parquet"),
    (gzip.compress(LONG.encode())[:-12], "r.csv.gz", "copied completely"),
    (b"no gzip at all", "r.csv.gz", "copied completely"),
]


@pytest.mark.parametrize(
    ("content", "name", "words"),
    REFUSED,
    ids=[f"{k}-{name}" for k, (_, name, _) in enumerate(REFUSED)],
)
def test_other_formats_and_damaged_files_are_refused(write, content, name, words):
    with pytest.raises(InputError, match=words):
        read(write(content, name))


def test_packed_file_that_bursts_is_stopped(write, monkeypatch):
    monkeypatch.setattr("consilience.io.files.text.UNPACKED_FREELY", 1 << 21)
    bomb = gzip.compress(b"item,A,B\n" + b"1,x,x\n" * 1_000_000)
    with pytest.raises(InputError, match="unpack it yourself"):
        read(write(bomb, "bomb.csv.gz"))


def test_files_of_different_columns_or_formats_are_refused(write, tmp_path):
    first, second = write(LONG, "a.csv"), write(WIDE, "b.csv")
    with pytest.raises(InputError, match="alike in their columns"):
        read([first, second])
    other = parquet(tmp_path / "c.parquet", item=[1], rater=["A"], label=["x"])
    with pytest.raises(InputError, match="of one format"):
        read([first, other])


# -------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Unit", "item"), ("subject_id", "item"), ("_unit_id", "item"), ("record_id", "item"),
        ("Coder", "rater"), ("annotatorId", "rater"), ("worker", "rater"),
        ("completed_by", "rater"), ("ASSIGNMENT:worker_id", "rater"), ("Email Address", "rater"),
        ("mark", "label"), ("Score", "label"), ("code", "label"), ("OUTPUT:x", "label"),
        ("annotation_id", None), ("timestamp", None), ("created_at", None), ("", None),
    ],
)  # fmt: skip
def test_what_people_call_things(name, role):
    assert role_of(name) == role


def test_numbered_columns_are_found():
    assert numbered_roles(["id", "rater1", "rater2"]) == {"rater": [1, 2]}
    assert numbered_roles(["coder A", "coder B"]) == {"rater": [0, 1]}
    assert numbered_roles(["Q1", "Q2", "Q3"]) == {"item": [0, 1, 2]}
    assert numbered_roles(["score_1", "score_2"]) == {"rater": [0, 1]}
    assert numbered_roles(["rater1", "other"]) == {}


def test_formats_are_registered():
    assert {"delimited", "json", "parquet", "prodigy"} <= set(formats())
    suffixes = [suffix for one in table_formats().values() for suffix in one.suffixes]
    assert len(suffixes) == len(set(suffixes))


SHARED = needed.SHARED / "data" / "ratings"


@needed.needs_data(SHARED)
@pytest.mark.parametrize(
    ("name", "alpha"),
    [
        ("snow2008_rte_item_x_worker.csv", 0.24147876613881025),
        ("davidson2017_label_counts.csv.gz", 0.5427989975742868),
    ],
)
def test_real_files(name, alpha):
    assert cs.krippendorff_alpha(read(SHARED / name)).value == pytest.approx(alpha, abs=1e-12)
