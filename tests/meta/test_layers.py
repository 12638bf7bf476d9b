"""Imports run in one direction only: each folder may use those below it."""

from __future__ import annotations

import ast
from pathlib import Path

import consilience

ROOT = Path(consilience.__file__).parent

CORE = {"ratings", "distances", "rows", "inference", "document"}
MEASURES = CORE | {"coefficients"}
ANALYSES = MEASURES | {
    "diagnosis",
    "magnitudes",
    "simulate",
    "plan",
    "units",
    "latent",
    "judges",
    "panel",
}
# What lies below a folder: what it may import, and all that those may import in turn.
MAY_IMPORT: dict[str, set[str]] = {
    "core": set(),
    "ratings": set(),
    "distances": set(),
    "rows": {"ratings", "distances"},
    "document": set(),
    "inference": CORE - {"inference"},
    "coefficients": CORE,
    "diagnosis": MEASURES,
    "simulate": MEASURES,
    "plan": MEASURES | {"simulate"},
    "units": MEASURES,
    "magnitudes": MEASURES,
    "latent": MEASURES | {"diagnosis"},
    "judges": MEASURES,
    "testing": MEASURES,
    "panel": MEASURES | {"magnitudes", "latent", "judges"},
    "plot": ANALYSES | {"findings"},
    "findings": ANALYSES,
    "io": MEASURES | {"units", "latent", "engine"},
    "engine": {"document", "rows", "ratings", "distances"},
    "datasets": {"ratings", "units", *MEASURES},
    "report": ANALYSES | {"findings", "io", "engine", "datasets", "plot"},
    "cli": ANALYSES | {"findings", "io", "engine", "datasets", "plot", "report", "web"},
    "web": ANALYSES | {"findings", "io", "engine", "datasets", "plot", "report"},
}
ALWAYS = {"exceptions", "_version", "core"}

FILES = sorted(path for path in ROOT.rglob("*.py") if path.parent != ROOT)
FOLDERS = sorted(path.name for path in ROOT.iterdir() if (path / "__init__.py").exists())


def imported(path: Path) -> set[str]:
    """Folders of the package that a file imports, inside functions as well."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import in line {node.lineno}"
            modules = [node.module or ""]
            if node.module == "consilience":
                modules = [f"consilience.{alias.name}" for alias in node.names]
        found |= {name.split(".")[1] for name in modules if name.startswith("consilience.")}
        if "consilience" in modules:
            found.add("consilience")
    return found


def test_every_folder_has_a_place() -> None:
    assert set(FOLDERS) <= set(MAY_IMPORT)


def test_a_file_imports_only_what_lies_below_its_folder() -> None:
    beyond = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in FILES
        for folder in path.relative_to(ROOT).parts[:1]
        for name in sorted(imported(path) - MAY_IMPORT.get(folder, set()) - ALWAYS - {folder})
    ]
    assert beyond == []


def test_errors_stand_on_nothing() -> None:
    assert imported(ROOT / "exceptions.py") | imported(ROOT / "_version.py") == set()


def test_inference_knows_no_coefficient_by_name() -> None:
    names = {name for name in consilience.coefficients() if name != "percent_agreement"}
    for path in (ROOT / "inference").glob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        words = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
        texts = {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)}
        assert not names & (words | {text for text in texts if isinstance(text, str)})
