"""Files of evaluation tools: who is a person, what is no verdict, what was run again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

import consilience as cs
from consilience.cli.program import cli
from consilience.exceptions import ConsilienceError, InputError
from consilience.io import load
from lookalikes import LOOKALIKES, inspect_log, inspect_sample, json_lines, written


def look(name: str, folder: Path) -> Path:
    return LOOKALIKES[name].write(folder)


def codes(ratings: cs.Ratings) -> set[str]:
    return {note.code for note in ratings.notes}


def test_inspect_reads_json_as_it_reads_the_archive(tmp_path: Path) -> None:
    packed = load(look("inspect", tmp_path))
    plain = load(written(tmp_path, "log.json", json.dumps(inspect_log())))
    assert plain.reading.format == packed.reading.format == "inspect"
    assert plain.reading.states == packed.reading.states
    assert plain.reading.states["excluded"] == {"error": 2, "unparsable": 1}


def test_epochs_are_occasions(tmp_path: Path) -> None:
    ratings = load(look("inspect", tmp_path)).ratings
    assert len(ratings.occasions) == 2
    assert "repeated_runs" in codes(ratings)
    assert ratings.raters == ("grader", "match")


def test_refusals_and_failures_may_be_labels(tmp_path: Path) -> None:
    path = look("inspect", tmp_path)
    kept = load(path, excluded="label").ratings
    assert {"unparsable", "error"} <= set(kept.categories)
    assert kept.n_items == 4
    assert set(load(path).ratings.categories) == {"C", "I"}


def test_scores_of_inspect_that_are_no_grades_are_variables(tmp_path: Path) -> None:
    log = inspect_log()
    log["samples"] = [
        inspect_sample(f"q{k}", 1, {"a": {"tone": k, "facts": 1}, "b": {"tone": 2, "facts": k}})
        for k in range(3)
    ]
    loaded = load(written(tmp_path, "log.json", json.dumps(log)))
    assert set(loaded.groups) == {"tone", "facts"}
    assert loaded.groups["tone"].raters == ("a", "b")


def test_a_person_who_edits_a_score_is_a_rater(tmp_path: Path) -> None:
    log = inspect_log()
    sample = inspect_sample("q1", 1, {"grader": "C"})
    score = sample["scores"]["grader"]  # type: ignore[index]
    score["history"] = [{"value": "I"}, {"value": "C", "provenance": {"author": "ann"}}]
    log["samples"] = [sample, inspect_sample("q2", 1, {"grader": "C"})]
    loaded = load(written(tmp_path, "log.json", json.dumps(log)))
    assert loaded.ratings.raters == ("grader", "ann")
    assert loaded.reading.systems == ("grader",)


def test_logs_of_several_models_keep_their_answers_apart(tmp_path: Path) -> None:
    for model in ("m1", "m2"):
        log = inspect_log() | {"eval": {"task": "qa", "model": model}}
        written(tmp_path, f"{model}.json", json.dumps(log))
    ratings = load([tmp_path / "m1.json", tmp_path / "m2.json"]).ratings
    assert ratings.n_items == 6


def test_promptfoo_knows_graders_and_people(tmp_path: Path) -> None:
    path = look("promptfoo", tmp_path)
    loaded = load(path)
    assert set(loaded.ratings.categories) == {"pass", "fail"}
    assert loaded.reading.systems == (
        "llm-rubric (openai:gpt-4o)", "llm-rubric (anthropic:claude)",
    )  # fmt: skip
    assert loaded.reading.states["excluded"] == {"error": 2, "unparsable": 1}
    scores = load(path, label="score").ratings
    assert set(scores.categories) == {0, 1}


def test_two_rubrics_of_one_grader_are_two_questions(tmp_path: Path) -> None:
    path = look("promptfoo", tmp_path)
    document = json.loads(path.read_text())
    parts = document["results"]["results"][0]["gradingResult"]["componentResults"]
    parts.append(parts[0] | {"assertion": parts[0]["assertion"] | {"value": "is short"}})
    path.write_text(json.dumps(document))
    assert set(load(path).groups) == {"verdict", "verdict: is short"}


def test_deepeval_gives_verdicts_or_scores(tmp_path: Path) -> None:
    path = look("deepeval", tmp_path)
    loaded = load(path)
    assert set(loaded.groups["Correctness"].categories) == {"pass", "fail"}
    assert loaded.reading.states["excluded"] == {"unparsable": 1}
    assert load(path, label="score").groups["Correctness"].categories == (0.0, 0.9)


def test_mlflow_keeps_runs_of_judges_and_the_newest_of_people(tmp_path: Path) -> None:
    loaded = load(look("mlflow", tmp_path))
    ratings = loaded.ratings
    assert len(ratings.occasions) == 2
    assert loaded.reading.systems == ("gpt-4o",)
    assert loaded.reading.states["excluded"] == {"refusal": 1, "replaced by a newer one": 1}


def test_expectations_of_mlflow_are_gold(tmp_path: Path) -> None:
    path = look("mlflow", tmp_path)
    traces = json.loads(path.read_text())
    for trace in traces:
        trace["info"]["assessments"].append(
            {"assessment_name": "correct", "expectation": {"value": "yes"},
             "source": {"source_type": "HUMAN", "source_id": "key"}}
        )  # fmt: skip
    path.write_text(json.dumps(traces))
    assert "key" not in load(path).ratings.raters
    assert "key" in load(path, gold="rater").ratings.raters


def test_lm_eval_has_metrics_and_answers_beside_the_target(tmp_path: Path) -> None:
    path = look("lm-eval", tmp_path)
    assert set(load(path).groups) == {"exact_match", "answer"}
    answers = load(path, gold="rater").groups["answer"]
    assert "target" in answers.raters
    assert answers.n_ratings == 8  # one answer was not found by its filter


def test_langsmith_as_a_table(tmp_path: Path) -> None:
    lines = ["id,run_id,key,score,value,feedback_source.type,feedback_source.user_id"]
    lines += [
        "f1,r1,ok,1,,app,ann",
        "f2,r1,ok,0,,model,",
        "f3,r2,ok,1,,app,ann",
        "f4,r2,ok,1,,model,",
    ]
    loaded = load(written(tmp_path, "feedback.csv", "\n".join(lines) + "\n"))
    assert loaded.reading.format == "langsmith"
    assert loaded.reading.systems == ("model",)
    assert loaded.ratings.raters == ("ann", "model")


def verdicts(folder: Path, **more: object) -> Path:
    records: list[dict[str, object]] = [
        {"id": f"q{k}", "judge": "gpt-4o", "verdict": "yes" if k % 3 else "no",
         "gold": "yes" if k % 2 else "no", "rationale": "so", **more}
        for k in range(6)
    ]  # fmt: skip
    return json_lines(folder, "verdicts.jsonl", records)


def test_gold_beside_a_verdict_is_the_right_answer(tmp_path: Path) -> None:
    path = verdicts(tmp_path)
    assert load(path).ratings.raters == ("gpt-4o",)
    both = load(path, gold="rater").ratings
    assert both.raters == ("gpt-4o", "gold")
    found = cs.judges.corrected_rate(both, "yes", judge="gpt-4o", gold="gold")
    assert found.n_labels == 6


def test_gold_that_contradicts_itself_is_refused(tmp_path: Path) -> None:
    records: list[dict[str, object]] = [
        {"id": "q1", "judge": who, "verdict": "yes", "gold": right}
        for who, right in (("a", "yes"), ("b", "no"))
    ]
    with pytest.raises(InputError, match="the same in all its records"):
        load(json_lines(tmp_path, "v.jsonl", records))


def test_runs_of_a_judge_are_occasions_and_copies_without_one_are_refused(tmp_path: Path) -> None:
    records: list[dict[str, object]] = [
        {"id": f"q{k}", "judge": "m", "verdict": "yes", "run": run}
        for run in (1, 2) for k in range(3)
    ]  # fmt: skip
    assert len(load(json_lines(tmp_path, "v.jsonl", records)).ratings.occasions) == 2
    for one in records:
        del one["run"]
    with pytest.raises(ConsilienceError, match="at most once"):
        load(json_lines(tmp_path, "w.jsonl", records))


@pytest.mark.parametrize("metrics", [True, 3, "text", {"name": "x"}])
def test_deepeval_says_what_is_no_list(metrics: Any, tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps({"testCases": metrics}), encoding="utf-8")
    with pytest.raises(InputError):
        load(path)
    cases = [{"name": "a", "metricsData": metrics}, {"name": "b", "metricsData": [{}]}]
    path.write_text(json.dumps({"testCases": cases}), encoding="utf-8")
    with pytest.raises(InputError, match="the data of metrics must be a list"):
        load(path)


# -------------------------------------------------------------------- a refusal, a failure, a run


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
    named = ["--system", "gpt-4o"]
    for command, words in (("rate", []), ("rate", named), ("panel", [])):
        found = CliRunner().invoke(cli, [command, str(path), *words], standalone_mode=False)
        assert found.exception is not None, words
        assert "person" in str(found.exception), words
    found = CliRunner().invoke(
        cli, ["judges", str(path), "--system", "*", "--quiet"], standalone_mode=False
    )
    assert found.exception is None, found.exception
    assert "cannot be tested" in " ".join(found.stdout.split())
