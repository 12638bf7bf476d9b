"""How many items for a wanted half-width, from the variance of a pilot."""

from __future__ import annotations

import math
from typing import Any, Unpack

from consilience.coefficients import Estimate, estimate, registry
from consilience.core import checks as check
from consilience.core.keywords import ESTIMATE, EstimateOptions, written_out
from consilience.exceptions import Argument, InputError, Option, UnsupportedDesignError, Words
from consilience.inference import check_confidence_level, quantile
from consilience.plan._goodness_of_fit_size import MOST_ITEMS, rounded_up
from consilience.plan._plan_results import PrecisionPlan
from consilience.ratings import Note, Ratings, as_ratings

HALF_WIDTH_OR_ITEMS = Words("either ", Argument("half_width"), " or ", Argument("n_items"))

_SMALL_PILOT = 30


@written_out(EstimateOptions, ESTIMATE)
def precision(
    pilot: Estimate | Ratings | Any,
    *,
    half_width: float | None = None,
    n_items: int | None = None,
    coefficient: str = "krippendorff_alpha",
    confidence_level: float = 0.95,
    population: float | None = None,
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
    population : number of items that the study is drawn from, for the finite correction
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
    With V = n v, the variance v of the pilot's n items, N is the smallest number with
    q sqrt(V (1/N - 1/population)) at most the half-width, q being the quantile that the interval
    itself uses (Student's t with N - 1 degrees of freedom for linearised errors). With a normal
    quantile z this is n0 = z^2 V / E^2, reduced to n0 / (1 + n0 / population), which is
    `n_items_exact`. Worked out from the interval; not compared with the tables of [1]_.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics.

    Examples
    --------
    >>> from consilience import datasets
    >>> precision(datasets.load("fleiss_1971"), half_width=0.05, coefficient="fleiss").n_items
    138
    """
    found = _estimate(pilot, coefficient, options)
    size = found._sample_size()
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
    notes: tuple[Note, ...] = ()
    if size < _SMALL_PILOT:
        notes = (_small_pilot(size),)
    return _planned(
        variance,
        half_width=half_width,
        n_items=n_items,
        confidence_level=confidence_level,
        population=population,
        student=found._degrees_of_freedom() is not None,
        facts={
            "method": "linearised",
            "coefficient": found.coefficient,
            "name": found.name,
            "value": found.value,
            "n_raters": _raters_per_item(found),
            "notes": notes,
        },
    )


def precision_from_agreement(
    *,
    observed: float,
    expected: float = 0.0,
    half_width: float | None = None,
    n_items: int | None = None,
    confidence_level: float = 0.95,
    population: float | None = None,
) -> PrecisionPlan:
    """Items needed for a wanted half-width when only two shares can be guessed.

    Use it as a first sketch for two raters, before there is a pilot. Prefer `precision` or
    `simulated_precision`: chance agreement is estimated too, and treating it as known is rough.

    Parameters
    ----------
    observed : share of the items on which two raters will agree
    expected : share on which they would agree by chance; 0 plans for raw agreement
    half_width, n_items, confidence_level, population : as in `precision`

    Returns
    -------
    PrecisionPlan

    Raises
    ------
    InputError
        A number is out of range.

    Notes
    -----
    V = P_o (1 - P_o) / (1 - P_e)^2, then as in `precision`.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics.

    Examples
    --------
    >>> precision_from_agreement(observed=0.8, expected=0.5, half_width=0.1).n_items
    246
    """
    agree = check.probability("observed", observed)
    chance = check.share("expected", expected)
    if chance == 1.0:
        raise InputError.expected("expected", "below 1", expected, "for example 0.5")
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
) -> PrecisionPlan:
    level = check_confidence_level(confidence_level)
    total = None if population is None else check.real_number("population", population, least=2.0)
    if (half_width is None) == (n_items is None):
        raise InputError.expected(
            "the aim", HALF_WIDTH_OR_ITEMS, "both" if half_width else "neither",
            "give exactly one",
        )  # fmt: skip

    def reach(size: int) -> float:
        q = quantile(0.5 + level / 2.0, float(size - 1) if student else None)
        return q * math.sqrt(variance * max(1.0 / size - (1.0 / total if total else 0.0), 0.0))

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


def _small_pilot(size: int) -> Note:
    return Note(
        "small_pilot",
        f"The pilot has only {size} items, so its variance, and with it the plan, is uncertain. "
        "Plan again when more items have been rated.",
    )
