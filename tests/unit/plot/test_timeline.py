"""The timeline of a session and the curve of thresholds show what the results say."""

from __future__ import annotations

import math

import numpy as np
import pytest

from consilience import plot
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.plot.style import inline_svg, rendered
from consilience.plot.time import ALONE, OTHER, PLAIN, SAME, arranged, clock, links_of
from consilience.units import Units, easydiag, gamma, threshold_curve
from consilience.units.gamma import Alignment

# Made up after Figure 6 of Holle & Rein (2015): two agreements, two disagreements; one unit alone.
FILM = Units.from_records(
    [
        ("R1", "pis", 0.0, 1.1), ("R1", "pob", 1.2, 2.9), ("R1", "pob", 3.4, 5.0),
        ("R1", "s", 5.5, 6.1), ("R2", "iob", 0.1, 1.2), ("R2", "pob", 1.4, 2.8),
        ("R2", "pob", 3.5, 5.1), ("R2", "pis", 5.5, 6.2), ("R2", "s", 6.8, 7.2),
    ],
    time_unit="s",
)  # fmt: skip


def many(n_sessions: int = 9, seed: int = 1) -> Units:
    rng = np.random.default_rng(seed)
    records = []
    for film in range(n_sessions):
        for k in range(12):
            label = str(rng.choice(["a", "b", "c"]))
            begin, size = 1_000 * k, int(rng.integers(300, 800))
            records.append(("Ann", label, begin, begin + size, f"film {film}"))
            if rng.random() < 0.85:
                other = label if rng.random() < 0.8 else "a"
                shift = int(rng.integers(0, 120))
                records.append(("Bob", other, begin + shift, begin + size + shift, f"film {film}"))
    return Units.from_records(records, time_unit="ms")


def legend(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def names_of_lines(ax) -> set[str]:
    """What is written at the ends of lines, beside the threshold in use."""
    return {text.get_text() for text in ax.texts} - {"60% in use"}


def fates(units: Units, **options) -> list[str]:
    pairs = links_of(units, options.get("result"), units.sessions[0], units.raters, 60)
    return arranged(units, units.raters, np.arange(len(units)), pairs).fate.tolist()


# --- timeline -------------------------------------------------------------------------------------


def test_links_tell_agreement_from_disagreement_and_units_alone():
    assert legend(plot.timeline(FILM)) == ["same label: 2", "different label: 2", "no partner: 1"]
    assert fates(FILM) == [OTHER, SAME, SAME, OTHER, OTHER, SAME, SAME, OTHER, ALONE]


def test_links_are_those_of_the_result_that_is_given():
    strict = easydiag(FILM, threshold=90)
    assert strict.n_linked < easydiag(FILM).n_linked
    shown = legend(plot.timeline(FILM, result=strict))
    same = sum(FILM.label[a] == FILM.label[b] for a, b in strict.linked_rows)
    assert shown[0] == f"same label: {same}"
    assert legend(plot.timeline(FILM, threshold=90)) == shown


def test_agreement_is_told_by_more_than_colour():
    ax = plot.timeline(FILM)
    lines = [one for one in ax.collections if type(one).__name__ == "LineCollection"]
    styles = [one.get_linestyle()[0][1] for one in lines]
    assert styles[0] is None  # solid
    assert styles[1] is not None
    assert [line.get_marker() for line in ax.lines] == ["x"]
    hatches = {one.get_hatch() for one in ax.collections if hasattr(one, "get_hatch")}
    assert len(hatches - {None}) == 2


def test_a_lane_for_each_rater_from_top_to_bottom():
    ax = plot.timeline(FILM, raters=["R2", "R1"])
    ticks = [text.get_text() for text in ax.get_yticklabels()]
    assert ticks == ["R2", "R1"]
    assert ax.get_yticks()[0] < ax.get_yticks()[1]
    assert ax.yaxis_inverted()


def test_tiers_have_lanes_of_their_own():
    units = Units.from_records(
        [
            ("a", "x", 0, 5, "s", "left"),
            ("b", "x", 0, 5, "s", "left"),
            ("a", "x", 0, 5, "s", "right"),
        ]
    )
    ax = plot.timeline(units)
    names = [text.get_text() for text in ax.get_yticklabels()]
    assert names == ["left: a", "left: b", "right: a", "right: b"]
    assert legend(ax) == ["same label: 1", "no partner: 1"]


def test_units_of_one_rater_that_overlap_lie_one_below_the_other():
    units = Units.from_records([("a", "x", 0, 5), ("a", "y", 3, 8), ("a", "z", 8, 9)])
    middle = arranged(units, ("a",), np.arange(3), None).middle
    assert middle[0] == middle[2] < middle[1]


def test_a_chain_of_three_raters_skips_who_has_no_unit():
    units = Units.from_records(
        [("a", "x", 0, 10), ("b", "x", 0, 10), ("c", "x", 0, 10), ("a", "y", 20, 30),
         ("c", "y", 20, 30)]
    )  # fmt: skip
    found = links_of(units, gamma(units, n_samples=2, precision=None), "session", units.raters, 60)
    assert {frozenset(pair) for pair in found.tolist()} == {
        frozenset({0, 1}), frozenset({1, 2}), frozenset({3, 4})
    }  # fmt: skip


def test_more_than_two_raters_are_linked_from_lane_to_lane():
    units = Units.from_records([(r, "x", 0, 10) for r in "abc"])
    for options in ({}, {"result": easydiag(units)}):
        assert legend(plot.timeline(units, **options)) == ["same label: 2"]


def test_the_fragments_of_a_unit_are_one_unit():
    units = Units.from_columns(
        start=[0, 6, 0], end=[4, 9, 4], label=["x", "x", "x"], rater=["a", "a", "b"], span=[1, 1, 2]
    )
    found = Alignment(
        units=np.array([[0, 2]]),
        disorder=np.zeros(1),
        session=np.zeros(1, dtype=np.int64),
        tier=np.zeros(1, dtype=np.int64),
        raters=("a", "b"),
    )
    ax = plot.timeline(units, result=found)
    assert legend(ax) == ["same label: 1"]
    with pytest.raises(UnsupportedDesignError, match="threshold=None"):
        plot.timeline(units)
    assert plot.timeline(units, threshold=None).get_legend() is None


def test_without_links_units_are_not_called_alone():
    pairs = links_of(FILM, None, "session", FILM.raters, None)
    assert pairs is None
    bars = arranged(FILM, FILM.raters, np.arange(len(FILM)), pairs)
    assert set(bars.fate) == {PLAIN}


def test_a_stretch_shows_only_what_lies_in_it():
    ax = plot.timeline(FILM, start=5.2, end=8)
    assert legend(ax) == ["different label: 1", "no partner: 1"]
    low, high = ax.get_xlim()
    assert low == pytest.approx(5.2, abs=0.05)
    assert high == pytest.approx(8, abs=0.05)


def test_labels_without_room_are_counted():
    crowd = [("a", "a long label", 10 * k, 10 * k + 2) for k in range(200)]
    ax = plot.timeline(Units.from_records(crowd), threshold=None)
    assert "labels do not fit: show a shorter stretch" in ax.get_xlabel()
    texts = [one.get_text() for one in ax.texts]
    left_out = int(ax.get_xlabel().split("· ")[1].split()[0])
    assert left_out + len(texts) == 200


def test_point_events_and_a_rater_without_units_are_drawn():
    units = Units.from_records([("a", "x", 3, 3), ("b", "x", 3, 3)])
    assert legend(plot.timeline(units)) == ["same label: 1"]
    away = Units.from_records([("a", "x", 0, 3, "s"), ("b", "x", 0, 3, "t")])
    assert legend(plot.timeline(away, session="s")) == ["no partner: 1"]


@pytest.mark.parametrize(
    ("time_unit", "factor", "said"),
    [
        ("s", 1, "time (s)"),
        ("ms", 1_000, "time (s)"),
        ("frame", 1, "frame"),
        ("unknown", 1, "time"),
    ],
)
def test_the_axis_says_what_time_is_in(time_unit: str, factor: int, said: str):
    units = Units.from_records([("a", "x", 0, 60 * factor)], time_unit=time_unit)
    ax = plot.timeline(units, threshold=None)
    assert ax.get_xlabel() == said
    ax.figure.canvas.draw()
    assert ax.get_xticklabels()[1].get_text() == "0"


def test_long_stretches_are_told_in_minutes_and_hours():
    units = Units.from_records([("a", "x", 0, 4_000_000)], time_unit="ms")
    ax = plot.timeline(units, threshold=None)
    assert ax.get_xlabel() == "time (h:min:s)"
    assert clock(600) == "10:00"
    short = plot.timeline(units, threshold=None, end=600_000)
    assert short.get_xlabel() == "time (min:s)"


def test_odd_labels_are_drawn_as_they_are():
    labels = ["$x^2$", "a\nb", "", frozenset({"q", "p"}), "<b>&", "é"]
    units = Units.from_columns(
        start=list(range(0, 60, 10)), end=list(range(8, 68, 10)), label=labels, rater="a"
    )
    ax = plot.timeline(units, threshold=None)
    shown = {one.get_text() for one in ax.texts}
    assert {"$x^2$", "p, q", "<b>&", "é"} <= shown
    assert "<b>" not in inline_svg(ax, title="t", prefix="p")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"session": "film 9"}, "a session must be one of 'session'"),
        ({"raters": ["R1", "R9"]}, "a rater must be one of"),
        ({"raters": ["R1", "R1"]}, "different names"),
        ({"raters": "R1"}, "a list of names"),
        ({"raters": []}, "different names"),
        ({"start": 5, "end": 5}, "ends after it starts"),
        ({"start": 90}, "goes from 0 to 7.2"),
        ({"start": "now"}, "start must be a time"),
        ({"end": math.nan}, "end must be a time"),
        ({"end": True}, "end must be a time"),
        ({"threshold": 0}, "threshold must be a percentage"),
        ({"result": 3}, "result must be an EasyDiag"),
    ],
)
def test_what_cannot_be_drawn_is_refused(options: dict, said: str):
    with pytest.raises(InputError, match=said):
        plot.timeline(FILM, **options)


def test_other_things_than_units_are_refused():
    with pytest.raises(InputError, match="units must be Units"):
        plot.timeline([1, 2])
    crowd = Units.from_columns(start=np.arange(6_000), end=np.arange(6_000) + 1, rater="a")
    with pytest.raises(InputError, match="at most 5,000 units"):
        plot.timeline(crowd, threshold=None)
    assert plot.timeline(crowd, threshold=None, end=50)


def test_the_result_of_other_units_is_refused():
    other = easydiag(many(1))
    with pytest.raises(InputError, match="one of other units"):
        plot.timeline(FILM, result=other)


# --- threshold ------------------------------------------------------------------------------------


def test_the_curve_is_easydiag_at_each_threshold():
    units = many()
    curve = threshold_curve(units, thresholds=[51, 60, 90], n_resamples=499)
    for k, percent in enumerate((51, 60, 90)):
        one = easydiag(units, threshold=percent, n_resamples=499)
        interval = one.confidence_interval()
        assert curve.kappa[k] == pytest.approx(one.kappa)
        assert curve.low is not None
        assert curve.high is not None
        assert (curve.low[k], curve.high[k]) == pytest.approx((interval.low, interval.high))
    counts = np.bincount(units.label)
    assert curve.n_units == tuple(counts)
    assert "95% interval of kappa" in str(curve)


def test_few_sessions_give_a_curve_without_a_band():
    curve = threshold_curve(many(3))
    assert curve.low is None
    ax = plot.threshold(curve)
    assert names_of_lines(ax) == {"all labels", "a", "b", "c"}
    assert not ax.collections
    assert "interval" not in str(curve)


def test_the_band_and_the_labels_are_named():
    ax = plot.threshold(many(), n_resamples=199)
    assert names_of_lines(ax) == {"all labels", "a", "b", "c"}
    assert len(ax.collections) == 1  # the band of intervals
    assert {line.get_marker() for line in ax.lines} >= {"o", "s", "^"}
    assert names_of_lines(plot.threshold(many(2), categories=False)) == {"all labels"}


def test_more_labels_than_colours_are_counted():
    records = [
        (rater, f"label {k:02}", 20 * k, 20 * k + 10) for k in range(12) for rater in ("a", "b")
    ]
    ax = plot.threshold(Units.from_records(records))
    assert len(names_of_lines(ax)) == 7
    assert ax.get_title("right") == "and 6 more labels"


def test_a_curve_needs_a_curve_or_units():
    with pytest.raises(InputError, match="units must be Units, a dataframe or records"):
        plot.threshold([1, 2])
    with pytest.raises(InputError, match="given to threshold_curve"):
        plot.threshold(threshold_curve(FILM), rng=3)


@pytest.mark.parametrize("make", [lambda: plot.timeline(FILM), lambda: plot.threshold(FILM)])
def test_a_figure_gives_the_same_bytes(make):
    assert rendered(make(), "svg") == rendered(make(), "svg")
    assert rendered(make(), "pdf")[:4] == b"%PDF"
    text = inline_svg(make(), title="t", prefix="p")
    assert "#1f2328" not in text


def test_a_strip_says_where_three_raters_differ():
    rows = [("A", "x", 0, 9), ("B", "x", 0, 6), ("C", "y", 0, 6), ("A", "z", 9, 12)]
    rows += [("B", "z", 9, 12), ("C", "z", 9, 12)]
    units = Units.from_records(rows)
    ax = plot.timeline(units)
    assert ax.get_yticklabels()[-1].get_text() == "raters differ"
    strip = ax.collections[-1]
    ends = [(path.vertices[:, 0].min(), path.vertices[:, 0].max()) for path in strip.get_paths()]
    assert ends == [(0, 6), (6, 9)]  # and not from 9 on, where all agree
    two = plot.timeline(units.select(raters=["A", "B"]))
    assert "raters differ" not in [one.get_text() for one in two.get_yticklabels()]
