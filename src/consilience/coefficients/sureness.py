"""How sure an estimate is, by default: one object gives its interval and its tests.

Labels get posterior draws of the distinct rows, values those of the items; where rows are too many,
Student's t on the scale of mean squares takes over, or the leave-one-out error on Fisher's scale.
p is at most 1 - level exactly when the null value lies outside the interval.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients.errors import linearised_error, sample_size
from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.core.resample import seed_sequence
from consilience.exceptions import UnsupportedDesignError
from consilience.inference.clustered import jackknife_error
from consilience.inference.posterior import (
    limits_of,
    p_value_of,
    posterior_of,
    posterior_of_values,
)
from consilience.inference.replicates import Replicator
from consilience.rows import (
    Form,
    MarginToUniform,
    MomentForm,
    Rows,
    Uniform,
    item_rows,
    reduce_to_rows,
)
from consilience.rows.distinct_rows import all_rows, in_order, join_rows

if TYPE_CHECKING:
    from consilience.coefficients._estimate import Basis, Estimate
    from consilience.inference.skewed_t import SkewedT

DRAWS = 9_999
FEWEST_DRAWS = 499  # with very many rows, and of coefficients that are fitted anew in each draw
TAIL_LEVEL = (
    0.95  # at which few units are given Student's tails; the same for every interval and test
)
MOST_CELLS = 6_000_000  # weights of rows held at once
MOST_ROWS = 1_500
_MOST_VALUES = 2_000_000  # weights of items with values held at once: about a second
_MOST_RATERS_LEFT_OUT = 2_000  # of coefficients by rater
MOST_LABELS = 64
_MOST_MARGINS = 400  # raters times labels: numbers that a coefficient by rater adds up
_MANY_VALUES = 12  # numbers with more different values than these are taken as values


class Sureness(Protocol):
    """What is known about the error of an estimate."""

    @property
    def method(self) -> str:
        """The name of the rule."""

    @property
    def note(self) -> str:
        """What it does, in a sentence."""

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the interval."""

    def p_value(self, null: float, alternative: str) -> float:
        """Return the p-value of a null value."""

    def probability_above(self, threshold: float) -> float:
        """Return the probability that the value exceeds a threshold."""

    def normal_score(self, places: Floats) -> Floats:
        """Return the normal score of the one-sided p-value of each null value."""


def sureness_of(estimate: Estimate, n_draws: int = DRAWS) -> Sureness | None:
    """Return how sure an estimate is, by the rule that covers for such a design; None: no rule."""
    basis = estimate._basis
    if estimate.status != "ok" or basis.ratings.has_sums_only or estimate.n_items_used < 2:
        return None
    if basis.coefficient.is_iterated:
        n_draws = min(n_draws, FEWEST_DRAWS)
    key = ("sureness", basis.coefficient, basis.distance, estimate.missing, estimate.seed, n_draws)
    found: Sureness | None = basis.ratings._remember(key, lambda: _chosen(estimate, n_draws))
    return found


def drawn(estimate: Estimate) -> Drawn:
    """Return posterior draws of an estimate, or say why there are none."""
    found = sureness_of(estimate)
    if isinstance(found, Drawn):
        return found
    basis = estimate._basis
    if estimate.status == "ok" and basis.evaluation.source.in_memory:
        rows = drawn_rows(basis, estimate.seed)
        if rows is not None and basis.evaluation.source.form.size <= MOST_LABELS:
            return Drawn(estimate, rows)
    raise UnsupportedDesignError.needs(
        "posterior draws",
        f"at most {MOST_LABELS} labels and {MOST_ROWS:,} different rows of ratings",
        estimate.reason or "more",
        'use method="auto"',
    )


def _chosen(estimate: Estimate, n_draws: int) -> Sureness | None:
    basis = estimate._basis
    if takes_values(basis):
        return _among_values(estimate, n_draws) or _on_fishers_scale(estimate)
    source = basis.evaluation.source
    if source.form.size < 2:
        return None  # another label could have been given; nothing is known about it
    if source.in_memory and source.form.size <= MOST_LABELS:
        drawn = drawn_rows(basis, estimate.seed, n_draws)
        if drawn is not None:
            return Drawn(estimate, drawn)
    return _on_fishers_scale(estimate)


def takes_values(basis: Basis) -> bool:
    """Tell whether ratings are values on a line rather than labels."""
    form = basis.evaluation.source.form
    if isinstance(form, MomentForm):
        return True
    lines = ("interval", "ratio", "quadratic", "linear")
    return basis.distance.name in lines and form.size > _MANY_VALUES


# ------------------------------------------------------------------------------ posterior draws


@dataclass(frozen=True)
class DrawnRows:
    """Rows with those of the prior, and their weights in every draw."""

    rows: Rows
    weights: Floats  # rows, or clusters, and behind them the rows of the prior, by draws
    n_prior: int
    cluster: NDArray[np.int64] | None
    form: Form | None = None  # of the rows, where it is not that of the coefficient

    def totals(self, features: Floats) -> Floats:
        """Return the total of each feature of rows (features x rows) in every draw."""
        if self.cluster is None:
            return np.asarray(features @ self.weights)
        each = np.zeros((self.weights.shape[0], features.shape[0]))
        np.add.at(each, self.cluster, (features * self.rows.multiplicity).T)
        return np.asarray(each.T @ self.weights)

    def values(self, basis: Basis) -> Floats:
        """Return the coefficient in every draw."""
        source = basis.evaluation.source
        rows = Rows(
            self.form or source.form, self.rows.vectors, self.rows.ratings, self.rows.multiplicity,
            self.rows.by_rater if basis.coefficient.needs_raters else None,
        )  # fmt: skip
        weights = self.weights
        if self.cluster is not None:  # the prior counts for so much more as clusters vary more
            weights = weights.copy()
            weights[-self.n_prior :] *= _inflation(basis)
        return Replicator(basis.coefficient, rows, source.metric, self.cluster).values(weights)


def drawn_rows(basis: Basis, seed: int, n_draws: int = DRAWS) -> DrawnRows | None:
    """Return weighted rows for all coefficients with the same distance; None: there are too many.

    Rows that tell who rated serve every coefficient; where these are too many, coefficients that
    do not ask have fewer rows of their own.
    """
    ratings, size = basis.ratings, basis.evaluation.source.form.size
    named = bool(ratings.raters) and len(ratings.raters) * size <= _MOST_MARGINS
    for by_rater in (True, False):
        if by_rater and not named:
            continue
        if not by_rater and basis.coefficient.needs_raters:
            continue
        key = ("posterior", basis.distance, by_rater, seed, n_draws)
        drawn: DrawnRows | None = ratings._remember(
            key, partial(_draw_rows, basis, seed, n_draws, by_rater=by_rater)
        )
        if drawn is not None:
            return drawn
    return None


def _draw_rows(basis: Basis, seed: int, n_draws: int, *, by_rater: bool) -> DrawnRows | None:
    ratings, clusters = basis.ratings, basis.ratings.clusters
    form = basis.evaluation.source.form
    if clusters is None:
        rows = all_rows(reduce_to_rows(ratings, basis.distance, by_rater=by_rater))
    else:
        rows = join_rows(item_rows(ratings, form, by_rater=by_rater))
    n_units = rows.multiplicity.size if clusters is None else clusters.n_clusters
    if n_units > MOST_ROWS:
        return None
    rows, codes = in_order(rows, ratings.raters, None if clusters is None else clusters.codes)
    full, draw = posterior_of(rows, ratings.n_raters, TAIL_LEVEL, cluster=codes)
    size = min(n_draws, max(FEWEST_DRAWS, MOST_CELLS // draw.n_rows))
    weights = draw(RandomStream.of(seed_sequence(seed)), size)
    return DrawnRows(full, weights, draw.n_rows - n_units, draw.cluster)


def _inflation(basis: Basis) -> float:
    """Return how much more clusters vary than items do, from leave-one-out values.

    Both on Fisher's scale; not less than 1, and not more than the mean size of a cluster.
    """
    source, clusters = basis.evaluation.source, basis.ratings.clusters
    assert clusters is not None
    rows = one_per_item(basis)
    spread = []
    for codes in (None, clusters.codes):
        one = Replicator(basis.coefficient, rows, source.metric, codes)
        without = np.arctanh(np.clip(one.without_each_row(), -0.999999, 0.999999))
        n = without.size
        spread.append((n - 1.0) / n * float(((without - without.mean()) ** 2).sum()))
    if not (spread[0] > 0.0 and math.isfinite(spread[1])):
        return 1.0
    return min(max(spread[1] / spread[0], 1.0), clusters.codes.size / clusters.n_clusters)


def one_per_item(basis: Basis) -> Rows:
    """Return a row for each item, in the order of the items."""
    source = basis.evaluation.source
    if isinstance(source.form, MomentForm):  # of numbers that are not listed as labels
        return all_rows(source)
    who = basis.coefficient.needs_raters
    return join_rows(item_rows(basis.ratings, source.form, by_rater=who))


class Drawn:
    """Posterior draws of an estimate."""

    method = "dirichlet"

    def __init__(self, estimate: Estimate, drawn: DrawnRows) -> None:
        self._estimate = estimate
        self._drawn = drawn

    @cached_property
    def values(self) -> Floats:
        """The coefficient in every draw that it is defined in, from small to large."""
        values = self._drawn.values(self._estimate._basis)
        return np.sort(values[np.isfinite(values)])

    @property
    def note(self) -> str:
        """Where the interval comes from."""
        units = "" if self._drawn.cluster is None else ", whole clusters at a time"
        if takes_values(self._estimate._basis):
            return f"Posterior draws of the items, with some farther out than any seen{units}."
        return f"Posterior of the distinct rows of ratings under a weak prior{units}."

    @property
    def _ends(self) -> tuple[bool, bool]:
        """Whether the value lies at the lower and at the upper end of its range."""
        one = self._estimate
        lowest = one._basis.coefficient.lowest(one._basis.design)
        at_low = one.observed == 0.0 or math.isclose(one.value, lowest, abs_tol=1e-12)
        return at_low, one.value == 1.0

    def limits(self, level: float) -> tuple[float, float]:
        """Return order statistics; at an end of the range, that end."""
        low, high = limits_of(self.values, level)
        at_low, at_high = self._ends
        value = self._estimate.value
        return min(low, value) if at_low else low, 1.0 if at_high else high

    def p_value(self, null: float, alternative: str) -> float:
        """Return twice the smaller share of draws beyond the null value."""
        at_low, at_high = self._ends
        if alternative == "two-sided" and (at_low or at_high):
            inward = p_value_of(self.values, null, "greater" if at_high else "less")
            return min(1.0, 2.0 * inward)
        return p_value_of(self.values, null, alternative)

    def probability_above(self, threshold: float) -> float:
        """Return the share of draws above a threshold."""
        return float((self.values > threshold).mean()) if self.values.size else math.nan

    def normal_score(self, places: Floats) -> Floats:
        """Return the normal scores of the shares of draws below each place."""
        below = np.searchsorted(self.values, places, side="right")
        return _normal_scores((below + 0.5) / (self.values.size + 1.0))


def _normal_scores(shares: Any) -> Floats:
    from scipy.special import ndtri

    return np.asarray(ndtri(shares))


# ------------------------------------------------------------------------------ Student's t


@dataclass(frozen=True)
class Transformed:
    """Student's t on a scale on which the estimate is about symmetric."""

    method: str
    note: str
    spread: SkewedT
    scale: Any
    back: Any

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits on the coefficient's own scale."""
        low, high = self.spread.limits(level)
        return self.back(low), self.back(high)

    def p_value(self, null: float, alternative: str) -> float:
        """Return the p-value of a null value inside the scale; beyond it, 0 or 1."""
        place = float(self.scale(null))
        return math.nan if math.isnan(place) else self.spread.p_value(place, alternative)

    def probability_above(self, threshold: float) -> float:
        """Return the confidence that the value lies above a threshold."""
        return 1.0 - self.p_value(threshold, "greater")

    def normal_score(self, places: Floats) -> Floats:
        """Return the normal scores of Student's tails at each place."""
        from scipy.special import stdtr

        with np.errstate(invalid="ignore"):
            t = (np.asarray(self.scale(places)) - self.spread.centre) / self.spread.error
        shares = stdtr(self.spread.degrees_of_freedom, np.nan_to_num(t, nan=1e3))
        return _normal_scores(np.clip(shares, 1e-15, 1.0 - 1e-15))


def left_out(estimate: Estimate) -> tuple[Floats, Floats, Rows]:
    """Return the coefficient without each item or cluster, and how often it occurs."""
    basis = estimate._basis
    clusters = basis.ratings.clusters
    source = basis.evaluation.source
    if clusters is None:
        rows, codes = all_rows(source), None
    else:
        rows, codes = one_per_item(basis), clusters.codes
    one = Replicator(basis.coefficient, rows, source.metric, codes)
    values = one.without_each_row()
    kept = rows.ratings > 0 if codes is None else np.ones(values.size, dtype=bool)
    return values[kept], one.multiplicity[kept], rows


def _among_values(estimate: Estimate, n_draws: int) -> Sureness | None:
    """Draw items with their values; very many of them: Student's t on the scale of mean squares."""
    basis = estimate._basis
    spread = _on_mean_squares(estimate)
    found = None if spread is None else _value_rows(basis)
    if spread is None or found is None:
        return spread
    rows, codes = found
    degrees = spread.spread.degrees_of_freedom
    full, draw = posterior_of_values(rows, degrees, TAIL_LEVEL, cluster=codes)
    size = min(n_draws, max(FEWEST_DRAWS, _MOST_VALUES // draw.n_rows))
    weights = draw(RandomStream.of(seed_sequence(estimate.seed)), size)
    return Drawn(estimate, DrawnRows(full, weights, 2, draw.cluster, full.form))


def _value_rows(basis: Basis) -> tuple[Rows, NDArray[np.int64] | None] | None:
    """Return rows of values, on a line wherever there is one, and their clusters.

    None: there are too many.
    """
    source, clusters = basis.evaluation.source, basis.ratings.clusters
    if not source.in_memory and basis.ratings.n_items > MOST_ROWS:
        return None
    rows = all_rows(source) if clusters is None else one_per_item(basis)
    if rows.multiplicity.size > MOST_ROWS:
        return None
    points = _points(basis, rows)
    if points is not None:
        from consilience.rows.moment_rows import as_moments

        rows = as_moments(rows, points)
    codes = None if clusters is None else clusters.codes
    return in_order(rows, basis.ratings.raters, codes)


def _points(basis: Basis, rows: Rows) -> Floats | None:
    """Return where labels lie on a line; None: rows are there already, or there is none."""
    terms = basis.coefficient.terms(rows.form).values()
    by_label = any(isinstance(term, (Uniform, MarginToUniform)) for term in terms)
    numbers = basis.ratings.numbers
    if isinstance(rows.form, MomentForm) or by_label or numbers is None:
        return None
    if basis.evaluation.source.metric is not None:
        return None
    return basis.distance.embed(np.asarray(numbers, dtype=np.float64))


def _on_mean_squares(estimate: Estimate) -> Transformed | None:
    """Interval and ratio distances on values: the logarithm of the ratio of mean squares."""
    from consilience.inference.skewed_t import SkewedT, from_reliability_scale, reliability_scale

    without, times, rows = left_out(estimate)
    many = rows.multiplicity * rows.pairable
    m = float(many @ rows.ratings) / float(many.sum())
    y = float(reliability_scale(estimate.value, m))
    others = reliability_scale(without, m)
    if not (math.isfinite(y) and np.isfinite(others).all() and times.sum() > 2):
        return None
    return Transformed(
        "skewed-t",
        "Leave-one-out error on the scale of mean squares, with Student's t for the skew seen.",
        SkewedT.of(y, others, times),
        lambda value: reliability_scale(value, m),
        lambda place: from_reliability_scale(place, m),
    )


def _on_fishers_scale(estimate: Estimate) -> Transformed | None:
    """Many different rows: Fisher's scale keeps the skew near 1."""
    from consilience.inference.skewed_t import SkewedT

    if abs(estimate.value) >= 1.0:
        return None
    basis = estimate._basis
    slope = 1.0 - estimate.value**2
    if basis.coefficient.needs_raters and basis.ratings.n_raters > _MOST_RATERS_LEFT_OUT:
        # Of a crowd every item moves other raters' habits: the same to first order, at no cost.
        what, n, error = "Linearised error", float(sample_size(basis)), linearised_error(basis)
        if not math.isfinite(error) or n < 3:
            return None
    else:
        without, times, _ = left_out(estimate)
        what, n = "Jackknife", float(times.sum())
        if not np.isfinite(without).all() or n < 3:
            return None
        error = jackknife_error(without, times)
    return Transformed(
        "transformed",
        f"{what} over items, transformed so that no limit lies beyond 1.",
        SkewedT(math.atanh(estimate.value), error / slope, n - 1.0),
        np.arctanh,
        math.tanh,
    )


__all__ = ["DRAWS", "Drawn", "Sureness", "drawn_rows", "sureness_of"]
