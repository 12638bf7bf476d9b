"""The order of items and raters changes no measure of marks and no interval, with clusters too."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import magnitudes as mg
from consilience.exceptions import UnsupportedDesignError
from consilience.judges import preferences

FORMS = ("1", "C,1", "A,k")


def study(seed: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Marks with or without gaps, skewed or not, and clusters of items or none."""
    rng = np.random.default_rng(seed)
    n, k = int(rng.integers(6, 40)), int(rng.integers(2, 6))
    items = rng.choice([0.0, 0.5, 2.0]) * rng.normal(size=(n, 1))
    items = np.exp(items) if seed % 3 == 0 else items
    marks = items + rng.choice([0.0, 0.5, 2.0]) * rng.normal(size=k)
    marks = np.round(marks + rng.normal(size=(n, k)), seed % 3)
    if seed % 2:
        marks[2:][rng.random((n - 2, k)) < 0.2] = np.nan
    marks[np.isnan(marks).all(axis=1), 0] = 0.0
    return marks, None if seed % 4 < 2 else rng.integers(0, 4, n) + 4 * (np.arange(n) % 2)


def ratings(seed: int, *, shuffled: bool) -> cs.Ratings:
    marks, clusters = study(seed)
    items, raters = np.arange(len(marks)), np.arange(marks.shape[1])
    if shuffled:
        rng = np.random.default_rng(seed)
        items, raters = rng.permutation(items), rng.permutation(raters)
    found = cs.Ratings.from_wide(
        marks[items][:, raters], items=[f"i{i}" for i in items],
        raters=[f"r{j}" for j in raters], scale="interval",
    )  # fmt: skip
    return found if clusters is None else found.with_clusters([f"c{c}" for c in clusters[items]])


def numbers(record: Any, path: str = "") -> Iterator[tuple[str, float]]:
    if isinstance(record, dict):
        for key, entry in record.items():
            yield from numbers(entry, f"{path}/{key}")
    elif isinstance(record, float) and math.isfinite(record):
        yield path, record


def found_in(data: cs.Ratings) -> Iterator[tuple[str, float]]:
    for name in mg.measures():
        one = mg.measures()[name]
        if name != "icc":
            pair = {"pair": ("r0", "r1")} if one.raters == "two" else {}
            try:
                yield from numbers(one(data, **pair).to_dict(), name)
            except UnsupportedDesignError:  # clusters, where items must be independent
                yield f"{name} refuses", 1.0
    for form in FORMS:
        for missing in ("reml", "listwise"):
            icc = mg.icc(data, model=form, missing=missing)
            yield from numbers(icc.to_dict(), f"icc {form} {missing}")
            if missing == "listwise":
                low, high = icc.confidence_interval(method="bca")
                yield from numbers({"low": low, "high": high}, f"icc {form} bca")
    alpha = cs.krippendorff_alpha(data)
    yield from numbers(alpha.to_dict(), "alpha")


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.filterwarnings("ignore")
def test_the_order_of_items_and_raters_changes_nothing(seed: int) -> None:
    here = dict(found_in(ratings(seed, shuffled=False)))
    there = dict(found_in(ratings(seed, shuffled=True)))
    assert here.keys() == there.keys()
    assert len(here) > 50
    assert there == pytest.approx(here, rel=1e-10, abs=1e-12)


@pytest.mark.parametrize("method", ["likelihood", "bootstrap"])
def test_the_order_of_verdicts_changes_nothing(method: Any) -> None:
    rng = np.random.default_rng(3)
    rows = []
    for k in range(120):
        first, second = rng.permutation(4)[:2]
        winner = ("first", "second", "tie")[rng.integers(0, 3)]
        rows.append({"first": f"S{first}", "second": f"S{second}", "winner": winner,
                     "item": f"i{k % 40}", "judge": f"j{k % 3}"})  # fmt: skip

    def found(order: Any) -> dict[str, float]:
        one = preferences([rows[k] for k in order], item="item", judge="judge", method=method,
                          n_resamples=99)  # fmt: skip
        assert one.agreement_interval is not None
        low, high = one.agreement_interval
        record = {"agreement": one.agreement, "low": low, "high": high}
        for ability in one.systems:
            record[f"{ability.system} value"] = ability.value
            record[f"{ability.system} error"] = ability.standard_error
        for lead in one.leads:
            record[f"{lead.first} {lead.second} low"] = lead.interval.low
        return record

    here, there = found(range(120)), found(np.random.default_rng(1).permutation(120))
    assert there == pytest.approx(here, rel=1e-10, abs=1e-12)


def test_the_order_of_names_of_labels_changes_no_interval() -> None:
    rng = np.random.default_rng(2)
    rows = [[str(x) for x in rng.choice(list("abc"), 3, p=[0.6, 0.3, 0.1])] for _ in range(40)]
    for method in ("auto", "percentile", "bca", "hayes-krippendorff"):
        limits = []
        for labels in ("abc", "cab"):
            data = cs.Ratings.from_wide(rows, categories=list(labels))
            limits.append(list(cs.cohen_kappa(data).confidence_interval(method=method)))
        assert limits[0] == pytest.approx(limits[1], rel=1e-10)
