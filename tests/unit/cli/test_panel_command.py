"""``consilience panel`` and ``sweep``: files in, verdicts out, gates, mistakes, exit codes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result

from consilience.cli.panel import panel, sweep
from consilience.exceptions import ConsilienceError

JUDGES = ("Ann", "Bob", "Cid", "gpt", "bert")


def run(*arguments: object) -> Result:
    words = [str(word) for word in arguments]
    return CliRunner().invoke(panel, [*words, "--resamples", "60"], standalone_mode=False)


def swept(*arguments: object) -> Result:
    words = [str(word) for word in arguments]
    return CliRunner().invoke(sweep, [*words, "--resamples", "60"], standalone_mode=False)


def rows(n: int = 60) -> list[dict[str, Any]]:
    rng = np.random.default_rng(3)
    out = []
    for k in range(n):
        truth = int(rng.integers(1, 6))
        for judge in JUDGES:
            mark: Any = int(np.clip(truth + rng.integers(-1, 2), 1, 5))
            if judge == "gpt" and k % 20 == 0:
                mark = "refused"
            out.append(
                {"id": f"q{k}", "judge": judge, "score": mark, "essay": f"e{k // 4}",
                 "moderator": truth, "when": k}
            )  # fmt: skip
    return out


def as_csv(records: list[dict[str, Any]]) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(records[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(records)
    return stream.getvalue()


@pytest.fixture
def verdicts(tmp_path: Path) -> Path:
    path = tmp_path / "verdicts.csv"
    path.write_text(as_csv(rows()), encoding="utf-8")
    return path


HUMANS = ("--people", "Ann,Bob,Cid")
MARKS = ("--scale", "ordinal", "--refusal", "refused", "--item", "id", *HUMANS)


def test_a_long_file_gives_a_verdict_for_each_system(verdicts: Path) -> None:
    result = run(verdicts, "-s", "gpt", "-s", "bert", *MARKS)
    assert result.return_value == 0
    assert "weighted kappa (quadratic); margin 0.05" in result.stdout
    assert "gpt 3. They are left out" in " ".join(result.stdout.split())
    assert "item: id; rater: judge" in result.stderr


def test_json_has_the_envelope_and_the_sources(verdicts: Path) -> None:
    result = run(verdicts, "-s", "gpt", *MARKS, "--json")
    record = json.loads(result.stdout)
    assert {"schema", "version", "seed", "data", "estimates", "findings"} <= set(record)
    assert record["data"]["sources"] == [str(verdicts)]
    assert record["data"]["refusals"] == {"gpt": 3}
    assert record["systems"][0]["system"] == "gpt"
    assert record["people"] == ["Ann", "Bob", "Cid"]
    assert record["who"] == {
        "people": ["Ann", "Bob", "Cid"],
        "systems": ["gpt"],
        "left_out": ["bert"],
    }


@pytest.mark.parametrize("form", ["csv", "markdown", "latex"])
def test_other_forms_are_written(verdicts: Path, tmp_path: Path, form: str) -> None:
    result = run(verdicts, "-s", "gpt", *MARKS, f"--{form}", "-o", tmp_path / "out")
    assert (result.return_value, result.stdout) == (0, "")
    assert "gpt" in (tmp_path / "out").read_text(encoding="utf-8")


def test_other_columns_are_documents_gold_and_time(verdicts: Path) -> None:
    options = ("--document", "essay", "--gold", "moderator", "--time", "when", "--json")
    told = ("--scale", "ordinal", "--refusal", "refused", *HUMANS)
    result = run(verdicts, "-s", "gpt", *told, *options)
    record = json.loads(result.stdout)
    assert record["data"]["clusters"] == {"column": "essay", "number": 15}
    assert {one["rater"] for one in record["accuracy"]} == set(JUDGES) - {"bert"}
    assert len(record["markers"][0]["batches"]) == 5


def test_a_wide_file_with_a_column_of_documents(tmp_path: Path) -> None:
    lines = ["item,essay,Ann,Bob,gpt"]
    for k in range(40):
        mark = (k * k + k // 5) % 4
        lines.append(f"q{k},e{k // 3},{mark},{(mark + (k % 7 == 0)) % 4},{mark}")
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    record = json.loads(run(path, "-s", "gpt", "--document", "essay", "--json").stdout)
    assert record["people"] == ["Ann", "Bob"]
    assert record["data"]["clusters"] == {"column": "essay", "number": 14}


def test_a_document_that_changes_within_an_item_is_refused(tmp_path: Path) -> None:
    records = rows(8)
    records[1]["essay"] = "elsewhere"
    path = tmp_path / "v.csv"
    path.write_text(as_csv(records), encoding="utf-8")
    result = run(path, "-s", "bert", "--document", "essay", "--item", "id", *HUMANS)
    assert isinstance(result.exception, ConsilienceError)
    assert "the same in all rows of an item" in str(result.exception)


@pytest.mark.parametrize("ending", ["jsonl", "json"])
def test_json_lines_and_nested_json_are_read(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"v.{ending}"
    if ending == "jsonl":
        path.write_text("\n".join(map(json.dumps, rows())), encoding="utf-8")
        result = run(path, "-s", "gpt", "-s", "bert", *MARKS, "--json")
    else:
        nested: dict[str, dict[str, dict[str, Any]]] = {"human": {}, "llm": {}}
        for row in rows():
            kind = "human" if row["judge"] in JUDGES[:3] else "llm"
            nested[kind].setdefault(row["judge"], {})[row["id"]] = row["score"]
        path.write_text(json.dumps(nested), encoding="utf-8")
        result = run(path, "--scale", "ordinal", "--refusal", "refused", "--json")
    record = json.loads(result.stdout)
    assert [one["system"] for one in record["systems"]] == ["gpt", "bert"]
    assert record["people"] == ["Ann", "Bob", "Cid"]


def test_settings_are_swept_and_drawn(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    lines = ["training,item,rater,mark"]
    for k in range(40):
        truth = int(rng.integers(1, 5))
        for amount, noise in ((10, 0.9), (20, 0.1)):
            emma = int(rng.integers(1, 5)) if rng.random() < noise else truth
            lines += [f"{amount},q{k},tutor,{truth}", f"{amount},q{k},emma,{emma}"]
    path = tmp_path / "runs.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    figure = tmp_path / "sweep.svg"
    options = ("--setting", "training", "--people", "tutor", "--scale", "ordinal")
    result = swept(path, *options, "--sort-by", "identical", "--figure", figure, "--json")
    record = json.loads(result.stdout)
    assert [row["setting"] for row in record["rows"]] == ["20", "10"]
    assert record["findings"][0]["code"] == "winner_on_same_data"
    assert figure.stat().st_size > 1_000
    assert swept(path, *options, "--fail-under", "kappa=0.99").return_value == 1
    assert swept(path, "--setting", "training").exit_code == 1  # click's usage error
    assert swept(path, *options, "--held-out", "0.5").return_value == 0


def test_orders_that_were_swapped_are_compared(tmp_path: Path) -> None:
    lines = ["order,item,rater,verdict"]
    for k in range(20):
        verdict = "AB"[k % 2]
        lines += [f"AB,{k},{judge},{verdict}" for judge in ("Ann", "Bob", "gpt")]
        lines.append(f"BA,{k},gpt,{verdict if k < 5 else 'BA'[k % 2]}")
    path = tmp_path / "swap.csv"
    path.write_text("\n".join(lines), encoding="utf-8")
    result = run(path, "-s", "gpt", "--swapped", "order", "--json")
    record = json.loads(result.stdout)
    assert record["position_swap"]["rows"][0]["consistent"]["value"] == 0.75
    assert "position_bias" in {one["code"] for one in record["findings"]}
    assert "keeps the place" in run(path, "-s", "gpt", "--swapped", "order").stdout
    path.write_text("\n".join([*lines, "CA,1,gpt,A"]), encoding="utf-8")
    assert "two orders" in str(run(path, "-s", "gpt", "--swapped", "order").exception)


@pytest.mark.parametrize(
    ("gate", "code", "told"),
    [
        ("kappa=0.1", 0, ""),
        ("kappa=0.99", 1, "gpt: cohen_kappa is 0."),
        ("identical=1", 1, "below 1"),
        ("winning_rate=0", 0, ""),
        ("pi=0.1", 4, "does not exist here"),
    ],
)
def test_a_gate_sets_the_exit_code(verdicts: Path, gate: str, code: int, told: str) -> None:
    result = run(verdicts, "-s", "gpt", *MARKS, "--fail-under", gate)
    assert result.return_value == code
    assert told in result.stderr


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ((), "Got neither people nor systems among Ann, Bob, Cid, bert, gpt."),
        (("-s", "gbt"), "did you mean 'gpt'"),
        (("-s", "gpt", "--people", "gpt"), "in both lists"),
        (("-s", "gpt", *HUMANS, "--epsilon", "expert"), "did you mean 'experts'"),
        (("-s", "gpt", "--gold", "modertor"), "modertor"),
        (("-s", "gpt", "--fail-under", "kapa=1"), "unknown coefficient"),
        (("-s", "gpt", "-c", "kapa"), "Did you mean 'kappa'"),
    ],
)
def test_a_mistake_is_one_sentence(
    verdicts: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    result = run(verdicts, "--item", "id", *arguments)
    assert sentence in str(getattr(result.exception, "message", result.exception))


def test_one_mark_for_everything_is_undefined_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "constant.csv"
    path.write_text("essay,Ann,Bob,gpt\n" + "".join(f"e{k},3,3,3\n" for k in range(40)))
    for told in ((), ("--shape", "wide")):
        result = run(path, "--system", "gpt", *told)
        assert result.return_value == 4
        assert "undefined" in result.output
        assert "one person only" not in result.output


def test_counts_do_not_say_who_rated(tmp_path: Path) -> None:
    path = tmp_path / "counts.csv"
    rows = "".join(f"e{k},{3 - k % 4},{k % 4},3\n" for k in range(12))
    path.write_text(f"item,no,yes,total\n{rows}")
    result = run(path, "--system", "yes")
    assert "--shape wide" in str(getattr(result.exception, "message", ""))


def test_tiny_p_values_are_not_shown_as_zero(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 3, 150)
    lines = [
        f"e{k},{t},{t},{t if k % 9 else (t + 1) % 3},{rng.integers(0, 3)}"
        for k, t in enumerate(truth)
    ]
    path = tmp_path / "poor.csv"
    path.write_text("essay,Ann,Bob,Cid,gpt\n" + "\n".join(lines) + "\n")
    shown = run(path, "--system", "gpt", "--shape", "wide", "--all").output
    assert "<0.001" in shown
    p_values = run(path, "--system", "gpt", "--shape", "wide", "--csv").output
    assert "<0.001" not in p_values  # for programs they stay numbers


def test_people_are_hidden_and_systems_keep_their_names(verdicts: Path) -> None:
    told = ("--item", "id", "--refusal", "refused", "--anonymise", "--json")
    record = json.loads(run(verdicts, "--system", "gpt", "--system", "bert", *told).stdout)
    assert [one["system"] for one in record["systems"]] == ["gpt", "bert"]
    assert len(record["people"]) == 3
    assert all(name.startswith("R") for name in record["people"])


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("--gold", "moderatr"), "--gold must be one of the columns"),
        (("--document", "esay"), "--document must be one of the columns"),
        (("--epsilon", "friends"), "or one of 'experts', 'skilled', 'crowd'"),
        (("-c", "kapa"), "Did you mean 'kappa'?"),
    ],
)
def test_a_mistake_is_told_by_the_name_of_the_option(
    verdicts: Path, arguments: tuple[str, ...], sentence: str
) -> None:
    result = run(verdicts, "--item", "id", "--system", "gpt", *HUMANS, *arguments)
    assert sentence in str(getattr(result.exception, "message", result.exception))


def runs(path: Path, people: str, system: str = "gpt") -> Path:
    lines = ["id,judge,score,training,essay"]
    for k in range(30):
        lines += [f"q{k},{who},{1 + k % 4},{people},e{k // 3}" for who in ("Ann", "Bob")]
        lines += [f"q{k},{system},{1 + (k + (k % n == 0)) % 4},{n},e{k // 3}" for n in (3, 9)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


SWEEP = ("--setting", "training", "--people", "Ann", "--people", "Bob", "--scale", "ordinal",
         "--item", "id", "--json")  # fmt: skip


def test_people_need_no_setting_in_a_sweep_and_any_will_do(tmp_path: Path) -> None:
    said = [swept(runs(tmp_path / "runs.csv", people), *SWEEP).stdout for people in ("", "3", "9")]
    assert said[0] == said[1] == said[2]
    assert [row["setting"] for row in json.loads(said[0])["rows"]] == ["9", "3"]


def test_people_need_no_setting_in_a_wide_file(tmp_path: Path) -> None:
    lines = ["id,training,Ann,gpt"]
    for k in range(30):
        lines += [f"q{k},,{1 + k % 4},", f"q{k},3,,{1 + k % 4}", f"q{k},9,,{1 + k % 3}"]
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    wide = ("--shape", "wide", "--rater", "Ann", "--rater", "gpt")
    record = json.loads(swept(path, *SWEEP[:4], *SWEEP[6:], *wide).stdout)
    assert [row["setting"] for row in record["rows"]] == ["3", "9"]
    assert record["rows"][0]["values"]["identical"]["value"] == 1.0


def test_a_system_needs_a_setting_in_a_sweep(tmp_path: Path) -> None:
    path = runs(tmp_path / "runs.csv", "")
    said = str(swept(path, *SWEEP[:4], *SWEEP[6:]).exception)  # Bob is no person now
    assert "ratings of Bob without one" in said


def test_a_sweep_resamples_documents(tmp_path: Path) -> None:
    path = runs(tmp_path / "runs.csv", "")
    record = json.loads(swept(path, *SWEEP, "--document", "essay").stdout)
    assert record["data"]["clusters"] == {"column": "essay", "number": 10}
    assert json.loads(swept(path, *SWEEP).stdout)["data"]["clusters"] is None
