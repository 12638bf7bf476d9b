"""A run says which kinds of tests it left out, and one command brings what they need."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

import needed
import tools
from skipped_kinds import kind_of, summary

TESTS = Path(__file__).resolve().parents[1]
ASKED_ELSEWHERE = {"pytest.skip", "pytest.importorskip", "pytest.mark.skip", "pytest.mark.skipif"}

PROJECT = {
    "conftest.py": "from skipped_kinds import pytest_terminal_summary\n",
    "test_some.py": (
        "from pathlib import Path\nimport pytest\nimport needed\n\n"
        "@pytest.mark.parametrize('n', range(3))\n"
        "def test_in_a_browser(n):\n    needed.lacking(needed.BROWSER)\n\n"
        "@needed.needs(False, needed.JAVA)\ndef test_spark():\n    pass\n\n"
        "@needed.needs_data(needed.SHARED / 'nowhere' / 'x.csv')\ndef test_data():\n    pass\n\n"
        "def test_packages():\n    needed.package('nowhere_a.part')\n\n"
        "@needed.needs_package('nowhere_b')\ndef test_more_packages():\n    pass\n\n"
        "def test_odd():\n    pytest.skip('it rains')\n\n"
        "@pytest.mark.xfail\ndef test_that_fails():\n    raise AssertionError\n\n"
        "def test_that_runs():\n    pass\n"
    ),
    "test_whole.py": "import needed\nneeded.package('nowhere_c')\n",
}
SAID = """\
3 tests need a browser (Chromium)
1 test needs Java, for Spark
2 tests and 1 whole file need a Python package: nowhere_a, nowhere_b, nowhere_c
1 test needs the reference data beside the clone: nowhere/x.csv
1 test needs something else: it rains
To install what is missing: make test-tools
The reference data belong to others: they are read from ../shared alone.
"""


def said(folder: Path, *how: str) -> str:
    env = os.environ | {"PYTHONPATH": str(TESTS), "PYTEST_ADDOPTS": ""}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-p", "no:randomly", *how]
    run = subprocess.run(
        command, cwd=folder, env=env, capture_output=True, text=True, check=False
    )  # fmt: skip
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["here", "workers"])
def test_the_last_lines_say_what_was_not_run(workers: tuple[str, ...], tmp_path: Path) -> None:
    for name, text in PROJECT.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    lines = said(tmp_path, *workers).splitlines()
    (first,) = (k for k, line in enumerate(lines) if line.strip("=") == " not run ")
    assert "\n".join(lines[first + 1 : -1]) + "\n" == SAID
    assert "1 passed, 9 skipped, 1 xfailed" in lines[-1]


def test_nothing_is_said_where_all_ran(tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text(PROJECT["conftest.py"])
    (tmp_path / "test_one.py").write_text("def test_one():\n    pass\n")
    assert "not run" not in said(tmp_path)


def test_every_kind_is_known_by_its_reason_and_many_names_are_cut() -> None:
    for kind in needed.KINDS:
        assert kind_of(f"Skipped: {needed.reason(kind, 'x: y')}") == (kind, "x: y")
        assert kind_of(needed.reason(kind)) == (kind, "")
    reasons = [(needed.reason(needed.DATA, f"file {k}"), False) for k in range(9)]
    assert summary(reasons)[0].endswith(": file 0, file 1, file 2, file 3, file 4 and 4 more")
    assert not any("test-tools" in line for line in summary(reasons))  # which has no data


def test_tests_are_left_out_by_the_helpers_alone() -> None:
    found = {
        (path.name, ast.unparse(node))
        for path in TESTS.rglob("*.py")
        if path.name != "needed.py"
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ASKED_ELSEWHERE
    }
    assert found == set()


# -------------------------------------------------------------------- make test-tools


def done(system: str, lacks: list[str], fails: str = "nothing", **how: bool) -> list[str]:
    """Return the commands that are run where those with a word in them fail."""
    ran: list[str] = []

    def run(command: list[str]) -> bool:
        ran.append(" ".join(command[1:]).removeprefix("-m "))
        return fails not in ran[-1]

    tools.install(lacks, tools.ways(system, **how), run)
    return ran


EVERY = [needed.BROWSER, needed.FIREFOX, needed.JAVA, tools.GROFF]
APT = "install -y -qq --no-install-recommends"


def test_tools_come_by_the_means_of_the_system() -> None:
    assert done("apt", []) == []
    assert done("apt", EVERY) == [
        "update -qq", f"{APT} chromium", "playwright install --with-deps firefox",
        f"{APT} openjdk-17-jre-headless", f"{APT} groff-base",
    ]  # fmt: skip
    assert done("apt", [needed.BROWSER], is_ubuntu=True) == [
        "playwright install --with-deps chromium"
    ]
    assert done("Darwin", EVERY) == [
        "playwright install chromium", "playwright install firefox",
        "install --cask temurin@17", "install groff",
    ]  # fmt: skip
    assert done("Windows", [needed.BROWSER, tools.GROFF]) == ["playwright install chromium"]


def test_another_way_is_tried_where_one_fails() -> None:
    assert done("apt", [needed.JAVA], fails="17")[-1] == f"{APT} openjdk-21-jre-headless"
    assert done("apt", [needed.BROWSER], fails="chromium") == [
        "update -qq", f"{APT} chromium", "playwright install --with-deps chromium",
    ]  # fmt: skip


def test_what_cannot_be_had_is_named_and_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tools, "missing", lambda: [needed.FIREFOX])
    monkeypatch.setattr(tools, "install", lambda *_: None)
    tools.main()
    assert tools.outcome([needed.FIREFOX]).startswith("Not to be had here: Playwright's Firefox.")
    assert tools.outcome([]) == "All tools are there."


def test_every_machine_uses_the_one_command() -> None:
    root = TESTS.parent
    assert "$(BIN)/python tests/tools.py" in (root / "Makefile").read_text()
    for path in (root / ".ci" / "run", *(root / ".github" / "workflows").glob("*.yml")):
        text = path.read_text()
        assert "apt-get" not in text, path
        assert "playwright install" not in text, path
