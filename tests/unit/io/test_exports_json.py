"""Exports as JSON, archives and the tables made from them: every trap of every platform."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
import needed
from consilience.exceptions import InputError, MissingDependencyError
from consilience.io import load
from lookalikes import (
    cas_json,
    json_lines,
    label_studio_result,
    potato_state,
    written,
    zipped,
)


def counts(ratings: cs.Ratings) -> tuple[int, int, int]:
    return ratings.n_items, ratings.n_raters, ratings.n_ratings


def labels(ratings: cs.Ratings) -> dict[tuple[str, str], Any]:
    """Item and rater to label."""
    frame = ratings.to_frame("polars")
    return {(str(i), str(r)): label for i, r, label in frame.rows()}


def codes(loaded: Any) -> set[str]:
    return {note.code for note in loaded.reading.notes}


def table(folder: Path, name: str, *rows: str) -> Path:
    return written(folder, name, "\n".join(rows) + "\n")


# -------------------------------------------------------------------- Label Studio


def annotation(key: int, user: object, *results: dict[str, Any], **more: Any) -> dict[str, Any]:
    when = f"2024-01-01T00:00:{key:02d}Z"
    return {"id": key, "completed_by": user, "result": list(results), "was_cancelled": False,
            "ground_truth": False, "created_at": when, **more}  # fmt: skip


def choice(label: str | list[str], name: str = "tone", **more: Any) -> dict[str, Any]:
    given = [label] if isinstance(label, str) else label
    return label_studio_result(name, "choices", given, **more)


def project(folder: Path, *tasks: list[dict[str, Any]], **more: Any) -> Path:
    records = [
        {"id": k, "data": {"text": f"Text {k}", "key": f"k{k}"}, "annotations": given,
         "predictions": [], "drafts": [], **more}
        for k, given in enumerate(tasks, 1)
    ]  # fmt: skip
    return written(folder, "project.json", json.dumps(records))


def test_label_studio_users_may_be_numbers_or_objects_and_mails_are_never_told(tmp_path):
    person = {"id": 2, "email": "secret@example.org", "first_name": "", "last_name": ""}
    path = project(tmp_path, [annotation(1, 1, choice("A")), annotation(2, person, choice("B"))])
    loaded = load(path)
    assert loaded.ratings.raters == ("1", "2")
    assert "secret" not in str(loaded.reading)
    broken = project(tmp_path, [annotation(1, {"email": {"a": "secret@example.org"}}, choice("A"))])
    with pytest.raises(InputError, match="completed_by") as caught:
        load(broken)
    assert "secret" not in str(caught.value)


def test_label_studio_names_by_another_field_are_told_to_be_personal(tmp_path):
    person = {"id": 2, "email": "secret@example.org"}
    loaded = load(project(tmp_path, [annotation(1, person, choice("A"))]), rater="email")
    assert loaded.ratings.raters == ("secret@example.org",)
    assert "raters_named_by_mail" in codes(loaded)
    assert all("secret" not in note.message for note in loaded.reading.notes)


def test_label_studio_cancelled_is_excluded_and_an_empty_result_is_an_answer(tmp_path):
    path = project(
        tmp_path,
        [annotation(1, 1, choice("A")), annotation(2, 2, choice("B"), was_cancelled=True)],
        [annotation(3, 1), annotation(4, 2, choice("B"))],
    )
    loaded = load(path)
    assert loaded.reading.states == {
        "not asked": 0, "asked, no label": 1, "excluded": {"cancelled": 1},
    }  # fmt: skip
    assert loaded.ratings.n_ratings == 2
    assert load(path, excluded="keep").ratings.n_ratings == 3
    assert load(path, empty="label").ratings.n_ratings == 3


def test_label_studio_ground_truth_is_gold(tmp_path):
    path = project(
        tmp_path,
        [annotation(1, 1, choice("A")), annotation(2, 2, choice("B"), ground_truth=True)],
    )
    loaded = load(path)
    assert loaded.ratings.raters == ("1",)
    assert {"ground_truth", "gold_left_out"} <= codes(loaded)
    assert load(path, gold="rater").ratings.raters == ("1", "ground truth")


def test_label_studio_predictions_are_raters_of_another_kind(tmp_path):
    guess = {"id": 5, "model_version": "judge-1", "score": 0.7, "result": [choice("B")]}
    path = project(tmp_path, [annotation(1, 1, choice("A"))], predictions=[guess])
    assert load(path).ratings.raters == ("1",)
    assert "prediction_left_out" in codes(load(path))
    assert load(path, predictions="raters").ratings.raters == ("1", "judge-1")


def test_label_studio_takes_the_newest_of_a_users_annotations(tmp_path):
    path = project(tmp_path, [annotation(9, 1, choice("new")), annotation(3, 1, choice("old"))])
    loaded = load(path)
    assert loaded.ratings.categories == ("new",)
    assert "newest_kept" in codes(loaded)


def test_label_studio_storage_writes_annotations_twice(tmp_path):
    one = annotation(1, 1, choice("A"))
    loaded = load(project(tmp_path, [one, one, annotation(2, 2, choice("A"))]))
    assert counts(loaded.ratings) == (1, 2, 2)
    assert "copies_left_out" in codes(loaded)
    assert "newest_kept" not in codes(loaded)


def test_label_studio_storage_may_write_a_file_per_annotation(tmp_path):
    folder = tmp_path / "storage"
    folder.mkdir()
    task = {"id": 4, "data": {"text": "A text"}}
    for key in (1, 2):
        record = {**annotation(key, key, choice("A")), "task": task}
        written(folder, f"{key}.json", json.dumps(record))
    assert counts(load(folder).ratings) == (1, 2, 2)


def test_label_studio_old_files_say_completions_and_skipped(tmp_path):
    done = {"id": 1, "completed_by": 1, "result": [choice("A")]}
    skipped = {"id": 2, "completed_by": 2, "result": [], "skipped": True}
    record = {"id": 1, "data": {"text": "x"}, "completions": [done, skipped]}
    loaded = load(written(tmp_path, "old.json", json.dumps([record])))
    assert loaded.reading.states["excluded"] == {"cancelled": 1}
    assert loaded.ratings.n_ratings == 1


def test_label_studio_raters_who_correct_predictions_are_not_independent(tmp_path):
    by_parent = annotation(1, 1, choice("A"), parent_prediction=7)
    by_origin = annotation(2, 2, choice("A", origin="prediction-changed"))
    loaded = load(project(tmp_path, [by_parent, by_origin]))
    (told,) = (note.message for note in loaded.reading.notes if note.code == "prefilled")
    assert told.startswith("2 annotations")


def test_label_studio_leaves_regions_to_the_units(tmp_path):
    region = {"id": "s1", "type": "labels", "from_name": "span", "to_name": "text",
              "value": {"start": 0, "end": 3, "text": "abc", "labels": ["PER"]}}  # fmt: skip
    about_it = choice("sure", name="certainty", id="s1")
    relation = {"type": "relation", "from_id": "s1", "to_id": "s2", "direction": "right"}
    loaded = load(project(tmp_path, [annotation(1, 1, choice("A"), region, about_it, relation)]))
    assert loaded.reading.variables == ("tone",)
    assert "regions_not_read" in codes(loaded)
    with pytest.raises(InputError, match="consilience units"):
        load(project(tmp_path, [annotation(1, 1, region)]))


@pytest.mark.parametrize(
    ("kind", "value", "label"),
    [
        ("choices", ["A"], "A"),
        ("choices", ["B", "A"], frozenset("AB")),
        ("rating", 4, 4),
        ("number", 2.5, 2.5),
        ("taxonomy", [["Animal", "Cat"]], "Animal / Cat"),
        ("taxonomy", [["Animal"], ["Plant", "Fern"]], frozenset(("Animal", "Plant / Fern"))),
        ("pairwise", "left", "left"),
        ("ranker", {"rank": ["b", "a"]}, ("b", "a")),
    ],
)
def test_label_studio_value_by_type(tmp_path, kind, value, label):
    result = label_studio_result("q", kind, value)
    ratings = load(project(tmp_path, [annotation(1, 1, result)])).ratings
    assert ratings.categories == (label,)


def test_label_studio_proposes_scales_and_leaves_free_text(tmp_path):
    stars = label_studio_result("stars", "rating", 4)
    prose = {"id": "x", "type": "textarea", "from_name": "why", "value": {"text": ["so"]}}
    loaded = load(project(tmp_path, [annotation(1, 1, stars, prose)]), scale="proposed")
    assert loaded.ratings.scale == "ordinal"
    assert "results_not_read" in codes(loaded)


def test_label_studio_drafts_are_excluded(tmp_path):
    drafts = [{"id": 1, "user": 3, "result": [choice("B")]}, {"id": 2, "result": []}]
    loaded = load(project(tmp_path, [annotation(1, 1, choice("A"))], drafts=drafts))
    assert loaded.reading.states["excluded"] == {"draft": 1}
    assert loaded.ratings.raters == ("1",)
    assert "drafts_without_user" in codes(loaded)


def test_label_studio_projects_join_by_a_field_of_the_data(tmp_path):
    path = project(tmp_path, [annotation(1, 1, choice("A"))])
    assert tuple(load(path, item="key").ratings.items) == ("k1",)
    assert tuple(load(path, item="data.key").ratings.items) == ("k1",)
    with pytest.raises(InputError, match="every task must be one with nothing_such"):
        load(path, item="nothing_such")


@pytest.mark.parametrize(
    "result", ["text", {"a": 1}, ["text"], [{"type": "choices", "value": {"choices": [{}]}}],
               [{"type": "choices", "value": []}], [{"type": "rating", "value": {"rating": "x"},
                                                     "from_name": "q"}]],
)  # fmt: skip
def test_label_studio_results_of_another_form_are_refused(tmp_path, result):
    path = project(tmp_path, [annotation(1, 1) | {"result": result}])
    with pytest.raises(InputError, match=r"project\.json, record 1"):
        load(path)


def short(key: int, task: int, who: object, **more: Any) -> dict[str, Any]:
    return {"id": task, "annotator": who, "annotation_id": key, "lead_time": 1.0,
            "created_at": "2024-01-01T00:00:00Z", "text": f"Text {task}", **more}  # fmt: skip


def test_label_studio_json_min_has_values_of_three_forms(tmp_path):
    records = [
        short(1, 1, 1, tone="A", stars=[{"rating": 4}]),
        short(2, 1, 2, tone={"choices": ["A", "B"]}, stars=[{"rating": 5}]),
        short(3, 2, 1, tone="B", where=[{"start": 0, "end": 2, "text": "Te", "labels": ["X"]}]),
    ]
    loaded = load(written(tmp_path, "min.json", json.dumps(records)))
    assert set(loaded.groups) >= {"tone", "stars"}
    assert frozenset("AB") in loaded.groups["tone"].categories
    assert loaded.groups["stars"].categories == (4, 5)
    assert "text" not in loaded.groups
    assert {"regions_not_read", "short_export"} <= codes(loaded)


def test_label_studio_csv_renames_data_that_is_called_like_a_question(tmp_path):
    path = table(
        tmp_path, "min.csv", "annotation_id,annotator,id,lead_time,tone,_data_tone",
        "1,a@example.org,1,1.0,A,x", '2,b@example.org,2,1.0,"{""choices"":[""A"",""B""]}",y',
    )  # fmt: skip
    loaded = load(path)
    assert counts(loaded.ratings) == (2, 2, 2)
    assert frozenset("AB") in loaded.ratings.categories
    assert "raters_named_by_mail" in codes(loaded)


def test_label_studio_csv_says_what_might_be_an_answer(tmp_path):
    head = "annotation_id,annotator,id,lead_time,tone,genre"
    rows = [f"{10 * k + who},{who},{k},1.0,{'AB'[(k * who) % 2]},news"
            for k in range(1, 5) for who in (1, 2)]  # fmt: skip
    loaded = load(table(tmp_path, "min.csv", head, *rows))
    assert loaded.reading.variables == ("tone",)
    (told,) = (note.message for note in loaded.reading.notes if note.code == "perhaps_answers")
    assert told.startswith("genre:")
    assert load(tmp_path / "min.csv", label="genre").ratings.categories == ("news",)


def test_label_studio_csv_with_one_annotation_a_task_asks_for_the_column(tmp_path):
    head = "annotation_id,annotator,id,lead_time,tone,text"
    path = table(tmp_path, "min.csv", head, "1,1,1,1.0,A,x", "2,1,2,1.0,B,y")
    with pytest.raises(InputError, match="name the columns that hold answers"):
        load(path)
    assert load(path, label="tone").ratings.n_ratings == 2
    with pytest.raises(InputError, match="did you mean 'tone'"):
        load(path, label="tome")


# -------------------------------------------------------------------- Argilla


def nested(folder: Path, *responses: dict[str, Any], **more: Any) -> Path:
    records = [
        {"id": f"r{k}", "fields": {"text": "x"}, "metadata": {"key": f"k{k}"}, "vectors": {},
         "suggestions": {}, "responses": given, "status": "completed", "_server_id": "s", **more}
        for k, given in enumerate(responses, 1)
    ]  # fmt: skip
    return written(folder, "argilla.json", json.dumps(records))


def said(*pairs: tuple[str, Any]) -> list[dict[str, Any]]:
    return [{"user_id": user, "value": value} for user, value in pairs]


def test_argilla_nested_json_has_no_status_and_says_so(tmp_path):
    path = nested(tmp_path, {"tone": said(("u1", "good"), ("u2", "bad"))})
    loaded = load(path)
    assert counts(loaded.ratings) == (1, 2, 2)
    (told,) = (note.message for note in loaded.reading.notes if note.code == "status_unknown")
    assert "flatten=True" in told
    assert tuple(load(path, item="key").ratings.items) == ("k1",)


def test_argilla_values_by_kind_of_question(tmp_path):
    loaded = load(
        nested(
            tmp_path,
            {"many": said(("u1", ["a", "b"]), ("u2", ["a"])), "stars": said(("u1", 3), ("u2", 4)),
             "order": said(("u1", ["x", "y"]), ("u2", ["y", "x"])),
             "spans": said(("u1", [{"start": 0, "end": 2, "label": "P"}]))},
        )
    )  # fmt: skip
    assert frozenset("ab") in loaded.groups["many"].categories
    assert set(loaded.groups["order"].categories) == {("x", "y"), ("y", "x")}
    assert loaded.groups["stars"].categories == (3, 4)
    assert "spans" not in loaded.groups
    assert {"spans_not_read", "scale_proposed"} <= codes(loaded)


def test_argilla_suggestions_are_proposals(tmp_path):
    proposal = {"tone": {"value": "good", "score": 0.9, "agent": "m1"}}
    path = nested(tmp_path, {"tone": said(("u1", "bad"))}, suggestions=proposal)
    assert load(path).ratings.raters == ("u1",)
    assert load(path, predictions="raters").ratings.raters == ("u1", "m1")


def flattened(folder: Path, **more: Any) -> Path:
    record = {"id": "r1", "text": "x", "tone.responses": ["a", "b", "c"],
              "tone.responses.users": ["u1", "u2", "u3"],
              "tone.responses.status": ["submitted", "draft", "discarded"], **more}  # fmt: skip
    return json_lines(folder, "flat.jsonl", [record, {**record, "id": "r2"}])


def test_argilla_flattened_keeps_drafts_and_discarded_apart(tmp_path):
    loaded = load(flattened(tmp_path))
    assert loaded.reading.states["excluded"] == {"discarded": 2, "draft": 2}
    assert loaded.ratings.n_ratings == 2
    assert "status_unknown" not in codes(loaded)


def test_argilla_flattened_from_a_data_frame_as_csv(tmp_path):
    path = table(
        tmp_path, "flat.csv", "id,tone.responses,tone.responses.users,tone.responses.status",
        "r1,\"['a', 'b']\",\"['u1', 'u2']\",\"['submitted', 'submitted']\"",
    )  # fmt: skip
    assert counts(load(path).ratings) == (1, 2, 2)


def test_argilla_lists_of_different_length_are_refused(tmp_path):
    path = flattened(tmp_path, **{"tone.responses.users": ["u1"]})
    with pytest.raises(InputError, match="lists of one length"):
        load(path)


# -------------------------------------------------------------------- doccano


def examples(*given: list[Any], **more: Any) -> str:
    return "".join(
        json.dumps({"id": k, "text": f"Text {k}", "label": label, "Comments": [], **more}) + "\n"
        for k, label in enumerate(given, 1)
    )


def test_doccano_never_opened_is_not_left_empty(tmp_path):
    files = {"ann.jsonl": examples(["A"], [], ["B"], [], []), "bob.jsonl": examples(*[["A"]] * 5),
             "idle.jsonl": examples(*[[]] * 5)}  # fmt: skip
    loaded = load(zipped(tmp_path, "export.zip", files))
    assert loaded.ratings.raters == ("ann", "bob")
    assert loaded.reading.states["asked, no label"] == 1
    (told,) = (note.message for note in loaded.reading.notes if note.code == "empty_is_ambiguous")
    assert "7 at the end of a file" in told
    assert "1 of the files hold no label at all" in told


def test_doccano_guess_of_what_was_opened_is_overruled_by_one_word(tmp_path):
    records = [{"id": k, "text": "t", "label": ["A"] if k < 2 else []} for k in range(4)]
    lines = "".join(json.dumps(record) + "\n" for record in records)
    for name in ("ann", "bob"):
        (tmp_path / f"{name}.jsonl").write_text(lines)
    assert cs.read(tmp_path, empty="label").n_ratings == 4
    told = cs.load(tmp_path, empty="label_all")
    assert told.ratings.n_ratings == 8
    assert not any("never opened" in note.message for note in told.ratings.notes)


def test_doccano_files_may_be_unpacked(tmp_path):
    folder = tmp_path / "unpacked"
    folder.mkdir()
    paths = [written(folder, f"{who}.jsonl", examples(["A"], ["A", "B"])) for who in "xy"]
    assert counts(load(folder).ratings) == counts(load(paths).ratings) == (2, 2, 4)
    assert frozenset("AB") in load(folder).ratings.categories


def test_doccano_csv_joins_labels_with_a_number_sign(tmp_path):
    rows = "id,text,label\n1,x,A#B\n2,y,A\n3,z,\n4,z,B\n"
    loaded = load(zipped(tmp_path, "export.zip", {"ann.csv": rows, "bob.csv": rows}))
    assert loaded.reading.format == "doccano"
    assert set(loaded.ratings.categories) == {frozenset("AB"), frozenset("A"), frozenset("B")}
    assert loaded.reading.states["asked, no label"] == 2


@pytest.mark.parametrize("name", ["all.jsonl", "export.zip"])
def test_doccano_merged_labels_have_no_raters(tmp_path, name):
    text = examples(["A"], ["B"])
    path = (
        zipped(tmp_path, name, {"all.jsonl": text})
        if name.endswith("zip")
        else written(tmp_path, name, text)
    )
    with pytest.raises(InputError, match="one file per member"):
        load(path)


def test_doccano_data_may_replace_the_labels(tmp_path):
    files = {"ann.jsonl": examples(["A"], ["B"]).replace('["B"]', '"news"')}
    with pytest.raises(InputError, match="has replaced the answers"):
        load(zipped(tmp_path, "export.zip", files))


def test_doccano_spans_are_units(tmp_path):
    path = written(tmp_path, "ann.jsonl", examples([[0, 2, "PER"]], []))
    with pytest.raises(InputError, match="consilience units"):
        load(path)


def test_a_record_with_a_rater_is_not_from_doccano(tmp_path):
    text = examples(["A"], ["B"], annotator="ann")
    assert load(written(tmp_path, "codes.jsonl", text)).reading.format == "json"


# -------------------------------------------------------------------- INCEpTION and WebAnno


def test_inception_documents_an_unset_feature_is_a_label_if_wanted(tmp_path):
    path = table(tmp_path, "a.csv", "doc,user,label", "d1,ann,x", "d1,bob,", "d2,ann,x", "d2,bob,x")
    loaded = load(path)
    assert loaded.reading.states["asked, no label"] == 1
    assert "unset_feature" in codes(loaded)
    assert load(path, empty="label").ratings.n_ratings == 4


def test_inception_curation_is_gold(tmp_path):
    path = table(tmp_path, "a.csv", "doc,user,label", "d1,ann,x", "d1,CURATION_USER,y")
    assert load(path).ratings.raters == ("ann",)
    assert load(path, gold="rater").ratings.n_raters == 2


SPANS = ("doc,user,begin,end,text,label", "d1,ann,0,4,Some,PER", "d1,bob,0,4,Some,LOC",
         "d1,bob,5,9,text,PER")  # fmt: skip


def test_inception_spans_are_units_unless_positions_are_asked_for(tmp_path):
    path = table(tmp_path, "spans.csv", *SPANS)
    with pytest.raises(InputError, match="consilience units"):
        load(path)
    loaded = load(path, item="position")
    assert tuple(loaded.ratings.items) == ("d1 0-4", "d1 5-9")
    assert "positions_only" in codes(loaded)


def test_inception_chains_are_refused_and_relations_are_read(tmp_path):
    chains = table(
        tmp_path, "c.csv", "doc,user,chain,index,begin,end,text,label", "d,a,1,1,0,2,x,y"
    )
    with pytest.raises(InputError, match="consilience units"):
        load(chains)
    head = "doc,user,source-begin,source-end,source-text,target-begin,target-end,target-text,label"
    path = table(tmp_path, "r.csv", head, "d,a,0,2,x,3,5,y,SUBJ", "d,b,0,2,x,3,5,y,OBJ")
    loaded = load(path)
    assert counts(loaded.ratings) == (1, 2, 2)
    assert "positions_only" in codes(loaded)


def test_inception_diagnosis_has_a_column_per_annotator(tmp_path):
    path = table(
        tmp_path, "diagnosis.csv", "# Category count: 2",
        "Type,Collection,Document,Layer,Feature,Position,Flags,ann,bob",
        'SpanPosition,p,d1,some.Layer,value,0-4,"COMPLETE, USED",PER,LOC',
        "SpanPosition,p,d1,some.Layer,value,5-9,USED,PER,<no annotation>",
        "SpanPosition,p,d1,some.Layer,value,10-12,USED,<no label>,PER",
        'SpanPosition,p,d1,some.Layer,value,20-22,STACKED,"LOC, PER",PER',
    )  # fmt: skip
    loaded = load(path)
    assert loaded.reading.variables == ("value",)
    assert loaded.reading.states == {
        "not asked": 1, "asked, no label": 1, "excluded": {"stacked": 2},
    }  # fmt: skip
    assert loaded.ratings.n_ratings == 4
    assert "positions_only" in codes(loaded)


def test_inception_project_the_rater_is_the_inner_files_name(tmp_path):
    import zipfile

    path = tmp_path / "project.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for k, who in enumerate(("ann", "bob")):
            inner = zipped(tmp_path, "inner.zip", {f"{who}.json": cas_json("news")})
            archive.writestr(f"annotation/a.txt/webanno{k}export.zip", inner.read_bytes())
        archive.writestr("__MACOSX/annotation/a.txt/._x.json", "noise")
    loaded = load(path)
    assert loaded.ratings.raters == ("ann", "bob")
    assert "experimental_format" in codes(loaded)


def test_inception_project_states_and_layers(tmp_path):
    entries = [{"name": "a.txt", "user": "bob", "state": "LOCKED"},
               {"name": "a.txt", "user": "cat", "state": "NEW"},
               {"name": "a.txt", "user": "ann", "state": "IN_PROGRESS"}]  # fmt: skip
    files = {
        "annotation/a.txt/ann.json": cas_json("news"),
        "annotation/a.txt/bob.json": cas_json("blog"),
        "annotation/a.txt/cat.json": cas_json(None),
        "annotation/a.txt/dan.json": cas_json(None),
        "curation/a.txt/CURATION_USER.json": cas_json("blog"),
        "exportedproject.json": json.dumps({"annotation_documents": entries}),
    }
    loaded = load(zipped(tmp_path, "p.zip", files))
    assert loaded.reading.variables == ("Genre.value",)
    assert loaded.reading.states == {
        "not asked": 0, "asked, no label": 1, "excluded": {"locked": 1},
    }  # fmt: skip
    assert {"unfinished", "gold_left_out"} <= codes(loaded)
    assert load(zipped(tmp_path, "p.zip", files), gold="rater").ratings.n_ratings == 2


def test_inception_project_of_spans_only_is_refused(tmp_path):
    path = zipped(tmp_path, "p.zip", {"annotation/a.txt/ann.json": cas_json(None)})
    with pytest.raises(InputError, match="consilience units"):
        load(path)


def test_inception_project_in_xmi_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "cassis", None)
    files = {"annotation/a.txt/ann.xmi": "<xmi:XMI/>", "annotation/a.txt/TypeSystem.xml": "<a/>"}
    with pytest.raises(MissingDependencyError, match=r"pip install 'consilience\[uima\]'"):
        load(zipped(tmp_path, "p.zip", files))


def test_inception_project_in_xmi(tmp_path):
    cassis = needed.package("cassis")
    import zipfile

    types = cassis.TypeSystem()
    layer = types.create_type("webanno.custom.Genre", supertypeName="uima.cas.AnnotationBase")
    types.create_feature(layer, "value", "uima.cas.String")
    path = tmp_path / "p.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for who, label in (("ann", "news"), ("bob", "blog")):
            cas = cassis.Cas(types)
            cas.sofa_string = "Some text"
            cas.add(layer(value=label))
            files = {f"{who}.xmi": cas.to_xmi(), "TypeSystem.xml": types.to_xml()}
            inner = zipped(tmp_path, "inner.zip", files)
            archive.writestr(f"annotation/a.txt/webanno{who}export.zip", inner.read_bytes())
    loaded = load(path)
    assert set(loaded.ratings.categories) == {"news", "blog"}
    bad = {"ann.xmi": '<!DOCTYPE a [<!ENTITY b "c">]><a/>', "TypeSystem.xml": types.to_xml()}
    with zipfile.ZipFile(path, "w") as archive:
        inner = zipped(tmp_path, "inner.zip", bad)
        archive.writestr("annotation/a.txt/webanno1export.zip", inner.read_bytes())
    with pytest.raises(InputError):
        load(path)


TSV = (
    "#FORMAT=WebAnno TSV 3.3\n#T_SP=x.POS|PosValue\n#T_SP=x.NE|value\n"
    "#T_RL=x.Dep|type|BT_x.POS\n\n\n"
)


def test_webanno_tsv_tokens(tmp_path):
    first = (
        "1-1\t0-3\tThe\tDT\t_\t_\t_\t\n1-2\t4-7\tcat\tNN[1]|JJ[2]\tPER[3]\t_\t_\t\n"
        "1-2.1\t4-5\tc\t_\t_\t_\t_\t\n1-3\t8-11\tsat\tV\\_B\tPER[3]\tdet\t1-2\t\n"
    )
    second = (
        "1-1\t0-3\tThe\t*\t_\t_\t_\t\n1-2\t4-7\tcat\tNN\t_\t_\t_\t\n1-3\t8-11\tsat\t_\t_\t_\t_\t\n"
    )
    paths = [
        written(tmp_path, f"doc_{who}.tsv", TSV + text)
        for who, text in (("ann", first), ("bob", second), ("curator", second))
    ]
    loaded = load(paths)
    assert loaded.reading.variables == ("POS.PosValue",)
    assert loaded.ratings.raters == ("ann", "bob")
    assert tuple(loaded.ratings.items) == ("doc 1-1", "doc 1-2", "doc 1-3")
    assert frozenset(("NN", "JJ")) in loaded.ratings.categories
    assert frozenset(("V_B",)) in loaded.ratings.categories
    assert loaded.reading.states["asked, no label"] == 2
    assert {"spans_not_read", "gold_left_out"} <= codes(loaded)


def test_webanno_tsv_bad_lines_name_their_place(tmp_path):
    with pytest.raises(InputError, match=r"a\.tsv, line 7: a token must be followed by 4 cells"):
        load(written(tmp_path, "a.tsv", TSV + "1-1\t0-3\tThe\n"))
    with pytest.raises(InputError, match="labels of single tokens"):
        load(written(tmp_path, "a.tsv", TSV + "1-1\t0-3\tThe\t_\t_\t_\t_\t\n"))


# -------------------------------------------------------------------- Potato


def states(folder: Path, **users: str) -> Path:
    for user, text in users.items():
        (folder / "out" / user).mkdir(parents=True)
        written(folder / "out" / user, "user_state.json", text)
    return folder / "out"


def test_potato_options_are_names_and_fields_are_values(tmp_path):
    given = [("tone", "good", "true"), ("menu", "select-one", "blue"), ("depth", "slider", "30"),
             ("many", "a", "true"), ("many", "b", "true"), ("many", "c", "false"),
             ("why", "text_box", "because")]  # fmt: skip
    only = {"t1": [("tone", "bad", "true")]}
    path = states(tmp_path, ann=potato_state("ann", {"t1": given}), bob=potato_state("bob", only))
    loaded = load(path)
    assert set(loaded.groups) == {"tone", "menu", "depth", "many"}
    assert loaded.groups["menu"].categories == ("blue",)
    assert loaded.groups["many"].categories == (frozenset("ab"),)
    assert loaded.reading.states["asked, no label"] == 3  # what bob left out of a task he did
    assert {"free_text_not_read", "perhaps_one_choice"} <= codes(loaded)


def test_potato_states_may_hold_a_dict_as_the_manual_shows(tmp_path):
    state = json.loads(potato_state("ann", {}))
    state["instance_id_to_label_to_value"] = {"t1": {"tone": {"good": "true"}}}
    assert load(states(tmp_path, ann=json.dumps(state))).ratings.categories == ("good",)


def test_potato_several_points_of_one_scale(tmp_path):
    touched = [("agree", "5", "5"), ("agree", "4", "4")]
    state = json.loads(potato_state("ann", {"t1": touched, "t2": touched}))
    state["instance_id_to_behavioral_data"] = {
        "t2": {"annotation_changes": [
            {"schema_name": "agree", "label_name": label, "action": "select", "timestamp": when}
            for when, label in ((1, "5"), (2, "4"), (3, "5"))
        ]}
    }  # fmt: skip
    loaded = load(states(tmp_path, ann=json.dumps(state)), scale="proposed")
    assert loaded.reading.states["excluded"] == {"ambiguous": 1}
    assert loaded.ratings.categories == (5,)
    assert loaded.ratings.scale == "ordinal"
    assert "several_points" in codes(loaded)


def test_potato_checks_among_the_items_are_told(tmp_path):
    state = potato_state("ann", {"attention_1": [("tone", "good", "true")]})
    bob = potato_state("bob", {"t1": [("tone", "bad", "true")]})
    path = states(tmp_path, ann=state, bob=bob)
    assert "control_items" in codes(load(path))
    assert load(path, gold="leave_out_items").ratings.items == ["t1"]


def test_potato_tables_and_lines(tmp_path):
    path = table(
        tmp_path, "annotations.csv", "instance_id,user_id,tone.good,tone.bad,depth.slider,s._spans",
        "t1,ann,true,,10,[]", 't1,bob,,true,20,"[{""start"": 1}]"', "t2,ann,,,30,[]",
    )  # fmt: skip
    loaded = load(path)
    assert labels(loaded.groups["tone"]) == {("t1", "ann"): "good", ("t1", "bob"): "bad"}
    assert loaded.reading.states["asked, no label"] == 1
    assert "spans_not_read" in codes(loaded)
    records = [{"instance_id": "t1", "user_id": who, "labels": {"tone": {"good": True}},
                "spans": {}, "links": {}} for who in ("ann", "bob")]  # fmt: skip
    assert counts(load(json_lines(tmp_path, "a.jsonl", records)).ratings) == (1, 2, 2)


# -------------------------------------------------------------------- Langfuse


def score(trace: str, name: str, value: object, **more: Any) -> dict[str, Any]:
    return {"traceId": trace, "observationId": None, "name": name, "value": value,
            "dataType": "NUMERIC", "source": "API", **more}  # fmt: skip


def test_langfuse_values_by_type(tmp_path):
    records = [
        score("t", "n", 0.5),
        score("t", "c", 1, stringValue="good", dataType="CATEGORICAL"),
        score("t", "b", 1, dataType="BOOLEAN"),
        score("t", "n", None, observationId="o"),
    ]
    loaded = load(json_lines(tmp_path, "scores.jsonl", records))
    assert loaded.groups["n"].categories == (0.5,)
    assert loaded.groups["c"].categories == ("good",)
    assert loaded.groups["b"].categories == (True,)
    assert loaded.reading.states["asked, no label"] == 1
    assert "t/o" in loaded.groups["n"].items
    assert "experimental_format" in codes(loaded)
    wrong = [score("t", "n", "many"), score("t", "n", 1)]
    with pytest.raises(InputError, match=r"line 1: a numeric score must be a number"):
        load(json_lines(tmp_path, "scores.jsonl", wrong))


def test_langfuse_newest_score_and_scores_of_different_names(tmp_path):
    records = [score("t", "human", 1, timestamp="2025-01-02"), score("t", "judge", 0),
               score("t", "human", 0, timestamp="2025-01-01")]  # fmt: skip
    path = written(tmp_path, "page.json", json.dumps({"data": records, "meta": {"page": 1}}))
    loaded = load(path)
    assert {"newest_kept", "one_rater"} <= codes(loaded)
    assert labels(load(path, rater="name").ratings) == {("t", "human"): 1, ("t", "judge"): 0}


def test_langfuse_storage_writes_other_names(tmp_path):
    path = table(
        tmp_path, "scores.csv", "id,trace_id,name,value,data_type,source,author_user_id",
        "1,t1,ok,1,NUMERIC,ANNOTATION,u1", "2,t1,ok,0,NUMERIC,EVAL,",
        "3,t2,ok,1,NUMERIC,ANNOTATION,",
    )  # fmt: skip
    loaded = load(path)
    assert loaded.ratings.raters == ("u1", "EVAL", "ANNOTATION")
    assert "authors_unknown" in codes(loaded)


# -------------------------------------------------------------------- judges' verdicts


def verdict(item: str, judge: str, given: object, **more: Any) -> dict[str, Any]:
    return {"id": item, "judge": judge, "verdict": given, **more}


def test_verdicts_refusals_and_unparsable_answers_are_excluded_and_ties_are_labels(tmp_path):
    records = [
        verdict("q1", "m1", "A"), verdict("q1", "m2", "tie"), verdict("q2", "m1", "refusal"),
        verdict("q2", "m2", "Unparsable"), verdict("q3", "m1", None, raw_response="Well, …"),
        verdict("q3", "m2", None, error="timeout"), verdict("q4", "m1", "A", refused=True),
        verdict("q4", "m2", None),
    ]  # fmt: skip
    loaded = load(json_lines(tmp_path, "v.jsonl", records))
    assert loaded.reading.format == "eval-records"
    assert set(loaded.ratings.categories) == {"A", "tie"}
    assert loaded.reading.states["excluded"] == {"error": 1, "refusal": 2, "unparsable": 2}
    assert loaded.reading.states["asked, no label"] == 1


def test_a_table_of_verdicts_excludes_refusals_like_json_lines(tmp_path):
    lines = ["q1,m1,A", "q1,m2,tie", "q2,m1,B", "q2,m2,refusal", "q3,m1,None", "q3,m2,N/A",
             "q4,m1,unparsable", "q4,m2,"]  # fmt: skip
    path = table(tmp_path, "v.csv", "id,judge,verdict", *lines)
    loaded = load(path)
    assert loaded.reading.format == "eval-records"
    assert loaded.reading.states["excluded"] == {"no verdict": 2, "refusal": 1, "unparsable": 1}
    assert loaded.reading.states["asked, no label"] == 1
    kept = load(path, excluded="keep")
    assert {"refusal", "unparsable", "N/A"} <= set(kept.ratings.categories)


def test_a_source_is_a_judge_where_criteria_are_judged(tmp_path):
    lines = [f"{k},{who},helpful,{k}" for k in range(3) for who in ("human", "gpt")]
    loaded = load(table(tmp_path, "v.csv", "id,source,criterion,score", *lines))
    assert loaded.reading.format == "eval-records"
    assert counts(loaded.ratings) == (3, 2, 6)


def test_none_stays_a_label_where_it_may_be_one(tmp_path):
    records = [verdict("q1", "m1", "None"), verdict("q1", "m2", "Mild"),
               verdict("q2", "m1", "Severe"), verdict("q2", "m2", "Severe")]  # fmt: skip
    loaded = load(json_lines(tmp_path, "v.jsonl", records))
    assert "None" in loaded.ratings.categories
    assert "label_looks_missing" in codes(loaded)


@pytest.mark.parametrize(("most", "told"), [((5, 5), False), ((5, 7), False), ((5, 10), True),
                                            ((1, 5), True), ((10, 100), True)])  # fmt: skip
def test_scales_of_other_lengths_are_told_in_a_plain_table(most, told, tmp_path):
    lines = [f"q{k},m{j},{max(1, top - k)}" for k in range(3) for j, top in enumerate(most)]
    loaded = load(table(tmp_path, "v.csv", "id,judge,score", *lines))
    assert ("scales_differ" in codes(loaded)) is told


def test_a_swapped_verdict_in_a_table_is_a_second_occasion(tmp_path):
    lines = [f"q{k},m{j},{swap},model_a" for k in "12" for j in "12" for swap in ("false", "true")]
    path = table(tmp_path, "v.csv", "id,judge,swapped,winner", *lines)
    loaded = load(path, duplicates="occasions")
    assert loaded.ratings.categories == ("model_a",)
    assert len(loaded.ratings.occasions) == 2
    assert "positions_swapped" in codes(loaded)


def test_verdicts_by_criterion_and_scales_that_differ(tmp_path):
    path = table(
        tmp_path, "v.csv", "id,judge,criterion,score", "q1,m1,style,4", "q1,m2,style,9",
        "q1,m1,facts,1", "q1,m2,facts,1",
    )  # fmt: skip
    loaded = load(path)
    assert set(loaded.groups) == {"style", "facts"}
    (told,) = (note.message for note in loaded.reading.notes if note.code == "scales_differ")
    assert told.startswith("style: 1 of 2 judges")


def test_verdicts_of_a_judge_who_was_asked_twice(tmp_path):
    records = [verdict("q1", "m1", "A"), verdict("q1", "m1", "B", swapped=True)]
    path = json_lines(tmp_path, "v.jsonl", records)
    with pytest.raises(InputError, match='"occasions"'):
        load(path)
    loaded = load(path, duplicates="occasions")
    assert loaded.ratings.occasions is not None
    assert "positions_swapped" in codes(loaded)


def test_a_source_beside_a_coder_is_no_judge(tmp_path):
    path = table(tmp_path, "c.csv", "id,source,coder,label", "1,Times,a,x", "1,Times,b,y")
    assert load(path, shape="long", item="id", rater="coder", label="label").reading.format == (
        "delimited"
    )
    records = [{"id": 1, "source": "Times", "coder": who, "label": "x"} for who in "ab"]
    assert load(json_lines(tmp_path, "c.jsonl", records), rater="coder",
                label="label").reading.format == "json"  # fmt: skip


# -------------------------------------------------------------------- real files


def test_real_label_studio_files():
    one = load(needed.data("data/platforms/labelstudio/export_json_multi.json"))
    assert counts(one.ratings) == (1, 1, 1)
    for name in ("export_json_1.json", "export_json_polygons.json"):
        with pytest.raises(InputError, match="consilience units"):
            load(needed.data(f"data/platforms/labelstudio/{name}"))
    with pytest.raises(InputError, match="name the columns that hold answers"):
        load(needed.data("data/platforms/labelstudio/export_tsv_result.tsv"))


def test_real_label_studio_taxonomy_of_three_annotators():
    path = needed.data("data/units/leoka_label_studio/leoka_team8_subset12.json")
    loaded = load(path)
    assert counts(loaded.ratings) == (12, 3, 23)
    assert loaded.reading.states["excluded"] == {"cancelled": 1}
    assert counts(load(path, gold="rater").ratings) == (12, 4, 34)


def test_real_potato_folder():
    loaded = load(needed.data("data/platforms/potato"))
    assert counts(loaded.groups["sentiment"]) == (6, 2, 12)
    assert counts(loaded.groups["aspects"]) == (6, 2, 8)


def test_real_doccano_examples_have_no_id():
    path = needed.data("data/platforms/doccano/text_classification.jsonl")
    with pytest.raises(InputError, match="every example must be one with id"):
        load(path)
    assert counts(load(path, item="text").ratings) == (3, 1, 3)


def test_real_webanno_files():
    loaded = load(needed.data("data/units/webanno_tsv3"))
    assert counts(loaded.groups["POS.PosValue"]) == (35, 2, 56)
    assert counts(loaded.groups["Lemma.value"]) == (26, 2, 52)
    assert "spans_not_read" in codes(loaded)
