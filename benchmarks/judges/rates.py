"""How often intervals of corrected rates and differences hold the truth, and how wide they are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from consilience.judges.corrected_rates import difference_of, fitted
from consilience.judges.rate_estimators import TwoPhase, people_alone

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
    studies: int


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
    if design.cluster == 1:
        return _counted(design, rng)
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


def _counted(design: Design, rng: np.random.Generator) -> TwoPhase:
    """Draw one study of independent items by how many there are of each kind."""
    p, se, sp = design.rate, design.sensitivity, design.specificity
    cells = [(1.0 - p) * sp, p * (1.0 - se), (1.0 - p) * (1.0 - sp), p * se]  # verdict, then truth
    counts = rng.multinomial(design.labels, cells)
    rest = rng.multinomial(design.verdicts - design.labels, cells)
    said = np.repeat([0, 0, 1, 1, 0, 1], [*counts, rest[:2].sum(), rest[2:].sum()])
    truth = np.repeat([0.0, 1.0, 0.0, 1.0, np.nan], [*counts, rest.sum()])
    return TwoPhase(predicted=said.astype(np.float64), truth=truth, state=said)


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
    return Outcome(design, hits / studies, widths / alone, studies)


def difference_coverage(
    design: Design, gap: float, studies: int, seed: int, *, paired: bool = False
) -> Outcome:
    """Return how often the interval of a difference holds the true one.

    The judge flatters the second system: its specificity is .1 lower there. `paired` are answers
    of both to the same prompts, which share their difficulty.
    """
    rng = np.random.default_rng(seed)
    other = replace(design, rate=min(design.rate + gap, 0.95),
                    specificity=max(design.specificity - 0.1, 0.0))  # fmt: skip
    hits, widths, alone = 0, 0.0, 0.0
    true = other.rate - design.rate
    for _ in range(studies):
        both = (other, design)
        samples = _pairs(both, rng) if paired else [drawn(one, rng) for one in both]
        low, high = difference_of(samples, "auto").limits(LEVEL)
        hits += low <= true <= high
        widths += high - low
        low, high = difference_of(samples, "people").limits(LEVEL)
        alone += high - low
    return Outcome(design, hits / studies, widths / alone, studies)


def _pairs(both: tuple[Design, Design], rng: np.random.Generator) -> list[TwoPhase]:
    """Draw answers of two systems to the same prompts; half of the luck is the prompt's."""
    n = both[0].verdicts
    luck, shared = rng.random(n), rng.random(n) < 0.5
    labelled = rng.permutation(n) < both[0].labels
    out = []
    for one in both:
        truth = np.where(shared, luck, rng.random(n)) < one.rate
        right = np.where(truth, one.sensitivity, one.specificity)
        said = np.where(rng.random(n) < right, truth, ~truth)
        out.append(
            TwoPhase(
                predicted=said.astype(np.float64),
                truth=np.where(labelled, truth, np.nan),
                state=said.astype(np.int64),
                cluster=np.arange(n),
            )
        )
    return out


def fresh_designs(n: int, seed: int) -> Iterator[Design]:
    """Draw designs at random: judges, rates and sizes that nothing was chosen by."""
    rng = np.random.default_rng(seed)
    for _ in range(n):
        labels = int(rng.choice([50, 70, 100, 150, 300, 600, 1000]))
        rate = float(np.exp(rng.uniform(np.log(0.05), np.log(0.5))))
        errors = np.exp(rng.uniform(np.log(0.01), np.log(0.5), 2)).tolist()
        times = int(rng.choice([4, 10, 30]))
        yield Design(rate, 1.0 - errors[0], 1.0 - errors[1], labels, times * labels)
