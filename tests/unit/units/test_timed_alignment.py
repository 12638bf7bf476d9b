"""GSEQ-like alignment of timed events, event sequences, and pairs as in INTERACT."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.units import (
    Units,
    align_sequences,
    event_alignment,
    gseq_table,
    quasi_kappa,
    timed_alignment,
)
from consilience.units.programs import interact_like

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


def worked() -> Units:
    return Units.from_records(WORKED)


def random_units(seed: int, *, sessions: int = 2, size: int = 6) -> Units:
    rng = np.random.default_rng(seed)
    records = []
    for session in range(sessions):
        for rater in "ab":
            cuts = np.sort(rng.choice(50, 2 * size, replace=False))
            labels = rng.choice(["x", "y"], size)
            records += [
                (rater, label, int(a), int(b), f"s{session}")
                for label, a, b in zip(labels, cuts[::2], cuts[1::2], strict=True)
            ]
    return Units.from_records(records, bounds={f"s{k}": (0, 50) for k in range(sessions)})


# The rows are A, B, C, & and nil.
TABLES = {
    ("quera", 0): (
        [[2, 0, 0, 0, 1], [0, 0, 2, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 2, 2], [2, 1, 0, 2, 0]],
        10,
        0.1701,
    ),
    ("gseq51", 0): (
        [[2, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 2, 2], [2, 1, 1, 2, 0]],
        11,
        0.1951,
    ),
    ("quera", 2): (
        [[4, 0, 0, 0, 0], [0, 0, 2, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 4, 1], [1, 1, 0, 1, 0]],
        6,
        0.4097,
    ),
    ("gseq51", 2): (
        [[4, 0, 0, 0, 0], [0, 0, 0, 0, 1], [0, 0, 0, 0, 1], [0, 0, 0, 4, 1], [1, 1, 1, 1, 0]],
        7,
        0.4239,
    ),
}


@pytest.mark.parametrize(("preset", "tolerance"), TABLES)
def test_worked_example(preset: Any, tolerance: int) -> None:
    table, cost, kappa = TABLES[preset, tolerance]
    found = timed_alignment(worked(), preset=preset, tolerance=tolerance)
    assert found.labels == ("A", "B", "C", "&")
    assert found.table.tolist() == table
    assert found.cost == cost
    assert found.kappa == pytest.approx(kappa, abs=5e-5)
    assert found.kappa == pytest.approx(quasi_kappa(table, zeros=(-1, -1)).value, abs=1e-12)


# --- the programme against its definition ---------------------------------------------------------


def slow(units: Units, session: str, rule: dict[str, Any]) -> tuple[list[Any], list[Any], float]:
    """Fill the whole table of costs and follow it; return the links of both passes."""
    sides = []
    for rater in "ab":
        events = sorted(
            (int(units.start[k]), int(units.end[k]), str(units.labels[units.label[k]]))
            for k in range(len(units))
            if (units.raters[units.rater[k]], units.sessions[units.session[k]]) == (rater, session)
        )
        filled, at = [], 0
        for start, end, label in events:
            if rule["fill"] and start > at:
                filled.append((at, start, "&"))
            filled.append((start, end, label))
            at = end
        if rule["fill"] and at < 50:
            filled.append((at, 50, "&"))
        sides.append(filled)
    a, b = sides

    def eligible(one: Any, two: Any) -> bool:
        shared = max(0, min(one[1], two[1]) - max(one[0], two[0]))
        lengths = one[1] - one[0], two[1] - two[0]
        base = {
            "longer": max(lengths),
            "shorter": min(lengths),
            "union": sum(lengths) - shared,
        }[rule["base"]]
        near = rule["tau"] > 0 and abs(one[0] - two[0]) <= rule["tau"]
        return near or (shared > 0 and 100 * shared >= rule["overlap"] * base)

    def path(p: list[Any], q: list[Any]) -> tuple[list[tuple[Any, Any]], float]:
        n, m = len(p), len(q)
        cost = np.full((n + 1, m + 1), np.inf)
        for i in range(n, -1, -1):
            for j in range(m, -1, -1):
                if i == n or j == m:
                    cost[i, j] = n - i + m - j
                    continue
                cost[i, j] = min(1 + cost[i + 1, j], 1 + cost[i, j + 1])
                if eligible(p[i], q[j]):
                    price = 0 if p[i][2] == q[j][2] else rule["s"]
                    cost[i, j] = min(cost[i, j], price + cost[i + 1, j + 1])
        links, i, j = [], 0, 0
        while i < n and j < m:
            same = p[i][2] == q[j][2]
            price = 0 if same else rule["s"]
            free = eligible(p[i], q[j]) and (same or rule["s"] < 2)
            if free and cost[i, j] == price + cost[i + 1, j + 1]:
                links.append((i, j))
                i, j = i + 1, j + 1
            elif cost[i, j] == 1 + cost[i + 1, j]:
                i += 1
            else:
                j += 1
        return links, float(cost[0, 0])

    first, price = path(a, b)
    second, again = path(b, a)
    assert price == again
    return [(a[i], b[j]) for i, j in first], [(a[j], b[i]) for i, j in second], price


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    tau=st.sampled_from([0, 1, 4, 60]),
    overlap=st.sampled_from([20, 60, 100]),
    base=st.sampled_from(["longer", "shorter", "union"]),
    s=st.sampled_from([0.5, 1, 2]),
    fill=st.booleans(),
)
def test_the_band_gives_what_the_whole_table_gives(  # noqa: PLR0917
    seed: int, tau: int, overlap: int, base: Any, s: float, fill: bool
) -> None:
    units = random_units(seed)
    found = timed_alignment(
        units, tolerance=tau, overlap=overlap, base=base, substitution=s, fill_gaps=fill
    )
    rule = {"tau": tau, "overlap": overlap, "base": base, "s": s, "fill": fill}
    links, cost = [0, 0], 0.0
    codes = [*found.labels, "nil"]
    table = np.zeros_like(found.table)
    for session in units.sessions:
        first, second, price = slow(units, session, rule)
        links[0] += len(first)
        links[1] += len(second)
        cost += price
        for one, two in [*first, *second]:
            table[codes.index(one[2]), codes.index(two[2])] += 1
    assert found.cost == pytest.approx(cost)
    assert list(found.n_links) == links
    assert found.table[:-1, :-1].tolist() == table[:-1, :-1].tolist()
    assert found.n_links[0] == int(found.links[:, 2].sum())


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 10**6), shift=st.integers(-9, 9))
def test_swapping_raters_turns_the_table_and_shifting_changes_nothing(
    seed: int, shift: int
) -> None:
    units = random_units(seed)
    found = timed_alignment(units, tolerance=2, preset="quera")
    swapped = timed_alignment(units, tolerance=2, preset="quera", raters=["b", "a"])
    assert swapped.table.T.tolist() == found.table.tolist()
    assert swapped.n_links == found.n_links[::-1]
    moved = Units.from_columns(
        start=units.start / 10 + shift,
        end=units.end / 10 + shift,
        label=[units.labels[k] for k in units.label],
        rater=[units.raters[k] for k in units.rater],
        session=[units.sessions[k] for k in units.session],
        bounds=dict.fromkeys(units.sessions, (shift, 5 + shift)),
    )
    again = timed_alignment(moved, tolerance=0.2, preset="quera")
    assert again.table.tolist() == found.table.tolist()


def test_point_events_are_linked_by_their_onset() -> None:
    units = Units.from_records(
        [("a", "x", 3, 3), ("a", "y", 9, 9), ("b", "x", 3, 3), ("b", "y", 10, 10)], bounds=(0, 12)
    )
    exact = timed_alignment(units, fill_gaps=False)
    assert exact.table.tolist() == [[2, 0, 0], [0, 0, 1], [0, 1, 0]]
    near = timed_alignment(units, fill_gaps=False, tolerance=1)
    assert near.table.tolist() == [[2, 0, 0], [0, 2, 0], [0, 0, 0]]
    assert near.kappa == 1.0


def test_gaps_fill_the_session_and_sessions_of_one_rater_are_dropped() -> None:
    units = Units.from_records(
        [("a", "x", 2, 4, "s"), ("b", "x", 2, 4, "s"), ("a", "x", 0, 1, "t")],
        bounds={"s": (0, 10), "t": (0, 10)},
    )
    found = timed_alignment(units)
    assert found.table.tolist() == [[2, 0, 0], [0, 4, 0], [0, 0, 0]]
    assert found.n_gaps == {"a": 2, "b": 2}
    assert found.dropped == (("t", "no units of 'b'"),)
    assert timed_alignment(units, absent="count").n_gaps == {"a": 3, "b": 3}
    own = Units.from_records([("a", "&", 0, 4), ("b", "x", 0, 4), ("b", "x", 5, 6)])
    assert any(x.code == "gap_code_in_use" for x in timed_alignment(own).findings)


def test_intervals_and_records() -> None:
    units = random_units(4, sessions=10)
    found = timed_alignment(units, n_resamples=300, preset="quera")
    interval = found.confidence_interval()
    assert interval.low < found.kappa < interval.high
    assert found.confidence_interval(label="x").low < found["x"].kappa
    record = found.to_dict()
    assert record["coefficient"] == "timed_alignment"
    assert record["settings"]["substitution"] == 1
    assert len(record["sessions"]) == 10
    total = sum(found.session_table(name) for name in found.sessions)
    assert np.asarray(total).tolist() == found.table.tolist()
    assert str(found).startswith("GSEQ-like alignment: a and b")
    assert "GSEQ-like" in found._repr_html_()
    sequence = event_alignment(units, n_resamples=300)
    assert sequence.confidence_interval().low < sequence.kappa
    assert sequence.to_dict()["gap"] == 1
    assert "unlike codes 1" in " ".join(str(sequence).split())


@pytest.mark.parametrize(
    "options",
    [
        {"preset": "gseq"},
        {"base": "mean"},
        {"overlap": 0},
        {"overlap": 101},
        {"overlap": "60"},
        {"tolerance": -1},
        {"tolerance": None},
        {"substitution": -1},
        {"substitution": math.nan},
        {"substitution": True},
        {"fill_gaps": "yes"},
        {"raters": ["R1"]},
        {"raters": ["R1", "X"]},
        {"labels": ["A"]},
        {"absent": "no"},
        {"n_resamples": -1},
        {"confidence_level": 0},
    ],
)
def test_bad_options_are_refused_in_words(options: dict[str, Any]) -> None:
    with pytest.raises(ConsilienceError):
        timed_alignment(worked(), **options)


def test_bad_data_are_refused_in_words() -> None:
    with pytest.raises(InputError, match="Units"):
        timed_alignment("file.eaf")  # type: ignore[arg-type]
    clash = Units.from_records([("a", "x", 0, 5), ("a", "y", 4, 9), ("b", "x", 0, 5)])
    with pytest.raises(UnsupportedDesignError, match=r"'x' 0-5 and 'y' 4-9 of 'a' \(session"):
        timed_alignment(clash)
    inside = Units.from_records([("a", "x", 0, 5), ("a", "y", 4, 4), ("b", "x", 0, 5)])
    with pytest.raises(UnsupportedDesignError, match="do not overlap"):
        timed_alignment(inside)
    three = Units.from_records([("a", "x", 0, 5), ("b", "x", 4, 9), ("c", "x", 0, 5)])
    for method in (timed_alignment, event_alignment, interact_like):
        with pytest.raises(UnsupportedDesignError, match="two raters"):
            method(three)
    apart = Units.from_records([("a", "x", 0, 5, "s"), ("b", "x", 4, 9, "t")])
    for method in (timed_alignment, event_alignment, interact_like):
        with pytest.raises(UnsupportedDesignError, match="session"):
            method(apart)
    with pytest.raises(InputError, match="a session"):
        timed_alignment(worked()).session_table("z")


def test_one_code_has_no_kappa() -> None:
    units = Units.from_records([("a", "x", 0, 5), ("b", "x", 0, 5), ("b", "x", 7, 9)])
    found = timed_alignment(units, fill_gaps=False)
    assert found.status == "undefined"
    assert "only one label" in str(found.reason)
    assert found["x"].status == "undefined"


# --- tables ---------------------------------------------------------------------------------------


def test_category_kappas_are_those_of_the_fitted_table() -> None:
    rng = np.random.default_rng(5)
    for _ in range(20):
        table = rng.integers(0, 9, (4, 4))
        table[-1, -1] = 0
        fit = quasi_kappa(table, zeros=(-1, -1)).expected_table
        found = gseq_table(table)
        for k, category in enumerate(found.categories):
            rest = [i for i in range(4) if i != k]
            n = table.sum()
            seen = (table[k, k] + table[np.ix_(rest, rest)].sum()) / n
            chance = (fit[k, k] + fit[np.ix_(rest, rest)].sum()) / n
            assert category.kappa == pytest.approx((seen - chance) / (1 - chance), abs=1e-12)


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ([[1, 2], [3, 4]], {}),
        ([[1, 2, 3]], {}),
        ([[1.5, 0], [0, 0]], {}),
        ([[-1, 0], [0, 0]], {}),
        ("table", {}),
        ([[1, 2], [3, 0]], {"labels": ["a"]}),
        ([[1, 2], [3, 0]], {"labels": ["a", "a"]}),
        ([[1, 2], [3, 0]], {"labels": "ab"}),
        ([[1, 2], [3, 0]], {"labels": ["a", "b"], "nil": "c"}),
        ([[1, 2], [3, 0]], {"raters": ("a",)}),
    ],
)
def test_bad_tables_are_refused_in_words(table: Any, options: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        gseq_table(table, **options)


def test_nil_may_stand_anywhere() -> None:
    last = gseq_table([[4, 1, 2], [0, 3, 1], [1, 2, 0]], ["a", "b", "nil"])
    first = gseq_table([[0, 1, 2], [2, 4, 1], [1, 0, 3]], ["nil", "a", "b"])
    assert first.to_dict() == last.to_dict()
    assert gseq_table([[0, 0], [0, 0]]).reason == "there are no units"


# --- sequences without times ----------------------------------------------------------------------


def slow_cost(a: str, b: str, s: float, g: float) -> float:
    cost = np.zeros((len(a) + 1, len(b) + 1))
    cost[:, 0] = g * np.arange(len(a) + 1)
    cost[0] = g * np.arange(len(b) + 1)
    for i in range(len(a)):
        for j in range(len(b)):
            price = 0 if a[i] == b[j] else s
            cost[i + 1, j + 1] = min(cost[i, j] + price, cost[i, j + 1] + g, cost[i + 1, j] + g)
    return float(cost[-1, -1])


@settings(max_examples=60, deadline=None)
@given(
    a=st.text("abc", max_size=9),
    b=st.text("abc", max_size=9),
    s=st.sampled_from([0.3, 1, 2]),
    g=st.sampled_from([0.7, 1, 1.5]),
)
def test_sequences_are_aligned_at_the_least_cost(a: str, b: str, s: float, g: float) -> None:
    found = align_sequences(a, b, substitution=s, gap=g, labels=list("abc"))
    assert found.cost == pytest.approx(slow_cost(a, b, s, g))
    assert "".join(x for x, _ in found.columns if x) == a
    assert "".join(y for _, y in found.columns if y) == b
    paid = sum(g if None in pair else s * (pair[0] != pair[1]) for pair in found.columns)
    assert paid == pytest.approx(found.cost)
    assert found.table.sum() == found.n_columns
    assert not found.table[-1, -1]


def test_ties_go_to_links() -> None:
    found = align_sequences("ab", "ba", substitution=2)
    assert found.columns == (("a", None), ("b", "b"), (None, "a"))
    linked = align_sequences("ab", "ba", substitution=1)
    assert linked.columns == (("a", "b"), ("b", "a"))


def test_costs_of_each_two_codes() -> None:
    costs = [[0, 0.1, 5], [0.1, 0, 5], [5, 5, 0]]
    found = align_sequences("abc", "bac", costs=costs)
    assert found.columns == (("a", "b"), ("b", "a"), ("c", "c"))
    assert found.cost == pytest.approx(0.2)
    assert "0.1 to 5" in " ".join(str(found).split())
    for bad in ([[0]], [[1, 0, 0], [0, 0, 0], [0, 0, 0]], "x", np.full((3, 3), np.nan)):
        with pytest.raises(InputError, match="costs"):
            align_sequences("abc", "bac", costs=bad)


@pytest.mark.parametrize("bad", [None, 5, b"ab", {"a": 1}, ["a", None], ["a", math.nan]])
def test_bad_sequences_are_refused_in_words(bad: Any) -> None:
    with pytest.raises(InputError):
        align_sequences(bad, "ab")
    with pytest.raises(InputError):
        align_sequences("ab", bad)


def test_bad_costs_and_codes_are_refused() -> None:
    for options in ({"gap": -1}, {"gap": "1"}, {"substitution": math.inf}, {"labels": ["a"]}):
        with pytest.raises(InputError):
            align_sequences("ab", "ab", **options)  # type: ignore[arg-type]
    assert align_sequences("", "").status == "undefined"


def test_units_are_aligned_without_regard_to_their_times() -> None:
    units = worked()
    late = Units.from_records(
        [(r, x, a + 500 * (r == "R2"), b + 500 * (r == "R2")) for r, x, a, b in WORKED]
    )
    assert event_alignment(units).table.tolist() == event_alignment(late).table.tolist()
    assert event_alignment(units).table.tolist() == align_sequences("ABAC", "ACAAB").table.tolist()


# --- pairs as in INTERACT -------------------------------------------------------------------------


def test_steps_of_interact() -> None:
    records = [
        ("a", "x", 0, 10),
        ("a", "x", 20, 30),
        ("a", "y", 40, 50),
        ("a", "z", 40.5, 41),
        ("a", "x", 90, 95),
        ("b", "x", 1, 10),  # 90 percent: match
        ("b", "x", 21, 23),  # same code, onset 1 away: match
        ("b", "x", 41, 50),  # onset near both: a mismatch with y, and with z though it is paired
        ("b", "y", 70, 75),  # no pair
    ]
    found = interact_like(Units.from_records(records), overlap=80, tolerance=1)
    # rows x, y, z, no pair
    assert found.table.tolist() == [[2, 0, 0, 1], [1, 0, 0, 0], [1, 0, 0, 0], [0, 1, 0, 0]]
    assert (found.n_matches, found.n_mismatches) == (2, 2)
    assert found.n_alone == {"a": 1, "b": 1}
    swapped = interact_like(Units.from_records(records), tolerance=1, raters=["b", "a"])
    assert swapped.table.T.tolist() != found.table.tolist()
    n = 6
    seen, chance = 2 / n, (3 * 4 + 1 * 1 + 1 * 0 + 1 * 1) / n**2
    assert found.kappa == pytest.approx((seen - chance) / (1 - chance))
    assert found.to_dict()["by_tier"] == {"tier": pytest.approx(found.kappa)}
    assert "leads" in str(found)


def test_bad_options_of_interact() -> None:
    for options in ({"overlap": 0}, {"tolerance": -1}, {"raters": ["R1", "Q"]}, {"labels": ["A"]}):
        with pytest.raises(InputError):
            interact_like(worked(), **options)  # type: ignore[arg-type]
