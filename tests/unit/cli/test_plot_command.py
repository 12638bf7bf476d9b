"""consilience plot as a person uses it."""

from __future__ import annotations

from pathlib import Path

import pytest

from consilience import plot
from consilience.cli.program import run
from consilience.cli.raters import FIGURES

RATINGS = "item,ann,bob,cid\n" + "".join(
    f"{k},{k % 3 + 1},{(k % 3 if k % 5 else 1) + 1},{k % 3 + 1}\n" for k in range(40)
)
LONG = "item,rater,label,variable\n" + "".join(
    f"{k},{rater},{'ab'[k % 2 if k % (4 + n) else 0]},{variable}\n"
    for n, variable in enumerate(("tone", "topic"))
    for k in range(30)
    for rater in ("ann", "bob")
)
NEEDS = {
    "bland-altman": ["--pair", "ann", "bob"],
    "differences": ["--pair", "ann", "bob"],
    "variables": ["--by", "variable"],
}


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ratings.csv").write_text(RATINGS)
    Path("codes.csv").write_text(LONG)
    return tmp_path


def test_every_word_names_a_function():
    assert set(FIGURES.values()) <= set(plot.__all__)


@pytest.mark.parametrize("figure", sorted(FIGURES))
def test_every_figure_is_drawn(folder, figure, capsys):
    path = "codes.csv" if figure == "variables" else "ratings.csv"
    assert run(["plot", figure, path, "-q", *NEEDS.get(figure, [])]) == 0
    assert f"Wrote {figure}.svg" in capsys.readouterr().err
    assert Path(f"{figure}.svg").read_text(encoding="utf-8").count("<text") > 2


@pytest.mark.parametrize("name", ["a.png", "a.pdf"])
def test_the_ending_decides_about_the_format(folder, name):
    assert run(["plot", "forest", "ratings.csv", "-q", "-o", name]) == 0
    assert Path(name).read_bytes()[1:4] in (b"PNG", b"PDF")


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["plot", "forest", "ratings.csv", "--pair", "ann", "bob"], 2, "--pair means nothing"),
        (["plot", "raters", "ratings.csv", "-c", "nope"], 2, "unknown coefficient"),
        (["plot", "forest", "ratings.csv", "-o", "a.gif"], 3, ".pdf, .png or .svg"),
        (["plot", "bland-altman", "ratings.csv"], 4, "exactly two raters"),
        (["plot", "pie", "ratings.csv"], 2, "pie"),
        (["plot", "chance", "ratings.csv", "--of-label", "9"], 3, "a label must be one of"),
    ],
)
def test_what_cannot_be_drawn_is_said(folder, words, code, said, capsys):
    assert run([*words, "-q"]) == code
    assert said in capsys.readouterr().err


def test_the_label_of_a_file_of_numbers_is_found(folder):
    assert run(["plot", "chance", "ratings.csv", "--of-label", "2", "-q"]) == 0


def test_nothing_is_written_over_without_force(folder, capsys):
    Path("forest.svg").write_text("mine")
    assert run(["plot", "forest", "ratings.csv", "-q"]) == 2
    assert Path("forest.svg").read_text() == "mine"
    assert run(["plot", "forest", "ratings.csv", "-q", "--force"]) == 0
