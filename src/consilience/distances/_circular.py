"""The circular distance, for hours, directions and other labels that come round again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.distances._distance import Distance, LabelSpace, register
from consilience.distances.label_scores import as_number, score_k
from consilience.exceptions import InputError


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
