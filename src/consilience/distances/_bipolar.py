"""The bipolar distance, for scales with two ends that mean something."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.distances._distance import Distance, LabelSpace, register
from consilience.distances.label_scores import as_number, check_range, score_k
from consilience.exceptions import InputError


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
