"""Comparisons of coefficients of the same items: their errors, by hand and by leaving items out."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

import consilience as cs
from consilience.coefficients.resampled import compare_dependent
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.comparisons import DrawnComparison


@pytest.mark.parametrize(
    "coefficient", [cs.krippendorff_alpha, cs.scott_pi, cs.gwet_ac, cs.cohen_kappa]
)
def test_the_error_of_a_difference_allows_for_items_that_one_side_lacks(coefficient):
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 3, 120)
    guess = rng.integers(0, 3, (120, 4))
    marks = np.where(rng.random((120, 4)) < 0.7, truth[:, None], guess).astype(float)
    marks[rng.random((120, 4)) < 0.4] = np.nan
    ratings = cs.Ratings.from_wide(marks, raters=list("abcd"))

    def difference(rows):
        some = cs.Ratings.from_wide(rows, raters=list("abcd"))
        return coefficient(some).value - coefficient(some.select(raters="abc")).value

    left_out = np.array([difference(np.delete(marks, k, axis=0)) for k in range(120)])
    jackknife = np.sqrt(119 / 120 * ((left_out - left_out.mean()) ** 2).sum())
    found = coefficient(ratings.select(raters="abc")).compare(coefficient(ratings))
    assert found.standard_error == pytest.approx(jackknife, rel=0.04)


def test_shares_of_agreement_are_compared_by_the_paired_t_test():
    agreed, (first, second, _) = three_pairs()
    found = cs.percent_agreement(first).compare(cs.percent_agreement(second))
    by_hand = stats.ttest_rel(agreed[1], agreed[0])
    assert found.difference == pytest.approx(agreed[1].mean() - agreed[0].mean())
    assert found.degrees_of_freedom == 59
    assert (found.statistic, found.p_value) == pytest.approx((by_hand.statistic, by_hand.pvalue))


def test_two_items_are_enough_for_an_error():
    ratings = cs.Ratings.from_wide([["a", "a", "b"], ["b", "a", "b"]], raters="ABC")
    first, second = (cs.percent_agreement(ratings.select(raters=pair)) for pair in ("AB", "AC"))
    found = first.compare(second)  # differences -1 and 1
    assert (found.difference, found.standard_error, found.degrees_of_freedom) == (0.0, 1.0, 1.0)


@pytest.mark.parametrize("null", [-0.1, 0.0, 0.06, 0.2])
def test_a_drawn_difference_is_rejected_where_its_interval_leaves_it_out(null):
    draws = np.random.default_rng(1).normal(0.1, 0.03, 9_999)
    found = DrawnComparison(0.1, 0.03, None, "dirichlet", draws)
    below = (1 + (draws <= null).sum()) / 10_000
    above = (1 + (draws >= null).sum()) / 10_000
    p = min(1.0, 2 * min(below, above))
    test = found.test(null)
    assert test.p_value == pytest.approx(p)
    assert test.statistic == pytest.approx(np.sign(0.1 - null) * stats.norm.isf(p / 2))
    assert found.test(null, alternative="greater").p_value == pytest.approx(below)
    assert found.test(null, alternative="less").p_value == pytest.approx(above)
    low, high = found.confidence_interval(0.95)
    assert (low <= null <= high) == (p > 0.05)
    margin = abs(null) + 0.01
    worse = max((draws <= -margin).sum(), (draws >= margin).sum())
    assert found.equivalence(margin).p_value == pytest.approx((1 + worse) / 10_000)
    assert found.non_inferiority(margin).p_value == pytest.approx(
        (1 + (draws <= -margin).sum()) / 10_000
    )


# --- several coefficients at once ---


def three_pairs(clusters=None):
    rng = np.random.default_rng(3)
    truth = rng.integers(0, 2, 60)
    sure = rng.random((60, 3)) < (0.9, 0.7, 0.5)
    marks = np.where(sure, truth[:, None], rng.integers(0, 2, (60, 3)))
    ratings = cs.Ratings.from_wide(marks, raters="ABC").with_clusters(clusters)
    agreed = np.stack([marks[:, g] == marks[:, h] for g, h in ((0, 1), (0, 2), (1, 2))])
    return agreed.astype(float), [ratings.select(raters=pair) for pair in ("AB", "AC", "BC")]


def hotelling(mean, covariance):
    """T^2 of Vanbelle & Albert (2008): the differences from the last one."""
    contrast = np.array([[1.0, 0.0, -1.0], [0.0, 1.0, -1.0]])
    gap = contrast @ mean
    return gap @ np.linalg.inv(contrast @ covariance @ contrast.T) @ gap


@pytest.mark.parametrize("size", [1, 5])
def test_shares_of_agreement_are_compared_as_means_of_units(size):
    """Agreement is a mean: its covariance is that of the items, or of clusters of one size."""
    agreed, pairs = three_pairs(None if size == 1 else np.arange(60) // size)
    found = compare_dependent(*[cs.percent_agreement(pair) for pair in pairs])
    of_units = agreed.reshape(3, -1, size).mean(axis=2)
    n = of_units.shape[1]
    statistic = hotelling(of_units.mean(axis=1), np.cov(of_units) / n)
    assert found.statistic == pytest.approx(statistic)
    assert found.degrees_of_freedom == 2
    assert found.p_value == pytest.approx(stats.f.sf(statistic * (n - 2) / (2 * (n - 1)), 2, n - 2))


def test_influences_are_taken_from_their_mean():
    """Where a constant is added to every cell, the items' influence does not add up to nothing."""
    _, pairs = three_pairs()
    first, second = (cs.aickin_alpha(pair, continuity=2.0) for pair in pairs[:2])
    influence = np.stack([one.item_influence() for one in (first, second)])
    assert np.abs(influence.mean(axis=1)).min() > 0.05
    error = np.var(influence[0] - influence[1], ddof=1) / 60
    found = compare_dependent(first, second)
    assert found.statistic == pytest.approx((first.value - second.value) ** 2 / error)


def test_coefficients_of_one_and_the_same_ratings_are_compared_as_those_of_copies():
    """Items with the same ratings are taken together there, item by item here."""
    _, (pair, *_) = three_pairs()
    same, other = (
        compare_dependent(cs.scott_pi(pair), cs.gwet_ac(second))
        for second in (pair, pair.select(raters="AB"))
    )
    assert same.statistic == pytest.approx(other.statistic, rel=1e-9)
    assert same.p_value == pytest.approx(other.p_value, rel=1e-9)


@pytest.mark.parametrize("size", [1, 5])
def test_resampled_units_give_about_the_covariance_of_the_units(size):
    agreed, pairs = three_pairs(None if size == 1 else np.arange(60) // size)
    shares = [cs.percent_agreement(pair) for pair in pairs]
    found = compare_dependent(*shares, method="bootstrap")
    of_units = agreed.reshape(3, -1, size).mean(axis=2)
    n = of_units.shape[1]
    drawn_again = np.cov(of_units, ddof=0) / n
    assert found.statistic == pytest.approx(hotelling(agreed.mean(axis=1), drawn_again), rel=0.1)
    assert found.statistic != compare_dependent(*shares, method="bootstrap", rng=1).statistic
    assert found.p_value == pytest.approx(stats.chi2.sf(found.statistic, 2))


def test_resamples_without_one_of_the_values_are_left_out():
    """A label that only two of twelve items have is missing from every eighth resample."""
    wide = [["a", "a", "a"]] * 7 + [["a", "a", "b"]] * 3 + [["b", "b", "b"], ["b", "a", "a"]]
    ratings = cs.Ratings.from_wide(wide, raters="ABC")
    found = compare_dependent(
        *[cs.cohen_kappa(ratings.select(raters=pair)) for pair in ("AB", "AC")], method="bootstrap"
    )
    assert 0.0 < found.statistic < np.inf


def test_coefficients_of_one_and_the_same_ratings_are_resampled_as_those_of_copies():
    _, (pair, *_) = three_pairs()
    same, other = (
        compare_dependent(cs.scott_pi(pair), cs.gwet_ac(second), method="bootstrap")
        for second in (pair, pair.select(raters="AB"))
    )
    assert same.statistic == pytest.approx(other.statistic, rel=0.1)


def test_what_cannot_be_compared_is_refused():
    _, pairs = three_pairs()
    kappas = [cs.cohen_kappa(pair) for pair in pairs]
    with pytest.raises(InputError, match=r"method must be .*'linearised', 'bootstrap'"):
        compare_dependent(*kappas, method="jackknife")
    with pytest.raises(InputError, match="at least two"):
        compare_dependent(kappas[0])
    with pytest.raises(InputError, match="of the same items"):
        compare_dependent(kappas[0], cs.cohen_kappa(["a", "b"] * 25, ["a", "b"] * 25))
    constant = cs.cohen_kappa(["a"] * 60, ["a"] * 60, on_undefined="ignore")
    with pytest.raises(UnsupportedDesignError, match="coefficients that are defined"):
        compare_dependent(kappas[0], constant)
