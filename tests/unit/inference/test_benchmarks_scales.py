from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.exceptions import InputError
from consilience.inference._benchmarks import SCALES, benchmark_scale, interpret, membership

BIAS = "di_eugenio_glass_2004_bias"


@pytest.mark.parametrize(
    ("scale", "classes"),
    [  # values on and beside each border, as the sources print them
        (
            "landis-koch",
            {
                -0.01: "poor",
                0.0: "slight",
                0.2: "slight",
                0.21: "fair",
                0.4: "fair",
                0.6: "moderate",
                0.8: "substantial",
                0.81: "almost perfect",
                1.0: "almost perfect",
            },
        ),
        ("rietveld-van-hout", {-0.1: "below the scale", 0.0: "slight", 0.8: "substantial"}),
        ("altman", {-0.3: "poor", 0.2: "poor", 0.21: "fair", 0.8: "good", 0.81: "very good"}),
        ("fleiss", {0.39: "poor", 0.4: "fair to good", 0.75: "fair to good", 0.76: "excellent"}),
        ("cicchetti", {0.39: "poor", 0.4: "fair", 0.59: "fair", 0.6: "good", 0.75: "excellent"}),
        (
            "krippendorff",
            {0.666: "discard", 0.667: "tentative conclusions", 0.8: "reliable"},
        ),
        ("green", {0.39: "low", 0.4: "fair to good", 0.75: "high"}),
        (
            "regier",
            {
                0.19: "unacceptable",
                0.2: "questionable",
                0.4: "good",
                0.6: "very good",
                0.8: "excellent",
            },
        ),
        (
            "neuendorf",
            {0.79: "disputed", 0.8: "acceptable in most situations", 0.9: "acceptable to all"},
        ),
        (
            "koo-li",
            {0.49: "poor", 0.5: "moderate", 0.75: "moderate", 0.9: "good", 0.91: "excellent"},
        ),
        ("mcbride", {0.89: "poor", 0.9: "moderate", 0.99: "substantial", 0.995: "almost perfect"}),
    ],
)
def test_values_on_a_border_fall_where_the_source_puts_them(
    scale: str, classes: dict[float, str]
) -> None:
    assert {value: benchmark_scale(scale).label(value) for value in classes} == classes


def test_every_scale_is_complete() -> None:
    for name, scale in SCALES.items():
        assert scale.name == name
        assert len(scale.labels) == len(scale.cuts) + 1 == len(scale.borders)
        assert len(set(scale.labels)) == len(scale.labels)
        assert [cut.at for cut in scale.cuts] == sorted(cut.at for cut in scale.cuts)
        assert scale.title.split(" (")[0].split(" & ")[0].split(" et")[0] in scale.source


def test_a_scale_is_found_however_it_is_written() -> None:
    assert benchmark_scale("Landis_Koch") is benchmark_scale("landis koch")
    with pytest.raises(InputError, match="did you mean 'cicchetti'"):
        benchmark_scale("cichetti")


# --- membership -----------------------------------------------------------------------------------


@given(st.floats(-1, 1), st.floats(0.001, 2), st.sampled_from(sorted(SCALES)))
def test_memberships_add_up_to_one(value: float, error: float, scale: str) -> None:
    classes = membership(value, standard_error=error, scale=scale)
    assert math.fsum(one.probability for one in classes) == pytest.approx(1)
    assert classes[-1].cumulative == pytest.approx(1)
    assert all(0 <= one.probability <= 1 for one in classes)
    assert [one.label for one in classes] == list(reversed(SCALES[scale].labels))


def test_without_error_everything_is_on_the_class_of_the_value() -> None:
    classes = membership(0.4, standard_error=0.0)
    assert {one.label: one.probability for one in classes}["fair"] == 1.0


def test_a_small_error_gives_the_class_of_the_value() -> None:
    for value in (0.1, 0.5, 0.7, 0.95):
        classes = membership(value, standard_error=1e-4)
        best = max(classes, key=lambda one: one.probability)
        assert best.label == SCALES["landis-koch"].label(value)
        assert best.probability == pytest.approx(1)


@pytest.mark.parametrize(("value", "error"), [(1.5, 0.1), (0.5, -0.1), (math.nan, 0.1)])
def test_impossible_numbers_are_refused(value: float, error: float) -> None:
    with pytest.raises(InputError, match="must be a number"):
        membership(value, standard_error=error)


# --- reading --------------------------------------------------------------------------------------


def test_a_verdict_is_more_modest_than_the_class_of_the_value() -> None:
    """SIGIL unit 9: kappa .672 cannot be compared with a threshold of .67 without its error."""
    read = interpret(cs.cohen_kappa(cs.datasets.load(BIAS)))
    assert read.label == "substantial"
    assert read.verdict == "moderate"
    assert str(read) == (
        '0.672 is "substantial" on the scale of Landis & Koch (1977); with 95% certainty it is at '
        'least "moderate".'
    )
    assert read.cautions == ()


def test_classes_are_as_likely_as_the_estimate_says_or_as_gwet_does() -> None:
    kappa = cs.cohen_kappa(cs.Ratings.from_table([[10, 4], [3, 9]]))
    drawn = interpret(kappa, scale="landis-koch").memberships
    above = [kappa.probability_above(border) for border in (0.8, 0.6, 0.4, 0.2, 0.0)]
    assert [one.cumulative for one in drawn] == pytest.approx([*above, 1.0])
    by_gwet = interpret(kappa, scale="landis-koch", method="gwet").memberships
    error = kappa.standard_error
    assert by_gwet == membership(kappa.value, standard_error=error, scale="landis-koch")
    assert abs(by_gwet[1].cumulative - drawn[1].cumulative) > 0.001


def test_less_certainty_allows_a_better_verdict() -> None:
    kappa = cs.cohen_kappa(cs.datasets.load(BIAS))
    assert interpret(kappa, certainty=0.5).verdict == "substantial"
    with pytest.raises(InputError, match="certainty must be between 0 and 1"):
        interpret(kappa, certainty=95)


def test_a_bare_number_has_a_class_and_no_verdict() -> None:
    read = interpret(0.72, scale="krippendorff")
    assert read.label == "tentative conclusions"
    assert read.verdict is None
    assert read.memberships == ()
    with pytest.raises(InputError, match="estimate must be an Estimate or a number"):
        interpret("high")


def test_scales_for_kappa_are_too_lenient_for_ac1_and_s() -> None:
    """Stegmann & Lücking (2005), 2.2.2."""
    ratings = cs.datasets.load(BIAS)
    for coefficient in (cs.gwet_ac, cs.bennett_s):
        read = interpret(coefficient(ratings))
        assert any("stricter scale" in text for text in read.cautions)
        assert "stricter scale" in str(read)
    for coefficient in (cs.cohen_kappa, cs.scott_pi, cs.krippendorff_alpha):
        assert interpret(coefficient(ratings)).cautions == ()
    assert interpret(cs.gwet_ac(ratings), scale="neuendorf").cautions == ()


def test_raw_agreement_and_weights_and_foreign_scales_are_cautioned() -> None:
    ratings = cs.datasets.load(BIAS)
    raw = interpret(cs.percent_agreement(ratings))
    assert any("not corrected for chance" in text for text in raw.cautions)
    vision = cs.Ratings.from_table([[9, 2, 1], [1, 9, 2], [0, 3, 8]], scale="ordinal")
    weighted = interpret(cs.cohen_kappa(vision, distance="quadratic"))
    assert any("'quadratic'" in text for text in weighted.cautions)
    foreign = interpret(cs.cohen_kappa(ratings), scale="koo-li")
    assert any("intraclass" in text for text in foreign.cautions)


def test_full_agreement_gives_no_false_certainty() -> None:
    read = interpret(cs.cohen_kappa(cs.Ratings.from_table([[2, 0], [0, 2]])))
    assert read.label == "almost perfect"
    assert read.verdict in ("slight", "fair")  # four items
    kappa = cs.cohen_kappa(cs.Ratings.from_table([[2, 0], [0, 3]]))
    assert interpret(kappa, method="gwet").verdict is None


def test_an_error_that_holds_at_zero_gives_no_verdict() -> None:
    ratings = cs.datasets.load(BIAS)
    kappa = cs.cohen_kappa(ratings, standard_error="fleiss-cohen-everitt-null")
    assert interpret(kappa, method="gwet").verdict is None


def test_an_undefined_estimate_has_no_class() -> None:
    nothing = cs.cohen_kappa(cs.Ratings.from_table([[5, 0], [0, 0]]), on_undefined="ignore")
    read = interpret(nothing)
    assert read.label is None
    assert str(read).startswith("undefined")
    assert read.to_dict()["value"] is None


def test_plain_data_carry_the_source() -> None:
    record = interpret(cs.cohen_kappa(cs.datasets.load(BIAS))).to_dict()
    assert record["label"] == "substantial"
    assert "doi:10.2307/2529310" in str(record["source"])
