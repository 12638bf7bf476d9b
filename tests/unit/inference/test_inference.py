"""Standard errors, intervals, tests and influence against independent computations."""

from __future__ import annotations

import itertools
import math
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from scipy import stats

import consilience as cs
from consilience.coefficients import Estimate
from consilience.core.draws import RandomStream
from consilience.exceptions import (
    ConsilienceError,
    DegenerateDataWarning,
    InputError,
    UnsupportedDesignError,
)
from consilience.inference.binary_kappa import donner_eliasziw_interval
from consilience.inference.influence import (
    fleiss_cohen_everitt,
    fleiss_nee_landis,
    fleiss_nee_landis_category,
)
from consilience.inference.intervals import (
    check_confidence_level,
    perfect_agreement_interval,
    quantile,
    wald_interval,
    wald_test,
)
from consilience.inference.resampling import ItemDraw, _with_raters
from consilience.rows import reduce_to_rows
from consilience.rows.distinct_rows import all_rows

Codes = NDArray[np.int64]
Floats = NDArray[np.float64]

REGISTRY = cs.coefficients()
EVERY = sorted(REGISTRY)
FAST = settings(max_examples=25, deadline=None)
LABELS = [0, 1, 2]

# The jackknife differs from the delta method by terms of order 1/n; n is 1200.
FIRST_ORDER = 0.005


def sample(n_items: int, n_raters: int = 3, *, missing: float = 0.0, seed: int = 5) -> Codes:
    """Three labels of unequal frequency; 70 % of ratings follow the item's truth."""
    rng = np.random.default_rng(seed)
    shares = [0.5, 0.3, 0.2]
    truth = rng.choice(3, size=(n_items, 1), p=shares)
    noise = rng.choice(3, size=(n_items, n_raters), p=shares)
    codes = np.where(rng.random(noise.shape) < 0.7, truth, noise)
    codes = np.where(rng.random(noise.shape) < missing, -1, codes)
    return codes[(codes >= 0).any(axis=1)]


def ratings(codes: Codes) -> cs.Ratings:
    return cs.Ratings.from_wide(codes, missing_values=[-1], categories=LABELS)


def estimate(name: str, codes: Codes, **options: Any) -> Estimate:
    columns = codes[:, :2] if REGISTRY[name].two_raters_only else codes
    columns = columns[(columns >= 0).any(axis=1)]
    return getattr(cs, name)(ratings(columns), **options)  # type: ignore[no-any-return]


def linearised(name: str, codes: Codes, distance: str) -> Estimate:
    distance = fitting(name, distance)
    return estimate(name, codes, distance=distance, standard_error="linearised")


def fitting(name: str, distance: str) -> str:
    """Models of equal labels know no other distance."""
    return "nominal" if REGISTRY[name].nominal_only else distance


COMPLETE = sample(1_200)
GAPPY = sample(1_200, missing=0.2)


# --- resampling -----------------------------------------------------------------------------------


def jackknife(codes: Codes, value: Callable[[Codes], float]) -> float:
    """Leave out one item of each pattern: items of the same pattern have the same effect."""
    _, first, times = np.unique(codes, axis=0, return_index=True, return_counts=True)
    without = np.array([value(np.delete(codes, place, axis=0)) for place in first])
    n = len(codes)
    mean = (times * without).sum() / n
    return math.sqrt((n - 1) / n * (times * (without - mean) ** 2).sum())


@pytest.mark.parametrize("distance", ["nominal", "linear", "quadratic", "ordinal"])
@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("codes", [COMPLETE, GAPPY], ids=["complete", "gaps"])
def test_the_linearised_error_is_the_jackknife_s(codes: Codes, name: str, distance: str) -> None:
    columns = codes[:, :2] if REGISTRY[name].two_raters_only else codes
    columns = columns[(columns >= 0).any(axis=1)]
    found = linearised(name, columns, distance).standard_error
    expected = jackknife(columns, lambda part: linearised(name, part, distance).value)
    assert found == pytest.approx(expected, rel=FIRST_ORDER)


def test_the_error_allows_for_a_metric_that_follows_the_data() -> None:
    """Holding Krippendorff's ordinal metric fixed would be off by up to a third for AC."""
    patterns = [[0, 0, 0], [2, 2, 2], [0, 0, 1], [1, 1, 2], [0, 1, -1]]
    codes = np.repeat(patterns, [150, 20, 30, 20, 15], axis=0)
    counts = np.array([(codes[(codes >= 0).sum(axis=1) >= 2] == k).sum() for k in LABELS])
    mid_ranks = np.cumsum(counts) - counts / 2
    fixed = cs.distances.matrix(np.subtract.outer(mid_ranks, mid_ranks) ** 2, LABELS)
    for name in ("percent_agreement", "gwet_ac"):
        moving = linearised(name, codes, "ordinal")
        held = getattr(cs, name)(ratings(codes), distance=fixed)
        assert held.value == pytest.approx(moving.value, abs=1e-12)
        expected = jackknife(codes, lambda part, n=name: linearised(n, part, "ordinal").value)  # type: ignore[misc]
        gaps = [abs(e.standard_error - expected) for e in (moving, held)]
        assert gaps[0] < gaps[1] / 3


@FAST
@given(codes=arrays(np.int64, st.tuples(st.integers(3, 9), st.just(3)), elements=st.integers(0, 2)))
def test_jackknife_of_percent_agreement_is_its_linearised_error(codes: Codes) -> None:
    found = linearised("percent_agreement", codes, "nominal").standard_error
    expected = jackknife(codes, lambda part: linearised("percent_agreement", part, "nominal").value)
    assert found == pytest.approx(expected, abs=1e-9)


# --- influence ------------------------------------------------------------------------------------


def assert_influence(e: Estimate, leave_out: list[float]) -> None:
    """Influence is (n - 1) times what leaving the item out takes away, to first order."""
    influence = e.item_influence()
    n = len(leave_out)
    assert influence.shape == (n,)
    expected = (n - 1) * (e.value - np.array(leave_out))
    spread = float(np.std(expected)) + 1e-12
    assert np.abs(influence - expected).max() < 0.2 * max(spread, np.abs(expected).max())
    assert np.corrcoef(influence, expected)[0, 1] > 0.99


@pytest.mark.parametrize("name", EVERY)
def test_influence_says_what_leaving_an_item_out_changes(name: str) -> None:
    codes = sample(80, missing=0.1)
    columns = codes[:, :2] if REGISTRY[name].two_raters_only else codes
    columns = columns[(columns >= 0).any(axis=1)]
    places = range(len(columns))
    leave_out = [linearised(name, np.delete(columns, k, axis=0), "nominal").value for k in places]
    assert_influence(linearised(name, columns, "nominal"), leave_out)


@pytest.mark.parametrize("name", EVERY)
def test_squared_influence_adds_up_to_the_variance(name: str) -> None:
    for codes in (sample(300), sample(300, missing=0.15)):
        e = linearised(name, codes, "nominal")
        influence = e.item_influence()
        used = (
            influence[(codes >= 0).sum(axis=1) >= 2] if name == "krippendorff_alpha" else influence
        )
        n = len(used)
        variance = ((used - used.mean()) ** 2).sum() / (n * (n - 1))
        assert math.sqrt(variance) == pytest.approx(e.standard_error, rel=1e-9)


WORDS = np.array(["absent", "maybe", "present"])


def as_wide(codes: Codes) -> cs.Ratings:
    return cs.Ratings.from_wide(codes)


def as_lists(codes: Codes) -> cs.Ratings:
    return cs.Ratings.from_wide(WORDS[codes].tolist(), items=[f"i{k}" for k in range(len(codes))])


def as_long(codes: Codes) -> cs.Ratings:
    item, rater = np.nonzero(codes >= 0)
    return cs.Ratings.from_long({"item": item, "rater": rater, "label": codes[item, rater]})


def selected(codes: Codes) -> cs.Ratings:
    both = np.concatenate([codes[:, :1], codes], axis=1)
    return cs.Ratings.from_wide(both).select(raters=range(1, 1 + codes.shape[1]))


def completed(codes: Codes) -> cs.Ratings:
    return cs.Ratings.from_wide(codes).complete()


def pickled(codes: Codes) -> cs.Ratings:
    return pickle.loads(pickle.dumps(cs.Ratings.from_wide(codes)))  # type: ignore[no-any-return]


def as_counts(codes: Codes) -> cs.Ratings:
    return cs.Ratings.from_counts(np.stack([(codes == k).sum(axis=1) for k in LABELS], axis=1))


@pytest.mark.parametrize(
    "make", [as_wide, as_lists, as_long, selected, completed, pickled, as_counts]
)
def test_influence_follows_the_items_in_every_layout(make: Callable[[Codes], cs.Ratings]) -> None:
    codes = sample(60)
    made = make(codes)
    expected = cs.scott_pi(cs.Ratings.from_wide(codes)).item_influence()
    np.testing.assert_allclose(cs.scott_pi(made).item_influence(), expected, atol=1e-9)
    assert len(made.items) == made.n_items == 60


def test_influence_has_one_entry_per_item_of_a_cross_table() -> None:
    e = cs.scott_pi(cs.Ratings.from_table([[20, 5], [3, 12]]))
    assert e.item_influence().shape == (40,)


def test_influence_after_leaving_out_incomplete_items_covers_the_complete_ones() -> None:
    codes = sample(60, missing=0.2)
    e = cs.scott_pi(ratings(codes), missing="listwise")
    complete = codes[(codes >= 0).all(axis=1)]
    expected = cs.scott_pi(ratings(complete)).item_influence()
    found = e.item_influence()
    if found.shape != expected.shape:  # one entry per item given, zero for those left out
        found = found[(codes >= 0).all(axis=1)]
    np.testing.assert_allclose(found, expected, atol=1e-9)


def test_influence_in_a_crowd_has_one_entry_per_item() -> None:
    rng = np.random.default_rng(2)
    item = np.repeat(np.arange(0, 6_000, 2), 3)
    rater = (np.tile([0, 1, 2], 3_000) * 400 + rng.integers(0, 400, item.size)).astype(int)
    crowd = cs.Ratings.from_long(
        {"item": item, "rater": rater, "label": rng.integers(0, 3, item.size)}
    )
    assert type(crowd.store).__name__ == "LongTable"
    e = cs.scott_pi(crowd)
    assert e.item_influence().shape == (3_000,) == (crowd.n_items,)
    assert list(crowd.items) == list(range(0, 6_000, 2))


# --- errors by name -------------------------------------------------------------------------------


def weights(kind: str) -> Floats:
    gap = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    return {"nominal": np.eye(3), "linear": 1 - gap / 2, "quadratic": 1 - gap**2 / 4}[kind]


TABLES = arrays(np.int64, (3, 3), elements=st.integers(0, 40)).filter(
    lambda t: t.sum() > 5 and (t.sum(axis=0) > 0).sum() > 1 and (t.sum(axis=1) > 0).sum() > 1
)


@FAST
@given(table=TABLES, kind=st.sampled_from(["nominal", "linear", "quadratic"]))
def test_the_error_of_fleiss_cohen_and_everitt_is_their_formula(table: Codes, kind: str) -> None:
    w, n, p = weights(kind), table.sum(), table / table.sum()
    row, column = p.sum(axis=1), p.sum(axis=0)
    observed, expected = float((w * p).sum()), float(row @ w @ column)
    kappa = (observed - expected) / (1 - expected)
    spread = null_spread = 0.0
    for k, l in itertools.product(range(3), range(3)):  # noqa: E741
        mean = float(w[k] @ column + row @ w[:, l])
        spread += p[k, l] * (w[k, l] - mean * (1 - kappa)) ** 2
        null_spread += row[k] * column[l] * (w[k, l] - mean) ** 2
    variance = (spread - (kappa - expected * (1 - kappa)) ** 2) / (n * (1 - expected) ** 2)
    null_variance = (null_spread - expected**2) / (n * (1 - expected) ** 2)
    e = cs.cohen_kappa(cs.Ratings.from_table(table), distance=kind)
    assert e.value == pytest.approx(kappa, abs=1e-12)
    assert e.standard_error_method == "fleiss-cohen-everitt"
    assert e.standard_error == pytest.approx(math.sqrt(max(variance, 0.0)), abs=1e-7)
    found = fleiss_cohen_everitt(table.astype(float), w, null=True)
    assert found == pytest.approx(math.sqrt(max(null_variance, 0.0)), abs=1e-7)


@FAST
@given(table=TABLES, kind=st.sampled_from(["nominal", "linear", "quadratic"]))
def test_the_linearised_error_with_divisor_n_is_that_of_fleiss_cohen_and_everitt(
    table: Codes, kind: str
) -> None:
    r = cs.Ratings.from_table(table)
    classic = cs.cohen_kappa(r, distance=kind, standard_error="fleiss-cohen-everitt")
    by_n = cs.cohen_kappa(r, distance=kind, standard_error="table")
    by_n_less_one = cs.cohen_kappa(r, distance=kind, standard_error="linearised")
    n = table.sum()
    assert by_n.standard_error == pytest.approx(classic.standard_error, abs=1e-7)
    assert by_n_less_one.standard_error == pytest.approx(
        by_n.standard_error * math.sqrt(n / (n - 1)), abs=1e-9
    )


def gwet_error(name: str, codes: Codes, w: Floats) -> float:
    """Gwet's variance as statistics 5.2 prints it, item by item."""
    r_ik = np.stack([(codes == k).sum(axis=1) for k in LABELS], axis=1).astype(float)
    r_i = r_ik.sum(axis=1)
    if name == "krippendorff_alpha":
        return _gwet_alpha(r_ik[r_i >= 2], w)
    n, pairs = len(r_i), r_i >= 2
    weighted = r_ik @ w.T
    agree = np.where(
        pairs, (r_ik * (weighted - 1)).sum(axis=1) / np.maximum(r_i * (r_i - 1), 1), 0.0
    )
    p_o = agree[pairs].mean()
    share = r_ik / r_i[:, None]
    pi = share.mean(axis=0)
    chance_i, p_e = _gwet_chance(name, codes, w, share, pi)
    value = (p_o - p_e) / (1 - p_e)
    k_i = n / pairs.sum() * (agree - p_e * pairs) / (1 - p_e)
    star = k_i - 2 * (1 - value) * (chance_i - p_e) / (1 - p_e)
    return math.sqrt(((star - value) ** 2).sum() / (n * (n - 1)))


def _gwet_chance(
    name: str, codes: Codes, w: Floats, share: Floats, pi: Floats
) -> tuple[Floats, float]:
    n, q = share.shape
    if name == "percent_agreement":
        return np.zeros(n), 0.0
    if name == "bennett_s":
        return np.full(n, w.sum() / q**2), float(w.sum() / q**2)
    if name == "gwet_ac":
        factor = w.sum() / (q * (q - 1))
        return factor * share @ (1 - pi), float(factor * (pi * (1 - pi)).sum())
    if name == "scott_pi":
        return share @ (w + w.T) @ pi / 2, float(pi @ w @ pi)
    n_raters = codes.shape[1]
    is_gk = np.stack([codes == k for k in LABELS], axis=2).astype(float)  # (i, g, k)
    rated = (codes >= 0).astype(float)
    n_g = rated.sum(axis=0)
    p_gk = is_gk.sum(axis=0) / n_g[:, None]
    centred = is_gk - (rated - n_g / n)[:, :, None] * p_gk
    lam = (n / n_g)[None, :, None] * np.einsum("kl,igl->igk", w, centred)
    others = n_raters * p_gk.mean(axis=0) - p_gk
    chance_i = np.einsum("gk,igk->i", others, lam) / (n_raters * (n_raters - 1))
    pairs = list(itertools.permutations(range(n_raters), 2))
    return chance_i, float(np.mean([p_gk[g] @ w @ p_gk[h] for g, h in pairs]))


def _gwet_alpha(r_ik: Floats, w: Floats) -> float:
    """As irrCAC computes it: no factor 1 - epsilon, and the corrected P_o inside a_i."""
    r_i = r_ik.sum(axis=1)
    n, mean, epsilon = len(r_i), r_i.mean(), 1 / r_i.sum()
    s_i = (r_ik * (r_ik @ w.T - 1)).sum(axis=1)
    p_o = (s_i / (mean * (r_i - 1))).mean()
    corrected = (1 - epsilon) * p_o + epsilon
    pi = (r_ik / mean).mean(axis=0)
    p_e = float(pi @ w @ pi)
    a_i = s_i / (mean * (r_i - 1)) - corrected * (r_i - mean) / mean
    e_i = r_ik @ (w + w.T) @ pi / 2 / mean - p_e * (r_i - mean) / mean
    value = (p_o - p_e) / (1 - p_e)
    star = (a_i - p_e) / (1 - p_e) - 2 * (1 - value) * (e_i - p_e) / (1 - p_e)
    return math.sqrt(((star - star.mean()) ** 2).sum() / (n * (n - 1)))


GWET = [
    "percent_agreement",
    "bennett_s",
    "gwet_ac",
    "scott_pi",
    "cohen_kappa",
    "krippendorff_alpha",
]


@pytest.mark.parametrize("kind", ["nominal", "linear", "quadratic"])
@pytest.mark.parametrize("name", GWET)
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_gwet_s_error_is_his_formula(name: str, kind: str, missing: float) -> None:
    codes = sample(90, 4, missing=missing)
    found = estimate(name, codes, distance=kind, standard_error="gwet")
    assert found.standard_error == pytest.approx(gwet_error(name, codes, weights(kind)), rel=1e-6)


@pytest.mark.parametrize("name", ["scott_pi", "cohen_kappa", "gwet_ac", "bennett_s"])
def test_gwet_s_error_is_the_linearised_one_for_complete_data(name: str) -> None:
    codes = sample(90, 4)
    one, other = (estimate(name, codes, standard_error=m) for m in ("gwet", "linearised"))
    assert one.standard_error == pytest.approx(other.standard_error, rel=1e-9)


@FAST
@given(
    codes=arrays(
        np.int64, st.tuples(st.integers(2, 12), st.integers(2, 5)), elements=st.integers(0, 2)
    )
)
def test_the_error_of_fleiss_nee_and_landis_is_their_formula(codes: Codes) -> None:
    n, r = codes.shape
    p = np.array([(codes == k).mean() for k in LABELS])
    if p.max() == 1.0:
        return
    q = 1 - p
    inner = (p @ q) ** 2 - (p * q * (q - p)).sum()
    expected = math.sqrt(2 * max(inner, 0.0) / (n * r * (r - 1))) / (p @ q)
    e = cs.scott_pi(ratings(codes), standard_error="fleiss-nee-landis-null")
    assert e.standard_error == pytest.approx(expected, abs=1e-12)
    assert fleiss_nee_landis(p, n, r) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("method", ["fleiss-nee-landis-null", "fleiss-cohen-everitt-null"])
def test_no_interval_is_built_on_an_error_that_holds_under_the_null_only(method: str) -> None:
    function = cs.scott_pi if "nee" in method else cs.cohen_kappa
    e = function(cs.Ratings.from_table([[20, 20], [10, 50]]), standard_error=method)
    with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
        e.confidence_interval()
    assert e.to_dict()["interval"] is None
    assert "CI" not in repr(e)
    assert 0 < e.test().p_value < 0.01


@pytest.mark.parametrize("method", ["fleiss-nee-landis-null", "fleiss-cohen-everitt-null"])
def test_no_other_value_is_tested_with_an_error_that_holds_under_the_null_only(method: str) -> None:
    function = cs.scott_pi if "nee" in method else cs.cohen_kappa
    e = function(cs.Ratings.from_table([[20, 20], [10, 50]]), standard_error=method)
    with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
        e.test(0.5)


def test_classic_errors_are_refused_where_they_do_not_exist() -> None:
    three, gaps = sample(30), sample(30, 2, missing=0.3)
    for codes in (three, gaps):
        with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
            cs.cohen_kappa(ratings(codes), standard_error="fleiss-cohen-everitt")
    with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
        cs.scott_pi(ratings(gaps), standard_error="fleiss-nee-landis-null")
    with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
        cs.scott_pi(ratings(three), distance="linear", standard_error="fleiss-nee-landis-null")


def test_an_item_that_nobody_rated_takes_nothing_from_the_classic_error() -> None:
    rows = [["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]] * 4
    plain, more = cs.cohen_kappa(cs.Ratings.from_wide(rows)), [*rows, [None, None]]
    e = cs.cohen_kappa(cs.Ratings.from_wide(more))
    assert e.standard_error_method == "fleiss-cohen-everitt"
    assert e.standard_error == plain.standard_error
    half = cs.cohen_kappa(cs.Ratings.from_wide([*rows, ["a", None]]))
    assert half.standard_error_method == "linearised"


def test_the_null_error_of_a_category_is_that_of_two_labels_whatever_their_shares() -> None:
    """Fleiss, Nee & Landis (1979): all others merged, the shares cancel."""
    for share in (0.1, 0.5, 0.7):
        merged = fleiss_nee_landis(np.array([share, 1 - share]), 30, 6)
        assert fleiss_nee_landis_category(30, 6) == pytest.approx(merged)


def test_two_raters_with_gaps_in_a_crowd_are_not_taken_for_complete() -> None:
    crowd = cs.Ratings.from_codes(
        item=np.array([0, 0, 600_000, 600_000, 5, 6, 7, 7]),
        rater=np.array([0, 1, 0, 1, 0, 1, 0, 1]),
        label=np.array([0, 1, 0, 0, 1, 1, 1, 1]),
        categories=["a", "b"],
    )
    rows = [["a", "b"], ["b", None], [None, "b"], ["b", "b"], ["a", "a"]]
    wide = cs.cohen_kappa(cs.Ratings.from_wide(rows))
    found = cs.cohen_kappa(crowd)
    assert found.value == pytest.approx(wide.value)
    assert found.standard_error_method == wide.standard_error_method
    assert found.standard_error == pytest.approx(wide.standard_error)


# --- finite populations ---------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_a_finite_population_shrinks_the_error(name: str) -> None:
    codes = sample(100)
    method = {"standard_error": "linearised"}
    whole = estimate(name, codes, **method)
    for population in (100, 125, 400, 1e9, np.int64(1000)):
        e = estimate(name, codes, population=population, **method)
        factor = math.sqrt(1 - 100 / population)
        assert e.value == whole.value
        assert e.standard_error == pytest.approx(whole.standard_error * factor, abs=1e-12)


def test_the_classic_error_knows_the_population_too() -> None:
    r = cs.Ratings.from_table([[20, 20], [10, 50]])
    whole, half = cs.cohen_kappa(r), cs.cohen_kappa(r, population=200)
    assert half.standard_error == pytest.approx(whole.standard_error / math.sqrt(2))


def test_a_sample_of_the_whole_population_leaves_no_doubt() -> None:
    e = cs.scott_pi(ratings(sample(50)), population=50)
    assert e.standard_error == 0.0
    interval = e.confidence_interval()
    assert interval.low == interval.high == e.value
    assert "boundary" not in e.flags


# --- intervals ------------------------------------------------------------------------------------


@pytest.mark.parametrize("distance", ["nominal", "quadratic"])
@pytest.mark.parametrize("name", EVERY)
@settings(max_examples=15, deadline=None)
@given(
    codes=arrays(
        np.int64, st.tuples(st.integers(2, 10), st.integers(2, 4)), elements=st.integers(-1, 2)
    ),
    level=st.sampled_from([0.5, 0.9, 0.95, 0.999]),
)
def test_the_interval_holds_the_value_and_stays_in_range(
    name: str, distance: str, codes: Codes, level: float
) -> None:
    columns = codes[:, :2] if REGISTRY[name].two_raters_only else codes
    if not ((columns >= 0).sum(axis=1) >= 2).any():
        return
    r = ratings(columns)
    if REGISTRY[name].supports(r) is not None:
        return
    e = getattr(cs, name)(r, distance=fitting(name, distance), on_undefined="ignore")
    interval = e.confidence_interval(level, method="analytic")
    assert interval.confidence_level == level
    if e.status == "undefined" or not math.isfinite(e.standard_error):
        assert math.isnan(interval.low)
        assert math.isnan(interval.high)
        return
    assert interval.low <= e.value <= interval.high <= 1.0
    if e.standard_error > 1e-9 and e.value < 1.0 - 1e-9:
        assert interval.high > e.value
    p_value = e.p_value
    assert p_value is None or 0.0 <= p_value <= 1.0


def test_the_lower_limit_lies_below_the_value_where_raters_rated_different_items() -> None:
    """With two ratings per item pi reaches down to -1, however many raters there are."""
    rows = [
        ["a", "b", None, None, None],
        [None, "b", "a", None, None],
        [None, None, "a", "b", None],
        [None, None, None, "b", "a"],
        ["a", "b", None, None, None],
        [None, "b", "b", None, None],
    ]
    for function in (cs.scott_pi, cs.krippendorff_alpha):
        e = function(cs.Ratings.from_wide(rows))
        assert -1.0 < e.value < -0.5
        assert e.confidence_interval().low < e.value - 0.1


def test_a_pair_of_raters_without_common_items_is_left_out_in_silence() -> None:
    for distance in ("nominal", "quadratic"):
        e = cs.light_kappa(
            cs.Ratings.from_wide([[0, 1, None], [1, 1, None], [None, 0, 0]]), distance=distance
        )
        assert math.isfinite(e.value)
        cs.light_kappa(cs.Ratings.from_wide([[0, 1, None]], scale="interval"), distance=distance)


def test_the_lower_limit_lies_below_the_value_for_a_distance_without_bound() -> None:
    d = cs.distances.matrix([[0, 1, 0], [1, 0, 0], [0, 0, 0]], ["a", "b", "c"])
    rows = [["a", "b"], ["a", "b"], ["a", "c"], ["b", "b"]] + [["c", "c"]] * 8
    e = cs.cohen_kappa(cs.Ratings.from_wide(rows), distance=d)
    assert e.value < -1.0
    assert e.confidence_interval().low < e.value


@pytest.mark.parametrize("name", EVERY)
def test_a_higher_level_gives_a_wider_interval(name: str) -> None:
    e = estimate(name, sample(40, missing=0.1))
    intervals = [e.confidence_interval(level) for level in (0.5, 0.8, 0.95, 0.99, 0.9999)]
    for narrow, wide in itertools.pairwise(intervals):
        assert wide.low <= narrow.low <= narrow.high <= wide.high


@pytest.mark.parametrize("name", EVERY)
def test_the_analytic_interval_is_student_s(name: str) -> None:
    codes = sample(40)
    e = estimate(name, codes, standard_error="linearised")
    reach = stats.t.ppf(0.975, 39) * e.standard_error
    interval = e.confidence_interval(method="analytic")
    assert interval.low == pytest.approx(max(e.value - reach, -1.0))
    assert interval.high == pytest.approx(min(e.value + reach, 1.0))
    assert interval.method == "analytic"
    assert tuple(interval) == (interval.low, interval.high)


def test_the_interval_with_the_error_of_fleiss_cohen_and_everitt_is_normal() -> None:
    e = cs.cohen_kappa(cs.Ratings.from_table([[70, 25], [0, 55]]))
    reach = stats.norm.ppf(0.975) * e.standard_error
    assert e.confidence_interval(method="analytic").low == pytest.approx(e.value - reach)


@pytest.mark.parametrize(
    "level", [0, 1, 0.0, 1.0, -0.5, 95, 100, 150, math.nan, math.inf, "0.95", None, True, [0.95]]
)
def test_a_level_outside_zero_and_one_is_refused(level: Any) -> None:
    e = cs.scott_pi(ratings(sample(20)))
    with pytest.raises(
        InputError, match=r"confidence_level must be between 0 and 1\. Got .* Hint: "
    ):
        e.confidence_interval(level)


def test_a_level_in_per_cent_is_explained() -> None:
    with pytest.raises(InputError, match=r"write 0\.95 for 95%"):
        check_confidence_level(95)


@pytest.mark.parametrize("level", [np.float64(0.9), np.float32(0.9)])
def test_numpy_s_numbers_are_numbers(level: Any) -> None:
    assert check_confidence_level(level) == pytest.approx(0.9)


@pytest.mark.parametrize("method", ["bcaa", "wald", "", 7])
def test_an_unknown_interval_is_refused(method: Any) -> None:
    with pytest.raises(InputError, match=r"method must be one of .*Got .*Hint: "):
        cs.scott_pi(ratings(sample(20))).confidence_interval(method=method)


PERFECT = [
    pytest.param([["a", "a"], ["b", "b"]] * 10, None, id="two labels"),
    pytest.param([["a", "a"], ["b", "b"], ["c", "c"]] * 5, None, id="three labels"),
    pytest.param([["a"] * 3, ["b"] * 3] * 5, None, id="three raters"),
    pytest.param([["a", "a"]] * 10, ["a", "b"], id="one of two declared labels"),
    pytest.param([["a", "a"]] * 10, ["a", "b", "c"], id="one of three declared labels"),
    pytest.param([["a", "a", None], [None, "b", "b"]] * 5, None, id="gaps"),
]


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize(("rows", "categories"), PERFECT)
def test_full_agreement_leaves_room_below(
    name: str, rows: list[list[Any]], categories: list[str] | None
) -> None:
    r = cs.Ratings.from_wide(rows, categories=categories)
    if REGISTRY[name].supports(r) is not None:
        return
    e = getattr(cs, name)(r, on_undefined="ignore")
    if e.status == "undefined":
        return
    assert e.value == 1.0
    assert e.standard_error == 0.0
    assert e.flags == ("boundary",)
    wide, narrow = e.confidence_interval(0.99), e.confidence_interval(0.8)
    assert wide.high == narrow.high == 1.0
    assert wide.low < narrow.low < 1.0 or wide.low == narrow.low == -1.0  # where the range ends
    assert "\n" not in repr(e)


def test_percent_agreement_of_one_has_the_limit_of_clopper_and_pearson() -> None:
    """The goodness-of-fit interval is one for kappa; it says nothing about raw agreement."""
    for labels in (["a", "b"], ["a", "b", "c"]):
        rows = [[k, k] for k in labels] * 6
        e = cs.percent_agreement(cs.Ratings.from_wide(rows))
        exact = stats.binomtest(len(rows), len(rows)).proportion_ci(0.95, method="exact")
        assert e.confidence_interval(method="analytic").low == pytest.approx(exact.low)


@pytest.mark.parametrize("name", ["bennett_s", "gwet_ac"])
def test_s_and_ac_of_one_start_at_the_limit_of_observed_agreement(name: str) -> None:
    e = getattr(cs, name)(cs.Ratings.from_wide([["a", "a"], ["b", "b"]] * 10))
    observed = 0.025 ** (1 / 20)
    expected = (observed - e.expected) / (1 - e.expected)
    assert e.confidence_interval(method="analytic").low == pytest.approx(expected)


def test_the_limit_for_full_agreement_holds_chance_fixed() -> None:
    interval = perfect_agreement_interval(20, 0.5, confidence_level=0.95)
    exact = stats.binomtest(20, 20).proportion_ci(0.95, method="exact")
    assert interval.low == pytest.approx((exact.low - 0.5) / 0.5)
    assert interval.high == 1.0


# --- goodness of fit ------------------------------------------------------------------------------


@FAST
@given(
    both=st.integers(0, 60), differ=st.integers(0, 60), neither=st.integers(0, 60),
    level=st.sampled_from([0.8, 0.95, 0.99]),
)  # fmt: skip
def test_the_limits_of_donner_and_eliasziw_just_fit(
    both: int, differ: int, neither: int, level: float
) -> None:
    n = both + differ + neither
    if 2 * both + differ in (0, 2 * n):
        return
    interval = donner_eliasziw_interval(both, differ, neither, confidence_level=level)
    p = (2 * both + differ) / (2 * n)
    kappa = 1 - differ / (2 * n * p * (1 - p))
    lowest = max(-p / (1 - p), -(1 - p) / p)
    assert lowest - 1e-9 <= interval.low <= kappa + 1e-9
    assert kappa - 1e-9 <= interval.high <= 1.0
    critical = stats.chi2.ppf(level, 1)
    for limit in interval:
        if lowest + 1e-6 < limit < 1 - 1e-6:
            shares = np.array(
                [
                    p**2 + p * (1 - p) * limit,
                    2 * p * (1 - p) * (1 - limit),
                    (1 - p) ** 2 + p * (1 - p) * limit,
                ]
            )
            chi_square = (
                (np.array([both, differ, neither]) - n * shares) ** 2 / (n * shares)
            ).sum()
            assert chi_square == pytest.approx(critical, rel=1e-6)


def test_goodness_of_fit_is_for_pi_and_alpha_of_nominal_labels() -> None:
    r = cs.Ratings.from_table([[45, 6], [4, 45]])
    pi = cs.scott_pi(r)
    assert pi.confidence_interval(method="donner-eliasziw").method == "donner-eliasziw"
    more = cs.scott_pi(cs.Ratings.from_wide([["a", "b", "b"], ["a", "a", "a"]] * 4))
    found = more.confidence_interval(method="donner-eliasziw")
    assert found.method == "common-correlation"
    assert found.low < more.value < found.high
    for e in (cs.cohen_kappa(r), cs.gwet_ac(r), cs.scott_pi(r, distance="linear")):
        with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
            e.confidence_interval(method="donner-eliasziw")


def test_the_profile_is_for_kappa_of_two_raters_and_two_labels() -> None:
    r = cs.Ratings.from_table([[70, 25], [0, 55]])
    kappa = cs.cohen_kappa(r)
    found = kappa.confidence_interval(method="profile")
    assert found.low < kappa.value < found.high
    three = cs.Ratings.from_table([[9, 1, 0], [2, 8, 1], [0, 1, 9]])
    for e in (cs.scott_pi(r), cs.cohen_kappa(three), cs.cohen_kappa(r, distance="linear")):
        with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
            e.confidence_interval(method="profile")


# --- tests ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("null", [-0.5, 0.0, 0.3, 0.8])
@pytest.mark.parametrize("name", EVERY)
def test_one_sided_and_two_sided_p_values_fit_together(name: str, null: float) -> None:
    e = estimate(name, sample(60, missing=0.1))
    two, more, less = (
        e.test(null, alternative=word)  # type: ignore[arg-type]
        for word in ("two-sided", "greater", "less")
    )
    assert all(0.0 <= t.p_value <= 1.0 for t in (two, more, less))
    # Shares of draws, of which each limit has its own.
    assert more.p_value + less.p_value == pytest.approx(1.0, abs=0.05)
    assert two.p_value == pytest.approx(2 * min(more.p_value, less.p_value))
    assert two.null == null
    assert (two.alternative, more.alternative) == ("two-sided", "greater")


def test_the_statistic_follows_student_with_one_degree_less_than_items() -> None:
    e = cs.scott_pi(ratings(sample(30)))
    test = e.test(0.4, method="analytic")
    statistic = (e.value - 0.4) / e.standard_error
    assert test.statistic == pytest.approx(statistic)
    assert test.degrees_of_freedom == 29
    assert test.p_value == pytest.approx(2 * stats.t.sf(abs(statistic), 29))


def test_kappa_is_tested_against_zero_with_the_error_that_holds_there() -> None:
    table = np.array([[20.0, 20], [10, 50]])
    e = cs.cohen_kappa(cs.Ratings.from_table(table))
    null_error = fleiss_cohen_everitt(table, np.eye(2), null=True)
    z = e.value / null_error
    test = e.test(method="analytic")
    assert test.statistic == pytest.approx(z)
    assert test.p_value == pytest.approx(2 * stats.norm.sf(z))
    at = e.test(0.2, method="analytic")
    assert at.statistic == pytest.approx((e.value - 0.2) / e.standard_error)


def test_the_estimate_itself_is_never_rejected() -> None:
    e = cs.scott_pi(ratings(sample(30)))
    assert e.test(e.value, method="analytic").p_value == pytest.approx(1.0)
    assert e.test(e.value).p_value > 0.8
    assert e.test(-1.0, alternative="greater", method="analytic").p_value < 1e-6


def test_percent_agreement_has_no_p_value() -> None:
    assert cs.percent_agreement(ratings(sample(30))).p_value is None


@pytest.mark.parametrize("name", EVERY)
def test_an_error_of_zero_gives_no_p_value(name: str) -> None:
    rows = [["a", "a"], ["b", "b"], ["c", "c"]] * 3
    e = getattr(cs, name)(cs.Ratings.from_wide(rows), standard_error="linearised")
    assert math.isnan(e.test(method="analytic").p_value)


@pytest.mark.parametrize("null", ["0", None, math.nan, math.inf, [0.1]])
def test_a_null_that_is_no_number_is_refused(null: Any) -> None:
    with pytest.raises(InputError, match=r"null must be .*Got .*Hint: "):
        cs.scott_pi(ratings(sample(30))).test(null)


def test_an_unknown_alternative_is_refused() -> None:
    with pytest.raises(InputError, match=r"alternative must be one of .*Got 'both'"):
        cs.scott_pi(ratings(sample(30))).test(alternative="both")  # type: ignore[arg-type]


def test_quantiles_are_those_of_student_and_the_normal() -> None:
    assert quantile(0.975, None) == pytest.approx(stats.norm.ppf(0.975))
    assert quantile(0.975, 7) == pytest.approx(stats.t.ppf(0.975, 7))


def test_a_wald_interval_is_cut_at_the_ends_of_the_range() -> None:
    cut = wald_interval(
        0.9, 0.2, confidence_level=0.95, degrees_of_freedom=None, lowest=-1.0, highest=1.0,
        method="analytic",
    )  # fmt: skip
    assert cut.high == 1.0
    assert cut.low == pytest.approx(0.9 - 1.959964 * 0.2, abs=1e-6)
    missing = wald_interval(
        0.9, math.nan, confidence_level=0.95, degrees_of_freedom=None, lowest=-1.0, highest=1.0,
        method="analytic",
    )  # fmt: skip
    assert math.isnan(missing.low)
    assert missing.to_dict()["low"] is None


def test_a_wald_test_without_an_error_has_no_result() -> None:
    for error in (0.0, math.nan):
        result = wald_test(
            0.5, error, null=0.0, alternative="two-sided", degrees_of_freedom=None, method="x"
        )
        assert math.isnan(result.statistic)
        assert math.isnan(result.p_value)


# --- estimates travel -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", EVERY)
def test_an_estimate_survives_pickling(name: str) -> None:
    e = estimate(name, sample(30, missing=0.1))
    copy = pickle.loads(pickle.dumps(e))
    assert copy == e
    assert copy.confidence_interval() == e.confidence_interval()
    np.testing.assert_array_equal(copy.item_influence(), e.item_influence())


# --- resampling by the package --------------------------------------------------------------------

RESAMPLED = ["percentile", "basic", "bca", "jackknife", "transformed"]


@pytest.mark.parametrize("distance", ["nominal", "ordinal"])
@pytest.mark.parametrize("name", EVERY)
def test_the_package_s_jackknife_leaves_out_each_item(name: str, distance: str) -> None:
    codes = sample(60, missing=0.15)
    columns = codes[:, :2] if REGISTRY[name].two_raters_only else codes
    columns = columns[(columns >= 0).any(axis=1)]
    e = linearised(name, columns, distance)
    expected = jackknife(columns, lambda part: linearised(name, part, distance).value)
    assert cs.coefficients.jackknife(e).standard_error == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("name", EVERY)
def test_the_package_s_bootstrap_has_the_linearised_error(name: str) -> None:
    for distance in ("nominal", "ordinal"):
        e = linearised(name, GAPPY, distance)
        (drawn,) = cs.coefficients.bootstrap(e, n_resamples=1_000, rng=1)
        assert drawn.n_undefined == 0
        # A thousand resamples know it to 2.2 %; four times that.
        assert drawn.standard_error == pytest.approx(e.standard_error, rel=0.09)
        assert abs(drawn.bias) < e.standard_error / 4


@pytest.mark.parametrize("times", [[1, 2, 3], [10, 20, 30]], ids=["one by one", "at once"])
def test_items_drawn_with_replacement_are_multinomial(times: list[int]) -> None:
    weights = ItemDraw(np.array(times, dtype=float))(RandomStream.of(2), 20_000)
    n, share = sum(times), np.array(times) / sum(times)
    assert (weights.sum(axis=0) == n).all()
    assert weights.mean(axis=1) == pytest.approx(np.array(times), rel=0.02)
    covariance = n * (np.diag(share) - np.outer(share, share))
    assert np.cov(weights) == pytest.approx(covariance, rel=0.08)


@pytest.mark.parametrize("processors", [1, 2, 16])
def test_the_same_seed_gives_the_same_bits_on_any_number_of_threads(
    processors: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    e = linearised("cohen_kappa", sample(200, missing=0.1), "ordinal")
    (expected,) = cs.coefficients.bootstrap(e, n_resamples=1_700, rng=3)
    monkeypatch.setattr("os.cpu_count", lambda: processors)
    (found,) = cs.coefficients.bootstrap(e, n_resamples=1_700, rng=3)
    np.testing.assert_array_equal(found.values, expected.values)
    (other,) = cs.coefficients.bootstrap(e, n_resamples=1_700, rng=4)
    assert not np.array_equal(found.values, other.values)


def test_resampling_leaves_the_global_generator_alone() -> None:
    before = np.random.get_state()[1].tolist()  # type: ignore[index]  # noqa: NPY002
    e = linearised("scott_pi", sample(50), "nominal")
    e.confidence_interval(method="bca", n_resamples=99)
    e.permutation_test(n_resamples=99)
    assert np.random.get_state()[1].tolist() == before  # type: ignore[index]  # noqa: NPY002


@pytest.mark.parametrize("method", RESAMPLED)
@pytest.mark.parametrize("name", EVERY)
def test_every_kind_of_interval_is_of_about_one_width(name: str, method: str) -> None:
    e = linearised(name, GAPPY, "nominal")
    interval = e.confidence_interval(method=method, n_resamples=499, rng=0)
    analytic = e.confidence_interval()
    assert interval.method == method
    width, usual = interval.high - interval.low, analytic.high - analytic.low
    assert width == pytest.approx(usual, rel=0.2)
    assert abs(interval.low + interval.high - analytic.low - analytic.high) / 2 < usual / 4


def test_only_coefficients_of_one_and_the_same_ratings_are_resampled_together() -> None:
    e, other = (linearised("scott_pi", codes, "nominal") for codes in (sample(20), sample(20)))
    bootstrap = cs.coefficients.bootstrap
    with pytest.raises(InputError, match="must be of the same Ratings"):
        bootstrap(e, other)
    with pytest.raises(InputError, match="at least one"):
        bootstrap()
    nothing = cs.scott_pi(["a"] * 5, ["a"] * 5, on_undefined="ignore")
    with pytest.raises(UnsupportedDesignError, match="a coefficient that is defined"):
        bootstrap(nothing)


@pytest.mark.parametrize("rng", [-1, 1.5, "seed", True])
def test_what_is_no_seed_is_refused(rng: Any) -> None:
    e = linearised("scott_pi", sample(20), "nominal")
    with pytest.raises(InputError, match=r"rng must be .*Got .*Hint: "):
        e.confidence_interval(method="percentile", rng=rng)


@pytest.mark.parametrize("n_resamples", [0, -5, 1.5, "many", True])
def test_what_is_no_number_of_resamples_is_refused(n_resamples: Any) -> None:
    e = linearised("scott_pi", sample(20), "nominal")
    with pytest.raises(InputError, match=r"n_resamples must be .*Got .*Hint: "):
        e.confidence_interval(method="percentile", n_resamples=n_resamples)


@pytest.mark.parametrize("make", [as_wide, as_lists, as_long, selected, completed, pickled])
def test_clusters_are_given_per_item_in_every_layout(make: Callable[[Codes], cs.Ratings]) -> None:
    codes = sample(60)
    clusters = [f"document {k // 3}" for k in range(60)]
    expected, found = (
        cs.scott_pi(r).confidence_interval(
            method="percentile", by="cluster", clusters=clusters, n_resamples=200, rng=0
        )
        for r in (cs.Ratings.from_wide(codes), make(codes))
    )
    assert found.low == pytest.approx(expected.low)
    assert found.high == pytest.approx(expected.high)


# --- raters drawn anew ----------------------------------------------------------------------------


def of_copies(codes: Codes, copies: list[int], *, by_size: bool) -> tuple[float, float, float]:
    """Observed agreement, Conger's kappa and pi over pairs of different raters, one by one."""
    pairs = list(itertools.permutations(range(codes.shape[1]), 2))
    observed = []
    for row in codes:
        met = [(g, h) for g, h in pairs if row[g] >= 0 and row[h] >= 0]
        times = np.array([copies[g] * copies[h] for g, h in met], dtype=float)
        if times.sum() > 0:
            observed.append(np.average([row[g] == row[h] for g, h in met], weights=times))
    used = np.stack([(codes == k).sum(axis=0) for k in LABELS], axis=1).astype(float)
    sizes = used.sum(axis=1)
    weights = [copies[g] * copies[h] * (sizes[g] * sizes[h] if by_size else 1) for g, h in pairs]
    shares = used / sizes[:, None]
    chance = np.average([shares[g] @ shares[h] for g, h in pairs], weights=weights)
    given = np.stack([(codes == k) @ copies for k in LABELS], axis=1).astype(float)
    given = given[given.sum(axis=1) > 0]
    mean = (given / given.sum(axis=1, keepdims=True)).mean(axis=0)
    agreed = float(np.mean(observed))
    kappa, pi = ((agreed - e) / (1.0 - e) for e in (float(chance), float(mean @ mean)))
    return agreed, kappa, pi


@pytest.mark.parametrize("copies", [[1, 1, 1, 1], [2, 1, 1, 0], [3, 1, 0, 0], [1, 2, 0, 1]])
@pytest.mark.parametrize("missing", ["gwet", "ap"])
def test_copies_of_a_rater_count_so_often_and_never_meet(missing: str, copies: list[int]) -> None:
    codes = sample(50, 4, missing=0.3)
    codes[:20, 0] = -1  # sizes that differ
    wide = [[None if c < 0 else int(c) for c in row] for row in codes]
    given = cs.Ratings.from_wide(wide, categories=LABELS)
    wanted = of_copies(codes, copies, by_size=missing == "ap")
    measured = (
        cs.percent_agreement(given),
        cs.cohen_kappa(given, missing=missing),
        cs.scott_pi(given),
    )
    for e, value in zip(measured, wanted, strict=True):
        rows = all_rows(reduce_to_rows(given, e._basis.distance, by_rater=True))
        drawn = _with_raters(e._basis.coefficient, rows, np.array(copies, dtype=float), None)
        assert drawn.values(rows.multiplicity[:, None])[0] == pytest.approx(value)


def test_raters_drawn_anew_spread_as_the_mean_over_their_pairs() -> None:
    """Agreement of raters who always know or always guess depends on who is drawn."""
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 3, (300, 1))
    codes = np.where([True, True, True, False, False], truth, rng.integers(0, 3, (300, 5)))
    e = cs.percent_agreement(cs.Ratings.from_wide(codes))
    same = (codes[:, :, None] == codes[:, None, :]).mean(axis=0)
    values = []
    for drawn in rng.integers(0, 5, (4_000, 5)):
        apart = drawn[:, None] != drawn
        if apart.any():
            values.append(same[drawn[:, None], drawn][apart].mean())
    (by_rater,) = cs.coefficients.bootstrap(e, by="rater", n_resamples=600, rng=1)
    assert by_rater.standard_error == pytest.approx(np.std(values), rel=0.1)
    (both,) = cs.coefficients.bootstrap(e, by="both", n_resamples=600, rng=1)
    (items,) = cs.coefficients.bootstrap(e, by="item", n_resamples=600, rng=1)
    assert both.standard_error > by_rater.standard_error > 3 * items.standard_error
    low, high = e.confidence_interval(method="percentile", by="rater", n_resamples=600)
    assert (low, high) == pytest.approx(np.quantile(values, [0.025, 0.975]), abs=0.03)


def test_raters_are_drawn_from_three_or_more() -> None:
    codes = sample(30)
    with pytest.raises(UnsupportedDesignError, match="at least three raters"):
        cs.coefficients.bootstrap(cs.scott_pi(ratings(codes[:, :2])), by="rater", n_resamples=9)
    three = cs.scott_pi(ratings(codes))
    with pytest.warns(DegenerateDataWarning, match="undefined on 1.% of the resamples"):
        (drawn,) = cs.coefficients.bootstrap(three, by="rater", n_resamples=600, rng=1)
    assert drawn.undefined_share == pytest.approx(3 / 27, abs=0.04)  # the same one, three times
    with pytest.raises(InputError, match="the other methods draw items"):
        cs.scott_pi(ratings(codes)).confidence_interval(method="bca", by="rater")
    with pytest.raises(InputError, match="by must be one of"):
        cs.coefficients.bootstrap(cs.scott_pi(ratings(codes)), by="label")


# --- comparisons ----------------------------------------------------------------------------------


@pytest.mark.parametrize("codes", [COMPLETE, GAPPY], ids=["complete", "gaps"])
def test_the_error_of_a_difference_is_the_jackknife_s(codes: Codes) -> None:
    def values(part: Codes) -> tuple[Estimate, Estimate]:
        r = ratings(part)
        return cs.scott_pi(r), cs.gwet_ac(r)

    one, other = values(codes)
    comparison = one.compare(other)
    expected = jackknife(codes, lambda part: values(part)[1].value - values(part)[0].value)
    assert comparison.difference == pytest.approx(other.value - one.value)
    assert comparison.standard_error == pytest.approx(expected, rel=FIRST_ORDER)


@pytest.mark.parametrize("make", [ratings, lambda codes: cs.Ratings.from_wide(codes.tolist())])
def test_pairs_of_raters_are_compared_item_by_item(make: Callable[[Codes], cs.Ratings]) -> None:
    codes = sample(150)
    apart = [cs.cohen_kappa(cs.Ratings.from_wide(codes[:, pair])) for pair in ([0, 1], [0, 2])]
    expected = apart[0].compare(apart[1])
    r = make(codes)
    first, second = (cs.cohen_kappa(r.select(raters=pair)) for pair in ([0, 1], [0, 2]))
    found = first.compare(second)
    assert found.difference == pytest.approx(expected.difference)
    assert found.standard_error == pytest.approx(expected.standard_error)
    both = jackknife(
        codes,
        lambda part: (
            cs.cohen_kappa(cs.Ratings.from_wide(part[:, [0, 2]])).value
            - cs.cohen_kappa(cs.Ratings.from_wide(part[:, [0, 1]])).value
        ),
    )
    assert found.standard_error == pytest.approx(both, rel=0.05)


def test_an_estimate_does_not_differ_from_itself() -> None:
    e = cs.scott_pi(ratings(sample(50)))
    comparison = e.compare(e)
    assert comparison.difference == 0.0
    assert comparison.standard_error == 0.0


def test_other_items_are_not_compared() -> None:
    one, other = (cs.scott_pi(ratings(sample(n))) for n in (50, 60))
    with pytest.raises(ConsilienceError, match=r"Got .*\. Hint: "):
        one.compare(other)


# --- permutation ----------------------------------------------------------------------------------


def test_the_exact_permutation_test_enumerates_all_assignments() -> None:
    first, second = [0, 0, 1, 2, 1, 0], [0, 1, 1, 2, 2, 0]
    e = cs.cohen_kappa(first, second)
    values = [
        cs.cohen_kappa(first, list(order), on_undefined="ignore").value
        for order in itertools.permutations(second)
    ]
    expected = float(np.mean([value >= e.value - 1e-12 for value in values]))
    assert e.permutation_test(exact=True).p_value == pytest.approx(expected)


@pytest.mark.parametrize("name", EVERY)
def test_a_permutation_p_value_is_never_zero(name: str) -> None:
    codes = np.repeat([[0, 0, 0], [1, 1, 1], [2, 2, 2]], 8, axis=0)
    columns = codes[:, :2] if REGISTRY[name].two_raters_only else codes
    p_value = linearised(name, columns, "nominal").permutation_test(n_resamples=99).p_value
    assert 0.0 < p_value <= 0.01


def test_labels_are_shuffled_within_raters() -> None:
    """Whoever says one thing only says it after every shuffle, so that the coefficient stays."""
    rows = [["a", "b", "c"]] * 9 + [["a", None, "c"]]
    done: list[tuple[int, int]] = []
    found = cs.scott_pi(cs.Ratings.from_wide(rows)).permutation_test(
        n_resamples=250, progress=lambda *so_far: done.append(so_far)
    )
    assert (found.p_value, found.null_sd) == (1.0, pytest.approx(0.0, abs=1e-12))
    assert found.null_mean == pytest.approx(found.statistic)
    assert done == [(100, 250), (200, 250)]


def test_noise_has_a_large_permutation_p_value() -> None:
    noise = np.random.default_rng(0).integers(0, 3, (60, 3))
    for name in ("scott_pi", "cohen_kappa", "krippendorff_alpha"):
        e = linearised(name, noise, "nominal")
        greater, less = (
            e.permutation_test(alternative=word, n_resamples=499).p_value
            for word in ("greater", "less")
        )
        assert 0.01 < greater < 0.99
        assert greater + less > 1.0
