"""Lee et al. (2025), How to correctly report LLM-as-a-judge evaluations, arXiv 2511.21140."""

from __future__ import annotations

import pytest

from consilience import judges
from consilience.exceptions import UnsupportedDesignError
from consilience.judges.corrected_rates import CorrectedRate

PRINTED = 5e-5  # four decimals


def corrected(apparent: float, specificity: float, sensitivity: float) -> CorrectedRate:
    return judges.rogan_gladen(
        apparent,
        sensitivity=sensitivity,
        specificity=specificity,
        n_verdicts=1000,
        n_positive=200,
        n_negative=200,
    )


def test_the_rate_of_rogan_and_gladen_with_the_interval_of_lee() -> None:
    found = corrected(0.4, specificity=0.7, sensitivity=0.9)
    assert found.value == pytest.approx(1 / 6)
    interval = found.confidence_interval()
    assert interval.low == pytest.approx(0.0564, abs=PRINTED)
    assert interval.high == pytest.approx(0.2627, abs=PRINTED)


def test_a_perfect_judge_is_left_alone() -> None:
    assert corrected(0.4, specificity=1.0, sensitivity=1.0).value == pytest.approx(0.4)


@pytest.mark.parametrize(("specificity", "sensitivity"), [(0.5, 0.5), (0.3, 0.6), (0.0, 1.0)])
def test_a_judge_that_says_nothing_is_refused(specificity: float, sensitivity: float) -> None:
    with pytest.raises(UnsupportedDesignError, match=r"sensitivity \+ specificity above 1"):
        corrected(0.4, specificity, sensitivity)
