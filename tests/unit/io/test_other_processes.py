"""What other processes answer about workbooks, statistics files and databases, and how they end."""

from __future__ import annotations

import datetime
import io
import json
import sys
import threading
from pathlib import Path
from typing import Any

import duckdb
import pytest

import consilience as cs
import needed
from consilience.io.files import _child_main, _duckdb_child, _readstat_child, _xls_child
from consilience.io.files import child as _child
from consilience.io.files.child import Child
from spreadsheets import write_xls

# -------------------------------------------------------------------- asking


@pytest.fixture
def child(tmp_path: Path) -> Any:
    """A process that answers with twice what it is asked for, and ends itself at 0."""
    path = tmp_path / "twice.py"
    path.write_text(
        "import os\nMOST_MEMORY = 1 << 32\ndef answer(request):\n"
        "    if request['n'] == 0: os._exit(1)\n"
        "    return {'twice': 2 * request['n'], 'process': os.getpid()}\n"
    )
    one = Child("twice.py")
    one._child = path
    yield one
    one.close()


def test_one_process_answers_every_question_until_it_ends(
    child: Child, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    timers: list[threading.Timer] = []

    class Noted(threading.Timer):
        def __init__(self, *how: Any) -> None:
            super().__init__(*how)
            timers.append(self)

    monkeypatch.setattr(_child.threading, "Timer", Noted)
    first = child.ask({"n": 2}, tmp_path / "a.json")
    assert first["twice"] == 4
    second = child.ask({"n": 3}, tmp_path / "a.json")
    assert (second["twice"], second["process"]) == (6, first["process"])
    # The time is for one question, not for the process: each has a timer, which ends with it.
    assert [timer.interval for timer in timers] == [_child.SECONDS] * 2
    assert all(timer.finished.is_set() for timer in timers)
    monkeypatch.undo()
    assert child.ask({"n": 0}, tmp_path / "a.json") == {
        "error": "a file that cannot be read to its end"
    }
    third = child.ask({"n": 4}, tmp_path / "a.json")
    assert third["twice"] == 8
    assert third["process"] != first["process"]


def test_whatever_goes_wrong_is_an_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "faulty.py"
    path.write_text(
        "MOST_MEMORY = 12345\ndef answer(request):\n"
        "    if request['n'] == 1: raise ValueError('x' * 100)\n"
        "    if request['n'] == 2: raise SystemExit\n"
        "    return {'n': request['n']}\n"
    )
    limits: list[int] = []
    monkeypatch.setattr(_child_main, "_limit_memory", limits.append)
    lines = [json.dumps({"n": n, "target": str(tmp_path / f"{n}.json")}) for n in (1, 2, 3)]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines) + "\n"))
    _child_main.main(str(path))
    assert limits == [12345]
    assert capsys.readouterr().out == "done\n" * 3
    answers = [json.loads((tmp_path / f"{n}.json").read_text()) for n in (1, 2, 3)]
    assert answers == [{"error": "x" * 80}, {"error": "SystemExit"}, {"n": 3}]


# -------------------------------------------------------------------- old workbooks


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, ("text", "TRUE")),
        (False, ("text", "FALSE")),
        (2.0, ("number", "2")),
        (-2.5, ("number", "-2.5")),
        (0.1 + 0.2, ("number", "0.3")),
        (1e15, ("number", "1e+15")),
        (1e15 - 1, ("number", "999999999999999")),
        (datetime.datetime(2026, 5, 3), ("date", "2026-05-03")),
        (datetime.datetime(2026, 5, 3, 9, 30), ("date", "2026-05-03 09:30:00")),
        (datetime.date(2026, 5, 3), ("date", "2026-05-03")),
        (datetime.time(9, 30), ("date", "09:30:00")),
        ("x", ("text", "x")),
    ],
)
def test_cells_of_old_workbooks_have_a_kind_and_a_text(value: Any, expected: Any) -> None:
    assert _xls_child._cell(value) == expected


def test_sheets_of_old_workbooks_keep_their_places(tmp_path: Path) -> None:
    needed.package("python_calamine")
    rows: list[list[object]] = [[None, None, None], [None, "item", "Ann"], [], [None, 1, "x"]]
    path = write_xls(tmp_path / "codes.xls", ("Codes", rows), ("More", [["y", 2.5]]))
    request = {"path": str(path), "most_cells": 100}
    first, second = _xls_child.answer(request)["sheets"]
    assert first == {
        "name": "Codes", "hidden": False, "merged": [],
        "rows": [(2, [(2, "text", "item"), (3, "text", "Ann")]),
                 (4, [(2, "number", "1"), (3, "text", "x")])],
    }  # fmt: skip
    assert second["rows"] == [(1, [(1, "text", "y"), (2, "number", "2.5")])]
    # Cells beyond the limit are not sent, but one more than allowed, to be seen.
    for most, sent in ((1, 2), (2, 4), (3, 4), (4, 6), (100, 6)):
        sheets = _xls_child.answer(request | {"most_cells": most})["sheets"]
        assert sum(len(cells) for one in sheets for _, cells in one["rows"]) == sent


def test_merged_cells_of_old_workbooks_are_told_by_rows_and_columns_from_one(
    tmp_path: Path,
) -> None:
    needed.package("python_calamine")
    rows = [["item", "rater", "label"], ["t1", "Ann", "x"], [None, "Bob", "y"],
            ["t2", "Ann", "x"], [None, "Bob", "x"]]  # fmt: skip
    path = write_xls(tmp_path / "codes.xls", ("Codes", rows), merged=[(1, 2, 0, 0), (3, 4, 0, 0)])
    (sheet,) = _xls_child.answer({"path": str(path), "most_cells": 100})["sheets"]
    assert sheet["merged"] == [(2, 1, 3, 1), (4, 1, 5, 1)]
    ratings = cs.read(path)
    assert (list(ratings.items), ratings.n_ratings) == (["t1", "t2"], 4)


# -------------------------------------------------------------------- statistics packages


def test_statistics_files_tell_values_labels_and_what_is_missing(tmp_path: Path) -> None:
    pyreadstat = needed.package("pyreadstat")
    pandas = needed.package("pandas")
    data = pandas.DataFrame({"item": ["a", "b"], "r1": [1.0, None], "r2": [2.5, 9.0]})
    spss, stata = tmp_path / "codes.sav", tmp_path / "codes.dta"
    pyreadstat.write_sav(
        data, str(spss), variable_value_labels={"r1": {1: "low"}},
        missing_ranges={"r2": [{"lo": 8, "hi": 9}]}, variable_measure={"r1": "ordinal"},
    )  # fmt: skip
    pyreadstat.write_dta(data, str(stata))
    request: dict[str, Any] = {
        "path": str(spss), "kind": "spss", "encoding": None, "most_columns": 3, "most_cells": 6
    }  # fmt: skip
    found = _readstat_child.answer(request)
    item, r1, r2 = found.pop("columns")
    assert found == {"width": 3, "height": 2}
    assert (item["name"], item["values"], item["labels"]) == ("item", ["a", "b"], [])
    assert (r1["values"], r1["labels"], r1["measure"]) == ([1.0, None], [[1.0, "low"]], "ordinal")
    assert (r2["values"], r2["ranges"], r2["letters"]) == ([2.5, 9.0], [[8.0, 9.0]], [])
    for limit in ({"most_columns": 2}, {"most_cells": 5}):
        assert _readstat_child.answer(request | limit)["columns"] == []
    other = _readstat_child.answer(request | {"path": str(stata), "kind": "stata"})
    assert [one["values"] for one in other["columns"]] == [["a", "b"], [1.0, None], [2.5, 9.0]]


def test_values_of_statistics_files_are_plain() -> None:
    day = datetime.date(2026, 5, 3)
    values = [None, "x", True, 3, 2.5, float("nan"), day, 3j]
    plain = [None, "x", True, 3, 2.5, None, "2026-05-03", "3j"]
    assert list(map(_readstat_child._plain, values)) == plain


# -------------------------------------------------------------------- databases


def test_tables_of_a_database_are_listed_and_one_is_copied(tmp_path: Path) -> None:
    path, copy = tmp_path / "study.duckdb", tmp_path / "copy.parquet"
    with duckdb.connect(str(path)) as opened:
        opened.execute("CREATE TABLE first AS SELECT 1 AS x")
        opened.execute("CREATE SCHEMA old")
        opened.execute('CREATE TABLE old."second one" AS SELECT 2 AS x')
        opened.execute("CREATE VIEW third AS SELECT 3 AS x")
    request = {"path": str(path), "target": str(tmp_path / "answer.json")}
    names = {"tables": ["first", "old.second one"]}
    assert _duckdb_child.answer(request) == names
    assert _duckdb_child.answer(request | {"table": 1, "into": str(copy)}) == names
    assert duckdb.sql(f"FROM '{copy}'").fetchall() == [(2,)]
    assert _duckdb_child.answer(request | {"table": 0, "into": str(copy)}) == names
    assert duckdb.sql(f"FROM '{copy}'").fetchall() == [(1,)]


def test_a_database_that_cannot_be_opened_is_told_by_its_name_alone(tmp_path: Path) -> None:
    path = tmp_path / "study.duckdb"
    path.write_bytes(b"no database at all")
    said = _duckdb_child.answer({"path": str(path), "target": str(tmp_path / "x.json")})["error"]
    assert "study.duckdb" in said
    assert str(tmp_path) not in said
    assert len(said) <= 160
