"""`consilience bias`, chains, weights, trees and shares on the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from consilience.cli.program import run

WORKS = Path(__file__).parents[3] / "examples" / "works"
TABLE_6 = str(WORKS / "artstein_poesio_2005_table_6.csv")
WEIGHTS = f"file:{WORKS / 'artstein_poesio_2005_weights.csv'}"
LINKS = str(WORKS / "trains_links.csv")
Screen = pytest.CaptureFixture[str]


def record(capsys: Screen, *arguments: str) -> dict:
    assert run([*arguments, "-q", "--json"]) == 0
    found: dict = json.loads(capsys.readouterr().out)
    return found


def test_bias_of_table_6(capsys: Screen) -> None:
    found = record(capsys, "bias", TABLE_6, "--distance", "nominal", "--distance", WEIGHTS)
    assert [one["bias"] for one in found["bias"]["distances"]] == pytest.approx([0.0054, 0.0045])
    values = [one["value"] for one in found["estimates"]]
    assert values[1:3] == pytest.approx([0.7995, 0.8013], abs=5e-5)
    assert values[3:] == pytest.approx([0.8156, 0.8146, 0.8163], abs=5e-5)


def test_bars_are_drawn(capsys: Screen, tmp_path: Path) -> None:
    target = tmp_path / "bars.svg"
    assert run(["bias", LINKS, "--chains", "links", "--distance", "dice", "-q",
                "--figure", str(target)]) == 0  # fmt: skip
    assert "<svg" in target.read_text()
    assert "Wrote" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["measure", "bias"])
def test_chains_are_read_by_every_command(capsys: Screen, command: str) -> None:
    found = record(capsys, command, LINKS, "--chains", "links", "--distance", "dice")
    alpha = next(x for x in found["estimates"] if x["coefficient"] == "krippendorff_alpha")
    assert alpha["value"] == pytest.approx(0.7611, abs=5e-5)


def test_a_report_on_chains(capsys: Screen, tmp_path: Path) -> None:
    page = tmp_path / "chains.html"
    told = ["report", LINKS, "--chains", "links", "--distance", "dice", "-q", "-o", str(page)]
    assert run(told) == 0
    text = page.read_text()
    assert "frozenset" not in text
    assert "(dice distance)" in text


@pytest.mark.parametrize("word", ["trees", "links:after", ""])
def test_an_unknown_form_of_chains_is_wrong_usage(capsys: Screen, word: str) -> None:
    assert run(["measure", LINKS, "--chains", word or "x"]) == 2
    assert "links:before" in capsys.readouterr().err


def test_a_tree_on_the_command_line(capsys: Screen) -> None:
    tree = f"taxonomy:{WORKS / 'artstein_poesio_2005_senses.csv'}"
    senses = str(WORKS / "call_senses.csv")
    strict = record(capsys, "measure", senses, "-c", "kappa")["estimates"][0]["value"]
    loose = [
        record(capsys, "measure", senses, "-c", "kappa", "--distance", tree + end)["estimates"][0]
        for end in ("", ":passonneau")
    ]
    assert all(one["value"] > strict and one["distance"] == "taxonomy" for one in loose)
    assert loose[0]["value"] != loose[1]["value"]


@pytest.mark.parametrize("word", ["file:", "taxonomy:", "file:nowhere.csv", "taxonomy:nowhere.csv"])
def test_a_file_of_distances_that_is_not_there(capsys: Screen, word: str) -> None:
    assert run(["measure", TABLE_6, "--distance", word]) == 2
    assert "--distance" in capsys.readouterr().err


def test_shares_from_a_paper(capsys: Screen) -> None:
    path = str(WORKS / "artstein_poesio_2005_table_4_case_3.csv")
    found = record(capsys, "measure", path, "--shares-of", "100", "-c", "pi", "-c", "kappa")
    assert found["data"]["items"] == 100
    assert found["data"]["sources"] == [path]
    assert [x["value"] for x in found["estimates"]] == pytest.approx([0.4595, 0.4737], abs=5e-5)
    assert run(["measure", path, "--shares-of", "33"]) == 3


def test_sensitivity_above_what_was_asked_for(capsys: Screen) -> None:
    path = str(WORKS / "marbles.csv")
    told = ["latent", path, "--model", "lca", "--positive", "white"]
    found = record(capsys, *told, "--above", "0.9")
    tests = {(x["rater"], x["quantity"]): x for x in found["models"][0]["above"]}
    assert tests["A", "sensitivity"]["p_value"] < 0.05 < tests["D", "specificity"]["p_value"]
    assert run([*told, "-q", "--all"]) == 0
    assert "Sensitivity and specificity" in capsys.readouterr().out
    assert run(["latent", path, "--above", "0.9"]) == 2
