"""How many items for a wanted half-width, from the variance of a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.core import arguments as check
from consilience.core.draws import RandomStream, check_resamples, seed_sequence
from consilience.core.labels import Note
from consilience.core.tails import quantile
from consilience.exceptions import Argument, InputError, Option, UnsupportedDesignError, Words
from consilience.plan._question import MOST_ITEMS, PrecisionPlan, Question, rounded_up
from consilience.plan._simulation import PilotStudies, Widths, search_width, studies_like
from consilience.ratings import as_ratings

_SMALL_PILOT = 30


def precision(q: Question) -> PrecisionPlan:
    """Return the items for an interval of a wanted half-width, judged by a pilot study.

    The pilot brings prevalence, missing ratings and the spread over items with it, for any
    coefficient and any distance.

    Notes
    -----
    On average: with V = n v, the variance v of the pilot's n items, N is the smallest number with
    q sqrt(V (1/N - 1/population)) at most the half-width, q being Student's t with N - 1 degrees of
    freedom for linearised errors, else the normal quantile z. With z this is n0 = z^2 V / E^2,
    reduced to n0 / (1 + n0 / population), which is `n_items_exact`. Not compared with the tables of
    [1]_.
    With an assurance, studies of N items like the pilot are drawn, each with the interval that it
    would report; how common the pilot's items are is drawn first, from its posterior, so that what
    a small pilot does not know counts too. With a population, clusters or a chosen error, the error
    of N items is taken to vary by the kurtosis k of the items' influences: half-widths grow by
    exp(z_a sqrt((k - 1) / N) / 2). Where the pilot's items go together, so do those of the study,
    in clusters of the same mean size.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics.
    """
    found, population = _estimate(q), q.population
    size, alike = found.n_items, _items_per_unit(found)
    null = found.standard_error_method.endswith("-null")
    if found.status != "ok" or null or not found.standard_error > 0.0:
        error = "one that holds at 0 only" if null else f"{found.standard_error:g}"
        raise UnsupportedDesignError.needs(
            "planning from a pilot",
            "a coefficient whose standard error is above 0 and holds at its value",
            found.reason or f"{found.name} {found.value:g} with standard error {error}",
            Words(
                "rate more items, or give ",
                Argument("kappa"),
                " and ",
                Option("method", "simulation"),
            ),
        )
    if population is not None and check.real_number("population", population) < size:
        raise InputError.expected(
            "population",
            f"at least the number of items of the pilot ({size:,})",
            population,
            "give the number of items that the study is drawn from",
        )
    variance = found.standard_error**2 * size
    if found._basis.population is not None:  # the pilot's own correction is not the study's
        variance /= 1.0 - size / found._basis.population
    planned = _planned(
        q,
        variance,
        student=found.degrees_of_freedom() is not None,
        wider=_varying_error(found, q.share_of_studies),
        alike=alike,
        method="linearised",
        coefficient=found.coefficient,
        name=found.name,
        value=found.value,
        n_raters=_raters_per_item(found),
        notes=tuple(_notes(found, size)),
    )
    if q.share_of_studies is None or population is not None:
        return planned
    studies = studies_like(found)
    return planned if studies is None else _drawn_from(studies, planned, q)


def _varying_error(found: Estimate, assurance: float | None) -> Callable[[int], float]:
    """Return by how much an assurance widens the intervals of N items."""
    if assurance is None:
        return lambda size: 1.0
    u, clusters = found.item_influence(), found._basis.ratings.clusters
    if clusters is not None:
        u = np.bincount(clusters.codes, np.nan_to_num(u)).astype(np.float64)
    u = u[np.isfinite(u)]
    u, alike = u - u.mean(), _items_per_unit(found)
    heavy = u.size * float((u**4).sum()) / float((u**2).sum()) ** 2
    z = quantile(assurance, None)
    return lambda size: math.exp(0.5 * z * math.sqrt(max(heavy - 1.0, 0.0) * alike / size))


def _items_per_unit(found: Estimate) -> float:
    """Return the mean number of items in a cluster of the pilot; 1 where each stands for itself."""
    clusters = found._basis.ratings.clusters
    return 1.0 if clusters is None else clusters.codes.size / clusters.n_clusters


def _drawn_from(studies: PilotStudies, planned: PrecisionPlan, q: Question) -> PrecisionPlan:
    """Plan again, now with studies like the pilot."""
    check_resamples(q.n_resamples)
    level, seed, size = q.confidence, seed_sequence(q.rng), planned.n_items

    def widths_at(size: int, n_studies: int | None = None) -> Widths:
        drawn = studies.each(size, n_studies or q.n_resamples, level, RandomStream.of(seed))
        limits = [(math.nan, math.nan) if one is None else one.limits(level) for one in drawn]
        widths = np.array([(high - low) / 2.0 for low, high in limits])
        return Widths.of(widths, limits, planned.assurance)

    if q.half_width is None:
        reached = widths_at(size)
    else:
        size, reached = search_width(widths_at, size, q.half_width, q.n_resamples)
    return replace(
        planned,
        method="drawn-pilot",
        n_items=size,
        n_items_exact=None,
        low=reached.low,
        high=reached.high,
        half_width=reached.half_width,
        n_resamples=q.n_resamples,
        share_undefined=reached.undefined,
    )


def precision_from_agreement(q: Question) -> PrecisionPlan:
    """Return a first sketch for two raters, when only two shares can be guessed.

    Chance agreement is estimated too, and treating it as known is rough.

    Notes
    -----
    V = P_o (1 - P_o) / (1 - P_e)^2, then as in `precision`. For an assurance P_o is moved towards
    1/2, where V is largest, by z_a sqrt(P_o (1 - P_o) / N).

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics.
    """
    agree = check.probability("observed", q.observed)
    chance, share = check.share("expected", q.expected), q.share_of_studies
    if chance == 1.0:
        raise InputError.expected("expected", "below 1", q.expected, "for example 0.5")
    spread = agree * (1.0 - agree)

    def wider(size: int) -> float:
        z = 0.0 if share is None else quantile(share, None)
        away = max(abs(agree - 0.5) - z * math.sqrt(spread / size), 0.0)
        return math.sqrt((0.25 - away**2) / spread)

    return _planned(
        q,
        spread / (1.0 - chance) ** 2,
        student=False,
        wider=wider,
        method="known-chance",
        coefficient="cohen_kappa" if chance else "percent_agreement",
        name="kappa" if chance else "agreement",
        value=(agree - chance) / (1.0 - chance),
        n_raters=2,
    )


def _planned(
    q: Question,
    variance: float,
    *,
    student: bool,
    wider: Callable[[int], float],
    value: float,
    alike: float = 1.0,  # items in a unit that is independent of the others
    **facts: Any,
) -> PrecisionPlan:
    level, total, size = q.confidence, q.population, q.size
    if total is not None:
        total = check.real_number("population", total, least=2.0)
    q.check_one_aim()

    def reach(size: int) -> float:
        t = quantile(0.5 + level / 2.0, max(size / alike - 1.0, 1.0) if student else None)
        left = max(1.0 / size - (1.0 / total if total else 0.0), 0.0)
        return t * wider(size) * math.sqrt(variance * left)

    if size is not None:
        exact = float(size)
    else:
        wanted = q.wanted_half_width
        alone = variance * (quantile(0.5 + level / 2.0, None) / wanted) ** 2
        exact = alone / (1.0 + alone / total) if total else alone
        size = _smallest(reach, wanted, rounded_up(exact))
    if total is not None and size > total:
        raise InputError.expected(
            "population", f"at least the number of items ({size:,})", q.population, "check it"
        )
    width = reach(size)
    return q.precision_plan(
        **facts,
        value=value,
        n_items=size,
        n_items_exact=exact,
        low=max(value - width, -1.0),
        high=min(value + width, 1.0),
        half_width=width,
        population=total,
        assurance=q.share_of_studies,
    )


def _smallest(reach: Any, wanted: float, start: int) -> int:
    """Return the smallest size whose reach is small enough; Student's t asks for a few more."""
    size = start
    while reach(size) > wanted * (1.0 + 1e-12) and size < MOST_ITEMS:
        size += max(1, size // 1000)
    while size > 2 and reach(size - 1) <= wanted:
        size -= 1
    return size


def _estimate(q: Question) -> Estimate:
    if not isinstance(q.pilot, Estimate):
        chosen = registry[q.coefficient or "krippendorff_alpha"]
        return estimate(chosen, (as_ratings(q.pilot),), **q.options, on_undefined="ignore")
    if q.options:
        raise InputError.expected(
            "options", "left out with an estimate", q.options, "pass the ratings instead"
        )
    return q.pilot


def _raters_per_item(found: Estimate) -> int:
    """Return how many raters rate an item: all, or in a crowd as many as one item has."""
    return max(2, round(found.n_ratings / max(found.n_items, 1)))


def _notes(found: Estimate, size: int) -> Iterator[Note]:
    if size < _SMALL_PILOT:
        yield Note(
            "small_pilot",
            f"The pilot has only {size} items, so its variance, and with it the plan, is "
            "uncertain. Plan again when more items have been rated.",
        )
    if "first_occasion" in found.flags:
        yield Note("first_occasion", "Of repeated ratings only the first counts here.")
