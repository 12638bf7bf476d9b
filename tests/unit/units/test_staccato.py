"""Thomann's degree of organisation."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.exceptions import ConsilienceError, UnsupportedDesignError
from consilience.units import Units
from consilience.units.programs import staccato
from consilience.units.programs.elan_interact import nuclei_of

EXAMPLE = [
    (100, 300),
    (110, 290),
    (500, 700),
    (520, 710),
    (900, 1000),
    (1200, 1500),
    (1180, 1490),
    (1700, 1750),
    (400, 480),
]


def example(**options: Any) -> Units:
    records = [("ab"[k % 2], "x", *segment) for k, segment in enumerate(EXAMPLE)]
    return Units.from_records(records, **options)


@pytest.mark.parametrize(
    ("lengths", "expected", "value"),
    [("observed", 4.43, 0.344), ("elan", 4.30, 0.36)],
)
def test_example_of_nine_segments(lengths: Any, expected: float, value: float) -> None:
    found = staccato(example(), lengths=lengths, n_resamples=20_000, rng=3)
    assert (found.n_in_nuclei, found.n_nominations, found.n_nuclei) == (6, 9, 3)
    # Four Monte Carlo errors of either study.
    assert found.expected == pytest.approx(expected, abs=0.06)
    assert found.value == pytest.approx(value, abs=0.012)
    assert found.standard_error == pytest.approx(0.015, abs=0.003)
    assert found.value == (6 - found.expected) / (9 - found.expected)


def test_binned_lengths_lie_between_the_shortest_and_the_longest() -> None:
    found = staccato(example(), lengths="binned", granularity=5, n_resamples=2000)
    assert found.granularity == 5
    assert abs(found.value - 0.34) < 0.06


@settings(max_examples=80, deadline=None)
@given(segments=st.lists(st.tuples(st.integers(0, 12), st.integers(1, 6)), min_size=1, max_size=9))
def test_nuclei_are_classes_of_equal_overlap(segments: list[tuple[int, int]]) -> None:
    start = np.array([a for a, _ in segments], dtype=float)
    end = start + [b for _, b in segments]
    overlap = (start[:, None] < end) & (start < end[:, None])
    groups: dict[tuple[bool, ...], int] = {}
    for row in overlap:
        groups[tuple(row)] = groups.get(tuple(row), 0) + 1
    sizes = [n for n in groups.values() if n > 1]
    inside, nuclei = nuclei_of(start[None], end[None], consecutive=False)
    assert (inside[0], nuclei[0]) == (sum(sizes), len(sizes))
    fewer, _ = nuclei_of(start[None], end[None], consecutive=True)
    assert fewer[0] <= inside[0]


def test_the_seed_decides_and_the_limits_are_order_statistics() -> None:
    one, two = (staccato(example(), rng=5, n_resamples=100) for _ in range(2))
    assert one == two
    assert one.limits[0] <= one.expected <= one.limits[1]
    assert staccato(example(), rng=6, n_resamples=100).expected != one.expected


def test_segments_of_different_sessions_never_meet() -> None:
    records = [("a", "x", 0, 5, "s"), ("b", "x", 0, 5, "t"), ("a", "x", 8, 9, "t")]
    found = staccato(Units.from_records(records, asked="all"), n_resamples=50)
    assert found.n_in_nuclei == 0
    assert found.value <= 0
    assert dict(found.by_session) == {"s": (1, 0), "t": (2, 0)}
    known = staccato(Units.from_records(records), n_resamples=50)
    assert dict(known.by_session) == {"t": (2, 0)}


def test_segments_that_fill_the_session_are_not_more_than_chance() -> None:
    units = Units.from_records([("a", "x", 0, 10), ("b", "y", 0, 10)])
    found = staccato(units, n_resamples=50)
    assert (found.value, found.expected) == (0.0, 2.0)
    assert not found.is_organised


def test_where_random_segments_lie() -> None:
    late = [("a", "x", 1000, 1010), ("b", "x", 1000, 1010), ("a", "x", 1015, 1020)]
    from_zero = staccato(Units.from_records(late), n_resamples=500)
    within = staccato(Units.from_records(late), continuum="session", n_resamples=500)
    assert from_zero.value > within.value
    negative = Units.from_records([("a", "x", -5, -1), ("b", "x", -4, 2)])
    assert staccato(negative, n_resamples=20).status == "ok"


def test_record_and_page() -> None:
    found = staccato(example(), n_resamples=50)
    record = found.to_dict()
    assert (record["seed"], record["n_in_nuclei"], record["lengths"]) == (0, 6, "observed")
    assert "Degree of organisation: a and b" in str(found)
    assert "in nuclei" in found._repr_html_()


@pytest.mark.parametrize(
    "options",
    [
        {"lengths": "random"},
        {"continuum": "film"},
        {"granularity": 0},
        {"granularity": 1.5},
        {"n_resamples": 5},
        {"n_resamples": "many"},
        {"n_resamples": 10**9},
        {"significance": 0},
        {"significance": 0.7},
        {"significance": math.nan},
        {"raters": ["a"]},
        {"raters": ["a", "z"]},
        {"rng": "seed"},
    ],
)
def test_bad_options_are_refused_in_words(options: dict[str, Any]) -> None:
    with pytest.raises(ConsilienceError):
        staccato(example(), **options)


def test_bad_data_are_refused_in_words() -> None:
    with pytest.raises(UnsupportedDesignError, match="point events"):
        staccato(Units.from_records([("a", "x", 1, 1), ("b", "x", 0, 5)]))
    with pytest.raises(UnsupportedDesignError, match="at least two raters"):
        staccato(example().select(raters=["a"]))
    with pytest.raises(ConsilienceError):
        staccato("x")  # type: ignore[arg-type]
