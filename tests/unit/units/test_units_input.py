"""What every method for units does with data and options that people really pass."""

from __future__ import annotations

import contextlib
import inspect
import json
import random
from typing import Any

import numpy as np
import pytest

from consilience import units as u
from consilience.exceptions import ConsilienceError, InputError, UnsupportedDesignError
from consilience.units import Units

pytestmark = pytest.mark.filterwarnings("ignore:threshold=")

NEEDED: dict[str, dict[str, Any]] = {
    "boundary_hits": {"tolerance": 1},
    "semeval": {"reference": "a", "hypothesis": "b"},
    "gamma": {"n_samples": 3, "precision": None},
}
FUNCTIONS = {
    name: getattr(folder, name)
    for folder in (u, u.programs)
    for name in folder.__all__
    if inspect.isfunction(getattr(folder, name))
}
METHODS = [
    name
    for name, function in FUNCTIONS.items()
    if next(iter(inspect.signature(function).parameters)) == "units"
]
RESULTS = [name for name in METHODS if not name.endswith("_ratings") and name != "best_alignment"]
NANOSECONDS = 1_700_000_000_000_000_000


def run(name: str, units: Any, **options: Any) -> Any:
    return FUNCTIONS[name](units, **(NEEDED.get(name, {}) | options))


def rows(shift: int = 0, *, seed: int = 5) -> list[tuple[Any, ...]]:
    rng = random.Random(seed)
    out = []
    for film in ("film 1", "film 2"):
        for rater in "ab":
            at = shift + rng.randint(0, 2)
            for _ in range(5):
                n = rng.randint(1, 5)
                out.append((rater, rng.choice("xyz"), at, at + n, film))
                at += n + rng.choice([0, 1, 2])
    return out


def number(result: Any) -> Any:
    """Return what the result is about."""
    for name in ("value", "pk", "kappa"):
        if hasattr(result, name):
            return getattr(result, name)
    if hasattr(result, "disorder"):
        return float(result.disorder.sum())
    if hasattr(result, "schemes"):
        return [scheme.f1 for scheme in result.schemes.values()]
    if hasattr(result, "marked"):
        return [found.value for found in (*result.all.values(), *result.marked.values())]
    if hasattr(result, "rows"):
        return [row.total for row in result.rows]
    return [list(map(str, x)) for x in np.asarray(result.n_ratings).reshape(1, -1)]


def same(one: Any, other: Any) -> bool:
    if isinstance(one, (float, int, tuple)) or (one and isinstance(one[0], float)):
        return bool(np.allclose(one, other, rtol=0, atol=1e-9, equal_nan=True))
    return bool(one == other)


def test_every_method_is_here() -> None:
    assert len(METHODS) >= 24
    assert {"easydiag", "gamma", "span_f1", "time_kappa", "unitizing_alpha"} <= set(METHODS)


@pytest.mark.parametrize("name", [name for name in METHODS if name != "staccato"])
@pytest.mark.parametrize("shift", [NANOSECONDS, -1000])
def test_the_origin_of_the_clock_does_not_matter(name: str, shift: int) -> None:
    # The degree of organisation counts from 0 by definition.
    moved = Units.from_records(rows(shift))
    assert moved.start.dtype == np.int64
    assert same(number(run(name, moved)), number(run(name, Units.from_records(rows()))))


def test_nuclei_of_nanoseconds_are_those_of_small_times() -> None:
    small, large = (
        u.programs.staccato(Units.from_records(rows(x)), n_resamples=20) for x in (0, NANOSECONDS)
    )
    assert (small.n_in_nuclei, small.n_nuclei) == (large.n_in_nuclei, large.n_nuclei)


@pytest.mark.parametrize("name", METHODS)
def test_the_order_of_rows_does_not_matter(name: str) -> None:
    mixed = rows()
    random.Random(1).shuffle(mixed)
    assert same(
        number(run(name, Units.from_records(mixed))), number(run(name, Units.from_records(rows())))
    )


@pytest.mark.parametrize("name", METHODS)
def test_new_names_of_labels_do_not_matter(name: str) -> None:
    units = Units.from_records(rows())
    renamed = units.relabel({"x": "blue", "y": "red", "z": "yellow"})
    assert same(number(run(name, renamed)), number(run(name, units)))


EMPTY = Units.from_columns(start=[], end=[], label=[], rater=[], raters=["a", "b"])
ODD = {
    "empty": EMPTY,
    "one rater": Units.from_records([("a", "x", 0, 5)]),
    "one unit": Units.from_columns(start=[0], end=[5], label=["x"], rater=["a"], raters=["a", "b"]),
    "points": Units.from_records([("a", "x", 5, 5), ("b", "x", 5, 5)]),
    "point inside": Units.from_records(
        [("a", "x", 0, 10), ("a", "z", 5, 5), ("a", "y", 6, 8), ("b", "x", 0, 10)]
    ),
    "twins": Units.from_records([("a", "x", 0, 10)] * 3 + [("b", "x", 0, 10)] * 2),
    "one label": Units.from_records([("a", "x", 0, 10), ("b", "x", 1, 11)]),
    "fractions": Units.from_records([("a", "x", -3.25, 2), ("b", "x", -3, 2.5), ("b", "y", 3, 4)]),
    "irrational": Units.from_records([("a", "x", 2**0.5, 3), ("b", "x", 1.5, 3), ("b", "y", 3, 4)]),
    "tiny": Units.from_records([("a", "x", 0, 1e-9), ("b", "x", 0, 2e-9), ("b", "y", 3e-9, 4e-9)]),
    "sessions apart": Units.from_records([("a", "x", 0, 9, "s"), ("b", "x", 0, 9, "t")]),
    "tiers apart": Units.from_records([("a", "x", 0, 9, "s", "l"), ("b", "x", 0, 9, "s", "r")]),
    "sets": Units.from_records([("a", frozenset("xy"), 0, 9), ("b", frozenset("x"), 0, 9)]),
    "mixed labels": Units.from_records([("a", 1, 0, 9), ("b", "x", 0, 9), ("b", True, 12, 15)]),
    "no label": Units.from_records([("a", "", 0, 9), ("b", None, 0, 9), ("b", "x", 12, 15)]),
    "reserved words": Units.from_records([("a", "nil", 0, 9), ("b", "&", 0, 9), ("b", "O", 9, 12)]),
    "markup": Units.from_records([("a", "x|y`*", 0, 9, "<b>&"), ("b", "日本", 0, 9, "<b>&")]),
}


@pytest.mark.parametrize("data", ODD)
def test_odd_data_give_a_result_or_a_sentence(data: str) -> None:
    for name in METHODS:
        refused = None
        try:
            result = run(name, ODD[data])
        except ConsilienceError as error:
            refused = str(error)
        if refused is not None:
            assert "Hint: " in refused
        elif name in RESULTS:
            json.dumps(result.to_dict(), allow_nan=False)
            assert max(map(len, str(result).splitlines())) <= 80


@pytest.mark.parametrize("name", METHODS)
def test_other_things_than_units_are_refused(name: str) -> None:
    with pytest.raises(InputError, match=r"Units.* Got 'list'"):
        run(name, [1, 2])


BAD = [3, 1.5, True, object(), b"x", [["x"]], np.array([1, 2]), float("nan"), 10**30, "no such"]


@pytest.mark.parametrize("name", METHODS)
def test_bad_options_never_end_in_another_error(name: str) -> None:
    units = Units.from_records(rows())
    for option in inspect.signature(FUNCTIONS[name]).parameters:
        if option in ("units", "options", "rng"):
            continue
        for value in BAD:
            with contextlib.suppress(ConsilienceError):
                run(name, units, **{option: value})


@pytest.mark.parametrize(
    "name",
    [name for name in METHODS if "absent" in inspect.signature(FUNCTIONS[name]).parameters],
)
def test_absence_has_the_same_words_everywhere(name: str) -> None:
    units = Units.from_records([*rows(), ("a", "x", 0, 4, "film 3")])
    for word in ("asked", "drop", "count"):
        run(name, units, absent=word)
    with pytest.raises(InputError, match="absent must be one of 'asked', 'drop', 'count'"):
        run(name, units, absent="empty")


@pytest.mark.parametrize("name", RESULTS)
def test_every_record_says_what_went_in(name: str) -> None:
    options = {"raters": ["a", "b"]} if name == "easydiag" else {}
    record = run(name, Units.from_records(rows()), **options).to_dict()
    counts = record.get("units_by_session") or record["data"]["units_by_session"]
    assert counts["film 1"] == {"a": 5, "b": 5}


@pytest.mark.parametrize(
    "name",
    ["easydiag", "threshold_curve", "time_kappa", "time_agreement", "timed_alignment",
     "event_alignment", "interact_like", "boris_kappa", "boris_identity", "session_totals"],
)  # fmt: skip
def test_sessions_of_one_rater_are_left_out_and_said(name: str) -> None:
    found = run(name, Units.from_records([*rows(), ("a", "x", 0, 4, "film 3")]))
    assert "1 session left out (film 3: " in " ".join(str(found).split())
    assert "film 3" not in found.units_by_session
    assert sum(row["a"] for row in found.units_by_session.values()) == 10


@pytest.mark.parametrize("name", ["unitizing_alpha", "alpha_u", "gamma", "easydiag", "boris_kappa"])
def test_free_text_as_labels_is_refused(name: str) -> None:
    n = 3_100
    units = Units.from_columns(
        start=np.arange(2 * n), end=np.arange(2 * n) + 1, rater=["a", "b"] * n,
        label=[f"note {k}" for k in range(2 * n)],
    )  # fmt: skip
    with pytest.raises(UnsupportedDesignError, match="at most 3,000 labels"):
        run(name, units)


def test_a_point_between_does_not_hide_an_overlap() -> None:
    with pytest.raises(UnsupportedDesignError, match="do not overlap"):
        u.segmentation(ODD["point inside"])


@pytest.mark.parametrize("time", [2**62 + 10**6, -(2**63), 1e300, 10**30])
def test_times_beyond_all_clocks_are_refused(time: Any) -> None:
    with pytest.raises(InputError, match="start of unit 2 must be between"):
        Units.from_columns(start=[0, time], end=[5, time], rater=["a", "b"])


def test_whole_nanoseconds_stay_exact() -> None:
    units = Units.from_records(
        [
            ("a", "x", NANOSECONDS + 1, NANOSECONDS + 3),
            ("b", "x", NANOSECONDS + 2, NANOSECONDS + 5),
        ],
        bounds=(NANOSECONDS, NANOSECONDS + 7),
    )
    assert (units.start - NANOSECONDS).tolist() == [1, 2]
    assert (units.bounds - NANOSECONDS).tolist() == [[0, 7]]
    assert units.merge(units.relabel({"x": "y"})).start.dtype == np.int64


def test_more_time_than_can_be_counted_is_refused() -> None:
    long = 2**61
    rows_ = [(r, "x", 0, long, f"film {k}") for k in range(4) for r in "ab"]
    with pytest.raises(UnsupportedDesignError, match="larger unit"):
        u.time_kappa(Units.from_records([*rows_, ("a", "y", long, long + 1, "film 0")]))


def test_nil_must_be_the_last_name_of_a_table() -> None:
    table = [[2, 0, 1], [0, 4, 1], [1, 2, 0]]
    assert u.easydiag_table(table, ["x", "y", "nil"]).labels == ("x", "y")
    with pytest.raises(InputError, match="labels"):
        u.easydiag_table(table, ["nil", "x", "y"])


def test_declared_labels_are_a_list_without_repetition() -> None:
    units = Units.from_records(rows())
    for labels in (5, "xyz", ["x", "x", "y", "z"], ["x", "y"]):
        with pytest.raises(InputError, match="labels"):
            u.easydiag(units, labels=labels)  # type: ignore[arg-type]


def test_an_alignment_must_be_one() -> None:
    with pytest.raises(InputError, match="units of one rater"):
        u.alignment_ratings(Units.from_records(rows()), alignment=[[0, 1]])
    units = Units.from_records([("a", "x", 0, 5), ("b", "x", 1, 6), ("b", "y", 8, 9)])
    found = u.best_alignment(units)
    one = u.alignment_ratings(units, alignment=found, nil="category")
    other = u.alignment_ratings(units, alignment=found.units, nil="category")
    assert one.categories == other.categories == ("x", "y", "nil")
    assert one.table("a", "b").tolist() == other.table("a", "b").tolist()


@pytest.mark.parametrize("seed", range(6))
def test_sessions_laid_end_to_end_give_the_same_tables(seed: int) -> None:
    apart = Units.from_records(rows(seed=seed), bounds={"film 1": (0, 50), "film 2": (0, 50)})
    shift = {"film 1": 0, "film 2": 50}
    whole = Units.from_records(
        [(r, x, a + shift[s], b + shift[s]) for r, x, a, b, s in rows(seed=seed)], bounds=(0, 100)
    )
    for name in ("easydiag", "time_kappa", "session_totals", "interact_like"):
        one, other = run(name, apart), run(name, whole)
        if name == "session_totals":
            assert one.totals.sum(axis=1).tolist() == other.totals.sum(axis=1).tolist()
        else:
            assert one.table.tolist() == other.table.tolist()
            assert one.kappa == pytest.approx(other.kappa, nan_ok=True)
    assert u.span_f1(apart).value == u.span_f1(whole).value
