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
    assert straight.rows[0].p_value == pytest.approx(expected.p_value)
    assert mixed.rows[0].p_value == pytest.approx(expected.p_value)
    assert "item by item" in str(straight)


def test_nameless_items_are_not_taken_for_the_same():
    assert not compare_rounds([["a", "a"], ["b", "a"]] * 9, [["a", "a"], ["b", "b"]] * 9).paired


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
