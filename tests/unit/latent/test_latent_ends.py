"""Every fit ends where the likelihood is flat, whatever the processor and the order of the data."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from consilience import Ratings
from consilience.exceptions import UnsupportedDesignError
from consilience.latent import dawid_skene, glad, latent_classes, latent_trait, mace
from consilience.latent._em import rest, settle
from consilience.latent.model_registry import LATENT_MODELS
from consilience.simulate import simulate

# A score is a sum over items of terms near 1: rounding leaves this much of it for each item.
ROUNDING = 1e-13
# What may be left where every sum is taken in another order.
SAME = 1e-10
TINY = 1e-12

DESIGNS: dict[str, dict[str, Any]] = {
    "plain": {"n_items": 60, "n_raters": 4, "categories": 3, "accuracy": 0.8, "rng": 1},
    "two labels": {"n_items": 50, "n_raters": 3, "accuracy": [0.9, 0.8, 0.7], "rng": 2},
    "missing": {
        "n_items": 70, "n_raters": 5, "categories": 3, "accuracy": 0.75, "missing": 0.3, "rng": 3,
    },
    "rare": {
        "n_items": 120, "n_raters": 4, "categories": 3, "prevalence": [0.8, 0.15, 0.05],
        "accuracy": 0.85, "rng": 4,
    },
    "near-perfect": {"n_items": 50, "n_raters": 4, "categories": 3, "accuracy": 0.97, "rng": 5},
    "two raters": {"n_items": 60, "n_raters": 2, "categories": 3, "accuracy": 0.8, "rng": 6},
    "crowd": {
        "n_items": 150, "n_raters": 20, "categories": 3, "accuracy": 0.75,
        "ratings_per_item": 5, "rng": 7,
    },
}  # fmt: skip
STUDIES = {name: simulate(**design).ratings for name, design in DESIGNS.items()}


def _counts(ratings: Ratings) -> np.ndarray:
    """Return items × raters × labels."""
    frame = ratings.to_frame()
    places = [
        {name: k for k, name in enumerate(names)}
        for names in (ratings.items, ratings.raters, ratings.categories)
    ]
    out = np.zeros([len(place) for place in places])
    for row in zip(frame["item"], frame["rater"], frame["label"], strict=True):
        out[tuple(place[name] for place, name in zip(places, row, strict=True))] += 1.0
    return out


def _slopes(function: Callable[[np.ndarray], complex], x: np.ndarray) -> np.ndarray:
    """Differentiate by a complex step: exact to the last digits."""
    out = np.empty(x.size)
    for k in range(x.size):
        moved = x.astype(complex)
        moved[k] += 1e-30j
        out[k] = function(moved).imag / 1e-30
    return out


def _log_likelihood(n_igl: np.ndarray, share_j: np.ndarray, rate_gjl: np.ndarray) -> complex:
    joint = share_j * np.prod(rate_gjl[None] ** n_igl[:, :, None, :], axis=(1, 3))
    return complex(np.log(joint.sum(axis=1)).sum())


def _score_of_tables(n_igl: np.ndarray, share_j: np.ndarray, rate_gjl: np.ndarray) -> np.ndarray:
    """Return the slopes along every table of shares, in logarithms of those above 0."""
    whole = np.concatenate([share_j, rate_gjl.ravel()])
    above = whole > 0.0

    def value(logs: np.ndarray) -> complex:
        all_of_them = np.zeros(whole.size, dtype=complex)
        all_of_them[above] = np.exp(logs)
        share, rate = all_of_them[: share_j.size], all_of_them[share_j.size :]
        rate = rate.reshape(rate_gjl.shape)
        total = rate.sum(axis=2, keepdims=True)
        return _log_likelihood(n_igl, share / share.sum(), rate / np.where(total == 0, 1, total))

    return _slopes(value, np.log(whole[above]))


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("n_starts", [1, 3])
def test_dawid_skene_ends_where_the_likelihood_is_flat(study: str, n_starts: int) -> None:
    found = dawid_skene(STUDIES[study], n_starts=n_starts)
    score = _score_of_tables(
        _counts(STUDIES[study]), found.prevalence, np.nan_to_num(found.error_rates)
    )
    assert np.abs(score).max() < ROUNDING * found.n_items


@pytest.mark.parametrize("study", STUDIES)
def test_one_coin_ends_where_the_likelihood_is_flat(study: str) -> None:
    ratings = STUDIES[study]
    found = dawid_skene(ratings, model="one-coin")
    n_igl, q = _counts(ratings), len(ratings.categories)
    accuracy = np.nanmax(np.einsum("gjj->gj", found.error_rates), axis=1)
    inside = (accuracy > 0.0) & (accuracy < 1.0)

    def value(x: np.ndarray) -> complex:
        right = accuracy.astype(complex)
        right[inside] = 1.0 / (1.0 + np.exp(-x[: inside.sum()]))
        share = np.exp(x[inside.sum() :])
        rate = np.where(np.eye(q) > 0, right[:, None, None], (1 - right[:, None, None]) / (q - 1))
        return _log_likelihood(n_igl, share / share.sum(), rate)

    a = accuracy[inside]
    score = _slopes(value, np.concatenate([np.log(a / (1.0 - a)), np.log(found.prevalence)]))
    assert np.abs(score).max() < ROUNDING * found.n_items


@pytest.mark.parametrize("study", [name for name in STUDIES if name != "two raters"])
def test_latent_classes_end_where_the_likelihood_is_flat(study: str) -> None:
    found = latent_classes(STUDIES[study], n_starts=5)
    score = _score_of_tables(_counts(STUDIES[study]), found.prevalence, found.rates)
    assert np.abs(score).max() < ROUNDING * found.n_items


@pytest.mark.parametrize("study", STUDIES)
def test_mace_ends_where_its_objective_is_flat(study: str) -> None:
    ratings, extra = STUDIES[study], 0.01
    found = mace(ratings, method="em", smoothing=extra, n_starts=2)
    n_igl, q = _counts(ratings), len(ratings.categories)
    g = len(ratings.raters)

    def value(x: np.ndarray) -> complex:
        weight = np.exp(x[: 2 * g]).reshape(g, 2)
        knows, spams = (weight / weight.sum(axis=1, keepdims=True)).T
        habit = np.exp(x[2 * g :]).reshape(g, q)
        habit = habit / habit.sum(axis=1, keepdims=True)
        rate = spams[:, None, None] * habit[:, None, :] + knows[:, None, None] * np.eye(q)
        prior = np.log(knows).sum() + np.log(spams).sum() + np.log(habit).sum() / q
        return _log_likelihood(n_igl, np.full(q, 1.0 / q), rate) + extra * complex(prior)

    knows = np.stack([found.competence, 1.0 - found.competence], axis=1)
    score = _slopes(value, np.log(np.concatenate([knows.ravel(), found.habits.ravel()])))
    assert np.abs(score).max() < ROUNDING * found.n_items
    assert value(np.log(np.concatenate([knows.ravel(), found.habits.ravel()]))).real == (
        pytest.approx(found.objective, rel=1e-12)
    )


@pytest.mark.parametrize("study", STUDIES)
def test_glad_ends_where_the_posterior_is_flat(study: str) -> None:
    ratings = STUDIES[study]
    found = glad(ratings)
    n_igl, q = _counts(ratings), len(ratings.categories)
    n_items, g = len(ratings.items), len(ratings.raters)

    def value(x: np.ndarray) -> complex:
        ability, log_ease, share = np.split(x, [g, g + n_items])
        right = 1.0 / (1.0 + np.exp(-np.exp(log_ease)[:, None] * ability))
        given = n_igl.sum(axis=2)[:, :, None]
        wrong = ((1.0 - right) / (q - 1))[:, :, None]
        chance = right[:, :, None] ** n_igl * wrong ** (given - n_igl)
        share = np.exp(share) / np.exp(share).sum()
        likelihood = np.log((share * chance.prod(axis=1)).sum(axis=1)).sum()
        prior = ((ability - 1.0) ** 2).sum() + ((log_ease - 1.0) ** 2).sum()
        return complex(likelihood - 0.5 * prior)

    place = np.concatenate([found.ability, -np.log(found.difficulty), np.log(found.prevalence)])
    assert np.abs(_slopes(value, place)).max() < ROUNDING * found.n_items
    assert value(place).real == pytest.approx(found.objective, rel=1e-12)


@pytest.mark.parametrize("study", ["plain", "missing", "rare"])
def test_latent_trait_ends_where_the_likelihood_is_flat(study: str) -> None:
    ratings = STUDIES[study]
    found = latent_trait(ratings)
    n_igl = _counts(ratings)
    z, weight = np.polynomial.hermite_e.hermegauss(found.n_nodes)
    weight = weight / weight.sum()
    g = len(ratings.raters)

    def value(x: np.ndarray) -> complex:
        slope, cut = x[:g], x[g:].reshape(g, -1)
        above = 1.0 / (1.0 + np.exp(-slope[:, None, None] * (z - cut[:, :, None])))
        ends = np.ones((g, 1, z.size))
        chance = np.concatenate([ends, above], axis=1) - np.concatenate([above, 0 * ends], axis=1)
        each = np.prod(chance[None] ** n_igl[..., None], axis=(1, 2))
        return complex(np.log(each @ weight).sum())

    slopes = np.array([one.slope for one in found.raters])
    cuts = np.array([one.thresholds for one in found.raters]).ravel()
    score = _slopes(value, np.concatenate([slopes, cuts]))
    assert np.abs(score).max() < 10 * ROUNDING * found.n_items  # tails are differences here
    assert value(np.concatenate([slopes, cuts])).real == pytest.approx(found.log_likelihood)


# -------------------------------------------------------------------- another order


def _shuffled(ratings: Ratings, seed: int, *, labels: bool) -> Ratings:
    rng = np.random.default_rng(seed)
    frame = ratings.to_frame()
    order = rng.permutation(len(frame))
    names = list(ratings.categories)
    if labels:
        names = [names[k] for k in rng.permutation(len(names)).tolist()]
    columns = {name: [frame[name][k] for k in order.tolist()] for name in frame}
    return Ratings.from_long(columns, categories=names, scale=ratings.scale)


def _by_name(found: Any) -> dict[str, float]:
    """Return every number of a result under a name that does not depend on the order."""
    out: dict[str, float] = {}
    record = found.to_dict()
    labels = [str(name) for name in record.get("categories", ())]

    def put(path: str, value: Any) -> None:
        if isinstance(value, bool) or value is None or isinstance(value, str):
            return
        if isinstance(value, (int, float)) and path != "/positive":  # the last label there is
            out[path] = float(value)
        elif isinstance(value, dict):
            for key, one in value.items():
                put(f"{path}/{key}", one)
        elif isinstance(value, list) and value and isinstance(value[0], dict):
            key = next((k for k in ("item", "rater", "label") if k in value[0]), None)
            for k, one in enumerate(value):
                put(f"{path}/{one[key] if key else k}", one)
        elif path.endswith("posterior") and labels:
            for label, one in zip(labels, value, strict=True):
                put(f"{path}/{label}", one)

    put("", {k: v for k, v in record.items() if k in ("items", "raters") or _is_plain(v)})
    return out


def _is_plain(value: Any) -> bool:
    return isinstance(value, (int, float))


@pytest.mark.parametrize("study", STUDIES)
@pytest.mark.parametrize("model", [name for name in LATENT_MODELS if name != "omega"])
def test_no_model_depends_on_the_order_of_items_raters_and_labels(model: str, study: str) -> None:
    fit = LATENT_MODELS[model].fit
    ordered = model == "latent-trait"
    settings = {"n_starts": 3} if "n_starts" in LATENT_MODELS[model].takes else {}
    try:
        first = _by_name(fit(STUDIES[study], **settings))
    except UnsupportedDesignError:
        with pytest.raises(UnsupportedDesignError):  # in any order
            fit(_shuffled(STUDIES[study], 8, labels=not ordered), **settings)
        return
    again = _by_name(fit(_shuffled(STUDIES[study], 8, labels=not ordered), **settings))
    assert first.keys() == again.keys()
    assert len(first) > 3
    for name, value in first.items():
        other = again[name]
        if math.isnan(value) and math.isnan(other):
            continue
        assert other == pytest.approx(value, rel=SAME, abs=TINY), name


@pytest.mark.parametrize("model", ["dawid-skene", "one-coin", "lca"])
def test_resamples_do_not_depend_on_the_order_of_items_raters_and_labels(model: str) -> None:
    fit = LATENT_MODELS[model].fit
    first = _by_name(fit(STUDIES["plain"], n_resamples=10, rng=3))
    again = _by_name(fit(_shuffled(STUDIES["plain"], 9, labels=True), n_resamples=10, rng=3))
    errors = [name for name in first if name.endswith("standard_error")]
    assert errors
    for name in errors:  # a resample stops where its likelihood hardly rises
        assert again[name] == pytest.approx(first[name], rel=SAME, abs=TINY, nan_ok=True)


def test_refits_of_latent_classes_do_not_hang_on_where_the_iteration_stopped() -> None:
    first, again = (
        latent_classes(STUDIES["plain"], n_resamples=10, rng=3, tolerance=tolerance)
        for tolerance in (1e-10, 1e-8)
    )
    assert np.isfinite(first.rates_standard_error).any()
    for name in ("rates_standard_error", "prevalence_standard_error"):
        want = pytest.approx(getattr(first, name), rel=SAME, abs=TINY, nan_ok=True)
        assert getattr(again, name) == want
    assert again.bootstrap_p_value == first.bootstrap_p_value


def test_glad_ends_at_one_place_where_a_share_goes_slowly_to_nothing() -> None:
    study = simulate(
        n_items=12, n_raters=3, categories=3, accuracy=0.7, scale="ordinal", rng=9
    ).ratings
    first, again = (glad(study, tolerance=tolerance) for tolerance in (1e-7, 1e-8))
    assert first.prevalence.min() == 0.0
    assert again.ability == pytest.approx(first.ability, rel=SAME)
    assert again.objective == pytest.approx(first.objective, rel=1e-13)


# -------------------------------------------------------------------- the end itself


def test_a_slow_iteration_reaches_its_fixed_point() -> None:
    rng = np.random.default_rng(4)
    axes = np.linalg.qr(rng.normal(size=(40, 40)))[0]
    pull = (axes * np.linspace(0.0, 0.999, 40)) @ axes.T
    goal = rng.normal(size=40)
    end = settle(lambda x: goal + pull @ (x - goal), goal + 1e-3 * rng.normal(size=40))
    assert end.settled
    assert end.x == pytest.approx(goal, abs=1e-11)


def test_what_shrinks_becomes_nothing_and_what_only_seemed_to_comes_back() -> None:
    def advance(logs: np.ndarray) -> np.ndarray:
        rises = 0.2 * math.tanh(1.0 - math.exp(logs[1]) / 1e-3) - logs[2]
        return np.array([logs[0] - 0.5, logs[1] + rises, 0.5 * logs[2], -np.inf])

    found = rest(advance, np.array([-13.0, -12.0, 0.3, -np.inf]))
    assert found is not None
    assert found[0] == -np.inf
    assert found[3] == -np.inf
    assert abs(found[2]) < 1e-12
    assert found[1] == pytest.approx(math.log(1e-3), abs=1e-11)


def test_what_becomes_nothing_at_once_ends_there() -> None:
    def advance(logs: np.ndarray) -> np.ndarray:
        return np.array([-np.inf, 0.5 * logs[1] + 1.0])

    found = rest(advance, np.array([-3.0, 0.3]))
    assert found is not None
    assert found[0] == -np.inf
    assert found[1] == pytest.approx(2.0)


def test_only_logarithms_of_shares_go_to_nothing() -> None:
    goal = np.array([-14.0, -1.0])
    found = rest(lambda x: x + 0.5 * (goal - x), np.array([-12.0, -2.0]), 1)
    assert found == pytest.approx(goal)
