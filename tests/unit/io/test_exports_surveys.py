"""Forms in other languages, Qualtrics, SurveyMonkey and LimeSurvey: respondents in rows."""

from __future__ import annotations

import csv
import json

import pytest

import needed
from consilience.io import load
from consilience.io.exports import recognise
from consilience.io.files.source import Source
from lookalikes import LOOKALIKES, written


def lines(*rows):
    return "".join(",".join(row) + "\n" for row in rows)


def codes(loaded):
    return {note.code for note in loaded.reading.notes}


FORMS = [
    ("Zeitstempel", "E-Mail-Adresse", "05.01.2026 14:00:1{}"),
    ("Horodateur", "Adresse e-mail", "05/01/2026 14:00:1{}"),
    ("Marca temporal", "Dirección de correo electrónico", "5/1/2026 14:00:1{}"),
    ("Informazioni cronologiche", "Indirizzo email", "05/01/2026 14.00.1{}"),
    ("타임스탬프", "이메일 주소", "2026. 1. 5 오후 2:00:1{}"),
    ("タイムスタンプ", "メールアドレス", "2026/01/05 14:00:1{}"),
    ("a word in no list", "another one", "2026/01/05 2:00:1{} PM GMT+1"),
]


@pytest.mark.parametrize(("stamp", "mail", "when"), FORMS)
def test_google_forms_in_any_language_have_raters_in_rows(stamp, mail, when, tmp_path):
    path = written(tmp_path, "form.csv", lines(
        [stamp, mail, "Bild 1", "Bild 2", "Bild 3"],
        [when.format(1), "ann@x.org", "Hund", "Katze", "Katze"],
        [when.format(2), "bob@x.org", "Hund", "Hund", "Katze"],
    ))  # fmt: skip
    loaded = load(path)
    assert loaded.reading.format == "forms"
    assert list(loaded.ratings.items) == ["Bild 1", "Bild 2", "Bild 3"]
    assert list(loaded.ratings.raters) == ["ann@x.org", "bob@x.org"]
    assert loaded.ratings.n_ratings == 6


def test_microsoft_forms_in_german(tmp_path):
    path = written(tmp_path, "form.csv", lines(
        ["ID", "Startzeit", "Fertigstellungszeit", "E-Mail", "Name", "Text 1", "Text 2"],
        ["1", "05.01.26 14:00:11", "05.01.26 14:05:11", "anonymous", "", "ja;nein;", "ja;"],
        ["2", "05.01.26 15:00:11", "05.01.26 15:05:11", "anonymous", "", "ja;", "nein;"],
    ))  # fmt: skip
    loaded = load(path)
    assert loaded.reading.format == "forms"
    assert list(loaded.ratings.raters) == ["1", "2"]
    assert frozenset(("ja", "nein")) in loaded.ratings.categories


def test_a_wide_table_whose_first_column_is_a_time_is_no_form(tmp_path):
    path = written(tmp_path, "frames.csv", lines(
        ["frame time", "Ann", "Bob"], ["2026-01-05 10:00:01", "a", "a"],
        ["2026-01-05 10:00:02", "a", "b"], ["2026-01-05 10:00:03", "b", "b"],
    ))  # fmt: skip
    assert recognise(Source((path,))) is None


# -------------------------------------------------------------------- Qualtrics

ABOUT = ["StartDate", "EndDate", "Status", "Finished", "ResponseId"]


def qualtrics(folder, names, texts, *answers):
    ids = [f'"{{""ImportId"":""x{k}""}}"' for k in range(len(ABOUT) + len(names))]
    rows = [
        ["2026-01-05 10:00:00", "2026-01-05 10:01:00", "0", "1", f"R_{k}", *given]
        for k, given in enumerate(answers, 1)
    ]
    return written(folder, "q.csv", lines([*ABOUT, *names], [*ABOUT, *texts], ids, *rows))


def test_rows_of_a_matrix_are_items_and_their_words_are_kept(tmp_path):
    path = LOOKALIKES["qualtrics"].write(tmp_path)
    loaded = load(path)
    assert loaded.reading.variables == ("Q1",)
    assert list(loaded.ratings.items) == ["Joke A", "Joke B"]
    assert list(loaded.ratings.raters) == ["R_1", "R_2"]
    assert loaded.reading.states["excluded"] == {"not finished": 2, "preview": 2}
    assert load(path, excluded="keep").ratings.n_raters == 4


def test_single_questions_of_qualtrics_are_items(tmp_path):
    path = qualtrics(tmp_path, ["Q1", "Q2", "Q3"], ["Text 1?", "Text 2?", "Your age"],
                     ["good", "bad", "31"], ["good", "good", "47"])  # fmt: skip
    loaded = load(path)
    assert list(loaded.ratings.items) == ["Q1", "Q2"]
    assert "questions_left_out" in codes(loaded)


def test_turns_of_a_loop_are_items(tmp_path):
    path = qualtrics(tmp_path, ["1_Q5", "1_Q6", "2_Q5", "2_Q6"], ["tone", "style"] * 2,
                     ["a", "x", "b", "y"], ["a", "y", "a", "y"])  # fmt: skip
    groups = load(path).groups
    assert list(groups) == ["Q5", "Q6"]
    assert list(groups["Q5"].items) == ["1", "2"]
    assert groups["Q6"].categories == ("x", "y")


def test_boxes_of_qualtrics_in_one_column_and_in_several(tmp_path):
    joined = qualtrics(tmp_path, ["Q1", "Q2"], ["p?", "q?"],
                       ['"a,b"', "a"], ["a", '"b,c"'], ["b", "c"])  # fmt: skip
    assert frozenset("bc") in load(joined).ratings.categories
    texts = ["Tags of clip 1? - sad", "Tags of clip 1? - odd", "Tags of clip 2? - sad",
             "Tags of clip 2? - odd"]  # fmt: skip
    path = qualtrics(tmp_path, ["Q1_1", "Q1_2", "Q2_1", "Q2_2"], texts,
                     ["sad", "odd", "sad", ""], ["sad", "", "", "odd"])  # fmt: skip
    loaded = load(path)
    assert list(loaded.ratings.items) == ["Q1", "Q2"]
    assert frozenset(("sad", "odd")) in loaded.ratings.categories


def test_an_older_qualtrics_file_has_two_lines_of_names(tmp_path):
    path = written(tmp_path, "old.csv", lines(
        ["ResponseID", "StartDate", "EndDate", "Finished", "Q1", "Q2"],
        ["ResponseID", "StartDate", "EndDate", "Finished", "First?", "Second?"],
        ["R_1", "2014-01-05 10:00:00", "2014-01-05 10:00:00", "1", "a", "b"],
        ["R_2", "2014-01-05 10:00:00", "2014-01-05 10:00:00", "1", "a", "a"],
    ))  # fmt: skip
    ratings = load(path).ratings
    assert (ratings.n_items, ratings.n_raters, ratings.categories) == (2, 2, ("a", "b"))


# -------------------------------------------------------------------- SurveyMonkey, LimeSurvey


def test_surveymonkey_joins_the_two_lines_of_names(tmp_path):
    path = LOOKALIKES["surveymonkey"].write(tmp_path)
    ratings = load(path, variable="How funny?").ratings
    assert list(ratings.items) == ["Joke A", "Joke B"]
    assert ratings.categories == ("A bit", "Very")
    chosen = load(path, label="Which kind?").ratings
    assert set(chosen.categories) == {frozenset(("pun",)), frozenset(("pun", "riddle"))}


def test_surveymonkey_names_a_plain_question_by_its_words(tmp_path):
    path = written(tmp_path, "s.csv", lines(
        ["Respondent ID", "Collector ID", "Is text 1 good?", "Is text 2 good?"],
        ["", "", "Response", "Response"], ["1", "7", "yes", "no"], ["2", "7", "yes", "yes"],
    ))  # fmt: skip
    assert list(load(path).ratings.items) == ["Is text 1 good?", "Is text 2 good?"]


def test_limesurvey_excludes_what_was_never_submitted(tmp_path):
    loaded = load(LOOKALIKES["limesurvey"].write(tmp_path))
    assert list(loaded.ratings.items) == ["SQ001", "SQ002"]
    assert loaded.reading.states["excluded"] == {"not finished": 2}


def test_limesurvey_with_words_and_boxes(tmp_path):
    path = written(tmp_path, "r.csv", lines(
        ["id. Response ID", "submitdate. Date submitted", "lastpage. Last page",
         "k1[a]. Kind of text 1 [sad]", "k1[b]. Kind of text 1 [odd]",
         "k2[a]. Kind of text 2 [sad]", "k2[b]. Kind of text 2 [odd]"],
        ["1", "2026-01-05", "3", "Y", "Y", "Y", ""], ["2", "2026-01-05", "3", "Y", "", "", "Y"],
    ))  # fmt: skip
    loaded = load(path)
    assert loaded.ratings.n_items == 2
    assert frozenset(("sad", "odd")) in loaded.ratings.categories


@pytest.mark.parametrize("name", ["qualtrics", "surveymonkey", "limesurvey", "forms"])
def test_a_column_that_does_not_exist_is_named(name, tmp_path):
    path = LOOKALIKES[name].write(tmp_path)
    for option in ("rater", "label"):
        with pytest.raises(ValueError, match="no such"):
            load(path, **{option: "no such"})


def test_every_survey_says_that_it_was_read_by_description(tmp_path):
    for name in ("qualtrics", "surveymonkey", "limesurvey"):
        assert "experimental_format" in codes(load(LOOKALIKES[name].write(tmp_path)))


def test_responses_of_one_person_twice_and_of_nobody(tmp_path):
    path = qualtrics(tmp_path, ["Q1", "Q2"], ["p?", "q?"], ["a", "b"], ["a", "a"])
    text = path.read_text().replace("R_2", "R_1")
    loaded = load(written(tmp_path, "twice.csv", text), rater="ResponseId")
    assert loaded.ratings.n_raters == 1
    assert "newest_kept" in codes(loaded)
    assert json.dumps(loaded.reading.states["excluded"]) == '{"replaced by a newer one": 2}'


# -------------------------------------------------------------------- as workbooks


def as_workbook(path):
    """Save delimited text as the first sheet of a workbook, cell by cell."""
    openpyxl = needed.package("openpyxl")
    book = openpyxl.Workbook()
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.reader(stream):
            book.active.append([cell or None for cell in row])
    target = path.with_suffix(".xlsx")
    book.save(target)
    return target


@pytest.mark.parametrize("name", ["qualtrics", "surveymonkey", "limesurvey", "forms"])
def test_workbooks_of_survey_services_give_what_their_text_gives(name, tmp_path):
    text = LOOKALIKES[name].write(tmp_path)
    expected, found = load(text), load(as_workbook(text))
    assert found.reading.format == expected.reading.format == name
    assert found.groups.keys() == expected.groups.keys()
    for group, ratings in expected.groups.items():
        assert found.groups[group].items == ratings.items
        assert found.groups[group].raters == ratings.raters
        assert found.groups[group].categories == ratings.categories
        assert found.groups[group].n_ratings == ratings.n_ratings


def test_an_ordinary_workbook_that_speaks_of_responses_is_no_survey(tmp_path):
    path = written(tmp_path, "codes.csv", lines(
        ["item", "Ann", "Bob"], ["ResponseId", "Collector", "submitdate"], ["2", "a", "b"],
    ))  # fmt: skip
    assert recognise(Source((as_workbook(path),))) is None
