"""The pictures of the pages are those that the code beside them draws."""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience import plot

ROOT = Path(__file__).resolve().parents[3]
SCRIPT = ROOT / "docs" / "_figures.py"
FOLDER = ROOT / "docs" / "figures"


@pytest.fixture(scope="module")
def script() -> dict[str, Any]:
    return runpy.run_path(str(SCRIPT))


@pytest.fixture(scope="module")
def drawn(script: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Every picture, drawn by this program."""
    folder = tmp_path_factory.mktemp("figures")
    script["write"](folder)
    return {one.name: one.read_bytes() for one in sorted(folder.iterdir())}


def words(svg: bytes) -> list[str]:
    """What a picture says, to those who see it and to those who do not."""
    text = svg.decode("utf-8")
    label = re.findall(r'aria-label="([^"]*)"', text)
    return label + [" ".join(one.split()) for one in re.findall(r"<text[^>]*>([^<]*)</text>", text)]


def test_pictures_are_the_same_whatever_the_seed_of_hashes(drawn, tmp_path):
    path = os.pathsep.join([str(Path(cs.__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [sys.executable, str(SCRIPT), str(tmp_path)],
        env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": "1"},
        check=True,
    )
    assert {one.name: one.read_bytes() for one in sorted(tmp_path.iterdir())} == drawn


def test_pictures_say_what_the_code_draws(drawn):
    stored = {one.name: one.read_bytes() for one in sorted(FOLDER.iterdir())}
    assert stored.keys() == drawn.keys(), "run docs/_generate.py"
    for name, svg in stored.items():
        assert words(svg) == words(drawn[name]), f"{name}: run docs/_generate.py"


def test_every_function_has_its_picture(script):
    shown = [
        re.match(r"cs\.plot\.(\w+)", code)[1]
        for part in script["GALLERY"].values()
        for code in part
    ]
    assert sorted(shown) == sorted(set(plot.__all__) - {"save"})


def test_the_readme_shows_its_figure_and_says_what_is_on_it(script, drawn):
    page = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = {
        name: " ".join(said.split())
        for said, name in re.findall(r"!\[([^]]+)\]\(docs/figures/([\w-]+)\.svg\)", page)
    }
    assert shown == {name: script["drawn"]()[name][1] for name in script["README"]}
