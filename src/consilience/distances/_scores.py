"""Distances that are a power of the difference of two scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.distances._distance import Distance, LabelSpace, register
from consilience.distances.label_scores import check_range, number_k, score_k


@register
@dataclass(frozen=True)
class Linear(Distance):
    """The absolute difference of the scores; ordered text labels score 1, 2, 3, ….

    Notes
    -----
    d_kl = |c_k − c_l|                                                                  (1)

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics.

    Examples
    --------
    >>> Linear().matrix(LabelSpace.of([1, 2, 4]), np.ones(3))
    array([[0., 1., 3.],
           [1., 0., 2.],
           [3., 2., 0.]])
    """

    name = "linear"
    aliases = ("manhattan", "absolute")

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the absolute differences, equation (1)."""
        c_k = score_k(space, distance=self.name)
        check_range(c_k, exponent=1, distance=self.name)
        return _gaps(c_k)


@register
@dataclass(frozen=True)
class Radical(Distance):
    """The square root of the absolute difference: the first step apart weighs most.

    Notes
    -----
    d_kl = |c_k − c_l|^½                                                                (1)

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics.

    Examples
    --------
    >>> Radical().matrix(LabelSpace.of([0, 1, 4]), np.ones(3))[0]
    array([0., 1., 2.])
    """

    name = "radical"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the square roots of the differences, equation (1)."""
        c_k = score_k(space, distance=self.name)
        check_range(c_k, exponent=1, distance=self.name)
        return np.sqrt(_gaps(c_k))


@register
@dataclass(frozen=True)
class Quadratic(Distance):
    """The squared difference of the scores; ordered text labels score 1, 2, 3, ….

    Notes
    -----
    d_kl = (c_k − c_l)²                                                                 (1)

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics.

    Examples
    --------
    >>> Quadratic().matrix(LabelSpace.of(["low", "mid", "high"], ordered=True), np.ones(3))[0]
    array([0., 1., 4.])
    """

    name = "quadratic"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the squared differences, equation (1)."""
        return _gaps(self.coordinates(space, counts)[:, 0]) ** 2

    def coordinates(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the scores."""
        c_k = score_k(space, distance=self.name)
        check_range(c_k, exponent=2, distance=self.name)
        return c_k[:, None]

    def embed(self, values: Floats) -> Floats:
        """Return the values themselves."""
        return values[None]


@register
@dataclass(frozen=True)
class Interval(Distance):
    """Krippendorff's interval metric, the squared difference of two numbers.

    Labels that are no numbers are refused even when they are ordered: differences of ranks are
    what the quadratic distance uses.

    Notes
    -----
    d_kl = (c_k − c_l)²                                                                 (1)

    References
    ----------
    .. [1] Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of
       Pennsylvania.

    Examples
    --------
    >>> Interval().matrix(LabelSpace.of([0, 1, 10]), np.ones(3))[0]
    array([  0.,   1., 100.])
    """

    name = "interval"
    fits_scale = "interval"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the squared differences, equation (1)."""
        return _gaps(self.coordinates(space, counts)[:, 0]) ** 2

    def coordinates(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the numbers."""
        c_k = number_k(space, distance=self.name)
        check_range(c_k, exponent=2, distance=self.name)
        return c_k[:, None]

    def embed(self, values: Floats) -> Floats:
        """Return the values themselves."""
        return values[None]


def _gaps(c_k: Floats) -> Floats:
    gap_kl: Floats = np.abs(c_k[:, None] - c_k[None, :])
    return gap_kl
