"""The same number on every machine: commands and models as other processors round them."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from test_golden_json import differences

from processors import numbers_on

RELATIVE = 1e-10
TRIED = ("Haswell", "Nehalem", "Prescott", "Sandybridge")


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    folder = tmp_path_factory.mktemp("processors")
    with ThreadPoolExecutor(2) as pool:
        return dict(zip(TRIED, pool.map(lambda one: numbers_on(one, folder), TRIED), strict=True))


@pytest.mark.parametrize("processor", TRIED[1:])
def test_a_number_is_the_same_on_every_processor(
    found: dict[str, dict[str, Any]], processor: str
) -> None:
    first, other = found[TRIED[0]], found[processor]
    assert list(first) == list(other)
    apart = [
        line
        for name in first
        for line in differences(other[name], first[name], name, relative=RELATIVE)
    ]
    assert apart == []
