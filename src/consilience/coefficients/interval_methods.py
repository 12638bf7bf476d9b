"""Which interval an estimate gets: analytic, by likelihood, from resampling; and what it says."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from consilience.coefficients import errors
from consilience.coefficients.sureness import drawn, sureness_of
from consilience.core.arrays import dense
from consilience.core.interval import INTERVALS, RESAMPLED, IntervalMethod
from consilience.core.verdict import Gauge, Verdict, unjudged, verdict_on
from consilience.core.words import counted
from consilience.exceptions import UnsupportedDesignError
from consilience.inference import (
    Interval,
    perfect_agreement_interval,
    unanimity_interval,
    wald_interval,
)
from consilience.ratings.stores import NumberMatrix
from consilience.rows import MomentForm

if TYPE_CHECKING:
    from consilience.coefficients._estimate import Estimate

_FEWEST_ITEMS = 5
_OF_ANY_SCALE = ("undefined", "perfect", "no_interval", "no_better_than_chance")  # verdicts
_FEWEST_CARRIERS = 2  # items with a second label, from which on the default interval covers


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
    progress: Any,
) -> Interval:
    """Return the interval that is asked for; without limits, with a note, where there is none."""
    method = check_interval_method(estimate.interval_method if method == "auto" else method)
    if method == "auto" and error_was_chosen(estimate):
        method = "analytic"
    why_not = _why_no_interval(estimate, method, by)
    if why_not is not None:
        return Interval(math.nan, math.nan, level, method, why_not)
    if method == "auto" and by == "item" and not estimate._basis.ratings.has_sums_only:
        return automatic_interval(estimate, level)
    if by == "item" and estimate._basis.ratings.clusters is not None:
        by = "cluster" if method in _DRAWN else by
        _check_clustered(estimate, method)
    if method in RESAMPLED or by != "item":
        return _remembered_interval(
            estimate,
            "percentile" if method in ("analytic", "auto") else method,
            level,
            n_resamples=estimate.n_resamples if n_resamples is None else n_resamples,
            rng=estimate.seed if rng is None else rng,
            by=by,
            progress=progress,
        )
    make = INTERVALS[method].make
    return _analytic_interval(estimate, level) if make is None else make(estimate, level)


_DRAWN = ("percentile", "basic", "bca")  # those that can draw whole clusters
_ALONE = ("donner-eliasziw", "profile", "studentised", "hayes-krippendorff")


def _check_clustered(estimate: Estimate, method: str) -> None:
    """Refuse methods that take items to be independent of each other."""
    clusters = estimate._basis.ratings.clusters
    if clusters is not None and method in _ALONE:
        raise UnsupportedDesignError.needs(
            f"method={method!r}",
            "items that are independent of each other",
            f"items that share a {clusters.name}",
            'use method="auto", "analytic", "jackknife" or "bca"',
        )


def automatic_interval(estimate: Estimate, level: float) -> Interval:
    """Pick the interval that covered best for such a design, and say which and why."""
    found = sureness_of(estimate)
    if found is not None:
        low, high = found.limits(level)
        return Interval(low, high, level, found.method, found.note)
    if estimate.value == 1.0:
        interval, why = _full_agreement(estimate, level)
        return replace(interval, note=why)
    plain = estimate.confidence_interval(level, method="analytic")
    why = "Without one of the items the coefficient does not exist: only value ± error is left."
    return replace(plain, note=why)


def _dirichlet_interval(estimate: Estimate, level: float) -> Interval:
    """Return the posterior interval; refuse where there are too many rows, or values."""
    found = drawn(estimate)
    low, high = found.limits(level)
    return Interval(low, high, level, found.method, found.note)


def _full_agreement(estimate: Estimate, level: float) -> tuple[Interval, str]:
    """Return a lower limit where no pair of ratings differs."""
    plain = perfect_interval(estimate, level)
    basis = estimate._basis
    source = basis.evaluation.source
    clusters = basis.ratings.clusters
    if clusters is not None:
        return plain, (
            "All pairs agree, so only a lower limit can be told: that of Clopper and Pearson, each "
            f"{clusters.name} counted once."
        )
    if plain.method == "donner-eliasziw" or not source.in_memory:
        return plain, "All pairs agree, so only a lower limit can be told."
    from consilience.rows.distinct_rows import all_rows

    rows = all_rows(source)
    items = np.bincount(rows.ratings.astype(np.intp), weights=rows.multiplicity)
    chance = estimate.expected if basis.coefficient.corrects_for_chance else 0.0
    interval = unanimity_interval(
        {many: round(float(items[many])) for many in np.flatnonzero(items).tolist() if many > 1},
        chance or 0.0,
        # One label known is not to say that no other could have been given.
        n_labels=basis.design.n_labels if basis.design.n_labels > 1 else None,
        confidence_level=level,
    )
    lowest = basis.coefficient.lowest(basis.design)
    return replace(interval, low=max(interval.low, lowest)), (
        "All pairs agree, so only a lower limit can be told: that of Clopper and Pearson for the "
        "share of unanimous items, with as much disagreement as an item can show on the others."
    )


def items_with_a_second_label(estimate: Estimate) -> float:
    """Count items that somebody gave a label other than the most common one.

    Numbers that hardly repeat have no most common one, so this does not limit them.
    """
    source = estimate._basis.evaluation.source
    if not source.in_memory:
        return math.inf
    from consilience.rows.distinct_rows import all_rows

    rows = all_rows(source)
    if isinstance(rows.form, MomentForm):
        return math.inf
    common = int(np.argmax(np.asarray(rows.vectors @ rows.multiplicity)))
    modal = rows.vectors[[common]]
    modal = dense(modal).ravel()
    return float(rows.multiplicity @ ((modal < rows.ratings) & (rows.ratings >= 2.0)))


def error_was_chosen(estimate: Estimate) -> bool:
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
    known = isinstance(options["rng"], int)
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
    """Return the interval of full agreement, whose standard error is 0.

    Items that go together may be one answer given many times, so clusters count as the items do.
    """
    clusters = estimate._basis.ratings.clusters
    table = None if clusters is not None else errors.binary_table(estimate._basis)
    if table is not None and estimate._basis.coefficient.chance_from_margins:
        from consilience.inference import donner_eliasziw_interval

        return donner_eliasziw_interval(*table, confidence_level=level)
    expected = estimate.expected if estimate._basis.coefficient.corrects_for_chance else 0.0
    interval = perfect_agreement_interval(
        estimate.n_items_used if clusters is None else clusters.n_clusters,
        expected or 0.0,
        confidence_level=level,
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
    IntervalMethod("dirichlet", _dirichlet_interval),
    IntervalMethod("donner-eliasziw", _goodness_of_fit_interval),
    IntervalMethod("profile", _profile_interval),
    *map(IntervalMethod, RESAMPLED),
):
    INTERVALS.add(_method)


# ---------------------------------------------------------------- what an interval says


def too_few(one: Estimate) -> tuple[str, dict[str, object]] | None:
    """Say what is too little for an interval to rest on, with the numbers; None: there is enough.

    Parameters
    ----------
    one : Estimate

    Returns
    -------
    str and dict, or None

    Examples
    --------
    >>> from consilience import krippendorff_alpha
    >>> too_few(krippendorff_alpha([1, 2, 2], [1, 2, 1]))
    ('3 items are too few', {'items': 3})
    """
    ratings, n = one._basis.ratings, one.n_items_used
    if ratings.has_sums_only or one.status != "ok":
        return None
    evidence: dict[str, object] = {"items": n}
    if n < _FEWEST_ITEMS:
        return f"{counted(n, 'item')} {'is' if n == 1 else 'are'} too few", evidence
    if isinstance(ratings._store, NumberMatrix):
        return None
    carriers = items_with_a_second_label(one)
    if carriers >= _FEWEST_CARRIERS:
        return None
    evidence["items_with_a_second_label"] = carriers
    so_few = f"Only {carriers:,.0f}" if carriers else "None"
    what = f"{so_few} of {n:,} items got any label but the most common one: too few"
    return what, evidence


def verdict_of(one: Estimate, confidence_level: float = 0.95) -> Verdict:
    """Judge an estimate by its interval.

    Parameters
    ----------
    one : Estimate
    confidence_level : float, default 0.95

    Returns
    -------
    Verdict

    Examples
    --------
    >>> from consilience import Ratings, cohen_kappa
    >>> verdict_of(cohen_kappa(Ratings.from_table([[25, 24], [26, 25]]))).code
    'no_better_than_chance'
    """
    interval = one._shown_interval(confidence_level)
    coefficient, scarce = one._basis.coefficient, too_few(one)
    judged = verdict_on(
        one.name,
        one.value,
        interval,
        sample=counted(one.n_items_used, "item"),
        reason=None if one.reason is None else _without_code(one.reason),
        too_few="" if scarce is None else f"{scarce[0]}.",
    )
    if coefficient.chance_from_margins or judged.code in _OF_ANY_SCALE:
        return judged
    gauge = Gauge.of(one.name, one.value, interval)
    if coefficient.corrects_for_chance:
        why = "The thresholds that are quoted for kappa and alpha do not hold for it."
    else:
        why = "That is not corrected for chance, so it gets no verdict."
    return unjudged(gauge, why, "Look at Krippendorff's alpha beside it.")


def _without_code(reason: str) -> str:
    return (reason.partition(": ")[2] or reason).rstrip(".")
