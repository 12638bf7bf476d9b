"""Private is private, names say something, and tests stand as the folders do."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import consilience

ROOT = Path(consilience.__file__).parent
FILES = sorted(ROOT.rglob("*.py"))
TESTS = Path(__file__).resolve().parents[1]
# Names that say nothing: of what are they the parts, and what was found?
EMPTY_NAMES = {
    "account", "base", "beside", "common", "data", "found", "helpers", "job", "marked", "misc",
    "notes", "parts", "results", "shown", "swept", "util", "utils", "view",
}  # fmt: skip
NAMED_BEFORE = {"core/reading_account.py"}


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def home(module: str) -> str:
    """The folder of the package that a module lies in."""
    return module.split(".")[1] if "." in module else ""


def private_parts(path: Path) -> Iterator[tuple[str, int]]:
    """Private modules and private names that a file imports from another folder."""
    own = path.relative_to(ROOT).parts[0]
    for node in ast.walk(tree(path)):
        found: list[str] = []
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            found = [f"{node.module}.{alias.name}" for alias in node.names]
        for name in found:
            hidden = any(part.startswith("_") for part in name.split(".")[2:])
            if hidden and name.startswith("consilience.") and home(name) not in (own, "_version"):
                yield name, node.lineno


def test_nothing_private_is_imported_from_another_folder() -> None:
    foreign = [
        f"{path.relative_to(ROOT)}:{line} imports {name}"
        for path in FILES
        for name, line in private_parts(path)
    ]
    assert foreign == []


def private_attributes() -> Iterator[tuple[str, str, str]]:
    """Folder, name and place of private attributes that are asked of something else than self."""
    for path in FILES:
        folder = path.relative_to(ROOT).parts[0]
        for node in ast.walk(tree(path)):
            if not isinstance(node, ast.Attribute) or not re.match("_[^_]", node.attr):
                continue
            if not (isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")):
                yield folder, node.attr, f"{path.relative_to(ROOT)}:{node.lineno}"


def test_nothing_private_is_asked_of_what_another_folder_makes() -> None:
    made: dict[str, set[str]] = {}
    for path in FILES:
        folder = path.relative_to(ROOT).parts[0]
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.FunctionDef | ast.ClassDef):
                made.setdefault(node.name, set()).add(folder)
            elif isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Store):
                name = node.id if isinstance(node, ast.Name) else node.attr
                made.setdefault(name, set()).add(folder)
    foreign = [
        f"{place} asks for {name}"
        for folder, name, place in private_attributes()
        if name in made and folder not in made[name]
    ]
    assert foreign == []


def test_file_names_say_something() -> None:
    named = {str(path.relative_to(ROOT)) for path in FILES if path.stem.strip("_") in EMPTY_NAMES}
    assert named <= NAMED_BEFORE


def test_what_is_shared_stands_on_nothing_else() -> None:
    for path in (ROOT / "core").glob("*.py"):
        for node in ast.walk(tree(path)):
            if isinstance(node, ast.ImportFrom) and str(node.module).startswith("consilience"):
                assert home(str(node.module)) in ("core", "exceptions"), path.name


def test_tests_stand_as_the_folders_do() -> None:
    folders = {path.parent.name for path in ROOT.glob("*/__init__.py")} | {"benchmarks"}
    found = {path.name for path in (TESTS / "unit").iterdir() if any(path.glob("test_*.py"))}
    assert found <= folders
    names = Counter(path.name for path in TESTS.rglob("test_*.py"))
    assert [name for name, n in names.items() if n > 1] == []
