"""Every reference record of agreement about units comes out of the public functions."""

from __future__ import annotations

import json
from typing import Any

import pytest

import needed
from consilience.units import easydiag_table, gseq_table, quasi_kappa
from golden import SHARED, Record, each, golden

EXPECTED = SHARED / "data" / "units" / "expected.json"

needs_expected = needed.needs_data(EXPECTED)
FOUR_DIGITS = 5.1e-5


def expected(name: str = "easydiag_table1") -> dict[str, Any]:
    found: dict[str, Any] = json.loads(EXPECTED.read_text(encoding="utf-8"))[name]
    return found


@each(golden(["cohen_kappa_structural_zero"]))
def test_kappa_with_a_structural_zero(record: Record) -> None:
    table = record.data["table"]
    found = quasi_kappa(table, zeros=tuple(record.params["zero_cell"]))
    record.check_all(
        value=found.value,
        A_o=found.observed,
        A_e=found.expected,
        segmentation_agreement=easydiag_table(table).linked_share,
    )


@needs_expected
@pytest.mark.parametrize(
    ("key", "name"),
    [
        ("kappa_ipf", "kappa"),
        ("pe_ipf", "expected"),
        ("raw_incl", "raw"),
        ("linked", "linked_share"),
        ("kappa_excl", "kappa_linked"),
        ("raw_excl", "raw_linked"),
        ("kappa_max_excl", "kappa_max_linked"),
        ("kappa_max_incl_easydiag", "kappa_max_easydiag"),
        ("kappa_max_incl_attainable", "kappa_max"),
    ],
)
def test_the_first_table_of_holle_and_rein(key: str, name: str) -> None:
    want = expected()
    found = easydiag_table(want["table"], want["labels"])
    assert getattr(found, name) == pytest.approx(want[key], abs=1e-12)


@needs_expected
def test_the_labels_of_the_first_table_of_holle_and_rein() -> None:
    want = expected()
    found = easydiag_table(want["table"], want["labels"])
    assert set(want["category_kappa"]) == set(found.labels)
    for label, kappa in want["category_kappa"].items():
        assert found[label].kappa == pytest.approx(kappa, abs=FOUR_DIGITS)


@needs_expected
def test_the_third_table_of_holle_and_rein() -> None:
    want = expected("gseq_table3")
    found = gseq_table(want["table"], want["labels"])
    assert found.kappa == pytest.approx(want["kappa_ipf"], abs=1e-12)
    assert round(found.kappa, 2) == want["published_kappa"]
    got = {x.label: x.kappa for x in found.categories}
    assert got == pytest.approx(want["category_kappa_ipf"], abs=FOUR_DIGITS)
    assert {label: round(x, 2) for label, x in got.items()} == want["published_category_kappa"]
