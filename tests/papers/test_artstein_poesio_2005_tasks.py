"""Artstein & Poesio (2005), Tables 2 to 4 and sections 4 to 6.2: tasks, scales, latent classes."""

from __future__ import annotations

import numpy as np
import pytest

import consilience as cs
from consilience import latent, magnitudes, panel
from consilience.units import (
    Units,
    chain_ratings,
    extended_senses,
    muc_scores,
    word_set_ratings,
)

# --- 2.2 association and correlation --------------------------------------------------------------


def test_table_2_association_is_high_where_coders_disagree() -> None:
    """Chi-square is 64.59 for 200 items; the cell with the largest share is a disagreement."""
    ratings = cs.datasets.load("artstein_poesio_2005_table2")
    assert magnitudes.pearson_chi2(ratings).value == pytest.approx(64.59, abs=0.005)
    p_kl = ratings.table(*ratings.raters) / 200
    independent = np.outer(p_kl.sum(axis=1), p_kl.sum(axis=0))
    share = (p_kl - independent) ** 2 / independent
    place = np.unravel_index(share.argmax(), share.shape)
    assert place[0] != place[1]
    assert sorted((p_kl[place], independent[place])) == pytest.approx([0.06, 0.15])


@pytest.mark.parametrize("experiment", [1, 2])
def test_table_3_both_experiments_have_a_correlation_of_one(experiment: int) -> None:
    ratings = cs.datasets.load(f"artstein_poesio_2005_table3_experiment{experiment}")
    assert magnitudes.pearson(ratings).value == pytest.approx(1.0)


CASES = {  # Table 4 in hundredths; printed S, pi, kappa
    1: ([[20, 0, 0, 5], [0, 10, 15, 0], [0, 15, 10, 0], [5, 0, 0, 20]], (0.467, 0.467, 0.467)),
    2: ([[20, 10, 10, 0], [10, 10, 0, 0], [10, 0, 10, 0], [0, 0, 0, 20]], (0.467, 0.444, 0.444)),
    # Printed pi = .460; it is .4595.
    3: ([[20, 5, 5, 10], [0, 10, 5, 5], [0, 5, 10, 5], [0, 0, 0, 20]], (0.467, 0.4595, 0.474)),
}


@pytest.mark.parametrize("case", CASES)
def test_table_4_coder_marginals_and_coefficients(case: int) -> None:
    table, printed = CASES[case]
    ratings = cs.Ratings.from_table(table)
    got = [
        coefficient(ratings).value for coefficient in (cs.bennett_s, cs.scott_pi, cs.cohen_kappa)
    ]
    assert got == pytest.approx(printed, abs=0.0005)
    assert cs.percent_agreement(ratings).value == pytest.approx(0.60)


def test_3_zwicks_procedure_tests_the_marginals_first() -> None:
    """Stuart's test; if coders differ systematically, the bias is what to report."""
    even, uneven = (cs.Ratings.from_table(CASES[case][0]) for case in (2, 3))
    assert cs.stuart_maxwell(even).p_value == pytest.approx(1.0)
    assert cs.stuart_maxwell(uneven).p_value < 0.001
    assert float(cs.artstein_poesio_bias(even)) == pytest.approx(0, abs=1e-12)
    assert float(cs.artstein_poesio_bias(uneven)) > 0.01


# --- 4 tasks --------------------------------------------------------------------------------------

# Example (1): engine E2 ... it ... it, with the antecedent that each coder marked.
ENGINE = {
    "A": {"engine": None, "boxcar": None, "it 1": "engine", "it 2": "engine", "tanker": None},
    "B": {"engine": None, "boxcar": None, "it 1": "engine", "it 2": "it 1", "tanker": None},
}


def test_example_1_another_antecedent_in_the_same_chain_is_no_disagreement() -> None:
    antecedents = cs.Ratings.from_wide(
        {coder: [str(x) for x in marks.values()] for coder, marks in ENGINE.items()}
    )
    assert cs.percent_agreement(antecedents).value == pytest.approx(4 / 5)
    assert cs.percent_agreement(chain_ratings(ENGINE)).value == 1


def chains_with_gaps(n_coders: int, seed: int = 0) -> cs.Ratings:
    """Coders who agree on the entities and each forget some of the mentions (section 4.1)."""
    rng = np.random.default_rng(seed)
    marks: dict[str, dict[str, str | None]] = {}
    for coder in range(n_coders):
        own: dict[str, str | None] = {}
        for entity in range(5):
            last = None
            for mention in range(8):
                linked = last is not None and rng.random() < 0.85
                own[f"{entity}.{mention}"] = last if linked else None
                last = f"{entity}.{mention}" if linked or mention == 0 else last
        marks[f"coder {coder}"] = own
    return chain_ratings(marks)


def test_figure_2_chains_lower_kappa_and_raise_beta() -> None:
    ratings = chains_with_gaps(6)
    kappa = cs.cohen_kappa(ratings).value
    beta = [cs.cohen_kappa(ratings, distance=d).value for d in ("jaccard", "passonneau", "dice")]
    assert min(beta) > kappa + 0.2
    # "too strict or too generous": Jaccard below Dice, as .64197 and .69111 in the study
    assert beta[0] < beta[2]


def test_4_1_many_coders_bring_alpha_alpha_prime_and_beta_together() -> None:
    """18 coders: .69115, .69091 and .69111 there; the differences are in the third decimal."""
    ratings = chains_with_gaps(18)
    values = [
        coefficient(ratings, distance="dice").value
        for coefficient in (cs.krippendorff_alpha, cs.scott_pi, cs.cohen_kappa)
    ]
    assert max(values) - min(values) < 0.002
    assert values[1] < values[0]
    assert values[1] < values[2]


def test_example_2_discourse_deixis_as_sets_of_words() -> None:
    """Words 1-4 are utterance 3.1, 5-10 utterance 3.2; some coders mark both."""
    units = Units.from_records(
        [("A", "antecedent", 4, 10), ("B", "antecedent", 0, 10), ("C", "antecedent", 4, 10)],
        bounds=(0, 20),
    )
    ratings = word_set_ratings(units)
    exact = cs.percent_agreement(ratings).value
    partial = cs.percent_agreement(
        ratings, distance=cs.distances.jaccard_distance
    ).observed_disagreement
    assert exact == pytest.approx(1 / 3)
    assert partial == pytest.approx(2 / 3 * (1 - 6 / 10))


def test_table_7_and_4_4_extended_senses() -> None:
    groups = {"WN1": "LABEL", "WN3": "LABEL", "WN19": "SEE", "WN22": "ADDRESS"}
    senses = extended_senses(groups)
    distance = cs.distances.passonneau_distance
    assert distance(senses["WN1"], senses["WN3"]) == pytest.approx(2 / 3)
    assert distance(senses["WN1"], senses["LABEL"]) == pytest.approx(1 / 3)
    assert distance(senses["WN1"], senses["WN19"]) == 1
    tree = cs.distances.taxonomy(groups, distance="passonneau")
    rows = [["WN1", "WN3"], ["WN1", "LABEL"], ["WN19", "WN19"], ["WN22", "WN1"]]
    ratings = cs.Ratings.from_wide(rows)
    graded, strict = (cs.cohen_kappa(ratings, distance=d) for d in (tree, "nominal"))
    assert graded.observed_disagreement == pytest.approx((2 / 3 + 1 / 3 + 0 + 1) / 4)
    assert graded.value > strict.value


def test_4_4_segments_agree_in_bulk_though_boundaries_differ() -> None:
    units = Units.from_records(
        [
            ("A", "1", 0, 5), ("A", "2", 5, 12), ("A", "3", 12, 20),
            ("B", "1", 0, 6), ("B", "2", 6, 12), ("B", "3", 12, 20),
        ],
        bounds=(0, 20),
    )  # fmt: skip
    ratings = word_set_ratings(units, items="words")
    assert cs.krippendorff_alpha(ratings, distance="dice").value > 0.8
    assert cs.krippendorff_alpha(ratings, distance="nominal").value < 0.6


def test_4_5_a_system_is_compared_with_coders_by_what_coders_reach_themselves() -> None:
    study = cs.simulate(
        n_items=200, n_raters=4, accuracy=[0.9, 0.9, 0.9, 0.6], raters=["a", "b", "c", "S"], rng=5
    )
    found = panel.compare(study.ratings, systems="S", n_resamples=50)
    assert found["S"].gap["cohen_kappa:nominal"].value < -0.2


# --- 5.2 the value of a coefficient ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (-0.1, "poor"),
        (0.20, "slight"),
        (0.40, "fair"),
        (0.60, "moderate"),
        (0.80, "substantial"),
        (0.81, "almost perfect"),  # Table 8 prints "perfect"
    ],
)
def test_table_8_landis_and_koch(value: float, word: str) -> None:
    assert cs.interpret(value, scale="landis-koch").label == word


def test_5_2_neuendorf_asks_for_nine_tenths() -> None:
    labels = [cs.interpret(value, scale="neuendorf").label for value in (0.9, 0.8, 0.79)]
    assert "all" in labels[0]
    assert "most" in labels[1]
    assert len(set(labels)) == 3


def test_footnote_10_any_level_of_agreement_can_be_tested() -> None:
    """Credited to Donner & Eliasziw (1987), who treat the ICC; for kappa it is their 1992 paper."""
    ratings = cs.datasets.load("artstein_poesio_2005_table1")
    assert cs.goodness_of_fit_test(ratings, null=0.8).p_value < 0.001
    assert cs.goodness_of_fit_test(ratings, null=0.35).p_value > 0.5
    assert (
        cs.plan.plan(coefficient="icc", kappa0=0.6, kappa1=0.8, n_raters=2, power=0.8).n_items > 10
    )


# --- 6.2 latent classes ---------------------------------------------------------------------------


def test_6_2_sensitivity_and_specificity_of_each_coder() -> None:
    """P(white|WHITE) and P(black|BLACK) of marbles from an urn and two bowls."""
    study = cs.simulate(
        n_items=2_000,
        n_raters=4,
        categories=["black", "white"],
        prevalence=[0.7, 0.3],
        accuracy=[0.95, 0.9, 0.85, 0.8],
        rng=6,
    )
    model = latent.latent_classes(study.ratings, positive="white", n_starts=5)
    found = [one.details["sensitivity"] for one in model.raters]
    assert found == pytest.approx([0.95, 0.9, 0.85, 0.8], abs=0.05)
    need = model.ratings_needed(sensitivity=0.99)
    assert need.n_ratings is not None
    assert need.sensitivity >= 0.99


def test_6_2_the_number_of_classes_is_chosen_by_fit() -> None:
    study = cs.simulate(n_items=600, n_raters=5, accuracy=0.85, rng=7)
    found = latent.compare_classes(study.ratings, range(1, 4), n_starts=5)
    one, two, _ = sorted(found.models, key=lambda model: model.n_classes)
    assert one.p_value < 0.001 < two.p_value
    assert found.best.n_classes == 2


def test_footnote_11_high_sensitivity_and_specificity_with_a_low_kappa() -> None:
    """Kraemer (1979) has cases with kappa = .4338; a rare label does it at 95 % for both."""
    accuracy, kappas = 0.95, []
    for rare in (0.5, 0.1, 0.03):
        p = rare * np.array([accuracy, 1 - accuracy])[:, None] * [accuracy, 1 - accuracy]
        p = p + (1 - rare) * np.array([1 - accuracy, accuracy])[:, None] * [1 - accuracy, accuracy]
        table = np.rint(1_000_000 * p).astype(int)
        kappas.append(cs.cohen_kappa(cs.Ratings.from_table(table)).value)
    assert kappas[0] > 0.8
    assert kappas[2] < 0.4338 < kappas[1]


def test_muc_as_vilain_et_al_print_it() -> None:
    """Vilain et al. (1995), the examples of their Table 1; 4.5 asks for a corrected one beside."""
    cases = (
        ([["A", "B", "C", "D"]], [["A", "B"], ["C", "D"]], 2 / 3, 1.0),
        ([["A", "B"], ["C", "D"]], [["A", "B", "C", "D"]], 1.0, 2 / 3),
        ([["A", "B", "C", "D"]], [["A", "B", "C", "D"]], 1.0, 1.0),
        ([["A", "B", "C", "D"]], [["A", "B"], ["C"], ["D"]], 1 / 3, 1.0),
        ([["A", "B", "C"]], [["A", "C"], ["B"]], 1 / 2, 1.0),
    )
    for key, response, recall, precision in cases:
        ratings = chain_ratings({"key": key, "system": response}, form="chains")
        (one,) = muc_scores(ratings).pairs
        assert (one.recall, one.precision) == pytest.approx((recall, precision))
    one_chain = chain_ratings(
        {"key": [[1, 2], [3, 4], [5, 6], [7, 8]], "system": [[*range(1, 9)]]}, form="chains"
    )
    (pair,) = muc_scores(one_chain).pairs
    assert pair.recall == 1.0
    assert pair.corrected == pytest.approx(0.0)  # MUC is high, and chance would do as well
