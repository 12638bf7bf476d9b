"""Posterior draws of what is compared in a panel: rows of labels, and a weak prior on few kinds.

As for single coefficients (`consilience.inference.posterior`), each distinct row of labels has a
gamma weight, and rows that nobody may have shown yet have small ones: all raters give one label, or
one of them differs. That a system is the one who differs weighs as much again and half as much
more: whether it is as good as people must not be concluded from items that are merely too few to
show its errors.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from consilience.core.arrays import Floats, Ints
from consilience.core.tails import normal_below
from consilience.inference import quantile
from consilience.inference.posterior import PosteriorDraw, gamma_shape
from consilience.inference.skewed_t import SkewedT

_UNANIMOUS = 0.5  # prior mass on rows of one label, beside 1 / raters
_ONE_DISSENTS = 0.5  # on rows in which one of the raters differs
_SYSTEM_DISSENTS = 0.75  # on rows in which it is a system, beside that
_MOST_RARE = 2
_MOST_ROWS = 600
_LEVEL = 0.95  # at which few units are given Student's tails


def prior_rows(codes: Ints, n_labels: int, is_system: list[bool]) -> tuple[Ints, Floats]:
    """Return the prior's rows of labels, and the shapes of their weights."""
    m = codes.shape[1]
    given = np.bincount(codes[(codes >= 0) & (codes < n_labels)], minlength=n_labels)
    q = (given + 0.5) / (given + 0.5).sum()
    n_shown = max(2, int(0.5 + math.sqrt(0.25 + _MOST_ROWS / m)))
    shown = np.argsort(-q, kind="stable")[:n_shown]
    pairs = np.array([(c, d) for c in shown for d in shown if c != d], dtype=np.int64)
    alike = np.repeat(np.arange(n_labels)[:, None], m, axis=1)
    shapes = [np.full(n_labels, (_UNANIMOUS + 1.0 / m) / n_labels)]
    if not len(pairs):
        return alike, shapes[0]
    weight = q[pairs[:, 0]] ** min(m - 1, _MOST_RARE) * q[pairs[:, 1]]
    weight *= _confused(codes, q, n_labels)[pairs[:, 0], pairs[:, 1]]
    weight /= weight.sum()
    rows = [alike]
    for place, system in enumerate(is_system):
        one = np.repeat(pairs[:, :1], m, axis=1)
        one[:, place] = pairs[:, 1]
        rows.append(one)
        shapes.append(weight * (_ONE_DISSENTS / m + (_SYSTEM_DISSENTS if system else 0.0)))
    return np.concatenate(rows), np.concatenate(shapes)


def _confused(codes: Ints, q: Floats, n_labels: int) -> Floats:
    """Return how much more often labels are taken for each other than their shares say.

    Neighbours on a scale are, mostly; one item's worth of chance keeps all others possible.
    """
    seen = np.zeros((n_labels, n_labels))
    pairs = list(combinations(range(codes.shape[1]), 2))
    for a, b in pairs:
        one, other = codes[:, a], codes[:, b]
        both = (one >= 0) & (other >= 0) & (one < n_labels) & (other < n_labels)
        np.add.at(seen, (one[both], other[both]), 0.5 / len(pairs))
        np.add.at(seen, (other[both], one[both]), 0.5 / len(pairs))
    chance = np.outer(q, q)
    return np.asarray((seen + chance) / chance)


def draw_of(times: Floats, shapes: Floats, inflation: float) -> PosteriorDraw:
    """Return how weights of the units (distinct rows, or documents) and of the prior are drawn."""
    shape = gamma_shape(float(times.sum()), _LEVEL)
    scales = [np.full(times.size, 1.0 / shape), np.full(shapes.size, inflation)]
    return PosteriorDraw(np.concatenate([shape * times, shapes]), np.concatenate(scales))


def tail_widening(value: float, left_out: Floats, times: Floats) -> float:
    """Return how much wider the tails are than Student's t for all units, by the skew seen."""
    known = np.isfinite(left_out)
    n = float(times[known].sum())
    if n < 4 or np.ptp(left_out[known]) == 0.0:
        return 1.0
    degrees = SkewedT.of(value, left_out[known], times[known]).degrees_of_freedom
    upper = (1.0 + _LEVEL) / 2.0
    return quantile(upper, degrees) / quantile(upper, n - 1.0)


@dataclass(frozen=True)
class DrawnValue:
    """Draws of one value, from small to large, and how much wider its tails are read."""

    draws: Floats
    widening: float = 1.0

    def limits(self, level: float) -> tuple[float, float]:
        """Return order statistics, as far from either end."""
        tail = normal_below(-quantile((1.0 + level) / 2.0, None) * self.widening)
        rank = max(1, round((self.draws.size + 1) * tail))
        return float(self.draws[rank - 1]), float(self.draws[-rank])

    def p_value(self, null: float, *, two_sided: bool = False) -> float:
        """Return the p-value that is dual to the limits: that the value is not above the null."""
        size = self.draws.size + 1
        below = (1 + int((self.draws <= null).sum())) / size
        above = (1 + int((self.draws >= null).sum())) / size
        tail = min(below, above) if two_sided else below
        tail = normal_below(quantile(min(tail, 1.0 - 1.0 / size), None) / self.widening)
        return min(1.0, 2.0 * tail) if two_sided else tail
