"""Limits of a weighted sum of shares, such as people's yes within each verdict of a judge.

Each share has a Beta posterior, and the posterior of the sum is their convolution. A normal or a
matched Beta would miss its skewness, which is what counts where a good judge leaves few errors.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from consilience.core.arrays import Floats

PRIOR = 1.0 / 3.0  # answers added on either side of each share: Kerman's (2011) neutral prior
STEPS = 100  # grid cells in a standard deviation
_FAR = 1e-10  # what lies beyond is left out of the grid
_NORMAL_REACH = 6.5  # standard deviations
_LEAST = 1e-9


@dataclass(frozen=True)
class SummedShares:
    """A sum of shares, each with its weight, and the error of the weights.

    Attributes
    ----------
    weight : array
        Weights of the shares, such as how often each verdict is given; they add up to 1.
    yes, answers : array
        People's yes, and their answers, within each.
    noise : float
        Variance from the weights, which were counted on a sample, too.
    """

    weight: Floats
    yes: Floats
    answers: Floats
    noise: float

    @cached_property
    def _shapes(self) -> tuple[Floats, Floats]:
        return self.yes + PRIOR, self.answers - self.yes + PRIOR

    @cached_property
    def mean(self) -> float:
        """Posterior mean of the sum."""
        a, b = self._shapes
        return float(self.weight @ (a / (a + b)))

    @cached_property
    def variance(self) -> float:
        """Posterior variance of the sum."""
        a, b = self._shapes
        own = a * b / ((a + b) ** 2 * (a + b + 1.0))
        return float(self.weight**2 @ own) + self.noise

    @cached_property
    def _distribution(self) -> tuple[Floats, Floats]:
        """Return places and the posterior distribution function there."""
        from scipy.special import betainc, betaincinv, ndtr

        step = max(math.sqrt(self.variance), _LEAST) / STEPS
        origin, masses = 0.0, []
        for w, a, b in zip(self.weight.tolist(), *(x.tolist() for x in self._shapes), strict=True):
            if w <= 0.0:
                continue
            low, high = w * betaincinv(a, b, [_FAR, 1.0 - _FAR])
            edges = low + step * np.arange(math.ceil((high - low) / step) + 2)
            masses.append(np.diff(betainc(a, b, np.clip(edges / w, 0.0, 1.0))))
            origin += low + step / 2.0
        if self.noise > 0.0:
            spread = math.sqrt(self.noise)
            n = math.ceil(_NORMAL_REACH * spread / step) + 1
            ends = step * (np.arange(-n, n + 2) - 0.5)
            masses.append(np.diff(ndtr(ends / spread)))
            origin -= n * step
        total = np.cumsum(_convolved(masses))
        places: Floats = origin + step * (np.arange(total.size, dtype=np.float64) + 0.5)
        return places, np.asarray(total / total[-1], dtype=np.float64)

    def limits(self, level: float) -> tuple[float, float]:
        """Return the equal-tailed limits of the sum, within 0 and 1 and around its value."""
        places, below = self._distribution
        tail = 0.5 - level / 2.0
        low, high = (float(x) for x in np.interp([tail, 1.0 - tail], below, places))
        value = self.value
        return min(max(low, 0.0), value), max(min(high, 1.0), value)

    @cached_property
    def value(self) -> float:
        """The sum itself; a share without answers counts as the share of all."""
        whole = float(self.yes.sum() / max(self.answers.sum(), _LEAST))
        known = self.answers > 0.0
        p = np.where(known, self.yes / np.where(known, self.answers, 1.0), whole)
        return float(self.weight @ p)


def added(parts: Sequence[tuple[float, SummedShares | None]]) -> SummedShares | None:
    """Return the weighted sum of independent sums, such as of strata; None where one is missing."""
    known = [(w, one) for w, one in parts if one is not None]
    if len(known) < len(parts):
        return None
    return SummedShares(
        np.concatenate([w * one.weight for w, one in known]),
        np.concatenate([one.yes for _, one in known]),
        np.concatenate([one.answers for _, one in known]),
        sum(w * w * one.noise for w, one in known),
    )


def _convolved(masses: Sequence[Floats]) -> Floats:
    """Convolve distributions on one grid."""
    size = sum(len(one) for one in masses) - len(masses) + 1
    length = 1 << (size - 1).bit_length()
    product = np.ones(length // 2 + 1, dtype=np.complex128)
    for one in masses:
        product *= np.fft.rfft(one, length)
    return np.maximum(np.fft.irfft(product, length)[:size], 0.0)
