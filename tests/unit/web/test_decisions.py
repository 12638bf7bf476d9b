"""Decisions are appended, taken back by another line, and count once."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from browser.kills import kill_often
from consilience.exceptions import InputError
from consilience.web.screens.adjudication import Decisions, decisions_file


def add(found: Decisions, item: str, label: str, nonce: str, who: str = "") -> bool:
    return found.add("study", who, kind="label", item=item, value=label, nonce=nonce)


def test_a_decision_counts_once_and_can_be_taken_back(tmp_path: Path) -> None:
    found = Decisions(tmp_path / "d.sqlite")
    assert found.standing("study", "") == []
    assert add(found, "r1", "yes", "n1")
    assert not add(found, "r1", "yes", "n1")  # the same request again
    assert add(found, "r2", "no", "n2")
    assert [(one.item, one.value) for one in found.standing("study", "")] == [
        ("r1", "yes"), ("r2", "no"),
    ]  # fmt: skip
    last = found.undo("study", "", nonce="n3")
    assert last is not None
    assert last.item == "r2"
    assert found.undo("study", "", nonce="n3") is None  # the same request again
    assert [one.item for one in found.standing("study", "")] == ["r1"]
    with sqlite3.connect(found.path) as opened:
        assert opened.execute("SELECT count(*) FROM decisions").fetchone() == (3,)
    opened.close()


def test_adjudicators_and_studies_are_apart(tmp_path: Path) -> None:
    found = Decisions(tmp_path / "d.sqlite")
    add(found, "r1", "yes", "n1", who="Ann")
    add(found, "r1", "no", "n2", who="Bob")
    assert [one.value for one in found.standing("study", "Ann")] == ["yes"]
    assert [one.value for one in found.standing("study", "Bob")] == ["no"]
    assert found.standing("another", "Ann") == []
    assert found.adjudicators("study") == ["Ann", "Bob"]


def test_another_file_is_never_written(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("these are my notes, a good deal of them\n" * 40)
    before = text.read_bytes()
    with pytest.raises(InputError, match="--project"):
        add(Decisions(text), "r1", "yes", "n1")
    other = tmp_path / "other.sqlite"
    with sqlite3.connect(other) as opened:
        opened.execute("CREATE TABLE mine (x)")
    opened.close()
    with pytest.raises(InputError, match="another database"):
        add(Decisions(other), "r1", "yes", "n1")
    assert text.read_bytes() == before


def test_decisions_lie_beside_the_data_or_where_told(tmp_path: Path) -> None:
    data = tmp_path / "labels.csv"
    assert decisions_file(str(data), None) == tmp_path / "labels.decisions.sqlite"
    assert decisions_file(str(data), tmp_path / "x.db") == tmp_path / "x.db"
    assert decisions_file("", None) == Path("consilience-decisions.sqlite")


def test_kill_9_of_the_server_loses_and_doubles_nothing(tmp_path: Path) -> None:
    """Few moments here; `python -m tests.browser.kills 20` takes twenty."""
    found = kill_often(2, tmp_path)
    assert found.answered > 0
    assert (found.lost, found.doubled, found.wrong) == (0, 0, 0)
    assert found.kept <= found.answered + found.kills
