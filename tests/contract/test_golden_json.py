"""Every command's JSON on the examples and the published tables, frozen.

The files in ``tests/references/commands`` are what the commands wrote, not what somebody published.
Where a number or a key changes for a good reason, write them anew and say so in the changelog:

    python tests/contract/test_golden_json.py --write
"""

from __future__ import annotations

import contextlib
import io
import json
import math
import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience.cli import program as command_line
from consilience.report.unit_methods import UNIT_METHODS

ROOT = Path(__file__).resolve().parents[2]
FROZEN = ROOT / "tests" / "references" / "commands"
# The same machine gives the same digits; another one may differ in the last few.
RELATIVE = 1e-9
ABSOLUTE = 1e-12
# Pages for people, with the numbers of `measure`.
WITHOUT_JSON = {"plot", "report", "serve"}

WITH_ORDER = "--scale ordinal --categories negative,neutral,positive"
VERDICTS = "panel verdicts_long.csv --item item --refusal refused"
# Each case is the commands that lead to it; the last one writes JSON or the files named after '>'.
CASES = {
    "adjudicate": "adjudicate labels.csv --json",
    "adjudicate_majority": "adjudicate labels.csv --model majority --by entropy --json",
    "adjudicate_ordinal": "adjudicate essays_wide.csv --scale ordinal --json",
    "adjudicate_sheet": "adjudicate labels.csv --all -o sheet.csv > sheet.csv",
    "bias": "bias labels.csv --distance nominal --json",
    "coefficients": "coefficients --json",
    "critical": "critical --items 10 --items 20 --null 0,0.4 --json",
    "designs": "designs retest.csv --occasion round --json",
    "find": "find fleiss --json",
    "simulate": "simulate --items 30 --agreement 0.6 --studies 50 --json",
    "test": "test labels.csv -c ac1 --null 0,0.4 --resamples 2000 --json",
    "compare": "compare labels.csv essays_wide.csv -c alpha -c ac1 --json",
    "compare_same": f"compare labels.csv labels.csv {WITH_ORDER} --json",
    "convert_csv": "convert essays_wide.csv tidy.csv > tidy.csv",
    "convert_jsonl": "convert labels.csv tidy.jsonl > tidy.jsonl",
    "convert_anonymised": "convert labels.csv tidy.csv --anonymise --no-text > tidy.csv",
    "demo": "demo > -",
    "latent_aickin": "latent reviewers_table.csv --model aickin --json",
    "latent_trait": f"latent labels.csv {WITH_ORDER} --model latent-trait --json",
    "latent_omega": "latent retest.csv --model omega --occasion round --json",
    "marks": "marks essays_wide.csv --json",
    "marks_transposed": "marks panel_transposed.csv --json",
    "measure_anonymised": "measure labels.csv --anonymise --json",
    "measure_bca": "measure labels.csv -c alpha -c ac1 --interval bca --resamples 99 --json",
    "measure_by_variable": "measure headlines_long.csv --by variable --json",
    "measure_counts": "measure tweets_counts.csv --json",
    "measure_explained": "measure labels.csv --explain > -",
    "measure_interval": "measure essays_wide.csv --scale interval --json",
    "measure_labels": "measure labels.csv --json",
    "measure_merged": (
        "measure verdicts_long.csv --item item --rater judge --label score --engine duckdb "
        "--save-rows a.rows -q; "
        "merge a.rows a.rows -o both.rows; measure both.rows --json"
    ),
    "measure_added": (
        "measure verdicts_long.csv --item item --rater judge --label score --add-to all.rows -q; "
        "rows all.rows --json"
    ),
    "latent_elsewhere": (
        "latent verdicts_long.csv --item item --rater judge --label score --engine duckdb --json"
    ),
    "measure_ordinal": f"measure labels.csv {WITH_ORDER} --json",
    "measure_table": "measure reviewers_table.csv --scale ordinal --json",
    "measure_transposed": "measure panel_transposed.csv --scale interval --json",
    "panel": f"{VERDICTS} --system gpt --people Ann --people Bob --resamples 99 --json",
    "panel_two_systems": f"{VERDICTS} --system gpt --system bert --scale ordinal --json",
    "panel_sweep": (
        "sweep runs.csv --setting setting --people tutor --scale ordinal --sort-by L1 "
        "--resamples 99 --json"
    ),
    "panel_sweep_published": (
        "sweep haley_2008_table_1_2.csv --setting 'marked answers' --differences --sort-by L2 "
        "--json"
    ),
    "panel_rate": "rate verdicts.jsonl --people people.csv --system gpt-4o --of-label pass --json",
    "panel_difference": (
        "rate verdicts.jsonl --people people.csv --system claude-3 --of-label pass "
        "--answers-of system --document prompt --json"
    ),
    "panel_buy": (
        "rate verdicts.jsonl --people people.csv --system gpt-4o --of-label pass --buy 0.06 --json"
    ),
    "panel_tell_from": (
        "rate verdicts.jsonl --people people.csv --system gpt-4o --of-label pass --tell-from 0.5 "
        "--power 0.9 --json"
    ),
    "panel_soft": (
        "soft opinions.csv --probabilities calibrated.csv --probabilities too_sure.csv --json"
    ),
    "judges": (
        "judges verdicts.jsonl --people people.csv --length tokens --favour pass --batch week "
        "--json"
    ),
    "prefer": "prefer battles.csv --resamples 99 --json",
    "plan_items": "plan --kappa0 0.4 --kappa1 0.6 --prevalence 0.3 --simulations 50 --json",
    "plan_pilot": "plan --pilot labels.csv --half-width 0.1 --simulations 50 --json",
    "plan_power": "plan --kappa0 0.4 --kappa1 0.6 --prevalence 0.3 --items 80 --json",
    "plan_raters": "plan --kappa 0.7 --half-width 0.08 --items 200 --simulations 50 --json",
    "plan_simulated": "plan --kappa 0.7 --half-width 0.1 --items 150 -c pi --simulations 50 --json",
    "plan_width": "plan --kappa 0.7 --width 0.2 --prevalence 0.2,0.3,0.5 --simulations 50 --json",
    "raters": "raters labels.csv --json",
    "raters_expert": "raters labels.csv --expert ann --json",
    "raters_ordinal": "raters essays_wide.csv --scale ordinal --json",
    "units_links": "units gestures.csv --time-unit ms --links --json",
}  # fmt: skip
CASES |= {
    f"latent_{model.replace('-', '_')}": f"latent labels.csv --model {model} --resamples 49 --json"
    for model in ("dawid-skene", "one-coin", "lca")
}
CASES |= {
    f"latent_{model.replace('-', '_')}": f"latent labels.csv --model {model} --json"
    for model in ("mace", "glad")
}
CASES |= {
    f"units_{name.replace('-', '_')}": f"units gestures.csv --method {name}"
    f"{' --resamples 99' if 'n_resamples' in one.heeds else ''} --json"
    for name, one in UNIT_METHODS.items()
}
DATASETS = {f"dataset_{name}": name for name in cs.datasets.names()}


def retest() -> str:
    """Two raters who label twenty items twice, with a slip now and then."""
    rows = ["item,rater,round,label"]
    for item in range(20):
        for rater, slip in (("ann", 7), ("bob", 5)):
            first = item % 3
            again = (first + (item % slip == 0)) % 3
            rows += [f"{item},{rater},1,{'xyz'[first]}", f"{item},{rater},2,{'xyz'[again]}"]
    return "\n".join(rows) + "\n"


def runs() -> str:
    """A tutor's marks of thirty answers, and a computer's with two amounts of training."""
    rows = ["item,rater,setting,label"]
    for item in range(30):
        mark = 4 - item % 7 // 2
        rows.append(f"answer {item},tutor,,{mark}")
        for amount, slip in ((10, 3), (50, 5)):
            rows.append(f"answer {item},computer,{amount},{max(0, mark - (item % slip == 0))}")
    return "\n".join(rows) + "\n"


@contextlib.contextmanager
def workshop() -> Iterator[Path]:
    """A folder with the examples, to work in."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        examples = ROOT / "examples"
        for path in [*examples.glob("*.csv"), *(examples / "works").glob("*.csv"),
                     *(examples / "judges").glob("*.*[vl]")]:  # fmt: skip
            shutil.copy(path, folder)
        (Path(folder) / "retest.csv").write_text(retest(), encoding="utf-8")
        (Path(folder) / "runs.csv").write_text(runs(), encoding="utf-8")
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


def run(command: str) -> tuple[int, str]:
    """Run one command; return its exit code and what it printed."""
    screen, aside = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in "oe")
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(aside):
        code = command_line.run(shlex.split(command))
    screen.seek(0)
    aside.seek(0)
    text = screen.read()
    return code, text if code in (0, 1) else text + aside.read()


def outcome(commands: str) -> Any:
    """What the last of some commands wrote, as plain data."""
    with workshop():
        for command in commands.split("; "):
            words, _, file = command.partition(" > ")
            code, text = run(words)
            assert code == 0, text
        if not file:
            return json.loads(text)
        return {"text": (text if file == "-" else Path(file).read_text("utf-8")).splitlines()}


def of_dataset(name: str) -> Any:
    """What `measure` says about a published table, as the command line would write it."""
    data = cs.datasets.load(name)
    if not isinstance(data, cs.Ratings):
        return json.loads(json.dumps(data.to_dict() if hasattr(data, "to_dict") else str(data)))
    return json.loads(cs.measure(data).to_json())


def found(case: str) -> Any:
    return of_dataset(DATASETS[case]) if case in DATASETS else outcome(CASES[case])


def differences(
    got: Any, want: Any, place: str = "", *, relative: float = RELATIVE
) -> Iterator[str]:
    """Say where two records differ by more than the last digits of a number."""
    if isinstance(got, dict) and isinstance(want, dict):
        for key in sorted({*got, *want} - {"version"}):
            if key not in got or key not in want:
                yield f"{place}/{key}: only in the {'record' if key in want else 'result'}"
            else:
                yield from differences(got[key], want[key], f"{place}/{key}", relative=relative)
    elif isinstance(got, list) and isinstance(want, list) and len(got) == len(want):
        for k, (one, other) in enumerate(zip(got, want, strict=True)):
            yield from differences(one, other, f"{place}/{k}", relative=relative)
    elif isinstance(got, float) and isinstance(want, float):
        if not math.isclose(got, want, rel_tol=relative, abs_tol=ABSOLUTE):
            yield f"{place}: {got} instead of {want}"
    elif got != want or type(got) is not type(want):
        yield f"{place}: {got!r} instead of {want!r}"


@pytest.mark.parametrize("case", [*CASES, *DATASETS])
@pytest.mark.filterwarnings("default")
def test_the_record_of_a_command_is_the_frozen_one(case: str) -> None:
    want = json.loads((FROZEN / f"{case}.json").read_text(encoding="utf-8"))
    assert list(differences(found(case), want)) == []


def test_every_command_and_every_record_has_its_case() -> None:
    used = {step.split()[0] for commands in CASES.values() for step in commands.split("; ")}
    assert used | WITHOUT_JSON == set(command_line.cli.commands)
    assert {path.stem for path in FROZEN.glob("*.json")} == {*CASES, *DATASETS}


def write() -> None:
    """Freeze what the commands write now."""
    FROZEN.mkdir(parents=True, exist_ok=True)
    for path in FROZEN.glob("*.json"):
        path.unlink()
    for case in (*CASES, *DATASETS):
        record = found(case)
        if isinstance(record, dict):
            record.pop("version", None)
        text = json.dumps(record, indent=1, ensure_ascii=False)
        (FROZEN / f"{case}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__" and "--write" in sys.argv:
    write()
