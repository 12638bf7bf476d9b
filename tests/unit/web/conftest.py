"""One workbench for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench import Running, running


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    with running() as found:
        yield found
