"""Estimate: a coefficient's value with everything needed to answer the next question."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from consilience._version import __version__
from consilience.coefficients import _errors as errors
from consilience.coefficients._base import Coefficient, Design
from consilience.distances import Distance, get_distance
from consilience.exceptions import (
    InputError,
    UndefinedCoefficientError,
    UndefinedCoefficientWarning,
    UnsupportedDesignError,
)
from consilience.inference import (
    Evaluation,
    Interval,
    Test,
    check_confidence_level,
    donner_eliasziw_interval,
    goodness_of_fit_interval,
    perfect_agreement_interval,
    profile_interval,
    wald_interval,
    wald_test,
)
from consilience.inference._compare import Comparison
from consilience.inference._intervals import Alternative
from consilience.inference._permutation import PermutationTest
from consilience.ratings import Ratings, as_ratings
from consilience.rows import reduce_to_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ON_UNDEFINED = ("warn", "raise", "ignore")
RESAMPLED = (
    "percentile",
    "basic",
    "bca",
    "studentised",
    "jackknife",
    "transformed",
    "hayes-krippendorff",
)
INTERVALS = ("auto", "analytic", "donner-eliasziw", "profile", *RESAMPLED)


@dataclass(frozen=True, slots=True)
class Basis:
    """What an estimate was computed from; kept for intervals, tests and influence."""

    coefficient: Coefficient
    ratings: Ratings
    distance: Distance
    evaluation: Evaluation
    design: Design
    population: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """One coefficient for one set of ratings.

    Attributes
    ----------
    value : float
        The coefficient, unrounded; NaN when `status` is "undefined".
    observed, expected : float or None
        Observed and expected agreement; with a distance d, agreement is 1 - d / max d.
    observed_disagreement, expected_disagreement : float or None
        The same as mean distances, in the distance's own units.
    standard_error : float
        NaN where it does not exist (one item, undefined value).
    status, reason
        "ok", or "undefined" with a reason that starts with a code (``no_variation: ...``).
    flags : tuple of str
        "boundary" when the value lies at the end of its range and the standard error is 0.
    """

    coefficient: str
    name: str
    value: float
    observed: float | None
    expected: float | None
    observed_disagreement: float | None
    expected_disagreement: float | None
    status: Literal["ok", "undefined"]
    reason: str | None
    standard_error: float
    standard_error_method: str
    n_items: int
    n_items_used: int
    n_raters: int
    n_ratings: int
    categories: tuple[object, ...]
    distance: str
    missing: str
    flags: tuple[str, ...] = ()
    interval_method: str = "analytic"
    n_resamples: int | None = None
    seed: int = 0
    version: str = __version__
    _basis: Basis = field(repr=False, compare=False)
    # Resampling takes seconds and is asked for by the table, the bar and the record alike.
    _drawn: dict[tuple[object, ...], Interval] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def __float__(self) -> float:
        return self.value

    def confidence_interval(
        self,
        confidence_level: float = 0.95,
        *,
        method: str | None = None,
        n_resamples: int | None = None,
        rng: Any = None,
        by: str = "item",
        clusters: Any = None,
        progress: Any = None,
    ) -> Interval:
        """Return a confidence interval that stays inside the coefficient's range.

        Parameters
        ----------
        confidence_level : float
        method : str, default `interval_method`, which is "analytic" unless asked otherwise
            "analytic": value ± quantile × standard error, normal with the error of Fleiss, Cohen
            & Everitt, else Student's t; where full agreement makes that error 0, Donner &
            Eliasziw's (two raters, two labels) or the Clopper-Pearson limit of observed agreement.
            "auto" picks the method that covered best for such a design, and its `note` says which
            and why. "percentile", "basic", "bca", "studentised": bootstrap. "jackknife": value ±
            t × the exact leave-one-item-out error; "transformed": the same on Fisher's scale,
            which keeps it inside (-1, 1). "donner-eliasziw": goodness of fit, for
            pi and alpha of nominal labels; "profile": likelihood, for kappa of two raters and two
            labels. By name only:
            "hayes-krippendorff", which resamples pairs as if they were independent.
        n_resamples : int, default 9,999 for "bca", 999 for "studentised", else 4,999
        rng : int or numpy.random.Generator, default `seed`
        by : {"item", "cluster", "rater", "both"}
            What the bootstrap draws; see `bootstrap`.
        clusters : one entry per item, with ``by="cluster"``
        progress : callable of (done, total), optional
        """
        level = check_confidence_level(confidence_level)
        method = check_interval_method(self.interval_method if method is None else method)
        why_not = self._why_no_interval(method, by)
        if why_not is not None:
            return Interval(math.nan, math.nan, level, method, why_not)
        if method == "auto" and by == "item" and not self._basis.ratings.has_sums_only:
            from consilience.coefficients._automatic import automatic_interval

            return automatic_interval(self, level)
        if method in RESAMPLED or by != "item":
            return self._resampled_interval(
                "percentile" if method in ("analytic", "auto") else method,
                level,
                n_resamples=self.n_resamples if n_resamples is None else n_resamples,
                rng=self.seed if rng is None else rng,
                by=by,
                clusters=clusters,
                progress=progress,
            )
        if method == "donner-eliasziw":
            return self._goodness_of_fit_interval(level)
        if method == "profile":
            return self._profile_interval(level)
        return self._analytic_interval(level)

    def _why_no_interval(self, method: str, by: str) -> str | None:
        if self.status == "undefined":
            return f"Undefined: {self.reason}."
        plain = method == "analytic" and by == "item" and math.isfinite(self.standard_error)
        return None if plain or self.n_items_used > 1 else "One item gives no interval."

    def _resampled_interval(self, method: str, level: float, **options: Any) -> Interval:
        """Resample, or remember: the same seed would give the same interval again."""
        from consilience.coefficients._resampled import resampled_interval

        wanted = (method, level, options["n_resamples"], options["rng"], options["by"])
        known = isinstance(options["rng"], int) and options["clusters"] is None
        if not known or wanted not in self._drawn:
            interval = resampled_interval(self, method, level, **options)
            if not known:
                return interval
            self._drawn[wanted] = interval
        return self._drawn[wanted]

    def _analytic_interval(self, level: float) -> Interval:
        if self.standard_error_method.endswith("-null"):
            raise UnsupportedDesignError.needs(
                "a confidence interval",
                "a standard error that holds at the estimated value",
                f"{self.standard_error_method!r}, which holds at 0 only",
                'compute the coefficient with standard_error="auto"',
            )
        if "boundary" in self.flags and self.value == 1.0:
            return self._perfect_interval(level)
        return wald_interval(
            self.value,
            self.standard_error,
            confidence_level=level,
            degrees_of_freedom=self._degrees_of_freedom(),
            lowest=self._basis.coefficient.lowest(self._basis.design),
            highest=1.0,
            method="analytic",
        )

    def test(self, null: float = 0.0, *, alternative: Alternative = "two-sided") -> Test:
        """Test a null value of the coefficient.

        For kappa of two raters and the null value 0, the error is the one that holds under it.
        """
        if not isinstance(null, Real) or not math.isfinite(null):
            raise InputError.expected("null", "a number", null, "for example null=0.6")
        method, error = self.standard_error_method, self.standard_error
        if method.endswith("-null") and null != 0.0:
            raise UnsupportedDesignError.needs(
                f"a test of {null:g}",
                "a standard error that holds at that value",
                f"{method!r}, which holds at 0 only",
                'compute the coefficient with standard_error="auto"',
            )
        if method == "fleiss-cohen-everitt" and null == 0.0 and self.status == "ok":
            method = "fleiss-cohen-everitt-null"
            error = errors.standard_error(method, self._basis)
        return wald_test(
            self.value,
            error,
            null=null,
            alternative=alternative,
            degrees_of_freedom=self._degrees_of_freedom(),
            method=method,
        )

    def permutation_test(
        self,
        *,
        alternative: str = "greater",
        n_resamples: int = 9_999,
        rng: Any = 0,
        exact: bool | None = None,
        progress: Any = None,
    ) -> PermutationTest:
        """Test against labels that have nothing to do with the items.

        Each rater keeps her labels and the items she rated; which item got which label is drawn
        anew. For two complete raters the distribution is enumerated where that is feasible
        (``exact=None``), and for two labels it is Fisher's exact test.

        Examples
        --------
        >>> from consilience import Ratings, cohen_kappa
        >>> e = cohen_kappa(Ratings.from_table([[24, 8], [14, 24]]))  # SIGIL unit 9
        >>> round(e.permutation_test().p_value, 5)
        0.00141
        """
        from consilience.coefficients._permuted import permutation_test

        return permutation_test(
            self,
            alternative=alternative,
            n_resamples=n_resamples,
            rng=rng,
            exact=exact,
            progress=progress,
        )

    def compare(self, other: Estimate) -> Comparison:
        """Compare with another coefficient of the same items: other minus this one.

        Raters, coefficient and distance may differ; items must be the same, in the same order.

        References
        ----------
        .. [1] Gwet, K. L. (2016). Testing the difference of correlated agreement coefficients for
           statistical significance. Educational and Psychological Measurement 76, 609-637.
           doi:10.1177/0013164415596420
        """
        from consilience.coefficients._compared import compare

        return compare(self, other)

    @property
    def p_value(self) -> float | None:
        """Two-sided p-value of no agreement beyond chance; None for raw agreement."""
        if not self._basis.coefficient.corrects_for_chance:
            return None
        p_value = self.test().p_value
        return p_value if math.isfinite(p_value) else None

    def item_influence(self) -> NDArray[np.float64]:
        """Return how far each item pulls the coefficient, to first order.

        The influence of an item is about (n - 1) times what leaving it out would change, with the
        sign turned: positive items raise the coefficient.
        """
        return errors.item_influence(self._basis)

    def to_dict(self, *, confidence_level: float = 0.95) -> dict[str, object]:
        """Return the record of this estimate as plain data with stable keys."""
        interval = self._interval_or_none(confidence_level)
        return {
            "coefficient": self.coefficient,
            "name": self.name,
            "distance": self.distance,
            "status": self.status,
            "reason": self.reason,
            "value": _finite(self.value),
            "observed": _finite(self.observed),
            "expected": _finite(self.expected),
            "standard_error": _finite(self.standard_error),
            "standard_error_method": self.standard_error_method,
            "interval": None if interval is None else interval.to_dict(),
            "p_value": self.p_value,
            "items_used": self.n_items_used,
            "missing": self.missing,
            "flags": list(self.flags),
        }

    def __repr__(self) -> str:
        size = f"n={self.n_items}×{self.n_raters}"
        if self.status == "undefined":
            return f"Estimate({self.coefficient} undefined, {self.reason}, {size})"
        interval = self._interval_or_none()
        if interval is None:
            return f"Estimate({self.coefficient}={self.value:.3f}, {size})"
        return (
            f"Estimate({self.coefficient}={self.value:.3f}, "
            f"95% CI {interval.low:.2f}..{interval.high:.2f}, {size})"
        )

    def _interval_or_none(self, confidence_level: float = 0.95) -> Interval | None:
        if self.standard_error_method.endswith("-null"):
            return None
        interval = self.confidence_interval(confidence_level)
        return interval if math.isfinite(interval.low) else None

    def _degrees_of_freedom(self) -> float | None:
        if self.standard_error_method.startswith(("fleiss", "observed", "perreault")):
            return None
        return float(max(self._sample_size() - 1, 1))

    def _sample_size(self) -> int:
        return errors.sample_size(self._basis)

    def _perfect_interval(self, level: float) -> Interval:
        table = errors.binary_table(self._basis)
        if table is not None and self._basis.coefficient.chance_from_margins:
            return donner_eliasziw_interval(*table, confidence_level=level)
        expected = self.expected if self._basis.coefficient.corrects_for_chance else 0.0
        interval = perfect_agreement_interval(
            self.n_items_used, expected or 0.0, confidence_level=level
        )
        lowest = self._basis.coefficient.lowest(self._basis.design)
        return replace(interval, low=max(interval.low, lowest))

    def _goodness_of_fit_interval(self, level: float) -> Interval:
        if not self._basis.coefficient.has_goodness_of_fit or not self._basis.design.nominal:
            raise UnsupportedDesignError.needs(
                'method="donner-eliasziw"',
                "pi or alpha of nominal labels",
                f"{self.coefficient} with the {self.distance!r} distance",
                'use method="auto"',
            )
        return goodness_of_fit_interval(self._basis.ratings, confidence_level=level)

    def _profile_interval(self, level: float) -> Interval:
        basis = self._basis
        if not basis.coefficient.needs_raters or not basis.design.nominal:
            raise UnsupportedDesignError.needs(
                'method="profile"',
                "Cohen's kappa of two raters and two labels",
                self.name,
                'use method="auto"',
            )
        return profile_interval(basis.ratings, confidence_level=level)


def check_interval_method(method: str) -> str:
    """Return the method if it exists."""
    if method not in INTERVALS:
        raise InputError.unknown_word("method", method, INTERVALS)
    return method


def _finite(number: float | None) -> float | None:
    return None if number is None or not math.isfinite(number) else number


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
    """Compute a coefficient, its standard error and the facts around it."""
    ratings = as_ratings(*data)
    if on_undefined not in _ON_UNDEFINED:
        raise InputError.unknown_word("on_undefined", on_undefined, _ON_UNDEFINED)
    methods = ("auto", *coefficient.standard_errors)
    if standard_error not in methods:
        raise InputError.unknown_word("standard_error", standard_error, methods)
    rule = _missing_rule(coefficient, missing)
    measure = _distance(coefficient, distance, ratings)
    used = _usable(coefficient, ratings, rule)
    coefficient = coefficient.fitted(used, rule)
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
    basis = Basis(coefficient, used, measure, evaluation, design, _population(population, used))
    result = _evaluate(basis, ratings, rule)
    if result.status == "undefined":
        _tell_undefined(result, on_undefined)
        return result
    return _with_error(result, standard_error)


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
        flags=("boundary",) if at_edge else (),
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


def _population(population: float | None, ratings: Ratings) -> float | None:
    if population is None:
        return None
    if not isinstance(population, Real) or not population >= ratings.n_items:
        raise InputError.expected(
            "population",
            f"at least the number of items rated ({ratings.n_items:,})",
            population,
            "give the number of items that these were drawn from",
        )
    return float(population)


def _why_undefined(basis: Basis, expected: float | None) -> str | None:
    form = basis.evaluation.source.form
    if basis.coefficient.needs_labels and basis.design.n_labels < 2:
        only = basis.ratings.categories[0] if basis.ratings.categories else None
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
        warnings.warn(message, UndefinedCoefficientWarning, stacklevel=4)
