"""JSON as people hand it over: records, lines, raters as keys; and JSON that is broken."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import consilience as cs
from consilience.exceptions import InputError
from consilience.io.grids.json_tables import systems_in

RECORDS = [
    {"id": "q1", "judge": "Ann", "score": 3},
    {"id": "q1", "judge": "gpt", "score": 4},
    {"id": "q2", "judge": "Ann", "score": 2},
    {"id": "q2", "judge": "gpt", "score": None},
]
BY_KIND = {
    "human": {"Ann": {"q1": "yes", "q2": "no"}, "Bob": {"q1": "yes"}},
    "llm": {"gpt": {"q1": "no", "q2": "no"}},
}


def written(folder: Path, text: str, name: str = "ratings.json") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["r.json", "r.jsonl", "r.ndjson", "r"])
def test_records_and_lines_are_read(tmp_path: Path, name: str) -> None:
    lines = "\n".join(map(json.dumps, RECORDS)) + "\n"
    text = json.dumps(RECORDS, indent=1) if name == "r.json" else lines
    ratings = cs.read(written(tmp_path, text, name))
    assert (ratings.raters, ratings.n_ratings) == (("Ann", "gpt"), 3)
    assert ratings.categories == (2, 3, 4)


def test_raters_as_keys_are_read(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(BY_KIND["human"]))
    loaded = cs.load(path)
    assert loaded.reading.format == "json"
    assert loaded.ratings.raters == ("Ann", "Bob")
    assert loaded.ratings.n_ratings == 3
    assert systems_in(path) == ()


def test_people_and_systems_are_told_apart(tmp_path: Path) -> None:
    path = written(tmp_path, json.dumps(BY_KIND))
    assert cs.read(path).raters == ("Ann", "Bob", "gpt")
    assert systems_in(path) == ("gpt",)


def test_labels_in_order_are_read(tmp_path: Path) -> None:
    ratings = cs.read(written(tmp_path, '{"Ann": [1, 2, null], "Bob": [1, 1, 2]}'))
    assert (ratings.n_items, ratings.n_ratings) == (3, 5)


def test_a_byte_order_mark_and_utf16_are_no_obstacle(tmp_path: Path) -> None:
    text = json.dumps(RECORDS)
    for encoding in ("utf-8-sig", "utf-16"):
        path = tmp_path / f"{encoding}.json"
        path.write_bytes(text.encode(encoding))
        assert cs.read(path).n_ratings == 3


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("{}", "item, rater, label"),
        ("[]", "filled with ratings"),
        ("[1, 2]", "an object with named fields"),
        ('{"Ann": {"q1": 1}, "Ann": {"q1": 2}}', "'Ann' twice"),
        ('{"Ann": {"q1": 1, "q1": 2}, "Bob": {"q1": 1}}', "'q1' twice"),
        ('{"human": {"x": {"q": 1}}, "llm": {"x": {"q": 1}}}', "named once"),
        ('{"Ann": {"q1": [1, 2]}, "Bob": {"q1": 1}}', "one label"),
        ('{"Ann": {"q1": ', "JSON"),
        ("[" * 100_000, "JSON"),
        ('{"a": 1}\n{"b": \n', "record a line"),
        ("nonsense", "JSON"),
        ('"text"', "a list of records"),
        ("", "filled|empty|JSON"),
    ],
)
def test_broken_json_is_one_sentence(tmp_path: Path, text: str, sentence: str) -> None:
    path = written(tmp_path, text)
    with pytest.raises(InputError, match=sentence) as caught:
        cs.read(path)
    assert str(path) in str(caught.value)


def test_a_place_in_the_file_is_the_record(tmp_path: Path) -> None:
    twice = [*RECORDS, {"id": "q1", "judge": "Ann", "score": 1}]
    path = written(tmp_path, json.dumps(twice))
    with pytest.raises(InputError, match="record 5"):
        cs.read(path)
