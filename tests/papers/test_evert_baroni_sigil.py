"""Evert & Baroni, Statistics for Linguists with R: a SIGIL course, unit 9, by slide."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs

THREE_DECIMALS = 0.0005


def chance_table(share: float) -> cs.Ratings:
    p_k = np.array([share, 1 - share])
    table = np.rint(10_000 * np.outer(p_k, p_k)).astype(int)
    return cs.Ratings.from_table(table, categories=("yes", "no"))


def test_slide_6_two_annotators_agree_on_three_of_five_sentences() -> None:
    assert cs.percent_agreement(cs.datasets.load("sigil_sentences")).value == pytest.approx(0.6)


def test_slide_7_agreement_of_48_in_70() -> None:
    ratings = cs.datasets.load("sigil_homework")
    assert ratings.n_items == 70
    assert cs.percent_agreement(ratings).value == pytest.approx(48 / 70)
    assert cs.percent_agreement(ratings).value == pytest.approx(0.686, abs=THREE_DECIMALS)


@pytest.mark.parametrize(("share", "agreement"), [(0.5, 0.5), (0.95, 0.905)])
def test_slides_10_and_12_lazy_annotators(share: float, agreement: float) -> None:
    kappa = cs.cohen_kappa(chance_table(share))
    assert kappa.expected == pytest.approx(agreement)
    assert kappa.observed == pytest.approx(agreement)
    assert kappa.value == pytest.approx(0, abs=1e-9)


def test_slide_17_proportions_and_margins() -> None:
    p_kl = cs.datasets.load("sigil_homework").table("A", "B") / 70
    printed = [[0.343, 0.114], [0.200, 0.343]]
    assert p_kl == pytest.approx(np.array(printed), abs=THREE_DECIMALS)
    assert p_kl.sum(axis=1) == pytest.approx([0.457, 0.543], abs=THREE_DECIMALS)
    assert p_kl.sum(axis=0) == pytest.approx([0.543, 0.457], abs=THREE_DECIMALS)


def test_slides_19_and_21_kappa() -> None:
    kappa = cs.cohen_kappa(cs.datasets.load("sigil_homework"))
    assert kappa.observed == pytest.approx(0.686, abs=THREE_DECIMALS)
    assert kappa.expected == pytest.approx(0.496, abs=THREE_DECIMALS)
    assert kappa.value == pytest.approx(0.376, abs=THREE_DECIMALS)


def test_slide_22_s_expects_one_half_of_two_categories() -> None:
    assert cs.bennett_s(cs.datasets.load("sigil_homework")).expected == pytest.approx(0.5)


@pytest.mark.parametrize(
    ("name", "printed"),
    [  # observed; kappa and its chance agreement; pi and its chance agreement
        ("di_eugenio_glass_2004_bias", (0.833, 0.672, 0.491, 0.663, 0.505)),  # slide 25
        ("sigil_resample", (0.827, 0.659, 0.491, 0.652, 0.502)),  # slide 27
    ],
)
def test_slides_25_and_27_kappa_and_pi(name: str, printed: tuple[float, ...]) -> None:
    ratings = cs.datasets.load(name)
    cohen, scott = cs.cohen_kappa(ratings), cs.scott_pi(ratings)
    got = (cohen.observed, cohen.value, cohen.expected, scott.value, scott.expected)
    assert got == pytest.approx(printed, abs=THREE_DECIMALS)


def test_slide_32_interval_of_kappa() -> None:
    """Fleiss, Cohen & Everitt's error and the normal quantile.

    The error is printed .056, cut off: it is .0565. The threshold it is compared with is printed
    .067 and means .67.
    """
    kappa = cs.cohen_kappa(
        cs.datasets.load("di_eugenio_glass_2004_bias"), standard_error="fleiss-cohen-everitt"
    )
    assert kappa.standard_error == pytest.approx(0.0565, abs=0.00005)
    interval = kappa.confidence_interval(confidence_level=0.95)
    assert (interval.low, interval.high) == pytest.approx((0.562, 0.783), abs=THREE_DECIMALS)
    assert interval.low < 0.67 < interval.high


def test_slide_31_the_printed_variance_is_the_weighted_formula_without_weights() -> None:
    """Slide 31 in its own symbols, for the table of slide 25."""
    p_kl = np.array([[70, 25], [0, 55]]) / 150
    row, column = p_kl.sum(axis=1), p_kl.sum(axis=0)
    a_o, a_e = np.trace(p_kl), row @ column
    same = sum(p_kl[i, i] * ((1 - a_e) - (column[i] + row[i]) * (1 - a_o)) ** 2 for i in range(2))
    different = (1 - a_o) ** 2 * sum(
        p_kl[i, j] * (column[i] + row[j]) ** 2 for i in range(2) for j in range(2) if i != j
    )
    variance = (same + different - (a_o * a_e - 2 * a_e + a_o) ** 2) / (150 * (1 - a_e) ** 4)
    kappa = cs.cohen_kappa(
        cs.datasets.load("di_eugenio_glass_2004_bias"), standard_error="fleiss-cohen-everitt"
    )
    assert kappa.standard_error == pytest.approx(np.sqrt(variance))


def test_slide_35_disagreement_gives_the_same_kappa() -> None:
    kappa = cs.cohen_kappa(cs.datasets.load("sigil_homework"))
    assert kappa.observed_disagreement == pytest.approx(1 - kappa.observed)
    assert kappa.value == pytest.approx(
        1 - kappa.observed_disagreement / kappa.expected_disagreement
    )


def test_slide_37_many_annotators_are_the_mean_of_all_pairs() -> None:
    rows = [[1, 1, 2], [2, 2, 2], [1, 1, 1], [3, 2, 3], [1, 3, 1], [2, 2, 2]]
    ratings = cs.Ratings.from_wide(rows, raters=("a", "b", "c"))
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    kappas = [cs.cohen_kappa(ratings.select(raters=pair)).value for pair in pairs]
    assert cs.light_kappa(ratings).value == pytest.approx(np.mean(kappas))
