"""Estimates against chance: the permutation test of any coefficient."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import errors
from consilience.core.resample import Progress, Seed
from consilience.exceptions import UnsupportedDesignError
from consilience.inference.permutation import (
    PermutationTest,
    rating_permutation_test,
    table_permutation_test,
)
from consilience.ratings import Ratings
from consilience.ratings.stores import LongTable, NumberMatrix

if TYPE_CHECKING:
    from consilience.coefficients._estimate import Estimate


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
