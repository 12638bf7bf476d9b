"""Reference records of the alternative annotator test and of distances between markers.

Those of the test were made with its authors' program.
"""

from __future__ import annotations

import pytest

import consilience as cs
from consilience import panel
from golden import Record, each, golden


def ratings(record: Record) -> cs.Ratings:
    columns = record.columns()
    del columns["item"]
    wide = {
        name: [int(float(cell)) if cell else None for cell in column]
        for name, column in columns.items()
    }
    return cs.Ratings.from_wide(wide, scale="interval")


@each(golden(["alt_test"]))
def test_the_alternative_annotator_test_of_its_authors(record: Record) -> None:
    params, expected = record.params, record.expected
    found = panel.alternative_annotator_test(
        ratings(record),
        system=params["column_llm"],
        scoring=params["scoring"],
        epsilon=params["epsilon"],
        false_discovery_rate=params["q"],
        fewest_items=params["min_instances_per_human"],
    )
    near = record.tolerance["abs"]
    assert found.winning_rate == pytest.approx(expected["winning_rate"], abs=near)
    assert found.advantage_probability == pytest.approx(expected["advantage_probability"], abs=near)
    assert found.p_values == pytest.approx(expected["p_values"], abs=near)
    advantages = [one.advantage for one in found.people]
    assert advantages == pytest.approx(expected["advantage_by_annotator"], abs=near)
    inside = panel.compare(
        ratings(record), systems="LLM", epsilon=params["epsilon"], n_resamples=5
    )["LLM"].alternative
    assert inside is not None
    assert inside.p_values == found.p_values


@each(golden(["vector_distance"]))
def test_distances_between_markers(record: Record) -> None:
    if record.kind == "seed-no-data":
        expected = record.expected
        roots = [printed**0.5 for printed in expected["L1_printed"]]
        assert roots == pytest.approx(expected["L2_printed"], abs=0.06)
        return
    counts = {int(gap): n for gap, n in record.params["counts_by_abs_difference"].items()}
    found = panel.differences(counts)
    values = {
        "simple_metric": found.identical,
        "L1": found.manhattan,
        "L2": found.euclidean,
        "mean_abs_error": found.mean_absolute,
        "rmse": found.root_mean_square,
    }
    assert values == pytest.approx(record.expected, abs=record.tolerance["abs"])


@each(golden(["simple_metric"]))
def test_the_simple_metric(record: Record) -> None:
    for marker, counts in record.data["differences_counts"].items():
        found = panel.differences({int(gap): n for gap, n in counts.items()})
        assert found.identical == pytest.approx(
            record.expected[marker], abs=record.tolerance["abs"]
        )
