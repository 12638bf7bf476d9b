"""Units: built from every kind of input, checked, chosen, merged, relabelled."""

from __future__ import annotations

import math
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import needed
from consilience.exceptions import ConsilienceError, InputError
from consilience.units import Units, session_interval
from consilience.units._unit_results import session_replicates

ROWS = [
    ("R1", "A", 0, 10, "film 1", "left"),
    ("R1", "B", 12, 20, "film 1", "right"),
    ("R2", "A", 1, 11, "film 1", "left"),
    ("R2", "C", 3, 4, "film 2", "left"),
]


def small() -> Units:
    return Units.from_records(ROWS)


def test_records_become_columns_in_input_order() -> None:
    units = small()
    assert units.start.tolist() == [0, 12, 1, 3]
    assert [units.labels[k] for k in units.label] == ["A", "B", "A", "C"]
    assert units.raters == ("R1", "R2")
    assert units.sessions == ("film 1", "film 2")
    assert units.tiers == ("left", "right")
    assert (units.n_units, units.n_raters, units.n_sessions, len(units)) == (4, 2, 2, 4)


def test_mappings_tuples_frames_and_columns_give_the_same_units() -> None:
    names = ("rater", "label", "start", "end", "session", "tier")
    columns = {name: [row[k] for row in ROWS] for k, name in enumerate(names)}
    built = [
        small(),
        Units.from_records([dict(zip(names, row, strict=True)) for row in ROWS]),
        Units.from_columns(**columns),
        Units.from_frame(columns, session="session", tier="tier"),
    ]
    for library in ("pandas", "polars", "pyarrow"):
        module = needed.package(library)
        frame = module.table(columns) if library == "pyarrow" else module.DataFrame(columns)
        built.append(Units.from_frame(frame, session="session", tier="tier"))
    for units in built:
        for name in ("start", "end", "label", "rater", "session", "tier", "bounds"):
            assert np.array_equal(getattr(units, name), getattr(built[0], name))
        assert units.labels == built[0].labels


@pytest.mark.parametrize("times", [[0, 2], [0.0, 2.0], np.array([0, 2], dtype=np.uint8)])
def test_whole_times_are_integers(times: Any) -> None:
    units = Units.from_columns(start=times, end=[3, 4], rater=["a", "b"])
    assert units.start.dtype == units.end.dtype == units.bounds.dtype == np.int64


def test_one_broken_time_makes_all_floats() -> None:
    units = Units.from_columns(start=[0, 1], end=[2.5, 3], rater=["a", "b"])
    assert units.start.dtype == units.end.dtype == units.bounds.dtype == np.float64


def test_decimal_times_are_read() -> None:
    units = Units.from_columns(start=[Decimal("0.5")], end=[Decimal(2)], rater=["a"])
    assert units.start.tolist() == [0.5]


def test_arrays_cannot_be_changed() -> None:
    units = small()
    with pytest.raises(ValueError, match="read-only"):
        units.start[0] = 5
    with pytest.raises(AttributeError):
        units.labels = ()  # type: ignore[misc]


def test_without_bounds_the_continuum_is_the_reach_of_the_units() -> None:
    units = small()
    assert units.bounds.tolist() == [[0, 20], [3, 4]]
    assert units.bounds_from == ("fallback", "fallback")


def test_bounds_can_be_one_pair_a_mapping_or_an_array() -> None:
    assert Units.from_records(ROWS, bounds=(0, 60)).bounds.tolist() == [[0, 60], [0, 60]]
    some = Units.from_records(ROWS, bounds={"film 2": (0, 9)}, bounds_from="file")
    assert some.bounds.tolist() == [[0, 20], [0, 9]]
    assert some.bounds_from == ("fallback", "file")
    each = Units.from_records(ROWS, bounds=[[0, 30], [0, 40]])
    assert each.bounds_from == ("given", "given")


def test_a_session_without_units_exists_if_it_has_bounds() -> None:
    units = Units.from_records(ROWS, bounds={"film 3": (0, 9)})
    assert units.sessions == ("film 1", "film 2", "film 3")
    assert units.counts().tolist() == [[2, 0, 0], [1, 1, 0]]


def test_units_beyond_given_bounds_are_refused_and_widen_those_of_a_file() -> None:
    with pytest.raises(InputError, match="around all its units"):
        Units.from_records(ROWS, bounds=(0, 15))
    units = Units.from_records(ROWS, bounds={"film 1": (0, 15)}, bounds_from="file")
    assert units.bounds[0].tolist() == [0, 20]
    assert [note.code for note in units.notes] == ["units_beyond_bounds"]


def test_missing_labels_are_a_category_and_are_noted() -> None:
    units = Units.from_columns(start=[0, 1], end=[1, 2], rater=["a", "b"], label=["x", None])
    assert units.labels == ("", "x")
    assert [note.code for note in units.notes] == ["empty_label"]


def test_labels_can_be_numbers_and_sets() -> None:
    columns = {"start": [0, 1, 2], "end": [1, 2, 3], "rater": ["a"] * 3}
    assert Units.from_columns(**columns, label=[10, 9, 10]).labels == (9, 10)
    sets = Units.from_columns(**columns, label=[{"x"}, {"y", "x"}, {"x"}])
    assert sets.labels == (frozenset({"x"}), frozenset({"x", "y"}))


def test_declared_labels_keep_their_order_and_refuse_others() -> None:
    assert Units.from_records(ROWS, labels=["C", "B", "A", "D"]).labels == ("C", "B", "A", "D")
    with pytest.raises(InputError, match="one of"):
        Units.from_records(ROWS, labels=["A", "B"])


def test_fragments_are_one_unit() -> None:
    units = Units.from_columns(
        start=[0, 5, 0], end=[2, 7, 7], rater=["a", "a", "b"], label="x", span=["u", "u", None]
    )
    assert (len(units), units.n_units) == (3, 2)
    assert units.span is not None
    assert units.span[0] == units.span[1] != units.span[2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"end": [2, 4]}, "apart from each other"),
        ({"label": ["x", "y"]}, "one label"),
    ],
)
def test_impossible_fragments_are_refused(change: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"start": [0, 1], "end": [1, 2], "rater": "a", "label": ["x", "x"]}
    with pytest.raises(InputError, match=message):
        Units.from_columns(**{**good, **change}, span=[1, 1])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"end": [10, 0]}, "does not end before it starts"),
        ({"start": [0, math.nan]}, "finite"),
        ({"end": [math.inf, 3]}, "finite"),
        ({"start": [0, None]}, "finite"),
        ({"start": ["0", "1"]}, "a number"),
        ({"start": [True, 1]}, "a number"),
        ({"start": 3}, "a sequence"),
        ({"start": "03"}, "a sequence"),
        ({"start": [0]}, "equally long"),
        ({"start": [[0, 1]]}, "one-dimensional"),
        ({"label": ["x"]}, "as long as"),
        ({"label": [["x"], {1: 2}]}, "label"),
        ({"rater": ["a", None]}, "a name"),
        ({"rater": None, "raters": ["a", "b"]}, "given for each"),
        ({"raters": ["a"]}, "one of"),
        ({"raters": ["a", "b", "a"]}, "different"),
        ({"raters": "ab"}, "a list"),
        ({"time_unit": "hours"}, "one of"),
        ({"bounds": 3}, "a pair"),
        ({"bounds": (5, 1)}, "smaller first"),
        ({"bounds": (0, math.nan)}, "finite"),
        ({"bounds": ("a", "b")}, "finite"),
        ({"bounds": {"nowhere": (0, 1)}, "session": ["s", "s"], "sessions": ["s"]}, "one of"),
        ({"bounds": (0, 20), "bounds_from": "memory"}, "one of"),
        ({"span": [1]}, "as long as"),
    ],
)
def test_bad_input_is_refused_in_words(change: dict[str, Any], message: str) -> None:
    good: dict[str, Any] = {"start": [0, 1], "end": [10, 12], "rater": ["a", "b"]}
    with pytest.raises(ConsilienceError, match=message):
        Units.from_columns(**{**good, "label": ["x", "y"], **change})


@pytest.mark.parametrize(
    "records",
    [5, "abc", {"a": 1}, [("a", "x", 0)], [("a", "x", 0, 1, "s", "t", "u")], [{"rater": "a"}],
     [("a", "x", 0, 1), ("a", "x", 0, 1, "s")], [{"rater": "a", "start": 0, "end": 1, "colour": 2}],
     ["abcd"]],
)  # fmt: skip
def test_bad_records_are_refused_in_words(records: Any) -> None:
    with pytest.raises(InputError):
        Units.from_records(records)


def test_a_frame_needs_the_named_columns() -> None:
    with pytest.raises(InputError, match="'begin'"):
        Units.from_frame({"start": [0], "end": [1], "label": ["x"], "rater": ["a"]}, start="begin")
    with pytest.raises(InputError, match="from_records"):
        Units.from_frame([1, 2])


def test_no_units_at_all_are_units() -> None:
    units = Units.from_records([])
    assert (units.n_units, units.raters) == (0, ())
    assert units.sorted_blocks().n_blocks == 0


def test_boundaries_and_masses_give_the_same_segments() -> None:
    cut = Units.from_boundaries({"a": {"t": [5, 2]}, "b": {"t": []}}, length={"t": 9})
    sized = Units.from_masses({"a": {"t": [2, 3, 4]}, "b": {"t": [9]}})
    for name in ("start", "end", "label", "rater", "bounds"):
        assert np.array_equal(getattr(cut, name), getattr(sized, name))
    assert cut.labels == ("segment",)


def test_types_of_boundaries_label_what_they_begin() -> None:
    units = Units.from_boundaries({"a": {3: "topic", 5: None}}, length=9)
    assert [units.labels[k] for k in units.label] == ["segment", "topic", "segment"]


@pytest.mark.parametrize(
    ("boundaries", "length"),
    [({"a": [0, 3]}, 9), ({"a": [9]}, 9), ({"a": [3]}, 0), ({"a": [3]}, "9"), ({"a": ["3"]}, 9),
     ({}, 9), ([3], 9), ({"a": 3}, 9), ({"a": {"t": [3]}}, {"u": 9})],
)  # fmt: skip
def test_bad_boundaries_are_refused(boundaries: Any, length: Any) -> None:
    with pytest.raises(InputError):
        Units.from_boundaries(boundaries, length=length)


@pytest.mark.parametrize("masses", [{"a": [0, 3]}, {"a": []}, {"a": [3], "b": [4]}, {"a": ["x"]}])
def test_bad_masses_are_refused(masses: Any) -> None:
    with pytest.raises(InputError):
        Units.from_masses(masses)


def test_selecting_keeps_order_and_bounds() -> None:
    chosen = Units.from_records(ROWS, bounds=(0, 60)).select(raters=["R2", "R1"], sessions="film 1")
    assert chosen.raters == ("R2", "R1")
    assert chosen.bounds.tolist() == [[0, 60]]
    assert chosen.rater.tolist() == [1, 1, 0]
    assert small().select(labels=["A"]).n_units == 2
    assert small().select(tiers="right").labels == ("A", "B", "C")


@pytest.mark.parametrize("axis", ["raters", "sessions", "tiers", "labels"])
def test_selecting_what_does_not_exist_is_refused(axis: str) -> None:
    with pytest.raises(InputError, match="must be one of"):
        small().select(**{axis: ["nobody"]})


def test_merging_halves_gives_the_whole() -> None:
    whole = small()
    halves = whole.select(raters="R1").merge(whole.select(raters="R2"))
    assert halves.raters == whole.raters
    assert halves.bounds.tolist() == whole.bounds.tolist()
    assert sorted(zip(halves.start, halves.end, halves.rater, strict=True)) == sorted(
        zip(whole.start, whole.end, whole.rater, strict=True)
    )


def test_merging_keeps_fragments_apart_and_refuses_other_clocks() -> None:
    one = Units.from_columns(start=[0, 5], end=[1, 6], rater="a", label="x", span=[1, 1])
    both = one.merge(Units.from_columns(start=[0], end=[1], rater="b", label="x"))
    assert both.n_units == 2
    with pytest.raises(InputError, match="time_unit"):
        Units.from_records(ROWS, time_unit="ms").merge(Units.from_records(ROWS, time_unit="s"))
    with pytest.raises(InputError, match="Units"):
        one.merge(3)  # type: ignore[arg-type]


def test_relabelling_joins_and_drops() -> None:
    units = small().relabel({"A": "ab", "B": "ab", "C": None})
    assert units.labels == ("ab",)
    assert units.n_units == 3
    assert small().relabel(str.lower).labels == ("a", "b", "c")
    with pytest.raises(InputError):
        small().relabel({"Z": "z"})
    with pytest.raises(InputError):
        small().relabel(3)  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_a_frame_and_back(backend: str) -> None:
    needed.package(backend)
    frame = small().to_frame(backend=backend)
    again = Units.from_frame(frame, session="session", tier="tier")
    assert np.array_equal(again.start, small().start)
    assert again.labels == small().labels


def test_an_unknown_backend_is_refused() -> None:
    with pytest.raises(InputError, match="backend"):
        small().to_frame(backend="excel")


UNIT = st.tuples(
    st.sampled_from("ab"), st.sampled_from("xy"), st.integers(0, 20), st.integers(0, 5),
    st.sampled_from("st"), st.sampled_from("12"),
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(st.lists(UNIT, max_size=20))
def test_blocks_hold_each_unit_once_in_order(rows: list[tuple[Any, ...]]) -> None:
    records = [(r, x, s, s + n, at, on) for r, x, s, n, at, on in rows]
    units = Units.from_records(records, raters=["a", "b"])
    blocks = units.sorted_blocks("b", "a")
    assert sorted(blocks.order.tolist()) == list(range(len(units)))
    seen = []
    for block in range(blocks.n_blocks):
        for place, name in enumerate(("b", "a")):
            part = blocks.of(block, place)
            times = list(zip(blocks.start[part], blocks.end[part], strict=True))
            assert times == sorted(times)
            for row in blocks.order[part]:
                assert units.raters[units.rater[row]] == name
                assert units.session[row] == blocks.session[block]
                assert units.tier[row] == blocks.tier[block]
                seen.append(int(row))
    assert seen == blocks.order.tolist()


def test_blocks_refuse_unknown_and_repeated_raters() -> None:
    with pytest.raises(InputError):
        small().sorted_blocks("nobody")
    with pytest.raises(InputError):
        small().sorted_blocks("R1", "R1")


# ---------------------------------------------------------------- sessions drawn anew


def test_the_session_bootstrap_repeats_with_its_seed() -> None:
    parts = np.random.default_rng(0).random((12, 3))
    one = session_replicates(parts, lambda s: s.sum(axis=1), n_resamples=50, rng=3)
    two = session_replicates(parts, lambda s: s.sum(axis=1), n_resamples=50, rng=3)
    assert np.array_equal(one, two)
    assert one.shape == (50,)


def test_the_session_bootstrap_has_the_error_of_a_mean() -> None:
    values = np.random.default_rng(1).normal(size=40)
    draws = session_replicates(values, lambda s: s / 40, n_resamples=4000, rng=2)
    assert draws.std() == pytest.approx(values.std() / math.sqrt(40), rel=0.05)


def test_fewer_than_eight_sessions_give_no_interval() -> None:
    interval = session_interval(np.ones((7, 1)), lambda s: s[:, 0])
    assert math.isnan(interval.low)
    assert "at least 8" in interval.note


def quotient(sums: Any) -> Any:
    return sums[:, 0] / sums[:, 1]


def test_sessions_that_only_one_rater_has_do_not_count() -> None:
    parts = np.zeros((12, 2))
    parts[:7] = [[k + 1, 10] for k in range(7)]
    assert "7 sessions" in session_interval(parts, quotient).note
    parts[7] = [8, 10]
    assert session_interval(parts, quotient).has_limits
    alone = session_interval(parts[:8], quotient)
    assert session_interval(parts, quotient) == alone


def test_the_interval_over_sessions_is_students_t_for_a_mean() -> None:
    values = np.random.default_rng(4).normal(0.5, 0.1, 200)
    parts = np.column_stack([values, np.ones(200)])
    interval = session_interval(parts, quotient)
    reach = 1.971957 * values.std(ddof=1) / math.sqrt(200)
    assert interval.high - interval.low == pytest.approx(2 * reach, rel=0.02)
    assert interval.method == "session-jackknife"
    inside = session_interval(parts, quotient, ends=(0.0, 1.0))
    assert inside.low == pytest.approx(interval.low, abs=0.002)


def test_limits_stay_between_the_ends_and_full_agreement_is_not_certain() -> None:
    hits = np.array([10, 10, 10, 10, 10, 10, 10, 10, 10, 4.0])
    parts = np.column_stack([hits, np.full(10, 10.0)])
    near = session_interval(parts, quotient, ends=(0.0, 1.0))
    assert 0.0 < near.low < 0.94 < near.high < 1.0
    parts[9, 0] = 10.0
    full = session_interval(parts, quotient, ends=(0.0, 1.0))
    assert (full.low, full.high) == (pytest.approx(0.025**0.1), 1.0)
    parts[:, 0] = 0.0
    none = session_interval(parts, quotient, ends=(0.0, 1.0))
    assert (none.low, none.high) == (0.0, pytest.approx(1 - 0.025**0.1))


def test_other_levels_and_the_bootstrap_come_from_the_same_sessions() -> None:
    rng = np.random.default_rng(5)
    parts = np.column_stack([rng.integers(3, 9, 30), np.full(30, 10.0)])
    narrow = session_interval(parts, quotient, ends=(0.0, 1.0), confidence_level=0.8)
    assert narrow.at(0.95) == session_interval(parts, quotient, ends=(0.0, 1.0))
    drawn = narrow.at(0.95, "session-bootstrap")
    replicates = session_replicates(parts, quotient)
    assert drawn.low == pytest.approx(np.quantile(replicates, 0.025))
    with pytest.raises(InputError, match="method"):
        session_interval(parts, quotient, method="bootstrap")


@pytest.mark.parametrize("method", ["auto", "session-bootstrap"])
def test_an_undefined_value_has_no_interval(method: str) -> None:
    interval = session_interval(
        np.ones((9, 1)), lambda s: np.full(len(s), np.nan), method=method, n_resamples=20
    )
    assert math.isnan(interval.high)
    assert "undefined" in interval.note


def test_a_value_that_hangs_on_one_session_has_no_interval() -> None:
    parts = np.zeros((9, 3))
    parts[:, 2] = 1.0
    parts[0, :2] = [1.0, 2.0]
    assert "without one of the sessions" in session_interval(parts, quotient).note


@pytest.mark.parametrize(
    "options", [{"n_resamples": 0}, {"confidence_level": 95}, {"rng": "seed"}, {"rng": -1}]
)
def test_the_session_interval_refuses_bad_options(options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        session_interval(np.ones((9, 1)), lambda s: s[:, 0], **options)
