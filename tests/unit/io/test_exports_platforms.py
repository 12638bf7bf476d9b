"""Exports of annotation platforms as people have them: several questions, traps of each kind."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
import needed
from consilience.exceptions import InputError
from consilience.io import load
from consilience.io.exports._records_and_cells import from_cell
from consilience.io.exports.export_entries import Annotations, moment
from consilience.io.exports.ratings_from_entries import free_text
from lookalikes import cas_json, json_lines, potato_state, written


def codes(loaded: Any) -> set[str]:
    return {note.code for note in loaded.reading.notes}


def result(name: str, kind: str, value: dict[str, Any], key: str = "") -> dict[str, Any]:
    return {"id": key or f"r-{name}", "from_name": name, "to_name": "text", "type": kind,
            "value": value, "origin": "manual"}  # fmt: skip


def annotation(key: int, user: object, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": key, "completed_by": user, "result": list(results), "was_cancelled": False,
            "ground_truth": False, "created_at": f"2024-05-01T10:00:{key:02d}Z",
            "updated_at": "2024-05-02T10:00:00Z", "result_count": 0, "reviews": [],
            **more}  # fmt: skip


def tone(label: str) -> dict[str, Any]:
    return result("tone", "choices", {"choices": [label]})


def project(folder: Path, *tasks: list[dict[str, Any]], **more: Any) -> Path:
    records = [
        {"id": k, "data": {"text": f"Text {k}"}, "annotations": given, "drafts": [],
         "predictions": [], "project": 1, "meta": {}, **more}
        for k, given in enumerate(tasks, 1)
    ]  # fmt: skip
    return written(folder, "project.json", json.dumps(records))


# -------------------------------------------------------------------- what all exports share


def test_what_is_said_of_all_variables_is_said_once(tmp_path):
    stars = result("stars", "rating", {"rating": 3})
    path = project(tmp_path, *[
        [annotation(1, 1, tone("A"), stars, was_cancelled=k == 0),
         annotation(2, 2, tone("B"), stars)]
        for k in range(4)
    ])  # fmt: skip
    told = str(cs.measure(cs.read_groups(path)))
    assert told.count("Entries of the export") == 1
    assert told.count("The file suggests that 'stars' is ordinal") == 1
    assert told.count("Check that two raters or more rated the same items") == 1
    assert told.count("stars: Krippendorff") == 1  # what this variable lacks is its own
    assert "--scale proposed" in told  # one scale for all would not fit the other variable


def test_one_variable_that_cannot_be_measured_does_not_stop_the_others(tmp_path):
    extra = result("extra", "choices", {"choices": ["x"]})
    path = project(tmp_path, *[
        [annotation(1, 1, tone("A"), *([extra] if k == 0 else [])),
         annotation(2, 2, tone("AB"[k % 2]))]
        for k in range(4)
    ])  # fmt: skip
    summary = cs.measure(cs.read_groups(path))
    groups = {group.name: group for group in summary.groups}
    assert groups["tone"].estimates
    assert [finding.code for finding in groups["extra"].findings] == ["not_measured"]
    with pytest.raises(cs.exceptions.UnsupportedDesignError):
        cs.measure({"extra": cs.read(path, variable="extra")})


def test_a_gate_is_not_met_by_what_was_not_measured(tmp_path, capsys):
    from consilience.cli.program import run

    extra = result("extra", "choices", {"choices": ["x"]})
    path = project(tmp_path, *[
        [annotation(1, 1, tone("AB"[k % 2]), *([extra] if k == 0 else [])),
         annotation(2, 2, tone("AB"[k % 2]))]
        for k in range(4)
    ])  # fmt: skip
    assert run(["measure", str(path), "-q"]) == 0
    assert run(["measure", str(path), "--fail-under", "alpha=0.5", "-q"]) == 4
    assert "extra: not measured, so --fail-under cannot be met." in capsys.readouterr().err


def test_several_labels_are_shown_in_braces(tmp_path):
    both = result("topics", "choices", {"choices": ["b", "a"]})
    path = project(tmp_path, [annotation(1, 1, both), annotation(2, 2, both)])
    loaded = load(path)
    assert "{a, b}" in str(cs.measure(loaded.ratings))
    assert "frozenset" not in loaded.reading.explain().text()


def test_a_variable_that_nobody_answered_is_left_out_and_named(tmp_path):
    empty = result("never", "choices", {"choices": []})
    path = project(tmp_path, [annotation(1, 1, tone("A"), empty), annotation(2, 2, tone("B"))])
    loaded = load(path)
    assert list(loaded.groups) == [None]
    assert "nothing_answered" in codes(loaded)
    assert loaded.reading.states["asked, no label"] == 0
    assert list(load(path, empty="label").groups) == ["tone", "never"]


def test_label_names_a_question_where_there_are_no_columns(tmp_path):
    stars = result("stars", "rating", {"rating": 3})
    path = project(
        tmp_path, [annotation(1, 1, tone("A"), stars), annotation(2, 2, tone("B"), stars)]
    )
    assert load(path, label="tone").ratings.categories == ("A", "B")
    assert load(path, label="tone", rater="completed_by").reading.format == "label-studio"
    assert load(path, variable="tone", rater="completed_by").ratings.n_ratings == 2
    with pytest.raises(InputError, match=r"'tone', 'stars'.*Got 'topic'"):
        load(path, label="topic")


def test_free_text_is_no_label(tmp_path):
    found = Annotations()
    for k in range(8):
        found.add(k, "a", f"my own words {k}", variable="why")
        found.add(k, "a", f"word{k}", variable="code")
        found.add(k, "a", "as good as it gets", variable="phrase")
    assert free_text(found) == {"why": 8}
    only = found.taking(k for k, name in enumerate(found.variable) if name == "why")
    assert free_text(only) == {}  # nothing else is there to be compared


def test_proposals_are_counted_for_each_variable(tmp_path):
    guess = [{"model_version": name, "result": [tone("A")]} for name in ("gpt", "claude")]
    stars = result("stars", "rating", {"rating": 3})
    path = project(
        tmp_path, [annotation(1, 1, tone("A"), stars), annotation(2, 2, tone("B"), stars)],
        predictions=guess,
    )  # fmt: skip
    groups = cs.read_groups(path)
    said = {name: [n.message for n in r.notes if n.code == "prediction_left_out"]
            for name, r in groups.items()}  # fmt: skip
    assert said["stars"] == []
    assert said["tone"][0].startswith("2 proposals of systems were left out")
    raters = cs.read(path, variable="tone", predictions="raters").raters
    assert raters == ("1", "2", "gpt", "claude")


@pytest.mark.parametrize(
    ("earlier", "later"),
    [("2024-01-01T00:00:00.500Z", "2024-01-01T00:00:01Z"), ("9", "10"), (None, "2024-01-01"),
     ("2024-01-01T02:00:00+02:00", "2024-01-01T01:00:00Z"), ("2024-01-01T00:00:00Z", "1.8e9")],
)  # fmt: skip
def test_times_are_put_in_order_by_what_they_mean(earlier, later):
    assert moment(earlier) < moment(later)


def test_the_account_names_the_fields_that_tell_item_and_rater(tmp_path):
    reading = load(
        project(tmp_path, [annotation(1, 1, tone("A")), annotation(2, 2, tone("B"))])
    ).reading
    assert "item: task id; rater: completed_by" in str(reading)
    taken = {guess.what: guess.taken for guess in reading.guesses}
    assert (taken["item"], taken["rater"]) == ("task id", "completed_by")


# -------------------------------------------------------------------- Label Studio


def test_label_studio_rejected_in_review_is_excluded_until_kept(tmp_path):
    no = [
        {"id": 1, "created_by": 9, "accepted": True},
        {"id": 2, "created_by": 9, "accepted": False},
    ]
    path = project(
        tmp_path,
        [annotation(1, 1, tone("A"), reviews=no), annotation(2, 2, tone("B"), reviews=no[:1])],
        [annotation(3, 1, tone("A"), last_action="rejected"),
         annotation(4, 2, tone("B"), was_cancelled=True)],
    )  # fmt: skip
    loaded = load(path)
    assert loaded.reading.states["excluded"] == {"cancelled": 1, "rejected": 2}
    assert loaded.ratings.n_ratings == 1
    assert "rejected_in_review" in codes(loaded)
    assert load(path, excluded="keep_rejected").ratings.n_ratings == 3
    assert load(path, excluded="keep").ratings.n_ratings == 4
    with pytest.raises(InputError, match="keep_rejected"):
        load(path, excluded="rejected")


def test_label_studio_annotations_by_nobody_are_left_out_and_counted(tmp_path):
    person = {"id": None, "email": "a@b.org"}
    given = [annotation(1, 1, tone("A")), annotation(2, None, tone("B"))]
    path = project(tmp_path, [*given, annotation(3, person, tone("A"))])
    loaded = load(path)
    assert loaded.ratings.raters == ("1", "a@b.org")
    assert "annotations_without_user" in codes(loaded)
    with pytest.raises(InputError, match="1 annotations by nobody"):
        load(project(tmp_path, [annotation(2, None, tone("B"))]))


def test_label_studio_a_result_without_a_value_is_told_and_passed_over(tmp_path):
    bare = {"id": "x", "from_name": "tone", "to_name": "text", "type": "choices"}
    loaded = load(
        project(tmp_path, [annotation(1, 1, tone("A"), bare), annotation(2, 2, tone("B"))])
    )
    assert loaded.ratings.n_ratings == 2
    assert any("choices without a value" in note.message for note in loaded.reading.notes)


def test_label_studio_of_two_servers_the_same_number_is_not_a_copy(tmp_path):
    one = annotation(1, 1, tone("A"))
    other = annotation(1, 2, tone("B"), created_at="2024-06-01T00:00:00Z")
    loaded = load(project(tmp_path, [one, other, dict(one)]))
    assert loaded.ratings.n_ratings == 2
    assert any(
        n.message.startswith("1 annotation found more than once") for n in loaded.reading.notes
    )


def test_label_studio_of_free_text_alone_is_not_sent_to_the_units(tmp_path):
    text = result("why", "textarea", {"text": ["because"]})
    with pytest.raises(InputError, match=r"Got textarea\. Hint: ask for choices"):
        load(project(tmp_path, [annotation(1, 1, text)]))


@pytest.mark.filterwarnings("ignore::consilience.exceptions.ReadingWarning")
def test_label_studio_regions_of_the_same_states(tmp_path):
    span = result("ner", "labels", {"start": 0, "end": 4, "text": "Text", "labels": ["X"]})
    no = [{"id": 1, "accepted": False}]
    path = project(
        tmp_path,
        [annotation(1, 1, span), annotation(2, 2, span), annotation(3, None, span),
         annotation(4, 3, span, reviews=no)],
        [annotation(5, 1, span), annotation(6, 2)],
        [annotation(7, 1, span)],
    )  # fmt: skip
    with pytest.raises(InputError, match="consilience units"):
        load(path)
    units = cs.read_units(path)
    assert (units.raters, units.n_units) == (("1", "2"), 4)
    told = " ".join(note.message for note in units.notes)
    assert "1 annotations that name nobody" in told
    assert "1 annotations rejected in review" in told
    assert "In 1 of 3 sessions there is nothing of some rater" in told  # 2 did mark nothing in 2
    assert units.asked.tolist() == [[True, True, True], [True, True, False]]


def short(**more: Any) -> list[dict[str, Any]]:
    return [
        {"id": k, "text": f"Text {k}", "tone": "AB"[(k + user) % 2], "annotator": user,
         "annotation_id": 10 * k + user, "created_at": "2024", "updated_at": "2024",
         "lead_time": None, **{name: value(k, user) for name, value in more.items()}}
        for k in range(1, 4) for user in (1, 2)
    ]  # fmt: skip


def test_label_studio_short_export_with_spans_beside_choices(tmp_path):
    records = short(
        ner=lambda k, user: [{"start": 0, "end": 4, "text": "Text", "labels": ["X"]}],
        sure=lambda k, user: [{"start": 0, "end": 4, "choices": ["yes"]}],
        each=lambda k, user: ["yes", "no"] if user == 1 else "no",
        history=lambda k, user: [{"by": user}],
        chat_transcript=lambda k, user: f"{user}: hello",
    )
    loaded = load(written(tmp_path, "min.json", json.dumps(records)))
    assert list(loaded.groups) == [None]
    assert loaded.ratings.categories == ("A", "B")
    assert {"regions_not_read", "nothing_answered"} <= codes(loaded)
    told = " ".join(note.message for note in loaded.reading.notes)
    assert "not JSON_MIN" in told
    assert "does not name: each" in told


def test_label_studio_short_export_of_spans_asks_for_the_full_one(tmp_path):
    records = short(ner=lambda k, user: [{"start": 0, "end": 4, "labels": ["X"]}])
    for record in records:
        del record["tone"]
    with pytest.raises(InputError, match=r"regions only.*not JSON_MIN.*consilience units"):
        load(written(tmp_path, "min.json", json.dumps(records)))


def test_label_studio_short_export_annotations_by_nobody(tmp_path):
    records = [*short(), short()[0] | {"annotator": "None", "annotation_id": 99}]
    rows = io.StringIO()
    writer = csv.DictWriter(rows, sorted(records[0]), quoting=csv.QUOTE_NONNUMERIC)
    writer.writeheader()
    writer.writerows(records)
    for path in (written(tmp_path, "min.json", json.dumps(records)),
                 written(tmp_path, "min.csv", rows.getvalue())):  # fmt: skip
        loaded = load(path)
        assert loaded.ratings.raters == ("1", "2")
        assert "annotations_without_user" in codes(loaded)


# -------------------------------------------------------------------- Argilla


def flat(key: str, **questions: dict[str, Any]) -> dict[str, Any]:
    """A flattened record; each question has user to (value, status)."""
    record: dict[str, Any] = {"id": key, "status": "completed", "_server_id": key, "text": "t"}
    for name, given in questions.items():
        record[f"{name}.responses"] = [value for value, _ in given.values()]
        record[f"{name}.responses.users"] = list(given)
        record[f"{name}.responses.status"] = [status for _, status in given.values()]
    return record


FLAT = [
    flat("a", tone={"u1": ("good", "submitted"), "u2": ("bad", "submitted")},
         score={"u1": (3, "submitted")}),
    flat("b", tone={"u1": ("good", "discarded"), "u2": ("bad", "draft")},
         score={"u1": (3, "discarded"), "u2": (4, "draft")}),
]  # fmt: skip


def test_argilla_a_question_left_out_of_a_response_was_asked(tmp_path):
    loaded = load(written(tmp_path, "r.json", json.dumps(FLAT)))
    assert loaded.reading.states == {
        "not asked": 0, "asked, no label": 1, "excluded": {"discarded": 2, "draft": 2},
    }  # fmt: skip


def test_argilla_as_parquet_and_as_numpy_prints_it(tmp_path):
    import duckdb

    source = json_lines(tmp_path, "r.jsonl", FLAT)
    path = tmp_path / "r.parquet"
    duckdb.read_json(str(source)).write_parquet(str(path))
    loaded = load(path)
    assert loaded.reading.format == "argilla"
    assert loaded.reading.states == load(source).reading.states
    table = (
        "id,tone.responses,tone.responses.users,tone.responses.status\n"
        "a,['good' 'bad'],['u1'\n 'u2'],['submitted' 'submitted']\n"
    ).replace("['u1'\n 'u2']", "\"['u1'\n 'u2']\"")
    assert load(written(tmp_path, "r.csv", table)).ratings.raters == ("u1", "u2")


@pytest.mark.parametrize(
    ("cell", "value"),
    [("['a' 'b']", ["a", "b"]), ("[1 2]", [1, 2]), ("['a', 'b']", ["a", "b"]),
     ('["a"]', ["a"]), ("[None 'x']", [None, "x"]), ("['it''s']", ["it", "s"]),
     ("[a b]", "[a b]"), ("[", "["), ("[1 +]", "[1 +]")],
)  # fmt: skip
def test_neighbours_in_a_cell_are_never_joined(cell, value):
    assert from_cell(cell, "here") == value


# -------------------------------------------------------------------- Prodigy


def line(key: int, who: str | None, view: str = "classification", **more: Any) -> dict[str, Any]:
    named = None if who is None else f"news-{who}"
    return {"text": f"Text {key}", "_input_hash": key, "_task_hash": -key, "_view_id": view,
            "_annotator_id": named, "_session_id": named, "_timestamp": 1_700_000_000 + key,
            "answer": "accept", **more}  # fmt: skip


OPTIONS = [{"id": name, "text": name} for name in "xyz"]


def test_prodigy_one_choice_left_open_makes_no_sets(tmp_path):
    records = [line(k, who, "choice", options=OPTIONS, accept=["x"] if k or who == "b" else [])
               for k in range(3) for who in "ab"]  # fmt: skip
    loaded = load(json_lines(tmp_path, "a.jsonl", records))
    assert loaded.ratings.categories == ("x",)
    assert loaded.reading.states["asked, no label"] == 1


def test_prodigy_several_choices_by_anybody_make_sets(tmp_path):
    records = [line(k, who, "choice", options=OPTIONS, accept=list("xy")[: 1 + k])
               for k in range(2) for who in "ab"]  # fmt: skip
    loaded = load(json_lines(tmp_path, "a.jsonl", records))
    assert set(loaded.ratings.categories) == {frozenset("x"), frozenset("xy")}


def test_prodigy_tasks_to_mark_spans_are_units(tmp_path):
    span = [{"start": 0, "end": 4, "label": "X"}]
    path = json_lines(tmp_path, "a.jsonl", [line(k, who, "ner_manual", spans=span)
                                            for k in range(3) for who in "ab"])  # fmt: skip
    with pytest.raises(InputError, match=r"6 tasks to mark spans.*consilience units"):
        load(path)
    assert cs.read_units(path).raters == ("news-a", "news-b")


def test_prodigy_a_data_set_for_each_annotator(tmp_path):
    paths = [json_lines(tmp_path, f"{who}.jsonl", [line(k, None) for k in range(3)])
             for who in ("ann", "bob")]  # fmt: skip
    assert load(paths).ratings.raters == ("ann", "bob")
    with pytest.raises(InputError, match="names its annotator"):
        load(paths[0])


def test_prodigy_sessions_named_by_their_time(tmp_path):
    path = json_lines(tmp_path, "a.jsonl", [line(1, "2024-01-31_10-11-12"), line(1, "bob-2024")])
    told = [n.message for n in load(path).reading.notes if n.code == "unnamed_sessions"]
    assert [words[:8] for words in told] == ["1 raters"]
    assert "experimental" in told[0]


# -------------------------------------------------------------------- doccano, INCEpTION, Potato


def test_doccano_spans_of_members_in_the_archive_are_units(tmp_path):
    with zipfile.ZipFile(tmp_path / "d.zip", "w") as archive:
        for who, spans in (("ann", [[0, 4, "X"]]), ("bob", [[0, 4, "Y"]]), ("idle", [])):
            rows = [{"id": k, "text": "Text", "label": spans if k < 3 else []} for k in range(5)]
            archive.writestr(f"{who}.jsonl", "".join(json.dumps(row) + "\n" for row in rows))
    with pytest.raises(InputError, match="consilience units"):
        load(tmp_path / "d.zip")
    units = cs.read_units(tmp_path / "d.zip")
    assert (units.raters, len(units.sessions)) == (("ann", "bob"), 3)
    assert sum("never opened" in note.message for note in units.notes) == 3


def test_doccano_shared_spans_have_no_raters(tmp_path):
    path = json_lines(tmp_path, "all.jsonl", [{"id": 1, "text": "Text", "label": [[0, 4, "X"]]}])
    with pytest.raises(InputError, match="one file per member"):
        cs.read_units(path)


def inception(folder: Path, top: str = "", suffix: str = "json") -> Path:
    """A project: nested archives, curation, what the Finder adds, one document not opened."""
    path = folder / "project.zip"
    states = [{"name": "d1", "user": user, "state": "FINISHED"} for user in ("ann", "bob")]
    states += [{"name": "d2", "user": "ann", "state": "FINISHED"},
               {"name": "d2", "user": "bob", "state": "NEW"}]  # fmt: skip
    with zipfile.ZipFile(path, "w") as archive:
        for document in ("d1", "d2"):
            for k, user in enumerate(("ann", "bob")):
                inner = io.BytesIO()
                with zipfile.ZipFile(inner, "w") as nested:
                    nested.writestr(f"{user}.{suffix}", marked("PER" if user == "ann" else "ORG"))
                    nested.writestr("TypeSystem.xml", "<typeSystemDescription/>")
                archive.writestr(
                    f"{top}annotation/{document}/webanno{k}export.zip", inner.getvalue()
                )
                archive.writestr(f"__MACOSX/{top}annotation/{document}/._webanno{k}.zip", b"\0")
            archive.writestr(f"{top}annotation/{document}/INITIAL_CAS.json", marked())
            archive.writestr(f"{top}curation/{document}/CURATION_USER.json", marked("PER"))
            archive.writestr(f"{top}source/{document}", "Jan saw Rome")
        archive.writestr(
            f"{top}exportedproject7.json", json.dumps({"annotation_documents": states})
        )
    return path


def marked(*labels: str) -> str:
    entity = "custom.Entity"
    entries: list[dict[str, Any]] = [{"%ID": 1, "%TYPE": "uima.cas.Sofa", "sofaString": "Jan saw"}]
    entries += [{"%TYPE": entity, "begin": 0, "end": 3, "value": label} for label in labels]
    types = {entity: {"%SUPER_TYPE": "uima.tcas.Annotation",
                      "value": {"%RANGE": "uima.cas.String"}}}  # fmt: skip
    return json.dumps({"%TYPES": types, "%FEATURE_STRUCTURES": entries})


@pytest.mark.parametrize("top", ["", "My project/"])
def test_inception_project_of_spans_is_read_as_units(tmp_path, top):
    path = inception(tmp_path, top)
    with pytest.raises(InputError, match=r"spans only.*consilience units"):
        load(path)
    units = cs.read_units(path)
    assert units.raters == ("ann", "bob")
    assert units.sessions == ("d1", "d2")
    assert (units.n_units, units.labels) == (3, ("ORG", "PER"))
    assert {"curation_left_out", "unopened_left_out", "not_everybody_asked"} <= {
        note.code for note in units.notes
    }


def test_inception_project_in_xmi_is_read_as_units(tmp_path):
    cassis = needed.package("cassis")
    path = tmp_path / "project.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("source/d1", "a 🙂 fox")
        for k, (user, label) in enumerate((("ann", "X"), ("bob", "Y"))):
            types = cassis.TypeSystem()
            layer = types.create_type("custom.Entity", "uima.tcas.Annotation")
            types.create_feature(layer, "value", "uima.cas.String")
            cas = cassis.Cas(types)
            cas.sofa_string, cas.sofa_mime = "a 🙂 fox", "text/plain"
            cas.add(layer(begin=4, end=7, value=label))
            inner = io.BytesIO()
            with zipfile.ZipFile(inner, "w") as nested:
                nested.writestr(f"{user}.xmi", cas.to_xmi())
                nested.writestr("TypeSystem.xml", types.to_xml())
            archive.writestr(f"annotation/d1/webanno{k}export.zip", inner.getvalue())
    units = cs.read_units(path)
    assert (units.raters, units.sessions, units.labels) == (("ann", "bob"), ("d1",), ("X", "Y"))
    assert list(zip(units.start, units.end, strict=True)) == [(4, 7), (4, 7)]


def test_inception_folder_of_raters_called_annotation_is_no_project(tmp_path):
    for rater, label in (("ann", "PER"), ("bob", "ORG")):
        folder = tmp_path / "annotation" / rater
        folder.mkdir(parents=True)
        written(folder, "d1.json", marked(label))
    units = cs.read_units(tmp_path / "annotation")
    assert (units.raters, units.sessions) == (("ann", "bob"), ("d1",))


def test_inception_project_packed_with_its_folder(tmp_path):
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for user, label in (("ann", "a"), ("bob", "b")):
            archive.writestr(f"P/annotation/d1/{user}.json", cas_json(label))
    assert load(path).reading.format == "inception-project"


def test_webanno_layers_declared_after_the_first_token_are_refused(tmp_path):
    text = ("#FORMAT=WebAnno TSV 3.3\n#T_SP=x.POS|PosValue\n\n1-1\t0-3\tJan\tN\t\n"
            "#T_SP=x.NER|value\n1-2\t4-7\tsaw\tV\tX\t\n")  # fmt: skip
    with pytest.raises(InputError, match=r"line 5: a layer must be named above the first token"):
        load(written(tmp_path, "a.tsv", text))


def test_webanno_copies_of_different_tokens_are_told(tmp_path):
    head = "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.POS|PosValue\n\n"
    for who, word in (("ann", "Jan"), ("bob", "Jan"), ("cleo", "Jon")):
        written(tmp_path, f"{who}.tsv", f"{head}1-1\t0-3\t{word}\tN\t\n")
    assert "tokens_differ" in codes(load(tmp_path))


def test_potato_what_was_shown_and_not_answered_was_asked(tmp_path):
    state = json.loads(potato_state("ann", {"t1": [("tone", "good", "true")]}))
    state["instance_id_to_behavioral_data"] = {"t1": {}, "t2": {"total_time_ms": 5}}
    path = written(tmp_path, "user_state.json", json.dumps(state))
    assert load(path).reading.states["asked, no label"] == 1


def test_potato_as_parquet(tmp_path):
    import duckdb

    path = tmp_path / "annotations.parquet"
    duckdb.sql(
        "SELECT * FROM (VALUES ('t1', 'ann', true, NULL, 10), ('t1', 'bob', NULL, true, 20)) "
        'AS t(instance_id, user_id, "tone.good", "tone.bad", "depth.slider")'
    ).write_parquet(str(path))
    groups = load(path).groups
    assert groups["tone"].categories == ("bad", "good")
    assert groups["depth"].n_ratings == 2


@pytest.mark.parametrize(
    "name", ["label-studio", "label-studio-min", "argilla", "prodigy", "doccano", "inception",
             "potato", "inception-project", "webanno-tsv", "conll-coreference"],
)  # fmt: skip
def test_every_entry_knows_its_place(name, tmp_path):
    from consilience.io.exports import exports
    from consilience.io.exports.registry import entries_of
    from consilience.io.files.source import Source
    from consilience.io.options import request_of
    from lookalikes import LOOKALIKES

    path = LOOKALIKES[name].write(tmp_path)
    found = entries_of(Source((path,)), exports()[name], request_of())
    assert all(place and str(path) in place for place in found.place)
    assert set(found.roles) == {"item", "rater"}
