"""Many at once: bounded, and no wrong answer to the wrong tab."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from browser.load import Load
from patience import PATIENCE


def load(people: int, uploads: int, jobs: int) -> Load:
    """Run the load in a process of its own, so that its memory is the server's."""
    program = Path(__file__).with_name("load.py")
    command = [sys.executable, str(program), str(people), str(uploads), str(jobs)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=4 * PATIENCE, check=True)
    return Load(**json.loads(run.stdout.splitlines()[-1]))


def test_many_at_once_are_answered_or_told_to_wait() -> None:
    found = load(people=60, uploads=4, jobs=60)
    assert found.failed == 0
    assert found.wrong == 0
    assert 0 < found.busy < found.asked  # the queue has an end, and everybody in it is served
    assert found.megabytes < 1500
