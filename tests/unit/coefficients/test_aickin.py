"""Easy and hard items: Aickin's alpha, the linear distribution model, and their edges."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import consilience as cs
from consilience import latent
from consilience.coefficients.two_rater_models import Margins, fit_aickin, fit_linear
from consilience.exceptions import ConsilienceError, UndefinedCoefficientWarning

COHEN = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]
PATHOLOGISTS = [[22, 2, 2, 0], [5, 7, 14, 0], [0, 2, 36, 0], [0, 1, 17, 10]]
UPPER_TRIANGLE = [[20, 5, 5, 10], [0, 10, 5, 5], [0, 5, 10, 5], [0, 0, 0, 20]]  # Zwick, case 3
ONE_SIDED = [[70, 25], [0, 55]]  # Di Eugenio & Glass
BOTH = (cs.aickin_alpha, cs.linear_distribution_model)

small_tables = st.integers(2, 4).flatmap(
    lambda q: st.lists(st.lists(st.integers(0, 9), min_size=q, max_size=q), min_size=q, max_size=q)
)


def of(table: object) -> cs.Ratings:
    return cs.Ratings.from_table(table)


def aickin_cells(a: float, u: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((1 - a) * np.outer(u, v) + a * np.diag(u * v) / (u @ v))


def linear_cells(a: float, p: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray((1 - a) * np.outer(p, p) + a * np.diag(p))


def log_likelihood(table: NDArray[np.float64], cells: NDArray[np.float64]) -> float:
    seen = table > 0
    return float(np.sum(table[seen] * np.log(cells[seen])))


# --- the maximum of the likelihood ----------------------------------------------------------------


@pytest.mark.parametrize("table", [COHEN, PATHOLOGISTS, UPPER_TRIANGLE], ids=str)
def test_aickin_s_likelihood_equations_hold(table: list[list[int]]) -> None:
    fit = fit_aickin(Margins.of_table(np.array(table)))
    p = np.array(table) / np.sum(table)
    a, (u, v) = fit.value[0], (part[0] for part in fit.hard)
    s = u @ v
    assert a == pytest.approx((np.trace(p) - s) / (1 - s), abs=1e-12)
    assert u == pytest.approx(p.sum(axis=1) / ((1 - a) + a * v / s), abs=1e-12)
    assert v == pytest.approx(p.sum(axis=0) / ((1 - a) + a * u / s), abs=1e-12)
    assert not fit.boundary[0]


def test_fits_that_are_done_sooner_do_not_stop_the_others() -> None:
    """Resamples are fitted together; each has the fit that it would have alone."""
    tables = [[[1, 1, 1], [1, 2, 1], [1, 1, 1]], COHEN, [[900, 5, 1], [40, 3, 2], [7, 1, 1]]]
    alone = [Margins.of_table(np.array(table)) for table in tables]
    together = fit_aickin(
        Margins(*(np.concatenate([getattr(one, part) for one in alone])
                  for part in ("row", "column", "agree")))
    )  # fmt: skip
    each = [fit_aickin(one) for one in alone]
    assert together.value == pytest.approx([one.value[0] for one in each], abs=1e-12)
    assert together.standard_error == pytest.approx(
        [one.standard_error[0] for one in each], abs=1e-10
    )


@settings(max_examples=40, deadline=None)
@given(small_tables, st.integers(0, 2**31))
def test_no_other_parameters_are_more_likely(table: list[list[int]], seed: int) -> None:
    t = np.array(table, dtype=float)
    if t.sum() == 0 or np.trace(t) == t.sum():
        return
    margins = Margins.of_table(t)
    hard, linear = fit_aickin(margins), fit_linear(margins)
    rng = np.random.default_rng(seed)
    q = len(t)
    u, v = (part[0] for part in hard.hard)
    if not hard.boundary[0] and u @ v > 0:
        best = log_likelihood(t, aickin_cells(hard.value[0], u, v))
        for _ in range(10):
            other = aickin_cells(rng.random(), rng.dirichlet(np.ones(q)), rng.dirichlet(np.ones(q)))
            assert log_likelihood(t, other) <= best + 1e-9
    best = log_likelihood(t, linear_cells(linear.value[0], linear.hard[0][0]))
    for _ in range(10):
        other = linear_cells(rng.random(), rng.dirichlet(np.ones(q)))
        assert log_likelihood(t, other) <= best + 1e-9


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 40), min_size=4, max_size=4))
def test_for_two_labels_the_linear_model_is_scott_s_pi(cells: list[int]) -> None:
    a, b, c, d = cells
    if min(a + b + c, b + c + d) == 0:
        return
    ratings = of([[a, b], [c, d]])
    model = cs.linear_distribution_model(ratings)
    assert model.value == pytest.approx(max(cs.scott_pi(ratings).value, 0.0), abs=1e-9)


@pytest.mark.parametrize("table", [COHEN, PATHOLOGISTS, UPPER_TRIANGLE], ids=str)
@pytest.mark.parametrize("model", ["aickin", "linear"])
def test_the_error_is_that_of_the_observed_information(model: str, table: list[list[int]]) -> None:
    """The second derivatives of the log-likelihood by (a, u_2.., v_2..), taken numerically."""
    t = np.array(table, dtype=float)
    margins = Margins.of_table(t)
    fit = fit_aickin(margins) if model == "aickin" else fit_linear(margins)
    u, v = (part[0] for part in fit.hard)
    q = len(t)

    def value(x: NDArray[np.float64]) -> float:
        first = np.r_[1 - x[1:q].sum(), x[1:q]]
        if model == "linear":
            return log_likelihood(t, linear_cells(x[0], first))
        return log_likelihood(t, aickin_cells(x[0], first, np.r_[1 - x[q:].sum(), x[q:]]))

    at = np.r_[fit.value[0], u[1:], v[1:] if model == "aickin" else []]
    step = 1e-4 * np.eye(at.size)
    information = -np.array(
        [
            [
                (value(at + i + j) - value(at + i - j) - value(at - i + j) + value(at - i - j))
                / 4e-8
                for j in step
            ]
            for i in step
        ]
    )
    error = math.sqrt(np.linalg.inv(information)[0, 0])
    assert fit.standard_error[0] == pytest.approx(error, rel=1e-3)


@pytest.mark.parametrize("function", BOTH)
def test_influence_is_what_leaving_out_an_item_changes(function: object) -> None:
    big = of(20 * np.array(COHEN))
    e = function(big)  # type: ignore[operator]
    left = cs.jackknife(e)
    linearised = function(big, standard_error="linearised")  # type: ignore[operator]
    assert left.standard_error == pytest.approx(linearised.standard_error, rel=0.01)
    assert e.item_influence().sum() == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize("function", BOTH)
def test_the_two_errors_agree_where_the_model_holds(function: object) -> None:
    p = np.array([0.5, 0.3, 0.2])
    table = np.rint(10_000 * linear_cells(0.6, p))
    if function is cs.aickin_alpha:
        table = np.rint(10_000 * aickin_cells(0.6, p, np.array([0.2, 0.3, 0.5])))
    one = function(of(table.astype(int)))  # type: ignore[operator]
    other = function(of(table.astype(int)), standard_error="linearised")  # type: ignore[operator]
    assert one.value == pytest.approx(0.6, abs=1e-3)
    assert one.standard_error_method == "observed-information"
    assert one.standard_error == pytest.approx(other.standard_error, rel=0.01)


# --- edges of the models --------------------------------------------------------------------------


def test_one_sided_disagreements_lead_to_the_limit_with_a_flag() -> None:
    e = cs.aickin_alpha(of(ONE_SIDED))
    assert e.value == pytest.approx(125 / 150, abs=1e-15)
    assert e.flags == ("boundary",)
    assert e.expected == 0.0
    assert math.isnan(e.standard_error)
    assert math.isnan(e.confidence_interval(method="analytic").low)
    assert math.isnan(e.test(method="analytic").p_value)


@pytest.mark.parametrize(
    ("fit", "table", "error"),
    [
        (fit_aickin, ONE_SIDED, math.nan),
        (fit_aickin, [[1, 9], [8, 2]], math.nan),
        (fit_aickin, [[7, 0], [0, 3]], 0.0),
        (fit_aickin, [[1, 0], [0, 0]], math.nan),
        (fit_linear, [[1, 9], [8, 2]], math.nan),
        (fit_linear, [[7, 0], [0, 3]], 0.0),
        (fit_linear, [[1, 0], [0, 0]], math.nan),
        (fit_linear, [[0, 1], [0, 0]], math.nan),
    ],
)
def test_only_full_agreement_of_several_items_is_an_edge_with_an_error(
    fit: Any, table: list[list[int]], error: float
) -> None:
    found = fit(Margins.of_table(np.array(table)))
    assert found.standard_error[0] == pytest.approx(error, nan_ok=True)
    if error == 0.0:
        assert (found.value[0], found.boundary[0]) == (1.0, False)


def test_the_iteration_creeps_to_that_limit() -> None:
    p = np.array(ONE_SIDED) / 150
    u, v, values = p.sum(axis=1), p.sum(axis=0), []
    for _ in range(3_000):
        s = u @ v
        a = (np.trace(p) - s) / (1 - s)
        u = p.sum(axis=1) / ((1 - a) + a * v / s)
        u /= u.sum()
        v = p.sum(axis=0) / ((1 - a) + a * u / (u @ v))
        v /= v.sum()
        values.append(a)
    assert values == sorted(values)
    assert values[100] < 0.82
    assert 0.0 < 125 / 150 - values[-1] < 0.005


def test_more_labels_are_one_sided_when_no_label_is_mistaken_both_ways() -> None:
    """The first rater says a or b where the second says c, never anything else."""
    assert cs.aickin_alpha(of([[9, 0, 3], [0, 8, 2], [0, 0, 7]])).flags == ("boundary",)
    # An empty triangle is not enough: b is said by either rater in a disagreement.
    inside = cs.aickin_alpha(of([[9, 2, 3], [0, 8, 2], [0, 0, 7]]))
    assert inside.flags == ()
    assert inside.standard_error > 0


@pytest.mark.parametrize("function", BOTH)
def test_agreement_below_chance_is_zero_with_a_flag(function: object) -> None:
    e = function(of([[1, 9], [8, 2]]))  # type: ignore[operator]
    assert (e.value, e.flags) == (0.0, ("boundary",))
    assert math.isnan(e.standard_error)


@pytest.mark.parametrize("function", BOTH)
def test_agreement_just_at_chance_is_zero_without_a_flag(function: object) -> None:
    e = function(of([[10, 10], [10, 10]]))  # type: ignore[operator]
    assert (e.value, e.flags) == (0.0, ())
    assert e.standard_error > 0


def test_a_constant_rater_gives_zero_and_no_error() -> None:
    e = cs.aickin_alpha(["a"] * 6, list("aababb"))
    assert e.value == 0.0
    assert math.isnan(e.standard_error)


@pytest.mark.parametrize("function", BOTH)
def test_one_label_is_undefined_with_a_reason(function: object) -> None:
    with pytest.warns(UndefinedCoefficientWarning, match="no_variation"):
        e = function(of([[7, 0], [0, 0]]))  # type: ignore[operator]
    assert e.status == "undefined"


# --- options --------------------------------------------------------------------------------------


def test_a_constant_can_be_added_to_every_cell() -> None:
    plain = cs.aickin_alpha(of(COHEN)).value
    added = cs.aickin_alpha(of(COHEN), continuity="joseph-belisle").value
    by_hand = cs.aickin_alpha(of(COHEN), continuity=1 / 9).value
    tenfold = cs.aickin_alpha(of(9 * np.array(COHEN) + 1)).value  # the same table, nine times
    assert added == pytest.approx(by_hand, abs=1e-14)
    assert added == pytest.approx(tenfold, abs=1e-12)
    assert added != pytest.approx(plain, abs=1e-4)
    assert cs.aickin_alpha(of(COHEN), continuity="none").value == plain
    inside = cs.aickin_alpha(of(ONE_SIDED), continuity=0.25)
    assert inside.flags == ()
    assert inside.value < 125 / 150


@pytest.mark.parametrize("continuity", [-1, math.inf, math.nan, None, True, "half", [1]])
def test_a_continuity_that_is_none_is_refused(continuity: object) -> None:
    with pytest.raises(ConsilienceError, match="continuity must be"):
        cs.aickin_alpha(of(COHEN), continuity=continuity)  # type: ignore[arg-type]


@pytest.mark.parametrize("function", BOTH)
def test_intervals_of_every_kind(function: object) -> None:
    e = function(of(COHEN))  # type: ignore[operator]
    for method in ("analytic", "percentile", "basic", "bca", "jackknife", "transformed", "auto"):
        interval = e.confidence_interval(method=method, n_resamples=300, rng=2)
        assert 0.0 <= interval.low < e.value < interval.high <= 1.0
        assert interval.high - interval.low == pytest.approx(0.2, abs=0.04), method


@pytest.mark.parametrize("function", BOTH)
def test_tables_lists_and_frames_give_the_same_number(function: object) -> None:
    rows = [[k, m] for k in range(3) for m in range(3) for _ in range(COHEN[k][m])]
    first, second = map(list, zip(*rows, strict=True))
    values = {
        function(of(COHEN)).value,  # type: ignore[operator]
        function(rows).value,  # type: ignore[operator]
        function(first, second).value,  # type: ignore[operator]
        function(cs.Ratings.from_wide([*rows, [1, None], [None, None]])).value,  # type: ignore[operator]
    }
    assert len(values) == 1


@pytest.mark.parametrize("function", BOTH)
def test_what_the_models_cannot_do_is_refused(function: object) -> None:
    three = cs.Ratings.from_wide([[1, 1, 2], [2, 2, 2]])
    with pytest.raises(ConsilienceError, match="needs exactly two raters"):
        function(three)  # type: ignore[operator]
    with pytest.raises(ConsilienceError, match="needs labels that are equal or not"):
        function(of(COHEN), distance="linear")  # type: ignore[operator]
    with pytest.raises(ConsilienceError, match="at most 100 labels"):
        function(np.arange(400).reshape(200, 2))  # type: ignore[operator]
    with pytest.raises(ConsilienceError, match="to know who gave"):
        function(cs.Ratings.from_counts([[2, 0], [1, 1]]))  # type: ignore[operator]


def test_ordinal_labels_are_compared_as_equal_or_not() -> None:
    ordinal = cs.Ratings.from_table(COHEN, scale="ordinal")
    assert cs.aickin_alpha(ordinal).value == cs.aickin_alpha(of(COHEN)).value


def test_the_two_models_can_be_compared_on_the_same_items() -> None:
    ratings = of(COHEN)
    difference = cs.linear_distribution_model(ratings).compare(cs.aickin_alpha(ratings))
    assert difference.difference == pytest.approx(0.5429 - 0.4798, abs=1e-4)
    assert 0.0 < difference.standard_error < 0.05


# --- all parameters -------------------------------------------------------------------------------


def test_an_agreement_is_easy_with_the_same_probability_whatever_the_label() -> None:
    fitted = latent.easy_and_hard(of(COHEN))
    shares = list(fitted.easy_given_agreement.values())
    assert shares == pytest.approx([shares[0]] * 3, abs=1e-12)
    linear = latent.easy_and_hard(of(COHEN), model="linear")
    assert linear.hard[0] == linear.hard[1] == linear.easy
    shares = list(linear.easy_given_agreement.values())
    assert max(shares) - min(shares) > 0.1


def test_the_parameters_can_be_read_and_written() -> None:
    fitted = latent.easy_and_hard(of(ONE_SIDED))
    assert "at the edge of the model" in str(fitted)
    assert fitted.to_dict()["hard"] == [{"1": 1.0, "2": 0.0}, {"1": 0.0, "2": 1.0}]
    with pytest.raises(ConsilienceError, match="did you mean 'aickin'"):
        latent.easy_and_hard(of(COHEN), model="aikin")
