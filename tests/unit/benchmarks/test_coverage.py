"""The short version of the coverage study: intervals must contain the truth as often as they say.

The whole study is ``make coverage``; this one draws few samples, so its bounds are wide, but a
method that covers as the plain Wald interval does near full agreement fails it.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from benchmarks.coverage._designs import (
    MODELS,
    Design,
    few_designs,
    tuning_designs,
    validation_designs,
)
from benchmarks.coverage._render import exact_share, judged, render, verdict
from benchmarks.coverage._study import COEFFICIENTS, METHODS, Covered, study

import consilience as cs
from consilience.exceptions import ConsilienceError
from consilience.simulate import large_sample_value

RUNS = 120
# Three binomial standard errors of 120 draws at 95 %: 0.06.
LOWEST, LOWEST_MEAN = 0.89, 0.93
RESULTS = Path(__file__).parents[3] / "benchmarks" / "coverage" / "results"
PAGE = Path(__file__).parents[3] / "docs" / "coverage.md"


@pytest.mark.parametrize("design", few_designs(), ids=str)
def test_the_automatic_interval_covers(design: Design) -> None:
    for cell in study(design, n_runs=RUNS, n_resamples=99, seed=7):
        assert cell.defined > 0.9 * RUNS
        assert cell.share("auto") >= LOWEST, (cell.coefficient, cell.share("auto"))


def test_the_plain_interval_would_fail_where_agreement_is_high_and_labels_are_rare() -> None:
    """The test above can fail: this is what it would say of value ± t × error."""
    design = Design(50, 2, 3, 1.0, 0.8, 0.0)
    cells = {cell.coefficient: cell for cell in study(design, n_runs=RUNS, n_resamples=99, seed=7)}
    cell = cells["cohen_kappa"]
    assert cell.share("analytic") < LOWEST_MEAN <= cell.share("auto")


def test_the_tuning_designs_meet_every_value_of_every_axis() -> None:
    grid = tuning_designs()
    assert len(set(grid)) == len(grid) >= 120
    assert {d.n_items for d in grid} == {20, 50, 100, 300, 1000}
    assert {d.n_raters for d in grid} == {2, 3, 5, 10}
    assert {d.n_labels for d in grid} == {2, 3, 5}
    assert {d.skew for d in grid} == {0.0, 1.0}
    assert {d.agreement for d in grid} == {0.2, 0.5, 0.8, 0.95}
    assert {d.missing for d in grid} == {0.0, 0.3}


def test_the_validation_designs_are_others_and_span_the_stated_ranges() -> None:
    drawn = validation_designs()
    assert drawn == validation_designs()
    assert len(set(drawn)) == len(drawn) >= 160
    assert not set(drawn) & set(tuning_designs())
    assert {d.model for d in drawn} == set(MODELS)
    assert {d.n_raters for d in drawn} == set(range(2, 11))
    assert {d.n_labels for d in drawn} == {2, 3, 4, 5}
    for values, low, high in (
        ([d.n_items for d in drawn], 20, 1000),
        ([d.agreement for d in drawn], 0.2, 0.95),
        ([d.missing for d in drawn], 0.0, 0.3),
        ([d.skew for d in drawn], 0.0, 1.0),
    ):
        assert low <= min(values) < low + 0.1 * (high - low)
        assert high >= max(values) > high - 0.1 * (high - low)


@pytest.mark.parametrize("name", COEFFICIENTS)
def test_true_values_are_those_of_a_very_large_sample(name: str) -> None:
    for model in MODELS:
        design = Design(100, 4, 3, 0.7, 0.6, 0.25, model, 3)
        drawn = large_sample_value(design.simulator(), name, rng=1)
        assert design.true_value(name) == pytest.approx(drawn, abs=0.004)


def test_counts_add_up_and_survive_being_written() -> None:
    design = few_designs()[0]
    first = study(design, n_runs=6, n_resamples=19, seed=[1, 0])[0]
    second = study(design, n_runs=4, n_resamples=19, seed=[1, 6])[0]
    hits = first.hits["auto"] + second.hits["auto"]
    first.add(second)
    assert (first.defined, first.hits["auto"]) == (10, hits)
    again = Covered.from_dict(json.loads(json.dumps(first.to_dict())))
    assert again == first
    assert set(again.hits) <= set(METHODS)


def test_a_cell_is_judged_unless_it_is_small_or_labelled() -> None:
    def cell(n_items: int, too_few: int, hits: int) -> Covered:
        made = Covered(Design(n_items, 2, 2, 0.0, 0.5, 0.0), "cohen_kappa", 0.5, 100, too_few)
        made.hits["auto"] = hits
        return made

    cells = [cell(49, 0, 95), cell(50, 51, 95), cell(50, 50, 95), cell(80, 0, 92), cell(80, 0, 98)]
    assert judged(cells) == cells[2:]
    assert verdict(cells) == (1, 3)
    assert exact_share(500) == pytest.approx(0.976, abs=0.005)


def test_the_page_is_that_of_the_stored_counts() -> None:
    records = {}
    for name, designs in (("validation", validation_designs()), ("tuning", tuning_designs())):
        path = RESULTS / f"{name}.json"
        records[name] = json.loads(path.read_text()) if path.exists() else None
        if records[name] is not None:
            cells = [Covered.from_dict(cell) for cell in records[name]["cells"]]
            assert {cell.design for cell in cells} == set(designs)
            records[name]["cells"] = cells
    assert render(records["validation"], records["tuning"]) == PAGE.read_text(encoding="utf-8")


def test_methods_that_draw_items_do_not_pretend_to_draw_anything_else() -> None:
    wide = [[1, 1, 2], [2, 2, 2], [1, 1, 1], [2, 1, 2], [1, 2, 1], [2, 2, 2]]
    alpha = cs.krippendorff_alpha(cs.Ratings.from_wide(wide))
    clusters = [0, 0, 1, 1, 2, 2]
    for method in ("studentised", "jackknife", "transformed", "hayes-krippendorff"):
        with pytest.raises(ConsilienceError, match="Hint"):
            alpha.confidence_interval(method=method, by="cluster", clusters=clusters)
    with pytest.raises(ConsilienceError, match="Hint"):
        alpha.confidence_interval(method="bca", by="rater")
