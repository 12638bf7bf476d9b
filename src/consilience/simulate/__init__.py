"""Ratings with a known truth: choose a design, draw from it, see how a coefficient behaves.

Calling the module draws once: ``consilience.simulate(n_items=200, accuracy=0.9, rng=0)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import callable_folder, public_names

if TYPE_CHECKING:
    from consilience.simulate.sampling import Samples as Samples
    from consilience.simulate.sampling import SamplingDistribution as SamplingDistribution
    from consilience.simulate.sampling import agreement_for as agreement_for
    from consilience.simulate.sampling import large_sample_value as large_sample_value
    from consilience.simulate.sampling import samples as samples
    from consilience.simulate.sampling import sampling_distribution as sampling_distribution
    from consilience.simulate.simulator import Simulated as Simulated
    from consilience.simulate.simulator import Simulator as Simulator
    from consilience.simulate.simulator import simulate as simulate

# What these functions return is not imported.
MOVED = {
    "Sample": "samples returns it",
}

public_names(__name__)
callable_folder(__name__, "simulate")
