"""Several partners, rater disparity, one long unit against several short ones."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience import plot
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units import Units, easydiag, timed_alignment
from consilience.units.programs import multiple_links

LONG = Units.from_records(
    [("R1", "x", 0, 4000), ("R2", "x", 0, 1300), ("R2", "x", 1350, 2650), ("R2", "x", 2700, 4000),
     ("R1", "y", 5000, 6000), ("R2", "y", 5000, 6000)],
    time_unit="ms",
)  # fmt: skip


def some_films(seed: int = 1, n_films: int = 9) -> Units:
    rng = np.random.default_rng(seed)
    rows = []
    for film in range(n_films):
        start = np.cumsum(rng.integers(1_000, 3_000, 12))
        for rater in ("R1", "R2"):
            for at in start.tolist():
                if rng.random() < 0.85:
                    moved = at + int(rng.integers(-150, 150))
                    rows.append(
                        (rater, "xyz"[int(rng.integers(3))], moved, moved + 800, f"f{film}")
                    )
    return Units.from_records(rows, time_unit="ms")


@pytest.mark.parametrize("rule", ["haccou-meelis", "jansen"])
def test_every_unit_is_matched_and_some_more_than_once(rule: str) -> None:
    """Holle & Rein (2015): more events in the table than were coded, and no nil."""
    found = multiple_links(LONG, rule=rule)
    assert found.n_matches == 4
    assert found.table.tolist() == [[3, 0], [0, 1]]
    assert dict(found.n_repeated) == {"R1": 1, "R2": 0}
    assert found.kappa == pytest.approx(1)
    assert easydiag(LONG).n_linked == 1
    units = some_films()
    many = multiple_links(units, rule=rule, tolerance=0)
    rows = {k for pair in many.links.tolist() for k in pair}
    assert rows == set(range(len(units)))
    assert int(many.table.sum()) == many.n_matches == len({tuple(x) for x in many.links.tolist()})
    assert (units.session[many.links[:, 0]] == units.session[many.links[:, 1]]).all()
    assert many.interval.low < many.kappa < many.interval.high


def test_the_same_label_is_preferred_and_the_nearest_taken_otherwise() -> None:
    rows = [("R1", "x", 0, 10), ("R2", "y", 0, 9), ("R2", "x", 8, 12), ("R1", "z", 50, 60)]
    found = multiple_links(Units.from_records(rows))
    pairs = {tuple(pair) for pair in found.links.tolist()}
    assert (0, 2) in pairs  # the same label, though it overlaps less
    assert (0, 1) in pairs  # for y the only one that it overlaps
    assert (3, 2) in pairs  # seen by one rater only: matched with what lies nearest
    assert "nobody coded" in found.findings[-1].message


def test_a_tolerance_lets_units_meet_that_do_not_overlap() -> None:
    rows = [("R1", "x", 0, 10), ("R2", "x", 14, 20), ("R2", "y", 9, 13)]
    assert multiple_links(Units.from_records(rows), rule="jansen", tolerance=5).table.tolist() == [
        [1, 1],
        [0, 0],
    ]
    # Without it x of R1 has only y to overlap; x of R2 still takes what lies nearest.
    strict = multiple_links(Units.from_records(rows), rule="jansen")
    assert {tuple(x) for x in strict.links.tolist()} == {(0, 2), (0, 1)}


def test_what_multiple_linking_refuses() -> None:
    with pytest.raises(InputError, match="rule"):
        multiple_links(LONG, rule="best")
    with pytest.raises(UnsupportedDesignError, match="both raters"):
        multiple_links(Units.from_records([("a", "x", 0, 1, "s"), ("b", "x", 0, 1, "t")]))


def test_gseqs_base_decides_about_one_long_unit() -> None:
    linked = {
        base: int((timed_alignment(LONG, base=base).links[:, :2] >= 0).all(axis=1).sum())
        for base in ("longer", "shorter", "union")
    }
    assert linked == {"longer": 1, "shorter": 2, "union": 1}


# --- rater disparity ------------------------------------------------------------------------------


def by_hand(result, units: Units, session: str, label: str) -> tuple[int, int, int, int]:
    """Count units, agreements and disagreements about one label in one session, event by event."""
    place, code = units.sessions.index(session), units.labels.index(label)
    rows = [np.flatnonzero((units.session == place) & (units.rater == r)) for r in (0, 1)]
    linked = {int(a): int(b) for a, b in result.linked_rows}
    counts = [int((units.label[mine] == code).sum()) for mine in rows]
    agreed = apart = 0
    for a, b in linked.items():
        if units.session[a] == place and code in (units.label[a], units.label[b]):
            same = units.label[a] == units.label[b]
            agreed, apart = agreed + same, apart + (not same)
    known = {*linked, *linked.values()}
    mine = [k for own in rows for k in own.tolist() if units.label[k] == code]
    alone = [k for k in mine if k not in known]
    return counts[0], counts[1], int(agreed), int(apart) + len(alone)


def test_disparity_counts_events_by_recording_and_label() -> None:
    units = some_films()
    result = easydiag(units, n_resamples=1)
    ranked = result.ranked_disparity
    assert [one.disagreed for one in ranked.cells] == sorted(
        (one.disagreed for one in ranked.cells), reverse=True
    )
    for one in ranked.cells:
        got = (one.first, one.second, one.agreed, one.disagreed)
        assert got == by_hand(result, units, one.session, one.label)
    assert sum(one.agreed for one in ranked.sessions) == int(result.table.trace()) // 2
    linked_apart = (int(result.table[:-1, :-1].sum()) - int(result.table.trace())) // 2
    alone = int(result.table[-1].sum() + result.table[:, -1].sum())
    assert sum(one.disagreed for one in ranked.sessions) == linked_apart + alone
    assert sum(one.first for one in ranked.labels) == result.n_units["R1"]
    assert "Rater disparity" in str(ranked)
    assert result.to_dict()["disparity"]["sessions"][0]["session"] == ranked.sessions[0].session


def test_a_session_that_one_rater_left_empty_counts_if_she_was_asked() -> None:
    """Holle & Rein count it (N = 1964 includes 4 such units); GSEQ leaves it out."""
    rows = [("R1", "x", 0, 10, "a"), ("R2", "x", 0, 10, "a"), ("R1", "y", 0, 10, "b")]
    unknown = Units.from_records(rows)
    assert easydiag(unknown, n_resamples=1).n_tallies == 2
    assert easydiag(unknown, n_resamples=1, absent="count").n_tallies == 3
    asked = Units.from_records(rows, asked="all")
    assert easydiag(asked, n_resamples=1).n_tallies == 3
    assert timed_alignment(unknown, n_resamples=1).sessions == ("a",)


# --- pictures -------------------------------------------------------------------------------------


def test_links_of_several_partners_are_drawn() -> None:
    ax = plot.timeline(LONG, result=multiple_links(LONG))
    assert "same label: 4" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_an_alignment_is_drawn_with_its_gaps_and_passes() -> None:
    """Figure 6c: gaps filled, a double arrow for a link of both passes."""
    result = timed_alignment(LONG, base="shorter")
    ax = plot.timeline(LONG, result=result)
    assert len(ax.patches) == sum(result.n_units.values()) + sum(result.n_gaps.values())
    arrows = [one for one in ax.texts if getattr(one, "arrow_patch", None) is not None]
    assert len(arrows) == len(result.links)
    for one, events in zip(result.raters, result.events, strict=True):
        units = events.row >= 0
        own = LONG.rater == LONG.raters.index(one)
        assert np.sort(events.start[units]).tolist() == np.sort(LONG.start[own]).tolist()
        ends = np.sort(events.end).tolist()
        assert np.sort(events.start).tolist()[1:] == ends[:-1]  # no time is left
    some = plot.alignment(LONG, result, start=0, end=2000)
    assert len(some.patches) < len(ax.patches)
    with pytest.raises(InputError, match="session"):
        plot.alignment(LONG, result, session="nowhere")
    with pytest.raises(InputError, match="stretch"):
        plot.alignment(LONG, result, start=9, end=9)


def test_bars_have_one_colour_for_each_coefficient() -> None:
    """Artstein & Poesio (2005), Figure 2."""
    table = cs.datasets.load("artstein_poesio_2005_table6")
    groups = {"pi": [cs.scott_pi(table)], "both": [cs.scott_pi(table), cs.cohen_kappa(table)]}
    ax = plot.coefficient_bars(groups)
    bars = ax.patches
    assert [bar.get_height() for bar in bars] == pytest.approx([0.7995, 0.7995, 0.8013], abs=5e-5)
    assert bars[0].get_edgecolor() == bars[1].get_edgecolor() != bars[2].get_edgecolor()
    assert [text.get_text() for text in ax.get_xticklabels()] == ["pi", "both"]
    with pytest.raises(InputError, match="conditions"):
        plot.coefficient_bars({})
    constant = cs.scott_pi(cs.Ratings.from_wide([["a", "a"]] * 3), on_undefined="ignore")
    with pytest.raises(UnsupportedDesignError, match="defined"):
        plot.coefficient_bars({"x": [constant]})
