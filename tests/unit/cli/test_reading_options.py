"""What is said about labels, raters, variables and gold answers, on every command that reads."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

import consilience as cs
from consilience.cli.program import run
from consilience.exceptions import InputError
from consilience.io import load

MIXED = (
    "item,Ann,Bob\n1,Yes,yes\n2,no,No\n3,maybe,no\n4,yes,yes\n"
    "5,no,yes\n6,yes,yes\n7,no,no\n8,no,NO\n"
)


def written(folder: Path, text: str, name: str = "r.csv") -> str:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return str(path)


def told(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().err


# -------------------------------------------------------------------- labels renamed


def test_labels_are_mapped_and_told_with_their_numbers(tmp_path, capsys):
    path = written(tmp_path, MIXED)
    asked = ["--map", "Yes=yes", "--map", "No=no", "--map", "NO=no", "--map", "maybe="]
    assert run(["measure", path, "--json", *asked]) == 0
    out, err = capsys.readouterr()
    assert "'Yes' to 'yes' (1 rating)" in err
    assert "'maybe' to no rating (1 rating)" in err
    data = json.loads(out)["data"]
    assert (data["categories"], data["ratings"], data["missing"]) == (["no", "yes"], 15, 1)
    change = {"Yes": "yes", "No": "no", "NO": "no", "maybe": None}
    assert cs.read(path, map=change).categories == ("no", "yes")


def test_case_is_ignored_and_the_usual_spelling_kept(tmp_path):
    path = written(tmp_path, MIXED)
    loaded = load(path, ignore_case=True)
    assert loaded.ratings.categories == ("maybe", "no", "yes")
    assert any("'Yes' as 'yes' (1 rating)" in words for words in loaded.reading.evidence)
    told = cs.read(path, ignore_case=True, categories=["NO", "Maybe", "YES"], scale="ordinal")
    assert told.categories == ("NO", "Maybe", "YES")
    assert cs.read(path, ignore_case=True, missing_values=["MAYBE"]).n_missing == 1
    assert cs.read(path, ignore_case=True, map={"MAYBE": "yes"}).categories == ("no", "yes")


@pytest.mark.parametrize("command", ["measure", "report", "raters", "adjudicate", "latent", "plan"])
def test_a_label_that_does_not_occur_is_refused_by_every_command(
    command, tmp_path, capsys, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    path = written(tmp_path, MIXED)
    place = ["--pilot", path, "--half-width", "0.1"] if command == "plan" else [path]
    assert run([command, *place, "--map", "yse=yes"]) == 3
    assert "did you mean 'yes'?" in told(capsys)


def test_counts_and_cross_tables_are_added_up(tmp_path):
    counts = written(tmp_path, "item,Yes,yes,no\nd1,1,1,1\nd2,0,2,1\nd3,0,0,3\nd4,2,1,0\n", "c.csv")
    ratings = cs.read(counts, map={"Yes": "yes"}, shape="counts")
    assert (ratings.categories, ratings.n_ratings) == (("no", "yes"), 12)
    table = written(tmp_path, ",Yes,no,yes\nYes,5,1,2\nno,1,9,0\nyes,3,0,7\n", "t.csv")
    merged = cs.read(table, ignore_case=True)
    assert merged.table(*merged.raters).tolist() == [[9, 1], [1, 17]]


def test_numbers_stay_numbers(tmp_path):
    path = written(tmp_path, "item,Ann,Bob\n1,1,9\n2,2,2\n3,3,3\n4,2,1\n")
    assert cs.read(path, map={9: 3}).categories == (1, 2, 3)
    assert cs.read(path, map={"9": "3"}, scale="interval").numbers is not None


def test_a_map_says_one_thing_about_a_label(tmp_path, capsys):
    path = written(tmp_path, MIXED)
    with pytest.raises(InputError, match="clear about each label"):
        cs.read(path, map={"Yes": "a", "yes": "b"}, ignore_case=True)
    assert run(["measure", path, "--map", "yes"]) == 2
    assert "OLD=NEW" in told(capsys)
    assert run(["measure", path, "--map", "a=b", "--engine", "duckdb"]) == 2
    assert "--map is for files that are read here" in told(capsys)


def test_labels_of_an_export_are_mapped(tmp_path):
    rows = [{"item": k, "rater": who, "variable": "tone", "label": "YES" if k % 2 else "no",
             "label_type": "text", "state": "labelled", "reason": None, "time": None,
             "kind": "person", "text": None}
            for k in range(4) for who in ("Ann", "Bob")]  # fmt: skip
    text = "\n".join(map(json.dumps, rows))
    assert cs.read(written(tmp_path, text, "t.jsonl"), map={"YES": "yes"}).categories == (
        "no",
        "yes",
    )
    target = tmp_path / "o.csv"
    path = str(tmp_path / "t.jsonl")
    assert run(["convert", path, str(target), "--map", "YES=yes", "--map", "no="]) == 0
    assert cs.read(target).categories == ("yes",)
    assert ",YES," not in target.read_text()
    assert run(["convert", path, str(tmp_path / "p.csv"), "--map", "NOPE=yes"]) == 3


# -------------------------------------------------------------------- sets


SETS = "item;Ann;Bob\n1;a{0}b;a\n2;b;b{0}c\n3;a{0}b;b{0}a\n4;c;c\n5;b;a\n"


@pytest.mark.parametrize("sign", [",", "|", "/"])
def test_cells_are_cut_into_sets(sign, tmp_path, capsys):
    path = written(tmp_path, SETS.format(sign))
    asked = ["--sets", sign, "--distance", "masi", "--delimiter", ";"]
    assert run(["measure", path, "-c", "alpha", "--json", *asked]) == 0
    record = json.loads(capsys.readouterr().out)
    ratings = cs.read(path, sets=sign, delimiter=";")
    assert frozenset("ab") in ratings.categories
    assert len(ratings.categories) == 5  # a/b and b/a are the same set
    value = cs.krippendorff_alpha(ratings, distance="masi").value
    assert record["estimates"][0]["value"] == value


def test_likely_sets_are_pointed_out_and_others_are_not(tmp_path):
    notes = {note.code for note in cs.read(written(tmp_path, SETS.format(","))).notes}
    assert "labels_look_like_sets" in notes
    names = "item;Ann;Bob\n1;Smith, J;Doe, A\n2;Doe, A;Doe, A\n3;Roe, B;Smith, J\n"
    notes = {note.code for note in cs.read(written(tmp_path, names)).notes}
    assert "labels_look_like_sets" not in notes
    cut = {note.code for note in cs.read(written(tmp_path, SETS.format(",")), sets=",").notes}
    assert "labels_look_like_sets" not in cut


def test_members_of_sets_are_mapped_and_missing(tmp_path):
    path = written(tmp_path, SETS.format(",").replace("5;b;a", "5;b;NA"))
    ratings = cs.read(path, sets=",", map={"c": "b"}, missing_values=["NA"])
    assert set(ratings.categories) == {frozenset("a"), frozenset("b"), frozenset("ab")}
    assert ratings.n_missing == 1
    none = cs.read(path, sets=",", map={"c": None, "NA": None})
    assert set(none.categories) == {frozenset("a"), frozenset("b"), frozenset("ab")}
    assert none.n_missing == 3  # c alone is no rating, c beside b is b


# -------------------------------------------------------------------- nobody named, gold


def test_a_row_without_a_rater_is_skipped_and_counted(tmp_path, capsys):
    text = "item,rater,label\n1,Ann,x\n1,Bob,x\n2,Ann,y\n2,,y\n2,Bob,y\n3,Ann,x\n3,Bob,y\n"
    path = written(tmp_path, text)
    assert run(["measure", path]) == 3
    assert "--no-rater skip" in told(capsys)
    assert run(["measure", path, "--no-rater", "skip"]) == 0
    assert "nobody is named as the rater: 1 row" in told(capsys)
    assert cs.read(path, no_rater="skip").n_ratings == 6
    turned = written(tmp_path, "rater,Q1,Q2,Q3\nAnn,x,y,x\n,y,y,x\nBob,x,y,y\n", "t.csv")
    assert cs.read(turned, shape="transposed", rater="rater", no_rater="skip").n_ratings == 6


def test_gold_is_a_rater_when_asked_for(tmp_path, capsys):
    rows = [f"{k},{'ab'[k % 2]},{'ab'[k % 3 % 2]},{'ab'[k % 5 % 2]}" for k in range(12)]
    path = written(tmp_path, "\n".join(["item,Ann,Bob,gold", *rows]) + "\n")
    with pytest.raises(InputError, match="2 raters Ann, Bob"):
        cs.read(path)
    assert cs.read(path, rater=["Ann", "Bob"]).raters == ("Ann", "Bob")
    assert cs.read(path, gold="rater").raters == ("Ann", "Bob", "gold")
    assert run(["measure", path, "--gold-answers", "rater", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["raters"] == 3
    long = "item,rater,label,gold\n1,Ann,x,x\n1,Bob,y,x\n2,Ann,y,y\n2,Bob,y,y\n"
    with pytest.raises(InputError, match="rows of a rater called gold"):
        cs.read(written(tmp_path, long, "l.csv"), gold="rater")


# -------------------------------------------------------------------- variables and groups


@pytest.fixture
def by_variable(tmp_path):
    rng = random.Random(1)
    lines = ["unit,coder,variable,code,sure"]
    for unit in range(12):
        for variable in ("tone", "stance"):
            first = rng.choice("xy")
            for who in ("Ann", "Bob"):
                code = first if rng.random() < 0.8 else rng.choice("xy")
                lines.append(f"u{unit},{who},{variable},{code},{rng.choice('12')}")
    return written(tmp_path, "\n".join(lines) + "\n", "v.csv")


def test_a_variable_and_its_label_column_are_named_together(by_variable):
    whole = load(by_variable, by="variable", label="code").groups
    for label in ("code", None):
        one = load(by_variable, variable="tone", label=label)
        assert one.by is None
        assert one.ratings.n_ratings == whole["tone"].n_ratings == 24
        assert (
            cs.krippendorff_alpha(one.ratings).value == cs.krippendorff_alpha(whole["tone"]).value
        )
    assert load(by_variable, variable="tone", label="sure").ratings.categories == (1, 2)
    assert list(load(by_variable, variable=["s*", "tone"], label="code").groups) == [
        "tone",
        "stance",
    ]
    with pytest.raises(InputError, match="variable must be one of 'tone', 'stance'"):
        load(by_variable, variable="topic", label="code")


def test_gold_and_variables_beside_other_columns(tmp_path, by_variable, capsys):
    rows = [f"{k},{'xy'[k % 2]},{'xy'[k % 3 % 2]},{'xy'[k % 2]},{k}" for k in range(12)]
    text = "\n".join(["item,Ann,Bob,gold,day", *rows]) + "\n"
    asked = ["raters", written(tmp_path, text), "--order", "day", "--json"]
    assert run([*asked, "--gold-answers", "rater"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["raters"] == 3
    asked = ["raters", by_variable, "--label", "code", "--variable", "tone", "--order", "sure"]
    assert run([*asked, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["ratings"] == 24


def test_a_variable_beside_a_label_is_never_ignored(tmp_path):
    path = written(tmp_path, "item,rater,a,b\n1,Ann,x,y\n1,Bob,x,x\n2,Ann,y,y\n2,Bob,y,x\n")
    assert load(path, label=["a", "b"], variable="b").ratings.categories == ("x", "y")
    with pytest.raises(InputError, match="variable must be one of 'a'"):
        load(path, label="a", variable="c")


@pytest.mark.parametrize("named", [True, False])
def test_items_in_groups_are_counted_once_each(named, tmp_path, capsys):
    rng = random.Random(2)
    rows = [f"d{k},{'AB'[k >= 193]},{rng.choice('xy')},{rng.choice('xy')}" for k in range(400)]
    text = "\n".join(["doc,site,Ann,Bob", *rows]) + "\n"
    if not named:
        text = "\n".join(line.partition(",")[2] for line in text.splitlines())
    path = written(tmp_path, text)
    assert run(["measure", path, "--by", "site", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["data"]["items"] == 400
    assert [group["data"]["items"] for group in record["groups"]] == [193, 207]


def test_variables_of_a_wide_table_share_their_items(tmp_path, capsys):
    rows = [f"d{k},x,y,{k % 2},{k % 3 % 2}" for k in range(10)]
    text = "\n".join(["doc,tone_Ann,tone_Bob,mood_Ann,mood_Bob", *rows]) + "\n"
    assert run(["measure", written(tmp_path, text), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["items"] == 10


def test_a_report_by_a_column(by_variable, tmp_path, capsys):
    page = tmp_path / "p.html"
    assert run(["report", by_variable, "--by", "variable", "--label", "code", "-o", str(page)]) == 0
    text = page.read_text(encoding="utf-8")
    assert "tone" in text
    assert "stance" in text
    assert "--by variable" in text  # the command that asks for the same page


# -------------------------------------------------------------------- one result for each variable


@pytest.mark.parametrize(
    ("command", "key"),
    [
        (["raters", "{}", "--by", "variable"], "raters"),
        (["raters", "{}", "--by", "variable", "--expert", "Ann"], "expert"),
        (["raters", "{}", "--variable", "*"], "raters"),
        (["adjudicate", "{}", "--variable", "*"], "items"),
        (["plan", "--pilot", "{}", "--half-width", "0.2", "--by", "variable"], "plan"),
    ],
)
def test_every_variable_has_its_own_result(command, key, by_variable, capsys):
    asked = [word.format(by_variable) for word in command]
    assert run([*asked, "--label", "code", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["by"] == "variable"
    assert [group["name"] for group in record["groups"]] == ["tone", "stance"]
    assert record["data"]["items"] == 12
    for group in record["groups"]:
        assert key in group
        assert group["data"]["ratings"] == 24
    assert run([*asked, "--label", "code", "-q"]) == 0
    assert "variable stance" in capsys.readouterr().out


def test_one_table_of_all_variables(by_variable, capsys):
    assert run(["raters", by_variable, "--by", "variable", "--label", "code", "--csv", "-q"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("variable,rater,")
    assert {line.split(",")[0] for line in lines[1:5]} == {"tone", "stance"}


def test_a_sheet_holds_one_variable(by_variable, tmp_path, capsys):
    asked = ["adjudicate", by_variable, "--label", "code", "-o", str(tmp_path / "s.xlsx")]
    assert run([*asked, "--variable", "*"]) == 2
    assert "Name one with --variable" in told(capsys)
    assert run([*asked, "--variable", "tone"]) == 0


# -------------------------------------------------------------------- names of coefficients


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("Cohen's kappa", "cohen_kappa"),
        ("cohen\u2019s KAPPA", "cohen_kappa"),
        ("Fleiss' kappa", "scott_pi"),
        ("Fleiss\u2019 kappa", "scott_pi"),
        ("Gwet's AC1", "gwet_ac"),
        ("Krippendorff's alpha", "krippendorff_alpha"),
        ("Bennett's S", "bennett_s"),
    ],
)
def test_the_name_that_is_printed_is_understood(word, name, tmp_path, capsys):
    path = written(tmp_path, "item,Ann,Bob\n1,x,x\n2,y,x\n3,y,y\n4,x,x\n")
    assert run(["measure", path, "-c", word, "--json", "--fail-under", f"{word}=-1"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert [one["coefficient"] for one in record["estimates"]] == [name]
    assert cs.measure(cs.read(path), coefficients=[word])[word].coefficient == name


def test_every_printed_name_is_understood():
    two = cs.Ratings.from_wide([[1, 1], [2, 1], [2, 2], [3, 3]], scale="interval")
    many = cs.Ratings.from_wide([["a", "a", "b"], ["b", "b", "b"], ["a", "b", "a"]])
    for ratings in (two, many):
        for one in cs.measure(ratings).estimates:
            assert cs.coefficients()[one.name].name == one.coefficient
