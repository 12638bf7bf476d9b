"""`consilience marks` as its users meet it."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from scipy import stats

import consilience as cs
from consilience import magnitudes
from consilience.cli.program import run

MARKS = "item,A,B\n1,1,2\n2,2,2\n3,4,5\n4,3,3\n5,5,5\n6,1,1\n7,4,3\n"


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "marks.csv"
    path.write_text(MARKS)
    return str(path)


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(["marks", *arguments, "-q"]) == 0
    return capsys.readouterr().out


def test_the_summary_is_that_of_describe_marks(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    ratings = cs.read(file, scale="interval")
    assert printed(capsys, file, "--all") == f"{magnitudes.describe_marks(ratings)}\n"
    short = printed(capsys, file)
    assert "Add --all to see everything" in short
    assert len(short.splitlines()) <= 40


def test_the_record_has_the_envelope_and_every_form(
    file: str, capsys: pytest.CaptureFixture[str]
) -> None:
    record = json.loads(printed(capsys, file, "--json"))
    assert record["schema"] == "consilience/1"
    assert record["data"]["scale"] == "interval"
    assert [one["coefficient"] for one in record["estimates"]] == ["icc"] * 6
    assert {one["rater"] for one in record["raters"]} == {"A", "B"}
    assert record["raters"][0]["skewness"] == pytest.approx(stats.skew([1, 2, 4, 3, 5, 1, 4]))


def test_a_measure_is_shown_in_full(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, file, "--measure", "tau", "-m", "regression")
    for word in ("Kendall's tau-b", "ase1", "Slope of the regression line", "r squared"):
        assert word in text
    record = json.loads(printed(capsys, file, "-m", "paired_differences", "--json"))
    gap = magnitudes.paired_differences(cs.read(file, scale="interval"))
    assert record["estimates"][0]["value"] == pytest.approx(gap.value)
    assert record["pairs"] == []


def test_more_raters_are_compared_in_pairs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "three.csv"
    path.write_text("item,A,B,C\n1,1,2,2\n2,2,2,2\n3,4,5,4\n4,3,3,1\n5,5,5,5\n")
    record = json.loads(printed(capsys, str(path), "-m", "pearson", "-m", "kendall_w", "--json"))
    assert [one["coefficient"] for one in record["estimates"]] == ["kendall_w"]
    assert len(record["pairs"][0]["pairs"]) == 3


def test_csv_is_unrounded(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.reader(io.StringIO(printed(capsys, file, "-m", "pearson", "--csv"))))
    value = next(row[1] for row in rows if row and row[0] == "Pearson's r")
    expected = magnitudes.pearson(cs.read(file, scale="interval")).value
    assert float(value) == pytest.approx(expected, rel=1e-12)


def test_an_unknown_measure_is_wrong_usage(file: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["marks", file, "--measure", "pearsn"]) == 2
    assert "Did you mean 'pearson'?" in capsys.readouterr().err


def test_words_are_no_marks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "words.csv"
    path.write_text("item,A,B\n1,x,y\n2,y,y\n3,x,x\n")
    assert run(["marks", str(path)]) == 3
    assert "must be a number" in capsys.readouterr().err
    ordered = ["--scale", "ordinal", "--categories", "x,y", "--measure", "gamma"]
    assert "gamma" in printed(capsys, str(path), *ordered).lower()
