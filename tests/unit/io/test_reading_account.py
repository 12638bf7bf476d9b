"""The account of a reading: balanced, kept by ratings made of others, told where it matters."""

from __future__ import annotations

import subprocess
import sys

import pytest

import consilience as cs
from consilience.cli.program import run
from consilience.exceptions import ReadingWarning

ASIDE = "item,rater1,rater2,certainty\n" + "".join(
    f"i{k},{'123'[k % 3]},{'123'[k % 5 % 3]},{'321'[k % 3]}\n" for k in range(12)
)
LONG = "item,rater,label,note\n" + "".join(
    f"i{k},{rater},{label},n{k}\n"
    for k in range(6)
    for rater, label in (("Ann", "x"), ("Bob", "" if k == 2 else "xy"[k % 2]), ("Cem", "9"))
)


@pytest.fixture
def aside(tmp_path):
    path = tmp_path / "aside.csv"
    path.write_text(ASIDE)
    return path


def test_a_column_that_may_be_a_rater_is_warned_of(aside, capsys):
    with pytest.warns(ReadingWarning, match="certainty"):
        ratings = cs.read(aside)
    account = ratings.reading.account
    assert account.is_balanced
    assert [one.name for one in account.that_matters] == ["certainty"]
    assert run(["measure", str(aside), "-q"]) == 0
    assert "certainty" in capsys.readouterr().err  # never silenced


def test_nobody_is_warned_who_named_the_raters(aside):
    ratings = cs.read(aside, rater=["rater1", "rater2"])
    assert not ratings.reading.account.that_matters


def test_ratings_keep_how_they_were_read(tmp_path):
    path = tmp_path / "long.csv"
    path.write_text(LONG)
    ratings = cs.read(path, missing_values=["9"])
    account = ratings.reading.account
    assert account.is_balanced
    assert account.found["rows"] == 18
    assert {one.reason: one.count for one in account.set_aside if one.kind == "rows"} == {
        "the label cell is empty": 1,
        "the label was declared to be missing": 6,
    }
    assert ratings.select(raters=["Ann", "Bob"]).complete().reading is ratings.reading
    assert ratings.merge(ratings).reading is ratings.reading
    other = tmp_path / "other.csv"
    other.write_text(LONG)
    both = ratings.merge(cs.read(other, missing_values=["9"])).reading
    assert both.account.found["rows"] == 36
    assert both.account.is_balanced
    assert len(both.sources) == 2
    assert cs.Ratings.from_wide([["a", "b"]]).reading is None


LOOK = """
import sys
opened = []
sys.addaudithook(lambda event, args: event == "open" and opened.append(str(args[0])))
from consilience.cli.program import run
run(["measure", sys.argv[1], "-q"])
ours = [name for name in sys.modules if name.startswith("consilience")]
print(len(ours), sum(name.endswith("small.csv") for name in opened), file=sys.stderr)
"""


def test_a_small_file_is_opened_once_by_us_and_few_modules_are_loaded(tmp_path):
    path = tmp_path / "small.csv"
    path.write_text("item,Ann,Bob\n" + "".join(f"{k},{'xy'[k % 2]},x\n" for k in range(12)))
    found = subprocess.run(
        [sys.executable, "-c", LOOK, str(path)], capture_output=True, text=True, check=True
    )
    modules, opened = map(int, found.stderr.split()[-2:])
    assert opened == 1  # and once more by DuckDB
    assert modules <= 265
