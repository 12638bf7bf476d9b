"""One browser, one workbench, and pages that write down whatever should not happen."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from browser.tour import LIMITS
from consilience.web import Settings
from patience import PATIENCE, patient
from workbench import Running, running


@pytest.fixture(scope="session")
def bench() -> Iterator[Running]:
    with running(Settings(patience=1.0, seconds=PATIENCE, watch=True, **LIMITS)) as found:
        yield found


class Visitor:
    """A browser window of its own, let in by a cookie, that keeps a list of faults."""

    def __init__(self, chromium: Any, bench: Running, **how: Any) -> None:
        self.bench = bench
        self.context = chromium.new_context(**{"viewport": {"width": 1280, "height": 800}, **how})
        patient(self.context)
        self.context.add_cookies([self._cookie()])
        self.faults: list[str] = []
        self.page = self.context.new_page()
        self.page.on("console", self._heard)
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("dialog", lambda dialog: self.faults.append(dialog.message))
        self.page.on("request", self._asked)

    def _cookie(self) -> dict[str, str]:
        keys = self.bench.bench.keys
        return {
            "name": keys.cookie_name, "value": keys.cookie, "url": self.bench.origin,
        }  # fmt: skip

    def _heard(self, message: Any) -> None:
        if message.type in ("error", "warning"):
            self.faults.append(message.text)

    def _asked(self, request: Any) -> None:
        if not request.url.startswith((self.bench.origin, "blob:", "data:")):
            self.faults.append(f"asked elsewhere: {request.url}")

    def go(self, path: str, ready: str = "main :not(.working) > h1, main h1") -> Any:
        """Go to a screen and wait until it is there."""
        self.page.goto(self.bench.origin + path)
        self.settled(ready)
        return self.page

    def settled(self, ready: str = "main h1") -> None:
        """Wait until no job is under way."""
        self.page.wait_for_function(
            "() => document.querySelector('main h1') && !document.querySelector('.working')"
            " && !document.querySelector('meta[http-equiv=refresh]')"
        )
        self.page.wait_for_selector(ready)

    def close(self) -> None:
        self.context.close()


@pytest.fixture
def visit(chromium: Any, bench: Running) -> Iterator[Callable[..., Visitor]]:
    """Open windows; at the end nobody must have found a fault."""
    opened: list[Visitor] = []

    def new(**how: Any) -> Visitor:
        opened.append(Visitor(chromium, bench, **how))
        return opened[-1]

    yield new
    faults = [fault for one in opened for fault in one.faults]
    for one in opened:
        one.close()
    assert faults == []
