"""How sure an estimate is: standard errors by method, the rule for intervals, and its
exceptions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, dense, product
from consilience.core.draws import RandomStream, seed_sequence
from consilience.core.interval import INTERVALS, RESAMPLED, IntervalMethod
from consilience.core.verdict import Gauge, Verdict, unjudged, verdict_on
from consilience.core.words import counted
from consilience.exceptions import UnsupportedDesignError
from consilience.inference import Interval, unanimity_interval
from consilience.inference.influence import (
    fleiss_cohen_everitt,
    fleiss_nee_landis,
    jackknife_error,
    linearised_variance,
)
from consilience.inference.intervals import (
    DrawnValue,
    SkewedT,
    from_reliability_scale,
    perfect_agreement_interval,
    posterior_of,
    posterior_of_values,
    reliability_scale,
    wald_interval,
)
from consilience.inference.resampling import Replicator
from consilience.ratings.clusters import need_independent_items
from consilience.ratings.stores import NumberMatrix
from consilience.rows import Rows, reduce_to_rows
from consilience.rows.distinct_rows import all_rows, in_order, join_rows
from consilience.rows.forms import Form, MomentForm
from consilience.rows.reduce import item_rows
from consilience.rows.terms import MarginToUniform, Uniform

if TYPE_CHECKING:
    from consilience.coefficients.estimates import Basis, Estimate

# ---- Standard errors and influence of an estimate, by the name of the method.

MOST_LABELS_TABLED = 1_000  # a cross-table of more labels would be larger than the data


def default_method(basis: Basis) -> str:
    """Kappa of two complete raters has its classic error; all else is linearised."""
    methods = basis.coefficient.standard_errors
    if basis.ratings.clusters is not None:
        return "linearised"  # the classic errors take items to be independent
    few = basis.design.n_labels <= MOST_LABELS_TABLED
    if "fleiss-cohen-everitt" in methods and few and two_complete_raters(basis):
        return "fleiss-cohen-everitt"
    return methods[0]


def standard_error(method: str, basis: Basis) -> float:
    """Return the standard error by the named method."""
    classic = _CLASSIC.get(method)
    if classic is not None:
        need_independent_items(
            f'standard_error="{method}"',
            basis.ratings.clusters,
            instead='use standard_error="linearised"',
        )
        return classic(basis)
    slopes = _slopes(basis)
    if method == "gwet":
        form = basis.evaluation.source.form
        slopes = basis.coefficient.gwet_slopes(basis.evaluation.numbers, slopes, form)
    if basis.ratings.clusters is not None:
        return _cluster_error(basis, slopes, divisor="n" if method == "table" else "n-1")
    variance = linearised_variance(
        basis.evaluation,
        slopes,
        sample_size(basis),
        divisor="n" if method == "table" else "n-1",
        population=basis.population,
    )
    return math.sqrt(variance) if variance >= 0 else math.nan


def linearised_error(basis: Basis) -> float:
    """Return the linearised standard error, whatever else there is."""
    return standard_error("linearised", basis)


def _cluster_error(basis: Basis, slopes: dict[str, float], *, divisor: str) -> float:
    """Return the linearised error of clustered items: influences are summed by cluster.

    G / (G - 1) sum (S_g - mean)^2 with S_g the summed influence of the items of cluster g, as in
    Vanbelle (2017), *Comparing dependent kappa coefficients obtained on multilevel data*.
    """
    sums = cluster_sums(basis, item_influence(basis, slopes) / n_items(basis))
    n_clusters = sums.size
    square = float(((sums - sums.mean()) ** 2).sum())
    factor = n_clusters / (n_clusters - 1.0) if divisor == "n-1" else 1.0
    left = 1.0 - basis.ratings.n_items / basis.population if basis.population else 1.0
    return math.sqrt(factor * left * square)


def cluster_sums(basis: Basis, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Add up what items hold by cluster."""
    clusters = basis.ratings.clusters
    assert clusters is not None
    sums = np.bincount(clusters.codes, weights=values, minlength=clusters.n_clusters)
    return sums.astype(np.float64)


def sample_size(basis: Basis) -> int:
    """Return the number of items, or of clusters, that the variance is over."""
    clusters = basis.ratings.clusters
    return n_items(basis) if clusters is None else clusters.n_clusters


def n_items(basis: Basis) -> int:
    """Return the number of items that the coefficient could use."""
    evaluation = basis.evaluation
    if basis.coefficient.pairable_items_only:
        return evaluation.n_pairable
    return evaluation.n_rated


def item_influence(basis: Basis, slopes: dict[str, float] | None = None) -> NDArray[np.float64]:
    """Return n times the influence of each single item; it sums to about zero over items."""
    source = basis.evaluation.source
    rows = source.chunks()
    if source.in_memory:
        rows = item_rows(basis.ratings, source.form, by_rater=basis.coefficient.needs_raters)
    return np.concatenate([row_influence(basis, chunk, slopes) for chunk in rows])


def row_influence(
    basis: Basis, rows: Rows, slopes: dict[str, float] | None = None
) -> NDArray[np.float64]:
    """Return n times the influence of an item of each row."""
    gradients = basis.evaluation.gradients(_slopes(basis) if slopes is None else slopes)
    return basis.evaluation.influence(rows, gradients) * n_items(basis)


def with_form(rows: Rows, basis: Basis) -> Rows:
    """Give rows the distance of an estimate, for several estimates on the same rows."""
    form = basis.evaluation.source.form
    if rows.form is form:
        return rows
    return Rows(form, rows.vectors, rows.ratings, rows.multiplicity, rows.by_rater)


def binary_table(basis: Basis) -> tuple[int, int, int] | None:
    """Return (both first label, different, both second label) for two raters and two labels."""
    if basis.design.n_labels != 2 or not two_complete_raters(basis):
        return None
    table = _table(basis)
    if 0 in table.sum(axis=0) + table.sum(axis=1):  # a label that nobody used leaves one label
        return None
    return int(table[0, 0]), int(table[0, 1] + table[1, 0]), int(table[1, 1])


def _slopes(basis: Basis) -> dict[str, float]:
    form, coefficient = basis.evaluation.source.form, basis.coefficient
    slopes = basis.evaluation.slopes(lambda numbers: coefficient.value(numbers, form))
    return coefficient.linear_slopes(basis.evaluation.numbers, slopes, form)


def two_complete_raters(basis: Basis) -> bool:
    """Tell whether there are just two raters and both rated every item that was rated."""
    ratings = basis.ratings
    if len(ratings.raters) != 2 or basis.design.n_labels == 0:
        return False
    # An item that nobody rated takes nothing away from the others.
    return ratings.n_missing == 0 or ratings.complete().n_ratings == ratings.n_ratings


def _table(basis: Basis) -> NDArray[np.float64]:
    first, second = basis.ratings.raters
    return basis.ratings.table(first, second).astype(np.float64)


def _weights(basis: Basis) -> NDArray[np.float64]:
    form = basis.evaluation.source.form
    return 1.0 - form.apply(np.eye(form.size)) / (form.maximum or 1.0)


def _fleiss_cohen_everitt(basis: Basis, *, null: bool) -> float:
    if not two_complete_raters(basis):
        raise UnsupportedDesignError.needs(
            "the standard error of Fleiss, Cohen & Everitt",
            "two raters who both rated every item",
            f"{basis.ratings.n_raters} raters, {basis.ratings.n_missing} missing ratings",
            'use standard_error="linearised", or missing="listwise"',
        )
    table = _table(basis)
    if table.sum() < 2:
        return math.nan
    error = fleiss_cohen_everitt(table, _weights(basis), null=null)
    if basis.population and not null:
        error *= math.sqrt(1.0 - table.sum() / basis.population)
    return error


def _perreault_leigh(basis: Basis) -> float:
    """Large-sample error sqrt(I (1 - I) / n) of Perreault & Leigh (1989)."""
    if basis.evaluation.n_pairable < 2:
        return math.nan
    value = float(basis.coefficient.value(basis.evaluation.numbers, basis.evaluation.source.form))
    return math.sqrt(value * (1.0 - value) / basis.evaluation.n_pairable)


def _observed_information(basis: Basis) -> float:
    numbers, form = basis.evaluation.numbers, basis.evaluation.source.form
    error = basis.coefficient.information_error(numbers, form)
    if basis.population:
        error *= math.sqrt(1.0 - sample_size(basis) / basis.population)
    return error


def _fleiss_nee_landis(basis: Basis) -> float:
    rows = all_rows(basis.evaluation.source)
    per_item = np.unique(rows.ratings)
    if per_item.size != 1 or not basis.design.nominal:
        raise UnsupportedDesignError.needs(
            "the standard error of Fleiss, Nee & Landis",
            "nominal labels and equally many ratings for every item",
            f"{per_item.min():g} to {per_item.max():g} ratings per item",
            'use standard_error="linearised"',
        )
    totals = np.asarray(rows.vectors @ rows.multiplicity)
    return fleiss_nee_landis(totals / totals.sum(), basis.evaluation.n_rated, int(per_item[0]))


_CLASSIC: dict[str, Callable[[Basis], float]] = {
    "fleiss-cohen-everitt": lambda basis: _fleiss_cohen_everitt(basis, null=False),
    "fleiss-cohen-everitt-null": lambda basis: _fleiss_cohen_everitt(basis, null=True),
    "fleiss-nee-landis-null": _fleiss_nee_landis,
    "observed-information": _observed_information,
    "perreault-leigh": _perreault_leigh,
}

# ---- How sure an estimate is, by default: one object gives its interval and its tests.
#
# Labels get posterior draws of the distinct rows, values those of the items; where rows are too
# many, Student's t on the scale of mean squares takes over, or the leave-one-out error on
# Fisher's scale. p is at most 1 - level exactly when the null value lies outside the interval.

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
_MOST_REMEMBERED = 12  # features whose totals are kept with the draws
_MANY_VALUES = 12  # numbers with more different values than these are taken as values


def sureness_of(estimate: Estimate, n_draws: int = DRAWS) -> Sureness | None:
    """Return how sure an estimate is, by the rule that covers for such a design; None: no rule."""
    basis = estimate._basis
    if estimate.status != "ok" or basis.ratings.has_sums_only or estimate.n_items_used < 2:
        return None
    if basis.coefficient.is_iterated:
        n_draws = min(n_draws, FEWEST_DRAWS)
    key = ("sureness", basis.coefficient, basis.distance, estimate.missing, estimate.seed, n_draws)
    found: Sureness | None = basis.ratings.remember(key, lambda: _chosen(estimate, n_draws))
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


# ---- posterior draws


@dataclass(frozen=True)
class DrawnRows:
    """Rows with those of the prior, and their weights in every draw."""

    rows: Rows
    weights: Floats  # of the items' rows, or of clusters, by draws
    cluster: NDArray[np.int64] | None
    prior: tuple[Floats, ...] = ()  # weights of the rows behind, for the lower and the upper limit
    form: Form | None = None  # of the rows, where it is not that of the coefficient
    _added: dict[bytes, tuple[Floats, list[Floats]]] = field(default_factory=dict, repr=False)

    def totals(self, features: Floats) -> list[Floats]:
        """Return the total of each feature of rows (features x rows) in every draw.

        For the lower limit and for the upper one; one total where they are the same.
        """
        if self.cluster is not None:
            each = np.zeros((int(self.cluster.max()) + 1, features.shape[0]))
            np.add.at(each, self.cluster, (features * self.rows.multiplicity).T)
            features = each.T
        items, behind = self._sums(features)
        return [items + one for one in behind] or [items]

    def values(self, basis: Basis) -> list[Floats]:
        """Return the coefficient in every draw, for the lower limit and for the upper one."""
        source = basis.evaluation.source
        rows = Rows(
            self.form or source.form,
            self.rows.vectors,
            self.rows.ratings,
            self.rows.multiplicity,
            self.rows.by_rater if basis.coefficient.needs_raters else None,
        )
        # The prior counts for so much more as clusters vary more.
        more = _inflation(basis) if self.cluster is not None and self.prior else 1.0
        return self.values_of(
            Replicator(basis.coefficient, rows, source.metric, self.cluster), more
        )

    def values_of(self, replicator: Replicator, more: float = 1.0) -> list[Floats]:
        """Return a statistic of the rows in every draw; the prior counts for so much more."""
        parts = replicator.linear_parts
        if not all(isinstance(part, np.ndarray) for part in parts):
            sets = [np.concatenate([self.weights, more * one]) for one in self.prior]
            return [replicator.values(one) for one in sets or [self.weights]]
        sums = [self._sums(np.asarray(part)) for part in parts]
        if not self.prior:
            return [replicator.values_of_totals(np.concatenate([items for items, _ in sums]))]
        return [
            replicator.values_of_totals(
                np.concatenate([items + more * behind[k] for items, behind in sums])
            )
            for k in range(len(self.prior))
        ]

    def _sums(self, features: Floats) -> tuple[Floats, list[Floats]]:
        """Return what the items and what each set of the prior's rows add up to.

        Remembered, as coefficients of the same ratings mostly add up the same few features.
        """
        key = features.tobytes()
        found = self._added.get(key)
        if found is None:
            n = len(self.weights)
            first, rest = (np.ascontiguousarray(part) for part in np.split(features, [n], axis=1))
            found = product(first, self.weights), [product(rest, one) for one in self.prior]
            if len(features) <= _MOST_REMEMBERED:
                self._added[key] = found
        return found


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
        drawn: DrawnRows | None = ratings.remember(
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
    rng = RandomStream.of(seed_sequence(seed))
    return DrawnRows(full, draw.units(rng, size), draw.cluster, draw.prior(rng, size))


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
    def draws(self) -> DrawnValue:
        """The coefficient in every draw that it is defined in."""
        one = self._estimate
        return DrawnValue.of(one.value, *self._drawn.values(one._basis))

    @property
    def note(self) -> str:
        """Where the interval comes from."""
        units = "" if self._drawn.cluster is None else ", whole clusters at a time"
        if takes_values(self._estimate._basis):
            return f"Posterior draws of the items, with some farther out than any seen{units}."
        return f"Posterior of the distinct rows of ratings under a weak prior{units}."

    def limits(self, level: float) -> tuple[float, float]:
        """Return order statistics, which hold the value."""
        return self.draws.limits(level)

    def p_value(self, null: float, alternative: str) -> float:
        """Return the p-value that is dual to the limits."""
        return self.draws.p_value(null, alternative)

    def probability_above(self, threshold: float) -> float:
        """Return the share of draws above a threshold."""
        return self.draws.probability_above(threshold)

    def normal_score(self, places: Floats) -> Floats:
        """Return the normal scores of the shares of draws below each place.

        Of the wider draws, those of the upper limit: groups are compared with each other, not with
        a null value.
        """
        draws = np.sort(self.draws.high)
        below = np.searchsorted(draws, places, side="right")
        return _normal_scores((below + 0.5) / (draws.size + 1.0))


def _normal_scores(shares: Any) -> Floats:
    from scipy.special import ndtri

    return np.asarray(ndtri(shares))


# ---- Student's t


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


Sureness: TypeAlias = Drawn | Transformed  # what is known about the error of an estimate


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
    return Drawn(estimate, DrawnRows(full, weights, draw.cluster, form=full.form))


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
        from consilience.rows.number_rows import as_moments

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


# ---- Which interval an estimate gets: analytic, by likelihood, from resampling; and what it says.

_FEWEST_ITEMS = 5
_OF_ANY_SCALE = ("undefined", "perfect", "no_interval", "no_better_than_chance")  # verdicts
_FEWEST_CARRIERS = 2  # items with a second label, from which on the default interval covers


def check_interval_method(method: str) -> str:
    """Return the method if it exists."""
    return INTERVALS[method].name


def chosen_interval(
    estimate: Estimate,
    level: float,
    *,
    method: str,
    n_resamples: int | None,
    rng: Any,
    by: str,
    progress: Any,
) -> Interval:
    """Return the interval that is asked for; without limits, with a note, where there is none."""
    method = check_interval_method(estimate.interval_method if method == "auto" else method)
    if method == "auto" and error_was_chosen(estimate):
        method = "analytic"
    why_not = _why_no_interval(estimate, method, by)
    if why_not is not None:
        return Interval(math.nan, math.nan, level, method, why_not)
    if method == "auto" and by == "item" and not estimate._basis.ratings.has_sums_only:
        return automatic_interval(estimate, level)
    if by == "item" and estimate._basis.ratings.clusters is not None:
        by = "cluster" if method in _DRAWN else by
        _check_clustered(estimate, method)
    if method in RESAMPLED or by != "item":
        return _remembered_interval(
            estimate,
            "percentile" if method in ("analytic", "auto") else method,
            level,
            n_resamples=estimate.n_resamples if n_resamples is None else n_resamples,
            rng=estimate.seed if rng is None else rng,
            by=by,
            progress=progress,
        )
    make = INTERVALS[method].make
    return _analytic_interval(estimate, level) if make is None else make(estimate, level)


_DRAWN = ("percentile", "basic", "bca")  # those that can draw whole clusters
_ALONE = ("donner-eliasziw", "profile", "studentised", "hayes-krippendorff")


def _check_clustered(estimate: Estimate, method: str) -> None:
    """Refuse methods that take items to be independent of each other."""
    clusters = estimate._basis.ratings.clusters
    if clusters is not None and method in _ALONE:
        raise UnsupportedDesignError.needs(
            f"method={method!r}",
            "items that are independent of each other",
            f"items that share a {clusters.name}",
            'use method="auto", "analytic", "jackknife" or "bca"',
        )


def automatic_interval(estimate: Estimate, level: float) -> Interval:
    """Pick the interval that covered best for such a design, and say which and why."""
    found = sureness_of(estimate)
    if found is not None:
        low, high = found.limits(level)
        return Interval(low, high, level, found.method, found.note)
    if estimate.value == 1.0:
        interval, why = _full_agreement(estimate, level)
        return replace(interval, note=why)
    plain = estimate.confidence_interval(level, method="analytic")
    why = "Without one of the items the coefficient does not exist: only value ± error is left."
    return replace(plain, note=why)


def _dirichlet_interval(estimate: Estimate, level: float) -> Interval:
    """Return the posterior interval; refuse where there are too many rows, or values."""
    found = drawn(estimate)
    low, high = found.limits(level)
    return Interval(low, high, level, found.method, found.note)


def _full_agreement(estimate: Estimate, level: float) -> tuple[Interval, str]:
    """Return a lower limit where no pair of ratings differs."""
    plain = perfect_interval(estimate, level)
    basis = estimate._basis
    source = basis.evaluation.source
    clusters = basis.ratings.clusters
    if clusters is not None:
        return plain, (
            "All pairs agree, so only a lower limit can be told: that of Clopper and Pearson, each "
            f"{clusters.name} counted once."
        )
    if plain.method == "donner-eliasziw" or not source.in_memory:
        return plain, "All pairs agree, so only a lower limit can be told."

    rows = all_rows(source)
    items = np.bincount(rows.ratings.astype(np.intp), weights=rows.multiplicity)
    chance = estimate.expected if basis.coefficient.corrects_for_chance else 0.0
    interval = unanimity_interval(
        {many: round(float(items[many])) for many in np.flatnonzero(items).tolist() if many > 1},
        chance or 0.0,
        # One label known is not to say that no other could have been given.
        n_labels=basis.design.n_labels if basis.design.n_labels > 1 else None,
        confidence_level=level,
    )
    lowest = basis.coefficient.lowest(basis.design)
    return replace(interval, low=max(interval.low, lowest)), (
        "All pairs agree, so only a lower limit can be told: that of Clopper and Pearson for the "
        "share of unanimous items, with as much disagreement as an item can show on the others."
    )


def items_with_a_second_label(estimate: Estimate) -> float:
    """Count items that somebody gave a label other than the most common one.

    Numbers that hardly repeat have no most common one, so this does not limit them.
    """
    source = estimate._basis.evaluation.source
    if not source.in_memory:
        return math.inf

    rows = all_rows(source)
    if isinstance(rows.form, MomentForm):
        return math.inf
    common = int(np.argmax(np.asarray(rows.vectors @ rows.multiplicity)))
    modal = rows.vectors[[common]]
    modal = dense(modal).ravel()
    return float(rows.multiplicity @ ((modal < rows.ratings) & (rows.ratings >= 2.0)))


def error_was_chosen(estimate: Estimate) -> bool:
    """Say whether an error was asked for that resampling items would pass over."""
    basis = estimate._basis
    asked = estimate.standard_error_method != default_method(basis)
    return basis.population is not None or (asked and estimate.status == "ok")


def _why_no_interval(estimate: Estimate, method: str, by: str) -> str | None:
    if estimate.status == "undefined":
        return f"Undefined: {estimate.reason}."
    plain = method == "analytic" and by == "item" and math.isfinite(estimate.standard_error)
    return None if plain or estimate.n_items_used > 1 else "One item gives no interval."


def _remembered_interval(estimate: Estimate, method: str, level: float, **options: Any) -> Interval:
    """Resample, or remember: the same seed would give the same interval again."""
    from consilience.coefficients.resampled import resampled_interval

    wanted = (method, level, options["n_resamples"], options["rng"], options["by"])
    known = isinstance(options["rng"], int)
    if not known or wanted not in estimate._drawn:
        interval = resampled_interval(estimate, method, level, **options)
        if not known:
            return interval
        estimate._drawn[wanted] = interval
    return estimate._drawn[wanted]


def _analytic_interval(estimate: Estimate, level: float) -> Interval:
    if estimate.standard_error_method.endswith("-null"):
        raise UnsupportedDesignError.needs(
            "a confidence interval",
            "a standard error that holds at the estimated value",
            f"{estimate.standard_error_method!r}, which holds at 0 only",
            'compute the coefficient with standard_error="auto"',
        )
    if "boundary" in estimate.flags and estimate.value == 1.0:
        return perfect_interval(estimate, level)
    return wald_interval(
        estimate.value,
        estimate.standard_error,
        confidence_level=level,
        degrees_of_freedom=estimate.degrees_of_freedom(),
        lowest=estimate._basis.coefficient.lowest(estimate._basis.design),
        highest=1.0,
        method="analytic",
    )


def perfect_interval(estimate: Estimate, level: float) -> Interval:
    """Return the interval of full agreement, whose standard error is 0.

    Items that go together may be one answer given many times, so clusters count as the items do.
    """
    clusters = estimate._basis.ratings.clusters
    table = None if clusters is not None else binary_table(estimate._basis)
    if table is not None and estimate._basis.coefficient.chance_from_margins:
        from consilience.inference.binary_kappa import donner_eliasziw_interval

        return donner_eliasziw_interval(*table, confidence_level=level)
    expected = estimate.expected if estimate._basis.coefficient.corrects_for_chance else 0.0
    interval = perfect_agreement_interval(
        estimate.n_items_used if clusters is None else clusters.n_clusters,
        expected or 0.0,
        confidence_level=level,
    )
    lowest = estimate._basis.coefficient.lowest(estimate._basis.design)
    return replace(interval, low=max(interval.low, lowest))


def _goodness_of_fit_interval(estimate: Estimate, level: float) -> Interval:
    if not estimate._basis.coefficient.has_goodness_of_fit or not estimate._basis.design.nominal:
        raise UnsupportedDesignError.needs(
            'method="donner-eliasziw"',
            "pi or alpha of nominal labels",
            f"{estimate.coefficient} with the {estimate.distance!r} distance",
            'use method="auto"',
        )
    from consilience.inference import goodness_of_fit_interval

    return goodness_of_fit_interval(estimate._basis.ratings, confidence_level=level)


def _profile_interval(estimate: Estimate, level: float) -> Interval:
    basis = estimate._basis
    if not basis.coefficient.needs_raters or not basis.design.nominal:
        raise UnsupportedDesignError.needs(
            'method="profile"',
            "Cohen's kappa of two raters and two labels",
            estimate.name,
            'use method="auto"',
        )
    from consilience.inference import profile_interval

    return profile_interval(basis.ratings, confidence_level=level)


for _method in (
    IntervalMethod("auto"),
    IntervalMethod("analytic", _analytic_interval),
    IntervalMethod("dirichlet", _dirichlet_interval),
    IntervalMethod("donner-eliasziw", _goodness_of_fit_interval),
    IntervalMethod("profile", _profile_interval),
    *map(IntervalMethod, RESAMPLED),
):
    INTERVALS.add(_method)


# ---- what an interval says


def too_few(one: Estimate) -> tuple[str, dict[str, object]] | None:
    """Say what is too little for an interval to rest on, with the numbers; None: there is enough.

    Parameters
    ----------
    one : Estimate

    Returns
    -------
    str and dict, or None

    Examples
    --------
    >>> from consilience import krippendorff_alpha
    >>> too_few(krippendorff_alpha([1, 2, 2], [1, 2, 1]))
    ('3 items are too few', {'items': 3})
    """
    ratings, n = one._basis.ratings, one.n_items_used
    if ratings.has_sums_only or one.status != "ok":
        return None
    evidence: dict[str, object] = {"items": n}
    if n < _FEWEST_ITEMS:
        return f"{counted(n, 'item')} {'is' if n == 1 else 'are'} too few", evidence
    if isinstance(ratings.store, NumberMatrix):
        return None
    carriers = items_with_a_second_label(one)
    if carriers >= _FEWEST_CARRIERS:
        return None
    evidence["items_with_a_second_label"] = carriers
    so_few = f"Only {carriers:,.0f}" if carriers else "None"
    what = f"{so_few} of {n:,} items got any label but the most common one: too few"
    return what, evidence


def verdict_of(one: Estimate, confidence_level: float = 0.95) -> Verdict:
    """Judge an estimate by its interval.

    Parameters
    ----------
    one : Estimate
    confidence_level : float, default 0.95

    Returns
    -------
    Verdict

    Examples
    --------
    >>> from consilience import Ratings, cohen_kappa
    >>> verdict_of(cohen_kappa(Ratings.from_table([[25, 24], [26, 25]]))).code
    'no_better_than_chance'
    """
    interval = one.interval_shown(confidence_level)
    coefficient, scarce = one._basis.coefficient, too_few(one)
    judged = verdict_on(
        one.name,
        one.value,
        interval,
        sample=counted(one.n_items_used, "item"),
        reason=None if one.reason is None else _without_code(one.reason),
        too_few="" if scarce is None else f"{scarce[0]}.",
    )
    if coefficient.chance_from_margins or judged.code in _OF_ANY_SCALE:
        return judged
    gauge = Gauge.of(one.name, one.value, interval)
    if coefficient.corrects_for_chance:
        why = "The thresholds that are quoted for kappa and alpha do not hold for it."
    else:
        why = "That is not corrected for chance, so it gets no verdict."
    return unjudged(gauge, why, "Look at Krippendorff's alpha beside it.")


def _without_code(reason: str) -> str:
    return (reason.partition(": ")[2] or reason).rstrip(".")
