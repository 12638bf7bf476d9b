"""Haley, Thomas, Petre & De Roeck (2008). Using a New Inter-rater Reliability Statistic."""

from __future__ import annotations

import pytest

import consilience as cs

FOUR_DECIMALS = 0.00005
TWO_DECIMALS = 0.005
HIGHEST_MARK = 4


def against_the_standard(differences: dict[int, int]) -> cs.Ratings:
    """Marks that differ from a gold standard so often by so much (Table 1-1)."""
    rows = [
        (HIGHEST_MARK, HIGHEST_MARK - difference)
        for difference, count in differences.items()
        for _ in range(count)
    ]
    return cs.Ratings.from_wide(rows, raters=("gold standard", "marker"), scale="interval")


MARKER_A = against_the_standard({0: 80, 3: 5, 4: 15})
MARKER_B = against_the_standard({0: 75, 1: 25})


def test_table_1_1_simple_metric() -> None:
    assert cs.percent_agreement(MARKER_A, distance="nominal").value == pytest.approx(0.80)
    assert cs.percent_agreement(MARKER_B, distance="nominal").value == pytest.approx(0.75)


def test_table_1_1_within_one_mark_the_order_is_reversed() -> None:
    assert float(cs.unanimous_agreement(MARKER_A, tolerance=1)) == pytest.approx(0.80)
    assert float(cs.unanimous_agreement(MARKER_B, tolerance=1)) == pytest.approx(1.00)


def test_a_weighted_coefficient_prefers_the_marker_who_is_never_far_off() -> None:
    """The complaint of section 1.2 about the simple metric, answered by a distance."""
    weighted = [cs.percent_agreement(m, distance="linear") for m in (MARKER_A, MARKER_B)]
    mean_difference = [estimate.observed_disagreement for estimate in weighted]
    assert mean_difference == pytest.approx([0.75, 0.25])


def test_table_1_3_two_markers_agree_on_96_percent() -> None:
    """The correlations of about zero printed beside it are not agreement."""
    ratings = cs.datasets.load("haley_2008_table_1_3")
    assert cs.percent_agreement(ratings, distance="nominal").value == pytest.approx(0.96)
    assert cs.gwet_ac(ratings, distance="nominal").value > 0.95


@pytest.mark.parametrize(
    ("name", "kappa", "ac1", "chance_kappa", "chance_ac1"),
    [
        ("di_eugenio_glass_2004_balanced", 0.8, 0.8, 0.5, 0.5),
        ("di_eugenio_glass_2004_skewed", -0.0526, 0.8895, 0.905, 0.095),
    ],
)
def test_worked_example_of_section_1_7(
    name: str, kappa: float, ac1: float, chance_kappa: float, chance_ac1: float
) -> None:
    ratings = cs.datasets.load(name)
    cohen, gwet = cs.cohen_kappa(ratings), cs.gwet_ac(ratings)
    assert cohen.observed == gwet.observed == pytest.approx(0.9)
    assert cohen.expected == pytest.approx(chance_kappa, abs=FOUR_DECIMALS)
    assert gwet.expected == pytest.approx(chance_ac1, abs=FOUR_DECIMALS)
    assert cohen.value == pytest.approx(kappa, abs=FOUR_DECIMALS)
    assert gwet.value == pytest.approx(ac1, abs=FOUR_DECIMALS)
    assert gwet.name == "Gwet's AC1"


def test_table_1_7() -> None:
    skewed = cs.datasets.load("di_eugenio_glass_2004_skewed")
    assert cs.cohen_kappa(skewed).value == pytest.approx(-0.05, abs=TWO_DECIMALS)
    assert cs.gwet_ac(skewed).value == pytest.approx(0.89, abs=TWO_DECIMALS)


def test_ac1_does_not_need_every_rater_on_every_item() -> None:
    """Equation 1-8 divides by r(r - 1) throughout; the general form divides by r_i(r_i - 1)."""
    rows = [[1, 1, None], [1, 2, 1], [2, 2, 2], [None, 2, 1]]
    ac1 = cs.gwet_ac(cs.Ratings.from_wide(rows, categories=(1, 2)))
    p_a = (1 + 1 / 3 + 1 + 0) / 4
    pi_1 = (1 + 2 / 3 + 0 + 1 / 2) / 4
    p_e = 2 * pi_1 * (1 - pi_1)
    assert ac1.observed == pytest.approx(p_a)
    assert ac1.expected == pytest.approx(p_e)
    assert ac1.value == pytest.approx((p_a - p_e) / (1 - p_e))
