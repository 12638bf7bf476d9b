"""From ratings to an estimate: what is refused, the value and its parts, the standard error."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NoReturn

from consilience.coefficients import errors
from consilience.coefficients._estimate import Basis, Estimate
from consilience.coefficients.coefficient import Coefficient, Design
from consilience.distances import Distance, get_distance
from consilience.exceptions import (
    InputError,
    UndefinedCoefficientError,
    UndefinedCoefficientWarning,
    UnsupportedDesignError,
    warn,
)
from consilience.inference import Evaluation
from consilience.ratings import Ratings, as_ratings
from consilience.rows import reduce_to_rows

_ON_UNDEFINED = ("warn", "raise", "ignore")


def estimate(
    coefficient: Coefficient,
    data: tuple[Any, ...],
    *,
    distance: Any = None,
    missing: str | None = None,
    standard_error: str = "auto",
    population: float | None = None,
    on_undefined: str = "warn",
) -> Estimate:
    """Compute a coefficient, its standard error and the facts around it.

    Parameters
    ----------
    coefficient : Coefficient
        An entry of the registry.
    data : tuple
        What the function of the coefficient is called with: ratings, or sequences of labels.
    distance, missing, standard_error, population, on_undefined
        As for the coefficients themselves.

    Returns
    -------
    Estimate

    Examples
    --------
    >>> from consilience.coefficients import registry
    >>> estimate(registry["scott_pi"], ([1, 2, 2, 1], [1, 2, 1, 1])).value.__round__(3)
    0.467
    """
    ratings = as_ratings(*data)
    setting = checked_setting(
        coefficient,
        ratings,
        distance=distance,
        missing=missing,
        standard_error=standard_error,
        on_undefined=on_undefined,
    )
    coefficient, measure, rule, used = (
        setting.coefficient,
        setting.distance,
        setting.rule,
        setting.used,
    )
    source = reduce_to_rows(
        used, measure, by_rater=coefficient.needs_raters, labels_needed=coefficient.needs_labels
    )
    evaluation = Evaluation(coefficient.terms(source.form), source)
    if evaluation.n_pairable == 0:
        _refuse_no_pairs(coefficient, ratings)
    design = Design(
        used.n_raters,
        len(used.categories) if coefficient.needs_labels or source.in_memory else 0,
        measure.name == "nominal",
        source.ratings_per_item,
    )
    size = checked_population(population, used.n_items, "items rated")
    basis = Basis(coefficient, used, measure, evaluation, design, size)
    result = _evaluate(basis, ratings, rule)
    if result.status == "undefined":
        _tell_undefined(result, on_undefined)
        return result
    return _with_error(result, standard_error)


@dataclass(frozen=True)
class Setting:
    """What was asked for, checked against the ratings."""

    coefficient: Coefficient  # with what it must know of the design
    distance: Distance
    rule: str  # for missing ratings
    used: Ratings


def checked_setting(
    coefficient: Coefficient,
    ratings: Ratings,
    *,
    distance: Any,
    missing: str | None,
    standard_error: str,
    on_undefined: str,
    **_: Any,
) -> Setting:
    """Refuse what does not fit together, and return what will be used."""
    if on_undefined not in _ON_UNDEFINED:
        raise InputError.unknown_word("on_undefined", on_undefined, _ON_UNDEFINED)
    methods = ("auto", *coefficient.standard_errors)
    if standard_error not in methods:
        raise InputError.unknown_word("standard_error", standard_error, methods)
    rule = _missing_rule(coefficient, missing)
    measure = _distance(coefficient, distance, ratings)
    used = _usable(coefficient, ratings, rule)
    return Setting(coefficient.fitted(used, rule), measure, rule, used)


def _evaluate(basis: Basis, ratings: Ratings, rule: str) -> Estimate:
    coefficient, evaluation = basis.coefficient, basis.evaluation
    form = evaluation.source.form
    numbers = evaluation.numbers
    observed = float(coefficient.observed(numbers, form))
    chance = coefficient.corrects_for_chance
    expected = float(coefficient.expected(numbers, form)) if chance else None
    reason = _why_undefined(basis, expected) if chance else None
    # A coefficient of 1 is 1 exactly, whatever rounding did to its parts.
    value = math.nan if reason else float(coefficient.value(numbers, form))
    if not reason and observed <= 1e-15 * (form.maximum or 1.0):
        value = 1.0
    widest = form.maximum or 1.0
    return Estimate(
        coefficient=coefficient.name,
        name=coefficient.title(basis.design),
        value=value,
        observed=1.0 - observed / widest,
        expected=None if expected is None else 1.0 - expected / widest,
        observed_disagreement=observed,
        expected_disagreement=expected,
        status="undefined" if reason else "ok",
        reason=reason,
        standard_error=math.nan,
        standard_error_method="none",
        n_items=ratings.n_items,
        n_items_used=evaluation.n_pairable,
        n_raters=basis.ratings.n_raters,
        n_ratings=ratings.n_ratings,
        categories=ratings.categories if basis.design.n_labels else (),
        distance=basis.distance.name,
        missing=rule,
        flags=("first_occasion",) if len(ratings.occasions) > 1 else (),
        _basis=basis,
    )


def _with_error(result: Estimate, method: str) -> Estimate:
    basis = result._basis
    chosen = errors.default_method(basis) if method == "auto" else method
    error = errors.standard_error(chosen, basis)
    if result.value == 1.0 and math.isfinite(error) and not chosen.endswith("-null"):
        error = 0.0  # nothing can pull at full agreement: what is left is rounding
    at_edge = error == 0.0 and (
        result.value == 1.0 or math.isclose(result.value, basis.coefficient.lowest(basis.design))
    )
    if basis.coefficient.at_boundary(basis.evaluation.numbers, basis.evaluation.source.form):
        error, at_edge = math.nan, True
    return replace(
        result,
        standard_error=error,
        standard_error_method=chosen,
        flags=(*result.flags, "boundary") if at_edge else result.flags,
    )


def _distance(coefficient: Coefficient, distance: Any, ratings: Ratings) -> Distance:
    if not coefficient.nominal_only:
        return get_distance(distance, scale=ratings.scale)
    measure = get_distance("nominal" if distance is None else distance, scale=ratings.scale)
    if measure.name != "nominal":
        raise UnsupportedDesignError.needs(
            coefficient.name,
            "labels that are equal or not",
            f"the {measure.name!r} distance",
            "leave out distance=, or use krippendorff_alpha",
        )
    return measure


def _missing_rule(coefficient: Coefficient, missing: str | None) -> str:
    rules = coefficient.missing_rules
    if missing is None:
        return rules[0]
    if missing not in rules:
        raise InputError.unknown_word(f"missing (for {coefficient.name})", missing, rules)
    return missing


def _usable(coefficient: Coefficient, ratings: Ratings, rule: str) -> Ratings:
    reason = coefficient.supports(ratings)
    if reason is not None:
        what, _, got = reason.partition(", got ")
        raise UnsupportedDesignError(
            f"{coefficient.name} {what}. Got {got}. Hint: {_design_hint(coefficient, ratings)}."
        )
    used = ratings.active()
    used = used.complete() if rule == "listwise" and used.raters else used
    if used.n_ratings == 0:
        _refuse_no_pairs(coefficient, ratings)
    return used


def _design_hint(coefficient: Coefficient, ratings: Ratings) -> str:
    if coefficient.needs_raters and not ratings.raters:
        return "use scott_pi, krippendorff_alpha or gwet_ac, which do not ask who rated"
    if coefficient.two_raters_only and ratings.n_raters > 2:
        return f"choose two with ratings.select(raters={list(ratings.raters[:2])!r})"
    return "check that rows are items and columns are raters"


def _refuse_no_pairs(coefficient: Coefficient, ratings: Ratings) -> NoReturn:
    raise UnsupportedDesignError.needs(
        coefficient.name,
        "at least one item with two ratings",
        f"{ratings.n_items:,} items, {ratings.n_raters:,} raters, {ratings.n_ratings:,} ratings "
        "and no item that can be compared",
        "let at least two raters rate the same items",
    )


def checked_population(population: float | None, n_drawn: int, what: str) -> float | None:
    """Return the size of the population that items or raters were drawn from, if it can be it."""
    if population is None:
        return None
    if not isinstance(population, Real) or not population >= n_drawn:
        raise InputError.expected(
            "population",
            f"at least the number of {what} ({n_drawn:,})",
            population,
            "give the number that these were drawn from",
        )
    return float(population)


def _why_undefined(basis: Basis, expected: float | None) -> str | None:
    form = basis.evaluation.source.form
    if basis.coefficient.needs_labels and basis.design.n_labels < 2:
        (only,) = basis.ratings.categories
        return (
            f"one_category: only one category ({only!r}) is known, so chance agreement is 1. "
            "Declare the categories that could have been used"
        )
    if expected is None or not expected <= 1e-14 * (form.maximum or 1.0):
        return None
    return (
        "no_variation: all ratings that count are the same, so chance agreement is 1 and nothing "
        "is left to measure. Rate items that differ, or report percent agreement"
    )


def _tell_undefined(result: Estimate, on_undefined: str) -> None:
    message = f"{result.name} is undefined: {result.reason}."
    if on_undefined == "raise":
        raise UndefinedCoefficientError(message)
    if on_undefined == "warn":
        warn(message, UndefinedCoefficientWarning)


def named_distance(distance: Any) -> Any:
    """Return a distance that a weighted coefficient was given; there is no default to fall back on.

    Programs take linear weights, quadratic weights or none where nothing is said.
    """
    if distance is None:
        hint = 'add distance="linear" or distance="quadratic"'
        raise InputError.expected("distance", "named, as programs differ in theirs", None, hint)
    return distance


def need_raters(what: str, data: Ratings) -> None:
    """Refuse counts that do not say who rated."""
    if not data.raters:
        raise UnsupportedDesignError.needs(
            what,
            "to know who gave which rating",
            "counts per item",
            "bring the ratings in long or wide form",
        )
