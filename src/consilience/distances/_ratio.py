"""The ratio distance."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.distances._distance import Distance, LabelSpace, register
from consilience.distances.label_scores import number_k
from consilience.exceptions import InputError


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
