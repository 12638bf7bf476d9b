"""What goes wrong while ratings are reduced is said in a sentence, and nothing is left behind."""

from __future__ import annotations

import pytest

import consilience as cs
from consilience import engine
from consilience.cli._main import run
from consilience.engine import _spark
from consilience.engine._duckdb import DuckTable


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = [f"{k // 2},{'ab'[k % 2]},{'xy'[k % 3 % 2]}" for k in range(60)]
    (tmp_path / "long.csv").write_text("\n".join(["item,rater,label", *rows]))
    return tmp_path


def test_an_interrupt_leaves_with_130_and_writes_nothing(folder, monkeypatch, capsys):
    def interrupted(self, sql, parameters=()):
        raise RuntimeError("Query interrupted")  # what DuckDB raises at Ctrl-C

    monkeypatch.setattr(DuckTable, "_run", interrupted)
    asked = ["measure", "long.csv", "--engine", "duckdb", "--save-rows", "a.rows", "-q"]
    assert run(asked) == 130
    assert "Interrupted" in capsys.readouterr().err
    assert [path.name for path in folder.iterdir()] == ["long.csv"]


def test_a_session_that_dies_is_a_sentence(folder, monkeypatch):
    class Dead:
        def stop(self):
            raise ConnectionRefusedError("Connection refused")

    def fails(session, paths):
        raise ConnectionRefusedError("Connection refused")

    monkeypatch.setattr(_spark, "_session", lambda master: (Dead(), True))
    monkeypatch.setattr(_spark, "_read", fails)
    with pytest.raises(cs.ConsilienceError, match="the reduction on Spark must run to its end"):
        engine.reduce_files("long.csv", engine="spark")
