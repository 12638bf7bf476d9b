"""What an output file is called says what is written into it, or it is refused."""

from __future__ import annotations

import csv
import json

import duckdb
import openpyxl
import pytest

from consilience.cli.program import run

TEXT = "item,Ann,Bob\n1,x,x\n2,y,x\n3,y,y\n4,x,x\n5,=y,x\n"


@pytest.fixture
def ratings(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text(TEXT)
    return str(path)


COMMANDS = [["measure"], ["raters"], ["latent"], ["measure", "-c", "alpha"]]


def rows_of(path):
    if path.suffix == ".xlsx":
        cells = openpyxl.load_workbook(path).worksheets[0].iter_rows(values_only=True)
        return [["" if cell is None else cell for cell in row] for row in cells]
    with path.open(newline="") as stream:
        return list(csv.reader(stream))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("ending", [".json", ".csv", ".md", ".tex", ".xlsx", ".txt"])
def test_the_ending_is_what_is_written(command, ending, ratings, tmp_path):
    path = tmp_path / f"out{ending}"
    assert run([command[0], ratings, *command[1:], "-q", "-o", str(path)]) == 0
    data = path.read_bytes()
    if ending == ".json":
        assert json.loads(data)["schema"] == "consilience/1"
    elif ending == ".xlsx":
        assert data.startswith(b"PK")
    else:
        assert data.decode("utf-8").strip()
    assert not list(tmp_path.glob(".consilience-*"))  # written beside, and renamed
    assert run([command[0], ratings, *command[1:], "-q", "-o", str(path)]) == 2  # exists


def test_a_workbook_and_parquet_hold_what_csv_holds(ratings, tmp_path):
    for ending in (".csv", ".xlsx", ".parquet"):
        assert run(["measure", ratings, "-q", "-o", str(tmp_path / f"out{ending}")]) == 0
    lines = rows_of(tmp_path / "out.csv")
    sheet = rows_of(tmp_path / "out.xlsx")
    assert sheet[0] == lines[0]
    place = lines[0].index("value")
    values = [float(row[place]) for row in lines[1:]]
    assert [row[place] for row in sheet[1:]] == pytest.approx(values, rel=1e-14)
    table = duckdb.sql(f"SELECT coefficient, value FROM '{tmp_path / 'out.parquet'}'").fetchall()
    assert [value for _, value in table] == values


def test_a_page_is_written_where_there_is_one(ratings, tmp_path, capsys):
    page = tmp_path / "raters.html"
    assert run(["raters", ratings, "-q", "-o", str(page)]) == 0
    assert page.read_text(encoding="utf-8").lstrip().lower().startswith("<!doctype html")
    assert run(["measure", ratings, "-q", "-o", str(tmp_path / "m.html")]) == 2
    assert "consilience report" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "name"),
    [("measure", "x.docx"), ("raters", "x.xls"), ("report", "x.pdf"), ("latent", "x.png"),
     ("adjudicate", "x.json")],
)  # fmt: skip
def test_what_is_not_written_is_refused_before_anything_is_read(command, name, tmp_path, capsys):
    absent = str(tmp_path / "absent.csv")
    assert run([command, absent, "-o", str(tmp_path / name)]) == 2
    assert "must end in" in capsys.readouterr().err
    assert not (tmp_path / name).exists()


def test_a_flag_against_the_ending_is_refused(ratings, tmp_path, capsys):
    assert run(["measure", ratings, "--json", "-o", str(tmp_path / "x.xlsx")]) == 2
    assert "exclude each other" in capsys.readouterr().err


def test_texts_in_a_workbook_are_no_formulas(tmp_path):
    path = tmp_path / "r.csv"
    path.write_text("item,=Ann,Bob\n1,x,x\n2,y,x\n3,y,y\n")
    assert run(["raters", str(path), "-q", "-o", str(tmp_path / "o.xlsx")]) == 0
    cells = [c for row in openpyxl.load_workbook(tmp_path / "o.xlsx").worksheets[0] for c in row]
    assert {c.data_type for c in cells if c.value == "=Ann"} == {"s"}
