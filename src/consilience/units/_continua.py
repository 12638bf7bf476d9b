"""Continua that gamma compares, observed and random, and the labels of what meets."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from consilience.core.arguments import number_where, whole_number
from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream
from consilience.document import Finding
from consilience.document.blocks import found
from consilience.exceptions import InputError, UnsupportedDesignError
from consilience.units._best_alignment import (
    Aligned,
    Continua,
    Dissimilarity,
    align,
    scaled_distances,
)
from consilience.units._columns import Times, expand, origin_of
from consilience.units.checks import (
    ComparedBlocks,
    check_data,
    check_label_count,
    check_pieces,
    check_positive,
    check_words,
    compared_blocks,
)
from consilience.units.model import Units

# ---- random continua
# The two models are those of Mathet, Widlöcher & Métivier (2015, section 5.2), which rotates the
# units that raters really made, and of the Python program pygamma-agreement, which draws units from
# normal distributions.

CHANCE = ("shuffle", "statistical")
SPACING = ("mean", "half")


@dataclass(frozen=True)
class Continuum:
    """The units of one block, sorted by rater, and where each rater's units begin."""

    start: Floats
    end: Floats
    label: Ints
    offset: Ints  # rater r holds rows offset[r] : offset[r + 1]
    low: float
    high: float
    n_labels: int

    @property
    def n_raters(self) -> int:
        """The number of raters."""
        return len(self.offset) - 1

    @property
    def rater(self) -> Ints:
        """Each unit's rater."""
        return np.repeat(np.arange(self.n_raters), np.diff(self.offset))


def draw(
    continuum: Continuum,
    n_samples: int,
    rng: RandomStream,
    *,
    chance: str,
    spacing: str,
    sources: Ints,
) -> Continua:
    """Return random continua, one block each; only `sources` (raters) are models for them."""
    if chance == "shuffle":
        return _shuffled(continuum, n_samples, rng, spacing, sources)
    return _statistical(continuum, n_samples, rng, sources)


def _shuffled(
    continuum: Continuum, n_samples: int, rng: RandomStream, spacing: str, sources: Ints
) -> Continua:
    n, length = continuum.n_raters, continuum.high - continuum.low
    size = np.diff(continuum.offset)
    model = sources[rng.integers(sources.size, (n_samples, n))]
    while (empty := size[model].sum(axis=1) == 0).any():  # a continuum without a unit is none
        model[empty] = sources[rng.integers(sources.size, (int(empty.sum()), n))]
    pivot = pivots(n_samples, n, length, pivot_distance(continuum, spacing), rng)
    drawn, row = expand(continuum.offset[model.ravel()], size[model.ravel()])
    shifted = continuum.start[row] - continuum.low + pivot.ravel()[drawn]
    # Units whose onset falls behind the end come in again at the beginning; none is cut.
    start = continuum.low + np.where(shifted >= length, shifted - length, shifted)
    return Continua(
        start=start,
        end=start + (continuum.end[row] - continuum.start[row]),
        label=continuum.label[row],
        rater=drawn % n,
        block=drawn // n,
        n_raters=n,
        n_blocks=n_samples,
    )


def pivot_distance(continuum: Continuum, spacing: str) -> float:
    """Return how far apart two rotations must be: the mean length of a unit, or half of it.

    The mean is that of Mathet et al. 2015; the half that of their program.
    """
    distance = float(np.mean(continuum.end - continuum.start))
    return distance / 2 if spacing == "half" else distance


def pivots(
    n_samples: int, n_raters: int, length: float, distance: float, rng: RandomStream
) -> Floats:
    """Draw rotations uniformly among those that are apart by the distance, around the circle.

    Where the continuum is too short for that, half of the largest possible distance is kept.
    """
    distance = min(distance, length / (2 * n_raters))
    gaps = rng.dirichlet(np.ones(n_raters), n_samples) * (length - n_raters * distance) + distance
    first = length * rng.random((n_samples, 1))
    turned: Floats = np.mod(first + np.cumsum(gaps, axis=1), length)
    return turned


def _statistical(
    continuum: Continuum, n_samples: int, rng: RandomStream, sources: Ints
) -> Continua:
    """Draw numbers of units, gaps and lengths from normal distributions, labels by frequency."""
    n = continuum.n_raters
    per_rater = np.diff(continuum.offset)[sources]
    used = np.isin(continuum.rater, sources)
    length = (continuum.end - continuum.start)[used]
    gap = _gaps(continuum, sources)
    count = per_rater.mean() + per_rater.std() * rng.normal((n_samples, n))
    count = np.abs(count.astype(np.int64))
    count[count.sum(axis=1) == 0, 0] = 1
    drawn = np.repeat(np.arange(n_samples * n), count.ravel())
    lengths = np.abs(length.mean() + length.std() * rng.normal(len(drawn)))
    lengths = np.maximum(lengths, np.finfo(float).tiny + 1e-12 * length.mean())
    steps = gap.mean() + gap.std() * rng.normal(len(drawn)) + lengths
    ends = np.cumsum(steps)
    first = np.cumsum(count.ravel()) - count.ravel()
    before = np.concatenate([[0.0], ends])[first]  # where each rater's record begins
    ends = ends - before[drawn]
    share = np.bincount(continuum.label[used], minlength=continuum.n_labels) / used.sum()
    return Continua(
        start=ends - lengths,
        end=ends,
        label=rng.choice(share, len(drawn)),
        rater=drawn % n,
        block=drawn // n,
        n_raters=n,
        n_blocks=n_samples,
    )


def _gaps(continuum: Continuum, sources: Ints) -> Floats:
    """Return the gaps between a rater's units, those before the first, and one of length 0."""
    gaps = [np.zeros(1)]
    for rater in sources:
        part = slice(continuum.offset[rater], continuum.offset[rater + 1])
        start, end = continuum.start[part], continuum.end[part]
        if len(start):
            gaps.append(start[1:] - end[:-1])
            if start[0] > continuum.low:
                gaps.append(start[:1] - continuum.low)
    return np.concatenate(gaps)


def samples_needed(disorder: Floats, precision: float | None) -> int:
    """Return how many continua make the expected disorder as precise as wished.

    Mathet et al. 2015: R = (1.96 CV / ε)², with the
    coefficient of variation CV of the continua drawn so far.
    """
    if precision is None or disorder.mean() == 0.0:
        return len(disorder)
    variation = disorder.std() / disorder.mean()
    return max(len(disorder), math.ceil(float(1.96 * variation / precision) ** 2))


# ---- observed continua

ALIGNMENTS = ("exact", "approximate")
PRECISION = {"high": 0.01, "medium": 0.02, "low": 0.05}


@dataclass(frozen=True)
class TierBlock:
    """One tier of one session, as gamma sees it."""

    session: int
    tier: int
    raters: tuple[int, ...]  # codes into the units' raters
    continuum: Continuum
    rows: Ints  # of the Units, sorted as the continuum is


@dataclass(frozen=True)
class Settings:
    """How continua are compared, and how those of chance are made."""

    dissimilarity: Dissimilarity
    variant: str
    approximate: bool
    most: int
    chance: str
    spacing: str


Prepared = tuple[ComparedBlocks, list[TierBlock]]


def prepared(units: Units, *, absent: str, point_length: float | None) -> Prepared:
    """Return who is compared where, and the continua."""
    compared = compared_blocks(units, "gamma", absent)
    sorted_units = compared.blocks
    check_pieces(units, "gamma")
    origin = _origins(units)
    start, end = _with_length(units, origin, point_length)
    blocks: list[TierBlock] = []
    for b, present in compared.each:
        offset = sorted_units.offsets[b]
        rows = sorted_units.order[offset[0] : offset[-1]]
        at = int(sorted_units.session[b])
        low, high = (float(x) for x in units.bounds[at] - origin[at])
        continuum = Continuum(
            start=start[rows],
            end=end[rows],
            label=units.label[rows].astype(np.int64),
            offset=np.concatenate([[0], np.cumsum(np.diff(offset)[present])]),
            low=min(low, float(start[rows].min())),
            high=max(high, float(end[rows].max())),
            n_labels=len(units.labels),
        )
        raters = tuple(int(r) for r in present)
        blocks.append(TierBlock(at, int(sorted_units.tier[b]), raters, continuum, rows))
    return compared, blocks


def _origins(units: Units) -> Times:
    """Return what times are counted from: 0, or the session's start if floats cannot hold them."""
    begin = units.bounds[:, 0]
    return begin if origin_of(units.bounds) else np.zeros_like(begin)


def _with_length(units: Units, origin: Times, point_length: float | None) -> tuple[Floats, Floats]:
    """Return times as floats; points are given a length around their place, if one is declared."""
    start, end = ((x - origin[units.session]).astype(np.float64) for x in (units.start, units.end))
    points = np.flatnonzero(units.start == units.end)
    if not len(points):
        return start, end
    if point_length is None:
        row = int(points[0])
        raise InputError.expected(
            f"the units for gamma (here one of rater {units.raters[units.rater[row]]!r} in session "
            f"{units.sessions[units.session[row]]!r}, and {len(points) - 1} more)",
            "longer than a point: how far two points are apart has no scale",
            (start[row].item(), end[row].item()),
            "declare what a point stands for with point_length=…",
        )
    start[points] -= point_length / 2
    end[points] += point_length / 2
    return start, end


def bounds_findings(units: Units) -> tuple[Finding, ...]:
    """Say where the length of a session is a guess."""
    message = (
        "The continuum of a session runs from its first onset to its last offset because its real "
        "length is not known; random continua are drawn within it."
    )
    return found(("fallback" in units.bounds_from, "bounds_from_units", "info", message))


def joined(parts: list[Continua]) -> Continua:
    """Put continua of equally many raters behind each other."""
    before = np.cumsum([0, *(part.n_blocks for part in parts)])
    return Continua(
        start=np.concatenate([part.start for part in parts]),
        end=np.concatenate([part.end for part in parts]),
        label=np.concatenate([part.label for part in parts]),
        rater=np.concatenate([part.rater for part in parts]),
        block=np.concatenate([p.block + b for p, b in zip(parts, before, strict=False)]),
        n_raters=parts[0].n_raters,
        n_blocks=int(before[-1]),
    )


def as_continua(continuum: Continuum) -> Continua:
    """Return one observed continuum as a block of its own."""
    return Continua(
        continuum.start,
        continuum.end,
        continuum.label,
        continuum.rater,
        np.zeros(len(continuum.start), dtype=np.int64),
        continuum.n_raters,
        1,
    )


def precision_of(precision: Any) -> float | None:
    """Return the wished precision of the expected disorder as a share, or None."""
    if precision is None or isinstance(precision, str):
        if precision is not None and precision not in PRECISION:
            raise InputError.unknown_word("precision", precision, PRECISION)
        return None if precision is None else PRECISION[precision]
    return number_where(
        "precision",
        precision,
        "a share above 0, below 1",
        "0.02 means 2%",
        fits=lambda x: 0 < x < 1,
    )


def source_raters(units: Units, reference_raters: Any) -> set[int]:
    """Return the codes of the raters whose units random continua are made of."""
    if reference_raters is None:
        return set(range(units.n_raters))
    if isinstance(reference_raters, bytes) or not isinstance(reference_raters, Iterable):
        raise InputError.expected(
            "reference_raters", "a list of names", reference_raters, "for example ['Ann']"
        )
    names = [reference_raters] if isinstance(reference_raters, str) else list(reference_raters)
    for name in names:
        if name not in units.raters:
            raise InputError.unknown_word("a rater in reference_raters", name, units.raters)
    if not names:
        raise InputError.expected(
            "reference_raters", "at least one rater", names, "or None for all raters"
        )
    return {units.raters.index(name) for name in names}


def checked_settings(
    units: Units,
    *,
    alpha: float,
    beta: float,
    distance: Any,
    categories: Sequence[Any] | None,
    words: Mapping[str, tuple[Any, tuple[str, ...]]],
    most: int,
) -> tuple[Settings, dict[str, Any]]:
    """Check the options that are words and numbers."""
    check_words(**words)
    position = check_positive(alpha, "alpha", zero="allowed")
    category = check_positive(beta, "beta", zero="allowed")
    if position == category == 0:
        raise InputError.expected("alpha and beta", "not both 0", (0, 0), "alpha=3, beta=1")
    most = whole_number("max_candidates", most, least=1, hint="for example 2_000_000")
    check_data(units)
    check_label_count(units.labels, "gamma")
    name, d_kl = scaled_distances(units.labels, distance, categories)
    chosen = {what: word for what, (word, _) in words.items()}
    return (
        Settings(
            Dissimilarity(position, category, d_kl),
            chosen.get("variant", "paper"),
            chosen["alignment"] == "approximate",
            most,
            chosen.get("chance", "shuffle"),
            chosen.get("spacing", "mean"),
        ),
        {**chosen, "distance": name},
    )


# ---- both halves of gamma, and the labels of what meets

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


def _by_size(blocks: Sequence[TierBlock], sizes: Sequence[int]) -> Iterator[list[int]]:
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


def observe(blocks: Sequence[TierBlock], settings: Settings) -> list[Observed]:
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
    blocks: Sequence[TierBlock],
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


def _models(block: TierBlock, sources: set[int]) -> Any:
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
    blocks: Sequence[TierBlock],
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
