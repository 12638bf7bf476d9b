"""Dawid & Skene's model against simulated truth, in every layout, and on thin data."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import consilience as cs
from consilience.latent import Truth, TruthModel, dawid_skene
from consilience.latent._em import ConfusionStep, expect, iterate
from consilience.latent._rate_intervals import information, share_limits
from consilience.latent.votes import votes_of

SKILLS = [0.9, 0.85, 0.8, 0.7, 0.55]


def codes(found: Truth) -> set[str]:
    return {one.code for one in found.findings}


def majority(study: cs.simulate.Simulated) -> float:
    shares = votes_of("a vote", study.ratings)
    place = shares.of_items(shares.shares()).argmax(axis=1)
    return float((np.array(study.ratings.categories)[place] == study.truth).mean())


def test_error_rates_and_shares_come_back() -> None:
    study = cs.simulate(n_items=8000, n_raters=5, accuracy=SKILLS, prevalence=0.3, rng=1)
    found = dawid_skene(study.ratings)
    assert found.prevalence == pytest.approx([0.3, 0.7], abs=0.02)
    assert [one.accuracy for one in found.raters] == pytest.approx(SKILLS, abs=0.02)
    assert found.error_rates.sum(axis=2) == pytest.approx(1.0)


@pytest.mark.parametrize("seed", range(4))
def test_labels_are_at_least_as_right_as_a_majority_vote(seed: int) -> None:
    study = cs.simulate(
        n_items=2000, n_raters=7, categories=3, accuracy=[0.95, 0.9, 0.5, 0.5, 0.4, 0.4, 0.4],
        rng=seed,
    )  # fmt: skip
    found = dawid_skene(study.ratings)
    assert (np.array(found.labels) == study.truth).mean() >= majority(study)


def test_labels_of_a_crowd_are_better_than_a_majority_vote() -> None:
    skills = np.tile([0.95, 0.9, 0.5, 0.4], 6)
    study = cs.simulate(
        n_items=2000, n_raters=24, categories=4, accuracy=skills, ratings_per_item=5, rng=3
    )
    found = dawid_skene(study.ratings)
    assert (np.array(found.labels) == study.truth).mean() > majority(study) + 0.02
    assert found.standard_error_method == "observed information"


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    design = cs.simulate.Simulator(n_items=250, n_raters=5, accuracy=SKILLS, prevalence=0.4)
    held = []
    for seed in range(80):
        found = dawid_skene(design.draw(rng=seed).ratings)
        low, high = np.moveaxis(found.error_rates_interval[:, [0, 1], [0, 1]], -1, 0)
        truth = np.array(SKILLS)[:, None]
        held.append(((low <= truth) & (truth <= high)).ravel())
        ends = found.prevalence_interval[0]
        held.append(np.array([ends[0] <= 0.4 <= ends[1]]))
    assert 0.90 < np.concatenate(held).mean() < 0.985


def test_bootstrap_and_information_agree_on_the_errors() -> None:
    study = cs.simulate(n_items=600, n_raters=4, accuracy=0.8, prevalence=0.4, rng=2)
    by_formula = dawid_skene(study.ratings)
    by_resampling = dawid_skene(study.ratings, n_resamples=150, rng=1)
    assert "bootstrap" in by_resampling.standard_error_method
    assert by_resampling.error_rates_standard_error == pytest.approx(
        by_formula.error_rates_standard_error, rel=0.35
    )
    assert by_resampling.prevalence_standard_error == pytest.approx(
        by_formula.prevalence_standard_error, rel=0.3
    )
    again = dawid_skene(study.ratings, n_resamples=150, rng=1)
    assert (again.error_rates_interval == by_resampling.error_rates_interval).all()


def test_the_information_is_minus_the_second_derivative() -> None:
    study = cs.simulate(n_items=300, n_raters=4, categories=3, accuracy=0.75, rng=3)
    votes = votes_of("a model", study.ratings)
    fit = iterate(votes, votes.shares(), ConfusionStep(4, 3), tolerance=1e-13, max_iterations=5000)
    found = information(votes, fit.posterior, fit.step)
    theta = np.concatenate([fit.step.share_j[:, None], fit.step.rate_cj.T], axis=1)

    def value(first: int, by: float, second: int, also: float) -> float:
        x = theta.ravel().copy()
        x[first] += by
        x[second] += also
        x = x.reshape(theta.shape)
        return expect(votes, np.log(x[:, 0]), np.log(x[:, 1:].T))[1]

    h = 1e-4
    for a, b in [(0, 0), (1, 5), (2, 2), (3, 20), (14, 30), (38, 38)]:
        second = value(a, h, b, h) - value(a, h, b, -h) - value(a, -h, b, h) + value(a, -h, b, -h)
        assert found[a, b] == pytest.approx(-second / (4 * h * h), rel=1e-3, abs=0.1)


def test_one_coin_is_the_confusion_model_with_equal_errors() -> None:
    study = cs.simulate(n_items=3000, n_raters=4, categories=3, accuracy=SKILLS[:4], rng=4)
    found = dawid_skene(study.ratings, model="one-coin")
    assert [one.accuracy for one in found.raters] == pytest.approx(SKILLS[:4], abs=0.03)
    off = found.error_rates[:, ~np.eye(3, dtype=bool)]
    assert (np.ptp(off, axis=1) < 1e-12).all()
    full = dawid_skene(study.ratings)
    assert full.log_likelihood > found.log_likelihood
    errors = [one.standard_error for one in found.raters]
    assert all(0.003 < error < 0.03 for error in errors)


@pytest.mark.parametrize("model", ["confusion", "one-coin"])
def test_the_quick_errors_of_crowds_are_near_the_full_ones(
    model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = cs.simulate(
        n_items=3000, n_raters=30, categories=3, accuracy=0.85, ratings_per_item=6, rng=5
    )
    full = dawid_skene(study.ratings, model=model)
    monkeypatch.setattr("consilience.latent._rate_intervals.LARGEST", 10)
    quick = dawid_skene(study.ratings, model=model)
    assert quick.standard_error_method == "each rater's own information"
    ratio = [a.standard_error / b.standard_error for a, b in zip(quick.raters, full.raters)]  # noqa: B905
    assert min(ratio) > 0.8
    assert max(ratio) < 1.05


def test_every_layout_gives_the_same_numbers() -> None:
    rng = np.random.default_rng(6)
    table = rng.integers(0, 3, (200, 4))
    table[rng.random(table.shape) < 0.2] = -1
    wide = cs.Ratings.from_wide(table, missing_values=[-1])
    item, rater = np.nonzero(table >= 0)
    order = rng.permutation(item.size)
    long = cs.Ratings.from_codes(
        item=item[order], rater=rater[order], label=table[item, rater][order],
        items=list(range(200)), raters=[0, 1, 2, 3], categories=[0, 1, 2],
    )  # fmt: skip
    one, other = dawid_skene(wide), dawid_skene(long)
    assert one.log_likelihood == pytest.approx(other.log_likelihood, abs=1e-6)
    seen = np.flatnonzero((table >= 0).any(axis=1))
    assert one.posterior[seen] == pytest.approx(other.posterior[: seen.size], abs=1e-4)


def test_sparse_and_plain_counts_give_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    study = cs.simulate(
        n_items=300, n_raters=30, categories=3, accuracy=0.8, ratings_per_item=5, rng=7
    )
    plain = dawid_skene(study.ratings)
    monkeypatch.setattr("consilience.latent.votes._DENSE_CELLS", 0)
    sparse = dawid_skene(study.ratings)
    assert sparse.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-7)
    assert sparse.labels == plain.labels
    shuffled = study.to_long()
    order = np.random.default_rng(1).permutation(shuffled["item"].size)
    frame = {name: column[order] for name, column in shuffled.items() if name != "occasion"}
    other = dawid_skene(cs.Ratings.from_long(frame))
    assert other.log_likelihood == pytest.approx(plain.log_likelihood, abs=1e-6)


def test_a_table_of_two_raters_is_not_identified_and_says_so() -> None:
    found = dawid_skene(cs.Ratings.from_table([[40, 10], [10, 40]]))
    assert "not_identified" in codes(found)
    assert np.isnan(found.prevalence_standard_error).all()
    assert found.n_items == 100


def test_items_without_ratings_have_no_label() -> None:
    rows = [["a", "a", "b"], ["b", "b", "b"], [None, None, None], ["a", "a", "a"], ["b", "a", "b"]]
    found = dawid_skene(cs.Ratings.from_wide(rows))
    assert found.labels[2] is None
    assert np.isnan(found.posterior[2]).all()
    assert np.isnan(found.probability[2])
    assert found.prevalence.sum() == pytest.approx(1.0)
    assert "unrated_items" in codes(found)
    assert found.ties == ()


def test_a_rater_with_one_item_is_named() -> None:
    rows = [["a", "a", "b", "a"], *([["b", "b", "b", None], ["a", "a", "b", None]] * 10)]
    found = dawid_skene(cs.Ratings.from_wide(rows, raters=["Ann", "Bob", "Cid", "Dan"]))
    (thin,) = [one for one in found.findings if one.code == "few_ratings"]
    assert "Dan (1)" in thin.message
    assert np.isnan(found.error_matrix("Dan")[1]).all()
    assert found.rater("Dan").n_ratings == 1
    smooth = dawid_skene(cs.Ratings.from_wide(rows), smoothing=0.01)
    assert smooth.error_rates[0].min() > 0


def test_a_label_that_nobody_used_is_named_and_has_no_rates() -> None:
    rows = [["a", "a", "b"], ["b", "b", "b"], ["a", "a", "a"], ["b", "a", "b"]]
    found = dawid_skene(cs.Ratings.from_wide(rows, categories=["a", "b", "c"]))
    assert found.prevalence[2] == 0.0
    assert np.isnan(found.error_rates[:, 2]).all()
    assert "unused_labels" in codes(found)


def test_a_rater_who_turns_the_labels_round_is_found() -> None:
    skills = [0.9, 0.9, 0.9, 0.1]
    study = cs.simulate(n_items=400, n_raters=4, accuracy=skills, rng=8)
    assert "below_chance" in codes(dawid_skene(study.ratings))


def test_ties_are_listed() -> None:
    rows = [["a", "b"], ["b", "a"], ["a", "a"], ["b", "b"]]
    found = dawid_skene(cs.Ratings.from_wide(rows), model="one-coin")
    assert set(found.ties) == {0, 1}
    assert found.labels[0] == "a"


def test_stopping_early_is_said() -> None:
    study = cs.simulate(n_items=100, n_raters=3, accuracy=0.7, rng=9)
    found = dawid_skene(study.ratings, max_iterations=2)
    assert not found.converged
    assert "not_converged" in codes(found)
    assert found.n_iterations == 2


def test_a_result_shows_itself_and_becomes_json() -> None:
    study = cs.simulate(n_items=60, n_raters=3, categories=["no", "yes"], rng=1)
    found = dawid_skene(study.ratings)
    assert isinstance(found, TruthModel)
    record = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert {"prevalence", "error_rates", "raters", "items", "log_likelihood"} <= set(record)
    assert len(record["items"]) == 60
    assert "true label" in str(found)
    assert "<table" in found._repr_html_()
    assert found.probability == pytest.approx(found.posterior.max(axis=1))


def test_limits_of_shares_keep_inside_and_are_exact_at_the_ends() -> None:
    value, error = np.array([0.0, 0.5, 1.0, np.nan]), np.array([np.nan, 0.1, np.nan, np.nan])
    low, high = share_limits(value, error, np.array([10.0, 25.0, 10.0, 0.0]), 0.95)
    assert low[0] == 0.0
    assert high[0] == pytest.approx(1 - 0.025**0.1)
    assert low[2] == pytest.approx(0.025**0.1)
    assert high[2] == 1.0
    assert 0.3 < low[1] < 0.5 < high[1] < 0.7
    assert np.isnan(low[3])


def test_a_label_that_the_model_explains_away_is_named() -> None:
    ratings = cs.Ratings.from_wide([[k % 3, (k // 2) % 3] for k in range(30)])
    found = dawid_skene(ratings)
    assert found.prevalence[1] == pytest.approx(0.0, abs=1e-3)
    codes = [one.code for one in found.findings]
    assert "vanished_labels" in codes
    assert "not_identified" in codes  # 14 rates from 8 free cells, whatever the information says


def test_classes_that_nearly_vanish_leave_errors_finite() -> None:
    chain = [[f"l{k}", f"l{k + 1}", f"l{k}"] for k in range(30)]  # 31 labels: the errors of crowds
    found = dawid_skene(cs.Ratings.from_wide(chain))
    assert found.standard_error_method == "each rater's own information"
    errors = found.error_rates_standard_error
    assert (errors[np.isfinite(errors)] <= 1.0).all()


def test_criteria_count_the_shares_and_what_is_said_of_each_rater() -> None:
    """AIC = -2 log L + 2 p and BIC = -2 log L + p log n, n the items that were rated."""
    rows = [["a", "a", "b"], ["b", "b", "b"], ["c", "a", "c"], ["a", "a", "a"], ["c", "c", "b"]]
    ratings = cs.Ratings.from_wide([*rows * 4, [None, None, None]])
    for model, parameters in (("confusion", 2 + 3 * 3 * 2), ("one-coin", 2 + 3)):
        found = dawid_skene(ratings, model=model)
        assert found.n_parameters == parameters
        assert found.aic == pytest.approx(-2 * found.log_likelihood + 2 * parameters)
        assert found.bic == pytest.approx(-2 * found.log_likelihood + parameters * np.log(20))
        record = found.to_dict()
        assert (record["aic"], record["n_parameters"]) == (found.aic, parameters)


def test_criteria_prefer_the_model_that_drew_the_ratings() -> None:
    study = cs.simulate(n_items=300, n_raters=6, categories=3, accuracy=0.8, rng=3)
    coin, full = (dawid_skene(study.ratings, model=name) for name in ("one-coin", "confusion"))
    assert full.log_likelihood > coin.log_likelihood
    assert coin.bic < full.bic


# ---------------------------------------------------------------- limits by profile likelihood


def two_labels(rng: np.random.Generator, n: int, n_raters: int, accuracy: float) -> cs.Ratings:
    truth = rng.random(n) < 0.5
    right = rng.random((n_raters, n)) < accuracy
    wide = {f"r{k}": np.where(ok, truth, ~truth).astype(int).tolist() for k, ok in enumerate(right)}
    return cs.Ratings.from_wide(wide, scale="nominal", categories=[0, 1])


def test_a_limit_is_where_the_likelihood_has_fallen_by_students_t_squared() -> None:
    ratings = two_labels(np.random.default_rng(3), 200, 4, 0.8)
    found = dawid_skene(ratings, tolerance=1e-10)
    votes = votes_of("a test", ratings)
    for limit in found.prevalence_interval[1]:
        step = ConfusionStep(votes.n_raters, votes.n_labels)

        def held(counts: Any, totals: Any, at: float = limit, whole: Any = step) -> Any:
            return replace(whole(counts, totals), share_j=np.array([1.0 - at, at]))

        fit = iterate(votes, found.posterior[_first(votes)], held, tolerance=1e-9,
                      max_iterations=5000)  # fmt: skip
        loss = 2.0 * (found.log_likelihood - fit.log_likelihood)
        assert loss == pytest.approx(1.971957**2, rel=0.06)


def _first(votes: Any) -> Any:
    """Return an item of each row."""
    if votes.row is None:
        return np.arange(votes.n_rows)
    return np.unique(votes.row, return_index=True)[1]


def test_many_items_have_the_limits_that_the_information_gives() -> None:
    found = dawid_skene(two_labels(np.random.default_rng(4), 4000, 5, 0.85))
    low, high = share_limits(
        found.prevalence, found.prevalence_standard_error, np.full(2, 4000.0), 0.95
    )
    assert found.prevalence_interval == pytest.approx(np.stack([low, high], axis=-1), abs=0.002)
    assert "hardly_identified" not in codes(found)


def test_few_items_of_poor_raters_have_wide_limits_and_say_so() -> None:
    flat = [dawid_skene(two_labels(np.random.default_rng(k), 60, 4, 0.7)) for k in range(12)]
    covered = [one.prevalence_interval[1][0] <= 0.5 <= one.prevalence_interval[1][1]
               for one in flat]  # fmt: skip
    assert sum(covered) >= 11
    assert any("hardly_identified" in codes(one) for one in flat)
    limits = np.array([one.error_rates_interval for one in flat])
    assert (limits[..., 0] <= limits[..., 1]).all()


def test_clusters_widen_limits_and_are_drawn_whole() -> None:
    rng = np.random.default_rng(8)
    truth = np.repeat(rng.random(30) < 0.4, 10)
    right = rng.random((4, 300)) < 0.85
    wide = {f"r{k}": np.where(ok, truth, ~truth).astype(int).tolist() for k, ok in enumerate(right)}
    ratings = cs.Ratings.from_wide(wide, scale="nominal", categories=[0, 1])
    clustered = ratings.with_clusters([k // 10 for k in range(300)], "patient")
    plain, by_patient = dawid_skene(ratings), dawid_skene(clustered)
    assert by_patient.prevalence == pytest.approx(plain.prevalence)
    widths = [np.ptp(one.prevalence_interval[1]) for one in (plain, by_patient)]
    assert widths[1] > 2.0 * widths[0]
    assert by_patient.standard_error_method.endswith("by cluster")
    errors = [
        dawid_skene(one, n_resamples=60).prevalence_standard_error[1]
        for one in (ratings, clustered)
    ]
    assert errors[1] > 1.8 * errors[0]
    assert by_patient.prevalence_standard_error[1] == pytest.approx(errors[1], rel=0.35)
