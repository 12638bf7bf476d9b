"""Fleiss (1971). Measuring nominal scale agreement among many raters.

The standard error of that paper is wrong (Fleiss, Nee & Landis, 1979, replace it) and is offered
nowhere.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import consilience as cs

THREE_DECIMALS = 0.0005  # the paper prints three
FOUR_DECIMALS = 0.00005


@pytest.fixture(scope="module")
def diagnoses() -> cs.Ratings:
    return cs.datasets.load("fleiss_1971")


def test_thirty_patients_have_six_diagnoses_each(diagnoses: cs.Ratings) -> None:
    assert diagnoses.n_items == 30
    assert diagnoses.n_ratings == 180
    assert diagnoses.n_raters == 6


def test_overall_agreement_and_kappa_are_as_printed(diagnoses: cs.Ratings) -> None:
    kappa = cs.scott_pi(diagnoses)
    assert kappa.observed == pytest.approx(0.5556, abs=FOUR_DECIMALS)
    assert kappa.expected == pytest.approx(0.220, abs=THREE_DECIMALS)
    assert kappa.value == pytest.approx(0.430, abs=THREE_DECIMALS)
    assert "Fleiss" in kappa.name


def test_agreement_on_single_patients_is_the_share_of_agreeing_pairs(
    diagnoses: cs.Ratings,
) -> None:
    agreement = np.asarray(cs.item_agreement(diagnoses), dtype=float)
    assert agreement[0] == pytest.approx(1.0)  # six of six: neurosis
    assert agreement[1] == pytest.approx(0.4)  # three and three: (3 + 3) of 15 pairs
    assert agreement.mean() == pytest.approx(cs.scott_pi(diagnoses).observed)


def test_kappa_of_each_category_is_as_printed(diagnoses: cs.Ratings) -> None:
    printed = {
        "depression": 0.245,
        "personality disorder": 0.245,
        "schizophrenia": 0.520,
        "neurosis": 0.471,
        "other": 0.566,
    }
    got = {entry.category: entry.kappa.value for entry in cs.category_agreement(diagnoses)}
    assert got == pytest.approx(printed, abs=THREE_DECIMALS)


def test_shares_of_the_categories_are_as_printed(diagnoses: cs.Ratings) -> None:
    shares = [entry.share for entry in cs.category_agreement(diagnoses)]
    assert shares == pytest.approx([0.144, 0.144, 0.167, 0.306, 0.239], abs=THREE_DECIMALS)


def test_the_null_standard_error_is_that_of_1979(diagnoses: cs.Ratings) -> None:
    kappa = cs.scott_pi(diagnoses, standard_error="fleiss-nee-landis-null")
    p_k = np.array([26, 26, 30, 55, 43]) / 180
    q_k = 1 - p_k
    spread = (p_k * q_k).sum()
    variance = 2 / (30 * 6 * 5 * spread**2) * (spread**2 - (p_k * q_k * (q_k - p_k)).sum())
    assert kappa.standard_error == pytest.approx(math.sqrt(variance))


def test_krippendorff_alpha_only_adds_the_small_sample_term(diagnoses: cs.Ratings) -> None:
    alpha = cs.krippendorff_alpha(diagnoses).value
    pi = cs.scott_pi(diagnoses).value
    assert alpha == pytest.approx((1 - 1 / 180) * pi + 1 / 180)
    assert alpha == pytest.approx(0.4334, abs=FOUR_DECIMALS)
