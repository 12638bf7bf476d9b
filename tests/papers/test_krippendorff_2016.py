"""Krippendorff, Mathet, Bouvry & Widlöcher (2016): the family of alphas for unitized continua.

The small example is the one that public implementations of the family carry; the songs are read
from the SALAMI annotations beside the repository, where they are present.
"""

from __future__ import annotations

import json

import pytest

import needed
from consilience.units import Units, unitizing_alpha

UNITS = needed.SHARED / "data" / "units"
SIX_DIGITS = 6e-7  # half a unit of the last digit, and rounding
EXAMPLE = [
    ("Alex", 1, 2, 5),
    ("Alex", 1, 9, 11),
    ("Alex", 2, 12, 20),
    ("Paul", 1, 2, 5),
    ("Paul", 2, 7, 15),
    ("Susan", 1, 2, 5),
    ("Susan", 2, 10, 15),
]


def test_the_family_on_three_raters() -> None:
    found = unitizing_alpha(Units.from_records(EXAMPLE, bounds=(0, 20)))
    assert found.u.value == pytest.approx(0.473913, abs=SIX_DIGITS)
    assert found.binary.value == pytest.approx(0.432813, abs=SIX_DIGITS)
    assert found.cu.value == pytest.approx(0.778882, abs=SIX_DIGITS)
    assert found.cu.coverage == pytest.approx(0.383333, abs=SIX_DIGITS)
    one, two = found.by_category[1], found.by_category[2]
    assert (one.value, one.coverage) == pytest.approx((0.769252, 0.954545), abs=SIX_DIGITS)
    assert (two.value, two.coverage) == pytest.approx((0.786971, 0.595238), abs=SIX_DIGITS)


def _song(number: str) -> Units:
    """Tenths of a second; silence is a gap."""
    rows = []
    for rater in ("1", "2"):
        path = UNITS / "salami" / number / f"textfile{rater}_functions.txt"
        lines = [line.split("\t") for line in path.read_text().splitlines()]
        times = [round(float(time) * 10) for time, _ in lines]
        rows += [
            (rater, lines[k][1], times[k], times[k + 1])
            for k in range(len(lines) - 1)
            if times[k] < times[k + 1]
        ]
    last = max(row[3] for row in rows)
    kept = [row for row in rows if row[1].lower() != "silence"]
    return Units.from_records(kept, bounds=(0, last))


@needed.needs_data(UNITS)
@pytest.mark.parametrize("number", ["2", "20", "960"])
def test_songs_of_salami(number: str) -> None:
    expected = json.loads((UNITS / "expected.json").read_text())
    record = expected["salami_functions_u_alpha"][number]
    found = unitizing_alpha(_song(number))
    assert found.u.value == pytest.approx(record["u"], abs=SIX_DIGITS)
    assert found.binary.value == pytest.approx(record["u_binary"], abs=SIX_DIGITS)
    assert found.cu.value == pytest.approx(record["cu"], abs=SIX_DIGITS)
