"""Every reference record of planning comes out, within its tolerance, from the public functions."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest

from consilience import plan
from consilience.plan._power import noncentrality
from golden import Record, each, embedded, golden, ids, needs_golden

EMBEDDED = embedded("planning")
# The non-centrality of kappaSize is off in the sixth digit. It is the same in every record, so
# that what it is divided by can still be compared to all digits.
KAPPASIZE_NONCENTRALITY = 7.848918181247
KAPPASIZE_ERROR = 1e-5


def check_goodness_of_fit_power(record: Record) -> None:
    params = record.params
    found = plan.plan(
        method="goodness-of-fit",
        kappa0=params["kappa0"],
        kappa1=params["kappa1"],
        prevalence=params.get("props", params.get("prevalence")),
        n_raters=params["raters"],
        significance_level=params["alpha"],
        power=params["power"],
    )
    assert found.n_items == math.ceil(record.expected["n"])
    assert found.n_items_exact == pytest.approx(record.expected["n"], rel=KAPPASIZE_ERROR)
    exact = noncentrality(params["power"], params["alpha"])
    assert exact == pytest.approx(KAPPASIZE_NONCENTRALITY, rel=KAPPASIZE_ERROR)
    assert found.n_items_exact is not None
    record.check("n", found.n_items_exact / exact * KAPPASIZE_NONCENTRALITY)


def check_goodness_of_fit_width(record: Record) -> None:
    params = record.params
    found = plan.plan(
        method="goodness-of-fit",
        kappa=params["kappa0"],
        low=params["kappaL"],
        high=params["kappaU"],
        prevalence=params["prevalence"],
        n_raters=params["raters"],
        confidence_level=1.0 - params["alpha"],
    )
    record.check("n", found.n_items)


def check_kappa_power(record: Record) -> None:
    params = record.params
    shares = params.get("margins", params.get("rate1"))
    found = plan.plan(
        method="cohen",
        kappa0=params["k0"],
        kappa1=params["k1"],
        prevalence=shares,
        other_prevalence=params.get("rate2", shares),
        significance_level=params["alpha"],
        power=params["power"],
        alternative="two-sided" if params["two_sided"] else "greater",
    )
    record.check("n", found.n_items)


def check_icc_power(record: Record) -> None:
    params = record.params
    found = plan.plan(
        coefficient="icc",
        kappa0=params["rho0"],
        kappa1=params["rho1"],
        n_raters=params["k"],
        n_items=params["n"],
        significance_level=params["alpha_one_sided"],
    )
    record.check("power", found.power)


CHECKS: dict[str, Callable[[Record], None]] = {
    "sample_size_gof_binary": check_goodness_of_fit_power,
    "sample_size_gof_3cat": check_goodness_of_fit_power,
    "sample_size_gof_ci_binary": check_goodness_of_fit_width,
    "sample_size_cantor_binary": check_kappa_power,
    "sample_size_flack": check_kappa_power,
    "icc_power_donner_eliasziw_1987": check_icc_power,
}


@each(EMBEDDED)
def test_reference_record_is_reproduced(record: Record) -> None:
    CHECKS[record.coefficient](record)


@needs_golden
def test_every_golden_record_of_planning_is_here() -> None:
    assert ids(EMBEDDED) == ids(golden(CHECKS))
