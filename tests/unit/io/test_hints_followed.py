"""A hint that names a flag is followed to the letter, and what comes out is better."""

from __future__ import annotations

import ast
import io
import json
import random
import re
import shlex

import pandas as pd
import pytest

import consilience as cs
from consilience.cli.program import run
from consilience.io.layout.table_sample import likeliest_label
from lookalikes import written

FLAG = re.compile(
    r"(?:--[a-z][a-z-]*(?: (?:'[^']*'|[^\s,;.)(?]+))?)(?: --item (?:'[^']*'|[^\s.]+))*"
)


def repeated(column, values):
    """Ratings that are repeated unless a column tells them apart."""
    rng = random.Random(7)
    lines = [f"story,coder,{column},code"]
    for story in range(6):
        for value in values:
            for who in ("Ann", "Bob"):
                lines.append(f"{story},{who},{value.format(story)},{rng.choice('xy')}")
    return "\n".join(lines) + "\n"


CASES = {
    "the text is the item": (
        repeated("text", ["This is a sentence of story {}.", "Here is another one of story {}."]),
        "--item text", 12,
    ),
    "an aspect is coded": (repeated("aspect", ["tone", "stance"]), "--by aspect", 6),
    "two columns are the item": (
        repeated("sentence_no", ["1", "2", "3"]), "--item story --item sentence_no", 18,
    ),
    "a column with a blank": (
        repeated("which aspect", ["tone", "stance"]), "--by 'which aspect'", 6,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_tells_repeated_ratings_apart(case, tmp_path, capsys):
    text, flag, items = CASES[case]
    path = str(written(tmp_path, "r.csv", text))
    assert run(["measure", path, "--item", "story", "--rater", "coder", "--label", "code"]) == 3
    hint = capsys.readouterr().err.partition("Hint: ")[2].partition("\n")[0]
    proposed = [found[0] for found in FLAG.finditer(hint) if "--duplicates" not in found[0]]
    assert proposed == [flag]
    assert run(["measure", path, *shlex.split(proposed[0]), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["data"]["items"] == items


def follow(arguments, capsys, pattern):
    """Run a command that is refused, then again with each flag that its hint names."""
    assert run(arguments) in (2, 3)
    hint = capsys.readouterr().err.partition("Hint: ")[2]
    flags = re.findall(pattern, hint)
    assert flags, hint
    for flag in flags:
        assert run([*arguments, *shlex.split(flag)]) == 0, flag
        capsys.readouterr()


@pytest.mark.parametrize(
    ("name", "text", "pattern"),
    [
        (
            "r.csv",
            "item,rater,label\n1,Ann,x\n1,Bob,x\n2,,y\n2,Bob,y\n2,Ann,x\n",
            r"--no-rater \w+",
        ),
        ("n.json", json.dumps({a: {"u": 1, "v": 2} for a in "pqr"}), r"--shape \w+"),
        (
            "r.csv",
            "item,rater,label\n1,Ann,x\n1,Ann,y\n1,Bob,x\n2,Ann,y\n2,Bob,x\n",
            r"--duplicates \w+",
        ),
    ],
)
def test_flags_in_hints_work(name, text, pattern, tmp_path, capsys):
    follow(["measure", str(written(tmp_path, name, text))], capsys, pattern)


def test_lists_in_two_columns_name_one_that_works(tmp_path, capsys):
    text = "text,annotators,labels,scores\n" + "".join(
        f't{k},"A,B","{"x,y" if k % 2 else "x,x"}","{k % 3},{k % 2}"\n' for k in range(6)
    )
    path = str(written(tmp_path, "l.csv", text))
    follow(["measure", path], capsys, r"--label \w+")


# -------------------------------------------------------------------- a label, never a person's age


def test_facts_about_people_are_never_proposed_as_labels():
    columns = {
        "verdict_of_coder": ["a", "b", "a", "a"],
        "Age": ["20", "30", "20", "20"],
        "gender": ["f", "m", "f", "f"],
        "nativeLanguage": ["en", "de", "en", "en"],
        "comment": ["no", "no", "ok", "no"],
        "long text": ["x" * 40, "y" * 40, "x" * 40, "z" * 40],
    }
    assert likeliest_label(columns) == "verdict_of_coder"
    assert likeliest_label({**columns, "label": ["1", "2", "3", "4"]}) == "label"
    del columns["verdict_of_coder"]
    assert likeliest_label(columns) is None


def test_a_report_of_judgments_proposes_a_question(tmp_path, capsys):
    heads = "_unit_id,_worker_id,_trust,_country,relevance,text,age"
    rows = [f"{k // 2},{k % 2},0.9,DE,{'no' if k // 2 % 3 else 'yes'},text {k // 2},{k // 2 % 4}"
            for k in range(12)]  # fmt: skip
    path = str(written(tmp_path, "full.csv", "\n".join([heads, *rows]) + "\n"))
    assert run(["measure", path, "--format", "crowdflower"]) == 3
    assert "--label relevance" in capsys.readouterr().err
    assert run(["measure", path, "--format", "crowdflower", "--label", "relevance"]) in (0, 4)


@pytest.mark.parametrize("sign", [";", "\t", "|"])
def test_a_frame_that_was_split_at_the_wrong_sign_is_told_the_right_one(sign):
    rows = [("item", "Ann", "Bob"), ("1", "yes", "no"), ("2", "no", "no"), ("3", "yes", "yes")]
    text = "\n".join(sign.join(row) for row in rows)
    with pytest.raises(cs.ConsilienceError, match="of several columns") as error:
        cs.read(pd.read_csv(io.StringIO(text)))
    found = ast.literal_eval(re.search(r"again with ('.+?') as", str(error.value))[1])
    assert cs.read(pd.read_csv(io.StringIO(text), sep=found)).raters == ("Ann", "Bob")
