"""Reference values of paired comparisons, permutation tests and the jackknife.

The records are read from the shared golden file, since most rest on data sets of other packages;
without it these tests are skipped.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import consilience as cs

GOLDEN = Path(__file__).parents[3] / "shared" / "golden"
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


def records(wanted: Any) -> list[Any]:
    path = GOLDEN / "golden.json"
    if not path.exists():
        reason = "the shared golden file is not here"
        return [pytest.param(None, marks=pytest.mark.skip(reason=reason))]
    found = [record for record in json.loads(path.read_text()) if wanted(record)]
    return [pytest.param(record, id=record["id"]) for record in found]


def wide(path: str, first: int | None = None, last: int | None = None) -> cs.Ratings:
    """Read columns of a wide file by their number, counted from 1 with the item."""
    with (GOLDEN / path).open() as stream:
        lines = list(csv.reader(stream))[1:]
    columns = slice(1 if first is None else first - 1, last)
    rows = [[int(x) if x else None for x in line[columns]] for line in lines]
    return cs.Ratings.from_wide(rows)


@pytest.mark.parametrize("record", records(lambda r: r["coefficient"] in CALLS))
def test_paired_comparison_is_gwets(record: Any) -> None:
    """Gwet (2016), as pairedCAC computes it."""
    call = CALLS[record["coefficient"]]
    sides = []
    for key in ("set1", "set2"):
        first, last = map(int, record["params"][key].removeprefix("columns ").split("-"))
        sides.append(call(wide(record["data"]["path"], first, last)))
    found = sides[0].compare(sides[1])
    expected = record["expected"]
    assert found.difference == pytest.approx(expected["diff"], abs=CLOSE)
    assert found.standard_error == pytest.approx(expected["se"], abs=CLOSE)
    assert found.statistic == pytest.approx(expected["t"], abs=1e-5)
    assert found.p_value == pytest.approx(expected["p"], abs=CLOSE)


@pytest.mark.parametrize(
    "record", records(lambda r: r["coefficient"] == "permutation_test_kappa_exact")
)
def test_exact_permutation_of_two_labels_is_fishers_test(record: Any) -> None:
    kappa = cs.cohen_kappa(cs.Ratings.from_table(record["data"]["table"]))
    found = kappa.permutation_test()
    assert found.method == "exact"
    assert found.p_value == pytest.approx(record["expected"]["p"], rel=1e-9)


@pytest.mark.parametrize(
    "record",
    records(
        lambda r: r["coefficient"] in JACKKNIFED and r["params"].get("variance") == "item jackknife"
    ),
)
def test_item_jackknife_gives_error_bias_and_acceleration(record: Any) -> None:
    call = JACKKNIFED[record["coefficient"]]
    ratings = wide(record["data"]["path"])
    declared = cs.Ratings.from_wide(
        [[None if c < 0 else ratings.categories[c] for c in row] for row in _codes(ratings)],
        categories=record["params"]["categories"],
    )
    left = cs.jackknife(call(declared))
    expected = record["expected"]
    assert left.value == pytest.approx(expected["value"], abs=CLOSE)
    assert left.standard_error == pytest.approx(expected["se"], abs=CLOSE)
    assert left.bias == pytest.approx(expected["jackknife_bias"], abs=CLOSE)
    assert left.acceleration == pytest.approx(expected["bca_acceleration"], abs=CLOSE)


def _codes(ratings: cs.Ratings) -> Any:
    return ratings._store.decode(ratings._store.matrix)
