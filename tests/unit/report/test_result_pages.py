"""Pages of panels and latent models: figures first, then what was found."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import consilience as cs
from consilience import latent, panel
from consilience.cli.program import run
from consilience.report import latent_page, panel_page

RNG = np.random.default_rng(11)
TRUTH = RNG.integers(1, 6, 80)
MARKS = np.clip(TRUTH[:, None] + RNG.integers(-1, 2, (80, 4)), 1, 5)
RATERS = ["Ann", "Bob", "Cid", "<b>gpt"]


@pytest.fixture(scope="module")
def ratings():
    return cs.Ratings.from_wide(MARKS, raters=RATERS, scale="ordinal")


def test_a_panel_shows_the_ceiling_and_the_differences(ratings):
    result = panel.compare(ratings, systems=["<b>gpt"], n_resamples=50)
    page = panel_page(result, result.document())
    assert [figure.name for figure in page.figures] == ["ceiling", "differences"]
    html = page.html()
    assert "<b>gpt" not in html
    assert "&lt;b&gt;gpt" in html


def test_labels_that_are_no_numbers_have_no_differences():
    names = np.array(list("abcde"))[MARKS - 1]
    result = panel.compare(
        cs.Ratings.from_wide(names, raters=RATERS), systems=["<b>gpt"], n_resamples=50
    )
    assert [figure.name for figure in panel_page(result, result.document()).figures] == ["ceiling"]


def test_a_latent_model_shows_errors_certainty_and_accuracy(ratings):
    result = latent.dawid_skene(ratings)
    page = latent_page(result, result.document())
    assert [figure.name for figure in page.figures] == ["errors", "certainty", "accuracy"]
    assert page.html() == latent_page(result, result.document()).html()


@pytest.mark.parametrize("command", [["panel", "--system", "gpt"], ["latent"]])
def test_the_commands_write_their_page(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rows = ["id,judge,score"]
    rows += [
        f"{i},{r},{MARKS[i, j]}" for i in range(80) for j, r in enumerate(["a", "b", "c", "gpt"])
    ]
    Path("marks.csv").write_text("\n".join(rows))
    name, *options = command
    asked = [name, "marks.csv", *options, "-q", "--report", "page.html"]
    assert run(asked) == 0
    assert "At a glance" in Path("page.html").read_text(encoding="utf-8")
    assert run(asked) == 2  # nothing is written over without --force
