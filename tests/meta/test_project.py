"""What surrounds the code: metadata, workflows, placeholders, studies, notebook, reference."""

from __future__ import annotations

import inspect
import json
import re
import runpy
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
import needed

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SKIPPED = {".venv", ".git", "_build", "dist", "__pycache__", ".venv-lowest", ".venv-peers"}
TEXTS = {".md", ".py", ".toml", ".yml", ".yaml", ".json", ".cff", ".bib", ".txt", ".css", ".js"}
# Addresses that exist and belong to others.
KNOWN_ADDRESSES = {
    "doi.org", "schema.org", "semver.org", "spdx.org", "w3id.org", "keepachangelog.com",
    "www.contributor-covenant.org", "example.org", "www.w3.org", "json-schema.org",
}  # fmt: skip


def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


# --- placeholders ---------------------------------------------------------------------------------


def texts() -> list[Path]:
    """Every text file that is ours to publish."""
    others = {path.name for path in ROOT.glob(".venv*")}
    tops = [path for path in ROOT.iterdir() if path.name not in SKIPPED | others]
    files = [f for top in tops for f in ([top] if top.is_file() else top.rglob("*")) if f.is_file()]
    inside = [path for path in files if not SKIPPED & set(path.relative_to(ROOT).parts)]
    return [path for path in inside if path.suffix in TEXTS and "tests" not in path.parts]


def test_placeholders_stand_in_one_table_and_nowhere_else() -> None:
    table = re.findall(
        r"^\| `(PLACEHOLDER-[A-Z]+)` \| .+ \| (.+) \|$",
        read(DOCS / "placeholders.md"),
        re.MULTILINE,
    )
    told = {(word, place) for word, places in table for place in re.findall(r"`([^`]+)`", places)}
    found = {
        (word, str(path.relative_to(ROOT)))
        for path in texts()
        if path.name != "placeholders.md"
        for word in re.findall(r"PLACEHOLDER(?:-[A-Z]+)?", read(path))
    }
    assert found == told


def test_no_address_is_made_up() -> None:
    project = [
        path
        for path in ROOT.iterdir()
        if path.is_file() and path.suffix in {".md", ".toml", ".json", ".cff", ".yaml"}
    ]
    project += [*(ROOT / ".github").rglob("*.*"), *(ROOT / "conda").iterdir()]
    for path in project:
        hosts = set(re.findall(r"https?://([\w.-]+)", read(path)))
        assert hosts <= KNOWN_ADDRESSES, path
        assert re.findall(r"[\w.]+@(?!v\d)[a-z]+\.[a-z]{2,}\b", read(path)) == [], path


# --- metadata -------------------------------------------------------------------------------------


def test_every_file_names_the_same_version_date_and_licence() -> None:
    cff = dict(re.findall(r"^([a-z-]+): (.+)$", read(ROOT / "CITATION.cff"), re.MULTILINE))
    meta, zenodo = (json.loads(read(ROOT / name)) for name in ("codemeta.json", ".zenodo.json"))
    (recipe,) = re.findall(
        r'^  version: "(.+)"$', read(ROOT / "conda" / "recipe.yaml"), re.MULTILINE
    )
    assert {cff["version"], meta["version"], zenodo["version"], recipe} == {cs.__version__}
    assert cff["date-released"] == meta["datePublished"]
    assert zenodo["license"] == PROJECT["project"]["license"] == "BSD-3-Clause"
    assert meta["license"].endswith("/BSD-3-Clause")
    assert meta["description"] == zenodo["description"] == PROJECT["project"]["description"]
    assert meta["keywords"] == zenodo["keywords"] == PROJECT["project"]["keywords"]


def test_the_recipe_asks_for_what_the_package_asks_for() -> None:
    names = {"duckdb": "python-duckdb", "matplotlib": "matplotlib-base"}
    wanted = [one.split(">=") for one in PROJECT["project"]["dependencies"]]
    section = read(ROOT / "conda" / "recipe.yaml").split("\n  run:\n")[1].split("\ntests:")[0]
    listed = re.findall(r"^    - (\S+) >=(\S+)$", section, flags=re.MULTILINE)
    assert listed[0] == ("python", PROJECT["project"]["requires-python"].removeprefix(">="))
    assert listed[1:] == [(names.get(name, name), version) for name, version in wanted]


def test_pythons_are_those_that_the_workflow_runs() -> None:
    heads = "Programming Language :: Python :: 3."
    told = [one.removeprefix(heads) for one in PROJECT["project"]["classifiers"] if heads in one]
    workflow = read(ROOT / ".github" / "workflows" / "test.yml")
    (matrix,) = re.findall(r"python: \[(.+)\]", workflow)
    assert re.findall(r"3\.(\d+)", matrix) == told == ["11", "12", "13", "14"]
    assert "system: [ubuntu-latest, macos-latest, windows-latest]" in workflow
    assert f"3.{told[0]} to 3.{told[-1]}" in read(DOCS / "support.md")


def test_actions_are_pinned_and_targets_exist() -> None:
    targets = set(re.findall(r"^([\w-]+):", read(ROOT / "Makefile"), flags=re.MULTILINE))
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        for action in re.findall(r"uses: (\S+)", read(path)):
            assert re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action), action
        for line in re.findall(r"run: make (.+)$", read(path), flags=re.MULTILINE):
            assert set(line.split()) <= targets, line
        assert "permissions:\n  contents: read" in read(path)


def test_the_lock_names_all_that_development_needs() -> None:
    pins = dict(re.findall(r"^(\S+)==(\S+)$", read(ROOT / "requirements-dev.lock"), re.MULTILINE))
    locked = {re.sub(r"[-_.]+", "-", name).lower() for name in pins}
    groups = [one for group in PROJECT["dependency-groups"].values() for one in group]
    wanted = {
        re.split(r"[>=\[]", one)[0].lower() for one in groups + PROJECT["project"]["dependencies"]
    }
    assert wanted - locked == set(), "run: make lock"


def test_references_of_the_paper_are_cited_and_listed() -> None:
    cited = set(re.findall(r"@([a-z]+\d{4})", read(ROOT / "paper" / "paper.md")))
    listed = set(re.findall(r"^@\w+\{(\w+),", read(ROOT / "paper" / "paper.bib"), re.MULTILINE))
    assert cited == listed
    for heading in ("Summary", "Statement of need", "State of the field", "References"):
        assert f"\n# {heading}\n" in read(ROOT / "paper" / "paper.md")


# --- what programs write --------------------------------------------------------------------------


def test_the_studies_are_those_that_their_program_writes(tmp_path: Path) -> None:
    folder = ROOT / "examples" / "studies"
    runpy.run_path(str(folder / "make_studies.py"))["write"](tmp_path)
    made = {path.relative_to(tmp_path): read(path) for path in tmp_path.rglob("*.*")}
    kept = {
        path.relative_to(folder): read(path)
        for path in folder.rglob("*.*")
        if path.suffix not in (".py", ".pyc")
    }
    assert made == kept


def test_the_notebook_is_the_page() -> None:
    notebook = runpy.run_path(str(DOCS / "_notebook.py"))
    assert notebook["made"]() == read(notebook["NOTEBOOK"]), "run: python docs/_generate.py"


def test_every_record_is_on_its_page_of_conformance() -> None:
    tool = runpy.run_path(str(DOCS / "_conformance.py"))
    pages = {path.stem: read(path) for path in (DOCS / "conformance").glob("*.md")}
    values = 0
    for path in tool["files"]():
        content = json.loads(read(path))
        page = pages[tool["slug"](tool["program"](path, content["source"]))]
        for entry in content["expect"]:
            for record, key, theirs, *_ in tool["rows_of"](entry, {}):
                assert f"| {record} | {key} | {theirs} |" in page, (
                    "run: python docs/_conformance.py"
                )
                values += 1
    total = re.findall(
        r"^\| all \| - \| (\d+) \| (\d+) \|$", read(DOCS / "conformance.md"), re.MULTILINE
    )
    assert int(total[0][1]) == values
    assert tool["defects"]() in read(DOCS / "conformance.md"), "run: python docs/_conformance.py"


# --- reference ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def reference() -> dict[str, Any]:
    return runpy.run_path(str(DOCS / "_site" / "reference.py"))


def test_every_public_name_has_a_page(reference: dict[str, Any], tmp_path: Path) -> None:
    found = reference["write"](tmp_path)
    for module in reference["public_modules"]():
        for name in module.__all__:
            if not inspect.ismodule(getattr(module, name)):
                one = found[f"{module.__name__}.{name}"]
                assert f"{one.path}\n" in read(tmp_path / f"{one.page}.rst")
                assert f"<{one.page}>`" in read(tmp_path / f"{module.__name__}.rst")
    assert len(found) > 300


def test_git_keeps_no_built_page() -> None:
    names = subprocess.run(
        ["git", "ls-files", "docs/_build", "dist"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if names.returncode:
        needed.lacking(needed.PROGRAM, "git, and a clone")
    assert names.stdout == ""
