"""Artstein & Poesio (2005). Kappa3 = Alpha (or Beta), by section.

Misprints met on the way are named where the right value is asserted.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import consilience as cs
from consilience import latent
from consilience.distances import LabelSpace, get_distance

FOUR_DECIMALS = 0.00005
THREE_DECIMALS = 0.0005
# Section 2.8: a Check lies half-way between a Statement and an Info-Request.
D_KL = [[0, 1, 0.5], [1, 0, 0.5], [0.5, 0.5, 0]]


@pytest.fixture(scope="module")
def table1() -> cs.Ratings:
    return cs.datasets.load("artstein_poesio_2005_table1")


@pytest.fixture(scope="module")
def table6() -> cs.Ratings:
    return cs.datasets.load("artstein_poesio_2005_table6")


def weighted(ratings: cs.Ratings) -> object:
    return cs.distances.matrix(D_KL, ratings.categories)


# --- 2.2 observed agreement -----------------------------------------------------------------------


def test_2_2_percentage_agreement_of_table_1(table1: cs.Ratings) -> None:
    assert cs.percent_agreement(table1).value == pytest.approx(0.7)


@pytest.mark.parametrize(("categories", "agreement"), [(2, 1 / 2), (3, 1 / 3)])
def test_2_2_more_categories_lower_the_chance_agreement(categories: int, agreement: float) -> None:
    ratings = cs.Ratings.from_wide([[0, 0], [1, 1], [0, 1]], categories=range(categories))
    assert cs.bennett_s(ratings).expected == pytest.approx(agreement)


def test_2_2_ninety_percent_can_be_worse_than_chance() -> None:
    p_k = np.array([0.95, 0.05])
    table = np.rint(10_000 * np.outer(p_k, p_k)).astype(int)
    assert cs.cohen_kappa(cs.Ratings.from_table(table)).expected == pytest.approx(0.905)
    assert cs.cohen_kappa(cs.datasets.load("di_eugenio_glass_2004_skewed")).value < 0


def test_2_2_association_is_not_agreement() -> None:
    """Table 2 is printed as proportions; its chi-square of 64.59 belongs to 200 items."""
    ratings = cs.datasets.load("artstein_poesio_2005_table2")
    assert ratings.n_items == 200
    assert cs.percent_agreement(ratings).value == pytest.approx(0.25 + 0.02 + 0.02)
    assert cs.cohen_kappa(ratings).value < 0


def test_2_2_correlation_is_not_agreement() -> None:
    """Table 3: both experiments have a correlation of 1."""
    same = cs.datasets.load("artstein_poesio_2005_table3_experiment1")
    never = cs.datasets.load("artstein_poesio_2005_table3_experiment2")
    assert cs.percent_agreement(same, distance="nominal").value == 1
    assert cs.percent_agreement(never, distance="nominal").value == 0
    assert cs.krippendorff_alpha(same).value == pytest.approx(1)
    assert cs.krippendorff_alpha(never).value < 0.5


# --- 2.3 two coders -------------------------------------------------------------------------------


def test_2_3_s_of_table_1(table1: cs.Ratings) -> None:
    s = cs.bennett_s(table1)
    assert (s.observed, s.expected, s.value) == pytest.approx((0.7, 0.5, 0.4))


def test_2_3_pi_of_table_1(table1: cs.Ratings) -> None:
    pi = cs.scott_pi(table1)
    assert pi.expected == pytest.approx(0.35**2 + 0.65**2)
    assert pi.expected == pytest.approx(0.545)
    assert pi.value == pytest.approx(0.341, abs=THREE_DECIMALS)


def test_2_3_kappa_of_table_1(table1: cs.Ratings) -> None:
    kappa = cs.cohen_kappa(table1)
    assert kappa.expected == pytest.approx(0.54)
    assert kappa.value == pytest.approx(0.348, abs=THREE_DECIMALS)


def test_2_3_no_observed_agreement_is_the_lower_end() -> None:
    """Printed -A_e/1 - A_e; it is -A_e/(1 - A_e)."""
    ratings = cs.Ratings.from_table([[0, 3], [1, 0]])
    for coefficient in (cs.bennett_s, cs.scott_pi, cs.cohen_kappa):
        estimate = coefficient(ratings)
        assert estimate.value == pytest.approx(-estimate.expected / (1 - estimate.expected))


def test_2_3_s_rises_with_spurious_categories(table1: cs.Ratings) -> None:
    """Scott's objection: categories which nobody uses raise S, and leave pi and kappa alone."""
    padded = np.zeros((5, 5), dtype=int)
    padded[:2, :2] = table1.table(*table1.raters)
    more = cs.Ratings.from_table(padded, categories=("Statement", "Info-Request", "x", "y", "z"))
    assert cs.bennett_s(more).value > cs.bennett_s(table1).value
    assert cs.scott_pi(more).value == pytest.approx(cs.scott_pi(table1).value)
    assert cs.cohen_kappa(more).value == pytest.approx(cs.cohen_kappa(table1).value)


# --- 2.4 more coders ------------------------------------------------------------------------------


def test_2_4_agreement_on_one_utterance_of_table_5() -> None:
    ratings = cs.Ratings.from_counts([[2, 1], [0, 3], [1, 2]])
    assert np.asarray(cs.item_agreement(ratings), dtype=float) == pytest.approx([1 / 3, 1, 1 / 3])


def random_ratings(seed: int, *, items: int = 40, raters: int = 4, labels: int = 3) -> cs.Ratings:
    rng = np.random.default_rng(seed)
    truth = rng.integers(labels, size=(items, 1))
    noise = rng.integers(labels, size=(items, raters))
    blurred = np.where(rng.random((items, raters)) < 0.6, truth, noise)
    return cs.Ratings.from_wide(blurred, categories=range(labels))


def test_2_4_observed_agreement_is_the_mean_over_coder_pairs() -> None:
    ratings = random_ratings(1)
    pairs = itertools.combinations(ratings.raters, 2)
    values = [cs.percent_agreement(ratings.select(raters=pair)).value for pair in pairs]
    assert cs.percent_agreement(ratings).value == pytest.approx(np.mean(values))


def test_2_4_expected_agreement_of_multi_kappa_is_the_mean_over_coder_pairs() -> None:
    ratings = random_ratings(2)
    pairs = itertools.combinations(ratings.raters, 2)
    values = [cs.cohen_kappa(ratings.select(raters=pair)).expected for pair in pairs]
    assert cs.cohen_kappa(ratings).expected == pytest.approx(np.mean(values))


# --- 2.5 to 2.8 weights ---------------------------------------------------------------------------


def test_2_8_unweighted_coefficients_of_table_6(table6: cs.Ratings) -> None:
    s, pi, kappa = cs.bennett_s(table6), cs.scott_pi(table6), cs.cohen_kappa(table6)
    assert s.observed == pi.observed == kappa.observed == pytest.approx(0.88)
    assert (s.expected, pi.expected, kappa.expected) == pytest.approx((1 / 3, 0.4014, 0.396))
    assert (s.value, pi.value, kappa.value) == pytest.approx(
        (0.82, 0.7995, 0.8013), abs=FOUR_DECIMALS
    )


def test_2_8_weighted_coefficients_of_table_6(table6: cs.Ratings) -> None:
    """The denominator of alpha's D_e is printed ik(ik - 1); it is ic(ic - 1) = 200 x 199."""
    prime = cs.scott_pi(table6, distance=weighted(table6))
    alpha = cs.krippendorff_alpha(table6, distance=weighted(table6))
    beta = cs.cohen_kappa(table6, distance=weighted(table6))
    for estimate, chance, value in (
        (prime, 0.4855, 0.8146),
        (alpha, 0.4879, 0.8156),
        (beta, 0.49, 0.8163),
    ):
        assert estimate.observed_disagreement == pytest.approx(0.09)
        assert estimate.expected_disagreement == pytest.approx(chance, abs=FOUR_DECIMALS)
        assert estimate.value == pytest.approx(value, abs=FOUR_DECIMALS)


def test_2_5_disagreement_sums_over_categories_not_coders() -> None:
    """The printed sums run over coders c; only sums over categories reproduce section 2.8."""
    ratings = random_ratings(3)
    n_ik = np.array([[np.sum(row == k) for k in range(3)] for row in grid(3)])
    d_kl = np.array(D_KL)
    by_hand = np.mean([n_k @ d_kl @ n_k / (4 * 3) for n_k in n_ik])
    estimate = cs.scott_pi(ratings, distance=cs.distances.matrix(D_KL, ratings.categories))
    assert estimate.observed_disagreement == pytest.approx(by_hand)


def grid(seed: int) -> np.ndarray:
    """The labels behind `random_ratings` with the same seed."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=(40, 1))
    noise = rng.integers(3, size=(40, 4))
    return np.where(rng.random((40, 4)) < 0.6, truth, noise)


def test_2_5_nominal_distances_lead_back_to_pi_and_kappa(table6: cs.Ratings) -> None:
    nominal = 1 - np.eye(3)
    distance = cs.distances.matrix(nominal, table6.categories)
    assert cs.scott_pi(table6, distance=distance).value == pytest.approx(cs.scott_pi(table6).value)
    assert cs.cohen_kappa(table6, distance=distance).value == pytest.approx(
        cs.cohen_kappa(table6).value
    )


def test_2_5_alpha_approaches_alpha_prime_as_items_are_added(table6: cs.Ratings) -> None:
    gaps = []
    for times in (1, 10, 100):
        table = times * table6.table(*table6.raters)
        many = cs.Ratings.from_table(table, categories=table6.categories)
        gaps.append(cs.krippendorff_alpha(many).value - cs.scott_pi(many).value)
    assert gaps[0] > gaps[1] > gaps[2] > 0


def test_2_7_expected_disagreement_of_beta_is_the_mean_over_coder_pairs() -> None:
    ratings = random_ratings(4)
    distance = cs.distances.matrix(D_KL, ratings.categories)
    pairs = itertools.combinations(ratings.raters, 2)
    values = [
        cs.cohen_kappa(ratings.select(raters=pair), distance=distance).expected_disagreement
        for pair in pairs
    ]
    beta = cs.cohen_kappa(ratings, distance=distance)
    assert beta.expected_disagreement == pytest.approx(np.mean(values))


# --- 3 and appendices: bias -----------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(5))
def test_3_bias_is_the_variance_of_the_coders_distributions(seed: int) -> None:
    """Appendix A: B = A_e(pi) - A_e(kappa) = (1/(c-1)) sum over k of Var P(k|c)."""
    ratings = random_ratings(seed)
    p_rk = np.array([[np.mean(column == k) for k in range(3)] for column in grid(seed).T])
    bias = float(cs.artstein_poesio_bias(ratings))
    assert bias == pytest.approx(p_rk.var(axis=0).sum() / 3)
    assert bias == pytest.approx(cs.scott_pi(ratings).expected - cs.cohen_kappa(ratings).expected)


def test_3_bias_of_table_6(table6: cs.Ratings) -> None:
    """Appendix B prints the weighted bias with the opposite sign."""
    assert float(cs.artstein_poesio_bias(table6)) == pytest.approx(0.0054)
    assert float(cs.artstein_poesio_bias(table6, distance=weighted(table6))) == pytest.approx(
        0.49 - 0.4855
    )


@pytest.mark.parametrize("seed", range(5))
def test_3_bias_explains_the_difference_of_kappa_and_pi(seed: int) -> None:
    """Printed with (1 - A_e(pi)) twice; one of the two factors is (1 - A_e(kappa))."""
    ratings = random_ratings(seed)
    pi, kappa = cs.scott_pi(ratings), cs.cohen_kappa(ratings)
    bias = float(cs.artstein_poesio_bias(ratings))
    difference = bias * (1 - pi.observed) / ((1 - pi.expected) * (1 - kappa.expected))
    assert kappa.value - pi.value == pytest.approx(difference)
    assert kappa.value >= pi.value - 1e-12


def test_3_bias_falls_as_coders_are_added() -> None:
    """Two coders with opposite habits, then each of them k times: the variance stays, B falls."""
    first, second = [1] * 8 + [2] * 2, [1] * 4 + [2] * 6
    bias = [
        float(cs.artstein_poesio_bias(cs.Ratings.from_wide(np.array([first, second] * k).T)))
        for k in (1, 2, 4, 8)
    ]
    assert bias == pytest.approx([bias[0] / (2 * k - 1) for k in (1, 2, 4, 8)])


def test_appendix_b_beta_may_be_below_alpha_prime() -> None:
    """The paper proves beta >= alpha prime for every distance; it holds for negative type only."""
    table = np.zeros((4, 4), dtype=int)
    table[:2, 2:] = 5
    d_kl = [[0, 1, 0.1, 0.1], [1, 0, 0.1, 0.1], [0.1, 0.1, 0, 1], [0.1, 0.1, 1, 0]]
    ratings = cs.Ratings.from_table(table, categories=("a", "b", "c", "d"))
    distance = cs.distances.matrix(d_kl, ratings.categories)
    beta, prime = (
        cs.cohen_kappa(ratings, distance=distance).value,
        cs.scott_pi(ratings, distance=distance).value,
    )
    assert beta == pytest.approx(0, abs=1e-12)
    assert prime == pytest.approx(2 / 3)
    assert float(cs.artstein_poesio_bias(ratings, distance=distance)) < 0


# --- 4 sets ---------------------------------------------------------------------------------------


def set_distance(name: str, first: set[str], second: set[str]) -> float:
    space = LabelSpace(labels=(frozenset(first), frozenset(second)), ordered=False, numbers=None)
    return float(get_distance(name, scale="nominal").matrix(space, np.ones(2))[0, 1])


def test_4_4_extended_senses_of_call() -> None:
    assert set_distance("passonneau", {"WN1", "LABEL"}, {"WN3", "LABEL"}) == pytest.approx(2 / 3)
    assert set_distance("passonneau", {"WN1", "LABEL"}, {"LABEL"}) == pytest.approx(1 / 3)
    assert set_distance("passonneau", {"WN1"}, {"WN3"}) == pytest.approx(1)


def test_4_1_passonneau_jaccard_and_dice_order_the_same_pair_differently() -> None:
    chain, shorter = {"a", "b", "c", "d"}, {"a", "b", "c"}
    assert set_distance("passonneau", chain, shorter) == pytest.approx(1 / 3)
    assert set_distance("jaccard", chain, shorter) == pytest.approx(1 / 4)
    assert set_distance("dice", chain, shorter) == pytest.approx(1 / 7)


def test_4_1_partial_overlap_counts_for_alpha_and_not_for_kappa() -> None:
    chains = [
        ({"a", "b", "c"}, {"a", "b"}),
        ({"d", "e"}, {"d", "e", "f"}),
        ({"g"}, {"g"}),
        ({"h", "i"}, {"h"}),
    ]
    rows = [[frozenset(chain) for chain in pair] for pair in chains]
    ratings = cs.Ratings.from_wide(rows)
    assert cs.cohen_kappa(ratings, distance="dice").value > 0.7
    assert cs.cohen_kappa(ratings).value < 0.3


# --- 5.1 missing data -----------------------------------------------------------------------------

GAPS = [
    [1, 1, None],
    [2, 2, 3],
    [1, None, None],
    [3, 3, 3],
    [None, 2, 2],
    [2, 1, 2],
]


def test_5_1_observed_disagreement_leaves_out_single_judgments() -> None:
    ratings = cs.Ratings.from_wide(GAPS, categories=(1, 2, 3))
    items = [[x for x in row if x is not None] for row in GAPS]
    means = [
        np.mean([a == b for a, b in itertools.combinations(row, 2)])
        for row in items
        if len(row) > 1
    ]
    for rule in ("ap", "gwet"):
        assert cs.scott_pi(ratings, missing=rule).observed == pytest.approx(np.mean(means))


def test_5_1_one_distribution_gives_every_item_the_same_weight() -> None:
    ratings = cs.Ratings.from_wide(GAPS, categories=(1, 2, 3))
    items = [[x for x in row if x is not None] for row in GAPS]
    p_k = np.mean([[row.count(k) / len(row) for k in (1, 2, 3)] for row in items], axis=0)
    assert cs.scott_pi(ratings, missing="ap").expected == pytest.approx(p_k @ p_k)


def test_5_1_a_coder_pair_weighs_as_many_as_both_judged() -> None:
    ratings = cs.Ratings.from_wide(GAPS, categories=(1, 2, 3))
    coders = [[x for x in column if x is not None] for column in zip(*GAPS, strict=True)]
    p_rk = [np.array([coder.count(k) for k in (1, 2, 3)]) / len(coder) for coder in coders]
    pairs = list(itertools.combinations(range(3), 2))
    weight = [len(coders[m]) * len(coders[n]) for m, n in pairs]
    expected = np.average([p_rk[m] @ p_rk[n] for m, n in pairs], weights=weight)
    assert cs.cohen_kappa(ratings, missing="ap").expected == pytest.approx(expected)


def test_5_1_alpha_drops_single_judgments_everywhere() -> None:
    """Section 2.5 wonders what D_e of alpha assumes: pairs drawn without replacement."""
    ratings = cs.Ratings.from_wide(GAPS, categories=(1, 2, 3))
    items = [[x for x in row if x is not None] for row in GAPS]
    values = [x for row in items if len(row) > 1 for x in row]
    expected = np.mean([a != b for a, b in itertools.permutations(values, 2)])
    alpha = cs.krippendorff_alpha(ratings)
    assert alpha.expected_disagreement == pytest.approx(expected)
    without = cs.krippendorff_alpha(cs.Ratings.from_wide([GAPS[i] for i in (0, 1, 3, 4, 5)]))
    assert alpha.value == pytest.approx(without.value)


def test_5_1_items_with_two_judgments_may_fall_below_the_bound_of_complete_data() -> None:
    """Pi of four coders who judge everything is at least -1/3; pairs of them can do worse."""
    pairs = [
        [1, 2, None, None],
        [None, None, 1, 2],
        [1, None, 2, None],
        [None, 1, None, 2],
        [2, None, None, 1],
        [1, 1, None, None],
    ]
    pi = cs.scott_pi(cs.Ratings.from_wide(pairs * 5))
    interval = pi.confidence_interval()
    assert pi.value < -1 / 3
    assert -1 <= interval.low < pi.value < interval.high


# --- 6.1 easy and hard items ----------------------------------------------------------------------


def easy_and_hard(a: float, easy: np.ndarray, hard: np.ndarray) -> cs.Ratings:
    """The expected table of the model for coders with the same distribution, exactly."""
    cells = a * np.diag(easy) + (1 - a) * np.outer(hard, hard)
    table = 1_000_000 * cells
    assert np.allclose(table, np.rint(table))
    return cs.Ratings.from_table(np.rint(table).astype(int))


HARD = np.array([0.5, 0.3, 0.2])


def test_6_1_the_formula_is_that_of_kappa_on_the_hard_items() -> None:
    ratings = easy_and_hard(0.62, HARD**2 / (HARD @ HARD), HARD)
    a = cs.aickin_alpha(ratings)
    assert a.value == pytest.approx(0.62)
    assert a.expected == pytest.approx(HARD @ HARD)
    assert a.value == pytest.approx((a.observed - a.expected) / (1 - a.expected))


def test_6_1_kappa_does_not_exceed_a_for_equal_distributions() -> None:
    ratings = easy_and_hard(0.62, HARD**2 / (HARD @ HARD), HARD)
    assert cs.cohen_kappa(ratings).value < cs.aickin_alpha(ratings).value - 0.01
    even = np.full(4, 0.25)
    ratings = easy_and_hard(0.36, even, even)
    assert cs.cohen_kappa(ratings).value == pytest.approx(cs.aickin_alpha(ratings).value)


@pytest.mark.parametrize("share", [0.2, 0.6, 0.9])
def test_6_1_a_is_kappa_and_pi_under_the_linear_distribution_model(share: float) -> None:
    ratings = easy_and_hard(share, HARD, HARD)
    a = cs.linear_distribution_model(ratings).value
    assert a == pytest.approx(share)
    assert cs.cohen_kappa(ratings).value == pytest.approx(a)
    assert cs.scott_pi(ratings).value == pytest.approx(a)


def test_6_1_agreement_on_a_common_category_is_less_telling_in_the_linear_model() -> None:
    ratings = easy_and_hard(0.6, HARD, HARD)
    linear = latent.easy_and_hard(ratings, model="linear").easy_given_agreement
    assert list(linear.values()) == sorted(linear.values())  # the commonest category comes first
    constant = list(latent.easy_and_hard(ratings).easy_given_agreement.values())
    assert constant == pytest.approx([constant[0]] * 3)


def test_6_1_systematic_disagreement_takes_kappa_below_zero_and_a_to_zero() -> None:
    ratings = cs.Ratings.from_table([[1, 9], [9, 1]])
    assert cs.cohen_kappa(ratings).value < 0
    assert cs.aickin_alpha(ratings).value == 0
    assert cs.linear_distribution_model(ratings).value == 0
