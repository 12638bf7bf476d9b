"""Latent classes against simulated truth: fit, identification, and what follows from a model."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest

import consilience as cs
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.latent import LatentClasses, compare_classes, dawid_skene, latent_classes


@pytest.fixture(scope="module")
def study() -> cs.simulate.Simulated:
    return cs.simulate(
        n_items=3000, n_raters=4, categories=["no", "yes"], prevalence=[0.7, 0.3],
        accuracy=[[[0.9, 0.1], [0.2, 0.8]]] * 4, rng=1,
    )  # fmt: skip


@pytest.fixture(scope="module")
def model(study: cs.simulate.Simulated) -> LatentClasses:
    return latent_classes(study.ratings)


def test_sensitivity_and_specificity_come_back(model: LatentClasses) -> None:
    assert model.class_labels == ("no", "yes")
    assert model.prevalence == pytest.approx([0.7, 0.3], abs=0.04)
    for one in model.raters:
        assert one.details["sensitivity"] == pytest.approx(0.8, abs=0.06)
        assert one.details["specificity"] == pytest.approx(0.9, abs=0.04)
        assert one.details["sensitivity_low"] < 0.8 < one.details["sensitivity_high"]
    assert model.n_parameters == 9
    assert model.degrees_of_freedom == 6
    assert model.p_value > 0.001
    assert model.findings == ()


def test_positive_says_which_label_sensitivity_is_about(study: cs.simulate.Simulated) -> None:
    turned = latent_classes(study.ratings, positive="no")
    assert turned.raters[0].details["sensitivity"] == pytest.approx(0.9, abs=0.04)


def test_as_many_classes_as_labels_is_dawid_skenes_model(
    study: cs.simulate.Simulated, model: LatentClasses
) -> None:
    other = dawid_skene(study.ratings, tolerance=1e-11)
    assert model.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-6)
    assert model.rates == pytest.approx(other.error_rates, abs=1e-3)
    assert model.rates_standard_error == pytest.approx(other.error_rates_standard_error, rel=0.01)
    assert model.labels == other.labels


def test_fit_statistics_over_all_patterns_by_hand(
    study: cs.simulate.Simulated, model: LatentClasses
) -> None:
    n = 3000
    patterns = np.array(np.unravel_index(np.arange(16), (2,) * 4)).T
    chance = sum(
        model.prevalence[j] * np.prod([model.rates[g, j, patterns[:, g]] for g in range(4)], axis=0)
        for j in range(2)
    )
    long = study.to_long()
    label = np.where(long["label"] == "yes", 1, 0).reshape(n, 4)
    seen = np.bincount(label @ [8, 4, 2, 1], minlength=16)
    expected = n * chance
    used = seen > 0
    assert expected.sum() == pytest.approx(n)
    assert model.x_squared == pytest.approx(((seen - expected) ** 2 / expected).sum(), abs=1e-6)
    g_squared = 2 * (seen[used] * np.log(seen[used] / expected[used])).sum()
    assert model.g_squared == pytest.approx(g_squared, abs=1e-6)
    assert model.bic == pytest.approx(-2 * model.log_likelihood + 9 * math.log(n))
    assert model.aic == pytest.approx(-2 * model.log_likelihood + 18)


def test_the_model_predicts_the_kappa_of_the_data(
    study: cs.simulate.Simulated, model: LatentClasses
) -> None:
    assert model.predicted_overall_kappa == pytest.approx(
        cs.cohen_kappa(study.ratings).value, abs=0.005
    )
    pair = cs.cohen_kappa(study.ratings.select(raters=[0, 1])).value
    assert model.predicted_kappa[0, 1] == pytest.approx(pair, abs=0.05)
    assert (model.predicted_kappa == model.predicted_kappa.T).all()


def test_two_raters_and_two_classes_are_refused() -> None:
    table = cs.Ratings.from_table([[40, 10], [10, 40]])
    with pytest.raises(UnsupportedDesignError, match="5 parameters") as caught:
        latent_classes(table)
    assert "add a rater" in str(caught.value)
    with pytest.raises(UnsupportedDesignError):
        compare_classes(table, [2, 3])


def test_three_raters_are_just_identified() -> None:
    drawn = cs.simulate(n_items=2000, n_raters=3, accuracy=0.85, prevalence=0.4, rng=2)
    found = latent_classes(drawn.ratings)
    assert found.degrees_of_freedom == 0
    assert found.g_squared == pytest.approx(0.0, abs=0.05)
    assert math.isnan(found.p_value)
    assert found.smallest_eigenvalue > 1e-4


def test_a_class_that_the_data_do_not_have_is_flagged() -> None:
    rng = np.random.default_rng(3)
    label = (rng.random((4000, 4)) < 0.5).astype(int)  # one class only
    found = latent_classes(cs.Ratings.from_wide(label), n_classes=3)
    assert found.smallest_eigenvalue < 0.05 or "boundary" in {f.code for f in found.findings}


def test_boundary_rates_have_no_error_but_limits() -> None:
    perfect = np.repeat([[0, 0, 0], [1, 1, 1]], 30, axis=0)
    perfect[0, 2], perfect[40, 1], perfect[41, 0] = 1, 0, 0
    found = latent_classes(cs.Ratings.from_wide(perfect))
    assert "boundary" in {one.code for one in found.findings}
    at_edge = np.minimum(found.rates, 1 - found.rates) < 1e-6
    assert at_edge.any()
    assert np.isnan(found.rates_standard_error[at_edge]).all()
    assert np.isfinite(found.rates_interval).all()
    assert (np.ptp(found.rates_interval, axis=-1) > 0).all()


def test_limits_lie_on_either_side_of_their_rate() -> None:
    """Also of rates that are 0, which have no limit below them."""
    study = cs.simulate(n_items=120, n_raters=4, accuracy=[0.9, 0.8, 0.7, 0.5], rng=2)
    found = latent_classes(study.ratings)
    assert (found.rates < 1e-9).any()
    assert (found.rates_interval[..., 0] <= found.rates).all()
    assert (found.rates_interval[..., 1] >= found.rates).all()


def test_the_bootstrap_keeps_a_true_model_and_rejects_a_false_one() -> None:
    rng = np.random.default_rng(4)
    kind = rng.choice(3, 300, p=[0.4, 0.3, 0.3])
    rate = np.array([[0.05] * 6, [0.9, 0.9, 0.9, 0.1, 0.1, 0.1], [0.95] * 6])[kind]
    ratings = cs.Ratings.from_wide((rng.random((300, 6)) < rate).astype(int))
    two = latent_classes(ratings, n_classes=2, n_resamples=99)
    three = latent_classes(ratings, n_classes=3, n_resamples=99)
    assert two.bootstrap_p_value < 0.03
    assert three.bootstrap_p_value > 0.03
    assert "parametric bootstrap" in three.standard_error_method
    plain = latent_classes(ratings, n_classes=3)
    assert "sparse_table" in {one.code for one in plain.findings}
    inside = np.isfinite(plain.rates_standard_error)
    ratio = three.rates_standard_error[inside] / plain.rates_standard_error[inside]
    assert 0.6 < np.median(ratio) < 1.6


def test_more_classes_than_labels_share_the_labels() -> None:
    rng = np.random.default_rng(4)
    kind = rng.choice(3, 1500, p=[0.4, 0.2, 0.4])
    rate = np.array([[0.05] * 5, [0.9, 0.9, 0.6, 0.5, 0.2], [0.95] * 5])[kind]
    ratings = cs.Ratings.from_wide((rng.random((1500, 5)) < rate).astype(int))
    found = compare_classes(ratings, range(1, 5))
    assert found.best.n_classes == 3
    assert found.best.class_labels[0] == 0
    assert found.best.class_labels[-1] == 1
    assert found.best.posterior.shape == (1500, 2)
    assert found.best.class_posterior.shape == (1500, 3)
    assert found.best.posterior.sum(axis=1) == pytest.approx(1.0)
    assert found.to_dict()["best"] == 3
    assert str(found).count("\n") > 4


def test_a_comparison_says_which_models_are_not_identified() -> None:
    drawn = cs.simulate(n_items=300, n_raters=3, accuracy=0.85, rng=2)
    rows = list(compare_classes(drawn.ratings, range(1, 4)))
    assert [row.model is None for row in rows] == [False, False, True]
    assert "parameters" in rows[2].reason


def test_missing_ratings_are_ignored_and_there_is_no_test_of_fit() -> None:
    drawn = cs.simulate(n_items=3000, n_raters=5, accuracy=0.85, prevalence=0.3, missing=0.3, rng=5)
    found = latent_classes(drawn.ratings, n_resamples=5)
    assert found.prevalence == pytest.approx([0.3, 0.7], abs=0.03)
    assert [one.accuracy for one in found.raters] == pytest.approx([0.85] * 5, abs=0.03)
    assert math.isnan(found.g_squared)
    assert math.isnan(found.bootstrap_p_value)
    assert "no_test_of_fit" in {one.code for one in found.findings}


def test_the_order_of_raters_and_items_does_not_matter(study: cs.simulate.Simulated) -> None:
    turned = study.ratings.select(raters=[3, 2, 1, 0])
    found, other = latent_classes(turned), latent_classes(study.ratings)
    assert found.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-6)
    assert found.rates[::-1] == pytest.approx(other.rates, abs=1e-3)


def test_how_many_ratings_find_all_but_one_in_a_hundred(model: LatentClasses) -> None:
    from scipy.stats import binom

    hit = float(model.rates[:, 1, 1].mean())
    needed = model.ratings_needed(sensitivity=0.99)
    k = needed.n_ratings
    assert k is not None
    assert needed.sensitivity == pytest.approx(binom.sf(k // 2, k, hit))
    assert needed.sensitivity >= 0.99
    assert all(binom.sf(n // 2, n, hit) < 0.99 for n in range(1, k))
    posterior = model.ratings_needed(sensitivity=0.99, rule="posterior")
    assert posterior.n_ratings is not None
    assert posterior.sensitivity >= 0.99
    assert "ratings per item" in str(needed)
    assert needed.to_dict()["rule"] == "majority"


def test_ratings_that_miss_most_positives_never_suffice() -> None:
    drawn = cs.simulate(
        n_items=4000, n_raters=5, prevalence=0.5,
        accuracy=[[[0.99, 0.01], [0.6, 0.4]]] * 5, rng=6,
    )  # fmt: skip
    found = latent_classes(drawn.ratings)
    needed = found.ratings_needed(sensitivity=0.9, most=99)
    assert needed.n_ratings is None
    assert "posterior" in needed.reason
    assert found.ratings_needed(sensitivity=0.9, rule="posterior").n_ratings is not None
    with pytest.raises(InputError, match="sensitivity"):
        found.ratings_needed(sensitivity=99)
    with pytest.raises(InputError, match="rule"):
        found.ratings_needed(rule="most")


def test_ratings_needed_is_about_two_labels() -> None:
    drawn = cs.simulate(n_items=300, n_raters=4, categories=3, accuracy=0.8, rng=7)
    with pytest.raises(UnsupportedDesignError, match="two labels"):
        latent_classes(drawn.ratings, n_classes=3).ratings_needed()


def test_of_repeated_ratings_the_first_counts() -> None:
    drawn = cs.simulate(n_items=200, n_raters=3, accuracy=0.8, occasions=2, rng=8)
    both = cs.Ratings.from_long(drawn.to_long(), occasion="occasion", duplicates="occasions")
    found = latent_classes(both)
    assert found.n_ratings == 600
    assert found.log_likelihood == pytest.approx(
        latent_classes(drawn.ratings).log_likelihood, abs=1e-6
    )


def test_a_model_becomes_json_and_text(model: LatentClasses) -> None:
    record = json.loads(json.dumps(model.to_dict(), allow_nan=False))
    assert {"g_squared", "bic", "rates", "predicted_kappa", "class_labels"} <= set(record)
    assert "sensitivity" in str(model)
    assert "tabular" in model._repr_latex_()


def test_a_test_of_sensitivity_keeps_its_level_and_finds_what_is_there() -> None:
    """Artstein & Poesio (2005), 6.2: is sensitivity above the threshold that the task needs?"""
    rejected = []
    for seed in range(60):
        study = cs.simulate(
            n_items=600, n_raters=4, categories=["b", "w"], prevalence=[0.5, 0.5],
            accuracy=[0.95, 0.95, 0.9, 0.99], rng=seed,
        )  # fmt: skip
        found = latent_classes(study.ratings, positive="w", n_starts=2, above=0.95)
        p = {(one.rater, one.quantity): one.p_value for one in found.above}
        rejected.append([p[g, "sensitivity"] < 0.05 for g in (0, 2, 3)])
    at_null, below, above = np.mean(rejected, axis=0)
    assert at_null < 0.15
    assert below == 0
    assert above > 0.8


def test_limits_of_a_rate_near_one_stay_near_it() -> None:
    study = cs.simulate(
        n_items=2_000, n_raters=4, categories=["b", "w"], prevalence=[0.7, 0.3],
        accuracy=[0.998, 0.95, 0.9, 0.8], rng=6,
    )  # fmt: skip
    found = latent_classes(study.ratings, positive="w", n_starts=3)
    best = found.raters[0].details
    assert 0.97 < best["sensitivity_low"] <= best["sensitivity"] <= best["sensitivity_high"]


def test_sensitivity_needs_two_classes_and_two_labels() -> None:
    study = cs.simulate(n_items=400, n_raters=4, categories=["a", "b", "c"], rng=1)
    with pytest.raises(UnsupportedDesignError, match="sensitivity"):
        latent_classes(study.ratings, n_classes=2, n_starts=2, above=0.9)
