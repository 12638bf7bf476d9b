"""Omega: chance is corrected for where raters do not repeat themselves."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import consilience as cs
from consilience import Ratings, latent
from consilience.exceptions import ConsilienceError, DegenerateDataWarning
from consilience.latent._omega_study import from_unstable_sets, looks_stable

Labels = NDArray[np.int64]
# Chance ratings of the simulations: one label half of the time, four others alike.
GUESS = np.array([0.5, 0.125, 0.125, 0.125, 0.125])


def study(codes: Labels, *, n_labels: int | None = None, **options: Any) -> Ratings:
    """Make ratings of codes (raters × occasions × items); -1 is missing."""
    rater, occasion, item = np.nonzero(codes >= 0)
    columns = {
        "item": item,
        "rater": rater,
        "occasion": occasion,
        "label": codes[rater, occasion, item],
    }
    size = int(codes.max()) + 1 if n_labels is None else n_labels
    return Ratings.from_long(columns, occasion="occasion", categories=range(size), **options)


def simulated(rng: np.random.Generator, n: int, times: int, *, infected: float = 0.4) -> Labels:
    """Each rater guesses some items; on a share `infected` of the items at least one does."""
    q, own = GUESS.size, 1 - math.sqrt(1 - infected)
    truth = rng.integers(q, size=n)
    out = np.empty((2, times, n), dtype=np.int64)
    for g in range(2):
        guesses = rng.choice(q, size=(times, n), p=GUESS)
        serious = np.where(rng.random(n) < 0.95, truth, rng.integers(q, size=n))
        out[g] = np.where(rng.random(n) < own, guesses, serious)
    return out


# --- the definition, item by item -----------------------------------------------------------------


def by_definition(codes: Labels, q: int, *, chance: str, weight: str) -> tuple[float, float, float]:
    """Return omega, P_A and P_C by the definition, in plain loops; complete data."""
    n_raters, times, n = codes.shape
    own = np.array([[np.mean(codes[g] == k) for k in range(q)] for g in range(n_raters)])
    p = {
        "uniform": np.full((n_raters, q), 1 / q),
        "marginal": own,
        "pooled": np.tile(own.mean(axis=0), (n_raters, 1)),
    }[chance]
    unstable = [[len(set(codes[g, :, i])) > 1 for i in range(n)] for g in range(n_raters)]
    agreements, chances = [], []
    for g, h in itertools.combinations(range(n_raters), 2):
        shares = [
            np.mean([a == b for a in codes[g, :, i] for b in codes[h, :, i]]) for i in range(n)
        ]
        one, two = np.array(unstable[g]), np.array(unstable[h])
        if weight == "naive":
            w = float(np.mean(one | two))
        else:
            s_g, s_h = np.sum(p[g] ** times), np.sum(p[h] ** times)
            c_g = min(1, np.mean(one) / (1 - s_g)) if one.any() else 0.0
            c_h = min(1, np.mean(two) / (1 - s_h)) if two.any() else 0.0
            both = np.mean(one & two)
            c_gh = min(1, both / ((1 - s_g) * (1 - s_h))) if both else 0.0
            w = min(1, max(c_g + c_h - c_gh, c_g, c_h))
        agreements.append(np.mean(shares))
        chances.append(w * np.sum(p[g] * p[h]))
    p_a, p_c = float(np.mean(agreements)), float(np.mean(chances))
    return (p_a - p_c) / (1 - p_c) if p_c < 1 - 1e-12 else math.nan, p_a, p_c


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**31),
    shape=st.tuples(st.integers(2, 3), st.integers(2, 4), st.integers(1, 12)),
    q=st.integers(2, 4),
    chance=st.sampled_from(["uniform", "marginal", "pooled"]),
    weight=st.sampled_from(["corrected", "naive"]),
)
def test_value_is_the_definition(
    seed: int, shape: tuple[int, int, int], q: int, chance: str, weight: str
) -> None:
    rng = np.random.default_rng(seed)
    truth = rng.integers(q, size=shape[2])
    codes = np.where(rng.random(shape) < 0.7, truth, rng.integers(q, size=shape))
    result = latent.omega(study(codes, n_labels=q), chance=chance, weight=weight)
    value, p_a, p_c = by_definition(codes, q, chance=chance, weight=weight)
    assert result.observed == pytest.approx(p_a, abs=1e-12)
    assert result.expected == pytest.approx(p_c, abs=1e-12)
    assert result.value == pytest.approx(value, abs=1e-9, nan_ok=True)
    assert (result.status == "undefined") == math.isnan(value)


def test_first_compares_the_first_ratings_only() -> None:
    codes = np.array([[[0, 1, 0, 1], [0, 1, 1, 1]], [[0, 1, 0, 0], [1, 1, 0, 0]]])
    assert latent.omega(study(codes), occasions="first").observed == 0.75
    assert latent.omega(study(codes)).observed == pytest.approx(np.mean([0.5, 1, 0.5, 0]))
    # The weight is about stability, whichever ratings are compared.
    assert latent.omega(study(codes), occasions="first", weight="naive").weight == 0.5
    assert latent.omega(study(codes), weight="naive").weight == 0.5


def test_items_and_raters_may_have_been_rated_differently_often() -> None:
    codes = np.array(
        [
            [[0, 1, 0, 1, 0], [0, 1, 1, 1, -1], [0, -1, 1, -1, -1]],
            [[0, 1, 1, 0, 0], [1, 1, 1, -1, -1], [-1, -1, -1, -1, -1]],
        ]
    )
    result = latent.omega(study(codes), weight="naive")
    # Items 0 to 2 were rated again by both; on the first and the third one of them is unstable.
    assert result.weight == pytest.approx(2 / 3)
    assert result.observed == pytest.approx(np.mean([0.5, 1, 2 / 3, 0, 1]))
    corrected = latent.omega(study(codes)).weight
    # Sets of three look stable by luck with probability 1/4, sets of two with 1/2.
    assert corrected == pytest.approx(min(1, (1 / (3 / 4) + 1 / (1 / 2)) / 3))
    assert [rater.n_items for rater in result.raters] == [4, 3]
    assert [rater.unstable for rater in result.raters] == pytest.approx([1 / 4, 1 / 3])


# --- nesting --------------------------------------------------------------------------------------


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 2**31), n_raters=st.integers(2, 4))
def test_without_chance_it_is_agreement_and_with_nothing_but_chance_the_cube(
    seed: int, n_raters: int
) -> None:
    rng = np.random.default_rng(seed)
    ratings = Ratings.from_wide(rng.integers(3, size=(20, n_raters)), categories=range(3))

    def omega(weight: float, chance: str) -> float:
        return latent.omega(ratings, weight=weight, chance=chance).value

    assert omega(0.0, "marginal") == pytest.approx(cs.percent_agreement(ratings).value)
    assert omega(1.0, "uniform") == pytest.approx(cs.bennett_s(ratings).value)
    assert omega(1.0, "pooled") == pytest.approx(cs.scott_pi(ratings).value)
    assert omega(1.0, "marginal") == pytest.approx(cs.cohen_kappa(ratings).value)


def test_weighted_omega_nests_the_weighted_cube() -> None:
    rng = np.random.default_rng(3)
    ratings = Ratings.from_wide(rng.integers(1, 5, size=(30, 2)), scale="interval")
    kappa = cs.cohen_kappa(ratings, distance="linear").value
    result = latent.omega(ratings, weight=1, chance="marginal", distance="linear")
    assert result.value == pytest.approx(kappa)
    assert result.distance == "linear"
    assert latent.omega(ratings, weight=1).distance == "interval"


def test_omega_falls_as_more_is_put_down_to_chance() -> None:
    ratings = study(simulated(np.random.default_rng(0), 60, 2))
    values = [latent.omega(ratings, weight=w).value for w in np.linspace(0, 1, 6)]
    assert values == sorted(values, reverse=True)


def test_under_the_mixture_it_tends_to_its_limit() -> None:
    """omega -> (1 - w) a_s / (1 - w a), with a_s the agreement of serious pairs."""
    rng = np.random.default_rng(1)
    n, q, w = 60_000, 3, 0.3
    truth = rng.integers(q, size=n)
    codes = np.tile(truth, (2, 2, 1))
    codes[1] = np.where(rng.random(n) < 0.1, (truth + 1) % q, truth)  # serious, a_s = 0.9
    codes = np.where(rng.random(n) < w, rng.integers(q, size=codes.shape), codes)
    result = latent.omega(study(codes))
    assert result.weight == pytest.approx(w, abs=0.01)
    assert result.serious_agreement == pytest.approx(0.9, abs=0.01)
    assert result.value == pytest.approx((1 - w) * 0.9 / (1 - w / q), abs=0.01)


# --- the weight -----------------------------------------------------------------------------------


@pytest.mark.parametrize(("times", "naive"), [(2, 0.284), (3, 0.357), (5, 0.389)])
def test_the_naive_weight_misses_guesses_that_repeat_by_luck(times: int, naive: float) -> None:
    """True share .40: the naive union finds the less of it the fewer the occasions."""
    rng = np.random.default_rng(times)
    weights = []
    for _ in range(60):
        ratings = study(simulated(rng, 200, times))
        plain = latent.omega(ratings, weight="naive").weight
        weights.append((plain, latent.omega(ratings, chance="unstable").weight))
    found = np.mean(weights, axis=0)
    assert found[0] == pytest.approx(naive, abs=0.015)
    assert found[1] == pytest.approx(0.40, abs=0.03)


def test_a_share_of_equal_labels_may_be_stable_enough() -> None:
    codes = np.array([[[0, 0, 0], [0, 0, 1], [0, 1, 2]], [[0, 0, 0], [0, 0, 0], [0, 0, 0]]])
    share = [
        latent.omega(study(codes), weight="naive", stability_threshold=t).weight for t in (1.0, 0.6)
    ]
    assert share == pytest.approx([2 / 3, 1 / 3])
    corrected = latent.omega(study(codes), stability_threshold=0.6).weight
    # Three random ratings of three labels are all different with probability 2/9.
    assert corrected == pytest.approx(min(1, (1 / 3) / (2 / 9)))


def test_looking_stable_by_luck_is_counted_exactly() -> None:
    p = np.array([0.5, 0.3, 0.2])
    for times, threshold in itertools.product((2, 3, 4, 5), (None, 1.0, 0.75, 0.6, 0.5, 0.4)):
        least = 1.0 if threshold is None else threshold
        total = sum(
            math.prod(p[list(labels)])
            for labels in itertools.product(range(3), repeat=times)
            if max(labels.count(k) for k in range(3)) >= least * times - 1e-9
        )
        found = looks_stable(p[:, None], times, threshold)[0]
        assert found == pytest.approx(total, abs=1e-12)


def test_certainties_give_the_weight() -> None:
    codes = np.array([[[0, 1, 0, 1]], [[0, 1, 1, 1]]])
    stated = np.array([[1.0, 0.5], [1.0, 1.0], [0.5, 0.5], [np.nan, 1.0]])
    result = latent.omega(study(codes), weight=stated)
    assert result.weight == pytest.approx(1 - np.mean([0.5, 1, 0.25]))
    assert result.weight_method == "certainties"
    named = latent.omega(study(codes), weight={0: stated[:, 0], 1: stated[:, 1].tolist()})
    assert named.value == result.value
    assert result.expected == pytest.approx(result.weight / 2)


# --- the distribution of guesses ------------------------------------------------------------------


def test_guesses_are_estimated_from_truncated_sets() -> None:
    """The same as expectation-maximisation with phantom stable sets."""
    counts, n_sets, times = np.array([[260.0, 150.0, 100.0, 90.0]]), 200.0, 3
    p = counts[0] / counts.sum()
    for _ in range(5_000):
        s = np.sum(p**times)
        phantom = n_sets * s / (1 - s) * times * p**times / s
        p = (counts[0] + phantom) / (counts[0] + phantom).sum()
    found, identified = from_unstable_sets(counts, np.array([[n_sets]]), (times,))
    assert identified[0]
    assert found[0] == pytest.approx(p, abs=1e-9)
    assert found[0].max() > (counts[0] / counts.sum()).max()  # plain shares are too even


def test_the_truth_comes_back_where_plain_counting_does_not() -> None:
    rng = np.random.default_rng(8)
    sets = rng.choice(5, size=(40_000, 2), p=GUESS)
    kept = sets[sets[:, 0] != sets[:, 1]]
    counts = np.bincount(kept.ravel(), minlength=5).astype(float)[None]
    found, _ = from_unstable_sets(counts, np.array([[float(len(kept))]]), (2,))
    assert found[0] == pytest.approx(GUESS, abs=0.01)
    assert counts[0, 0] / counts.sum() < 0.4


@pytest.mark.parametrize(
    ("counts", "sets", "times"),
    [
        ([5, 5], [5], (2,)),  # two labels, two occasions: always one of each
        ([4, 2, 2], [4], (2,)),  # one label in every set
        ([8, 4], [4], (3,)),  # always two of the same and one other
        ([0, 0], [0], (2,)),
    ],
)
def test_sets_that_tell_no_single_distribution_are_known(
    counts: list[float], sets: list[float], times: tuple[int, ...]
) -> None:
    p, identified = from_unstable_sets(
        np.array([counts], dtype=float), np.array([sets], dtype=float), times
    )
    assert not identified[0]
    assert np.isfinite(p).all()


def test_two_labels_and_two_occasions_fall_back_to_pooled_with_a_warning() -> None:
    rng = np.random.default_rng(2)
    ratings = study(rng.integers(2, size=(2, 2, 50)))
    with pytest.warns(DegenerateDataWarning, match="pooled distribution was taken instead"):
        result = latent.omega(ratings, chance="unstable")
    assert "chance_not_identified" in {finding.code for finding in result.findings}
    assert result.value == latent.omega(ratings, chance="pooled").value
    thrice = latent.omega(study(rng.integers(2, size=(2, 3, 50))), chance="unstable")
    assert "chance_not_identified" not in {finding.code for finding in thrice.findings}


def test_raters_who_always_repeat_themselves_leave_no_guesses_to_learn_from() -> None:
    codes = np.tile(np.array([0, 1, 0, 1, 1]), (2, 2, 1))
    result = latent.omega(study(codes), chance="unstable")
    assert (result.weight, result.value) == (0.0, 1.0)


# --- results --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result() -> latent.Omega:
    ratings = study(simulated(np.random.default_rng(4), 80, 3))
    return latent.omega(ratings, chance="unstable")


def test_the_weight_and_the_raters_agreement_with_themselves_stand_beside_it(
    result: latent.Omega,
) -> None:
    text = str(result)
    assert f"w = {result.weight:.3f}" in text
    assert "Raters against themselves" in text
    own = result.raters[0].intra_rater
    assert own is not None
    assert f"{own.value:.3f}" in text
    assert "exact for even ones only" in text
    record = result.to_dict()
    assert record["weight"] == result.weight
    assert record["raters"][0]["intra_rater"]["value"] == own.value  # type: ignore[index]
    assert record["interval"]["method"] == "effective-share"  # type: ignore[index]
    for shown in (result._repr_html_(), result._repr_markdown_(), result._repr_latex_()):
        assert f"{result.value:.3f}" in shown
    assert repr(result).startswith("Omega(0.")
    assert float(result) == result.value


def test_intervals_agree_with_the_error(result: latent.Omega) -> None:
    for method in ("percentile", "basic", "bca", "jackknife"):
        interval = result.confidence_interval(method=method, n_resamples=1_500, rng=1)
        assert interval.low < result.value < interval.high
        width = (interval.high - interval.low) / (2 * 1.96)
        assert width == pytest.approx(result.standard_error, rel=0.15)
    default = result.confidence_interval()
    assert default.method == "effective-share"
    for null in (default.low - 1e-6, default.low + 1e-6):
        assert (result.test(null).p_value < 0.025) == (null < default.low)
    wide = result.confidence_interval(0.99, n_resamples=1_500, rng=1)
    assert wide.low < result.confidence_interval(n_resamples=1_500, rng=1).low


def test_the_same_seed_gives_the_same_bits(result: latent.Omega) -> None:
    one = result.bootstrap(n_resamples=700, rng=3).values
    other = result.bootstrap(n_resamples=700, rng=np.random.SeedSequence(3)).values
    assert np.array_equal(one, other)


def test_the_jackknife_leaves_out_each_item() -> None:
    codes = simulated(np.random.default_rng(9), 12, 2)
    for options in ({}, {"chance": "marginal"}, {"occasions": "first"}, {"weight": 0.3}):
        whole = latent.omega(study(codes, n_labels=5), **options)
        values = [
            latent.omega(study(np.delete(codes, i, axis=2), n_labels=5), **options).value
            for i in range(12)
        ]
        error = math.sqrt(11 / 12 * np.sum((np.array(values) - np.mean(values)) ** 2))
        assert whole.standard_error == pytest.approx(error, abs=1e-12)
        assert whole.jackknife().n_items == 12


def test_a_test_of_a_value_counts_the_resamples_below(result: latent.Omega) -> None:
    assert result.test(0.0, method="bootstrap").p_value == pytest.approx(1 / 5_000)
    assert result.test(result.value).p_value == pytest.approx(0.5, abs=0.1)
    assert result.test(0.99).p_value > 0.99
    with pytest.raises(ConsilienceError, match="null must be a number"):
        result.test("much")  # type: ignore[arg-type]


def test_the_interval_covers_what_it_promises() -> None:
    """Nominal 95 %, a hundred items, three occasions; 120 studies."""
    rng = np.random.default_rng(12)
    truth = latent.omega(study(simulated(rng, 200_000, 3)), chance="unstable").value
    covered = 0
    for _ in range(120):
        one = latent.omega(study(simulated(rng, 100, 3), n_labels=5), chance="unstable")
        low, high = one.confidence_interval(n_resamples=250, rng=1)
        covered += low <= truth <= high
    assert 0.88 <= covered / 120 <= 0.995


def test_pairs_are_averaged_and_those_without_common_items_left_out() -> None:
    codes = simulated(np.random.default_rng(6), 40, 2)
    third = np.concatenate([codes, codes[:1]])
    three = latent.omega(study(third))
    assert three.observed == pytest.approx(np.mean([pair.observed for pair in three.pairs]))
    assert three.expected == pytest.approx(np.mean([pair.expected for pair in three.pairs]))
    assert [pair.raters for pair in three.pairs] == [(0, 1), (0, 2), (1, 2)]
    apart = np.concatenate([codes, codes[1:]])
    apart[0, :, :20], apart[2, :, 20:] = -1, -1
    result = latent.omega(study(apart, n_labels=5))
    assert [pair.raters for pair in result.pairs] == [(0, 1), (1, 2)]
    assert "pairs_without_common_items" in {finding.code for finding in result.findings}


def test_nothing_but_chance_has_no_serious_agreement() -> None:
    result = latent.omega(Ratings.from_table([[4, 2], [2, 4]]), weight=1)
    assert math.isnan(result.serious_agreement)
    assert "all_chance_infected" in {finding.code for finding in result.findings}
    assert result.to_dict()["serious_agreement"] is None


def test_one_label_is_undefined_with_a_reason() -> None:
    ratings = Ratings.from_wide([["a", "a"]] * 4)
    result = latent.omega(ratings, weight=1, chance="marginal")
    assert result.status == "undefined"
    assert str(result.reason).startswith("no_variation: ")
    assert math.isnan(result.confidence_interval().low)
    assert math.isnan(result.test().p_value)
    assert "undefined" in str(result)
    assert result.to_dict()["value"] is None


def test_one_item_has_a_value_and_no_error() -> None:
    result = latent.omega(study(np.zeros((2, 2, 1), dtype=int), n_labels=2))
    assert result.value == 1.0
    assert math.isnan(result.standard_error)
    assert str(result)


def test_counting_equal_items_once_changes_nothing() -> None:
    codes = simulated(np.random.default_rng(10), 25, 2)
    once = latent.omega(study(codes, n_labels=5))
    often = latent.omega(study(np.tile(codes, 40), n_labels=5))
    assert often.value == pytest.approx(once.value, abs=1e-12)
    assert often._study.multiplicity.size <= 25
    assert often.standard_error == pytest.approx(once.standard_error / math.sqrt(40), rel=0.05)


# --- bad input ------------------------------------------------------------------------------------

ONCE = Ratings.from_wide([["a", "a"], ["b", "a"]], raters=["A", "B"])
TWICE = study(np.array([[[0, 1, 0], [0, 1, 1]], [[0, 1, 0], [0, 1, 0]]]))
ONE_RATER = TWICE.select(raters=[0])
UNEVEN = study(np.array([[[0, 1], [0, 1]], [[0, 1], [-1, -1]]]))
NEVER_TOGETHER = study(np.array([[[0, 1, 1], [0, -1, 1]], [[0, 1, 0], [-1, 1, -1]]]))
APART = study(np.array([[[0, -1], [0, -1]], [[-1, 1], [-1, 0]]]))


@pytest.mark.parametrize(
    ("ratings", "options", "message"),
    [
        ([["a", "b"]], {}, "ratings must be Ratings"),
        (None, {}, "ratings must be Ratings"),
        (ONCE, {}, "needs items that raters rated more than once, or a stated weight"),
        (ONCE, {"weight": "naive"}, "needs items that raters rated more than once"),
        (ONE_RATER, {}, "needs between two and 100 raters"),
        (UNEVEN, {}, "none for 1"),
        (NEVER_TOGETHER, {}, "both raters of a pair rated more than once"),
        (APART, {}, "at least one item that two raters both rated"),
        (APART, {"weight": 0.2}, "at least one item that two raters both rated"),
        (Ratings.from_counts([[2, 0]]), {}, "needs to know who gave which rating"),
        (Ratings.from_wide(np.arange(1200).reshape(600, 2)), {"weight": 0}, "512 labels"),
        (TWICE, {"chance": "even"}, "chance must be one of 'uniform'"),
        (TWICE, {"chance": None}, "chance must be one of"),
        (TWICE, {"occasions": "last"}, "occasions must be one of 'all', 'first'"),
        (TWICE, {"weight": "correct"}, "did you mean 'corrected'"),
        (TWICE, {"weight": 1.2}, "weight must be between 0 and 1"),
        (TWICE, {"weight": -0.1}, "weight must be between 0 and 1"),
        (TWICE, {"weight": math.nan}, "weight must be between 0 and 1"),
        (TWICE, {"weight": True}, "weight must be 'corrected'"),
        (TWICE, {"weight": None}, "weight must be 'corrected'"),
        (TWICE, {"weight": [0.5, 0.5]}, "certainties must be a table of 3 items × 2 raters"),
        (TWICE, {"weight": np.ones((2, 3))}, r"Got 'shape \(2, 3\)'"),
        (TWICE, {"weight": [["a", "b"]] * 3}, "certainties must be"),
        (TWICE, {"weight": {0: [1, 1, 1]}}, "no entry for 1"),
        (TWICE, {"weight": {0: [1, 1, 1], 1: [1, 1]}}, "certainties must be"),
        (TWICE, {"weight": np.full((3, 2), 80)}, "divide by 100 if they are percentages"),
        (TWICE, {"weight": np.full((3, 2), np.inf)}, "every certainty must be between 0 and 1"),
        (TWICE, {"weight": object()}, "certainties must be"),
        (TWICE, {"stability_threshold": 0}, "stability_threshold must be above 0"),
        (TWICE, {"stability_threshold": 1.5}, "stability_threshold must be above 0"),
        (TWICE, {"stability_threshold": "all"}, "stability_threshold must be above 0"),
        (TWICE, {"stability_threshold": 0.5}, "always reach"),
        (TWICE, {"distance": "quadradic"}, "did you mean 'quadratic'"),
    ],
)
def test_what_omega_cannot_do_is_refused(ratings: Any, options: Any, message: str) -> None:
    with pytest.raises(ConsilienceError, match=message):
        latent.omega(ratings, **options)


def test_certainties_that_are_all_unknown_leave_omega_undefined() -> None:
    result = latent.omega(TWICE, weight=np.full((3, 2), np.nan))
    assert result.status == "undefined"
    assert str(result.reason).startswith("no_weight: ")


@pytest.mark.parametrize("options", [{"method": "normal"}, {"confidence_level": 95}])
def test_intervals_that_do_not_exist_are_refused(
    options: dict[str, Any], result: latent.Omega
) -> None:
    with pytest.raises(ConsilienceError, match="must be"):
        result.confidence_interval(**options)
    with pytest.raises(ConsilienceError, match="n_resamples must be"):
        result.confidence_interval(n_resamples=0)


@pytest.mark.parametrize(
    ("weight", "shares"),
    [
        (1.5, ([0.5, 0.5], [0.5, 0.5])),
        (0.5, ([0.5, 0.5],)),
        (0.5, ([0.5, 0.5], [1.0])),
        (0.5, ([0.5, 0.6], [0.5, 0.5])),
        (0.5, (["a"], ["b"])),
    ],
)
def test_a_chance_term_of_no_distributions_is_refused(weight: float, shares: Any) -> None:
    with pytest.raises(ConsilienceError, match="must be"):
        latent.omega_chance_term(weight, *shares)
