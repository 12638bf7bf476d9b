"""A statistic of rows under other multiplicities, many times at once, and intervals from that."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from consilience.core.arrays import Floats, dense, product, rounded, symmetric_root
from consilience.core.draws import (
    Progress,
    RandomStream,
    Seed,
    check_resamples,
    in_threads,
    seed_sequence,
)
from consilience.core.tails import normal_below
from consilience.exceptions import DegenerateDataWarning, InputError, UnsupportedDesignError, warn
from consilience.inference.influence import jackknife_error
from consilience.inference.intervals import Interval, check_confidence_level, quantile
from consilience.rows import BetweenRaters, Rows, Term
from consilience.rows.distinct_rows import (
    MovingMetric,
    RowSource,
    all_rows,
    clusters_by_content,
    incidence_of,
    order_by_content,
    parts_of,
)
from consilience.rows.forms import Form, ReplicateForm, Vectors

# ---- Recompute any statistic of rows under other multiplicities, many times at once.
#
# A resample of items is a new multiplicity for each row, so the data are never touched again and
# ten thousand resamples cost the same for a thousand items as for a billion.

_CELLS_AT_ONCE = 1_000_000  # multiplicities held at a time: rows x resamples
_RESAMPLES_AT_ONCE = 2_500  # fewer take longer to draw, more leave cores without work
_DRAWN_AT_ONCE = 16_384  # items whose rows are drawn at a time, within the cache
_MANY_ITEMS = 1_000_000  # from here on, totals of resamples are normal to three digits
_MANY_CARRIERS = 10_000  # items that each total must have, so that rare labels are drawn exactly
_MOST_TOTALS = 2_000
_MOST_LABELS_MOVING = 64  # pairs of labels are counted for a metric that moves with the data


class Statistic(Protocol):
    """A coefficient, as far as resampling needs to know it."""

    def terms(self, form: Form) -> Mapping[str, Term]:
        """Return its terms."""
        ...

    def value(self, t: Mapping[str, Any], form: Form) -> Any:
        """Return its value for the terms' numbers."""
        ...


@dataclass(frozen=True)
class Replicator:
    """A statistic on fixed rows, ready to be recomputed under other multiplicities."""

    statistic: Statistic
    rows: Rows
    metric: MovingMetric | None = None
    cluster: NDArray[np.int64] | None = None  # of each row, to go together

    @cached_property
    def multiplicity(self) -> Floats:
        """How often each row stands in the data; clusters are all different."""
        if self.cluster is None:
            return self.rows.multiplicity
        return np.ones(int(self.cluster.max()) + 1)

    @cached_property
    def _form(self) -> Form:
        if self.metric is None:
            return self.rows.form
        if self.rows.form.size > _MOST_LABELS_MOVING:
            raise UnsupportedDesignError.needs(
                "resampling with a distance that depends on the data",
                f"at most {_MOST_LABELS_MOVING} labels",
                f"{self.rows.form.size}",
                'use method="analytic", or distance="interval"',
            )
        return ReplicateForm(self.metric.points[:, None])

    @cached_property
    def _features(self) -> dict[str, Vectors]:
        return {
            name: self._together(term.features(self.rows))
            for name, term in self.statistic.terms(self._form).items()
        }

    def _together(self, features: Vectors) -> Vectors:
        """Add up what the rows of each cluster hold, each as often as it stands in the data."""
        if self.cluster is None:
            return features
        times = self.rows.multiplicity
        if hasattr(features, "tocsc"):
            return (features @ incidence_of(self.cluster, times)).tocsc()
        whole = dense(features)
        out = np.zeros((self.multiplicity.size, whole.shape[0]))
        np.add.at(out, self.cluster, (whole * times).T)
        return out.T

    @cached_property
    def _counted(self) -> Vectors:
        """What each row adds to the counts behind a moving metric."""
        vectors = self.rows.vectors
        whole = dense(vectors)
        return self._together(whole * self.rows.pairable)

    def values(self, weights: Floats) -> Floats:
        """Return the statistic for each column of multiplicities (rows x resamples)."""
        if self._stacked is not None:  # weights are read once instead of once for every term
            return self.values_of_totals(product(self._stacked, weights))
        totals = {name: np.asarray(f @ weights) for name, f in self._features.items()}
        return self._evaluate(totals, None if self.metric is None else self._counted @ weights)

    @cached_property
    def _stacked(self) -> Floats | None:
        parts = self.linear_parts
        dense_ones = [part for part in parts if isinstance(part, np.ndarray)]
        return np.concatenate(dense_ones) if len(dense_ones) == len(parts) else None

    @property
    def linear_parts(self) -> list[Vectors]:
        """Everything whose totals decide the statistic; each total is a sum over items."""
        parts = list(self._features.values())
        return parts if self.metric is None else [*parts, self._counted]

    def values_of_totals(self, totals: Floats) -> Floats:
        """Return the statistic for totals of the linear parts (totals x resamples)."""
        names = list(self._features)
        widths = [part.shape[0] for part in self.linear_parts]
        pieces = np.split(totals, np.cumsum(widths)[:-1])
        counts = None if self.metric is None else pieces[-1]
        return self._evaluate(dict(zip(names, pieces, strict=False)), counts)

    def without_each_row(self) -> Floats:
        """Return the statistic with one item of each row left out in turn."""
        if self.metric is None and self.cluster is None:
            return self._without_each_row_in_parts()
        multiplicity = self.multiplicity
        totals = {name: np.asarray(f @ multiplicity) for name, f in self._features.items()}
        if self.metric is None:
            return self._without(totals, self._features, multiplicity.size)
        out = np.empty(multiplicity.size)
        counts = self._counted @ multiplicity
        for block in _blocks(multiplicity.size, 8192):
            less = {
                name: totals[name][:, None] - _columns(f, block)
                for name, f in self._features.items()
            }
            out[block] = self._evaluate(less, counts[:, None] - self._counted[:, block])
        return out

    def _without_each_row_in_parts(self) -> Floats:
        """Do so for some rows at a time, where they are very many: first the totals, then each."""
        terms = self.statistic.terms(self.rows.form)
        totals: dict[str, Floats] = {}
        for rows in parts_of(self.rows):
            for name, term in terms.items():
                added = np.asarray(term.features(rows) @ rows.multiplicity)
                totals[name] = totals[name] + added if name in totals else added
        values = [
            self._without(
                totals, {name: t.features(rows) for name, t in terms.items()}, rows.ratings.size
            )
            for rows in parts_of(self.rows)
        ]
        return np.concatenate(values)

    def _without(
        self, totals: Mapping[str, Floats], features: Mapping[str, Vectors], n_rows: int
    ) -> Floats:
        terms = self.statistic.terms(self.rows.form)
        numbers = {name: terms[name].without(totals[name], f) for name, f in features.items()}
        return self._values(numbers, self.rows.form, n_rows)

    def _evaluate(self, totals: dict[str, Floats], counts: Floats | None) -> Floats:
        form = self.rows.form
        if counts is not None:
            assert self.metric is not None
            form = ReplicateForm(self.metric.points_of(counts))
        terms = self.statistic.terms(form)
        numbers = {name: term.value(totals[name]) for name, term in terms.items()}
        return self._values(numbers, form, next(iter(totals.values())).shape[1])

    def _values(self, numbers: Mapping[str, Any], form: Form, n_replicates: int) -> Floats:
        """Return the statistic for numbers that have an entry per replicate."""
        with np.errstate(divide="ignore", invalid="ignore"):
            values = self.statistic.value(numbers, form)
        out = np.broadcast_to(np.asarray(values, dtype=np.float64), (n_replicates,)).copy()
        out[~np.isfinite(out)] = np.nan
        return out


# ---- drawing


@dataclass(frozen=True)
class ItemDraw:
    """Draw items with replacement: new multiplicities for the rows.

    They are drawn in the order that `order` says, so that it does not matter how items came.
    """

    multiplicity: Floats
    order: NDArray[np.intp] | None = None

    @classmethod
    def of(cls, rows: Rows, raters: Sequence[int] | None = None) -> ItemDraw:
        """Draw from rows; `raters` is an order of the raters that their names have decided."""
        return cls(rows.multiplicity, order_by_content(rows, raters))

    @property
    def n_rows(self) -> int:
        """Number of rows that are drawn from."""
        return int(self.multiplicity.size)

    def __call__(self, rng: RandomStream, size: int) -> Floats:
        """Return multiplicities (rows x resamples)."""
        if self.order is None:
            return self._drawn(self.multiplicity, rng, size)
        out = np.empty((self.n_rows, size))
        out[self.order] = self._drawn(self.multiplicity[self.order], rng, size)
        return out

    def _drawn(self, times: Floats, rng: RandomStream, size: int) -> Floats:
        n_items = round(float(times.sum()))
        if 3 * times.size > n_items:  # hardly any row repeats: drawing items one by one is cheaper
            owner = np.repeat(np.arange(times.size), times.astype(np.int64))
            step = max(1, _DRAWN_AT_ONCE // n_items)
            parts = [
                _tally(owner[rng.integers(n_items, (min(step, size - at), n_items))], times.size)
                for at in range(0, size, step)
            ]
            return np.concatenate(parts, axis=1)
        return rng.multinomial(n_items, times / n_items, size=size).T.astype(np.float64)


@dataclass(frozen=True)
class ClusterDraw:
    """Draw whole clusters (documents, recordings) with everything in them."""

    cluster: NDArray[np.int64]  # of each row

    @classmethod
    def of(
        cls, rows: Rows, cluster: NDArray[np.int64], raters: Sequence[int] | None = None
    ) -> ClusterDraw:
        """Draw clusters of rows in an order that what is in them decides."""
        return cls(clusters_by_content([rows], cluster, raters))

    @property
    def n_rows(self) -> int:
        """Number of rows that are drawn from."""
        return int(self.cluster.size)

    def __call__(self, rng: RandomStream, size: int) -> Floats:
        """Return multiplicities (rows x resamples)."""
        n_clusters = int(self.cluster.max()) + 1
        times = _tally(rng.integers(n_clusters, (size, n_clusters)), n_clusters)
        return np.asarray(times[self.cluster])


Draw = ItemDraw | ClusterDraw


def _tally(drawn: NDArray[np.int64], n_rows: int) -> Floats:
    """Count how often each row was drawn, per resample (rows x resamples)."""
    size = len(drawn)
    key = drawn + n_rows * np.arange(size)[:, None]
    counts = np.bincount(key.ravel(), minlength=n_rows * size)
    return counts.reshape(size, n_rows).T.astype(np.float64)


# ---- many resamples


def bootstrap_values(
    replicators: Sequence[Replicator],
    draw: Draw,
    *,
    n_resamples: int,
    rng: Seed,
    progress: Progress | None = None,
) -> Floats:
    """Return replicates (statistics x resamples), all statistics on the same draws.

    Resamples come in blocks of fixed size with a random stream each, so the same seed gives the
    same bits whatever the number of threads.
    """
    check_resamples(n_resamples)
    limit = _normal_limit(replicators, draw)
    if limit is not None:
        return limit.values(n_resamples, RandomStream.of(seed_sequence(rng)))
    size = max(1, min(_RESAMPLES_AT_ONCE, _CELLS_AT_ONCE // max(draw.n_rows, 1)))
    blocks = list(_blocks(n_resamples, size))
    streams = seed_sequence(rng).spawn(len(blocks))
    for replicator in replicators:  # computed once, before threads share it
        _ = replicator._features

    def one(job: tuple[slice, np.random.SeedSequence]) -> Floats:
        block, stream = job
        weights = draw(RandomStream.of(stream), block.stop - block.start)
        return np.stack([replicator.values(weights) for replicator in replicators])

    done = 0
    parts = []
    for part in in_threads(one, list(zip(blocks, streams, strict=True))):
        parts.append(part)
        done += part.shape[1]
        if progress is not None:
            progress(done, n_resamples)
    return np.concatenate(parts, axis=1)


@dataclass(frozen=True)
class NormalLimit:
    """Resamples of very many items by the normal limit of their totals.

    The totals of a resample are sums over n items drawn independently, so their mean and covariance
    are known exactly and their shape is normal up to terms of the order n^(-1/2).
    """

    replicators: Sequence[Replicator]
    stacked: Floats  # all linear parts of all statistics (totals x rows)
    multiplicity: Floats

    def values(self, n_resamples: int, rng: RandomStream) -> Floats:
        """Return replicates (statistics x resamples)."""
        n_items = float(self.multiplicity.sum())
        mean = self.stacked @ self.multiplicity
        centred = self.stacked - (mean / n_items)[:, None]
        covariance = (centred * self.multiplicity) @ centred.T
        # What totals are, and not how labels and raters came, decides who is drawn first.
        order = np.lexsort([rounded(np.diag(covariance)), rounded(mean)])
        normal = np.empty((len(mean), n_resamples))
        normal[order] = rng.normal(normal.shape)
        drawn = mean[:, None] + symmetric_root(covariance) @ normal
        widths = [sum(part.shape[0] for part in one.linear_parts) for one in self.replicators]
        pieces = np.split(drawn, np.cumsum(widths)[:-1])
        pairs = zip(self.replicators, pieces, strict=True)
        return np.stack([one.values_of_totals(piece) for one, piece in pairs])


def _normal_limit(replicators: Sequence[Replicator], draw: Draw) -> NormalLimit | None:
    """Return the normal limit where every total is carried by very many items, else None."""
    if not isinstance(draw, ItemDraw) or draw.multiplicity.sum() < _MANY_ITEMS:
        return None
    parts = [part for one in replicators for part in one.linear_parts]
    if any(hasattr(part, "toarray") for part in parts):
        return None
    stacked = np.concatenate(parts)
    if len(stacked) > _MOST_TOTALS:
        return None
    carried = (stacked != 0.0) @ draw.multiplicity
    if (carried[carried > 0] < _MANY_CARRIERS).any():
        return None
    return NormalLimit(replicators, stacked, draw.multiplicity)


def rater_bootstrap_values(
    statistic: Statistic,
    source: RowSource,
    *,
    n_resamples: int,
    rng: Seed,
    items_too: bool,
    raters: Sequence[int] | None = None,
    progress: Progress | None = None,
) -> Floats:
    """Return replicates with raters drawn anew, and items too if asked.

    A copied rater would agree perfectly with herself, so copies of one rater are never paired.
    `raters` is the order in which they are drawn; by default the one they have.
    """
    check_resamples(n_resamples)
    rows = all_rows(source)
    if rows.by_rater is None or source.n_raters < 3:
        raise UnsupportedDesignError.needs(
            "resampling raters",
            "at least three raters whose ratings are known by name",
            f"{source.n_raters}",
            'resample items instead (by="item")',
        )
    draw = ItemDraw.of(rows, raters)
    who = np.arange(source.n_raters) if raters is None else np.asarray(raters)
    out = np.empty(n_resamples)
    for b, stream in enumerate(seed_sequence(rng).spawn(n_resamples)):
        generator = RandomStream.of(stream)
        drawn = generator.integers(source.n_raters, source.n_raters)
        copies = np.bincount(who[drawn], minlength=source.n_raters).astype(np.float64)
        times = draw(generator, 1) if items_too else rows.multiplicity[:, None]
        out[b] = _with_raters(statistic, rows, copies, source.metric).values(times)[0]
        if progress is not None and b % 50 == 49:
            progress(b + 1, n_resamples)
    return out


def _with_raters(
    statistic: Statistic, rows: Rows, copies: Floats, metric: MovingMetric | None
) -> Replicator:
    """Return the statistic with each rater counting as often as she was drawn."""
    size = rows.form.size
    given: Any = rows.by_rater
    whole = dense(given)
    by_rater = whole.reshape(len(copies), size, -1)
    vectors = np.tensordot(copies, by_rater, axes=1)
    present = np.tensordot(rows.form.mass(), by_rater, axes=([0], [1]))  # raters x rows
    ratings = copies @ present
    pairs = ratings**2 - copies**2 @ present
    drawn = Rows(
        rows.form,
        vectors,
        ratings,
        rows.multiplicity,
        (by_rater * (copies > 0)[:, None, None]).reshape(-1, by_rater.shape[2]),
        pairs,
    )
    return Replicator(_Copied(statistic, copies), drawn, metric)


@dataclass(frozen=True)
class _Copied:
    """A statistic whose raters count as often as they were drawn."""

    statistic: Statistic
    copies: Floats

    def terms(self, form: Form) -> Mapping[str, Term]:
        return {
            name: replace(term, copies=self.copies) if isinstance(term, BetweenRaters) else term
            for name, term in self.statistic.terms(form).items()
        }

    def value(self, t: Mapping[str, Any], form: Form) -> Any:
        return self.statistic.value(t, form)


def _blocks(total: int, size: int) -> Iterator[slice]:
    for start in range(0, total, size):
        yield slice(start, min(start + size, total))


def _columns(features: Vectors, block: slice) -> Floats:
    part = features[:, block]
    return dense(part)


# ---- Intervals from replicates of a statistic.

_WARN_UNDEFINED = 0.01
_REFUSE_UNDEFINED = 0.20
_TIE = 1e-10  # of the largest replicate


@dataclass(frozen=True, slots=True)
class Bootstrap:
    """Replicates of one statistic, and what can be read off them.

    Attributes
    ----------
    value : float
        The statistic on the data themselves.
    values : numpy.ndarray
        The replicates that are defined.
    n_resamples, n_undefined : int
        How many were drawn, and on how many of them the statistic does not exist.
    by : str
        What was drawn: "item", "cluster", "rater" or "both".
    """

    value: float
    values: Floats = field(repr=False)
    n_resamples: int
    n_undefined: int
    by: str

    @classmethod
    def of(cls, value: float, replicates: Floats, by: str) -> Bootstrap:
        """Keep the replicates that are defined, and say when many are not."""
        defined = replicates[np.isfinite(replicates)]
        undefined = int(replicates.size - defined.size)
        share = undefined / replicates.size
        if _WARN_UNDEFINED < share <= _REFUSE_UNDEFINED:
            warn(
                f"The coefficient is undefined on {share:.0%} of the resamples; they are left "
                "out of the interval.",
                DegenerateDataWarning,
            )
        return cls(value, defined, int(replicates.size), undefined, by)

    @property
    def undefined_share(self) -> float:
        """Share of resamples on which the statistic does not exist."""
        return self.n_undefined / self.n_resamples

    @property
    def standard_error(self) -> float:
        """Standard deviation of the replicates."""
        return float(self.values.std(ddof=1)) if self.values.size > 1 else math.nan

    @property
    def bias(self) -> float:
        """Mean of the replicates minus the value."""
        return float(self.values.mean() - self.value) if self.values.size else math.nan

    def percentile(self, confidence_level: float = 0.95) -> Interval:
        """Return the middle part of the replicates."""
        level = check_confidence_level(confidence_level)
        return self._interval(level, "percentile", *self._tails(level))

    def basic(self, confidence_level: float = 0.95) -> Interval:
        """Return the replicates' middle part reflected about the value."""
        level = check_confidence_level(confidence_level)
        low, high = self._tails(level)
        return self._interval(level, "basic", 2 * self.value - high, 2 * self.value - low)

    def bca(
        self,
        left_out: Floats,
        multiplicity: Floats | None = None,
        *,
        confidence_level: float = 0.95,
    ) -> Interval:
        """Return the bias-corrected and accelerated interval of Efron (1987).

        `left_out` holds the values without each item (or cluster), which occurs `multiplicity`
        times.
        """
        level = check_confidence_level(confidence_level)
        if self._hopeless or np.ptp(self.values) == 0.0:
            return self._interval(level, "bca", *self._tails(level))
        # A replicate that only rounding tells from the value is a tie on every processor.
        apart = self.values - self.value
        slack = _TIE * float(np.abs(self.values).max())
        below = float(np.mean(apart < -slack)) + 0.5 * float(np.mean(np.abs(apart) <= slack))
        below = min(max(below, 0.5 / self.values.size), 1.0 - 0.5 / self.values.size)
        shift = quantile(below, None)
        acceleration = bca_acceleration(left_out, multiplicity)
        ends = []
        for tail in ((1.0 - level) / 2.0, (1.0 + level) / 2.0):
            z = shift + quantile(tail, None)
            ends.append(normal_below(shift + z / (1.0 - acceleration * z)))
        low, high = np.quantile(self.values, sorted(ends))
        return self._interval(level, "bca", float(low), float(high))

    def studentised(
        self, pivots: Floats, standard_error: float, *, confidence_level: float = 0.95
    ) -> Interval:
        """Return the interval from the replicates' own t statistics."""
        level = check_confidence_level(confidence_level)
        usable = pivots[np.isfinite(pivots)]
        if self._hopeless or usable.size < 2:
            return self._interval(level, "studentised", math.nan, math.nan)
        low, high = np.quantile(usable, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        return self._interval(
            level,
            "studentised",
            self.value - float(high) * standard_error,
            self.value - float(low) * standard_error,
        )

    @property
    def _hopeless(self) -> bool:
        return self.undefined_share > _REFUSE_UNDEFINED or self.values.size < 2

    def _tails(self, level: float) -> tuple[float, float]:
        if self._hopeless:
            return math.nan, math.nan
        low, high = np.quantile(self.values, [(1.0 - level) / 2.0, (1.0 + level) / 2.0])
        return float(low), float(high)

    def _interval(self, level: float, method: str, low: float, high: float) -> Interval:
        if self._hopeless:
            why = (
                f"The coefficient is undefined on {self.undefined_share:.0%} of the resamples: "
                "there is no interval. Rate more items, or items that differ more."
            )
            warn(why, DegenerateDataWarning)
            return Interval(math.nan, math.nan, level, method, why)
        if not math.isfinite(low):
            why = "No resample has a standard error above 0, so there is no interval."
            return Interval(math.nan, math.nan, level, method, why)
        return Interval(low, high, level, method)


def bca_acceleration(left_out: Floats, multiplicity: Floats | None = None) -> float:
    """Return a = sum d^3 / (6 (sum d^2)^1.5), d_i the mean of the left-out values minus each."""
    times = np.ones(left_out.size) if multiplicity is None else multiplicity
    usable = np.isfinite(left_out)
    values, times = left_out[usable], times[usable]
    deviation = (times @ values) / times.sum() - values
    square = float(times @ deviation**2)
    return float(times @ deviation**3) / (6.0 * square**1.5) if square > 0.0 else 0.0


@dataclass(frozen=True, slots=True)
class Jackknife:
    """The statistic without each item, and the error and bias that follow."""

    value: float
    left_out: Floats = field(repr=False)
    multiplicity: Floats = field(repr=False)

    @property
    def n_items(self) -> int:
        """Number of items."""
        return round(float(self.multiplicity.sum()))

    @property
    def _mean(self) -> float:
        return float(self.multiplicity @ self.left_out) / self.n_items

    @property
    def standard_error(self) -> float:
        """sqrt((n - 1) / n sum (K_(-i) - mean)^2)."""
        return jackknife_error(self.left_out, self.multiplicity)

    @property
    def bias(self) -> float:
        """(n - 1) (mean of the left-out values - value)."""
        return (self.n_items - 1) * (self._mean - self.value)

    @property
    def acceleration(self) -> float:
        """The acceleration of a BCa interval."""
        return bca_acceleration(self.left_out, self.multiplicity)


def pair_bootstrap_values(
    distances: Floats,
    weights: Floats,
    *,
    n_pairs: int,
    expected: float,
    n_resamples: int,
    rng: RandomStream,
) -> Floats:
    """Resample pairs of ratings as if independent, chance disagreement held fixed.

    This is the bootstrap of Hayes & Krippendorff (2007); it understates the uncertainty where
    items carry several pairs, and is here for comparison with programs that use it.
    """
    if n_pairs < 1:
        raise InputError.expected("n_pairs", "at least 1", n_pairs, "check the data")
    draws = rng.multinomial(n_pairs, weights / weights.sum(), size=n_resamples)
    return np.asarray(1.0 - (draws @ distances) / n_pairs / expected)
