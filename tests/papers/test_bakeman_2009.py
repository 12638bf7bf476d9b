"""Bakeman, Quera & Gnisci (2009): kappas of timed events, as printed for GSEQ 5.1.17.

The table and its values are Table 3 of Holle & Rein (2015), who ran GSEQ on their data.
"""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.units import gseq_table

LABELS = ["iob", "pis", "pob", "ris", "rob", "s", "nil", "&"]
TABLE = [
    [165, 0, 0, 0, 2, 0, 9, 1],
    [1, 696, 0, 1, 0, 0, 93, 4],
    [2, 1, 179, 0, 0, 0, 89, 0],
    [0, 0, 0, 231, 0, 0, 26, 0],
    [0, 0, 0, 2, 87, 0, 22, 0],
    [0, 0, 0, 0, 0, 60, 18, 0],
    [37, 69, 24, 40, 26, 21, 0, 224],
    [4, 4, 1, 2, 0, 0, 373, 703],
]
PRINTED = {"iob": 0.85, "pis": 0.86, "pob": 0.74, "ris": 0.86, "rob": 0.76, "s": 0.75, "&": 0.57}


def test_overall_kappa() -> None:
    found = gseq_table(TABLE, LABELS)
    assert found.kappa == pytest.approx(0.5905665792448569, abs=1e-12)
    assert round(found.kappa, 2) == 0.59
    assert found.n_tallies == 3217


@pytest.mark.parametrize("label", PRINTED)
def test_category_kappas(label: str) -> None:
    assert round(gseq_table(TABLE, LABELS)[label].kappa, 2) == PRINTED[label]


def test_plain_kappas_of_each_category_do_not_give_the_printed_values() -> None:
    table = np.array(TABLE)
    same = 0
    for label, printed in PRINTED.items():
        k = LABELS.index(label)
        n, r, c = table.sum(), table[k].sum(), table[:, k].sum()
        seen = (n - r - c + 2 * table[k, k]) / n
        chance = (r * c + (n - r) * (n - c)) / n**2
        same += round((seen - chance) / (1 - chance), 2) == printed
    assert same == 3


def test_plain_kappa_of_the_whole_table_is_lower() -> None:
    plain = cs.cohen_kappa(cs.Ratings.from_table(TABLE)).value
    assert plain == pytest.approx(0.5733, abs=5.1e-5)
