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


def test_slide_22_pi_takes_the_mean_of_both_distributions() -> None:
    ratings = cs.datasets.load("sigil_homework")
    p_kl = ratings.table("A", "B") / 70
    p_k = (p_kl.sum(axis=0) + p_kl.sum(axis=1)) / 2
    assert cs.scott_pi(ratings).expected == pytest.approx(p_k @ p_k)


def test_slide_23_scales_name_the_same_kappa_differently() -> None:
    kappa = cs.cohen_kappa(cs.datasets.load("sigil_homework")).value
    names = {
        scale: cs.interpret(kappa, scale=scale).label
        for scale in ("landis-koch", "krippendorff", "green")
    }
    assert names["landis-koch"] == "fair"
    assert names["krippendorff"].startswith("discard")
    assert names["green"] == "low"


def test_slide_25_the_threshold_falls_between_kappa_and_pi() -> None:
    """Tentative by kappa, to be discarded by pi."""
    ratings = cs.datasets.load("di_eugenio_glass_2004_bias")
    words = [
        cs.interpret(coefficient(ratings).value, scale="krippendorff").label
        for coefficient in (cs.cohen_kappa, cs.scott_pi)
    ]
    assert words[0].startswith("tentative")
    assert words[1].startswith("discard")


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
    interval = kappa.confidence_interval(confidence_level=0.95, method="analytic")
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


def test_slide_28_samples_of_the_same_annotators_scatter_as_the_error_says() -> None:
    drawn = cs.simulate.sampling_distribution(
        cs.simulate.Simulator(n_items=150, n_raters=2, accuracy=0.9),
        "cohen_kappa",
        n_resamples=300,
        rng=1,
    )
    assert np.std(drawn.values) == pytest.approx(np.mean(drawn.standard_errors), rel=0.2)


def test_slide_32_skewed_margins_make_the_error_too_small_and_the_interval_too_short() -> None:
    """Biased downwards, error underestimated; with many items the interval is right again."""
    found = {}
    for n_items in (25, 400):
        design = cs.simulate.Simulator(
            n_items=n_items, n_raters=2, accuracy=0.95, prevalence=[0.9, 0.1]
        )
        drawn = cs.simulate.sampling_distribution(design, "cohen_kappa", n_resamples=400, rng=2)
        inside = (drawn.lows <= drawn.true_value) & (drawn.true_value <= drawn.highs)
        found[n_items] = (np.nanmean(drawn.values) - drawn.true_value, inside.mean())
    assert found[25][0] < -0.01
    assert abs(found[400][0]) < 0.01
    assert found[25][1] < 0.92 < found[400][1]


def test_slide_34_three_categories() -> None:
    table = np.array([[20, 5, 1], [3, 30, 4], [2, 6, 29]])
    p_kl = table / 100
    kappa = cs.cohen_kappa(cs.Ratings.from_table(table))
    assert kappa.observed == pytest.approx(np.trace(p_kl))
    assert kappa.expected == pytest.approx(p_kl.sum(axis=1) @ p_kl.sum(axis=0))


def test_slide_35_confusing_two_collocations_is_less_serious() -> None:
    """Figurative expressions and support verbs are both collocations, free combinations not."""
    w_kl = np.array([[0, 0.5, 1], [0.5, 0, 1], [1, 1, 0]])
    table = np.array([[20, 9, 1], [8, 20, 2], [1, 2, 37]])
    ratings = cs.Ratings.from_table(table, categories=("figurative", "support verb", "free"))
    kappa = cs.cohen_kappa(ratings, distance=cs.distances.matrix(w_kl, ratings.categories))
    p_kl = table / 100
    d_o = (w_kl * p_kl).sum()
    d_e = (w_kl * np.outer(p_kl.sum(axis=1), p_kl.sum(axis=0))).sum()
    assert kappa.value == pytest.approx(1 - d_o / d_e)
    assert kappa.value > cs.cohen_kappa(ratings).value


# Slide 36: kappa with the expert, ends and size of the homogeneity interval in per cent.
KRENN = {
    7: (0.775, 71.93, 82.22, 10.29),
    9: (0.747, 68.65, 79.77, 11.12),
    10: (0.700, 64.36, 75.85, 11.49),
    4: (0.696, 64.09, 75.91, 11.82),
    1: (0.692, 63.39, 75.91, 12.52),
    6: (0.671, 61.05, 73.33, 12.28),
    5: (0.669, 60.12, 72.75, 12.63),
    2: (0.639, 56.14, 70.64, 14.50),
    11: (0.592, 52.40, 65.65, 13.25),
    3: (0.520, 51.70, 64.33, 12.63),
    8: (0.341, 33.68, 49.71, 16.03),
    12: (0.265, 17.00, 35.05, 18.05),
}


def test_slide_36_sizes_and_whole_counts() -> None:
    """The sizes follow from the ends; most ends are whole counts of 855 items."""
    whole = 0
    for _, low, high, size in KRENN.values():
        assert high - low == pytest.approx(size, abs=0.011)
        counts = [end / 100 * 855 for end in (low, high)]
        whole += all(abs(count - round(count)) < 0.05 for count in counts)
    assert whole == 9


def test_slide_36_every_coder_is_compared_with_the_expert() -> None:
    """The ratings are not public; made ones give the same columns, best coder first."""
    study = cs.simulate(
        n_items=300,
        n_raters=4,
        accuracy=[0.99, 0.9, 0.8, 0.6],
        raters=["BK", "7", "9", "12"],
        rng=3,
    )
    table = cs.agreement_with_expert(study.ratings, expert="BK")
    kappas = [row.kappa for row in table.rows]
    assert kappas == sorted(kappas, reverse=True)
    for row in table.rows:
        assert row.interval.low < row.kappa < row.interval.high
        assert row.kappa == pytest.approx(
            cs.cohen_kappa(study.ratings.select(raters=("BK", row.rater))).value
        )


def test_slide_37_average_and_standard_deviation_of_all_pairs() -> None:
    rows = [[1, 1, 2], [2, 2, 2], [1, 1, 1], [3, 2, 3], [1, 3, 1], [2, 2, 2]]
    ratings = cs.Ratings.from_wide(rows, raters=("a", "b", "c"))
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    kappas = [cs.cohen_kappa(ratings.select(raters=pair)).value for pair in pairs]
    spread = cs.pair_spread(ratings)
    assert (spread.mean, spread.standard_deviation) == pytest.approx(
        (np.mean(kappas), np.std(kappas, ddof=1))
    )


def test_slide_37_annotators_who_disagree_systematically_form_camps() -> None:
    rng = np.random.default_rng(4)
    one, other = rng.integers(2, size=200), rng.integers(2, size=200)
    columns = {
        f"r{k}": np.where(rng.random(200) < 0.9, truth, 1 - truth).tolist()
        for k, truth in enumerate((one, one, one, other, other, other))
    }
    camps = cs.latent.rater_camps(cs.Ratings.from_wide(columns))
    assert {frozenset(camp) for camp in camps.camps} == {
        frozenset({"r0", "r1", "r2"}),
        frozenset({"r3", "r4", "r5"}),
    }
