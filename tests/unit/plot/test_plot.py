"""Figures: each returns Axes, shows what it says, and gives the same bytes every time."""

from __future__ import annotations

import contextlib
import math
import re
import warnings
from functools import cache
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import consilience as cs
import needed
from consilience import latent, panel, plot
from consilience.plot import style
from consilience.plot.curves import expected_agreement
from consilience.plot.raters import rater_agreement
from consilience.plot.style import inline_svg, on_a_phone, rendered
from consilience.plot.units import length_table
from patience import PATIENCE
from unit.plot.drawn import (
    BINARY,
    COHEN,
    CROWD,
    FIGURES,
    FLEISS,
    KRIPP,
    MARKED,
    MARKS,
    TRUTH,
    UNITS,
    VARIABLES,
)

# Those that have no single Axes to draw into.
SEVERAL = {"unit_lengths"}


def test_every_figure_has_an_example():
    assert set(FIGURES) == set(plot.__all__) - {"save"}


@cache
def shown(name: str, phone: bool = False) -> Any:
    """One figure, drawn once for all tests that look at it."""
    with on_a_phone() if phone else contextlib.nullcontext():
        return FIGURES[name]()


@cache
def on_page(name: str) -> str:
    """The same as it stands in a page, for wide screens and for phones."""
    return inline_svg(FIGURES[name](), title='a "b" <c>', prefix=name)


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_a_figure_is_axes_and_gives_the_same_bytes(name):
    assert hasattr(shown(name), "get_xlabel")
    assert rendered(FIGURES[name](), "svg") == rendered(FIGURES[name](), "svg")


@pytest.mark.parametrize("name", ["forest", "heat_map", "timeline"])
def test_a_figure_is_a_picture_in_every_format(name):
    assert rendered(shown(name), "png")[:4] == b"\x89PNG"
    assert rendered(shown(name), "pdf")[:4] == b"%PDF"


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_inline_svg_follows_the_page(name):
    text = on_page(name)
    assert text.startswith('<svg role="img" aria-label="a &quot;b&quot; &lt;c&gt;')
    assert "#1f2328" not in text
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_a_figure_says_its_values_in_words(name):
    said = style.described(shown(name))
    if name == "heat_map":  # what its numbers are, only the caller knows
        return
    assert said.endswith(".")
    assert re.search(r"\d", said)
    assert "nan" not in said.split()
    assert not re.search(r"(?<![\w.])-\d", said)  # a real minus sign


@pytest.mark.parametrize("name", sorted(set(FIGURES) - SEVERAL))
def test_a_figure_is_drawn_into_axes_that_are_given(name):
    import matplotlib.figure

    ax = matplotlib.figure.Figure().add_subplot()
    assert FIGURES[name](ax=ax) is ax


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_on_a_phone_a_figure_is_no_wider_than_it(name):
    widths = [int(one) for one in re.findall(r"; width: (\d+)px", on_page(name))]
    assert min(widths) <= 345
    assert len(widths) == (2 if shown(name).figure.get_figwidth() > style.NARROW else 1)
    assert shown(name, phone=True).figure.get_figwidth() <= style.NARROW


@pytest.mark.parametrize("narrow", [False, True], ids=["page", "phone"])
@pytest.mark.parametrize("name", sorted(FIGURES))
def test_every_mark_and_name_lies_within_the_picture(name, narrow):
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    figure = shown(name, narrow).figure
    with style.styled():
        FigureCanvasAgg(figure).draw()
        seen = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    assert seen.x0 > -0.03
    assert seen.y0 > -0.03
    assert seen.x1 < width + 0.03
    assert seen.y1 < height + 0.03


def test_names_stand_above_bars_on_a_phone_and_beside_them_on_a_page():
    beside = FIGURES["forest"]()
    with on_a_phone():
        above = FIGURES["forest"]()
    assert beside.get_yticklabels()[0].get_text() == "Percent agreement"
    assert [one.get_text() for one in above.get_yticklabels()] == []
    assert "Percent agreement" in [one.get_text() for one in above.texts]


# --- colours --------------------------------------------------------------------------------------

# Machado, Oliveira & Fernandes (2009), severity 1.
BLIND = {
    "none": np.eye(3),
    "protan": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216],
               [-0.003882, -0.048116, 1.051998]],
    "deutan": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413],
               [-0.011820, 0.042940, 0.968881]],
    "tritan": [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602],
               [0.004733, 0.691367, 0.303900]],
}  # fmt: skip


def linear(colour: str) -> np.ndarray:
    rgb = np.array([int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)])
    return np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)


def contrast(one: str, other: str) -> float:
    low, high = sorted(float(linear(c) @ [0.2126, 0.7152, 0.0722]) for c in (one, other))
    return (high + 0.05) / (low + 0.05)


def lab(light: np.ndarray) -> np.ndarray:
    """CIE L*a*b* of linear light, D65."""
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.clip(light, 0, 1) @ np.array(to_xyz).T / [0.9505, 1.0, 1.089]
    f = [math.cbrt(v) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z)]
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


@pytest.mark.parametrize("colour", [*style.COLOURS, style.GREY, *style.shades(5)])
def test_colours_reach_a_contrast_of_three_on_white(colour):
    assert contrast(colour, "#ffffff") >= 3.0


@pytest.mark.parametrize("colour", [*style.COLOURS, style.GREY])
def test_colours_can_be_seen_on_the_dark_page(colour):
    assert contrast(colour, "#0f1419") >= 2.5


@pytest.mark.parametrize("kind", BLIND)
def test_any_two_colours_can_be_told_apart(kind):
    seen = [lab(np.array(BLIND[kind]) @ linear(one)) for one in style.COLOURS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(seen, 2)) > 15


@pytest.mark.parametrize("colour", [*style.COLOURS, style.GREY, *style.shades(7), "#ffffff"])
def test_text_on_a_colour_can_be_read(colour):
    ink = {"black": "#000000", "white": "#ffffff"}[style.ink_on(colour)]
    assert contrast(colour, ink) >= 4.5


# --- what figures take ----------------------------------------------------------------------------

FRAME = pd.DataFrame({"item": range(12), "ann": list("aabbccabcabc"), "bob": list("aabbccabcaaa")})
OF_RATINGS = ("forest", "confusion", "label_use", "item_agreement", "design", "category_kappas",
              "funnel", "raters", "accuracy", "certainty", "error_matrix")  # fmt: skip


@pytest.mark.parametrize("name", OF_RATINGS)
def test_a_frame_and_its_ratings_give_the_same_figure(name):
    draw = getattr(plot, name)
    ratings = cs.Ratings.from_wide(FRAME[["ann", "bob"]])
    assert style.described(draw(FRAME)) == style.described(draw(ratings))


@pytest.mark.parametrize("name", ["confusion", "label_use", "item_agreement", "leave_one_out"])
def test_an_estimate_is_drawn_from_its_ratings(name):
    draw = getattr(plot, name)
    found = cs.krippendorff_alpha(MARKED)
    assert rendered(draw(found), "svg") == rendered(draw(MARKED), "svg")


@pytest.mark.parametrize("name", ["timeline", "threshold", "unit_lengths", "category_kappas"])
def test_a_frame_of_units_gives_the_figure_of_the_units(name):
    frame = pd.DataFrame(
        {
            "rater": [UNITS.raters[k] for k in UNITS.rater],
            "label": [UNITS.labels[k] for k in UNITS.label],
            "start": UNITS.start,
            "end": UNITS.end,
        }
    )
    plain = cs.Units.from_frame(frame)
    draw = getattr(plot, name)
    assert rendered(draw(frame), "svg") == rendered(draw(plain), "svg")


def test_results_and_data_give_the_same_figure():
    pairs = [
        (plot.raters(cs.pairwise(MARKED, coefficient="alpha")), plot.raters(MARKED)),
        (plot.leave_one_out(cs.rater_influence(MARKED)), plot.leave_one_out(MARKED)),
        (plot.variables(cs.measure(VARIABLES)), plot.variables(VARIABLES)),
        (plot.category_kappas(cs.category_agreement(FLEISS)), plot.category_kappas(FLEISS)),
        (plot.category_kappas(cs.units.easydiag(UNITS)), plot.category_kappas(UNITS)),
        (plot.accuracy(latent.dawid_skene(CROWD)), plot.accuracy(TRUTH)),
        (plot.differences([4, 4, 5], [4, 3, 5]), plot.differences(panel.differences({0: 2, 1: 1}))),
    ]
    for first, second in pairs:
        a, b = style.described(first), style.described(second)
        assert a.partition(":")[2] == b.partition(":")[2]


# --- what they show -------------------------------------------------------------------------------


def test_chance_agreement_is_that_of_the_coefficients():
    table = BINARY.table(*BINARY.raters)
    p, q = (np.array(table[0].sum() / 100), np.array(table[:, 0].sum() / 100))
    for name, function in [
        ("scott_pi", cs.scott_pi),
        ("cohen_kappa", cs.cohen_kappa),
        ("gwet_ac", cs.gwet_ac),
        ("bennett_s", cs.bennett_s),
    ]:
        assert float(expected_agreement(name, p, q)) == pytest.approx(function(BINARY).expected)


def test_the_study_is_marked_at_its_own_values_on_the_curves_of_prevalence():
    ax = plot.prevalence_effect(BINARY)
    functions = (cs.scott_pi, cs.cohen_kappa, cs.gwet_ac, cs.bennett_s)
    for panel_of_one, function in zip(ax.figure.axes, functions, strict=True):
        (dot,) = [line for line in panel_of_one.lines if line.get_marker() == "o"]
        assert dot.get_ydata()[0] == pytest.approx(function(BINARY).value)


def test_every_pair_of_raters_is_marked_on_a_surface_for_a_label_against_all_others():
    ax = plot.chance_surface(KRIPP, coefficients="kappa", label=2)
    (dots,) = ax.lines
    assert len(dots.get_xdata()) == 6
    two = KRIPP.select(raters=KRIPP.raters[:2]).collapse({2: 1}, rest=0)
    first = two.table(*two.raters)
    place = two.categories.index(1)
    assert dots.get_xdata()[0] == pytest.approx(first[place].sum() / first.sum())
    assert "against all others" in ax.get_xlabel().replace("\n", " ")


def test_the_forest_shows_each_value_and_interval():
    found = cs.krippendorff_alpha(FLEISS)
    ax = plot.forest([found])
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert dots[0].get_xdata()[0] == pytest.approx(found.value)
    assert any(
        tuple(line.get_xdata()) == pytest.approx(tuple(found.confidence_interval())[:2])
        for line in ax.lines
    )


def test_thresholds_are_labelled():
    texts = [one.get_text() for one in FIGURES["forest"]().texts]
    assert {"tentative 0.667", "0.8 firm"} <= set(texts)


def test_a_page_shows_every_digit_that_a_figure_writes():
    texts = {one.get_text() for one in FIGURES["forest"]().texts}
    page = inline_svg(FIGURES["forest"](), title="t", prefix="p")
    assert texts <= set(re.findall(r"<text[^>]*>([^<]*)</text>", page.replace("&#x27;", "'")))
    label = cs.Ratings.from_wide([['d="1.23456"', "b"], ["b", "b"], ["b", 'd="1.23456"']] * 4)
    assert 'd="1.23456"' in inline_svg(plot.confusion(label), title="t", prefix="p")


def test_variables_are_sorted_and_those_clearly_too_low_stand_out():
    ax = plot.variables(VARIABLES)
    assert [one.get_text() for one in ax.get_yticklabels()] == ["tone", "frame", "topic"]
    markers = [line.get_marker() for line in ax.lines if line.get_marker() in ("o", "D")]
    below = [
        cs.krippendorff_alpha(VARIABLES[name]).confidence_interval().high < 0.667
        for name in ("tone", "frame", "topic")
    ]
    assert markers == ["D" if one else "o" for one in below]
    assert any(below)


def test_items_are_counted_by_split():
    ax = plot.item_agreement(FLEISS)
    widths = [patch.get_width() for patch in ax.patches]
    assert sum(widths) == 30
    names = [one.get_text() for one in ax.get_yticklabels()]
    assert names == ["6-0", "5-1", "4-2", "3-3", "4-1-1", "3-2-1"]
    assert widths[0] == (cs.item_agreement(FLEISS) == 1.0).sum()


def test_items_of_numbers_are_counted_by_agreement():
    ax = plot.item_agreement(MARKED)
    values = cs.item_agreement(MARKED)
    alike = next(patch for patch in ax.patches)
    assert alike.get_width() == np.isclose(values, 1.0).sum()
    assert sum(patch.get_width() for patch in ax.patches) == 40


def test_the_design_is_empty_where_ratings_are_missing():
    images = plot.design(KRIPP).images
    rated = np.stack([one.get_array()[0, :, 3] for one in images])
    assert rated.shape == (4, 12)
    assert np.rint(rated / rated.max()).sum() == KRIPP.n_ratings


def test_pairs_are_half_a_matrix_sorted_with_the_number_of_items():
    ax = plot.raters(MARKED)
    assert [one.get_text() for one in ax.get_yticklabels()][-1] == "Dan"
    assert len(ax.texts) == 6
    assert all(text.get_text().endswith("n = 40") for text in ax.texts)


def test_pairs_with_fewer_than_five_items_stay_empty():
    wide = [["a", "a", None]] * 5 + [["b", "b", None]] * 5 + [["a", "b", "a"], ["b", "b", "b"]] * 2
    ratings = cs.Ratings.from_wide(wide, raters=["Ann", "Bob", "Cid"])
    assert len(plot.raters(ratings).texts) == 1
    with pytest.raises(cs.ConsilienceError, match="at least 5 items in common"):
        plot.raters(cs.Ratings.from_wide([["a", "a"], ["b", "b"], ["a", "b"]]))


def test_the_cells_of_more_than_two_raters_add_up_to_the_ratings():
    ax = plot.confusion(FLEISS)
    assert sum(int(text.get_text()) for text in ax.texts) == pytest.approx(180, abs=3)
    assert style.described(ax).startswith("180 ratings")
    assert style.described(plot.confusion(COHEN)).startswith("200 items")


def test_without_each_rater_intervals_are_those_of_the_estimate_and_so_is_the_name():
    ax = plot.leave_one_out(MARKED, coefficient="kappa")
    rest = MARKED.select(raters=["Ann", "Bob", "Cid"])
    found = cs.cohen_kappa(rest)
    assert ax.get_xlabel().startswith(cs.cohen_kappa(MARKED).name)
    assert any(
        line.get_xdata() == pytest.approx(tuple(found.confidence_interval())[:2])
        for line in ax.lines
        if len(line.get_xdata()) == 2
    )
    low, high = ax.get_xlim()
    whole = cs.cohen_kappa(MARKED).confidence_interval()
    assert low < whole.low
    assert high > whole.high


def test_bars_of_label_use_add_up_to_one_and_name_what_they_show():
    ax = plot.label_use(KRIPP)
    for place in range(4):
        bars = [p for p in ax.patches if round(p.get_y() + p.get_height() / 2) == place]
        assert sum(one.get_width() for one in bars) == pytest.approx(1.0)
    named = {text.get_text().partition(":")[0] for text in ax.texts}
    assert {"1", "2", "3", "4"} <= named


def test_a_guesser_lies_outside_the_funnel():
    ax = plot.funnel(CROWD)
    assert "1 rater of 30 outside the 99.8% limits: w29" in style.described(ax)


def test_agreement_of_a_rater_is_the_mean_over_ratings_of_the_others_who_agree():
    wide = [["a", "a", "b"], ["b", None, "b"], ["c", "c", "c"], ["a", None, None]]
    ratings = cs.Ratings.from_wide(wide, raters=["Ann", "Bob", "Cid"])
    n, mean, centre, _ = rater_agreement(ratings)
    assert n.tolist() == [3, 2, 3]
    assert mean.tolist() == pytest.approx([(0.5 + 1 + 1) / 3, (0.5 + 1) / 2, (0 + 1 + 1) / 3])
    assert centre == pytest.approx((2.5 + 1.5 + 2.0) / 8)


def test_funnel_limits_hold_a_crowd_that_differs_by_chance():
    """Spiegelhalter (2005): about 5% of such raters lie outside the limits of 95%."""
    rng = np.random.default_rng(2)
    out = total = 0
    for _ in range(8):
        who = np.stack([rng.choice(60, 5, replace=False) for _ in range(400)])
        truth = np.repeat(rng.integers(0, 2, 400), 5)
        label = np.where(rng.random(2_000) < 0.8, truth, 1 - truth)
        columns = {"i": np.repeat(np.arange(400), 5), "r": who.ravel(), "l": label}
        ratings = cs.Ratings.from_long(columns, item="i", rater="r", label="l")
        n, mean, centre, spread = rater_agreement(ratings)
        out += int((np.abs(mean - centre) > 1.96 * spread / np.sqrt(n)).sum())
        total += 60
    assert 0.02 < out / total < 0.08


def test_bland_altman_draws_the_limits_of_the_measure():
    first, second = MARKS.raters[:2]
    found = cs.magnitudes.bland_altman(MARKS, pair=(first, second))
    ax = plot.bland_altman(MARKS, pair=(first, second))
    drawn = {round(float(line.get_ydata()[0]), 9) for line in ax.lines}
    assert {round(x, 9) for x in (found.low, found.bias, found.high)} <= drawn
    points = ax.collections[0].get_offsets()
    assert points[:, 1].mean() == pytest.approx(found.bias, abs=1.0)


def test_marks_draw_means_one_deviation_and_the_pair_that_differs_most():
    ax = plot.marks(MARKS)
    found = cs.magnitudes.describe_marks(MARKS).raters
    dots = [float(line.get_xdata()[0]) for line in ax.lines if line.get_marker() == "o"]
    assert dots == pytest.approx(sorted((one.mean for one in found), reverse=True))
    scatter = ax.figure.axes[1]
    assert len(scatter.collections[0].get_offsets()) <= MARKS.n_items


def test_a_histogram_of_differences_has_a_bar_for_each_and_their_moments():
    x, y = [4, 4, 5, 3, 2, 9], [4, 3, 5, 4, 2, 3]
    ax = plot.differences(x, y)
    gap = np.subtract(x, y)
    assert sum(bar.get_height() for bar in ax.patches) == pytest.approx(1.0)
    assert len(ax.patches) == len(set(gap.tolist()))
    skew = ((gap - gap.mean()) ** 3).mean() / gap.std() ** 3
    assert ax.get_title("left") == f"mean {gap.mean():+.2f}, skew {skew:+.2f}, 50% identical"


def test_a_histogram_of_marks_has_each_raters_shares_and_moments():
    """Haley et al. (2008), figure 1-2: marks that crowd at the top have a tail to the left."""
    tutor, computer = [4, 4, 3, 4, 2, 4, 1, 4], [4, 3, 3, 4, 3, 4, 0, 4]
    ax = plot.histogram(tutor, computer)
    found = cs.magnitudes.describe_marks(tutor, computer).raters
    for panel_, one, marks in zip(ax.figure.axes, found, (tutor, computer), strict=True):
        shares = {
            round(bar.get_x() + bar.get_width() / 2): bar.get_height() for bar in panel_.patches
        }
        assert shares == {mark: marks.count(mark) / 8 for mark in set(marks)}
        said = f"mean {one.mean:.2f}, sd {one.sd:.2f}, skew {one.skewness:+.2f}".replace("-", "−")
        assert panel_.get_title("left").endswith(said)
        x, y = panel_.lines[0].get_data()
        assert np.trapezoid(y, x) == pytest.approx(1.0, abs=0.02)  # bars are one mark wide
    assert rendered(plot.histogram(tutor), "svg") == rendered(
        plot.histogram(np.array(tutor)), "svg"
    )


def test_a_histogram_takes_counts_names_and_many_raters():
    counts = cs.Ratings.from_counts([[2, 1, 0], [0, 1, 2]], categories=[1, 2, 3], scale="interval")
    assert plot.histogram(counts).get_title("left").startswith("mean 2.00")
    crowd = cs.Ratings.from_wide([[k % 5 for k in range(j, j + 9)] for j in range(4)],
                                 scale="interval")  # fmt: skip
    assert plot.histogram(crowd).get_title("left").startswith("all raters: mean")
    assert len(plot.histogram(crowd, raters=[0, 8]).figure.axes) == 2
    with pytest.raises(cs.exceptions.InputError, match="a rater must be one of"):
        plot.histogram(crowd, raters=["Ann"])
    long = [k / 7 for k in range(200)]
    assert len(plot.histogram(long).patches) == 19


def test_a_setting_is_marked_with_what_it_reaches():
    """Haley et al. (2008), figure 1-1: the upright line at 60 marked answers."""
    shares = {10: {0: 65, 1: 35}, 60: {0: 61, 1: 39}}
    swept = {amount: panel.differences(one) for amount, one in shares.items()}
    ax = plot.settings(swept, at=60)
    assert ax.get_xlabel() == "setting; at 60: same 61%, ±1 39%"
    assert ax.lines[-1].get_xdata() == [60.0, 60.0]
    with pytest.raises(cs.exceptions.InputError, match="at must be one of"):
        plot.settings(swept, at=70)


def test_number_and_length_of_units_are_those_of_the_result():
    found = cs.units.unit_lengths(UNITS)
    n, mean, sd = length_table(found, ["Ann", None], ["nod", "wave"])
    assert n.tolist() == [[1, 1], [3, 2]]
    row = found.row("nod")
    assert (mean[1, 0], sd[1, 0]) == (row.mean, row.standard_deviation)
    ax = plot.unit_lengths(UNITS)
    assert sum(bar.get_width() for bar in ax.patches) == UNITS.n_units
    assert rendered(plot.unit_lengths(found), "svg") == rendered(ax, "svg")


def test_many_raters_are_put_together_unless_they_are_named():
    records = [(f"R{g}", "x", 0, 5 + g) for g in range(6)]
    assert [bar.get_width() for bar in plot.unit_lengths(records).patches] == [6]
    named = plot.unit_lengths(records, raters=["R0", "R5"])
    assert [bar.get_width() for bar in named.patches] == [1, 1]


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: plot.chance_surface(coefficients="nope"), "coefficient"),
        (lambda: plot.chance_surface(FLEISS), "at least two raters by name"),
        (lambda: plot.chance_surface(BINARY, label="perhaps"), "a label"),
        (lambda: plot.confusion(cs.Ratings.from_wide([["a", "a"]] * 3)), "at least two"),
        (lambda: plot.tolerance(FLEISS), "numbers"),
        (lambda: plot.prevalence_effect(1.5), "observed"),
        (lambda: plot.batches({}), "at least one"),
        (lambda: plot.forest([]), "at least one"),
        (lambda: plot.variables(cs.measure(FLEISS)), "several variables"),
        (lambda: plot.design(FLEISS), "who rated"),
        (lambda: plot.funnel(FLEISS), "who gave which rating"),
        (lambda: plot.bland_altman(MARKS), "exactly two raters"),
        (lambda: plot.bland_altman(KRIPP.select(raters=KRIPP.raters[:1])), "two raters"),
        (lambda: plot.unit_lengths(UNITS, raters=["Eve"]), "a rater"),
        (lambda: plot.save(FIGURES["forest"](), "x.bmp"), ".pdf, .png or .svg"),
    ],
)
def test_what_cannot_be_drawn_is_said(call, match):
    with pytest.raises(cs.ConsilienceError, match=match):
        call()


@pytest.mark.parametrize("name", sorted(set(FIGURES) - {"curve", "heat_map"}))
def test_what_is_no_data_is_refused_in_a_sentence(name):
    """Whatever is passed: a figure, or what was expected, and never an error of Python's own."""
    odd = [3, math.nan, None, "a.csv", [], [1, 2], {}, {"a": 1}, {"a": [1]}, len, FLEISS,
           pd.DataFrame(), np.zeros((2, 2)), latent.mace(BINARY), cs.measure(BINARY)]  # fmt: skip
    for one in odd:
        with warnings.catch_warnings(), contextlib.suppress(cs.ConsilienceError):
            warnings.simplefilter("ignore")
            getattr(plot, name)(one)


def test_a_label_with_dollar_signs_is_a_label():
    ratings = cs.Ratings.from_wide([["$x^2$", "$x^2$"], ["b", "$x^2$"], ["b", "b"]] * 5)
    assert b"$x^2$" in rendered(plot.confusion(ratings), "svg")


def test_saving_writes_the_file(tmp_path):
    assert plot.save(FIGURES["forest"](), tmp_path / "a.png").stat().st_size > 1000


def test_the_design_of_a_crowd_stays_small_and_shows_every_rating():
    ax = plot.design(CROWD)
    assert ax.figure.get_figheight() < 5
    (picture,) = ax.images
    assert picture.get_array().shape[:2] == (30, 300)
    assert (picture.get_array()[..., 3] > 0).sum() == CROWD.n_ratings
    first, last = (picture.get_array()[k, :, 3].sum() for k in (0, -1))
    assert first >= last  # the busiest at the top
    assert "30 raters" in style.described(ax)


# --- notebooks ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def executed() -> dict[str, Any]:
    """What a notebook shows below each cell; every cell draws one figure."""
    nbformat = needed.package("nbformat")
    nbclient = needed.package("nbclient")
    needed.package("ipykernel")
    places = [str(Path(__file__).parents[2]), str(Path(cs.__file__).parents[1])]
    cells = [f"import sys\nsys.path[:0] = {places}\nfrom unit.plot.drawn import FIGURES"]
    cells += [f"FIGURES[{name!r}]()" for name in FIGURES]
    book = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(one) for one in cells])
    nbclient.NotebookClient(book, timeout=int(PATIENCE), kernel_name="python3").execute()
    return {
        name: [one["data"] for one in cell.outputs]
        for name, cell in zip(FIGURES, book.cells[1:], strict=True)
    }


def test_an_executed_notebook_shows_every_figure_with_its_words(executed):
    for name, outputs in executed.items():
        assert len(outputs) == 1, name
        text = outputs[0]["image/svg+xml"]
        assert text.startswith('<svg role="img" aria-label="'), name
        assert text.rstrip().endswith("</svg>"), name
        assert "var(--" not in text, name  # a notebook has no style sheet of ours
    assert "Krippendorff" in executed["forest"][0]["image/svg+xml"]
