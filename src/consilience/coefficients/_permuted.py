"""Estimates against chance and null values: permutation and Monte Carlo tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import errors
from consilience.core.arrays import Floats, dense
from consilience.core.resample import Progress, Seed
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.null_model import GUESSES, NullModel, presences
from consilience.inference.null_value_tests import MonteCarloTest
from consilience.inference.null_value_tests import monte_carlo_test as draw_and_compare
from consilience.inference.permutation import (
    PermutationTest,
    rating_permutation_test,
    table_permutation_test,
)
from consilience.ratings import Ratings
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.stores import LongTable, NumberMatrix
from consilience.rows import Rows
from consilience.rows.distinct_rows import all_rows, in_order, order_of_labels

if TYPE_CHECKING:
    from consilience.coefficients._estimate import Basis, Estimate

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
            _listed(estimate),
            alternative=alternative,
            n_resamples=n_resamples,
            rng=rng,
            exact=exact,
            progress=progress,
        )
    if errors.two_complete_raters(basis):
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


def _listed(estimate: Estimate) -> Estimate:
    """Return the same estimate on ratings whose labels are listed."""
    from consilience.coefficients.compute import estimate as compute

    basis = estimate._basis
    coded = Ratings._make(basis.ratings._coded_parts())
    return compute(basis.coefficient, (coded,), distance=basis.distance)


def _entries(ratings: Ratings) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the ratings one by one: item, rater and label codes."""
    store = ratings._store
    if isinstance(store, NumberMatrix):
        store = store.coded[0]
    if isinstance(store, LongTable):
        return tuple(x.astype(np.int64) for x in (store.item, store.rater, store.label))  # type: ignore[return-value]
    codes = store.decode(store.matrix)  # type: ignore[union-attr]
    if store.multiplicity is not None:  # type: ignore[union-attr]
        codes = np.repeat(codes, store.multiplicity, axis=0)  # type: ignore[union-attr]
    item, rater = np.nonzero(codes >= 0)
    return item, rater, codes[item, rater].astype(np.int64)


# -------------------------------------------------------------------- null values


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
    if guesses is not None and guesses not in GUESSES:
        raise InputError.unknown_word("guesses", guesses, GUESSES)
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
