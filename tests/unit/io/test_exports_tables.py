"""Tables of crowd platforms, forms, REDCap and statistics packages: each trap is a test."""

from __future__ import annotations

import json
import sys
import zipfile

import openpyxl
import pytest

import consilience as cs
import needed
from consilience.exceptions import InputError, MissingDependencyError
from consilience.io import load
from consilience.io.exports import recognise
from consilience.io.files import child as _child
from consilience.io.files.source import Source
from consilience.io.grids import _spss_stata as spss_stata
from patience import PATIENCE

SHARED = needed.SHARED / "data" / "platforms"
needs_shared = needed.needs_data(SHARED)
needs_pyreadstat = needed.needs_package("pyreadstat")


def table(tmp_path, columns, *rows, name="export.csv", sign=","):
    """Write delimited text; cells with the sign, a quotation mark or a line end are quoted."""

    def cell(value):
        text = str(value)
        if any(odd in text for odd in (sign, '"', "\n")):
            return '"' + text.replace('"', '""') + '"'
        return text

    path = tmp_path / name
    path.write_text(
        "".join(sign.join(map(cell, row)) + "\n" for row in (columns, *rows)), encoding="utf-8"
    )
    return path


def codes(loaded):
    return {note.code for ratings in loaded.groups.values() for note in ratings.notes}


def by_cell(ratings):
    """(item, rater) to label."""
    frame = ratings.to_frame("pandas")
    return {
        (str(item), str(rater)): frozenset(label) if isinstance(label, list) else label
        for item, rater, label in zip(frame["item"], frame["rater"], frame["label"], strict=True)
    }


# -------------------------------------------------------------------- Mechanical Turk


@needs_shared
@pytest.mark.parametrize(
    ("number", "items", "raters", "ratings"), [(1, 9, 18, 27), (2, 7, 17, 63), (3, 5, 18, 30)]
)
def test_real_mturk_results(number, items, raters, ratings):
    loaded = load(SHARED / "mturk" / f"platform_amt{number}.csv")
    found = loaded.ratings
    assert loaded.reading.format == "mturk"
    assert (found.n_items, found.n_raters, found.n_ratings) == (items, raters, ratings)
    assert found.categories == ("A", "B", "C", "D", "E")


HIT = ["HITId", "WorkerId", "AssignmentStatus"]


def test_rejected_assignments_are_excluded_whatever_says_so(tmp_path):
    columns = [*HIT, "RejectionTime", "Reject", "Answer.x"]
    rows = [
        ["h", "w1", "Approved", "Mon", "", "a"],  # the rejection was taken back
        ["h", "w2", "Rejected", "Mon", "", "a"],
        ["h", "w3", "", "Mon", "", "a"],
        ["h", "w4", "Submitted", "", "too fast", "a"],
        ["h", "w5", "Submitted", "", "", "b"],
    ]
    path = table(tmp_path, columns, *rows)
    loaded = load(path)
    assert loaded.ratings.n_ratings == 2
    assert loaded.reading.states["excluded"] == {"rejected": 3}
    assert load(path, excluded="keep").ratings.n_ratings == 5


def test_each_question_is_a_variable(tmp_path):
    path = table(
        tmp_path, [*HIT, "Answer.tone", "Answer.topic"],
        ["h", "w1", "Approved", "good", "x"], ["h", "w2", "Approved", "bad", ""],
    )  # fmt: skip
    loaded = load(path)
    assert list(loaded.groups) == ["tone", "topic"]
    assert loaded.groups["topic"].n_ratings == 1
    assert loaded.reading.states["asked, no label"] == 1


def task(tmp_path, *forms):
    rows = [["h", f"w{k}", "Approved", json.dumps([form])] for k, form in enumerate(forms)]
    return table(tmp_path, [*HIT, "Answer.taskAnswers"], *rows)


def test_answers_of_crowd_forms_are_taken_apart(tmp_path):
    path = task(
        tmp_path,
        {"category": {"label": "A"}, "q1": {"yes": True, "no": False}, "note": "n", "sure": 4},
        {"category": {"label": "B"}, "q1": {"yes": False, "no": True}, "note": "", "sure": 2},
        {"category": {"label": "A"}, "q1": {"yes": False, "no": False}, "note": "m"},
    )
    loaded = load(path)
    assert list(loaded.groups) == ["category", "q1", "note", "sure"]
    assert by_cell(loaded.groups["q1"]) == {("h", "w0"): "yes", ("h", "w1"): "no"}
    assert loaded.groups["sure"].categories == (2, 4)
    assert loaded.reading.states["asked, no label"] == 3


def test_boxes_of_crowd_forms_are_sets_where_two_were_ticked(tmp_path):
    path = task(
        tmp_path,
        {"q": {"a": True, "b": True}, "ok": {"on": True}, "m": {"labels": ["x", "y"]}},
        {"q": {"a": False, "b": False}, "ok": {"on": False}, "m": {"labels": ["x"]}},
    )
    groups = load(path).groups
    assert set(groups["q"].categories) == {frozenset(), frozenset("ab")}
    assert groups["ok"].categories == (False, True)
    assert set(groups["m"].categories) == {frozenset("x"), frozenset("xy")}


def test_boxes_of_crowd_forms_are_no_ratings(tmp_path):
    box = {"boundingBoxes": [{"left": 1}]}
    path = task(tmp_path, {"marks": box, "tone": "a"}, {"marks": box, "tone": "a"})
    loaded = load(path)
    assert loaded.reading.variables == ("tone",)
    assert "units_not_read" in codes(loaded)


def test_columns_of_options_are_joined(tmp_path):
    columns = [*HIT, "Answer.q1.yes", "Answer.q1.no", "Answer.ok.on", "Answer.topic.1"]
    path = table(
        tmp_path, columns,
        ["h", "w1", "Approved", "true", "false", "true", "1"],
        ["h", "w2", "Approved", "FALSE", "TRUE", "false", "2"],
        ["h", "w3", "Approved", "", "", "", "0"],
    )  # fmt: skip
    groups = load(path).groups
    assert by_cell(groups["q1"]) == {("h", "w1"): "yes", ("h", "w2"): "no"}
    assert groups["ok"].categories == (False, True)
    assert groups["topic.1"].categories == (0, 1, 2)


def test_a_box_that_never_says_no_is_empty_where_it_was_not_ticked(tmp_path):
    path = table(tmp_path, [*HIT, "Answer.x.on"], ["h", "w1", "Approved", "on"],
                 ["h", "w2", "Approved", ""])  # fmt: skip
    assert by_cell(load(path).ratings) == {("h", "w1"): True, ("h", "w2"): False}


def test_choices_joined_with_a_bar(tmp_path):
    rows = [
        ["h", f"w{k}", "Approved", cell] for k, cell in enumerate(("a|b", "a", "b", "c|a", "c"))
    ]
    loaded = load(table(tmp_path, [*HIT, "Answer.x"], *rows))
    assert frozenset("ab") in loaded.ratings.categories
    assert "joined_choices" in codes(loaded)


def test_an_input_column_may_name_the_item(tmp_path):
    columns = [*HIT, "Input.url", "Answer.x"]
    rows = [["h1", "w1", "", "u", "a"], ["h2", "w2", "", "u", "a"], ["h3", "w1", "", "v", "b"],
            ["h3", "w2", "", "v", "b"]]  # fmt: skip
    path = table(tmp_path, columns, *rows)
    assert load(path).ratings.n_items == 3
    assert "items_in_several_hits" in codes(load(path))
    for name in ("Input.url", "url"):
        assert load(path, item=name).ratings.n_items == 2
    with pytest.raises(InputError, match=r"Input\.url"):
        load(path, item="Input.uri")
    again = table(tmp_path, columns, *rows, ["h2", "w1", "", "u", "b"], name="again.csv")
    with pytest.raises(InputError, match="twice"):
        load(again, item="url")


def test_inputs_name_the_items_where_each_hit_was_done_once(tmp_path):
    columns = [*HIT, "Input.text", "Input.item_id", "Answer.x"]
    rows = [[f"h{k}", f"w{k % 2}", "", f"text {k // 2}", k // 2, "a"] for k in range(6)]
    loaded = load(table(tmp_path, columns, *rows))
    assert (loaded.ratings.n_items, loaded.ratings.n_raters) == (3, 2)
    assert any("the item is Input.item_id" in words for words in loaded.reading.evidence)
    by_hit = load(tmp_path / "export.csv", item="HITId")
    assert by_hit.ratings.n_items == 6


def test_a_label_of_a_crowd_form_is_called_alike_in_a_column_and_in_json(tmp_path):
    path = table(tmp_path, [*HIT, "Answer.tone.label"], ["h", "w1", "", "a"], ["h", "w2", "", "b"])
    (variable,) = cs.read_groups(path)
    assert variable == "tone"
    for name in ("tone", "tone.label", "Answer.tone.label"):
        assert load(path, label=name).ratings.n_ratings == 2


def test_several_items_in_a_hit(tmp_path):
    columns = [*HIT, "Input.text1", "Input.text2", "Answer.tone1", "Answer.tone_2"]
    rows = [["h1", "w1", "", "t", "u", "a", "b"], ["h2", "w2", "", "u", "", "b", "c"]]
    path = table(tmp_path, columns, *rows)
    assert "several_items_in_a_hit" in codes(load(path))
    loaded = load(path, item="Input.text*")
    assert loaded.reading.variables == ("tone",)
    assert by_cell(loaded.ratings) == {
        ("t", "w1"): "a", ("u", "w1"): "b", ("u", "w2"): "b"
    }  # fmt: skip


@pytest.mark.parametrize("cell", ["{", "[1]", '["x"]', "[" * 300, '[{"a": 1}, {"a": 2}]'])
def test_broken_task_answers_are_refused(tmp_path, cell):
    path = table(tmp_path, [*HIT, "Answer.taskAnswers"], ["h", "w", "", cell])
    with pytest.raises(InputError, match="line 2"):
        load(path)


# -------------------------------------------------------------------- Toloka

TOLOKA = ["INPUT:image", "OUTPUT:kind", "OUTPUT:sure", "GOLDEN:kind", "ASSIGNMENT:task_id",
          "ASSIGNMENT:worker_id", "ASSIGNMENT:status"]  # fmt: skip
TASKS = [
    ["1.png", "cat", "yes", "", "t1", "w1", "APPROVED"],
    ["2.png", "dog", "no", "dog", "t2", "w1", "APPROVED"],
    ["1.png", "dog", "", "", "t1", "w2", "SUBMITTED"],
    ["2.png", "dog", "yes", "dog", "t2", "w2", "REJECTED"],
    ["1.png", "", "", "", "t1", "w3", "SKIPPED"],
    ["1.png", "", "", "", "t1", "w4", "EXPIRED"],
]


def toloka(tmp_path, *rows, columns=TOLOKA, name="assignments.tsv"):
    return table(tmp_path, columns, *rows, name=name, sign="\t")


def test_toloka_states(tmp_path):
    loaded = load(toloka(tmp_path, *TASKS))
    assert list(loaded.groups) == ["kind", "sure"]
    assert loaded.groups["kind"].n_ratings == 3
    assert loaded.reading.states["excluded"] == {"expired": 2, "rejected": 2, "skipped": 2}
    assert {"experimental_format", "control_items"} <= codes(loaded)


def test_toloka_blank_lines_part_assignments(tmp_path):
    path = toloka(tmp_path, *TASKS[:2], [""], ["", "", "", "", "", "", ""], TASKS[2])
    assert load(path).groups["kind"].n_ratings == 3


def test_toloka_control_items_are_left_out_on_request(tmp_path):
    path = toloka(tmp_path, *TASKS)
    without = load(path, variable="kind", gold="leave_out_items")
    assert list(without.ratings.items) == ["t1"]
    assert "2 items" not in str(without.reading.notes)
    beside = load(path, variable="kind", gold="rater").ratings
    assert by_cell(beside)["t2", "gold"] == "dog"


def test_toloka_items_by_what_was_shown(tmp_path):
    assert "1.png" in load(toloka(tmp_path, *TASKS), item="image").groups["kind"].items
    columns = [name for name in TOLOKA if name != "ASSIGNMENT:task_id"]
    rows = [[cell for k, cell in enumerate(row) if k != 4] for row in TASKS]
    found = load(toloka(tmp_path, *rows, columns=columns, name="b.tsv")).groups["kind"]
    assert list(found.items) == ["1.png", "2.png"]


def test_toloka_times_tell_what_no_status_tells(tmp_path):
    columns = ["OUTPUT:x", "ASSIGNMENT:task_id", "ASSIGNMENT:worker_id", "ASSIGNMENT:rejected"]
    path = toloka(tmp_path, ["a", "t", "w1", ""], ["b", "t", "w2", "2024-01-01"], columns=columns)
    assert load(path).ratings.n_ratings == 1


# -------------------------------------------------------------------- CrowdFlower


@needs_shared
def test_a_real_crowdflower_report():
    loaded = load(SHARED / "crowdflower" / "relex-binary-choice.csv")
    found = loaded.ratings
    assert loaded.reading.format == "crowdflower"
    assert (found.n_items, found.n_raters, found.n_ratings) == (10, 67, 150)
    assert found.categories == ("FALSE", "TRUE")
    assert "personal_data" in codes(loaded)


UNIT = ["_unit_id", "_golden", "_tainted", "_worker_id", "text"]


def test_crowdflower_tests_and_tainted_judgments(tmp_path):
    path = table(
        tmp_path, [*UNIT, "tone", "tone_gold"],
        [1, "false", "false", "w1", "t", "good", ""], [1, "false", "false", "w2", "t", "bad", ""],
        [1, "false", "true", "w3", "t", "bad", ""], [2, "true", "false", "w1", "u", "good", "good"],
        [2, "true", "false", "w2", "u", "good", "good"],
        [3, "true", "false", "w2", "u", "good", "good\nbad"],
    )  # fmt: skip
    loaded = load(path)
    assert loaded.reading.variables == ("tone",)
    assert loaded.ratings.n_ratings == 5
    assert loaded.reading.states["excluded"] == {"tainted": 1}
    assert list(load(path, gold="leave_out_items").ratings.items) == ["1"]
    assert by_cell(load(path, gold="rater").ratings)["2", "gold"] == "good"


def test_crowdflower_several_choices(tmp_path):
    cells = ["a\nb", "a", "b", "b\nc", "c"]
    rows = [[1, "false", "false", f"w{k}", "t", cell] for k, cell in enumerate(cells)]
    assert frozenset("ab") in load(table(tmp_path, [*UNIT, "x"], *rows)).ratings.categories


def test_crowdflower_full_agreement_needs_the_name_of_the_question(tmp_path):
    rows = [[1, "false", "false", "w1", "t", "a"], [1, "false", "false", "w2", "t", "a"]]
    path = table(tmp_path, [*UNIT, "x"], *rows)
    with pytest.raises(InputError, match='label="x"'):
        load(path)
    assert load(path, label="x").ratings.n_ratings == 2


def test_the_report_without_workers_is_refused(tmp_path):
    path = table(
        tmp_path, ["_unit_id", "_trusted_judgments", "x", "x:confidence"], [1, 5, "a", 0.8]
    )
    with pytest.raises(InputError, match="download the full report"):
        load(path)


# -------------------------------------------------------------------- forms


def google(tmp_path, questions, *answers, before=("Timestamp",), name="form.csv"):
    rows = [[f"2024/03/05 10:12:{k:02} AM GMT+1", *answer] for k, answer in enumerate(answers)]
    return table(tmp_path, [*before, *questions], *rows, name=name)


def test_google_forms_have_raters_in_rows(tmp_path):
    loaded = load(google(tmp_path, ["Joke 1", "Joke 2"], ["5", "1"], ["4", ""], ["5", "2"]))
    assert loaded.reading.format == "forms"
    assert list(loaded.ratings.items) == ["Joke 1", "Joke 2"]
    assert list(loaded.ratings.raters) == ["respondent 1", "respondent 2", "respondent 3"]
    assert loaded.reading.states["asked, no label"] == 1
    assert {"scale_proposed", "experimental_format"} <= codes(loaded)
    proposed = load(tmp_path / "form.csv", scale="proposed")
    assert proposed.ratings.scale == "ordinal"


def test_google_forms_name_raters_by_mail_without_telling(tmp_path):
    path = google(
        tmp_path, ["Joke 1", "Joke 2"], ["ann@example.org", "a", "b"],
        ["bob@example.org", "a", "a"], ["ann@example.org", "b", "b"],
        before=("Timestamp", "Email Address"),
    )  # fmt: skip
    loaded = load(path)
    assert by_cell(loaded.ratings)["Joke 1", "ann@example.org"] == "b"
    assert loaded.reading.states["excluded"] == {"replaced by a newer one": 2}
    assert "raters_named_by_mail" in codes(loaded)
    assert "@" not in str(loaded.reading) + str(loaded.reading.notes)


def test_grids_hold_items_in_their_rows(tmp_path):
    questions = ["Tone [Text 1]", "Tone [Text 2]", "Style [Text 1]", "Style [Text 2]"]
    path = google(tmp_path, questions, ["good", "bad", "1", "2"], ["good", "good", "1", "1"])
    groups = load(path).groups
    assert list(groups) == ["Tone", "Style"]
    assert list(groups["Tone"].items) == ["Text 1", "Text 2"]
    turned = load(path, item="question").groups
    assert list(turned) == ["Text 1", "Text 2"]
    with pytest.raises(InputError, match="'row' or 'question'"):
        load(path, item="Tone")


def test_boxes_of_google_forms(tmp_path):
    path = google(tmp_path, ["P", "Q"], ["a, b", "a"], ["a", "b, c"], ["b", "c"])
    loaded = load(path)
    assert frozenset("bc") in loaded.ratings.categories
    assert "joined_choices" in codes(loaded)


def test_commas_inside_options_are_not_cut(tmp_path):
    yes, no = "Yes, definitely", "No, never"
    loaded = load(google(tmp_path, ["P", "Q"], [yes, no], [no, no], [yes, yes]))
    assert loaded.ratings.categories == (no, yes)
    assert "commas_in_answers" in codes(loaded)


def test_unlike_questions_are_left_out_and_can_be_named(tmp_path):
    questions = ["How old are you?", "Joke 1", "Joke 2", "Remarks"]
    path = google(tmp_path, questions, ["31", "y", "n", "fine"], ["47", "n", "n", "no remarks"])
    loaded = load(path)
    assert list(loaded.ratings.items) == ["Joke 1", "Joke 2"]
    assert "questions_left_out" in codes(loaded)
    assert list(load(path, label="Joke 2").ratings.items) == ["Joke 2"]


def test_google_forms_come_in_an_archive(tmp_path):
    inside = google(tmp_path, ["P", "Q"], ["a", "b"], ["a", "a"])
    path = tmp_path / "form.csv.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.write(inside, "form.csv")
    assert load(path).ratings.n_ratings == 4


def test_microsoft_forms_are_workbooks(tmp_path):
    book = openpyxl.Workbook()
    about = ["ID", "Start time", "Completion time", "Email", "Name"]
    book.active.append([*about, "Text 1", "Text 2", "Points - Text 1"])
    for k, answers in enumerate((("a;b;", "a;"), ("a;", "b;")), 1):
        book.active.append(
            [k, "3/5/24 10:12:33", "3/5/24 10:13:33", "anonymous", None, *answers, 0]
        )
    path = tmp_path / "form.xlsx"
    book.save(path)
    loaded = load(path)
    assert loaded.reading.format == "forms"
    assert list(loaded.ratings.raters) == ["1", "2"]
    assert by_cell(loaded.ratings)["Text 1", "1"] == frozenset("ab")
    assert loaded.ratings.n_items == 2


def test_long_tables_with_a_timestamp_are_no_forms(tmp_path):
    rows = [["2024-03-05 10:12:33", i, r, "x"] for i in "12" for r in "AB"]
    path = table(tmp_path, ["Timestamp", "item", "rater", "label"], *rows)
    assert load(path).reading.format == "delimited"
    other = table(tmp_path, ["timestamp", "q1", "q2"], *(row[:3] for row in rows), name="b.csv")
    assert recognise(Source((other,))) is None


# -------------------------------------------------------------------- REDCap


def test_records_entered_twice(tmp_path):
    path = table(
        tmp_path, ["record_id", "grade", "form_complete"],
        ["1--1", "a", 2], ["1--2", "b", 2], ["2--1", "a", 2], ["2--2", "a", 2], ["1", "b", 2],
    )  # fmt: skip
    loaded = load(path)
    assert loaded.reading.variables == ("grade",)
    assert list(loaded.ratings.raters) == ["1", "2"]
    assert list(loaded.ratings.items) == ["1", "2"]
    assert "gold_left_out" in codes(loaded)
    assert by_cell(load(path, gold="rater").ratings)["1", "merged"] == "b"


@pytest.mark.parametrize(("yes", "no"), [("1", "0"), ("Checked", "Unchecked")])
def test_boxes_of_redcap_are_sets(tmp_path, yes, no):
    columns = ["record_id", "redcap_event_name", "signs___1", "signs___2", "grade"]
    path = table(
        tmp_path, columns, ["1--1", "v1", yes, no, "a"], ["1--2", "v1", yes, yes, "a"],
        ["2--1", "v1", no, no, "b"], ["2--2", "v1", no, no, ""],
    )  # fmt: skip
    found = load(path).groups["signs"]
    assert by_cell(found) == {
        ("1 | v1", "1"): frozenset("1"), ("1 | v1", "2"): frozenset("12"),
        ("2 | v1", "1"): frozenset(),
    }  # fmt: skip


def test_labels_and_raw_codes_are_two_exports(tmp_path):
    columns = ["record_id", "redcap_event_name", "signs___1"]
    path = table(tmp_path, columns, ["1--1", "v1", "1"], ["1--2", "v1", "Checked"])
    with pytest.raises(InputError, match="raw codes"):
        load(path)


def test_an_export_of_labels_is_read(tmp_path):
    columns = ["Record ID", "Event Name", "Signs seen (choice=cough)", "Signs seen (choice=fever)",
               "Grade", "Complete?"]  # fmt: skip
    path = table(
        tmp_path, columns, ["1--1", "Visit", "Checked", "Unchecked", "high", "Complete"],
        ["1--2", "Visit", "Checked", "Checked", "low", "Complete"],
    )  # fmt: skip
    groups = load(path).groups
    assert list(groups) == ["Signs seen", "Grade"]
    assert by_cell(groups["Signs seen"])["1 | Visit", "2"] == frozenset(("cough", "fever"))


def test_events_and_repeated_forms_make_items_of_their_own(tmp_path):
    columns = ["record_id", "redcap_event_name", "redcap_repeat_instrument",
               "redcap_repeat_instance", "rater", "grade"]  # fmt: skip
    rows = [[f"r{k}", event, "scoring", instance, who, "a"]
            for k in (1, 2) for event in ("e1", "e2") for instance in (1, 2)
            for who in ("ann", "bob")]  # fmt: skip
    loaded = load(table(tmp_path, columns, *rows))
    assert (loaded.ratings.n_items, loaded.ratings.n_raters) == (8, 2)
    again = load(tmp_path / "export.csv", rater="redcap_repeat_instance", duplicates="first")
    assert list(again.groups["grade"].raters) == ["1", "2"]


def test_fields_of_another_form_were_not_asked(tmp_path):
    columns = ["record_id", "redcap_repeat_instrument", "redcap_repeat_instance", "age", "grade"]
    rows = [[f"1--{who}", form, instance, age, grade]
            for who in (1, 2)
            for form, instance, age, grade in (("", "", 30, ""), ("scoring", 1, "", "a"),
                                               ("scoring", 2, "", ""))]  # fmt: skip
    loaded = load(table(tmp_path, columns, *rows))
    assert loaded.groups["age"].n_items == 1
    assert loaded.reading.states["asked, no label"] == 2


def test_repeats_of_a_form_by_one_rater_each_are_no_items(tmp_path):
    columns = ["record_id", "redcap_repeat_instrument", "redcap_repeat_instance", "age", "rater",
               "grade"]  # fmt: skip
    rows = []
    for record in (1, 2, 3):
        rows.append([record, "", "", 40, "", ""])
        rows += [[record, "reading", k, "", who, "a"] for k, who in enumerate(("A", "B"), 1)]
    loaded = load(table(tmp_path, columns, *rows))
    assert (loaded.ratings.n_items, loaded.ratings.n_raters) == (3, 2)
    again = [*rows, [1, "reading", 3, "", "A", "b"]]  # now repeats tell items apart
    assert load(table(tmp_path, columns, *again)).ratings.n_items == 7


def test_the_number_of_a_repeat_may_be_the_rater(tmp_path):
    columns = ["record_id", "redcap_repeat_instrument", "redcap_repeat_instance", "age", "grade"]
    rows = [[1, "", "", 40, ""], [1, "reading", 1, "", "a"], [1, "reading", 2, "", "b"]]
    path = table(tmp_path, columns, *rows)
    loaded = load(path, rater="redcap_repeat_instance")
    assert (loaded.ratings.n_items, loaded.ratings.n_raters, loaded.ratings.n_ratings) == (1, 2, 2)


def test_redcap_without_raters_asks_for_them(tmp_path):
    path = table(tmp_path, ["record_id", "redcap_event_name", "grade"], [1, "r1_arm_1", "a"],
                 [1, "r2_arm_1", "b"])  # fmt: skip
    with pytest.raises(InputError, match=r"perhaps .redcap_event_name. if each rater has one"):
        load(path)
    assert load(path, rater="redcap_event_name").ratings.n_items == 1


# -------------------------------------------------------------------- SPSS and Stata


def frame(**columns):
    import pandas as pd

    return pd.DataFrame(columns)


def sav(tmp_path, data, **options):
    import pyreadstat

    path = tmp_path / "codes.sav"
    pyreadstat.write_sav(data, str(path), **options)
    return path


GRADES = {
    "r1": {1: "mild", 2: "severe", 99: "refused"},
    "r2": {1: "mild", 2: "severe", 99: "refused"},
}


@needs_pyreadstat
def test_spss_missing_codes_and_labels(tmp_path):
    data = frame(item=["a", "b ", "c"], r1=[1.0, 2.0, 99.0], r2=[1.0, None, 2.0])
    path = sav(
        tmp_path, data, variable_value_labels=GRADES, missing_ranges={"r1": [99], "r2": [99]}
    )
    loaded = load(path, item="item", rater=["r1", "r2"])
    assert loaded.reading.format == "spss"
    assert loaded.ratings.categories == ("mild", "severe")
    assert loaded.ratings.n_ratings == 4
    assert list(loaded.ratings.items) == ["a", "b", "c"]
    assert "99 ('refused') is declared missing in 'r1': 1 cases" in loaded.reading.evidence


@needs_pyreadstat
def test_labels_of_a_statistics_package_are_ordered_by_their_codes(tmp_path):
    words = {1: "red", 2: "green", 3: "blue", 99: "refused"}
    data = frame(item=["a", "b", "c"], r1=[1.0, 2.0, 3.0], r2=[1.0, 3.0, 99.0])
    path = sav(tmp_path, data, variable_value_labels={"r1": words, "r2": words},
               missing_ranges={"r1": [99], "r2": [99]})  # fmt: skip
    options = {"item": "item", "rater": ["r1", "r2"]}
    assert load(path, **options).ratings.categories == ("blue", "green", "red")
    ordinal = load(path, scale="ordinal", **options).ratings
    assert ordinal.categories == ("red", "green", "blue")
    assert ordinal.n_ratings == 5


@needs_pyreadstat
@pytest.mark.parametrize("words", [("low", "middle", "high"), ("high", "low", "middle")])
def test_codes_of_a_statistics_package_go_before_the_order_of_words(tmp_path, words):
    named = dict(enumerate(words, 1))
    data = frame(item=["a", "b", "c"], r1=[1.0, 2.0, 3.0], r2=[1.0, 3.0, 3.0])
    path = sav(tmp_path, data, variable_value_labels={"r1": named, "r2": named})
    ordinal = load(path, scale="ordinal", item="item", rater=["r1", "r2"]).ratings
    assert ordinal.categories == words
    assert ordinal.categories_declared


@needs_pyreadstat
def test_spss_level_of_measurement_is_proposed_and_keeps_the_codes(tmp_path):
    data = frame(item=["a", "b", "c"], r1=[1.0, 2.0, 2.0], r2=[1.0, 1.0, 2.0])
    path = sav(tmp_path, data, variable_value_labels=GRADES,
               variable_measure={"r1": "ordinal", "r2": "ordinal"})  # fmt: skip
    options = {"item": "item", "rater": ["r1", "r2"]}
    loaded = load(path, **options)
    assert loaded.ratings.categories == (1, 2)
    assert "the file calls 'r1', 'r2' ordinal (--scale proposed)" in loaded.reading.evidence
    assert load(path, scale="proposed", **options).ratings.scale == "ordinal"
    assert load(path, scale="interval", **options).ratings.scale == "interval"


@needs_pyreadstat
@pytest.mark.parametrize(
    "labels",
    [{"r1": {1: "low"}, "r2": {1: "low"}}, {"r1": {1: "low", 2: "high"}},
     {"r1": {1: "x", 2: "x"}, "r2": {1: "x", 2: "x"}}],
)  # fmt: skip
def test_raters_speak_one_language(tmp_path, labels):
    values = [1.0, 2.0]
    path = sav(tmp_path, frame(item=["a", "b"], r1=values, r2=values), variable_value_labels=labels)
    assert load(path, item="item", rater=["r1", "r2"]).ratings.categories == (1, 2)


@needs_pyreadstat
def test_spss_ranges_and_text_codes_are_missing(tmp_path):
    data = frame(item=["a", "b", "c"], r1=[1.0, 8.0, 2.0], r2=["x", "NA", "y"])
    path = sav(tmp_path, data, missing_ranges={"r1": [{"lo": 7, "hi": 9}], "r2": ["NA"]})
    loaded = load(path, item="item", rater=["r1", "r2"])
    assert loaded.ratings.n_ratings == 4


@needs_pyreadstat
def test_stata_extended_missing_values(tmp_path):
    import pyreadstat

    path = tmp_path / "codes.dta"
    data = frame(item=["a ", "b", "c"], r1=[1.0, 2.0, 1.0], r2=[1.0, "a", "b"])
    pyreadstat.write_dta(data, str(path), missing_user_values={"r2": ["a", "b"]})
    loaded = load(path, item="item", rater=["r1", "r2"])
    assert loaded.reading.format == "stata"
    assert (loaded.ratings.n_ratings, loaded.ratings.categories) == (4, (1, 2))
    assert ".a is declared missing in 'r2': 1 cases" in loaded.reading.evidence


@needs_pyreadstat
@pytest.mark.parametrize("cut", [4, 100, 400])
def test_a_cut_spss_file_is_refused(tmp_path, cut):
    path = sav(tmp_path, frame(item=["a", "b"], r1=[1.0, 2.0], r2=[1.0, 2.0]))
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(InputError, match="complete SPSS file"):
        load(path)


def test_spss_without_pyreadstat_tells_the_command(tmp_path, monkeypatch):
    path = tmp_path / "codes.sav"
    path.write_bytes(b"$FL2@(#) SPSS DATA FILE" + b" " * 200)
    monkeypatch.setitem(sys.modules, "pyreadstat", None)
    with pytest.raises(MissingDependencyError, match=r"pip install 'consilience\[stats\]'"):
        load(path)


@needs_pyreadstat
def test_a_file_that_ends_the_reading_process_is_refused(tmp_path, monkeypatch):
    path = sav(tmp_path, frame(item=["a", "b"], r1=[1.0, 2.0], r2=[1.0, 2.0]))
    options = {"item": "item", "rater": ["r1", "r2"]}
    assert load(path, **options).ratings.n_ratings == 4
    child = tmp_path / "child.py"
    child.write_text("import os\nos.abort()\n")
    monkeypatch.setattr(spss_stata.READER, "_child", child)
    spss_stata.READER.close()
    with pytest.raises(InputError, match="cannot be read to its end"):
        load(path, **options)
    monkeypatch.undo()
    assert load(path, **options).ratings.n_ratings == 4


@needs_pyreadstat
def test_a_file_that_takes_too_long_is_refused(tmp_path, monkeypatch):
    path = sav(tmp_path, frame(item=["a", "b"], r1=[1.0, 2.0], r2=[1.0, 2.0]))
    child = tmp_path / "child.py"
    child.write_text(f"import time\ntime.sleep({PATIENCE})\n")
    monkeypatch.setattr(spss_stata.READER, "_child", child)
    monkeypatch.setattr(_child, "SECONDS", 0.2)
    spss_stata.READER.close()
    with pytest.raises(InputError, match="cannot be read to its end"):
        load(path)


@needs_pyreadstat
@pytest.mark.parametrize("columns", [{"r1": [1.0, 2.0]}, {"item": [], "r1": []}])
def test_an_spss_file_without_ratings_is_refused(tmp_path, columns):
    with pytest.raises(InputError, match=r"codes\.sav: "):
        load(sav(tmp_path, frame(**columns)))


def test_what_only_ends_like_a_stata_file_is_refused(tmp_path):
    path = tmp_path / "codes.dta"
    path.write_text("item,rater,label\n1,A,x\n")
    with pytest.raises(InputError, match=r"Stata \(\.dta\), as its name says"):
        cs.read(path)
