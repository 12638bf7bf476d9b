"""EasyDIAG: linking against brute force, tallies, modes, sessions, pairs, bad input."""

from __future__ import annotations

import itertools
import math
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from consilience.exceptions import (
    ConsilienceError,
    ConsilienceWarning,
    InputError,
    UnsupportedDesignError,
)
from consilience.units import (
    Units,
    alignment_ratings,
    easydiag,
    easydiag_table,
    quasi_kappa,
    threshold_curve,
)
from consilience.units._linking import check_threshold, exact_times, link
from consilience.units._quasi_independence import proportional_fit, quasi_fit
from consilience.units.easydiag import EasyDiag, EasyDiagPairs
from consilience.units.model import own_overlaps
from consilience.units.programs import modified_fleiss, overlap_extent

R1 = [("A", 0, 10), ("B", 10, 20), ("A", 25, 35), ("C", 40, 50)]
R2 = [("A", 1, 11), ("C", 11, 19), ("A", 26, 30), ("A", 30, 36), ("B", 60, 65)]


def units_of(first: Any, second: Any, session: str = "s", **options: Any) -> Units:
    rows = [("R1", *row, session) for row in first] + [("R2", *row, session) for row in second]
    return Units.from_records(rows, raters=["R1", "R2"], **options)


def example() -> Units:
    return units_of(R1, R2)


def quiet(units: Units, **options: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsilienceWarning)
        return easydiag(units, **options)


def pair(units: Units, **options: Any) -> EasyDiag:
    found = quiet(units, **options)
    assert isinstance(found, EasyDiag)
    return found


# ---------------------------------------------------------------- the worked example


def test_the_worked_example() -> None:
    found = pair(example())
    assert found.table.tolist() == [[2, 0, 0, 1], [0, 0, 2, 0], [0, 0, 0, 1], [2, 1, 0, 0]]
    assert found.linked_share == pytest.approx(4 / 9)
    assert found.raw == pytest.approx(2 / 9)
    assert found.expected == pytest.approx(0.169312, abs=5e-7)
    assert found.kappa == pytest.approx(0.063694, abs=5e-7)
    assert found.kappa_max == pytest.approx(0.331210, abs=5e-7)
    assert found.kappa_max_easydiag == pytest.approx(0.732484, abs=5e-7)
    assert (found.raw_linked, found.kappa_linked) == pytest.approx((0.5, 1 / 3))
    assert found.linked_rows.tolist() == [[0, 4], [1, 5]]
    assert found.overlaps.tolist() == [0.9, 0.8]
    assert (found.n_units, found.n_linked) == ({"R1": 4, "R2": 5}, 2)


def test_diagnostics_of_the_worked_example() -> None:
    found = pair(example())
    assert found.disparity().tolist() == [[[2, 1, 1]], [[3, 1, 1]]]
    assert found.durations().tolist() == [[[20, 10, 10]], [[20, 5, 8]]]
    assert found.label_agreements().tolist() == [[[2, 0, 0]], [[3, 3, 3]]]
    assert found.session_table("s").tolist() == found.table.tolist()
    (session,) = found.by_session
    assert (session.n_tallies, session.agreements, session.disagreements) == (9, 2, 7)
    assert session.kappa == found.kappa


# ---------------------------------------------------------------- linking


def brute_force(units: Units, threshold: Fraction) -> set[tuple[int, int]]:
    """Link by trying every pair, from the largest share downwards, with exact fractions."""
    a = [k for k in range(len(units)) if units.rater[k] == 0]
    b = [k for k in range(len(units)) if units.rater[k] == 1]
    found = []
    for i, j in itertools.product(a, b):
        if units.session[i] != units.session[j] or units.tier[i] != units.tier[j]:
            continue
        start, end = units.start, units.end
        overlap = int(min(end[i], end[j]) - max(start[i], start[j]))
        longest = int(max(end[i] - start[i], end[j] - start[j]))
        if overlap > 0 and Fraction(overlap, longest) * 100 >= threshold:
            starts, ends = sorted((start[i], start[j])), sorted((end[i], end[j]))
            labels = sorted((units.label[i], units.label[j]))
            found.append((-Fraction(overlap, longest), -overlap, *starts, *ends, *labels, i, j))
    linked: set[tuple[int, int]] = set()
    for *_, i, j in sorted(found):
        if all(i != x and j != y for x, y in linked):
            linked.add((i, j))
    return linked


UNIT = st.tuples(
    st.sampled_from("ab"), st.sampled_from("xyz"), st.integers(0, 40), st.integers(1, 12),
    st.sampled_from("st"), st.sampled_from("12"),
)  # fmt: skip


def made(rows: list[tuple[Any, ...]]) -> Units:
    records = [(r, x, s, s + n, at, on) for r, x, s, n, at, on in rows]
    return Units.from_records(records, raters=["a", "b"], sessions=["s", "t"])


@settings(max_examples=200, deadline=None)
@given(st.lists(UNIT, max_size=24), st.sampled_from([1, 20, 33.3, 50, 51, 60, 62.5, 90, 100]))
def test_links_are_those_of_brute_force(rows: list[tuple[Any, ...]], threshold: float) -> None:
    units = made(rows)
    blocks = units.sorted_blocks("a", "b")
    links = link(blocks, threshold=check_threshold(threshold))
    got = set(
        zip(blocks.order[links.first].tolist(), blocks.order[links.second].tolist(), strict=True)
    )
    want = brute_force(units, check_threshold(threshold))
    # Twins (same rater, time, label) may stand for each other.
    assert sorted(shape(units, x) for x in got) == sorted(shape(units, x) for x in want)


def shape(units: Units, link_: tuple[int, int]) -> tuple[Any, ...]:
    return tuple(
        (int(units.start[k]), int(units.end[k]), int(units.label[k]), int(units.session[k]))
        for k in link_
    )


@settings(max_examples=60, deadline=None)
@given(st.lists(UNIT, min_size=2, max_size=20), st.sampled_from([20, 50, 60]))
def test_swapping_the_raters_turns_the_table(rows: list[tuple[Any, ...]], threshold: float) -> None:
    units = made([*rows, ("a", "x", 90, 5, "s", "1"), ("b", "x", 90, 5, "s", "1")])
    for rule in ("symmetric", "optimal"):
        one = pair(units, threshold=threshold, raters=["a", "b"], linking=rule)
        two = pair(units, threshold=threshold, raters=["b", "a"], linking=rule)
        assert one.table.tolist() == two.table.T.tolist()
        assert one.kappa == pytest.approx(two.kappa, nan_ok=True)


@settings(max_examples=60, deadline=None)
@given(st.lists(UNIT, min_size=2, max_size=16), st.integers(-1000, 10**9), st.integers(1, 40))
def test_shifted_and_stretched_times_give_the_same_table(
    rows: list[tuple[Any, ...]], shift: int, scale: int
) -> None:
    twins = [("a", "x", 90, 5, "s", "1"), ("b", "x", 90, 5, "s", "1")]
    units = made([*rows, *twins])
    moved = Units.from_records(
        [
            (r, x, shift + scale * s, shift + scale * (s + n), at, on)
            for r, x, s, n, at, on in [*rows, *twins]
        ]
    )
    in_seconds = Units.from_records(
        [(r, x, s / 1000, (s + n) / 1000, at, on) for r, x, s, n, at, on in [*rows, *twins]]
    )
    table = pair(units).table.tolist()
    assert pair(moved).table.tolist() == table
    assert pair(in_seconds).table.tolist() == table


@pytest.mark.parametrize(
    "times", [(0, 10, 0, 6), (0.0, 1.0, 0.0, 0.6), (100.1, 101.1, 100.1, 100.7)]
)
def test_a_share_exactly_at_the_threshold_links(times: tuple[float, ...]) -> None:
    a, b, c, d = times
    units = units_of([("x", a, b)], [("x", c, d)])
    assert pair(units, threshold=60).n_linked == 1
    assert pair(units, threshold=60.1).n_linked == 0


def test_times_with_many_digits_are_compared_with_a_tolerance() -> None:
    third = 1 / 3
    units = units_of([("x", third, third + 1)], [("x", third, third + 0.6)])
    assert pair(units, threshold=60).n_linked == 1


def test_decimal_times_become_whole_numbers() -> None:
    start, end, factor = exact_times(np.array([0.1, 2.345]), np.array([0.7, 3.0]))
    assert (start.tolist(), end.tolist(), factor) == ([100, 2345], [700, 3000], 1000.0)
    start, _, factor = exact_times(np.array([math.pi]), np.array([4.0]))
    assert (start.tolist(), factor) == ([math.pi], 1.0)


def test_touching_units_and_other_sessions_and_tiers_are_never_linked() -> None:
    assert pair(units_of([("x", 0, 5)], [("x", 5, 10)])).n_linked == 0
    rows = [("a", "x", 0, 5, "s", "left"), ("b", "x", 0, 5, "s", "right"),
            ("a", "x", 0, 5, "t", "left"), ("b", "x", 9, 15, "t", "left")]  # fmt: skip
    assert pair(Units.from_records(rows)).n_linked == 0


def test_the_rules_differ_only_where_units_have_a_choice() -> None:
    # Both units of R1 share 50 % with one unit of R2 each way.
    units = units_of([("A", 0, 10), ("B", 10, 20)], [("A", 5, 15)])
    assert pair(units, threshold=50).table[0, 0] == 2  # the earlier pair
    assert pair(units, threshold=50, linking="easydiag").table[0, 0] == 2
    assert pair(units, threshold=50, linking="elan").table[1, 0] == 2  # the last pair
    for rule in ("symmetric", "easydiag", "elan", "optimal"):
        assert pair(example(), linking=rule).table.tolist() == pair(example()).table.tolist()


def test_the_order_of_the_original_program_is_that_of_its_file() -> None:
    late_first = [("R1", "B", 10, 20), ("R1", "A", 0, 10), ("R2", "A", 5, 15)]
    units = Units.from_records(late_first)
    assert pair(units, threshold=50, linking="easydiag").table[1, 0] == 2
    assert pair(units, threshold=50).table[0, 0] == 2


def test_optimal_linking_links_more_than_greedy() -> None:
    # Greedy takes the best pair (0.9) and leaves two units without a partner.
    units = units_of([("A", 0, 10), ("B", 8, 19)], [("A", 1, 10), ("B", 2, 9)])
    greedy = pair(units, threshold=10)
    best = pair(units, threshold=10, linking="optimal")
    assert best.overlaps.sum() >= greedy.overlaps.sum()


@settings(max_examples=60, deadline=None)
@given(st.lists(UNIT, min_size=2, max_size=14))
def test_optimal_linking_has_the_largest_total(rows: list[tuple[Any, ...]]) -> None:
    units = made(rows)
    blocks = units.sorted_blocks("a", "b")
    totals = {
        rule: link(blocks, threshold=check_threshold(10), rule=rule).share.sum()
        for rule in ("symmetric", "easydiag", "optimal")
    }
    assert totals["optimal"] >= max(totals.values()) - 1e-7


def test_large_components_are_assigned_without_a_full_matrix(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rng = np.random.default_rng(2)
    masses = {name: rng.integers(5, 15, 60).tolist() for name in "ab"}
    for lengths in masses.values():
        lengths.append(1000 - sum(lengths))
    units = Units.from_masses(masses)
    full = pair(units, threshold=10, linking="optimal")
    monkeypatch.setattr("consilience.units._linking._MOST_CELLS", 4)
    sparse = pair(units, threshold=10, linking="optimal")
    assert full.linked_rows.tolist() == sparse.linked_rows.tolist()


def test_elan_lets_full_overlaps_replace_each_other() -> None:
    twins = units_of([("A", 0, 10)], [("A", 0, 10), ("B", 0, 10)])
    assert pair(twins, linking="elan").n_linked == 1


def test_point_events_are_refused_or_linked_by_distance() -> None:
    units = units_of([("x", 5, 5), ("y", 20, 20), ("x", 30, 40)], [("x", 7, 7), ("y", 35, 35)])
    with pytest.raises(UnsupportedDesignError, match="'R1' at 5"):
        easydiag(units)
    found = pair(units, point_tolerance=2)
    assert found.n_linked == 1
    assert found.table[0, 0] == 2
    assert pair(units, point_tolerance=1.9).n_linked == 0
    # A point and the interval around it are not the same event.
    assert pair(units, point_tolerance=100).n_linked == 2


def test_the_nearest_points_are_linked_first() -> None:
    units = units_of([("x", 10, 10), ("y", 14, 14)], [("y", 13, 13)])
    found = pair(units, point_tolerance=5)
    assert found.linked_rows.tolist() == [[1, 2]]
    assert pair(units, point_tolerance=0).n_linked == 0
    assert threshold_curve(units, point_tolerance=5).n_linked == (1,) * 40


def test_own_overlaps_are_found_and_said() -> None:
    units = units_of([("x", 0, 10), ("y", 5, 12)], [("x", 0, 10)])
    assert own_overlaps(units.sorted_blocks("R1", "R2")).tolist() == [[0, 1]]
    codes = [finding.code for finding in pair(units).findings]
    assert "own_units_overlap" in codes
    assert "own_units_overlap" not in [f.code for f in pair(example()).findings]


# ---------------------------------------------------------------- quasi-independence


@settings(max_examples=100, deadline=None)
@given(st.integers(2, 6), st.integers(0, 2**32 - 1))
def test_the_closed_form_is_what_proportional_fitting_finds(size: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.integers(1, 40, (size + 1, size + 1)).astype(float)
    row, column = rng.integers(0, size + 1, 2)
    table[row, column] = 0
    allowed = np.ones(table.shape, dtype=bool)
    allowed[row, column] = False
    fitted = proportional_fit(allowed.astype(float), table.sum(axis=1), table.sum(axis=0))
    assert fitted.converged
    assert quasi_fit(table, allowed).expected == pytest.approx(fitted.expected, abs=1e-7)


def test_two_structural_zeros_keep_the_margins() -> None:
    table = np.array([[5, 0, 3], [2, 6, 1], [4, 2, 0]])
    found = quasi_kappa(table, zeros=[(0, 1), (2, 2)])
    assert found.sweeps > 0
    assert found.expected_table.sum(axis=0) == pytest.approx(table.sum(axis=0))
    assert found.expected_table.sum(axis=1) == pytest.approx(table.sum(axis=1))
    assert found.expected_table[0, 1] == found.expected_table[2, 2] == 0
    assert "kappa" in str(found)
    assert found.to_dict()["structural_zeros"] == [[0, 1], [2, 2]]


def test_without_structural_zeros_it_is_cohens_kappa() -> None:
    table = [[20, 5], [10, 15]]
    assert quasi_kappa(table, zeros=[]).value == pytest.approx(0.4)


def test_zeros_that_the_margins_cannot_meet_are_undefined() -> None:
    found = quasi_kappa([[0, 3], [3, 0]], zeros=[(0, 0), (1, 1)])
    assert (found.status, math.isnan(found.value)) == ("undefined", True)
    assert found.reason


@pytest.mark.parametrize(
    ("table", "zeros"),
    [
        ([[1, 2]], (0, 0)), ([[1, -2], [3, 0]], (1, 1)), ([[1, math.nan], [3, 0]], (1, 1)),
        ("table", (0, 0)), ([[1, 2], [3, 4]], (1, 1)), ([[1, 2], [3, 0]], (5, 5)),
        ([[1, 2], [3, 0]], "corner"), ([[1, 2], [3, 0]], 3), ([[1, 2], [3, 0]], [(0, 0, 0)]),
        ([], (0, 0)),
    ],
)  # fmt: skip
def test_bad_tables_and_zeros_are_refused(table: Any, zeros: Any) -> None:
    with pytest.raises(InputError):
        quasi_kappa(table, zeros=zeros)


# ---------------------------------------------------------------- values and their limits


def test_the_attainable_maximum_is_that_of_linear_programming() -> None:
    from scipy.optimize import linprog

    rng = np.random.default_rng(3)
    for _ in range(10):
        table = rng.integers(0, 15, (4, 4))
        table[-1, -1] = 0
        table[:-1, :-1] *= 2
        found = easydiag_table(table)
        size = len(table)
        sums = np.zeros((2 * size, size * size))
        for k in range(size):
            sums[k, k * size : (k + 1) * size] = 1
            sums[size + k, k::size] = 1
        gain = -np.eye(size).ravel()
        best = linprog(
            gain,
            A_eq=sums,
            b_eq=np.concatenate([table.sum(axis=1), table.sum(axis=0)]),
            bounds=[(0, None)] * (size * size - 1) + [(0, 0)],
        )
        most = -best.fun / table.sum()
        want = (most - found.expected) / (1 - found.expected)
        assert found.kappa_max == pytest.approx(want, abs=1e-9)
        assert found.kappa <= found.kappa_max + 1e-12


def test_one_label_has_no_kappa_and_points_to_the_linked_share() -> None:
    found = pair(units_of([("x", 0, 10), ("x", 20, 30)], [("x", 0, 9)]))
    assert math.isnan(found.kappa)
    assert found.status == "undefined"
    assert "linked_share" in (found.reason or "")
    assert found.linked_share == pytest.approx(2 / 3)
    assert "single_label" in [finding.code for finding in found.findings]
    curve = threshold_curve(units_of([("x", 0, 10)], [("x", 0, 9)]))
    assert np.isnan(curve.kappa).all()


def test_nothing_linked_gives_zero_and_says_so() -> None:
    found = pair(units_of([("x", 0, 10)], [("y", 20, 30)]))
    assert (found.kappa, found.raw, found.expected, found.linked_share) == (0, 0, 0, 0)
    assert "nothing_linked" in [finding.code for finding in found.findings]
    assert found.reasons["kappa_linked"] == "no units were linked"


def test_full_agreement_is_one() -> None:
    found = pair(units_of(R1, R1))
    assert (found.kappa, found.linked_share, found.kappa_max) == (1, 1, 1)


def test_negative_kappas_are_shown_unless_clipped() -> None:
    units = units_of([("x", 0, 10), ("y", 20, 30)], [("y", 0, 10), ("x", 20, 30)])
    assert pair(units).kappa < 0
    clipped = pair(units, clip=True)
    assert clipped.kappa == clipped.kappa_linked == clipped["x"].kappa == 0


def test_labels_that_nobody_used_change_nothing() -> None:
    found = pair(example(), labels=["Z", "C", "B", "A"])
    assert found.labels == ("Z", "C", "B", "A")
    assert found.kappa == pytest.approx(pair(example()).kappa)
    assert found["Z"].reason == "nobody used this label"
    assert found["A"].a == 2
    with pytest.raises(InputError):
        easydiag(example(), labels=["A", "B"])
    with pytest.raises(InputError):
        _ = found["Q"]


def test_a_label_used_by_one_rater_more_often_is_found() -> None:
    rows = [("x", 10 * k, 10 * k + 8) for k in range(30)]
    other = [("x" if k < 12 else "y", a, b) for k, (_, a, b) in enumerate(rows)]
    codes = [finding.code for finding in pair(units_of(rows, other)).findings]
    assert codes.count("label_used_unevenly") == 2


def test_elan_mode_is_near_and_keeps_its_own_maximum() -> None:
    ours, theirs = pair(example()), pair(example(), mode="elan")
    assert theirs.settings.linking == "elan"
    assert theirs.kappa == pytest.approx(ours.kappa, abs=1e-3)
    assert theirs.kappa != ours.kappa
    assert math.isfinite(
        pair(units_of([("x", 0, 9)], [("x", 0, 9), ("x", 20, 30)]), mode="elan").kappa
    )
    empty = pair(units_of([("", 0, 9), ("x", 20, 30)], [("", 0, 9)]), mode="elan")
    assert '"empty"' in str(empty)


def test_undoubled_tables_offer_no_test_of_events() -> None:
    found = easydiag_table([[3, 1, 2], [0, 5, 1], [1, 1, 0]], ["x", "y", "nil"])
    assert found.labels == ("x", "y")
    with pytest.raises(InputError, match="doubled"):
        found["x"].mcnemar()
    assert found["x"].mcnemar(tallies="doubled").p_value > 0
    with pytest.raises(InputError, match="tallies"):
        found["x"].mcnemar(tallies="single")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("table", "options"),
    [
        ([[2, 1], [1, 3]], {}), ([[2.5, 1], [1, 0]], {}), ([[2, 1]], {}), ("x", {}),
        ([[2, 1], [1, 0]], {"labels": ["a", "b", "c"]}), ([[2, 1], [1, 0]], {"labels": "a"}),
        ([[2, 1], [1, 0]], {"mode": "anvil"}), ([[2, 1], [1, 0]], {"raters": "ab"}),
        ([[2, 1], [1, 0]], {"raters": ("a", "a")}),
    ],
)  # fmt: skip
def test_bad_finished_tables_are_refused(table: Any, options: dict[str, Any]) -> None:
    with pytest.raises(ConsilienceError):
        easydiag_table(table, **options)


def test_an_empty_table_is_undefined() -> None:
    found = easydiag_table([[0, 0], [0, 0]])
    assert math.isnan(found.kappa)
    assert found.reason == "there are no units"
    assert found.to_dict()["kappa"] is None
    assert "no units" in str(found)


# ---------------------------------------------------------------- sessions


def recordings(n_sessions: int, seed: int = 1, raters: tuple[str, ...] = ("a", "b")) -> Units:
    rng = np.random.default_rng(seed)
    rows = []
    for film in range(n_sessions):
        start = np.cumsum(rng.integers(20, 60, 15))
        for rater in raters:
            for s in start:
                if rng.random() < 0.9:
                    low = int(s + rng.integers(-2, 3))
                    label = "xyz"[int(rng.integers(0, 3))] if rng.random() < 0.2 else "xyz"[s % 3]
                    rows.append((rater, label, low, low + 15, f"film {film}"))
    return Units.from_records(rows)


def test_session_tables_sum_to_the_table() -> None:
    found = pair(recordings(9))
    tables = [found.session_table(name) for name in found.sessions]
    assert np.array_equal(sum(tables), found.table)
    assert sum(session.n_tallies for session in found.by_session) == found.n_tallies
    with pytest.raises(InputError):
        found.session_table("film 99")


def test_intervals_need_eight_sessions_and_repeat_with_their_seed() -> None:
    few = pair(recordings(7))
    assert math.isnan(few.confidence_interval().low)
    assert "No interval: 7 sessions" in str(few)
    many = pair(recordings(12), n_resamples=500, rng=3)
    interval = many.confidence_interval()
    assert interval.low < many.kappa < interval.high
    again = pair(recordings(12), n_resamples=500, rng=3).confidence_interval()
    assert (interval.low, interval.high) == (again.low, again.high)
    for name in ("linked_share", "raw", "raw_linked", "kappa_linked"):
        got = many.confidence_interval(name=name)
        assert got.low <= getattr(many, name) <= got.high
    for label in many.labels:
        got = many.confidence_interval(name="kappa", label=label)
        assert got.low <= many[label].kappa <= got.high
        got = many.confidence_interval(name="positive_agreement", label=label)
        assert got.low <= many[label].positive_agreement <= got.high
    assert "interval" in str(many)
    assert set(many.to_dict()["intervals"]) >= {"kappa", "linked_share"}
    with pytest.raises(InputError):
        many.confidence_interval(name="alpha")
    with pytest.raises(InputError):
        many.confidence_interval(name="kappa", label="nothing")


def test_a_session_of_one_rater_is_left_out_and_said() -> None:
    units = example().merge(
        Units.from_records([("R1", "A", 0, 5, "t")], bounds={"u": (0, 9), "t": (0, 9)})
    )
    found = pair(units)
    assert found.kappa == pair(example()).kappa
    assert found.dropped == (("t", "no units of 'R2'"), ("u", "no units"))
    assert "sessions_dropped" in [finding.code for finding in found.findings]
    counted = pair(units, absent="count")
    assert counted.n_tallies == found.n_tallies + 1
    assert counted.dropped == (("u", "no units"),)


def test_links_name_rows_of_the_given_units_when_sessions_are_dropped() -> None:
    rows = [("a", "x", 0, 5, "alone"), ("a", "x", 0, 5, "both"), ("b", "x", 0, 5, "both")]
    assert pair(Units.from_records(rows)).linked_rows.tolist() == [[1, 2]]


# ---------------------------------------------------------------- more than two raters


def test_three_raters_give_all_pairs_and_one_pooled_value() -> None:
    units = recordings(9, raters=("a", "b", "c"))
    found = quiet(units, n_resamples=200)
    assert isinstance(found, EasyDiagPairs)
    assert [result.raters for result in found.pairs] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert found.pair("c", "a").kappa == pair(units, raters=["a", "c"]).kappa
    kappas = [result.kappa for result in found.pairs]
    assert min(kappas) <= found.kappa <= max(kappas)
    assert np.array_equal(found.table, sum(result.table for result in found.pairs))
    shuffled = quiet(units, raters=["c", "a", "b"])
    assert shuffled.kappa == pytest.approx(found.kappa, abs=1e-14)
    interval = found.confidence_interval()
    assert interval.low < found.kappa < interval.high
    assert "all pairs" in str(found)
    assert found.to_dict()["status"] == "ok"
    with pytest.raises(InputError):
        found.pair("a", "z")


def test_raters_who_never_met_are_left_out_of_the_pairs() -> None:
    rows = [("a", "x", 0, 5, "s"), ("b", "x", 0, 5, "s"), ("a", "y", 0, 5, "t"),
            ("c", "y", 0, 5, "t"), ("a", "y", 8, 9, "t")]  # fmt: skip
    found = quiet(Units.from_records(rows))
    assert [result.raters for result in found.pairs] == [("a", "b"), ("a", "c")]
    assert math.isnan(found.confidence_interval().low)
    (apart,) = [one for one in found.findings if one.code == "pairs_left_out"]
    assert "1 pair of raters left out (b and c)" in apart.message


def test_findings_of_several_pairs_name_the_pair() -> None:
    rows = [("a", "xy"[k % 2], 10 * k, 10 * k + 8) for k in range(6)]
    rows += [("b", *row[1:]) for row in rows]
    rows += [("c", "x", 1_000 + 10 * k, 1_008 + 10 * k) for k in range(6)]
    found = quiet(Units.from_records([*rows, ("c", "x", 1_001, 1_009)]))
    said = {one.code: one for one in found.findings}
    assert set(said) == {"nothing_linked", "own_units_overlap"}
    assert said["nothing_linked"].message.startswith("a and c; b and c: No units of the two")
    assert said["nothing_linked"].evidence["pairs"] == [["a", "c"], ["b", "c"]]
    assert said["own_units_overlap"].message.startswith("a and c; b and c: ")


def test_what_holds_for_every_pair_is_said_once() -> None:
    rows = [(rater, "xy"[k % 2], 10 * k, 10 * k + 8) for rater in "abc" for k in range(6)]
    units = Units.from_records([(r, x, s + 1_000 * "abc".index(r), e + 1_000 * "abc".index(r))
                                for r, x, s, e in rows])  # fmt: skip
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = quiet(units, threshold=20)
    by_code = {one.code: one.message for one in found.findings}
    assert by_code["nothing_linked"].startswith("Every pair: No units")
    assert by_code["threshold_below_51"].startswith("The threshold of 20")
    assert len(found.findings) == len(by_code)


def test_a_label_used_unevenly_names_the_pair_once() -> None:
    rows = [(r, "x" if r == "c" else "xy"[k % 2], 10 * k, 10 * k + 8) for r in "abc"
            for k in range(40)]  # fmt: skip
    found = quiet(Units.from_records(rows))
    said = [one for one in found.findings if one.code == "label_used_unevenly"]
    assert [one.evidence["pairs"] for one in said] == [[["a", "c"]]] * 2 + [[["b", "c"]]] * 2
    assert said[0].message.startswith(("a marks", "c marks"))


def test_pooled_pairs_with_one_label_are_undefined() -> None:
    rows = [(rater, "x", 0, 5) for rater in "abc"]
    found = quiet(Units.from_records(rows))
    assert found.status == "undefined"
    assert "one label" in found.reason


def test_aligned_units_become_items() -> None:
    units = Units.from_records([("a", "x", 0, 5), ("b", "x", 1, 6), ("b", "y", 8, 9)])
    ratings = alignment_ratings(units, alignment=[[0, 1], [-1, 2]], nil="category")
    assert ratings.categories == ("x", "y", "nil")
    missing = alignment_ratings(units, alignment=[[0, 1], [-1, 2]])
    assert missing.n_missing == 1


@pytest.mark.parametrize(
    "alignments",
    [[[0]], [[0, 9]], [[1, 0]], [[-1, -1]], [[0.5, 1]], "ab", [[0, 1], [2]], [[-2, 1]]],
)
def test_bad_alignments_are_refused(alignments: Any) -> None:
    units = Units.from_records([("a", "x", 0, 5), ("b", "x", 1, 6), ("b", "y", 8, 9)])
    with pytest.raises(InputError):
        alignment_ratings(units, alignment=alignments)
    with pytest.raises(InputError, match="without 'nil'"):
        alignment_ratings(units.relabel({"x": "nil"}), alignment=[[0, 1]], nil="category")


# ---------------------------------------------------------------- ELAN's other measures


def test_overlap_over_extent_by_hand() -> None:
    # 9/11, 8/10, and of two units of 4 and 5 the third unit of R1 takes the larger: 5/11.
    found = overlap_extent(example())
    assert found.value == pytest.approx((9 / 11 + 8 / 10 + 5 / 11 + 0 + 0 + 0) / 6)
    assert (found.n_items, found.n_matched) == (6, 3)
    assert found.by_session() == {"s": pytest.approx(found.value)}
    assert found.to_dict()["status"] == "ok"
    assert "mean ratio" in str(found)


def test_overlap_over_extent_takes_the_first_free_partner_on_ties() -> None:
    units = units_of([("x", 0, 10), ("x", 10, 20)], [("x", 5, 15)])
    found = overlap_extent(units)
    assert found.scores.tolist() == [5 / 15, 0]
    assert overlap_extent(units, raters=["R2", "R1"]).scores.tolist() == [5 / 15, 0]


def test_overlap_over_extent_sees_long_units_under_short_ones() -> None:
    units = units_of([("x", 50, 60)], [("x", 0, 100), ("x", 1, 2), ("x", 3, 4)])
    assert overlap_extent(units).scores.tolist() == [0.1, 0, 0]


def test_the_modified_fleiss_kappa_by_hand() -> None:
    rows = [("a", "x", 0, 10), ("b", "x", 1, 10), ("c", "x", 0, 9), ("a", "y", 20, 30),
            ("b", "y", 20, 29), ("c", "x", 40, 50)]  # fmt: skip
    found = modified_fleiss(Units.from_records(rows))
    assert found.alignments.tolist() == [[0, 1, 2], [3, 4, -1], [-1, -1, 5]]
    # p_x = 4/9, p_y = 2/9, unmatched = 3/9; agreement (1 + 1/3 + 1/3) / 3
    chance = (16 + 4 + 9) / 81
    assert found.value == pytest.approx((5 / 9 - chance) / (1 - chance))
    assert math.isnan(found.complete)
    assert found.status == "ok"
    assert "complete clusters" in str(found)
    assert found.to_dict()["n_complete"] == 1


def test_more_members_lose_against_one_fewer_that_fit() -> None:
    # All three share a sliver; two of them are nearly the same unit.
    rows = [("a", "x", 0, 100), ("b", "x", 2, 100), ("c", "y", 95, 200)]
    found = modified_fleiss(Units.from_records(rows))
    assert found.alignments.tolist() == [[0, 1, -1], [-1, -1, 2]]
    loose = modified_fleiss(Units.from_records(rows), ratio=0.01)
    assert loose.alignments.tolist() == [[0, 1, 2]]


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(st.integers(1, 9), max_size=6), min_size=2, max_size=3))
def test_each_unit_is_in_one_cluster(masses: list[list[int]]) -> None:
    rows = []
    for rater, lengths in zip("abc", masses, strict=False):
        edges = np.cumsum([0, *lengths]).tolist()
        rows += [(rater, "x", a, b) for a, b in itertools.pairwise(edges)]
    if len({row[0] for row in rows}) < 2:
        return
    found = modified_fleiss(Units.from_records(rows))
    members = found.alignments[found.alignments >= 0]
    assert sorted(members.tolist()) == list(range(len(rows)))


def test_elan_measures_refuse_what_they_cannot_do() -> None:
    overlapping = units_of([("x", 0, 10), ("y", 5, 12)], [("x", 0, 10)])
    with pytest.raises(UnsupportedDesignError, match="0-10 and 'y' 5-12 of 'R1'"):
        modified_fleiss(overlapping)
    for ratio in (0, 2, "0.7", True):
        with pytest.raises(InputError):
            modified_fleiss(example(), ratio=ratio)  # type: ignore[arg-type]
    with pytest.raises(UnsupportedDesignError):
        overlap_extent(recordings(1, raters=("a", "b", "c")))
    with pytest.raises(UnsupportedDesignError):
        modified_fleiss(Units.from_records([], raters=["a", "b"]))
    assert math.isnan(overlap_extent(Units.from_records([], raters=["a", "b"])).value)


# ---------------------------------------------------------------- bad input


def test_a_low_threshold_warns_and_a_proportion_is_pointed_out() -> None:
    with pytest.warns(ConsilienceWarning, match="below 51"):
        found = easydiag(example(), threshold=40)
    assert "threshold_below_51" in [finding.code for finding in found.findings]
    with pytest.warns(ConsilienceWarning, match="write 60"):
        easydiag(example(), threshold=0.6)


@pytest.mark.parametrize(
    "options",
    [
        {"threshold": 0}, {"threshold": 101}, {"threshold": -5}, {"threshold": math.nan},
        {"threshold": "60"}, {"threshold": True}, {"threshold": None}, {"linking": "greedy"},
        {"mode": "praat"}, {"absent": "ignore"}, {"clip": "yes"}, {"raters": ["R1", "nobody"]},
        {"raters": "R1"}, {"raters": ["R1"]}, {"raters": ["R1", "R1"]}, {"raters": 3},
        {"point_tolerance": -1}, {"point_tolerance": "1"}, {"point_tolerance": math.nan},
        {"confidence_level": 95}, {"n_resamples": 0}, {"labels": ["A"]},
    ],
)  # fmt: skip
def test_bad_options_are_refused_in_words(options: dict[str, Any]) -> None:
    with pytest.raises(ConsilienceError):
        quiet(example(), **options)


@pytest.mark.parametrize("units", [None, 3, [("a", "x", 0, 1)], {"start": [0]}])
def test_other_things_than_units_are_refused(units: Any) -> None:
    with pytest.raises(InputError, match="Units"):
        easydiag(units)


def test_designs_without_two_raters_in_one_session_are_refused() -> None:
    with pytest.raises(UnsupportedDesignError, match="two raters"):
        easydiag(Units.from_records([("a", "x", 0, 1)]))
    apart = [("a", "x", 0, 1, "s"), ("b", "x", 0, 1, "t")]
    with pytest.raises(UnsupportedDesignError, match="session"):
        easydiag(Units.from_records(apart))
    three = [("a", "x", 0, 1, "s"), ("b", "x", 0, 1, "t"), ("c", "x", 0, 1, "u")]
    with pytest.raises(UnsupportedDesignError, match="session"):
        easydiag(Units.from_records(three))
    with pytest.raises(UnsupportedDesignError):
        easydiag(Units.from_records([]))
    pieces = Units.from_columns(start=[0, 5, 0], end=[1, 6, 6], rater=["a", "a", "b"],
                                label="x", span=[1, 1, 2])  # fmt: skip
    with pytest.raises(UnsupportedDesignError, match="one piece"):
        easydiag(pieces)
    places = np.arange(3001)
    words = Units.from_columns(start=places, end=places + 1, rater=places % 2, label=places)
    with pytest.raises(UnsupportedDesignError, match="relabel"):
        easydiag(words)


@pytest.mark.parametrize("thresholds", [[], "60", 60, [0], ["60"], [101]])
def test_bad_thresholds_of_a_curve_are_refused(thresholds: Any) -> None:
    with pytest.raises(InputError):
        threshold_curve(example(), thresholds=thresholds)


def test_a_curve_is_for_two_raters_and_links_anew_when_optimal() -> None:
    with pytest.raises(UnsupportedDesignError):
        threshold_curve(recordings(1, raters=("a", "b", "c")))
    with pytest.raises(InputError):
        threshold_curve(example(), absent="perhaps")
    units = recordings(3)
    best = threshold_curve(units, thresholds=[30, 60.5, 90], linking="optimal")
    assert best.n_linked[1] == pair(units, threshold=60.5).n_linked
    assert "percent" in str(best)
    assert best.to_dict()["thresholds"] == [30, 60.5, 90]
