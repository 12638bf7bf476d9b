"""Paste the commands of the tutorials into a shell and compare what they print: ``make pasted``.

The shell sees the built wheel in environments of their own, with the newest and with the lowest
versions of what it needs, and the examples of this clone; nothing else of the project.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lowest import PROJECT, lowest
from wheels import environment_with, make

ROOT = Path(__file__).resolve().parents[1]
PAGES = sorted((ROOT / "docs" / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def lowest_requirements() -> list[str]:
    """Return what the package itself needs, in the lowest versions that it declares."""
    import tomllib

    told = tomllib.loads(PROJECT.read_text(encoding="utf-8"))
    return [lowest(one) for one in told["project"]["dependencies"]]


def pasted(text: str, bin_folder: Path, folder: Path) -> str:
    """Return what a person sees who pastes the commands of a block one after the other."""
    commands = [line[2:] for line in text.splitlines() if line.startswith("$ ")]
    shown = "\n".join(f"printf '%s\\n' {quoted('$ ' + one)}\n(exit $code)\n{one}\ncode=$?"
                      for one in commands)  # fmt: skip
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    environment = {"PATH": path, "HOME": str(folder), "LANG": "C.UTF-8"}
    command = ["bash", "-c", f"code=0\n{shown}\n"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    return (done.stdout + done.stderr).decode()


def quoted(text: str) -> str:
    """Write a text for the shell."""
    return "'" + text.replace("'", "'\\''") + "'"


def check(python: Path, name: str) -> list[str]:
    """Paste every block of every tutorial, and return those that print something else."""
    wrong, number = [], 0
    with tempfile.TemporaryDirectory() as away:
        folder = Path(away)
        shutil.copytree(ROOT / "examples", folder / "examples")
        for page in PAGES:
            for block in BLOCK.findall(page.read_text(encoding="utf-8")):
                number += 1
                got = pasted(block, python.parent, folder)
                if sorted(got.splitlines()) != sorted(block.splitlines()):
                    wrong.append(f"{page.name} with {name} versions:\n{block}\ngot\n{got}")
    print(f"{name} versions: {number} blocks of {len(PAGES)} tutorials, {len(wrong)} differ")
    return wrong


def main() -> int:
    """Build the wheel and try it in all environments."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--python", nargs="*", default=[], help="other Pythons to try it with")
    tried = [("newest", [], sys.executable), ("lowest", lowest_requirements(), sys.executable)]
    tried += [(f"newest, {Path(one).name}", [], one) for one in parser.parse_args().python]
    wrong = []
    with tempfile.TemporaryDirectory() as folder:
        wheel = make(Path(folder) / "dist")
        for number, (name, versions, base) in enumerate(tried):
            python = environment_with(wheel, Path(folder) / str(number), versions, base)
            wrong += check(python, name)
    print(*wrong, sep="\n\n")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
