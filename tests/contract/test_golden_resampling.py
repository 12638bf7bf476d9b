"""Reference values of paired comparisons, permutation tests and the jackknife."""

from __future__ import annotations

from typing import Any

import pytest

import consilience as cs
from golden import Record, each, golden

CALLS = {
    "paired_test_ac2": cs.gwet_ac,
    "paired_test_alpha": cs.krippendorff_alpha,
    "paired_test_bp": cs.bennett_s,
    "paired_test_conger": cs.cohen_kappa,
    "paired_test_fleiss": cs.scott_pi,
    "paired_test_pa": cs.percent_agreement,
}
JACKKNIFED = {
    "percent_agreement": cs.percent_agreement,
    "brennan_prediger": cs.bennett_s,
    "fleiss_kappa": cs.scott_pi,
    "conger_kappa": cs.cohen_kappa,
    "krippendorff_alpha": cs.krippendorff_alpha,
    "gwet_ac": cs.gwet_ac,
}
CLOSE = 1e-6  # the records' own tolerance


def wide(record: Record, first: int = 2, last: int | None = None) -> cs.Ratings:
    """Read columns of a wide file by their number, counted from 1 with the item."""
    columns = slice(first - 1, last)
    rows = [[int(x) if x else None for x in line[columns]] for line in record.lines()[1:]]
    return cs.Ratings.from_wide(rows)


@each(golden(CALLS))
def test_paired_comparison_is_gwets(record: Record) -> None:
    """Gwet (2016), as pairedCAC computes it."""
    call = CALLS[record.coefficient]
    sides = []
    for key in ("set1", "set2"):
        first, last = map(int, record.params[key].removeprefix("columns ").split("-"))
        sides.append(call(wide(record, first, last)))
    found = sides[0].compare(sides[1])
    record.check_all(
        coeff1=sides[0].value,
        coeff2=sides[1].value,
        diff=found.difference,
        se=found.standard_error,
        t=found.statistic,
        p=found.p_value,
    )


@each(golden(["permutation_test_kappa_exact"]))
def test_exact_permutation_of_two_labels_is_fishers_test(record: Record) -> None:
    kappa = cs.cohen_kappa(cs.Ratings.from_table(record.data["table"]))
    found = kappa.permutation_test()
    assert found.method == "exact"
    assert found.p_value == pytest.approx(record.expected["p"], rel=1e-9)


@each(one for one in golden(JACKKNIFED) if one.params.get("variance") == "item jackknife")
def test_item_jackknife_gives_error_bias_and_acceleration(record: Record) -> None:
    call = JACKKNIFED[record.coefficient]
    ratings = wide(record)
    declared = cs.Ratings.from_wide(
        [[None if c < 0 else ratings.categories[c] for c in row] for row in _codes(ratings)],
        categories=record.params["categories"],
    )
    left = cs.jackknife(call(declared))
    expected = record.expected
    assert left.value == pytest.approx(expected["value"], abs=CLOSE)
    assert left.standard_error == pytest.approx(expected["se"], abs=CLOSE)
    assert left.bias == pytest.approx(expected["jackknife_bias"], abs=CLOSE)
    assert left.acceleration == pytest.approx(expected["bca_acceleration"], abs=CLOSE)


def _codes(ratings: cs.Ratings) -> Any:
    return ratings.store.decode(ratings.store.matrix)
