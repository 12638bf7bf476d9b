"""Simulated ratings have the truth, the faults and the agreement that were asked for."""

from __future__ import annotations

import dataclasses
import math
import sys
import types
from typing import Any

import numpy as np
import pytest

import consilience as cs
import needed
from consilience import simulate as module
from consilience.exceptions import InputError, MissingDependencyError, UnsupportedDesignError
from consilience.simulate import (
    Simulator,
    large_sample_value,
    sampling_distribution,
    simulate,
)

MANY = 40_000
SIGMAS = 5.0  # a correct simulation fails one such comparison in two million


def labels_of(simulated: module.Simulated) -> np.ndarray[Any, Any]:
    """Items x raters of label codes; -1 for missing."""
    return simulated._matrices[0].T


def assert_share(hits: np.ndarray[Any, Any], want: float) -> None:
    error = math.sqrt(max(want * (1 - want), 1e-12) / hits.size)
    assert abs(float(hits.mean()) - want) <= SIGMAS * error + 1e-12


# --- seeds and shapes -----------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bits() -> None:
    first, again, other = (
        simulate(n_items=500, missing=0.1, occasions=2, rng=seed) for seed in (3, 3, 4)
    )
    for one, two in zip(first._matrices, again._matrices, strict=True):
        np.testing.assert_array_equal(one, two)
    np.testing.assert_array_equal(first.truth, again.truth)
    assert not np.array_equal(first._matrices[0], other._matrices[0])


def test_a_generator_goes_on_where_it_was() -> None:
    rng = np.random.default_rng(1)
    first, second = (simulate(n_items=100, rng=rng) for _ in range(2))
    assert not np.array_equal(first.truth, second.truth)
    again = simulate(n_items=100, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(first.truth, again.truth)


def test_the_module_itself_can_be_called() -> None:
    found = module(n_items=10, rng=0)  # type: ignore[operator]
    np.testing.assert_array_equal(found.truth, simulate(n_items=10, rng=0).truth)


def test_the_result_has_the_asked_size_labels_and_names() -> None:
    study = simulate(
        n_items=30,
        n_raters=2,
        categories=["no", "maybe", "yes"],
        raters=["Ann", "Bob"],
        scale="ordinal",
        rng=0,
    )
    assert study.ratings.n_items == 30
    assert study.ratings.raters == ("Ann", "Bob")
    assert study.ratings.categories == ("no", "maybe", "yes")
    assert study.ratings.categories_declared
    assert study.ratings.scale == "ordinal"
    assert set(study.truth.tolist()) <= {"no", "maybe", "yes"}
    assert study.design.n_raters == 2


def test_labels_may_be_sets() -> None:
    labels = [frozenset("a"), frozenset("ab")]
    study = simulate(categories=labels, rng=0)
    assert study.ratings.categories == tuple(labels)
    assert study.truth[0] in labels


def test_a_number_of_categories_stands_for_the_labels_from_one() -> None:
    assert simulate(categories=4, rng=0).ratings.categories == (1, 2, 3, 4)


def n_calls(n_items: int) -> int:
    """Count the calls that a simulation takes: a clock would measure how busy the machine is."""
    count = [0]

    def called(*_: object) -> None:
        count[0] += 1

    sys.setprofile(called)
    try:
        simulate(n_items=n_items, n_raters=5, categories=5, accuracy=0.8, rng=0)
    finally:
        sys.setprofile(None)
    return count[0]


def test_many_items_take_no_more_steps_than_few() -> None:
    assert n_calls(100_000) < 2 * n_calls(1_000)


# --- truth, accuracy, bias ------------------------------------------------------------------------


def test_true_labels_have_their_prevalence() -> None:
    shares = {"a": 0.2, "b": 0.7, "c": 0.1}
    truth = simulate(n_items=MANY, categories=list("abc"), prevalence=shares, rng=1).truth
    for label, want in shares.items():
        assert_share(truth == label, want)


def test_accuracy_is_the_share_of_true_labels() -> None:
    accuracy = [0.95, 0.7, 0.4]
    study = simulate(n_items=MANY, categories=4, accuracy=accuracy, rng=2)
    codes, truth = labels_of(study), study.truth - 1
    for rater, want in enumerate(accuracy):
        assert_share(codes[:, rater] == truth, want)
        wrong = codes[:, rater] != truth
        # Errors fall evenly on the other labels.
        assert_share((codes[wrong, rater] - truth[wrong]) % 4 == 1, 1 / 3)


def test_bias_is_what_a_rater_says_when_she_does_not_know() -> None:
    study = simulate(
        n_items=MANY, n_raters=2, categories=3, accuracy=[0.6, 0.0], bias=[0.5, 0.3, 0.2], rng=3
    )
    codes, truth = labels_of(study), study.truth - 1
    for label, guess in enumerate((0.5, 0.3, 0.2)):
        assert_share(codes[truth == label, 0] == label, 0.6 + 0.4 * guess)
        assert_share(codes[:, 1] == label, guess)


def test_each_rater_may_have_a_bias_of_her_own() -> None:
    study = simulate(n_raters=2, accuracy=0.0, bias=[[1, 0], [0, 1]], rng=0)
    np.testing.assert_array_equal(labels_of(study), np.tile([0, 1], (100, 1)))


@pytest.mark.parametrize("shared", [True, False])
def test_confusion_matrices_are_followed(shared: bool) -> None:
    rng = np.random.default_rng(5)
    confusion = rng.dirichlet(np.ones(3), size=(2, 3))
    given = confusion[0] if shared else confusion
    study = simulate(n_items=MANY, n_raters=2, categories=3, accuracy=given, rng=4)
    codes, truth = labels_of(study), study.truth - 1
    assert study.design.confusion is not None
    for rater in range(2):
        want = confusion[0 if shared else rater]
        np.testing.assert_allclose(study.design.confusion[rater], want, atol=1e-12)
        for k in range(3):
            for label in range(3):
                assert_share(codes[truth == k, rater] == label, want[k, label])


def test_a_label_without_any_chance_is_never_used() -> None:
    study = simulate(n_items=MANY, categories=3, prevalence=[0, 1, 0], accuracy=1.0, rng=0)
    assert set(labels_of(study).ravel().tolist()) == {1}


def test_more_labels_than_are_compared_one_by_one_keep_their_shares() -> None:
    confusion = np.tile(np.linspace(1, 2, 40) / np.linspace(1, 2, 40).sum(), (40, 1))
    study = simulate(n_items=MANY, n_raters=1, categories=40, accuracy=confusion, rng=5)
    for label in (0, 17, 39):
        assert_share(labels_of(study) == label, confusion[0, label])
        assert_share(study.truth == label + 1, 1 / 40)


def test_hard_items_have_an_accuracy_of_their_own() -> None:
    study = simulate(n_items=MANY, accuracy=0.95, hard_share=0.25, hard_accuracy=0.55, rng=6)
    correct = labels_of(study) == (study.truth - 1)[:, None]
    assert_share(study.hard, 0.25)
    assert_share(correct[study.hard, 0], 0.55)
    assert_share(correct[~study.hard, 1], 0.95)


# --- agreement ------------------------------------------------------------------------------------


def assert_value(estimate: cs.Estimate, want: float) -> None:
    assert abs(estimate.value - want) <= SIGMAS * estimate.standard_error


@pytest.mark.parametrize("n_raters", [2, 5])
@pytest.mark.parametrize("agreement", [0.0, 0.35, 0.8])
def test_chance_corrected_agreement_is_the_one_asked_for(n_raters: int, agreement: float) -> None:
    ratings = simulate(
        n_items=MANY,
        n_raters=n_raters,
        categories=4,
        prevalence=[0.1, 0.2, 0.3, 0.4],
        agreement=agreement,
        scale="ordinal",
        rng=7,
    ).ratings
    for distance in ("nominal", "ordinal", "quadratic"):
        for function in (cs.scott_pi, cs.cohen_kappa, cs.krippendorff_alpha):
            assert_value(function(ratings, distance=distance), agreement)


def test_agreement_survives_missing_ratings_and_crowds() -> None:
    holey = simulate(n_items=MANY, n_raters=4, agreement=0.5, missing=0.3, rng=8).ratings
    crowd = simulate(n_items=MANY, n_raters=200, ratings_per_item=3, agreement=0.5, rng=8).ratings
    assert_value(cs.krippendorff_alpha(holey), 0.5)
    assert_value(cs.krippendorff_alpha(crowd), 0.5)


def test_full_agreement_is_full() -> None:
    assert cs.scott_pi(simulate(agreement=1.0, rng=0).ratings).value == 1.0


def test_agreement_on_an_interval_scale_is_the_share_of_true_variance() -> None:
    study = simulate(n_items=MANY, n_raters=3, scale="interval", agreement=0.7, spread=4.0, rng=9)
    assert_value(cs.krippendorff_alpha(study.ratings), 0.7)
    assert study._matrices[0].std() == pytest.approx(4.0, rel=0.02)


# --- ordinal and interval -------------------------------------------------------------------------


def test_values_scatter_around_the_truth_as_asked() -> None:
    study = simulate(
        n_items=MANY,
        n_raters=2,
        scale="interval",
        mean=10.0,
        spread=3.0,
        noise=[1.0, 2.0],
        shift=[0.0, -1.5],
        rng=10,
    )
    errors = study._matrices[0] - study.truth
    assert study.truth.mean() == pytest.approx(10.0, abs=0.1)
    np.testing.assert_allclose(errors.std(axis=1), [1.0, 2.0], rtol=0.02)
    np.testing.assert_allclose(errors.mean(axis=1), [0.0, -1.5], atol=0.06)


def test_ordinal_categories_have_their_prevalence_and_noise_blurs_them() -> None:
    shares = [0.1, 0.0, 0.5, 0.4]
    study = simulate(n_items=MANY, categories=4, prevalence=shares, scale="ordinal", rng=11)
    for label, want in enumerate(shares, start=1):
        assert_share(study.truth == label, want)
    sharp = simulate(categories=4, scale="ordinal", noise=0.0, rng=11)
    np.testing.assert_array_equal(labels_of(sharp)[:, 0], sharp.truth - 1)
    distance = np.abs(labels_of(study)[:, 0] - (study.truth - 1))
    assert 0.0 < distance.mean() < 1.0


def test_a_severe_rater_gives_lower_labels() -> None:
    study = simulate(
        n_items=MANY, n_raters=2, categories=5, scale="ordinal", shift=[0.0, -0.5], rng=12
    )
    means = labels_of(study).mean(axis=0)
    assert means[1] < means[0] - 0.3


def test_hard_items_on_a_line_have_more_noise() -> None:
    study = simulate(
        n_items=MANY, scale="interval", noise=0.1, hard_share=0.5, hard_noise=2.0, rng=13
    )
    errors = study._matrices[0][0] - study.truth
    assert errors[study.hard].std() == pytest.approx(2.0, rel=0.05)
    assert errors[~study.hard].std() == pytest.approx(0.1, rel=0.05)


def test_many_cuts_give_the_same_as_few() -> None:
    study = simulate(n_items=MANY, categories=50, scale="ordinal", noise=0.0, rng=14)
    np.testing.assert_array_equal(labels_of(study)[:, 0], study.truth - 1)
    assert_share(study.truth <= 25, 0.5)


# --- missing, crowds, occasions -------------------------------------------------------------------


def test_ratings_go_missing_at_random() -> None:
    study = simulate(n_items=MANY, n_raters=3, missing=0.2, rng=15)
    assert_share(labels_of(study) < 0, 0.2)
    assert study.ratings.n_missing == int((labels_of(study) < 0).sum())
    values = simulate(n_items=1000, scale="interval", missing=0.5, rng=15)
    assert 1300 < values.ratings.n_ratings < 1700


def test_every_item_of_a_crowd_has_as_many_different_raters() -> None:
    study = simulate(n_items=5000, n_raters=50, ratings_per_item=4, rng=16)
    assert study.ratings.n_ratings == 20_000
    assert study._who is not None
    assert all(len(set(column)) == 4 for column in study._who.T.tolist())


def test_every_set_of_raters_is_equally_likely() -> None:
    study = simulate(n_items=60_000, n_raters=4, ratings_per_item=2, rng=17)
    assert study._who is not None
    low, high = np.sort(study._who, axis=0)
    for pair in ((0, 1), (0, 3), (1, 2), (2, 3)):
        assert_share((low == pair[0]) & (high == pair[1]), 1 / 6)


def test_a_crowd_of_values_is_rated_too() -> None:
    study = simulate(n_items=300, n_raters=20, ratings_per_item=3, scale="interval", rng=18)
    assert study.ratings.n_ratings == 900
    assert cs.krippendorff_alpha(study.ratings).value > 0.5


def test_occasions_repeat_the_items_with_new_errors() -> None:
    study = simulate(n_items=2000, n_raters=2, accuracy=0.8, occasions=3, missing=0.1, rng=19)
    assert len(study.occasions) == 3
    first, second = (matrix[0] for matrix in study._matrices[:2])
    both = (first >= 0) & (second >= 0)
    assert_share(first[both] == second[both], 0.8**2 + 0.2**2)
    columns = study.to_long()
    assert columns["label"].size == sum(ratings.n_ratings for ratings in study.occasions)
    assert set(columns["occasion"].tolist()) == {1, 2, 3}
    back = cs.Ratings.from_long(columns, occasion="occasion", categories=(1, 2))
    assert back.n_items == 2000


def test_long_columns_say_who_gave_which_label() -> None:
    study = simulate(n_items=50, n_raters=9, ratings_per_item=2, raters=list("abcdefghi"), rng=20)
    back = cs.Ratings.from_long(study.to_long())
    assert cs.krippendorff_alpha(back).value == cs.krippendorff_alpha(study.ratings).value
    values = simulate(n_items=50, scale="interval", missing=0.2, rng=20)
    assert values.to_long()["label"].size == values.ratings.n_ratings


# --- designs --------------------------------------------------------------------------------------


def test_a_design_draws_again_at_any_size() -> None:
    design = simulate(n_items=10, agreement=0.5, rng=0).design
    assert design.draw(n_items=25, rng=1).ratings.n_items == 25
    assert dataclasses.replace(design, n_raters=7).draw(rng=1).ratings.n_raters == 7
    assert design == Simulator(n_items=10, agreement=0.5)


def test_designs_compare_whatever_form_their_numbers_came_in() -> None:
    matrix = [[0.9, 0.1], [0.2, 0.8]]
    first = Simulator(accuracy=matrix, prevalence=0.3)
    assert first == Simulator(accuracy=np.array(matrix), prevalence=(0.3, 0.7))
    with pytest.raises(dataclasses.FrozenInstanceError):
        first.n_items = 3  # type: ignore[misc]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"n_items": 0}, "n_items must be a whole number of at least 1"),
        ({"n_items": 2.5}, "n_items must be a whole number"),
        ({"n_raters": True}, "n_raters must be a whole number"),
        ({"categories": 1}, "categories must be a whole number of at least 2"),
        ({"categories": ["a"]}, "categories must be at least two labels"),
        ({"categories": ["a", "a"]}, "categories must be different"),
        ({"prevalence": 1.5}, "prevalence must be between 0 and 1"),
        ({"prevalence": 30}, "write 0.3 for 30%"),
        ({"prevalence": [0.5, 0.6]}, "shares that add up to 1"),
        ({"prevalence": [1.5, -0.5]}, "shares are never negative"),
        ({"prevalence": [0.5, 0.3, 0.2]}, "one share per category (2)"),
        ({"prevalence": 0.3, "categories": 3}, "one share per category (3)"),
        ({"prevalence": {"x": 1.0}}, "a share for each of the categories"),
        ({"prevalence": "half"}, "prevalence must be a number or a list"),
        ({"prevalence": ["a", "b"]}, "every value of prevalence must be a number"),
        ({"accuracy": 1.2}, "accuracy must be between 0 and 1"),
        ({"accuracy": [0.5, 0.5]}, "one for each of the 3 raters"),
        ({"accuracy": np.ones((2, 2))}, "every row of a confusion matrix"),
        ({"accuracy": np.ones((4, 4))}, "a 2×2 confusion matrix"),
        ({"accuracy": [[1], [2, 3]]}, "accuracy must be numbers"),
        ({"accuracy": float("nan")}, "accuracy must be finite numbers"),
        ({"bias": [0.5, 0.2, 0.3]}, "bias must be one share per category"),
        ({"agreement": -0.1}, "agreement must be between 0 and 1"),
        ({"agreement": 0.5, "accuracy": 0.8}, "accuracy must be left out with agreement"),
        ({"agreement": 0.5, "hard_share": 0.2}, "hard_share must be left out with agreement"),
        ({"noise": 0.5}, 'noise must be left out with scale="nominal"'),
        ({"scale": "interval", "accuracy": 0.9}, 'accuracy must be left out with scale="interval"'),
        ({"scale": "interval", "prevalence": 0.9}, "prevalence must be left out"),
        ({"scale": "ordinal", "noise": 1.0, "bias": [0, 1]}, "bias must be left out with noise"),
        ({"scale": "interval", "noise": -1.0}, "noise must be a finite number of at least 0"),
        ({"scale": "interval", "mean": math.inf}, "mean must be a finite number"),
        ({"scale": "ratio"}, "scale must be one of"),
        ({"hard_share": 0.2}, "hard_accuracy must be given together with hard_share"),
        ({"hard_accuracy": 0.2}, "hard_share must be given together with hard_accuracy"),
        ({"missing": 20}, "write 0.2 for 20%"),
        ({"ratings_per_item": 4}, "at most the number of raters (3)"),
        ({"ratings_per_item": 0}, "ratings_per_item must be a whole number"),
        ({"occasions": 0}, "occasions must be"),
        ({"raters": ["a", "b"]}, "raters must be 3 names"),
        ({"rng": "seed"}, "rng must be a whole number"),
    ],
)
def test_a_bad_option_is_refused_with_the_reason(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        simulate(**options)
    assert message in str(caught.value)


# --- sampling distributions -----------------------------------------------------------------------


@pytest.fixture(scope="module")
def skewed() -> module.SamplingDistribution:
    design = Simulator(n_items=30, n_raters=2, agreement=0.6, prevalence=0.1)
    return sampling_distribution(design, "scott_pi", n_resamples=800, rng=1)


def test_the_moments_are_those_of_the_values(skewed: module.SamplingDistribution) -> None:
    from scipy import stats

    values = skewed.values[np.isfinite(skewed.values)]
    assert skewed.mean == pytest.approx(values.mean())
    assert skewed.standard_deviation == pytest.approx(values.std(ddof=1))
    assert skewed.skewness == pytest.approx(stats.skew(values))
    assert skewed.excess_kurtosis == pytest.approx(stats.kurtosis(values))
    assert skewed.normality_p_value == pytest.approx(stats.jarque_bera(values).pvalue)
    assert skewed.bias == pytest.approx(skewed.mean - 0.6)


def test_a_rare_label_makes_pi_biased_skewed_and_sometimes_undefined(
    skewed: module.SamplingDistribution,
) -> None:
    assert skewed.true_value == 0.6
    assert skewed.true_value_error == 0.0
    assert skewed.is_biased
    assert skewed.bias < 0
    assert not skewed.is_normal
    assert 0.0 < skewed.share_undefined < 0.05
    assert skewed.coverage < 0.9
    assert skewed.mean_standard_error < skewed.standard_deviation


def test_the_answer_is_a_sentence_and_plain_data(skewed: module.SamplingDistribution) -> None:
    text = str(skewed)
    assert text.startswith("Scott's pi over 800 simulated studies of 30 items × 2 raters: mean 0.5")
    assert "(biased: -0.0" in text
    assert "not normal (skewness -0." in text
    assert "It is undefined in " in text
    facts = skewed.to_dict()
    assert facts["true_value"] == 0.6
    assert facts["n_resamples"] == 800


def test_a_large_even_study_is_normal_unbiased_and_honest() -> None:
    design = Simulator(n_items=300, n_raters=4, agreement=0.5, categories=3)
    found = sampling_distribution(design, "alpha", n_resamples=400, rng=2)
    assert found.is_normal
    assert not found.is_biased
    assert found.coverage == pytest.approx(0.95, abs=0.04)
    assert found.mean_standard_error == pytest.approx(found.standard_deviation, rel=0.15)
    assert found.share_undefined == 0.0


def test_the_same_seed_gives_the_same_distribution() -> None:
    design = Simulator(n_items=20)
    first, again = (sampling_distribution(design, n_resamples=20, rng=3) for _ in range(2))
    np.testing.assert_array_equal(first.values, again.values)


def test_the_size_may_differ_from_the_design_and_progress_is_told() -> None:
    told: list[tuple[int, int]] = []
    simulated = simulate(n_items=10, rng=0)
    found = sampling_distribution(
        simulated, n_items=25, n_resamples=5, rng=0, progress=lambda *step: told.append(step)
    )
    assert found.design.n_items == 25
    assert told == [(b, 5) for b in range(1, 6)]


def test_two_raters_of_equal_accuracy_have_the_kappa_of_theory() -> None:
    # Two raters, even binary labels: P_o = a^2 + (1 - a)^2 and P_e = 1/2, so kappa = (2a - 1)^2.
    found = large_sample_value(Simulator(n_raters=2, accuracy=0.9), "cohen_kappa", rng=1)
    assert found == pytest.approx(0.8**2, abs=0.005)


@pytest.mark.parametrize("name", ["gwet_ac", "bennett_s", "percent_agreement", "van_oest"])
def test_the_expected_table_and_a_large_sample_agree(name: str) -> None:
    design = Simulator(agreement=0.4, categories=3, prevalence=[0.6, 0.3, 0.1], n_raters=3)
    exact = large_sample_value(design, name)
    sample = design.draw(n_items=200_000, rng=4).ratings
    assert cs.coefficients.estimate(
        cs.coefficients.registry[name], (sample,)
    ).value == pytest.approx(exact, abs=0.01)


def test_a_coefficient_that_does_not_exist_for_the_design_says_so() -> None:
    with pytest.raises(UnsupportedDesignError, match="needs exactly two raters"):
        sampling_distribution(Simulator(n_raters=3), "perreault_leigh", n_resamples=3, rng=0)
    with pytest.raises(InputError, match="design must be a Simulator"):
        sampling_distribution("design", n_resamples=3)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="n_resamples"):
        sampling_distribution(Simulator(), n_resamples=0)


def test_studies_without_any_comparable_item_count_as_undefined() -> None:
    design = Simulator(n_items=2, n_raters=2, agreement=0.5, missing=0.9)
    found = sampling_distribution(design, n_resamples=40, rng=0)
    assert found.share_undefined > 0.5


def test_a_coefficient_that_is_never_defined_has_a_sentence_too() -> None:
    design = Simulator(n_items=1, n_raters=2, agreement=1.0)
    found = sampling_distribution(design, "scott_pi", n_resamples=5, rng=0)
    assert str(found).startswith("Scott's pi is undefined in all of 5 simulated studies")
    assert found.to_dict()["mean"] is None


# --- the figure -----------------------------------------------------------------------------------


class Recorder:
    """Stands for matplotlib: takes every call and remembers its name."""

    def __init__(self, calls: list[str]) -> None:
        self.calls = calls

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **options: Any) -> Recorder:
            self.calls.append(name)
            return self

        return call


def test_the_figure_shows_distribution_curve_and_both_values(
    monkeypatch: pytest.MonkeyPatch, skewed: module.SamplingDistribution
) -> None:
    calls: list[str] = []
    stand_in = types.ModuleType("matplotlib.figure")
    stand_in.Figure = lambda **options: Recorder(calls)  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "matplotlib", types.ModuleType("matplotlib"))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", stand_in)
    assert isinstance(skewed.figure(), Recorder)
    assert calls.count("axvline") == 2
    assert {"hist", "plot", "set_xlabel", "legend"} <= set(calls)


def test_a_real_figure_can_be_saved(skewed: module.SamplingDistribution, tmp_path: Any) -> None:
    needed.package("matplotlib")
    path = tmp_path / "distribution.svg"
    skewed.figure().savefig(path)
    assert path.stat().st_size > 5000


def test_without_matplotlib_the_figure_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, skewed: module.SamplingDistribution
) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingDependencyError, match="pip install matplotlib"):
        skewed.figure()
