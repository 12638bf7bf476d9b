"""Means over pairs of raters and their differences, with intervals over items or documents."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream
from consilience.core.resample import Seed, in_threads, seed_sequence
from consilience.document import Recorded
from consilience.exceptions import DegenerateDataWarning
from consilience.inference import Interval, Test, non_inferiority, quantile
from consilience.inference.bootstrap_intervals import Bootstrap
from consilience.inference.clustered import linearised_error
from consilience.inference.posterior import PosteriorDraw
from consilience.inference.replicates import ClusterDraw, Draw, ItemDraw
from consilience.panel._measures import Measure
from consilience.panel._pairs import Pair, PairPatterns, distinct_with_inverse, gathered
from consilience.panel._panel_posterior import DrawnValue, draw_of, prior_rows, tail_widening
from consilience.panel.panel_data import Panel
from consilience.rows.distinct_rows import clusters_by_keys

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

    def _beside(self) -> dict[str, object]:
        return {"interval": None if math.isnan(self.interval.low) else self.interval}

    def non_inferiority(self, margin: float) -> Test:
        """Test whether a difference is worse by less than the margin; dual to the interval."""
        if self._drawn is not None:
            p_value = self._drawn.p_value(-margin)
            distance = (self.value + margin) / self.standard_error if self.standard_error else 0.0
            return Test(distance, p_value, -margin, "greater", "dirichlet")
        return non_inferiority(self.value, standard_error=self.standard_error, margin=margin)


@dataclass(frozen=True)
class Plan:
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

    def fresh(self) -> np.random.SeedSequence:
        """Return the sequence as it was at the start."""
        return np.random.SeedSequence(self.seed.entropy)

    def nothing(self, reason: str) -> Value:
        """Return a value that does not exist."""
        return Value(
            value=math.nan,
            standard_error=math.nan,
            interval=Interval(math.nan, math.nan, self.level, self.method),
            reason=reason,
        )

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
            return Value(
                value=value,
                standard_error=float(known.std(ddof=1)) if known.size > 1 else math.nan,
                interval=Interval(min(low, value), max(high, value), self.level, self.method),
                _drawn=drawn_value,
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
        reach = quantile(0.5 + self.level / 2.0, freedom) * error if freedom else math.nan
        interval = Interval(value - reach, value + reach, self.level, "linearised")
        return Value(value=value, standard_error=error, interval=interval)


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
    for m in range(len(defined)):
        usable = []
        for person in people:
            own = [
                p
                for p, pair in enumerate(pairs)
                if {pair.first, pair.second} == {system, person} and defined[m, p]
            ]
            among = [
                p
                for p, pair in enumerate(pairs)
                if system not in (pair.first, pair.second)
                and person in (pair.first, pair.second)
                and defined[m, p]
            ]
            if own and among:
                usable.append((own[0], among))
        for own_place, among in usable:
            weights[m, own_place] += 1.0 / len(usable)
            weights[m, among] -= 1.0 / len(usable) / len(among)
    return Contrast(weights)


@dataclass(frozen=True)
class Group:
    """Some raters whose pairs are resampled together, on the same draws."""

    panel: Panel
    raters: tuple[object, ...]
    pairs: tuple[Pair, ...]
    plan: Plan

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


def beside_people(
    panel: Panel,
    system: object,
    among: tuple[Pair, ...],
    measures: Sequence[Measure],
    plan: Plan,
) -> tuple[Group, list[Pair], list[Contrast]]:
    """Return a system's pairs with the people, its group, and two contrasts.

    They are its mean over the people, and how much more it reaches with them than other people do.
    """
    own = [Pair(panel, person, system, list(measures)) for person in panel.people]
    group = Group(panel, (*panel.people, system), (*own, *among), plan)
    with_people = group.defined.copy()
    with_people[:, len(own) :] = False
    gap = against_people(group.pairs, panel.people, system, group.defined)
    return group, own, [mean_over(with_people), gap]
