"""McGraw & Wong (1996). Forming inferences about some intraclass correlation coefficients."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import f

import consilience as cs
from consilience.magnitudes import icc

RATINGS = cs.Ratings.from_wide(
    [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]],
    scale="interval",
)
N, K = 6, 4
FORMS = ("1", "k", "C,1", "C,k", "A,1", "A,k")


@pytest.mark.parametrize("raters", ["random", "fixed"])
@pytest.mark.parametrize("model", FORMS)
def test_random_and_mixed_models_share_their_numbers(model: str, raters: str) -> None:
    """Ten named coefficients, six values: cases 2 and 3 differ in meaning only."""
    one = icc(RATINGS, model=model, raters=raters)
    assert one.value == icc(RATINGS, model=model).value
    assert ("fixed" in one.name) == (raters == "fixed" and model not in ("1", "k"))


def test_average_forms_are_spearman_brown_of_single_forms() -> None:
    for kind in ("", "C,", "A,"):
        single, mean = icc(RATINGS, model=f"{kind}1"), icc(RATINGS, model=f"{kind}k")
        assert mean.value == pytest.approx(K * single.value / (1 + (K - 1) * single.value))
        assert icc(RATINGS, model=f"{kind}4").value == mean.value
        ten = icc(RATINGS, model=f"{kind}k", n_averaged=10)
        assert ten.value == pytest.approx(10 * single.value / (1 + 9 * single.value))
        assert ten.name == f"ICC({kind}10)"


def test_table_7_limits_of_the_agreement_of_means() -> None:
    """The c and d of the paper give what Spearman & Brown make of the single limits."""
    one = icc(RATINGS, model="A,k")
    ms = one.mean_squares
    assert ms is not None
    rho = one.value
    c = rho / (N * (1 - rho))
    d = 1 + rho * (N - 1) / (N * (1 - rho))
    v = (c * ms.msc + d * ms.mse) ** 2 / (
        (c * ms.msc) ** 2 / (K - 1) + (d * ms.mse) ** 2 / ((N - 1) * (K - 1))
    )
    upper, lower = f.ppf(0.975, N - 1, v), f.ppf(0.975, v, N - 1)
    low = N * (ms.msr - upper * ms.mse) / (upper * (ms.msc - ms.mse) + N * ms.msr)
    high = N * (lower * ms.msr - ms.mse) / (ms.msc - ms.mse + N * lower * ms.msr)
    interval = one.confidence_interval(method="mcgraw-wong")
    assert (interval.low, interval.high) == pytest.approx((low, high))


@pytest.mark.parametrize("model", FORMS)
@pytest.mark.parametrize("null", [-0.1, 0.0, 0.3, 0.8])
def test_table_8_test_and_interval_say_the_same(model: str, null: float) -> None:
    """One-way and consistency: the limit is the null value that is just not rejected."""
    one = icc(RATINGS, model=model)
    if one.model == "agreement":
        p_value = one.test(null, method="mcgraw-wong").p_value
        assert 0 <= p_value <= 1 or (null < 0 and math.isnan(p_value))
        return
    interval = one.confidence_interval(method="mcgraw-wong")
    lower = one.test(interval.low, method="mcgraw-wong")
    upper = one.test(interval.high, alternative="less", method="mcgraw-wong")
    assert (lower.p_value, upper.p_value) == pytest.approx((0.025, 0.025))
    p_value = one.test(null, method="mcgraw-wong").p_value
    assert (p_value < 0.025) == (null < interval.low)


@pytest.mark.parametrize("model", FORMS)
@pytest.mark.parametrize("null", [-0.1, 0.0, 0.01, 0.3, 0.7, 0.95])
def test_the_default_test_and_interval_say_the_same(model: str, null: float) -> None:
    """A value lies outside exactly when it is rejected; at 0 that holds by the exact F."""
    one = icc(RATINGS, model=model)
    low, high = one.confidence_interval()
    p_value = one.test(null, alternative="two-sided").p_value
    assert (p_value <= 0.05) == (not low <= null <= high)


@pytest.mark.parametrize("model", ["A,1", "A,k", "C,1", "C,k"])
def test_zero_is_tested_by_the_exact_f(model: str) -> None:
    """F(5, 15) = 11.03, as psych and SPSS have it."""
    test = icc(RATINGS, model=model).test()
    assert (test.method, test.degrees_of_freedom) == ("F", 15)
    assert test.p_value == pytest.approx(0.000134567, rel=1e-5)


def test_the_f_test_of_agreement_uses_satterthwaite_at_the_estimate() -> None:
    one = icc(RATINGS, model="A,1")
    tests = [one.test(null, method="mcgraw-wong") for null in (0.0, 0.5)]
    assert tests[0].degrees_of_freedom == tests[1].degrees_of_freedom == pytest.approx(4.785, 1e-3)


def test_consistency_of_means_is_cronbach_alpha() -> None:
    rng = np.random.default_rng(1)
    marks = rng.normal(size=(40, 1)) + rng.normal(size=(40, 5)) + rng.normal(size=5)
    variances = marks.var(axis=0, ddof=1).sum()
    alpha = 5 / 4 * (1 - variances / marks.sum(axis=1).var(ddof=1))
    ratings = cs.Ratings.from_wide(marks, scale="interval")
    assert icc(ratings, model="C,k").value == pytest.approx(alpha)


def test_one_way_of_complete_marks_is_krippendorff_alpha_but_for_its_small_sample_term() -> None:
    """Interval alpha is 1 - MSW / MST, with the total mean square in place of MSR."""
    one = icc(RATINGS, model="1")
    ms = one.mean_squares
    assert ms is not None
    total = (ms.msr * ms.df_r + ms.msw * ms.df_w) / (N * K - 1)
    alpha = cs.krippendorff_alpha(RATINGS, distance="interval").value
    assert alpha == pytest.approx(1 - ms.msw / total)


def test_error_of_measurement() -> None:
    one, mean = icc(RATINGS, model="A,1"), icc(RATINGS, model="A,k")
    ms = one.mean_squares
    assert ms is not None
    error = ms.mse + (ms.msc - ms.mse) / N
    assert one.standard_error_of_measurement == pytest.approx(math.sqrt(error))
    assert mean.standard_error_of_measurement == pytest.approx(math.sqrt(error / K))
    assert one.minimal_detectable_change() == pytest.approx(1.95996 * math.sqrt(2 * error), 1e-5)
    consistent = icc(RATINGS, model="C,1")
    assert consistent.standard_error_of_measurement == pytest.approx(math.sqrt(ms.mse))
