"""Every reference record of correlations, intraclass correlations and differences comes out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import consilience as cs
from consilience import magnitudes
from consilience.magnitudes._correlations import MeanCorrelation
from golden import Record, each, embedded, golden, ids, needs_golden

EMBEDDED = embedded("magnitudes")
OF_ANOTHER_PACKAGE = "anxiety"  # a data set of R irr


def marks_of(record: Record) -> cs.Ratings:
    if "table" in record.data:
        table = record.data["table"]
        scores = record.params.get("scores")
        categories = scores if isinstance(scores, list) else range(1, len(table) + 1)
        return cs.Ratings.from_table(table, categories=categories, scale="ordinal")
    if "ratings" in record.data:
        return cs.Ratings.from_wide(record.data["ratings"], scale="interval")
    rows = [[float(cell) for cell in line[1:]] for line in record.lines()[1:]]
    return cs.Ratings.from_wide(rows, scale="interval")


def check_icc(record: Record) -> None:
    params = record.params
    assert params.get("alpha", 0.05) == 0.05
    one = magnitudes.icc(marks_of(record), model=params.get("form") or params["mcgraw_wong"])
    test = one.test(params.get("r0", 0.0), method="mcgraw-wong")
    interval = one.confidence_interval(method="mcgraw-wong")
    assert one.mean_squares is not None
    record.check_all(
        value=one.value,
        F=test.statistic,
        df1=one.mean_squares.df_r,
        df2=test.degrees_of_freedom,
        p=test.p_value,
        ci_low=interval.low,
        ci_high=interval.high,
    )


def check_association(record: Record) -> None:
    marks = marks_of(record)
    got: dict[str, float] = {}
    for variant in "bc":
        tau = magnitudes.kendall_tau(marks, variant=variant)
        got |= {
            f"tau_{variant}": tau.value,
            f"tau_{variant}_ase1": tau.ase1,
            f"tau_{variant}_ase0": tau.ase0,
            f"tau_{variant}_T": tau.statistic,
            f"tau_{variant}_p": tau.p_value,
        }
    for correlation in (magnitudes.pearson, magnitudes.spearman):
        one, name = correlation(marks), correlation.__name__
        got |= {
            name: one.value,
            f"{name}_ase1": one.ase1,
            f"{name}_t": one.statistic,
            f"{name}_p": one.p_value,
        }
    record.check_all(**got)


def check_with_interval(
    measure: Callable[..., magnitudes.Magnitude], **options: Any
) -> Callable[[Record], None]:
    def check(record: Record) -> None:
        one = measure(marks_of(record), **options)
        interval = one.confidence_interval()
        record.check_all(
            value=one.value,
            p=one.p_value,
            ci_low=interval.low,
            ci_high=interval.high,
            ase1=one.standard_error,
        )

    return check


def check_kendall(record: Record) -> None:
    """R takes Kendall's variance over permutations where SPSS takes ASE0."""
    tau = magnitudes.kendall_tau(marks_of(record))
    record.check_all(value=tau.value, p=tau.test(method="kendall").p_value)


def check_kendall_w(record: Record) -> None:
    w = magnitudes.kendall_w(marks_of(record))
    record.check_all(value=w.value, chi2=w.chi_square, df=w.degrees_of_freedom, p=w.p_value)


def check_mean(measure: Callable[..., MeanCorrelation]) -> Callable[[Record], None]:
    def check(record: Record) -> None:
        assert record.params == {"fisher": True}
        record.check_all(value=measure(marks_of(record), average="fisher").value)

    return check


def check_ccc(record: Record) -> None:
    ccc = magnitudes.lin_ccc(marks_of(record))
    interval = ccc.confidence_interval()
    record.check_all(
        value=ccc.value,
        ci_low=interval.low,
        ci_high=interval.high,
        location_shift=ccc.location_shift,
        scale_shift=ccc.scale_shift,
        bias_correction_Cb=ccc.bias_correction,
    )


def check_bland_altman(record: Record) -> None:
    params = record.params
    marks = (params["x"], params["y"]) if "x" in params else (marks_of(record),)
    limits = magnitudes.bland_altman(*marks, multiplier=params["multiplier"])
    record.check_all(bias=limits.bias, sd=limits.sd, loa_low=limits.low, loa_high=limits.high)


def check_regression(record: Record) -> None:
    assert record.params == {"y": "M2", "x": "M1"}
    line = magnitudes.regression(marks_of(record), method="second-on-first")
    record.check_all(
        slope=line.slope,
        intercept=line.intercept,
        slope_se=line.slope_standard_error,
        intercept_se=line.intercept_standard_error,
        r2=line.r_squared,
    )


def check_differences(record: Record) -> None:
    gap = magnitudes.paired_differences(marks_of(record))
    interval, effect = gap.confidence_interval(), gap.d_z_interval()
    is_wilcoxon = record.coefficient == "wilcoxon_signed_rank"
    record.check_all(
        t=gap.statistic,
        df=gap.degrees_of_freedom,
        p=gap.wilcoxon_p if is_wilcoxon else gap.p_value,
        mean_diff=gap.value,
        ci_low=interval.low,
        ci_high=interval.high,
        V=gap.wilcoxon_v,
        d_z=gap.d_z,
        d_z_ci_low=effect.low,
        d_z_ci_high=effect.high,
        d_av_haley=gap.d_av,
        d_pooled=gap.d_pooled,
        hedges_J_exact=gap.hedges_j,
    )


def check_distance(record: Record) -> None:
    if "counts_by_abs_difference" not in record.params:  # no marks: only what the table prints
        printed = record.expected
        for l1, l2 in zip(printed["L1_printed"], printed["L2_printed"], strict=True):
            # Both are rounded: L1 to whole numbers, L2 to one decimal.
            rounding = 0.05 + (l1 + 0.5) ** 0.5 - l1**0.5
            assert l2 == pytest.approx(l1**0.5, abs=rounding), "L1 is the sum of squares"
        return
    counts = record.params["counts_by_abs_difference"]
    rows = [[4, 4 - int(gap)] for gap, count in counts.items() for _ in range(count)]
    distance = magnitudes.vector_distance(cs.Ratings.from_wide(rows, scale="interval"))
    record.check_all(
        simple_metric=distance.simple_metric,
        L1=distance.l1,
        L2=distance.l2,
        mean_abs_error=distance.mean_absolute_error,
        rmse=distance.root_mean_square_error,
    )


CHECKS: dict[str, Callable[[Record], None]] = {
    "icc": check_icc,
    "ordinal_association_ase": check_association,
    "stuart_tau_c": check_with_interval(magnitudes.kendall_tau, variant="c"),
    "gk_gamma": check_with_interval(magnitudes.goodman_kruskal_gamma),
    "pearson": check_with_interval(magnitudes.pearson),
    "spearman": check_with_interval(magnitudes.spearman),
    "pearson_chi2": check_with_interval(magnitudes.pearson_chi2),
    "kendall": check_kendall,
    "kendall_w": check_kendall_w,
    "mean_pearson": check_mean(magnitudes.mean_pearson),
    "mean_spearman": check_mean(magnitudes.mean_spearman),
    "lin_ccc": check_ccc,
    "bland_altman": check_bland_altman,
    "regression": check_regression,
    "paired_t": check_differences,
    "wilcoxon_signed_rank": check_differences,
    "effect_size_paired": check_differences,
    "vector_distance": check_distance,
}


ELSEWHERE = [
    record for record in golden(CHECKS) if (record.data or {}).get("name") == OF_ANOTHER_PACKAGE
]


@each(EMBEDDED)
def test_reference_record_is_reproduced(record: Record) -> None:
    CHECKS[record.coefficient](record)


@needs_golden
@each(ELSEWHERE)
def test_record_on_the_data_of_another_package_is_reproduced(record: Record) -> None:
    CHECKS[record.coefficient](record)


@needs_golden
def test_every_golden_record_of_magnitudes_is_here() -> None:
    assert ids(EMBEDDED) | ids(ELSEWHERE) == ids(golden(CHECKS))
