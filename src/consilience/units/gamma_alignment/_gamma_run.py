"""Gamma's two halves, the observed continua and the random ones, and the labels of what meets."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from consilience.core.arrays import Floats
from consilience.core.draws import RandomStream
from consilience.exceptions import UnsupportedDesignError
from consilience.units.gamma_alignment._best_alignment import Aligned, align
from consilience.units.gamma_alignment._chance_continua import draw, samples_needed
from consilience.units.gamma_alignment._dissimilarity import Continua, Dissimilarity
from consilience.units.gamma_alignment._gamma_input import Block, Settings, as_continua, joined

# Units of random continua held at a time.
_UNITS_AT_ONCE = 500_000
VARIANTS = ("paper", "pygamma")


@dataclass(frozen=True)
class LabelDisorder:
    """Weighted distances of labels and their weights, in each block: all pairs, and by category."""

    distance: Floats  # (blocks, 1 + categories): all pairs, then pairs with category k
    weight: Floats

    @property
    def mean(self) -> Floats:
        """The weighted mean distance; NaN where no pair has weight."""
        with np.errstate(divide="ignore", invalid="ignore"):
            out: Floats = np.where(self.weight > 0, self.distance / self.weight, np.nan)
        return out


def label_disorder(
    units: Continua, aligned: Aligned, dissimilarity: Dissimilarity, variant: str
) -> LabelDisorder:
    """Sum over aligned pairs: weight max(0, 1 − d_pos)/(ν − 1), ν units in the unitary alignment.

    Mathet 2017: the weights of gamma-cat, and of gamma-k for pairs that have the category k.
    The variant "pygamma" takes α d_pos in the weight and counts a unit facing an empty place as a
    pair of distance 1 and weight 1.
    """
    n_labels = len(dissimilarity.d_kl)
    distance: Any = np.zeros((units.n_blocks, 1 + n_labels))
    weight: Any = np.zeros_like(distance)
    add: Any = np.add.at
    size = (aligned.member >= 0).sum(axis=1)
    factor = dissimilarity.position_weight if variant == "pygamma" else 1.0
    for a in range(units.n_raters):
        for b in range(a + 1, units.n_raters):
            first, second = aligned.member[:, a], aligned.member[:, b]
            both = np.flatnonzero((first >= 0) & (second >= 0))
            i, j = first[both], second[both]
            near = np.maximum(0.0, 1.0 - factor * dissimilarity.positional(units, i, j))
            w = near / (size[both] - 1)
            d = w * dissimilarity.categorical(units, i, j)
            block, k, other = aligned.block[both], units.label[i], units.label[j]
            unlike = k != other
            for table, part in ((distance, d), (weight, w)):
                add(table, (block, 0), part)
                add(table, (block, 1 + k), part)
                add(table, (block[unlike], 1 + other[unlike]), part[unlike])
            if variant == "pygamma":
                for here, there in ((first, second), (second, first)):
                    lone = np.flatnonzero((here >= 0) & (there < 0))
                    where = (aligned.block[lone], 1 + units.label[here[lone]])
                    for table in (distance, weight):
                        add(table, (aligned.block[lone], 0), 1.0)
                        add(table, where, 1.0)
    return LabelDisorder(distance, weight)


@dataclass
class Chance:
    """What the random continua of one block gave, summed up."""

    disorder: Floats
    # per kind (all pairs, then each category): sum, sum of squares, number defined
    labels: Floats
    exact: bool = True


@dataclass
class Observed:
    """What the best alignment of one observed continuum gave."""

    disorder: float = 0.0
    distance: Floats = field(default_factory=lambda: np.empty(0))
    weight: Floats = field(default_factory=lambda: np.empty(0))
    exact: bool = True
    member: Any = None
    cost: Any = None


def _by_size(blocks: Sequence[Block], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Group blocks of equally many raters, so many units at a time."""
    for n in sorted({len(block.raters) for block in blocks}):
        held: list[int] = []
        total = 0
        for b, block in enumerate(blocks):
            if len(block.raters) != n or not sizes[b]:
                continue
            if held and total + sizes[b] > _UNITS_AT_ONCE:
                yield held
                held, total = [], 0
            held.append(b)
            total += sizes[b]
        if held:
            yield held


def observe(blocks: Sequence[Block], settings: Settings) -> list[Observed]:
    """Align the observed continua."""
    found = [Observed() for _ in blocks]
    for some in _by_size(blocks, [len(block.rows) for block in blocks]):
        units = joined([as_continua(blocks[b].continuum) for b in some])
        aligned = align(
            units, settings.dissimilarity, approximate=settings.approximate, most=settings.most
        )
        labels = label_disorder(units, aligned, settings.dissimilarity, settings.variant)
        disorder = aligned.disorder(units)
        first = np.searchsorted(units.block, np.arange(len(some)))
        for k, b in enumerate(some):
            here = aligned.block == k
            member = aligned.member[here]
            found[b] = Observed(
                disorder=float(disorder[k]),
                distance=labels.distance[k],
                weight=labels.weight[k],
                exact=bool(aligned.exact[k]),
                member=np.where(member >= 0, member - first[k], -1),
                cost=aligned.cost[here],
            )
    return found


def by_chance(
    blocks: Sequence[Block],
    settings: Settings,
    *,
    sources: set[int],
    precision: float | None,
    n_samples: int,
    seeds: np.random.SeedSequence,
) -> list[Chance]:
    """Draw random continua for every block until the expected disorder is precise enough."""
    generators = [RandomStream.of(seed) for seed in seeds.spawn(len(blocks))]
    n_kinds = 1 + len(settings.dissimilarity.d_kl)
    found = [Chance(np.empty(0), np.zeros((3, n_kinds))) for _ in blocks]
    models = [_models(block, sources) for block in blocks]
    wanted = [n_samples] * len(blocks)
    _draw_more(blocks, settings, found, models=models, generators=generators, wanted=wanted)
    more = [samples_needed(c.disorder, precision) - len(c.disorder) for c in found]
    _draw_more(blocks, settings, found, models=models, generators=generators, wanted=more)
    return found


def _models(block: Block, sources: set[int]) -> Any:
    """Return which raters of the block random continua are made of."""
    size = np.diff(block.continuum.offset)
    places = np.array([k for k, rater in enumerate(block.raters) if rater in sources], dtype=int)
    if not len(places) or not size[places].sum():
        raise UnsupportedDesignError.needs(
            "gamma with reference_raters",
            "units of such a rater in every session",
            "a session without",
            "leave that session out, or take all raters",
        )
    return places


def _draw_more(
    blocks: Sequence[Block],
    settings: Settings,
    found: list[Chance],
    *,
    models: list[Any],
    generators: list[RandomStream],
    wanted: list[int],
) -> None:
    sizes = [max(1, len(block.rows)) * n for block, n in zip(blocks, wanted, strict=True)]
    for some in _by_size(blocks, sizes):
        drawn = joined(
            [
                draw(
                    blocks[b].continuum,
                    wanted[b],
                    generators[b],
                    chance=settings.chance,
                    spacing=settings.spacing,
                    sources=models[b],
                )
                for b in some
            ]
        )
        _add(drawn, settings, found, [(b, wanted[b]) for b in some])


def _add(
    drawn: Continua, settings: Settings, found: list[Chance], some: list[tuple[int, int]]
) -> None:
    """Align random continua and add what they give to their blocks."""
    aligned = align(
        drawn, settings.dissimilarity, approximate=settings.approximate, most=settings.most
    )
    disorder = aligned.disorder(drawn)
    mean = label_disorder(drawn, aligned, settings.dissimilarity, settings.variant).mean
    first = 0
    for b, count in some:
        part = slice(first, first + count)
        first += count
        defined = np.isfinite(mean[part])
        values = np.where(defined, mean[part], 0.0)
        found[b].disorder = np.concatenate([found[b].disorder, disorder[part]])
        found[b].labels += np.stack([values.sum(0), np.square(values).sum(0), defined.sum(0)])
        found[b].exact &= bool(aligned.exact[part].all())
