"""`consilience adjudicate` and `consilience raters` as their users meet them."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import consilience as cs
from consilience.cli.program import run
from consilience.simulate import simulate

EXAMPLES = Path(__file__).parents[3] / "examples"
COUNTS = str(EXAMPLES / "tweets_counts.csv")
TEXTS = """id,sentence,ann,bob,eve
001,=cmd|' /C calc'!A0,yes,no,yes
002,Plain,no,no,no
003,-5 degrees,yes,yes,no
004,"one, two",maybe,yes,no
"""


@pytest.fixture
def texts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "texts.csv"
    path.write_text(TEXTS)
    return path


@pytest.fixture
def sheet(texts: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert run(["adjudicate", str(texts), "-o", "sheet.csv", "--text", "sentence", "-q"]) == 0
    capsys.readouterr()
    return texts.with_name("sheet.csv")


def rows_of(path: Path) -> list[list[str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.reader(stream))


def fill(path: Path, *labels: str) -> Path:
    rows = rows_of(path)
    for row, label in zip(rows[1:], labels, strict=True):
        row[rows[0].index("gold")] = label
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    return path


def test_the_ranking_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["adjudicate", str(EXAMPLES / "labels.csv")]) == 0
    out, err = capsys.readouterr()
    assert "5 of 12 items have different labels" in out
    assert "Labels most often confused" in out
    assert "rater: ann, bob, eve" in err


def test_the_record_has_the_envelope(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["adjudicate", str(EXAMPLES / "labels.csv"), "--json", "-q", "--top", "2"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert {"schema", "version", "seed", "data", "estimates", "findings"} <= set(record)
    assert record["data"]["items"] == 12
    assert record["n_contested"] == 5
    assert len(record["items"]) == 2
    assert set(record["items"][0]) >= {"item", "labels", "suggested", "probability", "gain"}
    assert record["confusions"][0]["labels"] == ["negative", "neutral"]


@pytest.mark.parametrize("form", ["--csv", "--markdown"])
def test_other_forms(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["adjudicate", str(EXAMPLES / "labels.csv"), form, "-q"]) == 0
    assert "r07" in capsys.readouterr().out


def test_a_sheet_is_written_with_its_texts(texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["adjudicate", str(texts), "-o", "sheet.xlsx", "--text", "sentence"]) == 0
    out, err = capsys.readouterr()
    assert out == ""
    assert "3 items to decide on" in err
    sheet = openpyxl.load_workbook("sheet.xlsx")["adjudication"]
    rows = {row[0].value: row for row in sheet.iter_rows(min_row=2)}
    assert set(rows) == {"001", "003", "004"}
    assert rows["001"][1].value == "'=cmd|' /C calc'!A0"
    assert {cell.data_type for cell in rows["001"]} <= {"s", "n"}


def test_top_and_all_say_how_many_rows(texts: Path) -> None:
    common = ["adjudicate", str(texts), "--text", "sentence", "-q", "-o"]
    assert run([*common, "top.csv", "--top", "1"]) == 0
    assert run([*common, "all.csv", "--all"]) == 0
    assert [len(rows_of(Path(name))) for name in ("top.csv", "all.csv")] == [2, 5]


def test_the_way_back(sheet: Path, texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(sheet, "no", "yes", "")
    arguments = ["adjudicate", str(texts), "--text", "sentence", "--read", str(sheet), "-q"]
    assert run([*arguments, "-o", "final.csv"]) == 0
    out, err = capsys.readouterr()
    assert "2 items with a gold label, 1 contested item without" in out
    assert "replaced by its gold label" in out
    assert "1 row of 3 without a gold label" in out
    assert "4 final labels" in err
    lines = Path("final.csv").read_text().splitlines()
    assert lines[0] == "item,label,source,probability"
    assert {line.split(",")[0] for line in lines[1:]} == {"001", "002", "003", "004"}
    assert sorted(line.split(",")[2] for line in lines[1:])[:2] == ["gold", "gold"]
    assert run([*arguments, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["n_gold"] == 2
    assert [one["coefficient"] for one in record["estimates"]] == ["krippendorff_alpha"] * 2
    assert record["findings"][0]["code"] == "rows_without_decision"
    assert len(record["labels"]) == 4


def test_parquet_out(sheet: Path, texts: Path) -> None:
    fill(sheet, "no", "yes", "maybe")
    done = run(["adjudicate", str(texts), "--text", "sentence", "--read", str(sheet), "-q",
                "-o", "final.parquet"])  # fmt: skip
    assert done == 0
    assert cs.read("final.parquet", shape="long", item="item", rater="source", label="label")


def test_a_filled_sheet_is_not_overwritten(
    sheet: Path, texts: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    before = fill(sheet, "no", "yes", "maybe").read_bytes()
    arguments = ["adjudicate", str(texts), "--text", "sentence", "-q", "-o", str(sheet)]
    assert run(arguments) == 2
    assert "--force" in capsys.readouterr().err
    assert sheet.read_bytes() == before
    assert run([*arguments, "--force"]) == 0
    assert sheet.read_bytes() != before


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["texts.csv", "-o", "sheet.pdf"], 2, "must end in .xlsx or .csv or .tsv"),
        (["texts.csv", "-o", "texts.csv"], 2, "is the input"),
        (["texts.csv", "-o", "no/sheet.csv"], 2, "there is no folder"),
        (["texts.csv", "--read", "x.csv", "--top", "3"], 2, "--top does not go with --read"),
        (["texts.csv", "--read", "x.csv"], 3, "existing file"),
        (["texts.csv", "-o", "new.csv", "--text", "sentense"], 3, "did you mean 'sentence'"),
        (["texts.csv", "--json", "--csv"], 2, "exclude each other"),
        (["texts.csv", "--model", "vote"], 2, "majority"),
        (["texts.csv", "-c", "kapa"], 2, "kappa"),
        ([COUNTS, "--model", "dawid-skene"], 4, "use --model majority"),
        (["calm.csv", "-o", "sheet.csv"], 3, "with --all"),
    ],
)
def test_mistakes_are_one_sentence(
    texts: Path, arguments: Any, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("calm.csv").write_text("item,A,B\n1,x,x\n2,y,y\n3,x,x\n")
    assert run(["adjudicate", "-q", *arguments]) == code
    out, err = capsys.readouterr()
    assert message in err
    assert "Traceback" not in err
    assert out == ""


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda rows: rows[1].__setitem__(0, "3"), "sheet.csv, row 2: the item must be as it was"),
        (lambda rows: rows.append(rows[1]), "row 5: each item must be in one row only"),
        (lambda rows: rows[1].__setitem__(-2, "Yess"), "did you mean 'yes'; or pass --new-labels"),
        (lambda rows: rows.__delitem__(slice(1, None)), "no row below the names"),
    ],
)
def test_a_damaged_sheet(
    sheet: Path, texts: Path, edit: Any, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    fill(sheet, "no", "yes", "maybe")
    rows = rows_of(sheet)
    edit(rows)
    with sheet.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    assert run(["adjudicate", str(texts), "--text", "sentence", "--read", str(sheet), "-q"]) == 3
    assert message in capsys.readouterr().err


def test_repair_and_accept(sheet: Path, texts: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(sheet, "no", "never", "maybe")
    rows = rows_of(sheet)
    rows[1][0] = rows[1][0].lstrip("0")  # as a spreadsheet does
    with sheet.open("w", newline="") as stream:
        csv.writer(stream).writerows(rows)
    arguments = ["adjudicate", str(texts), "--text", "sentence", "--read", str(sheet), "-q"]
    assert run(arguments) == 3
    assert "--changed-ids repair" in capsys.readouterr().err
    assert run([*arguments, "--changed-ids", "repair", "--new-labels", "accept"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "Item names were taken from the check column in row 2" in out
    assert "New labels that no rater used: never" in out


def test_a_sheet_of_another_file(sheet: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fill(sheet, "no", "yes", "maybe")
    assert run(["adjudicate", str(EXAMPLES / "labels.csv"), "--read", str(sheet), "-q"]) == 3
    assert "written from these ratings" in capsys.readouterr().err


def test_standard_input_keeps_its_texts(texts: Path) -> None:
    import subprocess
    import sys

    done = subprocess.run(
        [sys.executable, "-m", "consilience.cli", "adjudicate", "-", "--text", "sentence", "-o",
         "sheet.csv"],
        input=TEXTS.encode(), capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert len(rows_of(Path("sheet.csv"))) == 4


# --- raters ---------------------------------------------------------------------------------------


@pytest.fixture
def long(tmp_path: Path) -> Path:
    study = simulate(n_items=60, n_raters=5, categories=["x", "y"], accuracy=[0.9] * 4 + [0.5],
                     rng=1)  # fmt: skip
    from consilience.latent.votes import entries_of

    entries = entries_of("the test", study.ratings)
    path = tmp_path / "long.csv"
    lines = ["unit,coder,code,day"]
    for i, g, k in zip(entries.item, entries.rater, entries.label, strict=True):
        lines.append(f"u{i},{'ABCDE'[g]},{'xy'[k]},2026-01-{1 + i // 6:02d}")
    path.write_text("\n".join(lines) + "\n")
    return path


def test_raters_are_shown(long: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["raters", str(long), "--order", "day"]) == 0
    out, err = capsys.readouterr()
    assert "item: unit; rater: coder; label: code" in err
    assert "no sign of two camps" in out.lower()
    assert "drift" in out
    assert out.split("alpha without\n")[1].startswith("E")


def test_raters_as_a_record(long: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["raters", str(long), "--json", "-q", "--seed", "3", "--order", "day"]
    assert run([*arguments, "--batches", "3"]) == 0
    text = capsys.readouterr().out
    record = json.loads(text)
    assert record["seed"] == 3
    assert [one["rater"] for one in record["raters"]] == list("ABCDE")
    assert len(record["raters"][0]["batches"]) == 3
    assert record["camps"]["status"] == "one camp"
    assert run([*arguments, "--batches", "3"]) == 0
    assert capsys.readouterr().out == text
    assert run(["raters", str(long), "--json", "-q", "--batch", "day"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["raters"][0]["batches"][0]["batch"].startswith("2026-01-01")


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["--batch", "day", "--batches", "3"], 2, "exclude each other"),
        (["--order", "dey"], 3, "did you mean 'day'"),
        (["--batches", "1"], 2, "1"),
    ],
)
def test_mistakes_about_raters(
    long: Path, arguments: Any, code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["raters", str(long), "-q", *arguments]) == code
    assert message in capsys.readouterr().err


def test_raters_need_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = EXAMPLES / "tweets_counts.csv"
    assert run(["raters", str(path), "-q"]) == 4
    assert "needs to know who" in capsys.readouterr().err


def test_raters_are_compared_with_an_expert(long: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["raters", str(long), "--expert", "A", "-q"]) == 0
    text = capsys.readouterr().out
    assert "Agreement with A" in text
    assert "All 10 pairs of raters: mean kappa" in text
    assert run(["raters", str(long), "--expert", "A", "-q", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["expert"]
    kappas = [row["kappa"] for row in found["rows"]]
    assert kappas == sorted(kappas, reverse=True)
    assert {row["rater"] for row in found["rows"]} == set("BCDE")


def test_an_expert_who_did_not_rate_is_refused(
    long: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["raters", str(long), "--expert", "Zoe"]) == 3
    assert "Zoe" in capsys.readouterr().err
    assert run(["raters", str(long), "--expert", "A", "--order", "day"]) == 2
