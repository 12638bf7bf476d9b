"""What is measured on a panel: means over pairs of raters and their differences, with intervals."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import combinations
from typing import Any, ClassVar, TypeVar

import numpy as np

from consilience.coefficients import Estimate, registry
from consilience.coefficients import uncertainty as errors
from consilience.coefficients.estimates import estimate
from consilience.core.arrays import Floats, Ints, Mask
from consilience.core.draws import RandomStream, Seed, in_threads, seed_sequence
from consilience.core.tails import normal_below, student_below
from consilience.distances import get_distance
from consilience.document.records import Recorded
from consilience.exceptions import (
    ConsilienceError,
    DegenerateDataWarning,
    InputError,
    UnsupportedDesignError,
)
from consilience.inference import Interval, Test, non_inferiority
from consilience.inference.influence import linearised_error
from consilience.inference.intervals import PosteriorDraw, SkewedT, gamma_shape, quantile
from consilience.inference.resampling import Bootstrap, ClusterDraw, Draw, ItemDraw, Replicator
from consilience.panel._panel import Panel
from consilience.ratings import Ratings
from consilience.rows import Rows
from consilience.rows.distinct_rows import clusters_by_keys
from consilience.rows.reduce import count_codes

# ---- Which numbers are compared: coefficients with a distance, and plain shares of marks.

T = TypeVar("T")
_MOST_LABELS_FOR_AC = 50  # with more, Gwet's random rating hardly ever hits the same label
_ORDERED = (
    "cohen_kappa:quadratic",
    "cohen_kappa:linear",
    "gwet_ac:nominal",
    "gwet_ac:linear",
    "gwet_ac:quadratic",
    "krippendorff_alpha",
)
_NOMINAL = ("cohen_kappa", "gwet_ac", "krippendorff_alpha")
_FEW = ("cohen_kappa:quadratic", "krippendorff_alpha")
SHARES = ("identical", "within_1", "within_2")
ERRORS = ("mean_absolute_difference", "root_mean_square_difference")
TITLES = {
    "identical": "share identical",
    "within_1": "share within 1",
    "within_2": "share within 2",
    "mean_absolute_difference": "mean absolute difference",
    "root_mean_square_difference": "root mean square difference",
}


@dataclass(frozen=True)
class Measure:
    """A coefficient with its distance, or a share of marks."""

    key: str
    title: str
    coefficient: str | None = None
    distance: Any = None

    @property
    def smaller_is_better(self) -> bool:
        """Whether it counts errors."""
        return self.key in ERRORS

    def of(self, ratings: Ratings) -> Estimate | str:
        """Return the estimate, or why there is none."""
        assert self.coefficient is not None
        try:
            return estimate(
                registry[self.coefficient],
                (ratings,),
                distance=self.distance,
                on_undefined="ignore",
            )
        except UnsupportedDesignError as error:
            return str(error)


def measures_of(panel: Panel, coefficients: Any) -> list[Measure]:
    """Return the coefficients that were asked for, or those that fit, and the shares."""
    found = [_measure(panel, word) for word in _words(panel, coefficients)]
    shares = ("identical",) if panel.points is None else (*SHARES, *ERRORS)
    return [
        *{one.key: one for one in found}.values(),
        *(Measure(key, TITLES[key]) for key in shares),
    ]


def _words(panel: Panel, coefficients: Any) -> Sequence[Any]:
    if coefficients is None and panel.ratings.scale == "nominal":
        return _NOMINAL
    if coefficients is None:
        return _ORDERED if len(panel.ratings.categories) <= _MOST_LABELS_FOR_AC else _FEW
    is_one = isinstance(coefficients, str) or not isinstance(coefficients, Iterable)
    words = [coefficients] if is_one else list(coefficients)
    if not words:
        raise InputError.expected(
            "coefficients", "at least one", words, "leave it out for those that fit the scale"
        )
    return words


def _measure(panel: Panel, word: Any) -> Measure:
    name, distance = word if isinstance(word, tuple) else (str(word), None)
    if distance is None and ":" in name:
        name, _, distance = name.partition(":")
    chosen = registry[name]
    distance = _implied(name, distance, panel)
    try:
        measured = get_distance(distance, scale=panel.ratings.scale)
    except ConsilienceError as error:
        raise InputError(f"coefficients: {error}") from None
    reason = chosen.supports(panel.ratings.select(raters=panel.raters[:2]))
    if reason is not None:
        raise UnsupportedDesignError.needs(chosen.name, reason, "a panel", "choose another one")
    title = _title(chosen.name, measured.name)
    return Measure(f"{chosen.name}:{measured.name}", title, chosen.name, distance)


def _implied(name: str, distance: Any, panel: Panel) -> Any:
    """AC1 is nominal, AC2 is not: the name says what no distance says."""
    if distance is not None:
        return distance
    word = name.strip().lower()
    if word in ("ac1", "gwet_ac1"):
        return "nominal"
    if word in ("ac2", "gwet_ac2") and panel.ratings.scale != "nominal":
        return "quadratic"
    return None


def _title(name: str, distance: str) -> str:
    nominal = distance == "nominal"
    words = {
        "cohen_kappa": "Cohen's kappa" if nominal else "weighted kappa",
        "gwet_ac": "Gwet's AC1" if nominal else "Gwet's AC2",
        "krippendorff_alpha": "Krippendorff's alpha",
        "scott_pi": "Scott's pi" if nominal else "alpha'",
        "bennett_s": "Bennett's S",
        "percent_agreement": "percent agreement",
    }
    return words.get(name, name.replace("_", " ")) + ("" if nominal else f" ({distance})")


def share_features(
    measures: list[Measure], pair: Ints, points: Floats | None, n_labels: int
) -> tuple[Floats, Floats]:
    """Return what each pattern of a pair adds to every share, and whether it counts at all.

    A code of `n_labels` is a refusal that counts as wrong: it is no hit and has no difference.
    """
    first, second = pair[:, 0], pair[:, 1]
    counts = ((first >= 0) & (second >= 0)).astype(np.float64)
    given = (counts > 0) & (first < n_labels) & (second < n_labels)
    rows = []
    for one in measures:
        if one.key == "identical":
            rows.append(given & (first == second))
            continue
        assert points is not None
        gap = np.zeros(len(pair))
        gap[given] = np.abs(points[first[given]] - points[second[given]])
        if one.key.startswith("within_"):
            rows.append(given & (gap <= float(one.key[7:]) + 1e-9))
        else:
            rows.append(np.where(given, gap if one.key.startswith("mean") else gap**2, np.nan))
    return np.array(rows, dtype=np.float64).reshape(len(measures), -1), counts


# ---- Every pair of raters as a function of how often each pattern of their labels occurs.


@dataclass(frozen=True)
class Pair:
    """Two raters: an estimate for each coefficient, or the reason why there is none."""

    panel: Panel
    first: object
    second: object
    measures: Sequence[Measure]

    @cached_property
    def estimates(self) -> dict[str, Estimate | str]:
        """Estimates by key."""
        two = self.panel.select([self.first, self.second])
        return {m.key: m.of(two) for m in self.measures if m.coefficient is not None}

    @cached_property
    def codes(self) -> Ints:
        """The codes of both on every item; a refusal that counts as wrong has a code of its own."""
        places = [self.panel.column(self.first), self.panel.column(self.second)]
        codes = self.panel.codes[:, places].astype(np.int64)
        codes[self.panel.refused[:, places]] = len(self.panel.ratings.categories)
        return codes

    @cached_property
    def n_items(self) -> int:
        """Number of items that both answered."""
        return int((self.codes >= 0).all(axis=1).sum())

    @cached_property
    def whole(self) -> PairPatterns:
        """The pair's patterns on all items."""
        codes, times = distinct(self.codes)
        return PairPatterns(self, codes, times)

    @cached_property
    def plain(self) -> list[int]:
        """The places of shares and errors among the measures."""
        return [k for k, one in enumerate(self.measures) if one.coefficient is None]

    @property
    def roots(self) -> list[int]:
        """The places of roots among the shares and errors."""
        return [j for j, k in enumerate(self.plain) if self.measures[k].key.startswith("root")]

    @cached_property
    def values(self) -> Floats:
        """Every measure on the data themselves; NaN where it does not exist."""
        out = np.full(len(self.measures), np.nan)
        out[self.plain] = self.whole.shares(self.whole.times[:, None])[:, 0]
        for k, one in enumerate(self.measures):
            found = self.estimates.get(one.key)
            if isinstance(found, Estimate):
                out[k] = found.value
        return out

    def influence(self) -> Floats:
        """Return n times the influence of each item on every measure (measures x items)."""
        out = np.zeros((len(self.measures), len(self.codes)))
        for k, one in enumerate(self.measures):
            found = self.estimates.get(one.key)
            if isinstance(found, Estimate) and found.status == "ok":
                out[k] = found.item_influence() * len(self.codes) / max(found.sample_size(), 1)
        features, weight = self.share_features(self.codes)
        total = np.maximum(weight.sum(axis=1, keepdims=True), 1.0)
        mean = features.sum(axis=1, keepdims=True) / total
        pull = weight.shape[1] * weight * (features - mean) / total
        for k in self.roots:
            if mean[k, 0] > 0.0:
                pull[k] /= 2.0 * np.sqrt(mean[k, 0])
        out[self.plain] = pull
        return out

    def share_features(self, codes: Ints) -> tuple[Floats, Floats]:
        """Return what each pattern adds to the shares and errors, and where it counts."""
        plain = [self.measures[k] for k in self.plain]
        n_labels = len(self.panel.ratings.categories)
        features, counts = share_features(plain, codes, self.panel.points, n_labels)
        known = np.isfinite(features)
        return np.where(known, features, 0.0), np.where(known, counts, 0.0)


@dataclass(frozen=True)
class PairPatterns:
    """Distinct patterns of a pair, and every measure as a function of their multiplicities."""

    pair: Pair
    codes: Ints
    times: Floats

    @cached_property
    def _replicators(self) -> list[Replicator | None]:
        n_labels = len(self.pair.panel.ratings.categories)
        plain = np.where(self.codes >= n_labels, -1, self.codes)
        counted = count_codes(plain, self.times, n_labels, by_rater=True)
        out: list[Replicator | None] = []
        for one in self.pair.measures:
            found = self.pair.estimates.get(one.key)
            if not isinstance(found, Estimate) or found.status != "ok":
                out.append(None)
                continue
            basis = found.basis
            source = basis.evaluation.source
            rows = Rows(
                source.form,
                counted.vectors,
                counted.ratings,
                counted.multiplicity,
                counted.by_rater,
            )
            out.append(Replicator(basis.coefficient, errors.with_form(rows, basis), source.metric))
        return out

    @cached_property
    def _features(self) -> tuple[Floats, Floats]:
        return self.pair.share_features(self.codes)

    def warm(self) -> None:
        """Compute what threads share before they start."""
        _ = self._features
        for one in self._replicators:
            if one is not None:
                _ = one._features

    def values(self, weights: Floats) -> Floats:
        """Return every measure (measures x resamples) for multiplicities of the patterns."""
        out = np.full((len(self.pair.measures), weights.shape[1]), np.nan)
        for k, replicator in enumerate(self._replicators):
            if replicator is not None:
                out[k] = replicator.values(weights)
        out[self.pair.plain] = self.shares(weights)
        return out

    def shares(self, weights: Floats) -> Floats:
        """Return the shares and errors (shares x resamples)."""
        features, counts = self._features
        with np.errstate(divide="ignore", invalid="ignore"):
            means = (features @ weights) / (counts @ weights)
        means[self.pair.roots] = np.sqrt(means[self.pair.roots])
        return np.asarray(means)


def distinct(codes: Ints) -> tuple[Ints, Floats]:
    """Return the distinct rows of codes and how often each occurs."""
    rows, times, _ = distinct_with_inverse(codes)
    return rows, times


def distinct_with_inverse(codes: Ints) -> tuple[Ints, Floats, Ints]:
    """Return distinct rows, how often each occurs, and the distinct row of each given row."""
    base = int(codes.max(initial=0)) + 2
    if base ** codes.shape[1] >= 1 << 62:
        rows, inverse, times = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
        return rows, times.astype(np.float64), inverse.ravel()
    key = np.zeros(len(codes), dtype=np.int64)
    for column in codes.T:
        key = key * base + column + 1
    distinct_keys, inverse, times = np.unique(key, return_inverse=True, return_counts=True)
    rows = np.empty((distinct_keys.size, codes.shape[1]), dtype=np.int64)
    left = distinct_keys
    for j in range(codes.shape[1] - 1, -1, -1):
        left, rows[:, j] = np.divmod(left, base)
    return rows - 1, times.astype(np.float64), inverse


def gathered(inverse: Ints, unit: Ints, shape: tuple[int, int]) -> Any:
    """Return the sparse matrix that turns how often units are drawn into patterns' counts."""
    from scipy.sparse import csr_array

    return csr_array((np.ones(inverse.size), (inverse, unit)), shape=shape)


# ---- Posterior draws of what is compared in a panel: rows of labels, and a weak prior on few
# kinds.
#
# As for single coefficients (`consilience.inference.intervals`), each distinct row of labels has a
# gamma weight, and rows that nobody may have shown yet have small ones: all raters give one
# label, or one of them differs. That a system is the one who differs weighs as much again and
# half as much more: whether it is as good as people must not be concluded from items that are
# merely too few to show its errors.

_UNANIMOUS = 0.5  # prior mass on rows of one label, beside 1 / raters
_ONE_DISSENTS = 0.5  # on rows in which one of the raters differs
_SYSTEM_DISSENTS = 0.75  # on rows in which it is a system, beside that
_MOST_RARE = 2
_MOST_ROWS = 600
_LEVEL = 0.95  # at which few units are given Student's tails


def prior_rows(codes: Ints, n_labels: int, is_system: list[bool]) -> tuple[Ints, Floats]:
    """Return the prior's rows of labels, and the shapes of their weights."""
    m = codes.shape[1]
    given = np.bincount(codes[(codes >= 0) & (codes < n_labels)], minlength=n_labels)
    q = (given + 0.5) / (given + 0.5).sum()
    n_shown = max(2, int(0.5 + math.sqrt(0.25 + _MOST_ROWS / m)))
    shown = np.argsort(-q, kind="stable")[:n_shown]
    pairs = np.array([(c, d) for c in shown for d in shown if c != d], dtype=np.int64)
    alike = np.repeat(np.arange(n_labels)[:, None], m, axis=1)
    shapes = [np.full(n_labels, (_UNANIMOUS + 1.0 / m) / n_labels)]
    if not len(pairs):
        return alike, shapes[0]
    weight = q[pairs[:, 0]] ** min(m - 1, _MOST_RARE) * q[pairs[:, 1]]
    weight *= _confused(codes, q, n_labels)[pairs[:, 0], pairs[:, 1]]
    weight /= weight.sum()
    rows = [alike]
    for place, system in enumerate(is_system):
        one = np.repeat(pairs[:, :1], m, axis=1)
        one[:, place] = pairs[:, 1]
        rows.append(one)
        shapes.append(weight * (_ONE_DISSENTS / m + (_SYSTEM_DISSENTS if system else 0.0)))
    return np.concatenate(rows), np.concatenate(shapes)


def _confused(codes: Ints, q: Floats, n_labels: int) -> Floats:
    """Return how much more often labels are taken for each other than their shares say.

    Neighbours on a scale are, mostly; one item's worth of chance keeps all others possible.
    """
    seen = np.zeros((n_labels, n_labels))
    pairs = list(combinations(range(codes.shape[1]), 2))
    for a, b in pairs:
        one, other = codes[:, a], codes[:, b]
        both = (one >= 0) & (other >= 0) & (one < n_labels) & (other < n_labels)
        np.add.at(seen, (one[both], other[both]), 0.5 / len(pairs))
        np.add.at(seen, (other[both], one[both]), 0.5 / len(pairs))
    chance = np.outer(q, q)
    return np.asarray((seen + chance) / chance)


def draw_of(times: Floats, shapes: Floats, inflation: float) -> PosteriorDraw:
    """Return how weights of the units (distinct rows, or documents) and of the prior are drawn."""
    shape = gamma_shape(float(times.sum()), _LEVEL)
    scales = [np.full(times.size, 1.0 / shape), np.full(shapes.size, inflation)]
    return PosteriorDraw(np.concatenate([shape * times, shapes]), np.concatenate(scales))


def tail_widening(value: float, left_out: Floats, times: Floats) -> float:
    """Return how much wider the tails are than Student's t for all units, by the skew seen."""
    known = np.isfinite(left_out)
    n = float(times[known].sum())
    if n < 4 or np.ptp(left_out[known]) == 0.0:
        return 1.0
    degrees = SkewedT.of(value, left_out[known], times[known]).degrees_of_freedom
    upper = (1.0 + _LEVEL) / 2.0
    return quantile(upper, degrees) / quantile(upper, n - 1.0)


@dataclass(frozen=True)
class DrawnValue:
    """Draws of one value, from small to large, and how much wider its tails are read."""

    draws: Floats
    widening: float = 1.0

    def limits(self, level: float) -> tuple[float, float]:
        """Return order statistics, as far from either end."""
        tail = normal_below(-quantile((1.0 + level) / 2.0, None) * self.widening)
        rank = max(1, round((self.draws.size + 1) * tail))
        return float(self.draws[rank - 1]), float(self.draws[-rank])

    def p_value(self, null: float, *, two_sided: bool = False) -> float:
        """Return the p-value that is dual to the limits: that the value is not above the null."""
        size = self.draws.size + 1
        below = (1 + int((self.draws <= null).sum())) / size
        above = (1 + int((self.draws >= null).sum())) / size
        tail = min(below, above) if two_sided else below
        tail = normal_below(quantile(min(tail, 1.0 - 1.0 / size), None) / self.widening)
        return min(1.0, 2.0 * tail) if two_sided else tail


# ---- Means over pairs of raters and their differences, with intervals over items or documents.

_CELLS_AT_ONCE = 4_000_000
_MOST_LEFT_OUT = 3_000  # units; of more, the error is known well enough


@dataclass(frozen=True, slots=True, kw_only=True)
class Value(Recorded):
    """A number with its standard error and interval; NaN with a reason where it does not exist."""

    unrecorded: ClassVar[tuple[str, ...]] = ("_drawn",)

    value: float
    standard_error: float
    interval: Interval
    reason: str | None = None
    _drawn: DrawnValue | None = field(default=None, repr=False, compare=False)

    @classmethod
    def of(
        cls,
        value: float,
        error: float = math.nan,
        limits: tuple[float, float] = (math.nan, math.nan),
        *,
        level: float,
        method: str,
        reason: str | None = None,
        drawn: DrawnValue | None = None,
    ) -> Value:
        """Return a value with the limits of its interval; without any, it has none."""
        interval = Interval(*limits, level, method)
        return cls(
            value=value, standard_error=error, interval=interval, reason=reason, _drawn=drawn
        )

    @classmethod
    def by_t(
        cls, value: float, error: float, freedom: float, *, level: float, method: str
    ) -> Value:
        """Return a value with the limits of Student's t; no degrees of freedom, no limits."""
        reach = quantile(0.5 + level / 2.0, freedom) * error if freedom > 0.0 else math.nan
        return cls.of(value, error, (value - reach, value + reach), level=level, method=method)

    def _beside(self) -> dict[str, object]:
        return {"interval": None if math.isnan(self.interval.low) else self.interval}

    def non_inferiority(self, margin: float) -> Test:
        """Test whether a difference is worse by less than the margin; dual to the interval."""
        if self._drawn is not None:
            p_value = self._drawn.p_value(-margin)
            distance = (self.value + margin) / self.standard_error if self.standard_error else 0.0
            return Test(distance, p_value, -margin, "greater", "dirichlet")
        return non_inferiority(self.value, standard_error=self.standard_error, margin=margin)


def p_of_nothing(value: float, error: float, freedom: float) -> float:
    """Return the two-sided p-value of no difference, also where nothing varies."""
    if not math.isfinite(error) or freedom < 1.0:
        return math.nan
    if error <= 1e-12 * max(1.0, abs(value)):
        return 1.0 if abs(value) <= 1e-12 else 0.0
    return 2.0 * student_below(-abs(value / error), freedom)


@dataclass(frozen=True)
class Resampling:
    """How sure numbers are made: by draws of items or documents, or by linearisation."""

    level: float
    n_resamples: int
    rng: Seed
    clusters: Ints | None = None
    method: str = "dirichlet"
    cluster_name: str = "cluster"

    @cached_property
    def seed(self) -> np.random.SeedSequence:
        """One sequence for everything, so that repeated calls draw alike."""
        return seed_sequence(self.rng)

    def of_items(self, kept: Mask) -> Resampling:
        """Return the plan for some of the items."""
        if self.clusters is None:
            return self
        return replace(self, clusters=np.unique(self.clusters[kept], return_inverse=True)[1])

    def fresh(self) -> np.random.SeedSequence:
        """Return the sequence as it was at the start."""
        return np.random.SeedSequence(self.seed.entropy)

    def nothing(self, reason: str) -> Value:
        """Return a value that does not exist."""
        return Value.of(math.nan, level=self.level, method=self.method, reason=reason)

    def from_replicates(
        self, value: float, replicates: Floats, widening: Callable[[], float] | None = None
    ) -> Value:
        """Return the interval of draws; percentiles where items were drawn with replacement."""
        if not math.isfinite(value):
            return self.nothing("not defined for these ratings")
        known = replicates[np.isfinite(replicates)]
        if self.method == "dirichlet" and known.size > 0.8 * replicates.size:
            drawn_value = DrawnValue(np.sort(known), widening() if widening else 1.0)
            low, high = drawn_value.limits(self.level)
            return Value.of(
                value,
                float(known.std(ddof=1)) if known.size > 1 else math.nan,
                (min(low, value), max(high, value)),
                level=self.level,
                method=self.method,
                drawn=drawn_value,
            )
        by = "item" if self.clusters is None else "cluster"
        with warnings.catch_warnings():  # told in the value's reason instead
            warnings.simplefilter("ignore", DegenerateDataWarning)
            drawn = Bootstrap.of(value, replicates, by)
            interval = drawn.percentile(self.level)
        share = drawn.undefined_share
        reason = f"undefined on {share:.0%} of the resamples" if share > 0.01 else None
        return Value(
            value=value, standard_error=drawn.standard_error, interval=interval, reason=reason
        )

    def from_influence(self, value: float, influence: Floats) -> Value:
        """Return a t interval from n times the influence of each item, summed by document."""
        if not math.isfinite(value):
            return self.nothing("not defined for these ratings")
        error, freedom = linearised_error(influence, self.clusters)
        return Value.by_t(value, error, freedom, level=self.level, method="linearised")


@dataclass(frozen=True)
class Contrast:
    """A weighted sum of pairs for each measure: a mean, or a difference of means.

    `weights` are measures x pairs; a measure whose weights are all zero does not exist.
    """

    weights: Floats

    def of(self, values: Floats) -> Floats:
        """Return the sums for values of pairs x measures (x anything)."""
        used = self.weights != 0.0
        clean = np.where(used.T.reshape(used.T.shape + (1,) * (values.ndim - 2)), values, 0.0)
        out = np.einsum("mp,pm...->m...", self.weights, clean)
        out[~used.any(axis=1)] = np.nan
        return np.asarray(out)


def mean_over(defined: Floats) -> Contrast:
    """Return the mean over the pairs that have a value (measures x pairs)."""
    n = defined.sum(axis=1, keepdims=True)
    return Contrast(np.divide(defined, n, out=np.zeros_like(defined, dtype=float), where=n > 0))


def against_people(
    pairs: Sequence[Pair], people: Sequence[object], system: object, defined: Floats
) -> Contrast:
    """Return mean_c [K(system, c) - mean_{c' != c} K(c, c')], over people who have both parts."""
    weights = np.zeros_like(defined, dtype=float)
    of_system = np.array([system in (pair.first, pair.second) for pair in pairs])
    of_person = np.array([[one in (pair.first, pair.second) for pair in pairs] for one in people])
    for m, known in enumerate(defined):
        own, among = of_person & of_system & known, of_person & ~of_system & known
        usable = own.any(axis=1) & among.any(axis=1)
        own, among, n = own[usable], among[usable], usable.sum()
        weights[m] = (own / n).sum(axis=0) if n else 0.0
        weights[m] -= (among / n / among.sum(axis=1, keepdims=True)).sum(axis=0) if n else 0.0
    return Contrast(weights)


def known_mean(values: Floats) -> Floats:
    """Return the mean over the first axis, of the numbers that exist."""
    known = np.isfinite(values)
    n = known.sum(axis=0)
    return np.where(n > 0, np.where(known, values, 0.0).sum(axis=0) / np.maximum(n, 1), np.nan)


@dataclass(frozen=True)
class RaterGroup:
    """Some raters whose pairs are resampled together, on the same draws."""

    panel: Panel
    raters: tuple[object, ...]
    pairs: tuple[Pair, ...]
    plan: Resampling

    @cached_property
    def _in_order(self) -> tuple[object, ...]:
        """People and systems by name: draws do not depend on the order in which they came."""
        systems = self.panel.systems
        return tuple(sorted(self.raters, key=lambda one: (one in systems, str(one))))

    @cached_property
    def values(self) -> Floats:
        """Pairs x measures on the data themselves."""
        return np.array([pair.values for pair in self.pairs])

    @cached_property
    def defined(self) -> Floats:
        """Measures x pairs: where there is a value."""
        return np.isfinite(self.values).T

    @cached_property
    def _rows(self) -> tuple[Ints, Ints, Floats, Draw | PosteriorDraw]:
        """Distinct rows of codes, or items; the unit of each; how often units occur; their draw.

        A unit is a distinct row itself, or a document. Rows of a prior have units of their own,
        which occur never.
        """
        places = [self.panel.column(rater) for rater in self._in_order]
        n_labels = len(self.panel.ratings.categories)
        codes = self.panel.codes[:, places].astype(np.int64)
        codes[self.panel.refused[:, places]] = n_labels
        codes, back = self.panel.by_name(codes)
        clusters = self.plan.clusters
        if clusters is None:
            rows, times, _ = distinct_with_inverse(codes)
            unit = np.arange(len(rows))
        else:
            unit = clusters_by_keys(list(codes.T), clusters)
            rows, times = codes, np.ones(int(clusters.max()) + 1)
        if self.plan.method != "dirichlet":
            draw = ItemDraw(times) if clusters is None else ClusterDraw(np.arange(times.size))
            return back[rows], unit, times, draw
        is_system = [rater in self.panel.systems for rater in self._in_order]
        more, shapes = prior_rows(codes, n_labels, is_system)
        rows = back[np.concatenate([rows, more])]
        unit = np.concatenate([unit, times.size + np.arange(len(more))])
        posterior = draw_of(times, shapes, self._inflation)
        return rows, unit, np.concatenate([times, np.zeros(len(more))]), posterior

    @property
    def _inflation(self) -> float:
        """How much more documents vary than items: 1 to the mean size of a document."""
        clusters = self.plan.clusters
        if clusters is None:
            return 1.0
        total = np.sum([pair.influence()[0] for pair in self.pairs], axis=0)
        by_item, by_document = (linearised_error(total, one)[0] for one in (None, clusters))
        if not by_item > 0.0:
            return 1.0
        most = clusters.size / (int(clusters.max()) + 1.0)
        return min(max((by_document / by_item) ** 2, 1.0), most)

    @cached_property
    def _gathers(self) -> list[tuple[Any, PairPatterns]]:
        rows, unit, _, draw = self._rows
        out = []
        for pair in self.pairs:
            places = [self._in_order.index(pair.first), self._in_order.index(pair.second)]
            codes, times, inverse = distinct_with_inverse(rows[:, places])
            patterns = PairPatterns(pair, codes, times)
            patterns.warm()
            out.append((gathered(inverse, unit, (len(codes), draw.n_rows)), patterns))
        return out

    def replicates(
        self,
        contrasts: Sequence[Contrast],
        extra: Callable[[list[Floats]], Floats] | None = None,
    ) -> Floats:
        """Return contrasts x measures, and what `extra` makes of the pairs' weights, by resample.

        The result has one row per contrast and measure, then those of `extra`.
        """
        *_, draw = self._rows
        size = max(1, min(2_500, _CELLS_AT_ONCE // max(draw.n_rows, 1)))
        n = self.plan.n_resamples
        blocks = [slice(k, min(k + size, n)) for k in range(0, n, size)]
        streams = self.plan.fresh().spawn(len(blocks))
        _ = self._gathers  # before threads share them

        def one(job: tuple[slice, np.random.SeedSequence]) -> Floats:
            block, stream = job
            weights = draw(RandomStream.of(stream), block.stop - block.start)
            return self._weighted(weights, contrasts, extra)

        return np.concatenate(
            list(in_threads(one, list(zip(blocks, streams, strict=True)))), axis=1
        )

    def _weighted(
        self,
        weights: Floats,
        contrasts: Sequence[Contrast],
        extra: Callable[[list[Floats]], Floats] | None = None,
    ) -> Floats:
        """Return contrasts x measures, and the extra ones, for weights of the units."""
        by_pair = [np.asarray(gather @ weights) for gather, _ in self._gathers]
        values = np.array(
            [
                patterns.values(part)
                for (_, patterns), part in zip(self._gathers, by_pair, strict=True)
            ]
        )
        parts = [contrast.of(values) for contrast in contrasts]
        if extra is not None:
            parts.append(extra(by_pair))
        return np.concatenate(parts)

    def left_out(self, contrasts: Sequence[Contrast]) -> tuple[Floats, Floats] | None:
        """Return contrasts x measures without each unit, and how often that unit occurs."""
        _, _, times, _ = self._rows
        units = np.flatnonzero(times)
        if units.size > _MOST_LEFT_OUT:
            return None
        size = max(1, _CELLS_AT_ONCE // times.size)
        found = []
        for first in range(0, units.size, size):
            some = units[first : first + size]
            weights = np.repeat(times[:, None], some.size, axis=1)
            weights[some, np.arange(some.size)] -= 1.0
            found.append(self._weighted(weights, contrasts))
        return np.concatenate(found, axis=1), times[units]

    def patterns(self) -> list[PairPatterns]:
        """Return the patterns of each pair, in the order that `extra` sees their weights."""
        return [patterns for _, patterns in self._gathers]

    def times(self) -> list[Floats]:
        """Return how many items each pattern of each pair stands for."""
        _, _, times, _ = self._rows
        return [np.asarray(gather @ times[:, None]) for gather, _ in self._gathers]

    def linearised(self, contrast: Contrast) -> list[Value]:
        """Return the contrast of each measure with its linearised error."""
        values = contrast.of(self.values)
        total = np.zeros((len(values), len(self.panel.codes)))
        for p, pair in enumerate(self.pairs):
            total += contrast.weights[:, p, None] * pair.influence()
        return [self.plan.from_influence(float(v), t) for v, t in zip(values, total, strict=True)]

    def contrasted(
        self,
        contrasts: Sequence[Contrast],
        extra: Callable[[list[Floats]], Floats] | None = None,
    ) -> tuple[list[list[Value]], Floats | None]:
        """Return each contrast of each measure with an interval, and replicates of `extra`."""
        if self.plan.method == "linearised":
            return [self.linearised(contrast) for contrast in contrasts], None
        drawn = self.replicates(contrasts, extra)
        n = len(contrasts) * len(self.defined)
        now = np.concatenate([contrast.of(self.values) for contrast in contrasts])
        known = self.left_out(contrasts) if self.plan.method == "dirichlet" else None
        values = []
        for k, value in enumerate(now.tolist()):
            wider = None if known is None else partial(tail_widening, value, known[0][k], known[1])
            values.append(self.plan.from_replicates(value, drawn[k], wider))
        size = len(self.defined)
        listed = [values[first : first + size] for first in range(0, n, size)]
        return listed, None if extra is None else drawn[n:]


@dataclass(frozen=True)
class Measured:
    """A panel, what is measured on it and how sure that is; `among` are the pairs of people."""

    panel: Panel
    measures: list[Measure]
    plan: Resampling
    among: tuple[Pair, ...]

    @classmethod
    def of(cls, panel: Panel, measures: list[Measure], plan: Resampling) -> Measured:
        """Measure every pair of people."""
        pairs = combinations(panel.people, 2)
        return cls(panel, measures, plan, tuple(Pair(panel, a, b, measures) for a, b in pairs))

    def by_key(self, values: Iterable[T]) -> dict[str, T]:
        """Return one value for each measure, by its key."""
        return dict(zip((one.key for one in self.measures), values, strict=True))

    def ceiling(self) -> dict[str, Value]:
        """Return the mean of each measure over the pairs of people."""
        if not self.among:
            nothing = self.plan.nothing("one person only: there is nobody to agree with")
            return self.by_key([nothing] * len(self.measures))
        group = RaterGroup(self.panel, self.panel.people, self.among, self.plan)
        (values,), _ = group.contrasted([mean_over(group.defined)])
        return self.by_key(values)

    def beside_people(self, system: object) -> tuple[RaterGroup, list[Pair], list[Contrast]]:
        """Return a system's pairs with the people, its group, and two contrasts.

        They are its mean over the people, and how much more it reaches with them than other people
        do.
        """
        people = self.panel.people
        own = [Pair(self.panel, person, system, self.measures) for person in people]
        group = RaterGroup(self.panel, (*people, system), (*own, *self.among), self.plan)
        with_people = group.defined.copy()
        with_people[:, len(own) :] = False
        gap = against_people(group.pairs, people, system, group.defined)
        return group, own, [mean_over(with_people), gap]
