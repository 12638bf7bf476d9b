"""From influence to error: value and gradient of a statistic of rows, variances, also of
clusters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from consilience.core.arrays import Floats, Ints, Mask, product
from consilience.rows import Rows, Term
from consilience.rows.distinct_rows import MovingMetric, RowSource, RowTable
from consilience.rows.forms import Vectors

if TYPE_CHECKING:
    from consilience.rows.number_rows import NumberGroup

# ---- Value, gradient and influence of any statistic that is a function of terms over rows.

_METRIC = "metric"
_RANKED = ("values", "disagreement", "margin")  # the terms of Krippendorff's alpha
Formula = Callable[[Mapping[str, Any]], Any]
_ROUNDING = 1e-13  # of summed squares: below it, influences are all alike
_STEP = 1e-30  # complex step: no subtraction, so the derivative is exact to the last digit


@dataclass(frozen=True)
class Evaluation:
    """A statistic evaluated on rows: its terms' totals, and how each row moves it."""

    terms: Mapping[str, Term]
    source: RowSource

    @cached_property
    def _moments(self) -> tuple[dict[str, Floats], Floats | None, float, float]:
        """Totals of every feature and, when rows pass by only once, their products too."""
        groups = getattr(self.source, "groups", None)
        if groups is not None:
            return self._grouped_moments(groups)
        totals: dict[str, Floats] = {}
        products: Floats | None = None
        rated = pairable = 0.0
        for rows in self.source.chunks():
            features = {name: term.features(rows) for name, term in self.terms.items()}
            for name, feature in features.items():
                added = np.asarray(feature @ rows.multiplicity)
                totals[name] = totals[name] + added if name in totals else added
            if not self.source.in_memory:
                stacked = np.concatenate(list(features.values()))
                products = stacked @ stacked.T + (0.0 if products is None else products)
            rated += float(rows.multiplicity @ (rows.ratings > 0))
            pairable += float(rows.multiplicity @ rows.pairable)
        return totals, products, rated, pairable

    def _grouped_moments(
        self, groups: list[NumberGroup]
    ) -> tuple[dict[str, Floats], Floats, float, float]:
        """Use sums over items with equally many ratings, in whose facts features are linear.

        The features' values at the corners of the facts give the linear map.
        """
        n_features = sum(self._widths)
        more = groups[0].totals.size - self.source.form.size - 1  # facts of ranks that move
        size = n_features + more
        total, products = np.zeros(size), np.zeros((size, size))
        rated = pairable = 0.0
        for group in groups:
            corners = group.corners(self.source.form)  # type: ignore[arg-type]
            at = np.concatenate([term.features(corners) for term in self.terms.values()])
            linear = np.zeros((size, group.totals.size))
            linear[:n_features, : at.shape[1]] = at
            linear[:n_features, 1 : at.shape[1]] -= at[:, :1]
            linear[n_features:, at.shape[1] :] = np.eye(more)
            total += linear @ group.totals
            products += linear @ group.products @ linear.T
            rated += group.totals[0]
            pairable += group.totals[0] if group.n_ratings >= 2 else 0.0
        parts = np.split(total[:n_features], np.cumsum(self._widths)[:-1])
        totals = dict(zip(self.terms, parts, strict=True))
        if more:
            totals[_METRIC] = total[n_features:]
        return totals, products, rated, pairable

    @property
    def _widths(self) -> list[int]:
        """How many features each term has."""
        form = self.source.form
        probe = Rows(form, np.zeros((form.size, 1)), np.zeros(1), np.ones(1))
        return [term.features(probe).shape[0] for term in self.terms.values()]

    @property
    def totals(self) -> dict[str, Floats]:
        """The totals that each term adds up."""
        return self._moments[0]

    @property
    def n_rated(self) -> int:
        """Number of items with at least one rating."""
        return round(self._moments[2])

    @property
    def n_pairable(self) -> int:
        """Number of items with at least two ratings."""
        return round(self._moments[3])

    @cached_property
    def numbers(self) -> dict[str, float]:
        """The number that each term gives."""
        return {name: float(term.value(self.totals[name])) for name, term in self.terms.items()}

    def slopes(self, formula: Formula) -> dict[str, float]:
        """Return the derivative of a formula with respect to each term's number."""
        numbers: dict[str, complex] = {name: complex(x) for name, x in self.numbers.items()}
        out = {}
        for name, number in numbers.items():
            step = _STEP * max(1.0, abs(number))
            moved = formula({**numbers, name: number + 1j * step})
            out[name] = float(np.imag(moved)) / step
        return out

    def gradients(self, slopes: Mapping[str, float]) -> dict[str, Floats]:
        """Chain the slopes of the numbers to the features' totals."""
        chained = {
            name: slope * self.terms[name].gradient(self.totals[name])
            for name, slope in slopes.items()
        }
        metric = self._metric_gradient(slopes)
        return chained if metric is None else {**chained, _METRIC: metric}

    def _metric_gradient(self, slopes: Mapping[str, float]) -> Floats | None:
        """Return the derivative through the metric, where it depends on the labels' counts.

        For points rho_k on a line every number is sum O_kl (rho_k - rho_l)^2, whose derivative
        is 4 (rho_k (O 1)_k - (O rho)_k); the metric pulls it back from points to counts.
        """
        metric = self.source.metric
        if metric is None:
            return None
        centred = metric.points - metric.points.mean()
        x = np.stack([np.ones(centred.size), centred], axis=1)
        slope = np.zeros(centred.size)
        for name, term in self.terms.items():
            coupled = term.coupling(self.totals[name], self.source, x)
            if coupled is not None:
                slope += slopes[name] * 4.0 * (centred * coupled[:, 0] - coupled[:, 1])
        return metric.pull_back(slope)

    def influence_moments(self, slopes: Mapping[str, float]) -> tuple[float, float]:
        """Return the sum and the sum of squares of all items' influence."""
        gradients = self.gradients(slopes)
        products = self._moments[1]
        if products is not None:
            names = list(self.terms)
            if _METRIC in self.totals:  # ranks: known for the two terms of alpha that they are in
                if tuple(self.terms) != _RANKED:
                    return float("nan"), float("nan")
                gradients[_METRIC] = np.array([slopes[name] for name in _RANKED[1:]])
                names.append(_METRIC)
            stacked = np.concatenate([gradients[name] for name in names])
            totals = np.concatenate([self.totals[name] for name in names])
            return float(stacked @ totals), float(stacked @ products @ stacked)
        total = square = 0.0
        for rows in self.source.chunks():
            influence = self.influence(rows, gradients)
            total += float(rows.multiplicity @ influence)
            square += float(rows.multiplicity @ influence**2)
        return total, square

    def influence(self, rows: Rows, gradients: Mapping[str, Floats]) -> Floats:
        """Return how much each row moves the statistic, to first order."""
        out = np.zeros(rows.ratings.size)
        for name, gradient in gradients.items():
            if name == _METRIC:  # the counts that make the metric are those of pairable items
                out += _product(gradient, rows.vectors) * rows.pairable
            else:
                out += _product(gradient, self.terms[name].features(rows))
        return out


@dataclass(frozen=True)
class ManyEvaluations:
    """A statistic on the same rows under many multiplicities at once, one column each.

    What `Evaluation` does for one set of ratings, this does for all pairs of raters: they share the
    few kinds of rows that two raters can have, and differ in how often each occurs.
    """

    terms: Mapping[str, Term]
    rows: Rows
    weights: Floats  # rows x columns
    metric: MovingMetric | None = None  # whose points have a column each

    @cached_property
    def _features(self) -> dict[str, Vectors]:
        return {name: term.features(self.rows) for name, term in self.terms.items()}

    @cached_property
    def totals(self) -> dict[str, Floats]:
        """The totals that each term adds up, by column."""
        return {name: product(f, self.weights) for name, f in self._features.items()}

    @cached_property
    def n_rated(self) -> Floats:
        """Number of items with at least one rating."""
        return np.asarray((self.rows.ratings > 0).astype(np.float64) @ self.weights)

    @cached_property
    def n_pairable(self) -> Floats:
        """Number of items with at least two ratings."""
        return np.asarray(self.rows.pairable @ self.weights)

    @cached_property
    def numbers(self) -> dict[str, Floats]:
        """The number that each term gives in each column."""
        size = self.weights.shape[1]
        return {
            name: np.broadcast_to(np.asarray(term.value(self.totals[name])), (size,))
            for name, term in self.terms.items()
        }

    def slopes(self, formula: Formula) -> dict[str, Floats]:
        """Return the derivative of a formula with respect to each term's number."""
        numbers = {name: x.astype(complex) for name, x in self.numbers.items()}
        out = {}
        for name, number in numbers.items():
            step = _STEP * np.maximum(1.0, np.abs(number))
            out[name] = np.imag(formula({**numbers, name: number + 1j * step})) / step
        return out

    def centred_squares(
        self, slopes: Mapping[str, Floats], n_items: Floats, fixed: Mask | None = None
    ) -> Floats:
        """Return the summed squares of centred influence in each column.

        In `fixed` columns the metric is taken to be given rather than to depend on the data.
        """
        influence = np.zeros(self.weights.shape)
        for name, term in self.terms.items():
            if self._features[name].shape[0]:
                gradient = slopes[name] * term.gradient(self.totals[name])
                influence += product(self._features[name].T, gradient)
        if self.metric is not None:
            pulled = product(self.rows.vectors.T, self._metric_gradient(self.metric, slopes))
            if fixed is not None:
                pulled[:, fixed] = 0.0
            influence += pulled * self.rows.pairable[:, None]
        weighted = self.weights * influence
        total, square = weighted.sum(axis=0), (weighted * influence).sum(axis=0)
        centred = np.maximum(square - total**2 / n_items, 0.0)
        return np.where(centred <= _ROUNDING * square, 0.0, centred)

    def _metric_gradient(self, metric: MovingMetric, slopes: Mapping[str, Floats]) -> Floats:
        """Return the derivative through the metric; see `Evaluation`."""
        source = RowTable(self.rows, 0, metric)
        centred = metric.points - metric.points.mean(axis=0)
        slope = np.zeros(centred.shape)
        for name, term in self.terms.items():
            totals = self.totals[name]
            even = term.coupling(totals, source, np.ones_like(centred))
            placed = term.coupling(totals, source, centred)
            if even is not None and placed is not None:
                slope += slopes[name] * 4.0 * (centred * even - placed)
        return metric.pull_back(slope)


def _product(gradient: Floats, features: Vectors) -> Floats:
    return np.asarray(features.T @ gradient)


def linearised_variance(
    evaluation: Evaluation,
    slopes: Mapping[str, float],
    n_items: int,
    *,
    divisor: str = "n-1",
    population: float | None = None,
) -> float:
    """Return the linearised variance: n / (n - 1) times the summed squares of centred influence.

    With ``divisor="n"`` the factor is 1, as in the tables of Fleiss, Cohen & Everitt (1969).
    ``population`` is the number of items that the sample was drawn from, without replacement.

    Parameters
    ----------
    evaluation : Evaluation
    slopes : mapping
        Derivative of the value by each term's number.
    n_items : int
    divisor : {"n-1", "n"}
    population : float, optional

    Returns
    -------
    float

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> moments = SimpleNamespace(influence_moments=lambda slopes: (0.0, 0.02))  # sum, squares
    >>> round(linearised_variance(moments, {}, 50), 6)
    0.020408
    """
    if n_items < 2:
        return float("nan")
    total, square = evaluation.influence_moments(slopes)
    centred = max(square - total**2 / n_items, 0.0)
    if centred <= _ROUNDING * square:  # influences that are all alike: what is left is rounding
        centred = 0.0
    factor = n_items / (n_items - 1) if divisor == "n-1" else 1.0
    correction = 1.0 - n_items / population if population else 1.0
    return factor * correction * centred


# ---- Items that go together: what a sum of influences over whole clusters says about errors.

SmallSample = Literal["clusters", "always", "never"]


def clustered_variance(
    influence: Floats, cluster: Ints | None, *, small_sample: SmallSample = "clusters"
) -> float:
    """Return the variance of a sum of influences, those of a cluster taken together.

    `small_sample` says when the factor n / (n - 1) is taken: for n clusters, for n items as well,
    or never.
    """
    sums = influence if cluster is None else np.bincount(cluster, weights=influence)
    variance = float(sums @ sums)
    if small_sample == "never" or (cluster is None and small_sample == "clusters"):
        return variance
    n = influence.size if cluster is None else int(np.unique(cluster).size)
    return variance * n / max(n - 1, 1)


def linearised_error(influence: Floats, clusters: Ints | None) -> tuple[float, float]:
    """Return the error of a mean of influences, and its degrees of freedom.

    n / (n - 1) sum (S_g - mean)^2 with S_g the influence of an item, or the summed influence of the
    items of a cluster, as in Liang & Zeger (1986); degrees of freedom are the units less one.
    """
    n = influence.size
    centred = (influence - influence.mean()) / max(n, 1)
    if clusters is not None:
        centred = np.bincount(clusters, weights=centred)
    units = centred.size
    if units < 2:
        return math.nan, 0.0
    return math.sqrt(units / (units - 1.0) * float(centred @ centred)), units - 1.0


def jackknife_error(without: Floats, times: Floats | None = None) -> float:
    """Return the error of a statistic from its values without each unit, each so many times."""
    times = np.ones(without.size) if times is None else times
    n = float(times.sum())
    if n < 2.0:
        return math.nan
    mean = float(times @ without) / n
    return math.sqrt((n - 1.0) / n * float(times @ (without - mean) ** 2))


def quadratic_form(vector: Floats, covariance: Floats) -> tuple[float, float]:
    """Return v' C^- v and the rank of C, for a vector in the range of C."""
    values, axes = np.linalg.eigh(covariance)
    keep = values > 1e-9 * max(values[-1], 0.0)
    along = axes[:, keep].T @ vector
    return float((along**2 / values[keep]).sum()), float(keep.sum())


@dataclass(frozen=True)
class ClusteredContrast:
    """Whether vectors that clusters add up to are zero on average.

    Attributes
    ----------
    score : float
        d' (sum u_g u_g')^- d with u_g the vector of a cluster and d their sum.
    rank : float
        Degrees of freedom of the hypothesis.
    n_clusters : int
    """

    score: float
    rank: float
    n_clusters: int

    @classmethod
    def of(cls, sums: Floats) -> ClusteredContrast:
        """Take the vectors of the clusters (clusters x numbers)."""
        score, rank = quadratic_form(sums.sum(axis=0), sums.T @ sums)
        return cls(score, rank, len(sums))

    @property
    def wald(self) -> float:
        """The statistic with the variance about the mean instead of about 0: Hotelling's T^2."""
        left = self.n_clusters - self.score
        return (self.n_clusters - 1.0) * self.score / left if left > 0.0 else math.inf

    @property
    def p_value(self) -> float:
        """That of T^2 (n - r) / (r (n - 1)) with r and n - r degrees of freedom; NaN if n <= r."""
        n, r = self.n_clusters, self.rank
        if not 0.0 < r < n:
            return math.nan
        from scipy.special import fdtrc

        return float(fdtrc(r, n - r, self.wald * (n - r) / (r * (n - 1.0))))


def sums_by_cluster(place: Ints, weight: Floats, shape: tuple[int, int]) -> Floats:
    """Add up weights at places cluster * numbers + number, as clusters x numbers."""
    found = np.bincount(place, weights=weight, minlength=shape[0] * shape[1])
    return np.asarray(found.reshape(shape), dtype=np.float64)


# ---- Standard errors by name, as the papers print them, for checking and for null hypotheses.


def fleiss_cohen_everitt(table: Floats, weights: Floats, *, null: bool = False) -> float:
    """Standard error of (weighted) kappa from the cross-table of two raters.

    Parameters
    ----------
    table : counts, rows belonging to the first rater
    weights : agreement weights, 1 on the diagonal
    null : whether kappa is 0 (for testing that only) or as estimated

    Returns
    -------
    float

    References
    ----------
    .. [1] Fleiss, J. L., Cohen, J. & Everitt, B. S. (1969). Large sample standard errors of kappa
       and weighted kappa. Psychological Bulletin 72, 323-327. doi:10.1037/h0028106

    Examples
    --------
    >>> round(fleiss_cohen_everitt(np.array([[70.0, 25], [0, 55]]), np.eye(2)), 4)
    0.0565
    """
    n = table.sum()
    p_kl = table / n
    row, column = p_kl.sum(axis=1), p_kl.sum(axis=0)
    observed = float((weights * p_kl).sum())
    expected = float(row @ weights @ column)
    mean_kl = (weights @ column)[:, None] + (row @ weights)[None, :]
    if null:  # eq. 9 of [1]
        spread = (np.outer(row, column) * (weights - mean_kl) ** 2).sum() - expected**2
    else:  # eq. 8 of [1]
        kappa = (observed - expected) / (1.0 - expected)
        spread = (p_kl * (weights - mean_kl * (1.0 - kappa)) ** 2).sum()
        spread -= (kappa - expected * (1.0 - kappa)) ** 2
    return math.sqrt(max(float(spread), 0.0) / n) / (1.0 - expected)


def fleiss_nee_landis(shares: Floats, n_items: int, n_ratings: int) -> float:
    """Standard error of Fleiss' kappa when there is no agreement beyond chance.

    Parameters
    ----------
    shares : share of each category among all ratings
    n_items : number of items
    n_ratings : ratings per item, the same for every item

    Returns
    -------
    float

    References
    ----------
    .. [1] Fleiss, J. L., Nee, J. C. M. & Landis, J. R. (1979). Large sample variance of kappa in
       the case of different sets of raters. Psychological Bulletin 86, 974-977.
       doi:10.1037/0033-2909.86.5.974

    Examples
    --------
    >>> round(fleiss_nee_landis(np.array([0.5, 0.5]), 50, 4), 4)
    0.0577
    """
    rest = 1.0 - shares
    spread = float((shares * rest).sum())
    bracket = spread**2 - float((shares * rest * (rest - shares)).sum())
    factor = 2.0 / (n_items * n_ratings * (n_ratings - 1))
    return math.sqrt(max(factor * bracket, 0.0)) / spread


def fleiss_nee_landis_category(n_items: int, n_ratings: int) -> float:
    """Standard error of a category's kappa when there is no agreement beyond chance.

    Parameters
    ----------
    n_items : int
    n_ratings : int
        Ratings per item, the same for every item.

    Returns
    -------
    float

    Examples
    --------
    >>> round(fleiss_nee_landis_category(50, 4), 4)
    0.0577
    """
    return math.sqrt(2.0 / (n_items * n_ratings * (n_ratings - 1)))
