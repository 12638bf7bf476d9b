"""Do the tests bite? Change the program in one place, and see whether a test fails.

``make mutants`` samples changes with a fixed seed, tries each against the quickest tests that call
the changed function, and keeps the results in a file; a later run goes on. A survivor is either
the lack of a test, or a change that makes no difference; these are listed with their reasons in
``tests/mutants_explained.json`` (see docs/trust.md). Linux only.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "consilience"
FOLDERS = (
    "rows",
    "coefficients",
    "inference",
    "ratings",
    "io/grids",
    "io/layout",
    "io/building",
    "io/files",
    "engine",
)
TESTS = (
    *(f"tests/unit/{name}" for name in ("rows", "coefficients", "inference", "ratings", "engine",
                                        "distances", "core", "io")),
    "tests/papers",
    *(f"tests/contract/test_{name}.py" for name in (
        "attacks", "every_coefficient", "every_distance", "golden", "golden_inference",
        "golden_resampling", "degenerate", "linearised_errors", "every_route", "safety_files",
        "accounts", "tables", "golden_json")),
)  # fmt: skip
EXPLAINED = ROOT / "tests" / "mutants_explained.json"  # changes that make no difference, and why
QUICK, WIDE = 4.0, 60.0  # seconds of tests: at first, and of what survives these


# -------------------------------------------------------------------- changes

_COMPARED = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "is": "is not",
             "is not": "is", "in": "not in", "not in": "in"}  # fmt: skip
_COMPUTED = {"+": "-", "-": "+", "*": "/", "/": "*", "//": "*", "%": "*", "**": "*", "@": "*",
             "&": "|", "|": "&"}  # fmt: skip
_CALLED = {"min": "max", "max": "min", "any": "all", "all": "any", "minimum": "maximum",
           "maximum": "minimum", "floor": "ceil", "ceil": "floor", "argmax": "argmin",
           "argmin": "argmax"}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A change: what stands at a place, and what is put there."""

    file: str
    line: int
    function: str
    start: int  # characters from the beginning of the file
    end: int
    old: str
    new: str

    def applied(self, text: str) -> str:
        """Return the changed file."""
        return text[: self.start] + self.new + text[self.end :]


class _Places:
    """Turns lines and columns (in bytes) of a syntax tree into places in a text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._lines = [line.encode() for line in text.splitlines(keepends=True)]
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))

    def at(self, line: int, column: int) -> int:
        return self._starts[line - 1] + len(self._lines[line - 1][:column].decode())

    def of(self, node: Any) -> tuple[int, int]:
        return self.at(node.lineno, node.col_offset), self.at(node.end_lineno, node.end_col_offset)


def mutants_in(path: Path) -> Iterator[Mutant]:
    """Yield all changes of a file; texts, annotations, messages and limits of size stay."""
    text = path.read_text(encoding="utf-8")
    places = _Places(text)
    name = str(path.relative_to(ROOT))
    for function, node in _code(ast.parse(text), ""):
        for start, end, new in _changes(node, places):
            line = text.count("\n", 0, start) + 1
            yield Mutant(name, line, function, start, end, text[start:end], new)


def _code(tree: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
    """Yield the nodes inside functions, with the name of the function."""
    for child in ast.iter_child_nodes(tree):
        if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            for statement in child.body:
                if not (
                    isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)
                ):
                    yield from _inside(statement, child.name)
        elif isinstance(child, ast.ClassDef):
            yield from _code(child, function)


def _inside(node: ast.AST, function: str) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        for statement in node.body:
            yield from _inside(statement, node.name)
        return
    yield function, node
    if isinstance(node, (ast.Raise, ast.Assert, ast.JoinedStr, ast.ImportFrom, ast.Import)):
        return
    for name, value in ast.iter_fields(node):
        if name in ("annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _inside(child, function)


def _changes(node: ast.AST, places: _Places) -> Iterator[tuple[int, int, str]]:
    if isinstance(node, ast.Compare):
        left = node.left
        for right in node.comparators:
            yield from _between(left, right, places, _COMPARED)
            left = right
    elif isinstance(node, ast.BinOp) and not isinstance(node.left, ast.Constant | ast.JoinedStr):
        yield from _between(node.left, node.right, places, _COMPUTED)
    elif isinstance(node, ast.BoolOp):
        first, second = node.values[:2]
        yield from _between(first, second, places, {"and": "or", "or": "and"})
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        start, end = places.of(node)
        yield start, end, places.text[slice(*places.of(node.operand))]
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        value = node.value
        new = not value if isinstance(value, bool) else value + 1
        yield *places.of(node), repr(new)
    elif isinstance(node, (ast.If, ast.IfExp, ast.While)):
        start, end = places.of(node.test)
        yield start, end, f"(not ({places.text[start:end]}))"
    elif isinstance(node, ast.Raise) or (
        isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)
    ):
        yield *places.of(node), "pass"
    elif isinstance(node, ast.Call):
        called = node.func
        word = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
        if word in _CALLED:
            end = places.of(called)[1]
            yield end - len(word), end, _CALLED[word]


def _between(
    left: ast.AST, right: ast.AST, places: _Places, words: dict[str, str]
) -> Iterator[tuple[int, int, str]]:
    """Change the sign between two operands."""
    start, end = places.of(left)[1], places.of(right)[0]
    found = re.search(r"is\s+not|not\s+in|[a-z]+|[<>=!+\-*/%@&|]+", places.text[start:end])
    if found and re.sub(r"\s+", " ", found[0]) in words:
        new = words[re.sub(r"\s+", " ", found[0])]
        yield start + found.start(), start + found.end(), new


def sampled(number: int, seed: int) -> list[Mutant]:
    """Draw changes, from each folder alike."""
    rng = random.Random(seed)
    drawn: list[Mutant] = []
    for folder in FOLDERS:
        every = [one for path in sorted((PACKAGE / folder).rglob("*.py"))
                 for one in mutants_in(path)]  # fmt: skip
        rng.shuffle(every)
        drawn += every[: -(-number // len(FOLDERS))]
    rng.shuffle(drawn)
    return drawn


# -------------------------------------------------------------------- which test calls what


class Caller:
    """A plugin of pytest that notes which functions of the package each test calls."""

    def __init__(self) -> None:
        self.calls: dict[str, list[str]] = {}
        self.seconds: dict[str, float] = {}
        self._seen: set[Any] = set()

    def _trace(self, frame: Any, event: str, argument: Any) -> None:
        self._seen.add(frame.f_code)

    def pytest_runtest_setup(self, item: Any) -> None:
        self._seen = set()
        sys.settrace(self._trace)

    def pytest_runtest_logreport(self, report: Any) -> None:
        if report.when == "call":
            sys.settrace(None)
            if report.passed:
                here = str(PACKAGE)
                self.calls[report.nodeid] = sorted(
                    {f"{os.path.relpath(code.co_filename, ROOT)}:{code.co_name}"
                     for code in self._seen if code.co_filename.startswith(here)}
                )  # fmt: skip
                self.seconds[report.nodeid] = report.duration


def note_calls(target: Path, tests: list[str]) -> None:
    """Run the tests once, and keep which of them calls what."""
    import pytest

    caller = Caller()
    pytest.main([*tests, *_QUIET, "--deselect", "tests/unit/io/test_tables_generator.py"],
                plugins=[caller])  # fmt: skip
    target.write_text(json.dumps({"calls": caller.calls, "seconds": caller.seconds}))


_NOT = "not spark and not hostile and not survives and not damage"  # slow, and no unit of code
_QUIET = ("-q", "-p", "no:cacheprovider", "-p", "no:randomly", "-p", "no:xdist", "--tb=no",
          "--no-header", "-k", _NOT)  # fmt: skip


def existing() -> list[str]:
    """Return the tests that are there."""
    return [one for one in TESTS if (ROOT / one).exists()]


def tests_for(
    mutant: Mutant, callers: dict[str, list[str]], seconds: dict[str, float], budget: float
) -> list[str]:
    """Return tests that call the changed function, for so many seconds: one of each file in turn.

    Files of the folder's own tests come first, and quick tests before slow ones.
    """
    found = callers.get(f"{mutant.file}:{mutant.function}", [])
    own = Path(mutant.file).parts[2]
    by_file: dict[str, list[str]] = {}
    for test in sorted(found, key=lambda one: seconds[one]):
        by_file.setdefault(test.partition("::")[0], []).append(test)
    files = sorted(by_file.values(), key=lambda tests: f"/{own}/" not in tests[0])
    chosen: list[str] = []
    for turn in zip_longest(*files):
        for test in turn:
            if test is not None and (not chosen or budget >= seconds[test]):
                chosen.append(test)
                budget -= seconds[test]
    return chosen


# -------------------------------------------------------------------- trying one


# By the exit code of pytest; 2 is a module that cannot be imported any more, 4 tests that are not
# there any more because of it. A signal counts too.
_OUTCOMES = {0: "survived", 1: "killed", 2: "killed", 4: "killed", -signal.SIGSEGV: "killed",
             -signal.SIGABRT: "killed"}  # fmt: skip


class Workshop:
    """A copy of the project in which one file at a time is changed."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        keep = shutil.ignore_patterns(".git", ".venv*", "__pycache__", ".*_cache", "figures")
        shutil.copytree(ROOT, self.root, ignore=keep)
        compileall.compile_dir(self.root / "src", quiet=2)

    def tried(self, mutant: Mutant, tests: list[str], seconds: float = 180.0) -> str:
        """Return killed (also by the time limit), survived, broken, or unseen: no test calls it."""
        if not tests:
            return "unseen"
        path = self.root / mutant.file
        before = path.read_text(encoding="utf-8")
        for old in path.parent.glob(f"__pycache__/{path.stem}.*.pyc"):
            old.unlink()
        path.write_text(mutant.applied(before), encoding="utf-8")
        try:
            return self._run(tests, seconds)
        finally:
            path.write_text(before, encoding="utf-8")

    def _run(self, tests: list[str], seconds: float) -> str:
        child = os.fork()
        if child == 0:
            self._in_child(tests)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            done, status = os.waitpid(child, os.WNOHANG)
            if done:
                return _OUTCOMES.get(os.waitstatus_to_exitcode(status), "broken")
            time.sleep(0.01)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return "killed"  # by its time limit

    def _in_child(self, tests: list[str]) -> None:
        code = 9
        try:
            os.setpgrp()
            os.chdir(self.root)
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            sys.dont_write_bytecode = True
            sys.path[:0] = [str(self.root / "src"), str(self.root / "tests"), str(self.root)]
            import pytest

            code = int(pytest.main([*tests, *_QUIET, "-x"]))
        finally:
            os._exit(code)


def preload() -> None:
    """Load what all tests need; the package itself is loaded in the copies of this process."""
    for name in ("numpy", "scipy.stats", "scipy.optimize", "scipy.sparse.csgraph", "duckdb",
                 "pytest", "pandas", "polars", "pyarrow", "openpyxl", "click",
                 "narwhals", "matplotlib.pyplot", "jinja2"):  # fmt: skip
        __import__(name)
    assert not any(name.partition(".")[0] == "consilience" for name in sys.modules)


def main() -> int:
    """Draw changes and try them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=520)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=86_400)
    parser.add_argument("--count", type=Path, default=Path("mutants.json"))
    parser.add_argument("--again", action="store_true", help="try the survivors again")
    parser.add_argument("--tests", action="append", help="only these files or folders of tests")
    parser.add_argument("--calls", type=Path, help=argparse.SUPPRESS)
    wanted = parser.parse_args()
    if wanted.calls is not None:
        note_calls(wanted.calls, wanted.tests or existing())
        return 0
    kept: dict[str, Any] = json.loads(wanted.count.read_text()) if wanted.count.exists() else {}
    if "calls" not in kept or wanted.again:
        kept |= _noted(wanted.tests or [])
    results: dict[str, Any] = kept.setdefault("results", {})
    if wanted.again:
        results = kept["results"] = {k: v for k, v in results.items() if v["outcome"] == "killed"}
    preload()
    end = time.monotonic() + wanted.seconds
    with tempfile.TemporaryDirectory() as folder:
        workshop = Workshop(Path(folder))
        _check_unchanged(workshop, sampled(wanted.number, wanted.seed), kept)
        for number, mutant in enumerate(sampled(wanted.number, wanted.seed)):
            key = f"{mutant.file}:{mutant.line}: {mutant.old!r} -> {mutant.new!r}"
            if key in results or time.monotonic() > end:
                continue
            results[key] = {**asdict(mutant), "outcome": _tried(workshop, mutant, kept)}
            if number % 10 == 0:
                _save(wanted.count, kept)
    _save(wanted.count, kept)
    print(told(results))
    return 0


def _tried(workshop: Workshop, mutant: Mutant, kept: dict[str, Any]) -> str:
    """Try a change against quick tests, and what survives these against more."""
    outcome = "survived"
    for budget in (QUICK, WIDE):
        tests = tests_for(mutant, kept["calls"], kept["seconds"], budget)
        outcome = workshop.tried(mutant, tests)
        if outcome != "survived":
            break
    return outcome


def _check_unchanged(workshop: Workshop, mutants: list[Mutant], kept: dict[str, Any]) -> None:
    """Try changes that change nothing: tests that fail all the same would kill every mutant."""
    for mutant in mutants[:: max(1, len(mutants) // 8)]:
        tests = tests_for(mutant, kept["calls"], kept["seconds"], QUICK)
        outcome = workshop.tried(replace(mutant, new=mutant.old), tests)
        if outcome not in ("survived", "unseen"):
            raise SystemExit(f"{outcome}, though nothing was changed: {tests}")


def _noted(tests: list[str]) -> dict[str, Any]:
    """Return which tests call what, noted by a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "calls.json"
        words = [word for test in tests for word in ("--tests", test)]
        subprocess.run(
            [sys.executable, __file__, "--calls", str(target), *words], cwd=ROOT, check=True
        )
        found = json.loads(target.read_text())
    callers: dict[str, list[str]] = {}
    for test, functions in found["calls"].items():
        for function in functions:
            callers.setdefault(function, []).append(test)
    return {"calls": callers, "seconds": found["seconds"]}


def _save(path: Path, kept: dict[str, Any]) -> None:
    beside = path.with_suffix(".new")
    beside.write_text(json.dumps(kept, indent=0))
    beside.replace(path)


def lasting_key(mutant: dict[str, Any]) -> str:
    """Name a change by the text of its line, which stays when lines above it come or go."""
    line = (ROOT / mutant["file"]).read_text(encoding="utf-8").splitlines()[mutant["line"] - 1]
    return f"{mutant['file']}: {line.strip()}: {mutant['old']!r} -> {mutant['new']!r}"


def told(results: dict[str, Any]) -> str:
    """List the survivors that nobody has explained, and count."""
    explained = json.loads(EXPLAINED.read_text(encoding="utf-8"))
    outcomes = {key: "explained" if one["outcome"] != "killed" and lasting_key(one) in explained
                else one["outcome"] for key, one in results.items()}  # fmt: skip
    lines = [f"{outcome}: {key}" for key, outcome in sorted(outcomes.items())
             if outcome not in ("killed", "explained")]  # fmt: skip
    rows = []
    for folder in (*FOLDERS, ""):
        here = [outcomes[key] for key, r in results.items()
                if r["file"].startswith(f"src/consilience/{folder}")]  # fmt: skip
        killed, known = here.count("killed"), here.count("explained")
        share = killed / max(len(here), 1)
        rows.append(
            f"{folder or 'all':<14}{len(here):>6} made {killed:>6} killed {share:>7.1%}"
            f" {known:>5} explained {len(here) - killed - known:>5} open"
        )
    return "\n".join([*lines, *rows])


if __name__ == "__main__":
    sys.exit(main())
