from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import consilience as cs
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.binary_kappa import goodness_of_fit_test
from consilience.inference.comparisons import (
    Comparison,
    compare_groups,
    donner_eliasziw_klar,
    equivalence,
    holm,
    non_inferiority,
)

TABLES = [[[24, 8], [14, 24]], [[20, 20], [10, 50]], [[31, 9], [4, 56]]]
p_lists = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def kappas(**options: Any) -> list[cs.Estimate]:
    return [cs.cohen_kappa(cs.Ratings.from_table(table), **options) for table in TABLES]


# --- groups ---------------------------------------------------------------------------------------


def test_two_groups_are_the_square_of_a_z_test() -> None:
    first, second = kappas()[:2]
    z = (first.value - second.value) / math.hypot(first.standard_error, second.standard_error)
    test = compare_groups([first, second], method="wald")
    assert test.statistic == pytest.approx(z**2)
    assert test.degrees_of_freedom == 1
    assert test.values == (first.value, second.value)


def test_equal_groups_differ_by_nothing() -> None:
    same = kappas()[0]
    assert compare_groups([same, same, same]).p_value > 0.99
    test = compare_groups([same, same, same], method="wald")
    assert test.statistic == pytest.approx(0)
    assert test.p_value == pytest.approx(1)
    assert test.pooled_value == pytest.approx(same.value)
    assert test.pooled_standard_error == pytest.approx(same.standard_error / math.sqrt(3))


def test_any_coefficient_of_any_groups_can_be_compared() -> None:
    rng = np.random.default_rng(0)
    estimates = [
        cs.krippendorff_alpha(cs.Ratings.from_wide(rng.integers(0, 3, (50, r)))) for r in (2, 3, 5)
    ]
    assert compare_groups(estimates).degrees_of_freedom == 2


def test_groups_that_cannot_be_compared_are_refused() -> None:
    good = kappas()
    with pytest.raises(InputError, match=r"estimates must be at least two\. Got 1"):
        compare_groups(good[:1])
    with pytest.raises(InputError, match="of one coefficient"):
        compare_groups([good[0], cs.scott_pi(cs.Ratings.from_table(TABLES[1]))])
    with pytest.raises(InputError, match="holds at 0 only"):
        compare_groups(kappas(standard_error="fleiss-cohen-everitt-null"))
    perfect = cs.cohen_kappa(cs.Ratings.from_table([[5, 0], [0, 5]]))
    with pytest.raises(InputError, match=r"standard error above 0.*donner_eliasziw_klar"):
        compare_groups([good[0], perfect], method="wald")
    with pytest.raises(InputError, match="method"):
        compare_groups(good, method="permutation")


def test_a_group_at_full_agreement_is_a_result() -> None:
    perfect = cs.cohen_kappa(cs.Ratings.from_table([[50, 0], [0, 50]]))
    poor = cs.cohen_kappa(cs.Ratings.from_table([[30, 20], [20, 30]]))
    assert compare_groups([perfect, poor]).p_value < 0.001
    few = cs.cohen_kappa(cs.Ratings.from_table([[5, 0], [0, 5]]))
    assert compare_groups([few, kappas()[0]]).p_value > 0.001


def test_groups_of_rare_labels_are_not_called_different_too_often() -> None:
    """Wald's test called 46 % of four such groups different."""
    rng = np.random.default_rng(3)
    prevalence, kappa = 0.1, 0.3
    both = prevalence**2 + kappa * prevalence * (1 - prevalence)
    neither = (1 - prevalence) ** 2 + kappa * prevalence * (1 - prevalence)
    cells = [both, (1 - both - neither) / 2, (1 - both - neither) / 2, neither]
    rejected = 0
    for _ in range(60):
        tables = rng.multinomial(30, cells, size=4).reshape(4, 2, 2)
        made = [cs.scott_pi(cs.Ratings.from_table(t), on_undefined="ignore") for t in tables]
        defined = [one for one in made if one.status == "ok"]
        rejected += compare_groups(defined).p_value <= 0.05
    assert rejected <= 8  # 3 expected; 9 and more have a chance of 0.3 %


def test_small_groups_add_up_their_goodness_of_fit() -> None:
    test = donner_eliasziw_klar(TABLES)
    parts = [goodness_of_fit_test(table, null=test.pooled_value).statistic for table in TABLES]
    assert test.statistic == pytest.approx(math.fsum(parts))
    ratings = [cs.Ratings.from_table(table) for table in TABLES]
    assert repr(donner_eliasziw_klar(ratings)) == repr(test)  # some of it is no number
    assert math.isnan(test.pooled_standard_error)


def test_full_agreement_in_one_group_is_no_obstacle() -> None:
    test = donner_eliasziw_klar([[[10, 0], [0, 12]], [[9, 3], [2, 11]]])
    assert test.values[0] == 1.0
    assert 0 < test.p_value < 0.1


def test_a_group_with_one_label_has_no_kappa_to_compare() -> None:
    test = donner_eliasziw_klar([[[10, 0], [0, 0]], [[9, 3], [2, 11]]])
    assert math.isnan(test.p_value)
    assert math.isnan(test.values[0])


def test_groups_must_be_binary_tables_of_two_raters() -> None:
    with pytest.raises(InputError, match="groups must be at least two"):
        donner_eliasziw_klar(TABLES[:1])
    with pytest.raises(UnsupportedDesignError, match="exactly two categories"):
        donner_eliasziw_klar([TABLES[0], np.eye(3)])


# --- Holm -----------------------------------------------------------------------------------------


@given(p_lists)
def test_adjusted_p_values_are_larger_keep_their_order_and_stay_within_bonferroni(
    p_values: list[float],
) -> None:
    adjusted = holm(p_values)
    given_p = np.array(p_values)
    assert (adjusted >= given_p).all()
    assert (adjusted <= np.minimum(given_p * len(p_values), 1) + 1e-15).all()
    order = np.argsort(given_p, kind="stable")
    assert (np.diff(adjusted[order]) >= 0).all()


def test_names_are_kept_and_missing_tests_do_not_count() -> None:
    assert holm({"a": 0.02, "b": math.nan, "c": 0.01})["c"] == pytest.approx(0.02)
    adjusted = holm([0.02, math.nan, 0.01])
    assert adjusted[[0, 2]] == pytest.approx([0.02, 0.02])
    assert math.isnan(adjusted[1])
    assert holm([]).size == 0


@pytest.mark.parametrize("bad", [[1.2], [-0.1], ["small"], [[0.1, 0.2]], 0.05])
def test_what_is_no_list_of_p_values_is_refused(bad: Any) -> None:
    with pytest.raises(InputError, match="p_values must be"):
        holm(bad)


# --- margins --------------------------------------------------------------------------------------


def test_equivalence_is_the_worse_of_two_one_sided_tests() -> None:
    from scipy import stats

    test = equivalence(0.04, standard_error=0.03, margin=0.10, degrees_of_freedom=20)
    upper = stats.t(20).cdf((0.04 - 0.10) / 0.03)
    lower = stats.t(20).sf((0.04 + 0.10) / 0.03)
    assert test.p_value == pytest.approx(max(upper, lower))
    mirrored = equivalence(-0.04, standard_error=0.03, margin=0.10, degrees_of_freedom=20)
    assert mirrored.p_value == pytest.approx(test.p_value)


def test_equivalence_at_5_percent_means_the_90_percent_interval_lies_inside_the_margin() -> None:
    for difference in np.linspace(-0.12, 0.12, 25):
        interval = Comparison(float(difference), 0.02, None, "").confidence_interval(0.9)
        inside = interval.low > -0.08 and interval.high < 0.08
        test = equivalence(float(difference), standard_error=0.02, margin=0.08)
        assert (test.p_value < 0.05) == inside


def test_being_better_is_never_inferior() -> None:
    better = non_inferiority(0.2, standard_error=0.05, margin=0.05)
    assert better.p_value < 1e-5
    assert better.null == -0.05
    assert better.alternative == "greater"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"standard_error": 0.1, "margin": 0.0}, "margin must be above 0"),
        ({"standard_error": -0.1, "margin": 0.1}, "standard_error must be 0 or more"),
        ({"standard_error": math.nan, "margin": 0.1}, "standard_error must be a number"),
        (
            {"standard_error": 0.1, "margin": 0.1, "degrees_of_freedom": 0},
            "degrees_of_freedom must be above 0",
        ),
    ],
)
def test_margins_need_numbers_that_make_sense(options: dict[str, Any], message: str) -> None:
    for function in (non_inferiority, equivalence):
        with pytest.raises(InputError, match=message):
            function(0.1, **options)


def test_no_error_gives_no_verdict() -> None:
    assert math.isnan(equivalence(0.0, standard_error=0.0, margin=0.1).p_value)
