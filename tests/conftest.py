"""What tests of several folders share: a browser and a Spark session, where there is one."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import needed
from consilience.core.output_files import interrupts_given_back
from frozen import pytest_collection_finish  # noqa: F401  # a hook, which pytest finds here
from one_database import one_database
from skipped_kinds import pytest_terminal_summary  # noqa: F401  # a hook, which pytest finds here
from spark_jobs import SMALL_JOBS

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background; commands inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)  # not another one on the path

# However busy the machine is. More examples: pytest --hypothesis-profile thorough
settings.register_profile("patient", deadline=None, max_examples=40)
settings.register_profile("thorough", deadline=None, max_examples=1_000)
settings.load_profile("patient")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put tests with Spark first and its cluster's last of them: one worker starts Java, once."""

    def place(item: pytest.Item) -> int:
        has_spark = "spark" in item.nodeid or "spark" in getattr(item, "fixturenames", ())
        return (1 if "spark_cluster" in item.nodeid else 0) if has_spark else 2

    items.sort(key=place)


_OWN_DATABASE = (
    "engine", "attacks", "safety", "database", "faults", "every_route", "large_files", "threads",
)  # fmt: skip


@pytest.fixture(autouse=True)
def _one_database(request: pytest.FixtureRequest) -> Iterator[None]:
    """Share a database, except where a test may be about how it is opened, limited or broken."""
    if any(word in request.node.nodeid for word in _OWN_DATABASE):
        yield
    else:
        with one_database():
            yield


@pytest.fixture(scope="session")
def browser_driver() -> Iterator[Any]:
    """Start Playwright once: a second driver in the same process would be refused."""
    playwright = needed.package("playwright.sync_api")
    with playwright.sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def chromium(browser_driver: Any) -> Iterator[Any]:
    """Start Chromium once: the machine's own, or the one that Playwright has brought."""
    path = needed.chromium_path(browser_driver)
    if path is None:
        needed.lacking(needed.BROWSER)
    found = browser_driver.chromium.launch(executable_path=path, args=["--no-sandbox"])
    yield found
    found.close()


@pytest.fixture(scope="session")
def firefox(browser_driver: Any) -> Iterator[Any]:
    """Start the Firefox that Playwright brings along; it cannot drive Debian's."""
    if needed.brought(browser_driver.firefox) is None:
        needed.lacking(needed.FIREFOX)
    found = browser_driver.firefox.launch()
    yield found
    found.close()


@pytest.fixture(scope="session")
def axe() -> str | None:
    """Return the script of axe-core, which looks for what keeps people from reading a page."""
    package = find_spec("axe_playwright_python")
    if package is None or package.origin is None:
        return None
    return (Path(package.origin).parent / "axe.min.js").read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def _spark_stopped() -> Iterator[None]:
    yield
    sql = needed.package("pyspark.sql")
    if (session := sql.SparkSession.getActiveSession()) is not None:
        session.stop()


@pytest.fixture
def spark(_spark_stopped: None) -> Any:
    """Return Spark on this machine: a process has one session, and the cluster's test ends it."""
    if not needed.has_java():
        needed.lacking(needed.JAVA)
    sql = needed.package("pyspark.sql")
    builder = sql.SparkSession.builder.master("local[2]").appName("tests")
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xshare:auto"
    for name, value in {**SMALL_JOBS, "spark.driver.extraJavaOptions": quick}.items():
        builder = builder.config(name, value)
    with interrupts_given_back():
        session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session
