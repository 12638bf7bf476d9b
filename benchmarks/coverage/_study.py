"""Count how often each method's interval contains the true value."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field

import numpy as np

import consilience as cs
from benchmarks.coverage._designs import Design
from consilience.coefficients import bootstrap, jackknife
from consilience.exceptions import ConsilienceError, ConsilienceWarning
from consilience.simulate import large_sample_value

COEFFICIENTS = ("krippendorff_alpha", "cohen_kappa", "gwet_ac")
METHODS = ("analytic", "percentile", "bca", "jackknife", "transformed", "auto")
LEVEL = 0.95


@dataclass
class Covered:
    """Counts of one design and coefficient."""

    design: Design
    coefficient: str
    truth: float
    defined: int = 0
    too_few: int = 0
    hits: Counter[str] = field(default_factory=Counter)
    picked: Counter[str] = field(default_factory=Counter)

    def share(self, method: str) -> float:
        return self.hits[method] / self.defined if self.defined else float("nan")


def study(design: Design, *, n_runs: int, n_resamples: int, seed: int) -> list[Covered]:
    """Simulate one design many times; the same seed gives the same table."""
    simulator = design.simulator()
    found = {
        name: Covered(design, name, large_sample_value(simulator, name, rng=seed))
        for name in COEFFICIENTS
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsilienceWarning)
        for stream in np.random.SeedSequence(seed).spawn(n_runs):
            rng = np.random.default_rng(stream)
            _one_run(simulator.draw(rng=rng).ratings, found, n_resamples, rng)
    return list(found.values())


def _one_run(ratings: cs.Ratings, found: dict[str, Covered], n_resamples: int, rng: object) -> None:
    registry = cs.coefficients()
    estimates = []
    for name in found:
        try:
            one = cs.coefficients.estimate(registry[name], (ratings,), on_undefined="ignore")
        except ConsilienceError:
            continue
        if one.status == "ok":
            estimates.append(one)
    if not estimates:
        return
    replicates = bootstrap(*estimates, n_resamples=n_resamples, rng=rng)
    for one, drawn in zip(estimates, replicates, strict=True):
        cell = found[one.coefficient]
        cell.defined += 1
        left = jackknife(one)
        intervals = {
            "percentile": drawn.percentile(LEVEL),
            "bca": drawn.bca(left.left_out, left.multiplicity, confidence_level=LEVEL),
        }
        for method in METHODS:
            interval = intervals.get(method) or one.confidence_interval(LEVEL, method=method)
            near = 1e-12
            cell.hits[method] += interval.low - near <= cell.truth <= interval.high + near
            if method == "auto":
                cell.picked[interval.method] += 1
                cell.too_few += "Too few items" in interval.note
