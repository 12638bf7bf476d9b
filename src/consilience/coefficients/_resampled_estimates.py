"""Estimates resampled: bootstrap, jackknife and the intervals that follow from them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import errors
from consilience.coefficients.interval_methods import perfect_interval
from consilience.coefficients.sureness import left_out
from consilience.core.arrays import dense, rounded
from consilience.core.draws import RandomStream
from consilience.core.resample import Progress, Seed, check_resamples, seed_sequence
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference import Evaluation, Interval, wald_interval
from consilience.inference.bootstrap_intervals import Bootstrap, Jackknife, pair_bootstrap_values
from consilience.inference.intervals import transformed_interval
from consilience.inference.replicates import (
    ClusterDraw,
    Draw,
    ItemDraw,
    Replicator,
    bootstrap_values,
    rater_bootstrap_values,
)
from consilience.ratings.clusters import need_independent_items
from consilience.rows import MatrixForm, MovingMetric, Rows, RowTable, item_rows, reduce_to_rows
from consilience.rows.distinct_rows import all_rows, join_rows

if TYPE_CHECKING:
    from consilience.coefficients._estimate import Basis, Estimate
    from consilience.ratings import Ratings

UNITS = ("item", "cluster", "rater", "both")
_MANY_RATERS = 200  # above, leaving out items exactly would take too long for kappa
# Which methods can draw something else than items.
_DRAWN_BY = {
    "cluster": ("percentile", "basic", "bca"),
    "rater": ("percentile", "basic"),
    "both": ("percentile", "basic"),
}
NEEDED = (
    "Without one of the items the coefficient does not exist, so its leave-one-out error does not "
    "either. Rate more items that differ."
)
ALL_AGREE = (
    "All pairs agree, in every resample too, so the lower limit is that of full agreement on as "
    "many items."
)
BEYOND = "This interval exists for values between -1 and 1 only (Fisher's transformation)."
_DEFAULT_RESAMPLES = {"bca": 9_999, "studentised": 999}


def bootstrap(
    *estimates: Estimate,
    n_resamples: int = 9_999,
    rng: Seed = None,
    by: str = "item",
    clusters: Sequence[object] | NDArray[Any] | None = None,
    progress: Progress | None = None,
) -> list[Bootstrap]:
    """Resample one or more estimates of the same ratings together, on the same draws.

    Parameters
    ----------
    *estimates : Estimate
        Coefficients of one and the same ratings.
    n_resamples : int
    rng : int or numpy.random.Generator
        The same seed gives the same bits, whatever the number of threads.
    by : {"item", "cluster", "rater", "both"}
        What is drawn with replacement: items, whole clusters of items (documents, recordings),
        raters, or items and raters. Copies of one rater are never paired with each other. Where
        items go together, clusters are drawn in place of items.
    clusters : sequence, one entry per item, default those of the ratings
    progress : callable of (done, total), optional

    Returns
    -------
    list of Bootstrap
        One for each estimate, in their order.

    Notes
    -----
    From a million items on, totals of resamples by item are drawn from their normal limit, with
    their exact means and covariances, provided each of them rests on ten thousand items or more;
    rarer labels and disagreements are drawn exactly.

    Examples
    --------
    >>> from consilience import datasets, gwet_ac, krippendorff_alpha
    >>> r = datasets.load("fleiss_1971")
    >>> alpha, ac1 = bootstrap(krippendorff_alpha(r), gwet_ac(r), n_resamples=5_000, rng=1)
    >>> round(alpha.standard_error, 2), alpha.n_undefined
    (0.05, 0)
    """
    if by not in UNITS:
        raise InputError.unknown_word("by", by, UNITS)
    _check_same_ratings(estimates)
    known = estimates[0]._basis.ratings
    if clusters is not None:
        known = known.with_clusters(clusters)
    if by == "item" and known.clusters is not None:
        by = "cluster"  # items that go together are no draws of their own
    if by == "cluster" and known.clusters is None:
        raise InputError.expected(
            "clusters",
            'given with by="cluster"',
            "none",
            "pass clusters=[...] with one entry per item, or ratings that have clusters",
        )
    if by == "both":
        need_independent_items('by="both"', known.clusters, instead='use by="cluster"')
    if by in ("rater", "both"):
        return [
            Bootstrap.of(e.value, _by_rater(e._basis, n_resamples, rng, by, progress), by)
            for e in estimates
        ]
    rows = _shared_rows(estimates, per_item=by == "cluster")
    clustered = known.clusters if by == "cluster" else None
    names = _by_name(known)
    draw: Draw = (
        ItemDraw.of(rows, names) if clustered is None
        else ClusterDraw.of(rows, clustered.codes, names)
    )  # fmt: skip
    replicators = [
        Replicator(e._basis.coefficient, errors.with_form(rows, e._basis), _metric(e._basis))
        for e in estimates
    ]
    values = bootstrap_values(
        replicators, draw, n_resamples=n_resamples, rng=rng, progress=progress
    )
    return [Bootstrap.of(e.value, v, by) for e, v in zip(estimates, values, strict=True)]


def jackknife(estimate: Estimate) -> Jackknife:
    """Leave out each item in turn, exactly.

    Parameters
    ----------
    estimate : Estimate

    Returns
    -------
    Jackknife
        The estimate without each item, its bias and its standard error.

    Examples
    --------
    >>> from consilience import scott_pi
    >>> left_out = jackknife(scott_pi([["a", "a"], ["b", "b"], ["a", "b"], ["b", "b"]]))
    >>> left_out.standard_error > 0
    True
    """
    return Jackknife(estimate.value, *left_out(estimate)[:2])


def resampled_interval(
    estimate: Estimate,
    method: str,
    level: float,
    *,
    n_resamples: int | None,
    rng: Seed,
    by: str,
    progress: Progress | None,
) -> Interval:
    """Return an interval by one of the resampling methods, inside the coefficient's range."""
    size = n_resamples if n_resamples is not None else _DEFAULT_RESAMPLES.get(method, 4_999)
    if method not in _DRAWN_BY.get(by, (method,)):
        raise InputError.expected(
            f'method with by="{by}"',
            " or ".join(f'"{name}"' for name in _DRAWN_BY[by]),
            method,
            "the other methods draw items; leave out by=",
        )
    check_resamples(size)
    if estimate.value == 1.0 and by == "item":
        return replace(perfect_interval(estimate, level), note=ALL_AGREE)
    if method == "jackknife":
        return _jackknife_interval(estimate, level)
    if method == "transformed":
        return fisher_interval(estimate, level)
    if method == "hayes-krippendorff":
        return _pair_interval(estimate, level, size, rng)
    if method == "studentised":
        return _studentised_interval(estimate, level, size, rng)
    (drawn,) = bootstrap(estimate, n_resamples=size, rng=rng, by=by, progress=progress)
    if method == "bca":
        left = jackknife(estimate)
        interval = drawn.bca(left.left_out, left.multiplicity, confidence_level=level)
    else:
        interval = getattr(drawn, method)(level)
    if estimate.value == 1.0:
        interval = replace(interval, note="All pairs agree, whatever is drawn: no spread is seen.")
    return _inside(estimate, interval)


def _inside(estimate: Estimate, interval: Interval) -> Interval:
    lowest = estimate._basis.coefficient.lowest(estimate._basis.design)
    if not math.isfinite(interval.low):
        return interval
    low = min(max(interval.low, lowest), 1.0)
    return replace(interval, low=low, high=max(min(interval.high, 1.0), low))


def _jackknife_interval(estimate: Estimate, level: float) -> Interval:
    left = jackknife(estimate)
    if not math.isfinite(left.standard_error):
        return Interval(math.nan, math.nan, level, "jackknife", NEEDED)
    return wald_interval(
        estimate.value,
        left.standard_error,
        confidence_level=level,
        degrees_of_freedom=float(max(left.n_items - 1, 1)),
        lowest=estimate._basis.coefficient.lowest(estimate._basis.design),
        highest=1.0,
        method="jackknife",
    )


def fisher_interval(estimate: Estimate, level: float) -> Interval:
    """Return the interval on Fisher's scale, with the exact leave-one-item-out error."""
    basis = estimate._basis
    error, n_items = estimate.standard_error, errors.sample_size(basis)
    many = basis.ratings.n_raters > _MANY_RATERS and basis.ratings.clusters is None
    if not (basis.coefficient.needs_raters and many):
        left = jackknife(estimate)
        error, n_items = left.standard_error, left.n_items
    if not math.isfinite(error):
        return Interval(math.nan, math.nan, level, "transformed", NEEDED)
    if abs(estimate.value) >= 1.0:
        return Interval(math.nan, math.nan, level, "transformed", BEYOND)
    return transformed_interval(
        estimate.value,
        error,
        confidence_level=level,
        degrees_of_freedom=float(max(n_items - 1, 1)),
        lowest=basis.coefficient.lowest(basis.design),
        method="transformed",
    )


def _studentised_interval(estimate: Estimate, level: float, size: int, rng: Seed) -> Interval:
    basis = estimate._basis
    rows = all_rows(basis.evaluation.source)
    generator = RandomStream.of(seed_sequence(rng))
    weights = ItemDraw.of(rows, _by_name(basis.ratings))(generator, size)
    values = Replicator(basis.coefficient, rows, _metric(basis)).values(weights)
    error = errors.standard_error("linearised", basis)
    pivots = np.full(size, np.nan)
    for b in np.flatnonzero(np.isfinite(values)).tolist():
        own = errors.standard_error("linearised", _reweighted(basis, rows, weights[:, b]))
        if own > 0.0:
            pivots[b] = (values[b] - estimate.value) / own
    drawn = Bootstrap.of(estimate.value, values, "item")
    return _inside(estimate, drawn.studentised(pivots, error, confidence_level=level))


def _pair_interval(estimate: Estimate, level: float, size: int, rng: Seed) -> Interval:
    basis = estimate._basis
    form = basis.evaluation.source.form
    if form.size > 512 or not basis.evaluation.source.in_memory:
        raise UnsupportedDesignError.needs(
            'method="hayes-krippendorff"', "at most 512 labels", f"{form.size}", 'use "bca"'
        )
    rows = all_rows(basis.evaluation.source)
    vectors = dense(rows.vectors)
    per_pair = rows.multiplicity * rows.ratings / np.where(rows.pairs > 0, rows.pairs, np.inf)
    met = (vectors * per_pair) @ vectors.T - np.diag(vectors @ per_pair)
    # Sums in another order, and labels in another order, are drawn alike.
    apart, weights = rounded(form.apply(np.eye(form.size)).ravel()), rounded(met.ravel())
    order = np.lexsort([weights, apart])
    values = pair_bootstrap_values(
        apart[order],
        np.maximum(weights[order], 0.0),
        n_pairs=round(float(rows.multiplicity @ rows.pairs) / 2),
        expected=estimate.expected_disagreement or math.nan,
        n_resamples=size,
        rng=RandomStream.of(seed_sequence(rng)),
    )
    interval = Bootstrap.of(estimate.value, values, "pair").percentile(level)
    return _inside(estimate, replace(interval, method="hayes-krippendorff"))


# -------------------------------------------------------------------- rows to draw from


def _check_same_ratings(estimates: Sequence[Estimate]) -> None:
    if not estimates:
        raise InputError.expected("estimates", "at least one", "none", "pass an Estimate")
    first = estimates[0]._basis.ratings
    for estimate in estimates:
        if estimate.status == "undefined":
            raise UnsupportedDesignError.needs(
                "resampling", "a coefficient that is defined", estimate.reason, "see the reason"
            )
        if estimate._basis.ratings is not first:
            raise InputError.expected(
                "estimates resampled together",
                "of the same Ratings",
                "different ones",
                "resample them one by one, or use compare() for the same items",
            )


def _shared_rows(estimates: Sequence[Estimate], *, per_item: bool) -> Rows:
    """Return rows that serve all estimates: by rater if any of them asks who rated."""
    leader = max(estimates, key=lambda e: e._basis.coefficient.needs_raters)._basis
    source = leader.evaluation.source
    if per_item and source.in_memory:
        who = leader.coefficient.needs_raters
        return join_rows(item_rows(leader.ratings, source.form, by_rater=who))
    return all_rows(source)


def _metric(basis: Basis) -> MovingMetric | None:
    return basis.evaluation.source.metric


def _by_name(ratings: Ratings) -> list[int]:
    """Return the places of the raters in the order of their names: no file decides it."""
    return sorted(range(len(ratings.raters)), key=lambda place: str(ratings.raters[place]))


def _by_rater(
    basis: Basis, n_resamples: int, rng: Seed, by: str, progress: Progress | None
) -> NDArray[np.float64]:
    source = reduce_to_rows(
        basis.ratings,
        basis.distance,
        by_rater=True,
        labels_needed=basis.coefficient.needs_labels,
    )
    return rater_bootstrap_values(
        basis.coefficient,
        source,
        n_resamples=n_resamples,
        rng=rng,
        items_too=by == "both",
        raters=_by_name(basis.ratings),
        progress=progress,
    )


def _reweighted(basis: Basis, rows: Rows, weights: NDArray[np.float64]) -> Basis:
    """Return the basis of a resample: other multiplicities and, if it moves, another metric."""
    metric = _metric(basis)
    form = rows.form
    if metric is not None:
        counts = np.asarray(rows.vectors @ (weights * rows.pairable))
        points = metric.points_of(counts[:, None])[:, 0]
        form = MatrixForm((points[:, None] - points) ** 2)
        metric = replace(metric, points=points)
    drawn = Rows(form, rows.vectors, rows.ratings, weights, rows.by_rater)
    source = RowTable(drawn, basis.evaluation.source.n_raters, metric)
    return replace(basis, evaluation=Evaluation(basis.coefficient.terms(form), source))
