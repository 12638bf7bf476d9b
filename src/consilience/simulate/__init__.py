"""Ratings with a known truth: choose a design, draw from it, see how a coefficient behaves.

Calling the module draws once: ``consilience.simulate(n_items=200, accuracy=0.9, rng=0)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from consilience.core.lazy import callable_folder, public_names

if TYPE_CHECKING:
    from consilience.simulate._samples import Sample as Sample
    from consilience.simulate._samples import Samples as Samples
    from consilience.simulate._samples import samples as samples
    from consilience.simulate._simulate import simulate as simulate
    from consilience.simulate._simulator import Simulated as Simulated
    from consilience.simulate._simulator import Simulator as Simulator
    from consilience.simulate.sampling import SamplingDistribution as SamplingDistribution
    from consilience.simulate.sampling import large_sample_value as large_sample_value
    from consilience.simulate.sampling import sampling_distribution as sampling_distribution

public_names(__name__)
callable_folder(__name__, "simulate")
