"""What a rater is called is one rule: ratings and units of one project have the same raters."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from consilience.io import load
from consilience.io.events import read_units
from consilience.io.names import file_name, rater_name

_TEXT = "Once upon a time"
PEOPLE = ["ann@a.org", "ann@b.org", "bob@a.org"]
LONG = ["https://example.org/people/" + "x" * 250 + end for end in ("1", "2", "3")]


def _region(k: int) -> dict[str, Any]:
    value = {"start": 0, "end": 4, "text": _TEXT[:4], "labels": ["noun" if k else "verb"]}
    return {
        "id": f"r{k}",
        "from_name": "label",
        "to_name": "text",
        "type": "labels",
        "value": value,
    }


def _choice(k: int) -> dict[str, Any]:
    value = {"choices": ["yes" if k else "no"]}
    return {"from_name": "mood", "to_name": "text", "type": "choices", "value": value}


def _project(path: Path, people: list[Any], result: Callable[[int], dict[str, Any]]) -> Path:
    tasks = [
        {
            "id": task,
            "data": {"text": _TEXT},
            "annotations": [
                {"id": 10 * task + k, "completed_by": who, "result": [result((task + k) % 2)]}
                for k, who in enumerate(people)
            ],
        }
        for task in range(1, 5)
    ]
    path.write_text(json.dumps(tasks), encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("people", "names"),
    [
        ([{"email": one} for one in PEOPLE], PEOPLE),
        ([f" {one} " for one in PEOPLE], PEOPLE),
        ([0, 1, 2], ["0", "1", "2"]),
        (LONG, LONG),
    ],
    ids=["addresses", "blanks", "numbers", "long"],
)
def test_label_studio_has_the_same_raters_as_ratings_and_as_units(
    people: list[Any], names: list[str], tmp_path: Path
) -> None:
    ratings = load(_project(tmp_path / "answers.json", people, _choice)).ratings
    units = read_units(_project(tmp_path / "regions.json", people, _region))
    assert list(ratings.raters) == list(units.raters) == names
    assert units.n_units == 4 * len(people)


def test_a_number_goes_before_an_address(tmp_path: Path) -> None:
    people = [{"id": 5, "email": "jo@example.org"}, "al@example.org"]
    ratings = load(_project(tmp_path / "answers.json", people, _choice)).ratings
    units = read_units(_project(tmp_path / "regions.json", people, _region))
    assert set(ratings.raters) == set(units.raters) == {"5", "al@example.org"}


def test_files_are_named_alike_for_ratings_and_for_units(tmp_path: Path) -> None:
    rows = "item,label,start,end\n1,a,0,5\n2,b,5,9\n3,a,9,12\n"
    paths = [tmp_path / "Ann.csv.gz", tmp_path / "Bob.csv.gz"]
    for path in paths:
        path.write_bytes(gzip.compress(rows.encode()))
    ratings = load(paths, item="item", label="label").ratings
    assert ratings.raters == read_units(paths, rater="file").raters == ("Ann", "Bob")


@pytest.mark.parametrize(
    ("value", "name"),
    [
        ("ann@a.org", "ann@a.org"),
        (" Ann ", "Ann"),
        (0, "0"),
        (7.0, "7"),
        (float("nan"), None),
        ("", None),
        (None, None),
        ({"b": 1, "a": 2}, '{"a": 2, "b": 1}'),
    ],
)
def test_a_name_is_the_whole_of_what_stands_there(value: object, name: str | None) -> None:
    assert rater_name(value) == name


def test_endings_are_no_part_of_a_name() -> None:
    assert [file_name(name) for name in ("a/Ann.csv", "Bob.CSV.GZ", "C.v2.json")] == [
        "Ann",
        "Bob",
        "C.v2",
    ]


# -------------------------------------------------------------------- one lexicon at every door


@pytest.mark.parametrize(
    ("rater", "label"), [("Kodierer", "Urteil"), ("teacher", "grade"), ("évaluateur", "note")]
)
def test_every_door_knows_the_words_of_all_languages(
    tmp_path: Path, rater: str, label: str
) -> None:
    path = tmp_path / "lists.csv"
    path.write_text(f'id,{rater},{label}\n1,"Ann,Bob","x,y"\n2,"Ann,Bob","y,y"\n', encoding="utf-8")
    assert load(path).ratings.raters == ("Ann", "Bob")
    path = tmp_path / "records.json"
    records = [
        {"id": k, "ratings": [{rater: who, label: "xy"[k % 2]} for who in ("Ann", "Bob")]}
        for k in range(3)
    ]
    path.write_text(json.dumps(records), encoding="utf-8")
    assert load(path).ratings.raters == ("Ann", "Bob")
    path = tmp_path / "units.csv"
    rows = [f"{who},{k},{k + 1},{'xy'[k % 2]}" for who in ("Ann", "Bob") for k in range(4)]
    path.write_text("\n".join([f"{rater},start,end,{label}", *rows, ""]), encoding="utf-8")
    units = read_units(path)
    assert units.raters == ("Ann", "Bob")
    if label != "note":  # may be a remark
        assert units.labels == ("x", "y")


def test_a_surer_word_goes_before_another_of_the_lexicon(tmp_path: Path) -> None:
    path = tmp_path / "records.json"
    one = {"theme": "t", "annotator": "Ann", "label": "x"}
    records = [{"id": k, "ratings": [one, {**one, "annotator": "Bob"}]} for k in range(3)]
    path.write_text(json.dumps(records), encoding="utf-8")
    ratings = load(path).groups["label"]
    assert (ratings.raters, ratings.categories) == (("Ann", "Bob"), ("x",))
