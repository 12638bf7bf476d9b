"""Count how often each method's interval contains the true value."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

import consilience as cs
from benchmarks.coverage._designs import Design
from consilience.coefficients import Estimate, bootstrap, jackknife
from consilience.exceptions import ConsilienceError, ConsilienceWarning
from consilience.inference import Interval

COEFFICIENTS = ("krippendorff_alpha", "cohen_kappa", "gwet_ac")
METHODS = ("analytic", "percentile", "bca", "jackknife", "transformed", "auto")
LEVEL = 0.95
_NEAR = 1e-12


@dataclass
class Covered:
    """Counts of one design and coefficient."""

    design: Design
    coefficient: str
    truth: float
    defined: int = 0
    too_few: int = 0
    full: int = 0
    above: int = 0  # samples whose automatic interval lies wholly above the truth
    hits: Counter[str] = field(default_factory=Counter)

    def share(self, method: str) -> float:
        return self.hits[method] / self.defined if self.defined else float("nan")

    @property
    def labelled(self) -> bool:
        """Whether most samples were said to have too few items."""
        return self.too_few > self.defined / 2

    def add(self, other: Covered) -> None:
        """Take in the counts of further samples."""
        for name in ("defined", "too_few", "full", "above"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.hits += other.hits

    def to_dict(self) -> dict[str, Any]:
        return {**vars(self), "design": asdict(self.design), "hits": dict(self.hits)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Covered:
        return cls(
            **{**record, "design": Design(**record["design"]), "hits": Counter(record["hits"])}
        )


def study(design: Design, *, n_runs: int, n_resamples: int, seed: Any) -> list[Covered]:
    """Simulate one design many times; the same seed gives the same counts."""
    simulator = design.simulator()
    found = {name: Covered(design, name, design.true_value(name)) for name in COEFFICIENTS}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsilienceWarning)
        for stream in np.random.SeedSequence(seed).spawn(n_runs):
            rng = np.random.default_rng(stream)
            _one_run(simulator.draw(rng=rng).ratings, found, n_resamples, rng)
    return list(found.values())


def _one_run(ratings: cs.Ratings, found: dict[str, Covered], n_resamples: int, rng: Any) -> None:
    registry = cs.coefficients()
    estimates = []
    for name in found:
        try:
            one = cs.coefficients.estimate(registry[name], (ratings,), on_undefined="ignore")
        except ConsilienceError:
            continue
        if one.status == "ok":
            estimates.append(one)
    drawn = {}
    partial = [one for one in estimates if one.value < 1.0]
    if partial:
        replicates = bootstrap(*partial, n_resamples=n_resamples, rng=rng)
        drawn = {one.coefficient: b for one, b in zip(partial, replicates, strict=True)}
    for one in estimates:
        cell = found[one.coefficient]
        automatic = one.confidence_interval(LEVEL, method="auto")
        cell.defined += 1
        cell.too_few += "Too few items" in automatic.note
        cell.full += one.value == 1.0
        cell.above += automatic.low > cell.truth + _NEAR
        for method, interval in _intervals(one, automatic, drawn).items():
            cell.hits[method] += interval.low - _NEAR <= cell.truth <= interval.high + _NEAR


def _intervals(one: Estimate, automatic: Interval, drawn: Mapping[str, Any]) -> dict[str, Interval]:
    """Return the interval of each method; at full agreement all take the automatic one."""
    if one.value == 1.0:
        return dict.fromkeys(METHODS, automatic)
    left = jackknife(one)
    replicates = drawn[one.coefficient]
    ready = {
        "percentile": replicates.percentile(LEVEL),
        "bca": replicates.bca(left.left_out, left.multiplicity, confidence_level=LEVEL),
        "auto": automatic,
        automatic.method: automatic,
    }
    return {
        method: ready.get(method) or one.confidence_interval(LEVEL, method=method)
        for method in METHODS
    }
