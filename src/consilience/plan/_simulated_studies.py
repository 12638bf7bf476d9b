"""Studies drawn from a design, which planning by simulation looks at."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.coefficients.coefficient import Coefficient
from consilience.coefficients.interval_methods import error_was_chosen
from consilience.coefficients.sureness import Sureness, sureness_of
from consilience.core.draws import RandomStream
from consilience.core.keywords import EstimateOptions
from consilience.core.resample import Seed, check_resamples, seed_sequence
from consilience.exceptions import InputError
from consilience.plan._row_studies import RowStudies, draws_for
from consilience.ratings import Note
from consilience.simulate import Simulated, Simulator
from consilience.simulate.sampling import large_sample, studies, true_value

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
class Study:
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
    def of(
        cls,
        design: Simulator | Simulated,
        coefficient: str,
        n_resamples: int,
        rng: Seed,
        options: EstimateOptions,
    ) -> Study:
        """Check what is asked for, and see what the coefficient is in a large sample."""
        simulator, chosen = simulator_of(design), registry[coefficient]
        check_resamples(n_resamples)
        seed = seed_sequence(rng)
        random = RandomStream.of(seed)
        large = large_sample(simulator, chosen, random, options)
        sample = simulator.draw(n_items=_pool_size(simulator, chosen), rng=random).ratings
        one = estimate(chosen, (sample,), **options, on_undefined="raise")
        variance = one.standard_error**2 * sample.n_items
        value = true_value(large, simulator)
        rows = RowStudies.of(one)
        return cls(simulator, chosen, n_resamples, seed, options, one.name, value, variance, rows)

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
