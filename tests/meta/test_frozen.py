"""A run ends without a word of the database about what was never freed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

TESTS = Path(__file__).resolve().parents[1]
HOOK = "from frozen import pytest_collection_finish\n"
USES = """
import duckdb, narwhals, pyarrow, pytest

HELD = duckdb.connect()

@pytest.mark.parametrize("n", range(4))
def test_a_relation(n):
    narwhals.from_native(HELD.sql("SELECT 1 AS a")).collect()
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["here", "workers"])
def test_nothing_is_said_to_be_leaked(workers: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    (tmp_path / "conftest.py").write_text(HOOK)
    (tmp_path / "test_uses.py").write_text(USES)
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *workers],
        cwd=tmp_path, env=os.environ | {"PYTHONPATH": str(TESTS), "PYTEST_ADDOPTS": ""},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    assert "4 passed" in done.stdout
    assert "leaked" not in done.stdout
