"""Files as people make them, and whether what they are told is true and can be typed."""

from __future__ import annotations

import csv
import json

import numpy as np
import openpyxl
import pytest
from click.testing import CliRunner

import consilience as cs
from consilience.cli.program import cli, run
from consilience.cli.words import in_options
from consilience.exceptions import InputError, Option, Words
from consilience.io import load

VARIABLES = ("Topic", "Tone", "Frame", "Length")
CODERS = ("Anna", "Ben", "Clara")


@pytest.fixture
def workbook(tmp_path):
    """Variables above coders, and a total below some of the variables only."""
    rng = np.random.default_rng(7)
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(["Article", *[name for name in VARIABLES for _ in CODERS]])
    sheet.append([None, *CODERS * len(VARIABLES)])
    codes = rng.integers(0, 2, (30, 1, len(VARIABLES))).repeat(len(CODERS), axis=1)
    codes = np.where(rng.random(codes.shape) < 0.1, 1 - codes, codes)
    for k, row in enumerate(codes.transpose(0, 2, 1).reshape(30, -1).tolist()):
        topics = ["politics" if code else "sports" for code in row[:3]]
        sheet.append([f"A{k + 1}", *topics, *row[3:]])
    total = codes.sum(axis=0).T.reshape(-1).tolist()
    sheet.append(["Total", *[None] * 6, *total[6:]])
    book.save(tmp_path / "coding.xlsx")
    return tmp_path / "coding.xlsx"


def said(*arguments):
    return CliRunner().invoke(cli, [str(one) for one in arguments])


def test_by_variable_reads_the_variables_in_the_names_of_columns(workbook):
    plain, by = load(workbook), load(workbook, by="variable")
    assert list(by.groups) == list(plain.groups) == list(VARIABLES)
    assert by.by == "variable"
    assert [r.n_ratings for r in by.groups.values()] == [90] * 4


def test_by_variable_still_needs_variables(tmp_path):
    path = tmp_path / "wide.csv"
    path.write_text("item,Ann,Bob\n" + "".join(f"{k},{'ab'[k % 2]},a\n" for k in range(8)))
    with pytest.raises(InputError, match="by must be one of 'item', 'Ann', 'Bob'"):
        load(path, by="variable")


def test_a_column_called_variable_comes_first(tmp_path):
    path = tmp_path / "verdicts.jsonl"
    path.write_text("".join(
        json.dumps({"id": k, "judge": judge, "score": k % 2, "variable": name}) + "\n"
        for k in range(6) for judge in ("m", "n") for name in ("tone", "stance")
    ))  # fmt: skip
    assert set(load(path, by="variable").groups) == {"tone", "stance"}


def test_a_total_below_other_variables_is_no_item(workbook):
    ratings = cs.read(workbook, variable="Tone", scale="ordinal")
    assert (ratings.n_items, ratings.n_missing) == (30, 0)


def test_many_columns_are_not_all_listed():
    error = InputError.unknown_word("by", "x", [f"column {k}" for k in range(80)])
    assert "'column 28' and 51 more. Got 'x'" in str(error)


def test_groups_that_straddle_a_threshold_are_told_once(workbook):
    text = str(cs.measure(cs.read_groups(workbook), by="variable"))
    straddling = sum(
        one.code == "straddles_threshold"
        for group in cs.measure(cs.read_groups(workbook), by="variable").groups
        for one in group.findings
    )
    assert straddling >= 3
    assert (
        text.count("are too uncertain (the interval includes 0.667)") == 1
    )  # the verdict says it for all
    assert "caution" not in text


def test_files_whose_names_differ_in_case_are_read_together(tmp_path):
    for name, head in (("ann", "Segment,Code"), ("bob", "segment,code ")):
        rows = "".join(f"{k},{'xyz'[k % 3]}\n" for k in range(9))
        (tmp_path / f"{name}.csv").write_text(f"{head}\n{rows}")
    loaded = load([tmp_path / "ann.csv", tmp_path / "bob.csv"])
    assert loaded.ratings.raters == ("ann", "bob")
    assert any("bob.csv: 'segment', 'code' taken for" in one for one in loaded.reading.evidence)


def test_files_with_other_columns_are_still_refused(tmp_path):
    (tmp_path / "ann.csv").write_text("Segment,Code\n1,x\n2,y\n")
    (tmp_path / "bob.csv").write_text("Segment,Theme\n1,x\n2,y\n")
    with pytest.raises(InputError, match="give the columns the same names"):
        load([tmp_path / "ann.csv", tmp_path / "bob.csv"])


@pytest.fixture
def form(tmp_path):
    """A form that two teachers filled in once for each pupil, with decimal commas."""
    path = tmp_path / "antworten.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        table = csv.writer(stream)
        table.writerow(["Zeitstempel", "E-Mail-Adresse", "Name der Schülerin", "Note", "Sprache"])
        for teacher, more in (("m@schule.de", 0), ("s@schule.de", 3)):
            for k in range(12):
                mark = f"{1 + k % 4},{(k + more) % 10}"
                table.writerow([f"0{1 + k % 9}.03.2024 10:20:11", teacher, f"S {k}", mark, mark])
    return path


def test_a_form_filled_in_for_each_item_is_a_table_like_any_other(form):
    loaded = load(form)
    assert loaded.reading.columns["item"] == ("Name der Schülerin",)
    assert loaded.reading.columns["rater"] == ("E-Mail-Adresse",)
    assert {ratings.n_items for ratings in loaded.groups.values()} == {12}
    assert "ICC(A,1)" in said("marks", form, "--label", "Note").output


def test_a_quoted_decimal_comma_is_a_number_on_a_measured_scale(form):
    options = {"format": "delimited", "item": "Name der Schülerin", "rater": "E-Mail-Adresse"}
    ratings = cs.read(form, label="Note", scale="interval", **options)
    assert 1.3 in ratings.categories


def test_sentences_among_numbers_are_no_verdicts(tmp_path):
    path = tmp_path / "judges.jsonl"
    rows = [{"id": k, "judge": j, "score": 1 + k % 5} for k in range(20) for j in ("a", "b")]
    rows[3]["score"] = "I cannot evaluate this."
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    loaded = load(path)
    assert loaded.ratings.categories == (1, 2, 3, 4, 5)
    assert loaded.ratings.n_ratings == 39


def test_labels_of_several_words_stay_where_labels_are_words(tmp_path):
    path = tmp_path / "judges.jsonl"
    words = ("fully in favour", "against", "1")
    rows = [{"id": k, "judge": j, "score": words[k % 3]} for k in range(12) for j in ("a", "b")]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert load(path).ratings.n_ratings == 24


def test_camps_say_what_was_lacking():
    rows = {"item": [], "rater": [], "label": []}
    for k in range(30):
        for j in range(3):
            rows["item"].append(k)
            rows["rater"].append(f"w{(k * 3 + j) % 20}")
            rows["label"].append("ab"[(k + j) % 2])
    view = cs.latent.rater_view(cs.Ratings.from_long(rows))
    told = next(one.message for one in view.findings if one.code == "camps_not_tested")
    assert "and there are 20" not in told
    assert "items in common" in told


def test_the_text_of_a_hit_with_several_inputs_is_the_one_called_text(tmp_path):
    path = tmp_path / "batch.csv"
    lines = ["HITId,WorkerId,AssignmentStatus,Input.url,Input.text,Answer.label"]
    lines += [f"H{k},W{j},Approved,u{k},text {k},{'ab'[k % 2]}" for k in range(4) for j in range(2)]
    path.write_text("\n".join(lines) + "\n")
    cs.io.convert(path, tmp_path / "tidy.csv")
    assert "text 3" in (tmp_path / "tidy.csv").read_text()


@pytest.mark.parametrize(
    ("hint", "typed"),
    [
        (Words("pass ", Option("by", "day one")), "pass --by 'day one'"),
        (Words("with ", Option("item"), ", ", Option("rater")), "with --item, --rater"),
        (Words("pass ", Option("header", False), " if so"), "pass --no-header if so"),
        (Words("or ", Option("shape", "long", "wide")), "or --shape long or wide"),
        (Words("pass ", Option("encoding", "latin-1")), "pass --encoding latin-1"),
        (Words("pass ", Option("gold", "rater")), "pass --gold-answers rater"),
        (Words("pass ", Option("columns", "{a} / {b}", "x")), "pass --columns '{a} / {b}' or x"),
        ("pass categories=['a b', 'c'] in order, or an ordered categorical",
         "pass --categories 'a b,c' in order"),
    ],
)  # fmt: skip
def test_hints_are_in_the_words_of_the_shell(hint, typed):
    error = InputError.expected("the file", "good", "x", hint)
    assert in_options(error) == f"the file must be good. Got 'x'. Hint: {typed}."
    assert str(error).endswith(f"Hint: {hint}.")


def test_a_file_of_several_variables_names_one_to_type(workbook, capsys):
    assert run(["latent", str(workbook), "--quiet"]) == 3
    assert "Hint: name one, as in --variable Topic." in capsys.readouterr().err
