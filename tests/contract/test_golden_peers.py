"""What other programs say about small data, beside what we say: equal, or a documented defect."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
import peers
from golden import Record, each, embedded

RECORDS = embedded("peers")
VALIDATION = Path(__file__).resolve().parents[2] / "docs" / "validation.md"


@pytest.fixture(scope="module")
def names() -> dict[str, Any]:
    return {**peers.namespace(), "cs": cs}


@each(RECORDS)
def test_we_say_the_same_or_know_why_not(record: Record, names: dict[str, Any]) -> None:
    ours = float(eval(record.params["ours"], dict(names)))
    if record.params["differs"]:
        assert abs(ours - record.expected["value"]) > 100 * record.allowed("value")
        known = re.findall(r"^\| ([\w-]+-\d+) \|", VALIDATION.read_text("utf-8"), re.MULTILINE)
        assert record.params["differs"] in known
    else:
        record.check("value", ours)


def test_every_call_is_recorded_as_it_stands() -> None:
    recorded = {(one.params["theirs"], one.params["ours"]) for one in RECORDS}
    calls = {(one.theirs, one.ours) for calls in peers.CALLS.values() for one in calls}
    assert recorded == calls, "run: make peers"
