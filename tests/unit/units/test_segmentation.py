"""Segmentations: boundaries, windows, agreement, hits."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

import needed
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units import (
    Units,
    boundary_hits,
    boundary_similarity,
    pk,
    segmentation,
    window_agreement,
    window_diff,
    window_pr,
)
from consilience.units._boundaries import n_hits
from consilience.units._windows import window_size

DATA = needed.SHARED / "data" / "units" / "segmentation"


def cut(length: int) -> st.SearchStrategy[list[int]]:
    places = st.sets(st.integers(1, length - 1), max_size=length)
    return places.map(sorted)


LENGTH = 24
two = st.tuples(cut(LENGTH), cut(LENGTH))


def slow_moves(a: list[int], b: list[int], n_t: int) -> tuple[int, float, int]:
    """Additions, cost of moves, number of moves: walked place by place."""
    differ = {p: 1 for p in a if p not in b} | {p: -1 for p in b if p not in a}
    moves, cost = 0, 0.0
    for span in range(1, n_t):
        for i in sorted(differ):
            if i in differ and differ.get(i + span, differ[i]) != differ[i]:
                del differ[i], differ[i + span]
                moves, cost = moves + 1, cost + span / n_t
    return len(differ), cost, moves


@settings(deadline=None)
@given(two, st.integers(1, 6))
def test_edits_are_those_of_a_walk(pair: tuple[list[int], list[int]], n_t: int) -> None:
    a, b = pair
    found = boundary_similarity(a, b, form="positions", length=LENGTH, n_t=n_t)
    additions, cost, moves = slow_moves(a, b, n_t)
    assert (found.additions, found.transpositions) == (additions, moves)
    assert found.cost == pytest.approx(additions + cost)
    assert found.matches == len(set(a) & set(b))


@settings(deadline=None)
@given(two, st.integers(1, 4))
def test_similarity_is_symmetric_and_bounded(pair: tuple[Any, Any], n_t: int) -> None:
    one, other = (
        boundary_similarity(*x, form="positions", length=LENGTH, n_t=n_t)
        for x in (pair, pair[::-1])
    )
    assert (one.b, one.s) == (other.b, other.s)
    assert 0 <= one.b <= 1
    assert 0 <= one.s <= 1
    assert (one.b == 1) == (pair[0] == pair[1])


sets = st.lists(st.frozensets(st.integers(1, 3)), min_size=6, max_size=6)


@settings(deadline=None)
@given(sets, sets, st.integers(1, 4))
def test_types_keep_the_balance_of_boundaries(a: Any, b: Any, n_t: int) -> None:
    found = boundary_similarity(a, b, form="sets", n_t=n_t)
    again = boundary_similarity(b, a, form="sets", n_t=n_t)
    assert found.cost == pytest.approx(again.cost)
    n = sum(map(len, a)) + sum(map(len, b))
    moved = found.matches + found.substitutions + found.transpositions
    assert 2 * moved + found.additions == n


@settings(deadline=None)
@given(two)
def test_one_type_by_sets_is_no_type(pair: tuple[list[int], list[int]]) -> None:
    as_sets = [[{1} if p in x else set() for p in range(1, LENGTH)] for x in pair]
    plain = boundary_similarity(*pair, form="positions", length=LENGTH, n_t=3)
    typed = boundary_similarity(*as_sets, form="sets", n_t=3, types=[1, 2])
    assert (plain.b, plain.cost) == (typed.b, pytest.approx(typed.cost))


@settings(deadline=None)
@given(st.lists(two, min_size=1, max_size=3))
def test_raters_and_texts_may_change_places(texts: list[tuple[list[int], list[int]]]) -> None:
    def agreement(order: tuple[int, int], names: list[int]) -> Any:
        cuts = {f"r{k}": {f"t{n}": texts[n][k] for n in names} for k in order}
        return segmentation(Units.from_boundaries(cuts, length=LENGTH), n_t=3)

    names = list(range(len(texts)))
    one, other = agreement((0, 1), names), agreement((1, 0), names[::-1])
    for name in ("observed", "pi", "kappa", "bias"):
        assert getattr(one, name) == pytest.approx(getattr(other, name), nan_ok=True)
    nowhere = not any(a or b for a, b in texts)
    everywhere = all(len(a) == len(b) == LENGTH - 1 for a, b in texts)
    assert one.status == ("undefined" if nowhere or everywhere else "ok")


def test_texts_do_not_touch_each_other() -> None:
    """The last place of one text is no neighbour of the first place of the next."""
    cuts = {"a": {"t1": [9], "t2": []}, "b": {"t1": [], "t2": [1]}}
    found = segmentation(Units.from_boundaries(cuts, length=10), n_t=5)
    assert found.pairs[0].near_misses == 0
    assert found.observed == 0


@needed.needs_data(DATA)
@pytest.mark.parametrize(
    ("name", "values"),
    [  # segeval 2.0.11: A_a, pi, kappa, bias
        ("complete_agreement", (1.0, 1.0, 1.0, 0.00809972195612963)),
        ("large_disagreement", (0.0, -1 / 3, 0.0, 0.25)),
    ],
)
def test_contrived_data(name: str, values: tuple[float, ...]) -> None:
    items = json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))["items"]
    masses: dict[str, dict[str, list[int]]] = {}
    for text, raters in items.items():
        for rater, lengths in raters.items():
            masses.setdefault(rater, {})[text] = lengths
    found = segmentation(Units.from_masses(masses))
    got = (found.observed, found.pi, found.kappa, found.bias)
    assert got == pytest.approx(values, abs=1e-12)


def test_a_rater_without_segments_is_left_out_of_that_text() -> None:
    full = {"a": {"t": [2, 3], "u": [4, 4]}, "b": {"t": [2, 3], "u": [4, 4]}}
    found = segmentation(Units.from_masses(full | {"c": {"t": [1, 4]}}))
    assert [pair.n_texts for pair in found.pairs] == [2, 1, 1]
    assert [f.code for f in found.findings] == ["rater_without_units"]
    assert found.boundaries["c"] == (1, 4)


def test_typed_segments() -> None:
    cuts = {"a": {3: "minor", 6: "major"}, "b": {3: "major", 6: "major"}}
    units = Units.from_boundaries(cuts, length=9)
    found = segmentation(units, types=["minor", "major"])
    assert found.pairs[0].substitutions == 1
    assert found.observed == pytest.approx(1.5 / 2)
    assert segmentation(units).observed == 1
    with pytest.raises(InputError, match="boundary type"):
        segmentation(units, types=["minor"])
    gap = Units.from_records([("a", "x", 0, 3), ("a", "x", 4, 9), ("b", "x", 0, 9)])
    with pytest.raises(InputError, match="gap at 3"):
        segmentation(gap, types=["x"])


def test_gaps_and_points_are_boundaries() -> None:
    units = Units.from_records(
        [("a", "x", 0, 3), ("a", "x", 4, 9), ("b", "x", 3, 3), ("b", "x", 4, 4)], bounds=(0, 9)
    )
    assert segmentation(units).observed == 1


def test_intervals_come_from_sessions() -> None:
    rng = np.random.default_rng(1)
    cuts = {r: {f"t{k}": np.flatnonzero(rng.random(39) < 0.2) + 1 for k in range(12)} for r in "ab"}
    found = segmentation(Units.from_boundaries(cuts, length=40), n_resamples=499)
    interval = found.confidence_interval()
    assert interval.low < found.pi < interval.high
    assert found.confidence_interval(name="observed", similarity="S").low < found.s.observed
    few = segmentation(Units.from_masses({"a": [2, 3], "b": [3, 2]})).confidence_interval()
    assert math.isnan(few.low)
    assert "8" in few.note
    record = found.to_dict()
    assert json.dumps(record)
    assert {x["coefficient"] for x in record["estimates"]} == {"pi_B", "kappa_B", "pi_S", "kappa_S"}
    assert "pi* (B)" in str(found)


def test_seconds_need_the_length_of_an_atom() -> None:
    units = Units.from_boundaries({"a": [0.5, 1.5], "b": [0.5]}, length=2)
    with pytest.raises(InputError, match="whole number of atomic units"):
        segmentation(units)
    assert segmentation(units, atom=0.5).boundaries == {"a": (2, 3), "b": (1, 3)}


def test_overlapping_segments_are_refused_with_their_place() -> None:
    units = Units.from_records([("a", "x", 0, 5), ("a", "y", 3, 9), ("b", "x", 0, 9)])
    with pytest.raises(UnsupportedDesignError, match="0-5 and 'y' 3-9 of 'a'"):
        segmentation(units)


def test_one_rater_or_no_common_text_is_refused() -> None:
    with pytest.raises(UnsupportedDesignError, match="two raters"):
        segmentation(Units.from_masses({"a": [2, 3]}))
    apart = Units.from_masses({"a": {"t": [2, 3]}, "b": {"u": [2, 3]}})
    with pytest.raises(UnsupportedDesignError, match="a session with units of both raters"):
        segmentation(apart)


def test_every_place_marked_is_undefined() -> None:
    found = segmentation(Units.from_masses({"a": [1, 1, 1], "b": [1, 1, 1]}))
    assert found.status == "undefined"
    assert "chance agreement is 1" in str(found.reason)
    assert math.isnan(found.pi)


# --- windows --------------------------------------------------------------------------------------


def slow_windows(a: list[int], b: list[int], k: int, n: int, pad: int) -> list[tuple[int, int]]:
    spans = range(1 - pad, n - k + 1 + pad)
    return [tuple(sum(i <= p < i + k for p in x) for x in (a, b)) for i in spans]  # type: ignore[misc]


@settings(deadline=None)
@given(two, st.integers(1, 9))
def test_windows_are_counted(pair: tuple[list[int], list[int]], k: int) -> None:
    kind: dict[str, Any] = {"form": "positions", "length": LENGTH, "k": k}
    plain, padded = (slow_windows(*pair, k, LENGTH, pad) for pad in (0, k))
    assert pk(*pair, **kind).value == sum((r > 0) != (h > 0) for r, h in plain) / len(plain)
    assert window_diff(*pair, **kind).errors == sum(r != h for r, h in plain)
    fixed = window_diff(*pair, **kind, correction="lamprier")
    assert (fixed.errors, fixed.windows) == (sum(r != h for r, h in padded), LENGTH + k)
    found = window_pr(*pair, **kind)
    assert found.true_positives == sum(min(x) for x in padded)
    assert found.false_negatives == sum(max(0, r - h) for r, h in padded)
    assert found.false_positives == sum(max(0, h - r) for r, h in padded)
    counts = (found.true_positives, found.false_positives, found.false_negatives)
    assert sum(counts) + found.true_negatives == k * (LENGTH + 1)


def test_half_the_mean_length_is_rounded_half_to_even() -> None:
    assert [window_size(n, 1) for n in (1, 5, 7, 9, 10)] == [2, 2, 4, 4, 5]


def test_a_text_shorter_than_the_window_is_undefined() -> None:
    found = pk([1, 1], [2])
    assert found.status == "undefined"
    assert math.isnan(found.value)
    assert "window" in str(found.reason)


def test_window_measures_of_raters_are_symmetric() -> None:
    masses = {"a": {"t": [5, 5, 5], "u": [9, 3]}, "b": {"t": [5, 4, 6], "u": [12]}}
    swapped = {r: masses[r] for r in ("b", "a")}
    for k in ("reference", "pooled", 3):
        one, other = (
            window_agreement(Units.from_masses(x), k=k)  # type: ignore[arg-type]
            for x in (masses, swapped)
        )
        assert one.pk == pytest.approx(other.pk)
        assert one.window_diff == pytest.approx(other.window_diff)
        assert one.f1 == pytest.approx(other.f1)
    assert "WindowDiff" in str(one)


def test_precision_without_boundaries_is_undefined() -> None:
    found = window_pr([3, 3], [6])
    assert math.isnan(found.precision)
    assert found.reason == "the hypothesis has no boundary"
    assert found.f1 == 0


# --- hits -----------------------------------------------------------------------------------------


def test_hits_are_one_to_one() -> None:
    units = Units.from_boundaries({"a": [10, 11], "b": [10.5]}, length=40)
    pair = boundary_hits(units, tolerance=0.5).pairs[0]
    assert (pair["hits"], pair["precision"], pair["recall"]) == (1, 1.0, 0.5)


def test_the_tolerance_is_inclusive_for_decimals() -> None:
    units = Units.from_boundaries({"a": [0.3, 1.1], "b": [0.1, 1.3]}, length=2.2)
    assert boundary_hits(units, tolerance=0.2).value == 1
    assert boundary_hits(units, tolerance=0.19).value == 0


def test_edges_raise_the_rate() -> None:
    units = Units.from_boundaries({"a": [5], "b": [20]}, length=30)
    assert boundary_hits(units, tolerance=1).value == 0
    assert boundary_hits(units, tolerance=1, edges="include").value == pytest.approx(2 / 3)


def test_no_boundaries_is_undefined() -> None:
    found = boundary_hits(Units.from_boundaries({"a": [], "b": []}, length=30), tolerance=1)
    assert found.status == "undefined"
    assert math.isnan(found.value)
    assert "undefined" in str(found)


@settings(deadline=None)
@given(two, st.integers(0, 4))
def test_no_matching_has_more_hits(pair: tuple[list[int], list[int]], tolerance: int) -> None:
    near = np.abs(np.subtract.outer(pair[0], pair[1])) <= tolerance
    best = near[linear_sum_assignment(near, maximize=True)].sum() if near.size else 0
    a, b = (np.array(x, dtype=np.int64) for x in pair)
    assert n_hits(a, b, tolerance) == n_hits(b, a, tolerance) == best


@pytest.mark.parametrize(
    "bad", [None, "2,3", 5, [2.5, 1], [0, 5], [-1, 6], [True, 4], [[2], [3]], ["2"], [math.nan], []]
)
def test_bad_lengths_are_refused(bad: Any) -> None:
    for call in (boundary_similarity, pk, window_diff, window_pr):
        with pytest.raises(InputError):
            call(bad, [2, 3])


def test_bad_options_are_refused() -> None:
    units = Units.from_masses({"a": [2, 3], "b": [3, 2]})
    calls: list[Any] = [
        lambda: boundary_similarity([2, 3], [2, 4]),
        lambda: boundary_similarity([2, 3], [3, 2], n_t=0),
        lambda: boundary_similarity([2, 3], [3, 2], form="mass"),
        lambda: boundary_similarity([2], [7], form="positions", length=5),
        lambda: boundary_similarity([2], [3], form="positions"),
        lambda: boundary_similarity([2, 2], [3], form="positions", length=5),
        lambda: pk([2, 3], [3, 2], k=0),
        lambda: pk([2, 3], [3, 2], k=10**30),
        lambda: window_diff([2, 3], [3, 2], correction="x"),  # type: ignore[arg-type]
        lambda: window_agreement(units, k="half"),  # type: ignore[arg-type]
        lambda: segmentation(units, atom=-1),
        lambda: segmentation(units, types="ab"),
        lambda: segmentation(units).confidence_interval(name="phi"),
        lambda: boundary_hits(units, tolerance=-1),
        lambda: boundary_hits(units, tolerance=1, edges="no"),  # type: ignore[arg-type]
        lambda: segmentation([1, 2]),  # type: ignore[arg-type]
    ]
    for call in calls:
        with pytest.raises(InputError):
            call()


def test_a_reach_beyond_the_text_takes_no_longer() -> None:
    found = segmentation(Units.from_masses({"a": [2, 30], "b": [30, 2]}), n_t=10**30)
    assert found.pairs[0].near_misses == 1
