"""The nominal distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.distances._distance import Distance, LabelSpace, register


@register
@dataclass(frozen=True)
class Nominal(Distance):
    """Labels are the same or different: d = 0 or 1.

    Notes
    -----
    d_kl = 1 for k ≠ l, else 0                                                          (1)

    References
    ----------
    .. [1] Krippendorff, K. (2011). Computing Krippendorff's alpha-reliability. University of
       Pennsylvania.

    Examples
    --------
    >>> Nominal().matrix(LabelSpace.of(["yes", "no"]), np.ones(2))
    array([[0., 1.],
           [1., 0.]])
    """

    name = "nominal"
    fits_scale = "nominal"

    def matrix(self, space: LabelSpace, counts: Floats) -> Floats:
        """Return 1 off the diagonal."""
        return 1.0 - np.eye(space.size)
