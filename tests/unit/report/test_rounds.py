"""Two rounds side by side, and the sentence for the paper."""

from __future__ import annotations

import math

import numpy as np
import pytest

import consilience as cs
from consilience.report import apa_sentence, compare_rounds

BEFORE = cs.Ratings.from_table([[30, 20], [15, 35]])
AFTER = cs.Ratings.from_table([[80, 10], [12, 98]])


def named(rows, items):
    return cs.Ratings.from_wide(rows, items=items, raters=["A", "B"])


def test_independent_rounds_add_their_variances():
    (row,) = compare_rounds(BEFORE, AFTER, coefficients="alpha").rows
    one, other = cs.krippendorff_alpha(BEFORE), cs.krippendorff_alpha(AFTER)
    assert row.comparison.difference == pytest.approx(other.value - one.value)
    assert row.comparison.standard_error == pytest.approx(
        math.hypot(one.standard_error, other.standard_error)
    )


def test_the_same_items_are_compared_item_by_item_in_any_order():
    rng = np.random.default_rng(1)
    items = [f"i{k}" for k in range(50)]
    truth = rng.integers(0, 3, 50)
    first = np.where(rng.random((50, 2)) < 0.7, truth[:, None], rng.integers(0, 3, (50, 2)))
    second = np.where(rng.random((50, 2)) < 0.9, truth[:, None], rng.integers(0, 3, (50, 2)))
    shuffled = rng.permutation(50)
    straight = compare_rounds(named(first, items), named(second, items), coefficients="pi")
    mixed = compare_rounds(
        named(first, items), named(second[shuffled], [items[k] for k in shuffled]),
        coefficients="pi",
    )  # fmt: skip
    expected = cs.scott_pi(named(first, items)).compare(cs.scott_pi(named(second, items)))
    assert straight.paired
    assert mixed.paired
    comparison = straight.rows[0].comparison
    assert comparison.standard_error == pytest.approx(expected.standard_error)
    assert comparison.p_value == pytest.approx(expected.p_value, abs=0.002)
    assert mixed.rows[0].p_value == straight.rows[0].p_value
    assert "item by item" in str(straight)


def test_nameless_items_are_not_taken_for_the_same():
    assert not compare_rounds([["a", "a"], ["b", "a"]] * 9, [["a", "a"], ["b", "b"]] * 9).paired


def _two_rounds(seed, n=60):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, n)
    return [
        np.where(rng.random((n, 2)) < share, truth[:, None], rng.integers(0, 2, (n, 2)))
        for share in (0.5, 0.9)
    ]


def test_paired_rounds_are_drawn_with_one_weight_an_item():
    items = list(range(60))
    first, second = (named(rows, items) for rows in _two_rounds(2))
    comparison = compare_rounds(first, second, coefficients="kappa").rows[0].comparison
    assert comparison.method == "dirichlet"
    low, high = comparison.interval
    assert low < comparison.difference < high
    for level in (0.8, 0.95, 0.99):
        limits = comparison.confidence_interval(level)
        for null in (-0.2, 0.0, limits.low - 1e-9, 0.3, limits.high + 1e-9):
            outside = not limits.low <= null <= limits.high
            assert (comparison.test(null).p_value <= 1.0 - level + 1e-12) == outside
    # Where labels are common, that is what the items' influence gives.
    reach = 2.0 * comparison.standard_error
    assert high - low == pytest.approx(2.0 * reach, rel=0.15)
    assert comparison.non_inferiority(0.1).p_value < 0.05


def test_the_same_ratings_twice_do_not_differ():
    items = list(range(60))
    one = named(_two_rounds(4)[0], items)
    comparison = compare_rounds(one, one, coefficients="kappa").rows[0].comparison
    assert comparison.difference == 0.0
    assert comparison.p_value > 0.5
    clustered = one.with_clusters(np.arange(60) // 5, "page")
    (row,) = compare_rounds(clustered, clustered, coefficients="kappa").rows
    assert row.comparison.method == "dirichlet"
    assert row.comparison.p_value > 0.5


def test_paired_rounds_of_values_keep_their_influence():
    rng = np.random.default_rng(1)
    rows = [rng.normal(size=(30, 1)) + spread * rng.normal(size=(30, 2)) for spread in (1.0, 0.2)]
    marks = [cs.Ratings.from_wide(row, items=range(30), scale="interval") for row in rows]
    comparison = compare_rounds(*marks, coefficients="alpha").rows[0].comparison
    assert comparison.method == "linearised"
    assert comparison.p_value < 0.05


def test_rounds_said_to_be_paired_must_share_their_items():
    with pytest.raises(cs.ConsilienceError, match="the same items"):
        compare_rounds(BEFORE, AFTER, paired=True)


def test_p_values_are_adjusted_over_the_coefficients():
    rounds = compare_rounds(BEFORE, AFTER)
    raw = [row.p_value for row in rounds.rows if row.p_value is not None]
    adjusted = [row.adjusted_p_value for row in rounds.rows if row.p_value is not None]
    assert all(a >= p for a, p in zip(adjusted, raw, strict=True))


def test_other_labels_are_said():
    other = cs.Ratings.from_table([[30, 20], [15, 35]], categories=["x", "y"])
    (found,) = compare_rounds(BEFORE, other).findings
    assert found.code == "categories_differ"


def test_an_undefined_round_has_no_test():
    alike = cs.Ratings.from_wide([["a", "a"]] * 9)
    rounds = compare_rounds(alike, BEFORE, coefficients="kappa")
    assert rounds.rows[0].p_value is None
    assert rounds.to_dict()["differences"][0]["p_value"] is None


def test_the_record_shares_the_envelope():
    record = compare_rounds(BEFORE, AFTER).to_dict()
    assert {"schema", "version", "seed", "data", "estimates", "findings"} <= set(record)
    assert [one["name"] for one in record["rounds"]] == ["before", "after"]


def test_the_sentence_names_everything_a_reviewer_asks_for():
    summary = cs.measure(
        cs.datasets.load("krippendorff_2011"), coefficients="alpha", interval="bca", n_resamples=500
    )
    told = apa_sentence(summary)
    for part in ("4 raters", "12 items", "nominal scale", "missing", "α = .74", "95% CI [",
                 "bootstrap interval", f"Consilience {cs.__version__}"):  # fmt: skip
        assert part in told


def test_groups_have_a_sentence_each():
    summary = cs.measure({"tone": BEFORE, "topic": AFTER})
    told = apa_sentence(summary)
    assert told.startswith("tone: Agreement of 2 raters")
    assert "topic: Agreement" in told


def test_an_undefined_coefficient_says_so_in_the_sentence():
    summary = cs.measure(cs.Ratings.from_wide([["a", "a"]] * 9), coefficients="kappa")
    assert "undefined" in apa_sentence(summary)
