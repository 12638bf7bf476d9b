"""What goes wrong while ratings are reduced is said in a sentence, and nothing is left behind."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import consilience as cs
from consilience import engine
from consilience.cli.program import run
from consilience.engine import spark as _spark
from consilience.engine import table_reduction
from consilience.engine.duckdb_engine import DuckTable


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


@pytest.mark.parametrize(
    ("scale", "label", "hint"),
    [
        ("ordinal", "number", "give the table to Ratings.from_wide or from_long"),
        ("nominal", "number", 'take scale="interval" for measurements'),
        ("nominal", "text", "check the label column: free text"),
    ],
)
def test_too_many_labels_to_list_are_refused_with_what_works(
    folder, monkeypatch, scale, label, hint
):
    monkeypatch.setattr(table_reduction, "_MANY_LABELS", 20)
    monkeypatch.setattr(table_reduction, "_MOST_LISTED", 40)
    said = [k + 0.5 if label == "number" else f"note {k}" for k in range(60)]
    frame = pd.DataFrame({"item": [k // 2 for k in range(60)], "rater": list("ab") * 30})
    frame["label"] = said
    frame.to_csv("many.csv", index=False)
    for reduce, table in ((engine.reduce, frame), (engine.reduce_files, "many.csv")):
        if scale == "ordinal" and table is not frame:
            continue  # DuckDB adds up the ranks of numbers, however many there are
        with pytest.raises(cs.ConsilienceError, match="at most 40 different labels") as caught:
            reduce(table, scale=scale)
        assert hint in str(caught.value)


def test_numbers_below_the_limit_are_ranked_as_in_memory():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame({"item": np.arange(900) // 3, "rater": list("abc") * 300})
    frame["label"] = rng.normal(size=300)[frame["item"]] + rng.normal(size=900)
    here = cs.krippendorff_alpha(cs.Ratings.from_long(frame, scale="ordinal"))
    there = cs.krippendorff_alpha(engine.reduce(frame, scale="ordinal"))
    assert there.value == pytest.approx(here.value, abs=1e-12)
    assert there.standard_error == pytest.approx(here.standard_error, abs=1e-12)
