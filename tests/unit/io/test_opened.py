"""One road from files to ratings: whoever enters it, and however far, sees the same things."""

from __future__ import annotations

import json
import re
import shlex

import pytest

import consilience as cs
from consilience.cli.program import run
from consilience.exceptions import InputError
from consilience.io import convert
from consilience.io._read import opened
from consilience.io.excerpts import first_look
from consilience.io.options import request_of
from consilience.io.side_columns import load_beside

STORIES = (
    "story,Smith,Jones,words\n4,3,4,some long text\n2,2,2,other text\n"
    "1,1,1,a third text\n5,4,5,the fourth text\n3,3,3,the last one\n"
)
DATED = "item,Ann,Bob,essay\n" + "".join(
    f"{k},{'2024-01-02' if k % 2 else 'x'},x,text number {k}\n" for k in range(8)
)
DAYS = "item,rater,label,day,words\n" + "".join(
    f"{k},{rater},{'xy'[(k + j) % 2]},{k % 2},text number {k}\n"
    for k in range(8)
    for j, rater in enumerate(("Ann", "Bob"))
)
LINE = re.compile(r"^ +(consilience .*)$", re.MULTILINE)


@pytest.fixture
def stories(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "s.csv").write_text(STORIES)
    return "s.csv"


def test_a_refusal_with_a_column_beside_keeps_what_was_said(stories):
    with pytest.raises(InputError) as caught:
        load_beside([stories], {"text": "words"}, duplicates="first", missing_values=["9"])
    assert caught.value.seen is not None
    for offer in caught.value.offers:
        assert offer.options["duplicates"] == "first"
        assert offer.options["missing_values"] == ("9",)
        assert "words" not in {name for names in offer.options.values() for name in names}
    assert str(caught.value).count("--duplicates first") == 3


def test_what_a_refusal_of_adjudicate_offers_can_be_pasted(stories, capsys):
    typed = ["adjudicate", stories, "-o", "sheet.csv", "--text", "words", "--duplicates", "first"]
    assert run(typed) == 3
    lines = LINE.findall(capsys.readouterr().err)
    assert len(lines) >= 3
    assert all("--text words" in line and "--duplicates first" in line for line in lines)
    codes = [run([*shlex.split(line)[1:], "--force"]) for line in lines]
    capsys.readouterr()
    assert codes[0] == 0
    assert codes[1] == 0  # counts have no duplicates: the last is refused


def test_ratings_with_columns_beside_know_how_they_were_read(tmp_path):
    path = tmp_path / "days.csv"
    path.write_text(DAYS)
    loaded, found = load_beside([path], {"text": "words"})
    assert loaded.ratings.reading is loaded.reading
    assert found["text"]["3"] == "text number 3"
    grouped, _ = load_beside([path], {"text": "words"}, by="day")
    assert grouped.by == cs.load([path], by="day").by == "day"
    assert list(grouped.groups) == ["0", "1"]


def test_notes_are_the_same_with_a_column_beside(tmp_path):
    path = tmp_path / "dated.csv"
    path.write_text(DATED)
    plain, (beside, _) = cs.load(path), load_beside([path], {"text": "essay"})
    assert [one.code for one in beside.reading.notes] == [one.code for one in plain.reading.notes]
    assert "labels_are_dates" in {one.code for one in beside.reading.notes}


def test_a_frame_is_read_with_columns_beside():
    rows = {"item": [1, 2, 3], "Ann": list("xyx"), "Bob": list("xyy"), "essay": ["p", "q", "r"]}
    loaded, found = load_beside(rows, {"text": "essay"})
    assert loaded.ratings.raters == ("Ann", "Bob")
    assert loaded.ratings.n_ratings == 6
    assert found["text"] == {1: "p", 2: "q", 3: "r"}


def test_an_export_is_read_once_for_its_times_and_labels(tmp_path, monkeypatch):
    from consilience.io.exports.registry import Export

    path = tmp_path / "d.jsonl"
    path.write_text(
        "".join(
            json.dumps({"text": f"t{k}", "_input_hash": k, "_task_hash": k, "answer": "accept",
                        "accept": ["x"], "options": [{"id": "x"}, {"id": "y"}],
                        "_annotator_id": who, "_session_id": who, "_timestamp": 1600000000 + k})
            + "\n"
            for k in range(4)
            for who in ("ann", "bob")
        )
    )  # fmt: skip
    reads = []
    bare = Export.read
    monkeypatch.setattr(Export, "read", lambda *data: reads.append(1) or bare(*data))
    loaded, found = load_beside([path], {"when": "time"})
    assert loaded.reading.title
    assert loaded.ratings.n_raters == 2
    assert found["when"]
    assert len(reads) == 1


def test_every_stage_can_be_the_last(tmp_path):
    path = tmp_path / "days.csv"
    path.write_text(DAYS)
    with opened(path, request_of()) as file:
        assert file.export is None
        assert file.table.names == ("item", "rater", "label", "day", "words")
        assert file.layout.shape == "long"
        assert file.loaded.ratings.n_ratings == 16
        assert file.loaded is file.loaded
    assert first_look(path).n_rows == 16
    assert convert(path, tmp_path / "tidy.csv").n_rows == 16
