"""Random continua: what raters' units would look like if they agreed by chance only.

The two models are those of Mathet, Widlöcher & Métivier (2015, section 5.2), which rotates the
units that raters really made, and of the Python program pygamma-agreement, which draws units from
normal distributions.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.draws import RandomStream
from consilience.units.gamma_alignment._candidates import expand
from consilience.units.gamma_alignment._dissimilarity import Continua

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
