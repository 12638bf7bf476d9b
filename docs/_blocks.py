"""Run the console and Python blocks of the pages, and write anew what they print.

``make blocks`` after a change that shows: README, CONTRIBUTING and every page of docs/ are run
like the tests run them, and output that differs is replaced. `git diff` then shows what changed.
Numbers of many digits that differ in the last ones only stay as they are.
"""

from __future__ import annotations

import contextlib
import io
import itertools
import math
import os
import re
import shlex
import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from consilience.cli import program as command_line
from consilience.core.registry import Registry

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
OF_DOCS = [
    page
    for page in sorted(DOCS.rglob("*.md"))
    if not any(part.startswith("_") for part in page.relative_to(DOCS).parts)
]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *OF_DOCS]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
# Unrounded numbers: the last digits may depend on the machine.
LONG_NUMBER = re.compile(r"-?\d+\.\d{7,}(?:e-?\d+)?")
RELATIVE = 1e-9


@dataclass(frozen=True)
class Block:
    """A fenced block, and the output block that stands right below it."""

    language: str
    text: str
    line: int
    output: str
    shown: tuple[int, int] | None  # where the page shows what is printed; None: nowhere


def blocks(text: str, language: str) -> list[Block]:
    """Return the blocks of a page in one language."""
    found = list(FENCE.finditer(text))
    out = []
    for match, after in itertools.pairwise([*found, None]):
        assert match is not None
        if match[1] != language:
            continue
        line = text.count("\n", 0, match.start()) + 1
        if language == "console":  # shows itself what it prints
            out.append(Block(language, match[2], line, match[2], match.span(2)))
        elif after and after[1] == "text" and not text[match.end() : after.start()].strip():
            out.append(Block(language, match[2], line, after[2], after.span(2)))
        else:
            out.append(Block(language, match[2], line, "", None))
    return out


def is_same(got: str, shown: str) -> bool:
    """Tell whether two outputs differ at most in the last digits of unrounded numbers."""
    if LONG_NUMBER.sub("#", got) != LONG_NUMBER.sub("#", shown):
        return False
    numbers = zip(LONG_NUMBER.findall(got), LONG_NUMBER.findall(shown), strict=True)
    return all(math.isclose(float(a), float(b), rel_tol=RELATIVE) for a, b in numbers)


def transcript(commands: list[str]) -> str:
    """Return what a person sees who types the commands; `echo $?` shows the last exit code."""
    screen = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    code = 0
    with contextlib.redirect_stdout(screen), contextlib.redirect_stderr(screen):
        for command in commands:
            screen.write(f"$ {command}\n")
            program, *arguments = shlex.split(command)
            if command == "echo $?":
                screen.write(f"{code}\n")
            else:
                assert program == "consilience", f"cannot run {command!r}"
                code = command_line.run(arguments)
    screen.seek(0)
    return screen.read()


def printed(text: str, language: str, name: str) -> Iterator[tuple[Block, str]]:
    """Run the blocks of a page one after the other; yield each with what it prints."""
    namespace: dict[str, Any] = {"__name__": Path(name).stem}
    for block in blocks(text, language):
        if language == "console":
            commands = [line[2:] for line in block.text.splitlines() if line.startswith("$ ")]
            yield block, transcript(commands)
            continue
        screen = io.StringIO()
        with contextlib.redirect_stdout(screen):
            code = compile(block.text, f"{name}, line {block.line}", "exec", dont_inherit=True)
            exec(code, namespace)
        yield block, screen.getvalue()


def registries() -> list[Registry[Any]]:
    """Return everything that a page may add to."""
    from consilience.coefficients import registry as coefficients
    from consilience.distances._distance import registry as distances
    from consilience.findings._study import CHECKS
    from consilience.io.events.registry import UNIT_FORMATS
    from consilience.io.exports.registry import EXPORTS
    from consilience.io.registry import FORMATS
    from consilience.latent import LATENT_MODELS
    from consilience.magnitudes import measures
    from consilience.report.unit_methods import UNIT_METHODS

    return [coefficients, distances, CHECKS, FORMATS, EXPORTS, UNIT_FORMATS, measures(),
            UNIT_METHODS, LATENT_MODELS]  # fmt: skip


@contextlib.contextmanager
def workshop(folder: Path) -> Iterator[Path]:
    """Work in a folder with the examples, and register there what a page likes."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    before = Path.cwd()
    os.chdir(folder)
    try:
        with contextlib.ExitStack() as stack:
            for one in registries():
                stack.enter_context(one.as_before())
            yield folder
    finally:
        os.chdir(before)


def rewritten(text: str, name: str) -> str:
    """Return a page whose blocks show what they print now."""
    changes = []
    for language in ("console", "python"):
        with tempfile.TemporaryDirectory() as folder, workshop(Path(folder)):
            for block, output in printed(text, language, name):
                if is_same(output, block.output):
                    continue
                if block.shown is None:
                    raise SystemExit(
                        f"{name}, line {block.line}: a block that prints must be followed by a "
                        f"```text block. Got none. Hint: write an empty one below it."
                    )
                changes.append((block.shown, output))
    for (start, end), output in sorted(changes, reverse=True):
        text = text[:start] + output + text[end:]
    return text


def main() -> None:
    """Run all pages, or those that are named, and write those that differ."""
    for page in [Path(name).resolve() for name in sys.argv[1:]] or PAGES:
        text, name = page.read_text(encoding="utf-8"), str(page.relative_to(ROOT))
        new = rewritten(text, name)
        if new != text:
            page.write_text(new, encoding="utf-8")
            print(f"{name} written anew")


if __name__ == "__main__":
    main()
