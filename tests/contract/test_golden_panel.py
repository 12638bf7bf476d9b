"""Reference records of the alternative annotator test and of distances between markers.

The test's records were made with its authors' program; the data are read from ``../shared/golden``
and the tests are skipped where that folder is absent.
"""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import consilience as cs
from consilience import panel

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared" / "golden" / "golden.json"


def records(*names: str) -> list[Any]:
    if not SHARED.exists():
        return [pytest.param(None, marks=pytest.mark.skip(reason="no ../shared/golden"))]
    every = json.loads(SHARED.read_text(encoding="utf-8"))
    return [pytest.param(one, id=one["id"]) for one in every if one["coefficient"] in names]


def ratings(record: dict[str, Any]) -> cs.Ratings:
    path = SHARED.parent / record["data"]["path"]
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    names = [name for name in rows[0] if name != "item"]
    wide = {name: [int(float(row[name])) if row[name] else None for row in rows] for name in names}
    return cs.Ratings.from_wide(wide, scale="interval")


@pytest.mark.parametrize("record", records("alt_test"))
def test_the_alternative_annotator_test_of_its_authors(record: dict[str, Any]) -> None:
    params, expected = record["params"], record["expected"]
    found = panel.alternative_annotator_test(
        ratings(record),
        system=params["column_llm"],
        scoring=params["scoring"],
        epsilon=params["epsilon"],
        false_discovery_rate=params["q"],
        fewest_items=params["min_instances_per_human"],
    )
    near = record["tolerance"]["abs"]
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


@pytest.mark.parametrize("record", records("vector_distance"))
def test_distances_between_markers(record: dict[str, Any]) -> None:
    if record["kind"] == "seed-no-data":
        expected = record["expected"]
        roots = [printed**0.5 for printed in expected["L1_printed"]]
        assert roots == pytest.approx(expected["L2_printed"], abs=0.06)
        return
    counts = {int(gap): n for gap, n in record["params"]["counts_by_abs_difference"].items()}
    found = panel.differences(counts)
    values = {
        "simple_metric": found.identical,
        "L1": found.manhattan,
        "L2": found.euclidean,
        "mean_abs_error": found.mean_absolute,
        "rmse": found.root_mean_square,
    }
    assert values == pytest.approx(record["expected"], abs=record["tolerance"]["abs"])


@pytest.mark.parametrize("record", records("simple_metric"))
def test_the_simple_metric(record: dict[str, Any]) -> None:
    for marker, counts in record["data"]["differences_counts"].items():
        found = panel.differences({int(gap): n for gap, n in counts.items()})
        assert found.identical == pytest.approx(
            record["expected"][marker], abs=record["tolerance"]["abs"]
        )
