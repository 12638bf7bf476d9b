"""Studies drawn from a design, which planning by simulation looks at."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from consilience.coefficients import Estimate, estimate, registry
from consilience.coefficients.coefficient import Coefficient
from consilience.core.keywords import EstimateOptions
from consilience.core.resample import Seed, check_resamples, seed_sequence
from consilience.exceptions import InputError
from consilience.ratings import Note
from consilience.simulate import Simulated, Simulator
from consilience.simulate.sampling import large_sample, studies, true_value

ROUNDS = 8  # sizes that are tried before the last one is taken
FEWEST = 4  # items of the smallest study that is tried
_MOST_SIMULATED = 1_000_000
_OFTEN_UNDEFINED = 0.01


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
        random = np.random.default_rng(seed)
        large = large_sample(simulator, chosen, random, options)
        per_item = simulator.ratings_per_item or simulator.n_raters
        sample = simulator.draw(n_items=max(200_000 // per_item, 1000), rng=random).ratings
        one = estimate(chosen, (sample,), **options, on_undefined="raise")
        variance = one.standard_error**2 * sample.n_items
        value = true_value(large, simulator)
        return cls(simulator, chosen, n_resamples, seed, options, one.name, value, variance)

    def each(self, n_items: int, outcome: Callable[[Estimate], float]) -> Any:
        """Return an outcome for each simulated study; NaN where the coefficient is undefined."""
        if n_items > _MOST_SIMULATED:
            raise InputError.expected(
                "a simulated study",
                f"of at most {_MOST_SIMULATED:,} items",
                f"{n_items:,} items",
                "ask for less precision, or use the formulas for large samples",
            )
        random = np.random.default_rng(self.seed)
        found = studies(
            self.simulator,
            self.coefficient,
            self.options,
            n_items=n_items,
            n_resamples=self.n_resamples,
            rng=random,
        )
        return np.array([math.nan if study is None else outcome(study) for study in found])

    def facts(self, n_items: int, undefined: float) -> dict[str, Any]:
        """Return what every plan says of a study of this size."""
        notes: tuple[Note, ...] = ()
        if undefined > _OFTEN_UNDEFINED:
            notes = (
                Note(
                    "often_undefined",
                    f"The coefficient is undefined in {100.0 * undefined:.1f} % of the simulated "
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


def simulator_of(design: Simulator | Simulated) -> Simulator:
    """Return what draws the ratings of a design."""
    simulator = design.design if isinstance(design, Simulated) else design
    if not isinstance(simulator, Simulator):
        raise InputError.expected(
            "design", "a Simulator", design, "make one with consilience.simulate.Simulator(...)"
        )
    return simulator
