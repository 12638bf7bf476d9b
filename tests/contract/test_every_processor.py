"""The same number on every machine: commands and models as other processors round them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from test_golden_json import CASES, DATASETS, FROZEN, differences

from processors import models, numbers_on

RELATIVE = 1e-10
TRIED = ("Haswell", "Nehalem", "Prescott", "Sandybridge")


@pytest.fixture(scope="module")
def wanted() -> dict[str, Any]:
    """The records of commands, and what models say on this processor."""
    found = {
        case: json.loads((FROZEN / f"{case}.json").read_text(encoding="utf-8"))
        for case in (*CASES, *DATASETS)
    }
    found.update(json.loads(json.dumps(dict(models()), default=str)))
    return found


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("processor", TRIED)
def test_a_number_is_the_same_on_every_processor(
    wanted: dict[str, Any], processor: str, tmp_path: Path
) -> None:
    found = numbers_on(processor, tmp_path)
    assert list(found) == list(wanted)
    apart = [
        line
        for name in wanted
        for line in differences(found[name], wanted[name], name, relative=RELATIVE)
    ]
    assert apart == []
