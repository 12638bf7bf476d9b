"""Estimates against chance and null values: permutation, Monte Carlo, critical values."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import uncertainty
from consilience.coefficients.coefficient import registry
from consilience.coefficients.estimates import Basis, Estimate, estimate
from consilience.core.arguments import check_word
from consilience.core.arrays import Floats, dense
from consilience.core.draws import Progress, Seed, is_whole
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.chance import (
    PermutationTest,
    rating_permutation_test,
    table_permutation_test,
)
from consilience.inference.intervals import check_confidence_level
from consilience.inference.null_value_tests import (
    GUESSES,
    MonteCarloTest,
    NullModel,
    Presence,
    StudyNull,
    drawn_studies,
    presences,
)
from consilience.inference.null_value_tests import monte_carlo_test as draw_and_compare
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.stores import LongTable, NumberMatrix
from consilience.rows import Rows
from consilience.rows.distinct_rows import all_rows, in_order, order_of_labels

# ---- Estimates against chance and null values: permutation and Monte Carlo tests.

_MOST_LABELS = 64  # guesses of more labels than these are not guesses of labels


def permutation_test(
    estimate: Estimate,
    *,
    alternative: str,
    n_resamples: int,
    rng: Seed,
    exact: bool | None,
    progress: Progress | None,
) -> PermutationTest:
    """Test a coefficient against labels that have nothing to do with the items."""
    basis = estimate._basis
    need_independent_items(
        "a permutation test", basis.ratings.clusters, instead="use test(), which allows for them"
    )
    source = basis.evaluation.source
    if estimate.status == "undefined" or not basis.ratings.raters:
        raise UnsupportedDesignError.needs(
            "a permutation test",
            "a defined coefficient of ratings whose raters are known",
            estimate.reason or "counts of ratings per item",
            "bring the ratings by rater",
        )
    if not source.in_memory:  # permuting needs labels, not moments
        return permutation_test(
            _listed(basis),
            alternative=alternative,
            n_resamples=n_resamples,
            rng=rng,
            exact=exact,
            progress=progress,
        )
    if uncertainty.two_complete_raters(basis):
        return table_permutation_test(
            basis.coefficient,
            basis.ratings.table(*basis.ratings.raters),
            source.form,
            source.metric,
            alternative=alternative,
            n_resamples=n_resamples,
            rng=rng,
            exact=exact,
        )
    return rating_permutation_test(
        basis.coefficient,
        estimate.value,
        _entries(basis.ratings),
        form=source.form,
        metric=source.metric,
        by_rater=basis.coefficient.needs_raters,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        progress=progress,
    )


def _listed(basis: Basis) -> Estimate:
    """Return the same estimate on ratings whose labels are listed."""
    coded = Ratings.of_parts(basis.ratings.coded_parts())
    return estimate(basis.coefficient, (coded,), distance=basis.distance)


def _entries(ratings: Ratings) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the ratings one by one: item, rater and label codes."""
    store = ratings.store
    if isinstance(store, NumberMatrix):
        store = store.coded[0]
    if isinstance(store, LongTable):
        return tuple(x.astype(np.int64) for x in (store.item, store.rater, store.label))  # type: ignore[return-value]
    codes = store.decode(store.matrix)  # type: ignore[union-attr]
    if store.multiplicity is not None:  # type: ignore[union-attr]
        codes = np.repeat(codes, store.multiplicity, axis=0)  # type: ignore[union-attr]
    item, rater = np.nonzero(codes >= 0)
    return item, rater, codes[item, rater].astype(np.int64)


# ---- null values


def monte_carlo_test(
    estimate: Estimate,
    *,
    null: float,
    alternative: str,
    guesses: str | None,
    n_resamples: int | None,
    rng: Seed,
    progress: Progress | None = None,
) -> MonteCarloTest:
    """Test a null value against studies drawn with it."""
    basis = estimate._basis
    need_independent_items(
        "a Monte Carlo test", basis.ratings.clusters, instead='use method="auto"'
    )
    source = basis.evaluation.source
    if guesses is not None:
        check_word("guesses", guesses, GUESSES)
    listed = source.in_memory and 2 <= source.form.size <= _MOST_LABELS
    if estimate.status == "undefined" or not listed or basis.coefficient.is_iterated:
        raise UnsupportedDesignError.needs(
            "a Monte Carlo test",
            f"a defined coefficient of 2 to {_MOST_LABELS} labels that is not fitted",
            estimate.reason or f"{estimate.name} of {source.form.size:,} labels",
            'use method="auto"',
        )
    model = _null_model(basis, guesses or basis.coefficient.guesses)
    return draw_and_compare(
        model,
        estimate.value,
        null=null,
        alternative=alternative,
        n_resamples=n_resamples,
        rng=rng,
        progress=progress,
    )


def _null_model(basis: Basis, guesses: str) -> NullModel:
    """Return studies like the one at hand: the same raters on as many items."""
    source, ratings = basis.evaluation.source, basis.ratings
    rows, _ = in_order(all_rows(source), ratings.raters)  # studies do not depend on any order
    named = basis.coefficient.needs_raters
    if guesses == "own" and not named:
        guesses = "pooled"  # nobody knows who gave which label
    n_raters = ratings.n_raters if named else int(rows.ratings.max())
    shares = _label_shares(rows, n_raters, named=named)
    return NullModel(
        statistic=basis.coefficient,
        form=source.form,
        metric=source.metric,
        who=presences(rows, n_raters, named=named),
        n_raters=n_raters,
        shares_rk=shares[:, order_of_labels(source.form)],
        guesses=guesses,
        by_rater=named,
    )


def _label_shares(rows: Rows, n_raters: int, *, named: bool) -> Floats:
    """Return how often each rater used each label; where nobody is named, all alike."""
    if named and rows.by_rater is not None:
        used = (dense(rows.by_rater) @ rows.multiplicity).reshape(n_raters, rows.form.size)
    else:
        used = np.tile(dense(rows.vectors) @ rows.multiplicity, (n_raters, 1))
    return np.asarray(used / np.maximum(used.sum(axis=1, keepdims=True), 1.0))


# ---- Critical values of any coefficient: how large it gets when raters guess.


def critical_values(
    coefficient: str = "kappa",
    *,
    n_items: int,
    n_raters: int = 2,
    n_categories: int = 2,
    null: float | None = None,
    prevalence: Sequence[float] | None = None,
    distance: Any = None,
    levels: Sequence[float] = (0.90, 0.95, 0.99),
    n_resamples: int = 20_000,
    rng: Seed = 0,
) -> StudyNull:
    """Critical values of a coefficient: what guessing hardly ever reaches, for a size of study.

    Use it to read kappa, pi, alpha or any other coefficient of few items, where dividing it by a
    standard error misleads. `inference.ac1_critical_values` counts those of AC1 where they can be
    counted, and `Estimate.test` with ``method="monte-carlo"`` takes the labels of a study.

    Parameters
    ----------
    coefficient : name or alias
    n_items, n_raters, n_categories : int
    null : float, optional
        The null value, such as 0.6: raters know as many items as give the coefficient this value in
        a very large study, and guess the others. Default: they guess all of them.
    prevalence : shares of the labels, optional
        How often each label is guessed, and is right; default all alike.
    distance : name or Distance, optional
        Labels are the numbers from 1.
    levels : sequence of float
        For each, the critical value is the smallest that such studies reach with a probability of
        at most 1 - level.
    n_resamples : int
        Simulated studies.
    rng : int or Generator

    Returns
    -------
    StudyNull

    Raises
    ------
    InputError
        An unknown coefficient, an impossible number, or shares that do not add up to 1.
    UnsupportedDesignError
        A coefficient that is fitted, or a null value that such raters cannot have.

    References
    ----------
    .. [1] Stegmann, J. & Lücking, A. (2005). Assessing reliability on annotations (1): theoretical
       considerations. SFB 360 report 2, Bielefeld University, section 2.2.2.

    Examples
    --------
    >>> guessing = critical_values("percent", n_items=12, n_resamples=2_000)
    >>> round(guessing[0.95] * 12)  # of two raters who toss coins
    10
    """
    one = registry[coefficient]
    _check_sizes(n_items, n_raters, n_categories, null)
    shares = _shares(prevalence, n_categories)
    if one.is_iterated:
        raise UnsupportedDesignError.needs(
            "critical values", "a coefficient that is not fitted", one.name, "choose another one"
        )
    model = _model(one.name, n_items, n_raters, shares, distance)
    return drawn_studies(
        model,
        coefficient=one.name,
        null=None if null is None else float(null),
        levels=[check_confidence_level(level) for level in levels],
        n_resamples=n_resamples,
        rng=rng,
    )


def _check_sizes(n_items: int, n_raters: int, n_categories: int, null: float | None) -> None:
    for what, number, least, most in (
        ("n_items", n_items, 1, math.inf),
        ("n_raters", n_raters, 2, math.inf),
        ("n_categories", n_categories, 2, _MOST_LABELS),
    ):
        if not is_whole(number) or not least <= number <= most:
            upper = "" if math.isinf(most) else f" and at most {most}"
            raise InputError.expected(
                what, f"a whole number of {least} or more{upper}", number, "check what was passed"
            )
    if null is not None and (not isinstance(null, Real) or not -1.0 < null < 1.0):
        raise InputError.expected("null", "a number below 1", null, "for example 0.6")


def _shares(prevalence: Sequence[float] | None, n_categories: int) -> Floats:
    if prevalence is None:
        return np.full(n_categories, 1.0 / n_categories)
    shares = np.asarray(prevalence, dtype=np.float64)
    fits = shares.shape == (n_categories,) and bool((shares > 0.0).all())
    if not fits or not math.isclose(float(shares.sum()), 1.0, abs_tol=1e-6):
        raise InputError.expected(
            "prevalence",
            f"{n_categories} shares above 0 that add up to 1",
            list(prevalence),
            "for example [0.9, 0.1]",
        )
    return np.asarray(shares / shares.sum())


def _model(name: str, n_items: int, n_raters: int, shares: Floats, distance: Any) -> NullModel:
    """Return raters who guess labels with these shares; the form of rows comes from a study."""
    k = len(shares)
    labels = [
        [1 + (item + rater * (item // k)) % k for rater in range(n_raters)] for item in range(2 * k)
    ]
    study = Ratings.from_wide(labels, categories=range(1, k + 1), scale="interval")
    basis = estimate(registry[name], (study,), distance=distance or "nominal")._basis
    source = basis.evaluation.source
    named = basis.coefficient.needs_raters
    guesses = basis.coefficient.guesses if np.ptp(shares) > 0.0 else "uniform"
    return NullModel(
        statistic=basis.coefficient,
        form=source.form,
        metric=source.metric,
        who=[Presence(tuple(range(n_raters)), n_items)],
        n_raters=n_raters,
        shares_rk=np.tile(shares, (n_raters, 1)),
        guesses="pooled" if guesses == "own" and not named else guesses,
        by_rater=named,
    )
