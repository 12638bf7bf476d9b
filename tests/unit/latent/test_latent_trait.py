"""The latent trait against simulated truth."""

from __future__ import annotations

import json

import numpy as np
import pytest

import consilience as cs
from consilience.exceptions import UnsupportedDesignError
from consilience.latent import LatentTrait, latent_trait
from consilience.latent._latent_trait import Model
from consilience.latent.votes import votes_of

SLOPES = np.array([1.5, 2.0, 0.8, 1.2, 2.5])
THRESHOLDS = np.array(
    [[-1, 0, 1], [-0.5, 0.5, 1.5], [-2, 0, 2], [-1, -0.3, 0.6], [0, 0.5, 1]], dtype=float
)


def drawn(n_items: int, noise: str, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    z = rng.normal(size=n_items)
    u = getattr(rng, noise)(size=(n_items, SLOPES.size))
    y = SLOPES * z[:, None] + u
    return z, (y[:, :, None] > (SLOPES[:, None] * THRESHOLDS)[None]).sum(axis=2)


@pytest.fixture(scope="module")
def truth_and_model() -> tuple[np.ndarray, LatentTrait]:
    z, labels = drawn(3000, "logistic", 1)
    return z, latent_trait(cs.Ratings.from_wide(labels, scale="ordinal"))


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_the_gradient_is_exact(link: str) -> None:
    _, labels = drawn(100, "normal", 2)
    model = Model.of(votes_of("a trait", cs.Ratings.from_wide(labels, scale="ordinal")), link, 21)
    rng = np.random.default_rng(3)
    theta = model.start() + 0.1 * rng.normal(size=model.start().size)
    gradient = model.objective(theta)[1]
    for k in range(theta.size):
        step = np.zeros_like(theta)
        step[k] = 1e-6
        slope = (model.objective(theta + step)[0] - model.objective(theta - step)[0]) / 2e-6
        assert gradient[k] == pytest.approx(slope, abs=1e-6)


def test_slopes_and_thresholds_come_back(truth_and_model: tuple[np.ndarray, LatentTrait]) -> None:
    z, found = truth_and_model
    assert found.converged
    for one, slope, thresholds in zip(found.raters, SLOPES, THRESHOLDS, strict=True):
        assert abs(one.slope - slope) < 3.5 * one.slope_standard_error
        away = (np.array(one.thresholds) - thresholds) / one.threshold_standard_errors
        assert np.abs(away).max() < 3.5
    assert np.corrcoef(found.scores, z)[0, 1] ** 2 == pytest.approx(found.reliability, abs=0.03)


def test_probit_recovers_a_normal_model() -> None:
    _, labels = drawn(2500, "normal", 4)
    found = latent_trait(cs.Ratings.from_wide(labels, scale="ordinal"), link="probit")
    away = [
        (one.slope - slope) / one.slope_standard_error
        for one, slope in zip(found.raters, SLOPES, strict=True)
    ]
    assert max(map(abs, away)) < 3.5


def test_slope_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    held = []
    for seed in range(6):
        _, labels = drawn(300, "logistic", 100 + seed)
        found = latent_trait(cs.Ratings.from_wide(labels, scale="ordinal"), n_nodes=21)
        held += [
            one.slope_low <= slope <= one.slope_high
            for one, slope in zip(found.raters, SLOPES, strict=True)
        ]
    assert np.mean(held) > 0.85


def test_two_labels_need_no_scale_and_missing_ratings_no_care() -> None:
    _, labels = drawn(2000, "logistic", 5)
    binary = (labels >= 2).astype(int)
    binary[np.random.default_rng(0).random(binary.shape) < 0.3] = -1
    found = latent_trait(cs.Ratings.from_wide(binary, missing_values=[-1]))
    assert [one.slope for one in found.raters] == pytest.approx(SLOPES, rel=0.35)
    assert [one.thresholds[0] for one in found.raters] == pytest.approx(THRESHOLDS[:, 1], abs=0.25)


def test_labels_without_order_are_refused() -> None:
    rows = [["x", "y", "z"], ["y", "y", "x"], ["z", "z", "z"]]
    with pytest.raises(UnsupportedDesignError, match="labels in order"):
        latent_trait(cs.Ratings.from_wide(rows))


def test_raters_who_never_vary_are_refused() -> None:
    with pytest.raises(UnsupportedDesignError, match="more than one label"):
        latent_trait(cs.Ratings.from_wide([[0, 1, 1], [0, 1, 1], [0, 1, 1]]))


def test_two_raters_get_scores_but_no_errors() -> None:
    _, labels = drawn(300, "logistic", 6)
    found = latent_trait(cs.Ratings.from_wide((labels[:, :2] >= 2).astype(int)))
    assert {"many_solutions", "no_standard_errors"} <= {one.code for one in found.findings}
    assert np.isfinite(found.scores).all()
    assert np.isnan([one.slope_standard_error for one in found.raters]).all()


def test_a_turned_scale_and_a_constant_rater_are_found() -> None:
    _, labels = drawn(800, "logistic", 7)
    labels = labels[:, :4]
    turned = np.column_stack([labels[:, :3], 3 - labels[:, 3], np.ones(len(labels), dtype=int)])
    ratings = cs.Ratings.from_wide(turned, raters=["A", "B", "C", "D", "E"], scale="ordinal")
    found = latent_trait(ratings)
    messages = {one.code: one.message for one in found.findings}
    assert "D" in messages["reversed_rater"]
    assert "E" in messages["constant_rater"]
    assert np.isnan(found.raters[4].slope)
    assert found.raters[0].slope > 0


def test_a_label_that_one_rater_never_uses_has_no_threshold() -> None:
    _, labels = drawn(500, "logistic", 8)
    labels[:, 0] = np.where(labels[:, 0] == 2, 3, labels[:, 0])
    found = latent_trait(cs.Ratings.from_wide(labels, scale="ordinal"))
    first = found.raters[0].thresholds
    assert np.isnan(first[1])
    assert np.isfinite([first[0], first[2]]).all()


def test_a_trait_becomes_json_and_text(truth_and_model: tuple[np.ndarray, LatentTrait]) -> None:
    _, found = truth_and_model
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {"raters", "items", "reliability", "bic"} <= set(record)
    assert "reliability" in str(found)


# -------------------------------------------------------------------- one end

SPARSE = {
    "40 raters, 3 ratings an item": {
        "n_items": 200, "n_raters": 40, "categories": 3, "accuracy": 0.75, "ratings_per_item": 3,
        "scale": "ordinal", "rng": 7,
    },
    "12 items": {
        "n_items": 12, "n_raters": 5, "categories": 4, "accuracy": 0.7, "scale": "ordinal",
        "rng": 5,
    },
    "two raters": {
        "n_items": 60, "n_raters": 2, "categories": 3, "accuracy": 0.8, "scale": "ordinal",
        "rng": 6,
    },
}  # fmt: skip


@pytest.mark.parametrize("link", ["logit", "probit"])
@pytest.mark.parametrize("study", SPARSE)
def test_a_search_from_elsewhere_with_other_rounding_ends_in_the_same_place(
    study: str, link: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ratings = cs.simulate(**SPARSE[study]).ratings
    found = latent_trait(ratings, link=link)
    rng = np.random.default_rng(1)
    start, objective = Model.start, Model.objective

    def moved(model: Model) -> np.ndarray:
        x = start(model)
        return x * (1.0 + 1e-3 * rng.normal(size=x.size))

    def rounded(model: Model, theta: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = objective(model, theta)
        noise = 1e-14 * np.abs(slope).max() * rng.normal(size=slope.size)
        return value * (1.0 + 1e-15 * rng.normal()), slope + noise

    monkeypatch.setattr(Model, "start", moved)
    monkeypatch.setattr(Model, "objective", rounded)
    again = latent_trait(ratings, link=link)
    assert found.converged
    assert again.converged
    assert again.scores == pytest.approx(found.scores, abs=1e-9, nan_ok=True)
    for one, other in zip(found.raters, again.raters, strict=True):
        assert other.slope == pytest.approx(one.slope, rel=1e-8, abs=1e-8, nan_ok=True)
    assert [one.code for one in again.findings] == [one.code for one in found.findings]


@pytest.mark.parametrize("link", ["logit", "probit"])
def test_where_many_places_fit_the_vague_prior_has_its_mode_there(link: str) -> None:
    ratings = cs.simulate(n_items=80, n_raters=2, accuracy=0.8, rng=3).ratings
    found = latent_trait(ratings, link=link)
    assert "many_solutions" in {one.code for one in found.findings}
    model = Model.of(votes_of("a trait", ratings), link, found.n_nodes)
    theta = np.array(
        [x for one in found.raters for x in (one.slope, one.slope * one.thresholds[0])]
    )

    def height(x: np.ndarray) -> float:
        return model.posterior(x)[1] - 0.5 * float(x @ x) / 3.0**2

    for k in range(theta.size):
        step = np.zeros(theta.size)
        step[k] = 1e-4
        slope = (height(theta + step) - height(theta - step)) / 2e-4
        assert slope == pytest.approx(0.0, abs=1e-6)
        assert height(theta + 100.0 * step) < height(theta) > height(theta - 100.0 * step)


def test_the_number_of_steps_is_no_result() -> None:
    _, labels = drawn(100, "logistic", 9)
    found = latent_trait(cs.Ratings.from_wide(labels, scale="ordinal"), n_nodes=21)
    assert "n_iterations" not in found.to_dict()
