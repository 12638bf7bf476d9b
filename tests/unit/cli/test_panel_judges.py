"""Three people and four judges that err in known ways: what `consilience panel` says of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from consilience.cli.panel import panel

PEOPLE = ("Ann", "Bob", "Cid")
JUDGES = ("good", "lenient", "shy", "first")  # first: always the one shown first
N_PAIRS = 120


def run(*words: object) -> Result:
    return CliRunner().invoke(panel, [str(word) for word in words], standalone_mode=False)


def verdict(judge: str, truth: str, order: str, rng: np.random.Generator) -> str:
    if judge == "first":
        return "A"
    if judge == "shy" and rng.random() < 0.2:
        return "refused"
    said = truth
    if judge == "lenient" and rng.random() < 0.4:
        said = "tie"
    elif rng.random() < 0.08:
        said = str(rng.choice(["A", "B", "tie"]))
    return said if order == "AB" else {"A": "B", "B": "A"}.get(said, said)


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(11)
    lines = ["pair,judge,verdict,order,essay"]
    for k in range(N_PAIRS):
        truth = str(rng.choice(["A", "B", "tie"], p=[0.5, 0.35, 0.15]))
        for who in PEOPLE:
            own = truth if rng.random() < 0.9 else str(rng.choice(["A", "B", "tie"]))
            lines.append(f"p{k},{who},{own},AB,e{k // 4}")
        lines += [
            f"p{k},{judge},{verdict(judge, truth, order, rng)},{order},e{k // 4}"
            for judge in JUDGES
            for order in ("AB", "BA")
            for _ in (1, 2)
        ]
    path = tmp_path_factory.mktemp("judges") / "verdicts.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


WORDS = ("--item", "pair", "--label", "verdict", "--refusal", "refused", "--swapped", "order",
         "--duplicates", "occasions", "--resamples", "200", "--document", "essay",
         *(word for judge in JUDGES for word in ("--system", judge)))  # fmt: skip


@pytest.fixture(scope="module")
def record(verdicts: Path) -> dict[str, Any]:
    result = run(verdicts, *[w for w in WORDS if w not in ("--document", "essay")], "--json")
    found: dict[str, Any] = json.loads(result.stdout)
    return found


def test_people_are_the_ceiling_beside_a_base_rate_and_a_constant_answer(
    record: dict[str, Any],
) -> None:
    kappa = "cohen_kappa:nominal"
    assert record["ceiling"][kappa]["value"] == pytest.approx(0.79, abs=0.1)
    assert record["base_label"] == "A"
    assert record["base_rate"] == pytest.approx(0.5, abs=0.1)
    assert record["constant"]["identical"] == pytest.approx(record["base_rate"], abs=0.02)
    assert record["constant"][kappa] == pytest.approx(0.0, abs=1e-12)
    told = {one["code"]: one["message"] for one in record["findings"]}
    assert "first" in told["constant_answer"]


def test_refusals_are_counted_for_each_judge(record: dict[str, Any]) -> None:
    assert set(record["data"]["refusals"]) == {"shy"}
    assert record["data"]["refusals"]["shy"] == pytest.approx(24, abs=12)


def test_a_judge_that_gives_a_label_too_often_is_named(record: dict[str, Any]) -> None:
    biased = {(one["system"], one["label"]) for one in record["label_use"]
              if one["p_adjusted"] < 0.05}  # fmt: skip
    assert {("lenient", "tie"), ("first", "A"), ("first", "B")} <= biased
    assert not {one for one in biased if one[0] == "good"}
    said = [one["message"] for one in record["findings"] if one["code"] == "label_bias"]
    assert any(one.startswith("lenient gives tie more often than people") for one in said)


def test_swaps_and_repeated_runs_are_told_apart(record: dict[str, Any]) -> None:
    swaps = {row["rater"]: row for row in record["position_swap"]["rows"]}
    assert swaps["first"]["same_place"] == 1.0
    assert swaps["good"]["consistent"]["value"] > 0.8
    assert swaps["shy"]["items"] < N_PAIRS  # what was refused in either order is no verdict
    stable = {row["rater"]: row["unstable"] for row in record["stability"]}
    assert stable["first"] == 0.0
    assert 0.0 < stable["good"] < stable["lenient"]


def test_the_items_to_read_first_are_listed(record: dict[str, Any]) -> None:
    listed = record["disagreements"]
    assert [one["system"] for one in listed] == [judge for judge in JUDGES for _ in range(5)]
    mine = [one for one in listed if one["system"] == "first"]
    assert all(one["distance"] == 1.0 and one["spread"] == 0.0 for one in mine)
    assert all(one["label"] == "A" and "A" not in one["people"].values() for one in mine)


def test_a_gate_that_is_not_met_gives_1(verdicts: Path) -> None:
    assert run(verdicts, *WORDS, "--fail-under", "kappa=0.6", "--quiet").return_value == 1
    alone = [*WORDS[:-8], "--system", "good", "--people", "Ann", "--people", "Bob"]
    assert run(verdicts, *alone, "--fail-under", "kappa=0.6", "--quiet").return_value == 0


def test_everything_is_in_what_people_read(verdicts: Path) -> None:
    text = run(verdicts, *WORDS, "--top", "2", "--all").stdout
    for head in ("How often each label is given", "Stability", "Farthest from the people",
                 "Asked again with the two candidates in the other order"):  # fmt: skip
        assert head in text
    assert "posterior draws of documents" in " ".join(text.split())
    assert "Farthest" not in run(verdicts, *WORDS, "--top", "0").stdout


def scores(folder: Path) -> Path:
    rng = np.random.default_rng(2)
    lines = ["item,judge,score"]
    for k in range(80):
        truth = int(rng.integers(2, 5))
        lines += [f"i{k},{who},{truth + int(rng.integers(-1, 2))}" for who in PEOPLE]
        lines += [f"i{k},kind,{truth + 1}", f"i{k},strict,{truth - 1}"]
        lines.append(f"i{k},shy,{'refused' if k % 4 == 0 else truth}")
    path = folder / "scores.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_kind_and_strict_judges_and_refused_marks(tmp_path: Path) -> None:
    words = [w for judge in ("kind", "strict", "shy") for w in ("--system", judge)]
    asked = (scores(tmp_path), *words, "--scale", "ordinal", "--resamples", "100", "--json")
    record = json.loads(run(*asked, "--refusal", "refused").stdout)
    severity = {one["rater"]: one["severity"]["value"] for one in record["markers"]}
    assert severity["kind"] == pytest.approx(1.0, abs=0.2)
    assert severity["strict"] == pytest.approx(-1.0, abs=0.2)
    assert record["data"]["refusals"] == {"shy": 20}
    assert record["label_use"] == []
    unnamed = json.loads(run(*asked).stdout)
    told = {one["code"]: one["message"] for one in unnamed["findings"]}
    assert told["answers_left_out"].startswith("20 answers were left out")
