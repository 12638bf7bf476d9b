"""How often intervals of corrected rates and differences hold the truth, and how wide they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from consilience.judges.rate_differences import difference_limits
from consilience.judges.rates import fitted
from consilience.judges.two_phase import TwoPhase, people_alone

LEVEL = 0.95


@dataclass(frozen=True)
class Design:
    """A judge, a prevalence, and numbers of verdicts and labels."""

    rate: float
    sensitivity: float
    specificity: float
    labels: int
    verdicts: int
    cluster: int = 1  # answers per prompt
    alike: float = 0.0  # how far answers to one prompt are alike


@dataclass(frozen=True)
class Outcome:
    """Coverage, and the mean width beside that of people alone."""

    design: Design
    covered: float
    width: float


JUDGES = ((0.99, 0.99), (0.95, 0.9), (0.9, 0.97), (0.8, 0.8), (0.95, 0.6), (0.6, 0.6), (0.5, 0.5))
RATES = (0.05, 0.1, 0.3, 0.5)
LABELS = (50, 100, 300, 1000)


def designs(*, clusters: bool = False) -> Iterator[Design]:
    """Yield the grid: judges from excellent to useless."""
    for labels in LABELS:
        for rate in RATES:
            for sensitivity, specificity in JUDGES:
                if not clusters:
                    yield Design(rate, sensitivity, specificity, labels, 10 * labels)
                elif labels >= 100:
                    yield Design(rate, sensitivity, specificity, labels, 10 * labels, 4, 0.3)


def drawn(design: Design, rng: np.random.Generator) -> TwoPhase:
    """Draw one study; whole prompts are labelled where there are several answers to each."""
    n_prompts = design.verdicts // design.cluster
    prompt = np.repeat(np.arange(n_prompts), design.cluster)
    own = rng.random(design.verdicts) < design.rate
    shared = np.repeat(rng.random(n_prompts) < design.rate, design.cluster)
    truth = np.where(rng.random(design.verdicts) < design.alike, shared, own)
    right = np.where(truth, design.sensitivity, design.specificity)
    said = np.where(rng.random(design.verdicts) < right, truth, ~truth)
    chosen = rng.permutation(n_prompts)[: design.labels // design.cluster]
    labelled = np.isin(prompt, chosen)
    return TwoPhase(
        predicted=said.astype(np.float64),
        truth=np.where(labelled, truth, np.nan),
        state=said.astype(np.int64),
        cluster=prompt if design.cluster > 1 else None,
    )


def coverage(design: Design, method: str, studies: int, seed: int) -> Outcome:
    """Return how often the interval of a rate holds the true one."""
    rng = np.random.default_rng(seed)
    hits, widths, alone = 0, 0.0, 0.0
    for _ in range(studies):
        sample = drawn(design, rng)
        low, high = fitted(sample, method).limits(LEVEL)
        hits += low <= design.rate <= high
        widths += high - low
        low, high = people_alone(sample).limits(LEVEL)
        alone += high - low
    return Outcome(design, hits / studies, widths / alone)


def difference_coverage(design: Design, gap: float, studies: int, seed: int) -> Outcome:
    """Return how often the interval of a difference holds the true one.

    The judge flatters the second system: its specificity is .1 lower there.
    """
    rng = np.random.default_rng(seed)
    other = Design(
        min(design.rate + gap, 0.95), design.sensitivity, max(design.specificity - 0.1, 0.0),
        design.labels, design.verdicts,
    )  # fmt: skip
    hits, widths, alone = 0, 0.0, 0.0
    true = other.rate - design.rate
    for _ in range(studies):
        samples = [drawn(one, rng) for one in (other, design)]
        for how in ("auto", "people"):
            first, second = (fitted(one, how) for one in samples)
            low, high = difference_limits(first, second, 0.0)(LEVEL)
            if how == "auto":
                hits += low <= true <= high
                widths += high - low
            else:
                alone += high - low
    return Outcome(design, hits / studies, widths / alone)
