"""Habits of programs that write text: bare quotation marks, short headers or none, JSON names."""

from __future__ import annotations

import json
import random

import pytest

import consilience as cs
from consilience.cli.program import run
from consilience.exceptions import InputError
from consilience.io import load
from lookalikes import written


def counts(ratings):
    return ratings.n_items, ratings.n_raters, ratings.n_ratings


# -------------------------------------------------------------------- quotation marks


def test_a_quotation_mark_in_tab_separated_text_is_a_character(tmp_path):
    texts = ['"he said', "plain", 'he said "no"', '"', '5" nail', '"never closed', "end", '"a" b']
    rows = [f"{k}\t{'xy'[k % 2]}\t{'xy'[k % 3 == 0]}\t{text}" for k, text in enumerate(texts)]
    path = written(tmp_path, "t.tsv", "\n".join(["id\tAnn\tBob\ttext", *rows]) + "\n")
    loaded = load(path)
    assert counts(loaded.ratings) == (8, 2, 16)
    assert "quotation marks are characters like others" in loaded.reading.evidence


def test_a_lone_mark_as_a_label_stays(tmp_path):
    text = 'id\tAnn\tBob\n1\t"\tx\n2\tx\tx\n3\t"\t"\n4\tx\t"\n'
    ratings = cs.read(written(tmp_path, "t.tsv", text))
    assert ratings.categories == ('"', "x")
    assert counts(ratings) == (4, 2, 8)


@pytest.mark.parametrize(
    "text",
    [
        'id\tAnn\tBob\ttext\n1\tx\tx\t"one\nand two"\n2\ty\tx\t"a ""b"" c"\n3\ty\ty\tplain\n',
        'id\tAnn\tBob\ttext\n1\tx\tx\t"one\tand two"\n2\ty\tx\t"b"\n3\ty\ty\tplain\n',
    ],
)
def test_quoted_tab_separated_text_is_read_as_before(text, tmp_path):
    loaded = load(written(tmp_path, "t.tsv", text))
    assert counts(loaded.ratings) == (3, 2, 6)
    assert "quotation marks are characters like others" not in loaded.reading.evidence


def test_quoted_labels_lose_their_marks(tmp_path):
    path = written(tmp_path, "t.tsv", '"id"\t"Ann"\t"Bob"\n"1"\t"x"\t"x"\n"2"\t"y"\t"x"\n')
    assert cs.read(path).categories == ("x", "y")


def test_a_line_that_does_not_fit_is_still_named(tmp_path):
    path = written(tmp_path, "t.tsv", 'id\tAnn\tBob\n1\t"x\ty\n2\tx\n3\tx\tx\n4\tx\ty\n')
    with pytest.raises(InputError, match=r"t\.tsv, line \d"):
        load(path)


# -------------------------------------------------------------------- the first line


@pytest.mark.parametrize("sign", ["\t", ",", ";"])
@pytest.mark.parametrize("mark", ["", '"'])
def test_names_of_rows_without_a_name_above_them(sign, mark, tmp_path):
    lines = [
        ["Ann", "Bob", "Cy"],
        *([f"d{k}", "xy"[k % 2], "x", "xy"[k % 3 % 2]] for k in range(9)),
    ]
    text = "\n".join(sign.join(f"{mark}{cell}{mark}" for cell in line) for line in lines) + "\n"
    loaded = load(written(tmp_path, "r.txt", text))
    assert counts(loaded.ratings) == (9, 3, 27)
    assert list(loaded.ratings.items)[:2] == ["d0", "d1"]
    assert loaded.ratings.raters == ("Ann", "Bob", "Cy")


@pytest.mark.parametrize(
    "text",
    [
        "id,Ann,Bob,\nd1,x,x\nd2,y,x\nd3,y,y\n",
        "id,Ann,Bob\nd1,x,x,\nd2,y,x,\nd3,y,y,\n",
        ",id,Ann,Bob\nd1,x,x\nd2,y,x\nd3,y,y\n",
    ],
)
def test_a_delimiter_too_many(text, tmp_path):
    ratings = cs.read(written(tmp_path, "r.csv", text))
    assert counts(ratings) == (3, 2, 6)
    assert ratings.raters == ("Ann", "Bob")


def test_an_id_behind_the_names_of_rows(tmp_path):
    rows = [f"{k}\td{k}\t{'xy'[k % 2]}\tx" for k in range(1, 9)]
    ratings = cs.read(written(tmp_path, "r.tsv", "\n".join(["id\tAnn\tBob", *rows]) + "\n"))
    assert ratings.raters == ("Ann", "Bob")
    assert counts(ratings) == (8, 2, 16)


@pytest.mark.parametrize("first", ["d{}", "{}"])
def test_a_last_column_without_a_name_is_not_shifted(first, tmp_path):
    rows = [f"{first.format(k)},{'xy'[k % 2]},x,note {k}" for k in range(1, 9)]
    with pytest.raises(InputError, match="cut into 3 cells"):
        load(written(tmp_path, "r.csv", "\n".join(["id,Ann,Bob", *rows]) + "\n"))


def test_a_name_too_many_is_refused(tmp_path):
    text = "nr,id,Ann,Bob\nd1,x,x\nd2,y,x\nd3,y,y\n"
    with pytest.raises(InputError, match="cut into 4 cells"):
        load(written(tmp_path, "r.csv", text))


def test_lines_are_counted_from_the_first_where_the_header_is_short(tmp_path):
    text = "rater,item,label\nr1,Ann,d1,x\nr2,Ann,d1,y\nr3,Bob,d1,y\n"
    with pytest.raises(InputError, match=r"r\.csv, line 3: each rater"):
        load(written(tmp_path, "r.csv", text))


# -------------------------------------------------------------------- files without a header


def test_files_without_names_are_one_rater_each(tmp_path, capsys):
    rng = random.Random(4)
    for who in ("ann", "bob", "cy"):
        rows = [f"d{k},{rng.choice(['yes', 'no', 'maybe'])}" for k in range(20)]
        written(tmp_path, f"{who}.csv", "\n".join(rows) + "\n")
    paths = [str(tmp_path / f"{who}.csv") for who in ("ann", "bob", "cy")]
    ratings = cs.read(paths)
    assert counts(ratings) == (20, 3, 60)
    assert ratings.raters == ("ann", "bob", "cy")
    assert run(["measure", *paths, "--no-header", "-q", "-c", "alpha"]) == 0


def test_the_same_first_line_in_every_file_is_still_a_rating(tmp_path):
    for who in ("ann", "bob"):
        written(tmp_path, f"{who}.csv", "d1,1\nd2,2\nd3,1\nd4,2\n")
    assert counts(cs.read([tmp_path / "ann.csv", tmp_path / "bob.csv"])) == (4, 2, 8)


def test_files_with_names_keep_them(tmp_path):
    for who in ("ann", "bob"):
        written(tmp_path, f"{who}.csv", "text,code\nd1,1\nd2,2\nd3,1\nd4,2\n")
    assert counts(cs.read([tmp_path / "ann.csv", tmp_path / "bob.csv"])) == (4, 2, 8)


# -------------------------------------------------------------------- {name: {name: label}}


def nested(outer, inner):
    return {o: {i: "abc"[(a + b) % 3] for b, i in enumerate(inner)} for a, o in enumerate(outer)}


SENTENCES = [f"Sentence number {k} says something about the weather." for k in range(40)]
NUMBERS = [str(k) for k in range(1, 9)]


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (NUMBERS, SENTENCES, (40, 8)),
        (SENTENCES, NUMBERS, (40, 8)),
        (NUMBERS, [str(k) for k in range(100, 200)], (100, 8)),
        ([f"x{k}z" for k in range(50)], ["Ann", "Bob", "Cy"], (50, 3)),
        (["gpt-4o", "claude-3", "human"], ["p-a", "p-b", "p-c"], (3, 3)),
    ],
)
def test_structure_tells_items_from_raters(outer, inner, expected, tmp_path):
    ratings = cs.read(written(tmp_path, "n.json", json.dumps(nested(outer, inner))))
    assert (ratings.n_items, ratings.n_raters) == expected


def test_items_of_a_crowd_have_equally_many_ratings(tmp_path):
    rng = random.Random(3)
    workers = [f"w{k:03d}x" for k in range(120)]
    document: dict[str, dict[str, str]] = {}
    for k in range(60):
        for worker in rng.sample(workers[: 10 + k * 2], 5):
            document.setdefault(worker, {})[f"z{k:03d}y"] = rng.choice("ab")
    ratings = cs.read(written(tmp_path, "n.json", json.dumps(document)))
    assert (ratings.n_items, ratings.n_raters) == (60, len(document))


def test_a_toss_up_is_refused_and_each_reading_can_be_asked_for(tmp_path, capsys):
    path = str(written(tmp_path, "n.json", json.dumps(nested(["p", "q", "r"], ["u", "v"]))))
    assert run(["measure", path]) == 3
    message = capsys.readouterr().err
    assert "--shape transposed" in message
    assert "--shape wide" in message
    assert counts(cs.read(path, shape="wide")) == (3, 2, 6)
    assert counts(cs.read(path, shape="transposed")) == (2, 3, 6)


def test_lists_of_different_kinds_are_no_raters(tmp_path):
    records = [
        {"id": f"u{k}", "entailment": ["a", "b"][: 1 + k % 2], "label_count": [k, 1, 2]}
        for k in range(20)
    ]
    with pytest.raises(InputError, match="no layout well"):
        load(written(tmp_path, "k.json", json.dumps(records)))
    same = [{"id": k, "Ann": ["a", "b"][: 1 + k % 2], "Bob": ["b"]} for k in range(20)]
    assert counts(cs.read(written(tmp_path, "s.json", json.dumps(same)))) == (20, 2, 40)
