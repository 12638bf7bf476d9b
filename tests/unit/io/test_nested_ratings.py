"""Ratings inside records, lists in cells, and logs of events that are no ratings."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import needed
from consilience.exceptions import InputError
from consilience.io import load
from lookalikes import json_lines, written

SHARED = needed.SHARED / "data" / "units"


def codes(loaded):
    return {note.code for note in loaded.reading.notes}


def counts(ratings):
    return ratings.n_items, ratings.n_raters, ratings.n_ratings


# -------------------------------------------------------------------- {name: {name: label}}

BY_ITEM = {f"doc{k}": {"ann": "yes", "bob": "no"} for k in range(4)}


@pytest.mark.parametrize(
    ("nested", "expected"),
    [
        (BY_ITEM, (4, 2, 8)),
        ({rater: dict.fromkeys(BY_ITEM, "yes") for rater in ("ann", "bob")}, (4, 2, 8)),
        ({"rater1": {"x": 1}, "rater2": {"x": 2}, "rater3": {"x": 1}}, (1, 3, 3)),
        ({"x": {"coder_a": 1, "coder_b": 2}, "y": {"coder_a": 1, "coder_b": 1}}, (2, 2, 4)),
        ({str(k): {"ann": 1, "bob": 1} for k in range(2)}, (2, 2, 4)),
        ({f"{who}@x.org": {"p": "a", "q": "b"} for who in ("a", "b", "c")}, (2, 3, 6)),
        ({f"n-{k}x": {"u": 1, "v": 2} for k in range(8)}, (8, 2, 16)),  # more outer names
        ({"Ann": [1, 2], "Bob": [1, 1]}, (2, 2, 4)),
    ],
)
def test_the_names_or_else_the_numbers_tell_items_from_raters(nested, expected, tmp_path):
    loaded = load(written(tmp_path, "n.json", json.dumps(nested)))
    assert counts(loaded.ratings) == expected
    assert any("--item rater --rater item" in words for words in loaded.reading.evidence)


def test_the_guess_about_items_and_raters_is_overruled(tmp_path):
    path = written(tmp_path, "n.json", json.dumps(BY_ITEM))
    assert counts(load(path, item="rater", rater="item").ratings) == (2, 4, 8)


# -------------------------------------------------------------------- inside an item's record


def test_labels_by_rater_inside_a_record(tmp_path):
    records = [
        {"id": k, "text": "t", "annotators": "A,B", "annotations": {"A": "x", "B": "y"},
         "soft_label": {"x": 0.5, "y": 0.5}}
        for k in range(3)
    ]  # fmt: skip
    loaded = load(json_lines(tmp_path, "r.jsonl", records))
    assert counts(loaded.ratings) == (3, 2, 6)
    assert "'annotations' holds one label per rater" in loaded.reading.evidence
    by_id = {str(one["id"]): one for one in records}
    assert counts(load(written(tmp_path, "r.json", json.dumps(by_id))).ratings) == (3, 2, 6)


def test_a_list_of_ratings_inside_a_record(tmp_path):
    records = [
        {"id": k, "annotations": [{"annotator": who, "label": "x", "id": 7} for who in "AB"]}
        for k in range(3)
    ]
    records.append({"id": 3, "annotations": []})
    loaded = load(json_lines(tmp_path, "r.jsonl", records))
    assert counts(loaded.ratings) == (3, 2, 6)


def test_what_is_wrapped_around_ratings_is_taken_off(tmp_path):
    records = [{"id": k, "ratings": {"ann": k, "bob": 2}} for k in range(4)]
    wrapped = {"meta": {"n": 4}, "items": records}
    loaded = load(written(tmp_path, "w.json", json.dumps(wrapped)))
    assert counts(loaded.ratings) == (4, 2, 8)
    deep = {who: {f"doc{k}": {"label": "a", "confidence": 0.3} for k in range(3)} for who in "xy"}
    assert counts(load(written(tmp_path, "d.json", json.dumps(deep))).ratings) == (3, 2, 6)


@pytest.mark.parametrize("name", ["votes", "labels"])
def test_numbers_of_raters_by_label_are_counts(name, tmp_path):
    records = [{"id": k, name: {"yes": k % 3, "no": 3 - k % 3}} for k in range(12)]
    loaded = load(json_lines(tmp_path, "c.jsonl", records))
    assert loaded.reading.shape == "counts"
    assert loaded.ratings.categories == ("yes", "no")


def test_a_repeated_rating_inside_a_record_is_placed(tmp_path):
    twice = [{"annotator": "A", "label": "x"}, {"annotator": "A", "label": "y"}]
    records = [{"id": 0, "annotations": [{"annotator": "A", "label": "x"}] * 1},
               {"id": 1, "annotations": twice}]  # fmt: skip
    with pytest.raises(InputError, match=r"r\.jsonl, record 2: each rater"):
        load(json_lines(tmp_path, "r.jsonl", records))


def test_lists_of_labels_without_raters_are_numbered_by_place(tmp_path):
    records = [{"id": k, "text": f"t{k}", "labels": ["a", "a", "b"][: 2 + k % 2]} for k in range(4)]
    loaded = load(json_lines(tmp_path, "l.jsonl", records))
    assert counts(loaded.ratings) == (4, 3, 10)
    assert list(loaded.ratings.raters) == ["rater 1", "rater 2", "rater 3"]


def test_lists_of_labels_by_one_rater_are_sets_in_any_order(tmp_path):
    records = [
        {"id": k, "annotator": who, "labels": ["a", "b"] if who == "A" else ["b", "a"]}
        for k in range(3)
        for who in "AB"
    ]
    loaded = load(json_lines(tmp_path, "s.jsonl", records))
    assert loaded.ratings.categories == (frozenset("ab"),)
    literal = "item,rater,label\n" + "".join(
        f"{k},{who},\"['{who.lower()}', 'b']\"\n" for k in range(2) for who in "AB"
    )
    ratings = load(written(tmp_path, "s.csv", literal)).ratings
    assert set(ratings.categories) == {frozenset("ab"), frozenset("b")}


@pytest.mark.parametrize("odd", ["a\rb", "a\r\nb", 'a"b', " a ,b", "=1+1"])
def test_any_label_of_a_json_file_is_one_cell(odd, tmp_path):
    records = [{"item": 1, "rater": "A", "label": odd}, {"item": 1, "rater": "B", "label": "c"}]
    assert counts(load(json_lines(tmp_path, "j.jsonl", records)).ratings) == (1, 2, 2)


# -------------------------------------------------------------------- events are no ratings

LOGS = {
    "boris": "Observation id,Subject,Behavior,Behavior type,Time,Comment\n"
    + "".join(f"o,ape,{b},{t},{k}.5,\n" for k, (b, t) in enumerate([("rest", "START")] * 4)),
    "older boris": "Observation id,o\nMedia file(s)\nPlayer #1,v.mp4\n\n"
    "Time,Subject,Behavior,Status\n1.0,ape,rest,START\n2.0,ape,rest,STOP\n",
    "observer": "Time_Relative_sf,Observation,Behavior,Event_Type\n1.2,o,rest,State start\n"
    "2.2,o,rest,State stop\n",
    "elan": "Tier,Begin Time - hh:mm:ss.ms,End Time - hh:mm:ss.ms,Annotation\n"
    "g,00:00:01.100,00:00:02.100,point\ng,00:00:03.000,00:00:03.900,wave\n",
    "no names": "".join(f"{who},{code},{k * 9},{k * 9 + 4}\n"
                        for who in ("Joe", "Jack") for k, code in enumerate("ABA")),
}  # fmt: skip


@pytest.mark.parametrize("name", LOGS)
def test_events_are_pointed_to_their_command(name, tmp_path):
    with pytest.raises(InputError, match="consilience units"):
        load(written(tmp_path, "log.csv", LOGS[name]))


@needed.needs_data(SHARED)
@pytest.mark.parametrize(
    "name", ["boris/test_export_events_tabular.tsv", "pygamma/2by1000.csv",
             "boris/test_export_aggregated_events_test_full_1.tsv", "pygamma/example_figure19.csv"],
)  # fmt: skip
def test_real_files_of_events_are_pointed_to_their_command(name):
    with pytest.raises(InputError, match="consilience units"):
        load(SHARED / name)


def test_a_log_may_still_be_read_as_ratings(tmp_path):
    text = "clip,Subject,Behavior,Behavior type,Time\n" + "".join(
        f"{clip},{who},rest,POINT,1\n" for clip in "12" for who in "AB"
    )
    path = written(tmp_path, "log.csv", text)
    assert load(path, item="clip", rater="Subject", label="Behavior").ratings.n_ratings == 4


@pytest.mark.parametrize("below", [None, "annotations", "answers"])
def test_lists_of_annotators_beside_their_labels_keep_the_names(
    below: str | None, tmp_path: Path
) -> None:
    given = [("t1", "ab", "xy"), ("t2", "ac", "xx"), ("t3", "bc", "yy"), ("t4", "ab", "yy")]
    records: list[dict[str, object]] = []
    for text, who, said in given:
        lists: dict[str, object] = {"annotators": list(who), "labels": list(said)}
        records.append({"text": text, **(lists if below is None else {below: lists})})
    path = tmp_path / "r.json"
    path.write_text(json.dumps(records), encoding="utf-8")
    ratings = load(path).ratings
    assert (ratings.raters, ratings.n_items, ratings.n_ratings) == (("a", "b", "c"), 4, 8)
    assert ratings.categories == ("x", "y")
