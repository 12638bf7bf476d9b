"""A browser and axe-core, where they are."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def browser(chromium):
    return chromium


@pytest.fixture(scope="session")
def axe() -> str | None:
    """The script of axe-core, which looks for what keeps people from reading a page; or None."""
    package = find_spec("axe_playwright_python")
    if package is None or package.origin is None:
        return None
    return (Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8")
