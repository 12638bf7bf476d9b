"""The browser under a shorter name."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session")
def browser(chromium):
    return chromium
