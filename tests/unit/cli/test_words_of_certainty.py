"""What a person reads of certainty: limits hold the value, and p says what they say."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from consilience.cli.program import run

EXAMPLES = Path(__file__).resolve().parents[3] / "examples"


def told(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run(arguments) == 0
    return " ".join(capsys.readouterr().out.split())


@pytest.fixture
def rare(tmp_path: Path) -> str:
    """A thousand items, one of which one of two raters calls unsafe."""
    rows = [f"item{k},{'unsafe' if k == 7 else 'safe'},safe" for k in range(1_000)]
    path = tmp_path / "rare.csv"
    path.write_text("\n".join(["item,Ann,Bob", *rows]) + "\n", encoding="utf-8")
    return str(path)


@pytest.mark.parametrize("name", ["kappa", "pi", "alpha"])
def test_a_label_used_once_is_no_agreement_beyond_chance(
    capsys: pytest.CaptureFixture[str], rare: str, name: str
) -> None:
    """It was "Scott's pi -0.001 (95% CI 0.000 to 0.921)" and p .02."""
    shown = told(capsys, "measure", rare, "-c", name, "-q")
    value, low, high = map(float, re.search(
        r"(-?0\.\d{3}) \(95% CI (-?0\.\d{3}) to (-?\d\.\d{3})\)", shown.replace("−", "-")
    ).groups())  # type: ignore[union-attr]  # fmt: skip
    assert low <= value <= high
    assert "includes 0" in shown or "chance" in shown
    (one,) = json.loads(told(capsys, "measure", rare, "-c", name, "--json"))["estimates"]
    assert one["p_value"] > 0.9
    tested = told(capsys, "test", rare, "-c", name, "-q", "--method", "auto", "--words", "none")
    assert "above none of these null values" in tested
    assert re.search(r"\b0 0\.5\d\d\b|\b0 0\.[5-9]\d\d\b|\b0 1\.000\b", tested)  # p of 0, one-sided


@pytest.mark.parametrize("method", ["monte-carlo", "auto"])
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_what_a_value_is_above_lies_below_the_limit_that_is_said(
    capsys: pytest.CaptureFixture[str], method: str, alternative: str
) -> None:
    """Alpha .408 (95% CI .191 to .589) was "above null values up to 0.2"."""
    options = ["-q", "--method", method, "--alternative", alternative, "--words", "none"]
    shown = told(capsys, "test", str(EXAMPLES / "labels.csv"), "-c", "alpha", *options)
    said = r"at least (0\.\d+) with" if alternative == "greater" else r"95% CI (0\.\d+) to"
    (low,) = map(float, re.search(said, shown).groups())  # type: ignore[union-attr]
    (highest,) = map(float, re.search(r"values up to (0\.\d)", shown).groups())  # type: ignore[union-attr]
    assert highest <= low < highest + 0.1


def test_leads_have_p_values_that_their_limits_say(capsys: pytest.CaptureFixture[str]) -> None:
    """The record's p contradicted the simultaneous limits in one of five leads."""
    path = str(EXAMPLES / "judges" / "battles.csv")
    record = json.loads(told(capsys, "prefer", path, "--json"))
    leads = record["preferences"]["leads"]
    for lead in leads:
        outside = not lead["interval"]["low"] <= 0.0 <= lead["interval"]["high"]
        assert (lead["p_value"] <= 0.05) == outside
        assert "p_holm" not in lead
    assert "p (Holm)" not in told(capsys, "prefer", path, "-q")


def test_marks_show_the_p_value_of_the_limits_beside_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """ICC(1) 0.281, -0.065 to 0.938 had p < 0.001; of two sides, not of one."""
    rng = np.random.default_rng(4)
    said = ("--shape", "wide", "--item", "essay", "--rater", "Ann,Bob,Cid")
    for k in range(12):
        item = rng.lognormal(0.0, 1.0, (30, 1)) * rng.uniform(0.2, 1.0)
        marks = item + rng.normal(0.0, 1.0, (30, 3)) + rng.normal(0.0, 0.5, 3)
        lines = [",".join([f"e{i}", *(f"{x:.2f}" for x in row)]) for i, row in enumerate(marks)]
        path = tmp_path / f"marks{k}.csv"
        path.write_text("\n".join(["essay,Ann,Bob,Cid", *lines]) + "\n", encoding="utf-8")
        for one in json.loads(told(capsys, "marks", str(path), *said, "--json"))["estimates"]:
            limits = one["interval"]
            if one["coefficient"] == "icc" and limits["low"] is not None:
                assert (one["p_value"] <= 0.05) == (not limits["low"] <= 0.0 <= limits["high"])
