"""The schema describes what the commands write, and refuses what they must not."""

from __future__ import annotations

import json
from typing import Any

import fastjsonschema
import pytest

import consilience as cs
from contract.schema import check
from contract.test_golden_json import FROZEN

RECORDS = sorted(path.stem for path in FROZEN.glob("*.json"))
SUMMARY = cs.measure([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]])


def test_what_commands_write_fulfils_the_schema() -> None:
    for name in RECORDS:
        record = json.loads((FROZEN / f"{name}.json").read_text(encoding="utf-8"))
        if "schema" in record:  # others write text
            check(json.dumps({"version": cs.__version__} | record))


def changed(**changes: Any) -> str:
    return json.dumps(json.loads(SUMMARY.to_json()) | changes)


def test_a_summary_fulfils_it() -> None:
    check(SUMMARY.to_json())


@pytest.mark.parametrize(
    "change",
    [
        {"schema": "consilience/2"},
        {"seed": "0"},
        {"data": {"items": 3}},
        {"estimates": [{"value": 0.5}]},
        {"estimates": [{"coefficient": "x", "name": "X", "value": "0.5", "status": "ok",
                        "reason": None}]},
        {"findings": [{"code": "x", "severity": "grave", "message": "y"}]},
        {"findings": [{"code": "x", "severity": "info", "message": ""}]},
    ],
)  # fmt: skip
def test_it_refuses_what_is_no_record(change: dict[str, Any]) -> None:
    with pytest.raises(fastjsonschema.JsonSchemaException):
        check(changed(**change))
