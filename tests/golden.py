"""The reference records that the contract tests reproduce, and where they are.

Records kept in ``tests/references`` come with their data. Those whose data belong to another
package are not part of this repository: they are read from ``../shared/golden`` where that folder
is present, and are left out where it is not.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from needed import SHARED, needs_data

REFERENCES = Path(__file__).resolve().parent / "references"
GOLDEN = SHARED / "golden" / "golden.json"
needs_golden = needs_data(GOLDEN)


@dataclass(frozen=True)
class Record:
    """One reference: these data, this coefficient, these numbers."""

    id: str
    coefficient: str
    data: Any
    params: dict[str, Any]
    expected: dict[str, Any]
    tolerance: dict[str, Any]
    kind: str = ""

    def allowed(self, key: str) -> float:
        """How far a number may be off."""
        return float(self.tolerance.get("keys", {}).get(key, self.tolerance["abs"]))

    def check(self, key: str, got: float | None) -> None:
        """Compare one number; tolerances are absolute and scale with large values."""
        want = self.expected[key]
        if want is None:
            assert got is None or math.isnan(got), f"{key} must be undefined, got {got}"
            return
        assert got is not None, f"{key} is missing, expected {want}"
        near = self.allowed(key) * max(1.0, abs(want))
        assert got == pytest.approx(want, rel=0, abs=near), key

    def check_list(self, key: str, got: Any) -> None:
        """Compare a list of numbers."""
        assert got == pytest.approx(self.expected[key], rel=0, abs=self.allowed(key)), key

    def check_all(self, **got: float | None) -> None:
        """Compare every number of the record; one that is not offered is a KeyError."""
        for key in self.expected:
            self.check(key, got[key])

    def lines(self) -> list[list[str]]:
        """The cells of the file that holds the data, its head among them."""
        with (GOLDEN.parent / self.data["path"]).open(encoding="utf-8", newline="") as file:
            return list(csv.reader(file))

    def columns(self) -> dict[str, list[str]]:
        """The same by the name of the column."""
        head, *rows = self.lines()
        return {name: [row[k] for row in rows] for k, name in enumerate(head)}


def _record(entry: dict[str, Any], data: Any) -> Record:
    names = [name for name in Record.__annotations__ if name in entry and name != "data"]
    return Record(data=data, **{name: entry[name] for name in names})


def reference_files(folder: str = ".") -> list[Path]:
    """The files of references in a folder of ``tests/references``."""
    return sorted((REFERENCES / folder).glob("*.json"))


def embedded(folder: str = ".") -> list[Record]:
    """The records that are kept in a folder of ``tests/references``."""
    contents = [json.loads(path.read_text(encoding="utf-8")) for path in reference_files(folder)]
    return [
        _record(entry, content["data"][entry["data"]] if "data" in entry else None)
        for content in contents
        for entry in content["expect"]
    ]


@cache
def _all_golden() -> list[Record]:
    if not GOLDEN.exists():
        return []
    entries = json.loads(GOLDEN.read_text(encoding="utf-8"))
    return [_record(entry, entry["data"]) for entry in entries]


def golden(coefficients: Iterable[str] | None = None) -> list[Record]:
    """The records of the golden file, all or those of some coefficients; none without the file."""
    wanted = None if coefficients is None else set(coefficients)
    return [one for one in _all_golden() if wanted is None or one.coefficient in wanted]


def ids(records: Iterable[Record]) -> set[str]:
    """The names of records."""
    return {record.id for record in records}


def each(records: Iterable[Record]) -> pytest.MarkDecorator:
    """Run a test with each record, under the record's name."""
    return pytest.mark.parametrize("record", list(records), ids=lambda record: record.id)
