"""Holle & Rein (2015). EasyDIAg: the category-specific tables of Table 2.

Linking annotations on a time line is another matter; here only the finished tables are used.
"""

from __future__ import annotations

import pytest

import consilience as cs

TWO_DECIMALS = 0.005

# Printed for ris: 36 / 996 / 1032. With the printed margins the cells are 65 / 1628 / 1693.
TABLES = {
    "iob": [[160, 28], [52, 1724]],
    "pis": [[684, 134], [114, 1032]],
    "pob": [[160, 140], [57, 1607]],
    "ris": [[220, 51], [65, 1628]],
    "rob": [[84, 40], [50, 1790]],
    "s": [[52, 20], [43, 1849]],
}


@pytest.mark.parametrize("category", TABLES)
def test_every_table_holds_all_1964_annotations(category: str) -> None:
    assert cs.Ratings.from_table(TABLES[category]).n_items == 1964


def test_raw_agreement_lies_between_87_and_97_percent() -> None:
    agreement = [
        cs.percent_agreement(cs.Ratings.from_table(table)).value for table in TABLES.values()
    ]
    assert min(agreement) == pytest.approx(0.87, abs=TWO_DECIMALS)
    assert max(agreement) == pytest.approx(0.97, abs=TWO_DECIMALS)


def test_agreement_on_shifts_is_little_above_chance_agreement() -> None:
    kappa = cs.cohen_kappa(cs.datasets.load("holle_rein_2015_shift"))
    assert kappa.observed == pytest.approx(0.97, abs=TWO_DECIMALS)
    assert kappa.expected == pytest.approx(0.92, abs=TWO_DECIMALS)
