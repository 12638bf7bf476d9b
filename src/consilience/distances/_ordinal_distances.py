"""The two ordinal distances: Krippendorff's from the observed counts, Gwet's from the ranks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from consilience.core.arrays import Floats
from consilience.distances._distance import Distance, LabelSpace, register
from consilience.distances.label_scores import rank_k
from consilience.exceptions import InputError


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
