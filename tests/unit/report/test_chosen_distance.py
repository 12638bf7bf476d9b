"""A report by the distance that was chosen, and labels that are sets."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import consilience as cs
from consilience.findings import find, recommend
from consilience.report import measure, report
from consilience.report.report import raters as rater_tables

MARKS = cs.Ratings.from_wide(
    np.clip(np.arange(30)[:, None] % 5 + np.array([[0, 1, 0]] * 15 + [[0, 0, 2]] * 15), 0, 5) + 1,
    raters=("Ann", "Bob", "Cy"),
    scale="ordinal",
)
SETS = cs.Ratings.from_wide(
    [
        [{"fear", "anger"}, {"anger"}, {"anger", "fear"}],
        [{"joy"}, {"joy"}, {"joy", "love"}],
        [{"joy", "love"}, {"love", "joy"}, {"love"}],
        [{"sad"}, {"sad", "fear"}, {"sad"}],
        [{"love"}, {"joy"}, {"love"}],
    ],
    raters=("Ann", "Bob", "Cy"),
)
TREE = cs.distances.taxonomy({k: "low" if k < 4 else "high" for k in range(1, 7)})


def tables(ratings: cs.Ratings, distance: object) -> tuple[list[list[object]], list[list[object]]]:
    """The tables of pairs and of leaving one out, as the page shows them."""
    pairs, without = (
        block.table for block in rater_tables(ratings, distance) if block.name != "label-use"
    )
    return pairs.rows, without.rows


@pytest.mark.parametrize(
    ("ratings", "distance"),
    [(MARKS, "nominal"), (MARKS, "linear"), (MARKS, "quadratic"), (MARKS, None), (MARKS, TREE),
     (SETS, "masi"), (SETS, "jaccard"), (SETS, "passonneau"), (SETS, None)],
)  # fmt: skip
def test_pairs_and_leaving_one_out_use_the_chosen_distance(ratings, distance) -> None:
    pairs, without = tables(ratings, distance)
    of_two = cs.krippendorff_alpha(ratings.select(raters=("Ann", "Bob")), distance=distance)
    assert pairs[0][2] == pytest.approx(of_two.value)
    left = cs.krippendorff_alpha(ratings.select(raters=("Bob", "Cy")), distance=distance)
    assert without[0][:2] == ["Ann", pytest.approx(left.value)]


def test_the_page_names_the_distance_of_its_pairs() -> None:
    assert "each pair of raters (masi distance)" in report(SETS, distance="masi").html()


@pytest.mark.parametrize("distance", ["masi", "jaccard", "dice", "passonneau"])
def test_sets_compared_by_overlap_raise_no_caution(distance: str) -> None:
    estimate = cs.krippendorff_alpha(SETS, distance=distance)
    assert "several_labels" not in {one.code for one in find(SETS, [estimate])}
    told = " ".join(recommend(SETS, distance=distance).reasons)
    assert "overlap disagree less" in told


def test_without_a_distance_of_sets_the_words_fit_the_number() -> None:
    page = report(SETS)
    assert "several_labels" in {one.code for one in page.summary.findings}
    assert "takes two sets as equal or not" in page.html()
    assert "overlap disagree less" not in page.html()
    assert recommend(SETS).distance == "masi"


def test_labels_that_are_sets_are_written_sorted() -> None:
    text = str(measure(SETS, distance="masi"))
    assert "{anger, fear}" in text
    for shown in (text, report(SETS, distance="masi").html(), repr(SETS.categories)):
        assert "frozenset" not in shown


SCRIPT = """
import sys
from pathlib import Path
from consilience.cli import main
folder = Path(sys.argv[1])
def run(command, *words):
    try:
        main([command, str(folder / "sets.csv"), "--sets", ",", *words, "-q"])
    except SystemExit:
        pass
masi = ("--distance", "masi")
for form in ("--json", "--csv", "--markdown", "--latex"):
    run("measure", *masi, form)
for distance in ((), masi):
    run("measure", *distance)
    run("adjudicate", *distance)
    run("adjudicate", *distance, "-o", str(folder / "sheet.csv"), "--force")
    run("report", *distance, "-o", str(folder / "page.html"), "--force")
    for name in ("page.html", "sheet.csv"):
        print((folder / name).read_text())
"""


def test_the_same_bytes_whatever_the_hash_seed(tmp_path) -> None:
    rows = ["item,ann,bob,cy", '1,"fear,anger",anger,"anger,fear"', '2,joy,joy,"love,joy"']
    rows += ['3,"love,joy","joy,love",love', '4,sad,"sad,fear",sad', "5,love,joy,love"]
    (tmp_path / "sets.csv").write_text("\n".join(rows) + "\n")
    told = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT, str(tmp_path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        for seed in ("1", "77")
    ]
    assert told[0].stdout == told[1].stdout
    assert told[0].stderr == told[1].stderr
    assert "{anger, fear}" in told[0].stdout
    assert told[0].stdout.count("<title>") == 2
    assert "frozenset" not in told[0].stdout + told[0].stderr


def test_a_decision_may_name_the_members_of_a_set_in_any_order() -> None:
    from consilience.io.adjudication._sheet import Labels

    labels = Labels(SETS.categories)
    place = list(SETS.categories).index(frozenset({"anger", "fear"}))
    for cell in ("{anger, fear}", "{fear, anger}", "fear;anger", "fear, anger"):
        assert labels.code(cell) == place
    assert labels.code("fear") is None
