"""Figures: each returns Axes, shows what it says, and gives the same bytes every time."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience import plot
from consilience.plot._chance import expected_agreement
from consilience.plot.style import inline_svg, rendered

KRIPP = cs.datasets.load("krippendorff_2011")
FLEISS = cs.datasets.load("fleiss_1971")
BINARY = cs.datasets.load("di_eugenio_glass_2004_skewed")
FIGURES = {
    "forest": lambda: plot.forest(cs.measure(FLEISS), thresholds=(0.667, 0.8)),
    "confusion": lambda: plot.confusion(FLEISS),
    "raters": lambda: plot.raters(KRIPP),
    "leave_one_out": lambda: plot.leave_one_out(KRIPP),
    "label_use": lambda: plot.label_use(KRIPP),
    "item_agreement": lambda: plot.item_agreement(FLEISS),
    "design": lambda: plot.design(KRIPP),
    "chance_surface": lambda: plot.chance_surface("pi", BINARY),
    "prevalence_effect": lambda: plot.prevalence_effect(BINARY),
    "tolerance": lambda: plot.tolerance(cs.datasets.load("shrout_fleiss_1979")),
    "batches": lambda: plot.batches({"a": KRIPP, "b": KRIPP}),
}


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_a_figure_is_axes_and_gives_the_same_bytes(name):
    first, second = FIGURES[name](), FIGURES[name]()
    assert hasattr(first, "get_xlabel")
    assert rendered(first, "svg") == rendered(second, "svg")
    assert rendered(first, "png")[:4] == b"\x89PNG"
    assert rendered(first, "pdf")[:4] == b"%PDF"


@pytest.mark.parametrize("name", sorted(FIGURES))
def test_inline_svg_follows_the_page(name):
    text = inline_svg(FIGURES[name](), title='a "b" <c>', prefix=name)
    assert text.startswith('<svg role="img" aria-label="a &quot;b&quot; &lt;c&gt;"')
    assert "#1f2328" not in text
    assert "http" not in text.replace('xmlns="http://www.w3.org/2000/svg"', "")


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


def test_the_forest_shows_each_value_and_interval():
    ax = plot.forest([cs.krippendorff_alpha(FLEISS)])
    dots = [line for line in ax.lines if line.get_marker() == "o"]
    assert dots[0].get_xdata()[0] == pytest.approx(cs.krippendorff_alpha(FLEISS).value)


def test_the_histogram_counts_every_item():
    ax = plot.item_agreement(FLEISS)
    assert sum(patch.get_height() for patch in ax.patches) == 30


def test_the_design_is_empty_where_ratings_are_missing():
    image = plot.design(KRIPP).images[0].get_array()
    assert image.shape == (4, 12)
    assert image.sum() == KRIPP.n_ratings


@pytest.mark.parametrize(
    ("call", "match"),
    [
        (lambda: plot.chance_surface("nope"), "coefficient"),
        (lambda: plot.chance_surface("pi", KRIPP), "two raters and two labels"),
        (lambda: plot.confusion(cs.Ratings.from_wide([["a", "a"]] * 3)), "at least two"),
        (lambda: plot.tolerance(FLEISS), "numbers"),
        (lambda: plot.prevalence_effect(1.5), "observed"),
        (lambda: plot.batches({}), "at least one"),
        (lambda: plot.forest([]), "at least one"),
        (lambda: plot.design(FLEISS), "who rated"),
        (lambda: plot.save(FIGURES["forest"](), "x.bmp"), ".pdf, .png or .svg"),
    ],
)
def test_what_cannot_be_drawn_is_said(call, match):
    with pytest.raises(cs.ConsilienceError, match=match):
        call()


def test_a_label_with_dollar_signs_is_a_label():
    ratings = cs.Ratings.from_wide([["$x^2$", "$x^2$"], ["b", "$x^2$"], ["b", "b"]] * 5)
    assert b"$x^2$" in rendered(plot.confusion(ratings), "svg")


def test_saving_writes_the_file(tmp_path):
    assert plot.save(FIGURES["forest"](), tmp_path / "a.png").stat().st_size > 1000
