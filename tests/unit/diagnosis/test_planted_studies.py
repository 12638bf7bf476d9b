"""Studies with a planted fault: what is drawn is what it says, and gross faults are named."""

from __future__ import annotations

from itertools import count, islice

import numpy as np
import pytest
from benchmarks.diagnosis.__main__ import CALLED, is_right
from benchmarks.diagnosis.studies import CLEAN, FAULTS, Planted, clean, planted

import consilience as cs

GROSS = 0.2
FOUND_LATER = ("items", "copied")  # rarely gross


def gross(code: str, n: int) -> list[Planted]:
    """The first studies in which a fault costs much, of a size that is no handicap."""
    drawn = (planted(code, seed, n=150, m=5) for seed in count(77_000))
    return list(islice((one for one in drawn if one.gain >= GROSS), n))


@pytest.mark.parametrize("code", [code for code in FAULTS if code not in FOUND_LATER])
def test_a_gross_fault_is_named_first(code: str) -> None:
    studies = gross(code, 4)
    right = [
        is_right(cause, one) for one in studies for cause in cs.diagnose(one.ratings).causes[:1]
    ]
    assert sum(right) >= 3, [(one.kind, one.gain) for one in studies]


@pytest.mark.parametrize("code", sorted(FAULTS))
def test_a_study_is_drawn_with_and_without_its_fault(code: str) -> None:
    one, again = planted(code, 3), planted(code, 3)
    assert one.ratings.to_frame("pyarrow") == again.ratings.to_frame("pyarrow")
    assert one.ratings.n_items == one.without.n_items
    assert one.ratings.n_ratings == one.without.n_ratings
    assert np.isfinite(one.gain)
    assert code in CALLED


@pytest.mark.parametrize("kind", CLEAN)
def test_studies_without_a_fault_hardly_ever_get_a_cause(kind: str) -> None:
    named = [bool(cs.diagnose(clean(kind, seed)).causes) for seed in range(600, 620)]
    assert sum(named) <= 1
