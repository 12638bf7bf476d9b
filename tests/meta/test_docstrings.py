"""Docstrings have their sections, in order, and their examples run."""

from __future__ import annotations

import doctest
import importlib
import inspect
import pkgutil
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

import consilience

SECTIONS = [
    "Parameters", "Returns", "Raises", "Warns", "Notes", "References", "Examples",
]  # fmt: skip
KNOWN = [*SECTIONS[:2], "Yields", *SECTIONS[2:], "Attributes", "See Also"]
HEADING = re.compile(r"^(?P<title>[A-Z][A-Za-z ]+)\n-+$", re.MULTILINE)
COEFFICIENTS = sorted(consilience.coefficients())
REASONS = {"no_variation", "one_category"}

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(consilience.__path__, "consilience.")
    if not module.name.endswith("__main__")
)
WITH_EXAMPLES = [
    module
    for module in MODULES
    if (spec := find_spec(module)) is not None
    and spec.origin is not None
    and ">>>" in Path(spec.origin).read_text("utf-8")
]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def headings(text: str) -> list[str]:
    return [match["title"] for match in HEADING.finditer(text)]


def section(text: str, title: str) -> str:
    """Return the body of a section."""
    parts = re.split(r"^([A-Z][A-Za-z ]+)\n-+$", text, flags=re.MULTILINE)
    bodies = dict(zip(parts[1::2], parts[2::2], strict=True))
    return bodies[title].strip()


def doc_of(name: str) -> str:
    return inspect.getdoc(getattr(consilience, name)) or ""


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_coefficient_has_every_section_in_order(name: str) -> None:
    assert headings(doc_of(name)) == SECTIONS


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_coefficient_says_when_to_use_it_and_when_not(name: str) -> None:
    intro = doc_of(name).split("\nParameters\n")[0]
    summary, advice = intro.strip().split("\n\n", 1)
    assert "\n" not in summary
    assert summary.endswith(".")
    assert advice.startswith("Use it ")
    assert "Prefer " in advice


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_coefficient_lists_its_undefined_cases(name: str) -> None:
    warns = section(doc_of(name), "Warns")
    assert "UndefinedCoefficientWarning" in warns
    if consilience.coefficients()[name].corrects_for_chance:
        assert any(reason in warns for reason in REASONS)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_coefficient_says_what_it_does_with_missing_ratings(name: str) -> None:
    text = doc_of(name)
    assert "issing" in section(text, "Notes") or "missing" in section(text, "Parameters")


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_references_are_numbered_dated_and_complete(name: str) -> None:
    references = section(doc_of(name), "References")
    numbers = [int(n) for n in re.findall(r"^\.\. \[(\d+)\]", references, flags=re.MULTILINE)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert numbers
    for entry in re.split(r"^\.\. \[\d+\]", references, flags=re.MULTILINE)[1:]:
        assert re.search(r"\(\d{4}\)", entry)
    cited = {int(n) for n in re.findall(r"\[(\d+)\]_?", section(doc_of(name), "Notes"))}
    assert cited <= set(numbers)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_a_coefficient_shows_an_example(name: str) -> None:
    assert f"{name}(" in section(doc_of(name), "Examples")


def test_public_functions_and_classes_keep_the_order_of_sections() -> None:
    for name in consilience.__all__:
        found = [title for title in headings(doc_of(name)) if title in SECTIONS]
        assert found == [title for title in SECTIONS if title in found], name


@pytest.mark.parametrize("module", WITH_EXAMPLES)
def test_examples_run(module: str) -> None:
    result = doctest.testmod(importlib.import_module(module), optionflags=FLAGS)
    assert result.failed == 0


def test_there_are_examples() -> None:
    assert len(WITH_EXAMPLES) > 100
