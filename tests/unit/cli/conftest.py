"""Whatever a command writes as JSON fulfils the schema: looked at in every test of the commands."""

from __future__ import annotations

from typing import Any

import pytest

from consilience.document import records
from contract.schema import check


@pytest.fixture(autouse=True)
def fulfils_the_schema(monkeypatch: pytest.MonkeyPatch) -> None:
    written = records.to_json

    def checked(record: Any) -> str:
        text = written(record)
        check(text)
        return text

    monkeypatch.setattr(records, "to_json", checked)
