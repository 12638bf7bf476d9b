"""From ratings to an estimate, and the estimate with all it takes to answer the next question."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np

from consilience._version import __version__
from consilience.coefficients import uncertainty
from consilience.coefficients.coefficient import Coefficient, Design
from consilience.coefficients.uncertainty import (
    chosen_interval,
    error_was_chosen,
    sureness_of,
    verdict_of,
)
from consilience.core.arguments import check_word
from consilience.core.result import Result
from consilience.core.verdict import Verdict
from consilience.core.words import counted, interval_head
from consilience.distances import Distance, get_distance
from consilience.document import Document, Finding, Paragraph, Range, Table
from consilience.document.blocks import Block, Cell, InPlace
from consilience.document.records import plain_record
from consilience.exceptions import (
    InputError,
    UndefinedCoefficientError,
    UndefinedCoefficientWarning,
    UnsupportedDesignError,
    warn,
)
from consilience.inference import Interval, Test
from consilience.inference.influence import Evaluation
from consilience.inference.intervals import (
    ALTERNATIVES,
    METHODS,
    Alternative,
    check_confidence_level,
    wald_test,
)
from consilience.ratings import Ratings, as_ratings
from consilience.rows import reduce_to_rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from consilience.inference.chance import PermutationTest
    from consilience.inference.comparisons import Comparison

# ---- Estimate: a coefficient's value with everything needed to answer the next question.


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
class Estimate(Result):
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
    interval_method: str = "auto"
    n_resamples: int | None = None
    seed: int = 0
    version: str = __version__
    _basis: Basis = field(repr=False, compare=False)
    # Resampling takes seconds and is asked for by the table, the bar and the record alike.
    _drawn: dict[tuple[object, ...], Interval] = field(
        default_factory=dict, init=False, repr=False, compare=False
    )

    def confidence_interval(
        self,
        confidence_level: float = 0.95,
        method: str = "auto",
        *,
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
        method : str, default "auto"
            "auto" is the method that was asked for when the value was computed
            (`interval_method`), else the one that covered best for such a design; its `note` says
            which and why. It is "analytic" where a standard error or a population was asked for.
            "analytic": value ± quantile × standard error, normal with the error of Fleiss, Cohen
            & Everitt, else Student's t; where full agreement makes that error 0, Donner &
            Eliasziw's (two raters, two labels) or the Clopper-Pearson limit of observed agreement.
            "percentile", "basic", "bca", "studentised": bootstrap. "jackknife": value ±
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
        one = self if clusters is None else self.with_clusters(clusters)
        return chosen_interval(
            one, level, method=method, n_resamples=n_resamples, rng=rng, by=by, progress=progress
        )

    def with_clusters(self, clusters: Any, name: str = "cluster") -> Estimate:
        """Return the estimate for items that share a patient, a document, a recording.

        The value stays; errors, intervals and tests allow for what such items have in common.

        Parameters
        ----------
        clusters : sequence with one entry per item, or a mapping from the items' names
        name : str

        Examples
        --------
        >>> from consilience import Ratings, cohen_kappa
        >>> r = Ratings.from_wide([[1, 1], [1, 1], [0, 0], [0, 0], [1, 0], [1, 0], [0, 0], [1, 1]])
        >>> e = cohen_kappa(r)
        >>> by_patient = e.with_clusters([1, 1, 2, 2, 3, 3, 4, 4], "patient")
        >>> by_patient.standard_error > e.standard_error
        True
        """
        basis = self._basis
        known = replace(basis, ratings=basis.ratings.with_clusters(clusters, name))
        error, method = math.nan, self.standard_error_method
        if self.status == "ok":
            method = uncertainty.default_method(known)
            error = uncertainty.standard_error(method, known)
        return replace(self, standard_error=error, standard_error_method=method, _basis=known)

    def test(
        self,
        null: float = 0.0,
        *,
        alternative: Alternative = "two-sided",
        method: str = "auto",
        guesses: str | None = None,
        n_resamples: int | None = None,
        rng: Any = None,
        progress: Any = None,
    ) -> Test:
        """Test a null value of the coefficient.

        Parameters
        ----------
        null : float
        alternative : {"two-sided", "greater", "less"}
        method : {"auto", "analytic", "monte-carlo"}
            "auto" goes with the interval: p is at most 1 - level exactly when the null value lies
            outside the default interval of that level. "analytic" divides by the standard error;
            for kappa of two raters and the null value 0 it is the one that holds under it.
            "monte-carlo" draws studies of the same size in which the coefficient has the null
            value, because raters know so many of the items and guess the others; it returns a
            `MonteCarloTest` with critical values.
        guesses : {"uniform", "pooled", "own"}, optional
            With "monte-carlo", what raters say who guess: any label alike (default for AC1 and S),
            labels as often as all use them (pi, alpha), or as often as each rater does (kappa).
        n_resamples, rng, progress
            With "monte-carlo": studies to draw, seed (default `seed`), and whom to tell.

        Notes
        -----
        With unequal margins pi, alpha and AC1 of independent raters are not 0: a small p-value
        says that the coefficient differs from 0, not that the raters know of each other.

        Examples
        --------
        >>> from consilience import datasets, gwet_ac
        >>> ac1 = gwet_ac(datasets.load("di_eugenio_glass_2004_balanced"))
        >>> test = ac1.test(0.6, alternative="greater", method="monte-carlo")
        >>> round(test.critical_value(0.95), 2), test.p_value < 0.01
        (0.73, True)
        """
        if not isinstance(null, Real) or not math.isfinite(null):
            raise InputError.expected("null", "a number", null, "for example null=0.6")
        check_word("alternative", alternative, ALTERNATIVES)
        check_word("method", method, METHODS)
        if method == "monte-carlo":
            from consilience.coefficients._against_chance import monte_carlo_test

            return monte_carlo_test(
                self,
                null=float(null),
                alternative=alternative,
                guesses=guesses,
                n_resamples=n_resamples,
                rng=self.seed if rng is None else rng,
                progress=progress,
            )
        found = None
        if method == "auto" and self.interval_method == "auto" and not error_was_chosen(self):
            found = sureness_of(self)
        if found is None:
            return self._analytic_test(float(null), alternative)
        p_value = found.p_value(float(null), alternative)
        return Test(math.nan, p_value, float(null), alternative, found.method)

    def _analytic_test(self, null: float, alternative: Alternative) -> Test:
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
            error = uncertainty.standard_error(method, self._basis)
        return wald_test(
            self.value,
            error,
            null=null,
            alternative=alternative,
            degrees_of_freedom=self.degrees_of_freedom(),
            method=method,
        )

    def probability_above(self, threshold: float) -> float:
        """Return the posterior probability that the coefficient exceeds a threshold.

        Parameters
        ----------
        threshold : float

        Examples
        --------
        >>> from consilience import Ratings, cohen_kappa
        >>> e = cohen_kappa(Ratings.from_table([[40, 5], [5, 50]]))
        >>> round(e.probability_above(0.6), 2)
        1.0
        """
        found = sureness_of(self)
        return math.nan if found is None else found.probability_above(float(threshold))

    @property
    def basis(self) -> Basis:
        """What it was computed from: the ratings, their rows, the coefficient."""
        return self._basis

    @property
    def normal_score(self) -> Callable[[NDArray[np.float64]], NDArray[np.float64]] | None:
        """The normal score of the default test at null values, where there is such a test."""
        found = None if error_was_chosen(self) else sureness_of(self)
        return None if found is None else found.normal_score

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
        from consilience.coefficients._against_chance import permutation_test

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
        from consilience.coefficients.resampled import compare

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
        return uncertainty.item_influence(self._basis)

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What to know before the number is believed; `measure` looks at the ratings as well."""
        if self.reason is not None:
            code, _, message = self.reason.partition(": ")
            return (Finding(code, "problem", f"There is no value: {message or code}."),)
        told = (
            Finding("boundary", "caution", _BOUNDARY),
            Finding("first_occasion", "info", _FIRST_OCCASION),
        )
        return tuple(one for one in told if one.code in self.flags)

    @property
    def verdict(self) -> Verdict:
        """What the interval says against the thresholds that are quoted, and what to do next."""
        return verdict_of(self)

    def document(self, *, confidence_level: float = 0.95) -> Document:
        """Return the estimate as something to read."""
        shown = self.interval_shown(confidence_level)
        row: list[Cell] = [
            self.name,
            InPlace("undefined") if self.status == "undefined" else self.value,
            None if shown is None else Range.of(shown),
            self.observed,
            self.expected,
        ]
        heads = ("coefficient", "value", interval_head(confidence_level), "observed", "expected")
        sizes = (
            f"{counted(self.n_items, 'item')}, {counted(self.n_raters, 'rater')}, "
            f"{counted(self.n_ratings, 'rating')}; {self.distance} distance"
        )
        said = [Paragraph(shown.note)] if shown is not None and shown.note else []
        blocks: list[Block] = [Paragraph(sizes), Table(heads=heads, rows=[row]), *said]
        verdict = verdict_of(self, confidence_level)
        return Document(title=self.name, blocks=blocks, findings=self.findings, verdict=verdict)

    def to_dict(self, *, confidence_level: float = 0.95) -> dict[str, Any]:
        """Return the record of this estimate as plain data with stable keys."""
        interval = self.interval_shown(confidence_level)
        record = {
            "coefficient": self.coefficient,
            "name": self.name,
            "distance": self.distance,
            "status": self.status,
            "reason": self.reason,
            "value": self.value,
            "observed": self.observed,
            "expected": self.expected,
            "standard_error": self.standard_error,
            "standard_error_method": self.standard_error_method,
            "interval": interval,
            "p_value": self.p_value,
            "items_used": self.n_items_used,
            "missing": self.missing,
            "flags": self.flags,
        }
        return plain_record(record)

    def __repr__(self) -> str:
        size = f"n={self.n_items}×{self.n_raters}"
        if self.status == "undefined":
            return f"Estimate({self.coefficient} undefined, {self.reason}, {size})"
        interval = self.interval_shown()
        if interval is None:
            return f"Estimate({self.coefficient}={self.value:.3f}, {size})"
        return (
            f"Estimate({self.coefficient}={self.value:.3f}, "
            f"95% CI {interval.low:.2f}..{interval.high:.2f}, {size})"
        )

    def __str__(self) -> str:
        return repr(self)

    def degrees_of_freedom(self) -> float | None:
        """Return those of Student's t for the interval; None for the normal distribution."""
        if self.standard_error_method.startswith(("fleiss", "observed", "perreault")):
            return None
        return float(max(self.sample_size() - 1, 1))

    def sample_size(self) -> int:
        """Return how many independent things the standard error counts."""
        return uncertainty.sample_size(self._basis)


_FIRST_OCCASION = "Of repeated ratings only the first counts here."
_BOUNDARY = "The value lies at the end of its range, where its error says nothing."


# ---- From ratings to an estimate: what is refused, the value and its parts, the standard error.

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
    check_word("on_undefined", on_undefined, _ON_UNDEFINED)
    methods = ("auto", *coefficient.standard_errors)
    check_word("standard_error", standard_error, methods)
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
    chosen = uncertainty.default_method(basis) if method == "auto" else method
    error = uncertainty.standard_error(chosen, basis)
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
    check_word(f"missing (for {coefficient.name})", missing, rules)
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
