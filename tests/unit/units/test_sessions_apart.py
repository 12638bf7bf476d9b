"""Sessions linked apart from each other, in processes and on Spark, give the numbers of one run."""

from __future__ import annotations

import numpy as np
import pytest

from consilience import units as u
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units.easydiag import EasyDiag


def events(n_sessions: int, *, seed: int = 0, scale: float | None = None):
    """Two raters who see the same events, a little elsewhere; some of them mark an event twice."""
    rng = np.random.default_rng(seed)
    rows = []
    for session in range(n_sessions):
        n = int(rng.integers(5, 30))
        begin = np.cumsum(rng.integers(20, 60, n))
        for who in ("Ann", "Bob"):
            start, length = begin + rng.integers(-4, 5, n), rng.integers(8, 15, n)
            label = np.where(rng.random(n) < 0.8, begin % 4, rng.integers(0, 4, n))
            for k in np.flatnonzero(rng.random(n) < 0.85):
                twice = session % 3 == 0 and rng.random() < 0.3
                for shift in (0, 1)[: 1 + twice]:
                    times = [int(start[k]) + shift, int(start[k] + length[k])]
                    times = times if scale is None else [x / scale for x in times]
                    tier = "hands" if k % 2 else "face"
                    rows.append((f"film {session}", tier, who, "abcd"[label[k]], *times))
    names = ("session", "tier", "rater", "label", "start", "end")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def assert_same(one: EasyDiag, other: EasyDiag) -> None:
    for name in ("session", "row", "column", "count"):
        np.testing.assert_array_equal(getattr(one.tallies, name), getattr(other.tallies, name))
    assert one.kappa == other.kappa
    assert one.confidence_interval() == other.confidence_interval()
    assert (one.n_units, one.n_linked, one.n_ambiguous) == (
        other.n_units, other.n_linked, other.n_ambiguous)  # fmt: skip
    assert one.by_session == other.by_session
    assert one.dropped == other.dropped
    told = [[f for f in x.findings if f.code != "bounds_fallback"] for x in (one, other)]
    assert told[0] == told[1]
    assert one.units_by_session == other.units_by_session


def test_processes_give_the_links_of_one_process():
    table = events(9, scale=40.0)
    table["end"][3] = table["start"][3]  # a point event
    units = u.Units.from_columns(**table)
    options = {"point_tolerance": 0.1, "linking": "optimal"}
    one = u.easydiag(units, **options)
    several = u.easydiag(units, **options, processes=2)
    assert_same(one, several)
    np.testing.assert_array_equal(one.linked_rows, several.linked_rows)
    np.testing.assert_array_equal(one.overlaps, several.overlaps)
    assert one.n_ambiguous


def test_links_of_a_session_do_not_depend_on_the_other_sessions():
    table = events(6, seed=3)
    units = u.Units.from_columns(**table)
    every = u.easydiag(units, linking="optimal", threshold=55)
    for k, session in enumerate(every.sessions):
        alone = u.easydiag(units.select(sessions=[session]), linking="optimal", threshold=55)
        np.testing.assert_array_equal(alone.table, every.tallies.table(k))


def test_a_number_of_processes_is_a_whole_number():
    units = u.Units.from_columns(**events(2))
    with pytest.raises(InputError, match="processes must be a whole number"):
        u.easydiag(units, processes=0)


@pytest.mark.parametrize("scale", [None, 40.0])
def test_spark_tallies_the_sessions_and_gives_the_same_numbers(spark, scale):
    table = events(12, seed=1, scale=scale)
    extra = {"session": "film 99", "tier": "face", "rater": "Ann", "label": "a",
             "start": 1.0 if scale else 1, "end": 9.0 if scale else 9}  # fmt: skip
    table = {name: [*column, extra[name]] for name, column in table.items()}
    one = u.easydiag(u.Units.from_columns(**table), absent="drop")
    time = "long" if scale is None else "double"
    columns = f"session string, tier string, rater string, label string, start {time}, end {time}"
    frame = spark.createDataFrame(list(zip(*table.values(), strict=True)), columns).repartition(3)
    found = u.easydiag_on_spark(frame, tier="tier")
    assert one.n_ambiguous
    assert found.dropped == (("film 99", "no units of 'Bob'"),)
    assert_same(one, found)
    with pytest.raises(UnsupportedDesignError, match="the units themselves"):
        _ = found.linked_rows


def test_spark_refuses_what_it_cannot_link(spark):
    frame = spark.createDataFrame(
        [("s", "Ann", "x", 1, 1), ("s", "Bob", "x", 1, 3)],
        "session string, rater string, label string, start int, end int",
    )
    with pytest.raises(UnsupportedDesignError, match="1 point events"):
        u.easydiag_on_spark(frame)
    with pytest.raises(InputError, match="the name of a column"):
        u.easydiag_on_spark(frame, session="film")
    with pytest.raises(UnsupportedDesignError, match="two raters"):
        u.easydiag_on_spark(frame, raters=["Ann"])
