"""The composite action and the pre-commit hook: what they call is run, step by step."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import consilience
import needed
from patience import PATIENCE

yaml = needed.package("yaml")

ROOT = Path(__file__).resolve().parents[3]
ACTION = ROOT / ".github" / "actions" / "agreement" / "action.yml"
HOOKS = ROOT / ".pre-commit-hooks.yaml"
EXAMPLES = ROOT / "examples"
BASH = shutil.which("bash")
pytestmark = needed.needs_program("bash")

# Stands for Python on the runner: what would be installed is written down, all else is run.
PYTHON = f"""#!/bin/sh
if [ "$1 $2 $3" = "-m pip install" ]; then echo "$@" >> installed.txt; exit 0; fi
exec {shlex.quote(sys.executable)} "$@"
"""


@pytest.fixture
def runner(tmp_path: Path) -> Path:
    """A folder with a study and a Python of its own."""
    for path in (EXAMPLES / "labels.csv", *(EXAMPLES / "judges").glob("*.*[vl]")):
        shutil.copy(path, tmp_path)
    (tmp_path / "bin").mkdir()
    for name, text in (("python", PYTHON),
                       ("consilience", f'#!/bin/sh\nexec {shlex.quote(sys.executable)} '
                                       '-m consilience "$@"\n')):  # fmt: skip
        (tmp_path / "bin" / name).write_text(text)
        (tmp_path / "bin" / name).chmod(0o755)
    return tmp_path


def environment(folder: Path) -> dict[str, str]:
    """Little more than a path, as on a fresh runner."""
    return {
        "PATH": f"{folder / 'bin'}{os.pathsep}/usr/bin{os.pathsep}/bin",
        "PYTHONPATH": str(Path(consilience.__file__).parents[1]),
        "HOME": str(folder),
        "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
    }


def run_action(folder: Path, **inputs: str) -> int:
    """Run the steps of the action as a runner does; return the first exit code that is not 0."""
    action = yaml.safe_load(ACTION.read_text())
    assert action["runs"]["using"] == "composite"
    declared = action["inputs"]
    given = {name: str(inputs.pop(name.replace("-", "_"), one.get("default", "")))
             for name, one in declared.items()}  # fmt: skip
    assert not inputs, "unknown inputs"
    missing = [name for name, one in declared.items() if one.get("required") and not given[name]]
    assert not missing

    def told(text: Any) -> str:
        return re.sub(r"\$\{\{ inputs\.([\w-]+) \}\}", lambda found: given[found[1]], str(text))

    for step in action["runs"]["steps"]:
        assert step["shell"] == "bash"
        assert "${{" not in step["run"]  # inputs come by the environment, never as code
        env = environment(folder) | {name: told(x) for name, x in step.get("env", {}).items()}
        words = [str(BASH), "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        code = subprocess.run(words, cwd=folder, env=env, capture_output=True, timeout=PATIENCE,
                              check=False).returncode  # fmt: skip
        if code:
            return code
    return 0


@pytest.mark.parametrize(("gate", "code"), [("alpha:low=-0.5 ac1=0.1", 0), ("alpha:low=0.6", 1)])
def test_the_action_stops_where_agreement_is_too_low(runner: Path, gate: str, code: int) -> None:
    assert run_action(runner, files="labels.csv", fail_under=gate, version="==1.2") == code
    assert "consilience==1.2" in (runner / "installed.txt").read_text()
    assert "Krippendorff's alpha" in (runner / "summary.md").read_text()


def test_the_action_runs_a_rate_and_writes_its_page(runner: Path) -> None:
    code = run_action(
        runner, command="rate", files="verdicts.jsonl", fail_under="rate:low=0.6",
        options="--people people.csv --system gpt-4o --of-label pass", report="rate.html",
    )  # fmt: skip
    assert code == 1  # the lower limit is .59
    assert "people would in" in (runner / "summary.md").read_text()
    assert "<svg" in (runner / "rate.html").read_text()


def test_an_input_is_no_code(runner: Path) -> None:
    code = run_action(runner, files="labels.csv; touch stolen $(touch taken)", fail_under="alpha=0")
    assert code
    assert not {"stolen", "taken"} & {path.name for path in runner.iterdir()}


@pytest.mark.parametrize(("gate", "code"), [("alpha=0.5", 0), ("alpha:low=0.6", 1)])
def test_the_hook_is_run_as_pre_commit_does(runner: Path, gate: str, code: int) -> None:
    (hook,) = yaml.safe_load(HOOKS.read_text())
    assert {"id", "name", "entry", "language"} <= hook.keys()
    assert hook["language"] == "python"
    assert {"csv", "json"} <= set(hook["types_or"])
    words = [*shlex.split(hook["entry"]), "--fail-under", gate, "labels.csv"]
    found = subprocess.run(words, cwd=runner, env=environment(runner), capture_output=True,
                           timeout=PATIENCE, check=False, text=True)  # fmt: skip
    assert found.returncode == code, found.stderr
    assert ("below" in found.stderr) == bool(code)
