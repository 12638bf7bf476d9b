"""Ratings with a known truth: choose a design, draw from it, see how a coefficient behaves.

Calling the module draws once: ``consilience.simulate(n_items=200, accuracy=0.9, rng=0)``.
"""

from __future__ import annotations

import inspect
import sys
from types import ModuleType

from consilience.core.answers import answering
from consilience.simulate._samples import Sample, Samples, samples
from consilience.simulate._simulate import simulate
from consilience.simulate._simulator import Simulated, Simulator
from consilience.simulate.sampling import (
    SamplingDistribution,
    large_sample_value,
    sampling_distribution,
)

__all__ = [
    "Sample",
    "Samples",
    "SamplingDistribution",
    "Simulated",
    "Simulator",
    "large_sample_value",
    "samples",
    "sampling_distribution",
    "simulate",
]

answering(globals(), __all__)


class _CallableModule(ModuleType):
    """A module that, called, simulates once."""

    __call__ = staticmethod(simulate)
    __signature__ = inspect.signature(simulate)


sys.modules[__name__].__class__ = _CallableModule
