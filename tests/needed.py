"""What some tests need and a machine may not have.

Each reason to skip a test begins with its kind, so that a run can tell at its end how many tests
of each kind it did not run (skipped_kinds.py) and tools.py can install what is missing.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NoReturn

import pytest

BROWSER = "a browser (Chromium)"
FIREFOX = "Playwright's Firefox"
JAVA = "Java, for Spark"
PACKAGE = "a Python package"
PROGRAM = "another program"
SYSTEM = "another system"
DATA = "the reference data beside the clone"
KINDS = (BROWSER, FIREFOX, JAVA, PACKAGE, PROGRAM, SYSTEM, DATA)

SHARED = Path(__file__).resolve().parents[2] / "shared"  # of others, and not in the clone


def reason(kind: str, what: str = "") -> str:
    """Say why a test is not run."""
    assert kind in KINDS, kind
    return f"needs {kind}" + (f": {what}" if what else "")


def lacking(kind: str, what: str = "") -> NoReturn:
    """Leave the test that runs."""
    pytest.skip(reason(kind, what))


def needs(there: object, kind: str, what: str = "") -> pytest.MarkDecorator:
    """Mark tests that are run only where something is there."""
    return pytest.mark.skipif(not there, reason=reason(kind, what))


def package(name: str) -> Any:
    """Import a module, or leave the test or the file that asks for it."""
    return pytest.importorskip(name, reason=reason(PACKAGE, name.partition(".")[0]))


def locks() -> Any:
    """Import the locks of POSIX, or leave the file that asks for them."""
    return pytest.importorskip("fcntl", reason=reason(SYSTEM, "locks of POSIX"))


def needs_package(name: str) -> pytest.MarkDecorator:
    """Mark tests that are run only where a package is installed."""
    return needs(find_spec(name), PACKAGE, name)


def needs_data(path: Path) -> pytest.MarkDecorator:
    """Mark tests that read a file or folder beside the clone."""
    return needs(path.exists(), DATA, path.relative_to(SHARED).as_posix())


def data(name: str) -> Path:
    """Return a file or folder beside the clone, or leave the test that asks for it."""
    path = SHARED / name
    if not path.exists():
        lacking(DATA, name)
    return path


def needs_program(name: str) -> pytest.MarkDecorator:
    """Mark tests that are run only where a program is installed."""
    return needs(shutil.which(name), PROGRAM, name)


ON_POSIX = needs(os.name == "posix", SYSTEM, "pipes, links and signals of POSIX")


@cache
def has_java() -> bool:
    """Whether Java runs: macOS has a program of this name that only says where to get one."""
    java = shutil.which("java")
    return (
        java is not None
        and not subprocess.run([java, "-version"], capture_output=True, check=False).returncode
    )


def chromium_path(driver: Any) -> str | None:
    """Return the machine's own Chromium, or the one that Playwright has brought; None if none."""
    own = shutil.which("chromium") or shutil.which("chromium-browser")
    return own or brought(driver.chromium)


def brought(kind: Any) -> str | None:
    """Return the browser of a kind that Playwright has brought, None if it has not."""
    path = str(kind.executable_path)
    return path if Path(path).exists() else None
