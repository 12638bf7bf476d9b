"""The rules behind default intervals: Student's t for skewed values, and the prior of rows."""

from __future__ import annotations

import math
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

import consilience as cs
from consilience.core.draws import RandomStream
from consilience.inference.intervals import (
    BoundedValue,
    DrawnValue,
    SkewedT,
    bounded_limits,
    bounded_p_value,
    posterior_of,
)
from consilience.rows.distinct_rows import all_rows


@pytest.mark.parametrize("skew", [0.0, 0.3, -0.3, 1.2, -1.2])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_p_is_what_the_limits_leave(skew: float, level: float) -> None:
    one = SkewedT(1.0, 0.5, 7.3, skew)
    for limit in one.limits(level):
        assert one.p_value(limit, "two-sided") == pytest.approx(1.0 - level)
    assert one.p_value(1.0, "two-sided") == 1.0
    assert one.p_value(math.inf, "two-sided") == 0.0
    assert (one.p_value(math.inf, "greater"), one.p_value(math.inf, "less")) == (1.0, 0.0)


def test_without_skew_it_is_student_s_t_and_skew_only_moves_limits_outwards() -> None:
    plain = SkewedT(0.0, 1.0, 9.0).limits(0.95)
    assert plain == pytest.approx((-stats.t.ppf(0.975, 9), stats.t.ppf(0.975, 9)))
    right, left = (SkewedT(0.0, 1.0, 9.0, skew).limits(0.95) for skew in (0.4, -0.4))
    assert right[0] == pytest.approx(plain[0])
    assert right[1] > plain[1]
    assert left == pytest.approx((-right[1], -right[0]))


def test_far_disagreements_weigh_more_in_the_prior_of_a_weighted_coefficient() -> None:
    wide = [[0, 0], [1, 1], [2, 2], [0, 1], [1, 2], [2, 1], [1, 0]] * 3
    ratings = cs.Ratings.from_wide(wide, categories=range(3), scale="ordinal")
    far = {}
    for distance in ("nominal", "quadratic"):
        one = cs.scott_pi(ratings, distance=distance)
        rows = all_rows(one._basis.evaluation.source)
        full, draw = posterior_of(rows, 2, 0.95)
        prior = slice(rows.multiplicity.size, None)
        ends = (full.vectors[0, prior] == 1.0) & (full.vectors[2, prior] == 1.0)
        shapes = np.concatenate([draw.prior.alike, draw.prior.apart])
        assert shapes.sum() == pytest.approx(1.5)  # the mass does not depend on the distance
        far[distance] = shapes[ends].sum()
    assert far["quadratic"] > 1.5 * far["nominal"]


@pytest.mark.parametrize(("n_raters", "power"), [(2, 1), (3, 2), (4, 2)])
@pytest.mark.parametrize("distance", ["nominal", "linear"])
def test_the_prior_s_rows_weigh_as_common_label_and_dissent_are_common(
    n_raters: int, power: int, distance: str
) -> None:
    """All but one give a label: its share to the power of two at most, times the odd one's."""
    codes = np.repeat([0, 0, 0, 1, 1, 2], 4)[:, None] * np.ones((1, n_raters), int)
    codes[::5, 0] = 2
    ratings = cs.Ratings.from_wide(codes, categories=range(3), scale="ordinal")
    rows = all_rows(cs.scott_pi(ratings, distance=distance)._basis.evaluation.source)
    full, draw = posterior_of(rows, n_raters, 0.95)
    given = np.bincount(codes.ravel(), minlength=3) + 0.5
    shares = given / given.sum()
    wanted = {}
    for common, odd in permutations(range(3), 2):
        apart = abs(common - odd) if distance == "linear" else 1
        row = np.zeros(3)
        row[common], row[odd] = n_raters - 1, 1
        key = tuple(row)
        weight = shares[common] ** power * shares[odd] * apart
        wanted[key] = wanted.get(key, 0.0) + weight
    scale = 0.5 / sum(wanted.values())
    found: dict[tuple[float, ...], float] = {}
    behind = slice(rows.multiplicity.size, None)  # the rows of the items come first
    shapes = np.concatenate([draw.prior.alike, draw.prior.apart])
    for row, shape in zip(full.vectors.T[behind], shapes, strict=True):
        found[tuple(row)] = found.get(tuple(row), 0.0) + shape
    for key, weight in wanted.items():
        assert found[key] == pytest.approx(scale * weight)
    for label in range(3):
        assert found[tuple(n_raters * np.eye(3)[label])] == pytest.approx((0.5 + 1 / n_raters) / 3)


@pytest.mark.parametrize(
    ("n_raters", "n_labels", "clustered", "student"),
    [(2, 2, False, False), (3, 2, False, True), (2, 3, False, True), (2, 2, True, True)],
)
def test_few_units_have_student_s_tails_in_all_but_the_smallest_design(
    n_raters: int, n_labels: int, clustered: bool, student: bool
) -> None:
    codes = np.random.default_rng(2).integers(0, n_labels, (24, n_raters))
    one = cs.scott_pi(cs.Ratings.from_wide(codes, categories=range(n_labels)))
    rows = all_rows(one._basis.evaluation.source)
    cluster = np.arange(rows.multiplicity.size) if clustered else None
    _, draw = posterior_of(rows, n_raters, 0.95, cluster=cluster)
    n = rows.multiplicity.size if clustered else 24
    units = np.ones(n) if clustered else rows.multiplicity
    ratio = stats.norm.ppf(0.975) / stats.t.ppf(0.975, n - 1) if student else 1.0
    shape = ratio**2 * (n - 1) / (n + 1) if student else 1.0
    assert draw.units.shapes == pytest.approx(shape * units)
    mean = draw.units.shapes * draw.units.scales  # a row weighs as often as it was seen
    assert mean / units == pytest.approx(mean[0] / units[0])
    _, upper = draw.prior(RandomStream.of(3), 20_000)
    prior = np.concatenate([draw.prior.alike, draw.prior.apart])
    scale = mean[0] / units[0]
    assert upper.sum(axis=0).mean() == pytest.approx(prior.sum() * scale, rel=0.05)


@pytest.mark.parametrize(("by_rater", "shown"), [(False, 25), (True, 12)])
def test_the_prior_pairs_only_the_commonest_of_many_labels(by_rater: bool, shown: int) -> None:
    """At most 600 rows of two labels: 25 × 24, or 12 × 11 with each of four raters dissenting."""
    codes = np.repeat(np.arange(40), 3 * np.arange(40, 0, -1))[:, None] * np.ones((1, 4), int)
    ratings = cs.Ratings.from_wide(codes, categories=range(40))
    one = (cs.cohen_kappa if by_rater else cs.scott_pi)(ratings)
    rows = all_rows(one._basis.evaluation.source)
    full, draw = posterior_of(rows, 4, 0.95)
    assert draw.n_rows == full.multiplicity.size
    mixed = full.vectors[:, rows.multiplicity.size + 40 :]
    one_differs = (mixed == 3.0).any(axis=0)
    assert one_differs.sum() == shown * (shown - 1) * (4 if by_rater else 1) <= 600
    assert (~one_differs).sum() == shown * (shown - 1) / 2
    assert (np.flatnonzero(mixed.any(axis=1)) == np.arange(shown)).all()


def test_limits_do_not_depend_on_what_was_asked_before() -> None:
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 3, (40, 1)) * np.ones((1, 3), int)
    codes[rng.random(codes.shape) < 0.3] = 0
    names = ("cohen_kappa", "gwet_ac", "percent_agreement")
    found = []
    for order in (names, names[::-1]):
        ratings = cs.Ratings.from_wide(codes).with_clusters(np.arange(40) // 4, "page")
        found.append({name: getattr(cs, name)(ratings).confidence_interval() for name in order})
    assert found[0] == found[1]


# --- how sure an error is ---

EXPONENTIAL = np.random.default_rng(8).exponential(size=30)
EVEN = np.linspace(-1.0, 1.0, 30)


def means_without_each(x: np.ndarray) -> np.ndarray:
    return (x.sum() - x) / (x.size - 1)


def student_degrees(x: np.ndarray, margin: float, fewest: float) -> float:
    """2 (n - 1) / (2 + h), h the larger of the excess kurtosis and 1.5 times squared skewness."""
    n, skewness = x.size, stats.skew(x, bias=False)
    heaviness = max(stats.kurtosis(x, bias=False), 1.5 * skewness**2)
    degrees = 2 * (n - 1) / (2 + heaviness * (1 + margin / math.sqrt(n)))
    return min(max(degrees, fewest), n - 1)


@pytest.mark.parametrize("x", [EXPONENTIAL, -EXPONENTIAL, EVEN, EXPONENTIAL**3], ids=str)
def test_a_mean_has_its_error_and_degrees_after_the_tails_of_the_units(x: np.ndarray) -> None:
    n = x.size
    found = SkewedT.of(x.mean(), means_without_each(x), np.ones(n))
    assert found.error == pytest.approx(x.std(ddof=1) / math.sqrt(n))
    assert found.degrees_of_freedom == pytest.approx(student_degrees(x, 8.0, 2.0))
    skew = stats.skew(x, bias=False) / math.sqrt(n)
    assert found.skew == pytest.approx(min(max(skew, -0.3), 0.3), abs=1e-9)
    twice = SkewedT.of(x.mean(), means_without_each(x)[: n // 2], np.full(n // 2, 2.0))
    whole = SkewedT.of(x.mean(), np.repeat(means_without_each(x)[: n // 2], 2), np.ones(n))
    assert twice.error == pytest.approx(whole.error)
    assert twice.degrees_of_freedom == pytest.approx(whole.degrees_of_freedom)


def test_hall_s_transformation_moves_the_limit_on_the_long_side() -> None:
    """Hall (1992): t + r t^2 / 3 + r^2 t^3 / 27 + r / 6 is about symmetric."""
    one = SkewedT(0.0, 1.0, 9.0, 0.2)
    low, high = one.limits(0.95)
    reach, r = stats.t.ppf(0.975, 9), 0.2
    t = -high  # of the null value at the upper limit
    assert t + r * t**2 / 3 + r**2 * t**3 / 27 + r / 6 == pytest.approx(-reach)
    assert low == pytest.approx(-reach)


# --- values between two ends ---


@pytest.mark.parametrize("x", [EXPONENTIAL, EVEN], ids=["skewed", "even"])
@pytest.mark.parametrize("ends", [(0.0, 1.0), (-1.0, 1.0), (0.25, 1.0)])
def test_a_bounded_value_is_worth_as_many_trials_as_its_error_says(
    x: np.ndarray, ends: tuple[float, float]
) -> None:
    """Korn & Graubard (1998), and a third of a unit of value 0 in the lower limit."""
    x = 0.5 + 0.4 * x / np.abs(x).max()
    n, wide = x.size, ends[1] - ends[0]
    one = BoundedValue.of(x.mean(), means_without_each(x), ends, np.ones(n))
    assert one is not None
    q = (x.mean() - ends[0]) / wide
    degrees = student_degrees(x, 4.0, 4.0)
    fewer = (stats.norm.ppf(0.975) / stats.t.ppf(0.975, degrees)) ** 2
    trials = fewer * q * (1 - q) / (x.var(ddof=1) / n / wide**2)
    assert (one.hits, one.misses) == pytest.approx((q * trials + 0.5, (1 - q) * trials + 0.5))
    zero = min(max(-ends[0] / wide, 0.0), 1.0)
    lower = stats.beta.ppf(
        0.025,
        q * trials + 0.5 + zero * trials / n / 3,
        (1 - q) * trials + 0.5 + (1 - zero) * trials / n / 3,
    )
    assert one.limits(0.95)[0] == pytest.approx(ends[0] + wide * lower)


@pytest.mark.parametrize(
    ("value", "ends", "limits"),
    [
        (1.0, (0.0, 1.0), (0.025 ** (1 / 12), 1.0)),
        (1.0, (-1.0, 1.0), (0.025 ** (1 / 12), 1.0)),
        (0.0, (0.0, 1.0), (0.0, 1 - 0.025 ** (1 / 12))),
        (1.0, (0.5, 1.0), (0.5 + 0.5 * 0.025 ** (1 / 12), 1.0)),
    ],
)
def test_at_an_end_the_limit_is_that_of_clopper_and_pearson(
    value: float, ends: tuple[float, float], limits: tuple[float, float]
) -> None:
    all_alike = np.full(12, value)
    assert bounded_limits(value, all_alike, 0.95, ends) == pytest.approx(limits)
    weighed = bounded_limits(value, all_alike[:3], 0.95, ends, np.full(3, 4.0))
    assert weighed == pytest.approx(limits)
    if value == 1.0:
        assert bounded_p_value(value, all_alike, limits[0], ends) == pytest.approx(0.025)
        assert bounded_p_value(value, all_alike, ends[0], ends) == 0.0
    else:
        assert bounded_p_value(value, all_alike, 0.3, ends) == 1.0


def test_beyond_the_ends_limits_are_those_of_student() -> None:
    left_out = np.array([-1.3, -1.1, -1.2, -1.25, -1.15, -1.2])
    found = bounded_limits(-1.2, left_out, 0.95, (-1.0, 1.0))
    assert found == SkewedT.of(-1.2, left_out, np.ones(6)).limits(0.95)
    assert (bounded_p_value(-1.2, left_out, -1.3), bounded_p_value(-1.2, left_out, -1.1)) == (0, 1)


def test_a_share_of_independent_trials_is_worth_its_trials() -> None:
    """Korn & Graubard (1998): with one trial a unit, the effective sample is the sample."""
    hits = np.repeat([1.0, 0.0], [25, 25])
    left_out = (hits.sum() - hits) / 49.0
    one = BoundedValue.of(0.5, left_out, (0.0, 1.0), np.ones(50))
    assert one is not None
    trials = one.hits + one.misses - 1.0
    fewer = (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 49)) ** 2
    assert trials == pytest.approx(49.0 * fewer)
    upper = stats.beta.ppf(0.975, 0.5 * trials + 0.5, 0.5 * trials + 0.5)
    assert one.limits(0.95)[1] == pytest.approx(upper)


@pytest.mark.parametrize("ends", [(0.0, 1.0), (-1.0, 1.0)])
@pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
def test_a_bounded_value_is_rejected_where_its_lower_limit_lies_above(
    ends: tuple[float, float], level: float
) -> None:
    left_out = 0.8 + np.array([0.02, -0.01, 0.005, 0.0, -0.03, 0.01, 0.0, 0.002, 0.004, 0.0])
    low, high = bounded_limits(0.8, left_out, level, ends)
    assert ends[0] < low < 0.8 < high < ends[1]
    assert bounded_p_value(0.8, left_out, low, ends) == pytest.approx((1.0 - level) / 2.0)


def test_one_session_that_fails_leaves_limits_that_say_something() -> None:
    """Nine sessions with 39 of 40 events linked and one with 24: it was .08 to .996."""
    linked = np.array([39.0] * 9 + [24.0])
    left_out = (linked.sum() - linked) / 360.0
    low, high = bounded_limits(linked.sum() / 400.0, left_out, 0.95, (0.0, 1.0))
    assert 0.65 < low < 0.85
    assert 0.97 < high < 1.0


def test_sessions_that_are_all_alike_may_still_be_followed_by_one_that_fails() -> None:
    low, high = bounded_limits(0.9, np.full(12, 0.9), 0.95, (0.0, 1.0))
    assert low == pytest.approx(0.9 / (1.0 + 1.0 / 36.0), abs=1e-3)
    assert high == pytest.approx(0.9, abs=1e-3)


# --- many raters ---


def test_the_prior_of_many_raters_who_guess_weighs_less() -> None:
    rng = np.random.default_rng(0)
    guessed = rng.integers(0, 2, (60, 20))
    known = np.where(rng.random((60, 20)) < 0.8, rng.integers(0, 2, (60, 1)), guessed)
    mass = []
    for codes in (guessed, known):
        one = cs.scott_pi(cs.Ratings.from_wide(codes, categories=range(2)))
        rows = all_rows(one._basis.evaluation.source)
        _, draw = posterior_of(rows, 20, 0.95)
        mass.append(draw.prior.alike.sum() + draw.prior.apart.sum())
    assert mass[1] == pytest.approx(0.5 + 1 / 20 + 0.5)
    assert mass[0] == pytest.approx(mass[1] / 4, rel=0.25)


def test_many_raters_who_all_give_one_label_leave_no_doubt_that_they_know_it() -> None:
    """Nothing differs, so that chance would not, either: the prior has its whole weight."""
    one = cs.percent_agreement(cs.Ratings.from_wide([["a"] * 9] * 20, categories=["a", "b"]))
    rows = all_rows(one._basis.evaluation.source)
    _, draw = posterior_of(rows, 9, 0.95)
    assert draw.prior.alike.sum() + draw.prior.apart.sum() == pytest.approx(0.5 + 1 / 9 + 0.5)
    assert 0.9 < one.confidence_interval().low < 1.0


@pytest.mark.parametrize("by_rater", [False, True])
def test_four_raters_or_more_may_split_evenly_where_nothing_was_seen_yet(by_rater: bool) -> None:
    """One of eight who differs is not the most that an item can show."""
    codes = np.repeat([0, 1, 2], [20, 12, 4])[:, None] * np.ones((1, 8), int)
    ratings = cs.Ratings.from_wide(codes, categories=range(3))
    one = (cs.cohen_kappa if by_rater else cs.scott_pi)(ratings)
    rows = all_rows(one._basis.evaluation.source)
    full, draw = posterior_of(rows, 8, 0.95)
    behind = full.vectors[:, rows.multiplicity.size + 3 :]
    split = (behind == 4.0).sum(axis=0) == 2
    assert split.sum() == 3
    assert draw.prior.apart[split].sum() == 0.0
    assert draw.prior.more[split].sum() == pytest.approx(0.5)
    assert draw.prior.more[~split].sum() == 0.0
    if by_rater:
        assert full.by_rater is not None
        given = full.by_rater[:, rows.multiplicity.size + 3 :][:, split].reshape(8, 3, 3)
        assert given.sum(axis=1) == pytest.approx(np.ones((8, 3)))


def test_rows_of_a_label_that_nobody_shares_lift_the_upper_limit_only() -> None:
    rows = all_rows(cs.scott_pi(cs.Ratings.from_table([[9, 2], [1, 0]]))._basis.evaluation.source)
    _, draw = posterior_of(rows, 2, 0.95)
    lower, upper = draw.prior(RandomStream.of(1), 50)
    assert draw.prior.is_shared.tolist() == [True, False]
    assert lower[0] == pytest.approx(upper[0] / 2)
    assert (lower[1] == 0.0).all()
    assert (lower[2:] >= upper[2:]).all()


def test_a_value_outside_all_draws_is_a_limit_itself() -> None:
    one = DrawnValue.of(0.1, np.linspace(0.2, 0.4, 99), np.linspace(-0.4, 0.05, 99))
    assert one.limits(0.95) == (0.1, 0.1)
    assert (one.p_value(0.1), one.p_value(0.05), one.p_value(0.15)) == (1.0, 0.02, 0.02)
    assert one.p_value(0.05, "greater") == 0.01
    assert one.p_value(0.05, "less") == 0.5
