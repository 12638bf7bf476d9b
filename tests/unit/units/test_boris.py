"""Kappa and sequence identity as BORIS computes them, on its own test project."""

from __future__ import annotations

import json
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest

import needed
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.units import Units, time_kappa
from consilience.units.programs import boris_identity, boris_kappa

SHARED = needed.SHARED / "data" / "units" / "boris" / "test.boris"
needs_shared = needed.needs_data(SHARED)
ALL = ["No focal subject", "subject1", "subject2"]
COPY = ("observation #2", "observation #2 (copy)")
# BORIS's own tests expect these: kappa to three digits, identity to twelve.
CASES = [
    ("observation #1", "observation #2", ALL[1:], "s", 1.0, -0.036, 85.84070796460178),
    (*COPY, ALL, "s", 1.0, 0.988, 99.36708860759494),
    (*COPY, ALL, "s", 3.0, 1.0, 100.0),
    (*COPY, ALL, "p", 1.0, 0.866, 99.29577464788733),
    (*COPY, ALL, "p", 3.0, 0.798, 97.91666666666667),
]


def project(first: str, second: str, behaviour: str) -> Units:
    """Pair the starts and stops of one behaviour of two observations."""
    content = json.loads(SHARED.read_text(encoding="utf-8"))
    types = {x["code"]: x["type"] for x in content["behaviors_conf"].values()}
    records = []
    for name in (first, second):
        begun: dict[str, float] = {}
        for time, subject, code, *_ in content["observations"][name]["events"]:
            who = subject or ALL[0]
            if code != behaviour:
                continue
            if types[code] == "Point event":
                records.append((name, code, time, time, "film", who))
            elif who in begun:
                records.append((name, code, begun.pop(who), time, "film", who))
            else:
                begun[who] = time
    return Units.from_records(records)


@needs_shared
@pytest.mark.parametrize("case", CASES, ids=lambda x: f"{x[3]}-{x[4]:g}-{x[5]}")
def test_values_of_its_own_tests(case: tuple[Any, ...]) -> None:
    first, second, subjects, behaviour, unit, kappa, identity = case
    units = project(first, second, behaviour)
    found = boris_kappa(units, unit=unit, subjects=subjects)
    assert round(found.kappa, 3) == kappa
    assert boris_identity(units, unit=unit, subjects=subjects).identity == pytest.approx(identity)


def slow_tally(records: list[Any], unit: float, last: float) -> Counter[Any]:
    """State of each subject at each instant, one by one."""
    first = min(r[2] for r in records)
    subjects = sorted({r[5] for r in records})
    tally: Counter[Any] = Counter()
    k = 0
    while first + k * unit <= last:
        t = first + k * unit
        for subject in subjects:
            states = []
            for rater in ("o1", "o2"):
                on = [
                    (subject, x)
                    for r, x, a, b, _, s in records
                    if (r, s) == (rater, subject)
                    and (abs(a - t) <= unit / 2 if a == b else a <= t <= b)
                ]
                states.append(tuple(sorted(on)))
            tally[tuple(states)] += 1
        k += 1
    return tally


@pytest.mark.parametrize("seed", range(6))
def test_instants_are_tallied_one_by_one(seed: int) -> None:
    rng = np.random.default_rng(seed)
    records = []
    for rater in ("o1", "o2"):
        for _ in range(10):
            a = int(rng.integers(0, 40))
            b = a + int(rng.integers(0, 8)) * int(rng.integers(0, 2))
            records.append(
                (rater, str(rng.choice(["x", "y"])), a, b, "s", str(rng.choice(["p", "q"])))
            )
    units = Units.from_records(records)
    for unit in (1, 3):
        found = boris_kappa(units, unit=unit)
        slow = slow_tally(records, unit, max(r[3] for r in records))
        for (a, b), n in slow.items():
            assert found.table[found.states.index(a), found.states.index(b)] == n
        assert found.total == sum(slow.values())


def test_weighted_stretches_are_exact_durations() -> None:
    units = Units.from_records(
        [("o1", "x", 0, 4.25), ("o1", "y", 5, 9), ("o2", "x", 0.5, 3), ("o2", "y", 4, 9.5)]
    )
    exact = time_kappa(units)
    found = boris_kappa(units, mode="weighted")
    assert found.kappa == pytest.approx(exact.kappa, abs=1e-12)
    assert found.total == pytest.approx(9.5)
    each = boris_kappa(units, mode="unweighted")
    assert each.total == 7  # cuts at 0, 0.5, 3, 4, 4.25, 5, 9, 9.5


def test_points_weigh_what_they_are_told_to() -> None:
    units = Units.from_records(
        [("o1", "x", 0, 4), ("o1", "p", 2, 2), ("o2", "x", 0, 4), ("o2", "p", 3, 3)]
    )
    found = boris_kappa(units, mode="weighted", point_weight=0.5)
    assert found.total == pytest.approx(5)
    assert found.observed == pytest.approx(4 / 5)
    assert boris_kappa(units, mode="unweighted").total == 3
    points = Units.from_records([("o1", "p", 2, 2), ("o2", "p", 2, 2), ("o2", "q", 5, 5)])
    assert boris_kappa(points, mode="unweighted").total == 2


def test_subjects_without_events_count_as_nothing() -> None:
    units = Units.from_records([("o1", "x", 0, 4), ("o2", "x", 2, 6)])
    alone = boris_kappa(units)
    more = boris_kappa(units, subjects=["tier", "nobody"])
    assert more.total == 2 * alone.total
    assert more.subjects == ("tier", "nobody")
    assert more.to_dict()["status"] == "ok"
    assert "subjects: tier, nobody" in " ".join(str(more).split())


def test_undefined_and_intervals() -> None:
    same = Units.from_records([("o1", "x", 0, 4), ("o2", "x", 0, 4)])
    found = boris_kappa(same)
    assert found.status == "undefined"
    assert "BORIS prints 1" in str(found.reason)
    assert boris_identity(same).identity == 100
    many = Units.from_records(
        [(o, x, a + 2 * (o == "o2") * (k % 2), a + 4, f"s{k}")
         for k in range(9) for o in ("o1", "o2") for x, a in (("x", 0), ("y", 6))]
    )  # fmt: skip
    interval = boris_kappa(many, n_resamples=200).confidence_interval()
    assert interval.low < interval.high
    assert len(boris_identity(many).by_session) == 9
    assert boris_identity(many).to_dict()["value"] < 100


@pytest.mark.parametrize(
    "options",
    [
        {"unit": 0},
        {"unit": "1"},
        {"unit": math.nan},
        {"unit": 1e-9},
        {"mode": "time"},
        {"point_weight": -1},
        {"subjects": "cat"},
        {"subjects": ["cat"]},
        {"subjects": []},
        {"subjects": 5},
        {"raters": ["o1"]},
        {"raters": ["o1", "x"]},
        {"n_resamples": 0},
    ],
)
def test_bad_options_are_refused_in_words(options: dict[str, Any]) -> None:
    units = Units.from_records([("o1", "x", 0, 4), ("o2", "x", 1, 4)])
    with pytest.raises(ConsilienceError):
        boris_kappa(units, **options)
    if "unit" in options:
        with pytest.raises(ConsilienceError):
            boris_identity(units, **options)


def test_bad_data_are_refused_in_words() -> None:
    with pytest.raises(InputError, match="Units"):
        boris_kappa(None)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedDesignError, match="units of both"):
        boris_kappa(Units.from_records([("o1", "x", 0, 4, "s"), ("o2", "x", 0, 4, "t")]))
    with pytest.raises(UnsupportedDesignError, match="two raters"):
        boris_identity(Units.from_records([(o, "x", 0, 4) for o in ("o1", "o2", "o3")]))
