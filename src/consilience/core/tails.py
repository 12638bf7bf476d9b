"""Tails, quantiles and roots for single numbers, without the wait for scipy.

Loading `scipy.special` and `scipy.optimize` takes longer than all else that is done for a small
study; the few functions that its intervals and tests need are here.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from functools import lru_cache
from statistics import NormalDist

_MOST_TERMS, _FAR_OUT = 200, 1_000.0  # beyond, sums lose digits or leave the range of numbers
_NEARLY_NORMAL = 2_000.0  # degrees of freedom from which four terms of the expansion are exact
_EPS = sys.float_info.epsilon


def normal_below(x: float) -> float:
    """Return the normal distribution function.

    >>> round(normal_below(-1.959963984540054), 12)
    0.025
    """
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def student_below(t: float, degrees_of_freedom: float | None) -> float:
    """Return the distribution function of Student's t, of the normal without degrees of freedom.

    >>> round(student_below(-2.228138852, 10), 9)
    0.025
    """
    if degrees_of_freedom is None:
        return normal_below(t)
    v, size = degrees_of_freedom, abs(t)
    if not v > 0.0 or math.isnan(t):
        return math.nan
    if math.isinf(v):
        return normal_below(t)
    if size <= _middle(v):
        return 0.5 + math.copysign(_centre(size, v), t)
    tail = _tail(size, v)
    return tail if t < 0.0 else 1.0 - tail


def p_of_tails(below: float, above: float, alternative: str) -> float:
    """Return the p-value of an alternative from the chances of values as small, and as large.

    >>> p_of_tails(0.98, 0.03, "greater"), p_of_tails(0.98, 0.03, "two-sided")
    (0.03, 0.06)
    """
    chances = {"less": below, "greater": above, "two-sided": 2.0 * min(below, above)}
    return float(min(1.0, chances[alternative]))


def even_split_p(b: int, c: int, *, half: bool = False) -> float:
    """Return the two-sided p-value that b + c fall into two halves as unevenly as into b and c.

    McNemar's exact test; with `half` less half the probability of what was observed.

    >>> [round(even_split_p(b, c, half=b == c), 5) for b, c in ((8, 14), (3, 3), (0, 0))]
    [0.28628, 0.84375, 1.0]
    """
    from scipy.special import bdtr, gammaln

    n = b + c
    if n == 0:
        return 1.0
    exact = min(2.0 * float(bdtr(min(b, c), n, 0.5)), 1.0)
    if not half:
        return exact
    point = math.exp(gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - n * math.log(2.0))
    return 1.0 - point / 2.0 if b == c else max(exact - point, 0.0)  # Fagerland et al. (2013)


def chi_square_tail(statistic: float, degrees_of_freedom: float) -> float:
    """Return P(chi-square >= statistic); in closed form for whole degrees of freedom.

    Abramowitz and Stegun (1964), 26.4.4 and 26.4.5.

    >>> round(chi_square_tail(3.841458820694124, 1), 9), round(chi_square_tail(5.0, 4), 9)
    (0.05, 0.287297495)
    """
    whole = float(degrees_of_freedom).is_integer() and 1 <= degrees_of_freedom <= _MOST_TERMS
    if not whole or not 0.0 <= statistic < _FAR_OUT:
        from scipy.special import chdtrc

        return float(chdtrc(degrees_of_freedom, statistic))
    half, odd = statistic / 2.0, int(degrees_of_freedom) % 2
    term = math.exp(-half) * (2.0 * math.sqrt(half / math.pi) if odd else 1.0)
    tail = math.erfc(math.sqrt(half)) if odd else 0.0
    for k in range(int(degrees_of_freedom) // 2):
        tail += term
        term *= half / (k + 1.0 + odd / 2.0)
    return tail


def quantile(probability: float, degrees_of_freedom: float | None) -> float:
    """Return the quantile of Student's t, or of the normal when there are no degrees.

    Parameters
    ----------
    probability : float
    degrees_of_freedom : float or None
        Whole or not; None for the normal distribution.

    Returns
    -------
    float
        Infinite for probabilities of 0 and 1; NaN without positive degrees of freedom.

    Examples
    --------
    >>> round(quantile(0.975, None), 4), round(quantile(0.975, 7), 4)
    (1.96, 2.3646)
    """
    v, off_centre = degrees_of_freedom, abs(probability - 0.5)
    if not off_centre <= 0.5 or (v is not None and not v > 0.0):
        return math.nan
    if off_centre == 0.5:
        return math.copysign(math.inf, probability - 0.5)
    if v is None or v > _NEARLY_NORMAL:
        z = NormalDist().inv_cdf(probability)
        return z if v is None else _expanded(z, v)
    if off_centre <= _centre(_middle(v), v):
        found = _from_centre(off_centre, v)
    else:
        found = _from_tail(min(probability, 1.0 - probability), v)
    return math.copysign(found, probability - 0.5)


def _expanded(z: float, v: float) -> float:
    """Return Student's quantile from that of the normal: Abramowitz and Stegun, 26.7.5."""
    s = z * z
    terms = (
        (s + 1.0) / 4.0,
        ((5.0 * s + 16.0) * s + 3.0) / 96.0,
        (((3.0 * s + 19.0) * s + 17.0) * s - 15.0) / 384.0,
        ((((79.0 * s + 776.0) * s + 1482.0) * s - 1920.0) * s - 945.0) / 92160.0,
    )
    return z * (1.0 + sum(term / v ** (k + 1) for k, term in enumerate(terms)))


def _middle(v: float) -> float:
    """Return the t up to which the series converges faster than the continued fraction."""
    return math.sqrt(3.0 * v / (v + 2.0))


def _from_centre(off_centre: float, v: float) -> float:
    """Solve P(0 < T < t): the function is concave, so Newton's steps from 0 never go too far."""
    t = off_centre / _density(0.0, v)
    while True:
        step = (off_centre - _centre(t, v)) / _density(t, v)
        t += step
        if not step > 4.0 * _EPS * t:
            return t


@lru_cache(maxsize=1024)  # studies of one size ask for the same quantile
def _from_tail(tail: float, v: float) -> float:
    """Solve P(T > t) for the logarithms of both sides, between which the curve is nearly a line."""
    t = _middle(v)
    for _ in range(100):
        above = _tail(t, v)
        step = math.log(above / tail) * above / (t * _density(t, v))
        t *= math.exp(step)
        if abs(step) <= 4.0 * _EPS:
            break
    return t


def _density(t: float, v: float) -> float:
    """Return the density of Student's t."""
    return (
        _gamma_ratio(v / 2.0)
        / math.sqrt(v * math.pi)
        * math.exp(-(v + 1.0) / 2.0 * math.log1p(t * t / v))
    )


@lru_cache(maxsize=64)
def _gamma_ratio(a: float) -> float:
    """Return Gamma(a + 1/2) / Gamma(a): as for a large a, and down by Gamma(a + 1) = a Gamma(a)."""
    ratio = 1.0
    while a < 40.0:
        ratio *= a / (a + 0.5)
        a += 1.0
    x = 1.0 / (8.0 * a)  # Tricomi and Erdelyi (1951), in powers of 1 / 8a
    series = 1.0 + x * (-1.0 + x * (0.5 + x * (2.5 + x * (-2.625 + x * (-49.875 + x * 54.3125)))))
    return ratio * math.sqrt(a) * series


def _centre(t: float, v: float) -> float:
    """Return P(0 < T < t): Abramowitz and Stegun, 26.7.1 and 26.5.4."""
    y = t * t / (v + t * t)
    term = total = 1.0
    n = 0
    while term > _EPS / 4.0 * total:
        term *= (v / 2.0 + 0.5 + n) / (1.5 + n) * y
        total += term
        n += 1
    return t * _density(t, v) * total


def _tail(t: float, v: float) -> float:
    """Return P(T > t): Abramowitz and Stegun, 26.7.1 and 26.5.8, by Lentz's method."""
    a, x = v / 2.0, v / (v + t * t)
    c, d = 1.0, 1.0 / (1.0 - (a + 0.5) * x / (a + 1.0))
    fraction = d
    for m in range(1, 10_000):
        for factor in (
            m * (0.5 - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m)),
            -(a + m) * (a + 0.5 + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0)),
        ):
            d = 1.0 / (1.0 + factor * d)
            c = 1.0 + factor / c
            fraction *= c * d
        if abs(c * d - 1.0) <= _EPS:
            break
    return t * _density(t, v) / v * fraction


def root_between(
    function: Callable[[float], float], low: float, high: float, *, within: float = 1e-14
) -> float:
    """Return where a function changes its sign, by Chandrupatla's method (1997).

    The ends must have values of different signs; the root is found to `within`, or to the last
    digit of a number.

    >>> round(root_between(lambda x: x**3 - 2.0, 0.0, 2.0), 12)
    1.259921049895
    """
    a, b, share = low, high, 0.5
    at_a, at_b = function(a), function(b)
    for end, value in ((a, at_a), (b, at_b)):
        if value == 0.0:
            return end
    if not at_a * math.copysign(1.0, at_b) < 0.0:
        raise ValueError("the function must have different signs at the ends")
    while True:
        x = a + share * (b - a)
        at_x = function(x)
        if (at_x > 0.0) == (at_a > 0.0):
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = x, at_x
        best, left = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        room = (within / 2.0 + 2.0 * _EPS * abs(best)) / abs(b - a)
        if room > 0.5 or left == 0.0:
            return best
        xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        share = 0.5
        if phi * phi < xi and (1.0 - phi) ** 2 < 1.0 - xi:  # a parabola is safe
            share = at_a / (at_b - at_a) * at_c / (at_b - at_c) + (c - a) / (b - a) * at_a / (
                at_c - at_a
            ) * at_b / (at_c - at_b)
        share = min(max(share, room), 1.0 - room)
