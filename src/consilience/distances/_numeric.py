"""Distances of labels that are numbers or ranks: linear, quadratic, ordinal, ratio, circular,
bipolar.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.distances._distance import (
    Distance,
    LabelSpace,
    as_number,
    check_range,
    number_k,
    rank_k,
    register,
    score_k,
)
from consilience.exceptions import InputError

# ---- Distances that are a power of the difference of two scores.


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


# ---- The ratio distance.


@register
@dataclass(frozen=True)
class Ratio(Distance):
    """Krippendorff's ratio metric: a difference weighs less the larger the numbers are.

    Labels must be numbers that are not negative. Zero is as far from 1 as from 1000.

    Notes
    -----
    d_kl = ((c_k − c_l)/(c_k + c_l))²                                                   (1)

    References
    ----------
    .. [1] Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of
       Pennsylvania.

    Examples
    --------
    >>> Ratio().matrix(LabelSpace.of([0, 1, 3]), np.ones(3))
    array([[0.  , 1.  , 1.  ],
           [1.  , 0.  , 0.25],
           [1.  , 0.25, 0.  ]])
    """

    name = "ratio"
    fits_scale = "ratio"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the squared relative differences, equation (1)."""
        c_k = number_k(space, distance=self.name)
        if (c_k < 0).any():
            raise InputError.expected(
                "labels for the ratio distance",
                "numbers from zero upwards",
                [space.labels[k] for k in np.flatnonzero(c_k < 0)],
                'use distance="interval", which has no fixed zero',
            )
        # Halves cannot overflow when added, and halving is exact.
        half_k = c_k / 2
        gap_kl = half_k[:, None] - half_k[None, :]
        sum_kl = half_k[:, None] + half_k[None, :]
        relative: Floats = np.divide(gap_kl, sum_kl, out=np.zeros_like(gap_kl), where=sum_kl > 0)
        return relative * relative


# ---- The two ordinal distances: Krippendorff's from the observed counts, Gwet's from the ranks.


@register
@dataclass(frozen=True)
class Ordinal(Distance):
    """Krippendorff's ordinal metric: how many ratings lie between two labels.

    Notes
    -----
    d_kl = (Σ_{g=k..l} n_g − (n_k + n_l)/2)²                                            (1)

    That is the squared difference of mid-ranks, n_1 + … + n_{k−1} + n_k/2, so the distance
    changes with the counts and is not Gwet's ordinal weight (``"ordinal-gwet"``).

    `counts` may have leading axes, one set of counts per resample, and may be complex for
    derivatives by a complex step; the result then has the same leading axes and type.

    References
    ----------
    .. [1] Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of
       Pennsylvania.

    Examples
    --------
    The counts of the worked example in [1]_ for the labels 1 to 5:

    >>> counts = np.array([9.0, 13, 10, 5, 3])
    >>> Ordinal().matrix(LabelSpace.of([1, 2, 3, 4, 5]), counts)[0] ** 0.5
    array([ 0. , 11. , 22.5, 30. , 34. ])
    """

    name = "ordinal"
    fits_scale = "ordinal"
    data_dependent = True

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the squared differences of mid-ranks, equation (1)."""
        rank = _mid_ranks(space, counts)
        gap: Floats = rank[..., :, None] - rank[..., None, :]
        return gap * gap

    def coordinates(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the mid-ranks."""
        return _mid_ranks(space, counts)[..., None]

    def pull_back(self, slopes: Floats) -> Floats:
        """Return slopes for the counts: n_g lifts its own mid-rank by 1/2, all above by 1."""
        above: Floats = np.cumsum(slopes[::-1], axis=0)[::-1] - slopes
        return above + slopes / 2


@register
@dataclass(frozen=True)
class OrdinalGwet(Distance):
    """Gwet's ordinal weight: the number of pairs of ranks from one label to the other.

    Notes
    -----
    d_kl = C(|rank_k − rank_l| + 1, 2)                                                  (1)

    Only the order counts, neither the size of numbers nor how often a label was used.

    References
    ----------
    .. [1] Gwet, K. L. (2014). Handbook of Inter-Rater Reliability, 4th ed. Advanced Analytics.

    Examples
    --------
    >>> OrdinalGwet().matrix(LabelSpace.of(["low", "mid", "high"], ordered=True), np.ones(3))
    array([[0., 1., 3.],
           [1., 0., 1.],
           [3., 1., 0.]])
    """

    name = "ordinal-gwet"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the pairs of ranks, equation (1)."""
        rank = rank_k(space, distance=self.name)
        steps: Floats = np.abs(rank[:, None] - rank[None, :])
        return steps * (steps + 1) / 2


def _mid_ranks(space: LabelSpace, counts: Floats) -> Floats:
    """Return n_1 + … + n_{k−1} + n_k/2 for every label, whatever the order of the labels."""
    rank = rank_k(space, distance=Ordinal.name)
    n_k = np.asarray(counts)
    if n_k.shape[-1:] != (space.size,) or not np.all(np.isfinite(n_k) & (n_k.real >= 0)):
        raise InputError.expected(
            "counts",
            f"{space.size} numbers of ratings, one for each label",
            counts,
            "count the pairable ratings of every label, in the order of the labels",
        )
    place = rank.astype(np.intp) - 1
    sorted_k = np.argsort(place)
    below: Floats = np.cumsum(n_k[..., sorted_k], axis=-1)[..., place] - n_k / 2
    return below


# ---- The circular distance, for hours, directions and other labels that come round again.


@register
@dataclass(frozen=True)
class Circular(Distance):
    """Krippendorff's circular metric; see `circular`."""

    circumference: float

    name = "circular"
    recipe = "say how long the circle is, such as distances.circular(24) for hours of the day"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the squared sines of half the angles."""
        turn_k = self._turns(score_k(space, distance=self.name))
        sine: Floats = np.sin(np.pi * (turn_k[:, None] - turn_k[None, :]))
        return sine * sine

    def coordinates(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return points on a circle of diameter one."""
        return self._points(score_k(space, distance=self.name))

    def embed(self, values: Floats) -> Floats:
        """Return points on a circle of diameter one."""
        angle = 2 * np.pi * self._turns(values)
        return np.stack((np.cos(angle), np.sin(angle))) / 2

    def _turns(self, values: Floats) -> Floats:
        """Return the place on the circle, in turns; whole turns go first, which is exact."""
        turns: Floats = np.remainder(values, self.circumference) / self.circumference
        return turns

    def _points(self, values: Floats) -> Floats:
        # |(cos a, sin a)/2 − (cos b, sin b)/2|² = sin²((a − b)/2)
        angle = 2 * np.pi * self._turns(values)
        return np.stack((np.cos(angle), np.sin(angle)), axis=-1) / 2


def circular(circumference: float) -> Circular:
    """Return the distance for labels on a circle: hours, weekdays, directions.

    Use it when the last label is next to the first. The circumference is asked for because it
    cannot be seen in the data: hours 0 to 23 lie on a circle of 24.

    Parameters
    ----------
    circumference : float
        The length of the circle in the unit of the labels: 24 hours, 360 degrees, 7 weekdays.
        Ordered text labels lie one apart.

    Returns
    -------
    Distance

    Raises
    ------
    InputError
        The circumference is no finite number above zero.

    Notes
    -----
    d_kl = sin²(π (c_k − c_l)/U)                                                        (1)

    0 for labels a whole number of turns apart, 1 for opposite ones.

    References
    ----------
    .. [1] Krippendorff, K. (2004). Content Analysis: An Introduction to Its Methodology,
       2nd ed. Sage.

    Examples
    --------
    >>> circular(24).matrix(LabelSpace.of([0, 6, 12, 23]), np.ones(4))[0].round(3)
    array([0.   , 0.5  , 1.   , 0.017])
    """
    length = as_number(circumference)
    if length is None or not 0 < length < np.inf:
        raise InputError.expected(
            "circumference", "a finite number above zero", circumference, Circular.recipe
        )
    return Circular(length)


# ---- The bipolar distance, for scales with two ends that mean something.


@register
@dataclass(frozen=True)
class Bipolar(Distance):
    """Krippendorff's metric for bipolar scales; see `bipolar`."""

    minimum: float | None = None
    maximum: float | None = None

    name = "bipolar"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return the squared differences relative to the nearness of the ends."""
        c_k = score_k(space, distance=self.name)
        if c_k.size == 0:
            return np.empty((0, 0))
        low, high = self._ends(space, c_k)
        ends = np.array([low, high])
        check_range(ends, exponent=1, distance=self.name)
        # The metric is free of unit and origin, so the scale may run from 0 to 1.
        x_k = (c_k - low) / (high - low) if high > low else np.zeros_like(c_k)
        gap_kl = x_k[:, None] - x_k[None, :]
        sum_kl = x_k[:, None] + x_k[None, :]
        nearness = sum_kl * (2 - sum_kl)
        d_kl: Floats = np.divide(
            gap_kl * gap_kl, nearness, out=np.zeros_like(gap_kl), where=nearness > 0
        )
        return d_kl

    def _ends(self, space: LabelSpace, c_k: Floats) -> tuple[float, float]:
        low = float(c_k.min()) if self.minimum is None else self.minimum
        high = float(c_k.max()) if self.maximum is None else self.maximum
        outside = (c_k < low) | (c_k > high)
        if outside.any():
            raise InputError.expected(
                "labels for the bipolar distance",
                f"from {low:g} to {high:g}",
                [space.labels[k] for k in np.flatnonzero(outside)],
                "widen minimum= and maximum= to the ends of the scale",
            )
        return low, high


def bipolar(*, minimum: float | None = None, maximum: float | None = None) -> Bipolar:
    """Return the distance for scales between two poles, where steps near an end weigh more.

    Use it for scales such as "strongly disagree" to "strongly agree". Give the ends of the scale
    when no category lies on them.

    Parameters
    ----------
    minimum, maximum : float, optional
        The ends of the scale; the smallest and the largest category when left out. Ordered
        text labels count from 1.

    Returns
    -------
    Distance

    Raises
    ------
    InputError
        An end is no finite number, or the minimum is not below the maximum.

    Notes
    -----
    d_kl = (c_k − c_l)² / ((c_k + c_l − 2c_min)(2c_max − c_k − c_l))                     (1)

    References
    ----------
    .. [1] Krippendorff, K. (2004). Content Analysis: An Introduction to Its Methodology,
       2nd ed. Sage.

    Examples
    --------
    >>> bipolar().matrix(LabelSpace.of([1, 2, 3]), np.ones(3)).round(3)
    array([[0.   , 0.333, 1.   ],
           [0.333, 0.   , 0.333],
           [1.   , 0.333, 0.   ]])
    """
    low, high = _end("minimum", minimum), _end("maximum", maximum)
    if low is not None and high is not None and low >= high:
        raise InputError.expected(
            "minimum", f"below the maximum, {high:g}", minimum, "exchange the two"
        )
    return Bipolar(low, high)


def _end(what: str, value: float | None) -> float | None:
    if value is None:
        return None
    number = as_number(value)
    if number is None or not np.isfinite(number):
        raise InputError.expected(
            what, "a finite number", value, "leave it out to use the outermost category"
        )
    return number
