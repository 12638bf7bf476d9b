"""How many items for a wanted half-width, from the variance of a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Unpack

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.core import arguments as check
from consilience.core.draws import RandomStream, Seed, check_resamples, seed_sequence
from consilience.core.options import ESTIMATE, EstimateOptions, written_out
from consilience.exceptions import Argument, InputError, Option, UnsupportedDesignError, Words
from consilience.inference import check_confidence_level, quantile
from consilience.plan._plan_results import PrecisionPlan
from consilience.plan._power import MOST_ITEMS, rounded_up
from consilience.plan._simulation import (
    ASSURANCE,
    FEWEST,
    PilotStudies,
    Widths,
    check_assurance,
    check_one_aim,
    few_first,
    search_width,
    studies_like,
)
from consilience.ratings import Note, Ratings, as_ratings

_SMALL_PILOT = 30


@written_out(EstimateOptions, ESTIMATE)
def precision(
    pilot: Estimate | Ratings | Any,
    *,
    half_width: float | None = None,
    n_items: int | None = None,
    coefficient: str = "krippendorff_alpha",
    confidence_level: float = 0.95,
    assurance: float | None = ASSURANCE,
    population: float | None = None,
    n_resamples: int = 500,
    rng: Seed = None,
    **options: Unpack[EstimateOptions],
) -> PrecisionPlan:
    """Items needed for an interval of a wanted half-width, judged by a pilot study.

    Use it as soon as a few dozen items have been rated: the pilot brings prevalence, missing
    ratings and the spread over items with it, for any coefficient and any distance. Prefer
    `simulated_precision` when there is no pilot, or when the number of raters will change.

    Parameters
    ----------
    pilot : Estimate, Ratings, or anything that `Ratings.from_wide` takes
    half_width : the half-width that the interval should have
    n_items : int
        Instead: the size of the study whose half-width is wanted.
    coefficient : name or alias, where `pilot` is not an estimate
    confidence_level : float
    assurance : share, default 0.8
        Share of the studies whose interval is no wider; None or 0.5: they reach it on average.
    population : number of items that the study is drawn from, for the finite correction
    n_resamples, rng
        Number of studies like the pilot that are drawn for an assurance, and their seed.
    distance, missing, standard_error
        As in the coefficient, where `pilot` is not an estimate.

    Returns
    -------
    PrecisionPlan

    Raises
    ------
    UnsupportedDesignError
        The pilot has no standard error: the coefficient is undefined or the raters fully agree.

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

    Examples
    --------
    >>> from consilience import datasets
    >>> pilot = datasets.load("fleiss_1971")
    >>> precision(pilot, half_width=0.05, coefficient="fleiss", assurance=None).n_items
    138
    >>> 150 < precision(pilot, half_width=0.05, coefficient="fleiss", rng=1).n_items < 190
    True
    """
    found = _estimate(pilot, coefficient, options)
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
            "population", f"at least the number of items of the pilot ({size:,})", population,
            "give the number of items that the study is drawn from",
        )  # fmt: skip
    variance = found.standard_error**2 * size
    if found._basis.population is not None:  # the pilot's own correction is not the study's
        variance /= 1.0 - size / found._basis.population
    share = check_assurance(assurance)
    facts: dict[str, Any] = {
        "method": "linearised",
        "coefficient": found.coefficient,
        "name": found.name,
        "value": found.value,
        "n_raters": _raters_per_item(found),
        "notes": tuple(_notes(found, size)),
    }
    planned = _planned(
        variance,
        half_width=half_width,
        n_items=n_items,
        confidence_level=confidence_level,
        population=population,
        student=found._degrees_of_freedom() is not None,
        facts=facts,
        assurance=share,
        wider=_varying_error(found, share),
        alike=alike,
    )
    studies = studies_like(found) if share is not None and population is None else None
    if studies is None:
        return planned
    check_resamples(n_resamples)
    return _drawn_from(studies, planned, half_width, n_resamples, rng)


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


def _drawn_from(
    studies: PilotStudies,
    planned: PrecisionPlan,
    half_width: float | None,
    n_resamples: int,
    rng: Seed,
) -> PrecisionPlan:
    """Plan again, now with studies like the pilot."""
    level, seed = planned.confidence_level, seed_sequence(rng)

    def widths_at(size: int, n_studies: int | None = None) -> Widths:
        drawn = studies.each(size, n_studies or n_resamples, level, RandomStream.of(seed))
        limits = [(math.nan, math.nan) if one is None else one.limits(level) for one in drawn]
        widths = np.array([(high - low) / 2.0 for low, high in limits])
        return Widths.of(widths, limits, planned.assurance)

    size = planned.n_items
    if half_width is None:
        reached = widths_at(size)
    else:
        few = few_first(n_resamples)
        size, reached = search_width(widths_at, max(size, FEWEST), half_width, few, FEWEST)
    return replace(
        planned,
        method="drawn-pilot",
        n_items=size,
        n_items_exact=None,
        low=reached.low,
        high=reached.high,
        half_width=reached.half_width,
        n_resamples=n_resamples,
        share_undefined=reached.undefined,
    )


def precision_from_agreement(
    *,
    observed: float,
    expected: float = 0.0,
    half_width: float | None = None,
    n_items: int | None = None,
    confidence_level: float = 0.95,
    assurance: float | None = ASSURANCE,
    population: float | None = None,
) -> PrecisionPlan:
    """Items needed for a wanted half-width when only two shares can be guessed.

    Use it as a first sketch for two raters, before there is a pilot. Prefer `precision` or
    `simulated_precision`: chance agreement is estimated too, and treating it as known is rough.

    Parameters
    ----------
    observed : share of the items on which two raters will agree
    expected : share on which they would agree by chance; 0 plans for raw agreement
    half_width, n_items, confidence_level, assurance, population : as in `precision`

    Returns
    -------
    PrecisionPlan

    Raises
    ------
    InputError
        A number is out of range.

    Notes
    -----
    V = P_o (1 - P_o) / (1 - P_e)^2, then as in `precision`. For an assurance P_o is moved towards
    1/2, where V is largest, by z_a sqrt(P_o (1 - P_o) / N).

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics.

    Examples
    --------
    >>> precision_from_agreement(observed=0.8, expected=0.5, half_width=0.1).n_items
    265
    >>> average = {"assurance": None, "half_width": 0.1}
    >>> precision_from_agreement(observed=0.8, expected=0.5, **average).n_items
    246
    """
    agree = check.probability("observed", observed)
    chance = check.share("expected", expected)
    if chance == 1.0:
        raise InputError.expected("expected", "below 1", expected, "for example 0.5")
    share = check_assurance(assurance)

    def wider(size: int) -> float:
        spread = agree * (1.0 - agree)
        z = 0.0 if share is None else quantile(share, None)
        away = max(abs(agree - 0.5) - z * math.sqrt(spread / size), 0.0)
        return math.sqrt((0.25 - away**2) / spread)

    return _planned(
        agree * (1.0 - agree) / (1.0 - chance) ** 2,
        half_width=half_width,
        n_items=n_items,
        confidence_level=confidence_level,
        population=population,
        student=False,
        facts={
            "method": "known-chance",
            "coefficient": "cohen_kappa" if chance else "percent_agreement",
            "name": "kappa" if chance else "agreement",
            "value": (agree - chance) / (1.0 - chance),
            "n_raters": 2,
        },
        assurance=share,
        wider=wider,
    )


def _planned(
    variance: float,
    *,
    half_width: float | None,
    n_items: int | None,
    confidence_level: float,
    population: float | None,
    student: bool,
    facts: dict[str, Any],
    assurance: float | None,
    wider: Callable[[int], float],
    alike: float = 1.0,  # items in a unit that is independent of the others
) -> PrecisionPlan:
    level = check_confidence_level(confidence_level)
    total = None if population is None else check.real_number("population", population, least=2.0)
    check_one_aim(half_width, n_items)

    def reach(size: int) -> float:
        q = quantile(0.5 + level / 2.0, max(size / alike - 1.0, 1.0) if student else None)
        left = max(1.0 / size - (1.0 / total if total else 0.0), 0.0)
        return q * wider(size) * math.sqrt(variance * left)

    if n_items is not None:
        size, exact = check.whole_number("n_items", n_items, least=2), float(n_items)
    else:
        assert half_width is not None
        wanted = check.real_number("half_width", half_width, least=1e-6)
        alone = variance * (quantile(0.5 + level / 2.0, None) / wanted) ** 2
        exact = alone / (1.0 + alone / total) if total else alone
        size = _smallest(reach, wanted, rounded_up(exact))
    if total is not None and size > total:
        raise InputError.expected(
            "population", f"at least the number of items ({size:,})", population, "check it"
        )
    value, width = facts["value"], reach(size)
    return PrecisionPlan(
        **facts,
        n_items=size,
        n_items_exact=exact,
        low=max(value - width, -1.0),
        high=min(value + width, 1.0),
        half_width=width,
        confidence_level=level,
        population=total,
        assurance=assurance,
        solved_for="n_items" if n_items is None else "half_width",
    )


def _smallest(reach: Any, wanted: float, start: int) -> int:
    """Return the smallest size whose reach is small enough; Student's t asks for a few more."""
    size = start
    while reach(size) > wanted * (1.0 + 1e-12) and size < MOST_ITEMS:
        size += max(1, size // 1000)
    while size > 2 and reach(size - 1) <= wanted:
        size -= 1
    return size


def _estimate(pilot: Any, coefficient: str, options: EstimateOptions) -> Estimate:
    if not isinstance(pilot, Estimate):
        ratings = as_ratings(pilot)
        return estimate(registry[coefficient], (ratings,), **options, on_undefined="ignore")
    if options:
        raise InputError.expected(
            "options", "left out with an estimate", options, "pass the ratings instead"
        )
    return pilot


def _raters_per_item(found: Estimate) -> int:
    """Return how many raters rate an item: all, or in a crowd as many as one item has."""
    return max(2, round(found.n_ratings / max(found.n_items, 1)))


def _notes(found: Estimate, size: int) -> Iterator[Note]:
    if size < _SMALL_PILOT:
        yield _small_pilot(size)
    if "first_occasion" in found.flags:
        yield Note("first_occasion", "Of repeated ratings only the first counts here.")


def _small_pilot(size: int) -> Note:
    return Note(
        "small_pilot",
        f"The pilot has only {size} items, so its variance, and with it the plan, is uncertain. "
        "Plan again when more items have been rated.",
    )
