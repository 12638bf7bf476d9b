"""Everything random comes from one module: what numpy's generators draw is numpy's to change."""

from __future__ import annotations

import ast
from pathlib import Path

import numpy as np

import consilience

ROOT = Path(consilience.__file__).parent
# Where bits become numbers, and where seeds become streams of bits.
MAY_DRAW = {ROOT / "core" / "draws.py"}
SEEDS = {"SeedSequence", "Generator"}  # named as types, and split
DRAWN_ELSEWHERE = {"random_table", "rvs", "random_state", "default_rng", "RandomState"}


def of_numpy(tree: ast.AST) -> set[str]:
    """What is taken out of ``np.random``."""
    return {
        node.attr
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Attribute)
        and node.value.attr == "random"
        and isinstance(node.value.value, ast.Name)
        and node.value.value.id in ("np", "numpy")
    }


def imported(tree: ast.AST) -> set[str]:
    names = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    return names


def named(tree: ast.AST) -> set[str]:
    out = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
    return out | {str(node.arg) for node in ast.walk(tree) if isinstance(node, ast.keyword)}


def test_nothing_is_drawn_but_by_the_module_of_draws() -> None:
    for path in sorted(set(ROOT.rglob("*.py")) - MAY_DRAW):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert of_numpy(tree) <= SEEDS, path
        assert not imported(tree) & {"random", "numpy.random", "numpy.random.default_rng"}, path
        assert not named(tree) & DRAWN_ELSEWHERE, path


def test_the_module_of_draws_takes_nothing_but_raw_bits_from_numpy() -> None:
    drawing = {name for name in dir(np.random.Generator) if not name.startswith("_")}
    for path in MAY_DRAW:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        assert of_numpy(tree) <= {"PCG64", "Generator", "SeedSequence"}
        called_on_others = {
            node.func.attr
            for node in ast.walk(tree)
            if isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and not (isinstance(node.func.value, ast.Name) and node.func.value.id == "self")
        }
        assert not called_on_others & drawing
