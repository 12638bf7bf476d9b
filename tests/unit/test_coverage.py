"""The short version of the coverage study: intervals must contain the truth as often as they say.

The whole study is ``make coverage``; this one draws few samples, so its bounds are wide, but a
method that covers as the plain Wald interval does near full agreement fails it.
"""

from __future__ import annotations

import pytest
from benchmarks.coverage._designs import Design, designs, few_designs
from benchmarks.coverage._study import study

import consilience as cs
from consilience.exceptions import ConsilienceError

RUNS = 120
# Three binomial standard errors of 120 draws at 95 %: 0.06.
LOWEST, LOWEST_MEAN = 0.89, 0.93


@pytest.mark.parametrize("design", few_designs(), ids=str)
def test_the_automatic_interval_covers(design: Design) -> None:
    for cell in study(design, n_runs=RUNS, n_resamples=99, seed=7):
        assert cell.defined > 0.9 * RUNS
        assert cell.share("auto") >= LOWEST, (cell.coefficient, cell.share("auto"))


def test_the_plain_interval_would_fail_where_agreement_is_high_and_labels_are_rare() -> None:
    """The test above can fail: this is what it would say of value ± t × error."""
    design = Design(50, 2, 3, "skewed", 0.8, 0.0)
    cells = {cell.coefficient: cell for cell in study(design, n_runs=RUNS, n_resamples=99, seed=7)}
    cell = cells["cohen_kappa"]
    assert cell.share("analytic") < LOWEST_MEAN <= cell.share("auto")


def test_the_study_has_enough_designs_and_meets_every_value_of_every_axis() -> None:
    grid = designs()
    assert len(set(grid)) == len(grid) >= 120
    assert {d.n_items for d in grid} == {20, 50, 100, 300, 1000}
    assert {d.n_raters for d in grid} == {2, 3, 5, 10}
    assert {d.n_labels for d in grid} == {2, 3, 5}
    assert {d.margins for d in grid} == {"even", "skewed"}
    assert {d.agreement for d in grid} == {0.2, 0.5, 0.8, 0.95}
    assert {d.missing for d in grid} == {0.0, 0.3}


def test_methods_that_draw_items_do_not_pretend_to_draw_anything_else() -> None:
    wide = [[1, 1, 2], [2, 2, 2], [1, 1, 1], [2, 1, 2], [1, 2, 1], [2, 2, 2]]
    alpha = cs.krippendorff_alpha(cs.Ratings.from_wide(wide))
    clusters = [0, 0, 1, 1, 2, 2]
    for method in ("studentised", "jackknife", "transformed", "hayes-krippendorff"):
        with pytest.raises(ConsilienceError, match="Hint"):
            alpha.confidence_interval(method=method, by="cluster", clusters=clusters)
    with pytest.raises(ConsilienceError, match="Hint"):
        alpha.confidence_interval(method="bca", by="rater")
