from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import consilience as cs
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import marginal_tests as homogeneity
from consilience.inference.marginal_tests import (
    bhapkar,
    bowker,
    cochran_q,
    marginal_homogeneity,
    mcnemar,
    stuart_maxwell,
)

VISION = [[1520, 266, 124, 66], [234, 1512, 432, 78], [117, 362, 1772, 205], [36, 82, 179, 492]]
PERFECT = [[4, 0, 0], [0, 3, 0], [0, 0, 2]]
counts = st.integers(0, 12)
tables = st.integers(2, 4).flatmap(
    lambda q: st.lists(st.lists(counts, min_size=q, max_size=q), min_size=q, max_size=q)
)


def disagree(table: list[list[int]]) -> bool:
    return bool(np.sum(table) > np.trace(np.array(table)))


# --- what may be passed ---------------------------------------------------------------------------


def test_a_table_ratings_and_two_sequences_give_the_same() -> None:
    table = [[2, 1], [3, 4]]
    ratings = cs.Ratings.from_table(table)
    first = ["a"] * 3 + ["b"] * 7
    second = ["a", "a", "b", "a", "a", "a", "b", "b", "b", "b"]
    for method in ("exact", "mid-p", "chi-square"):
        p_values = {
            mcnemar(*data, method=method).p_value
            for data in ((table,), (ratings,), (first, second))
        }
        assert len(p_values) == 1


def test_items_that_only_one_of_them_rated_are_left_out() -> None:
    rows = [["a", "b"], ["a", "b"], ["b", "a"], ["a", None], [None, "b"], ["a", "a"]]
    test = mcnemar(cs.Ratings.from_wide(rows), method="chi-square")
    assert test.n_items == 4
    assert test.statistic == pytest.approx(1 / 3)


@pytest.mark.parametrize("function", [mcnemar, bowker, stuart_maxwell, bhapkar])
def test_three_raters_are_refused_with_a_way_out(function: Any) -> None:
    ratings = cs.Ratings.from_wide([["a", "b", "a"], ["b", "b", "a"]], raters=["A", "B", "C"])
    with pytest.raises(
        UnsupportedDesignError,
        match=r"needs exactly two raters\. Got 3 \(A, B, C\)\. Hint: choose two with "
        r"ratings\.select\(raters=\['A', 'B'\]\)",
    ):
        function(ratings)


@pytest.mark.parametrize("function", [bowker, cochran_q, marginal_homogeneity])
def test_counts_do_not_say_who_rated(function: Any) -> None:
    with pytest.raises(UnsupportedDesignError, match="counts per item"):
        function(cs.Ratings.from_counts([[2, 1], [1, 2]]))


def test_more_than_two_labels_are_no_case_for_mcnemar() -> None:
    with pytest.raises(UnsupportedDesignError, match=r"exactly two categories\. Got 4"):
        mcnemar(VISION)


@pytest.mark.parametrize("data", [[[1, 2, 3], [4, 5, 6]], [1, 2, 3], [[1, 2], [3]]])
def test_what_is_not_a_square_table_is_refused(data: Any) -> None:
    with pytest.raises(InputError, match=r"must be square.*from_wide"):
        bowker(data)


def test_raters_without_common_items_cannot_be_tested() -> None:
    ratings = cs.Ratings.from_wide([["a", None], [None, "b"]])
    with pytest.raises(UnsupportedDesignError, match="items that both raters rated"):
        stuart_maxwell(ratings)
    with pytest.raises(UnsupportedDesignError, match="items with at least two ratings"):
        marginal_homogeneity(ratings)


def test_unknown_words_are_named() -> None:
    with pytest.raises(InputError, match="did you mean 'mid-p'"):
        mcnemar([[1, 2], [3, 4]], method="midp")
    with pytest.raises(InputError, match="df must be one of 'pairs', 'all'"):
        bowker(VISION, df="most")
    with pytest.raises(InputError, match="continuity must be False"):
        mcnemar([[1, 2], [3, 4]], method="exact", continuity=True)


# --- two raters -----------------------------------------------------------------------------------


def test_the_continuity_correction_is_off_unless_asked_for() -> None:
    table = [[24, 8], [14, 24]]
    assert mcnemar(table, method="chi-square").statistic == pytest.approx(36 / 22)
    assert mcnemar(table, method="chi-square", continuity=True).statistic == pytest.approx(25 / 22)


def test_the_correction_never_makes_a_statistic_of_nothing() -> None:
    assert mcnemar([[9, 4], [4, 9]], method="chi-square", continuity=True).statistic == 0.0


@pytest.mark.parametrize(
    ("test", "freedom"),
    [
        (mcnemar([[24, 8], [14, 24]], method="chi-square"), 1),
        (mcnemar([[24, 8], [14, 24]], method="chi-square", continuity=True), 1),
        (bowker(VISION), 6),
        (stuart_maxwell(VISION), 3),
        (bhapkar(VISION), 3),
        (marginal_homogeneity(VISION), 3),
    ],
    ids=["mcnemar", "yates", "bowker", "stuart-maxwell", "bhapkar", "any raters"],
)
def test_p_is_the_tail_of_chi_square(test: Any, freedom: int) -> None:
    assert test.degrees_of_freedom == freedom
    assert test.p_value == pytest.approx(stats.chi2.sf(test.statistic, freedom), rel=1e-9)


@pytest.mark.parametrize(("b", "c"), [(0, 5), (3, 9), (9, 3), (6, 6), (0, 0), (1, 0)])
def test_binomial_p_values_are_sums_of_binomial_probabilities(b: int, c: int) -> None:
    n = b + c
    f = [math.comb(n, k) / 2**n for k in range(n + 1)]
    exact = min(1.0, 2 * math.fsum(f[: min(b, c) + 1]))
    mid = 1 - f[b] / 2 if b == c else exact - f[b]
    assert mcnemar([[1, b], [c, 2]]).p_value == pytest.approx(exact)
    if n:
        assert mcnemar([[1, b], [c, 2]], method="mid-p").p_value == pytest.approx(mid)


def test_without_disagreement_binomial_p_values_are_one_and_chi_square_is_undefined() -> None:
    table = [[5, 0], [0, 5]]
    assert mcnemar(table).p_value == 1.0
    assert mcnemar(table, method="mid-p").p_value == 1.0
    test = mcnemar(table, method="chi-square")
    assert math.isnan(test.statistic)
    assert test.reason is not None
    assert test.reason.startswith("no_disagreement:")


@pytest.mark.parametrize("function", [bowker, stuart_maxwell, bhapkar, marginal_homogeneity])
def test_full_agreement_leaves_nothing_to_test(function: Any) -> None:
    test = function(PERFECT)
    assert math.isnan(test.p_value)
    assert test.reason is not None
    assert test.to_dict()["p_value"] is None


def test_bowker_counts_pairs_that_were_confused_or_all_of_them() -> None:
    table = [[5, 2, 0], [4, 5, 0], [0, 0, 5]]
    assert bowker(table).degrees_of_freedom == 1
    assert bowker(table, df="all").degrees_of_freedom == 3
    assert bowker(table).statistic == bowker(table, df="all").statistic == pytest.approx(4 / 6)


def test_bowker_says_which_labels_are_confused() -> None:
    test = bowker(cs.Ratings.from_table(VISION, categories=["I", "II", "III", "IV"]))
    assert math.fsum(test.parts.values()) == pytest.approx(test.statistic)
    assert max(test.parts, key=lambda pair: test.parts[pair]) == ("I", "IV")


def test_an_unused_category_changes_nothing() -> None:
    wider = [[*row, 0] for row in VISION] + [[0] * 5]
    for function in (bowker, stuart_maxwell, bhapkar, marginal_homogeneity):
        with_it, without = function(wider), function(VISION)
        assert with_it.statistic == pytest.approx(without.statistic)
        assert with_it.degrees_of_freedom == without.degrees_of_freedom
        assert with_it.shares[5] == (0.0, 0.0)


def test_labels_never_confused_take_no_degree_of_freedom() -> None:
    table = [[5, 2, 0, 0], [4, 5, 0, 0], [0, 0, 5, 3], [0, 0, 1, 4]]
    test = stuart_maxwell(table)
    assert test.degrees_of_freedom == 2
    assert test.statistic == pytest.approx(4 / 6 + 4 / 4)


def test_bhapkar_does_not_exist_where_every_item_is_judged_differently_in_one_way() -> None:
    test = bhapkar([[0, 5], [0, 0]])
    assert math.isnan(test.statistic)
    assert test.reason is not None
    assert test.reason.startswith("no_variation:")
    assert stuart_maxwell([[0, 5], [0, 0]]).statistic == pytest.approx(5)


@given(tables.filter(lambda table: len(table) == 2).filter(disagree))
def test_with_two_labels_all_are_mcnemar(table: list[list[int]]) -> None:
    statistic = mcnemar(table, method="chi-square").statistic
    assert stuart_maxwell(table).statistic == pytest.approx(statistic)
    assert bowker(table).statistic == pytest.approx(statistic)
    assert cochran_q(table, category=1).statistic == pytest.approx(statistic)
    assert cochran_q(table).statistic == pytest.approx(statistic)


@given(tables.filter(disagree))
def test_with_two_raters_the_general_test_is_stuart_maxwell(table: list[list[int]]) -> None:
    two, many = stuart_maxwell(table), marginal_homogeneity(table)
    assert many.statistic == pytest.approx(two.statistic)
    assert many.degrees_of_freedom == two.degrees_of_freedom
    assert many.n_items == two.n_items
    for label, shares in two.shares.items():
        assert many.shares[label] == pytest.approx(shares)


@given(tables.filter(disagree))
def test_tests_do_not_depend_on_the_order_of_raters(table: list[list[int]]) -> None:
    turned = np.array(table).T.tolist()
    for function in (bowker, stuart_maxwell):
        assert function(turned).statistic == pytest.approx(function(table).statistic)
        assert 0 <= function(table).p_value <= 1


# --- many raters ----------------------------------------------------------------------------------


def random_rows(seed: int, *, missing: float) -> list[list[int | None]]:
    rng = np.random.default_rng(seed)
    return [
        [int(rng.integers(3)) if rng.random() >= missing else None for _ in range(4)]
        for _ in range(14)
    ]


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_statistic_is_that_of_permuting_each_items_labels(missing: float) -> None:
    rows = random_rows(7, missing=missing)
    difference, covariance = np.zeros(12), np.zeros((12, 12))
    for row in rows:
        who = [g for g in range(4) if row[g] is not None]
        if len(who) < 2:
            continue

        def vector(labels: Any, who: list[int] = who) -> Any:
            x_gk = np.zeros((4, 3))
            x_gk[who, labels] = 1
            return x_gk.ravel()

        labels = [row[g] for g in who]
        every = np.array([vector(order) for order in itertools.permutations(labels)])
        difference += vector(labels) - every.mean(axis=0)
        covariance += np.cov(every.T, bias=True)
    test = marginal_homogeneity(cs.Ratings.from_wide(rows, categories=[0, 1, 2]))
    statistic = difference @ np.linalg.pinv(covariance, rcond=1e-9) @ difference
    assert test.statistic == pytest.approx(statistic)
    assert test.degrees_of_freedom == np.linalg.matrix_rank(covariance, tol=1e-9) == 6


def test_cochran_q_is_the_textbook_formula() -> None:
    rows = random_rows(3, missing=0.0)
    x = np.array([[label == 1 for label in row] for row in rows], dtype=float)
    r, by_rater, by_item = 4, x.sum(axis=0), x.sum(axis=1)
    q = (r - 1) * (r * (by_rater**2).sum() - x.sum() ** 2) / (r * x.sum() - (by_item**2).sum())
    test = cochran_q(cs.Ratings.from_wide(rows), category=1)
    assert test.statistic == pytest.approx(q)
    assert test.degrees_of_freedom == 3


def test_wide_and_long_ratings_give_the_same() -> None:
    rows = random_rows(5, missing=0.2)
    cells = [(i, g, row[g]) for i, row in enumerate(rows) for g in range(4) if row[g] is not None]
    item, rater, label = zip(*cells, strict=True)
    long = cs.Ratings.from_long({"item": item, "rater": rater, "label": label})
    wide = cs.Ratings.from_wide(rows)
    assert marginal_homogeneity(long).statistic == pytest.approx(
        marginal_homogeneity(wide).statistic
    )


def test_a_rater_with_other_habits_is_found() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 2, 300)
    rows = np.stack([truth, truth, np.where(rng.random(300) < 0.2, 1, truth)], axis=1)
    test = marginal_homogeneity(cs.Ratings.from_wide(rows))
    assert test.p_value < 1e-4
    assert int(np.argmax(test.shares[1])) == 2


def test_a_category_must_be_known_and_named_where_there_are_several() -> None:
    ratings = cs.Ratings.from_wide([["a", "b", "c"], ["a", "a", "b"]])
    with pytest.raises(InputError, match="category must be one of 'a', 'b', 'c'"):
        cochran_q(ratings, category="d")
    with pytest.raises(InputError, match="choose among"):
        cochran_q(ratings)


def test_a_category_that_nobody_used_leaves_nothing_to_test() -> None:
    ratings = cs.Ratings.from_wide([["a", "b", "b"], ["a", "a", "b"]], categories=["a", "b", "c"])
    test = cochran_q(ratings, category="c")
    assert math.isnan(test.statistic)
    assert test.reason is not None


def test_a_crowd_is_too_large() -> None:
    rows = np.random.default_rng(0).integers(0, 30, (5, 100))
    with pytest.raises(UnsupportedDesignError, match="at most 2,000 raters times categories"):
        marginal_homogeneity(cs.Ratings.from_wide(rows, categories=range(30)))


@pytest.mark.parametrize("scale", ["ordinal", "interval", "ratio"])
def test_a_mark_may_be_the_category(scale: Any) -> None:
    rows = [[1, 1, 2], [1, 2, 2], [1, 1, 1], [1, 2, 2]]
    nominal = cochran_q(cs.Ratings.from_wide(rows), category=1)
    assert cochran_q(cs.Ratings.from_wide(rows, scale=scale), category=1) == nominal


@pytest.mark.parametrize("scale", ["ordinal", "interval", "ratio"])
def test_agreement_by_category_does_not_depend_on_the_scale(scale: Any) -> None:
    rows = [[1, 1, 2], [1, 2, 2], [3, 3, 1], [3, 2, 2], [0, 1, 0]]
    nominal = cs.category_agreement(cs.Ratings.from_wide(rows))
    scaled = cs.category_agreement(cs.Ratings.from_wide(rows, scale=scale))
    for one, other in zip(nominal, scaled, strict=True):
        assert (one.category, one.share, one.specific) == (
            other.category,
            other.share,
            other.specific,
        )
        assert one.kappa.value == other.kappa.value


# ------------------------------------------- margins added up by groups of raters


@pytest.mark.parametrize(
    ("n", "raters", "labels", "missing"),
    [(50, 3, 4, 0.0), (200, 5, 3, 0.2), (300, 2, 2, 0.1), (80, 4, 3, 0.6)],
)
def test_groups_of_raters_give_the_same_sums(n, raters, labels, missing, monkeypatch):
    rng = np.random.default_rng(n)
    wide = rng.integers(0, labels, (n, raters)).astype(object)
    wide[rng.random(wide.shape) < missing] = None
    ratings = cs.Ratings.from_wide(wide)
    grouped = homogeneity.margins(ratings)
    monkeypatch.setattr(homogeneity, "_rated_alike", lambda patterns: None)
    one_by_one = homogeneity.margins(ratings)
    assert grouped.n_items == one_by_one.n_items
    for name in ("difference", "covariance", "used"):
        np.testing.assert_allclose(
            getattr(grouped, name), getattr(one_by_one, name), rtol=0, atol=1e-9
        )
