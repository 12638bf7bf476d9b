"""A judge that is asked again gives no independent judgement: intervals rest on what was judged."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience.io import load

KNOWN = 0.6  # share of prompts on which a judge always says the same


def table(seed: int, run: str = "run", n: int = 60, k: int = 5) -> dict[str, list[object]]:
    """Two judges who say the same in every run, so that runs add nothing."""
    rng = np.random.default_rng(seed)
    rows: dict[str, list[object]] = {"prompt": [], "judge": [], run: [], "label": []}
    for prompt in range(n):
        truth = rng.random() < 0.5
        for judge in ("one", "two"):
            said = truth if rng.random() < KNOWN else rng.random() < 0.5
            for again in range(1, k + 1):
                for name, value in zip(
                    rows, (f"p{prompt}", judge, again, "bad" if said else "good"), strict=True
                ):
                    rows[name].append(value)
    return rows


@pytest.mark.parametrize("run", ["run", "attempt", "Trial", "seed_id"])
def test_what_was_judged_again_is_the_cluster(run: str) -> None:
    loaded = load(table(1, run))
    clusters = loaded.ratings.clusters
    assert clusters is not None
    assert clusters.n_clusters == 60
    assert loaded.reading.columns["cluster"] == ("prompt",)
    assert "runs_are_no_items" in {note.code for note in loaded.ratings.notes}


def test_a_sentence_is_another_item() -> None:
    assert load(table(1, "sentence")).ratings.clusters is None


def test_a_cluster_that_was_named_stays() -> None:
    rows = table(2)
    rows["topic"] = [f"t{int(str(one)[1:]) // 4}" for one in rows["prompt"]]
    clusters = load(rows, cluster="topic").ratings.clusters
    assert clusters is not None
    assert (clusters.name, clusters.n_clusters) == ("topic", 15)


def test_intervals_hold_the_true_value_however_often_judges_are_asked() -> None:
    """Items taken to be independent cover .6 of these studies."""
    hits, blind = 0, 0
    for seed in range(100):
        ratings = load(table(seed)).ratings
        for count, one in ((0, ratings), (1, ratings.with_clusters(None))):
            low, high = cs.scott_pi(one).confidence_interval()
            held = low <= KNOWN**2 <= high
            hits, blind = (hits + held, blind) if count == 0 else (hits, blind + held)
    assert hits >= 88
    assert blind < 80


def test_names_that_begin_alike_are_tried_as_clusters() -> None:
    def summary(of_text: bool) -> cs.report.Summary:
        rng = np.random.default_rng(4)
        rows = {"id": [], "A": [], "B": []}
        for text in range(25):
            alike = rng.random() < 0.6
            for part in range(6):
                said = rng.integers(2)
                same = alike if of_text else rng.random() < 0.6
                rows["id"].append(f"text{text:02d}_{part}")
                rows["A"].append("xy"[said])
                rows["B"].append("xy"[said if same else rng.integers(2)])
        return cs.measure(rows)

    together, apart = summary(True), summary(False)
    codes = [finding.code for finding in together.findings]
    assert "items_share_a_cluster" in codes
    assert "items_share_a_cluster" not in [finding.code for finding in apart.findings]
    assert together.verdict is not None
    gauge = together.verdict.gauge
    assert gauge is not None
    low, high = together[str(together.headline)].confidence_interval()
    assert gauge.low < low < high < gauge.high
