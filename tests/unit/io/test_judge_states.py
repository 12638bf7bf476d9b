"""Each tool's file with a refusal, a failure and a repeated run, read without a flag."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from consilience.cli.program import cli
from consilience.io import load
from lookalikes import LOOKALIKES, inspect_log, inspect_sample, json_lines, written


def inspect_json(folder: Path) -> Path:
    """Two epochs; one scorer gave no value (NaN, as Inspect writes it), one answer was filtered."""
    log = inspect_log()
    log["samples"] = [
        *log["samples"],  # type: ignore[misc]
        inspect_sample("q5", 1, {}, error={"message": "blocked by content_filter"}),
        inspect_sample("q6", 1, {"grader": float("nan"), "match": "C"}),
    ]
    return written(folder, "log.json", json.dumps(log))


def promptfoo(folder: Path) -> Path:
    """The look-alike, its first test asked again, and one that the provider refused."""
    path = LOOKALIKES["promptfoo"].write(folder)
    document = json.loads(path.read_text())
    results = document["results"]["results"]
    refused = {**results[2], "testIdx": 3, "error": "refused by content filter"}
    document["results"]["results"] = [*results, results[0], refused]
    path.write_text(json.dumps(document))
    return path


def deepeval(folder: Path) -> list[Path]:
    """Two runs of one test file; the judge refused once in the second."""
    first = LOOKALIKES["deepeval"].write(folder)
    run = json.loads(first.read_text())
    run["testCases"][0]["metricsData"][0] |= {"success": None, "score": None,
                                              "error": "content_filter: refused"}  # fmt: skip
    run["testCases"][1]["metricsData"][1]["error"] = "Timed out"
    return [first, written(folder, "second_run.json", json.dumps(run))]


def mlflow(folder: Path) -> Path:
    path = LOOKALIKES["mlflow"].write(folder)
    traces = json.loads(path.read_text())
    late = {"value": None, "error": {"error_code": "TIMEOUT", "error_message": "timeout"}}
    again = json.loads(json.dumps(traces[3]))
    again["info"]["trace_id"] = "tr-5"
    again["info"]["assessments"][0]["feedback"] = late
    path.write_text(json.dumps([*traces, again]))
    return path


def langsmith(folder: Path) -> Path:
    path = LOOKALIKES["langsmith"].write(folder)
    records = [json.loads(line) for line in path.read_text().splitlines()]
    model = records[1]
    more: list[dict[str, Any]] = [
        {**model, "id": "f8", "created_at": "2026-01-02T00:00:00Z", "score": 0},
        {**model, "id": "f9", "run_id": "r3", "score": None, "extra": {"error": "refusal"}},
        {**model, "id": "f10", "run_id": "r4", "score": None, "error": True},
    ]
    return json_lines(folder, "feedback.jsonl", [*records, *more])


def langfuse(folder: Path) -> Path:
    """An evaluator that ran twice, a category that says it refused, a text that is no score."""
    path = LOOKALIKES["langfuse"].write(folder)
    scores = json.loads(path.read_text())
    again = {**scores[1], "id": "s8", "value": 0, "timestamp": "2025-01-02T00:00:00.000Z"}
    text = {**scores[0], "id": "s9", "name": "why", "value": None, "stringValue": "Too long.",
            "dataType": "TEXT"}  # fmt: skip
    path.write_text(json.dumps([*scores, again, text]))
    return path


def lm_eval(folder: Path) -> Path:
    path = LOOKALIKES["lm-eval"].write(folder)
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines, lines[-1]]) + "\n")  # logged twice
    return path


def plain(folder: Path) -> Path:
    records: list[dict[str, Any]] = [
        {"id": f"q{k}", "judge": judge, "verdict": "yes" if (k + run) % 3 else "no",
         "gold": "yes" if k % 2 else "no", "run": run}
        for k in range(6) for judge in ("gpt-4o", "claude-3") for run in (1, 2)
    ]  # fmt: skip
    records[0]["verdict"], records[1]["verdict"], records[2]["verdict"] = (
        "refusal", "parse_error", "timeout")  # fmt: skip
    return json_lines(folder, "verdicts.jsonl", records)


# Tool to its file, the states in it, the systems by its own word, and whether there are runs.
CASES: dict[str, tuple[Callable[[Path], Any], dict[str, int], set[str], bool]] = {
    "inspect": (inspect_json, {"error": 3, "refusal": 2, "unparsable": 1}, {"grader", "match"},
                True),
    "promptfoo": (promptfoo, {"error": 2, "refusal": 2, "replaced by a newer one": 1,
                              "unparsable": 1},
                  {"llm-rubric (openai:gpt-4o)", "llm-rubric (anthropic:claude)"}, True),
    "deepeval": (deepeval, {"error": 1, "refusal": 1, "unparsable": 1}, {"gpt-4o"}, True),
    "mlflow": (mlflow, {"error": 1, "refusal": 1, "replaced by a newer one": 1}, {"gpt-4o"}, True),
    "langsmith": (langsmith, {"error": 1, "refusal": 1}, {"model"}, True),
    "langfuse": (langfuse, {}, {"EVAL"}, True),
    "lm-eval": (lm_eval, {"unparsable": 1}, {"strict-match", "flexible-extract"}, True),
    "eval-records": (plain, {"error": 1, "refusal": 1, "unparsable": 1}, set(), True),
}  # fmt: skip


@pytest.mark.parametrize("tool", CASES)
def test_refusals_failures_and_repeats_are_read_without_a_flag(tool: str, tmp_path: Path) -> None:
    make, states, systems, repeated = CASES[tool]
    loaded = load(make(tmp_path))
    assert loaded.reading.format == tool
    assert (loaded.reading.states or {})["excluded"] == states
    assert set(loaded.reading.systems) == systems
    runs = {len(part.occasions) > 1 for part in loaded.groups.values()}
    assert (True in runs) == repeated


def test_four_models_without_people_are_refused_where_people_are_needed(tmp_path: Path) -> None:
    models = ("gpt-4o", "claude-3", "llama-3", "qwen-2")
    records: list[dict[str, Any]] = [
        {"id": f"q{k}", "judge": name, "verdict": "pass" if (k + j) % 3 else "fail"}
        for k in range(12) for j, name in enumerate(models)
    ]  # fmt: skip
    path = json_lines(tmp_path, "verdicts.jsonl", records)
    for words in (["--rate", "pass"], ["--system", "gpt-4o", "--rate", "pass"], []):
        found = CliRunner().invoke(cli, ["panel", str(path), *words], standalone_mode=False)
        assert found.exception is not None, words
        assert "person" in str(found.exception), words
    found = CliRunner().invoke(
        cli, ["judges", str(path), "--system", "*", "--quiet"], standalone_mode=False
    )
    assert found.exception is None, found.exception
    assert "cannot be tested" in " ".join(found.stdout.split())
