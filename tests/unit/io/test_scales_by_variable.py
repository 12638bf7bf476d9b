"""Variables of different levels in one file: each on its own scale, proposed or told."""

from __future__ import annotations

import json

import pytest

import consilience as cs
import needed
from consilience.cli.program import run
from consilience.exceptions import InputError
from consilience.io import load, read_groups

WIDE = (
    "id,topic_coder1,topic_coder2,tone_coder1,tone_coder2,length_coder1,length_coder2\n"
    "1,1,1,1,2,10,12\n2,2,2,3,3,40,41\n3,1,2,2,2,25,25\n4,3,3,5,4,80,78\n"
)
LONG = "item,rater,variable,label\n" + "".join(
    f"{i},{r},{v},{k}\n"
    for i, k in enumerate((1, 2, 3))
    for r in ("ann", "bob")
    for v in ("topic", "tone")
)


@pytest.fixture
def wide(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text(WIDE)
    return path


def scales(groups):
    return {name: ratings.scale for name, ratings in groups.items()}


def test_each_variable_is_compared_on_the_scale_told_for_it(wide):
    found = read_groups(wide, scale={"tone": "ordinal", "len*": "ratio"})
    assert scales(found) == {"topic": "nominal", "tone": "ordinal", "length": "ratio"}
    others = read_groups(wide, scale={"*": "ordinal", "topic": "nominal"})
    assert scales(others) == {"topic": "nominal", "tone": "ordinal", "length": "ordinal"}
    alone = read_groups(wide, scale="ordinal", variable="tone")["tone"]
    value = cs.krippendorff_alpha(found["tone"]).value
    assert value == cs.krippendorff_alpha(alone).value
    assert value != cs.krippendorff_alpha(read_groups(wide)["tone"]).value


def test_one_variable_may_be_named_too(wide):
    assert load(wide, variable="tone", scale={"tone": "ordinal"}).ratings.scale == "ordinal"


def test_several_label_columns_and_a_grouping_column(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text("item,rater,a,b\n1,x,1,2\n1,y,1,3\n2,x,2,2\n2,y,1,2\n")
    found = read_groups(path, label=["a", "b"], scale={"b": "interval"})
    assert scales(found) == {"a": "nominal", "b": "interval"}
    path.write_text(LONG)
    found = read_groups(path, by="variable", scale={"tone": "ordinal"})
    assert scales(found) == {"topic": "nominal", "tone": "ordinal"}


def test_categories_are_the_order_of_the_ordinal_variables(tmp_path):
    path = tmp_path / "codes.csv"
    path.write_text(
        "id,kind_a,kind_b,size_a,size_b\n1,x,x,low,mid\n2,y,x,high,high\n3,x,x,mid,low\n"
    )
    found = read_groups(path, scale={"size": "ordinal"}, categories=["low", "mid", "high"])
    assert found["size"].categories == ("low", "mid", "high")
    assert found["kind"].categories == ("x", "y")


def test_a_variable_that_is_not_there_and_a_word_that_is_no_scale(wide, tmp_path):
    with pytest.raises(InputError, match=r"'topic', 'tone', 'length'.*did you mean 'tone'"):
        load(wide, scale={"ton": "ordinal"})
    with pytest.raises(InputError, match="scale must be one of"):
        load(wide, scale={"tone": "ordinl"})
    with pytest.raises(InputError, match="scale must be one of"):
        load(wide, scale=3)
    plain = tmp_path / "plain.csv"
    plain.write_text("id,ann,bob\n1,2,2\n2,3,2\n3,2,3\n")
    with pytest.raises(InputError, match="one word where the file has one variable"):
        load(plain, scale={"tone": "ordinal"})
    counts = tmp_path / "counts.csv"
    counts.write_text("item,yes,no\n1,3,1\n2,1,3\n3,4,0\n")
    with pytest.raises(InputError, match="one word where the file has one variable"):
        load(counts, shape="counts", scale={"tone": "ordinal"})


def test_questions_of_an_export(tmp_path):
    rows = [{"id": i, "judge": j, "score": 1 + (i + k) % 3, "criterion": c}
            for i in range(3) for k, j in enumerate("ab") for c in ("style", "truth")]  # fmt: skip
    path = tmp_path / "verdicts.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    found = load(path, scale={"style": "ordinal"})
    assert found.reading.format == "eval-records"
    assert scales(found.groups) == {"style": "ordinal", "truth": "nominal"}
    with pytest.raises(InputError, match="'style', 'truth'"):
        load(path, scale={"tone": "ordinal"})


@needed.needs_package("pyreadstat")
def test_spss_variables_of_different_levels_keep_their_own(tmp_path, wide):
    import pandas as pd
    import pyreadstat

    frame = pd.read_csv(wide)
    levels = {"topic": "nominal", "tone": "ordinal", "length": "scale", "id": "nominal"}
    path = tmp_path / "codes.sav"
    pyreadstat.write_sav(
        frame, path, variable_measure={name: levels[name.split("_")[0]] for name in frame}
    )
    found = read_groups(path, scale="proposed")
    assert scales(found) == {"topic": "nominal", "tone": "ordinal", "length": "interval"}
    assert scales(read_groups(path, scale={"*": "proposed", "tone": "interval"})) == {
        "topic": "nominal", "tone": "interval", "length": "interval",
    }  # fmt: skip


def test_the_command_line_takes_a_scale_by_variable(wide, capsys):
    told = ["--scale", "tone=ordinal", "--scale", "length=interval", "-q"]
    assert run(["measure", str(wide), *told, "-c", "alpha"]) == 0
    shown = capsys.readouterr().out
    assert "nominal, ordinal and interval scales, 3 groups" in shown
    assert "distance" not in shown.splitlines()[1]  # each has the one that fits
    assert run(["measure", str(wide), *told, "-c", "alpha", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["data"]["scale"] == "mixed"
    assert [g["data"]["scale"] for g in record["groups"]] == ["nominal", "ordinal", "interval"]
    assert run(["measure", str(wide), *told, "--latex"]) == 0
    assert "(nominal, ordinal and interval scales)" in capsys.readouterr().out


def test_a_bare_scale_is_for_all_other_variables(wide, capsys):
    told = ["--scale", "ordinal", "--scale", "topic=nominal", "-q", "-c", "alpha"]
    assert run(["measure", str(wide), *told]) == 0
    assert "nominal and ordinal scales" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("word", "code", "message"),
    [("tone=ordinl", 2, "'ordinl' is not one of"), ("ton=ordinal", 3, "did you mean 'tone'")],
)
def test_a_wrong_scale_on_the_command_line(word, code, message, wide, capsys):
    assert run(["measure", str(wide), "--scale", word]) == code
    assert message in capsys.readouterr().err


def test_an_engine_takes_scales_by_name_as_well(tmp_path, capsys):
    path = tmp_path / "long.csv"
    path.write_text("item,rater,label\n1,a,1\n1,b,2\n2,a,3\n2,b,3\n")
    asked = ["measure", str(path), "--scale", "label=ordinal", "-q", "--csv"]
    assert run([*asked, "--engine", "duckdb"]) == 0
    reduced = capsys.readouterr().out
    assert run(asked) == 0
    assert capsys.readouterr().out == reduced
