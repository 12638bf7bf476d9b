"""Stegmann & Lücking (2005). Assessing Reliability on Annotations (1): Theoretical Considerations.

Where the report errs, the right value is asserted and the printed one named.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience import latent
from consilience.exceptions import UndefinedCoefficientWarning
from consilience.inference.null_value_tests import MonteCarloTest

PRINTED = {"four decimals": 0.00005, "two decimals": 0.005}


def chance_ratings(*p_k: float) -> cs.Ratings:
    """Two raters who draw independently from one urn: exactly the expected table."""
    expected = 100 * np.outer(p_k, p_k)
    return cs.Ratings.from_table(np.rint(expected).astype(int), categories=range(len(p_k)))


def test_table_2_3_a_balanced() -> None:
    kappa = cs.cohen_kappa(cs.datasets.load("di_eugenio_glass_2004_balanced"))
    assert kappa.observed == pytest.approx(0.9)
    assert kappa.expected == pytest.approx(0.5)
    assert kappa.value == pytest.approx(0.80, abs=PRINTED["two decimals"])


def test_table_2_3_b_skewed() -> None:
    kappa = cs.cohen_kappa(cs.datasets.load("di_eugenio_glass_2004_skewed"))
    assert kappa.observed == pytest.approx(0.9)
    assert kappa.expected == pytest.approx(0.905)
    assert kappa.value == pytest.approx(-0.0526, abs=PRINTED["four decimals"])


def test_equal_use_of_two_categories_makes_chance_agreement_one_half() -> None:
    """Section 2.2.1. (Weighted by a quarter of chance ratings it would be .125: omega.)"""
    ratings = chance_ratings(0.5, 0.5)
    assert cs.scott_pi(ratings).expected == pytest.approx(0.5)
    assert cs.cohen_kappa(ratings).expected == pytest.approx(0.5)


def test_urn_of_section_3_1_exceeds_the_chance_bound_of_ac1() -> None:
    ratings = chance_ratings(0.8, 0.2)
    assert cs.cohen_kappa(ratings).expected == pytest.approx(0.68)
    assert cs.cohen_kappa(ratings).observed == pytest.approx(0.64 + 0.04)
    assert cs.cohen_kappa(ratings).value == pytest.approx(0, abs=1e-12)
    assert cs.gwet_ac(ratings).expected <= 0.5


@pytest.mark.parametrize("share", [0.5, 0.6, 0.8, 0.95])
def test_chance_estimates_stay_in_the_ranges_of_figures_2_1_to_2_3(share: float) -> None:
    """Two categories: pi from .5 to 1, kappa from 0 to 1, AC1 from 0 to .5."""
    ratings = chance_ratings(share, 1 - share)
    assert 0.5 - 1e-12 <= cs.scott_pi(ratings).expected <= 1
    assert 0 <= cs.cohen_kappa(ratings).expected <= 1
    assert 0 <= cs.gwet_ac(ratings).expected <= 0.5 + 1e-12


def test_total_disagreement_is_minus_one_for_kappa_pi_and_ac1() -> None:
    """Footnote 28 prints lower bounds of -100 for kappa and -200 for pi.

    They come from varying observed and expected agreement as if they were independent.
    """
    ratings = cs.Ratings.from_table([[0, 50], [50, 0]], categories=(1, 2))
    for coefficient in (cs.cohen_kappa, cs.scott_pi, cs.gwet_ac):
        assert coefficient(ratings).value == pytest.approx(-1)


def test_alpha_is_pi_only_in_the_limit() -> None:
    """Section 2.2.1 has alpha equal pi for two raters; alpha = (1 - e) pi + e with e = 1/(2n)."""
    ratings = cs.datasets.load("di_eugenio_glass_2004_skewed")
    pi = cs.scott_pi(ratings).value
    assert cs.krippendorff_alpha(ratings).value == pytest.approx((1 - 1 / 200) * pi + 1 / 200)


def test_kappa_is_undefined_when_observed_and_expected_agreement_are_one() -> None:
    """Footnote 25: the formula divides by zero, so there is no result."""
    ratings = cs.Ratings.from_table([[10, 0], [0, 0]], categories=(1, 2))
    for coefficient in (cs.cohen_kappa, cs.scott_pi):
        with pytest.warns(UndefinedCoefficientWarning):
            estimate = coefficient(ratings)
        assert estimate.status == "undefined"
        assert np.isnan(estimate.value)


# --- 3.2 omega ------------------------------------------------------------------------------------


def both_twice(first: list[str], again: list[str]) -> cs.Ratings:
    """Two raters; the second repeats herself, the first gives `again` the second time."""
    n = len(first)
    return cs.Ratings.from_long(
        {
            "item": [*range(n)] * 4,
            "rater": ["A"] * 2 * n + ["B"] * 2 * n,
            "occasion": [1] * n + [2] * n + [1] * n + [2] * n,
            "label": [*first, *again, *first, *first],
        },
        occasion="occasion",
    )


def test_2_2_1_a_quarter_of_chance_ratings_gives_an_eighth_of_chance_agreement() -> None:
    """The worked example: .125, where pi and kappa would put .5."""
    assert latent.omega_chance_term(0.25, [0.5, 0.5], [0.5, 0.5]) == 0.125
    result = latent.omega(chance_ratings(0.5, 0.5), weight=0.25, chance="marginal")
    assert result.expected == pytest.approx(0.125)
    assert result.value == pytest.approx((0.5 - 0.125) / (1 - 0.125))


def test_3_2_formula_3_1_and_3_2_by_hand() -> None:
    """Eight items, two of which the first rater labels anew: w = 2/8 as a plain union."""
    ratings = both_twice(list("aabbaabb"), list("aabbaaaa"))
    result = latent.omega(ratings, weight="naive")
    assert result.weight == pytest.approx(2 / 8)
    assert result.expected == pytest.approx(2 / 8 * 0.5)
    assert result.observed == pytest.approx((6 + 2 * 0.5) / 8)
    assert result.value == pytest.approx((0.875 - 0.125) / (1 - 0.125))


def test_footnote_11_all_items_that_either_rater_guessed_count() -> None:
    """Section 3.2 takes the plain union; guesses that repeat by luck are missed by it."""
    ratings = both_twice(list("aabbaabb"), list("aabbaaaa"))
    assert latent.omega(ratings).weight == pytest.approx(2 / 8 / (1 - 0.5))


def test_footnote_7_a_bias_that_always_applies_looks_serious() -> None:
    """A rater who says a whenever in doubt never contradicts herself: w stays 0."""
    biased = both_twice(["a"] * 6 + ["b"] * 2, ["a"] * 6 + ["b"] * 2)
    assert latent.omega(biased).weight == 0.0
    assert latent.omega(biased).value == 1.0


def test_table_2_1_three_designs_of_reliability() -> None:
    ratings = both_twice(list("aabbaabb"), list("aabbaaba"))
    table = latent.reliability_designs(ratings, gold=list("aabbaabb"))
    assert [(row.reliability, row.design, row.focus) for row in table.rows] == [
        ("stability", "test vs. retest", "intra-observer"),
        ("stability", "test vs. retest", "intra-observer"),
        ("reproducibility", "test vs. test", "inter-observer"),
        ("accuracy", "test vs. standard", "deviation from norm"),
        ("accuracy", "test vs. standard", "deviation from norm"),
    ]
    assert [row.estimate.observed for row in table.rows] == [0.875, 1, 1, 1, 1]
    assert table.not_tested == {}


@pytest.mark.parametrize(
    ("chance", "coefficient"),
    [("uniform", cs.bennett_s), ("pooled", cs.scott_pi), ("marginal", cs.cohen_kappa)],
)
def test_3_2_with_w_1_omega_is_the_classic_coefficient_of_one_occasion_only(
    chance: str, coefficient: Callable[..., Any]
) -> None:
    """With several occasions omega uses them all, and the classic coefficient the first."""
    repeated = both_twice(list("aabbaabbcc"), list("aabbaaaacb"))
    classic = coefficient(repeated).value
    once = latent.omega(repeated.occasions[0], weight=1, chance=chance)
    assert once.value == pytest.approx(classic, abs=1e-12)
    assert latent.omega(repeated, weight=1, chance=chance).value != pytest.approx(classic, abs=1e-3)


# --- 2.2.2 tests against null values ------------------------------------------------------------


SKEWED = cs.datasets.load("di_eugenio_glass_2004_skewed")
BALANCED = cs.datasets.load("di_eugenio_glass_2004_balanced")


def test_2_2_2_the_null_of_no_agreement_is_that_of_raters_who_guess() -> None:
    """Gwet's Monte Carlo tables: random assignment of the subjects to the categories."""
    test = cs.gwet_ac(SKEWED).test(0.0, alternative="greater", method="monte-carlo")
    exact = cs.ac1_critical_values(n_items=100, n_raters=2, n_categories=2)
    assert isinstance(test, MonteCarloTest)
    assert test.share_known == 0.0
    for one in exact.critical_values:
        assert test.critical_value(one.level) == pytest.approx(one.value, abs=0.01)
    assert test.null_mean == pytest.approx(exact.mean, abs=5 * 0.1 / 100)
    assert test.p_value == 1 / 10_000  # none of 9,999 studies reaches .89


@pytest.mark.parametrize("null", [0.1, 0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("name", ["gwet_ac", "cohen_kappa", "scott_pi", "krippendorff_alpha"])
def test_2_2_2_studies_drawn_with_a_watermark_have_it(name: str, null: float) -> None:
    """By drawing item after item, without the model's own arithmetic."""
    one = cs.measure(BALANCED)[name]
    test = one.test(null, method="monte-carlo", n_resamples=200)
    rng, n = np.random.default_rng(1), 200_000
    truth, guess = rng.integers(2, size=n), rng.integers(2, size=(n, 2))
    known = rng.random(n) < test.share_known
    labels = np.where(known[:, None], truth[:, None], guess)
    table = np.histogram2d(labels[:, 0], labels[:, 1], bins=2)[0].astype(int)
    drawn = cs.measure(cs.Ratings.from_table(table))[name]
    assert drawn.value == pytest.approx(null, abs=5 * 0.0025)


def test_2_2_2_critical_values_of_any_null_value_are_those_of_the_binomial() -> None:
    """Two labels, equally common: S of two raters is 2 K / n - 1 with K binomial."""
    from scipy.stats import binom

    n, null = 100, 0.6
    test = cs.bennett_s(BALANCED).test(
        null, alternative="greater", method="monte-carlo", n_resamples=40_000
    )
    agreeing = 90  # of 100
    assert test.p_value == pytest.approx(binom.sf(agreeing - 1, n, (1 + null) / 2), abs=0.002)
    least = next(k for k in range(n + 1) if binom.sf(k - 1, n, (1 + null) / 2) <= 0.05)
    assert test.critical_value(0.95) == pytest.approx(2 * least / n - 1)


def test_2_2_2_monte_carlo_is_not_wald() -> None:
    """The report rejects dividing by a standard error: near 1 the two part."""
    one = cs.gwet_ac(SKEWED)
    drawn = one.test(0.8, alternative="greater", method="monte-carlo").p_value
    divided = one.test(0.8, alternative="greater", method="analytic").p_value
    assert 0.02 < drawn < 0.045
    assert divided < drawn / 2


def test_2_2_2_watermarks_from_0_to_9_tenths() -> None:
    ladder = cs.null_tests(cs.gwet_ac(SKEWED))
    assert [one.null for one in ladder.tests] == pytest.approx([k / 10 for k in range(10)])
    p_values = [one.p_value for one in ladder.tests]
    assert p_values == sorted(p_values)
    assert ladder.highest_rejected == pytest.approx(0.8)


def test_2_2_2_words_of_the_two_scales_that_the_report_quotes() -> None:
    words = {one.scale.name: one.label for one in cs.null_tests(cs.cohen_kappa(BALANCED)).words}
    assert words["krippendorff"] in ("reliable", "tentative conclusions")
    assert words["rietveld-van-hout"] == "substantial"


@pytest.mark.parametrize("null", [0.0, 0.5, 0.9])
def test_2_2_2_critical_values_without_data_are_those_of_the_test(null: float) -> None:
    table = cs.ac1_critical_values(n_items=100, n_raters=2, n_categories=2, null=null)
    test = cs.gwet_ac(BALANCED).test(null, method="monte-carlo", n_resamples=40_000)
    for one in table.critical_values:
        assert test.critical_value(one.level) == pytest.approx(one.value, abs=0.02)


def test_a_null_value_that_such_raters_cannot_have_is_refused() -> None:
    with pytest.raises(cs.ConsilienceError, match=r"0\.905 if they only guess"):
        cs.percent_agreement(SKEWED).test(0.5, method="monte-carlo")


def test_figures_2_1_to_2_3_are_drawn_with_the_study_marked() -> None:
    """Table 2.3 (b): both raters say yes to 95 of 100; chance is .905 for pi and kappa."""
    ax = cs.plot.chance_surface(cs.datasets.load("di_eugenio_glass_2004_skewed"))
    titles = [panel.get_title("left") for panel in ax.figure.axes]
    assert titles == ["Scott's pi: 0.905", "Cohen's kappa: 0.905", "Gwet's AC1: 0.095"]
    for panel in ax.figure.axes:
        (dot,) = panel.lines
        assert (dot.get_xdata()[0], dot.get_ydata()[0]) == pytest.approx((0.95, 0.95))


# --- 2.2.2: critical values of any coefficient ---------------------------------------------------


def test_critical_values_of_percent_agreement_are_those_of_the_binomial() -> None:
    """Two raters who toss coins agree on a binomial number of items."""
    from scipy.stats import binom

    found = cs.coefficients.critical_values("percent", n_items=100)
    for one in found.critical_values:
        exact = next(k for k in range(101) if binom.sf(k - 1, 100, 0.5) <= 1 - one.level)
        assert one.value == pytest.approx(exact / 100)


def test_critical_values_of_ac1_by_simulation_are_near_those_that_are_counted() -> None:
    for null in (0.0, 0.4):
        drawn = cs.coefficients.critical_values("ac1", n_items=100, null=null)
        counted = cs.ac1_critical_values(n_items=100, n_raters=2, n_categories=2, null=null)
        assert drawn.mean == pytest.approx(counted.mean, abs=0.003)
        for one in drawn.critical_values:
            assert counted.p_value(one.value) == pytest.approx(1 - one.level, abs=0.012)


def test_critical_values_of_pi_are_those_of_a_simulation_by_hand() -> None:
    found = cs.coefficients.critical_values("pi", n_items=20, n_raters=4, n_categories=3)
    x = np.random.default_rng(5).integers(0, 3, size=(6_000, 20, 4))
    n = np.stack([(x == k).sum(axis=2) for k in range(3)], axis=2)
    agree = (n * (n - 1)).sum(axis=2).mean(axis=1) / 12
    chance = ((n.sum(axis=1) / 80) ** 2).sum(axis=1)
    pi = (agree - chance) / (1 - chance)
    assert [one.value for one in found.critical_values] == pytest.approx(
        np.quantile(pi, [0.9, 0.95, 0.99]).tolist(), abs=0.006
    )


def test_critical_values_need_possible_sizes_and_shares() -> None:
    with pytest.raises(cs.exceptions.InputError, match="n_categories must be a whole number of 2"):
        cs.coefficients.critical_values("kappa", n_items=9, n_categories=1)
    with pytest.raises(cs.exceptions.InputError, match="prevalence must be 2 shares"):
        cs.coefficients.critical_values("kappa", n_items=9, prevalence=[0.5, 0.6])
    with pytest.raises(cs.exceptions.UnsupportedDesignError, match=r"0\.500 if they only guess"):
        cs.coefficients.critical_values("percent", n_items=9, null=0.2)
    rare = cs.coefficients.critical_values("kappa", n_items=50, prevalence=[0.9, 0.1])
    even = cs.coefficients.critical_values("kappa", n_items=50)
    assert rare.standard_deviation == pytest.approx(even.standard_deviation, abs=0.02)
    assert rare[0.99] > even[0.99]


def test_table_2_1_says_which_rounds_each_design_rests_on() -> None:
    columns = {
        "item": [*range(6)] * 5,
        "rater": ["A"] * 18 + ["B"] * 12,
        "round": [1] * 6 + [2] * 6 + [3] * 6 + [1] * 6 + [2] * 6,
        "label": [*"aabbab", *"aabbaa", *"aabbbb", *"aabbab", *"abbbab"],
    }
    ratings = cs.Ratings.from_long(columns, occasion="round")
    table = latent.reliability_designs(ratings, gold=list("aabbab"))
    told = {(row.reliability, row.who): row.rounds for row in table.rows}
    assert told == {
        ("stability", "A"): (1, 2, 3), ("stability", "B"): (1, 2),
        ("reproducibility", "all raters"): (1,), ("accuracy", "A"): (1,), ("accuracy", "B"): (1,),
    }  # fmt: skip
    shown = str(table)
    assert "1 to 3" in shown
    assert "1 and 2" in shown
    # Agreement between raters is that of the first round alone.
    first = cs.gwet_ac(ratings.occasions[0]).value
    (between,) = [row for row in table.rows if row.reliability == "reproducibility"]
    assert between.estimate.value == first
    assert (
        "rounds" not in str(latent.reliability_designs(ratings.occasions[0])).split("who")[-1][:9]
    )
