"""A day of ratings is added to the rows of all days once, and only once."""

from __future__ import annotations

import threading

import pytest

import consilience as cs
from consilience import engine
from consilience.cli.program import run

from .conftest import long_table


def write(table, path):
    lines = map(",".join, zip(table["item"], table["rater"], table["label"], strict=True))
    path.write_text("item,rater,label\n" + "\n".join(lines) + "\n")
    return path


@pytest.fixture
def days(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return [write(long_table(k, n_items=40), tmp_path / f"day{k}.csv").name for k in range(3)]


def test_days_add_up_to_what_all_ratings_together_give(days, capsys):
    for day in days:
        assert run(["measure", day, "--add-to", "all.rows", "-q", "-c", "alpha"]) == 0
    parts = [cs.read(day) for day in days]
    everything = parts[0].merge(parts[1]).merge(parts[2])
    assert engine.load_rows("all.rows").n_items == everything.n_items
    value = cs.krippendorff_alpha(engine.load_rows("all.rows")).value
    assert value == pytest.approx(cs.krippendorff_alpha(everything).value, abs=1e-12)
    assert f"{value:.3f}" in capsys.readouterr().out  # the last call measured all of them


def test_a_day_is_never_added_twice_whatever_its_name(days, tmp_path, capsys):
    assert run(["measure", days[0], "--add-to", "all.rows", "-q"]) == 0
    before = (tmp_path / "all.rows").read_bytes()
    (tmp_path / "copy.csv").write_bytes((tmp_path / days[0]).read_bytes())
    assert run(["measure", "copy.csv", "--add-to", "all.rows", "-q"]) == 0
    assert "nothing was added" in capsys.readouterr().err
    assert (tmp_path / "all.rows").read_bytes() == before


def test_rows_say_what_is_inside(days, capsys):
    for day in days[:2]:
        run(["measure", day, "--add-to", "all.rows", "-q", "-c", "alpha"])
    capsys.readouterr()
    assert run(["rows", "all.rows"]) == 0
    shown = capsys.readouterr().out
    assert "80 items, 4 raters" in shown
    assert days[0] in shown
    assert [one.name for one in engine.rows_inside("all.rows").added] == days[:2]


def test_old_and_new_files_together_are_refused(days):
    engine.add_to_rows(cs.read(days[0]), "all.rows", sources=days[:1])
    with pytest.raises(cs.exceptions.InputError, match="leave it out"):
        engine.add_to_rows(cs.read(days[1]), "all.rows", sources=days[:2])


def test_merging_rows_with_one_file_in_common_is_refused(days):
    for name, some in (("a.rows", days[:2]), ("b.rows", days[1:])):
        for day in some:
            engine.add_to_rows(cs.read(day), name, sources=[day])
    with pytest.raises(cs.exceptions.InputError, match="leave that file of rows out"):
        engine.merge_rows(["a.rows", "b.rows"], "both.rows")


def test_two_that_add_at_once_both_count(days, tmp_path):
    every = [cs.read(day) for day in days]
    adding = [
        threading.Thread(target=engine.add_to_rows, args=(one, "all.rows"), kwargs={"sources": [d]})
        for one, d in zip(every, days, strict=True)
    ]
    for one in adding:
        one.start()
    for one in adding:
        one.join()
    assert len(engine.rows_inside("all.rows").added) == 3
    assert not list(tmp_path.glob(".all.rows*"))
