"""`consilience convert`, `--explain`, `--anonymise` and several variables, as users meet them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from consilience.cli.program import run
from consilience.io import load, read
from lookalikes import LOOKALIKES, written

WIDE = "item,ann@x.org,bob@x.org\n1,a,a\n2,b,a\n3,b,b\n"


@pytest.fixture
def wide(tmp_path):
    return written(tmp_path, "wide.csv", WIDE)


@pytest.fixture
def places(tmp_path, wide):
    written(tmp_path, "old.csv", "old")
    yes = [1, 3, 0, 2, 3, 0, 1, 3, 3, 0]
    rows = "".join(f"t{k},{3 - n},{n},3\n" for k, n in enumerate(yes))
    counts = written(tmp_path, "counts.csv", f"item,no,yes,total\n{rows}")
    return {"wide": str(wide), "folder": str(tmp_path), "counts": str(counts)}


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_a_table_becomes_tidy_and_reads_back(ending, wide, tmp_path, capsys):
    target = tmp_path / f"tidy.{ending}"
    assert run(["convert", str(wide), str(target)]) == 0
    assert "6 entries, read as delimited" in capsys.readouterr().err
    before, after = read(wide), read(target)
    assert after.raters == before.raters
    assert after.to_frame("pyarrow").to_pylist() == before.to_frame("pyarrow").to_pylist()


def test_states_reasons_and_times_survive(tmp_path):
    export = LOOKALIKES["prodigy"].write(tmp_path)
    target = tmp_path / "tidy.jsonl"
    assert run(["convert", str(export), str(target), "--quiet"]) == 0
    records = [json.loads(line) for line in target.read_text().splitlines()]
    ignored = [one for one in records if one["state"] == "excluded"]
    assert [(one["item"], one["rater"], one["reason"]) for one in ignored] == [
        (13, "reviews-bob", "ignored")
    ]
    assert records[0]["time"] == "1700000011"
    assert records[0]["text"] == "Text 11"
    assert load(target).reading.states == load(export).reading.states


def test_names_and_texts_can_be_left_out(tmp_path, wide, capsys):
    target = tmp_path / "tidy.csv"
    assert run(["convert", str(wide), str(target), "--anonymise"]) == 0
    assert "@" not in target.read_text() + capsys.readouterr().err
    assert read(target).raters == ("R1", "R2")
    export = LOOKALIKES["prodigy"].write(tmp_path)
    assert run(["convert", str(export), str(target), "--no-text", "--force"]) == 0
    assert "Text 11" not in target.read_text()


def test_a_key_gives_the_same_codes(tmp_path, wide):
    key = written(tmp_path, "key.txt", "secret\n")
    one, two = tmp_path / "1.csv", tmp_path / "2.csv"
    assert run(["convert", str(wide), str(one), "--anonymise", "--key", "secret"]) == 0
    assert run(["convert", str(wide), str(two), "--anonymise", "--key-file", str(key)]) == 0
    assert one.read_text() == two.read_text()
    assert read(one).raters != ("R1", "R2")


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["{wide}", "{wide}"], 2, "is the input"),
        (["{wide}", "{folder}/x.docx"], 3, "ends in .csv or .parquet or .jsonl"),
        (["{wide}", "{folder}/old.csv"], 2, "--force"),
        (["{wide}", "{folder}/no/x.csv"], 2, "no folder"),
        (["{folder}/nothing.csv", "{folder}/x.csv"], 3, "existing file"),
        (["{wide}", "{folder}/x.csv", "--key", "k"], 2, "--anonymise"),
        (["{counts}", "{folder}/x.csv"], 4, "who gave which rating"),
        (["{wide}", "{folder}/x.csv", "--format", "prodigi"], 3, "did you mean 'prodigy'"),
        (["{wide}", "{folder}/x.csv", "--format", "prodigy"], 3, "JSON"),
    ],
)
def test_mistakes_are_one_sentence_and_nothing_is_written(arguments, code, words, places, capsys):
    folder = Path(places["folder"])
    before = {path.name: path.read_text() for path in folder.iterdir()}
    assert run(["convert", *(word.format(**places) for word in arguments)]) == code
    assert words in " ".join(capsys.readouterr().err.split())
    assert {path.name: path.read_text() for path in folder.iterdir()} == before


def test_explain_says_what_overrules_each_guess_and_computes_nothing(wide, capsys):
    assert run(["measure", str(wide), "--explain"]) == 0
    shown = capsys.readouterr().out
    assert "overruled by" in shown
    assert "--shape" in shown
    assert "Krippendorff" not in shown


def test_measuring_hides_names(wide, capsys):
    for more in ([], ["--json"], ["--explain"]):
        assert run(["measure", str(wide), "--anonymise", *more]) == 0
        told = capsys.readouterr()
        assert "@" not in told.out + told.err


def test_errors_hide_addresses_too(tmp_path, capsys):
    rows = "item,rater,label\n1,ann@x.org,a\n1,ann@x.org,b\n2,bob@x.org,a\n"
    path = written(tmp_path, "twice.csv", rows)
    assert run(["measure", str(path), "--anonymise"]) == 3
    told = capsys.readouterr().err
    assert "@" not in told
    assert "(e-mail)" in told


def test_many_variables_give_a_line_each(tmp_path, capsys):
    lines = ["unit,coder,v1,v2,v3"]
    lines += [f"{u},{c},{u % 2},{(u + (c == 'B' and u == 3)) % 3},{u % 3}"
              for u in range(9) for c in "AB"]  # fmt: skip
    path = str(written(tmp_path, "codes.csv", "\n".join(lines) + "\n"))
    assert run(["measure", path, "--csv"]) == 0
    shown = capsys.readouterr().out
    assert all(name in shown for name in ("v1", "v2", "v3"))
    assert run(["measure", path, "--csv", "--label", "v[12]"]) == 0
    shown = capsys.readouterr().out
    assert "v2" in shown
    assert "v3" not in shown
    assert run(["measure", path, "--csv", "--variables", "v3", "-c", "alpha"]) == 0
    assert "krippendorff_alpha" in capsys.readouterr().out


def test_states_are_in_the_json(tmp_path, capsys):
    export = LOOKALIKES["prodigy"].write(tmp_path)
    assert run(["measure", str(export), "--json"]) == 0
    told = capsys.readouterr()
    record = json.loads(told.out)
    assert record["data"]["states"]["excluded"] == {"ignored": 1}
    assert any(one["code"] == "entry_states" for one in record["findings"])
    assert "excluded: 1 (ignored 1)" in told.err
