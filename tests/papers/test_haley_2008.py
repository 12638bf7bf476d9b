"""Haley, Thomas, Petre & De Roeck (2008). Using a New Inter-rater Reliability Statistic."""

from __future__ import annotations

import statistics
from typing import Any

import pytest

import consilience as cs
from consilience import magnitudes

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


# --- section 1.3: correlations --------------------------------------------------------------------

TABLE_1_3 = cs.Ratings.from_table([[0, 1], [1, 48]], categories=(2, 4), scale="interval")
THREE_DECIMALS = 0.0005


@pytest.mark.parametrize(
    ("variant", "value", "error"), [("b", -0.020, 0.014), ("c", -0.002, 0.002)]
)
def test_table_1_3_kendall(variant: str, value: float, error: float) -> None:
    tau = magnitudes.kendall_tau(TABLE_1_3, variant=variant)
    assert tau.value == pytest.approx(value, abs=THREE_DECIMALS)
    assert tau.ase1 == pytest.approx(error, abs=THREE_DECIMALS)
    assert tau.statistic == pytest.approx(-0.722, abs=THREE_DECIMALS)
    assert tau.p_value == pytest.approx(0.470, abs=THREE_DECIMALS)


@pytest.mark.parametrize("correlation", [magnitudes.spearman, magnitudes.pearson])
def test_table_1_3_correlations(correlation: Any) -> None:
    one = correlation(TABLE_1_3)
    assert one.value == pytest.approx(-0.020, abs=THREE_DECIMALS)
    assert one.ase1 == pytest.approx(0.014, abs=THREE_DECIMALS)
    assert one.statistic == pytest.approx(-0.141, abs=THREE_DECIMALS)
    assert one.p_value == pytest.approx(0.888, abs=THREE_DECIMALS)


def test_another_null_variance_gives_another_p_value() -> None:
    """SPSS prints .470 where Kendall's variance over all permutations gives .886."""
    tau = magnitudes.kendall_tau(TABLE_1_3)
    assert tau.test(method="kendall").p_value == pytest.approx(0.886, abs=THREE_DECIMALS)


def test_equation_1_3_is_tau_a() -> None:
    x, y = [1, 2, 3, 4, 4], [1, 3, 2, 4, 4]
    tau = magnitudes.kendall_tau(x, y, variant="a")
    assert (tau.n_concordant, tau.n_discordant) == (8, 1)
    assert tau.value == pytest.approx((8 - 1) / 10)


# --- sections 1.4 and 1.5: differences and distances ----------------------------------------------


def test_effect_size_is_the_difference_over_the_mean_standard_deviation() -> None:
    x, y = [4.0, 3.0, 4.0, 2.0, 4.0], [3.0, 3.0, 2.0, 2.0, 3.0]
    gap = magnitudes.paired_differences(x, y)
    spread = (statistics.stdev(x) + statistics.stdev(y)) / 2
    assert gap.d_av == pytest.approx((statistics.mean(x) - statistics.mean(y)) / spread)
    assert gap.share_of_zeros == pytest.approx(0.4)  # what Wilcoxon's test throws away


def test_distances_reverse_the_order_of_the_simple_metric() -> None:
    first, second = (magnitudes.vector_distance(m) for m in (MARKER_A, MARKER_B))
    assert first.simple_metric > second.simple_metric
    assert (first.l1, second.l1) == (75, 25)
    assert (first.l2, second.l2) == pytest.approx((285**0.5, 5))


# --- formulas and figures -------------------------------------------------------------------------

TUTOR = [4.0, 4.0, 3.0, 4.0, 2.0, 4.0, 1.0, 4.0, 3.0, 4.0]
COMPUTER = [4.0, 3.0, 3.0, 4.0, 3.0, 4.0, 0.0, 4.0, 4.0, 4.0]


def test_equation_1_1_pearson() -> None:
    n, x, y = len(TUTOR), TUTOR, COMPUTER
    above = n * sum(a * b for a, b in zip(x, y, strict=True)) - sum(x) * sum(y)
    spread = [n * sum(a * a for a in one) - sum(one) ** 2 for one in (x, y)]
    r = above / (spread[0] ** 0.5 * spread[1] ** 0.5)
    assert magnitudes.pearson(x, y).value == pytest.approx(r)


def test_equation_1_2_lacks_one_minus_and_holds_without_ties_only() -> None:
    x, y = [1, 2, 3, 4, 5, 6], [2, 1, 3, 6, 4, 5]
    squares = sum((a - b) ** 2 for a, b in zip(x, y, strict=True))
    printed = 6 * squares / (6 * 35)
    assert magnitudes.spearman(x, y).value == pytest.approx(1 - printed)
    ranks = [statistics.mean([i + 1 for i, b in enumerate(sorted(TUTOR)) if b == a]) for a in TUTOR]
    others = [
        statistics.mean([i + 1 for i, b in enumerate(sorted(COMPUTER)) if b == a]) for a in COMPUTER
    ]
    rho = magnitudes.spearman(TUTOR, COMPUTER).value
    assert rho == pytest.approx(magnitudes.pearson(ranks, others).value)
    squares = sum((a - b) ** 2 for a, b in zip(ranks, others, strict=True))
    assert rho != pytest.approx(1 - 6 * squares / (10 * 99), abs=0.01)


def test_figure_1_2_marks_are_negatively_skewed() -> None:
    """Markers give high marks: the tail of the distribution goes to the left."""
    tutor, computer = magnitudes.describe_marks(TUTOR, COMPUTER).raters
    for one, marks in ((tutor, TUTOR), (computer, COMPUTER)):
        gaps = [mark - statistics.mean(marks) for mark in marks]
        spread = statistics.pstdev(marks)
        assert one.skewness == pytest.approx(sum(gap**3 for gap in gaps) / 10 / spread**3)
        assert one.skewness < -0.5


def test_section_1_3_2_marks_of_twice_the_size_correlate_and_disagree() -> None:
    twice = [2 * mark for mark in TUTOR]
    assert magnitudes.pearson(TUTOR, twice).value == pytest.approx(1)
    assert cs.percent_agreement(TUTOR, twice).value < 0.5
    assert magnitudes.lin_ccc(TUTOR, twice).value < 0.5


def test_section_1_3_2_marks_one_point_off_either_way_correlate_little_and_agree_well() -> None:
    human = [3, 4] * 20
    computer = [4, 4, 3, 3] * 10
    marks = cs.Ratings.from_wide(list(zip(human, computer, strict=True)), scale="interval")
    assert magnitudes.pearson(marks).value == pytest.approx(0, abs=0.01)
    assert float(cs.unanimous_agreement(marks, tolerance=1)) == 1
    declared = cs.Ratings.from_wide(
        list(zip(human, computer, strict=True)), categories=range(5), scale="ordinal"
    )
    assert cs.gwet_ac(declared, distance="quadratic").value > 0.9


def test_section_1_4_the_effect_size_has_an_interval() -> None:
    gap = magnitudes.paired_differences(TUTOR, COMPUTER)
    interval = gap.d_z_interval()
    assert interval.low < gap.d_z < interval.high


def test_section_1_6_1_agreement_of_97_percent_with_kappa_near_zero() -> None:
    ratings = cs.Ratings.from_table([[97, 1], [2, 0]])
    assert cs.percent_agreement(ratings).value == pytest.approx(0.97)
    assert abs(cs.cohen_kappa(ratings).value) < 0.02
    assert cs.gwet_ac(ratings).value > 0.96


def test_equation_1_8_ac1_for_more_raters_and_categories() -> None:
    rows = [["a", "a", "b"], ["c", "c", "c"], ["a", "b", "c"], ["b", "b", "b"]]
    p_a = statistics.mean([1 / 3, 1, 0, 1])
    shares = [3 / 12, 5 / 12, 4 / 12]
    p_e = sum(p * (1 - p) for p in shares) / (3 - 1)
    ac1 = cs.gwet_ac(cs.Ratings.from_wide(rows))
    assert (ac1.observed, ac1.expected) == pytest.approx((p_a, p_e))
    assert ac1.value == pytest.approx((p_a - p_e) / (1 - p_e))
