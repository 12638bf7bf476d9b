"""The page of the works: every name it mentions exists, every example runs and gives its number."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import shlex
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience.cli import program as command_line

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "works.md"
HEADS = "| in the work | here | example | printed | ours |"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.DOTALL | re.MULTILINE)
CODE = re.compile(r"`([^`]+)`")
NUMBER = re.compile(r"[-−]?\d*\.?\d+")
WORKS = (
    "Stegmann & Lücking 2005",
    "Haley et al. 2008",
    "SIGIL (Evert & Baroni)",
    "Artstein & Poesio 2005",
    "Holle & Rein: EasyDIAG",
)


@dataclass(frozen=True)
class Line:
    """One row of a table: a table, figure, formula or procedure of a work."""

    work: str
    part: str
    here: str
    example: str
    printed: str
    ours: str


def sections() -> dict[str, str]:
    text = PAGE.read_text(encoding="utf-8")
    parts = re.split(r"^## (.+)$", text, flags=re.MULTILINE)[1:]
    return dict(zip(parts[::2], parts[1::2], strict=True))


def lines() -> list[Line]:
    found = []
    for work, text in sections().items():
        for table in text.split(HEADS)[1:]:
            for row in re.findall(r"^\| (.+) \|$", table.split("\n\n", 1)[0], flags=re.MULTILINE):
                cells = [cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row)]
                if set(cells) != {"---"}:
                    assert len(cells) == 5, row
                    found.append(Line(work, *cells))
    return found


LINES = lines()


@cache
def names_of_page() -> dict[str, Any]:
    """What the Python blocks of the page define."""
    found: dict[str, Any] = {"__name__": "works"}
    with contextlib.redirect_stdout(io.StringIO()):
        for block in BLOCK.findall(PAGE.read_text(encoding="utf-8")):
            exec(compile(block, "works.md", "exec", dont_inherit=True), found)
    return found


@pytest.fixture(scope="module")
def workshop(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the examples, which no line of the page writes into."""
    folder = tmp_path_factory.mktemp("works")
    shutil.copytree(ROOT / "examples", folder / "examples")
    return folder


def test_each_work_has_its_section_and_its_walk() -> None:
    text = sections()
    assert [name for name in text if name in WORKS] == [name for name in WORKS if name in text]
    for name in {line.work for line in LINES}:
        walks = re.findall(r"\.\./(examples/works/\w+\.py)", text[name])
        assert walks, name
        assert all((ROOT / walk).exists() for walk in walks)


RANGE = re.compile(r"(\(?)(\d)([.-])(\d+)(\)?) to \(?\d[.-](\d+)\)?")


def spelt_out(text: str) -> str:
    """Write "(2.3) to (2.5)" as (2.3) (2.4) (2.5)."""

    def every(found: re.Match[str]) -> str:
        opened, chapter, sign, first, closed, last = found.groups()
        numbers = range(int(first), int(last) + 1)
        return " ".join(f"{opened}{chapter}{sign}{k}{closed}" for k in numbers)

    return RANGE.sub(every, text)


def upto(form: str, first: int, last: int) -> list[str]:
    return [form.format(k) for k in range(first, last + 1)]


# What the works number, or list as their contents: tables, figures, formulas, slides, sections.
CONTENTS: dict[str, dict[str, list[str]]] = {
    "Stegmann & Lücking 2005": {
        "Table": upto("2.{}", 1, 3),
        "Figure": upto("2.{}", 1, 3),
        "": [*upto("(2.{})", 1, 17), "(3.1)", "(3.2)", "2.2.1", "2.2.2", "2.3.2", "3.1"],
    },
    "Haley et al. 2008": {
        "Table": upto("1-{}", 1, 7),
        "Figure": ["1-1", "1-2"],
        "": [*upto("1-{}", 1, 8), "1.2", "1.3.1", "1.4", "1.7"],
    },
    "SIGIL (Evert & Baroni)": {
        "slide": [str(k) for k in (6, 7, 10, 12, 13, 14, 15, 17, 19, 21, 22, 23, 25, 27, 28, 30,
                                   31, 32, 34, 35, 36, 37, 39)],
    },
    "Artstein & Poesio 2005": {
        "Table": upto("{}", 1, 8),
        "Figure": ["1", "2"],
        "": [*upto("2.{}", 2, 4), "2.7", "2.8", "3", *upto("4.{}", 1, 5), "5.1", "5.2", "6.1",
             "6.2", "appendix A", "appendix B"],
    },
    "Holle & Rein: EasyDIAG": {
        "Table": upto("{}", 1, 3),
        "Figure": [*upto("{}", 1, 5), "6a", "6b", "6c"],
        "": ["Step 1", "Step 2", "rater disparity", "Supplementary Figure 1"],
    },
}  # fmt: skip


@pytest.mark.parametrize("work", WORKS)
def test_everything_that_a_work_numbers_has_its_line(work: str) -> None:
    parts = [spelt_out(line.part) for line in LINES if line.work == work]
    for kind, numbers in CONTENTS[work].items():
        for number in numbers:
            wanted = rf"(?<![\w.-]){re.escape(number)}(?![\w-]|\.\d)"
            told = [part for part in parts if kind in part and re.search(wanted, part)]
            assert told, f"{kind} {number} is not on the page"


def is_there(word: str) -> bool:
    """Tell whether a command or a name of the package exists."""
    if word.startswith("consilience "):
        return shlex.split(word)[1] in command_line.cli.commands
    path = word.partition("(")[0].split(".")
    if path[0] in ("Estimate", "Ratings"):
        path = ["coefficients" if path[0] == "Estimate" else "ratings", *path]
    found: Any = cs
    for place, part in enumerate(path):
        if not hasattr(found, part):
            try:
                found = importlib.import_module("consilience." + ".".join(path[: place + 1]))
            except ImportError:
                return False
        else:
            found = getattr(found, part)
    return True


def test_what_a_line_names_exists() -> None:
    for line in LINES:
        words = CODE.findall(line.here)
        assert words, line
        for word in words:
            assert is_there(word), (word, line)


def numbers_in(text: str) -> list[tuple[float, int]]:
    """Return the numbers of a cell, and how many decimals each is given with."""
    found = []
    for word in NUMBER.findall(text):
        plain = word.replace("−", "-")
        found.append((float(plain), len(plain.partition(".")[2])))
    return found


def flattened(value: Any) -> list[float]:
    if isinstance(value, (list, tuple)):
        return [number for one in value for number in flattened(one)]
    return [float(value)]


@pytest.mark.parametrize("line", LINES, ids=lambda line: f"{line.work}: {line.part}"[:60])
def test_an_example_runs_and_gives_its_number(
    line: Line, workshop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(workshop)
    examples = CODE.findall(line.example)
    assert len(examples) == 1, line
    example = examples[0]
    if example.startswith("consilience "):
        screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
            code = command_line.run(shlex.split(example)[1:])
        screen.seek(0)
        shown = screen.read()
        assert code == 0, shown
        for word in CODE.findall(line.ours):
            assert word in shown, (word, shown)
        return
    value = eval(compile(example, line.part, "eval", dont_inherit=True), names_of_page())
    expected = numbers_in(line.ours)
    if not expected:
        return
    got = flattened(value)
    assert len(got) == len(expected), (got, line.ours)
    for number, (shown_number, decimals) in zip(got, expected, strict=True):
        assert round(number, decimals) == pytest.approx(shown_number, abs=1e-12), (got, line.ours)


def test_a_number_that_differs_from_the_printed_one_is_explained() -> None:
    for line in LINES:
        printed, ours = numbers_in(line.printed), numbers_in(line.ours)
        if "misprint" in line.printed or not printed or not ours or "`" in line.ours:
            continue
        assert len(printed) == len(ours), line
        for (theirs, decimals), (number, _) in zip(printed, ours, strict=True):
            assert abs(theirs - number) <= 0.51 * 10.0**-decimals, line
