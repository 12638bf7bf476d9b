"""Seeds of every measure of units: checked before any work, and used alike by every interval."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from consilience import units
from consilience.exceptions import InputError
from consilience.units import Units

_OF_PARTS = {"session_interval", "session_replicates", "easydiag_on_spark"}  # no units
FUNCTIONS = {
    name: getattr(folder, name)
    for folder in (units, units.programs)
    for name in folder.__all__
    if inspect.isfunction(getattr(folder, name))
}
DRAWING = sorted(
    name
    for name, function in FUNCTIONS.items()
    if name not in _OF_PARTS and "rng" in inspect.signature(function).parameters
)
SEGMENTED = {"boundary_hits", "segmentation"}
NEEDED = {"boundary_hits": {"tolerance": 0.5}}


def recorded(n_sessions: int = 2) -> Units:
    rows = [
        (rater, "xy"[(k + s) % 2], 10 * k + shift, 10 * k + 8 + shift, f"s{s}")
        for s in range(n_sessions)
        for rater, shift in (("a", 0), ("b", s % 5))
        for k in range(4)
    ]
    return Units.from_records(rows)


def data_for(name: str) -> Units:
    if name in SEGMENTED:
        return Units.from_masses({"a": [2, 3, 5], "b": [2, 4, 4]})
    return recorded()


def called(name: str, **options: Any) -> Any:
    function: Callable[..., Any] = FUNCTIONS[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(data_for(name), **NEEDED.get(name, {}), **options)


def test_every_measure_that_draws_is_here() -> None:
    assert {"easydiag", "span_f1", "time_kappa", "gamma", "unitizing_alpha"} <= set(DRAWING)


@pytest.mark.parametrize("name", DRAWING)
def test_what_is_no_seed_is_refused_at_once(name: str) -> None:
    for rng in ["seed", -1, 1.5, True, [1], float("nan")]:
        with pytest.raises(InputError, match="rng must be a whole number"):
            called(name, rng=rng)


@pytest.mark.parametrize("name", DRAWING)
def test_seeds_of_numpy_and_generators_are_taken(name: str) -> None:
    for rng in (np.int64(3), np.random.default_rng(3), None):
        called(name, rng=rng)


@pytest.mark.parametrize("name", ["easydiag", "time_kappa", "timed_alignment"])
def test_a_generator_gives_one_interval_however_often_it_is_asked_for(name: str) -> None:
    function = FUNCTIONS[name]
    found = function(recorded(12), rng=np.random.default_rng(5), n_resamples=200)
    first = found.confidence_interval()
    assert first == found.confidence_interval()
    assert first.low < first.high
    again = function(recorded(12), rng=np.random.default_rng(5), n_resamples=200)
    assert again.confidence_interval() == first
