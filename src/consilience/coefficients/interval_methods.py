"""Which interval an estimate gets: analytic, by likelihood, or from resampling."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from consilience.coefficients import errors
from consilience.core.registry import Registry
from consilience.exceptions import UnsupportedDesignError
from consilience.inference import (
    Interval,
    perfect_agreement_interval,
    wald_interval,
)

if TYPE_CHECKING:
    from consilience.coefficients._estimate import Estimate

RESAMPLED = (
    "percentile",
    "basic",
    "bca",
    "studentised",
    "jackknife",
    "transformed",
    "hayes-krippendorff",
)


@dataclass(frozen=True)
class IntervalMethod:
    """A way to make intervals; those from resampling have no function of their own."""

    name: str
    make: Callable[[Estimate, float], Interval] | None = None


INTERVALS: Registry[IntervalMethod] = Registry("method", group="intervals")


def check_interval_method(method: str) -> str:
    """Return the method if it exists."""
    return INTERVALS[method].name


def chosen_interval(
    estimate: Estimate,
    level: float,
    *,
    method: str,
    n_resamples: int | None,
    rng: Any,
    by: str,
    clusters: Any,
    progress: Any,
) -> Interval:
    """Return the interval that is asked for; without limits, with a note, where there is none."""
    method = check_interval_method(estimate.interval_method if method == "auto" else method)
    if method == "auto" and _error_was_chosen(estimate):
        method = "analytic"
    why_not = _why_no_interval(estimate, method, by)
    if why_not is not None:
        return Interval(math.nan, math.nan, level, method, why_not)
    if method == "auto" and by == "item" and not estimate._basis.ratings.has_sums_only:
        from consilience.coefficients.automatic import automatic_interval

        return automatic_interval(estimate, level)
    if method in RESAMPLED or by != "item":
        return _remembered_interval(
            estimate,
            "percentile" if method in ("analytic", "auto") else method,
            level,
            n_resamples=estimate.n_resamples if n_resamples is None else n_resamples,
            rng=estimate.seed if rng is None else rng,
            by=by,
            clusters=clusters,
            progress=progress,
        )
    make = INTERVALS[method].make
    return _analytic_interval(estimate, level) if make is None else make(estimate, level)


def _error_was_chosen(estimate: Estimate) -> bool:
    """Say whether an error was asked for that resampling items would pass over."""
    basis = estimate._basis
    asked = estimate.standard_error_method != errors.default_method(basis)
    return basis.population is not None or (asked and estimate.status == "ok")


def _why_no_interval(estimate: Estimate, method: str, by: str) -> str | None:
    if estimate.status == "undefined":
        return f"Undefined: {estimate.reason}."
    plain = method == "analytic" and by == "item" and math.isfinite(estimate.standard_error)
    return None if plain or estimate.n_items_used > 1 else "One item gives no interval."


def _remembered_interval(estimate: Estimate, method: str, level: float, **options: Any) -> Interval:
    """Resample, or remember: the same seed would give the same interval again."""
    from consilience.coefficients._resampled_estimates import resampled_interval

    wanted = (method, level, options["n_resamples"], options["rng"], options["by"])
    known = isinstance(options["rng"], int) and options["clusters"] is None
    if not known or wanted not in estimate._drawn:
        interval = resampled_interval(estimate, method, level, **options)
        if not known:
            return interval
        estimate._drawn[wanted] = interval
    return estimate._drawn[wanted]


def _analytic_interval(estimate: Estimate, level: float) -> Interval:
    if estimate.standard_error_method.endswith("-null"):
        raise UnsupportedDesignError.needs(
            "a confidence interval",
            "a standard error that holds at the estimated value",
            f"{estimate.standard_error_method!r}, which holds at 0 only",
            'compute the coefficient with standard_error="auto"',
        )
    if "boundary" in estimate.flags and estimate.value == 1.0:
        return perfect_interval(estimate, level)
    return wald_interval(
        estimate.value,
        estimate.standard_error,
        confidence_level=level,
        degrees_of_freedom=estimate._degrees_of_freedom(),
        lowest=estimate._basis.coefficient.lowest(estimate._basis.design),
        highest=1.0,
        method="analytic",
    )


def perfect_interval(estimate: Estimate, level: float) -> Interval:
    """Return the interval of full agreement, whose standard error is 0."""
    table = errors.binary_table(estimate._basis)
    if table is not None and estimate._basis.coefficient.chance_from_margins:
        from consilience.inference import donner_eliasziw_interval

        return donner_eliasziw_interval(*table, confidence_level=level)
    expected = estimate.expected if estimate._basis.coefficient.corrects_for_chance else 0.0
    interval = perfect_agreement_interval(
        estimate.n_items_used, expected or 0.0, confidence_level=level
    )
    lowest = estimate._basis.coefficient.lowest(estimate._basis.design)
    return replace(interval, low=max(interval.low, lowest))


def _goodness_of_fit_interval(estimate: Estimate, level: float) -> Interval:
    if not estimate._basis.coefficient.has_goodness_of_fit or not estimate._basis.design.nominal:
        raise UnsupportedDesignError.needs(
            'method="donner-eliasziw"',
            "pi or alpha of nominal labels",
            f"{estimate.coefficient} with the {estimate.distance!r} distance",
            'use method="auto"',
        )
    from consilience.inference import goodness_of_fit_interval

    return goodness_of_fit_interval(estimate._basis.ratings, confidence_level=level)


def _profile_interval(estimate: Estimate, level: float) -> Interval:
    basis = estimate._basis
    if not basis.coefficient.needs_raters or not basis.design.nominal:
        raise UnsupportedDesignError.needs(
            'method="profile"',
            "Cohen's kappa of two raters and two labels",
            estimate.name,
            'use method="auto"',
        )
    from consilience.inference import profile_interval

    return profile_interval(basis.ratings, confidence_level=level)


for _method in (
    IntervalMethod("auto"),
    IntervalMethod("analytic", _analytic_interval),
    IntervalMethod("donner-eliasziw", _goodness_of_fit_interval),
    IntervalMethod("profile", _profile_interval),
    *map(IntervalMethod, RESAMPLED),
):
    INTERVALS.add(_method)
