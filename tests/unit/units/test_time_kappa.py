"""Agreement over time: exact durations, grids, tolerance, sets of labels, any number of raters."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import consilience as cs
from consilience.core.draws import RandomStream
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.units import Units, time_agreement, time_kappa
from consilience.units.programs import session_totals

WORKED = [
    ("R1", "A", 0, 10),
    ("R1", "B", 10, 20),
    ("R1", "A", 25, 35),
    ("R1", "C", 40, 50),
    ("R2", "A", 1, 11),
    ("R2", "C", 11, 19),
    ("R2", "A", 26, 30),
    ("R2", "A", 30, 36),
    ("R2", "B", 60, 65),
]


def worked(shift: float = 0, scale: float = 1) -> Units:
    return Units.from_records(
        [(r, x, shift + scale * a, shift + scale * b) for r, x, a, b in WORKED]
    )


def random_units(seed: int, *, raters: str = "ab", sessions: int = 3, size: int = 6) -> Units:
    rng = np.random.default_rng(seed)
    records = []
    for session in range(sessions):
        for rater in raters:
            cuts = np.sort(rng.choice(60, 2 * size, replace=False))
            labels = rng.choice(["x", "y", "z"], size)
            records += [
                (rater, label, int(a), int(b), f"s{session}")
                for label, a, b in zip(labels, cuts[::2], cuts[1::2], strict=True)
            ]
    return Units.from_records(records, bounds={f"s{k}": (0, 60) for k in range(sessions)})


def codes_by_second(units: Units, rater: str, session: str) -> list[str]:
    """What a rater says at each second, the slow way."""
    out = ["nil"] * 60
    for k in range(len(units)):
        here = units.raters[units.rater[k]], units.sessions[units.session[k]]
        if here == (rater, session):
            for t in range(int(units.start[k]), int(units.end[k])):
                out[t] = units.labels[units.label[k]]
    return out


def test_worked_example_by_duration() -> None:
    found = time_kappa(worked())
    assert found.observed == pytest.approx(0.569231, abs=5e-7)
    assert found.expected == pytest.approx(0.314793, abs=5e-7)
    assert found.kappa == pytest.approx(0.371330, abs=5e-7)
    assert found.total == 65


@pytest.mark.parametrize("instant", ["start", "middle", "longest"])
def test_worked_example_in_units_of_one(instant: Any) -> None:
    found = time_kappa(worked(), unit=1, instant=instant)
    assert found.total == 65
    assert found.kappa == pytest.approx(0.371330, abs=5e-7)


@pytest.mark.parametrize(
    ("k", "first", "second"), [(1, 0.459272, 0.490196), (2, 0.479094, 0.528473)]
)
@pytest.mark.parametrize("unit", [None, 1])
def test_worked_example_with_a_tolerance(
    k: int, first: float, second: float, unit: float | None
) -> None:
    found = time_kappa(worked(), tolerance=k, unit=unit)
    assert [x.kappa for x in found.directions] == pytest.approx([first, second], abs=5e-7)
    assert [x.reference for x in found.directions] == ["R1", "R2"]
    assert found.kappa == pytest.approx((first + second) / 2, abs=5e-7)


@pytest.mark.parametrize("seed", range(5))
def test_table_and_tolerance_are_those_of_the_definition(seed: int) -> None:
    units = random_units(seed)
    for k in (0, 3):
        tables = [np.zeros((4, 4)) for _ in range(2)]
        names = ["x", "y", "z", "nil"]
        for session in units.sessions:
            a, b = (codes_by_second(units, rater, session) for rater in "ab")
            for t in range(60):
                window = slice(max(t - k, 0), t + k + 1)
                one = (a[t], a[t]) if a[t] in b[window] else (a[t], b[t])
                two = (b[t], b[t]) if b[t] in a[window] else (a[t], b[t])
                for table, (i, j) in zip(tables, (one, two), strict=True):
                    table[names.index(i), names.index(j)] += 1
        found = time_kappa(units, unit=1, tolerance=k)
        for way, table in zip(found.directions, tables, strict=False):
            assert way.table.tolist() == table.tolist()


def test_kappa_is_that_of_the_plain_ratings_of_each_unit() -> None:
    units = random_units(7)
    rows = [
        pair
        for session in units.sessions
        for pair in zip(*(codes_by_second(units, r, session) for r in "ab"), strict=True)
    ]
    plain = cs.cohen_kappa(cs.Ratings.from_wide(rows, raters=["a", "b"]))
    assert time_kappa(units).kappa == pytest.approx(plain.value, abs=1e-12)
    assert time_agreement(units).value == pytest.approx(plain.value, abs=1e-12)


@pytest.mark.parametrize("name", ["cohen_kappa", "scott_pi", "krippendorff_alpha", "gwet_ac"])
@pytest.mark.parametrize("nil", ["category", "exclude"])
def test_every_coefficient_on_a_grid_is_that_of_the_plain_ratings(name: str, nil: Any) -> None:
    units = random_units(11, raters="abc")
    rows = [
        [None if nil == "exclude" and x == "nil" else x for x in row]
        for session in units.sessions
        for row in zip(*(codes_by_second(units, r, session) for r in "abc"), strict=True)
    ]
    ratings = cs.Ratings.from_wide(rows, raters=list("abc"))
    plain = getattr(cs, name)(ratings)
    found = time_agreement(units, coefficient=name, unit=1, nil=nil)
    assert found.value == pytest.approx(plain.value, abs=1e-12)
    assert found.observed == pytest.approx(plain.observed, abs=1e-12)
    assert found.expected == pytest.approx(plain.expected, abs=1e-12)
    assert found.name == plain.name


def test_alpha_of_exact_durations_does_not_depend_on_the_unit_of_time() -> None:
    small, large = (
        time_agreement(worked(scale=x), coefficient="alpha").value for x in (0.001, 1000)
    )
    assert small == pytest.approx(large, abs=1e-11)
    assert small == pytest.approx(time_agreement(worked(), coefficient="pi").value, abs=1e-9)


def test_a_finer_grid_comes_nearer_to_exact_durations() -> None:
    units = Units.from_records(
        [
            ("a", "x", 0.013, 7.77),
            ("a", "y", 8.101, 12.5),
            ("b", "x", 0.4, 7.31),
            ("b", "y", 7.9, 13),
        ],
        bounds=(0, 15),
    )
    exact = time_kappa(units).kappa
    for instant in ("start", "middle", "longest"):
        errors = [
            abs(time_kappa(units, unit=u, instant=instant).kappa - exact)  # type: ignore[arg-type]
            for u in (1, 0.1, 0.001)
        ]
        assert errors[2] < 1e-4
        assert errors[2] <= errors[0]


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**6), shift=st.integers(-50, 50), scale=st.sampled_from([0.1, 3, 7]))
def test_shift_scale_and_order_of_raters_do_not_matter(seed: int, shift: int, scale: float) -> None:
    units = random_units(seed)
    moved = Units.from_columns(
        start=units.start * scale + shift,
        end=units.end * scale + shift,
        label=[units.labels[k] for k in units.label],
        rater=[units.raters[k] for k in units.rater],
        session=[units.sessions[k] for k in units.session],
        bounds=dict.fromkeys(units.sessions, (shift, 60 * scale + shift)),
    )
    found = time_kappa(units, tolerance=2)
    assert time_kappa(moved, tolerance=2 * scale).kappa == pytest.approx(found.kappa, abs=1e-9)
    swapped = time_kappa(units, tolerance=2, raters=["b", "a"])
    assert swapped.kappa == pytest.approx(found.kappa, abs=1e-12)
    assert swapped.directions[1].table.T.tolist() == found.directions[0].table.tolist()


def test_the_longest_state_of_a_unit_decides_and_the_first_label_breaks_ties() -> None:
    units = Units.from_records(
        [("a", "x", 0, 4), ("a", "y", 4, 20), ("b", "y", 0, 5), ("b", "x", 5, 20)], bounds=(0, 20)
    )
    found = time_kappa(units, unit=10, instant="longest")
    # a: y fills 6 of the first ten; b: x and y fill 5 each, so x.
    assert found.table.tolist() == [[0, 0, 0], [2, 0, 0], [0, 0, 0]]


def test_labels_that_are_on_together() -> None:
    units = Units.from_records(
        [("a", "x", 0, 6), ("a", "y", 4, 10), ("b", "x", 0, 5), ("b", "y", 5, 10)]
    )
    with pytest.raises(UnsupportedDesignError, match=r"'x' 0-6 and 'y' 4-10 of 'a'"):
        time_kappa(units)
    sets = time_kappa(units, together="sets")
    assert sets.categories == (
        frozenset("x"),
        frozenset("y"),
        frozenset("xy"),
        frozenset(),
    )
    assert sets.observed == pytest.approx(0.8)
    each = time_kappa(units, together="labels")
    assert math.isnan(each.kappa)
    assert each.status == "undefined"
    assert (each["x"].both, each["x"].only_first, each["x"].only_second) == (5, 1, 0)
    assert sets["x"] == each["x"]
    with pytest.raises(InputError, match="together"):
        _ = each.table
    masi = time_agreement(units, together="sets", coefficient="alpha", distance="masi")
    assert masi.distance == "masi"
    assert masi.value > time_agreement(units, together="sets", coefficient="alpha").value
    assert "judged by itself" in str(each)


def test_own_units_of_one_label_may_overlap() -> None:
    units = Units.from_records(
        [("a", "x", 0, 6), ("a", "x", 4, 10), ("b", "x", 0, 10)], bounds=(0, 20)
    )
    assert time_kappa(units).kappa == 1.0


def test_one_state_all_the_time_has_no_kappa() -> None:
    units = Units.from_records([("a", "x", 0, 10), ("b", "x", 0, 10)])
    found = time_kappa(units)
    assert found.status == "undefined"
    assert "chance agreement is 1" in str(found.reason)
    assert time_agreement(units).status == "undefined"
    assert time_kappa(units, nil="exclude")["x"].reason == "every moment has this label"
    apart = Units.from_records([("a", "x", 0, 5), ("b", "x", 5, 10)])
    assert time_kappa(apart, nil="exclude").reason == "no time is left to compare"
    with pytest.raises(UnsupportedDesignError, match="moments that two raters labelled"):
        time_agreement(apart, nil="exclude")


def test_sessions_that_a_rater_did_not_see() -> None:
    units = Units.from_records(
        [("a", "x", 0, 5, "s1"), ("b", "x", 0, 4, "s1"), ("a", "x", 0, 5, "s2")],
        bounds={"s1": (0, 10), "s2": (0, 10), "s3": (0, 10)},
    )
    found = time_kappa(units)
    assert found.total == 20  # the third session was declared, and nobody marked anything in it
    assert found.dropped == (("s2", "no units of 'b'"),)
    left = time_kappa(units, absent="drop")
    assert left.dropped == (("s2", "no units of 'b'"), ("s3", "no units"))
    assert any(x.code == "sessions_dropped" for x in found.findings)
    counted = time_kappa(units, absent="count")
    assert counted.total == 30
    assert counted.table.tolist() == [[4, 6], [0, 20]]
    three = Units.from_records(
        [
            ("c", "x", 0, 5, "s1"),
            *[("a", "x", 0, 5, s) for s in ("s1", "s2")],
            ("b", "x", 1, 6, "s2"),
        ]
    )
    assert time_agreement(three, coefficient="alpha").status == "ok"


def test_tiers_are_compared_each_by_itself() -> None:
    units = Units.from_records(
        [("a", "x", 0, 5, "s", "left"), ("b", "x", 0, 5, "s", "right")], bounds=(0, 10)
    )
    assert time_kappa(units).table.tolist() == [[0, 5], [5, 10]]


def test_points_take_no_time_and_are_reported() -> None:
    units = Units.from_records([*WORKED, ("R1", "A", 55, 55)])
    found = time_kappa(units)
    assert found.kappa == time_kappa(worked()).kappa
    assert any(x.code == "point_events_left_out" for x in found.findings)
    assert any(x.code == "bounds_guessed" for x in found.findings)


def test_intervals_come_from_sessions() -> None:
    units = random_units(3, sessions=12)
    found = time_kappa(units, n_resamples=500, tolerance=1, rng=1)
    interval = found.confidence_interval()
    assert interval.low < found.kappa < interval.high
    assert found.confidence_interval(label="x").low < found["x"].kappa
    same = time_kappa(units, n_resamples=500, tolerance=1, rng=1).confidence_interval()
    assert (same.low, same.high) == (interval.low, interval.high)
    alpha = time_agreement(units, coefficient="alpha", n_resamples=500)
    assert alpha.confidence_interval().low < alpha.value < alpha.confidence_interval().high
    cohen = time_agreement(units, n_resamples=500).confidence_interval()
    plain = time_kappa(units, n_resamples=500).confidence_interval()
    assert (cohen.low, cohen.high) == pytest.approx((plain.low, plain.high), abs=1e-9)
    assert list(time_agreement(units).by_session().values()) == pytest.approx(
        list(time_kappa(units).by_session().values()), abs=1e-9
    )
    assert "no interval" in str(time_kappa(worked()).confidence_interval().note)


def test_records_and_pages() -> None:
    units = random_units(3, sessions=9)
    for found in (
        time_kappa(units, tolerance=1, n_resamples=99),
        time_agreement(units, coefficient="alpha", n_resamples=99),
        session_totals(units, n_resamples=99),
    ):
        record = found.to_dict()
        assert record["status"] == "ok"
        assert record["interval"]["low"] is not None
        assert "a" in str(found)
        assert found._repr_html_().count("<table")
    assert time_kappa(worked()).to_dict()["settings"]["unit"] is None
    assert "Units of 2" in str(time_kappa(worked(), unit=2))


@pytest.mark.parametrize(
    "options",
    [
        {"unit": 0},
        {"unit": -1},
        {"unit": "1"},
        {"unit": math.nan},
        {"unit": True},
        {"tolerance": -1},
        {"tolerance": math.inf},
        {"tolerance": None},
        {"instant": "end"},
        {"nil": "maybe"},
        {"together": "union"},
        {"absent": "ignore"},
        {"raters": ["R1"]},
        {"raters": ["R1", "R9"]},
        {"raters": "R1"},
        {"labels": ["A"]},
        {"confidence_level": 2},
        {"n_resamples": 0},
    ],
)
def test_bad_options_are_refused_in_words(options: dict[str, Any]) -> None:
    with pytest.raises(ConsilienceError):
        time_kappa(worked(), **options)
    if "tolerance" not in options:
        with pytest.raises(ConsilienceError):
            time_agreement(worked(), **options)


def test_bad_data_are_refused_in_words() -> None:
    with pytest.raises(InputError, match="the data must be Units"):
        time_kappa([1, 2])  # type: ignore[arg-type]
    with pytest.raises(UnsupportedDesignError, match="two raters"):
        time_kappa(random_units(1, raters="abc"))
    with pytest.raises(UnsupportedDesignError, match="at least two raters"):
        time_kappa(worked().select(raters=["R1"]))
    with pytest.raises(UnsupportedDesignError, match="session"):
        time_kappa(Units.from_records([("a", "x", 0, 1, "s"), ("b", "x", 0, 1, "t")]))
    with pytest.raises(UnsupportedDesignError, match="session"):
        time_kappa(Units.from_records([("a", "x", 1, 1), ("b", "x", 1, 1)]))
    with pytest.raises(InputError, match="nil"):
        time_kappa(Units.from_records([("a", "nil", 0, 1), ("b", "x", 0, 1)]))
    with pytest.raises(InputError, match="a label"):
        _ = time_kappa(worked())["Z"]
    with pytest.raises(InputError, match="coefficient"):
        time_agreement(worked(), coefficient="kapa")
    with pytest.raises(InputError, match="over time"):
        time_agreement(worked(), coefficient="aickin_alpha")
    with pytest.raises(UnsupportedDesignError, match="label at every moment"):
        time_agreement(worked(), coefficient="alpha", distance="jaccard")


def test_totals_of_the_observer() -> None:
    found = session_totals(worked(), kind="duration")
    # A 20 and 20, B 10 and 5, C 10 and 8.
    assert found.by_label() == {"A": 1.0, "B": 0.5, "C": 0.8}
    assert found.value == pytest.approx(33 / 40)
    often = session_totals(worked())
    assert often.agreements.tolist() == [2, 1, 1]
    assert often.disagreements.tolist() == [1, 0, 0]
    ratings = session_totals(random_units(2, sessions=4)).ratings("x")
    assert (ratings.n_items, ratings.raters, ratings.scale) == (4, ("a", "b"), "ratio")
    with pytest.raises(InputError, match="kind"):
        session_totals(worked(), kind="sum")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="absent"):
        session_totals(worked(), absent="no")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="a label"):
        often.ratings("Z")
    with pytest.raises(UnsupportedDesignError, match="two raters"):
        session_totals(random_units(1, raters="abc"))
    with pytest.raises(UnsupportedDesignError, match="session"):
        session_totals(Units.from_records([("a", "x", 0, 1, "s"), ("b", "x", 0, 1, "t")]))


# ---------------------------------------------------------------- very many labels


def with_labels(n_labels: int, n_sessions: int = 10) -> Units:
    rng = np.random.default_rng(n_labels)
    per_session = n_labels // n_sessions
    records = []
    for k in range(per_session * n_sessions):
        session, at = f"s{k // per_session}", 10 * (k % per_session)
        other = k if rng.random() < 0.7 else int(rng.integers(n_labels))
        records.append(("a", f"l{k:05d}", at, at + 8, session))
        records.append(("b", f"l{other:05d}", at + 1, at + 9, session))
    return Units.from_records(records)


def test_thousands_of_labels_are_compared_without_a_table_of_all_of_them() -> None:
    units = with_labels(4_000)
    found = time_kappa(units, n_resamples=50)
    time: dict[tuple[object, object], int] = {}
    lines: list[dict[tuple[str, int], Any]] = [{}, {}]
    for rater, label, start, end, session in zip(
        units.rater, units.label, units.start, units.end, units.session, strict=True
    ):
        for t in range(start, end):
            lines[rater][session, t] = units.labels[label]
    for s, (low, high) in enumerate(units.bounds):
        for t in range(low, high):
            pair = (lines[0].get((s, t)), lines[1].get((s, t)))
            time[pair] = time.get(pair, 0) + 1
    total = sum(time.values())
    seen = sum(n for (x, y), n in time.items() if x == y) / total
    rows, columns = {}, {}
    for (x, y), n in time.items():
        rows[x] = rows.get(x, 0) + n
        columns[y] = columns.get(y, 0) + n
    chance = sum(n * columns.get(x, 0) for x, n in rows.items()) / total**2
    assert found.observed == pytest.approx(seen, abs=1e-14)
    assert found.kappa == pytest.approx((seen - chance) / (1 - chance), abs=1e-13)
    one = found["l00007"]
    assert one.both == time.get(("l00007", "l00007"), 0)
    assert one.both + one.only_first == rows["l00007"]
    assert found.confidence_interval().low < found.kappa
    assert found.confidence_interval(label="l00007").high <= 1.0
    assert len(found.by_session()) == 10


def test_a_table_of_thousands_of_labels_is_given_by_its_cells() -> None:
    found = time_kappa(with_labels(4_000), n_resamples=20)
    with pytest.raises(UnsupportedDesignError, match="at most 3,000 labels"):
        _ = found.table
    record = found.to_dict()["directions"][0]
    assert record["table"] is None
    assert sum(cell[2] for cell in record["cells"]) == pytest.approx(found.total)
    assert "The 100 labels that are used most, of 4,000." in str(found)
    few = time_kappa(worked()).to_dict()["directions"][0]
    assert "cells" not in few
    assert np.sum(few["table"]) == pytest.approx(65)


def test_a_label_has_the_same_interval_alone_and_among_others() -> None:
    found = time_kappa(random_units(3, sessions=12), n_resamples=400)
    totals = found.label_parts.of(0)
    drawn = RandomStream.of(0).integers(12, (400, 12))
    kappas = []
    for sessions in drawn:
        both, first, second = totals[sessions].sum(axis=0)
        whole = found.session_time[sessions].sum()
        seen = (whole - first - second + 2 * both) / whole
        chance = (first * second + (whole - first) * (whole - second)) / whole**2
        kappas.append((seen - chance) / (1 - chance))
    label = found.by_label[0].label
    interval = found.confidence_interval(method="session-bootstrap", label=label)
    assert interval.low == pytest.approx(np.quantile(kappas, 0.025), abs=1e-12)


def test_distances_between_thousands_of_labels_are_refused() -> None:
    units = with_labels(4_000)
    assert 0 < time_agreement(units, n_resamples=20).value < 1
    with pytest.raises(UnsupportedDesignError, match="at most 3,000 labels"):
        time_agreement(units, distance="jaccard", together="sets", n_resamples=20)
