"""Means over pairs of raters and their differences, with intervals over items or documents."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.resample import Seed, in_threads, seed_sequence
from consilience.document import plain_record
from consilience.exceptions import DegenerateDataWarning
from consilience.inference import Interval, Test, non_inferiority, quantile
from consilience.inference.bootstrap_intervals import Bootstrap
from consilience.inference.replicates import ClusterDraw, Draw, ItemDraw
from consilience.panel._pairs import Pair, PairPatterns, distinct_with_inverse, gathered
from consilience.panel.panel_data import Panel

_CELLS_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Value:
    """A number with its standard error and interval; NaN with a reason where it does not exist."""

    value: float
    standard_error: float
    interval: Interval
    reason: str | None = None

    def to_dict(self) -> dict[str, object]:
        """Return plain data with stable keys."""
        return plain_record(
            {
                "value": self.value,
                "standard_error": self.standard_error,
                "interval": None if math.isnan(self.interval.low) else self.interval,
                "reason": self.reason,
            }
        )

    def non_inferiority(self, margin: float) -> Test:
        """Test whether a difference is worse by less than the margin."""
        return non_inferiority(self.value, standard_error=self.standard_error, margin=margin)


@dataclass(frozen=True)
class Plan:
    """How sure numbers are made: by resampling items or documents, or by linearisation."""

    level: float
    n_resamples: int
    rng: Seed
    clusters: Ints | None = None
    method: str = "bootstrap"

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

    def from_replicates(self, value: float, replicates: Floats) -> Value:
        """Return a percentile interval."""
        if not math.isfinite(value):
            return self.nothing("not defined for these ratings")
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


def linearised_error(influence: Floats, clusters: Ints | None) -> tuple[float, float]:
    """Return the error of a mean of influences, and its degrees of freedom."""
    n = influence.size
    centred = (influence - influence.mean()) / max(n, 1)
    if clusters is not None:
        centred = np.bincount(clusters, weights=centred)
    units = centred.size
    if units < 2:
        return math.nan, 0.0
    return math.sqrt(units / (units - 1.0) * float(centred @ centred)), units - 1.0


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
    def values(self) -> Floats:
        """Pairs x measures on the data themselves."""
        return np.array([pair.values for pair in self.pairs])

    @cached_property
    def defined(self) -> Floats:
        """Measures x pairs: where there is a value."""
        return np.isfinite(self.values).T

    @cached_property
    def _rows(self) -> tuple[Ints, Ints, Draw]:
        """Distinct rows of codes, or items; the unit that each belongs to; how units are drawn.

        A unit is a distinct row itself, or a document.
        """
        places = [self.panel.column(rater) for rater in self.raters]
        codes = self.panel.codes[:, places].astype(np.int64)
        codes[self.panel.refused[:, places]] = len(self.panel.ratings.categories)
        clusters = self.plan.clusters
        if clusters is not None:
            return codes, clusters, ClusterDraw(np.arange(int(clusters.max()) + 1))
        rows, times, _ = distinct_with_inverse(codes)
        return rows, np.arange(len(rows)), ItemDraw(times)

    @cached_property
    def _gathers(self) -> list[tuple[Any, PairPatterns]]:
        rows, unit, draw = self._rows
        out = []
        for pair in self.pairs:
            places = [self.raters.index(pair.first), self.raters.index(pair.second)]
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
        _, _, draw = self._rows
        size = max(1, min(500, _CELLS_AT_ONCE // max(draw.n_rows, 1)))
        n = self.plan.n_resamples
        blocks = [slice(k, min(k + size, n)) for k in range(0, n, size)]
        streams = self.plan.fresh().spawn(len(blocks))
        gathers = self._gathers

        def one(job: tuple[slice, np.random.SeedSequence]) -> Floats:
            block, stream = job
            weights = draw(np.random.default_rng(stream), block.stop - block.start)
            by_pair = [np.asarray(gather @ weights) for gather, _ in gathers]
            values = np.array(
                [
                    patterns.values(part)
                    for (_, patterns), part in zip(gathers, by_pair, strict=True)
                ]
            )
            parts = [contrast.of(values) for contrast in contrasts]
            if extra is not None:
                parts.append(extra(by_pair))
            return np.concatenate(parts)

        return np.concatenate(
            list(in_threads(one, list(zip(blocks, streams, strict=True)))), axis=1
        )

    def patterns(self) -> list[PairPatterns]:
        """Return the patterns of each pair, in the order that `extra` sees their weights."""
        return [patterns for _, patterns in self._gathers]

    def times(self) -> list[Floats]:
        """Return how many items each pattern of each pair stands for."""
        _, _, draw = self._rows
        weights = draw.multiplicity if isinstance(draw, ItemDraw) else np.ones(draw.n_rows)
        return [np.asarray(gather @ weights[:, None]) for gather, _ in self._gathers]

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
        parts = drawn[:n].reshape(len(contrasts), len(self.defined), -1)
        values = [
            [
                self.plan.from_replicates(float(v), row)
                for v, row in zip(contrast.of(self.values), rows, strict=True)
            ]
            for contrast, rows in zip(contrasts, parts, strict=True)
        ]
        return values, None if extra is None else drawn[n:]
