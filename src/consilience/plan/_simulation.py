"""Planning by simulation: power and half-widths from a design, from rows, or like a pilot."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from consilience.coefficients import Estimate, estimate, registry
from consilience.coefficients.coefficient import Coefficient
from consilience.coefficients.uncertainty import (
    MOST_LABELS,
    DrawnRows,
    Sureness,
    error_was_chosen,
    sureness_of,
    takes_values,
)
from consilience.core import arguments as check
from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream, check_resamples, seed_sequence
from consilience.core.labels import Note
from consilience.core.options import EstimateOptions
from consilience.core.tails import normal_below, quantile
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.inference.intervals import Alternative, DrawnValue, posterior_of
from consilience.inference.resampling import Replicator
from consilience.plan._question import (
    PowerPlan,
    PrecisionPlan,
    Question,
    check_direction,
    rounded_up,
)
from consilience.ratings import Ratings
from consilience.ratings.stores import CodedMatrix, NumberMatrix
from consilience.rows import Rows
from consilience.rows.distinct_rows import MovingMetric, all_rows, in_order
from consilience.simulate import Simulated, Simulator
from consilience.simulate.sampling import large_sample, studies, true_value

# ---- Studies whose items are drawn from known rows, each with the default interval and test.
#
# The rows are those of a very large sample of a design, or of a pilot. A study is a new
# multiplicity for each of them, and its posterior draws need no ratings: thousands of studies
# take seconds.

LEVEL = 0.95  # at which few items are given Student's tails, as in every default interval
_DRAWS_BEYOND = 15  # each limit; a whole number keeps the size of the test


def draws_for(level: float) -> int:
    """Return how many draws show the limits of a level well enough."""
    return math.ceil(round(2.0 * _DRAWS_BEYOND / (1.0 - level), 6)) - 1


@dataclass(frozen=True)
class RowStudies:
    """Rows to draw items from, and the coefficient that is computed."""

    coefficient: Coefficient
    rows: Rows
    metric: MovingMetric | None
    n_raters: int

    @classmethod
    def of(cls, found: Estimate) -> RowStudies | None:
        """Take the rows of an estimate; None where its default interval is not made from rows."""
        basis = found._basis
        source = basis.evaluation.source
        chosen = error_was_chosen(found) or basis.ratings.clusters is not None
        if chosen or takes_values(basis) or not source.in_memory:
            return None
        if source.form.size > MOST_LABELS:
            return None
        rows, _ = in_order(all_rows(source), basis.ratings.raters)
        return cls(basis.coefficient, rows, source.metric, basis.ratings.n_raters)

    def each(
        self, n_items: int, n_studies: int, level: float, rng: RandomStream
    ) -> Iterator[DrawnValue | None]:
        """Yield one study of this size after the other; None where the coefficient is undefined."""
        share = np.cumsum(self.rows.multiplicity)
        for _ in range(n_studies):
            if n_items > share.size:
                drawn = rng.multinomial(n_items, self.rows.multiplicity / share[-1])
                shown = np.flatnonzero(drawn)
                times = drawn[shown]
            else:
                place = np.searchsorted(share, share[-1] * rng.random(n_items), side="right")
                shown, times = np.unique(place, return_counts=True)
            yield self.study(shown, times.astype(np.float64), draws_for(level), rng)

    def study(
        self, shown: NDArray[np.intp], times: Floats, n_draws: int, rng: RandomStream
    ) -> DrawnValue | None:
        """Return the study that shows these rows so often; None where its value is undefined."""
        rows = self.rows
        part = Rows(
            rows.form,
            np.asarray(rows.vectors[:, shown]),
            rows.ratings[shown],
            times,
            None if rows.by_rater is None else np.asarray(rows.by_rater[:, shown]),
        )
        if not part.pairable.any():
            return None
        value = float(Replicator(self.coefficient, part, self.metric).values(times[:, None])[0])
        if math.isnan(value):
            return None
        full, draw = posterior_of(part, self.n_raters, LEVEL)
        replicator = Replicator(self.coefficient, full, self.metric)
        drawn = DrawnRows(full, draw.units(rng, n_draws), None, draw.prior(rng, n_draws))
        return DrawnValue.of(value, *drawn.values_of(replicator))


# ---- Studies drawn from a design, which planning by simulation looks at.

ROUNDS = 8  # sizes that are tried before the last one is taken
FEWEST = 4  # items of the smallest study that is tried
_MOST_SIMULATED = 1_000_000
_OFTEN_UNDEFINED = 0.01
_POOL = 2_000_000  # ratings of the sample whose rows stand for the design
_POOL_CELLS = 20_000_000  # of that sample where rows keep who gave which label


class Outcome(Protocol):
    """What a simulated study tells: its default interval, and its default test."""

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the interval."""

    def p_value(self, null: float, alternative: str) -> float:
        """Return the p-value of a null value."""


@dataclass(frozen=True)
class Estimated:
    """A study that was drawn and estimated as a whole, as one of values must be."""

    found: Estimate
    n_draws: int  # one study of many is not told to the last digit

    @property
    def _sure(self) -> Sureness | None:
        one = self.found
        is_default = one.interval_method == "auto" and not error_was_chosen(one)
        return sureness_of(one, self.n_draws) if is_default else None

    def limits(self, level: float) -> tuple[float, float]:
        """Return the limits of the interval that the estimate gives."""
        if (sure := self._sure) is not None:
            return sure.limits(level)
        interval = self.found.confidence_interval(level)
        return interval.low, interval.high

    def p_value(self, null: float, alternative: str) -> float:
        """Return the p-value that the estimate gives."""
        if (sure := self._sure) is not None:
            return sure.p_value(null, alternative)
        return self.found.test(null, alternative=alternative).p_value  # type: ignore[arg-type]


@dataclass(frozen=True)
class StudiesOfDesign:
    """A design and a coefficient, ready to be simulated at any size."""

    simulator: Simulator
    coefficient: Coefficient
    n_resamples: int
    seed: np.random.SeedSequence
    options: EstimateOptions
    name: str
    value: float  # in a very large sample
    variance: float  # of the coefficient, for one item
    rows: RowStudies | None  # of a large sample, where default intervals are made from rows

    @classmethod
    def of(cls, design: Simulator | Simulated, q: Question) -> StudiesOfDesign:
        """Check what is asked for, and see what the coefficient is in a large sample."""
        simulator, chosen = simulator_of(design), registry[q.name]
        check_resamples(q.n_resamples)
        seed = seed_sequence(q.rng)
        random = RandomStream.of(seed)
        large = large_sample(simulator, chosen, random, q.options)
        sample = simulator.draw(n_items=_pool_size(simulator, chosen), rng=random).ratings
        one = estimate(chosen, (sample,), **q.options, on_undefined="raise")
        variance = one.standard_error**2 * sample.n_items
        value = true_value(large, simulator)
        rows = RowStudies.of(one)
        return cls(
            simulator, chosen, q.n_resamples, seed, q.options, one.name, value, variance, rows
        )

    def each(
        self,
        n_items: int,
        outcome: Callable[[Outcome], float],
        *,
        level: float,
        n_studies: int | None = None,
    ) -> Any:
        """Return an outcome for each simulated study; NaN where the coefficient is undefined."""
        if n_items > _MOST_SIMULATED:
            raise InputError.expected(
                "a simulated study",
                f"of at most {_MOST_SIMULATED:,} items",
                f"{n_items:,} items",
                "ask for less precision, or use the formulas for large samples",
            )
        many = self.n_resamples if n_studies is None else n_studies
        found = self._drawn(n_items, many, level)
        return np.array([math.nan if study is None else outcome(study) for study in found])

    def _drawn(self, n_items: int, n_studies: int, level: float) -> Iterator[Outcome | None]:
        random = RandomStream.of(self.seed)
        if self.rows is not None:
            yield from self.rows.each(n_items, n_studies, level, random)
            return
        for found in studies(
            self.simulator,
            self.coefficient,
            self.options,
            n_items=n_items,
            n_resamples=n_studies,
            rng=random,
        ):
            yield None if found is None else Estimated(found, draws_for(level))

    def facts(self, n_items: int, undefined: float) -> dict[str, Any]:
        """Return what every plan says of a study of this size."""
        notes: tuple[Note, ...] = ()
        if undefined > _OFTEN_UNDEFINED:
            notes = (
                Note(
                    "often_undefined",
                    f"The coefficient is undefined in {100.0 * undefined:.1f}% of the simulated "
                    "studies, mostly because all ratings are the same. Rate more items.",
                ),
            )
        return {
            "method": "simulation",
            "coefficient": self.coefficient.name,
            "name": self.name,
            "value": self.value,
            "n_items": n_items,
            "n_raters": self.simulator.ratings_per_item or self.simulator.n_raters,
            "prevalence": self.simulator.shares,
            "n_resamples": self.n_resamples,
            "share_undefined": undefined,
            "notes": notes,
        }


def _pool_size(simulator: Simulator, coefficient: Coefficient) -> int:
    """Return how many items a sample has whose rows stand for the design."""
    size = _POOL // (simulator.ratings_per_item or simulator.n_raters)
    if simulator.scale == "interval":
        size //= 10  # only its error is needed
    elif coefficient.needs_raters:
        size = min(size, _POOL_CELLS // (simulator.n_raters * len(simulator.labels)))
    return max(size, 1000)


def few_first(n_resamples: int) -> int:
    """Return how many studies of a size are enough to see whether it is near the right one."""
    return max(n_resamples // 4, min(n_resamples, 50))


def simulator_of(design: Simulator | Simulated) -> Simulator:
    """Return what draws the ratings of a design."""
    simulator = design.design if isinstance(design, Simulated) else design
    if not isinstance(simulator, Simulator):
        raise InputError.expected(
            "design", "a Simulator", design, "make one with consilience.simulate.Simulator(...)"
        )
    return simulator


# ---- Power by simulation: any coefficient, any design that can be drawn from.

_CLOSE_POWER = 0.2  # a step that is taken as the last one but one


def simulated_power(design: Simulator | Simulated, q: Question) -> PowerPlan:
    """Tell a coefficient from a null value by the default test of each simulated study.

    `power_error` tells how sure the power is. A study in which the coefficient is undefined counts
    as not significant.
    """
    study, level = StudiesOfDesign.of(design, q), q.level
    null = check.real_number("kappa0", q.kappa0)
    side: Any = q.alternative or "two-sided"
    check_direction(null, study.value, side)

    def power_at(size: int, n_studies: int) -> tuple[float, float]:
        outcomes = study.each(
            size,
            lambda one: _rejects(one, null, side, level),
            level=1.0 - level,
            n_studies=n_studies,
        )
        return float(np.nan_to_num(outcomes).mean()), float(np.isnan(outcomes).mean())

    n = q.n_resamples
    if (size := q.size) is not None:
        reached, undefined = power_at(size, n)
    else:
        z = quantile(1.0 - (level / 2.0 if side == "two-sided" else level), None)
        wanted = quantile(q.wanted_power, None)
        start = study.variance * ((z + wanted) / (study.value - null)) ** 2
        size, reached, undefined = _search_power(power_at, start, z, wanted, n)
    return q.power_plan(
        **study.facts(size, undefined),
        null=null,
        power=reached,
        power_error=math.sqrt(max(reached * (1.0 - reached), 1.0 / n) / n),
        alternative=side,
    )


def _rejects(study: Outcome, null: float, alternative: Alternative, level: float) -> float:
    """Return 1 if a study rejects the null value, else 0."""
    p_value = study.p_value(null, alternative)
    if math.isfinite(p_value):
        return float(p_value <= level)
    # Without an error there is no test; the interval still tells.
    low, high = study.limits(1.0 - (level if alternative == "two-sided" else 2 * level))
    above, below = null < low, null > high
    return float({"two-sided": above or below, "greater": above, "less": below}[alternative])


def _search_power(
    power_at: Callable[[int, int], tuple[float, float]],
    start: float,
    z: float,
    wanted: float,
    n_resamples: int,
) -> tuple[int, float, float]:
    """Find the size with the wanted power: few studies far from it, all of them close to it.

    The normal quantile of the power is nearly linear in the square root of the size, with
    intercept -z, which gives the next size from the last, and the power of a last small step.
    """
    size, few = max(FEWEST, rounded_up(start)), few_first(n_resamples)

    def slope(reached: float, n_studies: int) -> float:
        clipped = min(max(reached, 0.5 / n_studies), 1.0 - 0.5 / n_studies)
        return max(quantile(clipped, None) + z, 0.1)

    def stepped(size: int, reached: float, n_studies: int) -> int:
        ratio = (wanted + z) / slope(reached, n_studies)
        return max(FEWEST, math.ceil(size * min(max(ratio, 0.5), 2.0) ** 2))

    reached, undefined = power_at(size, few)
    for _ in range(ROUNDS):
        new = stepped(size, reached, few)
        close = abs(new - size) <= _CLOSE_POWER * size
        size = new
        reached, undefined = power_at(size, n_resamples if close else few)
        if close:
            break
    last = stepped(size, reached, n_resamples)
    if last != size:
        reached = normal_below(slope(reached, n_resamples) * math.sqrt(last / size) - z)
    return last, reached, undefined


# ---- Half-widths that a stated share of studies does not exceed, and the size that gives them.

_MOST_RATERS = 30  # of an item, that are tried
_CLOSE_WIDTH = 0.1  # a step that is taken as the last one but one


@dataclass(frozen=True)
class Widths:
    """The intervals of simulated studies of one size."""

    half_width: float
    low: float
    high: float
    undefined: float

    @classmethod
    def of(
        cls, widths: Floats, limits: Sequence[tuple[float, float]], assurance: float | None
    ) -> Widths:
        """Summarise half-widths, NaN where a study has none, and the limits of all others."""
        known = widths[np.isfinite(widths)]
        if not known.size:
            return cls(math.inf, math.nan, math.nan, 1.0)
        low, high = np.nanmean(np.array(limits), axis=0)
        width = known.mean() if assurance is None else np.quantile(known, assurance)
        return cls(float(width), float(low), float(high), 1.0 - known.size / widths.size)


def search_width(
    widths_at: Callable[[int, int | None], Widths], start: int, wanted: float, n_resamples: int
) -> tuple[int, Widths]:
    """Find the size with the wanted half-width: few studies far from it, all of them close to it.

    Half-widths fall with the root of the size, which gives the next size from the last, and the
    half-width of a last small step.
    """

    def stepped(size: int, found: Widths) -> int:
        ratio = min(max(found.half_width / wanted, 0.5), 2.0)
        return max(FEWEST, math.ceil(size * ratio**2))

    size, few = max(start, FEWEST), few_first(n_resamples)
    found = widths_at(size, few)
    for _ in range(ROUNDS):
        new = stepped(size, found)
        close = abs(new - size) <= _CLOSE_WIDTH * size
        size, found = new, widths_at(new, None if close else few)
        if close:
            break
    last = stepped(size, found)
    return last, replace(found, half_width=found.half_width * math.sqrt(size / last))


# ---- Precision by simulation: any coefficient, any design that can be drawn from.


def simulated_precision(design: Simulator | Simulated, q: Question) -> PrecisionPlan:
    """Return the interval that studies of a design will report, or the items for a half-width.

    `low` and `high` are the mean limits of the simulated intervals.
    """
    study = StudiesOfDesign.of(design, q)
    q.check_one_aim()
    size = q.size
    if size is not None:
        reached = _widths(study, q, size)
    else:
        wanted = q.wanted_half_width
        start = study.variance * (quantile(0.5 + q.confidence / 2.0, None) / wanted) ** 2
        size, reached = search_width(
            partial(_widths, study, q), rounded_up(start), wanted, q.n_resamples
        )
    return _of_widths(study, q, size, reached)


def raters_for_precision(design: Simulator | Simulated, q: Question) -> PrecisionPlan:
    """Return how many raters of each item an interval of the wanted half-width takes.

    The design's `ratings_per_item` is varied where it is set, else its `n_raters`.
    """
    wanted, level = q.wanted_half_width, q.confidence
    n_items = check.whole_number("n_items", q.n_items, least=FEWEST)
    simulator = replace(simulator_of(design), n_items=n_items, raters=None)
    is_crowd = simulator.ratings_per_item is not None
    most = min(_MOST_RATERS, simulator.n_raters) if is_crowd else _MOST_RATERS
    q, reached = replace(q, rng=seed_sequence(q.rng)), math.nan
    for n_raters in range(2, most + 1):
        varied = (
            {"ratings_per_item": n_raters} if is_crowd else {"n_raters": n_raters, "raters": None}
        )
        study = StudiesOfDesign.of(replace(simulator, **varied), q)
        reached = quantile(0.5 + level / 2.0, n_items - 1.0) * math.sqrt(study.variance / n_items)
        if reached > 1.05 * wanted:  # clearly not enough: no need to simulate studies
            continue
        found = _widths(study, q, n_items)
        reached = found.half_width
        if reached <= wanted:
            return replace(_of_widths(study, q, n_items, found), solved_for="n_raters")
    raise InputError.expected(
        "half_width",
        f"one that {most} raters per item can reach with {n_items:,} items",
        q.half_width,
        f"with {most} raters it is about {reached:.3f}; rate more items",
    )


def _of_widths(study: StudiesOfDesign, q: Question, size: int, reached: Widths) -> PrecisionPlan:
    return q.precision_plan(
        **study.facts(size, reached.undefined),
        low=reached.low,
        high=reached.high,
        half_width=reached.half_width,
        assurance=q.share_of_studies,
    )


def _widths(
    study: StudiesOfDesign, q: Question, n_items: int, n_studies: int | None = None
) -> Widths:
    """Return the intervals of simulated studies of one size."""
    limits: list[tuple[float, float]] = []

    def half_width(one: Outcome) -> float:
        low, high = one.limits(q.confidence)
        limits.append((low, high))
        return (high - low) / 2.0

    widths = study.each(n_items, half_width, level=q.confidence, n_studies=n_studies)
    return Widths.of(widths, limits, q.share_of_studies)


# ---- Studies like a pilot: items drawn from what the pilot leaves possible, not from the pilot
# alone.
#
# Each study first draws how common the pilot's items are: from the posterior behind the default
# interval for labels, from a Bayesian bootstrap for values. So an assurance also covers what a
# small pilot does not know.

_CELLS_AT_ONCE = 1_000_000  # weights held at a time: rows x studies


class PilotStudies(Protocol):
    """Where studies like a pilot come from."""

    def each(
        self, n_items: int, n_studies: int, level: float, rng: RandomStream
    ) -> Iterator[Outcome | None]:
        """Yield one study of this size after the other; None where the value is undefined."""


def studies_like(pilot: Estimate) -> PilotStudies | None:
    """Return studies like a pilot; None where its default interval is not what counts."""
    rows = RowStudies.of(pilot)
    if rows is not None:
        return PilotRows(rows)
    values = _values(pilot._basis.ratings)
    if values is None or error_was_chosen(pilot) or pilot._basis.ratings.clusters is not None:
        return None
    return PilotValues(pilot, values)


@dataclass(frozen=True)
class PilotRows:
    """A pilot of labels."""

    pilot: RowStudies

    def each(
        self, n_items: int, n_studies: int, level: float, rng: RandomStream
    ) -> Iterator[DrawnValue | None]:
        """Yield one study of this size after the other; None where the value is undefined."""
        full, draw = posterior_of(self.pilot.rows, self.pilot.n_raters, LEVEL)
        studies = replace(self.pilot, rows=full)
        step = max(1, _CELLS_AT_ONCE // draw.n_rows)
        blocks = (min(step, n_studies - first) for first in range(0, n_studies, step))

        def weights(size: int) -> Floats:
            return np.concatenate([draw.units(rng, size), draw.prior(rng, size)[1]])

        for weight in (one for size in blocks for one in weights(size).T):
            times = rng.multinomial(n_items, weight / weight.sum()).astype(np.float64)
            shown = np.flatnonzero(times)
            yield studies.study(shown, times[shown], draws_for(level), rng)


@dataclass(frozen=True)
class PilotValues:
    """A pilot of numbers that hardly repeat."""

    pilot: Estimate
    values: Floats  # items × raters

    def each(
        self, n_items: int, n_studies: int, level: float, rng: RandomStream
    ) -> Iterator[Outcome | None]:
        """Yield one study of this size after the other; None where the value is undefined."""
        basis = self.pilot._basis
        for _ in range(n_studies):
            share = rng.dirichlet(np.ones(len(self.values)), 1)[0]
            items = rng.choice(share, n_items)
            ratings = Ratings.from_wide(self.values[items], scale=basis.ratings.scale)
            try:
                found = estimate(
                    basis.coefficient,
                    (ratings,),
                    distance=basis.distance,
                    missing=self.pilot.missing,
                    on_undefined="ignore",
                )
            except UnsupportedDesignError:  # by chance no item has two ratings
                yield None
            else:
                yield Estimated(found, draws_for(level)) if found.status == "ok" else None


def _values(ratings: Ratings) -> Floats | None:
    """Return items × raters of numbers; None where ratings are something else."""
    store = ratings.store
    if isinstance(store, NumberMatrix):
        return store.values
    if not isinstance(store, CodedMatrix) or ratings.numbers is None:
        return None
    worth = np.append(ratings.numbers, np.nan)
    marks = np.concatenate([worth[codes] for codes in store.decoded()])
    return marks if store.multiplicity is None else np.repeat(marks, store.multiplicity, axis=0)
