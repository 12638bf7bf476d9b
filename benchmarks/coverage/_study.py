"""Count how often the default interval holds the true value, and how often its test rejects it."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

import consilience as cs
from benchmarks.coverage._designs import Design
from benchmarks.coverage._populations import (
    draw_sessions,
    draw_values,
    labelled,
    true_icc,
    true_of_sessions,
    true_value,
)
from benchmarks.coverage._wider import WIDER, found
from consilience.coefficients import Estimate
from consilience.coefficients.resampled import compare_rounds_of
from consilience.coefficients.uncertainty import automatic_interval, sureness_of, too_few
from consilience.exceptions import ConsilienceError, ConsilienceWarning
from consilience.magnitudes import _icc_intervals, icc
from consilience.units import session_interval

LEVEL = 0.95
# The product takes 9,999 draws. A limit of rank 5 of 199 holds the truth as often on average.
DRAWS = 199
ITEM_DRAWS = 999  # instead of 3,999
_NEAR = 1e-12
# S is a straight line of raw agreement, and pi has alpha's draws: they cover as these do.
_NOMINAL = ("percent_agreement", "cohen_kappa", "krippendorff_alpha", "gwet_ac")
COEFFICIENTS: dict[str, tuple[tuple[str, str], ...]] = {
    "nominal": tuple((name, "nominal") for name in _NOMINAL),
    "rare": tuple((name, "nominal") for name in _NOMINAL),
    "near": tuple((name, "nominal") for name in _NOMINAL),
    "ordered": (
        ("cohen_kappa", "linear"), ("cohen_kappa", "quadratic"), ("gwet_ac", "linear"),
        ("gwet_ac", "quadratic"), ("krippendorff_alpha", "ordinal"),
        ("krippendorff_alpha", "interval"),
    ),
    "clusters": tuple((name, "nominal") for name in _NOMINAL),
    "values": (("krippendorff_alpha", "interval"),),
    "icc": (("icc", "A,1"), ("icc", "C,1")),  # of means: the same limits, stretched
    "errors": (("icc", "A,1"), ("icc", "C,1")),
    "groups": (("groups", "cohen_kappa"), ("groups", "donner_eliasziw_klar")),
    "rounds": (("rounds", "cohen_kappa"), ("rounds", "krippendorff_alpha")),
    "sessions": (("sessions", "linked"), ("sessions", "kappa")),
}  # fmt: skip


@dataclass
class Cell:
    """Counts of one coefficient in one design."""

    design: Design
    coefficient: str
    truth: float
    samples: int = 0
    defined: int = 0  # samples with a value and an interval
    covered: int = 0
    above: int = 0  # intervals that lie wholly above the truth
    rejected: int = 0  # true values that the test rejects at 5 %
    nonzero: int = 0  # samples whose test says that the value differs from 0
    few: int = 0  # samples that are said to have too few items
    width: float = 0.0  # added up

    def add(self, low: float, high: float, p_truth: float, p_zero: float) -> None:
        """Take in a sample's interval and tests."""
        self.samples += 1
        if not math.isfinite(high) or math.isnan(low):
            return
        self.defined += 1
        self.covered += low - _NEAR <= self.truth <= high + _NEAR
        self.above += low > self.truth + _NEAR
        self.rejected += p_truth <= 1.0 - LEVEL
        self.nonzero += p_zero <= 1.0 - LEVEL
        self.width += min(high, 1.0) - max(low, -1.0)

    def joined(self, other: Cell) -> Cell:
        """Add the counts of more samples."""
        counts = [f.name for f in fields(self) if f.name not in ("design", "coefficient", "truth")]
        return replace(self, **{n: getattr(self, n) + getattr(other, n) for n in counts})

    @property
    def coverage(self) -> float:
        """The share of intervals that hold the truth."""
        return self.covered / self.defined if self.defined else math.nan

    @property
    def size(self) -> float:
        """The share of tests that reject the truth."""
        return self.rejected / self.defined if self.defined else math.nan

    def record(self) -> dict[str, Any]:
        """Return it as one row of the data file."""
        own = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "design"}
        rounded = {"truth": round(self.truth, 5), "width": round(self.width, 2)}
        return {**vars(self.design), **own, **rounded}

    @classmethod
    def of_record(cls, record: dict[str, str]) -> Cell:
        """Read one row of the data file."""
        made = {f.name: _KINDS[str(f.type)](record[f.name]) for f in fields(Design)}
        own = {
            f.name: _KINDS[str(f.type)](record[f.name]) for f in fields(cls) if f.name != "design"
        }
        return cls(Design(**made), **own)


_KINDS: dict[str, Callable[[str], Any]] = {"str": str, "int": int, "float": float}


def study(design: Design, samples: int, first: int = 0) -> list[Cell]:
    """Draw samples of a design, from the first one on; the same samples give the same counts."""
    measure = _wider if design.family in WIDER else _MEASURES.get(design.family, _labels)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConsilienceWarning)
        return measure(design, range(first, samples))


def _streams(design: Design, samples: range) -> Iterator[np.random.Generator]:
    for stream in np.random.SeedSequence(design.seed).spawn(samples.stop)[samples.start :]:
        yield np.random.default_rng(stream)


def _cells(design: Design, truth: Callable[[str, str], float]) -> dict[tuple[str, str], Cell]:
    return {
        (name, kind): Cell(design, f"{name} {kind}".removesuffix(" nominal"), truth(name, kind))
        for name, kind in COEFFICIENTS[design.family]
    }


def _labels(design: Design, samples: range) -> list[Cell]:
    population = labelled(design)
    cells = _cells(design, lambda name, distance: true_value(population, name, distance))
    for rng in _streams(design, samples):
        codes, clusters = population.draw(rng, design)
        ratings = _ratings(codes, design.labels, clusters)
        seed = int(rng.integers(2**31))
        for (name, distance), cell in cells.items():
            one = _estimate(ratings, name, distance, seed)
            cell.add(*_told(one, cell.truth))
            cell.few += _too_few(one)
    return list(cells.values())


def _too_few(one: Estimate | None) -> bool:
    return one is not None and too_few(one) is not None


def _ratings(codes: Any, n_labels: int, clusters: Any = None) -> cs.Ratings:
    made = cs.Ratings.from_wide(
        codes, scale="ordinal", categories=range(n_labels), missing_values=[-1]
    )
    return made if clusters is None else made.with_clusters(clusters, "cluster")


def _estimate(ratings: cs.Ratings, name: str, distance: str, seed: int) -> Estimate | None:
    coefficient = cs.coefficients()[name]
    try:
        one = cs.coefficients.estimate(
            coefficient, (ratings,), distance=distance, on_undefined="ignore"
        )
    except ConsilienceError:
        return None
    return replace(one, seed=seed)


_NOTHING = (math.nan, math.nan, math.nan, math.nan)


def _told(one: Estimate | None, truth: float) -> tuple[float, float, float, float]:
    """Return the limits of the default interval, and p of the truth and of 0."""
    if one is None or one.status != "ok":
        return _NOTHING
    sure = sureness_of(one, n_draws=DRAWS)
    if sure is not None:
        tests = (sure.p_value(truth, "two-sided"), sure.p_value(0.0, "two-sided"))
        return (*sure.limits(LEVEL), *tests)
    interval = automatic_interval(one, LEVEL)
    return interval.low, interval.high, one.test(truth).p_value, one.test().p_value


def _values(design: Design, samples: range) -> list[Cell]:
    cells = _cells(design, lambda *_: design.agreement)
    (cell,) = cells.values()
    for rng in _streams(design, samples):
        ratings = cs.Ratings.from_wide(draw_values(rng, design), scale="interval")
        cell.add(*_told(_estimate(ratings, "krippendorff_alpha", "interval", 0), cell.truth))
    return [cell]


@contextmanager
def _fewer_draws_of_items() -> Iterator[None]:
    usual = _icc_intervals.ITEM_DRAWS
    _icc_intervals.ITEM_DRAWS = ITEM_DRAWS
    try:
        yield
    finally:
        _icc_intervals.ITEM_DRAWS = usual


@_fewer_draws_of_items()
def _icc(design: Design, samples: range) -> list[Cell]:
    cells = _cells(design, lambda _, model: true_icc(design, model))
    for rng in _streams(design, samples):
        ratings = cs.Ratings.from_wide(draw_values(rng, design), scale="interval")
        for (_, model), cell in cells.items():
            one = icc(ratings, model=model)
            interval = one.confidence_interval(LEVEL)
            tests = (one.test(cell.truth).p_value, one.test().p_value)
            cell.add(interval.low, interval.high, *tests)
    return list(cells.values())


def _groups(design: Design, samples: range) -> list[Cell]:
    """Compare groups that have the same value: the share of small p-values is all there is."""
    population = labelled(design)
    truth = true_value(population, "cohen_kappa", "nominal")
    cells = _cells(design, lambda *_: truth)
    # A group is as large as the design says; units would make clusters of its items.
    one_group = Design(**{**vars(design), "units": 0})
    tests: dict[str, Callable[[list[cs.Ratings]], Any]] = {
        "cohen_kappa": lambda groups: cs.compare_groups([cs.cohen_kappa(r) for r in groups]),
        "donner_eliasziw_klar": cs.donner_eliasziw_klar,
    }
    for rng in _streams(design, samples):
        groups = [
            _ratings(population.draw(rng, one_group)[0], design.labels) for _ in range(design.units)
        ]
        for (_, test), cell in cells.items():
            try:
                p = tests[test](groups).p_value
            except ConsilienceError:
                p = math.nan
            told = math.isfinite(p)
            cell.add(*((-1.0, 1.0, p, math.nan) if told else _NOTHING))
    return list(cells.values())


def _rounds(design: Design, samples: range) -> list[Cell]:
    """Compare two rounds of the same items that have the same value."""
    population = labelled(design)
    cells = _cells(design, lambda _, name: true_value(population, name, "nominal"))
    order = np.arange(design.items)
    for rng in _streams(design, samples):
        rounds = [_ratings(codes, design.labels) for codes in population.draw_rounds(rng, design)]
        for (_, name), cell in cells.items():
            pair = [_estimate(ratings, name, "nominal", 0) for ratings in rounds]
            told = [one for one in pair if one is not None and one.status == "ok"]
            p = math.nan
            if len(told) == 2:
                p = compare_rounds_of(told[0], told[1], order, DRAWS).p_value
            cell.add(*((-1.0, 1.0, p, math.nan) if math.isfinite(p) else _NOTHING))
    return list(cells.values())


def _sessions(design: Design, samples: range) -> list[Cell]:
    """Measure sessions that were sampled whole; an interval is all they have."""
    cells = _cells(design, lambda _, what: true_of_sessions(design, what))
    statistics: dict[str, tuple[Callable[[Any], Any], tuple[float, float]]] = {
        "linked": (lambda sums: 1.0 - sums[:, -1] / sums.sum(axis=1), (0.0, 1.0)),
        "kappa": (lambda sums: _kappa(sums[:, :-1], design.labels), (-1.0, 1.0)),
    }
    for rng in _streams(design, samples):
        parts = draw_sessions(rng, design)
        for (_, what), cell in cells.items():
            statistic, ends = statistics[what]
            low, high = session_interval(parts, statistic, ends=ends)
            p = float(low <= cell.truth <= high)
            cell.add(low, high, p, math.nan)
    return list(cells.values())


def _wider(design: Design, samples: range) -> list[Cell]:
    """Measure what has an interval of its own; its test is whether the truth lies outside."""
    family = WIDER[design.family]
    cells = {name: Cell(design, name, family.truth(design, name)) for name in family.measures}
    for rng in _streams(design, samples):
        sample = family.draw(rng, design)
        for name, cell in cells.items():
            _, low, high = found(family.measures[name], sample)
            cell.add(low, high, float(low <= cell.truth <= high), math.nan)
    return list(cells.values())


def _kappa(cells: Any, k: int) -> Any:
    table = cells.reshape(len(cells), k, k)
    n = table.sum(axis=(1, 2))
    chance = (table.sum(axis=1) * table.sum(axis=2)).sum(axis=1) / n**2
    return (np.trace(table, axis1=1, axis2=2) / n - chance) / (1.0 - chance)


_MEASURES: dict[str, Callable[[Design, range], list[Cell]]] = {
    "values": _values,
    "icc": _icc,
    "errors": _icc,
    "groups": _groups,
    "rounds": _rounds,
    "sessions": _sessions,
}
